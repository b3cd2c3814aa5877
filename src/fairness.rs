//! Fairness: which runs count.
//!
//! *Weak* (justice): a process that can move from some point on in every state moves again and again. *Strong*
//! (compassion): a process that can move again and again moves again and again. Each proctype has its own kind; a run
//! counts if it is fair to every process of every proctype. A process is what has its number: in a cycle in which processes
//! end and others get their numbers, these are one process. A rendezvous is a move of both sides, and both can move when it
//! is possible. A run that ends is fair: nobody can move at its end.

use crate::machine::{Look, Pid};
use promela_lite::program::{ProctypeId, Program};

/// What is asked of the processes of one type.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    #[default]
    None,
    /// Justice.
    Weak,
    /// Compassion.
    Strong,
}

/// Processes of one state, by number.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessSet(u64);

impl ProcessSet {
    /// Numbers are below this.
    pub const LIMIT: usize = u64::BITS as usize;

    /// The set with one process. Numbers beyond the limit are left out; [`Fairness::demands`] tells of them.
    pub fn of(pid: Pid) -> ProcessSet {
        ProcessSet(1u64.checked_shl(u32::from(pid.0)).unwrap_or(0))
    }

    /// Both.
    pub fn and(self, other: ProcessSet) -> ProcessSet {
        ProcessSet(self.0 | other.0)
    }

    /// Those of this set that are in the other one too.
    pub fn within(self, other: ProcessSet) -> ProcessSet {
        ProcessSet(self.0 & other.0)
    }

    /// Those of this set that are not in the other one.
    pub fn without(self, other: ProcessSet) -> ProcessSet {
        ProcessSet(self.0 & !other.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One after the other, each as a set.
    pub fn each(self) -> impl Iterator<Item = ProcessSet> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = rest & rest.wrapping_neg();
            rest &= !lowest;
            (lowest != 0).then_some(ProcessSet(lowest))
        })
    }

    /// The numbers.
    pub fn pids(self) -> impl Iterator<Item = Pid> {
        self.each().map(|one| Pid(one.0.trailing_zeros() as u16))
    }
}

/// What is asked of the processes of a state.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// Those to whom a run must be weakly fair.
    pub weak: ProcessSet,
    /// Those to whom a run must be strongly fair.
    pub strong: ProcessSet,
}

/// The kind of fairness of every proctype.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    kinds: Vec<Kind>,
}

impl Fairness {
    /// The same for all proctypes of a program.
    pub fn all(program: &Program, kind: Kind) -> Fairness {
        Fairness {
            kinds: vec![kind; program.proctypes.len()],
        }
    }

    /// Another kind for one proctype.
    pub fn set(&mut self, proctype: ProctypeId, kind: Kind) {
        if let Some(slot) = self.kinds.get_mut(proctype.index()) {
            *slot = kind;
        }
    }

    /// The kind of a proctype.
    pub fn kind(&self, proctype: ProctypeId) -> Kind {
        self.kinds
            .get(proctype.index())
            .copied()
            .unwrap_or_default()
    }

    /// Whether every run counts.
    pub fn is_none(&self) -> bool {
        self.kinds.iter().all(|k| *k == Kind::None)
    }

    /// In one word.
    pub fn name(&self) -> &'static str {
        let mut kinds = self.kinds.iter();
        match self.kinds.first() {
            None | Some(Kind::None) if self.is_none() => "none",
            Some(first) if kinds.all(|k| k == first) => match first {
                Kind::None => "none",
                Kind::Weak => "weak",
                Kind::Strong => "strong",
            },
            _ => "mixed",
        }
    }

    /// What is asked of the processes of a state; `None` when there are too many of them.
    pub fn demands(&self, look: &Look<'_>) -> Option<Demands> {
        let mut demands = Demands::default();
        if look.processes() > ProcessSet::LIMIT {
            return None;
        }
        for number in 0..look.processes() {
            let pid = Pid(number as u16);
            let set = match self.kind(look.process(pid).0) {
                Kind::None => continue,
                Kind::Weak => &mut demands.weak,
                Kind::Strong => &mut demands.strong,
            };
            *set = set.and(ProcessSet::of(pid));
        }
        Some(demands)
    }
}

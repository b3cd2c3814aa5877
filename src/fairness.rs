//! Fairness: properties are checked on the fair runs only.
//!
//! *Weak* (justice): a process that is continuously enabled from some point on moves infinitely often. *Strong*
//! (compassion): a process that is enabled infinitely often moves infinitely often. Each proctype has its own kind; a run is
//! fair if it is fair to every process of every proctype. A process is identified by its pid: if, in a cycle, processes
//! terminate and others get their pids, these count as one process. A rendezvous is a move of both processes, and both are
//! enabled when it is executable. A finite run is fair: no process is enabled at its end.
//!
//! *F* (Peled) is about operations instead: whenever an operation is enabled, it or one that depends on it is executed, then
//! or later. See [`crate::reduce::Operations`] for which operations depend on each other.

mod set;

pub use set::NumberSet;

use crate::machine::{Look, Pid};
use promela_lite::program::{ProctypeId, Program};

/// The kind of fairness for the processes of one proctype.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum FairnessKind {
    /// No fairness.
    #[default]
    None,
    /// Justice.
    Weak,
    /// Compassion.
    Strong,
}

/// The fairness constraints of a state, by number: of a process, or under condition F of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    /// Weak fairness constraints.
    pub weak: NumberSet,
    /// Strong fairness constraints.
    pub strong: NumberSet,
}

/// The kind of fairness of every proctype, or F.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    kinds: Vec<FairnessKind>,
    to_operations: bool,
}

impl Fairness {
    /// The same for all proctypes of a program.
    pub fn all(program: &Program, kind: FairnessKind) -> Fairness {
        Fairness {
            kinds: vec![kind; program.proctypes.len()],
            to_operations: false,
        }
    }

    /// Condition F.
    pub fn f() -> Fairness {
        Fairness {
            kinds: Vec::new(),
            to_operations: true,
        }
    }

    /// Whether it is condition F.
    pub fn is_f(&self) -> bool {
        self.to_operations
    }

    /// Another kind for one proctype.
    pub fn set(&mut self, proctype: ProctypeId, kind: FairnessKind) {
        if let Some(slot) = self.kinds.get_mut(proctype.index()) {
            *slot = kind;
        }
    }

    /// The kind of a proctype.
    pub fn kind(&self, proctype: ProctypeId) -> FairnessKind {
        self.kinds
            .get(proctype.index())
            .copied()
            .unwrap_or_default()
    }

    /// Whether every run is fair.
    pub fn is_none(&self) -> bool {
        !self.to_operations && self.kinds.iter().all(|k| *k == FairnessKind::None)
    }

    /// Whether there are weak fairness constraints only.
    pub fn is_weak(&self) -> bool {
        !self.to_operations && self.kinds.iter().all(|k| *k != FairnessKind::Strong)
    }

    /// In one word.
    pub fn name(&self) -> &'static str {
        let mut kinds = self.kinds.iter();
        if self.to_operations {
            return "f";
        }
        match self.kinds.first() {
            None | Some(FairnessKind::None) if self.is_none() => "none",
            Some(first) if kinds.all(|k| k == first) => match first {
                FairnessKind::None => "none",
                FairnessKind::Weak => "weak",
                FairnessKind::Strong => "strong",
            },
            _ => "mixed",
        }
    }

    /// The fairness constraints of the processes of a state.
    pub fn constraints(&self, look: &Look<'_>) -> Constraints {
        let mut constraints = Constraints::default();
        for number in 0..look.processes() {
            let set = match self.kind(look.process(Pid(number as u16)).0) {
                FairnessKind::None => continue,
                FairnessKind::Weak => &mut constraints.weak,
                FairnessKind::Strong => &mut constraints.strong,
            };
            set.insert(number);
        }
        constraints
    }
}

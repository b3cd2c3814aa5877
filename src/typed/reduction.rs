//! Partial-order reduction by what the user declares that processes read and write.
//!
//! **What is declared.** An action belongs to a process. The [`Footprint`] of a process in a state covers all that decides
//! which of its actions are listed there, whether they can happen and what they do, those included that cannot happen now;
//! and all that they change. Its *future* covers the footprints that it may have in any state that can be reached from there.
//!
//! **The sets.** In a state x let T be some processes with at least one possible action, such that for p in T and q not in
//! T the footprint of p does not conflict with the future of q. Then the possible actions of T are proposed as ample. T is
//! closed from each process on: who conflicts joins.
//!
//! **Why it is sound.** As long as only others than T move from x on, nothing is changed that T reads: T has the same
//! actions all the time, the same ones are possible, they do the same, and nothing they change is read or changed by the
//! others. So they commute with all that can happen before one of them does, and neither side makes the other possible or
//! impossible (C1). This is enough for deadlocks. For conditions on states and for formulas, what T changes now must not be
//! read by any condition asked about (C2): as T does the same later, such an action never changes a condition. The searches
//! see to it that nothing is put off forever (C3). For formulas the automaton must move only when a condition changes
//! (`changes`), which needs a formula that does not see repetitions; others are not reduced. Nor is a goal with a condition
//! that does not say what it reads.
//!
//! **What would break it.** A footprint that leaves out what a guard reads, also the guard of an action that cannot happen
//! now; a future that leaves out what comes later; an unnumbered part of the state that two processes touch or a condition
//! reads. [`verify`](Declarations::verify) looks for these. If in all reachable states it finds nothing, footprints that do
//! not conflict stay as they are and commute, and futures cover what comes: that is all that was used of them above.

use super::TransitionSystem;
use super::space::Condition;
use std::fmt::Debug;

/// What a process reads and writes. Parts of the state have numbers from 0 to 63, chosen by the user, and sets of them are
/// masks: bit *i* stands for part *i*. One number may stand for many parts. What is read and written by one process only,
/// and read by no condition that is asked about, needs none.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// What is read.
    pub reads: u64,
    /// What is written.
    pub writes: u64,
}

impl Footprint {
    /// Nothing that has a number.
    pub fn nothing() -> Footprint {
        Footprint::default()
    }

    /// All that has a number, read and written.
    pub fn everything() -> Footprint {
        Footprint {
            reads: u64::MAX,
            writes: u64::MAX,
        }
    }

    /// Both together.
    pub fn and(self, other: Footprint) -> Footprint {
        Footprint {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
        }
    }

    /// Whether one writes what the other reads or writes.
    pub fn conflicts(self, other: Footprint) -> bool {
        self.writes & (other.reads | other.writes) != 0 || self.reads & other.writes != 0
    }

    /// Whether all of the other's reads are read, and all of its writes written.
    pub fn covers(self, other: Footprint) -> bool {
        other.reads & !self.reads == 0 && other.writes & !self.writes == 0
    }
}

/// Sets of processes are masks too.
pub(super) const MOST_PROCESSES: usize = 64;

/// A condition that is asked about.
pub(super) struct Watched<'c, State> {
    pub(super) name: &'c str,
    /// What it reads, if that was said.
    pub(super) reads: Option<u64>,
    pub(super) condition: &'c Condition<'c, State>,
}

/// What is done with the declarations of a system in one search.
pub(super) struct Declarations<'c, State> {
    /// At most [`MOST_PROCESSES`].
    pub(super) processes: usize,
    pub(super) reduces: bool,
    pub(super) verifies: bool,
    pub(super) watched: Vec<Watched<'c, State>>,
}

/// An action that is listed in a state, whose it is, and the state after it.
pub(super) type Entry<S> = (
    <S as TransitionSystem>::Action,
    u8,
    Option<<S as TransitionSystem>::State>,
);

impl<State: Debug + PartialEq> Declarations<'_, State> {
    /// What a step must not change to be left out of sight.
    fn visible(&self) -> u64 {
        let reads = self.watched.iter().map(|w| w.reads.unwrap_or(u64::MAX));
        reads.fold(0, |all, reads| all | reads)
    }

    /// The process of an action.
    pub(super) fn owner<S>(&self, system: &S, action: &S::Action) -> Result<u8, String>
    where
        S: TransitionSystem<State = State>,
    {
        let process = system.process(action);
        match process < self.processes {
            true => Ok(process as u8),
            false => Err(format!(
                "{action:?} belongs to process {process}, but there are only {}",
                self.processes
            )),
        }
    }

    /// The ample sets of a state, by the processes that are in them, those with the fewest actions first. `possible` counts
    /// the possible actions of each process.
    pub(super) fn choose<S>(
        &self,
        system: &S,
        state: &State,
        possible: &[u32; MOST_PROCESSES],
        sets: &mut Vec<u64>,
    ) where
        S: TransitionSystem<State = State>,
    {
        sets.clear();
        let all: u32 = possible.iter().sum();
        let processes = 0..self.processes;
        if possible.iter().filter(|count| **count > 0).count() < 2 {
            return;
        }
        let now = processes.clone().map(|p| system.footprint(state, p));
        let now: Vec<Footprint> = now.collect();
        let futures = processes.clone().map(|p| system.future(state, p));
        let futures: Vec<Footprint> = futures.collect();
        let visible = self.visible();
        let count = |set: u64| -> u32 {
            let members = possible.iter().enumerate();
            members
                .filter(|(p, _)| set >> p & 1 == 1)
                .map(|(_, c)| c)
                .sum()
        };
        for first in processes.clone().filter(|p| possible[*p] > 0) {
            let mut set = 1u64 << first;
            let mut footprint = now[first];
            let joins = |set: u64, footprint: Footprint| {
                let mut others = processes.clone().filter(|q| set >> q & 1 == 0);
                others.find(|q| footprint.conflicts(futures[*q]))
            };
            while let Some(q) = joins(set, footprint) {
                set |= 1 << q;
                footprint = footprint.and(now[q]);
            }
            if footprint.writes & visible == 0 && count(set) < all && !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets.sort_by_key(|set| (count(*set), *set));
    }

    /// Looks in one state for something that contradicts the declarations: tries actions whose footprints do not conflict
    /// in both orders, and compares what is listed and the footprints before and after each step.
    pub(super) fn verify<S>(
        &self,
        system: &S,
        state: &State,
        listing: &[Entry<S>],
    ) -> Result<(), String>
    where
        S: TransitionSystem<State = State>,
    {
        let footprints = |state: &State| -> Vec<Footprint> {
            let processes = 0..self.processes;
            processes.map(|p| system.footprint(state, p)).collect()
        };
        let futures = |state: &State| -> Vec<Footprint> {
            let processes = 0..self.processes;
            processes.map(|p| system.future(state, p)).collect()
        };
        let uncovered = |all: &[Footprint], parts: &[Footprint]| {
            let mut pairs = all.iter().zip(parts);
            pairs.position(|(all, part)| !all.covers(*part))
        };
        let wrong = |what: String| format!("in {state:?}: {what}");
        let (now, future) = (footprints(state), futures(state));
        if let Some(p) = uncovered(&future, &now) {
            let what = format!("the future of process {p} leaves out what it does now");
            return Err(wrong(what));
        }
        for (index, (a, p, after)) in listing.iter().enumerate() {
            let (p, Some(after)) = (usize::from(*p), after) else {
                continue;
            };
            if let Some(q) = uncovered(&future, &futures(after)) {
                let what = format!("after {a:?} the future of process {q} has more than before");
                return Err(wrong(what));
            }
            for watched in &self.watched {
                let (name, condition) = (watched.name, watched.condition);
                let unread = watched
                    .reads
                    .is_some_and(|reads| reads & now[p].writes == 0);
                if unread && condition(state) != condition(after) {
                    let what = format!(
                        "{a:?} of process {p} writes nothing that `{name}` reads, but changes it"
                    );
                    return Err(wrong(what));
                }
            }
            let is_apart = |q: usize| q != p && !now[p].conflicts(now[q]);
            let then = footprints(after);
            let grown = |q: &usize| is_apart(*q) && !now[*q].covers(then[*q]);
            if let Some(q) = (0..self.processes).find(grown) {
                let what = format!(
                    "{a:?} of process {p} does not touch what process {q} does, but adds to its footprint"
                );
                return Err(wrong(what));
            }
            both_orders(self, system, listing, index, is_apart).map_err(wrong)?;
        }
        Ok(())
    }
}

/// Tries the possible action of that number of a listing before and after all others of processes that have nothing to do
/// with its own.
fn both_orders<S: TransitionSystem>(
    declared: &Declarations<'_, S::State>,
    system: &S,
    listing: &[Entry<S>],
    index: usize,
    is_apart: impl Fn(usize) -> bool,
) -> Result<(), String> {
    let (a, p, Some(after)) = &listing[index] else {
        return Ok(());
    };
    // Where the others come to after it.
    let mut later: Vec<(u8, S::State)> = Vec::new();
    for (b, q, instead) in listing.iter().filter(|(_, q, _)| is_apart(usize::from(*q))) {
        let problem = match (instead, system.next(after, b)) {
            (None, None) => None,
            (None, Some(_)) => Some("only after the first can the second happen"),
            (Some(_), None) => Some("after the first the second cannot happen"),
            (Some(instead), Some(both)) => {
                let again = system.next(instead, a);
                let differs = again.is_none_or(|again| again != both);
                later.push((*q, both));
                differs.then_some("their order makes a difference")
            }
        };
        if let Some(problem) = problem {
            return Err(format!(
                "{a:?} of process {p} and {b:?} of process {q} have footprints that do not conflict, but {problem}"
            ));
        }
    }
    let then = list(declared, system, after)?;
    let others = then.iter().filter(|(_, q, _)| is_apart(usize::from(*q)));
    let listed = others.filter_map(|(_, q, both)| Some((*q, both.as_ref()?)));
    let listed: Vec<(u8, &S::State)> = listed.collect();
    let later: Vec<(u8, &S::State)> = later.iter().map(|(q, both)| (*q, both)).collect();
    let added = listed.iter().find(|entry| !later.contains(entry));
    let lost = later.iter().find(|entry| !listed.contains(entry));
    match added.or(lost) {
        Some((q, _)) => Err(format!(
            "{a:?} of process {p} does not touch what process {q} does, but changes what that can do"
        )),
        None => Ok(()),
    }
}

/// All that is listed in a state.
pub(super) fn list<S: TransitionSystem>(
    declared: &Declarations<'_, S::State>,
    system: &S,
    state: &S::State,
) -> Result<Vec<Entry<S>>, String> {
    let mut actions = Vec::new();
    system.actions(state, &mut actions);
    let listed = actions.into_iter().map(|action| {
        let owner = declared.owner(system, &action)?;
        let next = system.next(state, &action);
        Ok((action, owner, next))
    });
    listed.collect()
}

//! Weak fairness as acceptance: a space in which every accepting cycle is fair.
//!
//! Fair cycles are usually found as strongly connected components ([`crate::search`]). A store that does not give states back has
//! no components; for it the space is unfolded (Choueka, *Theories of automata on ω-tapes*, 1974; it is what SPIN does for weak
//! fairness). A counter goes along, and a *round* takes place again and again:
//!
//! - 0: an accepting state is waited for;
//! - *i* + 1: it is waited for that constraint *i* is satisfied: by a state in which it is not enabled, or by a step;
//! - [`DONE`]: all constraints are satisfied, in this order. Such states are the accepting ones here.
//!
//! A run passes [`DONE`] infinitely often if and only if it passes accepting states infinitely often and satisfies every
//! constraint infinitely often: what a round waits for comes if it comes infinitely often, and all of it comes between two
//! [`DONE`]. States inside `atomic` sequences say nothing about who is enabled; moves there satisfy constraints like others.
//! Where the automaton moves alone, nothing is said of the program, and nothing is left out by waiting until it does.

use super::{Accepting, AmpleSets, Failure, Fair, MoveInfo, Space, Transition};
use crate::fairness::NumberSet;
use crate::machine::{Fault, Pid, Step};

/// Bytes in front of a state: the counter, and whether a process has control.
const FRONT: usize = 5;

/// The counter of a round that is over.
const DONE: u32 = u32::MAX;

/// A space, unfolded.
#[derive(Clone, Debug)]
pub(crate) struct Rounds<P: Space> {
    space: P,
    /// The state that was looked at last, and the constraints that are enabled in it; nothing if it does not show them.
    state: Vec<u8>,
    enabled: Option<NumberSet>,
    listed: Vec<P::Move>,
    next: Vec<u8>,
}

/// What stands in front of a state.
#[derive(Copy, Clone)]
struct Front {
    counter: u32,
    inside: bool,
}

impl Front {
    fn read(state: &[u8]) -> Front {
        let &[a, b, c, d, inside, ..] = state else {
            unreachable!("a state begins with its counter")
        };
        Front {
            counter: u32::from_le_bytes([a, b, c, d]),
            inside: inside != 0,
        }
    }

    fn write(self, state: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.counter.to_le_bytes());
        out.push(u8::from(self.inside));
        out.extend_from_slice(state);
    }
}

impl<P: Fair> Rounds<P> {
    /// The space, unfolded.
    pub(crate) fn new(space: P) -> Rounds<P> {
        Rounds {
            space,
            state: Vec::new(),
            enabled: None,
            listed: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Notes which constraints are enabled in a state with these moves.
    fn note(&mut self, state: &[u8], moves: &[P::Move]) {
        self.state.clear();
        self.state.extend_from_slice(state);
        self.enabled = None;
        if !self.space.shows_enabledness(state) {
            return;
        }
        let mut actions = NumberSet::default();
        for &mv in moves {
            let mut movers = NumberSet::default();
            mv.add_movers(&mut movers);
            self.space.actions(state, mv, &movers, &mut actions);
        }
        let constraints = self.space.constraints(state, &actions).weak;
        self.enabled = Some(constraints.within(&actions));
    }

    /// The counter after a move.
    fn after(&mut self, front: Front, state: &[u8], mv: P::Move) -> u32 {
        let mut movers = NumberSet::default();
        mv.add_movers(&mut movers);
        if front.inside {
            let waits = front.counter.wrapping_sub(1) as usize;
            let waiting = front.counter != 0 && front.counter != DONE;
            return front.counter + u32::from(waiting && movers.contains(waits));
        }
        if self.state != state {
            let mut listed = std::mem::take(&mut self.listed);
            listed.clear();
            // Where one move cannot be listed, the others are there nevertheless.
            let _ = self.space.moves(state, None, &mut listed);
            self.note(state, &listed);
            self.listed = listed;
        }
        let mut counter = match front.counter {
            DONE => 0,
            counter => counter,
        };
        if counter == 0 && self.space.is_accepting(state) {
            counter = 1;
        }
        let (Some(enabled), true) = (&self.enabled, counter > 0) else {
            return counter;
        };
        let waited = enabled.without(&movers);
        let mut still = waited.iter().filter(|&n| n as u32 + 1 >= counter);
        match still.next() {
            Some(number) => number as u32 + 1,
            None => DONE,
        }
    }
}

impl<P: Fair> Space for Rounds<P> {
    type Move = P::Move;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut first = std::mem::take(&mut self.next);
        let started = self.space.initial(&mut first);
        let front = Front {
            counter: 0,
            inside: false,
        };
        front.write(&first, out);
        self.next = first;
        started
    }

    fn moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
        out: &mut Vec<P::Move>,
    ) -> Result<MoveInfo, (P::Move, Fault)> {
        let state = &state[FRONT..];
        let info = self.space.moves(state, control, out);
        if control.is_none() {
            self.note(state, out);
        }
        info
    }

    fn apply(
        &mut self,
        state: &[u8],
        mv: P::Move,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let (front, state) = (Front::read(state), &state[FRONT..]);
        let counter = self.after(front, state, mv);
        let result = self.space.apply(state, mv, timeout, &mut self.next);
        let step = match &result {
            Ok(step) => Some(*step),
            Err(failure) => failure.step,
        };
        let inside = step.is_some_and(|step| step.control.is_some());
        Front { counter, inside }.write(&self.next, next);
        result
    }

    fn settle(&mut self, state: &mut Vec<u8>) -> Result<bool, Fault> {
        let counter = Front::read(state).counter;
        let mut settled = std::mem::take(&mut self.next);
        settled.clear();
        settled.extend_from_slice(&state[FRONT..]);
        let wanted = self.space.settle(&mut settled);
        let front = Front {
            counter,
            inside: false,
        };
        front.write(&settled, state);
        self.next = settled;
        wanted
    }

    fn stored_len(&self, state: &[u8]) -> usize {
        FRONT + self.space.stored_len(&state[FRONT..])
    }

    fn stuck_at(&self, state: &[u8]) -> Option<Vec<u32>> {
        self.space.stuck_at(&state[FRONT..])
    }
}

/// Nothing is reduced: fairness depends on which processes are enabled.
impl<P: Fair> AmpleSets for Rounds<P> {
    fn reduces(&self) -> bool {
        false
    }

    fn ample(&mut self, _: &[u8], _: &mut Vec<P::Move>, _: usize) -> Option<usize> {
        None
    }

    fn ample_with(&mut self, _: &[u8], _: &[P::Move], _: Pid) -> Option<usize> {
        None
    }

    fn planned(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn refused(&mut self, _: &[u8], _: &[P::Move]) {}

    fn findings(&self) -> Vec<u64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u64]) {}
}

impl<P: Fair> Accepting for Rounds<P> {
    fn is_accepting(&mut self, state: &[u8]) -> bool {
        Front::read(state).counter == DONE
    }

    fn is_weak(&self) -> bool {
        false
    }

    fn is_transient(&self, state: &[u8]) -> bool {
        self.space.is_transient(&state[FRONT..])
    }
}

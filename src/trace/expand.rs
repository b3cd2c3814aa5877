//! From a run of the program that was searched to a run of the program as written.
//!
//! Passes let one step stand for several ([`promela_lite::opt`]); here it becomes those several again. What lies behind
//! the first of them is quiet: it can be made at any later time. That is needed for the sender of a rendezvous, which must
//! wait for its own further steps until the receiver has given up control.
//!
//! A cycle closes where the states of the searched program are the same; those of the program as written may differ in
//! variables that are not read any more. Once around, dead variables have the values they will have every time, so then the
//! cycle is said to start one round later. Variables that are never read at all, which slicing leaves out, may go on to
//! change: that is no matter if [nothing depends on them](mod@super::inert), else some more rounds may do.

use super::inert;
use crate::machine::{Machine, Move, Pid, Run};
use crate::property::StateCondition;
use crate::search::{Event, Found};
use promela_lite::program::{EdgeId, Program};
use std::sync::Arc;

/// What was found in `searched`, as a run of `plain`. `conditions` are those that the property reads.
pub fn expand(
    searched: &Arc<Program>,
    plain: &Arc<Program>,
    found: Found<Move>,
    conditions: &[StateCondition],
) -> Found<Move> {
    if Arc::ptr_eq(searched, plain) {
        return found;
    }
    let found = Expansion::new(searched).run(found);
    match found.event {
        Event::Cycle { start } if start < found.path.len() => {
            around(plain, found, start, conditions)
        }
        _ => found,
    }
}

struct Expansion {
    machine: Machine,
    state: Vec<u8>,
    next: Vec<u8>,
    listed: Vec<Move>,
    control: Option<Pid>,
    path: Vec<Move>,
    /// Steps that have to wait for control to be given up.
    waiting: Vec<Move>,
}

impl Expansion {
    fn new(searched: &Arc<Program>) -> Expansion {
        Expansion {
            machine: Machine::new(Arc::clone(searched)),
            state: Vec::new(),
            next: Vec::new(),
            listed: Vec::new(),
            control: None,
            path: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn run(mut self, found: Found<Move>) -> Found<Move> {
        if self.machine.initial(&mut self.state).is_err() {
            return found;
        }
        let mut start = 0;
        for (index, &mv) in found.path.iter().enumerate() {
            let info = self
                .machine
                .moves(&self.state, self.control, &mut self.listed)
                .unwrap_or_default();
            if info.control_lost {
                self.path.append(&mut self.waiting);
            }
            if let Event::Cycle { start: first } = found.event
                && first == index
            {
                start = self.path.len();
            }
            let last = index + 1 == found.path.len();
            // Only the first of several steps can fail.
            let fails = last && matches!(found.event, Event::Fault(_));
            self.step(mv, info.timeout, fails);
        }
        self.path.append(&mut self.waiting);
        let event = match found.event {
            Event::Cycle { start: first } if first == found.path.len() => Event::Cycle {
                start: self.path.len(),
            },
            Event::Cycle { .. } => Event::Cycle { start },
            other => other,
        };
        Found {
            event,
            path: self.path,
        }
    }

    fn step(&mut self, mv: Move, timeout: bool, fails: bool) {
        let (edge, mut own) = self.plain(mv.pid, mv.edge);
        let mut theirs = Vec::new();
        let partner = mv.partner.map(|(pid, edge)| {
            let (edge, rest) = self.plain(pid, edge);
            theirs = rest;
            (pid, edge)
        });
        self.path.push(Move {
            pid: mv.pid,
            edge,
            partner,
        });
        if fails {
            return self.waiting.clear();
        }
        let control = match self.machine.apply(&self.state, mv, timeout, &mut self.next) {
            Ok(step) => step.control,
            Err(fault) if fault.kind.leaves_successor() => self.machine.last_step().control,
            Err(_) => return,
        };
        std::mem::swap(&mut self.state, &mut self.next);
        self.control = control;
        self.path.append(&mut theirs);
        if partner.is_some() {
            self.waiting.append(&mut own);
        } else {
            self.path.append(&mut own);
        }
        if control.is_none() {
            self.path.append(&mut self.waiting);
        }
    }

    /// The first step that an edge stands for, and moves for the others.
    fn plain(&self, pid: Pid, edge: EdgeId) -> (EdgeId, Vec<Move>) {
        let Some(proctype) = self.machine.proctype_of(&self.state, pid) else {
            return (edge, Vec::new());
        };
        let graph = &self.machine.program().proctypes[proctype.index()].graph;
        let steps = &graph.edges[edge.index()].plain;
        let rest = steps[1..].iter().map(|&edge| Move {
            pid,
            edge,
            partner: None,
        });
        (steps[0], rest.collect())
    }
}

/// Moves that are made at most to find a round that ends in the state in which it begins.
const MAX_MOVES: usize = 1 << 17;

/// Goes around a cycle until it closes: where the states before and after a round are not the same, once more; if they still
/// differ, in more than values that nothing depends on, as often as it takes to meet a state again (R. P. Brent, BIT 1980).
fn around(
    plain: &Arc<Program>,
    mut found: Found<Move>,
    start: usize,
    conditions: &[StateCondition],
) -> Found<Move> {
    let Ok(mut run) = Run::start(plain) else {
        return found;
    };
    let round = found.path[start..].to_vec();
    if !follow(&mut run, &found.path[..start]) {
        return found;
    }
    // The state that is waited for, the number of the round before which it was met, and when the next one is taken.
    let mut anchor = run.state().to_vec();
    let (mut since, mut renew) = (0, 1);
    for made in 1.. {
        if !follow(&mut run, &round) {
            return found;
        }
        let stored = run.machine.stored_len(&anchor);
        let is_closed = anchor[..stored] == *run.stored()
            || made <= 2 && {
                let read = conditions.iter().map(|condition| &condition.footprint);
                inert(&run.machine, &anchor, run.state(), read).is_some()
            };
        if is_closed {
            found.path.extend(round.repeat(made - 1));
            found.event = Event::Cycle {
                start: start + since * round.len(),
            };
            return found;
        }
        if (made + 1) * round.len() > MAX_MOVES {
            return found;
        }
        if made == renew {
            anchor = run.state().to_vec();
            (since, renew) = (made, 2 * made);
        }
    }
    found
}

/// Makes moves, as far as they are possible; says whether all are.
fn follow(run: &mut Run, moves: &[Move]) -> bool {
    moves.iter().all(|&mv| {
        let _ = run.list();
        run.moves().contains(&mv) && run.make(mv).moved
    })
}

//! From a run of the program that was searched to a run of the program as written.
//!
//! Passes let one step stand for several ([`promela_lite::opt`]); here it becomes those several again. What lies behind
//! the first of them is quiet: it can be made at any later time. That is needed for the sender of a rendezvous, which must
//! wait for its own further steps until the receiver has given up control.
//!
//! A cycle closes where the states of the searched program are the same; those of the program as written may differ in
//! variables that are not read any more. Once around, they have the values they will have every time, so then the cycle
//! is said to start one round later.

use crate::machine::{Machine, Move, Pid, Run};
use crate::search::{Event, Found};
use promela_lite::program::{EdgeId, Program};
use std::sync::Arc;

/// What was found in `searched`, as a run of `plain`.
pub fn expand(searched: &Arc<Program>, plain: &Arc<Program>, found: Found<Move>) -> Found<Move> {
    if Arc::ptr_eq(searched, plain) {
        return found;
    }
    let found = Expansion::new(searched).run(found);
    match found.event {
        Event::Cycle { start } if start < found.path.len() => around(plain, found, start),
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

/// Goes around a cycle once more first if its states are not the same.
fn around(plain: &Arc<Program>, mut found: Found<Move>, start: usize) -> Found<Move> {
    let Ok(mut run) = Run::start(plain) else {
        return found;
    };
    let mut before = Vec::new();
    for (index, &mv) in found.path.iter().enumerate() {
        if index == start {
            before = run.stored().to_vec();
        }
        let _ = run.list();
        if !run.moves().contains(&mv) || !run.make(mv).moved {
            return found;
        }
    }
    if before != run.stored() {
        let round = found.path[start..].to_vec();
        found.event = Event::Cycle {
            start: found.path.len(),
        };
        found.path.extend(round);
    }
    found
}

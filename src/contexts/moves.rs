//! From a run of the network to moves of the program.
//!
//! A process has the pid that is free when it is started. Processes that have ended are not removed unless their end is a
//! rule, so pids are counted here as the machine counts them. A program with procedures is executed in its expanded form: a
//! step is then the possible move of the same process that stands at the same place of the text.

use super::body::Body;
use super::translate::{Origin, Place, Thread, Translation};
use crate::machine::{Fault, FaultKind, Move, Pid, Run};
use crate::search::{Event, Found};
use ample_pushdown::symbolic::network::{Action as Stack, Run as Steps};
use promela_lite::program::{Action, Edge, EdgeId, ProctypeId, Program};
use std::sync::Arc;

/// A process and a step of it.
pub(super) type Half = (Pid, Body, EdgeId);

/// A move of the program with procedures.
#[derive(Copy, Clone, Debug)]
pub(super) struct Made {
    pub(super) first: Half,
    pub(super) partner: Option<Half>,
}

impl Translation {
    /// The moves that the steps of a run stand for, and how deep calls are nested in it.
    pub(super) fn moves(&self, program: &Program, run: &Steps) -> (Vec<Made>, u32) {
        let mut alive = program.active.len();
        let number = |(index, thread): (usize, &Thread)| {
            (*thread == Thread::Active).then_some(Pid(index as u16))
        };
        let mut pids: Vec<Option<Pid>> = self.threads.iter().enumerate().map(number).collect();
        let mut started = vec![0; program.proctypes.len()];
        let mut depths = vec![0_u32; self.threads.len()];
        let mut deepest = 0;
        let mut moves = Vec::new();
        let mut offer: Option<Half> = None;
        for step in &run.steps {
            let rule = &self.network.rules[step.rule];
            match rule.action {
                Stack::Push { .. } => depths[step.thread] += 1,
                Stack::Pop => depths[step.thread] = depths[step.thread].saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depths[step.thread]);
            let place = self.places[rule.from as usize];
            let (Some(pid), Place::Free(body, _) | Place::Held(body, _)) =
                (pids[step.thread], place)
            else {
                continue;
            };
            let (edge, dropped) = match self.origins[step.rule] {
                Origin::Nothing => continue,
                Origin::Offer(edge) => {
                    offer = Some((pid, body, edge));
                    continue;
                }
                Origin::Step(edge, dropped) => (edge, dropped),
                Origin::Answer(edge) | Origin::Failure(edge) => (edge, 0),
            };
            let own = (pid, body, edge);
            moves.push(match offer.take() {
                None => Made {
                    first: own,
                    partner: None,
                },
                Some(first) => Made {
                    first,
                    partner: Some(own),
                },
            });
            let ends = body.graph(program).edges[edge.index()].action == Action::End;
            alive -= usize::from(ends);
            let types = self.starts.get(&(body, edge));
            for (index, q) in types.into_iter().flatten().enumerate() {
                if dropped >> index & 1 == 0 {
                    let thread = self.thread(*q, started[q.index()]);
                    started[q.index()] += 1;
                    if let Some(thread) = thread {
                        pids[thread] = Some(Pid(alive as u16));
                    }
                }
                alive += 1;
            }
        }
        (moves, deepest)
    }

    fn thread(&self, proctype: ProctypeId, number: usize) -> Option<usize> {
        let thread = Thread::Started(proctype, number);
        self.threads.iter().position(|t| *t == thread)
    }
}

/// Why moves are no run that fails.
#[derive(Debug)]
pub(super) enum NoRun {
    /// Calls are nested deeper than they were expanded.
    TooDeep,
    /// A move is not possible: an error in this library.
    Impossible(String),
}

/// Executes moves of `explored`, of which the last one fails, in `program`: the same or its expansion.
pub(super) fn execute(
    explored: &Program,
    program: &Arc<Program>,
    moves: &[Made],
) -> Result<Found<Move>, NoRun> {
    let mut path = Vec::new();
    let fails = |path: Vec<Move>, fault: Fault| match fault.kind {
        FaultKind::CallTooDeep { .. } => Err(NoRun::TooDeep),
        _ => Ok(Found {
            event: Event::Fault(fault),
            path,
        }),
    };
    let impossible = |what: String| Err(NoRun::Impossible(what));
    let mut run = match Run::start(program) {
        Ok(run) => run,
        Err(fault) => return fails(path, fault),
    };
    for (index, made) in moves.iter().enumerate() {
        let last = index + 1 == moves.len();
        let listed = run.list();
        let matches = |mv: &Move| {
            let is = |pid: Pid, edge: EdgeId, half: Half| {
                pid == half.0 && {
                    let proctype = run.machine.proctype_of(run.state(), pid);
                    let graph = proctype.map(|p| &program.proctypes[p.index()].graph);
                    graph.is_some_and(|graph| {
                        let own = &half.1.graph(explored).edges[half.2.index()];
                        is_same(explored, (edge, &graph.edges[edge.index()]), (half.2, own))
                    })
                }
            };
            let partner = match (mv.partner, made.partner) {
                (None, None) => true,
                (Some((pid, edge)), Some(half)) => is(pid, edge, half),
                _ => false,
            };
            is(mv.pid, mv.edge, made.first) && partner
        };
        let chosen = run.moves().iter().copied().find(|mv| matches(mv));
        if let (true, Err((other, fault))) = (last, listed)
            && (chosen.is_none() || matches(&other))
        {
            path.push(other);
            return fails(path, fault);
        }
        let Some(mv) = chosen else {
            return impossible(format!(
                "step {} of {} is not possible",
                index + 1,
                moves.len()
            ));
        };
        path.push(mv);
        let result = run.make(mv);
        match result.fault {
            Some(fault) if last || matches!(fault.kind, FaultKind::CallTooDeep { .. }) => {
                return fails(path, fault);
            }
            Some(fault) if !result.moved => {
                return impossible(format!("step {} fails: {:?}", index + 1, fault.kind));
            }
            _ => {}
        }
    }
    impossible("nothing goes wrong in the last step".to_owned())
}

/// Whether an edge of the program that is executed is one of the program that was explored.
fn is_same(explored: &Program, (a, one): (EdgeId, &Edge), (b, other): (EdgeId, &Edge)) -> bool {
    match explored.procedures.is_empty() {
        true => a == b,
        false => one.span == other.span && one.text == other.text,
    }
}

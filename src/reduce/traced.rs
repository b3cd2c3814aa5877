//! Channel operations that a `trace` or `notrace` watches: its automaton makes a step with each of them, so they all write
//! one object, and any two of them depend on each other. (It disables no step: an event that it does not allow is an error of
//! the step, as a failed assertion is.)
//!
//! Which channels are meant is known from the state, if the automaton names global variables that are never assigned; and
//! only messages and constants may decide about its steps. Else the reduction is off.

use super::uses::{Constants, Via};
use crate::machine::Look;
use promela_lite::code::Instr;
use promela_lite::program::*;

/// What is watched.
#[derive(Clone, Debug, Default)]
pub(super) struct Traced {
    sends: Vec<Via>,
    recvs: Vec<Via>,
}

impl Traced {
    /// What the trace of a program watches.
    pub(super) fn new(program: &Program) -> Traced {
        let mut traced = Traced::default();
        let edges = program.trace.iter().flat_map(|t| &t.graph.edges);
        for used in edges.flat_map(|e| &e.footprint.chans) {
            let Some(via) = Via::of(program, ProctypeId(0), &used.via) else {
                continue;
            };
            match used.how {
                ChanAccess::Send => traced.sends.push(via),
                _ => traced.recvs.push(via),
            }
        }
        traced
    }

    /// Whether nothing is.
    pub(super) fn is_empty(&self) -> bool {
        self.sends.is_empty() && self.recvs.is_empty()
    }

    fn of(&self, how: ChanAccess) -> &[Via] {
        match how {
            ChanAccess::Send => &self.sends,
            ChanAccess::Recv | ChanAccess::Peek => &self.recvs,
            _ => &[],
        }
    }

    /// Whether an operation on that channel is watched.
    pub(super) fn watches(&self, look: &Look<'_>, how: ChanAccess, channel: u16) -> bool {
        let cells = self.of(how).iter().flat_map(|via| via.cells());
        cells
            .into_iter()
            .any(|cell| look.global_channel(cell) == channel)
    }
}

/// Whether it cannot be told beforehand what the trace of a program watches, or what decides about its steps.
pub(super) fn cannot_be_told(program: &Program) -> bool {
    let constant = Constants::new(program);
    let edges = program.trace.iter().flat_map(|t| &t.graph.edges);
    edges.into_iter().any(|edge| {
        let footprint = &edge.footprint;
        let fixed = |used: &ChanUse| {
            let via = Via::of(program, ProctypeId(0), &used.via).filter(|via| !via.own);
            via.is_some_and(|via| constant.holds(ProctypeId(0), via))
        };
        let names = |read: &Access| {
            let within = |c: &ChanUse| {
                c.via.place == read.place && c.via.lo <= read.lo && read.hi <= c.via.hi
            };
            footprint.chans.iter().any(within)
        };
        let is_constant = |code: &promela_lite::code::Code| {
            matches!(
                program.instrs[code.range()],
                [Instr::Const(_)] | [Instr::Const(_), Instr::Return]
            )
        };
        let sent = match edge.action {
            Action::Send(id) => program.sends[id.index()].args.iter().all(is_constant),
            _ => true,
        };
        !sent
            || !footprint.chans.iter().all(fixed)
            || !footprint.reads.iter().all(names)
            || !footprint.writes.is_empty()
    })
}

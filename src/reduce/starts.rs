//! What a process may still do by way of those that it starts.
//!
//! The channels that a process will use which does not exist yet are known where its starter's are: a parameter that it never
//! assigns is the argument of the `run`, and if that is a variable of the starter that is never assigned either, its value
//! in the state at hand says which channel is meant. A channel that it makes when it is started is none of those that exist, and
//! so none that a step which can be made now uses: it is left out. (Its number may have been that of a channel that exists
//! now, but then that one's maker has ended before, and a step which uses a channel depends on the end of its maker.)
//!
//! Under condition F the definition of dependency decides, which knows no more than that a channel varies.

use super::channel_values::{Event, Value, follow};
use super::facts::{Facts, Future, absorb, differs, run_targets};
use super::uses::{Constants, LaterUse, Via};
use crate::faults::{Fault, is_active};
use promela_lite::code::{Code, Instr, Region, Scalar};
use promela_lite::program::*;

/// A `run` that a process may still make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) proctype: ProctypeId,
    /// For each parameter of type chan that is known where the argument is: the variables of the starter.
    arguments: Vec<(u32, Via)>,
}

/// The processes that an edge of a process of type `id` may start.
pub(super) fn starts_of(
    program: &Program,
    constant: &Constants,
    id: ProctypeId,
    edge: &Edge,
) -> Vec<Start> {
    let targets: Vec<ProctypeId> = run_targets(program, edge).collect();
    let [proctype] = *targets else {
        let unknown = |&proctype: &ProctypeId| Start {
            proctype,
            arguments: Vec::new(),
        };
        return targets.iter().map(unknown).collect();
    };
    let parameters = &program.proctypes[proctype.index()].parameters;
    let mut arguments = Vec::new();
    let mut note = |event| {
        if let Event::Started(_, index, Value::Variable(access)) = event {
            let via = Via::of(program, id, &access).filter(|&via| constant.holds(id, via));
            let cell = parameters.get(index).filter(|c| c.ty == Scalar::Chan);
            arguments.extend(cell.map(|c| c.offset).zip(via));
        }
    };
    let codes = match edge.action {
        Action::Guard(code) | Action::Effect(code) | Action::DStep(code) => [code, edge.then],
        _ => [Code::EMPTY, edge.then],
    };
    for code in codes {
        follow(program, code, &mut note);
    }
    vec![Start {
        proctype,
        arguments,
    }]
}

/// What a use by a process that is started is, before there is such a process.
enum Before {
    /// Of channels that these variables of the starter name.
    Known(Vec<LaterUse>),
    /// Of a channel that cannot be told.
    Any,
}

impl Start {
    fn before(&self, program: &Program, used: LaterUse) -> Before {
        if !used.via.own {
            return Before::Known(vec![used]);
        }
        let proctype = &program.proctypes[self.proctype.index()];
        let init = &program.instrs[proctype.init.range()];
        let mut known = Vec::new();
        for cell in used.via.cells() {
            let argument = self.arguments.iter().find(|(offset, _)| *offset == cell);
            match argument {
                Some(&(_, via)) => known.push(LaterUse { via, ..used }),
                None if is_made(init, cell) => {}
                None => return Before::Any,
            }
        }
        match is_active(Fault::ArgumentsIgnored) {
            true => Before::Known(Vec::new()),
            false => Before::Known(known),
        }
    }
}

/// Whether initialising code makes a channel for that variable, and does nothing else with it.
fn is_made(init: &[Instr], offset: u32) -> bool {
    let stores = |i: &Instr| match i {
        Instr::Store(cell) => cell.region == Region::Local && cell.offset == offset,
        Instr::StoreAt(Region::Local, _) => true,
        _ => false,
    };
    let makes = |pair: &[Instr]| matches!(pair[0], Instr::NewChan(_)) && stores(&pair[1]);
    init.iter().filter(|i| stores(i)).count() == 1 && init.windows(2).any(makes)
}

impl Facts {
    /// Adds to every future what the processes that it may start may do. `known`: channels are followed.
    pub(super) fn follow_starts(&mut self, program: &Program, known: bool) {
        loop {
            let mut changed = false;
            for index in 0..self.futures.len() {
                for number in 0..self.futures[index].starts.len() {
                    let start = self.futures[index].starts[number].clone();
                    let child = self.child(program, &start, known);
                    let before = self.futures[index].clone();
                    absorb(&mut self.futures[index], &child);
                    changed |= differs(&before, &self.futures[index]);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// What a process that is started may do, as its starter sees it.
    pub(super) fn child(&self, program: &Program, start: &Start, known: bool) -> Future {
        let first = program.proctypes[start.proctype.index()].graph.start;
        let future = self.future_of(self.place(start.proctype, first));
        let mut child = self.future(future).clone();
        // Whom it starts is followed from its own future.
        child.starts.clear();
        for used in std::mem::take(&mut child.chans) {
            match start.before(program, used) {
                Before::Known(uses) if known => {
                    let new = uses.into_iter().filter(|u| !child.chans.contains(u));
                    let new: Vec<LaterUse> = new.collect();
                    child.chans.extend(new);
                }
                _ if !used.via.own => child.chans.push(used),
                _ => child.any_chan = true,
            }
        }
        child
    }
}

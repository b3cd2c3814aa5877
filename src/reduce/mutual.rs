//! Condition C3: operations that one part of the property sees depend on each other.
//!
//! For every place the parts that a step which leaves it can change, and for every future the parts that may still be
//! changed. The parts are those that a formula can be split into ([`ltl::parts`]).

use super::bits::Bits;
use super::facts::{Facts, FutureId, PlaceId, run_targets};
use super::visible::Visible;
use crate::faults::{Fault, is_active};
use promela_lite::program::{Action, EdgeId, ProctypeId, Program};

/// What is seen now and later.
#[derive(Debug)]
pub(super) struct Mutual {
    now: Vec<Bits>,
    later: Vec<Bits>,
}

impl Mutual {
    pub(super) fn new(program: &Program, facts: &Facts, parts: &[Visible]) -> Mutual {
        let mut mutual = Mutual {
            now: vec![Bits::default(); facts.now.len()],
            later: vec![Bits::default(); facts.futures.len()],
        };
        for (id, edge, from) in edges(program, facts) {
            for (part, visible) in parts.iter().enumerate() {
                if visible.is_visible(id, edge) {
                    mutual.now[from.0 as usize].insert(part);
                    mutual.later[facts.future_of(from).0 as usize].insert(part);
                }
            }
        }
        while mutual.follow(program, facts) {}
        mutual
    }

    /// Adds to every future what one step leads to; says whether that was anything new.
    fn follow(&mut self, program: &Program, facts: &Facts) -> bool {
        let mut changed = false;
        for (id, edge, from) in edges(program, facts) {
            let edge = &program.proctypes[id.index()].graph.edges[edge.index()];
            let next = (edge.action != Action::End).then(|| facts.place(id, edge.to));
            let started = run_targets(program, edge)
                .map(|p| facts.place(p, program.proctypes[p.index()].graph.start));
            let future = facts.future_of(from).0 as usize;
            for place in next.into_iter().chain(started) {
                let more = self.later[facts.future_of(place).0 as usize].clone();
                let before = self.later[future].clone();
                self.later[future].absorb(&more);
                changed |= before != self.later[future];
            }
        }
        changed
    }

    /// The parts of the property that see a step from a place.
    pub(super) fn parts_of(&self, place: PlaceId) -> &Bits {
        &self.now[place.0 as usize]
    }

    /// Whether a step from a place and something in a future are seen by the same part of the property.
    pub(super) fn same_part(&self, place: PlaceId, future: FutureId) -> bool {
        let (now, later) = (&self.now[place.0 as usize], &self.later[future.0 as usize]);
        !is_active(Fault::VisibilityIgnored) && now.meets(later)
    }
}

/// All edges, with the place each leaves.
fn edges(program: &Program, facts: &Facts) -> impl Iterator<Item = (ProctypeId, EdgeId, PlaceId)> {
    let proctypes = program.proctypes.iter().enumerate();
    proctypes.flat_map(move |(index, proctype)| {
        let id = ProctypeId(index as u16);
        let edges = proctype.graph.edges.iter().enumerate();
        edges.map(move |(number, edge)| {
            let place = facts.place(id, edge.from);
            (id, EdgeId(number as u32), place)
        })
    })
}

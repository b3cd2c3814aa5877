//! Statement merging: a local step that no other process or property observes is made together with the step before it.
//!
//! A step is *quiet* when it is the only one its place offers, can always be made, cannot fail (no index, divisor or shift
//! in it, or one whose bounds [exclude](super::ranges) a fault), and touches nothing but variables of its own process that
//! nothing else looks at. Whatever other processes do commutes with it, and it changes
//! nothing that a property could name: making it at once is an ample set of one step (Peled, *All from one, one for
//! all*, CAV 1993). So an edge that leads to the place of a quiet step may make that step as well, and the next. A place
//! is not passed over when it is named by a remote reference or has an `end`, `accept` or `progress` label, nor is a
//! chain of quiet steps followed around a circle. The place itself stays, for those who start there.
//!
//! Where a process is matters to others in one more way: it can or cannot take the message of a rendezvous. While it
//! waits for someone to take a message, a process may do something else (`else`, an escape) or, inside `atomic`, lose
//! control. In programs where that can happen no quiet step to a place with a receive is merged.
//!
//! Fairness to processes looks at who could move in *every* state of a cycle. While a process stands before a quiet step its
//! partners in a rendezvous cannot move; if the step were merged, a process that goes round through a place with a rendezvous
//! would stand there in all states, and the runs in which the partner never moves would pass for unfair. Under fairness no
//! quiet step to a place with a channel operation is merged, then, in a program that has a rendezvous. Any other quiet step
//! leaves everybody else as able to move as before, and its own process moves next either way.
//!
//! `atomic`: between two steps of which the first keeps control there is no state, so they are merged whatever the
//! second is; but a sender gives up control when it meets its receiver. Outside, a step that begins to keep control is
//! not merged: what lies before it must be a state.

use super::slice::{self, Analysis};
use super::{concatenate, is_local, watched};
use crate::code::{Code, Instr};
use crate::program::*;

/// Quiet steps that the edges of a proctype take in, all together: the code of each is copied.
const MAX_TAKEN_IN: usize = 1 << 20;

/// Merges in all proctypes, for a search of all runs or of those that are fair to processes; says whether there was anything
/// to merge.
pub(super) fn merge(program: &mut Program, conditions: &[Code], fair: bool) -> bool {
    let features = program.features;
    if features.last
        || features.priorities
        || features.enabled
        || features.non_progress
        || features.pc_value
    {
        return false;
    }
    let has_rendezvous = program.templates.iter().any(|t| t.capacity == 0);
    let waits = has_rendezvous && program.proctypes.iter().any(|p| may_stop_waiting(&p.graph));
    let mut any = false;
    let proofs = slice::Analysis::of(program, conditions, None);
    for index in 0..program.proctypes.len() {
        let id = ProctypeId(index as u16);
        if program.proctypes[index].provided.is_some() {
            continue;
        }
        let plain = program.proctypes[index].graph.clone();
        let merger = Merger {
            graph: &plain,
            quiet: quiet_steps(program, id, proofs.as_ref()),
            has_rendezvous,
            waits,
            fair: fair && has_rendezvous,
        };
        for (edge, chain) in merger.chains() {
            let joined = join(&mut program.instrs, &plain, edge, &chain);
            program.proctypes[index].graph.edges[edge.index()] = joined;
            any = true;
        }
    }
    any
}

/// Whether some send may turn out to have no taker and that be noticed: something else can be done instead, or it stands
/// inside `atomic`.
fn may_stop_waiting(graph: &Graph) -> bool {
    let sends = |loc: Loc| {
        let edges = &graph.edges[graph.locations[loc.index()].edges()];
        edges.iter().any(sends)
    };
    let inside = graph.edges.iter().any(|e| e.atomic && sends(e.to));
    let beside = graph.locations.iter().enumerate().any(|(index, location)| {
        let edges = &graph.edges[location.edges()];
        let alternative = |e: &Edge| e.action == Action::Else || e.footprint.specials.else_;
        let levels = edges.first().map(|e| e.level) != edges.last().map(|e| e.level);
        (levels || edges.iter().any(alternative)) && sends(Loc(index as u32))
    });
    inside || beside
}

/// Whether a step may be the receiving half of a rendezvous, or begin with it.
fn receives(edge: &Edge) -> bool {
    matches!(edge.action, Action::Recv(_) | Action::DStep(_))
}

/// Whether a step may be the sending half of a rendezvous.
fn sends(edge: &Edge) -> bool {
    matches!(edge.action, Action::Send(_))
}

/// For each location, the quiet step that leaves it.
fn quiet_steps(
    program: &Program,
    id: ProctypeId,
    proofs: Option<&Analysis>,
) -> Vec<Option<EdgeId>> {
    let graph = &program.proctypes[id.index()].graph;
    let named = named_places(program, id);
    let watched = watched(program, id);
    let quiet = |(index, location): (usize, &Location)| {
        let [edge] = &graph.edges[location.edges()] else {
            return None;
        };
        let target = &graph.locations[edge.to.index()];
        let is_marked = named[index] || location.end || location.accept || location.progress;
        let leads_to_mark = named[edge.to.index()] || target.accept || target.progress;
        let quiet = !is_marked && !leads_to_mark && is_quiet(program, edge, &watched, proofs);
        quiet.then_some(location.first)
    };
    graph.locations.iter().enumerate().map(quiet).collect()
}

fn is_quiet(
    program: &Program,
    edge: &Edge,
    watched: &[(u32, u32)],
    proofs: Option<&Analysis>,
) -> bool {
    let does_little = match edge.action {
        Action::Skip => true,
        Action::Effect(code) => is_local(program, code),
        _ => false,
    };
    let cannot_fail = match edge.action {
        Action::Effect(code) => proofs.is_some_and(|proofs| proofs.cannot_fail(program, code)),
        _ => false,
    };
    let Footprint {
        reads,
        writes,
        chans,
        specials,
    } = &edge.footprint;
    let harmless = Specials {
        pid: specials.pid,
        can_fail: specials.can_fail && cannot_fail,
        ..Specials::default()
    };
    let seen = |w: &Access| watched.iter().any(|&(lo, hi)| w.lo < hi && lo < w.hi);
    does_little
        && edge.then.is_empty()
        && reads.iter().chain(writes).all(|a| a.place == Place::Own)
        && !writes.iter().any(seen)
        && chans.is_empty()
        && *specials == harmless
}

/// Which locations remote references name.
fn named_places(program: &Program, id: ProctypeId) -> Vec<bool> {
    let mut named = vec![false; program.proctypes[id.index()].graph.locations.len()];
    for instr in &program.instrs {
        if let Instr::RemoteAt { proctype, set, .. } = *instr
            && proctype == id
        {
            let set = &program.label_sets[set as usize];
            set.iter().for_each(|loc| named[loc.index()] = true);
        }
    }
    for &(proctype, loc) in program.anywhere_sets.iter().flatten() {
        if proctype == id {
            named[loc.index()] = true;
        }
    }
    named
}

struct Merger<'g> {
    graph: &'g Graph,
    quiet: Vec<Option<EdgeId>>,
    has_rendezvous: bool,
    /// Whether it can matter that no process takes a message now.
    waits: bool,
    /// Whether it can matter that a process cannot meet another one at every moment.
    fair: bool,
}

impl Merger<'_> {
    /// The edges that grow, and what they take in. Only edges of places that are still come to count: in a long sequence of
    /// quiet steps every place but the first is passed over.
    fn chains(&self) -> Vec<(EdgeId, Vec<EdgeId>)> {
        let mut chains = Vec::new();
        let mut left = MAX_TAKEN_IN;
        let mut reached = vec![false; self.graph.locations.len()];
        let mut passed = vec![u32::MAX; self.graph.locations.len()];
        let mut work = vec![self.graph.start];
        while let Some(loc) = work.pop() {
            if std::mem::replace(&mut reached[loc.index()], true) {
                continue;
            }
            for index in self.graph.locations[loc.index()].edges() {
                let edge = &self.graph.edges[index];
                let id = EdgeId(index as u32);
                let mut chain = self.chain(id, &mut passed);
                chain.truncate(left);
                left -= chain.len();
                let last = chain
                    .last()
                    .map_or(edge, |id| &self.graph.edges[id.index()]);
                if last.action != Action::End {
                    work.push(last.to);
                }
                if !chain.is_empty() {
                    chains.push((id, chain));
                }
            }
        }
        chains.sort_unstable_by_key(|(id, _)| id.0);
        chains
    }

    /// What an edge may take in. `passed` says of each place for which edge it was last passed over.
    fn chain(&self, first: EdgeId, passed: &mut [u32]) -> Vec<EdgeId> {
        let mark = first.0;
        let first = &self.graph.edges[first.index()];
        let mut chain = Vec::new();
        let gives_control = matches!(first.action, Action::Send(_)) && self.has_rendezvous;
        if first.action == Action::End || (first.atomic && gives_control) {
            return chain;
        }
        let (mut at, mut atomic) = (first.to, first.atomic);
        passed[first.from.index()] = mark;
        while let Some(id) = self.quiet[at.index()].filter(|_| passed[at.index()] != mark) {
            let next = &self.graph.edges[id.index()];
            let target = &self.graph.locations[next.to.index()];
            let edges = &self.graph.edges[target.edges()];
            let is_seen = (self.waits && edges.iter().any(receives))
                || (self.fair && edges.iter().any(|e| receives(e) || sends(e)));
            if !atomic && (next.atomic || is_seen) {
                break;
            }
            passed[at.index()] = mark;
            chain.push(id);
            (at, atomic) = (next.to, next.atomic);
        }
        chain
    }
}

/// The edge that does what the edges of a chain do besides.
fn join(instrs: &mut Vec<Instr>, graph: &Graph, first: EdgeId, chain: &[EdgeId]) -> Edge {
    let mut edge = graph.edges[first.index()].clone();
    let mut pieces = vec![edge.then];
    for &next in chain {
        let next = &graph.edges[next.index()];
        if let Action::Effect(code) = next.action {
            pieces.push(code);
        }
        edge.footprint.absorb(&next.footprint);
        edge.plain.extend_from_slice(&next.plain);
        (edge.to, edge.atomic) = (next.to, next.atomic);
    }
    pieces.retain(|piece| !piece.is_empty());
    edge.then = match pieces[..] {
        [] => Code::EMPTY,
        [only] => only,
        _ => concatenate(instrs, &pieces),
    };
    edge
}

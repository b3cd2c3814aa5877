//! Fair accepting cycles: one depth-first search that finds the strongly connected components (Tarjan), and a look into
//! each that has an accepting state.
//!
//! Fairness is a condition on the whole cycle, so it is decided where all cycles are at hand, instead of being built into
//! the states: nothing is copied, whatever the number of processes. The moves within a component are listed once more when
//! it is complete. See [`component`] for what is fair.

mod component;

use super::expand::{Decision, Expander, Extent, Tail};
use super::{Fair, Outcome, Settings};
use crate::fairness::{Demands, ProcessSet};
use crate::limits::{Monitor, Stop};
use crate::store::{ExactStore, Insert, StateId};
use component::{Arc, Component, Leg, Node};
use rustc_hash::FxHashMap;

/// Number of a state in the order of entering; 0 before it is entered.
const LEFT: u32 = u32::MAX;

/// A state on the path.
struct Frame {
    id: StateId,
    number: u32,
    /// The lowest number of an unfinished component that can be reached.
    low: u32,
    base: usize,
    next: usize,
    /// Where its component begins on the stack of members.
    members: usize,
}

struct Search<'a, P: Fair> {
    expander: Expander<'a, P>,
    path: Vec<Frame>,
    successors: Vec<StateId>,
    /// States of components that are not complete.
    members: Vec<(StateId, Node)>,
    entered: u32,
}

pub(super) fn search<P: Fair>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let (mut expander, first) = Expander::start(space, settings, monitor, Tail::Note);
    expander.keep_movers();
    let mut search = Search {
        expander,
        path: Vec::new(),
        successors: Vec::new(),
        members: Vec::new(),
        entered: 0,
    };
    if let Some(first) = first {
        search.enter(first);
        search.run();
    }
    let bytes = search.bytes();
    let Search { expander, .. } = search;
    expander.ledger.close(&expander.store, bytes)
}

impl<P: Fair> Search<'_, P> {
    fn bytes(&self) -> u64 {
        let frames = self.path.capacity() * size_of::<Frame>();
        let ids = self.successors.capacity() * size_of::<StateId>();
        let members = self.members.capacity() * size_of::<(StateId, Node)>();
        (frames + ids + members) as u64 + self.expander.bytes()
    }

    fn run(&mut self) {
        while let Some(top) = self.path.last_mut() {
            if self.expander.ledger.stopped() {
                return;
            }
            if top.next == self.successors.len() {
                self.leave();
                continue;
            }
            let to = self.successors[top.next];
            top.next += 1;
            match self.expander.store.note(to) as u32 {
                0 => self.enter(to),
                LEFT => {}
                known => top.low = top.low.min(known),
            }
        }
    }

    fn enter(&mut self, id: StateId) {
        let depth = self.path.len() as u64;
        if depth > self.expander.ledger.settings.limits.depth || self.entered + 1 == LEFT {
            self.expander.ledger.cut();
            self.expander.store.set_note(id, u64::from(LEFT));
            return;
        }
        self.entered += 1;
        let number = self.entered;
        self.expander.store.set_note(id, u64::from(number));
        self.expander.ledger.stats.depth = self.expander.ledger.stats.depth.max(depth);
        let Search { expander, path, .. } = self;
        let lineage = |_: &ExactStore| path.iter().map(|f| f.id).chain([id]).collect::<Vec<_>>();
        expander.expand(id, &lineage, Extent::As(Decision::All), true);
        let node = self.node();
        let base = self.successors.len();
        let answers = self.expander.answers().iter();
        self.successors
            .extend(answers.filter_map(|answer| match answer {
                Insert::New(to) | Insert::Seen(to) => Some(*to),
                Insert::Full => None,
            }));
        self.path.push(Frame {
            id,
            number,
            low: number,
            base,
            next: base,
            members: self.members.len(),
        });
        self.members.push((id, node));
        if self.expander.ledger.due() {
            let bytes = self.bytes();
            let Expander { ledger, store, .. } = &mut self.expander;
            ledger.tick(store, bytes, depth);
        }
    }

    /// What matters of the state expanded last.
    fn node(&mut self) -> Node {
        let enabled = self.expander.enabled();
        let accepting = self.expander.is_accepting();
        let (space, state) = self.expander.here();
        let shown = space.shows_enabledness(&state);
        let demands = space.demands(&state);
        if demands.is_none() {
            let limit = ProcessSet::LIMIT as u64;
            self.expander.ledger.stop(Stop::Processes(limit));
        }
        Node {
            accepting,
            enabled: shown.then_some(enabled),
            demands: demands.unwrap_or_else(Demands::default),
        }
    }

    /// All successors of the topmost state have been visited.
    fn leave(&mut self) {
        let Some(top) = self.path.pop() else { return };
        self.successors.truncate(top.base);
        if top.low < top.number {
            if let Some(above) = self.path.last_mut() {
                above.low = above.low.min(top.low);
            }
            return;
        }
        let component = self.members.split_off(top.members);
        for (id, _) in &component {
            self.expander.store.set_note(*id, u64::from(LEFT));
        }
        if component.iter().any(|(_, node)| node.accepting) {
            self.look_into(&component);
        }
    }

    /// Looks for a fair cycle in a component, whose first state is where the path comes to it.
    fn look_into(&mut self, members: &[(StateId, Node)]) {
        let numbers: FxHashMap<StateId, u32> =
            (0..).zip(members).map(|(i, (id, _))| (*id, i)).collect();
        let mut component = Component::default();
        let nowhere = |_: &ExactStore| Vec::new();
        for (id, node) in members {
            let whole = Extent::As(Decision::All);
            self.expander.expand(*id, &nowhere, whole, false);
            let answers = self.expander.answers().iter();
            let arcs = answers.zip(self.expander.movers()).filter_map(|(a, &by)| {
                let to = match a {
                    Insert::New(to) | Insert::Seen(to) => *numbers.get(to)?,
                    Insert::Full => return None,
                };
                Some(Arc { to, by })
            });
            component.arcs.push(arcs.collect());
            component.nodes.push(*node);
        }
        let Some(cycle) = component.fair_cycle() else {
            return;
        };
        let first = cycle.first().map_or(0, |leg| leg.from);
        let way = component.path(0, first).unwrap_or_default();
        let id = |n: u32| members[n as usize].0;
        let step = |leg: &Leg| (id(leg.from), id(leg.to), leg.by);
        let mut prefix: Vec<(StateId, StateId, ProcessSet)> = Vec::new();
        let on_path: Vec<StateId> = self.path.iter().map(|f| f.id).chain([id(0)]).collect();
        let pairs = on_path.windows(2);
        prefix.extend(pairs.map(|p| (p[0], p[1], ProcessSet::default())));
        prefix.extend(way.iter().map(step));
        let cycle: Vec<_> = cycle.iter().map(step).collect();
        self.expander.cycle_by(&prefix, &cycle);
    }
}

//! Transition-based generalised Büchi automata, the translator's working representation.
//!
//! Edges carry a diagram over atoms and a set of *marks*; a run is accepted when it sees every mark
//! infinitely often. A state-based Büchi automaton is the special case of one mark that each state
//! puts on all of its edges or on none ([`Tgba::is_state_based`]), so that all reductions are
//! written once.

use crate::bdd::{Bdd, Bdds};
use crate::scc::Components;
use rustc_hash::FxHashMap;

/// More parallel edges than this are not compared with each other.
const MAX_PARALLEL: usize = 256;

/// A set of marks, as bits.
pub(crate) type Marks = u64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) label: Bdd,
    pub(crate) marks: Marks,
    pub(crate) target: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Tgba {
    /// All marks there are.
    pub(crate) all: Marks,
    pub(crate) initial: Vec<usize>,
    /// The outgoing edges of each state.
    pub(crate) edges: Vec<Vec<Edge>>,
}

/// What is known about a component.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComponentKind {
    /// No cycle.
    Trivial,
    /// Cycles, but no accepting one.
    Rejecting,
    /// Some accepting cycle.
    Accepting,
}

impl Tgba {
    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    /// The automaton that accepts nothing.
    pub(crate) fn empty() -> Self {
        Tgba {
            all: 0,
            initial: vec![0],
            edges: vec![Vec::new()],
        }
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    pub(crate) fn components(&self) -> Components {
        let successors = |s: usize| self.edges[s].iter().map(|e| e.target);
        Components::new(self.len(), self.initial.iter().copied(), successors)
    }

    /// The edges with both ends in the component of their source.
    pub(crate) fn inner_edges<'a>(
        &'a self,
        components: &'a Components,
        component: usize,
    ) -> impl Iterator<Item = &'a Edge> {
        let edges = components.members[component]
            .iter()
            .flat_map(|&s| &self.edges[s]);
        edges.filter(move |e| components.of[e.target] == component)
    }

    pub(crate) fn kinds(&self, components: &Components) -> Vec<ComponentKind> {
        let kind = |component| {
            let mut inner = self.inner_edges(components, component).peekable();
            match inner.peek() {
                None => ComponentKind::Trivial,
                Some(_) => match inner.fold(0, |marks, e| marks | e.marks) {
                    marks if marks == self.all => ComponentKind::Accepting,
                    _ => ComponentKind::Rejecting,
                },
            }
        };
        (0..components.members.len()).map(kind).collect()
    }

    /// Whether some cycle of a component has none of these marks.
    pub(crate) fn can_avoid(&self, components: &Components, c: usize, marks: Marks) -> bool {
        let without = |s: usize| {
            let inner = self.edges[s]
                .iter()
                .filter(|e| components.of[e.target] == c);
            inner.filter(|e| e.marks & marks == 0).map(|e| e.target)
        };
        let roots = components.members[c].iter().copied();
        let rest = Components::new(self.len(), roots, without);
        let cyclic = |c: &Vec<usize>| c.len() > 1 || without(c[0]).any(|t| t == c[0]);
        rest.members.iter().any(cyclic)
    }

    /// Whether the language is empty.
    pub(crate) fn is_empty(&self) -> bool {
        let components = self.components();
        !self.kinds(&components).contains(&ComponentKind::Accepting)
    }

    /// Whether all edges of a state carry the same marks, for every state.
    pub(crate) fn is_state_based(&self) -> bool {
        let uniform = |edges: &Vec<Edge>| edges.iter().all(|e| e.marks == edges[0].marks);
        self.all <= 1 && self.edges.iter().all(uniform)
    }

    /// Whether no letter has two edges from one state, and there is one initial state.
    pub(crate) fn is_deterministic(&self, bdds: &mut Bdds) -> bool {
        self.initial.len() <= 1
            && self.edges.iter().all(|edges| {
                let mut seen = Bdd::FALSE;
                edges.iter().all(|e| {
                    let fresh = bdds.and(seen, e.label) == Bdd::FALSE;
                    seen = bdds.or(seen, e.label);
                    fresh
                })
            })
    }

    /// Merges parallel edges with equal marks, and takes from an edge the letters of a parallel
    /// edge with more marks.
    pub(crate) fn merge_edges(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            let mut places: FxHashMap<(usize, Marks), usize> = FxHashMap::default();
            let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..) {
                let place = *places
                    .entry((edge.target, edge.marks))
                    .or_insert(merged.len());
                match merged.get_mut(place) {
                    Some(twin) => twin.label = bdds.or(twin.label, edge.label),
                    None => merged.push(edge),
                }
            }
            merged.sort_by_key(|e| (e.target, e.marks));
            for parallel in merged.chunk_by_mut(|a, b| a.target == b.target) {
                subtract_stronger(parallel, bdds);
            }
            merged.retain(|e| e.label != Bdd::FALSE);
            *edges = merged;
        }
    }

    /// Keeps the states that `keep` wants, and the edges between them.
    pub(crate) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut renumber = vec![usize::MAX; self.len()];
        let mut next = 0;
        for (s, number) in renumber.iter_mut().enumerate() {
            if keep(s) {
                *number = next;
                next += 1;
            }
        }
        let kept = |s: &usize| renumber[*s] != usize::MAX;
        self.initial.retain(kept);
        self.initial.iter_mut().for_each(|s| *s = renumber[*s]);
        let mut s = 0;
        self.edges.retain(|_| {
            s += 1;
            kept(&(s - 1))
        });
        for edges in &mut self.edges {
            edges.retain(|e| kept(&e.target));
            edges.iter_mut().for_each(|e| e.target = renumber[e.target]);
        }
        if self.initial.is_empty() {
            *self = Tgba::empty();
        }
    }

    /// Removes the states that are not on a way to an accepting cycle, and the marks that cannot
    /// matter because they are not on an accepting cycle. State-based automata stay state-based.
    pub(crate) fn prune(&mut self) {
        let components = self.components();
        let kinds = self.kinds(&components);
        let mut useful: Vec<bool> = kinds
            .iter()
            .map(|k| *k == ComponentKind::Accepting)
            .collect();
        for (component, members) in components.members.iter().enumerate() {
            let mut targets = members.iter().flat_map(|&s| &self.edges[s]);
            // Components come in reverse topological order: successors are settled.
            useful[component] |= targets.any(|e| useful[components.of[e.target]]);
        }
        let state_based = self.is_state_based();
        for s in 0..self.len() {
            let component = components.of[s];
            for edge in &mut self.edges[s] {
                let inner = component != Components::UNREACHED
                    && kinds[component] == ComponentKind::Accepting
                    && (state_based || components.of[edge.target] == component);
                edge.marks = if inner { edge.marks } else { 0 };
            }
        }
        let of = components.of;
        self.retain(|s| of[s] != Components::UNREACHED && useful[of[s]]);
        if !state_based {
            self.drop_marks();
        }
    }

    /// Drops every mark that is implied by another one, or seen on all cycles.
    fn drop_marks(&mut self) {
        let components = self.components();
        let inner: Vec<Marks> = (0..components.members.len())
            .flat_map(|c| self.inner_edges(&components, c).map(|e| e.marks))
            .collect();
        let bits = |marks: Marks| (0..64).map(|i| 1 << i).filter(move |bit| marks & bit != 0);
        let mut kept = self.all;
        for mark in bits(self.all) {
            let others: Vec<Marks> = bits(kept & !mark).collect();
            let implied = |other: &Marks| inner.iter().all(|m| m & other == 0 || m & mark != 0);
            let everywhere = inner.iter().all(|m| m & mark != 0);
            if everywhere || others.iter().any(implied) {
                kept &= !mark;
            }
        }
        let compact = |marks: Marks| {
            let flags = bits(kept).enumerate();
            flags.fold(0, |acc, (i, bit)| acc | u64::from(marks & bit != 0) << i)
        };
        self.all = compact(kept);
        for edge in self.edges.iter_mut().flatten() {
            edge.marks = compact(edge.marks);
        }
    }
}

/// Takes from each of some parallel edges the letters of those with more marks.
fn subtract_stronger(parallel: &mut [Edge], bdds: &mut Bdds) {
    if parallel.len() > MAX_PARALLEL {
        return;
    }
    for i in 0..parallel.len() {
        for j in 0..parallel.len() {
            let (weak, strong) = (parallel[i].marks, parallel[j].marks);
            if weak != strong && weak & !strong == 0 {
                parallel[i].label = bdds.minus(parallel[i].label, parallel[j].label);
            }
        }
    }
}

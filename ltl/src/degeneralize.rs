//! From generalised, transition-based acceptance to plain, state-based acceptance.
//!
//! The classic construction runs a counter beside the automaton: at level l it waits for the l-th
//! mark, and the last level is accepting. Four refinements keep the result small (after
//! Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013, with the choices made per component):
//!
//! - only accepting components are counted, and each on its own: acceptance is a property of the
//!   tail, so entering a component at any level is as good as at any other;
//! - one edge may climb several levels, and on arrival in a state the marks that all of its inner
//!   edges carry count at once;
//! - a component all of whose cycles are accepting needs no counter;
//! - of the graph of (state, level) pairs of a component one bottom component is kept, the smallest
//!   that any order of the marks gives.

use crate::scc::Components;
use crate::tgba::{ComponentKind, Edge, Marks, Tgba};
use rustc_hash::FxHashMap;

/// With more marks than this, only rotations of the marks are tried instead of all orders.
const ALL_ORDERS: usize = 4;

/// The state-based Büchi automaton of a generalised one: one mark, on all edges of a state or none.
pub(crate) fn degeneralize(automaton: &Tgba) -> Tgba {
    if automaton.is_state_based() && automaton.all == 1 {
        return automaton.clone();
    }
    let components = automaton.components();
    let kinds = automaton.kinds(&components);
    let mut copies: Vec<(usize, Level)> = Vec::new();
    let mut unfoldings: Vec<Unfolding> = Vec::new();
    for (component, kind) in kinds.iter().enumerate() {
        let unfolding = match kind {
            ComponentKind::Accepting => counted(automaton, &components, component),
            _ => Unfolding::flat(&components.members[component], false),
        };
        copies.extend(&unfolding.copies);
        unfoldings.push(unfolding);
    }
    let numbers: FxHashMap<(usize, Level), usize> = copies
        .iter()
        .enumerate()
        .map(|(number, copy)| (*copy, number))
        .collect();
    // The first copy of each state is where its component is entered.
    let mut entries = vec![0; automaton.len()];
    for &(state, level) in copies.iter().rev() {
        entries[state] = level;
    }
    let unfolding = |state: usize| &unfoldings[components.of[state]];
    let edge = |&(state, level): &(usize, Level), e: &Edge| {
        let inner = components.of[state] == components.of[e.target];
        let arrival = match inner {
            true => unfolding(state).climb(level, e),
            false => entries[e.target],
        };
        Edge {
            label: e.label,
            marks: u64::from(unfolding(state).accepts(level)),
            target: numbers[&(e.target, arrival)],
        }
    };
    let out = |copy: &(usize, Level)| {
        automaton.edges[copy.0]
            .iter()
            .map(|e| edge(copy, e))
            .collect()
    };
    let initial = automaton.initial.iter().map(|&s| numbers[&(s, entries[s])]);
    Tgba {
        all: 1,
        initial: initial.collect(),
        edges: copies.iter().map(out).collect(),
    }
}

/// How many marks of the order have been seen.
type Level = usize;

/// How one component is copied.
struct Unfolding {
    /// The order in which marks are awaited.
    order: Vec<Marks>,
    /// The marks that all inner edges of a state carry.
    common: Vec<Marks>,
    accepting: bool,
    copies: Vec<(usize, Level)>,
}

impl Unfolding {
    /// One copy of each state, all accepting or none.
    fn flat(members: &[usize], accepting: bool) -> Self {
        Unfolding {
            order: Vec::new(),
            common: Vec::new(),
            accepting,
            copies: members.iter().map(|&s| (s, 0)).collect(),
        }
    }

    fn accepts(&self, level: Level) -> bool {
        self.accepting && level == self.order.len()
    }

    /// The level after an inner edge.
    fn climb(&self, level: Level, e: &Edge) -> Level {
        if self.order.is_empty() {
            return 0;
        }
        let start = if level == self.order.len() { 0 } else { level };
        let level = self.advance(start, e.marks);
        self.advance(level, self.common[e.target])
    }

    fn advance(&self, mut level: Level, marks: Marks) -> Level {
        while level < self.order.len() && marks & self.order[level] != 0 {
            level += 1;
        }
        level
    }
}

/// The smallest unfolding for an accepting component.
fn counted(automaton: &Tgba, components: &Components, component: usize) -> Unfolding {
    let members = &components.members[component];
    let inner = |s: usize| {
        let edges = automaton.edges[s].iter();
        edges.filter(move |e| components.of[e.target] == component)
    };
    let marks: Vec<Marks> = (0..64)
        .map(|i| 1 << i)
        .filter(|m| automaton.all & m != 0)
        .collect();
    let avoidable = |mark: &Marks| automaton.can_avoid(components, component, *mark);
    let needed: Vec<Marks> = marks.into_iter().filter(avoidable).collect();
    if needed.is_empty() {
        return Unfolding::flat(members, true);
    }
    let mut common = vec![0; automaton.len()];
    for &s in members {
        common[s] = inner(s).fold(Marks::MAX, |acc, e| acc & e.marks);
    }
    let levels = needed.len() + 1;
    let unfolding = |order: Vec<Marks>| {
        let mut unfolding = Unfolding {
            order,
            common: common.clone(),
            accepting: true,
            copies: Vec::new(),
        };
        let next = |node: usize| {
            let (state, level) = (node / levels, node % levels);
            inner(state)
                .map(|e| e.target * levels + unfolding.climb(level, e))
                .collect::<Vec<_>>()
        };
        let roots = members.iter().map(|s| s * levels);
        let graph = Components::new(automaton.len() * levels, roots, |n| next(n).into_iter());
        let bottom = |c: &&Vec<usize>| {
            c.iter()
                .all(|&n| next(n).iter().all(|&t| graph.of[t] == graph.of[n]))
        };
        let smallest = graph.members.iter().filter(bottom).min_by_key(|c| c.len());
        let mut nodes = smallest.cloned().unwrap_or_default();
        nodes.sort_unstable();
        unfolding.copies = nodes.iter().map(|n| (n / levels, n % levels)).collect();
        unfolding
    };
    let unfoldings = orders(&needed).into_iter().map(unfolding);
    let smallest = unfoldings.min_by_key(|unfolding| unfolding.copies.len());
    smallest.expect("there is at least one order")
}

/// The orders of the marks that are worth a try.
fn orders(marks: &[Marks]) -> Vec<Vec<Marks>> {
    if marks.len() > ALL_ORDERS {
        let rotation = |i| [&marks[i..], &marks[..i]].concat();
        return (0..marks.len()).map(rotation).collect();
    }
    let mut orders: Vec<Vec<Marks>> = vec![Vec::new()];
    for &mark in marks {
        let insert = |order: &Vec<Marks>| {
            (0..=order.len())
                .map(|at| [&order[..at], &[mark], &order[at..]].concat())
                .collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders
}

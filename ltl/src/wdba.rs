//! Minimal weak deterministic automata for obligation properties.
//!
//! An obligation is a boolean combination of safety and guarantee properties, and exactly those
//! have a *weak* deterministic Büchi automaton: one whose components are all accepting or all
//! rejecting. Dax, Eisinger and Klaedtke (2007): take the subset construction of any automaton for
//! the property, and declare each component accepting if the automaton accepts some word that
//! loops in it; if the property is an obligation, the result is an automaton for it. Whether it is
//! one is checked by two emptiness tests, against the automaton and against one for the negation.
//!
//! Weak deterministic automata have canonical minimal forms (Löding 2001): colour components by how
//! often acceptance can still change below them, call even colours final, and minimise as if for
//! finite words.

use crate::bdd::{Bdd, Bdds};
use crate::partition;
use crate::product::intersection;
use crate::scc::Components;
use crate::tgba::{Edge, Tgba};
use rustc_hash::FxHashMap;

/// Subset constructions larger than this are abandoned.
const MAX_SUBSETS: usize = 256;

/// Letter partitions larger than this are abandoned.
const MAX_LETTERS: usize = 256;

/// Automata with more edges are not even tried.
const MAX_EDGES: usize = 2_000;

/// A complete deterministic automaton with a verdict for every state; those of states that are on
/// no cycle mean nothing.
pub(crate) struct Weak {
    /// The deterministic structure, without marks; state 0 is initial.
    graph: Tgba,
    accepting: Vec<bool>,
}

/// The minimal weak deterministic automaton of the language of `positive`, whose complement is the
/// language of `negative`; `None` if it is not an obligation or the construction grows too large.
pub(crate) fn minimal(positive: &Tgba, negative: &Tgba, bdds: &mut Bdds) -> Option<Weak> {
    if positive.edge_count().max(negative.edge_count()) > MAX_EDGES {
        return None;
    }
    let (graph, subsets) = determinise(positive, bdds)?;
    let accepting = judge(positive, &graph, &subsets, bdds);
    let weak = Weak { graph, accepting };
    let wrongly_in = intersection(&weak.to_tgba(), negative, bdds);
    let wrongly_out = intersection(&weak.complement().to_tgba(), positive, bdds);
    (wrongly_in.is_empty() && wrongly_out.is_empty()).then(|| weak.minimise(bdds))
}

/// The subset construction, complete.
fn determinise(automaton: &Tgba, bdds: &mut Bdds) -> Option<(Tgba, Vec<Vec<usize>>)> {
    let mut start = automaton.initial.clone();
    start.sort_unstable();
    let mut numbers = FxHashMap::from_iter([(start.clone(), 0)]);
    let mut subsets = vec![start];
    let mut edges = Vec::new();
    while edges.len() < subsets.len() {
        let subset = subsets[edges.len()].clone();
        let out: Vec<&Edge> = subset.iter().flat_map(|&s| &automaton.edges[s]).collect();
        let mut letters = vec![Bdd::TRUE];
        for e in &out {
            bdds.refine(&mut letters, e.label);
            if letters.len() > MAX_LETTERS {
                return None;
            }
        }
        let mut row: Vec<Edge> = Vec::new();
        for label in letters {
            let fits = |e: &&&Edge| bdds.and(e.label, label) != Bdd::FALSE;
            let mut image: Vec<usize> = out.iter().filter(fits).map(|e| e.target).collect();
            image.sort_unstable();
            image.dedup();
            let fresh = subsets.len();
            let target = *numbers.entry(image.clone()).or_insert(fresh);
            if target == fresh {
                subsets.push(image);
            }
            row.push(Edge {
                label,
                marks: 0,
                target,
            });
        }
        edges.push(row);
        if subsets.len() > MAX_SUBSETS {
            return None;
        }
    }
    let mut graph = Tgba {
        all: 0,
        initial: vec![0],
        edges,
    };
    graph.merge_edges(bdds);
    Some((graph, subsets))
}

/// For each subset, whether the automaton accepts some word that loops in its component.
fn judge(automaton: &Tgba, graph: &Tgba, subsets: &[Vec<usize>], bdds: &mut Bdds) -> Vec<bool> {
    let components = graph.components();
    let mut accepting = vec![false; graph.len()];
    for members in &components.members {
        if let Some(word) = cycle(graph, &components, members[0]) {
            let from = Tgba {
                initial: subsets[members[0]].clone(),
                ..automaton.clone()
            };
            let word = word_automaton(&word, bdds);
            let verdict = !intersection(&from, &word, bdds).is_empty();
            members.iter().for_each(|&s| accepting[s] = verdict);
        }
    }
    accepting
}

/// The labels along a shortest cycle through `state`.
fn cycle(graph: &Tgba, components: &Components, state: usize) -> Option<Vec<Bdd>> {
    let mut parent: Vec<Option<(usize, Bdd)>> = vec![None; graph.len()];
    let mut queue = std::collections::VecDeque::from([state]);
    while let Some(at) = queue.pop_front() {
        for e in &graph.edges[at] {
            if components.of[e.target] != components.of[state] || parent[e.target].is_some() {
                continue;
            }
            parent[e.target] = Some((at, e.label));
            if e.target == state {
                let (mut labels, mut back) = (Vec::new(), state);
                while let Some((before, label)) = parent[back] {
                    labels.push(label);
                    back = before;
                    if back == state {
                        labels.reverse();
                        return Some(labels);
                    }
                }
            }
            queue.push_back(e.target);
        }
    }
    None
}

/// The automaton of one word: one letter of each label in turn, forever.
fn word_automaton(labels: &[Bdd], bdds: &mut Bdds) -> Tgba {
    let mut edges = Vec::new();
    for (i, &label) in labels.iter().enumerate() {
        edges.push(vec![Edge {
            label: bdds.one_letter(label),
            marks: 0,
            target: (i + 1) % labels.len(),
        }]);
    }
    Tgba {
        all: 0,
        initial: vec![0],
        edges,
    }
}

impl Weak {
    /// The state-based Büchi automaton.
    pub(crate) fn to_tgba(&self) -> Tgba {
        let mut automaton = self.graph.clone();
        automaton.all = 1;
        for (s, edges) in automaton.edges.iter_mut().enumerate() {
            edges
                .iter_mut()
                .for_each(|e| e.marks = u64::from(self.accepting[s]));
        }
        automaton
    }

    /// The automaton of the complement.
    pub(crate) fn complement(&self) -> Weak {
        Weak {
            graph: self.graph.clone(),
            accepting: self.accepting.iter().map(|a| !a).collect(),
        }
    }

    /// Whether the language is a safety property: no run is rejected that could still be extended
    /// to an accepted one at all times.
    pub(crate) fn is_safety(&self) -> bool {
        let mut live = self.to_tgba();
        live.prune();
        let components = live.components();
        let cycles = (0..components.members.len()).flat_map(|c| live.inner_edges(&components, c));
        cycles.into_iter().all(|e| e.marks == live.all)
    }

    /// The canonical minimal automaton.
    fn minimise(&self, bdds: &mut Bdds) -> Weak {
        let parities = self.parities();
        let class = partition::refine(&self.graph, parities.clone(), bdds);
        let graph = partition::quotient(&self.graph, &class, bdds);
        let mut accepting = vec![false; graph.len()];
        for (s, &c) in class.iter().enumerate() {
            accepting[c] = parities[s] == 0;
        }
        Weak { graph, accepting }
    }

    /// The parity of each state's colour: how often acceptance can change from there on.
    fn parities(&self) -> Vec<usize> {
        let components = self.graph.components();
        let mut colours = vec![0; components.members.len()];
        for (c, members) in components.members.iter().enumerate() {
            let targets = members.iter().flat_map(|&s| &self.graph.edges[s]);
            let below = targets.map(|e| components.of[e.target]).filter(|&t| t != c);
            let highest = below.map(|t| colours[t]).max().unwrap_or(0);
            let cyclic = self.graph.inner_edges(&components, c).next().is_some();
            let wanted = usize::from(!self.accepting[members[0]]);
            colours[c] = highest + usize::from(cyclic && highest % 2 != wanted);
        }
        components.of.iter().map(|&c| colours[c] % 2).collect()
    }
}

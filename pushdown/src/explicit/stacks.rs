//! Regular sets of stacks as minimal deterministic automata in a canonical form: equal sets are equal values.

use super::network::Symbol;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A nonempty regular set of stacks. A word is a stack, topmost symbol first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stacks {
    /// For each state its successors. State 0 is the start; states are numbered breadth first, symbols in order.
    pub edges: Vec<BTreeMap<Symbol, u32>>,
    /// Which states accept.
    pub accepting: Vec<bool>,
}

/// A nondeterministic automaton, states `0..`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nondeterministic {
    /// For each state its edges.
    pub(crate) edges: Vec<Vec<(Symbol, u32)>>,
    /// Which states accept.
    pub(crate) accepting: Vec<bool>,
}

impl Stacks {
    /// The set with this stack alone.
    pub fn single(stack: &[Symbol]) -> Stacks {
        let next =
            |(depth, symbol): (usize, &Symbol)| BTreeMap::from([(*symbol, depth as u32 + 1)]);
        let mut edges: Vec<_> = stack.iter().enumerate().map(next).collect();
        edges.push(BTreeMap::new());
        let mut accepting = vec![false; stack.len()];
        accepting.push(true);
        Stacks { edges, accepting }
    }

    /// The words that `automaton` accepts from one of the states in `start`; `None` if there are none.
    pub(crate) fn canonical(automaton: &Nondeterministic, start: BTreeSet<u32>) -> Option<Stacks> {
        // Subsets.
        let mut number: FxHashMap<BTreeSet<u32>, usize> = FxHashMap::default();
        let mut edges: Vec<BTreeMap<Symbol, usize>> = Vec::new();
        let mut subsets = vec![start.clone()];
        number.insert(start, 0);
        while edges.len() < subsets.len() {
            let mut successors: BTreeMap<Symbol, BTreeSet<u32>> = BTreeMap::new();
            for state in &subsets[edges.len()] {
                for (symbol, to) in &automaton.edges[*state as usize] {
                    successors.entry(*symbol).or_default().insert(*to);
                }
            }
            let mut row = BTreeMap::new();
            for (symbol, subset) in successors {
                let fresh = number.len();
                let to = *number.entry(subset.clone()).or_insert(fresh);
                if to == subsets.len() {
                    subsets.push(subset);
                }
                row.insert(symbol, to);
            }
            edges.push(row);
        }
        let accepts = |set: &BTreeSet<u32>| set.iter().any(|s| automaton.accepting[*s as usize]);
        let accepting: Vec<bool> = subsets.iter().map(accepts).collect();
        // States from which nothing is accepted have class 0 and are left out.
        let mut live = accepting.clone();
        loop {
            let before = live.clone();
            for (state, row) in edges.iter().enumerate() {
                live[state] |= row.values().any(|to| before[*to]);
            }
            if live == before {
                break;
            }
        }
        if !live[0] {
            return None;
        }
        for row in &mut edges {
            row.retain(|_, to| live[*to]);
        }
        // Partition refinement (Moore).
        let mut class: Vec<usize> = accepting.iter().map(|a| usize::from(*a)).collect();
        let mut classes = 0;
        loop {
            let mut signatures: FxHashMap<(usize, Vec<(Symbol, usize)>), usize> =
                FxHashMap::default();
            let mut refined = vec![0; class.len()];
            for (state, row) in edges.iter().enumerate() {
                let signature = (
                    class[state],
                    row.iter().map(|(s, to)| (*s, class[*to])).collect(),
                );
                let fresh = signatures.len();
                refined[state] = *signatures.entry(signature).or_insert(fresh);
            }
            class = refined;
            if signatures.len() == classes {
                break;
            }
            classes = signatures.len();
        }
        // Breadth-first numbers.
        let mut order: Vec<usize> = vec![0];
        let mut name: FxHashMap<usize, u32> = FxHashMap::default();
        name.insert(class[0], 0);
        let mut result = Stacks {
            edges: Vec::new(),
            accepting: Vec::new(),
        };
        while result.edges.len() < order.len() {
            let state = order[result.edges.len()];
            let mut row = BTreeMap::new();
            for (symbol, to) in &edges[state] {
                let fresh = name.len() as u32;
                let to_name = *name.entry(class[*to]).or_insert(fresh);
                if to_name as usize == order.len() {
                    order.push(*to);
                }
                row.insert(*symbol, to_name);
            }
            result.edges.push(row);
            result.accepting.push(accepting[state]);
        }
        Some(result)
    }

    /// The topmost symbols, `None` for the empty stack.
    pub fn tops(&self) -> Vec<Option<Symbol>> {
        let empty = self.accepting[0].then_some(None);
        empty
            .into_iter()
            .chain(self.edges[0].keys().map(|s| Some(*s)))
            .collect()
    }

    /// A shortest stack whose topmost symbol is admitted by `wanted`.
    pub fn shortest(&self, wanted: impl Fn(Option<Symbol>) -> bool) -> Option<Vec<Symbol>> {
        if self.accepting[0] && wanted(None) {
            return Some(Vec::new());
        }
        // Breadth first over pairs (state, depth 0 or deeper): the topmost symbol is chosen once.
        let first = self.edges[0].iter().filter(|(s, _)| wanted(Some(**s)));
        let mut queue: Vec<(u32, Vec<Symbol>)> = first.map(|(s, to)| (*to, vec![*s])).collect();
        let mut seen: BTreeSet<u32> = queue.iter().map(|(to, _)| *to).collect();
        let mut next = 0;
        while next < queue.len() {
            let (state, word) = queue[next].clone();
            next += 1;
            if self.accepting[state as usize] {
                return Some(word);
            }
            for (symbol, to) in &self.edges[state as usize] {
                if seen.insert(*to) {
                    let mut longer = word.clone();
                    longer.push(*symbol);
                    queue.push((*to, longer));
                }
            }
        }
        None
    }

    /// All stacks with at most `depth` symbols.
    pub fn up_to(&self, depth: usize) -> Vec<Vec<Symbol>> {
        let mut words = Vec::new();
        let mut layer: Vec<(u32, Vec<Symbol>)> = vec![(0, Vec::new())];
        for _ in 0..=depth {
            let mut next = Vec::new();
            for (state, word) in layer {
                for (symbol, to) in &self.edges[state as usize] {
                    let mut longer = word.clone();
                    longer.push(*symbol);
                    next.push((*to, longer));
                }
                if self.accepting[state as usize] {
                    words.push(word);
                }
            }
            layer = next;
        }
        words
    }

    /// Whether `stack` is in the set.
    pub fn contains(&self, stack: &[Symbol]) -> bool {
        let follow = |state: u32, symbol: &Symbol| self.edges[state as usize].get(symbol).copied();
        let end = stack.iter().try_fold(0, follow);
        end.is_some_and(|state| self.accepting[state as usize])
    }
}

//! `post*` of one thread by saturation of a P-automaton (Bouajjani, Esparza and Maler 1997; Schwoon 2002), with reasons.
//!
//! States of the automaton: the shared states, the states of the automaton that describes the stacks at the start, and one
//! middle state for each pair (shared state, topmost symbol) that a push leads to. A configuration `(g, w)` is in the set
//! iff `w` is read from `g` to an accepting state. Transitions without a symbol come from pops and start in shared states
//! only; they are closed at once with what leaves the state they lead to.
//!
//! Each transition remembers the rule and the transitions from which it was first derived. These are older than itself, so
//! [`Post::explain`] ends: each of its replacements puts older transitions in the place of a newer one.

use super::brute::Index;
use super::network::{Action, Network, Shared, Symbol};
use super::stacks::{Nondeterministic, Stacks};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A transition: from, symbol (`None` for no symbol), to.
type Transition = (u32, Option<Symbol>, u32);

/// Why a transition is there.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// It belongs to the set at the start.
    Given,
    /// The rule replaces the topmost symbol of the other transition.
    Internal(usize, usize),
    /// The rule pops the symbol of the other transition.
    Pop(usize, usize),
    /// A transition without a symbol, followed by one that leaves the state it leads to.
    Joined(usize, usize),
    /// The upper symbol of a push: the transition that leaves the middle state says which.
    Upper,
    /// The lower symbol of a push by the rule from the other transition.
    Lower(usize, usize),
}

/// The set of local configurations that a thread can reach by itself.
#[derive(Debug)]
pub struct Post {
    shared: u32,
    transitions: Vec<(Transition, Reason)>,
    leaving: Vec<Vec<usize>>,
    accepting: Vec<bool>,
}

/// Rules that are left out on purpose, to test the tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// Transitions without a symbol are not closed.
    NoJoin,
}

impl Post {
    /// `post*` of the configurations with shared state `start` and a stack in `stacks`.
    pub fn new(
        network: &Network,
        index: &Index,
        start: Shared,
        stacks: &Stacks,
        fault: Fault,
    ) -> Post {
        let offset = network.shared;
        let mut accepting = vec![false; offset as usize];
        accepting.extend(&stacks.accepting);
        let mut post = Post {
            shared: network.shared,
            transitions: Vec::new(),
            leaving: vec![Vec::new(); accepting.len()],
            accepting,
        };
        let mut known: FxHashMap<Transition, usize> = FxHashMap::default();
        let mut middle: FxHashMap<(Shared, Symbol), u32> = FxHashMap::default();
        // Transitions without a symbol by the state they lead to.
        let mut popped: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (state, row) in stacks.edges.iter().enumerate() {
            for (symbol, to) in row {
                let edge = (offset + state as u32, Some(*symbol), offset + to);
                post.add(&mut known, edge, Reason::Given);
                if state == 0 {
                    post.add(
                        &mut known,
                        (start, Some(*symbol), offset + to),
                        Reason::Given,
                    );
                }
            }
        }
        if stacks.accepting[0] {
            post.add(&mut known, (start, None, offset), Reason::Given);
        }
        let mut next = 0;
        while next < post.transitions.len() {
            let this = next;
            next += 1;
            let ((from, symbol, to), _) = post.transitions[this];
            if fault != Fault::NoJoin {
                // A transition without a symbol in front of this one; this one in front of others, if it has none.
                for before in popped.get(&from).cloned().unwrap_or_default() {
                    let ((origin, _, _), _) = post.transitions[before];
                    post.add(
                        &mut known,
                        (origin, symbol, to),
                        Reason::Joined(before, this),
                    );
                }
                if symbol.is_none() {
                    popped.entry(to).or_default().push(this);
                    // Those that are not yet handled find this one when it is their turn.
                    for after in post.leaving[to as usize].clone() {
                        let ((_, label, end), _) = post.transitions[after];
                        post.add(&mut known, (from, label, end), Reason::Joined(this, after));
                    }
                }
            }
            let Some(symbol) = symbol else { continue };
            if from >= network.shared {
                continue;
            }
            for &number in index.get(&(from, symbol)).into_iter().flatten() {
                let rule = network.rules[number];
                match rule.action {
                    Action::Pop => {
                        post.add(&mut known, (rule.to, None, to), Reason::Pop(number, this));
                    }
                    Action::Internal(next) | Action::Spawn { next, .. } => {
                        let edge = (rule.to, Some(next), to);
                        post.add(&mut known, edge, Reason::Internal(number, this));
                    }
                    Action::Push { callee, ret } => {
                        let fresh = post.accepting.len() as u32;
                        let mid = *middle.entry((rule.to, callee)).or_insert(fresh);
                        if mid == fresh {
                            post.accepting.push(false);
                            post.leaving.push(Vec::new());
                        }
                        post.add(&mut known, (rule.to, Some(callee), mid), Reason::Upper);
                        post.add(
                            &mut known,
                            (mid, Some(ret), to),
                            Reason::Lower(number, this),
                        );
                    }
                }
            }
        }
        post
    }

    fn add(&mut self, known: &mut FxHashMap<Transition, usize>, edge: Transition, reason: Reason) {
        let number = self.transitions.len();
        known.entry(edge).or_insert_with(|| {
            self.transitions.push((edge, reason));
            self.leaving[edge.0 as usize].push(number);
            number
        });
    }

    /// For each shared state that can be reached the stacks with which it can be reached.
    pub fn split(&self) -> Vec<(Shared, Stacks)> {
        let mut plain = Nondeterministic {
            edges: vec![Vec::new(); self.accepting.len()],
            accepting: self.accepting.clone(),
        };
        for ((from, symbol, to), _) in &self.transitions {
            if let Some(symbol) = symbol {
                plain.edges[*from as usize].push((*symbol, *to));
            }
        }
        let part = |shared: Shared| {
            let silent = self.leaving[shared as usize]
                .iter()
                .map(|t| self.transitions[*t].0);
            let silent = silent.filter(|edge| edge.1.is_none()).map(|edge| edge.2);
            let start: BTreeSet<u32> = silent.chain([shared]).collect();
            Stacks::canonical(&plain, start).map(|stacks| (shared, stacks))
        };
        (0..self.shared).filter_map(part).collect()
    }

    /// For a configuration in the set: the stack at the start from which the thread reaches it, and the rules, in order.
    pub fn explain(&self, shared: Shared, stack: &[Symbol]) -> Option<(Vec<Symbol>, Vec<usize>)> {
        let mut path = self.path(shared, stack)?;
        // The path is kept reversed: its first transition is the last element.
        path.reverse();
        let mut rules = Vec::new();
        loop {
            let Some(first) = path.pop() else {
                return Some((Vec::new(), Vec::new()));
            };
            match self.transitions[first].1 {
                Reason::Given => {
                    path.push(first);
                    break;
                }
                Reason::Internal(rule, from) => {
                    rules.push(rule);
                    path.push(from);
                }
                Reason::Pop(rule, from) => {
                    rules.push(rule);
                    path.push(from);
                }
                Reason::Joined(silent, after) => {
                    path.push(after);
                    path.push(silent);
                }
                Reason::Upper => {
                    let lower = path.pop()?;
                    let Reason::Lower(rule, from) = self.transitions[lower].1 else {
                        return None;
                    };
                    rules.push(rule);
                    path.push(from);
                }
                Reason::Lower(..) => return None,
            }
        }
        rules.reverse();
        let symbols = path.iter().rev().filter_map(|t| self.transitions[*t].0.1);
        Some((symbols.collect(), rules))
    }

    /// Transitions that read `stack` from `shared` to an accepting state.
    fn path(&self, shared: Shared, stack: &[Symbol]) -> Option<Vec<usize>> {
        /// A position in the stack and a state of the automaton.
        type Place = (usize, u32);
        // Breadth first, with the transition that led to each place.
        let mut reached: FxHashMap<Place, Option<(usize, Place)>> = FxHashMap::default();
        let mut queue = vec![(0, shared)];
        reached.insert((0, shared), None);
        let mut next = 0;
        while next < queue.len() {
            let here = queue[next];
            next += 1;
            if here.0 == stack.len() && self.accepting[here.1 as usize] {
                let mut path = Vec::new();
                let mut at = here;
                while let Some((edge, before)) = reached[&at] {
                    path.push(edge);
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            for &edge in &self.leaving[here.1 as usize] {
                let ((_, symbol, to), _) = self.transitions[edge];
                let there = match symbol {
                    None => (here.0, to),
                    Some(symbol) if stack.get(here.0) == Some(&symbol) => (here.0 + 1, to),
                    Some(_) => continue,
                };
                reached.entry(there).or_insert_with(|| {
                    queue.push(there);
                    Some((edge, here))
                });
            }
        }
        None
    }
}

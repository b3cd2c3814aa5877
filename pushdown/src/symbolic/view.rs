//! Views: sets of local configurations of one thread, as symbolic automata that share procedure summaries.
//!
//! A view is a P-automaton whose states carry valuations. A *head* reads the topmost frame: from the globals `g` with the
//! frame `(γ, l)` to a state `q` with the valuation of `q`. The states are [`Node::Bottom`] (nothing below) and
//! [`Node::Frame`]: "below the frames of a call of `entry` with globals and locals `B`, made in context `context`".
//! A *generation* has the edges that leave the states of one context: `returns` to states of earlier contexts, and the
//! calls among the procedures of that context. The latter are facts about procedures, not about contexts: they are in the
//! summaries of the network, and `reached` says for which entries they count in this generation.

use super::network::{Label, Network};
use super::space::{Bdd, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A state of a view's automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// The bottom of the stack.
    Bottom,
    /// Below the frames of a call.
    Frame {
        /// The number of the context of the call; 0 for what was there initially.
        context: u32,
        /// The label at which the callee starts.
        entry: Label,
    },
}

/// The edges that leave states of one context.
#[derive(Debug)]
pub(crate) struct Generation {
    /// By entry, then label of the frame and state it leads to: `(A, l, B)`.
    pub(crate) returns: BTreeMap<Label, BTreeMap<(Label, Node), Bdd>>,
    /// The entries that were reached in this context: `B`. Empty for generation 0, which shares no calls.
    pub(crate) reached: BTreeMap<Label, Bdd>,
}

/// A set of local configurations.
#[derive(Clone, Debug)]
pub struct View {
    /// By label of the topmost frame and state it leads to: `(g, l, B)`.
    pub(crate) heads: BTreeMap<(Label, Node), Bdd>,
    /// The globals with which the stack may be empty.
    pub(crate) empty: Bdd,
    /// Generations by the number of the context.
    pub(crate) generations: BTreeMap<u32, Rc<Generation>>,
}

impl View {
    /// The view of an initial stack.
    pub(crate) fn initial(network: &Network, stack: &[(Label, Bdd)]) -> Result<View> {
        let space = &network.space;
        let node = |depth: usize| match depth == stack.len() {
            true => Node::Bottom,
            false => Node::Frame {
                context: 0,
                entry: depth as u32,
            },
        };
        let mut view = View {
            heads: BTreeMap::new(),
            empty: space.none(),
            generations: BTreeMap::new(),
        };
        let Some((label, locals)) = stack.first() else {
            view.empty = network.globals.clone();
            return Ok(view);
        };
        view.heads
            .insert((*label, node(1)), space.and(&network.globals, locals)?);
        let mut returns: BTreeMap<Label, BTreeMap<(Label, Node), Bdd>> = BTreeMap::new();
        for (depth, (label, locals)) in stack.iter().enumerate().skip(1) {
            returns
                .entry(depth as u32)
                .or_default()
                .insert((*label, node(depth + 1)), locals.clone());
        }
        let generation = Generation {
            returns,
            reached: BTreeMap::new(),
        };
        view.generations.insert(0, Rc::new(generation));
        view.drop_unused();
        Ok(view)
    }

    /// Leaves out generations that no stack of the view uses.
    pub(crate) fn drop_unused(&mut self) {
        let mut used: BTreeSet<u32> = BTreeSet::new();
        let context = |node: &Node| match node {
            Node::Bottom => None,
            Node::Frame { context, .. } => Some(*context),
        };
        let mut work: Vec<u32> = self
            .heads
            .keys()
            .filter_map(|(_, node)| context(node))
            .collect();
        while let Some(number) = work.pop() {
            if used.insert(number) {
                let edges = self.generations[&number]
                    .returns
                    .values()
                    .flat_map(BTreeMap::keys);
                work.extend(edges.filter_map(|(_, node)| context(node)));
            }
        }
        self.generations.retain(|number, _| used.contains(number));
    }

    /// The globals with which there is a stack.
    pub(crate) fn globals(&self, network: &Network) -> Result<Bdd> {
        let mut globals = self.empty.clone();
        for heads in self.heads.values() {
            let with = network.space.exists(heads, &network.names.locals_b)?;
            globals = network.space.or(&globals, &with)?;
        }
        Ok(globals)
    }

    /// Whether every edge of this view is one of `other`, up to the numbers of contexts: then this view is a subset.
    pub(crate) fn is_within(&self, network: &Network, other: &View) -> Result<bool> {
        if self.generations.len() != other.generations.len() {
            return Ok(false);
        }
        let space = &network.space;
        let numbers: BTreeMap<u32, u32> = self
            .generations
            .keys()
            .copied()
            .zip(other.generations.keys().copied())
            .collect();
        let there = |node: &Node| match node {
            Node::Bottom => Node::Bottom,
            Node::Frame { context, entry } => Node::Frame {
                context: numbers[context],
                entry: *entry,
            },
        };
        let edges = |mine: &BTreeMap<(Label, Node), Bdd>,
                     theirs: Option<&BTreeMap<(Label, Node), Bdd>>| {
            for ((label, node), set) in mine {
                let found = theirs.and_then(|edges| edges.get(&(*label, there(node))));
                let none = space.none();
                if !space.is_subset(set, found.unwrap_or(&none))? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        if !space.is_subset(&self.empty, &other.empty)? || !edges(&self.heads, Some(&other.heads))?
        {
            return Ok(false);
        }
        for (number, mine) in &self.generations {
            let theirs = &other.generations[&numbers[number]];
            if Rc::ptr_eq(mine, theirs) {
                continue;
            }
            for (entry, set) in &mine.reached {
                let none = space.none();
                if !space.is_subset(set, theirs.reached.get(entry).unwrap_or(&none))? {
                    return Ok(false);
                }
            }
            for (entry, mine) in &mine.returns {
                if !edges(mine, theirs.returns.get(entry))? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

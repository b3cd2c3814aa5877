//! The configurations of view tuples one by one, up to a depth of stacks: for tests on small networks.

use super::contexts::{Exploration, Tuple};
use super::network::{Configuration, Frame, Label};
use super::partition;
use super::saturation::{Fault, edges};
use super::space::{Bdd, Bits, Copy, Result};
use super::view::{Node, View};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// A state of a view with its valuation, and how it was reached.
type Place = (Node, Bits, Bits, Vec<Frame>);

/// Globals, and stacks of each thread: with these globals the threads can have all combinations of them.
pub type Product = (Bits, Vec<BTreeSet<Vec<Frame>>>);

impl Exploration<'_> {
    /// The configurations of the view tuples that were found first with `contexts` contexts, as far as their stacks have at
    /// most `depth` frames. With those of fewer contexts they are all that can be reached.
    pub fn configurations(&self, contexts: usize, depth: usize) -> Result<BTreeSet<Product>> {
        let mut all = BTreeSet::new();
        for tuple in self.tuples(contexts) {
            for (globals, value) in self.globals(tuple)? {
                let stacks = tuple.views.iter();
                let stacks = stacks.map(|view| self.stacks(view, &value, depth));
                all.insert((globals, stacks.collect::<Result<_>>()?));
            }
        }
        Ok(all)
    }

    /// The visible states of the view tuples with at most `contexts` contexts, as the heads of their views say, whatever is
    /// below: stacks are cut to their topmost frame.
    pub fn visible(&self, contexts: usize) -> Result<BTreeSet<Configuration>> {
        let space = &self.network.space;
        let mut all = BTreeSet::new();
        for tuple in (0..=contexts).flat_map(|level| self.tuples(level)) {
            for (globals, value) in self.globals(tuple)? {
                let mut prefixes = vec![Vec::new()];
                for view in &tuple.views {
                    let mut tops: Vec<Place> = Vec::new();
                    for ((label, _), set) in &view.heads {
                        self.expand(
                            space.and(set, &value)?,
                            *label,
                            Node::Bottom,
                            &[],
                            &mut tops,
                        )?;
                    }
                    let mut tops: BTreeSet<Vec<Frame>> =
                        tops.into_iter().map(|(_, _, _, top)| top).collect();
                    if !space.is_none(&space.and(&view.empty, &value)?) {
                        tops.insert(Vec::new());
                    }
                    prefixes = combine(&prefixes, &tops);
                }
                all.extend(prefixes.into_iter().map(|stacks| Configuration {
                    globals: globals.clone(),
                    stacks,
                }));
            }
        }
        Ok(all)
    }

    /// The values of the globals in a tuple.
    fn globals(&self, tuple: &Tuple) -> Result<Vec<(Bits, Bdd)>> {
        let (space, names) = (&self.network.space, &self.network.names);
        let mut globals = tuple.views[0].empty.clone();
        for set in tuple.views[0].heads.values() {
            globals = space.or(&globals, &space.exists(set, &names.locals_b)?)?;
        }
        partition::values(space, &globals)
    }

    /// The stacks of a view with these globals.
    fn stacks(&self, view: &View, globals: &Bdd, depth: usize) -> Result<BTreeSet<Vec<Frame>>> {
        let space = &self.network.space;
        let mut found = BTreeSet::new();
        if !space.is_none(&space.and(&view.empty, globals)?) {
            found.insert(Vec::new());
        }
        let mut work: Vec<Place> = Vec::new();
        for ((label, node), set) in &view.heads {
            self.expand(space.and(set, globals)?, *label, *node, &[], &mut work)?;
        }
        // Many runs lead to the same frames.
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        while let Some(place) = work.pop() {
            if place.0 != Node::Bottom && !seen.insert(place.clone()) {
                continue;
            }
            let (node, entry_globals, entry_locals, stack) = place;
            if node == Node::Bottom {
                found.insert(stack);
                continue;
            }
            if stack.len() >= depth {
                continue;
            }
            let here = space.globals_are(Copy::A, &entry_globals)?;
            let here = space.and(&here, &space.locals_are(Copy::A, &entry_locals)?)?;
            for (label, below, edge) in
                edges(self.network, &self.summaries, view, node, Fault::None)?
            {
                self.expand(space.and(&edge, &here)?, label, below, &stack, &mut work)?;
            }
        }
        Ok(found)
    }

    /// All frames and entries in `set`.
    fn expand(
        &self,
        set: Bdd,
        label: Label,
        node: Node,
        stack: &[Frame],
        work: &mut Vec<Place>,
    ) -> Result<()> {
        let space = &self.network.space;
        let mut left = set;
        while let Some(picked) = space.pick(&left) {
            let locals = space.picked_locals(&picked, Copy::Now);
            let entry = (
                space.picked_globals(&picked, Copy::B),
                space.picked_locals(&picked, Copy::B),
            );
            let mut taken = space.locals_are(Copy::Now, &locals)?;
            if node != Node::Bottom {
                taken = space.and(&taken, &space.globals_are(Copy::B, &entry.0)?)?;
                taken = space.and(&taken, &space.locals_are(Copy::B, &entry.1)?)?;
            }
            left = space.minus(&left, &taken)?;
            let frame = Frame { label, locals };
            work.push((
                node,
                entry.0,
                entry.1,
                [stack.to_vec(), vec![frame]].concat(),
            ));
        }
        Ok(())
    }
}

/// Every prefix with every stack added.
fn combine(prefixes: &[Vec<Vec<Frame>>], stacks: &BTreeSet<Vec<Frame>>) -> Vec<Vec<Vec<Frame>>> {
    let longer = |prefix: &Vec<Vec<Frame>>| {
        let with = |stack: &Vec<Frame>| [prefix.clone(), vec![stack.clone()]].concat();
        stacks.iter().map(with).collect::<Vec<_>>()
    };
    prefixes.iter().flat_map(longer).collect()
}

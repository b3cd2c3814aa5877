//! Enumeration of configurations, context by context: the definition, executed. The slowest of the twins.
//!
//! Only for networks with few configurations: beyond a limit on stack depth or number of configurations the enumeration
//! gives up. A configuration found within `k` contexts is expanded with every thread, so the sets are those of the
//! definition whatever thread moved last: more contexts by the same thread add nothing.

use super::network::{Action, Configuration, Network, Step};
use rustc_hash::{FxHashMap, FxHashSet};

/// A configuration with a mark for each thread that is initial or has been scheduled.
pub type Marked = (Configuration, Vec<bool>);

/// How far to enumerate.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The deepest stack.
    pub depth: usize,
    /// The most configurations.
    pub configurations: usize,
}

/// The rules of a network by what they need: shared state and topmost symbol.
pub(crate) type Index = FxHashMap<(u32, u32), Vec<usize>>;

/// The rules of `network` by what they need.
pub(crate) fn index(network: &Network) -> Index {
    let mut index = Index::default();
    for (number, rule) in network.rules.iter().enumerate() {
        index.entry(rule.from).or_default().push(number);
    }
    index
}

/// The configurations reachable within 0, 1, …, `bound` contexts, each with the smallest number of contexts; `None` if a
/// limit was reached.
pub fn reachable(
    network: &Network,
    bound: usize,
    limits: Limits,
) -> Option<FxHashMap<Marked, usize>> {
    let index = index(network);
    let threads = network.initial.stacks.len();
    let start: Marked = (network.initial.clone(), vec![true; threads]);
    let mut level: FxHashMap<Marked, usize> = FxHashMap::default();
    level.insert(start.clone(), 0);
    let mut frontier = vec![start];
    for context in 1..=bound {
        let mut next = Vec::new();
        for (configuration, marks) in &frontier {
            for thread in 0..configuration.stacks.len() {
                let mut marks = marks.clone();
                marks[thread] = true;
                let first = (configuration.clone(), marks);
                let mut inside: FxHashSet<Marked> = FxHashSet::default();
                inside.insert(first.clone());
                let mut stack = vec![first];
                while let Some(current) = stack.pop() {
                    if !level.contains_key(&current) {
                        if level.len() >= limits.configurations {
                            return None;
                        }
                        level.insert(current.clone(), context);
                        next.push(current.clone());
                    }
                    let Some(top) = current.0.stacks[thread].first() else {
                        continue;
                    };
                    for &rule in index.get(&(current.0.shared, *top)).into_iter().flatten() {
                        let step = Step { thread, rule };
                        let Ok(after) = network.step(&current.0, step) else {
                            continue;
                        };
                        let mut marks = current.1.clone();
                        if let Action::Spawn { .. } = network.rules[rule].action {
                            marks.push(false);
                        }
                        if after.stacks[thread].len() > limits.depth
                            || after.stacks.len() > threads + limits.depth
                            || inside.len() > limits.configurations
                        {
                            return None;
                        }
                        let after = (after, marks);
                        if inside.insert(after.clone()) {
                            stack.push(after);
                        }
                    }
                }
            }
        }
        frontier = next;
    }
    Some(level)
}

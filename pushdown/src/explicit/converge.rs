//! When more contexts cannot matter: two tests that turn "no violation up to `k`" into "holds".
//!
//! `R(k)` are the configurations reachable within `k` contexts, `T(R(k))` their visible states (shared state and topmost
//! symbols). Targets are conditions on visible states. For networks that do not create threads:
//!
//! 1. **Exhaustion.** `R(k) = R(k + 1)` implies `R(k) = R(m)` for all `m ≥ k`: every context from `R(k)` stays in it.
//!
//! 2. **Stuttering with generators** (Liu and Wahl, PLDI 2018). Let `T(R(k)) = T(R(k + 1))` and let `T(R(k))` contain every
//!    visible state that some reachable pop leads to. Then `T(R(m)) = T(R(k))` for all `m ≥ k`.
//!    Proof. Assume a reachable configuration whose visible state is not in `T(R(k))`, and take a shortest run to one. Let
//!    `a → b` be its last step: the visible state of `a` is in `T(R(k))`, that of `b` is not. The step is no pop, because
//!    those lead to visible states of `T(R(k))`. So `T(b)` depends on `T(a)` and the rule alone. Some `a'` in `R(k)` has
//!    the visible state of `a`; the same thread can use the same rule there, and leads to some `b'` in `R(k + 1)` with the
//!    visible state of `b`. So `T(b)` is in `T(R(k + 1)) = T(R(k))`, a contradiction.
//!
//!    Which pops are reachable is not known, so a superset is used: the pops of an abstraction `Z` that keeps the topmost
//!    `d` symbols of each stack. When a symbol is popped from a stack that may be deeper, the symbol that appears at
//!    depth `d` is any that may be directly below the lowest one that was kept (see `below`), or none. `Z` simulates the
//!    network: the first `d` symbols of a stack after a pop are the remaining `d - 1` and the next one, if there is
//!    one. Larger `d` are tried when a smaller one has generators that do not appear.
//!
//! What would break it: a target that looks below the topmost symbols; a rule for empty stacks; thread creation (the number
//! of threads in a visible state is fixed here).

use super::brute::index;
use super::contexts::Exploration;
use super::network::{Action, Network, Symbol, Visible};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Abstract configurations are not enumerated beyond this number.
const MOST_ABSTRACT: usize = 200_000;
/// The largest number of symbols that the abstraction keeps of a stack.
const MOST_DEPTH: usize = 3;

/// The state of both tests along an exploration.
#[derive(Debug)]
pub struct Convergence<'n> {
    network: &'n Network,
    observed: BTreeSet<Visible>,
    levels: usize,
    /// Whether the last level added no visible state.
    stutters: bool,
    /// Generators for depth 1, 2, …, as far as they were needed; `None` where there are too many configurations.
    generators: Vec<Option<BTreeSet<Visible>>>,
    missing: Option<Visible>,
}

impl<'n> Convergence<'n> {
    /// Nothing observed yet.
    pub fn new(network: &'n Network) -> Self {
        let observed = BTreeSet::new();
        Convergence {
            network,
            observed,
            levels: 0,
            stutters: false,
            generators: Vec::new(),
            missing: None,
        }
    }

    /// Observes the levels that are new since the last call, and says why no more can be observed, if that is proved.
    pub fn holds(&mut self, exploration: &Exploration<'_>) -> Option<String> {
        while self.levels <= exploration.contexts() {
            let before = self.observed.len();
            self.observed.extend(exploration.visible(self.levels));
            self.stutters = self.levels > 0 && self.observed.len() == before;
            self.levels += 1;
        }
        if exploration.contexts() > 0 && exploration.exhausted() {
            return Some("one more context reaches no new configuration".to_owned());
        }
        if !self.stutters {
            return None;
        }
        for depth in 1..=MOST_DEPTH {
            if self.generators.len() < depth {
                self.generators.push(generators(self.network, depth));
            }
            let Some(generators) = &self.generators[depth - 1] else {
                return None;
            };
            self.missing = generators
                .iter()
                .find(|g| !self.observed.contains(*g))
                .cloned();
            if self.missing.is_none() {
                let count = generators.len();
                return Some(format!(
                    "the visible states stutter and contain all {count} generators (abstraction of depth {depth})"
                ));
            }
        }
        None
    }

    /// Why convergence could not be shown.
    pub fn obstacle(&self) -> String {
        match (&self.missing, self.generators.last()) {
            (_, Some(None)) => {
                "no convergence: the abstraction has too many configurations".to_owned()
            }
            (Some((shared, tops)), _) => {
                let tops: Vec<String> = tops
                    .iter()
                    .map(|t| t.map_or("-".to_owned(), |s| s.to_string()))
                    .collect();
                format!(
                    "no convergence: generator {shared}|{} was not observed",
                    tops.join(",")
                )
            }
            _ => "no convergence: visible states were still being added".to_owned(),
        }
    }
}

/// The visible states after pops in the abstraction that keeps `depth` symbols; `None` if it has too many configurations.
pub fn generators(network: &Network, depth: usize) -> Option<BTreeSet<Visible>> {
    let index = index(network);
    let below = below(network);
    let start = &network.initial;
    let cut = |stack: &Vec<Symbol>| stack[..stack.len().min(depth)].to_vec();
    let first: (u32, Vec<Vec<Symbol>>) = (start.shared, start.stacks.iter().map(cut).collect());
    let mut seen = FxHashSet::from_iter([first.clone()]);
    let mut work = vec![first];
    let mut found = BTreeSet::new();
    while let Some((shared, stacks)) = work.pop() {
        for thread in 0..stacks.len() {
            let Some(top) = stacks[thread].first() else {
                continue;
            };
            for &rule in index.get(&(shared, *top)).into_iter().flatten() {
                let rule = network.rules[rule];
                let old = &stacks[thread];
                let (after, pops): (Vec<Vec<Symbol>>, bool) = match rule.action {
                    Action::Pop => {
                        let rest = old[1..].to_vec();
                        let mut all = vec![rest.clone()];
                        if old.len() == depth {
                            let lowest = old[depth - 1];
                            let next = below.get(&lowest).into_iter().flatten();
                            all.extend(next.map(|symbol| [rest.clone(), vec![*symbol]].concat()));
                        }
                        (all, true)
                    }
                    Action::Internal(next) | Action::Spawn { next, .. } => {
                        (vec![[vec![next], old[1..].to_vec()].concat()], false)
                    }
                    Action::Push { callee, ret } => {
                        let mut stack = [vec![callee, ret], old[1..].to_vec()].concat();
                        stack.truncate(depth);
                        (vec![stack], false)
                    }
                };
                for stack in after {
                    let mut next = (rule.to, stacks.clone());
                    next.1[thread] = stack;
                    if pops {
                        let tops = next.1.iter().map(|s| s.first().copied()).collect();
                        found.insert((rule.to, tops));
                    }
                    if seen.len() >= MOST_ABSTRACT {
                        return None;
                    }
                    if seen.insert(next.clone()) {
                        work.push(next);
                    }
                }
            }
        }
    }
    Some(found)
}

/// For each symbol the symbols that may be directly below it in a stack.
///
/// A push puts `ret` below `callee`; an internal rule leaves what is below; after a pop, the symbol that appears is above
/// what was below it. So what is below a symbol changes only by replacement of the upper one: the relation is closed under
/// internal rules and under the replacement of the caller's symbol by `ret`.
fn below(network: &Network) -> BTreeMap<Symbol, BTreeSet<Symbol>> {
    let mut below: BTreeMap<Symbol, BTreeSet<Symbol>> = BTreeMap::new();
    for stack in &network.initial.stacks {
        for pair in stack.windows(2) {
            below.entry(pair[0]).or_default().insert(pair[1]);
        }
    }
    for rule in &network.rules {
        if let Action::Push { callee, ret } = rule.action {
            below.entry(callee).or_default().insert(ret);
        }
    }
    loop {
        let mut grown = false;
        for rule in &network.rules {
            let to = match rule.action {
                Action::Internal(next) | Action::Spawn { next, .. } => next,
                Action::Push { ret, .. } => ret,
                Action::Pop => continue,
            };
            let lower = below.get(&rule.from.1).cloned().unwrap_or_default();
            let set = below.entry(to).or_default();
            let before = set.len();
            set.extend(lower);
            grown |= set.len() > before;
        }
        if !grown {
            return below;
        }
    }
}

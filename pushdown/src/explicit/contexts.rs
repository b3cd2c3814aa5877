//! Context-bounded reachability by explicit enumeration of shared states at switches (Qadeer and Rehof 2005).
//!
//! This is Algorithm 1 of the paper of jMoped with eager splitting: a tuple is a shared state and one regular set of stacks
//! per thread; one context of thread `i` replaces the set of thread `i` by `post*`, split by the shared state it ends with.
//! Sets of stacks are canonical ([`Stacks`]), so a tuple that was found before is recognised and dropped.
//!
//! Dropping is sound whatever thread moved last: if a tuple was found first after a context of thread `i`, all siblings
//! from the same split were added with it, and together they are closed under moves of `i`.

use super::brute::{Index, index};
use super::creation::Slots;
use super::network::{Network, Shared, Step, Target, Visible};
use super::post::{Fault, Post};
use super::stacks::Stacks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A set of configurations: one shared state, and for each thread a set of stacks.
#[derive(Clone, Debug)]
pub struct Tuple {
    /// The shared state.
    pub shared: Shared,
    /// The stacks of each thread.
    pub stacks: Vec<Rc<Stacks>>,
    /// The tuple from which one context leads here, and the thread of that context.
    pub parent: Option<(usize, usize)>,
}

/// What is reachable within a growing number of contexts.
#[derive(Debug)]
pub struct Exploration<'n> {
    network: &'n Network,
    index: Index,
    fault: Fault,
    seen: FxHashSet<(Shared, Vec<Rc<Stacks>>)>,
    /// Results of `post*` by shared state and stacks.
    posts: FxHashMap<(Shared, Rc<Stacks>), PostParts>,
    tuples: Vec<Tuple>,
    /// Where the tuples of each number of contexts end in `tuples`.
    ends: Vec<usize>,
}

/// The result of `post*`, split by shared state.
type PostParts = Rc<Vec<(Shared, Rc<Stacks>)>>;

impl<'n> Exploration<'n> {
    /// Starts with the initial configuration: no context.
    ///
    /// Rules that create threads are taken as internal ones: see [`Slots`] for networks with such rules.
    pub fn new(network: &'n Network) -> Self {
        Self::with_fault(network, Fault::None)
    }

    /// The same, with a fault on purpose.
    pub fn with_fault(network: &'n Network, fault: Fault) -> Self {
        let stacks = network.initial.stacks.iter();
        let stacks: Vec<Rc<Stacks>> = stacks.map(|s| Rc::new(Stacks::single(s))).collect();
        let shared = network.initial.shared;
        let seen = FxHashSet::from_iter([(shared, stacks.clone())]);
        let tuples = vec![Tuple {
            shared,
            stacks,
            parent: None,
        }];
        let index = index(network);
        Exploration {
            network,
            index,
            fault,
            seen,
            posts: FxHashMap::default(),
            tuples,
            ends: vec![1],
        }
    }

    /// The number of contexts explored so far.
    pub fn contexts(&self) -> usize {
        self.ends.len() - 1
    }

    /// All tuples found so far.
    pub fn tuples(&self) -> &[Tuple] {
        &self.tuples
    }

    /// The tuples found first with `contexts` contexts.
    pub fn level(&self, contexts: usize) -> &[Tuple] {
        let start = contexts
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.tuples[start..self.ends[contexts]]
    }

    /// Whether one more context adds nothing: the last one added no tuple.
    ///
    /// If no tuple is new with `k` contexts, the configurations reachable within `k` and `k - 1` contexts are the same,
    /// and so are those reachable within any larger number.
    pub fn exhausted(&self) -> bool {
        self.level(self.contexts()).is_empty()
    }

    /// Explores one more context. False if the number of tuples reached `limit`; then nothing is added to the levels.
    pub fn advance(&mut self, limit: usize) -> bool {
        self.advance_unless(limit, &|| false)
    }

    /// The same, and false too if `stop` says so.
    fn advance_unless(&mut self, limit: usize, stop: &dyn Fn() -> bool) -> bool {
        let contexts = self.contexts();
        let range = contexts
            .checked_sub(1)
            .map_or(0, |before| self.ends[before])..self.ends[contexts];
        for number in range {
            if stop() {
                return false;
            }
            let tuple = self.tuples[number].clone();
            for thread in 0..tuple.stacks.len() {
                if tuple.parent.is_some_and(|(_, last)| last == thread) {
                    continue;
                }
                for (shared, stacks) in self.post(tuple.shared, &tuple.stacks[thread]).iter() {
                    let mut all = tuple.stacks.clone();
                    all[thread] = stacks.clone();
                    if self.seen.insert((*shared, all.clone())) {
                        if self.tuples.len() >= limit {
                            return false;
                        }
                        let parent = Some((number, thread));
                        self.tuples.push(Tuple {
                            shared: *shared,
                            stacks: all,
                            parent,
                        });
                    }
                }
            }
        }
        self.ends.push(self.tuples.len());
        true
    }

    fn post(&mut self, shared: Shared, stacks: &Rc<Stacks>) -> PostParts {
        let key = (shared, stacks.clone());
        if let Some(parts) = self.posts.get(&key) {
            return parts.clone();
        }
        let post = Post::new(self.network, &self.index, shared, stacks, self.fault);
        let parts = post
            .split()
            .into_iter()
            .map(|(shared, stacks)| (shared, Rc::new(stacks)));
        let parts = Rc::new(parts.collect::<Vec<_>>());
        self.posts.insert(key, parts.clone());
        parts
    }

    /// The visible states of the tuples found first with `contexts` contexts.
    pub fn visible(&self, contexts: usize) -> BTreeSet<Visible> {
        let mut all = BTreeSet::new();
        for tuple in self.level(contexts) {
            let mut prefixes = vec![Vec::new()];
            for stacks in &tuple.stacks {
                let tops = stacks.tops();
                let longer = |prefix: &Vec<Option<u32>>| {
                    let prefix = prefix.clone();
                    tops.clone().into_iter().map(move |top| {
                        let mut longer = prefix.clone();
                        longer.push(top);
                        longer
                    })
                };
                prefixes = prefixes.iter().flat_map(longer).collect();
            }
            all.extend(prefixes.into_iter().map(|tops| (tuple.shared, tops)));
        }
        all
    }

    /// A run to `target` that ends with a tuple of the last level, if there is one.
    pub fn witness(&self, target: &Target) -> Option<Vec<Step>> {
        let start = self
            .contexts()
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        let found =
            (start..self.tuples.len()).find_map(|number| Some((number, self.hit(number, target)?)));
        let (mut number, mut stacks) = found?;
        let mut parts: Vec<Vec<Step>> = Vec::new();
        let mut shared = self.tuples[number].shared;
        while let Some((parent, thread)) = self.tuples[number].parent {
            let before = &self.tuples[parent];
            let old = &before.stacks[thread];
            let post = Post::new(self.network, &self.index, before.shared, old, self.fault);
            let (stack, rules) = post.explain(shared, &stacks[thread])?;
            stacks[thread] = stack;
            parts.push(
                rules
                    .into_iter()
                    .map(|rule| Step { thread, rule })
                    .collect(),
            );
            number = parent;
            shared = before.shared;
        }
        parts.reverse();
        Some(parts.concat())
    }

    /// Stacks of a configuration of the tuple that is in `target`.
    fn hit(&self, number: usize, target: &Target) -> Option<Vec<Vec<u32>>> {
        let tuple = &self.tuples[number];
        let choose = |admits: &dyn Fn(usize, Option<u32>) -> bool| {
            let stacks = tuple.stacks.iter().enumerate();
            stacks
                .map(|(thread, s)| s.shortest(|top| admits(thread, top)))
                .collect::<Option<Vec<_>>>()
        };
        match target {
            Target::Visible { shared, tops } if shared.is_none_or(|s| s == tuple.shared) => {
                choose(&|thread, top| tops.get(thread).is_none_or(|t| t.admits(top)))
            }
            Target::SomeThread { shared, top } if shared.is_none_or(|s| s == tuple.shared) => {
                (0..tuple.stacks.len()).find_map(|chosen| {
                    choose(&|thread, actual| thread != chosen || actual == Some(*top))
                })
            }
            _ => None,
        }
    }
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A target is reachable with this many contexts; the run has been executed.
    Violated {
        /// The smallest number of contexts.
        contexts: usize,
        /// The run.
        run: Vec<Step>,
    },
    /// No target is reachable with any number of contexts, for the reason given.
    Holds {
        /// The number of contexts after which nothing new can be observed.
        contexts: usize,
        /// Why more contexts do not matter.
        reason: String,
    },
    /// No target is reachable within this many contexts; more were not explored, for the reason given.
    Bounded {
        /// The largest number of contexts that was completely explored.
        contexts: usize,
        /// Why the exploration ended.
        reason: String,
    },
}

/// Checks a network, one context more at a time, up to `bound` contexts, with at most `limit` view tuples. `told` hears of
/// each finished number of contexts and of the view tuples so far; `stop` is asked before each view tuple.
///
/// With thread creation, threads beyond those that can run within the bound are left out ([`Slots`]); then nothing is
/// concluded about larger numbers of contexts.
pub fn check(
    network: &Network,
    targets: &[Target],
    bound: usize,
    limit: usize,
    stop: &dyn Fn() -> bool,
    mut told: impl FnMut(usize, usize),
) -> Result<Outcome, String> {
    network.validate()?;
    let slots = network
        .spawns()
        .then(|| Slots::new(network, bound))
        .transpose()?;
    let explored = slots.as_ref().map_or(network, Slots::network);
    let targets_explored: Vec<Target> = match &slots {
        Some(slots) => targets
            .iter()
            .map(|t| slots.target(t))
            .collect::<Result<_, _>>()?,
        None => targets.to_vec(),
    };
    let mut convergence = super::converge::Convergence::new(network);
    let mut exploration = Exploration::new(explored);
    loop {
        let contexts = exploration.contexts();
        told(contexts, exploration.tuples().len());
        for (target, original) in targets_explored.iter().zip(targets) {
            if let Some(run) = exploration.witness(target) {
                let run = slots
                    .as_ref()
                    .map_or_else(|| run.clone(), |slots| slots.translate(&run));
                network.confirm(&run, original, contexts)?;
                return Ok(Outcome::Violated { contexts, run });
            }
        }
        if slots.is_none()
            && let Some(reason) = convergence.holds(&exploration)
        {
            return Ok(Outcome::Holds {
                contexts: contexts.saturating_sub(1),
                reason,
            });
        }
        if contexts == bound {
            let reason = match &slots {
                Some(_) => "threads are created, so convergence is not tested".to_owned(),
                None => convergence.obstacle(),
            };
            return Ok(Outcome::Bounded { contexts, reason });
        }
        if !exploration.advance_unless(limit, stop) {
            let reason = match stop() {
                true => "stopped".to_owned(),
                false => format!("the limit of {limit} view tuples was reached"),
            };
            return Ok(Outcome::Bounded { contexts, reason });
        }
    }
}

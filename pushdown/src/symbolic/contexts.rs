//! Algorithm 1 of the paper: view tuples, context by context, with eager or lazy splitting.
//!
//! A view tuple has one view per thread and stands for the configurations whose local configurations, with one and the same
//! value of the globals, are in the views. After a context the configurations are split into view tuples: eagerly, one for
//! each value of the globals at the end (Qadeer and Rehof); lazily, one for each part of a safe partition of the
//! globals at the start ([`super::partition`]).
//!
//! A tuple all of whose views are within those of another one with at most as many contexts is dropped. That is sound
//! whatever thread moved last, as in [`crate::explicit::contexts`]: the tuples of one split are together closed under
//! moves of the thread that moved. Where no target tells threads apart ([`Options::symmetric`]), tuples are compared
//! up to an exchange of threads with the same initial stack: all threads have the same rules, so exchanged
//! configurations reach exchanged configurations. So if no tuple is left after `k` contexts, more contexts reach
//! nothing new, and the target is unreachable with any number of contexts, unless thread creation was bounded
//! ([`super::creation`]).

use super::network::{Label, Network, Run, Target, Top};
use super::partition;
pub use super::saturation::Fault;
use super::saturation::{Context, Part, Summaries};
use super::space::{Bdd, Error, Result};
use super::view::View;
use super::witness;
use std::rc::Rc;

/// How to split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Splitting {
    /// By every value of the globals.
    Eager,
    /// By a safe partition.
    Lazy,
}

/// What to explore.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The largest number of contexts.
    pub bound: usize,
    /// How to split.
    pub splitting: Splitting,
    /// The most view tuples.
    pub tuples: usize,
    /// Whether more contexts than `bound` may be concluded about if nothing new is reached.
    pub may_converge: bool,
    /// Whether threads with the same initial stack may be exchanged: sound if no target tells them apart.
    pub symmetric: bool,
    /// Asked now and then: whether to stop.
    pub stop: &'o dyn Fn() -> bool,
    /// A label of which it is to be noted whether it is reached.
    pub watched: Option<Label>,
    /// A fault on purpose.
    pub fault: Fault,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "up to {} contexts, {:?}, at most {} tuples",
            self.bound, self.splitting, self.tuples
        )
    }
}

impl Options<'_> {
    /// Lazy splitting, up to `bound` contexts.
    pub fn new(bound: usize) -> Self {
        Options {
            bound,
            splitting: Splitting::Lazy,
            tuples: 1_000_000,
            may_converge: true,
            symmetric: false,
            stop: &|| false,
            watched: None,
            fault: Fault::None,
        }
    }
}

/// Figures of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Contexts that were completely explored.
    pub contexts: usize,
    /// View tuples that were made and not dropped at once, with the initial one.
    pub kept: usize,
    /// View tuples from which contexts were explored.
    pub expanded: usize,
    /// Contexts of a thread that were computed.
    pub posts: usize,
    /// The most BDD nodes seen.
    pub nodes: usize,
    /// Whether [`Options::watched`] was reached.
    pub watched: bool,
}

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A target is reachable; the run has been executed.
    Violated {
        /// The smallest number of contexts.
        contexts: usize,
        /// Which target.
        target: usize,
        /// The run.
        run: Run,
    },
    /// No target is reachable with any number of contexts: after `contexts` nothing new is reached.
    Holds {
        /// The number of contexts with which everything is reached.
        contexts: usize,
    },
    /// No target is reachable within this many contexts.
    Bounded {
        /// The number of contexts.
        contexts: usize,
    },
    /// The exploration could not go on.
    Stopped {
        /// The largest number of contexts that was completely explored.
        contexts: usize,
        /// Why.
        reason: Error,
    },
}

/// A view tuple.
#[derive(Debug)]
pub struct Tuple {
    /// One view for each thread.
    pub(crate) views: Vec<Rc<View>>,
    /// Where it comes from: tuple, thread, part.
    pub(crate) origin: Option<(usize, usize, Part)>,
    /// The number of contexts.
    pub(crate) contexts: u32,
    /// Whether a tuple of the same level has all of it.
    covered: bool,
}

/// An exploration, context by context.
#[derive(Debug)]
pub struct Exploration<'n> {
    pub(crate) network: &'n Network,
    pub(crate) options: Options<'n>,
    pub(crate) summaries: Summaries,
    pub(crate) tuples: Vec<Tuple>,
    ends: Vec<usize>,
    figures: Statistics,
    violation: Option<(usize, usize, Run)>,
    /// The orders of threads under which tuples are compared.
    orders: Vec<Vec<usize>>,
}

impl<'n> Exploration<'n> {
    /// Starts with the initial configurations: no context.
    pub fn new(network: &'n Network, options: Options<'n>) -> Result<Self> {
        let views = network
            .threads
            .iter()
            .map(|stack| View::initial(network, stack).map(Rc::new));
        let views: Vec<Rc<View>> = views.collect::<Result<_>>()?;
        let mut tuples = vec![Tuple {
            views,
            origin: None,
            contexts: 0,
            covered: false,
        }];
        if options.splitting == Splitting::Eager {
            let mut parts = Vec::new();
            for (_, value) in partition::values(&network.space, &network.globals)? {
                let restricted = |view: &Rc<View>| {
                    let mut view = View::clone(view);
                    for set in view.heads.values_mut() {
                        *set = network.space.and(set, &value)?;
                    }
                    view.empty = network.space.and(&view.empty, &value)?;
                    Ok(Rc::new(view))
                };
                let views = tuples[0]
                    .views
                    .iter()
                    .map(restricted)
                    .collect::<Result<_>>()?;
                parts.push(Tuple {
                    views,
                    origin: None,
                    contexts: 0,
                    covered: false,
                });
            }
            tuples = parts;
        }
        let figures = Statistics {
            kept: tuples.len(),
            ..Statistics::default()
        };
        let ends = vec![tuples.len()];
        let summaries = Summaries::default();
        let orders = orders(network, options.symmetric);
        Ok(Exploration {
            network,
            options,
            summaries,
            tuples,
            ends,
            figures,
            violation: None,
            orders,
        })
    }

    /// The figures so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            contexts: self.contexts(),
            nodes: self.network.space.peak(),
            ..self.figures
        }
    }

    /// The number of contexts explored so far.
    pub fn contexts(&self) -> usize {
        self.ends.len() - 1
    }

    fn level(&self, contexts: usize) -> std::ops::Range<usize> {
        contexts
            .checked_sub(1)
            .map_or(0, |before| self.ends[before])..self.ends[contexts]
    }

    /// The tuples found first with `contexts` contexts.
    pub fn tuples(&self, contexts: usize) -> &[Tuple] {
        &self.tuples[self.level(contexts)]
    }

    /// Explores one more context and looks for targets. With `last`, no tuples are made.
    pub fn advance(&mut self, targets: &[Target], last: bool) -> Result<()> {
        let network = self.network;
        let number = self.contexts() as u32 + 1;
        for index in self.level(self.contexts()) {
            if self.tuples[index].covered {
                continue;
            }
            self.figures.expanded += 1;
            // In turn, from the one after the thread that moved last: the order changes no set, only what is found first.
            let threads = self.tuples[index].views.len();
            let first = self.tuples[index]
                .origin
                .as_ref()
                .map_or(0, |(_, moved, _)| moved + 1);
            for thread in (first..first + threads).map(|thread| thread % threads) {
                let origin = self.tuples[index].origin.as_ref();
                if origin.is_some_and(|(_, moved, _)| *moved == thread) {
                    continue;
                }
                if self.options.fault == Fault::NoSwitch
                    && thread + 1 == self.tuples[index].views.len()
                    && origin.is_some_and(|(_, moved, _)| *moved == 0)
                {
                    continue;
                }
                let old = self.tuples[index].views[thread].clone();
                let doubled = self.options.splitting == Splitting::Lazy;
                let (fault, stop) = (self.options.fault, self.options.stop);
                let context =
                    Context::new(network, &mut self.summaries, &old, doubled, fault, stop)?;
                self.figures.posts += 1;
                if let Some(label) = self.options.watched {
                    self.figures.watched |= context.reaches(&self.summaries, label);
                }
                if !context.moves {
                    continue;
                }
                if self.violation.is_none() {
                    self.look(index, thread, &context, targets, number)?;
                    if self.violation.is_some() {
                        return Ok(());
                    }
                }
                if last {
                    continue;
                }
                for part in self.parts(index, thread, &context)? {
                    self.keep(index, thread, &context, part, number)?;
                }
            }
        }
        self.ends.push(self.tuples.len());
        Ok(())
    }

    fn parts(&self, index: usize, thread: usize, context: &Context) -> Result<Vec<Part>> {
        let space = &self.network.space;
        if self.options.splitting == Splitting::Eager {
            let values = partition::values(space, &context.ends)?;
            return Ok(values
                .into_iter()
                .map(|(_, value)| Part::End(value))
                .collect());
        }
        if self.options.fault == Fault::UnsafePartition {
            return Ok(vec![Part::Start(space.all())]);
        }
        // Parts from which more is reached are expanded first: a violation is found earlier more often.
        let mut parts = Vec::new();
        let views = self.tuples[index].views.iter().enumerate();
        let others: Vec<&View> = views
            .filter(|(other, _)| *other != thread)
            .map(|(_, view)| &**view)
            .collect();
        for part in partition::safe(self.network, &context.ends, &others)? {
            let reached = space.and_exists(&context.ends, &part, &self.network.names.start)?;
            parts.push((space.share(&reached), Part::Start(part)));
        }
        parts.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        Ok(parts.into_iter().map(|(_, part)| part).collect())
    }

    fn keep(
        &mut self,
        index: usize,
        thread: usize,
        context: &Context,
        part: Part,
        number: u32,
    ) -> Result<()> {
        let network = self.network;
        let fault = self.options.fault;
        let mut views = Vec::new();
        for (other, view) in self.tuples[index].views.iter().enumerate() {
            let new = match other == thread {
                true => context.moved(network, &self.summaries, view, &part, number)?,
                false => context.stayed(network, view, &part, fault)?,
            };
            views.push(Rc::new(new));
        }
        for tuple in &self.tuples {
            if self.is_within(&views, &tuple.views)? {
                return Ok(());
            }
        }
        // Tuples of this level that are within the new one are not expanded.
        for other in self.ends[number as usize - 1]..self.tuples.len() {
            if !self.tuples[other].covered && self.is_within(&self.tuples[other].views, &views)? {
                self.tuples[other].covered = true;
                self.figures.kept -= 1;
            }
        }
        if self.tuples.len() >= self.options.tuples {
            return Err(Error::Tuples(self.options.tuples));
        }
        self.figures.kept += 1;
        let origin = Some((index, thread, part));
        self.tuples.push(Tuple {
            views,
            origin,
            contexts: number,
            covered: false,
        });
        Ok(())
    }

    /// Whether the views are within others, up to an exchange of threads.
    fn is_within(&self, views: &[Rc<View>], others: &[Rc<View>]) -> Result<bool> {
        for order in &self.orders {
            let mut within = true;
            for (thread, other) in others.iter().enumerate() {
                within = within && views[order[thread]].is_within(self.network, other)?;
            }
            if within {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks for targets among the configurations after a context.
    fn look(
        &mut self,
        index: usize,
        thread: usize,
        context: &Context,
        targets: &[Target],
        number: u32,
    ) -> Result<()> {
        for (which, target) in targets.iter().enumerate() {
            for target in self.network.alternatives(target) {
                let found = self.after(index, Some((thread, context)), &target)?;
                if self.network.space.is_none(&found) {
                    continue;
                }
                let run = witness::reconstruct(self, index, thread, &target, &found)?;
                let confirmed = self.network.confirm(&run, &target, number as usize);
                confirmed.map_err(Error::Unconfirmed)?;
                self.violation = Some((number as usize, which, run));
                return Ok(());
            }
        }
        Ok(())
    }

    /// Globals at start and end, `(start, g)`, of configurations in `target` (which is about given threads): those after a
    /// context of a thread, or those of the tuple itself, for which both are equal.
    pub(crate) fn after(
        &self,
        index: usize,
        moved: Option<(usize, &Context)>,
        target: &Target,
    ) -> Result<Bdd> {
        let (network, space, names) = (self.network, &self.network.space, &self.network.names);
        let Target::Visible { shared, tops } = target else {
            return Ok(space.none());
        };
        let mut found = match moved {
            Some((_, context)) => space.and(shared, &context.ends)?,
            None => space.and(shared, &names.at_start)?,
        };
        for (thread, view) in self.tuples[index].views.iter().enumerate() {
            let set = match (tops.get(thread).unwrap_or(&Top::Any), moved) {
                (Top::Any, Some((mover, _))) if mover == thread => continue,
                (Top::Empty, Some((mover, context))) if mover == thread => context.empty.clone(),
                (Top::At(label, condition), Some((mover, context))) if mover == thread => {
                    let mut set = space.none();
                    for ((_, _), relation) in context.top.iter().filter(|((l, _), _)| l == label) {
                        let part = space.and_exists(&relation.all, condition, &names.locals_b)?;
                        set = space.or(&set, &part)?;
                    }
                    for (_, at, heads) in context.fresh_heads(network, &self.summaries)? {
                        if at == *label {
                            let part = space.and_exists(&heads, condition, &names.locals_b)?;
                            set = space.or(&set, &part)?;
                        }
                    }
                    set
                }
                // Threads that did not move: their globals are those at the start, the condition sees those at the end.
                (Top::Any, _) => space.rename(&view.globals(network)?, &names.now_to_start)?,
                (Top::Empty, _) => space.rename(&view.empty, &names.now_to_start)?,
                (Top::At(label, condition), _) => {
                    let mut set = space.none();
                    for ((_, _), heads) in view.heads.iter().filter(|((l, _), _)| l == label) {
                        let heads = space.rename(heads, &names.now_to_start)?;
                        let part = space.and_exists(&heads, condition, &names.locals_b)?;
                        set = space.or(&set, &part)?;
                    }
                    set
                }
            };
            found = space.and(&found, &set)?;
        }
        if let Some((mover, _)) = moved
            && self.options.fault != Fault::AnyStart
        {
            // The context does not say where it started unless the globals are doubled, and there may be no other thread.
            let start = self.tuples[index].views[mover].globals(network)?;
            found = space.and(&found, &space.rename(&start, &names.now_to_start)?)?;
        }
        Ok(found)
    }

    /// Looks for targets among the initial configurations.
    fn look_at_start(&mut self, targets: &[Target]) -> Result<()> {
        for (which, target) in targets.iter().enumerate() {
            for target in self.network.alternatives(target) {
                for index in self.level(0) {
                    let found = self.after(index, None, &target)?;
                    if !self.network.space.is_none(&found) {
                        let run = witness::initial(self, index, &target, &found)?;
                        self.network
                            .confirm(&run, &target, 0)
                            .map_err(Error::Unconfirmed)?;
                        self.violation = Some((0, which, run));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

impl Network {
    /// A target as conditions on given threads.
    pub(crate) fn alternatives(&self, target: &Target) -> Vec<Target> {
        let Target::SomeThread(label, condition) = target else {
            return vec![target.clone()];
        };
        let for_thread = |thread: usize| {
            let mut tops = vec![Top::Any; self.threads.len()];
            tops[thread] = Top::At(*label, condition.clone());
            Target::Visible {
                shared: self.space.all(),
                tops,
            }
        };
        (0..self.threads.len()).map(for_thread).collect()
    }
}

/// The orders of threads that exchange only threads with the same initial stack; at most [`MOST_ORDERS`].
fn orders(network: &Network, symmetric: bool) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for thread in 0..network.threads.len() {
        let mut longer = Vec::new();
        for order in &orders {
            let same = |other: &usize| {
                let free = !order.contains(other);
                let equal = symmetric && network.threads[*other] == network.threads[thread];
                free && (*other == thread || equal)
            };
            for other in (0..network.threads.len()).filter(same) {
                longer.push([order.clone(), vec![other]].concat());
            }
        }
        orders = longer;
        if orders.len() > MOST_ORDERS {
            return vec![(0..network.threads.len()).collect()];
        }
    }
    orders
}

/// Beyond so many orders of threads symmetry is not used.
const MOST_ORDERS: usize = 120;

/// Explores a network that creates no threads, one context more at a time. `told` hears of each finished number of
/// contexts.
pub fn check<'n>(
    network: &'n Network,
    targets: &[Target],
    options: Options<'n>,
    mut told: impl FnMut(&Statistics),
) -> (Outcome, Statistics) {
    // Threads may be exchanged if every target is about some thread, whichever it is.
    let about_any = targets
        .iter()
        .all(|target| matches!(target, Target::SomeThread(..)));
    let options = Options {
        symmetric: about_any || options.fault == Fault::ExchangeAlways,
        ..options
    };
    let mut exploration = match Exploration::new(network, options) {
        Ok(exploration) => exploration,
        Err(reason) => {
            return (
                Outcome::Stopped {
                    contexts: 0,
                    reason,
                },
                Statistics::default(),
            );
        }
    };
    let outcome = explore(&mut exploration, targets, &mut told);
    let contexts = exploration.contexts();
    let outcome = outcome.unwrap_or_else(|reason| Outcome::Stopped { contexts, reason });
    (outcome, exploration.statistics())
}

fn explore(
    exploration: &mut Exploration<'_>,
    targets: &[Target],
    told: &mut impl FnMut(&Statistics),
) -> Result<Outcome> {
    let options = exploration.options;
    exploration.look_at_start(targets)?;
    loop {
        if let Some((contexts, target, run)) = exploration.violation.take() {
            return Ok(Outcome::Violated {
                contexts,
                target,
                run,
            });
        }
        let contexts = exploration.contexts();
        if contexts == options.bound {
            return Ok(Outcome::Bounded { contexts });
        }
        exploration.advance(
            targets,
            contexts + 1 == options.bound && !options.may_converge,
        )?;
        if exploration.violation.is_none() {
            told(&exploration.statistics());
            if options.may_converge && exploration.level(contexts + 1).is_empty() {
                return Ok(Outcome::Holds { contexts });
            }
        }
    }
}

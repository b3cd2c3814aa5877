//! Executing a plan: the program is prepared and searched, and findings are given as moves of the model as written.

use super::loss::{Loss, of_one, of_swarm};
use super::plan::{Order, Plan, StorePlan, Target};
use super::prefix::shortest;
use super::{Model, Role};
use crate::checkpoint::Checkpoints;
use crate::coverage::Coverage;
use crate::executions::{Asked, explore_executions};
use crate::faults::{self, Fault};
use crate::limits::{Cancellation, ContextProgress, Monitor, Progress, Stop};
use crate::machine::Move;
use crate::property::{Constant, Property};
use crate::reduce::{Ample, Rejection};
use crate::search::{
    End, Estimate, Event, Exhaustive, Found, Lossy, MoveOrder, Outcome, Settings, precompute_ample,
    search, search_cycles, search_cycles_lossy, search_cycles_together, search_fair_cycles,
    search_lossy, search_lossy_together, search_together, shortest_cycle,
};
use crate::space::{Fair, Labels, Parallel, Product, ProductMove, Rounds, Space, Stepping, System};
use crate::stats::Stats;
use crate::trace::expand;
use promela_lite::code::Code;
use promela_lite::opt::Purpose;
use promela_lite::program::Program;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Makes what watches a search.
pub type Monitors<'w> = &'w (dyn Fn(Role) -> Box<dyn Monitor> + Sync);

/// What came of a search, before anything of it is believed.
#[derive(Debug)]
pub struct Searched {
    /// Violations, in moves of the model as written.
    pub found: Vec<Found<Move>>,
    /// How it ended.
    pub end: End,
    /// Figures.
    pub stats: Stats,
    /// Seconds of the search.
    pub seconds: f64,
    /// The passes that changed the program.
    pub passes: Vec<&'static str>,
    /// What a lossy store may have left out.
    pub loss: Option<Loss>,
    /// What was executed, of the model as written; not where an automaton goes along.
    pub coverage: Option<Coverage>,
    /// Why states were not reduced, if that was asked.
    pub why_not: Option<WhyNot>,
    /// Atoms that had the same value in every state.
    pub constants: Vec<Constant>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// What was being done when a limit was reached before the search began.
    pub during: Option<&'static str>,
    /// What the symbolic engine did.
    pub explored: Option<Explored>,
    /// Executions, where these are searched and not states.
    pub executions: Option<u64>,
    /// A violation was found whose calls are nested that deep, deeper than they are expanded.
    pub deeper: Option<u32>,
    /// What is not supported within a bound on contexts.
    pub unsupported: Option<String>,
    /// An error in this library.
    pub contradiction: Option<String>,
    /// Of a search by several hosts: what each did.
    pub hosts: Vec<HostFigures>,
    /// Of a search by several hosts: which of them ended it, and why.
    pub ended_by: Option<String>,
}

/// What one host of a cluster did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFigures {
    /// What it is called in messages.
    pub name: String,
    /// Threads.
    pub workers: usize,
    /// States stored.
    pub states: u64,
    /// Arrivals at these states.
    pub transitions: u64,
    /// Bytes of the store.
    pub store_bytes: u64,
    /// The most bytes besides.
    pub other_bytes: u64,
    /// Bytes sent to other hosts.
    pub sent_bytes: u64,
    /// The most bytes of states that were on their way from one of its workers at a time.
    pub in_flight_bytes: u64,
}

/// Figures of an exploration by contexts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Explored {
    /// Contexts that were completely explored.
    pub contexts: usize,
    /// View tuples from which contexts were explored.
    pub tuples: usize,
    /// Contexts of a thread that were computed.
    pub posts: usize,
    /// The most BDD nodes.
    pub nodes: usize,
    /// Bits of the shared state.
    pub globals: usize,
    /// Bits of a frame.
    pub locals: usize,
}

impl Searched {
    /// Of a search that was not made.
    pub(super) fn stopped(stop: Stop, during: Option<&'static str>) -> Searched {
        Searched {
            found: Vec::new(),
            end: End::Stopped(stop),
            stats: Stats::default(),
            seconds: 0.0,
            passes: Vec::new(),
            loss: None,
            coverage: None,
            why_not: None,
            constants: Vec::new(),
            notes: Vec::new(),
            during,
            explored: None,
            executions: None,
            deeper: None,
            unsupported: None,
            contradiction: None,
            hosts: Vec::new(),
            ended_by: None,
        }
    }
}

/// Why states were not reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyNot {
    /// States in which several processes could move and all moves were made.
    pub states: u64,
    /// What kept processes from going first there, most frequent first.
    pub refusals: Vec<Rejection>,
}

/// States that may be visited to find a shorter counterexample.
const SHORTENING: u64 = 1_000_000;

impl Plan {
    /// The program that is searched, and the passes that changed it.
    pub(crate) fn prepare(&self, model: &Model) -> (Arc<Program>, Vec<&'static str>) {
        let mut program = Program::clone(&model.program);
        let atoms = self.target.property().map(|p| p.atoms.as_slice());
        let conditions = atoms.unwrap_or_default().iter().map(|atom| atom.code);
        let forgotten = faults::is_active(Fault::ConditionsForgotten);
        let conditions: Vec<Code> = conditions.filter(|_| !forgotten).collect();
        let fair = !self.fairness.is_none() && !self.fairness.is_f();
        let purpose = Purpose {
            conditions: &conditions,
            fair: fair && !faults::is_active(Fault::FairnessForgotten),
            sabotage: faults::of_slicing(),
        };
        let passes = self.passes.apply_for(&mut program, purpose);
        match passes.is_empty() {
            true => (Arc::clone(&model.program), passes),
            false => (Arc::new(program), passes),
        }
    }

    /// Makes the search. Nothing of what is found has been confirmed.
    pub fn search(&self, model: &Model, monitors: Monitors<'_>) -> Searched {
        let (job, passes) = self.job(model, monitors);
        let checkpoints = job.checkpoints.clone();
        let mut searched = match &self.target {
            Target::Safety => match (self.contexts, self.order) {
                (Some(within), _) => job.within(within),
                (None, Order::Executions) => job.executions(),
                (None, _) => job.safety(),
            },
            Target::Acceptance => job.acceptance(),
            Target::Property(property, stepping) => job.property(property, *stepping),
            Target::Unsupported(_) => Searched::stopped(Stop::Unsupported, None),
            Target::Untranslated(stop) => Searched::stopped(*stop, Some("translating the formula")),
        };
        if let Some(checkpoints) = checkpoints {
            let stopped = matches!(searched.end, End::Stopped(_));
            searched.notes.extend(checkpoints.notes(stopped));
        }
        Searched { passes, ..searched }
    }

    /// What is to be searched, and the passes that changed the program.
    pub(super) fn job<'a>(
        &'a self,
        model: &'a Model,
        monitors: Monitors<'a>,
    ) -> (Job<'a>, Vec<&'static str>) {
        let start = Instant::now();
        let due = start.checked_sub(self.spent).unwrap_or(start);
        let (program, passes) = self.prepare(model);
        let cancellation = self.cancellation.clone().after(due, self.time);
        let checkpoints = self.checkpoint.as_ref().map(|options| {
            let identity = self.identity(model);
            Arc::new(Checkpoints::new(options, identity, &cancellation))
        });
        let job = Job {
            plan: self,
            model,
            program,
            start,
            cancellation,
            checkpoints,
            monitors,
        };
        (job, passes)
    }
}

/// A search that is being made.
pub(super) struct Job<'a> {
    pub(super) plan: &'a Plan,
    pub(super) model: &'a Model,
    /// What is searched: the model after passes.
    pub(super) program: Arc<Program>,
    pub(super) start: Instant,
    /// Ends it.
    pub(super) cancellation: Cancellation,
    checkpoints: Option<Arc<Checkpoints>>,
    monitors: Monitors<'a>,
}

impl Job<'_> {
    pub(super) fn monitor(&self, role: Role) -> Timed {
        Timed {
            inner: (self.monitors)(role),
            cancellation: self.cancellation.clone(),
        }
    }

    /// The outcome of a search that was not begun, if it must not be any more.
    pub(super) fn too_late(&self) -> Option<Searched> {
        let stop = self.cancellation.poll()?;
        Some(Searched::stopped(stop, Some("analysing the model")))
    }

    fn safety(&self) -> Searched {
        let program = Arc::clone(&self.program);
        let mut system = System::new(program).with_cancellation(&self.cancellation);
        if self.plan.reduction {
            system = system.reduce(&self.cancellation);
        }
        if self.plan.stubborn {
            system = system.with_stubborn();
        }
        if let Some(stopped) = self.too_late() {
            return stopped;
        }
        if self.plan.why_not {
            system = system.with_account();
        }
        let make = copies(&system);
        let strategy = match self.plan.order {
            Order::States(strategy) => strategy,
            Order::Nested | Order::Components | Order::Executions => {
                unreachable!("these are no searches state by state")
            }
        };
        let (outcome, loss) = self.explore(
            &mut system,
            &make,
            |system, settings, monitor| match settings.workers {
                1 => search(strategy, system, settings, monitor),
                _ => search_together(system, &make, settings, monitor),
            },
            &|system, settings, lossy, monitor| match settings.workers {
                1 => search_lossy(system, settings, lossy, monitor),
                _ => search_lossy_together(system, &make, settings, lossy, monitor),
            },
        );
        let seconds = self.start.elapsed().as_secs_f64();
        let Outcome { found, end, stats } = outcome;
        let found = found.into_iter().map(|found| self.as_written(found));
        Searched {
            found: found.collect(),
            end,
            stats,
            seconds,
            passes: Vec::new(),
            loss,
            coverage: Some(system.coverage().of_plain(&self.program)),
            why_not: self.why_not(system.ample()),
            constants: Vec::new(),
            notes: Vec::new(),
            during: None,
            explored: None,
            executions: None,
            deeper: None,
            unsupported: None,
            contradiction: None,
            hosts: Vec::new(),
            ended_by: None,
        }
    }

    /// Safety, execution by execution.
    fn executions(&self) -> Searched {
        if let Some(stopped) = self.too_late() {
            return stopped;
        }
        let depth = self.plan.limits.depth;
        let asked = Asked {
            reduction: self.plan.reduction,
            end_states: self.plan.end_states,
            all_errors: self.plan.all_errors,
            depth: (depth < u64::MAX).then_some(depth),
        };
        let monitor = &mut self.monitor(Role::Search);
        let done = explore_executions(&self.program, asked, &self.cancellation, monitor);
        let mut notes = Vec::new();
        if done.blocked > 0 {
            notes.push(format!("{} executions were begun in vain", done.blocked));
        }
        if done.too_many_guards {
            notes.push(
                "a guard depends on so many steps that not all of their orders were tried; --reduction none tries them".to_owned(),
            );
        }
        Searched {
            end: match done.stop {
                Some(stop) => End::Stopped(stop),
                None if done.at_violation => End::AtViolation,
                None => End::Complete(Exhaustive::explored()),
            },
            found: done
                .found
                .into_iter()
                .map(|found| self.as_written(found))
                .collect(),
            stats: Stats {
                matched: done.transitions,
                depth: done.longest,
                workers: 1,
                ..Stats::default()
            },
            seconds: self.start.elapsed().as_secs_f64(),
            coverage: Some(done.coverage.of_plain(&self.program)),
            executions: Some(done.executions),
            notes,
            contradiction: done.contradiction,
            ..Searched::stopped(Stop::Unsupported, None)
        }
    }

    fn acceptance(&self) -> Searched {
        let program = Arc::clone(&self.program);
        let mut labels = Labels::new(program, false)
            .with_cancellation(&self.cancellation)
            .with_fairness(&self.plan.fairness);
        if self.plan.reduction {
            labels = labels.reduce(&self.cancellation);
        }
        if self.plan.stubborn {
            labels = labels.with_stubborn();
        }
        if let Some(stopped) = self.too_late() {
            return stopped;
        }
        if self.plan.why_not {
            labels = labels.with_account();
        }
        let make = copies(&labels);
        let (outcome, loss) = self.explore_cycles(&mut labels, &make);
        let seconds = self.start.elapsed().as_secs_f64();
        let Outcome { found, end, stats } = outcome;
        let found = found.into_iter().map(|found| {
            let mut plain = Labels::new(Arc::clone(&self.model.program), false);
            let shorten = |bound, monitor: &mut dyn Monitor| {
                shortest_cycle(&mut plain, bound, SHORTENING, monitor)
            };
            self.shortened(self.as_written(found), shorten)
        });
        Searched {
            found: found.collect(),
            end,
            stats,
            seconds,
            passes: Vec::new(),
            loss,
            coverage: None,
            why_not: self.why_not(labels.system().ample()),
            constants: Vec::new(),
            notes: Vec::new(),
            during: None,
            explored: None,
            executions: None,
            deeper: None,
            unsupported: None,
            contradiction: None,
            hosts: Vec::new(),
            ended_by: None,
        }
    }

    fn property(&self, property: &Property, stepping: Stepping) -> Searched {
        let by_choice = self.plan.reduction && self.plan.fairness.is_f();
        let mut product = Product::new(&self.program, property, stepping, false)
            .with_cancellation(&self.cancellation)
            .with_fairness(&self.plan.fairness);
        if self.plan.reduction && !by_choice {
            product = product.reduce(property, &self.cancellation);
            if self.plan.stubborn {
                product = product.with_stubborn();
            }
        }
        if let Some(stopped) = self.too_late() {
            return stopped;
        }
        if self.plan.why_not {
            product = product.with_account();
        }
        let make = copies(&product);
        let mut notes = Vec::new();
        let (outcome, loss) = match by_choice {
            true => {
                let (planned, outcome) = self.under_f(property, product, &mut notes);
                product = planned;
                (outcome, None)
            }
            false => self.explore_cycles(&mut product, &make),
        };
        let seconds = self.start.elapsed().as_secs_f64();
        let Outcome { found, end, stats } = outcome;
        let found = found.into_iter().map(|found| {
            let mut plain = Product::new(&self.model.program, property, stepping, false);
            let shorten = |bound, monitor: &mut dyn Monitor| {
                shortest_cycle(&mut plain, bound, SHORTENING, monitor).map(of_program)
            };
            let found = self.as_written(of_program(found));
            match self.shortest_prefix(property, &found) {
                Some(shortest) => shortest,
                None => self.shortened(found, shorten),
            }
        });
        Searched {
            found: found.collect(),
            end,
            stats,
            seconds,
            passes: Vec::new(),
            loss,
            coverage: None,
            why_not: self.why_not(product.ample()),
            constants: product.constant_atoms(),
            notes,
            during: None,
            explored: None,
            executions: None,
            deeper: None,
            unsupported: None,
            contradiction: None,
            hosts: Vec::new(),
            ended_by: None,
        }
    }

    /// Under condition F it is decided beforehand which moves of each state of the program are made.
    fn under_f(
        &self,
        property: &Property,
        product: Product,
        notes: &mut Vec<String>,
    ) -> (Product, Outcome<ProductMove>) {
        let parts = property.parts(&self.program);
        let Some(sets) = Ample::under_f_within(&self.program, &parts, &self.cancellation) else {
            let stop = self.cancellation.poll().unwrap_or(Stop::Interrupted);
            return (product, Outcome::not_begun(stop));
        };
        let sets = match self.plan.why_not {
            true => sets.with_account(),
            false => sets,
        };
        let mut system = System::with_ample(Arc::clone(&self.program), Some(sets))
            .with_cancellation(&self.cancellation);
        let mut settings = self.plan.settings();
        // Failed assertions and deadlocks are reported by the search for safety violations.
        let of_program = Settings {
            all_errors: true,
            ..settings.clone()
        };
        let monitor = &mut self.monitor(Role::Search);
        let (decided, outcome) = precompute_ample(&mut system, &of_program, monitor);
        match (decided, system.into_ample()) {
            (Some(decided), Some(sets)) => {
                notes.push(format!(
                    "the reduced graph of the program has {} states",
                    decided.stats.stored
                ));
                settings.limits.memory = settings.limits.memory.saturating_sub(decided.bytes());
                let mut product = product.with_ample_choice(decided, sets);
                let outcome = search_fair_cycles(&mut product, &settings, monitor);
                (product, outcome)
            }
            _ => {
                let Outcome { end, stats, .. } = outcome;
                let found = Vec::new();
                (product, Outcome { found, end, stats })
            }
        }
    }

    fn explore_cycles<P: Fair + Parallel>(
        &self,
        space: &mut P,
        make: &(dyn Fn() -> P + Sync),
    ) -> (Outcome<P::Move>, Option<Loss>)
    where
        P::Move: Send,
    {
        if self.plan.store.is_lossy() && !self.plan.fairness.is_none() {
            let make = || Rounds::new(make());
            let exact = |_: &mut Rounds<P>, _: &Settings, _: &mut dyn Monitor| {
                unreachable!("the store is lossy")
            };
            return self.explore(&mut make(), &make, exact, &search_cycles_lossy);
        }
        self.explore(
            space,
            make,
            |space, settings, monitor| match (self.plan.order, settings.workers) {
                (Order::Components, _) => search_fair_cycles(space, settings, monitor),
                (_, 1) => search_cycles(space, settings, monitor),
                _ => search_cycles_together(space, make, settings, monitor),
            },
            &search_cycles_lossy,
        )
    }

    /// Searches with the store of the plan: `exact`, or with a lossy store `space`, or as many spaces as `make` has to make.
    fn explore<P: Space>(
        &self,
        space: &mut P,
        make: &(dyn Fn() -> P + Sync),
        exact: impl FnOnce(&mut P, &Settings, &mut dyn Monitor) -> Outcome<P::Move>,
        lossy: LossySearch<'_, P>,
    ) -> (Outcome<P::Move>, Option<Loss>)
    where
        P::Move: Send,
    {
        let settings = self.plan.settings();
        match self.plan.store {
            StorePlan::Exact(_) => {
                let settings = Settings {
                    checkpoints: self.checkpoints.clone(),
                    resume: self.plan.resume.clone(),
                    ..settings
                };
                let outcome = exact(space, &settings, &mut self.monitor(Role::Search));
                (outcome, None)
            }
            StorePlan::Lossy(store) => {
                let order = MoveOrder::Listed;
                let how = Lossy { store, order };
                let monitor = &mut self.monitor(Role::Search);
                let (mut outcome, estimate) = lossy(space, &settings, &how, monitor);
                outcome.stats.workers = settings.workers as u32;
                (outcome, Some(of_one(store, estimate.loss)))
            }
            StorePlan::Swarm(swarm) => {
                let monitors = || -> Box<dyn Monitor> { Box::new(self.monitor(Role::Member)) };
                let mut swarm_outcome = swarm.fly(&settings, &monitors, &|member, monitor| {
                    lossy(&mut make(), &member.settings, &member.lossy, monitor)
                });
                swarm_outcome.outcome.stats.workers = swarm.threads;
                let loss = of_swarm(&swarm_outcome, swarm.members);
                (swarm_outcome.outcome, Some(loss))
            }
        }
    }

    pub(super) fn as_written(&self, found: Found<Move>) -> Found<Move> {
        let property = self.plan.target.property();
        let conditions = property.map_or(&[][..], |property| &property.atoms);
        expand(&self.program, &self.model.program, found, conditions)
    }

    /// The counterexample, or a shorter one if that is asked for and there is one.
    fn shortened(
        &self,
        found: Found<Move>,
        shorten: impl FnOnce(usize, &mut dyn Monitor) -> Option<Found<Move>>,
    ) -> Found<Move> {
        if !self.plan.shortest || !matches!(found.event, Event::Cycle { .. }) {
            return found;
        }
        // A cycle taken from its accepting state may have to be gone around twice, and the automaton's choices are steps too.
        let bound = 4 * found.path.len() + 4;
        let mut monitor = self.monitor(Role::Shortening);
        match shorten(bound, &mut monitor) {
            Some(shorter) if shorter.path.len() < found.path.len() => shorter,
            _ => found,
        }
    }

    /// A run that is without hope after the fewest steps, if that is asked for and there is one. Which continuation it has does
    /// not matter where all runs count.
    fn shortest_prefix(&self, property: &Property, found: &Found<Move>) -> Option<Found<Move>> {
        if !self.plan.shortest || !self.plan.fairness.is_none() {
            return None;
        }
        let mut settings = self.plan.settings();
        settings.all_errors = false;
        settings.end_states = false;
        settings.limits.states = settings.limits.states.min(SHORTENING);
        let mut monitor = self.monitor(Role::Shortening);
        let watched = (&self.cancellation, &mut monitor as &mut dyn Monitor);
        shortest(self.model, property, found, &settings, watched)
    }

    fn why_not(&self, ample: Option<&Ample>) -> Option<WhyNot> {
        let ample = ample?;
        let account = ample.account()?;
        Some(WhyNot {
            states: account.states,
            refusals: account.refusals(&self.program, ample),
        })
    }
}

/// Makes spaces like one: what was worked out about the program is shared.
pub(super) fn copies<P: Clone + Send>(space: &P) -> impl Fn() -> P + Sync + use<P> {
    let space = Mutex::new(space.clone());
    move || {
        let space = space.lock().unwrap_or_else(PoisonError::into_inner);
        space.clone()
    }
}

/// A search with a lossy store.
type LossySearch<'s, P> = &'s (
        dyn Fn(
    &mut P,
    &Settings,
    &Lossy,
    &mut dyn Monitor,
) -> (Outcome<<P as Space>::Move>, Estimate)
            + Sync
    );

/// The program's part of a run of the product.
fn of_program(found: Found<ProductMove>) -> Found<Move> {
    let event = match found.event {
        Event::Cycle { start } => {
            let before = found.path[..start].iter();
            Event::Cycle {
                start: before.filter(|m| m.program.is_some()).count(),
            }
        }
        other => other,
    };
    Found {
        event,
        path: found.path.iter().filter_map(|m| m.program).collect(),
    }
}

/// Another monitor, and what ends the search besides.
pub(super) struct Timed {
    inner: Box<dyn Monitor>,
    cancellation: Cancellation,
}

impl Monitor for Timed {
    fn tick(&mut self, progress: &Progress) -> Option<Stop> {
        let stop = self.inner.tick(progress);
        stop.or_else(|| self.cancellation.poll())
    }

    fn context(&mut self, progress: &ContextProgress) {
        self.inner.context(progress);
    }

    fn held(&mut self, own: u64) -> u64 {
        self.inner.held(own)
    }

    fn cancellation(&self) -> Cancellation {
        self.cancellation.clone()
    }
}

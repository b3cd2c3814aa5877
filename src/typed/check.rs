//! Asking about a system: goals and bounds, and the way from there to a report.
//!
//! All goals about states are decided by one search, formulas by one search each. A goal holds only if its search says that
//! nothing was left out ([`verdict::conclude`](crate::verdict::conclude)); it is violated only if the run has been confirmed.

use super::TransitionSystem;
use super::changes::Changes;
use super::confirm::{self, CounterexampleOf, ReportOf};
use super::formula::{AtomCondition, Property};
use super::product::{Product, ProductMove};
use super::reduction::{Declarations, MOST_PROCESSES, Watched};
use super::report::{Error, GoalReport, Report};
use super::space::{Condition, Move, Shared, StateGoal, States};
use super::successors::{Panics, encode};
use crate::check::{Options, Store, free_memory};
use crate::limits::{Limits, Monitor, Progress, Stop};
use crate::search::{
    Event, Found, Outcome, Settings, Strategy, search, search_cycles, search_cycles_together,
    search_together, shortest_cycle,
};
use crate::space::letters::Letters;
use crate::space::{Accepting, Parallel};
use crate::stats::Stats;
use crate::store;
use crate::verdict::{Verdict, Word, conclude};
use std::collections::HashSet;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// States that may be visited to find a shorter counterexample.
const SHORTENING: u64 = 1_000_000;

/// The name of the goal of [`Check::no_deadlock`].
const NO_DEADLOCK: &str = "no deadlock";

/// What is to hold.
enum Goal<'c, State> {
    State(StateGoal<'c, State>),
    Ltl(String),
}

/// A check of a system, to be told what to check.
pub struct Check<'c, S: TransitionSystem> {
    system: &'c S,
    goals: Vec<(String, Goal<'c, S::State>)>,
    atoms: Vec<AtomCondition<'c, S::State>>,
    verifies: bool,
}

impl<'c, S: TransitionSystem> Check<'c, S> {
    /// A check without goals.
    pub fn new(system: &'c S) -> Check<'c, S> {
        Check {
            system,
            goals: Vec::new(),
            atoms: Vec::new(),
            verifies: cfg!(debug_assertions),
        }
    }

    /// A goal: the condition holds in every reachable state. It may read everything: with such a goal, the goals about states
    /// are not reduced.
    pub fn invariant(self, name: &str, condition: impl Fn(&S::State) -> bool + Sync + 'c) -> Self {
        self.with_invariant(name, None, Box::new(condition))
    }

    /// The same, of a condition that reads only those parts of the state whose numbers are set in the mask
    /// (see [`Footprint`](super::Footprint)).
    pub fn invariant_reading(
        self,
        name: &str,
        reads: u64,
        condition: impl Fn(&S::State) -> bool + Sync + 'c,
    ) -> Self {
        self.with_invariant(name, Some(reads), Box::new(condition))
    }

    fn with_invariant(
        mut self,
        name: &str,
        reads: Option<u64>,
        condition: Condition<'c, S::State>,
    ) -> Self {
        let goal = Goal::State(StateGoal::Invariant(condition, reads));
        self.goals.push((name.to_owned(), goal));
        self
    }

    /// A goal, named "no deadlock": in every reachable state an action is enabled, or the run
    /// [may end](TransitionSystem::may_end) there.
    pub fn no_deadlock(mut self) -> Self {
        let goal = Goal::State(StateGoal::NoDeadlock);
        self.goals.push((NO_DEADLOCK.to_owned(), goal));
        self
    }

    /// A goal: every run satisfies a formula over [atoms](Check::atom), such as `[] (p -> <> q)`. A run that ends is
    /// continued by repeating its last state.
    pub fn ltl(mut self, name: &str, formula: &str) -> Self {
        let goal = Goal::Ltl(formula.to_owned());
        self.goals.push((name.to_owned(), goal));
        self
    }

    /// Names a condition for formulas. It may read everything: formulas with it are not reduced.
    pub fn atom(self, name: &str, condition: impl Fn(&S::State) -> bool + Sync + 'c) -> Self {
        self.with_atom(name, None, Box::new(condition))
    }

    /// The same, of a condition that reads only those parts of the state whose numbers are set in the mask
    /// (see [`Footprint`](super::Footprint)).
    pub fn atom_reading(
        self,
        name: &str,
        reads: u64,
        condition: impl Fn(&S::State) -> bool + Sync + 'c,
    ) -> Self {
        self.with_atom(name, Some(reads), Box::new(condition))
    }

    fn with_atom(
        mut self,
        name: &str,
        reads: Option<u64>,
        condition: Condition<'c, S::State>,
    ) -> Self {
        self.atoms.push(AtomCondition {
            name: name.to_owned(),
            condition,
            reads,
        });
        self
    }

    /// Whether to look, in every state visited, for something that contradicts what the system declares that its processes
    /// read and write: actions that should not matter to each other are tried in both orders. What is found is
    /// [`Error::Declaration`]. It takes much longer. In debug builds it is done unless switched off here. To see all
    /// reachable states, switch the reduction off: a wrong declaration may hide the states that show it.
    pub fn verify_declarations(mut self, verifies: bool) -> Self {
        self.verifies = verifies;
        self
    }

    /// Checks all goals. Of the options those apply that are about the search: workers (all cores if not said), bounds, the
    /// exact stores, the reduction, short counterexamples; others are refused. A panic in the system or in a condition goes on
    /// to the caller.
    pub fn check(&self, options: &Options) -> Result<ReportOf<S>, Error> {
        let manner = Manner::new(options)?;
        unique(self.goals.iter().map(|(name, _)| name))?;
        unique(self.atoms.iter().map(|atom| &atom.name))?;
        let mut initial = Vec::new();
        for state in self.system.initial() {
            let mut bytes = Vec::new();
            encode(&state, &mut bytes);
            initial.push(bytes);
        }
        if initial.is_empty() {
            return Err(Error::NoInitialState);
        }
        let mut properties = Vec::new();
        for (name, goal) in &self.goals {
            if let Goal::Ltl(formula) = goal {
                properties.push(Property::new(name, formula, &self.atoms)?);
            }
        }
        let states: Vec<_> = self.goals.iter().filter_map(state_goal).collect();
        let mut of_states = match states.is_empty() {
            true => Vec::new(),
            false => self.states(&manner, &initial, &states)?,
        }
        .into_iter();
        let mut properties = properties.iter();
        let mut goals = Vec::new();
        for (name, goal) in &self.goals {
            let told = match goal {
                Goal::State(_) => of_states.next(),
                Goal::Ltl(_) => match properties.next() {
                    Some(property) => Some(self.runs(&manner, &initial, property)?),
                    None => None,
                },
            };
            goals.extend(told.map(|told| told.report(name)));
        }
        Ok(Report { goals })
    }

    /// Decides all goals about states by one search.
    fn states(
        &self,
        manner: &Manner,
        initial: &[Vec<u8>],
        goals: &[&StateGoal<'_, S::State>],
    ) -> Result<Vec<Told<S>>, Error> {
        let start = Instant::now();
        let violated: Vec<AtomicBool> = goals.iter().map(|_| AtomicBool::new(false)).collect();
        let panics = Panics::default();
        let (declared, notes) = self.declarations(manner, self.watched(), None);
        let reduced = declared.as_ref().is_some_and(|d| d.reduces);
        let shared = self.shared(initial, &panics, declared.as_ref());
        let make = || States::new(shared, goals, &violated);
        let mut settings = manner.settings.clone();
        settings.all_errors = goals.len() > 1;
        let mut watch = manner.watch(&panics, &violated);
        let mut space = make();
        let outcome = match settings.workers {
            1 => search(Strategy::Dfs, &mut space, &settings, &mut watch),
            _ => search_together(&mut space, &make, &settings, &mut watch),
        };
        panics.resume()?;
        let seconds = start.elapsed().as_secs_f64();
        let Outcome { found, end, stats } = outcome;
        let mut counterexamples: Vec<Option<CounterexampleOf<S>>> =
            goals.iter().map(|_| None).collect();
        for found in found {
            let index = violated_goal(&found, goals.len())?;
            let path = match manner.shortest {
                true => self.shorter(manner, initial, goals[index], found.path)?,
                false => found.path,
            };
            counterexamples[index] = Some(confirm::state(self.system, goals[index], &path)?);
        }
        let otherwise = conclude(0, end);
        let told = |counterexample| {
            let told = Told::new(counterexample, &otherwise, stats, seconds)?;
            Ok(told.with_reduction(reduced, &notes))
        };
        counterexamples.into_iter().map(told).collect()
    }

    /// A path to a state that violates the goal, shorter than this one if there is one among the nearest states.
    fn shorter(
        &self,
        manner: &Manner,
        initial: &[Vec<u8>],
        goal: &StateGoal<'_, S::State>,
        path: Vec<Move>,
    ) -> Result<Vec<Move>, Error> {
        // Moves to the initial state and from the last one belong to it; a shorter one has a step less at least.
        let Some(depth) = path.len().checked_sub(2).filter(|&steps| steps > 0) else {
            return Ok(path);
        };
        let violated = [AtomicBool::new(false)];
        let panics = Panics::default();
        let goals = [goal];
        let mut states = States::new(self.shared(initial, &panics, None), &goals, &violated);
        let mut settings = manner.settings.clone();
        settings.limits.depth = depth as u64;
        settings.limits.states = settings.limits.states.min(SHORTENING);
        let mut watch = manner.watch(&panics, &[]);
        let outcome = search(Strategy::Bfs, &mut states, &settings, &mut watch);
        panics.resume()?;
        let shorter = outcome.found.into_iter().next();
        Ok(shorter.map_or(path, |found| found.path))
    }

    /// Decides a formula.
    fn runs(
        &self,
        manner: &Manner,
        initial: &[Vec<u8>],
        property: &Property<'_, S::State>,
    ) -> Result<Told<S>, Error> {
        let start = Instant::now();
        let panics = Panics::default();
        let obstacle = || match property.is_stutter_invariant() {
            false => Some("the formula may count steps (it has X)"),
            true if !Letters::are_universal(&property.automaton) => {
                Some("the formula has too many atoms")
            }
            true => None,
        };
        let (declared, notes) = self.declarations(manner, property.watched(), Some(&obstacle));
        let reduced = declared.as_ref().is_some_and(|d| d.reduces);
        let shared = self.shared(initial, &panics, declared.as_ref());
        let settings = &manner.settings;
        let mut watch = manner.watch(&panics, &[]);
        let Outcome { found, end, stats } = match reduced {
            true => cycles(&|| Changes::new(shared, property), settings, &mut watch),
            false => cycles(&|| Product::new(shared, property), settings, &mut watch),
        };
        let seconds = start.elapsed().as_secs_f64();
        let mut found = found.into_iter().next();
        if let Some(long) = found
            .as_ref()
            .filter(|_| manner.shortest && !panics.happened())
        {
            // A cycle taken from an accepting state may have to be gone around twice.
            let bound = 4 * long.path.len() + 4;
            let mut watch = manner.watch(&panics, &[]);
            let mut full = Product::new(self.shared(initial, &panics, None), property);
            let short = shortest_cycle(&mut full, bound, SHORTENING, &mut watch);
            let is_shorter = |short: &Found<_>| short.path.len() < long.path.len();
            found = short.filter(is_shorter).or(found);
        }
        panics.resume()?;
        let counterexample = match found {
            None => None,
            Some(Found {
                event: Event::Cycle { start },
                path,
            }) => {
                let path: Vec<Move> = path.iter().map(|mv| mv.step).collect();
                Some(confirm::cycle(self.system, property, &path, start)?)
            }
            Some(_) => return Err(unfaithful()),
        };
        let otherwise = conclude(0, end);
        let told = Told::new(counterexample, &otherwise, stats, seconds)?;
        Ok(told.with_reduction(reduced, &notes))
    }

    /// The conditions of all goals about states.
    fn watched(&self) -> Vec<Watched<'_, S::State>> {
        let watched = self.goals.iter().filter_map(|(name, goal)| match goal {
            Goal::State(StateGoal::Invariant(condition, reads)) => Some(Watched {
                name,
                reads: *reads,
                condition,
            }),
            _ => None,
        });
        watched.collect()
    }

    /// What to do with the declarations of the system when these conditions are asked about, and what to say to it.
    fn declarations<'a>(
        &self,
        manner: &Manner,
        watched: Vec<Watched<'a, S::State>>,
        obstacle: Option<&dyn Fn() -> Option<&'static str>>,
    ) -> (Option<Declarations<'a, S::State>>, Vec<String>) {
        let because = |reason: &str| vec![format!("not reduced: {reason}")];
        let processes = self.system.processes();
        let unread = watched.iter().find(|w| w.reads.is_none());
        let notes = match processes {
            _ if !manner.reduces => Vec::new(),
            0 if manner.asks_to_reduce => because("the system declares no processes"),
            0 => Vec::new(),
            _ if processes > MOST_PROCESSES => because("there are too many processes"),
            _ => match (unread, obstacle.and_then(|obstacle| obstacle())) {
                (Some(w), _) => because(&format!("`{}` does not say what it reads", w.name)),
                (None, Some(reason)) => because(reason),
                (None, None) => Vec::new(),
            },
        };
        if processes == 0 || processes > MOST_PROCESSES {
            return (None, notes);
        }
        let declarations = Declarations {
            processes,
            reduces: manner.reduces && notes.is_empty(),
            verifies: self.verifies,
            watched,
        };
        (Some(declarations), notes)
    }

    fn shared<'a>(
        &'a self,
        initial: &'a [Vec<u8>],
        panics: &'a Panics,
        declared: Option<&'a Declarations<'a, S::State>>,
    ) -> Shared<'a, S> {
        Shared {
            system: self.system,
            initial,
            panics,
            declared,
        }
    }
}

/// Searches a product.
fn cycles<P: Accepting<Move = ProductMove> + Parallel>(
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    watch: &mut Watch<'_>,
) -> Outcome<ProductMove> {
    let mut space = make();
    match settings.workers {
        1 => search_cycles(&mut space, settings, watch),
        _ => search_cycles_together(&mut space, make, settings, watch),
    }
}

/// How to search.
struct Manner {
    settings: Settings,
    time: Option<Duration>,
    shortest: bool,
    reduces: bool,
    asks_to_reduce: bool,
}

impl Manner {
    fn new(options: &Options) -> Result<Manner, Error> {
        let default = Options::default();
        let refused = [
            ("all_errors", options.all_errors),
            ("end_states", !options.end_states),
            ("passes", options.passes != default.passes),
            ("why_not", options.why_not),
            ("fairness", !options.fairness.is_none()),
            ("classic_product", options.classic_product),
            ("strategy", options.strategy.is_some()),
            ("store", options.store.is_some_and(Store::is_lossy)),
            ("hash_functions", options.hash_functions.is_some()),
            ("swarm", options.swarm.is_some()),
            ("accept_probabilistic", options.accept_probabilistic),
        ];
        if let Some((option, _)) = refused.into_iter().find(|(_, asked)| *asked) {
            return Err(Error::Option(option));
        }
        let all_cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let none = Limits::default();
        Ok(Manner {
            settings: Settings {
                end_states: false,
                // The root is stored too, and one move longer is each path.
                limits: Limits {
                    memory: options.memory.or_else(free_memory).unwrap_or(none.memory),
                    depth: options.depth.map_or(none.depth, |d| d.saturating_add(1)),
                    states: options.states.map_or(none.states, |s| s.saturating_add(1)),
                },
                store: match options.store {
                    Some(Store::Compressed) => store::StoreKind::Tree,
                    _ => store::StoreKind::Flat,
                },
                spill: options.spill.clone(),
                workers: options.workers.unwrap_or_else(all_cores).max(1),
                alone: options.join_after.unwrap_or(Settings::default().alone),
                ..Settings::default()
            },
            time: options.time,
            shortest: options.shortest,
            reduces: options.reduction != Some(false) && !options.plain,
            asks_to_reduce: options.reduction == Some(true),
        })
    }

    fn watch<'a>(&self, panics: &'a Panics, violated: &'a [AtomicBool]) -> Watch<'a> {
        Watch {
            panics,
            violated,
            time: self.time.map(|limit| (Instant::now(), limit)),
        }
    }
}

fn state_goal<'g, 'c, State>(
    (_, goal): &'g (String, Goal<'c, State>),
) -> Option<&'g StateGoal<'c, State>> {
    match goal {
        Goal::State(goal) => Some(goal),
        Goal::Ltl(_) => None,
    }
}

fn unique<'n>(names: impl Iterator<Item = &'n String>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Error::SameName(name.clone()));
        }
    }
    Ok(())
}

fn unfaithful() -> Error {
    Error::Contradiction("an action that was possible is not when it is tried again".to_owned())
}

/// Which goal something found violates.
fn violated_goal(found: &Found<Move>, goals: usize) -> Result<usize, Error> {
    match found.path.last() {
        Some(&Move::Violated(index)) if (index as usize) < goals => Ok(index as usize),
        _ => Err(unfaithful()),
    }
}

/// What there is to tell of a goal.
struct Told<S: TransitionSystem> {
    counterexample: Option<CounterexampleOf<S>>,
    verdict: Word,
    stop: Option<Stop>,
    stats: Stats,
    seconds: f64,
    reduced: bool,
    notes: Vec<String>,
}

impl<S: TransitionSystem> Told<S> {
    /// Violated if there is a counterexample, else what the end of the search says.
    fn new(
        counterexample: Option<CounterexampleOf<S>>,
        otherwise: &Verdict,
        stats: Stats,
        seconds: f64,
    ) -> Result<Told<S>, Error> {
        let (verdict, stop) = match (&counterexample, otherwise) {
            (Some(_), _) => (Word::Violated, None),
            // A search ends so only at something found.
            (None, Verdict::Violated) => return Err(unfaithful()),
            (None, Verdict::Inconclusive(stop)) => (Word::Inconclusive, Some(*stop)),
            (None, otherwise) => (otherwise.word(), None),
        };
        Ok(Told {
            counterexample,
            verdict,
            stop,
            stats,
            seconds,
            reduced: false,
            notes: Vec::new(),
        })
    }

    fn with_reduction(self, reduced: bool, notes: &[String]) -> Told<S> {
        Told {
            reduced,
            notes: notes.to_vec(),
            ..self
        }
    }

    fn report(self, name: &str) -> GoalReport<S::State, S::Action> {
        GoalReport {
            name: name.to_owned(),
            verdict: self.verdict,
            stop: self.stop,
            counterexample: self.counterexample,
            // The root is none of the system's.
            states: self.stats.stored.saturating_sub(1),
            statistics: self.stats,
            seconds: self.seconds,
            reduced: self.reduced,
            notes: self.notes,
        }
    }
}

/// Stops a search when its time is up, or when nothing is left to be found out.
struct Watch<'a> {
    panics: &'a Panics,
    violated: &'a [AtomicBool],
    time: Option<(Instant, Duration)>,
}

impl Monitor for Watch<'_> {
    fn tick(&mut self, _: &Progress) -> Option<Stop> {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.panics.happened() || !self.violated.is_empty() && self.violated.iter().all(is_set) {
            return Some(Stop::Interrupted);
        }
        let (start, limit) = self.time?;
        (start.elapsed() >= limit).then_some(Stop::Time(limit))
    }
}

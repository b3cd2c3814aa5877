//! Asking about a system: goals and bounds, and the way from there to a report.
//!
//! All goals about states are decided by one search, formulas by one search each. A goal holds only if its search says that
//! nothing was left out ([`verdict::conclude`](crate::verdict::conclude)); it is violated only if the run has been confirmed.

use super::TransitionSystem;
use super::confirm::{self, CounterexampleOf, ReportOf};
use super::formula::Property;
use super::product::Product;
use super::report::{Error, GoalReport, Report};
use super::space::{Condition, Move, Shared, StateGoal, States};
use super::successors::{Panics, encode};
use crate::check::{Options, Store, free_memory};
use crate::limits::{Limits, Monitor, Progress, Stop};
use crate::search::{
    Event, Found, Outcome, Settings, Strategy, search, search_cycles, search_cycles_together,
    search_together, shortest_cycle,
};
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
    atoms: Vec<(String, Condition<'c, S::State>)>,
}

impl<'c, S: TransitionSystem> Check<'c, S> {
    /// A check without goals.
    pub fn new(system: &'c S) -> Check<'c, S> {
        Check {
            system,
            goals: Vec::new(),
            atoms: Vec::new(),
        }
    }

    /// A goal: the condition holds in every reachable state.
    pub fn invariant(
        mut self,
        name: &str,
        condition: impl Fn(&S::State) -> bool + Sync + 'c,
    ) -> Self {
        let goal = Goal::State(StateGoal::Invariant(Box::new(condition)));
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

    /// Names a condition for formulas.
    pub fn atom(mut self, name: &str, condition: impl Fn(&S::State) -> bool + Sync + 'c) -> Self {
        self.atoms.push((name.to_owned(), Box::new(condition)));
        self
    }

    /// Checks all goals. Of the options those apply that are about the search: workers (all cores if not said), bounds, the
    /// exact stores, the reduction, short counterexamples; others are refused. A panic in the system or in a condition goes on
    /// to the caller.
    pub fn check(&self, options: &Options) -> Result<ReportOf<S>, Error> {
        let manner = Manner::new(options)?;
        unique(self.goals.iter().map(|(name, _)| name))?;
        unique(self.atoms.iter().map(|(name, _)| name))?;
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
        let shared = self.shared(initial, &panics);
        let make = || States::new(shared, goals, &violated);
        let mut settings = manner.settings.clone();
        settings.all_errors = goals.len() > 1;
        let mut watch = manner.watch(&panics, &violated);
        let mut space = make();
        let outcome = match settings.workers {
            1 => search(Strategy::Dfs, &mut space, &settings, &mut watch),
            _ => search_together(&mut space, &make, &settings, &mut watch),
        };
        panics.resume();
        let seconds = start.elapsed().as_secs_f64();
        let Outcome { found, end, stats } = outcome;
        let mut counterexamples: Vec<Option<CounterexampleOf<S>>> =
            goals.iter().map(|_| None).collect();
        for found in found {
            let index = violated_goal(&found, goals.len())?;
            let path = match manner.shortest {
                true => self.shorter(manner, initial, goals[index], found.path),
                false => found.path,
            };
            counterexamples[index] = Some(confirm::state(self.system, goals[index], &path)?);
        }
        let otherwise = conclude(0, end);
        let told = |counterexample| Told::new(counterexample, &otherwise, stats, seconds);
        counterexamples.into_iter().map(told).collect()
    }

    /// A path to a state that violates the goal, shorter than this one if there is one among the nearest states.
    fn shorter(
        &self,
        manner: &Manner,
        initial: &[Vec<u8>],
        goal: &StateGoal<'_, S::State>,
        path: Vec<Move>,
    ) -> Vec<Move> {
        // Moves to the initial state and from the last one belong to it; a shorter one has a step less at least.
        let Some(depth) = path.len().checked_sub(2).filter(|&steps| steps > 0) else {
            return path;
        };
        let violated = [AtomicBool::new(false)];
        let panics = Panics::default();
        let goals = [goal];
        let mut states = States::new(self.shared(initial, &panics), &goals, &violated);
        let mut settings = manner.settings.clone();
        settings.limits.depth = depth as u64;
        settings.limits.states = settings.limits.states.min(SHORTENING);
        let mut watch = manner.watch(&panics, &[]);
        let outcome = search(Strategy::Bfs, &mut states, &settings, &mut watch);
        panics.resume();
        let shorter = outcome.found.into_iter().next();
        shorter.map_or(path, |found| found.path)
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
        let shared = self.shared(initial, &panics);
        let make = || Product::new(shared, property);
        let settings = &manner.settings;
        let mut watch = manner.watch(&panics, &[]);
        let mut space = make();
        let Outcome { found, end, stats } = match settings.workers {
            1 => search_cycles(&mut space, settings, &mut watch),
            _ => search_cycles_together(&mut space, &make, settings, &mut watch),
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
            let short = shortest_cycle(&mut make(), bound, SHORTENING, &mut watch);
            let is_shorter = |short: &Found<_>| short.path.len() < long.path.len();
            found = short.filter(is_shorter).or(found);
        }
        panics.resume();
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
        Told::new(counterexample, &otherwise, stats, seconds)
    }

    fn shared<'a>(&'a self, initial: &'a [Vec<u8>], panics: &'a Panics) -> Shared<'a, S> {
        Shared {
            system: self.system,
            initial,
            panics,
        }
    }
}

/// How to search.
struct Manner {
    settings: Settings,
    time: Option<Duration>,
    shortest: bool,
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
        })
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

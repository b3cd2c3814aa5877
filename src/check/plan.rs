//! How a goal is checked: the one table of which options can be combined.
//!
//! A [`Plan`] begins as what the [`Options`] ask for, and what is best where they ask for nothing. Then the rows of [`TABLE`]
//! are gone through in order. A row that applies says why something cannot be done, and changes the plan. If the user asked
//! for that very thing, the plan is refused ([`Refusal`]), with the nearest thing that works; otherwise the change is noted.
//! When several goals are checked in one run, an option is refused only if no goal can have it; a goal that cannot
//! have it gets a note, unless the option is not meant for goals of its kind.
//!
//! Searches are made from a plan and from nothing else, so that what is sound is decided here. What would break it: a row
//! that is missing, or one above another that it relies on. `tests/plan.rs` walks the product of all options and compares what
//! is reported with what the search itself counted; each row names what else defends it.

use super::options::{
    CheckpointOptions, Engine, FairnessOptions, Options, Splitting, Store, free_memory,
};
use super::table::{Case, KEPT, TABLE, wants_reduction};
use super::{Goal, Model};
use crate::checkpoint::{Identity, Resumption, digest_of};
use crate::fairness::{self, Fairness};
use crate::limits::{Cancellation, Limits, Stop};
use crate::property::{Property, Unsupported};
use crate::search::{Settings, Strategy, Swarm};
use crate::space::Stepping;
use crate::store::{self, LossyKind};
use promela_lite::opt::Passes;
use promela_lite::program::{Proctype, ProctypeId, Program};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What will be done to check one goal.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is checked.
    pub goal: Goal,
    /// What is searched for.
    pub target: Target,
    /// The order of the search.
    pub order: Order,
    /// Whether only ample sets of moves are made where that is sound.
    pub reduction: bool,
    /// Whether these are found by way of stubborn sets.
    pub stubborn: bool,
    /// Which runs count.
    pub fairness: Fairness,
    /// What is kept of states.
    pub store: StorePlan,
    /// Threads that may search together.
    pub workers: usize,
    /// Hosts that search together.
    pub hosts: Option<usize>,
    /// Passes over the program before it is searched.
    pub passes: Passes,
    /// Whether counterexamples are shortened.
    pub shortest: bool,
    /// Whether an invalid end state is a violation.
    pub end_states: bool,
    /// Go on past violations.
    pub all_errors: bool,
    /// Count what kept states from being reduced.
    pub why_not: bool,
    /// Whether a lossy search that found no violation is accepted.
    pub accept_probabilistic: bool,
    /// Where states go that find no room in memory.
    pub spill: Option<PathBuf>,
    /// Bounds.
    pub limits: Limits,
    /// The bound on contexts, and how runs within it are explored.
    pub contexts: Option<Within>,
    /// Bound on the time for the goal.
    pub time: Option<Duration>,
    /// What of that time has been used already, for translating the formula and whatever else came before the search.
    pub spent: Duration,
    /// Lets others end the search.
    pub cancellation: Cancellation,
    /// Where the search is written to now and then.
    pub checkpoint: Option<CheckpointOptions>,
    /// The checkpoint that it goes on from.
    pub resume: Option<Arc<Resumption>>,
    /// How many states one worker stores alone before the others join it.
    pub alone: u64,
    /// What was changed or left out, and why.
    pub notes: Vec<String>,
}

/// Runs with a bound on contexts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Within {
    /// The largest number of contexts.
    pub bound: usize,
    /// How they are explored.
    pub engine: Engine,
    /// Bits of `int` and `short`.
    pub bits: usize,
    /// How sets of configurations are split.
    pub splitting: Splitting,
}

/// What is searched for.
#[derive(Clone, Debug)]
pub enum Target {
    /// A state.
    Safety,
    /// A cycle through an `accept` label.
    Acceptance,
    /// A run that violates a property; whether the automaton reads every state.
    Property(Arc<Property>, Stepping),
    /// Nothing: the property has something that is not supported.
    Unsupported(String),
    /// Nothing: a limit was reached while the formula was being translated.
    Untranslated(Stop),
}

impl Target {
    /// The property, where there is one.
    pub fn property(&self) -> Option<&Property> {
        match self {
            Target::Property(property, _) => Some(property),
            _ => None,
        }
    }

    /// Whether nothing is searched.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Target::Unsupported(_) | Target::Untranslated(_))
    }
}

/// The order of a search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Of states.
    States(Strategy),
    /// Nested depth-first search for accepting cycles.
    Nested,
    /// Depth-first search for strongly connected components.
    Components,
    /// Of executions, without states.
    Executions,
}

impl Order {
    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Order::States(Strategy::Dfs) => "dfs",
            Order::States(Strategy::StrictDfs) => "strict-dfs",
            Order::States(Strategy::Bfs) => "bfs",
            Order::Nested => "nested-dfs",
            Order::Components => "components",
            Order::Executions => "stateless",
        }
    }
}

/// What is kept of the states visited.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StorePlan {
    /// The states.
    Exact(store::StoreKind),
    /// Less than that.
    Lossy(LossyKind),
    /// Bits, by several searches.
    Swarm(Swarm),
}

impl StorePlan {
    /// Whether states may be taken for others.
    pub fn is_lossy(self) -> bool {
        !matches!(self, StorePlan::Exact(_))
    }

    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            StorePlan::Exact(kind) => kind.name(),
            StorePlan::Lossy(LossyKind::Compact) => "hash-compact",
            StorePlan::Lossy(LossyKind::Bits { .. }) | StorePlan::Swarm(_) => "bitstate",
        }
    }
}

/// Why something that was asked for is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The option.
    pub option: &'static str,
    /// Why not.
    pub because: String,
    /// The nearest thing that works.
    pub instead: &'static str,
    /// Whether the option is for goals of another kind.
    scope: bool,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal {
            option,
            because,
            instead,
            ..
        } = self;
        write!(f, "{option}: {because}; {instead}")
    }
}

impl std::error::Error for Refusal {}

impl Plan {
    /// What will be done to check a goal, or why what was asked for cannot be done.
    pub fn decide(model: &Model, goal: &Goal, options: &Options) -> Result<Plan, Refusal> {
        let (plan, mut refusals) = draft(model, goal, options)?;
        match refusals.is_empty() {
            true => Ok(plan),
            false => Err(refusals.swap_remove(0)),
        }
    }

    /// The same for several goals that are checked with the same options: what some of them can have is not refused.
    pub fn decide_all(
        model: &Model,
        goals: &[Goal],
        options: &Options,
    ) -> Result<Vec<Plan>, Refusal> {
        let drafts: Result<Vec<_>, Refusal> = goals
            .iter()
            .map(|goal| draft(model, goal, options))
            .collect();
        let drafts = drafts?;
        let keeps = options.checkpoint.is_some() || options.resume.is_some();
        if keeps && drafts.len() > 1 {
            return Err(Refusal {
                option: KEPT,
                because: "a checkpoint is of one goal".to_owned(),
                instead: "add --check safety, or --claim with the name of a property",
                scope: false,
            });
        }
        let refused = |refusal: &&Refusal| {
            let everywhere = |(plan, refusals): &(Plan, Vec<Refusal>)| {
                plan.target.is_nothing() || refusals.iter().any(|r| r.option == refusal.option)
            };
            drafts.iter().all(everywhere)
        };
        let first = drafts
            .iter()
            .flat_map(|(_, refusals)| refusals)
            .find(refused);
        if let Some(refusal) = first {
            return Err(refusal.clone());
        }
        let noted = |(mut plan, refusals): (Plan, Vec<Refusal>)| {
            let others = refusals.into_iter().filter(|r| !r.scope);
            let notes = others.map(|r| format!("{}: {}", r.option, r.because));
            plan.notes.extend(notes);
            plan
        };
        Ok(drafts.into_iter().map(noted).collect())
    }

    /// What must be the same when the search goes on from a checkpoint.
    pub(super) fn identity(&self, model: &Model) -> Identity {
        let Plan {
            passes,
            fairness,
            limits,
            ..
        } = self;
        let stepping = match &self.target {
            Target::Property(_, stepping) => format!("{stepping:?}"),
            _ => String::new(),
        };
        let options = [
            ("order", self.order.name().to_owned()),
            ("store", self.store.name().to_owned()),
            ("workers", self.workers.to_string()),
            ("reduction", self.reduction.to_string()),
            ("stubborn sets", self.stubborn.to_string()),
            ("all errors", self.all_errors.to_string()),
            ("end states", self.end_states.to_string()),
            ("slicing", passes.slice.to_string()),
            ("merging", passes.merge.to_string()),
            ("dead variables", passes.dead_variables.to_string()),
            ("fairness", format!("{fairness:?}")),
            ("product", stepping),
            ("depth", limits.depth.to_string()),
        ];
        let options = options.map(|(name, value)| (name.to_owned(), value));
        let property = self.target.property();
        Identity {
            version: format!("{} ({})", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH),
            model: model.digest.clone(),
            goal: self.goal.name(model).to_owned(),
            options: options.into(),
            program: digest_of(&(&*model.program, property)),
        }
    }

    /// What is asked of the search.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            all_errors: self.all_errors,
            end_states: self.end_states,
            limits: self.limits,
            store: match self.store {
                StorePlan::Exact(kind) => kind,
                StorePlan::Lossy(_) | StorePlan::Swarm(_) => store::StoreKind::default(),
            },
            spill: self.spill.clone(),
            workers: self.workers,
            alone: self.alone,
            checkpoints: None,
            resume: None,
        }
    }
}

/// A plan, and what was asked for that is not in it.
fn draft(model: &Model, goal: &Goal, options: &Options) -> Result<(Plan, Vec<Refusal>), Refusal> {
    let program = &model.program;
    let mut plan = as_asked(model, goal, options)?;
    let mut refusals = Vec::new();
    if plan.target.is_nothing() {
        // Nothing is searched, so nothing is reduced.
        plan.reduction = false;
        plan.stubborn = false;
        return Ok((plan, refusals));
    }
    for row in TABLE {
        let case = Case {
            program,
            options,
            plan: &plan,
        };
        let asked = (row.asked)(options);
        let Some(reason) = (row.unless)(&case) else {
            continue;
        };
        (row.change)(&mut plan);
        if asked {
            refusals.push(Refusal {
                option: row.option,
                because: reason,
                instead: row.instead,
                scope: row.scope,
            });
        } else if row.noted {
            plan.notes.push(format!("{}: {reason}", noun(row.option)));
        }
    }
    if let Some(path) = &options.resume
        && refusals.is_empty()
    {
        match Resumption::look(path, || plan.identity(model)) {
            Ok(resume) => {
                let states = resume.states;
                plan.notes
                    .push(format!("the search went on from {states} states"));
                plan.resume = Some(Arc::new(resume));
            }
            Err(because) => refusals.push(Refusal {
                option: "--resume",
                because,
                instead: "start anew, or use the model, the version and the options it was made with",
                scope: false,
            }),
        }
    }
    Ok((plan, refusals))
}

/// What a note calls a setting that was not asked for.
fn noun(option: &str) -> &str {
    match option {
        "--reduction ample" => "the reduction is off",
        other => other,
    }
}

/// What the options ask for, and what is best where they do not say, without a look at what goes together.
fn as_asked(model: &Model, goal: &Goal, options: &Options) -> Result<Plan, Refusal> {
    let start = Instant::now();
    let cancellation = options.cancellation.clone().after(start, options.time);
    let target = match goal.property(model, &cancellation) {
        Err(Unsupported(what)) => match cancellation.poll() {
            Some(stop) => Target::Untranslated(stop),
            None => Target::Unsupported(what),
        },
        Ok(None) if *goal == Goal::Safety => Target::Safety,
        Ok(None) => Target::Acceptance,
        Ok(Some(property)) => {
            let stepping = match property.stutter_invariant && !options.classic_product {
                true => Stepping::Changes,
                false => Stepping::EveryState,
            };
            Target::Property(Arc::new(property), stepping)
        }
    };
    let fairness = fair_to(&options.fairness, &model.program)?;
    let order = match &target {
        Target::Safety if options.stateless => Order::Executions,
        Target::Safety if options.shortest || options.hosts.is_some() => {
            Order::States(Strategy::Bfs)
        }
        Target::Safety => Order::States(options.strategy.unwrap_or(Strategy::Dfs)),
        _ if fairness.is_none() => Order::Nested,
        _ => Order::Components,
    };
    let workers = options
        .workers
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    let none = Limits::default();
    Ok(Plan {
        end_states: options.end_states && matches!(target, Target::Safety),
        goal: goal.clone(),
        target,
        order,
        reduction: !options.plain && options.reduction != Some(false) || wants_reduction(options),
        stubborn: options.stubborn,
        fairness,
        store: store_for(options, workers),
        workers,
        hosts: options.hosts,
        passes: match options.plain {
            true => Passes::NONE,
            false => options.passes,
        },
        shortest: options.shortest,
        all_errors: options.all_errors,
        why_not: options.why_not,
        accept_probabilistic: options.accept_probabilistic,
        spill: options.spill.clone(),
        limits: Limits {
            memory: options.memory.or_else(free_memory).unwrap_or(none.memory),
            depth: options.depth.unwrap_or(none.depth),
            states: options.states.unwrap_or(none.states),
        },
        contexts: options.contexts.map(|bound| Within {
            bound,
            engine: options.engine.unwrap_or(Engine::Symbolic),
            bits: options.bits.unwrap_or(32),
            splitting: options.splitting.unwrap_or(Splitting::Lazy),
        }),
        time: options.time,
        spent: start.elapsed(),
        cancellation: options.cancellation.clone(),
        checkpoint: options.checkpoint.clone(),
        resume: None,
        alone: options.join_after.unwrap_or(Settings::default().alone),
        notes: model.variant.notes(),
    })
}

/// Without a bound on memory, the most that an array of bits takes: good for some forty million states.
const USUAL_BITS: u64 = 512 << 20;

fn store_for(options: &Options, workers: usize) -> StorePlan {
    let members = options.swarm.map(|swarm| swarm.members);
    let threads = members
        .map_or(1, |members| members.min(workers as u32))
        .max(1);
    // The stack needs room as well.
    let bytes = match options.memory {
        Some(memory) => memory / 4 * 3,
        None => (free_memory().unwrap_or(u64::MAX) / 2).min(USUAL_BITS * u64::from(threads)),
    } / u64::from(threads);
    let hashes = options.hash_functions.unwrap_or(3);
    match (options.swarm, options.store) {
        (Some(swarm), _) => StorePlan::Swarm(Swarm {
            members: swarm.members,
            threads,
            seed: swarm.seed,
            bytes,
            hashes,
        }),
        (None, None) if options.hosts.is_some() => StorePlan::Exact(store::StoreKind::Tree),
        (None, None | Some(Store::Exact)) => StorePlan::Exact(store::StoreKind::Flat),
        (None, Some(Store::Compressed)) => StorePlan::Exact(store::StoreKind::Tree),
        (None, Some(Store::Compact)) => StorePlan::Lossy(LossyKind::Compact),
        (None, Some(Store::Bitstate)) => StorePlan::Lossy(LossyKind::Bits {
            bytes,
            hashes,
            seed: 0,
        }),
    }
}

/// The fairness that is asked for.
fn fair_to(options: &FairnessOptions, program: &Program) -> Result<Fairness, Refusal> {
    if options.f && !(options.weak.is_empty() && options.strong.is_empty()) {
        return Err(Refusal {
            option: "--fairness f",
            because: "it is about operations, --weak and --strong are about processes".to_owned(),
            instead: "leave out --weak and --strong",
            scope: false,
        });
    }
    if options.f {
        return Ok(Fairness::f());
    }
    let mut fairness = Fairness::all(program, options.all);
    let weak = options
        .weak
        .iter()
        .map(|n| (n, fairness::FairnessKind::Weak));
    let strong = options
        .strong
        .iter()
        .map(|n| (n, fairness::FairnessKind::Strong));
    for (name, kind) in weak.chain(strong) {
        let is_called = |p: &Proctype| p.name == *name || (p.name == ":init:" && name == "init");
        match program.proctypes.iter().position(is_called) {
            Some(index) => fairness.set(ProctypeId(index as u16), kind),
            None => {
                return Err(Refusal {
                    option: match kind {
                        fairness::FairnessKind::Weak => "--weak",
                        _ => "--strong",
                    },
                    because: format!("there is no proctype {name} to be fair to"),
                    instead: "name a proctype of the model",
                    scope: false,
                });
            }
        }
    }
    Ok(fairness)
}

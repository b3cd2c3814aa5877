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

use super::options::{FairnessOptions, Options, Store, all_memory, free_memory};
use super::{Goal, Model};
use crate::fairness::{self, Fairness};
use crate::limits::{Cancellation, Limits, Stop};
use crate::property::{Property, Unsupported};
use crate::reduce::{obstacle, obstacle_under_f};
use crate::search::{Settings, Strategy, Swarm};
use crate::space::{Product, Stepping};
use crate::store::{self, LossyKind};
use promela_lite::opt::Passes;
use promela_lite::program::{Proctype, ProctypeId, Program};
use std::fmt;
use std::path::{Path, PathBuf};
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
    /// Which runs count.
    pub fairness: Fairness,
    /// What is kept of states.
    pub store: StorePlan,
    /// Threads that may search together.
    pub workers: usize,
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
    /// Bound on the time for the goal.
    pub time: Option<Duration>,
    /// What of that time has been used already, for translating the formula and whatever else came before the search.
    pub spent: Duration,
    /// Lets others end the search.
    pub cancellation: Cancellation,
    /// How many states one worker stores alone before the others join it.
    pub alone: u64,
    /// What was changed or left out, and why.
    pub notes: Vec<String>,
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

/// What a row looks at.
struct Case<'a> {
    program: &'a Program,
    options: &'a Options,
    plan: &'a Plan,
}

impl Case<'_> {
    fn is_safety(&self) -> bool {
        matches!(self.plan.target, Target::Safety)
    }

    fn is_fair(&self) -> bool {
        !self.plan.fairness.is_none()
    }

    /// Whether the property can tell a letter from the same letter twice.
    fn counts_letters(&self) -> bool {
        self.plan
            .target
            .property()
            .is_some_and(|p| !p.stutter_invariant)
    }

    fn lossy(&self) -> bool {
        self.plan.store.is_lossy()
    }
}

/// One thing that cannot be done together with others.
struct Row {
    /// The option that would ask for it.
    option: &'static str,
    /// Whether it was asked for.
    asked: fn(&Options) -> bool,
    /// Why it cannot be done, if it was going to be done and cannot.
    unless: fn(&Case<'_>) -> Option<String>,
    /// What is done in its place.
    change: fn(&mut Plan),
    /// Whether a change of what was not asked for is worth a note.
    noted: bool,
    /// Whether the option is for goals of another kind: no word about that where one of them is checked too.
    scope: bool,
    /// What the user can do.
    instead: &'static str,
}

/// A reason that is always the same.
fn because(applies: bool, reason: &str) -> Option<String> {
    applies.then(|| reason.to_owned())
}

/// Why no files can be made in a folder.
fn unusable(folder: &Path) -> Option<String> {
    let error = tempfile::tempfile_in(folder).err()?;
    Some(format!(
        "no file can be made in {}: {error}",
        folder.display()
    ))
}

const LEAVE_OUT: &str = "leave it out";

/// Rows further down rely on what those above have decided.
const TABLE: &[Row] = &[
    // Options of stores. Defended by tests/plan.rs and tests/cli_lossy.rs.
    Row {
        option: "--store",
        asked: |o| o.store.is_some(),
        unless: |c| {
            let other = c.options.store.is_some_and(|s| s != Store::Bitstate);
            because(
                c.options.swarm.is_some() && other,
                "a swarm has bitstate stores",
            )
        },
        change: |_| (),
        noted: true,
        scope: false,
        instead: "leave out --store, or --swarm",
    },
    Row {
        option: "--hash-functions",
        asked: |o| o.hash_functions.is_some(),
        unless: |c| {
            let bits = matches!(
                c.plan.store,
                StorePlan::Swarm(_) | StorePlan::Lossy(LossyKind::Bits { .. })
            );
            because(!bits, "only a bitstate store has hash functions")
        },
        change: |_| (),
        noted: false,
        scope: false,
        instead: "add --store bitstate",
    },
    Row {
        option: "--spill",
        asked: |o| o.spill.is_some(),
        unless: |c| {
            let tree = c.plan.store == StorePlan::Exact(store::StoreKind::Tree);
            because(!tree, "only the compressed store can move states to files")
                .or_else(|| unusable(c.plan.spill.as_deref()?))
        },
        change: |p| p.spill = None,
        noted: false,
        scope: false,
        instead: "add --store compressed, and give a directory that can be written to",
    },
    Row {
        option: "--memory",
        asked: |o| o.memory.is_some(),
        unless: |c| {
            let (most, asked) = (all_memory()?, c.options.memory?);
            let gib = most as f64 / f64::from(1 << 30);
            (asked > most).then(|| format!("this machine has {gib:.1} GiB, swap included"))
        },
        change: |_| (),
        noted: false,
        scope: false,
        instead: "leave it out for nine tenths of the free memory, or give less",
    },
    Row {
        option: "--accept-probabilistic",
        asked: |o| o.accept_probabilistic,
        unless: |c| because(!c.lossy(), "an exact store leaves out nothing"),
        change: |p| p.accept_probabilistic = false,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    // Fairness. Defended by tests/plan.rs, tests/cli_fairness.rs and tests/fairness.rs.
    Row {
        option: "--fairness",
        asked: |o| !o.fairness.is_none(),
        unless: |c| because(c.is_safety(), "it applies to infinite runs only"),
        change: |p| p.fairness = Fairness::default(),
        noted: false,
        scope: true,
        instead: "check a property with it",
    },
    Row {
        option: "--store",
        asked: |o| o.store.is_some_and(Store::is_lossy) || o.swarm.is_some(),
        unless: |c| because(c.is_fair() && c.lossy(), "fair cycles need the exact store"),
        change: |p| p.store = StorePlan::Exact(store::StoreKind::default()),
        noted: true,
        scope: false,
        instead: "use --store exact or compressed",
    },
    // The order of the search. Defended by tests/plan.rs and tests/strategies.rs.
    Row {
        option: "--strategy",
        asked: |o| o.strategy.is_some(),
        unless: |c| {
            because(
                !c.is_safety(),
                "it is for safety: cycles are searched for in an order of their own",
            )
        },
        change: |_| (),
        noted: false,
        scope: true,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--no-end-check",
        asked: |o| !o.end_states,
        unless: |c| because(!c.is_safety(), "end states are checked with safety only"),
        change: |p| p.end_states = false,
        noted: false,
        scope: true,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--strategy",
        asked: |o| o.strategy.is_some(),
        unless: |c| {
            because(
                c.options.shortest && c.options.strategy.is_some_and(|s| s != Strategy::Bfs),
                "short counterexamples are found breadth first",
            )
        },
        change: |_| (),
        noted: false,
        scope: false,
        instead: "leave out --strategy, or --shortest",
    },
    Row {
        option: "--strategy",
        asked: |o| o.strategy.is_some(),
        unless: |c| {
            let other = c.plan.order == Order::States(Strategy::Bfs)
                || c.plan.order == Order::States(Strategy::StrictDfs);
            because(c.lossy() && other, "a lossy store is searched depth first")
        },
        change: |p| p.order = Order::States(Strategy::Dfs),
        noted: false,
        scope: false,
        instead: "use --store exact or compressed",
    },
    Row {
        option: "--shortest",
        asked: |o| o.shortest,
        unless: |c| {
            because(
                c.options.shortest && c.lossy(),
                "a lossy store is searched depth first",
            )
        },
        change: |p| p.shortest = false,
        noted: false,
        scope: false,
        instead: "use --store exact or compressed",
    },
    Row {
        option: "--shortest",
        asked: |o| o.shortest,
        unless: |c| because(c.is_fair(), "fair cycles are reported as they are found"),
        change: |p| p.shortest = false,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    // The product. Defended by tests/agreement.rs, tests/spin_properties.rs and tests/never_claims.rs.
    Row {
        option: "--classic-product",
        asked: |o| o.classic_product,
        unless: |c| {
            because(
                c.plan.target.property().is_none(),
                "this goal has no automaton",
            )
        },
        change: |_| (),
        noted: false,
        scope: true,
        instead: "check a formula, a never claim or an automaton with it",
    },
    Row {
        option: "merging",
        asked: |_| false,
        unless: |c| {
            because(
                c.plan.passes.merge && c.counts_letters(),
                "the property is not stutter-invariant, and would miss the states in between",
            )
        },
        change: |p| p.passes.merge = false,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    // The reduction. Defended by tests/reduction_traps.rs, tests/agreement.rs and tests/fairness_f.rs.
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| because(c.plan.reduction && c.options.plain, "--plain disables it"),
        change: |p| p.reduction = false,
        noted: false,
        scope: false,
        instead: "leave out --plain, or --reduction",
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            let reason = obstacle(c.program)?;
            c.plan.reduction.then(|| reason.to_owned())
        },
        change: |p| p.reduction = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            because(
                c.plan.reduction && c.counts_letters(),
                "the property is not stutter-invariant: its automaton reads every state",
            )
        },
        change: |p| p.reduction = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            let every = matches!(c.plan.target, Target::Property(_, Stepping::EveryState));
            because(
                c.plan.reduction && every,
                "--classic-product reads every state",
            )
        },
        change: |p| p.reduction = false,
        noted: false,
        scope: false,
        instead: "leave out --classic-product, or --reduction",
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            let to_processes = c.is_fair() && !c.plan.fairness.is_f();
            because(
                c.plan.reduction && to_processes,
                "fairness depends on which processes are enabled",
            )
        },
        change: |p| p.reduction = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            let labels = matches!(c.plan.target, Target::Acceptance);
            because(
                c.plan.reduction && c.plan.fairness.is_f() && labels,
                "under F it is available for formulas, never claims and automata only",
            )
        },
        change: |p| p.reduction = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            let reason = obstacle_under_f(c.program)?;
            (c.plan.reduction && c.plan.fairness.is_f()).then(|| reason.to_owned())
        },
        change: |p| p.reduction = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            let strict = c.plan.order == Order::States(Strategy::StrictDfs);
            because(
                c.plan.reduction && strict,
                "strict-dfs visits every state in the textbook order",
            )
        },
        change: |p| p.reduction = false,
        noted: true,
        scope: false,
        instead: "use --strategy dfs or bfs",
    },
    Row {
        option: "--why-not",
        asked: |o| o.why_not,
        unless: |c| because(!c.plan.reduction, "there is no reduction"),
        change: |p| p.why_not = false,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--why-not",
        asked: |o| o.why_not,
        unless: |c| {
            because(
                matches!(c.plan.store, StorePlan::Swarm(_)),
                "a swarm does not count why states were not reduced",
            )
        },
        change: |p| p.why_not = false,
        noted: false,
        scope: false,
        instead: "leave out --swarm, or --why-not",
    },
    // Workers. Defended by tests/plan.rs and tests/cli_workers.rs.
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| {
            let alone = matches!(
                c.plan.order,
                Order::States(Strategy::Bfs | Strategy::StrictDfs)
            );
            because(
                c.plan.workers > 1 && alone,
                "only a depth-first search is shared",
            )
        },
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| {
            because(
                c.plan.workers > 1 && c.is_fair(),
                "a search for fair cycles has one worker",
            )
        },
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| {
            because(
                c.plan.workers > 1 && c.plan.shortest && !c.is_safety(),
                "a cycle that is to be shortened is found by one worker",
            )
        },
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| {
            because(
                c.plan.workers > 1 && c.plan.why_not,
                "--why-not counts with one worker only",
            )
        },
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| {
            let alone = matches!(c.plan.store, StorePlan::Lossy(_)) && !c.is_safety();
            because(
                c.plan.workers > 1 && alone,
                "a lossy search for cycles has one worker",
            )
        },
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: "use --swarm",
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| {
            let reduced = matches!(c.plan.store, StorePlan::Lossy(_)) && c.plan.reduction;
            because(
                c.plan.workers > 1 && reduced,
                "a reduced search with a lossy store has one worker",
            )
        },
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: "add --reduction none, or use --swarm",
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| {
            let property = c.plan.target.property()?;
            because(
                c.plan.workers > 1 && !Product::is_shareable(property),
                "a property with so many atoms is checked by one worker",
            )
        },
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
];

fn wants_reduction(options: &Options) -> bool {
    options.reduction == Some(true)
}

fn wants_workers(options: &Options) -> bool {
    options.workers.is_some_and(|n| n > 1)
}

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
        Target::Safety if options.shortest => Order::States(Strategy::Bfs),
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
        fairness,
        store: store_for(options, workers),
        workers,
        passes: match options.plain {
            true => Passes {
                merge: false,
                dead_variables: false,
            },
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
        time: options.time,
        spent: start.elapsed(),
        cancellation: options.cancellation.clone(),
        alone: options.join_after.unwrap_or(Settings::default().alone),
        notes: Vec::new(),
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

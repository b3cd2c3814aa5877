//! The table of what cannot be combined: see [`super::plan`], which goes through its rows in order.

use super::options::{Engine, Options, Store, all_memory};
use super::plan::{Order, Plan, StorePlan, Target};
use crate::checkpoint::unusable as unwritable;
use crate::fairness::Fairness;
use crate::reduce::{obstacle, obstacle_to_accesses, obstacle_under_f, stubborn_obstacle};
use crate::search::Strategy;
use crate::space::{Product, Stepping};
use crate::store::{self, LossyKind};
use promela_lite::opt::Passes;
use promela_lite::program::Program;
use std::path::Path;

/// What a row looks at.
pub(super) struct Case<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a Options,
    pub(super) plan: &'a Plan,
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

    /// Why something cannot be had where executions are explored and not states.
    fn without_states(&self, applies: bool, reason: &str) -> Option<String> {
        because(applies && self.plan.order == Order::Executions, reason)
    }

    /// Why a bound on contexts is not compatible with a setting that the symbolic engine has not.
    fn symbolic(&self, applies: bool) -> Option<String> {
        let within = self.plan.contexts?;
        because(
            applies && within.engine == Engine::Symbolic,
            "the symbolic engine explores sets of configurations, not states one by one",
        )
    }
}

/// One thing that cannot be done together with others.
pub(super) struct Row {
    /// The option that would ask for it.
    pub(super) option: &'static str,
    /// Whether it was asked for.
    pub(super) asked: fn(&Options) -> bool,
    /// Why it cannot be done, if it was going to be done and cannot.
    pub(super) unless: fn(&Case<'_>) -> Option<String>,
    /// What is done in its place.
    pub(super) change: fn(&mut Plan),
    /// Whether a change of what was not asked for is worth a note.
    pub(super) noted: bool,
    /// Whether the option is for goals of another kind: no word about that where one of them is checked too.
    pub(super) scope: bool,
    /// What the user can do.
    pub(super) instead: &'static str,
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
const NO_BOUND: &str = "it is for a bound on contexts";

/// Why the explicit engine has nothing to do with an option.
fn explicit(case: &Case<'_>, what: &str) -> Option<String> {
    let within = case.plan.contexts?;
    (within.engine == Engine::Explicit).then(|| format!("the explicit engine {what}"))
}

/// What several hosts do not do together, if it was going to be done.
fn on_hosts(case: &Case<'_>, applies: bool, reason: &str) -> Option<String> {
    because(case.plan.hosts.is_some() && applies, reason)
}

const ON_ONE_MACHINE: &str = "leave it out, or use `ample check` on one machine";

/// Rows further down rely on what those above have decided.
pub(super) const TABLE: &[Row] = &[
    // Clusters. Defended by tests/cluster.rs and tests/plan.rs.
    Row {
        option: "properties",
        asked: |_| false,
        unless: |c| {
            on_hosts(
                c,
                !c.is_safety() && !c.plan.target.is_nothing(),
                "a cluster checks safety only",
            )
        },
        change: |p| {
            let what = "checking a property on a cluster (use `ample check` on one machine)";
            p.target = Target::Unsupported(what.to_owned());
            p.reduction = false;
        },
        noted: false,
        scope: false,
        instead: "add --check safety",
    },
    Row {
        option: "--contexts",
        asked: |o| o.contexts.is_some(),
        unless: |c| {
            on_hosts(
                c,
                c.plan.contexts.is_some(),
                "a cluster has no bound on contexts",
            )
        },
        change: |p| p.contexts = None,
        noted: false,
        scope: false,
        instead: ON_ONE_MACHINE,
    },
    Row {
        option: "--fairness",
        asked: |o| !o.fairness.is_none(),
        unless: |c| {
            on_hosts(
                c,
                c.is_fair(),
                "components of fair cycles are not looked for by several hosts",
            )
        },
        change: |p| p.fairness = Fairness::default(),
        noted: false,
        scope: false,
        instead: ON_ONE_MACHINE,
    },
    Row {
        option: "--store",
        asked: |o| o.store.is_some_and(Store::is_lossy) || o.swarm.is_some(),
        unless: |c| on_hosts(c, c.lossy(), "the hosts of a cluster have exact stores"),
        change: |p| p.store = StorePlan::Exact(store::StoreKind::Tree),
        noted: false,
        scope: false,
        instead: "use --store exact or compressed",
    },
    Row {
        option: "--spill",
        asked: |o| o.spill.is_some(),
        unless: |c| {
            on_hosts(
                c,
                c.plan.spill.is_some(),
                "the hosts of a cluster keep states in memory",
            )
        },
        change: |p| p.spill = None,
        noted: false,
        scope: false,
        instead: "leave it out, or add hosts",
    },
    Row {
        option: "--strategy",
        asked: |o| o.strategy.is_some(),
        unless: |c| {
            let other = c.options.strategy.is_some_and(|s| s != Strategy::Bfs);
            on_hosts(c, other, "a cluster searches breadth first")
        },
        change: |_| (),
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--why-not",
        asked: |o| o.why_not,
        unless: |c| {
            on_hosts(
                c,
                c.plan.why_not,
                "hosts do not count why states were not reduced",
            )
        },
        change: |p| p.why_not = false,
        noted: false,
        scope: false,
        instead: ON_ONE_MACHINE,
    },
    // Contexts. Defended by tests/plan.rs, tests/contexts.rs and tests/cli_contexts.rs.
    Row {
        option: "--contexts",
        asked: |o| o.contexts.is_some(),
        unless: |c| {
            because(
                c.plan.contexts.is_some() && !c.is_safety(),
                "only assertions and errors of the model are looked for within a bound on contexts",
            )
        },
        change: |p| p.contexts = None,
        noted: true,
        scope: false,
        instead: "add --check safety",
    },
    Row {
        option: "--engine",
        asked: |o| o.engine.is_some(),
        unless: |c| because(c.plan.contexts.is_none(), NO_BOUND),
        change: |_| (),
        noted: false,
        scope: true,
        instead: "add --contexts K",
    },
    Row {
        option: "--bits",
        asked: |o| o.bits.is_some(),
        unless: |c| {
            because(c.plan.contexts.is_none(), NO_BOUND).or_else(|| explicit(c, "narrows nothing"))
        },
        change: |_| (),
        noted: false,
        scope: true,
        instead: "add --contexts K, without --engine explicit",
    },
    Row {
        option: "--splitting",
        asked: |o| o.splitting.is_some(),
        unless: |c| {
            because(c.plan.contexts.is_none(), NO_BOUND).or_else(|| explicit(c, "splits nothing"))
        },
        change: |_| (),
        noted: false,
        scope: true,
        instead: "add --contexts K, without --engine explicit",
    },
    Row {
        option: "invalid end states",
        asked: |_| false,
        unless: |c| {
            because(
                c.plan.contexts.is_some() && c.plan.end_states,
                "they are not looked for within a bound on contexts",
            )
        },
        change: |p| p.end_states = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            because(
                c.plan.contexts.is_some() && c.plan.reduction,
                "a move of another process is another context, so no two are independent",
            )
        },
        change: |p| p.reduction = false,
        noted: false,
        scope: false,
        instead: "leave out --reduction, or --contexts",
    },
    Row {
        option: "passes",
        asked: |_| false,
        unless: |c| {
            because(
                c.plan.contexts.is_some() && c.plan.passes != Passes::NONE,
                "contexts are counted in the model as written: its steps are neither merged nor left out",
            )
        },
        change: |p| p.passes = Passes::NONE,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--store",
        asked: |o| o.store.is_some() || o.swarm.is_some(),
        unless: |c| {
            let lossy = c.lossy() && c.plan.contexts.is_some();
            let asked = c.options.store.is_some() || c.options.swarm.is_some();
            c.symbolic(asked)
                .or_else(|| because(lossy, "with a bound on contexts the store is exact"))
        },
        change: |p| p.store = StorePlan::Exact(store::StoreKind::default()),
        noted: false,
        scope: false,
        instead: "leave out --store and --swarm, or --contexts",
    },
    Row {
        option: "--strategy",
        asked: |o| o.strategy.is_some(),
        unless: |c| c.symbolic(c.options.strategy.is_some()),
        change: |_| (),
        noted: false,
        scope: false,
        instead: "add --engine explicit",
    },
    Row {
        option: "--shortest",
        asked: |o| o.shortest,
        unless: |c| c.symbolic(c.plan.shortest),
        change: |p| p.shortest = false,
        noted: false,
        scope: false,
        instead: "leave it out: the number of contexts is the smallest one",
    },
    Row {
        option: "--all-errors",
        asked: |o| o.all_errors,
        unless: |c| c.symbolic(c.plan.all_errors),
        change: |p| p.all_errors = false,
        noted: false,
        scope: false,
        instead: "add --engine explicit",
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| c.symbolic(c.plan.workers > 1),
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: "add --engine explicit",
    },
    Row {
        option: "--depth",
        asked: |o| o.depth.is_some(),
        unless: |c| c.symbolic(c.options.depth.is_some()),
        change: |_| (),
        noted: false,
        scope: false,
        instead: "add --engine explicit",
    },
    Row {
        option: "--states",
        asked: |o| o.states.is_some(),
        unless: |c| c.symbolic(c.options.states.is_some()),
        change: |_| (),
        noted: false,
        scope: false,
        instead: "add --engine explicit",
    },
    // Executions instead of states. Defended by tests/stateless.rs.
    Row {
        option: "--strategy stateless",
        asked: |o| o.stateless,
        unless: |c| {
            because(
                c.options.stateless && !c.is_safety(),
                "executions are finite: only assertions, errors of the model and end states are looked for",
            )
        },
        change: |_| (),
        noted: false,
        scope: true,
        instead: "add --check safety",
    },
    Row {
        option: "--strategy stateless",
        asked: |o| o.stateless,
        unless: |c| {
            because(
                c.options.stateless && c.plan.contexts.is_some(),
                "contexts are explored by engines of their own",
            )
        },
        change: |_| (),
        noted: false,
        scope: false,
        instead: "leave out --strategy, or --contexts",
    },
    Row {
        option: "--shortest",
        asked: |o| o.shortest,
        unless: |c| c.without_states(c.options.shortest, "executions are not explored by length"),
        change: |p| p.shortest = false,
        noted: false,
        scope: false,
        instead: "leave out --strategy stateless, or --shortest",
    },
    Row {
        option: "--store",
        asked: |o| o.store.is_some() || o.swarm.is_some(),
        unless: |c| {
            let asked = c.options.store.is_some() || c.options.swarm.is_some();
            c.without_states(asked, "no states are stored")
        },
        change: |p| p.store = StorePlan::Exact(store::StoreKind::default()),
        noted: false,
        scope: false,
        instead: "leave out --strategy stateless, or --store and --swarm",
    },
    Row {
        option: "--states",
        asked: |o| o.states.is_some(),
        unless: |c| c.without_states(c.options.states.is_some(), "no states are stored"),
        change: |_| (),
        noted: false,
        scope: false,
        instead: "use --time or --depth",
    },
    Row {
        option: "--memory",
        asked: |o| o.memory.is_some(),
        unless: |c| c.without_states(c.options.memory.is_some(), "no states are stored"),
        change: |_| (),
        noted: false,
        scope: false,
        instead: "leave it out",
    },
    Row {
        option: "--why-not",
        asked: |o| o.why_not,
        unless: |c| c.without_states(c.plan.why_not, "no states are reduced, but orders of steps"),
        change: |p| p.why_not = false,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--workers",
        asked: wants_workers,
        unless: |c| c.without_states(c.plan.workers > 1, "executions are explored by one worker"),
        change: |p| p.workers = 1,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction ample",
        asked: wants_reduction,
        unless: |c| {
            let reason = obstacle_to_accesses(c.program)?;
            c.without_states(c.plan.reduction, reason)
        },
        change: |p| p.reduction = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
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
        unless: |c| {
            because(
                c.is_fair() && c.lossy() && !c.plan.fairness.is_weak(),
                "strong fairness and F look at the components of the graph, which need every state again",
            )
        },
        change: |p| p.store = StorePlan::Exact(store::StoreKind::default()),
        noted: true,
        scope: false,
        instead: "use --store exact or compressed, or weak fairness",
    },
    // Defended by tests/fair_lossy.rs.
    Row {
        option: "fair cycles",
        asked: |_| false,
        unless: |c| {
            because(
                c.is_fair() && c.lossy(),
                "a lossy store has no components: the graph is unfolded into rounds, in which every process has its turn",
            )
        },
        change: |p| p.order = Order::Nested,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
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
        option: "slicing",
        asked: |_| false,
        unless: |c| {
            because(
                c.plan.passes.slice && c.plan.fairness.is_f(),
                "under F, which operations depend on each other is that of the model as written",
            )
        },
        change: |p| p.passes.slice = false,
        noted: false,
        scope: false,
        instead: LEAVE_OUT,
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
        option: "--reduction stubborn",
        asked: |o| o.stubborn,
        unless: |c| {
            because(
                c.plan.stubborn && !c.plan.reduction,
                "there is no reduction",
            )
        },
        change: |p| p.stubborn = false,
        noted: true,
        scope: false,
        instead: LEAVE_OUT,
    },
    Row {
        option: "--reduction stubborn",
        asked: |o| o.stubborn,
        unless: |c| {
            because(
                c.plan.stubborn && c.plan.fairness.is_f(),
                "under condition F ample sets are chosen beforehand",
            )
        },
        change: |p| p.stubborn = false,
        noted: true,
        scope: false,
        instead: "use --reduction ample",
    },
    Row {
        option: "--reduction stubborn",
        asked: |o| o.stubborn,
        unless: |c| {
            let reason = stubborn_obstacle(c.program)?;
            c.plan.stubborn.then(|| reason.to_owned())
        },
        change: |p| p.stubborn = false,
        noted: true,
        scope: false,
        instead: "use --reduction ample",
    },
    Row {
        option: "--why-not",
        asked: |o| o.why_not,
        unless: |c| {
            because(
                c.plan.stubborn,
                "it speaks of ample sets, not of stubborn ones",
            )
        },
        change: |p| p.why_not = false,
        noted: false,
        scope: false,
        instead: "use --reduction ample",
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
                c.plan.workers > 1 && alone && c.plan.hosts.is_none(),
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
    // Checkpoints. Defended by tests/checkpoints.rs.
    Row {
        option: KEPT,
        asked: wants_checkpoints,
        unless: |c| {
            let asked = wants_checkpoints(c.options);
            on_hosts(c, asked, "the hosts of a cluster write no checkpoints")
        },
        change: forget,
        noted: false,
        scope: false,
        instead: "use `ample check` on one machine",
    },
    Row {
        option: KEPT,
        asked: wants_checkpoints,
        unless: |c| {
            because(
                wants_checkpoints(c.options) && c.plan.contexts.is_some(),
                "explorations within a bound on contexts are not written",
            )
        },
        change: forget,
        noted: false,
        scope: false,
        instead: "leave out --contexts",
    },
    Row {
        option: KEPT,
        asked: wants_checkpoints,
        unless: |c| {
            because(
                wants_checkpoints(c.options) && c.lossy(),
                "only exact stores are written",
            )
        },
        change: forget,
        noted: false,
        scope: false,
        instead: "use --store exact or compressed",
    },
    Row {
        option: KEPT,
        asked: wants_checkpoints,
        unless: |c| {
            let strict = c.plan.order == Order::States(Strategy::StrictDfs);
            because(
                wants_checkpoints(c.options) && strict,
                "the path of strict-dfs is not written",
            )
        },
        change: forget,
        noted: false,
        scope: false,
        instead: "use --strategy dfs or bfs",
    },
    Row {
        option: KEPT,
        asked: wants_checkpoints,
        unless: |c| {
            because(
                wants_checkpoints(c.options) && c.plan.reduction && c.plan.fairness.is_f(),
                "ample sets that are chosen beforehand are not written",
            )
        },
        change: forget,
        noted: false,
        scope: false,
        instead: "add --reduction none",
    },
    Row {
        option: KEPT,
        asked: wants_checkpoints,
        unless: |c| {
            because(
                wants_checkpoints(c.options) && c.plan.why_not,
                "what --why-not counts is not written",
            )
        },
        change: forget,
        noted: false,
        scope: false,
        instead: "leave out --why-not",
    },
    Row {
        option: "--checkpoint",
        asked: |o| o.checkpoint.is_some(),
        unless: |c| unwritable(&c.plan.checkpoint.as_ref()?.path),
        change: forget,
        noted: false,
        scope: false,
        instead: "give the name of a checkpoint, or a new one where files can be written",
    },
];

/// What rows call checkpoints that are written or gone on from.
pub(super) const KEPT: &str = "--checkpoint and --resume";

fn wants_checkpoints(options: &Options) -> bool {
    options.checkpoint.is_some() || options.resume.is_some()
}

fn forget(plan: &mut Plan) {
    plan.checkpoint = None;
}

pub(super) fn wants_reduction(options: &Options) -> bool {
    options.reduction == Some(true)
}

fn wants_workers(options: &Options) -> bool {
    options.workers.is_some_and(|n| n > 1)
}

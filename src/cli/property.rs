//! Checking one property: the product is searched for an accepting cycle, and what is found is confirmed.

use super::check::{
    Contradiction, Reduction, account, ample, how, judge, run_report, settings, violation, why_not,
    write,
};
use super::lossy::explore;
use super::model::{Model, Searched};
use super::monitor::{Interrupt, Watch};
use crate::check::{Confirmed, Denied, Refuted, Treated, Treatment, confirm};
use crate::config::{Check, StoreChoice};
use crate::fairness::{self, Fairness};
use crate::machine::Move;
use crate::product::{Labels, Product, ProductMove, Stepping};
use crate::property::{Property, Unsupported, suspicions};
use crate::reduce::{Ample, Visible};
use crate::report::{FairTo, RunReport, SearchReport, ViolationReport};
use crate::search::{
    End, Event, Found, Outcome, Plan, Settings, Strategy, System, plan, search_cycles,
    search_cycles_lossy, search_cycles_together, search_fair_cycles, shortest_cycle,
};
use crate::stats::Stats;
use crate::trace::{expand, tell};
use crate::verdict::{Kind, Verdict, Word, describe};
use anyhow::bail;
use promela_lite::opt::Passes;
use promela_lite::program::{Proctype, ProctypeId, Program};
use std::sync::Arc;

/// The name of the formula that `--non-progress` adds.
pub(super) const NON_PROGRESS: &str = "progress labels";

/// Something to be checked besides safety.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The `ltl` block of that number.
    Ltl(usize),
    /// The `never` claim of that number.
    Claim(usize),
    /// Accept labels in processes.
    Acceptance,
    /// The automaton from outside.
    Automaton,
}

impl Goal {
    pub(super) fn name(self, model: &Model) -> String {
        let program = &model.program;
        match self {
            Goal::Ltl(index) => program.ltl[index].name.clone(),
            Goal::Claim(index) => program.claims[index].name.clone(),
            Goal::Acceptance => "acceptance".to_owned(),
            Goal::Automaton => model
                .automaton
                .as_ref()
                .map(|a| a.name.clone())
                .unwrap_or_default(),
        }
    }
}

/// All that the model and the command line state.
pub(super) fn goals(model: &Model) -> Vec<Goal> {
    let program = &model.program;
    let mut goals: Vec<Goal> = (0..program.ltl.len()).map(Goal::Ltl).collect();
    goals.extend((0..program.claims.len()).map(Goal::Claim));
    if Labels::any(program) {
        goals.push(Goal::Acceptance);
    }
    if model.automaton.is_some() {
        goals.push(Goal::Automaton);
    }
    goals
}

/// Searches for a violation of one property.
pub(super) fn run(
    config: &Check,
    model: &Model,
    goal: Goal,
    interrupt: &Interrupt,
) -> anyhow::Result<Result<RunReport, Contradiction>> {
    let name = goal.name(model);
    let property = match goal {
        Goal::Acceptance => return acceptance(config, model, name, interrupt),
        Goal::Ltl(index) => Property::ltl(&model.program, &model.program.ltl[index]).map(|p| {
            match config.non_progress && name == NON_PROGRESS {
                true => p.of_infinite_runs(),
                false => p,
            }
        }),
        Goal::Claim(index) => Property::claim(&model.program, &model.program.claims[index]),
        Goal::Automaton => match &model.automaton {
            Some(a) => Property::automaton(&model.program, &a.name, &a.buchi, &a.propositions),
            None => Err(Unsupported("an automaton that is not there".to_owned())),
        },
    };
    match property {
        Ok(property) => cycles(config, model, name, &property, interrupt),
        Err(Unsupported(what)) => Ok(Ok(unsupported(config, name, &what))),
    }
}

fn cycles(
    config: &Check,
    model: &Model,
    name: String,
    property: &Property,
    interrupt: &Interrupt,
) -> anyhow::Result<Result<RunReport, Contradiction>> {
    let mut notes = Vec::new();
    let stepping = match (property.stutter_invariant, config.classic_product) {
        (true, false) => Stepping::Changes,
        (true, true) => Stepping::EveryState,
        (false, _) => {
            notes.push("the property can tell repeated states apart: every state is read, without reduction".to_owned());
            Stepping::EveryState
        }
    };
    let fairness = fairness(config, &model.program)?;
    let reduction = match (Reduction::decide(config, &model.program), stepping) {
        (Reduction::On, Stepping::EveryState) => Reduction::Off(None),
        (decided, _) => decided.under(&fairness, &model.program),
    };
    let Searched { program, passes } = model.searched(Passes {
        // Merging leaves out states that such a property would have to read.
        merge: config.passes.merge && property.stutter_invariant,
        ..config.passes
    });
    let reduced = matches!(reduction, Reduction::On);
    let make = || {
        let sets = (reduced && !fairness.is_f())
            .then(|| ample(config, &program, property.visible(&program)));
        Product::new(&program, property, stepping, sets).with_fairness(&fairness)
    };
    let mut product = make();
    let mut watch = Watch::new(interrupt, config.time, config.progress);
    let mut asked = settings(config);
    if !fairness.is_none() || !product.is_shareable() {
        asked.workers = 1;
    }
    let (outcome, missed) = if reduced && fairness.is_f() {
        let outcome = match plan_for(config, &program, &property.parts(&program), &mut watch) {
            Ok((plan, sets)) => {
                notes.push(format!(
                    "the reduced graph of the program has {} states",
                    plan.stats.stored
                ));
                asked.limits.memory = asked.limits.memory.saturating_sub(plan.bytes());
                product = product.with_plan(plan, sets);
                search_fair_cycles(&mut product, &asked, &mut watch)
            }
            Err((end, stats)) => Outcome {
                found: Vec::new(),
                end,
                stats,
            },
        };
        (outcome, None)
    } else {
        explore(
            config,
            &asked,
            &mut product,
            &mut watch,
            |product, asked, watch| match (fairness.is_none(), asked.workers) {
                (false, _) => search_fair_cycles(product, asked, watch),
                (true, 1) => search_cycles(product, asked, watch),
                (true, _) => search_cycles_together(product, &make, asked, watch),
            },
            &search_cycles_lossy,
            &make,
        )
    };
    let seconds = watch.seconds();
    drop(watch);
    let Outcome { found, end, stats } = outcome;
    let mut violations = Vec::new();
    for (index, found) in found.into_iter().enumerate() {
        let mut found = expand(&program, &model.program, of_program(found));
        if config.shortest && fairness.is_none() {
            let mut product = Product::new(&model.program, property, stepping, None);
            let mut watch = Watch::new(interrupt, config.time, config.progress);
            let shorter = shortest_cycle(&mut product, bound(&found), SHORTENING, &mut watch);
            found = shorter_of(found, shorter.map(of_program));
        }
        match report(
            config,
            model,
            &name,
            Refuted::Property(property),
            found,
            &fairness,
            index,
        )? {
            Ok(violation) => violations.push(violation),
            Err(contradiction) => return Ok(Err(contradiction)),
        }
    }
    let (verdict, text, advice) = judge(
        config,
        &violations,
        end,
        &stats,
        missed.as_ref(),
        &reduction,
    );
    if matches!(verdict, Verdict::Holds(_)) {
        notes.extend(suspicions(property, &product.constant_atoms()));
    }
    let mut search = how_cycles(config, &reduction, &fairness, passes);
    search.workers = stats.workers;
    search.notes.extend(notes);
    if let Some(missed) = &missed {
        missed.report(&mut search);
    }
    search.why_not = why_not(model, &program, product.ample());
    Ok(Ok(run_report(
        name,
        &verdict,
        (text, advice),
        violations,
        search,
        &stats,
        seconds,
        None,
    )))
}

fn acceptance(
    config: &Check,
    model: &Model,
    name: String,
    interrupt: &Interrupt,
) -> anyhow::Result<Result<RunReport, Contradiction>> {
    let fairness = fairness(config, &model.program)?;
    let reduction = match Reduction::decide(config, &model.program).under(&fairness, &model.program)
    {
        Reduction::On if fairness.is_f() => Reduction::Off(Some(
            "the reduction is off: under F it is made for formulas and claims only".to_owned(),
        )),
        other => other,
    };
    let Searched { program, passes } = model.searched(config.passes);
    let make = || {
        let system = match reduction {
            Reduction::On => System::reduced(
                Arc::clone(&program),
                ample(config, &program, Visible::acceptance(&program)),
            ),
            Reduction::Off(_) => System::new(Arc::clone(&program)),
        };
        Labels::new(system).with_fairness(&fairness)
    };
    let mut labels = make();
    let mut watch = Watch::new(interrupt, config.time, config.progress);
    let mut asked = settings(config);
    asked.end_states = false;
    if !fairness.is_none() {
        asked.workers = 1;
    }
    let (outcome, missed) = explore(
        config,
        &asked,
        &mut labels,
        &mut watch,
        |labels, asked, watch| match (fairness.is_none(), asked.workers) {
            (false, _) => search_fair_cycles(labels, asked, watch),
            (true, 1) => search_cycles(labels, asked, watch),
            (true, _) => search_cycles_together(labels, &make, asked, watch),
        },
        &search_cycles_lossy,
        &make,
    );
    let Outcome { found, end, stats } = outcome;
    let seconds = watch.seconds();
    drop(watch);
    let mut violations = Vec::new();
    for (index, found) in found.into_iter().enumerate() {
        let mut found = expand(&program, &model.program, found);
        if config.shortest && fairness.is_none() {
            let mut labels = Labels::new(System::new(Arc::clone(&model.program)));
            let mut watch = Watch::new(interrupt, config.time, config.progress);
            let shorter = shortest_cycle(&mut labels, bound(&found), SHORTENING, &mut watch);
            found = shorter_of(found, shorter);
        }
        match report(
            config,
            model,
            &name,
            Refuted::Acceptance,
            found,
            &fairness,
            index,
        )? {
            Ok(violation) => violations.push(violation),
            Err(contradiction) => return Ok(Err(contradiction)),
        }
    }
    let (verdict, text, advice) = judge(
        config,
        &violations,
        end,
        &stats,
        missed.as_ref(),
        &reduction,
    );
    let mut search = how_cycles(config, &reduction, &fairness, passes);
    search.workers = stats.workers;
    if let Some(missed) = &missed {
        missed.report(&mut search);
    }
    search.why_not = why_not(model, &program, labels.system().ample());
    Ok(Ok(run_report(
        name,
        &verdict,
        (text, advice),
        violations,
        search,
        &stats,
        seconds,
        None,
    )))
}

/// Decides under condition F which moves of each state of the program are made; if that is left unfinished, why.
fn plan_for(
    config: &Check,
    program: &Arc<Program>,
    parts: &[Visible],
    watch: &mut Watch,
) -> Result<(Plan, Ample), (End, Stats)> {
    let sets = account(config, Ample::under_f(program, parts));
    let mut system = System::reduced(Arc::clone(program), sets);
    // Failed assertions and deadlocks are another search's business.
    let asked = Settings {
        all_errors: true,
        end_states: false,
        ..settings(config)
    };
    let (plan, outcome) = plan(&mut system, &asked, watch);
    match (plan, system.into_ample()) {
        (Some(plan), Some(sets)) => Ok((plan, sets)),
        _ => Err((outcome.end, outcome.stats)),
    }
}

/// States that may be visited to find a shorter counterexample.
const SHORTENING: u64 = 1_000_000;

/// How far to look for something shorter: a cycle taken from its accepting state may have to be gone around twice, and the
/// automaton's choices are steps too.
fn bound(found: &Found<Move>) -> usize {
    4 * found.path.len() + 4
}

/// The shorter one of two.
fn shorter_of(found: Found<Move>, other: Option<Found<Move>>) -> Found<Move> {
    match other {
        Some(other) if other.path.len() < found.path.len() => other,
        _ => found,
    }
}

/// Confirms what was found, and tells it.
pub(super) fn report(
    config: &Check,
    model: &Model,
    name: &str,
    refuted: Refuted<'_>,
    found: Found<Move>,
    fairness: &Fairness,
    index: usize,
) -> anyhow::Result<Result<ViolationReport, Contradiction>> {
    let what = describe(&found.event);
    let Confirmed { found, treated } = match confirm(&model.program, refuted, fairness, found) {
        Ok(confirmed) => confirmed,
        Err(Denied(why)) => {
            let text = format!("{name}: {what}: what was found is no counterexample: {why}");
            return Ok(Err(Contradiction(text)));
        }
    };
    let teller = match tell(&model.program, &model.sources, &found.path, config.show) {
        Ok((teller, _)) => teller,
        Err(lost) => {
            return Ok(Err(Contradiction(format!(
                "{name}: its trail cannot be executed: {lost}"
            ))));
        }
    };
    let mut violation = violation(model, &found, teller);
    if config.non_progress && name == NON_PROGRESS && violation.kind == Kind::AcceptanceCycle {
        violation.kind = Kind::NonProgressCycle;
        violation.message = "non-progress cycle".to_owned();
    }
    if let Event::Cycle { start } = found.event {
        violation.loop_start = Some(start);
        violation.fair_to = treated.into_iter().map(fair_to).collect();
        if start == found.path.len() {
            violation.message = format!(
                "{}: the run ends, and its last state violates the property",
                violation.message
            );
        }
    }
    violation.written = write(config, model, &found, &violation, (name, index))?;
    Ok(Ok(violation))
}

/// What becomes of a process, in words.
fn fair_to(treated: Treated) -> FairTo {
    FairTo {
        pid: treated.pid.0,
        proctype: treated.proctype,
        because: match treated.how {
            Treatment::Moves(step) => format!("moves in the cycle, first with step {step}"),
            Treatment::CannotMove(step) => format!("cannot move before step {step}"),
            Treatment::NeverCan => "cannot move in the cycle".to_owned(),
            Treatment::Waits {
                statement,
                before,
                step,
            } => format!("could do {statement} before step {before}; step {step} depends on that"),
            Treatment::Ignored => {
                "could move but does not; fairness to it is not asked for".to_owned()
            }
        },
    }
}

/// The fairness that is asked for.
fn fairness(config: &Check, program: &Program) -> anyhow::Result<Fairness> {
    let choice = &config.fairness;
    if choice.f {
        if !choice.weak.is_empty() || !choice.strong.is_empty() {
            bail!("--fairness f is about operations: it does not go with --weak or --strong");
        }
        return Ok(Fairness::f());
    }
    let mut fairness = Fairness::all(program, choice.all);
    let weak = config
        .fairness
        .weak
        .iter()
        .map(|n| (n, fairness::Kind::Weak));
    let strong = config
        .fairness
        .strong
        .iter()
        .map(|n| (n, fairness::Kind::Strong));
    for (name, kind) in weak.chain(strong) {
        let is_called = |p: &Proctype| p.name == *name || (p.name == ":init:" && name == "init");
        match program.proctypes.iter().position(is_called) {
            Some(index) => fairness.set(ProctypeId(index as u16), kind),
            None => bail!("there is no proctype {name} to be fair to"),
        }
    }
    Ok(fairness)
}

/// Options that were given and do not apply to a search for cycles: each with a word.
fn without_effect(config: &Check, fairness: &Fairness, workers: u32) -> Vec<String> {
    let lossy = !matches!(config.store, StoreChoice::Exact(_));
    let rows = [
        (
            config.strategy != Strategy::Dfs && !config.shortest,
            "--strategy is for safety: cycles are searched for in an order of their own",
        ),
        (
            config.shortest && !fairness.is_none(),
            "--shortest is not for fair cycles: this one is as it was found",
        ),
        (
            config.workers_asked && config.workers > 1 && workers <= 1 && lossy,
            "--workers: a lossy search for cycles has one worker",
        ),
        (
            config.workers_asked && config.workers > 1 && !fairness.is_none(),
            "--workers: a search for fair cycles has one worker",
        ),
    ];
    let said = rows.into_iter().filter(|(applies, _)| *applies);
    said.map(|(_, word)| word.to_owned()).collect()
}

/// How a search for cycles was made.
fn how_cycles(
    config: &Check,
    reduction: &Reduction,
    fairness: &Fairness,
    passes: Vec<String>,
) -> SearchReport {
    let mut search = how(config, reduction, passes);
    search.fairness = fairness.name().to_owned();
    let workers = match config.store {
        StoreChoice::Swarm(swarm) => swarm.threads,
        _ => 1,
    };
    search
        .notes
        .extend(without_effect(config, fairness, workers));
    search.strategy = match fairness.is_none() {
        true => "nested-dfs",
        false => "components",
    }
    .to_owned();
    search
}

/// The program's part of a run of the product.
fn of_program(found: Found<ProductMove>) -> Found<Move> {
    let event = match found.event {
        Event::Cycle { start } => {
            let before = found.path[..start]
                .iter()
                .filter(|m| m.program.is_some())
                .count();
            Event::Cycle { start: before }
        }
        other => other,
    };
    Found {
        event,
        path: found.path.iter().filter_map(|m| m.program).collect(),
    }
}

/// A property that cannot be checked: said so, never passed over.
fn unsupported(config: &Check, property: String, what: &str) -> RunReport {
    let search = how(config, &Reduction::Off(None), Vec::new());
    let mut report = run_report(
        property,
        &Verdict::Violated,
        (
            format!("not checked: {what} is not supported"),
            String::new(),
        ),
        Vec::new(),
        search,
        &Stats::default(),
        0.0,
        None,
    );
    report.verdict = Word::Inconclusive;
    report
}

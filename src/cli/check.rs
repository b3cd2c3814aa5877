//! `ample check`: search, confirm what was found, report.
//!
//! A violation is reported only after it was confirmed ([`crate::check::confirm`]). One that is not is a fault of the
//! checker, not of the model: exit code 4.

use super::lossy::{Missed, accepted, explore};
use super::model::{self, Model, Searched};
use super::monitor::{Interrupt, Watch};
use super::property::{self, Goal};
use super::{Exit, print, print_with, say};
use crate::check::Refuted;
use crate::config::{Check, Format, StoreChoice, What};
use crate::coverage::ProctypeCoverage;
use crate::fairness::Fairness;
use crate::machine::Move;
use crate::reduce::{Ample, Visible, obstacle, obstacle_under_f};
use crate::report::place;
use crate::report::{
    self, Memory, RefusalReport, Report, RunReport, SearchReport, Seconds, ViolationReport,
    WhyNotReport,
};
use crate::search::{
    End, Event, Found, Outcome, Settings, Strategy, System, search, search_lossy,
    search_lossy_together, search_together,
};
use crate::stats::Stats;
use crate::store;
use crate::trace::{Actor, Teller, Trail, expand, render as spin_trail, spin_steps, to_json};
use crate::verdict::{Kind, Verdict, Word, conclude, describe};
use anyhow::{Context, bail};
use promela_lite::program::Program;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub(super) const BUG: &str = "this is a bug in ample, not in the model: please report it with the model and the command line";

/// Why no report could be made.
pub(super) struct Contradiction(pub(super) String);

pub(super) fn run(config: &Check) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let what = match config.syntax_only {
        true => &What::All,
        false => &config.what,
    };
    let Some(model) = model::compile_for(&config.model, what)? else {
        return Ok(Exit::Usage);
    };
    if config.syntax_only {
        return Ok(Exit::Holds);
    }
    let compile = start.elapsed().as_secs_f64();
    let interrupt = Interrupt::install();
    let runs = plan(config, &model)?;
    let mut results = Vec::new();
    for run in runs {
        match run {
            Run::Safety => match safety(config, &model, &interrupt)? {
                Ok(result) => results.push(result),
                Err(Contradiction(text)) => {
                    say(&format!("error: {text}\n{BUG}\n"));
                    return Ok(Exit::Internal);
                }
            },
            Run::Property(goal) => match property::run(config, &model, goal, &interrupt)? {
                Ok(result) => results.push(result),
                Err(Contradiction(text)) => {
                    say(&format!("error: {text}\n{BUG}\n"));
                    return Ok(Exit::Internal);
                }
            },
        }
    }
    let verdict = results
        .iter()
        .map(|r| r.verdict)
        .max()
        .unwrap_or(Word::Holds);
    let report = Report {
        verdict,
        model: model.name.clone(),
        model_digest: model.digest.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seconds: Seconds {
            compile,
            total: start.elapsed().as_secs_f64(),
        },
        results,
    };
    match config.format {
        Format::Text => print(&report::text::render(&report)),
        Format::Json => print_with(|out| report::json::render(out, &report)),
    }
    Ok(verdict.into())
}

enum Run {
    Safety,
    Property(Goal),
}

/// Which runs are to be made.
fn plan(config: &Check, model: &Model) -> anyhow::Result<Vec<Run>> {
    let goals = property::goals(model);
    let names: Vec<String> = goals.iter().map(|g| g.name(model)).collect();
    Ok(match &config.what {
        What::Safety => vec![Run::Safety],
        What::All => std::iter::once(Run::Safety)
            .chain(goals.into_iter().map(Run::Property))
            .collect(),
        What::Properties if goals.is_empty() => bail!("{} states no property", model.name),
        What::Properties => goals.into_iter().map(Run::Property).collect(),
        What::Claim(name) => match names.iter().position(|n| n == name) {
            Some(index) => vec![Run::Property(goals[index])],
            None => bail!(
                "{} states no property {name}; it has: {}",
                model.name,
                names.join(", ")
            ),
        },
    })
}

fn safety(
    config: &Check,
    model: &Model,
    interrupt: &Interrupt,
) -> anyhow::Result<Result<RunReport, Contradiction>> {
    let reduction = match Reduction::decide(config, &model.program) {
        Reduction::On if config.strategy == Strategy::StrictDfs => Reduction::Off(Some(
            "the reduction is off: strict-dfs visits every state in the textbook order".to_owned(),
        )),
        decided => decided,
    };
    let Searched { program, passes } = model.searched(config.passes);
    let make = || match reduction {
        Reduction::On => {
            let visible = Visible::nothing(&program);
            System::reduced(Arc::clone(&program), ample(config, &program, visible))
        }
        Reduction::Off(_) => System::new(Arc::clone(&program)),
    };
    let mut system = make();
    let mut watch = Watch::new(interrupt, config.time, config.progress);
    let asked = Settings {
        workers: workers(config, matches!(reduction, Reduction::Off(_))),
        ..settings(config)
    };
    let (outcome, missed) = explore(
        config,
        &asked,
        &mut system,
        &mut watch,
        |system, settings, watch| match settings.workers {
            1 => search(config.strategy, system, settings, watch),
            _ => search_together(system, &make, settings, watch),
        },
        &|system, settings, lossy, watch| match settings.workers {
            1 => search_lossy(system, settings, lossy, watch),
            _ => search_lossy_together(system, &make, settings, lossy, watch),
        },
        &make,
    );
    let seconds = watch.seconds();
    drop(watch);

    let Outcome { found, end, stats } = outcome;
    let mut violations = Vec::new();
    for (index, found) in found.into_iter().enumerate() {
        let found = expand(&program, &model.program, found);
        let fairness = Fairness::default();
        match property::report(
            config,
            model,
            "safety",
            Refuted::Safety,
            found,
            &fairness,
            index,
        )? {
            Ok(violation) => violations.push(violation),
            Err(contradiction) => return Ok(Err(contradiction)),
        }
    }
    let complete = matches!(end, End::Complete(_));
    let (verdict, reason, advice) = judge(
        config,
        &violations,
        end,
        &stats,
        missed.as_ref(),
        &reduction,
    );
    let coverage = complete.then(|| {
        let coverage = system.coverage().of_plain(&program);
        coverage.summarise(&model.program, &model.sources)
    });
    let mut search = how(config, &reduction, passes);
    search.workers = stats.workers;
    search.notes.extend(notes(&stats));
    if let Some(missed) = &missed {
        missed.report(&mut search);
    }
    search.why_not = why_not(model, &program, system.ample());
    Ok(Ok(run_report(
        "safety".to_owned(),
        &verdict,
        (reason, advice),
        violations,
        search,
        &stats,
        seconds,
        coverage,
    )))
}

/// The ample sets of a program.
pub(super) fn ample(config: &Check, program: &Program, visible: Visible) -> Ample {
    account(config, Ample::new(program, visible))
}

/// The same sets, keeping account of failures if that is asked for.
pub(super) fn account(config: &Check, ample: Ample) -> Ample {
    if config.why_not {
        ample.with_account()
    } else {
        ample
    }
}

/// The account that the ample sets kept.
pub(super) fn why_not(
    model: &Model,
    program: &Program,
    ample: Option<&Ample>,
) -> Option<WhyNotReport> {
    let ample = ample?;
    let account = ample.account()?;
    let refusals = account.refusals(program, ample).into_iter();
    Some(WhyNotReport {
        states: account.states,
        refusals: refusals
            .map(|r| {
                let at = place(&model.sources, r.span);
                RefusalReport {
                    condition: r.condition.to_owned(),
                    times: r.times,
                    proctype: r.proctype,
                    file: at.file,
                    line: at.line,
                    column: at.column,
                    statement: r.statement,
                    reason: r.reason,
                }
            })
            .collect(),
    })
}

/// How states are kept where they are kept exactly.
fn exact(config: &Check) -> store::Kind {
    match config.store {
        StoreChoice::Exact(kind) => kind,
        StoreChoice::Lossy(_) | StoreChoice::Swarm(_) => store::Kind::default(),
    }
}

/// What the command line asks of a search.
pub(super) fn settings(config: &Check) -> Settings {
    Settings {
        all_errors: config.all_errors,
        end_states: config.end_states,
        limits: config.limits,
        store: exact(config),
        spill: config.spill.clone(),
        workers: workers(config, false),
        ..Settings::default()
    }
}

/// How many workers a search has. What one alone must see in order is left to one:
///
/// | store | shared |
/// | --- | --- |
/// | exact | depth first, unless it is to be said why there was no ample set |
/// | lossy | in the search for safety, without a reduction: only then is nothing asked about the path |
/// | swarm | every member has its own thread |
pub(super) fn workers(config: &Check, full_safety: bool) -> usize {
    let shared = match config.store {
        StoreChoice::Exact(_) => {
            config.strategy == Strategy::Dfs && !config.shortest && !config.why_not
        }
        StoreChoice::Lossy(_) => full_safety,
        StoreChoice::Swarm(_) => false,
    };
    if shared { config.workers } else { 1 }
}

/// Whether the reduction is used, and if not, why.
pub(super) enum Reduction {
    On,
    Off(Option<String>),
}

impl Reduction {
    /// For a search of the model as it is.
    pub(super) fn decide(config: &Check, program: &Program) -> Reduction {
        if config.plain || !config.reduction {
            return Reduction::Off(None);
        }
        match obstacle(program) {
            Some(reason) => Reduction::Off(Some(format!("the reduction is off: {reason}"))),
            None => Reduction::On,
        }
    }
}

impl Reduction {
    /// Under fairness to processes there is none: which of them can move is looked at, and every move can change that.
    pub(super) fn under(self, fairness: &Fairness, program: &Program) -> Reduction {
        match self {
            Reduction::On if fairness.is_f() => match obstacle_under_f(program) {
                Some(reason) => Reduction::Off(Some(format!("the reduction is off: {reason}"))),
                None => Reduction::On,
            },
            Reduction::On if !fairness.is_none() && !fairness.is_f() => Reduction::Off(Some(
                "the reduction is off: fairness looks at which processes can move".to_owned(),
            )),
            other => other,
        }
    }
}

/// Puts a report together.
#[allow(clippy::too_many_arguments, reason = "one for each part of the report")]
pub(super) fn run_report(
    property: String,
    verdict: &Verdict,
    (reason, advice): (String, String),
    violations: Vec<ViolationReport>,
    search: SearchReport,
    stats: &Stats,
    seconds: f64,
    coverage: Option<Vec<ProctypeCoverage>>,
) -> RunReport {
    RunReport {
        property,
        verdict: verdict.word(),
        reason,
        advice,
        violations,
        search,
        states: stats.stored,
        transitions: stats.transitions(),
        matched: stats.matched,
        atomic_steps: stats.atomic_steps,
        errors: stats.errors,
        depth: stats.depth,
        vector_bytes: stats.vector_bytes,
        memory_bytes: Memory {
            store: stats.store_bytes,
            stack: stats.stack_bytes,
            total: stats.total_bytes(),
        },
        seconds,
        coverage,
    }
}

pub(super) fn violation(model: &Model, found: &Found<Move>, teller: Teller<'_>) -> ViolationReport {
    let mut message = describe(&found.event);
    let (file, line, column) = match &found.event {
        Event::Fault(fault) => {
            if let (Kind::Assertion, Some(last)) = (Kind::of(&found.event), teller.told.last()) {
                message = format!("{message}: {}", last.actor.site.statement);
            }
            let at = place(&model.sources, fault.span);
            (at.file, at.line, at.column)
        }
        Event::Cycle { .. } => {
            let last = teller.told.last().map(|t| &t.actor.site);
            last.map_or((String::new(), 0, 0), |at| {
                (at.file.clone(), at.line, at.column)
            })
        }
        Event::InvalidEnd => {
            let stuck = teller.stuck();
            let waits = |Actor { pid, site }: &Actor| {
                format!("{}({pid}) at {}:{}", site.proctype, site.file, site.line)
            };
            let all: Vec<String> = stuck.iter().map(waits).collect();
            message = format!("{message}: {}", all.join(", "));
            let first = stuck.into_iter().next();
            first.map_or((String::new(), 0, 0), |Actor { site, .. }| {
                (site.file.clone(), site.line, site.column)
            })
        }
    };
    ViolationReport {
        kind: Kind::of(&found.event),
        message,
        file,
        line,
        column,
        trail: teller.told,
        loop_start: None,
        fair_to: Vec::new(),
        written: None,
    }
}

/// Writes a trail in SPIN's format and in ours, and says where ours is.
pub(super) fn write(
    config: &Check,
    model: &Model,
    found: &Found<Move>,
    violation: &ViolationReport,
    (property, index): (&str, usize),
) -> anyhow::Result<Option<String>> {
    let Some(base) = &config.trail else {
        return Ok(None);
    };
    let cycle = match found.event {
        Event::Cycle { start } => Some(start),
        _ => None,
    };
    let trail = Trail {
        model: model.name.clone(),
        digest: model.digest.clone(),
        property: property.to_owned(),
        kind: violation.kind,
        message: violation.message.clone(),
        choices: found.path.clone(),
        cycle,
    };
    let spin = numbered(base, index);
    let mut ours = spin.clone().into_os_string();
    ours.push(".json");
    let ours = PathBuf::from(ours);
    // A rendezvous is two lines.
    let before = cycle.map(|start| spin_steps(&violation.trail[..start]).len());
    put(&spin, &spin_trail(&spin_steps(&violation.trail), before))?;
    put(&ours, &to_json(&trail))?;
    Ok(Some(ours.display().to_string()))
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The name of the file for a violation: as SPIN numbers them, `m.pml.trail`, `m.pml2.trail`, …
fn numbered(base: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return base.to_owned();
    }
    let name = base.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".trail").unwrap_or(&name);
    base.with_file_name(format!("{stem}{}.trail", index + 1))
}

/// The verdict, why, and what to do next.
pub(super) fn judge(
    config: &Check,
    violations: &[ViolationReport],
    end: End,
    stats: &Stats,
    missed: Option<&Missed>,
    reduction: &Reduction,
) -> (Verdict, String, String) {
    let (verdict, probably) = accepted(config, conclude(violations.len(), end), missed);
    let (reason, advice) = reason(&verdict, violations, stats, reduction);
    (verdict, probably.unwrap_or(reason), advice)
}

fn reason(
    verdict: &Verdict,
    violations: &[ViolationReport],
    stats: &Stats,
    reduction: &Reduction,
) -> (String, String) {
    match verdict {
        Verdict::Holds(_) => {
            let states = match reduction {
                Reduction::On => "states of the reduced state space",
                Reduction::Off(_) => "reachable states",
            };
            let text = format!("all {} {states} visited, no violation", stats.stored);
            (text, String::new())
        }
        Verdict::Violated => {
            let first = violations.first().map_or("", |v| &v.message);
            let first = first.split(':').next().unwrap_or_default();
            match violations.len() {
                1 => (first.to_owned(), String::new()),
                n => (format!("{n} violations"), String::new()),
            }
        }
        Verdict::ProbablyHolds => (
            format!("{} states visited, no violation among them", stats.stored),
            String::new(),
        ),
        Verdict::Inconclusive(stop) => (
            format!(
                "{stop}; {} states visited, no violation among them",
                stats.stored
            ),
            stop.advice().to_owned(),
        ),
    }
}

fn notes(stats: &Stats) -> Option<String> {
    (stats.atomic_repeats > 0).then(|| {
        format!(
            "long atomic sequences: {} moves to inner states already seen were not followed again",
            stats.atomic_repeats
        )
    })
}

pub(super) fn how(config: &Check, reduction: &Reduction, passes: Vec<String>) -> SearchReport {
    SearchReport {
        strategy: match config.strategy {
            Strategy::Dfs => "dfs",
            Strategy::StrictDfs => "strict-dfs",
            Strategy::Bfs => "bfs",
        }
        .to_owned(),
        reduction: if matches!(reduction, Reduction::On) {
            "ample"
        } else {
            "none"
        }
        .to_owned(),
        fairness: "none".to_owned(),
        store: exact(config).name().to_owned(),
        workers: 1,
        passes,
        notes: match reduction {
            Reduction::Off(Some(reason)) => vec![reason.clone()],
            _ => Vec::new(),
        },
        loss: None,
        why_not: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trail_files_are_numbered_like_spins() {
        for (base, index, name) in [
            ("m.pml.trail", 0, "m.pml.trail"),
            ("m.pml.trail", 1, "m.pml2.trail"),
            ("dir/other", 2, "dir/other3.trail"),
        ] {
            assert_eq!(numbered(Path::new(base), index), Path::new(name));
        }
    }
}

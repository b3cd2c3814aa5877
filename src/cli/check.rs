//! `ample check`: search, confirm what was found, report.
//!
//! A violation is reported only after its trail was executed again on a fresh plain machine and ended in the
//! same violation. One that does not is a fault of the checker, not of the model: exit code 4.

use super::model::{self, Model};
use super::monitor::{Interrupt, Watch};
use super::{Exit, print, say};
use crate::config::{Check, Format, What};
use crate::machine::Move;
use crate::report::{self, Memory, Report, RunReport, SearchReport, Seconds, ViolationReport};
use crate::search::{Event, Found, Outcome, Settings, Strategy, System, search};
use crate::stats::Stats;
use crate::trace::{Ending, Told, Trail, render as spin_trail, spin_steps, tell, to_json};
use crate::verdict::{Kind, Verdict, Word, conclude, describe};
use anyhow::{Context, bail};
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const BUG: &str = "this is a bug in ample, not in the model: please report it with the model and the command line";

/// Why no report could be made.
struct Contradiction(String);

pub(super) fn run(config: &Check) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let Some(model) = model::compile(&config.model)? else {
        return Ok(Exit::Usage);
    };
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
            Run::Property(name) => results.push(unsupported(config, name)),
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
    print(&match config.format {
        Format::Text => report::text::render(&report),
        Format::Json => report::json::render(&report),
    });
    Ok(verdict.into())
}

enum Run {
    Safety,
    Property(String),
}

/// Which runs are to be made.
fn plan(config: &Check, model: &Model) -> anyhow::Result<Vec<Run>> {
    let program = &model.program;
    let ltl = program.ltl.iter().map(|p| &p.name);
    let names: Vec<&String> = ltl.chain(program.claims.iter().map(|c| &c.name)).collect();
    let properties = || names.iter().map(|n| Run::Property(n.to_string()));
    Ok(match &config.what {
        What::Safety => vec![Run::Safety],
        What::All => std::iter::once(Run::Safety).chain(properties()).collect(),
        What::Properties if names.is_empty() => bail!("{} states no property", model.name),
        What::Properties => properties().collect(),
        What::Claim(name) if names.contains(&name) => vec![Run::Property(name.clone())],
        What::Claim(name) => {
            let known: Vec<&str> = names.iter().map(|n| n.as_str()).collect();
            bail!(
                "{} states no property {name}; it has: {}",
                model.name,
                known.join(", ")
            )
        }
    })
}

fn safety(
    config: &Check,
    model: &Model,
    interrupt: &Interrupt,
) -> anyhow::Result<Result<RunReport, Contradiction>> {
    let mut system = System::new(Arc::clone(&model.program));
    let settings = Settings {
        all_errors: config.all_errors,
        end_states: config.end_states,
        limits: config.limits,
    };
    let mut watch = Watch::new(interrupt, config.time, config.progress);
    let outcome = search(config.strategy, &mut system, &settings, &mut watch);
    let seconds = watch.seconds();
    drop(watch);

    let Outcome { found, end, stats } = outcome;
    let mut violations = Vec::new();
    for (index, found) in found.iter().enumerate() {
        let told = match confirm(config, model, found) {
            Ok(told) => told,
            Err(contradiction) => return Ok(Err(contradiction)),
        };
        let mut violation = violation(model, found, told);
        violation.written = write(config, model, found, &violation, index)?;
        violations.push(violation);
    }
    let verdict = conclude(violations.len(), end);
    let (reason, advice) = reason(&verdict, &violations, &stats);
    let coverage = matches!(verdict, Verdict::Holds(_))
        .then(|| system.coverage().summarise(&model.program, &model.sources));
    let mut search = how(config);
    search.notes.extend(notes(&stats));
    Ok(Ok(RunReport {
        property: "safety".to_owned(),
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
    }))
}

/// Executes a trail again: the steps told, if it ends in what it is said to end in.
fn confirm(config: &Check, model: &Model, found: &Found<Move>) -> Result<Vec<Told>, Contradiction> {
    let what = describe(&found.event);
    let (told, ending) = tell(&model.program, &model.sources, &found.path, config.show)
        .map_err(|lost| Contradiction(format!("{what}: its trail cannot be executed: {lost}")))?;
    let same = match (&found.event, &ending) {
        (Event::InvalidEnd, Ending::InvalidEnd) => true,
        (Event::Fault(a), Ending::Fault(b)) => {
            discriminant(&a.kind) == discriminant(&b.kind) && a.span == b.span
        }
        _ => false,
    };
    if same {
        Ok(told)
    } else {
        Err(Contradiction(format!(
            "{what}: executing its trail ends in {ending:?} instead"
        )))
    }
}

fn violation(model: &Model, found: &Found<Move>, trail: Vec<Told>) -> ViolationReport {
    let mut message = describe(&found.event);
    let (mut file, mut line, mut column) = (String::new(), 0, 0);
    match &found.event {
        Event::Fault(fault) => {
            let at = model.sources.locate(model.sources.root(fault.span));
            (file, line, column) = (at.file, at.line, at.column);
            if let (Kind::Assertion, Some(last)) = (Kind::of(&found.event), trail.last()) {
                message = format!("{message}: {}", last.actor.statement);
            }
        }
        Event::InvalidEnd => {
            if let Some(last) = trail.last() {
                (file, line, column) =
                    (last.actor.file.clone(), last.actor.line, last.actor.column);
            }
        }
    }
    ViolationReport {
        kind: Kind::of(&found.event),
        message,
        file,
        line,
        column,
        trail,
        written: None,
    }
}

/// Writes a trail in SPIN's format and in ours, and says where ours is.
fn write(
    config: &Check,
    model: &Model,
    found: &Found<Move>,
    violation: &ViolationReport,
    index: usize,
) -> anyhow::Result<Option<String>> {
    let Some(base) = &config.trail else {
        return Ok(None);
    };
    let trail = Trail {
        model: model.name.clone(),
        digest: model.digest.clone(),
        property: "safety".to_owned(),
        kind: violation.kind,
        message: violation.message.clone(),
        choices: found.path.clone(),
        cycle: None,
    };
    let spin = numbered(base, index);
    let mut ours = spin.clone().into_os_string();
    ours.push(".json");
    let ours = PathBuf::from(ours);
    put(&spin, &spin_trail(&spin_steps(&violation.trail), None))?;
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

fn reason(verdict: &Verdict, violations: &[ViolationReport], stats: &Stats) -> (String, String) {
    match verdict {
        Verdict::Holds(_) => (
            format!(
                "all {} reachable states visited, no violation",
                stats.stored
            ),
            String::new(),
        ),
        Verdict::Violated => {
            let first = violations
                .first()
                .map(|v| v.message.clone())
                .unwrap_or_default();
            match violations.len() {
                1 => (first, String::new()),
                n => (format!("{n} violations"), String::new()),
            }
        }
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

fn how(config: &Check) -> SearchReport {
    SearchReport {
        strategy: match config.strategy {
            Strategy::Dfs => "dfs",
            Strategy::StrictDfs => "strict-dfs",
            Strategy::Bfs => "bfs",
        }
        .to_owned(),
        reduction: "none".to_owned(),
        fairness: "none".to_owned(),
        store: "exact".to_owned(),
        workers: 1,
        passes: Vec::new(),
        notes: Vec::new(),
    }
}

/// A property that this version cannot check: said so, never passed over.
fn unsupported(config: &Check, property: String) -> RunReport {
    RunReport {
        property,
        verdict: Word::Inconclusive,
        reason: "this version checks assertions and end states only".to_owned(),
        advice: "check the rest with --check safety".to_owned(),
        violations: Vec::new(),
        search: how(config),
        states: 0,
        transitions: 0,
        matched: 0,
        atomic_steps: 0,
        errors: 0,
        depth: 0,
        vector_bytes: 0,
        memory_bytes: Memory::default(),
        seconds: 0.0,
        coverage: None,
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

//! `ample check --contexts K NET.pds`: reachability of a pushdown network within a growing number of contexts.
//!
//! The network is read by [`ample_pushdown::text`] and checked by [`ample_pushdown::explicit`], or with `--engine symbolic`
//! encoded and checked by [`ample_pushdown::symbolic`]; this file finds the files beside it, honours signals and the limits on
//! time and memory, and writes the report. "Holds" is said only if the exploration has converged.

use super::monitor::Interrupt;
use super::{Exit, files, print, say};
use crate::check::{Engine, free_memory, resident_memory};
use crate::config::{Format, NetworkCheck};
use ample_pushdown::explicit::contexts::{Outcome, check};
use ample_pushdown::explicit::network::Step;
use ample_pushdown::symbolic::contexts as symbolic;
use ample_pushdown::symbolic::encode::Encoded;
use ample_pushdown::symbolic::space::Error;
use ample_pushdown::text::{File, ParseError, Text, parse};
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::cell::Cell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most view tuples that are kept.
const MOST_TUPLES: usize = 1_000_000;
/// The most BDD nodes.
const MOST_NODES: u64 = 1 << 24;
/// Bytes for each BDD node, with what belongs to it.
const NODE: u64 = 48;

pub(super) fn run(config: &NetworkCheck) -> anyhow::Result<Exit> {
    let text = read(&config.path)?;
    let start = Instant::now();
    let interrupt = Interrupt::install();
    let memory = config.memory.or_else(free_memory).unwrap_or(u64::MAX);
    let is_late = || config.time.is_some_and(|limit| start.elapsed() >= limit);
    let is_full = || resident_memory().is_some_and(|used| used > memory);
    let stop = || is_late() || interrupt.is_set() || is_full();
    let kept = Cell::new(0);
    let told = |contexts: usize, tuples: usize| {
        kept.set(tuples);
        if contexts > 0 {
            let seconds = start.elapsed().as_secs_f64();
            say(&format!(
                "{contexts} contexts explored: {tuples} view tuples, {seconds:.3} s\n"
            ));
        }
    };
    let outcome = match config.engine {
        Engine::Explicit => check(
            &text.network,
            &text.targets,
            config.contexts,
            MOST_TUPLES,
            &stop,
            told,
        ),
        Engine::Symbolic => symbolically(&text, config, memory, &stop, &told),
    };
    let mut outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            say(&format!("error: {error}\n{}\n", super::check::BUG));
            return Ok(Exit::Internal);
        }
    };
    if let Outcome::Bounded { reason, .. } = &mut outcome {
        if interrupt.is_set() {
            "interrupted".clone_into(reason);
        } else if is_late() {
            "the time limit was reached".clone_into(reason);
        } else if is_full() {
            "the memory limit was reached".clone_into(reason);
        }
    }
    let exit = match &outcome {
        Outcome::Violated { .. } => Exit::Violated,
        Outcome::Holds { .. } => Exit::Holds,
        Outcome::Bounded { .. } => Exit::Inconclusive,
    };
    let report = match config.format {
        Format::Text => described(&text, config, &outcome),
        Format::Json => {
            let mut report = document(&text, config, &outcome);
            report["view_tuples"] = json!(kept.get());
            report["seconds"] = json!(start.elapsed().as_secs_f64());
            format!("{report:#}\n")
        }
    };
    print(&report)?;
    Ok(exit)
}

/// The steps of a run: context, thread, line of the rule, and the configuration after the step.
fn steps(text: &Text, run: &[Step]) -> Vec<(usize, usize, usize, String)> {
    let path = text.network.execute(run).unwrap_or_default();
    let (mut before, mut number) = (None, 0);
    let each = run.iter().zip(path.iter().skip(1)).map(|(step, after)| {
        number += usize::from(before != Some(step.thread));
        before = Some(step.thread);
        let line = text.lines[step.rule];
        (number, step.thread + 1, line, text.show(after))
    });
    each.collect()
}

/// The verdict in words: what it is about, and why.
fn verdict(text: &Text, config: &NetworkCheck, outcome: &Outcome) -> (String, String) {
    let about = match text.targets.len() {
        0 => "no target is given".to_owned(),
        1 => "the target".to_owned(),
        count => format!("all {count} targets"),
    };
    let unless = |cannot: String| match text.targets.len() {
        0 => about.clone(),
        _ => format!("{about} cannot be reached {cannot}"),
    };
    match outcome {
        Outcome::Violated { contexts, .. } => (
            format!("a target is reachable with {contexts} contexts"),
            String::new(),
        ),
        Outcome::Holds { contexts, reason } => (
            unless("with any number of contexts".to_owned()),
            format!("converged after {contexts} contexts: {reason}"),
        ),
        Outcome::Bounded { contexts, reason } => (
            unless(format!(
                "within {contexts} contexts (--contexts {})",
                config.contexts
            )),
            reason.clone(),
        ),
    }
}

fn described(text: &Text, config: &NetworkCheck, outcome: &Outcome) -> String {
    let name = config.path.display();
    let (what, why) = verdict(text, config, outcome);
    let Outcome::Violated { run, .. } = outcome else {
        let word = match outcome {
            Outcome::Holds { .. } => "HOLDS",
            _ => "INCONCLUSIVE",
        };
        return format!("{word}  {name}: {what}\n\n  {why}\n");
    };
    let mut report = format!("VIOLATED  {name}: {what}\n\n");
    let _ = writeln!(report, "    start: {}", text.show(&text.network.initial));
    let mut context = 0;
    for (number, thread, line, after) in steps(text, run) {
        if number != context {
            context = number;
            let _ = writeln!(report, "  context {number}: thread {thread}");
        }
        let _ = writeln!(report, "    line {line}: {after}");
    }
    report
}

fn document(text: &Text, config: &NetworkCheck, outcome: &Outcome) -> Value {
    let (what, why) = verdict(text, config, outcome);
    let reason = match why.is_empty() {
        true => what,
        false => format!("{what}; {why}"),
    };
    let (word, contexts, run) = match outcome {
        Outcome::Violated { contexts, run } => ("violated", contexts, Some(run)),
        Outcome::Holds { contexts, .. } => ("holds", contexts, None),
        Outcome::Bounded { contexts, .. } => ("inconclusive", contexts, None),
    };
    let run = run.map(|run| {
        let steps = steps(text, run).into_iter();
        let steps = steps.map(|(context, thread, line, after)| {
            json!({"context": context, "thread": thread, "line": line, "configuration": after})
        });
        json!({
            "start": text.show(&text.network.initial),
            "steps": steps.collect::<Vec<_>>(),
        })
    });
    let (engine, splitting) = match config.engine {
        Engine::Explicit => ("explicit", None),
        Engine::Symbolic => ("symbolic", Some(config.splitting.to_string())),
    };
    json!({
        "schema_version": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": word,
        "reason": reason,
        "network": config.path.display().to_string(),
        "targets": text.targets.len(),
        "engine": engine,
        "splitting": splitting,
        "bound": config.contexts,
        "contexts": contexts,
        "run": run,
    })
}

/// Checks a network with sets of configurations as BDDs. The run that is found is one of the network as it was read.
fn symbolically(
    text: &Text,
    config: &NetworkCheck,
    memory: u64,
    stop: &dyn Fn() -> bool,
    told: &dyn Fn(usize, usize),
) -> Result<Outcome, String> {
    let network = &text.network;
    let nodes = (memory / NODE).min(MOST_NODES) as usize;
    let prepared = || -> ample_pushdown::symbolic::space::Result<_> {
        let encoded = Encoded::new(network, 0, config.contexts, nodes)?;
        let slots = network.spawns().then(|| encoded.slots(config.contexts));
        let targets = text.targets.iter().map(|t| encoded.target(t));
        let targets: Vec<_> = targets.collect::<Result<_, _>>()?;
        Ok((slots.transpose()?, targets, encoded))
    };
    let (slots, targets, encoded) = match prepared() {
        Ok(prepared) => prepared,
        Err(error @ Error::Nodes(_)) => {
            return Ok(Outcome::Bounded {
                contexts: 0,
                reason: error.to_string(),
            });
        }
        Err(error) => return Err(error.to_string()),
    };
    let explored = slots
        .as_ref()
        .map_or(&encoded.network, |slots| &slots.network);
    let options = symbolic::Options {
        splitting: config.splitting,
        may_converge: slots.is_none(),
        tuples: MOST_TUPLES,
        stop,
        ..symbolic::Options::new(config.contexts)
    };
    let (outcome, _) = symbolic::check(explored, &targets, options, |figures| {
        told(figures.contexts, figures.kept);
    });
    Ok(match outcome {
        symbolic::Outcome::Violated {
            contexts,
            target,
            run,
        } => {
            let run = match &slots {
                Some(slots) => slots.translate(&encoded.network, &run)?,
                None => run,
            };
            let run = encoded.run(network, &run)?;
            network.confirm(&run, &text.targets[target], contexts)?;
            Outcome::Violated { contexts, run }
        }
        symbolic::Outcome::Holds { contexts } => Outcome::Holds {
            contexts,
            reason: "one more context reaches no new configuration".to_owned(),
        },
        symbolic::Outcome::Bounded { contexts } => Outcome::Bounded {
            contexts,
            reason: match slots {
                Some(_) => "threads are created, so convergence is not tested".to_owned(),
                None => "one more context reaches new configurations".to_owned(),
            },
        },
        symbolic::Outcome::Stopped {
            reason: error @ (Error::Unconfirmed(_) | Error::Network(_)),
            ..
        } => return Err(error.to_string()),
        symbolic::Outcome::Stopped { contexts, reason } => Outcome::Bounded {
            contexts,
            reason: reason.to_string(),
        },
    })
}

/// Reads the three files. Without `.spec` only convergence is tested.
fn read(path: &Path) -> anyhow::Result<Text> {
    let file = |file: File| -> PathBuf { path.with_extension(&file.to_string()[1..]) };
    let content = |which: File| files::read(&file(which));
    let pds = content(File::Pds)?;
    let init =
        content(File::Init).context("a network needs its initial configuration beside it")?;
    let spec = match file(File::Spec).exists() {
        true => Some(content(File::Spec)?),
        false => None,
    };
    if spec.is_none() {
        let name = file(File::Spec);
        say(&format!(
            "warning: there is no {}: no target, only convergence is tested\n",
            name.display()
        ));
    }
    parse(&pds, &init, spec.as_deref()).or_else(|error: ParseError| {
        let ParseError {
            line,
            column,
            message,
            ..
        } = &error;
        bail!("{}:{line}:{column}: {message}", file(error.file).display())
    })
}

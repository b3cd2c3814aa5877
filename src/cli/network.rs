//! `ample check --contexts K NET.pds`: reachability of a pushdown network within a growing number of contexts.
//!
//! The network is read by [`ample_pushdown::text`] and checked by [`ample_pushdown::explicit`], or with `--engine symbolic`
//! encoded and checked by [`ample_pushdown::symbolic`]; this file finds the files beside it, honours signals and the time
//! limit, and writes the report. "Holds" is said only if the exploration has converged.

use super::monitor::Interrupt;
use super::{Exit, files, print, say};
use crate::check::Engine;
use crate::config::NetworkCheck;
use ample_pushdown::explicit::contexts::{Outcome, check};
use ample_pushdown::symbolic::contexts as symbolic;
use ample_pushdown::symbolic::encode::Encoded;
use ample_pushdown::text::{File, ParseError, Text, parse};
use anyhow::{Context, bail};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most view tuples that are kept.
const MOST_TUPLES: usize = 1_000_000;
/// The most BDD nodes.
const MOST_NODES: usize = 1 << 24;

pub(super) fn run(config: &NetworkCheck) -> anyhow::Result<Exit> {
    let text = read(&config.path)?;
    let name = config.path.display();
    let start = Instant::now();
    let interrupt = Interrupt::install();
    let stop = || {
        let late = config.time.is_some_and(|limit| start.elapsed() >= limit);
        late || interrupt.is_set()
    };
    let told = |contexts: usize, tuples: usize| {
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
        Engine::Symbolic => symbolically(&text, config, &stop, &told),
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            say(&format!("error: {error}\n{}\n", super::check::BUG));
            return Ok(Exit::Internal);
        }
    };
    let about = match text.targets.len() {
        0 => "no target is given".to_owned(),
        1 => "the target".to_owned(),
        count => format!("all {count} targets"),
    };
    match outcome {
        Outcome::Violated { contexts, run } => {
            let path = text.network.execute(&run).unwrap_or_default();
            let mut report =
                format!("VIOLATED  {name}: a target is reachable with {contexts} contexts\n\n");
            let (mut before, mut number) = (None, 0);
            let _ = writeln!(report, "    start: {}", text.show(&text.network.initial));
            for (step, after) in run.iter().zip(path.iter().skip(1)) {
                if before != Some(step.thread) {
                    number += 1;
                    let _ = writeln!(report, "  context {number}: thread {}", step.thread + 1);
                }
                before = Some(step.thread);
                let _ = writeln!(
                    report,
                    "    line {}: {}",
                    text.lines[step.rule],
                    text.show(after)
                );
            }
            print(&report)?;
            Ok(Exit::Violated)
        }
        Outcome::Holds { contexts, reason } => {
            let verdict = match text.targets.len() {
                0 => about,
                _ => format!("{about} cannot be reached with any number of contexts"),
            };
            print(&format!(
                "HOLDS  {name}: {verdict}\n\n  converged after {contexts} contexts: {reason}\n"
            ))?;
            Ok(Exit::Holds)
        }
        Outcome::Bounded { contexts, reason } => {
            let reason = match config.time {
                _ if interrupt.is_set() => "interrupted".to_owned(),
                Some(limit) if start.elapsed() >= limit => "the time limit was reached".to_owned(),
                _ => reason,
            };
            let verdict = match text.targets.len() {
                0 => about,
                _ => format!(
                    "{about} cannot be reached within {contexts} contexts (--contexts {})",
                    config.contexts
                ),
            };
            print(&format!("INCONCLUSIVE  {name}: {verdict}\n\n  {reason}\n"))?;
            Ok(Exit::Inconclusive)
        }
    }
}

/// Checks a network with sets of configurations as BDDs. The run that is found is one of the network as it was read.
fn symbolically(
    text: &Text,
    config: &NetworkCheck,
    stop: &dyn Fn() -> bool,
    told: &dyn Fn(usize, usize),
) -> Result<Outcome, String> {
    let network = &text.network;
    let said = |error: ample_pushdown::symbolic::space::Error| error.to_string();
    let encoded = Encoded::new(network, 0, config.contexts, MOST_NODES).map_err(said)?;
    let slots = network.spawns().then(|| encoded.slots(config.contexts));
    let slots = slots.transpose().map_err(said)?;
    let explored = slots
        .as_ref()
        .map_or(&encoded.network, |slots| &slots.network);
    let targets: Result<Vec<_>, _> = text.targets.iter().map(|t| encoded.target(t)).collect();
    let options = symbolic::Options {
        splitting: config.splitting,
        may_converge: slots.is_none(),
        tuples: MOST_TUPLES,
        stop,
        ..symbolic::Options::new(config.contexts)
    };
    let (outcome, _) = symbolic::check(explored, &targets.map_err(said)?, options, |figures| {
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

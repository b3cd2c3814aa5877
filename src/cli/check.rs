//! `ample check`: verify a model.
//!
//! This file reads the model, asks [`crate::check`] for a verdict on every goal, and writes the report and the trails.

use super::monitor::{Interrupt, Watch};
use super::trails::Trails;
use super::{Exit, model, print, print_with, say};
use crate::check::{Failed, Goal, Model, Options, Plan, Role};
use crate::config::{Check, Format, What};
use crate::limits::Monitor;
use crate::report::{self, Report, Seconds};
use crate::verdict::Word;
use anyhow::bail;
use std::time::Instant;

pub(super) const BUG: &str = "this is a bug in ample, not in the model: please report it with the model and the command line";

pub(super) fn run(config: &Check) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let interrupt = Interrupt::install();
    let what = match config.syntax_only {
        true => &What::All,
        false => &config.what,
    };
    let reading = interrupt.cancellation().after(start, config.options.time);
    let model = match model::read_within(&config.model, what, &reading)? {
        Ok(Some(model)) => model,
        Ok(None) => return Ok(Exit::Usage),
        Err(stop) => {
            let name = config.model.source.path.display();
            let text = format!("INCONCLUSIVE  {name}: {stop} while reading the model\n");
            match config.format {
                Format::Text => print(&text)?,
                Format::Json => say(&text),
            }
            return Ok(Exit::Inconclusive);
        }
    };
    if config.syntax_only {
        return Ok(Exit::Holds);
    }
    let compile = start.elapsed();
    let goals = goals(&config.what, &model)?;
    let options = Options {
        cancellation: interrupt.cancellation(),
        ..config.options.clone()
    };
    let mut plans = Plan::decide_all(&model, &goals, &options)?;
    // Every goal needs the model to be read.
    plans.iter_mut().for_each(|plan| plan.spent += compile);
    if config.dry_run {
        print(&report::text::plans(&model, &plans))?;
        return Ok(Exit::Holds);
    }
    let mut trails = Trails::new(&model, &config.model.source.path, &config.trail)?;
    let monitors = |role: Role| -> Box<dyn Monitor> {
        let shown = config.progress && role != Role::Member;
        Box::new(Watch::new(&interrupt, shown))
    };
    let mut results = Vec::new();
    let mut internal = false;
    for plan in plans {
        let checked = plan.check(&model, &monitors);
        let told = checked.and_then(|checked| {
            let report = report::run(&model, &checked, config.show)?;
            Ok((checked, report))
        });
        match told {
            Ok((checked, mut report)) => {
                trails.write(&checked, &mut report);
                results.push(report);
            }
            Err(Failed::Contradiction(text)) => {
                say(&format!("error: {text}\n{BUG}\n"));
                internal = true;
                break;
            }
            Err(Failed::Refused(refusal)) => return Err(refusal.into()),
        }
    }
    // What was decided before an error of ours is still reported.
    if internal && results.is_empty() {
        return Ok(Exit::Internal);
    }
    let worst = results.iter().map(|r| r.verdict).max();
    let verdict = worst.unwrap_or(Word::Holds);
    let report = Report {
        schema_version: report::SCHEMA_VERSION,
        verdict,
        model: model.name.clone(),
        model_digest: model.digest.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seconds: Seconds {
            compile: compile.as_secs_f64(),
            total: start.elapsed().as_secs_f64(),
        },
        results,
    };
    match config.format {
        Format::Text => print(&report::text::render(&report, config.verbose))?,
        Format::Json => print_with(|out| report::json::render(out, &report))?,
    }
    match internal {
        true => Ok(Exit::Internal),
        false => Ok(verdict.into()),
    }
}

/// What is to be checked.
fn goals(what: &What, model: &Model) -> anyhow::Result<Vec<Goal>> {
    let mut goals = model.goals();
    match what {
        What::All => {}
        What::Safety => goals.truncate(1),
        What::Properties => {
            goals.remove(0);
            if goals.is_empty() {
                bail!("{} states no property", model.name);
            }
        }
        What::Claim(name) => {
            goals.remove(0);
            let names: Vec<&str> = goals.iter().map(|g| g.name(model)).collect();
            let names = names.join(", ");
            goals.retain(|goal| goal.name(model) == name);
            if goals.is_empty() {
                bail!("{} states no property {name}; it has: {names}", model.name);
            }
            goals.truncate(1);
        }
    }
    Ok(goals)
}

//! `ample check`: verify a model.
//!
//! This file reads the model, asks [`crate::check`] for a verdict on every goal, and writes the report and the trails.

use super::monitor::{Interrupt, Watch};
use super::trails::Trails;
use super::{Exit, model, pages, print, print_with, say};
use crate::check::{Checked, Failed, Finding, Goal, Model, Monitors, Options, Plan, Role};
use crate::config::{Check, CheckFormat, What};
use crate::limits::Monitor;
use crate::page::{Heading, Shown, class};
use crate::report::json::document;
use crate::report::{self, Report, Seconds, Telling};
use crate::verdict::Word;
use anyhow::bail;
use std::time::Instant;

pub(super) const BUG: &str = "this is a bug in ample, not in the model: please report it with the model and the command line";

/// Makes what watches a search; shown or not.
pub(super) type Watches = Box<dyn Fn(&Interrupt, bool) -> Box<dyn Monitor> + Sync>;

/// Who makes the searches.
pub(super) trait Searcher {
    /// All is decided, and the searches are about to begin.
    fn begin(&mut self, model: &Model, plans: &[Plan]) -> anyhow::Result<Watches>;

    /// Checks a goal; `None` if the result is known elsewhere.
    fn check(
        &mut self,
        plan: Plan,
        model: &Model,
        monitors: Monitors<'_>,
    ) -> Result<Option<Checked>, Failed>;

    /// All goals have been checked, with that result. Gives the exit code where it is decided elsewhere.
    fn end(&mut self, exit: Exit) -> anyhow::Result<Exit>;
}

/// This process.
struct Here;

impl Searcher for Here {
    fn begin(&mut self, _: &Model, _: &[Plan]) -> anyhow::Result<Watches> {
        Ok(Box::new(|interrupt, shown| {
            Box::new(Watch::new(interrupt, shown))
        }))
    }

    fn check(
        &mut self,
        plan: Plan,
        model: &Model,
        monitors: Monitors<'_>,
    ) -> Result<Option<Checked>, Failed> {
        plan.check(model, monitors).map(Some)
    }

    fn end(&mut self, exit: Exit) -> anyhow::Result<Exit> {
        Ok(exit)
    }
}

pub(super) fn run(config: &Check) -> anyhow::Result<Exit> {
    run_by(config, &mut Here)
}

/// The same, with searches made by somebody else.
pub(super) fn run_by(config: &Check, searcher: &mut dyn Searcher) -> anyhow::Result<Exit> {
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
            let name = config.model.source.path.display().to_string();
            let text = format!("INCONCLUSIVE  {name}: {stop} while reading the model\n");
            match config.format {
                CheckFormat::Text | CheckFormat::Line => print(&text)?,
                CheckFormat::Json => {
                    say(&text);
                    let report = Report {
                        schema_version: report::SCHEMA_VERSION,
                        verdict: Word::Inconclusive,
                        model: name,
                        model_digest: None,
                        configuration: config.configuration.clone(),
                        version: env!("CARGO_PKG_VERSION").to_owned(),
                        seconds: Seconds {
                            compile: start.elapsed().as_secs_f64(),
                            total: start.elapsed().as_secs_f64(),
                        },
                        given_up: Some(format!("{stop} while reading the model")),
                        results: Vec::new(),
                    };
                    print_with(|out| report::json::render(out, &report))?;
                }
                CheckFormat::Sarif | CheckFormat::Junit => say(&text),
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
    pages::refuse_others(&config.pictures)?;
    let mut trails = Trails::new(&model, &config.model.source, &config.trail)?;
    let watches = searcher.begin(&model, &plans)?;
    let monitors = |role: Role| watches(&interrupt, config.progress && role != Role::Member);
    // A page shows the automaton, whether or not the text does.
    let automaton = config.telling.automaton || config.pictures.page.is_some();
    let telling = Telling {
        automaton,
        ..config.telling
    };
    let mut findings = Vec::new();
    let mut results = Vec::new();
    let mut internal = false;
    for plan in plans {
        let goal = plan.goal.clone();
        let mut checked = match searcher.check(plan, &model, &monitors).transpose() {
            Some(checked) => checked,
            None => continue,
        };
        // What was found without a bound on calls is shown in an expansion that is deep enough.
        let deeper = checked.as_ref().ok().and_then(|checked| checked.deeper);
        let deep = deeper.and_then(|depth| model.expanded(depth).ok());
        if let Some(deep) = &deep {
            checked = Plan::decide(deep, &goal, &options)
                .map_err(Failed::Refused)
                .and_then(|plan| plan.check(deep, &monitors));
        }
        let shown = deep.as_ref().unwrap_or(&model);
        let told = checked.and_then(|checked| {
            let report = report::run(shown, &checked, telling)?;
            Ok((checked, report))
        });
        match told {
            Ok((checked, mut report)) => {
                // The writers of trails and pages know the model as it was read.
                match deep.is_none() {
                    true => {
                        trails.write(&checked, &mut report);
                        findings.push(checked.findings);
                    }
                    false => findings.push(Vec::new()),
                }
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
    if results.is_empty() {
        return searcher.end(if internal {
            Exit::Internal
        } else {
            Exit::Holds
        });
    }
    let worst = results.iter().map(|r| r.verdict).max();
    let verdict = worst.unwrap_or(Word::Holds);
    let mut report = Report {
        schema_version: report::SCHEMA_VERSION,
        verdict,
        model: model.name.clone(),
        model_digest: Some(model.digest.clone()),
        given_up: None,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        configuration: config.configuration.clone(),
        seconds: Seconds {
            compile: compile.as_secs_f64(),
            total: start.elapsed().as_secs_f64(),
        },
        results,
    };
    draw(config, &model, &report, &findings)?;
    if !config.telling.automaton {
        let violations = report.results.iter_mut().flat_map(|r| &mut r.violations);
        let explanations = violations.filter_map(|v| v.explanation.as_mut());
        explanations.for_each(|e| e.automaton = None);
    }
    let exit = match internal {
        true => Exit::Internal,
        false => verdict.into(),
    };
    match config.format {
        CheckFormat::Text => print(&report::text::render(&report, config.detail))?,
        CheckFormat::Line => print(&format!("{}\n", report::text::headline(&report)))?,
        CheckFormat::Json => print_with(|out| report::json::render(out, &report))?,
        CheckFormat::Sarif => print(&document(&report::sarif::render(&report, exit.code())))?,
        CheckFormat::Junit => {
            let cases = report::junit::cases(&report);
            print(&report::junit::render(&cases, start.elapsed()))?;
        }
    }
    searcher.end(exit)
}

/// Writes the page and the chart that were asked for.
fn draw(
    config: &Check,
    model: &Model,
    report: &Report,
    findings: &[Vec<Finding>],
) -> anyhow::Result<()> {
    let runs = report.results.iter().zip(findings);
    let shown = runs.flat_map(|(result, findings)| {
        let pairs = result.violations.iter().zip(findings);
        pairs.map(|(violation, finding)| Shown {
            property: &result.property,
            message: &violation.message,
            explanation: violation.explanation.as_ref(),
            path: &finding.path,
            cycle: violation.loop_start,
        })
    });
    let heading = Heading {
        model: &report.model,
        verdict: &report.verdict.to_string(),
        class: class(report.verdict),
        report: Some(report),
    };
    let shown: Vec<Shown<'_>> = shown.collect();
    pages::draw(&config.pictures, model, &heading, &shown)
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
                let others = match names.as_str() {
                    "" => "nor any other".to_owned(),
                    names => format!("it has: {names}"),
                };
                bail!("{} states no property {name}; {others}", model.name);
            }
            goals.truncate(1);
        }
    }
    Ok(goals)
}

//! `ample bench`: measure the savings or the overhead of the reduction.
//!
//! The table goes to standard output. Exit codes: 0 if everything was measured, whatever the verdicts; 3 if a search was
//! stopped; 4 if the verdicts of a full and a reduced search differ.

use super::files::{self, Standing, standing};
use super::model::complain;
use super::monitor::{Interrupt, Watch};
use super::output::status;
use super::{Exit, print, say};
use crate::bench::run::{Measured, Measurement, Trouble, Which, goal, measure, usual};
use crate::bench::{Origin, Report, Row, Subject, spin, svg, table};
use crate::check::Role;
use crate::config::{Bench, Format, Messages};
use crate::limits::Monitor;
use crate::verdict::Word;
use anyhow::{Context, bail};

pub(super) fn run(config: &Bench) -> anyhow::Result<Exit> {
    if config.spin && !spin::is_installed() {
        bail!("--spin needs SPIN and gcc: one of them is not installed");
    }
    let is_chart = |text: &str| text.is_empty() || text.starts_with("<svg");
    if let Some(path) = &config.svg
        && !matches!(standing(path), Standing::Free)
        && !matches!(standing(path), Standing::File(text) if is_chart(&text))
    {
        bail!(
            "--svg: {} exists and is no chart: it is not written over",
            path.display()
        );
    }
    let interrupt = Interrupt::install();
    let mut rows = Vec::new();
    for subject in &config.subjects {
        match row(config, subject, &interrupt)? {
            Ok(row) => rows.push(row),
            Err(exit) => return Ok(exit),
        }
    }
    let report = Report {
        passed: config.passed,
        repeat: config.repeat,
        rows,
    };
    print(&table::render(&report, config.layout, config.form))?;
    if let Some(path) = &config.svg {
        files::write(path, &svg::render(&report))?;
    }
    let complete = |row: &Row| row.ours.full.complete && row.ours.reduced.complete;
    Ok(if report.rows.iter().all(complete) {
        Exit::Holds
    } else {
        Exit::Inconclusive
    })
}

/// Measures one model; the exit code if it cannot be measured for a reason that has been said.
fn row(
    config: &Bench,
    subject: &Subject,
    interrupt: &Interrupt,
) -> anyhow::Result<Result<Row, Exit>> {
    let name = subject.name();
    if let Origin::File(path) = &subject.origin {
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    let read = subject.read();
    let messages = Messages {
        format: Format::Text,
        warnings: false,
    };
    complain(messages, &read.diagnostics, &read.sources);
    let Some(model) = read.model else {
        return Ok(Err(Exit::Usage));
    };
    let property = match &config.property {
        Some(property) => property.clone(),
        None => usual(&model).to_owned(),
    };
    let measurement = Measurement {
        passed: config.passed,
        repeat: config.repeat,
        options: config.options.clone(),
    };
    let begins = |which: Which| announce(config, &format!("{name}: {} search", which.word()));
    let monitors =
        |_: Role| -> Box<dyn Monitor> { Box::new(Watch::new(interrupt, config.progress)) };
    let measured = goal(&model, &property)
        .and_then(|goal| measure(&model, &goal, &measurement, begins, &monitors));
    announce(config, "");
    let Measured {
        pair,
        verdict,
        notes,
    } = match measured {
        Ok(measured) => measured,
        Err(trouble) => return refuse(&name, &property, trouble).map(Err),
    };
    let spin = if config.spin {
        announce(config, &format!("{name}: SPIN"));
        Some(
            spin::measure(subject, &property, config.passed, config.repeat)
                .with_context(|| name.clone())?,
        )
    } else {
        None
    };
    announce(config, "");
    let paper = match &subject.origin {
        Origin::BuiltIn(built_in) => built_in.paper,
        Origin::File(_) => None,
    };
    Ok(Ok(Row {
        model: name,
        parameters: subject.parameters(),
        property,
        verdict,
        note: notes.into_iter().next(),
        ours: pair,
        spin,
        paper,
    }))
}

fn refuse(name: &str, property: &str, trouble: Trouble) -> anyhow::Result<Exit> {
    match trouble {
        Trouble::NoProperty(names) if names.is_empty() => {
            bail!("{name} states no property {property}; only safety can be measured")
        }
        Trouble::NoProperty(names) => bail!(
            "{name} states no property {property}; it has: {}",
            names.join(", ")
        ),
        Trouble::Refused(refusal) => Err(refusal.into()),
        Trouble::Unsupported(what) => bail!("{name}, {property}: {what} is not supported"),
        Trouble::Contradiction { full, reduced } => {
            let word = |w: Word| {
                if w == Word::Holds {
                    "holds"
                } else {
                    "is violated"
                }
            };
            say(&format!(
                "error: {name}: {property} {} in the full search and {} in the reduced one\n{}\n",
                word(full),
                word(reduced),
                super::check::BUG
            ));
            Ok(Exit::Internal)
        }
    }
}

/// Says what is being done, in one line that is written over by the next.
fn announce(config: &Bench, what: &str) {
    if config.progress {
        status(what);
    }
}

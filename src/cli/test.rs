//! `ample test`: checks what the models of a folder say about themselves.

use super::monitor::Interrupt;
use super::output::{obeys, status};
use super::{Exit, print, say};
use crate::config::{SuiteFormat, SuiteTest};
use crate::suite::report;
use crate::suite::run::{Suite, models};
use crate::suite::{Outcome, Tally, Tested};
use anyhow::{Context, bail};
use std::time::Instant;

pub(super) fn run(config: &SuiteTest) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::install();
    let start = Instant::now();
    let paths = models(&config.paths).context("cannot look for models")?;
    if paths.is_empty() {
        bail!("no models (.pml, .prom, .promela) are there");
    }
    let suite = Suite {
        program: std::env::current_exe().context("cannot find the program itself")?,
        options: config.options.clone(),
        jobs: config.jobs,
    };
    let text = config.format == SuiteFormat::Text;
    let shown = obeys();
    let tell = |tested: &Tested, done: usize| {
        let quiet = matches!(tested.outcome, Outcome::Passed(_) | Outcome::Skipped);
        if text && (config.verbose || !quiet) {
            if shown {
                status("");
            }
            // If nothing can be written, the summary cannot either, and that is reported.
            let _ = print(&report::model(tested));
        }
        if shown {
            status(&format!("{done} of {} models", paths.len()));
        }
    };
    let tested = suite.run(&paths, &|| interrupt.is_set(), &tell);
    if shown {
        status("");
    }
    let (time, left) = (start.elapsed(), paths.len() - tested.len());
    let tally = Tally::of(&tested);
    match config.format {
        SuiteFormat::Text => print(&report::summary(&tally, left, time))?,
        SuiteFormat::Json => print(&report::json(&tested, left, time))?,
        SuiteFormat::Junit => print(&report::junit(&tested, time))?,
    }
    if tally.passed + tally.failed + tally.inconclusive == 0 && left == 0 {
        say("error: none of the models says what is expected of it; see ample test --help\n");
        return Ok(Exit::Usage);
    }
    Ok(match tally {
        Tally { failed: 1.., .. } => Exit::Violated,
        _ if left > 0 || tally.inconclusive > 0 => Exit::Inconclusive,
        _ => Exit::Holds,
    })
}

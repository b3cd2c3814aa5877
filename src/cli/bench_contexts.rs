//! `ample bench --contexts`: the tables of the paper on lazy splitting, for our models.
//!
//! The rows are those of [`ample_pushdown::models::tables`]; the time is that of the processor. In text a row is printed when it is
//! measured. Exit codes: 0 if everything was measured, 3 if a row was stopped, 4 if a run could not be executed.

use super::monitor::Interrupt;
use super::{Exit, print, say};
use crate::config::BenchContexts;
use ample_pushdown::models::tables::{Case, Measured, cases};
use ample_pushdown::symbolic::contexts::{Outcome, Statistics};
use ample_pushdown::symbolic::space::Error;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const TITLES: [&str; 3] = [
    "Table 1: a growable vector, within 3 contexts",
    "Table 2: Bluetooth drivers (adders+stoppers)",
    "Table 3: a binary search tree (inserters+searchers)",
];

pub(super) fn run(config: &BenchContexts) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::install();
    let mut rows = Vec::new();
    let (mut table, mut exit) = (0, Exit::Holds);
    for case in cases() {
        if interrupt.is_set() {
            exit = Exit::Inconclusive;
            break;
        }
        let begun = Instant::now();
        let stop = || {
            let late = config.time.is_some_and(|limit| begun.elapsed() >= limit);
            late || interrupt.is_set()
        };
        // The best time of several; the other figures are the same each time.
        let runs = (0..config.repeat).map(|_| {
            let from = used(begun);
            let measured = case.measure(config.nodes, &stop);
            let measured = measured.unwrap_or_else(|reason| Measured {
                outcome: Outcome::Stopped {
                    contexts: 0,
                    reason,
                },
                figures: Statistics::default(),
            });
            (used(begun).saturating_sub(from), measured)
        });
        let Some((time, measured)) = runs.min_by_key(|(time, _)| *time) else {
            continue;
        };
        match &measured.outcome {
            Outcome::Stopped {
                reason: error @ (Error::Unconfirmed(_) | Error::Network(_)),
                ..
            } => {
                say(&format!(
                    "error: {}: {error}\n{}\n",
                    case.subject,
                    super::check::BUG
                ));
                return Ok(Exit::Internal);
            }
            Outcome::Stopped { .. } => exit = Exit::Inconclusive,
            _ => {}
        }
        if config.json {
            rows.push(document(&case, time, &measured));
        } else {
            if case.subject.table() != table {
                table = case.subject.table();
                print(&header(table))?;
            }
            print(&line(&case, time, &measured))?;
        }
    }
    if config.json {
        let report = json!({
            "schema_version": 1,
            "version": env!("CARGO_PKG_VERSION"),
            "repeat": config.repeat,
            "rows": rows,
        });
        print(&format!("{report:#}\n"))?;
    }
    Ok(exit)
}

/// The time for which this thread has had a processor, where the system tells it; else the time since `begun`. All work on a row
/// is done by this thread.
fn used(begun: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

fn header(table: u32) -> String {
    let before = if table > 1 { "\n" } else { "" };
    let title = TITLES[table as usize - 1];
    format!(
        "{before}{title}\n{:<30} {:>8} {:<6} {:>10} {:>9} {:>6}  {:<22} {:>9} {:>6}\n",
        "program", "contexts", "split", "time", "nodes", "tuples", "", "paper", "tuples"
    )
}

fn line(case: &Case, time: Duration, measured: &Measured) -> String {
    let paper = case.paper.map_or((String::new(), String::new()), |paper| {
        let time = paper
            .seconds
            .map_or("over 3 h".to_owned(), |s| format!("{s:.1} s"));
        (time, paper.tuples.map_or(String::new(), |n| n.to_string()))
    });
    let row = format!(
        "{:<30} {:>8} {:<6} {:>7.1} ms {:>9} {:>6}  {:<22} {:>9} {:>6}",
        case.subject.to_string(),
        case.contexts,
        case.splitting.to_string(),
        time.as_secs_f64() * 1000.0,
        measured.figures.nodes,
        measured.figures.expanded,
        said(&measured.outcome),
        paper.0,
        paper.1
    );
    format!("{}\n", row.trim_end())
}

fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Violated { contexts, .. } => format!("violated with {contexts}"),
        Outcome::Holds { contexts } | Outcome::Bounded { contexts } => {
            format!("none within {contexts}")
        }
        Outcome::Stopped { contexts, reason } => format!("after {contexts}: {reason}"),
    }
}

fn document(case: &Case, time: Duration, measured: &Measured) -> Value {
    let (verdict, contexts) = match &measured.outcome {
        Outcome::Violated { contexts, .. } => ("violated", contexts),
        Outcome::Holds { contexts } | Outcome::Bounded { contexts } => ("none", contexts),
        Outcome::Stopped { contexts, .. } => ("stopped", contexts),
    };
    json!({
        "table": case.subject.table(),
        "program": case.subject.to_string(),
        "contexts": case.contexts,
        "splitting": case.splitting.to_string(),
        "verdict": verdict,
        "explored": contexts,
        "seconds": time.as_secs_f64(),
        "bdd_nodes": measured.figures.nodes,
        "view_tuples": measured.figures.expanded,
        "kept": measured.figures.kept,
        "computed": measured.figures.posts,
        "paper": case.paper.map(|paper| json!({
            "seconds": paper.seconds,
            "view_tuples": paper.tuples,
        })),
    })
}

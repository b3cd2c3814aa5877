//! The figures as a table: text, Markdown, CSV and JSON.
//!
//! All forms but JSON go through one grid of cells. Where a search was stopped its figures are lower bounds, and are marked
//! as such; a ratio to something unknown is left out.

use super::{Figures, Pair, Report, Row};
use crate::report::SCHEMA_VERSION;
use crate::report::json::document;
use crate::report::text::{bytes, grouped, seconds};
use crate::verdict::Word;
use serde_json::json;
use std::fmt::Write;

/// Which table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The paper's Figure 8: what the reduction saves.
    Savings,
    /// What it costs where there is nothing to save.
    Overhead,
}

/// The form of a table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Aligned columns.
    Text,
    /// A table of Markdown.
    Markdown,
    /// One object.
    Json,
    /// Plain numbers between commas.
    Csv,
}

/// The table.
pub(crate) fn render(report: &Report, layout: Layout, form: Form) -> String {
    match form {
        Form::Json => json(report),
        Form::Csv => csv(report),
        Form::Text => {
            let mut out = text(&grid(report, layout));
            let _ = write!(out, "\n{}\n{}", report.caption(), notes(report, "\n"));
            out
        }
        Form::Markdown => {
            let mut out = markdown(&grid(report, layout));
            let _ = write!(out, "\n{}\n{}", report.caption(), notes(report, "\n"));
            out
        }
    }
}

/// A heading and lines; the first `words` columns hold words, the others numbers.
struct Grid {
    words: usize,
    head: Vec<String>,
    lines: Vec<Vec<String>>,
}

fn grid(report: &Report, layout: Layout) -> Grid {
    let spin = report.rows.iter().any(|r| r.spin.is_some());
    let paper = layout == Layout::Savings && report.rows.iter().any(|r| r.paper.is_some());
    let mut head = vec!["model", "parameters", "property"];
    if spin {
        head.push("tool");
    }
    let words = head.len();
    head.extend(match layout {
        Layout::Savings => &SAVINGS[..],
        Layout::Overhead => &OVERHEAD[..],
    });
    if paper {
        head.push("paper's ratio of states");
    }
    let mut lines = Vec::new();
    for row in &report.rows {
        let ours = ("ample", Some(&row.ours));
        let theirs = ("SPIN", row.spin.as_ref());
        for (tool, pair) in [ours, theirs] {
            let Some(pair) = pair else { continue };
            let mut line = subject(row);
            if spin {
                line.push(tool.to_owned());
            }
            line.extend(match layout {
                Layout::Savings => savings(pair),
                Layout::Overhead => overhead(pair),
            });
            if paper {
                let printed = row.paper.filter(|_| tool == "ample");
                line.push(printed.map_or(String::new(), |(full, reduced)| {
                    ratio(Some(full as f64 / reduced as f64))
                }));
            }
            lines.push(line);
        }
    }
    let head = head.into_iter().map(str::to_owned).collect();
    Grid { words, head, lines }
}

fn subject(row: &Row) -> Vec<String> {
    let verdict = match row.verdict {
        Word::Holds => "holds",
        Word::Violated => "violated",
        Word::Inconclusive | Word::ProbablyHolds => "unknown",
    };
    vec![
        row.model.clone(),
        row.parameters.clone(),
        format!("{} {verdict}", row.property),
    ]
}

const SAVINGS: [&str; 12] = [
    "full: states",
    "trans.",
    "mem.",
    "time",
    "reduced: states",
    "trans.",
    "mem.",
    "time",
    "ratio: states",
    "trans.",
    "mem.",
    "time",
];

fn savings(pair: &Pair) -> Vec<String> {
    let mut line = Vec::new();
    for figures in [&pair.full, &pair.reduced] {
        line.push(at_least(figures, grouped(figures.states)));
        line.push(at_least(figures, grouped(figures.transitions)));
        line.push(at_least(figures, bytes(figures.memory_bytes)));
        line.push(at_least(figures, seconds(figures.seconds)));
    }
    let full = &pair.full;
    line.extend(QUANTITIES.map(|(_, of)| match pair.ratio(of) {
        None => String::new(),
        known => at_least(full, ratio(known)),
    }));
    line
}

const OVERHEAD: [&str; 8] = [
    "states, full",
    "reduced",
    "time, full",
    "reduced",
    "more",
    "mem., full",
    "reduced",
    "more",
];

fn overhead(pair: &Pair) -> Vec<String> {
    let (full, reduced) = (&pair.full, &pair.reduced);
    let more = |of: Quantity| match pair.ratio(of).filter(|_| full.complete) {
        Some(ratio) => format!("{:+.1} %", 100.0 / ratio - 100.0),
        None => String::new(),
    };
    vec![
        at_least(full, grouped(full.states)),
        at_least(reduced, grouped(reduced.states)),
        at_least(full, seconds(full.seconds)),
        at_least(reduced, seconds(reduced.seconds)),
        more(|f| f.seconds),
        at_least(full, bytes(full.memory_bytes)),
        at_least(reduced, bytes(reduced.memory_bytes)),
        more(|f| f.memory_bytes as f64),
    ]
}

/// What there is a ratio of.
type Quantity = fn(&Figures) -> f64;

const QUANTITIES: [(&str, Quantity); 4] = [
    ("states", |f| f.states as f64),
    ("transitions", |f| f.transitions as f64),
    ("memory", |f| f.memory_bytes as f64),
    ("time", |f| f.seconds),
];

fn at_least(figures: &Figures, text: String) -> String {
    if figures.complete {
        text
    } else {
        format!("> {text}")
    }
}

/// Large ones without decimals.
pub(super) fn ratio(ratio: Option<f64>) -> String {
    match ratio {
        None => String::new(),
        Some(r) if r >= 100.0 => grouped(r.round() as u64),
        Some(r) if r >= 0.1 => format!("{r:.1}"),
        Some(r) => format!("{r:.2}"),
    }
}

fn text(grid: &Grid) -> String {
    let all = || std::iter::once(&grid.head).chain(&grid.lines);
    let width = |column: usize| all().map(|l| l[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..grid.head.len()).map(width).collect();
    let mut out = String::new();
    for line in all() {
        let mut shown = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ = match column < grid.words {
                true => write!(shown, "{cell:<width$}  "),
                false => write!(shown, "{cell:>width$}  "),
            };
        }
        out.push_str(shown.trim_end());
        out.push('\n');
    }
    out
}

fn markdown(grid: &Grid) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = |column: usize| if column < grid.words { "---" } else { "---:" };
    let rules: Vec<String> = (0..grid.head.len()).map(|c| rule(c).to_owned()).collect();
    let mut out = line(&grid.head) + &line(&rules);
    for cells in &grid.lines {
        let mut cells = cells.clone();
        for cell in &mut cells[..grid.words] {
            *cell = cell.replace('|', "\\|");
        }
        cells[0] = format!("`{}`", cells[0]);
        if !cells[1].is_empty() {
            cells[1] = format!("`{}`", cells[1]);
        }
        out.push_str(&line(&cells));
    }
    out
}

/// What else there is to say about rows.
fn notes(report: &Report, before: &str) -> String {
    let mut out = String::new();
    if report.rows.iter().any(|r| r.spin.is_some()) {
        out.push_str("SPIN's memory is that of the states alone; its table and stack are as large as they are made beforehand.\n");
    }
    for row in &report.rows {
        if let Some(note) = &row.note {
            let _ = writeln!(out, "{}: {note}", row.model);
        }
    }
    if out.is_empty() {
        out
    } else {
        format!("{before}{out}")
    }
}

fn csv(report: &Report) -> String {
    let mut out = String::from("model,parameters,property,verdict,tool");
    for which in ["full", "reduced"] {
        let _ = write!(
            out,
            ",{which}_states,{which}_transitions,{which}_memory_bytes,{which}_seconds,{which}_complete"
        );
    }
    for (name, _) in QUANTITIES {
        let _ = write!(out, ",ratio_{name}");
    }
    out.push('\n');
    for row in &report.rows {
        for (tool, pair) in [("ample", Some(&row.ours)), ("spin", row.spin.as_ref())] {
            let Some(pair) = pair else { continue };
            let verdict = json!(row.verdict);
            let verdict = verdict.as_str().unwrap_or_default();
            let words = [&row.model, &row.parameters, &row.property, verdict, tool];
            let mut cells: Vec<String> = words.iter().map(|w| quoted(w)).collect();
            for f in [&pair.full, &pair.reduced] {
                cells.extend([f.states, f.transitions, f.memory_bytes].map(|n| n.to_string()));
                cells.extend([format!("{:.6}", f.seconds), f.complete.to_string()]);
            }
            cells.extend(QUANTITIES.map(|(_, of)| {
                let known = pair.ratio(of).filter(|_| pair.full.complete);
                known.map_or(String::new(), |r| format!("{r:.4}"))
            }));
            let _ = writeln!(out, "{}", cells.join(","));
        }
    }
    out
}

fn quoted(word: &str) -> String {
    if word.contains([',', '"', '\n']) {
        format!("\"{}\"", word.replace('"', "\"\""))
    } else {
        word.to_owned()
    }
}

fn json(report: &Report) -> String {
    let object = json!({
        "schema_version": SCHEMA_VERSION,
        "version": env!("CARGO_PKG_VERSION"),
        "measured": report.caption(),
        "repeat": report.repeat,
        "rows": report.rows,
    });
    document(&object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(grouped(n), text);
        }
        for (r, text) in [
            (0.034, "0.03"),
            (1.04, "1.0"),
            (14.26, "14.3"),
            (2462.7, "2,463"),
        ] {
            assert_eq!(ratio(Some(r)), text);
        }
        assert_eq!(
            (seconds(0.0421), seconds(1.234)),
            ("42.1 ms".to_owned(), "1.23 s".to_owned())
        );
    }

    #[test]
    fn words_with_commas_are_quoted() {
        assert_eq!(quoted("N=2"), "N=2");
        assert_eq!(quoted("A=1,B=\"x\""), "\"A=1,B=\"\"x\"\"\"");
    }
}

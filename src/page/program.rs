//! The page of an exploration of a program: the same one that a model's counterexamples have.
//!
//! The explorer knows who did what and where; there are no values. Source files are read from where the places say they
//! are, as far as they are there.

use super::record::{Lane, Record, Statement, Step};
use super::sources::Text;
use super::{Data, Run, SCRIPT, head, text};
use super::{Heading, markup::json};
use ample_stateless::{Critical, Finding, Report, Verdict};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Reads a source file by the name that a place gives; `None` if it is not there.
pub(crate) type Reader<'r> = &'r dyn Fn(&str) -> Option<Text>;

/// The page.
pub(crate) fn program_html(name: &str, report: &Report, read: Reader<'_>) -> String {
    let (verdict, class) = match report.verdict() {
        Verdict::Holds => ("holds", "holds"),
        Verdict::Violated => ("violated", "violated"),
        Verdict::Inconclusive(_) => ("inconclusive", "inconclusive"),
    };
    let heading = Heading {
        model: name,
        verdict,
        class,
        report: None,
    };
    let mut sources = Sources {
        read,
        texts: Vec::new(),
        numbers: FxHashMap::default(),
    };
    let runs = report
        .findings
        .iter()
        .map(|f| run(f, &mut sources))
        .collect();
    let data = Data {
        sources: sources.texts,
        runs,
        unreached: Vec::new(),
    };
    let mut out = String::new();
    head(&mut out, &heading);
    for (index, finding) in report.findings.iter().enumerate() {
        explanation(&mut out, index, finding);
    }
    if !report.findings.is_empty() {
        out.push_str(include_str!("stage.html"));
    }
    out.push_str(include_str!("source.html"));
    // The last line of the text says what was done; findings stand above.
    let mut numbers = report.clone();
    numbers.findings.clear();
    let numbers = numbers.to_string();
    let _ = writeln!(
        out,
        "<section class=\"statistics\"><h2>Statistics</h2><p>{}</p></section></main>\
         <noscript><p>The run itself is drawn by a script.</p></noscript>\
         <script type=\"application/json\" id=\"data\">{}</script><script>{SCRIPT}</script></body></html>",
        text(numbers.split_once(": ").map_or(&numbers, |(_, rest)| rest)),
        json(&data)
    );
    out
}

fn explanation(out: &mut String, index: usize, finding: &Finding) {
    let _ = write!(
        out,
        "<section class=\"why\" data-run=\"{index}\"><h2>{}: {}</h2><dl>",
        finding.kind.word(),
        text(&finding.message)
    );
    match finding.critical {
        Critical::Step(step) => {
            let _ = write!(
                out,
                "<dt>critical</dt><dd><p>Before step {step} the program could still end well, after it no more.</p></dd>"
            );
        }
        Critical::Always => {
            out.push_str("<dt>critical</dt><dd><p>No order of steps avoids a failure.</p></dd>");
        }
        Critical::Unknown => {}
    }
    let fewest = match finding.is_minimal {
        true => ", and fewer do not lead to it",
        false => "",
    };
    let _ = write!(
        out,
        "<dt>preemptions</dt><dd><p>{}{fewest}.</p></dd><dt>schedule</dt><dd><p><code>{}</code></p></dd></dl></section>",
        finding.preemptions,
        text(&finding.schedule.to_string())
    );
}

/// The source files that places have named.
struct Sources<'r> {
    read: Reader<'r>,
    texts: Vec<Text>,
    numbers: FxHashMap<String, Option<usize>>,
}

impl Sources<'_> {
    /// File and line of a place such as `change, philosophers.c:12` or `src/lib.rs:12:5`.
    fn find(&mut self, place: &str) -> Option<(usize, u32)> {
        let place = place.rsplit(", ").next()?;
        let (before, last) = place.rsplit_once(':')?;
        let last: u32 = last.parse().ok()?;
        let with_column = before.rsplit_once(':').and_then(|(file, line)| {
            let line: u32 = line.parse().ok()?;
            Some((file, line))
        });
        let (file, line) = with_column.unwrap_or((before, last));
        if !self.numbers.contains_key(file) {
            let number = (self.read)(file).map(|text| {
                self.texts.push(text);
                self.texts.len() - 1
            });
            self.numbers.insert(file.to_owned(), number);
        }
        self.numbers[file].map(|number| (number, line))
    }
}

fn run(finding: &Finding, sources: &mut Sources<'_>) -> Run {
    let mut record = Record::default();
    let mut lanes: FxHashMap<&str, usize> = FxHashMap::default();
    let mut sites: FxHashMap<(&str, Option<&str>), usize> = FxHashMap::default();
    for step in &finding.steps {
        let lane = *lanes.entry(&step.thread).or_insert_with(|| {
            record.lanes.push(Lane {
                name: step.thread.clone(),
                from: 0,
                parent: None,
                to: None,
            });
            record.lanes.len() - 1
        });
        let site = *sites
            .entry((&step.operation, step.place.as_deref()))
            .or_insert_with(|| {
                record.sites.push(Statement {
                    text: step.operation.clone(),
                    at: step
                        .place
                        .clone()
                        .unwrap_or_else(|| "an unknown place".to_owned()),
                    via: String::new(),
                });
                record.sites.len() - 1
            });
        let place = step.place.as_deref().and_then(|place| sources.find(place));
        record.steps.push(Step {
            lane,
            site,
            places: place
                .into_iter()
                .map(|(file, line)| (lane, file, line))
                .collect(),
            ..Step::default()
        });
    }
    Run {
        property: finding.kind.word().to_owned(),
        message: finding.message.clone(),
        cycle: None,
        decided: None,
        record,
        automaton: Vec::new(),
    }
}

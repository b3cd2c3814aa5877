//! JUnit's XML, for systems that collect test results: of a suite of models (`ample test`) and of the goals of one (`ample
//! check`).

use super::{Report, RunReport};
use crate::verdict::Word;
use std::fmt::Write;
use std::time::Duration;

/// What became of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should be.
    Passed,
    /// Nothing was expected.
    Skipped,
    /// Not as it should be: in a line or two, and at length.
    Failed(String, String),
    /// Undecided: why.
    Undecided(String),
}

/// A test case.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it belongs to.
    pub class: String,
    /// What it is called.
    pub name: String,
    /// How long it took.
    pub time: Duration,
    /// What became of it.
    pub outcome: Outcome,
}

/// A test suite as a document.
pub fn render(cases: &[Case], time: Duration) -> String {
    let count = |wanted: fn(&Outcome) -> bool| cases.iter().filter(|c| wanted(&c.outcome)).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuite name=\"ample\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
        cases.len(),
        count(|o| matches!(o, Outcome::Failed(..))),
        count(|o| matches!(o, Outcome::Undecided(_))),
        count(|o| matches!(o, Outcome::Skipped)),
        time.as_secs_f64()
    );
    for case in cases {
        let _ = write!(
            text,
            "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            escaped(&case.class),
            escaped(&case.name),
            case.time.as_secs_f64()
        );
        let _ = match &case.outcome {
            Outcome::Passed => writeln!(text, "/>"),
            Outcome::Skipped => writeln!(text, "><skipped/></testcase>"),
            Outcome::Failed(message, more) if more.is_empty() => {
                writeln!(
                    text,
                    "><failure message=\"{}\"/></testcase>",
                    escaped(message)
                )
            }
            Outcome::Failed(message, more) => writeln!(
                text,
                "><failure message=\"{}\">{}</failure></testcase>",
                escaped(message),
                escaped(more)
            ),
            Outcome::Undecided(message) => {
                writeln!(
                    text,
                    "><error message=\"{}\"/></testcase>",
                    escaped(message)
                )
            }
        };
    }
    text.push_str("</testsuite>\n");
    text
}

/// The goals of a check as test cases.
pub fn cases(report: &Report) -> Vec<Case> {
    let case = |run: &RunReport| Case {
        class: report.model.clone(),
        name: run.property.clone(),
        time: Duration::try_from_secs_f64(run.seconds).unwrap_or_default(),
        outcome: match run.verdict {
            Word::Holds | Word::ProbablyHolds => Outcome::Passed,
            Word::Inconclusive => Outcome::Undecided(run.reason.clone()),
            Word::Violated => Outcome::Failed(run.reason.clone(), violations(report, run)),
        },
    };
    report.results.iter().map(case).collect()
}

/// The violations of a goal: each with its place, its explanation and its trail.
fn violations(report: &Report, run: &RunReport) -> String {
    let mut text = String::new();
    for violation in &run.violations {
        super::text::render_violation(&mut text, &report.model, &run.property, violation, false);
        text.push('\n');
    }
    text
}

/// Text inside of an XML attribute or element. Characters that XML has no place for are shown by their number.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_hold_any_text() {
        let hostile = "\u{0}<a b=\"c\">&'\n\u{1b}[31m\u{ffff}ü";
        assert_eq!(
            escaped(hostile),
            "\\u{0}&lt;a b=&quot;c&quot;&gt;&amp;'&#10;\\u{1b}[31m\\u{ffff}ü"
        );
    }
}

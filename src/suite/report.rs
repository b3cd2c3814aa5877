//! The summary of a suite: as text, as JSON, and as JUnit XML for systems that collect test results.

use super::{Outcome, Tally, Tested};
use crate::report::junit;
use serde_json::json;
use std::fmt::Write;
use std::time::Duration;

/// What became of a model, in a word.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed(_) => "passed",
        Outcome::Failed(_) => "FAILED",
        Outcome::Inconclusive(_) => "inconclusive",
        Outcome::Skipped => "skipped",
    }
}

/// What is to be said about it, one line each.
fn lines(outcome: &Outcome) -> &[String] {
    match outcome {
        Outcome::Failed(lines) | Outcome::Inconclusive(lines) => lines,
        Outcome::Passed(_) | Outcome::Skipped => &[],
    }
}

/// One model as text.
pub(crate) fn model(tested: &Tested) -> String {
    let Tested {
        path,
        outcome,
        time,
    } = tested;
    let mut text = format!(
        "{:<12}  {}  {:.2} s\n",
        word(outcome),
        path.display(),
        time.as_secs_f64()
    );
    for line in lines(outcome) {
        let _ = writeln!(text, "    {line}");
    }
    text
}

/// The last line of the text.
pub(crate) fn summary(tally: &Tally, left: usize, time: Duration) -> String {
    let Tally {
        passed,
        failed,
        inconclusive,
        skipped,
    } = tally;
    let mut text = format!("{passed} passed, {failed} failed");
    for (count, what) in [
        (*inconclusive, "inconclusive"),
        (*skipped, "skipped: no `expect:` in the first comment"),
        (left, "not run: interrupted"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    format!("{text}; {:.1} s\n", time.as_secs_f64())
}

/// All models as JSON.
pub(crate) fn json(tested: &[Tested], left: usize, time: Duration) -> String {
    let tally = Tally::of(tested);
    let models = tested.iter().map(|tested| {
        json!({
            "model": tested.path.display().to_string(),
            "outcome": word(&tested.outcome).to_lowercase(),
            "messages": lines(&tested.outcome),
            "seconds": tested.time.as_secs_f64(),
        })
    });
    let document = json!({
        "schema_version": crate::report::SCHEMA_VERSION,
        "passed": tally.passed,
        "failed": tally.failed,
        "inconclusive": tally.inconclusive,
        "skipped": tally.skipped,
        "not_run": left,
        "seconds": time.as_secs_f64(),
        "models": models.collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

/// All models as one test suite in JUnit's format.
pub(crate) fn junit(tested: &[Tested], time: Duration) -> String {
    let case = |tested: &Tested| junit::Case {
        class: "ample".to_owned(),
        name: tested.path.display().to_string(),
        time: tested.time,
        outcome: match &tested.outcome {
            Outcome::Passed(_) => junit::Outcome::Passed,
            Outcome::Skipped => junit::Outcome::Skipped,
            Outcome::Failed(lines) => junit::Outcome::Failed(lines.join("\n"), String::new()),
            Outcome::Inconclusive(lines) => junit::Outcome::Undecided(lines.join("\n")),
        },
    };
    let cases: Vec<junit::Case> = tested.iter().map(case).collect();
    junit::render(&cases, time)
}

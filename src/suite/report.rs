//! The summary of a suite: as text, as JSON, and as JUnit XML for systems that collect test results.

use super::{Outcome, Tally, Tested};
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
    let tally = Tally::of(tested);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuite name=\"ample\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
        tested.len(),
        tally.failed,
        tally.inconclusive,
        tally.skipped,
        time.as_secs_f64()
    );
    for model in tested {
        let path = model.path.display().to_string();
        let _ = write!(
            text,
            "  <testcase classname=\"ample\" name=\"{}\" time=\"{:.3}\"",
            escaped(&path),
            model.time.as_secs_f64()
        );
        let said = escaped(&lines(&model.outcome).join("\n"));
        let _ = match &model.outcome {
            Outcome::Passed(_) => writeln!(text, "/>"),
            Outcome::Skipped => writeln!(text, "><skipped/></testcase>"),
            Outcome::Failed(_) => {
                writeln!(text, "><failure message=\"{said}\"/></testcase>")
            }
            Outcome::Inconclusive(_) => {
                writeln!(text, "><error message=\"{said}\"/></testcase>")
            }
        };
    }
    text.push_str("</testsuite>\n");
    text
}

/// Text inside of an XML attribute. Characters that XML has no place for are shown by their number.
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

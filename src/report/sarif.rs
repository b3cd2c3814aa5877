//! The report in SARIF 2.1.0 (Static Analysis Results Interchange Format, OASIS), which editors and code hosts read.
//!
//! A violation is a result with level `error` at the statement where it happens; its run is a code flow. Goals that hold and
//! goals that are undecided are results of kind `pass` and `open`, so that nothing that was checked goes unsaid.

use super::{Report, RunReport, ViolationReport};
use crate::trace::{Actor, Told};
use crate::verdict::Word;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Steps of a run that are told: the first ones and the last ones.
const STEPS: usize = 1_000;

/// The kinds of violations: identifier, name, and what is wrong.
const RULES: &[(&str, &str, &str)] = &[
    ("assertion", "Assertion", "An assertion fails."),
    (
        "end-state",
        "InvalidEndState",
        "Nothing can happen any more, and some process is not at a valid end.",
    ),
    (
        "acceptance-cycle",
        "AcceptanceCycle",
        "A run violates a property, or passes an accept label for ever.",
    ),
    (
        "non-progress-cycle",
        "NonProgressCycle",
        "A run goes on for ever without passing a progress label.",
    ),
    (
        "model-error",
        "ModelError",
        "The model does something that has no meaning.",
    ),
    (
        "claim",
        "Trace",
        "A trace automaton or a claim is violated.",
    ),
    ("goal", "Goal", "What was checked, without a violation."),
];

/// The report as a SARIF log.
pub fn render(report: &Report, exit_code: u8) -> Value {
    let rules = RULES.iter().map(
        |(id, name, text)| json!({ "id": id, "name": name, "shortDescription": { "text": text } }),
    );
    let results: Vec<Value> = report
        .results
        .iter()
        .flat_map(|run| goal(report, run))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ample",
                "version": report.version,
                "informationUri": "https://docs.rs/ample-mc",
                "rules": rules.collect::<Vec<_>>(),
            }},
            "invocations": [{ "executionSuccessful": true, "exitCode": exit_code }],
            "columnKind": "unicodeCodePoints",
            "properties": { "model": report.model, "modelDigest": report.model_digest },
            "results": results,
        }],
    })
}

/// The results for a goal: its violations, or one result that says that there is none.
fn goal(report: &Report, run: &RunReport) -> Vec<Value> {
    if !run.violations.is_empty() {
        let violations = run.violations.iter();
        return violations.map(|v| violation(report, run, v)).collect();
    }
    let kind = match run.verdict {
        Word::Holds => "pass",
        Word::ProbablyHolds | Word::Inconclusive => "open",
        Word::Violated => "review",
    };
    let text = format!("{}: {}: {}", run.property, run.verdict, run.reason);
    vec![json!({
        "ruleId": "goal",
        "ruleIndex": RULES.len() - 1,
        "kind": kind,
        "level": "none",
        "message": { "text": text },
        "locations": [location(&report.model, 0, 0, None)],
        "properties": properties(run),
    })]
}

fn properties(run: &RunReport) -> Value {
    json!({ "goal": run.property, "reason": run.reason, "reasonCode": run.reason_code, "states": run.states })
}

fn violation(report: &Report, run: &RunReport, violation: &ViolationReport) -> Value {
    let kind = serde_json::to_value(violation.kind).unwrap_or_default();
    let rule = RULES.iter().position(|(id, ..)| kind == *id).unwrap_or(0);
    let file = match violation.file.as_str() {
        "" => &report.model,
        file => file,
    };
    let mut text = format!("{}: {}", run.property, violation.message);
    if let Some(explanation) = &violation.explanation {
        let _ = write!(text, "; required: {}", explanation.required.text);
    }
    let mut properties = properties(run);
    if let Value::Object(properties) = &mut properties {
        properties.insert("steps".to_owned(), json!(violation.trail.len()));
        let more = [
            ("loopStart", violation.loop_start.map(|n| json!(n))),
            ("trailFile", violation.trail_file.as_ref().map(|f| json!(f))),
            (
                "initial",
                violation.explanation.as_ref().map(|e| json!(e.initial)),
            ),
        ];
        for (name, value) in more {
            properties.extend(value.map(|value| (name.to_owned(), value)));
        }
    }
    json!({
        "ruleId": kind,
        "ruleIndex": rule,
        "kind": "fail",
        "level": "error",
        "message": { "text": text },
        "locations": [location(file, violation.line, violation.column, None)],
        "codeFlows": [{ "threadFlows": [{ "locations": steps(&violation.trail, violation.loop_start) }] }],
        "partialFingerprints": { "ample/v1": fingerprint(run, violation) },
        "properties": properties,
    })
}

/// The steps of a run; of a long one the beginning and the end, with a word about the rest.
fn steps(trail: &[Told], cycle: Option<usize>) -> Vec<Value> {
    let left_out = match trail.len() > STEPS {
        true => STEPS / 2..trail.len() - STEPS / 2,
        false => 0..0,
    };
    let mut all = Vec::new();
    for (index, told) in trail.iter().enumerate() {
        if left_out.contains(&index) {
            continue;
        }
        let mut text = actor(&told.actor);
        if let Some(partner) = &told.partner {
            let _ = write!(text, " -> {}", actor(partner));
        }
        if let Some(executed) = &told.executed {
            let _ = write!(text, " ({executed})");
        }
        if cycle == Some(index) {
            text.push_str(" (the cycle begins here)");
        }
        if index == left_out.end && !left_out.is_empty() {
            let _ = write!(text, " (after {} steps that are left out)", left_out.len());
        }
        let values = told.values.iter();
        let state = values.map(|v| (v.name.clone(), json!({ "text": v.value })));
        let site = &told.actor.site;
        all.push(json!({
            "location": location(&site.file, site.line, site.column, Some(&text)),
            "executionOrder": told.step,
            "state": state.collect::<serde_json::Map<_, _>>(),
        }));
    }
    if all.is_empty() {
        // A thread flow has at least one location.
        let text = "in the initial state";
        all.push(json!({ "location": { "message": { "text": text } }, "executionOrder": 0 }));
    }
    all
}

fn actor(actor: &Actor) -> String {
    let site = &actor.site;
    format!("{}({}): {}", site.proctype, actor.pid, site.statement)
}

/// A place; without a region where there is no line to name.
fn location(file: &str, line: u32, column: u32, message: Option<&str>) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if line > 0 {
        physical["region"] = json!({ "startLine": line, "startColumn": column.max(1) });
    }
    let mut location = json!({ "physicalLocation": physical });
    if let Some(message) = message {
        location["message"] = json!({ "text": message });
    }
    location
}

/// A path as a URI reference (RFC 3986): what has a meaning in one, or is not ASCII, is written in hexadecimal.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

/// Tells a violation from others, in whatever line it stands.
fn fingerprint(run: &RunReport, violation: &ViolationReport) -> String {
    let last = violation.trail.last().map(|told| &told.actor.site);
    let statement = last.map_or("", |site| site.statement.as_str());
    let parts = [
        run.property.as_str(),
        &violation.message,
        &violation.file,
        statement,
    ];
    let digest = Sha256::digest(parts.join("\0"));
    let bytes = digest.iter().take(16);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        for (path, expected) in [
            ("dir/m.pml", "dir/m.pml"),
            ("/a b/ü.pml", "file:///a%20b/%C3%BC.pml"),
            ("a:b?c#\"<", "a%3Ab%3Fc%23%22%3C"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}

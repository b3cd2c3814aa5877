//! A report as JSON; `docs/schema/explore.json` describes it.

use crate::checkpoint;
use crate::report::{Bound, Critical, Finding, Report, Step, Verdict};
use serde_json::{Value, json};
use std::time::Duration;

impl Bound {
    /// One word, as it stands in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Bound::Depth => "depth",
            Bound::Preemptions => "preemptions",
            Bound::Switches => "switches",
            Bound::Time => "time",
            Bound::Executions => "executions",
            Bound::Random => "random",
            Bound::Findings => "findings",
            Bound::Interrupted => "interrupted",
            Bound::Crash => "crash",
            Bound::Livelock => "livelock",
            Bound::Guards => "guards",
        }
    }
}

impl Report {
    /// The report that [`Report::to_json`] wrote; `None` if that is none.
    pub fn from_json(text: &str) -> Option<Report> {
        let document: Value = serde_json::from_str(text).ok()?;
        let findings = document["findings"].as_array()?.iter();
        let number = |name: &str| document[name].as_u64();
        Some(Report {
            executions: number("executions")?,
            blocked: number("blocked")?,
            cut: number("cut")?,
            transitions: number("transitions")?,
            longest: number("longest")?.try_into().ok()?,
            complete: document["complete"].as_bool()?,
            bounds: checkpoint::to_bounds(&document["bounds"])?,
            findings: findings
                .map(checkpoint::to_finding)
                .collect::<Option<_>>()?,
            time: Duration::try_from_secs_f64(document["seconds"].as_f64()?).ok()?,
            workers: number("workers")?.try_into().ok()?,
            unsaved: None,
        })
    }

    /// The report as JSON, on several lines.
    pub fn to_json(&self) -> String {
        let (verdict, because) = match self.verdict() {
            Verdict::Holds => ("holds", None),
            Verdict::Violated => ("violated", None),
            Verdict::Inconclusive(bound) => ("inconclusive", Some(bound.word())),
        };
        let bounds: Vec<&str> = self.bounds.iter().map(|bound| bound.word()).collect();
        let findings: Vec<Value> = self.findings.iter().map(finding).collect();
        let document = json!({
            "schema_version": 1,
            "verdict": verdict,
            "because": because,
            "complete": self.complete,
            "bounds": bounds,
            "executions": self.executions,
            "blocked": self.blocked,
            "cut": self.cut,
            "transitions": self.transitions,
            "longest": self.longest,
            "seconds": self.time.as_secs_f64(),
            "workers": self.workers,
            "findings": findings,
        });
        format!("{document:#}")
    }
}

pub(crate) fn finding(finding: &Finding) -> Value {
    let steps: Vec<Value> = finding.steps.iter().map(step).collect();
    let (critical, is_avoidable) = match finding.critical {
        Critical::Step(step) => (Some(step), Some(true)),
        Critical::Always => (None, Some(false)),
        Critical::Unknown => (None, None),
    };
    json!({
        "kind": finding.kind.word(),
        "message": finding.message,
        "schedule": finding.schedule.to_string(),
        "preemptions": finding.preemptions,
        "preemptions_minimal": finding.is_minimal,
        "critical_step": critical,
        "avoidable": is_avoidable,
        "steps": steps,
    })
}

fn step(step: &Step) -> Value {
    json!({
        "thread": step.thread,
        "operation": step.operation,
        "place": step.place,
    })
}

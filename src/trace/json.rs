//! Trails as JSON.
//!
//! ```json
//! { "format": "ample-trail", "version": 1, "model": "m.pml", "model_digest": "sha256:…",
//!   "property": "safety", "kind": "assertion", "message": "assertion violated", "cycle": null,
//!   "choices": [ { "pid": 0, "edge": 3 }, { "pid": 1, "edge": 0, "partner": { "pid": 2, "edge": 5 } } ] }
//! ```
//! A model with recursive procedures has a `call_depth` beside its digest: the edges are those of the program with calls
//! expanded to that depth; `lossy_sends` and `ignore_assertions` say that the model meant something else than usual. Edges are
//! numbered within the graph of the process' proctype, in the plain program.

use super::Trail;
use crate::check::Variant;
use crate::machine::{Move, Pid};
use crate::verdict::ViolationKind;
use promela_lite::program::EdgeId;
use serde::{Deserialize, Serialize};
use std::fmt;

const FORMAT: &str = "ample-trail";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    model: String,
    model_digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call_depth: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lossy_sends: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ignore_assertions: bool,
    property: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    kind: ViolationKind,
    message: String,
    cycle: Option<usize>,
    choices: Vec<Choice>,
}

#[derive(Serialize, Deserialize)]
struct Choice {
    pid: u16,
    edge: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partner: Option<Partner>,
}

#[derive(Serialize, Deserialize)]
struct Partner {
    pid: u16,
    edge: u32,
}

/// Why a file is no trail of ours.
#[derive(Debug)]
pub enum ReadError {
    /// It is not JSON of the right shape.
    Json(serde_json::Error),
    /// Its cycle starts behind its last step.
    Cycle {
        /// Steps before it.
        start: usize,
        /// All steps.
        steps: usize,
    },
    /// It is something else, or of another version.
    Format(String, u32),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Cycle { start, steps } => write!(
                f,
                "not a trail: a cycle behind {start} steps, but there are {steps}"
            ),
            ReadError::Json(error) => write!(f, "not a trail: {error}"),
            ReadError::Format(format, version) => {
                write!(f, "not a trail: format {format:?}, version {version}")
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// The text of a trail file.
pub fn to_json(trail: &Trail) -> String {
    let choice = |mv: &Move| Choice {
        pid: mv.pid.0,
        edge: mv.edge.0,
        partner: mv.partner.map(|(pid, edge)| Partner {
            pid: pid.0,
            edge: edge.0,
        }),
    };
    let file = File {
        format: FORMAT.to_owned(),
        version: VERSION,
        model: trail.model.clone(),
        model_digest: trail.digest.clone(),
        call_depth: trail.call_depth,
        lossy_sends: trail.variant.lossy_sends,
        ignore_assertions: trail.variant.ignore_assertions,
        property: trail.property.clone(),
        formula: trail.formula.clone(),
        kind: trail.kind,
        message: trail.message.clone(),
        cycle: trail.cycle,
        choices: trail.choices.iter().map(choice).collect(),
    };
    serde_json::to_string(&file).unwrap_or_default()
}

/// Reads what [`to_json`] wrote.
pub fn from_json(text: &str) -> Result<Trail, ReadError> {
    let file: File = serde_json::from_str(text).map_err(ReadError::Json)?;
    if file.format != FORMAT || file.version != VERSION {
        return Err(ReadError::Format(file.format, file.version));
    }
    let steps = file.choices.len();
    if let Some(start) = file.cycle.filter(|&start| start > steps) {
        return Err(ReadError::Cycle { start, steps });
    }
    let choice = |c: Choice| Move {
        pid: Pid(c.pid),
        edge: EdgeId(c.edge),
        partner: c.partner.map(|p| (Pid(p.pid), EdgeId(p.edge))),
    };
    Ok(Trail {
        model: file.model,
        digest: file.model_digest,
        call_depth: file.call_depth,
        variant: Variant {
            lossy_sends: file.lossy_sends,
            ignore_assertions: file.ignore_assertions,
        },
        property: file.property,
        formula: file.formula,
        kind: file.kind,
        message: file.message,
        choices: file.choices.into_iter().map(choice).collect(),
        cycle: file.cycle,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moves() -> impl Strategy<Value = Move> {
        let one = || (any::<u16>(), any::<u32>()).prop_map(|(p, e)| (Pid(p), EdgeId(e)));
        (one(), prop::option::of(one())).prop_map(|((pid, edge), partner)| Move {
            pid,
            edge,
            partner,
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            choices in prop::collection::vec(moves(), 0..20),
            cycle in prop::option::of(0usize..20),
            model: String,
            formula: Option<String>,
        ) {
            let trail = Trail {
                digest: super::super::digest(model.as_bytes()),
                call_depth: cycle.map(|depth| depth as u32),
                variant: Variant {
                    lossy_sends: choices.len() % 2 == 1,
                    ignore_assertions: choices.len() % 3 == 1,
                },
                property: "safety".to_owned(),
                formula,
                kind: ViolationKind::EndState,
                message: "invalid end state".to_owned(),
                cycle: cycle.map(|start| start.min(choices.len())),
                model, choices,
            };
            prop_assert_eq!(from_json(&to_json(&trail)).unwrap(), trail);
        }
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "{}", "1:0:0\n2:1:3\n"] {
            assert!(matches!(from_json(text), Err(ReadError::Json(_))), "{text}");
        }
        let trail = Trail {
            model: "m".to_owned(),
            digest: String::new(),
            call_depth: None,
            variant: Variant::default(),
            property: String::new(),
            formula: None,
            kind: ViolationKind::Assertion,
            message: String::new(),
            choices: Vec::new(),
            cycle: None,
        };
        let newer = to_json(&trail).replace("\"version\":1", "\"version\":2");
        assert!(matches!(from_json(&newer), Err(ReadError::Format(_, 2))));
    }
}

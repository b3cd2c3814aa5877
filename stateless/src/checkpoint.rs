//! A long exploration in several sittings: what is left to explore, written to a file from time to time.
//!
//! A stateless search has little to write. The file holds the steps along which the current execution shares its
//! beginning with the next one, the wakeup tree and the sleep set of every state along them, the counters and the
//! findings, and what the system wants to remember ([`System::remember`](crate::System::remember)). It is written
//! between two executions, under another name and then renamed, so that whoever is killed leaves the last complete one
//! behind. The beginning has a checksum, and says to which exploration the file belongs: with another program or
//! other options it is refused.
//!
//! An exploration that goes on from there makes the executions that the first one would have made.

use crate::operation::{Access, Kind, Object, Operation};
use crate::report::{Bound, Critical, Finding, FindingKind, Report, Step};
use crate::search::optimal::Saved;
use crate::search::wakeup::Branch;
use crate::search::{Asleep, optimal};
use crate::system::Thread;
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where to write, how often, and what was read.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    path: PathBuf,
    interval: Duration,
    /// What is explored and how.
    identity: String,
    pub(crate) saved: Option<Sitting>,
}

/// What a sitting leaves to the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sitting {
    pub(crate) steps: Vec<(Thread, u32)>,
    pub(crate) states: Vec<Saved>,
    pub(crate) report: Report,
    pub(crate) memory: Vec<u64>,
}

/// Why an exploration cannot go on from a file.
#[derive(Debug)]
pub enum BadCheckpoint {
    /// It cannot be read.
    Unreadable(std::io::Error),
    /// It is no checkpoint, or a damaged one.
    Damaged,
    /// It belongs to another exploration: this is its description, and that of the current one.
    Other(String, String),
}

impl fmt::Display for BadCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCheckpoint::Unreadable(error) => error.fmt(f),
            BadCheckpoint::Damaged => f.write_str("this is no checkpoint, or it is damaged"),
            BadCheckpoint::Other(theirs, ours) => write!(
                f,
                "the checkpoint is of another exploration ({theirs}), and not of this one ({ours})"
            ),
        }
    }
}

impl std::error::Error for BadCheckpoint {}

const MAGIC: &str = "ample checkpoint 1";

impl Checkpoint {
    /// Writes to this file at these intervals. The identity says what is explored, and how.
    pub fn new(path: impl Into<PathBuf>, interval: Duration, identity: impl Into<String>) -> Self {
        Checkpoint {
            path: path.into(),
            interval,
            identity: identity.into(),
            saved: None,
        }
    }

    /// Goes on from what the file has.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or belongs to another exploration.
    pub fn resume(mut self) -> Result<Self, BadCheckpoint> {
        let text = std::fs::read_to_string(&self.path).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => BadCheckpoint::Damaged,
            _ => BadCheckpoint::Unreadable(error),
        })?;
        let (head, body) = text.split_once('\n').ok_or(BadCheckpoint::Damaged)?;
        if head != format!("{MAGIC} {:016x}", checksum(body.as_bytes())) {
            return Err(BadCheckpoint::Damaged);
        }
        let document: Value = serde_json::from_str(body).map_err(|_| BadCheckpoint::Damaged)?;
        let theirs = document["identity"]
            .as_str()
            .ok_or(BadCheckpoint::Damaged)?;
        if theirs != self.identity {
            return Err(BadCheckpoint::Other(theirs.to_owned(), self.identity));
        }
        self.saved = Some(sitting(&document).ok_or(BadCheckpoint::Damaged)?);
        Ok(self)
    }

    /// The same for an exploration that begins from the beginning: what was read is forgotten.
    pub fn begin_again(&mut self) {
        self.saved = None;
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// Writes what is left.
    pub(crate) fn write(&self, sitting: &Sitting) -> std::io::Result<()> {
        let report = &sitting.report;
        let steps: Vec<Value> = sitting.steps.iter().map(|(t, c)| json!([t.0, c])).collect();
        let states: Vec<Value> = sitting.states.iter().map(from_state).collect();
        let findings: Vec<Value> = report.findings.iter().map(crate::json::finding).collect();
        let bounds: Vec<&str> = report.bounds.iter().map(|b| b.word()).collect();
        let document = json!({
            "identity": self.identity,
            "steps": steps,
            "states": states,
            "memory": sitting.memory,
            "executions": report.executions,
            "blocked": report.blocked,
            "cut": report.cut,
            "transitions": report.transitions,
            "longest": report.longest,
            "nanoseconds": report.time.as_nanos() as u64,
            "bounds": bounds,
            "findings": findings,
        });
        let body = document.to_string();
        let text = format!("{MAGIC} {:016x}\n{body}", checksum(body.as_bytes()));
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        {
            use std::io::Write;
            let mut file = std::fs::File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
        }
        std::fs::rename(&beside, &self.path)
    }

    /// Nothing is left.
    pub(crate) fn remove(&self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn from_state(state: &Saved) -> Value {
    let sleep: Vec<Value> = state.sleep.iter().map(from_asleep).collect();
    let tree: Vec<Value> = state.tree.iter().map(from_branch).collect();
    json!([state.inherited, sleep, tree])
}

fn from_asleep(asleep: &Asleep) -> Value {
    json!([
        asleep.thread.0,
        asleep.choice,
        from_operation(&asleep.operation)
    ])
}

fn from_branch(branch: &Branch) -> Value {
    let children: Vec<Value> = branch.children.iter().map(from_branch).collect();
    let operation = from_operation(&branch.operation);
    json!([
        branch.thread.0,
        branch.choice,
        operation,
        children,
        branch.is_awake
    ])
}

fn from_operation(operation: &Operation) -> Value {
    let access = |a: &Access| {
        let (kind, argument) = a.kind.code();
        json!([a.object.0, kind, argument, a.before, a.after])
    };
    let accesses: Vec<Value> = operation.accesses.iter().map(access).collect();
    json!([operation.alternatives, accesses])
}

fn number32(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|n| n.try_into().ok())
}

fn list<T>(value: &Value, of: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(of).collect()
}

fn sitting(document: &Value) -> Option<Sitting> {
    let steps = list(&document["steps"], to_step)?;
    let states = list(&document["states"], to_state)?;
    // The last state is the one from which the next execution departs.
    if states.len() != steps.len() + 1 {
        return None;
    }
    let report = Report {
        executions: document["executions"].as_u64()?,
        blocked: document["blocked"].as_u64()?,
        cut: document["cut"].as_u64()?,
        transitions: document["transitions"].as_u64()?,
        longest: document["longest"].as_u64()?.try_into().ok()?,
        time: Duration::from_nanos(document["nanoseconds"].as_u64()?),
        bounds: to_bounds(&document["bounds"])?,
        findings: list(&document["findings"], to_finding)?,
        ..Report::default()
    };
    Some(Sitting {
        steps,
        states,
        report,
        memory: list(&document["memory"], Value::as_u64)?,
    })
}

pub(crate) fn to_bounds(value: &Value) -> Option<Vec<Bound>> {
    list(value, |value| {
        Bound::ALL.iter().copied().find(|b| value == b.word())
    })
}

fn to_step(value: &Value) -> Option<(Thread, u32)> {
    Some((Thread(number32(&value[0])?), number32(&value[1])?))
}

fn to_state(value: &Value) -> Option<Saved> {
    Some(optimal::Saved {
        inherited: value[0].as_u64()?.try_into().ok()?,
        sleep: list(&value[1], to_asleep)?,
        tree: list(&value[2], to_branch)?,
    })
}

fn to_asleep(value: &Value) -> Option<Asleep> {
    Some(Asleep {
        thread: Thread(number32(&value[0])?),
        choice: number32(&value[1])?,
        operation: to_operation(&value[2])?,
    })
}

fn to_branch(value: &Value) -> Option<Branch> {
    Some(Branch {
        thread: Thread(number32(&value[0])?),
        choice: match &value[1] {
            Value::Null => None,
            number => Some(number32(number)?),
        },
        operation: to_operation(&value[2])?,
        children: list(&value[3], to_branch)?,
        is_awake: value[4].as_bool()?,
    })
}

fn to_operation(value: &Value) -> Option<Operation> {
    let access = |value: &Value| {
        Some(Access {
            object: Object(number32(&value[0])?),
            kind: Kind::decode(number32(&value[1])?, value[2].as_u64()?)?,
            before: value[3].as_u64()?,
            after: value[4].as_u64()?,
        })
    };
    Some(Operation {
        alternatives: value[0].as_u64()?.try_into().ok()?,
        accesses: list(&value[1], access)?.into_iter().collect(),
    })
}

pub(crate) fn to_finding(value: &Value) -> Option<Finding> {
    let step = |value: &Value| {
        Some(Step {
            thread: value["thread"].as_str()?.to_owned(),
            operation: value["operation"].as_str()?.to_owned(),
            place: value["place"].as_str().map(str::to_owned),
        })
    };
    let kind = |kind: &&FindingKind| value["kind"] == kind.word();
    Some(Finding {
        kind: *FindingKind::ALL.iter().find(kind)?,
        message: value["message"].as_str()?.to_owned(),
        schedule: value["schedule"].as_str()?.parse().ok()?,
        steps: list(&value["steps"], step)?,
        preemptions: number32(&value["preemptions"])?,
        is_minimal: value["preemptions_minimal"].as_bool()?,
        critical: match (&value["critical_step"], &value["avoidable"]) {
            (step, Value::Bool(true)) => Critical::Step(step.as_u64()?.try_into().ok()?),
            (_, Value::Bool(false)) => Critical::Always,
            _ => Critical::Unknown,
        },
    })
}

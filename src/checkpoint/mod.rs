//! Checkpoints: a long search is written to a file now and then, and can go on from there.
//!
//! Between two steps a search is its store with the notes beside states, its stack or queue, what it has found, its figures, and
//! what its space has learnt about the model ([`AmpleSets::findings`](crate::space::AmpleSets::findings)). All of that is written
//! as it is: states keep their numbers, so whatever refers to them stays valid, and one worker goes on exactly as it would have.
//! Several workers meet first ([`team`](crate::search)), each between two steps of its own.
//!
//! [`Checkpoints`] says when one is due, which searches ask where they look at their limits, and makes the file ([`mod@file`]).
//! [`Identity`] is what must be the same when a search goes on: version, model, goal, and every option that decides which states
//! are visited in which order; limits on time, memory and the number of states may be others. [`codec`] is the form of the parts.
//!
//! A checkpoint is as trusted as the program that wrote it: the checksum finds what was damaged or cut off, not what somebody
//! made up together with a new checksum.

mod codec;
mod file;

pub use codec::Persist;
pub(crate) use codec::{misfit, no_memory, persist, save_list};
pub use file::{In, Out};

use crate::limits::{Cancellation, Stop};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How a file of this format begins. The number counts changes of what the parts mean.
const MAGIC: &str = "{\"ample_checkpoint\":1,";
const FORMAT: u32 = 1;

/// What is asked of checkpoints.
#[derive(Clone, Debug)]
pub struct CheckpointOptions {
    /// The file.
    pub path: PathBuf,
    /// The time from one to the next. With none, one is written whenever the limits are looked at, and they are looked at in
    /// every step: for tests.
    pub every: Duration,
    /// For tests: only the one of that number is written, and the flag is raised then.
    pub only: Option<(u64, Arc<AtomicBool>)>,
}

/// What must be the same when a search goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The version of this program.
    pub version: String,
    /// The digest of the model's text.
    pub model: String,
    /// The goal.
    pub goal: String,
    /// What was decided about the search.
    pub options: BTreeMap<String, String>,
    /// The digest of the program and the property that the model was compiled to.
    pub program: String,
}

/// The first line of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    ample_checkpoint: u32,
    /// States stored by then.
    states: u64,
    #[serde(flatten)]
    identity: Identity,
}

/// The digest of what can be shown.
pub(crate) fn digest_of(what: &impl fmt::Debug) -> String {
    struct Hash(Sha256);
    impl fmt::Write for Hash {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut hash = Hash(Sha256::new());
    let _ = fmt::write(&mut hash, format_args!("{what:?}"));
    let bytes = hash.0.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Identity {
    /// What another one has that this one has not, in words.
    fn difference(&self, other: &Identity) -> Option<String> {
        let of = |what: &str, own: &str, theirs: &str| {
            (own != theirs).then(|| format!("it was made {what} {theirs}, not {own}"))
        };
        let options = self.options.iter().find_map(|(name, own)| {
            let theirs = other.options.get(name).map_or("none", String::as_str);
            of(&format!("with {name}:"), own, theirs)
        });
        of("by version", &self.version, &other.version)
            .or_else(|| (self.model != other.model).then(|| "it is of another model".to_owned()))
            .or_else(|| of("for the goal", &self.goal, &other.goal))
            .or(options)
            .or_else(|| (self != other).then(|| "its program is another one".to_owned()))
    }
}

/// A checkpoint to go on from.
#[derive(Debug)]
pub struct Resumption {
    path: PathBuf,
    /// States stored by then.
    pub states: u64,
}

impl Resumption {
    /// Looks at a file; says why it is of no use for a search.
    pub(crate) fn look(
        path: &Path,
        identity: impl FnOnce() -> Identity,
    ) -> Result<Resumption, String> {
        let cannot = |why: String| format!("{} cannot be used: {why}", path.display());
        let (header, _) = In::open(path).map_err(|error| cannot(error.to_string()))?;
        match identity().difference(&header.identity) {
            Some(difference) => Err(cannot(difference)),
            None => Ok(Resumption {
                path: path.to_owned(),
                states: header.states,
            }),
        }
    }

    /// Its parts.
    pub(crate) fn open(&self) -> io::Result<In> {
        Ok(In::open(&self.path)?.1)
    }
}

/// Why a search that was to go on from a checkpoint does not.
pub(crate) fn why_not(error: &io::Error) -> Stop {
    match error.kind() {
        io::ErrorKind::OutOfMemory => Stop::OutOfMemory,
        _ => Stop::BadCheckpoint,
    }
}

/// The checkpoints of a search.
#[derive(Debug)]
pub struct Checkpoints {
    options: CheckpointOptions,
    identity: Identity,
    cancellation: Cancellation,
    start: Instant,
    /// Milliseconds from the start to the next one.
    next: AtomicU64,
    due: AtomicBool,
    asked: AtomicU64,
    done: Mutex<Done>,
}

/// What has been written.
#[derive(Debug, Default)]
struct Done {
    written: u64,
    /// States of the last one.
    states: u64,
    error: Option<String>,
}

impl Checkpoints {
    /// Those of a search that is about to begin.
    pub(crate) fn new(
        options: &CheckpointOptions,
        identity: Identity,
        cancellation: &Cancellation,
    ) -> Checkpoints {
        file::clear(&options.path);
        Checkpoints {
            next: AtomicU64::new(options.every.as_millis() as u64),
            options: options.clone(),
            identity,
            cancellation: cancellation.clone(),
            start: Instant::now(),
            due: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            done: Mutex::default(),
        }
    }

    /// Whether limits are to be looked at in every step.
    pub(crate) fn are_dense(&self) -> bool {
        self.options.every.is_zero()
    }

    /// Whether it is time for one. It stays so until one is written.
    pub(crate) fn is_due(&self) -> bool {
        if self.due.load(Ordering::Relaxed) {
            return true;
        }
        let due = match &self.options.only {
            Some((number, _)) => self.asked.fetch_add(1, Ordering::Relaxed) + 1 == *number,
            None => self.start.elapsed().as_millis() as u64 >= self.next.load(Ordering::Relaxed),
        };
        if due {
            self.due.store(true, Ordering::Relaxed);
        }
        due
    }

    /// Begins one. `None` if that cannot be done: the search goes on without it.
    pub(crate) fn begin(&self, states: u64) -> Option<Out> {
        let header = Header {
            ample_checkpoint: FORMAT,
            states,
            identity: self.identity.clone(),
        };
        self.next.store(u64::MAX, Ordering::Relaxed);
        self.due.store(false, Ordering::Relaxed);
        let out = Out::create(&self.options.path, &header, &self.cancellation);
        out.map_err(|error| self.done(Err(error))).ok()
    }

    /// Completes one, if all of it could be written.
    pub(crate) fn end(&self, out: Out, states: u64, written: io::Result<()>) {
        let complete = written.and_then(|()| out.finish(&self.options.path, !self.are_dense()));
        self.done(complete.map(|()| states));
        if let Some((_, flag)) = &self.options.only {
            flag.store(true, Ordering::Relaxed);
        }
    }

    fn done(&self, result: io::Result<u64>) {
        let next = self.start.elapsed() + self.options.every;
        self.next.store(next.as_millis() as u64, Ordering::Relaxed);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(states) => {
                done.written += 1;
                done.states = states;
                done.error = None;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => done.error = Some(error.to_string()),
        }
    }

    /// What there is to say when the search has ended; `stopped` if it can go on.
    pub(crate) fn notes(&self, stopped: bool) -> Vec<String> {
        let path = self.options.path.display();
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let mut notes = Vec::new();
        if let Some(error) = &done.error {
            notes.push(format!(
                "the last checkpoint could not be written to {path}: {error}"
            ));
        }
        if stopped && done.written > 0 {
            notes.push(format!(
                "go on from {} states with --resume {path}",
                done.states
            ));
        } else if stopped {
            notes.push("no checkpoint was due before the end: see --every".to_owned());
        }
        notes
    }
}

/// Why no checkpoint can be written there, if so.
pub(crate) fn unusable(path: &Path) -> Option<String> {
    let why = |error: io::Error| format!("{} cannot be written: {error}", path.display());
    for file in [path.to_owned(), file::part_of(path)] {
        match file::is_ours(&file) {
            Ok(true) => {}
            Ok(false) => return Some(format!("{} is there and is no checkpoint", file.display())),
            Err(error) => return Some(why(error)),
        }
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    tempfile::tempfile_in(folder).err().map(why)
}

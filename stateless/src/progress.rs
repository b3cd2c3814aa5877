//! How far an exploration is: the weighted backtrack estimator (Kilby, Slaney, Thiébaux, Walsh:
//! "Estimating search tree size", AAAI 2006).
//!
//! Each execution stands for the product, along its states, of one over the number of branches that
//! are known there. The sum of these parts says how much of the tree was explored, and executions
//! divided by it estimate how many there are. Branches that are found later make the estimate too
//! low in the beginning.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How far an exploration is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// Executions so far.
    pub executions: u64,
    /// How many there are, as far as can be estimated; infinite for a strategy that has no end.
    pub estimate: f64,
    /// Time so far.
    pub time: Duration,
}

impl Status {
    /// The explored part of all executions, between 0 and 1.
    pub fn part(&self) -> f64 {
        (self.executions as f64 / self.estimate).clamp(0.0, 1.0)
    }
}

/// Somebody who is told how far an exploration is, several times a second.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(&Status) + Send + Sync>);

impl Progress {
    /// Calls this function, from any worker.
    pub fn new(tell: impl Fn(&Status) + Send + Sync + 'static) -> Self {
        Progress(Arc::new(tell))
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

/// Time between two reports.
const PAUSE: Duration = Duration::from_millis(200);

/// Adds up what was explored.
pub(crate) struct Meter {
    progress: Progress,
    begin: Instant,
    executions: AtomicU64,
    /// The explored part, and when it was last told.
    state: Mutex<(f64, Instant)>,
}

impl Meter {
    pub(crate) fn new(progress: Progress, begin: Instant) -> Self {
        Meter {
            progress,
            begin,
            executions: AtomicU64::new(0),
            state: Mutex::new((0.0, begin)),
        }
    }

    /// An execution with this weight has ended.
    pub(crate) fn add(&self, weight: f64) {
        let executions = self.executions.fetch_add(1, Ordering::Relaxed) + 1;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += weight;
        let part = state.0;
        if executions > 1 && state.1.elapsed() < PAUSE {
            return;
        }
        state.1 = Instant::now();
        drop(state);
        (self.progress.0)(&Status {
            executions,
            estimate: (executions as f64 / part).max(executions as f64),
            time: self.begin.elapsed(),
        });
    }
}

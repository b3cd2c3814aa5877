//! When a checkpoint is written: between two executions, at intervals, and when a bound ends the sitting.

use crate::checkpoint::{Checkpoint, Sitting};
use crate::execution::Execution;
use crate::explore::{LOOKS, SHORT};
use crate::report::Report;
use crate::search::{Departure, Strategy};
use crate::system::System;
use std::time::{Duration, Instant};

/// Writes checkpoints.
pub(crate) struct Saving<'o> {
    checkpoint: Option<&'o Checkpoint>,
    /// Time of earlier sittings.
    before: Duration,
    begin: Instant,
    last: Instant,
    count: u64,
}

impl<'o> Saving<'o> {
    pub(crate) fn new(checkpoint: Option<&'o Checkpoint>, before: Duration) -> Self {
        Saving {
            checkpoint,
            before,
            begin: Instant::now(),
            last: Instant::now(),
            count: 0,
        }
    }

    /// Between two executions: writes if it is time, or if it `must`.
    pub(crate) fn look<S: System>(
        &mut self,
        system: &S,
        x: &Execution,
        departure: &Departure,
        strategy: &dyn Strategy<S>,
        report: &mut Report,
        must: bool,
    ) {
        let Some(checkpoint) = self.checkpoint else {
            return;
        };
        self.count += 1;
        let is_short = checkpoint.interval() < SHORT;
        let is_due = (is_short || self.count.is_multiple_of(LOOKS))
            && self.last.elapsed() >= checkpoint.interval();
        if !must && !is_due {
            return;
        }
        let Some(states) = strategy.save().filter(|_| departure.shared <= x.len()) else {
            let what = "only the optimal search by one worker can go on later";
            report.unsaved = Some(what.to_owned());
            return;
        };
        let steps = x.events()[..departure.shared].iter();
        let steps = steps
            .map(|e| (e.thread, e.choice))
            .chain(departure.prefix.iter().copied());
        let mut so_far = report.clone();
        so_far.time = self.before + self.begin.elapsed();
        let sitting = Sitting {
            steps: steps.collect(),
            states,
            report: so_far,
            memory: system.remember(),
        };
        report.unsaved = checkpoint.write(&sitting).err().map(|e| e.to_string());
        self.last = Instant::now();
    }

    /// Nothing is left to explore.
    pub(crate) fn end(&self) {
        if let Some(checkpoint) = self.checkpoint {
            checkpoint.remove();
        }
    }
}

//! A folder of models as a test suite: each model says in its first comment what is true of it, and `ample test` checks that.
//!
//! [`header`] reads what a model says, [`run`] starts `ample check` for it and compares, [`report`] writes the summary. Each
//! check is a process of its own, so that a model that needs too much memory or time takes no other one with it, and what is
//! compared is exactly what a user sees.

pub(crate) mod header;
pub(crate) mod report;
pub(crate) mod run;

use std::path::PathBuf;
use std::time::Duration;

/// What became of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything is as expected; so many expectations.
    Passed(usize),
    /// Something is not: what, one line each.
    Failed(Vec<String>),
    /// A limit was reached before everything was decided.
    Inconclusive(Vec<String>),
    /// The model says nothing about itself.
    Skipped,
}

/// One model of the suite and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    /// The file.
    pub(crate) path: PathBuf,
    /// What became of it.
    pub(crate) outcome: Outcome,
    /// How long it took.
    pub(crate) time: Duration,
}

/// How many models there were of each kind.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// As expected.
    pub(crate) passed: usize,
    /// Not as expected.
    pub(crate) failed: usize,
    /// Undecided within the limits.
    pub(crate) inconclusive: usize,
    /// Without expectations.
    pub(crate) skipped: usize,
}

impl Tally {
    /// Of these models.
    pub(crate) fn of(tested: &[Tested]) -> Tally {
        let mut tally = Tally::default();
        for model in tested {
            *match model.outcome {
                Outcome::Passed(_) => &mut tally.passed,
                Outcome::Failed(_) => &mut tally.failed,
                Outcome::Inconclusive(_) => &mut tally.inconclusive,
                Outcome::Skipped => &mut tally.skipped,
            } += 1;
        }
        tally
    }
}

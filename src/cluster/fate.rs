//! Whether the run goes on: what all threads of a host look at, and where a loss is reported to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
struct Known {
    /// Why the run was given up.
    lost: Option<String>,
    /// Host 0 has ended the run, with that code.
    over: Option<u8>,
    /// Connections between hosts that broke.
    broken: Vec<usize>,
}

/// What becomes of a run.
#[derive(Debug, Default)]
pub(super) struct Fate {
    known: Mutex<Known>,
    changed: Condvar,
    given_up: Arc<AtomicBool>,
}

/// A lock; who panicked with it has left nothing half done.
pub(super) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fate {
    /// What workers look at.
    pub(super) fn given_up(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.given_up)
    }

    /// Gives the run up; says whether that is news.
    pub(super) fn lose(&self, why: &str) -> bool {
        let mut known = lock(&self.known);
        let is_news = known.lost.is_none() && known.over.is_none();
        if is_news {
            known.lost = Some(why.to_owned());
            self.given_up.store(true, Ordering::Relaxed);
            self.changed.notify_all();
        }
        is_news
    }

    /// Why it was given up.
    pub(super) fn lost(&self) -> Option<String> {
        lock(&self.known).lost.clone()
    }

    /// Host 0 has ended it.
    pub(super) fn end(&self, code: u8) {
        lock(&self.known).over.get_or_insert(code);
        self.given_up.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Whether nothing more is to be done.
    pub(super) fn is_over(&self) -> bool {
        let known = lock(&self.known);
        known.lost.is_some() || known.over.is_some()
    }

    /// Waits for the end: the code, or why the run was given up.
    pub(super) fn wait(&self, most: Duration) -> Option<Result<u8, String>> {
        let until = Instant::now() + most;
        let mut known = lock(&self.known);
        loop {
            if let Some(why) = &known.lost {
                return Some(Err(why.clone()));
            }
            if let Some(code) = known.over {
                return Some(Ok(code));
            }
            let left = until.checked_duration_since(Instant::now())?;
            let waited = self.changed.wait_timeout(known, left);
            known = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A connection for states has broken.
    pub(super) fn broke(&self, with: usize) {
        lock(&self.known).broken.push(with);
        self.changed.notify_all();
    }

    /// Those that broke since the last call.
    pub(super) fn take_broken(&self) -> Vec<usize> {
        std::mem::take(&mut lock(&self.known).broken)
    }
}

//! `std::sync::Barrier`.

use super::{Condvar, Mutex};
use std::sync::PoisonError;

/// A place where threads wait for each other.
#[derive(Debug)]
pub struct Barrier {
    lock: Mutex<(usize, usize)>,
    all_here: Condvar,
    threads: usize,
}

/// Whether a thread was the last to arrive.
#[derive(Clone, Copy, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether it was.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for so many threads.
    pub const fn new(threads: usize) -> Self {
        Barrier {
            lock: Mutex::new((0, 0)),
            all_here: Condvar::new(),
            threads,
        }
    }

    /// Waits until all threads are here.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let mut state = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, generation) = *state;
        state.0 += 1;
        if state.0 < self.threads {
            let waits = |state: &mut (usize, usize)| state.1 == generation;
            let woken = self.all_here.wait_while(state, waits);
            drop(woken.unwrap_or_else(PoisonError::into_inner));
            return BarrierWaitResult(false);
        }
        *state = (0, generation.wrapping_add(1));
        self.all_here.notify_all();
        BarrierWaitResult(true)
    }
}

//! Random strategies, for programs that are too large to be explored.
//!
//! `Walk` takes every enabled step with the same probability. `Pct` is probabilistic concurrency
//! testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): threads have random
//! priorities, the highest enabled one runs, and at `depth - 1` random places the running thread
//! falls to the lowest priority. A bug that needs `depth` ordering constraints is found in one
//! execution of `n` threads and `k` steps with probability at least `1 / (n * k^(depth-1))`. The
//! fair walk does not choose a thread again that has yielded until an object has changed or every
//! other enabled thread has yielded as well, so that loops that wait for others end. None is ever complete.

use super::{Departure, Enabled, Strategy};
use crate::execution::{Event, Execution, Position};
use crate::system::{System, Thread};
use ltl::random::Rng;

/// A random walk, or PCT if it has a depth.
pub(crate) struct Random {
    rng: Rng,
    depth: Option<u32>,
    /// Priorities by thread; higher runs first.
    priorities: Vec<u64>,
    /// Places at which the running thread is put last.
    changes: Vec<Position>,
    /// The longest execution so far.
    longest: Position,
    /// Priorities below all random ones.
    lowest: u64,
    is_fair: bool,
    /// Threads that have yielded and wait for the others.
    resting: Vec<Thread>,
}

impl Random {
    /// A random walk.
    pub(crate) fn walk(seed: u64) -> Self {
        Random::new(seed, None)
    }

    /// A fair one.
    pub(crate) fn fair(seed: u64) -> Self {
        let mut random = Random::new(seed, None);
        random.is_fair = true;
        random
    }

    /// Probabilistic concurrency testing.
    pub(crate) fn pct(seed: u64, depth: u32) -> Self {
        Random::new(seed, Some(depth))
    }

    fn new(seed: u64, depth: Option<u32>) -> Self {
        let mut random = Random {
            rng: Rng::seeded(seed),
            depth,
            priorities: Vec::new(),
            changes: Vec::new(),
            longest: 1,
            lowest: 0,
            is_fair: false,
            resting: Vec::new(),
        };
        random.begin();
        random
    }

    fn begin(&mut self) {
        self.priorities.clear();
        self.resting.clear();
        self.lowest = u64::from(u32::MAX);
        let changes = self.depth.unwrap_or(1).saturating_sub(1);
        self.changes = (0..changes).map(|_| self.rng.below(self.longest)).collect();
    }

    fn priority(&mut self, thread: Thread) -> u64 {
        while self.priorities.len() <= thread.0 as usize {
            let priority = self.rng.next_u64() | (1 << 63);
            self.priorities.push(priority);
        }
        self.priorities[thread.0 as usize]
    }
}

/// Whether a step changed an object.
fn is_change(event: &Event) -> bool {
    (event.performed.accesses.iter()).any(|a| a.after != a.before)
}

impl<S: System> Strategy<S> for Random {
    fn pick(&mut self, _: &S, x: &Execution, enabled: &[Enabled]) -> Option<(Thread, u32)> {
        let step = match self.depth {
            None if self.is_fair => {
                let rested = |e: &&Enabled| !self.resting.contains(&e.thread);
                let mut able: Vec<Enabled> = enabled.iter().filter(rested).copied().collect();
                if able.is_empty() {
                    self.resting.clear();
                    able.extend_from_slice(enabled);
                }
                *self.rng.pick(&able)?
            }
            None => *self.rng.pick(enabled)?,
            Some(_) => {
                if self.changes.contains(&x.len())
                    && let Some(last) = x.events().last()
                {
                    self.priority(last.thread);
                    self.lowest -= 1;
                    self.priorities[last.thread.0 as usize] = self.lowest;
                }
                *enabled.iter().max_by_key(|e| self.priority(e.thread))?
            }
        };
        Some((step.thread, self.rng.below32(step.choices)))
    }

    fn stepped(&mut self, x: &Execution) {
        if let Some(last) = x.events().last().filter(|_| self.is_fair) {
            match last.yielded {
                true => self.resting.push(last.thread),
                // Something happened: whoever waited may look again.
                false if is_change(last) => self.resting.clear(),
                false => {}
            }
        }
    }

    fn ended(&mut self, _: &S, x: &Execution) {
        self.longest = self.longest.max(x.len());
        self.begin();
    }

    fn next(&mut self, _: &Execution) -> Option<Departure> {
        Some(Departure::default())
    }
}

//! Plain enumeration: every interleaving. Slow, obvious, and the reference for the others.
//!
//! It is the only search that honours a bound on preemptions: a reduced search explores one
//! execution per trace, and not the one with the fewest preemptions.

use super::Enabled;
use super::selective::Policy;
use crate::execution::Execution;
use crate::system::{System, Thread};

/// Selects every enabled thread.
pub(crate) struct Everything {
    /// At most so many preemptions.
    pub(crate) preemptions: Option<u32>,
    /// Whether the bound left something out.
    pub(crate) cut: bool,
}

impl<S: System> Policy<S> for Everything {
    const SLEEP: bool = false;

    fn select(&mut self, _: &S, x: &Execution, enabled: &[Enabled], _: Thread) -> Vec<Thread> {
        if let (Some(bound), Some(last)) = (self.preemptions, x.events().last())
            && last.preemptions >= bound
            && enabled.iter().any(|e| e.thread == last.thread)
        {
            self.cut |= enabled.len() > 1;
            return vec![last.thread];
        }
        enabled.iter().map(|e| e.thread).collect()
    }

    fn preemptions_cut(&self) -> bool {
        self.cut
    }
}

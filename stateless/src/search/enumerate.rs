//! Plain enumeration: every interleaving. Slow, obvious, and the reference for the others.
//!
//! It is the only search that honours bounds on preemptions and on context switches: a reduced
//! search explores one execution per trace, and not the one with the fewest of them.

use super::Enabled;
use super::selective::Policy;
use crate::execution::Execution;
use crate::report::Bound;
use crate::system::{System, Thread};

/// Selects every enabled thread.
#[derive(Default)]
pub(crate) struct Everything {
    /// At most so many preemptions.
    pub(crate) preemptions: Option<u32>,
    /// At most so many changes of the thread.
    pub(crate) switches: Option<u32>,
    /// The bound that left something out.
    pub(crate) cut: Option<Bound>,
}

impl<S: System> Policy<S> for Everything {
    const SLEEP: bool = false;

    fn select(&mut self, _: &S, x: &Execution, enabled: &[Enabled], _: Thread) -> Vec<Thread> {
        let all = || enabled.iter().map(|e| e.thread).collect();
        let Some(last) = x.events().last() else {
            return all();
        };
        let goes_on = enabled.iter().any(|e| e.thread == last.thread);
        let bound = if goes_on
            && self
                .preemptions
                .is_some_and(|most| last.preemptions >= most)
        {
            Bound::Preemptions
        } else if self.switches.is_some_and(|most| last.switches >= most) {
            Bound::Switches
        } else {
            return all();
        };
        if enabled.len() > usize::from(goes_on) {
            self.cut = Some(bound);
        }
        all().into_iter().filter(|&t| t == last.thread).collect()
    }

    fn bound(&self) -> Option<Bound> {
        self.cut
    }
}

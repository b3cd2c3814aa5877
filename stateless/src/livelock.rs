//! Livelocks: threads that go on without getting anywhere, and threads that are kept waiting.
//!
//! Two kinds are found, each only if a number is given:
//! - A thread is blocked in more than so many states in a row, while others go on (`VeriSoft`'s
//!   livelock).
//! - Since the last change of any object every thread that can go on has yielded so many times: it
//!   said that it waits for somebody else, and everybody else did so too. The scheduler was fair
//!   and nothing will change, unless a thread counts its turns.

use crate::system::{Performed, System, Thread};

/// The numbers. Without one, that kind is not looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patience {
    /// States in a row in which a thread may be blocked.
    pub blocked: Option<u32>,
    /// Yields of every thread without a change of any object.
    pub yields: Option<u32>,
}

/// What is known of the current execution.
#[derive(Debug)]
pub(crate) struct Waiting {
    patience: Patience,
    /// Per thread, in how many states in a row it was blocked.
    blocked: Vec<u32>,
    /// The most patient thread, once it waits for too long.
    kept: Option<Thread>,
    /// Per thread, its yields since the last change.
    yields: Vec<u32>,
    is_calm: bool,
}

impl Waiting {
    pub(crate) fn new(patience: Patience) -> Self {
        Waiting {
            patience,
            blocked: Vec::new(),
            kept: None,
            yields: Vec::new(),
            is_calm: false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.blocked.clear();
        self.kept = None;
        self.yields.clear();
        self.is_calm = false;
    }

    /// Whether [`Waiting::saw`] must be called in every state.
    pub(crate) fn looks_at_every_state(&self) -> bool {
        self.patience.blocked.is_some()
    }

    /// A thread is pending in the current state.
    #[inline]
    pub(crate) fn saw(&mut self, thread: Thread, is_enabled: bool) {
        let Some(most) = self.patience.blocked else {
            return;
        };
        let count = at(&mut self.blocked, thread);
        *count = if is_enabled { 0 } else { *count + 1 };
        if *count > most {
            self.kept.get_or_insert(thread);
        }
    }

    /// A thread has made a step.
    #[inline]
    pub(crate) fn stepped(&mut self, thread: Thread, performed: &Performed) {
        if self.patience.yields.is_none() {
            return;
        }
        if performed.yielded {
            self.is_calm = true;
            *at(&mut self.yields, thread) += 1;
        } else if self.is_calm {
            let changed = (performed.operation.accesses.iter()).any(|a| a.after != a.before);
            if changed || !performed.created.is_empty() {
                self.yields.fill(0);
                self.is_calm = false;
            }
        }
    }

    /// What is wrong in a state in which these threads are enabled.
    pub(crate) fn complaint<S: System>(
        &self,
        system: &S,
        enabled: impl Iterator<Item = Thread>,
    ) -> Option<String> {
        if let (Some(thread), Some(most)) = (self.kept, self.patience.blocked) {
            let name = system.name(thread);
            return Some(format!(
                "livelock: {name} is blocked in more than {most} states in a row"
            ));
        }
        let wanted = self.patience.yields.filter(|_| self.is_calm)?;
        let mut names = Vec::new();
        for thread in enabled {
            if self.yields.get(thread.index()).is_none_or(|&n| n < wanted) {
                return None;
            }
            names.push(thread);
        }
        let names: Vec<String> = names.into_iter().map(|t| system.name(t)).collect();
        Some(format!(
            "livelock: nothing changes any more; since the last change {wanted} yields each of {}",
            names.join(", ")
        ))
    }
}

#[inline]
fn at(counts: &mut Vec<u32>, thread: Thread) -> &mut u32 {
    if counts.len() <= thread.index() {
        counts.resize(thread.index() + 1, 0);
    }
    &mut counts[thread.index()]
}

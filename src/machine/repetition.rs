//! `d_step`s that never end, and those that take long.
//!
//! A `d_step` is deterministic: what it does from some instruction on depends on the state and on nothing else (its operands
//! are used up at every jump back, see `promela_lite::verify`). So one that comes back to the same instruction in the same
//! state does so for ever, and one that never ends must come back, since states are finite. Brent's method finds the
//! repetition with one state kept: it is renewed after 1, 2, 4, … times as many jumps, and every jump is compared with it.
//! Only jumps back count ([`Instr::JumpBack`](promela_lite::code::Instr::JumpBack)); code without them ends.
//!
//! What ends after a very long time is no error. It is given up when the [`Cancellation`] says so, with a fault of its own
//! ([`FaultKind::Stopped`]) that no search takes for a violation.
//!
//! What would break this: something besides the state that code can read and change. The message of a rendezvous that is
//! still open is such a thing, and is compared.

use super::{Fallible, FaultKind, fault};
use crate::limits::Cancellation;
use promela_lite::source::Span;

/// Jumps back that nobody looks at: nearly all `d_step`s have fewer.
pub(super) const FREE: u64 = 1024;

/// Jumps back between two looks at the limits.
const POLL: u32 = 4096;

/// Notices that code repeats itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Repetition {
    /// The instruction, the state and whether a message was open, when they were last kept.
    kept: (usize, Vec<u8>, bool),
    /// The jump at which they are kept again.
    renew: u64,
}

/// The limits, as code that takes long sees them.
#[derive(Clone, Debug, Default)]
pub(super) struct LongRun {
    pub(super) cancellation: Cancellation,
    until_poll: u32,
    /// One for each level of nested questions ([`super::scratch::MAX_NESTING`]).
    repetitions: Vec<Repetition>,
}

impl LongRun {
    /// The instruction at `pc` jumps back, perhaps after a violation, for the `count`-th time in this run of the code, which
    /// is at least [`FREE`].
    #[cold]
    pub(super) fn jumps_back(
        &mut self,
        (count, nesting): (u64, u8),
        (pc, state, open): (usize, &[u8], bool),
        violated: bool,
        span: impl FnOnce() -> Span,
    ) -> Fallible<()> {
        let nesting = usize::from(nesting);
        if self.repetitions.len() <= nesting {
            self.repetitions
                .resize_with(nesting + 1, Repetition::default);
        }
        let Repetition { kept, renew } = &mut self.repetitions[nesting];
        if count == FREE {
            *renew = FREE;
        } else if kept.0 == pc && kept.2 == open && kept.1 == state {
            return Err(fault(FaultKind::EndlessDStep { violated }, span()));
        }
        if count == *renew {
            *renew = 2 * count;
            kept.0 = pc;
            kept.1.clear();
            kept.1.extend_from_slice(state);
            kept.2 = open;
        }
        if self.until_poll == 0 {
            self.until_poll = POLL;
            if let Some(stop) = self.cancellation.poll() {
                return Err(fault(FaultKind::Stopped(stop), span()));
            }
        }
        self.until_poll -= 1;
        Ok(())
    }
}

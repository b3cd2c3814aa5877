//! `xr` and `xs`: a process says that nobody else receives from, or sends to, a channel. Nothing relies on it; it is checked
//! at every such operation, against the processes that are there.

use super::memory::{Width, read};
use super::model::Model;
use super::scratch::Scratch;
use super::{Fallible, FaultKind, Pid, fault};
use promela_lite::code::Scalar;
use promela_lite::program::Place;
use promela_lite::source::Span;

/// Fails if a process other than `pid` has claimed that end of the channel.
#[inline]
pub(super) fn check(
    model: &Model,
    scratch: &Scratch,
    state: &[u8],
    pid: Pid,
    (channel, recv): (u16, bool),
    span: Span,
) -> Fallible<()> {
    if model.program.exclusive.is_empty() {
        return Ok(());
    }
    let live = scratch.tables.live().iter().enumerate();
    for (_, process) in live.filter(|(other, _)| *other != usize::from(pid.0)) {
        let claims = model.program.exclusive.iter();
        for claim in claims.filter(|c| c.proctype == process.proctype && c.recv == recv) {
            let at = match claim.via.place {
                Place::Own => process.locals + claim.via.lo as usize,
                Place::Global => model.layout.globals + claim.via.lo as usize,
                Place::Hidden | Place::Remote(_) => continue,
            };
            if read(state, at, Width::of(Scalar::Chan)) == i32::from(channel) {
                return Err(fault(FaultKind::NotExclusive { recv }, span));
            }
        }
    }
    Ok(())
}

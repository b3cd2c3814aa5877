//! Faults on purpose in the algorithms, each of which a test must notice.

use crate::operation::{Access, Kind};

/// A fault on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Races of two operations that take units are not reversed.
    DropReversal,
    /// Races of operations that are blocked at the end of an execution are not reversed.
    DropBlocked,
    /// Nothing is inserted into a wakeup tree that already has a branch.
    DropWakeup,
    /// Only the first step of a wakeup sequence is kept.
    TruncateWakeup,
    /// A wakeup sequence ends at the race: what comes later and is independent of it is left out.
    ShortSequence,
    /// A read and a write of the same variable count as independent.
    WrongIndependence,
    /// Sleep sets keep operations that depend on what was executed.
    DeepSleep,
    /// Those who share a lock are not removed when somebody wants it alone before all of them.
    KeepHolders,
    /// Others who touch what somebody waits for are not looked at.
    ForgetOthers,
    /// Those who share a lock are removed even if the step that wants it alone comes after them.
    RemovePast,
    /// A choice of data is not explored in all ways.
    DropChoice,
    /// Work that is handed over to another worker is lost.
    LoseHandover,
    /// Workers do not know which steps of a shared state were taken.
    ForgetTaken,
    /// A sequence that finds no room in a bounded wakeup tree is forgotten.
    LeaveAsleep,
    /// A sequence is left out if a step that another worker has taken later is a weak initial of
    /// it.
    DropLate,
}

/// Whether two accesses depend on each other, unless a fault says otherwise.
#[inline]
pub(crate) fn depends(fault: Option<Fault>, a: &Access, b: &Access) -> bool {
    if fault == Some(Fault::WrongIndependence) {
        let wrong = |a: Kind, b: Kind| a == Kind::Read && b == Kind::Write;
        if wrong(a.kind, b.kind) || wrong(b.kind, a.kind) {
            return false;
        }
    }
    a.depends_on(b)
}

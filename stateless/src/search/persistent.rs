//! VeriSoft's search: persistent sets and sleep sets.
//!
//! A set of threads is closed if nothing that a thread outside may still do, now or later, depends
//! on a pending operation of a thread inside. As long as only threads outside move, the pending
//! operations inside are neither enabled nor disabled nor changed: the enabled ones among them are
//! a persistent set. The smallest closed set over all enabled threads is taken. It needs to know
//! what threads may still do ([`System::future`]); where that is unknown, all enabled threads are
//! taken and only sleep sets reduce.

use super::Enabled;
use super::selective::Policy;
use crate::execution::Execution;
use crate::operation::Access;
use crate::system::{Pending, System, Thread};

/// Selects a persistent set.
pub(crate) struct Persistent;

impl<S: System> Policy<S> for Persistent {
    const SLEEP: bool = true;

    fn select(&mut self, system: &S, _: &Execution, enabled: &[Enabled], _: Thread) -> Vec<Thread> {
        let everything = || enabled.iter().map(|e| e.thread).collect();
        let mut futures: Vec<(Thread, Vec<Access>)> = Vec::new();
        for thread in (0..system.threads() as u32).map(Thread) {
            if let Pending::Operation { .. } = system.pending(thread) {
                let mut accesses = Vec::new();
                if !system.future(thread, &mut accesses) {
                    return everything();
                }
                futures.push((thread, accesses));
            }
        }
        let mut best: Vec<Thread> = everything();
        for &Enabled { thread, .. } in enabled {
            let mut closed = vec![thread];
            let mut next = 0;
            while next < closed.len() {
                if let Pending::Operation { operation, .. } = system.pending(closed[next]) {
                    for (other, future) in &futures {
                        let touches = |a: &Access| {
                            let may = |f: &Access| f.object == a.object && may_depend(f, a);
                            future.iter().any(may)
                        };
                        if !closed.contains(other) && operation.accesses.iter().any(touches) {
                            closed.push(*other);
                        }
                    }
                }
                next += 1;
            }
            closed.retain(|t| enabled.iter().any(|e| e.thread == *t));
            if closed.len() < best.len() {
                best = closed;
            }
        }
        best.sort_unstable();
        best
    }
}

/// Whether two accesses that were not performed yet may depend on each other, whatever the values
/// will be.
fn may_depend(a: &Access, b: &Access) -> bool {
    use crate::operation::Kind;
    match (a.kind, b.kind) {
        (Kind::Send(_), Kind::Receive) | (Kind::Receive, Kind::Send(_)) => true,
        _ => a.depends_on(b),
    }
}

//! Reversing races where guards are opaque ([`System::is_guarded`]), as those of a model are.
//!
//! The system itself is asked whether `e'` is enabled after `notdep(e)`. If it is not, it may be after less: for every
//! set of steps of `notdep(e)` that `e'` depends on, the sequence without them and without what happened after them
//! is tried. One of these sets is the one that an execution with `e'` before `e` leaves out, so the proof in
//! [`crate::races`] applies to that sequence: it contains the steps `w` before `e'`, and whether `e'` is enabled is decided by
//! those of them that it depends on.

use crate::execution::{Execution, Position};
use crate::fault::Fault;
use crate::races::{Predicted, Second, Sequence, apart};
use crate::system::System;

/// Steps that a guard may depend on before their subsets are too many to be tried.
const GUARDS: usize = 12;

/// The sequences that execute what the thread of `second` can do before `first`, for a system with opaque guards. Whether
/// there is one.
pub(crate) fn reverse<S: System>(
    x: &Execution,
    system: &S,
    first: Position,
    second: &Second<'_>,
    reverse: &mut impl FnMut(Sequence),
) -> bool {
    let all = apart(x, first, second);
    let previous = x.previous(second.thread, second.local);
    let mut attempt = |events: &[u32]| {
        let step = |&e: &u32| {
            let event = x.event(e as Position);
            (event.thread, event.choice)
        };
        let (operation, enabled) =
            system.foresee(first, &mut events.iter().map(step), second.thread)?;
        if enabled && x.depends(&x.event(first).performed, &operation) {
            reverse(Sequence {
                position: first,
                events: events.to_vec(),
                last: Some(Predicted {
                    thread: second.thread,
                    local: second.local,
                    choice: None,
                    operation,
                }),
            });
            return Some(Ok(()));
        }
        Some(Err(operation))
    };
    let operation = match attempt(&all) {
        None => return false,
        Some(Ok(())) => return true,
        Some(Err(operation)) => operation,
    };
    if x.fault == Some(Fault::KeepHolders) {
        return false;
    }
    let may_go = |&e: &u32| {
        x.depends(&x.event(e as Position).performed, &operation)
            && !previous.is_some_and(|p| x.happens_before(e as Position, p))
    };
    let guards: Vec<u32> = all.iter().copied().filter(may_go).collect();
    if guards.len() > GUARDS {
        x.give_up();
    }
    let guards = &guards[guards.len().saturating_sub(GUARDS)..];
    let mut tried = vec![all.clone()];
    let mut is_reversed = false;
    for subset in 1..1_usize << guards.len() {
        let out = |&e: &u32| {
            let of_subset = guards
                .iter()
                .enumerate()
                .filter(|(i, _)| subset >> i & 1 == 1);
            of_subset
                .into_iter()
                .any(|(_, &g)| x.happens_before(g as Position, e as Position))
        };
        let events: Vec<u32> = all.iter().copied().filter(|e| !out(e)).collect();
        if !tried.contains(&events) {
            is_reversed |= matches!(attempt(&events), Some(Ok(())));
            tried.push(events);
        }
    }
    is_reversed
}

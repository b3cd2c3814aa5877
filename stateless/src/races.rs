//! Races of an execution, and the sequences that reverse them.
//!
//! Two events `e` and `e'` of different threads race if they depend on each other, the thread of
//! `e'` could have executed `e'` before `e` as far as its own past goes, and no third event that
//! `e'` could also overtake lies between them in happens-before. The sequence that reverses the
//! race, to be executed where `e` was, is `notdep(e) · e'`: all events of the whole execution that
//! did not happen after `e`, and then `e'` (Abdulla, Aronsson, Jonsson, Sagonas: "Source Sets",
//! JACM 2017). It must contain the independent events that were executed after `e'` too: without
//! them a sequence can look redundant that is not.
//!
//! Operations that block need two things more:
//! - `e'` may be an operation that is still blocked at the end of the execution, as in a deadlock.
//! - `e'` must be enabled after `notdep(e)`. Whether it is follows from the recorded values of its
//!   objects. A release before an acquire is not overtaken, the acquire before that release is.
//!   Threads that share a lock are independent of each other; if `notdep(e)` leaves one of them
//!   with the lock, it is removed with all that happened after it. This keeps the proof: an
//!   execution in which `e'` comes before `e` has released every lock that it took before `e'`, so
//!   it contains none of the removed events.
//! - What `e'` comes after in its own thread, or the step that created that thread, may be removed
//!   with the lock. Then `e'` could not be executed after what is left, and the race is not
//!   reversed. The proof does not need it: it takes an execution in which `e'` comes before `e`,
//!   and the steps `w` before `e'` in it, all of them independent of `e`. What begins with `e · w`
//!   is explored, and there the sequence contains `w`. `w` contains the past of `e'`, and no holder,
//!   because `e'` is enabled after it. So a race whose removed events include some of the past of
//!   `e'` is never the one that the proof uses.
//!
//! Where guards are opaque ([`System::is_guarded`]) the system is asked what is possible: [`crate::guarded`].
//!
//! What `e'` does in its new place (whether a compare-and-exchange succeeds, which message is
//! received) follows from the recorded values as well, so that sleep sets and wakeup trees compare
//! it exactly.

use crate::execution::{Execution, Position};
use crate::fault::Fault;
use crate::guarded;
use crate::operation::{Kind, Object, Operation};
use crate::system::{System, Thread};

/// The last step of a [`Sequence`], which was not executed in this context yet.
#[derive(Clone, Debug)]
pub(crate) struct Predicted {
    pub(crate) thread: Thread,
    /// Events of the thread before it.
    pub(crate) local: u32,
    /// Which way it is executed; `None` for all.
    pub(crate) choice: Option<u32>,
    /// What it does.
    pub(crate) operation: Operation,
}

/// Steps to be executed from `position`: some later events of the execution, then one more.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) position: Position,
    pub(crate) events: Vec<u32>,
    pub(crate) last: Option<Predicted>,
}

/// How a step relates to a sequence that is executed in the same state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is this event of the sequence, and nothing in the sequence happens before it.
    First(usize),
    /// It is the sequence's last step, and nothing in the sequence happens before it.
    Last,
    /// It is no step of the sequence and independent of all of them.
    Apart,
    /// It cannot be executed first.
    Conflict,
}

impl Sequence {
    /// Whether a step of `thread` that does `operation` is a weak initial of the sequence, and why.
    pub(crate) fn place(
        &self,
        x: &Execution,
        thread: Thread,
        choice: Option<u32>,
        operation: &Operation,
    ) -> Place {
        let agrees = |other: Option<u32>| choice.is_none() || other.is_none() || choice == other;
        for (index, &position) in self.events.iter().enumerate() {
            let event = x.event(position as Position);
            if event.thread == thread {
                let after = |&e: &u32| x.happens_before(e as Position, position as Position);
                let first = agrees(Some(event.choice)) && !self.events[..index].iter().any(after);
                return if first {
                    Place::First(index)
                } else {
                    Place::Conflict
                };
            }
        }
        let mut performed = (self.events.iter()).map(|&e| &x.event(e as Position).performed);
        if let Some(last) = &self.last {
            if last.thread == thread {
                let previous = x.previous(thread, last.local);
                let covered =
                    |&e: &u32| previous.is_some_and(|p| x.happens_before(e as Position, p));
                let first = agrees(last.choice)
                    && !self.events.iter().any(covered)
                    && !performed.any(|other| x.depends(other, &last.operation));
                return if first { Place::Last } else { Place::Conflict };
            }
            if x.depends(&last.operation, operation) {
                return Place::Conflict;
            }
        }
        if performed.any(|other| x.depends(other, operation)) {
            Place::Conflict
        } else {
            Place::Apart
        }
    }
}

/// The later event of a race: executed, or pending at the end.
pub(crate) struct Second<'x> {
    pub(crate) thread: Thread,
    pub(crate) local: u32,
    /// Its position, or the length of the execution.
    position: Position,
    announced: &'x Operation,
    performed: &'x Operation,
}

/// Calls `reverse` with the sequence of every race that can be reversed.
///
/// A race in the beginning that an execution shares with the one before was reversed there, with
/// other independent events after it. Which ones does not matter: if what is explored because of
/// them does not cover an execution, then a race with one of them is found in it. Unless the second
/// event can be blocked or has alternatives: what it does, and whether it can be done at all, may
/// follow from those other events, so its races are reversed again. So are all races if something
/// was executed that has several ways: between these there is no race.
pub(crate) fn for_each<S: System>(x: &Execution, system: &S, mut reverse: impl FnMut(Sequence)) {
    let is_guarded = system.is_guarded();
    let has_choices = x.events().iter().any(|event| event.choices > 1);
    for (position, event) in x.events().iter().enumerate() {
        if position < x.shared()
            && !is_guarded
            && !has_choices
            && event.announced.is_unconditional()
        {
            continue;
        }
        let second = Second {
            thread: event.thread,
            local: event.local,
            position,
            announced: &event.announced,
            performed: &event.performed,
        };
        races_with(x, system, &second, &mut reverse);
    }
    if x.fault == Some(Fault::DropBlocked) {
        return;
    }
    for last in x.last() {
        let second = Second {
            thread: last.thread,
            local: x.local_count(last.thread, x.len()),
            position: x.len(),
            announced: &last.operation,
            performed: &last.operation,
        };
        races_with(x, system, &second, &mut reverse);
    }
}

fn races_with<S: System>(
    x: &Execution,
    system: &S,
    second: &Second<'_>,
    reverse: &mut impl FnMut(Sequence),
) {
    let previous = x.previous(second.thread, second.local);
    let mut overtaken: Vec<Position> = Vec::new();
    for access in &second.performed.accesses {
        if access.kind == Kind::Nothing {
            continue;
        }
        let on = x.on(access.object);
        let end = on.partition_point(|&e| (e as Position) < second.position);
        for &first in on[..end].iter().rev() {
            let first = first as Position;
            let event = x.event(first);
            let on_object = |a: &&crate::Access| a.object == access.object;
            let exclusive =
                (event.performed.accesses.iter().filter(on_object)).any(|a| a.kind.is_exclusive());
            if event.thread == second.thread || previous.is_some_and(|p| x.happens_before(first, p))
            {
                if exclusive {
                    break;
                }
                continue;
            }
            let depends = (event.performed.accesses.iter())
                .any(|a| crate::fault::depends(x.fault, a, access));
            if !depends
                || overtaken
                    .iter()
                    .any(|&o| o == first || x.happens_before(first, o))
            {
                continue;
            }
            if x.fault == Some(Fault::DropReversal)
                && matches!(access.kind, Kind::Take(_))
                && first % 2 == 1
            {
                continue;
            }
            let is_reversed = match system.is_guarded() {
                true => guarded::reverse(x, system, first, second, reverse),
                false => reversal(x, first, second).map(&mut *reverse).is_some(),
            };
            if is_reversed {
                overtaken.push(first);
                if exclusive {
                    break;
                }
            }
        }
    }
}

/// What did not happen after `first`, `second` aside.
pub(crate) fn apart(x: &Execution, first: Position, second: &Second<'_>) -> Vec<u32> {
    let end = match x.fault {
        Some(Fault::ShortSequence) => second.position,
        _ => x.len(),
    };
    let mut events: Vec<u32> = Vec::with_capacity(end - first);
    let apart = |&e: &Position| e != second.position && !x.happens_before(first, e);
    events.extend((first + 1..end).filter(apart).map(|e| e as u32));
    events
}

/// The sequence that executes `second` before `first`, if it is enabled there.
fn reversal(x: &Execution, first: Position, second: &Second<'_>) -> Option<Sequence> {
    if needs(x, first, second) {
        return None;
    }
    let mut events = apart(x, first, second);
    let operation = loop {
        let resolved = second.announced.resolve(|object| {
            let now = second
                .performed
                .accesses
                .iter()
                .find(|a| a.object == object);
            value(x, first, &events, object, now.map_or(0, |a| a.before))
        });
        match resolved {
            Some(operation) => break operation,
            None => {
                if x.fault == Some(Fault::KeepHolders) {
                    return None;
                }
                let holder = holder(x, &events, second.announced)? as Position;
                let previous = x.previous(second.thread, second.local);
                let is_needed = previous.is_some_and(|p| x.happens_before(holder, p));
                if is_needed && x.fault != Some(Fault::RemovePast) {
                    return None;
                }
                events.retain(|&e| !x.happens_before(holder, e as Position));
            }
        }
    };
    // An operation that is still pending was compared by all it might do. What it does here may be
    // independent of `first`.
    if !x.depends(&x.event(first).performed, &operation) {
        return None;
    }
    Some(Sequence {
        position: first,
        events,
        last: Some(Predicted {
            thread: second.thread,
            local: second.local,
            choice: None,
            operation,
        }),
    })
}

/// Whether `second` is one access, impossible before `first`, to an object that nobody touches after `first`: as when a thread is
/// joined. It cannot become possible before `first` then, and there is no holder to remove: [`reversal`] finds the same, slower.
fn needs(x: &Execution, first: Position, second: &Second<'_>) -> bool {
    let wanted = match &second.announced.accesses[..] {
        [wanted] if second.announced.alternatives == 0 => wanted,
        _ => return false,
    };
    let touching = x.on(wanted.object).iter().rev().map(|&e| e as Position);
    let mut later = touching.take_while(|&e| e > first);
    if later.any(|e| e != second.position) && x.fault != Some(Fault::ForgetOthers) {
        return false;
    }
    let mut accesses = x.event(first).performed.accesses.iter();
    let access = accesses.find(|a| a.object == wanted.object && a.kind != Kind::Nothing);
    access.is_some_and(|access| !wanted.kind.is_possible(access.before))
}

/// The value of an object after the first `start` events and then `events`. `otherwise` is its
/// value if nobody touched it from `start` on.
fn value(x: &Execution, start: Position, events: &[u32], object: Object, otherwise: u64) -> u64 {
    let on = x.on(object);
    let on = &on[on.partition_point(|&e| (e as Position) < start)..];
    let Some(&next) = on.first() else {
        return otherwise;
    };
    let accesses = |e: u32| {
        let accesses = x.event(e as Position).performed.accesses.iter();
        accesses.filter(move |a| a.object == object && a.kind != Kind::Nothing)
    };
    let mut value = accesses(next).next().map_or(otherwise, |a| a.before);
    for access in on
        .iter()
        .filter(|e| events.binary_search(e).is_ok())
        .flat_map(|&e| accesses(e))
    {
        value = if access.kind.is_absolute() {
            access.after
        } else {
            value.wrapping_add(access.after.wrapping_sub(access.before))
        };
    }
    value
}

/// An event of `events` that took an object which `wanted` needs, and whose thread did not give it
/// back there.
fn holder(x: &Execution, events: &[u32], wanted: &Operation) -> Option<u32> {
    let needs = |object| {
        let needs = |a: &crate::Access| {
            a.object == object && matches!(a.kind, Kind::Take(_) | Kind::Share | Kind::Await(_))
        };
        wanted.accesses.iter().any(needs)
    };
    let mut given: Vec<(Thread, Object)> = Vec::new();
    for &e in events.iter().rev() {
        let event = x.event(e as Position);
        for access in event.performed.accesses.iter().rev() {
            let pair = (event.thread, access.object);
            match access.kind {
                Kind::Give(_) | Kind::Unshare => given.push(pair),
                Kind::Take(_) | Kind::Share if needs(access.object) => {
                    match given.iter().position(|&g| g == pair) {
                        Some(index) => drop(given.swap_remove(index)),
                        None => return Some(e),
                    }
                }
                _ => {}
            }
        }
    }
    None
}

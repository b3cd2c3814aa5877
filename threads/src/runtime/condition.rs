//! Who waits for which condition.

use super::object::token_of;
use super::{Ways, runtime, visible_in};
use ample_stateless::{Kind, Object, Operation};

/// Puts the current thread among those who wait for a condition.
pub(crate) fn enter(condition: Object) {
    let mut inner = runtime().inner.borrow_mut();
    let current = inner.current;
    let waiting = inner.waiting.entry(condition).or_default();
    waiting.push(current);
    waiting.sort_unstable();
}

/// Takes the current thread away from them.
pub(crate) fn leave(condition: Object) {
    let mut inner = runtime().inner.borrow_mut();
    let current = inner.current;
    let waiting = inner.waiting.entry(condition).or_default();
    waiting.retain(|&thread| thread != current);
}

/// Notifies one or all of those who wait for a condition.
#[track_caller]
pub(crate) fn notify(what: &'static str, condition: Object, all: bool) {
    let (kind, ways) = match all {
        true => (Kind::NotifyAll, Ways::Fixed(1)),
        false => (Kind::NotifyOne, Ways::Waiting(condition)),
    };
    let operation = Operation::attempt(condition, kind);
    let Some((_, choice)) = visible_in(what, operation, ways, |_, _| 0) else {
        return;
    };
    let mut inner = runtime().inner.borrow_mut();
    let inner = &mut *inner;
    let waiting = inner.waiting.entry(condition).or_default();
    let woken = match all {
        true => std::mem::take(waiting),
        false if waiting.is_empty() => Vec::new(),
        false => vec![waiting.remove(choice as usize)],
    };
    for thread in woken {
        let give = Operation::one(token_of(thread), Kind::Give(1));
        let mut give = inner.values.perform(&give, |_| 0);
        inner
            .performed
            .operation
            .accesses
            .append(&mut give.accesses);
    }
}

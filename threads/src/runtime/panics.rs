//! Panics of explored threads are findings: they are not printed, and what they say is remembered.

use super::is_inside;
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::sync::Once;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics of explored threads from being printed.
pub(super) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !is_inside() {
                return previous(info);
            }
            let message = info.payload_as_str().unwrap_or("a panic without a message");
            let place = info.location().map_or(String::new(), |l| format!(" ({l})"));
            LAST.with_borrow_mut(|last| *last = format!("{message}{place}"));
        }));
    });
}

/// What the last panic said.
pub(super) fn take_last() -> String {
    LAST.with_borrow_mut(std::mem::take)
}

/// Nobody asks for it any more.
pub(super) fn forget_last() {
    LAST.with_borrow_mut(String::clear);
}

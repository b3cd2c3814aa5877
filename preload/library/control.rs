//! The current thread before the explorer: announcing an operation, and waiting for permission.
//!
//! A process that is not controlled (before `main`, in the fork server, and at the very end of
//! threads) has no slot; it has one thread only, and everything succeeds.

use crate::protocol::{ABSENT, Call, DATA, EXPLORER, MAGIC, PENDING, RUNNING, SLOTS, Shared, Slot};
use crate::sys;
use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

static SHARED: AtomicPtr<Shared> = AtomicPtr::new(null_mut());

/// Whether this process has had several threads.
static SEVERAL: AtomicBool = AtomicBool::new(false);

/// Whether the execution has had several processes.
static FORKED: AtomicBool = AtomicBool::new(false);

const NOBODY: u32 = u32::MAX;

thread_local! {
    static ME: Cell<u32> = const { Cell::new(NOBODY) };
    /// Memory that this thread wrote and whose value was not told yet: address and bytes.
    static WRITTEN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Maps what is shared with the explorer.
pub(crate) fn attach(fd: i32) {
    let address = sys::map(size_of::<Shared>(), fd, true) as *mut Shared;
    SHARED.store(address, Ordering::Relaxed);
    if address.is_null() || shared().is_none_or(|s| s.magic.load(Ordering::Relaxed) != MAGIC) {
        sys::say("ample: the library and the explorer do not belong together\n");
        sys::exit_group(127);
    }
}

pub(crate) fn shared() -> Option<&'static Shared> {
    let address = SHARED.load(Ordering::Relaxed);
    // SAFETY: the mapping is never undone, has the size of the structure, and all fields are atomic.
    unsafe { address.as_ref() }
}

pub(crate) fn slot_at(index: u32) -> Option<&'static Slot> {
    shared()?.slots.get(index as usize)
}

/// The slot of this thread.
pub(crate) fn me() -> Option<&'static Slot> {
    slot_at(my_index()?)
}

pub(crate) fn my_index() -> Option<u32> {
    let index = ME.get();
    (index != NOBODY).then_some(index)
}

/// From now on this thread is the one of a slot, or of none.
pub(crate) fn become_slot(index: Option<u32>) {
    ME.set(index.unwrap_or(NOBODY));
}

pub(crate) fn is_several() -> bool {
    SEVERAL.load(Ordering::Relaxed)
}

pub(crate) fn set_several(several: bool) {
    SEVERAL.store(several, Ordering::Relaxed);
}

/// Whether there are, or were, several processes.
pub(crate) fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

pub(crate) fn set_forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// A new slot, whose thread hands over to this one.
pub(crate) fn new_slot() -> Option<u32> {
    let mine = me()?;
    let shared = shared()?;
    let index = shared.used.fetch_add(1, Ordering::Relaxed);
    if index as usize >= SLOTS {
        escape(&format!(
            "an execution with more than {SLOTS} threads and processes"
        ));
    }
    let slot = slot_at(index)?;
    let parent = my_index().unwrap_or(0);
    let nth = mine.children.fetch_add(1, Ordering::Relaxed);
    slot.go.store(0, Ordering::Relaxed);
    slot.fresh.store(1, Ordering::Relaxed);
    slot.parent.store(parent, Ordering::Relaxed);
    slot.place_among_children.store(nth, Ordering::Relaxed);
    slot.process
        .store(mine.process.load(Ordering::Relaxed), Ordering::Relaxed);
    slot.children.store(0, Ordering::Relaxed);
    slot.handle.store(0, Ordering::Relaxed);
    slot.wrote.store(0, Ordering::Relaxed);
    slot.pid.store(0, Ordering::Relaxed);
    slot.state.store(RUNNING, Ordering::Release);
    Some(index)
}

/// Gives a slot back whose thread could not be made.
pub(crate) fn drop_slot(index: u32) {
    if let Some(slot) = slot_at(index) {
        slot.state.store(ABSENT, Ordering::Release);
    }
}

/// Waits until a new thread has announced its first operation.
pub(crate) fn wait_for_child(index: u32) {
    let Some(slot) = slot_at(index) else { return };
    while slot.fresh.load(Ordering::Acquire) == 1 {
        sys::futex_wait(&slot.fresh, 1);
        end_without_explorer();
    }
}

/// Ends the process if its fork server is gone, which is what happens when the explorer is.
fn end_without_explorer() {
    let Some(shared) = shared() else { return };
    let server = shared.server.load(Ordering::Relaxed);
    if server != 0 && sys::kill(server as i32, 0) < 0 {
        sys::exit_group(1);
    }
}

/// Remembers memory that is about to be written: the explorer learns its value later.
pub(crate) fn will_write(address: usize, bytes: usize) {
    WRITTEN.set((address, bytes));
}

/// Looks at the memory that this thread wrote last, while it is certainly there.
pub(crate) fn settle() {
    let (address, bytes) = WRITTEN.replace((0, 0));
    if address == 0 {
        return;
    }
    if let Some(slot) = me() {
        // SAFETY: this thread wrote there, and `free` and `munmap` settle before they give it back.
        let value = unsafe { sys::peek(address, bytes) };
        slot.written.store(value, Ordering::Relaxed);
        slot.wrote.store(1, Ordering::Relaxed);
    }
}

/// Writes a text or a message to the slot.
pub(crate) fn put_data(slot: &Slot, data: &[u8]) {
    let length = data.len().min(DATA);
    slot.length.store(length as u32, Ordering::Relaxed);
    for (cell, &byte) in slot.data.iter().zip(data) {
        cell.store(byte, Ordering::Relaxed);
    }
}

/// What the explorer left in the slot.
pub(crate) fn data(slot: &Slot) -> Vec<u8> {
    let length = slot.length.load(Ordering::Relaxed) as usize;
    let bytes = slot.data.iter().take(length);
    bytes.map(|cell| cell.load(Ordering::Relaxed)).collect()
}

fn write_down(slot: &Slot, name: &str, call: Call, args: &[u64], caller: u64) {
    settle();
    slot.code.store(call as u32, Ordering::Relaxed);
    for (index, cell) in slot.args.iter().enumerate() {
        let value = args.get(index).copied().unwrap_or(0);
        cell.store(value, Ordering::Relaxed);
    }
    for (index, cell) in slot.name.iter().enumerate() {
        let byte = name.as_bytes().get(index).copied().unwrap_or(0);
        cell.store(byte, Ordering::Relaxed);
    }
    slot.caller.store(caller, Ordering::Relaxed);
    let several = u32::from(is_several());
    slot.several.store(several, Ordering::Relaxed);
    slot.state.store(PENDING, Ordering::Release);
}

fn hand_to_explorer() {
    let Some(shared) = shared() else { return };
    shared.turn.store(EXPLORER, Ordering::Release);
    sys::futex_wake(&shared.turn);
}

/// Announces without waiting, and hands over to whom it concerns.
pub(crate) fn announce(name: &str, call: Call, args: &[u64], caller: u64) {
    let Some(slot) = me() else { return };
    write_down(slot, name, call, args, caller);
    if slot.fresh.swap(0, Ordering::AcqRel) == 1 {
        sys::futex_wake(&slot.fresh);
    } else {
        hand_to_explorer();
    }
}

/// Waits for permission; the explorer's answer.
pub(crate) fn permission() -> i64 {
    let Some(slot) = me() else { return 0 };
    while slot.go.load(Ordering::Acquire) == 0 {
        sys::futex_wait(&slot.go, 0);
        if slot.go.load(Ordering::Acquire) == 0 {
            end_without_explorer();
        }
    }
    slot.go.store(0, Ordering::Relaxed);
    slot.result.load(Ordering::Relaxed) as i64
}

/// A visible operation: its answer, or `None` if this thread is not controlled.
pub(crate) fn call(name: &str, call: Call, args: &[u64], caller: u64) -> Option<i64> {
    me()?;
    announce(name, call, args, caller);
    Some(permission())
}

/// Tells the explorer that the execution is over, and waits for the end.
pub(crate) fn over(name: &str, call: Call, args: &[u64], text: &str, caller: u64) -> ! {
    let Some(slot) = me() else {
        sys::say("ample: before main: ");
        sys::say(text);
        sys::say("\n");
        sys::exit_group(127);
    };
    put_data(slot, text.as_bytes());
    write_down(slot, name, call, args, caller);
    hand_to_explorer();
    loop {
        permission();
    }
}

/// The program left the explorer's control.
pub(crate) fn escape(what: &str) -> ! {
    escape_at(what, 0)
}

/// The same, with the place.
pub(crate) fn escape_at(what: &str, caller: u64) -> ! {
    over(what, Call::Escape, &[], what, caller)
}

//! The system that the explorer sees: coroutines, their pending operations, and the values of their
//! objects.
//!
//! A thread runs until it is about to execute a visible operation, leaves the operation in its slot
//! and suspends. When the explorer chooses it, it is resumed, performs the operation on the table
//! of values and runs on. A new thread runs up to its first visible operation at once: that belongs
//! to its creator's step.
//!
//! Threads are numbered by parent and place among the parent's children, which is the same in all
//! equivalent executions ([`names`]); objects as [`object`] says.
//!
//! An execution that is given up (a deadlock, a bound) unwinds its coroutines, children before
//! parents. Operations in destructors then do nothing. In a thread that panics, operations are
//! performed at once, without suspending: the panic count of the operating system's thread is
//! shared by all coroutines.

mod clock;
mod condition;
mod names;
mod object;
mod panics;
mod system;
mod thread;
mod watchdog;

pub(crate) use clock::{Clock, acquire, forget, now, pass, release, release_only, with_known};
pub(crate) use condition::{enter, leave, notify};
pub(crate) use names::Names;
pub(crate) use object::{Id, end_of, parking_of, token_of};
pub(crate) use thread::{Outcome, current, name_of, spawn, with_locals};

use ample_stateless::{Access, Failure, FindingKind, Object, Operation, Performed, Thread, Values};
use clock::Clocks;
use corosensei::stack::DefaultStack;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::panic::{Location, resume_unwind};
use std::ptr::NonNull;
use std::sync::Arc;
use thread::{Slot, Status};
use watchdog::Beat;

/// In how many ways an operation can be executed.
#[derive(Clone, Copy)]
pub(crate) enum Ways {
    /// So many.
    Fixed(u32),
    /// One per thread that waits for this condition.
    Waiting(Object),
}

/// What the runtime is asked to do beyond executing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// How many times each thread wakes up, or fails to exchange, without a reason.
    pub(crate) spurious: u32,
    /// Whether what is left behind at the end is a finding.
    pub(crate) leaks: bool,
    /// How many accesses to cells and clocks a thread may make in one step.
    pub(crate) quiet: u64,
    /// After how long without a visible operation the process is ended.
    pub(crate) silence: Option<std::time::Duration>,
}

impl Default for Habits {
    fn default() -> Self {
        Habits {
            spurious: 0,
            leaks: false,
            quiet: 10_000_000,
            silence: None,
        }
    }
}

/// Everything about the execution.
struct Inner {
    values: Values,
    slots: Vec<Slot>,
    /// Threads in the order of their creation.
    created: Vec<Thread>,
    stacks: Vec<DefaultStack>,
    /// Objects numbered so far.
    objects: u32,
    waiting: FxHashMap<Object, Vec<Thread>>,
    clocks: Clocks,
    performed: Performed,
    current: Thread,
    weak: bool,
    /// Calls since the last visible operation.
    quiet: u64,
    /// Locks of this execution with their free units, if leaks are looked for.
    locks: Vec<(Object, u64, &'static str)>,
    /// Threads that did something after the main thread had ended.
    outlived: Vec<Thread>,
}

/// A program under exploration.
pub(crate) struct Runtime {
    inner: RefCell<Inner>,
    /// Distinguishes this execution from all others in the process.
    epoch: Cell<u64>,
    /// The execution is being given up.
    torn: Cell<bool>,
    habits: Habits,
    worker: usize,
    /// Other workers explore the same program.
    has_others: bool,
    names: Arc<Names>,
    beat: Arc<Beat>,
    main: Arc<dyn Fn()>,
}

thread_local! {
    static CURRENT: Cell<Option<NonNull<Runtime>>> = const { Cell::new(None) };
    /// Stacks for the next exploration.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// Stacks kept from one exploration to the next.
const KEPT: usize = 16;

const MAIN: Thread = Thread(0);

/// The runtime of the exploration that this thread of the system belongs to.
fn runtime() -> &'static Runtime {
    let Some(pointer) = CURRENT.get() else {
        panic!(
            "threads, locks and atomics of `ample_threads` work only inside `ample_threads::check` or `explore`"
        );
    };
    // SAFETY: `Runtime::enter` sets the pointer to a runtime in a box, which resets it when it is
    // dropped. The reference does not leave this module for longer than a call, and calls are made
    // between the two only.
    unsafe { pointer.as_ref() }
}

/// Whether this is inside an exploration.
fn is_inside() -> bool {
    CURRENT.get().is_some()
}

/// Which of several workers, if there are several, and what they have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Member {
    pub(crate) worker: usize,
    pub(crate) has_others: bool,
    pub(crate) names: Arc<Names>,
}

impl Runtime {
    /// A runtime that the code of this thread of the system can reach, until it is dropped.
    pub(crate) fn enter(main: Arc<dyn Fn()>, habits: Habits, member: Member) -> Box<Self> {
        panics::install_hook();
        assert!(
            !is_inside(),
            "an exploration cannot be started inside another one"
        );
        let runtime = Box::new(Runtime {
            inner: RefCell::new(Inner {
                values: Values::default(),
                slots: vec![Slot::absent()],
                created: Vec::new(),
                stacks: STACKS.take(),
                objects: 0,
                waiting: FxHashMap::default(),
                clocks: Clocks::default(),
                performed: Performed::default(),
                current: MAIN,
                weak: false,
                quiet: 0,
                locks: Vec::new(),
                outlived: Vec::new(),
            }),
            epoch: Cell::new(0),
            torn: Cell::new(false),
            habits,
            worker: member.worker,
            has_others: member.has_others,
            names: member.names,
            beat: watchdog::watch(habits.silence),
            main,
        });
        CURRENT.set(Some(NonNull::from(&*runtime)));
        runtime
    }

    /// Whether the program asked for less than sequential consistency.
    pub(crate) fn is_weak(&self) -> bool {
        self.inner.borrow().weak
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.tear_down();
        CURRENT.set(None);
        self.beat.end();
        let stacks = &mut self.inner.get_mut().stacks;
        STACKS.with_borrow_mut(|kept| {
            let room = KEPT.saturating_sub(kept.len()).min(stacks.len());
            kept.extend(stacks.drain(..room));
        });
    }
}

/// Executes a visible operation of the current thread; `None` if the execution is being given up.
#[track_caller]
pub(crate) fn visible(
    what: &'static str,
    operation: Operation,
    mut stored: impl FnMut(&Access) -> u64,
) -> Option<Operation> {
    visible_in(what, operation, Ways::Fixed(1), |a, _| stored(a)).map(|(performed, _)| performed)
}

/// The same for an operation that can be executed in several ways: `stored` learns which one.
#[track_caller]
pub(crate) fn visible_in(
    what: &'static str,
    operation: Operation,
    ways: Ways,
    mut stored: impl FnMut(&Access, u32) -> u64,
) -> Option<(Operation, u32)> {
    let place = Location::caller();
    let runtime = runtime();
    let panicking = std::thread::panicking();
    if runtime.torn.get() {
        if !panicking {
            // Somebody caught the unwinding of an execution that is over.
            resume_unwind(Box::new("the execution is over"));
        }
        return None;
    }
    let mut inner = runtime.inner.borrow_mut();
    if panicking {
        if !inner.values.enables(&operation) {
            let message =
                format!("a destructor waits for {what} ({place}) while its thread panics");
            inner.performed.failures.push(message.into());
            inner.performed.is_over = true;
            return None;
        }
        let performed = inner.values.perform(&operation, |access| stored(access, 0));
        let also = performed.accesses.iter().copied();
        inner.performed.operation.accesses.extend(also);
        return Some((performed, 0));
    }
    let current = inner.current;
    let slot = &mut inner.slots[current.0 as usize];
    slot.operation = operation;
    slot.ways = ways;
    slot.what = what;
    slot.place = place;
    slot.status = Status::Pending;
    let switch = slot.switch.expect("the current thread runs on a coroutine");
    drop(inner);
    // SAFETY: the yielder lives on the coroutine's own stack as long as its body runs, and this is
    // called from there: `current` is the thread whose coroutine was resumed last and has not
    // suspended since.
    let choice = unsafe { switch.as_ref() }.suspend(());
    let mut inner = runtime.inner.borrow_mut();
    let inner = &mut *inner;
    inner.quiet = 0;
    let operation = &inner.slots[current.0 as usize].operation;
    let performed = inner
        .values
        .perform(operation, |access| stored(access, choice));
    inner.performed.operation.clone_from(&performed);
    Some((performed, choice))
}

/// Chooses a number.
#[track_caller]
pub(crate) fn toss(n: u32) -> u32 {
    let ways = Ways::Fixed(n);
    visible_in("toss", Operation::local(), ways, |_, _| 0).map_or(0, |(_, choice)| choice)
}

/// Whether the current thread may do something without a reason once more; if so, `true` is one of
/// two ways.
pub(crate) fn may_be_spurious() -> bool {
    let runtime = runtime();
    if runtime.habits.spurious == 0 {
        return false;
    }
    let inner = runtime.inner.borrow();
    inner.slots[inner.current.0 as usize].spurious < runtime.habits.spurious
}

/// The current thread did something without a reason.
pub(crate) fn was_spurious() {
    let mut inner = runtime().inner.borrow_mut();
    let current = inner.current.0 as usize;
    inner.slots[current].spurious += 1;
}

/// Something that is no visible operation, and of which a step can make too many.
#[track_caller]
pub(crate) fn quiet(what: &str) {
    let place = Location::caller();
    let runtime = runtime();
    if runtime.torn.get() || std::thread::panicking() {
        return;
    }
    let mut inner = runtime.inner.borrow_mut();
    inner.quiet += 1;
    if inner.quiet <= runtime.habits.quiet {
        return;
    }
    let current = inner.current;
    drop(inner);
    use ample_stateless::System;
    let name = runtime.name(current);
    let (count, kind) = (runtime.habits.quiet, FindingKind::Divergence);
    let message = format!(
        "divergence: {name} made {count} times {what} ({place}) without a visible operation"
    );
    let mut inner = runtime.inner.borrow_mut();
    inner.performed.failures.push(Failure::new(kind, message));
    inner.performed.is_over = true;
    drop(inner);
    resume_unwind(Box::new("the thread diverges"));
}

/// Reports something that is wrong and does not end the thread.
pub(crate) fn fail(message: String) {
    let mut inner = runtime().inner.borrow_mut();
    let failure = Failure::from(message);
    if !inner.performed.failures.contains(&failure) {
        inner.performed.failures.push(failure);
    }
}

/// The name of a thread as reports have it.
pub(crate) fn called(thread: Thread) -> String {
    use ample_stateless::System;
    runtime().name(thread)
}

/// Notes that the current thread waits for others.
pub(crate) fn yielded() {
    runtime().inner.borrow_mut().performed.yielded = true;
}

/// Notes that the program asked for less than sequential consistency.
pub(crate) fn weak_order() {
    runtime().inner.borrow_mut().weak = true;
}

/// A lock with so many free units, which nobody should have at the end.
pub(crate) fn lock_exists(object: Object, units: u64, what: &'static str) {
    let runtime = runtime();
    if runtime.habits.leaks {
        runtime.inner.borrow_mut().locks.push((object, units, what));
    }
}

/// The value of an object of this execution.
pub(crate) fn value(object: Object) -> u64 {
    runtime().inner.borrow().values.get(object)
}

/// Changes the value of an object that nobody else can reach.
pub(crate) fn set_value(object: Object, value: u64) {
    runtime().inner.borrow_mut().values.set(object, value);
}

/// Whether the execution is being given up.
pub(crate) fn is_torn() -> bool {
    is_inside() && runtime().torn.get()
}

/// Whether operations can be executed: inside an exploration, in an execution that is not being
/// given up.
pub(crate) fn is_usable() -> bool {
    is_inside() && !runtime().torn.get()
}

/// Distinguishes this execution from all others.
pub(crate) fn epoch() -> u64 {
    runtime().epoch.get()
}

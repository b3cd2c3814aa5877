//! The system that the explorer sees: coroutines, their pending operations, and the values of their
//! objects.
//!
//! A thread runs until it is about to execute a visible operation, leaves the operation in its slot
//! and suspends. When the explorer chooses it, it is resumed, performs the operation on the table
//! of values and runs on. A new thread runs up to its first visible operation at once: that belongs
//! to its creator's step.
//!
//! Threads are numbered by parent and place among the parent's children, which is the same in all
//! equivalent executions. Objects get a number when an operation on them is first announced in an
//! execution.
//!
//! An execution that is given up (a deadlock, a bound) unwinds its coroutines, children before
//! parents. Operations in destructors then do nothing. In a thread that panics, operations are
//! performed at once, without suspending: the panic count of the operating system's thread is
//! shared by all coroutines.

use ample_stateless::{
    Access, Kind, Object, Operation, Pending, Performed, System, Thread, Values,
};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, PanicHookInfo, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a coroutine's stack. Pages are used only when touched.
const STACK: usize = 512 << 10;

/// Stacks kept from one exploration to the next.
const KEPT: usize = 16;

type Switch = Yielder<u32, ()>;
type Body = Box<dyn FnOnce()>;

/// A clock of synchronisation: how much of each thread is known.
pub(crate) type Clock = Vec<u32>;

fn join(into: &mut Clock, from: &Clock) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (mine, theirs) in into.iter_mut().zip(from) {
        *mine = (*mine).max(*theirs);
    }
}

/// In how many ways an operation can be executed.
#[derive(Clone, Copy)]
pub(crate) enum Ways {
    /// So many.
    Fixed(u32),
    /// One per thread that waits for this condition.
    Waiting(Object),
}

/// What a thread is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Absent,
    Pending,
    Ended,
}

struct Slot {
    status: Status,
    coroutine: Option<Coroutine<u32, (), (), DefaultStack>>,
    switch: Option<NonNull<Switch>>,
    operation: Operation,
    ways: Ways,
    what: &'static str,
    place: &'static Location<'static>,
    name: Option<String>,
    children: u32,
    clock: Clock,
}

impl Slot {
    fn absent() -> Self {
        Slot {
            status: Status::Absent,
            coroutine: None,
            switch: None,
            operation: Operation::local(),
            ways: Ways::Fixed(1),
            what: "",
            place: Location::caller(),
            name: None,
            children: 0,
            clock: Clock::new(),
        }
    }
}

/// Everything about the execution.
struct Inner {
    values: Values,
    slots: Vec<Slot>,
    /// Threads in the order of their creation.
    created: Vec<Thread>,
    numbers: FxHashMap<(u32, u32), Thread>,
    stacks: Vec<DefaultStack>,
    /// Objects numbered so far.
    objects: u32,
    waiting: FxHashMap<Object, Vec<Thread>>,
    clocks: FxHashMap<Object, Clock>,
    performed: Performed,
    current: Thread,
    weak: bool,
}

/// A program under exploration.
pub(crate) struct Runtime {
    inner: RefCell<Inner>,
    /// Distinguishes this execution from all others in the process.
    epoch: Cell<u64>,
    /// The execution is being given up.
    torn: Cell<bool>,
    main: Rc<dyn Fn()>,
}

thread_local! {
    static CURRENT: Cell<Option<NonNull<Runtime>>> = const { Cell::new(None) };
    /// Stacks for the next exploration.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

static EPOCHS: AtomicU64 = AtomicU64::new(1);

const MAIN: Thread = Thread(0);

/// Objects that belong to threads have odd numbers, three per thread; all others have even ones.
fn of_thread(thread: Thread, which: u32) -> Object {
    Object(2 * (3 * thread.0 + which) + 1)
}

/// Given at the end of a thread.
pub(crate) fn end_of(thread: Thread) -> Object {
    of_thread(thread, 0)
}

/// What `unpark` leaves for `park`.
pub(crate) fn parking_of(thread: Thread) -> Object {
    of_thread(thread, 1)
}

/// Given to a thread that waits for a condition when it is notified.
pub(crate) fn token_of(thread: Thread) -> Object {
    of_thread(thread, 2)
}

/// The runtime of the exploration that this thread of the system belongs to.
fn runtime() -> &'static Runtime {
    let Some(pointer) = CURRENT.get() else {
        panic!(
            "threads, locks and atomics of `ample_threads` work only inside `ample_threads::check` or `explore`"
        );
    };
    // SAFETY: `Session` sets the pointer while the runtime exists and resets it before the runtime
    // is dropped. The reference does not leave this module for longer than a call, and calls are
    // made between the two only.
    unsafe { pointer.as_ref() }
}

/// Whether this is inside an exploration.
fn is_inside() -> bool {
    CURRENT.get().is_some()
}

/// A runtime that the code of this thread of the system can reach.
pub(crate) struct Session(Box<Runtime>);

impl Session {
    pub(crate) fn new(main: Rc<dyn Fn()>) -> Self {
        install_hook();
        assert!(
            !is_inside(),
            "an exploration cannot be started inside another one"
        );
        let session = Session(Box::new(Runtime::new(main)));
        CURRENT.set(Some(NonNull::from(&*session.0)));
        session
    }

    pub(crate) fn runtime(&mut self) -> &mut Runtime {
        &mut self.0
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.0.tear_down();
        CURRENT.set(None);
        let stacks = &mut self.0.inner.get_mut().stacks;
        STACKS.with_borrow_mut(|kept| {
            let room = KEPT.saturating_sub(kept.len()).min(stacks.len());
            kept.extend(stacks.drain(..room));
        });
    }
}

/// Keeps panics of explored threads from being printed, and remembers what they say.
fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if !is_inside() {
                return previous(info);
            }
            let message = info.payload_as_str().unwrap_or("a panic without a message");
            let place = info.location().map_or(String::new(), |l| format!(" ({l})"));
            LAST_PANIC.with_borrow_mut(|last| *last = format!("{message}{place}"));
        }));
    });
}

/// The number of an object, remembered by the object itself.
#[derive(Default)]
pub(crate) struct Id {
    epoch: AtomicU64,
    number: AtomicU64,
}

impl Id {
    pub(crate) const fn new() -> Self {
        Id {
            epoch: AtomicU64::new(0),
            number: AtomicU64::new(0),
        }
    }

    /// The object's number, if it has one in this execution.
    pub(crate) fn known(&self) -> Option<Object> {
        let epoch = is_inside().then(|| runtime().epoch.get())?;
        (self.epoch.load(Ordering::Relaxed) == epoch)
            .then(|| Object(self.number.load(Ordering::Relaxed) as u32))
    }

    /// The object's number. In its first use in an execution it gets one, with an initial value,
    /// and `true` comes with it.
    pub(crate) fn get(&self, initial: impl FnOnce() -> u64) -> (Object, bool) {
        if let Some(object) = self.known() {
            return (object, false);
        }
        let runtime = runtime();
        let mut inner = runtime.inner.borrow_mut();
        let object = Object(2 * inner.objects);
        inner.objects += 1;
        inner.values.set(object, initial());
        drop(inner);
        self.epoch.store(runtime.epoch.get(), Ordering::Relaxed);
        self.number.store(u64::from(object.0), Ordering::Relaxed);
        (object, true)
    }

    /// Whether it had a number in an earlier execution, and has none in this one.
    pub(crate) fn is_stale(&self) -> bool {
        self.epoch.load(Ordering::Relaxed) != 0 && self.known().is_none()
    }
}

/// Executes a visible operation of the current thread; `None` if the execution is being given up.
#[track_caller]
pub(crate) fn visible(
    what: &'static str,
    operation: Operation,
    stored: impl FnMut(&Access) -> u64,
) -> Option<Operation> {
    visible_in(what, operation, Ways::Fixed(1), stored).map(|(performed, _)| performed)
}

#[track_caller]
fn visible_in(
    what: &'static str,
    operation: Operation,
    ways: Ways,
    stored: impl FnMut(&Access) -> u64,
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
            inner.performed.failures.push(message);
            inner.performed.is_over = true;
            return None;
        }
        let performed = inner.values.perform(&operation, stored);
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
    let operation = &inner.slots[current.0 as usize].operation;
    let performed = inner.values.perform(operation, stored);
    inner.performed.operation = performed.clone();
    Some((performed, choice))
}

/// Chooses a number.
#[track_caller]
pub(crate) fn toss(n: u32) -> u32 {
    let ways = Ways::Fixed(n);
    visible_in("toss", Operation::local(), ways, |_| 0).map_or(0, |(_, choice)| choice)
}

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
    let Some((_, choice)) = visible_in(what, operation, ways, |_| 0) else {
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

/// What the current thread knows becomes known to those who acquire the object.
pub(crate) fn release(object: Object) {
    with_clocks(object, |mine, theirs| {
        join(theirs, mine);
    });
}

/// The same, and what was known there before is forgotten.
pub(crate) fn release_only(object: Object) {
    with_clocks(object, |mine, theirs| theirs.clone_from(mine));
}

/// What is known there is forgotten.
pub(crate) fn forget(object: Object) {
    with_clocks(object, |_, theirs| theirs.clear());
}

/// The current thread knows what was released to the object.
pub(crate) fn acquire(object: Object) {
    with_clocks(object, |mine, theirs| join(mine, theirs));
}

fn with_clocks(object: Object, f: impl FnOnce(&mut Clock, &mut Clock)) {
    if !is_inside() {
        return;
    }
    let mut inner = runtime().inner.borrow_mut();
    let inner = &mut *inner;
    let thread = inner.current.0 as usize;
    let mine = &mut inner.slots[thread].clock;
    if mine.len() <= thread {
        mine.resize(thread + 1, 0);
    }
    let theirs = inner.clocks.entry(object).or_default();
    f(mine, theirs);
    mine[thread] += 1;
}

/// The current thread, and what it knows of each thread. `None` while an execution is given up.
pub(crate) fn known() -> Option<(u32, Clock)> {
    let runtime = runtime();
    if runtime.torn.get() {
        return None;
    }
    let mut inner = runtime.inner.borrow_mut();
    let thread = inner.current.0 as usize;
    let clock = &mut inner.slots[thread].clock;
    if clock.len() <= thread {
        clock.resize(thread + 1, 0);
    }
    clock[thread] = clock[thread].max(1);
    Some((thread as u32, clock.clone()))
}

/// Reports something that is wrong and does not end the thread.
pub(crate) fn fail(message: String) {
    let mut inner = runtime().inner.borrow_mut();
    if !inner.performed.failures.contains(&message) {
        inner.performed.failures.push(message);
    }
}

/// Notes that the program asked for less than sequential consistency.
pub(crate) fn weak_order() {
    runtime().inner.borrow_mut().weak = true;
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

/// The thread that runs.
pub(crate) fn current() -> Thread {
    runtime().inner.borrow().current
}

/// The name of a thread, if it has one.
pub(crate) fn name_of(thread: Thread) -> Option<String> {
    if thread == MAIN {
        return Some("main".to_owned());
    }
    let inner = runtime().inner.borrow();
    inner.slots[thread.0 as usize].name.clone()
}

/// What a thread leaves behind.
pub(crate) type Outcome<T> = Rc<RefCell<Option<Result<T, Box<dyn Any + Send>>>>>;

/// Starts a thread and runs it up to its first visible operation.
pub(crate) fn spawn<T: 'static>(
    name: Option<String>,
    body: Box<dyn FnOnce() -> T>,
) -> (Thread, Outcome<T>) {
    let outcome: Outcome<T> = Rc::default();
    let result = outcome.clone();
    let body: Body = Box::new(move || {
        let caught = catch_unwind(AssertUnwindSafe(body));
        if let Err(payload) = &caught
            && !runtime().torn.get()
        {
            let message = LAST_PANIC.with_borrow_mut(std::mem::take);
            let message = match message.is_empty() {
                true => format!("{payload:?}"),
                false => message,
            };
            let thread = current();
            fail(format!("{} panicked: {message}", runtime().name(thread)));
        }
        *result.borrow_mut() = Some(caught);
    });
    let runtime = runtime();
    let mut inner = runtime.inner.borrow_mut();
    let parent = inner.current;
    let nth = inner.slots[parent.0 as usize].children;
    inner.slots[parent.0 as usize].children += 1;
    let next = Thread(inner.slots.len() as u32);
    let thread = *inner.numbers.entry((parent.0, nth)).or_insert(next);
    if thread == next {
        inner.slots.push(Slot::absent());
    }
    let clock = inner.slots[parent.0 as usize].clock.clone();
    if let Some(own) = inner.slots[parent.0 as usize]
        .clock
        .get_mut(parent.0 as usize)
    {
        *own += 1;
    }
    inner.slots[thread.0 as usize].name = name;
    inner.slots[thread.0 as usize].clock = clock;
    inner.performed.created.push(thread);
    drop(inner);
    runtime.start(thread, body);
    runtime.inner.borrow_mut().current = parent;
    (thread, outcome)
}

impl Runtime {
    fn new(main: Rc<dyn Fn()>) -> Self {
        Runtime {
            inner: RefCell::new(Inner {
                values: Values::default(),
                slots: vec![Slot::absent()],
                created: Vec::new(),
                numbers: FxHashMap::default(),
                stacks: STACKS.take(),
                objects: 0,
                waiting: FxHashMap::default(),
                clocks: FxHashMap::default(),
                performed: Performed::default(),
                current: MAIN,
                weak: false,
            }),
            epoch: Cell::new(0),
            torn: Cell::new(false),
            main,
        }
    }

    /// Whether the program asked for less than sequential consistency.
    pub(crate) fn is_weak(&self) -> bool {
        self.inner.borrow().weak
    }

    fn start(&self, thread: Thread, body: Body) {
        let mut inner = self.inner.borrow_mut();
        let stack = inner
            .stacks
            .pop()
            .unwrap_or_else(|| DefaultStack::new(STACK).expect("there is memory for a stack"));
        inner.created.push(thread);
        drop(inner);
        let coroutine = Coroutine::with_stack(stack, move |switch: &Switch, _: u32| {
            let runtime = runtime();
            runtime.inner.borrow_mut().slots[thread.0 as usize].switch =
                Some(NonNull::from(switch));
            body();
            if !runtime.torn.get() {
                release(end_of(thread));
                let end = Operation::one(end_of(thread), Kind::Give(1));
                visible("the end of the thread", end, |_| 0);
            }
        });
        self.inner.borrow_mut().slots[thread.0 as usize].coroutine = Some(coroutine);
        self.resume(thread, 0);
    }

    /// Runs a thread until it suspends or ends.
    fn resume(&self, thread: Thread, choice: u32) {
        let mut inner = self.inner.borrow_mut();
        inner.current = thread;
        let slot = &mut inner.slots[thread.0 as usize];
        let mut coroutine = slot.coroutine.take().expect("the thread has a coroutine");
        drop(inner);
        let result = coroutine.resume(choice);
        let mut inner = self.inner.borrow_mut();
        match result {
            CoroutineResult::Yield(()) => {
                inner.slots[thread.0 as usize].coroutine = Some(coroutine);
            }
            CoroutineResult::Return(()) => {
                inner.slots[thread.0 as usize].status = Status::Ended;
                inner.stacks.push(coroutine.into_stack());
            }
        }
    }

    /// Ends what is left of the execution: all threads are unwound, the youngest first.
    fn tear_down(&self) {
        self.torn.set(true);
        loop {
            let mut inner = self.inner.borrow_mut();
            let Some(thread) = inner.created.pop() else {
                break;
            };
            let slot = &mut inner.slots[thread.0 as usize];
            let coroutine = slot.coroutine.take();
            slot.status = Status::Absent;
            slot.switch = None;
            slot.name = None;
            slot.children = 0;
            slot.clock.clear();
            inner.current = thread;
            drop(inner);
            if let Some(mut coroutine) = coroutine {
                coroutine.force_unwind();
                let stack = coroutine.into_stack();
                self.inner.borrow_mut().stacks.push(stack);
            }
        }
        LAST_PANIC.with_borrow_mut(String::clear);
        self.torn.set(false);
    }
}

impl System for Runtime {
    fn restart(&mut self, performed: &mut Performed) {
        self.tear_down();
        self.epoch.set(EPOCHS.fetch_add(1, Ordering::Relaxed));
        let inner = self.inner.get_mut();
        inner.values.clear();
        inner.objects = 0;
        inner.waiting.clear();
        inner.clocks.clear();
        inner.performed.clear();
        inner.current = MAIN;
        let main = self.main.clone();
        let body: Body = Box::new(move || {
            if catch_unwind(AssertUnwindSafe(|| main())).is_err() && !runtime().torn.get() {
                let message = LAST_PANIC.with_borrow_mut(std::mem::take);
                fail(format!("main panicked: {message}"));
            }
        });
        self.start(MAIN, body);
        std::mem::swap(performed, &mut self.inner.get_mut().performed);
    }

    fn threads(&self) -> usize {
        self.inner.borrow().slots.len()
    }

    fn pending(&self, thread: Thread) -> Pending<'_> {
        // SAFETY: the explorer calls the methods of the system one after the other, never from
        // inside a coroutine, and drops what this returns before it calls one that takes `&mut
        // self`. Nothing else changes a slot while the explorer runs.
        let inner = unsafe { &*self.inner.as_ptr() };
        let slot = &inner.slots[thread.0 as usize];
        if slot.status != Status::Pending {
            return Pending::None;
        }
        let choices = match slot.ways {
            Ways::Fixed(n) => n,
            Ways::Waiting(condition) => {
                let waiting = inner.waiting.get(&condition);
                waiting.map_or(1, |w| w.len().max(1)) as u32
            }
        };
        Pending::Operation {
            operation: &slot.operation,
            enabled: inner.values.enables(&slot.operation),
            choices,
        }
    }

    fn value(&self, object: Object) -> u64 {
        self.inner.borrow().values.get(object)
    }

    fn step(&mut self, thread: Thread, choice: u32, performed: &mut Performed) {
        std::mem::swap(performed, &mut self.inner.get_mut().performed);
        self.resume(thread, choice);
        std::mem::swap(performed, &mut self.inner.get_mut().performed);
    }

    fn numbered(object: Object) -> u32 {
        if object.0 % 2 == 1 {
            return 0;
        }
        object.0 / 2 + 1
    }

    fn objects(&self) -> u32 {
        self.inner.borrow().objects
    }

    fn name(&self, thread: Thread) -> String {
        let inner = self.inner.borrow();
        match inner.slots.get(thread.0 as usize).map(|slot| &slot.name) {
            _ if thread == MAIN => "main".to_owned(),
            Some(Some(name)) => format!("{name} (thread {})", thread.0),
            _ => format!("thread {}", thread.0),
        }
    }

    fn describe(&self, thread: Thread) -> String {
        let inner = self.inner.borrow();
        let slot = &inner.slots[thread.0 as usize];
        // A drop has no place of its own in the program.
        if ["the drop", "the end"]
            .iter()
            .any(|w| slot.what.starts_with(w))
        {
            return slot.what.to_owned();
        }
        format!("{} ({})", slot.what, slot.place)
    }
}

//! Threads as coroutines.

use super::object::{end_of, new_epoch};
use super::{Clocks, MAIN, Runtime, Ways, clock, fail, panics, release, runtime, visible};
use ample_stateless::{Kind, Operation, System, Thread};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::NonNull;
use std::rc::Rc;

/// Bytes of a coroutine's stack. Pages are used only when touched.
const STACK: usize = 512 << 10;

type Switch = Yielder<u32, ()>;

/// What a thread is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Absent,
    Pending,
    Ended,
}

/// Thread-local values by the address of their key, in the order of their first use.
type Locals = Vec<(usize, Rc<dyn Any>)>;

pub(super) struct Slot {
    pub(super) status: Status,
    coroutine: Option<Coroutine<u32, (), (), DefaultStack>>,
    pub(super) switch: Option<NonNull<Switch>>,
    pub(super) operation: Operation,
    pub(super) ways: Ways,
    pub(super) what: &'static str,
    pub(super) place: &'static Location<'static>,
    pub(super) name: Option<String>,
    /// Its children so far in this execution, and the numbers of all that it ever had.
    children: usize,
    known_children: Vec<Thread>,
    pub(super) clock: clock::Clock,
    pub(super) spurious: u32,
    locals: Locals,
}

impl Slot {
    pub(super) fn absent() -> Self {
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
            known_children: Vec::new(),
            clock: clock::Clock::default(),
            spurious: 0,
            locals: Vec::new(),
        }
    }

    /// Forgets the execution.
    fn reset(&mut self) {
        self.status = Status::Absent;
        self.switch = None;
        self.name = None;
        self.children = 0;
        self.clock.clear();
        self.spurious = 0;
    }
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
    body: impl FnOnce() -> T + 'static,
) -> (Thread, Outcome<T>) {
    let outcome: Outcome<T> = Rc::default();
    let result = outcome.clone();
    let runtime = runtime();
    let mut inner = runtime.inner.borrow_mut();
    let inner_mut = &mut *inner;
    let parent = inner_mut.current;
    let slot = &mut inner_mut.slots[parent.0 as usize];
    let nth = slot.children;
    slot.children += 1;
    if nth == slot.known_children.len() {
        slot.known_children.push(runtime.names.child(parent, nth));
    }
    let thread = slot.known_children[nth];
    let needed = thread.0 as usize + 1;
    if inner_mut.slots.len() < needed {
        inner_mut.slots.resize_with(needed, Slot::absent);
    }
    let [from, to] = (inner_mut.slots)
        .get_disjoint_mut([parent.0 as usize, thread.0 as usize])
        .expect("a thread is not its own child");
    to.clock.clone_from(&from.clock);
    *from.clock.own(parent) += 1;
    to.name = name;
    inner_mut.performed.created.push(thread);
    drop(inner);
    runtime.start(thread, move || {
        let caught = catch_unwind(AssertUnwindSafe(body));
        runtime.ended(thread, caught.as_ref().err());
        *result.borrow_mut() = Some(caught);
    });
    runtime.inner.borrow_mut().current = parent;
    (thread, outcome)
}

/// Calls `f` with the thread-local value of the current thread for this key, which is made if there
/// is none.
pub(crate) fn with_locals<T: 'static, R>(
    key: usize,
    initial: impl FnOnce() -> T,
    f: impl FnOnce(&T) -> R,
) -> R {
    let runtime = runtime();
    let find = || {
        let inner = runtime.inner.borrow();
        let locals = &inner.slots[inner.current.0 as usize].locals;
        locals
            .iter()
            .find(|(k, _)| *k == key)
            .map(|(_, value)| value.clone())
    };
    let value = find().unwrap_or_else(|| {
        let value: Rc<dyn Any> = Rc::new(initial());
        let mut inner = runtime.inner.borrow_mut();
        let current = inner.current.0 as usize;
        inner.slots[current].locals.push((key, value.clone()));
        value
    });
    f(value.downcast_ref().expect("a key belongs to one type"))
}

impl Runtime {
    /// The body of a thread has ended, with a panic if there is a payload.
    fn ended(&self, thread: Thread, panic: Option<&Box<dyn Any + Send>>) {
        if self.torn.get() {
            return;
        }
        if let Some(payload) = panic
            && !self.inner.borrow().performed.is_over
        {
            let message = match panics::take_last() {
                message if message.is_empty() => format!("{payload:?}"),
                message => message,
            };
            fail(format!("{} panicked: {message}", self.name(thread)));
        }
        // Destructors of thread-local values may use others, which are made again then.
        loop {
            let local = self.inner.borrow_mut().slots[thread.0 as usize]
                .locals
                .pop();
            match local {
                Some(local) => drop(local),
                None => break,
            }
        }
    }

    fn start(&self, thread: Thread, body: impl FnOnce() + 'static) {
        let mut inner = self.inner.borrow_mut();
        let stack = inner
            .stacks
            .pop()
            .unwrap_or_else(|| DefaultStack::new(STACK).expect("there is memory for a stack"));
        inner.created.push(thread);
        drop(inner);
        self.beat.created(thread);
        let coroutine = Coroutine::with_stack(stack, move |switch: &Switch, _: u32| {
            let runtime = runtime();
            runtime.inner.borrow_mut().slots[thread.0 as usize].switch =
                Some(NonNull::from(switch));
            body();
            if !runtime.torn.get() && !runtime.inner.borrow().performed.is_over {
                release(end_of(thread));
                let end = Operation::one(end_of(thread), Kind::Give(1));
                visible("the end of the thread", end, |_| 0);
            }
        });
        self.inner.borrow_mut().slots[thread.0 as usize].coroutine = Some(coroutine);
        self.resume(thread, 0);
    }

    /// Runs a thread until it suspends or ends.
    pub(super) fn resume(&self, thread: Thread, choice: u32) {
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
    pub(super) fn tear_down(&self) {
        self.torn.set(true);
        loop {
            let mut inner = self.inner.borrow_mut();
            let Some(thread) = inner.created.pop() else {
                break;
            };
            let slot = &mut inner.slots[thread.0 as usize];
            let coroutine = slot.coroutine.take();
            slot.reset();
            inner.current = thread;
            drop(inner);
            if let Some(mut coroutine) = coroutine {
                coroutine.force_unwind();
                let stack = coroutine.into_stack();
                self.inner.borrow_mut().stacks.push(stack);
            }
            loop {
                let local = self.inner.borrow_mut().slots[thread.0 as usize]
                    .locals
                    .pop();
                match local {
                    Some(local) => drop(local),
                    None => break,
                }
            }
        }
        panics::forget_last();
        self.torn.set(false);
    }

    /// Begins an execution and runs the main thread up to its first visible operation.
    pub(super) fn begin(&mut self) {
        self.tear_down();
        self.epoch.set(new_epoch(self.worker));
        let inner = self.inner.get_mut();
        inner.values.clear();
        inner.objects = 0;
        inner.waiting.values_mut().for_each(Vec::clear);
        Clocks::clear(&mut inner.clocks);
        inner.performed.clear();
        inner.current = MAIN;
        inner.quiet = 0;
        inner.locks.clear();
        inner.outlived.clear();
        self.beat.restart();
        self.beat.turn();
        let main = self.main.clone();
        self.start(MAIN, move || {
            let caught = catch_unwind(AssertUnwindSafe(|| main()));
            runtime().ended(MAIN, caught.as_ref().err());
        });
    }
}

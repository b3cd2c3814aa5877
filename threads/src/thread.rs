//! `std::thread`: threads whose order the explorer decides.

use crate::runtime::{self, Outcome};
use ample_stateless::{Kind, Operation, Thread as Number};
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::time::Duration;

/// The result of a thread.
pub type Result<T> = std::result::Result<T, Box<dyn Any + Send + 'static>>;

/// A handle to a thread.
#[derive(Clone)]
pub struct Thread {
    number: Number,
    name: Option<String>,
}

/// Identifies a thread within one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(u32);

impl Thread {
    fn new(number: Number) -> Self {
        Thread {
            number,
            name: runtime::name_of(number),
        }
    }

    /// Its identifier.
    pub fn id(&self) -> ThreadId {
        ThreadId(self.number.0)
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Lets it go on from, or not stop at, `park`.
    #[track_caller]
    pub fn unpark(&self) {
        let object = runtime::parking_of(self.number);
        runtime::release(object);
        runtime::visible("Thread::unpark", Operation::one(object, Kind::Set), |_| 1);
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Thread");
        shown.field("id", &self.id()).field("name", &self.name());
        shown.finish_non_exhaustive()
    }
}

/// The thread that calls it.
pub fn current() -> Thread {
    Thread::new(runtime::current())
}

/// Lets others run. The explorer needs no such hint.
#[track_caller]
pub fn yield_now() {
    runtime::visible("yield_now", Operation::local(), |_| 0);
    runtime::yielded();
}

/// Any other thread may run meanwhile, or none. The time of [`crate::time`] passes.
#[track_caller]
pub fn sleep(duration: Duration) {
    runtime::visible("sleep", Operation::local(), |_| 0);
    runtime::yielded();
    runtime::pass(duration);
}

/// The same until a moment.
#[track_caller]
pub fn sleep_until(deadline: crate::time::Instant) {
    sleep(deadline.saturating_duration_since(crate::time::Instant::now()));
}

/// How many threads can run at the same time: 2, on every machine.
///
/// # Errors
/// Never.
pub fn available_parallelism() -> io::Result<std::num::NonZero<usize>> {
    Ok(std::num::NonZero::<usize>::MIN.saturating_add(1))
}

/// Waits until somebody calls `unpark`. It may return without a reason if
/// [`crate::Builder::spurious`] says so.
#[track_caller]
pub fn park() {
    let object = runtime::parking_of(runtime::current());
    if runtime::may_be_spurious() {
        return match attempt_to_park("park") {
            true => {}
            false => runtime::was_spurious(),
        };
    }
    runtime::visible("park", Operation::one(object, Kind::Take(1)), |_| 0);
    runtime::acquire(object);
}

/// Whether it was unparked.
#[track_caller]
fn attempt_to_park(what: &'static str) -> bool {
    let object = runtime::parking_of(runtime::current());
    let attempt = Operation::attempt(object, Kind::Take(1));
    let performed = runtime::visible(what, attempt, |_| 0);
    let succeeds = performed.is_none_or(|operation| operation.accesses[0].kind != Kind::Read);
    // An attempt that fails learns nothing: who unparks announces what it knows a step earlier.
    if succeeds {
        runtime::acquire(object);
    }
    succeeds
}

/// The same, but may give up at any time.
#[track_caller]
pub fn park_timeout(duration: Duration) {
    if !attempt_to_park("park_timeout") {
        runtime::pass(duration);
    }
}

/// A value of which each thread has its own: see [`crate::thread_local!`].
pub struct LocalKey<T: 'static> {
    initial: fn() -> T,
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(initial: fn() -> T) -> Self {
        LocalKey { initial }
    }

    /// Calls `f` with the value of the current thread, which is made if there is none.
    #[track_caller]
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        let key = std::ptr::from_ref(self) as usize;
        runtime::with_locals(key, self.initial, f)
    }

    /// The same.
    ///
    /// # Errors
    /// Never: a value can be made again while those of its thread are dropped.
    #[track_caller]
    pub fn try_with<R>(
        &'static self,
        f: impl FnOnce(&T) -> R,
    ) -> std::result::Result<R, AccessError> {
        Ok(self.with(f))
    }
}

impl<T: 'static> LocalKey<std::cell::Cell<T>> {
    /// Replaces the value.
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// A copy of the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(std::cell::Cell::get)
    }

    /// Replaces the value and returns the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }

    /// Leaves the default and returns the value.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(std::cell::Cell::take)
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Calls `f` with the value.
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }

    /// The same to change it.
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// What [`LocalKey::try_with`] could return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessError;

/// Declares values of which each thread has its own, as `std` does. They start anew in each
/// execution.
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $visible:vis static $name:ident: $type:ty = const $initial:block $(; $($rest:tt)*)?) => {
        $crate::thread_local!($(#[$attribute])* $visible static $name: $type = $initial $(; $($rest)*)?);
    };
    ($(#[$attribute:meta])* $visible:vis static $name:ident: $type:ty = $initial:expr $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $visible static $name: $crate::thread::LocalKey<$type> = $crate::thread::LocalKey::new(|| $initial);
        $($crate::thread_local!($($rest)*);)?
    };
}

/// Whether the calling thread is unwinding.
pub fn panicking() -> bool {
    std::thread::panicking()
}

/// Waits for a thread and takes what it left behind.
#[track_caller]
fn wait<T>(what: &'static str, thread: Number, outcome: &Outcome<T>) -> Result<T> {
    let end = runtime::end_of(thread);
    runtime::visible(what, Operation::one(end, Kind::Await(1)), |_| 0);
    runtime::acquire(end);
    match outcome.borrow_mut().take() {
        Some(result) => result,
        None => Err(Box::new("the execution is over")),
    }
}

#[track_caller]
fn is_finished(what: &'static str, thread: Number) -> bool {
    let read = Operation::one(runtime::end_of(thread), Kind::Read);
    let performed = runtime::visible(what, read, |_| 0);
    performed.is_none_or(|operation| operation.accesses[0].before > 0)
}

/// A handle to a thread that can be joined.
pub struct JoinHandle<T> {
    thread: Number,
    outcome: Outcome<T>,
}

// SAFETY: all threads of an exploration run on one thread of the system, and the handle works only
// there: every method reaches the runtime of the exploration first, and panics elsewhere. The
// reference count is touched elsewhere only if the program moves the handle to a thread of `std`,
// which an explored program must not start.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    /// Waits for the end of the thread.
    ///
    /// # Errors
    /// If the thread panicked. The panic is a finding in any case.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        wait("JoinHandle::join", self.thread, &self.outcome)
    }

    /// The thread.
    pub fn thread(&self) -> Thread {
        Thread::new(self.thread)
    }

    /// Whether the thread is at its end.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        is_finished("JoinHandle::is_finished", self.thread)
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Starts a thread.
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let (thread, outcome) = runtime::spawn(None, f);
    JoinHandle { thread, outcome }
}

/// Starts threads with a name.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// Without a name.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Gives the thread a name, which reports show.
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Has no effect: all stacks have the same size.
    pub fn stack_size(self, _: usize) -> Self {
        self
    }

    /// Starts a thread.
    ///
    /// # Errors
    /// Never.
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (thread, outcome) = runtime::spawn(self.name, f);
        Ok(JoinHandle { thread, outcome })
    }

    /// Starts a thread of a scope.
    ///
    /// # Errors
    /// Never.
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Ok(scope.start(self.name, f))
    }
}

/// Threads that end before [`scope`] returns.
pub struct Scope<'scope, 'env: 'scope> {
    threads: RefCell<Vec<(Number, Outcome<bool>)>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// A handle to a thread of a scope.
pub struct ScopedJoinHandle<'scope, T> {
    thread: Number,
    outcome: Outcome<T>,
    scope: PhantomData<&'scope ()>,
}

// SAFETY: as for `JoinHandle`.
unsafe impl<T> Send for ScopedJoinHandle<'_, T> {}
// SAFETY: as for `JoinHandle`.
unsafe impl<T> Sync for ScopedJoinHandle<'_, T> {}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the end of the thread.
    ///
    /// # Errors
    /// If the thread panicked.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        wait("ScopedJoinHandle::join", self.thread, &self.outcome)
    }

    /// The thread.
    pub fn thread(&self) -> Thread {
        Thread::new(self.thread)
    }

    /// Whether the thread is at its end.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        is_finished("ScopedJoinHandle::is_finished", self.thread)
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread that may borrow what outlives the scope.
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(None, f)
    }

    fn start<F, T>(&'scope self, name: Option<String>, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let outcome: Outcome<T> = Outcome::default();
        let result = outcome.clone();
        // The result may borrow too: it goes to a place of its own, and the thread itself has none.
        let body = move || {
            let value = f();
            *result.borrow_mut() = Some(Ok(value));
            true
        };
        let body: Box<dyn FnOnce() -> bool + 'scope> = Box::new(body);
        // SAFETY: only the lifetime changes. The thread is over before `'scope` ends: `scope` waits
        // for it before it returns, also when its closure panics; and if the execution is given up,
        // threads are unwound before their creators, whose frames they may borrow from.
        let body: Box<dyn FnOnce() -> bool> = unsafe { std::mem::transmute(body) };
        let (thread, done) = runtime::spawn(name, body);
        self.threads.borrow_mut().push((thread, done));
        ScopedJoinHandle {
            thread,
            outcome,
            scope: PhantomData,
        }
    }
}

/// Starts threads that may borrow from the caller, and waits for them.
///
/// # Panics
/// If the closure or a thread panics.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope {
        threads: RefCell::default(),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(&scope)));
    let mut all_well = true;
    for (thread, done) in scope.threads.take() {
        all_well &= wait("the end of a scope", thread, &done).is_ok();
    }
    match result {
        Err(payload) => std::panic::resume_unwind(payload),
        Ok(_) if !all_well => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

//! What is explored: a system of threads whose visible operations are known before they are
//! executed.
//!
//! A system is in a *global state* when every thread has either ended or is about to execute a
//! visible operation (Godefroid, "Software Model Checking: The VeriSoft Approach", Section 2). A
//! step is one visible operation and the invisible operations up to the next visible one. A system
//! may be a set of coroutines, processes outside, or a model: all the explorer asks is to be told
//! what is pending, to execute a step, and to start again from the beginning.
//!
//! What a system must keep to:
//! - It is deterministic: after [`System::restart`], the same steps lead to the same state. A
//!   breach is detected and named.
//! - Threads that communicate do so by the objects that their operations name.
//! - A thread has the same number in executions that are equal up to the order of independent
//!   steps. Numbering threads by their parent and their place among the parent's children does
//!   that. Objects should be numbered so too: [`System::numbered`].

use crate::operation::{Access, Object, Operation};
use crate::report::FindingKind;

/// A thread of the system. Numbers are small: they are indices of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thread(pub u32);

impl Thread {
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a thread is about to do.
#[derive(Debug)]
pub enum Pending<'s> {
    /// It does not exist, or has ended.
    None,
    /// This operation.
    Operation {
        /// What it will attempt.
        operation: &'s Operation,
        /// Whether it can be executed now.
        enabled: bool,
        /// In how many ways it can be executed now; at least one.
        choices: u32,
    },
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of thing.
    pub kind: FindingKind,
    /// What it is, in words.
    pub message: String,
}

impl Failure {
    /// Something of this kind.
    pub fn new(kind: FindingKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Failure { kind, message }
    }
}

/// A panic or an assertion.
impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::new(FindingKind::Failure, message)
    }
}

/// What a step did.
#[derive(Debug, Default)]
pub struct Performed {
    /// The operation as it was performed, with the values of its objects before and after: the
    /// accesses of the pending operation in the same order, and then any further ones.
    pub operation: Operation,
    /// Threads that exist since this step.
    pub created: Vec<Thread>,
    /// What went wrong in it.
    pub failures: Vec<Failure>,
    /// Whether the thread said that it cannot go on unless another one does something: a yield, or
    /// a turn of a loop that spins. Livelocks are found by it.
    pub yielded: bool,
    /// Whether the system cannot go on: it crashed, or left the explorer's control.
    pub is_over: bool,
}

impl Performed {
    /// Empties it for the next step.
    #[inline]
    pub fn clear(&mut self) {
        self.operation.accesses.clear();
        self.created.clear();
        self.failures.clear();
        self.yielded = false;
        self.is_over = false;
    }
}

/// A concurrent system under the explorer's control.
pub trait System {
    /// Goes back to the initial state. What went wrong on the way there, and the threads that
    /// exist, are left in `performed`.
    fn restart(&mut self, performed: &mut Performed);

    /// All threads have numbers below this one.
    fn threads(&self) -> usize;

    /// What a thread is about to do.
    fn pending(&self, thread: Thread) -> Pending<'_>;

    /// What a thread was about to do when the step of another one ended it, as the end of a process ends
    /// its threads. Such an operation may come before that step, so it must depend on it.
    fn cancelled(&self, thread: Thread) -> Option<&Operation> {
        let _ = thread;
        None
    }

    /// The value of an object now, by which its operations are possible or not.
    fn value(&self, object: Object) -> u64;

    /// Executes the pending operation of a thread, in one of its ways, and leaves a record in
    /// `performed`.
    fn step(&mut self, thread: Thread, choice: u32, performed: &mut Performed);

    /// When an object gets its number: 0 if it has the same one in all executions that are equal up
    /// to the order of independent steps, otherwise its place among those that got a number in the
    /// current execution. Steps of different executions are compared by objects that had a number
    /// where the executions separate; by what the thread announced in the current one; and if
    /// neither suffices, a trace may be executed again, or begun and then counted as blocked.
    fn numbered(object: Object) -> u32
    where
        Self: Sized,
    {
        let _ = object;
        0
    }

    /// How many objects got a number in the current execution so far.
    fn objects(&self) -> u32 {
        0
    }

    /// Whether operations may be disabled for reasons that the values of their objects do not tell, as the
    /// guards of a model are. Then [`System::foresee`] is asked in place of [`Operation::resolve`], an operation
    /// must name all objects on which its guard and its ways depend, and all accesses are reads or updates.
    fn is_guarded(&self) -> bool {
        false
    }

    /// What a thread would be about to do after the first `position` steps of the current execution and then
    /// `steps`, which are possible there, and whether it could do it. Only for systems that are guarded.
    fn foresee(
        &self,
        position: usize,
        steps: &mut dyn Iterator<Item = (Thread, u32)>,
        thread: Thread,
    ) -> Option<(Operation, bool)> {
        let _ = (position, steps, thread);
        None
    }

    /// Whether it is no deadlock if those who have not ended cannot go on.
    fn may_rest(&self) -> bool {
        false
    }

    /// All accesses that a thread, or a thread it creates, may still make; `false` if that is
    /// unknown. Only persistent sets need it.
    fn future(&self, thread: Thread, accesses: &mut Vec<Access>) -> bool {
        let _ = (thread, accesses);
        false
    }

    /// What a later sitting must know to give the same numbers to the same threads and objects.
    fn remember(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Takes over what [`System::remember`] said in an earlier sitting. `false` if it makes no sense.
    fn recall(&mut self, memory: &[u64]) -> bool {
        memory.is_empty()
    }

    /// Whether the exploration is to be given up: somebody asks for it, or the system cannot go on.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// What is wrong with an execution in which all threads have ended, such as a lock that
    /// nobody gave back.
    fn leftovers(&self, failures: &mut Vec<Failure>) {
        let _ = failures;
    }

    /// The number by which schedules call a thread. It must follow from the steps of the current
    /// execution alone. The numbers of threads need not: they may depend on which execution of the
    /// exploration came first.
    fn alias(&self, thread: Thread) -> u32 {
        thread.0
    }

    /// The thread with this alias.
    fn aliased(&self, alias: u32) -> Option<Thread> {
        Some(Thread(alias))
    }

    /// The name of a thread.
    fn name(&self, thread: Thread) -> String {
        format!("thread {}", thread.0)
    }

    /// The pending operation of a thread as a person would write it.
    fn describe(&self, thread: Thread) -> String {
        match self.pending(thread) {
            Pending::None => "nothing".to_owned(),
            Pending::Operation { operation, .. } => format!("{operation:?}"),
        }
    }

    /// Where in the source text it stands.
    fn place(&self, thread: Thread) -> Option<String> {
        let _ = thread;
        None
    }
}

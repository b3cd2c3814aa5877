//! What the library in the program and the explorer tell each other, in memory that they share.
//!
//! One thread of the program runs at a time. It runs until it is about to execute a visible
//! operation; then it writes the operation to its slot, hands over, and waits for its permission to
//! go on. A thread that was just created hands over to its creator, so that creating it belongs to
//! the creator's step; all others hand over to the explorer.
//!
//! The file belongs to two crates: this one, and the library, which has no dependencies.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// At most so many threads and processes in one execution.
pub const SLOTS: usize = 256;

/// The longest message of a queue, text of a failure, or list of operations.
pub const DATA: usize = 8192;

/// Says that the library has the same layout.
pub const MAGIC: u64 = 0x616d_706c_6501_0001;

/// Bytes of one signal stack.
pub const STACK: usize = 64 << 10;

/// [`Shared::turn`] while the explorer decides.
pub const EXPLORER: u32 = 0;
/// [`Shared::turn`] while the program runs.
pub const PROGRAM: u32 = 1;

/// [`Slot::state`]: no thread.
pub const ABSENT: u32 = 0;
/// [`Slot::state`]: the thread runs.
pub const RUNNING: u32 = 1;
/// [`Slot::state`]: the thread has announced an operation.
pub const PENDING: u32 = 2;
/// [`Slot::state`]: the explorer has seen it.
pub const SEEN: u32 = 3;

/// [`Shared::command`] that ends the server; all others are numbers of executions.
pub const STOP: u32 = u32::MAX;

/// What an announcement is about. Arguments are those of [`Slot::args`]. An address is followed by
/// what it belongs to: 0 for the memory of the process, otherwise a region that processes share,
/// within which the address is an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Call {
    /// The thread ends.
    End,
    /// The process ends: status.
    Exit,
    /// The process died: signal, address.
    Crash,
    /// An assertion failed; the text is in the data.
    Fail,
    /// Something that cannot be controlled; the text is in the data.
    Escape,
    /// Something was used in a way that it does not allow; the text is in the data.
    Misuse,
    /// Waits for the end of the thread in this slot.
    Join,
    /// Waits for the end of a process: its slot or `ANY`, and whether it does not wait. The result
    /// is the slot plus one, and the status.
    Wait,
    /// Takes a mutex or a spin lock: address, its kind.
    Lock,
    /// Takes it if it is free, or finds that it is not in time: address, kind.
    TryLock,
    /// Gives it back: address, kind.
    Unlock,
    /// Makes it new: address.
    LockInit,
    /// Takes a lock for reading: address.
    ReadLock,
    /// Tries to: address.
    TryReadLock,
    /// Takes a lock for writing: address.
    WriteLock,
    /// Tries to: address.
    TryWriteLock,
    /// Gives back what it has: address.
    RwUnlock,
    /// Makes it new: address.
    RwInit,
    /// Waits for a condition: address, address of the mutex, its kind, whether it may give up.
    CondWait,
    /// Wakes one: address.
    Signal,
    /// Wakes all: address.
    Broadcast,
    /// Makes it new: address.
    CondInit,
    /// Waits at a barrier: address, number of threads.
    Barrier,
    /// Makes it new: address.
    BarrierInit,
    /// Asks whether to run the function of a `pthread_once`: address.
    Once,
    /// Has run it: address.
    OnceDone,
    /// Takes a unit of a semaphore: address.
    SemWait,
    /// Tries to: address.
    SemTry,
    /// Gives a unit: address.
    SemPost,
    /// Sets the units: address, units.
    SemInit,
    /// Asks for the units: address.
    SemGet,
    /// Finds or makes a set of semaphores, a message queue or shared memory: sort, key, flags, size.
    IpcGet,
    /// Several operations on a set of semaphores: id, whether it does not wait; data.
    SemOp,
    /// Sets a semaphore of a set: id, number, units.
    SemSet,
    /// Asks for a semaphore of a set: id, number.
    SemAsk,
    /// Removes something: sort, id.
    IpcRemove,
    /// Sends to a message queue: id, type, whether it does not wait; data.
    MsgSend,
    /// Receives: id, type, whether it does not wait, room. The result is the length; the type and
    /// the data come with it.
    MsgReceive,
    /// Reads from a pipe: its number, bytes at most, whether it does not wait.
    PipeRead,
    /// Writes to a pipe: its number, bytes, whether it does not wait.
    PipeWrite,
    /// Makes a pipe: its number.
    PipeNew,
    /// Has one more (or, with 1, one fewer) end of a pipe: its number, whether it writes, which.
    PipeEnds,
    /// Lets others go on.
    Yield,
    /// Chooses a number: how many there are.
    Toss,
    /// Reads memory: address, bytes, value.
    Read,
    /// Writes it: address, bytes, value.
    Write,
    /// Reads and writes it in one step: address, bytes, value.
    Update,
    /// Replaces a value by another in one step: address, bytes, value, expected.
    Compare,
}

/// [`Call::Wait`] for any process.
pub const ANY: u64 = u64::MAX;

/// Sorts of [`Call::IpcGet`].
pub const SETS: u64 = 0;
/// Message queues.
pub const QUEUES: u64 = 1;
/// Shared memory.
pub const MEMORY: u64 = 2;

/// Mutexes that do not notice anything.
pub const NORMAL: u64 = 0;
/// Mutexes that their owner can take again.
pub const RECURSIVE: u64 = 1;
/// Mutexes that report mistakes.
pub const ERRORCHECK: u64 = 2;
/// Spin locks.
pub const SPIN: u64 = 100;

/// A thread as both sides see it.
#[repr(C)]
pub struct Slot {
    pub state: AtomicU32,
    /// 1 when the thread may go on.
    pub go: AtomicU32,
    /// 1 until the first announcement.
    pub fresh: AtomicU32,
    /// A [`Call`].
    pub code: AtomicU32,
    /// The slot of the creator.
    pub parent: AtomicU32,
    /// How many threads and processes the creator made before.
    pub place_among_children: AtomicU32,
    /// The slot of the first thread of its process.
    pub process: AtomicU32,
    /// How many threads and processes it created.
    pub children: AtomicU32,
    /// The number that the system gave to its process.
    pub pid: AtomicU32,
    /// Whether its process has had several threads.
    pub several: AtomicU32,
    /// Bytes of `data` that mean something.
    pub length: AtomicU32,
    /// Its `pthread_t`.
    pub handle: AtomicU64,
    pub args: [AtomicU64; 6],
    /// Where the program called.
    pub caller: AtomicU64,
    /// A value that memory has since the last write of the thread, if `wrote` is not 0.
    pub written: AtomicU64,
    pub wrote: AtomicU32,
    pub result: AtomicU64,
    pub more: AtomicU64,
    /// What was called.
    pub name: [AtomicU8; 40],
    pub data: [AtomicU8; DATA],
}

/// All that is shared.
#[repr(C)]
pub struct Shared {
    pub magic: AtomicU64,
    pub turn: AtomicU32,
    /// The execution that the server is to begin, or [`STOP`].
    pub command: AtomicU32,
    /// The last execution of which nothing is left.
    pub reaped: AtomicU32,
    /// The process of the server.
    pub server: AtomicU32,
    /// The process group of the execution.
    pub group: AtomicU32,
    /// A process that ended in a way nobody announced, and how.
    pub died: AtomicU32,
    pub died_status: AtomicU32,
    /// Slots that were used.
    pub used: AtomicU32,
    /// The end of the heap when the program began.
    pub heap: AtomicU64,
    pub slots: [Slot; SLOTS],
}

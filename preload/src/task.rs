//! A thread or process of the program, as the explorer sees it.

use crate::protocol::{Call, Slot};
use ample_stateless::{Object, Operation, Thread};
use std::sync::atomic::Ordering;

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Not in this execution.
    Absent,
    /// About to execute its operation.
    Pending,
    /// A process that has ended and may be waited for. Nobody notices it before its parent has waited
    /// without saying for which child: until then it has ended.
    Zombie,
    /// Its process was ended by another thread.
    Cancelled,
    Ended,
}

/// In how many ways an operation can be executed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ways {
    Fixed(u32),
    /// One per thread that waits for this.
    Waiting(Object),
}

/// What a thread has and others cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    Lock,
    Reading,
    Writing,
}

/// What a thread said that it is about to do.
#[derive(Clone, Debug)]
pub(crate) struct Announcement {
    pub(crate) call: Call,
    pub(crate) args: [u64; 6],
    pub(crate) name: String,
    pub(crate) caller: u64,
    pub(crate) several: bool,
    pub(crate) data: Vec<u8>,
}

const CALLS: [Call; 48] = [
    Call::End,
    Call::Exit,
    Call::Crash,
    Call::Fail,
    Call::Escape,
    Call::Misuse,
    Call::Join,
    Call::Wait,
    Call::Lock,
    Call::TryLock,
    Call::Unlock,
    Call::LockInit,
    Call::ReadLock,
    Call::TryReadLock,
    Call::WriteLock,
    Call::TryWriteLock,
    Call::RwUnlock,
    Call::RwInit,
    Call::CondWait,
    Call::Signal,
    Call::Broadcast,
    Call::CondInit,
    Call::Barrier,
    Call::BarrierInit,
    Call::Once,
    Call::OnceDone,
    Call::SemWait,
    Call::SemTry,
    Call::SemPost,
    Call::SemInit,
    Call::SemGet,
    Call::IpcGet,
    Call::SemOp,
    Call::SemSet,
    Call::SemAsk,
    Call::IpcRemove,
    Call::MsgSend,
    Call::MsgReceive,
    Call::PipeRead,
    Call::PipeWrite,
    Call::PipeNew,
    Call::PipeEnds,
    Call::Yield,
    Call::Toss,
    Call::Read,
    Call::Write,
    Call::Update,
    Call::Compare,
];

impl Announcement {
    /// What is in a slot. What cannot be is taken for something that left control.
    pub(crate) fn read(slot: &Slot) -> Self {
        let code = slot.code.load(Ordering::Relaxed);
        let call = CALLS.iter().copied().find(|&call| call as u32 == code);
        let call = call.unwrap_or(Call::Escape);
        let mut args = [0; 6];
        for (to, from) in args.iter_mut().zip(&slot.args) {
            *to = from.load(Ordering::Relaxed);
        }
        let name = slot.name.iter().map(|b| b.load(Ordering::Relaxed));
        let name: Vec<u8> = name.take_while(|&b| b != 0).collect();
        let has_data = matches!(
            call,
            Call::Fail | Call::Escape | Call::Misuse | Call::Crash | Call::SemOp | Call::MsgSend
        );
        let length = match has_data {
            true => slot.length.load(Ordering::Relaxed) as usize,
            false => 0,
        };
        let data = slot.data.iter().take(length);
        Announcement {
            call,
            args,
            name: String::from_utf8_lossy(&name).into_owned(),
            caller: slot.caller.load(Ordering::Relaxed),
            several: slot.several.load(Ordering::Relaxed) != 0,
            data: data.map(|b| b.load(Ordering::Relaxed)).collect(),
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.data).into_owned()
    }
}

/// A thread.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) status: Status,
    pub(crate) slot: u32,
    pub(crate) said: Announcement,
    pub(crate) operation: Operation,
    pub(crate) ways: Ways,
    /// Calls of several steps: which comes next.
    pub(crate) phase: u8,
    pub(crate) process: Thread,
    pub(crate) parent: Option<Thread>,
    pub(crate) held: Vec<(Object, Hold)>,
    /// What the process ended with.
    pub(crate) code: u64,
    /// Children that are processes and were not waited for.
    pub(crate) children: Vec<Thread>,
}

impl Task {
    pub(crate) fn absent() -> Self {
        Task {
            status: Status::Absent,
            slot: 0,
            said: Announcement {
                call: Call::Escape,
                args: [0; 6],
                name: String::new(),
                caller: 0,
                several: false,
                data: Vec::new(),
            },
            operation: Operation::local(),
            ways: Ways::Fixed(1),
            phase: 0,
            process: Thread(0),
            parent: None,
            held: Vec::new(),
            code: 0,
            children: Vec::new(),
        }
    }
}

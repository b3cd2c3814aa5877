//! Small programs in memory: threads of visible operations over shared objects, with registers and
//! jumps.
//!
//! They are for tests: a program has a complete state that can be compared ([`Running::state`]),
//! random ones can be made ([`random`]), and their traces can be counted by brute force. [`known`]
//! has those whose numbers are in the literature.

pub mod known;
pub mod random;

use crate::operation::{Access, Kind, Object, Operation, Values};
use crate::system::{Pending, Performed, System, Thread};
use std::fmt;

/// Units of a lock that can be shared.
const SHARED: u32 = 1 << 20;

/// A register of a thread.
pub type Register = usize;

/// A constant or what is in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A constant.
    Is(u64),
    /// What is in a register, plus a constant.
    Of(Register, u64),
}

/// An instruction. Objects are those that the methods of [`Program`] return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Reads a variable.
    Read(Object, Register),
    /// Writes a variable.
    Write(Object, Value),
    /// Adds to a variable in one step; the old value goes to a register.
    Add(Object, u64, Register),
    /// Replaces the first value by the second, in one step; the register says whether it did.
    Cas(Object, u64, u64, Register),
    /// Takes a lock.
    Lock(Object),
    /// Takes a lock if it is free; the register says whether it did.
    TryLock(Object, Register),
    /// Gives a lock back.
    Unlock(Object),
    /// Takes a lock together with other readers.
    ReadLock(Object),
    /// Gives it back.
    ReadUnlock(Object),
    /// Takes the same lock alone.
    WriteLock(Object),
    /// Gives it back.
    WriteUnlock(Object),
    /// Takes a unit of a semaphore.
    Wait(Object),
    /// Gives a unit to a semaphore.
    Signal(Object),
    /// Sends to a queue of this capacity.
    Send(Object, u32, Value),
    /// Receives from a queue.
    Receive(Object, Register),
    /// Receives from a queue if it has a message; 0 if it has none.
    TryReceive(Object, Register),
    /// Waits for a condition: leaves the lock, and takes it again when notified.
    WaitFor(Object, Object),
    /// The same, but may give up at any time; the register says whether it was notified.
    WaitTimeout(Object, Object, Register),
    /// Wakes one of those who wait.
    NotifyOne(Object),
    /// Wakes all who wait.
    NotifyAll(Object),
    /// Chooses a number below this one.
    Toss(u32, Register),
    /// Starts a thread that waits for it.
    Start(usize),
    /// Waits for the end of a thread.
    Join(usize),
    /// Fails, and ends the thread, if the register does not have this value.
    Assert(Register, u64),
    /// Skips so many instructions if the register has this value.
    SkipIf(Register, u64, usize),
    /// Lets others go first.
    Yield,
    /// Goes back so many instructions.
    Back(usize),
    /// Ends the thread.
    Stop,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The instructions of each thread.
    pub threads: Vec<Vec<Code>>,
    /// Initial values of objects.
    initial: Vec<u64>,
}

impl Program {
    /// Without threads and objects.
    pub fn new() -> Self {
        Program::default()
    }

    fn object(&mut self, value: u64) -> Object {
        self.initial.push(value);
        Object(self.initial.len() as u32 - 1)
    }

    /// The value that an object has at the beginning.
    pub fn initial(&self, object: Object) -> u64 {
        self.initial[object.0 as usize]
    }

    /// A new variable with value 0.
    pub fn variable(&mut self) -> Object {
        self.object(0)
    }

    /// A new lock.
    pub fn lock(&mut self) -> Object {
        self.object(1)
    }

    /// A new lock that can be shared.
    pub fn shared_lock(&mut self) -> Object {
        self.object(u64::from(SHARED))
    }

    /// A new semaphore.
    pub fn semaphore(&mut self, units: u32) -> Object {
        self.object(u64::from(units))
    }

    /// A new queue.
    pub fn queue(&mut self) -> Object {
        self.object(0)
    }

    /// A new condition.
    pub fn condition(&mut self) -> Object {
        self.object(0)
    }

    /// A new thread.
    pub fn thread(&mut self, code: impl IntoIterator<Item = Code>) -> usize {
        self.threads.push(code.into_iter().collect());
        self.threads.len() - 1
    }

    fn has(&self, wanted: Code) -> bool {
        self.threads.iter().flatten().any(|&code| code == wanted)
    }
}

/// What a thread waits for besides its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Phase {
    /// Not started yet.
    Unborn,
    /// At its instruction.
    Running,
    /// Waits for a condition, then for the lock.
    Woken,
    /// About to tell those who join it that it ends.
    Ending,
    /// Over.
    Ended,
}

#[derive(Clone, Debug)]
struct State {
    phase: Phase,
    at: usize,
    registers: Vec<u64>,
    failed: bool,
    pending: Operation,
}

/// A program in execution.
#[derive(Clone, Debug)]
pub struct Running {
    program: Program,
    values: Values,
    queues: Vec<Vec<u64>>,
    /// Who waits for each condition.
    waiting: Vec<Vec<usize>>,
    states: Vec<State>,
    joined: Vec<bool>,
    started: Vec<bool>,
}

/// A complete state of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Snapshot {
    values: Vec<u64>,
    /// Place, phase, registers and failure of each thread.
    threads: Vec<(usize, u8, Vec<u64>, bool)>,
}

impl Running {
    /// A program that has not started.
    pub fn new(program: Program) -> Self {
        let threads = program.threads.len();
        let joined = (0..threads).map(|t| program.has(Code::Join(t))).collect();
        let started = (0..threads).map(|t| program.has(Code::Start(t))).collect();
        Running {
            program,
            values: Values::default(),
            queues: Vec::new(),
            waiting: Vec::new(),
            states: Vec::new(),
            joined,
            started,
        }
    }

    /// The registers of all threads.
    pub fn registers(&self) -> Vec<Vec<u64>> {
        self.states.iter().map(|s| s.registers.clone()).collect()
    }

    /// Which threads failed.
    pub fn failed(&self) -> Vec<bool> {
        self.states.iter().map(|s| s.failed).collect()
    }

    /// The whole state.
    pub fn state(&self) -> Snapshot {
        let thread = |s: &State| (s.at, s.phase as u8, s.registers.clone(), s.failed);
        Snapshot {
            values: self.values.as_slice().to_vec(),
            threads: self.states.iter().map(thread).collect(),
        }
    }

    fn end_of(&self, thread: usize) -> Object {
        Object((self.program.initial.len() + thread) as u32)
    }

    fn token_of(&self, thread: usize) -> Object {
        Object((self.program.initial.len() + self.program.threads.len() + thread) as u32)
    }

    /// Runs a thread up to its next visible operation.
    fn settle(&mut self, thread: usize, performed: &mut Performed) {
        loop {
            let state = &mut self.states[thread];
            let code = self.program.threads[thread].get(state.at).copied();
            match code {
                None | Some(Code::Stop) => {
                    state.phase = Phase::Ended;
                    if self.joined[thread] {
                        state.phase = Phase::Ending;
                        let end = self.end_of(thread);
                        self.states[thread].pending = Operation::one(end, Kind::Give(1));
                    }
                    return;
                }
                Some(Code::Assert(register, value)) => {
                    state.at += 1;
                    if state.registers[register] != value {
                        let at = state.at - 1;
                        performed
                            .failures
                            .push(format!("thread {thread}: assertion {at} fails").into());
                        state.failed = true;
                        state.at = usize::MAX;
                    }
                }
                Some(Code::SkipIf(register, value, skip)) => {
                    state.at += 1;
                    if state.registers[register] == value {
                        state.at += skip;
                    }
                }
                Some(Code::Back(instructions)) => state.at -= instructions,
                Some(Code::Start(child)) => {
                    state.at += 1;
                    self.states[child].phase = Phase::Running;
                    performed.created.push(Thread(child as u32));
                    self.settle(child, performed);
                }
                Some(code) => {
                    let operation = self.operation(code, thread);
                    self.states[thread].pending = operation;
                    return;
                }
            }
        }
    }

    fn operation(&self, code: Code, thread: usize) -> Operation {
        use Operation as O;
        match code {
            Code::Read(x, _) => O::one(x, Kind::Read),
            Code::Write(x, _) => O::one(x, Kind::Write),
            Code::Add(x, ..) => O::one(x, Kind::Update),
            Code::Cas(x, from, ..) => O::attempt(x, Kind::Compare(from)),
            Code::Lock(l) | Code::Wait(l) => O::one(l, Kind::Take(1)),
            Code::TryLock(l, _) => O::attempt(l, Kind::Take(1)),
            Code::Unlock(l) | Code::Signal(l) => O::one(l, Kind::Give(1)),
            Code::ReadLock(l) => O::one(l, Kind::Share),
            Code::ReadUnlock(l) => O::one(l, Kind::Unshare),
            Code::WriteLock(l) => O::one(l, Kind::Take(SHARED)),
            Code::WriteUnlock(l) => O::one(l, Kind::Give(SHARED)),
            Code::Send(q, capacity, _) => O::one(q, Kind::Send(capacity)),
            Code::Receive(q, _) => O::one(q, Kind::Receive),
            Code::TryReceive(q, _) => O::attempt(q, Kind::Receive),
            Code::WaitFor(c, l) | Code::WaitTimeout(c, l, _) => {
                O::all([Access::new(c, Kind::Enter), Access::new(l, Kind::Give(1))])
            }
            Code::NotifyOne(c) => O::attempt(c, Kind::NotifyOne),
            Code::NotifyAll(c) => O::attempt(c, Kind::NotifyAll),
            Code::Join(child) => O::one(self.end_of(child), Kind::Await(1)),
            Code::Toss(..) | Code::Yield => O::local(),
            Code::Back(_) | Code::Start(_) | Code::Assert(..) | Code::SkipIf(..) | Code::Stop => {
                unreachable!("thread {thread}: {code:?} is invisible")
            }
        }
    }
}

impl System for Running {
    fn restart(&mut self, performed: &mut Performed) {
        let objects = self.program.initial.len();
        self.values.clear();
        for (index, &value) in self.program.initial.iter().enumerate() {
            self.values.set(Object(index as u32), value);
        }
        self.queues = vec![Vec::new(); objects];
        self.waiting = vec![Vec::new(); objects];
        let state = State {
            phase: Phase::Unborn,
            at: 0,
            registers: vec![0; 8],
            failed: false,
            pending: Operation::local(),
        };
        self.states = vec![state; self.program.threads.len()];
        for thread in 0..self.states.len() {
            if !self.started[thread] {
                self.states[thread].phase = Phase::Running;
                self.settle(thread, performed);
            }
        }
    }

    fn threads(&self) -> usize {
        self.program.threads.len()
    }

    fn pending(&self, thread: Thread) -> Pending<'_> {
        let state = &self.states[thread.index()];
        if matches!(state.phase, Phase::Unborn | Phase::Ended) {
            return Pending::None;
        }
        let choices = match self.program.threads[thread.index()].get(state.at) {
            Some(Code::Toss(n, _)) if state.phase == Phase::Running => *n,
            Some(Code::NotifyOne(c)) if state.phase == Phase::Running => {
                self.waiting[c.0 as usize].len().max(1) as u32
            }
            _ => 1,
        };
        Pending::Operation {
            operation: &state.pending,
            enabled: self.values.enables(&state.pending),
            choices,
        }
    }

    fn value(&self, object: Object) -> u64 {
        self.values.get(object)
    }

    fn step(&mut self, thread: Thread, choice: u32, performed: &mut Performed) {
        let thread = thread.index();
        let code = self.program.threads[thread].get(self.states[thread].at);
        let code = code.copied().unwrap_or(Code::Stop);
        let operation = self.states[thread].pending.clone();
        let registers = self.states[thread].registers.clone();
        let value = |value: Value| match value {
            Value::Is(value) => value,
            Value::Of(register, plus) => registers[register].wrapping_add(plus),
        };
        performed.operation = self.values.perform(&operation, |access| match code {
            Code::Write(_, new) => value(new),
            Code::Add(_, amount, _) => access.before.wrapping_add(amount),
            Code::Cas(_, _, to, _) => to,
            _ => access.before,
        });
        let done = performed.operation.accesses.first().copied();
        let state = &mut self.states[thread];
        let token =
            Object((self.program.initial.len() + self.program.threads.len() + thread) as u32);
        match (state.phase, code) {
            (Phase::Ending, _) => {
                state.phase = Phase::Ended;
                return;
            }
            (Phase::Running, Code::WaitFor(c, lock)) => {
                self.waiting[c.0 as usize].push(thread);
                self.waiting[c.0 as usize].sort_unstable();
                state.phase = Phase::Woken;
                state.pending = Operation::all([
                    Access::new(token, Kind::Take(1)),
                    Access::new(lock, Kind::Take(1)),
                ]);
                return;
            }
            (Phase::Running, Code::WaitTimeout(c, lock, _)) => {
                self.waiting[c.0 as usize].push(thread);
                self.waiting[c.0 as usize].sort_unstable();
                state.phase = Phase::Woken;
                state.pending = Operation::all([
                    Access::new(token, Kind::Take(1)),
                    Access::new(c, Kind::Leave),
                    Access::new(lock, Kind::Take(1)),
                ]);
                state.pending.alternatives = 2;
                return;
            }
            (Phase::Woken, Code::WaitTimeout(c, _, register)) => {
                let notified = done.is_some_and(|a| a.kind != Kind::Read);
                state.registers[register] = u64::from(notified);
                if !notified {
                    self.waiting[c.0 as usize].retain(|&t| t != thread);
                }
                state.phase = Phase::Running;
            }
            (Phase::Woken, _) => state.phase = Phase::Running,
            (_, Code::Read(_, r) | Code::Add(_, _, r)) => {
                state.registers[r] = done.map_or(0, |a| a.before);
            }
            (_, Code::Cas(_, _, _, r) | Code::TryLock(_, r)) => {
                let success = done.is_some_and(|a| a.kind != Kind::Read);
                state.registers[r] = u64::from(success);
            }
            (_, Code::Yield) => performed.yielded = true,
            (_, Code::Toss(_, r)) => state.registers[r] = u64::from(choice),
            (_, Code::Send(q, _, new)) => self.queues[q.0 as usize].push(value(new)),
            (_, Code::Receive(q, r) | Code::TryReceive(q, r)) => {
                let success = done.is_some_and(|a| a.kind == Kind::Receive);
                let queue = &mut self.queues[q.0 as usize];
                state.registers[r] = if success { queue.remove(0) } else { 0 };
            }
            (_, Code::NotifyOne(c) | Code::NotifyAll(c)) => {
                let waiting = &mut self.waiting[c.0 as usize];
                let woken = match code {
                    Code::NotifyAll(_) => std::mem::take(waiting),
                    _ if waiting.is_empty() => Vec::new(),
                    _ => vec![waiting.remove(choice as usize)],
                };
                for woken in woken {
                    let give = Operation::one(self.token_of(woken), Kind::Give(1));
                    let mut give = self.values.perform(&give, |_| 0);
                    performed.operation.accesses.append(&mut give.accesses);
                }
            }
            _ => {}
        }
        self.states[thread].at += 1;
        self.settle(thread, performed);
    }

    fn future(&self, thread: Thread, accesses: &mut Vec<Access>) -> bool {
        let state = &self.states[thread.index()];
        accesses.extend(state.pending.accesses.iter().copied());
        if self.joined[thread.index()] {
            accesses.push(Access::new(self.end_of(thread.index()), Kind::Give(1)));
        }
        let code = &self.program.threads[thread.index()];
        for &code in code.get(state.at..).unwrap_or(&[]) {
            match code {
                Code::Assert(..) | Code::SkipIf(..) | Code::Stop => continue,
                Code::Start(_) | Code::Back(_) => return false,
                // What wakes, or is woken, touches more than its operation names.
                Code::WaitFor(_, lock) | Code::WaitTimeout(_, lock, _) => {
                    accesses.push(Access::new(lock, Kind::Take(1)));
                    let token = self.token_of(thread.index());
                    accesses.push(Access::new(token, Kind::Take(1)));
                }
                Code::NotifyOne(_) | Code::NotifyAll(_) => {
                    for other in 0..self.states.len() {
                        accesses.push(Access::new(self.token_of(other), Kind::Give(1)));
                    }
                }
                _ => {}
            }
            accesses.extend(self.operation(code, thread.index()).accesses);
        }
        // A waiting thread leaves its condition only in a timeout.
        true
    }

    fn describe(&self, thread: Thread) -> String {
        let state = &self.states[thread.index()];
        match self.program.threads[thread.index()].get(state.at) {
            Some(code) => format!("{code}"),
            None => "the end".to_owned(),
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

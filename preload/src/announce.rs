//! From what a thread announces to operations.
//!
//! Each call has its operation in [`Program::announce`] and its effect in `execute`. What an
//! operation does may depend on the objects and on what its own thread did before, and on nothing else.
//!
//! The explorer reverses two steps only if their announced or performed accesses depend on each other, so
//! everything that an operation can notice must be among its accesses when it is announced. Some steps
//! have accesses that were not announced; each is harmless because nothing that depends on it can be
//! executed before the step:
//! - The last step of a process gives its end. Who waits for that process waits for nothing else; who
//!   waits for any process makes the ends of its children steps of their own first ([`Sort::Waits`]).
//! - A notification gives tokens to threads that have already left their lock and wait for nothing else.
//! - A new process has its parent's ends of pipes. A pipe counts as closed only when the parent, too, has
//!   closed its end, which comes later.
//!
//! A call whose effect is decided by something else breaks this: an answer that depends on how many threads
//! there are, or on a lock's owner where others may be the owner. Whether the caller itself is the owner is
//! decided by its own past, and a failed attempt reads the lock.

use crate::fault::Fault;
use crate::ipc::ROOM;
use crate::objects::Sort;
use crate::program::{Program, SHARED};
use crate::protocol::{ANY, Call, ERRORCHECK, QUEUES, RECURSIVE, SETS};
use crate::task::{Hold, Task, Ways};
use ample_stateless::{Access, Kind, Object, Operation, System, Thread};

/// Units of a lock that can be shared, and of what counts closed ends of pipes.
pub(crate) const MANY: u32 = 1 << 20;

impl Program {
    /// The object at an address, in the memory of a thread's process or in memory that is shared.
    pub(crate) fn at(
        &mut self,
        thread: Thread,
        sort: Sort,
        address: u64,
        region: u64,
        initial: u64,
    ) -> Object {
        let owner = self.owner(thread, region);
        self.keyed(
            (sort, owner, address),
            owner & SHARED == 0,
            address,
            initial,
        )
    }

    fn keyed(
        &mut self,
        key: (Sort, u64, u64),
        is_private: bool,
        address: u64,
        initial: u64,
    ) -> Object {
        let heap = self
            .host
            .shared()
            .heap
            .load(std::sync::atomic::Ordering::Relaxed);
        let is_stable = !is_private || self.symbols.is_stable(address, heap);
        let is_new = !self.objects.is_known(key);
        let object = self.objects.number(key, is_stable);
        if is_new {
            self.values.set(object, initial);
        }
        object
    }

    /// What memory belongs to: a process, or a region. The library names regions by slots, which are
    /// numbered by use; here they are named by threads.
    fn owner(&self, thread: Thread, region: u64) -> u64 {
        const BY_SLOT: u64 = (1 << 61) - 1;
        match region {
            0 => u64::from(self.task(thread).process.0),
            region if region <= BY_SLOT => SHARED | self.named(region),
            region => SHARED | region,
        }
    }

    /// A name that begins with a slot, as one that begins with a thread.
    pub(crate) fn named(&self, name: u64) -> u64 {
        let slot = (name >> 32) as usize - 1;
        let thread = self
            .threads
            .get(slot)
            .map_or(0, |thread| u64::from(thread.0));
        (thread + 1) << 32 | name & 0xffff_ffff
    }

    pub(crate) fn pipe_end(&mut self, pipe: u64, writes: bool) -> Object {
        let sort = if writes {
            Sort::NoWriter
        } else {
            Sort::NoReader
        };
        self.objects.number((sort, SHARED, pipe), true)
    }

    /// The operation that a thread has announced.
    pub(crate) fn announce(&mut self, thread: Thread) -> Operation {
        let said = &self.task(thread).said;
        let (call, args, several) = (said.call, said.args, said.several);
        let mut operation = self.operation(thread, call, args);
        if several {
            let process = self.task(thread).process;
            let alive = self.of(Sort::Alive, process);
            let kind = if call == Call::Exit {
                Kind::Write
            } else {
                Kind::Read
            };
            operation.accesses.push(Access::new(alive, kind));
        }
        operation
    }

    fn operation(&mut self, thread: Thread, call: Call, args: [u64; 6]) -> Operation {
        use Operation as O;
        let [a, b, c, d, ..] = args;
        match call {
            Call::Lock | Call::TryLock => {
                let lock = self.at(thread, Sort::Lock, a, b, 1);
                let mine = self
                    .owners
                    .get(&lock)
                    .is_some_and(|&(owner, _)| owner == thread);
                match (mine, c, call) {
                    // The owner learns of its own doing: nothing that others do matters.
                    (true, RECURSIVE | ERRORCHECK, Call::Lock) | (true, _, Call::TryLock) => {
                        O::one(lock, Kind::Read)
                    }
                    (_, _, Call::Lock) => O::one(lock, Kind::Take(1)),
                    _ => O::attempt(lock, Kind::Take(1)),
                }
            }
            Call::Unlock => {
                let lock = self.at(thread, Sort::Lock, a, b, 1);
                match self.owners.get(&lock) {
                    Some(&(owner, 1)) if owner == thread => O::one(lock, Kind::Give(1)),
                    _ => O::one(lock, Kind::Read),
                }
            }
            Call::LockInit => O::one(self.at(thread, Sort::Lock, a, b, 1), Kind::Write),
            Call::RwInit => O::one(
                self.at(thread, Sort::RwLock, a, b, u64::from(MANY)),
                Kind::Write,
            ),
            Call::CondInit => O::one(self.at(thread, Sort::Condition, a, b, 0), Kind::Write),
            Call::SemInit => O::one(self.at(thread, Sort::Semaphore, a, b, c), Kind::Write),
            Call::BarrierInit => O::one(self.at(thread, Sort::Barrier, a, b, 0), Kind::Write),
            Call::ReadLock | Call::TryReadLock | Call::WriteLock | Call::TryWriteLock => {
                let lock = self.at(thread, Sort::RwLock, a, b, u64::from(MANY));
                let kind = match call {
                    Call::ReadLock | Call::TryReadLock => Kind::Share,
                    _ => Kind::Take(MANY),
                };
                match call {
                    Call::ReadLock | Call::WriteLock if self.holds(thread, lock, Hold::Writing) => {
                        O::one(lock, Kind::Read)
                    }
                    Call::ReadLock | Call::WriteLock => O::one(lock, kind),
                    _ => O::attempt(lock, kind),
                }
            }
            Call::RwUnlock => {
                let lock = self.at(thread, Sort::RwLock, a, b, u64::from(MANY));
                let kind = if self.holds(thread, lock, Hold::Writing) {
                    Kind::Give(MANY)
                } else if self.holds(thread, lock, Hold::Reading) {
                    Kind::Unshare
                } else {
                    Kind::Read
                };
                O::one(lock, kind)
            }
            Call::CondWait => {
                let condition = self.at(thread, Sort::Condition, a, b, 0);
                let lock = self.at(thread, Sort::Lock, c, d, 1);
                match self.owners.get(&lock) {
                    Some(&(owner, 1)) if owner == thread => O::all([
                        Access::new(condition, Kind::Enter),
                        Access::new(lock, Kind::Give(1)),
                    ]),
                    _ => O::one(lock, Kind::Read),
                }
            }
            Call::Signal => {
                let condition = self.at(thread, Sort::Condition, a, b, 0);
                self.task_mut(thread).ways = Ways::Waiting(condition);
                O::attempt(condition, Kind::NotifyOne)
            }
            Call::Broadcast => {
                O::attempt(self.at(thread, Sort::Condition, a, b, 0), Kind::NotifyAll)
            }
            Call::Barrier => O::one(self.at(thread, Sort::Barrier, a, b, 0), Kind::Give(1)),
            Call::Once | Call::OnceDone => {
                let once = self.at(thread, Sort::Once, a, b, c);
                if call == Call::OnceDone {
                    return O::one(once, Kind::Write);
                }
                let mut operation = O::all([
                    Access::new(once, Kind::Await(2)),
                    Access::new(once, Kind::Compare(0)),
                ]);
                operation.alternatives = 2;
                operation
            }
            Call::SemWait => O::one(self.at(thread, Sort::Semaphore, a, b, c), Kind::Take(1)),
            Call::SemTry => O::attempt(self.at(thread, Sort::Semaphore, a, b, c), Kind::Take(1)),
            Call::SemPost => O::one(self.at(thread, Sort::Semaphore, a, b, c), Kind::Give(1)),
            Call::SemGet => O::one(self.at(thread, Sort::Semaphore, a, b, c), Kind::Read),
            Call::Read | Call::Write if self.fault == Some(Fault::ForgetMemory) => O::local(),
            Call::Read => O::one(self.cell(thread, args).0, Kind::Read),
            Call::Write => O::one(self.cell(thread, args).0, Kind::Write),
            Call::Update => O::one(self.cell(thread, args).0, Kind::Update),
            Call::Compare => match self.cell(thread, args) {
                (object, true) => O::attempt(object, Kind::Compare(args[4])),
                (object, false) => O::one(object, Kind::Update),
            },
            Call::End => O::one(self.of(Sort::End, thread), Kind::Give(1)),
            Call::Exit => O::local(),
            Call::Join => {
                let target = self.threads.get(a as usize).copied().unwrap_or(thread);
                O::one(self.of(Sort::End, target), Kind::Await(1))
            }
            Call::Wait => self.wait(thread, a, b != 0),
            Call::IpcGet => O::one(self.table(a), Kind::Update),
            Call::IpcRemove => O::one(self.table(a), Kind::Update),
            Call::SemOp => self.semaphores(thread, a, b != 0),
            Call::SemSet | Call::SemAsk => {
                let table = Access::new(self.table(SETS), Kind::Read);
                let kind = if call == Call::SemSet {
                    Kind::Write
                } else {
                    Kind::Read
                };
                match self.tables.size(SETS, a) {
                    Some(size) if b < size => {
                        O::all([Access::new(self.semaphore(a, b), kind), table])
                    }
                    _ => O::all([table]),
                }
            }
            Call::MsgSend | Call::MsgReceive => {
                let queue = self.objects.number((Sort::Queue, SHARED, a), true);
                let table = Access::new(self.table(QUEUES), Kind::Read);
                if self.tables.size(QUEUES, a).is_none() {
                    return O::all([table]);
                }
                let kind = match call {
                    Call::MsgReceive => Kind::Receive,
                    _ => Kind::Send(
                        (ROOM / (self.task(thread).said.data.len() as u64).max(1)) as u32,
                    ),
                };
                let mut operation = if c != 0 {
                    O::attempt(queue, kind)
                } else {
                    O::one(queue, kind)
                };
                operation.accesses.push(table);
                operation
            }
            Call::PipeNew | Call::Yield => O::local(),
            Call::PipeEnds => {
                let pipe = self.named(a);
                let end = self.pipe_end(pipe, b != 0);
                O::one(end, if c != 0 { Kind::Give(1) } else { Kind::Take(1) })
            }
            Call::PipeRead | Call::PipeWrite => self.pipe(call, self.named(a), b),
            Call::Toss => {
                self.task_mut(thread).ways = Ways::Fixed(a as u32);
                O::local()
            }
            Call::Crash | Call::Fail | Call::Escape | Call::Misuse => O::local(),
        }
    }

    fn holds(&self, thread: Thread, lock: Object, how: Hold) -> bool {
        self.task(thread).held.contains(&(lock, how))
    }

    fn cell(&mut self, thread: Thread, args: [u64; 6]) -> (Object, bool) {
        let [address, region, bytes, value, ..] = args;
        let owner = self.owner(thread, region);
        let (first, is_whole) = self.cells.find(owner, address, bytes);
        let is_number = is_whole && bytes <= 8;
        let value = if is_number { value } else { 0 };
        let key = (Sort::Cell, owner, first);
        let object = self.keyed(key, owner & SHARED == 0, first, value);
        if is_number && self.values.get(object) != value {
            // Code that is not compiled for it has written there.
            self.values.set(object, value);
        }
        (object, is_number)
    }

    pub(crate) fn table(&mut self, sort: u64) -> Object {
        self.objects.number((Sort::Table, SHARED, sort), true)
    }

    pub(crate) fn semaphore(&mut self, id: u64, number: u64) -> Object {
        self.objects.number((Sort::Set, SHARED | id, number), true)
    }

    fn semaphores(&mut self, thread: Thread, id: u64, no_wait: bool) -> Operation {
        let data = self.task(thread).said.data.clone();
        let mut accesses = Vec::new();
        let Some(size) = self.tables.size(SETS, id) else {
            let table = self.table(SETS);
            return Operation::one(table, Kind::Read);
        };
        for bytes in data.chunks_exact(4) {
            let number = u64::from(u16::from_le_bytes([bytes[0], bytes[1]]));
            let amount = i16::from_le_bytes([bytes[2], bytes[3]]);
            let kind = match amount {
                0 => Kind::Compare(0),
                1.. => Kind::Give(u32::from(amount.unsigned_abs())),
                _ => Kind::Take(u32::from(amount.unsigned_abs())),
            };
            if number >= size {
                let table = self.table(SETS);
                return Operation::one(table, Kind::Read);
            }
            let object = self.semaphore(id, number);
            if accesses.iter().any(|a: &Access| a.object == object) {
                self.escapes(thread, "semop with several operations on one semaphore");
            }
            accesses.push(Access::new(object, kind));
        }
        let mut operation = match no_wait {
            true => Operation::attempt(accesses[0].object, accesses[0].kind),
            false => Operation::all(accesses),
        };
        let table = self.table(SETS);
        operation.accesses.push(Access::new(table, Kind::Read));
        operation
    }

    /// The first step of waiting for a process.
    fn wait(&mut self, thread: Thread, who: u64, no_wait: bool) -> Operation {
        let process = self.task(thread).process;
        let child = self.threads.get(who as usize).copied();
        let known = match child {
            Some(child) => self.task(process).children.contains(&child),
            None => !self.task(process).children.is_empty(),
        };
        match (known, child) {
            (false, _) => Operation::local(),
            (true, Some(child)) if !no_wait => {
                Operation::one(self.of(Sort::End, child), Kind::Await(1))
            }
            (true, _) => Operation::one(self.of(Sort::Waits, process), Kind::Set),
        }
    }

    /// Reading waits for bytes or for the last end that writes to be closed; writing for room or for
    /// the last end that reads.
    fn pipe(&mut self, call: Call, pipe: u64, bytes: u64) -> Operation {
        let [data, room] =
            [Sort::Pipe, Sort::Room].map(|sort| self.objects.number((sort, SHARED, pipe), true));
        let end = self.pipe_end(pipe, call == Call::PipeRead);
        let closed = Access::new(end, Kind::Await(MANY));
        let mut operation = match call {
            Call::PipeRead => Operation::all([
                Access::new(data, Kind::Await(1)),
                closed,
                Access::new(data, Kind::Update),
                Access::new(room, Kind::Update),
            ]),
            _ => Operation::all([
                closed,
                Access::new(room, Kind::Take(bytes as u32)),
                Access::new(data, Kind::Update),
            ]),
        };
        operation.alternatives = 2;
        operation
    }

    /// What a thread is about to do, with the names of objects.
    pub(crate) fn operation_name(&self, task: &Task) -> String {
        let name = &task.said.name;
        let [a, ..] = task.said.args;
        let object = task.operation.accesses.first().map(|access| access.object);
        match task.said.call {
            Call::Wait if task.phase == 0 || a != ANY => name.clone(),
            Call::CondWait if task.phase == 1 => format!("the wakeup from {name}"),
            Call::Barrier if task.phase == 1 => format!("passing {name}"),
            Call::Yield
            | Call::Exit
            | Call::End
            | Call::PipeNew
            | Call::IpcGet
            | Call::IpcRemove
            | Call::Wait => name.clone(),
            Call::Toss => format!("{name}({})", a.wrapping_sub(1)),
            Call::Join => {
                let target = self.threads.get(a as usize);
                target.map_or(name.clone(), |target| {
                    format!("{name}({})", self.name(*target))
                })
            }
            Call::Read | Call::Write | Call::Update | Call::Compare => object
                .map_or(name.clone(), |object| {
                    format!("{name} of {}", self.object_name(object))
                }),
            Call::SemOp => {
                let amounts = task.said.data.chunks_exact(4).map(|bytes| {
                    let number = u16::from_le_bytes([bytes[0], bytes[1]]);
                    let amount = i16::from_le_bytes([bytes[2], bytes[3]]);
                    format!("{number}: {amount:+}")
                });
                format!("{name}({a}, {})", amounts.collect::<Vec<_>>().join(", "))
            }
            Call::MsgSend | Call::MsgReceive => format!("{name}({a})"),
            Call::PipeRead | Call::PipeWrite | Call::PipeEnds => {
                format!("{name} of pipe {}", a & 0xffff_ffff)
            }
            _ => object.map_or(name.clone(), |object| {
                format!("{name}({})", self.object_name(object))
            }),
        }
    }
}

//! What executing an operation means: values, locks and their owners, messages, and what the thread is
//! told. [`announce`](crate::announce) says what the operations are.

use crate::announce::MANY;
use crate::fault::Fault;
use crate::ipc::ROOM;
use crate::objects::Sort;
use crate::program::{Program, SHARED};
use crate::protocol::{ANY, Call, NORMAL, QUEUES, RECURSIVE, SETS, SPIN};
use crate::task::{Hold, Status, Task, Ways};
use ample_stateless::{
    Access, Failure, FindingKind, Kind, Object, Operation, Performed, System, Thread, describe,
    queue_value,
};

/// Bytes that fit a pipe.
const PIPE: u64 = 65536;
const EPERM: i64 = 1;
const EAGAIN: i64 = 11;
const EBUSY: i64 = 16;
const EINVAL: i64 = 22;
const EDEADLK: i64 = 35;
const ENOMSG: i64 = 42;
const EIDRM: i64 = 43;
/// `PTHREAD_BARRIER_SERIAL_THREAD`.
const SERIAL: i64 = -1;
impl Program {
    /// Changes the values as the operation says.
    pub(crate) fn perform(&mut self, thread: Thread, operation: &Operation) -> Operation {
        let said = &self.task(thread).said;
        let (call, args) = (said.call, said.args);
        let find = |sort| match call {
            Call::PipeRead | Call::PipeWrite => {
                self.objects.find((sort, SHARED, self.named(args[0])))
            }
            _ => None,
        };
        let (data, room) = (find(Sort::Pipe), find(Sort::Room));
        let closed = match call {
            Call::PipeWrite => self.values.get(operation.accesses[0].object) >= u64::from(MANY),
            _ => false,
        };
        let moved = match call {
            Call::PipeRead => data.map_or(0, |data| self.values.get(data).min(args[1])),
            _ if closed => 0,
            _ => args[1],
        };
        let mut done = self.values.perform(operation, |access| {
            if matches!(call, Call::PipeRead | Call::PipeWrite) {
                return match (call, Some(access.object)) {
                    (Call::PipeRead, object) if object == data => access.before - moved,
                    (Call::PipeWrite, object) if object == data => access.before + moved,
                    (Call::PipeRead, object) if object == room => access.before + moved,
                    _ => access.before,
                };
            }
            match call {
                Call::LockInit => 1,
                Call::RwInit => u64::from(MANY),
                Call::CondInit | Call::BarrierInit => 0,
                Call::SemInit | Call::SemSet => args[2],
                Call::Once => 1,
                Call::OnceDone => 2,
                Call::Exit => 1,
                Call::SemOp => 0,
                _ => access.before,
            }
        });
        if self.fault == Some(Fault::ForgetAttempts) && call == Call::TryLock {
            let failed = done.accesses.iter_mut().filter(|a| a.kind == Kind::Read);
            failed.for_each(|access| access.kind = Kind::Nothing);
        }
        done
    }

    /// What the thread is told; nothing if the call is not over, or the thread is.
    pub(crate) fn execute(
        &mut self,
        thread: Thread,
        choice: u32,
        first: usize,
        performed: &mut Performed,
    ) -> Option<(i64, u64)> {
        let said = &self.task(thread).said;
        let (call, args) = (said.call, said.args);
        let done = performed.operation.accesses.get(first).copied();
        let object = done.map_or(Object(0), |a| a.object);
        let kind = done.map_or(Kind::Nothing, |a| a.kind);
        let before = done.map_or(0, |a| a.before);
        let result = match call {
            Call::Lock | Call::TryLock => self.locked(thread, object, kind, args[2], call),
            Call::Unlock => self.unlocked(thread, object, kind, args[2], performed)?,
            Call::LockInit if args[2] == 1 => {
                self.destroyed(thread, object, before == 1, performed)?
            }
            Call::RwInit if args[2] == 1 => {
                self.destroyed(thread, object, before == u64::from(MANY), performed)?
            }
            Call::CondInit if args[2] == 1 => {
                self.destroyed(thread, object, before == 0, performed)?
            }
            Call::BarrierInit => {
                self.passed.retain(|&(barrier, _), _| barrier != object);
                0
            }
            Call::ReadLock | Call::TryReadLock | Call::WriteLock | Call::TryWriteLock => {
                let hold = match kind {
                    Kind::Share => Hold::Reading,
                    Kind::Take(_) => Hold::Writing,
                    _ if matches!(call, Call::ReadLock | Call::WriteLock) => {
                        return Some((EDEADLK, 0));
                    }
                    _ => return Some((EBUSY, 0)),
                };
                self.task_mut(thread).held.push((object, hold));
                0
            }
            Call::RwUnlock => {
                let hold = match kind {
                    Kind::Give(_) => Hold::Writing,
                    Kind::Unshare => Hold::Reading,
                    _ => {
                        return self.misuse(
                            thread,
                            "gives back a lock that it does not have",
                            object,
                            performed,
                        );
                    }
                };
                self.drop_hold(thread, object, hold);
                0
            }
            Call::CondWait => self.waited(thread, first, performed)?,
            Call::Signal | Call::Broadcast => {
                self.notify(object, choice, call == Call::Broadcast, performed);
                0
            }
            Call::Barrier => self.barrier(thread, object, performed)?,
            Call::Once => i64::from(kind == Kind::Read),
            Call::SemTry => i64::from(kind == Kind::Read),
            Call::SemGet => before as i64,
            Call::End => {
                self.check_holds(thread, "a thread ends", performed);
                self.task_mut(thread).status = Status::Ended;
                return None;
            }
            Call::Exit => {
                self.process_ends(thread, performed);
                return None;
            }
            Call::Wait => return self.waited_for(thread, choice, first, performed),
            Call::IpcGet => self.tables.get(args[0], args[1], args[2], args[3]),
            Call::IpcRemove => self.removed(thread, args, performed)?,
            Call::SemOp | Call::SemSet | Call::SemAsk => {
                let is_there = matches!(self.objects.key(object), Some((Sort::Set, ..)));
                let size = self.tables.size(SETS, args[0]);
                match call {
                    Call::SemAsk if args[1] == u64::MAX => size.map_or(-EINVAL, |size| size as i64),
                    _ if !is_there => -EINVAL,
                    _ if size.is_none() => -EIDRM,
                    Call::SemOp if kind == Kind::Read => -EAGAIN,
                    Call::SemAsk => before as i64,
                    _ => 0,
                }
            }
            Call::MsgSend | Call::MsgReceive => {
                return self.message(thread, kind, object, performed);
            }
            Call::PipeNew => {
                let pipe = self.named(args[0]);
                let process = self.task(thread).process;
                for writes in [false, true] {
                    let end = self.pipe_end(pipe, writes);
                    self.values.set(end, u64::from(MANY) - 1);
                    self.ends.insert((process, pipe, writes), 1);
                }
                let room = self.objects.number((Sort::Room, SHARED, pipe), true);
                self.values.set(room, PIPE);
                let data = self.objects.number((Sort::Pipe, SHARED, pipe), true);
                self.values.set(data, 0);
                0
            }
            Call::PipeEnds => {
                let process = self.task(thread).process;
                let count = self
                    .ends
                    .entry((process, self.named(args[0]), args[1] != 0))
                    .or_default();
                *count = if args[2] != 0 {
                    count.saturating_sub(1)
                } else {
                    *count + 1
                };
                0
            }
            Call::PipeWrite => i64::from(matches!(kind, Kind::Await(_))),
            Call::Toss => i64::from(choice),
            _ => 0,
        };
        Some((result, 0))
    }

    fn drop_hold(&mut self, thread: Thread, lock: Object, hold: Hold) {
        let held = &mut self.task_mut(thread).held;
        if let Some(index) = held.iter().rposition(|&h| h == (lock, hold)) {
            held.remove(index);
        }
    }

    /// Something was used wrongly: the execution ends here.
    fn misuse<T>(
        &mut self,
        thread: Thread,
        what: &str,
        object: Object,
        performed: &mut Performed,
    ) -> Option<T> {
        let lock = self.object_name(object);
        let message = format!(
            "{} {what}: {lock}, at {}",
            self.name(thread),
            describe(self, thread)
        );
        let failure = Failure::new(FindingKind::Misuse, message);
        performed.failures.push(failure);
        performed.is_over = true;
        None
    }

    fn locked(&mut self, thread: Thread, lock: Object, kind: Kind, sort: u64, call: Call) -> i64 {
        match kind {
            Kind::Take(_) => {
                self.owners.insert(lock, (thread, 1));
                self.task_mut(thread).held.push((lock, Hold::Lock));
                0
            }
            _ => match self.owners.get_mut(&lock) {
                Some((owner, count)) if *owner == thread && sort == RECURSIVE => {
                    *count += 1;
                    0
                }
                _ if call == Call::Lock => EDEADLK,
                _ => EBUSY,
            },
        }
    }

    fn unlocked(
        &mut self,
        thread: Thread,
        lock: Object,
        kind: Kind,
        sort: u64,
        performed: &mut Performed,
    ) -> Option<i64> {
        if let Kind::Give(_) = kind {
            self.owners.remove(&lock);
            self.drop_hold(thread, lock, Hold::Lock);
            return Some(0);
        }
        match self.owners.get_mut(&lock) {
            Some((owner, count)) if *owner == thread => {
                *count -= 1;
                Some(0)
            }
            _ if matches!(sort, NORMAL | SPIN) => self.misuse(
                thread,
                "gives back a lock that it does not have",
                lock,
                performed,
            ),
            _ => Some(EPERM),
        }
    }

    fn destroyed(
        &mut self,
        thread: Thread,
        object: Object,
        is_free: bool,
        performed: &mut Performed,
    ) -> Option<i64> {
        if is_free {
            return Some(0);
        }
        self.misuse(
            thread,
            "destroys something that is in use",
            object,
            performed,
        )
    }

    /// The steps of waiting for a condition: leaving the lock, and taking it again when notified.
    fn waited(&mut self, thread: Thread, first: usize, performed: &mut Performed) -> Option<i64> {
        let accesses = &performed.operation.accesses;
        let args = self.task(thread).said.args;
        let [a, b, c, d, _, gives_up] = args;
        let condition = self.at(thread, Sort::Condition, a, b, 0);
        let lock = self.at(thread, Sort::Lock, c, d, 1);
        if self.task(thread).phase == 0 {
            if accesses[first].kind != Kind::Enter {
                return self.misuse(
                    thread,
                    "waits for a condition without the lock",
                    lock,
                    performed,
                );
            }
            self.owners.remove(&lock);
            self.drop_hold(thread, lock, Hold::Lock);
            let waiting = self.waiting.entry(condition).or_default();
            waiting.push(thread);
            waiting.sort_unstable();
            let token = self.of(Sort::Token, thread);
            let process = self.task(thread).process;
            let mut wake = vec![Access::new(token, Kind::Take(1))];
            if gives_up != 0 {
                wake.push(Access::new(condition, Kind::Leave));
            }
            wake.push(Access::new(lock, Kind::Take(1)));
            if self.task(thread).said.several {
                wake.push(Access::new(self.of(Sort::Alive, process), Kind::Read));
            }
            let task = self.task_mut(thread);
            task.phase = 1;
            task.operation = Operation::all(wake);
            task.operation.alternatives = if gives_up != 0 { 2 } else { 0 };
            return None;
        }
        let timed_out = accesses[first].kind == Kind::Read;
        if timed_out {
            let waiting = self.waiting.entry(condition).or_default();
            waiting.retain(|&other| other != thread);
        }
        self.owners.insert(lock, (thread, 1));
        self.task_mut(thread).held.push((lock, Hold::Lock));
        const ETIMEDOUT: i64 = 110;
        Some(if timed_out { ETIMEDOUT } else { 0 })
    }

    fn notify(&mut self, condition: Object, choice: u32, all: bool, performed: &mut Performed) {
        let waiting = self.waiting.entry(condition).or_default();
        let woken = match all {
            true => std::mem::take(waiting),
            false if waiting.is_empty() => Vec::new(),
            false => vec![waiting.remove(choice as usize)],
        };
        for thread in woken {
            let token = self.of(Sort::Token, thread);
            self.also(Operation::one(token, Kind::Give(1)), performed);
        }
    }

    /// The steps of a barrier: arriving, and passing when all have arrived. Arrivals commute, which is
    /// right as long as no more threads use the barrier than it waits for.
    fn barrier(
        &mut self,
        thread: Thread,
        barrier: Object,
        performed: &mut Performed,
    ) -> Option<i64> {
        let count = self.task(thread).said.args[2];
        if count == 0 {
            let what = "waits at a barrier that was not initialised";
            return self.misuse(thread, what, barrier, performed);
        }
        let passed = *self.passed.entry((barrier, thread)).or_default();
        let needed = (passed + 1) * count;
        if self.task(thread).phase == 0 {
            if self.values.get(barrier) > needed {
                self.escapes(thread, "a barrier that more threads use than it waits for");
                performed.is_over = true;
                return None;
            }
            let mut operation = Operation::one(barrier, Kind::Await(needed as u32));
            if self.task(thread).said.several {
                let process = self.task(thread).process;
                let alive = self.of(Sort::Alive, process);
                operation.accesses.push(Access::new(alive, Kind::Read));
            }
            let task = self.task_mut(thread);
            task.phase = 1;
            task.operation = operation;
            return None;
        }
        self.passed.insert((barrier, thread), passed + 1);
        // Any may be told that it is the one: it is the first.
        let users = self.passed.keys().filter(|&&(b, _)| b == barrier);
        let first = users.map(|&(_, user)| user).min();
        Some(if first == Some(thread) { SERIAL } else { 0 })
    }

    /// The steps of waiting for a process.
    fn waited_for(
        &mut self,
        thread: Thread,
        choice: u32,
        first: usize,
        performed: &mut Performed,
    ) -> Option<(i64, u64)> {
        let [who, no_wait, ..] = self.task(thread).said.args;
        let process = self.task(thread).process;
        let zombies = self.of(Sort::Zombies, process);
        let child = self
            .threads
            .get(who as usize)
            .copied()
            .filter(|_| who != ANY);
        let accesses = &performed.operation.accesses;
        let kind = accesses.get(first).map_or(Kind::Nothing, |a| a.kind);
        let child = match (self.task(thread).phase, kind) {
            (0, Kind::Await(_)) => child,
            (0, Kind::Set) => {
                let mut operation = match (child, no_wait != 0) {
                    (Some(child), _) => {
                        Operation::attempt(self.of(Sort::Zombie, child), Kind::Await(1))
                    }
                    (None, true) => Operation::attempt(zombies, Kind::NotifyOne),
                    (None, false) => Operation::one(zombies, Kind::NotifyOne),
                };
                if self.task(thread).said.several {
                    let alive = self.of(Sort::Alive, process);
                    operation.accesses.push(Access::new(alive, Kind::Read));
                }
                let task = self.task_mut(thread);
                task.phase = 1;
                task.operation = operation;
                task.ways = if child.is_none() {
                    Ways::Waiting(zombies)
                } else {
                    Ways::Fixed(1)
                };
                return None;
            }
            (0, _) => return Some((-1, 0)),
            (_, Kind::Read) => return Some((0, 0)),
            (_, Kind::NotifyOne) => self
                .waiting
                .get(&zombies)
                .and_then(|w| w.get(choice as usize).copied()),
            _ => child,
        };
        let Some(child) = child else {
            return Some((-1, 0));
        };
        self.waiting
            .entry(zombies)
            .or_default()
            .retain(|&other| other != child);
        self.task_mut(process)
            .children
            .retain(|&other| other != child);
        // Nobody will ask for it again.
        if self.task(child).status == Status::Zombie {
            self.task_mut(child).status = Status::Ended;
        }
        let task = self.task(child);
        Some((i64::from(task.slot) + 1, task.code))
    }

    /// Removing something that others wait for would wake them with an error.
    fn removed(
        &mut self,
        thread: Thread,
        args: [u64; 6],
        performed: &mut Performed,
    ) -> Option<i64> {
        let [sort, id, key, ..] = args;
        let is_used = |task: &Task| {
            task.status == Status::Pending
                && match task.said.call {
                    Call::SemOp => sort == SETS && task.said.args[0] == id,
                    Call::MsgSend | Call::MsgReceive => sort == QUEUES && task.said.args[0] == id,
                    _ => false,
                }
        };
        if self.tasks.iter().any(is_used) {
            self.escapes(thread, "removes what others are about to use");
            performed.is_over = true;
            return None;
        }
        Some(self.tables.remove(sort, id, key))
    }

    fn message(
        &mut self,
        thread: Thread,
        kind: Kind,
        queue: Object,
        performed: &mut Performed,
    ) -> Option<(i64, u64)> {
        let said = self.task(thread).said.clone();
        let [id, sort, _, room, ..] = said.args;
        if !matches!(self.objects.key(queue), Some((Sort::Queue, ..)))
            || self.tables.size(QUEUES, id).is_none()
        {
            return Some((-EINVAL, 0));
        }
        let messages = &mut self.tables.messages[id as usize];
        match (kind, said.call) {
            (Kind::Send(_), _) => {
                messages.push_back((sort, said.data));
                let bytes: usize = messages.iter().map(|(_, text)| text.len()).sum();
                if bytes as u64 > ROOM {
                    self.escapes(
                        thread,
                        "a full message queue with messages of different lengths",
                    );
                    performed.is_over = true;
                    return None;
                }
                Some((0, 0))
            }
            (Kind::Receive, _) => {
                let (sort, text) = messages.pop_front().unwrap_or_default();
                const E2BIG: i64 = 7;
                if text.len() as u64 > room {
                    messages.push_front((sort, text));
                    let value = self.values.get(queue);
                    let (sent, received) = ((value >> 32) as u32, value as u32);
                    self.values
                        .set(queue, queue_value(sent, received.wrapping_sub(1)));
                    return Some((-E2BIG, 0));
                }
                let slot = self.host.slot(self.task(thread).slot);
                for (cell, &byte) in slot.data.iter().zip(&text) {
                    cell.store(byte, std::sync::atomic::Ordering::Relaxed);
                }
                slot.length
                    .store(text.len() as u32, std::sync::atomic::Ordering::Relaxed);
                Some((text.len() as i64, sort))
            }
            (_, Call::MsgSend) => Some((-EAGAIN, 0)),
            _ => Some((-ENOMSG, 0)),
        }
    }
}

//! A C program as the explorer's system: restart, what is pending, one step.
//!
//! As long as there is one thread, what it does is executed at once, up to a choice: the initial state
//! is the first in which there is something to decide, as in VeriSoft. The end of a process with one
//! thread belongs to its last step, for nobody can tell the difference before it is waited for.
//!
//! When a process has, or had, several threads, its end ends the others. Each operation of such a
//! process therefore reads an object that the end writes.

use crate::cells::Cells;
use crate::fault::Fault;
use crate::host::{Command, Error, Host, Lost};
use crate::ipc::Tables;
use crate::objects::{self, Objects, Sort};
use crate::protocol::{ABSENT, Call, PENDING, SEEN};
use crate::symbols::Symbols;
use crate::task::{Announcement, Hold, Status, Task, Ways};
use ample_stateless::{
    Access, Failure, FindingKind, Kind, Object, Operation, Pending, Performed, System, Thread,
    Values, describe,
};
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;

/// A thread may do so much before there is a second one. More is taken for a loop.
const PREFIX: u32 = 1_000_000;

/// In slots that came to nothing.
const NOBODY: Thread = Thread(u32::MAX);

/// A program under control.
#[derive(Debug)]
pub struct Program {
    pub(crate) host: Host,
    pub(crate) symbols: Symbols,
    pub(crate) tasks: Vec<Task>,
    /// The thread of each slot.
    pub(crate) threads: Vec<Thread>,
    /// Threads by creator and place among the creator's children.
    numbers: FxHashMap<(Thread, u32), Thread>,
    pub(crate) values: Values,
    pub(crate) objects: Objects,
    pub(crate) cells: Cells,
    /// The owner of each mutex, and how many times it has it.
    pub(crate) owners: FxHashMap<Object, (Thread, u32)>,
    pub(crate) waiting: FxHashMap<Object, Vec<Thread>>,
    /// How often a thread passed a barrier, and who is there.
    pub(crate) passed: FxHashMap<(Object, Thread), u64>,
    pub(crate) tables: Tables,
    /// Ends of pipes that each process has: process, pipe, whether it writes.
    pub(crate) ends: FxHashMap<(Thread, u64, bool), u32>,
    /// Whether there is, or was, a second thread or process.
    is_concurrent: bool,
    pub(crate) escape: Option<String>,
    pub(crate) fault: Option<Fault>,
    error: Option<Error>,
}

impl Program {
    /// Starts a program, up to its `main`.
    ///
    /// # Errors
    /// If it cannot be started under control.
    pub fn start(command: &Command) -> Result<Program, Error> {
        let host = Host::start(command)?;
        let symbols = Symbols::read(&command.program, host.pid());
        Ok(Program {
            host,
            symbols,
            tasks: Vec::new(),
            threads: Vec::new(),
            numbers: FxHashMap::default(),
            values: Values::default(),
            objects: Objects::default(),
            cells: Cells::default(),
            owners: FxHashMap::default(),
            waiting: FxHashMap::default(),
            passed: FxHashMap::default(),
            tables: Tables::default(),
            ends: FxHashMap::default(),
            is_concurrent: false,
            escape: None,
            fault: command.fault,
            error: None,
        })
    }

    /// Whether the current exploration is given up because variables turned out to be one.
    pub(crate) fn begins_again(&self) -> bool {
        self.cells.has_changed()
    }

    /// The same, and forgets it.
    pub(crate) fn learn(&mut self) -> bool {
        self.cells.take_changed()
    }

    pub(crate) fn take_escape(&mut self) -> Option<String> {
        self.escape.take()
    }

    pub(crate) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// The threads of the current execution, in the order in which they were created.
    fn born(&self) -> impl Iterator<Item = Thread> {
        self.threads.iter().copied().filter(|&t| t != NOBODY)
    }

    pub(crate) fn task(&self, thread: Thread) -> &Task {
        &self.tasks[thread.0 as usize]
    }

    pub(crate) fn task_mut(&mut self, thread: Thread) -> &mut Task {
        &mut self.tasks[thread.0 as usize]
    }

    /// An object that belongs to a thread.
    pub(crate) fn of(&mut self, sort: Sort, thread: Thread) -> Object {
        self.objects.number((sort, 0, u64::from(thread.0)), true)
    }

    /// The program cannot be controlled any more.
    pub(crate) fn escapes(&mut self, thread: Thread, what: &str) {
        let place = self.place(thread);
        let place = place.map_or(String::new(), |place| format!(" ({place})"));
        let text = format!("{}: {what}{place}", self.name(thread));
        self.escape.get_or_insert(text);
    }

    /// Why the program does not go on.
    fn lost(&mut self, lost: Lost, thread: Thread, performed: &mut Performed) {
        performed.is_over = true;
        match lost {
            Lost::Divergence => {
                let after = describe(self, thread);
                let name = self.name(thread);
                let message =
                    format!("divergence: {name} executes no visible operation after {after}");
                let failure = Failure::new(FindingKind::Divergence, message);
                performed.failures.push(failure);
            }
            Lost::Died(how) => {
                let message = format!("{} {how}", self.name(thread));
                let failure = Failure::new(FindingKind::Crash, message);
                performed.failures.push(failure);
            }
            Lost::Stopped => {}
            Lost::Server => {
                let what = "the fork server of the program is gone".to_owned();
                self.error = Some(Error::Unsuitable(what));
            }
        }
    }

    /// Reads what was announced. An announcement may speak of threads in later slots.
    fn collect(&mut self, performed: &mut Performed) {
        let used = self.host.shared().used.load(Ordering::Acquire);
        let used = used.min(crate::protocol::SLOTS as u32);
        for index in self.threads.len() as u32..used {
            self.appeared(index, performed);
        }
        for index in 0..used {
            let slot = self.host.slot(index);
            if slot.state.load(Ordering::Acquire) == PENDING {
                slot.state.store(SEEN, Ordering::Relaxed);
                let said = Announcement::read(slot);
                self.told(self.threads[index as usize], said, performed);
            }
        }
    }

    /// A new thread in a slot.
    fn appeared(&mut self, index: u32, performed: &mut Performed) {
        let slot = self.host.slot(index);
        if slot.state.load(Ordering::Relaxed) == ABSENT {
            // The system could not make it.
            return self.threads.push(NOBODY);
        }
        let read = |word: &std::sync::atomic::AtomicU32| word.load(Ordering::Relaxed);
        let (parent, nth) = (read(&slot.parent), read(&slot.place_among_children));
        let process = read(&slot.process);
        let (thread, parent) = if index == 0 {
            (Thread(0), None)
        } else {
            let parent = self.threads[parent as usize];
            let next = Thread(self.numbers.len() as u32 + 1);
            (
                *self.numbers.entry((parent, nth)).or_insert(next),
                Some(parent),
            )
        };
        while self.tasks.len() <= thread.0 as usize {
            self.tasks.push(Task::absent());
        }
        self.threads.push(thread);
        let process = if process == index {
            thread
        } else {
            self.threads[process as usize]
        };
        let task = self.task_mut(thread);
        *task = Task::absent();
        task.slot = index;
        task.process = process;
        task.parent = parent;
        if index == 0 {
            return;
        }
        self.is_concurrent = true;
        performed.created.push(thread);
        if process == thread
            && let Some(parent) = parent
        {
            let parent = self.task(parent).process;
            self.task_mut(parent).children.push(thread);
            self.inherit_pipes(parent, thread, performed);
        }
    }

    /// A child has all ends of pipes that its parent has.
    fn inherit_pipes(&mut self, parent: Thread, child: Thread, performed: &mut Performed) {
        let mut ends: Vec<(u64, bool, u32)> = (self.ends.iter())
            .filter(|((process, ..), _)| *process == parent)
            .map(|(&(_, pipe, writes), &count)| (pipe, writes, count))
            .collect();
        ends.sort_unstable();
        for (pipe, writes, count) in ends {
            if count > 0 {
                self.ends.insert((child, pipe, writes), count);
                let object = self.pipe_end(pipe, writes);
                self.also(Operation::one(object, Kind::Take(count)), performed);
            }
        }
    }

    /// Something that belongs to the step although it was not announced.
    pub(crate) fn also(&mut self, operation: Operation, performed: &mut Performed) {
        let mut done = self.values.perform(&operation, |access| access.before);
        performed.operation.accesses.append(&mut done.accesses);
    }

    /// A thread has announced something.
    fn told(&mut self, thread: Thread, said: Announcement, performed: &mut Performed) {
        let name = self.name(thread);
        let task = self.task_mut(thread);
        task.status = Status::Pending;
        task.phase = 0;
        task.ways = Ways::Fixed(1);
        task.said = said;
        let said = &self.task(thread).said;
        let place = self
            .place(thread)
            .map_or(String::new(), |p| format!(" ({p})"));
        match said.call {
            Call::Fail | Call::Misuse | Call::Crash => {
                let (kind, verb) = match said.call {
                    Call::Fail => (FindingKind::Failure, ""),
                    Call::Misuse => (FindingKind::Misuse, ""),
                    _ => (FindingKind::Crash, " crashes"),
                };
                let message = format!("{name}{verb}: {}{place}", said.text());
                performed.failures.push(Failure::new(kind, message));
                performed.is_over = true;
            }
            Call::Escape => {
                let text = said.text();
                self.escapes(thread, &text);
                performed.is_over = true;
            }
            Call::Exit if !said.several => self.process_ends(thread, performed),
            _ => {
                let operation = self.announce(thread);
                self.task_mut(thread).operation = operation;
                if self.escape.is_some() || self.cells.has_changed() {
                    performed.is_over = true;
                }
            }
        }
    }

    /// The last thread of a process ends it.
    pub(crate) fn process_ends(&mut self, thread: Thread, performed: &mut Performed) {
        let process = self.task(thread).process;
        let code = self.task(thread).said.args[0];
        let slot = self.task(thread).slot;
        let members: Vec<Thread> = (0..self.tasks.len() as u32).map(Thread).collect();
        for member in members {
            let task = self.task(member);
            if task.process == process && task.status != Status::Absent {
                self.check_holds(member, "the process ends", performed);
                let task = self.task_mut(member);
                let is_cut = task.status == Status::Pending && member != thread;
                task.status = if is_cut {
                    Status::Cancelled
                } else {
                    Status::Ended
                };
            }
        }
        self.host.answer(slot, 0, 0);
        // It is not expected to say anything any more.
        self.host.slot(slot).state.store(SEEN, Ordering::Relaxed);
        let end = self.of(Sort::End, process);
        self.also(Operation::one(end, Kind::Give(1)), performed);
        let Some(parent) = self.task(process).parent else {
            return;
        };
        let parent = self.task(parent).process;
        let [waits, zombies] = [Sort::Waits, Sort::Zombies].map(|sort| self.of(sort, parent));
        let zombie = self.of(Sort::Zombie, process);
        let task = self.task_mut(process);
        task.status = Status::Zombie;
        task.code = code;
        task.ways = Ways::Fixed(1);
        task.said.name = "the end of the process".to_owned();
        task.said.call = Call::Exit;
        task.operation = Operation::all([
            Access::new(waits, Kind::Await(1)),
            Access::new(zombies, Kind::Enter),
            Access::new(zombie, Kind::Give(1)),
        ]);
        if self.fault == Some(Fault::ForgetZombies) {
            let enter = self.task(process).operation.accesses[1..].iter().copied();
            let enter = Operation::all(enter.collect::<Vec<_>>());
            self.also(enter, performed);
            self.may_be_waited_for(process);
        }
    }

    /// The parent of a process that has ended may see that.
    fn may_be_waited_for(&mut self, process: Thread) {
        let task = self.task_mut(process);
        task.status = Status::Ended;
        let parent = task.parent.unwrap_or(Thread(0));
        let parent = self.task(parent).process;
        let zombies = self.of(Sort::Zombies, parent);
        let waiting = self.waiting.entry(zombies).or_default();
        waiting.push(process);
        waiting.sort_unstable();
    }

    /// A lock that nobody can give back any more.
    pub(crate) fn check_holds(&mut self, thread: Thread, when: &str, performed: &mut Performed) {
        let held = std::mem::take(&mut self.task_mut(thread).held);
        for (object, hold) in held {
            let what = match hold {
                Hold::Lock => "has",
                Hold::Reading => "has for reading",
                Hold::Writing => "has for writing",
            };
            let lock = self.object_name(object);
            let message = format!("{when} while {} {what} the lock {lock}", self.name(thread));
            let failure = Failure::new(FindingKind::Leak, message);
            performed.failures.push(failure);
        }
    }

    /// How a person would call an object.
    pub(crate) fn object_name(&self, object: Object) -> String {
        match self.objects.key(object) {
            Some((Sort::Set, id, number)) => format!("semaphore {number} of set {id}"),
            Some((_, owner, address)) if owner & SHARED == 0 => self.symbols.data(address),
            Some((_, _, offset)) => format!("shared memory +{offset}"),
            None => "?".to_owned(),
        }
    }

    /// Executes what can only be executed in one way as long as there is one thread.
    fn prefix(&mut self, performed: &mut Performed) {
        for _ in 0..PREFIX {
            if self.is_concurrent || performed.is_over {
                return;
            }
            match self.pending(Thread(0)) {
                Pending::Operation {
                    enabled: true,
                    choices: 1,
                    ..
                } if self.task(Thread(0)).said.call != Call::Toss => {
                    self.advance(Thread(0), 0, performed)
                }
                _ => return,
            }
        }
    }

    /// One step, without what follows from being alone.
    fn advance(&mut self, thread: Thread, choice: u32, performed: &mut Performed) {
        let operation = self.task(thread).operation.clone();
        let mut done = self.perform(thread, &operation);
        let first = performed.operation.accesses.len();
        performed.operation.accesses.append(&mut done.accesses);
        if self.task(thread).status == Status::Zombie {
            self.may_be_waited_for(thread);
            return;
        }
        let Some((result, more)) = self.execute(thread, choice, first, performed) else {
            return;
        };
        let slot = self.task(thread).slot;
        self.host.slot(slot).wrote.store(0, Ordering::Relaxed);
        match self.host.run(slot, result, more) {
            Ok(()) => {
                self.wrote(thread, first, performed);
                self.collect(performed);
            }
            Err(lost) => {
                self.collect(performed);
                self.lost(lost, thread, performed);
            }
        }
    }

    /// The value that a write left is known when the thread has announced its next operation.
    fn wrote(&mut self, thread: Thread, first: usize, performed: &mut Performed) {
        let slot = self.host.slot(self.task(thread).slot);
        if slot.wrote.load(Ordering::Relaxed) == 0 {
            return;
        }
        let value = slot.written.load(Ordering::Relaxed);
        let access = &mut performed.operation.accesses[first];
        let is_cell = matches!(self.objects.key(access.object), Some((Sort::Cell, ..)));
        if is_cell && matches!(access.kind, Kind::Write | Kind::Update) {
            access.after = value;
            self.values.set(access.object, value);
        }
    }
}

/// Bit of owners that are regions which processes share.
pub(crate) const SHARED: u64 = 1 << 63;

impl System for Program {
    fn restart(&mut self, performed: &mut Performed) {
        for task in &mut self.tasks {
            task.status = Status::Absent;
        }
        self.threads.clear();
        self.values.clear();
        self.objects.restart();
        self.owners.clear();
        self.waiting.clear();
        self.passed.clear();
        self.tables = Tables::default();
        self.ends.clear();
        self.is_concurrent = false;
        let ready = self.host.restart();
        self.collect(performed);
        match ready {
            Ok(()) => self.prefix(performed),
            Err(lost) if self.tasks.is_empty() => {
                performed.is_over = true;
                if let Lost::Server = lost {
                    let what = "the fork server of the program is gone".to_owned();
                    self.error = Some(Error::Unsuitable(what));
                }
            }
            Err(lost) => self.lost(lost, Thread(0), performed),
        }
        performed.operation.accesses.clear();
    }

    fn threads(&self) -> usize {
        self.tasks.len()
    }

    fn pending(&self, thread: Thread) -> Pending<'_> {
        let Some(task) = self.tasks.get(thread.0 as usize) else {
            return Pending::None;
        };
        let enabled = self.values.enables(&task.operation);
        match task.status {
            Status::Pending => {}
            Status::Zombie if enabled => {}
            _ => return Pending::None,
        }
        let choices = match task.ways {
            Ways::Fixed(ways) => ways,
            Ways::Waiting(object) => self
                .waiting
                .get(&object)
                .map_or(1, |w| w.len().max(1) as u32),
        };
        Pending::Operation {
            operation: &task.operation,
            enabled,
            choices,
        }
    }

    fn cancelled(&self, thread: Thread) -> Option<&Operation> {
        let task = self.tasks.get(thread.0 as usize)?;
        let is_cancelled =
            task.status == Status::Cancelled && self.fault != Some(Fault::ForgetCancelled);
        is_cancelled.then_some(&task.operation)
    }

    fn value(&self, object: Object) -> u64 {
        self.values.get(object)
    }

    fn step(&mut self, thread: Thread, choice: u32, performed: &mut Performed) {
        let yielded = self.task(thread).said.call == Call::Yield;
        self.advance(thread, choice, performed);
        self.prefix(performed);
        performed.yielded = yielded;
    }

    fn numbered(object: Object) -> u32 {
        objects::numbered(object)
    }

    fn objects(&self) -> u32 {
        self.objects.used()
    }

    /// Threads, objects and cells, each with their count before.
    fn remember(&self) -> Vec<u64> {
        let mut threads: Vec<[u64; 3]> = (self.numbers.iter())
            .map(|((parent, nth), child)| [parent.0.into(), (*nth).into(), child.0.into()])
            .collect();
        threads.sort_unstable();
        let parts = [
            threads.concat(),
            self.objects.remember(),
            self.cells.remember(),
        ];
        let counted = |part: Vec<u64>| [vec![part.len() as u64], part].concat();
        parts.into_iter().flat_map(counted).collect()
    }

    fn recall(&mut self, mut memory: &[u64]) -> bool {
        let mut part = || {
            let (&count, rest) = memory.split_first()?;
            let (part, rest) = rest.split_at_checked(usize::try_from(count).ok()?)?;
            memory = rest;
            Some(part)
        };
        let (Some(threads), Some(objects), Some(cells)) = (part(), part(), part()) else {
            return false;
        };
        self.numbers = (threads.as_chunks::<3>().0.iter())
            .map(|&[parent, nth, child]| {
                ((Thread(parent as u32), nth as u32), Thread(child as u32))
            })
            .collect();
        self.objects.recall(objects) && self.cells.recall(cells)
    }

    fn is_interrupted(&self) -> bool {
        self.host.is_stopped()
            || self.cells.has_changed()
            || self.escape.is_some()
            || self.error.is_some()
    }

    /// The number that a thread would have if the current execution were the first: schedules are
    /// executed in programs that know nothing of the exploration.
    fn alias(&self, thread: Thread) -> u32 {
        let number = self.born().position(|other| other == thread);
        number.map_or(thread.0, |number| number as u32)
    }

    fn aliased(&self, alias: u32) -> Option<Thread> {
        self.born().nth(alias as usize)
    }

    fn name(&self, thread: Thread) -> String {
        let Some(task) = self.tasks.get(thread.0 as usize) else {
            return format!("thread {}", thread.0);
        };
        let number = self.alias(thread);
        match thread {
            Thread(0) => "main".to_owned(),
            _ if task.process == thread => format!("process {number}"),
            _ => format!("thread {number}"),
        }
    }

    fn describe(&self, thread: Thread) -> String {
        match self.tasks.get(thread.0 as usize) {
            Some(task) => self.operation_name(task),
            None => "nothing".to_owned(),
        }
    }

    fn place(&self, thread: Thread) -> Option<String> {
        let task = self.tasks.get(thread.0 as usize)?;
        self.symbols.code(task.said.caller)
    }
}

//! The current execution: its events, and which of them happened before which.
//!
//! Happens-before is the smallest partial order that contains the order of each thread, the
//! creation of threads, and the order of dependent operations. It is kept as one vector clock per
//! event: `clock[t]` is the number of events of thread `t` that happened before or are the event.
//! All clocks lie in one table whose rows grow when a thread with a higher number appears. An
//! execution shares its beginning with the one before it: only what follows is computed again.

use crate::fault::{self, Fault};
use crate::operation::{Access, Kind, Object, Operation};
use crate::system::{Pending, System, Thread};
use std::borrow::Cow;
use std::cell::Cell;

/// A place in the execution: the number of events before it.
pub(crate) type Position = usize;

/// A step that was executed.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) thread: Thread,
    /// Which of `choices` ways was taken.
    pub(crate) choice: u32,
    pub(crate) choices: u32,
    /// How many events of the same thread came before it.
    pub(crate) local: u32,
    /// What was pending, and what was done.
    pub(crate) announced: Operation,
    pub(crate) performed: Operation,
    /// Threads created by it.
    created: Vec<Thread>,
    /// How many times until here, this event included, a thread was left although it could have
    /// gone on.
    pub(crate) preemptions: u32,
    /// How many times until here the thread changed.
    pub(crate) switches: u32,
    /// Whether the thread let others go first.
    pub(crate) yielded: bool,
}

/// What is known of one thread.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Its events.
    events: Vec<u32>,
    /// The event that created it.
    creator: Option<u32>,
}

/// An operation that is pending at the end of the execution.
#[derive(Clone, Debug)]
pub(crate) struct Last {
    pub(crate) thread: Thread,
    pub(crate) operation: Operation,
}

/// The events so far.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    events: Vec<Event>,
    threads: Vec<Known>,
    /// The events that touch an object.
    objects: Vec<Vec<u32>>,
    /// Row `e` is the clock of event `e`.
    clocks: Vec<u32>,
    width: usize,
    /// What was pending at the end.
    last: Vec<Last>,
    /// How many events are shared with an execution whose races are known.
    shared: Position,
    pub(crate) fault: Option<Fault>,
    /// [`System::numbered`], and [`System::objects`] at each position.
    numbered: fn(Object) -> u32,
    marks: Vec<u32>,
    /// Whether some race had more reversals than were tried.
    gave_up: Cell<bool>,
}

impl Execution {
    pub(crate) fn new(fault: Option<Fault>, numbered: fn(Object) -> u32) -> Self {
        Execution {
            events: Vec::new(),
            threads: Vec::new(),
            objects: Vec::new(),
            clocks: Vec::new(),
            width: 0,
            last: Vec::new(),
            shared: 0,
            fault,
            numbered,
            marks: Vec::new(),
            gave_up: Cell::new(false),
        }
    }

    /// Some race has more reversals than are tried.
    pub(crate) fn give_up(&self) {
        self.gave_up.set(true);
    }

    /// Whether that was so in this execution or one before.
    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    /// Notes how many objects have a number at the end.
    #[inline]
    pub(crate) fn mark(&mut self, objects: u32) {
        self.marks.truncate(self.events.len());
        self.marks.push(objects);
    }

    /// How many events are shared with an execution whose races are known.
    #[inline]
    pub(crate) fn shared(&self) -> Position {
        self.shared
    }

    /// The events so far are shared with an execution whose races are known.
    #[inline]
    pub(crate) fn share(&mut self) {
        self.shared = self.len();
    }

    #[inline]
    pub(crate) fn len(&self) -> Position {
        self.events.len()
    }

    #[inline]
    pub(crate) fn event(&self, position: Position) -> &Event {
        &self.events[position]
    }

    #[inline]
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    #[inline]
    pub(crate) fn last(&self) -> &[Last] {
        &self.last
    }

    /// The events that touch an object, in order.
    #[inline]
    pub(crate) fn on(&self, object: Object) -> &[u32] {
        self.objects
            .get(object.0 as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Whether the order of two performed operations of different threads matters.
    #[inline]
    pub(crate) fn depends(&self, a: &Operation, b: &Operation) -> bool {
        let depends = |a| b.accesses.iter().any(|b| fault::depends(self.fault, a, b));
        a.accesses.iter().any(depends)
    }

    #[inline]
    fn clock(&self, position: Position) -> &[u32] {
        &self.clocks[position * self.width..(position + 1) * self.width]
    }

    /// The clock of an event, without the zeros at its end.
    pub(crate) fn trimmed_clock(&self, position: Position) -> &[u32] {
        let clock = self.clock(position);
        let end = clock.iter().rposition(|&n| n != 0).map_or(0, |i| i + 1);
        &clock[..end]
    }

    /// Whether the first event happened before the second, or is it.
    #[inline]
    pub(crate) fn happens_before(&self, first: Position, second: Position) -> bool {
        let event = &self.events[first];
        self.clock(second)[event.thread.index()] > event.local
    }

    /// The last event that comes before the next one of `thread` by the order of that thread, or by
    /// its creation.
    #[inline]
    pub(crate) fn previous(&self, thread: Thread, local: u32) -> Option<Position> {
        let known = self.threads.get(thread.index())?;
        let previous = match local {
            0 => known.creator,
            _ => Some(known.events[local as usize - 1]),
        };
        previous.map(|p| p as Position)
    }

    /// How many events of `thread` lie before `position`.
    #[inline]
    pub(crate) fn local_count(&self, thread: Thread, position: Position) -> u32 {
        let events = match self.threads.get(thread.index()) {
            Some(known) => &known.events,
            None => return 0,
        };
        events.partition_point(|&e| (e as Position) < position) as u32
    }

    /// What `thread` announced after `local` events of its own.
    pub(crate) fn announced(&self, thread: Thread, local: u32) -> Option<&Operation> {
        let known = self.threads.get(thread.index())?;
        match known.events.get(local as usize) {
            Some(&position) => Some(&self.events[position as usize].announced),
            None => {
                let last = self.last.iter().find(|last| last.thread == thread)?;
                Some(&last.operation)
            }
        }
    }

    /// An operation recorded in an execution that shares the first `shared` events with this one,
    /// with the objects of this one. `local` events of `thread` came before it, the last ones of
    /// which did `before` in that execution. `None` if it is unknown what the objects are.
    pub(crate) fn translate<'o>(
        &self,
        shared: Position,
        (thread, local): (Thread, u32),
        before: &[&Operation],
        operation: &'o Operation,
    ) -> Option<Cow<'o, Operation>> {
        let known = self.marks.get(shared).copied().unwrap_or(0);
        let mut objects = operation.accesses.iter().map(|a| a.object);
        if objects.all(|object| (self.numbered)(object) <= known) {
            return Some(Cow::Borrowed(operation));
        }
        let events = &self.threads.get(thread.index())?.events;
        let first = local as usize - before.len();
        for (index, operation) in before.iter().enumerate() {
            let event = &self.events[*events.get(first + index)? as Position];
            let same = |(a, b): (&Access, &Access)| a.kind == b.kind && a.before == b.before;
            let mut pairs = event.performed.accesses.iter().zip(&operation.accesses);
            if !pairs.all(same) {
                return None;
            }
        }
        let mut operation = operation.clone();
        let announced = self.announced(thread, local)?;
        for (access, now) in operation.accesses.iter_mut().zip(&announced.accesses) {
            access.object = now.object;
        }
        Some(Cow::Owned(operation))
    }

    /// Forgets all events from `length` on.
    pub(crate) fn truncate(&mut self, length: Position) {
        for (position, event) in self.events.iter().enumerate().skip(length).rev() {
            self.threads[event.thread.index()].events.pop();
            for thread in &event.created {
                self.threads[thread.index()].creator = None;
            }
            for access in &event.performed.accesses {
                let list = &mut self.objects[access.object.0 as usize];
                if list.last() == Some(&(position as u32)) {
                    list.pop();
                }
            }
        }
        self.events.truncate(length);
        self.clocks.truncate(length * self.width);
        self.last.clear();
        self.shared = length;
    }

    /// Makes room for a thread.
    pub(crate) fn widen(&mut self, threads: usize) {
        if threads <= self.width {
            return;
        }
        let width = threads.next_power_of_two().max(4);
        let mut clocks = vec![0; width * self.events.len()];
        for position in 0..self.events.len() {
            clocks[position * width..][..self.width].copy_from_slice(self.clock(position));
        }
        self.clocks = clocks;
        self.width = width;
        self.threads.resize_with(width, Known::default);
    }

    /// Appends an event and computes its clock.
    pub(crate) fn push(&mut self, event: NewEvent<'_>) {
        let position = self.events.len();
        let NewEvent {
            thread,
            choice,
            choices,
            announced,
            performed,
            created,
            preemptions,
            yielded,
        } = event;
        let last = self.events.last();
        let switches = last.map_or(0, |l| l.switches + u32::from(l.thread != thread));
        let highest = created.iter().map(|t| t.index()).max().unwrap_or(0);
        self.widen(highest.max(thread.index()) + 1);
        let local = self.threads[thread.index()].events.len() as u32;
        let start = self.clocks.len();
        match self.previous(thread, local) {
            Some(previous) => {
                let row = previous * self.width;
                self.clocks.extend_from_within(row..row + self.width);
            }
            None => self.clocks.resize(start + self.width, 0),
        }
        for access in &performed.accesses {
            let index = access.object.0 as usize;
            if index >= self.objects.len() {
                self.objects.resize_with(index + 1, Vec::new);
            }
            for &earlier in self.objects[index].iter().rev() {
                let other = &self.events[earlier as usize];
                let covered = self.clocks[start + other.thread.index()] > other.local;
                // Everything on the object happened before an exclusive access to it.
                let exclusive = other
                    .performed
                    .accesses
                    .iter()
                    .any(|a| a.object == access.object && a.kind.is_exclusive());
                let depends = |a: &Access| fault::depends(self.fault, a, access);
                if !covered && other.performed.accesses.iter().any(depends) {
                    let (before, row) = self.clocks.split_at_mut(start);
                    let clock = &before[earlier as usize * self.width..][..self.width];
                    for (mine, &theirs) in row.iter_mut().zip(clock) {
                        *mine = (*mine).max(theirs);
                    }
                }
                if exclusive {
                    break;
                }
            }
        }
        for access in &performed.accesses {
            let list = &mut self.objects[access.object.0 as usize];
            if access.kind != Kind::Nothing && list.last() != Some(&(position as u32)) {
                list.push(position as u32);
            }
        }
        self.clocks[start + thread.index()] = local + 1;
        self.threads[thread.index()].events.push(position as u32);
        for child in created {
            self.threads[child.index()].creator = Some(position as u32);
        }
        self.events.push(Event {
            thread,
            choice,
            choices,
            local,
            announced,
            performed: performed.clone(),
            created: created.to_vec(),
            preemptions,
            switches,
            yielded,
        });
    }

    /// Notes what is pending at the end.
    pub(crate) fn finish<S: System>(&mut self, system: &S) {
        self.last.clear();
        self.widen(system.threads());
        for thread in (0..system.threads() as u32).map(Thread) {
            let operation = match system.pending(thread) {
                Pending::Operation { operation, .. } => Some(operation),
                Pending::None => system.cancelled(thread),
            };
            if let Some(operation) = operation {
                let mut operation = operation.clone();
                for access in &mut operation.accesses {
                    access.before = system.value(access.object);
                }
                self.last.push(Last { thread, operation });
            }
        }
    }
}

/// What [`Execution::push`] makes an event of.
pub(crate) struct NewEvent<'n> {
    pub(crate) thread: Thread,
    pub(crate) choice: u32,
    pub(crate) choices: u32,
    pub(crate) announced: Operation,
    pub(crate) performed: &'n Operation,
    pub(crate) created: &'n [Thread],
    pub(crate) preemptions: u32,
    pub(crate) yielded: bool,
}

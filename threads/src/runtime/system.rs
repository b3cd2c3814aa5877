//! The runtime as the explorer sees it.

use super::object::end_of;
use super::thread::Status;
use super::{MAIN, Runtime, Ways};
use ample_stateless::{Failure, FindingKind, Object, Pending, Performed, System, Thread};

impl System for Runtime {
    fn restart(&mut self, performed: &mut Performed) {
        self.begin();
        self.beat.turn();
        std::mem::swap(performed, &mut self.inner.get_mut().performed);
    }

    fn threads(&self) -> usize {
        // SAFETY: as in `pending`.
        unsafe { &*self.inner.as_ptr() }.slots.len()
    }

    fn pending(&self, thread: Thread) -> Pending<'_> {
        // SAFETY: the explorer calls the methods of the system one after the other, never from
        // inside a coroutine, and drops what this returns before it calls one that takes `&mut
        // self`. Nothing else changes a slot while the explorer runs.
        let inner = unsafe { &*self.inner.as_ptr() };
        let slot = &inner.slots[thread.0 as usize];
        if slot.status != Status::Pending {
            return Pending::None;
        }
        let choices = match slot.ways {
            Ways::Fixed(n) => n,
            Ways::Waiting(condition) => {
                let waiting = inner.waiting.get(&condition);
                waiting.map_or(1, |w| w.len().max(1)) as u32
            }
        };
        Pending::Operation {
            operation: &slot.operation,
            enabled: inner.values.enables(&slot.operation),
            choices,
        }
    }

    fn value(&self, object: Object) -> u64 {
        self.inner.borrow().values.get(object)
    }

    fn step(&mut self, thread: Thread, choice: u32, performed: &mut Performed) {
        self.beat.step(thread, choice);
        let leaks = self.habits.leaks;
        let inner = self.inner.get_mut();
        std::mem::swap(performed, &mut inner.performed);
        if leaks {
            let main_has_ended = inner.values.get(end_of(MAIN)) > 0;
            let ends = inner.slots[thread.0 as usize].what == "the end of the thread";
            if main_has_ended && !ends && !inner.outlived.contains(&thread) {
                inner.outlived.push(thread);
            }
        }
        self.resume(thread, choice);
        self.beat.turn();
        std::mem::swap(performed, &mut self.inner.get_mut().performed);
    }

    fn numbered(object: Object) -> u32 {
        if object.0 % 2 == 1 {
            return 0;
        }
        object.0 / 2 + 1
    }

    fn objects(&self) -> u32 {
        self.inner.borrow().objects
    }

    fn leftovers(&self, failures: &mut Vec<Failure>) {
        if !self.habits.leaks {
            return;
        }
        let inner = self.inner.borrow();
        let mut leak = |message| failures.push(Failure::new(FindingKind::Leak, message));
        for &(object, units, what) in &inner.locks {
            if inner.values.get(object) < units {
                leak(format!("leak: a {what} is still locked at the end"));
            }
        }
        for &thread in &inner.outlived {
            let name = self.name(thread);
            leak(format!(
                "leak: {name} goes on after main has ended, where `std` would stop it"
            ));
        }
    }

    fn remember(&self) -> Vec<u64> {
        self.names.remember()
    }

    fn recall(&mut self, memory: &[u64]) -> bool {
        self.names.recall(memory)
    }

    fn alias(&self, thread: Thread) -> u32 {
        let created = &self.inner.borrow().created;
        let place = created.iter().position(|&t| t == thread);
        place.map_or(thread.0, |n| n as u32)
    }

    fn aliased(&self, alias: u32) -> Option<Thread> {
        self.inner.borrow().created.get(alias as usize).copied()
    }

    fn name(&self, thread: Thread) -> String {
        let number = self.alias(thread);
        let inner = self.inner.borrow();
        match inner.slots.get(thread.0 as usize).map(|slot| &slot.name) {
            _ if thread == MAIN => "main".to_owned(),
            Some(Some(name)) => format!("{name} (thread {number})"),
            _ => format!("thread {number}"),
        }
    }

    fn describe(&self, thread: Thread) -> String {
        let inner = self.inner.borrow();
        inner.slots[thread.0 as usize].what.to_owned()
    }

    fn place(&self, thread: Thread) -> Option<String> {
        let inner = self.inner.borrow();
        let slot = &inner.slots[thread.0 as usize];
        // A drop has no place of its own in the program.
        let is_implicit = ["the drop", "the end"]
            .iter()
            .any(|w| slot.what.starts_with(w));
        (!is_implicit).then(|| slot.place.to_string())
    }
}

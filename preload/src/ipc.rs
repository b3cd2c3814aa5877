//! System V objects. They exist here only.

use crate::protocol::{MEMORY, QUEUES, SETS};
use std::collections::VecDeque;

const CREATE: u64 = 0o1000;
const EXCLUSIVE: u64 = 0o2000;

const ENOENT: i64 = 2;
const EEXIST: i64 = 17;
const EINVAL: i64 = 22;

/// Bytes that a queue has room for.
pub(crate) const ROOM: u64 = 16384;

/// An object and its key; a private one has none.
#[derive(Clone, Debug)]
struct Entry {
    key: Option<u64>,
    is_removed: bool,
    /// Semaphores of a set.
    size: u64,
}

/// All of them, in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    entries: [Vec<Entry>; 3],
    /// Type and text of the messages in each queue.
    pub(crate) messages: Vec<VecDeque<(u64, Vec<u8>)>>,
}

fn sort_of(sort: u64) -> usize {
    match sort {
        SETS | QUEUES | MEMORY => sort as usize,
        _ => 0,
    }
}

impl Tables {
    /// The id of the object with a key, or a negative error.
    pub(crate) fn get(&mut self, sort: u64, key: u64, flags: u64, size: u64) -> i64 {
        let entries = &mut self.entries[sort_of(sort)];
        let known = entries
            .iter()
            .position(|e| e.key == Some(key) && !e.is_removed);
        match known {
            Some(_) if key != 0 && flags & CREATE != 0 && flags & EXCLUSIVE != 0 => -EEXIST,
            Some(id) if key != 0 => id as i64,
            _ if key != 0 && flags & CREATE == 0 => -ENOENT,
            _ => {
                entries.push(Entry {
                    key: (key != 0).then_some(key),
                    is_removed: false,
                    size,
                });
                let id = entries.len() - 1;
                if sort == QUEUES {
                    self.messages.push(VecDeque::new());
                }
                id as i64
            }
        }
    }

    /// Removes an object by its id, or by its key.
    pub(crate) fn remove(&mut self, sort: u64, id: u64, key: u64) -> i64 {
        let entries = &mut self.entries[sort_of(sort)];
        let entry = match id {
            u64::MAX => entries
                .iter_mut()
                .find(|e| e.key == Some(key) && !e.is_removed),
            id => entries.get_mut(id as usize).filter(|e| !e.is_removed),
        };
        match entry {
            Some(entry) => {
                // The id of shared memory stays valid as long as somebody has it.
                entry.is_removed = true;
                0
            }
            None if id == u64::MAX => -ENOENT,
            None => -EINVAL,
        }
    }

    /// How many semaphores a set has; nothing if there is no such set.
    pub(crate) fn size(&self, sort: u64, id: u64) -> Option<u64> {
        let entry = self.entries[sort_of(sort)].get(id as usize)?;
        (!entry.is_removed).then_some(entry.size)
    }
}

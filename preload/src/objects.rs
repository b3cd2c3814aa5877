//! Numbers of objects: what is at the same address in all executions has the same number in all of
//! them; what is allocated while threads run gets a number in the order of use.

use ample_stateless::Object;
use rustc_hash::{FxHashMap, FxHashSet};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Cell,
    Lock,
    RwLock,
    Condition,
    Barrier,
    Once,
    Semaphore,
    /// The table of System V objects.
    Table,
    /// A semaphore of a set: id, number.
    Set,
    /// The messages of a queue, and the room that is left.
    Queue,
    /// Bytes in a pipe.
    Pipe,
    /// Room in a pipe.
    Room,
    /// Ends of a pipe that are closed: those that write, those that read.
    NoWriter,
    NoReader,
    /// Given at the end of a thread or process.
    End,
    /// Given to a thread that waits for a condition.
    Token,
    /// Read by what threads do; written by the end of their process.
    Alive,
    /// Whether a process has waited for children without saying which.
    Waits,
    /// Children that have ended and were not waited for.
    Zombies,
    /// Given when a child may be waited for.
    Zombie,
}

impl Sort {
    const ALL: [Sort; 20] = [
        Sort::Cell,
        Sort::Lock,
        Sort::RwLock,
        Sort::Condition,
        Sort::Barrier,
        Sort::Once,
        Sort::Semaphore,
        Sort::Table,
        Sort::Set,
        Sort::Queue,
        Sort::Pipe,
        Sort::Room,
        Sort::NoWriter,
        Sort::NoReader,
        Sort::End,
        Sort::Token,
        Sort::Alive,
        Sort::Waits,
        Sort::Zombies,
        Sort::Zombie,
    ];
}

/// What identifies an object: its sort, whose memory it is in, and where.
pub(crate) type Key = (Sort, u64, u64);

/// The numbers.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    stable: FxHashMap<Key, Object>,
    used: FxHashMap<Key, Object>,
    keys: FxHashMap<Object, Key>,
    /// What was used in this execution.
    seen: FxHashSet<Key>,
}

impl Objects {
    /// Forgets what was numbered by use.
    pub(crate) fn restart(&mut self) {
        for object in self.used.values() {
            self.keys.remove(object);
        }
        self.used.clear();
        self.seen.clear();
    }

    /// The numbers that are kept, as four numbers each.
    pub(crate) fn remember(&self) -> Vec<u64> {
        let mut all: Vec<[u64; 4]> = (self.stable.iter())
            .map(|(&(sort, owner, at), object)| [object.0.into(), sort as u64, owner, at])
            .collect();
        all.sort_unstable();
        all.concat()
    }

    /// Takes over what another one remembered. `false` if it makes no sense.
    pub(crate) fn recall(&mut self, memory: &[u64]) -> bool {
        let (all, rest) = memory.as_chunks::<4>();
        all.iter().all(|&[number, sort, owner, at]| {
            let Some(&sort) = Sort::ALL.get(sort as usize) else {
                return false;
            };
            self.number((sort, owner, at), true) == Object(number as u32)
        }) && rest.is_empty()
    }

    /// The number of an object, which may be a new one.
    pub(crate) fn number(&mut self, key: Key, is_stable: bool) -> Object {
        let table = if is_stable {
            &mut self.stable
        } else {
            &mut self.used
        };
        if let Some(&object) = table.get(&key) {
            return object;
        }
        let object = Object(2 * table.len() as u32 + u32::from(!is_stable));
        table.insert(key, object);
        self.keys.insert(object, key);
        object
    }

    /// Whether an object has a number in this execution. Stable numbers are kept, but say nothing about
    /// this execution: the first use is noted.
    pub(crate) fn is_known(&mut self, key: Key) -> bool {
        !self.seen.insert(key)
    }

    pub(crate) fn find(&self, key: Key) -> Option<Object> {
        self.stable
            .get(&key)
            .or_else(|| self.used.get(&key))
            .copied()
    }

    pub(crate) fn key(&self, object: Object) -> Option<Key> {
        self.keys.get(&object).copied()
    }

    /// How many were numbered by use.
    pub(crate) fn used(&self) -> u32 {
        self.used.len() as u32
    }
}

/// When an object got its number: [`ample_stateless::System::numbered`].
pub(crate) fn numbered(object: Object) -> u32 {
    match object.0 % 2 {
        0 => 0,
        _ => object.0 / 2 + 1,
    }
}

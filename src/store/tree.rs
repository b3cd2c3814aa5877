//! The tree store: states as trees of shared parts, found by their roots.
//!
//! A state is cut into parts that it shares with others (see [`super::image`]); what is left of it is one word, its *root*,
//! which stands for the state: equal states have equal roots and different ones different roots, so nothing is left to
//! chance. The visited states are a set of roots (see [`super::roots`]). All parts may be used by many threads at a time; each
//! has its own [`TreeStore`], a view of what they share.

use super::image::{Half, Halves, Image, Shapes, Shared};
use super::interner::{Hint, Interner};
use super::room::Room;
use super::roots::{Added, Hints, Root, Roots};
use super::{Insert, Notes, StateId};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug)]
struct Contents {
    interner: Interner,
    shapes: Shapes,
    roots: Roots,
    room: Room,
    len: AtomicU64,
    /// What goes along with a state when it is first stored. Few models have anything, so it is not worth a place
    /// beside the root.
    along: Mutex<FxHashMap<u64, Box<[u8]>>>,
    has_along: bool,
}

impl Contents {
    #[cold]
    fn keep_along(&self, id: StateId, bytes: &[u8]) {
        let mut along = self.along.lock().unwrap_or_else(PoisonError::into_inner);
        along.insert(id.0, bytes.into());
        let bytes = bytes.len() + size_of::<(u64, Box<[u8]>)>();
        self.room.count(bytes as u64);
    }

    #[inline]
    fn shared(&self) -> Shared<'_> {
        Shared {
            interner: &self.interner,
            shapes: &self.shapes,
            room: &self.room,
        }
    }
}

/// A growing, exact set of states, as one thread sees it.
#[derive(Clone, Debug)]
pub(super) struct TreeStore {
    contents: Arc<Contents>,
    image: Image,
    hints: Hints,
    hint: Hint,
    batch: Batch,
}

/// States to be inserted together.
#[derive(Clone, Debug, Default)]
struct Batch {
    /// What the states are made of; `None` for one that found no room.
    halves: Vec<Option<Halves>>,
    /// What they are to the store, as far as that has been found out; the word is 0 for one that found no room.
    roots: Vec<Root>,
    /// What goes along with each, one behind the other.
    along: Vec<u8>,
}

impl TreeStore {
    /// An empty store of states with which `along` bytes go along. It stays below `limit` bytes, and goes to files in the
    /// folder `spill` where that is not enough.
    pub(super) fn new(notes: Notes, along: usize, limit: u64, spill: Option<&Path>) -> TreeStore {
        let room = Room::new(limit, spill.map(Path::to_owned));
        TreeStore {
            contents: Arc::new(Contents {
                interner: Interner::new(&room),
                shapes: Shapes::default(),
                roots: Roots::new(notes, &room),
                room,
                len: AtomicU64::new(0),
                along: Mutex::default(),
                has_along: along > 0,
            }),
            image: Image::new(),
            hints: Hints::default(),
            hint: Hint::default(),
            batch: Batch::default(),
        }
    }

    #[inline]
    pub(super) fn collect(&mut self, key: &[u8], along: &[u8]) {
        let shared = self.contents.shared();
        let halves = self.image.halves(key, shared);
        if let Some(halves) = &halves {
            match (halves.left, halves.right) {
                (Half::Known(_), Half::Known(_)) => {
                    let root = self.image.root(halves, shared).unwrap_or(0);
                    let root = Root::new(root);
                    self.contents.roots.prefetch(root, &mut self.hints);
                }
                (left, right) => {
                    for half in [left, right] {
                        if let Half::Unknown(text) = half {
                            Interner::prefetch(text, self.hint);
                        }
                    }
                }
            }
        }
        self.batch.halves.push(halves);
        self.batch.along.extend_from_slice(along);
    }

    pub(super) fn collected(&self) -> usize {
        self.batch.halves.len()
    }

    pub(super) fn drop_collected(&mut self) {
        self.batch.halves.clear();
        self.batch.roots.clear();
        self.batch.along.clear();
    }

    /// Finds the roots of all states of a batch. Where halves have to be looked for, they are first sent for together.
    fn resolve(&mut self) {
        let Batch { halves, roots, .. } = &mut self.batch;
        let shared = self.contents.shared();
        let both = halves.iter().flatten().flat_map(|h| [h.left, h.right]);
        let mut unknown = both
            .filter_map(|half| match half {
                Half::Unknown(text) => Some(text),
                Half::Known(_) => None,
            })
            .peekable();
        let late = unknown.peek().is_some();
        if late {
            shared.interner.prefetch_texts(unknown, &mut self.hint);
        }
        for halves in &halves[roots.len()..] {
            let root = halves.and_then(|halves| self.image.root(&halves, shared));
            let root = Root::new(root.unwrap_or(0));
            if late {
                self.contents.roots.prefetch(root, &mut self.hints);
            }
            roots.push(root);
        }
    }

    pub(super) fn insert_collected(&mut self, note: u64, mut tell: impl FnMut(Insert, usize)) {
        self.resolve();
        let Contents {
            roots, room, len, ..
        } = &*self.contents;
        let Batch {
            roots: words,
            halves,
            along,
        } = &self.batch;
        let along_len = along.len() / words.len().max(1);
        let mut new = 0;
        roots.add_all(words, note, room, |index, added| {
            let id = StateId(words[index].word);
            let answer = match added {
                Added::New => {
                    new += 1;
                    if self.contents.has_along {
                        let along = &along[index * along_len..][..along_len];
                        self.contents.keep_along(id, along);
                    }
                    Insert::New(id)
                }
                Added::Seen => Insert::Seen(id),
                Added::Full => Insert::Full,
            };
            tell(answer, halves[index].map_or(0, |h| h.length as usize));
        });
        len.fetch_add(new, Ordering::Relaxed);
        self.drop_collected();
    }

    pub(super) fn find_collected(&mut self, out: &mut Vec<Option<StateId>>) {
        self.resolve();
        let words = &self.batch.roots;
        let roots = &self.contents.roots;
        roots.find_all(words, |index, found| {
            out.push(found.then(|| StateId(words[index].word)));
        });
    }

    pub(super) fn load(&mut self, id: StateId, out: &mut Vec<u8>) {
        self.image.load(id.0, self.contents.shared(), out);
        if self.contents.has_along {
            let along = &self.contents.along;
            let along = along.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(bytes) = along.get(&id.0) {
                out.extend_from_slice(bytes);
            }
        }
    }

    #[inline]
    pub(super) fn note(&self, id: StateId) -> u64 {
        self.contents.roots.note(id.0)
    }

    #[inline]
    pub(super) fn set_note(&mut self, id: StateId, note: u64) {
        self.contents.roots.set_note(id.0, note);
    }

    #[inline]
    pub(super) fn update_note(
        &self,
        id: StateId,
        change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        self.contents.roots.update_note(id.0, change)
    }

    pub(super) fn len(&self) -> u64 {
        self.contents.len.load(Ordering::Relaxed)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.contents.room.used() + self.image.bytes()
    }

    pub(super) fn set_limit(&mut self, bytes: u64) {
        self.contents.room.set_limit(bytes);
    }
}

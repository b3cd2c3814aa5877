//! The tree store: states as trees of shared parts, found by their roots.
//!
//! A state is cut into parts that it shares with others (see [`super::image`]); what is left of it is one word, its *root*,
//! which stands for the state: equal states have equal roots and different ones different roots, so nothing is left to
//! chance. The visited states are a set of roots (see [`super::roots`]).
//!
//! Where to cut is decided by looking at the first states ([`split`]), which until then are kept as they are ([`early`]).
//! Then the store *settles*: they are cut up too. A state is called by its root, but an early one by its number among
//! them, before and after; its root is flagged, which shows that it has another name.
//!
//! All parts may be used by many threads at a time; each has its own [`TreeStore`], a view of what they share.

mod early;
pub(super) mod escape;
pub(super) mod layout;
pub(super) mod pack;
pub(super) mod split;

use super::image::{Halves, Image, KIND_SHIFT, Shared};
use super::interner::{Hint, Interner};
use super::room::Room;
use super::roots::{Added, Hints, Root, Roots};
use super::{Insert, Notes, Shortage, StateId};
use crate::checkpoint::{In, Out, Persist, misfit};
use early::{ENOUGH, Early};
use layout::{KINDS, TreeLayouts};
use rustc_hash::FxHashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

#[derive(Debug)]
struct Contents {
    early: Mutex<Early>,
    settled: OnceLock<Settled>,
    interner: Interner,
    roots: Roots,
    room: Room,
    len: AtomicU64,
    /// What goes along with a state when it is first stored. Few models have anything, so it is not worth a place
    /// beside the root.
    along: Mutex<FxHashMap<u64, Box<[u8]>>>,
    has_along: bool,
}

/// What is known once the early states have been cut up.
#[derive(Debug)]
struct Settled {
    layouts: TreeLayouts,
    /// The roots of the early states, by their numbers.
    roots: Vec<u64>,
    /// Their numbers, in the order of the roots.
    by_root: Vec<u32>,
}

impl Settled {
    fn bytes(&self) -> u64 {
        (size_of_val(&*self.roots) + size_of_val(&*self.by_root)) as u64
    }

    /// What the state with a root is called.
    #[inline]
    fn name(&self, root: u64, flagged: bool) -> StateId {
        if !flagged {
            return StateId(root);
        }
        let numbers = &self.by_root;
        let at = numbers.partition_point(|&number| self.roots[number as usize] < root);
        early_name(numbers[at] as usize)
    }

    /// The root of a state.
    #[inline]
    fn root(&self, id: StateId) -> u64 {
        early_number(id).map_or(id.0, |number| self.roots[number])
    }
}

/// Early states have names of a kind that no root is of.
const FIRST_NAME: u64 = (KINDS as u64) << KIND_SHIFT | 1;

fn early_name(number: usize) -> StateId {
    StateId(FIRST_NAME + number as u64)
}

#[inline]
fn early_number(id: StateId) -> Option<usize> {
    let number = id.0.checked_sub(FIRST_NAME);
    number.map(|number| number as usize)
}

/// Whether the store has settled; no thread can settle it while another one holds the early states.
enum Phase<'c> {
    Early(MutexGuard<'c, Early>),
    Settled(&'c Settled),
}

impl Contents {
    #[inline]
    fn phase(&self) -> Phase<'_> {
        match self.settled.get() {
            Some(settled) => Phase::Settled(settled),
            None => self.early_phase(),
        }
    }

    #[cold]
    fn early_phase(&self) -> Phase<'_> {
        let early = self.early.lock().unwrap_or_else(PoisonError::into_inner);
        match self.settled.get() {
            Some(settled) => Phase::Settled(settled),
            None => Phase::Early(early),
        }
    }

    /// Cuts up the early states, for which there must be room since they are there; false if the system refuses it.
    #[cold]
    fn settle(&self, early: &mut Early, view: &mut View) -> bool {
        let layouts = TreeLayouts::new(early.states());
        let roots = self.room.without_limit(|| {
            let states = early.states().enumerate();
            let roots = states.map(|(number, state)| {
                let shared = self.shared(&layouts);
                let halves = view.image.halves(state, shared);
                let root = halves.and_then(|halves| view.image.root(&halves, shared));
                let root = Root::new(root?);
                let note = early.note(number);
                let mut is_new = false;
                let tell = |_, added| is_new = added == Added::New;
                self.roots.add_all(&[root], true, note, &self.room, tell);
                is_new.then_some(root.word)
            });
            roots.collect::<Option<Vec<u64>>>()
        });
        let Some(roots) = roots else {
            return false;
        };
        self.room.give(early.bytes());
        *early = Early::default();
        let mut by_root: Vec<u32> = (0..roots.len() as u32).collect();
        by_root.sort_unstable_by_key(|&number| roots[number as usize]);
        let settled = self.settled.get_or_init(|| Settled {
            layouts,
            roots,
            by_root,
        });
        self.room.count(settled.bytes());
        true
    }

    /// Adds a state to the early ones; `None` if it is new and there is no room for it.
    fn add_early(&self, early: &mut Early, state: &[u8], note: u64) -> Option<Insert> {
        if let Some(number) = early.find(state) {
            return Some(Insert::Seen(early_name(number)));
        }
        if !self.room.take(Early::bytes_for(state)) {
            return None;
        }
        self.len.fetch_add(1, Ordering::Relaxed);
        Some(Insert::New(early_name(early.add(state, note))))
    }

    fn keep_along(&self, id: StateId, bytes: &[u8]) {
        if self.has_along {
            let mut along = self.along.lock().unwrap_or_else(PoisonError::into_inner);
            along.insert(id.0, bytes.into());
            let bytes = bytes.len() + size_of::<(u64, Box<[u8]>)>();
            self.room.count(bytes as u64);
        }
    }

    #[inline]
    fn shared<'s>(&'s self, layouts: &'s TreeLayouts) -> Shared<'s> {
        Shared {
            interner: &self.interner,
            layouts,
            room: &self.room,
        }
    }
}

/// A growing, exact set of states, as one thread sees it.
#[derive(Clone, Debug)]
pub(super) struct TreeStore {
    contents: Arc<Contents>,
    view: View,
    batch: Batch,
}

/// What a thread knows of the contents.
#[derive(Clone, Debug)]
struct View {
    image: Image,
    hints: Hints,
    hint: Hint,
}

/// States to be inserted together.
#[derive(Clone, Debug, Default)]
struct Batch {
    /// States that came before the store had settled, one behind the other, and where they end.
    early: Vec<u8>,
    early_ends: Vec<usize>,
    /// The roots of those that came later, 0 for one that found no room, and their lengths.
    roots: Vec<Root>,
    lengths: Vec<u32>,
    /// Those of them whose halves have to be looked for first.
    late: Vec<(usize, Halves)>,
    /// What goes along with each, one behind the other.
    along: Vec<u8>,
}

impl Batch {
    fn len(&self) -> usize {
        self.early_ends.len() + self.roots.len()
    }

    fn clear(&mut self) {
        self.early.clear();
        self.early_ends.clear();
        self.roots.clear();
        self.lengths.clear();
        self.late.clear();
        self.along.clear();
    }

    /// Drops the first states, which came before the store had settled.
    fn drop_early(&mut self, count: usize) {
        if count > 0 {
            let each = self.along.len() / self.len();
            self.along.drain(..each * count);
            let bytes = self.early_ends[count - 1];
            self.early.drain(..bytes);
            self.early_ends.drain(..count);
            self.early_ends.iter_mut().for_each(|end| *end -= bytes);
        }
    }

    fn early(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |at| self.early_ends[at]);
        &self.early[start..self.early_ends[index]]
    }

    fn along(&self, index: usize) -> &[u8] {
        let each = self.along.len() / self.len().max(1);
        &self.along[index * each..][..each]
    }
}

impl View {
    /// Adds a state to a batch.
    #[inline]
    fn collect(
        &mut self,
        key: &[u8],
        batch: &mut Batch,
        contents: &Contents,
        layouts: &TreeLayouts,
    ) {
        let shared = contents.shared(layouts);
        let mut root = 0;
        if let Some(halves) = self.image.halves(key, shared) {
            if halves.numbers.contains(&0) {
                self.put_off(halves, batch);
            } else {
                root = self.image.root(&halves, shared).unwrap_or(0);
            }
        }
        let root = Root::new(root);
        contents.roots.prefetch(root, &mut self.hints);
        batch.roots.push(root);
        batch.lengths.push(key.len() as u32);
    }

    fn put_off(&mut self, halves: Halves, batch: &mut Batch) {
        for text in halves.unknown() {
            Interner::prefetch(text, self.hint);
        }
        batch.late.push((batch.roots.len(), halves));
    }

    /// Finds the roots of all states of a batch. Where halves have to be looked for, they are first sent for together.
    fn resolve(&mut self, batch: &mut Batch, contents: &Contents, layouts: &TreeLayouts) {
        if !batch.early_ends.is_empty() {
            self.cut_up(batch, contents, layouts);
        }
        if batch.late.is_empty() {
            return;
        }
        let shared = contents.shared(layouts);
        let unknown = batch.late.iter().flat_map(|(_, halves)| halves.unknown());
        shared.interner.prefetch_texts(unknown, &mut self.hint);
        for (index, halves) in batch.late.drain(..) {
            let root = self.image.root(&halves, shared);
            let root = Root::new(root.unwrap_or(0));
            contents.roots.prefetch(root, &mut self.hints);
            batch.roots[index] = root;
        }
    }

    /// Turns the states of a batch that came before the store had settled into roots.
    #[cold]
    fn cut_up(&mut self, batch: &mut Batch, contents: &Contents, layouts: &TreeLayouts) {
        let states = std::mem::take(&mut batch.early);
        let mut start = 0;
        for end in std::mem::take(&mut batch.early_ends) {
            self.collect(&states[start..end], batch, contents, layouts);
            start = end;
        }
    }
}

impl TreeStore {
    /// An empty store of states with which `along` bytes go along. It stays below `limit` bytes, and goes to files in the
    /// folder `spill` where that is not enough.
    pub(super) fn new(notes: Notes, along: usize, limit: u64, spill: Option<&Path>) -> TreeStore {
        let room = Room::new(limit, spill.map(Path::to_owned));
        TreeStore {
            contents: Arc::new(Contents {
                early: Mutex::default(),
                settled: OnceLock::new(),
                interner: Interner::new(&room),
                roots: Roots::new(notes, &room),
                room,
                len: AtomicU64::new(0),
                along: Mutex::default(),
                has_along: along > 0,
            }),
            view: View {
                image: Image::new(),
                hints: Hints::default(),
                hint: Hint::default(),
            },
            batch: Batch::default(),
        }
    }

    #[inline]
    pub(super) fn collect(&mut self, key: &[u8], along: &[u8]) {
        let TreeStore {
            contents,
            view,
            batch,
        } = self;
        batch.along.extend_from_slice(along);
        match contents.settled.get() {
            Some(Settled { layouts, .. }) => {
                if !batch.early_ends.is_empty() {
                    view.cut_up(batch, contents, layouts);
                }
                view.collect(key, batch, contents, layouts);
            }
            None => {
                batch.early.extend_from_slice(key);
                batch.early_ends.push(batch.early.len());
            }
        }
    }

    pub(super) fn collected(&self) -> usize {
        self.batch.len()
    }

    pub(super) fn drop_collected(&mut self) {
        self.batch.clear();
    }

    pub(super) fn insert_collected(&mut self, note: u64, mut tell: impl FnMut(Insert, usize)) {
        let TreeStore {
            contents,
            view,
            batch,
        } = self;
        let contents: &Contents = contents;
        if let Phase::Early(mut early) = contents.phase() {
            let mut done = 0;
            while done < batch.len() && early.len() < ENOUGH {
                let state = batch.early(done);
                let Some(answer) = contents.add_early(&mut early, state, note) else {
                    break;
                };
                if let Insert::New(id) = answer {
                    contents.keep_along(id, batch.along(done));
                }
                tell(answer, state.len());
                done += 1;
            }
            let crowded = done < batch.len() || early.len() >= ENOUGH;
            if crowded && !contents.settle(&mut early, view) {
                tell(Insert::Full, 0);
                batch.clear();
                return;
            }
            batch.drop_early(done);
        }
        if let Phase::Settled(settled) = contents.phase() {
            view.resolve(batch, contents, &settled.layouts);
            let Contents { roots, room, .. } = contents;
            let mut new = 0;
            roots.add_all(&batch.roots, false, note, room, |index, added| {
                let root = batch.roots[index].word;
                let answer = match added {
                    Added::New => {
                        new += 1;
                        contents.keep_along(StateId(root), batch.along(index));
                        Insert::New(StateId(root))
                    }
                    Added::Seen { flagged } => Insert::Seen(settled.name(root, flagged)),
                    Added::Full => Insert::Full,
                };
                tell(answer, batch.lengths[index] as usize);
            });
            contents.len.fetch_add(new, Ordering::Relaxed);
        }
        batch.clear();
    }

    pub(super) fn find_collected(&mut self, out: &mut Vec<Option<StateId>>) {
        let TreeStore {
            contents,
            view,
            batch,
        } = self;
        match contents.phase() {
            Phase::Early(early) => {
                let states = (0..batch.len()).map(|index| batch.early(index));
                out.extend(states.map(|state| early.find(state).map(early_name)));
            }
            Phase::Settled(settled) => {
                view.resolve(batch, contents, &settled.layouts);
                contents.roots.find_all(&batch.roots, |index, found| {
                    let root = batch.roots[index].word;
                    out.push(found.map(|flagged| settled.name(root, flagged)));
                });
            }
        }
    }

    pub(super) fn load(&mut self, id: StateId, out: &mut Vec<u8>) {
        let TreeStore { contents, view, .. } = self;
        match contents.phase() {
            Phase::Early(early) => {
                let number = early_number(id);
                out.extend(number.map_or(&[][..], |number| early.state(number)));
            }
            Phase::Settled(settled) => {
                let shared = contents.shared(&settled.layouts);
                view.image.load(settled.root(id), shared, out);
            }
        }
        if contents.has_along {
            let along = &contents.along;
            let along = along.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(bytes) = along.get(&id.0) {
                out.extend_from_slice(bytes);
            }
        }
    }

    #[inline]
    pub(super) fn note(&self, id: StateId) -> u64 {
        match self.contents.phase() {
            Phase::Early(early) => early_number(id).map_or(0, |number| early.note(number)),
            Phase::Settled(settled) => self.contents.roots.note(settled.root(id)),
        }
    }

    #[inline]
    pub(super) fn set_note(&mut self, id: StateId, note: u64) {
        match self.contents.phase() {
            Phase::Early(mut early) => {
                if let Some(number) = early_number(id) {
                    early.set_note(number, note);
                }
            }
            Phase::Settled(settled) => self.contents.roots.set_note(settled.root(id), note),
        }
    }

    #[inline]
    pub(super) fn update_note(
        &self,
        id: StateId,
        change: impl FnMut(u64) -> Option<u64>,
    ) -> Result<u64, u64> {
        match self.contents.phase() {
            Phase::Early(mut early) => match early_number(id) {
                Some(number) => early.update_note(number, change),
                None => Err(0),
            },
            Phase::Settled(settled) => self.contents.roots.update_note(settled.root(id), change),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.contents.len.load(Ordering::Relaxed)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.contents.room.used() + self.view.image.bytes()
    }

    pub(super) fn shortage(&self) -> Shortage {
        self.contents.room.shortage()
    }

    pub(super) fn set_limit(&mut self, bytes: u64) {
        self.contents.room.set_limit(bytes);
    }
}

/// Checkpoints: the early states are written whole, since the layouts follow from them; once the store has settled, so are the
/// shared parts and the roots, as they are.
impl TreeStore {
    pub(super) fn save(&mut self, out: &mut Out) -> io::Result<()> {
        let contents = Arc::clone(&self.contents);
        let Contents {
            settled,
            interner,
            roots,
            len,
            along,
            ..
        } = &*contents;
        len.load(Ordering::Relaxed).save(out)?;
        settled.get().is_some().save(out)?;
        match contents.phase() {
            Phase::Early(early) => {
                early.len().save(out)?;
                for (number, state) in early.states().enumerate() {
                    state.to_vec().save(out)?;
                    early.note(number).save(out)?;
                }
            }
            Phase::Settled(settled) => {
                settled.roots.save(out)?;
                settled.layouts.lengths().save(out)?;
                let shared = contents.shared(&settled.layouts);
                for &root in &settled.roots {
                    let mut state = Vec::new();
                    self.view.image.load(root, shared, &mut state);
                    state.save(out)?;
                }
                interner.save(out)?;
                roots.save(out)?;
            }
        }
        let along = along.lock().unwrap_or_else(PoisonError::into_inner);
        along.len().save(out)?;
        let mut along = along.iter();
        along.try_for_each(|(id, bytes)| (*id, bytes.to_vec()).save(out))
    }

    pub(super) fn restored(
        notes: Notes,
        along: usize,
        limit: u64,
        spill: Option<&Path>,
        input: &mut In,
    ) -> io::Result<TreeStore> {
        let mut store = TreeStore::new(notes, along, limit, spill);
        // What was there before the limit was looked at may be there again.
        let room = Room::new(limit, spill.map(Path::to_owned));
        let mut fill = |contents: &mut Contents| contents.load(notes, &room, input);
        let contents = Arc::get_mut(&mut store.contents).ok_or_else(misfit)?;
        match spill {
            None => room.without_limit(|| fill(contents)),
            Some(_) => fill(contents),
        }?;
        contents.room = room;
        Ok(store)
    }
}

impl Contents {
    fn load(&mut self, notes: Notes, room: &Room, input: &mut In) -> io::Result<()> {
        self.len = AtomicU64::new(u64::load(input)?);
        if bool::load(input)? {
            let roots = Vec::<u64>::load(input)?;
            let lengths = Vec::<usize>::load(input)?;
            let states = roots.iter().map(|_| Vec::<u8>::load(input));
            let states = states.collect::<io::Result<Vec<_>>>()?;
            let layouts = TreeLayouts::new(states.iter().map(Vec::as_slice));
            lengths
                .into_iter()
                .for_each(|length| _ = layouts.of(length));
            let mut by_root: Vec<u32> = (0..roots.len() as u32).collect();
            by_root.sort_unstable_by_key(|&number| roots[number as usize]);
            let settled = Settled {
                layouts,
                roots,
                by_root,
            };
            room.count(settled.bytes());
            self.settled = OnceLock::from(settled);
            self.interner = Interner::load(room, input)?;
            self.roots = Roots::load(notes, room, input)?;
        } else {
            let mut early = Early::default();
            for _ in 0..usize::load(input)? {
                let (state, note) = <(Vec<u8>, u64)>::load(input)?;
                room.count(Early::bytes_for(&state));
                early.add(&state, note);
            }
            self.early = Mutex::new(early);
        }
        for _ in 0..usize::load(input)? {
            let (id, bytes) = <(u64, Vec<u8>)>::load(input)?;
            room.count((bytes.len() + size_of::<(u64, Box<[u8]>)>()) as u64);
            let along = self.along.get_mut().unwrap_or_else(PoisonError::into_inner);
            along.insert(id, bytes.into());
        }
        Ok(())
    }
}

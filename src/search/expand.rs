//! Expanding a stored state: all that can be reached from it in one step, stored at once.
//!
//! Nearly all the time of a large search is spent waiting for the store's memory. Therefore the successors of a
//! state are first collected and then inserted together ([`Store::insert_all`]), which overlaps the waiting.
//! A strategy built on this only decides which of the new states to expand next.
//!
//! A step is one move, or a whole `atomic` sequence, whose inner states are walked through depth first but not
//! stored (see [`super::chain`] about those that do not end).

use super::chain::Chains;
use super::connect::{connect, connect_by};
use super::ledger::Ledger;
use super::{Accepting, Settings, Space, load, split};
use crate::fairness::ProcessSet;
use crate::limits::Monitor;
use crate::machine::Pid;
use crate::store::{Batch, ExactStore, Insert, StateId, Store};

/// A batch is inserted when it has that many states, or that many bytes.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1 << 16;

/// An inner state of an `atomic` sequence. Its bytes are in `held`, its moves in `moves`, next one last; the
/// last of the moves of a frame that is not the topmost is the one being explored.
struct Inner {
    held: usize,
    moves: usize,
    timeout: bool,
}

/// Says which states lie on the way from the initial state to the one being expanded, both included.
pub(super) type Lineage<'l> = &'l dyn Fn(&ExactStore) -> Vec<StateId>;

/// What stands behind the bytes of a record that go along.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    Nothing,
    /// The state it was first reached from.
    Parent,
    /// A mark of the strategy, one byte: what it is at first.
    Mark(u8),
    /// Room for a note of the strategy.
    Note,
}

impl Tail {
    /// Bytes of a note.
    const NOTE: usize = 4;

    /// The note of a state, 0 when it is new.
    pub(super) fn note(store: &ExactStore, id: StateId) -> u32 {
        let note = store.extra(id).last_chunk::<{ Tail::NOTE }>();
        note.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Changes the note of a state.
    pub(super) fn set_note(store: &mut ExactStore, id: StateId, note: u32) {
        if let Some(bytes) = store.extra_mut(id).last_chunk_mut() {
            *bytes = note.to_le_bytes();
        }
    }

    fn len(self) -> usize {
        match self {
            Tail::Nothing => 0,
            Tail::Parent => StateId::BYTES,
            Tail::Mark(_) => 1,
            Tail::Note => Tail::NOTE,
        }
    }
}

/// Which of the moves of a state are made, where the space offers ample sets.
#[derive(Copy, Clone)]
pub(super) enum Extent<'e> {
    /// What was decided before.
    As(Decision),
    /// Those of the first set that is good enough, judging by where its moves lead (`None`: to a state that is not stored
    /// yet); all if none is.
    Enough(&'e dyn Fn(&ExactStore, &[Option<StateId>]) -> bool),
    /// Those that are not in the ample set with that number: with them all have been made.
    Besides(u32),
}

/// Which of the moves of a state were made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    All,
    /// Those of the ample set with that number.
    Ample(u32),
}

/// For searches of single states: the ample moves suffice if one of them leads to a state that is new, and so will be
/// expanded later than this one. Along such states nothing can be put off forever.
pub(super) fn leads_on(_: &ExactStore, targets: &[Option<StateId>]) -> bool {
    targets.iter().any(Option::is_none)
}

pub(super) struct Expander<'a, P: Space> {
    space: &'a mut P,
    pub(super) store: ExactStore,
    pub(super) ledger: Ledger<'a, P::Move>,
    /// Bytes of a state that go along without being part of its key.
    pub(super) along: usize,
    tail: Tail,
    state: Vec<u8>,
    next: Vec<u8>,
    offered: Vec<P::Move>,
    scratch: Vec<P::Move>,
    inner: Vec<Inner>,
    held: Vec<u8>,
    moves: Vec<P::Move>,
    chains: Chains,
    batch: Batch,
    answers: Vec<Insert>,
    /// Whether the moves at hand are only tried: nothing must be stored yet.
    probing: bool,
    targets: Vec<Option<StateId>>,
    /// Who can move in the state expanded last, and who moved on the way to each successor; when somebody asks.
    keeps_movers: bool,
    enabled: ProcessSet,
    movers: Vec<ProcessSet>,
    /// Whether what is done now counts as visiting.
    counts: bool,
}

impl<'a, P: Space> Expander<'a, P> {
    /// Starts with the initial state, which is stored but not expanded.
    pub(super) fn start(
        space: &'a mut P,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
        tail: Tail,
    ) -> (Expander<'a, P>, Option<StateId>) {
        let mut ledger = Ledger::new(settings, monitor);
        let mut state = Vec::new();
        let started = space.initial(&mut state);
        let along = if started.is_ok() {
            split(space, &state).1.len()
        } else {
            0
        };
        let extra = along + tail.len();
        let mut store = ExactStore::new(extra, settings.limits.memory);
        let first = match started {
            Ok(()) => {
                let (key, along) = split(space, &state);
                let mut extra = along.to_vec();
                match tail {
                    Tail::Nothing => {}
                    Tail::Parent => extra.extend_from_slice(&StateId::NONE.to_bytes()),
                    Tail::Mark(mark) => extra.push(mark),
                    Tail::Note => extra.resize(extra.len() + Tail::NOTE, 0),
                }
                ledger.arrival(store.insert(key, &extra), key.len())
            }
            Err(fault) => {
                ledger.fault(fault, Vec::new);
                None
            }
        };
        let expander = Expander {
            space,
            store,
            ledger,
            along,
            tail,
            state,
            next: Vec::new(),
            offered: Vec::new(),
            scratch: Vec::new(),
            inner: Vec::new(),
            held: Vec::new(),
            moves: Vec::new(),
            chains: Chains::default(),
            batch: Batch::default(),
            answers: Vec::new(),
            probing: false,
            targets: Vec::new(),
            keeps_movers: false,
            enabled: ProcessSet::default(),
            movers: Vec::new(),
            counts: true,
        };
        (expander, first)
    }

    /// States that are stored from now on have that mark.
    pub(super) fn mark_with(&mut self, mark: u8) {
        self.tail = Tail::Mark(mark);
    }

    /// From now on, note who moves.
    pub(super) fn keep_movers(&mut self) {
        self.keeps_movers = true;
    }

    /// Who can move in the state expanded last.
    pub(super) fn enabled(&self) -> ProcessSet {
        self.enabled
    }

    /// Who moved on the way to each of [`Expander::answers`].
    pub(super) fn movers(&self) -> &[ProcessSet] {
        &self.movers
    }

    /// What the store said to the successors of the state expanded last.
    pub(super) fn answers(&self) -> &[Insert] {
        &self.answers
    }

    /// Stores the successors of a stored state, those of an ample set of moves or of all; says which. When `counts` is
    /// false the figures stay as they are: the state has been expanded before.
    pub(super) fn expand(
        &mut self,
        id: StateId,
        lineage: Lineage<'_>,
        extent: Extent<'_>,
        counts: bool,
    ) -> Decision {
        load(&self.store, id, self.along, &mut self.state);
        self.chains.progress();
        self.answers.clear();
        self.movers.clear();
        self.counts = counts;
        let mut offered = std::mem::take(&mut self.offered);
        offered.clear();
        let (timeout, whole) = match self.space.moves(&self.state, None, &mut offered) {
            Ok(offer) => {
                if offered.is_empty() && counts {
                    self.check_end(lineage);
                }
                (offer.timeout, true)
            }
            Err((mv, fault)) => {
                self.report(fault, lineage, &[mv]);
                (false, false)
            }
        };
        if self.keeps_movers {
            self.enabled = movers(self.space, &offered);
        }
        let decision = match extent {
            Extent::As(decision) => decision,
            Extent::Enough(enough) if whole && !timeout => {
                self.decide(id, &mut offered, lineage, enough)
            }
            Extent::Enough(_) | Extent::Besides(_) => Decision::All,
        };
        let made = match (decision, extent) {
            (Decision::Ample(_), Extent::Enough(_)) => 0..0,
            (Decision::Ample(index), _) => {
                let count = self.space.ample(&self.state, &mut offered, index as usize);
                0..count.unwrap_or(offered.len())
            }
            (Decision::All, Extent::Besides(index)) => {
                let count = self.space.ample(&self.state, &mut offered, index as usize);
                self.space.refused(&self.state, &offered);
                count.unwrap_or(0)..offered.len()
            }
            (Decision::All, _) => 0..offered.len(),
        };
        self.make(id, &offered[made], timeout, lineage);
        self.flush();
        self.chains.left(0);
        self.offered = offered;
        decision
    }

    /// Finds the first ample set that is good enough, and puts its successors into the batch.
    fn decide(
        &mut self,
        id: StateId,
        offered: &mut Vec<P::Move>,
        lineage: Lineage<'_>,
        enough: &dyn Fn(&ExactStore, &[Option<StateId>]) -> bool,
    ) -> Decision {
        for index in 0.. {
            let Some(count) = self.space.ample(&self.state, offered, index as usize) else {
                break;
            };
            let before = self.ledger.stats;
            self.chains.left(0);
            self.chains.progress();
            self.probing = true;
            self.make(id, &offered[..count], false, lineage);
            self.probing = false;
            self.store.find_all(&self.batch, &mut self.targets);
            // Moves that all fail lead nowhere: the others must not be left out for them.
            if !self.targets.is_empty() && enough(&self.store, &self.targets) {
                return Decision::Ample(index);
            }
            self.batch.clear();
            self.ledger.stats = before;
        }
        self.chains.left(0);
        self.chains.progress();
        self.space.refused(&self.state, offered);
        Decision::All
    }

    /// Makes moves of the state at hand and puts where they lead into the batch.
    fn make(&mut self, id: StateId, moves: &[P::Move], timeout: bool, lineage: Lineage<'_>) {
        for &mv in moves {
            if self.ledger.stopped() {
                break;
            }
            let step = match self.space.apply(&self.state, mv, timeout, &mut self.next) {
                Ok(step) => Some(step),
                Err(failure) => {
                    self.report(failure.fault, lineage, &[mv]);
                    failure.step.filter(|_| self.ledger.settings.all_errors)
                }
            };
            match step.map(|s| s.control) {
                Some(None) => self.arrive(id, lineage, &[mv]),
                Some(Some(pid)) => self.walk_through(id, mv, pid, lineage),
                None => {}
            }
        }
    }

    /// `next` is a state like any other, unless the space does not want it. `last` are the moves to it.
    #[inline]
    fn arrive(&mut self, from: StateId, lineage: Lineage<'_>, last: &[P::Move]) {
        match self.space.settle(&mut self.next) {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => return self.report(fault, lineage, last),
        }
        let (key, along) = split(self.space, &self.next);
        let parent = from.to_bytes();
        let tail: &[u8] = match &self.tail {
            Tail::Nothing => &[],
            Tail::Parent => &parent,
            Tail::Mark(mark) => std::slice::from_ref(mark),
            Tail::Note => &[0; Tail::NOTE],
        };
        self.store.collect(&mut self.batch, key, along, tail);
        if self.keeps_movers {
            self.movers.push(movers(self.space, last));
        }
        let enough = self.batch.len() >= BATCH || self.batch.bytes() >= BATCH_BYTES;
        if enough && !self.probing {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.store.insert_all(&mut self.batch);
        self.answers.extend_from_slice(self.batch.answers());
        if self.counts {
            for (index, &answer) in self.batch.answers().iter().enumerate() {
                let bytes = self.batch.get(index).0.len();
                self.ledger.arrival(answer, bytes);
            }
        }
        self.batch.clear();
    }

    /// Follows an `atomic` sequence that begins with `first`, after which `next` is the state and `pid` has
    /// control, to all its ends.
    fn walk_through(&mut self, from: StateId, first: P::Move, pid: Pid, lineage: Lineage<'_>) {
        self.pass(from, first, pid, lineage);
        while let Some(top) = self.inner.last() {
            if self.moves.len() == top.moves || self.ledger.stopped() {
                self.moves.truncate(top.moves);
                self.held.truncate(top.held);
                self.inner.pop();
                if !self.inner.is_empty() {
                    self.moves.pop();
                }
                continue;
            }
            let mv = self.moves[self.moves.len() - 1];
            let depth = self.inner.len();
            let state = &self.held[top.held..];
            let step = match self.space.apply(state, mv, top.timeout, &mut self.next) {
                Ok(step) => Some(step),
                Err(failure) => {
                    let path = self.inner_path(first);
                    self.report(failure.fault, lineage, &path);
                    failure.step.filter(|_| self.ledger.settings.all_errors)
                }
            };
            match step.map(|s| s.control) {
                Some(None) => {
                    let path = self.path_if_needed(first);
                    self.arrive(from, lineage, &path);
                }
                Some(Some(pid)) => self.pass(from, first, pid, lineage),
                None => {}
            }
            if self.inner.len() == depth {
                self.moves.pop();
            }
        }
    }

    /// `next` is a state in which `pid` has control: it becomes an inner state if `pid` can go on.
    fn pass(&mut self, from: StateId, first: P::Move, pid: Pid, lineage: Lineage<'_>) {
        if self.counts {
            self.ledger.stats.atomic_steps += 1;
        }
        self.scratch.clear();
        let timeout = match self.space.moves(&self.next, Some(pid), &mut self.scratch) {
            Ok(offer) if offer.control_lost || self.scratch.is_empty() => {
                let path = self.path_if_needed(first);
                return self.arrive(from, lineage, &path);
            }
            Ok(offer) => offer.timeout,
            Err((mv, fault)) => {
                let mut path = self.inner_path(first);
                path.push(mv);
                self.report(fault, lineage, &path);
                false
            }
        };
        let depth = self.inner.len() as u32 + 1;
        if !self.chains.follow(0, depth, &self.next, pid) {
            self.ledger.stats.atomic_repeats += 1;
            return;
        }
        self.inner.push(Inner {
            held: self.held.len(),
            moves: self.moves.len(),
            timeout,
        });
        self.held.extend_from_slice(&self.next);
        self.moves.extend(self.scratch.iter().rev());
    }

    /// As [`Expander::inner_path`], for spaces that may fail when they settle (a plain machine does not) and where it is
    /// noted who moves.
    fn path_if_needed(&self, first: P::Move) -> Vec<P::Move> {
        if P::SETTLES || self.keeps_movers {
            self.inner_path(first)
        } else {
            Vec::new()
        }
    }

    /// The moves of the `atomic` sequence up to the one being made.
    fn inner_path(&self, first: P::Move) -> Vec<P::Move> {
        let ends = self
            .inner
            .iter()
            .skip(1)
            .map(|i| i.moves)
            .chain([self.moves.len()]);
        let current = self
            .inner
            .iter()
            .zip(ends)
            .filter(|(i, end)| *end > i.moves);
        std::iter::once(first)
            .chain(current.map(|(_, end)| self.moves[end - 1]))
            .collect()
    }

    fn report(&mut self, fault: crate::machine::Fault, lineage: Lineage<'_>, last: &[P::Move]) {
        let Expander {
            ledger,
            space,
            store,
            along,
            ..
        } = self;
        ledger.fault(fault, || {
            let mut path = path_to(*space, store, *along, lineage);
            path.extend_from_slice(last);
            path
        });
    }

    fn check_end(&mut self, lineage: Lineage<'_>) {
        if !self.ledger.settings.end_states || self.space.is_valid_end(&self.state) {
            return;
        }
        let mut stuck = Vec::new();
        self.space.stuck_at(&self.state, &mut stuck);
        let Expander {
            ledger,
            space,
            store,
            along,
            ..
        } = self;
        ledger.invalid_end(stuck, || path_to(*space, store, *along, lineage));
    }

    /// Records a cycle: `states` gives those up to its first one, and those from there back to it.
    pub(super) fn cycle(
        &mut self,
        states: impl FnOnce(&ExactStore) -> (Vec<StateId>, Vec<StateId>),
    ) {
        let Expander {
            ledger,
            space,
            store,
            along,
            ..
        } = self;
        ledger.cycle(|| {
            let (prefix, cycle) = states(store);
            let mut path = path_along(*space, store, *along, &prefix);
            let start = path.len();
            path.extend(path_along(*space, store, *along, &cycle));
            (start, path)
        });
    }

    /// Records a cycle given by its steps and who makes them.
    pub(super) fn cycle_by(
        &mut self,
        prefix: &[(StateId, StateId, ProcessSet)],
        cycle: &[(StateId, StateId, ProcessSet)],
    ) {
        let Expander {
            ledger,
            space,
            store,
            along,
            ..
        } = self;
        ledger.cycle(|| {
            let (mut from, mut to) = (Vec::new(), Vec::new());
            let mut path = Vec::new();
            for &(a, b, by) in prefix.iter().chain(cycle) {
                load(store, a, *along, &mut from);
                load(store, b, *along, &mut to);
                path.push(connect_by(*space, &from, &to, by));
            }
            let start = path[..prefix.len()].iter().map(Vec::len).sum();
            (start, path.concat())
        });
    }

    /// Bytes held besides the store and what the strategy has.
    pub(super) fn bytes(&self) -> u64 {
        let moves = (self.moves.capacity() + self.offered.capacity()) * size_of::<P::Move>();
        (moves + self.held.capacity()) as u64 + self.chains.bytes()
    }
}

/// Those who make any of these moves.
fn movers<P: Space>(space: &P, moves: &[P::Move]) -> ProcessSet {
    let each = moves.iter().map(|&mv| space.movers(mv));
    each.fold(ProcessSet::default(), ProcessSet::and)
}

/// The moves along a lineage.
fn path_to<P: Space>(
    space: &mut P,
    store: &ExactStore,
    along: usize,
    lineage: Lineage<'_>,
) -> Vec<P::Move> {
    path_along(space, store, along, &lineage(store))
}

/// The moves from each state to the next.
fn path_along<P: Space>(
    space: &mut P,
    store: &ExactStore,
    along: usize,
    ids: &[StateId],
) -> Vec<P::Move> {
    let mut path = Vec::new();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for pair in ids.windows(2) {
        load(store, pair[0], along, &mut from);
        load(store, pair[1], along, &mut to);
        path.extend(connect(space, &from, &to));
    }
    path
}

impl<P: Accepting> Expander<'_, P> {
    /// The space, and the state expanded last.
    pub(super) fn here(&mut self) -> (&mut P, Vec<u8>) {
        (self.space, self.state.clone())
    }

    /// Whether the state expanded last is accepting.
    pub(super) fn is_accepting(&mut self) -> bool {
        self.space.is_accepting(&self.state)
    }
}

//! Expanding a stored state: all that can be reached from it in one step, stored at once.
//!
//! Nearly all the time of a large search is spent waiting for the store's memory. Therefore the successors of a
//! state are first collected and then inserted together ([`ExactStore::insert_collected`]), which overlaps the waiting.
//! A strategy built on this only decides which of the new states to expand next.
//!
//! A step is one move, or a whole `atomic` sequence, whose inner states are walked through depth first but not
//! stored (see [`super::chain`] about those that do not end).

use super::chain::Chains;
use super::connect::{connect, connect_by};
use super::ledger::{Ledger, Tally};
use super::step_label::{Expanded, Link, StepLabel};
use super::{Accepting, Outcome, Settings, Space, split};
use crate::fairness::NumberSet;
use crate::faults::{Fault, is_active};
use crate::limits::Monitor;
use crate::machine::Pid;
use crate::store::{ExactStore, Insert, Notes, StateId};

/// A batch is inserted when it has that many states.
const BATCH: usize = 64;

/// An inner state of an `atomic` sequence. Its bytes are in `held`, its moves in `moves`, next one last; the
/// last of the moves of a frame that is not the topmost is the one being explored.
struct Inner {
    held: usize,
    moves: usize,
    timeout: bool,
}

/// Says which states lie on the way from the initial state to the one being expanded, both included.
pub(super) type Lineage<'l> = &'l dyn Fn(&ExactStore) -> Vec<StateId>;

/// What is noted with a stored state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    Nothing,
    /// The state it was first reached from.
    Parent,
    /// A mark of the strategy, one byte: what it is at first.
    Mark(u8),
    /// Four bytes of the strategy: what they are at first.
    Note(u8),
}

impl Tail {
    fn notes(self) -> Notes {
        match self {
            Tail::Nothing => Notes::None,
            Tail::Parent => Notes::Word,
            Tail::Mark(_) => Notes::Byte,
            Tail::Note(_) => Notes::Half,
        }
    }

    /// The note of a new state.
    fn of(self, from: Option<StateId>) -> u64 {
        match self {
            Tail::Nothing => 0,
            Tail::Parent => from.map_or(0, StateId::raw),
            Tail::Mark(mark) | Tail::Note(mark) => u64::from(mark),
        }
    }
}

/// Which of the moves of a state are made, where the space offers ample sets.
#[derive(Copy, Clone)]
pub(super) enum Extent<'e> {
    /// What was decided before.
    As(Decision),
    /// What the space itself has planned.
    Planned,
    /// Those of the first set that is good enough, judging by where its moves lead (`None`: to a state that is not stored
    /// yet); all if none is.
    Enough(&'e Enough<'e>),
    /// The same, but only one set is tried, if there is a choice one that this process is in.
    Once(Option<Pid>, &'e Enough<'e>),
    /// Those that are not in the ample set with that number: with them all have been made.
    Besides(u32),
}

/// Whether the moves of an ample set are good enough, judging by where they lead; of each state it is also said whether it is
/// transient, where the space tells.
pub(super) type Enough<'e> = dyn Fn(&ExactStore, &[Option<StateId>], &[bool]) -> bool + 'e;

/// Which of the moves of a state were made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    All,
    /// Those of the ample set with that number.
    Ample(u32),
}

/// For searches of single states: the ample moves suffice if one of them leads to a state that is new, and so will be
/// expanded later than this one. Along such states nothing can be put off forever.
pub(super) fn leads_on(_: &ExactStore, targets: &[Option<StateId>], _: &[bool]) -> bool {
    is_active(Fault::LeadingBackAllowed) || targets.iter().any(Option::is_none)
}

pub(super) struct Expander<'a, P: Space> {
    space: &'a mut P,
    pub(super) store: ExactStore,
    pub(super) ledger: Ledger<'a, P::Move>,
    tail: Tail,
    state: Vec<u8>,
    next: Vec<u8>,
    enabled: Vec<P::Move>,
    scratch: Vec<P::Move>,
    inner: Vec<Inner>,
    held: Vec<u8>,
    moves: Vec<P::Move>,
    chains: Chains,
    answers: Vec<Insert>,
    /// Whether the moves at hand are only tried: nothing must be stored yet.
    probing: bool,
    targets: Vec<Option<StateId>>,
    /// How each successor was come to; when somebody asks.
    keeps_makers: bool,
    step_labels: Vec<StepLabel<P::Move>>,
    /// Whether each successor is transient; when the space tells.
    transient: Vec<bool>,
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
        let mut store = settings.store(tail.notes(), along);
        let first = match started {
            Ok(()) => {
                let (key, along) = split(space, &state);
                ledger.arrival(store.insert(key, along, tail.of(None)), key.len())
            }
            Err(fault) => {
                ledger.fault(fault, Vec::new);
                None
            }
        };
        let expander = Expander::with(space, store, ledger, tail);
        (expander, first)
    }

    /// The same with a store that others use too.
    pub(super) fn join(
        space: &'a mut P,
        store: ExactStore,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
        tail: Tail,
    ) -> Expander<'a, P> {
        Expander::with(space, store, Ledger::new(settings, monitor), tail)
    }

    fn with(
        space: &'a mut P,
        store: ExactStore,
        ledger: Ledger<'a, P::Move>,
        tail: Tail,
    ) -> Expander<'a, P> {
        Expander {
            space,
            store,
            ledger,
            tail,
            state: Vec::new(),
            next: Vec::new(),
            enabled: Vec::new(),
            scratch: Vec::new(),
            inner: Vec::new(),
            held: Vec::new(),
            moves: Vec::new(),
            chains: Chains::default(),
            answers: Vec::new(),
            probing: false,
            targets: Vec::new(),
            keeps_makers: false,
            step_labels: Vec::new(),
            transient: Vec::new(),
            counts: true,
        }
    }

    /// The search is over: what it and its helpers found. `bytes` are held besides the store.
    pub(super) fn close_with(
        mut self,
        helpers: Vec<Tally<P::Move>>,
        bytes: u64,
    ) -> Outcome<P::Move> {
        for tally in helpers {
            self.ledger.take_over(tally);
        }
        self.ledger.close(&self.store, bytes)
    }

    /// States that are stored from now on have that mark.
    pub(super) fn mark_with(&mut self, mark: u8) {
        self.tail = match self.tail {
            Tail::Note(_) => Tail::Note(mark),
            _ => Tail::Mark(mark),
        };
    }

    /// Whether there are ample sets.
    pub(super) fn reduces(&self) -> bool {
        self.space.reduces()
    }

    /// Whether a stored state is transient.
    pub(super) fn is_stored_transient(&mut self, id: StateId) -> bool {
        self.store.load(id, &mut self.state);
        self.space.is_transient(&self.state)
    }

    /// Whether the state of that answer is transient.
    pub(super) fn is_transient(&self, answer: usize) -> bool {
        !P::SORTS || self.transient[answer]
    }

    /// Whether to note from now on who moves.
    pub(super) fn keep_step_labels(&mut self, keep: bool) {
        self.keeps_makers = keep;
    }

    /// How each of [`Expander::answers`] was come to.
    pub(super) fn step_labels(&self) -> &[StepLabel<P::Move>] {
        &self.step_labels
    }

    /// What the store said to the successors of the states expanded last.
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
        self.answers.clear();
        self.step_labels.clear();
        self.transient.clear();
        self.counts = counts;
        let decision = self.collect(id, lineage, extent);
        self.flush(id);
        decision
    }

    /// Stores the successors of several stored states: more waiting for memory at a time. All moves are made. `lineage` says
    /// what leads to which of the states; `ends` gets how many of the answers belong to each and those before it.
    pub(super) fn expand_group(
        &mut self,
        ids: &[StateId],
        lineage: &dyn Fn(usize) -> Vec<StateId>,
        ends: &mut Vec<usize>,
    ) {
        self.answers.clear();
        self.step_labels.clear();
        self.transient.clear();
        self.counts = true;
        ends.clear();
        for (index, &id) in ids.iter().enumerate() {
            self.collect(id, &|_| lineage(index), Extent::As(Decision::All));
            ends.push(self.answers.len() + self.store.collected());
            if self.ledger.stopped() {
                break;
            }
        }
        if let Some(&last) = ids.last() {
            self.flush(last);
        }
    }

    /// Puts the successors of a stored state into the batch.
    fn collect(&mut self, id: StateId, lineage: Lineage<'_>, extent: Extent<'_>) -> Decision {
        self.store.load(id, &mut self.state);
        self.chains.progress();
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        let (timeout, whole) = match self.space.moves(&self.state, None, &mut enabled) {
            Ok(info) => {
                if enabled.is_empty() && self.counts {
                    self.check_end(lineage);
                }
                (info.timeout, true)
            }
            Err((mv, fault)) => {
                self.report(fault, lineage, &[mv]);
                (false, false)
            }
        };
        let decision = match extent {
            Extent::As(decision) => decision,
            Extent::Planned => match self.space.planned(&self.state) {
                Some(index) if whole && !timeout => Decision::Ample(index),
                _ => Decision::All,
            },
            Extent::Enough(enough) if whole && !timeout => {
                self.decide(id, &mut enabled, lineage, 0..u32::MAX, enough)
            }
            Extent::Once(by, enough) if whole && !timeout => {
                let preferred = by.and_then(|p| self.space.ample_with(&self.state, &enabled, p));
                let index = preferred.unwrap_or(0) as u32;
                self.decide(id, &mut enabled, lineage, index..index + 1, enough)
            }
            Extent::Enough(_) | Extent::Once(..) | Extent::Besides(_) => Decision::All,
        };
        if self.counts && matches!(decision, Decision::Ample(_)) {
            self.ledger.stats.reduced += 1;
        }
        let made = match (decision, extent) {
            (Decision::Ample(_), Extent::Enough(_) | Extent::Once(..)) => 0..0,
            (Decision::Ample(index), _) => {
                let count = self.space.ample(&self.state, &mut enabled, index as usize);
                0..count.unwrap_or(enabled.len())
            }
            (Decision::All, Extent::Besides(index)) => {
                let count = self.space.ample(&self.state, &mut enabled, index as usize);
                self.space.refused(&self.state, &enabled);
                count.unwrap_or(0)..enabled.len()
            }
            (Decision::All, _) => 0..enabled.len(),
        };
        self.make(id, &enabled[made], timeout, lineage);
        self.chains.left(0);
        self.enabled = enabled;
        decision
    }

    /// Finds the first of some ample sets that is good enough, and puts its successors into the batch.
    fn decide(
        &mut self,
        id: StateId,
        enabled: &mut Vec<P::Move>,
        lineage: Lineage<'_>,
        indices: std::ops::Range<u32>,
        enough: &Enough<'_>,
    ) -> Decision {
        for index in indices {
            let Some(count) = self.space.ample(&self.state, enabled, index as usize) else {
                break;
            };
            let before = self.ledger.stats;
            self.chains.left(0);
            self.chains.progress();
            self.probing = true;
            self.make(id, &enabled[..count], false, lineage);
            self.probing = false;
            self.store.find_collected(&mut self.targets);
            // Moves that all fail lead nowhere: the others must not be left out for them.
            if !self.targets.is_empty() && enough(&self.store, &self.targets, &self.transient) {
                return Decision::Ample(index);
            }
            self.store.drop_collected();
            self.step_labels.clear();
            self.transient.clear();
            self.ledger.stats = before;
        }
        self.chains.left(0);
        self.chains.progress();
        self.space.refused(&self.state, enabled);
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
        self.store.collect(key, along);
        if P::SORTS {
            self.transient.push(self.space.is_transient(&self.next));
        }
        if self.keeps_makers
            && let Some(&first) = last.first()
        {
            let mut movers = NumberSet::default();
            last.iter()
                .for_each(|&mv| self.space.movers(mv, &mut movers));
            self.step_labels.push(StepLabel { first, movers });
        }
        if self.store.collected() >= BATCH && !self.probing {
            self.flush(from);
        }
    }

    fn flush(&mut self, from: StateId) {
        let answers = self.store.insert_collected(self.tail.of(Some(from)));
        for &(answer, bytes) in answers {
            self.answers.push(answer);
            match self.counts {
                true => _ = self.ledger.arrival(answer, bytes),
                false => self.ledger.early_arrival(answer, bytes),
            }
        }
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
            Ok(info) if info.control_lost || self.scratch.is_empty() => {
                let path = self.path_if_needed(first);
                return self.arrive(from, lineage, &path);
            }
            Ok(info) => info.timeout,
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
        if P::SETTLES || self.keeps_makers {
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
            ..
        } = self;
        ledger.fault(fault, || {
            let mut path = path_to(*space, store, lineage);
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
            ..
        } = self;
        ledger.invalid_end(stuck, || path_to(*space, store, lineage));
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
            ..
        } = self;
        ledger.cycle(|| {
            let (prefix, cycle) = states(store);
            let mut path = path_along(*space, store, &prefix);
            let start = path.len();
            path.extend(path_along(*space, store, &cycle));
            (start, path)
        });
    }

    /// Records a cycle given by its steps and who makes them.
    pub(super) fn cycle_by(&mut self, prefix: &[Link<P::Move>], cycle: &[Link<P::Move>]) {
        let Expander {
            ledger,
            space,
            store,
            ..
        } = self;
        ledger.cycle(|| {
            let (mut from, mut to) = (Vec::new(), Vec::new());
            let mut path = Vec::new();
            for (a, b, by) in prefix.iter().chain(cycle) {
                store.load(*a, &mut from);
                store.load(*b, &mut to);
                path.push(connect_by(*space, &from, &to, by.as_ref()));
            }
            let start = path[..prefix.len()].iter().map(Vec::len).sum();
            (start, path.concat())
        });
    }

    /// Bytes held besides the store and what the strategy has.
    pub(super) fn bytes(&self) -> u64 {
        let moves = (self.moves.capacity() + self.enabled.capacity()) * size_of::<P::Move>();
        (moves + self.held.capacity()) as u64 + self.chains.bytes()
    }
}

/// The moves along a lineage.
fn path_to<P: Space>(space: &mut P, store: &mut ExactStore, lineage: Lineage<'_>) -> Vec<P::Move> {
    let ids = lineage(store);
    path_along(space, store, &ids)
}

/// The moves from each state to the next.
fn path_along<P: Space>(space: &mut P, store: &mut ExactStore, ids: &[StateId]) -> Vec<P::Move> {
    let mut path = Vec::new();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for pair in ids.windows(2) {
        store.load(pair[0], &mut from);
        store.load(pair[1], &mut to);
        path.extend(connect(space, &from, &to));
    }
    path
}

impl<P: Accepting> Expander<'_, P> {
    /// The space, and the state expanded last.
    pub(super) fn here(&mut self) -> (&mut P, Vec<u8>) {
        (self.space, self.state.clone())
    }

    /// The state expanded last, from all sides.
    pub(super) fn expanded(&mut self) -> Expanded<'_, P> {
        Expanded {
            space: self.space,
            store: &self.store,
            state: &self.state,
            enabled: &self.enabled,
            answers: &self.answers,
            step_labels: &self.step_labels,
        }
    }

    /// Whether the state expanded last is accepting.
    pub(super) fn is_accepting(&mut self) -> bool {
        self.space.is_accepting(&self.state)
    }
}

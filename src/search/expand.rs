//! Expanding a stored state: all that can be reached from it in one step, stored at once.
//!
//! Nearly all the time of a large search is spent waiting for the store's memory. Therefore the successors of a
//! state are first collected and then inserted together ([`ExactStore::insert_collected`]), which overlaps the waiting.
//! A strategy built on this only decides which of the new states to expand next.
//!
//! A step is one move, or a whole `atomic` sequence ([`super::steps`]).

use super::chain::Chains;
use super::connect::{connect, connect_by};
use super::ledger::{Ledger, Tally};
use super::step_label::{Expanded, Link, StepLabel};
use super::steps::{Stepper, Visitor, Way};
use super::{Outcome, Settings};
use crate::checkpoint::{In, Out, Persist, misfit};
use crate::fairness::NumberSet;
use crate::faults::{Fault, is_active};
use crate::limits::Monitor;
use crate::machine::Pid;
use crate::space::{Accepting, AmpleSets, Space, Transition, split};
use crate::store::{ExactStore, Insert, Notes, StateId};
use std::io;

/// A batch is inserted when it has that many states.
const BATCH: usize = 64;

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

/// How a search begins.
pub(super) enum Begun<R> {
    /// With the initial state, if it is stored.
    First(Option<StateId>),
    /// With what a checkpoint has.
    Resumed(R),
}

pub(super) struct Expander<'a, P: AmpleSets> {
    space: &'a mut P,
    pub(super) store: ExactStore,
    pub(super) ledger: Ledger<'a, P::Move>,
    state: Vec<u8>,
    enabled: Vec<P::Move>,
    targets: Vec<Option<StateId>>,
    stepper: Stepper<P::Move, ()>,
    batch: Batch<P::Move>,
    /// Tells transient states; `None` where all count as transient.
    is_transient: Option<IsTransient<P>>,
}

/// Whether a state is transient.
type IsTransient<P> = fn(&P, &[u8]) -> bool;

/// Successors that have been made but not inserted, and what the store said to those that have been.
struct Batch<M> {
    tail: Tail,
    chains: Chains,
    answers: Vec<Insert>,
    /// Whether the moves at hand are only tried: nothing must be stored yet.
    probing: bool,
    /// How each successor was come to; when somebody asks.
    keeps_makers: bool,
    step_labels: Vec<StepLabel<M>>,
    /// Whether each successor is transient; when the space tells.
    transient: Vec<bool>,
    /// Whether what is done now counts as visiting.
    counts: bool,
}

impl<M> Batch<M> {
    fn new(tail: Tail) -> Batch<M> {
        Batch {
            tail,
            chains: Chains::default(),
            answers: Vec::new(),
            probing: false,
            keeps_makers: false,
            step_labels: Vec::new(),
            transient: Vec::new(),
            counts: true,
        }
    }

    fn clear(&mut self, counts: bool) {
        self.counts = counts;
        self.answers.clear();
        self.step_labels.clear();
        self.transient.clear();
    }

    /// The state at hand is expanded, from the start.
    fn begin(&mut self) {
        self.chains.left(0);
        self.chains.progress();
    }

    fn insert(&mut self, store: &mut ExactStore, ledger: &mut Ledger<'_, M>, from: StateId) {
        let (answers, counts) = (&mut self.answers, self.counts);
        answers.reserve(store.collected());
        store.insert_collected(self.tail.of(Some(from)), |answer, bytes| {
            answers.push(answer);
            match counts {
                true => _ = ledger.arrival(answer, bytes),
                false => ledger.early_arrival(answer, bytes),
            }
        });
    }
}

/// Where the steps of one state lead: into the batch.
struct Arrivals<'v, 'a, P: Space> {
    store: &'v mut ExactStore,
    ledger: &'v mut Ledger<'a, P::Move>,
    batch: &'v mut Batch<P::Move>,
    is_transient: Option<IsTransient<P>>,
    from: StateId,
    lineage: Lineage<'v>,
}

impl<P: Space> Visitor<P> for Arrivals<'_, '_, P> {
    type Mark = ();

    #[inline]
    fn mark(&mut self, _: Option<()>, _: P::Move) {}

    #[inline]
    fn control_kept(&mut self, held: impl FnOnce() -> u64) {
        self.ledger.stats.atomic_steps += u64::from(self.batch.counts);
        if self.ledger.due() {
            let held = held() + self.batch.chains.bytes();
            self.ledger.look_within(self.store.bytes(), held);
        }
    }

    fn follow(&mut self, state: &[u8], pid: Pid, way: &Way<'_, P::Move>) -> bool {
        let depth = way.inner_states() as u32 + 1;
        let follow = self.batch.chains.follow(0, depth, state, pid);
        self.ledger.stats.atomic_repeats += u64::from(!follow);
        follow
    }

    /// A state like any other, unless the space does not want it.
    #[inline]
    fn arrive(&mut self, space: &mut P, state: &mut Vec<u8>, way: &Way<'_, P::Move>, (): ()) {
        match space.settle(state) {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => return self.fault(space, fault, way),
        }
        let (key, along) = split(space, state);
        self.store.collect(key, along);
        if let Some(is_transient) = self.is_transient {
            self.batch.transient.push(is_transient(space, state));
        }
        if self.batch.keeps_makers {
            let mut movers = NumberSet::default();
            way.moves().for_each(|mv| mv.add_movers(&mut movers));
            let first = way.first();
            self.batch.step_labels.push(StepLabel { first, movers });
        }
        if self.store.collected() >= BATCH && !self.batch.probing {
            self.batch.insert(self.store, self.ledger, self.from);
        }
    }

    fn fault(&mut self, space: &mut P, fault: crate::machine::Fault, way: &Way<'_, P::Move>) {
        let (store, lineage) = (&mut *self.store, self.lineage);
        self.ledger.fault(fault, || {
            let mut path = path_to(space, store, lineage);
            path.extend(way.moves());
            path
        });
    }

    fn goes_on(&self) -> bool {
        self.ledger.settings.all_errors
    }

    #[inline]
    fn stopped(&self) -> bool {
        self.ledger.stopped()
    }
}

impl<'a, P: AmpleSets> Expander<'a, P> {
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

    /// Starts, or goes on from a checkpoint: then `rest` reads what the strategy has put there.
    pub(super) fn begin<R>(
        space: &'a mut P,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
        tail: Tail,
        rest: impl FnOnce(&mut In) -> io::Result<R>,
    ) -> (Expander<'a, P>, Begun<R>) {
        let Some(resume) = &settings.resume else {
            let (expander, first) = Expander::start(space, settings, monitor, tail);
            return (expander, Begun::First(first));
        };
        let mut state = Vec::new();
        // It was made then, and is made now.
        let along = match space.initial(&mut state) {
            Ok(()) => split(space, &state).1.len(),
            Err(_) => 0,
        };
        let mut ledger = Ledger::new(settings, monitor);
        let loaded = resume.open().and_then(|mut input| {
            let store = settings.stored(tail.notes(), along, &mut input)?;
            let findings = Vec::<u64>::load(&mut input)?;
            let tally = Tally::load(&mut input)?;
            let rest = rest(&mut input)?;
            match input.is_done() {
                true => Ok((store, findings, tally, rest)),
                false => Err(misfit()),
            }
        });
        match loaded {
            Ok((store, findings, tally, rest)) => {
                space.restore(&findings);
                ledger.restore(tally);
                let expander = Expander::with(space, store, ledger, tail);
                (expander, Begun::Resumed(rest))
            }
            Err(error) => {
                ledger.refuse(&error);
                let store = settings.store(tail.notes(), along);
                let expander = Expander::with(space, store, ledger, tail);
                (expander, Begun::First(None))
            }
        }
    }

    /// Writes a checkpoint, which is due: the store, what the space and the ledger know, and what the strategy adds.
    #[cold]
    pub(super) fn checkpoint(&mut self, rest: impl FnOnce(&mut Out) -> io::Result<()>) {
        self.ledger.go_on();
        let Some(checkpoints) = self.ledger.settings.checkpoints.clone() else {
            return;
        };
        let states = self.store.len();
        if let Some(mut out) = checkpoints.begin(states) {
            let written = self.save(&mut out).and_then(|()| rest(&mut out));
            checkpoints.end(out, states, written);
        }
    }

    /// Writes the store, and what the space and the ledger know.
    pub(super) fn save(&mut self, out: &mut Out) -> io::Result<()> {
        self.store.save(out)?;
        self.save_findings(out)
    }

    /// Writes what the space and the ledger know.
    pub(super) fn save_findings(&self, out: &mut Out) -> io::Result<()> {
        self.space.findings().save(out)?;
        self.ledger.save(out)
    }

    /// Takes over what another worker had found out when a checkpoint was written.
    pub(super) fn restore(&mut self, (findings, tally): (Vec<u64>, Tally<P::Move>)) {
        self.space.restore(&findings);
        self.ledger.restore(tally);
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
            state: Vec::new(),
            enabled: Vec::new(),
            targets: Vec::new(),
            stepper: Stepper::default(),
            batch: Batch::new(tail),
            is_transient: None,
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
        self.batch.tail = match self.batch.tail {
            Tail::Note(_) => Tail::Note(mark),
            _ => Tail::Mark(mark),
        };
    }

    /// Whether there are ample sets.
    pub(super) fn reduces(&self) -> bool {
        self.space.reduces()
    }

    /// Whether the state of that answer is transient.
    pub(super) fn is_transient(&self, answer: usize) -> bool {
        self.is_transient.is_none() || self.batch.transient[answer]
    }

    /// Whether to note from now on who moves.
    pub(super) fn keep_step_labels(&mut self, keep: bool) {
        self.batch.keeps_makers = keep;
    }

    /// How each of [`Expander::answers`] was come to.
    pub(super) fn step_labels(&self) -> &[StepLabel<P::Move>] {
        &self.batch.step_labels
    }

    /// What the store said to the successors of the states expanded last.
    pub(super) fn answers(&self) -> &[Insert] {
        &self.batch.answers
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
        self.batch.clear(counts);
        let decision = self.collect(id, lineage, extent);
        self.batch.insert(&mut self.store, &mut self.ledger, id);
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
        self.batch.clear(true);
        ends.clear();
        for (index, &id) in ids.iter().enumerate() {
            self.collect(id, &|_| lineage(index), Extent::As(Decision::All));
            ends.push(self.batch.answers.len() + self.store.collected());
            if self.ledger.stopped() {
                break;
            }
        }
        if let Some(&last) = ids.last() {
            self.batch.insert(&mut self.store, &mut self.ledger, last);
        }
    }

    /// Puts the successors of a stored state into the batch.
    fn collect(&mut self, id: StateId, lineage: Lineage<'_>, extent: Extent<'_>) -> Decision {
        self.store.load(id, &mut self.state);
        self.batch.begin();
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        let (timeout, whole) = match self.space.moves(&self.state, None, &mut enabled) {
            Ok(info) => {
                if enabled.is_empty() && self.batch.counts {
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
        if self.batch.counts && matches!(decision, Decision::Ample(_)) {
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
            self.batch.begin();
            self.batch.probing = true;
            self.make(id, &enabled[..count], false, lineage);
            self.batch.probing = false;
            self.store.find_collected(&mut self.targets);
            // Moves that all fail lead nowhere: the others must not be left out for them.
            if !self.targets.is_empty() && enough(&self.store, &self.targets, &self.batch.transient)
            {
                return Decision::Ample(index);
            }
            self.store.drop_collected();
            self.batch.step_labels.clear();
            self.batch.transient.clear();
            self.ledger.stats = before;
        }
        self.batch.begin();
        self.space.refused(&self.state, enabled);
        Decision::All
    }

    /// Makes moves of the state at hand and puts where they lead into the batch.
    fn make(&mut self, id: StateId, moves: &[P::Move], timeout: bool, lineage: Lineage<'_>) {
        let mut arrivals = Arrivals {
            store: &mut self.store,
            ledger: &mut self.ledger,
            batch: &mut self.batch,
            is_transient: self.is_transient,
            from: id,
            lineage,
        };
        for &mv in moves {
            if arrivals.stopped() {
                break;
            }
            let state = (self.state.as_slice(), timeout);
            self.stepper.make(self.space, state, mv, &mut arrivals);
        }
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
        if !self.ledger.settings.end_states {
            return;
        }
        let Some(stuck) = self.space.stuck_at(&self.state) else {
            return;
        };
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
        let moves = self.enabled.capacity() * size_of::<P::Move>();
        moves as u64 + self.stepper.bytes() + self.batch.chains.bytes()
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
    /// Tells transient states from others from now on.
    pub(super) fn tell_transient(&mut self) {
        self.is_transient = Some(P::is_transient);
    }

    /// Whether a stored state is transient.
    pub(super) fn is_stored_transient(&mut self, id: StateId) -> bool {
        self.store.load(id, &mut self.state);
        self.space.is_transient(&self.state)
    }

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
            answers: &self.batch.answers,
            step_labels: &self.batch.step_labels,
        }
    }

    /// Whether the state expanded last is accepting.
    pub(super) fn is_accepting(&mut self) -> bool {
        self.space.is_accepting(&self.state)
    }
}

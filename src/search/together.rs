//! Nested depth-first search by several workers: is there a cycle through an accepting state?
//!
//! This is CNDFS (Evangelista, Laarman, Petrucci, van de Pol, *Improved multi-core nested depth-first search*, ATVA 2012). Every
//! worker makes an outer search of its own from the initial state, each in another order; a state is *cyan* to the
//! worker on whose path it lies. Who leaves a state makes it *blue*, and nobody enters it any more: that is how the work
//! is shared. When a worker leaves an accepting state, it looks in an inner search for a state of its own path. When there is
//! none, what it visited becomes *red* and is never visited by an inner search again; but first it waits until the other
//! accepting states among these are red, which somebody else is about to do.
//!
//! Why a cycle is found: suppose one goes through an accepting state, and consider the first state of it that becomes red, by a
//! worker who left the state s. Its inner search met no red state of the cycle, so it met all states of it; if s is one of
//! them, it has come back to s, which is cyan, and found it; if not, it waits for an accepting one of them to become red
//! first. So none of them ever becomes red. But a worker who leaves an accepting state has made it red in the end. Nobody waits
//! in a circle either: if a waits for what b has on its path, and so on back to a, then the inner search of a has met all
//! that can be reached from there, and with it a state of its own path.
//!
//! In a weak space no inner search is needed: see [`nested`](super::nested). The first state of a cycle that becomes blue
//! has its successor on the path of the worker who left it.
//!
//! **With a reduction** all this must hold of *one* graph. So which moves of a state are made is noted with it, for all
//! workers: whoever enters it proposes an ample set none of whose moves leads to a state of his own path, and where two do
//! not agree, all moves are made. Until the state is blue that may change; a worker that has made too few moves makes the
//! others before it leaves, and in the same step in which the state becomes blue it is seen that nothing is missing. An inner
//! search that comes to a state that is not blue, on another one's path, has all its moves made.
//!
//! Then every cycle has a state where all moves are made (C2'): where not all are, each leads to a state that became blue
//! before, since whoever made the state blue had none of them on its path and left all that were not blue before it.

use super::expand::{Decision, Expander, Extent, Tail};
use super::ledger::Books;
use super::shared_note::{ACCEPTING, BLUE, ENTERED, MOST_WORKERS, Note, RED, cyan};
use super::team::{Member, Team};
use super::{Accepting, End, Outcome, Settings, nested};
use crate::limits::{Limits, Monitor, Stop};
use crate::store::{ExactStore, Insert, StateId, mix};
use rustc_hash::FxHashSet;

/// Looks at red states between two looks at the limits while a worker waits.
const PATIENCE: u32 = 1000;

/// A state on a path, with the successors that have still to be looked at: those behind `next` up to the next frame's.
struct Frame {
    id: StateId,
    base: usize,
    next: usize,
    is_accepting: bool,
    /// Which of its moves have been made.
    made: Decision,
    /// Whether they count: this worker entered it first.
    counts: bool,
}

/// A path, with the successors of all its states.
#[derive(Default)]
struct Path {
    frames: Vec<Frame>,
    successors: Vec<StateId>,
}

impl Path {
    fn pop(&mut self) {
        if let Some(top) = self.frames.pop() {
            self.successors.truncate(top.base);
        }
    }

    fn bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        (frames + self.successors.capacity() * size_of::<StateId>()) as u64
    }
}

struct Worker<'a, P: Accepting> {
    expander: Expander<'a, P>,
    team: &'a Team,
    number: usize,
    weak: bool,
    path: Path,
    /// The path of the inner search.
    inner: Path,
    /// What the inner search has visited.
    visited: FxHashSet<StateId>,
    /// Accepting states among these, but for the one it started from.
    others: Vec<StateId>,
    /// Decides in which order successors are visited.
    turn: u64,
}

/// One worker alone for a while; then, if there is more to do, several start anew.
pub(super) fn search<P: Accepting + Send>(
    space: &mut P,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    if settings.alone > 0 && settings.alone < settings.limits.states {
        let limits = Limits {
            states: settings.alone,
            ..settings.limits
        };
        let alone = Settings {
            limits,
            ..settings.clone()
        };
        let outcome = nested::search(space, &alone, monitor);
        if !matches!(outcome.end, End::Stopped(Stop::States(_))) {
            return outcome;
        }
    }
    let team = Team::new(settings, MOST_WORKERS);
    let mut member = Member::new(&team, 0, Some(monitor));
    let weak = space.is_weak();
    let (expander, first) = Expander::start(space, settings, &mut member, Tail::Note);
    let store = expander.store.clone();
    let lead = Worker::new(expander, &team, 0, weak);
    let help = |number: usize| {
        let mut space = make();
        let mut member = Member::new(&team, number, None);
        let store = store.clone();
        let expander = Expander::join(&mut space, store, settings, &mut member, Tail::Note);
        let worker = Worker::new(expander, &team, number, weak);
        let books = worker.run(first).hand_in();
        (books, space)
    };
    let (lead, helpers) = team.work(help, || {
        let mut lead = lead.run(first);
        team.wait_for_others(|| lead.tick());
        lead
    });
    let (books, spaces): (Vec<_>, Vec<_>) = helpers.into_iter().unzip();
    let outcome = lead.close_with(books);
    spaces.into_iter().for_each(|other| space.take_over(other));
    outcome
}

impl<'a, P: Accepting> Worker<'a, P> {
    fn new(expander: Expander<'a, P>, team: &'a Team, number: usize, weak: bool) -> Worker<'a, P> {
        Worker {
            expander,
            team,
            number,
            weak,
            path: Path::default(),
            inner: Path::default(),
            visited: FxHashSet::default(),
            others: Vec::new(),
            turn: mix(number as u64),
        }
    }

    fn bytes(&self) -> u64 {
        let visited = self.visited.capacity() * size_of::<StateId>();
        self.path.bytes() + self.inner.bytes() + visited as u64 + self.expander.bytes()
    }

    fn close_with(self, helpers: Vec<Books<P::Move>>) -> Outcome<P::Move> {
        let bytes = self.bytes();
        self.expander.close_with(helpers, bytes)
    }

    fn hand_in(self) -> Books<P::Move> {
        let bytes = self.bytes();
        self.expander.ledger.hand_in(bytes)
    }

    /// The outer search.
    fn run(mut self, first: Option<StateId>) -> Self {
        if let Some(first) = first {
            self.enter(first);
        }
        while let Some(top) = self.path.frames.last_mut() {
            if self.expander.ledger.stopped() {
                break;
            }
            if top.next == self.path.successors.len() {
                self.leave();
                continue;
            }
            let to = self.path.successors[top.next];
            top.next += 1;
            let note = Note::of(&self.expander.store, to);
            if note.has(cyan(self.number)) {
                if top.is_accepting || note.has(ACCEPTING) {
                    self.found(to);
                }
            } else if !note.has(BLUE) {
                self.enter(to);
            }
        }
        if let Some(stop) = self.expander.ledger.reason_to_stop() {
            self.team.halt(stop);
        }
        self
    }

    /// Enters a state that was not blue a moment ago.
    fn enter(&mut self, id: StateId) {
        let own = cyan(self.number);
        let Worker { expander, path, .. } = self;
        let depth = path.frames.len() as u64;
        let before = Note::raise(&expander.store, id, own | ENTERED);
        if depth > expander.ledger.settings.limits.depth {
            expander.ledger.cut();
            Note::raise(&expander.store, id, BLUE);
            return Note::lower(&expander.store, id, own);
        }
        expander.ledger.stats.depth = expander.ledger.stats.depth.max(depth);
        let lineage = |_: &ExactStore| ids(path).chain([id]).collect::<Vec<_>>();
        let is_own = |store: &ExactStore, to: StateId| Note::of(store, to).has(own);
        let off_path = |store: &ExactStore, targets: &[Option<StateId>]| {
            !targets.iter().flatten().any(|&to| is_own(store, to))
        };
        let extent = match before.decision() {
            Some(decision) => Extent::As(decision),
            None => Extent::Enough(&off_path),
        };
        let counts = !before.has(ENTERED);
        let made = expander.expand(id, &lineage, extent, counts);
        let closes = targets(expander).any(|to| is_own(&expander.store, to));
        let proposal = if closes { Decision::All } else { made };
        let is_accepting = expander.is_accepting();
        if is_accepting {
            Note::raise(&expander.store, id, ACCEPTING);
        }
        let Some(decision) = Note::decide(&expander.store, id, proposal) else {
            // Another worker was faster.
            return Note::lower(&expander.store, id, own);
        };
        let base = self.path.successors.len();
        self.path.frames.push(Frame {
            id,
            base,
            next: base,
            is_accepting,
            made,
            counts,
        });
        self.follow();
        if decision != made {
            self.make_others();
        }
        if self.expander.ledger.due() {
            self.tick();
        }
    }

    /// Adds the successors just stored to the path, in an order of one's own: so workers do not follow each other.
    fn follow(&mut self) {
        let start = self.path.successors.len();
        self.path.successors.extend(targets(&self.expander));
        let new = &mut self.path.successors[start..];
        match self.number {
            0 => {}
            1 => new.reverse(),
            _ => {
                for last in (1..new.len()).rev() {
                    self.turn = mix(self.turn.wrapping_add(1));
                    new.swap(last, (self.turn % (last as u64 + 1)) as usize);
                }
            }
        }
    }

    /// Makes those moves of the topmost state that are not in its ample set.
    fn make_others(&mut self) {
        let Worker { expander, path, .. } = self;
        let lineage = |_: &ExactStore| ids(path).collect::<Vec<_>>();
        if let Some(&Frame {
            id,
            made: Decision::Ample(index),
            counts,
            ..
        }) = path.frames.last()
        {
            expander.expand(id, &lineage, Extent::Besides(index), counts);
            if let Some(top) = self.path.frames.last_mut() {
                top.made = Decision::All;
            }
            self.follow();
        }
    }

    /// All successors of the topmost state have been visited.
    fn leave(&mut self) {
        let Some(&Frame {
            id,
            is_accepting,
            made,
            ..
        }) = self.path.frames.last()
        else {
            return;
        };
        if !Note::make_blue(&self.expander.store, id, made) {
            return self.make_others();
        }
        let is_red = Note::of(&self.expander.store, id).has(RED);
        if is_accepting && !self.weak && !is_red {
            self.look_back(id);
        }
        Note::lower(&self.expander.store, id, cyan(self.number));
        self.path.pop();
    }

    /// Looks at the limits.
    fn tick(&mut self) {
        let (bytes, depth) = (self.bytes(), self.path.frames.len() as u64);
        let Expander { ledger, store, .. } = &mut self.expander;
        ledger.tick(store, bytes, depth);
    }
}

/// The inner search.
impl<P: Accepting> Worker<'_, P> {
    /// Looks for a way from the topmost state of the path to any state of it.
    fn look_back(&mut self, start: StateId) {
        self.visited.clear();
        self.others.clear();
        self.visit(start);
        while let Some(top) = self.inner.frames.last_mut() {
            if self.expander.ledger.stopped() {
                return;
            }
            if top.next == self.inner.successors.len() {
                self.inner.pop();
                continue;
            }
            let to = self.inner.successors[top.next];
            top.next += 1;
            let note = Note::of(&self.expander.store, to);
            if note.has(cyan(self.number)) {
                self.found(to);
                // A search that goes on does so for the sake of other states: one cycle is enough.
                self.inner = Path::default();
                return;
            }
            if !note.has(RED) && !self.visited.contains(&to) {
                self.visit(to);
            }
        }
        if self.wait() {
            for &id in &self.visited {
                Note::raise(&self.expander.store, id, RED);
            }
        }
    }

    fn visit(&mut self, id: StateId) {
        self.visited.insert(id);
        // What moves are made must not change any more.
        let decision = Note::decide(&self.expander.store, id, Decision::All)
            .or_else(|| Note::of(&self.expander.store, id).decision());
        let decision = decision.unwrap_or(Decision::All);
        let lineage = |_: &ExactStore| Vec::new();
        self.expander
            .expand(id, &lineage, Extent::As(decision), false);
        let is_accepting = self.expander.is_accepting();
        if is_accepting && self.visited.len() > 1 {
            self.others.push(id);
        }
        let base = self.inner.successors.len();
        self.inner.successors.extend(targets(&self.expander));
        self.inner.frames.push(Frame {
            id,
            base,
            next: base,
            is_accepting,
            made: decision,
            counts: false,
        });
        if self.expander.ledger.due() {
            self.tick();
        }
    }

    /// Waits until the other accepting states are red; false if the search is to end.
    fn wait(&mut self) -> bool {
        let mut patience = PATIENCE;
        while let Some(&id) = self.others.last() {
            if Note::of(&self.expander.store, id).has(RED) {
                self.others.pop();
                continue;
            }
            std::hint::spin_loop();
            patience -= 1;
            if patience == 0 {
                patience = PATIENCE;
                std::thread::yield_now();
                self.tick();
                if self.expander.ledger.stopped() {
                    return false;
                }
            }
        }
        true
    }

    /// The path, then that of the inner search, then back to the state `to` of the path.
    fn found(&mut self, to: StateId) {
        let Worker {
            expander,
            path,
            inner,
            ..
        } = self;
        expander.cycle(|_| {
            let depth = ids(path).position(|id| id == to).unwrap_or(0);
            let prefix = ids(path).take(depth + 1).collect();
            // The inner search starts from the state on top of the path.
            let cycle = ids(path).skip(depth).chain(ids(inner).skip(1));
            (prefix, cycle.chain([to]).collect())
        });
    }
}

/// The states of a path.
fn ids(path: &Path) -> impl Iterator<Item = StateId> {
    path.frames.iter().map(|frame| frame.id)
}

/// The successors of the state expanded last.
fn targets<P: Accepting>(expander: &Expander<'_, P>) -> impl Iterator<Item = StateId> {
    let answers = expander.answers().iter();
    answers.filter_map(|answer| match answer {
        Insert::New(to) | Insert::Seen(to) => Some(*to),
        Insert::Full => None,
    })
}

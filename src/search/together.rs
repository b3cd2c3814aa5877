//! The search for a cycle through an accepting state by several workers.
//!
//! Many states are [transient](crate::space::Accepting::is_transient): the automaton has not come to a component with accepting
//! cycles yet. Through these the workers [sweep](super::sweep) together, each state being visited once. Where a sweep comes to
//! other states, the worker begins a nested depth-first search there.
//!
//! This is CNDFS (Evangelista, Laarman, Petrucci, van de Pol, *Improved multi-core nested depth-first search*, ATVA 2012).
//! A worker makes an outer search of its own, each in another order; a state is *cyan* to the worker on whose path it lies.
//! Who leaves a state makes it *blue*, and nobody enters it any more. A worker that has nothing else to do begins where
//! another one did: that is how this part of the work is shared. When a worker leaves an accepting state, it looks in an
//! inner search for a state of its own path. When there is none, what it visited becomes *red* and is never visited by an
//! inner search again; but first it waits until the other accepting states among these are red, which somebody else is
//! about to do.
//!
//! Why a cycle is found: suppose one goes through an accepting state, and consider the first state of it that becomes red, by a
//! worker who left the state s. Its inner search met no red state of the cycle, so it met all states of it; if s is one of
//! them, it has come back to s, which is cyan, and found it; if not, it waits for an accepting one of them to become red
//! first. So none of them ever becomes red. But a worker who leaves an accepting state has made it red in the end. Nobody waits
//! in a circle either: if a waits for what b has on its path, and so on back to a, then the inner search of a has met all
//! that can be reached from there, and with it a state of its own path.
//!
//! In a weak space no inner search is needed: see [`nested`]. The first state of a cycle that becomes blue
//! has its successor on the path of the worker who left it.
//!
//! **With a reduction** no cycle has both transient states and other states, so each part sees to it by itself that every
//! cycle has a state that is expanded fully; for sweeps see there. The rest of the above must hold of *one* graph. So which
//! moves of a state are made is noted with it, for all workers: whoever enters it proposes an ample set none of whose moves
//! leads to a state of its own path, and where two do not agree, all moves are made. Until the state is blue that may
//! change; a worker that has made too few moves makes the others before it leaves, and in the same step in which the state
//! becomes blue it is seen that nothing is missing. An inner search that comes to a state that is not blue, on another
//! one's path, has all its moves made.
//!
//! Then every cycle has a state where all moves are made (C2'): where not all are, each leads to a state that became blue
//! before, since whoever made the state blue had none of them on its path and left all that were not blue before it.

use super::expand::{Begun, Decision, Expander, Extent, Tail};
use super::note::shared::{ACCEPTING, BLUE, ENTERED, MOST_WORKERS, Note, RED, cyan};
use super::stack::Stack;
use super::sweep::{Gift, Proviso, Reached, Sweep};
use super::team::{Board, Look, Member, Pace, Taken, Team, Worker as _};
use super::{End, Outcome, Settings, nested};
use crate::checkpoint::{Persist, persist};
use crate::faults::{Fault, is_active};
use crate::limits::{Limits, Monitor, Stop};
use crate::space::{Accepting, Parallel};
use crate::store::{ExactStore, Insert, StateId, mix};
use rustc_hash::FxHashSet;

/// With a reduction one worker goes on alone for so many times as many states: its proviso leaves out more.
const MORE_ALONE: u64 = 20;

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

/// How the way to where an outer search began is found.
enum Origin {
    /// From the state at that place on the stack of the sweep.
    Sweep(usize),
    /// It is the initial state, or another worker told.
    Told(Vec<StateId>),
}

impl Origin {
    /// The states on the way to where the outer search began, that one excluded.
    fn way(&self, stack: &Stack) -> Vec<StateId> {
        match self {
            Origin::Sweep(place) => stack.way_to(*place),
            Origin::Told(way) => way.clone(),
        }
    }
}

/// What another worker may take over.
enum Work {
    Sweep(Gift),
    /// An outer search that began there, and the states on the way there.
    Outer(StateId, Vec<StateId>),
    /// After a checkpoint: states of paths of the worker of that number, which are given up, and one on top from which it was
    /// looking back.
    Forget(u8, Vec<StateId>, Option<StateId>),
}

persist!(enum Work { Sweep { 0: gift }, Outer { 0: start, 1: way }, Forget { 0: number, 1: path, 2: top } });

struct Worker<'a, P: Accepting> {
    sweep: Sweep<'a, P>,
    team: &'a Team,
    board: &'a Board<Work>,
    number: usize,
    weak: bool,
    /// Where the outer search at hand began, and how often that was told to others.
    origin: Origin,
    told: usize,
    pace: Pace,
    path: Path,
    /// The path of the inner search.
    inner: Path,
    /// What the inner search has visited.
    visited: FxHashSet<StateId>,
    /// Accepting states among these, but for the one it started from.
    others: Vec<StateId>,
    /// Whether there is an inner search.
    looking_back: bool,
    /// Decides in which order successors are visited.
    turn: u64,
}

/// One worker alone for a while; then, if there is more to do, several start anew.
pub(super) fn search<P: Accepting + Parallel>(
    space: &mut P,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    let alone = match space.reduces() {
        true => settings.alone * MORE_ALONE,
        false => settings.alone,
    };
    if alone > 0 && alone < settings.limits.states && settings.resume.is_none() {
        let limits = Limits {
            states: alone,
            ..settings.limits
        };
        let alone = Settings {
            limits,
            // It is short, and made again.
            checkpoints: None,
            ..settings.clone()
        };
        let outcome = nested::search(space, &alone, monitor);
        if !matches!(outcome.end, End::Stopped(Stop::States(_))) {
            return outcome;
        }
    }
    let team = Team::new(settings, MOST_WORKERS, monitor);
    let board = Board::of(&team);
    let mut member = Member::new(&team, 0, Some(monitor));
    let weak = space.is_weak();
    let tail = Tail::Note(0);
    let (mut expander, begun) = Expander::begin(space, settings, &mut member, tail, Team::load);
    let begun = match begun {
        Begun::First(first) => Begun::First(first),
        Begun::Resumed((work, others)) => {
            others.into_iter().for_each(|other| expander.restore(other));
            Begun::Resumed(forget(&expander.store, work))
        }
    };
    let store = expander.store.clone();
    let lead = Worker::new(expander, &team, &board, 0, weak);
    let help = |number: usize| {
        let mut space = make();
        let mut member = Member::new(&team, number, None);
        let store = store.clone();
        let expander = Expander::join(&mut space, store, settings, &mut member, Tail::Note(0));
        let worker = Worker::new(expander, &team, &board, number, weak);
        team.ready();
        let worker = worker.run();
        let bytes = worker.bytes();
        (worker.sweep.expander.ledger.hand_in(bytes), space)
    };
    let (lead, helpers) = team.work(help, || {
        team.ready();
        lead.begin(begun).run()
    });
    let (tallies, spaces): (Vec<_>, Vec<_>) = helpers.into_iter().unzip();
    let bytes = lead.bytes();
    let outcome = lead.sweep.expander.close_with(tallies, bytes);
    spaces.into_iter().for_each(|other| space.take_over(other));
    outcome
}

impl<'a, P: Accepting> Worker<'a, P> {
    fn new(
        mut expander: Expander<'a, P>,
        team: &'a Team,
        board: &'a Board<Work>,
        number: usize,
        weak: bool,
    ) -> Worker<'a, P> {
        // Else it would be swept over cycles.
        expander.tell_transient();
        let mut sweep = Sweep::new(expander, number, Proviso::Every);
        sweep.keep_marks();
        Worker {
            sweep,
            team,
            board,
            number,
            weak,
            origin: Origin::Told(Vec::new()),
            told: 0,
            pace: Pace::default(),
            path: Path::default(),
            inner: Path::default(),
            visited: FxHashSet::default(),
            others: Vec::new(),
            looking_back: false,
            turn: mix(number as u64),
        }
    }

    /// Starts with the initial state, whatever it is, or with what a checkpoint has.
    fn begin(mut self, begun: Begun<Vec<Work>>) -> Self {
        let first = match begun {
            Begun::First(None) => return self,
            Begun::First(Some(first)) => first,
            Begun::Resumed(work) => {
                self.board.give(work);
                return self;
            }
        };
        if self.sweep.expander.is_stored_transient(first) {
            self.sweep.start(first);
        } else {
            self.board.give(vec![Work::Outer(first, Vec::new())]);
        }
        self
    }

    fn bytes(&self) -> u64 {
        self.sweep.bytes() + self.path_bytes()
    }

    fn path_bytes(&self) -> u64 {
        let visited = self.visited.capacity() * size_of::<StateId>();
        self.path.bytes() + self.inner.bytes() + visited as u64
    }

    /// Looks at the limits, and takes part in a checkpoint if one is due; says whether the search is to end.
    fn tick(&mut self) -> bool {
        let bytes = self.path_bytes();
        let ends = self.sweep.tick(bytes);
        if self.sweep.is_pausing() {
            self.rest();
        }
        ends
    }

    /// The same without work, and without a checkpoint.
    fn look(&mut self) -> Look {
        let bytes = self.path_bytes();
        match (self.sweep.tick(bytes), self.sweep.is_pausing()) {
            (true, _) => Look::Stop,
            (false, true) => Look::Rest,
            (false, false) => Look::GoOn,
        }
    }

    /// Takes part in a checkpoint. What is being searched begins again from where it began: see [`forget`].
    #[cold]
    fn rest(&mut self) {
        let Worker {
            sweep:
                Sweep {
                    expander,
                    stack,
                    harvest,
                    number,
                    ..
                },
            team,
            board,
            path,
            origin,
            looking_back,
            ..
        } = self;
        let begun = path
            .frames
            .first()
            .map(|frame| (frame.id, origin.way(stack)));
        let harvest = harvest.iter().map(|r| (r.id, stack.way_to(r.from)));
        let outer = begun.into_iter().chain(harvest);
        let mut work: Vec<Work> = outer.map(|(id, way)| Work::Outer(id, way)).collect();
        let top = path.frames.last().filter(|_| *looking_back);
        work.push(Work::Forget(
            *number,
            ids(path).collect(),
            top.map(|top| top.id),
        ));
        team.rest(expander, board, |out| {
            (1 + work.len()).save(out)?;
            // A gift in all but that it is kept.
            0u8.save(out)?;
            stack.save(out)?;
            number.save(out)?;
            work.iter().try_for_each(|work| work.save(out))
        });
    }

    /// Searches until nobody has anything left to do.
    fn run(mut self) -> Self {
        loop {
            let goes_on = self.sweep.step();
            while let Some(Reached { id, from }) = self.sweep.harvest.pop() {
                self.search_from(id, Origin::Sweep(from));
            }
            if goes_on {
                self.share();
                continue;
            }
            if self.sweep.is_pausing() {
                self.rest();
                continue;
            }
            if let Some(stop) = self.sweep.expander.ledger.reason_to_stop() {
                self.team.halt(stop);
                self.board.wake();
                return self;
            }
            let board = self.board;
            match board.take(|| self.look()) {
                Taken::Work(Work::Sweep(gift)) => self.sweep.adopt(gift),
                Taken::Work(Work::Outer(id, way)) => self.search_from(id, Origin::Told(way)),
                Taken::Work(Work::Forget(..)) => {}
                Taken::Rest => self.rest(),
                Taken::Nothing => return self,
            }
        }
    }

    /// Gives others something to do, if they have nothing.
    #[inline]
    fn share(&mut self) {
        if !self.pace.step() || !self.board.is_wanted() {
            return;
        }
        self.pace.gave();
        if self.sweep.can_share() {
            let gifts = self.sweep.share();
            self.board
                .give(gifts.into_iter().map(Work::Sweep).collect());
        } else if let Some(start) = self.path.frames.first().map(|frame| frame.id)
            && self.told + 1 < self.team.size()
        {
            self.told += 1;
            let way = self.origin.way(&self.sweep.stack);
            self.board.give(vec![Work::Outer(start, way)]);
        }
    }

    fn store(&self) -> &ExactStore {
        &self.sweep.expander.store
    }
}

/// The outer search.
impl<P: Accepting> Worker<'_, P> {
    /// Searches from a state that is not transient, unless somebody has begun there from a sweep.
    fn search_from(&mut self, start: StateId, origin: Origin) {
        let note = Note::of(&self.sweep.expander.store, start);
        let begun = matches!(origin, Origin::Sweep(_)) && note.has(ENTERED);
        // When the search is over, the path is still there: its origin must not become another one, which might be told.
        if begun || note.has(BLUE) || self.sweep.expander.ledger.stopped() {
            return;
        }
        self.origin = origin;
        self.told = 0;
        self.enter(start);
        while let Some(top) = self.path.frames.last_mut() {
            if self.sweep.expander.ledger.stopped() {
                return;
            }
            if top.next == self.path.successors.len() {
                self.leave();
                continue;
            }
            let to = self.path.successors[top.next];
            top.next += 1;
            let note = Note::of(&self.sweep.expander.store, to);
            if note.has(cyan(self.number)) {
                if top.is_accepting || note.has(ACCEPTING) {
                    self.found(to);
                }
            } else if !note.has(BLUE) {
                self.enter(to);
                self.share();
            }
        }
    }

    /// Enters a state that was not blue a moment ago.
    fn enter(&mut self, id: StateId) {
        let own = cyan(self.number);
        let Worker {
            sweep: Sweep {
                expander, stack, ..
            },
            path,
            origin,
            ..
        } = self;
        let before = Note::raise(&expander.store, id, own | ENTERED);
        let depth = stack.depth() + path.frames.len() as u64;
        if depth > expander.ledger.settings.limits.depth {
            expander.ledger.cut();
            Note::raise(&expander.store, id, BLUE);
            return Note::lower(&expander.store, id, own);
        }
        expander.ledger.stats.depth = expander.ledger.stats.depth.max(depth);
        let lineage = |_: &ExactStore| {
            let mut way = origin.way(stack);
            way.extend(ids(path).chain([id]));
            way
        };
        let is_own = |store: &ExactStore, to: StateId| Note::of(store, to).has(own);
        let off_path = |store: &ExactStore, targets: &[Option<StateId>], _: &[bool]| {
            is_active(Fault::LeadingBackAllowed)
                || !targets.iter().flatten().any(|&to| is_own(store, to))
        };
        let extent = match before.decision() {
            Some(decision) => Extent::As(decision),
            None => Extent::Enough(&off_path),
        };
        let counts = !before.has(ENTERED);
        let made = expander.expand(id, &lineage, extent, counts);
        let closes = !is_active(Fault::LeadingBackAllowed)
            && targets(expander).any(|to| is_own(&expander.store, to));
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
        if self.sweep.expander.ledger.due() {
            self.tick();
        }
    }

    /// Adds the successors just stored to the path, in an order of one's own: so workers do not follow each other.
    fn follow(&mut self) {
        let start = self.path.successors.len();
        self.path.successors.extend(targets(&self.sweep.expander));
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
        let Worker {
            sweep: Sweep {
                expander, stack, ..
            },
            path,
            origin,
            ..
        } = self;
        let Some(&Frame {
            id,
            made: Decision::Ample(index),
            counts,
            ..
        }) = path.frames.last()
        else {
            return;
        };
        let lineage = |_: &ExactStore| {
            let mut way = origin.way(stack);
            way.extend(ids(path));
            way
        };
        expander.expand(id, &lineage, Extent::Besides(index), counts);
        if let Some(top) = path.frames.last_mut() {
            top.made = Decision::All;
        }
        self.follow();
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
        if !Note::make_blue(self.store(), id, made) {
            return self.make_others();
        }
        if is_accepting && !self.weak && !Note::of(self.store(), id).has(RED) {
            self.looking_back = true;
            self.look_back(id);
            self.looking_back = false;
        }
        Note::lower(self.store(), id, cyan(self.number));
        self.path.pop();
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
            if self.sweep.expander.ledger.stopped() {
                return;
            }
            if top.next == self.inner.successors.len() {
                self.inner.pop();
                continue;
            }
            let to = self.inner.successors[top.next];
            top.next += 1;
            let note = Note::of(self.store(), to);
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
                Note::raise(self.store(), id, RED);
            }
        }
    }

    fn visit(&mut self, id: StateId) {
        self.visited.insert(id);
        // What moves are made must not change any more.
        let decision = Note::decide(self.store(), id, Decision::All)
            .or_else(|| Note::of(self.store(), id).decision());
        let made = decision.unwrap_or(Decision::All);
        let expander = &mut self.sweep.expander;
        let lineage = |_: &ExactStore| Vec::new();
        expander.expand(id, &lineage, Extent::As(made), false);
        let is_accepting = expander.is_accepting();
        if is_accepting && self.visited.len() > 1 {
            self.others.push(id);
        }
        let base = self.inner.successors.len();
        self.inner.successors.extend(targets(expander));
        self.inner.frames.push(Frame {
            id,
            base,
            next: base,
            is_accepting,
            made,
            counts: false,
        });
        if self.sweep.expander.ledger.due() {
            self.tick();
        }
    }

    /// Waits until the other accepting states are red; false if the search is to end.
    fn wait(&mut self) -> bool {
        let mut patience = PATIENCE;
        while let Some(&id) = self.others.last() {
            if Note::of(self.store(), id).has(RED) {
                self.others.pop();
                continue;
            }
            std::hint::spin_loop();
            patience -= 1;
            if patience == 0 {
                patience = PATIENCE;
                std::thread::yield_now();
                if self.tick() {
                    return false;
                }
            }
        }
        true
    }

    /// The way to the path, the path, then that of the inner search, then back to the state `to` of the path.
    fn found(&mut self, to: StateId) {
        let Worker {
            sweep: Sweep {
                expander, stack, ..
            },
            path,
            inner,
            origin,
            ..
        } = self;
        expander.cycle(|_| {
            let depth = ids(path).position(|id| id == to).unwrap_or(0);
            let mut prefix = origin.way(stack);
            prefix.extend(ids(path).take(depth + 1));
            // The inner search starts from the state on top of the path.
            let cycle = ids(path).skip(depth).chain(ids(inner).skip(1));
            (prefix, cycle.chain([to]).collect())
        });
    }
}

/// Gives up the paths of a checkpoint, and gives the work that is left, which is enough.
///
/// A path that is given up is that of a worker who has turned back without having seen all, and so made nothing blue: its states
/// are not blue, but for those that others have left. Whatever it would have come to is come to again, since the path leads from
/// where it began over states that are not blue, and that is among the work. Only the topmost state may have been made blue
/// for the sake of an inner search that has not ended: it must be left again, since nobody else may be about to make it red. The
/// argument above about red states holds as it is, and that about ample sets too: a state that is left twice counts from the
/// first time, and which of its moves are made only changes to all.
fn forget(store: &ExactStore, work: Vec<Work>) -> Vec<Work> {
    for work in &work {
        if let Work::Forget(number, path, top) = work {
            for &id in path {
                Note::lower(store, id, cyan(usize::from(*number)));
            }
            let unfinished = top.filter(|&id| !Note::of(store, id).has(RED));
            unfinished
                .into_iter()
                .for_each(|id| Note::lower(store, id, BLUE));
        }
    }
    let is_left = |work: &Work| !matches!(work, Work::Forget(..));
    work.into_iter().filter(is_left).collect()
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

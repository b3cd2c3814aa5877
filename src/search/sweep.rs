//! Sweeping through states depth first: a worker's part of a search in which the order does not matter.
//!
//! The [stack](Stack) is on the heap, nine bytes per state; memory is the only bound on its depth.
//!
//! A state is marked as visited when it is first reached, not when it is entered as in the textbook; where only
//! reachability matters this makes no difference, and it lets the successors of a state be stored
//! together, which is much faster. For the same reason several states that wait for their turn are expanded together, a
//! *group*: successors of the group before. Searches that depend on the textbook order use [`strict`](super::strict).
//!
//! Several workers can sweep together: a worker without work gets the lowest of the states that wait on another worker's
//! stack, and they share the store.
//!
//! A sweep only goes through [transient states](crate::space::Accepting::is_transient). In a search for safety violations all
//! states count as transient; in one for cycles a sweep ends at the states that may lie on them, its *harvest*.
//!
//! **With a reduction** there is one state to a group, and each state has a mark: it *waits* on the stack of some worker,
//! it is *open*, or it is *closed*, that is, the search has backtracked from it. Of the moves of an ample set it is asked
//! that one of them leads on, or every one (see [`Proviso`]), which means to a state that
//!
//! - was stored for the first time by this expansion; or
//! - is closed; or
//! - waits on one's own stack, and now is *acquired*: it is entered from here.
//!
//! The first and the last are expanded later than the state at hand, and closed before it. An open state whose descendants
//! are shared between two stacks is never closed, nor are those below it on the stack: they belong to the base of both. So
//! a closed state only leads on to others that were closed before. Therefore no cycle consists of edges that lead on: along
//! such an edge the time of expansion increases, or else the next state was closed before this one was expanded; on a cycle
//! there must be an edge u → v of the second kind, and following the cycle from v, all states were closed before u was
//! expanded, u among them: a contradiction.
//!
//! It is known only after the successors have been stored whether another worker was faster; if the proviso does not hold
//! then, the other moves are made as well.
//!
//! Marks cost time, since leaving a state means to touch it once more. Until the first ample set turns up nothing asks for
//! them, and one worker alone does not keep them: what they would be is then told by the stack. So a model in which there
//! is nothing to reduce is spared them altogether.

use super::expand::{Decision, Expander, Extent};
use super::note::mark::Mark;
use super::stack::{Stack, Top};
use super::team::{Board, Look, Team, Worker};
use crate::checkpoint::{Persist, persist};
use crate::faults::{Fault, is_active};
use crate::limits::Stop;
use crate::space::AmpleSets;
use crate::store::{ExactStore, Insert, StateId};
use smallvec::SmallVec;
use std::cell::Cell;

/// Most states of a group.
const GROUP: usize = 8;

/// Most parts of a stack that are given away at a time. Many parts turn out to be small: others have been there before.
const GIFTS: usize = 16;

/// What is asked of the moves of an ample set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Proviso {
    /// One of them leads on. Then from each state some path leads to one that is expanded fully, and no move is put off
    /// forever: good enough to find single states.
    One,
    /// Every one leads on that leads to a transient state. Then every cycle of transient states has a state that is fully
    /// expanded (C2').
    Every,
}

/// Part of a stack that is handed to another worker.
pub(super) struct Gift {
    stack: Stack,
    giver: u8,
}

persist!(struct Gift { stack, giver });

/// A state that is not transient, and the place on the stack of the one it was reached from.
#[derive(Copy, Clone, Debug)]
pub(super) struct Reached {
    pub(super) id: StateId,
    pub(super) from: usize,
}

/// One worker's sweep.
pub(super) struct Sweep<'a, P: AmpleSets> {
    pub(super) expander: Expander<'a, P>,
    pub(super) stack: Stack,
    pub(super) number: u8,
    proviso: Proviso,
    reduces: bool,
    /// Whether marks are kept.
    marks: bool,
    /// Ends of the answers that belong to each state of the group expanded last.
    ends: Vec<usize>,
    /// What was reached in the last step and is not transient.
    pub(super) harvest: Vec<Reached>,
}

impl<'a, P: AmpleSets> Sweep<'a, P> {
    /// A sweep with nothing to do yet.
    pub(super) fn new(expander: Expander<'a, P>, number: usize, proviso: Proviso) -> Sweep<'a, P> {
        Sweep {
            reduces: expander.reduces(),
            expander,
            stack: Stack::default(),
            number: number as u8,
            proviso,
            marks: false,
            ends: Vec::new(),
            harvest: Vec::new(),
        }
    }

    /// Begins with that state.
    pub(super) fn start(&mut self, first: StateId) {
        self.stack.push(first, 0);
        if self.marks {
            Mark::Waiting(self.number).put(&mut self.expander.store, first);
        }
    }

    /// Writes a checkpoint of a sweep that nobody shares.
    pub(super) fn checkpoint(&mut self) {
        let Sweep {
            expander,
            stack,
            marks,
            ..
        } = self;
        expander.checkpoint(|out| {
            stack.save(out)?;
            marks.save(out)
        });
    }

    /// Goes on from one. Marks that were kept are there.
    pub(super) fn resume(&mut self, stack: Stack, marks: bool) {
        self.stack = stack;
        self.marks = marks;
        if marks {
            self.expander.mark_with(Mark::Waiting(self.number).byte());
        }
    }

    /// Bytes held besides the store.
    pub(super) fn bytes(&self) -> u64 {
        self.stack.bytes() + self.expander.bytes()
    }

    /// Looks at the limits; says whether the search is to end.
    pub(super) fn tick(&mut self, more_bytes: u64) -> bool {
        let (bytes, depth) = (self.bytes() + more_bytes, self.stack.depth());
        let Expander { ledger, store, .. } = &mut self.expander;
        ledger.tick(store, bytes, depth);
        ledger.stopped()
    }

    /// Whether a state that waits on top is to be entered: not if it was from somewhere else, nor beyond the depth allowed.
    fn may_enter(&mut self, top: Top) -> bool {
        let Expander { ledger, store, .. } = &mut self.expander;
        if self.marks && !top.acquired && Mark::of(store, top.id) != Mark::Waiting(self.number) {
            return false;
        }
        let depth = self.stack.depth();
        if depth > ledger.settings.limits.depth {
            ledger.cut();
            return false;
        }
        ledger.stats.depth = ledger.stats.depth.max(depth);
        true
    }

    /// Expands as many states together as wait on top.
    fn enter_group(&mut self) {
        let Sweep {
            expander,
            stack,
            ends,
            ..
        } = self;
        let start = stack.open(GROUP);
        let group: SmallVec<[StateId; GROUP]> = stack.from(start).collect();
        expander.expand_group(&group, &|index| stack.way_to(start + index), ends);
        self.gather(start, false);
    }

    /// Expands the topmost state, by ample moves if that will do.
    fn enter(&mut self, id: StateId) {
        let Sweep {
            expander,
            stack,
            ends,
            marks,
            proviso,
            number,
            ..
        } = self;
        let start = stack.open(1);
        if *marks {
            Mark::Open.put(&mut expander.store, id);
        }
        let asked = Cell::new(false);
        let leads_on = |store: &ExactStore, id: StateId| match *marks {
            true => matches!(Mark::of(store, id), Mark::Closed) || waits(store, id, *number),
            false => !stack.is_open(id),
        };
        let enough = |store: &ExactStore, targets: &[Option<StateId>], transient: &[bool]| {
            asked.set(true);
            let ignored = is_active(Fault::LeadingBackAllowed);
            let leads_on =
                |to: &Option<StateId>| ignored || to.is_none_or(|id| leads_on(store, id));
            match proviso {
                Proviso::One => targets.iter().any(leads_on),
                Proviso::Every => {
                    let mut targets = targets.iter().zip(transient);
                    targets.all(|(to, transient)| !transient || leads_on(to))
                }
            }
        };
        let way = |_: &ExactStore| stack.way_to(start);
        let decision = expander.expand(id, &way, Extent::Enough(&enough), true);
        ends.clear();
        ends.push(expander.answers().len());
        if asked.get() {
            self.keep_marks();
        }
        if let Decision::Ample(index) = decision
            && !self.gather(start, true)
        {
            let Sweep {
                expander, stack, ..
            } = self;
            let way = |_: &ExactStore| stack.way_to(start);
            expander.expand(id, &way, Extent::Besides(index), true);
            self.ends.clear();
            self.ends.push(self.expander.answers().len());
            self.gather(start, false);
        } else if decision == Decision::All {
            self.gather(start, false);
        }
    }

    /// Lets those successors wait that were stored for the first time, and behind ample moves also those again that wait
    /// further down: they are entered from here, as in the textbook. (Where all moves are made they may go on waiting: else
    /// the stack would fill up with states that it holds already.) Says whether the proviso holds. The states expanded begin
    /// at `start` on the stack.
    fn gather(&mut self, start: usize, ample: bool) -> bool {
        let Sweep {
            expander,
            stack,
            ends,
            number,
            proviso,
            harvest,
            ..
        } = self;
        let store = &expander.store;
        let (mut one, mut every) = (false, true);
        for member in (0..ends.len()).rev() {
            let begin = if member == 0 { 0 } else { ends[member - 1] };
            // When the store is full there are fewer answers.
            let end = ends[member].min(expander.answers().len());
            for at in (begin..end).rev() {
                let (id, new) = match expander.answers()[at] {
                    Insert::New(id) => (id, true),
                    Insert::Seen(id) => (id, false),
                    Insert::Full => continue,
                };
                if !expander.is_transient(at) {
                    harvest.push(Reached {
                        id,
                        from: start + member,
                    });
                } else if new {
                    one = true;
                    stack.push(id, member);
                } else if ample && waits(store, id, *number) {
                    stack.push(id, member);
                    every &= *proviso == Proviso::One || acquire(store, stack, id, *number);
                } else if ample {
                    let closed = Mark::of(store, id) == Mark::Closed;
                    one |= closed;
                    every &= closed;
                }
            }
        }
        match proviso {
            _ if is_active(Fault::LeadingBackAllowed) => true,
            Proviso::Every => every,
            Proviso::One => {
                let top = stack.top().filter(|top| !top.open);
                !ample || one || top.is_some_and(|top| acquire(store, stack, top.id, *number))
            }
        }
    }

    /// Keeps marks from now on, if there is a reduction: marks the states on the stack and those just stored, if that has
    /// not been done; the others have been left.
    pub(super) fn keep_marks(&mut self) {
        if self.marks || !self.reduces {
            return;
        }
        self.marks = true;
        let Sweep {
            expander,
            stack,
            number,
            ..
        } = self;
        let waiting = Mark::Waiting(*number);
        for (id, open) in stack.all() {
            let mark = if open { Mark::Open } else { waiting };
            mark.put(&mut expander.store, id);
        }
        for index in 0..expander.answers().len() {
            if let Insert::New(id) = expander.answers()[index] {
                waiting.put(&mut expander.store, id);
            }
        }
        expander.mark_with(waiting.byte());
    }
}

fn waits(store: &ExactStore, id: StateId, number: u8) -> bool {
    Mark::of(store, id) == Mark::Waiting(number)
}

/// Acquires a state that waits here and lies on top of the stack.
fn acquire(store: &ExactStore, stack: &mut Stack, id: StateId, number: u8) -> bool {
    let acquired = Mark::Waiting(number).becomes(Mark::Open, store, id);
    if acquired {
        stack.acquire_top();
    }
    acquired
}

impl<P: AmpleSets> Worker for Sweep<'_, P> {
    type Gift = Gift;

    /// Does what is to be done with the topmost state.
    fn step(&mut self) -> bool {
        let Some(top) = self.stack.top() else {
            return false;
        };
        if self.expander.ledger.stopped() {
            return false;
        }
        if top.open {
            self.stack.pop();
            if self.marks {
                Mark::Closed.put(&mut self.expander.store, top.id);
            }
        } else if !self.may_enter(top) {
            self.stack.pop();
        } else if self.reduces {
            self.enter(top.id);
        } else {
            self.enter_group();
        }
        if self.expander.ledger.due() {
            self.tick(0);
            return !self.is_pausing();
        }
        true
    }

    fn is_pausing(&self) -> bool {
        self.expander.ledger.is_pausing()
    }

    fn rest(&mut self, team: &Team, board: &Board<Gift>) {
        let Sweep {
            expander,
            stack,
            number,
            ..
        } = self;
        team.rest(expander, board, |out| {
            1usize.save(out)?;
            stack.save(out)?;
            number.save(out)
        });
    }

    #[inline]
    fn can_share(&self) -> bool {
        self.stack.waiting() > 1
    }

    /// Parts of the stack to be given away, with half of what waits at most.
    fn share(&mut self) -> Vec<Gift> {
        let keep = self.stack.waiting() / 2;
        let mut gifts = Vec::new();
        while gifts.len() < GIFTS && (gifts.is_empty() || self.stack.waiting() > keep) {
            gifts.push(Gift {
                stack: self.stack.split(),
                giver: self.number,
            });
        }
        gifts
    }

    /// Continues with a part of another worker's stack: its waiting states wait here now, unless the giver has acquired them
    /// meanwhile.
    fn adopt(&mut self, Gift { stack, giver }: Gift) {
        self.stack = stack;
        let waiting = self.stack.all().filter(|(_, open)| !open);
        for (id, _) in waiting.filter(|_| self.marks) {
            let (from, to) = (Mark::Waiting(giver), Mark::Waiting(self.number));
            from.becomes(to, &self.expander.store, id);
        }
    }

    fn look(&mut self) -> Look {
        match (self.tick(0), self.is_pausing()) {
            (true, _) => Look::Stop,
            (false, true) => Look::Rest,
            (false, false) => Look::GoOn,
        }
    }

    fn reason_to_stop(&self) -> Option<Stop> {
        self.expander.ledger.reason_to_stop()
    }
}

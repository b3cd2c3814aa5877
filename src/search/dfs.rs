//! Depth first: expand the youngest states.
//!
//! The [stack](Stack) is on the heap, nine bytes a state, and there is no bound on its depth but memory.
//!
//! A state is marked as visited when it is first reached, not when it is entered as in the textbook; for
//! finding violations of safety this makes no difference, and it lets the successors of a state be stored
//! together, which is much faster. For the same reason several states that wait for their turn are expanded together, a
//! *group*: successors of the group before. Searches that depend on the textbook order use [`strict`](super::strict).
//!
//! **Several workers.** The order does not matter, so the work can be shared: who has none left gets the lower half of
//! what waits on another one's stack, and what is stored by one is known to all.
//!
//! **With a reduction** there is one state to a group, and ample moves suffice if one of them leads on: to a state that is
//! not expanded later than this one for the sake of it, and so on forever. Each ample state has such a *witness* among its
//! successors, and following witnesses must end in a state that was expanded fully, so that nothing is put off forever. To
//! this end each state has a mark: it *waits* on the stack of some worker, it is *open*, or it has been *left*, which means
//! that its witness has been left before it. A witness is a state that
//!
//! - was stored for the first time by this expansion: along such witnesses the time of being stored increases; or
//! - has been left: then all further ones have been left, and the time of being left decreases; or
//! - waits on one's own stack, and now is *claimed*: it is entered from here and so will be left before.
//!
//! Both times are bounded, and who has been left only leads to others that have been, so there is no way round in circles. An
//! open state whose descendants are shared between two stacks is never left, nor are those below it on the stack: they
//! belong to the base of both, since nobody knows when their witness is left. It is known only after the successors have been stored whether another worker was
//! faster; if no witness is left then, the other moves are made as well.
//!
//! Marks cost time, since leaving a state means to touch it once more. Until the first ample set turns up nobody asks for
//! them, and one worker alone does not keep them: what they would be is then told by the stack. So a model in which there
//! is nothing to reduce is spared them altogether.

use super::expand::{Decision, Expander, Extent, Tail};
use super::ledger::Books;
use super::stack::{Stack, Top};
use super::team::{Board, Member, Team};
use super::{Outcome, Settings, Space};
use crate::limits::Monitor;
use crate::store::{ExactStore, Insert, StateId};
use smallvec::SmallVec;
use std::cell::Cell;

/// Most states of a group.
const GROUP: usize = 8;

/// Most parts of a stack that are given away at a time. Many parts turn out to be small: others have been there before.
const GIFTS: usize = 16;

/// Where a state stands; kept with it once there was an ample set. What is not on the stack by then has been left.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Mark {
    Left,
    Open,
    /// On the stack of that worker.
    Waiting(u8),
}

/// So many workers have numbers that a mark can hold.
const MOST_WORKERS: usize = u8::MAX as usize - 1;

impl Mark {
    fn byte(self) -> u8 {
        match self {
            Mark::Left => 0,
            Mark::Open => 1,
            Mark::Waiting(worker) => worker + 2,
        }
    }

    fn of(store: &ExactStore, id: StateId) -> Mark {
        match store.note(id) as u8 {
            0 => Mark::Left,
            1 => Mark::Open,
            byte => Mark::Waiting(byte - 2),
        }
    }

    fn put(self, store: &mut ExactStore, id: StateId) {
        store.set_note(id, u64::from(self.byte()));
    }

    /// Changes the mark of a state from this to another one, if it is this.
    fn becomes(self, other: Mark, store: &ExactStore, id: StateId) -> bool {
        let is_this = |note: u64| note == u64::from(self.byte());
        let changed = store.update_note(id, |n| is_this(n).then_some(u64::from(other.byte())));
        changed.is_ok()
    }
}

/// Part of a stack that another worker is to go on with.
struct Gift {
    stack: Stack,
    giver: u8,
}

/// One thread's part of the search.
struct Worker<'a, P: Space> {
    expander: Expander<'a, P>,
    stack: Stack,
    number: u8,
    reduces: bool,
    /// Whether marks are kept.
    marks: bool,
    /// Ends of the answers that belong to each state of the group expanded last.
    ends: Vec<usize>,
}

pub(super) fn search<P: Space>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let mut worker = Worker::lead(space, settings, monitor);
    while worker.step() {}
    worker.close()
}

/// The same with several threads: the lead searches alone for a while, then the others join it.
pub(super) fn search_together<P: Space + Send>(
    space: &mut P,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    let team = Team::new(settings, MOST_WORKERS);
    let board = Board::new(team.size());
    let mut member = Member::new(&team, 0, Some(monitor));
    let mut lead = Worker::lead(space, settings, &mut member);
    while lead.stored() < settings.alone && lead.step() {}
    if lead.stack.top().is_none() || lead.expander.ledger.stopped() {
        return lead.close();
    }
    lead.keep_marks();
    let store = lead.expander.store.clone();
    let help = |number: usize| {
        let mut space = make();
        let mut member = Member::new(&team, number, None);
        let store = store.clone();
        let worker = Worker::helper(&mut space, store, settings, &mut member, number as u8);
        let books = worker.work(&team, &board).hand_in();
        (books, space)
    };
    let (lead, helpers) = team.work(help, || lead.work(&team, &board));
    let (books, spaces): (Vec<_>, Vec<_>) = helpers.into_iter().unzip();
    let outcome = lead.close_with(books);
    spaces.into_iter().for_each(|other| space.take_over(other));
    outcome
}

impl<'a, P: Space> Worker<'a, P> {
    /// The one that begins.
    fn lead(space: &'a mut P, settings: &Settings, monitor: &'a mut dyn Monitor) -> Worker<'a, P> {
        let reduces = space.reduces();
        let tail = if reduces {
            Tail::Mark(Mark::Left.byte())
        } else {
            Tail::Nothing
        };
        let (expander, first) = Expander::start(space, settings, monitor, tail);
        let mut stack = Stack::default();
        if let Some(first) = first {
            stack.push(first, 0);
        }
        Worker {
            expander,
            stack,
            number: 0,
            reduces,
            marks: false,
            ends: Vec::new(),
        }
    }

    /// One that joins others, who keep marks if there is a reduction. It has nothing to do at first.
    fn helper(
        space: &'a mut P,
        store: ExactStore,
        settings: &Settings,
        monitor: &'a mut dyn Monitor,
        number: u8,
    ) -> Worker<'a, P> {
        let reduces = space.reduces();
        let tail = if reduces {
            Tail::Mark(Mark::Waiting(number).byte())
        } else {
            Tail::Nothing
        };
        Worker {
            expander: Expander::join(space, store, settings, monitor, tail),
            stack: Stack::default(),
            number,
            reduces,
            marks: reduces,
            ends: Vec::new(),
        }
    }

    fn stored(&self) -> u64 {
        self.expander.ledger.stats.stored
    }

    fn bytes(&self) -> u64 {
        self.stack.bytes() + self.expander.bytes()
    }

    fn close(self) -> Outcome<P::Move> {
        self.close_with(Vec::new())
    }

    fn close_with(self, helpers: Vec<Books<P::Move>>) -> Outcome<P::Move> {
        let bytes = self.bytes();
        self.expander.close_with(helpers, bytes)
    }

    fn hand_in(self) -> Books<P::Move> {
        let bytes = self.bytes();
        self.expander.ledger.hand_in(bytes)
    }

    /// Searches until nobody has anything left to do.
    fn work(mut self, team: &Team, board: &Board<Gift>) -> Self {
        loop {
            while self.step() {
                if board.is_wanted() && self.stack.waiting() > 1 {
                    board.give(self.gifts());
                }
            }
            if let Some(stop) = self.expander.ledger.reason_to_stop() {
                team.halt(stop);
                board.wake();
                return self;
            }
            match board.take(|| self.tick()) {
                Some(gift) => self.adopt(gift),
                None => return self,
            }
        }
    }

    /// Parts of the stack to be given away, with half of what waits at most.
    fn gifts(&mut self) -> Vec<Gift> {
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

    /// Goes on with what another one gave away: what waits there waits here now, unless the giver has claimed it meanwhile.
    fn adopt(&mut self, Gift { stack, giver }: Gift) {
        self.stack = stack;
        let waiting = self.stack.all().filter(|(_, open)| !open);
        for (id, _) in waiting.filter(|_| self.marks) {
            let (from, to) = (Mark::Waiting(giver), Mark::Waiting(self.number));
            from.becomes(to, &self.expander.store, id);
        }
    }

    /// Looks at the limits; says whether the search is to end.
    fn tick(&mut self) -> bool {
        let (bytes, depth) = (self.bytes(), self.stack.depth());
        let Expander { ledger, store, .. } = &mut self.expander;
        ledger.tick(store, bytes, depth);
        ledger.stopped()
    }

    /// Does what is to be done with the topmost state; false if there is none, or the search is to end.
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
                Mark::Left.put(&mut self.expander.store, top.id);
            }
        } else if !self.may_enter(top) {
            self.stack.pop();
        } else if self.reduces {
            self.enter(top.id);
        } else {
            self.enter_group();
        }
        if self.expander.ledger.due() {
            self.tick();
        }
        true
    }

    /// Whether a state that waits on top is to be entered: not if it was from somewhere else, nor beyond the depth allowed.
    fn may_enter(&mut self, top: Top) -> bool {
        let Expander { ledger, store, .. } = &mut self.expander;
        if self.marks && !top.claimed && Mark::of(store, top.id) != Mark::Waiting(self.number) {
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
        let Worker {
            expander,
            stack,
            ends,
            ..
        } = self;
        let start = stack.open(GROUP);
        let group: SmallVec<[StateId; GROUP]> = stack.from(start).collect();
        expander.expand_group(&group, &|index| stack.way_to(start + index), ends);
        self.push(false);
    }

    /// Expands the topmost state, by ample moves if that will do.
    fn enter(&mut self, id: StateId) {
        let Worker {
            expander,
            stack,
            ends,
            marks,
            ..
        } = self;
        let start = stack.open(1);
        if *marks {
            Mark::Open.put(&mut expander.store, id);
        }
        let asked = Cell::new(false);
        let leads_on = |store: &ExactStore, targets: &[Option<StateId>]| {
            asked.set(true);
            let not_open = |id: StateId| match *marks {
                true => Mark::of(store, id) != Mark::Open,
                false => !stack.is_open(id),
            };
            targets.iter().any(|target| target.is_none_or(not_open))
        };
        let way = |_: &ExactStore| stack.way_to(start);
        let decision = expander.expand(id, &way, Extent::Enough(&leads_on), true);
        ends.clear();
        ends.push(expander.answers().len());
        if asked.get() {
            self.keep_marks();
        }
        self.push(decision != Decision::All);
        if let Decision::Ample(index) = decision
            && !self.has_witness()
        {
            let Worker {
                expander, stack, ..
            } = self;
            let way = |_: &ExactStore| stack.way_to(start);
            expander.expand(id, &way, Extent::Besides(index), true);
            self.ends.clear();
            self.ends.push(self.expander.answers().len());
            self.push(false);
        }
    }

    /// Whether one of the successors stored last is a witness; if need be, the one on top of the stack is claimed.
    fn has_witness(&mut self) -> bool {
        let store = &self.expander.store;
        let known = |answer: &Insert| match *answer {
            Insert::New(_) => true,
            Insert::Seen(id) => Mark::of(store, id) == Mark::Left,
            Insert::Full => false,
        };
        if self.expander.answers().iter().any(known) {
            return true;
        }
        let top = self.stack.top().filter(|top| !top.open);
        let waits = Mark::Waiting(self.number);
        let claimed = top.is_some_and(|top| waits.becomes(Mark::Open, store, top.id));
        if claimed {
            self.stack.claim_top();
        }
        claimed
    }

    /// Lets those successors wait that were stored for the first time, and behind ample moves also those again that wait
    /// further down: they are entered from here, as in the textbook. (Where all moves are made they may go on waiting: else
    /// the stack would fill up with states that it holds already.)
    fn push(&mut self, ample: bool) {
        let Worker {
            expander,
            stack,
            ends,
            number,
            ..
        } = self;
        let waits = |id| Mark::of(&expander.store, id) == Mark::Waiting(*number);
        for member in (0..ends.len()).rev() {
            let begin = if member == 0 { 0 } else { ends[member - 1] };
            // When the store is full there are fewer answers.
            let answers = expander.answers().get(begin..ends[member]).unwrap_or(&[]);
            for answer in answers.iter().rev() {
                match *answer {
                    Insert::New(id) => stack.push(id, member),
                    Insert::Seen(id) if ample && waits(id) => stack.push(id, member),
                    Insert::Seen(_) | Insert::Full => {}
                }
            }
        }
    }

    /// Marks the states on the stack and those just stored, if that has not been done; the others have been left.
    fn keep_marks(&mut self) {
        if self.marks || !self.reduces {
            return;
        }
        self.marks = true;
        let Worker {
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

//! Depth-first search for violations of safety with a lossy store, by one worker or several.
//!
//! Without a reduction a state is marked when it is first reached, and the successors of a state are looked up together. The
//! order does not matter then, so that several workers can share the search: what waits to be entered on the stack of one
//! may just as well be entered by another, and what one has marked is known to all.
//!
//! With a reduction a state is marked when it is entered, as in the textbook: then a successor that does not lie on the path
//! is left before the state at hand is, and ample moves suffice if one of them leads to such a successor (the argument is that
//! of [`dfs`](super::super::dfs)). That holds for one worker only: a successor that another one is at, or will be, may lead
//! back here, and a lossy store cannot tell whether it has been left. So a reduced search is not shared.

use super::super::team::{Board, Look, Member, Team, Worker, work};
use super::super::{Outcome, Settings};
use super::stack::{Stack, Waiting};
use super::steps::{Extent, Steps, Successor};
use super::{Estimate, Lossy, MoveOrder};
use crate::faults::{Fault, is_active};
use crate::limits::{Monitor, Stop};
use crate::space::{AmpleSets, Parallel};
use crate::store::{Fingerprint, LossyStore};

/// Most workers.
const MOST_WORKERS: usize = 1 << 10;

/// Most parts of a stack that are given away at a time. Many parts turn out to be small: others have been there before.
const GIFTS: usize = 16;

/// Searches `space` for violations of safety; says what may have been left out.
pub fn search_lossy<P: AmpleSets>(
    space: &mut P,
    settings: &Settings,
    lossy: &Lossy,
    monitor: &mut dyn Monitor,
) -> (Outcome<P::Move>, Estimate) {
    let store = LossyStore::new(lossy.store);
    let mut search = Search::new(space, settings, lossy, store, monitor);
    search.begin();
    while search.step() {}
    search.steps.finish(&search.store, &search.stack)
}

/// The same with [`Settings::workers`] threads, unless `space` reduces; `make` gives each a space like it.
pub fn search_lossy_together<P: AmpleSets + Parallel>(
    space: &mut P,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    lossy: &Lossy,
    monitor: &mut dyn Monitor,
) -> (Outcome<P::Move>, Estimate)
where
    P::Move: Send + Sync,
{
    if space.reduces() {
        return search_lossy(space, settings, lossy, monitor);
    }
    let team = Team::new(settings, MOST_WORKERS, monitor);
    let board = Board::of(&team);
    let store = LossyStore::new(lossy.store);
    let mut member = Member::new(&team, 0, Some(monitor));
    let mut lead = Search::new(space, settings, lossy, store.clone(), &mut member);
    lead.begin();
    while lead.steps.ledger.stats.stored < settings.alone && lead.step() {}
    if lead.stack.is_idle() || lead.steps.ledger.stopped() {
        return lead.steps.finish(&lead.store, &lead.stack);
    }
    let help = |number: usize| {
        let mut space = make();
        let mut member = Member::new(&team, number, None);
        let mut search = Search::new(&mut space, settings, lossy, store.clone(), &mut member);
        team.ready();
        work(&mut search, &team, &board);
        (search.steps.hand_in(&search.stack), space)
    };
    let (mut lead, helpers) = team.work(help, || {
        team.ready();
        work(&mut lead, &team, &board);
        lead
    });
    let (results, spaces): (Vec<_>, Vec<_>) = helpers.into_iter().unzip();
    results
        .into_iter()
        .for_each(|one| lead.steps.take_over(one));
    let outcome = lead.steps.finish(&lead.store, &lead.stack);
    spaces.into_iter().for_each(|other| space.take_over(other));
    outcome
}

/// One worker's part.
struct Search<'a, P: AmpleSets> {
    steps: Steps<'a, P>,
    stack: Stack<P::Move>,
    store: LossyStore,
    order: MoveOrder,
    reduces: bool,
    /// For each successor, what the store says of it.
    answers: Vec<bool>,
    chosen: Vec<Successor>,
}

impl<'a, P: AmpleSets> Search<'a, P> {
    /// A search with nothing to do yet.
    fn new(
        space: &'a mut P,
        settings: &Settings,
        lossy: &Lossy,
        store: LossyStore,
        monitor: &'a mut dyn Monitor,
    ) -> Search<'a, P> {
        let reduces = space.reduces();
        Search {
            steps: Steps::new(space, settings, monitor),
            stack: Stack::new(reduces),
            store,
            order: lossy.order,
            reduces,
            answers: Vec::new(),
            chosen: Vec::new(),
        }
    }

    /// Begins with the initial state, which is reached without a step.
    fn begin(&mut self) {
        let Search { steps, stack, .. } = self;
        steps.begin(stack);
        if !self.reduces && !stack.is_idle() {
            let key = steps.space.stored_len(&steps.state);
            let fingerprint = Fingerprint::of(&steps.state[..key]);
            self.store.insert(fingerprint);
            steps.arrived(fingerprint, key);
        }
    }

    /// Enters the state whose turn it is; false if it is not to be entered: because it was from somewhere else, or lies beyond
    /// the depth allowed.
    fn enter(&mut self, waiting: Waiting) -> bool {
        let Search {
            steps,
            stack,
            store,
            ..
        } = self;
        if self.reduces && !store.insert(waiting.fingerprint) {
            steps.matched();
            stack.drop(waiting);
            return false;
        }
        let depth = stack.depth();
        if depth > steps.ledger.settings.limits.depth {
            steps.ledger.cut();
            stack.drop(waiting);
            return false;
        }
        stack.enter(waiting, true, &mut steps.state);
        steps.ledger.stats.depth = steps.ledger.stats.depth.max(depth);
        if self.reduces {
            let key = steps.space.stored_len(&steps.state);
            steps.arrived(waiting.fingerprint, key);
        }
        true
    }

    /// Chooses among the successors those that are to be entered.
    fn choose(&mut self) {
        let Search {
            steps,
            store,
            answers,
            chosen,
            ..
        } = self;
        answers.clear();
        chosen.clear();
        let made = steps.made().iter().map(|made| made.fingerprint);
        match self.reduces {
            true => store.find_all(made, |there| answers.push(!there)),
            false => store.insert_all(made, |new| answers.push(new)),
        }
        for (index, &new) in answers.iter().enumerate() {
            let made = steps.made()[index];
            if !new {
                steps.matched();
                continue;
            }
            chosen.push(made);
            if !self.reduces {
                let bytes = steps.key(&made).len();
                steps.arrived(made.fingerprint, bytes);
            }
        }
    }
}

impl<P: AmpleSets> Worker for Search<'_, P> {
    type Gift = Stack<P::Move>;

    fn step(&mut self) -> bool {
        if self.steps.ledger.stopped() {
            return false;
        }
        let Some(waiting) = self.stack.next() else {
            let idle = self.stack.is_idle();
            if !idle {
                self.stack.leave(true);
            }
            return !idle;
        };
        if !self.enter(waiting) {
            return true;
        }
        let Search { steps, stack, .. } = self;
        let leads_on = |made: &[Successor]| {
            is_active(Fault::LeadingBackAllowed)
                || made.iter().any(|m| stack.place(m.fingerprint).is_none())
        };
        let extent = Extent::Enough(&leads_on, &mut |_| {});
        steps.expand(&self.store, stack, extent, true);
        self.choose();
        self.order.arrange(waiting.fingerprint, &mut self.chosen);
        if !self.stack.wait(&self.steps, &self.chosen) {
            self.steps.ledger.full();
        }
        self.steps.tick(&self.store, &self.stack);
        true
    }

    /// There are no checkpoints of lossy stores.
    fn is_pausing(&self) -> bool {
        false
    }

    fn rest(&mut self, _: &Team, _: &Board<Stack<P::Move>>) {}

    fn can_share(&self) -> bool {
        self.stack.waiting() > 1
    }

    fn share(&mut self) -> Vec<Stack<P::Move>> {
        let keep = self.stack.waiting() / 2;
        let mut gifts = Vec::new();
        while gifts.len() < GIFTS && (gifts.is_empty() || self.stack.waiting() > keep) {
            gifts.push(self.stack.split());
        }
        gifts
    }

    fn adopt(&mut self, gift: Stack<P::Move>) {
        self.stack = gift;
    }

    fn look(&mut self) -> Look {
        self.steps.look(&self.store, &self.stack);
        match self.steps.ledger.stopped() {
            true => Look::Stop,
            false => Look::GoOn,
        }
    }

    fn reason_to_stop(&self) -> Option<Stop> {
        self.steps.ledger.reason_to_stop()
    }
}

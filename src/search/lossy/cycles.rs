//! Nested depth-first search for accepting cycles with a lossy store.
//!
//! The algorithm is that of [`nested`](super::super::nested); what it notes with a state are entries of the store here.
//! A state is *red* when an inner search has been there, and *refuses* those of its ample sets of which a move leads back to
//! the path. The inner search makes the moves of the first set that is not refused, which are those that the outer search
//! has made: an entry that was made is never missing. One that seems to be there but is not makes the inner search see
//! other moves, all of them real; it may miss a cycle for that but cannot invent one, since whether a state lies on the
//! path is known exactly.

use super::super::{Outcome, Settings};
use super::stack::{Stack, Waiting};
use super::steps::{Extent, Steps, Successor};
use super::{Estimate, Lossy};
use crate::faults::{Fault, is_active};
use crate::limits::Monitor;
use crate::space::{Accepting, split};
use crate::store::{Fingerprint, LossyStore};

const RED: u32 = 0;
/// What comes after this is refusing the ample set with that number.
const REFUSES: u32 = 1;

struct Cycles<'a, P: Accepting> {
    steps: Steps<'a, P>,
    stack: Stack<P::Move>,
    store: LossyStore,
    lossy: Lossy,
    weak: bool,
    /// For each successor, what the store says of it.
    known: Vec<bool>,
    chosen: Vec<Successor>,
}

/// Searches for a cycle through an accepting state; says what may have been left out.
pub fn search_cycles_lossy<P: Accepting>(
    space: &mut P,
    settings: &Settings,
    lossy: &Lossy,
    monitor: &mut dyn Monitor,
) -> (Outcome<P::Move>, Estimate) {
    let weak = space.is_weak();
    let mut stack = Stack::new(true);
    let mut steps = Steps::new(space, settings, monitor);
    steps.begin(&mut stack);
    let mut search = Cycles {
        steps,
        stack,
        store: LossyStore::new(lossy.store),
        lossy: *lossy,
        weak,
        known: Vec::new(),
        chosen: Vec::new(),
    };
    search.run();
    search.steps.finish(&search.store, &search.stack)
}

impl<P: Accepting> Cycles<'_, P> {
    fn run(&mut self) {
        while !self.steps.ledger.stopped() {
            match self.stack.next() {
                Some(waiting) => self.enter(waiting),
                None if self.stack.path.is_empty() => return,
                None => self.leave(),
            }
        }
    }

    /// The outer search comes to a state that was not visited when its predecessor was expanded.
    fn enter(&mut self, waiting: Waiting) {
        let Cycles {
            steps,
            stack,
            store,
            ..
        } = self;
        if !store.insert(waiting.fingerprint) {
            steps.matched();
            stack.drop(waiting);
            return;
        }
        let depth = stack.path.len() as u64;
        if depth > steps.ledger.settings.limits.depth || depth >= u64::from(u32::MAX) {
            steps.ledger.cut();
            stack.drop(waiting);
            return;
        }
        stack.enter(waiting, true, &mut steps.state);
        steps.ledger.stats.depth = steps.ledger.stats.depth.max(depth);
        let key = steps.space.stored_len(&steps.state);
        steps.arrived(waiting.fingerprint, key);
        if steps.space.is_accepting(&steps.state) {
            stack.accept();
        }
        let mut refused = Vec::new();
        let leads_forward = |made: &[Successor]| {
            is_active(Fault::LeadingBackAllowed)
                || made.iter().all(|m| stack.place(m.fingerprint).is_none())
        };
        let mut refuse = |index| refused.push(index);
        let extent = Extent::Enough(&leads_forward, &mut refuse);
        steps.expand(store, stack, extent, true);
        for index in refused {
            store.insert(waiting.fingerprint.marked(REFUSES + index));
        }
        self.ask(|fingerprint| fingerprint);
        for index in 0..self.steps.made().len() {
            let made = self.steps.made()[index];
            let place = self.stack.place(made.fingerprint);
            if !self.known[index] {
                self.chosen.push(made);
                continue;
            }
            self.steps.matched();
            let accepting = self
                .stack
                .path
                .last()
                .map_or(0, |top| top.accepting as usize);
            if let Some(place) = place.filter(|&place| accepting > place) {
                self.found(&made, place);
            }
        }
        self.wait(waiting.fingerprint);
    }

    /// Asks the store about all successors, of which none is chosen yet.
    fn ask(&mut self, entry: impl Fn(Fingerprint) -> Fingerprint) {
        self.chosen.clear();
        self.known.clear();
        let made = self.steps.made().iter().map(|made| entry(made.fingerprint));
        self.store.find_all(made, |there| self.known.push(there));
    }

    fn wait(&mut self, from: Fingerprint) {
        self.lossy.order.arrange(from, &mut self.chosen);
        if !self.stack.wait(&self.steps, &self.chosen) {
            self.steps.ledger.full();
        }
        self.steps.tick(&self.store, &self.stack);
    }

    /// All successors of the topmost state have been visited.
    fn leave(&mut self) {
        let top = self.stack.path[self.stack.path.len() - 1];
        let is_accepting = top.accepting as usize == self.stack.path.len();
        if is_accepting && !self.weak {
            self.look_back(top.fingerprint);
            if self.steps.ledger.stopped() {
                return;
            }
            // An inner search that met nothing has been here.
            self.store.insert(top.fingerprint.marked(RED));
        }
        self.stack.leave(true);
    }

    /// The inner search, from the topmost state on. Its path continues that of the outer one.
    fn look_back(&mut self, from: Fingerprint) {
        let outer = self.stack.path.len();
        self.stack.top(&mut self.steps.state);
        let mut closed = self.look_from(from);
        while !closed && !self.steps.ledger.stopped() {
            match self.stack.next() {
                Some(waiting) if self.store.insert(waiting.fingerprint.marked(RED)) => {
                    self.stack.enter(waiting, false, &mut self.steps.state);
                    closed = self.look_from(waiting.fingerprint);
                }
                Some(waiting) => self.stack.drop(waiting),
                None if self.stack.path.len() == outer => return,
                None => self.stack.leave(false),
            }
        }
        // A search that goes on does so for the sake of other states: one cycle is enough.
        self.stack.cut_to(outer);
    }

    /// The inner search looks at the successors of the topmost state; true if one closes a cycle.
    fn look_from(&mut self, from: Fingerprint) -> bool {
        let Cycles {
            steps,
            stack,
            store,
            ..
        } = self;
        let refused = |index| store.contains(from.marked(REFUSES + index));
        steps.expand(store, stack, Extent::Unless(&refused), false);
        self.ask(|fingerprint| fingerprint.marked(RED));
        for index in 0..self.steps.made().len() {
            let made = self.steps.made()[index];
            if let Some(place) = self.stack.place(made.fingerprint)
                && self.found(&made, place)
            {
                return true;
            }
            if !self.known[index] {
                self.chosen.push(made);
            }
        }
        self.wait(from);
        false
    }

    /// A step leads back to a state of the path, unless only the fingerprint is the same.
    fn found(&mut self, made: &Successor, place: usize) -> bool {
        let state = self.stack.state(place);
        let same = split(self.steps.space, state).0 == self.steps.key(made);
        if same {
            self.steps.cycle(&self.stack, made, place);
        }
        same
    }
}

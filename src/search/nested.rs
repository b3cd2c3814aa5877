//! Nested depth-first search: is there a cycle through an accepting state?
//!
//! The outer search visits all states depth first. When it leaves an accepting state for good, the inner search looks for
//! a way back from it; inner searches share their marks, which is sound because accepting states are left in post-order
//! (Courcoubetis, Vardi, Wolper, Yannakakis). Two shortcuts: the outer search itself sees a cycle that closes on its path
//! if an accepting state lies on it, and the inner search is done as soon as it meets any state on the path.
//!
//! In a weak space, where a component has only accepting states or no accepting cycle, the first shortcut finds every
//! cycle: of a component with a cycle some edge closes on the path, and then an accepting state lies between. There is no
//! inner search then (Černá, Pelánek, *Relating hierarchy of temporal properties to model checking*, MFCS 2003).
//!
//! With a reduction, none of the ample moves of a state may lead back to the path; where every ample set has one that
//! does, the state is expanded fully (C2': every cycle has such a state). Which set it is, is decided once, when the outer
//! search enters the state, and kept with it; the inner search follows the same moves (C4). What a state is called here:
//!
//! | colour | the outer search | the inner search |
//! | --- | --- | --- |
//! | white | has not entered it | |
//! | cyan | is inside: it lies on the path | |
//! | blue | has left it | has not been there |
//! | red | has left it | has been there |

use super::expand::{Decision, Expander, Extent, Tail};
use super::{Accepting, Outcome, Settings};
use crate::faults::{Fault, is_active};
use crate::limits::Monitor;
use crate::store::{ExactStore, Insert, StateId};

/// What is noted with a state: two bits of colour; the depth while it is on the path, then which of its moves were made.
#[derive(Copy, Clone)]
struct Note(u32);

const COLOUR: u32 = 3 << 30;
const CYAN: u32 = 1 << 30;
const BLUE: u32 = 2 << 30;
const RED: u32 = 3 << 30;
const REST: u32 = CYAN - 1;

impl Note {
    fn of(store: &ExactStore, id: StateId) -> Note {
        Note(store.note(id) as u32)
    }

    fn put(self, store: &mut ExactStore, id: StateId) {
        store.set_note(id, u64::from(self.0));
    }

    fn is(self, colour: u32) -> bool {
        self.0 & COLOUR == colour
    }

    fn coloured(self, colour: u32) -> Note {
        Note(self.0 & REST | colour)
    }

    /// A state that has been left.
    fn left(decision: Decision, colour: u32) -> Note {
        match decision {
            Decision::All => Note(colour),
            Decision::Ample(index) => Note(colour | (index + 1)),
        }
    }

    /// Which of the moves of a state that has been left were made.
    fn decision(self) -> Decision {
        match self.0 & REST {
            0 => Decision::All,
            index => Decision::Ample(index - 1),
        }
    }

    fn depth(self) -> u32 {
        self.0 & REST
    }
}

/// A state on a path, with the successors that have still to be looked at: those behind `next` up to the next frame's.
struct Frame {
    id: StateId,
    base: usize,
    next: usize,
    /// Depth plus one of the last accepting state up to here; 0 if there is none.
    accepting: u32,
    is_accepting: bool,
    decision: Decision,
}

struct Nested<'a, P: Accepting> {
    expander: Expander<'a, P>,
    path: Vec<Frame>,
    /// Successors of all frames of the path.
    successors: Vec<StateId>,
    /// The path of the inner search.
    inner: Vec<Frame>,
    inner_successors: Vec<StateId>,
    weak: bool,
}

pub(super) fn search<P: Accepting>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let weak = space.is_weak();
    let (expander, first) = Expander::start(space, settings, monitor, Tail::Note);
    let mut nested = Nested {
        expander,
        path: Vec::new(),
        successors: Vec::new(),
        inner: Vec::new(),
        inner_successors: Vec::new(),
        weak,
    };
    if let Some(first) = first {
        nested.enter(first);
        nested.run();
    }
    let bytes = nested.bytes();
    let Nested { expander, .. } = nested;
    expander.ledger.close(&expander.store, bytes)
}

impl<P: Accepting> Nested<'_, P> {
    fn bytes(&self) -> u64 {
        let frames = (self.path.capacity() + self.inner.capacity()) * size_of::<Frame>();
        let ids =
            (self.successors.capacity() + self.inner_successors.capacity()) * size_of::<StateId>();
        (frames + ids) as u64 + self.expander.bytes()
    }

    fn run(&mut self) {
        while let Some(top) = self.path.last_mut() {
            if self.expander.ledger.stopped() {
                return;
            }
            if top.next == self.successors.len() {
                self.leave();
                continue;
            }
            let to = self.successors[top.next];
            top.next += 1;
            let note = Note::of(&self.expander.store, to);
            if note.is(0) {
                self.enter(to);
            } else if note.is(CYAN) && top.accepting > note.depth() {
                self.found(to);
            }
        }
    }

    /// Enters a state: it is expanded, fully if its ample successors lead back to the path.
    fn enter(&mut self, id: StateId) {
        let depth = self.path.len() as u32;
        if u64::from(depth) > self.expander.ledger.settings.limits.depth || depth >= REST {
            self.expander.ledger.cut();
            Note(BLUE).put(&mut self.expander.store, id);
            return;
        }
        self.expander.ledger.stats.depth = self.expander.ledger.stats.depth.max(u64::from(depth));
        Note(CYAN | depth).put(&mut self.expander.store, id);
        let Nested { expander, path, .. } = self;
        let lineage = |_: &ExactStore| path.iter().map(|f| f.id).chain([id]).collect::<Vec<_>>();
        let leads_forward = |store: &ExactStore, targets: &[Option<StateId>]| {
            let on_path = |id: &StateId| Note::of(store, *id).is(CYAN);
            is_active(Fault::LeadingBackAllowed) || !targets.iter().flatten().any(on_path)
        };
        let decision = expander.expand(id, &lineage, Extent::Enough(&leads_forward), true);
        let is_accepting = expander.is_accepting();
        let base = self.successors.len();
        let answers = self.expander.answers();
        self.successors
            .extend(answers.iter().filter_map(|answer| match answer {
                Insert::New(to) | Insert::Seen(to) => Some(*to),
                Insert::Full => None,
            }));
        let before = self.path.last().map_or(0, |f| f.accepting);
        let accepting = if is_accepting { depth + 1 } else { before };
        self.path.push(Frame {
            id,
            base,
            next: base,
            accepting,
            is_accepting,
            decision,
        });
        if self.expander.ledger.due() {
            let bytes = self.bytes();
            let Expander { ledger, store, .. } = &mut self.expander;
            ledger.tick(store, bytes, u64::from(depth));
        }
    }

    /// All successors of the topmost state have been visited.
    fn leave(&mut self) {
        let top = &self.path[self.path.len() - 1];
        let (id, base) = (top.id, top.base);
        if top.is_accepting && !self.weak {
            self.look_back(base);
        }
        if self.expander.ledger.stopped() {
            return;
        }
        // An inner search that met nothing has been here, if it was ours.
        let top = &self.path[self.path.len() - 1];
        let colour = if top.is_accepting { RED } else { BLUE };
        Note::left(top.decision, colour).put(&mut self.expander.store, id);
        self.path.pop();
        self.successors.truncate(base);
    }

    /// The inner search, from the successors of the topmost state.
    fn look_back(&mut self, base: usize) {
        for index in base..self.successors.len() {
            let to = self.successors[index];
            if self.visit(to) {
                return;
            }
            while let Some(top) = self.inner.last_mut() {
                if self.expander.ledger.stopped() {
                    return;
                }
                if top.next == self.inner_successors.len() {
                    let base = top.base;
                    self.inner.pop();
                    self.inner_successors.truncate(base);
                    continue;
                }
                let to = self.inner_successors[top.next];
                top.next += 1;
                if self.visit(to) {
                    return;
                }
            }
        }
    }

    /// The inner search comes to a state; true if it closes a cycle.
    fn visit(&mut self, to: StateId) -> bool {
        let note = Note::of(&self.expander.store, to);
        if note.is(CYAN) {
            self.found(to);
            // A search that goes on does so for the sake of other states: one cycle is enough.
            self.inner.clear();
            self.inner_successors.clear();
            return true;
        }
        if note.is(RED) {
            return false;
        }
        note.coloured(RED).put(&mut self.expander.store, to);
        let decision = note.decision();
        let lineage = |_: &ExactStore| Vec::new();
        let inner = &self.inner;
        let own_proviso = |_: &ExactStore, targets: &[Option<StateId>]| {
            let on_path = |id: &StateId| inner.iter().any(|f| f.id == *id);
            !targets.iter().flatten().any(on_path)
        };
        let extent = if is_active(Fault::InnerSearchDecides) {
            Extent::Enough(&own_proviso)
        } else {
            Extent::As(decision)
        };
        self.expander.expand(to, &lineage, extent, false);
        let base = self.inner_successors.len();
        let answers = self.expander.answers();
        self.inner_successors
            .extend(answers.iter().filter_map(|answer| match answer {
                Insert::New(to) | Insert::Seen(to) => Some(*to),
                Insert::Full => None,
            }));
        self.inner.push(Frame {
            id: to,
            base,
            next: base,
            accepting: 0,
            is_accepting: false,
            decision,
        });
        if self.expander.ledger.due() {
            let (bytes, depth) = (self.bytes(), self.path.len() as u64);
            let Expander { ledger, store, .. } = &mut self.expander;
            ledger.tick(store, bytes, depth);
        }
        false
    }

    /// The path, then that of the inner search, then back to the state `to` of the path.
    fn found(&mut self, to: StateId) {
        let Nested {
            expander,
            path,
            inner,
            ..
        } = self;
        expander.cycle(|store| {
            let depth = Note::of(store, to).depth() as usize;
            let prefix = path[..=depth].iter().map(|f| f.id).collect();
            let cycle = path[depth..].iter().chain(inner.iter()).map(|f| f.id);
            (prefix, cycle.chain([to]).collect())
        });
    }
}

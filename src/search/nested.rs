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
//! With a reduction, every cycle must have a state that is expanded fully (C2', see below); for this some states are
//! expanded fully although they have ample sets. Which moves of a state are made is known for good when the outer search
//! leaves it, and kept with it; the inner search, which comes later, follows the same moves (C4). What a state is called
//! here:
//!
//! | colour | the outer search | the inner search |
//! | --- | --- | --- |
//! | white | has not entered it | |
//! | cyan | is inside: it lies on the path | |
//! | blue | has left it | has not been there |
//! | red | has left it | has been there |
//!
//! **The proviso.** That no ample move leads back to the path would do, since every cycle has an edge that did when it was
//! first seen. But one that leads back over a state that was expanded fully seems harmless. It is if more is watched than
//! the path: the cycle that it closes need not lie on the path, there may be other ways to the state that it starts from.
//! So every state has a *rank*, the number of fully expanded states before it on the path when it was entered; and it is
//! *tied* if along states that are not expanded fully it reaches an ample move back to the path. The rules for an ample
//! move from s to t, where t is not expanded fully: if t is on the path, its rank is less than that of s, and s is tied; if
//! t has been left and is tied, its rank is at most that of s, and s is tied; a new t has the same rank, and ties s if it
//! is tied when it is left. Where they cannot be kept, s is expanded fully; that may turn out when another move of s has
//! been followed, and s is then *raised*: the moves left out are added.
//!
//! Why every cycle has a fully expanded state: suppose that one has none. If one of its states is not tied then neither is
//! the next, hence none is, and none of its edges led back to the path, but on a cycle some edge does. So all are tied, and
//! the ranks do not increase along any edge; so they are all equal. But an edge that led back to the path decreases the
//! rank. (Raising changes no rank and unties nobody who was tied: a state that is expanded fully is on no such cycle.)

use super::expand::{Begun, Decision, Expander, Extent, Tail};
use super::note::nested::{BLUE, CYAN, MAX_DEPTH, Note, RED, WHITE};
use super::{Outcome, Settings};
use crate::checkpoint::{In, Persist, persist};
use crate::faults::{Fault, is_active};
use crate::limits::Monitor;
use crate::space::Accepting;
use crate::store::{ExactStore, Insert, StateId};
use std::cell::Cell;

/// A state on a path, with the successors that have still to be looked at: those behind `next` up to the next frame's.
struct Frame {
    id: StateId,
    base: usize,
    next: usize,
    /// Depth plus one of the last accepting state up to here; 0 if there is none.
    accepting: u32,
    is_accepting: bool,
    decision: Decision,
    /// How many of the states before it on the path were expanded fully when it was entered.
    rank: u32,
    tied: bool,
}

impl Frame {
    fn is_full(&self) -> bool {
        self.decision == Decision::All
    }
}

struct Nested<'a, P: Accepting> {
    expander: Expander<'a, P>,
    path: Vec<Frame>,
    /// Successors of all frames of the path.
    successors: Vec<StateId>,
    /// The path of the inner search.
    inner: Vec<Frame>,
    inner_successors: Vec<StateId>,
    /// The next of the successors of the topmost state that the inner search starts from, while there is one.
    looking: Option<usize>,
    weak: bool,
}

persist!(struct Frame { id, base, next, accepting, is_accepting, decision, rank, tied });

pub(super) fn search<P: Accepting>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let weak = space.is_weak();
    let rest = |input: &mut In| {
        let path = <(Vec<Frame>, Vec<StateId>)>::load(input)?;
        let inner = <(Vec<Frame>, Vec<StateId>)>::load(input)?;
        Ok((path, inner, Option::load(input)?))
    };
    let (expander, begun) = Expander::begin(space, settings, monitor, Tail::Note(0), rest);
    let mut nested = Nested {
        expander,
        path: Vec::new(),
        successors: Vec::new(),
        inner: Vec::new(),
        inner_successors: Vec::new(),
        looking: None,
        weak,
    };
    match begun {
        Begun::First(None) => {}
        Begun::First(Some(first)) => {
            nested.enter(first);
            nested.run();
        }
        Begun::Resumed((path, inner, looking)) => {
            (nested.path, nested.successors) = path;
            (nested.inner, nested.inner_successors) = inner;
            nested.looking = looking;
            if looking.is_some() {
                nested.leave();
            }
            nested.run();
        }
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
            if note.is(WHITE) {
                self.enter(to);
            } else if note.is(CYAN) {
                if top.accepting > note.depth() {
                    self.found(to);
                }
            } else if let Some(rank) = note.tie().filter(|_| !top.is_full()) {
                // It was new when the decision was made.
                if rank <= top.rank || is_active(Fault::TiesIgnored) {
                    top.tied = true;
                } else {
                    self.raise();
                }
            }
        }
    }

    /// Enters a state: it is expanded, fully if there is no ample set that the proviso allows.
    fn enter(&mut self, id: StateId) {
        let depth = self.path.len() as u32;
        if u64::from(depth) > self.expander.ledger.settings.limits.depth || depth >= MAX_DEPTH {
            self.expander.ledger.cut();
            Note::left(BLUE, Decision::All, None).put(&mut self.expander.store, id);
            return;
        }
        self.expander.ledger.stats.depth = self.expander.ledger.stats.depth.max(u64::from(depth));
        Note::on_path(depth).put(&mut self.expander.store, id);
        let Nested { expander, path, .. } = self;
        let lineage = |_: &ExactStore| path.iter().map(|f| f.id).chain([id]).collect::<Vec<_>>();
        let rank = path.last().map_or(0, |f| f.rank + u32::from(f.is_full()));
        let tied = Cell::new(false);
        let enough = |store: &ExactStore, targets: &[Option<StateId>], _: &[bool]| {
            tied.set(false);
            is_active(Fault::LeadingBackAllowed)
                || targets.iter().flatten().all(|&to| {
                    let note = Note::of(store, to);
                    let (ties, allowed) = if note.is(CYAN) {
                        let behind = path.get(note.depth() as usize);
                        (true, behind.is_some_and(|f| f.is_full() || f.rank < rank))
                    } else if note.is(WHITE) {
                        (false, true)
                    } else {
                        let tie = note.tie();
                        let allowed = tie.is_none_or(|t| t <= rank);
                        (tie.is_some(), allowed || is_active(Fault::TiesIgnored))
                    };
                    tied.set(tied.get() || ties);
                    allowed
                })
        };
        let decision = expander.expand(id, &lineage, Extent::Enough(&enough), true);
        let is_accepting = expander.is_accepting();
        let base = self.successors.len();
        follow(&self.expander, &mut self.successors);
        let before = self.path.last().map_or(0, |f| f.accepting);
        let accepting = if is_accepting { depth + 1 } else { before };
        self.path.push(Frame {
            id,
            base,
            next: base,
            accepting,
            is_accepting,
            decision,
            rank,
            tied: tied.get(),
        });
        if self.expander.ledger.due() {
            let bytes = self.bytes();
            let Expander { ledger, store, .. } = &mut self.expander;
            ledger.tick(store, bytes, u64::from(depth));
            self.checkpoint();
        }
    }

    /// Writes a checkpoint if one is due.
    fn checkpoint(&mut self) {
        let Nested {
            expander,
            path,
            successors,
            inner,
            inner_successors,
            looking,
            ..
        } = self;
        if expander.ledger.is_pausing() {
            expander.checkpoint(|out| {
                path.save(out)?;
                successors.save(out)?;
                inner.save(out)?;
                inner_successors.save(out)?;
                looking.save(out)
            });
        }
    }

    /// The topmost state is expanded fully after all: the successors left out are still to be visited.
    fn raise(&mut self) {
        let depth = self.path.len() - 1;
        let Frame { id, decision, .. } = self.path[depth];
        let Decision::Ample(index) = decision else {
            return;
        };
        let Nested { expander, path, .. } = self;
        let lineage = |_: &ExactStore| path.iter().map(|f| f.id).collect::<Vec<_>>();
        let decision = expander.expand(id, &lineage, Extent::Besides(index), true);
        follow(&self.expander, &mut self.successors);
        self.path[depth].decision = decision;
    }

    /// All successors of the topmost state have been visited.
    fn leave(&mut self) {
        let top = &self.path[self.path.len() - 1];
        let (id, base) = (top.id, top.base);
        if top.is_accepting && !self.weak {
            self.looking.get_or_insert(base);
            self.look_back();
        }
        if self.expander.ledger.stopped() {
            return;
        }
        // An inner search that met nothing has been here, if it was ours.
        let top = &self.path[self.path.len() - 1];
        let colour = if top.is_accepting { RED } else { BLUE };
        let tie = (top.tied && !top.is_full()).then_some(top.rank);
        Note::left(colour, top.decision, tie).put(&mut self.expander.store, id);
        self.path.pop();
        if let Some(below) = self.path.last_mut() {
            below.tied |= tie.is_some();
        }
        self.successors.truncate(base);
    }

    /// The inner search, from the successors of the topmost state.
    fn look_back(&mut self) {
        loop {
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
                    break;
                }
            }
            let next = self.looking.map(|next| (next, self.successors.get(next)));
            let Some((next, Some(&to))) = next else {
                break;
            };
            self.looking = Some(next + 1);
            self.visit(to);
        }
        self.looking = None;
    }

    /// The inner search comes to a state; true if it closes a cycle.
    fn visit(&mut self, to: StateId) -> bool {
        let note = Note::of(&self.expander.store, to);
        if note.is(CYAN) {
            self.found(to);
            // A search that goes on does so for the sake of other states: one cycle is enough.
            self.inner.clear();
            self.inner_successors.clear();
            self.looking = None;
            return true;
        }
        if note.is(RED) {
            return false;
        }
        note.coloured(RED).put(&mut self.expander.store, to);
        let decision = note.decision();
        let lineage = |_: &ExactStore| Vec::new();
        let inner = &self.inner;
        let own_proviso = |_: &ExactStore, targets: &[Option<StateId>], _: &[bool]| {
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
        follow(&self.expander, &mut self.inner_successors);
        self.inner.push(Frame {
            id: to,
            base,
            next: base,
            accepting: 0,
            is_accepting: false,
            decision,
            rank: 0,
            tied: false,
        });
        if self.expander.ledger.due() {
            let (bytes, depth) = (self.bytes(), self.path.len() as u64);
            let Expander { ledger, store, .. } = &mut self.expander;
            ledger.tick(store, bytes, depth);
            self.checkpoint();
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

/// Adds the successors of the state expanded last.
fn follow<P: Accepting>(expander: &Expander<'_, P>, successors: &mut Vec<StateId>) {
    let answers = expander.answers().iter();
    successors.extend(answers.filter_map(|answer| match answer {
        Insert::New(to) | Insert::Seen(to) => Some(*to),
        Insert::Full => None,
    }));
}

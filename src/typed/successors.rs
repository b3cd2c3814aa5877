//! What can happen in a state, as bytes: the one place where searches call the system.
//!
//! The successors of a state are worked out at once, when it is listed, because only then it is known which actions can
//! happen at all; they are kept until the next state is listed.
//!
//! A panic in the system or in a goal is caught here, for a search with several workers cannot be left by one of them
//! alone. It is kept, nothing can happen any more in any state, so the search soon ends; and then the panic goes on
//! ([`Panics::resume`]), whatever the search seemed to show.

use super::formula::Property;
use super::reduction::{Declarations, MOST_PROCESSES, list};
use super::report::Error;
use super::space::{Move, Shared};
use super::{StateCode, TransitionSystem};
use crate::store::is_equal;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What ends a search at once: the first panic, or the first thing that contradicts the declarations of the system.
#[derive(Default)]
pub(super) struct Panics {
    happened: AtomicBool,
    payload: Mutex<Option<Box<dyn Any + Send>>>,
    contradiction: Mutex<Option<String>>,
}

impl Panics {
    /// Whether there was one.
    pub(super) fn happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }

    /// Does something; `None` if that panics, or something has.
    fn catch<T>(&self, what: impl FnOnce() -> T) -> Option<T> {
        if self.happened() {
            return None;
        }
        let payload = match catch_unwind(AssertUnwindSafe(what)) {
            Ok(value) => return Some(value),
            Err(payload) => payload,
        };
        let mut kept = self.payload.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(payload);
        self.happened.store(true, Ordering::Relaxed);
        None
    }

    /// Something contradicts the declarations.
    fn contradict(&self, what: String) {
        let mut kept = self
            .contradiction
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(what);
        self.happened.store(true, Ordering::Relaxed);
    }

    /// Goes on with the panic, if there was one; an error if something contradicts the declarations. The search is over.
    pub(super) fn resume(self) -> Result<(), Error> {
        let payload = self.payload.into_inner();
        if let Some(payload) = payload.unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
        }
        let contradiction = self.contradiction.into_inner();
        match contradiction.unwrap_or_else(PoisonError::into_inner) {
            Some(what) => Err(Error::Declaration(what)),
            None => Ok(()),
        }
    }
}

/// Appends the bytes of a state; in debug builds it is seen that they can be read.
pub(super) fn encode<T: StateCode + PartialEq + std::fmt::Debug>(state: &T, out: &mut Vec<u8>) {
    let start = out.len();
    state.encode(out);
    if cfg!(debug_assertions) {
        let again: T = decode(&out[start..]);
        assert_eq!(
            &again, state,
            "`decode` gives another state than `encode` was given"
        );
    }
}

/// The state of some bytes that [`encode`] wrote.
pub(super) fn decode<T: StateCode>(mut bytes: &[u8]) -> T {
    match T::decode(&mut bytes) {
        Some(state) if bytes.is_empty() => state,
        Some(_) => panic!("`decode` leaves bytes that `encode` wrote for the same state"),
        None => panic!("`decode` cannot read what `encode` wrote"),
    }
}

/// One successor: by which of the actions, whose that is, the letter if it is asked for, and where its bytes are.
struct Successor {
    action: u32,
    owner: u8,
    letter: u64,
    start: usize,
    end: usize,
}

/// The successors of the state listed last.
struct Listed<A> {
    actions: Vec<A>,
    bytes: Vec<u8>,
    successors: Vec<Successor>,
    /// The processes of its ample sets.
    sets: Vec<u64>,
    complete: bool,
}

/// Lists successors for one worker.
pub(super) struct Successors<'c, S: TransitionSystem> {
    system: &'c S,
    panics: &'c Panics,
    declared: Option<&'c Declarations<'c, S::State>>,
    property: Option<&'c Property<'c, S::State>>,
    of: Vec<u8>,
    listed: Listed<S::Action>,
}

impl<'c, S: TransitionSystem> Successors<'c, S> {
    pub(super) fn new(shared: Shared<'c, S>) -> Successors<'c, S> {
        Successors {
            system: shared.system,
            panics: shared.panics,
            declared: shared.declared,
            property: None,
            of: Vec::new(),
            listed: Listed {
                actions: Vec::new(),
                bytes: Vec::new(),
                successors: Vec::new(),
                sets: Vec::new(),
                complete: false,
            },
        }
    }

    /// The letters of successors are asked for.
    pub(super) fn with_letters(mut self, property: &'c Property<'c, S::State>) -> Self {
        self.property = Some(property);
        self
    }

    pub(super) fn system(&self) -> &'c S {
        self.system
    }

    /// Whether there are ample sets.
    pub(super) fn reduces(&self) -> bool {
        self.declared.is_some_and(|declared| declared.reduces)
    }

    /// Looks at a state; `None` if something panics.
    pub(super) fn look<T>(&self, state: &[u8], what: impl FnOnce(&S::State) -> T) -> Option<T> {
        self.panics.catch(|| what(&decode(state)))
    }

    /// Looks at a state, which is listed if `before` wants it, and then shown to `after` with whether the run ends there.
    /// `None` if something panics.
    pub(super) fn list<T>(
        &mut self,
        state: &[u8],
        before: impl FnOnce(&S::State) -> Option<T>,
        after: impl FnOnce(&S::State, bool),
    ) -> Option<T> {
        let panics = self.panics;
        self.of.clear();
        self.of.extend_from_slice(state);
        self.listed.bytes.clear();
        self.listed.successors.clear();
        self.listed.sets.clear();
        self.listed.complete = false;
        let wanted = panics.catch(|| {
            let state: S::State = decode(state);
            let Some(wanted) = before(&state) else {
                return Ok(None);
            };
            self.expand(&state)?;
            after(&state, self.listed.successors.is_empty());
            Ok(Some(wanted))
        });
        match wanted? {
            Ok(wanted) => wanted,
            Err(what) => {
                panics.contradict(what);
                None
            }
        }
    }

    /// Works out the successors; an error if something contradicts the declarations.
    fn expand(&mut self, state: &S::State) -> Result<(), String> {
        let Successors {
            system,
            declared,
            property,
            listed,
            ..
        } = self;
        listed.actions.clear();
        system.actions(state, &mut listed.actions);
        let mut possible = [0; MOST_PROCESSES];
        for (index, action) in listed.actions.iter().enumerate() {
            let owner = match declared {
                Some(declared) => declared.owner(*system, action)?,
                None => 0,
            };
            if let Some(next) = system.next(state, action) {
                let start = listed.bytes.len();
                encode(&next, &mut listed.bytes);
                possible[usize::from(owner)] += 1;
                listed.successors.push(Successor {
                    action: index as u32,
                    owner,
                    letter: property.map_or(0, |property| property.letter(&next)),
                    start,
                    end: listed.bytes.len(),
                });
            }
        }
        if let Some(declared) = declared {
            if declared.verifies {
                declared.verify(*system, state, &list(declared, *system, state)?)?;
            }
            if declared.reduces {
                declared.choose(*system, state, &possible, &mut listed.sets);
            }
        }
        listed.complete = true;
        Ok(())
    }

    /// The actions that can happen in the state listed last, by number.
    pub(super) fn actions(&self) -> impl Iterator<Item = u32> {
        self.listed.successors.iter().map(|s| s.action)
    }

    /// The same, with the letters of the states after them.
    pub(super) fn letters(&self) -> impl Iterator<Item = (u32, u64)> {
        self.listed.successors.iter().map(|s| (s.action, s.letter))
    }

    /// Makes sure that the state is the one listed last.
    #[inline]
    fn at(&mut self, state: &[u8]) -> Option<()> {
        match self.listed.complete && is_equal(&self.of, state) {
            true => Some(()),
            false => self.list(state, |_| Some(()), |_, _| ()),
        }
    }

    #[inline]
    fn successor(&self, action: u32) -> Option<&Successor> {
        let successors = &self.listed.successors;
        // Where all actions listed can happen they have the same numbers as their successors.
        match successors.get(action as usize) {
            Some(successor) if successor.action == action => Some(successor),
            _ => {
                let index = successors.binary_search_by_key(&action, |s| s.action);
                successors.get(index.ok()?)
            }
        }
    }

    /// The state after the action of that number, and its letter.
    #[inline]
    pub(super) fn after(&mut self, state: &[u8], action: u32) -> Option<(&[u8], u64)> {
        self.at(state)?;
        let &Successor {
            letter, start, end, ..
        } = self.successor(action)?;
        Some((self.listed.bytes.get(start..end)?, letter))
    }

    /// As [`AmpleSets::ample`](crate::space::AmpleSets::ample), for moves that are all actions; if not, there is no set.
    pub(super) fn ample<M>(
        &mut self,
        state: &[u8],
        moves: &mut [M],
        step: impl Fn(&M) -> Move,
        index: usize,
    ) -> Option<usize> {
        if !self.reduces() {
            return None;
        }
        self.at(state)?;
        let set = *self.listed.sets.get(index)?;
        let is_action = |mv: &M| matches!(step(mv), Move::Action(_));
        if !moves.iter().all(is_action) {
            return None;
        }
        let is_in = |mv: &M| match step(mv) {
            Move::Action(action) => {
                let successor = self.successor(action);
                successor.is_some_and(|s| set >> s.owner & 1 == 1)
            }
            _ => false,
        };
        moves.sort_by_key(|mv| !is_in(mv));
        Some(moves.partition_point(is_in))
    }

    /// An action of that ample set changes a condition.
    pub(super) fn deny(&mut self, state: &[u8], index: usize) {
        let set = self.listed.sets.get(index).copied().unwrap_or_default();
        let what = self.look(state, |state| {
            format!(
                "in {state:?}: the processes of the set {set:#b} write nothing that a condition reads, but change one"
            )
        });
        if let Some(what) = what {
            self.panics.contradict(what);
        }
    }
}

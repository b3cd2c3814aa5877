//! What can happen in a state, as bytes: the one place where searches call the system.
//!
//! The successors of a state are worked out at once, when it is listed, because only then it is known which actions can
//! happen at all; they are kept until the next state is listed.
//!
//! A panic in the system or in a goal is caught here, for a search with several workers cannot be left by one of them
//! alone. It is kept, nothing can happen any more in any state, so the search soon ends; and then the panic goes on
//! ([`Panics::resume`]), whatever the search seemed to show.

use super::{StateCode, TransitionSystem};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first panic of a search, if there was one.
#[derive(Default)]
pub(super) struct Panics {
    happened: AtomicBool,
    payload: Mutex<Option<Box<dyn Any + Send>>>,
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

    /// Goes on with the panic, if there was one. The search is over.
    pub(super) fn resume(self) {
        let payload = self.payload.into_inner();
        if let Some(payload) = payload.unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
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

/// One successor: by which of the actions, and where its bytes are.
struct Successor {
    action: u32,
    start: usize,
    end: usize,
}

/// The successors of the state listed last.
struct Listed<A> {
    actions: Vec<A>,
    bytes: Vec<u8>,
    successors: Vec<Successor>,
    complete: bool,
}

impl<A> Listed<A> {
    fn expand<S: TransitionSystem<Action = A>>(&mut self, system: &S, state: &S::State) {
        self.actions.clear();
        system.actions(state, &mut self.actions);
        for (index, action) in self.actions.iter().enumerate() {
            if let Some(next) = system.next(state, action) {
                let start = self.bytes.len();
                encode(&next, &mut self.bytes);
                self.successors.push(Successor {
                    action: index as u32,
                    start,
                    end: self.bytes.len(),
                });
            }
        }
        self.complete = true;
    }
}

/// Lists successors for one worker.
pub(super) struct Successors<'c, S: TransitionSystem> {
    system: &'c S,
    panics: &'c Panics,
    of: Vec<u8>,
    listed: Listed<S::Action>,
}

impl<'c, S: TransitionSystem> Successors<'c, S> {
    pub(super) fn new(system: &'c S, panics: &'c Panics) -> Successors<'c, S> {
        Successors {
            system,
            panics,
            of: Vec::new(),
            listed: Listed {
                actions: Vec::new(),
                bytes: Vec::new(),
                successors: Vec::new(),
                complete: false,
            },
        }
    }

    pub(super) fn system(&self) -> &'c S {
        self.system
    }

    /// Looks at a state, which is listed if `before` wants it, and then shown to `after` with whether the run ends there.
    /// `None` if something panics.
    pub(super) fn list<T>(
        &mut self,
        state: &[u8],
        before: impl FnOnce(&S::State) -> Option<T>,
        after: impl FnOnce(&S::State, bool),
    ) -> Option<T> {
        let Successors {
            system,
            panics,
            of,
            listed,
        } = self;
        of.clear();
        of.extend_from_slice(state);
        listed.bytes.clear();
        listed.successors.clear();
        listed.complete = false;
        let wanted = panics.catch(|| {
            let state: S::State = decode(state);
            let wanted = before(&state)?;
            listed.expand(*system, &state);
            after(&state, listed.successors.is_empty());
            Some(wanted)
        });
        wanted.flatten()
    }

    /// The actions that can happen in the state listed last, by number.
    pub(super) fn actions(&self) -> impl Iterator<Item = u32> {
        self.listed.successors.iter().map(|s| s.action)
    }

    /// The state after the action of that number.
    pub(super) fn after(&mut self, state: &[u8], action: u32) -> Option<&[u8]> {
        if !self.listed.complete || self.of != state {
            self.list(state, |_| Some(()), |_, _| ())?;
        }
        let Listed {
            bytes, successors, ..
        } = &self.listed;
        let index = successors
            .binary_search_by_key(&action, |s| s.action)
            .ok()?;
        let Successor { start, end, .. } = successors[index];
        bytes.get(start..end)
    }
}

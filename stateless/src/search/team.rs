//! What the workers of a parallel exploration share: the states at the beginning of executions, and
//! a place to offer work.
//!
//! A worker that sees that somebody has nothing to do shares the states of its execution up to the
//! first one with a branch left, and offers the way there. Whoever takes the offer takes a branch
//! from the last of these states that has one; so does every worker, the first one included, when
//! it comes back to a shared state. A worker comes back to the shared states of its own execution,
//! and offers what it inserts elsewhere, so nothing is forgotten when an offer turns out to be
//! empty.
//!
//! Taking a branch and learning what its first step did are two moments with the execution of the
//! beginning in between. The state is *reserved* meanwhile, and nobody else looks at it: a step of
//! which it is not known what it did cannot sleep. Who has reserved a state waits for nobody, so
//! there is no deadlock.

use super::optimal::{Known, Node};
use super::wakeup::Branch;
use crate::system::Thread;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A state that several workers know.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The node, and whether it is reserved.
    node: Mutex<(Node, bool)>,
    released: Condvar,
}

impl Shared {
    pub(crate) fn new(node: Node) -> Self {
        Shared {
            node: Mutex::new((node, false)),
            released: Condvar::new(),
        }
    }

    /// A state that is reserved from its beginning.
    pub(crate) fn reserved_by_its_maker(node: Node) -> Self {
        Shared {
            node: Mutex::new((node, true)),
            released: Condvar::new(),
        }
    }

    fn free(&self) -> MutexGuard<'_, (Node, bool)> {
        let mut guard = lock(&self.node);
        while guard.1 {
            guard = self
                .released
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
        guard
    }

    /// Looks at the node when nobody has reserved it.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut Node) -> R) -> R {
        f(&mut self.free().0)
    }

    /// Takes a branch and reserves the state.
    pub(crate) fn reserve(&self) -> Option<Branch> {
        let mut guard = self.free();
        let branch = guard.0.take();
        guard.1 = branch.is_some();
        branch
    }

    /// Looks at the node; only for who has reserved it.
    pub(crate) fn reserved<R>(&self, f: impl FnOnce(&mut Node) -> R) -> R {
        f(&mut lock(&self.node).0)
    }

    /// The same for the last time.
    pub(crate) fn release<R>(&self, f: impl FnOnce(&mut Node) -> R) -> R {
        let mut guard = lock(&self.node);
        guard.1 = false;
        self.released.notify_all();
        f(&mut guard.0)
    }
}

/// The way to states with branches left.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) prefix: Vec<(Thread, u32)>,
    /// The states before, between and after the steps of `prefix`.
    pub(crate) states: Vec<Known>,
}

#[derive(Debug, Default)]
struct Board {
    offers: Vec<Offer>,
    idle: usize,
    is_over: bool,
}

/// Workers of one exploration.
#[derive(Debug)]
pub(crate) struct Team {
    workers: usize,
    board: Mutex<Board>,
    changed: Condvar,
    /// Somebody has nothing to do and there is no offer.
    wants_work: AtomicBool,
    /// Work is offered even if nobody wants it: for tests.
    always: bool,
}

impl Team {
    pub(crate) fn new(workers: usize, always: bool) -> Self {
        Team {
            workers,
            board: Mutex::default(),
            changed: Condvar::new(),
            wants_work: AtomicBool::new(always),
            always,
        }
    }

    pub(crate) fn wants_work(&self) -> bool {
        self.wants_work.load(Ordering::Relaxed)
    }

    fn update(&self, board: &Board) {
        let wants = match self.always {
            true => board.offers.len() < 4 * self.workers,
            false => board.offers.len() < board.idle,
        };
        self.wants_work
            .store(wants && !board.is_over, Ordering::Relaxed);
    }

    pub(crate) fn offer(&self, offer: Offer) {
        let mut board = lock(&self.board);
        if !board.is_over {
            board.offers.push(offer);
        }
        self.update(&board);
        self.changed.notify_one();
    }

    /// Waits for an offer; `None` if nothing is left to do.
    pub(crate) fn wait(&self) -> Option<Offer> {
        let mut board = lock(&self.board);
        loop {
            if board.is_over {
                return None;
            }
            if let Some(offer) = board.offers.pop() {
                self.update(&board);
                return Some(offer);
            }
            board.idle += 1;
            if board.idle == self.workers {
                board.is_over = true;
                self.update(&board);
                self.changed.notify_all();
                return None;
            }
            self.update(&board);
            board = self
                .changed
                .wait(board)
                .unwrap_or_else(PoisonError::into_inner);
            board.idle -= 1;
        }
    }

    /// Everybody stops.
    pub(crate) fn stop(&self) {
        let mut board = lock(&self.board);
        board.is_over = true;
        board.offers.clear();
        self.update(&board);
        self.changed.notify_all();
    }
}

//! Model checks concurrent Rust code.
//!
//! The modules [`thread`], [`sync`] and [`cell`] have the names and signatures of `std`'s. Code
//! that uses them is executed by [`check`] in every order of operations that can make a difference,
//! once each:
//!
//! ```should_panic
//! use ample_threads::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
//! use ample_threads::thread;
//!
//! ample_threads::check(|| {
//!     let counter = Arc::new(AtomicU32::new(0));
//!     let threads: Vec<_> = (0..2)
//!         .map(|_| {
//!             let counter = counter.clone();
//!             thread::spawn(move || {
//!                 let old = counter.load(SeqCst);
//!                 counter.store(old + 1, SeqCst);
//!             })
//!         })
//!         .collect();
//!     for thread in threads {
//!         thread.join().unwrap();
//!     }
//!     assert_eq!(counter.load(SeqCst), 2);
//! });
//! ```
//!
//! The panic comes with the steps that lead to it and a schedule; `AMPLE_REPLAY='schedule'` in the
//! environment executes just that one. [`explore()`] returns a [`Report`] instead, [`Builder`] has
//! bounds and strategies.
//!
//! All threads of the program are coroutines on one thread of the system, so every execution is
//! deterministic. What is explored is sequential consistency: weaker orders are accepted and
//! executed as `SeqCst`. A missing `Acquire` or `Release` shows where it leaves an access to an
//! [`cell::UnsafeCell`] without order, which is reported as a data race.
//!
//! The code must be deterministic except for the order of its threads and for [`toss`]: no clocks,
//! no random numbers, and no `static` that keeps a value from one execution to the next, `std`'s
//! `thread_local!` included ([`thread_local!`](crate::thread_local) and [`time`] have replacements). One exploration runs at
//! a time in a process; explorations of other tests wait.

pub mod cell;
mod explore;
pub mod hint;
mod number;
mod runtime;
pub mod sync;
pub mod thread;
pub mod time;

pub use ample_stateless::{
    Algorithm, Bound, Critical, Finding, FindingKind, Patience, Progress, Report as Statistics,
    Schedule, Status, Step, Verdict,
};
pub use explore::{Builder, Report, check, explore};
pub use number::{Numbered, number};

/// Chooses a number below `n`; every one is explored. VeriSoft's `VS_toss`.
///
/// # Panics
/// If `n` is 0.
#[track_caller]
pub fn toss(n: u32) -> u32 {
    assert!(n > 0, "there is no number below 0");
    runtime::toss(n)
}

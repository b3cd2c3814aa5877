//! Whatever goes wrong around a search, it ends, it reports, its verdict is not wrong, and no file is lost or left.
//!
//! Each round takes a model, a way to search and a fault: memory is refused (to the whole process, or the n-th piece of it, or
//! the n-th table), a thread is refused, a file may not grow beyond its n-th byte, the disk is full, a signal comes, or the
//! process is killed and goes on from its checkpoint, again and again. What the search says without a fault is known ([`cases`]);
//! what it says with one is judged by [`judge`].
//!
//! `AMPLE_FAULTS=N cargo test --release --features faults --test faults -- --nocapture` makes N rounds instead of a few, from the
//! seed in `AMPLE_SEED`. Without the feature `faults` nothing refuses the n-th piece; the other faults need no help.

mod cases;
mod inject;
mod judge;

use cases::{Case, cases};
use inject::{Fault, Place};
use judge::{Account, Folder};
use promela_random::Rng;

fn number(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn nothing_that_goes_wrong_makes_a_verdict_wrong_or_loses_anything() {
    let (rounds, seed) = (number("AMPLE_FAULTS", 54), number("AMPLE_SEED", 1));
    let place = Place::new();
    let cases: Vec<Case> = cases(place.path());
    let mut rng = Rng::seeded(seed);
    let mut account = Account::default();
    for round in 0..rounds {
        // Every kind of fault, and every case, comes up in turn.
        let fault = Fault::of_kind(round as usize, &place, &mut rng);
        let case = &cases[rng.below32(cases.len() as u32) as usize];
        let folder = Folder::new(place.path(), case);
        let about = format!("round {round} of seed {seed}: {case:?}, {fault:?}");
        match fault.meets(case) {
            true => fault.inject(case, &folder, &mut rng, &about, &mut account),
            false => account.passed_over += 1,
        }
        folder.must_be_whole(&about, &mut account);
    }
    println!("{account}");
    assert!(account.is_clean(), "{account}");
    assert!(
        account.faults * 2 > rounds || rounds < 20,
        "too few faults: {account}"
    );
}

//! Programs of two kinds of which loom 0.7 misses executions, as its issues 166 and 392 report: a
//! load that nobody needs hides what another thread may see. `benches/loom_shuttle.sh` shows all
//! three side by side.

use ample_threads::sync::Arc;
use ample_threads::sync::atomic::{AtomicU32, Ordering::SeqCst};
use ample_threads::{explore, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

fn outcomes(program: impl Fn() -> (u32, u32) + 'static) -> (BTreeSet<(u32, u32)>, u64) {
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let into = seen.clone();
    let report = explore(move || {
        let outcome = program();
        into.borrow_mut().insert(outcome);
    });
    assert!(report.complete && report.blocked == 0, "{report}");
    (seen.take(), report.executions)
}

/// A slot is claimed, filled, emptied and released; a reader looks at what is in it and at who has
/// it. The owner may look at its own claim before it releases it.
fn slot(looks: bool) -> (u32, u32) {
    let slot = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
    let owner = slot.clone();
    let owner = thread::spawn(move || {
        owner.0.store(7, SeqCst);
        owner.1.store(1, SeqCst);
        owner.1.store(0, SeqCst);
        if looks {
            owner.0.load(SeqCst);
        }
        owner.0.store(0, SeqCst);
    });
    let reader = thread::spawn(move || (slot.1.load(SeqCst), slot.0.load(SeqCst)));
    owner.join().unwrap();
    reader.join().unwrap()
}

#[test]
fn a_load_by_the_writer_hides_nothing() {
    let (without, executions) = outcomes(|| slot(false));
    assert_eq!(without, BTreeSet::from([(0, 0), (0, 7), (1, 7), (1, 0)]));
    let (with, more) = outcomes(|| slot(true));
    assert_eq!(with, without);
    assert_eq!(more, executions);
}

/// A thread begins with a load, and then writes what the main thread reads.
fn begins_with_a_load(begins: bool) -> (u32, u32) {
    let x = Arc::new(AtomicU32::new(0));
    let y = x.clone();
    let writer = thread::spawn(move || {
        let before = if begins { y.load(SeqCst) } else { 0 };
        y.store(1, SeqCst);
        before
    });
    let seen = x.load(SeqCst);
    (writer.join().unwrap(), seen)
}

#[test]
fn a_load_at_the_beginning_hides_nothing() {
    for begins in [false, true] {
        let (seen, executions) = outcomes(move || begins_with_a_load(begins));
        assert_eq!((seen, executions), (BTreeSet::from([(0, 0), (0, 1)]), 2));
    }
}

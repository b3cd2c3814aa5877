//! Every part of the library does what `std`'s does, in all orders, and what is wrong is found and
//! replayed.

use ample_threads::cell::UnsafeCell;
use ample_threads::sync::atomic::{AtomicBool, AtomicI8, AtomicU32, Ordering};
use ample_threads::sync::{
    Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock, TryLockError, mpsc,
};
use ample_threads::{Algorithm, Builder, FindingKind, Report, Schedule, explore, thread, toss};
use std::collections::BTreeSet;
use std::time::Duration;

const SC: Ordering = Ordering::SeqCst;

/// Explores, requires that nothing is wrong, and returns what the program reported.
fn outcomes<T: Ord + 'static>(program: impl Fn() -> T + 'static) -> BTreeSet<T> {
    let seen = std::rc::Rc::new(std::cell::RefCell::new(BTreeSet::new()));
    let into = seen.clone();
    let report = explore(move || {
        let outcome = program();
        into.borrow_mut().insert(outcome);
    });
    assert!(report.complete && report.findings.is_empty(), "{report}");
    assert_eq!(report.blocked, 0, "{report}");
    seen.take()
}

fn finding(program: impl Fn() + Clone + 'static) -> (FindingKind, String) {
    let report = explore(program.clone());
    let finding = report
        .findings
        .first()
        .unwrap_or_else(|| panic!("{report}"));
    let schedule: Schedule = finding.schedule.to_string().parse().unwrap();
    let again = Builder::new().replay(schedule).explore(program);
    assert_eq!(again.findings[0].message, finding.message);
    (finding.kind, finding.message.clone())
}

fn failure(report: &Report) -> &str {
    &report.findings[0].message
}

#[test]
fn scoped_threads_borrow() {
    let seen = outcomes(|| {
        let x = AtomicU32::new(0);
        let mut local = 1;
        let y = thread::scope(|scope| {
            let handle = scope.spawn(|| x.swap(1, SC));
            scope.spawn(|| local += x.swap(2, SC));
            handle.join().unwrap()
        });
        (y, local, x.into_inner())
    });
    assert_eq!(seen, BTreeSet::from([(0, 2, 2), (2, 1, 1)]));
}

#[test]
fn park_waits_for_unpark() {
    let seen = outcomes(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        let handle = thread::spawn(move || {
            thread::park();
            y.load(SC)
        });
        x.store(1, SC);
        handle.thread().unpark();
        handle.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([1]));
    let (kind, message) = finding(|| thread::park());
    assert_eq!(kind, FindingKind::Deadlock);
    assert!(
        message.contains("main at park (threads/tests/library.rs:"),
        "{message}"
    );
}

#[test]
fn conditions() {
    let program = |all: bool, timeout: bool| {
        move || {
            let pair = Arc::new((Mutex::new(0), Condvar::new()));
            let wait = || {
                let pair = pair.clone();
                thread::spawn(move || {
                    let guard = pair.0.lock().unwrap();
                    if timeout {
                        let (_guard, result) =
                            pair.1.wait_timeout(guard, Duration::from_secs(1)).unwrap();
                        result.timed_out()
                    } else {
                        drop(pair.1.wait_while(guard, |n| *n == 0).unwrap());
                        false
                    }
                })
            };
            let handles = [wait(), wait()];
            *pair.0.lock().unwrap() = 1;
            match all {
                true => pair.1.notify_all(),
                false => pair.1.notify_one(),
            }
            handles.map(|handle| handle.join().unwrap())
        }
    };
    assert_eq!(outcomes(program(true, false)), BTreeSet::from([[false; 2]]));
    let all = BTreeSet::from([[true, true], [true, false], [false, true], [false, false]]);
    assert_eq!(outcomes(program(true, true)), all);
    let one = BTreeSet::from([[true, true], [true, false], [false, true]]);
    assert_eq!(outcomes(program(false, true)), one);
    let lost = program(false, false);
    let (kind, _) = finding(move || {
        lost();
    });
    assert_eq!(kind, FindingKind::Deadlock);
}

#[test]
fn try_locks() {
    let seen = outcomes(|| {
        let lock = Arc::new((Mutex::new(()), RwLock::new(())));
        let other = lock.clone();
        let handle = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            let _reader = other.1.read().unwrap();
        });
        let mutex = matches!(lock.0.try_lock(), Err(TryLockError::WouldBlock));
        let reader = lock.1.try_read().is_ok();
        let writer = lock.1.try_write().is_ok();
        handle.join().unwrap();
        (mutex, reader, writer)
    });
    assert!(seen.iter().all(|&(_, reader, _)| reader));
    assert_eq!(seen.len(), 4);
}

#[test]
fn barriers_have_one_leader() {
    let seen = outcomes(|| {
        let barrier = Arc::new(Barrier::new(2));
        let other = barrier.clone();
        let handle = thread::spawn(move || other.wait().is_leader());
        let me = barrier.wait().is_leader();
        (me, handle.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(true, false), (false, true)]));
}

static ONCE: Once = Once::new();
static VALUE: OnceLock<u32> = OnceLock::new();
static COUNTER: AtomicU32 = AtomicU32::new(3);

#[test]
fn statics_start_anew_in_each_execution() {
    let seen = outcomes(|| {
        let work = |n| {
            ONCE.call_once(|| {
                COUNTER.fetch_add(1, SC);
            });
            *VALUE.get_or_init(|| n)
        };
        let handle = thread::spawn(move || work(1));
        let mine = work(2);
        assert_eq!(handle.join().unwrap(), mine);
        assert!(VALUE.set(7).is_err() && ONCE.is_completed());
        assert_eq!(VALUE.get(), Some(&mine));
        (COUNTER.load(SC), mine)
    });
    assert_eq!(seen, BTreeSet::from([(4, 1), (4, 2)]));
}

#[test]
fn channels() {
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        for n in 0..2 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap());
        }
        drop(sender);
        receiver.iter().collect::<Vec<_>>()
    });
    assert_eq!(seen, BTreeSet::from([vec![0, 1], vec![1, 0]]));
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let handle = thread::spawn(move || {
            let first = sender.try_send(1).is_ok();
            (first, sender.try_send(2).is_ok(), sender.send(3).is_ok())
        });
        let first = receiver.recv().unwrap();
        drop(receiver);
        (first, handle.join().unwrap())
    });
    assert!(seen.contains(&(1, (true, false, true))) || seen.contains(&(1, (true, false, false))));
    assert!(seen.iter().all(|(first, _)| *first == 1));
    // Without buffer: the message is received before the send returns.
    let seen = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let flag = Arc::new(AtomicBool::new(false));
        let set = flag.clone();
        let handle = thread::spawn(move || {
            sender.send(1).unwrap();
            set.load(SC)
        });
        flag.store(true, SC);
        receiver.recv().unwrap();
        handle.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([true]));
    let (kind, _) = finding(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        receiver.recv().unwrap();
        drop(sender);
    });
    assert_eq!(kind, FindingKind::Deadlock);
}

#[test]
fn a_panic_poisons_and_is_a_finding() {
    let report = Builder::new().findings(usize::MAX).explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let handle = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("on purpose");
        });
        assert!(handle.join().is_err());
        assert!(lock.lock().is_err() && lock.is_poisoned());
    });
    assert_eq!(report.findings.len(), 1, "{report}");
    assert!(
        failure(&report).starts_with("thread 1 panicked: on purpose (threads/tests/library.rs:")
    );
    assert!(report.complete);
}

#[test]
#[should_panic(expected = "to execute it again: AMPLE_REPLAY='")]
fn check_panics_with_a_schedule() {
    ample_threads::check(|| {
        let x = Arc::new(AtomicU32::new(0));
        let y = x.clone();
        thread::spawn(move || y.store(1, SC));
        assert_eq!(x.load(SC), 0);
    });
}

#[test]
#[should_panic(expected = "does the program wait by spinning?")]
fn check_panics_if_executions_do_not_end() {
    let patient = ample_threads::Patience::default();
    Builder::new().patience(patient).executions(3).check(|| {
        let x = AtomicBool::new(false);
        while !x.load(SC) {
            ample_threads::hint::spin_loop();
        }
    });
}

#[test]
fn data_races_on_cells_are_found() {
    struct Shared(UnsafeCell<u32>);
    // SAFETY: all threads run on one thread of the system; races are what is looked for.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}
    let publish = |store: Ordering, load: Ordering| {
        move || {
            let cell = Arc::new((Shared(UnsafeCell::new(0)), AtomicBool::new(false)));
            let other = cell.clone();
            let handle = thread::spawn(move || {
                // SAFETY: the pointer is valid.
                other.0.0.with_mut(|value| unsafe { *value = 1 });
                other.1.store(true, store);
            });
            if cell.1.load(load) {
                // SAFETY: the pointer is valid.
                assert_eq!(cell.0.0.with(|value| unsafe { *value }), 1);
            }
            handle.join().unwrap();
            // SAFETY: the pointer is valid.
            cell.0.0.with(|value| unsafe { *value })
        }
    };
    assert_eq!(
        outcomes(publish(Ordering::Release, Ordering::Acquire)),
        BTreeSet::from([1])
    );
    for (store, load) in [
        (Ordering::Relaxed, Ordering::Acquire),
        (Ordering::Release, Ordering::Relaxed),
    ] {
        let program = publish(store, load);
        let (kind, message) = finding(move || {
            program();
        });
        assert_eq!(kind, FindingKind::Failure);
        assert!(message.starts_with("data race: "), "{message}");
    }
    let report = explore(|| assert_eq!(AtomicU32::new(1).load(Ordering::Relaxed), 1));
    assert!(report.weak_orders && report.to_string().contains("executed as SeqCst"));
}

#[test]
fn all_tosses_are_explored() {
    let seen = outcomes(|| (toss(3), toss(2)));
    assert_eq!(seen.len(), 6);
}

#[test]
fn signed_atomics_keep_their_sign() {
    let seen = outcomes(|| {
        let x = AtomicI8::new(-1);
        let old = x.fetch_sub(1, SC);
        let swapped = x.compare_exchange(-2, 5, SC, SC);
        (old, swapped, x.fetch_max(-7, SC), x.load(SC))
    });
    assert_eq!(seen, BTreeSet::from([(-1, Ok(-2), 5, 5)]));
}

#[test]
fn every_algorithm_finds_the_same() {
    for algorithm in [
        Algorithm::Enumerate,
        Algorithm::Persistent,
        Algorithm::Source,
        Algorithm::Optimal,
        Algorithm::Random(1),
        Algorithm::Pct(1, 3),
    ] {
        let report = Builder::new().algorithm(algorithm).explore(|| {
            let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
            let other = locks.clone();
            thread::spawn(move || {
                let _b = other[1].lock().unwrap();
                let _a = other[0].lock().unwrap();
            });
            let _a = locks[0].lock().unwrap();
            let _b = locks[1].lock().unwrap();
        });
        assert_eq!(report.findings[0].kind, FindingKind::Deadlock, "{report}");
    }
}

#[test]
fn state_that_outlives_an_execution_is_named() {
    static LOCK: Mutex<u32> = Mutex::new(0);
    let report = explore(|| {
        let handle = thread::spawn(|| *LOCK.lock().unwrap() += 1);
        *LOCK.lock().unwrap() += 1;
        handle.join().unwrap();
    });
    assert!(
        failure(&report).contains("create it inside the explored closure"),
        "{report}"
    );
    let calls = std::cell::Cell::new(0);
    let report = explore(move || {
        calls.set(calls.get() + 1);
        let x = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
        let y = x.clone();
        let handle = thread::spawn(move || y.0.store(1, SC));
        if calls.get() > 1 {
            x.1.load(SC);
        }
        x.1.store(2, SC);
        x.0.store(2, SC);
        handle.join().unwrap();
    });
    assert_eq!(
        report.findings[0].kind,
        FindingKind::Nondeterminism,
        "{report}"
    );
}

#[test]
#[should_panic(expected = "work only inside")]
fn outside_of_an_exploration_there_is_a_message() {
    AtomicU32::new(0).load(SC);
}

#[test]
fn destructors_run_in_executions_that_are_given_up() {
    use std::sync::atomic::AtomicUsize;
    static LIVE: AtomicUsize = AtomicUsize::new(0);
    struct Counted(Arc<Mutex<u32>>);
    impl Drop for Counted {
        fn drop(&mut self) {
            LIVE.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
            if let Ok(mut guard) = self.0.try_lock() {
                *guard += 1;
            }
        }
    }
    let report = Builder::new().findings(usize::MAX).explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let counted = || {
            LIVE.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Counted(lock.clone())
        };
        let (one, two) = (counted(), counted());
        let handle = thread::spawn(move || {
            let _one = one;
            thread::park();
        });
        let _two = two;
        handle.join().unwrap();
    });
    assert_eq!(report.findings[0].kind, FindingKind::Deadlock);
    assert_eq!(LIVE.load(std::sync::atomic::Ordering::SeqCst), 0);
}

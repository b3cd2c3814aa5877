//! Time, thread-local values, wakeups without a reason, what is left behind, threads that never come
//! to an end, and several workers.

use ample_threads::cell::UnsafeCell;
use ample_threads::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use ample_threads::sync::{Arc, Condvar, LazyLock, Mutex, Once, OnceLock, mpsc};
use ample_threads::time::{Duration, Instant};
use ample_threads::{Builder, Critical, FindingKind, Report, Schedule, explore, thread};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the program reported in all executions.
fn outcomes_of<T: Ord + 'static>(
    builder: &Builder,
    program: impl Fn() -> T + 'static,
) -> (BTreeSet<T>, Report) {
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let into = seen.clone();
    let report = builder.explore(move || {
        let outcome = program();
        into.borrow_mut().insert(outcome);
    });
    (seen.take(), report)
}

fn outcomes<T: Ord + 'static>(program: impl Fn() -> T + 'static) -> BTreeSet<T> {
    let (seen, report) = outcomes_of(&Builder::new(), program);
    assert!(report.complete && report.findings.is_empty(), "{report}");
    seen
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn time_passes_where_threads_wait() {
    let seen = outcomes(|| {
        let begin = Instant::now();
        thread::sleep(SECOND);
        assert!(begin.elapsed() == SECOND && Instant::now() > begin);
        let (sender, receiver) = mpsc::channel();
        let handle = thread::spawn(move || {
            thread::sleep(SECOND);
            sender.send(()).unwrap();
        });
        let timed_out = receiver.recv_timeout(3 * SECOND).is_err();
        let there = begin.elapsed();
        handle.join().unwrap();
        (timed_out, there.as_secs(), begin.elapsed().as_secs())
    });
    // Who waited in vain has waited for three seconds; a message brings the time of its sender.
    assert_eq!(seen, BTreeSet::from([(false, 2, 2), (true, 4, 4)]));
    // A deadline is reached.
    outcomes(|| {
        let deadline = Instant::now() + SECOND;
        while Instant::now() < deadline {
            thread::park_timeout(Duration::from_millis(400));
        }
    });
}

ample_threads::thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(1) };
    static LOG: RefCell<Vec<u32>> = RefCell::new(vec![0])
}

#[test]
fn thread_locals_belong_to_threads() {
    let seen = outcomes(|| {
        let work = |n| {
            COUNT.set(COUNT.get() + n);
            LOG.with_borrow_mut(|log| log.push(n));
            (COUNT.get(), LOG.with_borrow(Vec::len))
        };
        let handle = thread::spawn(move || work(10));
        let mine = work(20);
        (mine, handle.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([((21, 2), (11, 2))]));
}

#[test]
fn thread_locals_are_dropped_by_their_thread() {
    struct Says(Arc<AtomicU32>);
    impl Drop for Says {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    ample_threads::thread_local! {
        static SAYS: RefCell<Option<Says>> = const { RefCell::new(None) };
    }
    let seen = outcomes(|| {
        let drops = Arc::new(AtomicU32::new(0));
        let inner = drops.clone();
        let handle = thread::spawn(move || SAYS.with(|s| *s.borrow_mut() = Some(Says(inner))));
        handle.join().unwrap();
        drops.load(SeqCst)
    });
    assert_eq!(seen, BTreeSet::from([1]));
}

static LAZY: LazyLock<u32> = LazyLock::new(|| 7);

#[test]
fn lazy_values_are_made_once_per_execution() {
    let seen = outcomes(|| {
        let handle = thread::spawn(|| *LAZY);
        (*LAZY, handle.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(7, 7)]));
    let seen = outcomes(|| {
        let cell = Arc::new((OnceLock::new(), Once::new()));
        let other = cell.clone();
        let handle = thread::spawn(move || {
            other.1.wait();
            *other.0.wait()
        });
        cell.1
            .call_once_force(|state| assert!(!state.is_poisoned()));
        cell.0.set(3).unwrap();
        handle.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([3]));
}

#[test]
fn named_threads_of_scopes() {
    let seen = outcomes(|| {
        let x = AtomicU32::new(0);
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("one".to_owned());
            let body = || {
                (
                    x.fetch_add(1, SeqCst),
                    thread::current().name().unwrap().to_owned(),
                )
            };
            let handle = builder.spawn_scoped(scope, body).unwrap();
            if !handle.is_finished() {
                thread::park_timeout(SECOND);
            }
            handle.join().unwrap()
        })
    });
    assert_eq!(seen, BTreeSet::from([(0, "one".to_owned())]));
}

/// Waits for a flag, once.
fn wait_without_loop() -> bool {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut flag = pair.0.lock().unwrap();
    if !*flag {
        flag = pair.1.wait(flag).unwrap();
    }
    *flag
}

#[test]
fn wakeups_without_a_reason_are_a_choice() {
    assert_eq!(outcomes(wait_without_loop), BTreeSet::from([true]));
    let (seen, report) = outcomes_of(&Builder::new().spurious(1), wait_without_loop);
    assert_eq!(seen, BTreeSet::from([false, true]), "{report}");
    assert!(report.complete);
    let weak = || {
        let x = AtomicU32::new(0);
        let first = x.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok();
        (first, x.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok())
    };
    assert_eq!(outcomes(weak), BTreeSet::from([(true, false)]));
    let (seen, _) = outcomes_of(&Builder::new().spurious(1), weak);
    assert_eq!(seen, BTreeSet::from([(true, false), (false, true)]));
    let park = || {
        thread::park();
        true
    };
    let (seen, report) = outcomes_of(&Builder::new().spurious(1), park);
    assert_eq!((seen.len(), report.findings.len()), (1, 0), "{report}");
}

fn kinds(report: &Report) -> Vec<FindingKind> {
    report.findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn what_is_left_behind_is_a_finding_if_asked_for() {
    let builder = Builder::new().leaks(true).findings(10);
    let forgotten = || {
        let lock = Arc::new(Mutex::new(0));
        std::mem::forget(lock.lock());
        let other = lock.clone();
        thread::spawn(move || drop(other.try_lock()));
    };
    let report = builder.explore(forgotten);
    assert!(kinds(&report).iter().all(|&kind| kind == FindingKind::Leak));
    let has = |text: &str| report.findings.iter().any(|f| f.message.contains(text));
    assert!(has("a Mutex is still locked"), "{report}");
    assert!(has("thread 1 goes on after main has ended"), "{report}");
    assert!(explore(forgotten).findings.is_empty());
    let orderly = builder.explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let handle = thread::spawn(move || *other.lock().unwrap() += 1);
        *lock.lock().unwrap() += 1;
        handle.join().unwrap();
    });
    assert!(orderly.complete && orderly.findings.is_empty(), "{orderly}");
}

#[test]
fn spinning_for_each_other_is_a_livelock() {
    let report = explore(|| {
        let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
        let wait = |mine: usize, flags: &[AtomicBool; 2]| {
            while !flags[1 - mine].load(SeqCst) {
                thread::yield_now();
            }
            flags[mine].store(true, SeqCst);
        };
        let other = flags.clone();
        let handle = thread::spawn(move || wait(1, &other));
        wait(0, &flags);
        handle.join().unwrap();
    });
    assert_eq!(kinds(&report), [FindingKind::Livelock], "{report}");
    assert_eq!(report.findings[0].critical, Critical::Always, "{report}");
    assert!(report.findings[0].to_string().contains("steps …"));
}

#[test]
fn loops_over_a_cell_diverge() {
    struct Shared(UnsafeCell<bool>);
    // SAFETY: all threads run on one thread of the system.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}
    let report = Builder::new().quiet(1_000).explore(|| {
        let shared = Arc::new(Shared(UnsafeCell::new(false)));
        let x = AtomicU32::new(0);
        x.store(1, SeqCst);
        // SAFETY: the pointer is valid.
        while !shared.0.with(|value| unsafe { *value }) {}
    });
    assert_eq!(kinds(&report), [FindingKind::Divergence], "{report}");
    let message = &report.findings[0].message;
    assert!(
        message.contains("main made 1000 times an access to a cell"),
        "{message}"
    );
}

#[test]
fn several_workers_execute_as_much_as_one() {
    let program = |n: u32| {
        move || {
            let x = Arc::new((AtomicU32::new(0), Mutex::new(0)));
            let start = |i: u32| {
                let x = x.clone();
                thread::spawn(move || {
                    // Threads of different parents, whose numbers differ with the order.
                    let y = x.clone();
                    let inner = thread::spawn(move || y.0.store(y.0.load(SeqCst) + i, SeqCst));
                    *x.1.lock().unwrap() += 1;
                    inner.join().unwrap();
                })
            };
            for handle in (0..n).map(start).collect::<Vec<_>>() {
                handle.join().unwrap();
            }
        }
    };
    let one = explore(program(3));
    assert!(one.complete && one.blocked == 0, "{one}");
    for workers in [2, 3] {
        let several = Builder::new().explore_in_parallel(workers, program(3));
        assert_eq!(several.executions, one.executions, "{several}");
        assert!(several.complete && several.blocked == 0);
    }
    let report = Builder::new().explore_in_parallel(2, || {
        let x = Arc::new(AtomicU32::new(0));
        let start = |_| {
            let x = x.clone();
            thread::spawn(move || x.store(x.load(SeqCst) + 1, SeqCst))
        };
        for handle in (0..3).map(start).collect::<Vec<_>>() {
            handle.join().unwrap();
        }
        assert_eq!(x.load(SeqCst), 3);
    });
    assert_eq!(kinds(&report), [FindingKind::Failure], "{report}");
}

/// Schedules name threads by their place in the execution, so they can be executed by another
/// exploration that saw other executions before.
#[test]
fn schedules_do_not_depend_on_what_was_explored_before() {
    let program = || {
        let x = Arc::new(AtomicU32::new(0));
        let start = |i: u32| {
            let x = x.clone();
            thread::spawn(move || {
                x.fetch_add(1, SeqCst);
                let y = x.clone();
                let seen = thread::spawn(move || y.fetch_add(10 * i, SeqCst))
                    .join()
                    .unwrap();
                assert!(i != 2 || seen != 2);
            })
        };
        for handle in [start(1), start(2)] {
            let _ = handle.join();
        }
    };
    let report = Builder::new().findings(10).explore(program);
    assert!(!report.findings.is_empty());
    for finding in &report.findings {
        let schedule: Schedule = finding.schedule.to_string().parse().unwrap();
        let again = Builder::new().replay(schedule).explore(program);
        assert_eq!(again.findings[0].message, finding.message);
    }
}

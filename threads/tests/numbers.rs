//! The exact numbers of executions of Rust programs: one per Mazurkiewicz trace.

use ample_threads::sync::atomic::{AtomicU32, Ordering::SeqCst};
use ample_threads::sync::{Arc, Mutex, RwLock, Semaphore};
use ample_threads::{Builder, FindingKind, Report, explore, thread};

fn complete(report: Report) -> u64 {
    assert!(report.complete && report.findings.is_empty(), "{report}");
    assert_eq!(report.blocked, 0, "{report}");
    report.executions
}

/// Runs `body(0)` to `body(n - 1)` as threads and waits for them.
fn threads(n: u32, body: impl Fn(u32) + Clone + Send + 'static) {
    let start = |i| {
        let body = body.clone();
        thread::spawn(move || body(i))
    };
    for handle in (0..n).map(start).collect::<Vec<_>>() {
        handle.join().unwrap();
    }
}

fn factorial(n: u32) -> u64 {
    (1..=u64::from(n)).product()
}

fn shared<T>(value: T) -> Arc<T> {
    Arc::new(value)
}

#[test]
fn atomic_increments() {
    for n in 1..=5 {
        let report = explore(move || {
            let x = shared(AtomicU32::new(0));
            let y = x.clone();
            threads(n, move |_| {
                y.fetch_add(1, SeqCst);
            });
            assert_eq!(x.load(SeqCst), n);
        });
        assert_eq!(complete(report), factorial(n));
    }
}

#[test]
fn increments_under_a_lock() {
    for n in 1..=5 {
        let report = explore(move || {
            let x = shared(Mutex::new(0));
            let y = x.clone();
            threads(n, move |_| *y.lock().unwrap() += 1);
            assert_eq!(*x.lock().unwrap(), n);
        });
        assert_eq!(complete(report), factorial(n));
    }
}

#[test]
fn torn_increments() {
    for n in 1..=3 {
        let report = explore(move || {
            let x = shared(AtomicU32::new(0));
            threads(n, move |_| x.store(x.load(SeqCst) + 1, SeqCst));
        });
        assert_eq!(complete(report), factorial(n).pow(2));
    }
}

#[test]
fn readers_and_a_writer() {
    for n in 1..=8 {
        let report = explore(move || {
            let x = shared(AtomicU32::new(0));
            threads(n + 1, move |i| match i {
                0 => x.store(1, SeqCst),
                _ => assert!(x.load(SeqCst) <= 1),
            });
        });
        assert_eq!(complete(report), 1 << n);
        let report = explore(move || {
            let x = shared(RwLock::new(0));
            threads(n + 1, move |i| match i {
                0 => *x.write().unwrap() = 1,
                _ => drop(x.read().unwrap()),
            });
        });
        assert_eq!(complete(report), 1 << n);
    }
}

#[test]
fn last_zero() {
    for n in 2..=7_u32 {
        let report = explore(move || {
            let zeros = (0..=n).map(|_| AtomicU32::new(0));
            let cells: Arc<Vec<AtomicU32>> = Arc::new(zeros.collect());
            threads(n + 1, move |i| {
                if i == 0 {
                    let mut at = n as usize;
                    while cells[at].load(SeqCst) != 0 {
                        at -= 1;
                    }
                } else {
                    let left = cells[i as usize - 1].load(SeqCst);
                    cells[i as usize].store(left + 1, SeqCst);
                }
            });
        });
        assert_eq!(complete(report), u64::from(n + 3) << (n - 2));
    }
}

#[test]
fn indexer() {
    for (n, expected) in [(11, 1), (12, 8), (13, 64)] {
        let report = explore(move || {
            let table: Arc<Vec<AtomicU32>> =
                Arc::new((0..128).map(|_| AtomicU32::new(0)).collect());
            ample_threads::number(&table[..]);
            threads(n, move |tid| {
                for message in 1..=4 {
                    let word = message * 11 + tid;
                    let mut hash = word as usize * 7 % table.len();
                    while table[hash]
                        .compare_exchange(0, word, SeqCst, SeqCst)
                        .is_err()
                    {
                        hash = (hash + 1) % table.len();
                    }
                }
            });
        });
        assert_eq!(complete(report), expected);
    }
}

#[test]
fn compare_and_exchange_in_rotation() {
    for (n, expected) in (2..).zip([2, 5, 14, 43, 144, 523]) {
        let report = explore(move || {
            let x = shared(AtomicU32::new(0));
            threads(n, move |i| {
                let _ = x.compare_exchange(i, i + 1, SeqCst, SeqCst);
            });
        });
        assert_eq!(complete(report), expected);
    }
}

#[test]
fn dining_philosophers_of_the_verisoft_paper() {
    for (n, expected) in [(2, 3), (3, 7), (4, 15)] {
        let report = Builder::new().findings(usize::MAX).explore(move || {
            let forks: Arc<Vec<Semaphore>> = Arc::new((0..n).map(|_| Semaphore::new(1)).collect());
            threads(n, move |i| {
                let (left, right) = (i as usize, ((i + 1) % n) as usize);
                forks[left].wait();
                forks[right].wait();
                forks[left].signal();
                forks[right].signal();
            });
        });
        assert!(report.complete, "{report}");
        assert_eq!((report.executions, report.blocked), (expected, 0));
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].kind, FindingKind::Deadlock);
    }
}

#[test]
fn more_than_64_threads() {
    let report = explore(|| {
        let x = shared(AtomicU32::new(0));
        threads(100, move |i| {
            if i < 2 {
                x.fetch_add(1, SeqCst);
            }
        });
    });
    assert_eq!(complete(report), 2);
}

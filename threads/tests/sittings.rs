//! An exploration in several sittings makes the executions of one, and a file of another test is refused.

use ample_threads::sync::{Arc, Mutex};
use ample_threads::{Builder, thread};
use std::panic::catch_unwind;
use std::time::Duration;

/// Threads that start threads, each of which takes a lock.
fn program() {
    let lock = Arc::new(Mutex::new(0));
    let add = |lock: &Arc<Mutex<i32>>| {
        let lock = lock.clone();
        move || *lock.lock().unwrap() += 1
    };
    let starter = thread::spawn({
        let (inner, own) = (add(&lock), add(&lock));
        move || {
            let inner = thread::spawn(inner);
            own();
            inner.join().unwrap();
        }
    });
    let other = thread::spawn(add(&lock));
    add(&lock)();
    other.join().unwrap();
    starter.join().unwrap();
    assert_eq!(*lock.lock().unwrap(), 4);
}

#[test]
fn sittings_make_the_executions_of_one() {
    let name = format!("ample-threads-{}.checkpoint", std::process::id());
    let path = std::env::temp_dir().join(name);
    let at_once = Builder::new().explore(program).executions;
    let sitting = |most: u64| {
        Builder::new()
            .checkpoint(&path, Duration::ZERO)
            .resume(true)
            .executions(most)
    };
    let mut most = 5;
    let last = loop {
        let report = sitting(most).explore(program);
        assert_eq!(report.unsaved, None);
        if report.complete {
            break report;
        }
        assert_eq!(report.executions, most);
        if most == 5 {
            let other = catch_unwind(|| sitting(50).explore(|| ()));
            let text = *other.expect_err("refused").downcast::<String>().unwrap();
            assert!(text.contains("another exploration"), "{text}");
        }
        most += 5;
    };
    assert_eq!((last.executions, last.blocked), (at_once, 0));
    assert!(most > 5 && !path.exists());
}

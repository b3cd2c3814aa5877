//! A bounded queue with one condition for both "not full" and "not empty". With `notify_one` a
//! wakeup goes to the wrong side and everybody sleeps; with `notify_all` it works. Run: `cargo run
//! -p ample-threads --example bounded_queue`.

use ample_threads::sync::{Arc, Condvar, Mutex};
use ample_threads::{Report, explore, thread};
use std::collections::VecDeque;

struct Queue {
    items: Mutex<VecDeque<u32>>,
    changed: Condvar,
    wakes_all: bool,
}

impl Queue {
    fn notify(&self) {
        if self.wakes_all {
            self.changed.notify_all();
        } else {
            self.changed.notify_one();
        }
    }

    fn push(&self, item: u32) {
        let items = self.items.lock().unwrap();
        let mut items = self
            .changed
            .wait_while(items, |items| items.len() == 1)
            .unwrap();
        items.push_back(item);
        self.notify();
    }

    fn pop(&self) -> u32 {
        let items = self.items.lock().unwrap();
        let mut items = self
            .changed
            .wait_while(items, |items| items.is_empty())
            .unwrap();
        let item = items.pop_front().unwrap();
        self.notify();
        item
    }
}

fn run(wakes_all: bool) -> Report {
    explore(move || {
        let queue = Arc::new(Queue {
            items: Mutex::default(),
            changed: Condvar::new(),
            wakes_all,
        });
        let start = |work: fn(&Queue)| {
            let queue = queue.clone();
            thread::spawn(move || work(&queue))
        };
        let threads = [
            start(|queue| queue.push(1)),
            start(|queue| queue.push(2)),
            start(|queue| assert!(queue.pop() > 0)),
            start(|queue| assert!(queue.pop() > 0)),
        ];
        for thread in threads {
            thread.join().unwrap();
        }
    })
}

fn main() {
    let broken = run(false);
    println!("broken:\n{broken}\n");
    assert_eq!(broken.findings.len(), 1);
    let repaired = run(true);
    println!("repaired:\n{repaired}");
    assert!(repaired.complete && repaired.findings.is_empty());
}

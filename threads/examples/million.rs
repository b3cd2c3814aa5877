//! Explores a program with millions of executions and prints the resident memory on the way. Run:
//! `cargo run --release -p ample-threads --example million -- 1000000`.

use ample_threads::sync::Arc;
use ample_threads::sync::atomic::{AtomicU32, Ordering::SeqCst};
use ample_threads::{Builder, thread};
use std::cell::Cell;

/// Resident memory in KiB, where the system tells.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn main() {
    let bound = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let bound: u64 = bound.unwrap_or(1_000_000);
    let done = Cell::new(0_u64);
    let report = Builder::new().executions(bound).explore(move || {
        done.set(done.get() + 1);
        if done.get().is_multiple_of(100_000) {
            println!("{:>9} executions, {} KiB", done.get(), resident());
        }
        let x = Arc::new(AtomicU32::new(0));
        let start = |_| {
            let x = x.clone();
            thread::spawn(move || x.store(x.load(SeqCst) + 1, SeqCst))
        };
        for thread in (0..7).map(start).collect::<Vec<_>>() {
            thread.join().unwrap();
        }
    });
    println!("{report}\n{} KiB", resident());
    let rate = report.executions as f64 / report.time.as_secs_f64();
    println!("{rate:.0} executions per second");
}

//! The dining philosophers of VeriSoft's paper: all take the left fork first and may starve
//! together; if the last one takes the right fork first, nobody does. Run: `cargo run -p
//! ample-threads --example philosophers`.

use ample_threads::sync::{Arc, Mutex};
use ample_threads::{Builder, FindingKind, Report, thread};

const N: usize = 4;

fn run(all_left_first: bool) -> Report {
    Builder::new().findings(usize::MAX).explore(move || {
        let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..N).map(|_| Mutex::new(())).collect());
        let dine = |i: usize| {
            let forks = forks.clone();
            let (left, right) = (i, (i + 1) % N);
            let (first, second) = match all_left_first {
                true => (left, right),
                false => (left.min(right), left.max(right)),
            };
            let name = format!("philosopher {i}");
            let eat = move || {
                let _first = forks[first].lock().unwrap();
                let _second = forks[second].lock().unwrap();
            };
            thread::Builder::new().name(name).spawn(eat).unwrap()
        };
        for philosopher in (0..N).map(dine).collect::<Vec<_>>() {
            philosopher.join().unwrap();
        }
    })
}

fn main() {
    let broken = run(true);
    println!("broken:\n{broken}\n");
    assert_eq!(broken.findings[0].kind, FindingKind::Deadlock);
    let repaired = run(false);
    println!("repaired:\n{repaired}");
    assert!(repaired.complete && repaired.findings.is_empty());
}

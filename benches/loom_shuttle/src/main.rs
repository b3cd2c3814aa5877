//! The same programs under `ample-threads`, loom and shuttle: executions, executions per CPU
//! second, CPU seconds to the verdict.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc as Shared, Mutex};
use std::time::Duration;

/// The programs, for a library with the names of `std`.
macro_rules! programs {
    ($library:ident, $($more:tt)*) => {
        mod $library {
            use ::$library::sync::atomic::{AtomicU32, Ordering::SeqCst};
            use ::$library::sync::{Arc, Mutex};
            use ::$library::thread;

            fn threads(n: u32, body: impl Fn(u32) + Clone + Send + 'static) {
                let start = |i| {
                    let body = body.clone();
                    thread::spawn(move || body(i))
                };
                for handle in (0..n).map(start).collect::<Vec<_>>() {
                    handle.join().unwrap();
                }
            }

            pub(super) fn run(program: &str, n: u32) {
                match program {
                    "atomic increments" => {
                        let x = Arc::new(AtomicU32::new(0));
                        threads(n, move |_| {
                            x.fetch_add(1, SeqCst);
                        });
                    }
                    "increments under a lock" => {
                        let x = Arc::new(Mutex::new(0));
                        threads(n, move |_| *x.lock().unwrap() += 1);
                    }
                    "read-then-write increments" => {
                        let x = Arc::new(AtomicU32::new(0));
                        threads(n, move |_| x.store(x.load(SeqCst) + 1, SeqCst));
                    }
                    "readers and a writer" => {
                        let x = Arc::new(AtomicU32::new(0));
                        threads(n + 1, move |i| match i {
                            0 => x.store(1, SeqCst),
                            _ => assert!(x.load(SeqCst) <= 1),
                        });
                    }
                    "philosophers" => {
                        let forks: Arc<Vec<Mutex<()>>> =
                            Arc::new((0..n).map(|_| Mutex::new(())).collect());
                        threads(n, move |i| {
                            let (a, b) = (i as usize, ((i + 1) % n) as usize);
                            let _first = forks[a.min(b)].lock().unwrap();
                            let _second = forks[a.max(b)].lock().unwrap();
                        });
                    }
                    _ => unreachable!("{program}"),
                }
            }

            /// Programs in which a load that nobody needs must not hide what another thread sees;
            /// what was seen.
            pub(super) fn seen(program: &str) -> (u32, u32) {
                match program {
                    "a load by the writer" => {
                        let slot = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
                        let owner = slot.clone();
                        let owner = thread::spawn(move || {
                            owner.0.store(7, SeqCst);
                            owner.1.store(1, SeqCst);
                            owner.1.store(0, SeqCst);
                            owner.0.load(SeqCst);
                            owner.0.store(0, SeqCst);
                        });
                        let look = move || (slot.1.load(SeqCst), slot.0.load(SeqCst));
                        let reader = thread::spawn(look);
                        owner.join().unwrap();
                        reader.join().unwrap()
                    }
                    "a load at the beginning" => {
                        let x = Arc::new(AtomicU32::new(0));
                        let y = x.clone();
                        let writer = thread::spawn(move || {
                            let before = y.load(SeqCst);
                            y.store(1, SeqCst);
                            before
                        });
                        let seen = x.load(SeqCst);
                        (writer.join().unwrap(), seen)
                    }
                    _ => unreachable!("{program}"),
                }
            }
            $($more)*
        }
    };
}

programs!(ample_threads,);
programs!(loom,);
programs!(shuttle,);

/// CPU seconds of this process.
fn cpu() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is valid for the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

const ITERATIONS: usize = 1_000_000;
const LIMIT: Duration = Duration::from_secs(20);

/// Executions, CPU seconds, and whether all were explored. Repeated for at least a quarter of a
/// second.
fn measure(explore: impl Fn(Shared<AtomicU64>) -> bool) -> (u64, f64, bool) {
    let begin = cpu();
    let mut rounds = 0;
    loop {
        let count = Shared::new(AtomicU64::new(0));
        let complete = explore(count.clone());
        rounds += 1;
        let spent = cpu() - begin;
        if spent > 0.25 {
            return (count.load(Relaxed), spent / f64::from(rounds), complete);
        }
    }
}

fn ample_explores(program: &'static str, n: u32, count: Shared<AtomicU64>) -> bool {
    let report = ample_threads_explore(move || {
        count.fetch_add(1, Relaxed);
        ample_threads::run(program, n);
    });
    assert!(report.complete && report.blocked == 0 && report.findings.is_empty());
    true
}

use ::ample_threads::explore as ample_threads_explore;

fn loom_explores(program: &'static str, n: u32, count: Shared<AtomicU64>) -> bool {
    let begin = std::time::Instant::now();
    let mut builder = ::loom::model::Builder::new();
    builder.max_duration = Some(LIMIT);
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        loom::run(program, n);
    });
    begin.elapsed() < LIMIT
}

fn shuttle_explores(program: &'static str, n: u32, count: Shared<AtomicU64>) -> bool {
    let inner = count.clone();
    ::shuttle::check_dfs(
        move || {
            inner.fetch_add(1, Relaxed);
            shuttle::run(program, n);
        },
        Some(ITERATIONS),
    );
    count.load(Relaxed) < ITERATIONS as u64
}

/// One measurement in this process: `tool program n`. Each has a process of its own: shuttle and
/// loom leave panic hooks behind.
fn measure_one(tool: &str, program: &'static str, n: u32) {
    let (executions, seconds, complete) = match tool {
        "ample" => measure(|count| ample_explores(program, n, count)),
        "loom" => measure(|count| loom_explores(program, n, count)),
        _ => measure(|count| shuttle_explores(program, n, count)),
    };
    println!("{executions} {seconds} {complete}");
}

type Outcomes = Shared<Mutex<BTreeSet<(u32, u32)>>>;

/// How many different outcomes each tool sees of a program: `ample`, `loom`, `shuttle`.
fn outcomes(program: &'static str) -> [usize; 3] {
    let sets: [Outcomes; 3] = Default::default();
    let [ample, for_loom, for_shuttle] = sets.clone();
    let insert = |set: &Outcomes, outcome| {
        set.lock().expect("unpoisoned").insert(outcome);
    };
    ample_threads_explore(move || insert(&ample, ample_threads::seen(program)));
    ::loom::model(move || insert(&for_loom, loom::seen(program)));
    ::shuttle::check_dfs(move || insert(&for_shuttle, shuttle::seen(program)), None);
    sets.map(|set| set.lock().expect("unpoisoned").len())
}

fn in_a_process(tool: &str, program: &str, n: u32) -> (u64, f64, bool) {
    let this = std::env::current_exe().expect("the program knows its path");
    let output = std::process::Command::new(this)
        .args([tool, program, &n.to_string()])
        .stderr(std::process::Stdio::null())
        .output()
        .expect("the program can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_default();
    let words: Vec<&str> = line.split(' ').collect();
    let [executions, seconds, complete] = words[..] else {
        panic!("{tool} {program} {n}: {line}");
    };
    let number = |text: &str| text.parse::<f64>().expect("a number");
    (
        number(executions) as u64,
        number(seconds),
        complete == "true",
    )
}

const PROGRAMS: [(&str, u32); 9] = [
    ("atomic increments", 3),
    ("atomic increments", 4),
    ("increments under a lock", 3),
    ("increments under a lock", 4),
    ("read-then-write increments", 2),
    ("read-then-write increments", 3),
    ("read-then-write increments", 4),
    ("readers and a writer", 3),
    ("philosophers", 3),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, tool, program, n] = &arguments[..] {
        let known = PROGRAMS.iter().find(|(name, _)| name == program);
        let (name, _) = known.expect("the program is known");
        return measure_one(tool, name, n.parse().expect("a number"));
    }
    println!("| outcomes seen of | ample-threads | loom 0.7.2 | shuttle 0.9.9 |");
    println!("| --- | ---: | ---: | ---: |");
    for program in ["a load by the writer", "a load at the beginning"] {
        let [ample, loom, shuttle] = outcomes(program);
        println!("| {program} | {ample} | {loom} | {shuttle} |");
    }
    println!();
    println!(
        "| program | ample-threads | loom 0.7.2 | shuttle 0.9.9 | executions/s: ample ÷ loom, ÷ shuttle |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (program, n) in PROGRAMS {
        let results = ["ample", "loom", "shuttle"].map(|tool| in_a_process(tool, program, n));
        let rate = |(executions, seconds, _): (u64, f64, bool)| executions as f64 / seconds;
        let cell = |result: (u64, f64, bool)| {
            let more = if result.2 { "" } else { "+" };
            format!(
                "{}{more}, {:.0}/s, {:.5}{more} s",
                result.0,
                rate(result),
                result.1
            )
        };
        println!(
            "| {program}({n}) | {} | {} | {} | {:.1}, {:.1} |",
            cell(results[0]),
            cell(results[1]),
            cell(results[2]),
            rate(results[0]) / rate(results[1]),
            rate(results[0]) / rate(results[2]),
        );
    }
}

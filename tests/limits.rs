//! Whatever happens, a run ends when it is told to, and reports what it knows.

mod support;

use std::time::{Duration, Instant};
use support::cli::Dir;

/// The inner states of the sequence are not stored, and there are four thousand million of them.
const ENDLESS: &str = "int x; active proctype P() { atomic { do :: x++ od } }";
/// So many states that no test waits for all.
const LARGE: &str =
    "int x, y; active proctype P() { do :: x++ od } active proctype Q() { do :: y++ od }
    ltl p { [] (x != 1234567890) }";

#[test]
fn an_endless_atomic_sequence_honours_limits() {
    let dir = Dir::with_model("limits-atomic", ENDLESS);
    for (options, reason) in [
        ("--time 1s", "time"),
        ("--time 1s --strategy bfs", "time"),
        ("--time 1s --workers 2", "time"),
        ("--store bitstate --memory 16M", "memory"),
        ("--memory 64M", "memory"),
    ] {
        let start = Instant::now();
        let options: Vec<&str> = options.split(' ').collect();
        let args = [&["check", "--check", "safety", "m.pml"], &options[..]].concat();
        let run = dir.ample(&args).exits(3);
        assert!(run.out.starts_with("INCONCLUSIVE"), "{run:?}");
        assert!(run.out.contains(reason), "{run:?}");
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{options:?}: {run:?}"
        );
    }
}

#[test]
fn a_trail_that_cannot_be_written_is_a_warning() {
    let dir = Dir::with_model("limits-trail", "active proctype P() { assert(false) }");
    let run = dir.ample(&["check", "--trail", "no/such/folder/m.trail", "m.pml"]);
    let run = run.exits(1);
    assert!(run.out.starts_with("VIOLATED"), "{run:?}");
    assert!(run.err.contains("cannot write no/such/folder"), "{run:?}");
    assert!(!run.out.contains("replay"), "{run:?}");
}

#[test]
fn signals_that_end_a_process_end_the_search_with_a_report() {
    let dir = Dir::with_model("limits-signals", LARGE);
    let ample = env!("CARGO_BIN_EXE_ample");
    for signal in ["INT", "TERM", "HUP"] {
        // A shell starts background processes with SIGINT ignored, unless each has its own group.
        let script = format!(
            "set -m; '{ample}' check --memory 512M m.pml >out & pid=$!; sleep 1; kill -{signal} $pid; wait $pid; echo $?"
        );
        let run = dir.shell(&script);
        assert_eq!(
            run.out.trim().lines().last(),
            Some("3"),
            "{signal}: {run:?}"
        );
        let report = dir.read("out");
        assert!(report.starts_with("INCONCLUSIVE"), "{signal}: {report}");
        assert!(report.contains("interrupted"), "{signal}: {report}");
    }
}

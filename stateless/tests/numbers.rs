//! Exact numbers of traces and transitions: what the literature says, and what follows from the
//! definitions.

use ample_stateless::program::{Program, Running, known};
use ample_stateless::{Algorithm, FindingKind, Options, Report, explore, explore_in_parallel};

fn run(program: Program, algorithm: Algorithm) -> Report {
    let options = Options {
        algorithm,
        findings: usize::MAX,
        ..Options::default()
    };
    let report = explore(&mut Running::new(program), &options, |_, _| {});
    assert!(report.complete, "{report}");
    report
}

/// Executions of the optimal search, of which none may be blocked.
fn traces(program: Program) -> u64 {
    let report = run(program, Algorithm::Optimal);
    assert_eq!(report.blocked, 0);
    report.executions
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

#[test]
fn dining_philosophers_of_the_verisoft_paper() {
    // The numbers of a classical search, which visits each transition of the state space once.
    for (n, stateless, classical, optimal) in
        [(2, 18, 18, 3), (3, 1_680, 123, 7), (4, 386_816, 708, 15)]
    {
        let plain = run(known::philosophers(n), Algorithm::Enumerate);
        assert_eq!(plain.transitions, stateless, "{n}");
        let reduced = run(known::philosophers(n), Algorithm::Persistent);
        assert!(
            reduced.transitions < classical,
            "{n}: {}",
            reduced.transitions
        );
        assert_eq!(traces(known::philosophers(n)), optimal, "{n}");
        for report in [plain, reduced] {
            assert_eq!(report.findings.len(), 1, "{n}");
            assert_eq!(report.findings[0].kind, FindingKind::Deadlock);
        }
    }
    assert_eq!(traces(known::philosophers(10)), 1023);
}

#[test]
fn readers_and_a_writer() {
    for n in 1..=10 {
        assert_eq!(traces(known::readers(n)), 1 << n);
    }
}

#[test]
fn last_zero() {
    for n in 2..=9 {
        assert_eq!(traces(known::last_zero(n)), (n as u64 + 3) << (n - 2));
    }
}

#[test]
fn indexer() {
    assert_eq!(traces(known::indexer(11)), 1);
    assert_eq!(traces(known::indexer(12)), 8);
    assert_eq!(traces(known::indexer(13)), 64);
}

#[test]
fn increments() {
    for n in 1..=6 {
        let traces_of = |program: fn(usize) -> Program| traces(program(n));
        assert_eq!(traces_of(known::increments), factorial(n as u64));
        assert_eq!(traces_of(known::locked_increments), factorial(n as u64));
        if n <= 4 {
            assert_eq!(
                traces_of(known::torn_increments),
                factorial(n as u64).pow(2)
            );
        }
    }
}

#[test]
fn compare_and_exchange_in_rotation() {
    for (n, expected) in (2..).zip([2, 5, 14, 43, 144, 523]) {
        assert_eq!(traces(known::cas_rotation(n)), expected, "{n}");
    }
}

#[test]
fn workers_together_execute_as_many() {
    for (program, expected) in [
        (known::last_zero(9), 12 << 7),
        (known::torn_increments(4), factorial(4).pow(2)),
        (known::cas_rotation(7), 523),
        (known::indexer(13), 64),
        (known::locked_increments(6), factorial(6)),
    ] {
        let system = || Box::new(Running::new(program.clone()));
        for workers in [1, 2, 5] {
            let options = Options {
                hands_over_always: true,
                ..Options::default()
            };
            let report = explore_in_parallel(workers, system, &options, |_, _| {});
            assert!(report.complete && report.blocked == 0, "{report}");
            assert_eq!((report.executions, report.workers), (expected, workers));
        }
    }
}

/// The largest instances, for release builds: `cargo test --release -p ample-stateless --test
/// numbers -- --ignored`.
#[test]
#[ignore = "takes a minute in a debug build"]
fn large_instances() {
    assert_eq!(traces(known::readers(13)), 1 << 13);
    assert_eq!(traces(known::last_zero(15)), 147_456);
    assert_eq!(traces(known::indexer(15)), 4_096);
    assert_eq!(traces(known::cas_rotation(8)), 2_048);
    assert_eq!(traces(known::increments(8)), factorial(8));
    assert_eq!(traces(known::locked_increments(8)), factorial(8));
    assert_eq!(traces(known::torn_increments(5)), factorial(5).pow(2));
}

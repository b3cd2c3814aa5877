//! Explorations in several sittings make the executions that one would have made.

use ample_stateless::program::{Program, Running, known, random};
use ample_stateless::{Algorithm, BadCheckpoint, Checkpoint, Options, Report, Verdict, explore};
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

/// A file of its own for each test, which nobody has written yet.
fn file(name: &str) -> PathBuf {
    let name = format!("ample-{}-{name}.checkpoint", std::process::id());
    std::env::temp_dir().join(name)
}

fn often(path: &PathBuf) -> Checkpoint {
    Checkpoint::new(path, Duration::ZERO, "the test")
}

/// Explores in sittings of so many executions; all traces, and the last report.
fn in_sittings(
    program: &Program,
    algorithm: Algorithm,
    most: u64,
    path: &PathBuf,
) -> (Vec<Vec<u32>>, Report) {
    let mut traces = Vec::new();
    let mut sittings = 0;
    loop {
        let checkpoint = match sittings {
            0 => often(path),
            _ => often(path).resume().expect("it was written"),
        };
        sittings += 1;
        let options = Options {
            algorithm,
            findings: usize::MAX,
            explain: false,
            executions: Some(most * sittings),
            checkpoint: Some(checkpoint),
            ..Options::default()
        };
        let mut running = Running::new(program.clone());
        let report = explore(&mut running, &options, |_, trace| {
            traces.push(trace.canonical());
        });
        assert_eq!(report.unsaved, None);
        if report.complete {
            return (traces, report);
        }
    }
}

#[test]
fn sittings_make_the_executions_of_one_exploration() {
    let path = file("random");
    let mut several = 0;
    for seed in 0..400 {
        let program = random::program(seed, 5 + (seed % 3) as usize);
        for algorithm in [Algorithm::Optimal, Algorithm::Bounded(2)] {
            let options = Options {
                algorithm,
                findings: usize::MAX,
                explain: false,
                executions: Some(300),
                ..Options::default()
            };
            let mut at_once = Vec::new();
            let report = explore(&mut Running::new(program.clone()), &options, |_, trace| {
                at_once.push(trace.canonical());
            });
            if !report.complete {
                continue;
            }
            let (traces, last) = in_sittings(&program, algorithm, 1 + seed % 5, &path);
            assert_eq!(traces, at_once, "{seed}");
            assert_eq!(last.executions, report.executions, "{seed}");
            assert_eq!(last.transitions, report.transitions, "{seed}");
            assert_eq!(last.findings, report.findings, "{seed}");
            assert_eq!(last.verdict(), report.verdict(), "{seed}");
            assert!(!path.exists(), "nothing is left to do");
            several += u64::from(traces.len() > 5);
        }
    }
    assert!(several > 100, "{several}");
}

/// Whoever is killed goes on from the last file, which is always complete.
#[test]
fn what_is_lost_is_what_came_after_the_last_file() {
    let path = file("killed");
    let options = |executions, checkpoint| Options {
        executions,
        checkpoint: Some(checkpoint),
        ..Options::default()
    };
    let mut copies = Vec::new();
    let mut seen = 0;
    explore(
        &mut Running::new(known::locked_increments(4)),
        &options(Some(15), often(&path)),
        |_, _| {
            seen += 1;
            copies.extend(std::fs::read(&path).ok().map(|copy| (seen, copy)));
        },
    );
    assert!(copies.len() > 10);
    for (seen, copy) in copies {
        std::fs::write(&path, copy).unwrap();
        let checkpoint = often(&path).resume().unwrap();
        let mut rest = HashSet::new();
        let report = explore(
            &mut Running::new(known::locked_increments(4)),
            &options(None, checkpoint),
            |_, trace| rest.extend([trace.canonical()]),
        );
        // The file that an execution finds was written before it began.
        assert_eq!(rest.len() as u64, 24 - (seen - 1));
        assert_eq!((report.executions, report.blocked), (24, 0));
        assert_eq!(report.verdict(), Verdict::Holds);
    }
}

#[test]
fn other_and_damaged_files_are_refused() {
    let path = file("refused");
    let missing = often(&path).resume();
    assert!(matches!(missing, Err(BadCheckpoint::Unreadable(_))));
    let options = Options {
        executions: Some(3),
        checkpoint: Some(often(&path)),
        ..Options::default()
    };
    explore(
        &mut Running::new(known::philosophers(3)),
        &options,
        |_, _| {},
    );
    let whole = std::fs::read(&path).unwrap();
    let other = Checkpoint::new(&path, Duration::ZERO, "something else").resume();
    assert!(matches!(other, Err(BadCheckpoint::Other(..))));
    assert!(often(&path).resume().is_ok());
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let cut = often(&path).resume();
        assert!(matches!(cut, Err(BadCheckpoint::Damaged)), "{length}");
    }
    for place in (0..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        std::fs::write(&path, changed).unwrap();
        let changed = often(&path).resume();
        assert!(matches!(changed, Err(BadCheckpoint::Damaged)), "{place}");
    }
    std::fs::remove_file(&path).unwrap();
}

/// Another search has nothing that could be written, and says so.
#[test]
fn searches_that_cannot_go_on_say_so() {
    let path = file("enumerate");
    let options = Options {
        algorithm: Algorithm::Enumerate,
        checkpoint: Some(often(&path)),
        ..Options::default()
    };
    let report = explore(&mut Running::new(known::readers(2)), &options, |_, _| {});
    assert!(report.unsaved.is_some() && !path.exists());
}

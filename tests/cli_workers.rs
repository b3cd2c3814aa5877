//! `--workers`: models large enough for several workers to join, from words on the command line to exit code and trail.

mod support;

use serde_json::Value;
use support::cli::{Dir, Run};

/// Three counters that run on and start again; the one who sees all at their end may report it.
const COUNTERS: &str = "
    byte at[3], done, seen;
    active [3] proctype Counter() {
        do
        :: at[_pid] < 13 -> at[_pid]++
        :: at[_pid] == 13 -> at[_pid] = 0
        :: done == 0 && at[0] == 13 && at[1] == 13 && at[2] == 13 -> done = 1; seen = _pid; assert(seen < LIMIT)
        od
    }
    ltl again { [] (at[0] == 13 -> <> (at[0] == 0)) }
    ltl low { [] (seen < 3) }
    ltl unseen { [] (done == 0) }
    ltl often { ([] <> (at[1] == 0)) -> ([] <> (at[1] == 7)) }";

fn check(dir: &Dir, limit: u32, workers: u32, more: &str) -> Run {
    let words = format!("check m.pml -DLIMIT={limit} --workers {workers} --format json {more}");
    dir.ample(&words.split_whitespace().collect::<Vec<_>>())
}

fn first(run: &Run) -> Value {
    run.json()["results"][0].clone()
}

#[test]
fn as_many_states_by_however_many() {
    let dir = Dir::with_model("workers_states", COUNTERS);
    for store in ["", "--store compressed"] {
        let alone = first(&check(&dir, 3, 1, &format!("--plain --check safety {store}")).exits(0));
        assert_eq!(alone["search"]["workers"], 1);
        assert!(
            alone["states"].as_u64() > Some(20_000),
            "{}",
            alone["states"]
        );
        for workers in [2, 4] {
            let options = format!("--plain --check safety {store}");
            let together = first(&check(&dir, 3, workers, &options).exits(0));
            assert_eq!(together["search"]["workers"], workers);
            for figure in ["verdict", "states", "matched", "transitions", "coverage"] {
                assert_eq!(
                    together[figure], alone[figure],
                    "{figure}, {workers} {store}"
                );
            }
        }
    }
}

#[test]
fn the_same_verdicts_by_however_many() {
    let dir = Dir::with_model("workers_verdicts", COUNTERS);
    for options in [
        "--plain",
        "--reduction none",
        "",
        "--store compressed",
        "--classic-product --plain",
    ] {
        let verdicts = |workers| {
            let run = check(&dir, 3, workers, &format!("{options} --no-trail"));
            let results = run.json()["results"].clone();
            let results = results.as_array().expect("results").clone();
            let verdict = |r: &Value| (r["property"].to_string(), r["verdict"].to_string());
            results.iter().map(verdict).collect::<Vec<_>>()
        };
        let alone = verdicts(1);
        assert!(alone.iter().any(|v| v.1.contains("violated")), "{alone:?}");
        assert!(alone.iter().any(|v| v.1.contains("holds")), "{alone:?}");
        for workers in [2, 3] {
            assert_eq!(verdicts(workers), alone, "{workers} {options}");
        }
    }
}

/// What several workers find is executed again before it is reported, and can be replayed from its trail.
#[test]
fn what_several_find_can_be_replayed() {
    let dir = Dir::with_model("workers_replay", COUNTERS);
    for (workers, options) in [(2, "--check safety --plain"), (4, "--claim unseen --plain")] {
        check(&dir, 2, workers, options).exits(1);
        let trail = match options.contains("unseen") {
            true => "m.pml.unseen.trail.json",
            false => "m.pml.trail.json",
        };
        dir.ample(&["replay", "m.pml", trail, "-DLIMIT=2"]).exits(1);
    }
}

#[test]
fn limits_stop_all() {
    let dir = Dir::with_model("workers_limits", COUNTERS);
    for (limit, word) in [
        ("--states 15000", "limit of 15000 states"),
        ("--memory 400K", "memory limit"),
        ("--depth 12", "paths longer than 12"),
    ] {
        for what in ["--check safety", "--claim low"] {
            let run = check(&dir, 3, 2, &format!("--plain {what} {limit}")).exits(3);
            let reason = first(&run)["reason"].to_string();
            assert!(reason.contains(word), "{limit} {what}: {reason}");
        }
    }
}

#[test]
fn numbers_of_workers_are_checked() {
    let dir = Dir::with_model("workers_numbers", COUNTERS);
    check(&dir, 3, 0, "").exits(2);
    check(&dir, 3, 1000, "").exits(2);
}

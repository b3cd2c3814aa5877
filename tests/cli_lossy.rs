//! `--store`, `--accept-probabilistic` and `--swarm`, from words on the command line to exit code and text.

mod support;

use std::path::Path;
use support::cli::{Dir, Run};

const COUNTER: &str = "byte x; active [2] proctype P() { do :: x < 90 -> x++ :: x > 9 -> x = 0 od }
    ltl low { [] (x <= 91) }";
const VIOLATED: &str = "byte x; active [2] proctype P() { x++; assert(x == 1) }
    ltl zero { [] (x == 0) }";

fn ample(dir: &Dir, words: &str) -> Run {
    dir.ample(&words.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn exit_codes_and_verdicts() {
    for (index, (model, options, exit, words)) in [
        (
            COUNTER,
            "--store compact",
            3,
            &[
                "INCONCLUSIVE  m.pml: 2 of 2 goals inconclusive",
                "hash-compact store; the store is lossy",
            ][..],
        ),
        (
            COUNTER,
            "--store exact",
            0,
            &["HOLDS  m.pml: all 2 goals hold", "safety  holds"],
        ),
        (
            COUNTER,
            "--store compact --accept-probabilistic",
            0,
            &[
                "PROBABLY HOLDS  m.pml: 2 of 2 goals only probable",
                "; with probability 1 - ",
                "this is no proof",
                "hash-compact store",
                "probability that some state was left out: ",
            ],
        ),
        (
            COUNTER,
            "--store bitstate --hash-functions 2 --memory 1M",
            3,
            &[
                "2 bits per state, hash factor ",
                "expected coverage ",
                "bitstate store",
            ],
        ),
        (
            COUNTER,
            "--store compact --accept-probabilistic --states 50",
            3,
            &["limit of 50 states reached"],
        ),
        (
            COUNTER,
            "--swarm 5 --memory 4M",
            3,
            &["5 of 5 searches; about ", "safety  inconclusive"],
        ),
        (
            VIOLATED,
            "--store compact",
            1,
            &["safety  VIOLATED", "zero    VIOLATED"],
        ),
        (
            VIOLATED,
            "--store bitstate --memory 1M",
            1,
            &["safety  VIOLATED", "zero    VIOLATED"],
        ),
        (
            VIOLATED,
            "--swarm 4 --seed 3 --memory 4M",
            1,
            &["search 0 found the violation", "1 of 4 searches"],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = Dir::with_model(&format!("lossy-{index}"), model);
        let run = ample(&dir, &format!("check m.pml {options}")).exits(exit);
        for word in words {
            assert!(run.out.contains(word), "{options}: {word:?} in {}", run.out);
        }
    }
}

/// How many searched is said: all in a search for safety without a reduction, else one; a swarm has that many threads.
#[test]
fn workers_are_told() {
    for (index, (options, workers)) in [
        ("--store compact --plain", [3, 1]),
        ("--store bitstate --memory 1M --reduction none", [3, 1]),
        ("--swarm 5 --memory 4M", [3, 3]),
        ("--swarm 2 --memory 4M", [2, 2]),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = Dir::with_model(&format!("lossy-workers-{index}"), COUNTER);
        let words = format!("check m.pml --workers 3 --format json {options}");
        let run = ample(&dir, &words).exits(3);
        let report = run.json();
        let told = [0, 1].map(|i| report["results"][i]["search"]["workers"].as_u64());
        assert_eq!(told, workers.map(Some), "{options}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let dir = Dir::with_model("lossy-refused", COUNTER);
    for (options, word) in [
        ("--store compact --strategy bfs", "depth first"),
        ("--store bitstate --shortest", "depth first"),
        (
            "--store compact --fairness strong --claim low",
            "strong fairness and F look at the components",
        ),
        ("--store compact --workers 2", "has one worker"),
        ("--hash-functions 2", "only a bitstate store"),
        ("--store compact --spill .", "only the compressed store"),
        ("--accept-probabilistic", "leaves out nothing"),
        ("--swarm 2 --store compact", "a swarm has bitstate stores"),
        ("--seed 3", "--swarm"),
        ("--hash-functions 0", "hash-functions"),
    ] {
        let run = ample(&dir, &format!("check m.pml {options}")).exits(2);
        assert!(run.err.contains(word), "{options}: {}", run.err);
    }
}

/// Fingerprints of 64 bits lose nothing on models of this size, and a search says what it lost.
#[test]
fn the_examples_have_as_many_states_with_fingerprints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let dir = Dir::new("lossy-examples");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("examples").flatten() {
        let path = entry.path().display().to_string();
        // Too large for a debug build.
        if !path.ends_with(".pml") || path.ends_with("pftp.pml") {
            continue;
        }
        let figures = |store: &str| {
            let words =
                "--plain --check safety --all-errors --no-trail --no-warnings --format json";
            let run = ample(&dir, &format!("check {path} --store {store} {words}"));
            let result = run.json()["results"][0].clone();
            let loss = result["search"]["loss"]["omission_probability"].as_f64();
            assert_eq!(loss.is_some(), store == "compact", "{path}");
            assert!(loss.unwrap_or_default() < 1e-6, "{path}");
            ["states", "matched", "atomic_steps", "errors"].map(|name| result[name].clone())
        };
        assert_eq!(figures("compact"), figures("exact"), "{path}");
        compared += 1;
    }
    assert!(compared >= 15);
}

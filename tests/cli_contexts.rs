//! `ample check --contexts K NET.pds`, from words on the command line to exit code and text.

mod support;

use std::path::Path;
use support::cli::{Dir, Run};

/// A folder with the shipped networks.
fn networks() -> Dir {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pushdown/examples/networks");
    Dir::copy_of(&folder.join("race.pds"))
}

fn ample(dir: &Dir, words: &str) -> Run {
    dir.ample(&words.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn a_violation_is_a_run_with_lines_and_stacks() {
    let run = ample(&networks(), "check --contexts 5 race.pds").exits(1);
    assert!(
        run.out
            .starts_with("VIOLATED  race.pds: a target is reachable with 3 contexts\n"),
        "{run:?}"
    );
    for line in [
        "    start: 1|1,1\n",
        "  context 1: thread ",
        "  context 3: thread ",
        "    line 8: 2|3,3\n",
    ] {
        assert!(run.out.contains(line), "{line:?} {run:?}");
    }
    // Each number of contexts is told as it is finished.
    assert!(
        run.err.contains("1 contexts explored") && run.err.contains("2 contexts explored"),
        "{run:?}"
    );
    // One context less is no violation, and says that it is bounded.
    let run = ample(&networks(), "check --contexts 2 race.pds").exits(3);
    assert!(
        run.out.contains("INCONCLUSIVE") && run.out.contains("within 2 contexts (--contexts 2)"),
        "{run:?}"
    );
}

#[test]
fn only_convergence_says_holds() {
    let run = ample(&networks(), "check --contexts 20 lock.pds").exits(0);
    assert!(
        run.out
            .starts_with("HOLDS  lock.pds: the target cannot be reached with any number"),
        "{run:?}"
    );
    assert!(run.out.contains("converged after"), "{run:?}");
    let run = ample(&networks(), "check --contexts 20 depth.pds").exits(0);
    assert!(run.out.contains("HOLDS"), "{run:?}");
    let run = ample(&networks(), "check --contexts 8 counter.pds").exits(3);
    assert!(run.out.contains("no convergence: generator"), "{run:?}");
}

#[test]
fn limits_are_named() {
    let run = ample(&networks(), "check --contexts 5 --time 0s counter.pds").exits(3);
    assert!(run.out.contains("the time limit was reached"), "{run:?}");
    for engine in ["explicit", "symbolic"] {
        let words = format!("check --contexts 9 --engine {engine} --memory 4K counter.pds");
        let run = ample(&networks(), &words).exits(3);
        assert!(run.out.contains("limit"), "{run:?}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let dir = networks();
    dir.put("bad.pds", "2\nPDA 1 2\n0 1 -> 2 1\n");
    dir.put("bad.init", "0|1\n");
    dir.put("alone.pds", "2\nPDA 1 2\n0 1 -> 1 1\n");
    dir.put("m.pml", "init { skip }");
    for (words, part) in [
        (
            "check --contexts 3 bad.pds",
            "bad.pds:3:8: shared state 2 is not below 2",
        ),
        ("check --contexts 3 alone.pds", "initial configuration"),
        ("check --contexts 3 nowhere.pds", "cannot read nowhere.pds"),
        ("check race.pds", "add --contexts K"),
        (
            "check --contexts 3 --splitting lazy race.pds",
            "add --engine symbolic",
        ),
        (
            "check --engine explicit m.pml",
            "--engine: it is for a bound on contexts",
        ),
        ("check --contexts 3 --store bitstate m.pml", "--store"),
        (
            "check --contexts 3 --engine explicit --bits 4 m.pml",
            "--bits",
        ),
        ("check --contexts 3 --strategy bfs m.pml", "--strategy"),
        ("check --contexts 0 race.pds", "0"),
        ("check --contexts 3 --strategy bfs race.pds", "--strategy"),
        ("check --contexts 3 --depth 9 race.pds", "--depth"),
        ("check --contexts 3 --format sarif race.pds", "--format"),
        ("bench --contexts sieve", "--contexts"),
        ("bench --contexts --format csv", "--format"),
    ] {
        let run = ample(&dir, words).exits(2);
        assert!(run.err.contains(part), "{words}: {run:?}");
    }
    // Without targets nothing is promised about any.
    dir.put("alone.init", "0|1\n");
    let run = ample(&dir, "check --contexts 3 alone.pds").exits(0);
    assert!(
        run.err.contains("warning: there is no alone.spec")
            && run.out.contains("no target is given"),
        "{run:?}"
    );
}

#[test]
fn the_symbolic_engine_says_the_same_of_networks() {
    let words = "check --engine symbolic --contexts";
    let run = ample(&networks(), &format!("{words} 5 race.pds")).exits(1);
    assert!(
        run.out
            .starts_with("VIOLATED  race.pds: a target is reachable with 3 contexts\n"),
        "{run:?}"
    );
    ample(&networks(), &format!("{words} 2 race.pds")).exits(3);
    ample(
        &networks(),
        &format!("{words} 20 --splitting eager lock.pds"),
    )
    .exits(0);
}

/// A lock that is taken in two steps: wrong with three contexts.
const LOCK: &str = "bit taken; byte inside;
active [2] proctype P() { taken == 0; taken = 1; inside++; assert(inside == 1); inside--; taken = 0 }";

#[test]
fn models_fail_with_the_smallest_number_of_contexts() {
    let dir = Dir::new("contexts_1");
    dir.put("lock.pml", LOCK);
    for engine in ["symbolic", "explicit"] {
        let words = format!("check --no-trail --engine {engine} --contexts");
        let run = ample(&dir, &format!("{words} 3 lock.pml")).exits(1);
        assert!(run.out.contains("assertion violated"), "{run:?}");
        let run = ample(&dir, &format!("{words} 2 lock.pml")).exits(3);
        assert!(
            run.out.contains("nothing goes wrong within 2 contexts"),
            "{run:?}"
        );
    }
    let run = ample(&dir, "check --no-trail --contexts 9 --format json lock.pml").exits(1);
    let result = &run.json()["results"][0];
    assert_eq!(result["contexts"]["finished"], 2, "{result}");
    assert!(run.err.contains("2 contexts explored"), "{run:?}");
}

#[test]
fn a_model_whose_lock_is_right_holds_with_any_number() {
    let dir = Dir::new("contexts_2");
    dir.put(
        "lock.pml",
        &LOCK.replace(
            "taken == 0; taken = 1;",
            "atomic { taken == 0; taken = 1 };",
        ),
    );
    let run = ample(&dir, "check --contexts 20 lock.pml").exits(0);
    assert!(run.out.contains("invalid end states"), "{run:?}");
    // Runs that need more bits are left out: nothing holds then.
    dir.put(
        "many.pml",
        "int x; active proctype P() { do :: x < 100 -> x++ :: else -> break od; assert(x < 200) }",
    );
    ample(&dir, "check --contexts 4 many.pml").exits(0);
    let run = ample(&dir, "check --contexts 4 --bits 5 many.pml").exits(3);
    assert!(run.out.contains("needs more than 5 bits"), "{run:?}");
    dir.put("wait.pml", "active proctype P() { timeout }");
    let run = ample(&dir, "check --contexts 4 wait.pml").exits(3);
    assert!(run.out.contains("timeout (wait.pml:1"), "{run:?}");
}

/// Bluetooth as in Table 2 of the paper, and other examples that need little time: parameters, bound, exit code, and the number
/// of contexts that were finished before the violation.
#[test]
fn the_shipped_examples_fail_with_as_many_contexts_as_they_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let dir = Dir::new("contexts_examples");
    for (model, defines, bound, exit, finished) in [
        ("bluetooth", "-DVERSION=1", 4, 1, 2),
        ("bluetooth", "-DVERSION=2", 5, 3, 5),
        ("bluetooth", "-DVERSION=2 -DADDERS=2", 5, 1, 4),
        ("bluetooth", "-DVERSION=3 -DADDERS=2", 4, 3, 4),
        ("bluetooth", "-DVERSION=3 -DSTOPPERS=2", 5, 1, 3),
        // No depth of calls is enough for the explicit search.
        ("unbounded", "", 4, 0, 2),
        ("unbounded", "-DBROKEN", 4, 1, 0),
        ("lock_manager", "-DFORGETFUL", 2, 1, 0),
    ] {
        let words = format!(
            "check --no-trail --format json --contexts {bound} {defines} {folder}/{model}.pml"
        );
        let run = ample(&dir, &words).exits(exit);
        let result = &run.json()["results"][0];
        assert_eq!(
            result["contexts"]["finished"], finished,
            "{words}: {result}"
        );
    }
    let words = format!("check --contexts 4 --engine explicit --no-trail {folder}/unbounded.pml");
    ample(&dir, &words).exits(3);
}

/// A `provided` clause keeps a process from moving, inside `atomic` too: it loses control.
#[test]
fn provided_clauses_are_translated() {
    let dir = Dir::new("contexts_provided");
    let text =
        "byte turn, x; active proctype P() provided (turn == 0) { atomic { turn = 1; x = 5 } }
        active proctype Q() { assert(x == 0) }
        active proctype R() { turn == 1; turn = 2; assert(x == 5 || x == 0) }";
    dir.put("p.pml", text);
    for engine in ["symbolic", "explicit"] {
        ample(
            &dir,
            &format!("check --no-trail --contexts 6 --engine {engine} p.pml"),
        )
        .exits(0);
    }
    dir.put(
        "q.pml",
        &text.replace("turn = 2; assert(x == 5 || x == 0)", "turn = 0; x == 5"),
    );
    for engine in ["symbolic", "explicit"] {
        let words = format!("check --no-trail --contexts 6 --engine {engine} --format json q.pml");
        let run = ample(&dir, &words).exits(1);
        assert!(run.out.contains("assert"), "{run:?}");
    }
}

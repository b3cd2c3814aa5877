//! What a search says it never reached: right on small models, and the same whatever way the model is searched.

mod support;

use promela_random as random;
use serde_json::Value;
use std::path::Path;
use support::cli::{Dir, result};

/// The coverage, if the search was complete.
fn coverage(model: &Path, options: &[&str]) -> Option<Value> {
    let always = ["--check", "safety", "--all-errors", "--states", "60000"];
    let coverage = result(model, &[&always, options].concat())["coverage"].clone();
    (!coverage.is_null()).then_some(coverage)
}

/// Model; then of its first proctype: statements not reached, conditions never true.
const CASES: &[(&str, &[&str], &[&str])] = &[
    ("active proctype P() { byte x; x = 1; x = 2 }", &[], &[]),
    (
        "active proctype P() { byte x; do :: x < 3 -> x++ :: x > 5 -> x = 0; assert(x == 0) od }",
        &["x = 0", "assert((x==0))", "-end-"],
        &["((x>5))"],
    ),
    (
        "active proctype P() { byte x; goto out; x = 1; x = 2; out: x = 3 }",
        &["x = 1", "x = 2"],
        &[],
    ),
    (
        "active proctype P() { byte x; { x > 0; x = 2 } unless { x == 7; x = 1; x = 3 } }",
        &["((x==7))", "x = 2", "x = 1", "x = 3", "-end-"],
        &["((x==7))", "((x>0))"],
    ),
    (
        "proctype P() { byte x; x = 1; skip; x = 2 } init { skip }",
        &["x = 1", "x = 2", "-end-"],
        &[],
    ),
    // The only proctype: what its processes are is not stored.
    (
        "active proctype P(byte n) { if :: n == 0 -> run P(1) :: n == 1 -> n = 3; n = 4 fi }",
        &[],
        &[],
    ),
    (
        "active proctype P() { byte x; x = 4; atomic { x > 1; x--; x > 5; x-- } }",
        &["x = (x-1)", "-end-"],
        &["((x>5))"],
    ),
];

#[test]
fn what_is_not_reached_and_what_is_never_true() {
    for (model, unreached, never) in CASES {
        let path = Dir::new("coverage-cases").put("m.pml", model);
        for options in [&["--plain"][..], &[]] {
            let coverage = coverage(&path, options).expect("a complete search");
            let texts = |name: &str| -> Vec<String> {
                let statements = coverage[0][name].as_array().expect("a list");
                let text = |s: &Value| s["text"].as_str().expect("a text").to_string();
                statements.iter().map(text).collect()
            };
            assert_eq!(texts("unreached"), *unreached, "{model}");
            assert_eq!(texts("never_true"), *never, "{model}");
        }
    }
}

#[test]
fn the_passes_and_the_reduction_reach_every_statement_that_the_plain_search_reaches() {
    let mut compared = 0;
    let dir = Dir::new("coverage-random");
    for seed in 0..60 {
        let path = dir.put("m.pml", &random::swarm(seed).text);
        let Some(plain) = coverage(&path, &["--plain"]) else {
            continue;
        };
        let ways = [
            &[][..],
            &["--strategy", "bfs"],
            &["--reduction", "none"],
            &["--no-slice"],
            &["--no-merge"],
        ];
        for options in ways {
            if let Some(coverage) = coverage(&path, options) {
                assert_eq!(coverage, plain, "seed {seed} with {options:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 150, "hardly anything was compared: {compared}");
}

/// Model, and the lines of the short form. A closing brace is left out exactly where the control-flow graph has no way to it.
const SHORT: &[(&str, &[&str])] = &[
    ("active proctype P() { byte x; x = 1; x = 2 }", &[]),
    ("byte x; active proctype P() { do :: x = 1 - x od }", &[]),
    (
        "byte x; active proctype P() { do :: x = 1 - x :: x > 5 -> break od }",
        &["P  -end-"],
    ),
    (
        "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 :: x > 5 -> x = 1; x = 2 od }",
        &["P  x = 1", "P  x = 2"],
    ),
    (
        "byte x; active proctype P() { again: x = 1 - x; goto again; x = 2 }",
        &["P  x = 2"],
    ),
    (
        "proctype P() { skip } init { skip }",
        &["P: no process of this type is ever started"],
    ),
];

#[test]
fn the_short_form_leaves_out_ends_that_cannot_be_reached() {
    for (number, (model, due)) in SHORT.iter().enumerate() {
        let dir = Dir::with_model(&format!("short-{number}"), model);
        let text = |options: &[&str]| {
            let always = ["check", "--no-trail", "--no-warnings", "m.pml"];
            dir.ample(&[&always, options].concat()).out
        };
        let said = text(&[]);
        let lines = said.lines().skip_while(|l| *l != "never reached:").skip(1);
        let found: Vec<String> = lines.map(|l| l.trim().replace("m.pml:1  ", "")).collect();
        assert_eq!(found, *due, "{model}\n{said}");
        // In full nothing is left out, and the statistics are there.
        let said = text(&["-v"]);
        assert!(said.contains("states, stored"), "{said}");
        assert_eq!(said.contains("-end-"), number != 0, "{said}");
    }
}

//! Files that are written: one trail per violation, whole, in a place of its own, and never over anything else.

mod support;

use serde_json::Value;
use support::cli::{Dir, Run};

const FAILS: &str = "byte x; active proctype P() { x = 1; assert(x == 0) }";
const THREE: &str = "byte x; active proctype P() { x = 1; x = 2; assert(false) } ltl a { [] (x < 1) } ltl b { [] (x < 2) }";

/// The files that a report in JSON says trails are in.
fn named(run: &Run) -> Vec<String> {
    let results = run.json()["results"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let violations = results
        .iter()
        .flat_map(|r| r["violations"].as_array().cloned());
    let files = violations.flatten().map(|v| v["trail_file"].clone());
    files
        .filter_map(|f| f.as_str().map(str::to_owned))
        .collect()
}

#[test]
fn every_violation_has_a_trail_named_after_model_and_property() {
    let dir = Dir::with_model("files-named", THREE);
    let run = dir.ample(&["check", "--format", "json", "m.pml"]).exits(1);
    let expected = [
        "m.pml.trail.json",
        "m.pml.a.trail.json",
        "m.pml.b.trail.json",
    ];
    assert_eq!(named(&run), expected);
    for (file, property) in expected.iter().zip(["safety", "a", "b"]) {
        let trail: Value = serde_json::from_str(&dir.read(file)).expect("JSON");
        assert_eq!(trail["property"], property, "{file}");
        dir.ample(&["replay", "m.pml", file]).exits(1);
        assert!(!dir.read(file.trim_end_matches(".json")).is_empty());
    }
    // The same names again: trails of the same model are written over. The text says where they are, too.
    let run = dir.ample(&["check", "m.pml"]).exits(1);
    for file in expected {
        assert!(
            run.out.contains(&format!("ample replay m.pml {file}\n")),
            "{run:?}"
        );
    }
    let all = dir.shell("ls -A | sort | tr '\\n' ' '").out;
    let pairs = "m.pml m.pml.a.trail m.pml.a.trail.json m.pml.b.trail m.pml.b.trail.json m.pml.trail m.pml.trail.json ";
    assert_eq!(all, pairs, "no temporary file is left");
}

#[test]
fn all_errors_of_a_goal_have_numbers() {
    let model = "byte x; active proctype P() { if :: assert(false) :: assert(x == 1) fi }";
    let dir = Dir::with_model("files-numbers", model);
    let run = dir.ample(&["check", "--all-errors", "--format", "json", "m.pml"]);
    assert_eq!(
        named(&run.exits(1)),
        ["m.pml.trail.json", "m.pml2.trail.json"]
    );
}

#[test]
fn models_of_one_name_keep_their_trails() {
    let dir = Dir::new("files-collide");
    dir.shell("mkdir a b").exits(0);
    dir.put("a/m.pml", FAILS);
    dir.put("b/m.pml", "active proctype Q() { assert(false) }");
    let check = |model: &str| named(&dir.ample(&["check", "--format", "json", model]).exits(1));
    assert_eq!(check("a/m.pml"), ["m.pml.trail.json"]);
    assert_eq!(check("b/m.pml"), ["m.pml2.trail.json"]);
    assert_eq!(check("./a/m.pml"), ["m.pml.trail.json"]);
    dir.ample(&["replay", "a/m.pml", "m.pml.trail.json"])
        .exits(1);
    dir.ample(&["replay", "b/m.pml", "m.pml2.trail.json"])
        .exits(1);
    // An edited model is still the same file: its old trail is of no use.
    dir.put("a/m.pml", &format!("{FAILS} byte more;"));
    assert_eq!(check("a/m.pml"), ["m.pml.trail.json"]);
}

#[test]
fn nothing_but_trails_is_written_over() {
    let dir = Dir::with_model("files-kept", FAILS);
    dir.put("notes", "mine\n");
    dir.put("m.pml.trail", "also mine\n");
    dir.shell("ln -s notes link; mkdir folder").exits(0);
    for file in ["m.pml", "notes", "link", "folder", "/dev/null"] {
        let run = dir.ample(&["check", "--trail", file, "m.pml"]).exits(2);
        assert!(run.err.contains("is no trail"), "{run:?}");
    }
    // The usual name is taken, so there is another.
    let run = dir.ample(&["check", "--format", "json", "m.pml"]).exits(1);
    assert_eq!(named(&run), ["m.pml2.trail.json"]);
    // Links are not followed.
    dir.shell("rm m.pml2.trail* && ln -s notes m.pml2.trail")
        .exits(0);
    let run = dir.ample(&["check", "--format", "json", "m.pml"]).exits(1);
    assert_eq!(named(&run), ["m.pml3.trail.json"]);
    assert_eq!(dir.read("m.pml"), FAILS);
    assert_eq!(dir.read("notes"), "mine\n");
    assert_eq!(dir.read("m.pml.trail"), "also mine\n");
    // What is asked for may be written over if it is a trail, of whatever model.
    dir.put("old.trail", "1:0:0\n");
    dir.ample(&["check", "--trail", "old.trail", "m.pml"])
        .exits(1);
    dir.ample(&["replay", "m.pml", "old.trail.json"]).exits(1);
    dir.put("chart", "mine\n");
    let run = dir.ample(&["bench", "m.pml", "--svg", "chart"]).exits(2);
    assert!(run.err.contains("is no chart"), "{run:?}");
}

/// Whoever reads a trail while it is written again sees the old one or the new one.
#[test]
fn trails_appear_as_a_whole() {
    let model =
        "int x; active proctype P() { do :: x < 3000 -> x++ :: x == 3000 -> assert(false) od }";
    let dir = Dir::with_model("files-atomic", model);
    dir.ample(&["check", "m.pml"]).exits(1);
    let ample = env!("CARGO_BIN_EXE_ample");
    let script = format!(
        "(for i in 1 2 3 4 5 6 7 8; do '{ample}' check m.pml >/dev/null; done; touch done) & \
         while [ ! -e done ]; do '{ample}' replay m.pml m.pml.trail.json >/dev/null 2>err || [ $? = 1 ] || {{ cat err; exit 9; }}; done; wait"
    );
    let run = dir.shell(&script).exits(0);
    assert_eq!(run.out, "");
}

#[test]
fn trails_of_a_model_from_standard_input() {
    let dir = Dir::new("files-stdin");
    let run = dir
        .ample_reading(&["check", "--format", "json", "-"], FAILS)
        .exits(1);
    assert_eq!(named(&run), ["stdin.trail.json"]);
    let other = "active proctype Q() { assert(false) }";
    let run = dir
        .ample_reading(&["check", "--format", "json", "-"], other)
        .exits(1);
    assert_eq!(named(&run), ["stdin2.trail.json"]);
    dir.ample_reading(&["replay", "-", "stdin.trail.json"], FAILS)
        .exits(1);
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let dir = Dir::with_model("files-full", "active proctype P() { skip }");
    let ample = env!("CARGO_BIN_EXE_ample");
    for words in [
        "check m.pml",
        "check m.pml --format json",
        "check m.pml --dry-run",
        "explain m.pml",
        "ltl '[] p'",
        "simulate --moves m.pml",
        "--help",
    ] {
        let run = dir.shell(&format!("'{ample}' {words} >/dev/full")).exits(4);
        assert!(
            run.err.contains("cannot write to standard output"),
            "{words}: {run:?}"
        );
    }
    // A reader that has seen enough is no error.
    let model = "active proctype P() { do :: printf(\"a line\\n\") od }";
    dir.put("long.pml", model);
    let run = dir.shell(&format!("'{ample}' simulate long.pml --seed 1 | head -n 1"));
    assert_eq!(run.exits(0).err, "seed 1\n");
    let script =
        format!("(sleep 0.5; '{ample}' check m.pml; echo $? >code) | true; sleep 1; cat code");
    assert_eq!(dir.shell(&script).out, "0\n");
}

//! `ample test`: what models say about themselves, from files to exit code.

mod support;

use serde_json::json;
use support::cli::{Dir, Run};

const HOLDS: &str = "/* expect: safety holds, 4 states\n * expect: model holds */\n\
    byte x; active proctype P() { x = 1; assert(x == 1) }";
const VIOLATED: &str = "// A model that fails.\n// expect: safety violated, assertion\n\
    byte x; active proctype P() { assert(x == 1) }";
const PROPERTY: &str = "/* expect: p violated\n expect-weak: p holds */ bit x, y;\n\
    active proctype P() { do :: x = 1 - x od } active proctype Q() { y = 1 } ltl p { <> (y == 1) }";
const REFUSED: &str = "/* expect: model refused */ active proctype P() { x = }";
const WAITS: &str = "/* expect: safety holds\n * options: --no-end-check -D N=2 */\n\
    chan c = [0] of { byte }; active [N] proctype P() { c!1 }";
const SILENT: &str = "/* Nothing is expected. */ active proctype P() { skip }";
const LARGE: &str = "/* expect: safety holds\n options: --states 50 */\n\
    int x; active proctype P() { do :: x < 100000 -> x++ od }";

fn run(dir: &Dir, options: &str) -> Run {
    dir.ample(
        &[
            &["test"],
            &options.split_whitespace().collect::<Vec<_>>()[..],
        ]
        .concat(),
    )
}

fn folder(name: &str, models: &[(&str, &str)]) -> Dir {
    let dir = Dir::new(name);
    for (name, text) in models {
        dir.put(name, text);
    }
    dir
}

#[test]
fn models_that_are_what_they_say() {
    let models = [
        ("holds.pml", HOLDS),
        ("violated.pml", VIOLATED),
        ("property.prom", PROPERTY),
        ("refused.pml", REFUSED),
        ("waits.pml", WAITS),
        ("silent.pml", SILENT),
        ("not a model.txt", REFUSED),
        (
            ".hidden.pml",
            "/* expect: safety violated */ active proctype P() { skip }",
        ),
    ];
    let dir = folder("suite_passes", &models);
    for jobs in ["", "--jobs 1", "-j 7"] {
        let run = run(&dir, &format!(". {jobs}")).exits(0);
        let summary = "5 passed, 0 failed, 1 skipped: no `expect:` in the first comment; ";
        assert!(run.out.starts_with(summary), "{run:?}");
    }
    let all = run(&dir, ". --verbose").exits(0);
    assert_eq!(all.out.lines().count(), 7, "{all:?}");
    // No trail is left behind, nor anything else.
    assert_eq!(dir.shell("ls | wc -l").out.trim(), "7");
}

#[test]
fn each_difference_is_named() {
    let cases = [
        ("safety violated", "expected violated, but holds"),
        (
            "safety holds, 5 states",
            "expected 5 states in a plain search, but 4",
        ),
        ("nothing holds", "no goal `nothing`; there are: safety"),
        ("model violated", "model: expected violated, but holds"),
        (
            "model refused",
            "expected an error in the model, but it has none",
        ),
        ("safety hold", "`safety hold` is not of the form"),
    ];
    for (number, (expectation, said)) in cases.iter().enumerate() {
        let text = format!(
            "/* expect: {expectation} */ byte x; active proctype P() {{ x = 1; assert(x == 1) }}"
        );
        let dir = folder(&format!("suite_fails_{number}"), &[("m.pml", &text)]);
        let run = run(&dir, "m.pml").exits(1);
        assert!(run.out.contains(said), "{expectation}: {run:?}");
        assert!(run.out.contains("0 passed, 1 failed"), "{run:?}");
    }
    let detail = VIOLATED.replace("assertion", "division");
    let dir = folder("suite_detail", &[("m.pml", &detail)]);
    let said = "safety: expected `division`, but assertion: assertion violated";
    assert!(run(&dir, ".").exits(1).out.contains(said));
    let broken = "/* expect: safety holds */ active proctype P() { x = 1 }";
    let dir = folder("suite_broken", &[("m.pml", broken)]);
    assert!(run(&dir, ".").exits(1).out.contains("error"));
}

#[test]
fn limits_leave_the_suite_undecided() {
    let dir = folder(
        "suite_limits",
        &[("large.pml", LARGE), ("holds.pml", HOLDS)],
    );
    let run = run(&dir, ".").exits(3);
    assert!(
        run.out.contains("expected holds, but inconclusive: "),
        "{run:?}"
    );
    assert!(
        run.out.contains("1 passed, 0 failed, 1 inconclusive"),
        "{run:?}"
    );
}

#[test]
fn nothing_to_check_is_wrong_usage() {
    let dir = folder("suite_nothing", &[("silent.pml", SILENT)]);
    run(&dir, ".").exits(2);
    run(&dir, "nowhere").exits(2);
    std::fs::remove_file(dir.put("silent.pml", "")).unwrap();
    run(&dir, ".").exits(2);
}

#[test]
fn other_programs_read_the_summary() {
    let name = "a<b>&\"c\".pml";
    let failing = "/* expect: safety violated */ active proctype P() { skip }";
    let dir = folder("suite_formats", &[("holds.pml", HOLDS), (name, failing)]);
    let report = run(&dir, ". --format json").exits(1).json();
    assert_eq!(report["passed"], 1);
    assert_eq!(report["models"][0]["model"], json!(format!("./{name}")));
    assert_eq!(report["models"][0]["outcome"], "failed");
    let xml = run(&dir, ". --format junit").exits(1).out;
    assert!(
        xml.contains("name=\"./a&lt;b&gt;&amp;&quot;c&quot;.pml\""),
        "{xml}"
    );
    assert!(
        xml.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""),
        "{xml}"
    );
    assert!(
        xml.contains("<failure message=\"safety: expected violated, but holds\"/>"),
        "{xml}"
    );
}

/// The project's own models, by the command that its users have.
#[test]
fn our_own_models() {
    let folder = format!("{}/tests/models", env!("CARGO_MANIFEST_DIR"));
    let dir = Dir::new("suite_own");
    let report = dir
        .ample(&["test", &folder, "--format", "json"])
        .exits(0)
        .json();
    assert!(report["passed"].as_u64() > Some(400), "{report:#}");
}

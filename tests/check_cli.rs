//! The commands `check` and `replay`, from words on the command line to exit code and text.

mod support;

use std::path::PathBuf;
use std::process::Output;

/// A directory of its own for a test, with a model in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, model: &str) -> Place {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a directory for the test");
        std::fs::write(dir.join("m.pml"), model).expect("the model is written");
        Place(dir)
    }

    fn ample(&self, words: &str) -> Output {
        let words: Vec<&str> = words.split_whitespace().collect();
        support::cli::ample(&self.0, &words, "")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const HOLDS: &str = "byte x; active proctype P() { x = 1; assert(x == 1) }";
const VIOLATED: &str = "byte x; active [2] proctype P() { x++; assert(x == 1) }";
const DEADLOCK: &str =
    "chan c = [0] of { byte }; active proctype P() { c!1 } active proctype Q() { c!2 }";
const WAITING: &str = "chan c = [0] of { byte }; active proctype P() { end: c!1 }";
const COUNTER: &str = "int x; active proctype P() { do :: x < 100000 -> x++ od }";
const DIVISION: &str = "byte x; active proctype P() { x = 10 / x }";
const GUARD: &str = "byte x; active proctype P() { if :: 10 / x > 1 -> skip fi }";
const BROKEN: &str = "active proctype P() { x = 1 }";
const ROUND: &str = "byte x; active proctype P() { atomic { do :: x = 1 - x od } }";
/// Behind the failed assertion lies an invalid end state.
const BOTH: &str = "byte x; active proctype P() { assert(x == 1); x == 1 }";

#[test]
fn exit_codes_first_lines_and_reasons() {
    for (index, (model, options, exit, reason)) in [
        (HOLDS, "", 0, "4 states"),
        (HOLDS, "--strategy bfs", 0, "holds"),
        (VIOLATED, "", 1, "assertion violated"),
        (VIOLATED, "--strategy bfs", 1, "VIOLATED"),
        (VIOLATED, "--strategy strict-dfs", 1, "VIOLATED"),
        (DEADLOCK, "", 1, "invalid end state"),
        (DEADLOCK, "--no-end-check", 0, "holds"),
        (WAITING, "", 0, "holds"),
        (DIVISION, "", 1, "division by zero"),
        (GUARD, "", 1, "division by zero"),
        (BOTH, "--all-errors", 1, "2 violations"),
        (COUNTER, "--states 100", 3, "limit of 100 states reached"),
        (COUNTER, "--depth 100", 3, "paths longer than 100 steps"),
        (COUNTER, "--memory 100k", 3, "memory limit"),
        (
            COUNTER,
            "--memory 500k --store compressed",
            3,
            "memory limit",
        ),
        (
            COUNTER,
            "--memory 6M --store compressed --spill . --no-end-check",
            0,
            "holds",
        ),
        (VIOLATED, "--store compressed", 1, "assertion"),
        (HOLDS, "--spill .", 2, ""),
        (COUNTER, "--time 0s", 3, "time limit"),
        (ROUND, "", 0, "holds"),
        (BROKEN, "", 2, ""),
        (HOLDS, "--claim nothing", 2, ""),
        (HOLDS, "--strategy sideways", 2, ""),
    ]
    .into_iter()
    .enumerate()
    {
        let place = Place::new(&format!("exit_{index}"), model);
        let output = place.ample(&format!("check --plain m.pml {options}"));
        let stdout = text(&output.stdout);
        let stderr = text(&output.stderr);
        let code = output.status.code();
        assert_eq!(code, Some(exit), "{model} {options}\n{stdout}{stderr}");
        let first = match exit {
            0 => "HOLDS  m.pml: 1 goal holds",
            1 => "VIOLATED  m.pml: 1 of 1 goal violated",
            3 => "INCONCLUSIVE  m.pml: 1 of 1 goal inconclusive",
            _ => "",
        };
        let mut lines = stdout.lines();
        let goal = (lines.next().unwrap_or_default(), lines.nth(1));
        assert_eq!(goal.0, first, "{model} {options}\n{stdout}");
        let told = goal.1.unwrap_or_default();
        assert!(told.contains(reason), "{model} {options}\n{stdout}");
        assert_eq!(stdout.is_empty(), exit == 2, "{model} {options}\n{stdout}");
    }
}

#[test]
fn a_trail_can_be_replayed_in_both_formats() {
    for (index, (model, ending)) in [
        (VIOLATED, "assertion violated"),
        (DEADLOCK, "invalid end state"),
        (DIVISION, "division by zero"),
        (GUARD, "division by zero"),
    ]
    .into_iter()
    .enumerate()
    {
        for strategy in ["dfs", "bfs", "strict-dfs"] {
            let place = Place::new(&format!("trail_{index}_{strategy}"), model);
            let options = format!("check --plain --strategy {strategy} m.pml");
            assert_eq!(place.ample(&options).status.code(), Some(1));
            for trail in ["m.pml.trail", "m.pml.trail.json"] {
                let output = place.ample(&format!("replay m.pml {trail}"));
                let stderr = text(&output.stderr);
                assert!(stderr.contains(ending), "{model} {trail}: {stderr}");
                assert_eq!(output.status.code(), Some(1), "{model} {trail}");
            }
        }
    }
}

#[test]
fn a_trail_of_another_model_is_refused() {
    let place = Place::new("other_model", VIOLATED);
    assert_eq!(place.ample("check m.pml").status.code(), Some(1));
    std::fs::write(place.0.join("m.pml"), HOLDS).expect("the model is written");
    let output = place.ample("replay m.pml m.pml.trail.json");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("another version"));
}

/// Model, included file and options by which a trail of the first line's model is replayed, and whether it is.
const VERSIONS: &[(&str, &str, &str, bool)] = &[
    (
        "#include \"h\"\nactive proctype P() { byte x = N; assert(x == 0) }",
        "#define N 1",
        "",
        true,
    ),
    (
        "#include \"h\"\n/* why */ active proctype P()\n{\tbyte x = N; // one\n assert(x == 0) }",
        "#define N 1",
        "",
        true,
    ),
    (
        "#include \"h\"\nactive proctype P() { byte x = N; assert(x == 0) }",
        "#define M 7\n#define N 1",
        "",
        true,
    ),
    (
        "#define N 1\nactive proctype P() { byte x = N; assert(x == 0) }",
        "",
        "",
        true,
    ),
    (
        "active proctype P() { byte x = N; assert(x == 0) }",
        "",
        "-DN=1",
        true,
    ),
    (
        "#include \"h\"\nactive proctype P() { byte x = N; assert(x == 0) }",
        "#define N 2",
        "",
        false,
    ),
    (
        "active proctype P() { byte x = N; assert(x == 0) }",
        "",
        "-DN=2",
        false,
    ),
    (
        "#include \"h\"\nactive proctype P() { byte x = N; assert(x == 1) }",
        "#define N 1",
        "",
        false,
    ),
    (
        "#include \"h\"\nactive proctype P() { byte x = N; skip; assert(x == 0) }",
        "#define N 1",
        "",
        false,
    ),
];

#[test]
fn a_trail_belongs_to_the_program_and_not_to_its_text() {
    let (first, header, ..) = VERSIONS[0];
    let place = Place::new("versions", first);
    let put = |name: &str, text: &str| std::fs::write(place.0.join(name), text).expect("written");
    put("h", header);
    assert_eq!(place.ample("check m.pml").status.code(), Some(1));
    for (model, header, options, same) in VERSIONS {
        put("m.pml", model);
        put("h", header);
        let output = place.ample(&format!("replay {options} m.pml m.pml.trail.json"));
        let expected = if *same { 1 } else { 2 };
        assert_eq!(
            output.status.code(),
            Some(expected),
            "{model} {header} {options}"
        );
    }
}

#[test]
fn a_trail_of_a_claim_from_a_file_can_be_replayed_without_it() {
    let place = Place::new(
        "claim_aside",
        "byte x; active proctype P() { do :: x = 1 - x od }",
    );
    let claim = "never { do :: x == 1 -> break :: else od; accept: do :: true od }";
    std::fs::write(place.0.join("c"), claim).expect("written");
    assert_eq!(place.ample("check --never c m.pml").status.code(), Some(1));
    let output = place.ample("replay m.pml m.pml.never_0.trail.json");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(
        !text(&output.stderr).contains("another version"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn the_json_has_the_documented_names() {
    let place = Place::new("json", VIOLATED);
    let output = place.ample("check --plain --check safety --format json --no-trail m.pml");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let names = |value: &serde_json::Value| -> Vec<String> {
        let object = value.as_object().expect("an object");
        object.keys().cloned().collect()
    };
    let has = |value: &serde_json::Value, expected: &[&str]| {
        let names = names(value);
        for name in expected {
            assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
        }
    };
    has(
        &report,
        &[
            "verdict",
            "model",
            "model_digest",
            "version",
            "seconds",
            "results",
        ],
    );
    has(&report["seconds"], &["compile", "total"]);
    let run = &report["results"][0];
    has(
        run,
        &[
            "property",
            "verdict",
            "reason",
            "violations",
            "search",
            "states",
            "transitions",
            "matched",
            "depth",
            "vector_bytes",
            "memory_bytes",
            "seconds",
            "coverage",
        ],
    );
    let search = [
        "strategy",
        "reduction",
        "fairness",
        "store",
        "workers",
        "passes",
        "notes",
    ];
    has(&run["search"], &search);
    has(&run["memory_bytes"], &["store", "stack", "total"]);
    let violation = &run["violations"][0];
    has(
        violation,
        &["kind", "message", "file", "line", "column", "trail"],
    );
    assert_eq!(violation["kind"], "assertion");
    assert_eq!(report["verdict"], "violated");
    let files = std::fs::read_dir(&place.0).expect("the directory").count();
    assert_eq!(files, 1, "--no-trail writes nothing");
}

/// What the report says of the reduction is what was done.
#[test]
fn strict_dfs_does_not_reduce_and_says_so() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/leader.pml");
    let place = Place::new("strict_dfs", HOLDS);
    let states = |words: &str| {
        let output = place.ample(&format!(
            "check {model} --check safety --format json {words}"
        ));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let result = &report["results"][0];
        let search = &result["search"];
        let said = search["notes"].to_string().contains("the reduction is off");
        let reduced = result["reason"].to_string().contains("ample sets");
        assert_eq!(reduced, search["reduction"] != "none", "{result}");
        (result["states"].as_u64(), search["reduction"].clone(), said)
    };
    let (full, reduction, said) = states("--strategy strict-dfs");
    assert_eq!((reduction, said), ("none".into(), true));
    assert_eq!(
        states("--reduction none --workers 1"),
        (full, "none".into(), false)
    );
    let (reduced, reduction, said) = states("--workers 1");
    assert_eq!((reduction, said), ("ample".into(), false));
    assert!(reduced < full, "{reduced:?} {full:?}");
}

/// An option that does not apply to a search for cycles is refused, with what works instead; where another goal can have it,
/// there is a note.
#[test]
fn options_without_effect_are_refused() {
    let place = Place::new(
        "without_effect",
        "byte x; active proctype P() { do :: x = 1 - x od } ltl p { []<> (x == 0) }",
    );
    for (words, reason) in [
        ("--strategy bfs", "--strategy: it is for safety"),
        ("--strategy strict-dfs", "--strategy: it is for safety"),
        ("--shortest --fairness weak", "--shortest: fair cycles"),
        ("--workers 2 --store compact", "--workers: a lossy search"),
        (
            "--workers 2 --fairness weak",
            "--workers: a search for fair",
        ),
        (
            "--plain --reduction ample",
            "leave out --plain, or --reduction",
        ),
        ("--no-end-check", "end states are checked with safety only"),
    ] {
        let output = place.ample(&format!("check m.pml --claim p {words}"));
        assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
        assert!(text(&output.stderr).contains(reason), "{words}: {output:?}");
    }
    let output = place.ample("check m.pml --workers 2 --fairness weak");
    let note = "note: --workers: a search for fair cycles has one worker";
    assert!(text(&output.stdout).contains(note), "{output:?}");
    let output = place.ample("check m.pml --dry-run --strategy bfs");
    let said = text(&output.stdout);
    assert!(said.contains("bfs search, exact store") && said.contains("nested-dfs search"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = place.ample("check m.pml --claim p");
    assert!(!text(&output.stdout).contains("--"), "{output:?}");
}

/// Each violated goal has a trail of its own, and a note that goals share is printed once.
#[test]
fn several_goals_share_a_report_but_no_trail() {
    let model = "byte x; active proctype P() { do :: x = 1 - x od }
        ltl a { [] (x == 0) } ltl b { [] X (x == 0) } ltl c { [] X (x < 2) }";
    let place = Place::new("several_goals", model);
    let output = place.ample("check m.pml");
    let said = text(&output.stdout);
    assert!(
        said.starts_with("VIOLATED  m.pml: 2 of 4 goals violated\n"),
        "{said}"
    );
    let off = said.lines().filter(|l| l.contains("the reduction is off"));
    let off: Vec<&str> = off.collect();
    assert!(
        matches!(off[..], [note] if note.ends_with("(b, c)")),
        "{said}"
    );
    for (goal, trail) in [("a", "m.pml.a.trail.json"), ("b", "m.pml.b.trail.json")] {
        assert!(said.contains(&format!("replay m.pml {trail}\n")), "{said}");
        let written = std::fs::read_to_string(place.0.join(trail)).expect("a trail");
        let property = format!("\"property\":\"{goal}\"");
        assert!(written.contains(&property), "{written}");
    }
}

//! Every JSON document that `ample` prints or writes fits its schema in `docs/schema`, whatever the command came to.

mod support;

use jsonschema::Validator;
use serde_json::{Value, json};
use support::cli::Dir;

fn schema(name: &str) -> Value {
    let path = format!("{}/docs/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn validator(name: &str) -> Validator {
    let schema = schema(name);
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|e| panic!("{name}: {e}"));
    jsonschema::draft202012::new(&schema).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[track_caller]
fn fits(validator: &Validator, document: &Value, about: &str) {
    let wrong = validator.iter_errors(document);
    let wrong: Vec<String> = wrong
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{about}\n{}", wrong.join("\n"));
}

const HOLDS: &str = "byte x; active proctype P() { x = 1; assert(x == 1) }";
const ASSERTION: &str = "byte x; active [2] proctype P() { x++; assert(x == 1) }";
const DEADLOCK: &str =
    "chan c = [0] of { byte }; active proctype P() { c!1 } active proctype Q() { c!2 }";
/// With a rendezvous in its trail.
const MEETS: &str = "chan c = [0] of { byte }; byte x; active proctype P() { c!1 }
    active proctype Q() { c?x; assert(x == 0) }";
const DIVISION: &str = "byte x; active proctype P() { x = 10 / x }";
const COUNTER: &str = "int x; active proctype P() { do :: x < 100000 -> x++ od }";
const SMALL: &str = "byte x; active [2] proctype P() { do :: x < 90 -> x++ :: x > 9 -> x = 0 od }
    ltl low { [] (x <= 91) }";
const LASSO: &str = "bit x; byte g;
    active proctype P() { do :: x = 1 - x od }
    active proctype Q() { x == 1; g = 1 }
    ltl served { <> (g == 1) }";
const UNSUPPORTED: &str = "byte x; active proctype P() { x = 1 } ltl p { [] !timeout }";
const CLAIM: &str = "byte x; active proctype P() { do :: x = 1 - x od }
    never { do :: x == 1 -> break :: else od; accept: do :: true od }";
const TRACE: &str = "chan c = [2] of { byte }; active proctype P() { c!1; c!2 }
    trace { do :: c!1 od }";
const UNREACHED: &str = "byte x; proctype R() { x = 9 }
    active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 :: x > 5 -> x = 0; x = 1 od }";

/// Model, options, exit code, and something that must be in the document: a path and its value.
const CHECKS: &[(&str, &str, i32, &str, &str)] = &[
    (HOLDS, "", 0, "/verdict", "holds"),
    (
        HOLDS,
        "--strategy bfs",
        0,
        "/results/0/search/strategy",
        "bfs",
    ),
    (
        HOLDS,
        "--strategy strict-dfs",
        0,
        "/results/0/search/strategy",
        "strict-dfs",
    ),
    (
        SMALL,
        "--store compressed",
        0,
        "/results/0/search/store",
        "exact, compressed",
    ),
    (
        UNREACHED,
        "",
        0,
        "/results/0/coverage/1/unreached/0/text",
        "x = 0",
    ),
    (
        ASSERTION,
        "",
        1,
        "/results/0/violations/0/kind",
        "assertion",
    ),
    (
        ASSERTION,
        "--full-states --shortest",
        1,
        "/verdict",
        "violated",
    ),
    (ASSERTION, "--all-errors", 1, "/verdict", "violated"),
    (
        ASSERTION,
        "--why-not",
        1,
        "/results/0/search/why_not/refusals/0/condition",
        "C1",
    ),
    (DEADLOCK, "", 1, "/results/0/violations/0/kind", "end-state"),
    (
        MEETS,
        "",
        1,
        "/results/0/violations/0/trail/0/partner/proctype",
        "Q",
    ),
    (
        DIVISION,
        "",
        1,
        "/results/0/violations/0/kind",
        "model-error",
    ),
    (TRACE, "", 1, "/results/0/violations/0/kind", "claim"),
    (
        LASSO,
        "",
        1,
        "/results/1/violations/0/kind",
        "acceptance-cycle",
    ),
    (
        LASSO,
        "--fairness weak",
        1,
        "/results/1/violations/0/fair_to/0/proctype",
        "P",
    ),
    (
        LASSO,
        "--fairness strong",
        0,
        "/results/1/search/fairness",
        "strong",
    ),
    (
        LASSO,
        "--strong Q",
        0,
        "/results/1/search/fairness",
        "mixed",
    ),
    (LASSO, "--fairness f", 1, "/results/1/search/fairness", "f"),
    (LASSO, "--non-progress --claim progress_labels", 2, "", ""),
    (
        LASSO,
        "--non-progress",
        1,
        "/results/2/violations/0/kind",
        "non-progress-cycle",
    ),
    (
        CLAIM,
        "",
        1,
        "/results/1/violations/0/kind",
        "acceptance-cycle",
    ),
    (COUNTER, "--states 100", 3, "/verdict", "inconclusive"),
    (COUNTER, "--time 0s", 3, "/verdict", "inconclusive"),
    (
        SMALL,
        "--store compact",
        3,
        "/results/0/search/store",
        "hash-compact",
    ),
    (
        SMALL,
        "--store compact --accept-probabilistic",
        0,
        "/verdict",
        "probably-holds",
    ),
    (
        SMALL,
        "--store bitstate --memory 1M",
        3,
        "/results/0/search/store",
        "bitstate",
    ),
    (
        SMALL,
        "--swarm 3 --memory 4M",
        3,
        "/results/0/search/store",
        "bitstate",
    ),
    (UNSUPPORTED, "", 3, "/results/1/verdict", "inconclusive"),
    // What is refused, and a wrong model, give no document.
    (HOLDS, "--spill .", 2, "", ""),
    ("active proctype P() { x = 1 }", "", 2, "", ""),
];

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn check_replay_and_trail() {
    let [check, replay, trail] = ["check", "replay", "trail"].map(validator);
    for (number, (model, options, exit, path, value)) in CHECKS.iter().enumerate() {
        let dir = Dir::with_model(&format!("schema-{number}"), model);
        let line = format!("check m.pml --trail m.pml.trail --format json --no-warnings {options}");
        let run = dir.ample(&words(&line)).exits(*exit);
        let about = format!("{model}\n{options}");
        if *exit == 2 {
            assert_eq!(run.out, "", "{about}");
            continue;
        }
        let report = run.json();
        fits(&check, &report, &about);
        assert_eq!(
            report.pointer(path),
            Some(&json!(value)),
            "{about}\n{report:#}"
        );
        if *exit == 1 {
            fits(&trail, &parsed(&dir.read("m.pml.trail.json")), &about);
            let run = dir.ample(&words("replay m.pml m.pml.trail.json --format json"));
            fits(&replay, &run.json(), &about);
            let run = dir.ample(&words("replay m.pml m.pml.trail --format json"));
            fits(&replay, &run.json(), &about);
        }
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn the_shipped_models() {
    let (check, explain) = (validator("check"), validator("explain"));
    let dir = Dir::new("schema-examples");
    let folder = format!("{}/examples", env!("CARGO_MANIFEST_DIR"));
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).expect("examples").flatten() {
        let path = entry.path().display().to_string();
        if !path.ends_with(".pml") {
            continue;
        }
        let line = "check --format json --no-trail --no-warnings --states 5000";
        let report = dir.ample(&[&words(line)[..], &[&path]].concat()).json();
        fits(&check, &report, &path);
        let model = dir.ample(&["explain", "--format", "json", &path]).json();
        fits(&explain, &model, &path);
        checked += 1;
    }
    assert!(checked >= 15);
}

#[test]
fn explain() {
    let explain = validator("explain");
    for (number, (model, _, exit, ..)) in CHECKS.iter().enumerate() {
        let dir = Dir::with_model(&format!("schema-explain-{number}"), model);
        let run = dir.ample(&words("explain --format json --no-warnings m.pml"));
        if *exit != 2 {
            fits(&explain, &run.exits(0).json(), model);
        }
    }
}

#[test]
fn ltl_and_bench() {
    let (ltl, bench) = (validator("ltl"), validator("bench"));
    let dir = Dir::with_model("schema-ltl", LASSO);
    for formula in [
        "[] p",
        "<> p",
        "[] <> p",
        "<> [] p",
        "true",
        "false",
        "X p",
        "p U \"x > 3\"",
    ] {
        let run = dir.ample(&["ltl", "--format", "json", formula]);
        fits(&ltl, &run.exits(0).json(), formula);
    }
    for line in [
        "bench --format json sieve:N=3",
        "bench --format json --overhead --repeat 1 counter:LIMIT=9",
        "bench --format json m.pml --property served --passes both",
    ] {
        fits(&bench, &dir.ample(&words(line)).exits(0).json(), line);
    }
}

#[test]
fn contexts() {
    let (network, bench) = (validator("check_network"), validator("bench_contexts"));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/pushdown/examples/networks/");
    let dir = Dir::new("schema-contexts");
    for (name, options, exit) in [
        ("race", "", 1),
        ("race", "--engine symbolic --splitting eager", 1),
        ("lock", "--engine symbolic", 0),
        ("depth", "", 0),
        ("counter", "", 3),
        ("race", "--time 0s", 3),
        ("race", "--engine symbolic --memory 4K", 3),
    ] {
        let line = format!("check --format json --contexts 8 {options} {folder}{name}.pds");
        let report = dir.ample(&words(&line)).exits(exit).json();
        fits(&network, &report, &line);
        assert_eq!(report["run"].is_null(), exit != 1, "{report:#}");
    }
    // With few nodes every row is stopped at once.
    let line = "bench --contexts --format json --memory 4K";
    let report = dir.ample(&words(line)).exits(3).json();
    fits(&bench, &report, line);
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows.len() > 40 && rows.iter().all(|row| row["verdict"] == "stopped"));
}

#[test]
fn test() {
    let test = validator("test");
    let dir = Dir::new("schema-test");
    for (name, verdict, model) in [("holds", "holds", HOLDS), ("fails", "violated", HOLDS)] {
        dir.put(
            &format!("{name}.pml"),
            &format!("/* expect: safety {verdict} */ {model}"),
        );
    }
    dir.put("skipped.pml", HOLDS);
    dir.put(
        "cut.pml",
        &format!("/* expect: safety holds\n options: --states 9 */ {COUNTER}"),
    );
    let report = dir.ample(&words("test . --format json")).exits(1).json();
    fits(&test, &report, "four models");
    assert_eq!(report["models"].as_array().map(Vec::len), Some(4));
}

#[test]
fn graphs() {
    let graph = validator("graph");
    let dir = Dir::new("schema-graph");
    for (name, options) in [
        (ASSERTION, ""),
        (DEADLOCK, ""),
        (MEETS, "--no-reduction"),
        (DIVISION, ""),
        (LASSO, "--claim served"),
        (CLAIM, "--optimized --ltl true"),
    ] {
        dir.put("m.pml", name);
        let run = dir.ample(&words(&format!("graph m.pml --format json {options}")));
        fits(&graph, &run.exits(0).json(), name);
    }
    dir.put("m.pml", ASSERTION);
    let document = dir.ample(&words("graph m.pml --format json")).json();
    let mut paths = Vec::new();
    objects(&document, String::new(), &mut paths);
    for path in &paths {
        let mut changed = document.clone();
        changed.pointer_mut(path).expect("is there")["surplus"] = json!(0);
        assert!(!graph.is_valid(&changed), "{path}");
    }
}

#[test]
fn diagnostics() {
    let diagnostic = validator("diagnostic");
    let folder = format!("{}/tests/diagnostics", env!("CARGO_MANIFEST_DIR"));
    let dir = Dir::new("schema-diagnostics");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("models").flatten() {
        let path = entry.path().display().to_string();
        if !path.ends_with(".pml") {
            continue;
        }
        let run = dir.ample(&["check", "--syntax-only", "--message-format", "json", &path]);
        for line in run.err.lines() {
            fits(&diagnostic, &parsed(line), &path);
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

/// A report of several hosts has figures of each.
#[cfg(feature = "cluster")]
#[test]
fn reports_of_clusters_fit() {
    let check = validator("check");
    let dir = Dir::with_model("schema-cluster", COUNTER);
    let options = words("cluster check m.pml --local 2 --format json --no-trail --check safety");
    let report = dir.ample(&options).json();
    fits(&check, &report, "two hosts");
    let states = |host: usize| report["results"][0]["hosts"][host]["states"].as_u64();
    let sum = states(0).zip(states(1)).map(|(one, other)| one + other);
    assert_eq!(sum, report["results"][0]["states"].as_u64());
    assert!(states(0) > Some(0) && states(1) > Some(0));
}

/// The schemas are tight: a document with a field more, a field less or another word in it does not fit, at any depth.
#[test]
fn what_differs_does_not_fit() {
    let check = validator("check");
    let dir = Dir::with_model("schema-tight", ASSERTION);
    let report = dir
        .ample(&words("check m.pml --format json --no-trail"))
        .json();
    fits(&check, &report, "as printed");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut document = report.clone();
        change(&mut document);
        assert_ne!(document, report);
        assert!(!check.is_valid(&document), "{document:#}");
    };
    changed(&|d| d["schema_version"] = json!(2));
    changed(&|d| d["verdict"] = json!("HOLDS"));
    changed(&|d| d["states"] = json!(1));
    changed(&|d| {
        drop(
            d.as_object_mut()
                .expect("an object")
                .remove("schema_version"),
        )
    });
    let mut paths = Vec::new();
    objects(&report, String::new(), &mut paths);
    assert!(paths.len() > 10, "{paths:?}");
    for path in &paths {
        changed(&|d| d.pointer_mut(path).expect("is there")["surplus"] = json!(0));
        let fields = report.pointer(path).and_then(Value::as_object);
        for field in fields.expect("an object").keys() {
            let lacking = |d: &mut Value| {
                let object = d.pointer_mut(path).and_then(Value::as_object_mut);
                object.expect("an object").remove(field);
            };
            changed(&lacking);
        }
    }
}

/// The paths of all objects in a document.
fn objects(value: &Value, path: String, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                objects(field, format!("{path}/{name}"), all);
            }
            all.push(path);
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, format!("{path}/{index}"), all);
            }
        }
        _ => {}
    }
}

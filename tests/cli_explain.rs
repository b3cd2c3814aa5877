//! `ample explain`, `ample check --syntax-only`, and how errors and warnings are written.

mod support;

use serde_json::Value;
use support::cli::Dir;

const GOOD: &str = "byte x;\nactive proctype P() { x = N; assert(x == N) }\n";
const WRONG: &str = "byte unused;\nactive proctype P() { y = 1; z = 2 }\n";

#[test]
fn every_format_shows_the_process() {
    let dir = Dir::with_model("explain_formats", GOOD);
    for (format, begins, holds) in [
        ("text", "globals (1 byte)", "active proctype P"),
        ("dot", "digraph model {", "proctype P"),
        ("json", "{", "\"proctype\""),
    ] {
        let run = dir
            .ample(&["explain", "m.pml", "-DN=1", "--format", format])
            .exits(0);
        assert!(
            run.out.starts_with(begins) && run.out.contains(holds),
            "{run:?}"
        );
    }
    let json = dir
        .ample(&["explain", "m.pml", "-DN=1", "--format", "json"])
        .json();
    assert_eq!(json["graphs"][0]["name"], "P");
    assert_eq!(json["globals"][0]["name"], "x");
}

#[test]
fn exit_codes_tell_good_models_from_bad_ones() {
    let dir = Dir::with_model("explain_codes", GOOD);
    dir.put("wrong.pml", WRONG);
    for (args, code) in [
        (&["explain", "m.pml", "-D", "N=1"][..], 0),
        (&["explain", "wrong.pml"], 2),
        (&["explain", "missing.pml"], 2),
        (&["explain", "m.pml", "--format", "xml"], 2),
        (&["check", "m.pml", "-DN=1", "--syntax-only"], 0),
        (&["check", "wrong.pml", "--syntax-only"], 2),
    ] {
        let run = dir.ample(args).exits(code);
        assert_eq!(run.err.is_empty(), code == 0, "{args:?}: {run:?}");
        assert!(code == 0 || run.out.is_empty(), "{args:?}: {run:?}");
    }
}

#[test]
fn syntax_only_does_not_search() {
    let dir = Dir::with_model("explain_syntax", "active proctype P() { assert(false) }");
    dir.ample(&["check", "m.pml", "--no-trail"]).exits(1);
    let run = dir.ample(&["check", "m.pml", "--syntax-only"]).exits(0);
    assert_eq!(run.out, "");
}

/// A place of each label, with the reason in words.
#[test]
fn every_place_has_its_label() {
    let model = "byte x; chan c = [2] of { byte };\n\
        active proctype P() { byte l; l = 1; c!l; do :: x = 1 od }\n\
        active proctype Q() { byte v; c?v; do :: x = 2 od }\n\
        ltl p { <> (x == 2) }\n";
    let dir = Dir::with_model("explain_labels", model);
    let json = dir.ample(&["explain", "m.pml", "--format", "json"]).json();
    let label =
        |graph: usize, state: usize| json["graphs"][graph]["states"][state]["reduction"].clone();
    let kinds: Vec<Vec<String>> = (0..2)
        .map(|g| {
            let states = json["graphs"][g]["states"].as_array().expect("states");
            let kind = |s: &Value| s["reduction"]["kind"].as_str().unwrap_or("").to_owned();
            states.iter().map(kind).collect()
        })
        .collect();
    assert!(kinds[0].contains(&"safe".to_owned()), "{kinds:?}");
    let text = dir.ample(&["explain", "m.pml"]).exits(0).out;
    for line in [
        "    safe\n",
        "    maybe if c is not full\n",
        "    maybe if c is not empty\n",
        "    not_safe: writes x, which Q may use (seen by p)\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(label(0, 0).is_object());
    let dir = Dir::with_model("explain_obstacle", "active proctype P() { enabled(0) }\n");
    let text = dir.ample(&["explain", "m.pml"]).exits(0).out;
    assert!(
        text.contains("not_safe: looks at another process"),
        "{text}"
    );
}

/// Severity, code and line of each complaint.
fn complaints(text: &str) -> Vec<(String, String, u64)> {
    let facts = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let word = |name: &str| value[name].as_str().unwrap().to_owned();
        let line = value["primary"]["line"].as_u64().unwrap();
        (word("severity"), word("code"), line)
    };
    text.lines().map(facts).collect()
}

#[test]
fn messages_are_one_object_a_line() {
    let dir = Dir::with_model("explain_messages", WRONG);
    for command in [
        &["explain", "m.pml"][..],
        &["check", "m.pml"],
        &["simulate", "m.pml"],
    ] {
        let run = dir
            .ample(&[command, &["--message-format", "json"]].concat())
            .exits(2);
        let errors = complaints(&run.err).into_iter().filter(|c| c.0 == "error");
        let errors: Vec<_> = errors.map(|c| (c.1, c.2)).collect();
        assert_eq!(errors, [("E0301".to_owned(), 2), ("E0301".to_owned(), 2)]);
    }
}

#[test]
fn warnings_can_be_silenced_but_errors_cannot() {
    let dir = Dir::with_model(
        "explain_warnings",
        "byte unused;\nactive proctype P() { skip }\n",
    );
    let loud = dir
        .ample(&[
            "check",
            "m.pml",
            "--syntax-only",
            "--message-format",
            "json",
        ])
        .exits(0);
    let codes: Vec<String> = complaints(&loud.err).into_iter().map(|c| c.1).collect();
    assert_eq!(codes, ["W0301"]);
    let quiet = dir
        .ample(&["check", "m.pml", "--syntax-only", "--no-warnings"])
        .exits(0);
    assert_eq!(quiet.err, "");
    dir.put("wrong.pml", WRONG);
    let wrong = dir
        .ample(&["explain", "wrong.pml", "--no-warnings"])
        .exits(2);
    assert!(wrong.err.contains("E0301"), "{wrong:?}");
}

/// `--why-not` names the condition, the statement and the reason.
#[test]
fn why_not_says_what_kept_processes_from_going_first() {
    const RACE: &str = "byte x;\nactive proctype P() { x = 1 }\nactive proctype Q() { x = 2 }\n";
    const ROUND: &str = "bit x, y;\n\
        active proctype P() { do :: x = 1 - x od }\n\
        active proctype Q() { do :: y = 1 - y od }\n\
        ltl p { [] (y <= 1) }\n";
    for (model, what, refusal) in [
        (RACE, "safety", ("C1", 2, "writes x, which Q may use")),
        (RACE, "safety", ("C1", 3, "writes x, which P may use")),
        (
            ROUND,
            "safety",
            ("C2'", 2, "leads back to the path of the search"),
        ),
        (
            ROUND,
            "properties",
            ("C3'", 3, "changes what the property looks at"),
        ),
    ] {
        let dir = Dir::with_model("why_not", model);
        let args = [
            "check",
            "m.pml",
            "--why-not",
            "--no-trail",
            "--no-slice",
            "--check",
            what,
        ];
        let json = dir
            .ample(&[&args[..], &["--format", "json"]].concat())
            .json();
        let account = &json["results"][0]["search"]["why_not"];
        let refusals = account["refusals"].as_array().expect("an account");
        let (condition, line, reason) = refusal;
        let found = refusals
            .iter()
            .any(|r| r["condition"] == condition && r["line"] == line && r["reason"] == reason);
        assert!(found, "{refusal:?}: {account}");
        let text = dir.ample(&args).out;
        assert!(
            text.contains("why not reduced: ") && text.contains(reason),
            "{text}"
        );
    }
}

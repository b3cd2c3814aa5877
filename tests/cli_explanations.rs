//! What `ample check` and `ample replay` say above and below a counterexample, for every kind of violation.
//!
//! `INSTA_UPDATE=always cargo test --test cli_explanations` writes the snapshots; read them.

mod support;

use support::cli::Dir;

/// A violation of every kind: name, model, options of `check`.
const CASES: &[(&str, &str, &str)] = &[
    (
        "assertion",
        "byte x; byte a[3];\nactive proctype P() { byte i = 2; a[i] = 4; x = 3;\n  assert(x == 1 || a[i] < x) }",
        "",
    ),
    (
        "model_error",
        "byte x; byte zero;\nactive proctype P() { x = 5;\n  x = x / zero }",
        "",
    ),
    (
        "index",
        "byte i = 2; byte a[2];\nactive proctype P() { i++;\n  a[i] = 1 }",
        "",
    ),
    (
        "circle",
        "bit fork[2];\nproctype Eats(byte one; byte two) {\n  atomic { !fork[one] -> fork[one] = 1 }\n  atomic { !fork[two] -> fork[two] = 1 }\n  fork[one] = 0; fork[two] = 0 }\ninit { run Eats(0, 1); run Eats(1, 0) }",
        "",
    ),
    (
        "channels",
        "mtype = { ask, answer }; chan q[2] = [1] of { mtype, byte };\nactive proctype Client() { byte n; q[0]!ask,7; q[1]?answer,n }\nactive proctype Server() { byte n; byte at = 0; q[at]?ask,n; q[1]!ask,n }",
        "",
    ),
    (
        "hopeless",
        "byte x; active proctype P() { do :: x = (x + 1) % 6 od }\nltl low { [] (x < 4) }",
        "",
    ),
    (
        "hopeless_order",
        "byte started, ready; active proctype P() { started = 1; ready = 1; do :: started = 1 - started od }\nltl order { (!started) U ready }",
        "",
    ),
    (
        "never_met",
        "bit x; byte served;\nactive proctype Busy() { do :: x = 1 - x od }\nactive proctype Serves() { x == 1; served = 1 }\nltl served_once { <> (served == 1) }",
        "",
    ),
    (
        "response",
        "byte asked, answered;\nactive proctype Client() { do :: asked = 1; asked == 0 od }\nactive proctype Server() { do :: asked == 1 -> asked = 2 :: asked == 2 -> asked = 0 :: asked == 2 -> asked = 0; answered = 1; answered = 0 od }\nltl response { [] (asked == 1 -> <> (answered == 1)) }",
        "",
    ),
    (
        "place",
        "bit lock;\nactive [2] proctype Worker() { do :: atomic { !lock -> lock = 1 }\nwork: lock = 0 od }\nltl works { []<> Worker[1]@work }",
        "",
    ),
    (
        "given",
        "byte x; active proctype P() { x = 1; x = 2 }",
        "--ltl [](x!=2)",
    ),
    (
        "claim",
        "byte x; active proctype P() { do :: x = 1 - x od }\nnever { do :: x == 1 -> break :: else od }",
        "",
    ),
    (
        "accept_labels",
        "byte x;\nactive proctype P() {\naccept_here: do :: x = 1 - x od }",
        "",
    ),
    (
        "no_progress",
        "byte x; active proctype P() { do :: x = 1 - x :: x == 1 -> progress: x = 0 od }",
        "--non-progress",
    ),
    (
        "trace",
        "chan c = [2] of { byte }; active proctype P() { c!1; c!2 }\ntrace { do :: c!1 od }",
        "",
    ),
    (
        "macros",
        "byte x; chan q = [2] of { byte };\n#define INC x = x + 1\n#define OK (x < 2)\ninline twice(v) {\n  v = v * 2; INC }\nactive proctype P() { x = 1; twice(x); assert(OK) }",
        "",
    ),
    (
        "rounds",
        "byte x, y; active proctype P() { do :: x < 200 -> y = x; x++ :: else -> break od; assert(x != 200) }",
        "",
    ),
    (
        "starts",
        "byte x; proctype P(byte i) { assert(i != 4 || x == 0); x = 1 }\ninit { byte i; do :: i < 5 -> run P(i); i++ :: else -> break od }",
        "",
    ),
    (
        "automaton",
        "byte x; active proctype P() { do :: x = (x + 1) % 3 od }\nltl settles { <>[] (x == 0) }",
        "--automaton",
    ),
    (
        "conjunction",
        "bit a, b, c; active proctype P() { do :: a = 1 - a; b = 1 - b od }\nltl both { [] (a -> <> b) && []<> c }",
        "",
    ),
    (
        "disjunction",
        "bit a, b; active proctype P() { do :: a = 1 - a od }\nltl one { []<> b || <>[] a }",
        "",
    ),
    (
        "ends",
        "byte n; active proctype A() { n = 1 } active proctype B() { n = 2 }\nltl p { <>[] (n == 1) }",
        "--check properties",
    ),
    (
        "rendezvous",
        "chan a = [0] of { byte }; chan b = [0] of { byte };\nactive proctype P() { byte x; a!1; b?x; b?x }\nactive proctype Q() { byte y; a?y; b!2; a?y }",
        "",
    ),
    (
        "polls",
        "chan q = [1] of { byte, byte }; byte n;\nactive proctype Snd() { q!1,2; q!3,4 }\nactive proctype Rcv() { byte v; if :: q?7,v :: q?[9,_] -> skip :: n > 3 && q?[1,2] -> skip fi }",
        "",
    ),
    (
        "provided_clause",
        "bit go; active proctype P() provided (go) { skip }\nactive proctype Q() { !go -> skip }",
        "",
    ),
    (
        "exclusive",
        "chan c = [2] of { byte };\nactive proctype A() { xs c; c!1 }\nactive proctype B() { c!2 }",
        "",
    ),
    (
        "in_a_procedure",
        "int sum; procedure add(int n) { sum = sum + n; assert(sum < 4) }\nactive proctype P() { add(1); add(3) }",
        "",
    ),
    (
        "weak_fairness",
        "bit lock; byte got; active [2] proctype W() { do :: atomic { !lock -> lock = 1 }; got = _pid; lock = 0 od }\nactive proctype Idle() { do :: skip od }\nltl once { <> (got == 1) }",
        "--fairness weak",
    ),
    (
        "strong_fairness",
        "bit x, y; active proctype P() { do :: x = 1 - x :: y = 1 od }\nactive proctype Q() { do :: x -> skip od }\nltl y_comes { <> y }",
        "--fairness strong",
    ),
    (
        "next_state",
        "bit req, ack; active proctype P() { do :: req = 1; req = 1; ack = 1; req = 0; ack = 0 od }\nltl at_once { [] (req -> X ack) }",
        "",
    ),
    (
        "before_another",
        "bit p, q; active proctype P() { do :: q = 1; p = 1; q = 0; p = 0 od }\nltl first { !q W p }",
        "",
    ),
];

/// The report without what differs from run to run: the table has times.
fn told(out: &str) -> String {
    let lines = out.lines().filter(|line| !line.contains(" ms  "));
    let told: Vec<&str> = lines.map(str::trim_end).collect();
    told.join("\n")
}

#[test]
fn every_kind_of_violation_is_explained() {
    for (name, model, options) in CASES {
        let dir = Dir::with_model(&format!("explained_{name}"), model);
        let mut args = vec!["check", "m.pml", "--workers", "1", "--no-warnings"];
        args.extend(options.split_whitespace());
        let run = dir.ample(&args).exits(1);
        insta::assert_snapshot!(*name, told(&run.out), model);
    }
}

#[test]
fn a_replay_repeats_property_verdict_and_explanation() {
    for (name, model, options) in CASES {
        let dir = Dir::with_model(&format!("replayed_{name}"), model);
        let mut args = vec![
            "check",
            "m.pml",
            "--workers",
            "1",
            "--trail",
            "t",
            "--no-warnings",
        ];
        args.extend(options.split_whitespace());
        let checked = dir.ample(&args).exits(1);
        let mut args = vec!["replay", "m.pml", "t.json", "--no-warnings"];
        args.extend(options.split_whitespace().filter(|o| *o == "--automaton"));
        let replayed = dir.ample(&args).exits(1);
        assert!(
            replayed.out.starts_with("VIOLATED  m.pml: "),
            "{name}: {}",
            replayed.out
        );
        let explanation = |out: &str| {
            let about = [
                "    required:",
                "    broken:",
                "    initially:",
                "    finally:",
                "      ",
            ];
            let lines = out
                .lines()
                .filter(|l| about.iter().any(|a| l.starts_with(a)));
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            lines
        };
        let expected = explanation(&checked.out);
        assert!(expected.len() >= 2, "{name}: {}", checked.out);
        assert_eq!(explanation(&replayed.out), expected, "{name}");
    }
}

#[test]
fn in_full_every_step_is_shown() {
    let (_, model, _) = CASES.iter().find(|case| case.0 == "rounds").expect("there");
    let dir = Dir::with_model("unfolded", model);
    let short = dir.ample(&["check", "m.pml"]).exits(1).out;
    let full = dir.ample(&["check", "m.pml", "--full"]).exits(1).out;
    let steps = |out: &str| out.lines().filter(|l| l.contains("  P(0)  ")).count();
    assert!(steps(&short) < 20, "{short}");
    assert_eq!(steps(&full), 3 * 200 + 2);
    assert!(short.contains("times more"), "{short}");
    let replayed = |option: &[&str]| {
        let args = [&["replay", "m.pml", "m.pml.trail.json"], option].concat();
        steps(&dir.ample(&args).exits(1).out)
    };
    assert_eq!(replayed(&["--full"]), 3 * 200 + 2);
    assert!(replayed(&[]) < 20);
}

#[test]
fn json_has_the_same_facts() {
    let (_, model, _) = CASES
        .iter()
        .find(|case| case.0 == "hopeless")
        .expect("there");
    let dir = Dir::with_model("explained_json", model);
    let report = dir
        .ample(&["check", "m.pml", "--format", "json"])
        .exits(1)
        .json();
    let explanation = report["results"]
        .as_array()
        .expect("results")
        .iter()
        .find_map(|r| r["violations"][0].get("explanation"))
        .expect("an explanation");
    assert_eq!(explanation["required"]["text"], "[] (x < 4)");
    assert_eq!(explanation["why"]["kind"], "hopeless");
    assert_eq!(explanation["why"]["after"], 4);
    assert_eq!(explanation["steps"], 4);
    assert_eq!(explanation["why"]["because"][0]["reads"][0]["value"], "4");
}

#[test]
fn hands_that_know_spin_are_told_what_to_use() {
    let dir = Dir::with_model("from_spin", "active proctype P() { skip }");
    let run = dir.ample(&["-search", "m.pml"]).exits(2);
    assert!(
        run.err
            .contains("hint: SPIN's -search: `ample check MODEL`"),
        "{}",
        run.err
    );
    let run = dir.ample(&["check", "-m10000", "m.pml"]).exits(2);
    assert!(run.err.contains("`--depth N`"), "{}", run.err);
    let run = dir.ample(&["check", "-DSAFETY", "m.pml"]).exits(0);
    assert!(
        run.err.contains("-DSAFETY is a directive for pan"),
        "{}",
        run.err
    );
    let run = dir.ample(&["check", "-DN=3", "m.pml"]).exits(0);
    assert_eq!(run.err, "");
}

/// The search goes up to 40 first; two rounds are enough.
const DETOUR: &str = "byte x, y; active proctype P() {
  do :: x < 40 -> x++ :: x == 40 -> y = 1; break :: x == 2 -> y = 1; break od; do :: skip od }
ltl p { [] (y == 0) }";

#[test]
fn the_shortest_finite_run_is_found_for_a_safety_formula() {
    let dir = Dir::with_model("explained_shortest", DETOUR);
    let after = |options: &[&str]| {
        let args = [
            &["check", "m.pml", "--claim", "p", "--format", "json"],
            options,
        ]
        .concat();
        let report = dir.ample(&args).exits(1).json();
        let why = &report["results"][0]["violations"][0]["explanation"]["why"];
        assert_eq!(why["kind"], "hopeless");
        why["after"].as_u64().expect("a step")
    };
    assert_eq!(after(&["--shortest"]), 6);
    assert_eq!(after(&["--shortest", "--plain"]), 6);
    assert!(after(&["--plain"]) > 6);
}

/// The second call of `quotient` fails in its return, which first has to find out where it would lead.
const PROCEDURES: &str = "int sum;
procedure add(int n) { sum = sum + n }
procedure quotient(int n) : int { return 10 / n }
active proctype P() { int x;
  x = quotient(2);
  add(0);
  x = quotient(x - 5) }";

#[test]
fn what_calls_and_returns_store_is_not_told_as_assignments() {
    let dir = Dir::with_model("explained_procedures", PROCEDURES);
    let report = dir.ample(&["check", "m.pml", "--format", "json"]).exits(1);
    let violation = &report.json()["results"][0]["violations"][0];
    let reads = &violation["explanation"]["why"]["reads"];
    assert_eq!(reads[0]["name"], "quotient[1].n", "{violation}");
    assert_eq!(reads[0]["value"], "0", "{violation}");
    let steps = violation["trail"].as_array().expect("steps");
    let executed = steps.iter().filter_map(|step| step["executed"].as_str());
    assert_eq!(executed.collect::<Vec<_>>(), ["sum = 0"], "{violation}");
}

//! Properties on the command line: what is asked, of which model, and the exit code that is due (0 holds, 1 violated, 2 wrong
//! usage, 3 not decided), by every product.

mod support;

use support::cli::Dir;

/// Counts to 3 and stops.
const COUNTS: &str = "byte x; active proctype A() { x = 1; x = 2; x = 3 }";

struct Case {
    name: &'static str,
    model: String,
    options: &'static [&'static str],
    exit: i32,
    files: Vec<(&'static str, String)>,
}

fn case(name: &'static str, model: &str, options: &'static [&'static str], exit: i32) -> Case {
    Case {
        name,
        model: model.to_owned(),
        options,
        exit,
        files: Vec::new(),
    }
}

/// Runs that are at some point in a state where p is 1 and the next is 2: minds repeated states.
const TWICE: &str = r#"HOA: v1 States: 3 Start: 0 AP: 2 "x == 1" "two"
acc-name: Buchi Acceptance: 1 Inf(0) --BODY--
State: 0 [t] 0 [0] 1
State: 1 [1] 2
State: 2 {0} [t] 2
--END--"#;

/// Runs along which x is infinitely often not 3, and infinitely often at least 0.
const NOT_ALWAYS: &str = r#"HOA: v1 States: 1 Start: 0 AP: 2 "x != 3" "x >= 0"
Acceptance: 2 Inf(0) & Inf(1) --BODY--
State: 0 [0&1] 0 {0 1} [!0&1] 0 {1} [!1] 0
--END--"#;

fn hoa(name: &'static str, automaton: &str, exit: i32) -> Case {
    Case {
        files: vec![("a.hoa", automaton.to_owned())],
        ..case(
            name,
            &format!("#define two (x == 2 && true)\n{COUNTS}"),
            &["--hoa", "a.hoa", "--check", "properties"],
            exit,
        )
    }
}

fn claim(name: &'static str, body: &str, exit: i32) -> Case {
    let model = format!("{COUNTS} never {{ {body} }}");
    case(name, &model, &["--claim", "never_0"], exit)
}

fn non_progress(name: &'static str, model: &str, exit: i32) -> Case {
    let options = &["--non-progress", "--claim", "progress labels"];
    case(name, model, options, exit)
}

fn cases() -> Vec<Case> {
    vec![
        claim(
            "an assertion of a claim is evaluated in the state of the guard before it",
            "do :: atomic { (x == 1) -> assert(x == 2) } :: (x == 0) od",
            1,
        ),
        claim(
            "the mirror: it holds there",
            "do :: atomic { (x == 1) -> assert(x == 1) } :: (x == 0) od",
            0,
        ),
        claim(
            "an atomic sequence of a claim that cannot be finished is not begun",
            "do :: atomic { (x == 1) -> (x == 2); assert(x != 2) } :: (1) od",
            0,
        ),
        claim(
            "the same in two steps",
            "do :: (x == 1) -> (x == 2); assert(x != 3) :: (1) od",
            1,
        ),
        claim("an assertion at every state", "do :: assert(x < 3) od", 1),
        claim(
            "the mirror: no state violates it",
            "do :: assert(x < 4) od",
            0,
        ),
        claim(
            "behind an atomic sequence a claim reads the next state",
            "do :: atomic { (x == 1) -> assert(x == 1) } :: (x == 0) :: (x == 2) -> break od",
            1,
        ),
        claim("a claim that writes is not checked", "do :: x = 1 od", 3),
        non_progress("a run that ends makes no cycle", COUNTS, 0),
        non_progress(
            "a run that is stuck makes no cycle",
            "byte x; active proctype A() { x = 1; false }",
            0,
        ),
        non_progress(
            "a cycle without progress beside an end",
            "byte x; active proctype A() { do :: x = 1 :: break od }",
            1,
        ),
        non_progress(
            "the mirror: every cycle makes progress",
            "byte x; active proctype A() { do :: x = 1; progress: skip :: break od }",
            0,
        ),
        hoa("an automaton that minds repeated states", TWICE, 1),
        hoa(
            "the mirror: x never steps from 1 to 1",
            &TWICE.replace("two", "x == 1"),
            0,
        ),
        hoa("a generalised automaton", NOT_ALWAYS, 0),
        hoa(
            "the mirror: x stays below 4",
            &NOT_ALWAYS.replace("x != 3", "x != 4"),
            1,
        ),
        hoa(
            "a proposition that is a constant",
            &NOT_ALWAYS.replace("x != 3", "1 == 1"),
            1,
        ),
        hoa(
            "a proposition that the model does not know",
            &TWICE.replace("two", "nowhere"),
            2,
        ),
        hoa("a file that is no automaton", "never { skip }", 2),
        case(
            "a formula with `timeout` is not checked",
            &format!("{COUNTS} ltl p {{ [] !timeout }} ltl q {{ <> (x == 3) }}"),
            &["--claim", "p"],
            3,
        ),
        case(
            "its neighbour is",
            &format!("{COUNTS} ltl p {{ [] !timeout }} ltl q {{ <> (x == 3) }}"),
            &["--claim", "q"],
            0,
        ),
        case(
            "the mirror: and can be violated",
            &format!("{COUNTS} ltl p {{ [] !timeout }} ltl q {{ [] (x != 3) }}"),
            &[],
            1,
        ),
        case(
            "all together: what was not checked does not hold",
            &format!(
                "byte a[2]; {COUNTS} ltl p {{ <> (a[timeout] == 0) }} ltl q {{ <> (x == 3) }}"
            ),
            &[],
            3,
        ),
        case(
            "a formula from outside with `timeout`",
            COUNTS,
            &["--ltl", "[] !timeout", "--claim", "formula_0"],
            3,
        ),
        case(
            "`run` in a formula stays an error",
            &format!("{COUNTS} ltl p {{ [] run A() }} ltl q {{ <> (x == 3) }}"),
            &[],
            2,
        ),
        hoa(
            "a proposition with `timeout` stays an error",
            &TWICE.replace("two", "timeout"),
            2,
        ),
        case(
            "a formula about progress does judge runs that end",
            COUNTS,
            &["--ltl", "[] <> ! np_", "--claim", "formula_0"],
            1,
        ),
    ]
}

/// Properties of shipped models that are violated.
const VIOLATED: &[(&str, &str)] = &[
    ("abp", "progress"),
    ("dtp", "progress"),
    ("philosophers", "eats"),
    ("peterson_n", "enters0"),
    ("snoopy", "progress"),
    ("deadlock", "finished"),
];

#[test]
fn shortened_counterexamples_are_not_longer() {
    let mut shorter = 0;
    for (model, property) in VIOLATED {
        let text = std::fs::read_to_string(format!(
            "{}/examples/{model}.pml",
            env!("CARGO_MANIFEST_DIR")
        ));
        let dir = Dir::with_model("property-shortest", &text.expect("readable"));
        let steps = |option: &[&str]| {
            let words = ["check", "--no-warnings", "--no-trail", "--format", "json"];
            let words = [&words, option, &["--claim", property, "m.pml"]].concat();
            let report = dir.ample(&words).exits(1).json();
            let violation = &report["results"][0]["violations"][0];
            violation["trail"].as_array().expect("a trail").len()
        };
        let (long, short) = (steps(&[]), steps(&["--shortest"]));
        assert!(short <= long, "{model}: {short} steps instead of {long}");
        shorter += u32::from(short < long);
    }
    assert!(shorter > 2, "hardly anything is shortened");
}

/// The shortest run is known: the cycle is one step, and one step leads to it.
#[test]
fn the_shortest_cycle_is_found() {
    let model = "byte x; active proctype A() {
        do :: x == 0 -> x = 5 :: x > 1 -> x-- :: x == 1 -> x = 7 :: x == 7 -> x = 7 :: x == 0 -> x = 7 od }
        ltl p { []<> (x != 7) }";
    let dir = Dir::with_model("property-known", model);
    let words = [
        "check",
        "--no-trail",
        "--shortest",
        "--format",
        "json",
        "--plain",
        "m.pml",
    ];
    let report = dir
        .ample(&[&words[..], &["--claim", "p"]].concat())
        .exits(1)
        .json();
    let violation = &report["results"][0]["violations"][0];
    assert_eq!(violation["loop_start"], 2, "{violation:#}");
    assert_eq!(
        violation["trail"].as_array().map(Vec::len),
        Some(4),
        "{violation:#}"
    );
}

/// What is said about properties that hold.
#[test]
fn suspicions() {
    let model = "byte x; bool req, ack; active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> x = 0 od }";
    let dir = Dir::with_model("property-vacuity", model);
    for (formula, notes) in [
        ("[] (x < 2)", &[][..]),
        ("[]<> (x == 0 && req == 0)", &[]),
        ("[] (x == 0 -> <> (x == 1))", &[]),
        (
            "[] (req -> <> ack)",
            &[
                "it holds vacuously: `ack` does not matter, because `req` is false in every state visited",
            ],
        ),
        (
            "[] (x == 0 -> x < 5)",
            &[
                "it holds vacuously: `(x==0)` does not matter, because `(x<5)` is true in every state visited",
            ],
        ),
        (
            "[] ((x < 2) -> <> (x == 1))",
            &["`(x<2)` is true in every state visited: does the property say what it should?"],
        ),
        (
            "[] (ack -> (req -> x == 7))",
            &[
                "it holds vacuously: `ack` does not matter, because `req` is false in every state visited",
                "it holds vacuously: `req` does not matter, because `ack` is false in every state visited",
                "it holds vacuously: `(x==7)` does not matter, because `ack` is false in every state visited",
            ],
        ),
        (
            "[] (x == 0 -> x == 0 || req)",
            &["it holds in every model: nothing can violate it"],
        ),
    ] {
        let words = [
            "check",
            "--no-trail",
            "--no-warnings",
            "--format",
            "json",
            "m.pml",
        ];
        let words = [&words[..], &["--claim", "formula_0", "--ltl", formula]].concat();
        let report = dir.ample(&words).exits(0).json();
        let found = &report["results"][0]["search"]["notes"];
        assert_eq!(*found, serde_json::json!(notes), "{formula}");
    }
}

/// A wrong `ltl` block is in the way only of those who ask for it.
#[test]
fn wrong_formulas() {
    const GOOD: &str = "ltl q { <> (x == 3) } ltl r { [] (x != 3) }";
    for (name, bad, exits) in [
        (
            "an unknown name",
            "ltl p { [] (nowhere == 1) }",
            [2, 0, 1, 0],
        ),
        ("an unknown label", "ltl p { [] !A@nowhere }", [2, 0, 1, 0]),
        ("a second name", "ltl q { [] (x < 4) }", [2, 2, 1, 0]),
        ("no formula", "ltl p { [] (x == ) }", [2, 0, 1, 0]),
        ("two of them", "ltl p { [] (y) } ltl s { [] }", [2, 0, 1, 0]),
        (
            "the mirror: nothing wrong",
            "ltl p { [] (x < 4) }",
            [0, 0, 1, 0],
        ),
        (
            "the mirror: wrong elsewhere",
            "ltl p { [] (y) } init { y = 1 }",
            [2; 4],
        ),
        ("the mirror: braces left open", "ltl p { [] (y)", [2; 4]),
    ] {
        let dir = Dir::with_model("property-wrong", &format!("{COUNTS} {GOOD} {bad}"));
        let asked = [
            ["--claim", "p"],
            ["--claim", "q"],
            ["--claim", "r"],
            ["--check", "safety"],
        ];
        for (options, exit) in asked.iter().zip(exits) {
            let run = dir.ample(&[&["check", "--no-trail", "m.pml"], &options[..]].concat());
            assert_eq!(run.code, exit, "{name} {options:?}: {run:?}");
            let complains = exits[0] == 2;
            assert_eq!(
                run.err.contains("error"),
                complains,
                "{name} {options:?}: {run:?}"
            );
        }
        let all = if exits[0] == 2 { 2 } else { 1 };
        dir.ample(&["check", "--no-trail", "m.pml"]).exits(all);
        if all == 2 {
            dir.ample(&["check", "--syntax-only", "--check", "safety", "m.pml"])
                .exits(2);
        }
    }
}

/// A formula without a name keeps its number when one before it is left out.
#[test]
fn numbers_of_formulas() {
    let formulas = "ltl { [] (nowhere) } ltl { <> (x == 3) } ltl { [] (x != 3) }";
    let dir = Dir::with_model("property-numbers", &format!("{COUNTS} {formulas}"));
    for (claim, exit) in [("ltl_0", 2), ("ltl_1", 0), ("ltl_2", 1), ("ltl_3", 2)] {
        dir.ample(&["check", "--no-trail", "m.pml", "--claim", claim])
            .exits(exit);
    }
}

#[test]
fn verdicts() {
    for case in cases() {
        let dir = Dir::with_model("property-verdicts", &case.model);
        for (name, text) in &case.files {
            dir.put(name, text);
        }
        for way in [&["--plain", "--classic-product"][..], &["--plain"], &[]] {
            let mut words = vec!["check", "--no-trail", "--no-warnings", "m.pml"];
            words.extend(case.options);
            words.extend(way);
            let run = dir.ample(&words);
            assert_eq!(run.code, case.exit, "{} {way:?}: {run:?}", case.name);
        }
    }
}

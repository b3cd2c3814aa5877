//! `ample graph`: graphs are as large as what searches count, in every format, and nothing that is too large is drawn.

mod support;

use serde_json::Value;
use std::path::Path;
use support::cli::{Dir, result};
use support::xml;

const MODEL: &str = "byte x; byte y;
active proctype P() { byte l; l = 1; l = 2; x = 1 }
active proctype Q() { byte m; m = 1; atomic { y = m; y++ }; assert(x == 0) }
ltl both { <> (x == 1 && y == 2) }
ltl never_two { [] (y != 2) }
";

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(name)
}

/// States, and steps that lead to one, as the JSON of a graph lists them: those of the reduced graph, or all.
fn listed(graph: &Value, reduced: bool) -> (usize, usize) {
    let count = |name: &str, wanted: &dyn Fn(&Value) -> bool| {
        let all = graph[name].as_array().expect("a list").iter();
        all.filter(|item| wanted(item)).count()
    };
    let kept = |item: &Value| !reduced || item["reduced"] == true;
    (
        count("states", &kept),
        count("steps", &|step| kept(step) && !step["to"].is_null()),
    )
}

/// States and steps of a search that goes past violations.
fn counted(model: &Path, goal: &[&str], options: &[&str]) -> (usize, usize) {
    let always = ["--all-errors", "--workers", "1"];
    let report = result(model, &[&always, goal, options].concat());
    let number = |name: &str| report[name].as_u64().expect("a number") as usize;
    (number("states"), number("transitions") - 1)
}

/// The options of `check` with which the reduction is all that changes the graph.
const REDUCED: [&str; 5] = [
    "--reduction",
    "ample",
    "--no-slice",
    "--no-merge",
    "--no-dead-variables",
];

#[test]
fn graphs_are_as_large_as_searches_say() {
    let dir = Dir::with_model("graph_counts", MODEL);
    let own = dir.path().join("m.pml");
    let safety = ["--check", "safety"];
    let models = [
        "assertion.pml",
        "deadlock.pml",
        "bluetooth.pml",
        "dtp.pml",
        "lock_manager.pml",
        "peterson.pml",
        "philosophers.pml",
        "quicksort.pml",
        "starvation.pml",
    ];
    let mut smaller = 0;
    for model in models.iter().map(|m| example(m)).chain([own.clone()]) {
        let name = model.to_str().expect("UTF-8");
        let options = ["graph", name, "--format", "json", "--states", "5000"];
        let graph = dir.ample(&options).exits(0).json();
        let full = counted(&model, &safety, &["--plain"]);
        assert_eq!(listed(&graph, false), full, "{name}");
        let reduced = counted(&model, &safety, &REDUCED);
        assert_eq!(listed(&graph, true), reduced, "{name}");
        smaller += usize::from(reduced < full);
        for (part, (states, steps)) in [("full", full), ("reduced", reduced)] {
            assert_eq!(graph[part]["states"], states, "{name}");
            assert_eq!(graph[part]["steps"], steps, "{name}");
        }
    }
    assert!(smaller >= 6, "only {smaller} are reduced");
    for goal in ["both", "never_two"] {
        let graph = dir
            .ample(&["graph", "m.pml", "--claim", goal, "--format", "json"])
            .json();
        let goal = ["--claim", goal];
        assert_eq!(listed(&graph, false), counted(&own, &goal, &["--plain"]));
        assert_eq!(listed(&graph, true), counted(&own, &goal, &REDUCED));
    }
    // After the passes, it is the graph of the search as it is made by default.
    let options = ["graph", "m.pml", "--optimized", "--format", "json"];
    let graph = dir.ample(&options).exits(0).json();
    assert_eq!(listed(&graph, true), counted(&own, &safety, &[]));
}

#[test]
fn states_are_marked() {
    let dir = Dir::with_model("graph_marks", MODEL);
    let text = dir.ample(&["graph", "m.pml"]).exits(0).out;
    for part in [
        "s0  [initial]",
        "reduced: ",
        "  [end]",
        "(pruned)",
        "Q(1): y = m; Q(1): y = (y+1)",
        "Q(1): assert((x==0)) ! assertion violated",
        "x = 0, y = 0, P(0):l = 0, Q(1):m = 0",
        "P(0) in state 1, m.pml:2",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = dir
        .ample(&["graph", "m.pml", "--claim", "never_two"])
        .exits(0)
        .out;
    assert!(
        text.contains("accepting, on a cycle that is a violation"),
        "{text}"
    );
    let holds = dir
        .ample(&["graph", "m.pml", "--ltl", "[] (y < 3)"])
        .exits(0)
        .out;
    assert!(!holds.contains("violation"), "{holds}");
    dir.put(
        "stuck.pml",
        "chan c = [0] of { bit }; active proctype P() { c!1 }",
    );
    let text = dir.ample(&["graph", "stuck.pml"]).exits(0).out;
    assert!(text.contains("s0  [initial, invalid end state]"), "{text}");
    dir.put("fails.pml", "byte x; active proctype P() { x = 1 / x }");
    let text = dir.ample(&["graph", "fails.pml"]).exits(0).out;
    assert!(
        text.contains("-> error  P(0): x = (1/x) ! division by zero"),
        "{text}"
    );
}

#[test]
fn pictures_have_what_is_wanted() {
    let dir = Dir::with_model("graph_pictures", MODEL);
    let graph = dir.ample(&["graph", "m.pml", "--format", "json"]).json();
    let (states, steps) = listed(&graph, false);
    let (fewer, _) = listed(&graph, true);
    let draw = |format: &str, show: &str| {
        let options = ["graph", "m.pml", "--format", format, "--show", show];
        dir.ample(&options).exits(0).out
    };
    for (show, nodes, grey) in [
        ("both", states, states - fewer),
        ("full", states, 0),
        ("reduced", fewer, 0),
    ] {
        let svg = draw("svg", show);
        assert_eq!(xml::complaint(&svg), None);
        assert_eq!(svg.matches("<g class=\"node").count(), nodes, "{show}");
        assert_eq!(
            svg.matches("<g class=\"node pruned").count(),
            grey,
            "{show}"
        );
        let dot = draw("dot", show);
        let node = |line: &&str| line.starts_with("  s") && !line.contains(" -> ");
        assert_eq!(dot.lines().filter(node).count(), nodes, "{show}");
    }
    let html = dir
        .ample(&["graph", "m.pml", "--format", "html"])
        .exits(0)
        .out;
    assert_eq!(html.matches("<figure").count(), 2);
    assert_eq!(html.matches("<g class=\"node").count(), 2 * states);
    assert_eq!(html.matches("<g class=\"edge").count(), 2 * steps);
    assert!(!html.contains("<script") && html.contains("default-src 'none'"));
    if let Some(drawn) = dir.other("dot", &["-V"]) {
        assert_eq!(drawn.code, 0);
        dir.put("m.dot", &draw("dot", "both"));
        dir.other("dot", &["-Tsvg", "-o", "dot.svg", "m.dot"])
            .expect("dot")
            .exits(0);
    }
}

#[test]
fn what_is_too_large_or_has_no_graph_is_refused() {
    let dir = Dir::with_model(
        "graph_refused",
        "int x; active proctype P() { do :: x++ od }",
    );
    for (options, words) in [
        (
            &["graph", "m.pml"][..],
            "the graph has more than 2000 states",
        ),
        (&["graph", "m.pml", "--states", "10"], "more than 10 states"),
        (
            &["graph", "m.pml", "--claim", "p"],
            "states no property p; it has: safety",
        ),
        (
            &["graph", "hidden.pml"],
            "`hidden` variables do not tell states apart",
        ),
        (
            &["graph", "bad.pml"],
            "division by zero in the initial state",
        ),
        (
            &[
                "graph",
                "off.pml",
                "--ltl",
                "X (x == 1)",
                "--show",
                "reduced",
            ],
            "--show reduced: there is no reduced graph of off.pml",
        ),
        (&["graph", "m.pml", "--ltl", "[] ("], "error"),
    ] {
        dir.put("hidden.pml", "hidden byte h; active proctype P() { h = 1 }");
        dir.put(
            "bad.pml",
            "byte x; byte y = 1 / x; active proctype P() { y = 1 }",
        );
        dir.put("off.pml", "byte x; active proctype P() { x = 1 }");
        let run = dir.ample(options).exits(2);
        assert!(run.err.contains(words) && run.out.is_empty(), "{run:?}");
    }
}

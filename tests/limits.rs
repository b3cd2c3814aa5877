//! Whatever happens, a run ends when it is told to, and reports what it knows.

mod support;

use ample::check::{Goal, Model, Options};
use ample::{Verdict, ViolationKind};
use std::time::{Duration, Instant};
use support::cli::Dir;

/// The inner states of the sequence are not stored, and there are four thousand million of them.
const ENDLESS: &str = "int x; active proctype P() { atomic { do :: x++; x != -7 od } }";
/// So many states that no test waits for all.
const LARGE: &str =
    "int x, y; active proctype P() { do :: x++; x != -7 od } active proctype Q() { do :: y++; y != -7 od }
    ltl p { [] (x != 1234567890) }";

#[test]
fn an_endless_atomic_sequence_honours_limits() {
    let dir = Dir::with_model("limits-atomic", ENDLESS);
    for (options, reason) in [
        ("--time 1s", "time"),
        ("--time 1s --strategy bfs", "time"),
        ("--time 1s --workers 2", "time"),
        ("--store bitstate --memory 16M", "memory"),
        ("--memory 64M", "memory"),
    ] {
        let start = Instant::now();
        let options: Vec<&str> = options.split(' ').collect();
        let args = [&["check", "--check", "safety", "m.pml"], &options[..]].concat();
        let run = dir.ample(&args).exits(3);
        assert!(run.out.starts_with("INCONCLUSIVE"), "{run:?}");
        assert!(run.out.contains(reason), "{run:?}");
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{options:?}: {run:?}"
        );
    }
}

#[test]
fn a_trail_that_cannot_be_written_is_a_warning() {
    let dir = Dir::with_model("limits-trail", "active proctype P() { assert(false) }");
    let run = dir.ample(&["check", "--trail", "no/such/folder/m.trail", "m.pml"]);
    let run = run.exits(1);
    assert!(run.out.starts_with("VIOLATED"), "{run:?}");
    assert!(run.err.contains("cannot write no/such/folder"), "{run:?}");
    assert!(!run.out.contains("replay"), "{run:?}");
}

#[test]
fn signals_that_end_a_process_end_the_search_with_a_report() {
    let dir = Dir::with_model("limits-signals", LARGE);
    let ample = env!("CARGO_BIN_EXE_ample");
    for signal in ["INT", "TERM", "HUP"] {
        // A shell starts background processes with SIGINT ignored, unless each has its own group.
        let script = format!(
            "set -m; '{ample}' check --memory 512M m.pml >out & pid=$!; sleep 1; kill -{signal} $pid; wait $pid; echo $?"
        );
        let run = dir.shell(&script);
        assert_eq!(
            run.out.trim().lines().last(),
            Some("3"),
            "{signal}: {run:?}"
        );
        let report = dir.read("out");
        assert!(report.starts_with("INCONCLUSIVE"), "{signal}: {report}");
        assert!(report.contains("interrupted"), "{signal}: {report}");
    }
}

/// Every way to search for safety violations: strategies, stores, several workers.
const WAYS: [&str; 9] = [
    "",
    "--plain",
    "--strategy bfs",
    "--strategy strict-dfs",
    "--store compressed",
    "--store compact",
    "--store bitstate --memory 64M",
    "--swarm 3 --memory 64M",
    "--workers 3",
];

/// The command line for a way to search.
fn safety<'a>(way: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let start = ["check", "--check", "safety", "m.pml"];
    let way = way.split(' ').filter(|word| !word.is_empty());
    start
        .into_iter()
        .chain(way)
        .chain(more.iter().copied())
        .collect()
}

#[test]
fn a_d_step_that_never_ends_is_an_error_of_the_model() {
    for (model, column) in [
        (
            "active proctype P() { d_step { do :: printf(\"x\") od } }",
            32,
        ),
        ("active proctype P() { d_step { do :: skip od } }", 32),
        (
            "byte x; active proctype P() { x = 7; d_step { x = 1; do :: x++ od } }",
            54,
        ),
        (
            "byte x; active proctype P() { d_step { x = 1; again: x = x + 2; if :: x == 2 :: else -> goto again fi } }",
            54,
        ),
        // A rendezvous begins it.
        (
            "chan c = [0] of { byte }; active proctype P() { c!1 } active proctype Q() { byte x; d_step { c?x; do :: x++ od } }",
            99,
        ),
    ] {
        let dir = Dir::with_model("limits-endless", model);
        for way in WAYS {
            let run = dir.ample(&safety(way, &[])).exits(1);
            assert!(run.out.starts_with("VIOLATED"), "{way}: {run:?}");
            assert!(run.out.contains("a d_step never ends"), "{way}: {run:?}");
            let place = format!("m.pml:1:{column}");
            assert!(run.out.contains(&place), "{model}: {way}: {run:?}");
            let run = dir.ample(&["replay", "m.pml", "m.pml.trail.json"]).exits(1);
            assert!(run.err.contains("a d_step never ends"), "{way}: {run:?}");
        }
        let run = dir.ample(&["simulate", "--seed", "1", "m.pml"]).exits(1);
        assert!(run.err.contains("a d_step never ends"), "{run:?}");
    }
}

/// Also where a cycle is searched for.
#[test]
fn a_d_step_that_never_ends_is_found_under_a_property() {
    let model =
        "byte x; active proctype P() { x = 1; d_step { do :: x++ od } } ltl p { []<>(x == 1) }";
    let dir = Dir::with_model("limits-endless-property", model);
    for way in [
        "",
        "--plain",
        "--workers 3",
        "--fairness weak",
        "--fairness f",
    ] {
        let mut args = vec!["check", "--check", "properties", "m.pml"];
        args.extend(way.split(' ').filter(|word| !word.is_empty()));
        let run = dir.ample(&args).exits(1);
        assert!(run.out.contains("a d_step never ends"), "{way}: {run:?}");
    }
}

/// Whether a d_step ends, by Brent's method and by remembering every value.
#[test]
fn endless_d_steps_are_told_from_long_ones() {
    let mut endless = 0;
    for (m, factor, step, end) in (1..7)
        .flat_map(|k| [(1 << (2 * k)) + 1, 3000 * k])
        .flat_map(|m| [(m, 1, 1), (m, 1, 6), (m, 3, 1), (m, 2, 7)])
        .flat_map(|(m, f, s)| [0, 1, m / 2, m].map(|end| (m, f, s, end)))
    {
        let text = format!(
            "int x = 1; active proctype P() {{ d_step {{ do :: x != {end} -> x = (x * {factor} + {step}) % {m} :: else -> break od }} }}"
        );
        let (mut x, mut seen) = (1i32, std::collections::HashSet::new());
        while x != end && seen.insert(x) {
            x = (x * factor + step) % m;
        }
        let model = Model::from_source(&text).unwrap();
        let checked = model.check(&Goal::Safety, &Options::default()).unwrap();
        let kind = checked.findings.first().map(|f| f.kind);
        match x == end {
            true => assert!(matches!(checked.verdict, Verdict::Holds(_)), "{text}"),
            false => assert_eq!(kind, Some(ViolationKind::ModelError), "{text}"),
        }
        endless += u32::from(x != end);
    }
    assert!(endless > 30, "{endless}");
}

/// It counts for half a minute, and ends.
const LONG: &str =
    "int x; active proctype P() { d_step { do :: x < 2000000000 -> x++ :: else -> break od } }";

#[test]
fn a_d_step_that_takes_long_honours_limits() {
    let dir = Dir::with_model("limits-long", LONG);
    for way in WAYS {
        let start = Instant::now();
        let run = dir.ample(&safety(way, &["--time", "300ms"])).exits(3);
        assert!(start.elapsed() < Duration::from_secs(5), "{way}: {run:?}");
        assert!(run.out.starts_with("INCONCLUSIVE"), "{way}: {run:?}");
        assert!(run.out.contains("time limit of 0.3 s"), "{way}: {run:?}");
    }
    let start = Instant::now();
    let run = dir
        .ample(&["simulate", "--time", "300ms", "m.pml"])
        .exits(3);
    assert!(start.elapsed() < Duration::from_secs(5), "{run:?}");
    assert!(run.err.contains("time limit of 0.3 s reached"), "{run:?}");
    let ample = env!("CARGO_BIN_EXE_ample");
    let script = format!(
        "set -m; '{ample}' check m.pml >out & pid=$!; sleep 1; kill -INT $pid; wait $pid; echo $?"
    );
    let run = dir.shell(&script);
    assert_eq!(run.out.trim().lines().last(), Some("3"), "{run:?}");
    assert!(dir.read("out").contains("interrupted"));
}

/// What was found is reported, though working out its run takes longer than the limit.
#[test]
fn a_limit_does_not_take_back_what_was_found() {
    let text = "int x; active proctype P() { d_step { do :: x < 300000 -> x++ :: else -> break od } assert(false) }";
    let model = Model::from_source(text).unwrap();
    for time in [20, 50, 100, 200] {
        let options = Options {
            time: Some(Duration::from_millis(time)),
            ..Options::default()
        };
        let checked = model.check(&Goal::Safety, &options).unwrap();
        match checked.verdict {
            Verdict::Violated => assert_eq!(checked.findings[0].kind, ViolationKind::Assertion),
            Verdict::Inconclusive(_) => assert!(checked.findings.is_empty()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_a_step_prints_is_bounded() {
    let text = "int x; active proctype P() { d_step { do :: x < 1000000 -> x++; printf(\"%d\\n\", x) :: else -> break od } }";
    let dir = Dir::with_model("limits-printf", text);
    let run = dir.ample(&["simulate", "--seed", "1", "m.pml"]).exits(0);
    assert!(run.out.len() < 40 << 20);
    assert!(run.out.contains("beyond 16 MiB is left out"));
}

#[test]
fn select_and_for_honour_limits() {
    for text in [
        "int i; active proctype P() { select(i : 0 .. 2000000000); assert(i >= 0) }",
        "int i; active proctype P() { for (i : 0 .. 2000000000) { skip } }",
        "int i, s; active proctype P() { d_step { for (i : 0 .. 2000000000) { s = s + i } } }",
    ] {
        let dir = Dir::with_model("limits-ranges", text);
        let start = Instant::now();
        let args = safety("--memory 256M", &["--time", "500ms"]);
        let run = dir.ample(&args).exits(3);
        assert!(start.elapsed() < Duration::from_secs(5), "{run:?}");
        assert!(run.out.contains("time limit"), "{run:?}");
    }
}

#[test]
fn formulas_are_translated_within_the_limit() {
    let atoms: Vec<String> = (0..8).map(|i| format!("p{i}")).collect();
    let parts: Vec<String> = atoms.iter().map(|p| format!("([]<>{p})")).collect();
    let text = format!(
        "bool {}; active proctype P() {{ skip }} ltl f {{ {} }}",
        atoms.join(", "),
        parts.join(" <-> ")
    );
    let dir = Dir::with_model("limits-formula", &text);
    let start = Instant::now();
    let run = dir.ample(&["check", "--time", "300ms", "m.pml"]).exits(3);
    assert!(start.elapsed() < Duration::from_secs(5), "{run:?}");
    let reason = "time limit of 0.3 s reached while translating the formula";
    assert!(run.out.contains(reason), "{run:?}");
}

/// A proctype with so many statements, and another process to depend on.
fn statements(count: usize, statement: impl Fn(usize) -> String) -> String {
    let body: Vec<String> = (0..count).map(statement).collect();
    format!(
        "byte x, y; chan c = [2] of {{ byte }}; active proctype P() {{ byte z;\n{}\n}} active proctype Q() {{ y = 1; x = 2; c!1 }}",
        body.join(";\n")
    )
}

#[test]
fn models_are_read_within_the_limit() {
    let text = statements(200_000, |i| format!("x = {}", i % 7));
    let dir = Dir::with_model("limits-reading", &text);
    let start = Instant::now();
    let run = dir.ample(&["check", "--time", "100ms", "m.pml"]).exits(3);
    assert!(start.elapsed() < Duration::from_secs(5), "{run:?}");
    let reason = "time limit of 0.1 s reached while reading the model";
    assert!(run.out.contains(reason), "{run:?}");
    let json = dir.ample(&["check", "--time", "100ms", "--format", "json", "m.pml"]);
    let json = json.exits(3).json();
    assert_eq!(json["verdict"], "inconclusive");
    assert_eq!(json["given_up"], reason);
}

/// One mechanism for the commands that only print what they have worked out.
#[test]
fn other_commands_honour_the_time_limit() {
    let text = statements(200_000, |i| format!("x = {}", i % 7));
    let dir = Dir::with_model("limits-commands", &text);
    dir.put("m.trail", "1:0:1\n2:0:2\n");
    let formula = ["[]<>p"; 8].join(" <-> ");
    for args in [
        vec!["explain", "m.pml"],
        vec!["replay", "m.pml", "m.trail"],
        vec!["ltl", &formula],
    ] {
        let start = Instant::now();
        let limit = ["--time", "100ms"];
        let run = dir.ample(&[&args[..], &limit[..]].concat()).exits(3);
        assert!(run.err.contains("time limit of 0.1 s"), "{args:?}: {run:?}");
        assert!(start.elapsed() < Duration::from_secs(5), "{args:?}");
    }
}

#[test]
fn a_failed_assertion_before_a_d_step_that_never_ends_is_told_too() {
    let model = "byte x; active proctype P() { d_step { assert(x == 1); do :: x++ od } }";
    let dir = Dir::with_model("limits-both", model);
    let run = dir.ample(&["check", "m.pml"]).exits(1);
    assert!(run.out.contains("a d_step never ends"), "{run:?}");
    assert!(run.out.contains("an assertion was violated"), "{run:?}");
}

/// Each of these once took time that grew with the square of the number of statements, or worse.
#[test]
fn large_models_are_analysed_in_linear_time() {
    let sequences = [
        ("", "", ["x = 1", "x = 2", "y = 3"]),
        ("", "", ["z = 1", "z = 2", "z = 3"]),
        ("", "", ["c!1", "c?x", "c!2"]),
        ("atomic {", "}", ["c!1", "c?x", "z = 3"]),
    ];
    for (open, close, cycle) in sequences {
        let text = statements(30_000, |i| {
            let open = if i == 0 { open } else { "" };
            let close = if i == 29_999 { close } else { "" };
            format!("{open} {} {close}", cycle[i % cycle.len()])
        });
        let dir = Dir::with_model("limits-large", &text);
        let args = safety("--states 5", &["--time", "30s"]);
        let run = dir.ample(&args).exits(3);
        assert!(run.out.contains("limit of 5 states"), "{run:?}");
    }
}

#[test]
fn many_workers_end_in_time() {
    let text = "byte a[12]; active [6] proctype P() { do :: a[_pid]++ :: a[_pid + 6] = a[_pid + 6] + 3 od }";
    let dir = Dir::with_model("limits-workers", text);
    for way in ["", "--store compressed", "--store compact"] {
        let args = ["--plain", "--workers", "64", "--memory", "2G"];
        let args = [&args[..], &["--time", "2s"]].concat();
        let start = Instant::now();
        let run = dir.ample(&safety(way, &args)).exits(3);
        assert!(start.elapsed() < Duration::from_secs(5), "{way}: {run:?}");
        assert!(run.out.contains("time limit of 2 s"), "{way}: {run:?}");
    }
}

#[test]
fn shortening_has_the_time_that_is_left() {
    let text = "int x, y; active proctype P() { do :: x++; x != -7 od } active proctype Q() { do :: y++; y != -7 od } ltl p { <>(x < 0 && y > 77777) }";
    let dir = Dir::with_model("limits-shortest", text);
    let start = Instant::now();
    let args = ["check", "--check", "properties", "--shortest", "--memory"];
    let args = [&args[..], &["1G", "--time", "1s", "m.pml"]].concat();
    let run = dir.ample(&args);
    assert!(start.elapsed() < Duration::from_secs(5), "{run:?}");
}

#[test]
fn large_states_do_not_delay_limits() {
    let text = "byte a[1000000]; int x; active proctype P() { do :: x++; a[x % 1000000] = 1 od }";
    let dir = Dir::with_model("limits-states", text);
    let start = Instant::now();
    let args = safety("--memory 1G", &["--time", "1s"]);
    let run = dir.ample(&args).exits(3);
    assert!(start.elapsed() < Duration::from_secs(6), "{run:?}");
}

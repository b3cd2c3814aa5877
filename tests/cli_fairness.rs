//! `ample check --fairness`, `--weak`, `--strong`.

mod support;

use support::cli::Dir;

const MODEL: &str = "bit x; byte g;\n\
    active proctype P() { do :: x = 1 - x od }\n\
    active proctype Q() { x == 1; g = 1 }\n\
    ltl served { <> (g == 1) }\n";

#[test]
fn verdicts_and_what_is_said_about_them() {
    let dir = Dir::with_model("fairness", MODEL);
    for (options, code, says) in [
        (&[][..], 1, "fairness: none"),
        (
            &["--fairness", "weak"],
            1,
            "P(0): moves in the cycle, first with step ",
        ),
        (&["--fairness", "weak"], 1, "Q(1): cannot move before step "),
        (
            &["--fairness", "strong"],
            0,
            "fairness: strong, reduction: none",
        ),
        (&["--strong", "Q"], 0, "fairness: mixed"),
        (&["--fairness", "f"], 1, "fairness: f, reduction: ample"),
        (
            &["--fairness", "f"],
            1,
            "the reduced graph of the program has ",
        ),
        (
            &["--fairness", "f"],
            1,
            "Q(1): could do ((x==1)) before step ",
        ),
        (
            &["--fairness", "f", "--weak", "Q"],
            2,
            "it is about operations",
        ),
        (&["--strong", "P"], 1, "Q(1): could move but does not"),
        (
            &["--fairness", "strong", "--weak", "Q"],
            1,
            "served  VIOLATED",
        ),
        (&["--weak", "R"], 2, "there is no proctype R to be fair to"),
    ] {
        let args = [
            "check",
            "-v",
            "m.pml",
            "--check",
            "properties",
            "--no-trail",
        ];
        let run = dir.ample(&[&args[..], options].concat()).exits(code);
        let said = run.out.contains(says) || run.err.contains(says);
        assert!(said, "{options:?}: {says}: {run:?}");
    }
    let args = [
        "check",
        "m.pml",
        "--check",
        "properties",
        "--no-trail",
        "--format",
        "json",
    ];
    let json = dir
        .ample(&[&args[..], &["--fairness", "weak"]].concat())
        .json();
    let run = &json["results"][0];
    assert_eq!(run["search"]["fairness"], "weak");
    assert_eq!(run["violations"][0]["fair_to"][0]["proctype"], "P");
    assert_eq!(run["violations"][0]["fair_to"][1]["pid"], 1);
}

/// Six counters that go round, each on its own: one component of 64 million states, each of whose cycles in which all count is
/// fair. It must be found long before the component is complete.
const COUNTERS: &str = "byte c[6];\n\
    active [6] proctype C() { do :: c[_pid] = (c[_pid] + 1) % 20 od }\n\
    ltl absent { []<> (c[0] == 25) }\n\
    ltl often { []<> (c[0] == 0) }\n";

#[test]
fn fair_cycles_are_found_before_their_component_is_complete() {
    let dir = Dir::with_model("fairness-early", COUNTERS);
    for fairness in [
        &["--fairness", "weak"],
        &["--fairness", "strong"],
        &["--weak", "C"],
    ] {
        let check = |claim: &str, code| {
            let args = [
                "check",
                "m.pml",
                "--no-trail",
                "--states",
                "20000",
                "--claim",
            ];
            dir.ample(&[&args[..], &[claim], fairness].concat())
                .exits(code);
        };
        check("absent", 1);
        // The mirror: there is no such cycle, and the limit is reached.
        check("often", 3);
    }
}

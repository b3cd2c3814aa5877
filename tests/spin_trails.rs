//! Counterexamples travel both ways: SPIN replays ours, we replay SPIN's.

mod support;

use std::path::Path;
use support::cli::Dir;
use support::spin::{Question, examples, spin_is_there};

/// Shipped models with a violation of safety, and what SPIN says at the end of its replay.
const CASES: &[(&str, &str)] = &[
    ("assertion", "assertion violated"),
    ("deadlock", "trail ends after"),
    ("philosophers", "trail ends after"),
];

/// A folder of its own with the model in it, as `m.pml`.
fn folder(name: &str, purpose: &str) -> Dir {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.pml"));
    let text = std::fs::read_to_string(source).expect("readable");
    Dir::with_model(&format!("trails-{purpose}-{name}"), &text)
}

/// What SPIN prints when it follows a trail.
fn replayed_by_spin(folder: &Dir, model: &str) -> String {
    let run = folder.other("spin", &["-t", "-p", model]);
    let text = run.expect("SPIN runs").text();
    // Where an assertion fails, SPIN quotes it: that is no failure to follow.
    let failed = text
        .replace("text of failed assertion", "")
        .contains("failed");
    assert!(!failed, "{text}");
    text
}

#[test]
fn spin_replays_ours() {
    if !spin_is_there() {
        return;
    }
    for (name, end) in CASES {
        for strategy in ["dfs", "bfs"] {
            let folder = folder(name, strategy);
            folder
                .ample(&[
                    "check",
                    "--check",
                    "safety",
                    "--no-warnings",
                    "--strategy",
                    strategy,
                    "m.pml",
                ])
                .exits(1);
            let replayed = replayed_by_spin(&folder, "m.pml");
            assert!(replayed.contains(end), "{name}, {strategy}: {replayed}");
        }
    }
}

#[test]
fn we_replay_spins() {
    if !spin_is_there() {
        return;
    }
    for (name, _) in CASES {
        let folder = folder(name, "theirs");
        let script = "spin -a m.pml >/dev/null && gcc -w -DSAFETY -DNOCLAIM -o pan pan.c && ./pan >/dev/null; test -e m.pml.trail";
        assert!(
            folder.shell(script).code == 0,
            "{name}: SPIN finds the violation"
        );
        folder
            .ample(&["replay", "--no-warnings", "m.pml", "m.pml.trail"])
            .exits(1);
    }
}

/// Violated properties of SPIN's examples, and whether the run goes on forever.
const PROPERTIES: &[(&str, Question<'static>, bool)] = &[
    ("loops.pml", Question::Accept, true),
    ("hajek.pml", Question::Progress, true),
    ("Book_1991/p123.pml", Question::Never, true),
    (
        "LTL/ltl_always_eventually.pml",
        Question::Ltl("name"),
        false,
    ),
    ("LTL/petersonN.pml", Question::Ltl("bounded_bypass"), true),
    ("LTL/pftp.pml", Question::Ltl("p1"), true),
    ("LTL/train.pml", Question::Ltl("c2"), true),
    ("LTL/zune.pml", Question::Ltl("p1"), true),
];

/// SPIN follows our runs without their claims: those of its own formulas have statements that only it knows.
#[test]
fn spin_replays_our_cycles() {
    if !spin_is_there() {
        return;
    }
    let Some(examples) = examples() else { return };
    for &(name, question, goes_on) in PROPERTIES {
        let folder = Dir::copy_of(&examples.join(name));
        let model = name.rsplit('/').next().unwrap_or(name);
        let claim: &[&str] = match question {
            Question::Ltl(name) | Question::Fairly(name) => &["--claim", name],
            Question::Never => &["--claim", "never_0"],
            Question::Accept => &["--claim", "acceptance"],
            Question::Progress => &["--non-progress", "--claim", "progress labels"],
        };
        let file = format!("{model}.trail");
        let words = [
            &["check", "--no-warnings", "--trail", &file, model][..],
            claim,
        ]
        .concat();
        folder.ample(&words).exits(1);
        let replayed = replayed_by_spin(&folder, model);
        assert!(replayed.contains("trail ends after"), "{name}: {replayed}");
        let marked = replayed.contains("START OF CYCLE");
        assert_eq!(marked, goes_on, "{name}: {replayed}");
        for trail in [format!("{model}.trail"), format!("{model}.trail.json")] {
            let words = ["replay", "--no-warnings", model, &trail];
            let replayed = folder.ample(&words);
            if goes_on || trail.ends_with(".json") {
                replayed.exits(1);
            }
        }
    }
}

#[test]
fn we_replay_spins_cycles() {
    if !spin_is_there() {
        return;
    }
    let Some(examples) = examples() else { return };
    for &(name, question, goes_on) in PROPERTIES {
        let folder = Dir::copy_of(&examples.join(name));
        let model = name.rsplit('/').next().unwrap_or(name);
        let mode = match question {
            Question::Ltl(name) | Question::Fairly(name) => format!("-a -N {name}"),
            Question::Never | Question::Accept => "-a".to_owned(),
            Question::Progress => "-l".to_owned(),
        };
        let flags = question.flags().join(" ");
        let script = format!(
            "spin -a {model} >/dev/null && gcc -w -DNOREDUCE {flags} -o pan pan.c && ./pan -m100000 {mode} >/dev/null; test -e {model}.trail"
        );
        let made = folder.shell(&script);
        assert!(made.code == 0, "{name}: SPIN finds the violation");
        let trail = format!("{model}.trail");
        let words = ["replay", "--no-warnings", model, &trail];
        let replayed = folder.ample(&words).exits(1);
        let end = if goes_on {
            "the cycle closes"
        } else {
            "the run ends"
        };
        assert!(replayed.text().contains(end), "{name}: {}", replayed.text());
    }
}

/// Shipped models, violated under weak fairness: SPIN follows the fair cycle, and we follow it back.
#[test]
fn spin_replays_our_weakly_fair_cycles() {
    if !spin_is_there() {
        return;
    }
    for (name, claim) in [
        ("starvation", "served"),
        ("snoopy", "progress"),
        ("accounting", "progress"),
        ("sliding_window", "progress"),
        ("abp", "progress"),
    ] {
        let folder = folder(name, "fair");
        let words = [
            "check",
            "--no-warnings",
            "--trail",
            "m.pml.trail",
            "--fairness",
            "weak",
            "--claim",
            claim,
            "m.pml",
        ];
        let checked = folder.ample(&words).exits(1);
        assert!(checked.text().contains("moves in the cycle"), "{name}");
        let replayed = replayed_by_spin(&folder, "m.pml");
        assert!(replayed.contains("START OF CYCLE"), "{name}: {replayed}");
        assert!(replayed.contains("trail ends after"), "{name}: {replayed}");
        let words = ["replay", "--no-warnings", "m.pml", "m.pml.trail"];
        let again = folder.ample(&words);
        assert!(again.text().contains("the cycle closes"), "{name}");
    }
}

//! Counterexamples travel both ways: SPIN replays ours, we replay SPIN's.

mod spin_support;

use spin_support::{Question, examples, scratch_copy, spin_is_there};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Shipped models with a violation of safety, and what SPIN says at the end of its replay.
const CASES: &[(&str, &str)] = &[
    ("assertion", "assertion violated"),
    ("deadlock", "trail ends after"),
    ("philosophers", "trail ends after"),
];

/// A folder of its own with the model in it, as `m.pml`.
fn folder(name: &str, purpose: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!(
        "ample-trails-{purpose}-{name}-{}",
        std::process::id()
    ));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.pml"));
    std::fs::copy(source, folder.join("m.pml")).expect("copied");
    folder
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn spin_replays_ours() {
    if !spin_is_there() {
        return;
    }
    for (name, end) in CASES {
        for strategy in ["dfs", "bfs"] {
            let folder = folder(name, strategy);
            let checked = run(
                &folder,
                env!("CARGO_BIN_EXE_ample"),
                &[
                    "check",
                    "--check",
                    "safety",
                    "--no-warnings",
                    "--strategy",
                    strategy,
                    "m.pml",
                ],
            );
            assert_eq!(checked.status.code(), Some(1), "{name}: {}", text(&checked));
            let replayed = text(&run(&folder, "spin", &["-t", "-p", "m.pml"]));
            assert!(replayed.contains(end), "{name}, {strategy}: {replayed}");
            assert!(
                !replayed.contains("transition failed"),
                "{name}, {strategy}: {replayed}"
            );
            let _ = std::fs::remove_dir_all(&folder);
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
            run(&folder, "sh", &["-c", script]).status.success(),
            "{name}: SPIN finds the violation"
        );
        let replayed = run(
            &folder,
            env!("CARGO_BIN_EXE_ample"),
            &["replay", "--no-warnings", "m.pml", "m.pml.trail"],
        );
        assert_eq!(
            replayed.status.code(),
            Some(1),
            "{name}: {}",
            text(&replayed)
        );
        let _ = std::fs::remove_dir_all(&folder);
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
        let folder = scratch_copy(&examples.join(name)).expect("copied");
        let model = name.rsplit('/').next().unwrap_or(name);
        let claim: &[&str] = match question {
            Question::Ltl(name) | Question::Fairly(name) => &["--claim", name],
            Question::Never => &["--claim", "never_0"],
            Question::Accept => &["--claim", "acceptance"],
            Question::Progress => &["--non-progress", "--claim", "progress labels"],
        };
        let words = [&["check", "--no-warnings", model][..], claim].concat();
        let checked = run(&folder, env!("CARGO_BIN_EXE_ample"), &words);
        assert_eq!(checked.status.code(), Some(1), "{name}: {}", text(&checked));
        let replayed = text(&run(&folder, "spin", &["-t", "-p", model]));
        assert!(replayed.contains("trail ends after"), "{name}: {replayed}");
        assert!(!replayed.contains("failed"), "{name}: {replayed}");
        let marked = replayed.contains("START OF CYCLE");
        assert_eq!(marked, goes_on, "{name}: {replayed}");
        for trail in [format!("{model}.trail"), format!("{model}.trail.json")] {
            let words = ["replay", "--no-warnings", model, &trail];
            let replayed = run(&folder, env!("CARGO_BIN_EXE_ample"), &words);
            if goes_on || trail.ends_with(".json") {
                assert_eq!(
                    replayed.status.code(),
                    Some(1),
                    "{name}: {}",
                    text(&replayed)
                );
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
}

#[test]
fn we_replay_spins_cycles() {
    if !spin_is_there() {
        return;
    }
    let Some(examples) = examples() else { return };
    for &(name, question, goes_on) in PROPERTIES {
        let folder = scratch_copy(&examples.join(name)).expect("copied");
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
        let made = run(&folder, "sh", &["-c", &script]);
        assert!(made.status.success(), "{name}: SPIN finds the violation");
        let trail = format!("{model}.trail");
        let words = ["replay", "--no-warnings", model, &trail];
        let replayed = run(&folder, env!("CARGO_BIN_EXE_ample"), &words);
        assert_eq!(
            replayed.status.code(),
            Some(1),
            "{name}: {}",
            text(&replayed)
        );
        let end = if goes_on {
            "the cycle closes"
        } else {
            "the run ends"
        };
        assert!(text(&replayed).contains(end), "{name}: {}", text(&replayed));
        let _ = std::fs::remove_dir_all(&folder);
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
            "--fairness",
            "weak",
            "--claim",
            claim,
            "m.pml",
        ];
        let checked = run(&folder, env!("CARGO_BIN_EXE_ample"), &words);
        assert_eq!(checked.status.code(), Some(1), "{name}: {}", text(&checked));
        assert!(text(&checked).contains("moves in the cycle"), "{name}");
        let replayed = text(&run(&folder, "spin", &["-t", "-p", "m.pml"]));
        assert!(replayed.contains("START OF CYCLE"), "{name}: {replayed}");
        assert!(replayed.contains("trail ends after"), "{name}: {replayed}");
        assert!(!replayed.contains("failed"), "{name}: {replayed}");
        let words = ["replay", "--no-warnings", "m.pml", "m.pml.trail"];
        let again = run(&folder, env!("CARGO_BIN_EXE_ample"), &words);
        assert!(text(&again).contains("the cycle closes"), "{name}");
        let _ = std::fs::remove_dir_all(&folder);
    }
}

//! Counterexamples travel both ways: SPIN replays ours, we replay SPIN's.

mod spin_support;

use spin_support::spin_is_there;
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

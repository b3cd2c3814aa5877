//! Asking SPIN and ourselves the same question: a full safety search that goes on past errors; or about a property.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test that shares this uses its own part"
)]

mod verifier;

pub(crate) use verifier::{Question, Verifier};

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// States stored, states matched, atomic steps.
    pub(crate) figures: (u64, u64, u64),
    /// Whether there was any error.
    pub(crate) errors: bool,
    /// Whether the model itself went wrong, so that what comes after depends on the checker.
    pub(crate) model_error: bool,
}

/// Whether SPIN is there to be asked; that it is not is an error when `AMPLE_REQUIRE_SPIN` is set.
pub(crate) fn spin_is_there() -> bool {
    let there = Command::new("spin").arg("-V").output().is_ok();
    if !there {
        assert!(
            std::env::var_os("AMPLE_REQUIRE_SPIN").is_none(),
            "SPIN is required but not installed"
        );
        println!("SPIN is not installed: nothing to compare");
    }
    there
}

/// The folder with SPIN's examples, if they are installed.
pub(crate) fn examples() -> Option<PathBuf> {
    let listed = Command::new("dpkg").args(["-L", "spin"]).output().ok()?;
    let text = String::from_utf8(listed.stdout).ok()?;
    let folder = text
        .lines()
        .find(|line| line.ends_with("/Examples"))
        .map(PathBuf::from);
    if folder.is_none() {
        assert!(
            std::env::var_os("AMPLE_REQUIRE_SPIN").is_none(),
            "SPIN is required but not installed"
        );
        println!("SPIN's examples are not installed: nothing to compare");
    }
    folder
}

/// A folder of its own with all that lies beside the model.
pub(crate) fn scratch_copy(model: &Path) -> Option<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("ample-spin-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for entry in std::fs::read_dir(model.parent()?).ok()?.flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), folder.join(entry.file_name())).expect("copied");
        }
    }
    Some(folder)
}

/// What we say.
pub(crate) fn ours(model: &Path) -> Answer {
    let result = &report(model)["results"][0];
    let figure = |name: &str| {
        result[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{model:?}: no {name}"))
    };
    let kinds = result["violations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|v| v["kind"].clone());
    Answer {
        figures: (figure("states"), figure("matched"), figure("atomic_steps")),
        errors: result["verdict"] == "violated",
        model_error: kinds.into_iter().any(|kind| kind == "model-error"),
    }
}

/// Our report on a full search.
pub(crate) fn report(model: &Path) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_ample"))
        .args([
            "check",
            "--plain",
            "--check",
            "safety",
            "--all-errors",
            "--no-trail",
            "--no-warnings",
        ])
        .args(["--format", "json"])
        .arg(model)
        .output()
        .expect("ample runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{model:?}: {e}: {text}"));
    assert_ne!(
        report["results"][0]["verdict"], "inconclusive",
        "{model:?}: {}",
        report["results"][0]["reason"]
    );
    report
}

/// What SPIN says; `None` when it does not complete the search.
pub(crate) fn spins(model: &Path) -> Option<Answer> {
    let text = pan(model, "-O0", "-n")?;
    let word = |what: &str| {
        text.lines()
            .find(|l| l.contains(what))?
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    };
    Some(Answer {
        figures: (
            word("states, stored")?,
            word("states, matched")?,
            word("atomic steps")?,
        ),
        errors: !text.contains("errors: 0"),
        model_error: text.contains("block in d_step") || text.contains("blocking sel in d_step"),
    })
}

/// The output of SPIN's full search; `None` when it does not complete.
pub(crate) fn pan(model: &Path, optimisation: &str, option: &str) -> Option<String> {
    let flags = format!("{optimisation} -DNOREDUCE");
    run_pan(model, "-o1 -o2 -o3", &flags, option)
}

/// How many states SPIN stores with its reduction and all else that it does by default; `None` when it does not complete.
pub(crate) fn reduced_states_of_spin(model: &Path, defines: &[&str]) -> Option<u64> {
    let defines: Vec<String> = defines.iter().map(|d| format!("-D{d}")).collect();
    let text = run_pan(model, &defines.join(" "), "-O1", "-n")?;
    let line = text.lines().find(|l| l.contains("states, stored"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The output of SPIN's safety search past all errors; `None` when it does not complete.
fn run_pan(model: &Path, options: &str, flags: &str, option: &str) -> Option<String> {
    let folder = scratch_copy(model)?;
    let script = format!(
        "spin {options} -a {} >/dev/null && gcc -w {flags} -DSAFETY -DNOCLAIM -DVECTORSZ=4096 -o pan pan.c && timeout 60 ./pan -m1000000 {option} -c0",
        model.file_name()?.to_string_lossy()
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .output()
        .expect("a shell");
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let incomplete = text.contains("max search depth too small")
        || text.contains("VECTORSZ is too small")
        || !text.contains("states, stored");
    (!incomplete).then_some(text)
}

/// How SPIN's full search ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FirstError {
    /// The first error, in a word: `holds` for none, `crash` when the verifier does not end by itself.
    pub(crate) word: &'static str,
    /// States stored, if the search came to its end.
    pub(crate) states: Option<u64>,
}

/// Division by zero ends the verifier, even where the compiler sees that the quotient does not matter (`0 > 3 / x`).
const TRAPS: &str = "-fsanitize=integer-divide-by-zero -fsanitize-undefined-trap-on-error";

/// What SPIN's full search stops at.
pub(crate) fn first_error_of_spin(model: &Path) -> FirstError {
    first_error_of_spin_at(model, "")
}

/// The same with an option for the search.
pub(crate) fn first_error_of_spin_at(model: &Path, option: &str) -> FirstError {
    let folder = scratch_copy(model).expect("a folder");
    let script = format!(
        "spin -o1 -o2 -o3 -a {} >/dev/null 2>&1; gcc -w -O0 {TRAPS} -DNOREDUCE -DSAFETY -DNOCLAIM -DVECTORSZ=4096 -o pan pan.c && timeout 60 ./pan -m1000000 -n {option}",
        model.file_name().unwrap_or_default().to_string_lossy()
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .output()
        .expect("a shell");
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout);
    let stored = text.lines().find(|line| line.contains("states, stored"));
    let states = stored.and_then(|line| line.split_whitespace().next()?.parse().ok());
    let known = [
        ("invalid array index", "index"),
        ("ref to un", "channel"),
        ("poll", "polled"),
        ("priority is out of range", "priority"),
        ("too few parameters in send", "shape"),
        ("too many fields in recv", "shape"),
        ("missing pars in receive", "shape"),
        ("wrong nr of msg fields", "shape"),
        ("invalid end state", "end"),
        ("enabled(pid=thisproc)", "asks itself"),
        ("block in d_step", "blocked"),
        ("blocking sel in d_step", "blocked"),
        ("unconditional self-loop", "refused"),
        ("max search depth too small", "too deep"),
        ("VECTORSZ", "too large"),
        ("assertion violated", "assertion"),
    ];
    let error = text
        .lines()
        .find(|line| line.starts_with("pan:1:") || line.starts_with("error:"));
    let word = match error {
        Some(error) => known
            .iter()
            .find(|(text, _)| error.contains(text))
            .map_or("another error", |(_, word)| word),
        None if text.contains("errors: 0") => "holds",
        None => "crash",
    };
    FirstError { word, states }
}

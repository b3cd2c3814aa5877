//! Asking SPIN and ourselves the same question: a full safety search that goes on past errors; or about a property.

mod verifier;

pub(crate) use verifier::{Question, Verifier};

use super::cli::{Dir, result, start};
use serde_json::Value;
use std::path::{Path, PathBuf};

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

/// Whether something that SPIN's package brings is there; that it is not is an error when `AMPLE_REQUIRE_SPIN` is set.
fn required(there: bool, what: &str) -> bool {
    if !there {
        let required = std::env::var_os("AMPLE_REQUIRE_SPIN").is_some();
        assert!(!required, "{what} required, but not installed");
        println!("{what} not installed: nothing to compare");
    }
    there
}

/// Whether SPIN and a C compiler are there to be asked.
pub(crate) fn spin_is_there() -> bool {
    let runs = |program, option| start(Path::new("."), program, &[option], "").is_some();
    required(
        runs("spin", "-V") && runs("gcc", "--version"),
        "SPIN and gcc are",
    )
}

/// The folder with SPIN's examples, if they are installed.
pub(crate) fn examples() -> Option<PathBuf> {
    let listed = start(Path::new("."), "dpkg", &["-L", "spin"], "")?;
    let text = String::from_utf8(listed.stdout).ok()?;
    let folder = text.lines().find(|line| line.ends_with("/Examples"));
    required(folder.is_some(), "SPIN's examples are");
    folder.map(PathBuf::from)
}

/// What we say.
pub(crate) fn ours(model: &Path) -> Answer {
    let result = report(model);
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
pub(crate) fn report(model: &Path) -> Value {
    let result = result(model, &["--plain", "--check", "safety", "--all-errors"]);
    let reason = &result["reason"];
    assert_ne!(result["verdict"], "inconclusive", "{model:?}: {reason}");
    result
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

/// The same for a claim of the model.
pub(crate) fn reduced_states_of_claim(model: &Path, claim: &str) -> Option<u64> {
    let script = format!(
        "spin -a {} >/dev/null && gcc -w -O1 -DVECTORSZ=4096 -o pan pan.c && timeout 60 ./pan -m1000000 -n -a -N {claim} -c0",
        model.file_name()?.to_string_lossy()
    );
    let text = Dir::copy_of(model).shell(&script).out;
    let complete = !text.contains("max search depth too small");
    let line = text.lines().find(|l| l.contains("states, stored"))?;
    let states = line.split_whitespace().next()?.parse().ok();
    states.filter(|_| complete)
}

/// The output of SPIN's safety search past all errors; `None` when it does not complete.
fn run_pan(model: &Path, options: &str, flags: &str, option: &str) -> Option<String> {
    let script = format!(
        "spin {options} -a {} >/dev/null && gcc -w {flags} -DSAFETY -DNOCLAIM -DVECTORSZ=4096 -o pan pan.c && timeout 60 ./pan -m1000000 {option} -c0",
        model.file_name()?.to_string_lossy()
    );
    let text = Dir::copy_of(model).shell(&script).out;
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
    let script = format!(
        "spin -o1 -o2 -o3 -a {} >/dev/null 2>&1; gcc -w -O0 {TRAPS} -DNOREDUCE -DSAFETY -DNOCLAIM -DVECTORSZ=4096 -o pan pan.c && timeout 60 ./pan -m1000000 -n {option}",
        model.file_name().unwrap_or_default().to_string_lossy()
    );
    let text = Dir::copy_of(model).shell(&script).out;
    let stored = text.lines().find(|line| line.contains("states, stored"));
    let states = stored.and_then(|line| line.split_whitespace().next()?.parse().ok());
    let known = [
        ("invalid array index", "index"),
        ("ref to un", "channel"),
        ("poll", "polled"),
        ("priority is out of range", "priority"),
        ("too few parameters in send", "fields"),
        ("too many fields in recv", "fields"),
        ("missing pars in receive", "fields"),
        ("wrong nr of msg fields", "fields"),
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

//! SPIN's figures for the same model and property, where SPIN and a C compiler are installed.
//!
//! The verifier is generated and compiled once for each search, with `-DNOREDUCE` for the full one, and run past errors
//! (`-c0`). The time is the one the verifier prints, neither generation nor compilation included. SPIN prints memory in
//! megabytes; what it says of the states alone is taken, since its table and its stack have the sizes they are given.

use super::run::{Passed, SAFETY, Which};
use super::{Figures, Origin, Pair, Subject};
use anyhow::{Context, bail, ensure};
use promela_lite::opt::Passes;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Length of paths; SPIN reserves its stack beforehand.
const DEPTH: &str = "-m10000000";

/// Whether both are there.
pub(crate) fn is_installed() -> bool {
    let runs = |program: &str, option: &str| Command::new(program).arg(option).output().is_ok();
    runs("spin", "-V") && runs("gcc", "--version")
}

/// Measures both searches in a directory of its own, which is removed afterwards.
pub(crate) fn measure(
    subject: &Subject,
    property: &str,
    passed: Passed,
    repeat: usize,
) -> anyhow::Result<Pair> {
    let place = Place::new()?;
    let model = match &subject.origin {
        Origin::File(path) => std::path::absolute(path)?,
        Origin::BuiltIn(built_in) => {
            let path = place.0.join("model.pml");
            std::fs::write(&path, built_in.text)?;
            path
        }
    };
    let mut measured = Vec::new();
    for which in Which::BOTH {
        build(&place.0, &model, subject, property, passed, which)?;
        let mut best = run(&place.0, property)?;
        for _ in 1..repeat {
            let next = run(&place.0, property)?;
            best.seconds = best.seconds.min(next.seconds);
        }
        measured.push(best);
    }
    Ok(Pair {
        full: measured[0],
        reduced: measured[1],
    })
}

/// A directory that goes away.
struct Place(PathBuf);

impl Place {
    fn new() -> anyhow::Result<Place> {
        let path = std::env::temp_dir().join(format!("ample-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path)
            .with_context(|| format!("cannot make a directory {}", path.display()))?;
        Ok(Place(path))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Generates and compiles the verifier.
fn build(
    place: &Path,
    model: &Path,
    subject: &Subject,
    property: &str,
    passed: Passed,
    which: Which,
) -> anyhow::Result<()> {
    let Passes {
        merge,
        dead_variables,
        ..
    } = passed.passes(which);
    let mut spin = Command::new("spin");
    for (name, value) in &subject.defines {
        spin.arg(match value {
            Some(value) => format!("-D{name}={value}"),
            None => format!("-D{name}"),
        });
    }
    if !dead_variables {
        spin.args(["-o1", "-o2"]);
    }
    if !merge {
        spin.arg("-o3");
    }
    finish(spin.arg("-a").arg(model).current_dir(place), "spin")?;
    ensure!(
        place.join("pan.c").exists(),
        "SPIN generates no verifier for {}",
        model.display()
    );
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-w", "-DMEMLIM=8000"]);
    if property == SAFETY {
        gcc.args(["-DSAFETY", "-DNOCLAIM"]);
    }
    if which == Which::Full {
        gcc.arg("-DNOREDUCE");
    }
    let compiled = finish(gcc.args(["-o", "pan", "pan.c"]).current_dir(place), "gcc")?;
    if !compiled.status.success() {
        bail!(
            "gcc does not compile SPIN's verifier: {}",
            String::from_utf8_lossy(&compiled.stderr)
        );
    }
    Ok(())
}

fn run(place: &Path, property: &str) -> anyhow::Result<Figures> {
    let mut pan = Command::new(place.join("pan"));
    pan.args([DEPTH, "-n", "-c0"]).current_dir(place);
    if property != SAFETY {
        pan.args(["-a", "-N", property]);
    }
    let output = finish(&mut pan, "SPIN's verifier")?;
    let text = String::from_utf8_lossy(&output.stdout);
    read(&text).with_context(|| format!("cannot read what SPIN's verifier says: {text}"))
}

fn finish(command: &mut Command, name: &str) -> anyhow::Result<Output> {
    command
        .output()
        .with_context(|| format!("cannot run {name}"))
}

/// Takes the figures out of what the verifier prints.
fn read(text: &str) -> Option<Figures> {
    let number = |what: &str| -> Option<f64> {
        let line = text.lines().find(|l| l.contains(what))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let cut = [
        "max search depth too small",
        "out of memory",
        "not completed",
    ];
    Some(Figures {
        states: number("states, stored")? as u64,
        transitions: number(" transitions (=")? as u64,
        memory_bytes: (number("actual memory usage for states").unwrap_or(0.0) * 1048576.0) as u64,
        seconds: elapsed(text)?,
        complete: !cut.iter().any(|words| text.contains(words)),
    })
}

/// The verifier's own clock: its process also spends time on setting memory aside.
fn elapsed(text: &str) -> Option<f64> {
    let (_, behind) = text.split_once("elapsed time ")?;
    behind.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "
(Spin Version 6.5.2 -- 6 December 2019)

State-vector 60 byte, depth reached 33, errors: 0
      577 states, stored
      100 states, matched
      677 transitions (= stored+matched)
        7 atomic steps
hash conflicts:         0 (resolved)

Stats on memory usage (in Megabytes):
    0.050\tequivalent memory usage for states (stored*(State-vector + overhead))
    0.500\tactual memory usage for states
  128.000\tmemory used for hash table (-w24)
  534.058\tmemory used for DFS stack (-m10000000)
  662.558\ttotal actual memory usage

pan: elapsed time 0.25 seconds
";

    #[test]
    fn figures_are_read() {
        let figures = read(PRINTED).unwrap();
        assert_eq!((figures.states, figures.transitions), (577, 677));
        assert_eq!((figures.memory_bytes, figures.seconds), (1 << 19, 0.25));
        assert!(figures.complete);
    }

    #[test]
    fn a_search_that_was_cut_off_is_not_complete() {
        let text = format!("error: max search depth too small\n{PRINTED}");
        assert!(!read(&text).unwrap().complete);
        assert_eq!(read("out of memory"), None);
    }
}

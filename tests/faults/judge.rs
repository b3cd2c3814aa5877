//! What a run must not do, whatever goes wrong.

use crate::cases::Case;
use rustix::process::{Pid, Signal, kill_process, test_kill_process_group};
use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    /// None if a signal ended it.
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    /// Whether a process of its group was left.
    pub(crate) left: bool,
}

/// Starts the command in a process group of its own.
fn start(folder: &Path, program: &str, args: &[&str], environment: &[(&str, String)]) -> Child {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).process_group(0);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.spawn().expect("the program runs")
}

fn end(child: Child) -> Run {
    let group = Pid::from_child(&child);
    let output = child.wait_with_output().expect("it ends");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        left: test_kill_process_group(group).is_ok(),
    }
}

/// Runs `ample` with an environment.
pub(crate) fn ample(folder: &Path, args: &[&str], environment: &[(&str, String)]) -> Run {
    end(start(
        folder,
        env!("CARGO_BIN_EXE_ample"),
        args,
        environment,
    ))
}

/// The same under a limit of the shell.
pub(crate) fn limited(folder: &Path, limit: &str, args: &[&str]) -> Run {
    let ample = env!("CARGO_BIN_EXE_ample");
    shell(
        folder,
        &format!("ulimit {limit}; exec '{ample}' {}", args.join(" ")),
    )
}

/// Runs a script that ends in running `ample` in its place.
pub(crate) fn shell(folder: &Path, script: &str) -> Run {
    end(start(folder, "bash", &["-c", script], &[]))
}

/// Runs `ample` and sends it a signal after some time.
pub(crate) fn signalled(folder: &Path, args: &[&str], after: Duration, signal: Signal) -> Run {
    let child = start(folder, env!("CARGO_BIN_EXE_ample"), args, &[]);
    std::thread::sleep(after);
    // It may have ended by then, but has not been waited for: the number is still its own.
    let _ = kill_process(Pid::from_child(&child), signal);
    end(child)
}

/// What all rounds came to.
#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(crate) runs: u64,
    pub(crate) faults: u64,
    pub(crate) passed_over: u64,
    pub(crate) complete: u64,
    wrong: Vec<String>,
    missing: Vec<String>,
    lost: Vec<String>,
    left: Vec<String>,
    by_kind: BTreeMap<&'static str, u64>,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} faults injected, {} runs ({} complete all the same), {} rounds passed over; \
             verdicts wrong {}, reports missing {}, files lost {}, files or processes left {}",
            self.faults,
            self.runs,
            self.complete,
            self.passed_over,
            self.wrong.len(),
            self.missing.len(),
            self.lost.len(),
            self.left.len(),
        )?;
        writeln!(f, "by kind: {:?}", self.by_kind)?;
        let all = [&self.wrong, &self.missing, &self.lost, &self.left];
        all.into_iter()
            .flatten()
            .try_for_each(|what| writeln!(f, "{what}"))
    }
}

impl Account {
    pub(crate) fn is_clean(&self) -> bool {
        let all = [&self.wrong, &self.missing, &self.lost, &self.left];
        all.into_iter().all(Vec::is_empty)
    }

    /// A fault was injected.
    pub(crate) fn count(&mut self, kind: &'static str) {
        self.faults += 1;
        *self.by_kind.entry(kind).or_default() += 1;
    }

    /// Something is left.
    pub(crate) fn leave(&mut self, what: String) {
        self.left.push(what);
    }

    /// Judges a run with a report as text; `unreported` if the report itself may not have been possible.
    pub(crate) fn judge(&mut self, run: &Run, case: &Case, unreported: bool, about: &str) {
        self.runs += 1;
        let told = |word: &str| run.out.starts_with(word) && run.out.contains("m.pml");
        let decided = [(0, "HOLDS"), (1, "VIOLATED")];
        let reports = match run.code {
            0 | 1 => told(decided[run.code as usize].1),
            3 => {
                told("INCONCLUSIVE") && run.out.contains("next: ")
                    || run.out.contains("while reading the model")
                    || unreported && run.err.contains("not even for a report")
            }
            _ => false,
        };
        let panicked = run.err.contains("panicked") || run.err.contains("backtrace");
        if !reports || panicked {
            self.missing.push(format!("{about}\n{run:?}"));
        }
        if matches!(run.code, 0 | 1) {
            self.complete += 1;
            // A lossy search that holds says nothing.
            if run.code != case.code {
                self.wrong.push(format!("{about}\n{run:?}"));
            }
        }
        self.judge_process(run, about);
    }

    /// Judges a run that went on from a checkpoint and ended, with a report in JSON.
    pub(crate) fn judge_resumed(&mut self, run: &Run, case: &Case, about: &str) {
        self.runs += 1;
        self.complete += 1;
        let states = case.states_of(run);
        if run.code != case.code || states != case.states {
            let due = case.states;
            self.wrong
                .push(format!("{about}: {due:?} states are due\n{run:?}"));
        }
        self.judge_process(run, about);
    }

    /// A run that was killed: it may say nothing, but not the wrong thing.
    pub(crate) fn judge_killed(&mut self, run: &Run, case: &Case, about: &str) {
        self.runs += 1;
        if run.code != -1 && run.code != case.code {
            self.wrong.push(format!("{about}\n{run:?}"));
        }
    }

    fn judge_process(&mut self, run: &Run, about: &str) {
        if run.left {
            self.left
                .push(format!("{about}: a process is left\n{run:?}"));
        }
    }
}

/// A folder of the user's, with a model and a few other files.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    files: Vec<(&'static str, String)>,
}

impl Folder {
    pub(crate) fn new(place: &Path, case: &Case) -> Folder {
        let path = place.join("user");
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let files = vec![
            ("m.pml", case.model.to_owned()),
            ("m.pml.trail", "no trail, but the user's\n".to_owned()),
            ("notes.json", "{}\n".to_owned()),
        ];
        for (name, text) in &files {
            std::fs::write(path.join(name), text).unwrap();
        }
        Folder { path, files }
    }

    /// The user's files are as they were, and nothing is there but what was asked for.
    pub(crate) fn must_be_whole(&self, about: &str, account: &mut Account) {
        for (name, text) in &self.files {
            let now = std::fs::read_to_string(self.path.join(name)).unwrap_or_default();
            if now != *text {
                account.lost.push(format!("{about}: {name} is now {now:?}"));
            }
        }
        for entry in std::fs::read_dir(&self.path).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let trail = name.starts_with("m.pml") && name.contains("trail");
            let own = trail || name == "search.checkpoint" || name == "disk";
            if !own && self.files.iter().all(|(file, _)| *file != name) {
                account.left.push(format!("{about}: {name} is left"));
            }
        }
    }
}

//! Checking a model of a suite: `ample check` in a process of its own, compared with what the model says.

use super::header::{Expected, FAIRNESS, Header, WHOLE, read};
use super::{Outcome, Tested};
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The exit code of `ample check` for a model that cannot be used.
const REFUSED: i32 = 2;

/// What is the same for all models of a suite.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// The program that is started.
    pub(crate) program: PathBuf,
    /// What every check gets unless the model itself says something else.
    pub(crate) options: Vec<(&'static str, String)>,
    /// Checks at the same time.
    pub(crate) jobs: usize,
}

/// All models below some folders, in order; a file that is named is one whatever it is called.
pub(crate) fn models(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        match fs::metadata(path)?.is_dir() {
            true => collect(path, &mut found)?,
            false => found.push(path.clone()),
        }
    }
    Ok(found)
}

/// Links to folders are not followed: they could lead around in a circle.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let path = entry.path();
        let ends = |end: &str| path.extension().is_some_and(|e| e == end);
        if entry.file_type()?.is_dir() && !hidden {
            collect(&path, found)?;
        } else if !hidden && (ends("pml") || ends("prom") || ends("promela")) && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

impl Suite {
    /// Checks all models, several at a time, until `stop` says so. `tell` gets each as it is finished, with how many are. The
    /// answers are in the order of the models.
    pub(crate) fn run(
        &self,
        paths: &[PathBuf],
        stop: &(dyn Fn() -> bool + Sync),
        tell: &(dyn Fn(&Tested, usize) + Sync),
    ) -> Vec<Tested> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let work = || {
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop() {
                    return;
                }
                let start = Instant::now();
                let tested = Tested {
                    path: path.clone(),
                    outcome: self.test(path),
                    time: start.elapsed(),
                };
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                tell(&tested, done.len() + 1);
                done.push(tested);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs.min(paths.len()) {
                // Where no thread can be had, the others do its part.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|tested| paths.iter().position(|p| *p == tested.path));
        done
    }

    /// Checks one model.
    fn test(&self, path: &Path) -> Outcome {
        let failed = |what: String| Outcome::Failed(vec![what]);
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => return failed(format!("cannot be read: {error}")),
        };
        match read(&text) {
            Err(wrong) => failed(wrong),
            Ok(header) if header.is_empty() => Outcome::Skipped,
            Ok(header) if header.refused => match self.check(path, &header, &[]) {
                Ok(_) => failed("expected an error in the model, but it has none".to_owned()),
                Err((Some(REFUSED), _)) => Outcome::Passed(1),
                Err((_, said)) => failed(said),
            },
            Ok(header) => self.compare(path, &header),
        }
    }

    /// Compares what is expected of goals with what the check says.
    fn compare(&self, path: &Path, header: &Header) -> Outcome {
        let mut wrong = Vec::new();
        let mut undecided = Vec::new();
        for (_, fairness) in FAIRNESS {
            let due: Vec<&Expected> = header
                .expected
                .iter()
                .filter(|e| e.fairness == fairness)
                .collect();
            if due.is_empty() {
                continue;
            }
            let options = [("--fairness", fairness)];
            let options = if fairness == "none" {
                &[][..]
            } else {
                &options
            };
            match self.check(path, header, options) {
                Ok(report) => due
                    .iter()
                    .for_each(|due| judge(due, &report, &mut wrong, &mut undecided)),
                Err((_, said)) => wrong.push(said),
            }
            let counted: Vec<_> = due.iter().filter(|due| due.states.is_some()).collect();
            if counted.is_empty() {
                continue;
            }
            let plain = [options, &[("--plain", ""), ("--workers", "1")]].concat();
            match self.check(path, header, &plain) {
                Ok(report) => counted
                    .iter()
                    .for_each(|due| count(due, &report, &mut wrong)),
                Err((_, said)) => wrong.push(said),
            }
        }
        match (wrong.is_empty(), undecided.is_empty()) {
            (true, true) => Outcome::Passed(header.expected.len()),
            (true, false) => Outcome::Inconclusive(undecided),
            (false, _) => Outcome::Failed([wrong, undecided].concat()),
        }
    }

    /// The report of a check with further options (a flag has an empty value), unless the model itself gives them; or its exit
    /// code and what it said.
    fn check(
        &self,
        path: &Path,
        header: &Header,
        options: &[(&str, &str)],
    ) -> Result<Value, (Option<i32>, String)> {
        let common = self
            .options
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        let replaced = |name: &str| options.iter().any(|option| option.0 == name);
        let common = common.filter(|(name, _)| !replaced(name));
        let given = |name: &str| header.options.iter().any(|option| option == name);
        let ours = common
            .chain(options.iter().copied())
            .filter(|(name, _)| !given(name));
        let words = ours.flat_map(|(name, value)| [name, value]);
        let output = Command::new(&self.program)
            .args(["check", "--format", "json", "--no-trail", "--no-warnings"])
            .args(words.filter(|word| !word.is_empty()))
            .args(&header.options)
            .arg("--")
            .arg(path)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| (None, format!("cannot be checked: {error}")))?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().find(|line| !line.trim().is_empty());
            let code = output.status.code();
            let ended = format!("the check ended with {}", output.status);
            (code, said.map_or(ended, str::to_owned))
        })
    }
}

/// The part of a report that is about a goal.
fn result<'r>(report: &'r Value, goal: &str) -> Option<&'r Value> {
    let mut results = report["results"].as_array()?.iter();
    let named = results.find(|result| result["property"] == goal);
    named.or((goal == WHOLE).then_some(report))
}

fn goals(report: &Value) -> String {
    let results = report["results"].as_array();
    let names = results.into_iter().flatten().map(|r| &r["property"]);
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    names.join(", ")
}

/// Whether a goal is what it should be.
fn judge(due: &Expected, report: &Value, wrong: &mut Vec<String>, undecided: &mut Vec<String>) {
    let Expected { goal, fairness, .. } = due;
    let about = match *fairness {
        "none" => goal.clone(),
        fairness => format!("{goal}, fairness {fairness}"),
    };
    let Some(result) = result(report, goal) else {
        wrong.push(format!("no goal `{goal}`; there are: {}", goals(report)));
        return;
    };
    let verdict = match result["verdict"].as_str().unwrap_or_default() {
        "probably-holds" => "holds",
        verdict => verdict,
    };
    if verdict != due.verdict {
        let line = format!("{about}: expected {}, but {verdict}", due.verdict);
        match result["reason"].as_str() {
            Some(reason) if verdict == "inconclusive" => {
                undecided.push(format!("{line}: {reason}"));
            }
            _ if verdict == "inconclusive" => undecided.push(line),
            _ => wrong.push(line),
        }
        return;
    }
    let Some(detail) = &due.detail else {
        return;
    };
    let first = &result["violations"][0];
    let says = |key: &str| first[key].as_str().unwrap_or_default();
    if !says("kind").contains(detail) && !says("message").contains(detail) {
        let (kind, message) = (says("kind"), says("message"));
        wrong.push(format!(
            "{about}: expected `{detail}`, but {kind}: {message}"
        ));
    }
}

/// Whether a plain search has as many states as it should.
fn count(due: &Expected, report: &Value, wrong: &mut Vec<String>) {
    let states = result(report, &due.goal).and_then(|result| result["states"].as_u64());
    if states != due.states
        && let (Some(states), Some(expected)) = (states, due.states)
    {
        let goal = &due.goal;
        wrong.push(format!(
            "{goal}: expected {expected} states in a plain search, but {states}"
        ));
    }
}

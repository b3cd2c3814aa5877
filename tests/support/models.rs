//! The models in `tests/models`, each with what is true of it in its first comment:
//!
//! ```text
//! /*
//!  * What the model is about.
//!  *
//!  * expect: GOAL holds|violated[, NUMBER states][, WORD]
//!  * ...
//!  */
//! ```
//!
//! Above the empty line is prose, below it facts, one a line:
//!
//! - `expect: safety violated, index`: a goal by the name that reports give it, its verdict, the number of states of a plain
//!   search by one worker, and a word for what is found first; `expect: model refused` if it is none.
//! - `expect-f: p holds`, `expect-weak`, `expect-strong`: the same under fairness.
//! - `options: --no-end-check`: processes may be left waiting.
//! - `graph: 3 states, 1 matched, 0 atomic, 0 errors`: figures of a full search past all errors; those at the end may be
//!   left out.
//! - `finds: nothing`, or what that search runs into, separated by semicolons.
//! - `says: TEXT`: part of the message about every violation.
//! - `reduction: on` or `off`: whether the model can be reduced at all.
//! - `spin: same`, or what SPIN's full search stops at instead, and why.
//!
//! A fact that is not among these is an error, and so is a model without any.

use std::path::{Path, PathBuf};

/// What is due for one goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) goal: String,
    /// Which runs count: `none`, `f`, `weak` or `strong`.
    pub(crate) fairness: &'static str,
    pub(crate) violated: bool,
    pub(crate) states: Option<u64>,
    pub(crate) word: Option<String>,
}

/// What is true of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) expected: Vec<Expected>,
    pub(crate) refused: bool,
    pub(crate) may_wait: bool,
    /// States, matched, atomic steps, errors; as far as they are given.
    pub(crate) graph: Vec<u64>,
    pub(crate) finds: Option<Vec<String>>,
    pub(crate) says: Option<String>,
    pub(crate) reduced: Option<bool>,
    /// What SPIN says: a word, or `same`.
    pub(crate) spin: Option<String>,
}

/// A model of the folder.
#[derive(Debug)]
pub(crate) struct Case {
    /// Folder and name.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) facts: Facts,
}

/// All files below a folder that end so, in order.
pub(crate) fn files_below(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder:?}: {e}"));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                files.extend(files_below(&path, ends));
            }
        } else if ends.iter().any(|end| name.ends_with(end)) {
            files.push(path);
        }
    }
    files
}

/// All models of a group, which is a folder; of every group if it is empty.
pub(crate) fn models(group: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let case = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path);
        let name = name.display().to_string();
        let text = std::fs::read_to_string(&path).expect("readable");
        let facts = facts(&text).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        Case { name, text, facts }
    };
    let files = files_below(&root.join(group), &[".pml"]);
    assert!(!files.is_empty(), "no models in {group}");
    files.into_iter().map(case).collect()
}

/// The facts in the first comment of a model, or what is wrong with them.
pub(crate) fn facts(text: &str) -> Result<Facts, String> {
    let head = text.strip_prefix("/*\n").ok_or("no header")?;
    let (head, _) = head.split_once("\n */\n").ok_or("the header has no end")?;
    let (_, lines) = head
        .split_once("\n *\n")
        .ok_or("no empty line above the facts")?;
    let mut facts = Facts::default();
    for line in lines.lines() {
        let fact = line.strip_prefix(" * ").unwrap_or(line);
        let (key, value) = fact.split_once(": ").ok_or(format!("no fact: {fact}"))?;
        let unknown = || format!("unknown: {fact}");
        match (key, value) {
            ("expect", "model refused") => facts.refused = true,
            ("expect" | "expect-f" | "expect-weak" | "expect-strong", value) => {
                let due = expected(key, value).ok_or_else(unknown)?;
                facts.expected.push(due);
            }
            ("options", "--no-end-check") => facts.may_wait = true,
            ("graph", value) => facts.graph = figures(value).ok_or_else(unknown)?,
            ("finds", "nothing") => facts.finds = Some(Vec::new()),
            ("finds", list) => facts.finds = Some(list.split("; ").map(str::to_owned).collect()),
            ("says", text) => facts.says = Some(text.to_owned()),
            ("reduction", "on" | "off") => facts.reduced = Some(value == "on"),
            ("spin", "same") => facts.spin = Some(value.to_owned()),
            ("spin", value) => {
                let (word, _) = value.split_once(", because ").ok_or_else(unknown)?;
                facts.spin = Some(word.to_owned());
            }
            _ => return Err(unknown()),
        }
    }
    match facts.refused != facts.expected.is_empty() {
        true => Err("it must be refused, or something must be expected".to_owned()),
        false => Ok(facts),
    }
}

fn expected(key: &str, fact: &str) -> Option<Expected> {
    let mut details = fact.split(", ");
    let (goal, verdict) = details.next()?.rsplit_once(' ')?;
    let violated = match verdict {
        "holds" => false,
        "violated" => true,
        _ => return None,
    };
    let mut expected = Expected {
        goal: goal.to_owned(),
        fairness: match key {
            "expect-f" => "f",
            "expect-weak" => "weak",
            "expect-strong" => "strong",
            _ => "none",
        },
        violated,
        ..Expected::default()
    };
    for detail in details {
        match detail.strip_suffix(" states") {
            Some(number) => expected.states = Some(number.parse().ok()?),
            None => expected.word = Some(detail.to_owned()),
        }
    }
    Some(expected)
}

fn figures(fact: &str) -> Option<Vec<u64>> {
    let names = ["states", "matched", "atomic", "errors"];
    let figure = |(part, name): (&str, &str)| part.strip_suffix(name)?.trim_end().parse().ok();
    let parts: Vec<&str> = fact.split(", ").collect();
    let known = parts.len() <= names.len();
    let figures = parts.into_iter().zip(names).map(figure);
    figures.collect::<Option<Vec<u64>>>().filter(|_| known)
}

//! What every file keeps to, and no compiler looks at.
//!
//! - A Rust file begins with a comment that says what it is for. Its lines have at most 130 columns, unless a text in quotes
//!   makes them longer: that is not broken for the looks of it.
//! - No text file has blanks at the end of a line, notes of what is still to be done, or paths of somebody's machine.
//! - A model in `tests/models` says what is true of it.

mod support;

use std::path::Path;
use support::models::{facts, files_below};

const COLUMNS: usize = 130;

/// What may not occur, in two halves: this file is looked at too.
const FORBIDDEN: [[&str; 2]; 9] = [
    ["to", "do!"],
    ["unimpl", "emented!"],
    ["db", "g!("],
    ["FIX", "ME"],
    ["XX", "X"],
    ["/ho", "me/"],
    ["/ro", "ot/"],
    ["/wo", "rk/"],
    ["/tm", "p/"],
];

/// What is wrong with a file, each with its line.
fn complaints(name: &str, text: &str) -> Vec<(usize, String)> {
    let is_rust = name.ends_with(".rs");
    let mut wrong = Vec::new();
    if is_rust && !text.starts_with("//! ") && !text.starts_with("#![") {
        wrong.push((1, "does not say what the file is for".to_owned()));
    }
    if name.contains("tests/models/")
        && let Err(error) = facts(text)
    {
        wrong.push((1, error));
    }
    for (index, line) in text.lines().enumerate() {
        let mut complain = |what: String| wrong.push((index + 1, what));
        if is_rust && line.chars().count() > COLUMNS && !line.contains('"') {
            complain(format!("has more than {COLUMNS} columns"));
        }
        if line.ends_with([' ', '\t']) {
            complain("ends with blanks".to_owned());
        }
        let bad = FORBIDDEN.map(|halves| halves.concat());
        for word in bad.iter().filter(|word| line.contains(*word)) {
            complain(format!("has `{word}`"));
        }
    }
    wrong
}

#[test]
fn every_file_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = files_below(
        root,
        &[".rs", ".md", ".sh", ".pml", ".py", ".toml", ".lalrpop"],
    );
    files.push(root.join(".ci/run"));
    assert!(files.len() > 500, "only {} files", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let name = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .display()
            .to_string();
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (line, what) in complaints(&name, &String::from_utf8_lossy(&bytes)) {
            wrong.push(format!("{name}:{line}: {what}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_tidy_is_noticed() {
    let lines = |name: &str, text: &str| -> Vec<usize> {
        let wrong = complaints(name, text);
        wrong.into_iter().map(|(line, _)| line).collect()
    };
    let long = "x".repeat(COLUMNS + 1);
    assert_eq!(lines("a.rs", "//! Head.\nfn f() {}\n"), [0; 0]);
    assert_eq!(lines("a.rs", "fn f() {}\n"), [1]);
    assert_eq!(lines("a.rs", &format!("//! Head.\n// {long}\n")), [2]);
    assert_eq!(lines("a.rs", &format!("//! Head.\n\"{long}\"\n")), [0; 0]);
    assert_eq!(lines("a.md", &format!("{long}\nblanks \n")), [2]);
    for halves in FORBIDDEN {
        let word = halves.concat();
        assert_eq!(
            lines("a.md", &format!("\n\nsome {word} here\n")),
            [3],
            "{word}"
        );
    }
    let model = "active proctype P() { skip }\n";
    assert_eq!(lines("tests/models/m.pml", model), [1]);
    let header = "/*\n * Ends.\n *\n * expect: safety holds\n */\n";
    assert_eq!(
        lines("tests/models/m.pml", &format!("{header}{model}")),
        [0; 0]
    );
}

//! The shipped models keep the promises in their headers: ` * expect: safety holds`, ` * expect: NAME violated`, …, and
//! ` * expect-weak: NAME holds` under weak fairness.
//!
//! A debug build leaves out the largest; `cargo test --release --test examples` checks all.

mod support;

use std::path::Path;

/// Too large for a debug build.
const LARGE: &[&str] = &["pftp.pml"];

fn expectations(text: &str, mark: &str) -> Vec<(String, String)> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(mark)?.strip_prefix(": "));
    let pair = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (goal, verdict) = (words.next()?, words.next()?);
        Some((goal, verdict.trim_end_matches(',').to_owned()))
    };
    lines.filter_map(pair).collect()
}

fn verdicts(path: &Path, fairness: &str, more: &[&str]) -> Vec<(String, String)> {
    let options = [&["--fairness", fairness], more].concat();
    let report = support::cli::check(path, &options).json();
    let results = report["results"].as_array().expect("results");
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    results
        .iter()
        .map(|r| (word(&r["property"]), word(&r["verdict"])))
        .collect()
}

#[test]
fn every_example_does_what_its_header_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).expect("examples").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".pml") || (cfg!(debug_assertions) && LARGE.contains(&name.as_str())) {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("readable");
        let expected = expectations(&text, "* expect");
        assert!(!expected.is_empty(), "{name} promises nothing");
        assert_eq!(verdicts(&entry.path(), "none", &[]), expected, "{name}");
        let weakly = expectations(&text, "* expect-weak");
        if !weakly.is_empty() {
            let verdicts = verdicts(&entry.path(), "weak", &[]);
            for promise in weakly {
                assert!(
                    verdicts.contains(&promise),
                    "{name}: {promise:?} in {verdicts:?}"
                );
            }
        }
        checked += 1;
    }
    assert!(checked >= 15);
}

/// Model, parameter, property, and whether it holds without fairness, under F, weak and strong fairness: the table of
/// `examples/README.md`.
const UNDER_FAIRNESS: &[(&str, Option<&str>, &str, [bool; 4])] = &[
    ("peterson", None, "enters0", [true; 4]),
    ("peterson_n", None, "enters0", [false, false, true, true]),
    ("bakery", None, "allserved", [true; 4]),
    ("jobs", None, "all", [false, true, true, true]),
    ("jobs", None, "together", [false; 4]),
    ("token_ring", None, "sends", [false, false, true, true]),
    ("starvation", None, "served", [false, false, false, true]),
    ("philosophers", None, "eats", [false; 4]),
    (
        "philosophers",
        Some("ORDERED"),
        "eats",
        [false, false, false, true],
    ),
    (
        "abp",
        Some("THIEF"),
        "progress",
        [false, false, false, true],
    ),
    ("sieve", None, "progress", [true; 4]),
    ("urp", None, "progress", [true; 4]),
    ("abp", None, "progress", [false; 4]),
    ("dtp", None, "progress", [false; 4]),
    ("pftp", None, "progress", [false; 4]),
    ("snoopy", None, "progress", [false; 4]),
    ("accounting", None, "progress", [false; 4]),
    ("sliding_window", None, "progress", [false; 4]),
];

#[test]
fn the_table_of_fair_verdicts_is_true() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for (model, parameter, property, expected) in UNDER_FAIRNESS {
        let path = folder.join(format!("{model}.pml"));
        let mut more = vec!["--claim", *property];
        more.extend(parameter.iter().flat_map(|p| ["-D", p]));
        for (fairness, holds) in ["none", "f", "weak", "strong"].iter().zip(expected) {
            let word = if *holds { "holds" } else { "violated" };
            let promise = vec![((*property).to_owned(), word.to_owned())];
            let about = format!("{model} {parameter:?} {fairness}");
            assert_eq!(verdicts(&path, fairness, &more), promise, "{about}");
        }
    }
}

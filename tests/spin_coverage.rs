//! The statements that were never reached: the same list as SPIN's.
//!
//! After a full search, for every proctype: the same control states by line and number, and the same totals. Claims are
//! left out: this search does not run them. A few of SPIN's examples and of our random models here; all with
//! `AMPLE_ALL=1 cargo test --release --test spin_coverage`. Lines are not compared on random models: of a declaration SPIN
//! tells the line on which the next token stands.

mod support;

use promela_random as random;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::cli::Dir;
use support::spin::{examples, pan, report};
use support::{all, rows};

/// Examples that are searched in a moment, with selections, `atomic`, `d_step`, escapes, inlines, unreachable ends.
const QUICK: &[&str] = &[
    "Book_1991/p104.2.pml",
    "Book_1991/p107.pml",
    "abp.pml",
    "pathfinder.pml",
    "werkplaats.pml",
];
/// How many random models.
const RANDOM: (u64, u64) = (6, 120);

/// Of one proctype: how many control states were not reached, of how many, and which (line, number).
#[derive(Debug, Default, PartialEq, Eq)]
struct Unreached {
    count: u64,
    of: u64,
    states: BTreeSet<(u64, u64)>,
}

type Listing = BTreeMap<String, Unreached>;

/// The lists at the end of SPIN's output.
fn spins(model: &Path) -> Option<Listing> {
    let text = pan(model, "-O1", "")?;
    // Where the model itself goes wrong, what comes after depends on the checker.
    if text.contains("block in d_step") || text.contains("blocking sel in d_step") {
        return None;
    }
    let mut listing = Listing::new();
    let mut open: Option<(String, Unreached)> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("unreached in ") {
            let name = name.strip_prefix("proctype ").unwrap_or(name);
            open = Some((name.to_string(), Unreached::default()));
        }
        let Some((name, mut unreached)) = open.take() else {
            continue;
        };
        match line.trim().strip_suffix(" states)") {
            Some(totals) => {
                let (count, of) = totals.trim_start_matches('(').split_once(" of ")?;
                (unreached.count, unreached.of) = (count.parse().ok()?, of.parse().ok()?);
                if !name.starts_with("claim ") {
                    listing.insert(name, unreached);
                }
                continue;
            }
            None => unreached.states.extend(place(line)),
        }
        open = Some((name, unreached));
    }
    Some(listing)
}

/// Line and number in `file:12, state 34, "text"`.
fn place(line: &str) -> Option<(u64, u64)> {
    let (file, rest) = line.trim().split_once(", state ")?;
    let number = rest.split(',').next()?.parse().ok()?;
    Some((file.rsplit(':').next()?.parse().ok()?, number))
}

fn ours(model: &Path) -> Listing {
    let report = report(model);
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let proctypes = report["coverage"].as_array();
    let summaries = proctypes.expect("the search is complete").iter();
    let summary = |c: &serde_json::Value| {
        let name = c["proctype"].as_str().expect("a name");
        let name = if name == ":init:" { "init" } else { name };
        let statements = c["unreached"].as_array().into_iter().flatten();
        let unreached = Unreached {
            count: number(&c["unreached_states"]),
            of: number(&c["states"]),
            states: statements
                .map(|s| (number(&s["line"]), number(&s["state"])))
                .collect(),
        };
        (name.to_string(), unreached)
    };
    summaries.map(summary).collect()
}

#[test]
fn unreached_statements_of_the_examples_are_spins() {
    let Some(folder) = examples() else { return };
    let others = rows(include_str!("records/coverage.txt"));
    let others = others.iter().map(|cells| cells[0]).filter(|_| all());
    for name in QUICK.iter().copied().chain(others) {
        let model = folder.join(name);
        let theirs = spins(&model).unwrap_or_else(|| panic!("{name}: SPIN completes"));
        assert!(!theirs.is_empty(), "{name}: SPIN lists nothing");
        assert_eq!(ours(&model), theirs, "{name}");
    }
}

#[test]
fn unreached_statements_of_random_models_are_spins() {
    if examples().is_none() {
        return;
    }
    let dir = Dir::new("spin-coverage");
    let without_lines = |mut listing: Listing| {
        for unreached in listing.values_mut() {
            unreached.states = unreached.states.iter().map(|&(_, n)| (0, n)).collect();
        }
        listing
    };
    let mut compared = 0;
    let count = if all() { RANDOM.1 } else { RANDOM.0 };
    for seed in 0..count {
        let model = dir.put("m.pml", &random::swarm(seed).text);
        if let Some(theirs) = spins(&model) {
            let mine = without_lines(ours(&model));
            assert_eq!(mine, without_lines(theirs), "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared * 2 > count, "compared {compared} of {count}");
}

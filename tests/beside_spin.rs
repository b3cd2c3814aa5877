//! On the models of `tests/beside_spin` we store no more states than SPIN does by default, for safety and for each claim:
//! processes that start each other, monitors, channels as Go has them, planning problems with counters, protocols with
//! statistics.
//!
//! The table is `docs/states.md`: our figures are those of `ample check --all-errors --workers 1`, SPIN's of version 6.5.2
//! (`spin -a`, `-DSAFETY -DNOCLAIM` or `pan -a -N`, `pan -m1000000 -n -c0`), and the full search is `ample check --plain`.
//! Our figures are compared with a search here and now, a few of SPIN's are, too. `AMPLE_ALL=1 cargo test --release --test
//! beside_spin` asks SPIN about all, and `benches/states.sh` prints the table as it would have to be.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::all;
use support::cli::result;
use support::models::files_below;
use support::spin::{reduced_states_of_claim, reduced_states_of_spin, spin_is_there};

/// How many rows SPIN is asked about in the small run.
const LIVE: usize = 6;
/// The full search stops here.
const MOST: &str = "100000";

#[derive(Debug)]
struct Row {
    model: &'static str,
    goal: &'static str,
    ours: u64,
    /// None where SPIN does not complete.
    spins: Option<u64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/beside_spin")
}

fn number(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
}

fn table() -> Vec<Row> {
    let lines = include_str!("../docs/states.md").lines();
    let rows = lines.filter(|l| l.starts_with("| ") && l.contains(".pml"));
    rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        Row {
            model: cells[1],
            goal: cells[2],
            ours: number(cells[3]).unwrap_or_else(|| panic!("{line}")),
            spins: number(cells[4]),
        }
    })
    .collect()
}

fn ours(row: (&str, &str), more: &[&str]) -> Option<u64> {
    let (model, goal) = row;
    let of_goal = match goal {
        "safety" => ["--check", "safety"],
        claim => ["--claim", claim],
    };
    let options = [&of_goal[..], &["--all-errors", "--workers=1"], more].concat();
    let result = result(&folder().join(model), &options);
    let complete = result["verdict"] != "inconclusive";
    result["states"].as_u64().filter(|_| complete)
}

fn spins(model: &str, goal: &str) -> Option<u64> {
    let model = folder().join(model);
    match goal {
        "safety" => reduced_states_of_spin(&model, &[]),
        claim => reduced_states_of_claim(&model, claim),
    }
}

/// All models with their goals.
fn goals() -> BTreeSet<(String, String)> {
    let mut goals = BTreeSet::new();
    for path in files_below(&folder(), &[".pml"]) {
        let name = path.strip_prefix(folder()).expect("it is in the folder");
        let name = name.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a model");
        let claims = text.lines().filter_map(|l| l.strip_prefix("ltl "));
        let claims = claims.filter_map(|l| l.split_whitespace().next());
        for goal in ["safety"].into_iter().chain(claims) {
            goals.insert((name.clone(), goal.to_owned()));
        }
    }
    goals
}

#[test]
fn no_model_needs_more_states_than_with_spin() {
    let table = table();
    let listed = table
        .iter()
        .map(|r| (r.model.to_owned(), r.goal.to_owned()));
    if std::env::var_os("AMPLE_RECORD").is_some() {
        return record();
    }
    assert_eq!(listed.collect::<BTreeSet<_>>(), goals());
    assert!(table.len() > 80);
    for row in &table {
        assert!(row.spins.is_none_or(|spins| row.ours <= spins), "{row:?}");
        assert_eq!(ours((row.model, row.goal), &[]), Some(row.ours), "{row:?}");
    }
    if !spin_is_there() {
        return;
    }
    let live = if all() { table.len() } else { LIVE };
    let complete: Vec<&Row> = table.iter().filter(|row| row.spins.is_some()).collect();
    for row in complete.iter().step_by((complete.len() / live).max(1)) {
        assert_eq!(spins(row.model, row.goal), row.spins, "{row:?}");
    }
}

/// Prints the table.
fn record() {
    let cell = |states: Option<u64>, none: &str| match states {
        Some(states) => states.to_string(),
        None => none.to_owned(),
    };
    println!("| model | goal | ours | SPIN | full |");
    println!("|---|---|---:|---:|---:|");
    for (model, goal) in goals() {
        let states = ours((&model, &goal), &[]);
        let full = ours((&model, &goal), &["--plain", "--states", MOST]);
        let (states, full) = (cell(states, "-"), cell(full, "> 100,000"));
        let spins = cell(spins(&model, &goal), "-");
        println!("| {model} | {goal} | {states} | {spins} | {full} |");
    }
}

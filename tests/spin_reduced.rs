//! The reduction saves at least as much as SPIN's: stored states of reduced safety searches, model by model.
//!
//! `records/reduced.txt` has our figure, SPIN's, and the reason where ours is larger. SPIN's were recorded from SPIN
//! 6.5.2 with all that it does by default (`spin -a`, `-DSAFETY -DNOCLAIM`, `pan -m1000000 -n -c0`), ours are those of
//! `ample check --check safety --all-errors`. The models are all of Debian's package that both complete within a minute,
//! and all of `examples/`; and those of `tests/models/dynamic`, where processes make channels and start each other, of which none
//! may need more states than SPIN.
//!
//! Our figures are compared with a search here and now; a few of SPIN's are, too. `AMPLE_ALL=1 cargo test --release --test
//! spin_reduced` includes the large ones and asks SPIN about all. With `AMPLE_RECORD=1` it prints the record as it
//! would have to be.

mod support;

use std::path::{Path, PathBuf};
use support::all;
use support::cli::result;
use support::spin::{examples, reduced_states_of_spin, spin_is_there};

/// Models of which we store more states are left to the large run.
const SMALL: u64 = 20_000;
/// How many models SPIN is asked about in the small run.
const LIVE: usize = 4;

#[derive(Debug)]
struct Row {
    model: &'static str,
    defines: Vec<&'static str>,
    ours: u64,
    spins: u64,
    reason: &'static str,
}

fn record() -> Vec<Row> {
    let text = include_str!("records/reduced.txt");
    let rows = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    rows.map(|line| {
        let mut cells = line.split('|').map(str::trim);
        let mut cell = || cells.next().unwrap_or_else(|| panic!("{line}: too short"));
        let number = |text: &str| {
            let number = text.parse();
            number.unwrap_or_else(|_| panic!("{line}: {text} is no number"))
        };
        Row {
            model: cell(),
            defines: cell().split_whitespace().collect(),
            ours: number(cell()),
            spins: number(cell()),
            reason: cell(),
        }
    })
    .collect()
}

/// Where a model is: those of `examples/` and `tests/` are ours, the others come with SPIN.
fn place(model: &str) -> Option<PathBuf> {
    match ["examples/", "tests/"]
        .iter()
        .any(|own| model.starts_with(own))
    {
        true => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join(model)),
        false => Some(examples()?.join(model)),
    }
}

fn ours(model: &Path, defines: &[&str]) -> u64 {
    // Several workers find as much, but not always in the same number of states.
    let always = ["--check", "safety", "--all-errors", "--workers=1"].map(str::to_owned);
    let defines = defines.iter().map(|d| format!("-D{d}"));
    let options: Vec<String> = always.into_iter().chain(defines).collect();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let result = result(model, &options);
    assert_ne!(result["verdict"], "inconclusive", "{model:?}");
    result["states"].as_u64().expect("a number of states")
}

#[test]
fn we_store_no_more_states_than_spin_or_say_why() {
    let record = record();
    let (mut mine, mut spins) = (0, 0);
    for row in &record {
        let more = row.ours > row.spins;
        assert_eq!(more, !row.reason.is_empty(), "{row:?}");
        mine += row.ours;
        spins += row.spins;
    }
    println!("{} models: {mine} states, SPIN {spins}", record.len());
    assert!(record.len() > 80 && mine < spins, "{mine} of {spins}");
}

#[test]
fn no_model_with_dynamic_processes_needs_more_states_than_spin() {
    let record = record();
    let dynamic = record
        .iter()
        .filter(|row| row.model.starts_with("tests/models/dynamic/"));
    let dynamic: Vec<&Row> = dynamic.collect();
    assert!(
        dynamic.iter().all(|row| row.ours <= row.spins),
        "{dynamic:?}"
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/dynamic");
    let models = std::fs::read_dir(folder).expect("a folder").count();
    assert!(dynamic.len() == models && models >= 20, "{models} models");
}

#[test]
fn our_figures_are_as_recorded() {
    let recording = std::env::var_os("AMPLE_RECORD").is_some();
    let mut compared = 0;
    let mut wrong = Vec::new();
    for row in record() {
        if !all() && row.ours > SMALL {
            continue;
        }
        let Some(model) = place(row.model) else {
            continue;
        };
        let ours = ours(&model, &row.defines);
        if ours != row.ours {
            wrong.push(format!("{}: {ours}, not {}", row.model, row.ours));
        }
        if recording {
            let Row {
                model,
                defines,
                spins,
                reason,
                ..
            } = &row;
            let defines = defines.join(" ");
            println!(
                "{}",
                format!("{model} | {defines} | {ours} | {spins} | {reason}").trim_end()
            );
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 10);
}

#[test]
fn spins_figures_are_as_recorded() {
    if !spin_is_there() {
        return;
    }
    let record = record();
    let live = if all() { record.len() } else { LIVE };
    for row in record.iter().step_by(record.len() / live) {
        let Some(model) = place(row.model) else {
            continue;
        };
        if all() || row.spins <= SMALL {
            let spins = reduced_states_of_spin(&model, &row.defines);
            assert_eq!(spins, Some(row.spins), "{}", row.model);
        }
    }
}

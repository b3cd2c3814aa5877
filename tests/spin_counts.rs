//! State for state the same graph as SPIN's: numbers of states, matches and atomic steps of full searches.
//!
//! The figures were recorded from SPIN 6.5.2 (`spin -o1 -o2 -o3 -a`, `-DNOREDUCE -DSAFETY -DNOCLAIM`, `pan -m1000000 -n
//! -c0`) on the models that come with Debian's package: all without embedded C whose search SPIN completes within a minute.
//! The models are read where the package puts them; without it there is nothing to compare (an error when
//! `AMPLE_REQUIRE_SPIN` is set). A few are also searched by SPIN itself here and now, so that the record can be trusted.
//!
//! `AMPLE_ALL=1 cargo test --release --test spin_counts` includes the large ones and asks SPIN about all.

mod support;

use std::path::Path;
use support::spin::{examples, ours, spin_is_there, spins};
use support::{all, rows};

/// Model, states stored, states matched, atomic steps.
fn recorded() -> Vec<(&'static str, u64, u64, u64)> {
    let row = |cells: Vec<&'static str>| {
        let figure = |index: usize| cells[index].parse().expect("a number");
        (cells[0], figure(1), figure(2), figure(3))
    };
    let lines = rows(include_str!("records/counts.txt"));
    lines.into_iter().map(row).collect()
}

/// Models with more states are left to the large run.
const SMALL: u64 = 60_000;
/// How many models SPIN is asked about in the small run.
const LIVE: usize = 3;

#[test]
fn states_matches_and_atomic_steps_equal_spins() {
    let Some(folder) = examples() else { return };
    let chosen = recorded().into_iter().filter(|r| all() || r.1 <= SMALL);
    let mut compared = 0;
    for (name, stored, matched, atomic) in chosen {
        let model = folder.join(name);
        assert_eq!(ours(&model).figures, (stored, matched, atomic), "{name}");
        compared += 1;
    }
    println!(
        "{compared} of {} models: all figures equal SPIN's",
        recorded().len()
    );
    assert!(compared > 40);
}

#[test]
fn the_record_is_what_spin_says() {
    let Some(folder) = examples() else { return };
    let recorded = recorded();
    let live = if all() { recorded.len() } else { LIVE };
    for &(name, stored, matched, atomic) in recorded.iter().step_by(recorded.len() / live) {
        if all() || stored <= SMALL {
            let answer = spins(&folder.join(name)).expect("SPIN completes");
            assert_eq!(answer.figures, (stored, matched, atomic), "{name}");
        }
    }
}

/// The benchmark compares searches of the same graph, or it compares nothing.
#[test]
fn the_models_of_the_benchmark_have_spins_figures() {
    if !spin_is_there() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/vs_spin/models");
    let entries = std::fs::read_dir(folder).expect("models").flatten();
    let models: Vec<_> = entries.map(|e| e.path()).collect();
    for model in &models {
        let answer = spins(model).expect("SPIN completes");
        assert_eq!(ours(model).figures, answer.figures, "{model:?}");
    }
    assert_eq!(models.len(), 8);
}

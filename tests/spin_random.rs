//! Random models: as many states as SPIN has, and the same verdict.
//!
//! A few here; many with `AMPLE_SPIN_MODELS=300 AMPLE_SEED=50000 cargo test --release --test spin_random`. Models in which a
//! `d_step` blocks are passed over: SPIN goes on from a state that depends on how it backtracks.

mod spin_support;

use promela_lite::random;
use spin_support::{ours, spin_is_there, spins};

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(otherwise)
}

#[test]
fn as_many_states_as_spin_has() {
    if !spin_is_there() {
        return;
    }
    let (first, count) = (number("AMPLE_SEED", 0), number("AMPLE_SPIN_MODELS", 8));
    let folder = std::env::temp_dir().join(format!("ample-random-{}", std::process::id()));
    let mut compared = 0;
    for seed in first..first + count {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let model = folder.join("m.pml");
        std::fs::write(&model, random::swarm(seed).text).expect("written");
        let (Some(theirs), mine) = (spins(&model), ours(&model)) else {
            continue;
        };
        if theirs.model_error || mine.model_error {
            continue;
        }
        assert_eq!(mine.figures, theirs.figures, "seed {seed}");
        assert_eq!(mine.errors, theirs.errors, "seed {seed}");
        compared += 1;
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{compared} of {count} models have as many states as in SPIN");
    assert!(
        compared * 2 > count,
        "hardly anything was compared: {compared} of {count}"
    );
}

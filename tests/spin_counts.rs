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
use support::all;
use support::spin::{examples, ours, spin_is_there, spins};

/// Model, states stored, states matched, atomic steps.
const RECORDED: &[(&str, u64, u64, u64)] = &[
    ("Book_1991/p101.pml", 4, 0, 1),
    ("Book_1991/p102.pml", 19, 3, 2),
    ("Book_1991/p104.1.pml", 2, 0, 0),
    ("Book_1991/p104.2.pml", 1594, 1516, 0),
    ("Book_1991/p105.1.pml", 33, 15, 3),
    ("Book_1991/p105.2.pml", 94, 56, 0),
    ("Book_1991/p107.pml", 3, 0, 1),
    ("Book_1991/p116.pml", 29, 10, 0),
    ("Book_1991/p117.pml", 354, 475, 4),
    ("Book_1991/p123.pml", 132, 73, 1),
    ("Book_1991/p248.pml", 219, 156, 0),
    ("Book_1991/p312.pml", 160, 26, 2),
    ("Book_1991/p319.pml", 2066, 3162, 1007),
    ("Book_1991/p320.pml", 81, 36, 0),
    ("Book_1991/p329.pml", 90840, 182425, 317136),
    ("Book_1991/p330.pml", 90840, 182425, 317136),
    ("Book_1991/p337.pftp.ses.pml", 287366, 704978, 9),
    ("Book_1991/p347.pftp.ses5.pml", 258051, 701193, 7),
    ("Book_1991/p94.pml", 11, 2, 0),
    ("Book_1991/p95.1.pml", 3, 0, 0),
    ("Book_1991/p95.2.pml", 6, 0, 0),
    ("Book_1991/p96.1.pml", 20, 5, 0),
    ("Book_1991/p96.2.pml", 48, 18, 0),
    ("Book_1991/p97.1.pml", 9, 1, 3),
    ("Book_1991/p97.2.pml", 41, 26, 34),
    ("Book_1991/p99.pml", 11, 0, 0),
    ("Exercises/ex_1a.pml", 256, 1, 0),
    ("Exercises/ex_1f.pml", 7, 0, 0),
    ("Exercises/ex_2.pml", 2, 1, 0),
    ("Exercises/ex_3a.pml", 48, 49, 0),
    ("Exercises/ex_3b.pml", 43, 18, 0),
    ("Exercises/ex_3c.pml", 429, 430, 0),
    ("Exercises/ex_4.pml", 26, 3, 0),
    ("Exercises/ex_5.pml", 137, 102, 13),
    ("LTL/bakery.pml", 6196, 3655, 0),
    ("LTL/diskhead.pml", 217, 27, 0),
    ("LTL/leader.pml", 5422354, 16527551, 3462),
    ("LTL/leader_pre.pml", 5422354, 16527551, 3462),
    ("LTL/ltl_always_eventually.pml", 3, 0, 0),
    ("LTL/ltl_example.pml", 3, 0, 0),
    ("LTL/mobile1.pml", 32668, 65600, 84),
    ("LTL/mobile2.pml", 10865, 21823, 4),
    ("LTL/pftp.pml", 439895, 861729, 996713),
    ("LTL/salesman1.pml", 2015, 21, 0),
    ("LTL/salesman2.pml", 798, 0, 0),
    ("LTL/train.pml", 57482, 88801, 0),
    ("LTL/zune.pml", 743, 370, 0),
    ("abp.pml", 12, 3, 0),
    ("calculator.pml", 572, 342, 0),
    ("cambridge.pml", 1252655, 2132890, 314904),
    ("dtp.pml", 251409, 397058, 586655),
    ("eratosthenes.pml", 47669, 130047, 0),
    ("for_example.pml", 32, 0, 0),
    ("for_select_example.pml", 410, 13, 0),
    ("hajek.pml", 116087, 125521, 1),
    ("hello.pml", 3, 0, 0),
    ("leader0.pml", 41692, 127998, 18),
    ("leader_trace.pml", 41692, 127998, 18),
    ("loops.pml", 17, 5, 0),
    ("manna_pnueli.pml", 117, 166, 0),
    ("pathfinder.pml", 12, 3, 6),
    ("peterson.pml", 55, 44, 0),
    ("rtos1.pml", 12, 0, 0),
    ("sat.pml", 24, 7, 0),
    ("snoopy.pml", 91920, 213540, 5),
    ("sort.pml", 659683, 2795306, 21),
    ("test_mtype.pml", 21, 8, 46),
    ("welfare.pml", 53, 5, 0),
    ("werkplaats.pml", 1600, 2442, 3356),
];

/// Models with more states are left to the large run.
const SMALL: u64 = 60_000;
/// How many models SPIN is asked about in the small run.
const LIVE: usize = 3;

#[test]
fn states_matches_and_atomic_steps_equal_spins() {
    let Some(folder) = examples() else { return };
    let chosen = RECORDED.iter().filter(|r| all() || r.1 <= SMALL);
    let mut compared = 0;
    for &(name, stored, matched, atomic) in chosen {
        let model = folder.join(name);
        assert_eq!(ours(&model).figures, (stored, matched, atomic), "{name}");
        compared += 1;
    }
    println!(
        "{compared} of {} models: all figures equal SPIN's",
        RECORDED.len()
    );
    assert!(compared > 40);
}

#[test]
fn the_record_is_what_spin_says() {
    let Some(folder) = examples() else { return };
    let live = if all() { RECORDED.len() } else { LIVE };
    for &(name, stored, matched, atomic) in RECORDED.iter().step_by(RECORDED.len() / live) {
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

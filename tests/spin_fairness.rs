//! Weak fairness as SPIN decides it (`pan -a -f`, without reduction), and where it does not.
//!
//! SPIN misses fair runs that end, so the models compared are those whose runs do not. What it cannot say about a rendezvous
//! (who of the two moves) is left out too.
//!
//! `AMPLE_SPIN_MODELS=300 AMPLE_SEED=1000 cargo test --release --test spin_fairness` for more.

mod support;

use ample::internals::limits::Unwatched;
use ample::internals::search::{End, Outcome, Strategy, search};
use ample::internals::space::System;
use promela_random as random;
use std::sync::Arc;
use support::cli::{Dir, result};
use support::number;
use support::search::{program, settings};
use support::spin::{Question, Verifier, spin_is_there};

/// Whether every run goes on for ever, and no assertion fails.
fn never_ends(text: &str) -> bool {
    let body = |process: &str| process.contains("do ::") && !process.contains("break");
    if text.contains("= [0]") || !text.split("active proctype").skip(1).all(body) {
        return false;
    }
    let mut system = System::new(Arc::clone(&program(text)));
    let asked = settings(false, true, 20_000);
    let Outcome { found, end, .. } = search(Strategy::Dfs, &mut system, &asked, &mut Unwatched);
    found.is_empty() && matches!(end, End::Complete(_))
}

/// Our verdict: `Some(true)` for violated.
fn ours(model: &std::path::Path, fairness: &str) -> Option<bool> {
    let result = result(model, &["--claim", "p0", "--fairness", fairness]);
    match result["verdict"].as_str() {
        Some("holds") => Some(false),
        Some("violated") => Some(true),
        _ => None,
    }
}

#[test]
fn weak_fairness_is_spins_where_runs_do_not_end() {
    if !spin_is_there() {
        return;
    }
    let wanted = number("AMPLE_SPIN_MODELS", 6);
    let dir = Dir::new("spin-fairness");
    let (mut compared, mut violated, mut differs) = (0, 0, 0);
    for seed in number("AMPLE_SEED", 0).. {
        if compared >= wanted {
            break;
        }
        let random = random::races(seed);
        if !never_ends(&random.text) {
            continue;
        }
        let text = random.with_ltl();
        let model = dir.put("m.pml", &text);
        let spin = Verifier::build(&model, &[]).and_then(|v| v.ask(Question::Fairly("p0")));
        let (Some(spin), Some(mine)) = (spin, ours(&model, "weak")) else {
            continue;
        };
        assert_eq!(mine, spin, "seed {seed}\n{text}");
        compared += 1;
        violated += u64::from(mine);
        differs += u64::from(ours(&model, "none") == Some(!mine));
    }
    println!("{compared} compared, {violated} violated, {differs} because of fairness");
}

/// A run that ends has nobody who could move, and so is fair.
#[test]
fn spin_misses_runs_that_end() {
    if !spin_is_there() {
        return;
    }
    let text = "byte n;\nactive proctype P() { n = 1 }\nactive proctype Q() { n = 2 }\n\
                ltl p0 { <>[] (n == 1) }\n";
    let model = Dir::new("spin-fairness-ends").put("m.pml", text);
    let verifier = Verifier::build(&model, &[]).expect("SPIN makes a verifier");
    assert_eq!(verifier.ask(Question::Ltl("p0")), Some(true));
    assert_eq!(
        verifier.ask(Question::Fairly("p0")),
        Some(false),
        "if this is mended, compare more"
    );
    assert_eq!(ours(&model, "weak"), Some(true));
    assert_eq!(ours(&model, "strong"), Some(true));
}

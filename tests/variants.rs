//! Models that mean something else than usual: `--lossy-sends` (`spin -m`) and `--ignore-assertions` (`pan -A`).
//!
//! Beside SPIN by the number of states; beside the same written out in Promela; and, on random models, reduced searches
//! beside full ones. More random models with `AMPLE_VARIANT_MODELS=300`.

mod support;

use ample::internals::limits::Unwatched;
use ample::internals::search::{End, Strategy, search};
use ample::internals::space::System;
use promela_lite::program::Program;
use promela_lite::variant::{ignore_assertions, lose_messages};
use promela_random as random;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use support::cli::{Dir, result};
use support::number;
use support::search::{program, settings};
use support::spin::spin_is_there;

/// Models in which messages are lost in every place that there is for a send; the second with the choice written out.
const LOSSY: &[(&str, &str)] = &[
    (
        "chan q = [1] of { byte }; byte got;
        active proctype S() { byte i; do :: i < 3 -> q!i; i++ :: else -> break od }
        active proctype R() { byte v; end: do :: q?v -> got++ od }",
        "chan q = [1] of { byte }; byte got;
        active proctype S() { byte i; do :: i < 3 -> if :: q!i :: full(q) fi; i++ :: else -> break od }
        active proctype R() { byte v; end: do :: q?v -> got++ od }",
    ),
    (
        "chan q = [1] of { byte }; byte x;
        active [2] proctype S() { q!_pid; x++; assert(x < 2); q!_pid }",
        "chan q = [1] of { byte }; byte x;
        active [2] proctype S() { if :: q!_pid :: full(q) fi; x++; assert(x < 2); if :: q!_pid :: full(q) fi }",
    ),
    (
        "chan q = [2] of { byte, bit }; byte x;
        active [2] proctype S() { byte v; atomic { q!!_pid, 1; x++; q!x, 0 }; if :: q?v, 1 :: q?v, 0 fi; q!v, 1 }
        active proctype W() { full(q) -> x = 9 }",
        "chan q = [2] of { byte, bit }; byte x;
        active [2] proctype S() { byte v; atomic { if :: q!!_pid, 1 :: full(q) fi; x++; if :: q!x, 0 :: full(q) fi };
            if :: q?v, 1 :: q?v, 0 fi; if :: q!v, 1 :: full(q) fi }
        active proctype W() { full(q) -> x = 9 }",
    ),
    (
        "chan q = [1] of { byte }; byte x;
        active [2] proctype S() { d_step { x++; q!x; x++ } }
        active proctype R() { byte v; q?v }",
        "chan q = [1] of { byte }; byte x;
        active [2] proctype S() { d_step { x++; if :: q!x :: full(q) fi; x++ } }
        active proctype R() { byte v; q?v }",
    ),
    (
        "chan q[2] = [1] of { byte }; chan r = [0] of { byte }; byte x;
        active proctype S() { q[0]!1; q[x]!2; r!3; q[1]!4; q[1]!5 }
        active proctype R() { byte v; r?v; x = 1; q[x]?v }",
        "chan q[2] = [1] of { byte }; chan r = [0] of { byte }; byte x;
        active proctype S() { if :: q[0]!1 :: full(q[0]) fi; if :: q[x]!2 :: full(q[x]) fi; r!3;
            if :: q[1]!4 :: full(q[1]) fi; if :: q[1]!5 :: full(q[1]) fi }
        active proctype R() { byte v; r?v; x = 1; q[x]?v }",
    ),
];

/// Options that take nothing from the graph but what the reduction does.
const PLAIN: [&str; 6] = [
    "--plain",
    "--check",
    "safety",
    "--all-errors",
    "--workers",
    "1",
];

fn figures(model: &Path, options: &[&str]) -> (u64, u64, String) {
    let result = result(model, &[&PLAIN, options].concat());
    let number = |name: &str| result[name].as_u64().expect("a number");
    let verdict = result["verdict"].as_str().expect("a word").to_owned();
    (number("states"), number("matched"), verdict)
}

#[test]
fn a_lossy_send_is_a_choice() {
    let dir = Dir::new("variants_choice");
    let mut changed = 0;
    for (number, (short, written_out)) in LOSSY.iter().enumerate() {
        let model = dir.put(&format!("short{number}.pml"), short);
        let twin = dir.put(&format!("twin{number}.pml"), written_out);
        let lossy = figures(&model, &["--lossy-sends"]);
        assert_eq!(lossy, figures(&twin, &[]), "{short}");
        changed += usize::from(lossy != figures(&model, &[]));
    }
    assert_eq!(changed, LOSSY.len(), "no message was lost somewhere");
}

/// SPIN's figures for a full search past errors.
fn of_spin(dir: &Dir, model: &str, spin: &str, pan: &str) -> (u64, u64) {
    let script = format!(
        "spin -o1 -o2 -o3 {spin} -a {model} >/dev/null && gcc -w -O0 -DNOREDUCE -DSAFETY -DVECTORSZ=4096 -o pan pan.c \
         && ./pan -n -c0 {pan}"
    );
    let text = dir.shell(&script).out;
    let number = |what: &str| {
        let line = text.lines().find(|line| line.contains(what));
        let word = line.and_then(|line| line.split_whitespace().next());
        word.and_then(|word| word.parse().ok())
            .unwrap_or_else(|| panic!("no {what}: {text}"))
    };
    (number("states, stored"), number("states, matched"))
}

#[test]
fn as_many_states_as_spin_has() {
    if !spin_is_there() {
        return;
    }
    let dir = Dir::new("variants_spin");
    for (number, (text, _)) in LOSSY.iter().enumerate() {
        let name = format!("m{number}.pml");
        let model = dir.put(&name, text);
        for (option, spin, pan) in [
            ("", "", ""),
            ("--lossy-sends", "-m", ""),
            ("--ignore-assertions", "", "-A"),
        ] {
            // SPIN stops where a d_step blocks.
            if option != "--lossy-sends" && text.contains("d_step") {
                continue;
            }
            let options = [option];
            let options = if option.is_empty() { &[][..] } else { &options };
            let (states, matched, _) = figures(&model, options);
            let theirs = of_spin(&dir, &name, spin, pan);
            assert_eq!((states, matched), theirs, "{option}: {text}");
        }
    }
}

/// States stored, and what goes wrong, of a search; none if it does not come to its end.
fn searched(program: &Arc<Program>, reduced: bool) -> Option<(u64, BTreeSet<String>)> {
    let mut system = match reduced {
        true => System::reduced(Arc::clone(program)),
        false => System::new(Arc::clone(program)),
    };
    let settings = settings(true, true, 60_000);
    let outcome = search(Strategy::Dfs, &mut system, &settings, &mut Unwatched);
    let end = matches!(outcome.end, End::Complete(_) | End::AtViolation);
    let complete = end || !outcome.found.is_empty();
    let stop = matches!(outcome.end, End::Stopped(_));
    let words = outcome
        .found
        .iter()
        .map(|found| ample::internals::verdict::describe(&found.event));
    (complete && !stop).then(|| (outcome.stats.stored, words.collect()))
}

#[test]
fn reduced_searches_of_lossy_models_find_the_same() {
    let (first, count) = (number("AMPLE_SEED", 0), number("AMPLE_VARIANT_MODELS", 60));
    let (mut compared, mut lossy_ones, mut smaller) = (0, 0, 0);
    for seed in first..first + count {
        let text = random::swarm(seed).text;
        let usual = program(&text);
        let mut changed = Program::clone(&usual);
        lose_messages(&mut changed);
        if seed % 2 == 1 {
            ignore_assertions(&mut changed);
        }
        assert_eq!(promela_lite::verify::verify(&changed), [], "seed {seed}");
        let changed = Arc::new(changed);
        let (Some(full), Some(reduced)) = (searched(&changed, false), searched(&changed, true))
        else {
            continue;
        };
        // A model error ends the run: what comes first depends on the order.
        let known = ["assertion violated", "invalid end state"];
        if full.1.iter().any(|word| !known.contains(&word.as_str())) {
            continue;
        }
        assert_eq!(
            full.1.is_empty(),
            reduced.1.is_empty(),
            "seed {seed}: {:?} {:?}\n{text}",
            full.1,
            reduced.1
        );
        if seed % 2 == 1 {
            assert!(!full.1.contains("assertion violated"), "seed {seed}");
        }
        compared += 1;
        smaller += usize::from(reduced.0 < full.0);
        lossy_ones += usize::from(searched(&usual, false).is_none_or(|u| u.0 != full.0));
    }
    println!("{compared} of {count} compared, {lossy_ones} lose messages, {smaller} are reduced");
    assert!(compared * 2 > count && lossy_ones > 0 && smaller > 0);
}

#[test]
fn trails_remember_what_the_model_meant() {
    let dir = Dir::with_model(
        "variants_trails",
        "chan q = [1] of { byte }; byte sent;
        active proctype S() { do :: q!sent -> sent++ od }
        active proctype Watch() { assert(sent < 3) }",
    );
    // Without loss the sender waits after the first message.
    dir.ample(&["check", "m.pml", "--no-trail", "--no-end-check"])
        .exits(0);
    let run = dir
        .ample(&["check", "m.pml", "--lossy-sends", "--no-end-check"])
        .exits(1);
    assert!(
        run.out.contains("/* lost: the channel is full */"),
        "{run:?}"
    );
    assert!(
        run.out.contains("sends to full channels lose the message"),
        "{run:?}"
    );
    let replayed = dir.ample(&["replay", "m.pml", "m.pml.trail.json"]).exits(1);
    assert!(replayed.out.contains("assertion violated"), "{replayed:?}");
    dir.ample(&["simulate", "m.pml", "--trail", "m.pml.trail.json"])
        .exits(1);
    // SPIN's own format does not say so: the option does.
    dir.ample(&["replay", "m.pml", "m.pml.trail", "--lossy-sends"])
        .exits(1);
    if spin_is_there() {
        let theirs = dir
            .other("spin", &["-m", "-k", "m.pml.trail", "m.pml"])
            .expect("SPIN");
        assert!(theirs.text().contains("assertion violated"), "{theirs:?}");
    }
    let ignored = dir
        .ample(&[
            "check",
            "m.pml",
            "--lossy-sends",
            "--ignore-assertions",
            "--no-trail",
        ])
        .exits(0);
    assert!(
        ignored.out.contains("assertions of processes are ignored"),
        "{ignored:?}"
    );
    // The run passes an assertion that would fail, to a deadlock behind it.
    dir.put(
        "behind.pml",
        "chan c = [0] of { bit }; active proctype P() { assert(false); c!1 }",
    );
    dir.ample(&["check", "behind.pml", "--ignore-assertions"])
        .exits(1);
    let run = dir
        .ample(&["replay", "behind.pml", "behind.pml.trail.json"])
        .exits(1);
    assert!(run.out.contains("invalid end state"), "{run:?}");
}

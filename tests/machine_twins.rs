//! The machine and its slow twin, which leaves everything to the interpreter and knows nothing of the last state, list the same
//! moves and make the same of them: on the examples, and on random models, as written and after all passes. States are taken
//! in an order that jumps about, and some twice, so that what the machine remembers is put to the test.

use ample::internals::machine::{Machine, Pid};
use ample::internals::trace::{NamedValue, changes, values};
use promela_lite::opt::Passes;
use promela_lite::program::Program;
use promela_lite::{FsLoader, Input, Loader, MemoryLoader, compile};
use promela_random::{self as random, Rng};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// States of one model that are looked at.
const STATES: usize = 400;

fn read(name: &Path, loader: &mut dyn Loader) -> Arc<Program> {
    let compiled = compile(name, &Input::default(), loader);
    let program = compiled.program.expect("a valid model");
    Arc::new(promela_lite::expand_calls::expand(&program, 3).expect("small"))
}

/// Compares the two on states that are reachable, chosen at random. Says how many moves were compared.
fn compare(name: &str, program: &Arc<Program>, seed: u64) -> usize {
    let mut rng = Rng::seeded(seed);
    let mut quick = Machine::new(Arc::clone(program));
    let mut slow = Machine::interpreting(Arc::clone(program));
    let mut first = Vec::new();
    let mut twin = Vec::new();
    assert_eq!(quick.initial(&mut first), slow.initial(&mut twin), "{name}");
    assert_eq!(first, twin, "{name}: initial states");
    let mut known: HashSet<(Vec<u8>, Option<Pid>)> = HashSet::new();
    let mut waiting = vec![(first, None)];
    let (mut moves, mut others) = (Vec::new(), Vec::new());
    let (mut next, mut other) = (Vec::new(), Vec::new());
    let mut compared = 0;
    for _ in 0..STATES {
        if waiting.is_empty() {
            break;
        }
        // Mostly the youngest, as a search does.
        let index = match rng.chance(70) {
            true => waiting.len() - 1,
            false => rng.below(waiting.len()),
        };
        let (state, control) = match rng.chance(90) {
            true => waiting.swap_remove(index),
            false => waiting[index].clone(),
        };
        let info = quick.moves(&state, control, &mut moves);
        assert_eq!(info, slow.moves(&state, control, &mut others), "{name}");
        assert_eq!(moves, others, "{name}: moves");
        let timeout = info.as_ref().is_ok_and(|info| info.timeout);
        for &mv in &moves {
            let step = quick.apply(&state, mv, timeout, &mut next);
            let twin = slow.apply(&state, mv, timeout, &mut other);
            assert_eq!(step, twin, "{name}: {mv:?}");
            compared += 1;
            let complete = match &step {
                Ok(_) => true,
                Err(fault) => fault.kind.leaves_successor(),
            };
            if complete {
                assert_eq!(next, other, "{name}: {mv:?}");
                let control = quick.last_step().control;
                assert_eq!(control, slow.last_step().control, "{name}: {mv:?}");
                check_changes(name, &quick, &state, &next);
                if known.insert((next.clone(), control)) {
                    waiting.push((next.clone(), control));
                }
            }
        }
    }
    compared
}

/// What changed is what has another text, or none, in the state before. Two variables of a process may have one name.
fn check_changes(name: &str, machine: &Machine, before: &[u8], after: &[u8]) {
    let old = values(machine, before);
    let new = values(machine, after);
    let is_twice = |value: &NamedValue| new.iter().filter(|v| v.name == value.name).count() > 1;
    let mut due = new.clone();
    // The variables of a procedure that has just been called are told as far as the call gives them values.
    let is_called = |value: &NamedValue| {
        value.name.contains("].") && !old.iter().any(|before| before.name == value.name)
    };
    due.retain(|value| !is_twice(value) && !old.contains(value) && !is_called(value));
    let mut found = changes(machine, before, after);
    found.retain(|value| !is_twice(value) && !is_called(value));
    assert_eq!(found, due, "{name}");
}

/// As written, and after all passes.
fn compare_both(name: &str, program: Arc<Program>, seed: u64) -> usize {
    let mut passed = Program::clone(&program);
    Passes::ALL.apply(&mut passed, &[]);
    compare(name, &program, seed) + compare(name, &Arc::new(passed), seed)
}

#[test]
fn random_models() {
    let mut compared = 0;
    for seed in 0..400 {
        for (kind, text) in [
            ("swarm", random::swarm(seed).text),
            ("races", random::races(seed).text),
            ("partial", random::partial(seed).text),
        ] {
            let mut loader = MemoryLoader::default().with("m", text);
            let program = read(Path::new("m"), &mut loader);
            compared += compare_both(&format!("{kind} {seed}"), program, seed);
        }
    }
    assert!(compared > 100_000, "{compared} moves are not enough");
}

#[test]
fn examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "pml") {
            let name = path.display().to_string();
            let compared = compare_both(&name, read(&path, &mut FsLoader), 7);
            assert!(compared > 5, "{name}: {compared}");
        }
    }
}

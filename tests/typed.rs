//! Transition systems written in Rust: verdicts, figures and counterexamples.
#[path = "typed/codes.rs"]
mod codes;
#[path = "typed/examples.rs"]
mod examples;
#[path = "typed/mutex.rs"]
mod mutex;
#[path = "typed/random.rs"]
mod random;
#[path = "typed/reduction.rs"]
mod reduction;
#[path = "typed/robust.rs"]
mod robust;
#[path = "typed/two_phase.rs"]
mod two_phase;

use ample::Options;
use ample::typed::{Counterexample, TransitionSystem};
use std::collections::HashSet;
use std::hash::Hash;

/// All reachable states, by the simplest search there is.
fn reachable<S: TransitionSystem>(system: &S) -> HashSet<S::State>
where
    S::State: Eq + Hash,
{
    let mut seen: HashSet<S::State> = HashSet::new();
    let mut open = system.initial();
    while let Some(state) = open.pop() {
        if seen.insert(state.clone()) {
            open.extend(successors(system, &state));
        }
    }
    seen
}

/// The successors of a state.
fn successors<S: TransitionSystem>(system: &S, state: &S::State) -> Vec<S::State> {
    let mut actions = Vec::new();
    system.actions(state, &mut actions);
    actions
        .iter()
        .filter_map(|a| system.next(state, a))
        .collect()
}

/// Checks that a counterexample is a run of the system, and its cycle one.
fn must_be_a_run<S: TransitionSystem>(system: &S, run: &Counterexample<S::State, S::Action>) {
    assert!(system.initial().contains(&run.initial));
    for (before, step) in run.states().zip(&run.steps) {
        assert_eq!(
            system.next(before, &step.action).as_ref(),
            Some(&step.state)
        );
    }
    match run.cycle {
        Some(start) if start == run.steps.len() => {
            assert!(successors(system, run.last()).is_empty());
        }
        Some(start) => assert_eq!(run.states().nth(start), Some(run.last())),
        None => {}
    }
}

/// That many workers, which begin together when so many states are stored; and short counterexamples.
fn by(workers: usize, join_after: u64) -> Options {
    Options {
        workers: Some(workers),
        join_after: Some(join_after),
        shortest: true,
        ..Options::default()
    }
}

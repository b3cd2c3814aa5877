//! Confirming a counterexample: the run is executed again with the system's own functions, and judged by the definitions.
//!
//! Nothing of the search is trusted but the numbers of the actions: not the bytes, not the store, not the product, not the
//! automaton. From the initial state, each action must be listed and possible in the state at hand. Then
//!
//! - an invariant must be false of the last state;
//! - a deadlock must have no possible action, and not be a state in which the run may end;
//! - a run that violates a formula must come back to the state in which its cycle starts, or end, and the formula must not
//!   hold on its word, as [`ltl::word`] defines it.

use super::formula::Property;
use super::report::{Counterexample, Error, Step};
use super::space::{Move, StateGoal};
use super::{Report, TransitionSystem};

/// A counterexample to something about a system.
pub(super) type CounterexampleOf<S> =
    Counterexample<<S as TransitionSystem>::State, <S as TransitionSystem>::Action>;

/// A report about a system.
pub(super) type ReportOf<S> =
    Report<<S as TransitionSystem>::State, <S as TransitionSystem>::Action>;

fn denied<T>(why: impl Into<String>) -> Result<T, Error> {
    Err(Error::Contradiction(why.into()))
}

/// Executes the moves of a run; those that are no action, at the end, are left out.
fn execute<S: TransitionSystem>(
    system: &S,
    moves: impl IntoIterator<Item = Move>,
) -> Result<CounterexampleOf<S>, Error> {
    let mut moves = moves.into_iter();
    let Some(Move::Start(index)) = moves.next() else {
        return denied("it does not begin with an initial state");
    };
    let Some(initial) = system.initial().into_iter().nth(index as usize) else {
        return denied("there is no such initial state");
    };
    let mut run = Counterexample {
        initial,
        steps: Vec::new(),
        cycle: None,
    };
    for mv in moves {
        let Move::Action(index) = mv else {
            break;
        };
        let number = run.steps.len() + 1;
        let mut actions = Vec::new();
        system.actions(run.last(), &mut actions);
        let Some(action) = actions.into_iter().nth(index as usize) else {
            return denied(format!("the action of step {number} is not listed"));
        };
        let Some(state) = system.next(run.last(), &action) else {
            return denied(format!("{action:?} cannot happen in step {number}"));
        };
        run.steps.push(Step { action, state });
    }
    Ok(run)
}

/// Whether nothing can happen in a state.
fn ends<S: TransitionSystem>(system: &S, state: &S::State) -> bool {
    let mut actions = Vec::new();
    system.actions(state, &mut actions);
    let mut possible = actions.iter().filter_map(|a| system.next(state, a));
    possible.next().is_none()
}

/// The last state of the run must violate the goal.
pub(super) fn state<S: TransitionSystem>(
    system: &S,
    goal: &StateGoal<'_, S::State>,
    path: &[Move],
) -> Result<CounterexampleOf<S>, Error> {
    let run = execute(system, path.iter().copied())?;
    let last = run.last();
    let holds = match goal {
        StateGoal::Invariant(condition, _) => condition(last),
        StateGoal::NoDeadlock => !ends(system, last) || system.may_end(last),
    };
    match holds {
        true => denied("the last state does not violate the goal"),
        false => Ok(run),
    }
}

/// The run, whose moves from that of number `start` on repeat forever, must violate the formula.
pub(super) fn cycle<S: TransitionSystem>(
    system: &S,
    property: &Property<'_, S::State>,
    path: &[Move],
    start: usize,
) -> Result<CounterexampleOf<S>, Error> {
    let mut run = execute(system, path.iter().copied())?;
    let ended = path.contains(&Move::Stay);
    let start = match (ended, start.checked_sub(1)) {
        (true, _) if !ends(system, run.last()) => {
            return denied("the run does not end where it is said to");
        }
        (true, _) => run.steps.len(),
        // The first move led to the initial state.
        (false, Some(start)) if start < run.steps.len() => start,
        (false, _) => return denied("it has no cycle"),
    };
    let states: Vec<&S::State> = run.states().collect();
    if !ended && states[start] != run.last() {
        return denied("the cycle does not close");
    }
    // The last state of a cycle is its first; that of a run that ends repeats itself.
    let (prefix, cycle) = states[..states.len() - usize::from(!ended)].split_at(start);
    match property.holds(prefix, cycle) {
        Some(false) => {
            run.cycle = Some(start);
            Ok(run)
        }
        Some(true) => denied("its word satisfies the formula"),
        None => denied("its cycle is empty"),
    }
}

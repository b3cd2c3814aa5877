//! Where an automaton may be along a word that it accepts: what to show beside a run.
//!
//! The graph of (state, position) pairs is finite. A pair lies on an accepting run exactly if it is reachable and a component
//! with a cycle and an accepting state can be reached from it.

use crate::buchi::{Buchi, StateId};
use crate::scc::Components;
use crate::word::Lasso;

/// For each position of `lasso`, the states in which `buchi` may be before it reads the letter there, on runs on which it
/// accepts.
pub fn accepting_runs(buchi: &Buchi, lasso: &Lasso) -> Vec<Vec<StateId>> {
    let width = lasso.positions();
    let successors = |node: usize| {
        let (state, position) = (StateId((node / width) as u32), node % width);
        let next = lasso.successor(position);
        let edges = buchi.edges(state).iter();
        let fitting = edges.filter(move |e| e.label.eval(lasso.letter(position)));
        fitting.map(move |e| e.target.0 as usize * width + next)
    };
    let starts = buchi.initial().iter().map(|s| s.0 as usize * width);
    let reachable = reach(buchi.len() * width, starts.collect(), successors);
    let nodes = || (0..reachable.len()).filter(|&n| reachable[n]);
    let mut before = vec![Vec::new(); reachable.len()];
    for node in nodes() {
        successors(node).for_each(|next| before[next].push(node));
    }
    let components = Components::new(reachable.len(), nodes(), successors);
    let mut accepting = Vec::new();
    for members in &components.members {
        let inside = |n: usize| successors(n).any(|t| components.of[t] == components.of[n]);
        let marked = |n: usize| buchi.is_accepting(StateId((n / width) as u32));
        if members.iter().any(|&n| marked(n)) && members.iter().any(|&n| inside(n)) {
            accepting.extend(members);
        }
    }
    let live = reach(reachable.len(), accepting, |node| {
        before[node].iter().copied()
    });
    let states = |position: usize| {
        let all = (0..buchi.len() as u32).map(StateId);
        let fits = |s: &StateId| live[s.0 as usize * width + position];
        all.filter(fits).collect()
    };
    (0..width).map(states).collect()
}

fn reach<I: Iterator<Item = usize>>(
    nodes: usize,
    roots: Vec<usize>,
    successors: impl Fn(usize) -> I,
) -> Vec<bool> {
    let mut seen = vec![false; nodes];
    let mut stack = roots;
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            stack.extend(successors(node));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;
    use crate::word;

    #[test]
    fn there_is_an_accepting_run_exactly_if_the_word_is_accepted() {
        let mut rng = Rng::seeded(5);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..2_000 {
            let states = 1 + rng.below32(5);
            let buchi = Buchi::random(&mut rng, states, 2);
            let lasso = Lasso::random(&mut rng, 2, 3, 3);
            let along = accepting_runs(&buchi, &lasso);
            let accepted = word::accepts(&buchi, &lasso);
            assert_eq!(accepted, !along[0].is_empty(), "{buchi:?} {lasso:?}");
            // A run goes on at every position.
            assert!(along.iter().all(|states| states.is_empty() != accepted));
            match accepted {
                true => yes += 1,
                false => no += 1,
            }
        }
        assert!(yes > 200 && no > 200, "{yes} {no}");
    }
}

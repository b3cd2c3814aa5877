//! Reduction by delayed simulation.
//!
//! State q simulates p *with delay* when every step of p can be answered by q with the same letter so that, whenever p's
//! run is accepting at some point, q's is there or later. That asks less than direct simulation, and states that simulate
//! each other may still be merged, the merged state accepting if one of them does (Etessami, Wilke, Schuller: *Fair
//! simulation relations, parity games, and state space reduction for Büchi automata*, SICOMP 2005). Edges are not pruned:
//! that would not keep the language.
//!
//! The relation is the winning region of a game: a position is a pair of states and whether q owes an accepting state;
//! whoever answers must be free of debt infinitely often. Answers are per letter, as for direct simulation.

use crate::bdd::{Bdd, Bdds};
use crate::tgba::Tgba;

/// Automata with more edges are left as they are: the game has a position for each pair of states.
const MAX_EDGES: usize = 120;

/// Merges states of a state-based automaton that simulate each other with delay.
pub(crate) fn merge(automaton: &mut Tgba, bdds: &mut Bdds) {
    if automaton.all != 1 || !automaton.is_state_based() || automaton.edge_count() > MAX_EDGES {
        return;
    }
    let n = automaton.len();
    let game = Game::new(automaton);
    let won = game.solve(bdds);
    let simulates = |p: usize, q: usize| won[game.start(p, q)];
    let class: Vec<usize> = (0..n)
        .map(|p| {
            let same = |q: &usize| simulates(p, *q) && simulates(*q, p);
            (0..p).find(same).unwrap_or(p)
        })
        .collect();
    let accepting: Vec<bool> = (0..n)
        .map(|c| (0..n).any(|s| class[s] == c && game.accepting[s]))
        .collect();
    for (state, &to) in class.iter().enumerate() {
        if to != state {
            let edges = std::mem::take(&mut automaton.edges[state]);
            automaton.edges[to].extend(edges);
        }
    }
    for (state, edges) in automaton.edges.iter_mut().enumerate() {
        for edge in edges {
            edge.marks = u64::from(accepting[state]);
            edge.target = class[edge.target];
        }
    }
    automaton.initial.iter_mut().for_each(|s| *s = class[*s]);
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    automaton.retain(|s| class[s] == s);
    automaton.merge_edges(bdds);
    automaton.prune();
}

struct Game<'a> {
    automaton: &'a Tgba,
    accepting: Vec<bool>,
}

impl Game<'_> {
    fn new(automaton: &Tgba) -> Game<'_> {
        let accepting = automaton.edges.iter();
        let accepting = accepting.map(|edges| edges.iter().any(|e| e.marks != 0));
        Game {
            automaton,
            accepting: accepting.collect(),
        }
    }

    fn position(&self, p: usize, q: usize, owes: bool) -> usize {
        (p * self.automaton.len() + q) * 2 + usize::from(owes)
    }

    /// Where the game about p and q begins.
    fn start(&self, p: usize, q: usize) -> usize {
        self.position(p, q, self.owes(p, q, false))
    }

    /// Whether the debt is there after p and q were entered.
    fn owes(&self, p: usize, q: usize, before: bool) -> bool {
        !self.accepting[q] && (before || self.accepting[p])
    }

    /// The positions from which q's side is free of debt infinitely often: the greatest set from which it can get, within
    /// any number of steps, to a position without debt that is in the set again.
    fn solve(&self, bdds: &mut Bdds) -> Vec<bool> {
        let n = self.automaton.len();
        let mut kept = vec![true; n * n * 2];
        loop {
            let mut reaches = vec![false; n * n * 2];
            let mut changed = true;
            while changed {
                changed = false;
                for p in 0..n {
                    for q in 0..n {
                        for owes in [false, true] {
                            let at = self.position(p, q, owes);
                            let good =
                                |to: usize| reaches[to] || (to.is_multiple_of(2) && kept[to]);
                            if !reaches[at] && self.answers(bdds, (p, q, owes), &good) {
                                reaches[at] = true;
                                changed = true;
                            }
                        }
                    }
                }
            }
            if reaches == kept {
                return kept;
            }
            kept = reaches;
        }
    }

    /// Whether q can answer every step of p by one to a good position.
    fn answers(
        &self,
        bdds: &mut Bdds,
        (p, q, owes): (usize, usize, bool),
        good: &dyn Fn(usize) -> bool,
    ) -> bool {
        let edges = &self.automaton.edges;
        edges[p].iter().all(|step| {
            let mut open = step.label;
            for answer in &edges[q] {
                let (p, q) = (step.target, answer.target);
                if good(self.position(p, q, self.owes(p, q, owes))) {
                    open = bdds.minus(open, answer.label);
                }
            }
            open == Bdd::FALSE
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buchi::Buchi;
    use crate::random::Rng;
    use crate::word::{Lasso, accepts};

    #[test]
    fn merging_keeps_the_language() {
        let mut rng = Rng::seeded(31);
        let mut merged = 0;
        for _ in 0..400 {
            let states = 2 + rng.below32(5);
            let before = Buchi::random(&mut rng, states, 2);
            let mut bdds = Bdds::new();
            let mut automaton = before.to_tgba(&mut bdds);
            automaton.prune();
            let size = automaton.len();
            merge(&mut automaton, &mut bdds);
            merged += u32::from(automaton.len() < size);
            let after = Buchi::from_tgba(&automaton, &mut bdds);
            for _ in 0..20 {
                let lasso = Lasso::random(&mut rng, 2, 4, 4);
                let due = accepts(&before, &lasso);
                assert_eq!(accepts(&after, &lasso), due, "{before:?} on {lasso:?}");
            }
        }
        assert!(merged > 20, "hardly anything was merged: {merged}");
    }
}

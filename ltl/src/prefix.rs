//! Finite words that no continuation can save.
//!
//! A word is *bad* for a property if none of its continuations has the property (Kupferman and Vardi 2001). An automaton for the
//! property tells: after a prefix it is in one of a set of states, and a continuation is accepted if and only if it is accepted
//! from one of these. So the prefix is bad exactly if no state of the set reaches an accepting cycle. The automaton must accept
//! the words that have the property, not the violations. Letters count as possible whatever they are: where atoms depend on
//! each other, a prefix may be without hope earlier than is said here, never later.

use crate::buchi::{Buchi, StateId};

/// An automaton that reads a finite word.
#[derive(Clone, Debug)]
pub struct Prefixes {
    automaton: Buchi,
    /// For each state, whether some word is accepted from it.
    live: Vec<bool>,
}

impl Prefixes {
    /// Prefixes of the words that an automaton accepts.
    pub fn new(automaton: Buchi) -> Prefixes {
        let mut before = vec![Vec::new(); automaton.len()];
        for from in automaton.states() {
            for edge in automaton.edges(from) {
                before[edge.target.index()].push(from);
            }
        }
        let cycles = automaton.components().into_iter().filter(|c| c.accepting);
        let mut open: Vec<StateId> = cycles.flat_map(|c| c.states).collect();
        let mut live = vec![false; automaton.len()];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut live[state.index()], true) {
                open.extend(&before[state.index()]);
            }
        }
        Prefixes { automaton, live }
    }

    /// Where the automaton may be before the first letter; nowhere if it accepts nothing.
    pub fn start(&self) -> Vec<StateId> {
        let initial = self.automaton.initial().iter().copied();
        self.hopeful(initial.collect())
    }

    /// Where it may be after one more letter; nowhere if no continuation is accepted.
    pub fn read(&self, at: &[StateId], letter: u64) -> Vec<StateId> {
        let next = at
            .iter()
            .flat_map(|&s| self.automaton.successors(s, letter));
        self.hopeful(next.collect())
    }

    fn hopeful(&self, mut states: Vec<StateId>) -> Vec<StateId> {
        states.retain(|s| self.live[s.index()]);
        states.sort_unstable();
        states.dedup();
        states
    }

    /// The number of the letter, counted from 0, after which no continuation is accepted.
    pub fn hopeless_at(&self, letters: impl IntoIterator<Item = u64>) -> Option<usize> {
        let mut at = self.start();
        for (index, letter) in letters.into_iter().enumerate() {
            at = self.read(&at, letter);
            if at.is_empty() {
                return Some(index);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Atoms, Formulas};
    use crate::random::{Rng, Shape};
    use crate::word::{Lasso, holds};
    use crate::{parse, translate};

    fn prefixes(text: &str) -> Prefixes {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        atoms.intern("p");
        atoms.intern("q");
        let f = parse::formula(&mut formulas, &mut atoms, text).unwrap();
        Prefixes::new(translate::buchi(&mut formulas, f).unwrap())
    }

    #[test]
    fn the_letter_that_ends_all_hope_is_found() {
        for (text, word, expected) in [
            ("[] p", &[1, 1, 0, 1][..], Some(2)),
            ("[] (p -> X q)", &[0, 1, 1][..], Some(2)),
            ("[] (p -> <> q)", &[1, 0, 0][..], None),
            ("p U q", &[1, 1, 0][..], Some(2)),
            ("[] p && <> q", &[1, 0][..], Some(1)),
            ("[]<> p && <>[] !p", &[0][..], Some(0)),
        ] {
            let found = prefixes(text).hopeless_at(word.iter().copied());
            assert_eq!(found, expected, "{text} on {word:?}");
        }
    }

    /// A bad prefix has no continuation that satisfies the formula, and a prefix that is not bad has one: both by trying
    /// all short lassos behind it.
    #[test]
    fn random_prefixes_agree_with_trying_continuations() {
        let mut rng = Rng::seeded(17);
        let (mut bad, mut good) = (0, 0);
        for _ in 0..100 {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            atoms.intern("p");
            atoms.intern("q");
            let f = Shape {
                atoms: 2,
                size: 8,
                next: true,
            }
            .formula(&mut formulas, &mut rng);
            let Ok(automaton) = translate::buchi(&mut formulas, f) else {
                continue;
            };
            let prefixes = Prefixes::new(automaton);
            let word: Vec<u64> = (0..4).map(|_| u64::from(rng.below32(4))).collect();
            let found = prefixes.hopeless_at(word.iter().copied());
            for length in 1..=word.len() {
                let saved = continuations().any(|(more, cycle)| {
                    let prefix = [&word[..length], &more].concat();
                    holds(&formulas, f, &Lasso::new(prefix, cycle).unwrap())
                });
                let hopeless = found.is_some_and(|at| at < length);
                let text = formulas.to_text(f, &atoms);
                match hopeless {
                    true => bad += 1,
                    false => good += 1,
                }
                // Small formulas over two atoms are satisfied by such short words if by any.
                assert_eq!(saved, !hopeless, "{text} on {:?}", &word[..length]);
            }
        }
        assert!(bad > 40 && good > 40, "{bad} {good}");
    }

    /// All words of up to two letters before a cycle of one to three.
    fn continuations() -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> {
        let words = |length: u32| {
            (0..4u64.pow(length)).map(move |n| (0..length).map(|i| n >> (2 * i) & 3).collect())
        };
        let before = (0..=2).flat_map(words).collect::<Vec<Vec<u64>>>();
        let cycles = (1..=3).flat_map(words).collect::<Vec<Vec<u64>>>();
        before
            .into_iter()
            .flat_map(move |b| cycles.clone().into_iter().map(move |c| (b.clone(), c)))
    }
}

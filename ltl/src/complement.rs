//! Complements of small Büchi automata.
//!
//! A deterministic automaton is complemented by guessing the point after which no accepting state
//! comes any more. Any other is complemented by ranks (Kupferman and Vardi 2001) in the tight form
//! of Schewe (2009): a word is rejected when the graph of all its runs can be ranked so that ranks
//! never grow along a run, accepting states have even ranks, and every run ends up in an odd rank.
//! The complement guesses, after a finite prefix, a *tight* ranking of the current states (the
//! highest rank is odd and all odd ranks below it occur), keeps guessing lower ones step by step, and
//! checks, one even rank at a time, that all runs leave it.
//!
//! The blow-up is n^n by nature, so there is a bound, and beyond it the answer is `None`.

use crate::bdd::{Bdd, Bdds};
use crate::tgba::{Edge, Tgba};
use rustc_hash::FxHashMap;

/// Complements with more states are abandoned.
const MAX_STATES: usize = 4_000;

/// Automata that distinguish more letters are not complemented by ranks.
const MAX_LETTERS: usize = 64;

/// An automaton for the words that a state-based Büchi automaton rejects.
pub(crate) fn complement(automaton: &Tgba, bdds: &mut Bdds) -> Option<Tgba> {
    debug_assert!(automaton.is_state_based());
    match automaton.is_deterministic(bdds) {
        true => Some(of_deterministic(automaton, bdds)),
        false => Ranked::new(automaton, bdds)?.run(bdds),
    }
}

fn accepting(automaton: &Tgba, state: usize) -> bool {
    automaton.all == 0 || automaton.edges[state].iter().any(|e| e.marks != 0)
}

fn of_deterministic(automaton: &Tgba, bdds: &mut Bdds) -> Tgba {
    // States 0..n before the guess, n..2n after it, and 2n for words that have no run.
    let n = automaton.len();
    let mut edges = vec![Vec::new(); 2 * n + 1];
    let edge = |label, marks, target| Edge {
        label,
        marks,
        target,
    };
    for (s, out) in automaton.edges.iter().enumerate() {
        let mut covered = Bdd::FALSE;
        for e in out {
            covered = bdds.or(covered, e.label);
            edges[s].push(edge(e.label, 0, e.target));
            if !accepting(automaton, e.target) {
                edges[s].push(edge(e.label, 0, n + e.target));
                edges[n + s].push(edge(e.label, 1, n + e.target));
            }
        }
        let uncovered = bdds.not(covered);
        if uncovered != Bdd::FALSE {
            edges[s].push(edge(uncovered, 0, 2 * n));
            edges[n + s].push(edge(uncovered, 1, 2 * n));
        }
    }
    edges[2 * n].push(edge(Bdd::TRUE, 1, 2 * n));
    let after = |s: &usize| (!accepting(automaton, *s)).then_some(n + s);
    let initial = automaton.initial.iter();
    Tgba {
        all: 1,
        initial: initial
            .clone()
            .copied()
            .chain(initial.filter_map(after))
            .collect(),
        edges,
    }
}

/// States with their ranks.
type Ranks = Vec<(usize, u32)>;

/// A state of the complement.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    /// The reachable states, before ranks are guessed.
    Subset(Vec<usize>),
    /// After.
    Ranking {
        /// Each reachable state with its rank.
        ranks: Ranks,
        /// The runs that have not yet left `even`.
        pending: Vec<usize>,
        /// The even rank that is being checked.
        even: u32,
    },
}

struct Ranked<'a> {
    automaton: &'a Tgba,
    letters: Vec<Bdd>,
    /// The targets of each state on each letter.
    successors: Vec<Vec<Vec<usize>>>,
    numbers: FxHashMap<Node, usize>,
    nodes: Vec<Node>,
}

impl<'a> Ranked<'a> {
    fn new(automaton: &'a Tgba, bdds: &mut Bdds) -> Option<Self> {
        let mut letters = vec![Bdd::TRUE];
        for e in automaton.edges.iter().flatten() {
            bdds.refine(&mut letters, e.label);
            if letters.len() > MAX_LETTERS {
                return None;
            }
        }
        let mut successors = Vec::new();
        for &letter in &letters {
            let mut row = Vec::new();
            for edges in &automaton.edges {
                let mut fits = |e: &&Edge| bdds.and(e.label, letter) != Bdd::FALSE;
                row.push(edges.iter().filter(&mut fits).map(|e| e.target).collect());
            }
            successors.push(row);
        }
        Some(Ranked {
            automaton,
            letters,
            successors,
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
        })
    }

    fn run(mut self, bdds: &mut Bdds) -> Option<Tgba> {
        let mut start = self.automaton.initial.clone();
        start.sort_unstable();
        let mut initial = vec![self.number(Node::Subset(start.clone()))];
        for node in self.rankings(&start)? {
            initial.push(self.number(node));
        }
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        while edges.len() < self.nodes.len() {
            let node = self.nodes[edges.len()].clone();
            let accepting = match &node {
                Node::Subset(states) => states.is_empty(),
                Node::Ranking { pending, .. } => pending.is_empty(),
            };
            let mut out = Vec::new();
            for letter in 0..self.letters.len() {
                for next in self.next(&node, letter)? {
                    out.push(Edge {
                        label: self.letters[letter],
                        marks: u64::from(accepting),
                        target: self.number(next),
                    });
                }
            }
            edges.push(out);
            if self.nodes.len() > MAX_STATES {
                return None;
            }
        }
        let mut result = Tgba {
            all: 1,
            initial,
            edges,
        };
        result.merge_edges(bdds);
        result.prune();
        Some(result)
    }

    fn number(&mut self, node: Node) -> usize {
        let fresh = self.nodes.len();
        let number = *self.numbers.entry(node.clone()).or_insert(fresh);
        if number == fresh {
            self.nodes.push(node);
        }
        number
    }

    fn image(&self, states: impl Iterator<Item = usize>, letter: usize) -> Vec<usize> {
        let mut image: Vec<usize> = states
            .flat_map(|s| &self.successors[letter][s])
            .copied()
            .collect();
        image.sort_unstable();
        image.dedup();
        image
    }

    fn next(&self, node: &Node, letter: usize) -> Option<Vec<Node>> {
        match node {
            Node::Subset(states) => {
                let image = self.image(states.iter().copied(), letter);
                let mut all = self.rankings(&image)?;
                all.push(Node::Subset(image));
                Some(all)
            }
            Node::Ranking {
                ranks,
                pending,
                even,
            } => {
                let highest = ranks.iter().map(|r| r.1).max().unwrap_or(0);
                let image = self.image(ranks.iter().map(|r| r.0), letter);
                let limit = |target: &usize| {
                    let before = ranks
                        .iter()
                        .filter(|r| self.successors[letter][r.0].contains(target));
                    (*target, before.map(|r| r.1).min().unwrap_or(0))
                };
                let limits: Ranks = image.iter().map(limit).collect();
                let left = self.image(pending.iter().copied(), letter);
                let even = match pending.is_empty() {
                    true => (even + 2) % (highest + 1),
                    false => *even,
                };
                let follow = |ranks: Ranks| {
                    let at = ranks.iter().filter(|r| r.1 == even).map(|r| r.0);
                    let still = |s: &usize| pending.is_empty() || left.contains(s);
                    Node::Ranking {
                        pending: at.filter(still).collect(),
                        even,
                        ranks,
                    }
                };
                let all = self.tight(&limits, highest)?;
                Some(all.into_iter().map(follow).collect())
            }
        }
    }

    /// All tight rankings of a set of states, with nothing pending.
    fn rankings(&self, states: &[usize]) -> Option<Vec<Node>> {
        let rejecting = states.iter().filter(|s| !accepting(self.automaton, **s));
        let mut nodes = Vec::new();
        for i in 0..rejecting.count() as u32 {
            let highest = 2 * i + 1;
            let limits: Ranks = states.iter().map(|s| (*s, highest)).collect();
            let fresh = |ranks| Node::Ranking {
                ranks,
                pending: Vec::new(),
                even: 0,
            };
            nodes.extend(self.tight(&limits, highest)?.into_iter().map(fresh));
        }
        Some(nodes)
    }

    /// The rankings below the limits that are tight with that highest rank.
    fn tight(&self, limits: &[(usize, u32)], highest: u32) -> Option<Vec<Ranks>> {
        let mut all: Vec<Ranks> = vec![Vec::new()];
        for &(state, limit) in limits {
            let even_only = accepting(self.automaton, state);
            let fits = |rank: &u32| !even_only || rank.is_multiple_of(2);
            let extend = |ranks: &Ranks| {
                let ranks = ranks.clone();
                let choices = (0..=limit).filter(fits);
                choices.map(move |rank| [&ranks[..], &[(state, rank)]].concat())
            };
            all = all.iter().flat_map(extend).collect();
            if all.len() > MAX_STATES {
                return None;
            }
        }
        let occurs = |ranks: &[(usize, u32)], rank| ranks.iter().any(|r| r.1 == rank);
        all.retain(|ranks| (1..=highest).step_by(2).all(|odd| occurs(ranks, odd)));
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buchi::Buchi;
    use crate::random::Rng;
    use crate::word::{Lasso, accepts};

    #[test]
    fn a_word_is_accepted_by_exactly_one_of_the_two() {
        let mut rng = Rng::seeded(83);
        let (mut deterministic, mut ranked, mut refused) = (0, 0, 0);
        for _ in 0..400 {
            let mut bdds = Bdds::new();
            let states = 1 + rng.below32(4);
            let automaton = Buchi::random(&mut rng, states, 2).to_tgba(&mut bdds);
            let Some(other) = complement(&automaton, &mut bdds) else {
                refused += 1;
                continue;
            };
            match automaton.is_deterministic(&mut bdds) {
                true => deterministic += 1,
                false => ranked += 1,
            }
            let yes = Buchi::from_tgba(&automaton, &mut bdds);
            let no = Buchi::from_tgba(&other, &mut bdds);
            for _ in 0..20 {
                let lasso = Lasso::random(&mut rng, 2, 2, 3);
                assert_ne!(
                    accepts(&yes, &lasso),
                    accepts(&no, &lasso),
                    "{yes:?} {lasso:?}"
                );
            }
        }
        assert!(deterministic > 20 && ranked > 200 && refused < 100);
    }
}

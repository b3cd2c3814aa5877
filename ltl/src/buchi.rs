//! Büchi automata, the crate's product.
//!
//! States carry acceptance, edges carry a [`Label`] that is evaluated on a letter (a `u64` whose
//! bit i is atom i). An automaton need not be complete: a run that has no edge to take dies.

use crate::bdd::{Bdd, Bdds};
use crate::label::{Cube, Label};
use crate::random::Rng;
use crate::scc::Components;
use crate::tgba::{self, ComponentKind, Tgba};
use rustc_hash::FxHashMap;

/// A state of a [`Buchi`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge of a [`Buchi`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The letters the edge can read.
    pub label: Label,
    /// Where it leads.
    pub target: StateId,
}

/// A Büchi automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    initial: Vec<StateId>,
    accepting: Vec<bool>,
    edges: Vec<Vec<Edge>>,
}

/// A strongly connected component, as far as acceptance goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The states.
    pub states: Vec<StateId>,
    /// Whether there is a cycle at all.
    pub cyclic: bool,
    /// Whether some cycle is accepting.
    pub accepting: bool,
}

impl Buchi {
    /// An automaton from its parts: initial states, and for each state whether it accepts and its
    /// edges. `None` if a state is out of range or none is initial.
    pub fn new(initial: Vec<StateId>, states: Vec<(bool, Vec<Edge>)>) -> Option<Self> {
        let known = |s: &StateId| s.index() < states.len();
        let sound = !initial.is_empty()
            && initial.iter().all(known)
            && states.iter().flat_map(|s| &s.1).all(|e| known(&e.target));
        let (accepting, edges) = states.into_iter().unzip();
        sound.then_some(Buchi {
            initial,
            accepting,
            edges,
        })
    }

    /// How many states there are; at least one.
    #[expect(
        clippy::len_without_is_empty,
        reason = "an automaton has at least one state"
    )]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.edges.len() as u32).map(StateId)
    }

    /// The initial states.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// The edges of a state.
    pub fn edges(&self, state: StateId) -> &[Edge] {
        &self.edges[state.index()]
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Whether a state is accepting.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state.index()]
    }

    /// The targets of `state` on `letter`.
    pub fn successors(&self, state: StateId, letter: u64) -> impl Iterator<Item = StateId> {
        let fitting = self
            .edges(state)
            .iter()
            .filter(move |e| e.label.eval(letter));
        fitting.map(|e| e.target)
    }

    /// The atoms that labels mention, as bits.
    pub fn support(&self) -> u64 {
        let labels = self.edges.iter().flatten().map(|e| e.label.support());
        labels.fold(0, |acc, atoms| acc | atoms)
    }

    /// Whether every word has at most one run.
    pub fn is_deterministic(&self) -> bool {
        let disjoint = |a: &Label, b: &Label| {
            !a.cubes()
                .iter()
                .any(|c| b.cubes().iter().any(|d| c.meets(*d)))
        };
        self.initial.len() == 1
            && self.edges.iter().all(|edges| {
                let pairs = |(i, e): (usize, &Edge)| {
                    edges[..i].iter().all(|d| disjoint(&d.label, &e.label))
                };
                edges.iter().enumerate().all(pairs)
            })
    }

    /// The components that the initial states reach; edges lead to earlier components only.
    pub fn components(&self) -> Vec<Component> {
        let graph = self.graph();
        let describe = |members: &Vec<usize>| {
            let inside = |e: &&Edge| graph.of[e.target.index()] == graph.of[members[0]];
            let cyclic = members
                .iter()
                .any(|&s| self.edges[s].iter().any(|e| inside(&e)));
            Component {
                states: members.iter().map(|&s| StateId(s as u32)).collect(),
                cyclic,
                accepting: cyclic && members.iter().any(|&s| self.accepting[s]),
            }
        };
        graph.members.iter().map(describe).collect()
    }

    fn graph(&self) -> Components {
        let roots = self.initial.iter().map(|s| s.index());
        let successors = |s: usize| self.edges[s].iter().map(|e| e.target.index());
        Components::new(self.len(), roots, successors)
    }

    /// Whether the states of each component that has a cycle all accept or all do not.
    pub fn is_weak(&self) -> bool {
        let accepts = |s: &StateId| self.is_accepting(*s);
        self.components()
            .iter()
            .filter(|c| c.cyclic)
            .all(|component| {
                component.states.iter().all(accepts) || !component.states.iter().any(accepts)
            })
    }

    /// For each state, whether no state on an accepting cycle leads to it, nor is it on one itself.
    pub fn before_accepting(&self) -> Vec<bool> {
        let accepting = self.components().into_iter().filter(|c| c.accepting);
        let mut open: Vec<StateId> = accepting.flat_map(|c| c.states).collect();
        let mut before = vec![true; self.len()];
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut before[state.index()], false) {
                open.extend(self.edges(state).iter().map(|e| e.target));
            }
        }
        before
    }

    /// Whether the automaton is weak and its accepting components accept every word: a run that
    /// enters one has been decided.
    pub fn is_terminal(&self) -> bool {
        let mut bdds = Bdds::new();
        let graph = self.graph();
        let complete = |s: &StateId| {
            let mut covered = Bdd::FALSE;
            for e in self.edges(*s) {
                if graph.of[e.target.index()] == graph.of[s.index()] {
                    let label = bdds.label(&e.label);
                    covered = bdds.or(covered, label);
                }
            }
            covered == Bdd::TRUE
        };
        let mut states: Vec<StateId> = Vec::new();
        for component in self.components() {
            if component.accepting {
                states.extend(component.states);
            }
        }
        self.is_weak() && states.iter().all(complete)
    }

    /// For each state, whether the word that repeats `letter` for ever is accepted from it.
    pub fn accepts_forever(&self, letter: u64) -> Vec<bool> {
        let successors = |s: usize| {
            let fitting = self.edges[s].iter().filter(|e| e.label.eval(letter));
            fitting.map(|e| e.target.index())
        };
        let graph = Components::new(self.len(), 0..self.len(), successors);
        let mut accepted = vec![false; self.len()];
        // Components come in reverse topological order, so targets outside are settled.
        for members in &graph.members {
            let cyclic = members.len() > 1 || successors(members[0]).any(|t| t == members[0]);
            let here = cyclic && members.iter().any(|&s| self.accepting[s]);
            let later = |&s: &usize| successors(s).any(|t| accepted[t]);
            let verdict = here || members.iter().any(later);
            members.iter().for_each(|&s| accepted[s] = verdict);
        }
        accepted
    }

    /// Whether no word is accepted.
    pub fn is_empty_language(&self) -> bool {
        !self.components().iter().any(|c| c.accepting)
    }

    /// Builds the public form of a state-based automaton. Only states of accepting components
    /// become accepting, and all of them where the component has no rejecting cycle.
    pub(crate) fn from_tgba(automaton: &Tgba, bdds: &mut Bdds) -> Self {
        debug_assert!(automaton.is_state_based());
        let components = automaton.components();
        let kinds = automaton.kinds(&components);
        let uniform: Vec<bool> = (0..kinds.len())
            .map(|c| !automaton.can_avoid(&components, c, automaton.all))
            .collect();
        let accepting = |s: usize| match components.of[s] {
            Components::UNREACHED => false,
            c if kinds[c] != ComponentKind::Accepting => false,
            c => uniform[c] || automaton.edges[s].iter().any(|e| e.marks != 0),
        };
        let mut labels: FxHashMap<Bdd, Label> = FxHashMap::default();
        let mut edge = |e: &tgba::Edge| Edge {
            label: labels
                .entry(e.label)
                .or_insert_with(|| bdds.cubes(e.label))
                .clone(),
            target: StateId(e.target as u32),
        };
        Buchi {
            initial: automaton
                .initial
                .iter()
                .map(|&s| StateId(s as u32))
                .collect(),
            accepting: (0..automaton.len()).map(accepting).collect(),
            edges: automaton
                .edges
                .iter()
                .map(|edges| edges.iter().map(&mut edge).collect())
                .collect(),
        }
    }

    /// The working form, with one mark.
    pub(crate) fn to_tgba(&self, bdds: &mut Bdds) -> Tgba {
        let mut edge = |s: usize, e: &Edge| tgba::Edge {
            label: bdds.label(&e.label),
            marks: u64::from(self.accepting[s]),
            target: e.target.index(),
        };
        let mut automaton = Tgba {
            all: 1,
            initial: self.initial.iter().map(|s| s.index()).collect(),
            edges: Vec::new(),
        };
        for (s, edges) in self.edges.iter().enumerate() {
            automaton
                .edges
                .push(edges.iter().map(|e| edge(s, e)).collect());
        }
        automaton
    }

    /// A random automaton with that many states over that many atoms (at most six).
    pub fn random(rng: &mut Rng, states: u32, atoms: u32) -> Buchi {
        let literal = |rng: &mut Rng| rng.next_u64() & !(u64::MAX << atoms.min(6));
        let state = |rng: &mut Rng| {
            let edge = |rng: &mut Rng| {
                let positive = literal(rng) & literal(rng);
                let negative = literal(rng) & literal(rng) & !positive;
                Edge {
                    label: Label::from_cubes(vec![Cube::new(positive, negative)]),
                    target: StateId(rng.below32(states)),
                }
            };
            let edges = (0..1 + rng.below32(3)).map(|_| edge(rng)).collect();
            (rng.below32(2) == 0, edges)
        };
        let states = (0..states.max(1)).map(|_| state(rng)).collect();
        let (accepting, edges): (_, Vec<_>) = Vec::<(bool, Vec<Edge>)>::into_iter(states).unzip();
        Buchi {
            initial: vec![StateId(0)],
            accepting,
            edges,
        }
    }

    /// An automaton for the words that both accept.
    pub fn intersection(&self, other: &Buchi) -> Buchi {
        let mut bdds = Bdds::new();
        let (a, b) = (self.to_tgba(&mut bdds), other.to_tgba(&mut bdds));
        let mut both = crate::product::intersection(&a, &b, &mut bdds);
        both.prune();
        let plain = crate::degeneralize::degeneralize(&both);
        Buchi::from_tgba(&plain, &mut bdds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::{Lasso, accepts};

    #[test]
    fn repeating_a_letter_is_judged_as_the_lasso_is() {
        let mut rng = Rng::seeded(89);
        for _ in 0..300 {
            let states = 1 + rng.below32(5);
            let buchi = Buchi::random(&mut rng, states, 2);
            for letter in 0..4 {
                let forever = buchi.accepts_forever(letter);
                let lasso = Lasso::new(Vec::new(), vec![letter]).unwrap();
                for state in buchi.states() {
                    let mut from = buchi.clone();
                    from.initial = vec![state];
                    assert_eq!(forever[state.index()], accepts(&from, &lasso));
                }
            }
        }
    }

    /// Weakness and determinism as the definitions have them, on automata made by hand.
    #[test]
    fn structure_is_recognised() {
        let cases = [
            // Text, deterministic, weak, terminal.
            ("State: 0 {0} [t] 0", true, true, true),
            ("State: 0 [0] 0 [!0] 1 State: 1 {0} [t] 1", true, true, true),
            (
                "State: 0 [0] 0 [!0] 1 State: 1 {0} [0] 1",
                true,
                true,
                false,
            ),
            (
                "State: 0 [t] 0 [!0] 1 State: 1 {0} [t] 1",
                false,
                true,
                true,
            ),
            (
                "State: 0 [!0] 0 [0] 1 State: 1 {0} [!0] 0 [0] 1",
                true,
                false,
                false,
            ),
            ("State: 0 [0] 1 State: 1 {0} [t] 0", true, true, false),
        ];
        for (body, deterministic, weak, terminal) in cases {
            let text = format!(
                "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0) --BODY-- {body} --END--"
            );
            let buchi = crate::hoa::read(&text, &mut crate::formula::Atoms::new()).unwrap();
            let found = (
                buchi.is_deterministic(),
                buchi.is_weak(),
                buchi.is_terminal(),
            );
            assert_eq!(found, (deterministic, weak, terminal), "{body}");
        }
    }
}

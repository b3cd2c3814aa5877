//! Büchi automata, the crate's product.
//!
//! States carry acceptance, edges carry a [`Label`] that is evaluated on a letter (a `u64` whose
//! bit i is atom i). An automaton need not be complete: a run that has no edge to take dies.

use crate::bdd::{Bdd, Bdds};
use crate::label::Label;
use crate::scc::Components;
use crate::tgba::{self, Kind, Tgba};

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

    /// Whether no component has both accepting and rejecting cycles.
    pub fn is_weak(&self) -> bool {
        let graph = self.graph();
        self.components().iter().all(|component| {
            // Weak unless some cycle avoids the accepting states of an accepting component.
            let rejecting = |s: usize| !self.accepting[s];
            let of = graph.of[component.states[0].index()];
            let avoid = |s: usize| {
                let targets = self.edges[s].iter().map(|e| e.target.index());
                targets.filter(|&t| graph.of[t] == of && rejecting(t))
            };
            let roots = component
                .states
                .iter()
                .map(|s| s.index())
                .filter(|&s| rejecting(s));
            let rest = Components::new(self.len(), roots, avoid);
            let cyclic = |c: &Vec<usize>| c.len() > 1 || avoid(c[0]).any(|t| t == c[0]);
            !component.accepting || !rest.members.iter().any(cyclic)
        })
    }

    /// Whether every run that visits an accepting state on a cycle is doomed to accept: the states
    /// of accepting components accept every word.
    pub fn is_terminal(&self) -> bool {
        let mut bdds = Bdds::new();
        let graph = self.graph();
        let complete = |s: &StateId| {
            let mut covered = Bdd::FALSE;
            for e in self.edges(*s) {
                if graph.of[e.target.index()] == graph.of[s.index()] {
                    let label = bdds.from_label(&e.label);
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

    /// Whether no word is accepted.
    pub fn is_empty_language(&self) -> bool {
        !self.components().iter().any(|c| c.accepting)
    }

    /// Builds the public form of a state-based automaton.
    pub(crate) fn from_tgba(automaton: &Tgba, bdds: &mut Bdds) -> Self {
        debug_assert!(automaton.is_state_based());
        let components = automaton.components();
        let kinds = automaton.kinds(&components);
        let accepting = |s: usize| {
            let component = components.of[s];
            component != Components::UNREACHED
                && kinds[component] == Kind::Accepting
                && automaton.edges[s].iter().all(|e| e.marks == automaton.all)
        };
        let mut edge = |e: &tgba::Edge| Edge {
            label: bdds.to_label(e.label),
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
            label: bdds.from_label(&e.label),
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

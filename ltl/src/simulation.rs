//! Reduction by direct simulation, forward and backward.
//!
//! State q *simulates* p when every step of p can be answered by q with the same letter, at least
//! the same marks, and a target that simulates p's target. Then q accepts whatever p accepts, and
//!
//! - states that simulate each other are merged, and
//! - of two edges of one state with a common letter, the one to the simulated target with fewer
//!   marks loses that letter (its "little brother" is pruned).
//!
//! Backward simulation asks the same of incoming edges (and of being initial, and of being
//! accepting where acceptance is the state's); its merging and pruning are the mirror images.
//! Each of the four steps keeps the language (Bustan and Grumberg 2003; Clemente and Mayr 2013),
//! and each may enable another, so they are iterated until the automaton stops shrinking.
//!
//! Answers are per letter: the label of a step of p must be covered by the union of the labels of
//! the answering steps of q, which diagrams make exact.

use crate::bdd::{Bdd, Bdds};
use crate::partition;
use crate::tgba::{Edge, Marks, Tgba};

/// The relation compares pairs of edges; automata with more pairs are reduced by bisimulation only.
const MAX_PAIRS: usize = 1 << 20;

#[derive(Copy, Clone, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// Shrinks an automaton without changing its language. A state-based automaton stays so.
pub(crate) fn reduce(automaton: &mut Tgba, bdds: &mut Bdds) {
    loop {
        let before = (automaton.len(), automaton.edge_count());
        for direction in [Direction::Forward, Direction::Backward] {
            automaton.merge_edges(bdds);
            automaton.prune();
            let class = partition::refine(automaton, vec![0; automaton.len()], bdds);
            *automaton = partition::quotient(automaton, &class, bdds);
            if automaton.edge_count().pow(2) <= MAX_PAIRS {
                quotient(automaton, bdds, direction);
            }
        }
        automaton.merge_edges(bdds);
        automaton.prune();
        if (automaton.len(), automaton.edge_count()) >= before {
            return;
        }
    }
}

/// A step seen from one end: the other end, with what the step carries.
type Step = (usize, Marks, Bdd);

/// The edges of each state, or those into each state.
fn steps(automaton: &Tgba, direction: Direction) -> Vec<Vec<Step>> {
    let mut steps = vec![Vec::new(); automaton.len()];
    for (source, edges) in automaton.edges.iter().enumerate() {
        for e in edges {
            match direction {
                Direction::Forward => steps[source].push((e.target, e.marks, e.label)),
                Direction::Backward => steps[e.target].push((source, e.marks, e.label)),
            }
        }
    }
    steps
}

/// `relation[p][q]`: q simulates p. The greatest such relation, by refinement from above.
fn simulation(automaton: &Tgba, bdds: &mut Bdds, direction: Direction) -> Vec<Vec<bool>> {
    let n = automaton.len();
    let steps = steps(automaton, direction);
    let state_based = automaton.is_state_based();
    let accepting = |s: usize| state_based && automaton.edges[s].iter().any(|e| e.marks != 0);
    let initial = |s: usize| automaton.initial.contains(&s);
    let compatible = |p: usize, q: usize| match direction {
        Direction::Forward => true,
        Direction::Backward => (!initial(p) || initial(q)) && (!accepting(p) || accepting(q)),
    };
    let mut relation: Vec<Vec<bool>> = (0..n)
        .map(|p| (0..n).map(|q| compatible(p, q)).collect())
        .collect();
    // Rows need another look only after the row of one of their targets has changed; components
    // come with targets first.
    let mut order = automaton.components().members.concat();
    if direction == Direction::Backward {
        order.reverse();
    }
    let mut stale = vec![true; n];
    while order.iter().any(|&p| stale[p]) {
        for &p in &order {
            if !std::mem::replace(&mut stale[p], false) {
                continue;
            }
            let mut changed = false;
            for q in 0..n {
                if p != q && relation[p][q] && !answers(&steps, bdds, &relation, p, q) {
                    relation[p][q] = false;
                    changed = true;
                }
            }
            if changed {
                for (before, steps) in steps.iter().enumerate() {
                    stale[before] |= steps.iter().any(|step| step.0 == p);
                }
            }
        }
    }
    relation
}

/// Whether q can answer every step of p, as far as `relation` knows.
fn answers(
    steps: &[Vec<Step>],
    bdds: &mut Bdds,
    relation: &[Vec<bool>],
    p: usize,
    q: usize,
) -> bool {
    steps[p].iter().all(|&(to, marks, label)| {
        let mut open = label;
        for &(answer_to, answer_marks, answer_label) in &steps[q] {
            if marks & !answer_marks == 0 && relation[to][answer_to] {
                open = bdds.minus(open, answer_label);
            }
            if open == Bdd::FALSE {
                return true;
            }
        }
        open == Bdd::FALSE
    })
}

/// Merges equivalent states and prunes dominated edges.
fn quotient(automaton: &mut Tgba, bdds: &mut Bdds, direction: Direction) {
    let n = automaton.len();
    let relation = simulation(automaton, bdds, direction);
    let class: Vec<usize> = (0..n)
        .map(|p| {
            (0..=p)
                .find(|&q| relation[p][q] && relation[q][p])
                .unwrap_or(p)
        })
        .collect();
    for (p, &representative) in class.iter().enumerate() {
        if representative != p {
            let edges = std::mem::take(&mut automaton.edges[p]);
            if direction == Direction::Backward {
                automaton.edges[representative].extend(edges);
            }
        }
    }
    for e in automaton.edges.iter_mut().flatten() {
        e.target = class[e.target];
    }
    automaton.initial.iter_mut().for_each(|s| *s = class[*s]);
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    automaton.merge_edges(bdds);
    prune_edges(automaton, bdds, &relation, direction);
    if direction == Direction::Forward {
        let all = automaton.initial.clone();
        let best = |p: &usize| !all.iter().any(|q| q != p && relation[*p][*q]);
        automaton.initial.retain(best);
    }
    automaton.retain(|s| class[s] == s);
}

/// Takes from every edge the letters of an edge that dominates it. After merging, `relation` is
/// antisymmetric on the states that are left, so of any set of edges some survive undominated.
fn prune_edges(
    automaton: &mut Tgba,
    bdds: &mut Bdds,
    relation: &[Vec<bool>],
    direction: Direction,
) {
    let old = automaton.edges.clone();
    for (source, edges) in automaton.edges.iter_mut().enumerate() {
        let stronger: Vec<&Edge> = match direction {
            Direction::Forward => old[source].iter().collect(),
            Direction::Backward => (0..old.len())
                .filter(|&q| q != source && relation[source][q])
                .flat_map(|q| &old[q])
                .collect(),
        };
        for (edge, weak) in edges.iter_mut().zip(&old[source]) {
            let dominates = |strong: &&&Edge| match direction {
                Direction::Forward => {
                    (strong.target, strong.marks) != (weak.target, weak.marks)
                        && relation[weak.target][strong.target]
                }
                Direction::Backward => strong.target == weak.target,
            };
            for strong in stronger.iter().filter(dominates) {
                if weak.marks & !strong.marks == 0 {
                    edge.label = bdds.minus(edge.label, strong.label);
                }
            }
        }
    }
    for edges in &mut automaton.edges {
        edges.retain(|e| e.label != Bdd::FALSE);
    }
}

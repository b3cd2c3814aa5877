//! Coarsest partitions that are stable under edges: bisimulation, or Moore's minimisation.
//!
//! Signature refinement: states stay together while they were together and have, for each class and
//! set of marks, edges with the same letters. Each round costs time linear in the edges, so this
//! also serves automata that are too large for simulation.

use crate::bdd::{Bdd, Bdds};
use crate::tgba::{Marks, Tgba};
use rustc_hash::FxHashMap;

/// For each class and set of marks, the letters that lead there.
type Signature = Vec<(usize, Marks, Bdd)>;

/// Refines `class` to the coarsest stable partition; classes are numbered from 0 without gaps.
pub(crate) fn refine(automaton: &Tgba, mut class: Vec<usize>, bdds: &mut Bdds) -> Vec<usize> {
    let mut count = 0;
    loop {
        let mut known: FxHashMap<(usize, Signature), usize> = FxHashMap::default();
        let mut refined = Vec::with_capacity(class.len());
        for s in 0..automaton.len() {
            let fresh = known.len();
            let signature = signature(automaton, &class, s, bdds);
            refined.push(*known.entry((class[s], signature)).or_insert(fresh));
        }
        class = refined;
        if known.len() == count {
            return class;
        }
        count = known.len();
    }
}

fn signature(automaton: &Tgba, class: &[usize], state: usize, bdds: &mut Bdds) -> Signature {
    let mut letters: FxHashMap<(usize, Marks), Bdd> = FxHashMap::default();
    for e in &automaton.edges[state] {
        let sum = letters
            .entry((class[e.target], e.marks))
            .or_insert(Bdd::FALSE);
        *sum = bdds.or(*sum, e.label);
    }
    let mut signature: Signature = letters.into_iter().map(|((c, m), b)| (c, m, b)).collect();
    signature.sort_unstable();
    signature
}

/// The automaton with one state for each class, which must be stable.
pub(crate) fn quotient(automaton: &Tgba, class: &[usize], bdds: &mut Bdds) -> Tgba {
    let count = class.iter().max().map_or(0, |c| c + 1);
    let mut edges = vec![Vec::new(); count];
    for (s, &c) in class.iter().enumerate() {
        edges[c].clone_from(&automaton.edges[s]);
        edges[c].iter_mut().for_each(|e| e.target = class[e.target]);
    }
    let mut initial: Vec<usize> = automaton.initial.iter().map(|&s| class[s]).collect();
    initial.sort_unstable();
    initial.dedup();
    let mut quotient = Tgba {
        all: automaton.all,
        initial,
        edges,
    };
    quotient.merge_edges(bdds);
    quotient
}

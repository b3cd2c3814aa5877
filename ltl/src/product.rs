//! Intersection of automata: the reachable pairs of states, with the marks of both sides.

use crate::bdd::{Bdd, Bdds};
use crate::tgba::{Edge, Tgba};
use rustc_hash::FxHashMap;

/// An automaton for the words that both accept. Together they must have at most 64 marks.
pub(crate) fn intersection(a: &Tgba, b: &Tgba, bdds: &mut Bdds) -> Tgba {
    let shift = 64 - a.all.leading_zeros();
    debug_assert!(shift + 64 - b.all.leading_zeros() <= 64);
    let lift = |marks: u64| marks.checked_shl(shift).unwrap_or(0);
    let mut numbers: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for &s in &a.initial {
        for &t in &b.initial {
            numbers.insert((s, t), pairs.len());
            pairs.push((s, t));
        }
    }
    let initial = (0..pairs.len()).collect();
    let mut edges = Vec::new();
    while edges.len() < pairs.len() {
        let (s, t) = pairs[edges.len()];
        let mut out = Vec::new();
        for e in &a.edges[s] {
            for f in &b.edges[t] {
                let label = bdds.and(e.label, f.label);
                if label != Bdd::FALSE {
                    let pair = (e.target, f.target);
                    let fresh = pairs.len();
                    let target = *numbers.entry(pair).or_insert(fresh);
                    if target == fresh {
                        pairs.push(pair);
                    }
                    let marks = e.marks | lift(f.marks);
                    out.push(Edge {
                        label,
                        marks,
                        target,
                    });
                }
            }
        }
        edges.push(out);
    }
    Tgba {
        all: a.all | lift(b.all),
        initial,
        edges,
    }
}

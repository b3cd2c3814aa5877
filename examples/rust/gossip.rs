//! Gossip: each node knows some rumours, at first its own, and tells all it knows to a neighbour at a time.
//!
//! On a ring every node learns everything, unless a node falls silent: with one silent node the others, which form a line,
//! still learn each other's rumours; but never that of the silent one.

#![allow(missing_docs)]

use ample::Options;
use ample::typed::{Check, Error, Report, TransitionSystem};

/// For each node the set of the rumours that it knows, as bits.
type Known = Vec<u8>;

/// Nodes on a ring.
pub struct Gossip {
    pub nodes: usize,
    /// This one tells nobody anything.
    pub silent: Option<usize>,
}

/// `from` tells `to` what it knows.
#[derive(Clone, Debug)]
pub struct Tell {
    pub from: usize,
    pub to: usize,
}

impl TransitionSystem for Gossip {
    type State = Known;
    type Action = Tell;

    fn initial(&self) -> Vec<Known> {
        vec![(0..self.nodes).map(|node| 1 << node).collect()]
    }

    fn actions(&self, _: &Known, out: &mut Vec<Tell>) {
        for from in (0..self.nodes).filter(|&node| Some(node) != self.silent) {
            for to in [
                (from + 1) % self.nodes,
                (from + self.nodes - 1) % self.nodes,
            ] {
                out.push(Tell { from, to });
            }
        }
    }

    /// Telling what is known already does not happen: then the protocol ends when there is nothing left to tell.
    fn next(&self, known: &Known, tell: &Tell) -> Option<Known> {
        let mut next = known.clone();
        next[tell.to] |= known[tell.from];
        (next != *known).then_some(next)
    }

    fn may_end(&self, _: &Known) -> bool {
        true
    }
}

/// Checks that rumours are never forgotten or made up, and that all nodes learn all.
pub fn check(gossip: &Gossip, options: &Options) -> Result<Report<Known, Tell>, Error> {
    let everything = ((1u16 << gossip.nodes) - 1) as u8;
    Check::new(gossip)
        .invariant("own rumour known", |known| {
            known
                .iter()
                .enumerate()
                .all(|(node, set)| set >> node & 1 == 1)
        })
        .no_deadlock()
        .atom("complete", move |known: &Known| {
            known.iter().all(|set| *set == everything)
        })
        .ltl("spreads", "<> [] complete")
        .check(options)
}

#[allow(dead_code)]
fn main() -> Result<(), Error> {
    for silent in [None, Some(0)] {
        let gossip = Gossip { nodes: 4, silent };
        println!(
            "silent: {silent:?}\n{}",
            check(&gossip, &Options::default())?
        );
    }
    Ok(())
}

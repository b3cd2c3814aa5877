//! The paper's Tables 1 to 3 for our models: what is measured, and how.
//!
//! Each row is explored up to a number of contexts, not further, and no conclusion is drawn from nothing new being reached: so
//! the figures of eager and lazy splitting are those of the same work. A violation ends the row; its run is executed.
//! The paper's own figures stand beside ours. Its programs are Java bytecode, and its machine was another one.

use super::{bluetooth, tree, vector};
use crate::boolean::compile::Compiled;
use crate::boolean::program::Program;
use crate::symbolic::contexts::{Options, Outcome, Splitting, Statistics, check};
use crate::symbolic::space::{Error, Result};

/// A program of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The vector, with or without the race; bits of `x`.
    Vector(bool, usize),
    /// The Bluetooth driver: version, adders, stoppers.
    Bluetooth(u32, usize, usize),
    /// The binary search tree: inserters, searchers.
    Tree(usize, usize),
}

impl Subject {
    /// The table of the paper that it belongs to.
    pub fn table(self) -> u32 {
        match self {
            Subject::Vector(..) => 1,
            Subject::Bluetooth(..) => 2,
            Subject::Tree(..) => 3,
        }
    }

    fn program(self) -> Program {
        match self {
            Subject::Vector(racy, bits) => vector::test(bits, racy),
            Subject::Bluetooth(version, adders, stoppers) => {
                bluetooth::driver(version, adders, stoppers)
            }
            Subject::Tree(inserters, searchers) => tree::tree(inserters, searchers, false),
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::Vector(racy, bits) => {
                let (repaired, s) = (["repaired, ", ""][usize::from(*racy)], ["s", ""]);
                write!(
                    f,
                    "vector, {repaired}x of {bits} bit{}",
                    s[usize::from(*bits == 1)]
                )
            }
            Subject::Bluetooth(version, adders, stoppers) => {
                write!(f, "driver {version}, {adders}+{stoppers}")
            }
            Subject::Tree(inserters, searchers) => write!(f, "tree, {inserters}+{searchers}"),
        }
    }
}

/// Figures of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paper {
    /// Seconds; `None` for a timeout after three hours.
    pub seconds: Option<f64>,
    /// View tuples, if it has them.
    pub tuples: Option<usize>,
}

/// What one row measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// The program.
    pub subject: Subject,
    /// The number of contexts.
    pub contexts: usize,
    /// How view tuples are split.
    pub splitting: Splitting,
    /// The paper's figures for this row, if it has the row.
    pub paper: Option<Paper>,
}

/// A row.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What was found.
    pub outcome: Outcome,
    /// View tuples and nodes.
    pub figures: Statistics,
}

/// The paper's Table 1, up to 8 bits: eager seconds, eager view tuples, lazy seconds; racy and repaired.
const TABLE_1: [[(f64, usize, f64); 8]; 2] = [
    [
        (9.3, 48, 19.7),
        (10.8, 87, 17.7),
        (16.9, 167, 19.6),
        (31.1, 327, 17.5),
        (67.9, 648, 17.2),
        (117.8, 1348, 18.9),
        (225.7, 2567, 16.7),
        (457.9, 5126, 18.8),
    ],
    [
        (15.1, 105, 20.9),
        (18.6, 209, 20.8),
        (37.5, 417, 19.4),
        (64.3, 833, 22.3),
        (147.7, 1655, 20.8),
        (301.7, 3329, 18.8),
        (642.0, 6657, 23.4),
        (1732.0, 13313, 23.2),
    ],
];

/// Eager splitting is measured up to so many bits of `x`: the number of view tuples doubles with each.
const EAGER_BITS: usize = 6;

/// All rows, table by table.
pub fn cases() -> Vec<Case> {
    use Splitting::{Eager, Lazy};
    let mut cases = Vec::new();
    let mut case = |subject, contexts, splitting, paper: Option<(Option<f64>, Option<usize>)>| {
        let paper = paper.map(|(seconds, tuples)| Paper { seconds, tuples });
        cases.push(Case {
            subject,
            contexts,
            splitting,
            paper,
        });
    };
    for (racy, theirs) in [(true, TABLE_1[0]), (false, TABLE_1[1])] {
        for bits in 1..=16 {
            let row = theirs.get(bits - 1);
            let subject = Subject::Vector(racy, bits);
            if bits <= EAGER_BITS {
                let paper = row.map(|(eager, tuples, _)| (Some(*eager), Some(*tuples)));
                case(subject, 3, Eager, paper);
            }
            let paper = row.map(|(_, _, lazy)| (Some(*lazy), Some(3)));
            case(subject, 3, Lazy, paper);
        }
    }
    for (version, adders, stoppers, contexts, theirs) in [
        (1, 1, 1, 3, Some([(1.1, 21), (1.3, 4)])),
        (2, 1, 1, 6, None),
        (2, 2, 1, 5, Some([(51.7, 1460), (36.0, 154)])),
        (3, 2, 1, 6, None),
        (3, 1, 2, 4, Some([(11.9, 234), (6.0, 16)])),
    ] {
        let subject = Subject::Bluetooth(version, adders, stoppers);
        for (index, splitting) in [Eager, Lazy].into_iter().enumerate() {
            let paper = theirs.map(|rows| (Some(rows[index].0), Some(rows[index].1)));
            case(subject, contexts, splitting, paper);
        }
    }
    for (inserters, searchers, contexts, seconds) in [
        (1, 1, 3, Some(3.8)),
        (1, 1, 4, Some(8.3)),
        (2, 1, 4, Some(127.1)),
        (2, 1, 5, Some(712.3)),
        (2, 1, 6, Some(5528.2)),
        (2, 2, 5, Some(6488.0)),
        (2, 2, 6, None),
    ] {
        let subject = Subject::Tree(inserters, searchers);
        case(subject, contexts, Lazy, Some((seconds, None)));
    }
    cases
}

impl Case {
    /// Measures the row with at most so many BDD nodes, until `stop` says so: from the program to the verdict, with the run
    /// executed.
    pub fn measure(&self, nodes: usize, stop: &dyn Fn() -> bool) -> Result<Measured> {
        let compiled = Compiled::new(&self.subject.program(), self.contexts, nodes)?;
        let options = Options {
            splitting: self.splitting,
            may_converge: false,
            stop,
            ..Options::new(self.contexts)
        };
        let targets = [compiled.error.clone()];
        let (outcome, figures) = check(compiled.explored(), &targets, options, |_| {});
        if let Outcome::Violated { run, .. } = &outcome {
            let run = compiled.run(run).map_err(Error::Unconfirmed)?;
            compiled.confirm(&run).map_err(Error::Unconfirmed)?;
        }
        Ok(Measured { outcome, figures })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_paper_is_there_once() {
        let cases = cases();
        let with_paper = |table| {
            let own = cases.iter().filter(|case| case.subject.table() == table);
            own.filter(|case| case.paper.is_some()).count()
        };
        // Eager splitting beyond six bits is left out.
        assert_eq!([1, 2, 3].map(with_paper), [2 * (8 + EAGER_BITS), 6, 7]);
        for (index, case) in cases.iter().enumerate() {
            assert!(!cases[..index].contains(case), "{case:?}");
        }
    }
}

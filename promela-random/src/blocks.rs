//! Automata that accept a word no matter how often its letters are repeated, but not by a run that does not care.
//!
//! They count the length of every block of equal letters modulo some number and leave a block only when the count is 0,
//! having guessed where to begin. Which guess was right is known only at the end of the block. A reduction that lets the
//! automaton's guesses decide what to leave out goes wrong on them.

use crate::Rng;
use std::collections::BTreeMap;

/// Number of atoms.
const ATOMS: usize = 2;
/// Number of letters: every combination of the atoms.
pub const LETTERS: usize = 1 << ATOMS;

/// A Büchi automaton over [`LETTERS`] letters. State 0 is initial.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// Successors by state and letter.
    pub next: Vec<[Vec<usize>; LETTERS]>,
    /// Whether each state is accepting.
    pub accepting: Vec<bool>,
}

impl Blocks {
    /// A random one.
    pub fn random(rng: &mut Rng) -> Blocks {
        let count = rng.within(1, 3);
        let successors = |rng: &mut Rng| {
            let share = rng.within(20, 50);
            (0..count).filter(|_| rng.chance(share)).collect()
        };
        Blocks {
            next: (0..count)
                .map(|_| std::array::from_fn(|_| successors(rng)))
                .collect(),
            accepting: (0..count).map(|_| rng.chance(50)).collect(),
        }
    }

    /// The automaton that accepts a word if this one accepts it without its repetitions (a last letter that stays for good
    /// remains), and that counts every block modulo `modulus`: it leaves a block only when the count is 0.
    pub fn counting(&self, modulus: usize) -> Blocks {
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
        enum At {
            Start,
            /// In a block of that letter; the flag: it has just begun, in an accepting state.
            Block(usize, usize, bool, usize),
            /// In the last block.
            Last(usize, usize),
        }
        let enter = |from: usize, letter: usize| -> Vec<At> {
            let mut all = Vec::new();
            for &to in &self.next[from][letter] {
                let marked = self.accepting[to];
                all.extend((0..modulus).map(|count| At::Block(to, letter, marked, count)));
                all.push(At::Last(to, letter));
            }
            all
        };
        let mut states = vec![At::Start];
        let mut known = BTreeMap::from([(At::Start, 0)]);
        let mut next: Vec<[Vec<usize>; LETTERS]> = Vec::new();
        while let Some(&at) = states.get(next.len()) {
            let mut row: [Vec<usize>; LETTERS] = Default::default();
            for (letter, row) in row.iter_mut().enumerate() {
                let targets = match at {
                    At::Start => enter(0, letter),
                    At::Block(s, own, _, count) if own == letter => {
                        vec![At::Block(s, own, false, (count + 1) % modulus)]
                    }
                    At::Block(s, _, _, 0) => enter(s, letter),
                    At::Block(..) => Vec::new(),
                    At::Last(s, own) if own == letter => {
                        let next = self.next[s][letter].iter();
                        next.map(|&t| At::Last(t, own)).collect()
                    }
                    At::Last(..) => Vec::new(),
                };
                for target in targets {
                    let fresh = states.len();
                    let id = *known.entry(target).or_insert(fresh);
                    if id == fresh {
                        states.push(target);
                    }
                    row.push(id);
                }
            }
            next.push(row);
        }
        let accepting = |at: &At| match *at {
            At::Start => false,
            At::Block(_, _, marked, _) => marked,
            At::Last(s, _) => self.accepting[s],
        };
        Blocks {
            accepting: states.iter().map(accepting).collect(),
            next,
        }
    }
}

impl Blocks {
    /// As a `never` claim over two conditions.
    pub fn never(&self, atoms: [&str; ATOMS]) -> String {
        let name = |state: usize| {
            let accept = if self.accepting[state] { "accept_" } else { "" };
            format!("{accept}s{state}")
        };
        let mut text = String::from("never {\n");
        for (state, row) in self.next.iter().enumerate() {
            let mut options = String::new();
            for (letter, targets) in row.iter().enumerate() {
                let literal = |i: usize| {
                    let sign = if letter >> i & 1 == 1 { "" } else { "!" };
                    format!("{sign}({})", atoms[i])
                };
                let condition = format!("{} && {}", literal(0), literal(1));
                for &to in targets {
                    options.push_str(&format!(" :: {condition} -> goto {}", name(to)));
                }
            }
            let statement = match options.is_empty() {
                true => "false".to_owned(),
                false => format!("if{options} fi"),
            };
            text.push_str(&format!("{}: {statement};\n", name(state)));
        }
        text.push_str("false\n}\n");
        text
    }
}

//! Labels of edges: disjunctions of cubes over atoms.
//!
//! A letter is a `u64` whose bit i is the truth value of atom i, so a cube is tested with two
//! masks. Labels are kept in the order they were given; the translator hands out irredundant sums
//! of prime cubes.

use crate::formula::{Atom, Atoms};

/// A conjunction of literals.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    positive: u64,
    negative: u64,
}

impl Cube {
    /// The empty conjunction.
    pub const TRUE: Cube = Cube {
        positive: 0,
        negative: 0,
    };

    /// The cube of the atoms in `positive` and the negated atoms in `negative`.
    pub fn new(positive: u64, negative: u64) -> Self {
        Cube { positive, negative }
    }

    /// The atoms that must hold.
    pub fn positive(self) -> u64 {
        self.positive
    }

    /// The atoms that must not hold.
    pub fn negative(self) -> u64 {
        self.negative
    }

    pub(crate) fn with(self, var: u32, value: bool) -> Self {
        let bit = 1 << var;
        match value {
            true => Cube::new(self.positive | bit, self.negative),
            false => Cube::new(self.positive, self.negative | bit),
        }
    }

    /// Whether `letter` satisfies the cube.
    #[inline]
    pub fn eval(self, letter: u64) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }

    /// Whether some letter satisfies both cubes.
    pub fn meets(self, other: Cube) -> bool {
        let (p, n) = (
            self.positive | other.positive,
            self.negative | other.negative,
        );
        p & n == 0
    }

    /// The literals, ascending by atom: the atom and whether it must hold.
    pub fn literals(self) -> impl Iterator<Item = (Atom, bool)> {
        (0..64u32).filter_map(
            move |i| match (self.positive >> i & 1, self.negative >> i & 1) {
                (1, _) => Some((Atom(i), true)),
                (_, 1) => Some((Atom(i), false)),
                _ => None,
            },
        )
    }
}

/// A disjunction of cubes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    cubes: Vec<Cube>,
}

impl Label {
    /// The disjunction of `cubes`; contradictory cubes are dropped.
    pub fn from_cubes(mut cubes: Vec<Cube>) -> Self {
        cubes.retain(|c| c.positive & c.negative == 0);
        Label { cubes }
    }

    /// The label that every letter satisfies.
    pub fn always() -> Self {
        Label::from_cubes(vec![Cube::TRUE])
    }

    /// The cubes.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// Whether `letter` satisfies the label.
    #[inline]
    pub fn eval(&self, letter: u64) -> bool {
        self.cubes.iter().any(|c| c.eval(letter))
    }

    /// The atoms the label mentions, as a set of bits.
    pub fn support(&self) -> u64 {
        let atoms = |acc, c: &Cube| acc | c.positive | c.negative;
        self.cubes.iter().fold(0, atoms)
    }

    /// The label as an expression; `words` are the texts for not, and, or, true, false, and
    /// `name` gives the text of an atom.
    pub(crate) fn render(&self, words: &Words, name: impl Fn(Atom) -> String) -> String {
        let literal = |(atom, positive)| match positive {
            true => name(atom),
            false => format!("{}{}", words.not, name(atom)),
        };
        let cube = |c: &Cube| -> String {
            let literals: Vec<String> = c.literals().map(literal).collect();
            match (literals.len(), self.cubes.len()) {
                (0, _) => words.true_.to_owned(),
                (1, _) | (_, 1) => literals.join(words.and),
                _ => format!("({})", literals.join(words.and)),
            }
        };
        match self.cubes[..] {
            [] => words.false_.to_owned(),
            _ => self
                .cubes
                .iter()
                .map(cube)
                .collect::<Vec<_>>()
                .join(words.or),
        }
    }

    /// The label in Spot's syntax.
    pub fn to_text(&self, atoms: &Atoms) -> String {
        self.render(&Words::SPOT, |a| atoms.name(a))
    }
}

/// The texts of boolean operators in some output language.
pub(crate) struct Words {
    pub(crate) not: &'static str,
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    pub(crate) true_: &'static str,
    pub(crate) false_: &'static str,
}

impl Words {
    pub(crate) const SPOT: Words = Words {
        not: "!",
        and: " & ",
        or: " | ",
        true_: "1",
        false_: "0",
    };
    pub(crate) const HOA: Words = Words {
        not: "!",
        and: "&",
        or: " | ",
        true_: "t",
        false_: "f",
    };
    pub(crate) const PROMELA: Words = Words {
        not: "!",
        and: " && ",
        or: " || ",
        true_: "true",
        false_: "false",
    };
}

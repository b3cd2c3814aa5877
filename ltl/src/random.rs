//! Random numbers and random formulas, reproducible from a seed.
//!
//! The numbers are the SplitMix64 sequence (Steele, Lea and Flood, OOPSLA 2014). It is written out here so that a seed
//! means the same formula, model or run on every machine and with every version of every dependency.

use crate::formula::{Atom, Formula, Formulas};

/// A seeded source of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence that belongs to `seed`.
    pub fn seeded(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// The same for numbers of 32 bits.
    pub fn below32(&mut self, bound: u32) -> u32 {
        self.below(bound as usize) as u32
    }

    /// A number from `low` to `high`, both included.
    pub fn within(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, if there is any.
    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> Option<&'c T> {
        choices.get(self.below(choices.len()))
    }

    /// One of a fixed set of words.
    pub fn word<const N: usize>(&mut self, words: [&'static str; N]) -> &'static str {
        words[self.below(N)]
    }
}

/// What random formulas look like.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many distinct atoms may occur.
    pub atoms: u32,
    /// How many operators and leaves a formula has, at most.
    pub size: u32,
    /// Whether the next operator may occur.
    pub next: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            atoms: 3,
            size: 12,
            next: true,
        }
    }
}

impl Shape {
    /// A random formula of this shape.
    pub fn formula(&self, formulas: &mut Formulas, rng: &mut Rng) -> Formula {
        let size = 1 + rng.below32(self.size);
        self.sized(formulas, rng, size)
    }

    fn sized(&self, formulas: &mut Formulas, rng: &mut Rng, size: u32) -> Formula {
        match size {
            0 | 1 => self.leaf(formulas, rng),
            2 => self.unary(formulas, rng, size),
            _ if rng.below32(3) == 0 => self.unary(formulas, rng, size),
            _ => self.binary(formulas, rng, size),
        }
    }

    fn leaf(&self, formulas: &mut Formulas, rng: &mut Rng) -> Formula {
        match rng.below32(16) {
            0 => formulas.true_(),
            1 => formulas.false_(),
            _ => formulas.atom(Atom(rng.below32(self.atoms))),
        }
    }

    fn unary(&self, formulas: &mut Formulas, rng: &mut Rng, size: u32) -> Formula {
        let f = self.sized(formulas, rng, size - 1);
        match rng.below32(if self.next { 4 } else { 3 }) {
            0 => formulas.not(f),
            1 => formulas.always(f),
            2 => formulas.eventually(f),
            _ => formulas.next(f),
        }
    }

    fn binary(&self, formulas: &mut Formulas, rng: &mut Rng, size: u32) -> Formula {
        let left = 1 + rng.below32(size - 2);
        let f = self.sized(formulas, rng, left);
        let g = self.sized(formulas, rng, size - 1 - left);
        match rng.below32(11) {
            0 | 1 => formulas.and(f, g),
            2 | 3 => formulas.or(f, g),
            4 => formulas.implies(f, g),
            5 => formulas.equiv(f, g),
            6 => formulas.xor(f, g),
            7 => formulas.until(f, g),
            8 => formulas.weak_until(f, g),
            9 => formulas.release(f, g),
            _ => formulas.strong_release(f, g),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Atoms, Node};

    #[test]
    fn a_seed_always_gives_the_same_formula() {
        let text = |seed| {
            let mut formulas = Formulas::new();
            let f = Shape::default().formula(&mut formulas, &mut Rng::seeded(seed));
            formulas.to_text(f, &Atoms::new())
        };
        assert_eq!(text(3), text(3));
        assert!((0..50).any(|seed| text(seed) != text(seed + 50)));
    }

    #[test]
    fn the_shape_is_respected() {
        let shape = Shape {
            atoms: 2,
            size: 9,
            next: false,
        };
        let mut rng = Rng::seeded(5);
        for _ in 0..500 {
            let mut formulas = Formulas::new();
            let f = shape.formula(&mut formulas, &mut rng);
            assert!(formulas.is_next_free(f));
            assert!(formulas.depth(f) <= shape.size);
            for g in formulas.subformulas(f) {
                if let Node::Atom(Atom(a)) = formulas.node(g) {
                    assert!(*a < 2);
                }
            }
        }
    }
}

//! Values as vectors of BDDs: the arithmetic of `int`.
//!
//! A [`Word`] stands for a 32-bit number in two's complement, the least significant bit first. Only as many bits are kept as it
//! takes: the last one is the sign, and is repeated up to bit 31. So a `byte` has nine bits, and operations are done at the width
//! of what they are done with. Whatever needs more than 32 bits is cut to 32: it wraps around as
//! [`BinOp::of`](promela_lite::code::BinOp::of) does, with which the tests compare every operator.

use ample_pushdown::symbolic::space::{Bdd, Result, Space};
use promela_lite::code::{BinOp, UnOp};

/// The number of bits of every value.
const WIDTH: usize = 32;

/// A value that depends on the bits of a state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word(Vec<Bdd>);

impl Word {
    /// A constant.
    pub(super) fn constant(space: &Space, value: i32) -> Word {
        let bit = |b: usize| match value >> b & 1 {
            1 => space.all(),
            _ => space.none(),
        };
        Word((0..WIDTH).map(bit).collect()).trimmed()
    }

    /// 0 or 1.
    pub(super) fn truth(space: &Space, condition: Bdd) -> Word {
        Word(vec![condition, space.none()]).trimmed()
    }

    /// Bits without a sign.
    pub(super) fn unsigned(space: &Space, mut bits: Vec<Bdd>) -> Word {
        bits.truncate(WIDTH);
        if bits.len() < WIDTH {
            bits.push(space.none());
        }
        Word(bits).trimmed()
    }

    /// Bits of which the last is the sign.
    pub(super) fn signed(mut bits: Vec<Bdd>) -> Word {
        bits.truncate(WIDTH);
        Word(bits).trimmed()
    }

    fn trimmed(mut self) -> Word {
        while let [.., a, b] = &self.0[..]
            && a == b
        {
            self.0.pop();
        }
        self
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn sign(&self) -> &Bdd {
        &self.0[self.0.len() - 1]
    }

    /// A bit, of 32.
    pub(super) fn bit(&self, index: usize) -> &Bdd {
        self.0.get(index).unwrap_or_else(|| self.sign())
    }

    fn extended(&self, width: usize) -> Vec<Bdd> {
        (0..width).map(|b| self.bit(b).clone()).collect()
    }

    /// The value, if it does not depend on the state.
    pub(super) fn known(&self, space: &Space) -> Option<i32> {
        let (all, none) = (space.all(), space.none());
        let constant = |bit: &Bdd| *bit == all || *bit == none;
        if !self.0.iter().all(constant) {
            return None;
        }
        let bits = (0..WIDTH).map(|b| u32::from(*self.bit(b) == all) << b);
        Some(bits.sum::<u32>() as i32)
    }

    /// That the value is not 0.
    pub(super) fn is_true(&self, space: &Space) -> Result<Bdd> {
        let mut bits = self.0.iter();
        bits.try_fold(space.none(), |any, bit| space.or(&any, bit))
    }

    /// That the value is this one.
    pub(super) fn is(&self, space: &Space, value: i32) -> Result<Bdd> {
        equal(space, self, &Word::constant(space, value))
    }

    /// One of two values.
    pub(super) fn choose(space: &Space, condition: &Bdd, then: &Word, or: &Word) -> Result<Word> {
        if then == or {
            return Ok(then.clone());
        }
        let width = then.len().max(or.len());
        let bits = (0..width).map(|b| space.choose(condition, then.bit(b), or.bit(b)));
        Ok(Word(bits.collect::<Result<_>>()?).trimmed())
    }

    /// The result of an operator.
    pub(super) fn unary(&self, space: &Space, op: UnOp) -> Result<Word> {
        match op {
            UnOp::Neg => add(space, &Word::constant(space, 0), self, true),
            UnOp::BitNot => {
                let bits = self.0.iter().map(|bit| space.not(bit));
                Ok(Word(bits.collect::<Result<_>>()?).trimmed())
            }
            UnOp::Not => Ok(Word::truth(space, space.not(&self.is_true(space)?)?)),
            UnOp::Bool => Ok(Word::truth(space, self.is_true(space)?)),
        }
    }

    /// The result of an operator where it has one: see [`undefined`].
    pub(super) fn binary(&self, space: &Space, op: BinOp, other: &Word) -> Result<Word> {
        let truth = |condition: Result<Bdd>| Ok(Word::truth(space, condition?));
        let negated = |condition: Result<Bdd>| truth(space.not(&condition?));
        match op {
            BinOp::Add => add(space, self, other, false),
            BinOp::Sub => add(space, self, other, true),
            BinOp::Mul => multiply(space, self, other),
            BinOp::Div => Ok(divide(space, self, other)?.0),
            BinOp::Rem => Ok(divide(space, self, other)?.1),
            BinOp::Shl => shift(space, self, other, true),
            BinOp::Shr => shift(space, self, other, false),
            BinOp::BitAnd => bitwise(self, other, |a, b| space.and(a, b)),
            BinOp::BitOr => bitwise(self, other, |a, b| space.or(a, b)),
            BinOp::BitXor => bitwise(self, other, |a, b| space.xor(a, b)),
            BinOp::Eq => truth(equal(space, self, other)),
            BinOp::Ne => negated(equal(space, self, other)),
            BinOp::Lt => truth(less(space, self, other)),
            BinOp::Ge => negated(less(space, self, other)),
            BinOp::Gt => truth(less(space, other, self)),
            BinOp::Le => negated(less(space, other, self)),
        }
    }
}

/// That an operator has no result for this right operand.
pub(super) fn undefined(space: &Space, op: BinOp, right: &Word) -> Result<Bdd> {
    match op {
        BinOp::Div | BinOp::Rem => right.is(space, 0),
        BinOp::Shl | BinOp::Shr => {
            let inside = below(space, right, WIDTH as i32)?;
            space.not(&inside)
        }
        _ => Ok(space.none()),
    }
}

/// That a value is at least 0 and below `bound`.
pub(super) fn below(space: &Space, value: &Word, bound: i32) -> Result<Bdd> {
    let low = less(space, value, &Word::constant(space, bound))?;
    space.minus(&low, value.sign())
}

/// That two values are equal.
pub(super) fn equal(space: &Space, a: &Word, b: &Word) -> Result<Bdd> {
    let mut all = space.all();
    for bit in (0..a.len().max(b.len())).rev() {
        all = space.and(&all, &space.same(a.bit(bit), b.bit(bit))?)?;
    }
    Ok(all)
}

/// That the first value is smaller.
pub(super) fn less(space: &Space, a: &Word, b: &Word) -> Result<Bdd> {
    let width = a.len().max(b.len());
    let mut less = space.none();
    for bit in 0..width {
        // At the sign bit, the one that is set is the smaller one.
        let (x, y) = match bit + 1 == width {
            true => (b.bit(bit), a.bit(bit)),
            false => (a.bit(bit), b.bit(bit)),
        };
        less = space.choose(&space.same(x, y)?, &less, y)?;
    }
    Ok(less)
}

fn bitwise(a: &Word, b: &Word, op: impl Fn(&Bdd, &Bdd) -> Result<Bdd>) -> Result<Word> {
    let bits = (0..a.len().max(b.len())).map(|bit| op(a.bit(bit), b.bit(bit)));
    Ok(Word(bits.collect::<Result<_>>()?).trimmed())
}

/// The sum, or the difference as the sum with the complement and one.
fn add(space: &Space, a: &Word, b: &Word, minus: bool) -> Result<Word> {
    let width = (a.len().max(b.len()) + 1).min(WIDTH);
    let second: Result<Vec<Bdd>> = match minus {
        true => b.extended(width).iter().map(|bit| space.not(bit)).collect(),
        false => Ok(b.extended(width)),
    };
    let carry = if minus { space.all() } else { space.none() };
    Ok(Word(ripple(space, &a.extended(width), &second?, carry)?.0).trimmed())
}

/// The sum at the width of both, and the carry.
fn ripple(space: &Space, a: &[Bdd], b: &[Bdd], mut carry: Bdd) -> Result<(Vec<Bdd>, Bdd)> {
    let mut sum = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        let half = space.xor(a, b)?;
        sum.push(space.xor(&half, &carry)?);
        carry = space.choose(&half, &carry, a)?;
    }
    Ok((sum, carry))
}

fn multiply(space: &Space, a: &Word, b: &Word) -> Result<Word> {
    let width = (a.len() + b.len()).min(WIDTH);
    let mut sum = vec![space.none(); width];
    let first = a.extended(width);
    // The sign bits count like the others: all is modulo two to the power of the width.
    for (shift, bit) in b.extended(width).iter().enumerate() {
        if space.is_none(bit) {
            continue;
        }
        let mut row = vec![space.none(); shift];
        for digit in &first[..width - shift] {
            row.push(space.and(digit, bit)?);
        }
        sum = ripple(space, &sum, &row, space.none())?.0;
    }
    Ok(Word(sum).trimmed())
}

/// Quotient and remainder, towards zero; where the divisor is 0, anything.
fn divide(space: &Space, a: &Word, b: &Word) -> Result<(Word, Word)> {
    let magnitude = |word: &Word| -> Result<Vec<Bdd>> {
        let negative = word.unary(space, UnOp::Neg)?;
        let value = Word::choose(space, word.sign(), &negative, word)?;
        // The least number has a magnitude of 32 bits, all of which count.
        Ok(value.extended((word.len() + 1).min(WIDTH)))
    };
    let (dividend, divisor) = (magnitude(a)?, magnitude(b)?);
    let width = dividend.len().max(divisor.len()) + 1;
    let mut minus = Vec::with_capacity(width);
    for bit in 0..width {
        minus.push(match divisor.get(bit) {
            Some(bit) => space.not(bit)?,
            None => space.all(),
        });
    }
    let mut rest = vec![space.none(); width];
    let mut quotient = vec![space.none(); dividend.len()];
    for digit in (0..dividend.len()).rev() {
        rest.pop();
        rest.insert(0, dividend[digit].clone());
        // Without a borrow the divisor fits in.
        let (difference, fits) = ripple(space, &rest, &minus, space.all())?;
        for (bit, less) in rest.iter_mut().zip(&difference) {
            *bit = space.choose(&fits, less, bit)?;
        }
        quotient[digit] = fits;
    }
    rest.truncate(WIDTH);
    let with_sign = |bits: Vec<Bdd>, negative: &Bdd| -> Result<Word> {
        let positive = Word::unsigned(space, bits);
        let opposite = positive.unary(space, UnOp::Neg)?;
        Word::choose(space, negative, &opposite, &positive)
    };
    let differ = space.xor(a.sign(), b.sign())?;
    Ok((with_sign(quotient, &differ)?, with_sign(rest, a.sign())?))
}

/// A shift by up to 31 bits; by other distances, anything.
fn shift(space: &Space, value: &Word, distance: &Word, left: bool) -> Result<Word> {
    let mut word = value.clone();
    for digit in 0..5 {
        let step = 1 << digit;
        let by = distance.bit(digit);
        if space.is_none(by) {
            continue;
        }
        let moved = match left {
            true => {
                let mut bits = vec![space.none(); step];
                bits.extend(word.0.iter().cloned());
                Word::signed(bits)
            }
            false => {
                let bits = word.0.get(step..).filter(|bits| !bits.is_empty());
                Word(bits.map_or_else(|| vec![word.sign().clone()], <[Bdd]>::to_vec))
            }
        };
        word = Word::choose(space, by, &moved, &word)?;
    }
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ample_pushdown::symbolic::space::{Bit, Copy};
    use ltl::random::Rng;

    const OPERATORS: [BinOp; 16] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::BitAnd,
        BinOp::BitOr,
        BinOp::BitXor,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
    ];

    fn check(space: &Space, a: &Word, b: &Word, values: (i32, i32), at: &dyn Fn(&Word) -> i32) {
        let (v, w) = values;
        for op in OPERATORS {
            let outside = undefined(space, op, b).unwrap();
            let outside = at(&Word::truth(space, outside)) == 1;
            assert_eq!(op.checked(v, w).is_none(), outside, "{v} {op:?} {w}");
            if !outside {
                let result = a.binary(space, op, b).unwrap();
                assert_eq!(at(&result), op.of(v, w), "{v} {op:?} {w}");
            }
        }
        for op in [UnOp::Neg, UnOp::BitNot, UnOp::Not, UnOp::Bool] {
            assert_eq!(at(&a.unary(space, op).unwrap()), op.of(v), "{op:?} {v}");
        }
    }

    #[test]
    fn constants_are_computed_as_the_machine_does() {
        let space = Space::new(1, 0, &[Bit::Global(0)], 1 << 16).unwrap();
        let known = |word: &Word| word.known(&space).unwrap();
        let mut rng = Rng::seeded(3);
        let odd = [
            0,
            1,
            -1,
            2,
            31,
            32,
            33,
            255,
            i32::MAX,
            i32::MIN,
            i32::MIN + 1,
        ];
        let mut pairs: Vec<(i32, i32)> = Vec::new();
        for v in odd {
            pairs.extend(odd.map(|w| (v, w)));
        }
        for _ in 0..200 {
            let shift = rng.within(0, 31);
            let (v, w) = (rng.below(1 << 32), rng.below(1 << 32));
            pairs.push((v as i32, w as i32 >> shift));
        }
        for (v, w) in pairs {
            let (a, b) = (Word::constant(&space, v), Word::constant(&space, w));
            assert_eq!(known(&a), v);
            check(&space, &a, &b, (v, w), &known);
        }
    }

    #[test]
    fn variables_are_computed_as_the_machine_does() {
        let order: Vec<Bit> = (0..8).map(Bit::Global).collect();
        let space = Space::new(8, 0, &order, 1 << 18).unwrap();
        let bits = |from: usize| -> Vec<Bdd> {
            let bits = (from..from + 4).map(Bit::Global);
            bits.map(|bit| space.variable(bit, Copy::Now).clone())
                .collect()
        };
        let (a, b) = (Word::signed(bits(0)), Word::unsigned(&space, bits(4)));
        for number in 0..256 {
            let values: Vec<bool> = (0..8).map(|bit| number >> bit & 1 == 1).collect();
            let here = space.globals_are(Copy::Now, &values).unwrap();
            let at = |word: &Word| -> i32 {
                let set = |bit: usize| space.is_subset(&here, word.bit(bit)).unwrap();
                (0..WIDTH)
                    .map(|bit| u32::from(set(bit)) << bit)
                    .sum::<u32>() as i32
            };
            let v = (number & 15) << 28 >> 28;
            check(&space, &a, &b, (v, number >> 4), &at);
        }
    }
}

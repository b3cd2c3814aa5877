//! Expressions over variables of a few bits: their values, and their bits as BDDs.
//!
//! Values are unsigned. An expression is evaluated at a width, modulo two to the power of that width; operands of
//! comparisons at the larger width of both. The two evaluations, [`Expression::value`] and [`Expression::bits`], are
//! independent of each other: runs found with the second are checked with the first.

use crate::symbolic::space::{Bdd, Bit, Copy, Result, Space};

/// A variable of the program or of the procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// A shared one.
    Global(usize),
    /// One of the procedure.
    Local(usize),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Number(u64),
    /// The value of a variable.
    Read(Variable),
    /// 1 if the value is 0, and 0 otherwise.
    Not(Box<Expression>),
    /// 1 if both values are not 0.
    And(Box<Expression>, Box<Expression>),
    /// 1 if one of the values is not 0.
    Or(Box<Expression>, Box<Expression>),
    /// 1 if the values are equal.
    Equal(Box<Expression>, Box<Expression>),
    /// 1 if the first value is smaller.
    Less(Box<Expression>, Box<Expression>),
    /// The sum.
    Add(Box<Expression>, Box<Expression>),
    /// The difference.
    Subtract(Box<Expression>, Box<Expression>),
    /// The second if the first is not 0, the third otherwise.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// The value of a variable.
pub fn read(variable: Variable) -> Expression {
    Expression::Read(variable)
}

/// A number.
pub fn number(value: u64) -> Expression {
    Expression::Number(value)
}

/// Whether the value is 0.
pub fn not(a: Expression) -> Expression {
    Expression::Not(Box::new(a))
}

/// Whether both are not 0.
pub fn and(a: Expression, b: Expression) -> Expression {
    Expression::And(Box::new(a), Box::new(b))
}

/// Whether one is not 0.
pub fn or(a: Expression, b: Expression) -> Expression {
    Expression::Or(Box::new(a), Box::new(b))
}

/// Whether the values are equal.
pub fn equal(a: Expression, b: Expression) -> Expression {
    Expression::Equal(Box::new(a), Box::new(b))
}

/// Whether the first is smaller.
pub fn less(a: Expression, b: Expression) -> Expression {
    Expression::Less(Box::new(a), Box::new(b))
}

/// The sum.
pub fn add(a: Expression, b: Expression) -> Expression {
    Expression::Add(Box::new(a), Box::new(b))
}

/// The difference.
pub fn subtract(a: Expression, b: Expression) -> Expression {
    Expression::Subtract(Box::new(a), Box::new(b))
}

/// One of two values.
pub fn choose(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    Expression::If(Box::new(condition), Box::new(then), Box::new(otherwise))
}

/// Where the bits of variables are: bit 0 first.
pub(crate) trait Layout {
    /// The bits of a variable.
    fn bits(&self, variable: Variable) -> Vec<Bit>;
}

fn cut(value: u64, width: usize) -> u64 {
    if width >= 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

impl Expression {
    /// The width at which nothing of the operands is lost; sums wrap around at it.
    fn width(&self, layout: &dyn Layout) -> usize {
        match self {
            Expression::Number(value) => (64 - value.leading_zeros() as usize).max(1),
            Expression::Read(variable) => layout.bits(*variable).len(),
            Expression::Add(a, b) | Expression::Subtract(a, b) | Expression::If(_, a, b) => {
                a.width(layout).max(b.width(layout))
            }
            _ => 1,
        }
    }

    /// The value at a width, given the values of variables.
    pub(crate) fn value(
        &self,
        layout: &dyn Layout,
        width: usize,
        values: &dyn Fn(Variable) -> u64,
    ) -> u64 {
        let both = |a: &Expression, b: &Expression| {
            let width = a.width(layout).max(b.width(layout));
            (
                a.value(layout, width, values),
                b.value(layout, width, values),
            )
        };
        let holds = |a: &Expression| a.holds(layout, values);
        let value = match self {
            Expression::Number(value) => *value,
            Expression::Read(variable) => values(*variable),
            Expression::Not(a) => u64::from(!holds(a)),
            Expression::And(a, b) => u64::from(holds(a) && holds(b)),
            Expression::Or(a, b) => u64::from(holds(a) || holds(b)),
            Expression::Equal(a, b) => {
                let (a, b) = both(a, b);
                u64::from(a == b)
            }
            Expression::Less(a, b) => {
                let (a, b) = both(a, b);
                u64::from(a < b)
            }
            Expression::Add(a, b) => a
                .value(layout, width, values)
                .wrapping_add(b.value(layout, width, values)),
            Expression::Subtract(a, b) => a
                .value(layout, width, values)
                .wrapping_sub(b.value(layout, width, values)),
            Expression::If(c, a, b) => match holds(c) {
                true => a.value(layout, width, values),
                false => b.value(layout, width, values),
            },
        };
        cut(value, width)
    }

    /// Whether the value is not 0.
    pub(crate) fn holds(&self, layout: &dyn Layout, values: &dyn Fn(Variable) -> u64) -> bool {
        self.value(layout, self.width(layout), values) != 0
    }

    /// The bits of the value at a width, over the variables now.
    pub(crate) fn bits(
        &self,
        space: &Space,
        layout: &dyn Layout,
        width: usize,
    ) -> Result<Vec<Bdd>> {
        let mut bits = match self {
            Expression::Number(value) => {
                let bit = |b: usize| {
                    if b < 64 && value >> b & 1 == 1 {
                        space.all()
                    } else {
                        space.none()
                    }
                };
                (0..width).map(bit).collect()
            }
            Expression::Read(variable) => {
                let bits = layout.bits(*variable).into_iter();
                bits.map(|bit| space.variable(bit, Copy::Now).clone())
                    .collect()
            }
            Expression::Add(a, b) => adder(
                space,
                a.bits(space, layout, width)?,
                b.bits(space, layout, width)?,
                false,
            )?,
            Expression::Subtract(a, b) => adder(
                space,
                a.bits(space, layout, width)?,
                b.bits(space, layout, width)?,
                true,
            )?,
            Expression::If(c, a, b) => {
                let condition = c.condition(space, layout)?;
                let pairs = a
                    .bits(space, layout, width)?
                    .into_iter()
                    .zip(b.bits(space, layout, width)?);
                pairs
                    .map(|(a, b)| space.choose(&condition, &a, &b))
                    .collect::<Result<_>>()?
            }
            _ => vec![self.condition(space, layout)?],
        };
        bits.resize(width, space.none());
        Ok(bits)
    }

    /// That the value is not 0, over the variables now.
    pub(crate) fn condition(&self, space: &Space, layout: &dyn Layout) -> Result<Bdd> {
        match self {
            Expression::Not(a) => space.not(&a.condition(space, layout)?),
            Expression::And(a, b) => {
                space.and(&a.condition(space, layout)?, &b.condition(space, layout)?)
            }
            Expression::Or(a, b) => {
                space.or(&a.condition(space, layout)?, &b.condition(space, layout)?)
            }
            Expression::Equal(a, b) | Expression::Less(a, b) => {
                let width = a.width(layout).max(b.width(layout));
                let (a, b) = (a.bits(space, layout, width)?, b.bits(space, layout, width)?);
                let (mut equal, mut less) = (space.all(), space.none());
                for (a, b) in a.iter().zip(&b) {
                    let same = space.same(a, b)?;
                    less = space.choose(&same, &less, b)?;
                    equal = space.and(&equal, &same)?;
                }
                Ok(if matches!(self, Expression::Less(..)) {
                    less
                } else {
                    equal
                })
            }
            _ => {
                let bits = self.bits(space, layout, self.width(layout))?;
                bits.iter()
                    .try_fold(space.none(), |any, bit| space.or(&any, bit))
            }
        }
    }
}

/// The sum, or the difference as the sum with the complement and one.
fn adder(space: &Space, a: Vec<Bdd>, b: Vec<Bdd>, minus: bool) -> Result<Vec<Bdd>> {
    let mut carry = if minus { space.all() } else { space.none() };
    let mut sum = Vec::new();
    for (a, b) in a.into_iter().zip(b) {
        let b = if minus { space.not(&b)? } else { b };
        let half = space.xor(&a, &b)?;
        sum.push(space.xor(&half, &carry)?);
        carry = space.choose(&half, &carry, &a)?;
    }
    Ok(sum)
}

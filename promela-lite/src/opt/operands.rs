//! The operands of each instruction: which piece of code leaves them, where a computed address may lie, and between which
//! bounds a value is.
//!
//! Expressions become code from left to right, operands first, so the code that leaves a value on the stack is one range of
//! instructions: from where the stack had the height below that value up to where the value is taken. `&&`, `||` and
//! `( c -> a : b )` jump forward inside such a range and leave one value at its end. [`walk`] goes once through a piece of
//! code, in the order of the instructions, with the stack as it would be there; each instruction is shown with its operands.
//! A condition is shown where it is known whether it belongs to an expression or decides between statements of a `d_step`:
//! an expression's first alternative ends with a jump that has a value below it, at the place right before the second one.

use crate::code::BinOp;
use crate::code::{Code, Instr, Scalar, UnOp};
use crate::verify::effect;
use smallvec::SmallVec;

/// A set of values, as bounds that are both included; empty where nothing is known to be in it yet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) lo: i64,
    pub(super) hi: i64,
}

impl Range {
    /// All values.
    pub(super) const ALL: Range = Range {
        lo: i32::MIN as i64,
        hi: i32::MAX as i64,
    };

    const BIT: Range = Range { lo: 0, hi: 1 };

    pub(super) fn just(value: i32) -> Range {
        Range {
            lo: i64::from(value),
            hi: i64::from(value),
        }
    }

    /// What a variable of that type can hold.
    pub(super) fn of(ty: Scalar) -> Range {
        let up_to = |hi: i64| Range { lo: 0, hi };
        match ty {
            Scalar::Bit => Range::BIT,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype => up_to(0xff),
            Scalar::Short => Range {
                lo: i64::from(i16::MIN),
                hi: i64::from(i16::MAX),
            },
            Scalar::Chan => up_to(0xffff),
            Scalar::Unsigned(bits) if bits < 32 => up_to((1 << bits) - 1),
            Scalar::Int | Scalar::Unsigned(_) => Range::ALL,
        }
    }

    pub(super) fn hull(self, other: Range) -> Range {
        Range {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    pub(super) fn within(self, other: Range) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }

    /// What is left when these values are stored to a variable of that type.
    pub(super) fn stored_as(self, ty: Scalar) -> Range {
        let all = Range::of(ty);
        match self.within(all) {
            true => self,
            false => all,
        }
    }

    fn unary(self, op: UnOp) -> Range {
        let Range { lo, hi } = self;
        match op {
            UnOp::Neg => Range { lo: -hi, hi: -lo }.or_all(),
            UnOp::BitNot => Range {
                lo: -hi - 1,
                hi: -lo - 1,
            },
            UnOp::Not if lo > 0 || hi < 0 => Range::just(0),
            UnOp::Bool if lo > 0 || hi < 0 => Range::just(1),
            UnOp::Not if (lo, hi) == (0, 0) => Range::just(1),
            UnOp::Bool if (lo, hi) == (0, 0) => Range::just(0),
            UnOp::Not | UnOp::Bool => Range::BIT,
        }
    }

    fn binary(self, op: BinOp, other: Range) -> Range {
        let (a, b) = (self, other);
        match op {
            BinOp::Add => Range {
                lo: a.lo + b.lo,
                hi: a.hi + b.hi,
            }
            .or_all(),
            BinOp::Sub => Range {
                lo: a.lo - b.hi,
                hi: a.hi - b.lo,
            }
            .or_all(),
            BinOp::Mul => {
                let products = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
                let [mut lo, mut hi] = [products[0]; 2];
                for product in products {
                    (lo, hi) = (lo.min(product), hi.max(product));
                }
                Range { lo, hi }.or_all()
            }
            BinOp::Div if a.lo >= 0 && b.lo > 0 => Range {
                lo: a.lo / b.hi,
                hi: a.hi / b.lo,
            },
            BinOp::Rem if a.lo >= 0 && b.lo > 0 => Range {
                lo: 0,
                hi: a.hi.min(b.hi - 1),
            },
            BinOp::BitAnd if a.lo >= 0 && b.lo >= 0 => Range {
                lo: 0,
                hi: a.hi.min(b.hi),
            },
            BinOp::BitAnd if b.lo >= 0 => Range { lo: 0, hi: b.hi },
            BinOp::BitAnd if a.lo >= 0 => Range { lo: 0, hi: a.hi },
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Range::BIT,
            _ => Range::ALL,
        }
    }

    fn or_all(self) -> Range {
        match self.within(Range::ALL) {
            true => self,
            false => Range::ALL,
        }
    }
}

/// Addresses that a computation may come to: a base, and for each index how many there are and how far apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) base: u32,
    pub(super) indices: SmallVec<[(u32, u32); 2]>,
}

/// A value on the stack.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// What leaves it there.
    pub(super) code: Code,
    /// If it is an address.
    pub(super) shape: Option<Shape>,
    pub(super) range: Range,
}

/// An instruction at work.
pub(super) struct Seen<'a> {
    pub(super) at: usize,
    pub(super) instr: Instr,
    /// What it takes from the stack, the topmost last.
    pub(super) operands: &'a [Value],
    /// For a condition inside an expression, the code that is evaluated or not.
    pub(super) decides: Option<Code>,
}

/// A condition of which it is not known yet whether it belongs to an expression.
struct Condition {
    at: usize,
    /// Where it jumps.
    target: u32,
    value: Value,
}

/// Something that ends at a place further on.
struct Join {
    target: u32,
    /// Where the whole value begins.
    start: u32,
    /// What it may be if the end of it is jumped to.
    range: Range,
}

/// Goes through a piece of code; `loaded` says between which bounds the value is that the load at a place leaves. Returns
/// what lies on the stack at the end.
pub(super) fn walk(
    instrs: &[Instr],
    code: Code,
    loaded: &dyn Fn(usize, Scalar) -> Range,
    see: &mut dyn FnMut(Seen<'_>),
) -> SmallVec<[Value; 4]> {
    let mut stack: SmallVec<[Value; 4]> = SmallVec::new();
    let mut joins: Vec<Join> = Vec::new();
    let mut conditions: Vec<Condition> = Vec::new();
    let arrive = |joins: &mut Vec<Join>, stack: &mut SmallVec<[Value; 4]>, at: usize| {
        while let Some(join) = joins.pop_if(|join| join.target as usize == at) {
            if let Some(top) = stack.last_mut() {
                top.code = Code {
                    start: join.start,
                    end: at as u32,
                };
                top.range = top.range.hull(join.range);
                top.shape = None;
            }
        }
    };
    for at in code.range() {
        let instr = instrs[at];
        arrive(&mut joins, &mut stack, at);
        // Not an expression's: its first alternative would have ended right before this.
        while let Some(condition) = conditions.pop_if(|c| c.target as usize == at) {
            see(Seen {
                at: condition.at,
                instr: instrs[condition.at],
                operands: std::slice::from_ref(&condition.value),
                decides: None,
            });
        }
        let (taken, left) = effect(&instr);
        let split = stack.len().saturating_sub(taken as usize);
        let operands = &stack[split..];
        let start = operands.first().map_or(at as u32, |value| value.code.start);
        let here = Code {
            start,
            end: at as u32 + 1,
        };
        match instr {
            Instr::AndThen(target) | Instr::OrElse(target) => {
                let short = i32::from(matches!(instr, Instr::OrElse(_)));
                see(Seen {
                    at,
                    instr,
                    operands,
                    decides: Some(Code {
                        start: at as u32 + 1,
                        end: target,
                    }),
                });
                stack.truncate(split);
                joins.push(Join {
                    target,
                    start,
                    range: Range::just(short),
                });
                continue;
            }
            Instr::JumpIfZero(target) => {
                let value = operands.last().cloned();
                stack.truncate(split);
                conditions.extend(value.map(|value| Condition { at, target, value }));
                continue;
            }
            Instr::Jump(target) => {
                let first = conditions.pop_if(|c| !stack.is_empty() && c.target as usize == at + 1);
                if let Some(condition) = first {
                    see(Seen {
                        at: condition.at,
                        instr: instrs[condition.at],
                        operands: std::slice::from_ref(&condition.value),
                        decides: Some(Code {
                            start: condition.at as u32 + 1,
                            end: target,
                        }),
                    });
                    let range = stack.pop().map_or(Range::ALL, |value| value.range);
                    joins.push(Join {
                        target,
                        start: condition.value.code.start,
                        range,
                    });
                }
                continue;
            }
            _ => see(Seen {
                at,
                instr,
                operands,
                decides: None,
            }),
        }
        let value = (left == 1).then(|| Value {
            code: here,
            shape: shape(instr, operands),
            range: range(instr, operands, at, loaded),
        });
        stack.truncate(split);
        stack.extend(value);
    }
    arrive(&mut joins, &mut stack, code.range().end);
    for condition in conditions {
        see(Seen {
            at: condition.at,
            instr: instrs[condition.at],
            operands: std::slice::from_ref(&condition.value),
            decides: None,
        });
    }
    stack
}

fn shape(instr: Instr, operands: &[Value]) -> Option<Shape> {
    match instr {
        Instr::Const(base) => Some(Shape {
            base: u32::try_from(base).ok()?,
            indices: SmallVec::new(),
        }),
        Instr::Index { len, stride, .. } => {
            let mut shape = operands.first()?.shape.clone()?;
            shape.indices.push((len, stride));
            Some(shape)
        }
        _ => None,
    }
}

fn range(
    instr: Instr,
    operands: &[Value],
    at: usize,
    loaded: &dyn Fn(usize, Scalar) -> Range,
) -> Range {
    match (instr, operands) {
        (Instr::Const(value), _) => Range::just(value),
        (Instr::Load(cell), _) => loaded(at, cell.ty),
        (
            Instr::LoadAt(_, ty) | Instr::RemoteLoad { ty, .. } | Instr::RemoteLoadAt { ty, .. },
            _,
        ) => loaded(at, ty),
        (Instr::Unary(op), [value]) => value.range.unary(op),
        (Instr::Binary(op, _), [left, right]) => left.range.binary(op, right.range),
        (
            Instr::Timeout
            | Instr::NonProgress
            | Instr::Enabled
            | Instr::Poll(_)
            | Instr::RemoteAt { .. }
            | Instr::AnywhereAt(_),
            _,
        ) => Range::BIT,
        (Instr::SelfPid, _) => loaded(at, Scalar::Chan),
        (Instr::NrProcesses, _) => Range { lo: 0, hi: 0xffff },
        (Instr::Query(query, _), _) => match query {
            crate::code::ChanQuery::Len => Range {
                lo: 0,
                hi: Range::ALL.hi,
            },
            _ => Range::BIT,
        },
        _ => Range::ALL,
    }
}

//! Pure expressions as trees.
//!
//! Guards, operands and assigned values have no effects, so their stack code can be read back as a tree and walked
//! without a stack. [`Trees::plant`] does the reading: it runs the code on a stack of trees, and takes the three shapes
//! that jumps have in expressions (`&&`, `||`, `c -> a : b`) for what they are. Code that holds anything it does not
//! know stays code; the interpreter then evaluates it.

use super::interpret::{check, element, eval, index_fault};
use super::memory::{Width, read};
use super::model::Model;
use super::ops::{Op, Ops, Slot, is_total, total};
use super::scratch::{Scratch, Who};
use super::{Fallible, channel};
use promela_lite::code::{BinOp, ChanQuery, Code, Instr, Region, UnOp};
use promela_lite::source::Span;

/// A tree: the index of its root.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree(u32);

/// A node of a tree. Positions are those of the instruction, for faults.
#[derive(Copy, Clone, Debug)]
enum Node {
    Const(i32),
    Load(Slot),
    WithConst(BinOp, Slot, i32),
    WithSlot(BinOp, Slot, Slot),
    /// One of [`Ops::elements`].
    Array(u32),
    /// `a + i·stride`, checked.
    Element {
        base: Tree,
        index: Tree,
        pc: u32,
    },
    /// The value at a computed place of a region.
    At(Tree, Region, Width),
    Unary(UnOp, Tree),
    /// An operator that has a value for all operands.
    Binary(BinOp, Tree, Tree),
    /// One that has not.
    Partial(BinOp, Tree, Tree, u32),
    And(Tree, Tree),
    Or(Tree, Tree),
    Conditional(Tree, Tree, Tree),
    SelfPid,
    Query(ChanQuery, Tree, Span),
    /// An instruction that leaves a value and takes none.
    Rare(u32),
}

/// All trees of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Trees {
    nodes: Vec<Node>,
}

impl Trees {
    fn add(&mut self, node: Node) -> Tree {
        self.nodes.push(node);
        Tree(self.nodes.len() as u32 - 1)
    }

    /// The tree of an expression, if its code is one.
    pub(super) fn plant(&mut self, instrs: &[Instr], ops: &Ops, code: Code) -> Option<Tree> {
        let before = self.nodes.len();
        let tree = self.one(instrs, ops, code.start, code.end);
        if tree.is_none() {
            self.nodes.truncate(before);
        }
        tree
    }

    /// The trees of two expressions, the code of one behind that of the other.
    pub(super) fn plant_two(
        &mut self,
        instrs: &[Instr],
        ops: &Ops,
        code: Code,
    ) -> Option<(Tree, Tree)> {
        match self.grow(instrs, ops, code.start, code.end)?[..] {
            [first, second] => Some((first, second)),
            _ => None,
        }
    }

    fn one(&mut self, instrs: &[Instr], ops: &Ops, start: u32, end: u32) -> Option<Tree> {
        match self.grow(instrs, ops, start, end)?[..] {
            [tree] => Some(tree),
            _ => None,
        }
    }

    /// What the instructions leave on the stack.
    fn grow(&mut self, instrs: &[Instr], ops: &Ops, start: u32, end: u32) -> Option<Vec<Tree>> {
        let mut stack: Vec<Tree> = Vec::new();
        let mut pc = start;
        while pc < end {
            let mut next = pc + 1;
            // What is fused may reach beyond the branch that is read here; then only its first part counts.
            let fits = |len: u32| pc + len <= end;
            let leaf = match ops.ops[pc as usize] {
                Op::Const(v) => Some((Node::Const(v), 1)),
                Op::Load(slot) => Some((Node::Load(slot), 1)),
                Op::WithConst(op, slot, w) if fits(3) => Some((Node::WithConst(op, slot, w), 3)),
                Op::WithSlot(op, a, b) if fits(3) => Some((Node::WithSlot(op, a, b), 3)),
                Op::WithConst(_, slot, _) | Op::WithSlot(_, slot, _) => Some((Node::Load(slot), 1)),
                Op::LoadElement(index) if fits(4) => Some((Node::Array(index), 4)),
                _ => None,
            };
            if let Some((node, len)) = leaf {
                stack.push(self.add(node));
                pc += len;
                continue;
            }
            let node = match instrs[pc as usize] {
                Instr::Const(v) => Node::Const(v),
                Instr::Index { .. } => {
                    let (index, base) = (stack.pop()?, stack.pop()?);
                    Node::Element { base, index, pc }
                }
                Instr::LoadAt(region, ty) => Node::At(stack.pop()?, region, Width::of(ty)),
                Instr::Unary(op) => Node::Unary(op, stack.pop()?),
                Instr::Binary(op, _) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    match is_total(op) {
                        true => Node::Binary(op, left, right),
                        false => Node::Partial(op, left, right, pc),
                    }
                }
                Instr::AndThen(to) | Instr::OrElse(to) if to <= end => {
                    let left = stack.pop()?;
                    let right = self.one(instrs, ops, next, to)?;
                    next = to;
                    match instrs[pc as usize] {
                        Instr::AndThen(_) => Node::And(left, right),
                        _ => Node::Or(left, right),
                    }
                }
                Instr::JumpIfZero(other) if next < other && other <= end => {
                    let condition = stack.pop()?;
                    let Instr::Jump(to) = instrs[other as usize - 1] else {
                        return None;
                    };
                    if to < other || to > end {
                        return None;
                    }
                    let first = self.one(instrs, ops, next, other - 1)?;
                    let second = self.one(instrs, ops, other, to)?;
                    next = to;
                    Node::Conditional(condition, first, second)
                }
                Instr::SelfPid => Node::SelfPid,
                Instr::Query(query, span) => Node::Query(query, stack.pop()?, span),
                Instr::NrProcesses
                | Instr::Last
                | Instr::Timeout
                | Instr::NonProgress
                | Instr::OwnPriority
                | Instr::Poll(_)
                | Instr::AnywhereAt(_)
                | Instr::PidOf(_) => Node::Rare(pc),
                _ => return None,
            };
            stack.push(self.add(node));
            pc = next;
        }
        Some(stack)
    }
}

/// The value of a tree that is mostly a leaf: then there is no call.
#[inline(always)]
fn leaf(model: &Model, scratch: &mut Scratch, state: &[u8], who: Who, tree: Tree) -> Fallible<i32> {
    match model.trees.nodes[tree.0 as usize] {
        Node::Const(v) => Ok(v),
        Node::Load(slot) => Ok(slot.load(state, who)),
        Node::Array(index) => element(model, state, who, index),
        _ => value(model, scratch, state, who, tree),
    }
}

/// The value of a tree.
pub(super) fn value(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    tree: Tree,
) -> Fallible<i32> {
    Ok(match model.trees.nodes[tree.0 as usize] {
        Node::Const(v) => v,
        Node::Load(slot) => slot.load(state, who),
        Node::WithConst(op, slot, w) => total(op, slot.load(state, who), w),
        Node::WithSlot(op, a, b) => total(op, a.load(state, who), b.load(state, who)),
        Node::Array(index) => element(model, state, who, index)?,
        Node::SelfPid => i32::from(who.pid.0),
        Node::Binary(op, left, right) => {
            let v = leaf(model, scratch, state, who, left)?;
            let w = leaf(model, scratch, state, who, right)?;
            total(op, v, w)
        }
        Node::Partial(op, left, right, pc) => {
            let v = leaf(model, scratch, state, who, left)?;
            let w = leaf(model, scratch, state, who, right)?;
            check(model, op, w, pc as usize)?;
            total(op, v, w)
        }
        Node::And(left, right) => match value(model, scratch, state, who, left)? {
            0 => 0,
            _ => value(model, scratch, state, who, right)?,
        },
        Node::Or(left, right) => match value(model, scratch, state, who, left)? {
            0 => value(model, scratch, state, who, right)?,
            _ => 1,
        },
        Node::At(address, region, width) => {
            let at = value(model, scratch, state, who, address)?;
            let base = model.layout.base(state.len(), who.locals, region);
            read(state, base + at as usize, width)
        }
        Node::Element { base, index, pc } => {
            let base = leaf(model, scratch, state, who, base)?;
            let index = leaf(model, scratch, state, who, index)?;
            match model.program.instrs[pc as usize] {
                Instr::Index { len, stride, .. } if (index as u32) < len => {
                    base + index * stride as i32
                }
                _ => return Err(index_fault(model, pc as usize, index)),
            }
        }
        Node::Unary(op, operand) => {
            let v = leaf(model, scratch, state, who, operand)?;
            match op {
                UnOp::Neg => v.wrapping_neg(),
                UnOp::BitNot => !v,
                UnOp::Not => i32::from(v == 0),
                UnOp::Bool => i32::from(v != 0),
            }
        }
        Node::Conditional(condition, first, second) => {
            let chosen = match value(model, scratch, state, who, condition)? {
                0 => second,
                _ => first,
            };
            value(model, scratch, state, who, chosen)?
        }
        Node::Query(query, name, span) => {
            let id = leaf(model, scratch, state, who, name)?;
            match scratch.tables.channel(id) {
                Some(channel) => {
                    scratch.touch(channel);
                    channel::query(state, channel, query)
                }
                None => return Err(channel::bad_channel(id, span)),
            }
        }
        Node::Rare(pc) => {
            let code = Code {
                start: pc,
                end: pc + 1,
            };
            eval(model, scratch, state, who, code)?
        }
    })
}

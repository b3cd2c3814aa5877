//! Pure expressions as trees.
//!
//! Guards, operands and assigned values have no effects, so their stack code can be read back as a tree and walked
//! without a stack. [`Trees::plant`] does the reading: it runs the code on a stack of trees, and takes the three shapes
//! that jumps have in expressions (`&&`, `||`, `c -> a : b`) for what they are. Code that holds anything it does not
//! know stays code; the interpreter then evaluates it.

use super::compiled::CompiledModel;
use super::interpret::{check, eval, index_fault};
use super::layout::Layout;
use super::memory::{Width, read};
use super::ops::{Element, Op, Ops, Quick, Slot, Test, Within, is_total};
use super::scratch::{Scratch, Who};
use super::{Fallible, channel};
use promela_lite::code::{BinOp, ChanQuery, Code, Instr, Region, Scalar, UnOp};
use promela_lite::source::Span;

/// A tree: the index of its root.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree(u32);

/// A node of a tree. Positions are those of the instruction, for faults.
#[derive(Copy, Clone, Debug)]
enum Node {
    Const(i32),
    Load(Slot),
    /// A comparison of a variable with a constant.
    Test(Within, Slot),
    /// A variable and a constant added.
    Plus(Slot, i32),
    WithConst(BinOp, Slot, i32),
    WithSlot(BinOp, Slot, Slot),
    /// One of [`Trees::elements`].
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

/// What trees are read from.
#[derive(Copy, Clone, Debug)]
pub(super) struct Source<'p> {
    pub(super) instrs: &'p [Instr],
    pub(super) ops: &'p Ops,
    pub(super) layout: &'p Layout,
}

/// All trees of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Trees {
    nodes: Vec<Node>,
    pub(super) elements: Vec<Element>,
}

impl Trees {
    fn add(&mut self, node: Node) -> Tree {
        let node = self.shorter(node);
        self.nodes.push(node);
        Tree(self.nodes.len() as u32 - 1)
    }

    fn at(&self, tree: Tree) -> Node {
        self.nodes[tree.0 as usize]
    }

    /// Whether its value is 0 or 1.
    fn is_truth(&self, tree: Tree) -> bool {
        match self.at(tree) {
            Node::Test(..) | Node::Unary(UnOp::Not | UnOp::Bool, _) => true,
            Node::And(_, right) | Node::Or(_, right) => self.is_truth(right),
            Node::WithSlot(op, ..) | Node::Binary(op, ..) => Test::new(op).is_some(),
            _ => false,
        }
    }

    /// A node of the same value that takes less to find it.
    fn shorter(&self, node: Node) -> Node {
        match node {
            Node::WithConst(BinOp::Add, slot, w) => Node::Plus(slot, w),
            Node::WithConst(BinOp::Sub, slot, w) => Node::Plus(slot, w.wrapping_neg()),
            Node::WithConst(op, slot, w) => {
                Within::new(op, w).map_or(node, |within| Node::Test(within, slot))
            }
            Node::Unary(UnOp::Not, operand) => {
                match (self.at(operand), Within::new(BinOp::Eq, 0)) {
                    (Node::Load(slot), Some(is_zero)) => Node::Test(is_zero, slot),
                    _ => node,
                }
            }
            Node::Unary(UnOp::Bool, operand) if self.is_truth(operand) => self.at(operand),
            Node::Binary(op, left, right) => match (self.at(left), self.at(right)) {
                (Node::Plus(slot, v), Node::Const(w)) => {
                    Within::new(op, w).map_or(node, |within| Node::Test(within.of_sum(v), slot))
                }
                _ => node,
            },
            Node::Partial(op, left, right, _) => match (op, self.at(right)) {
                (BinOp::Div | BinOp::Rem, Node::Const(w)) if w != 0 => {
                    Node::Binary(op, left, right)
                }
                _ => node,
            },
            _ => node,
        }
    }

    /// The element that an address in a region is that of, if its index is a variable, perhaps with something added.
    pub(super) fn element(
        &self,
        source: Source<'_>,
        address: Tree,
        (region, ty): (Region, Scalar),
    ) -> Option<Element> {
        let Node::Element { base, index, pc } = self.at(address) else {
            return None;
        };
        let Node::Const(base) = self.at(base) else {
            return None;
        };
        let (index, plus) = match self.at(index) {
            Node::Load(slot) => (Some(slot), 0),
            Node::Plus(slot, w) => (Some(slot), w),
            Node::SelfPid => (None, 0),
            _ => return None,
        };
        let Instr::Index { len, stride, .. } = source.instrs[pc as usize] else {
            return None;
        };
        Some(Element {
            base: Slot::new(source.layout, region, u32::try_from(base).ok()?, ty),
            index,
            plus,
            len,
            stride,
            check: pc,
        })
    }

    pub(super) fn add_element(&mut self, element: Element) -> u32 {
        self.elements.push(element);
        self.elements.len() as u32 - 1
    }

    /// The quick form of an expression.
    pub(super) fn quick(&mut self, source: Source<'_>, code: Code) -> Quick {
        match self.plant(source, code) {
            Some(tree) => self.short_form(tree),
            None => Quick::Code(code),
        }
    }

    /// The quick form of a tree.
    pub(super) fn short_form(&self, tree: Tree) -> Quick {
        match self.at(tree) {
            Node::Const(v) => Quick::Const(v),
            Node::Load(slot) => Quick::Slot(slot),
            Node::Test(within, slot) => Quick::Test(within, slot),
            Node::Plus(slot, w) => Quick::Plus(slot, w),
            Node::WithConst(op, slot, w) => Quick::WithConst(op, slot, w),
            Node::WithSlot(op, a, b) if let Some(test) = Test::new(op) => {
                Quick::TestSlot(test, a, b)
            }
            Node::Array(element) => Quick::Element(element),
            Node::SelfPid => Quick::SelfPid,
            _ => Quick::Tree(tree),
        }
    }

    /// The tree of an expression, if its code is one.
    fn plant(&mut self, source: Source<'_>, code: Code) -> Option<Tree> {
        let before = self.nodes.len();
        let tree = self.one(source, code.start, code.end);
        if tree.is_none() {
            self.nodes.truncate(before);
        }
        tree
    }

    /// The trees of two expressions, the code of one behind that of the other.
    pub(super) fn plant_two(&mut self, source: Source<'_>, code: Code) -> Option<(Tree, Tree)> {
        match self.grow(source, code.start, code.end)?[..] {
            [first, second] => Some((first, second)),
            _ => None,
        }
    }

    fn one(&mut self, source: Source<'_>, start: u32, end: u32) -> Option<Tree> {
        match self.grow(source, start, end)?[..] {
            [tree] => Some(tree),
            _ => None,
        }
    }

    /// What the instructions leave on the stack.
    fn grow(&mut self, source: Source<'_>, start: u32, end: u32) -> Option<Vec<Tree>> {
        let Source { instrs, ops, .. } = source;
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
                Op::LoadElement(index) if fits(4) => {
                    let element = self.add_element(ops.elements[index as usize]);
                    Some((Node::Array(element), 4))
                }
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
                Instr::LoadAt(region, ty) => {
                    let address = stack.pop()?;
                    match self.element(source, address, (region, ty)) {
                        Some(element) => Node::Array(self.add_element(element)),
                        None => Node::At(address, region, Width::of(ty)),
                    }
                }
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
                    let right = self.one(source, next, to)?;
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
                    let first = self.one(source, next, other - 1)?;
                    let second = self.one(source, other, to)?;
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

/// What a tree is evaluated in. It is handed down by reference, since calls with many arguments are dear.
struct Context<'a> {
    model: &'a CompiledModel,
    state: &'a [u8],
    who: Who,
}

/// The value of a tree.
pub(super) fn value(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    tree: Tree,
) -> Fallible<i32> {
    walk(&Context { model, state, who }, scratch, tree)
}

/// The value of a tree that is mostly a leaf: then there is no call.
#[inline(always)]
fn leaf(context: &Context<'_>, scratch: &mut Scratch, tree: Tree) -> Fallible<i32> {
    let &Context { model, state, who } = context;
    match model.trees.nodes[tree.0 as usize] {
        Node::Const(v) => Ok(v),
        Node::Load(slot) => Ok(slot.load(state, who)),
        Node::Plus(slot, w) => Ok(slot.load(state, who).wrapping_add(w)),
        Node::Test(within, slot) => Ok(i32::from(within.accepts(slot.load(state, who)))),
        Node::SelfPid => Ok(i32::from(who.pid.0)),
        Node::Array(index) => model.trees.elements[index as usize].load(model, state, who),
        _ => walk(context, scratch, tree),
    }
}

fn walk(context: &Context<'_>, scratch: &mut Scratch, tree: Tree) -> Fallible<i32> {
    let &Context { model, state, who } = context;
    Ok(match model.trees.nodes[tree.0 as usize] {
        Node::Const(v) => v,
        Node::Load(slot) => slot.load(state, who),
        Node::Test(within, slot) => i32::from(within.accepts(slot.load(state, who))),
        Node::Plus(slot, w) => slot.load(state, who).wrapping_add(w),
        Node::WithConst(op, slot, w) => op.of(slot.load(state, who), w),
        Node::WithSlot(op, a, b) => op.of(a.load(state, who), b.load(state, who)),
        Node::Array(index) => model.trees.elements[index as usize].load(model, state, who)?,
        Node::SelfPid => i32::from(who.pid.0),
        Node::Binary(op, left, right) => {
            let v = leaf(context, scratch, left)?;
            let w = leaf(context, scratch, right)?;
            op.of(v, w)
        }
        Node::Partial(op, left, right, pc) => {
            let v = leaf(context, scratch, left)?;
            let w = leaf(context, scratch, right)?;
            check(model, op, w, pc as usize)?;
            op.of(v, w)
        }
        Node::And(left, right) => match leaf(context, scratch, left)? {
            0 => 0,
            _ => leaf(context, scratch, right)?,
        },
        Node::Or(left, right) => match leaf(context, scratch, left)? {
            0 => leaf(context, scratch, right)?,
            _ => 1,
        },
        Node::At(address, region, width) => {
            let at = walk(context, scratch, address)?;
            let base = model.layout.base(state.len(), who.locals, region);
            read(state, base + at as usize, width)
        }
        Node::Element { base, index, pc } => {
            let base = leaf(context, scratch, base)?;
            let index = leaf(context, scratch, index)?;
            match model.program.instrs[pc as usize] {
                Instr::Index { len, stride, .. } if (index as u32) < len => {
                    base + index * stride as i32
                }
                _ => return Err(index_fault(model, pc as usize, index)),
            }
        }
        Node::Unary(op, operand) => {
            let v = leaf(context, scratch, operand)?;
            op.of(v)
        }
        Node::Conditional(condition, first, second) => {
            let chosen = match walk(context, scratch, condition)? {
                0 => second,
                _ => first,
            };
            walk(context, scratch, chosen)?
        }
        Node::Query(query, name, span) => {
            let id = leaf(context, scratch, name)?;
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

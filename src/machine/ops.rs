//! The program's code with addresses resolved and common sequences fused.
//!
//! Most expressions of a model are tiny. They become a [`Quick`] where they are used, and never enter the interpreter;
//! the others become trees. A global channel variable that is set once, where the channel is made, is a constant.
//!
//! There is one [`Op`] for each [`Instr`], at the same position, so jump targets and the places of errors carry over
//! unchanged. Where a short sequence is frequent (`x == 3`, `x = 0`, `a[i]`) its first op does the work of all and
//! the others stay where they are, in case someone jumps to them. Fusing cannot run over the end of a code: the
//! later instructions of a sequence take operands that the earlier ones leave, and a code starts with none.

use super::Fallible;
use super::compiled::CompiledModel;
use super::interpret::index_fault;
use super::layout::Layout;
use super::memory::{Width, mask, read};
use super::scratch::Who;
use super::tree::Tree;
use promela_lite::code::{BinOp, Cell, Code, Instr, Region, Scalar, UnOp};
use promela_lite::program::{Program, RecvArg};
use rustc_hash::FxHashMap;

/// A scalar at a place that is known up to the start of its region.
#[derive(Copy, Clone, Debug)]
pub(super) struct Slot {
    /// From the start of the state (global), of the locals (local), or back from the end of the state (hidden).
    at: u32,
    region: Region,
    pub(super) width: Width,
}

impl Slot {
    pub(super) fn new(layout: &Layout, region: Region, offset: u32, ty: Scalar) -> Slot {
        let at = match region {
            Region::Global => layout.globals as u32 + offset,
            Region::Hidden => layout.hidden as u32 - offset,
            Region::Local => offset,
        };
        Slot {
            at,
            region,
            width: Width::of(ty),
        }
    }

    pub(super) fn of(layout: &Layout, cell: Cell) -> Slot {
        Slot::new(layout, cell.region, cell.offset, cell.ty)
    }

    /// Its offset in a state of `len` bytes, for a process whose locals start at `locals`.
    #[inline(always)]
    pub(super) fn address(self, locals: usize, len: usize) -> usize {
        match self.region {
            Region::Global => self.at as usize,
            Region::Local => locals + self.at as usize,
            Region::Hidden => len - self.at as usize,
        }
    }

    /// Its value for `who`.
    #[inline(always)]
    pub(super) fn load(self, state: &[u8], who: Who) -> i32 {
        read(state, self.address(who.locals, state.len()), self.width)
    }
}

/// An element of an array, chosen by a variable.
#[derive(Copy, Clone, Debug)]
pub(super) struct Element {
    /// The first element.
    pub(super) base: Slot,
    /// The variable; `None` for `_pid`.
    pub(super) index: Option<Slot>,
    /// What is added to it.
    pub(super) plus: i32,
    pub(super) len: u32,
    pub(super) stride: u32,
    /// Position of the instruction that checks the index.
    pub(super) check: u32,
}

impl Element {
    /// Its offset in a state.
    #[inline(always)]
    pub(super) fn address(&self, model: &CompiledModel, state: &[u8], who: Who) -> Fallible<usize> {
        let index = match self.index {
            Some(slot) => slot.load(state, who).wrapping_add(self.plus),
            None => i32::from(who.pid.0).wrapping_add(self.plus),
        };
        if index as u32 >= self.len {
            return Err(index_fault(model, self.check as usize, index));
        }
        let first = self.base.address(who.locals, state.len());
        Ok(first + index as usize * self.stride as usize)
    }

    /// Its value for `who`.
    #[inline(always)]
    pub(super) fn load(&self, model: &CompiledModel, state: &[u8], who: Who) -> Fallible<i32> {
        let at = self.address(model, state, who)?;
        Ok(read(state, at, self.base.width))
    }
}

/// One operation of the interpreter.
#[derive(Copy, Clone, Debug)]
pub(super) enum Op {
    Const(i32),
    Load(Slot),
    Store(Slot, u32),
    Index {
        len: u32,
        stride: u32,
    },
    LoadAt(Region, Width),
    StoreAt(Region, Width, u32),
    Unary(UnOp),
    Binary(BinOp),
    AndThen(u32),
    OrElse(u32),
    Jump(u32),
    JumpIfZero(u32),
    JumpBack(u32),
    Return,
    SelfPid,
    /// `Const; Store`, the value cut already.
    StoreConst(Slot, i32),
    /// `Load; Const; Binary`.
    WithConst(BinOp, Slot, i32),
    /// `Load; Load; Binary`.
    WithSlot(BinOp, Slot, Slot),
    /// `Const; Load or SelfPid; Index; LoadAt`: one of [`Ops::elements`].
    LoadElement(u32),
    /// Everything else: see the instruction itself.
    Other,
}

/// All code of a program.
#[derive(Clone, Debug)]
pub(super) struct Ops {
    pub(super) ops: Vec<Op>,
    pub(super) elements: Vec<Element>,
}

/// Whether the operator has a result for all operands.
pub(super) fn is_total(op: BinOp) -> bool {
    !matches!(op, BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr)
}

fn translate(layout: &Layout, instr: Instr) -> Op {
    match instr {
        Instr::Const(v) => Op::Const(v),
        Instr::Load(cell) => Op::Load(Slot::of(layout, cell)),
        Instr::Store(cell) => Op::Store(Slot::of(layout, cell), mask(cell.ty)),
        Instr::Index { len, stride, .. } => Op::Index { len, stride },
        Instr::LoadAt(region, ty) => Op::LoadAt(region, Width::of(ty)),
        Instr::StoreAt(region, ty) => Op::StoreAt(region, Width::of(ty), mask(ty)),
        Instr::Unary(op) => Op::Unary(op),
        Instr::Binary(op, _) => Op::Binary(op),
        Instr::AndThen(to) => Op::AndThen(to),
        Instr::OrElse(to) => Op::OrElse(to),
        Instr::Jump(to) => Op::Jump(to),
        Instr::JumpIfZero(to) => Op::JumpIfZero(to),
        Instr::JumpBack(to, _) => Op::JumpBack(to),
        Instr::Return => Op::Return,
        Instr::SelfPid => Op::SelfPid,
        _ => Op::Other,
    }
}

impl Ops {
    pub(super) fn new(program: &Program, layout: &Layout) -> Ops {
        let mut elements = Vec::new();
        let fixed = fixed_channels(program);
        let instrs: Vec<Instr> = program
            .instrs
            .iter()
            .map(|instr| match instr {
                Instr::Load(cell) if cell.region == Region::Global => fixed
                    .get(&cell.offset)
                    .map_or(*instr, |channel| Instr::Const(channel.id)),
                _ => *instr,
            })
            .collect();
        let ops = (0..instrs.len())
            .map(|pc| match instrs[pc..] {
                [Instr::Const(v), Instr::Store(cell), ..] => {
                    Op::StoreConst(Slot::of(layout, cell), (v as u32 & mask(cell.ty)) as i32)
                }
                [Instr::Load(cell), Instr::Const(v), Instr::Binary(op, _), ..] if is_total(op) => {
                    Op::WithConst(op, Slot::of(layout, cell), v)
                }
                [Instr::Load(a), Instr::Load(b), Instr::Binary(op, _), ..] if is_total(op) => {
                    Op::WithSlot(op, Slot::of(layout, a), Slot::of(layout, b))
                }
                [
                    Instr::Const(base),
                    Instr::Load(_) | Instr::SelfPid,
                    Instr::Index { len, stride, .. },
                    Instr::LoadAt(region, ty),
                    ..,
                ] if base >= 0 => {
                    let index = match instrs[pc + 1] {
                        Instr::Load(cell) => Some(Slot::of(layout, cell)),
                        _ => None,
                    };
                    elements.push(Element {
                        base: Slot::new(layout, region, base as u32, ty),
                        index,
                        plus: 0,
                        len,
                        stride,
                        check: pc as u32 + 2,
                    });
                    Op::LoadElement(elements.len() as u32 - 1)
                }
                _ => translate(layout, instrs[pc]),
            })
            .collect();
        Ops { ops, elements }
    }
}

/// What a global channel variable names for good.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FixedChannel {
    /// The identity of the channel: no two variables name the same.
    id: i32,
    /// Messages it can hold; 0 for rendezvous.
    pub(crate) capacity: u32,
}

/// Global channel variables that are stored to once, by the initialiser that makes the channel, by their offsets.
pub(crate) fn fixed_channels(program: &Program) -> FxHashMap<u32, FixedChannel> {
    let mut fixed = FxHashMap::default();
    let mut made = 0;
    let init = &program.instrs[program.init.range()];
    for (i, instr) in init.iter().enumerate() {
        if let Instr::NewChan(template) = instr {
            made += 1;
            let channel = FixedChannel {
                id: made,
                capacity: program.templates[template.index()].capacity,
            };
            if let Some(Instr::Store(cell)) = init.get(i + 1) {
                fixed.insert(cell.offset, channel);
            }
        }
    }
    let mut stores: FxHashMap<u32, u32> = FxHashMap::default();
    let mut stored = |cell: &Cell| {
        if cell.region == Region::Global {
            *stores.entry(cell.offset).or_default() += 1;
        }
    };
    for instr in &program.instrs {
        match instr {
            Instr::Store(cell) => stored(cell),
            // Which element of which array is not known here.
            Instr::StoreAt(Region::Global, Scalar::Chan) => return FxHashMap::default(),
            _ => {}
        }
    }
    for arg in program.recvs.iter().flat_map(|recv| &recv.args) {
        match arg {
            RecvArg::Bind(cell) => stored(cell),
            RecvArg::BindAt(_, Region::Global, Scalar::Chan) => return FxHashMap::default(),
            _ => {}
        }
    }
    fixed.retain(|offset, _| stores.get(offset) == Some(&1));
    fixed
}

/// A comparison: which of less, equal and greater it accepts, as bits.
#[derive(Copy, Clone, Debug)]
pub(super) struct Test(u8);

impl Test {
    pub(super) fn new(op: BinOp) -> Option<Test> {
        Some(Test(match op {
            BinOp::Lt => 0b001,
            BinOp::Eq => 0b010,
            BinOp::Le => 0b011,
            BinOp::Gt => 0b100,
            BinOp::Ne => 0b101,
            BinOp::Ge => 0b110,
            _ => return None,
        }))
    }

    /// Whether `v` compares to `w` like that.
    #[inline(always)]
    pub(super) fn of(self, v: i32, w: i32) -> i32 {
        let order = u32::from(v >= w) + u32::from(v > w);
        i32::from(self.0 >> order & 1)
    }
}

/// A comparison with a constant: the values it accepts are an interval, or all others.
#[derive(Copy, Clone, Debug)]
pub(super) struct Within {
    least: i32,
    /// How many values follow the least one.
    more: u32,
    /// Whether those of the interval are the ones that are not accepted.
    outside: bool,
}

impl Within {
    pub(super) fn new(op: BinOp, w: i32) -> Option<Within> {
        let up_to = |w: i32| (i32::MIN, w.wrapping_sub(i32::MIN) as u32);
        let ((least, more), outside) = match op {
            BinOp::Eq => ((w, 0), false),
            BinOp::Ne => ((w, 0), true),
            BinOp::Le => (up_to(w), false),
            BinOp::Gt => (up_to(w), true),
            BinOp::Ge => ((w, i32::MAX.wrapping_sub(w) as u32), false),
            BinOp::Lt => ((w, i32::MAX.wrapping_sub(w) as u32), true),
            _ => return None,
        };
        Some(Within {
            least,
            more,
            outside,
        })
    }

    #[inline(always)]
    pub(super) fn accepts(self, v: i32) -> bool {
        (v.wrapping_sub(self.least) as u32 <= self.more) != self.outside
    }

    /// Accepts what this one does with `w` added to it.
    pub(super) fn of_sum(self, w: i32) -> Within {
        Within {
            least: self.least.wrapping_sub(w),
            ..self
        }
    }
}

/// An expression, as short as it can be put.
#[derive(Copy, Clone, Debug)]
pub(super) enum Quick {
    Const(i32),
    Slot(Slot),
    Test(Within, Slot),
    TestSlot(Test, Slot, Slot),
    /// A variable and a constant added.
    Plus(Slot, i32),
    WithConst(BinOp, Slot, i32),
    /// One of [`super::tree::Trees::elements`].
    Element(u32),
    SelfPid,
    Tree(Tree),
    Code(Code),
}

impl Quick {
    /// Whether it has a value in every state, whatever the model does.
    pub(super) fn is_total(self) -> bool {
        match self {
            Quick::Const(_)
            | Quick::Slot(_)
            | Quick::Test(..)
            | Quick::TestSlot(..)
            | Quick::Plus(..)
            | Quick::WithConst(..)
            | Quick::SelfPid => true,
            Quick::Element(_) | Quick::Tree(_) | Quick::Code(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = i32> {
        prop_oneof![
            any::<i32>(),
            -2..3i32,
            Just(i32::MIN),
            Just(i32::MIN + 1),
            Just(i32::MAX - 1),
            Just(i32::MAX),
        ]
    }

    proptest! {
        #[test]
        fn intervals_and_orders_are_comparisons(v in value(), w in value()) {
            use BinOp::*;
            for op in [Lt, Le, Eq, Ne, Ge, Gt] {
                let (test, within) = (Test::new(op), Within::new(op, w));
                prop_assert_eq!(test.map(|t| t.of(v, w)), Some(op.of(v, w)));
                prop_assert_eq!(within.map(|t| i32::from(t.accepts(v))), Some(op.of(v, w)));
            }
        }
    }
}

//! The program's code with addresses resolved and common sequences fused.
//!
//! There is one [`Op`] for each [`Instr`], at the same position, so jump targets and the places of errors carry over
//! unchanged. Where a short sequence is frequent (`x == 3`, `x = 0`, `a[i]`) its first op does the work of all and
//! the others stay where they are, in case someone jumps to them. Fusing cannot run over the end of a code: the
//! later instructions of a sequence take operands that the earlier ones leave, and a code starts with none.

use super::layout::Layout;
use super::memory::{Width, mask};
use promela_lite::code::{BinOp, Cell, Instr, Region, Scalar, UnOp};
use promela_lite::program::Program;

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
}

/// An element of an array, chosen by a variable.
#[derive(Copy, Clone, Debug)]
pub(super) struct Element {
    /// The first element.
    pub(super) base: Slot,
    pub(super) index: Slot,
    pub(super) len: u32,
    pub(super) stride: u32,
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
    Return,
    SelfPid,
    /// `Const; Store`, the value cut already.
    StoreConst(Slot, i32),
    /// `Load; Const; Binary`.
    WithConst(BinOp, Slot, i32),
    /// `Load; Load; Binary`.
    WithSlot(BinOp, Slot, Slot),
    /// `Const; Load; Index; LoadAt`: one of [`Ops::elements`].
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
fn is_total(op: BinOp) -> bool {
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
        Instr::Return => Op::Return,
        Instr::SelfPid => Op::SelfPid,
        _ => Op::Other,
    }
}

impl Ops {
    pub(super) fn new(program: &Program, layout: &Layout) -> Ops {
        let mut elements = Vec::new();
        let instrs = &program.instrs;
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
                    Instr::Load(index),
                    Instr::Index { len, stride, .. },
                    Instr::LoadAt(region, ty),
                    ..,
                ] if base >= 0 => {
                    elements.push(Element {
                        base: Slot::new(layout, region, base as u32, ty),
                        index: Slot::of(layout, index),
                        len,
                        stride,
                    });
                    Op::LoadElement(elements.len() as u32 - 1)
                }
                _ => translate(layout, instrs[pc]),
            })
            .collect();
        Ops { ops, elements }
    }
}

/// The value of `v op w` for operators that cannot fail.
#[inline(always)]
pub(super) fn total(op: BinOp, v: i32, w: i32) -> i32 {
    match op {
        BinOp::Add => v.wrapping_add(w),
        BinOp::Sub => v.wrapping_sub(w),
        BinOp::Mul => v.wrapping_mul(w),
        BinOp::Div => v.wrapping_div(w),
        BinOp::Rem => v.wrapping_rem(w),
        BinOp::Shl => v.wrapping_shl(w as u32),
        BinOp::Shr => v.wrapping_shr(w as u32),
        BinOp::BitAnd => v & w,
        BinOp::BitOr => v | w,
        BinOp::BitXor => v ^ w,
        BinOp::Eq => i32::from(v == w),
        BinOp::Ne => i32::from(v != w),
        BinOp::Lt => i32::from(v < w),
        BinOp::Le => i32::from(v <= w),
        BinOp::Gt => i32::from(v > w),
        BinOp::Ge => i32::from(v >= w),
    }
}

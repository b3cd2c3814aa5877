//! The interpreter: runs code on a state.
//!
//! One loop serves two purposes. On a state that may be changed it does everything. On one that may not, it
//! *probes*: it stops at the first instruction with an effect and says so. That is how the executability of a
//! `d_step` is found without executing it, since a `d_step` that turns out not to be executable has changed nothing
//! before; guards have no effects and are simply evaluated.

use super::compiled::CompiledModel;
use super::memory::{read, write};
use super::ops::{Op, Quick};
use super::rare::{self, Flow};
use super::repetition;
use super::scratch::{Scratch, Who};
use super::{Fallible, Fault, FaultKind, fault, tree};
use promela_lite::code::{BinOp, Code, Instr};
use promela_lite::source::Span;

/// A state that code runs on.
pub(super) trait Memory {
    /// Whether it may be changed.
    const WRITABLE: bool;
    fn bytes(&self) -> &[u8];
    /// Called only where [`Memory::WRITABLE`].
    fn vec(&mut self) -> &mut Vec<u8>;
}

impl Memory for Vec<u8> {
    const WRITABLE: bool = true;
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self
    }
    #[inline(always)]
    fn vec(&mut self) -> &mut Vec<u8> {
        self
    }
}

impl Memory for &[u8] {
    const WRITABLE: bool = false;
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self
    }
    fn vec(&mut self) -> &mut Vec<u8> {
        unreachable!("a probe ends before the first effect")
    }
}

/// How code ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At its end, leaving this value (0 if none).
    Value(i32),
    /// A `d_step` that is not executable.
    NotExecutable,
    /// A probe came to an effect.
    Effect,
}

/// The value of a pure expression.
#[inline]
pub(super) fn eval(
    model: &CompiledModel,
    scratch: &mut Scratch,
    mut state: &[u8],
    who: Who,
    code: Code,
) -> Fallible<i32> {
    match run(model, scratch, &mut state, who, code)? {
        End::Value(v) => Ok(v),
        End::NotExecutable => Ok(0),
        End::Effect => Ok(1),
    }
}

/// The value of a pure expression.
#[inline(always)]
pub(super) fn quick(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    expression: &Quick,
) -> Fallible<i32> {
    match expression {
        Quick::Const(v) => Ok(*v),
        Quick::Slot(slot) => Ok(slot.load(state, who)),
        Quick::Test(within, slot) => Ok(i32::from(within.accepts(slot.load(state, who)))),
        Quick::Plus(slot, w) => Ok(slot.load(state, who).wrapping_add(*w)),
        _ => less_quick(model, scratch, state, who, expression),
    }
}

/// [`quick`], where a call makes no difference.
fn less_quick(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    expression: &Quick,
) -> Fallible<i32> {
    match *expression {
        Quick::Const(v) => Ok(v),
        Quick::Slot(slot) => Ok(slot.load(state, who)),
        Quick::Test(within, slot) => Ok(i32::from(within.accepts(slot.load(state, who)))),
        Quick::Plus(slot, w) => Ok(slot.load(state, who).wrapping_add(w)),
        Quick::TestSlot(test, a, b) => Ok(test.of(a.load(state, who), b.load(state, who))),
        Quick::WithConst(op, slot, w) => Ok(op.of(slot.load(state, who), w)),
        Quick::Element(index) => model.trees.elements[index as usize].load(model, state, who),
        Quick::SelfPid => Ok(i32::from(who.pid.0)),
        Quick::Tree(tree) => tree::value(model, scratch, state, who, tree),
        Quick::Code(code) => eval(model, scratch, state, who, code),
    }
}

/// Runs `code` for `who`.
pub(super) fn run<M: Memory>(
    model: &CompiledModel,
    scratch: &mut Scratch,
    mem: &mut M,
    who: Who,
    code: Code,
) -> Fallible<End> {
    let base = scratch.sp;
    // Each instruction leaves at most one value more than it found, and what a position finds does not depend on
    // the way there, so no code needs more room than it has instructions.
    let need = base + code.range().len() + 1;
    if scratch.stack.len() < need {
        scratch.stack.resize(need, 0);
    }
    let result = run_from(model, scratch, mem, who, code);
    scratch.sp = base;
    result
}

fn run_from<M: Memory>(
    model: &CompiledModel,
    scratch: &mut Scratch,
    mem: &mut M,
    who: Who,
    code: Code,
) -> Fallible<End> {
    let base = scratch.sp;
    let mut sp = base;
    let mut pc = code.start as usize;
    let end = code.end as usize;
    let mut jumps_back = 0;
    macro_rules! push {
        ($value:expr) => {{
            let value = $value;
            scratch.stack[sp] = value;
            sp += 1;
        }};
    }
    macro_rules! pop {
        () => {{
            sp -= 1;
            scratch.stack[sp]
        }};
    }
    macro_rules! load {
        ($slot:expr) => {
            $slot.load(mem.bytes(), who)
        };
    }
    macro_rules! needs_writable {
        () => {
            if !M::WRITABLE {
                return Ok(End::Effect);
            }
        };
    }
    while pc < end {
        match model.code.ops[pc] {
            Op::Const(v) => push!(v),
            Op::Load(slot) => push!(load!(slot)),
            Op::Store(slot, mask) => {
                needs_writable!();
                let value = (pop!() as u32 & mask) as i32;
                let bytes = mem.vec();
                let at = slot.address(who.locals, bytes.len());
                write(bytes, at, slot.width, value);
            }
            Op::StoreConst(slot, value) => {
                needs_writable!();
                let bytes = mem.vec();
                let at = slot.address(who.locals, bytes.len());
                write(bytes, at, slot.width, value);
                pc += 2;
                continue;
            }
            Op::WithConst(op, slot, w) => {
                push!(op.of(load!(slot), w));
                pc += 3;
                continue;
            }
            Op::WithSlot(op, a, b) => {
                push!(op.of(load!(a), load!(b)));
                pc += 3;
                continue;
            }
            Op::LoadElement(index) => {
                let element = &model.code.elements[index as usize];
                push!(element.load(model, mem.bytes(), who)?);
                pc += 4;
                continue;
            }
            Op::Index { len, stride } => {
                let i = pop!();
                if i as u32 >= len {
                    return Err(index_fault(model, pc, i));
                }
                scratch.stack[sp - 1] += i * stride as i32;
            }
            Op::LoadAt(region, width) => {
                let at = model.layout.base(mem.bytes().len(), who.locals, region) + pop!() as usize;
                push!(read(mem.bytes(), at, width));
            }
            Op::StoreAt(region, width, mask) => {
                needs_writable!();
                let value = (pop!() as u32 & mask) as i32;
                let at = model.layout.base(mem.bytes().len(), who.locals, region) + pop!() as usize;
                write(mem.vec(), at, width, value);
            }
            Op::Unary(op) => {
                let top = &mut scratch.stack[sp - 1];
                *top = op.of(*top);
            }
            Op::Binary(op) => {
                let w = pop!();
                let v = scratch.stack[sp - 1];
                check(model, op, w, pc)?;
                scratch.stack[sp - 1] = op.of(v, w);
            }
            Op::AndThen(to) => {
                if scratch.stack[sp - 1] == 0 {
                    pc = to as usize;
                    continue;
                }
                sp -= 1;
            }
            Op::OrElse(to) => {
                if scratch.stack[sp - 1] != 0 {
                    scratch.stack[sp - 1] = 1;
                    pc = to as usize;
                    continue;
                }
                sp -= 1;
            }
            Op::Jump(to) => {
                pc = to as usize;
                continue;
            }
            Op::JumpIfZero(to) => {
                if pop!() == 0 {
                    pc = to as usize;
                    continue;
                }
            }
            Op::JumpBack(to) => {
                debug_assert_eq!(sp, base, "no operand outlives a statement");
                jumps_back += 1;
                if jumps_back >= repetition::FREE {
                    let counted = (jumps_back, scratch.nesting);
                    let at = (pc, mem.bytes(), scratch.message.open);
                    let violated = scratch.violation.is_some();
                    let span = || jump_span(model, pc);
                    scratch.long_run.jumps_back(counted, at, violated, span)?;
                }
                pc = to as usize;
                continue;
            }
            Op::Return => break,
            Op::SelfPid => push!(i32::from(who.pid.0)),
            Op::Other => {
                scratch.sp = sp;
                match rare::execute(model, scratch, mem, who, model.program.instrs[pc])? {
                    Flow::Next => sp = scratch.sp,
                    Flow::Jump(to) => {
                        sp = scratch.sp;
                        pc = to as usize;
                        continue;
                    }
                    Flow::End(end) => return Ok(end),
                }
            }
        }
        pc += 1;
    }
    let value = if sp > base { scratch.stack[sp - 1] } else { 0 };
    Ok(End::Value(value))
}

/// Where a jump back leads to in the text.
fn jump_span(model: &CompiledModel, pc: usize) -> Span {
    match model.program.instrs[pc] {
        Instr::JumpBack(_, span) => span,
        _ => Span::NONE,
    }
}

#[cold]
pub(super) fn index_fault(model: &CompiledModel, pc: usize, index: i32) -> Box<Fault> {
    match model.program.instrs[pc] {
        Instr::Index { len, span, .. } => fault(FaultKind::IndexOutOfRange { index, len }, span),
        _ => fault(FaultKind::IndexOutOfRange { index, len: 0 }, Span::NONE),
    }
}

/// Whether the operator has a result for this right operand.
#[inline]
pub(super) fn check(model: &CompiledModel, op: BinOp, w: i32, pc: usize) -> Fallible<()> {
    let kind = match op {
        BinOp::Div | BinOp::Rem if w == 0 => FaultKind::DivisionByZero,
        BinOp::Shl | BinOp::Shr if !(0..32).contains(&w) => {
            FaultKind::ShiftOutOfRange { distance: w }
        }
        _ => return Ok(()),
    };
    let span = match model.program.instrs[pc] {
        Instr::Binary(_, span) => span,
        _ => Span::NONE,
    };
    Err(fault(kind, span))
}

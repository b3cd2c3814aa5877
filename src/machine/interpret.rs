//! The interpreter: runs code on a state.
//!
//! One loop serves two purposes. On a state that may be changed it does everything. On one that may not, it
//! *probes*: it stops at the first instruction with an effect and says so. That is how the executability of a
//! `d_step` is found without executing it, since a `d_step` that turns out not to be executable has changed nothing
//! before; guards have no effects and are simply evaluated.

use super::channel::{self, Message};
use super::layout::Tables;
use super::memory::{Width, mask, read, write};
use super::model::Model;
use super::ops::{Op, Quick, Slot, total};
use super::output::Output;
use super::{Fault, FaultKind, Pid, enabled, trace};
use promela_lite::code::{BinOp, Code, Instr, Region, UnOp};
use promela_lite::program::ProctypeId;
use promela_lite::source::Span;

/// `enabled()` inside a guard that `enabled()` asks for: deeper than this it is false.
const MAX_NESTING: u8 = 16;

/// What the machine needs besides the state and the program, kept to avoid allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) tables: Tables,
    stack: Vec<i32>,
    /// First free entry of the stack.
    sp: usize,
    /// Value of `timeout`.
    pub(super) timeout: bool,
    /// The message that a send delivers.
    pub(super) message: Message,
    /// A violation that does not keep the step from being completed.
    pub(super) violation: Option<Fault>,
    pub(super) output: Output,
    /// Channels that initialising code has made so far.
    channels: usize,
    nesting: u8,
}

impl Scratch {
    pub(super) fn new(tables: Tables) -> Scratch {
        Scratch {
            tables,
            ..Scratch::default()
        }
    }

    /// Remembers the first violation of a step that goes on all the same.
    pub(super) fn violate(&mut self, kind: FaultKind, span: Span) {
        self.violation.get_or_insert(Fault { kind, span });
    }
}

/// Who executes: its pid and where its locals start.
#[derive(Copy, Clone, Debug)]
pub(super) struct Who {
    pub(super) pid: Pid,
    pub(super) locals: usize,
}

impl Who {
    /// Code that belongs to no process: properties, initialisers of globals.
    pub(super) const NOBODY: Who = Who {
        pid: Pid(0),
        locals: 0,
    };
}

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

/// Where to go on after an instruction.
enum Flow {
    Next,
    Jump(u32),
    End(End),
}

pub(super) fn fault(kind: FaultKind, span: Span) -> Fault {
    Fault { kind, span }
}

/// The value of a pure expression.
#[inline]
pub(super) fn eval(
    model: &Model,
    scratch: &mut Scratch,
    mut state: &[u8],
    who: Who,
    code: Code,
) -> Result<i32, Fault> {
    match run(model, scratch, &mut state, who, code)? {
        End::Value(v) => Ok(v),
        End::NotExecutable => Ok(0),
        End::Effect => Ok(1),
    }
}

/// The value of a pure expression.
#[inline]
pub(super) fn quick(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    expression: Quick,
) -> Result<i32, Fault> {
    let load = |slot: Slot| read(state, slot.address(who.locals, state.len()), slot.width);
    match expression {
        Quick::Const(v) => Ok(v),
        Quick::Slot(slot) => Ok(load(slot)),
        Quick::WithConst(op, slot, w) => Ok(total(op, load(slot), w)),
        Quick::WithSlot(op, a, b) => Ok(total(op, load(a), load(b))),
        Quick::Element(index) => {
            let element = model.code.elements[index as usize];
            let i = load(element.index);
            if i as u32 >= element.len {
                return Err(index_fault(model, element.check as usize, i));
            }
            let at = element.base.address(who.locals, state.len());
            let at = at + i as usize * element.stride as usize;
            Ok(read(state, at, element.base.width))
        }
        Quick::Code(code) => eval(model, scratch, state, who, code),
    }
}

/// Runs `code` for `who`.
pub(super) fn run<M: Memory>(
    model: &Model,
    scratch: &mut Scratch,
    mem: &mut M,
    who: Who,
    code: Code,
) -> Result<End, Fault> {
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
    model: &Model,
    scratch: &mut Scratch,
    mem: &mut M,
    who: Who,
    code: Code,
) -> Result<End, Fault> {
    let base = scratch.sp;
    let mut sp = base;
    let mut pc = code.start as usize;
    let end = code.end as usize;
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
        ($slot:expr) => {{
            let slot = $slot;
            let bytes = mem.bytes();
            read(bytes, slot.address(who.locals, bytes.len()), slot.width)
        }};
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
                push!(total(op, load!(slot), w));
                pc += 3;
                continue;
            }
            Op::WithSlot(op, a, b) => {
                push!(total(op, load!(a), load!(b)));
                pc += 3;
                continue;
            }
            Op::LoadElement(index) => {
                let element = model.code.elements[index as usize];
                let i = load!(element.index);
                if i as u32 >= element.len {
                    return Err(index_fault(model, element.check as usize, i));
                }
                let bytes = mem.bytes();
                let at = element.base.address(who.locals, bytes.len())
                    + i as usize * element.stride as usize;
                push!(read(bytes, at, element.base.width));
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
                let at = address(model, mem.bytes(), who, region, pop!());
                push!(read(mem.bytes(), at, width));
            }
            Op::StoreAt(region, width, mask) => {
                needs_writable!();
                let value = (pop!() as u32 & mask) as i32;
                let at = address(model, mem.bytes(), who, region, pop!());
                write(mem.vec(), at, width, value);
            }
            Op::Unary(op) => {
                let top = &mut scratch.stack[sp - 1];
                *top = match op {
                    UnOp::Neg => top.wrapping_neg(),
                    UnOp::BitNot => !*top,
                    UnOp::Not => i32::from(*top == 0),
                    UnOp::Bool => i32::from(*top != 0),
                };
            }
            Op::Binary(op) => {
                let w = pop!();
                let v = scratch.stack[sp - 1];
                check(model, op, w, pc)?;
                scratch.stack[sp - 1] = total(op, v, w);
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
            Op::Return => break,
            Op::SelfPid => push!(i32::from(who.pid.0)),
            Op::Other => {
                scratch.sp = sp;
                match other(model, scratch, mem, who, model.program.instrs[pc])? {
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

/// The offset in the state of an address in a region.
fn address(model: &Model, bytes: &[u8], who: Who, region: Region, at: i32) -> usize {
    at as usize
        + match region {
            Region::Global => model.layout.globals,
            Region::Hidden => bytes.len() - model.layout.hidden,
            Region::Local => who.locals,
        }
}

#[cold]
fn index_fault(model: &Model, pc: usize, index: i32) -> Fault {
    match model.program.instrs[pc] {
        Instr::Index { len, span, .. } => fault(FaultKind::IndexOutOfRange { index, len }, span),
        _ => fault(FaultKind::IndexOutOfRange { index, len: 0 }, Span::NONE),
    }
}

/// Whether the operator has a result for this right operand.
fn check(model: &Model, op: BinOp, w: i32, pc: usize) -> Result<(), Fault> {
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

impl Scratch {
    fn push(&mut self, value: i32) {
        self.stack[self.sp] = value;
        self.sp += 1;
    }

    fn pop(&mut self) -> i32 {
        self.sp -= 1;
        self.stack[self.sp]
    }
}

/// The instructions that are not in the inner loop.
fn other<M: Memory>(
    model: &Model,
    scratch: &mut Scratch,
    mem: &mut M,
    who: Who,
    instr: Instr,
) -> Result<Flow, Fault> {
    let layout = &model.layout;
    let value = match instr {
        Instr::NrProcesses => scratch.tables.nr_processes() as i32,
        Instr::Last => layout.last(mem.bytes()),
        Instr::Timeout => i32::from(scratch.timeout),
        Instr::NonProgress => i32::from(!enabled::progress(model, scratch, mem.bytes())),
        Instr::Enabled => {
            let pid = scratch.pop();
            let enabled = match scratch.tables.find(pid) {
                Some((pid, _)) if scratch.nesting < MAX_NESTING => {
                    scratch.nesting += 1;
                    let enabled = enabled::enabled(model, scratch, mem.bytes(), pid);
                    scratch.nesting -= 1;
                    enabled?
                }
                _ => false,
            };
            i32::from(enabled)
        }
        Instr::PcValue(_) => {
            let pid = scratch.pop();
            scratch.tables.find(pid).map_or(0, |(_, process)| {
                let graph = &model.program.proctypes[process.proctype.index()].graph;
                let loc = layout.location(mem.bytes(), process);
                graph.locations[loc.index()].number as i32
            })
        }
        Instr::GetPriority(_) => {
            let pid = scratch.pop();
            scratch.tables.find(pid).map_or(0, |(_, process)| {
                i32::from(layout.priority(mem.bytes(), process))
            })
        }
        Instr::OwnPriority => {
            let process = scratch.tables.process(who.pid);
            i32::from(layout.priority(mem.bytes(), process))
        }
        Instr::Query(query, span) => {
            let id = scratch.pop();
            let Some(channel) = scratch.tables.channel(id) else {
                return Err(channel::bad_channel(id, span));
            };
            channel::query(layout, mem.bytes(), channel, query)
        }
        Instr::Poll(recv) => {
            let span = model.program.recvs[recv.index()].span;
            let channel = channel::of_recv(model, scratch, mem.bytes(), who, recv)?;
            if layout.templates[channel.template as usize].is_rendezvous() {
                return Err(fault(FaultKind::PolledRendezvous, span));
            }
            let found = channel::find(model, scratch, mem.bytes(), who, recv, channel)?;
            i32::from(found.is_some())
        }
        Instr::RemoteAt { proctype, set, .. } => {
            let pid = scratch.pop();
            let at = scratch.tables.find(pid).is_some_and(|(_, process)| {
                process.proctype == proctype
                    && model.program.label_sets[set as usize]
                        .contains(&layout.location(mem.bytes(), process))
            });
            i32::from(at)
        }
        Instr::AnywhereAt(set) => {
            let set = &model.program.anywhere_sets[set as usize];
            let at = scratch.tables.live().iter().any(|&process| {
                set.contains(&(process.proctype, layout.location(mem.bytes(), process)))
            });
            i32::from(at)
        }
        Instr::RemoteLoad {
            proctype,
            offset,
            ty,
            span,
        } => {
            let pid = scratch.pop();
            remote(scratch, pid, proctype, span)?.map_or(0, |locals| {
                read(mem.bytes(), locals + offset as usize, Width::of(ty))
            })
        }
        Instr::RemoteLoadAt { proctype, ty, span } => {
            let at = scratch.pop();
            let pid = scratch.pop();
            remote(scratch, pid, proctype, span)?.map_or(0, |locals| {
                read(mem.bytes(), locals + at as usize, Width::of(ty))
            })
        }
        Instr::PidOf(proctype) => scratch
            .tables
            .live()
            .iter()
            .position(|process| process.proctype == proctype)
            .map_or(-1, |pid| pid as i32),
        Instr::NotExecutable => return Ok(Flow::End(End::NotExecutable)),
        Instr::Blocked(span) => return Err(fault(FaultKind::BlockedInDStep, span)),
        Instr::SendOr(send, to) => {
            let channel = channel::of_send(model, scratch, mem.bytes(), who, send)?;
            let template = &layout.templates[channel.template as usize];
            if template.is_rendezvous() {
                let span = model.program.sends[send.index()].span;
                return Err(fault(FaultKind::RendezvousInDStep, span));
            }
            if channel::len(layout, mem.bytes(), channel) == template.capacity {
                return Ok(Flow::Jump(to));
            }
            if !M::WRITABLE {
                return Ok(Flow::End(End::Effect));
            }
            channel::compose(model, scratch, mem.bytes(), who, send, channel)?;
            let sorted = model.sends[send.index()].sorted;
            channel::send(layout, mem.vec(), channel, &scratch.message, sorted);
            trace::sent(model, scratch, mem.vec())?;
            return Ok(Flow::Next);
        }
        Instr::RecvOr(recv, to) => {
            let channel = channel::of_recv(model, scratch, mem.bytes(), who, recv)?;
            if layout.templates[channel.template as usize].is_rendezvous() {
                if !channel::takes_offer(model, scratch, mem.bytes(), who, recv, channel)? {
                    return Ok(Flow::Jump(to));
                }
                scratch.message.open = false;
                if !M::WRITABLE {
                    return Ok(Flow::End(End::Effect));
                }
                channel::bind(model, scratch, mem.vec(), who, recv)?;
                trace::received(model, scratch, mem.vec())?;
                return Ok(Flow::Next);
            }
            let slot = match scratch.message.open {
                true => None,
                false => channel::find(model, scratch, mem.bytes(), who, recv, channel)?,
            };
            let Some(slot) = slot else {
                return Ok(Flow::Jump(to));
            };
            if !M::WRITABLE {
                return Ok(Flow::End(End::Effect));
            }
            channel::receive(model, scratch, mem.vec(), who, recv, channel, slot)?;
            return Ok(Flow::Next);
        }
        _ if !M::WRITABLE => return Ok(Flow::End(End::Effect)),
        Instr::NewChan(_) => {
            scratch.channels += 1;
            scratch.channels as i32
        }
        Instr::Run {
            proctype,
            args,
            priority,
            span,
        } => {
            let first = scratch.sp - usize::from(args);
            let pid = start(model, scratch, mem.vec(), proctype, first, priority, span)?;
            scratch.sp = first;
            i32::from(pid.0)
        }
        Instr::SetPriority(span) => {
            let priority = scratch.pop();
            let pid = scratch.pop();
            if !(1..=255).contains(&priority) {
                return Err(fault(FaultKind::BadPriority { priority }, span));
            }
            if let Some((_, process)) = scratch.tables.find(pid) {
                layout.set_priority(mem.vec(), process, priority as u8);
            }
            return Ok(Flow::Next);
        }
        Instr::Assert(span) => {
            if scratch.pop() == 0 {
                scratch.violate(FaultKind::Assertion, span);
            }
            return Ok(Flow::Next);
        }
        Instr::Print { format, args } => {
            let first = scratch.sp - usize::from(args);
            let Scratch {
                output, stack, sp, ..
            } = scratch;
            output.print(&model.program, format, &stack[first..*sp]);
            scratch.sp = first;
            return Ok(Flow::Next);
        }
        Instr::PrintMtype(set) => {
            let value = scratch.pop();
            scratch
                .output
                .print_mtype(&model.program, set as usize, value);
            return Ok(Flow::Next);
        }
        // The rest is in the inner loop.
        _ => return Ok(Flow::Next),
    };
    scratch.push(value);
    Ok(Flow::Next)
}

/// Where the locals of process `pid` start; `None` if there is no such process, as in a formula that speaks of one
/// before it exists.
fn remote(
    scratch: &Scratch,
    pid: i32,
    proctype: ProctypeId,
    span: Span,
) -> Result<Option<usize>, Fault> {
    match scratch.tables.find(pid) {
        Some((_, process)) if process.proctype == proctype => Ok(Some(process.locals)),
        Some(_) => Err(fault(FaultKind::BadPid { pid }, span)),
        None => Ok(None),
    }
}

/// Starts a process whose arguments are on the stack from `first` on.
fn start(
    model: &Model,
    scratch: &mut Scratch,
    state: &mut Vec<u8>,
    proctype: ProctypeId,
    first: usize,
    priority: u8,
    span: Span,
) -> Result<Pid, Fault> {
    let layout = &model.layout;
    let kind = &model.program.proctypes[proctype.index()];
    let pid = scratch.tables.grow(layout, state, proctype, span)?;
    let process = scratch.tables.process(pid);
    for (i, cell) in kind.parameters.iter().enumerate() {
        if first + i < scratch.sp {
            let value = (scratch.stack[first + i] as u32 & mask(cell.ty)) as i32;
            let at = process.locals + cell.offset as usize;
            write(state, at, Width::of(cell.ty), value);
        }
    }
    let priority = if priority == 0 {
        kind.priority.max(1)
    } else {
        priority
    };
    layout.set_priority(state, process, priority);
    layout.set_location(state, process, kind.graph.start);
    let who = Who {
        pid,
        locals: process.locals,
    };
    initialise(
        model,
        scratch,
        state,
        who,
        kind.init,
        scratch.tables.channels_before_youngest(layout),
    )?;
    Ok(pid)
}

/// Starts a process without arguments.
pub(super) fn start_active(
    model: &Model,
    scratch: &mut Scratch,
    state: &mut Vec<u8>,
    proctype: ProctypeId,
    span: Span,
) -> Result<Pid, Fault> {
    let first = scratch.sp;
    start(model, scratch, state, proctype, first, 0, span)
}

/// Runs initialising code that makes the channels after the first `channels`.
pub(super) fn initialise(
    model: &Model,
    scratch: &mut Scratch,
    state: &mut Vec<u8>,
    who: Who,
    init: Code,
    channels: usize,
) -> Result<(), Fault> {
    scratch.channels = channels;
    run(model, scratch, state, who, init)?;
    Ok(())
}

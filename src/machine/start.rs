//! New processes, and the initialising code that makes their channels.

use super::compiled::CompiledModel;
use super::interpret::run;
use super::memory::{Width, mask, write};
use super::scratch::{Scratch, Who};
use super::{Fallible, Pid};
use promela_lite::code::Code;
use promela_lite::program::ProctypeId;
use promela_lite::source::Span;

/// Starts a process whose arguments are on the stack from `first` on.
pub(super) fn start(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &mut Vec<u8>,
    proctype: ProctypeId,
    first: usize,
    priority: u8,
    span: Span,
) -> Fallible<Pid> {
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
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &mut Vec<u8>,
    proctype: ProctypeId,
    span: Span,
) -> Fallible<Pid> {
    let first = scratch.sp;
    start(model, scratch, state, proctype, first, 0, span)
}

/// Runs initialising code that makes the channels after the first `channels`.
pub(super) fn initialise(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &mut Vec<u8>,
    who: Who,
    init: Code,
    channels: usize,
) -> Fallible<()> {
    scratch.channels = channels;
    run(model, scratch, state, who, init)?;
    Ok(())
}

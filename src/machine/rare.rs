//! The instructions outside of the interpreter's inner loop: processes, channels, remote references, output.
//!
//! On a state that may not be changed they stop before their first effect, as [`super::interpret`] explains.

use super::channel;
use super::compiled::CompiledModel;
use super::interpret::{End, Memory};
use super::memory::{Width, read};
use super::scratch::{MAX_NESTING, Scratch, Who};
use super::start::start;
use super::{Fallible, FaultKind, enabled, exclusive, fault, trace};
use promela_lite::code::Instr;
use promela_lite::program::ProctypeId;
use promela_lite::source::Span;

/// Where to go on after an instruction.
pub(super) enum Flow {
    Next,
    Jump(u32),
    End(End),
}

/// The instructions that are not in the inner loop.
pub(super) fn execute<M: Memory>(
    model: &CompiledModel,
    scratch: &mut Scratch,
    mem: &mut M,
    who: Who,
    instr: Instr,
) -> Fallible<Flow> {
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
            scratch.touch(channel);
            channel::query(mem.bytes(), channel, query)
        }
        Instr::Poll(recv) => {
            let span = model.program.recvs[recv.index()].span;
            let channel = channel::of_recv(model, scratch, mem.bytes(), who, recv)?;
            if channel.is_rendezvous() {
                return Err(fault(FaultKind::PolledRendezvous, span));
            }
            if model.recvs[recv.index()].asks_first() {
                channel::ask(model, scratch, mem.bytes(), who, recv)?;
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
        Instr::CallTooDeep { depth, span } => {
            return Err(fault(FaultKind::CallTooDeep { depth }, span));
        }
        Instr::SendOr(send, to) => {
            let channel = channel::of_send(model, scratch, mem.bytes(), who, send)?;
            if channel.is_rendezvous() {
                let span = model.program.sends[send.index()].span;
                return Err(fault(FaultKind::RendezvousInDStep, span));
            }
            if channel::len(mem.bytes(), channel) == channel.capacity {
                return Ok(Flow::Jump(to));
            }
            if !M::WRITABLE {
                return Ok(Flow::End(End::Effect));
            }
            let through = (send, channel.id);
            exclusive::may_send(model, scratch, mem.bytes(), who.pid, through)?;
            channel::compose(model, scratch, mem.bytes(), who, send, channel)?;
            let sorted = model.sends[send.index()].sorted;
            channel::send(layout, mem.vec(), channel, &scratch.message, sorted);
            trace::sent(model, scratch, mem.vec())?;
            return Ok(Flow::Next);
        }
        Instr::RecvOr(recv, to) => {
            scratch.receiving = true;
            let channel = channel::of_recv(model, scratch, mem.bytes(), who, recv)?;
            if channel.is_rendezvous() {
                if !channel::takes_offer(model, scratch, mem.bytes(), who, recv, channel)? {
                    scratch.receiving = false;
                    return Ok(Flow::Jump(to));
                }
                scratch.message.open = false;
                if !M::WRITABLE {
                    return Ok(Flow::End(End::Effect));
                }
                let through = (recv, channel.id);
                exclusive::may_receive(model, scratch, mem.bytes(), who.pid, through)?;
                channel::bind(model, scratch, mem.vec(), who, recv)?;
                trace::received(model, scratch, mem.vec())?;
                return Ok(Flow::Next);
            }
            let slot = match scratch.message.open {
                true => None,
                false => channel::find(model, scratch, mem.bytes(), who, recv, channel)?,
            };
            let Some(slot) = slot else {
                scratch.receiving = false;
                return Ok(Flow::Jump(to));
            };
            if !M::WRITABLE {
                return Ok(Flow::End(End::Effect));
            }
            let through = (recv, channel.id);
            exclusive::may_receive(model, scratch, mem.bytes(), who.pid, through)?;
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
            if let Some((_, process)) = scratch.tables.find(pid) {
                if !(1..=255).contains(&priority) {
                    return Err(fault(FaultKind::BadPriority { priority }, span));
                }
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
) -> Fallible<Option<usize>> {
    match scratch.tables.find(pid) {
        Some((_, process)) if process.proctype == proctype => Ok(Some(process.locals)),
        Some(_) => Err(fault(FaultKind::BadPid { pid }, span)),
        None => Ok(None),
    }
}

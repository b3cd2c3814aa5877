//! Making a move.
//!
//! A step acts, then its process stands at the target. In a rendezvous the sender acts and stands at its target
//! before the receiver acts, and control passes to the receiver: if the receive is inside `atomic` the receiver has
//! control, if not nobody has, whatever the sender was inside of.

use super::compiled::{CompiledModel, EdgeKind, Target, Then};
use super::enabled::edge_of;
use super::interpret::{quick, run};
use super::memory::write;
use super::ops::{Quick, Slot};
use super::scratch::{Scratch, Who};
use super::{Fallible, FaultKind, Move, Pid, Step, channel, direct, exclusive, trace, tree};
use promela_lite::program::{EdgeId, RecvId, SendId};

/// Puts the successor of `state` into `next`. A violation is left in the scratch space; an error ends the step.
#[inline]
pub(super) fn apply(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    mv: Move,
    timeout: bool,
    next: &mut Vec<u8>,
) -> Fallible<Step> {
    let layout = &model.layout;
    next.clear();
    next.extend_from_slice(state);
    scratch.tables.follow(layout, state);
    scratch.timeout = timeout;
    scratch.violation = None;
    scratch.message.open = false;
    let process = scratch.tables.process(mv.pid);
    let edge = edge_of(model, process, mv.edge);
    let who = Who {
        pid: mv.pid,
        locals: process.locals,
    };
    match edge.kind {
        EdgeKind::Skip | EdgeKind::Else | EdgeKind::Guard(_) => {}
        EdgeKind::Assign(slot, mask, ref value) => {
            assign(model, scratch, next, who, (slot, mask, value))?;
        }
        EdgeKind::Send(send) => {
            let meets = mv.partner.is_some();
            deliver(model, scratch, (state, next), who, send, meets)?;
        }
        EdgeKind::Recv(recv) => take(model, scratch, (state, next), who, recv)?,
        EdgeKind::End => {
            layout.set_last(next, mv.pid);
            scratch.tables.shrink(layout, next);
            return Ok(Step { control: None });
        }
        ref effect => perform(model, scratch, next, who, effect)?,
    }
    go_on(model, scratch, next, who, edge.then)?;
    layout.set_location(next, process, edge.to);
    match mv.partner {
        Some((pid, edge)) => answer(model, scratch, next, pid, edge),
        None => {
            layout.set_last(next, mv.pid);
            Ok(Step {
                control: edge.atomic.then_some(mv.pid),
            })
        }
    }
}

/// A send, which in a rendezvous leaves the message to the receiver.
// By itself, as are the other longer ways to act: else what is short suffers from sharing registers with them.
#[inline(never)]
fn deliver(
    model: &CompiledModel,
    scratch: &mut Scratch,
    (state, next): (&[u8], &mut [u8]),
    who: Who,
    send: SendId,
    meets: bool,
) -> Fallible<()> {
    let channel = channel::of_send(model, scratch, state, who, send)?;
    exclusive::may_send(model, scratch, state, who.pid, (send, channel.id))?;
    let sorted = model.sends[send.index()].sorted;
    if model.direct && !meets && !sorted {
        return direct::send(model, scratch, (state, next), who, send, channel);
    }
    channel::compose(model, scratch, state, who, send, channel)?;
    if meets {
        scratch.message.open = true;
    } else {
        channel::send(&model.layout, next, channel, &scratch.message, sorted);
    }
    trace::sent(model, scratch, next)
}

/// A receive from a buffered channel.
#[inline(never)]
fn take(
    model: &CompiledModel,
    scratch: &mut Scratch,
    (state, next): (&[u8], &mut [u8]),
    who: Who,
    recv: RecvId,
) -> Fallible<()> {
    let channel = channel::of_recv(model, scratch, state, who, recv)?;
    exclusive::may_receive(model, scratch, state, who.pid, (recv, channel.id))?;
    if model.direct {
        return direct::receive(model, scratch, (state, next), who, recv, channel);
    }
    match channel::find(model, scratch, state, who, recv, channel)? {
        Some(slot) => channel::receive(model, scratch, next, who, recv, channel, slot),
        None => {
            debug_assert!(false, "the move is executable");
            Ok(())
        }
    }
}

/// An assignment to a variable.
#[inline(always)]
fn assign(
    model: &CompiledModel,
    scratch: &mut Scratch,
    next: &mut [u8],
    who: Who,
    (slot, mask, value): (Slot, u32, &Quick),
) -> Fallible<()> {
    let value = quick(model, scratch, next, who, value)?;
    let at = slot.address(who.locals, next.len());
    write(next, at, slot.width, (value as u32 & mask) as i32);
    Ok(())
}

/// An effect on variables and processes.
#[inline(never)]
fn perform(
    model: &CompiledModel,
    scratch: &mut Scratch,
    next: &mut Vec<u8>,
    who: Who,
    effect: &EdgeKind,
) -> Fallible<()> {
    match *effect {
        EdgeKind::Assign(slot, mask, ref value) => {
            assign(model, scratch, next, who, (slot, mask, value))?;
        }
        EdgeKind::AssignAt(ref store) => {
            let (at, width) = match store.to {
                Target::Element(index) => {
                    let element = &model.trees.elements[index as usize];
                    (element.address(model, next, who)?, element.base.width)
                }
                Target::Computed(address, region, width) => {
                    let offset = tree::value(model, scratch, next, who, address)? as usize;
                    (
                        offset + model.layout.base(next.len(), who.locals, region),
                        width,
                    )
                }
            };
            let value = quick(model, scratch, next, who, &store.value)?;
            write(next, at, width, (value as u32 & store.mask) as i32);
        }
        EdgeKind::Assert(ref condition, span) => {
            if quick(model, scratch, next, who, condition)? == 0 {
                scratch.violate(FaultKind::Assertion, span);
            }
        }
        EdgeKind::Run(code) | EdgeKind::Effect(code) | EdgeKind::DStep(code) => {
            run(model, scratch, next, who, code)?;
        }
        EdgeKind::Skip
        | EdgeKind::Guard(_)
        | EdgeKind::Else
        | EdgeKind::Send(_)
        | EdgeKind::Recv(_)
        | EdgeKind::End => {
            debug_assert!(false, "no effect of its own")
        }
    }
    Ok(())
}

/// What a step does after its action.
#[inline(always)]
fn go_on(
    model: &CompiledModel,
    scratch: &mut Scratch,
    next: &mut Vec<u8>,
    who: Who,
    then: Then,
) -> Fallible<()> {
    match then {
        Then::Nothing => Ok(()),
        Then::Effects(first, end) => model.effects[first as usize..end as usize]
            .iter()
            .try_for_each(|effect| perform(model, scratch, next, who, effect)),
        Then::Code(code) => run(model, scratch, next, who, code).map(drop),
    }
}

/// The receiver's half of a rendezvous.
#[inline(never)]
fn answer(
    model: &CompiledModel,
    scratch: &mut Scratch,
    next: &mut Vec<u8>,
    pid: Pid,
    edge: EdgeId,
) -> Fallible<Step> {
    let process = scratch.tables.process(pid);
    let edge = edge_of(model, process, edge);
    let who = Who {
        pid,
        locals: process.locals,
    };
    match edge.kind {
        EdgeKind::Recv(recv) => {
            scratch.message.open = false;
            let channel = scratch.message.channel;
            exclusive::may_receive(model, scratch, next, pid, (recv, channel))?;
            channel::bind(model, scratch, next, who, recv)?;
            trace::received(model, scratch, next)?;
        }
        EdgeKind::DStep(code) => {
            run(model, scratch, next, who, code)?;
        }
        _ => debug_assert!(false, "only receives answer"),
    }
    go_on(model, scratch, next, who, edge.then)?;
    model.layout.set_location(next, process, edge.to);
    model.layout.set_last(next, pid);
    Ok(Step {
        control: edge.atomic.then_some(pid),
    })
}

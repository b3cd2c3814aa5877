//! Messages of buffered channels without a detour.
//!
//! [`super::channel`] lets a message wait between its evaluation and its delivery, as a rendezvous and a `trace` need it.
//! Where nothing else looks at it on the way, its fields go straight from the sender's expressions into the channel, and
//! from the channel into the receiver's variables.

use super::Fallible;
use super::channel;
use super::compiled::{Argument, CompiledModel};
use super::interpret::{eval, quick};
use super::memory::{Width, mask, read, write};
use super::scratch::{Scratch, Who};
use super::tables::Channel;
use promela_lite::program::{RecvId, SendId};

/// Sends to the end of a channel that is not full in `state`; `next` is what becomes of it.
#[inline]
pub(super) fn send(
    model: &CompiledModel,
    scratch: &mut Scratch,
    (state, next): (&[u8], &mut [u8]),
    who: Who,
    send: SendId,
    channel: Channel,
) -> Fallible<()> {
    channel::check_send(model, send, channel)?;
    let template = &model.layout.templates[channel.template as usize];
    let len = channel::len(state, channel);
    let at = channel::slot_at(template, channel, len);
    for (arg, field) in model.sends[send.index()].args.iter().zip(&template.fields) {
        let value = quick(model, scratch, state, who, arg)?;
        let value = (value as u32 & field.mask) as i32;
        write(next, at + field.offset as usize, field.width, value);
    }
    channel::set_len(next, channel, len + 1);
    Ok(())
}

/// Receives from a channel of `state`, where the receive is executable; `next` is what becomes of it.
#[inline]
pub(super) fn receive(
    model: &CompiledModel,
    scratch: &mut Scratch,
    (state, next): (&[u8], &mut [u8]),
    who: Who,
    recv: RecvId,
    channel: Channel,
) -> Fallible<()> {
    let op = &model.recvs[recv.index()];
    let template = &model.layout.templates[channel.template as usize];
    let slot = match op.random {
        true => channel::find(model, scratch, state, who, recv, channel)?.unwrap_or(0),
        false => 0,
    };
    let at = channel::slot_at(template, channel, slot);
    for (arg, field) in op.args.iter().zip(&template.fields) {
        let value = |state| read(state, at + field.offset as usize, field.width);
        match *arg {
            Argument::Ignore | Argument::Match(_) => {}
            Argument::Bind(slot, mask) => {
                let to = slot.address(who.locals, next.len());
                write(next, to, slot.width, (value(state) as u32 & mask) as i32);
            }
            Argument::BindAt(code, region, ty) => {
                let offset = eval(model, scratch, next, who, code)? as usize;
                let to = model.layout.base(next.len(), who.locals, region) + offset;
                let value = (value(state) as u32 & mask(ty)) as i32;
                write(next, to, Width::of(ty), value);
            }
        }
    }
    if !op.peek {
        remove(state, next, channel, template.slot as usize, at);
    }
    Ok(())
}

/// Takes the message at `at` out; the slot that becomes free is zero again.
#[inline]
fn remove(state: &[u8], next: &mut [u8], channel: Channel, size: usize, at: usize) {
    let len = channel::len(state, channel);
    debug_assert!(len > 0, "the move is executable");
    if len == 0 {
        return;
    }
    let end = channel.at + channel.len.bytes() + len as usize * size;
    let last = end - size;
    if at < last {
        next[at..last].copy_from_slice(&state[at + size..end]);
    }
    next[last..end].fill(0);
    channel::set_len(next, channel, len - 1);
}

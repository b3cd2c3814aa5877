//! Channels: what is in them, whether a message matches, sending, receiving.
//!
//! A message waits in [`Message`] between the evaluation of its fields and its delivery. For a buffered channel
//! both happen at once; for a rendezvous the message is an *open offer*, which exactly one receive takes.

use super::compiled::{Argument, Chan, CompiledModel};
use super::interpret::{eval, quick};
use super::layout::{Layout, Template};
use super::memory::{Width, mask, read, write};
use super::scratch::{Scratch, Who};
use super::tables::Channel;
use super::{Fallible, Fault, FaultKind, fault, trace};
use promela_lite::code::ChanQuery;
use promela_lite::program::{RecvId, SendId};
use promela_lite::source::Span;
use std::cmp::Ordering;

/// A message on its way.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    /// The channel it goes through.
    pub(super) channel: u16,
    /// Its fields, cut to their types.
    pub(super) fields: Vec<i32>,
    /// Whether it waits for the receiver of a rendezvous.
    pub(super) open: bool,
}

/// The channel that a send goes to.
#[inline]
pub(super) fn of_send(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    send: SendId,
) -> Fallible<Channel> {
    let id = match model.sends[send.index()].chan {
        Chan::Fixed(channel) => {
            scratch.touch(channel);
            return Ok(channel);
        }
        Chan::Named(ref name) => quick(model, scratch, state, who, name)?,
    };
    match scratch.tables.channel(id) {
        Some(channel) => {
            scratch.touch(channel);
            Ok(channel)
        }
        None => Err(bad_channel(id, model.program.sends[send.index()].span)),
    }
}

/// The channel that a receive looks at.
#[inline]
pub(super) fn of_recv(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
) -> Fallible<Channel> {
    let id = match model.recvs[recv.index()].chan {
        Chan::Fixed(channel) => {
            scratch.touch(channel);
            return Ok(channel);
        }
        Chan::Named(ref name) => quick(model, scratch, state, who, name)?,
    };
    match scratch.tables.channel(id) {
        Some(channel) => {
            scratch.touch(channel);
            Ok(channel)
        }
        None => Err(bad_channel(id, model.program.recvs[recv.index()].span)),
    }
}

/// What is wrong with a channel identity that names none.
#[cold]
pub(super) fn bad_channel(id: i32, span: Span) -> Box<Fault> {
    let kind = match id {
        0 => FaultKind::UninitialisedChannel,
        id => FaultKind::BadChannel { id },
    };
    fault(kind, span)
}

/// Number of messages in a channel.
#[inline(always)]
pub(super) fn len(state: &[u8], channel: Channel) -> u32 {
    match channel.is_rendezvous() {
        true => 0,
        false => read(state, channel.at, channel.len) as u32,
    }
}

#[inline(always)]
pub(super) fn set_len(state: &mut [u8], channel: Channel, len: u32) {
    write(state, channel.at, channel.len, len as i32);
}

/// Offset of a message in the state.
#[inline(always)]
pub(super) fn slot_at(template: &Template, channel: Channel, slot: u32) -> usize {
    channel.at + channel.len.bytes() + slot as usize * template.slot as usize
}

/// A field of a message in a channel.
pub(super) fn field(
    layout: &Layout,
    state: &[u8],
    channel: Channel,
    slot: u32,
    index: usize,
) -> i32 {
    let template = &layout.templates[channel.template as usize];
    let field = &template.fields[index];
    let at = slot_at(template, channel, slot) + field.offset as usize;
    read(state, at, field.width)
}

/// Answers a question about a channel. A rendezvous channel is always empty and never full.
pub(super) fn query(state: &[u8], channel: Channel, query: ChanQuery) -> i32 {
    let len = len(state, channel);
    let capacity = channel.capacity.max(1);
    match query {
        ChanQuery::Len => len as i32,
        ChanQuery::Empty => i32::from(len == 0),
        ChanQuery::Nempty => i32::from(len != 0),
        ChanQuery::Full => i32::from(len == capacity),
        ChanQuery::Nfull => i32::from(len != capacity),
    }
}

/// Evaluates the fields of a message into [`Scratch::message`].
pub(super) fn compose(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    send: SendId,
    channel: Channel,
) -> Fallible<()> {
    check_send(model, send, channel)?;
    let op = &model.sends[send.index()];
    let fields = &model.layout.templates[channel.template as usize].fields;
    scratch.message.channel = channel.id;
    scratch.message.open = false;
    scratch.message.fields.clear();
    for (arg, field) in op.args.iter().zip(fields) {
        let value = quick(model, scratch, state, who, arg)?;
        scratch.message.fields.push(field.ty.truncate(value));
    }
    Ok(())
}

/// Puts a message into a channel that is not full; a sorted send puts it behind all that are not greater.
pub(super) fn send(
    layout: &Layout,
    state: &mut [u8],
    channel: Channel,
    message: &Message,
    sorted: bool,
) {
    let template = &layout.templates[channel.template as usize];
    let len = len(state, channel);
    let slot = if sorted {
        (0..len)
            .find(|&slot| {
                let there = (0..template.fields.len())
                    .map(|index| field(layout, state, channel, slot, index));
                message.fields.iter().copied().lt(there)
            })
            .unwrap_or(len)
    } else {
        len
    };
    let at = slot_at(template, channel, slot);
    let end = slot_at(template, channel, len);
    state.copy_within(at..end, at + template.slot as usize);
    for (field, &value) in template.fields.iter().zip(&message.fields) {
        write(
            state,
            at + field.offset as usize,
            field.width,
            (value as u32 & field.mask) as i32,
        );
    }
    set_len(state, channel, len + 1);
}

/// Takes a message out; the slot that becomes free is zero again.
fn remove(layout: &Layout, state: &mut [u8], channel: Channel, slot: u32) {
    let template = &layout.templates[channel.template as usize];
    let size = template.slot as usize;
    let len = len(state, channel);
    let at = slot_at(template, channel, slot);
    let end = slot_at(template, channel, len);
    state.copy_within(at + size..end, at);
    state[end - size..end].fill(0);
    set_len(state, channel, len - 1);
}

/// The slot of the message that a receive would take from a buffered channel, if there is one.
#[inline]
pub(super) fn find(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
    channel: Channel,
) -> Fallible<Option<u32>> {
    match len(state, channel) {
        0 => Ok(None),
        len => find_among(model, scratch, state, who, recv, channel, len),
    }
}

/// [`find`] in a channel that has `len` messages.
fn find_among(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
    channel: Channel,
    len: u32,
) -> Fallible<Option<u32>> {
    let op = &model.recvs[recv.index()];
    if op.asks_first() {
        ask(model, scratch, state, who, recv)?;
    }
    let template = &model.layout.templates[channel.template as usize];
    let candidates = if op.random { len } else { 1 };
    let fits = op.args.len() == template.fields.len();
    'slots: for slot in 0..candidates {
        let at = slot_at(template, channel, slot);
        for (index, value) in &op.wanted {
            let Some(field) = template.fields.get(*index as usize) else {
                return Err(misfit(model, recv, channel));
            };
            let want = quick(model, scratch, state, who, value)?;
            if read(state, at + field.offset as usize, field.width) != want {
                continue 'slots;
            }
        }
        if !fits {
            check_recv(model, recv, channel)?;
        }
        return Ok(Some(slot));
    }
    Ok(None)
}

/// Evaluates all that a receive which looks at every message (`??`) wants, as it does before it looks at any.
#[cold]
pub(super) fn ask(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
) -> Fallible<()> {
    for (_, value) in &model.recvs[recv.index()].wanted {
        quick(model, scratch, state, who, value)?;
    }
    Ok(())
}

/// Whether a message of a send has as many fields as those of a channel.
#[inline]
pub(super) fn check_send(model: &CompiledModel, send: SendId, channel: Channel) -> Fallible<()> {
    let expected = field_count(model, channel);
    match model.sends[send.index()].args.len() {
        found if found == expected => Ok(()),
        found => Err(shape(
            expected,
            found,
            model.program.sends[send.index()].span,
        )),
    }
}

/// Whether a receive may take, look at or ask for a message that has what it wants: see `SEMANTICS.md`, "Values".
#[inline]
fn check_recv(model: &CompiledModel, recv: RecvId, channel: Channel) -> Fallible<()> {
    let op = &model.recvs[recv.index()];
    let expected = field_count(model, channel);
    let fits = match op.args.len().cmp(&expected) {
        Ordering::Equal => true,
        Ordering::Less => op.poll || op.peek,
        Ordering::Greater => op.poll,
    };
    match fits {
        true => Ok(()),
        false => Err(misfit(model, recv, channel)),
    }
}

#[cold]
fn misfit(model: &CompiledModel, recv: RecvId, channel: Channel) -> Box<Fault> {
    shape(
        field_count(model, channel),
        model.recvs[recv.index()].args.len(),
        model.program.recvs[recv.index()].span,
    )
}

fn field_count(model: &CompiledModel, channel: Channel) -> usize {
    let template = &model.layout.templates[channel.template as usize];
    template.fields.len()
}

#[cold]
fn shape(expected: usize, found: usize, span: Span) -> Box<Fault> {
    let kind = FaultKind::MessageShape {
        expected: expected as u32,
        found: found as u32,
    };
    fault(kind, span)
}

/// Whether a receive of `who` takes the open offer in [`Scratch::message`].
pub(super) fn takes_offer(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
    channel: Channel,
) -> Fallible<bool> {
    let op = &model.recvs[recv.index()];
    if !scratch.message.open || scratch.message.channel != channel.id {
        return Ok(false);
    }
    if op.peek {
        let span = model.program.recvs[recv.index()].span;
        return Err(fault(FaultKind::PolledRendezvous, span));
    }
    if op.asks_first() {
        ask(model, scratch, state, who, recv)?;
    }
    for (index, value) in &op.wanted {
        let want = quick(model, scratch, state, who, value)?;
        match scratch.message.fields.get(*index as usize) {
            Some(&field) if field == want => {}
            Some(_) => return Ok(false),
            None => return Err(misfit(model, recv, channel)),
        }
    }
    check_recv(model, recv, channel)?;
    Ok(true)
}

/// Receives the message in `slot` of a buffered channel.
pub(super) fn receive(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &mut [u8],
    who: Who,
    recv: RecvId,
    channel: Channel,
    slot: u32,
) -> Fallible<()> {
    let layout = &model.layout;
    scratch.message.channel = channel.id;
    scratch.message.open = false;
    scratch.message.fields.clear();
    for index in 0..layout.templates[channel.template as usize].fields.len() {
        let value = field(layout, state, channel, slot, index);
        scratch.message.fields.push(value);
    }
    bind(model, scratch, state, who, recv)?;
    if model.recvs[recv.index()].peek {
        return Ok(());
    }
    remove(layout, state, channel, slot);
    trace::received(model, scratch, state)
}

/// Stores the fields of [`Scratch::message`] as a receive says, from left to right, so that an index further right
/// sees what was received further left.
pub(super) fn bind(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &mut [u8],
    who: Who,
    recv: RecvId,
) -> Fallible<()> {
    for (index, &arg) in model.recvs[recv.index()].args.iter().enumerate() {
        let value = scratch.message.fields[index];
        let (at, width, mask) = match arg {
            Argument::Ignore | Argument::Match(_) => continue,
            Argument::Bind(slot, mask) => (slot.address(who.locals, state.len()), slot.width, mask),
            Argument::BindAt(code, region, ty) => {
                let offset = eval(model, scratch, state, who, code)? as usize;
                let base = model.layout.base(state.len(), who.locals, region);
                (base + offset, Width::of(ty), mask(ty))
            }
        };
        write(state, at, width, (value as u32 & mask) as i32);
    }
    Ok(())
}

//! Channels: what is in them, whether a message matches, sending, receiving.
//!
//! A message waits in [`Message`] between the evaluation of its fields and its delivery. For a buffered channel
//! both happen in one breath; for a rendezvous the message is an *open offer*, which exactly one receive takes.

use super::interpret::{Scratch, Who, eval, fault, quick};
use super::layout::{Channel, Layout};
use super::memory::{Width, mask, read, write};
use super::model::{Argument, Model};
use super::{Fault, FaultKind, trace};
use promela_lite::code::{ChanQuery, Region};
use promela_lite::program::{RecvId, SendId};
use promela_lite::source::Span;

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
pub(super) fn of_send(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    send: SendId,
) -> Result<Channel, Fault> {
    let id = quick(model, scratch, state, who, model.sends[send.index()].chan)?;
    match scratch.tables.channel(id) {
        Some(channel) => Ok(channel),
        None => Err(bad_channel(id, model.program.sends[send.index()].span)),
    }
}

/// The channel that a receive looks at.
pub(super) fn of_recv(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
) -> Result<Channel, Fault> {
    let id = quick(model, scratch, state, who, model.recvs[recv.index()].chan)?;
    match scratch.tables.channel(id) {
        Some(channel) => Ok(channel),
        None => Err(bad_channel(id, model.program.recvs[recv.index()].span)),
    }
}

/// What is wrong with a channel identity that names none.
#[cold]
pub(super) fn bad_channel(id: i32, span: Span) -> Fault {
    let kind = match id {
        0 => FaultKind::UninitialisedChannel,
        id => FaultKind::BadChannel { id },
    };
    fault(kind, span)
}

/// Number of messages in a channel.
pub(super) fn len(layout: &Layout, state: &[u8], channel: Channel) -> u32 {
    let template = &layout.templates[channel.template as usize];
    match template.is_rendezvous() {
        true => 0,
        false => read(state, channel.at, template.len_width) as u32,
    }
}

fn set_len(layout: &Layout, state: &mut [u8], channel: Channel, len: u32) {
    let width = layout.templates[channel.template as usize].len_width;
    write(state, channel.at, width, len as i32);
}

/// Offset of a message in the state.
fn slot_at(layout: &Layout, channel: Channel, slot: u32) -> usize {
    let template = &layout.templates[channel.template as usize];
    channel.at + template.len_width.bytes() + slot as usize * template.slot as usize
}

/// A field of a message in a channel.
pub(super) fn field(
    layout: &Layout,
    state: &[u8],
    channel: Channel,
    slot: u32,
    index: usize,
) -> i32 {
    let field = layout.templates[channel.template as usize].fields[index];
    let at = slot_at(layout, channel, slot) + field.offset as usize;
    read(state, at, field.width)
}

/// Answers a question about a channel. A rendezvous channel is always empty and never full.
pub(super) fn query(layout: &Layout, state: &[u8], channel: Channel, query: ChanQuery) -> i32 {
    let len = len(layout, state, channel);
    let capacity = layout.templates[channel.template as usize].capacity.max(1);
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
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    send: SendId,
    channel: Channel,
) -> Result<(), Fault> {
    let op = &model.sends[send.index()];
    let fields = &model.layout.templates[channel.template as usize].fields;
    if op.args.len() != fields.len() {
        let kind = FaultKind::MessageShape {
            expected: fields.len() as u32,
            found: op.args.len() as u32,
        };
        return Err(fault(kind, model.program.sends[send.index()].span));
    }
    scratch.message.channel = channel.id;
    scratch.message.open = false;
    scratch.message.fields.clear();
    for (&arg, field) in op.args.iter().zip(fields) {
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
    let len = len(layout, state, channel);
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
    let at = slot_at(layout, channel, slot);
    let end = slot_at(layout, channel, len);
    state.copy_within(at..end, at + template.slot as usize);
    for (field, &value) in template.fields.iter().zip(&message.fields) {
        write(
            state,
            at + field.offset as usize,
            field.width,
            (value as u32 & field.mask) as i32,
        );
    }
    set_len(layout, state, channel, len + 1);
}

/// Takes a message out; the slot that becomes free is zero again.
fn remove(layout: &Layout, state: &mut [u8], channel: Channel, slot: u32) {
    let size = layout.templates[channel.template as usize].slot as usize;
    let len = len(layout, state, channel);
    let at = slot_at(layout, channel, slot);
    let end = slot_at(layout, channel, len);
    state.copy_within(at + size..end, at);
    state[end - size..end].fill(0);
    set_len(layout, state, channel, len - 1);
}

/// The slot of the message that a receive would take from a buffered channel, if there is one.
pub(super) fn find(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
    channel: Channel,
) -> Result<Option<u32>, Fault> {
    let layout = &model.layout;
    let op = &model.recvs[recv.index()];
    let len = len(layout, state, channel);
    if len == 0 {
        return Ok(None);
    }
    check_shape(model, recv, channel)?;
    let candidates = if op.random { len } else { 1 };
    'slots: for slot in 0..candidates {
        for (index, &arg) in op.args.iter().enumerate() {
            let want = match arg {
                Argument::Match(value) => quick(model, scratch, state, who, value)?,
                _ => continue,
            };
            if field(layout, state, channel, slot, index) != want {
                continue 'slots;
            }
        }
        return Ok(Some(slot));
    }
    Ok(None)
}

fn check_shape(model: &Model, recv: RecvId, channel: Channel) -> Result<(), Fault> {
    let op = &model.recvs[recv.index()];
    let expected = model.layout.templates[channel.template as usize]
        .fields
        .len();
    if op.args.len() == expected {
        return Ok(());
    }
    let kind = FaultKind::MessageShape {
        expected: expected as u32,
        found: op.args.len() as u32,
    };
    Err(fault(kind, model.program.recvs[recv.index()].span))
}

/// Whether a receive of `who` takes the open offer in [`Scratch::message`].
pub(super) fn takes_offer(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
    channel: Channel,
) -> Result<bool, Fault> {
    let op = &model.recvs[recv.index()];
    if !scratch.message.open || scratch.message.channel != channel.id {
        return Ok(false);
    }
    if op.peek {
        let span = model.program.recvs[recv.index()].span;
        return Err(fault(FaultKind::PolledRendezvous, span));
    }
    check_shape(model, recv, channel)?;
    for (index, &arg) in model.recvs[recv.index()].args.iter().enumerate() {
        let want = match arg {
            Argument::Match(value) => quick(model, scratch, state, who, value)?,
            _ => continue,
        };
        if scratch.message.fields[index] != want {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Receives the message in `slot` of a buffered channel.
pub(super) fn receive(
    model: &Model,
    scratch: &mut Scratch,
    state: &mut [u8],
    who: Who,
    recv: RecvId,
    channel: Channel,
    slot: u32,
) -> Result<(), Fault> {
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
    model: &Model,
    scratch: &mut Scratch,
    state: &mut [u8],
    who: Who,
    recv: RecvId,
) -> Result<(), Fault> {
    for (index, &arg) in model.recvs[recv.index()].args.iter().enumerate() {
        let value = scratch.message.fields[index];
        let (at, width, mask) = match arg {
            Argument::Ignore | Argument::Match(_) => continue,
            Argument::Bind(slot, mask) => (slot.address(who.locals, state.len()), slot.width, mask),
            Argument::BindAt(code, region, ty) => {
                let offset = eval(model, scratch, state, who, code)? as usize;
                let base = match region {
                    Region::Global => model.layout.globals,
                    Region::Hidden => state.len() - model.layout.hidden,
                    Region::Local => who.locals,
                };
                (base + offset, Width::of(ty), mask(ty))
            }
        };
        write(state, at, width, (value as u32 & mask) as i32);
    }
    Ok(())
}

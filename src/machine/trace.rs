//! `trace` and `notrace`: an automaton that watches sends and receives.
//!
//! Its location is part of the state. An event is looked at when the automaton names the channel in an event of the
//! same kind; then it must take the one edge that matches. A `trace` is violated when none does (also behind its
//! end); a `notrace` when its end is reached, and its first mismatch puts it to rest for good. Violations do not
//! keep a step from being completed: the automaton stays where it is and the search may go on.

use super::compiled::{Argument, CompiledModel};
use super::interpret::{eval, quick};
use super::scratch::{Scratch, Who};
use super::{Fallible, FaultKind};
use promela_lite::code::{Code, Instr};
use promela_lite::program::{Action, Loc, Trace};

#[derive(Copy, Clone, PartialEq, Eq)]
enum Event {
    Send,
    Recv,
}

/// [`Scratch::message`] was sent.
#[inline]
pub(super) fn sent(model: &CompiledModel, scratch: &mut Scratch, state: &mut [u8]) -> Fallible<()> {
    match model.program.trace {
        None => Ok(()),
        Some(_) => observe(model, scratch, state, Event::Send),
    }
}

/// [`Scratch::message`] was received.
#[inline]
pub(super) fn received(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &mut [u8],
) -> Fallible<()> {
    match model.program.trace {
        None => Ok(()),
        Some(_) => observe(model, scratch, state, Event::Recv),
    }
}

/// Whether the automaton is at its end.
pub(super) fn is_end(trace: &Trace, loc: Loc) -> bool {
    let location = &trace.graph.locations[loc.index()];
    trace.graph.edges[location.edges()]
        .iter()
        .all(|edge| edge.action == Action::End)
}

fn observe(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &mut [u8],
    event: Event,
) -> Fallible<()> {
    let (Some(trace), Some(loc)) = (&model.program.trace, model.layout.trace(state)) else {
        return Ok(());
    };
    let scope = match event {
        Event::Send => &model.scope.sends,
        Event::Recv => &model.scope.recvs,
    };
    let mut watched = false;
    for &code in scope {
        watched |= names_channel(model, scratch, state, code)?;
    }
    if !watched || (trace.negated && is_end(trace, loc)) {
        return Ok(());
    }
    let location = &trace.graph.locations[loc.index()];
    let mut target = None;
    for edge in &trace.graph.edges[location.edges()] {
        let matches = match edge.action {
            Action::Send(send) => {
                let op = &model.program.sends[send.index()];
                event == Event::Send
                    && names_channel(model, scratch, state, op.chan)?
                    && sent_fields_match(model, scratch, &op.args)
            }
            Action::Recv(recv) => {
                let op = &model.program.recvs[recv.index()];
                event == Event::Recv
                    && names_channel(model, scratch, state, op.chan)?
                    && fields_match(model, scratch, state, &model.recvs[recv.index()].args)?
            }
            Action::Else => target.is_none(),
            Action::End => false,
            _ => true,
        };
        if matches {
            if target.is_some() {
                scratch.violate(FaultKind::Nondeterminism, edge.span);
                break;
            }
            target = Some((edge.to, edge.span));
        }
    }
    match target {
        Some((to, span)) => {
            model.layout.set_trace(state, to);
            if trace.negated && is_end(trace, to) {
                scratch.violate(FaultKind::Trace, span);
            }
        }
        None if trace.negated => {
            let rest = trace.graph.locations.iter().position(|location| {
                trace.graph.edges[location.edges()]
                    .iter()
                    .all(|edge| edge.action == Action::End)
            });
            if let Some(rest) = rest {
                model.layout.set_trace(state, Loc(rest as u32));
            }
        }
        None => scratch.violate(FaultKind::Trace, location.span),
    }
    Ok(())
}

fn names_channel(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    code: Code,
) -> Fallible<bool> {
    let id = eval(model, scratch, state, Who::NOBODY, code)?;
    Ok(id == i32::from(scratch.message.channel))
}

/// In a trace, only constants constrain what is sent.
fn sent_fields_match(model: &CompiledModel, scratch: &Scratch, args: &[Code]) -> bool {
    let fields = &scratch.message.fields;
    args.iter()
        .zip(fields)
        .all(|(code, field)| match model.program.instrs[code.range()] {
            [Instr::Const(v)] => v == *field,
            _ => true,
        })
}

fn fields_match(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    args: &[Argument],
) -> Fallible<bool> {
    for (index, &arg) in args.iter().enumerate() {
        let want = match arg {
            Argument::Match(value) => quick(model, scratch, state, Who::NOBODY, &value)?,
            _ => continue,
        };
        if scratch.message.fields.get(index) != Some(&want) {
            return Ok(false);
        }
    }
    Ok(true)
}

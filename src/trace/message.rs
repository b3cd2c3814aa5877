//! Which messages a move sends and receives: what a message sequence chart is drawn from.
//!
//! Found by asking the machine in the state before the move, not by watching it, so that simulation costs the
//! machine nothing. What is sent inside a `d_step`, which is one move, is not seen.

use crate::machine::{ChannelView, Machine, Move, Pid};
use promela_lite::program::{Action, EdgeId, RecvArg, RecvOp, SendOp};
use std::sync::Arc;

/// Which way a message goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a process into a channel.
    Send,
    /// From a channel to a process.
    Receive,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whose.
    pub pid: Pid,
    /// Which way.
    pub direction: Direction,
    /// Identity of the channel.
    pub channel: u16,
    /// As a statement: `c!a,1` or `c?a,1`.
    pub text: String,
    /// The channel by the name it was made under, which is not always the one in the statement: `q[1]`.
    pub name: String,
    /// The fields: `a,1`.
    pub fields: String,
}

impl Message {
    /// As a statement with all values put in: `q[1]!a,1`.
    pub fn executed(&self) -> String {
        format!("{}{}{}", self.name, self.direction.sign(), self.fields)
    }
}

impl Direction {
    fn sign(self) -> char {
        match self {
            Direction::Send => '!',
            Direction::Receive => '?',
        }
    }
}

/// The messages of a move that was made in `before`.
pub fn messages(machine: &mut Machine, before: &[u8], mv: Move) -> Vec<Message> {
    let program = Arc::clone(machine.shared_program());
    let Some(action) = action(machine, before, mv.pid, mv.edge) else {
        return Vec::new();
    };
    match action {
        Action::Send(id) => {
            let op = &program.sends[id.index()];
            let Some((channel, fields)) = sent(machine, before, mv.pid, op) else {
                return Vec::new();
            };
            let send = (mv.pid, Direction::Send, op.chan_text.as_str());
            let mut ends = vec![send];
            if let Some((pid, edge)) = mv.partner
                && let Some(Action::Recv(id)) = self::action(machine, before, pid, edge)
            {
                let text = program.recvs[id.index()].chan_text.as_str();
                ends.push((pid, Direction::Receive, text));
            }
            let shown = |(pid, direction, written): (Pid, Direction, &str)| {
                message(pid, direction, written, &channel, &fields)
            };
            ends.into_iter().map(shown).collect()
        }
        Action::Recv(id) => {
            let op = &program.recvs[id.index()];
            let found = received(machine, before, mv.pid, op);
            let shown = |(channel, fields): ((u16, String), String)| {
                message(mv.pid, Direction::Receive, &op.chan_text, &channel, &fields)
            };
            found.map(shown).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn message(
    pid: Pid,
    direction: Direction,
    written: &str,
    channel: &(u16, String),
    fields: &str,
) -> Message {
    Message {
        pid,
        direction,
        channel: channel.0,
        text: format!("{written}{}{fields}", direction.sign()),
        name: channel.1.clone(),
        fields: fields.to_owned(),
    }
}

fn action(machine: &Machine, state: &[u8], pid: Pid, edge: EdgeId) -> Option<Action> {
    let proctype = machine.proctype_of(state, pid)?;
    let graph = &machine.program().proctypes[proctype.index()].graph;
    graph.edges.get(edge.index()).map(|e| e.action.clone())
}

fn with_channel<T>(
    machine: &Machine,
    state: &[u8],
    id: i32,
    look: impl FnOnce(ChannelView<'_>) -> Option<T>,
) -> Option<((u16, String), T)> {
    let view = machine.view(state);
    let channel = view.channels().find(|c| i32::from(c.id()) == id)?;
    let named = (channel.id(), view.channel_name(&channel));
    Some((named, look(channel)?))
}

/// The channel and the fields of what a send sends.
fn sent(
    machine: &mut Machine,
    state: &[u8],
    pid: Pid,
    op: &SendOp,
) -> Option<((u16, String), String)> {
    let id = machine.eval_for(state, pid, op.chan).ok()?;
    let mut values = Vec::new();
    for &code in &op.args {
        values.push(machine.eval_for(state, pid, code).ok()?);
    }
    with_channel(machine, state, id, |channel| {
        let types = channel.template().fields.iter();
        let fitted = values.iter().zip(types).map(|(&v, ty)| ty.truncate(v));
        Some(channel.fields(fitted))
    })
}

/// The channel and the fields of what a receive takes: the oldest message, or with `??` the oldest that matches.
fn received(
    machine: &mut Machine,
    state: &[u8],
    pid: Pid,
    op: &RecvOp,
) -> Option<((u16, String), String)> {
    let id = machine.eval_for(state, pid, op.chan).ok()?;
    let mut wanted = Vec::new();
    for arg in &op.args {
        wanted.push(match arg {
            RecvArg::Match(code) => Some(machine.eval_for(state, pid, *code).ok()?),
            _ => None,
        });
    }
    with_channel(machine, state, id, |channel| {
        let fits = |slot: &usize| {
            let pairs = channel.message(*slot).zip(&wanted);
            pairs.into_iter().all(|(v, w)| w.is_none_or(|w| w == v))
        };
        let slot = (0..channel.len()).find(fits)?;
        Some(channel.fields(channel.message(slot)))
    })
}

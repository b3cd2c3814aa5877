//! Who waits for a rendezvous.
//!
//! A rendezvous send is executable with each receive that takes its message. Asking all steps of all processes for every send
//! is quadratic, so the receives that are possible in a state are listed once, when the first send asks, with the channel
//! each waits for; a send then looks at those of its channel. The order is that of the exploration: youngest process first, its
//! edges in order.
//!
//! Receives whose channel is not known without a fault, or depends on the message on offer, and `d_step`s that may start
//! with a receive, are asked by each send anew.

use super::Pid;
use super::channel;
use super::model::{Chan, Kind, Model};
use super::ops::Quick;
use super::scratch::{Scratch, Who};
use promela_lite::program::{EdgeId, RecvId};

/// A step that may be the receiving half of a rendezvous.
#[derive(Copy, Clone, Debug)]
pub(super) struct Receiver {
    pub(super) pid: Pid,
    pub(super) edge: EdgeId,
    /// What it waits for; `None` if it has to be asked.
    pub(super) known: Option<(u16, RecvId)>,
}

/// All of them in the state at hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    receivers: Vec<Receiver>,
    listed: bool,
}

impl Waiting {
    /// The state is another one.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.listed = false;
    }

    /// The next receiver from number `from` on that a message through `channel` may be for, and its number.
    #[inline]
    pub(super) fn next(&self, from: usize, channel: u16) -> Option<(usize, Receiver)> {
        let may_take = |r: &&Receiver| r.known.is_none_or(|(id, _)| id == channel);
        let later = self.receivers.get(from..)?;
        let ahead = later.iter().position(|r| may_take(&r))?;
        Some((from + ahead, later[ahead]))
    }
}

/// Lists the receivers of a state, unless they are.
#[inline]
pub(super) fn prepare(model: &Model, scratch: &mut Scratch, state: &[u8]) {
    if !scratch.waiting.listed {
        list(model, scratch, state);
    }
}

fn list(model: &Model, scratch: &mut Scratch, state: &[u8]) {
    scratch.waiting.listed = true;
    scratch.waiting.receivers.clear();
    for pid in (0..scratch.tables.nr_processes()).rev() {
        let pid = Pid(pid as u16);
        let process = scratch.tables.process(pid);
        let loc = model.layout.location(state, process);
        let steps = &model.graphs[process.proctype.index()];
        if !steps.receives(loc) {
            continue;
        }
        let who = Who {
            pid,
            locals: process.locals,
        };
        let leaving = steps.at(loc);
        for (index, edge) in leaving.edges.iter().enumerate() {
            let known = match edge.kind {
                Kind::Recv(recv) => match model.recvs[recv.index()].chan {
                    Chan::Named(Quick::Code(_)) => None,
                    _ => match channel::of_recv(model, scratch, state, who, recv) {
                        Ok(channel) if !channel.is_rendezvous() => continue,
                        Ok(channel) => Some((channel.id, recv)),
                        Err(_) => None,
                    },
                },
                Kind::DStep(_) => None,
                _ => continue,
            };
            scratch.waiting.receivers.push(Receiver {
                pid,
                edge: EdgeId(leaving.first.0 + index as u32),
                known,
            });
        }
    }
}

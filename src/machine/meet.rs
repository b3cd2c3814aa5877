//! Who waits for a rendezvous.
//!
//! A rendezvous send is executable with each receive that takes its message. Asking all steps of all processes for every send
//! is quadratic, so the receives that are possible in a state are listed with the channel each waits for, process by
//! process, and a send then looks at those of its channel. The order is that of the exploration: youngest process first, its
//! edges in order.
//!
//! Receives whose channel is not known without a fault, or depends on the message on offer, and `d_step`s that may start
//! with a receive, are asked by each send anew.

use super::Pid;
use super::channel;
use super::compiled::{Chan, CompiledModel, EdgeKind};
use super::ops::Quick;
use super::scratch::{Scratch, Who};
use promela_lite::program::{EdgeId, RecvId};

/// A step that may be the receiving half of a rendezvous.
#[derive(Copy, Clone, Debug)]
pub(super) struct Receiver {
    pub(super) edge: EdgeId,
    /// What it waits for; `None` if it has to be asked.
    pub(super) known: Option<(u16, RecvId)>,
}

/// The channels with that identity, as a bit.
#[inline(always)]
pub(super) fn bit(channel: u16) -> u64 {
    1 << (channel % 64)
}

/// What a process waits for.
#[derive(Clone, Debug, Default)]
struct Process {
    receivers: Vec<Receiver>,
    /// The channels, as bits.
    channels: u64,
}

/// What all processes wait for in the state at hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    processes: Vec<Process>,
}

impl Waiting {
    /// The channels that a process waits for, as bits.
    #[inline(always)]
    pub(super) fn channels(&self, pid: usize) -> u64 {
        self.processes.get(pid).map_or(0, |p| p.channels)
    }

    /// A receiver of a process.
    pub(super) fn receiver(&self, pid: usize, number: usize) -> Option<Receiver> {
        self.processes[pid].receivers.get(number).copied()
    }
}

/// Lists what a process waits for.
pub(super) fn list(model: &CompiledModel, scratch: &mut Scratch, state: &[u8], pid: usize) {
    if scratch.waiting.processes.len() <= pid {
        scratch
            .waiting
            .processes
            .resize_with(pid + 1, Process::default);
    }
    let pid = Pid(pid as u16);
    let process = scratch.tables.process(pid);
    let loc = model.layout.location(state, process);
    let steps = &model.graphs[process.proctype.index()];
    let mut found = std::mem::take(&mut scratch.waiting.processes[usize::from(pid.0)]);
    found.receivers.clear();
    found.channels = 0;
    if steps.receives(loc) {
        let who = Who {
            pid,
            locals: process.locals,
        };
        let leaving = steps.at(loc);
        for (index, edge) in leaving.edges.iter().enumerate() {
            let known = match edge.kind {
                EdgeKind::Recv(recv) => match model.recvs[recv.index()].chan {
                    Chan::Named(Quick::Code(_)) => None,
                    _ => match channel::of_recv(model, scratch, state, who, recv) {
                        Ok(channel) if !channel.is_rendezvous() => continue,
                        Ok(channel) => Some((channel.id, recv)),
                        Err(_) => None,
                    },
                },
                EdgeKind::DStep(_) => None,
                _ => continue,
            };
            found.channels |= known.map_or(u64::MAX, |(channel, _)| bit(channel));
            found.receivers.push(Receiver {
                edge: EdgeId(leaving.first.0 + index as u32),
                known,
            });
        }
    }
    scratch.waiting.processes[usize::from(pid.0)] = found;
}

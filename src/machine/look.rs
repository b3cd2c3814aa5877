//! Cheap queries on a state, for the reduction and the product.

use super::compiled::CompiledModel;
use super::memory::{Width, read};
use super::tables::Tables;
use super::{Machine, Pid, channel};
use promela_lite::code::Scalar;
use promela_lite::program::{Loc, ProctypeId};

/// How full a channel is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Messages in it.
    pub len: u32,
    /// Messages it can hold; 0 for rendezvous.
    pub capacity: u32,
}

/// A state that is being looked at.
#[derive(Debug)]
pub struct Look<'a> {
    model: &'a CompiledModel,
    tables: &'a Tables,
    state: &'a [u8],
}

impl Machine {
    /// Looks at a state.
    #[inline(always)]
    pub fn look<'a>(&'a mut self, state: &'a [u8]) -> Look<'a> {
        self.scratch.tables.follow(&self.model.layout, state);
        Look {
            model: &self.model,
            tables: &self.scratch.tables,
            state,
        }
    }
}

impl Look<'_> {
    /// Number of processes.
    pub fn processes(&self) -> usize {
        self.tables.live().len()
    }

    /// What a process is, and where.
    #[inline]
    pub fn process(&self, pid: Pid) -> (ProctypeId, Loc) {
        let process = self.tables.process(pid);
        (
            process.proctype,
            self.model.layout.location(self.state, process),
        )
    }

    /// What each process is, and where.
    #[inline]
    pub fn places(&self) -> impl Iterator<Item = (ProctypeId, Loc)> {
        let layout = &self.model.layout;
        let live = self.tables.live().iter();
        live.map(|&process| (process.proctype, layout.location(self.state, process)))
    }

    /// The channel that a global variable holds.
    pub fn global_channel(&self, offset: u32) -> u16 {
        self.channel_at(self.model.layout.globals + offset as usize)
    }

    /// The channel that a local variable holds.
    pub fn own_channel(&self, pid: Pid, offset: u32) -> u16 {
        self.channel_at(self.tables.process(pid).locals + offset as usize)
    }

    fn channel_at(&self, at: usize) -> u16 {
        read(self.state, at, Width::of(Scalar::Chan)) as u16
    }

    /// The process that made a channel, and that takes it along when it ends; `None` if none of those that exist did.
    pub fn maker(&self, id: u16) -> Option<Pid> {
        let live = self.tables.live();
        let before = live.partition_point(|process| process.channels < usize::from(id));
        let first = self.model.layout.global_channels.len();
        let made = before < live.len() && usize::from(id) > first;
        made.then_some(Pid(before as u16))
    }

    /// How full a channel is; `None` if there is none of that identity.
    pub fn channel(&self, id: u16) -> Option<Fill> {
        let channel = self.tables.channel(i32::from(id))?;
        Some(Fill {
            len: channel::len(self.state, channel),
            capacity: channel.capacity,
        })
    }
}

//! Where the processes and channels of the state at hand lie.
//!
//! The offsets follow from the sequence of proctypes (see [`super::layout`]). The tables keep those of the last state
//! and are brought in line with the next by comparing the sequences and rebuilding from the first difference, which
//! is nearly always nothing.

use super::layout::Layout;
use super::memory::{Width, read, write};
use super::{Fallible, FaultKind, Pid, fault};
use promela_lite::program::ProctypeId;
use promela_lite::source::Span;

/// States beyond this are refused: a channel of a billion slots is an error of the model.
const MAX_VECTOR: usize = 1 << 30;
/// Pids and channel identities are sixteen bits; identity 0 is "no channel".
const MAX_ENTITIES: usize = 0xffff;

/// Where a process lies.
#[derive(Copy, Clone, Debug)]
pub(super) struct Process {
    pub(super) proctype: ProctypeId,
    /// Offset of its locals.
    pub(super) locals: usize,
    /// Offset of the byte behind its channels.
    pub(super) end: usize,
    /// Number of channels that exist with it.
    pub(super) channels: usize,
}

/// Where a channel lies.
#[derive(Copy, Clone, Debug)]
pub(super) struct Channel {
    pub(super) at: usize,
    pub(super) template: u32,
    /// Number of messages it can hold; 0 for rendezvous.
    pub(super) capacity: u32,
    /// Its identity, counted from 1.
    pub(super) id: u16,
    /// Width of its length.
    pub(super) len: Width,
}

impl Channel {
    pub(super) fn is_rendezvous(self) -> bool {
        self.capacity == 0
    }
}

/// The offsets of processes and channels of the state at hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    /// Those of the state come first; what follows is left over from a larger one.
    processes: Vec<Process>,
    channels: Vec<Channel>,
    /// The proctypes as they lie in a state.
    types: Vec<u8>,
    nr: usize,
    nr_channels: usize,
}

impl Tables {
    pub(super) fn new(layout: &Layout) -> Tables {
        let mut tables = Tables::default();
        tables.push_channels(layout, &layout.global_channels, layout.channels);
        tables.set_nr(layout, 0);
        tables
    }

    fn push_channels(&mut self, layout: &Layout, templates: &[u32], mut at: usize) {
        for &index in templates {
            let template = &layout.templates[index as usize];
            self.channels.push(Channel {
                at,
                template: index,
                capacity: template.capacity,
                id: (self.channels.len() + 1) as u16,
                len: template.len_width,
            });
            at = at.saturating_add(template.size);
        }
    }

    fn push(&mut self, layout: &Layout, proctype: ProctypeId) {
        let start = self.processes.last().map_or(layout.processes, |p| p.end);
        let process = layout.process(proctype, start, self.channels.len());
        let kind = &layout.proctypes[proctype.index()];
        self.push_channels(layout, &kind.channels, process.locals + kind.locals);
        self.processes.push(process);
        if let Some(width) = layout.types {
            let at = self.types.len();
            self.types.resize(at + width.bytes(), 0);
            write(&mut self.types, at, width, i32::from(proctype.0));
        }
    }

    fn set_nr(&mut self, layout: &Layout, nr: usize) {
        self.nr = nr;
        self.nr_channels = match nr {
            0 => layout.global_channels.len(),
            nr => self.processes[nr - 1].channels,
        };
    }

    /// Forgets all processes from `nr` on.
    fn truncate(&mut self, layout: &Layout, nr: usize) {
        self.processes.truncate(nr);
        let channels = self
            .processes
            .last()
            .map_or(layout.global_channels.len(), |p| p.channels);
        self.channels.truncate(channels);
        if let Some(width) = layout.types {
            self.types.truncate(nr * width.bytes());
        }
    }

    /// Makes these the tables of `state`.
    #[inline(always)]
    pub(super) fn follow(&mut self, layout: &Layout, state: &[u8]) {
        let nr = layout.nr_processes(state);
        if let Some((at, width)) = layout.types_at(state.len(), nr) {
            let types = &state[at..at + nr * width.bytes()];
            if nr == self.nr && self.types.starts_with(types) {
                return;
            }
        } else if nr == self.nr {
            return;
        }
        self.change(layout, state, nr);
    }

    /// Makes these the tables of `state`, which has `nr` processes, and is not like the last one.
    #[cold]
    fn change(&mut self, layout: &Layout, state: &[u8], nr: usize) {
        match layout.types_at(state.len(), nr) {
            None => {
                while self.processes.len() < nr {
                    let next = self.processes.len();
                    let proctype = layout.active.get(next).copied().unwrap_or_default();
                    self.push(layout, proctype);
                }
            }
            Some((at, width)) => {
                let types = &state[at..at + nr * width.bytes()];
                if !self.types.starts_with(types) {
                    self.rebuild(layout, types, width);
                }
            }
        }
        self.set_nr(layout, nr);
    }

    /// Brings the tables in line with a list of proctypes that they do not start with.
    fn rebuild(&mut self, layout: &Layout, types: &[u8], width: Width) {
        let step = width.bytes();
        let same = types.chunks(step).zip(self.types.chunks(step));
        let same = same.take_while(|(a, b)| a == b).count();
        self.truncate(layout, same);
        for index in same..types.len() / step {
            let proctype = read(types, index * step, width) as u16;
            self.push(layout, ProctypeId(proctype));
        }
    }

    #[inline]
    pub(super) fn nr_processes(&self) -> usize {
        self.nr
    }

    #[inline]
    pub(super) fn process(&self, pid: Pid) -> Process {
        self.processes[usize::from(pid.0)]
    }

    /// The process with this `_pid`, if there is one.
    pub(super) fn find(&self, pid: i32) -> Option<(Pid, Process)> {
        match usize::try_from(pid) {
            Ok(index) if index < self.nr => Some((Pid(index as u16), self.processes[index])),
            _ => None,
        }
    }

    pub(super) fn live(&self) -> &[Process] {
        &self.processes[..self.nr]
    }

    pub(super) fn channels(&self) -> &[Channel] {
        &self.channels[..self.nr_channels]
    }

    /// The channel with this identity, if there is one.
    #[inline]
    pub(super) fn channel(&self, id: i32) -> Option<Channel> {
        let index = (id as usize).wrapping_sub(1);
        self.channels().get(index).copied()
    }

    /// The number of channels that exist when the youngest process starts, those of its own not counted.
    pub(super) fn channels_before_youngest(&self, layout: &Layout) -> usize {
        match self.nr {
            0 | 1 => layout.global_channels.len(),
            nr => self.processes[nr - 2].channels,
        }
    }

    /// The state without processes: everything zero.
    pub(super) fn begin(&mut self, layout: &Layout, out: &mut Vec<u8>) -> Fallible<()> {
        let len = layout.processes.saturating_add(layout.hidden);
        if len > MAX_VECTOR {
            return Err(fault(FaultKind::VectorTooLarge, Span::NONE));
        }
        if layout.global_channels.len() > MAX_ENTITIES {
            return Err(fault(FaultKind::TooManyChannels, Span::NONE));
        }
        out.clear();
        out.resize(len, 0);
        self.follow(layout, out);
        Ok(())
    }

    /// Adds a process, all of it zero but its proctype, and returns its pid.
    pub(super) fn grow(
        &mut self,
        layout: &Layout,
        state: &mut Vec<u8>,
        proctype: ProctypeId,
        span: Span,
    ) -> Fallible<Pid> {
        let nr = self.nr;
        let kind = &layout.proctypes[proctype.index()];
        if nr >= MAX_ENTITIES {
            return Err(fault(FaultKind::TooManyProcesses, span));
        }
        if self.nr_channels + kind.channels.len() > MAX_ENTITIES {
            return Err(fault(FaultKind::TooManyChannels, span));
        }
        let old = state.len();
        let type_bytes = layout.types.map_or(0, Width::bytes);
        let new = old.saturating_add(kind.size).saturating_add(type_bytes);
        if new > MAX_VECTOR {
            return Err(fault(FaultKind::VectorTooLarge, span));
        }
        // The hidden globals move behind the longer list of proctypes, the list behind the new process.
        let start = old - layout.tail(nr);
        let types = start + kind.size;
        let list = layout.tail(nr) - layout.hidden;
        state.resize(new, 0);
        state.copy_within(old - layout.hidden..old, new - layout.hidden);
        state.copy_within(start..start + list, types);
        state[start..types].fill(0);
        if let Some(width) = layout.types {
            write(state, types + list, width, i32::from(proctype.0));
        }
        layout.set_nr_processes(state, nr + 1);
        self.follow(layout, state);
        Ok(Pid(nr as u16))
    }

    /// Removes the youngest process and its channels.
    pub(super) fn shrink(&mut self, layout: &Layout, state: &mut Vec<u8>) {
        let nr = self.nr;
        let old = state.len();
        let size = layout.proctypes[self.processes[nr - 1].proctype.index()].size;
        let list = layout.tail(nr - 1) - layout.hidden;
        let types = old - layout.tail(nr);
        let start = types - size;
        state.copy_within(types..types + list, start);
        state.copy_within(old - layout.hidden..old, start + list);
        state.truncate(start + list + layout.hidden);
        layout.set_nr_processes(state, nr - 1);
        self.set_nr(layout, nr - 1);
    }
}

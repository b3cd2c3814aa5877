//! Where things lie in a state.
//!
//! ```text
//! nr_processes | trace location | _last | globals | global channels |
//!     process 0: location, priority, locals, channels | process 1: … | proctypes | hidden globals
//! ```
//! Fields that a model does not need take no room. A process' channels are made when it starts and die with it, and
//! only the youngest process dies, so processes and channels are stacks and everything but the small tail is
//! append-only: where a process lies depends on the proctypes of the older ones alone. [`Tables`] holds these
//! offsets for one sequence of proctypes, and following a state means comparing the sequence and rebuilding from
//! the first difference, which is nearly always nothing. Where no process is ever `run`, the sequence is a prefix
//! of the initial one and is not stored.
//!
//! `hidden` globals are the suffix: a state is stored without it.

use super::memory::{Width, mask, read, write};
use super::{Fault, FaultKind, Pid};
use promela_lite::code::{Code, Instr, Scalar};
use promela_lite::program::{ChanTemplate, Loc, ProctypeId, Program};
use promela_lite::source::Span;

/// States beyond this are refused: a channel of a billion slots is an error of the model.
const MAX_VECTOR: usize = 1 << 30;
/// Pids and channel identities are sixteen bits; identity 0 is "no channel".
const MAX_ENTITIES: usize = 0xffff;

/// A field of a message.
#[derive(Copy, Clone, Debug)]
pub(super) struct Field {
    pub(super) offset: u32,
    pub(super) width: Width,
    pub(super) mask: u32,
    pub(super) ty: Scalar,
}

/// The layout of one kind of channel: its length, then its slots; unused slots are zero. A rendezvous channel
/// takes no room at all.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) capacity: u32,
    pub(super) len_width: Width,
    /// Bytes of a message.
    pub(super) slot: u32,
    pub(super) fields: Vec<Field>,
    /// Bytes in all.
    size: usize,
}

impl Template {
    fn new(template: &ChanTemplate) -> Template {
        let mut slot = 0;
        let fields = template
            .fields
            .iter()
            .map(|&ty| {
                let offset = slot;
                slot += ty.size();
                Field {
                    offset,
                    width: Width::of(ty),
                    mask: mask(ty),
                    ty,
                }
            })
            .collect();
        let len_width = Width::holding(template.capacity as usize);
        let size = match template.capacity {
            0 => 0,
            capacity => len_width
                .bytes()
                .saturating_add((slot as usize).saturating_mul(capacity as usize)),
        };
        Template {
            capacity: template.capacity,
            len_width,
            slot,
            fields,
            size,
        }
    }

    pub(super) fn is_rendezvous(&self) -> bool {
        self.capacity == 0
    }
}

/// The layout of a proctype.
#[derive(Clone, Debug)]
struct ProcLayout {
    /// Bytes of parameters and local variables.
    locals: usize,
    /// Templates of its channels, in order of creation.
    channels: Vec<u32>,
    /// Bytes in all, head and channels included.
    size: usize,
}

/// What is the same in all states.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    nr_width: Width,
    trace: Option<(usize, Width)>,
    last: Option<usize>,
    pub(super) globals: usize,
    global_channels: Vec<u32>,
    /// Offset of the first global channel.
    channels: usize,
    /// Offset of the first process.
    processes: usize,
    location: Width,
    priority: bool,
    /// Bytes before a process' locals.
    head: usize,
    proctypes: Vec<ProcLayout>,
    /// Width of an entry of the list of proctypes, if it is stored.
    types: Option<Width>,
    active: Vec<ProctypeId>,
    pub(super) hidden: usize,
    pub(super) templates: Vec<Template>,
}

/// The templates of the channels that initialising code makes, in order.
fn channels_of(program: &Program, init: Code) -> Vec<u32> {
    program.instrs[init.range()]
        .iter()
        .filter_map(|instr| match instr {
            Instr::NewChan(template) => Some(template.0),
            _ => None,
        })
        .collect()
}

impl Layout {
    pub(super) fn new(program: &Program) -> Layout {
        let templates: Vec<Template> = program.templates.iter().map(Template::new).collect();
        let size_of = |channels: &[u32]| {
            channels
                .iter()
                .map(|&t| templates[t as usize].size)
                .fold(0, usize::saturating_add)
        };
        let runs = program
            .instrs
            .iter()
            .any(|instr| matches!(instr, Instr::Run { .. }));
        let nr_width = match runs {
            true => Width::U16,
            false => Width::holding(program.active.len()),
        };
        let mut at = nr_width.bytes();
        let mut take = |bytes: usize| {
            at += bytes;
            at - bytes
        };
        let trace = program.trace.as_ref().map(|trace| {
            let width = Width::holding(trace.graph.locations.len());
            (take(width.bytes()), width)
        });
        let last = program.features.last.then(|| take(nr_width.bytes()));
        let globals = take(program.globals.size as usize);
        let global_channels = channels_of(program, program.init);
        let channels = at;
        let processes = at.saturating_add(size_of(&global_channels));
        let largest = program
            .proctypes
            .iter()
            .map(|p| p.graph.locations.len())
            .max()
            .unwrap_or(0);
        let location = Width::holding(largest);
        let head = location.bytes() + usize::from(program.features.priorities);
        let proctypes: Vec<ProcLayout> = program
            .proctypes
            .iter()
            .map(|proctype| {
                let channels = channels_of(program, proctype.init);
                let locals = proctype.frame.size as usize;
                let size = (head + locals).saturating_add(size_of(&channels));
                ProcLayout {
                    locals,
                    channels,
                    size,
                }
            })
            .collect();
        let types = (runs && proctypes.len() > 1).then(|| Width::holding(proctypes.len() - 1));
        Layout {
            nr_width,
            trace,
            last,
            globals,
            global_channels,
            channels,
            processes,
            location,
            priority: program.features.priorities,
            head,
            proctypes,
            types,
            active: program.active.clone(),
            hidden: program.hidden.size as usize,
            templates,
        }
    }

    pub(super) fn nr_processes(&self, state: &[u8]) -> usize {
        read(state, 0, self.nr_width) as usize
    }

    pub(super) fn stored_len(&self, state: &[u8]) -> usize {
        state.len() - self.hidden
    }

    pub(super) fn last(&self, state: &[u8]) -> i32 {
        self.last.map_or(0, |at| read(state, at, self.nr_width))
    }

    pub(super) fn set_last(&self, state: &mut [u8], pid: Pid) {
        if let Some(at) = self.last {
            write(state, at, self.nr_width, i32::from(pid.0));
        }
    }

    pub(super) fn trace(&self, state: &[u8]) -> Option<Loc> {
        self.trace
            .map(|(at, width)| Loc(read(state, at, width) as u32))
    }

    pub(super) fn set_trace(&self, state: &mut [u8], loc: Loc) {
        if let Some((at, width)) = self.trace {
            write(state, at, width, loc.0 as i32);
        }
    }

    /// The list of proctypes of a state with `nr` processes, if it is stored.
    fn types_at(&self, len: usize, nr: usize) -> Option<(usize, Width)> {
        self.types
            .map(|width| (len - self.hidden - nr * width.bytes(), width))
    }

    /// Bytes behind the last process.
    fn tail(&self, nr: usize) -> usize {
        self.hidden + self.types.map_or(0, |width| nr * width.bytes())
    }
}

/// Where a process lies.
#[derive(Copy, Clone, Debug)]
pub(super) struct Process {
    pub(super) proctype: ProctypeId,
    /// Offset of its locals.
    pub(super) locals: usize,
    /// Offset of the byte behind its channels.
    end: usize,
    /// Number of channels that exist with it.
    channels: usize,
}

/// Where a channel lies.
#[derive(Copy, Clone, Debug)]
pub(super) struct Channel {
    /// Its identity, counted from 1.
    pub(super) id: u16,
    pub(super) template: u32,
    pub(super) at: usize,
}

/// The offsets of processes and channels of the state at hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    /// Those of the state come first; what follows is left over from a larger one.
    processes: Vec<Process>,
    channels: Vec<Channel>,
    nr: usize,
    nr_channels: usize,
}

impl Tables {
    pub(super) fn new(layout: &Layout) -> Tables {
        let mut tables = Tables::default();
        let mut at = layout.channels;
        tables.push_channels(layout, &layout.global_channels, &mut at);
        tables.set_nr(layout, 0);
        tables
    }

    fn push_channels(&mut self, layout: &Layout, templates: &[u32], at: &mut usize) {
        for &template in templates {
            let id = (self.channels.len() + 1) as u16;
            self.channels.push(Channel {
                id,
                template,
                at: *at,
            });
            *at = at.saturating_add(layout.templates[template as usize].size);
        }
    }

    fn push(&mut self, layout: &Layout, proctype: ProctypeId) {
        let start = self.processes.last().map_or(layout.processes, |p| p.end);
        let kind = &layout.proctypes[proctype.index()];
        let locals = start + layout.head;
        let mut at = locals + kind.locals;
        self.push_channels(layout, &kind.channels, &mut at);
        self.processes.push(Process {
            proctype,
            locals,
            end: at,
            channels: self.channels.len(),
        });
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
    }

    /// Makes these the tables of `state`.
    #[inline]
    pub(super) fn follow(&mut self, layout: &Layout, state: &[u8]) {
        let nr = layout.nr_processes(state);
        match layout.types_at(state.len(), nr) {
            None => {
                while self.processes.len() < nr {
                    let next = self.processes.len();
                    let proctype = layout.active.get(next).copied().unwrap_or_default();
                    self.push(layout, proctype);
                }
            }
            Some((at, width)) => {
                let step = width.bytes();
                let known = self.processes.len().min(nr);
                let same = (0..known)
                    .take_while(|&i| {
                        read(state, at + i * step, width) == i32::from(self.processes[i].proctype.0)
                    })
                    .count();
                if same < nr {
                    self.truncate(layout, same);
                    for i in same..nr {
                        let proctype = read(state, at + i * step, width) as u16;
                        self.push(layout, ProctypeId(proctype));
                    }
                }
            }
        }
        self.set_nr(layout, nr);
    }

    pub(super) fn nr_processes(&self) -> usize {
        self.nr
    }

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
    pub(super) fn begin(&mut self, layout: &Layout, out: &mut Vec<u8>) -> Result<(), Fault> {
        let len = layout.processes.saturating_add(layout.hidden);
        if len > MAX_VECTOR {
            return Err(too_large(Span::NONE));
        }
        if layout.global_channels.len() > MAX_ENTITIES {
            return Err(Fault {
                kind: FaultKind::TooManyChannels,
                span: Span::NONE,
            });
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
    ) -> Result<Pid, Fault> {
        let nr = self.nr;
        let kind = &layout.proctypes[proctype.index()];
        if nr >= MAX_ENTITIES || (layout.nr_width == Width::U8 && nr >= 0xff) {
            return Err(Fault {
                kind: FaultKind::TooManyProcesses,
                span,
            });
        }
        if self.nr_channels + kind.channels.len() > MAX_ENTITIES {
            return Err(Fault {
                kind: FaultKind::TooManyChannels,
                span,
            });
        }
        let old = state.len();
        let type_bytes = layout.types.map_or(0, Width::bytes);
        let new = old.saturating_add(kind.size).saturating_add(type_bytes);
        if new > MAX_VECTOR {
            return Err(too_large(span));
        }
        let tail = layout.tail(nr);
        let types = tail - layout.hidden;
        state.resize(new, 0);
        // The hidden globals move behind the longer list of proctypes, the list behind the new process.
        state.copy_within(old - layout.hidden..old, new - layout.hidden);
        state.copy_within(old - tail..old - layout.hidden, old - tail + kind.size);
        state[old - tail..old - tail + kind.size].fill(0);
        if let Some(width) = layout.types {
            write(
                state,
                old - tail + kind.size + types,
                width,
                i32::from(proctype.0),
            );
        }
        write(state, 0, layout.nr_width, nr as i32 + 1);
        if layout.types.is_none() {
            self.follow(layout, state);
        } else {
            self.truncate(layout, nr);
            self.push(layout, proctype);
            self.set_nr(layout, nr + 1);
        }
        Ok(Pid(nr as u16))
    }

    /// Removes the youngest process and its channels.
    pub(super) fn shrink(&mut self, layout: &Layout, state: &mut Vec<u8>) {
        let nr = self.nr;
        let old = state.len();
        let tail = layout.tail(nr);
        let size = layout.proctypes[self.processes[nr - 1].proctype.index()].size;
        let types = layout.tail(nr - 1) - layout.hidden;
        let start = old - tail - size;
        state.copy_within(old - tail..old - tail + types, start);
        state.copy_within(old - layout.hidden..old, start + types);
        state.truncate(start + types + layout.hidden);
        write(state, 0, layout.nr_width, nr as i32 - 1);
        self.set_nr(layout, nr - 1);
    }
}

fn too_large(span: Span) -> Fault {
    Fault {
        kind: FaultKind::VectorTooLarge,
        span,
    }
}

impl Layout {
    #[inline]
    pub(super) fn location(&self, state: &[u8], process: Process) -> Loc {
        Loc(read(state, process.locals - self.head, self.location) as u32)
    }

    #[inline]
    pub(super) fn set_location(&self, state: &mut [u8], process: Process, loc: Loc) {
        write(
            state,
            process.locals - self.head,
            self.location,
            loc.0 as i32,
        );
    }

    pub(super) fn priority(&self, state: &[u8], process: Process) -> u8 {
        match self.priority {
            true => state[process.locals - 1],
            false => 1,
        }
    }

    pub(super) fn set_priority(&self, state: &mut [u8], process: Process, priority: u8) {
        if self.priority {
            state[process.locals - 1] = priority;
        }
    }
}

impl Layout {
    /// The processes of a state in order of their pids, for those who have no tables at hand.
    pub(super) fn walk<'a>(&'a self, state: &'a [u8]) -> impl Iterator<Item = Process> + 'a {
        let nr = self.nr_processes(state);
        let types = self.types_at(state.len(), nr);
        let mut start = self.processes;
        let mut channels = self.global_channels.len();
        (0..nr).map(move |index| {
            let proctype = match types {
                Some((at, width)) => {
                    ProctypeId(read(state, at + index * width.bytes(), width) as u16)
                }
                None => self.active.get(index).copied().unwrap_or_default(),
            };
            let kind = &self.proctypes[proctype.index()];
            start += kind.size;
            channels += kind.channels.len();
            Process {
                proctype,
                locals: start - kind.size + self.head,
                end: start,
                channels,
            }
        })
    }
}

//! Where things lie in a state.
//!
//! ```text
//! front | nr_processes | trace location | _last | globals | global channels |
//!     process 0: location, priority, locals, channels | process 1: … | proctypes | hidden globals
//! ```
//! The front belongs to the layer around the machine, such as a product: it is copied along and not looked at. Fields that a
//! model does not need take no room. A process' channels are made when it starts and die with it, and
//! only the youngest process dies, so processes and channels are stacks and everything but the small tail is
//! append-only: where a process lies depends on the proctypes of the older ones alone ([`super::tables`]). Where no
//! process is ever `run`, their sequence is a prefix of the initial one and is not stored.
//!
//! `hidden` globals are the suffix: a state is stored without it.

use super::Pid;
use super::memory::{Width, mask, read, write};
use super::tables::Process;
use promela_lite::code::{Code, Instr, Region, Scalar};
use promela_lite::program::{ChanTemplate, Loc, ProctypeId, Program};

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
    pub(super) size: usize,
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
}

/// The layout of a proctype.
#[derive(Clone, Debug)]
pub(super) struct ProcLayout {
    /// Bytes of parameters and local variables.
    pub(super) locals: usize,
    /// Templates of its channels, in order of creation.
    pub(super) channels: Vec<u32>,
    /// Bytes in all, head and channels included.
    pub(super) size: usize,
}

/// What is the same in all states.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Bytes that are not the machine's.
    pub(super) front: usize,
    pub(super) nr_width: Width,
    trace: Option<(usize, Width)>,
    last: Option<usize>,
    pub(super) globals: usize,
    pub(super) global_channels: Vec<u32>,
    /// Offset of the first global channel.
    pub(super) channels: usize,
    /// Offset of the first process.
    pub(super) processes: usize,
    location: Width,
    priority: bool,
    /// Bytes before a process' locals.
    pub(super) head: usize,
    pub(super) proctypes: Vec<ProcLayout>,
    /// Width of an entry of the list of proctypes, if it is stored.
    pub(super) types: Option<Width>,
    pub(super) active: Vec<ProctypeId>,
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
    pub(super) fn new(program: &Program, front: usize) -> Layout {
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
        let mut at = front + nr_width.bytes();
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
            front,
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

    #[inline]
    pub(super) fn nr_processes(&self, state: &[u8]) -> usize {
        read(state, self.front, self.nr_width) as usize
    }

    pub(super) fn set_nr_processes(&self, state: &mut [u8], nr: usize) {
        write(state, self.front, self.nr_width, nr as i32);
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

    /// Where a region starts in a state of `len` bytes, for a process whose locals start at `locals`.
    #[inline]
    pub(super) fn base(&self, len: usize, locals: usize, region: Region) -> usize {
        match region {
            Region::Global => self.globals,
            Region::Hidden => len - self.hidden,
            Region::Local => locals,
        }
    }

    /// The list of proctypes of a state with `nr` processes, if it is stored.
    #[inline]
    pub(super) fn types_at(&self, len: usize, nr: usize) -> Option<(usize, Width)> {
        self.types
            .map(|width| (len - self.hidden - nr * width.bytes(), width))
    }

    /// Bytes behind the last process.
    #[inline]
    pub(super) fn tail(&self, nr: usize) -> usize {
        self.hidden + self.types.map_or(0, |width| nr * width.bytes())
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
    /// Where a process lies that follows `start` and `channels` channels.
    pub(super) fn process(&self, proctype: ProctypeId, start: usize, channels: usize) -> Process {
        let kind = &self.proctypes[proctype.index()];
        Process {
            proctype,
            locals: start + self.head,
            end: start + kind.size,
            channels: channels + kind.channels.len(),
        }
    }

    /// The proctype of a process, if there is such a process.
    #[inline]
    pub(super) fn proctype(&self, state: &[u8], index: usize) -> Option<ProctypeId> {
        let nr = self.nr_processes(state);
        if index >= nr {
            return None;
        }
        match self.types_at(state.len(), nr) {
            Some((at, width)) => {
                let proctype = read(state, at + index * width.bytes(), width);
                Some(ProctypeId(proctype as u16))
            }
            // Processes are `run` where the list is not stored only if there is but one proctype.
            None => Some(self.active.get(index).copied().unwrap_or_default()),
        }
    }

    /// The processes of a state in order of their pids, for callers without tables.
    pub(super) fn walk<'a>(&'a self, state: &'a [u8]) -> impl Iterator<Item = Process> + 'a {
        let nr = self.nr_processes(state);
        let mut start = self.processes;
        let mut channels = self.global_channels.len();
        (0..nr).map(move |index| {
            let proctype = self.proctype(state, index).unwrap_or_default();
            let process = self.process(proctype, start, channels);
            start = process.end;
            channels = process.channels;
            process
        })
    }
}

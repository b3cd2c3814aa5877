//! What the executability of a step depends on.
//!
//! A state is divided into areas: its head, the hidden variables, each process with its variables, each channel, and the bytes of
//! the global variables. A set of them is a word. Where there are more things than bits, several share one, which makes sets
//! larger and never smaller than they should be.
//!
//! Which global variables a place looks at is found in its code once and for all. Which channels it looks at is noted
//! while it is asked ([`super::scratch::Scratch::touched`]), since their names are variables. Its own variables are its own
//! area. Code that asks about other processes depends on everything.

use super::Pid;
use promela_lite::code::{Code, Instr, Region};
use promela_lite::program::{Action, Edge, Place, Program, RecvArg, RecvId, SendId};

/// A set of areas: the head, the hidden variables and processes in one word, channels and global variables in the other.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Areas([u64; 2]);

/// The number of an area.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Area(u8);

impl Area {
    /// What says how many processes of which types there are.
    pub(super) const SHAPE: Area = Area(63);
    /// `_last`, and the place of a `trace`.
    pub(super) const HEAD: Area = Area(62);
    pub(super) const HIDDEN: Area = Area(61);
    /// What is not the machine's.
    pub(super) const FRONT: Area = Area(60);
    /// Areas of processes.
    const PROCESSES: u16 = 60;

    /// A process, its channels left out.
    #[inline(always)]
    pub(super) fn process(pid: Pid) -> Area {
        Area((pid.0 % Area::PROCESSES) as u8)
    }

    #[inline(always)]
    pub(super) fn channel(id: u16) -> Area {
        Area(64 + id as u8 % 32)
    }

    /// A byte of the global variables.
    pub(super) fn global(offset: u32) -> Area {
        Area(96 + (offset % 32) as u8)
    }
}

impl From<Area> for Areas {
    #[inline(always)]
    fn from(area: Area) -> Areas {
        let bit = 1 << (area.0 % 64);
        match area.0 < 64 {
            true => Areas([bit, 0]),
            false => Areas([0, bit]),
        }
    }
}

impl Areas {
    pub(super) const NONE: Areas = Areas([0; 2]);
    pub(super) const ALL: Areas = Areas([u64::MAX; 2]);

    #[inline(always)]
    pub(super) fn and(self, other: Areas) -> Areas {
        Areas([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, area: Area) {
        self.0[usize::from(area.0 >= 64)] |= 1 << (area.0 % 64);
    }

    #[inline(always)]
    pub(super) fn meets(self, other: Areas) -> bool {
        (self.0[0] & other.0[0]) | (self.0[1] & other.0[1]) != 0
    }

    pub(super) fn contains(self, area: Area) -> bool {
        self.meets(area.into())
    }
}

/// What the executability of a step depends on, apart from the process' own variables and from channels.
pub(super) fn of_step(program: &Program, edge: &Edge) -> Areas {
    let mut reader = Reader {
        program,
        edge,
        areas: Areas::NONE,
    };
    match edge.action {
        // Only the youngest process ends.
        Action::End => reader.areas.add(Area::SHAPE),
        // `else` depends on what the other steps do.
        Action::Skip | Action::Effect(_) | Action::Else => {}
        // Gone from expanded programs.
        Action::Call(_) | Action::Return(_) => {}
        Action::Guard(code) => {
            let runs = |i: &Instr| matches!(i, Instr::Run { .. });
            if !program.instrs[code.range()].iter().any(runs) {
                reader.code(code);
            }
        }
        Action::Send(send) => reader.send(send),
        Action::Recv(recv) => reader.recv(recv),
        Action::DStep(code) => reader.code(code),
    }
    reader.areas
}

struct Reader<'p> {
    program: &'p Program,
    edge: &'p Edge,
    areas: Areas,
}

impl Reader<'_> {
    fn send(&mut self, send: SendId) {
        let op = &self.program.sends[send.index()];
        self.code(op.chan);
        for &arg in &op.args {
            self.code(arg);
        }
    }

    fn recv(&mut self, recv: RecvId) {
        let op = &self.program.recvs[recv.index()];
        self.code(op.chan);
        for arg in &op.args {
            if let RecvArg::Match(value) = *arg {
                self.code(value);
            }
        }
    }

    fn code(&mut self, code: Code) {
        for instr in &self.program.instrs[code.range()] {
            self.instr(instr);
        }
    }

    fn instr(&mut self, instr: &Instr) {
        match *instr {
            Instr::Load(cell) => match cell.region {
                Region::Global => self.globals(cell.offset, cell.offset + cell.ty.size()),
                Region::Hidden => self.areas.add(Area::HIDDEN),
                Region::Local => {}
            },
            Instr::LoadAt(Region::Global, _) => self.arrays(),
            Instr::LoadAt(Region::Hidden, _) => self.areas.add(Area::HIDDEN),
            Instr::NrProcesses => self.areas.add(Area::SHAPE),
            Instr::Last => self.areas.add(Area::HEAD),
            Instr::Poll(recv) | Instr::RecvOr(recv, _) => self.recv(recv),
            Instr::SendOr(send, _) => self.send(send),
            // They look at nothing, or only at the operands, or at channels and the process' own variables, or are behind
            // the first
            // effect of a `d_step`, which is never reached by asking; `timeout` is false whenever this matters.
            Instr::Const(_)
            | Instr::LoadAt(Region::Local, _)
            | Instr::Store(_)
            | Instr::StoreAt(..)
            | Instr::Index { .. }
            | Instr::Unary(_)
            | Instr::Binary(..)
            | Instr::AndThen(_)
            | Instr::OrElse(_)
            | Instr::Jump(_)
            | Instr::JumpIfZero(_)
            | Instr::JumpBack(..)
            | Instr::SelfPid
            | Instr::Timeout
            | Instr::Query(..)
            | Instr::NewChan(_)
            | Instr::Assert(_)
            | Instr::Print { .. }
            | Instr::PrintMtype(_)
            | Instr::NotExecutable
            | Instr::Blocked(_)
            | Instr::CallTooDeep { .. }
            // Gone from expanded programs.
            | Instr::Address(_)
            | Instr::Result
            | Instr::Return => {}
            Instr::NonProgress
            | Instr::Enabled
            | Instr::PcValue(_)
            | Instr::GetPriority(_)
            | Instr::SetPriority(_)
            | Instr::OwnPriority
            | Instr::Run { .. }
            | Instr::RemoteAt { .. }
            | Instr::AnywhereAt(_)
            | Instr::RemoteLoad { .. }
            | Instr::RemoteLoadAt { .. }
            | Instr::PidOf(_) => self.areas = Areas::ALL,
        }
    }

    /// Some element of a global array: the footprint of the step has them all.
    fn arrays(&mut self) {
        let footprint = &self.edge.footprint;
        let vias = footprint.chans.iter().map(|used| &used.via);
        for access in footprint.reads.iter().chain(vias) {
            if access.place == Place::Global {
                self.globals(access.lo, access.hi);
            }
        }
    }

    fn globals(&mut self, lo: u32, hi: u32) {
        // Beyond that many bytes all areas have been named.
        for offset in (lo..hi).take(64) {
            self.areas.add(Area::global(offset));
        }
    }
}

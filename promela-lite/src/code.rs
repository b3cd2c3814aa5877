//! `Code`: the flat, typed instruction lists that guards, effects and `d_step`s become.
//!
//! A stack machine over `i32` values (every Promela value is one). There is one arena of instructions a
//! program; a [`Code`] is a range of it, and jump targets are absolute positions within the same range.
//! Two backends run the same code: the reference interpreter, and later a native one. Every access whose
//! address depends on a model value goes through [`Instr::Index`], which checks its bound, so that memory
//! safety never depends on the model. [`crate::verify`] checks stack shapes and targets.

use crate::program::{ProctypeId, RecvId, SendId, TemplateId};
use crate::source::Span;

/// A range of the program's instruction arena.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    /// First instruction.
    pub start: u32,
    /// One past the last instruction.
    pub end: u32,
}

impl Code {
    /// Code that does nothing.
    pub const EMPTY: Code = Code { start: 0, end: 0 };

    /// Whether there is no instruction in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range as indices into the arena.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// How a scalar is stored, and to what a value is cut when it is assigned.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bit`, `bool`: the lowest bit.
    Bit,
    /// `byte`: eight bits, unsigned.
    Byte,
    /// `pid`: as `byte`.
    Pid,
    /// `mtype`: as `byte`.
    Mtype,
    /// `short`: sixteen bits, signed.
    Short,
    /// `int`: thirty-two bits, signed.
    Int,
    /// `unsigned x : n`: the lowest `n` bits (1 to 32).
    Unsigned(u8),
    /// A channel identity: sixteen bits, unsigned; 0 is "not initialised".
    Chan,
}

impl Scalar {
    /// Bytes that a value of this type takes in a frame or a message.
    pub fn size(self) -> u32 {
        match self {
            Scalar::Bit | Scalar::Byte | Scalar::Pid | Scalar::Mtype => 1,
            Scalar::Short | Scalar::Chan => 2,
            Scalar::Int => 4,
            Scalar::Unsigned(n) if n <= 8 => 1,
            Scalar::Unsigned(n) if n <= 16 => 2,
            Scalar::Unsigned(_) => 4,
        }
    }

    /// The value that remains when `value` is assigned to a variable of this type.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Scalar::Bit => value & 1,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype => value & 0xff,
            Scalar::Short => value as i16 as i32,
            Scalar::Int => value,
            Scalar::Unsigned(n) if n >= 32 => value,
            Scalar::Unsigned(n) => value & ((1u32 << n) - 1) as i32,
            Scalar::Chan => value & 0xffff,
        }
    }
}

/// Which piece of memory an address lies in.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// Global variables that belong to the state.
    Global,
    /// Global variables declared `hidden`: scratch space that is not part of the stored state.
    Hidden,
    /// The executing process' parameters and local variables.
    Local,
}

/// A scalar at a fixed address.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Where `offset` counts from.
    pub region: Region,
    /// Byte offset in the region.
    pub offset: u32,
    /// How the value is stored.
    pub ty: Scalar,
}

/// Operators with one operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `-x`
    Neg,
    /// `~x`
    BitNot,
    /// `!x`
    Not,
    /// 0 or 1: whether x is not 0.
    Bool,
}

/// Operators with two operands (both evaluated).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Model error when the divisor is 0.
    Div,
    /// Model error when the divisor is 0.
    Rem,
    /// Model error when the distance is negative or above 31.
    Shl,
    /// Arithmetic; model error when the distance is negative or above 31.
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl UnOp {
    /// The value of `op a`.
    #[inline(always)]
    pub fn of(self, a: i32) -> i32 {
        match self {
            UnOp::Neg => a.wrapping_neg(),
            UnOp::BitNot => !a,
            UnOp::Not => i32::from(a == 0),
            UnOp::Bool => i32::from(a != 0),
        }
    }
}

impl BinOp {
    /// The value of `a op b`; `None` where that is a model error.
    pub fn checked(self, a: i32, b: i32) -> Option<i32> {
        match self {
            BinOp::Div | BinOp::Rem if b == 0 => None,
            BinOp::Shl | BinOp::Shr if !(0..32).contains(&b) => None,
            _ => Some(self.of(a, b)),
        }
    }

    /// The value of `a op b` where it has one; a divisor of 0 panics.
    #[inline(always)]
    pub fn of(self, a: i32, b: i32) -> i32 {
        match self {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => a.wrapping_sub(b),
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::Div => a.wrapping_div(b),
            BinOp::Rem => a.wrapping_rem(b),
            BinOp::Shl => a.wrapping_shl(b as u32),
            BinOp::Shr => a.wrapping_shr(b as u32),
            BinOp::BitAnd => a & b,
            BinOp::BitOr => a | b,
            BinOp::BitXor => a ^ b,
            BinOp::Eq => i32::from(a == b),
            BinOp::Ne => i32::from(a != b),
            BinOp::Lt => i32::from(a < b),
            BinOp::Le => i32::from(a <= b),
            BinOp::Gt => i32::from(a > b),
            BinOp::Ge => i32::from(a >= b),
        }
    }
}

/// What can be asked of a channel without a side effect.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ChanQuery {
    Len,
    Empty,
    Nempty,
    Full,
    Nfull,
}

/// One instruction. The comment shows the operand stack before and after, top at the right.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Instr {
    /// `→ v`
    Const(i32),
    /// `→ v`: the value at a fixed address.
    Load(Cell),
    /// `v →`: cut to the cell's type and stored.
    Store(Cell),
    /// `→ a`: an address in the frame of the procedure. In procedures only ([`crate::expand_calls`] replaces it).
    Address(u32),
    /// `→ v`: what the last call returned. In programs with procedures only, as the first step behind a
    /// [`crate::program::Action::Call`].
    Result,
    /// Stops the run: the call at the span would be nested deeper than calls were expanded.
    CallTooDeep {
        /// How deep they were.
        depth: u32,
        /// The call.
        span: Span,
    },
    /// `a i → a + i·stride`; model error unless `0 ≤ i < len`.
    Index {
        /// Number of elements.
        len: u32,
        /// Bytes from one element to the next.
        stride: u32,
        /// The index expression.
        span: Span,
    },
    /// `a → v`: the value at a computed address.
    LoadAt(Region, Scalar),
    /// `a v →`: stored at a computed address.
    StoreAt(Region, Scalar),
    /// `v → op v`
    Unary(UnOp),
    /// `v w → v op w`; the span is that of the whole expression (division by zero, shift range).
    Binary(BinOp, Span),
    /// `v → 0` and jump if `v` is 0, else `v →` and go on. For `&&`.
    AndThen(u32),
    /// `v → 1` and jump if `v` is not 0, else `v →` and go on. For `||`.
    OrElse(u32),
    /// Jump.
    Jump(u32),
    /// `v →`: jump if `v` is 0.
    JumpIfZero(u32),
    /// Inside a `d_step` only: jump back, to the statement or loop at the span. The only instruction that leads to an earlier
    /// one, so that code without it ends.
    JumpBack(u32, Span),

    /// `→ _pid` of the executing process.
    SelfPid,
    /// `→ _nr_pr`
    NrProcesses,
    /// `→ _last`
    Last,
    /// `→ 1` if no process can move, else 0.
    Timeout,
    /// `→ 1` if no process is at a progress label, else 0 (`np_`).
    NonProgress,
    /// `pid → 0/1`: whether that process has an executable statement.
    Enabled,
    /// `pid → n`: SPIN's number of the control state that process is in.
    PcValue(Span),
    /// `pid → priority`
    GetPriority(Span),
    /// `pid priority →`
    SetPriority(Span),
    /// `→ priority` of the executing process (`_priority`).
    OwnPriority,

    /// `a1 … an → pid`: starts a process; model error when no more processes are possible.
    Run {
        /// What to start.
        proctype: ProctypeId,
        /// Number of arguments on the stack (one per scalar parameter cell).
        args: u16,
        /// Explicit priority; 0 for the proctype's own.
        priority: u8,
        /// The `run` expression.
        span: Span,
    },
    /// `→ chan`: makes a new channel that dies with the executing process (or never, when global).
    NewChan(TemplateId),
    /// `chan → n`
    Query(ChanQuery, Span),
    /// `→ 0/1`: whether the receive could happen now (`c?[…]`); it does not.
    Poll(RecvId),

    /// `pid → 0/1`: whether process `pid` is of that proctype and at one of the locations of
    /// `Program::label_sets[set]`.
    RemoteAt {
        /// Expected proctype.
        proctype: ProctypeId,
        /// Which locations.
        set: u32,
        /// The whole reference.
        span: Span,
    },
    /// `→ 0/1`: whether some process of any type is at one of the locations of each proctype in
    /// `Program::anywhere_sets[set]` (the `at(m)` spelling).
    AnywhereAt(u32),
    /// `pid → v`: a local variable of another process, at a fixed place.
    RemoteLoad {
        /// Expected proctype.
        proctype: ProctypeId,
        /// Byte offset in that process' frame.
        offset: u32,
        /// How it is stored.
        ty: Scalar,
        /// The whole reference.
        span: Span,
    },
    /// `pid a → v`: a local variable of another process, at a computed place.
    RemoteLoadAt {
        /// Expected proctype.
        proctype: ProctypeId,
        /// How it is stored.
        ty: Scalar,
        /// The whole reference.
        span: Span,
    },
    /// `→ pid`: the lowest pid of a running process of that proctype, or -1.
    PidOf(ProctypeId),

    /// `v →`: violation when `v` is 0.
    Assert(Span),
    /// `a1 … an →`: prints `Program::formats[format]`.
    Print {
        /// Which format string.
        format: u32,
        /// Number of arguments on the stack.
        args: u16,
    },
    /// `v →`: prints the name of an mtype constant of `Program::mtypes[set]` (`printm`).
    PrintMtype(u32),

    /// Inside a `d_step` only: send if possible, else jump.
    SendOr(SendId, u32),
    /// Inside a `d_step` only: receive if possible, else jump.
    RecvOr(RecvId, u32),
    /// Inside a `d_step` only: the whole `d_step` is not executable (nothing has been changed yet).
    NotExecutable,
    /// Inside a `d_step` only: model error, the sequence blocks after its first statement.
    Blocked(Span),
    /// Ends the code at once.
    Return,
}

impl Instr {
    /// Where this instruction may jump to.
    pub fn target(&self) -> Option<u32> {
        let mut copy = *self;
        copy.target_mut().copied()
    }

    /// Where this instruction may jump to, to be changed.
    pub fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Instr::AndThen(target)
            | Instr::OrElse(target)
            | Instr::Jump(target)
            | Instr::JumpIfZero(target)
            | Instr::JumpBack(target, _)
            | Instr::SendOr(_, target)
            | Instr::RecvOr(_, target) => Some(target),
            _ => None,
        }
    }
}

//! `Program`: what the front end makes of a model, and all that the checker knows of it.
//!
//! One control-flow [`Graph`] a proctype. A [`Location`] is a place where a process can be between two steps;
//! locations are SPIN's control states, so that numbers of states can be compared figure for figure. An
//! [`Edge`] is one step: it names its [`Action`], where it leads, and whether the process keeps control
//! (`atomic`). Edges of a location are sorted by [`Edge::level`]: the edges of level *n+1* are considered only
//! when no edge of level *n* or below is executable (`unless` escapes come first); at most one edge of each
//! location is [`Action::Else`], executable only when no other edge of its level or above is.
//!
//! A program with procedures comes in two forms: as written, with [`Program::procedures`] and edges that call and return;
//! and expanded to a depth of calls ([`crate::expand_calls`]), as an ordinary program. The checker's machine executes
//! the second.
//!
//! Nothing here knows how a program is searched.

use crate::code::{Cell, Code, Instr, Scalar};
use crate::source::Span;
use smallvec::SmallVec;

macro_rules! index_types {
    ($($(#[$doc:meta])* $name:ident($int:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub $int);
        impl $name {
            /// As an index into the table it belongs to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index_types! {
    /// Index into [`Program::proctypes`].
    ProctypeId(u16);
    /// A location of one graph.
    Loc(u32);
    /// An edge of one graph.
    EdgeId(u32);
    /// Index into [`Program::sends`].
    SendId(u32);
    /// Index into [`Program::recvs`].
    RecvId(u32);
    /// Index into [`Program::procedures`].
    ProcedureId(u16);
    /// Index into [`Program::calls`].
    CallId(u32);
    /// Index into [`Proctype::activations`].
    ActivationId(u32);
    /// Index into [`Program::templates`].
    TemplateId(u32);
    /// Index into [`Frame::vars`].
    VarId(u32);
    /// Index into [`Program::atoms`].
    AtomId(u32);
}

/// A compiled model.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The instruction arena.
    pub instrs: Vec<Instr>,
    /// Global variables that belong to the state.
    pub globals: Frame,
    /// `hidden` global variables.
    pub hidden: Frame,
    /// Initialises both kinds of globals, channels included, in order of declaration.
    pub init: Code,
    /// All process types, `init` included, in order of declaration.
    pub proctypes: Vec<Proctype>,
    /// Procedures, in order of declaration; none in a program whose calls are expanded.
    pub procedures: Vec<Procedure>,
    /// Operands of calls; none in a program whose calls are expanded.
    pub calls: Vec<CallOp>,
    /// The processes that exist at the start, in order of their pids.
    pub active: Vec<ProctypeId>,
    /// `never` claims, in order of declaration.
    pub claims: Vec<Claim>,
    /// The `trace` or `notrace` automaton, if there is one.
    pub trace: Option<Trace>,
    /// `ltl` blocks, in order of declaration.
    pub ltl: Vec<LtlProperty>,
    /// Conditions that `ltl` properties are made of.
    pub atoms: Vec<Atom>,
    /// Kinds of channel that `NewChan` makes.
    pub templates: Vec<ChanTemplate>,
    /// Operands of sends.
    pub sends: Vec<SendOp>,
    /// Operands of receives.
    pub recvs: Vec<RecvOp>,
    /// Sets of locations of one proctype that remote references name.
    pub label_sets: Vec<Vec<Loc>>,
    /// Locations, of any proctype, that `at(m)` names.
    pub anywhere_sets: Vec<Vec<(ProctypeId, Loc)>>,
    /// Strings of `printf`.
    pub formats: Vec<String>,
    /// Sets of symbolic constants; the first is the plain `mtype`.
    pub mtypes: Vec<MtypeSet>,
    /// `xr` and `xs` declarations.
    pub exclusive: Vec<Exclusive>,
    /// What is used anywhere: decides which bookkeeping a state needs.
    pub features: Features,
}

/// Constructs whose presence changes what must be kept in a state.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// `_last` is read.
    pub last: bool,
    /// Priorities are set, read or declared.
    pub priorities: bool,
    /// `enabled()` is used.
    pub enabled: bool,
    /// `np_` is read.
    pub non_progress: bool,
    /// `pc_value()` is used.
    pub pc_value: bool,
    /// `provided` clauses exist.
    pub provided: bool,
    /// `timeout` is read.
    pub timeout: bool,
    /// Some location has an `unless` escape.
    pub unless: bool,
}

/// Variables and where they lie.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// In order of declaration.
    pub vars: Vec<Var>,
    /// Bytes.
    pub size: u32,
}

/// A variable as declared, for printing values and for footprints.
#[derive(Clone, Debug)]
pub struct Var {
    /// Name as written; an inner-scope variable that shadows another has the same name.
    pub name: String,
    /// The nesting of blocks it is declared in, e.g. `_1_2`, empty at the outermost level.
    pub scope: String,
    /// Offset of its first byte in its region.
    pub offset: u32,
    /// Bytes in all.
    pub size: u32,
    /// The scalars it consists of, in order: one for `byte b`, n for an array, all fields of a structure.
    pub cells: Vec<NamedCell>,
    /// Where it is declared.
    pub span: Span,
    /// `show`, `local` or neither.
    pub visibility: Visibility,
    /// Whether it is a parameter of its proctype.
    pub parameter: bool,
}

/// One scalar of a variable: how to print it and where it is.
#[derive(Clone, Debug)]
pub struct NamedCell {
    /// Path after the variable's name: empty, `[3]`, `.f`, `[1].g[0]`.
    pub path: String,
    /// Offset from the start of the region.
    pub offset: u32,
    /// How it is stored.
    pub ty: Scalar,
    /// For an mtype: which set its names come from.
    pub mtype: Option<u32>,
}

/// A declaration's visibility prefix.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// None written.
    #[default]
    Plain,
    /// `show`: tracked in message sequence charts.
    Show,
    /// `local`: a global that one process alone uses (a hint to the reduction).
    Local,
    /// `hidden`
    Hidden,
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Name; `:init:` for `init`.
    pub name: String,
    /// Where it is declared (its name).
    pub span: Span,
    /// Parameters, then local variables. Parameters lie first, in order.
    pub frame: Frame,
    /// Cells that the arguments of `run` are stored to, in order.
    pub parameters: Vec<Cell>,
    /// Runs in the new process when it is created, parameters being set: initialises local variables.
    pub init: Code,
    /// Number of channels that `init` makes; they die with the process.
    pub channels: u32,
    /// Control flow.
    pub graph: Graph,
    /// `provided` clause: every step needs it.
    pub provided: Option<Code>,
    /// What the clause reads.
    pub provided_footprint: Footprint,
    /// Declared priority (1 if none).
    pub priority: u8,
    /// `D_proctype`: more than one enabled step in a state is an error.
    pub deterministic: bool,
    /// Where expanded calls are, in order of their locations.
    pub activations: Vec<Activation>,
}

/// A procedure as written. See [`crate::expand_calls`] for what calls and returns mean.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Name.
    pub name: String,
    /// Where it is declared (its name).
    pub span: Span,
    /// Parameters, then local variables, of one call. [`Region::Local`](crate::code::Region::Local) and [`Place::Own`] in
    /// the code of a procedure are this frame.
    pub frame: Frame,
    /// Cells that arguments are stored to, in order.
    pub parameters: Vec<Cell>,
    /// To what a result is cut; `None` for a procedure without one.
    pub result: Option<Scalar>,
    /// Part of the step of the call, parameters being set and all else being zero: initialises local variables.
    pub init: Code,
    /// What `init` touches.
    pub init_footprint: Footprint,
    /// Control flow. Ends with [`Action::Return`], never with [`Action::End`].
    pub graph: Graph,
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallOp {
    /// What is called.
    pub procedure: ProcedureId,
    /// Leaves the arguments, one for each of [`Procedure::parameters`], in order.
    pub args: Code,
    /// Whether the next step of the caller takes the result ([`Instr::Result`]).
    pub result: bool,
    /// Whether the call stands in an `atomic`: then the process keeps control until it returns, and beyond that if
    /// [`Edge::atomic`] says so.
    pub atomic: bool,
    /// The statement.
    pub span: Span,
}

/// The place of expanded calls of one procedure at one depth in a proctype: locations and variables of their own.
#[derive(Clone, Debug)]
pub struct Activation {
    /// Name of the procedure.
    pub procedure: String,
    /// Number of procedures that are being executed, this one included.
    pub depth: u32,
    /// Its first location; the locations up to the first of the next activation belong to it.
    pub first: Loc,
    /// The bytes of its variables in the frame of the proctype.
    pub frame: std::ops::Range<u32>,
    /// Where calls lead here from.
    pub sites: Vec<CallSite>,
    /// Tells which of the sites it was; `None` where there is one.
    pub site: Option<Cell>,
}

/// Where an activation is called from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The caller; `None` for the body of the proctype.
    pub caller: Option<ActivationId>,
    /// The call.
    pub span: Span,
    /// Where the caller goes on.
    pub back: Loc,
}

impl Proctype {
    /// The activation that a location belongs to; `None` for the body of the proctype.
    pub fn activation(&self, location: Loc) -> Option<ActivationId> {
        let behind = self.activations.partition_point(|a| a.first <= location);
        behind
            .checked_sub(1)
            .map(|index| ActivationId(index as u32))
    }
}

/// A control-flow graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Places a process can be at.
    pub locations: Vec<Location>,
    /// Steps; those of one location lie together.
    pub edges: Vec<Edge>,
    /// Where a process starts.
    pub start: Loc,
    /// Number of control states as SPIN counts them: those that no process can rest at are included.
    pub states: u32,
    /// The control states that are told of when no search reaches them, in order of their numbers.
    pub listing: Vec<Listed>,
}

/// A control state that is told of when nothing reaches it, as SPIN does.
#[derive(Clone, Debug)]
pub struct Listed {
    /// SPIN's number.
    pub number: u32,
    /// Where it stands: a selection or block where its first option stands.
    pub span: Span,
    /// The statements that would leave it.
    pub statements: Vec<String>,
    /// Whether SPIN counts it.
    pub counted: bool,
    /// It counts as reached also when the control state of that number was.
    pub behind: Option<u32>,
}

/// A place in a process between two steps.
#[derive(Clone, Debug)]
pub struct Location {
    /// SPIN's number of this control state.
    pub number: u32,
    /// First edge out of here.
    pub first: EdgeId,
    /// Number of edges.
    pub count: u32,
    /// All labels that name this place.
    pub labels: Vec<String>,
    /// Has an `end…` label, or is the end of the body: resting here is no deadlock.
    pub end: bool,
    /// Has an `accept…` label.
    pub accept: bool,
    /// Has a `progress…` label.
    pub progress: bool,
    /// The statement that starts here.
    pub span: Span,
}

impl Location {
    /// The edges that leave this location, as indices into [`Graph::edges`].
    pub fn edges(&self) -> std::ops::Range<usize> {
        self.first.index()..self.first.index() + self.count as usize
    }
}

/// One step of a process.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: Loc,
    /// Where it leads; for [`Action::Call`], after the return. For [`Action::End`] the process is gone, and for
    /// [`Action::Return`] it goes on elsewhere: this is meaningless.
    pub to: Loc,
    /// What it does.
    pub action: Action,
    /// Further effects after `action` in the same step: the rest of a `d_step`, or of a merged edge; often empty.
    pub then: Code,
    /// Whether the process keeps control afterwards (inside `atomic`).
    pub atomic: bool,
    /// Whether it is a `d_step`, in which no rendezvous can be offered.
    pub d_step: bool,
    /// `unless` nesting: lower levels are tried first.
    pub level: u8,
    /// SPIN's number of the statement, as in its trails.
    pub step: u32,
    /// Where it stands in the source.
    pub span: Span,
    /// The statement as text, in SPIN's layout, e.g. `x = (x+1)`.
    pub text: String,
    /// What it may touch.
    pub footprint: Footprint,
    /// For a merged edge, the edges of the plain graph that it stands for, in order; else itself.
    pub plain: SmallVec<[EdgeId; 4]>,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Always executable, no effect: `skip`, `goto`, `break`.
    Skip,
    /// Executable when the value that the code leaves is not 0. The code may contain `run`; then it is
    /// executed on the successor state.
    Guard(Code),
    /// Always executable: assignment, `printf`, `assert`, declaration with initialiser.
    Effect(Code),
    /// Executable when no other edge of the location is.
    Else,
    /// `c ! …`
    Send(SendId),
    /// `c ? …`
    Recv(RecvId),
    /// A `d_step`: executable unless it ends in `NotExecutable`; `start` of the code is its first statement.
    DStep(Code),
    /// The end of the process: executable when it is the youngest one.
    End,
    /// Always executable: a procedure is called. Only in programs with procedures.
    Call(CallId),
    /// Always executable, in procedures only: goes on in the caller. The code leaves the result, if there is one.
    Return(Code),
}

/// A send.
#[derive(Clone, Debug)]
pub struct SendOp {
    /// Leaves the channel.
    pub chan: Code,
    /// Leave the fields of the message, one each, in order.
    pub args: Vec<Code>,
    /// `!!`: insert in order.
    pub sorted: bool,
    /// The statement.
    pub span: Span,
    /// The channel expression as text.
    pub chan_text: String,
}

/// A receive, or what a poll asks.
#[derive(Clone, Debug)]
pub struct RecvOp {
    /// Leaves the channel.
    pub chan: Code,
    /// As written: not always as many as the messages of the channel have fields.
    pub args: Vec<RecvArg>,
    /// `??`: the first message that matches, not only the oldest.
    pub random: bool,
    /// `?<…>`: the message stays in the channel.
    pub peek: bool,
    /// `?[…]`: only asks whether there is such a message.
    pub poll: bool,
    /// The statement.
    pub span: Span,
    /// The channel expression as text.
    pub chan_text: String,
}

/// What a receive does with one field of the message.
#[derive(Clone, Debug)]
pub enum RecvArg {
    /// `_`: nothing.
    Ignore,
    /// A constant or `eval(e)`: the field must equal the value that the code leaves.
    Match(Code),
    /// Store the field at a fixed address.
    Bind(Cell),
    /// Store the field; the code leaves the address.
    BindAt(Code, crate::code::Region, Scalar),
}

/// A kind of channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChanTemplate {
    /// Number of messages it can hold; 0 for rendezvous.
    pub capacity: u32,
    /// Types of the fields of a message, structures flattened.
    pub fields: Vec<Scalar>,
    /// For each field, the mtype set it prints as.
    pub mtypes: Vec<Option<u32>>,
    /// Name of the variable it is made for, e.g. `q` (an element's is `q[2]`).
    pub name: String,
    /// Where it is declared.
    pub span: Span,
}

/// Names of symbolic constants.
#[derive(Clone, Debug, Default)]
pub struct MtypeSet {
    /// Empty for the plain `mtype`.
    pub name: String,
    /// `names[v - 1]` is the name of the value `v`.
    pub names: Vec<String>,
}

/// `xr c` or `xs c`: only this process receives from, or sends to, the channel.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// Who says so.
    pub proctype: ProctypeId,
    /// `xr`
    pub recv: bool,
    /// The variable that holds the channel.
    pub via: Access,
    /// Where it is said.
    pub span: Span,
}

/// A `never` claim: steps once before every step of the system; all its edges are [`Action::Guard`],
/// [`Action::Skip`], [`Action::Else`] or effects without consequence.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Name, `never_0` … when none is written.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Control flow.
    pub graph: Graph,
}

/// A `trace` or `notrace` automaton over send and receive events.
#[derive(Clone, Debug)]
pub struct Trace {
    /// `notrace`: the sequence must not occur.
    pub negated: bool,
    /// Where it is declared.
    pub span: Span,
    /// Control flow; edges are sends and receives (the events), or skips.
    pub graph: Graph,
    /// Global channel variables that are in its scope (those it names): their first cells.
    pub channels: Vec<Cell>,
}

/// An `ltl` block.
#[derive(Clone, Debug)]
pub struct LtlProperty {
    /// Name, `ltl_0` … when none is written.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The formula that is to hold.
    pub formula: Formula,
    /// What it has that cannot be checked; the formula then says nothing.
    pub refused: Option<String>,
}

/// A formula of linear temporal logic over atoms.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Formula {
    True,
    False,
    Atom(AtomId),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equiv(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    Release(Box<Formula>, Box<Formula>),
}

/// A state condition that formulas name.
#[derive(Clone, Debug)]
pub struct Atom {
    /// Leaves the value; 0 is false. No local variable, no side effect.
    pub code: Code,
    /// As text.
    pub text: String,
    /// Where it stands (its first occurrence).
    pub span: Span,
    /// What it reads.
    pub footprint: Footprint,
}

/// What a step or an atom may touch, in every state in which it is executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of variables that are read.
    pub reads: SmallVec<[Access; 2]>,
    /// Bytes of variables that are written.
    pub writes: SmallVec<[Access; 1]>,
    /// Channels that are used, by the expression that names them.
    pub chans: SmallVec<[ChanUse; 1]>,
    /// What else is observed or changed.
    pub specials: Specials,
}

/// A range of bytes of a variable.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Access {
    /// Where it lies.
    pub place: Place,
    /// First byte, counted from the start of the region.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

/// Whose memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Global variables.
    Global,
    /// Hidden global variables.
    Hidden,
    /// The process' own frame.
    Own,
    /// Some process of that type (a remote reference).
    Remote(ProctypeId),
}

/// Use of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChanUse {
    /// The variable that holds its identity.
    pub via: Access,
    /// How it is used.
    pub how: ChanAccess,
}

/// How a channel is used.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum ChanAccess {
    Send,
    Recv,
    /// `?<…>`
    Peek,
    /// `?[…]`
    Poll,
    Len,
    Empty,
    Nempty,
    Full,
    Nfull,
}

macro_rules! specials {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Special values that are read, and system-wide effects.
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub struct Specials {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Specials {
            /// Adds those of `other`.
            pub fn absorb(&mut self, other: Specials) {
                $(self.$name |= other.$name;)*
            }

            /// The names of those that are set, for messages.
            pub fn names(self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$name { names.push(stringify!($name)); })*
                names
            }
        }
    };
}

specials! {
    timeout,
    else_,
    last,
    nr_pr,
    pid,
    enabled,
    pc_value,
    non_progress,
    reads_priority,
    writes_priority,
    /// Control locations of other processes.
    remote_location,
    run,
    end,
    prints,
    asserts,
    /// May stop with a model error (index, division, shift, channel identity).
    can_fail,
}

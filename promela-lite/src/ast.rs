//! The syntax tree: a model as its author wrote it, after macros and inlines have been expanded.
//!
//! Names are not resolved and types not checked here. Every node has its span. Depth is bounded when the tree is
//! built ([`crate::parse`]), so that recursion over it is safe on the stack that [`crate::compile()`] provides.

use crate::source::Span;
use crate::symbol::Symbol;
use smallvec::SmallVec;

/// A name and where it stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub symbol: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A whole model: its units in order.
#[derive(Debug, Default)]
pub struct Spec {
    /// In order of appearance.
    pub units: Vec<Unit>,
}

/// One thing at the top level.
#[derive(Debug)]
pub enum Unit {
    /// `proctype`, `D_proctype` or `init`.
    Proctype(Proctype),
    /// `procedure`
    Procedure(Procedure),
    /// `never`
    Never(Body),
    /// `trace` or `notrace`
    Trace {
        /// `notrace`
        negated: bool,
        /// What it says.
        body: Body,
    },
    /// `ltl`
    Ltl {
        /// If one is written.
        name: Option<Name>,
        /// What is to hold.
        formula: Expr,
        /// The whole block.
        span: Span,
    },
    /// Variables.
    Decl(Decl),
    /// `typedef`
    Typedef {
        /// What is defined.
        name: Name,
        /// Its fields.
        fields: Vec<Decl>,
    },
    /// `mtype = { … }`
    Mtype {
        /// `mtype:name`
        set: Option<Name>,
        /// In order.
        constants: Vec<Name>,
        /// `hidden` and the like, which have no meaning here.
        visibility: Option<(Visibility, Span)>,
    },
}

/// A `never` claim or event trace.
#[derive(Debug)]
pub struct Body {
    /// If one is written.
    pub name: Option<Name>,
    /// The statements.
    pub block: Block,
    /// The keyword.
    pub span: Span,
}

/// A process type, or `init`.
#[derive(Debug)]
pub struct Proctype {
    /// `None` for `init`.
    pub name: Option<Name>,
    /// The name, or the keyword `init`.
    pub span: Span,
    /// `active [n]`: the number, 1 if none is written. `None` when not active.
    pub active: Option<Active>,
    /// `D_proctype`
    pub deterministic: bool,
    /// Parameters.
    pub parameters: Vec<Decl>,
    /// `priority n`
    pub priority: Option<Number>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// The statements.
    pub body: Block,
}

/// A procedure.
#[derive(Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Parameters.
    pub parameters: Vec<Decl>,
    /// `: type`
    pub result: Option<TypeRef>,
    /// The statements.
    pub body: Block,
}

/// `active` or `active [n]`.
#[derive(Debug)]
pub struct Active {
    /// Number of instances.
    pub count: Option<Expr>,
}

/// A number and where it stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its value.
    pub value: i32,
    /// Where it stands.
    pub span: Span,
}

/// Prefixes of declarations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

/// Variables of one type.
#[derive(Debug)]
pub struct Decl {
    /// Prefix, if any.
    pub visibility: Option<(Visibility, Span)>,
    /// The type.
    pub ty: TypeRef,
    /// The variables.
    pub vars: Vec<Declarator>,
}

/// A type as written.
#[derive(Copy, Clone, Debug)]
pub struct TypeRef {
    /// Which.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// Types.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TypeKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    Mtype(Option<Name>),
    User(Symbol),
}

/// One declared variable.
#[derive(Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// `: n`
    pub width: Option<Number>,
    /// `[n]`
    pub size: Option<Expr>,
    /// `= …`
    pub init: Option<Initialiser>,
}

/// What a variable starts with.
#[derive(Debug)]
pub enum Initialiser {
    /// An expression.
    Expr(Expr),
    /// `{ 1, 2, 3 }`
    List(Vec<Expr>, Span),
    /// `[n] of { … }`
    Chan {
        /// Number of messages.
        capacity: Expr,
        /// Types of the fields.
        fields: Vec<TypeRef>,
        /// The whole of it.
        span: Span,
    },
}

/// Statements in order, with a scope of their own.
#[derive(Debug)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// The whole of it.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Debug)]
pub struct Stmt {
    /// `a: b: statement`, outermost first.
    pub labels: Vec<Name>,
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands, without its labels.
    pub span: Span,
}

/// Kinds of statement.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    Decl(Decl),
    /// `xr c` or `xs c`
    Exclusive {
        recv: bool,
        chans: Vec<VarRef>,
    },
    Unless(Box<Stmt>, Box<Stmt>),
    Assign(VarRef, Expr),
    Increment(VarRef),
    Decrement(VarRef),
    Send {
        chan: VarRef,
        args: Vec<Expr>,
        sorted: bool,
    },
    Recv {
        chan: VarRef,
        args: Vec<RecvArg>,
        random: bool,
        peek: bool,
    },
    // What would make all statements larger stands in a box.
    For {
        var: Box<VarRef>,
        from: Expr,
        to: Expr,
        body: Block,
    },
    ForIn {
        var: Box<VarRef>,
        within: Box<VarRef>,
        body: Block,
    },
    Select {
        var: Box<VarRef>,
        from: Expr,
        to: Expr,
    },
    If(Vec<Block>),
    Do(Vec<Block>),
    Break,
    Goto(Name),
    /// `f(a, b)` or `x = f(a, b)`
    Call {
        result: Option<Box<VarRef>>,
        name: Name,
        args: Vec<Expr>,
    },
    Return(Option<Expr>),
    Atomic(Block),
    DStep(Block),
    Block(Block),
    Assert(Expr),
    Printf(Symbol, Vec<Expr>),
    Printm(Expr),
    SetPriority(Expr, Expr),
    Expr(Expr),
    Else,
}

/// The names of a reference; mostly there is just one.
pub type Path = SmallVec<[Segment; 1]>;

/// A variable, element or field: `a[i].b.c[j]`.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// From the variable inwards; at least one.
    pub path: Path,
    /// The whole of it.
    pub span: Span,
}

/// One name of a reference with its index.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Variable or field.
    pub name: Name,
    /// `[i]`
    pub index: Option<Expr>,
}

/// An argument of a receive.
#[derive(Clone, Debug)]
pub enum RecvArg {
    /// A variable to store to, a symbolic constant to match, or `_`.
    Var(VarRef),
    /// `eval(e)`
    Eval(Expr),
    /// A number to match.
    Const(Number),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Box<ExprKind>,
    /// Where it stands.
    pub span: Span,
    /// Nesting depth, 1 for a leaf.
    pub depth: u32,
}

/// Operators with two operands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitXor,
    BitOr,
    Gt,
    Lt,
    Ge,
    Le,
    Eq,
    Ne,
    And,
    Or,
    Shl,
    Shr,
    Until,
    WeakUntil,
    Release,
    Implies,
    Equiv,
}

/// Operators with one operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Unary {
    Neg,
    BitNot,
    Not,
    Next,
    Always,
    Eventually,
}

/// Questions about a channel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ChanQuery {
    Len,
    Empty,
    Nempty,
    Full,
    Nfull,
}

/// Kinds of expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    Number(i32),
    /// `true`, `false` and `skip`, as written.
    Bool(bool),
    Var(VarRef),
    Unary(Unary, Expr),
    Binary(Binary, Expr, Expr),
    /// `(c -> a : b)`
    Conditional(Expr, Expr, Expr),
    Run {
        name: Name,
        args: Vec<Expr>,
        priority: Option<Number>,
    },
    Query(ChanQuery, VarRef),
    Poll {
        chan: Box<VarRef>,
        args: Vec<RecvArg>,
        random: bool,
    },
    Enabled(Expr),
    PcValue(Expr),
    GetPriority(Expr),
    Timeout,
    NonProgress,
    /// `P[i]@L`, `P@L`
    RemoteLabel {
        proctype: Name,
        index: Option<Expr>,
        label: Name,
    },
    /// `P[i]:x`, `P:x`
    RemoteVar {
        proctype: Name,
        index: Option<Expr>,
        var: Box<VarRef>,
    },
    /// `at(m)`: some process is at a label of that name.
    AtLabel(Name),
    /// An error has been reported.
    Error,
}

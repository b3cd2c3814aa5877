//! Statements and expressions as text, laid out as SPIN prints them: every binary operation in parentheses.

use crate::ast::*;
use crate::symbol::Interner;
use std::fmt::Write;

/// Prints parts of the tree.
pub(crate) struct Text<'a> {
    symbols: &'a Interner,
    out: String,
}

impl<'a> Text<'a> {
    pub(crate) fn new(symbols: &'a Interner) -> Self {
        Text {
            symbols,
            // Enough for most statements.
            out: String::with_capacity(32),
        }
    }

    pub(crate) fn of_expr(symbols: &Interner, e: &Expr) -> String {
        let mut text = Text::new(symbols);
        text.expr(e);
        text.out
    }

    pub(crate) fn of_var(symbols: &Interner, var: &VarRef) -> String {
        let mut text = Text::new(symbols);
        text.var(var);
        text.out
    }

    /// `var = value`
    pub(crate) fn of_assignment(symbols: &Interner, var: &VarRef, value: &Expr) -> String {
        let mut text = Text::new(symbols);
        text.assignment(var, value);
        text.out
    }

    /// `var = (var+1)`
    pub(crate) fn of_increment(symbols: &Interner, var: &VarRef) -> String {
        let mut text = Text::new(symbols);
        text.step(var, "+");
        text.out
    }

    /// A statement that is one step.
    pub(crate) fn of_stmt(symbols: &Interner, kind: &StmtKind) -> String {
        let mut text = Text::new(symbols);
        text.stmt(kind);
        text.out
    }

    fn push(&mut self, s: &str) {
        self.out.push_str(s);
    }

    fn name(&mut self, name: Name) {
        let text = self.symbols.text(name.symbol);
        self.out.push_str(text);
    }

    fn var(&mut self, var: &VarRef) {
        for (i, segment) in var.path.iter().enumerate() {
            if i > 0 {
                self.push(".");
            }
            self.name(segment.name);
            if let Some(index) = &segment.index {
                self.push("[");
                self.expr(index);
                self.push("]");
            }
        }
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(",");
            }
            each(self, item);
        }
    }

    fn recv_args(&mut self, args: &[RecvArg]) {
        self.list(args, |text, arg| match arg {
            RecvArg::Var(var) => text.var(var),
            RecvArg::Eval(e) => {
                text.push("eval(");
                text.expr(e);
                text.push(")");
            }
            RecvArg::Const(number) => {
                let _ = write!(text.out, "{}", number.value);
            }
        });
    }

    fn call(&mut self, function: &str, e: &Expr) {
        self.push(function);
        self.push("(");
        self.expr(e);
        self.push(")");
    }

    fn expr(&mut self, e: &Expr) {
        match &*e.kind {
            ExprKind::Number(n) => {
                let _ = write!(self.out, "{n}");
            }
            ExprKind::Bool(b) => self.push(if *b { "1" } else { "0" }),
            ExprKind::Var(var) => self.var(var),
            ExprKind::Unary(op, e) => {
                self.push(unary_sign(*op));
                self.push("(");
                self.expr(e);
                self.push(")");
            }
            ExprKind::Binary(op, a, b) => {
                self.push("(");
                self.expr(a);
                self.push(binary_sign(*op));
                self.expr(b);
                self.push(")");
            }
            ExprKind::Conditional(c, a, b) => {
                self.push("( ");
                self.expr(c);
                self.push(" -> ");
                self.expr(a);
                self.push(" : ");
                self.expr(b);
                self.push(" )");
            }
            ExprKind::Run { name, args, .. } => {
                self.push("run ");
                self.name(*name);
                self.push("(");
                self.list(args, Text::expr);
                self.push(")");
            }
            ExprKind::Query(query, chan) => {
                self.push(query_word(*query));
                self.push("(");
                self.var(chan);
                self.push(")");
            }
            ExprKind::Poll { chan, args, random } => {
                self.var(chan);
                self.push(if *random { "??[" } else { "?[" });
                self.recv_args(args);
                self.push("]");
            }
            ExprKind::Enabled(e) => self.call("enabled", e),
            ExprKind::PcValue(e) => self.call("pc_value", e),
            ExprKind::GetPriority(e) => self.call("get_priority", e),
            ExprKind::Timeout => self.push("timeout"),
            ExprKind::NonProgress => self.push("np_"),
            ExprKind::RemoteLabel {
                proctype,
                index,
                label,
            } => {
                self.remote(*proctype, index.as_ref(), "@");
                self.name(*label);
            }
            ExprKind::RemoteVar {
                proctype,
                index,
                var,
            } => {
                self.remote(*proctype, index.as_ref(), ":");
                self.var(var);
            }
            ExprKind::AtLabel(label) => {
                self.push("at(");
                self.name(*label);
                self.push(")");
            }
            ExprKind::Error => self.push("?"),
        }
    }

    fn remote(&mut self, proctype: Name, index: Option<&Expr>, sign: &str) {
        self.name(proctype);
        if let Some(index) = index {
            self.push("[");
            self.expr(index);
            self.push("]");
        }
        self.push(sign);
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign(var, value) => self.assignment(var, value),
            StmtKind::Increment(var) => self.step(var, "+"),
            StmtKind::Decrement(var) => self.step(var, "-"),
            StmtKind::Send { chan, args, sorted } => {
                self.var(chan);
                self.push(if *sorted { "!!" } else { "!" });
                self.list(args, Text::expr);
            }
            StmtKind::Recv {
                chan,
                args,
                random,
                peek,
            } => {
                self.var(chan);
                self.push(if *random { "??" } else { "?" });
                self.push(if *peek { "<" } else { "" });
                self.recv_args(args);
                self.push(if *peek { ">" } else { "" });
            }
            StmtKind::Call { name, args, .. } => {
                self.name(*name);
                self.push("(");
                self.list(args, Text::expr);
                self.push(")");
            }
            StmtKind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.push(" ");
                    self.expr(value);
                }
            }
            StmtKind::Assert(e) => self.call("assert", e),
            StmtKind::Printf(format, args) => {
                let format = self.symbols.text(*format);
                let _ = write!(self.out, "printf('{format}'");
                if !args.is_empty() {
                    self.push(",");
                    self.list(args, Text::expr);
                }
                self.push(")");
            }
            StmtKind::Printm(e) => self.call("printm", e),
            StmtKind::SetPriority(pid, value) => {
                self.push("set_priority(");
                self.expr(pid);
                self.push(",");
                self.expr(value);
                self.push(")");
            }
            StmtKind::Expr(e) => {
                self.push("(");
                self.expr(e);
                self.push(")");
            }
            StmtKind::Goto(label) => {
                self.push("goto ");
                self.name(*label);
            }
            StmtKind::Break => self.push("break"),
            StmtKind::Else => self.push("else"),
            // The others are not single steps.
            _ => {}
        }
    }

    fn assignment(&mut self, var: &VarRef, value: &Expr) {
        self.var(var);
        self.push(" = ");
        self.expr(value);
    }

    fn step(&mut self, var: &VarRef, sign: &str) {
        self.var(var);
        self.push(" = (");
        self.var(var);
        self.push(sign);
        self.push("1)");
    }
}

fn unary_sign(op: Unary) -> &'static str {
    match op {
        Unary::Neg => "-",
        Unary::BitNot => "~",
        Unary::Not => " !",
        Unary::Next => "X ",
        Unary::Always => "[] ",
        Unary::Eventually => "<> ",
    }
}

fn binary_sign(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::BitAnd => "&",
        Binary::BitXor => "^",
        Binary::BitOr => "|",
        Binary::Gt => ">",
        Binary::Lt => "<",
        Binary::Ge => ">=",
        Binary::Le => "<=",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Until => " U ",
        Binary::WeakUntil => " W ",
        Binary::Release => " V ",
        Binary::Implies => " -> ",
        Binary::Equiv => " <-> ",
    }
}

fn query_word(query: ChanQuery) -> &'static str {
    match query {
        ChanQuery::Len => "len",
        ChanQuery::Empty => "empty",
        ChanQuery::Nempty => "nempty",
        ChanQuery::Full => "full",
        ChanQuery::Nfull => "nfull",
    }
}

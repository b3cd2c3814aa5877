//! Models with procedures, and the same models with every call written out.
//!
//! A model has a few procedures with parameters, local variables and results that call each other, and themselves while
//! their first parameter is not 0. It is told twice: with procedures, and without. In the second text the body of a
//! procedure stands in the place of each call, with variables of its own that are zero when it begins and ends; a `return`
//! is a jump to what follows. A step of the one corresponds to a step of the other, but for `skip`s behind calls and for
//! the locals that tell copies apart: verdicts are the same, numbers of states are not.

use crate::Rng;
use std::fmt::Write;

/// A model told in two ways.
#[derive(Clone, Debug)]
pub struct Recursive {
    /// With procedures.
    pub called: String,
    /// With what they do in the place of their calls.
    pub inlined: String,
}

/// The value that a call starts with may be so large: at most one more procedure is executed at a time.
pub const DEEPEST: u32 = 2;

/// The model that belongs to a seed.
pub fn recursive(seed: u64) -> Recursive {
    let mut rng = Rng::seeded(seed ^ 0x9c0c_0000_0000_0000);
    let count = rng.within(1, 3);
    let mut procedures = Vec::new();
    for _ in 0..count {
        let result = rng.chance(60);
        procedures.push(Procedure {
            result,
            body: Vec::new(),
        });
    }
    for index in 0..count {
        let mut writer = Writer {
            rng: &mut rng,
            procedures: &procedures,
            own: &["a", "l"],
            inside: true,
            calls: 2,
            atomic: false,
        };
        let length = writer.rng.within(1, 4);
        let mut body = writer.sequence(length, 2);
        if procedures[index].result {
            body.push(Statement::Return(writer.value()));
        }
        procedures[index].body = body;
    }
    let mut processes = Vec::new();
    for _ in 0..2 {
        let mut writer = Writer {
            rng: &mut rng,
            procedures: &procedures,
            own: &["x", "y"],
            inside: false,
            calls: 2,
            atomic: false,
        };
        let length = writer.rng.within(1, 3);
        let mut body = writer.sequence(length, 1);
        body.insert(0, writer.call());
        processes.push(body);
    }
    Recursive {
        called: called(&procedures, &processes),
        inlined: inlined(&procedures, &processes),
    }
}

struct Procedure {
    result: bool,
    body: Vec<Statement>,
}

/// Variables stand in texts as `{x}`, to be named.
enum Statement {
    Simple(String),
    If(Vec<(String, Vec<Statement>)>),
    Atomic(Vec<Statement>),
    Return(String),
    Call {
        callee: usize,
        to: Option<String>,
        level: Level,
        value: String,
    },
}

/// The first argument.
enum Level {
    Start(u32),
    /// One less than the caller's, if that is not 0.
    Less,
}

struct Writer<'r> {
    rng: &'r mut Rng,
    procedures: &'r [Procedure],
    own: &'static [&'static str],
    inside: bool,
    calls: usize,
    atomic: bool,
}

impl Writer<'_> {
    fn variable(&mut self) -> String {
        match self.rng.chance(50) {
            true => format!("g{}", self.rng.below(2)),
            false => format!("{{{}}}", self.own[self.rng.below(self.own.len())]),
        }
    }

    fn value(&mut self) -> String {
        match self.rng.below(4) {
            0 => self.rng.below(4).to_string(),
            1 => self.variable(),
            _ => {
                let (a, b) = (self.variable(), self.variable());
                let more = self.rng.below(3);
                format!("(({a} + {b} + {more}) % 4)")
            }
        }
    }

    fn condition(&mut self) -> String {
        let sign = ["==", "!=", "<", ">="][self.rng.below(4)];
        let (a, b) = (self.variable(), self.value());
        format!("{a} {sign} {b}")
    }

    fn sequence(&mut self, length: usize, nesting: u32) -> Vec<Statement> {
        (0..length).map(|_| self.statement(nesting)).collect()
    }

    fn statement(&mut self, nesting: u32) -> Statement {
        match self.rng.below(12) {
            0 | 1 if self.calls > 0 => {
                self.calls -= 1;
                self.call()
            }
            2 | 3 if nesting > 0 => {
                let options = self.rng.within(1, 2);
                let mut all = Vec::new();
                for _ in 0..options {
                    let guard = self.condition();
                    let length = self.rng.within(1, 2);
                    all.push((guard, self.sequence(length, nesting - 1)));
                }
                all.push(("else".to_owned(), vec![Statement::Simple("skip".into())]));
                Statement::If(all)
            }
            4 if !self.atomic => {
                self.atomic = true;
                let length = self.rng.within(1, 3);
                let mut body = vec![Statement::Simple(self.simple())];
                body.extend(self.sequence(length, nesting));
                self.atomic = false;
                Statement::Atomic(body)
            }
            5 if self.inside && nesting < 2 => {
                let result = self.value();
                Statement::Return(result)
            }
            6 => {
                let condition = self.condition();
                let spared = self.rng.below(4);
                Statement::Simple(format!("assert(({condition}) || g1 != {spared})"))
            }
            7 => {
                let value = self.value();
                Statement::Simple(format!("q!{value}"))
            }
            8 => {
                let variable = self.variable();
                Statement::Simple(format!("q?{variable}"))
            }
            _ => Statement::Simple(self.simple()),
        }
    }

    fn simple(&mut self) -> String {
        let (to, value) = (self.variable(), self.value());
        format!("{to} = {value}")
    }

    fn call(&mut self) -> Statement {
        let callee = self.rng.below(self.procedures.len());
        let takes = self.procedures[callee].result && self.rng.chance(80);
        Statement::Call {
            callee,
            to: takes.then(|| self.variable()),
            level: match self.inside {
                true => Level::Less,
                false => Level::Start(self.rng.below(DEEPEST as usize + 1) as u32),
            },
            value: self.value(),
        }
    }
}

const GLOBALS: &str = "byte g0, g1;\nchan q = [1] of { byte };\n";

/// Gives variables their names.
fn named(text: &str, prefix: &str) -> String {
    text.replace('{', prefix).replace('}', "")
}

fn called(procedures: &[Procedure], processes: &[Vec<Statement>]) -> String {
    let mut out = GLOBALS.to_owned();
    for (index, procedure) in procedures.iter().enumerate() {
        let result = if procedure.result { " : byte" } else { "" };
        let _ = writeln!(
            out,
            "procedure f{index}(byte d; byte a){result} {{\nbyte l;"
        );
        tell(&mut out, procedure.result, &procedure.body);
        out.push_str("}\n");
    }
    for (index, body) in processes.iter().enumerate() {
        let _ = writeln!(out, "active proctype P{index}() {{\nbyte x, y;");
        tell(&mut out, false, body);
        out.push_str("}\n");
    }
    out
}

fn tell(out: &mut String, result: bool, body: &[Statement]) {
    for statement in body {
        match statement {
            Statement::Simple(text) => {
                let _ = writeln!(out, "{};", named(text, ""));
            }
            Statement::If(options) => {
                out.push_str("if\n");
                for (guard, body) in options {
                    let _ = writeln!(out, ":: {} ->", named(guard, ""));
                    tell(out, result, body);
                }
                out.push_str("fi;\n");
            }
            Statement::Atomic(body) => {
                out.push_str("atomic {\n");
                tell(out, result, body);
                out.push_str("};\n");
            }
            Statement::Return(value) => {
                let value = named(value, "");
                let _ = match result {
                    true => writeln!(out, "return {value};"),
                    false => writeln!(out, "return;"),
                };
            }
            Statement::Call {
                callee,
                to,
                level,
                value,
            } => {
                let to = to.as_ref().map(|to| format!("{} = ", named(to, "")));
                let (to, value) = (to.unwrap_or_default(), named(value, ""));
                let _ = match level {
                    Level::Start(level) => writeln!(out, "{to}f{callee}({level}, {value});"),
                    Level::Less => writeln!(
                        out,
                        "if\n:: d > 0 -> {to}f{callee}(d - 1, {value})\n:: else -> skip\nfi;"
                    ),
                };
            }
        }
    }
}

/// Writes calls out.
struct Inliner<'p> {
    procedures: &'p [Procedure],
    out: String,
    copies: usize,
}

/// Whose body is written.
#[derive(Copy, Clone)]
struct Place<'n> {
    /// Before the names of its variables.
    prefix: &'n str,
    /// The copy and its level.
    copy: Option<(usize, u32)>,
}

fn inlined(procedures: &[Procedure], processes: &[Vec<Statement>]) -> String {
    let mut out = GLOBALS.to_owned();
    for (index, body) in processes.iter().enumerate() {
        let mut inliner = Inliner {
            procedures,
            out: String::new(),
            copies: 0,
        };
        let place = Place {
            prefix: "",
            copy: None,
        };
        inliner.tell(place, body);
        let _ = writeln!(out, "active proctype P{index}() {{\nbyte x, y;");
        for copy in 0..inliner.copies {
            let _ = writeln!(out, "byte c{copy}_d, c{copy}_a, c{copy}_l, c{copy}_r;");
        }
        out.push_str(&inliner.out);
        out.push_str("}\n");
    }
    out
}

impl Inliner<'_> {
    fn line(&mut self, text: String) {
        self.out.push_str(&text);
        self.out.push('\n');
    }

    fn tell(&mut self, place: Place<'_>, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Simple(text) => self.line(format!("{};", named(text, place.prefix))),
                Statement::If(options) => {
                    self.line("if".into());
                    for (guard, body) in options {
                        self.line(format!(":: {} ->", named(guard, place.prefix)));
                        self.tell(place, body);
                    }
                    self.line("fi;".into());
                }
                Statement::Atomic(body) => {
                    self.line("atomic {".into());
                    self.tell(place, body);
                    self.line("};".into());
                }
                Statement::Return(value) => {
                    if let Some((copy, _)) = place.copy {
                        self.leave(copy, &named(value, place.prefix));
                        self.line(format!("goto out{copy};"));
                    }
                }
                Statement::Call {
                    callee,
                    to,
                    level,
                    value,
                } => self.call(place, *callee, to.as_deref(), level, value),
            }
        }
    }

    /// The step of a return.
    fn leave(&mut self, copy: usize, value: &str) {
        self.line(format!(
            "d_step {{ c{copy}_r = {value}; c{copy}_d = 0; c{copy}_a = 0; c{copy}_l = 0 }};"
        ));
    }

    fn call(
        &mut self,
        place: Place<'_>,
        callee: usize,
        to: Option<&str>,
        level: &Level,
        value: &str,
    ) {
        let below = match (level, place.copy) {
            (Level::Start(level), _) => Some(*level),
            (Level::Less, Some((_, own))) => own.checked_sub(1),
            (Level::Less, None) => None,
        };
        let guarded = matches!(level, Level::Less);
        if guarded {
            self.line(format!("if\n:: {}d > 0 ->", place.prefix));
        }
        match below {
            None => self.line("assert(false)".into()),
            Some(below) => {
                let copy = self.copies;
                self.copies += 1;
                let value = named(value, place.prefix);
                self.line(format!(
                    "d_step {{ c{copy}_d = {below}; c{copy}_a = {value} }};"
                ));
                let prefix = format!("c{copy}_");
                let inside = Place {
                    prefix: &prefix,
                    copy: Some((copy, below)),
                };
                self.tell(inside, &self.procedures[callee].body);
                self.leave(copy, "0");
                let to = to.map(|to| named(to, place.prefix));
                let after = match to {
                    Some(to) => format!("d_step {{ {to} = c{copy}_r; c{copy}_r = 0 }}"),
                    None => format!("c{copy}_r = 0"),
                };
                self.line(format!("out{copy}: {after}"));
            }
        }
        if guarded {
            self.line(":: else -> skip\nfi".into());
        }
        self.line(";".into());
    }
}

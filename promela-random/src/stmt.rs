//! Random statements: what may stand where, and the simple ones.
//!
//! What may stand where is carried by [`Mode`]. Two rules keep models free of run-time errors and of endless work inside
//! one step: in a `d_step` nothing but the first statement may block, and inside `atomic` and `d_step` the only loops are
//! `for` loops, whose counters nothing else changes.

use crate::Construct;
use crate::body::Body;
use crate::world::{Channel, Class, Header, Variable, World};

/// What may stand here.
#[derive(Copy, Clone, Debug)]
pub(super) struct Mode {
    /// How much deeper statements may nest.
    pub(super) depth: usize,
    /// Inside a loop of the same `d_step`, or of none: `break` is possible.
    pub(super) in_loop: bool,
    /// Nothing may block.
    pub(super) flow: bool,
    /// The first statement of a sequence: no label.
    pub(super) first: bool,
    /// Decides, alone or with others, whether an option is taken: no `else`.
    pub(super) lead: bool,
}

impl Mode {
    fn top(depth: usize) -> Mode {
        Mode {
            depth,
            in_loop: false,
            flow: false,
            first: false,
            lead: false,
        }
    }

    pub(super) fn inner(self) -> Mode {
        Mode {
            depth: self.depth.saturating_sub(1),
            first: true,
            ..self
        }
    }

    pub(super) fn next(self) -> Mode {
        Mode {
            first: false,
            lead: false,
            ..self
        }
    }

    pub(super) fn labelled(self) -> bool {
        !self.first
    }
}

#[derive(Copy, Clone, Debug)]
enum StatementKind {
    Assign,
    Guard,
    Skip,
    Count,
    Printf,
    Assert,
    Send,
    Receive,
    If,
    Do,
    Atomic,
    DStep,
    Unless,
    Timeout,
    For,
    ForMessages,
    Select,
    Call,
    Run,
    Block,
    Declare,
}

impl World<'_> {
    pub(super) fn proctype_body(&mut self, body: &mut Body) {
        for index in 0..self.rng.within(0, 2) {
            let name = format!("l{index}");
            body.declare(format!("byte {name};"));
            body.locals.push(natural(name));
        }
        if self.draws(Construct::LocalChannels, 30) {
            let mut channel = self.channel("lc".to_string());
            channel.capacity = channel.capacity.max(1);
            body.declare(channel.declaration());
            body.channels.push(channel);
        }
        let count = self.rng.within(1, self.config.statements.max(1));
        self.sequence(body, Mode::top(self.config.depth), count);
    }

    /// Starts the processes that do not start by themselves.
    pub(super) fn init_body(&mut self, body: &mut Body) {
        let atomic = self.draws(Construct::Atomic, 60);
        if atomic {
            body.push("atomic {", false);
            body.open();
            body.in_atomic = true;
        }
        // No label up to the last of these: a jump back would start processes without end.
        body.push("skip;", false);
        for header in self.headers.clone() {
            if header.active == 0 {
                let call = self.run_call(&header, body);
                body.push(format!("{call};"), false);
            }
        }
        if atomic {
            body.in_atomic = false;
            body.close();
            body.push("};", false);
        }
        let count = self.rng.within(0, self.config.statements.div_ceil(2));
        self.sequence(body, Mode::top(self.config.depth), count);
    }

    /// What an inline does: nothing that blocks, so that it can be called anywhere.
    pub(super) fn inline_body(&mut self, body: &mut Body) {
        body.in_d_step = true;
        let mode = Mode {
            flow: true,
            ..Mode::top(1)
        };
        let count = self.rng.within(1, 2);
        self.sequence(body, mode, count);
    }

    fn sequence(&mut self, body: &mut Body, mut mode: Mode, count: usize) {
        for _ in 0..count {
            self.statement(body, mode);
            mode = mode.next();
        }
    }

    /// A sequence that stands in braces or in an option.
    pub(super) fn inner(&mut self, body: &mut Body, mode: Mode) {
        let count = self.rng.within(1, 3);
        let locals = body.locals.len();
        body.open();
        self.sequence(body, mode, count);
        body.close();
        body.locals.truncate(locals);
    }

    pub(super) fn statement(&mut self, body: &mut Body, mode: Mode) {
        let kinds = self.kinds(body, mode);
        let kind = self
            .rng
            .pick(&kinds)
            .copied()
            .unwrap_or(StatementKind::Skip);
        match kind {
            StatementKind::Assign => self.assign(body, mode),
            StatementKind::Guard => self.guard(body, mode),
            StatementKind::Skip => body.push("skip;", mode.labelled()),
            StatementKind::Count => self.count(body, mode),
            StatementKind::Printf => {
                let value = self.number(body, 1);
                body.push(format!("printf(\"%d\\n\", {value});"), mode.labelled());
            }
            StatementKind::Assert => {
                let condition = self.condition(body, 1, false);
                body.push(format!("assert({condition});"), mode.labelled());
            }
            StatementKind::Send => self.send(body, mode),
            StatementKind::Receive => self.receive(body, mode),
            StatementKind::If => self.selection(body, mode, false),
            StatementKind::Do => self.selection(body, mode, true),
            StatementKind::Atomic => self.atomic(body, mode),
            StatementKind::DStep => self.d_step(body, mode),
            StatementKind::Unless => self.unless(body, mode),
            StatementKind::Timeout => body.push("timeout;", mode.labelled()),
            StatementKind::For => self.for_loop(body, mode),
            StatementKind::ForMessages => self.for_messages(body, mode),
            StatementKind::Select => self.select(body, mode),
            StatementKind::Call => self.call(body, mode),
            StatementKind::Run => self.run(body, mode),
            StatementKind::Block => self.block(body, mode),
            StatementKind::Declare => self.declare(body),
        }
    }

    /// What can stand here, each as often as it is likely.
    fn kinds(&self, body: &Body, mode: Mode) -> Vec<StatementKind> {
        let has = |construct| self.config.has(construct);
        let channels = !self.channels.is_empty() || !body.channels.is_empty();
        let blocks = !mode.flow;
        let free = !body.in_d_step;
        let deeper = mode.depth > 0;
        let nests = deeper && (has(Construct::Nested) || mode.depth >= self.config.depth);
        let table = [
            (StatementKind::Assign, 5, true),
            (StatementKind::Guard, 3, blocks),
            (StatementKind::Skip, 1, true),
            (
                StatementKind::Count,
                2,
                blocks && (has(Construct::Atomic) || body.in_atomic),
            ),
            (StatementKind::Printf, 1, has(Construct::Printf)),
            (StatementKind::Assert, 1, has(Construct::Assert)),
            (StatementKind::Send, 3, blocks && channels),
            (StatementKind::Receive, 3, blocks && channels),
            (StatementKind::If, 3, nests),
            (StatementKind::Do, 3, nests && free && !body.in_atomic),
            (
                StatementKind::Atomic,
                2,
                deeper && free && has(Construct::Atomic),
            ),
            (
                StatementKind::DStep,
                2,
                deeper && free && has(Construct::DStep),
            ),
            (
                StatementKind::Unless,
                2,
                deeper && free && !mode.lead && has(Construct::Unless),
            ),
            (StatementKind::Timeout, 1, free && has(Construct::Timeout)),
            (
                StatementKind::For,
                2,
                deeper && !mode.lead && !body.inline && has(Construct::For),
            ),
            (
                StatementKind::ForMessages,
                2,
                deeper && free && !mode.lead && has(Construct::ForMessages),
            ),
            (
                StatementKind::Select,
                2,
                !body.inline && has(Construct::Select),
            ),
            (StatementKind::Call, 2, !self.inlines.is_empty()),
            (
                StatementKind::Run,
                1,
                free && !self.headers.is_empty() && has(Construct::Run),
            ),
            (
                StatementKind::Block,
                1,
                deeper && free && has(Construct::Blocks),
            ),
            (
                StatementKind::Declare,
                1,
                free && !mode.lead && has(Construct::Blocks),
            ),
        ];
        table
            .into_iter()
            .filter(|(_, _, allowed)| *allowed)
            .flat_map(|(kind, weight, _)| std::iter::repeat_n(kind, weight))
            .collect()
    }

    pub(super) fn assign(&mut self, body: &mut Body, mode: Mode) {
        if self.draws_partial(3)
            && let Some(assignment) = self.late_assignment()
        {
            return body.push(assignment, mode.labelled());
        }
        let symbolic = !self.symbols.is_empty() && self.rng.chance(15);
        let target = self.target(body, |v| (v.class == Class::Symbol) == symbolic);
        let text = match target {
            None => "skip;".to_string(),
            Some(name) if symbolic => format!("{name} = {};", self.symbol(body)),
            Some(name) => format!("{name} = {};", self.value(body)),
        };
        body.push(text, mode.labelled());
    }

    pub(super) fn guard(&mut self, body: &mut Body, mode: Mode) {
        let condition = self.condition(body, 2, true);
        let arrow = self.rng.word([" ->", ";"]);
        // An arrow needs something behind it.
        let arrow = if mode.lead { arrow } else { ";" };
        body.push(format!("{condition}{arrow}"), mode.labelled());
        if arrow == " ->" {
            body.push("skip;", true);
        }
    }

    /// Counts up or down within the bound, in one step.
    fn count(&mut self, body: &mut Body, mode: Mode) {
        let plain = |v: &Variable| v.class == Class::Natural && v.elements.is_none();
        let Some(name) = self.target(body, plain) else {
            return body.push("skip;", mode.labelled());
        };
        let bound = self.config.values - 1;
        let (guard, step) = if self.rng.chance(60) {
            (format!("{name} < {bound}"), format!("{name}++"))
        } else {
            (format!("{name} > 0"), format!("{name}--"))
        };
        let (open, close) = if body.in_atomic {
            ("", "")
        } else {
            ("atomic { ", " }")
        };
        body.push(format!("{open}{guard} -> {step}{close};"), mode.labelled());
    }

    /// A channel to send to or receive from; a `d_step` cannot meet another process.
    pub(super) fn usable_channel(&mut self, body: &Body) -> Option<Channel> {
        self.any_channel(body)
            .filter(|c| c.capacity > 0 || !body.in_d_step)
    }

    pub(super) fn send(&mut self, body: &mut Body, mode: Mode) {
        let Some(channel) = self.usable_channel(body) else {
            return body.push("skip;", mode.labelled());
        };
        let sorted = channel.capacity > 0 && self.draws(Construct::Sorted, 30);
        let sign = if sorted { "!!" } else { "!" };
        let arguments = match &channel.structure {
            Some(name) => name.clone(),
            None => {
                let fields: Vec<String> = channel
                    .fields
                    .iter()
                    .map(|&class| self.field(class, body))
                    .collect();
                fields.join(", ")
            }
        };
        body.push(
            format!("{}{sign}{arguments};", channel.name),
            mode.labelled(),
        );
    }

    pub(super) fn receive(&mut self, body: &mut Body, mode: Mode) {
        let Some(channel) = self.usable_channel(body) else {
            return body.push("skip;", mode.labelled());
        };
        let buffered = channel.capacity > 0;
        let random = buffered && self.draws(Construct::Sorted, 30);
        let sign = if random { "??" } else { "?" };
        let arguments = match &channel.structure {
            Some(name) => name.clone(),
            None => self.patterns(&channel, body),
        };
        let peek = buffered && self.draws(Construct::Peeks, 25);
        let arguments = if peek {
            format!("<{arguments}>")
        } else {
            arguments
        };
        body.push(
            format!("{}{sign}{arguments};", channel.name),
            mode.labelled(),
        );
    }

    fn select(&mut self, body: &mut Body, mode: Mode) {
        let plain = |v: &Variable| {
            v.class == Class::Natural && v.elements.is_none() && !v.name.contains('.')
        };
        let Some(name) = self.target(body, plain) else {
            return body.push("skip;", mode.labelled());
        };
        let high = self.rng.below(self.config.values);
        let low = self.rng.within(0, high);
        body.push(format!("select ({name} : {low} .. {high});"), false);
    }

    fn call(&mut self, body: &mut Body, mode: Mode) {
        let Some(inline) = self.rng.pick(&self.inlines).cloned() else {
            return body.push("skip;", mode.labelled());
        };
        let plain = |v: &Variable| v.class == Class::Natural;
        let Some(written) = self.target(body, plain) else {
            return body.push("skip;", mode.labelled());
        };
        let mut arguments = Vec::new();
        if inline.parameters == 2 {
            // No conditional expression: SPIN takes its arrow for a separator there.
            let operator = self.rng.word(["+", "-", "|", "&"]);
            let (left, right) = (self.atom(body), self.atom(body));
            arguments.push(format!("({left} {operator} {right})"));
        }
        arguments.push(written);
        body.push(format!("{}({});", inline.name, arguments.join(", ")), false);
    }

    fn run_call(&mut self, header: &Header, body: &Body) -> String {
        let mut arguments = Vec::new();
        if header.number {
            arguments.push(self.value(body));
        }
        if let Some(channel) = &header.channel {
            arguments.push(channel.name.clone());
        }
        format!("run {}({})", header.name, arguments.join(", "))
    }

    fn run(&mut self, body: &mut Body, mode: Mode) {
        let Some(header) = self.rng.pick(&self.headers).cloned() else {
            return body.push("skip;", mode.labelled());
        };
        let call = self.run_call(&header, body);
        let (open, close) = if body.in_atomic {
            ("", "")
        } else {
            ("atomic { ", " }")
        };
        let crowd = self.crowd;
        body.push(
            format!("{open}_nr_pr < {crowd} -> {call}{close};"),
            mode.labelled(),
        );
    }

    pub(super) fn declare(&mut self, body: &mut Body) {
        let name = body.fresh("b");
        let value = self.rng.below(self.config.values);
        body.push(format!("byte {name} = {value};"), false);
        body.locals.push(natural(name));
    }
}

pub(super) fn natural(name: String) -> Variable {
    Variable {
        name,
        elements: None,
        class: Class::Natural,
    }
}

//! Which channels each variable and each kind of message may hold, and whether anybody can tell the numbers of channels.
//!
//! A channel is told apart by the declaration that makes it, its template. What a variable may hold is the least solution
//! of the program's assignments, arguments and messages, whatever their order (Andersen's points-to analysis): a set of
//! templates. The messages of one kind of channel are one set. From it follows for every step
//! whether the number of a channel decides about what it does: where it is compared with something other than a channel,
//! calculated with, sorted by, or stored as a number. To ask whether two channels are the same is to tell no number. A
//! number that becomes a channel is worse: then one cannot tell which channel is meant.
//!
//! A process that ends takes its channels along, and their numbers are given to others. That cannot be seen where a channel
//! is only ever handed on as an argument of `run`: whoever has it is younger than its maker, so that the maker is still
//! there. Through a variable of all processes, or in a message, an older process may get it ([`Flow::escapes`]).

use super::bits::Bits;
use super::channel_values::{Event, Value, follow};
use super::facts::run_targets;
use crate::faults::{Fault, is_active};
use crate::limits::Cancellation;
use promela_lite::code::{Code, Instr, Region, Scalar};
use promela_lite::program::*;

/// Arrays with more channels than this are one variable.
const MAX_CELLS: usize = 64;

/// What was found out.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// For each proctype, which of its edges tell the number of a channel.
    pub(super) told: Vec<Vec<bool>>,
    /// A number may become a channel, a process looks at the channels of another one, or a property tells numbers.
    pub(super) forged: bool,
    /// An older process may have a channel of a process that ends.
    pub(super) escapes: bool,
}

/// Where a code stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum At {
    /// In no process.
    Outside,
    /// What a process of that type does when it is started.
    Init(ProctypeId),
    Edge(ProctypeId, usize),
}

/// Where channels come from.
#[derive(Clone, Debug)]
enum Source {
    Template(usize),
    /// Variables, by number.
    Variables(std::ops::Range<usize>),
    /// Any channel at all.
    Any,
}

/// One side of a message.
#[derive(Debug)]
struct Operation {
    at: At,
    channel: Source,
    sorted: bool,
    fields: Vec<Field>,
}

#[derive(Debug)]
enum Field {
    Ignored,
    /// Sent, or compared with what is in the message.
    Given {
        value: Value,
        source: Source,
        sends: bool,
    },
    /// Stored in a variable of type chan, or in another one.
    Channel(std::ops::Range<usize>),
    Number,
}

struct Analysis<'p> {
    program: &'p Program,
    /// The variables of type chan: first those of all processes, then those of each proctype, each sorted by position.
    frames: Vec<Vec<(u32, u32)>>,
    /// The number of the first variable of each frame.
    first: Vec<usize>,
    holds: Vec<Bits>,
    /// What the messages of each kind of channel hold.
    messages: Vec<Bits>,
    flows: Vec<(std::ops::Range<usize>, Source)>,
    operations: Vec<Operation>,
    init_tells: Vec<bool>,
    flow: Flow,
}

impl Flow {
    /// Follows the channels of a program, unless that is given up.
    pub(super) fn new(program: &Program, cancellation: &Cancellation) -> Option<Flow> {
        let mut analysis = Analysis::new(program);
        // Channels that exist from the beginning have the same numbers in every state.
        if program.proctypes.iter().all(|p| p.channels == 0) {
            return Some(analysis.flow);
        }
        analysis.read();
        analysis.solve(cancellation)?;
        analysis.judge();
        Some(analysis.flow)
    }
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program) -> Analysis<'p> {
        let frames = [&program.globals, &program.hidden].into_iter();
        let frames = frames.chain(program.proctypes.iter().map(|p| &p.frame));
        let frames: Vec<Vec<(u32, u32)>> = frames.map(variables).collect();
        let first = frames.iter().scan(0, |next, frame| {
            let first = *next;
            *next += frame.len();
            Some(first)
        });
        let first = first.collect();
        let count = frames.iter().map(Vec::len).sum();
        let edges = program
            .proctypes
            .iter()
            .map(|p| vec![false; p.graph.edges.len()]);
        Analysis {
            program,
            first,
            holds: vec![Bits::default(); count],
            messages: vec![Bits::default(); program.templates.len()],
            flows: Vec::new(),
            operations: Vec::new(),
            init_tells: vec![false; program.proctypes.len()],
            flow: Flow {
                told: edges.collect(),
                ..Flow::default()
            },
            frames,
        }
    }

    /// The variables that an access may touch.
    fn variables(&self, at: At, access: Access) -> Option<std::ops::Range<usize>> {
        let frame = match (access.place, at) {
            (Place::Global, _) => 0,
            (Place::Hidden, _) => 1,
            (Place::Own, At::Init(id) | At::Edge(id, _)) => 2 + id.index(),
            _ => return None,
        };
        let cells = &self.frames[frame];
        let from = cells.partition_point(|cell| cell.1 <= access.lo);
        let to = cells.partition_point(|cell| cell.0 < access.hi);
        Some(self.first[frame] + from..self.first[frame] + to.max(from))
    }

    fn source(&self, at: At, value: Value) -> Source {
        match value {
            Value::Variable(access) => self
                .variables(at, access)
                .map_or(Source::Any, Source::Variables),
            Value::New(template) => Source::Template(template.index()),
            Value::Number | Value::Const(_) | Value::Address(..) => Source::Variables(0..0),
            Value::Channel | Value::Mixed => Source::Any,
        }
    }

    fn tell(&mut self, at: At) {
        match at {
            At::Outside => self.flow.forged = true,
            At::Init(id) => self.init_tells[id.index()] = true,
            At::Edge(id, edge) => self.flow.told[id.index()][edge] = true,
        }
    }

    /// Reads the whole program.
    fn read(&mut self) {
        let program = self.program;
        self.code(At::Outside, program.init);
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            self.code(At::Init(id), proctype.init);
            if let Some(provided) = proctype.provided {
                self.code(At::Outside, provided);
            }
            for (number, edge) in proctype.graph.edges.iter().enumerate() {
                self.edge(At::Edge(id, number), edge);
            }
        }
        let claims = program.claims.iter().map(|c| &c.graph);
        let graphs = claims.chain(program.trace.iter().map(|t| &t.graph));
        for edge in graphs.flat_map(|g| &g.edges) {
            self.edge(At::Outside, edge);
        }
        for atom in &program.atoms {
            self.code(At::Outside, atom.code);
        }
    }

    fn edge(&mut self, at: At, edge: &Edge) {
        match edge.action {
            Action::Guard(code) | Action::Effect(code) | Action::DStep(code) => {
                self.code(at, code);
            }
            Action::Send(id) => self.send(at, id),
            Action::Recv(id) => self.recv(at, id),
            // Calls have been expanded.
            Action::Skip | Action::Else | Action::End | Action::Call(_) | Action::Return(_) => {}
        }
        self.code(at, edge.then);
    }

    fn code(&mut self, at: At, code: Code) -> Value {
        let mut events = Vec::new();
        let value = follow(self.program, code, &mut |event| events.push(event));
        for event in events {
            match event {
                Event::Told => self.tell(at),
                Event::Forged => self.flow.forged = true,
                Event::Stored(to, value) => {
                    let source = self.source(at, value);
                    match self.variables(at, to) {
                        Some(to) => self.flows.push((to, source)),
                        None => self.flow.forged = true,
                    }
                }
                Event::Started(id, argument, value) => {
                    let source = self.source(at, value);
                    let parameters = &self.program.proctypes[id.index()].parameters;
                    let cell = parameters.get(argument).filter(|c| c.ty == Scalar::Chan);
                    let own = cell.map(|cell| Access {
                        place: Place::Own,
                        lo: cell.offset,
                        hi: cell.offset + cell.ty.size(),
                    });
                    let to = own.and_then(|own| self.variables(At::Init(id), own));
                    self.flows.extend(to.map(|to| (to, source)));
                }
            }
        }
        for instr in &self.program.instrs[code.range()] {
            match *instr {
                Instr::Poll(id) | Instr::RecvOr(id, _) => self.recv(at, id),
                Instr::SendOr(id, _) => self.send(at, id),
                _ => {}
            }
        }
        value
    }

    fn send(&mut self, at: At, id: SendId) {
        let send = &self.program.sends[id.index()];
        let fields = send.args.iter().map(|&arg| {
            let value = self.code(at, arg);
            let source = self.source(at, value);
            Field::Given {
                value,
                source,
                sends: true,
            }
        });
        let fields = fields.collect();
        self.operation(at, send.chan, send.sorted, fields);
    }

    fn recv(&mut self, at: At, id: RecvId) {
        let recv = &self.program.recvs[id.index()];
        let fields = recv.args.iter().map(|arg| match *arg {
            RecvArg::Ignore => Field::Ignored,
            RecvArg::Match(code) => {
                let value = self.code(at, code);
                let source = self.source(at, value);
                Field::Given {
                    value,
                    source,
                    sends: false,
                }
            }
            RecvArg::Bind(cell) => {
                let range = (cell.offset, cell.offset + cell.ty.size());
                self.bound(at, cell.region, range, cell.ty)
            }
            RecvArg::BindAt(code, region, ty) => {
                let range = match self.code(at, code) {
                    Value::Address(lo, hi) => (lo, hi),
                    Value::Const(lo) => (lo as u32, lo as u32 + ty.size()),
                    _ => (0, u32::MAX),
                };
                self.bound(at, region, range, ty)
            }
        });
        let fields = fields.collect();
        self.operation(at, recv.chan, false, fields);
    }

    fn bound(&self, at: At, region: Region, (lo, hi): (u32, u32), ty: Scalar) -> Field {
        let place = match region {
            Region::Global => Place::Global,
            Region::Hidden => Place::Hidden,
            Region::Local => Place::Own,
        };
        match ty {
            Scalar::Chan => {
                let to = self.variables(at, Access { place, lo, hi });
                Field::Channel(to.unwrap_or(0..0))
            }
            _ => Field::Number,
        }
    }

    fn operation(&mut self, at: At, channel: Code, sorted: bool, fields: Vec<Field>) {
        let channel = match self.code(at, channel) {
            value @ (Value::Variable(_) | Value::New(_)) => self.source(at, value),
            _ => Source::Any,
        };
        self.operations.push(Operation {
            at,
            channel,
            sorted,
            fields,
        });
    }

    fn of(&self, source: &Source) -> Bits {
        let mut all = Bits::default();
        match source {
            Source::Template(template) => all.insert(*template),
            Source::Variables(range) => {
                let held = self.holds[range.clone()].iter();
                held.for_each(|more| all.absorb(more));
            }
            Source::Any => (0..self.messages.len()).for_each(|t| all.insert(t)),
        }
        all
    }

    fn add(&mut self, to: std::ops::Range<usize>, more: &Bits) -> bool {
        let mut changed = false;
        for held in &mut self.holds[to] {
            let before = held.clone();
            held.absorb(more);
            changed |= *held != before;
        }
        changed
    }

    /// Makes all flows until nothing is new.
    fn solve(&mut self, cancellation: &Cancellation) -> Option<()> {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let flows = std::mem::take(&mut self.flows);
            for (to, source) in &flows {
                if cancellation.poll().is_some() {
                    return None;
                }
                let more = self.of(source);
                changed |= self.add(to.clone(), &more);
            }
            self.flows = flows;
            let operations = std::mem::take(&mut self.operations);
            for operation in &operations {
                if cancellation.poll().is_some() {
                    return None;
                }
                changed |= self.carry(operation);
            }
            self.operations = operations;
        }
        Some(())
    }

    /// What a send puts into messages, or a receive takes out of them.
    fn carry(&mut self, operation: &Operation) -> bool {
        let mut changed = false;
        for (index, field) in operation.fields.iter().enumerate() {
            let carries = match field {
                Field::Given { value, sends, .. } => *sends && !value.is_number(),
                Field::Channel(_) => true,
                Field::Ignored | Field::Number => false,
            };
            if !carries {
                continue;
            }
            let channels = self.of(&operation.channel);
            for template in (0..self.messages.len()).filter(|&t| channels.contains(t)) {
                if self.program.templates[template].fields.get(index) != Some(&Scalar::Chan) {
                    continue;
                }
                match field {
                    Field::Given { source, .. } => {
                        let more = self.of(source);
                        let before = self.messages[template].clone();
                        self.messages[template].absorb(&more);
                        changed |= self.messages[template] != before;
                    }
                    Field::Channel(to) => {
                        let more = self.messages[template].clone();
                        changed |= self.add(to.clone(), &more);
                    }
                    Field::Ignored | Field::Number => {}
                }
            }
        }
        changed
    }

    /// Decides what is told, now that it is known what is held where.
    fn judge(&mut self) {
        let operations = std::mem::take(&mut self.operations);
        for operation in &operations {
            let channels = self.of(&operation.channel);
            for template in (0..self.messages.len()).filter(|&t| channels.contains(t)) {
                self.judge_fields(operation, template);
            }
        }
        let program = self.program;
        for (index, proctype) in program.proctypes.iter().enumerate() {
            for (number, edge) in proctype.graph.edges.iter().enumerate() {
                let mut started = run_targets(program, edge);
                self.flow.told[index][number] |= started.any(|p| self.init_tells[p.index()]);
            }
        }
        if program.active.iter().any(|p| self.init_tells[p.index()]) {
            self.flow.forged = true;
        }
        let mut known = Bits::default();
        let shared = self.frames[0].len() + self.frames[1].len();
        let shared = self.holds[..shared].iter();
        shared
            .chain(&self.messages)
            .for_each(|held| known.absorb(held));
        let ends = program
            .proctypes
            .iter()
            .enumerate()
            .filter(|(index, proctype)| {
                let ends = proctype.graph.edges.iter().any(|e| e.action == Action::End);
                ends && !is_oldest(program, ProctypeId(*index as u16))
            });
        self.flow.escapes = !is_active(Fault::ChannelsEscape)
            && ends.into_iter().any(|(_, proctype)| {
                program.instrs[proctype.init.range()]
                    .iter()
                    .any(|i| matches!(i, Instr::NewChan(t) if known.contains(t.index())))
            });
    }

    fn judge_fields(&mut self, operation: &Operation, template: usize) {
        let types = &self.program.templates[template].fields;
        let mut told = operation.sorted && types.contains(&Scalar::Chan);
        let mut forged = false;
        for (field, ty) in operation.fields.iter().zip(types) {
            let carries = *ty == Scalar::Chan;
            match *field {
                Field::Ignored => {}
                Field::Given { value, sends, .. } => {
                    let fits = match carries {
                        true => value.is_channel() || value == Value::Const(0),
                        false => value.is_number(),
                    };
                    told |= !fits;
                    forged |= !fits && carries && sends;
                }
                Field::Channel(_) => forged |= !carries,
                Field::Number => told |= carries,
            }
        }
        self.flow.forged |= forged;
        if told {
            self.tell(operation.at);
        }
    }
}

/// Whether there is only ever one process of that type, and none is older.
fn is_oldest(program: &Program, id: ProctypeId) -> bool {
    let edges = program.proctypes.iter().flat_map(|p| &p.graph.edges);
    let mut started = edges.into_iter().flat_map(|e| run_targets(program, e));
    let active = program.active.iter().filter(|&&a| a == id).count();
    program.active.first() == Some(&id) && active == 1 && !started.any(|p| p == id)
}

/// The variables of type chan of a frame, as ranges.
fn variables(frame: &Frame) -> Vec<(u32, u32)> {
    let mut ranges = Vec::new();
    for var in &frame.vars {
        let channels = || var.cells.iter().filter(|c| c.ty == Scalar::Chan);
        match channels().count() {
            0 => {}
            1..=MAX_CELLS => {
                ranges.extend(channels().map(|c| (c.offset, c.offset + c.ty.size())));
            }
            _ => ranges.push((var.offset, var.offset + var.size)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Model;

    /// Whether anybody tells numbers, whether a number may become a channel, and whether channels escape.
    fn judged(text: &str) -> (bool, bool, bool) {
        let program = Model::from_source(text).unwrap().program;
        let flow = Flow::new(&program, &Cancellation::default()).unwrap();
        (
            flow.told.iter().flatten().any(|&told| told),
            flow.forged,
            flow.escapes,
        )
    }

    #[test]
    fn numbers_are_told_where_they_decide_and_channels_escape_where_older_processes_get_them() {
        let (told, escapes, nothing) = (
            (true, false, false),
            (false, false, true),
            (false, false, false),
        );
        for (due, text) in [
            (
                nothing,
                "proctype C(chan c) { c!1 } init { chan c = [1] of { byte }; run C(c); c?_ }",
            ),
            (
                nothing,
                "init { chan c = [1] of { byte }; chan d = [1] of { byte }; assert(c != d && c != 0) }",
            ),
            (
                told,
                "init { chan c = [1] of { byte }; chan d = [1] of { byte }; assert(c < d) }",
            ),
            (
                escapes,
                "chan g; proctype C() { chan c = [1] of { byte }; g = c } init { run C() }",
            ),
            // The oldest process is the last to go.
            (nothing, "chan g; init { chan c = [1] of { byte }; g = c }"),
            (
                escapes,
                "chan m = [1] of { chan }; proctype C() { chan c = [1] of { byte }; m!c } init { run C() }",
            ),
            // A server that never ends keeps its channels.
            (
                nothing,
                "chan m = [1] of { chan }; proctype C() { chan c = [1] of { byte }; m!c; end: do :: c?_ od } init { run C() }",
            ),
            // A channel of all processes, handed on in a message.
            (
                nothing,
                "chan m = [1] of { chan }; chan a = [1] of { byte }; proctype C() { chan c = [1] of { byte }; m!a; c!1 } init { run C() }",
            ),
            (
                told,
                "chan m = [2] of { chan }; proctype C() { chan c = [1] of { byte }; m!!c; end: do :: c?_ od } init { run C() }",
            ),
        ] {
            assert_eq!(judged(text), due, "{text}");
        }
    }
}

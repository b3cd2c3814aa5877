//! Where values are kept: bytes of variables and fields of messages, and which of them cannot be told apart.
//!
//! Every byte of a frame has a number, and so has every field of every kind of channel. Bytes that one access may touch
//! together are one *place*: those of a scalar, and those of all elements that a computed index may mean, so `a[i].f` joins
//! the fields `f` of all elements, and leaves alone the other fields, and `a[0]` of an array that is never indexed otherwise.
//! Joined by union-find (Tarjan).
//!
//! Which channel an operation means is decided as coarsely as that is harmless (Steensgaard, *Points-to analysis in almost
//! linear time*, POPL 1996): channel variables that are assigned to each other hold channels of one group, those that travel
//! in messages are one group, and where a channel's number is made of anything else, all channels are. The fields of a group
//! are joined one by one.

use super::operands::{Range, Shape, Value, walk};
use crate::code::{Code, Instr, Region, Scalar};
use crate::program::*;
use rustc_hash::FxHashSet;

/// A piece of code, with what becomes of the value that it leaves.
#[derive(Copy, Clone, Debug)]
pub(super) struct Piece {
    pub(super) code: Code,
    /// Whose locals it means.
    pub(super) own: Option<ProctypeId>,
    pub(super) role: Role,
    pub(super) site: Site,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The value decides about something.
    Value,
    /// It names a channel.
    Channel,
    /// There is none.
    Effect,
    /// It becomes that field of a message.
    Field(SendId, u32),
    /// It is the address that a field is stored to.
    Address(RecvId, u32),
    /// Initialises the globals.
    Start,
}

/// Where a piece of code stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Site {
    Edge(ProctypeId, EdgeId),
    Init(ProctypeId),
    Provided(ProctypeId),
    /// One of the conditions that a property reads.
    Condition(u32),
    Globals,
    Trace,
}

/// A channel operation.
#[derive(Copy, Clone, Debug)]
pub(super) struct Operation {
    pub(super) op: Op,
    pub(super) own: Option<ProctypeId>,
    pub(super) site: Site,
}

#[derive(Copy, Clone, Debug)]
pub(super) enum Op {
    Send(SendId),
    Recv(RecvId),
}

/// Everything that is executed when a property with those conditions is checked.
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    pub(super) operations: Vec<Operation>,
}

impl Pieces {
    pub(super) fn of(program: &Program, conditions: &[Code]) -> Pieces {
        let mut pieces = Pieces {
            pieces: Vec::new(),
            operations: Vec::new(),
        };
        pieces.add(program, program.init, None, Role::Start, Site::Globals);
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            pieces.add(
                program,
                proctype.init,
                Some(id),
                Role::Effect,
                Site::Init(id),
            );
            if let Some(code) = proctype.provided {
                pieces.add(program, code, Some(id), Role::Value, Site::Provided(id));
            }
            for (index, edge) in proctype.graph.edges.iter().enumerate() {
                let site = Site::Edge(id, EdgeId(index as u32));
                pieces.edge(program, edge, Some(id), site);
            }
        }
        for (index, &code) in conditions.iter().enumerate() {
            let site = Site::Condition(index as u32);
            pieces.add(program, code, None, Role::Value, site);
        }
        for edge in program.trace.iter().flat_map(|trace| &trace.graph.edges) {
            pieces.edge(program, edge, None, Site::Trace);
        }
        pieces
    }

    fn edge(&mut self, program: &Program, edge: &Edge, own: Option<ProctypeId>, site: Site) {
        match edge.action {
            Action::Guard(code) => self.add(program, code, own, Role::Value, site),
            Action::Effect(code) | Action::DStep(code) => {
                self.add(program, code, own, Role::Effect, site);
            }
            Action::Send(id) => self.operation(program, Op::Send(id), own, site),
            Action::Recv(id) => self.operation(program, Op::Recv(id), own, site),
            Action::Skip | Action::Else | Action::End => {}
            // Not in a program whose calls are expanded, and no other is analysed.
            Action::Call(_) | Action::Return(_) => {}
        }
        self.add(program, edge.then, own, Role::Effect, site);
    }

    fn add(
        &mut self,
        program: &Program,
        code: Code,
        own: Option<ProctypeId>,
        role: Role,
        site: Site,
    ) {
        if code.is_empty() {
            return;
        }
        self.pieces.push(Piece {
            code,
            own,
            role,
            site,
        });
        for instr in &program.instrs[code.range()] {
            match *instr {
                Instr::SendOr(id, _) => self.operation(program, Op::Send(id), own, site),
                Instr::RecvOr(id, _) | Instr::Poll(id) => {
                    self.operation(program, Op::Recv(id), own, site);
                }
                _ => {}
            }
        }
    }

    fn operation(&mut self, program: &Program, op: Op, own: Option<ProctypeId>, site: Site) {
        self.operations.push(Operation { op, own, site });
        match op {
            Op::Send(id) => {
                let send = &program.sends[id.index()];
                self.add(program, send.chan, own, Role::Channel, site);
                for (field, &code) in send.args.iter().enumerate() {
                    self.add(program, code, own, Role::Field(id, field as u32), site);
                }
            }
            Op::Recv(id) => {
                let recv = &program.recvs[id.index()];
                self.add(program, recv.chan, own, Role::Channel, site);
                for (field, arg) in recv.args.iter().enumerate() {
                    match *arg {
                        RecvArg::Match(code) => self.add(program, code, own, Role::Value, site),
                        RecvArg::BindAt(code, ..) => {
                            let role = Role::Address(id, field as u32);
                            self.add(program, code, own, role, site);
                        }
                        RecvArg::Ignore | RecvArg::Bind(_) => {}
                    }
                }
            }
        }
    }
}

/// Sets that are joined.
pub(super) struct Joined(Vec<u32>);

impl Joined {
    fn new(count: u32) -> Joined {
        Joined((0..count).collect())
    }

    pub(super) fn find(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let up = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = up;
            at = up;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// No place.
pub(super) const NONE: u32 = u32::MAX;

/// The places of a program.
pub(super) struct Places {
    hidden: u32,
    locals: Vec<u32>,
    fields: Vec<u32>,
    /// Where control is kept: what decides about it counts.
    pub(super) control: u32,
    joined: Joined,
    /// By instruction: what a load or a store means.
    touched: Vec<u32>,
    /// Channels by groups: by byte, then by template, then those that travel.
    groups: Joined,
    /// For each group, one of its templates.
    template_of: Vec<u32>,
    /// Whether some operation is on a channel that no variable holds.
    pub(super) unknown: bool,
}

impl Places {
    pub(super) fn of(program: &Program, pieces: &Pieces) -> Places {
        let mut at = program.globals.size;
        let mut take = |size: u32| {
            at += size;
            at - size
        };
        let hidden = take(program.hidden.size);
        let locals = program.proctypes.iter().map(|p| take(p.frame.size));
        let locals: Vec<u32> = locals.collect();
        let bytes = take(0);
        let fields = program
            .templates
            .iter()
            .map(|t| take(t.fields.len() as u32));
        let fields: Vec<u32> = fields.collect();
        let control = take(1);
        let templates = program.templates.len() as u32;
        let mut places = Places {
            hidden,
            locals,
            fields,
            control,
            joined: Joined::new(control + 1),
            touched: vec![NONE; program.instrs.len()],
            groups: Joined::new(bytes + templates + 1),
            template_of: vec![NONE; (bytes + templates + 1) as usize],
            unknown: false,
        };
        let mut known = FxHashSet::default();
        for piece in &pieces.pieces {
            places.read(program, piece, &mut known);
        }
        let first = bytes;
        let travelling = bytes + templates;
        for piece in &pieces.pieces {
            places.channels(program, piece, first, travelling);
        }
        places.binds(program, pieces, travelling);
        for template in 0..templates {
            let group = places.groups.find(first + template);
            match places.template_of[group as usize] {
                NONE => places.template_of[group as usize] = template,
                known => places.join_fields(program, known, template),
            }
        }
        places
    }

    fn join_fields(&mut self, program: &Program, a: u32, b: u32) {
        let count = |t: u32| program.templates[t as usize].fields.len() as u32;
        let (mut a, mut b) = (a, b);
        if count(a) < count(b) {
            (a, b) = (b, a);
        }
        for field in 0..count(b) {
            let (x, y) = (
                self.fields[a as usize] + field,
                self.fields[b as usize] + field,
            );
            self.joined.join(x, y);
        }
        let group = self.groups.find(self.groups_first() + a);
        self.template_of[group as usize] = a;
    }

    fn groups_first(&self) -> u32 {
        self.groups.0.len() as u32 - self.fields.len() as u32 - 1
    }

    /// The number of a byte.
    pub(super) fn byte(&self, region: Region, own: Option<ProctypeId>, offset: u32) -> u32 {
        offset
            + match region {
                Region::Global => 0,
                Region::Hidden => self.hidden,
                Region::Local => own.map_or(0, |id| self.locals[id.index()]),
            }
    }

    /// The place of a byte or field.
    pub(super) fn find(&mut self, node: u32) -> u32 {
        self.joined.find(node)
    }

    /// How many numbers there are.
    pub(super) fn count(&self) -> usize {
        self.control as usize + 1
    }

    /// What an instruction loads or stores.
    pub(super) fn touched(&mut self, at: usize) -> u32 {
        match self.touched[at] {
            NONE => NONE,
            node => self.joined.find(node),
        }
    }

    /// The same of all instructions.
    pub(super) fn all_touched(&mut self) -> Vec<u32> {
        (0..self.touched.len()).map(|at| self.touched(at)).collect()
    }

    /// The place of a field of the messages of an operation, if there are any.
    pub(super) fn field(
        &mut self,
        program: &Program,
        operation: &Operation,
        field: u32,
    ) -> Option<u32> {
        let template = self.template(program, operation)?;
        let count = program.templates[template as usize].fields.len() as u32;
        (field < count).then(|| self.joined.find(self.fields[template as usize] + field))
    }

    /// The number of a field.
    pub(super) fn field_of(&self, template: usize, field: u32) -> u32 {
        self.fields[template] + field
    }

    /// How many fields the messages of an operation have.
    pub(super) fn field_count(&mut self, program: &Program, operation: &Operation) -> u32 {
        let template = self.template(program, operation);
        template.map_or(0, |t| program.templates[t as usize].fields.len() as u32)
    }

    fn template(&mut self, program: &Program, operation: &Operation) -> Option<u32> {
        let chan = match operation.op {
            Op::Send(id) => program.sends[id.index()].chan,
            Op::Recv(id) => program.recvs[id.index()].chan,
        };
        let node = self.touched[chan.range().end - 1];
        let group = self.groups.find(node);
        match self.template_of[group as usize] {
            NONE => None,
            template => Some(template),
        }
    }

    fn join(&mut self, a: u32, b: u32) {
        self.joined.join(a, b);
        self.groups.join(a, b);
    }

    /// Notes what the loads and stores of a piece touch.
    fn read(&mut self, program: &Program, piece: &Piece, known: &mut FxHashSet<(u32, u32, Shape)>) {
        let instrs = &program.instrs;
        let own = piece.own;
        let mut touches: Vec<(usize, u32, u32, Option<Shape>)> = Vec::new();
        let left = walk(instrs, piece.code, &|_, ty| Range::of(ty), &mut |seen| {
            let address = |region: Region, own, ty: Scalar, operand: Option<&Value>| {
                let shape = operand.and_then(|value| value.shape.clone());
                (seen.at, self.byte(region, own, 0), ty.size(), shape)
            };
            let fixed = |base: u32| {
                Some(Shape {
                    base,
                    indices: Default::default(),
                })
            };
            match seen.instr {
                Instr::Load(cell) | Instr::Store(cell) => {
                    let base = self.byte(cell.region, own, 0);
                    touches.push((seen.at, base, cell.ty.size(), fixed(cell.offset)));
                }
                Instr::LoadAt(region, ty) | Instr::StoreAt(region, ty) => {
                    touches.push(address(region, own, ty, seen.operands.first()));
                }
                Instr::RemoteLoad {
                    proctype,
                    offset,
                    ty,
                    ..
                } => {
                    let base = self.byte(Region::Local, Some(proctype), 0);
                    touches.push((seen.at, base, ty.size(), fixed(offset)));
                }
                Instr::RemoteLoadAt { proctype, ty, .. } => {
                    let local = Region::Local;
                    touches.push(address(local, Some(proctype), ty, seen.operands.get(1)));
                }
                _ => {}
            }
        });
        for (at, base, size, shape) in touches {
            self.touched[at] = self.unite(program, base, size, shape, known);
        }
        if let Role::Address(id, field) = piece.role
            && let RecvArg::BindAt(_, region, ty) = program.recvs[id.index()].args[field as usize]
        {
            let base = self.byte(region, own, 0);
            let shape = left.last().and_then(|value| value.shape.clone());
            // An address ends with the check of its last index, which touches nothing itself.
            let last = piece.code.range().end - 1;
            self.touched[last] = self.unite(program, base, ty.size(), shape, known);
        }
    }

    /// Joins all bytes that an access may touch; gives one of them.
    fn unite(
        &mut self,
        program: &Program,
        base: u32,
        size: u32,
        shape: Option<Shape>,
        known: &mut FxHashSet<(u32, u32, Shape)>,
    ) -> u32 {
        let Some(shape) = shape else {
            // An address that is computed in no way known: the whole region.
            let end = self.end_of(program, base);
            (base..end).for_each(|byte| self.join(base, byte));
            return base;
        };
        let first = base + shape.base;
        let plain = shape.indices.is_empty();
        if !plain && !known.insert((base, size, shape.clone())) {
            return first;
        }
        let mut starts = vec![first];
        for &(len, stride) in &shape.indices {
            starts = starts
                .iter()
                .flat_map(|&start| (0..len).map(move |i| start + i * stride))
                .collect();
        }
        for start in starts {
            (start..start + size).for_each(|byte| self.join(first, byte));
        }
        first
    }

    fn end_of(&self, program: &Program, base: u32) -> u32 {
        let sizes = [program.globals.size, program.hidden.size];
        let frames = program.proctypes.iter().map(|p| p.frame.size);
        let bases = [0, self.hidden]
            .into_iter()
            .chain(self.locals.iter().copied());
        let mut regions = bases.zip(sizes.into_iter().chain(frames));
        // Empty regions may begin at the same byte.
        let region = regions.find(|&(at, size)| at == base && size > 0);
        region.map_or(base, |(at, size)| at + size)
    }

    /// Joins what may hold the same channels.
    fn channels(&mut self, program: &Program, piece: &Piece, first: u32, travelling: u32) {
        let instrs = &program.instrs;
        let mut flows: Vec<(Code, u32)> = Vec::new();
        let left = walk(
            instrs,
            piece.code,
            &|_, ty| Range::of(ty),
            &mut |seen| match seen.instr {
                Instr::Store(cell) if cell.ty == Scalar::Chan => {
                    flows.push((seen.operands[0].code, self.touched[seen.at]));
                }
                Instr::StoreAt(_, Scalar::Chan) => {
                    flows.push((seen.operands[1].code, self.touched[seen.at]));
                }
                Instr::Run { proctype, .. } => {
                    let parameters = &program.proctypes[proctype.index()].parameters;
                    for (value, cell) in seen.operands.iter().zip(parameters) {
                        if cell.ty == Scalar::Chan {
                            let to = self.byte(Region::Local, Some(proctype), cell.offset);
                            flows.push((value.code, to));
                        }
                    }
                }
                _ => {}
            },
        );
        match piece.role {
            Role::Channel => self.unknown |= !is_channel(instrs, piece.code),
            Role::Field(_, field) => {
                let is_chan =
                    |t: &ChanTemplate| t.fields.get(field as usize) == Some(&Scalar::Chan);
                let carries = left
                    .last()
                    .is_some_and(|value| is_channel(instrs, value.code));
                if carries || program.templates.iter().any(is_chan) {
                    flows.push((piece.code, travelling));
                }
            }
            _ => {}
        }
        for (code, to) in flows {
            match instrs[code.range()] {
                [Instr::NewChan(template)] => self.groups.join(to, first + template.0),
                [Instr::Const(0)] => {}
                _ if is_channel(instrs, code) => {
                    self.groups.join(to, self.touched[code.range().end - 1]);
                }
                _ => {
                    (first..travelling).for_each(|group| self.groups.join(travelling, group));
                    self.groups.join(travelling, to);
                }
            }
        }
    }

    /// Joins what receives may store channels to.
    fn binds(&mut self, program: &Program, pieces: &Pieces, travelling: u32) {
        for operation in &pieces.operations {
            let Op::Recv(id) = operation.op else {
                continue;
            };
            for arg in &program.recvs[id.index()].args {
                match *arg {
                    RecvArg::Bind(cell) if cell.ty == Scalar::Chan => {
                        let byte = self.byte(cell.region, operation.own, cell.offset);
                        self.groups.join(travelling, byte);
                    }
                    RecvArg::BindAt(code, _, Scalar::Chan) => {
                        let node = self.touched[code.range().end - 1];
                        self.groups.join(travelling, node);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether a value is that of a variable of type chan.
fn is_channel(instrs: &[Instr], code: Code) -> bool {
    let is_chan = |ty: Scalar| ty == Scalar::Chan;
    match instrs[code.range()].last() {
        Some(Instr::Load(cell)) => is_chan(cell.ty),
        Some(
            Instr::LoadAt(_, ty) | Instr::RemoteLoad { ty, .. } | Instr::RemoteLoadAt { ty, .. },
        ) => is_chan(*ty),
        _ => false,
    }
}

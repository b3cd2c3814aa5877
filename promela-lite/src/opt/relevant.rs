//! Which places matter: the cone of influence of what is checked.
//!
//! A place is *relevant* if its value may decide about control, or flow into a place that is relevant. Control is: whether a
//! step is possible, which channel it uses, whether an assertion holds, whether something fails (an index, a divisor, a
//! distance of a shift, unless [`Ranges`] excludes it; the pid of a remote reference), which priority a process has, which
//! branch a `d_step` takes, and the value of every condition that the property reads. Values flow by assignments (an index
//! flows into all elements that it may mean: it decides which one is assigned), by the arguments of `run`, into fields of
//! messages by sends and out of them by receives. A field that a receive compares with something decides about control, and
//! so do all fields of messages that are sent in order (`!!`), and of those that a `trace` looks at. What is printed
//! decides about nothing.
//!
//! A `d_step` that goes round for ever is recognised by its state, so what it writes counts as deciding about that. Variables
//! that hold a channel of their own are relevant, whether or not they are used.

use super::Sabotage;
use super::operands::{Range, Seen, walk};
use super::places::{NONE, Op, Operation, Piece, Pieces, Places, Role, Site};
use super::ranges::Ranges;
use crate::code::{BinOp, Code, Instr, Region};
use crate::program::*;

/// A value goes from one place to another.
#[derive(Copy, Clone, Debug)]
struct Flow {
    from: Source,
    to: u32,
    site: Site,
}

#[derive(Copy, Clone, Debug)]
enum Source {
    /// All that an expression reads.
    Code(Code),
    Place(u32),
}

/// The places that matter, and why.
pub(super) struct Relevant {
    is: Vec<bool>,
    /// For each place that is relevant: where its value goes, and in which piece of code.
    because: Vec<Option<(u32, Site)>>,
    /// How many bytes before each one are.
    before: Vec<u32>,
}

impl Relevant {
    pub(super) fn of(
        program: &Program,
        pieces: &Pieces,
        places: &mut Places,
        ranges: &Ranges,
        sabotage: Option<Sabotage>,
    ) -> Relevant {
        let touched = places.all_touched();
        let mut flows = Flows {
            program,
            places,
            ranges,
            touched: &touched,
            flows: Vec::new(),
            sabotage,
        };
        for piece in &pieces.pieces {
            flows.piece(piece);
        }
        for operation in &pieces.operations {
            flows.operation(operation);
        }
        flows.exclusive();
        flows.closure()
    }

    /// Whether a place matters.
    pub(super) fn is(&self, place: u32) -> bool {
        self.is[place as usize]
    }

    /// Whether some of the bytes from `lo` to `hi` matter.
    pub(super) fn any(&self, lo: u32, hi: u32) -> bool {
        self.before[lo as usize] < self.before[hi as usize]
    }

    /// Where the value of a place goes that matters, and in which piece of code.
    pub(super) fn because(&self, place: u32) -> Option<(u32, Site)> {
        self.because[place as usize]
    }
}

struct Flows<'a> {
    program: &'a Program,
    places: &'a mut Places,
    ranges: &'a Ranges,
    touched: &'a [u32],
    flows: Vec<Flow>,
    sabotage: Option<Sabotage>,
}

impl Flows<'_> {
    fn flow(&mut self, from: Source, to: u32, site: Site) {
        self.flows.push(Flow { from, to, site });
    }

    fn decides(&mut self, code: Code, site: Site) {
        let control = self.places.control;
        self.flow(Source::Code(code), control, site);
    }

    fn piece(&mut self, piece: &Piece) {
        let site = piece.site;
        match piece.role {
            Role::Start => return self.start(piece),
            // A process is started whatever it is told.
            Role::Value if is_start(&self.program.instrs, piece.code) => {}
            Role::Value | Role::Channel => self.decides(piece.code, site),
            Role::Effect | Role::Field(..) | Role::Address(..) => {}
        }
        let repeats = repeats(&self.program.instrs, piece.code);
        let mut seen_flows = Vec::new();
        let mut kept = Vec::new();
        let instrs = &self.program.instrs;
        let control = self.places.control;
        walk(instrs, piece.code, &|_, ty| Range::of(ty), &mut |seen| {
            if let Instr::Store(_) | Instr::StoreAt(..) = seen.instr {
                let to = self.touched[seen.at];
                let value = seen.operands.last().map(|v| v.code);
                // The address too: it decides which element is stored to.
                seen_flows.extend(seen.operands.iter().map(|operand| (operand.code, to)));
                if repeats || value.is_some_and(|code| makes_channel(instrs, code)) {
                    kept.push(to);
                }
                return;
            }
            if let Instr::Run { proctype, .. } = seen.instr {
                let parameters = &self.program.proctypes[proctype.index()].parameters;
                for (value, cell) in seen.operands.iter().zip(parameters) {
                    let byte = self.places.byte(Region::Local, Some(proctype), cell.offset);
                    seen_flows.push((value.code, byte));
                }
                return;
            }
            for code in self.deciding(&seen) {
                seen_flows.push((code, control));
            }
        });
        for (code, to) in seen_flows {
            self.flow(Source::Code(code), to, site);
        }
        for place in kept {
            self.flow(Source::Place(place), control, site);
        }
    }

    /// Global variables have their first values before anything else happens: only channels are looked at.
    fn start(&mut self, piece: &Piece) {
        let instrs = &self.program.instrs;
        let control = self.places.control;
        for at in piece.code.range() {
            if let (Instr::NewChan(_), Some(Instr::Store(_))) = (instrs[at], instrs.get(at + 1)) {
                self.flow(Source::Place(self.touched[at + 1]), control, piece.site);
            }
        }
    }

    /// Operands that decide about control where they are taken.
    fn deciding(&self, seen: &Seen<'_>) -> Vec<Code> {
        let operands = seen.operands.iter().map(|value| value.code);
        match seen.instr {
            Instr::Print { .. } | Instr::PrintMtype(_) => Vec::new(),
            Instr::AndThen(_) | Instr::OrElse(_) | Instr::JumpIfZero(_) => {
                let harmless = seen.decides.is_some_and(|code| self.ranges.is_total(code));
                operands.filter(|_| !harmless).collect()
            }
            Instr::Index { .. }
            | Instr::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, _) => {
                let fails = self.ranges.may_fail(seen.at)
                    && self.sabotage != Some(Sabotage::FaultsForgotten);
                operands.skip(1).filter(|_| fails).collect()
            }
            _ if self.ranges.may_fail(seen.at) => operands.collect(),
            _ => Vec::new(),
        }
    }

    fn operation(&mut self, operation: &Operation) {
        let site = operation.site;
        let control = self.places.control;
        match operation.op {
            Op::Send(id) => {
                let send = &self.program.sends[id.index()];
                for (field, &code) in send.args.iter().enumerate() {
                    if let Some(to) = self.field(operation, field) {
                        self.flow(Source::Code(code), to, site);
                    }
                }
                if send.sorted && self.sabotage != Some(Sabotage::OrderForgotten) {
                    self.all_fields(operation);
                }
            }
            Op::Recv(id) => {
                let recv = &self.program.recvs[id.index()];
                for (field, arg) in recv.args.iter().enumerate() {
                    let Some(from) = self.field(operation, field) else {
                        continue;
                    };
                    let to = match *arg {
                        RecvArg::Ignore => continue,
                        RecvArg::Match(_) if self.sabotage == Some(Sabotage::MatchesForgotten) => {
                            continue;
                        }
                        RecvArg::Match(_) => control,
                        RecvArg::Bind(cell) => {
                            self.places.byte(cell.region, operation.own, cell.offset)
                        }
                        RecvArg::BindAt(code, ..) => {
                            let to = self.touched[code.range().end - 1];
                            self.flow(Source::Code(code), to, site);
                            if !self.ranges.is_total(code) {
                                self.flow(Source::Place(to), control, site);
                            }
                            to
                        }
                    };
                    self.flow(Source::Place(from), to, site);
                }
            }
        }
        if site == Site::Trace {
            self.all_fields(operation);
        }
    }

    fn field(&mut self, operation: &Operation, field: usize) -> Option<u32> {
        self.places.field(self.program, operation, field as u32)
    }

    fn all_fields(&mut self, operation: &Operation) {
        let control = self.places.control;
        for field in 0..self.places.field_count(self.program, operation) {
            if let Some(from) = self.field(operation, field as usize) {
                self.flow(Source::Place(from), control, operation.site);
            }
        }
    }

    /// Variables that are named in `xr` and `xs` hold the channels that are watched.
    fn exclusive(&mut self) {
        let control = self.places.control;
        for exclusive in &self.program.exclusive {
            let (region, own) = match exclusive.via.place {
                Place::Global => (Region::Global, None),
                Place::Hidden => (Region::Hidden, None),
                Place::Own => (Region::Local, Some(exclusive.proctype)),
                Place::Remote(id) => (Region::Local, Some(id)),
            };
            for offset in exclusive.via.lo..exclusive.via.hi {
                let from = self.places.byte(region, own, offset);
                self.flow(Source::Place(from), control, Site::Globals);
            }
        }
    }

    /// Follows all flows back from control.
    fn closure(self) -> Relevant {
        let Flows {
            places,
            touched,
            flows,
            sabotage,
            ..
        } = self;
        let count = places.count();
        let mut into: Vec<u32> = vec![0; count + 1];
        let targets: Vec<u32> = flows.iter().map(|flow| places.find(flow.to)).collect();
        targets.iter().for_each(|&to| into[to as usize + 1] += 1);
        for place in 0..count {
            into[place + 1] += into[place];
        }
        let mut next = into.clone();
        let mut order = vec![0; flows.len()];
        for (index, &to) in targets.iter().enumerate() {
            order[next[to as usize] as usize] = index;
            next[to as usize] += 1;
        }
        let mut relevant = Relevant {
            is: vec![false; count],
            because: vec![None; count],
            before: vec![0],
        };
        let control = places.control;
        relevant.is[control as usize] = true;
        let mut work = std::collections::VecDeque::from([control]);
        while let Some(to) = work.pop_front() {
            let direct_only = sabotage == Some(Sabotage::FlowsForgotten) && to != control;
            let range = into[to as usize] as usize..into[to as usize + 1] as usize;
            for &index in order[range].iter().filter(|_| !direct_only) {
                let Flow { from, site, .. } = flows[index];
                let mut come = |from: u32| {
                    if !std::mem::replace(&mut relevant.is[from as usize], true) {
                        relevant.because[from as usize] = Some((to, site));
                        work.push_back(from);
                    }
                };
                match from {
                    Source::Place(node) => come(places.find(node)),
                    Source::Code(code) => {
                        let read = touched[code.range()].iter();
                        read.filter(|&&node| node != NONE)
                            .for_each(|&node| come(node));
                    }
                }
            }
        }
        // Every byte of a place says what the place is.
        for node in 0..count as u32 {
            let place = places.find(node) as usize;
            relevant.is[node as usize] = relevant.is[place];
            relevant.because[node as usize] = relevant.because[place];
            let before = relevant.before[node as usize];
            let after = before + u32::from(relevant.is[place]);
            relevant.before.push(after);
        }
        relevant
    }
}

/// Whether a piece of code is a `run` and its arguments, and nothing else. Its value is a pid, which is not 0.
fn is_start(instrs: &[Instr], code: Code) -> bool {
    let [arguments @ .., Instr::Run { args, .. }] = &instrs[code.range()] else {
        return false;
    };
    // As many values as the arguments, and no other process started among them.
    let simple = arguments
        .iter()
        .all(|i| matches!(i, Instr::Const(_) | Instr::Load(_)));
    simple && arguments.len() == usize::from(*args)
}

fn makes_channel(instrs: &[Instr], code: Code) -> bool {
    matches!(instrs[code.range()], [Instr::NewChan(_)])
}

/// Whether a `d_step` can come back to where it was.
fn repeats(instrs: &[Instr], code: Code) -> bool {
    let range = code.range();
    let jumps_back = |i: &Instr| matches!(i, Instr::JumpBack(..));
    if !instrs[range.clone()].iter().any(jumps_back) {
        return false;
    }
    // Depth first: an instruction that is met again while it is on the path lies on a circle.
    let (mut entered, mut left) = (vec![false; range.len()], vec![false; range.len()]);
    let mut path = vec![(0, 0)];
    while let Some((at, turn)) = path.pop() {
        if at >= range.len() {
            continue;
        }
        if turn == 0 && std::mem::replace(&mut entered[at], true) {
            if !left[at] {
                return true;
            }
            continue;
        }
        let instr = instrs[range.start + at];
        let target = instr.target().map(|target| target as usize - range.start);
        let goes_on = !matches!(
            instr,
            Instr::Jump(_)
                | Instr::JumpBack(..)
                | Instr::NotExecutable
                | Instr::Blocked(_)
                | Instr::Return
        );
        let next = match turn {
            0 => goes_on.then_some(at + 1),
            1 => target,
            _ => {
                left[at] = true;
                continue;
            }
        };
        path.push((at, turn + 1));
        path.extend(next.map(|next| (next, 0)));
    }
    false
}

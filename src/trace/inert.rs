//! Values that no step depends on, so that a cycle closes although they differ.
//!
//! A cycle of a sliced program ([`promela_lite::opt`]) is a run of the program as written that can go on for ever: each round
//! has the same moves. A counter that is never read may have another value after each round, and the same one again only
//! after 2³² of them. So a cycle also closes if its first and its last state differ in nothing but values that nothing
//! depends on. That is decided here on the program as written, by the footprints of its edges, and shares nothing with
//! slicing, which looks at single instructions.
//!
//! A set of variables and fields of messages is *inert* if every edge that reads some of them does nothing but store values
//! to others of them, or send them in such fields, and cannot fail; if no condition of the property reads them; and if none
//! holds a channel. Then two states that differ in an inert set have the same moves, which lead to states that differ in it
//! again, and the conditions have the same values in both. The set is the least one that contains the differences and
//! everything that is stored or sent where some of them are read; where a rule does not fit, the answer is no. Fields are
//! told apart by their number alone.

use crate::machine::{Machine, StateView};
use promela_lite::code::{BinOp, Cell, Code, Instr, Region, Scalar};
use promela_lite::program::*;
use std::collections::BTreeSet;

/// The names of what differs between two states, if nothing depends on it and none of `conditions` reads it.
pub fn inert<'c>(
    machine: &Machine,
    before: &[u8],
    after: &[u8],
    conditions: impl IntoIterator<Item = &'c Footprint>,
) -> Option<Vec<String>> {
    let program = machine.program();
    if program.features.last || program.trace.is_some() {
        return None;
    }
    let mut set = Inert::new(program);
    let names = set.differences(&machine.view(before), &machine.view(after))?;
    set.close()?;
    let reads = conditions
        .into_iter()
        .any(|footprint| set.is_read(None, footprint));
    (!reads).then_some(names)
}

struct Inert<'p> {
    program: &'p Program,
    globals: Vec<bool>,
    locals: Vec<Vec<bool>>,
    fields: BTreeSet<usize>,
    grown: bool,
}

impl<'p> Inert<'p> {
    fn new(program: &'p Program) -> Inert<'p> {
        let locals = program.proctypes.iter();
        Inert {
            program,
            globals: vec![false; program.globals.size as usize],
            locals: locals.map(|p| vec![false; p.frame.size as usize]).collect(),
            fields: BTreeSet::new(),
            grown: false,
        }
    }

    /// Takes in what differs, if it is nothing but values.
    fn differences(&mut self, a: &StateView<'_>, b: &StateView<'_>) -> Option<Vec<String>> {
        let mut names = Vec::new();
        let mut differ = |x: crate::machine::Value<'_>, y: crate::machine::Value<'_>| {
            let differ = x.value != y.value;
            if differ {
                names.push(x.name());
            }
            differ.then_some((x.cell.offset, x.cell.ty))
        };
        let mut found = Vec::new();
        // Hidden variables lie behind the others, and are no part of a state.
        let globals: usize = self
            .program
            .globals
            .vars
            .iter()
            .map(|v| v.cells.len())
            .sum();
        for (x, y) in a.globals().zip(b.globals()).take(globals) {
            found.extend(differ(x, y).map(|cell| (None, cell)));
        }
        let same_processes = a.processes().count() == b.processes().count();
        for (p, q) in a.processes().zip(b.processes()) {
            let id = p.proctype_id();
            if (id, p.loc(), p.priority()) != (q.proctype_id(), q.loc(), q.priority()) {
                return None;
            }
            for (x, y) in p.locals().zip(q.locals()) {
                found.extend(differ(x, y).map(|cell| (Some(id), cell)));
            }
        }
        for (c, d) in a.channels().zip(b.channels()) {
            if c.len() != d.len() || c.template() != d.template() {
                return None;
            }
            for slot in 0..c.len() {
                for (field, (x, y)) in c.message(slot).zip(d.message(slot)).enumerate() {
                    if x != y {
                        self.fields.insert(field);
                        names.push(format!("{}.{}", c.template().name, field + 1));
                    }
                }
            }
        }
        for (owner, (offset, ty)) in found {
            if ty == Scalar::Chan {
                return None;
            }
            self.add(owner, offset, offset + ty.size());
        }
        names.sort();
        names.dedup();
        same_processes.then_some(names)
    }

    fn bytes(&mut self, owner: Option<ProctypeId>) -> &mut Vec<bool> {
        match owner {
            None => &mut self.globals,
            Some(id) => &mut self.locals[id.index()],
        }
    }

    fn add(&mut self, owner: Option<ProctypeId>, lo: u32, hi: u32) {
        let range = lo as usize..hi as usize;
        let mut grown = false;
        for byte in &mut self.bytes(owner)[range] {
            grown |= !std::mem::replace(byte, true);
        }
        self.grown |= grown;
    }

    /// Whether an access of a process of that type may touch a byte of the set.
    fn has(&self, own: Option<ProctypeId>, access: &Access) -> bool {
        let bytes = match (access.place, own) {
            (Place::Global, _) => &self.globals,
            (Place::Own, Some(id)) | (Place::Remote(id), _) => &self.locals[id.index()],
            (Place::Own, None) | (Place::Hidden, _) => return false,
        };
        let range = access.lo as usize..access.hi as usize;
        bytes[range].iter().any(|byte| *byte)
    }

    fn is_read(&self, own: Option<ProctypeId>, footprint: &Footprint) -> bool {
        let Footprint { reads, chans, .. } = footprint;
        let via = chans.iter().any(|used| self.has(own, &used.via));
        let contents = !self.fields.is_empty() && !chans.is_empty();
        via || contents && own.is_none() || reads.iter().any(|read| self.has(own, read))
    }

    /// Takes in what the set may flow into; `None` if something depends on it.
    fn close(&mut self) -> Option<()> {
        let program = self.program;
        self.grown = true;
        while std::mem::take(&mut self.grown) {
            for (index, proctype) in program.proctypes.iter().enumerate() {
                let id = ProctypeId(index as u16);
                for edge in &proctype.graph.edges {
                    self.edge(id, proctype, edge)?;
                }
            }
        }
        let exclusive = |e: &Exclusive| self.has(Some(e.proctype), &e.via);
        (!program.exclusive.iter().any(exclusive)).then_some(())
    }

    fn edge(&mut self, id: ProctypeId, proctype: &Proctype, edge: &Edge) -> Option<()> {
        let footprint = &edge.footprint;
        if let Action::Recv(recv) = edge.action {
            let args = &self.program.recvs[recv.index()].args;
            for arg in self.fields.iter().filter_map(|&field| args.get(field)) {
                match arg {
                    RecvArg::Ignore => {}
                    RecvArg::Match(_) => return None,
                    RecvArg::Bind(_) | RecvArg::BindAt(..) => {
                        let writes = footprint.writes.clone();
                        writes.iter().try_for_each(|write| self.write(id, write))?;
                        break;
                    }
                }
            }
        } else if !self.fields.is_empty() && !matches!(edge.action, Action::Send(_)) {
            // What a `d_step` or a guard asks of messages is not looked at.
            let asks = |used: &ChanUse| {
                matches!(
                    used.how,
                    ChanAccess::Recv | ChanAccess::Peek | ChanAccess::Poll
                )
            };
            if footprint.chans.iter().any(asks) {
                return None;
            }
        }
        if !self.is_read(Some(id), footprint) {
            return Some(());
        }
        if proctype.provided.is_some() {
            return None;
        }
        match edge.action {
            Action::Effect(code) | Action::DStep(code) if only_stores(footprint) => {
                let first = self.statements(id, code);
                let all = first.and_then(|()| self.statements(id, edge.then));
                match edge.action {
                    Action::Effect(_) if all.is_none() => {
                        let writes = footprint.writes.clone();
                        writes.iter().try_for_each(|write| self.write(id, write))
                    }
                    _ => all,
                }
            }
            Action::Send(send) if edge.then.is_empty() => self.send(send),
            _ => None,
        }
    }

    /// Takes in what the statements of a step store, one by one; they must be assignments to scalars.
    fn statements(&mut self, id: ProctypeId, code: Code) -> Option<()> {
        let program = self.program;
        let mut reads = false;
        for instr in &program.instrs[code.range()] {
            let access = |cell: &Cell| Access {
                place: match cell.region {
                    Region::Global => Place::Global,
                    Region::Hidden => Place::Hidden,
                    Region::Local => Place::Own,
                },
                lo: cell.offset,
                hi: cell.offset + cell.ty.size(),
            };
            match instr {
                Instr::Load(cell) => reads |= self.has(Some(id), &access(cell)),
                Instr::Store(cell) => {
                    if std::mem::take(&mut reads) {
                        self.write(id, &access(cell))?;
                    }
                }
                Instr::Jump(target) if *target == code.end => {}
                instr if cannot_fail(instr) => {}
                _ => return None,
            }
        }
        Some(())
    }

    fn write(&mut self, id: ProctypeId, write: &Access) -> Option<()> {
        let owner = match write.place {
            Place::Global => None,
            Place::Own => Some(id),
            Place::Hidden | Place::Remote(_) => return None,
        };
        self.add(owner, write.lo, write.hi);
        Some(())
    }

    /// All fields of a message are taken in.
    fn send(&mut self, id: SendId) -> Option<()> {
        let send = &self.program.sends[id.index()];
        let instrs = |code: Code| &self.program.instrs[code.range()];
        let simple = |code: &Code| {
            let is_load = |i: &Instr| matches!(i, Instr::Load(_));
            instrs(*code).iter().all(|i| is_load(i) || cannot_fail(i))
        };
        let named = matches!(instrs(send.chan), [Instr::Load(cell)] if cell.ty == Scalar::Chan);
        if send.sorted || !named || !send.args.iter().all(simple) {
            return None;
        }
        let fields = self.fields.len();
        self.fields.extend(0..send.args.len());
        self.grown |= self.fields.len() > fields;
        Some(())
    }
}

/// Whether an instruction makes a value of others, and always can.
fn cannot_fail(instr: &Instr) -> bool {
    match instr {
        Instr::Const(_) | Instr::Unary(_) | Instr::SelfPid => true,
        Instr::Binary(op, _) => !matches!(op, BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr),
        _ => false,
    }
}

/// Whether an effect does nothing but store values, and print.
fn only_stores(footprint: &Footprint) -> bool {
    let specials = Specials {
        prints: false,
        pid: false,
        ..footprint.specials
    };
    footprint.chans.is_empty() && specials == Specials::default()
}

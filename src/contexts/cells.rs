//! Which bits a model's state has: every scalar, every slot of every channel, and what the translation itself keeps.
//!
//! Global cells are bits of the shared state, local cells are bits of the topmost frame. Local variables of different proctypes
//! share bits. Beside the variables of the model there are
//!
//! - `locked`: some process has control inside an `atomic`, see [`super::translate`];
//! - `offer`: the channel of a rendezvous that has a sender and not yet a receiver, and its message;
//! - for every proctype that is started with `run`, how many were started, and for each of them the values with which its
//!   local variables begin, until it makes its first step;
//! - where `_pid` or `_nr_pr` can be seen, the pid of every process and the number of processes.
//!
//! **Order.** Cells that are used in the same piece of code, and the slots of one channel, form a group; in a group, bits
//! of equal significance are next to each other, so that sums, comparisons and shifts have small BDDs. Groups follow each
//! other in the order in which they first occur.

use super::body::{Body, frames, graphs};
use super::processes::Pools;
use super::word::Word;
use ample_pushdown::symbolic::space::{Bdd, Bit, Copy, Result, Space};
use promela_lite::code::{Instr, Region, Scalar};
use promela_lite::program::{Action, Program, RecvArg};
use rustc_hash::FxHashMap;

/// The number of a cell.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CellId(u32);

/// A scalar of the state.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    /// Its bits, the least significant one first.
    pub(super) bits: Vec<Bit>,
    /// How the model declares it.
    pub(super) ty: Scalar,
    signed: bool,
}

/// A channel.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    /// Its template.
    pub(super) template: usize,
    /// How many messages it can hold; 0 for rendezvous.
    pub(super) capacity: u32,
    /// How many messages it holds; not for rendezvous.
    pub(super) len: Option<CellId>,
    /// The fields of its messages, oldest first.
    pub(super) slots: Vec<Vec<CellId>>,
}

/// A rendezvous in progress.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    /// Its channel; 0 if there is none.
    pub(super) channel: CellId,
    /// Its message: one cell for each field of each type that messages of rendezvous channels have.
    pub(super) fields: Vec<(usize, Scalar, CellId)>,
}

impl Offer {
    /// The cell of a field.
    pub(super) fn field(&self, index: usize, ty: Scalar) -> Option<CellId> {
        let found = self.fields.iter().find(|(i, t, _)| (*i, *t) == (index, ty));
        found.map(|(_, _, id)| *id)
    }
}

/// Processes of one type that are started by others.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// How many were started.
    pub(super) started: CellId,
    /// For each of them, what its local cells begin with.
    pub(super) mailboxes: Vec<Vec<(CellId, CellId)>>,
}

/// All cells.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    all: Vec<Storage>,
    global: FxHashMap<(Region, u32), CellId>,
    local: Vec<FxHashMap<u32, CellId>>,
    /// What a frame expects of a call, and what it is expected to return.
    pub(super) results: Option<(CellId, CellId)>,
    /// Channels in the order of their identities, which begin with 1.
    pub(super) channels: Vec<Channel>,
    pub(super) locked: CellId,
    pub(super) offer: Option<Offer>,
    /// The own pid and the number of processes.
    pub(super) pids: Option<(CellId, CellId)>,
    pub(super) pools: Vec<Option<Pool>>,
    /// Numbers of bits.
    pub(super) globals: usize,
    pub(super) locals: usize,
    /// Bits of an `int`.
    narrow: usize,
    channel_bits: usize,
}

/// The number of bits for values up to `most`.
fn bits_for(most: usize) -> usize {
    (usize::BITS - most.leading_zeros()) as usize
}

impl Cells {
    /// The cells of a program whose `int`s have `narrow` bits.
    pub(super) fn new(program: &Program, pools: &Pools, narrow: usize) -> Cells {
        let init = &program.instrs[program.init.range()];
        let made = init.iter().filter_map(|instr| match instr {
            Instr::NewChan(template) => Some(template.index()),
            _ => None,
        });
        let templates: Vec<usize> = made.collect();
        let mut cells = Cells {
            all: Vec::new(),
            global: FxHashMap::default(),
            local: vec![FxHashMap::default(); Body::count(program)],
            results: None,
            channels: Vec::new(),
            locked: CellId(0),
            offer: None,
            pids: None,
            pools: Vec::new(),
            globals: 0,
            locals: 0,
            narrow: narrow.clamp(1, 32),
            channel_bits: bits_for(templates.len()).max(1),
        };
        cells.locked = cells.shared(Scalar::Bit);
        let frames = [
            (Region::Global, &program.globals),
            (Region::Hidden, &program.hidden),
        ];
        for (region, frame) in frames {
            for cell in frame.vars.iter().flat_map(|var| &var.cells) {
                let id = cells.shared(cell.ty);
                cells.global.insert((region, cell.offset), id);
            }
        }
        let own_pid = pools.pids_matter.then(|| {
            let nr = cells.shared(Scalar::Pid);
            (cells.own(Scalar::Pid, 0), nr)
        });
        cells.pids = own_pid;
        cells.results(program);
        cells.frames(program);
        for template in templates {
            cells.channel(program, template);
        }
        cells.pools(program, pools);
        cells
    }

    /// Results of all procedures, with a sign.
    fn results(&mut self, program: &Program) {
        let results = program.procedures.iter().filter_map(|p| p.result);
        let Some(widest) = results.map(|ty| self.width(ty) + 1).max() else {
            return;
        };
        let mut hidden = || {
            let first = self.locals;
            self.locals += widest.min(32);
            let bits = (first..self.locals).map(Bit::Local).collect();
            self.add(Scalar::Int, bits)
        };
        self.results = Some((hidden(), hidden()));
    }

    fn frames(&mut self, program: &Program) {
        let base = self.locals;
        for (p, frame) in frames(program).enumerate() {
            let parts = frame.vars.iter().flat_map(|var| &var.cells);
            let mut parts: Vec<_> = parts.collect();
            // Wide ones share bits with wide ones.
            parts.sort_by_key(|cell| std::cmp::Reverse(self.width(cell.ty)));
            let mut first = base;
            for cell in parts {
                let id = self.own(cell.ty, first);
                first += self.width(cell.ty);
                self.local[p].insert(cell.offset, id);
            }
        }
    }

    fn channel(&mut self, program: &Program, template: usize) {
        let kind = &program.templates[template];
        let fields: Vec<Scalar> = kind.fields.clone();
        if kind.capacity == 0 {
            let mut offer = self.offer.take().unwrap_or_else(|| Offer {
                channel: self.shared(Scalar::Chan),
                fields: Vec::new(),
            });
            for (index, ty) in fields.iter().enumerate() {
                if offer.field(index, *ty).is_none() {
                    let id = self.shared(*ty);
                    offer.fields.push((index, *ty, id));
                }
            }
            self.offer = Some(offer);
        }
        let len = (kind.capacity > 0).then(|| {
            let width = bits_for(kind.capacity as usize) as u8;
            self.shared(Scalar::Unsigned(width))
        });
        let slots = (0..kind.capacity).map(|_| fields.iter().map(|ty| self.shared(*ty)).collect());
        let slots = slots.collect();
        let capacity = kind.capacity;
        self.channels.push(Channel {
            template,
            capacity,
            len,
            slots,
        });
    }

    fn pools(&mut self, program: &Program, pools: &Pools) {
        for p in 0..program.proctypes.len() {
            let count = pools.sizes[p];
            if !pools.started[p] {
                self.pools.push(None);
                continue;
            }
            let started = self.shared(Scalar::Unsigned(bits_for(count).max(1) as u8));
            let proctype = &program.proctypes[p];
            let mut kept: Vec<(u32, CellId)> = Vec::new();
            for (offset, id) in &self.local[p] {
                let parameter = proctype
                    .parameters
                    .iter()
                    .any(|cell| cell.offset == *offset);
                if parameter || pools.computed[p] {
                    kept.push((*offset, *id));
                }
            }
            kept.sort_unstable();
            let mut kept: Vec<CellId> = kept.into_iter().map(|(_, id)| id).collect();
            kept.extend(self.pids.map(|(own, _)| own));
            let mut mailboxes = Vec::new();
            for _ in 0..count {
                let mut mailbox = Vec::new();
                for id in &kept {
                    let there = self.shared(self.storage(*id).ty);
                    mailbox.push((*id, there));
                }
                mailboxes.push(mailbox);
            }
            self.pools.push(Some(Pool { started, mailboxes }));
        }
    }

    /// How many bits a value of that type takes.
    pub(super) fn width(&self, ty: Scalar) -> usize {
        match ty {
            Scalar::Bit => 1,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype => 8,
            Scalar::Short => self.narrow.min(16),
            Scalar::Int => self.narrow,
            Scalar::Unsigned(bits) => usize::from(bits),
            Scalar::Chan => self.channel_bits,
        }
    }

    fn add(&mut self, ty: Scalar, bits: Vec<Bit>) -> CellId {
        let signed = matches!(ty, Scalar::Short | Scalar::Int);
        self.all.push(Storage { bits, ty, signed });
        CellId(self.all.len() as u32 - 1)
    }

    fn shared(&mut self, ty: Scalar) -> CellId {
        let first = self.globals;
        self.globals += self.width(ty);
        self.add(ty, (first..self.globals).map(Bit::Global).collect())
    }

    fn own(&mut self, ty: Scalar, first: usize) -> CellId {
        let end = first + self.width(ty);
        self.locals = self.locals.max(end);
        self.add(ty, (first..end).map(Bit::Local).collect())
    }

    /// All cells.
    pub(super) fn all_ids(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.all.len() as u32).map(CellId)
    }

    /// A cell.
    pub(super) fn storage(&self, id: CellId) -> &Storage {
        &self.all[id.0 as usize]
    }

    /// Whether it is a bit of frames.
    pub(super) fn is_local(&self, id: CellId) -> bool {
        matches!(self.storage(id).bits.first(), Some(Bit::Local(_)))
    }

    /// The cell at an address; local ones are those of the frame with that number.
    pub(super) fn at(&self, body: Option<usize>, region: Region, offset: u32) -> Option<CellId> {
        match region {
            Region::Local => self.local[body?].get(&offset).copied(),
            _ => self.global.get(&(region, offset)).copied(),
        }
    }

    /// The local cells of a frame.
    pub(super) fn locals_of(&self, body: usize) -> Vec<CellId> {
        let mut cells: Vec<CellId> = self.local[body].values().copied().collect();
        cells.extend(self.pids.map(|(own, _)| own));
        cells.extend(self.results.iter().flat_map(|(a, b)| [*a, *b]));
        cells.sort_unstable();
        cells
    }

    /// The value of a cell before a step.
    pub(super) fn load(&self, space: &Space, id: CellId) -> Word {
        let storage = self.storage(id);
        let bits = storage
            .bits
            .iter()
            .map(|bit| space.variable(*bit, Copy::Now).clone());
        match storage.signed {
            true => Word::signed(bits.collect()),
            false => Word::unsigned(space, bits.collect()),
        }
    }

    /// What remains of a value when it is stored in a cell, and when that is not what the model would store: where `int`s
    /// have too few bits.
    pub(super) fn fit(&self, space: &Space, id: CellId, value: &Word) -> Result<(Word, Bdd)> {
        self.cut(space, self.storage(id).ty, value)
    }

    /// The same for a type.
    pub(super) fn cut(&self, space: &Space, ty: Scalar, value: &Word) -> Result<(Word, Bdd)> {
        let low = |count: usize| -> Vec<Bdd> { (0..count).map(|b| value.bit(b).clone()).collect() };
        let width = self.width(ty);
        let (kept, declared) = match ty {
            Scalar::Short => (Word::signed(low(width)), 16),
            Scalar::Int => (Word::signed(low(width)), 32),
            Scalar::Chan => (Word::unsigned(space, low(width)), 16),
            _ => return Ok((Word::unsigned(space, low(width)), space.none())),
        };
        let mut lost = space.none();
        for bit in width..declared {
            let differs = space.xor(value.bit(bit), kept.bit(bit))?;
            lost = space.or(&lost, &differs)?;
        }
        Ok((kept, lost))
    }

    /// The variable order.
    pub(super) fn order(&self, program: &Program) -> Vec<Bit> {
        let mut groups = Groups::new(self.globals + self.locals);
        let number = |bit: &Bit| match bit {
            Bit::Global(bit) => *bit,
            Bit::Local(bit) => self.globals + bit,
        };
        let first = |id: CellId| number(&self.storage(id).bits[0]);
        for storage in &self.all {
            for bit in &storage.bits {
                groups.join(number(&storage.bits[0]), number(bit));
            }
        }
        let mut together = |cells: &[CellId]| {
            for pair in cells.windows(2) {
                groups.join(first(pair[0]), first(pair[1]));
            }
        };
        for (p, graph) in graphs(program).enumerate() {
            let id = Some(p);
            for edge in &graph.edges {
                let code = match edge.action {
                    Action::Guard(code) | Action::Effect(code) => code,
                    _ => continue,
                };
                let used = program.instrs[code.range()]
                    .iter()
                    .filter_map(|instr| match instr {
                        Instr::Load(cell) | Instr::Store(cell) => {
                            self.at(id, cell.region, cell.offset)
                        }
                        _ => None,
                    });
                together(&used.collect::<Vec<_>>());
            }
        }
        for args in program.recvs.iter().map(|recv| &recv.args) {
            let bound = args.iter().filter_map(|arg| match arg {
                RecvArg::Bind(cell) if cell.region != Region::Local => {
                    self.at(None, cell.region, cell.offset)
                }
                _ => None,
            });
            together(&bound.collect::<Vec<_>>());
        }
        for channel in &self.channels {
            for field in 0..channel.slots.first().map_or(0, Vec::len) {
                let fields: Vec<CellId> = channel.slots.iter().map(|slot| slot[field]).collect();
                together(&fields);
            }
        }
        for pool in self.pools.iter().flatten() {
            for (own, there) in pool.mailboxes.iter().flatten() {
                together(&[*own, *there]);
            }
        }
        // The significance of each bit, and the groups in the order of their first bits.
        let mut bits: Vec<(usize, usize, Bit)> = Vec::new();
        let mut known = vec![false; self.globals + self.locals];
        for storage in &self.all {
            for (significance, bit) in storage.bits.iter().enumerate() {
                if !std::mem::replace(&mut known[number(bit)], true) {
                    bits.push((groups.find(number(bit)), significance, *bit));
                }
            }
        }
        bits.sort_by_key(|(group, significance, _)| (*group, *significance));
        bits.into_iter().map(|(_, _, bit)| bit).collect()
    }
}

/// Disjoint sets of bits; each is named by its least bit.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Groups {
        Groups((0..count).collect())
    }

    fn find(&mut self, bit: usize) -> usize {
        let mut root = bit;
        while self.0[root] != root {
            root = self.0[root];
        }
        self.0[bit] = root;
        root
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high] = low;
    }
}

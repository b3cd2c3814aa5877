//! Where processes begin: the initial state, and those that are started by others.

use super::body::Body;
use super::cells::CellId;
use super::execute::{Path, Started, Translated, Trouble};
use super::translate::{Origin, Place, Translator};
use super::unsupported::refuse;
use super::word::{self, Word};
use ample_pushdown::symbolic::network::Label;
use ample_pushdown::symbolic::space::{Bdd, Bit, Copy};
use promela_lite::code::BinOp;
use promela_lite::program::{EdgeId, ProctypeId};
use promela_lite::source::Span;
use std::rc::Rc;

/// A frame that begins.
pub(super) struct Frame {
    pub(super) body: Body,
    pub(super) arguments: Vec<Word>,
    pub(super) pid: Word,
}

impl Translator<'_> {
    /// The initial globals, and the processes that exist from the start.
    #[allow(clippy::type_complexity)]
    pub(super) fn initial(&mut self) -> Translated<(Bdd, Vec<Vec<(Label, Bdd)>>)> {
        let space = Rc::clone(&self.space);
        let zero = Word::constant(&space, 0);
        let mut executor = self.executor(None);
        let mut path = executor.begin(space.all());
        for id in self.cells.all_ids() {
            if !self.cells.is_local(id) {
                path.memory.insert(id, zero.clone());
            }
        }
        executor.run(&mut path, self.program.init)?;
        if let Some((_, nr)) = self.cells.pids {
            let count = Word::constant(&space, self.program.active.len() as i32);
            executor.store(&mut path, &space.all(), nr, &count)?;
        }
        if !executor.trouble.failures.is_empty() || !space.is_none(&executor.trouble.lost) {
            return refuse("initial values that cannot be computed", Span::NONE);
        }
        let mut processes = Vec::new();
        for (number, &proctype) in self.program.active.iter().enumerate() {
            let started = Frame {
                body: Body::Process(proctype),
                arguments: Vec::new(),
                pid: Word::constant(&space, number as i32),
            };
            let (frame, trouble) = self.frame(&path, &started)?;
            if !trouble.failures.is_empty() || !space.is_none(&trouble.lost) {
                let span = self.program.proctypes[proctype.index()].span;
                return refuse("initial values that cannot be computed", span);
            }
            let mut values = vec![false; self.cells.locals];
            for (id, word) in frame {
                for (index, bit) in self.cells.storage(id).bits.iter().enumerate() {
                    if let Bit::Local(bit) = bit {
                        values[*bit] = *word.bit(index) == space.all();
                    }
                }
            }
            let start = self.program.proctypes[proctype.index()].graph.start;
            processes.push((self.place(Body::Process(proctype), start, false), values));
        }
        let mut values = vec![false; self.cells.globals];
        for (id, word) in &path.memory {
            for (index, bit) in self.cells.storage(*id).bits.iter().enumerate() {
                if let Bit::Global(bit) = bit {
                    values[*bit] = *word.bit(index) == space.all();
                }
            }
        }
        let globals = space.globals_are(Copy::Now, &values)?;
        let mut threads = Vec::new();
        for (place, mut values) in processes {
            if place == Place::Gone {
                values.fill(false);
            }
            let locals = space.locals_are(Copy::Now, &values)?;
            threads.push(vec![(self.label(place), locals)]);
        }
        Ok((globals, threads))
    }

    /// What the local cells of a new process begin with, and what goes wrong when it is initialised.
    pub(super) fn frame(
        &self,
        path: &Path,
        started: &Frame,
    ) -> Translated<(Vec<(CellId, Word)>, Trouble)> {
        let space = &self.space;
        let body = started.body;
        let cells = self.cells.locals_of(body.index(self.program));
        let mut executor = self.executor(Some(body));
        let mut inside = executor.begin(path.condition.clone());
        inside.memory = path.memory.clone();
        inside.memory.retain(|id, _| !self.cells.is_local(*id));
        for id in &cells {
            inside.memory.insert(*id, Word::constant(space, 0));
        }
        for (cell, value) in body.parameters(self.program).iter().zip(&started.arguments) {
            let id = executor.cell(cell.region, cell.offset)?;
            executor.assign(&mut inside, &space.all(), id, value, cell.ty)?;
        }
        if let Some((own, _)) = self.cells.pids {
            inside.memory.insert(own, started.pid.clone());
        }
        executor.run(&mut inside, body.init(self.program))?;
        let values = cells.into_iter().map(|id| (id, executor.load(&inside, id)));
        Ok((values.collect(), executor.trouble))
    }

    /// The first step of a process that was started: it takes over its values.
    pub(super) fn begins(&mut self, proctype: ProctypeId, number: usize) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let Some(pool) = self.cells.pools[proctype.index()].clone() else {
            return Ok(());
        };
        let condition = self.may_move(false)?;
        let executor = self.executor(Some(Body::Process(proctype)));
        let mut path = executor.begin(condition);
        let before = Word::constant(&space, number as i32);
        let there = word::less(&space, &before, &executor.load(&path, pool.started))?;
        path.condition = space.and(&path.condition, &there)?;
        // What is not in the mailbox does not depend on anything.
        let nothing = executor.begin(space.all());
        let started = Frame {
            body: Body::Process(proctype),
            arguments: Vec::new(),
            pid: Word::constant(&space, 0),
        };
        let (frame, _) = self.frame(&nothing, &started)?;
        path.memory.extend(frame);
        for (own, there) in &pool.mailboxes[number] {
            path.memory.insert(*own, self.cells.load(&space, *there));
            path.memory.insert(*there, Word::constant(&space, 0));
        }
        let start = self.program.proctypes[proctype.index()].graph.start;
        let to = self.place(Body::Process(proctype), start, false);
        self.rule(Place::Waiting(proctype, number), to, &path, Origin::Nothing)
    }

    /// Gives a new process the next thread of its type.
    pub(super) fn enrol(
        &mut self,
        path: &mut Path,
        started: &Started,
        (here, id): (Place, EdgeId),
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let Some(pool) = self.cells.pools[started.proctype.index()].clone() else {
            return refuse("a process that is started", started.span);
        };
        let new = Frame {
            body: Body::Process(started.proctype),
            arguments: started.arguments.clone(),
            pid: started.pid.clone(),
        };
        let (frame, trouble) = self.frame(path, &new)?;
        for failure in &trouble.failures {
            path.condition = space.minus(&path.condition, &failure.condition)?;
        }
        path.condition = space.minus(&path.condition, &trouble.lost)?;
        self.trouble(here, id, trouble)?;
        let mut executor = self.executor(None);
        let count = executor.load(path, pool.started);
        let most = Word::constant(&space, pool.mailboxes.len() as i32);
        let room = word::less(&space, &count, &most)?;
        path.condition = space.and(&path.condition, &room)?;
        for (number, mailbox) in pool.mailboxes.iter().enumerate() {
            let next = count.is(&space, number as i32)?;
            for (own, there) in mailbox {
                if let Some((_, value)) = frame.iter().find(|(id, _)| id == own) {
                    executor.store(path, &next, *there, value)?;
                }
            }
        }
        let more = count.binary(&space, BinOp::Add, &Word::constant(&space, 1))?;
        executor.store(path, &space.all(), pool.started, &more)
    }
}

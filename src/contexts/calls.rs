//! Procedures: a call pushes a frame, a return pops it.
//!
//! **Results.** A result would have to be kept for the process between the return and the step that takes it, while others
//! move. As in [`ample_pushdown::boolean`], the caller guesses it: the call puts the guess into a hidden variable of both
//! frames, and the return waits until it is what is returned. Runs with a wrong guess never return, and up to there they do
//! what runs with the right one do.
//!
//! **Control.** A procedure that is called inside of `atomic` keeps control at every step; so it has places of its own
//! ([`Mode`]), and the call says whether the caller has control after the return.

use super::body::{Body, Mode};
use super::execute::{Path, Translated};
use super::start::Frame;
use super::translate::{Origin, Place, Translator};
use super::unsupported::refuse;
use super::word::{self, Word};
use ample_pushdown::symbolic::network::Action as Stack;
use ample_pushdown::symbolic::space::{Bdd, Bit, Copy};
use promela_lite::code::Code;
use promela_lite::program::{CallId, Edge, EdgeId};
use std::rc::Rc;

impl Translator<'_> {
    /// The relation and the changed bits for the globals that a path assigns to.
    fn globals_of(&self, path: &Path) -> Translated<(Bdd, Vec<Bit>)> {
        let space = &self.space;
        let mut relation = path.condition.clone();
        let mut changed = Vec::new();
        for (id, word) in &path.memory {
            if self.cells.is_local(*id) || *word == self.cells.load(space, *id) {
                continue;
            }
            for (index, bit) in self.cells.storage(*id).bits.iter().enumerate() {
                let same = space.same(space.variable(*bit, Copy::Next), word.bit(index))?;
                relation = space.and(&relation, &same)?;
                changed.push(*bit);
            }
        }
        Ok((relation, changed))
    }

    /// The rule of a call.
    pub(super) fn call(
        &mut self,
        body: Body,
        (id, edge): (EdgeId, &Edge),
        here: Place,
        (mut path, call): (Path, CallId),
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let op = &self.program.calls[call.index()];
        let procedure = &self.program.procedures[op.procedure.index()];
        let mut executor = self.executor(Some(body));
        executor.run(&mut path, op.args)?;
        let mut arguments = Vec::new();
        for _ in &procedure.parameters {
            arguments.push(executor.pop(&mut path)?);
        }
        arguments.reverse();
        let pid = match self.cells.pids {
            Some((own, _)) => executor.load(&path, own),
            None => Word::constant(&space, 0),
        };
        if !path.started.is_empty() {
            return refuse("run in an argument of a call", op.span);
        }
        let trouble = executor.trouble;
        self.trouble(here, id, trouble)?;
        let mode = match op.atomic || body.is_atomic() {
            false => Mode::Plain,
            true => Mode::Atomic {
                kept: edge.atomic || body.is_atomic(),
            },
        };
        let frame = Frame {
            body: Body::Procedure(op.procedure, mode),
            arguments,
            pid,
        };
        let (cells, trouble) = self.frame(&path, &frame)?;
        for failure in &trouble.failures {
            path.condition = space.minus(&path.condition, &failure.condition)?;
        }
        path.condition = space.minus(&path.condition, &trouble.lost)?;
        self.trouble(here, id, trouble)?;
        let inside = mode != Mode::Plain;
        let control = Word::constant(&space, i32::from(inside));
        path.memory.insert(self.cells.locked, control);
        let (mut relation, mut changed) = self.globals_of(&path)?;
        if space.is_none(&relation) {
            return Ok(());
        }
        // The new frame: every bit of it.
        let hidden = self.cells.results.filter(|_| procedure.result.is_some());
        let guessed = hidden.map_or(Vec::new(), |(_, owed)| {
            self.cells.storage(owed).bits.clone()
        });
        let mut known = vec![false; self.cells.locals];
        for bit in &guessed {
            if let Bit::Local(bit) = bit {
                known[*bit] = true;
            }
        }
        for (cell, word) in &cells {
            for (index, bit) in self.cells.storage(*cell).bits.iter().enumerate() {
                if let Bit::Local(local) = bit
                    && !std::mem::replace(&mut known[*local], true)
                {
                    let same = space.same(space.variable(*bit, Copy::Next), word.bit(index))?;
                    relation = space.and(&relation, &same)?;
                }
            }
        }
        for bit in (0..known.len()).filter(|bit| !known[*bit]) {
            let zero = space.values([Bit::Local(bit)], Copy::Next, &[false])?;
            relation = space.and(&relation, &zero)?;
        }
        if let (Some((expected, _)), true) = (hidden, op.result) {
            for (bit, guess) in self.cells.storage(expected).bits.iter().zip(&guessed) {
                let (mine, theirs) = (
                    space.variable(*bit, Copy::Other),
                    space.variable(*guess, Copy::Next),
                );
                relation = space.and(&relation, &space.same(mine, theirs)?)?;
                changed.push(*bit);
            }
        }
        let start = procedure.graph.start;
        let callee = match inside {
            true => Place::Held(frame.body, start),
            false => Place::Free(frame.body, start),
        };
        let kept = mode == (Mode::Atomic { kept: true });
        let back = match kept {
            true => Place::Held(body, edge.to),
            false => Place::Free(body, edge.to),
        };
        let action = Stack::Push {
            callee: self.label(callee),
            ret: self.label(back),
        };
        self.add(here, action, (relation, changed), Origin::Step(id, 0));
        Ok(())
    }

    /// The rule of a return.
    pub(super) fn leave(
        &mut self,
        body: Body,
        (id, code): (EdgeId, Code),
        here: Place,
        mut path: Path,
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let Body::Procedure(procedure, mode) = body else {
            return Ok(());
        };
        let mut executor = self.executor(Some(body));
        let value = executor.value(&mut path, code)?;
        let result = self.program.procedures[procedure.index()].result;
        if let (Some(ty), Some((_, owed))) = (result, self.cells.results) {
            let (value, lost) = self.cells.cut(&space, ty, &value)?;
            let lost = space.and(&lost, &path.condition)?;
            executor.trouble.lost = space.or(&executor.trouble.lost, &lost)?;
            let right = word::equal(&space, &executor.load(&path, owed), &value)?;
            path.condition = space.and(&space.minus(&path.condition, &lost)?, &right)?;
        }
        let trouble = executor.trouble;
        self.trouble(here, id, trouble)?;
        let kept = mode == (Mode::Atomic { kept: true });
        let control = Word::constant(&space, i32::from(kept));
        path.memory.insert(self.cells.locked, control);
        let rule = self.globals_of(&path)?;
        if !space.is_none(&rule.0) {
            self.add(here, Stack::Pop, rule, Origin::Step(id, 0));
        }
        Ok(())
    }
}

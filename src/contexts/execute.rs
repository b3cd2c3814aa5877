//! Code executed on all states at once.
//!
//! [`Executor::run`] does what the machine's interpreter does, with a [`Word`] for every number and a condition for every
//! position that is reached. Where ways through the code meet, their values are joined: so code without loops is gone through
//! once, and the loops of a `d_step` as often as some state goes around. What can go wrong is collected with the
//! condition under which it does; what comes behind is executed under the opposite condition.

use super::cells::{CellId, Cells};
use super::unsupported::{Refused, refuse};
use super::word::{self, Word};
use crate::limits::Cancellation;
use ample_pushdown::symbolic::space::{Bdd, Error, Space};
use promela_lite::code::{BinOp, Code, Instr, Region, Scalar};
use promela_lite::program::{ProctypeId, Program};
use promela_lite::source::Span;
use std::collections::BTreeMap;

/// Why there is no network.
#[derive(Clone, Debug)]
pub(crate) enum Untranslated {
    /// The model has something that is not supported.
    Refused(Refused),
    /// A limit was reached.
    Limit(Error),
}

impl From<Error> for Untranslated {
    fn from(error: Error) -> Untranslated {
        Untranslated::Limit(error)
    }
}

impl From<Refused> for Untranslated {
    fn from(refused: Refused) -> Untranslated {
        Untranslated::Refused(refused)
    }
}

/// The result of a step of the translation.
pub(super) type Translated<T> = Result<T, Untranslated>;

/// A number on the operand stack, or an address: which one under which condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Number(Word),
    Address(Vec<(Bdd, u32)>),
}

/// Something that goes wrong; what it is, the machine says when the run is executed.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) condition: Bdd,
}

/// A process that is started.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Started {
    pub(super) proctype: ProctypeId,
    pub(super) arguments: Vec<Word>,
    pub(super) pid: Word,
    pub(super) span: Span,
}

/// States at one position of the code.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Which ones, by their values before the step.
    pub(super) condition: Bdd,
    pub(super) stack: Vec<Operand>,
    /// Cells that have been assigned to.
    pub(super) memory: BTreeMap<CellId, Word>,
    /// Processes started on the way.
    pub(super) started: Vec<Started>,
}

/// What comes of executing code besides the states at its end.
#[derive(Debug)]
pub(super) struct Trouble {
    /// Faults.
    pub(super) failures: Vec<Failure>,
    /// States in which a `d_step` is not executable.
    pub(super) not_executable: Bdd,
    /// States in which a value does not fit because `int`s have been narrowed.
    pub(super) lost: Bdd,
}

/// Executes code with one kind of frame.
pub(super) struct Executor<'e> {
    pub(super) program: &'e Program,
    pub(super) space: &'e Space,
    pub(super) cells: &'e Cells,
    /// The number of the frame.
    pub(super) frame: Option<usize>,
    pub(super) cancellation: &'e Cancellation,
    pub(super) trouble: Trouble,
    /// Channels made so far, by initialising code.
    pub(super) channels: i32,
}

/// Jumps back in one `d_step` that are followed.
const MOST_ROUNDS: usize = 2000;

impl<'e> Executor<'e> {
    pub(super) fn new(
        program: &'e Program,
        space: &'e Space,
        cells: &'e Cells,
        frame: Option<usize>,
        cancellation: &'e Cancellation,
    ) -> Executor<'e> {
        let trouble = Trouble {
            failures: Vec::new(),
            not_executable: space.none(),
            lost: space.none(),
        };
        Executor {
            program,
            space,
            cells,
            frame,
            cancellation,
            trouble,
            channels: 0,
        }
    }

    /// Begins in these states.
    pub(super) fn begin(&self, condition: Bdd) -> Path {
        Path {
            condition,
            stack: Vec::new(),
            memory: BTreeMap::new(),
            started: Vec::new(),
        }
    }

    /// The value of a cell.
    pub(super) fn load(&self, path: &Path, id: CellId) -> Word {
        match path.memory.get(&id) {
            Some(word) => word.clone(),
            None => self.cells.load(self.space, id),
        }
    }

    /// Assigns to a cell under a condition.
    pub(super) fn store(
        &mut self,
        path: &mut Path,
        when: &Bdd,
        id: CellId,
        value: &Word,
    ) -> Translated<()> {
        let (kept, lost) = self.cells.fit(self.space, id, value)?;
        let lost = self
            .space
            .and(&self.space.and(&lost, when)?, &path.condition)?;
        if !self.space.is_none(&lost) {
            self.trouble.lost = self.space.or(&self.trouble.lost, &lost)?;
            path.condition = self.space.minus(&path.condition, &lost)?;
        }
        let old = self.load(path, id);
        let value = Word::choose(self.space, when, &kept, &old)?;
        path.memory.insert(id, value);
        Ok(())
    }

    /// Something goes wrong in some states; the others go on.
    pub(super) fn fail(&mut self, path: &mut Path, when: &Bdd) -> Translated<()> {
        let condition = self.space.and(&path.condition, when)?;
        if !self.space.is_none(&condition) {
            path.condition = self.space.minus(&path.condition, &condition)?;
            self.trouble.failures.push(Failure { condition });
        }
        Ok(())
    }

    /// The value that code leaves.
    pub(super) fn value(&mut self, path: &mut Path, code: Code) -> Translated<Word> {
        let depth = path.stack.len();
        self.run(path, code)?;
        let value = match path.stack.len() > depth {
            true => self.pop(path)?,
            false => Word::constant(self.space, 0),
        };
        path.stack.truncate(depth);
        Ok(value)
    }

    /// Runs code.
    pub(super) fn run(&mut self, path: &mut Path, code: Code) -> Translated<()> {
        let mut pending: BTreeMap<u32, Path> = BTreeMap::new();
        let space = self.space;
        let empty = Path {
            condition: space.none(),
            ..path.clone()
        };
        pending.insert(code.start, path.clone());
        let mut rounds = 0;
        while let Some((pc, mut path)) = pending.pop_first() {
            if pc >= code.end {
                self.join(&mut pending, pc, path)?;
                break;
            }
            if space.is_none(&path.condition) {
                continue;
            }
            let instr = self.program.instrs[pc as usize];
            match instr {
                Instr::AndThen(to) | Instr::OrElse(to) => {
                    let value = self.pop(&mut path)?.is_true(space)?;
                    let is_and = matches!(instr, Instr::AndThen(_));
                    let leaves = match is_and {
                        true => space.not(&value)?,
                        false => value,
                    };
                    let mut there = path.clone();
                    there.condition = space.and(&path.condition, &leaves)?;
                    there
                        .stack
                        .push(Operand::Number(Word::constant(space, i32::from(!is_and))));
                    path.condition = space.minus(&path.condition, &leaves)?;
                    self.join(&mut pending, to, there)?;
                    self.join(&mut pending, pc + 1, path)?;
                }
                Instr::Jump(to) => self.join(&mut pending, to, path)?,
                Instr::JumpIfZero(to) => {
                    let value = self.pop(&mut path)?.is_true(space)?;
                    let mut there = path.clone();
                    there.condition = space.minus(&path.condition, &value)?;
                    path.condition = space.and(&path.condition, &value)?;
                    self.join(&mut pending, to, there)?;
                    self.join(&mut pending, pc + 1, path)?;
                }
                Instr::JumpBack(to, span) => {
                    rounds += 1;
                    if self.cancellation.poll().is_some() {
                        return Err(Error::Stopped.into());
                    }
                    if rounds > MOST_ROUNDS {
                        return refuse("a d_step whose loops go around that often", span);
                    }
                    self.join(&mut pending, to, path)?;
                }
                Instr::SendOr(send, to) => {
                    let (sent, full) = self.send_inside(path, send)?;
                    self.join(&mut pending, to, full)?;
                    self.join(&mut pending, pc + 1, sent)?;
                }
                Instr::RecvOr(recv, to) => {
                    let (received, other) = self.receive_inside(path, recv)?;
                    self.join(&mut pending, to, other)?;
                    self.join(&mut pending, pc + 1, received)?;
                }
                Instr::NotExecutable => {
                    let all = space.or(&self.trouble.not_executable, &path.condition)?;
                    self.trouble.not_executable = all;
                }
                Instr::Return => self.join(&mut pending, code.end, path)?,
                _ => {
                    self.step(&mut path, instr)?;
                    self.join(&mut pending, pc + 1, path)?;
                }
            }
        }
        *path = pending.remove(&code.end).unwrap_or(empty);
        Ok(())
    }

    /// Adds states to those at a position.
    fn join(&self, pending: &mut BTreeMap<u32, Path>, pc: u32, path: Path) -> Translated<()> {
        let space = self.space;
        let Some(there) = pending.get_mut(&pc) else {
            pending.insert(pc, path);
            return Ok(());
        };
        if space.is_none(&path.condition) {
            return Ok(());
        }
        if space.is_none(&there.condition) {
            *there = path;
            return Ok(());
        }
        if there.started != path.started {
            let all = there.started.iter().chain(&path.started);
            let span = all.last().map_or(Span::NONE, |s| s.span);
            return refuse("run in a part of a step that is not always executed", span);
        }
        let here = path.condition.clone();
        for (mine, other) in there.stack.iter_mut().zip(&path.stack) {
            let joined = match (&*mine, other) {
                (a, b) if a == b => continue,
                (Operand::Number(a), Operand::Number(b)) => {
                    Operand::Number(Word::choose(space, &here, b, a)?)
                }
                (Operand::Address(a), Operand::Address(b)) => {
                    let mut cases = Vec::new();
                    for (condition, at) in a {
                        cases.push((space.minus(condition, &here)?, *at));
                    }
                    for (condition, at) in b {
                        cases.push((space.and(condition, &here)?, *at));
                    }
                    Operand::Address(cases)
                }
                _ => return refuse("an address that is computed in two ways", Span::NONE),
            };
            *mine = joined;
        }
        let ids: Vec<CellId> = there
            .memory
            .keys()
            .chain(path.memory.keys())
            .copied()
            .collect();
        for id in ids {
            let (a, b) = (self.load(there, id), self.load(&path, id));
            there.memory.insert(id, Word::choose(space, &here, &b, &a)?);
        }
        there.condition = space.or(&there.condition, &here)?;
        Ok(())
    }

    pub(super) fn pop(&self, path: &mut Path) -> Translated<Word> {
        match path.stack.pop() {
            Some(Operand::Number(word)) => Ok(word),
            _ => refuse("an address that is used as a number", Span::NONE),
        }
    }

    fn push(&self, path: &mut Path, word: Word) {
        path.stack.push(Operand::Number(word));
    }

    /// The cell at an address of the process.
    pub(super) fn cell(&self, region: Region, offset: u32) -> Translated<CellId> {
        match self.cells.at(self.frame, region, offset) {
            Some(id) => Ok(id),
            None => refuse("an address that is no variable", Span::NONE),
        }
    }

    /// The cells that an address may be.
    pub(super) fn address(
        &self,
        path: &mut Path,
        region: Region,
    ) -> Translated<Vec<(Bdd, CellId)>> {
        let cases = match path.stack.pop() {
            Some(Operand::Address(cases)) => cases,
            Some(Operand::Number(word)) => match word.known(self.space) {
                Some(at) => vec![(self.space.all(), at as u32)],
                None => return refuse("an address that is computed", Span::NONE),
            },
            None => return refuse("an address that is missing", Span::NONE),
        };
        let cells = cases
            .into_iter()
            .map(|(condition, at)| Ok((condition, self.cell(region, at)?)));
        cells.collect()
    }

    /// An instruction that leads to the next one.
    fn step(&mut self, path: &mut Path, instr: Instr) -> Translated<()> {
        let space = self.space;
        match instr {
            Instr::Const(value) => self.push(path, Word::constant(space, value)),
            Instr::Address(at) => self.push(path, Word::constant(space, at as i32)),
            Instr::Result => {
                let Some((expected, _)) = self.cells.results else {
                    return refuse("a result", Span::NONE);
                };
                let value = self.load(path, expected);
                path.memory.insert(expected, Word::constant(space, 0));
                self.push(path, value);
            }
            Instr::Load(cell) => {
                let id = self.cell(cell.region, cell.offset)?;
                let value = self.load(path, id);
                self.push(path, value);
            }
            Instr::Store(cell) => {
                let value = self.pop(path)?;
                let id = self.cell(cell.region, cell.offset)?;
                self.assign(path, &space.all(), id, &value, cell.ty)?;
            }
            Instr::Index { len, stride, span } => self.index(path, len, stride, span)?,
            Instr::LoadAt(region, _) => {
                let mut value = Word::constant(space, 0);
                for (condition, id) in self.address(path, region)? {
                    value = Word::choose(space, &condition, &self.load(path, id), &value)?;
                }
                self.push(path, value);
            }
            Instr::StoreAt(region, ty) => {
                let value = self.pop(path)?;
                for (condition, id) in self.address(path, region)? {
                    self.assign(path, &condition, id, &value, ty)?;
                }
            }
            Instr::Unary(op) => {
                let value = self.pop(path)?.unary(space, op)?;
                self.push(path, value);
            }
            Instr::Binary(op, _) => {
                let right = self.pop(path)?;
                let left = self.pop(path)?;
                let undefined = word::undefined(space, op, &right)?;
                self.fail(path, &undefined)?;
                let value = left.binary(space, op, &right)?;
                self.push(path, value);
            }
            Instr::SelfPid | Instr::NrProcesses => {
                let Some((own, nr)) = self.cells.pids else {
                    return refuse("a pid", Span::NONE);
                };
                let id = if instr == Instr::SelfPid { own } else { nr };
                let value = self.load(path, id);
                self.push(path, value);
            }
            Instr::Run {
                proctype,
                args,
                span,
                ..
            } => self.start(path, proctype, args.into(), span)?,
            Instr::NewChan(_) => {
                self.channels += 1;
                self.push(path, Word::constant(space, self.channels));
            }
            Instr::Query(query, _) => self.query(path, query)?,
            Instr::Poll(recv) => self.poll(path, recv)?,
            Instr::Assert(_) => {
                let holds = self.pop(path)?.is_true(space)?;
                self.fail(path, &space.not(&holds)?)?;
            }
            Instr::Print { args, .. } => {
                let rest = path.stack.len().saturating_sub(args.into());
                path.stack.truncate(rest);
            }
            Instr::PrintMtype(_) => drop(self.pop(path)?),
            Instr::Blocked(_) => {
                self.fail(path, &space.all())?;
            }
            other => return refuse(&format!("{other:?}"), Span::NONE),
        }
        Ok(())
    }

    /// An assignment of the model.
    pub(super) fn assign(
        &mut self,
        path: &mut Path,
        when: &Bdd,
        id: CellId,
        value: &Word,
        ty: Scalar,
    ) -> Translated<()> {
        if ty == Scalar::Chan {
            let (_, lost) = self.cells.fit(self.space, id, value)?;
            let lost = self
                .space
                .and(&self.space.and(&lost, when)?, &path.condition)?;
            if !self.space.is_none(&lost) {
                return refuse("a channel variable that is given a number", Span::NONE);
            }
        }
        self.store(path, when, id, value)
    }

    fn index(&mut self, path: &mut Path, len: u32, stride: u32, span: Span) -> Translated<()> {
        let space = self.space;
        let index = self.pop(path)?;
        let inside = word::below(space, &index, len as i32)?;
        self.fail(path, &space.not(&inside)?)?;
        let bases = match path.stack.pop() {
            Some(Operand::Address(cases)) => cases,
            Some(Operand::Number(word)) => match word.known(space) {
                Some(at) => vec![(space.all(), at as u32)],
                None => return refuse("an address that is computed", span),
            },
            None => return refuse("an address that is missing", span),
        };
        let mut cases = Vec::new();
        for element in 0..len {
            let chosen = index.is(space, element as i32)?;
            if space.is_none(&chosen) {
                continue;
            }
            for (condition, base) in &bases {
                let both = space.and(condition, &chosen)?;
                if !space.is_none(&both) {
                    cases.push((both, base + element * stride));
                }
            }
        }
        path.stack.push(Operand::Address(cases));
        Ok(())
    }

    fn start(
        &mut self,
        path: &mut Path,
        proctype: ProctypeId,
        args: usize,
        span: Span,
    ) -> Translated<()> {
        let mut arguments = Vec::new();
        for _ in 0..args {
            arguments.push(self.pop(path)?);
        }
        arguments.reverse();
        let pid = match self.cells.pids {
            None => Word::constant(self.space, 1),
            Some((_, nr)) => {
                let pid = self.load(path, nr);
                let one = Word::constant(self.space, 1);
                let more = pid.binary(self.space, BinOp::Add, &one)?;
                self.store(path, &self.space.all(), nr, &more)?;
                pid
            }
        };
        path.started.push(Started {
            proctype,
            arguments,
            pid: pid.clone(),
            span,
        });
        self.push(path, pid);
        Ok(())
    }
}

//! The machine as a system of threads.
//!
//! States are kept along the current execution, so that going back to one costs nothing: the explorer restarts the
//! system and makes the same steps again, which are recognised and not executed.
//!
//! Threads are numbered by parent and place among the parent's children, as everywhere in the explorer; a process may
//! have another `_pid` in another trace.

use super::Asked;
use crate::coverage::Coverage;
use crate::limits::{Cancellation, Monitor, Progress, Stop};
use crate::machine::{Fault, Machine, Move, Pid};
use crate::reduce::Accesses;
use crate::search::Event;
use ample_stateless::{
    Access, Failure, Kind, Object, Operation, Pending, Performed, System, Thread,
};
use promela_lite::program::Program;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The most moves of an `atomic` sequence, and the most ways through one.
const CHAIN: usize = 10_000;

/// Executions between two looks at the limits.
const LOOKS: u64 = 64;

/// A way in which a process can go on: a move, or an `atomic` sequence; with each, whether `timeout` holds.
type Way = Vec<(Move, bool)>;

/// What a process is about to do.
#[derive(Clone, Debug)]
struct Next {
    operation: Operation,
    ways: Vec<Way>,
}

/// A state, with what can happen in it.
#[derive(Clone, Debug)]
struct Global {
    state: Vec<u8>,
    /// By `_pid`: the thread, how many processes it has started, and what it is about to do.
    live: Vec<Thread>,
    children: Vec<u32>,
    next: Vec<Next>,
}

/// A step that was made, and where it led.
#[derive(Clone, Debug)]
struct Made {
    step: (Thread, u32),
    operation: Operation,
    created: Vec<Thread>,
    moves: Vec<Move>,
    /// What went wrong, and after how many of the moves.
    faults: Vec<(Fault, usize)>,
    /// It could not be completed.
    is_over: bool,
    to: Global,
}

/// The system.
pub(super) struct Processes<'m> {
    machine: RefCell<Machine>,
    program: Arc<Program>,
    /// What steps access; without it each depends on every other.
    accesses: Option<Accesses>,
    end_states: bool,
    initial: Result<Global, Fault>,
    /// The steps of the last execution, of which `at` have been made in this one.
    made: Vec<Made>,
    at: usize,
    /// Threads by parent and place among the parent's children.
    names: RefCell<FxHashMap<(Thread, u32), Thread>>,
    first: usize,
    coverage: RefCell<Coverage>,
    monitor: RefCell<&'m mut dyn Monitor>,
    cancellation: Cancellation,
    looks: Cell<u64>,
    steps: Cell<u64>,
    stopped: Cell<Option<Stop>>,
}

impl<'m> Processes<'m> {
    pub(super) fn new(
        program: &Arc<Program>,
        asked: Asked,
        cancellation: Cancellation,
        monitor: &'m mut dyn Monitor,
    ) -> Self {
        let mut machine = Machine::new(Arc::clone(program));
        machine.set_cancellation(&cancellation);
        let mut processes = Processes {
            accesses: asked.reduction.then(|| Accesses::new(program)),
            coverage: RefCell::new(Coverage::new(program)),
            program: Arc::clone(program),
            end_states: asked.end_states,
            initial: Ok(Global {
                state: Vec::new(),
                live: Vec::new(),
                children: Vec::new(),
                next: Vec::new(),
            }),
            made: Vec::new(),
            at: 0,
            names: RefCell::default(),
            first: program.active.len(),
            monitor: RefCell::new(monitor),
            cancellation,
            looks: Cell::new(0),
            steps: Cell::new(0),
            stopped: Cell::new(None),
            machine: RefCell::new(machine),
        };
        let mut state = Vec::new();
        let begun = processes.machine.borrow_mut().initial(&mut state);
        processes.initial = begun.map(|()| {
            let mut global = Global {
                state,
                live: (0..processes.first as u32).map(Thread).collect(),
                children: vec![0; processes.first],
                next: Vec::new(),
            };
            global.next = processes.look(&global.state, global.live.len());
            global
        });
        processes
    }

    /// Why the exploration was given up.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stopped.get()
    }

    pub(super) fn coverage(&self) -> Coverage {
        self.coverage.borrow().clone()
    }

    fn give_up(&self, stop: Stop) {
        self.stopped.set(self.stopped.get().or(Some(stop)));
    }

    /// The fault with this name in the current execution.
    pub(super) fn fault_called(&self, message: &str) -> Option<Fault> {
        let faults = self.made[..self.at].iter().flat_map(|made| &made.faults);
        let mut faults = faults
            .map(|(fault, _)| fault)
            .chain(self.initial.as_ref().err());
        faults.find(|fault| named(fault) == message).cloned()
    }

    /// The moves of the current execution up to what happens in the end.
    pub(super) fn path(&self, event: &Event) -> Vec<Move> {
        let mut path = Vec::new();
        for made in &self.made[..self.at] {
            let is_it =
                |(fault, _): &&(Fault, usize)| matches!(event, Event::Fault(f) if f == fault);
            if let Some((_, moves)) = made.faults.iter().find(is_it) {
                path.extend_from_slice(&made.moves[..*moves]);
                return path;
            }
            path.extend_from_slice(&made.moves);
        }
        path
    }

    fn global_at(&self, position: usize) -> Option<&Global> {
        match position.checked_sub(1) {
            None => self.initial.as_ref().ok(),
            Some(last) => self.made.get(last).map(|made| &made.to),
        }
    }

    fn global(&self) -> Option<&Global> {
        self.global_at(self.at)
    }

    /// What the processes of a state are about to do.
    fn look(&self, state: &[u8], processes: usize) -> Vec<Next> {
        let machine = &mut *self.machine.borrow_mut();
        let mut next: Vec<Next> = (0..processes)
            .map(|pid| Next {
                operation: self.operation(machine, state, Pid(pid as u16)),
                ways: Vec::new(),
            })
            .collect();
        let mut moves = Vec::new();
        let listed = machine.moves(state, None, &mut moves);
        let timeout = listed.as_ref().is_ok_and(|info| info.timeout);
        let failing = listed.err().map(|(mv, _)| mv);
        for mv in moves.into_iter().chain(failing) {
            let ways = &mut next[usize::from(mv.pid.0)].ways;
            self.extend(machine, state, (mv, timeout), &mut Vec::new(), ways);
        }
        next
    }

    fn operation(&self, machine: &mut Machine, state: &[u8], pid: Pid) -> Operation {
        let mut accessed = Vec::new();
        match &self.accesses {
            Some(accesses) => accesses.add(&machine.look(state), pid, &mut accessed),
            None => accessed.push((0, true)),
        }
        Operation::all(accessed.into_iter().map(|(object, changes)| {
            let kind = if changes { Kind::Update } else { Kind::Read };
            Access::new(Object(object), kind)
        }))
    }

    /// Whether the process that moves may keep control.
    fn keeps_control(&self, machine: &mut Machine, state: &[u8], mv: Move) -> bool {
        let look = machine.look(state);
        let atomic = |(pid, edge)| {
            let (proctype, _) = look.process(pid);
            self.program.proctypes[proctype.index()].graph.edges[edge_index(edge)].atomic
        };
        atomic((mv.pid, mv.edge)) || mv.partner.is_some_and(atomic)
    }

    /// Adds all ways that begin with the moves `before`, which lead to `state`, and then `mv`.
    fn extend(
        &self,
        machine: &mut Machine,
        state: &[u8],
        mv: (Move, bool),
        before: &mut Way,
        ways: &mut Vec<Way>,
    ) {
        if ways.len() >= CHAIN || before.len() >= CHAIN {
            self.give_up(Stop::Depth(CHAIN as u64));
            return;
        }
        before.push(mv);
        let mut goes_on = false;
        if self.keeps_control(machine, state, mv.0) {
            let mut next = Vec::new();
            // A fault shows when the way is taken.
            let control = match machine.apply(state, mv.0, mv.1, &mut next) {
                Ok(step) => step.control,
                Err(fault) if fault.kind.leaves_successor() => machine.last_step().control,
                Err(_) => None,
            };
            if control.is_some() {
                let mut moves = Vec::new();
                let listed = machine.moves(&next, control, &mut moves);
                let info = listed.as_ref().copied().unwrap_or_default();
                if !info.control_lost {
                    let failing = listed.err().map(|(mv, _)| mv);
                    for mv in moves.into_iter().chain(failing) {
                        goes_on = true;
                        self.extend(machine, &next, (mv, info.timeout), before, ways);
                    }
                }
            }
        }
        if !goes_on {
            ways.push(before.clone());
        }
        before.pop();
    }

    /// Makes a step.
    fn make(&self, from: &Global, (thread, choice): (Thread, u32)) -> Option<Made> {
        let pid = from.live.iter().position(|&t| t == thread)?;
        let next = &from.next[pid];
        let way = next.ways.get(choice as usize)?;
        let mut made = Made {
            step: (thread, choice),
            operation: next.operation.clone(),
            created: Vec::new(),
            moves: Vec::new(),
            faults: Vec::new(),
            is_over: false,
            to: from.clone(),
        };
        {
            let machine = &mut *self.machine.borrow_mut();
            let to = &mut made.to;
            let mut state = Vec::new();
            let mut control = None;
            for &(mv, timeout) in way {
                made.moves.push(mv);
                let failing = {
                    let mut moves = Vec::new();
                    let listed = machine.moves(&to.state, control, &mut moves);
                    listed.err().filter(|(failing, _)| *failing == mv)
                };
                if let Some((_, fault)) = failing {
                    made.faults.push((fault, made.moves.len()));
                    made.is_over = true;
                    break;
                }
                let applied = machine.apply(&to.state, mv, timeout, &mut state);
                if let Err(fault) = applied {
                    made.is_over = !fault.kind.leaves_successor();
                    made.faults.push((fault, made.moves.len()));
                    if made.is_over {
                        break;
                    }
                }
                control = machine.last_step().control;
                std::mem::swap(&mut to.state, &mut state);
                for (pid, edge) in std::iter::once((mv.pid, mv.edge)).chain(mv.partner) {
                    self.coverage.borrow_mut().mark(machine.mover(pid), edge);
                }
                let processes = machine.look(&to.state).processes();
                self.adopt(to, usize::from(mv.pid.0), processes, &mut made.created);
            }
        }
        made.to.next = match made.is_over {
            true => Vec::new(),
            false => self.look(&made.to.state, made.to.live.len()),
        };
        if made.is_over {
            made.to.live.clear();
        }
        Some(made)
    }

    /// Processes have been started by this one, or the youngest ones have ended.
    fn adopt(&self, to: &mut Global, parent: usize, processes: usize, created: &mut Vec<Thread>) {
        to.live.truncate(processes);
        to.children.truncate(processes);
        while to.live.len() < processes {
            let nth = to.children[parent];
            to.children[parent] += 1;
            let mut names = self.names.borrow_mut();
            let new = Thread((self.first + names.len()) as u32);
            let thread = *names.entry((to.live[parent], nth)).or_insert(new);
            to.live.push(thread);
            to.children.push(0);
            created.push(thread);
        }
    }
}

fn edge_index(edge: promela_lite::program::EdgeId) -> usize {
    edge.index()
}

/// What tells a fault from others.
fn named(fault: &Fault) -> String {
    format!("{:?} at {:?}", fault.kind, fault.span)
}

impl System for Processes<'_> {
    fn restart(&mut self, performed: &mut Performed) {
        self.at = 0;
        performed.clear();
        match &self.initial {
            Ok(global) => performed.created.extend_from_slice(&global.live),
            Err(fault) => {
                performed.failures.push(Failure::from(named(fault)));
                performed.is_over = true;
            }
        }
    }

    fn threads(&self) -> usize {
        self.first + self.names.borrow().len()
    }

    fn pending(&self, thread: Thread) -> Pending<'_> {
        let Some(global) = self.global() else {
            return Pending::None;
        };
        match global.live.iter().position(|&t| t == thread) {
            None => Pending::None,
            Some(pid) => {
                let next = &global.next[pid];
                Pending::Operation {
                    operation: &next.operation,
                    enabled: !next.ways.is_empty(),
                    choices: next.ways.len().max(1) as u32,
                }
            }
        }
    }

    fn value(&self, _: Object) -> u64 {
        0
    }

    fn step(&mut self, thread: Thread, choice: u32, performed: &mut Performed) {
        let known = self
            .made
            .get(self.at)
            .is_some_and(|made| made.step == (thread, choice));
        if !known {
            self.made.truncate(self.at);
            let made = self
                .global()
                .and_then(|from| self.make(from, (thread, choice)));
            self.made
                .push(made.expect("only enabled processes are chosen"));
            self.steps.set(self.steps.get() + 1);
        }
        let made = &self.made[self.at];
        self.at += 1;
        performed.operation.clone_from(&made.operation);
        performed.created.extend_from_slice(&made.created);
        let failures = made
            .faults
            .iter()
            .map(|(fault, _)| Failure::from(named(fault)));
        performed.failures.extend(failures);
        performed.is_over = made.is_over;
    }

    fn is_guarded(&self) -> bool {
        true
    }

    fn foresee(
        &self,
        position: usize,
        steps: &mut dyn Iterator<Item = (Thread, u32)>,
        thread: Thread,
    ) -> Option<(Operation, bool)> {
        let mut made: Option<Made> = None;
        let from = self.global_at(position)?;
        for step in steps {
            let next = self.make(made.as_ref().map_or(from, |made| &made.to), step)?;
            made = Some(next);
        }
        let global = made.as_ref().map_or(from, |made| &made.to);
        let pid = global.live.iter().position(|&t| t == thread)?;
        let next = &global.next[pid];
        Some((next.operation.clone(), !next.ways.is_empty()))
    }

    fn may_rest(&self) -> bool {
        let Some(global) = self.global() else {
            return true;
        };
        !self.end_states || self.machine.borrow().is_valid_end(&global.state)
    }

    fn is_interrupted(&self) -> bool {
        let looks = self.looks.get();
        self.looks.set(looks + 1);
        if self.stopped.get().is_none() {
            if looks.is_multiple_of(LOOKS) {
                let progress = Progress {
                    transitions: self.steps.get(),
                    depth: self.at as u64,
                    ..Progress::default()
                };
                let stop = self.monitor.borrow_mut().tick(&progress);
                stop.into_iter().for_each(|stop| self.give_up(stop));
            }
            self.cancellation
                .poll()
                .into_iter()
                .for_each(|stop| self.give_up(stop));
        }
        self.stopped.get().is_some()
    }

    fn describe(&self, thread: Thread) -> String {
        format!("{thread:?}")
    }
}

//! What can happen in a state.
//!
//! Each process is asked in turn, youngest first, and its edges in order, which is the order SPIN explores them in.
//! Edges come in levels (`unless`): once one of a level is executable the other levels are out of the question.
//! `else` is executable when nothing before it in its location is.
//!
//! A send on a rendezvous channel is executable together with each receive of another process that takes its
//! message. While a partner is sought the message is open ([`super::channel::Message::open`]) and nothing but such
//! receives is executable: an escape whose guard is a condition does not outrank the receive it covers, an escape
//! that is itself a matching receive does. For the receiver alone, the receive is not executable, so an `else`
//! beside it is.
//!
//! With priorities, a process steps only if no process of higher priority is [`enabled`], and for that question a
//! rendezvous send counts as enabled whether or not there is a partner, as in SPIN.

use super::areas::{Area, Areas};
use super::cache::Cache;
use super::compiled::{CompiledModel, Edge, EdgeKind, Ready};
use super::interpret::{End, eval, quick, run};
use super::meet;
use super::scratch::{Scratch, Who};
use super::tables::{Channel, Process};
use super::{Fallible, Fault, FaultKind, Move, MoveInfo, Pid, channel, fault};
use promela_lite::code::Code;
use promela_lite::program::{EdgeId, RecvId, SendId};

/// Fills `out` with all moves of a state. A step whose guard fails is left out and the first such failure
/// returned, with the other moves still in `out`; `timeout` is then not tried.
pub(super) fn moves(
    model: &CompiledModel,
    (scratch, cache): (&mut Scratch, &mut Cache),
    state: &[u8],
    control: Option<Pid>,
    out: &mut Vec<Move>,
) -> Result<MoveInfo, (Move, Fault)> {
    out.clear();
    scratch.tables.follow(&model.layout, state);
    scratch.timeout = false;
    scratch.message.open = false;
    let mut search = Search {
        model,
        scratch,
        cache,
        state,
        out,
        fault: None,
        listed: false,
        offers: 0,
        certain: true,
    };
    if let Some(pid) = control {
        search.list(pid);
        if let Some(fault) = search.fault {
            return Err(fault);
        }
        if !search.out.is_empty() {
            return Ok(MoveInfo {
                timeout: false,
                control_lost: false,
            });
        }
    }
    let control_lost = control.is_some();
    match Cache::serves(model, &search.scratch.tables) {
        true => search.list_changes(),
        false => search.list_all(),
    }
    if search.out.is_empty() && search.fault.is_none() && model.program.features.timeout {
        search.scratch.timeout = true;
        search.list_all();
    }
    let timeout = search.scratch.timeout;
    match search.fault {
        Some(fault) => Err(fault),
        None => Ok(MoveInfo {
            timeout,
            control_lost,
        }),
    }
}

struct Search<'a> {
    model: &'a CompiledModel,
    scratch: &'a mut Scratch,
    cache: &'a mut Cache,
    state: &'a [u8],
    out: &'a mut Vec<Move>,
    fault: Option<(Move, Fault)>,
    /// Whether it is listed who waits for a rendezvous.
    listed: bool,
    /// The channels on which a rendezvous has been offered, as bits.
    offers: u64,
    /// Whether what was listed depends on nothing but what has been noted.
    certain: bool,
}

impl Search<'_> {
    /// Lists the moves of all processes, as if nothing were known.
    fn list_all(&mut self) {
        self.listed = false;
        for pid in (0..self.scratch.tables.nr_processes()).rev() {
            self.list(Pid(pid as u16));
        }
    }

    /// Lists what everyone waits for, unless that has been done. What is known of another state is then of no use.
    #[inline]
    fn list_waiting(&mut self) {
        if !self.listed {
            self.listed = true;
            self.cache.forget();
            for pid in 0..self.scratch.tables.nr_processes() {
                meet::list(self.model, self.scratch, self.state, pid);
            }
        }
    }

    /// Lists the moves of all processes, as far as they are not those of the last state.
    fn list_changes(&mut self) {
        let (model, state) = (self.model, self.state);
        let changed = self.cache.next(model, &self.scratch.tables, state);
        let nr = self.scratch.tables.nr_processes();
        let mut meetings = 0;
        if model.meets {
            for pid in (0..nr).filter(|&pid| self.cache.depends(pid, changed)) {
                meetings |= self.scratch.waiting.channels(pid);
                meet::list(model, self.scratch, state, pid);
                meetings |= self.scratch.waiting.channels(pid);
            }
            self.listed = true;
        }
        for pid in (0..nr).rev() {
            if !self.cache.depends(pid, changed) && !self.cache.offers(pid, meetings) {
                self.cache.repeat(pid, self.out);
                continue;
            }
            let first = self.out.len();
            self.scratch.touched = Areas::NONE;
            self.offers = 0;
            self.certain = true;
            let place = self.list(Pid(pid as u16));
            let own = Area::process(Pid(pid as u16)).into();
            let depends = match self.certain {
                true => place.and(self.scratch.touched).and(own),
                false => Areas::ALL,
            };
            self.cache
                .learn(pid, (first, self.out), depends, self.offers);
        }
        match self.fault {
            None => self.cache.keep(self.out),
            Some(_) => self.cache.forget(),
        }
    }

    /// Adds the moves that `pid` makes alone or as the sender of a rendezvous. Says what they depend on, channels and its own
    /// area left out.
    fn list(&mut self, pid: Pid) -> Areas {
        let model = self.model;
        let process = self.scratch.tables.process(pid);
        let loc = model.layout.location(self.state, process);
        let steps = &model.graphs[process.proctype.index()];
        let leaving = steps.at(loc);
        let depends = steps.depends(loc);
        let who = Who {
            pid,
            locals: process.locals,
        };
        let mut mv = Move {
            pid,
            edge: leaving.first,
            partner: None,
        };
        // Asked before the guards are: they may fail where the process must not step.
        if model.restricted && !self.may_step(mv, pid) {
            return depends;
        }
        if leaving.independent {
            for edge in leaving.edges {
                self.list_edge(mv, who, edge);
                mv.edge.0 += 1;
            }
            return depends;
        }
        let start = self.out.len();
        let mut level = 0;
        for edge in leaving.edges {
            let before = self.out.len();
            if before > start && edge.level != level {
                break;
            }
            if before == start || !matches!(edge.kind, EdgeKind::Else) {
                self.list_edge(mv, who, edge);
            }
            if self.out.len() > before {
                level = edge.level;
                if before > start {
                    self.check_determinism(mv, process, edge);
                }
            }
            mv.edge.0 += 1;
        }
        depends
    }

    /// Adds the moves along one edge, as if there were no other.
    #[inline(always)]
    fn list_edge(&mut self, mv: Move, who: Who, edge: &Edge) {
        let (model, state) = (self.model, self.state);
        let ready = match edge.ready {
            Ready::Always => Ok(true),
            Ready::Never => return,
            Ready::Test(within, slot) => Ok(within.accepts(slot.load(state, who))),
            Ready::Room(channel) => {
                self.scratch.touch(channel);
                Ok(channel::len(state, channel) < channel.capacity)
            }
            Ready::Guard(ref guard) => {
                quick(model, self.scratch, state, who, guard).map(|value| value != 0)
            }
            Ready::Recv(recv) => can_receive(model, self.scratch, state, who, recv),
            Ready::Send(send) => return self.list_send(mv, who, send, edge.d_step),
            Ready::Asked => is_ready(model, self.scratch, state, who, edge),
        };
        match ready {
            Ok(true) => self.out.push(mv),
            Ok(false) => {}
            Err(fault) => self.blame(mv, *fault),
        }
    }

    fn may_step(&mut self, mv: Move, pid: Pid) -> bool {
        match may_step(self.model, self.scratch, self.state, pid) {
            Ok(may) => may,
            Err(fault) => {
                self.blame(mv, *fault);
                false
            }
        }
    }

    #[cold]
    fn blame(&mut self, mv: Move, fault: Fault) {
        self.certain = false;
        self.fault.get_or_insert((mv, fault));
    }

    fn check_determinism(&mut self, mv: Move, process: Process, edge: &Edge) {
        let proctype = &self.model.program.proctypes[process.proctype.index()];
        if proctype.deterministic
            && !matches!(
                edge.kind,
                EdgeKind::Skip | EdgeKind::Else | EdgeKind::DStep(_)
            )
        {
            let span = proctype.graph.edges[mv.edge.index()].span;
            self.blame(mv, *fault(FaultKind::Nondeterminism, span));
        }
    }

    fn list_send(&mut self, mv: Move, who: Who, send: SendId, d_step: bool) {
        if let Err(fault) = self.try_send(mv, who, send, d_step) {
            self.blame(mv, *fault);
        }
        self.scratch.message.open = false;
    }

    fn try_send(&mut self, mv: Move, who: Who, send: SendId, d_step: bool) -> Fallible<()> {
        let (model, state) = (self.model, self.state);
        let channel = channel::of_send(model, self.scratch, state, who, send)?;
        if !channel.is_rendezvous() {
            if channel::len(state, channel) < channel.capacity {
                self.out.push(mv);
            }
            return Ok(());
        }
        if d_step {
            let span = model.program.sends[send.index()].span;
            return Err(fault(FaultKind::RendezvousInDStep, span));
        }
        self.list_waiting();
        let bit = meet::bit(channel.id);
        self.offers |= bit;
        let waits = |scratch: &Scratch, pid: usize| {
            scratch.waiting.channels(pid) & bit != 0 && pid != usize::from(mv.pid.0)
        };
        let nr = self.scratch.tables.nr_processes();
        if model.sends[send.index()].total && !(0..nr).any(|pid| waits(self.scratch, pid)) {
            return channel::check_send(model, send, channel);
        }
        channel::compose(model, self.scratch, state, who, send, channel)?;
        self.scratch.message.open = true;
        for pid in (0..nr).rev() {
            if waits(self.scratch, pid) {
                self.list_partner(mv, Pid(pid as u16), channel);
            }
        }
        Ok(())
    }

    /// Adds the moves of `mv` with the receives of `pid` that take the open message.
    fn list_partner(&mut self, mv: Move, pid: Pid, channel: Channel) {
        let (model, state) = (self.model, self.state);
        let process = self.scratch.tables.process(pid);
        let who = Who {
            pid,
            locals: process.locals,
        };
        let mut taken = None;
        let mut may_step = !model.restricted;
        for number in 0.. {
            let Some(receiver) = self.scratch.waiting.receiver(usize::from(pid.0), number) else {
                break;
            };
            let edge = edge_of(model, process, receiver.edge);
            if taken.is_some_and(|level| level != edge.level) {
                break;
            }
            if receiver.known.is_some_and(|(id, _)| id != channel.id) {
                continue;
            }
            let own = Move {
                pid,
                edge: receiver.edge,
                partner: None,
            };
            // Asked before the receive is: what it looks at may fail where the process must not step.
            if !may_step && !self.may_step(own, pid) {
                return;
            }
            may_step = true;
            let takes = match receiver.known {
                Some((_, recv)) => {
                    channel::takes_offer(model, self.scratch, state, who, recv, channel)
                }
                None => {
                    self.certain = false;
                    takes_message(model, self.scratch, state, who, edge)
                }
            };
            let takes = takes.unwrap_or_else(|fault| {
                self.blame(own, *fault);
                false
            });
            if !takes {
                continue;
            }
            if taken.is_some() {
                self.check_determinism(own, process, edge);
            }
            taken = Some(edge.level);
            self.out.push(Move {
                partner: Some((pid, receiver.edge)),
                ..mv
            });
        }
    }
}

/// Whether some process is at a progress label.
pub(super) fn progress(model: &CompiledModel, scratch: &Scratch, state: &[u8]) -> bool {
    scratch.tables.live().iter().any(|&process| {
        let graph = &model.program.proctypes[process.proctype.index()].graph;
        graph.locations[model.layout.location(state, process).index()].progress
    })
}

fn holds(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    code: Code,
) -> Fallible<bool> {
    Ok(eval(model, scratch, state, who, code)? != 0)
}

/// Whether the `provided` clause of a process holds.
fn provided(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    pid: Pid,
) -> Fallible<bool> {
    let process = scratch.tables.process(pid);
    match model.program.proctypes[process.proctype.index()].provided {
        None => Ok(true),
        Some(code) => {
            let who = Who {
                pid,
                locals: process.locals,
            };
            holds(model, scratch, state, who, code)
        }
    }
}

/// Whether `provided` and priorities let a process step.
fn may_step(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    pid: Pid,
) -> Fallible<bool> {
    let features = &model.program.features;
    if features.provided && !provided(model, scratch, state, pid)? {
        return Ok(false);
    }
    if !features.priorities {
        return Ok(true);
    }
    let own = model.layout.priority(state, scratch.tables.process(pid));
    for other in 0..scratch.tables.nr_processes() {
        let other = Pid(other as u16);
        let process = scratch.tables.process(other);
        if model.layout.priority(state, process) > own
            && provided(model, scratch, state, other)?
            && enabled(model, scratch, state, other)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a process has an executable step, as `enabled()` and priorities ask it: `provided` clauses and levels do
/// not matter, and a rendezvous send needs no partner.
pub(super) fn enabled(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    pid: Pid,
) -> Fallible<bool> {
    let process = scratch.tables.process(pid);
    let loc = model.layout.location(state, process);
    let who = Who {
        pid,
        locals: process.locals,
    };
    for edge in model.graphs[process.proctype.index()].at(loc).edges {
        let executable = match edge.kind {
            EdgeKind::Send(_) if scratch.message.open => false,
            EdgeKind::Send(send) => {
                let channel = channel::of_send(model, scratch, state, who, send)?;
                channel.is_rendezvous() || channel::len(state, channel) < channel.capacity
            }
            _ => is_executable(model, scratch, state, who, edge)?,
        };
        if executable {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a step that is not a send is executable; while a message is open, whether it takes the message.
fn is_executable(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    edge: &Edge,
) -> Fallible<bool> {
    match scratch.message.open {
        true => takes_message(model, scratch, state, who, edge),
        false => is_ready(model, scratch, state, who, edge),
    }
}

/// Whether there is a message for a receive in a buffered channel. A rendezvous has none, and cannot be looked at.
#[inline(always)]
fn can_receive(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    recv: RecvId,
) -> Fallible<bool> {
    let channel = channel::of_recv(model, scratch, state, who, recv)?;
    if model.recvs[recv.index()].peek && channel.is_rendezvous() {
        let span = model.program.recvs[recv.index()].span;
        return Err(fault(FaultKind::PolledRendezvous, span));
    }
    Ok(channel::find(model, scratch, state, who, recv, channel)?.is_some())
}

/// Whether a step that is not a send is executable while no message is open.
fn is_ready(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    edge: &Edge,
) -> Fallible<bool> {
    match edge.kind {
        EdgeKind::Skip
        | EdgeKind::Assign(..)
        | EdgeKind::AssignAt(_)
        | EdgeKind::Assert(..)
        | EdgeKind::Effect(_)
        | EdgeKind::Run(_)
        | EdgeKind::Else => Ok(true),
        EdgeKind::Guard(ref guard) => Ok(quick(model, scratch, state, who, guard)? != 0),
        EdgeKind::Recv(recv) => can_receive(model, scratch, state, who, recv),
        EdgeKind::DStep(code) => {
            let mut probe = state;
            let end = run(model, scratch, &mut probe, who, code)?;
            Ok(end != End::NotExecutable)
        }
        EdgeKind::End => Ok(usize::from(who.pid.0) + 1 == scratch.tables.nr_processes()),
        EdgeKind::Send(_) => Ok(false),
    }
}

/// Whether a step is a receive, or a `d_step` that starts with one, that takes the open message.
fn takes_message(
    model: &CompiledModel,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    edge: &Edge,
) -> Fallible<bool> {
    match edge.kind {
        EdgeKind::Recv(recv) => {
            let channel = channel::of_recv(model, scratch, state, who, recv)?;
            channel::takes_offer(model, scratch, state, who, recv, channel)
        }
        EdgeKind::DStep(code) => {
            let mut probe = state;
            scratch.receiving = false;
            let end = run(model, scratch, &mut probe, who, code);
            let taken = !scratch.message.open;
            scratch.message.open = true;
            match end {
                // Conditions are not asked for now: if the process may step, they fail by themselves.
                Err(_) if !scratch.receiving => Ok(false),
                end => Ok(end? == End::Effect && taken),
            }
        }
        _ => Ok(false),
    }
}

/// The edge of a move.
pub(super) fn edge_of(model: &CompiledModel, process: Process, edge: EdgeId) -> &Edge {
    model.graphs[process.proctype.index()].edge(edge)
}

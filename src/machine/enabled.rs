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

use super::interpret::{End, Scratch, Who, eval, quick, run};
use super::layout::Process;
use super::model::{Edge, Kind, Model};
use super::{Fault, FaultKind, Move, MoveInfo, Pid, channel};
use promela_lite::code::Code;
use promela_lite::program::{EdgeId, SendId};

/// Fills `out` with all moves of a state. A step whose guard fails is left out and the first such failure
/// returned, with the other moves still in `out`; `timeout` is then not tried.
pub(super) fn moves(
    model: &Model,
    scratch: &mut Scratch,
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
        state,
        out,
        fault: None,
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
    search.list_all();
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
    model: &'a Model,
    scratch: &'a mut Scratch,
    state: &'a [u8],
    out: &'a mut Vec<Move>,
    fault: Option<(Move, Fault)>,
}

impl Search<'_> {
    fn list_all(&mut self) {
        for pid in (0..self.scratch.tables.nr_processes()).rev() {
            self.list(Pid(pid as u16));
        }
    }

    /// Adds the moves that `pid` makes alone or as the sender of a rendezvous.
    fn list(&mut self, pid: Pid) {
        let process = self.scratch.tables.process(pid);
        let loc = self.model.layout.location(self.state, process);
        let steps = &self.model.graphs[process.proctype.index()];
        let who = Who {
            pid,
            locals: process.locals,
        };
        let mut taken = None;
        let mut checked = !self.model.restricted;
        for (id, edge) in steps.at(loc) {
            let mv = Move {
                pid,
                edge: id,
                partner: None,
            };
            // Asked here, so that a failing `provided` clause has a move to blame.
            if !checked && !self.may_step(mv, pid) {
                return;
            }
            checked = true;
            if taken.is_some_and(|level| level != edge.level) {
                break;
            }
            let before = self.out.len();
            match edge.kind {
                Kind::Else if taken.is_some() => {}
                Kind::Send(send) => self.list_send(mv, who, send),
                _ => {
                    if self.is_executable(mv, who, edge) {
                        self.out.push(mv);
                    }
                }
            }
            if self.out.len() > before {
                if taken.is_some() {
                    self.check_determinism(mv, process, edge);
                }
                taken = Some(edge.level);
            }
        }
    }

    fn may_step(&mut self, mv: Move, pid: Pid) -> bool {
        match may_step(self.model, self.scratch, self.state, pid) {
            Ok(may) => may,
            Err(fault) => {
                self.fault.get_or_insert((mv, fault));
                false
            }
        }
    }

    fn is_executable(&mut self, mv: Move, who: Who, edge: &Edge) -> bool {
        match is_executable(self.model, self.scratch, self.state, who, edge) {
            Ok(executable) => executable,
            Err(fault) => {
                self.fault.get_or_insert((mv, fault));
                false
            }
        }
    }

    fn check_determinism(&mut self, mv: Move, process: Process, edge: &Edge) {
        let proctype = &self.model.program.proctypes[process.proctype.index()];
        if proctype.deterministic && !matches!(edge.kind, Kind::Skip | Kind::Else | Kind::DStep(_))
        {
            let fault = Fault {
                kind: FaultKind::Nondeterminism,
                span: proctype.graph.edges[mv.edge.index()].span,
            };
            self.fault.get_or_insert((mv, fault));
        }
    }

    fn list_send(&mut self, mv: Move, who: Who, send: SendId) {
        if let Err(fault) = self.try_send(mv, who, send) {
            self.fault.get_or_insert((mv, fault));
        }
        self.scratch.message.open = false;
    }

    fn try_send(&mut self, mv: Move, who: Who, send: SendId) -> Result<(), Fault> {
        let (model, state) = (self.model, self.state);
        let layout = &model.layout;
        let channel = channel::of_send(model, self.scratch, state, who, send)?;
        let template = &layout.templates[channel.template as usize];
        if !template.is_rendezvous() {
            if channel::len(layout, state, channel) < template.capacity {
                self.out.push(mv);
            }
            return Ok(());
        }
        channel::compose(model, self.scratch, state, who, send, channel)?;
        self.scratch.message.open = true;
        for partner in (0..self.scratch.tables.nr_processes()).rev() {
            if partner != usize::from(mv.pid.0) {
                self.list_partner(mv, Pid(partner as u16));
            }
        }
        Ok(())
    }

    /// Adds the receives of `pid` that take the open message of `mv`.
    fn list_partner(&mut self, mv: Move, pid: Pid) {
        let process = self.scratch.tables.process(pid);
        let loc = self.model.layout.location(self.state, process);
        let steps = &self.model.graphs[process.proctype.index()];
        if !steps.receives(loc) {
            return;
        }
        let who = Who {
            pid,
            locals: process.locals,
        };
        let mut taken = None;
        for (id, edge) in steps.at(loc) {
            if taken.is_some_and(|level| level != edge.level) {
                break;
            }
            let own = Move {
                pid,
                edge: id,
                partner: None,
            };
            if self.is_executable(own, who, edge) {
                if self.model.restricted && taken.is_none() && !self.may_step(own, pid) {
                    return;
                }
                if taken.is_some() {
                    self.check_determinism(own, process, edge);
                }
                taken = Some(edge.level);
                self.out.push(Move {
                    partner: Some((pid, id)),
                    ..mv
                });
            }
        }
    }
}

/// Whether some process is at a progress label.
pub(super) fn progress(model: &Model, scratch: &Scratch, state: &[u8]) -> bool {
    scratch.tables.live().iter().any(|&process| {
        let graph = &model.program.proctypes[process.proctype.index()].graph;
        graph.locations[model.layout.location(state, process).index()].progress
    })
}

fn holds(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    code: Code,
) -> Result<bool, Fault> {
    Ok(eval(model, scratch, state, who, code)? != 0)
}

/// Whether the `provided` clause of a process holds.
fn provided(model: &Model, scratch: &mut Scratch, state: &[u8], pid: Pid) -> Result<bool, Fault> {
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
fn may_step(model: &Model, scratch: &mut Scratch, state: &[u8], pid: Pid) -> Result<bool, Fault> {
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
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    pid: Pid,
) -> Result<bool, Fault> {
    let process = scratch.tables.process(pid);
    let loc = model.layout.location(state, process);
    let who = Who {
        pid,
        locals: process.locals,
    };
    for (_, edge) in model.graphs[process.proctype.index()].at(loc) {
        let executable = match edge.kind {
            Kind::Send(_) if scratch.message.open => false,
            Kind::Send(send) => {
                let channel = channel::of_send(model, scratch, state, who, send)?;
                let template = &model.layout.templates[channel.template as usize];
                template.is_rendezvous()
                    || channel::len(&model.layout, state, channel) < template.capacity
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
#[inline]
fn is_executable(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    edge: &Edge,
) -> Result<bool, Fault> {
    if scratch.message.open {
        return takes_message(model, scratch, state, who, edge);
    }
    match edge.kind {
        Kind::Skip | Kind::Assign(..) | Kind::Effect(_) | Kind::Run(_) | Kind::Else => Ok(true),
        Kind::Guard(guard) => Ok(quick(model, scratch, state, who, guard)? != 0),
        Kind::Recv(recv) => {
            let channel = channel::of_recv(model, scratch, state, who, recv)?;
            Ok(channel::find(model, scratch, state, who, recv, channel)?.is_some())
        }
        Kind::DStep(code) => {
            let mut probe = state;
            let end = run(model, scratch, &mut probe, who, code)?;
            Ok(end != End::NotExecutable)
        }
        Kind::End => Ok(usize::from(who.pid.0) + 1 == scratch.tables.nr_processes()),
        Kind::Send(_) => Ok(false),
    }
}

/// Whether a step is a receive, or a `d_step` that starts with one, that takes the open message.
fn takes_message(
    model: &Model,
    scratch: &mut Scratch,
    state: &[u8],
    who: Who,
    edge: &Edge,
) -> Result<bool, Fault> {
    match edge.kind {
        Kind::Recv(recv) => {
            let channel = channel::of_recv(model, scratch, state, who, recv)?;
            channel::takes_offer(model, scratch, state, who, recv, channel)
        }
        Kind::DStep(code) => {
            let mut probe = state;
            let end = run(model, scratch, &mut probe, who, code);
            let taken = !scratch.message.open;
            scratch.message.open = true;
            Ok(end? == End::Effect && taken)
        }
        _ => Ok(false),
    }
}

/// The edge of a move.
pub(super) fn edge_of(model: &Model, process: Process, edge: EdgeId) -> &Edge {
    model.graphs[process.proctype.index()].edge(edge)
}

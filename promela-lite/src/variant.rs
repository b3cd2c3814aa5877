//! Variants of what a program means, which SPIN has as options: sends that lose messages (`spin -m`), and assertions that do not
//! count (`pan -A`).
//!
//! Both are made in the program itself, so that whatever executes or analyses it sees one and the same program, and could be
//! written in Promela. A send `c!x` that loses its message when the channel is full is a choice of `c!x` and `full(c)`, of which
//! one is executable at any time; a rendezvous channel is never full. Inside a `d_step` it is the code for `if :: full(c) ::
//! else -> c!x fi`. An assertion that does not count evaluates its expression and goes on.
//!
//! Numbers of control states and statements stay as they are, so trails mean the same to SPIN.

use crate::code::{ChanQuery, Code, Instr};
use crate::program::{Action, ChanAccess, Edge, EdgeId, Footprint, Graph, Program, SendId};
use smallvec::smallvec;

/// What stands behind the text of a send that has lost its message.
pub const LOST: &str = " /* lost: the channel is full */";

/// Lets sends to full channels lose the message.
pub fn lose_messages(program: &mut Program) {
    each_graph(program, |program, graph| {
        let edges = std::mem::take(&mut graph.edges);
        for location in &mut graph.locations {
            let first = graph.edges.len();
            for mut edge in edges[location.edges()].iter().cloned() {
                if let Action::DStep(code) = edge.action
                    && let Some(code) = lossy_code(program, code, &mut edge.footprint)
                {
                    edge.action = Action::DStep(code);
                }
                if let Some(then) = lossy_code(program, edge.then, &mut edge.footprint) {
                    edge.then = then;
                }
                let lost = match edge.action {
                    Action::Send(send) => Some(lost(program, &edge, send)),
                    _ => None,
                };
                for mut edge in [edge].into_iter().chain(lost) {
                    edge.plain = smallvec![EdgeId(graph.edges.len() as u32)];
                    graph.edges.push(edge);
                }
            }
            location.first = EdgeId(first as u32);
            location.count = (graph.edges.len() - first) as u32;
        }
    });
}

/// Takes assertions of processes for statements that have no effect.
pub fn ignore_assertions(program: &mut Program) {
    each_graph(program, |program, graph| {
        for edge in &graph.edges {
            let code = match edge.action {
                Action::Effect(code) | Action::DStep(code) | Action::Guard(code) => code,
                _ => edge.then,
            };
            for at in code.range().chain(edge.then.range()) {
                if let Instr::Assert(_) = program.instrs[at] {
                    // Takes the value, and goes on in either case.
                    program.instrs[at] = Instr::JumpIfZero(at as u32 + 1);
                }
            }
        }
    });
}

/// Changes the graphs of proctypes and procedures. Claims and traces are no part of what the model does.
fn each_graph(program: &mut Program, mut change: impl FnMut(&mut Program, &mut Graph)) {
    for index in 0..program.proctypes.len() {
        let mut graph = std::mem::take(&mut program.proctypes[index].graph);
        change(program, &mut graph);
        program.proctypes[index].graph = graph;
    }
    for index in 0..program.procedures.len() {
        let mut graph = std::mem::take(&mut program.procedures[index].graph);
        change(program, &mut graph);
        program.procedures[index].graph = graph;
    }
}

/// The step in which a send loses its message.
fn lost(program: &mut Program, send: &Edge, id: SendId) -> Edge {
    let operation = &program.sends[id.index()];
    let (chan, span) = (operation.chan, operation.span);
    let start = program.instrs.len() as u32;
    copy(program, chan);
    program.instrs.push(Instr::Query(ChanQuery::Full, span));
    let code = Code {
        start,
        end: program.instrs.len() as u32,
    };
    let mut edge = send.clone();
    edge.action = Action::Guard(code);
    edge.text.push_str(LOST);
    for used in &mut edge.footprint.chans {
        if used.how == ChanAccess::Send {
            used.how = ChanAccess::Full;
        }
    }
    edge
}

/// Appends a copy of some code.
fn copy(program: &mut Program, code: Code) {
    let start = program.instrs.len() as u32;
    for at in code.range() {
        let mut instr = program.instrs[at];
        if let Some(target) = instr.target_mut() {
            *target = *target - code.start + start;
        }
        program.instrs.push(instr);
    }
}

/// The code of a `d_step` whose sends lose messages; none if it has no sends.
fn lossy_code(program: &mut Program, code: Code, footprint: &mut Footprint) -> Option<Code> {
    let is_send = |at: usize| matches!(program.instrs[at], Instr::SendOr(..));
    if !code.range().any(is_send) {
        return None;
    }
    let start = program.instrs.len() as u32;
    // Where each of the old instructions begins in the new code.
    let mut begins = Vec::new();
    let mut jumps = Vec::new();
    for at in code.range() {
        begins.push(program.instrs.len() as u32);
        let instr = program.instrs[at];
        if let Instr::SendOr(send, _) = instr {
            let operation = &program.sends[send.index()];
            let (chan, span) = (operation.chan, operation.span);
            copy(program, chan);
            let here = program.instrs.len() as u32;
            program.instrs.extend([
                Instr::Query(ChanQuery::Full, span),
                Instr::JumpIfZero(here + 3),
                Instr::Jump(here + 4),
            ]);
        }
        if instr.target().is_some() {
            jumps.push(program.instrs.len());
        }
        program.instrs.push(instr);
    }
    let end = program.instrs.len() as u32;
    begins.push(end);
    for at in jumps {
        if let Some(target) = program.instrs[at].target_mut() {
            *target = begins[(*target - code.start) as usize];
        }
    }
    let sends = footprint.chans.clone();
    for used in sends.iter().filter(|used| used.how == ChanAccess::Send) {
        for how in [ChanAccess::Full, ChanAccess::Nfull] {
            footprint.channel(used.via, how);
        }
    }
    Some(Code { start, end })
}

//! Models for which the reduction is not known to be sound, and why: it is disabled for them, with a note.
//!
//! Much that looks as if it concerned a whole model concerns few places of it:
//!
//! - *Who waits for a rendezvous.* Where an `atomic` sequence goes on with a rendezvous send, how far it gets depends on whether
//!   somebody waits for the message; so does what is possible beside such a send, `else` or what an escape covers. A step that
//!   leads its process to a receive, or starts one at a receive, may make that difference without any use of the channel. So
//!   it counts as a use of its own ([`super::uses::NowUse::arrives`]), which depends on such sends of others
//!   ([`super::uses::LaterUse::asks`]) and on nothing else. A step that leads away from a receive needs no such thing: the
//!   receive is an operation of the place that it leaves, disabled or not. Neither do variables that decide whether a receive
//!   takes the message: whoever writes one depends on the receiver, whose receive depends on the sender.
//!   For receives alone there is no such question: a rendezvous is a step of its sender, so that a receive never is possible
//!   for its own process, whatever others do, and an `else` beside it always is. What a step does that goes on through a
//!   rendezvous in its partner's `atomic` sequence, the partner's place tells, and it is in every set that the step is in.
//! - *`D_proctype`.* That two steps of such a process are possible is an error of the state. It is as if the process had one
//!   more step, possible where both are, which reads what both read: both are among what the place does now, or later.
//! - *`enabled()`, `pc_value()`, `np_`* look at all processes: a step that asks depends on everything, and every step depends
//!   on a process that may still ask. They write nothing.
//! - *`_last`* is written by every step, so that nothing is independent of anything while some process may still read it
//!   ([`super::ample`]). Afterwards nobody can tell it, and states that differ in it alone do the same.
//!
//! Condition F has a definition of dependency that is the same in all states; it does not know these things.

use super::facts::tests_siblings;
use super::traced::cannot_be_told;
use promela_lite::program::*;

/// Why the reduction is off for a model; `None` when it may be used.
pub fn obstacle(program: &Program) -> Option<&'static str> {
    let table = [
        (
            program.features.priorities,
            "priorities let the enabledness of one process decide about another",
        ),
        (
            cannot_be_told(program),
            "what a `trace` looks at depends on variables",
        ),
    ];
    first_of(&table)
}

/// The same under condition F. Its dependency does not know the events of a `trace`, nor what else is judged place by place
/// otherwise.
pub fn obstacle_under_f(program: &Program) -> Option<&'static str> {
    let features = program.features;
    let table = [
        (
            program.trace.is_some(),
            "a `trace` looks at the order of its events",
        ),
        (
            features.enabled,
            "`enabled()` looks at what every process could do",
        ),
        (features.last, "`_last` looks at who moved last"),
        (
            features.pc_value,
            "`pc_value()` looks at the places of other processes",
        ),
        (
            looks_at_progress(program),
            "`np_` looks at the places of all processes",
        ),
        (
            program.proctypes.iter().any(|p| p.deterministic),
            "a `D_proctype` must be deterministic in every state",
        ),
        (
            tests_rendezvous(program),
            "`else` or an escape stands beside a rendezvous, so that it depends on where other processes are",
        ),
        (
            meets_inside_atomic(program),
            "an `atomic` sequence goes on with a rendezvous, so that how far it gets depends on where other processes are",
        ),
    ];
    first_of(&table).or_else(|| obstacle(program))
}

fn first_of(table: &[(bool, &'static str)]) -> Option<&'static str> {
    let mut present = table.iter().filter(|(present, _)| *present);
    present.next().map(|&(_, reason)| reason)
}

/// Whether some step is decided by whether a partner for a rendezvous is there, other than by being one.
pub(super) fn decides_by_partners(program: &Program) -> bool {
    tests_rendezvous(program) || meets_inside_atomic(program)
}

/// Whether a process asks for `np_`; a property may.
fn looks_at_progress(program: &Program) -> bool {
    program
        .proctypes
        .iter()
        .flat_map(|p| &p.graph.edges)
        .any(|e| e.footprint.specials.non_progress)
}

/// Whether some place decides by the possibility of an operation that may be a rendezvous.
fn tests_rendezvous(program: &Program) -> bool {
    if program.templates.iter().all(|t| t.capacity > 0) {
        return false;
    }
    program.proctypes.iter().any(|proctype| {
        let graph = &proctype.graph;
        graph.locations.iter().any(|location| {
            tests_siblings(graph, location)
                && graph.edges[location.edges()].iter().any(|edge| {
                    edge.footprint.chans.iter().any(|c| {
                        matches!(
                            c.how,
                            ChanAccess::Send | ChanAccess::Recv | ChanAccess::Peek
                        ) && may_be_rendezvous(program, &c.via)
                    })
                })
        })
    })
}

/// Whether a process may lose control because no process is where it could take a message.
fn meets_inside_atomic(program: &Program) -> bool {
    if program.templates.iter().all(|t| t.capacity > 0) {
        return false;
    }
    program.proctypes.iter().any(|proctype| {
        let graph = &proctype.graph;
        let inside = graph.edges.iter().filter(|edge| edge.atomic);
        inside
            .flat_map(|edge| &graph.edges[graph.locations[edge.to.index()].edges()])
            .filter(|edge| matches!(edge.action, Action::Send(_)))
            .flat_map(|edge| &edge.footprint.chans)
            .any(|c| c.how == ChanAccess::Send && may_be_rendezvous(program, &c.via))
    })
}

/// Whether a channel reached through this variable may be a rendezvous channel: not if the variable is a global that makes
/// its own, buffered channels and is never assigned.
fn may_be_rendezvous(program: &Program, via: &Access) -> bool {
    use promela_lite::code::Instr;
    if via.place != Place::Global {
        return true;
    }
    let assigned = program
        .proctypes
        .iter()
        .flat_map(|p| &p.graph.edges)
        .flat_map(|e| &e.footprint.writes)
        .any(|w| w.place == Place::Global && w.lo < via.hi && via.lo < w.hi);
    let init = &program.instrs[program.init.range()];
    let buffered = |offset: u32| {
        init.windows(2).any(|pair| match pair {
            [Instr::NewChan(t), Instr::Store(cell)] => {
                cell.offset == offset && program.templates[t.index()].capacity > 0
            }
            _ => false,
        })
    };
    let size = promela_lite::code::Scalar::Chan.size() as usize;
    assigned || !(via.lo..via.hi).step_by(size).all(buffered)
}

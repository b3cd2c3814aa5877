//! Models for which the reduction is not known to be sound, and why: it is disabled for them, with a note.

use super::facts::tests_siblings;
use super::traced::cannot_be_told;
use promela_lite::program::*;

/// Why the reduction is off for a model; `None` when it may be used.
pub fn obstacle(program: &Program) -> Option<&'static str> {
    let features = program.features;
    let table = [
        (
            features.enabled,
            "`enabled()` looks at what every process could do",
        ),
        (features.last, "`_last` looks at who moved last"),
        (
            features.priorities,
            "priorities let the enabledness of one process decide about another",
        ),
        (
            features.pc_value,
            "`pc_value()` looks at the places of other processes",
        ),
        (
            looks_at_progress(program),
            "`np_` looks at the places of all processes",
        ),
        (
            cannot_be_told(program),
            "what a `trace` looks at depends on variables",
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
    table
        .into_iter()
        .find(|(present, _)| *present)
        .map(|(_, reason)| reason)
}

/// The same under condition F. Its dependency does not know the events of a `trace`.
pub fn obstacle_under_f(program: &Program) -> Option<&'static str> {
    match &program.trace {
        Some(_) => Some("a `trace` looks at the order of its events"),
        None => obstacle(program),
    }
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

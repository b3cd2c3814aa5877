//! Whether it matters in which order processes start and end: not if nobody can tell their numbers.
//!
//! Two `run`s in the two orders give the processes different pids; and a process that ends before a `run` leaves its pid to
//! the new one, while afterwards it has to wait, terminated, until the new one has ended. In general these are different
//! states and the steps depend on each other. But think of the program without pids: a process has an identity that is
//! never used again, and is gone when it has come to its end. If no process can tell pids, this program and the real one do
//! the same, step for step, but for the removal of terminated processes, which changes nothing that anybody can see. There
//! `run` is independent of `run`, and ends are no steps at all. An ample set of that program is found in the real state;
//! the search of the real program then follows one order of pids of each run of the other one. Which of them does not
//! matter to the argument for C1, in which the rest of a run is any run of the program without pids, nor to C2', which is
//! about the states that are really stored.
//!
//! Who could tell: whoever reads `_pid` or `_nr_pr`, looks at another process, or uses the value of a `run`; whoever gets
//! the number of a channel, if a process that is started makes channels; whoever uses a channel that a terminated process
//! holds for itself (`xr`, `xs`); and the limit on the number of processes, terminated ones included, so that number must
//! be bounded. A property that looks at processes makes `run` and the end of a process visible, so that they are in no
//! ample set anyway. Condition F is about what depends on what, so pids always count there.

use super::facts::{components, run_targets};
use promela_lite::code::Instr;
use promela_lite::program::*;

/// More processes than this in all are as good as any number: far below what a machine allows.
const MANY: u64 = 1000;

/// Whether the order in which processes start and end cannot be told.
pub(super) fn are_hidden(program: &Program) -> bool {
    let tells = |instr: &Instr| matches!(instr, Instr::SelfPid | Instr::NrProcesses);
    if program.instrs.iter().any(tells) || !program.exclusive.is_empty() {
        return false;
    }
    let edges = || program.proctypes.iter().flat_map(|p| &p.graph.edges);
    let looks = edges().any(|e| {
        let uses = e.footprint.chans.iter().map(|c| &c.via);
        let mut remote = e.footprint.reads.iter().chain(uses);
        e.footprint.specials.remote_location || remote.any(|a| matches!(a.place, Place::Remote(_)))
    });
    let started = || {
        let targets = edges().flat_map(|e| run_targets(program, e));
        targets.map(|id| &program.proctypes[id.index()])
    };
    let reads_others = |code: promela_lite::code::Code| {
        program.instrs[code.range()].iter().any(|i| {
            use Instr::*;
            matches!(
                i,
                RemoteAt { .. } | RemoteLoad { .. } | RemoteLoadAt { .. } | AnywhereAt(_)
            )
        })
    };
    !looks
        && !started().any(|p| p.channels > 0 || reads_others(p.init))
        && edges().all(|e| keeps_no_pid(program, e))
        && at_most(program).is_some_and(|count| count <= MANY)
}

/// Whether the edge starts nothing, or one process as a statement of its own.
fn keeps_no_pid(program: &Program, edge: &Edge) -> bool {
    let runs = |i: &Instr| matches!(i, Instr::Run { .. });
    match edge.action {
        _ if program.instrs[edge.then.range()].iter().any(runs) => false,
        Action::Guard(code) => {
            let instrs = &program.instrs[code.range()];
            let mut rest = instrs.iter().skip_while(|i| !runs(i)).skip(1);
            rest.all(|i| *i == Instr::Return)
        }
        Action::Effect(code) | Action::DStep(code) => {
            !program.instrs[code.range()].iter().any(runs)
        }
        _ => true,
    }
}

/// How many processes there can be in the course of a run; `None` if that is not bounded.
fn at_most(program: &Program) -> Option<u64> {
    let mut known = vec![None; program.proctypes.len()];
    // A proctype is known once all that it starts are; those that may start each other never are.
    for _ in &program.proctypes {
        for (index, proctype) in program.proctypes.iter().enumerate() {
            known[index] = brood(program, &proctype.graph, &known);
        }
    }
    let counts = program.active.iter().map(|id| known[id.index()]);
    counts.sum()
}

/// A process and all that come from it.
fn brood(program: &Program, graph: &Graph, known: &[Option<u64>]) -> Option<u64> {
    let component = components(graph, |_| true);
    let mut count = 1u64;
    for edge in &graph.edges {
        for target in run_targets(program, edge) {
            if component[edge.from.index()] == component[edge.to.index()] {
                return None;
            }
            count = count.saturating_add(known[target.index()]?);
        }
    }
    Some(count)
}

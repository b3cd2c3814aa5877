//! How many processes of each type there can be.
//!
//! A `run` that no cycle of its graph comes back to is made once by each process of its proctype. So for most models it is known
//! how many processes are started, and the network has a thread for each. Where it is not known, there are as many as can
//! get a context: one less than the bound. Others may be started, but never move; then it cannot be said that something
//! holds for any number of contexts.

use super::body::graphs;
use promela_lite::code::{Code, Instr};
use promela_lite::program::{Action, Graph, Program};

/// The threads of a network that are started by others.
#[derive(Clone, Debug)]
pub(super) struct Pools {
    /// Whether processes of that type are started at all.
    pub(super) started: Vec<bool>,
    /// For how many of each type there are threads.
    pub(super) sizes: Vec<usize>,
    /// Whether there may be more.
    pub(super) open: Vec<bool>,
    /// Whether local variables begin with values that are computed.
    pub(super) computed: Vec<bool>,
    /// Whether `_pid` or `_nr_pr` can be seen.
    pub(super) pids_matter: bool,
    /// Whether processes end, as far as anybody can see.
    pub(super) ends_matter: bool,
}

/// More threads of one type are not made beforehand.
const MOST: usize = 12;

impl Pools {
    pub(super) fn new(program: &Program, bound: usize) -> Pools {
        let count = program.proctypes.len();
        // Times that a process of the first type starts one of the second; `None` for no bound.
        let mut starts = vec![vec![Some(0_usize); count]; count];
        for (p, proctype) in program.proctypes.iter().enumerate() {
            let again = repeated(&proctype.graph);
            for (edge, again) in proctype.graph.edges.iter().zip(again) {
                for code in codes(&edge.action).into_iter().chain([edge.then]) {
                    for instr in &program.instrs[code.range()] {
                        if let Instr::Run { proctype, .. } = instr {
                            let times = &mut starts[p][proctype.index()];
                            *times = times.filter(|_| !again).map(|times| times + 1);
                        }
                    }
                }
            }
        }
        // Nobody counts how often procedures are called.
        for edge in program.procedures.iter().flat_map(|p| &p.graph.edges) {
            for code in codes(&edge.action).into_iter().chain([edge.then]) {
                for instr in &program.instrs[code.range()] {
                    if let Instr::Run { proctype, .. } = instr {
                        for row in &mut starts {
                            row[proctype.index()] = None;
                        }
                    }
                }
            }
        }
        let mut numbers: Vec<Option<usize>> = vec![Some(0); count];
        for active in &program.active {
            numbers[active.index()] = numbers[active.index()].map(|n| n + 1);
        }
        let first = numbers.clone();
        // Longer chains of starts than there are types go round in a circle.
        for _ in 0..=count {
            let mut next = first.clone();
            for (p, row) in starts.iter().enumerate() {
                for (q, times) in row.iter().enumerate() {
                    next[q] = match (next[q], numbers[p], times) {
                        (_, Some(0), _) | (_, _, Some(0)) => next[q],
                        (Some(sum), Some(number), Some(times)) => {
                            Some(number * times + sum).filter(|n| *n <= 1000)
                        }
                        _ => None,
                    };
                }
            }
            numbers = next;
        }
        let mut last = first.clone();
        for (p, row) in starts.iter().enumerate() {
            for (q, times) in row.iter().enumerate() {
                last[q] = match (last[q], numbers[p], times) {
                    (_, Some(0), _) | (_, _, Some(0)) => last[q],
                    (Some(sum), Some(number), Some(times)) => Some(number * times + sum),
                    _ => None,
                };
            }
        }
        // What still grows after so many rounds grows for ever.
        for q in 0..count {
            if last[q] != numbers[q] {
                numbers[q] = None;
            }
        }
        let mut started = vec![false; count];
        let mut sizes = vec![0; count];
        let mut open = vec![false; count];
        for q in 0..count {
            let own = first[q].unwrap_or(0);
            let others = numbers[q].map(|number| number - own).filter(|n| *n <= MOST);
            started[q] = others != Some(0);
            open[q] = others.is_none();
            sizes[q] = others.unwrap_or(bound.saturating_sub(1).min(MOST.max(bound)));
        }
        let runs = started.contains(&true);
        let counted = program.instrs.contains(&Instr::NrProcesses);
        let edges = graphs(program).flat_map(|graph| &graph.edges);
        let inside = edges.flat_map(|edge| codes(&edge.action).into_iter().chain([edge.then]));
        let inits = program.proctypes.iter().map(|p| p.init);
        let inits = inits.chain(program.procedures.iter().map(|p| p.init));
        let calls = program.calls.iter().map(|call| call.args);
        let provided = program.proctypes.iter().filter_map(|p| p.provided);
        let mut parts = inside.chain(inits).chain(calls).chain(provided);
        let pids_matter = parts.any(|code| sees_pids(program, code));
        let operands = program
            .sends
            .iter()
            .flat_map(|send| send.args.iter().chain([&send.chan]));
        let received = program.recvs.iter().flat_map(|recv| {
            use promela_lite::program::RecvArg;
            let codes = recv.args.iter().filter_map(|arg| match arg {
                RecvArg::Match(code) | RecvArg::BindAt(code, ..) => Some(code),
                _ => None,
            });
            codes.chain([&recv.chan])
        });
        let pids_matter = pids_matter
            || operands
                .chain(received)
                .any(|code| sees_pids(program, *code));
        let computed = program.proctypes.iter().map(|proctype| {
            let instrs = program.instrs[proctype.init.range()].iter();
            instrs.clone().any(|instr| {
                matches!(
                    instr,
                    Instr::Load(_) | Instr::LoadAt(..) | Instr::SelfPid | Instr::NrProcesses
                )
            })
        });
        Pools {
            started,
            sizes,
            open,
            computed: computed.collect(),
            pids_matter,
            ends_matter: pids_matter && (runs || counted),
        }
    }
}

/// The code of an action.
fn codes(action: &Action) -> Vec<Code> {
    match action {
        Action::Guard(code) | Action::Effect(code) | Action::DStep(code) | Action::Return(code) => {
            vec![*code]
        }
        _ => Vec::new(),
    }
}

/// Whether code reads a pid, or uses what `run` leaves as a number.
fn sees_pids(program: &Program, code: Code) -> bool {
    let instrs = &program.instrs[code.range()];
    let runs = instrs
        .iter()
        .filter(|i| matches!(i, Instr::Run { .. }))
        .count();
    let only_run = runs == 1 && matches!(instrs.last(), Some(Instr::Run { .. }));
    let reads = |i: &Instr| matches!(i, Instr::SelfPid | Instr::NrProcesses);
    instrs.iter().any(reads) || runs > 0 && !only_run
}

/// For each edge, whether a process can come back to it.
fn repeated(graph: &Graph) -> Vec<bool> {
    let reached = |from: usize| {
        let mut seen = vec![false; graph.locations.len()];
        let mut work = vec![from];
        while let Some(loc) = work.pop() {
            if !std::mem::replace(&mut seen[loc], true) {
                let edges = &graph.edges[graph.locations[loc].edges()];
                let going = edges.iter().filter(|edge| edge.action != Action::End);
                work.extend(going.map(|edge| edge.to.index()));
            }
        }
        seen
    };
    let edges = graph.edges.iter();
    edges
        .map(|edge| {
            let only_read = edge.action == Action::End;
            !only_read && reached(edge.to.index())[edge.from.index()]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Model;

    fn pools(text: &str) -> Pools {
        let model = Model::from_source(text).expect("a model");
        Pools::new(&model.program, 4)
    }

    #[test]
    fn processes_are_counted() {
        let text = "proctype P() { skip } init { run P(); run P(); do :: run P() :: break od }";
        assert!(pools(text).open[0]);
        let text =
            "proctype P() { skip } proctype Q() { run P(); run P() } init { run Q(); run P() }";
        let counted = pools(text);
        assert_eq!((&counted.sizes[..2], counted.open[0]), (&[3, 1][..], false));
        let text = "proctype P() { run P() } init { run P() }";
        let counted = pools(text);
        assert_eq!((counted.sizes[0], counted.open[0]), (3, true));
        assert!(!counted.pids_matter);
    }

    #[test]
    fn pids_that_are_seen_matter() {
        assert!(pools("byte x; proctype P() { x = _pid } init { run P() }").ends_matter);
        assert!(pools("byte x; proctype P() { skip } init { x = run P() }").ends_matter);
        let counted = pools("byte x; active [2] proctype P() { x = _pid }");
        assert!(counted.pids_matter && !counted.ends_matter);
    }
}

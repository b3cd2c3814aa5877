//! Who could have met an obligation that a cycle never meets.
//!
//! In each state of the cycle, every move that is possible and not taken is made once, and the condition read in the state it
//! leads to. If it is true there, the process could have met it at once. If no move does, the processes are named that have a
//! statement that changes what the condition reads.

use super::walk::{Stop, walk};
use super::{Case, Place};
use crate::machine::{Machine, Move, Pid};
use crate::property::{Property, StateCondition};
use ltl::word::{Lasso, holds};
use ltl::{Formula, Formulas};
use promela_lite::code::Instr;
use promela_lite::program::{Access, Action, Edge, Loc, Place as Memory, Program};
use rustc_hash::FxHashSet;
use serde::Serialize;

/// Moves that are tried in all.
const TRIED: usize = 20_000;

/// A process that could have met an obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Able {
    /// The process, and the statement.
    #[serde(flatten)]
    pub at: Place,
    /// The step of the cycle before which it could have executed the statement, with which the obligation is met; none if it is
    /// not known to be able to in the cycle, but has a statement that changes what the obligation is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<usize>,
    /// Whether the process moves in the cycle.
    pub moves: bool,
    /// Whether it is able to move in some state of the cycle.
    pub enabled: bool,
}

/// Who could have made a condition true in the cycle that begins after `start` moves, or at the end of a run that ends.
pub(super) fn who(
    case: &Case<'_>,
    property: &Property,
    condition: (&Formulas, Formula),
    start: usize,
) -> Vec<Able> {
    let program = &case.model.program;
    let ends = start == case.path.len();
    let movers = case.path[start..].iter();
    let movers = movers.flat_map(|mv| [Some(mv.pid), mv.partner.map(|p| p.0)]);
    let moving: FxHashSet<Pid> = movers.flatten().collect();
    let mut tried = 0;
    let mut found: Vec<Able> = Vec::new();
    let mut there: Vec<(Pid, usize)> = Vec::new();
    let mut enabled: FxHashSet<Pid> = FxHashSet::default();
    walk(program, case.path, &mut |stop: Stop<'_>| {
        if stop.made < start || (stop.made == case.path.len() && !ends) {
            return true;
        }
        for process in stop.machine.view(stop.state).processes() {
            let known = (process.pid, process.proctype_id().index());
            if !there.contains(&known) {
                there.push(known);
            }
        }
        let mut moves = Vec::new();
        let listed = stop.machine.moves(stop.state, stop.control, &mut moves);
        let timeout = listed.is_ok_and(|info| info.timeout);
        let movers = moves
            .iter()
            .flat_map(|mv| [Some(mv.pid), mv.partner.map(|p| p.0)]);
        enabled.extend(movers.flatten());
        let taken = case.path.get(stop.made);
        for mv in moves.into_iter().filter(|mv| Some(mv) != taken) {
            tried += 1;
            let known = |able: &Able| able.at.pid == mv.pid.0;
            if tried > TRIED || found.iter().any(known) {
                continue;
            }
            if meets(stop.machine, stop.state, (mv, timeout), property, condition) {
                let at = place_of(case, stop.machine, stop.state, mv);
                found.extend(at.map(|at| Able {
                    at,
                    before: Some(stop.made + 1),
                    moves: moving.contains(&mv.pid),
                    enabled: true,
                }));
            }
        }
        tried <= TRIED
    });
    if found.is_empty() {
        let read = condition.0.atoms(condition.1);
        let read = read.iter().filter_map(|a| property.atoms.get(a.0 as usize));
        let read: Vec<&StateCondition> = read.collect();
        for (pid, proctype) in there {
            found.extend(changes(case, pid, proctype, &read).map(|at| Able {
                at,
                before: None,
                moves: moving.contains(&pid),
                enabled: enabled.contains(&pid),
            }));
        }
    }
    found
}

/// Whether the condition is true in the state that a move leads to.
fn meets(
    machine: &mut Machine,
    state: &[u8],
    (mv, timeout): (Move, bool),
    property: &Property,
    (formulas, condition): (&Formulas, Formula),
) -> bool {
    let mut next = Vec::new();
    let Ok(step) = machine.apply(state, mv, timeout, &mut next) else {
        return false;
    };
    // Inside of an atomic sequence nobody looks.
    if step.control.is_some() {
        return false;
    }
    let mut letter = 0;
    for (index, atom) in property.atoms.iter().enumerate() {
        match atom.read(machine, &next) {
            Ok((value, _)) => letter |= u64::from(value) << index,
            Err(_) => return false,
        }
    }
    Lasso::new(Vec::new(), vec![letter]).is_some_and(|word| holds(formulas, condition, &word))
}

fn place_of(case: &Case<'_>, machine: &Machine, state: &[u8], mv: Move) -> Option<Place> {
    let proctype = machine.proctype_of(state, mv.pid)?;
    let proctype = &case.model.program.proctypes[proctype.index()];
    let edge = proctype.graph.edges.get(mv.edge.index())?;
    let (sources, name) = (&case.model.sources, &proctype.name);
    Some(Place::new(sources, mv.pid, name, edge.span, &edge.text))
}

/// A statement of a process that changes something that the conditions read: a variable, or where the process is.
fn changes(
    case: &Case<'_>,
    pid: Pid,
    number: usize,
    conditions: &[&StateCondition],
) -> Option<Place> {
    let program = &case.model.program;
    let proctype = &program.proctypes[number];
    let mut read = conditions.iter().flat_map(|c| &c.footprint.reads);
    let read: Vec<&Access> = read
        .by_ref()
        .filter(|r| r.place == Memory::Global)
        .collect();
    let writes = |edge: &Edge| {
        let mut all = edge.footprint.writes.iter();
        let global = |w: &&Access| w.place == Memory::Global;
        let overlaps = |w: &Access| read.iter().any(|r| r.lo < w.hi && w.lo < r.hi);
        all.by_ref().filter(global).any(overlaps)
    };
    let labels = conditions
        .iter()
        .flat_map(|c| labels(program, c, pid, number));
    let labels: Vec<Loc> = labels.collect();
    let goes = |edge: &Edge| edge.action != Action::End && labels.contains(&edge.to);
    let mut edges = proctype.graph.edges.iter();
    let edge = edges.find(|e| writes(e) || goes(e))?;
    let (sources, name) = (&case.model.sources, &proctype.name);
    Some(Place::new(sources, pid, name, edge.span, &edge.text))
}

/// The locations of a process that a condition names as `P[pid]@label`, the pid being a constant.
fn labels(program: &Program, condition: &StateCondition, pid: Pid, number: usize) -> Vec<Loc> {
    let instrs = &program.instrs[condition.code.range()];
    let pairs = instrs.windows(2).filter_map(|pair| match pair {
        [Instr::Const(of), Instr::RemoteAt { proctype, set, .. }]
            if *of == i32::from(pid.0) && proctype.index() == number =>
        {
            Some(program.label_sets[*set as usize].iter().copied())
        }
        _ => None,
    });
    pairs.flatten().collect()
}

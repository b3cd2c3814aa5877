//! Why a cycle is fair: the run is executed again on the plain machine, and for every process it is looked up what became of
//! it in the cycle. A cycle that turns out to be unfair is no counterexample.

use super::Denied;
use crate::fairness::{Fairness, Kind, ProcessSet};
use crate::machine::{Machine, Move, Pid};
use promela_lite::program::Program;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What became of a process in a cycle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It moves; first with that step of the run, counted from 1.
    Moves(usize),
    /// It cannot move; first before that step of the run.
    CannotMove(usize),
    /// It can never move.
    NeverCan,
    /// It could move all the time, or again and again, and does not; nobody asked for fairness to it.
    Ignored,
}

/// One process of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treated {
    /// Its number.
    pub pid: Pid,
    /// Its type.
    pub proctype: String,
    /// What became of it.
    pub how: Treatment,
}

/// Executes `path`, whose moves from `cycle` on repeat forever, and tells what becomes of every process; an error if the
/// cycle is not fair. A run that ends is fair: then there is nobody to tell about.
pub fn treatment(
    program: &Arc<Program>,
    fairness: &Fairness,
    path: &[Move],
    cycle: usize,
) -> Result<Vec<Treated>, Denied> {
    let mut machine = Machine::new(Arc::clone(program));
    let mut state = Vec::new();
    let fails = |kind| Denied(format!("it fails: {kind:?}"));
    machine.initial(&mut state).map_err(|f| fails(f.kind))?;
    let (mut moves, mut next) = (Vec::new(), Vec::new());
    let mut control = None;
    let mut steps: BTreeMap<Pid, usize> = BTreeMap::new();
    // Who is there in the cycle; who could move when, in the states where anybody may go next.
    let mut there: BTreeMap<Pid, (Kind, String)> = BTreeMap::new();
    let mut seen: Vec<(usize, ProcessSet)> = Vec::new();
    for (index, &mv) in path.iter().enumerate() {
        moves.clear();
        let info = machine
            .moves(&state, control, &mut moves)
            .unwrap_or_default();
        let by = movers(mv);
        if index >= cycle {
            by.pids().for_each(|p| {
                steps.entry(p).or_insert(index + 1);
            });
            if control.is_none() || info.control_lost {
                let all = moves.iter().map(|&m| movers(m));
                seen.push((index + 1, all.fold(ProcessSet::default(), ProcessSet::and)));
                let look = machine.look(&state);
                for number in 0..look.processes() {
                    let pid = Pid(number as u16);
                    let proctype = look.process(pid).0;
                    let name = || program.proctypes[proctype.index()].name.clone();
                    there
                        .entry(pid)
                        .or_insert_with(|| (fairness.kind(proctype), name()));
                }
            }
        }
        let step = match machine.apply(&state, mv, info.timeout, &mut next) {
            Ok(step) => step,
            Err(fault) if fault.kind.leaves_successor() => machine.last_step(),
            Err(fault) => return Err(fails(fault.kind)),
        };
        std::mem::swap(&mut state, &mut next);
        control = step.control;
    }
    let judge = |pid: Pid, kind: Kind| {
        let one = ProcessSet::of(pid);
        let rests = |(_, enabled): &&(usize, ProcessSet)| one.within(*enabled).is_empty();
        let how = match (steps.get(&pid), seen.iter().find(rests)) {
            (Some(&step), _) => Treatment::Moves(step),
            (None, Some(_)) if seen.iter().all(|s| rests(&s)) => Treatment::NeverCan,
            (None, Some(&(step, _))) => Treatment::CannotMove(step),
            (None, None) => Treatment::Ignored,
        };
        let fair = match kind {
            Kind::None => true,
            Kind::Weak => how != Treatment::Ignored,
            Kind::Strong => matches!(how, Treatment::Moves(_) | Treatment::NeverCan),
        };
        fair.then_some(how)
            .ok_or_else(|| Denied(format!("it is not fair to process {}", pid.0)))
    };
    there
        .into_iter()
        .map(|(pid, (kind, proctype))| {
            let how = judge(pid, kind)?;
            Ok(Treated { pid, proctype, how })
        })
        .collect()
}

/// The processes that make a move of the program.
pub(super) fn movers(mv: Move) -> ProcessSet {
    let partner = mv.partner.map(|(pid, _)| ProcessSet::of(pid));
    ProcessSet::of(mv.pid).and(partner.unwrap_or_default())
}

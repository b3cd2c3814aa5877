//! Why a cycle is fair: the run is executed again on the plain machine, and for every process, or under condition F for
//! every operation, it is determined how the cycle treats it. A cycle that turns out to be unfair is no counterexample.

use super::Denied;
use crate::fairness::{Fairness, FairnessKind, NumberSet};
use crate::machine::{Move, Pid, Run};
use crate::reduce::{OperationId, Operations};
use crate::space::Transition;
use promela_lite::program::{ProctypeId, Program};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What became of a process in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It moves; first with that step of the run, counted from 1.
    Moves(usize),
    /// It cannot move; first before that step of the run.
    CannotMove(usize),
    /// It can never move.
    NeverCan,
    /// It is enabled continuously or infinitely often and does not move; no fairness to it was asked for.
    Ignored,
    /// Condition F: it could do something, but what depends on that happens instead.
    Waits {
        /// What it could do.
        statement: String,
        /// First before that step of the run.
        before: usize,
        /// The step that depends on it.
        step: usize,
    },
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

/// What happens in a cycle.
#[derive(Default)]
struct Account {
    /// The processes that are there.
    there: BTreeMap<Pid, ProctypeId>,
    /// The first step of each process that moves.
    moves: BTreeMap<Pid, usize>,
    /// The processes that are enabled before each step, in the states where no process has control.
    able: Vec<(usize, NumberSet)>,
    /// The operations that could happen, and that happen: each with the step it could come before, or is.
    possible: Vec<(OperationId, usize)>,
    happens: Vec<(OperationId, usize)>,
}

/// Executes `path`, whose moves from `cycle` on repeat forever, and tells what becomes of every process; an error if the
/// cycle is not fair. A finite run is fair: then there is no process to report.
pub fn treatment(
    program: &Arc<Program>,
    fairness: &Fairness,
    path: &[Move],
    cycle: usize,
) -> Result<Vec<Treated>, Denied> {
    let mut operations = fairness.is_f().then(|| Operations::new(program));
    let account = execute(program, path, cycle, operations.as_mut())?;
    let mut all = Vec::new();
    for (&pid, &proctype) in &account.there {
        let ways = match &operations {
            Some(operations) => account.by_operations(program, operations, pid)?,
            None => vec![account.by_processes(pid, fairness.kind(proctype))?],
        };
        let proctype = &program.proctypes[proctype.index()].name;
        all.extend(ways.into_iter().map(|how| Treated {
            pid,
            proctype: proctype.clone(),
            how,
        }));
    }
    Ok(all)
}

fn execute(
    program: &Arc<Program>,
    path: &[Move],
    cycle: usize,
    mut operations: Option<&mut Operations>,
) -> Result<Account, Denied> {
    let fails = |kind| Denied(format!("it fails: {kind:?}"));
    let mut run = Run::start(program).map_err(|f| fails(f.kind))?;
    let mut account = Account::default();
    for (index, &mv) in path.iter().enumerate() {
        let info = run.list().unwrap_or_default();
        let step = index + 1;
        if index >= cycle {
            for pid in [Some(mv.pid), mv.partner.map(|p| p.0)].iter().flatten() {
                account.moves.entry(*pid).or_insert(step);
            }
            if run.control().is_none() || info.control_lost {
                let mut able = NumberSet::default();
                run.moves().iter().for_each(|&m| m.add_movers(&mut able));
                account.able.push((step, able));
                let (state, moves) = (run.state().to_vec(), run.moves().to_vec());
                let look = run.machine.look(&state);
                for number in 0..look.processes() {
                    let pid = Pid(number as u16);
                    account.there.entry(pid).or_insert(look.process(pid).0);
                }
                if let Some(operations) = &mut operations {
                    let possible = moves.iter().map(|&m| (operations.number(&look, m), step));
                    account.possible.extend(possible);
                    account.happens.push((operations.number(&look, mv), step));
                }
            }
        }
        let made = run.make(mv);
        if let Some(fault) = made.fault.filter(|_| !made.moved) {
            return Err(fails(fault.kind));
        }
    }
    Ok(account)
}

impl Account {
    /// What becomes of a process, where fairness of that kind is asked for.
    fn by_processes(&self, pid: Pid, kind: FairnessKind) -> Result<Treatment, Denied> {
        let number = usize::from(pid.0);
        let rests = |(_, able): &&(usize, NumberSet)| !able.contains(number);
        let how = match (self.moves.get(&pid), self.able.iter().find(rests)) {
            (Some(&step), _) => Treatment::Moves(step),
            (None, Some(_)) if self.able.iter().all(|s| rests(&s)) => Treatment::NeverCan,
            (None, Some(&(step, _))) => Treatment::CannotMove(step),
            (None, None) => Treatment::Ignored,
        };
        let fair = match kind {
            FairnessKind::None => true,
            FairnessKind::Weak => how != Treatment::Ignored,
            FairnessKind::Strong => matches!(how, Treatment::Moves(_) | Treatment::NeverCan),
        };
        fair.then_some(how)
            .ok_or_else(|| Denied(format!("it is not fair to process {number}")))
    }

    /// What becomes of the operations of a process under condition F.
    fn by_operations(
        &self,
        program: &Program,
        operations: &Operations,
        pid: Pid,
    ) -> Result<Vec<Treatment>, Denied> {
        // Whatever else it could do depends on what it does.
        if let Some(&step) = self.moves.get(&pid) {
            return Ok(vec![Treatment::Moves(step)]);
        }
        let mut all = Vec::new();
        let mut told: Vec<OperationId> = Vec::new();
        for &(possible, before) in &self.possible {
            let mut parts = operations.parts(possible);
            let Some((_, proctype, edge)) = parts.find(|part| part.0 == pid) else {
                continue;
            };
            if told.contains(&possible) {
                continue;
            }
            told.push(possible);
            let edge = &program.proctypes[proctype.index()].graph.edges[edge.index()];
            let mut happens = self.happens.iter();
            match happens.find(|(other, _)| operations.depend(possible, *other)) {
                Some(&(_, step)) => all.push(Treatment::Waits {
                    statement: edge.text.clone(),
                    before,
                    step,
                }),
                None => {
                    let text = &edge.text;
                    return Err(Denied(format!(
                        "it is not fair to the operation {text} of process {}",
                        pid.0
                    )));
                }
            }
        }
        if all.is_empty() {
            all.push(Treatment::NeverCan);
        }
        Ok(all)
    }
}

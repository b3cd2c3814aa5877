//! Confirming a cycle: the run is executed again on the plain machine, and its word is judged by the reference semantics.
//!
//! Nothing of the search is trusted: not the product, not the automaton, not the reduction. The moves are made one by one
//! on a fresh machine; the state before the cycle must be the state after it; and the word of the run, read off the states
//! that are seen, must satisfy the violating formula (or be accepted by the claim) as [`ltl::word`] defines it.

use super::Property;
use crate::machine::{Machine, Move};
use ltl::word::{self, Lasso};
use promela_lite::program::Program;
use std::sync::Arc;

/// Evidence that a cycle violates a property.
#[derive(Debug)]
pub struct Confirmed(());

/// Why a run is no counterexample.
#[derive(Debug)]
pub struct Denied(pub String);

/// Executes `path`, whose moves from `cycle` on repeat forever (or which ends there, when none are left), and judges it.
pub fn confirm(
    program: &Arc<Program>,
    property: &Property,
    path: &[Move],
    cycle: usize,
) -> Result<Confirmed, Denied> {
    let mut run = Run {
        machine: Machine::new(Arc::clone(program)),
        property,
        letters: Vec::new(),
    };
    let mut state = Vec::new();
    run.machine
        .initial(&mut state)
        .map_err(|f| Denied(format!("it fails at the start: {:?}", f.kind)))?;
    run.see(&state)?;
    let mut control = None;
    let mut moves = Vec::new();
    let mut next = Vec::new();
    let mut at_cycle = (cycle == 0).then(|| (state.clone(), 0));
    for (index, &mv) in path.iter().enumerate() {
        moves.clear();
        let info = run
            .machine
            .moves(&state, control, &mut moves)
            .unwrap_or_default();
        if control.is_some() && info.control_lost {
            run.see(&state)?;
        }
        if index == cycle && at_cycle.is_none() {
            at_cycle = Some((state.clone(), run.letters.len() - 1));
        }
        if !moves.contains(&mv) {
            return Err(Denied(format!("step {} is not possible", index + 1)));
        }
        let step = match run.machine.apply(&state, mv, info.timeout, &mut next) {
            Ok(step) => step,
            // The run goes on behind an assertion that fails.
            Err(fault) if fault.kind.leaves_successor() => run.machine.last_step(),
            Err(fault) => {
                return Err(Denied(format!(
                    "step {} fails: {:?}",
                    index + 1,
                    fault.kind
                )));
            }
        };
        std::mem::swap(&mut state, &mut next);
        control = step.control;
        if control.is_none() {
            run.see(&state)?;
        }
    }
    run.judge(state, control.is_some(), at_cycle, path.len() == cycle)
}

struct Run<'p> {
    machine: Machine,
    property: &'p Property,
    letters: Vec<u64>,
}

impl Run<'_> {
    fn see(&mut self, state: &[u8]) -> Result<(), Denied> {
        let mut letter = 0;
        for (index, atom) in self.property.atoms.iter().enumerate() {
            let value = self.machine.eval(state, atom.code);
            let value = value.map_err(|f| {
                Denied(format!("`{}` cannot be evaluated: {:?}", atom.text, f.kind))
            })?;
            letter |= u64::from(value != 0) << index;
        }
        self.letters.push(letter);
        Ok(())
    }

    fn judge(
        mut self,
        state: Vec<u8>,
        inside: bool,
        at_cycle: Option<(Vec<u8>, usize)>,
        ends: bool,
    ) -> Result<Confirmed, Denied> {
        let mut moves = Vec::new();
        if inside {
            self.see(&state)?;
        }
        let (prefix, cycle) = if ends {
            if !self.property.finite_runs {
                return Err(Denied("the run ends".to_owned()));
            }
            let _ = self.machine.moves(&state, None, &mut moves);
            if !moves.is_empty() {
                return Err(Denied(
                    "the run does not end where it is said to".to_owned(),
                ));
            }
            let last = self.letters.len() - 1;
            (self.letters[..last].to_vec(), self.letters[last..].to_vec())
        } else {
            let Some((before, start)) = at_cycle else {
                return Err(Denied("it has no cycle".to_owned()));
            };
            let stored = |s: &[u8]| s[..self.machine.stored_len(s)].to_vec();
            if stored(&before) != stored(&state) {
                return Err(Denied("the cycle does not close".to_owned()));
            }
            let last = self.letters.len() - 1;
            (
                self.letters[..start].to_vec(),
                self.letters[start..last].to_vec(),
            )
        };
        let Some(lasso) = Lasso::new(prefix, cycle) else {
            return Err(Denied("the cycle is empty".to_owned()));
        };
        let violates = match &self.property.violation {
            Some((formulas, formula)) => word::holds(formulas, *formula, &lasso),
            None => word::accepts(&self.property.automaton, &lasso),
        };
        if violates {
            Ok(Confirmed(()))
        } else {
            Err(Denied("its word satisfies the property".to_owned()))
        }
    }
}

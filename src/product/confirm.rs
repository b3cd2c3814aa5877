//! Confirming a cycle: the run is executed again on the plain machine, and its word is judged by the reference semantics.
//!
//! Nothing of the search is trusted: not the product, not the automaton, not the reduction. The moves are made one by one
//! on a fresh machine; the state before the cycle must be the state after it; and the word of the run, read off the states
//! that are seen, must satisfy the violating formula (or be accepted by the claim) as [`ltl::word`] defines it.

use super::Property;
use super::property::defined;
use crate::machine::{Fault, Machine, Move};
use ltl::Atom;
use ltl::word::{self, Lasso, Value};
use promela_lite::program::Program;
use std::sync::Arc;

/// What a run that was judged shows.
#[derive(Debug)]
pub enum Confirmed {
    /// It violates the property.
    Violates,
    /// The property cannot be evaluated on it.
    Undefined {
        /// A condition has no value after that many moves.
        after: usize,
        /// Why it has none.
        fault: Fault,
    },
}

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
        after: Vec::new(),
        faults: Vec::new(),
    };
    let mut state = Vec::new();
    run.machine
        .initial(&mut state)
        .map_err(|f| Denied(format!("it fails at the start: {:?}", f.kind)))?;
    run.see(&state, 0)?;
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
            run.see(&state, index)?;
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
            run.see(&state, index + 1)?;
        }
    }
    let inside = control.is_some();
    run.judge(state, path.len(), inside, at_cycle, path.len() == cycle)
}

struct Run<'p> {
    machine: Machine,
    property: &'p Property,
    letters: Vec<u64>,
    /// How many moves were made before each letter.
    after: Vec<usize>,
    /// Atoms that have no value, by letter.
    faults: Vec<(usize, Atom, Fault)>,
}

impl Run<'_> {
    fn see(&mut self, state: &[u8], after: usize) -> Result<(), Denied> {
        let mut letter = 0;
        for (index, atom) in self.property.atoms.iter().enumerate() {
            let (value, fault) = atom.read(&mut self.machine, state).map_err(|f| {
                Denied(format!("`{}` cannot be evaluated: {:?}", atom.text, f.kind))
            })?;
            letter |= u64::from(value) << index;
            let without_value = fault.map(|f| (self.letters.len(), Atom(index as u32), f));
            self.faults.extend(without_value);
        }
        self.letters.push(letter);
        self.after.push(after);
        Ok(())
    }

    /// The property cannot be evaluated because that atom has no value in that letter.
    fn undefined(&self, position: usize, atom: Atom) -> Result<Confirmed, Denied> {
        let mut faults = self.faults.iter();
        let fault = faults.find(|(p, a, _)| (*p, *a) == (position, atom));
        match fault {
            Some((.., fault)) => Ok(Confirmed::Undefined {
                after: self.after[position],
                fault: fault.clone(),
            }),
            None => Err(Denied("a condition is defined after all".to_owned())),
        }
    }

    fn judge(
        mut self,
        state: Vec<u8>,
        after: usize,
        inside: bool,
        at_cycle: Option<(Vec<u8>, usize)>,
        ends: bool,
    ) -> Result<Confirmed, Denied> {
        let mut moves = Vec::new();
        if inside {
            self.see(&state, after)?;
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
        let value = match &self.property.formula {
            Some(f) => {
                let defined = |a| defined(&self.property.atoms, a);
                word::evaluate(&f.formulas, f.formula, &lasso, &defined)
            }
            None => match self.entered(&lasso) {
                Some((position, atom)) => Value::Undefined { position, atom },
                None if word::accepts(&self.property.automaton, &lasso) => Value::False,
                None => Value::True,
            },
        };
        match value {
            Value::False => Ok(Confirmed::Violates),
            Value::Undefined { position, atom } => self.undefined(position, atom),
            Value::True => Err(Denied("its word satisfies the property".to_owned())),
        }
    }

    /// The letter and the atom for which an automaton enters the state of undefined conditions.
    fn entered(&self, lasso: &Lasso) -> Option<(usize, Atom)> {
        let undefined = self.property.undefined?;
        let (position, label) = word::entry(&self.property.automaton, lasso, undefined)?;
        let letter = self.letters[position];
        let cube = label.cubes().iter().find(|c| c.eval(letter))?;
        let asked = |a: &Atom| {
            let defined = defined(&self.property.atoms, *a);
            defined.is_some_and(|d| cube.negative() >> d.0 & 1 == 1)
        };
        let atom = (0..self.property.atoms.len() as u32)
            .map(Atom)
            .find(asked)?;
        Some((position, atom))
    }
}

//! Confirming a finding: the run is executed again on the plain machine, and judged by the definitions.
//!
//! One function for whatever any search finds: a failed assertion or another fault, an invalid end state, a cycle that
//! violates a formula, is accepted by a never claim or an automaton, or passes an `accept` label, fairly if that was asked
//! for. Nothing of the search is trusted: not the product, not the automaton of a formula, not the reduction, not the
//! passes. The moves are made one by one on a fresh machine, and each must be possible. Then
//!
//! - a *fault* must be that of the last move, at the same place;
//! - an *invalid end state* must have no move, and not be a valid one;
//! - a *cycle* must lead back to the state in which it starts, or to one that differs from it in values on which nothing
//!   depends ([`inert`]); a run that ends has none, and must have no move; and its
//!   word, read off the states that are seen, must not satisfy the formula, or be accepted by the never claim, as
//!   [`ltl::word`] defines it; or some state on it must be at an `accept` label; and it must be fair
//!   ([`super::treatment`]).
//!
//! What would break this: a machine that executes a move otherwise than the search's machine does, which is why both are
//! one source of truth and have a slow twin ([`Machine::interpreting`](crate::machine::Machine::interpreting)).

use super::{Treated, treatment};
use crate::fairness::Fairness;
use crate::machine::{Fault, FaultKind, Move, Run};
use crate::property::{Property, StateCondition, defined};
use crate::search::{Event, Found};
use crate::trace::inert;
use ltl::Atom;
use ltl::word::{self, Lasso, Value};
use promela_lite::program::Program;
use promela_lite::source::Span;
use std::mem::discriminant;
use std::sync::Arc;

/// What a finding is said to refute.
#[derive(Copy, Clone, Debug)]
pub enum Refuted<'p> {
    /// Safety: assertions, end states, errors of the model.
    Safety,
    /// That no cycle passes an `accept` label.
    Acceptance,
    /// A property, on runs that are fair.
    Property(&'p Property),
}

/// A finding that is real.
#[derive(Debug)]
pub struct Confirmed {
    /// What was found. Where a condition of the property has no value on the run, the fault, and the run up to there.
    pub found: Found<Move>,
    /// Under fairness, what becomes of each process in the cycle.
    pub treated: Vec<Treated>,
}

/// Why a run is no counterexample.
#[derive(Debug)]
pub struct Denied(pub String);

/// What is wrong with a cycle whose ends differ.
const OPEN: &str = "the cycle does not close";

impl Denied {
    /// Whether it is not known that the cycle can be gone around for ever.
    pub(super) fn is_open(&self) -> bool {
        self.0 == OPEN
    }
}

/// Executes what was found and judges it.
pub fn confirm(
    program: &Arc<Program>,
    refuted: Refuted<'_>,
    fairness: &Fairness,
    found: Found<Move>,
) -> Result<Confirmed, Denied> {
    let sure = |found| Confirmed {
        found,
        treated: Vec::new(),
    };
    match &found.event {
        Event::Fault(fault) => fails(program, refuted, &found.path, fault).map(|()| sure(found)),
        Event::InvalidEnd => ends_invalidly(program, &found.path).map(|()| sure(found)),
        &Event::Cycle { start } => {
            let undefined = match refuted {
                Refuted::Safety => return denied("safety is not about cycles"),
                Refuted::Acceptance => accepts(program, &found.path, start).map(|()| None),
                Refuted::Property(property) => judged(program, property, &found.path, start),
            }?;
            if let Some((after, fault)) = undefined {
                return Ok(sure(Found {
                    event: Event::Fault(fault),
                    path: found.path[..after].to_vec(),
                }));
            }
            let treated = match fairness.is_none() {
                true => Vec::new(),
                false => treatment(program, fairness, &found.path, start)?,
            };
            Ok(Confirmed { found, treated })
        }
    }
}

fn denied<T>(why: impl Into<String>) -> Result<T, Denied> {
    Err(Denied(why.into()))
}

/// Begins a run.
fn begin(program: &Arc<Program>) -> Result<Run, Denied> {
    Run::start(program).or_else(|f| denied(format!("it fails at the start: {:?}", f.kind)))
}

/// Makes the next move of a run, which must be possible; faults that leave a successor are passed over.
fn advance(run: &mut Run, mv: Move) -> Result<(), Denied> {
    let step = run.made() + 1;
    // A guard that fails belongs to another move.
    let _ = run.list();
    if !run.moves().contains(&mv) {
        return denied(format!("step {step} is not possible"));
    }
    let made = run.make(mv);
    match made.fault {
        Some(fault) if !made.moved => denied(format!("step {step} fails: {:?}", fault.kind)),
        _ => Ok(()),
    }
}

/// The last move must fail as it was said to.
fn fails(
    program: &Arc<Program>,
    refuted: Refuted<'_>,
    path: &[Move],
    expected: &Fault,
) -> Result<(), Denied> {
    let is_it = |fault: &Fault| {
        discriminant(&fault.kind) == discriminant(&expected.kind) && fault.span == expected.span
    };
    // More letters than a product can number: a limit of ours, met in a state that is there.
    let too_many_letters = matches!(refuted, Refuted::Property(_))
        && expected.kind == FaultKind::VectorTooLarge
        && expected.span == Span::NONE;
    let Some((&last, before)) = path.split_last() else {
        return match Run::start(program) {
            Err(fault) if is_it(&fault) => Ok(()),
            _ if too_many_letters => Ok(()),
            _ => denied("it does not fail at the start"),
        };
    };
    let mut run = begin(program)?;
    for &mv in before {
        advance(&mut run, mv)?;
    }
    let fault = match run.list() {
        Err((mv, fault)) if mv == last => Some(fault),
        _ if !run.moves().contains(&last) => return denied("the last step is not possible"),
        _ => run.make(last).fault,
    };
    match fault {
        Some(fault) if is_it(&fault) => Ok(()),
        _ if too_many_letters => Ok(()),
        other => denied(format!("the last step ends in {other:?} instead")),
    }
}

fn ends_invalidly(program: &Arc<Program>, path: &[Move]) -> Result<(), Denied> {
    let mut run = begin(program)?;
    for &mv in path {
        advance(&mut run, mv)?;
    }
    must_end(&mut run)?;
    match run.machine.is_valid_end(run.state()) {
        true => denied("the end state is valid"),
        false => Ok(()),
    }
}

/// Nothing can happen any more.
fn must_end(run: &mut Run) -> Result<(), Denied> {
    match run.list() {
        Ok(_) if run.moves().is_empty() => Ok(()),
        _ => denied("the run does not end where it is said to"),
    }
}

/// Follows a lasso and calls `see` in every state that is seen: where no process has control, or has lost it. Says with
/// which of these states the cycle begins; for a run that ends, with the last.
fn follow(
    program: &Arc<Program>,
    conditions: &[StateCondition],
    path: &[Move],
    start: usize,
    see: &mut dyn FnMut(&mut Run) -> Result<(), Denied>,
) -> Result<usize, Denied> {
    let mut run = begin(program)?;
    let mut seen = 0;
    let mut look = |run: &mut Run| {
        seen += 1;
        see(run).map(|()| seen)
    };
    let mut last = look(&mut run)?;
    let mut at_cycle = None;
    for (index, &mv) in path.iter().enumerate() {
        let lost = run.control().is_some() && run.list().is_ok_and(|info| info.control_lost);
        if lost {
            last = look(&mut run)?;
        }
        if index == start {
            at_cycle = Some((run.state().to_vec(), last - 1));
        }
        advance(&mut run, mv)?;
        if run.control().is_none() {
            last = look(&mut run)?;
        }
    }
    if run.control().is_some() {
        last = look(&mut run)?;
    }
    match at_cycle {
        Some((before, first)) => {
            let stored = run.machine.stored_len(&before);
            let read = conditions.iter().map(|condition| &condition.footprint);
            let closes = before[..stored] == *run.stored()
                || inert(&run.machine, &before, run.state(), read).is_some();
            closes
                .then_some(first)
                .ok_or_else(|| Denied(OPEN.to_owned()))
        }
        None if start == path.len() => must_end(&mut run).map(|()| last - 1),
        None => denied("it has no cycle"),
    }
}

/// Some state on the cycle must be at an `accept` label.
fn accepts(program: &Arc<Program>, path: &[Move], start: usize) -> Result<(), Denied> {
    if start >= path.len() {
        return denied("a run that ends passes no label again and again");
    }
    let mut accepting = Vec::new();
    let first = follow(program, &[], path, start, &mut |run| {
        let view = run.machine.view(run.state());
        let accepts = view.processes().any(|p| p.location().accept);
        accepting.push(accepts);
        Ok(())
    })?;
    match accepting[first..].iter().any(|a| *a) {
        true => Ok(()),
        false => denied("the cycle passes no accept label"),
    }
}

/// The word of the run must violate the property. If that cannot be evaluated: after how many moves, and why.
fn judged(
    program: &Arc<Program>,
    property: &Property,
    path: &[Move],
    start: usize,
) -> Result<Option<(usize, Fault)>, Denied> {
    let (word, lasso) = word_of(program, property, path, start)?;
    let value = match &property.formula {
        Some(f) => {
            let defined = |a| defined(&property.atoms, a);
            word::evaluate(&f.formulas, f.formula, &lasso, &defined)
        }
        None => match word.entered(property, &lasso) {
            Some((position, atom)) => Value::Undefined { position, atom },
            None if word::accepts(&property.automaton, &lasso) => Value::False,
            None => Value::True,
        },
    };
    match value {
        Value::False => Ok(None),
        Value::Undefined { position, atom } => word.fault(position, atom).map(Some),
        Value::True => denied("its word satisfies the property"),
    }
}

/// The word of a run whose moves from `start` on repeat forever, or that ends there: letters as they are seen along the moves,
/// and the same as a lasso.
pub(crate) fn word_of(
    program: &Arc<Program>,
    property: &Property,
    path: &[Move],
    start: usize,
) -> Result<(Word, Lasso), Denied> {
    let ends = start == path.len();
    if ends && !property.finite_runs {
        return denied("the run ends");
    }
    let mut word = Word::default();
    let atoms = &property.atoms;
    let first = follow(program, atoms, path, start, &mut |run| {
        word.read(property, run)
    })?;
    // The last state of a cycle is its first; that of a run that ends repeats itself.
    let last = word.letters.len() - usize::from(!ends);
    let (prefix, cycle) = word.letters[..last].split_at(first);
    match Lasso::new(prefix.to_vec(), cycle.to_vec()) {
        Some(lasso) => Ok((word, lasso)),
        None => denied("the cycle is empty"),
    }
}

/// The word of a run.
#[derive(Default)]
pub(crate) struct Word {
    letters: Vec<u64>,
    /// How many moves were made before each letter.
    pub(crate) after: Vec<usize>,
    /// Atoms that have no value, by letter.
    faults: Vec<(usize, Atom, Fault)>,
}

impl Word {
    fn read(&mut self, property: &Property, run: &mut Run) -> Result<(), Denied> {
        let state = run.state().to_vec();
        let mut letter = 0;
        for (index, atom) in property.atoms.iter().enumerate() {
            let (value, fault) = atom.read(&mut run.machine, &state).or_else(|f| {
                denied(format!("`{}` cannot be evaluated: {:?}", atom.text, f.kind))
            })?;
            letter |= u64::from(value) << index;
            let without_value = fault.map(|f| (self.letters.len(), Atom(index as u32), f));
            self.faults.extend(without_value);
        }
        self.letters.push(letter);
        self.after.push(run.made());
        Ok(())
    }

    /// Why an atom has no value in a letter, and how many moves come before that.
    fn fault(&self, position: usize, atom: Atom) -> Result<(usize, Fault), Denied> {
        let mut faults = self.faults.iter();
        match faults.find(|(p, a, _)| (*p, *a) == (position, atom)) {
            Some((.., fault)) => Ok((self.after[position], fault.clone())),
            None => denied("a condition is defined after all"),
        }
    }

    /// The letter and the atom for which an automaton enters the state of undefined conditions.
    fn entered(&self, property: &Property, lasso: &Lasso) -> Option<(usize, Atom)> {
        let undefined = property.undefined?;
        let (position, label) = word::entry(&property.automaton, lasso, undefined)?;
        let letter = self.letters[position];
        let cube = label.cubes().iter().find(|c| c.eval(letter))?;
        let asked = |a: &Atom| {
            let defined = defined(&property.atoms, *a);
            defined.is_some_and(|d| cube.negative() >> d.0 & 1 == 1)
        };
        let atom = (0..property.atoms.len() as u32).map(Atom).find(asked)?;
        Some((position, atom))
    }
}

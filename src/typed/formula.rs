//! An LTL formula over named conditions of a system, and the automaton of the runs that violate it.

use super::reduction::Watched;
use super::report::Error;
use super::space::Condition;
use ltl::{Atoms, Buchi, Formula, Formulas, parse, stutter, translate};

/// Letters are words of this many bits.
const MAX_ATOMS: usize = 64;

/// A condition for formulas.
pub(super) struct AtomCondition<'c, State> {
    pub(super) name: String,
    pub(super) condition: Condition<'c, State>,
    /// What it reads, if that was said.
    pub(super) reads: Option<u64>,
}

/// A formula that runs are to satisfy.
pub(super) struct Property<'c, State> {
    formulas: Formulas,
    formula: Formula,
    /// Accepts the words that violate the formula.
    pub(super) automaton: Buchi,
    /// What the letters are made of: bit *i* is the value of the *i*-th.
    conditions: Vec<&'c AtomCondition<'c, State>>,
    /// The bits that the automaton looks at.
    support: u64,
    /// Which states of the automaton cannot be reached from an accepting cycle.
    pub(super) transient: Vec<bool>,
    pub(super) weak: bool,
}

impl<'c, State> Property<'c, State> {
    /// Reads a formula over conditions with these names.
    pub(super) fn new(
        goal: &str,
        text: &str,
        conditions: &'c [AtomCondition<'c, State>],
    ) -> Result<Property<'c, State>, Error> {
        let refused = |reason: String| Error::Formula {
            goal: goal.to_owned(),
            reason,
        };
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let formula = parse::formula(&mut formulas, &mut atoms, text)
            .map_err(|error| refused(error.to_string()))?;
        if atoms.len() > MAX_ATOMS {
            return Err(refused(format!("it has more than {MAX_ATOMS} atoms")));
        }
        let mut used = Vec::new();
        for number in 0..atoms.len() as u32 {
            let wanted = atoms.name(ltl::Atom(number));
            let mut known = conditions.iter();
            match known.find(|known| known.name == wanted) {
                Some(condition) => used.push(condition),
                None => return Err(refused(format!("there is no atom `{wanted}`"))),
            }
        }
        let violation = formulas.not(formula);
        let automaton = translate::buchi(&mut formulas, violation)
            .map_err(|error| refused(error.to_string()))?;
        Ok(Property {
            formulas,
            formula,
            conditions: used,
            support: automaton.support(),
            transient: automaton.before_accepting(),
            weak: automaton.is_weak(),
            automaton,
        })
    }

    /// The conditions that it is about.
    pub(super) fn watched(&self) -> Vec<Watched<'_, State>> {
        let watched = self.conditions.iter().map(|atom| Watched {
            name: &atom.name,
            reads: atom.reads,
            condition: &atom.condition,
        });
        watched.collect()
    }

    /// Whether it means the same to runs that differ only in how often states repeat, as far as is known.
    pub(super) fn is_stutter_invariant(&self) -> bool {
        let mut formulas = self.formulas.clone();
        stutter::formula_is_invariant(&mut formulas, self.formula).unwrap_or(false)
    }

    /// The letter of a state, as far as the automaton looks at it.
    pub(super) fn letter(&self, state: &State) -> u64 {
        self.read(state, self.support)
    }

    fn read(&self, state: &State, wanted: u64) -> u64 {
        let bits = self.conditions.iter().enumerate();
        bits.filter(|(index, _)| wanted >> index & 1 == 1)
            .fold(0, |letter, (index, condition)| {
                letter | u64::from((condition.condition)(state)) << index
            })
    }

    /// Whether the formula holds on the run that comes through `prefix` and then forever through `cycle`, by the definition
    /// of its operators; `None` if the cycle is empty.
    pub(super) fn holds(&self, prefix: &[&State], cycle: &[&State]) -> Option<bool> {
        let letters = |states: &[&State]| states.iter().map(|s| self.read(s, u64::MAX)).collect();
        let lasso = ltl::word::Lasso::new(letters(prefix), letters(cycle))?;
        Some(ltl::word::holds(&self.formulas, self.formula, &lasso))
    }
}

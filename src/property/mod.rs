//! Properties as automata: what a violating run looks like.
//!
//! An `ltl` formula is negated and translated. A `never` claim is an automaton already: see [`claim`]. Non-progress
//! is the formula "infinitely often progress". Acceptance labels in processes need no automaton at all. What it means
//! that a condition has no value in some state is said in [`mod@partial`].

mod automaton;
mod claim;
mod partial;
mod vacuity;

pub use vacuity::{Constant, suspicions};

use crate::limits::Cancellation;
use crate::machine::{Fault, Machine};
use crate::reduce::Visible;
use ltl::{Atom, Buchi, Formula, Formulas, StateId, stutter, translate};
use partial::may_be_undefined;
use promela_lite::code::Code;
use promela_lite::program::{self, Program};

/// Letters are words of this many bits.
const MAX_ATOMS: usize = 64;

/// A node of the product has room for the number of a state below this.
const MAX_STATES: usize = 1 << 15;

/// A step of the product has room for the number of an edge of its state below this.
const MAX_EDGES: usize = u16::MAX as usize;

/// The automaton, if the product has room for it.
fn within_bounds(automaton: Buchi) -> Result<Buchi, Unsupported> {
    let edges = automaton.states().map(|state| automaton.edges(state).len());
    if edges.max() >= Some(MAX_EDGES) {
        let what = format!("an automaton with {MAX_EDGES} edges or more from one state");
        return Err(Unsupported(what));
    }
    if automaton.len() > MAX_STATES {
        let what = format!("an automaton with more than {MAX_STATES} states");
        return Err(Unsupported(what));
    }
    Ok(automaton)
}

/// Something to be refuted.
#[derive(Debug)]
pub struct Property {
    /// What it is called.
    pub name: String,
    /// Accepts the words of violating runs.
    pub automaton: Buchi,
    /// What the letters are made of: bit *i* is the value of the *i*-th.
    pub atoms: Vec<StateCondition>,
    /// Whether repeating a letter never matters.
    pub stutter_invariant: bool,
    /// Whether a run that ends is judged as if it repeated its last state; else only infinite runs count.
    pub finite_runs: bool,
    /// The formula, where there is one.
    pub formula: Option<PropertyFormula>,
    /// The state that the automaton enters when it meets an undefined condition, where it is no formula's.
    pub undefined: Option<StateId>,
}

/// A property that is a formula.
#[derive(Debug)]
pub struct PropertyFormula {
    /// Where its parts are.
    pub formulas: Formulas,
    /// What must hold of every run.
    pub formula: Formula,
    /// What holds of violating runs: that the formula does not hold, or cannot be evaluated.
    pub violation: Formula,
}

/// A condition on states.
#[derive(Clone, Debug)]
pub struct StateCondition {
    /// Leaves its value.
    pub code: Code,
    /// As text.
    pub text: String,
    /// What it reads.
    pub footprint: program::Footprint,
    /// What of it is an atom of the property.
    pub reading: Reading,
}

/// What of a condition is an atom.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Its value, which it has in every state.
    Total,
    /// Its value, false where it has none.
    Partial {
        /// The atom that says whether it has one.
        defined: Atom,
    },
    /// Whether it has a value.
    Defined,
}

impl StateCondition {
    /// The value of the atom in a state, and why the condition has none there.
    pub fn read(
        &self,
        machine: &mut Machine,
        state: &[u8],
    ) -> Result<(bool, Option<Fault>), Fault> {
        match (machine.eval(state, self.code), self.reading) {
            (Ok(_), Reading::Defined) => Ok((true, None)),
            (Ok(value), _) => Ok((value != 0, None)),
            (Err(fault), Reading::Total) => Err(fault),
            (Err(fault), Reading::Partial { .. } | Reading::Defined) => Ok((false, Some(fault))),
        }
    }
}

/// The atoms of a property: conditions, each with a second atom where it may be undefined.
struct Conditions<'p> {
    program: &'p Program,
    atoms: Vec<StateCondition>,
}

impl<'p> Conditions<'p> {
    fn new(program: &'p Program) -> Conditions<'p> {
        Conditions {
            program,
            atoms: Vec::new(),
        }
    }

    /// The atom of a condition; conditions of equal text are one.
    fn atom(&mut self, text: &str, code: Code, footprint: &program::Footprint) -> Atom {
        if let Some(known) = self.find(text) {
            return known;
        }
        let mut condition = StateCondition {
            code,
            text: text.to_owned(),
            footprint: footprint.clone(),
            reading: Reading::Total,
        };
        let atom = Atom(self.atoms.len() as u32);
        if may_be_undefined(self.program, code) {
            let defined = Atom(atom.0 + 1);
            condition.reading = Reading::Partial { defined };
            self.atoms.push(condition.clone());
            condition.reading = Reading::Defined;
            condition.text = format!("defined({text})");
        }
        self.atoms.push(condition);
        atom
    }

    /// The atom of the condition of that text, if it has been met.
    fn find(&self, text: &str) -> Option<Atom> {
        let is_it = |a: &StateCondition| a.text == text && a.reading != Reading::Defined;
        let index = self.atoms.iter().position(is_it);
        index.map(|index| Atom(index as u32))
    }
}

/// The atom that says whether an atom is defined, if it may not be.
pub(crate) fn defined(atoms: &[StateCondition], atom: Atom) -> Option<Atom> {
    match atoms.get(atom.0 as usize)?.reading {
        Reading::Partial { defined } => Some(defined),
        Reading::Total | Reading::Defined => None,
    }
}

/// Why a property cannot be checked.
#[derive(Debug)]
pub struct Unsupported(pub String);

impl Property {
    /// The negation of an `ltl` block.
    pub fn ltl(
        program: &Program,
        property: &program::LtlProperty,
    ) -> Result<Property, Unsupported> {
        Property::ltl_within(program, property, &Cancellation::default())
    }

    /// The same, unless translating it is given up.
    pub fn ltl_within(
        program: &Program,
        property: &program::LtlProperty,
        cancellation: &Cancellation,
    ) -> Result<Property, Unsupported> {
        if let Some(reason) = &property.refused {
            return Err(Unsupported(reason.clone()));
        }
        let mut build = Build {
            formulas: Formulas::new(),
            conditions: Conditions::new(program),
        };
        let cancellation = cancellation.clone();
        build
            .formulas
            .stop_when(move || cancellation.poll().is_some());
        let formula = build.formula(&property.formula);
        let Build {
            mut formulas,
            conditions: Conditions { atoms, .. },
        } = build;
        if atoms.len() > MAX_ATOMS {
            return Err(Unsupported(format!(
                "a formula with more than {MAX_ATOMS} atoms (those that may be undefined count twice)"
            )));
        }
        let fails = formulas.not(formula);
        let undefined = ltl::partial::undefined(&mut formulas, formula, &|a| defined(&atoms, a));
        let violation = match undefined == formulas.false_() {
            true => fails,
            false => formulas.or(fails, undefined),
        };
        let automaton =
            translate::buchi(&mut formulas, violation).map_err(|e| Unsupported(e.to_string()))?;
        let automaton = within_bounds(automaton)?;
        let stutter_invariant =
            stutter::formula_is_invariant(&mut formulas, violation).unwrap_or(false);
        Ok(Property {
            name: property.name.clone(),
            automaton,
            atoms,
            stutter_invariant,
            finite_runs: true,
            formula: Some(PropertyFormula {
                formulas,
                formula,
                violation,
            }),
            undefined: None,
        })
    }

    /// The same for infinite runs only.
    pub fn of_infinite_runs(self) -> Property {
        Property {
            finite_runs: false,
            ..self
        }
    }

    /// Which steps of the program can change a letter.
    pub fn visible(&self, program: &Program) -> Visible {
        let support = self.automaton.support();
        let looked_at = self
            .atoms
            .iter()
            .enumerate()
            .filter(|(i, _)| support >> i & 1 == 1);
        Visible::conditions(program, looked_at.map(|(_, a)| (&a.footprint, a.code)))
    }

    /// For each part that the property can be split into (condition C3), which steps of the program can change it.
    pub fn parts(&self, program: &Program) -> Vec<Visible> {
        let Some(formula) = &self.formula else {
            return vec![self.visible(program)];
        };
        let parts = ltl::parts::parts(&mut formula.formulas.clone(), formula.violation);
        let visible = |part: &Vec<Atom>| {
            let atoms = part.iter().filter_map(|a| self.atoms.get(a.0 as usize));
            Visible::conditions(program, atoms.map(|a| (&a.footprint, a.code)))
        };
        parts.iter().map(visible).collect()
    }
}

/// From the front end's formula to the translator's.
struct Build<'p> {
    formulas: Formulas,
    conditions: Conditions<'p>,
}

impl Build<'_> {
    fn formula(&mut self, f: &program::Formula) -> Formula {
        use program::Formula as F;
        match f {
            F::True => self.formulas.true_(),
            F::False => self.formulas.false_(),
            F::Atom(id) => {
                let atom = &self.conditions.program.atoms[id.index()];
                let atom = self.conditions.atom(&atom.text, atom.code, &atom.footprint);
                self.formulas.atom(atom)
            }
            F::Not(a) => self.one(a, Formulas::not),
            F::Next(a) => self.one(a, Formulas::next),
            F::Always(a) => self.one(a, Formulas::always),
            F::Eventually(a) => self.one(a, Formulas::eventually),
            F::And(a, b) => self.two(a, b, Formulas::and_then),
            F::Or(a, b) => self.two(a, b, Formulas::or_else),
            F::Implies(a, b) => self.two(a, b, Formulas::implies),
            F::Equiv(a, b) => self.two(a, b, Formulas::equiv),
            F::Until(a, b) => self.two(a, b, Formulas::until),
            F::WeakUntil(a, b) => self.two(a, b, Formulas::weak_until),
            F::Release(a, b) => self.two(a, b, Formulas::release),
        }
    }

    fn one(
        &mut self,
        a: &program::Formula,
        make: fn(&mut Formulas, Formula) -> Formula,
    ) -> Formula {
        let a = self.formula(a);
        make(&mut self.formulas, a)
    }

    fn two(
        &mut self,
        a: &program::Formula,
        b: &program::Formula,
        make: fn(&mut Formulas, Formula, Formula) -> Formula,
    ) -> Formula {
        let a = self.formula(a);
        let b = self.formula(b);
        make(&mut self.formulas, a, b)
    }
}

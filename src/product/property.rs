//! Properties as automata: what a violating run looks like.
//!
//! An `ltl` formula is negated and translated. A `never` claim is an automaton already: see [`super::claim`]. Non-progress
//! is the formula "infinitely often progress". Acceptance labels in processes need no automaton at all.

use crate::reduce::Visible;
use ltl::{Atom, Buchi, Formula, Formulas, stutter, translate};
use promela_lite::code::Code;
use promela_lite::program::{self, AtomId, Program};

/// Letters are words of this many bits.
pub(super) const MAX_ATOMS: usize = 64;

/// A node of the product has room for the number of a state below this.
pub(super) const MAX_STATES: usize = 1 << 15;

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
    /// Whether a run that ends is judged as if it repeated its last state; else only runs that go on forever count.
    pub finite_runs: bool,
    /// The formula of the violation, where there is one.
    pub violation: Option<(Formulas, Formula)>,
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
        if let Some(what) = &property.refused {
            return Err(Unsupported(what.clone()));
        }
        let mut build = Build {
            formulas: Formulas::new(),
            used: Vec::new(),
        };
        let formula = build.formula(&property.formula);
        let Build { mut formulas, used } = build;
        if used.len() > MAX_ATOMS {
            return Err(Unsupported(format!(
                "the formula has more than {MAX_ATOMS} atoms"
            )));
        }
        let violation = formulas.not(formula);
        let automaton =
            translate::buchi(&mut formulas, violation).map_err(|e| Unsupported(e.to_string()))?;
        let stutter_invariant =
            stutter::formula_is_invariant(&mut formulas, formula).unwrap_or(false);
        let atoms = used
            .iter()
            .map(|id| condition(&program.atoms[id.index()]))
            .collect();
        let name = property.name.clone();
        Ok(Property {
            name,
            automaton,
            atoms,
            stutter_invariant,
            finite_runs: true,
            violation: Some((formulas, violation)),
        })
    }

    /// The same, runs that end being none of its business.
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
        let Some((formulas, violation)) = &self.violation else {
            return vec![self.visible(program)];
        };
        let parts = ltl::parts::parts(&mut formulas.clone(), *violation);
        let visible = |part: &Vec<Atom>| {
            let atoms = part.iter().filter_map(|a| self.atoms.get(a.0 as usize));
            Visible::conditions(program, atoms.map(|a| (&a.footprint, a.code)))
        };
        parts.iter().map(visible).collect()
    }
}

pub(super) fn condition(atom: &program::Atom) -> StateCondition {
    StateCondition {
        code: atom.code,
        text: atom.text.clone(),
        footprint: atom.footprint.clone(),
    }
}

/// From the front end's formula to the translator's.
struct Build {
    formulas: Formulas,
    used: Vec<AtomId>,
}

impl Build {
    fn formula(&mut self, f: &program::Formula) -> Formula {
        use program::Formula as F;
        match f {
            F::True => self.formulas.true_(),
            F::False => self.formulas.false_(),
            F::Atom(id) => {
                let index = self.used.iter().position(|u| u == id).unwrap_or_else(|| {
                    self.used.push(*id);
                    self.used.len() - 1
                });
                self.formulas.atom(Atom(index as u32))
            }
            F::Not(a) => self.one(a, Formulas::not),
            F::Next(a) => self.one(a, Formulas::next),
            F::Always(a) => self.one(a, Formulas::always),
            F::Eventually(a) => self.one(a, Formulas::eventually),
            F::And(a, b) => self.two(a, b, Formulas::and),
            F::Or(a, b) => self.two(a, b, Formulas::or),
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

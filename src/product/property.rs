//! Properties as automata: what a violating run looks like.
//!
//! An `ltl` formula is negated and translated. A `never` claim is an automaton already: its locations are the states, the
//! conditions of its edges the atoms, `accept` labels the acceptance; its closing brace is reached by a finite match,
//! which no continuation can take back, so there it accepts everything. Non-progress is the formula "infinitely often
//! progress". Acceptance labels in processes need no automaton at all.

use crate::reduce::Visible;
use ltl::{Atom, Buchi, Cube, Formula, Formulas, Label, StateId, buchi, stutter, translate};
use promela_lite::code::{Code, Instr};
use promela_lite::program::{self, Action, AtomId, Claim, Program};

/// Letters are words of this many bits.
const MAX_ATOMS: usize = 64;

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
            violation: Some((formulas, violation)),
        })
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

    /// A `never` claim.
    pub fn claim(program: &Program, claim: &Claim) -> Result<Property, Unsupported> {
        let mut atoms: Vec<StateCondition> = Vec::new();
        for edge in &claim.graph.edges {
            match edge.action {
                Action::Guard(code) => {
                    let known = atoms.iter().any(|a| a.text == edge.text);
                    if !known {
                        atoms.push(StateCondition {
                            code,
                            text: edge.text.clone(),
                            footprint: edge.footprint.clone(),
                        });
                    }
                    if program.instrs[code.range()]
                        .iter()
                        .any(|i| matches!(i, Instr::Timeout))
                    {
                        return Err(Unsupported("a claim that asks for `timeout`".to_owned()));
                    }
                }
                Action::Skip | Action::Else | Action::End => {}
                Action::Effect(_)
                    if edge.footprint.writes.is_empty() && !edge.footprint.specials.asserts => {}
                _ => return Err(Unsupported("a claim with side effects".to_owned())),
            }
        }
        if atoms.len() > MAX_ATOMS {
            return Err(Unsupported(format!(
                "the claim has more than {MAX_ATOMS} conditions"
            )));
        }
        let automaton = claim_automaton(claim, &atoms)
            .ok_or_else(|| Unsupported("an empty claim".to_owned()))?;
        let stutter_invariant = match stutter::automaton_is_invariant(&automaton) {
            stutter::Invariance::Invariant => true,
            stutter::Invariance::Sensitive | stutter::Invariance::Unknown => false,
        };
        Ok(Property {
            name: claim.name.clone(),
            automaton,
            atoms,
            stutter_invariant,
            violation: None,
        })
    }
}

fn condition(atom: &program::Atom) -> StateCondition {
    StateCondition {
        code: atom.code,
        text: atom.text.clone(),
        footprint: atom.footprint.clone(),
    }
}

fn claim_automaton(claim: &Claim, atoms: &[StateCondition]) -> Option<Buchi> {
    let graph = &claim.graph;
    let bit = |text: &str| {
        atoms
            .iter()
            .position(|a| a.text == text)
            .map_or(0, |i| 1u64 << i)
    };
    let states = graph.locations.iter().map(|location| {
        let edges = &graph.edges[location.edges()];
        let guards = edges
            .iter()
            .filter(|e| matches!(e.action, Action::Guard(_)));
        let any: u64 = guards.map(|e| bit(&e.text)).fold(0, |all, b| all | b);
        let unconditional = edges
            .iter()
            .any(|e| matches!(e.action, Action::Skip | Action::Effect(_)));
        let ended = edges.iter().any(|e| e.action == Action::End);
        let out = edges.iter().filter_map(|edge| {
            let cubes = match edge.action {
                Action::Guard(_) => vec![Cube::new(bit(&edge.text), 0)],
                Action::Skip | Action::Effect(_) | Action::End => vec![Cube::TRUE],
                // Taken when nothing else can be.
                Action::Else if unconditional => return None,
                Action::Else => vec![Cube::new(0, any)],
                _ => return None,
            };
            let to = if edge.action == Action::End {
                edge.from
            } else {
                edge.to
            };
            Some(buchi::Edge {
                label: Label::from_cubes(cubes),
                target: StateId(to.0),
            })
        });
        (location.accept || ended, out.collect())
    });
    Buchi::new(vec![StateId(graph.start.0)], states.collect())
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

//! Automata read from HOA files: their atomic propositions are conditions on states of the program.

use super::claim::accepts_everything;
use super::{Conditions, MAX_ATOMS, Property, Unsupported, defined, within_bounds};
use ltl::{Atom, Buchi, Cube, Label, StateId, buchi, partial, stutter};
use promela_lite::program::{Formula, Program};

impl Property {
    /// An automaton of violations; `propositions` says what its atoms stand for.
    pub fn automaton(
        program: &Program,
        name: &str,
        automaton: &Buchi,
        propositions: &[Formula],
    ) -> Result<Property, Unsupported> {
        let mut conditions = Conditions::new(program);
        let mut meanings = Vec::new();
        for proposition in propositions {
            meanings.push(match proposition {
                Formula::True => Meaning::Constant(true),
                Formula::False => Meaning::Constant(false),
                Formula::Atom(id) => {
                    let atom = &program.atoms[id.index()];
                    Meaning::Atom(conditions.atom(&atom.text, atom.code, &atom.footprint))
                }
                _ => {
                    return Err(Unsupported(
                        "a proposition that is not a condition on a state".to_owned(),
                    ));
                }
            });
        }
        let atoms = conditions.atoms;
        if atoms.len() > MAX_ATOMS {
            return Err(Unsupported(format!(
                "an automaton with more than {MAX_ATOMS} propositions (those that may be undefined count twice)"
            )));
        }
        let undefined = StateId(automaton.len() as u32);
        let mut states = Vec::new();
        for state in automaton.states() {
            let mut edges = Vec::new();
            for edge in automaton.edges(state) {
                let label = translate(&edge.label, &meanings);
                let not_defined = partial::undefined_label(&label, &|a| defined(&atoms, a))
                    .ok_or_else(|| Unsupported("an automaton with such large labels".to_owned()))?;
                if !not_defined.cubes().is_empty() {
                    edges.push(buchi::Edge {
                        label: not_defined,
                        target: undefined,
                    });
                }
                edges.push(buchi::Edge {
                    label,
                    target: edge.target,
                });
            }
            states.push((automaton.is_accepting(state), edges));
        }
        states.push(accepts_everything(undefined));
        let automaton = Buchi::new(automaton.initial().to_vec(), states)
            .ok_or_else(|| Unsupported("an automaton without states".to_owned()))?;
        let automaton = within_bounds(automaton)?;
        let stutter_invariant = match stutter::automaton_is_invariant(&automaton) {
            stutter::Invariance::Invariant => true,
            stutter::Invariance::Sensitive | stutter::Invariance::Unknown => false,
        };
        Ok(Property {
            name: name.to_owned(),
            automaton,
            atoms,
            stutter_invariant,
            finite_runs: true,
            formula: None,
            undefined: Some(undefined),
        })
    }
}

/// What a proposition of the automaton is in letters.
#[derive(Copy, Clone)]
enum Meaning {
    Atom(Atom),
    Constant(bool),
}

fn translate(label: &Label, meanings: &[Meaning]) -> Label {
    let cube = |cube: &Cube| {
        let (mut positive, mut negative) = (0u64, 0u64);
        for (proposition, value) in cube.literals() {
            match meanings[proposition.0 as usize] {
                Meaning::Atom(atom) if value => positive |= 1 << atom.0,
                Meaning::Atom(atom) => negative |= 1 << atom.0,
                Meaning::Constant(constant) if constant != value => return None,
                Meaning::Constant(_) => {}
            }
        }
        Some(Cube::new(positive, negative))
    };
    Label::from_cubes(label.cubes().iter().filter_map(cube).collect())
}

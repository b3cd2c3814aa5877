//! Automata from elsewhere: what they call propositions are conditions on states of the program.

use super::property::{MAX_ATOMS, MAX_STATES, condition};
use super::{Property, Unsupported};
use ltl::{Buchi, Cube, Label, buchi, stutter};
use promela_lite::program::{AtomId, Formula, Program};

impl Property {
    /// An automaton of violations; `propositions` says what its atoms stand for.
    pub fn automaton(
        program: &Program,
        name: &str,
        automaton: &Buchi,
        propositions: &[Formula],
    ) -> Result<Property, Unsupported> {
        let mut used: Vec<AtomId> = Vec::new();
        let mut meanings = Vec::new();
        for proposition in propositions {
            meanings.push(match proposition {
                Formula::True => Meaning::Constant(true),
                Formula::False => Meaning::Constant(false),
                Formula::Atom(id) => {
                    let bit = used.iter().position(|u| u == id).unwrap_or_else(|| {
                        used.push(*id);
                        used.len() - 1
                    });
                    Meaning::Bit(bit)
                }
                _ => {
                    return Err(Unsupported(
                        "a proposition that is not a condition on a state".to_owned(),
                    ));
                }
            });
        }
        if used.len() > MAX_ATOMS {
            return Err(Unsupported(format!(
                "the automaton has more than {MAX_ATOMS} propositions"
            )));
        }
        if automaton.len() > MAX_STATES {
            return Err(Unsupported(format!(
                "the automaton has more than {MAX_STATES} states"
            )));
        }
        let states = automaton.states().map(|state| {
            let edges = automaton.edges(state).iter().map(|edge| buchi::Edge {
                label: translate(&edge.label, &meanings),
                target: edge.target,
            });
            (automaton.is_accepting(state), edges.collect())
        });
        let automaton = Buchi::new(automaton.initial().to_vec(), states.collect())
            .ok_or_else(|| Unsupported("an automaton without states".to_owned()))?;
        let stutter_invariant = match stutter::automaton_is_invariant(&automaton) {
            stutter::Invariance::Invariant => true,
            stutter::Invariance::Sensitive | stutter::Invariance::Unknown => false,
        };
        Ok(Property {
            name: name.to_owned(),
            automaton,
            atoms: used
                .iter()
                .map(|id| condition(&program.atoms[id.index()]))
                .collect(),
            stutter_invariant,
            finite_runs: true,
            violation: None,
        })
    }
}

/// What a proposition of the automaton is in letters.
#[derive(Copy, Clone)]
enum Meaning {
    Bit(usize),
    Constant(bool),
}

fn translate(label: &Label, meanings: &[Meaning]) -> Label {
    let cube = |cube: &Cube| {
        let (mut positive, mut negative) = (0u64, 0u64);
        for (atom, value) in cube.literals() {
            match meanings[atom.0 as usize] {
                Meaning::Bit(bit) if value => positive |= 1 << bit,
                Meaning::Bit(bit) => negative |= 1 << bit,
                Meaning::Constant(constant) if constant != value => return None,
                Meaning::Constant(_) => {}
            }
        }
        Some(Cube::new(positive, negative))
    };
    Label::from_cubes(label.cubes().iter().filter_map(cube).collect())
}

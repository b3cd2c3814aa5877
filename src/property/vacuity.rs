//! Vacuity: does a property hold for a reason that has little to do with what it says?
//!
//! Known are the atoms that had the same value in every state. An atom *does not matter* if no run could violate the
//! property whatever that atom did, the others being what they are: its literals are struck from the labels of the automaton
//! of violations, the constant atoms are put in, and what is left accepts nothing. So `[] (req -> <> ack)` holds
//! vacuously where `req` is never true. (Beer, Ben-David, Eisner, Rodeh: *Efficient detection of vacuity in temporal
//! model checking*, FMSD 2001, in its simplest form: for atoms.) A constant atom whose other value would have done as well
//! is pointed out too; one whose value is just what the property states, as in `[] p`, is not.

use super::{Property, Reading};
use ltl::{Buchi, Cube, Label, buchi};

/// An atom, by its bit, and the value it had everywhere.
pub type Constant = (u32, bool);

/// What is suspicious about a property that holds.
pub fn suspicions(property: &Property, constants: &[Constant]) -> Vec<String> {
    if property.automaton.is_empty_language() {
        return vec!["it holds in every model: nothing can violate it".to_owned()];
    }
    // Whether conditions are defined is not what the property is about: what is known of that is put in.
    let is_definedness = |c: &Constant| property.atoms[c.0 as usize].reading == Reading::Defined;
    let (known, constants): (Vec<Constant>, Vec<Constant>) =
        constants.iter().copied().partition(is_definedness);
    let Some(automaton) = &with(&property.automaton, &known, None) else {
        return Vec::new();
    };
    let name = |bit: u32| property.atoms[bit as usize].text.as_str();
    let support = automaton.support();
    let mut notes = Vec::new();
    let mut mentioned = 0u64;
    for bit in (0..64).filter(|bit| support >> bit & 1 == 1) {
        let others: Vec<Constant> = constants.iter().copied().filter(|c| c.0 != bit).collect();
        let does_not_matter = |fixed: &[Constant]| {
            with(automaton, fixed, Some(bit)).is_none_or(|a| a.is_empty_language())
        };
        if !does_not_matter(&others) {
            continue;
        }
        let alone = others.iter().find(|c| does_not_matter(&[**c]));
        let reasons = alone.map_or(&others[..], std::slice::from_ref);
        let texts = reasons
            .iter()
            .map(|&(bit, value)| format!("`{}` is {value}", name(bit)));
        let texts: Vec<String> = texts.collect();
        notes.push(format!(
            "it holds vacuously: `{}` does not matter, because {} in every state visited",
            name(bit),
            texts.join(" and ")
        ));
        mentioned |= reasons.iter().fold(1 << bit, |all, c| all | 1 << c.0);
    }
    for &(bit, value) in &constants {
        let turned: Vec<Constant> = constants
            .iter()
            .map(|&(b, v)| (b, v ^ (b == bit)))
            .collect();
        let either = with(automaton, &turned, None).is_none_or(|a| a.is_empty_language());
        if mentioned >> bit & 1 == 0 && either {
            notes.push(format!(
                "`{}` is {value} in every state visited: does the property say what it should?",
                name(bit)
            ));
        }
    }
    notes
}

/// The automaton for words in which some atoms are constant, and one may be anything.
fn with(automaton: &Buchi, fixed: &[Constant], free: Option<u32>) -> Option<Buchi> {
    let gone = fixed.iter().map(|c| c.0).chain(free);
    let gone = gone.fold(0u64, |all, bit| all | 1 << bit);
    let value = fixed
        .iter()
        .fold(0u64, |all, &(bit, v)| all | u64::from(v) << bit);
    let settled = gone & !free.map_or(0, |bit| 1 << bit);
    let cube = |cube: &Cube| {
        let possible =
            cube.positive() & settled & !value == 0 && cube.negative() & settled & value == 0;
        possible.then(|| Cube::new(cube.positive() & !gone, cube.negative() & !gone))
    };
    let states = automaton.states().map(|state| {
        let edges = automaton.edges(state).iter().filter_map(|edge| {
            let cubes: Vec<Cube> = edge.label.cubes().iter().filter_map(cube).collect();
            (!cubes.is_empty()).then(|| buchi::Edge {
                label: Label::from_cubes(cubes),
                target: edge.target,
            })
        });
        (automaton.is_accepting(state), edges.collect())
    });
    Buchi::new(automaton.initial().to_vec(), states.collect())
}

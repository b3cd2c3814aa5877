//! The Hanoi omega-automata format, version 1.
//!
//! [`write()`] produces state-based Büchi automata with explicit labels. [`read()`] accepts Büchi and
//! generalised Büchi automata, state- or transition-based, with explicit, per-state or implicit
//! labels and aliases, and with the acceptance `t` (every infinite run) or `f`; generalised and
//! transition-based acceptance is degeneralised on the way in. Alternation and other acceptance
//! conditions are refused.

mod lex;
mod read;

pub use read::{HoaError, read};

use crate::buchi::Buchi;
use crate::formula::{Atom, Atoms};
use crate::label::Words;

/// The text of an automaton.
pub fn write(buchi: &Buchi, name: &str, atoms: &Atoms) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let used: Vec<Atom> = (0..64)
        .filter(|i| buchi.support() >> i & 1 == 1)
        .map(Atom)
        .collect();
    let names = used
        .iter()
        .map(|a| format!(" \"{}\"", escape(&atoms.name(*a))));
    let number = |a: Atom| {
        let position = used.iter().position(|b| *b == a);
        position
            .expect("labels mention atoms of the support")
            .to_string()
    };
    let mut out = format!(
        "HOA: v1\nname: \"{}\"\nStates: {}\n",
        escape(name),
        buchi.len()
    );
    for state in buchi.initial() {
        out += &format!("Start: {}\n", state.0);
    }
    out += &format!("AP: {}{}\n", used.len(), names.collect::<String>());
    out += "acc-name: Buchi\nAcceptance: 1 Inf(0)\n";
    let properties = [
        ("trans-labels explicit-labels state-acc", true),
        (" deterministic", buchi.is_deterministic()),
        (" weak", buchi.is_weak()),
        (" terminal", buchi.is_terminal()),
    ];
    let known = properties.iter().filter(|p| p.1).map(|p| p.0);
    out += &format!("properties: {}\n--BODY--\n", known.collect::<String>());
    for state in buchi.states() {
        let mark = if buchi.is_accepting(state) {
            " {0}"
        } else {
            ""
        };
        out += &format!("State: {}{mark}\n", state.0);
        for e in buchi.edges(state) {
            let label = e.label.render(&Words::HOA, number);
            out += &format!("[{label}] {}\n", e.target.0);
        }
    }
    out + "--END--\n"
}

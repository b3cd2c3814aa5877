//! Büchi automata as graphs for Graphviz.

use crate::buchi::Buchi;
use crate::formula::Atoms;

/// The automaton in the DOT language; accepting states have two circles.
pub fn dot(buchi: &Buchi, atoms: &Atoms) -> String {
    let mut out = String::from("digraph buchi {\n  rankdir=LR;\n  node [shape=circle];\n");
    for (i, state) in buchi.initial().iter().enumerate() {
        out += &format!("  i{i} [shape=point];\n  i{i} -> {};\n", state.0);
    }
    for state in buchi.states() {
        let shape = match buchi.is_accepting(state) {
            true => " [shape=doublecircle]",
            false => "",
        };
        out += &format!("  {}{shape};\n", state.0);
        for e in buchi.edges(state) {
            let label = e
                .label
                .to_text(atoms)
                .replace('\\', "\\\\")
                .replace('"', "\\\"");
            out += &format!("  {} -> {} [label=\"{label}\"];\n", state.0, e.target.0);
        }
    }
    out + "}\n"
}

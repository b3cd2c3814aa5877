//! A state graph in Graphviz' language.

use super::{Part, label, lines, title};
use crate::check::StateGraph;
use crate::report::printable::printable;
use std::fmt::Write;

/// The part of the graph that is wanted.
pub(crate) fn render(model: &str, graph: &StateGraph, part: Part) -> String {
    let mut out = String::from("digraph states {\n");
    let _ = writeln!(
        out,
        "  label=\"{}\"; labelloc=t; fontname=\"sans-serif\";\n  node [shape=box, style=rounded, fontname=\"monospace\", \
         fontsize=10];\n  edge [fontname=\"monospace\", fontsize=10];",
        escape(&title(model, graph))
    );
    const GREY: &str = ", color=gray75, fontcolor=gray65";
    for (number, state) in graph.states.iter().enumerate() {
        if !part.shows(state.reduced) {
            continue;
        }
        let lines: Vec<String> = lines(number, state).iter().map(|l| escape(l)).collect();
        let mut style = String::new();
        if state.accepting || state.end {
            style.push_str(", peripheries=2");
        }
        if number == 0 {
            style.push_str(", penwidth=2.5");
        }
        match state.violation {
            Some(_) => style.push_str(", color=\"#c0392b\""),
            None if part.greys(state.reduced) => style.push_str(GREY),
            None => {}
        }
        let _ = writeln!(out, "  s{number} [label=\"{}\"{style}];", lines.join("\\n"));
    }
    for (number, step) in graph.steps.iter().enumerate() {
        if !part.shows(step.reduced) {
            continue;
        }
        let to = match step.to {
            Some(to) => format!("s{to}"),
            None => {
                let _ = writeln!(
                    out,
                    "  e{number} [label=\"error\", shape=plain, fontcolor=\"#c0392b\"];"
                );
                format!("e{number}")
            }
        };
        let mut style = String::new();
        match step.violation {
            Some(_) => style.push_str(", color=\"#c0392b\", fontcolor=\"#c0392b\""),
            None if part.greys(step.reduced) => style.push_str(GREY),
            None => {}
        }
        if part.greys(step.reduced) {
            style.push_str(", style=dashed");
        }
        let _ = writeln!(
            out,
            "  s{} -> {to} [label=\"{}\"{style}];",
            step.from,
            escape(&label(step))
        );
    }
    out.push_str("}\n");
    out
}

/// Text in a quoted string, whose control characters are visible.
fn escape(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

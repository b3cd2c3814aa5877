//! The control-flow graphs in Graphviz' language, one cluster per proctype.

use super::{graphs, place};
use promela_lite::program::{Action, Program};
use promela_lite::source::SourceMap;
use std::fmt::Write;

/// Renders all graphs.
pub fn render(program: &Program, sources: &SourceMap) -> String {
    let mut out =
        String::from("digraph model {\n  node [shape=ellipse, fontname=\"sans-serif\"];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for (index, (kind, name, graph)) in graphs(program).into_iter().enumerate() {
        let title = escape(&format!("{kind} {name}"));
        let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label=\"{title}\";");
        for (number, location) in graph.locations.iter().enumerate() {
            let labels: String = location
                .labels
                .iter()
                .map(|l| format!("\\n{}:", escape(l)))
                .collect();
            let mut style = Vec::new();
            if location.end {
                style.push("peripheries=2");
            }
            if location.accept {
                style.push("style=filled, fillcolor=\"#ffd9b3\"");
            } else if location.progress {
                style.push("style=filled, fillcolor=\"#cce5ff\"");
            }
            if graph.start.index() == number {
                style.push("penwidth=2.5");
            }
            let style = style.iter().map(|s| format!(", {s}")).collect::<String>();
            let _ = writeln!(
                out,
                "    p{index}_{number} [label=\"{}{labels}\"{style}];",
                location.number
            );
        }
        let _ = writeln!(out, "    p{index}_gone [shape=point];");
        for edge in &graph.edges {
            let to = match edge.action {
                Action::End => "gone".to_string(),
                _ => edge.to.0.to_string(),
            };
            let style = if edge.atomic {
                ", color=\"#aa0000\""
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "    p{index}_{} -> p{index}_{to} [label=\"{}\", tooltip=\"{}\"{style}];",
                edge.from.0,
                escape(&edge.text),
                escape(&place(sources, edge.span)),
            );
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

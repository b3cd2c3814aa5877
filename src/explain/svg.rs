//! The control-flow graphs of a model as a picture.

use super::{graphs, place};
use crate::page::draw::{Drawing, Edge, Node};
use promela_lite::program::{Action, Program};
use promela_lite::source::SourceMap;

/// An SVG document with all graphs side by side: a node per control state, an edge per statement.
pub(crate) fn render(program: &Program, sources: &SourceMap) -> String {
    let mut drawing = Drawing {
        title: "control flow".to_owned(),
        ..Drawing::default()
    };
    for (kind, name, graph) in graphs(program) {
        let first = drawing.nodes.len();
        for (index, location) in graph.locations.iter().enumerate() {
            let start = graph.start.index() == index;
            let mut lines = Vec::new();
            if start {
                let name = if kind == "init" { "" } else { name };
                lines.push(format!("{kind} {name}").trim_end().to_owned());
            }
            lines.extend(location.labels.iter().map(|l| format!("{l}:")));
            lines.push(match location.number {
                0 => place(sources, location.span),
                number => number.to_string(),
            });
            drawing.nodes.push(Node {
                lines,
                class: match (start, location.accept || location.end) {
                    (true, _) => "initial",
                    (false, true) => "accepting",
                    (false, false) => "",
                },
            });
        }
        drawing.roots.push(first + graph.start.index());
        let mut gone = None;
        for edge in &graph.edges {
            let to = match edge.action {
                Action::End => *gone.get_or_insert_with(|| {
                    drawing.nodes.push(Node {
                        lines: vec!["gone".to_owned()],
                        class: "",
                    });
                    drawing.nodes.len() - 1
                }),
                _ => first + edge.to.index(),
            };
            drawing.edges.push(Edge {
                from: first + edge.from.index(),
                to,
                label: edge.text.clone(),
                class: "",
            });
        }
    }
    drawing.svg(true)
}

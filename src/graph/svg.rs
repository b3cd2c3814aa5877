//! A state graph as a picture: the layers of [`crate::page::draw`], so that nothing has to be installed to see it.

use super::{Part, label, lines, title};
use crate::check::StateGraph;
use crate::page::draw::{Drawing, Edge, Node};

/// The part of the graph that is wanted, as an SVG document.
pub(crate) fn render(model: &str, graph: &StateGraph, part: Part) -> String {
    let mut out = drawing(model, graph, part).svg(true);
    out.push('\n');
    out
}

/// The drawing. Classes of what is in grey contain `pruned`, those of violations `bad`.
pub(super) fn drawing(model: &str, graph: &StateGraph, part: Part) -> Drawing {
    let mut drawing = Drawing {
        title: title(model, graph),
        roots: vec![0],
        ..Drawing::default()
    };
    let mut numbers = vec![None; graph.states.len()];
    for (number, state) in graph.states.iter().enumerate() {
        if !part.shows(state.reduced) {
            continue;
        }
        numbers[number] = Some(drawing.nodes.len());
        let double = state.accepting || state.end;
        drawing.nodes.push(Node {
            lines: lines(number, state),
            class: match (
                state.violation.is_some(),
                part.greys(state.reduced),
                number == 0,
                double,
            ) {
                (true, true, _, true) => "bad pruned accepting",
                (true, true, _, false) => "bad pruned",
                (true, false, true, true) => "bad initial accepting",
                (true, false, true, false) => "bad initial",
                (true, false, false, true) => "bad accepting",
                (true, false, false, false) => "bad",
                (false, true, _, true) => "pruned accepting",
                (false, true, _, false) => "pruned",
                (false, false, true, true) => "initial accepting",
                (false, false, true, false) => "initial",
                (false, false, false, true) => "accepting",
                (false, false, false, false) => "",
            },
        });
    }
    for step in &graph.steps {
        let from = numbers[step.from].filter(|_| part.shows(step.reduced));
        let Some(from) = from else {
            continue;
        };
        let to = match step.to {
            Some(to) => numbers[to],
            None => {
                drawing.nodes.push(Node {
                    lines: vec!["error".to_owned()],
                    class: match part.greys(step.reduced) {
                        true => "bad pruned",
                        false => "bad",
                    },
                });
                Some(drawing.nodes.len() - 1)
            }
        };
        let Some(to) = to else {
            continue;
        };
        drawing.edges.push(Edge {
            from,
            to,
            label: label(step),
            class: match (step.violation.is_some(), part.greys(step.reduced)) {
                (true, true) => "bad pruned",
                (true, false) => "bad",
                (false, true) => "pruned",
                (false, false) => "",
            },
        });
    }
    drawing
}

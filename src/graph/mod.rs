//! `ample graph`: a state graph as text, DOT, SVG, HTML and JSON.
//!
//! [`crate::check::StateGraph`] has the data; the files here only write them down. What a picture says in a node and beside an
//! edge is decided here, so that all formats say the same.

pub(crate) mod dot;
pub(crate) mod html;
pub(crate) mod svg;
pub(crate) mod text;

use crate::check::{GraphSize, StateGraph, StateNode, StepEdge};
use crate::report::SCHEMA_VERSION;
use crate::report::text::grouped;
use serde_json::{Value, json};

/// Which of the two graphs is drawn.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The full one, with what the reduction leaves out in grey.
    Both,
    /// The full one.
    Full,
    /// The reduced one.
    Reduced,
}

impl Part {
    /// Whether something that the reduced graph has or has not is drawn.
    fn shows(self, reduced: bool) -> bool {
        self != Part::Reduced || reduced
    }

    /// Whether it is drawn in grey.
    fn greys(self, reduced: bool) -> bool {
        self == Part::Both && !reduced
    }
}

/// The graph as JSON.
pub(crate) fn json(model: &str, graph: &StateGraph) -> Value {
    let mut value = json!({ "schema_version": SCHEMA_VERSION, "model": model });
    if let (Value::Object(object), Ok(Value::Object(graph))) =
        (&mut value, serde_json::to_value(graph))
    {
        object.extend(graph);
    }
    value
}

/// One line that says what the graph is, and how large.
fn title(model: &str, graph: &StateGraph) -> String {
    let size = |size: GraphSize| {
        let plural = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            n => format!("{} {what}s", grouped(n as u64)),
        };
        format!(
            "{}, {}",
            plural(size.states, "state"),
            plural(size.steps, "step")
        )
    };
    let reduced = match graph.reduced {
        Some(reduced) => format!("reduced: {}", size(reduced)),
        None => "not reduced".to_owned(),
    };
    let StateGraph { property, full, .. } = graph;
    format!("{model}: {property}: {}; {reduced}", size(*full))
}

/// The lines in a state's node.
fn lines(number: usize, state: &StateNode) -> Vec<String> {
    let mut lines = vec![format!("s{number}")];
    lines.extend(state.automaton.clone());
    lines.extend(state.processes.iter().map(|p| {
        let at = match p.line {
            0 => String::new(),
            line => format!(", line {line}"),
        };
        format!("{}({}): state {}{at}", p.proctype, p.pid, p.state)
    }));
    let values = state.values.iter();
    lines.extend(values.map(|v| format!("{} = {}", v.name, v.value)));
    lines.extend(marks(number, state));
    lines
}

/// What is special about a state, in words.
fn marks(number: usize, state: &StateNode) -> Vec<String> {
    let mut marks = Vec::new();
    let mut mark = |applies: bool, word: &str| {
        if applies {
            marks.push(word.to_owned());
        }
    };
    mark(number == 0, "initial");
    mark(state.accepting, "accepting");
    mark(state.end && state.violation.is_none(), "end");
    marks.extend(state.violation.clone());
    marks
}

/// What stands beside an edge.
fn label(step: &StepEdge) -> String {
    let mut label = match step.statements.is_empty() {
        true => "automaton".to_owned(),
        false => step.statements.join("; "),
    };
    if let Some(what) = &step.violation {
        label.push_str(" ! ");
        label.push_str(what);
    }
    label
}

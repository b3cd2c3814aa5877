//! A state graph as text: each state with what holds there and the steps that leave it.

use super::{label, marks, title};
use crate::check::StateGraph;
use std::fmt::Write;

/// The whole graph.
pub(crate) fn render(model: &str, graph: &StateGraph) -> String {
    let mut out = title(model, graph);
    out.push('\n');
    for note in &graph.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let mut steps = graph.steps.iter().peekable();
    for (number, state) in graph.states.iter().enumerate() {
        let marks = marks(number, state);
        let marks = match marks.is_empty() {
            true => String::new(),
            false => format!("  [{}]", marks.join(", ")),
        };
        let pruned = |reduced: bool| if reduced { "" } else { "  (pruned)" };
        let _ = writeln!(out, "\ns{number}{marks}{}", pruned(state.reduced));
        if let Some(automaton) = &state.automaton {
            let _ = writeln!(out, "    {automaton}");
        }
        for p in &state.processes {
            let _ = writeln!(
                out,
                "    {}({}) in state {}, {}:{}",
                p.proctype, p.pid, p.state, p.file, p.line
            );
        }
        if !state.values.is_empty() {
            let values = state.values.iter();
            let values: Vec<String> = values
                .map(|v| format!("{} = {}", v.name, v.value))
                .collect();
            let _ = writeln!(out, "    {}", values.join(", "));
        }
        while let Some(step) = steps.next_if(|step| step.from == number) {
            let to = step.to.map_or("error".to_owned(), |to| format!("s{to}"));
            let _ = writeln!(out, "  -> {to}  {}{}", label(step), pruned(step.reduced));
        }
    }
    out
}

//! Büchi automata as never claims of Promela.
//!
//! One labelled `do` loop per state; labels of accepting states begin with `accept`, which is how
//! Promela knows them. The initial state comes first, because a claim starts at its top; an
//! automaton with several initial states gets a state of its own for that. A state that accepts
//! every word comes last and is a `skip`, which falls off the end of the claim: reaching the
//! closing brace is a match.

use crate::buchi::{Buchi, Edge, StateId};
use crate::formula::Atom;
use crate::label::{Label, Words};

/// The text of a never claim. `expression` gives the Promela text of an atom; it is put in
/// parentheses. `comment` is put behind the opening brace.
pub fn never(buchi: &Buchi, comment: &str, expression: impl Fn(Atom) -> String) -> String {
    let start = match buchi.initial() {
        [only] => Some(*only),
        _ => None,
    };
    let done = buchi
        .states()
        .find(|s| start != Some(*s) && accepts_everything(buchi, *s));
    let name = |state: StateId| match (buchi.is_accepting(state), Some(state)) {
        (true, s) if s == start => "accept_init".to_owned(),
        (false, s) if s == start => "T0_init".to_owned(),
        (true, s) if s == done => "accept_all".to_owned(),
        (true, _) => format!("accept_S{}", state.0),
        (false, _) => format!("T0_S{}", state.0),
    };
    let block = |label: &str, edges: &mut dyn Iterator<Item = &Edge>| {
        let edge = |e: &Edge| {
            let condition = e
                .label
                .render(&Words::PROMELA, |a| format!("({})", expression(a)));
            format!("\t:: ({condition}) -> goto {}\n", name(e.target))
        };
        let options: String = edges.map(edge).collect();
        match options.is_empty() {
            true => format!("{label}:\n\tfalse;\n"),
            false => format!("{label}:\n\tdo\n{options}\tod;\n"),
        }
    };
    let mut out = format!("never {{ /* {} */\n", comment.replace("*/", "* /"));
    match start {
        Some(state) => out += &block(&name(state), &mut buchi.edges(state).iter()),
        None => {
            let mut edges = buchi.initial().iter().flat_map(|s| buchi.edges(*s));
            out += &block("T0_init", &mut edges);
        }
    }
    for state in buchi
        .states()
        .filter(|s| start != Some(*s) && done != Some(*s))
    {
        out += &block(&name(state), &mut buchi.edges(state).iter());
    }
    if done.is_some() {
        out += "accept_all:\n\tskip\n";
    }
    out + "}\n"
}

fn accepts_everything(buchi: &Buchi, state: StateId) -> bool {
    let forever = |e: &Edge| e.target == state && e.label == Label::always();
    buchi.is_accepting(state) && buchi.edges(state).iter().any(forever)
}

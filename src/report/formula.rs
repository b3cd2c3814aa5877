//! Reports on formulas: errors, and the class of a formula.

use super::{SCHEMA_VERSION, printable};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use ltl::parse::ParseError;
use ltl::{Atom, Atoms, Buchi, Formula, Formulas, classify, stutter};
use serde_json::{Value, json};

/// The error with the formula and a mark where it goes wrong, with a final newline.
pub fn render_error(error: &ParseError, text: &str, color: bool) -> String {
    let start = error.at.min(text.len());
    let end = text[start..]
        .chars()
        .next()
        .map_or(start, |c| start + c.len_utf8());
    let mark = AnnotationKind::Primary.span(start..end);
    let report = Level::ERROR.primary_title(error.message).element(
        Snippet::source(printable::excerpt(text))
            .path("formula")
            .annotation(mark),
    );
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut out = renderer.render(&[report]);
    out.push('\n');
    out
}

/// The same atoms with names that stay whole inside a formula: those that are no words are put in parentheses.
pub fn bracketed(atoms: &Atoms) -> Atoms {
    let mut all = Atoms::new();
    for number in 0..atoms.len() as u32 {
        let name = atoms.name(Atom(number));
        let word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        all.intern(&if word { name } else { format!("({name})") });
    }
    all
}

/// What is known about a formula and its automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The formula, in SPIN's spelling.
    pub formula: String,
    /// Number of states.
    pub states: usize,
    /// Number of edges.
    pub edges: usize,
    /// Whether every word has at most one run.
    pub deterministic: bool,
    /// Class in the hierarchy of properties, unless that takes too much work.
    pub class: Option<&'static str>,
    /// Whether the property cannot count repeated states, unless that takes too much work.
    pub stutter_invariant: Option<bool>,
}

impl Facts {
    /// Gathers the facts.
    pub fn new(formulas: &mut Formulas, atoms: &Atoms, f: Formula, buchi: &Buchi) -> Facts {
        Facts {
            formula: formulas.to_spin(f, atoms),
            states: buchi.len(),
            edges: buchi.edge_count(),
            deterministic: buchi.is_deterministic(),
            class: classify::semantic(formulas, f).ok().map(|c| c.name()),
            stutter_invariant: stutter::formula_is_invariant(formulas, f).ok(),
        }
    }

    /// One line, with a newline.
    pub fn line(&self) -> String {
        let count = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let deterministic = match self.deterministic {
            true => "deterministic",
            false => "nondeterministic",
        };
        let stutter = match self.stutter_invariant {
            Some(true) => "stutter-invariant",
            Some(false) => "not stutter-invariant",
            None => "stutter-invariance unknown",
        };
        format!(
            "{}, {}, {deterministic}; class: {}; {stutter}\n",
            count(self.states, "state"),
            count(self.edges, "edge"),
            self.class.unwrap_or("unknown"),
        )
    }
}

/// Facts and automaton as data.
pub fn to_json(facts: &Facts, buchi: &Buchi, atoms: &Atoms) -> Value {
    let states = buchi.states().map(|state| {
        let edges = buchi.edges(state).iter();
        json!({
            "state": state.0,
            "initial": buchi.initial().contains(&state),
            "accepting": buchi.is_accepting(state),
            "edges": edges.map(|e| json!({
                "label": e.label.to_text(atoms),
                "to": e.target.0,
            })).collect::<Vec<_>>(),
        })
    });
    json!({
        "schema_version": SCHEMA_VERSION,
        "formula": facts.formula,
        "state_count": facts.states,
        "edge_count": facts.edges,
        "deterministic": facts.deterministic,
        "class": facts.class,
        "stutter_invariant": facts.stutter_invariant,
        "states": states.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ltl::parse;

    #[test]
    fn expressions_stay_whole() {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let text = "[] (p -> <> \"x > 3\")";
        let f = parse::formula(&mut formulas, &mut atoms, text).unwrap();
        let shown = formulas.to_spin(f, &bracketed(&atoms));
        assert_eq!(shown, "[] (p -> <> (x > 3))");
    }

    #[test]
    fn the_mark_is_where_the_formula_goes_wrong() {
        for (text, column) in [("[]p ->", 6), ("p && )", 5), ("(p", 0), ("", 0)] {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let error = parse::formula(&mut formulas, &mut atoms, text).unwrap_err();
            let shown = render_error(&error, text, false);
            let caret = shown.lines().find_map(|l| l.find('^'));
            // The excerpt is indented by the line number and a bar.
            assert_eq!(caret, Some(column + 4), "{text}\n{shown}");
        }
    }
}

//! Why a run violates a formula or an automaton: the step that decides, or the obligation that is never met.

use super::walk::{Stop, walk};
use super::{
    AutomatonRun, AutomatonState, Because, Case, Extent, Fact, How, Why, is_condition, met, reads,
    why,
};
use crate::check::Word;
use crate::property::{Property, Reading};
use crate::trace::NamedValue;
use ltl::formula::Node;
use ltl::prefix::Prefixes;
use ltl::word::Lasso;
use ltl::{Atoms, Formula, Formulas, StateId, translate};

/// The position at which an automaton of violations accepts whatever follows.
pub(super) fn decided_at(property: &Property, lasso: &Lasso) -> Option<usize> {
    let automaton = &property.automaton;
    let accepts_all = |s: StateId| {
        let mut edges = automaton.edges(s).iter();
        automaton.is_accepting(s) && edges.any(|e| e.target == s && e.label == ltl::Label::always())
    };
    let ends = automaton.states().filter(|s| accepts_all(*s));
    let entries = ends.filter_map(|s| ltl::word::entry(automaton, lasso, s));
    entries.map(|(position, _)| position).min()
}

/// A run of a formula's lasso that is being told.
pub(super) struct Telling<'a> {
    pub(super) case: &'a Case<'a>,
    pub(super) property: &'a Property,
    pub(super) formulas: &'a Formulas,
    pub(super) word: &'a Word,
    pub(super) lasso: &'a Lasso,
    pub(super) start: usize,
}

impl Telling<'_> {
    pub(super) fn tell(&self, formula: Formula, violation: Formula) -> (Why, usize) {
        let facts = why(self.formulas, formula, self.lasso);
        let because = self.because(&facts);
        if let Some(position) = self.hopeless(violation) {
            let after = self.word.after[position];
            return (Why::Hopeless { after, because }, after);
        }
        let never = facts
            .iter()
            .rev()
            .find(|f| f.extent == Extent::Forever && !f.holds);
        let obligation = never.map(|fact| self.text(fact.formula));
        let able = match never {
            Some(fact) if is_condition(self.formulas, fact.formula) => met::who(
                self.case,
                self.property,
                (self.formulas, fact.formula),
                self.start,
            ),
            _ => Vec::new(),
        };
        let why = Why::NeverMet {
            because,
            obligation,
            able,
        };
        (why, self.case.path.len())
    }

    /// The position after which no continuation satisfies the formula.
    fn hopeless(&self, violation: Formula) -> Option<usize> {
        let mut formulas = self.formulas.clone();
        let required = formulas.not(violation);
        let automaton = translate::buchi(&mut formulas, required).ok()?;
        let letters = (0..self.lasso.positions()).map(|i| self.lasso.letter(i));
        Prefixes::new(automaton).hopeless_at(letters)
    }

    fn text(&self, f: Formula) -> String {
        bare(&self.formulas.to_spin(f, &atoms(self.property))).to_owned()
    }

    /// Facts in words and steps, with the values that conditions read.
    fn because(&self, facts: &[Fact]) -> Vec<Because> {
        let mut told: Vec<Because> = facts
            .iter()
            .map(|fact| Because {
                formula: self.text(fact.formula),
                holds: fact.holds,
                after: self.word.after[fact.position],
                extent: match fact.extent {
                    Extent::Here => How::Here,
                    Extent::Before(_) => How::Until,
                    Extent::Forever => How::Forever,
                },
                reads: Vec::new(),
            })
            .collect();
        let program = self.case.program();
        walk(program, self.case.path, &mut |stop: Stop<'_>| {
            for (fact, because) in facts.iter().zip(&mut told) {
                let wanted = fact.extent == Extent::Here && because.after == stop.made;
                if wanted && is_condition(self.formulas, fact.formula) {
                    because.reads = self.reads(&stop, fact.formula);
                }
            }
            true
        });
        told
    }

    /// What the atoms of a condition read in a state.
    fn reads(&self, stop: &Stop<'_>, condition: Formula) -> Vec<NamedValue> {
        let mut machine = stop.machine.clone();
        let mut all: Vec<NamedValue> = Vec::new();
        for atom in self.formulas.atoms(condition) {
            let Some(atom) = self.property.atoms.get(atom.0 as usize) else {
                continue;
            };
            for value in reads(&mut machine, stop.state, None, atom.code) {
                if !all.contains(&value) {
                    all.push(value);
                }
            }
        }
        all
    }
}

/// The names of the atoms of a property: what their conditions are, without the parentheses around all of it.
fn atoms(property: &Property) -> Atoms {
    let mut atoms = Atoms::new();
    for condition in &property.atoms {
        let text = bare(&condition.text);
        let is_word = text
            .chars()
            .all(|c| c.is_alphanumeric() || "_[]:@.".contains(c));
        let name = match condition.reading {
            Reading::Defined => condition.text.clone(),
            _ if is_word => text.to_owned(),
            _ => format!("({text})"),
        };
        // Two atoms may look alike only if they are the same condition.
        if atoms.get(&name).is_some() {
            atoms.intern(&format!("({})", condition.text));
        } else {
            atoms.intern(&name);
        }
    }
    atoms
}

/// The same formula with `&&` and `||` where a formula that keeps their order says `!(f -> !g)` and `!f -> g`; the latter only if
/// what was written has a disjunction.
pub(super) fn with_connectives(formulas: &mut Formulas, f: Formula, disjunctions: bool) -> Formula {
    let node = formulas.node(f).clone();
    let mut inner = |g: Formula| with_connectives(formulas, g, disjunctions);
    match node {
        Node::True | Node::False | Node::Atom(_) => f,
        Node::Not(g) => {
            let operands = match *formulas.node(g) {
                Node::Implies(left, right) => negated(formulas, right).map(|right| (left, right)),
                _ => None,
            };
            match operands {
                Some((left, right)) => {
                    let left = with_connectives(formulas, left, disjunctions);
                    let right = with_connectives(formulas, right, disjunctions);
                    formulas.and(left, right)
                }
                None => {
                    let g = with_connectives(formulas, g, disjunctions);
                    formulas.not(g)
                }
            }
        }
        Node::Implies(g, h) => {
            let (first, second) = (
                negated(formulas, g),
                with_connectives(formulas, h, disjunctions),
            );
            match first.filter(|_| disjunctions) {
                Some(first) => {
                    let first = with_connectives(formulas, first, disjunctions);
                    formulas.or(first, second)
                }
                None => {
                    let g = with_connectives(formulas, g, disjunctions);
                    formulas.implies(g, second)
                }
            }
        }
        Node::And(gs) => {
            let gs = gs.iter().map(|g| inner(*g)).collect();
            formulas.and_all(gs)
        }
        Node::Or(gs) => {
            let gs = gs.iter().map(|g| inner(*g)).collect();
            formulas.or_all(gs)
        }
        Node::Equiv(g, h) => {
            let (g, h) = (inner(g), inner(h));
            formulas.equiv(g, h)
        }
        Node::Xor(g, h) => {
            let (g, h) = (inner(g), inner(h));
            formulas.xor(g, h)
        }
        Node::Next(g) => {
            let g = inner(g);
            formulas.next(g)
        }
        Node::Always(g) => {
            let g = inner(g);
            formulas.always(g)
        }
        Node::Eventually(g) => {
            let g = inner(g);
            formulas.eventually(g)
        }
        Node::Until(g, h) => {
            let (g, h) = (inner(g), inner(h));
            formulas.until(g, h)
        }
        Node::WeakUntil(g, h) => {
            let (g, h) = (inner(g), inner(h));
            formulas.weak_until(g, h)
        }
        Node::Release(g, h) => {
            let (g, h) = (inner(g), inner(h));
            formulas.release(g, h)
        }
        Node::StrongRelease(g, h) => {
            let (g, h) = (inner(g), inner(h));
            formulas.strong_release(g, h)
        }
    }
}

/// What a negation negates.
fn negated(formulas: &Formulas, f: Formula) -> Option<Formula> {
    match *formulas.node(f) {
        Node::Not(g) => Some(g),
        _ => None,
    }
}

/// A text without parentheses that enclose all of it.
pub(crate) fn bare(text: &str) -> &str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0i32;
    for c in inside.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return text;
        }
    }
    bare(inside)
}

/// Where the automaton of violations may be after each step of a run on which it accepts.
pub(super) fn automaton_run(
    property: &Property,
    word: &Word,
    lasso: &Lasso,
    steps: usize,
) -> AutomatonRun {
    let automaton = &property.automaton;
    let names = atoms(property);
    let states = automaton.states().map(|s| AutomatonState {
        accepting: automaton.is_accepting(s),
        initial: automaton.initial().contains(&s),
        edges: automaton
            .edges(s)
            .iter()
            .map(|e| (e.label.to_text(&names), e.target.0))
            .collect(),
    });
    let before = ltl::along::accepting_runs(automaton, lasso);
    // The state of the automaton before it reads the letter of a state of the program belongs to that state.
    let mut at = Vec::new();
    let mut position = 0;
    for made in 0..=steps {
        while position + 1 < word.after.len() && word.after[position + 1] <= made {
            position += 1;
        }
        let last = lasso.positions() - 1;
        let shown = match position > last {
            true => lasso.successor(last),
            false => position,
        };
        at.push(before[shown].iter().map(|s| s.0).collect());
    }
    AutomatonRun {
        states: states.collect(),
        at,
    }
}

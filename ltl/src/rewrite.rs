//! Rewriting formulas into smaller equivalent ones before and during translation.
//!
//! The rules are lines of text in `rules`, parsed once by the crate's own parser; metavariables
//! are simply atoms of the pattern. A formula is rewritten bottom-up until no rule applies. Rules
//! whose left side is a conjunction or disjunction are tried on all pairs of operands.
//!
//! Termination does not depend on the rules: a budget bounds the number of rule
//! applications, after which formulas are returned as they are. That is always correct.

pub(crate) mod classes;
mod implication;
mod rules;

use crate::formula::{Atom, Atoms, Formula, Formulas, Node};
use crate::nnf::{flat_and, flat_or, nnf, nnf_not};
use crate::parse;
use implication::Implications;
use rules::RULES;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// How many rules one rewriter applies before it gives up improving things.
const BUDGET: u32 = 100_000;

/// Conjunctions and disjunctions with more operands are not searched for pairs.
const MAX_PAIRS: usize = 64;

/// The metavariables, in the order of their atoms: `f g h e u q`.
const METAVARIABLES: [&str; 6] = ["f", "g", "h", "e", "u", "q"];

struct Rule {
    left: Formula,
    right: Formula,
    condition: Option<(Formula, Formula)>,
}

/// The rules, in an arena of their own.
struct Table {
    patterns: Formulas,
    rules: Vec<Rule>,
}

impl Table {
    fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(Table::read)
    }

    fn read() -> Table {
        let (mut patterns, mut atoms) = (Formulas::new(), Atoms::new());
        METAVARIABLES.iter().for_each(|name| {
            atoms.intern(name);
        });
        let mut read = |text| {
            let f = parse::formula(&mut patterns, &mut atoms, text);
            f.expect("the rules are formulas")
        };
        let mut rules = Vec::new();
        for (left, right, condition) in RULES {
            rules.push(Rule {
                left: read(left),
                right: read(right),
                condition: condition
                    .split_once(" -> ")
                    .map(|(f, g)| (read(f), read(g))),
            });
        }
        Table { patterns, rules }
    }
}

type Binding = [Option<Formula>; METAVARIABLES.len()];

/// Rewrites formulas, and remembers the results.
pub struct Rewriter {
    memo: FxHashMap<Formula, Formula>,
    implications: Implications,
    budget: u32,
}

impl Default for Rewriter {
    fn default() -> Self {
        Self::new()
    }
}

impl Rewriter {
    /// A rewriter for formulas of one arena.
    pub fn new() -> Self {
        Rewriter {
            memo: FxHashMap::default(),
            implications: Implications::default(),
            budget: BUDGET,
        }
    }

    /// A formula equivalent to `f`, which must be in negation normal form; so is the result.
    pub fn simplify(&mut self, formulas: &mut Formulas, f: Formula) -> Formula {
        if let Some(&known) = self.memo.get(&f) {
            return known;
        }
        let rebuilt = self.simplify_operands(formulas, f);
        let result = match self.step(formulas, rebuilt) {
            Some(smaller) if self.budget > 0 => {
                self.budget -= 1;
                self.simplify(formulas, smaller)
            }
            _ => rebuilt,
        };
        self.memo.insert(f, result);
        self.memo.insert(result, result);
        result
    }

    fn simplify_operands(&mut self, formulas: &mut Formulas, f: Formula) -> Formula {
        let node = formulas.node(f).clone();
        let mut each = |g: &Formula| self.simplify(formulas, *g);
        let node = match node {
            Node::And(gs) => {
                let gs = gs.iter().map(each).collect();
                return flat_and(formulas, gs);
            }
            Node::Or(gs) => {
                let gs = gs.iter().map(each).collect();
                return flat_or(formulas, gs);
            }
            Node::Next(g) => Node::Next(each(&g)),
            Node::Always(g) => Node::Always(each(&g)),
            Node::Eventually(g) => Node::Eventually(each(&g)),
            Node::Until(g, h) => Node::Until(each(&g), each(&h)),
            Node::WeakUntil(g, h) => Node::WeakUntil(each(&g), each(&h)),
            Node::Release(g, h) => Node::Release(each(&g), each(&h)),
            Node::StrongRelease(g, h) => Node::StrongRelease(each(&g), each(&h)),
            leaf => leaf,
        };
        formulas.intern(node)
    }

    /// The result of the first rule that applies to the root of `f`.
    fn step(&mut self, formulas: &mut Formulas, f: Formula) -> Option<Formula> {
        let table = Table::get();
        table.rules.iter().find_map(|rule| {
            let result = match (table.patterns.node(rule.left), formulas.node(f).clone()) {
                (Node::And(_), Node::And(gs)) => self.apply_to_pair(formulas, rule, &gs, flat_and),
                (Node::Or(_), Node::Or(gs)) => self.apply_to_pair(formulas, rule, &gs, flat_or),
                _ => self.apply(formulas, rule, f),
            };
            result.filter(|g| *g != f)
        })
    }

    /// Applies a rule to the root of `f`.
    fn apply(&mut self, formulas: &mut Formulas, rule: &Rule, f: Formula) -> Option<Formula> {
        let mut binding = Binding::default();
        let fits = self.matches(formulas, rule.left, f, &mut binding);
        (fits && self.permitted(formulas, rule, &binding))
            .then(|| instantiate(formulas, rule.right, &binding))
    }

    /// Applies a rule with two operands on its left side to some pair of operands.
    fn apply_to_pair(
        &mut self,
        formulas: &mut Formulas,
        rule: &Rule,
        operands: &[Formula],
        join: fn(&mut Formulas, Vec<Formula>) -> Formula,
    ) -> Option<Formula> {
        let patterns = Table::get().patterns.node(rule.left).operands();
        if operands.len() > MAX_PAIRS {
            return None;
        }
        for i in 0..operands.len() {
            let mut first = Binding::default();
            if !self.matches(formulas, patterns[0], operands[i], &mut first) {
                continue;
            }
            for j in (0..operands.len()).filter(|&j| j != i) {
                let mut binding = first;
                if self.matches(formulas, patterns[1], operands[j], &mut binding)
                    && self.permitted(formulas, rule, &binding)
                {
                    let replaced = instantiate(formulas, rule.right, &binding);
                    let others = (0..operands.len()).filter(|k| *k != i && *k != j);
                    let mut all: Vec<Formula> = others.map(|k| operands[k]).collect();
                    all.push(replaced);
                    return Some(join(formulas, all));
                }
            }
        }
        None
    }

    fn permitted(&mut self, formulas: &mut Formulas, rule: &Rule, binding: &Binding) -> bool {
        rule.condition.is_none_or(|(f, g)| {
            let f = instantiate(formulas, f, binding);
            let g = instantiate(formulas, g, binding);
            self.implications.implies(formulas, f, g)
        })
    }

    /// Matches a pattern, extending `binding`; on failure the binding is spoilt.
    fn matches(
        &mut self,
        formulas: &mut Formulas,
        pattern: Formula,
        f: Formula,
        binding: &mut Binding,
    ) -> bool {
        use Node::*;
        match (
            Table::get().patterns.node(pattern),
            formulas.node(f).clone(),
        ) {
            (Atom(a), _) => self.bind(formulas, *a, f, binding),
            (And(ps), And(gs)) => self.matches_split(formulas, ps, &gs, flat_and, binding),
            (Or(ps), Or(gs)) => self.matches_split(formulas, ps, &gs, flat_or, binding),
            (True, True) | (False, False) => true,
            (Next(p), Next(g)) | (Always(p), Always(g)) | (Eventually(p), Eventually(g)) => {
                self.matches(formulas, *p, g, binding)
            }
            (Until(p, r), Until(g, h))
            | (WeakUntil(p, r), WeakUntil(g, h))
            | (Release(p, r), Release(g, h))
            | (StrongRelease(p, r), StrongRelease(g, h)) => {
                self.matches(formulas, *p, g, binding) && self.matches(formulas, *r, h, binding)
            }
            _ => false,
        }
    }

    /// Matches one of two patterns with a single operand and the other with all the rest.
    fn matches_split(
        &mut self,
        formulas: &mut Formulas,
        patterns: &[Formula],
        operands: &[Formula],
        join: fn(&mut Formulas, Vec<Formula>) -> Formula,
        binding: &mut Binding,
    ) -> bool {
        let start = *binding;
        for (single, others) in [(patterns[1], patterns[0]), (patterns[0], patterns[1])] {
            for i in 0..operands.len().min(MAX_PAIRS) {
                *binding = start;
                if self.matches(formulas, single, operands[i], binding) {
                    let rest = [&operands[..i], &operands[i + 1..]].concat();
                    let rest = join(formulas, rest);
                    if self.matches(formulas, others, rest, binding) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn bind(
        &mut self,
        formulas: &Formulas,
        variable: crate::formula::Atom,
        f: Formula,
        binding: &mut Binding,
    ) -> bool {
        let class = self.implications.classes.of(formulas, f);
        let suits = match METAVARIABLES[variable.0 as usize] {
            "e" => class.eventual,
            "u" => class.universal,
            "q" => class.eventual && class.universal,
            _ => true,
        };
        let slot = &mut binding[variable.0 as usize];
        suits && *slot.get_or_insert(f) == f
    }
}

/// The right side (or condition) of a rule with its metavariables filled in, in normal form.
fn instantiate(formulas: &mut Formulas, pattern: Formula, binding: &Binding) -> Formula {
    let patterns = &Table::get().patterns;
    let mut of = |p: &Formula| instantiate(formulas, *p, binding);
    match patterns.node(pattern) {
        Node::Atom(Atom(a)) => binding[*a as usize].expect("right sides use bound variables"),
        Node::And(ps) => {
            let operands = ps.iter().map(of).collect();
            flat_and(formulas, operands)
        }
        Node::Or(ps) => {
            let operands = ps.iter().map(of).collect();
            flat_or(formulas, operands)
        }
        Node::Not(p) => {
            let positive = of(p);
            nnf_not(formulas, positive)
        }
        Node::Next(p) => Node::Next(of(p)).into_formula(formulas),
        Node::Always(p) => Node::Always(of(p)).into_formula(formulas),
        Node::Eventually(p) => Node::Eventually(of(p)).into_formula(formulas),
        Node::Until(p, r) => Node::Until(of(p), of(r)).into_formula(formulas),
        Node::WeakUntil(p, r) => Node::WeakUntil(of(p), of(r)).into_formula(formulas),
        Node::Release(p, r) => Node::Release(of(p), of(r)).into_formula(formulas),
        Node::StrongRelease(p, r) => Node::StrongRelease(of(p), of(r)).into_formula(formulas),
        other => formulas.intern(other.clone()),
    }
}

impl Node {
    fn into_formula(self, formulas: &mut Formulas) -> Formula {
        formulas.intern(self)
    }
}

/// A smaller formula, in negation normal form, equivalent to `f`.
pub fn simplify(formulas: &mut Formulas, f: Formula) -> Formula {
    let f = nnf(formulas, f);
    Rewriter::new().simplify(formulas, f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Rng, Shape};
    use crate::word::{Lasso, holds};

    /// Random formulas for the metavariables, of the classes that their names promise and such
    /// that the condition of the rule is true by construction.
    fn random_binding(formulas: &mut Formulas, rng: &mut Rng, rule: &Rule) -> Binding {
        let shape = Shape {
            atoms: 3,
            size: 5,
            next: true,
        };
        let mut random = |formulas: &mut Formulas| {
            let f = shape.formula(formulas, rng);
            nnf(formulas, f)
        };
        let mut binding = Binding::default();
        for (i, name) in METAVARIABLES.iter().enumerate() {
            let f = random(formulas);
            binding[i] = Some(match *name {
                "e" => formulas.eventually(f),
                "u" => formulas.always(f),
                "q" => {
                    let f = formulas.always(f);
                    formulas.eventually(f)
                }
                _ => f,
            });
        }
        if let Some((premise, conclusion)) = rule.condition {
            let premise = instantiate(formulas, premise, &binding);
            match Table::get().patterns.node(conclusion) {
                Node::Atom(Atom(a)) => {
                    let weakened = vec![binding[*a as usize].unwrap(), premise];
                    binding[*a as usize] = Some(flat_or(formulas, weakened));
                }
                Node::Not(p) => {
                    let Node::Atom(Atom(a)) = Table::get().patterns.node(*p) else {
                        panic!("conditions end in a metavariable or its negation")
                    };
                    let excluded = nnf_not(formulas, premise);
                    let narrowed = vec![binding[*a as usize].unwrap(), excluded];
                    binding[*a as usize] = Some(flat_and(formulas, narrowed));
                }
                _ => panic!("conditions end in a metavariable or its negation"),
            }
        }
        binding
    }

    #[test]
    fn every_rule_keeps_the_meaning() {
        let mut rng = Rng::seeded(31);
        let mut wrong = Vec::new();
        for (rule, text) in Table::get().rules.iter().zip(RULES) {
            let (mut yes, mut no) = (0, 0);
            for _ in 0..120 {
                let mut formulas = Formulas::new();
                let binding = random_binding(&mut formulas, &mut rng, rule);
                let left = instantiate(&mut formulas, rule.left, &binding);
                let right = instantiate(&mut formulas, rule.right, &binding);
                for _ in 0..5 {
                    let lasso = Lasso::random(&mut rng, 3, 2, 3);
                    let (l, r) = (
                        holds(&formulas, left, &lasso),
                        holds(&formulas, right, &lasso),
                    );
                    if l != r {
                        wrong.push((text, lasso));
                    }
                    yes += u32::from(l);
                    no += u32::from(!l);
                }
            }
            let constant = ["true", "false"].contains(&text.1);
            assert!(
                constant || yes > 20 && no > 20,
                "{text:?} was hardly tested"
            );
        }
        wrong.dedup_by_key(|w| w.0);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Rules that no formula can reach would be dead weight.
    #[test]
    fn every_rule_applies_to_its_own_left_side() {
        let mut rng = Rng::seeded(37);
        for (rule, text) in Table::get().rules.iter().zip(RULES) {
            let applied = (0..200).any(|_| {
                let mut formulas = Formulas::new();
                let binding = random_binding(&mut formulas, &mut rng, rule);
                let left = instantiate(&mut formulas, rule.left, &binding);
                let mut rewriter = Rewriter::new();
                let result = match (Table::get().patterns.node(rule.left), formulas.node(left)) {
                    (Node::And(_), Node::And(gs)) => {
                        let gs = gs.clone();
                        rewriter.apply_to_pair(&mut formulas, rule, &gs, flat_and)
                    }
                    (Node::Or(_), Node::Or(gs)) => {
                        let gs = gs.clone();
                        rewriter.apply_to_pair(&mut formulas, rule, &gs, flat_or)
                    }
                    _ => rewriter.apply(&mut formulas, rule, left),
                };
                result.is_some_and(|f| f != left)
            });
            assert!(applied, "{text:?} never applies");
        }
    }

    #[test]
    fn simplification_keeps_the_meaning() {
        let mut rng = Rng::seeded(41);
        for _ in 0..2_000 {
            let mut formulas = Formulas::new();
            let f = Shape::default().formula(&mut formulas, &mut rng);
            let small = simplify(&mut formulas, f);
            for _ in 0..4 {
                let lasso = Lasso::random(&mut rng, 3, 3, 3);
                let agree = holds(&formulas, f, &lasso) == holds(&formulas, small, &lasso);
                let text = formulas.to_text(f, &Atoms::new());
                assert!(agree, "{text} on {lasso:?}");
            }
            assert_eq!(simplify(&mut formulas, small), small);
        }
    }
}

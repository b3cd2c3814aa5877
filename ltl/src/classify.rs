//! Where a property stands in the hierarchy of Chang, Manna and Pnueli (1992).
//!
//! Membership is first read off the syntax, then improved by what automata show: whether the
//! property is an obligation (and so, whether it is safety or guarantee) is decided exactly, unless
//! the construction of `wdba` grows too large; a deterministic Büchi automaton proves
//! recurrence, one for the negation or a weak automaton proves persistence.

use crate::bdd::Bdds;
use crate::buchi::Buchi;
use crate::formula::{Formula, Formulas, Node};
use crate::translate::{self, Error};
use rustc_hash::FxHashMap;

/// The classes a property is known to belong to. `true` is a fact; `false` for `recurrence` and
/// `persistence` may mean that membership went unnoticed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Every violation is final after finitely many letters.
    pub safety: bool,
    /// Every satisfaction is final after finitely many letters.
    pub guarantee: bool,
    /// A boolean combination of the above.
    pub obligation: bool,
    /// Some guarantee holds infinitely often: a deterministic Büchi automaton exists.
    pub recurrence: bool,
    /// Some safety property holds from some point on: a deterministic co-Büchi automaton exists.
    pub persistence: bool,
}

impl Class {
    const ALL: Class = Class {
        safety: true,
        guarantee: true,
        obligation: true,
        recurrence: true,
        persistence: true,
    };

    /// The name of the smallest class known.
    pub fn name(self) -> &'static str {
        match self {
            Class {
                safety: true,
                guarantee: true,
                ..
            } => "safety and guarantee",
            Class { safety: true, .. } => "safety",
            Class {
                guarantee: true, ..
            } => "guarantee",
            Class {
                obligation: true, ..
            } => "obligation",
            Class {
                recurrence: true, ..
            } => "recurrence",
            Class {
                persistence: true, ..
            } => "persistence",
            _ => "reactivity",
        }
    }

    fn and(self, other: Class) -> Class {
        Class {
            safety: self.safety && other.safety,
            guarantee: self.guarantee && other.guarantee,
            obligation: self.obligation && other.obligation,
            recurrence: self.recurrence && other.recurrence,
            persistence: self.persistence && other.persistence,
        }
    }

    /// Adds what follows from the rest.
    fn close(mut self) -> Class {
        self.obligation |= self.safety || self.guarantee;
        self.recurrence |= self.obligation;
        self.persistence |= self.obligation;
        self
    }
}

/// The classes that the syntax of `f` shows.
pub fn syntactic(formulas: &mut Formulas, f: Formula) -> Class {
    let f = crate::nnf::nnf(formulas, f);
    let mut classes: FxHashMap<Formula, Class> = FxHashMap::default();
    for g in formulas.subformulas(f) {
        let class = of_node(formulas.node(g), |h| classes[h]).close();
        classes.insert(g, class);
    }
    classes[&f]
}

fn of_node(node: &Node, of: impl Fn(&Formula) -> Class) -> Class {
    match node {
        Node::And(fs) | Node::Or(fs) => fs.iter().map(of).fold(Class::ALL, Class::and),
        Node::Next(f) => of(f),
        Node::Eventually(f) => until(Class::ALL, of(f)),
        Node::Always(f) => weak_until(of(f), Class::ALL),
        Node::Until(f, g) => until(of(f), of(g)),
        Node::WeakUntil(f, g) => weak_until(of(f), of(g)),
        // f R g is g W (f & g), and f M g is g U (f & g).
        Node::Release(f, g) => weak_until(of(g), of(f).and(of(g))),
        Node::StrongRelease(f, g) => until(of(g), of(f).and(of(g))),
        _ => Class::ALL,
    }
}

fn until(f: Class, g: Class) -> Class {
    Class {
        safety: false,
        guarantee: f.guarantee && g.guarantee,
        obligation: f.obligation && g.guarantee,
        recurrence: f.recurrence && g.guarantee,
        persistence: f.persistence && g.persistence,
    }
}

fn weak_until(f: Class, g: Class) -> Class {
    Class {
        safety: f.safety && g.safety,
        guarantee: false,
        obligation: f.safety && g.obligation,
        recurrence: f.recurrence && g.recurrence,
        persistence: f.safety && g.persistence,
    }
}

/// The classes that the syntax and the automata of `f` show.
pub fn semantic(formulas: &mut Formulas, f: Formula) -> Result<Class, Error> {
    let mut class = syntactic(formulas, f);
    let mut bdds = Bdds::of(formulas);
    let not_f = formulas.not(f);
    let positive = translate::reduced(formulas, &mut bdds, f)?;
    let negative = translate::reduced(formulas, &mut bdds, not_f)?;
    let weak = crate::wdba::minimal(&positive.generalised, &negative.generalised, &mut bdds);
    let [positive, negative] =
        [positive.plain, negative.plain].map(|a| Buchi::from_tgba(&a, &mut bdds));
    translate::check(&bdds)?;
    if let Some(weak) = weak {
        class.obligation = true;
        class.safety = weak.is_safety();
        class.guarantee = weak.complement().is_safety();
    }
    class.recurrence |= positive.is_deterministic() || negative.is_weak();
    class.persistence |= negative.is_deterministic() || positive.is_weak();
    Ok(class.close())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atoms;
    use crate::parse;

    #[test]
    fn known_properties_are_in_their_classes() {
        let cases = [
            ("[]p", "safety", "safety"),
            ("p W q", "safety", "safety"),
            ("<>p", "guarantee", "guarantee"),
            ("p U q", "guarantee", "guarantee"),
            ("X p", "safety and guarantee", "safety and guarantee"),
            ("[]p || <>q", "obligation", "obligation"),
            ("(<>p) -> (!q U p)", "obligation", "safety"),
            ("[]<>p", "recurrence", "recurrence"),
            ("[](p -> <>q)", "recurrence", "recurrence"),
            ("<>[]p", "persistence", "persistence"),
            ("<>[]p || []<>q", "reactivity", "reactivity"),
            ("(p U q) W q", "recurrence", "guarantee"),
            ("[](p U q) || []p", "recurrence", "recurrence"),
            ("[]<>p && <>[]!p", "reactivity", "safety and guarantee"),
            ("<>(p && X[]p)", "persistence", "persistence"),
            ("[](p || <>true)", "recurrence", "safety and guarantee"),
        ];
        for (text, by_syntax, by_automata) in cases {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let f = parse::formula(&mut formulas, &mut atoms, text).unwrap();
            assert_eq!(syntactic(&mut formulas, f).name(), by_syntax, "{text}");
            assert_eq!(
                semantic(&mut formulas, f).unwrap().name(),
                by_automata,
                "{text}"
            );
        }
    }
}

//! The whole way from a formula to a small state-based Büchi automaton.
//!
//! Normal form and rewriting, tableau, simulation on the generalised automaton, degeneralisation,
//! simulation again. See the modules for why each step keeps the language; the tests here compare
//! the outcome with the reference semantics on random words.

use crate::bdd::Bdds;
use crate::buchi::Buchi;
use crate::degeneralize::degeneralize;
use crate::delayed;
use crate::formula::{Formula, Formulas, MAX_DEPTH};
use crate::nnf::nnf;
use crate::rewrite::Rewriter;
use crate::simulation;
use crate::tableau::{self, Style};
use crate::tgba::Tgba;
use crate::wdba;
use std::fmt;

/// The largest automaton that the tableau will build.
pub const MAX_STATES: usize = 20_000;

/// Why a formula could not be translated.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// An atom has a number of 64 or more.
    TooManyAtoms,
    /// There are more than 64 different eventualities.
    TooManyEventualities,
    /// The nesting is deeper than [`crate::formula::MAX_DEPTH`].
    TooDeep,
    /// The automaton outgrew [`MAX_STATES`] states, or the work for it the matching bound.
    TooLarge,
    /// It was given up: see [`Formulas::stop_when`].
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Error::TooManyAtoms => "the formula has more than 64 atoms",
            Error::TooManyEventualities => "the formula has more than 64 eventualities",
            Error::TooDeep => "the formula is nested too deeply",
            Error::TooLarge => "the automaton of the formula is too large",
            Error::Stopped => "the translation of the formula was given up",
        })
    }
}

impl std::error::Error for Error {}

/// A Büchi automaton that accepts exactly the words on which `f` holds.
pub fn buchi(formulas: &mut Formulas, f: Formula) -> Result<Buchi, Error> {
    let mut bdds = Bdds::of(formulas);
    let best = reduced(formulas, &mut bdds, f)?;
    let plain = Buchi::from_tgba(&best.plain, &mut bdds);
    check(&bdds)?;
    // Whatever goes wrong on the way to the weak automaton, there is already an answer.
    Ok(
        match minimal_weak(formulas, &mut bdds, &best.generalised, f) {
            Some(weak) if weak.len() <= plain.len() => weak,
            _ => plain,
        },
    )
}

/// The minimal weak deterministic automaton of an obligation, given its generalised one.
fn minimal_weak(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    positive: &Tgba,
    f: Formula,
) -> Option<Buchi> {
    let not_f = formulas.not(f);
    let negative = generalised(formulas, bdds, not_f, Style::Letters).ok()?;
    let mut weak = wdba::minimal(positive, &negative, bdds)?.to_tgba();
    weak.prune();
    let weak = Buchi::from_tgba(&weak, bdds);
    check(bdds).ok().map(|()| weak)
}

/// Automata with more edges are taken as they are, without trying another style.
const MAX_SECOND_TRY: usize = 500;

/// The automata of a formula, small but not yet considered as an obligation.
pub(crate) struct Reduced {
    pub(crate) generalised: Tgba,
    pub(crate) plain: Tgba,
}

/// Fails if the results of diagram operations cannot be trusted any more.
pub(crate) fn check(bdds: &Bdds) -> Result<(), Error> {
    match (bdds.is_stopped(), bdds.is_exhausted()) {
        (true, _) => Err(Error::Stopped),
        (_, true) => Err(Error::TooLarge),
        _ => Ok(()),
    }
}

/// The smallest automata for `f` that the styles of the tableau lead to.
pub(crate) fn reduced(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    f: Formula,
) -> Result<Reduced, Error> {
    let mut best: Option<Reduced> = None;
    for style in [Style::Letters, Style::Products] {
        if best
            .as_ref()
            .is_some_and(|b| b.plain.edge_count() > MAX_SECOND_TRY)
        {
            break;
        }
        let generalised = generalised(formulas, bdds, f, style)?;
        let mut plain = degeneralize(&generalised);
        simulation::reduce(&mut plain, bdds);
        let before = plain.len();
        delayed::merge(&mut plain, bdds);
        if plain.len() < before {
            simulation::reduce(&mut plain, bdds);
        }
        check(bdds)?;
        let size = |automaton: &Tgba| (automaton.len(), automaton.edge_count());
        if best.as_ref().is_none_or(|b| size(&plain) < size(&b.plain)) {
            best = Some(Reduced { generalised, plain });
        }
    }
    best.ok_or(Error::TooLarge)
}

/// A reduced generalised automaton for `f`.
fn generalised(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    f: Formula,
    style: Style,
) -> Result<Tgba, Error> {
    if formulas.depth(f) > MAX_DEPTH {
        return Err(Error::TooDeep);
    }
    let normal = nnf(formulas, f);
    let simple = Rewriter::new().simplify(formulas, normal);
    let mut automaton = tableau::build(formulas, bdds, simple, style)?;
    simulation::reduce(&mut automaton, bdds);
    check(bdds)?;
    Ok(automaton)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atoms;
    use crate::random::{Rng, Shape};
    use crate::word::{Lasso, accepts, holds};

    #[test]
    fn a_formula_and_its_negation_have_no_word_in_common() {
        let mut rng = Rng::seeded(2);
        for _ in 0..500 {
            let mut formulas = Formulas::new();
            let f = Shape::default().formula(&mut formulas, &mut rng);
            let not_f = formulas.not(f);
            let [yes, no] = [f, not_f].map(|f| buchi(&mut formulas, f).unwrap());
            let text = formulas.to_text(f, &Atoms::new());
            assert!(yes.intersection(&no).is_empty_language(), "{text}");
        }
    }

    /// Formulas whose automata were once wrong, and the words they were wrong on.
    #[test]
    fn regressions() {
        let cases: &[(&str, &[u64], &[u64])] = &[
            // A mark was dropped because all accepting cycles had it, though a rejecting one had not.
            ("p0 | !(F p1 R G (p1 | p2))", &[], &[2]),
            // Obligations were rewritten inside the tableau, and promises changed their names.
            ("F (G (F p1 U X p2) & X p0)", &[1, 7], &[3]),
        ];
        for (text, prefix, cycle) in cases {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            for name in ["p0", "p1", "p2"] {
                atoms.intern(name);
            }
            let f = crate::parse::formula(&mut formulas, &mut atoms, text).unwrap();
            let lasso = Lasso::new(prefix.to_vec(), cycle.to_vec()).unwrap();
            let automaton = buchi(&mut formulas, f).unwrap();
            let expected = holds(&formulas, f, &lasso);
            assert_eq!(accepts(&automaton, &lasso), expected, "{text}");
        }
    }

    /// The deepest formulas that are not refused must fit the stack of a test thread.
    #[test]
    fn depth_within_the_limit_does_no_harm() {
        let opens = [
            "!",
            "[]",
            "<>",
            "X[]<>",
            "(p U ",
            "(q W p R ",
            "(p <-> ",
            "(X p U ",
        ];
        for open in opens {
            let levels = open.matches(|c| "!X[<UWR".contains(c)).count();
            let count = MAX_DEPTH as usize / levels - 2;
            let close = ")".repeat(count * open.matches('(').count());
            let text = format!("{}p{close}", open.repeat(count));
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let f = crate::parse::formula(&mut formulas, &mut atoms, &text).unwrap();
            let translated = buchi(&mut formulas, f);
            assert!(matches!(translated, Ok(_) | Err(Error::TooLarge)), "{open}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let many = |count: u32, term: &str| {
            let terms = (0..count).map(|i| term.replace('#', &i.to_string()));
            terms.collect::<Vec<_>>().join(" & ")
        };
        let cases = [
            (many(65, "F p#"), Error::TooManyAtoms),
            (many(30, "(p# | q#)"), Error::TooLarge),
            (many(30, "(p# U q#)"), Error::TooLarge),
        ];
        for (text, expected) in cases {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let f = crate::parse::formula(&mut formulas, &mut atoms, &text).unwrap();
            assert_eq!(buchi(&mut formulas, f), Err(expected), "{text}");
        }
        let mut formulas = Formulas::new();
        let mut f = formulas.atom(crate::formula::Atom(0));
        for _ in 0..100_000 {
            f = formulas.next(f);
        }
        assert_eq!(buchi(&mut formulas, f), Err(Error::TooDeep));
    }

    #[test]
    fn automata_accept_the_words_on_which_the_formula_holds() {
        let mut rng = Rng::seeded(1);
        for _ in 0..1_000 {
            let mut formulas = Formulas::new();
            let f = Shape::default().formula(&mut formulas, &mut rng);
            let automaton = buchi(&mut formulas, f).unwrap();
            for _ in 0..10 {
                let lasso = Lasso::random(&mut rng, 3, 4, 4);
                let expected = holds(&formulas, f, &lasso);
                let text = formulas.to_text(f, &Atoms::new());
                assert_eq!(accepts(&automaton, &lasso), expected, "{text} on {lasso:?}");
            }
        }
    }
}

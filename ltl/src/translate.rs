//! The whole way from a formula to a small state-based Büchi automaton.
//!
//! Normal form and rewriting, tableau, simulation on the generalised automaton, degeneralisation,
//! simulation again. See the modules for why each step keeps the language; the tests here compare
//! the outcome with the reference semantics on random words.

use crate::bdd::Bdds;
use crate::buchi::Buchi;
use crate::degeneralize::degeneralize;
use crate::formula::{Formula, Formulas, MAX_DEPTH};
use crate::nnf::nnf;
use crate::rewrite::Rewriter;
use crate::simulation;
use crate::tableau;
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
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Error::TooManyAtoms => "the formula has more than 64 atoms",
            Error::TooManyEventualities => "the formula has more than 64 eventualities",
            Error::TooDeep => "the formula is nested too deeply",
            Error::TooLarge => "the automaton of the formula is too large",
        })
    }
}

impl std::error::Error for Error {}

/// A Büchi automaton that accepts exactly the words on which `f` holds.
pub fn buchi(formulas: &mut Formulas, f: Formula) -> Result<Buchi, Error> {
    let mut bdds = Bdds::new();
    let mut best = reduced(formulas, &mut bdds, f)?;
    let not_f = formulas.not(f);
    // The negation only serves to prove the property an obligation: if it is too large, never mind.
    if let Ok(negative) = generalised(formulas, &mut bdds, not_f)
        && let Some(weak) = wdba::minimal(&best.generalised, &negative, &mut bdds)
    {
        let mut weak = weak.to_tgba();
        weak.prune();
        if weak.len() <= best.plain.len() {
            best.plain = weak;
        }
    }
    Ok(best.into_buchi(&mut bdds))
}

/// The automata of a formula, small but not yet considered as an obligation.
pub(crate) struct Reduced {
    pub(crate) generalised: Tgba,
    plain: Tgba,
}

impl Reduced {
    pub(crate) fn into_buchi(self, bdds: &mut Bdds) -> Buchi {
        Buchi::from_tgba(&self.plain, bdds)
    }
}

pub(crate) fn reduced(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    f: Formula,
) -> Result<Reduced, Error> {
    let generalised = generalised(formulas, bdds, f)?;
    let mut plain = degeneralize(&generalised);
    simulation::reduce(&mut plain, bdds);
    Ok(Reduced { generalised, plain })
}

/// A reduced generalised automaton for `f`.
fn generalised(formulas: &mut Formulas, bdds: &mut Bdds, f: Formula) -> Result<Tgba, Error> {
    if formulas.depth(f) > MAX_DEPTH {
        return Err(Error::TooDeep);
    }
    let normal = nnf(formulas, f);
    let simple = Rewriter::new().simplify(formulas, normal);
    let mut automaton = tableau::build(formulas, bdds, simple)?;
    simulation::reduce(&mut automaton, bdds);
    Ok(automaton)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Atoms;
    use crate::random::{Rng, Shape};
    use crate::word::{Lasso, accepts, holds};

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

//! `ample ltl`: translate a formula to an automaton.

use super::output::{colored, say_styled};
use super::{Exit, print, say};
use crate::config::{Ltl, Notation};
use crate::report::formula::{Facts, bracketed, render_error, to_json};
use crate::report::json::document;
use anyhow::Context;
use ltl::{Atoms, Formulas, dot, hoa, never, parse, translate};

pub(super) fn run(config: &Ltl) -> anyhow::Result<Exit> {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let parsed = match parse::formula(&mut formulas, &mut atoms, &config.formula) {
        Ok(parsed) => parsed,
        Err(error) => {
            say_styled(&render_error(&error, &config.formula, colored()));
            return Ok(Exit::Usage);
        }
    };
    let formula = match config.negate {
        true => formulas.not(parsed),
        false => parsed,
    };
    let buchi = translate::buchi(&mut formulas, formula).context("cannot translate the formula")?;
    let shown = bracketed(&atoms);
    let facts = Facts::new(&mut formulas, &shown, formula, &buchi);
    print(&match config.notation {
        Notation::Never => never::never(&buchi, &facts.formula, |atom| atoms.name(atom)),
        Notation::Hoa => hoa::write(&buchi, &facts.formula, &atoms),
        Notation::Dot => dot::dot(&buchi, &shown),
        Notation::Json => document(&to_json(&facts, &buchi, &shown)),
    })?;
    if config.notation != Notation::Json {
        say(&facts.line());
    }
    Ok(Exit::Holds)
}

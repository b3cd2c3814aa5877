//! The shortest finite run after which no continuation satisfies a formula, for `--shortest`.
//!
//! What is reported is an infinite run all the same, so that it is confirmed like any other: the shortest bad prefix and some
//! continuation of it, which cannot matter. The explanation shows the prefix.

use super::{Model, word_of};
use crate::limits::{Cancellation, Monitor};
use crate::machine::{Move, Run};
use crate::property::Property;
use crate::search::{Event, Found, Outcome, Settings, Strategy, search};
use crate::space::{BadPrefixes, is_bad};
use ltl::prefix::Prefixes;
use ltl::translate;
use rustc_hash::FxHashMap;

/// Steps of the continuation.
const CONTINUED: usize = 100_000;

/// A run with the shortest bad prefix, if `found` has a bad prefix at all, and the search comes to an end.
pub(super) fn shortest(
    model: &Model,
    property: &Property,
    found: &Found<Move>,
    settings: &Settings,
    (cancellation, monitor): (&Cancellation, &mut dyn Monitor),
) -> Option<Found<Move>> {
    let &Event::Cycle { start } = &found.event else {
        return None;
    };
    let formula = property.formula.as_ref()?;
    let mut formulas = formula.formulas.clone();
    let required = formulas.not(formula.violation);
    let prefixes = Prefixes::new(translate::buchi(&mut formulas, required).ok()?);
    let (_, lasso) = word_of(&model.program, property, &found.path, start).ok()?;
    prefixes.hopeless_at((0..lasso.positions()).map(|i| lasso.letter(i)))?;
    let mut space = BadPrefixes::new(&model.program, property, prefixes, cancellation);
    let Outcome { found, .. } = search(Strategy::Bfs, &mut space, settings, monitor);
    let bad = found.into_iter().find(|found| match &found.event {
        Event::Fault(fault) => is_bad(fault),
        _ => false,
    })?;
    continued(model, bad.path)
}

/// An infinite run, or one that ends, that begins with those moves.
fn continued(model: &Model, mut path: Vec<Move>) -> Option<Found<Move>> {
    let mut run = Run::start(&model.program).ok()?;
    for &mv in &path {
        let _ = run.list();
        if !run.moves().contains(&mv) || !run.make(mv).moved {
            return None;
        }
    }
    let mut seen: FxHashMap<Vec<u8>, usize> = FxHashMap::default();
    for _ in 0..CONTINUED {
        if run.control().is_none()
            && let Some(start) = seen.insert(run.stored().to_vec(), path.len())
        {
            let event = Event::Cycle { start };
            return Some(Found { event, path });
        }
        let _ = run.list();
        let moves = run.moves().to_vec();
        if moves.is_empty() {
            let event = Event::Cycle { start: path.len() };
            return Some(Found { event, path });
        }
        // A move that fails leaves the run where it was.
        let made = moves.into_iter().find(|mv| {
            let _ = run.list();
            run.make(*mv).moved
        })?;
        path.push(made);
    }
    None
}

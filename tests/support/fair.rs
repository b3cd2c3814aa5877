//! Searching a model for fair violations, and an explicit graph to compare with.
pub(crate) mod graph;
pub(crate) mod loops;

use crate::support::search::{must_refute, settings};
use ample::check::Refuted;
use ample::internals::fairness::Fairness;
use ample::internals::limits::Unwatched;
use ample::internals::machine::{FaultKind, Move};
use ample::internals::property::Property;
use ample::internals::reduce::{Ample, obstacle_under_f};
use ample::internals::search::{
    AmpleChoice, End, Event, Found, Outcome, precompute_ample, search_cycles, search_fair_cycles,
};
use ample::internals::space::{Product, Stepping, System};
use promela_lite::program::Program;
use std::sync::Arc;

pub(crate) const MAX_STATES: u64 = 30_000;

pub(crate) fn property(program: &Program, name: &str) -> Option<Property> {
    let formula = program.ltl.iter().find(|l| l.name == name)?;
    Property::ltl(program, formula).ok()
}

/// Whether a formula is violated by a run that is fair; `None` when it cannot be told.
pub(crate) fn violated(
    program: &Arc<Program>,
    name: &str,
    fairness: &Fairness,
    about: &str,
) -> Option<bool> {
    let property = property(program, name)?;
    let stepping = match property.stutter_invariant {
        true => Stepping::Changes,
        false => Stepping::EveryState,
    };
    let product = Product::new(program, &property, stepping, false).with_fairness(fairness);
    told(program, &property, product, fairness, about).map(|(violated, _)| violated)
}

/// The same under condition F with the reduction, with the number of states of the reduced program; `split`: whether the
/// property is split into parts.
pub(crate) fn violated_reduced(
    program: &Arc<Program>,
    name: &str,
    split: bool,
    about: &str,
) -> Option<(bool, u64)> {
    let property = property(program, name).filter(|p| p.stutter_invariant)?;
    if obstacle_under_f(program).is_some() {
        return None;
    }
    let parts = match split {
        true => property.parts(program),
        false => vec![property.visible(program)],
    };
    let (plan, sets) = planned(program, Ample::under_f(program, &parts))?;
    let states = plan.stats.stored;
    let fairness = Fairness::f();
    let product = Product::new(program, &property, Stepping::Changes, false)
        .with_fairness(&fairness)
        .with_ample_choice(plan, sets);
    let (violated, _) = told(program, &property, product, &fairness, about)?;
    Some((violated, states))
}

/// The reduced graph of a program that some ample sets make.
pub(crate) fn planned(program: &Arc<Program>, sets: Ample) -> Option<(AmpleChoice, Ample)> {
    let mut system = System::with_ample(Arc::clone(program), Some(sets));
    let asked = settings(true, false, MAX_STATES);
    let (plan, _) = precompute_ample(&mut system, &asked, &mut Unwatched);
    plan.zip(system.into_ample())
}

/// Searches; a violation is executed again and must be one, and fair.
fn told(
    program: &Arc<Program>,
    property: &Property,
    mut product: Product,
    fairness: &Fairness,
    about: &str,
) -> Option<(bool, u64)> {
    let asked = settings(false, false, MAX_STATES);
    let Outcome { found, end, stats } = match fairness.is_none() {
        true => search_cycles(&mut product, &asked, &mut Unwatched),
        false => search_fair_cycles(&mut product, &asked, &mut Unwatched),
    };
    let name = &property.name;
    match (found.into_iter().next(), end) {
        (Some(Found { event, path }), _) => {
            let start = match event {
                Event::Cycle { start } => start,
                Event::Fault(fault) if fault.kind != FaultKind::Assertion => return None,
                other => panic!("{other:?}\n{about}"),
            };
            let before = path[..start].iter().filter_map(|m| m.program).count();
            let path: Vec<Move> = path.iter().filter_map(|m| m.program).collect();
            let about = format!("{name}\n{about}");
            must_refute(
                program,
                Refuted::Property(property),
                fairness,
                (path, before),
                &about,
            );
            Some((true, stats.stored))
        }
        (None, End::Complete(_)) => Some((false, stats.stored)),
        (None, _) => None,
    }
}

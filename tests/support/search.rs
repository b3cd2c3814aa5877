//! Searching a model given as text, in any of the ways there are.

use ample::check::{Refuted, confirm};
use ample::internals::fairness::Fairness;
use ample::internals::limits::{Limits, Stop, Unwatched};
use ample::internals::machine::{FaultKind, Move};
use ample::internals::property::Property;
use ample::internals::reduce::obstacle;
use ample::internals::search::{
    End, Event, Found, Lossy, MoveOrder, Outcome, Settings, Strategy, search, search_cycles,
    search_cycles_lossy, search_cycles_together, search_lossy, search_together,
};
use ample::internals::space::{Accepting, Labels, Parallel, Product, Stepping, System};
use ample::internals::store::{LossyKind, StoreKind};
use promela_lite::program::Program;
use promela_lite::{Input, MemoryLoader, compile};
use std::path::Path;
use std::sync::Arc;

/// Compiles a text that is meant to be right.
pub(crate) fn program(text: &str) -> Arc<Program> {
    let mut loader = MemoryLoader::default().with("model.pml", text);
    let compiled = compile(Path::new("model.pml"), &Input::default(), &mut loader);
    let complaints: Vec<String> = compiled
        .diagnostics
        .sorted()
        .iter()
        .map(|d| d.message.clone())
        .collect();
    match compiled.program {
        Some(program) => Arc::new(program),
        None => panic!("does not compile: {complaints:?}\n{text}"),
    }
}

/// Panics unless a lasso is a counterexample, on a fair run.
pub(crate) fn must_refute(
    program: &Arc<Program>,
    refuted: Refuted<'_>,
    fairness: &Fairness,
    (path, start): (Vec<Move>, usize),
    about: &str,
) {
    let event = Event::Cycle { start };
    if let Err(denied) = confirm(program, refuted, fairness, Found { event, path }) {
        panic!("no counterexample: {}\n{about}", denied.0);
    }
}

/// Bounds for small models.
pub(crate) fn settings(all_errors: bool, end_states: bool, states: u64) -> Settings {
    Settings {
        all_errors,
        end_states,
        limits: Limits {
            states,
            // A model that starts processes without end has few states, but long ones.
            memory: 1 << 27,
            ..Limits::default()
        },
        ..Settings::default()
    }
}

/// What a search finds, which must be the same however its states are kept; `None` when it does not complete.
pub(crate) fn in_every_store<T: PartialEq + std::fmt::Debug>(
    settings: Settings,
    mut search: impl FnMut(&Settings) -> Option<T>,
) -> Option<T> {
    let flat = search(&settings)?;
    let compressed = Settings {
        store: StoreKind::Tree,
        ..settings
    };
    assert_eq!(flat, search(&compressed)?);
    Some(flat)
}

/// A way to search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Every interleaving; for a property, the automaton reads every state.
    Plain,
    /// Every interleaving; the automaton steps on changes.
    Changes,
    /// Ample sets.
    Reduced,
    /// The same as the last but one, by several workers.
    ChangesTogether,
    /// Ample sets, by several workers.
    ReducedTogether,
    /// Ample sets, breadth first; for safety only.
    ReducedBreadthFirst,
    /// Ample sets, with fingerprints of states.
    ReducedCompact,
    /// Ample sets by way of stubborn sets.
    Stubborn,
    /// The same, by several workers.
    StubbornTogether,
}

impl Way {
    /// All but the first.
    pub(crate) const OTHERS: [Way; 6] = [
        Way::Changes,
        Way::Reduced,
        Way::ChangesTogether,
        Way::ReducedTogether,
        Way::Stubborn,
        Way::StubbornTogether,
    ];

    fn reduces(self) -> bool {
        !matches!(self, Way::Plain | Way::Changes | Way::ChangesTogether)
    }

    fn is_stubborn(self) -> bool {
        matches!(self, Way::Stubborn | Way::StubbornTogether)
    }

    fn workers(self) -> usize {
        match self {
            Way::Plain | Way::Changes | Way::Reduced | Way::Stubborn => 1,
            Way::ReducedBreadthFirst | Way::ReducedCompact => 1,
            Way::ChangesTogether | Way::StubbornTogether => 2,
            Way::ReducedTogether => 3,
        }
    }
}

/// Searches for what is wrong with single states, with as many workers as the settings say, all from the beginning.
pub(crate) fn sweep(make: &(dyn Fn() -> System + Sync), settings: &Settings) -> Outcome<Move> {
    let mut system = make();
    match settings.workers {
        1 => search(Strategy::Dfs, &mut system, settings, &mut Unwatched),
        _ => search_together(&mut system, make, settings, &mut Unwatched),
    }
}

/// The same for cycles.
pub(crate) fn search_for_cycles<P: Accepting + Parallel>(
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    let mut space = make();
    match settings.workers {
        1 => search_cycles(&mut space, settings, &mut Unwatched),
        _ => search_cycles_together(&mut space, make, settings, &mut Unwatched),
    }
}

/// States after which [`violated`] gives up.
const MAX_STATES: u64 = 60_000;

/// Whether something is violated, and the number of states; `None` when it cannot be told, or not in that way.
pub(crate) fn violated(program: &Arc<Program>, what: &str, way: Way) -> Option<(bool, u64)> {
    if way.reduces() && obstacle(program).is_some() {
        return None;
    }
    let asked = |end_states| Settings {
        workers: way.workers(),
        alone: 0,
        ..settings(false, end_states, MAX_STATES)
    };
    match what {
        "safety" => {
            let make = || match way.reduces() {
                true if way.is_stubborn() => System::reduced(Arc::clone(program)).with_stubborn(),
                true => System::reduced(Arc::clone(program)),
                false => System::new(Arc::clone(program)),
            };
            let (asked, watch) = (asked(true), &mut Unwatched);
            told(match way {
                Way::ReducedBreadthFirst => search(Strategy::Bfs, &mut make(), &asked, watch),
                Way::ReducedCompact => search_lossy(&mut make(), &asked, &COMPACT, watch).0,
                _ => sweep(&make, &asked),
            })
        }
        _ if way == Way::ReducedBreadthFirst => None,
        "acceptance" => {
            let make = || match way.is_stubborn() {
                true => Labels::new(Arc::clone(program), true).with_stubborn(),
                false => Labels::new(Arc::clone(program), way.reduces()),
            };
            told(cycles_in(way, &make, &asked(false)))
        }
        name => {
            let formula = program.ltl.iter().find(|l| l.name == name);
            let property = match formula {
                Some(formula) => Property::ltl(program, formula),
                None => Property::claim(program, &program.claims[0]),
            };
            let property = property.unwrap_or_else(|u| panic!("{name}: {}", u.0));
            if way != Way::Plain && !property.stutter_invariant {
                return None;
            }
            let stepping = match way {
                Way::Plain => Stepping::EveryState,
                _ => Stepping::Changes,
            };
            let make = || {
                let product = Product::new(program, &property, stepping, way.reduces());
                match way.is_stubborn() {
                    true => product.with_stubborn(),
                    false => product,
                }
            };
            told(cycles_in(way, &make, &asked(false)))
        }
    }
}

/// Fingerprints of 64 bits: on small models nothing is lost.
const COMPACT: Lossy = Lossy {
    store: LossyKind::Compact,
    order: MoveOrder::Listed,
};

fn cycles_in<P: Accepting + Parallel>(
    way: Way,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    match way {
        Way::ReducedCompact => {
            search_cycles_lossy(&mut make(), settings, &COMPACT, &mut Unwatched).0
        }
        _ => search_for_cycles(make, settings),
    }
}

fn told<M>(outcome: Outcome<M>) -> Option<(bool, u64)> {
    let Outcome { found, end, stats } = outcome;
    // A model error ends the run, and which one comes first depends on the order.
    let is_error = |event: &Event| match event {
        Event::Fault(fault) => !matches!(fault.kind, FaultKind::Assertion | FaultKind::Trace),
        _ => false,
    };
    if found.iter().any(|f| is_error(&f.event)) {
        return None;
    }
    match (found.is_empty(), end) {
        (false, _) => Some((true, stats.stored)),
        (true, End::Complete(_) | End::Stopped(Stop::Lossy)) => Some((false, stats.stored)),
        (true, _) => None,
    }
}

/// An event, in a word.
pub(crate) fn word(event: &Event) -> &'static str {
    let Event::Fault(fault) = event else {
        return match event {
            Event::InvalidEnd => "end",
            _ => "cycle",
        };
    };
    match fault.kind {
        FaultKind::Assertion => "assertion",
        FaultKind::IndexOutOfRange { .. } => "index",
        FaultKind::DivisionByZero => "division",
        FaultKind::ShiftOutOfRange { .. } => "shift",
        FaultKind::UninitialisedChannel => "channel",
        FaultKind::BadChannel { .. } => "no channel",
        FaultKind::PolledRendezvous => "polled",
        FaultKind::BlockedInDStep | FaultKind::RendezvousInDStep => "blocked",
        FaultKind::BadPid { .. } => "pid",
        FaultKind::BadPriority { .. } => "priority",
        FaultKind::MessageShape { .. } => "fields",
        FaultKind::NotExclusive { recv: true } => "xr",
        FaultKind::NotExclusive { recv: false } => "xs",
        _ => "another fault",
    }
}

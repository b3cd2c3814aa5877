//! What goes wrong is told: panics, wrong encodings, wrong formulas, systems that change their mind, limits.

use super::by;
use ample::check::Store;
use ample::typed::{Check, Error, StateCode, TransitionSystem};
use ample::{Options, Stop, Word};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A grid of numbers; in some state the model panics.
struct Grid {
    size: u16,
    panics_at: Option<(u16, u16)>,
}

impl TransitionSystem for Grid {
    type State = (u16, u16);
    type Action = bool;

    fn initial(&self) -> Vec<(u16, u16)> {
        vec![(0, 0)]
    }

    fn actions(&self, _: &(u16, u16), out: &mut Vec<bool>) {
        out.extend([false, true]);
    }

    fn next(&self, state: &(u16, u16), right: &bool) -> Option<(u16, u16)> {
        assert!(Some(*state) != self.panics_at, "the model is wrong");
        let (x, y) = *state;
        let next = if *right { (x + 1, y) } else { (x, y + 1) };
        (next.0 < self.size && next.1 < self.size).then_some(next)
    }
}

fn grid(size: u16) -> Grid {
    Grid {
        size,
        panics_at: None,
    }
}

/// The message of the panic that something ends in.
fn message(what: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(what)).unwrap_err();
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

#[test]
fn a_panic_goes_on_to_the_caller() {
    let broken = Grid {
        size: 150,
        panics_at: Some((140, 140)),
    };
    let system = grid(150);
    for (workers, alone) in [(1, 0), (3, 0), (3, 10_000)] {
        let options = by(workers, alone);
        let in_model = message(|| {
            let _ = Check::new(&broken)
                .invariant("one", |_| true)
                .invariant("two", |_| true)
                .check(&options);
        });
        assert_eq!(in_model, "the model is wrong");
        let in_model = message(|| {
            let _ = Check::new(&broken)
                .atom("p", |s| s.0 < 150)
                .ltl("runs", "[] p")
                .check(&options);
        });
        assert_eq!(in_model, "the model is wrong");
        let in_goal = message(|| {
            let goal = |s: &(u16, u16)| s.0 < 149 || panic!("the goal is wrong");
            let _ = Check::new(&system).invariant("goal", goal).check(&options);
        });
        assert_eq!(in_goal, "the goal is wrong");
        let in_atom = message(|| {
            let atom = |s: &(u16, u16)| s.1 < 149 || panic!("the atom is wrong");
            let _ = Check::new(&system)
                .atom("p", atom)
                .ltl("runs", "[] p")
                .check(&options);
        });
        assert_eq!(in_atom, "the atom is wrong");
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Forgetful(u8, u8);

impl StateCode for Forgetful {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.0);
    }

    fn decode(input: &mut &[u8]) -> Option<Forgetful> {
        Some(Forgetful(u8::decode(input)?, 0))
    }
}

struct Wrong;

impl TransitionSystem for Wrong {
    type State = Forgetful;
    type Action = ();

    fn initial(&self) -> Vec<Forgetful> {
        vec![Forgetful(0, 0)]
    }

    fn actions(&self, _: &Forgetful, out: &mut Vec<()>) {
        out.push(());
    }

    fn next(&self, state: &Forgetful, (): &()) -> Option<Forgetful> {
        Some(Forgetful(state.0, 1))
    }
}

#[test]
#[cfg(debug_assertions)]
fn an_encoding_that_forgets_is_noticed() {
    let text = message(|| {
        let _ = Check::new(&Wrong)
            .invariant("any", |_| true)
            .check(&by(1, 0));
    });
    assert!(text.contains("another state than `encode`"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let system = grid(3);
    let failed = |check: Check<'_, Grid>| check.check(&by(1, 0)).map(|_| ()).unwrap_err();
    let unknown = failed(Check::new(&system).ltl("goal", "[] nothing"));
    assert_eq!(
        unknown.to_string(),
        "the formula of `goal`: there is no atom `nothing`"
    );
    let syntax = failed(Check::new(&system).ltl("goal", "[] ("));
    assert!(matches!(syntax, Error::Formula { .. }), "{syntax}");
    let twice = failed(
        Check::new(&system)
            .invariant("goal", |_| true)
            .ltl("goal", "true"),
    );
    assert_eq!(twice, Error::SameName("goal".to_owned()));
    let twice = failed(Check::new(&system).atom("p", |_| true).atom("p", |_| true));
    assert_eq!(twice, Error::SameName("p".to_owned()));
}

/// A system that starts nowhere.
struct Nowhere;

impl TransitionSystem for Nowhere {
    type State = ();
    type Action = ();

    fn initial(&self) -> Vec<()> {
        Vec::new()
    }

    fn actions(&self, (): &(), _: &mut Vec<()>) {}

    fn next(&self, (): &(), (): &()) -> Option<()> {
        None
    }
}

#[test]
fn a_system_must_start_somewhere() {
    let failed = Check::new(&Nowhere)
        .invariant("any", |()| false)
        .check(&by(1, 0));
    assert_eq!(failed.map(|_| ()).unwrap_err(), Error::NoInitialState);
}

/// A system that lists an action for the first few times only.
struct Fickle(AtomicU32);

impl TransitionSystem for Fickle {
    type State = u8;
    type Action = ();

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, _: &u8, out: &mut Vec<()>) {
        out.push(());
    }

    fn next(&self, state: &u8, (): &()) -> Option<u8> {
        let asked = self.0.fetch_add(1, Ordering::Relaxed);
        (asked < 3 && *state < 3).then_some(state + 1)
    }
}

#[test]
fn a_system_that_changes_its_mind_is_not_believed() {
    let fickle = Fickle(AtomicU32::new(0));
    let failed = Check::new(&fickle)
        .invariant("small", |s| *s < 3)
        .check(&Options {
            shortest: false,
            ..by(1, 0)
        });
    let failed = failed.map(|_| ()).unwrap_err();
    assert!(matches!(failed, Error::Contradiction(_)), "{failed}");
}

#[test]
fn a_bounded_search_never_says_that_a_goal_holds() {
    let system = grid(200);
    for workers in [1, 3] {
        let goals = |options: Options| {
            let check = Check::new(&system)
                .invariant("near", |s| s.0 < 190)
                .atom("far", |s| s.0 > 190)
                .ltl("stays", "[] !far");
            check.check(&options).unwrap().goals
        };
        let plain = Options {
            shortest: false,
            ..by(workers, 0)
        };
        for goal in goals(Options {
            states: Some(1000),
            ..plain.clone()
        }) {
            assert_ne!(goal.verdict, Word::Holds);
        }
        for goal in goals(Options {
            depth: Some(50),
            ..plain.clone()
        }) {
            assert_eq!(goal.verdict, Word::Inconclusive);
            assert_eq!(goal.stop, Some(Stop::Depth(51)));
        }
        for goal in goals(Options {
            time: Some(Duration::ZERO),
            ..plain.clone()
        }) {
            assert_ne!(goal.verdict, Word::Holds);
        }
        for goal in goals(Options {
            store: Some(Store::Compressed),
            ..plain
        }) {
            assert_eq!(goal.verdict, Word::Violated);
        }
    }
}

#[test]
fn options_that_mean_nothing_here_are_refused() {
    let options = Options {
        store: Some(Store::Bitstate),
        ..Options::default()
    };
    let system = grid(3);
    let refused = Check::new(&system).check(&options).map(|_| ()).unwrap_err();
    assert_eq!(refused, Error::Option("store"));
}

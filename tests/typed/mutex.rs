//! Mutual exclusion of two processes: in the order in which they come, and with one that always goes first.

use super::{by, must_be_a_run};
use ample::typed::{Check, TransitionSystem};
use ample::{Word, code_enum, code_struct};

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Idle,
    Waiting,
    Critical,
}
code_enum!(Place {
    Idle,
    Waiting,
    Critical
});

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: [Place; 2],
    /// Who has to let the other one go first, if both wait.
    polite: u8,
    /// Whose turn it is to make a step.
    turn: u8,
}
code_struct!(State { at, polite, turn });

/// The idea of Peterson's algorithm, with asking and giving way in one step. The processes make steps in turn, so that no
/// run lets one of them stand still.
struct Mutex {
    /// Whether a process that enters when both wait is the one that came first.
    in_order: bool,
}

impl TransitionSystem for Mutex {
    type State = State;
    type Action = (u8, Place);

    fn initial(&self) -> Vec<State> {
        vec![State {
            at: [Place::Idle; 2],
            polite: 0,
            turn: 0,
        }]
    }

    fn actions(&self, state: &State, out: &mut Vec<(u8, Place)>) {
        let me = state.turn;
        out.extend([Place::Idle, Place::Waiting, Place::Critical].map(|to| (me, to)));
    }

    fn next(&self, state: &State, &(me, to): &(u8, Place)) -> Option<State> {
        let mut next = state.clone();
        let (mine, other) = (usize::from(me), usize::from(1 - me));
        next.turn = 1 - me;
        next.at[mine] = to;
        let must_wait = state.at[other] == Place::Critical
            || state.at[other] == Place::Waiting
                && match self.in_order {
                    true => state.polite == me,
                    // The first process always goes first.
                    false => me == 1,
                };
        let possible = match (state.at[mine], to) {
            (Place::Idle, Place::Idle) => true,
            // Who leaves may want to enter again at once.
            (Place::Idle | Place::Critical, Place::Waiting) => {
                next.polite = me;
                true
            }
            // It waits.
            (Place::Waiting, Place::Waiting) => must_wait,
            (Place::Waiting, Place::Critical) => !must_wait,
            (Place::Critical, Place::Idle) => true,
            _ => false,
        };
        possible.then_some(next)
    }
}

#[test]
fn starvation_is_found_and_its_cure_confirmed() {
    for (in_order, expected) in [(false, Word::Violated), (true, Word::Holds)] {
        let system = Mutex { in_order };
        for workers in [1, 3] {
            let report = Check::new(&system)
                .invariant("exclusion", |s| s.at != [Place::Critical; 2])
                .no_deadlock()
                .atom("waits", |s| s.at[1] == Place::Waiting)
                .atom("enters", |s| s.at[1] == Place::Critical)
                .ltl("no starvation", "[] (waits -> <> enters)")
                .check(&by(workers, 0))
                .unwrap();
            assert_eq!(report.verdict("exclusion"), Some(Word::Holds));
            assert_eq!(report.verdict("no deadlock"), Some(Word::Holds));
            assert_eq!(
                report.verdict("no starvation"),
                Some(expected),
                "{in_order}: {report}"
            );
            if let Some(run) = report.counterexample("no starvation") {
                must_be_a_run(&system, run);
                let start = run.cycle.unwrap();
                let mut cycle = run.states().skip(start);
                assert!(cycle.all(|s| s.at[1] == Place::Waiting), "{run}");
            }
        }
    }
}

/// Counts round a ring, which may be left once.
struct Ring {
    exit: bool,
    returns: bool,
}

impl TransitionSystem for Ring {
    type State = u8;
    type Action = u8;

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, _: &u8, out: &mut Vec<u8>) {
        out.extend(0..=9);
    }

    fn next(&self, &from: &u8, &to: &u8) -> Option<u8> {
        let step = from < 4 && to == from + 1 || from == 4 && to == 0 && self.returns;
        (step || self.exit && from == 2 && to == 9).then_some(to)
    }
}

#[test]
fn eventually_is_decided_right_on_cycles_and_ends() {
    // (exit, returns, formula, holds)
    let cases = [
        (false, true, "<> four", true),
        (false, true, "[] <> four", true),
        (false, true, "<> [] four", false),
        (false, true, "<> nine", false),
        (true, true, "<> nine", false),
        (true, true, "[] <> four", false),
        (true, true, "<> (four || nine)", true),
        (true, true, "[] <> (four || nine)", true),
        // A run that ends repeats its last state.
        (false, false, "<> [] four", true),
        (true, false, "<> [] four", false),
        (true, false, "<> [] (four || nine)", true),
        (false, false, "[] (four -> X four)", true),
        (false, true, "[] (four -> X four)", false),
    ];
    for (exit, returns, formula, holds) in cases {
        let system = Ring { exit, returns };
        for workers in [1, 3] {
            let report = Check::new(&system)
                .atom("four", |s| *s == 4)
                .atom("nine", |s| *s == 9)
                .ltl("goal", formula)
                .check(&by(workers, 0))
                .unwrap();
            assert_eq!(report.holds(), holds, "{exit} {returns} {formula}");
            if let Some(run) = report.counterexample("goal") {
                must_be_a_run(&system, run);
            }
        }
    }
}

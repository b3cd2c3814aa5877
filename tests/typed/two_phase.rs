//! Two-phase commit: a transaction manager, resource managers, and a network that loses and forgets nothing.
//!
//! A resource manager prepares, or aborts by itself before it has prepared. The manager commits when all have told that they
//! are prepared, or aborts at any time before that; its decision reaches each resource manager at any time, again and again.

use super::{by, reachable};
use ample::typed::{Check, TransitionSystem};
use ample::{Word, code_enum, code_struct};

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Resource {
    Working,
    Prepared,
    Committed,
    Aborted,
}
code_enum!(Resource {
    Working,
    Prepared,
    Committed,
    Aborted
});

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Decision {
    Open,
    Commit,
    Abort,
}
code_enum!(Decision {
    Open,
    Commit,
    Abort
});

/// What has been sent is a set: messages of resource managers as bits, and the decision, which is sent when it is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    resources: Vec<Resource>,
    decision: Decision,
    /// Who is known to the manager to be prepared.
    known: u16,
    /// Who has said that it is prepared.
    said: u16,
}
code_struct!(State {
    resources,
    decision,
    known,
    said
});

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Commit,
    Abort,
    Hear(usize),
    Prepare(usize),
    GiveUp(usize),
    ObeyCommit(usize),
    ObeyAbort(usize),
}

struct TwoPhase {
    resources: usize,
    /// A mistake: the manager commits when some of them are prepared.
    hasty: bool,
}

impl TwoPhase {
    fn new(resources: usize) -> TwoPhase {
        TwoPhase {
            resources,
            hasty: false,
        }
    }
}

impl TransitionSystem for TwoPhase {
    type State = State;
    type Action = Action;

    fn initial(&self) -> Vec<State> {
        vec![State {
            resources: vec![Resource::Working; self.resources],
            decision: Decision::Open,
            known: 0,
            said: 0,
        }]
    }

    fn actions(&self, state: &State, out: &mut Vec<Action>) {
        if state.decision == Decision::Open {
            out.extend([Action::Commit, Action::Abort]);
        }
        for r in 0..self.resources {
            out.extend([Action::Hear(r), Action::Prepare(r), Action::GiveUp(r)]);
            out.extend([Action::ObeyCommit(r), Action::ObeyAbort(r)]);
        }
    }

    fn next(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = state.clone();
        let all = (1u16 << self.resources) - 1;
        let open = state.decision == Decision::Open;
        let possible = match *action {
            Action::Commit => {
                next.decision = Decision::Commit;
                open && (state.known == all || self.hasty && state.known != 0)
            }
            Action::Abort => {
                next.decision = Decision::Abort;
                open
            }
            Action::Hear(r) => {
                next.known |= 1 << r;
                open && state.said >> r & 1 == 1
            }
            Action::Prepare(r) => {
                next.said |= 1 << r;
                next.resources[r] = Resource::Prepared;
                state.resources[r] == Resource::Working
            }
            Action::GiveUp(r) => {
                next.resources[r] = Resource::Aborted;
                state.resources[r] == Resource::Working
            }
            Action::ObeyCommit(r) => {
                next.resources[r] = Resource::Committed;
                state.decision == Decision::Commit
            }
            Action::ObeyAbort(r) => {
                next.resources[r] = Resource::Aborted;
                state.decision == Decision::Abort
            }
        };
        possible.then_some(next)
    }
}

fn consistent(state: &State) -> bool {
    let some = |wanted: Resource| state.resources.contains(&wanted);
    !(some(Resource::Committed) && some(Resource::Aborted))
}

fn all_decided(state: &State) -> bool {
    let decided = |r: &Resource| matches!(r, Resource::Committed | Resource::Aborted);
    state.resources.iter().all(decided)
}

#[test]
fn counts_the_well_known_numbers_of_states() {
    for (resources, states) in [(3, 288), (5, 8832)] {
        let system = TwoPhase::new(resources);
        assert_eq!(reachable(&system).len() as u64, states);
        for workers in [1, 3] {
            let report = Check::new(&system)
                .invariant("consistent", consistent)
                .no_deadlock()
                .check(&by(workers, 100))
                .unwrap();
            report.assert_holds();
            assert_eq!(report.goal("consistent").unwrap().states, states);
            assert_eq!(report.goal("no deadlock").unwrap().states, states);
        }
    }
}

#[test]
fn a_hasty_manager_is_caught_on_a_shortest_run() {
    let system = TwoPhase {
        resources: 3,
        hasty: true,
    };
    for workers in [1, 3] {
        let report = Check::new(&system)
            .invariant("consistent", consistent)
            .check(&by(workers, 0))
            .unwrap();
        assert_eq!(report.verdict("consistent"), Some(Word::Violated));
        let run = report.counterexample("consistent").unwrap();
        super::must_be_a_run(&system, run);
        // One prepares, is heard, the manager commits, another one gives up before it hears, and the first obeys.
        assert_eq!(run.steps.len(), 5, "{run}");
        assert!(!consistent(run.last()));
    }
}

#[test]
fn nobody_is_forced_to_decide_but_a_decision_is_final() {
    let system = TwoPhase::new(3);
    for workers in [1, 3] {
        let report = Check::new(&system)
            .atom("decided", all_decided)
            .atom("committed", |s| s.resources[0] == Resource::Committed)
            .ltl("all decide", "<> decided")
            .ltl("final", "[] (committed -> [] committed)")
            .check(&by(workers, 0))
            .unwrap();
        assert_eq!(report.verdict("all decide"), Some(Word::Violated));
        assert_eq!(report.verdict("final"), Some(Word::Holds));
        let run = report.counterexample("all decide").unwrap();
        super::must_be_a_run(&system, run);
        assert!(run.states().all(|s| !all_decided(s)));
    }
}

/// For figures: `cargo test --release --test typed -- --ignored --nocapture two_phase`
#[test]
#[ignore = "takes long without optimisation"]
fn large_instances_have_as_many_states_as_a_naive_search_says() {
    for resources in [7, 8] {
        let system = TwoPhase::new(resources);
        let start = std::time::Instant::now();
        let naive = reachable(&system).len() as u64;
        println!("{resources}: naive {naive}, {:.2?}", start.elapsed());
        for workers in [1, 2] {
            let report = Check::new(&system)
                .invariant("consistent", consistent)
                .atom("decided", all_decided)
                .atom("committed", |s| s.resources[0] == Resource::Committed)
                .ltl("final", "[] (committed -> [] committed)")
                .check(&by(workers, 10_000))
                .unwrap();
            report.assert_holds();
            for goal in &report.goals {
                println!(
                    "{resources}: {} with {workers} workers: {} states, {:.2} s, {} MiB",
                    goal.name,
                    goal.states,
                    goal.seconds,
                    goal.statistics.total_bytes() >> 20
                );
            }
            assert_eq!(report.goal("consistent").unwrap().states, naive);
        }
    }
}

//! Reduction by declared footprints: verdicts on random systems of processes are those of the full search, wrong declarations
//! are noticed, and where processes have little to do with each other few states are left.

use super::{by, must_be_a_run};
use ample::typed::{Check, Error, Footprint, Report, TransitionSystem};
use ample::{Options, Word};
use ltl::random::{Rng, Shape};
use ltl::{Atoms, Formulas};

const VARIABLES: usize = 4;

/// Something that a process can do where it is.
#[derive(Clone, Debug)]
struct Edge {
    /// It can happen only while that cell has that value. Cells are the variables, and then where each process is.
    guard: Option<(usize, u8)>,
    /// That variable gets the value of that cell plus a number, or just the number.
    assignment: Option<(usize, Option<usize>, u8)>,
    to: u8,
}

/// What is wrong with the declarations of a system.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Lie {
    None,
    /// Guards are not said to be read.
    Guards,
    /// Guards of what cannot happen now are not said to be read.
    Impossible,
    /// Assignments are not said to write.
    Writes,
    /// Nothing comes later that does not happen now.
    Future,
    /// Conditions read nothing.
    Conditions,
}

/// Processes, each with the edges of each of its places. A state is the variables and the places.
#[derive(Clone, Debug)]
struct Tables {
    processes: Vec<Vec<Vec<Edge>>>,
    lie: Lie,
}

type State = Vec<u8>;

impl Tables {
    fn random(rng: &mut Rng) -> Tables {
        let count = rng.within(2, 3);
        let mut processes = Vec::new();
        for process in 0..count {
            let places = rng.within(3, 4);
            let variable = |rng: &mut Rng| match rng.chance(60) {
                true => process,
                false => rng.below(VARIABLES),
            };
            let mut table = Vec::new();
            for place in 0..places {
                let edge = |rng: &mut Rng| Edge {
                    guard: rng.chance(40).then(|| match rng.chance(20) {
                        true => (VARIABLES + rng.below(count), rng.below(3) as u8),
                        false => (variable(rng), rng.below(3) as u8),
                    }),
                    assignment: rng.chance(60).then(|| {
                        let from = rng.chance(40).then(|| variable(rng));
                        (variable(rng), from, rng.below(3) as u8)
                    }),
                    to: match rng.chance(70) {
                        true => (place + 1) % places,
                        false => rng.below(places),
                    } as u8,
                };
                let edges = if rng.chance(8) { 0 } else { rng.within(1, 2) };
                table.push((0..edges).map(|_| edge(rng)).collect());
            }
            processes.push(table);
        }
        Tables {
            processes,
            lie: Lie::None,
        }
    }

    fn place(&self, state: &State, process: usize) -> usize {
        usize::from(state[VARIABLES + process])
    }

    fn touched(&self, process: usize, place: usize, now: Option<&State>) -> Footprint {
        let own = 1u64 << (VARIABLES + process);
        let mut all = Footprint {
            reads: own,
            writes: own,
        };
        for (index, edge) in self.processes[process][place].iter().enumerate() {
            let action = (process, index);
            let is_possible = now.is_none_or(|state| self.next(state, &action).is_some());
            let guards = match self.lie {
                Lie::Guards => false,
                Lie::Impossible => is_possible,
                _ => true,
            };
            if let Some((cell, _)) = edge.guard.filter(|_| guards) {
                all.reads |= 1 << cell;
            }
            if let Some((to, from, _)) = edge.assignment {
                all.reads |= from.map_or(0, |cell| 1 << cell);
                all.writes |= if self.lie == Lie::Writes { 0 } else { 1 << to };
            }
        }
        all
    }
}

impl TransitionSystem for Tables {
    type State = State;
    type Action = (usize, usize);

    fn initial(&self) -> Vec<State> {
        vec![vec![0; VARIABLES + self.processes.len()]]
    }

    fn actions(&self, state: &State, out: &mut Vec<(usize, usize)>) {
        for (process, table) in self.processes.iter().enumerate() {
            let edges = table[self.place(state, process)].len();
            out.extend((0..edges).map(|edge| (process, edge)));
        }
    }

    fn next(&self, state: &State, &(process, edge): &(usize, usize)) -> Option<State> {
        let Edge {
            guard,
            assignment,
            to,
        } = self.processes[process][self.place(state, process)].get(edge)?;
        if guard.is_some_and(|(cell, value)| state[cell] != value) {
            return None;
        }
        let mut next = state.clone();
        if let Some((to, from, plus)) = assignment {
            next[*to] = (from.map_or(0, |cell| state[cell]) + plus) % 3;
        }
        next[VARIABLES + process] = *to;
        Some(next)
    }

    fn may_end(&self, state: &State) -> bool {
        state[VARIABLES] == 1
    }

    fn processes(&self) -> usize {
        self.processes.len()
    }

    fn process(&self, action: &(usize, usize)) -> usize {
        action.0
    }

    fn footprint(&self, state: &State, process: usize) -> Footprint {
        self.touched(process, self.place(state, process), Some(state))
    }

    fn future(&self, state: &State, process: usize) -> Footprint {
        let start = self.place(state, process);
        if self.lie == Lie::Future {
            return self.touched(process, start, None);
        }
        let (mut seen, mut open) = (vec![start], vec![start]);
        let mut all = Footprint::nothing();
        while let Some(place) = open.pop() {
            all = all.and(self.touched(process, place, None));
            for edge in &self.processes[process][place] {
                let to = usize::from(edge.to);
                if !seen.contains(&to) {
                    seen.push(to);
                    open.push(to);
                }
            }
        }
        all
    }
}

/// Questions about a random system: conditions "that cell has that value", and a formula.
struct Questions {
    bad: [(usize, u8); 2],
    a: (usize, u8),
    b: (usize, u8),
    formula: String,
}

impl Questions {
    fn random(rng: &mut Rng, cells: usize) -> Questions {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        atoms.intern("a");
        atoms.intern("b");
        let shape = Shape {
            atoms: 2,
            size: 7,
            next: false,
        };
        let formula = shape.formula(&mut formulas, rng);
        let mut cell = |values| (rng.below(cells), rng.below(values) as u8);
        Questions {
            bad: [cell(3), (cell(1).0, 1 + cell(2).1)],
            a: cell(3),
            b: cell(3),
            formula: formulas.to_spin(formula, &atoms),
        }
    }

    /// Asks; `None` if a declaration is found to be wrong.
    fn ask(
        &self,
        system: &Tables,
        verifies: bool,
        options: &Options,
    ) -> Option<Report<State, (usize, usize)>> {
        let is = |(cell, value): (usize, u8)| move |state: &State| state[cell] == value;
        let reads = |(cell, _): (usize, u8)| match system.lie {
            Lie::Conditions => 0,
            _ => 1u64 << cell,
        };
        let bad = self.bad;
        let report = Check::new(system)
            .invariant_reading("good", reads(bad[0]) | reads(bad[1]), move |state| {
                !is(bad[0])(state) || !is(bad[1])(state)
            })
            .no_deadlock()
            .atom_reading("a", reads(self.a), is(self.a))
            .atom_reading("b", reads(self.b), is(self.b))
            .ltl("formula", &self.formula)
            .ltl("again and again", "[] <> a")
            .ltl("answers", "[] (a -> <> b)")
            .verify_declarations(verifies)
            .check(options);
        match report {
            Ok(report) => Some(report),
            Err(Error::Declaration(_)) => None,
            Err(error) => panic!("{error}"),
        }
    }
}

fn full(options: Options) -> Options {
    Options {
        reduction: Some(false),
        ..options
    }
}

fn verdicts(report: &Report<State, (usize, usize)>) -> Vec<Word> {
    report.goals.iter().map(|goal| goal.verdict).collect()
}

#[test]
fn verdicts_are_those_of_the_full_search() {
    let mut rng = Rng::seeded(7);
    let (mut held, mut violated) = ([0; 5], [0; 5]);
    // States of goals that hold: there all that is not left out is visited.
    let (mut all, mut left) = ([0; 5], [0; 5]);
    for round in 0..300 {
        let system = Tables::random(&mut rng);
        let cells = VARIABLES + system.processes.len();
        let questions = Questions::random(&mut rng, cells);
        let expected = questions.ask(&system, true, &full(by(1, 0)));
        let expected = expected.expect("the declarations are true");
        for (workers, alone) in [(1, 0), (2, 0), (2, rng.below(20) as u64)] {
            let options = Options {
                shortest: false,
                ..by(workers, alone)
            };
            let report = questions.ask(&system, true, &options).unwrap();
            assert_eq!(
                verdicts(&report),
                verdicts(&expected),
                "round {round}, {workers} workers: {} of {system:?}\n{report}{expected}",
                questions.formula
            );
            for run in report
                .goals
                .iter()
                .filter_map(|g| g.counterexample.as_ref())
            {
                must_be_a_run(&system, run);
            }
            let both = report.goals.iter().zip(&expected.goals).enumerate();
            for (index, (goal, expected)) in both {
                assert!(goal.reduced && !expected.reduced && goal.notes.is_empty());
                let holds = goal.verdict == Word::Holds;
                held[index] += u32::from(holds);
                violated[index] += u32::from(!holds);
                if holds && workers == 1 {
                    left[index] += goal.states;
                    all[index] += expected.states;
                }
            }
        }
    }
    println!("{left:?} states of {all:?}; {held:?} held, {violated:?} violated");
    for index in 0..5 {
        assert!(
            held[index] > 60 && violated[index] > 60,
            "{held:?} {violated:?}"
        );
        assert!(left[index] < all[index], "{left:?} of {all:?}");
    }
}

#[test]
fn wrong_declarations_are_noticed_and_would_change_verdicts() {
    let lies = [
        Lie::Guards,
        Lie::Impossible,
        Lie::Writes,
        Lie::Future,
        Lie::Conditions,
    ];
    for lie in lies {
        let mut rng = Rng::seeded(8);
        let (mut noticed, mut different, mut only_hidden) = (0, 0, 0);
        for _ in 0..600 {
            let mut system = Tables::random(&mut rng);
            let cells = VARIABLES + system.processes.len();
            let questions = Questions::random(&mut rng, cells);
            let options = Options {
                shortest: false,
                ..by(1, 0)
            };
            let expected = questions.ask(&system, false, &full(options.clone()));
            system.lie = lie;
            let is_noticed = questions
                .ask(&system, true, &full(options.clone()))
                .is_none();
            // An action that changes a condition that it should not is noticed in any case.
            let report = questions.ask(&system, false, &options);
            let differs =
                report.is_none_or(|r| verdicts(&r) != verdicts(expected.as_ref().unwrap()));
            noticed += u32::from(is_noticed);
            different += u32::from(differs);
            only_hidden += u32::from(differs && !is_noticed);
        }
        println!("{lie:?}: noticed {noticed}, verdicts differ {different}");
        assert!(noticed > 100, "{lie:?} is noticed in {noticed} cases");
        assert!(different > 0, "{lie:?} never matters");
        assert_eq!(only_hidden, 0, "{lie:?} matters where it is not noticed");
    }
}

/// Something that can happen where a process is.
fn edge(guard: Option<(usize, u8)>, assignment: Option<(usize, u8)>, to: u8) -> Edge {
    Edge {
        guard,
        assignment: assignment.map(|(variable, value)| (variable, None, value)),
        to,
    }
}

/// Processes for which the declaration must be true: else the state in which variable 0 is 1 is lost.
#[test]
fn a_violation_is_lost_only_with_a_wrong_declaration() {
    let goes_wrong = |guard| edge(guard, Some((0, 1)), 1);
    // The other process makes possible what is not: the first one must wait for it.
    let enabled_later = vec![
        vec![
            vec![edge(None, None, 1), edge(Some((3, 1)), None, 2)],
            vec![],
            vec![goes_wrong(None)],
        ],
        vec![vec![edge(None, Some((3, 1)), 1)], vec![]],
    ];
    // The other process will read later what the first one writes now.
    let read_later = vec![
        vec![vec![edge(None, Some((3, 1)), 1)], vec![]],
        vec![
            vec![edge(None, None, 1)],
            vec![edge(Some((3, 0)), Some((0, 1)), 2)],
            vec![],
        ],
    ];
    let cases = [
        (enabled_later.clone(), Lie::Impossible),
        (enabled_later, Lie::Guards),
        (read_later.clone(), Lie::Future),
        (read_later, Lie::Guards),
    ];
    for (processes, lie) in cases {
        for told in [Lie::None, lie] {
            let system = Tables {
                processes: processes.clone(),
                lie: told,
            };
            let check = |verifies, reduces| {
                Check::new(&system)
                    .invariant_reading("right", 1, |state| state[0] != 1)
                    .atom_reading("wrong", 1, |state| state[0] == 1)
                    .ltl("never wrong", "[] !wrong")
                    .verify_declarations(verifies)
                    .check(&Options {
                        reduction: Some(reduces),
                        ..by(1, 0)
                    })
            };
            let expected = match told {
                Lie::None => Word::Violated,
                _ => Word::Holds,
            };
            let report = check(false, true).unwrap();
            assert_eq!(report.verdict("right"), Some(expected), "{told:?}");
            assert_eq!(report.verdict("never wrong"), Some(expected), "{told:?}");
            match (told, check(true, false)) {
                (Lie::None, report) => assert_eq!(report.unwrap().verdict("right"), Some(expected)),
                (_, Err(Error::Declaration(_))) => {}
                (_, other) => panic!("{told:?} is not noticed: {other:?}"),
            }
        }
    }
}

/// Counters that go up, each by itself.
struct Counters {
    most: u8,
    declares: usize,
}

impl TransitionSystem for Counters {
    type State = [u8; 6];
    type Action = usize;

    fn initial(&self) -> Vec<[u8; 6]> {
        vec![[0; 6]]
    }

    fn actions(&self, _: &[u8; 6], out: &mut Vec<usize>) {
        out.extend(0..6);
    }

    fn next(&self, state: &[u8; 6], &counter: &usize) -> Option<[u8; 6]> {
        let mut next = *state;
        next[counter] += 1;
        (next[counter] <= self.most).then_some(next)
    }

    fn may_end(&self, state: &[u8; 6]) -> bool {
        state == &[self.most; 6]
    }

    fn processes(&self) -> usize {
        self.declares
    }

    fn process(&self, &counter: &usize) -> usize {
        counter
    }

    fn footprint(&self, _: &[u8; 6], process: usize) -> Footprint {
        Footprint {
            reads: 1 << process,
            writes: 1 << process,
        }
    }

    fn future(&self, state: &[u8; 6], process: usize) -> Footprint {
        self.footprint(state, process)
    }
}

#[test]
fn counters_that_nobody_reads_cost_a_line_of_states() {
    let system = Counters {
        most: 4,
        declares: 6,
    };
    let check = Check::new(&system)
        .no_deadlock()
        .invariant_reading("first", 1, |state| state[0] <= 4)
        .atom_reading("done", 1, |state| state[0] == 4)
        .ltl("ends", "<> [] done");
    let whole = check.check(&full(by(1, 0))).unwrap();
    whole.assert_holds();
    assert_eq!(whole.goals[0].states, 5u64.pow(6));
    assert!(!whole.goals[0].reduced && whole.goals[0].notes.is_empty());
    for workers in [1, 2] {
        let report = check.check(&by(workers, 0)).unwrap();
        report.assert_holds();
        let states: Vec<u64> = report.goals.iter().map(|goal| goal.states).collect();
        println!("{states:?} states with {workers} workers");
        assert!(states.iter().all(|&count| count <= 200), "{states:?}");
        assert!(report.goals.iter().all(|g| g.statistics.reduced > 0));
        assert!(report.to_string().contains("reduced"));
    }
}

#[test]
fn what_is_not_declared_is_not_reduced() {
    let system = Counters {
        most: 2,
        declares: 6,
    };
    let check = Check::new(&system)
        .invariant("any", |state| state[0] <= 2)
        .invariant_reading("first", 1, |state| state[0] <= 2)
        .atom("any", |state| state[0] == 2)
        .atom_reading("done", 1, |state| state[0] == 2)
        .ltl("anything", "<> any")
        .ltl("next", "<> (done && X done)")
        .ltl("next but of no importance", "<> X done");
    let report = check.check(&by(1, 0)).unwrap();
    report.assert_holds();
    let told = |goal: &str| {
        let goal = report.goal(goal).unwrap();
        assert_eq!(goal.reduced, goal.notes.is_empty());
        goal.notes.concat()
    };
    assert_eq!(
        told("first"),
        "not reduced: `any` does not say what it reads"
    );
    assert_eq!(report.goal("first").unwrap().states, 3u64.pow(6));
    assert_eq!(
        told("anything"),
        "not reduced: `any` does not say what it reads"
    );
    assert_eq!(
        told("next"),
        "not reduced: the formula may count steps (it has X)"
    );
    assert!(report.to_string().contains("not reduced: `any` does not"));

    let plain = Options {
        plain: true,
        ..by(1, 0)
    };
    let report = Check::new(&system).no_deadlock().check(&plain).unwrap();
    assert!(!report.goals[0].reduced);
    let asked = Options {
        reduction: Some(true),
        ..by(1, 0)
    };
    for (declares, note) in [(0, "declares no processes"), (65, "too many processes")] {
        let system = Counters { most: 1, declares };
        let report = Check::new(&system).no_deadlock().check(&asked).unwrap();
        report.assert_holds();
        assert_eq!(report.goals[0].states, 2u64.pow(6));
        assert!(!report.goals[0].reduced);
        assert!(report.goals[0].notes[0].contains(note));
    }
    // An action of a process that there is not.
    let system = Counters {
        most: 1,
        declares: 5,
    };
    let refused = Check::new(&system).no_deadlock().check(&by(2, 0));
    let error = refused.unwrap_err().to_string();
    assert!(
        error.contains("5 belongs to process 5, but there are only 5"),
        "{error}"
    );
}

/// Two processes; what the second one lists depends on the first one, which it does not say.
struct Lists;

impl TransitionSystem for Lists {
    type State = (bool, u8);
    type Action = u8;

    fn initial(&self) -> Vec<(bool, u8)> {
        vec![(false, 0)]
    }

    fn actions(&self, state: &(bool, u8), out: &mut Vec<u8>) {
        out.push(0);
        if state.1 == 0 {
            out.push(if state.0 { 1 } else { 2 });
        }
    }

    fn next(&self, &(first, second): &(bool, u8), action: &u8) -> Option<(bool, u8)> {
        match action {
            0 => (!first).then_some((true, second)),
            to => Some((first, *to)),
        }
    }

    fn may_end(&self, _: &(bool, u8)) -> bool {
        true
    }

    fn processes(&self) -> usize {
        2
    }

    fn process(&self, action: &u8) -> usize {
        usize::from(*action > 0)
    }

    fn footprint(&self, _: &(bool, u8), process: usize) -> Footprint {
        Footprint {
            reads: 1 << process,
            writes: 1 << process,
        }
    }

    fn future(&self, state: &(bool, u8), process: usize) -> Footprint {
        self.footprint(state, process)
    }
}

#[test]
fn what_is_listed_must_be_declared_too() {
    let check = Check::new(&Lists)
        .no_deadlock()
        .verify_declarations(true)
        .check(&by(1, 0));
    let error = check.unwrap_err().to_string();
    assert!(
        error.contains(
            "0 of process 0 does not touch what process 1 does, but changes what that can do"
        ),
        "{error}"
    );
}

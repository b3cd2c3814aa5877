//! Random graphs: figures and verdicts compared with a naive search, verdicts about formulas with the meaning of the
//! formula on every short lasso of the graph, and counterexamples with that meaning on themselves.

use super::{by, must_be_a_run, reachable, successors};
use ample::Word;
use ample::typed::{Check, Counterexample, TransitionSystem};
use ltl::random::{Rng, Shape};
use ltl::word::{self, Lasso};
use ltl::{Atoms, Formula, Formulas};

/// A graph: states are numbers, and the atoms of a state are the bits of its letter.
#[derive(Debug)]
struct Graph {
    initial: Vec<u32>,
    /// For each state what is tried; an action that leads to no state cannot happen.
    edges: Vec<Vec<u32>>,
    letters: Vec<u64>,
}

impl Graph {
    fn random(rng: &mut Rng, most: u32, degree: u32) -> Graph {
        let mut below = |bound: u32| rng.below(bound as usize) as u32;
        let states = 1 + below(most);
        let mut graph = Graph {
            initial: (0..1 + below(2)).map(|_| below(states)).collect(),
            edges: Vec::new(),
            letters: Vec::new(),
        };
        for _ in 0..states {
            let count = below(degree + 1);
            let edges = (0..count).map(|_| below(states + states / 4 + 1));
            graph.edges.push(edges.collect());
            graph.letters.push(u64::from(below(4)));
        }
        graph
    }
}

impl TransitionSystem for Graph {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        self.initial.clone()
    }

    fn actions(&self, state: &u32, out: &mut Vec<u32>) {
        out.extend(&self.edges[*state as usize]);
    }

    fn next(&self, _: &u32, action: &u32) -> Option<u32> {
        ((*action as usize) < self.edges.len()).then_some(*action)
    }

    fn may_end(&self, state: &u32) -> bool {
        self.letters[*state as usize] == 3
    }
}

/// The least number of steps to a state of that kind.
fn distance(graph: &Graph, is_it: impl Fn(u32) -> bool) -> Option<usize> {
    let (mut level, mut seen) = (graph.initial.clone(), vec![false; graph.edges.len()]);
    for steps in 0.. {
        if level.is_empty() {
            return None;
        }
        let mut further = Vec::new();
        for state in level {
            if is_it(state) {
                return Some(steps);
            }
            if !std::mem::replace(&mut seen[state as usize], true) {
                further.extend(successors(graph, &state));
            }
        }
        level = further;
    }
    None
}

#[test]
fn states_and_invariants_are_as_a_naive_search_says() {
    let mut rng = Rng::seeded(1);
    let (mut violations, mut deadlocks) = (0, 0);
    for round in 0..300 {
        let most = if round % 10 == 0 { 3000 } else { 40 };
        let graph = Graph::random(&mut rng, most, 3);
        let all = reachable(&graph);
        let bad = rng.below(graph.edges.len()) as u32;
        let wrong = |state: u32| state >= bad && state % 7 == bad % 7;
        let is_stuck = |s: u32| successors(&graph, &s).is_empty() && !graph.may_end(&s);
        for workers in [1, 3] {
            let report = Check::new(&graph)
                .invariant("true", |_| true)
                .invariant("right", |s| !wrong(*s))
                .no_deadlock()
                .check(&by(workers, rng.below(20) as u64))
                .unwrap();
            let of_all = report.goal("true").unwrap();
            assert_eq!(of_all.verdict, Word::Holds);
            assert_eq!(of_all.states, all.len() as u64, "{graph:?}");
            let cases: [(&str, &dyn Fn(u32) -> bool); 2] =
                [("right", &wrong), ("no deadlock", &is_stuck)];
            for (name, is_bad) in cases {
                let shortest = distance(&graph, is_bad);
                let run = report.counterexample(name);
                assert_eq!(run.map(|r| r.steps.len()), shortest, "{name}: {graph:?}");
                if let Some(run) = run {
                    must_be_a_run(&graph, run);
                    assert!(is_bad(*run.last()));
                }
            }
            violations += u32::from(report.counterexample("right").is_some());
            deadlocks += u32::from(report.counterexample("no deadlock").is_some());
        }
    }
    assert!((100..500).contains(&violations), "{violations}");
    assert!((100..590).contains(&deadlocks), "{deadlocks}");
}

/// The word of a run of the graph, which repeats from the state of that number on.
fn lasso(graph: &Graph, states: &[u32], start: usize) -> Lasso {
    let letters: Vec<u64> = states.iter().map(|s| graph.letters[*s as usize]).collect();
    Lasso::new(letters[..start].to_vec(), letters[start..].to_vec()).unwrap()
}

/// Whether some lasso with at most that many states violates the formula.
fn some_lasso_violates(
    graph: &Graph,
    formulas: &Formulas,
    formula: Formula,
    path: &mut Vec<u32>,
    most: usize,
) -> bool {
    let violates = |path: &[u32], start| {
        let word = lasso(graph, path, start);
        !word::holds(formulas, formula, &word)
    };
    let Some(&last) = path.last() else {
        return graph
            .initial
            .iter()
            .any(|&state| some_lasso_violates(graph, formulas, formula, &mut vec![state], most));
    };
    let next = successors(graph, &last);
    if next.is_empty() {
        return violates(path, path.len() - 1);
    }
    let closes = |start: usize| next.contains(&path[start]) && violates(path, start);
    if (0..path.len()).any(closes) {
        return true;
    }
    path.len() < most
        && next.iter().any(|&state| {
            path.push(state);
            let violated = some_lasso_violates(graph, formulas, formula, path, most);
            path.pop();
            violated
        })
}

fn word_of(graph: &Graph, run: &Counterexample<u32, u32>) -> Lasso {
    let states: Vec<u32> = run.states().copied().collect();
    let start = run
        .cycle
        .expect("a run that violates a formula goes on forever");
    match start == run.steps.len() {
        true => lasso(graph, &states, start),
        false => lasso(graph, &states[..states.len() - 1], start),
    }
}

/// Checks a formula in text; says whether it holds.
fn verdict(
    graph: &Graph,
    text: &str,
    workers: usize,
    alone: u64,
) -> Option<Counterexample<u32, u32>> {
    let report = Check::new(graph)
        .atom("a", |s| graph.letters[*s as usize] & 1 != 0)
        .atom("b", |s| graph.letters[*s as usize] & 2 != 0)
        .ltl("formula", text)
        .check(&by(workers, alone))
        .unwrap();
    let goal = &report.goals[0];
    let run = goal.counterexample.clone();
    let expected = if run.is_some() {
        Word::Violated
    } else {
        Word::Holds
    };
    assert_eq!(goal.verdict, expected);
    if let Some(run) = &run {
        must_be_a_run(graph, run);
    }
    run
}

#[test]
fn formulas_mean_what_they_mean_on_all_short_lassos() {
    let mut rng = Rng::seeded(2);
    let (mut violated, mut held) = (0, 0);
    for round in 0..400 {
        let graph = Graph::random(&mut rng, 4, 2);
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        atoms.intern("a");
        atoms.intern("b");
        let shape = Shape {
            atoms: 2,
            size: 8,
            ..Shape::default()
        };
        let formula = shape.formula(&mut formulas, &mut rng);
        let text = formulas.to_spin(formula, &atoms);
        let expected = some_lasso_violates(&graph, &formulas, formula, &mut Vec::new(), 8);
        for workers in [1, 3] {
            let run = verdict(&graph, &text, workers, rng.below(2) as u64);
            match &run {
                Some(run) => {
                    let word = word_of(&graph, run);
                    assert!(!word::holds(&formulas, formula, &word), "{text}: {run}");
                }
                None => assert!(!expected, "round {round}: {text} on {graph:?}"),
            }
            match run.is_some() {
                true => violated += 1,
                false => held += 1,
            }
        }
    }
    assert!(violated > 150 && held > 150, "{violated} and {held}");
}

#[test]
fn several_workers_agree_with_one_on_larger_graphs() {
    let formulas = [
        "[] (a -> <> b)",
        "<> [] a",
        "[] <> (a && b)",
        "a U b",
        "<> (a && X b)",
    ];
    let mut rng = Rng::seeded(3);
    let mut violated = 0;
    for round in 0..60 {
        let mut graph = Graph::random(&mut rng, 2000, 3);
        if round % 2 == 0 {
            // Few letters that are not 3: formulas hold more often.
            for letter in &mut graph.letters {
                *letter = if rng.below(400) == 0 { *letter } else { 3 };
            }
        }
        for formula in formulas {
            let alone = verdict(&graph, formula, 1, 0).is_some();
            let together = verdict(&graph, formula, 3, 0).is_some();
            assert_eq!(alone, together, "{formula} in round {round}");
            violated += u32::from(alone);
        }
    }
    assert!((50..280).contains(&violated), "{violated}");
}

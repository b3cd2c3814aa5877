//! `eventually` on a cycle: a counter goes round 0, 1, 2 forever, so it is never 5. And where paths join: from 0 one way leads
//! through 1, the other does not, and both end in 3, so not every run comes by 1.

use ample::typed::{Check, TransitionSystem};
use ample::{Options, Word};
use stateright::{Checker, Model, Property};

#[derive(Clone)]
struct Graph {
    edges: &'static [(u8, u8)],
    wanted: u8,
}

impl TransitionSystem for Graph {
    type State = u8;
    type Action = u8;

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, from: &u8, out: &mut Vec<u8>) {
        out.extend(self.edges.iter().filter(|e| e.0 == *from).map(|e| e.1));
    }

    fn next(&self, _: &u8, to: &u8) -> Option<u8> {
        Some(*to)
    }
}

impl Model for Graph {
    type State = u8;
    type Action = u8;

    fn init_states(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, from: &u8, out: &mut Vec<u8>) {
        TransitionSystem::actions(self, from, out);
    }

    fn next_state(&self, _: &u8, to: u8) -> Option<u8> {
        Some(to)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::eventually("wanted", |graph: &Graph, state| {
            *state == graph.wanted
        })]
    }
}

/// Prints what each says about `eventually wanted`.
pub fn show() {
    let cases = [
        (
            "a cycle that never comes by",
            Graph {
                edges: &[(0, 1), (1, 2), (2, 0)],
                wanted: 5,
            },
        ),
        (
            "paths that join again",
            Graph {
                edges: &[(0, 1), (0, 2), (1, 3), (2, 3)],
                wanted: 1,
            },
        ),
    ];
    println!("`eventually`, which is violated in both cases:");
    for (name, graph) in cases {
        let check = Check::new(&graph)
            .atom("wanted", |s| *s == graph.wanted)
            .ltl("goal", "<> wanted");
        let report = check.check(&Options::default()).expect("a formula that can be checked");
        assert_eq!(report.verdict("goal"), Some(Word::Violated));
        let says = |found: bool| if found { "violated" } else { "no counterexample" };
        let bfs = graph.clone().checker().spawn_bfs().join().discovery("wanted").is_some();
        let dfs = graph.clone().checker().spawn_dfs().join().discovery("wanted").is_some();
        println!(
            "  {name}: ample: violated; stateright: bfs {}, dfs {}",
            says(bfs),
            says(dfs)
        );
    }
}

//! Models and ways to search them, and what the search says when nothing goes wrong.

use crate::judge::{Run, ample};
use std::path::Path;

/// Some ten thousand states, more without reduction.
const HOLDS: &str = "byte x[3]; byte turn;
    active [3] proctype P() {
      do :: x[_pid] < 13 -> x[_pid]++ :: x[_pid] == 13 -> atomic { x[_pid] = 0; turn = _pid } od
    }
    ltl calm { [] (turn < 3) }
    ltl busy { [] <> (turn >= 0) }";

/// The same, with a violation that lies deep.
const VIOLATED: &str = "byte x[3]; byte turn;
    active [3] proctype P() {
      do :: x[_pid] < 13 -> x[_pid]++; assert(x[0] + x[1] + x[2] < 37)
         :: x[_pid] == 13 -> atomic { x[_pid] = 0; turn = _pid } od
    }
    ltl calm { [] (x[0] + x[1] < 26) }
    ltl busy { <> (turn > 5) }";

/// Goals and ways to search for them; whether checkpoints can be made.
const WAYS: [(&str, bool); 17] = [
    ("--check safety --workers 1", true),
    ("--check safety --workers 3", true),
    ("--check safety --plain --workers 1", true),
    ("--check safety --plain --workers 3", true),
    ("--check safety --store compressed --workers 1", true),
    (
        "--check safety --store compressed --plain --workers 3",
        true,
    ),
    ("--check safety --strategy bfs", true),
    ("--check safety --strategy strict-dfs", false),
    ("--check safety --store compact", false),
    ("--check safety --store bitstate --memory 64M", false),
    ("--check safety --swarm 3 --memory 64M", false),
    ("--claim calm --workers 1", true),
    ("--claim calm --plain --workers 3", true),
    ("--claim busy --workers 1", true),
    ("--claim busy --store compressed --workers 3", true),
    ("--claim busy --fairness weak", true),
    ("--claim calm --store compressed --plain --workers 1", true),
];

/// A model and a way to search it.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) model: &'static str,
    pub(crate) way: &'static str,
    /// Whether checkpoints can be made.
    pub(crate) keeps: bool,
    /// The exit code when nothing goes wrong.
    pub(crate) code: i32,
    /// States stored then, where every search stores as many.
    pub(crate) states: Option<u64>,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let due = ["holds", "violated", "", "inconclusive"];
        let due = due.get(self.code as usize).unwrap_or(&"?");
        write!(f, "{} ({due})", self.way)
    }
}

impl Case {
    /// The options, with others.
    pub(crate) fn args<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let own = self.way.split(' ');
        let always = ["check", "--no-warnings"].into_iter().chain(own);
        always
            .chain(more.iter().copied())
            .chain(["m.pml"])
            .collect()
    }

    /// The number of states, where it does not depend on who is faster.
    pub(crate) fn states_of(&self, run: &Run) -> Option<u64> {
        let alone = !self.way.contains("--workers 3");
        let exact = alone || self.way.contains("--plain") && self.code == 0;
        let document: serde_json::Value = serde_json::from_str(&run.out).ok()?;
        document["results"][0]["states"].as_u64().filter(|_| exact)
    }
}

/// All of them.
pub(crate) fn cases(place: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for model in [HOLDS, VIOLATED] {
        for (way, keeps) in WAYS {
            let mut case = Case {
                model,
                way,
                keeps,
                code: 0,
                states: None,
            };
            std::fs::write(place.join("m.pml"), model).unwrap();
            let run = ample(place, &case.args(&["--no-trail", "--format", "json"]), &[]);
            case.code = run.code;
            case.states = case.states_of(&run);
            assert!([0, 1, 3].contains(&run.code), "{case:?}: {run:?}");
            cases.push(case);
        }
    }
    assert!(
        [0, 1]
            .iter()
            .all(|code| cases.iter().any(|case| case.code == *code))
    );
    cases
}

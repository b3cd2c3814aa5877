//! Runs one model with one of the two checkers, and prints figures: `beside-stateright <tool> <model> <size> <workers>`.
//!
//! Each model is written once, as plain functions on its own types; both checkers get it through a thin layer ([`model`]). So
//! they do the same work per state, and differ in what they do with it.

mod compact;
mod model;
mod paxos;
mod ring;
mod two_phase;

use ample::typed::Check;
use ample::{Options, Word};
use model::{Ours, System, Theirs};
use stateright::{Checker, Model};
use std::time::Instant;

/// Peak of the resident memory of this process, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

/// Checks the invariant in all states; prints unique states, transitions, seconds and peak memory.
fn run<S: System>(tool: &str, system: S, workers: usize) {
    let start = Instant::now();
    let states = match tool {
        "ample" => {
            let options = Options {
                workers: Some(workers),
                ..Options::default()
            };
            let system = Ours(system);
            let check = Check::new(&system).invariant("invariant", |s| system.0.holds(s));
            let report = check.check(&options).expect("a model that can be checked");
            assert_eq!(report.verdict("invariant"), Some(Word::Holds));
            report.goals[0].states
        }
        "stateright-bfs" | "stateright-dfs" => {
            let checker = Theirs(system).checker().threads(workers);
            let checked = |all: usize, found: bool| {
                assert!(!found);
                all as u64
            };
            match tool {
                "stateright-bfs" => {
                    let done = checker.spawn_bfs().join();
                    checked(done.unique_state_count(), done.discovery("invariant").is_some())
                }
                _ => {
                    let done = checker.spawn_dfs().join();
                    checked(done.unique_state_count(), done.discovery("invariant").is_some())
                }
            }
        }
        other => panic!("no tool `{other}`"),
    };
    println!("{states} {:.3} {}", start.elapsed().as_secs_f64(), peak());
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|a| a.parse().ok()).unwrap_or(1);
    let text = |at: usize| arguments.get(at).map_or("", String::as_str);
    match text(1) {
        "2pc" => run(text(0), two_phase::TwoPhase { resources: number(2) }, number(3)),
        "2pc-compact" => run(text(0), compact::TwoPhase { resources: number(2) }, number(3)),
        "paxos" => run(text(0), paxos::Paxos { clients: number(2) }, number(3)),
        "ring" => ring::show(),
        other => panic!("no model `{other}`: 2pc, 2pc-compact, paxos or ring"),
    }
}

//! Sizes, memory and disk: what happens at the bounds of the tool. Every row of the table in `docs/limits.md` names its test.

mod support;

use promela_random::crowd;
use support::cli::{Dir, Run};
use support::search::{Way, program, violated};

/// Numbers on both sides of those at which a set needs another word, or a pid another byte.
const SIDES: [u64; 11] = [1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 300];

/// A check with a report in JSON and no trail.
fn checked(dir: &Dir, options: &str) -> Run {
    let always = ["check", "--no-trail", "--no-warnings", "--format=json"];
    let options: Vec<&str> = options.split_whitespace().collect();
    dir.ample(&[&always, &options[..], &["m.pml"]].concat())
}

fn states(run: &Run) -> u64 {
    let states = run.json()["results"][0]["states"].as_u64();
    states.unwrap_or_else(|| panic!("no number of states: {run:?}"))
}

#[test]
fn reduction_has_no_bound_on_processes() {
    for n in SIDES {
        let model = format!("active [{n}] proctype p() {{ skip }}");
        let dir = Dir::with_model("resources-processes", &model);
        for options in [
            "--workers 1",
            "--workers 3",
            "--strategy bfs",
            "--store compact",
        ] {
            let run = checked(&dir, options).exits(if options.contains("compact") { 3 } else { 0 });
            assert_eq!(states(&run), 2 * n + 1, "{n} processes, {options}: {run:?}");
        }
    }
}

#[test]
fn reduction_has_no_bound_on_processes_that_are_run() {
    for n in SIDES {
        let model = format!(
            "proctype p() {{ skip }}
             init {{ short i; do :: i < {n} -> run p(); i++ :: else -> break od }}"
        );
        let dir = Dir::with_model("resources-run", &model);
        let run = checked(&dir, "--workers 1").exits(0);
        assert_eq!(states(&run), (3 * n * n + 5 * n) / 2 + 3, "{n}: {run:?}");
    }
}

#[test]
fn reduction_has_no_bound_on_channels() {
    for n in SIDES {
        let model = format!(
            "active [{n}] proctype q() {{
               chan c = [1] of {{ byte }}; byte v; c!1; c?v; c!2; c?v
             }}"
        );
        let dir = Dir::with_model("resources-channels", &model);
        let run = checked(&dir, "--workers 1").exits(0);
        assert_eq!(states(&run), 5 * n + 1, "{n} channels: {run:?}");
    }
}

#[test]
fn more_than_64_atoms_are_refused_by_name() {
    for n in 63..=65 {
        let atoms: Vec<String> = (0..n).map(|i| format!("x == {i}")).collect();
        let model = format!(
            "byte x; active proctype a() {{ do :: x++ od }} ltl p {{ !([] ({})) }}",
            atoms.join(" || ")
        );
        let dir = Dir::with_model("resources-atoms", &model);
        let run = checked(&dir, "--check properties");
        if n <= 64 {
            assert_eq!(run.exits(0).json()["results"][0]["verdict"], "holds");
        } else {
            let run = run.exits(3);
            assert!(run.out.contains("more than 64 atoms"), "{run:?}");
        }
    }
}

/// The number of a choice of the automaton has sixteen bits: with 65,536 of them there seemed to be none.
#[test]
fn more_edges_than_there_are_numbers_are_refused_by_name() {
    for n in [65_534, 65_536] {
        let options = ":: (x == 1) -> goto accept_T\n".repeat(n);
        let model = format!(
            "byte x; active proctype a() {{ x = 1 }}
             never {{ S: do {options} :: (x == 0) -> goto S od; accept_T: do :: true od }}"
        );
        let dir = Dir::with_model("resources-edges", &model);
        let run = checked(&dir, "--plain --check properties").exits(3);
        assert!(run.out.contains("65535 edges or more"), "{run:?}");
    }
}

#[test]
fn reduction_among_many_processes_agrees_with_the_plain_search() {
    let seeds = if support::all() { 4000 } else { 250 };
    let (mut compared, mut found, mut saved) = (0, 0, 0);
    for seed in 0..seeds {
        let model = crowd(seed);
        let program = program(&model.with_ltl());
        let goals = program.ltl.iter().map(|l| l.name.as_str());
        for goal in ["safety"].into_iter().chain(goals) {
            let Some((due, plain)) = violated(&program, goal, Way::Plain) else {
                continue;
            };
            for way in [
                Way::Reduced,
                Way::ReducedTogether,
                Way::ReducedBreadthFirst,
                Way::ReducedCompact,
            ] {
                let Some((is, states)) = violated(&program, goal, way) else {
                    continue;
                };
                assert_eq!(
                    is,
                    due,
                    "seed {seed}, {goal}, {way:?}:\n{}",
                    model.with_ltl()
                );
                compared += 1;
                found += u64::from(due);
                saved += u64::from(states < plain);
            }
        }
    }
    println!("{compared} searches compared, {found} with a violation, {saved} with fewer states");
    assert!(compared > seeds && found > compared / 20 && saved > compared / 20);
}

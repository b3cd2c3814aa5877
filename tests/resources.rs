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
        assert_eq!(states(&run), 4 * n + 3, "{n}: {run:?}");
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

/// `_pid` is exact; a variable has eight bits.
#[test]
fn pids_are_cut_in_variables_only() {
    for (assertion, code) in [("q == _pid % 256 && _pid < 300", 0), ("q == _pid", 1)] {
        let model = format!("active [300] proctype p() {{ pid q = _pid; assert({assertion}) }}");
        let dir = Dir::with_model("resources-pids", &model);
        checked(&dir, "--check safety").exits(code);
    }
}

#[test]
fn elements_of_large_arrays_are_one_object_to_the_reduction() {
    let states_of = |n: usize, options: &str| {
        let process = |name: &str, at: usize| {
            format!("active proctype {name}() {{ a[{at}] = 1; a[{at}] = 2; a[{at}] = 3 }}")
        };
        let (p, q) = (process("p", 0), process("q", n - 1));
        // They are read by their numbers and all of them somewhere, so that nothing is sliced away.
        let model = format!("byte a[{n}]; {p} {q} ltl l {{ [] (a[0] < 4 && a[1] < 4) }}");
        let dir = Dir::with_model("resources-arrays", &model);
        states(
            &checked(
                &dir,
                &format!("--check safety --no-slice --no-merge {options}"),
            )
            .exits(0),
        )
    };
    let plain = states_of(64, "--plain");
    assert_eq!(states_of(65, "--plain"), plain);
    assert!(states_of(64, "") < states_of(65, ""));
}

#[test]
fn more_workers_than_there_may_be_are_refused() {
    let dir = Dir::with_model("resources-workers", "init { skip }");
    assert!(checked(&dir, "--workers 129").exits(2).err.contains("129"));
    checked(&dir, "--workers 128").exits(0);
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

/// So many states that no test waits for all.
const LARGE: &str =
    "int x, y; active proctype P() { do :: x++; x != -7 od } active proctype Q() { do :: y++; y != -7 od }
    ltl p { [] (x != 1234567890) }";

/// Options of searches: strategies, stores, numbers of workers.
const SEARCHES: [&str; 15] = [
    "",
    "--workers 1",
    "--workers 8",
    "--strategy bfs",
    "--plain",
    "--shortest",
    "--store compressed",
    "--store compressed --workers 1",
    "--store compact",
    "--store compact --plain --workers 4",
    "--store bitstate",
    "--swarm 4",
    "--check properties --workers 1",
    "--check properties --workers 2",
    "--check properties --fairness weak",
];

/// A report that is complete: the verdict, a line per goal with its number of states, and what to do next.
fn must_report(run: &Run, reason: &str, about: &str) {
    assert_eq!(run.code, 3, "{about}: {run:?}");
    assert!(run.out.starts_with("INCONCLUSIVE"), "{about}: {run:?}");
    assert!(run.out.contains(" states"), "{about}: {run:?}");
    assert!(run.out.contains("next: "), "{about}: {run:?}");
    assert!(run.out.contains(reason), "{about}: {run:?}");
    assert!(!run.text().contains("panicked"), "{about}: {run:?}");
    assert!(!run.err.contains("backtrace"), "{about}: {run:?}");
}

/// Runs a check within a limit of the shell, such as `-v 100000`.
fn limited(dir: &Dir, limit: &str, options: &str) -> Run {
    let ample = env!("CARGO_BIN_EXE_ample");
    dir.shell(&format!(
        "ulimit {limit}; exec '{ample}' check --no-trail --time 60s {options} m.pml"
    ))
}

#[test]
fn a_refusal_of_memory_is_inconclusive_with_a_report() {
    let dir = Dir::with_model("resources-memory", LARGE);
    let limits: &[u32] = match support::all() {
        true => &[40_000, 70_000, 100_000, 150_000, 200_000, 300_000, 600_000],
        false => &[100_000],
    };
    for (limit, search) in limits.iter().flat_map(|l| SEARCHES.map(|s| (l, s))) {
        // The limit of the shell is below that of the search.
        let options = format!("--memory 3G {search}");
        let run = limited(&dir, &format!("-v {limit}"), &options);
        must_report(
            &run,
            "the system has no more memory",
            &format!("{limit} {search}"),
        );
    }
}

#[test]
fn the_default_memory_limit_respects_that_of_the_shell() {
    let dir = Dir::with_model("resources-default", LARGE);
    let run = limited(&dir, "-v 200000", "--check safety --workers 1");
    must_report(&run, "memory", "default");
}

#[test]
fn small_searches_are_complete_within_little_memory() {
    let dir = Dir::with_model("resources-little", "active [65] proctype p() { skip }");
    let run = limited(&dir, "-v 60000", "");
    assert!(run.exits(0).out.contains("131 states"));
}

#[test]
fn more_memory_than_there_is_is_refused() {
    let dir = Dir::with_model("resources-unreasonable", LARGE);
    for options in ["", "--store bitstate", "--swarm 2"] {
        let run = checked(&dir, &format!("--memory 999999G {options}")).exits(2);
        assert!(run.err.contains("this machine has"), "{run:?}");
    }
}

#[test]
fn a_spill_folder_that_cannot_be_used_is_refused() {
    let dir = Dir::with_model("resources-no-folder", LARGE);
    for folder in ["no/such/folder", "m.pml", "/proc"] {
        let options = format!("--store compressed --spill {folder}");
        let run = checked(&dir, &options).exits(2);
        assert!(run.err.contains("no file can be made"), "{run:?}");
    }
}

const SPILLING: &str = "--check safety --store compressed --memory 3M --spill";

#[test]
fn files_that_may_not_grow_are_inconclusive_with_a_report() {
    let dir = Dir::with_model("resources-file-size", LARGE);
    for workers in [1, 3] {
        let options = format!("{SPILLING} . --workers {workers}");
        let run = limited(&dir, "-f 1000", &options);
        must_report(&run, "no room is left for the files", &options);
    }
}

#[test]
fn a_full_disk_is_inconclusive_with_a_report() {
    let dir = Dir::with_model("resources-disk", LARGE);
    let mounted = dir.shell("mkdir -p disk && mount -t tmpfs -o size=4m tmpfs disk");
    if mounted.code != 0 {
        println!(
            "skipped: no small disk can be mounted here: {}",
            mounted.err
        );
        return;
    }
    let runs: Vec<Run> = [1, 3]
        .map(|workers| {
            limited(
                &dir,
                "-c 0",
                &format!("{SPILLING} disk --workers {workers}"),
            )
        })
        .into();
    let left = dir.shell("ls -A disk; umount disk");
    for run in runs {
        must_report(&run, "no room is left for the files", "full disk");
    }
    assert_eq!(left.out, "", "files are left");
}

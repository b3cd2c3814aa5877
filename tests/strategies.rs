//! All strategies visit the same graph: same figures and same kinds of violation on every example.

use ample::internals::limits::{Limits, Unwatched};
use ample::internals::search::{Event, Outcome, Settings, Strategy, search};
use ample::internals::space::System;
use ample::internals::verdict::ViolationKind;
use promela_lite::program::Program;
use promela_lite::{FsLoader, Input, compile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger examples are left to release builds.
const STATES: u64 = 30_000;

fn program(path: &Path) -> Arc<Program> {
    let compiled = compile(path, &Input::default(), &mut FsLoader);
    let name = path.display();
    let program = compiled
        .program
        .unwrap_or_else(|| panic!("{name} compiles"));
    Arc::new(promela_lite::expand_calls::expand(&program, 3).expect("small"))
}

fn run(strategy: Strategy, program: &Arc<Program>) -> Outcome<ample::internals::machine::Move> {
    let settings = Settings {
        all_errors: true,
        limits: Limits {
            states: STATES,
            ..Limits::default()
        },
        ..Settings::default()
    };
    let mut system = System::new(Arc::clone(program));
    search(strategy, &mut system, &settings, &mut Unwatched)
}

fn kinds(outcome: &Outcome<ample::internals::machine::Move>) -> Vec<(String, String)> {
    let describe = |event: &Event| {
        let place = match event {
            Event::Fault(fault) => format!("{:?}", fault.span),
            _ => String::new(),
        };
        (format!("{:?}", ViolationKind::of(event)), place)
    };
    let mut all: Vec<_> = outcome.found.iter().map(|f| describe(&f.event)).collect();
    all.sort();
    all
}

#[test]
fn the_order_of_a_search_does_not_matter() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = std::fs::read_dir(dir).expect("the examples");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "pml"));
    paths.sort();
    let mut compared = 0;
    for path in &paths {
        let program = program(path);
        let first = run(Strategy::StrictDfs, &program);
        if first.stats.stored >= STATES {
            continue;
        }
        compared += 1;
        for strategy in [Strategy::Dfs, Strategy::Bfs] {
            let other = run(strategy, &program);
            let figures = |o: &Outcome<_>| {
                let s = o.stats;
                (
                    s.stored,
                    s.matched,
                    s.atomic_steps,
                    s.errors,
                    s.vector_bytes,
                )
            };
            let name = path.display();
            assert_eq!(figures(&first), figures(&other), "{name} {strategy:?}");
            assert_eq!(kinds(&first), kinds(&other), "{name} {strategy:?}");
        }
    }
    assert!(compared >= 8, "{compared} of {} compared", paths.len());
}

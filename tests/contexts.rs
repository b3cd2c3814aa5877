//! The symbolic engine finds an error with as many contexts as the explicit search within the same bound.
//!
//! Random models without recursion are translated into pushdown networks and explored with up to five contexts; the explicit
//! search has the number of contexts in its states. Every run of the network is executed on the plain machine. Models with
//! something that is not supported are passed over and counted. `AMPLE_MODELS=5000 AMPLE_SEED=100000` tries others.

mod support;

use ample::internals::contexts::{Ended, Explored, Settings, Splitting, explore};
use ample::internals::limits::{Cancellation, Unwatched};
use ample::internals::search::{End, Strategy, search};
use ample::internals::space::Contexts;
use ample::internals::verdict::is_limit;
use promela_lite::program::Program;
use promela_lite::{Input, MemoryLoader, compile};
use promela_random as random;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::number;
use support::search::settings;

/// The largest number of contexts.
const MOST: usize = 5;

/// Bytes for BDD nodes. Some models have too many states for sets of them to help: they are given up when the nodes are used up,
/// which does not depend on how busy the machine is, or by a limit on time where nodes do not tell.
const BYTES: u64 = 1 << 23;

/// The limit on time of one model.
const PATIENCE: Duration = Duration::from_secs(5);

/// With how many contexts something goes wrong; `None` in the outer place if that is too much to find out.
fn explicitly(program: &Arc<Program>) -> Option<Option<usize>> {
    for bound in 0..=MOST {
        let mut space = Contexts::new(Arc::clone(program), bound);
        let found = search(
            Strategy::Bfs,
            &mut space,
            &settings(false, false, 40_000),
            &mut Unwatched,
        );
        if found.found.iter().any(|found| is_limit(&found.event)) {
            return None;
        }
        match found.end {
            _ if !found.found.is_empty() => return Some(Some(bound)),
            End::Complete(_) => {}
            _ => return None,
        }
    }
    Some(None)
}

fn symbolically(program: &Arc<Program>, text: &str, splitting: Splitting, bits: usize) -> Explored {
    let how = Settings {
        bound: MOST,
        bits,
        splitting,
        memory: BYTES,
    };
    let mut loader = MemoryLoader::default().with("model.pml", text);
    let sources = compile(Path::new("model.pml"), &Input::default(), &mut loader).sources;
    let limit = Cancellation::default().after(Instant::now(), Some(PATIENCE));
    explore(program, program, &sources, how, &limit, &mut |_, _| {})
}

#[derive(Debug, Default)]
struct Tally {
    compared: u32,
    violated: [u32; MOST + 1],
    holds: u32,
    unsupported: std::collections::BTreeMap<String, u32>,
    large: u32,
}

fn compare(text: &str, splitting: Splitting, about: &str, tally: &mut Tally) {
    let program = support::search::program(text);
    let explored = symbolically(&program, text, splitting, 32);
    let symbolic = match explored.ended {
        Ended::Violated(_) => Some(explored.statistics.contexts + 1),
        Ended::Holds | Ended::Bounded => None,
        Ended::Unsupported(what) => {
            let name = what.split(" (").next().unwrap_or_default();
            *tally.unsupported.entry(name.to_owned()).or_default() += 1;
            return;
        }
        Ended::Stopped(_) => {
            tally.large += 1;
            return;
        }
        Ended::Deeper(depth) => panic!("a depth of {depth} without procedures: {about}"),
        Ended::Unconfirmed(why) => panic!("{why}: {about}\n{text}"),
    };
    tally.holds += u32::from(matches!(explored.ended, Ended::Holds));
    let Some(explicit) = explicitly(&program) else {
        tally.large += 1;
        return;
    };
    assert_eq!(
        symbolic.map(|k| k.max(1)),
        explicit.map(|k| k.max(1)),
        "{about}\n{text}"
    );
    tally.compared += 1;
    if let Some(k) = explicit {
        tally.violated[k] += 1;
    }
}

/// The run of a single process starts with its initial values, however view tuples are split.
#[test]
fn a_single_process_fails_with_one_context() {
    let text = "byte x = 1; int y = 7; active proctype P() { x = x + y; assert(x != 8) }";
    let mut tally = Tally::default();
    for how in [Splitting::Eager, Splitting::Lazy] {
        compare(text, how, "one process", &mut tally);
    }
    assert_eq!((tally.compared, tally.violated[1]), (2, 2), "{tally:?}");
}

fn splitting(seed: u64) -> Splitting {
    match seed % 3 {
        0 => Splitting::Eager,
        _ => Splitting::Lazy,
    }
}

#[test]
fn random_models_fail_with_as_many_contexts() {
    let (count, seed) = (number("AMPLE_MODELS", 150), number("AMPLE_SEED", 1));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        if std::env::var_os("AMPLE_VERBOSE").is_some() {
            eprintln!("seed {seed}");
        }
        compare(
            &random::swarm(seed).text,
            splitting(seed),
            &format!("seed {seed}"),
            &mut tally,
        );
        compare(
            &random::partial(seed).text,
            splitting(seed),
            &format!("partial, seed {seed}"),
            &mut tally,
        );
    }
    println!("{tally:?}");
    assert!(tally.compared > count as u32 / 4, "{tally:?}");
}

/// In these models errors need up to as many contexts as are explored, and more.
#[test]
fn errors_that_need_several_contexts_are_found() {
    let (count, seed) = (number("AMPLE_MODELS", 100), number("AMPLE_SEED", 1));
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        compare(
            &random::relays(seed).text,
            splitting(seed),
            &format!("relays, seed {seed}"),
            &mut tally,
        );
    }
    println!("{tally:?}");
    assert!(tally.compared > count as u32 / 2, "{tally:?}");
    assert!(tally.violated[1..].iter().all(|n| *n > 0), "{tally:?}");
}

/// With how many contexts something goes wrong in a model with procedures, explored without a bound on the depth of calls; and
/// by the explicit search in its expansion.
fn with_procedures(text: &str) -> (Option<usize>, Option<usize>) {
    let model = ample::Model::from_source(text).expect("a model");
    let how = Settings {
        bound: MOST,
        bits: 32,
        splitting: Splitting::Lazy,
        memory: BYTES,
    };
    let never = Cancellation::default();
    let explored = explore(
        &model.recursive,
        &model.program,
        &model.sources,
        how,
        &never,
        &mut |_, _| {},
    );
    let symbolic = match explored.ended {
        Ended::Violated(_) => Some(explored.statistics.contexts + 1),
        Ended::Holds | Ended::Bounded => None,
        other => panic!("{other:?}\n{text}"),
    };
    (symbolic, explicitly(&model.program).expect("a small model"))
}

#[test]
fn procedures_are_called_and_return() {
    let sum = "int x; procedure sum(byte n) : byte { byte rest; if :: n == 0 -> return 0 \
               :: else -> rest = sum(n - 1); return rest + n fi } \
               active proctype P() { byte s; s = sum(4); assert(s != 10) }";
    assert_eq!(with_procedures(sum), (Some(1), Some(1)));
    let right = sum.replace("s != 10", "s == 10");
    assert_eq!(with_procedures(&right), (None, None));
}

#[test]
fn random_models_with_procedures_fail_with_as_many_contexts() {
    let (count, seed) = (number("AMPLE_MODELS", 60), number("AMPLE_SEED", 1));
    let mut found = [0_u32; MOST + 2];
    for seed in seed..seed + count {
        let text = random::recursive(seed).called;
        let model = ample::Model::from_source(&text).expect("a model");
        let limit = Cancellation::default().after(Instant::now(), Some(PATIENCE));
        let how = Settings {
            bound: MOST,
            bits: 32,
            splitting: Splitting::Lazy,
            memory: BYTES,
        };
        let (written, expanded) = (&model.recursive, &model.program);
        let explored = explore(
            written,
            expanded,
            &model.sources,
            how,
            &limit,
            &mut |_, _| {},
        );
        let symbolic = match explored.ended {
            Ended::Violated(_) => Some((explored.statistics.contexts + 1).max(1)),
            Ended::Holds | Ended::Bounded => None,
            Ended::Stopped(_) => continue,
            other => panic!("seed {seed}: {other:?}\n{text}"),
        };
        let Some(explicit) = explicitly(expanded) else {
            continue;
        };
        assert_eq!(symbolic, explicit.map(|k| k.max(1)), "seed {seed}\n{text}");
        found[symbolic.unwrap_or(MOST + 1)] += 1;
    }
    println!("by contexts, the last for none: {found:?}");
    assert!(found.iter().sum::<u32>() > count as u32 / 4, "{found:?}");
}

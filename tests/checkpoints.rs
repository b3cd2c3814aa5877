//! A search that goes on from a checkpoint ends like one that was never interrupted: the same verdict, violations and figures.
//!
//! `AMPLE_MODELS=N cargo test --release --test checkpoints` tries N random models instead of a few; `AMPLE_SEED` says which.

mod support;

use ample::Cancellation;
use ample::check::{
    CheckpointOptions, Checked, Failed, FairnessOptions, Goal, Model, Options, Store,
};
use ample::internals::fairness::FairnessKind;
use ample::internals::search::Strategy;
use ample::internals::verdict::Word;
use promela_random::{Rng, relays, swarm};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::cli::Dir;

fn number(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// Every way to search of which checkpoints can be made.
fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for store in [Store::Exact, Store::Compressed] {
        for workers in [1, 3] {
            for plain in [true, false] {
                for all_errors in [true, false] {
                    ways.push(Options {
                        store: Some(store),
                        workers: Some(workers),
                        join_after: Some(0),
                        plain,
                        all_errors,
                        ..Options::default()
                    });
                }
            }
        }
        for strategy in [Strategy::Bfs, Strategy::Dfs] {
            ways.push(Options {
                store: Some(store),
                strategy: Some(strategy),
                workers: Some(1),
                ..Options::default()
            });
        }
        for (all, f) in [
            (FairnessKind::Weak, false),
            (FairnessKind::Strong, false),
            (FairnessKind::None, true),
        ] {
            ways.push(Options {
                store: Some(store),
                workers: Some(1),
                reduction: Some(false),
                fairness: FairnessOptions {
                    all,
                    f,
                    ..FairnessOptions::default()
                },
                ..Options::default()
            });
        }
    }
    for options in &mut ways {
        options.states = Some(3000);
        options.memory = Some(1 << 28);
    }
    ways
}

/// What must be the same.
#[derive(Debug, PartialEq)]
struct Told {
    verdict: Word,
    /// Violations, by message; only the figures below and the number of them where several workers search.
    findings: Vec<(String, usize)>,
    /// States, matches, depth, states that were reduced.
    figures: [u64; 4],
    coverage: bool,
}

fn told(checked: &Checked, options: &Options) -> Told {
    let stats = checked.statistics;
    let alone = options.workers == Some(1);
    let word = checked.verdict.word();
    // Which violation several workers find, and what they reduce, differs from run to run.
    let counts = alone || options.plain && (options.all_errors || word == Word::Holds);
    let mut findings: Vec<_> = checked
        .findings
        .iter()
        .map(|f| (f.message.clone(), if alone { f.path.len() } else { 0 }))
        .filter(|_| counts)
        .collect();
    if !alone {
        findings.sort();
    }
    Told {
        verdict: word,
        findings,
        figures: match (counts, alone) {
            (true, true) => [stats.stored, stats.matched, stats.depth, stats.reduced],
            (true, false) => [stats.stored, stats.matched, 0, 0],
            (false, _) => [0; 4],
        },
        coverage: checked.coverage.is_some() && counts,
    }
}

/// A search that is interrupted at its checkpoint of that number; `None` if it ends before.
fn interrupted(
    model: &Model,
    goal: &Goal,
    options: &Options,
    path: &PathBuf,
    number: u64,
) -> Option<Checked> {
    let flag = Arc::new(AtomicBool::new(false));
    let options = Options {
        checkpoint: Some(CheckpointOptions {
            path: path.clone(),
            every: Duration::ZERO,
            only: Some((number, Arc::clone(&flag))),
        }),
        cancellation: Cancellation::on(&flag),
        ..options.clone()
    };
    let checked = model.check(goal, &options).unwrap();
    flag.load(Ordering::Relaxed).then_some(checked)
}

/// Interrupts a search somewhere, goes on, perhaps again and again, and compares; gives how often it was interrupted.
fn must_agree(model: &Model, goal: &Goal, options: &Options, rng: &mut Rng, about: &str) -> u64 {
    let dir = Dir::new("checkpoints");
    let path = dir.path().join("search.checkpoint");
    // Goals of one kind refuse options for another.
    let whole = match model.check(goal, options) {
        Ok(checked) => checked,
        Err(Failed::Refused(_)) => return 0,
        Err(other) => panic!("{other}: {about}"),
    };
    let due = told(&whole, options);
    let most = whole.statistics.stored + 2;
    let mut times = 0;
    let mut resume = None;
    for _ in 0..3 {
        let options = Options {
            resume: resume.clone(),
            ..options.clone()
        };
        let number = 1 + rng.next_u64() % most;
        let Some(stopped) = interrupted(model, goal, &options, &path, number) else {
            break;
        };
        assert!(stopped.statistics.stored <= whole.statistics.stored.max(3000) + 200);
        resume = Some(path.clone());
        times += 1;
    }
    if resume.is_none() {
        return 0;
    }
    let options = Options {
        resume,
        ..options.clone()
    };
    let checked = model.check(goal, &options).unwrap();
    assert_eq!(told(&checked, &options), due, "{about}");
    times
}

#[test]
fn searches_that_go_on_end_like_those_that_were_never_interrupted() {
    let (models, first) = (number("AMPLE_MODELS", 24), number("AMPLE_SEED", 0));
    let ways = ways();
    let mut interrupted = vec![0; ways.len()];
    for seed in first..first + models {
        let text = match seed % 4 {
            0 => relays(seed).with_ltl(),
            _ => swarm(seed).with_ltl(),
        };
        let model = Model::from_source(&text).unwrap();
        let rng = &mut Rng::seeded(seed);
        for goal in model.goals() {
            for (index, options) in ways.iter().enumerate() {
                let about = format!(
                    "seed {seed}, {}, way {index}: {options:?}\n{text}",
                    goal.name(&model)
                );
                interrupted[index] += must_agree(&model, &goal, options, rng, &about);
            }
        }
    }
    println!(
        "{models} models, {} interruptions: {interrupted:?}",
        interrupted.iter().sum::<u64>()
    );
    assert!(interrupted.iter().all(|&times| times > 0 || models < 24));
}

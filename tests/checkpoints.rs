//! A search that goes on from a checkpoint ends like one that was never interrupted: the same verdict, violations and figures.
//!
//! `AMPLE_MODELS=N cargo test --release --test checkpoints` tries N random models instead of a few; `AMPLE_SEED` says which.

mod support;

use ample::Cancellation;
use ample::check::{
    Checked, CheckpointOptions, Failed, FairnessOptions, Goal, Model, Options, Store,
};
use ample::internals::fairness::FairnessKind;
use ample::internals::search::Strategy;
use ample::internals::verdict::Word;
use promela_random::{Rng, relays, swarm};
use sha2::{Digest, Sha256};
use std::path::Path;
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
    path: &Path,
    number: u64,
) -> Option<Checked> {
    let flag = Arc::new(AtomicBool::new(false));
    let options = Options {
        checkpoint: Some(CheckpointOptions {
            path: path.to_path_buf(),
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
        assert_eq!(
            stopped.verdict.word() == Word::Violated,
            !stopped.findings.is_empty()
        );
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

/// Whether a plain search comes to its end soon.
fn is_small(model: &Model, goal: &Goal) -> bool {
    let options = Options {
        states: Some(3000),
        workers: Some(1),
        all_errors: true,
        ..Options::plain()
    };
    let checked = model.check(goal, &options).unwrap();
    checked.statistics.stored < 3000
}

#[test]
fn searches_that_go_on_end_like_those_that_were_never_interrupted() {
    let (models, first) = (number("AMPLE_MODELS", 8), number("AMPLE_SEED", 0));
    let ways = ways();
    let mut interrupted = vec![0; ways.len()];
    for seed in first..first + models {
        let text = match seed % 4 {
            0 => relays(seed).with_ltl(),
            _ => swarm(seed).with_ltl(),
        };
        let model = Model::from_source(&text).unwrap();
        let rng = &mut Rng::seeded(seed);
        for goal in model.goals().iter().filter(|goal| is_small(&model, goal)) {
            for (index, options) in ways.iter().enumerate() {
                let about = format!(
                    "seed {seed}, {}, way {index}: {options:?}\n{text}",
                    goal.name(&model)
                );
                interrupted[index] += must_agree(&model, goal, options, rng, &about);
            }
        }
    }
    println!(
        "{models} models, {} interruptions: {interrupted:?}",
        interrupted.iter().sum::<u64>()
    );
    assert!(interrupted.iter().all(|&times| times > 0 || models < 24));
}

/// A model whose search takes some steps, with a property.
const MODEL: &str = "byte x, y; active proctype P() { do :: x < 40 -> x++ :: else -> x = 0 od }
    active proctype Q() { do :: y < 40 -> y++ :: else -> y = 0 od } ltl low { [] (x + y < 81) }";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// A folder with a model and a checkpoint of its search.
fn with_checkpoint(name: &str) -> Dir {
    let dir = Dir::with_model(name, MODEL);
    let line =
        "check m.pml --check safety --plain --workers 1 --checkpoint c --every 0s --states 900";
    dir.ample(&words(line)).exits(3);
    dir
}

const RESUME: &str = "check m.pml --check safety --plain --workers 1 --resume c";

#[test]
fn a_search_that_reached_a_limit_goes_on() {
    let dir = with_checkpoint("checkpoints-limit");
    let whole = dir.ample(&words("check m.pml --check safety --plain --workers 1 -v"));
    let on = dir.ample(&words(&format!("{RESUME} -v"))).exits(0);
    assert!(on.out.contains("went on from"), "{on:?}");
    let figures = |out: &str| {
        let line = out.lines().find(|l| l.contains("transitions"));
        line.map(str::to_owned).unwrap_or_else(|| panic!("{out}"))
    };
    assert_eq!(figures(&on.out), figures(&whole.exits(0).out));
}

#[test]
fn what_is_of_another_search_is_refused_by_name() {
    let dir = with_checkpoint("checkpoints-other");
    let mut cases = vec![
        (format!("{RESUME} --store compressed"), "store: exact, not"),
        (
            RESUME.replace("--workers 1", "--workers 2"),
            "workers: 1, not 2",
        ),
        (
            RESUME.replace(" --plain", ""),
            "dead variables: false, not true",
        ),
        (
            format!("{RESUME} --all-errors"),
            "all errors: false, not true",
        ),
        (format!("{RESUME} --strategy bfs"), "order: dfs, not bfs"),
        (
            RESUME.replace("--check safety", "--claim low"),
            "for the goal safety, not low",
        ),
        (RESUME.replace("m.pml", "other.pml"), "another model"),
    ];
    dir.put("other.pml", &MODEL.replace("40", "41"));
    let text = std::fs::read(dir.path().join("c")).unwrap();
    let line = text.iter().position(|b| *b == b'\n').unwrap();
    let header = String::from_utf8(text[..line].to_vec()).unwrap();
    // The version is part of the first line, which is sealed like the rest.
    assert!(header.contains(env!("CARGO_PKG_VERSION")), "{header}");
    let other = header.replace(env!("CARGO_PKG_VERSION"), "99.0.0");
    let mut body = [other.as_bytes(), &text[line..text.len() - 40]].concat();
    let (length, sum) = (body.len() as u64, Sha256::digest(&body));
    body.extend(length.to_le_bytes());
    body.extend(sum.as_slice());
    std::fs::write(dir.path().join("v"), body).unwrap();
    cases.push((RESUME.replace("resume c", "resume v"), "by version 99.0.0"));
    for (line, reason) in cases {
        let run = dir.ample(&words(&line)).exits(2);
        assert!(run.err.contains(reason), "{line}: {run:?}");
        assert_eq!(run.out, "", "{line}: {run:?}");
    }
}

#[test]
fn damaged_files_are_refused_by_name() {
    let dir = with_checkpoint("checkpoints-damaged");
    let whole = std::fs::read(dir.path().join("c")).unwrap();
    let changed = |at: usize| {
        let mut text = whole.clone();
        text[at] ^= 1;
        text
    };
    let cases = [
        (whole[..whole.len() - 1].to_vec(), "it is torn"),
        (whole[..100].to_vec(), "it is torn"),
        (whole[..30].to_vec(), "it is torn"),
        (changed(whole.len() / 2), "it is damaged"),
        (changed(whole.len() - 1), "it is damaged"),
        (changed(whole.len() - 38), "it is torn"),
        (b"a letter".to_vec(), "it is no checkpoint"),
        (Vec::new(), "it is no checkpoint"),
    ];
    for (text, reason) in cases {
        std::fs::write(dir.path().join("c"), text).unwrap();
        let run = dir.ample(&words(RESUME)).exits(2);
        assert!(run.err.contains(reason), "{reason}: {run:?}");
    }
    let run = dir
        .ample(&words(&RESUME.replace("resume c", "resume .")))
        .exits(2);
    assert!(run.err.contains("no regular file"), "{run:?}");
}

#[test]
fn what_cannot_be_kept_is_refused_with_an_alternative() {
    let dir = Dir::with_model("checkpoints-unkept", MODEL);
    for (options, instead) in [
        (
            "--check safety --store compact",
            "use --store exact or compressed",
        ),
        (
            "--check safety --store bitstate",
            "use --store exact or compressed",
        ),
        (
            "--check safety --swarm 2",
            "use --store exact or compressed",
        ),
        (
            "--check safety --strategy strict-dfs",
            "use --strategy dfs or bfs",
        ),
        ("--check safety --why-not", "leave out --why-not"),
        ("--check safety --contexts 2", "leave out --contexts"),
        (
            "--claim low --fairness f --reduction ample",
            "add --reduction none",
        ),
        ("", "add --check safety, or --claim"),
    ] {
        let line = format!("check m.pml --checkpoint c {options}");
        let run = dir.ample(&words(&line)).exits(2);
        assert!(run.err.contains(instead), "{options}: {run:?}");
        assert!(!dir.path().join("c").exists(), "{options}");
    }
    let run = dir.ample(&words("check m.pml --every 1s")).exits(2);
    assert!(run.err.contains("--checkpoint"), "{run:?}");
}

#[test]
fn nothing_else_is_written_over() {
    let dir = Dir::with_model("checkpoints-names", MODEL);
    dir.put("letter", "dear");
    dir.put("n.part", "dear");
    let line = "check m.pml --check safety --every 0s --checkpoint";
    for (name, reason) in [
        ("m.pml", "is there and is no checkpoint"),
        ("letter", "is there and is no checkpoint"),
        ("n", "n.part is there and is no checkpoint"),
        (".", "is there and is no checkpoint"),
        ("no/such/folder", "cannot be written"),
    ] {
        let run = dir.ample(&words(&format!("{line} {name}"))).exits(2);
        assert!(run.err.contains(reason), "{name}: {run:?}");
    }
    assert_eq!(dir.read("m.pml"), MODEL);
    assert_eq!(
        (dir.read("letter"), dir.read("n.part")),
        ("dear".into(), "dear".into())
    );
}

//! Damaged texts of every format that is read: none makes a reader panic, and none takes 10 seconds.
//!
//! `AMPLE_FUZZ=N cargo test --release --test fuzz -- --test-threads 1 --nocapture` tries about a thousand times N texts instead
//! of a few, more of the formats that are read fast (N = 10000: ten million); `AMPLE_SEED` says which, `AMPLE_THREADS` by how
//! many threads (2 if not said). What is accepted is used: models are explained and searched a little, claims and automata
//! checked, trails followed. Options are tried on the command itself, which takes a process for each: N / 100 of them.

mod support;

use ample::Cancellation;
use ample::check::{CheckpointOptions, Goal, Model, Options, Plan, Source};
use ample::internals::explain::{dot, json, text};
use ample::internals::report::{diagnostics, formula};
use ample::internals::trace::{
    Show, Trail, follow, from_json, parse, render, replay, spin_steps, tell, to_json,
};
use ltl::random::Shape;
use ltl::{Atoms, Formulas, hoa, never, translate};
use promela_lite::MemoryLoader;
use promela_random::{Rng, mutant, mutated, swarm};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::cli::Dir;

const SLOW: Duration = Duration::from_secs(10);

fn number(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// Tries texts of a format, `usual` of them or, if there is to be a long run, `weight` times as many as that says; `attempt`
/// gives whether the text was accepted.
fn fuzz(format: &str, usual: u64, weight: u64, attempt: impl Fn(&mut Rng) -> bool + Sync) {
    let count = number("AMPLE_FUZZ", 0) * weight;
    let count = if count == 0 { usual } else { count };
    let (first, threads) = (number("AMPLE_SEED", 0), number("AMPLE_THREADS", 2));
    let all = Instant::now();
    let next = AtomicU64::new(first);
    let work = || {
        let (mut accepted, mut slowest) = (0, (Duration::ZERO, 0));
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return (accepted, slowest);
            }
            let start = Instant::now();
            let mut rng = Rng::seeded(seed ^ 0x6675_7a7a);
            let attempt = std::panic::AssertUnwindSafe(|| attempt(&mut rng));
            let Ok(ok) = std::panic::catch_unwind(attempt) else {
                panic!("{format}: seed {seed} panics: AMPLE_SEED={seed} AMPLE_FUZZ=1");
            };
            accepted += u64::from(ok);
            slowest = slowest.max((start.elapsed(), seed));
            assert!(
                slowest.0 < SLOW,
                "{format}: seed {seed} takes {:?}",
                slowest.0
            );
        }
    };
    let results: Vec<(u64, (Duration, u64))> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let results = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"));
        results.collect()
    });
    let accepted: u64 = results.iter().map(|(accepted, _)| accepted).sum();
    let slowest = results.iter().map(|(_, slowest)| slowest).max();
    println!(
        "{format}: {count} texts, {accepted} accepted, slowest {slowest:?}, all {:?}",
        all.elapsed()
    );
    assert!(
        accepted > 0 && accepted < count || count < 100,
        "{format}: {accepted} of {count} accepted"
    );
}

/// Texts to begin with.
fn pool(make: impl Fn(&mut Rng) -> String) -> Vec<String> {
    let mut rng = Rng::seeded(1);
    (0..400).map(|_| make(&mut rng)).collect()
}

/// One of them, damaged.
fn damaged(pool: &[String], words: &[&str], rng: &mut Rng) -> Vec<u8> {
    let (text, other) = (&pool[rng.below(pool.len())], &pool[rng.below(pool.len())]);
    mutated(text, other, words, rng)
}

/// A search that ends soon.
fn a_little() -> Options {
    Options {
        states: Some(200),
        depth: Some(100),
        time: Some(Duration::from_millis(300)),
        memory: Some(64 << 20),
        workers: Some(1),
        ..Options::default()
    }
}

/// Reads a model, renders what there is to say about it, and searches it for all that it states.
fn use_model(source: &Source, loader: &mut MemoryLoader) -> bool {
    let read = source.read(loader);
    for (index, diagnostic) in read.diagnostics.sorted().into_iter().take(20).enumerate() {
        let text = diagnostics::render(diagnostic, &read.sources, index % 2 == 1);
        assert!(!text.is_empty());
        assert!(diagnostics::to_json(diagnostic, &read.sources).is_object());
    }
    let Some(model) = read.model else {
        return false;
    };
    for goal in model.goals().iter().take(3) {
        // Options that do not fit the model are refused.
        if let Ok(checked) = model.check(goal, &a_little()) {
            assert!(!checked.reason().is_empty());
        }
    }
    true
}

fn as_text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn models() {
    fuzz("models", 2_000, 1, |rng| {
        let text = mutant(rng.next_u64());
        // A d_step may loop for ever: nothing is executed of what has one.
        let executed = !text.windows(6).any(|word| word == b"d_step");
        let mut loader = MemoryLoader::default().with("m", text);
        let source = Source::file("m");
        if executed {
            return use_model(&source, &mut loader);
        }
        let Ok(model) = source.read(&mut loader).into_model() else {
            return false;
        };
        let length = text::render(&model.program, &model.sources).len()
            + dot::render(&model.program, &model.sources).len()
            + json::render(&model.program, &model.sources)
                .to_string()
                .len();
        length > 0
    });
}

/// A random formula as text.
fn random_formula(rng: &mut Rng) -> String {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    for name in ["p", "q", "r"] {
        atoms.intern(name);
    }
    let shape = Shape {
        atoms: 3,
        size: 3 + rng.below32(8),
        next: rng.below32(2) > 0,
    };
    let formula = shape.formula(&mut formulas, rng);
    formulas.to_text(formula, &atoms)
}

const LOGIC: &[&str] = &[
    "[]",
    "<>",
    "X",
    "U",
    "W",
    "V",
    "R",
    "M",
    "!",
    "&&",
    "||",
    "->",
    "<->",
    "^",
    "(",
    ")",
    "true",
    "false",
    "p",
    "q",
    "{",
    "}",
    "\"",
    "x == 1",
    "P@L",
    "always",
    "eventually",
    "until",
    "0",
    "99999999999",
    "/*",
    "//",
    "#",
    "@",
    "\0",
    "\u{9b}",
    "é",
];

/// Formulas that are translated are short: how long a translation takes is another question.
const SHORT: usize = 60;

#[test]
fn formulas() {
    let pool = pool(random_formula);
    fuzz("formulas", 5_000, 500, |rng| {
        let text = as_text(damaged(&pool, LOGIC, rng));
        // Reading is what is damaged; translating takes a hundred times as long.
        let translated = rng.below(20) == 0;
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let parsed = ltl::parse::formula(&mut formulas, &mut atoms, &text);
        match parsed {
            Err(error) => {
                assert!(!formula::render_error(&error, &text, true).is_empty());
                false
            }
            Ok(parsed) if translated && text.len() <= SHORT => {
                translate::buchi(&mut formulas, parsed).is_ok()
            }
            Ok(_) => true,
        }
    });
}

const MODEL: &str =
    "mtype = { a, b }; chan c = [1] of { byte }; chan r = [0] of { mtype }; byte p, q;
active proctype P() { do :: p < 2 -> p++; c!p :: c?p :: r!a od }
active proctype Q() { mtype m; L: do :: r?m -> q = 1 - q :: atomic { q == 1 -> assert(p < 2) } od }
ltl f { [] (p < 2) } ltl g { <> [] (q == 0) }";

#[test]
fn formulas_over_a_model() {
    let pool = pool(random_formula);
    fuzz("formulas over a model", 1_000, 2, |rng| {
        let text = as_text(damaged(&pool, LOGIC, rng));
        let mut source = Source::file("m");
        source.formulas = vec![("f".to_owned(), text.chars().take(SHORT).collect())];
        let model = "byte p, q, r; init { p = 1; q = p; r = 1 - q }";
        use_model(&source, &mut MemoryLoader::default().with("m", model))
    });
}

/// The automaton of a random formula, as a claim or in the Hanoi format.
fn automaton(rng: &mut Rng, claim: bool) -> String {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let text = random_formula(rng);
    let parsed = ltl::parse::formula(&mut formulas, &mut atoms, &text).expect("a formula");
    let buchi = translate::buchi(&mut formulas, parsed).expect("it is small");
    match claim {
        true => never::never(&buchi, &text, |atom| atoms.name(atom)),
        false => hoa::write(&buchi, &text, &atoms),
    }
}

#[test]
fn claims() {
    const WORDS: &[&str] = &[
        "never",
        "{",
        "}",
        "do",
        "od",
        "::",
        "if",
        "fi",
        "->",
        ";",
        "goto",
        "accept_all",
        "T0_init",
        ":",
        "skip",
        "true",
        "break",
        "atomic",
        "assert",
        "(",
        ")",
        "p",
        "proctype",
        "init",
        "!",
        "&&",
        "timeout",
        "else",
        "\n#define p q\n",
        "c!1",
        "run",
        "/*",
        "99999999999",
        "\0",
    ];
    let pool = pool(|rng| automaton(rng, true));
    fuzz("claims", 1_000, 2, |rng| {
        let text = damaged(&pool, WORDS, rng);
        let mut source = Source::file("m");
        source.never = Some(PathBuf::from("n"));
        let model = "byte p, q, r; init { p = 1; q = p; r = 1 - q }";
        use_model(
            &source,
            &mut MemoryLoader::default().with("m", model).with("n", text),
        )
    });
}

#[test]
fn hanoi_automata() {
    const WORDS: &[&str] = &[
        "HOA:",
        "v1",
        "States:",
        "Start:",
        "AP:",
        "Acceptance:",
        "acc-name:",
        "properties:",
        "--BODY--",
        "--END--",
        "--ABORT--",
        "State:",
        "[",
        "]",
        "{",
        "}",
        "0",
        "1",
        "2",
        "4294967295",
        "99999999999999999999",
        "-1",
        "!",
        "&",
        "|",
        "(",
        ")",
        "t",
        "f",
        "Inf",
        "Fin",
        "\"",
        "\"p\"",
        "/*",
        "*/",
        "@a",
        "Alias:",
        "Buchi",
        "generalized-Buchi",
        "all",
        "none",
        "\0",
    ];
    let pool = pool(|rng| automaton(rng, false));
    fuzz("hanoi automata", 5_000, 250, |rng| {
        let text = as_text(damaged(&pool, WORDS, rng));
        let mut atoms = Atoms::new();
        match hoa::read(&text, &mut atoms) {
            Ok(buchi) => !hoa::write(&buchi, "again", &atoms).is_empty(),
            Err(error) => error.to_string().is_empty(),
        }
    });
}

/// The model, and trails of all that it violates, in both formats.
fn trails() -> (Model, Vec<String>) {
    let model = Model::from_source(MODEL).expect("a model");
    let mut texts = Vec::new();
    for goal in model.goals() {
        let options = Options {
            workers: Some(1),
            all_errors: goal == Goal::Safety,
            ..Options::default()
        };
        let checked = model.check(&goal, &options).expect("checked");
        for finding in checked.findings {
            let cycle = finding.cycle();
            let (teller, _) =
                tell(&model.program, &model.sources, &finding.path, Show::Changes).expect("a run");
            let before = cycle.map(|start| spin_steps(&teller.told[..start]).len());
            texts.push(render(&spin_steps(&teller.told), before));
            texts.push(to_json(&Trail {
                model: model.name.clone(),
                digest: model.digest.clone(),
                property: goal.name(&model).to_owned(),
                formula: None,
                kind: finding.kind,
                message: finding.message,
                call_depth: None,
                variant: model.variant,
                choices: finding.path,
                cycle,
            }));
        }
    }
    assert!(texts.len() >= 4, "{} trails", texts.len());
    (model, texts)
}

#[test]
fn both_kinds_of_trails() {
    const WORDS: &[&str] = &[
        ":",
        "\n",
        "-1:-1:-1\n",
        "-2:0:-2\n",
        "-4:-4:-4\n",
        "-5:0:0\n",
        "0",
        "1",
        "2",
        "77",
        "-1",
        "65536",
        "4294967296",
        "9223372036854775807",
        "-9223372036854775808",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "null",
        "\"pid\":",
        "\"edge\":",
        "\"partner\":",
        "\"cycle\":",
        "\"kind\":",
        "1e99",
        "\\u0000",
        "\0",
    ];
    let (model, texts) = trails();
    fuzz("trails", 5_000, 200, |rng| {
        let kind = rng.below(2);
        let mine: Vec<&String> = texts.iter().skip(kind).step_by(2).collect();
        let (text, other) = (mine[rng.below(mine.len())], mine[rng.below(mine.len())]);
        let text = as_text(mutated(text, other, WORDS, rng));
        let mut seen = 0;
        match text.trim_start().starts_with('{') {
            true => from_json(&text).is_ok_and(|trail| {
                replay(&model.program, &trail.choices, &mut |_| seen += 1).is_ok()
            }),
            false => parse(&text)
                .is_ok_and(|trail| follow(&model.program, &trail, &mut |_| seen += 1).is_ok()),
        }
    });
}

/// A checkpoint of a search.
fn checkpoint(model: &Model, path: &Path) -> Vec<u8> {
    let flag = Arc::new(AtomicBool::new(false));
    let options = Options {
        workers: Some(1),
        checkpoint: Some(CheckpointOptions {
            path: path.to_owned(),
            every: Duration::ZERO,
            only: Some((20, Arc::clone(&flag))),
        }),
        cancellation: Cancellation::on(&flag),
        ..Options::plain()
    };
    let checked = model.check(&Goal::Safety, &options).expect("checked");
    assert!(flag.load(Ordering::Relaxed), "{}", checked.reason());
    std::fs::read(path).expect("a checkpoint")
}

/// Puts a length and a checksum behind what is left of a checkpoint.
fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    let (length, sum) = (body.len() as u64, Sha256::digest(&body));
    body.extend(length.to_le_bytes());
    body.extend(sum.as_slice());
    body
}

/// Damaged ones are refused by their checksum; with a checksum that fits, by their first line, unless that still says the same.
#[test]
fn checkpoints() {
    const WORDS: &[&str] = &[
        "{",
        "}",
        "\"",
        ":",
        ",",
        "null",
        "true",
        "1",
        "-1",
        "1e999",
        "[",
        "]",
        "\n",
        "\0",
        "\\u0000",
        "\"states\":",
        "\"version\":",
        "\"options\":{",
        "ample_checkpoint",
        "é",
    ];
    let model = Model::from_source(&MODEL.replace("assert(p < 2)", "skip")).expect("a model");
    let dir = Dir::new("fuzz-checkpoints");
    let whole = checkpoint(&model, &dir.path().join("whole"));
    let line = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a line")
        + 1;
    let header = String::from_utf8(whole[..line].to_vec()).expect("JSON");
    let numbers = AtomicU64::new(0);
    fuzz("checkpoints", 500, 10, |rng| {
        let body = whole.len() - 40;
        let (text, due) = match rng.below(8) {
            // A file that is cut off, one that has a changed byte, one that is longer.
            0 => (whole[..rng.below(whole.len())].to_vec(), false),
            1 => {
                let mut text = whole.clone();
                text[rng.below(whole.len())] ^= 1 << rng.below(8);
                (text, false)
            }
            2 => ([&whole[..], &[0]].concat(), false),
            3 => (whole.clone(), true),
            _ => {
                let mut text = mutated(&header, &header, WORDS, rng);
                let same = text == header.as_bytes();
                text.extend_from_slice(&whole[line..body]);
                (sealed(text), same)
            }
        };
        let name = format!("damaged{}", numbers.fetch_add(1, Ordering::Relaxed) % 64);
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        let options = Options {
            workers: Some(1),
            resume: Some(path),
            ..Options::plain()
        };
        let read = Plan::decide(&model, &Goal::Safety, &options).is_ok();
        // Spaces and the number of states may be others.
        assert!(read || !due);
        read
    });
}

#[test]
fn options() {
    const OPTIONS: &[&str] = &[
        "--reduction=none",
        "--reduction=ample",
        "--store=compressed",
        "--store=compact",
        "--store=bitstate",
        "--hash-functions=3",
        "--swarm=2",
        "--seed=7",
        "--accept-probabilistic",
        "--shortest",
        "--strategy=bfs",
        "--strategy=strict-dfs",
        "--workers=2",
        "--workers=0",
        "--fairness=weak",
        "--fairness=strong",
        "--fairness=f",
        "--weak=P",
        "--strong=Q,nobody",
        "--plain",
        "--no-slice",
        "--no-merge",
        "--no-dead-variables",
        "--why-not",
        "--classic-product",
        "--all-errors",
        "--no-end-check",
        "--check=safety",
        "--check=properties",
        "--claim=f",
        "--claim=nobody",
        "--ltl=[] p",
        "--ltl=[] (",
        "--non-progress",
        "--memory=1",
        "--memory=100K",
        "--memory=1e300",
        "--memory=-1",
        "--memory=inf",
        "--time=0",
        "--time=1ms",
        "--time=1e300",
        "--time=-1",
        "--depth=0",
        "--depth=3",
        "--depth=18446744073709551615",
        "--states=0",
        "--states=5",
        "--states=18446744073709551616",
        "--format=json",
        "--message-format=json",
        "--no-warnings",
        "-v",
        "--full-states",
        "--progress",
        "--dry-run",
        "--syntax-only",
        "-DN=3",
        "-D",
        "-D=",
        "-DN(=",
        "-D\nN",
        "--include-root=.",
        "--include-root=none",
        "--spill=.",
        "--never=m.pml",
        "--hoa=m.pml",
        "--ltl-file=m.pml",
        "--trail=x.trail",
        "--no-trail",
        "--",
        "-",
        "--é",
        "--no-such-option",
        "m.pml",
        "",
    ];
    let dir = Dir::with_model("fuzz-options", MODEL);
    let all = Instant::now();
    let (count, first) = (number("AMPLE_FUZZ", 10_000) / 100, number("AMPLE_SEED", 0));
    for seed in first..first + count {
        let mut rng = Rng::seeded(seed ^ 0x6f70_7469);
        let chosen = (0..rng.below(5)).map(|_| OPTIONS[rng.below(OPTIONS.len())]);
        let mut words: Vec<&str> = ["check", "m.pml", "--time=2s", "--memory=200M"]
            .into_iter()
            .chain(chosen)
            .collect();
        // An option that is given twice is refused: what was drawn has the word.
        for name in ["--time", "--memory"] {
            if words.iter().filter(|word| word.starts_with(name)).count() > 1 {
                words.retain(|word| {
                    !(*word == "--time=2s" && name == "--time"
                        || *word == "--memory=200M" && name == "--memory")
                });
            }
        }
        let start = Instant::now();
        let run = dir.ample(&words);
        assert!(
            (0..=3).contains(&run.code),
            "seed {seed}: {words:?}: {run:?}"
        );
        assert!(
            start.elapsed() < SLOW,
            "seed {seed}: {words:?} takes {:?}",
            start.elapsed()
        );
    }
    println!("options: {count} command lines, all {:?}", all.elapsed());
}

/// Files that are damaged on their way to the command, which uses everything in its own way.
#[test]
fn the_command_on_damaged_models() {
    let dir = Dir::new("fuzz-command");
    let (count, first) = (number("AMPLE_FUZZ", 5_000) / 100, number("AMPLE_SEED", 0));
    for seed in first..first + count {
        let mut rng = Rng::seeded(seed ^ 0x636f_6d6d);
        let text = match rng.chance(50) {
            true => mutant(rng.next_u64()),
            false => swarm(rng.next_u64()).with_ltl().into_bytes(),
        };
        dir.put("m.pml", &as_text(text));
        for words in [
            &[
                "check",
                "m.pml",
                "--time=1s",
                "--memory=100M",
                "--states=1000",
            ][..],
            &["explain", "m.pml", "--format=json"],
        ] {
            let start = Instant::now();
            let run = dir.ample(words);
            assert!(
                (0..=3).contains(&run.code),
                "seed {seed}: {words:?}: {run:?}"
            );
            assert!(
                start.elapsed() < SLOW,
                "seed {seed}: {words:?} takes {:?}",
                start.elapsed()
            );
        }
    }
}

//! Several hosts come to what one machine comes to: states, transitions, violations.
//!
//! Most tests have their hosts in this process: each has a thread, a listener on the loopback interface and a session of its own,
//! and nothing else in common. The command is started where processes matter: `--local`, hosts that are killed or stopped,
//! strangers on the port.
//!
//! `cargo test --test cluster` compares a few models of each kind. More: `AMPLE_MODELS=2000 AMPLE_SEED=7000`.
#![cfg(feature = "cluster")]

mod support;

use ample::check::{Checked, Goal, Model, Options, Part, Plan, Role, Store};
use ample::cluster::{Agreement, Secret, Session, Setup};
use ample::internals::limits::{Monitor, Unwatched};
use ample::internals::search::Strategy;
use ample::internals::verdict::Word;
use promela_random as random;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::number;

/// Numbers of hosts, and of the threads of each.
const SHAPES: [(usize, usize); 5] = [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2)];

fn unwatched(_: Role) -> Box<dyn Monitor> {
    Box::new(Unwatched)
}

fn plan(model: &Model, options: &Options) -> Plan {
    Plan::decide(model, &Goal::Safety, options).expect("these options go together")
}

/// Sessions of hosts in this process, and what each does with its own.
fn with_hosts<R: Send>(hosts: usize, threads: usize, act: impl Fn(Session) -> R + Sync) -> Vec<R> {
    let listeners: Vec<TcpListener> = (0..hosts)
        .map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"))
        .collect();
    let names = listeners
        .iter()
        .map(|l| l.local_addr().expect("an address").to_string());
    let names: Vec<String> = names.collect();
    let host = |me, listener| {
        let setup = Setup {
            hosts: names.clone(),
            me,
            threads,
            secret: Secret::new(b"a secret for the tests").expect("long enough"),
            listener,
            agreement: Agreement::new(hosts, threads, "the same", Vec::new()),
            patience: Duration::from_secs(60),
        };
        act(Session::start(setup).expect("the hosts meet"))
    };
    let mut listeners = listeners.into_iter().enumerate();
    if hosts == 1 {
        return listeners.map(|(me, listener)| host(me, listener)).collect();
    }
    std::thread::scope(|scope| {
        let host = &host;
        let running: Vec<_> = listeners
            .by_ref()
            .map(|(me, listener)| scope.spawn(move || host(me, listener)))
            .collect();
        running
            .into_iter()
            .map(|host| host.join().expect("no panic"))
            .collect()
    })
}

/// What hosts in this process come to together.
fn on_hosts(model: &Model, options: &Options, (hosts, threads): (usize, usize)) -> Checked {
    let options = Options {
        hosts: Some(hosts),
        workers: Some(threads),
        ..options.clone()
    };
    let results = with_hosts(hosts, threads, |mut session| {
        let part = plan(model, &options).check_on(&mut session, model, &unwatched);
        match part.expect("no contradiction") {
            Part::Decided(checked) => {
                session.end(0);
                Some(*checked)
            }
            Part::Done => {
                session.wait_for_end().expect("an end");
                None
            }
        }
    });
    results
        .into_iter()
        .flatten()
        .next()
        .expect("host 0 decides")
}

fn alone(model: &Model, options: &Options) -> Checked {
    let options = Options {
        strategy: Some(Strategy::Bfs),
        workers: Some(1),
        ..options.clone()
    };
    let checked = plan(model, &options).check(model, &unwatched);
    checked.expect("no contradiction")
}

/// What must be the same for any number of hosts.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    verdict: Word,
    stored: u64,
    matched: u64,
    atomic_steps: u64,
    errors: u64,
    depth: u64,
    violations: BTreeSet<(String, usize)>,
}

/// Violations with the lengths of their runs, as the first one of a kind is as short as any.
fn outcome(checked: &Checked) -> Outcome {
    let stats = &checked.statistics;
    let shortest = checked
        .findings
        .iter()
        .map(|f| (f.message.clone(), f.path.len()));
    Outcome {
        verdict: checked.verdict.word(),
        stored: stats.stored,
        matched: stats.matched,
        atomic_steps: stats.atomic_steps,
        errors: stats.errors,
        depth: stats.depth,
        violations: shortest.collect(),
    }
}

/// The same without the lengths: where steps are sequences of moves, their lengths may differ.
fn messages(outcome: &Outcome) -> BTreeSet<&str> {
    outcome
        .violations
        .iter()
        .map(|(message, _)| message.as_str())
        .collect()
}

fn same(one: &Outcome, other: &Outcome) -> bool {
    let figures = |o: &Outcome| {
        (
            o.verdict,
            o.stored,
            o.matched,
            o.atomic_steps,
            o.errors,
            o.depth,
        )
    };
    figures(one) == figures(other) && messages(one) == messages(other)
}

/// All violations are looked for, so that all states are visited.
fn everything(plain: bool) -> Options {
    Options {
        all_errors: true,
        plain,
        states: Some(20_000),
        time: Some(Duration::from_secs(60)),
        ..Options::default()
    }
}

/// Compares a model in all shapes; says whether it was small enough, and whether ample sets left something out.
fn agree(name: &str, model: &Model, shapes: &[(usize, usize)]) -> Option<bool> {
    let mut reduces = false;
    for plain in [true, false] {
        for reduction in [Some(false), None] {
            let options = Options {
                reduction: reduction.filter(|_| !plain),
                ..everything(plain)
            };
            if plain && reduction.is_none() {
                continue;
            }
            let single = alone(model, &options);
            if single.verdict.word() == Word::Inconclusive {
                return None;
            }
            let expected = outcome(&single);
            let mut first: Option<Outcome> = None;
            for &shape in shapes {
                let store = [Store::Compressed, Store::Exact][shape.0 % 2];
                let options = Options {
                    store: Some(store),
                    ..options.clone()
                };
                let checked = on_hosts(model, &options, shape);
                let got = outcome(&checked);
                if !checked.plan.reduction {
                    assert!(
                        same(&got, &expected),
                        "{name}, {shape:?}: {got:?} instead of {expected:?}"
                    );
                    continue;
                }
                reduces |= checked.statistics.reduced > 0;
                // The proviso is another one, so the reduced graph may be, but not what is wrong in it.
                assert_eq!(got.verdict, expected.verdict, "{name}, {shape:?}");
                assert_eq!(messages(&got), messages(&expected), "{name}, {shape:?}");
                match &first {
                    Some(first) => assert!(
                        same(&got, first),
                        "{name}, {shape:?}: {got:?} and {first:?}"
                    ),
                    None => first = Some(got),
                }
            }
        }
    }
    Some(reduces)
}

/// Random models of all kinds.
#[test]
fn random_models_agree() {
    let kinds: [fn(u64) -> random::RandomModel; 4] = [
        random::swarm,
        random::races,
        random::starts,
        random::partial,
    ];
    let (models, first) = (number("AMPLE_MODELS", 16), number("AMPLE_SEED", 1));
    let (mut compared, mut reduced) = (0, 0);
    for seed in first..first + models {
        for (kind, make) in kinds.iter().enumerate() {
            let Ok(model) = Model::from_source(&make(seed).text) else {
                continue;
            };
            let shape = SHAPES[(seed as usize + kind) % SHAPES.len()];
            if let Some(reduces) = agree(
                &format!("kind {kind}, seed {seed}"),
                &model,
                &[(1, 1), shape],
            ) {
                compared += 1;
                reduced += u64::from(reduces);
            }
        }
    }
    println!("{compared} models compared, {reduced} reduced");
    assert!(
        compared >= models && reduced >= models / 8,
        "{compared}, {reduced}"
    );
}

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = std::fs::read_dir(folder)
        .expect("examples")
        .flatten()
        .map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect();
    files.sort();
    files
}

#[test]
fn examples_agree() {
    let mut compared = 0;
    for path in examples() {
        let name = path.display().to_string();
        let model = Model::from_file(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        compared += u32::from(agree(&name, &model, &[(2, 1), (3, 2)]).is_some());
    }
    assert!(compared >= 15, "{compared}");
}

/// The first violation is as short as one found breadth first on one machine.
#[test]
fn counterexamples_are_shortest() {
    let mut violated = 0;
    for seed in 1..=12 {
        let model = Model::from_source(&random::races(seed).text).expect("a model");
        let options = Options {
            passes: ample::check::Options::plain().passes,
            all_errors: false,
            ..everything(true)
        };
        let single = alone(&model, &options);
        let checked = on_hosts(&model, &options, (2, 1));
        assert_eq!(single.verdict.word(), checked.verdict.word(), "seed {seed}");
        if let ([one], [other]) = (&single.findings[..], &checked.findings[..]) {
            violated += 1;
            assert_eq!(one.path.len(), other.path.len(), "seed {seed}");
        }
    }
    assert!(violated >= 3, "{violated}");
}

const COUNTERS: &str = "byte a, b, c;
    active proctype A() { do :: a < 30 -> a++ od }
    active proctype B() { do :: b < 30 -> b++ od }
    active proctype C() { do :: c < 30 -> c++ od }";

/// Limits are honoured, and the host that came to one is named.
#[test]
fn limits_name_their_host() {
    let model = Model::from_source(COUNTERS).expect("a model");
    let options = Options {
        end_states: false,
        plain: true,
        ..Options::default()
    };
    let memory = Options {
        memory: Some(2 << 20),
        ..options.clone()
    };
    let checked = on_hosts(&model, &memory, (2, 1));
    assert_eq!(checked.verdict.word(), Word::Inconclusive);
    let reason = checked.reason();
    assert!(
        reason.starts_with("host ") && reason.contains("memory limit of 2.0 MiB"),
        "{reason}"
    );
    for (options, word) in [
        (
            Options {
                states: Some(5000),
                ..options.clone()
            },
            "limit of 5000 states",
        ),
        (
            Options {
                depth: Some(20),
                ..options.clone()
            },
            "longer than 20 steps",
        ),
        (
            Options {
                time: Some(Duration::ZERO),
                ..options.clone()
            },
            "time limit",
        ),
    ] {
        let checked = on_hosts(&model, &options, (2, 2));
        assert_eq!(checked.verdict.word(), Word::Inconclusive);
        assert!(checked.reason().contains(word), "{}", checked.reason());
    }
    let whole = on_hosts(&model, &options, (2, 2));
    assert_eq!(
        (whole.verdict.word(), whole.statistics.stored),
        (Word::Holds, 61 * 61 * 61)
    );
    let most = whole
        .hosts
        .iter()
        .map(|host| host.in_flight_bytes)
        .max()
        .expect("hosts");
    assert!(most > 0 && most <= 8 << 20, "{most}");
    let spread: Vec<u64> = whole.hosts.iter().map(|host| host.states).collect();
    assert!(spread.iter().all(|&states| states > 100_000), "{spread:?}");
}

/// A reduced search that takes states which lead back for states that lead on misses violations.
#[cfg(feature = "faults")]
#[test]
fn a_broken_proviso_is_noticed() {
    use ample::internals::faults::{Fault, with};
    let cases = support::models::models("traps");
    let wrong = |case: &support::models::Case| {
        let model = Model::from_source(&case.text).expect("a model");
        let options = everything(false);
        let checked = on_hosts(&model, &options, (1, 2));
        let plain = alone(&model, &everything(true));
        checked.verdict.word() != plain.verdict.word()
    };
    assert!(!cases.iter().any(wrong));
    with(Fault::LeadingBackAllowed, || {
        assert!(cases.iter().any(wrong))
    });
}

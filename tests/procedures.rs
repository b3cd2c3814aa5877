//! Models with procedures: beside the same models with every call written out, at several depths, in all ways to search;
//! and the examples with their parameters.

mod support;

use ample::Word;
use ample::check::{Goal, Model, Options, Source, Store};
use ample::internals::search::Strategy;
use promela_lite::expand_calls::expand;
use promela_lite::{MemoryLoader, verify};
use promela_random::{DEEPEST, recursive};
use std::path::Path;

fn model(text: &str, call_depth: Option<u32>) -> Model {
    let source = Source {
        call_depth,
        ..Source::file("m")
    };
    let mut loader = MemoryLoader::default().with("m", text);
    let read = source.read(&mut loader).into_model();
    read.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn word(model: &Model, options: &Options) -> Word {
    let checked = model.check(&Goal::Safety, options);
    checked.unwrap_or_else(|e| panic!("{e}")).verdict.word()
}

fn plain() -> Options {
    Options {
        workers: Some(1),
        ..Options::plain()
    }
}

/// Ways to search that must agree.
fn ways() -> Vec<(&'static str, Options)> {
    let base = || Options {
        workers: Some(1),
        ..Options::default()
    };
    vec![
        ("plain", plain()),
        ("default", base()),
        (
            "without reduction",
            Options {
                reduction: Some(false),
                ..base()
            },
        ),
        (
            "without passes",
            Options {
                passes: promela_lite::opt::Passes::NONE,
                ..base()
            },
        ),
        (
            "breadth first",
            Options {
                strategy: Some(Strategy::Bfs),
                ..base()
            },
        ),
        (
            "compressed",
            Options {
                store: Some(Store::Compressed),
                ..base()
            },
        ),
        (
            "by two workers",
            Options {
                workers: Some(2),
                join_after: Some(5),
                ..base()
            },
        ),
        (
            "for short runs",
            Options {
                shortest: true,
                ..base()
            },
        ),
    ]
}

#[test]
fn a_call_does_what_its_body_does_in_its_place() {
    let (mut violated, mut cut) = (0, 0);
    let seeds = if cfg!(debug_assertions) { 60 } else { 3000 };
    for seed in 0..seeds {
        let random = recursive(seed);
        let texts = format!("seed {seed}\n{}\n---\n{}", random.called, random.inlined);
        for end_states in [true, false] {
            let inlined = word(
                &model(&random.inlined, None),
                &Options {
                    end_states,
                    ..plain()
                },
            );
            violated += u32::from(inlined == Word::Violated);
            let called = model(&random.called, None);
            for (way, options) in ways() {
                let options = Options {
                    end_states,
                    ..options
                };
                assert_eq!(word(&called, &options), inlined, "{way}: {texts}");
            }
            if called.call_depth.is_none() {
                continue;
            }
            for depth in 1..DEEPEST + 2 {
                let shallow = model(&random.called, Some(depth));
                let plain = Options {
                    end_states,
                    ..plain()
                };
                match word(&shallow, &plain) {
                    Word::Inconclusive => cut += 1,
                    decided => assert_eq!(decided, inlined, "depth {depth}: {texts}"),
                }
                assert!(
                    depth <= DEEPEST || word(&shallow, &plain) == inlined,
                    "{texts}"
                );
                // What the plain search can say at this depth every search says.
                for (way, options) in ways() {
                    let options = Options {
                        end_states,
                        ..options
                    };
                    let says = word(&shallow, &options);
                    assert_eq!(
                        says,
                        word(&shallow, &plain),
                        "{way}, depth {depth}: {texts}"
                    );
                }
            }
        }
    }
    assert!(
        violated * 4 > seeds as u32 && violated < 2 * seeds as u32,
        "{violated}"
    );
    assert!(cut * 20 > seeds as u32, "{cut}");
}

#[test]
fn what_is_expanded_is_a_program() {
    for seed in 0..100 {
        let called = model(&recursive(seed).called, None);
        for depth in [1, 3, 20] {
            let expanded = expand(&called.recursive, depth).expect("small");
            assert_eq!(verify::verify(&expanded), vec![], "seed {seed}");
            assert!(expanded.procedures.is_empty() && expanded.calls.is_empty());
        }
    }
}

/// Examples, parameters, depth, verdict.
const EXAMPLES: &[(&str, &[&str], &str)] = &[
    ("bluetooth", &["-D", "VERSION=1"], "violated"),
    ("bluetooth", &["-D", "VERSION=2"], "holds"),
    (
        "bluetooth",
        &["-D", "VERSION=2", "-D", "ADDERS=2"],
        "violated",
    ),
    ("bluetooth", &["-D", "VERSION=3", "-D", "ADDERS=2"], "holds"),
    (
        "bluetooth",
        &["-D", "VERSION=3", "-D", "STOPPERS=2"],
        "violated",
    ),
    ("vector", &["-D", "REPAIRED"], "holds"),
    ("search_tree", &["-D", "RACE"], "violated"),
    ("search_tree", &["-D", "INSERTERS=3"], "holds"),
    ("search_tree", &["--call-depth", "2"], "inconclusive"),
    ("quicksort", &["-D", "HASTY"], "violated"),
    ("crawler", &["-D", "EARLY"], "violated"),
    ("lock_manager", &["-D", "FORGETFUL"], "violated"),
    ("lock_manager", &["-D", "CROSSED"], "violated"),
    ("unbounded", &["--call-depth", "1"], "inconclusive"),
    ("unbounded", &["--call-depth", "100"], "inconclusive"),
    (
        "unbounded",
        &["--store", "bitstate", "--accept-probabilistic"],
        "inconclusive",
    ),
    ("unbounded", &["-D", "BROKEN"], "violated"),
];

#[test]
fn examples_do_what_they_say_with_parameters() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for &(name, options, expected) in EXAMPLES {
        let path = folder.join(format!("{name}.pml"));
        let report = support::cli::check(&path, options).json();
        let verdict = &report["results"][0]["verdict"];
        assert_eq!(verdict, expected, "{name} {options:?}");
    }
}

#[test]
fn what_is_too_deep_is_refused() {
    let text = "int n; procedure f() { int a[1000]; a[0] = n; f() } active proctype P() { f() }";
    let read = |depth| {
        let source = Source {
            call_depth: Some(depth),
            ..Source::file("m")
        };
        source.read(&mut MemoryLoader::default().with("m", text))
    };
    assert!(read(100).into_model().is_ok());
    for depth in [1_000, u32::MAX] {
        let refused = read(depth).into_model().expect_err("4 kB for each call");
        assert!(
            refused.to_string().contains("cannot be expanded"),
            "{refused}"
        );
    }
}

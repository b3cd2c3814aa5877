//! Networks in the text format: what is read, what is refused and where, and verdicts of the examples.

use ample_pushdown::explicit::contexts::{Outcome, check};
use ample_pushdown::explicit::network::{Action, Target, Top};
use ample_pushdown::symbolic::contexts as symbolic;
use ample_pushdown::symbolic::encode::Encoded;
use ample_pushdown::text::{File, Text, parse};

fn example(name: &str) -> Text {
    let read = |ending: &str| {
        let path = format!(
            "{}/examples/networks/{name}.{ending}",
            env!("CARGO_MANIFEST_DIR")
        );
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
    };
    parse(&read("pds"), &read("init"), Some(&read("spec")))
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn verdict(name: &str, bound: usize) -> Outcome {
    let text = example(name);
    check(
        &text.network,
        &text.targets,
        bound,
        100_000,
        &|| false,
        |_, _| {},
    )
    .expect("a verdict")
}

#[test]
fn the_examples_have_their_verdicts() {
    assert!(matches!(
        verdict("race", 5),
        Outcome::Violated { contexts: 3, .. }
    ));
    assert!(matches!(verdict("lock", 10), Outcome::Holds { .. }));
    assert!(matches!(verdict("depth", 10), Outcome::Holds { .. }));
    let Outcome::Bounded {
        contexts: 8,
        reason,
    } = verdict("counter", 8)
    else {
        panic!("{:?}", verdict("counter", 8));
    };
    assert!(reason.contains("generator"), "{reason}");
}

#[test]
fn the_symbolic_engine_agrees_on_the_examples() {
    for (name, bound) in [("race", 5), ("lock", 5), ("depth", 5), ("counter", 5)] {
        let text = example(name);
        let encoded = Encoded::new(&text.network, 0, bound, 1 << 18).expect("few nodes");
        let targets: Vec<_> = text
            .targets
            .iter()
            .map(|t| encoded.target(t).expect("a target"))
            .collect();
        let (outcome, _) = symbolic::check(
            &encoded.network,
            &targets,
            symbolic::Options::new(bound),
            |_| {},
        );
        match verdict(name, bound) {
            Outcome::Violated { contexts, .. } => {
                assert!(
                    matches!(outcome, symbolic::Outcome::Violated { contexts: c, .. } if c == contexts),
                    "{name}"
                );
            }
            _ => assert!(
                !matches!(outcome, symbolic::Outcome::Violated { .. }),
                "{name}: {outcome:?}"
            ),
        }
    }
}

const PDS: &str =
    "3 # states\nPDA 1 2\n0 1 -> 1 2\n\n1 2 -> 2 - # pops\n2 1 -> 0 2 1\nPDA 1 2\n0 1 -> 1 2\n";

#[test]
fn rules_symbols_and_stacks_are_what_was_written() {
    let text = parse(PDS, "0|1.2,-\n", Some("2|-,2\n# no more\n1|2,-\n")).expect("a network");
    let network = &text.network;
    assert_eq!((network.shared, network.rules.len()), (3, 4));
    // The topmost symbol is the last one that is written.
    assert_eq!(text.show(&network.initial), "0|1.2,-");
    let top = network.initial.stacks[0][0];
    assert_eq!(network.rules[1].from, (1, top));
    assert_eq!(network.rules[1].action, Action::Pop);
    let Action::Push { callee, ret } = network.rules[2].action else {
        panic!("{:?}", network.rules[2]);
    };
    assert_eq!((callee, ret), (top, network.initial.stacks[0][1]));
    // Threads with different rules have different symbols.
    assert_ne!(network.rules[3].from.1, network.rules[0].from.1);
    assert_eq!(text.lines, [3, 5, 6, 8]);
    assert_eq!(text.targets.len(), 2);
    let Target::Visible {
        shared: Some(2),
        tops,
    } = &text.targets[0]
    else {
        panic!("{:?}", text.targets[0]);
    };
    assert_eq!(tops[0], Top::Empty);
}

#[test]
fn errors_have_a_place() {
    let place = |pds: &str, init: &str, spec: &str| {
        let error = parse(pds, init, Some(spec)).expect_err("an error");
        (error.file, error.line, error.column, error.message)
    };
    for (pds, line, column, part) in [
        ("", 1, 1, "number of shared states"),
        ("many\n", 1, 1, "a number"),
        ("0\n", 1, 1, "must be a shared state"),
        ("4000000000\n", 1, 1, "not supported"),
        ("3 4\n", 1, 3, "end of the line"),
        ("3\n0 1 -> 1 2\n", 2, 1, "`PDA`"),
        ("3\n", 1, 1, "no threads"),
        ("3\nPDA 1\n", 2, 1, "first and the last symbol"),
        ("3\nPDA 1 x\n", 2, 7, "a number"),
        ("3\nPDA 1 2\n0 1 - 1 2\n", 3, 5, "`->`"),
        ("3\nPDA 1 2\n0 1 ->\n", 3, 1, "expected a rule"),
        ("3\nPDA 1 2\n  0 1 -> 3 2\n", 3, 10, "not below 3"),
        ("3\nPDA 1 2\n0 - -> 1 2\n", 3, 3, "empty stack"),
        ("3\nPDA 1 2\n0 1 -> 1 - 2\n", 3, 10, "two symbols"),
        ("3\nPDA 1 2\n0 1 -> 1 2 -\n", 3, 10, "two symbols"),
        ("3\nPDA 1 2\n0 99999999999 -> 1 2\n", 3, 3, "a number"),
    ] {
        let (file, found_line, found_column, message) = place(pds, "0|1", "");
        assert_eq!(
            (file, found_line, found_column),
            (File::Pds, line, column),
            "{pds:?}: {message}"
        );
        assert!(message.contains(part), "{pds:?}: {message}");
    }
    for (init, line, column, part) in [
        ("", 1, 1, "expected a configuration"),
        ("0 1,1\n", 1, 1, "expected `shared|stack"),
        ("\n0|1\n", 2, 1, "1 stacks for 2 threads"),
        ("7|1,1\n", 1, 1, "not below 3"),
        ("0|1,\n", 1, 5, "a number"),
        ("0|1,1.x\n", 1, 7, "a number"),
        ("0|1,1\n0|1,1\n", 2, 1, "one configuration"),
    ] {
        let (file, found_line, found_column, message) = place(PDS, init, "");
        assert_eq!(
            (file, found_line, found_column),
            (File::Init, line, column),
            "{init:?}: {message}"
        );
        assert!(message.contains(part), "{init:?}: {message}");
    }
    for (spec, line, column, part) in [
        ("0|1\n", 1, 1, "1 topmost symbols"),
        ("0|1.2,1\n", 1, 1, "at most one symbol"),
        ("0|1,1\nx|1,1\n", 2, 1, "a number"),
    ] {
        let (file, found_line, found_column, message) = place(PDS, "0|1,1", spec);
        assert_eq!(
            (file, found_line, found_column),
            (File::Spec, line, column),
            "{spec:?}: {message}"
        );
        assert!(message.contains(part), "{spec:?}: {message}");
    }
}

#[test]
fn nothing_makes_the_reader_panic() {
    let mut rng = ltl::random::Rng::seeded(7);
    let pieces = [
        "0",
        "1",
        "PDA",
        "->",
        "-",
        "|",
        ",",
        ".",
        " ",
        "\n",
        "#",
        "é",
        "99999999999",
        "\t",
    ];
    for _ in 0..20_000 {
        let mut text = || {
            (0..rng.below(14))
                .map(|_| pieces[rng.below(pieces.len())])
                .collect::<String>()
        };
        let _ = parse(&text(), &text(), Some(&text()));
        let _ = parse(PDS, &text(), Some(&text()));
        let _ = parse(PDS, "0|1,1", Some(&text()));
    }
}

//! Texts in and out: never claims, DOT, and the Hanoi format.

use ltl::random::{Rng, Shape};
use ltl::word::{Lasso, accepts};
use ltl::{Atoms, Buchi, Formulas, dot, hoa, never, parse, translate};

fn automaton(text: &str) -> (Buchi, Atoms) {
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let f = parse::formula(&mut formulas, &mut atoms, text).unwrap();
    (translate::buchi(&mut formulas, f).unwrap(), atoms)
}

#[test]
fn texts_of_small_automata() {
    let mut out = String::new();
    for text in [
        "[]<>p",
        "p U q",
        "[](p -> <>q)",
        "<>[] (p && !q)",
        "false",
        "true",
    ] {
        let (buchi, atoms) = automaton(text);
        let expression = |a| format!("{} > 0", atoms.name(a));
        out += &never::never(&buchi, text, expression);
        out += &hoa::write(&buchi, text, &atoms);
        out += &dot::dot(&buchi, &atoms);
        out += "\n";
    }
    insta::assert_snapshot!(out);
}

#[test]
fn the_hanoi_format_survives_a_round_trip() {
    let mut rng = Rng::seeded(71);
    for _ in 0..300 {
        let mut formulas = Formulas::new();
        let f = Shape::default().formula(&mut formulas, &mut rng);
        let buchi = translate::buchi(&mut formulas, f).unwrap();
        let mut atoms = Atoms::new();
        ["p0", "p1", "p2"].iter().for_each(|name| {
            atoms.intern(name);
        });
        let text = hoa::write(&buchi, "f", &atoms);
        let back = hoa::read(&text, &mut atoms).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(
            (back.len(), back.edge_count()),
            (buchi.len(), buchi.edge_count())
        );
        assert_eq!(hoa::write(&back, "f", &atoms), text);
        for _ in 0..10 {
            let lasso = Lasso::random(&mut rng, 3, 3, 3);
            assert_eq!(accepts(&back, &lasso), accepts(&buchi, &lasso));
        }
    }
}

/// Automata written by hand in many dialects of the format, all for the same property.
#[test]
fn all_dialects_of_the_format_are_read() {
    let infinitely_often_p_and_q = [
        "HOA: v1 States: 1 Start: 0 AP: 2 \"p\" \"q\" Acceptance: 2 Inf(0)&Inf(1) --BODY--
         State: 0 [!0&!1] 0 [0&!1] 0 {0} [!0&1] 0 {1} [0&1] 0 {0 1} --END--",
        "HOA: v1 States: 1 Start: 0 AP: 2 \"p\" \"q\" Acceptance: 2 (Inf(1))&(Inf(0)) --BODY--
         State: 0 0 0 {0} 0 {1} 0 {0 1} --END--",
        "HOA: v1 tool: \"x\" \"1\" Start: 0 AP: 2 \"p\" \"q\" Alias: @a 0 Alias: @b 1&!@a
         acc-name: generalized-Buchi 2 Acceptance: 2 Inf(0)&Inf(1) /* a /* nested */ comment */
         --BODY-- State: 0 \"s\" [@a & 1] 0 {0 1} [@a&!1] 0 {0} [@b | f] 0 {1} [!(0|1)] 0 --END--",
        "HOA: v1 States: 3 Start: 0 AP: 2 \"p\" \"q\" Acceptance: 1 Inf(0) --BODY--
         State: 0 [!0] 0 [0] 1 State: 1 [!1] 1 [1] 2 State: 2 {0} [t] 0 --END--",
        "HOA: v1 States: 4 Start: 0 Start: 1 Start: 2 Start: 3 AP: 2 \"q\" \"p\"
         Acceptance: 2 Inf(0)&Inf(1) --BODY--
         State: [!0&!1] 0 0 1 2 3 State: [0&!1] 1 {0} 0 1 2 3
         State: [!0&1] 2 {1} 0 1 2 3 State: [0&1] 3 {0 1} 0 1 2 3 --END--",
    ];
    let (expected, _) = automaton("[]<>p && []<>q");
    let mut rng = Rng::seeded(73);
    for text in infinitely_often_p_and_q {
        let mut atoms = Atoms::new();
        atoms.intern("p");
        atoms.intern("q");
        let buchi = hoa::read(text, &mut atoms).unwrap_or_else(|e| panic!("{e}: {text}"));
        for _ in 0..200 {
            let lasso = Lasso::random(&mut rng, 2, 2, 4);
            assert_eq!(
                accepts(&buchi, &lasso),
                accepts(&expected, &lasso),
                "{text} {lasso:?}"
            );
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_a_position() {
    let cases = [
        ("", 0, "begins with HOA"),
        ("HOA: v2", 0, "begins with HOA"),
        (
            "HOA: v1 Acceptance: 1 Fin(0) --BODY-- --END--",
            22,
            "generalised Büchi",
        ),
        (
            "HOA: v1 Acceptance: 2 Inf(0)|Inf(1) --BODY-- --END--",
            28,
            "generalised Büchi",
        ),
        (
            "HOA: v1 Start: 0&1 Acceptance: 0 t --BODY-- --END--",
            16,
            "alternating",
        ),
        ("HOA: v1 Start: 0 --BODY-- --END--", 26, "no Acceptance"),
        (
            "HOA: v1 Unknown: 3 Acceptance: 0 t --BODY-- --END--",
            17,
            "not known",
        ),
        (
            "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--",
            43,
            "proposition",
        ),
        (
            "HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 0 [t] 1 --END--",
            56,
            "out of range",
        ),
        (
            "HOA: v1 AP: 1 \"p\" Acceptance: 0 t --BODY-- State: 0 0 --END--",
            54,
            "each letter",
        ),
        ("HOA: v1 Acceptance: 0 t --BODY-- State: 0", 41, "--END--"),
        ("HOA: v1 /* ", 8, "comment"),
        ("HOA: v1 name: \"x", 14, "string"),
    ];
    for (text, at, part) in cases {
        let error = hoa::read(text, &mut Atoms::new()).unwrap_err();
        assert!(error.message.contains(part), "{text}: {error}");
        assert_eq!(error.at, at, "{text}: {error}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(words in proptest::collection::vec(0..TOKENS.len(), 0..40)) {
        let words = words.iter().map(|i| TOKENS[*i]);
        let text = "HOA: v1 ".to_owned() + &words.collect::<Vec<_>>().join(" ");
        let _ = hoa::read(&text, &mut Atoms::new());
    }
}

const TOKENS: &[&str] = &[
    "States:",
    "Start:",
    "AP:",
    "Alias:",
    "Acceptance:",
    "--BODY--",
    "--END--",
    "State:",
    "0",
    "1",
    "2",
    "70",
    "\"p\"",
    "@a",
    "t",
    "f",
    "Inf",
    "Fin",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "!",
    "&",
    "|",
];

//! How diagnostics look: one small model for each code of the first half of the front end, and the hard cases.

use ample::report::diagnostics::{render, to_json};
use promela_lite::{Code, MemoryLoader, Options, Session, Span, tokenize};
use proptest::prelude::*;
use std::path::Path;

/// A model for each code, shortest first that triggers it.
const EXAMPLES: &[(&str, &str)] = &[
    ("E0001", "#include \"defs.h\"\n"),
    ("E0002", "#defien N 3\n"),
    ("E0003", "#define\n"),
    ("E0004", "#define GLUE(a, b) a ## b\n"),
    ("E0005", "#define LOG(...) printf\n"),
    (
        "E0006",
        "#define MAX(a, b) ((a) > (b) -> (a) : (b))\ninit { x = MAX(1) }\n",
    ),
    (
        "E0007",
        "#define TWICE(a) (2 * (a))\ninit { x = TWICE(1 }\n",
    ),
    ("E0008", "#include <stdio.h>\n"),
    ("E0010", "#ifdef N\nbyte x;\n"),
    ("E0011", "#if 1 +\n#endif\n"),
    ("E0012", "#ifndef N\n#error set N with -D N=3\n#endif\n"),
    ("E0101", "byte x;\n/* the rest\ninit { skip }\n"),
    ("E0102", "init { printf(\"hello) }\n"),
    ("E0103", "init { x = 'ab' }\n"),
    ("E0104", "init { x = 1 ` }\n"),
    ("E0105", "init { caf\u{0} }\n"),
    ("E0106", "init { \0 skip }\n"),
    ("E0107", "init { x = 0x1F }\n"),
    ("E0108", "init { x = 5000000000 }\n"),
    ("E0109", "init { x = #define }\n"),
    (
        "E0351",
        "inline f() { skip }\ninline f() { break }\ninit { f() }\n",
    ),
    (
        "E0352",
        "inline set(v, n) {\n  v = n\n}\ninit {\n  set(x)\n}\n",
    ),
    ("E0353", "inline f(n) { f(n) }\ninit { f(1) }\n"),
    ("E0354", "init { f() }\ninline f() { skip }\n"),
    ("E0355", "inline f { skip }\n"),
    (
        "E0356",
        "inline next(v) { int x = v; return x + 1 }\ninit { x = next(y) }\n",
    ),
    (
        "E0357",
        "inline next(v) { return v + 1 }\ninit { int x = next(y) }\n",
    ),
    ("E0551", "init { return 1 }\n"),
    ("E0602", "#include \"model.pml\"\n"),
    ("E0701", "init { c_code { now.x++; } }\n"),
    ("W0001", "#define N 3\n#define N 4\n"),
    ("W0002", "#warning N is not set\n"),
    ("W0101", "init { x = 4294967295 }\n"),
    ("W0102", "init { x = 0755 }\n"),
    ("W0351", "inline f() { skip }\n"),
    (
        "W0352",
        "inline swap(a, b) { int t; t = a; a = b; b = t }\ninit { swap(t, u) }\n",
    ),
];

/// Codes whose smallest example is too large to draw; the tests of the front end trigger them.
const LARGE: &[&str] = &["E0601", "E0603", "E0604", "E0605"];

fn session(text: &[u8]) -> Session {
    let mut loader = MemoryLoader::default().with("model.pml", text);
    let mut session = Session::default();
    tokenize(
        Path::new("model.pml"),
        &[],
        &Options::default(),
        &mut loader,
        &mut session,
    );
    session
}

fn rendered(session: &Session) -> String {
    session
        .diagnostics
        .sorted()
        .iter()
        .map(|d| render(d, &session.sources, false))
        .collect()
}

#[test]
fn every_code_of_the_front_end_is_drawn() {
    for &(code, text) in EXAMPLES {
        let mut bytes = text.as_bytes().to_vec();
        if code == "E0105" {
            // A constant string cannot hold what this code is about.
            bytes
                .iter_mut()
                .filter(|byte| **byte == 0)
                .for_each(|byte| *byte = 0xe9);
        }
        let session = session(&bytes);
        let found = session.diagnostics.sorted();
        assert!(
            found.iter().any(|d| d.code.name() == code),
            "{code} is not triggered"
        );
        insta::assert_snapshot!(code, rendered(&session));
    }
}

#[test]
fn no_code_is_forgotten() {
    let mine = |name: &&str| {
        [
            "E00", "E01", "E035", "E055", "E060", "E070", "W000", "W010", "W035",
        ]
        .iter()
        .any(|p| name.starts_with(p))
    };
    for name in Code::ALL.iter().map(|code| code.name()).filter(mine) {
        let drawn = EXAMPLES.iter().any(|(code, _)| *code == name);
        assert!(drawn || LARGE.contains(&name), "{name} has no example");
    }
}

#[test]
fn an_error_in_an_expansion_shows_the_way_there() {
    let text = b"#define INNER(p) p + 0x1\n\n\n\n\n\n\n\n\n#define OUTER(q) INNER(q)\n\ninline f(a) {\n  x = OUTER(a)\n}\n\
        \n\n\n\n\n\n\ninit {\n  f(y)\n}\n";
    insta::assert_snapshot!(rendered(&session(text)));
}

#[test]
fn an_error_in_an_argument_shows_its_use() {
    let text = b"#define TWICE(p) (2 * (p))\ninit { x = TWICE(0x1) }\n";
    insta::assert_snapshot!(rendered(&session(text)));
}

#[test]
fn an_endless_line_is_cut() {
    let mut text = b"init { ".to_vec();
    text.extend("x = 1; ".repeat(70_000).bytes());
    text.extend(b"y = 0x2; ");
    text.extend("x = 1; ".repeat(70_000).bytes());
    text.extend(b"}\n");
    insta::assert_snapshot!(rendered(&session(&text)));
}

/// Two labels far apart on one line, and one that covers a million bytes.
#[test]
fn endless_spans_are_cut() {
    let long = "x = 1; ".repeat(70_000);
    let text = format!("#define M(a) {long}\ninit {{ M(1, {long}) }}\n");
    let session = session(text.as_bytes());
    let text = rendered(&session);
    assert!(text.lines().all(|line| line.len() < 200), "{}", text.len());
    insta::assert_snapshot!(text);
}

#[test]
fn wide_characters_and_tabs_keep_the_marks_in_place() {
    let text = "init {\t/* \u{e9}\u{20ac}\u{4f60} */\tx = 0x1 }\n".as_bytes();
    insta::assert_snapshot!(rendered(&session(text)));
}

#[test]
fn line_markers_are_followed() {
    let text = b"# 41 \"generated.pml\"\n\ninit { x = 0x1 }\n";
    insta::assert_snapshot!(rendered(&session(text)));
}

#[test]
fn color_is_optional() {
    let session = session(b"init { x = 0x1 }\n");
    let text = render(session.diagnostics.sorted()[0], &session.sources, true);
    assert!(text.contains("\u{1b}["));
    assert!(!rendered(&session).contains('\u{1b}'));
}

#[test]
fn json_has_the_same_facts() {
    let session = session(b"#define TWICE(p) (2 * (p))\ninit { x = TWICE(0x1) }\n");
    let value = to_json(session.diagnostics.sorted()[0], &session.sources);
    insta::assert_snapshot!(format!("{value:#}"));
}

#[test]
fn a_diagnostic_about_nothing_has_no_excerpt() {
    let session = Session::default();
    let lost = promela_lite::Diagnostic::error(Code::CannotRead, Span::NONE, "cannot read `x`");
    assert_eq!(
        render(&lost, &session.sources, false),
        "error[E0001]: cannot read `x`\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is wrong with a text, saying so must not fail.
    #[test]
    fn everything_can_be_drawn(pieces in prop::collection::vec(prop::sample::select(vec![
        "#define f(x) x 0x1 `\n", "#define g f(0x2)\n", "#if (\n", "# 3 \"a\"\n", "inline h(a) { a; g; return a }\n", "f(", "g",
        "h(", ")", "{", "}", "\"", "'", "/*", "\u{e9}\u{4f60}", "\t", "\r\n", "\n", "0x3", "`", "#", "c_code", "\\\n", ", ",
    ]), 0..50), byte in any::<u8>()) {
        let mut text = pieces.concat().into_bytes();
        text.push(byte);
        let session = session(&text);
        for diagnostic in session.diagnostics.sorted() {
            let text = render(diagnostic, &session.sources, true);
            prop_assert!(text.contains(diagnostic.code.name()));
            prop_assert!(to_json(diagnostic, &session.sources)["code"] == diagnostic.code.name());
        }
    }
}

//! How diagnostics look: a small model for each code, and the hard cases of drawing.
//!
//! A case is a file `diagnostics/CODE_name.pml`; what is said about it stands beside it in `CODE_name.snap`.

use ample::internals::report::diagnostics::{render, to_json};
use promela_lite::{Code, Input, MemoryLoader, Options, Session, Span, compile, tokenize};
use proptest::prelude::*;
use std::path::Path;

/// Codes whose smallest example is too large for a file: the text that triggers each.
/// A code and a model that is too large to be a file.
type Generated = (&'static str, fn() -> String);

const GENERATED: &[Generated] = &[
    ("E0601", || {
        let doubled = |i: u32| format!("#define M{} M{i} M{i}\n", i + 1);
        let lines: String = (0..40).map(doubled).collect();
        format!("#define M0 skip;\n{lines}init {{ M40 }}\n")
    }),
    ("E0604", || {
        let calls = "F(".repeat(5_000);
        format!("#define F(x) x\ninit {{ {calls}1{} }}\n", ")".repeat(5_000))
    }),
    ("E0605", || {
        let doubled = |i: u32| format!("inline f{}() {{ f{i}(); f{i}() }}\n", i + 1);
        let lines: String = (0..30).map(doubled).collect();
        format!("inline f0() {{ skip }}\n{lines}init {{ f30() }}\n")
    }),
    ("E0606", || {
        let depth = 5_000;
        format!(
            "byte x;\ninit {{ x = {}1{} }}\n",
            "(".repeat(depth),
            ")".repeat(depth)
        )
    }),
    ("E0608", || {
        let proctype = |i: u32| format!("proctype P{i}() {{ skip }}\n");
        let many: String = (0..65_536).map(proctype).collect();
        format!("{many}active proctype Last() {{ skip }}\n")
    }),
];

/// Codes that no test can afford to trigger, and why.
const UNTESTED: &[(&str, &str)] = &[("E0603", "needs four gigabytes of text")];

/// All that is said about a model.
fn said_about(text: Vec<u8>) -> (Vec<Code>, String) {
    let mut loader = MemoryLoader::default().with("model.pml", text);
    let compiled = compile(Path::new("model.pml"), &Input::default(), &mut loader);
    let all = compiled.diagnostics.sorted();
    let codes = all.iter().map(|d| d.code).collect();
    let text = all
        .iter()
        .map(|d| render(d, &compiled.sources, false) + "\n");
    (codes, text.collect())
}

/// The files `diagnostics/CODE_name.pml` with their names.
fn cases() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut cases: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            (name.into_owned(), std::fs::read(&path).expect("a model"))
        })
        .collect();
    cases.extend(
        GENERATED
            .iter()
            .map(|(code, text)| (format!("{code}_generated"), text().into_bytes())),
    );
    cases.sort();
    cases
}

/// To add a case, add a file whose name begins with its code, and run with `INSTA_UPDATE=always`.
#[test]
fn every_code_is_drawn() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("diagnostics");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut wrong = Vec::new();
    settings.bind(|| {
        for (name, text) in cases() {
            let (codes, rendered) = said_about(text);
            let code = name.split('_').next().unwrap_or_default();
            if !codes.iter().any(|c| c.name() == code) {
                wrong.push(format!("{name} does not show its code:\n{rendered}"));
            }
            insta::assert_snapshot!(name, rendered);
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_code_is_forgotten() {
    let cases = cases();
    for code in Code::ALL.iter().map(|code| code.name()) {
        let drawn = cases.iter().any(|(name, _)| name.starts_with(code));
        let excused = UNTESTED.iter().any(|(other, _)| *other == code);
        assert!(
            drawn != excused,
            "{code} has no case, or is excused in vain"
        );
    }
    for (name, _) in &cases {
        let code = name.split('_').next().unwrap_or_default();
        assert!(Code::from_name(code).is_some(), "{name} names no code");
    }
}

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

    /// However broken the structure of a text, parsing goes on to its end, and a refused model has a reason.
    #[test]
    fn broken_structure_is_survived(pieces in prop::collection::vec(prop::sample::select(vec![
        "proctype P()", "active", "init", "never", "ltl p", "typedef T", "mtype", "byte x", "chan q = [1] of", "{", "}", "(",
        ")", "[", "]", "if", "fi", "do", "od", "::", "->", ";", ":", ",", "=", "==", "x", "L:", "goto L", "break", "else",
        "atomic", "d_step", "unless", "q!1", "q?x", "run P()", "1", "x = 1", "protype", "atomc", "\n", "for (x : 1 .. 2)",
    ]), 0..40)) {
        let text = pieces.join(" ");
        let mut loader = MemoryLoader::default().with("model.pml", text);
        let compiled = compile(Path::new("model.pml"), &Input::default(), &mut loader);
        prop_assert_eq!(compiled.program.is_none(), compiled.diagnostics.has_errors());
        for diagnostic in compiled.diagnostics.sorted() {
            render(diagnostic, &compiled.sources, false);
        }
    }
}

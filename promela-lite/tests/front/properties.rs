//! No text, however broken, makes the front end panic, and what it returns is consistent.

use crate::door::read;
use promela_lite::{
    Code, Diagnostic, Diagnostics, MemoryLoader, Session, Span, TokenKind, tokenize_formula,
};
use proptest::prelude::*;

/// Pieces of models, so that random texts get past the first error.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "#define ",
        "#undef ",
        "#if ",
        "#ifdef ",
        "#elif ",
        "#else\n",
        "#endif\n",
        "#include \"m\"\n",
        "#line 3 ",
        "#",
        "##",
        "inline ",
        "ltl ",
        "c_code ",
        "c_expr ",
        "c_state ",
        "typedef ",
        "proctype ",
        "init ",
        "never ",
        "return ",
        "for ",
        "else ",
        "unless ",
        "timeout ",
        "in ",
        "goto ",
        "int ",
        "defined ",
        "f",
        "g",
        "x",
        "f(",
        "g(x)",
        "f(x, ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        "->",
        ",",
        "::",
        ".",
        "@",
        "=",
        "<",
        ">",
        "\\",
        "/",
        "\n",
        "\\\n",
        "\"",
        "'",
        "'a'",
        "\"s\"",
        "/*",
        "*/",
        "//",
        "0",
        "010",
        "0x1",
        "99999999999",
        "U ",
        "X ",
        "at",
        "$",
        "\u{e9}",
        "\0",
        " ",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn examine(bytes: Vec<u8>) {
    let mut loader = MemoryLoader::default()
        .with("dir/model.pml", bytes)
        .with("dir/m", "#define f(x) g(x) x\n");
    let (stream, mut session) = read(&mut loader, &[], &[("g(y)", Some("f(y) y"))]);
    for token in &stream.tokens {
        let place = session.sources.locate(token.span);
        assert!(place.line >= 1 && place.column >= 1 || place.file.is_empty());
        let root = session.sources.root(token.span);
        assert_eq!(
            session.sources.expansion(root.expn).map(|e| e.call_site),
            None
        );
        if !matches!(token.kind, TokenKind::Semi) {
            assert!(!token.span.is_empty());
        }
    }
    let places: Vec<u32> = session
        .diagnostics
        .sorted()
        .iter()
        .map(|d| d.primary.span.lo)
        .collect();
    assert!(places.is_sorted());
    tokenize_formula("[] f(x) -> <> g(1)", "<formula>", &mut session);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        examine(bytes);
    }

    #[test]
    fn pieces_never_panic(text in pieces()) {
        examine(text.into_bytes());
    }

    #[test]
    fn formulas_never_panic(text in pieces()) {
        tokenize_formula(&text, "<formula>", &mut Session::default());
    }

    /// A model that uses no macro and no inline keeps its tokens, up to semicolons.
    #[test]
    fn plain_words_pass_unchanged(words in prop::collection::vec("[a-z]{6,9}x|[1-9][0-9]{0,3}", 0..40)) {
        let text = words.join(" ");
        let mut loader = MemoryLoader::default().with("dir/model.pml", text.clone());
        let (stream, session) = read(&mut loader, &[], &[]);
        prop_assert_eq!(crate::door::show(&stream, &session), text);
    }
}

#[test]
fn diagnostics_are_bounded_and_said_once() {
    let mut all = Diagnostics::default();
    let at = |lo: u32| Span {
        lo,
        hi: lo + 1,
        ..Span::NONE
    };
    all.push(Diagnostic::warning(Code::UnusedInline, at(5), "w"));
    assert!(!all.has_errors());
    for lo in (0..300).rev() {
        all.push(Diagnostic::error(Code::Syntax, at(lo), "e"));
        all.push(Diagnostic::error(Code::Syntax, at(lo), "e"));
    }
    assert!(all.has_errors());
    assert_eq!(all.sorted().len(), Diagnostics::LIMIT + 1);
    assert_eq!(all.dropped(), 400);
    assert_eq!(all.sorted()[0].primary.span.lo, 5);
}

#[test]
fn codes_are_unique_and_explained() {
    for (index, code) in Code::ALL.iter().enumerate() {
        assert_eq!(
            Code::from_name(code.name()),
            Some(*code),
            "{} is used twice",
            code.name()
        );
        assert_eq!(code.name().len(), 5);
        assert!(
            !code.summary().is_empty() && code.explanation().ends_with('.'),
            "{}",
            code.name()
        );
        assert!(
            index == 0 || !code.summary().ends_with('.'),
            "{}",
            code.name()
        );
    }
}

//! The one door of these tests: text in, tokens and codes out, both as short strings.

use promela_lite::{
    Extra, MemoryLoader, Options, Session, TokenKind, TokenStream, tokenize, tokenize_formula,
};
use std::path::Path;

/// Tokens separated by spaces, then the codes of all diagnostics. Type and proctype names carry `T:` and `P:`,
/// numbers and words are as written, and a semicolon that nobody wrote is `^`.
pub(crate) fn show(stream: &TokenStream, session: &Session) -> String {
    let mut words: Vec<String> = stream
        .tokens
        .iter()
        .map(|token| match token.kind {
            TokenKind::Name(symbol) => session.symbols.text(symbol).to_owned(),
            TokenKind::TypeName(symbol) => format!("T:{}", session.symbols.text(symbol)),
            TokenKind::ProcName(symbol) => format!("P:{}", session.symbols.text(symbol)),
            TokenKind::Number(value) => value.to_string(),
            TokenKind::Str(symbol) => format!("{:?}", session.symbols.text(symbol)),
            TokenKind::Semi if token.span.is_empty() => "^".to_owned(),
            TokenKind::Implies => "=>".to_owned(),
            kind => kind.text().to_owned(),
        })
        .collect();
    words.extend(
        session
            .diagnostics
            .sorted()
            .iter()
            .map(|d| format!("!{}", d.code.name())),
    );
    words.join(" ")
}

/// The files of a test: the model, and others behind `@@ name`.
pub(crate) fn files(text: &str) -> MemoryLoader {
    let mut parts = text.split("@@ ");
    let mut loader = MemoryLoader::default().with("dir/model.pml", parts.next().unwrap_or(""));
    for part in parts {
        let (name, body) = part.split_once('\n').unwrap_or((part, ""));
        loader = loader.with(format!("dir/{name}"), body);
    }
    loader
}

/// The session after reading a model, and its tokens.
pub(crate) fn read(
    loader: &mut MemoryLoader,
    extra: &[Extra],
    defines: &[(&str, Option<&str>)],
) -> (TokenStream, Session) {
    let defines = defines
        .iter()
        .map(|(name, value)| (name.to_string(), value.map(str::to_owned)))
        .collect();
    let mut session = Session::default();
    let stream = tokenize(
        Path::new("dir/model.pml"),
        extra,
        &Options { defines },
        loader,
        &mut session,
    );
    (stream, session)
}

/// Checks a table of models and what becomes of them.
pub(crate) fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let (stream, session) = read(&mut files(text), &[], &[]);
        assert_eq!(show(&stream, &session), *expected, "\nfor: {text}");
    }
}

/// Checks a table of formulas, read after the model `p`.
pub(crate) fn check_formulas(model: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let (_, mut session) = read(&mut files(model), &[], &[]);
        let stream = tokenize_formula(text, "<formula>", &mut session);
        assert_eq!(show(&stream, &session), *expected, "\nfor: {text}");
    }
}

//! One door: a text, and what is to come of it.

use promela_lite::{Code, Input, MemoryLoader, compile};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time that one input may take; generous, since the machine may be busy and the build not optimised.
const LIMIT: Duration = Duration::from_secs(30);

/// Compiles a text and compares the code of its first error with what is expected: `None` for a legal model.
pub(crate) fn check(name: &str, text: impl Into<Vec<u8>>, expected: Option<Code>) {
    let mut loader = MemoryLoader::default()
        .with("m", text)
        .with("loop", "#include \"loop\"\n")
        .with("ping", "#include \"pong\"\n")
        .with("pong", "#include \"ping\"\n");
    let begin = Instant::now();
    let compiled = compile(Path::new("m"), &Input::default(), &mut loader);
    let time = begin.elapsed();
    let errors: Vec<_> = compiled
        .diagnostics
        .sorted()
        .into_iter()
        .filter(|d| d.code.severity() == promela_lite::Severity::Error)
        .map(|d| (d.code, d.message.clone()))
        .collect();
    println!("{name}: {time:?}, {:?}", errors.first());
    assert!(time < LIMIT, "{name} took {time:?}");
    assert_eq!(
        compiled.program.is_some(),
        expected.is_none(),
        "{name}: {errors:?}"
    );
    if let Some(expected) = expected {
        assert!(
            errors.iter().any(|(code, _)| *code == expected),
            "{name}: {expected:?} is not among {errors:?}"
        );
    }
}

/// A model around the statements of one process.
pub(crate) fn body(statements: &str) -> String {
    format!("byte x; int y; chan c = [1] of {{ byte }};\ninit {{\n{statements}\n}}\n")
}

pub(crate) const DEEP: usize = 100_000;

pub(crate) fn nest(open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(DEEP), close.repeat(DEEP))
}

pub(crate) fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

//! What tests share: the launcher of the command, SPIN, searches in every way, models with headers.
#![allow(
    dead_code,
    unused_imports,
    reason = "each test that shares this uses its own part of it"
)]

pub(crate) mod chromium;
pub(crate) mod cli;
pub(crate) mod console;
pub(crate) mod fair;
pub(crate) mod machine;
pub(crate) mod models;
pub(crate) mod search;
pub(crate) mod spin;
pub(crate) mod xml;

/// A number from the environment.
pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value.and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// Whether everything is asked for, not only what is quick.
pub(crate) fn all() -> bool {
    std::env::var_os("AMPLE_ALL").is_some()
}

/// The rows of a record: its lines in words, without comments.
pub(crate) fn rows(record: &'static str) -> Vec<Vec<&'static str>> {
    let lines = record
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(|l| l.split_whitespace().collect()).collect()
}

//! The one place that prints: what goes to standard output and standard error, made safe for
//! terminals ([`Printable`]), and what happens when it cannot be written.

use crate::report::printable::{Printable, printable};
use std::fmt;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

/// Standard output could not be written: nobody knows the result.
#[derive(Debug)]
pub(super) struct Unwritten(io::Error);

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the result is lost: cannot write to standard output: {}",
            self.0
        )
    }
}

impl std::error::Error for Unwritten {}

/// Whether something was written. A reader that has gone away has what it wanted.
pub(super) fn written(result: io::Result<()>) -> Result<(), Unwritten> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Unwritten(error)),
        _ => Ok(()),
    }
}

/// Standard output.
pub(super) fn output() -> Printable<BufWriter<StdoutLock<'static>>> {
    Printable(BufWriter::new(io::stdout().lock()))
}

/// Writes to standard output.
pub(super) fn print(text: &str) -> Result<(), Unwritten> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Like [`print()`], for what is better not held in memory as a whole.
pub(super) fn print_with(
    write: impl FnOnce(&mut Printable<BufWriter<StdoutLock<'static>>>) -> io::Result<()>,
) -> Result<(), Unwritten> {
    let mut out = output();
    written(write(&mut out).and_then(|()| out.flush()))
}

/// Writes to standard error. There is nobody to tell if that fails.
pub(super) fn say(text: &str) {
    say_styled(&printable(text));
}

/// The same for text that was made safe in its parts, and then coloured.
pub(super) fn say_styled(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether text for standard error is coloured: as `NO_COLOR`, `CLICOLOR_FORCE` and `CLICOLOR` say,
/// otherwise on terminals that can.
pub(super) fn colored() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_zero = |name: &str| set(name).is_some_and(|value| value == "0");
    if set("NO_COLOR").is_some() {
        return false;
    }
    let forced = set("CLICOLOR_FORCE").is_some() && !is_zero("CLICOLOR_FORCE");
    forced || (obeys() && !is_zero("CLICOLOR"))
}

/// Whether standard error is a terminal that can write over a line.
pub(super) fn obeys() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Writes over the last line of a terminal that [`obeys()`], within its width.
pub(super) fn status(text: &str) {
    let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
    say_styled(&format!(
        "\r\x1b[K{}",
        fit(&printable(text), usize::from(width))
    ));
}

/// As much of a line as a terminal shows without going on to the next.
fn fit(text: &str, width: usize) -> &str {
    let end = text.char_indices().nth(width.saturating_sub(1));
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_terminals() {
        for (text, width, expected) in [
            ("12 states", 80, "12 states"),
            ("12 states", 5, "12 s"),
            ("größer", 4, "grö"),
            ("x", 0, ""),
        ] {
            assert_eq!(fit(text, width), expected);
        }
    }
}

//! What a model prints: `printf` and `printm`, collected for simulation and replay.

use promela_lite::program::Program;
use std::fmt::Write;

/// Bytes that are collected until they are taken: a long `d_step` may print any amount. What comes behind is left out, and
/// the last piece says so.
const MAX_BYTES: usize = 16 << 20;

/// The last piece, where something was left out.
const LEFT_OUT: &str = "\n(what this step prints beyond 16 MiB is left out)\n";

/// Text printed by the moves made since it was last taken, one piece per statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    enabled: bool,
    pieces: Vec<String>,
    /// Bytes of all pieces, each with its overhead.
    bytes: usize,
    /// The piece that is being printed.
    text: String,
}

/// The name of an mtype value.
pub(super) fn mtype_name(program: &Program, set: usize, value: i32) -> Option<&str> {
    let index = usize::try_from(value).ok()?.checked_sub(1)?;
    let names = &program.mtypes.get(set)?.names;
    names.get(index).map(String::as_str)
}

impl Output {
    pub(super) fn enable(&mut self, enabled: bool) {
        self.enabled = enabled;
        self.take();
    }

    pub(super) fn take(&mut self) -> Vec<String> {
        self.bytes = 0;
        std::mem::take(&mut self.pieces)
    }

    /// Whether what is printed is collected.
    fn collects(&self) -> bool {
        self.enabled && self.bytes <= MAX_BYTES
    }

    fn end_piece(&mut self) {
        self.bytes += self.text.len() + size_of::<String>();
        self.pieces.push(std::mem::take(&mut self.text));
        if self.bytes > MAX_BYTES {
            self.pieces.push(LEFT_OUT.to_owned());
        }
    }

    pub(super) fn print_mtype(&mut self, program: &Program, set: usize, value: i32) {
        if self.collects() {
            match mtype_name(program, set, value) {
                Some(name) => self.text.push_str(name),
                None => self.put(value),
            }
            self.end_piece();
        }
    }

    fn put(&mut self, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{value}");
    }

    /// Prints a format with `%d %u %x %o %c %e %%`, `\n` and `\t`; behind any other backslash a character stands for
    /// itself, as in SPIN's simulations, and anything else is copied.
    pub(super) fn print(&mut self, program: &Program, format: u32, args: &[i32]) {
        if !self.collects() {
            return;
        }
        let mut args = args.iter().copied();
        let mut chars = program.formats[format as usize].chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => self.text.push('\n'),
                    Some('t') => self.text.push('\t'),
                    other => self.text.push(other.unwrap_or('\\')),
                },
                '%' => match chars.next() {
                    None | Some('%') => self.text.push('%'),
                    Some(conversion) => {
                        let value = args.next().unwrap_or(0);
                        self.convert(program, conversion, value);
                    }
                },
                other => self.text.push(other),
            }
        }
        self.end_piece();
    }

    fn convert(&mut self, program: &Program, conversion: char, value: i32) {
        match conversion {
            'd' => self.put(value),
            'u' => self.put(value as u32),
            'x' => self.put(format_args!("{value:x}")),
            'o' => self.put(format_args!("{value:o}")),
            'c' => self.text.push(char::from(value as u8)),
            'e' => {
                let mut sets = 0..program.mtypes.len();
                match sets.find_map(|set| mtype_name(program, set, value)) {
                    Some(name) => self.text.push_str(name),
                    None => self.put(value),
                }
            }
            other => {
                self.text.push('%');
                self.text.push(other);
            }
        }
    }
}

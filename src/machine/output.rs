//! What a model prints: `printf` and `printm`, collected for whoever wants to see it.

use promela_lite::program::Program;
use std::fmt::Write;

/// Text printed by the moves made since it was last taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    enabled: bool,
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
        self.text.clear();
    }

    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    pub(super) fn print_mtype(&mut self, program: &Program, set: usize, value: i32) {
        if self.enabled {
            match mtype_name(program, set, value) {
                Some(name) => self.text.push_str(name),
                None => self.put(value),
            }
        }
    }

    fn put(&mut self, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{value}");
    }

    /// Prints a format with `%d %u %x %o %c %e %%`; anything else is copied.
    pub(super) fn print(&mut self, program: &Program, format: u32, args: &[i32]) {
        if !self.enabled {
            return;
        }
        let mut args = args.iter().copied();
        let mut chars = program.formats[format as usize].chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                self.text.push(c);
                continue;
            }
            let Some(conversion) = chars.next() else {
                self.text.push('%');
                break;
            };
            if conversion == '%' {
                self.text.push('%');
                continue;
            }
            let value = args.next().unwrap_or(0);
            match conversion {
                'd' => self.put(value),
                'u' => self.put(value as u32),
                'x' => self.put(format_args!("{value:x}")),
                'o' => self.put(format_args!("{value:o}")),
                'c' => self.text.push(char::from(value as u8)),
                'e' => {
                    let sets = 0..program.mtypes.len();
                    match sets
                        .into_iter()
                        .find_map(|set| mtype_name(program, set, value))
                    {
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
}

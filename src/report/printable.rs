//! Text of strangers as it is safe to show.
//!
//! Names, strings, file names, line markers, trails and automata come from files that somebody else
//! may have written. A terminal obeys the control characters in them: these could hide a verdict or
//! write over it. So everything that is shown goes through [`Printable`], which writes each of them
//! visibly, as `\x1b` or `\u{202e}`; line ends and tabs stay. It does the same whether or not a
//! terminal is there: what was written to a file may be shown later.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// Whether a terminal may do anything but draw the character: control characters, and those that
/// change the direction of writing or break lines.
fn is_control(c: char) -> bool {
    let layout = matches!(c, '\n' | '\t');
    let directs = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && !layout) || directs
}

/// Whether the bytes can be shown as they are, without a look at the characters they make.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    bytes.iter().all(plain)
}

/// The text with its control characters made visible.
pub fn printable(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) || !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        // Writing to a string cannot fail.
        let _ = match c {
            c if !is_control(c) => out.write_char(c),
            '\r' => out.write_str("\\r"),
            c if u32::from(c) < 0x100 => write!(out, "\\x{:02x}", u32::from(c)),
            c => write!(out, "\\u{{{:x}}}", u32::from(c)),
        };
    }
    Cow::Owned(out)
}

/// Text for the renderer of excerpts, which makes other control characters visible itself.
/// Positions in it stay what they are.
#[cfg(feature = "cli")]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    let second_set = |c: char| ('\u{80}'..='\u{9f}').contains(&c);
    match text.contains(second_set) {
        // As many bytes as any of them.
        true => Cow::Owned(text.replace(second_set, "\u{bf}")),
        false => Cow::Borrowed(text),
    }
}

/// Writes a part of a JSON string: the same characters as JSON escapes them.
pub fn write_json(out: &mut (impl io::Write + ?Sized), text: &str) -> io::Result<()> {
    if is_plain(text.as_bytes()) || !text.contains(is_control) {
        return out.write_all(text.as_bytes());
    }
    for c in text.chars() {
        match is_control(c) {
            true => write!(out, "\\u{:04x}", u32::from(c))?,
            false => write!(out, "{c}")?,
        }
    }
    Ok(())
}

/// Writes what is safe to show. Whole characters must be written at a time, as `write!` does it.
pub struct Printable<W>(pub W);

impl<W: io::Write> io::Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match is_plain(bytes) {
            true => self.0.write_all(bytes)?,
            false => self
                .0
                .write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn control_characters_become_visible() {
        for (text, expected) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("größer", "größer"),
            ("\x1b[2Jx\r", "\\x1b[2Jx\\r"),
            ("\u{9b}31m\x7f\0", "\\x9b31m\\x7f\\x00"),
            ("a\u{202e}b\u{2028}", "a\\u{202e}b\\u{2028}"),
        ] {
            assert_eq!(printable(text), expected);
            let mut out = Printable(Vec::new());
            write!(out, "{text}").expect("written");
            assert_eq!(out.0, expected.as_bytes());
        }
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = "ö\u{9b}\u{202e}\x7f";
        let mut out = b"\"".to_vec();
        write_json(&mut out, text).expect("written");
        out.push(b'"');
        assert!(out.is_ascii() || !String::from_utf8_lossy(&out).contains(is_control));
        assert_eq!(serde_json::from_slice::<String>(&out).expect("JSON"), text);
    }
}

//! Text of strangers inside HTML, XML and scripts: names, strings and file names of a model are written by somebody else.

use crate::report::printable::printable;
use serde::Serialize;
use std::fmt::Write;

/// Text for HTML and XML, between tags or in a quoted attribute. Control characters, which XML has no way to write, become
/// visible.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No characters of XML.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A value as JSON inside a `script` element: nothing in it can end the element, begin a comment, end a line of a script, or
/// change the direction of writing.
pub(crate) fn json(value: &impl Serialize) -> String {
    let plain = serde_json::to_string(value).unwrap_or_default();
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '<'
            | '>'
            | '&'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Bytes in base 64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            match digit <= chunk.len() {
                true => out.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63])),
                false => out.push('='),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_an_element_or_a_script() {
        let hostile = "</script><!--<script>\u{2028}\"'&\u{1b}[2J\u{0}\u{ffff}";
        let escaped = text(hostile);
        assert!(!escaped.contains([
            '<', '>', '"', '\'', '\u{1b}', '\u{0}', '\u{ffff}', '\u{2028}'
        ]));
        let value = vec![hostile];
        let script = json(&value);
        assert!(!script.contains(['<', '>', '&', '\u{2028}', '\u{1b}', '\u{0}']));
        let back: Vec<String> = serde_json::from_str(&script).expect("JSON");
        assert_eq!(back, value);
    }

    #[test]
    fn base_64() {
        for (bytes, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
    }
}

//! The report as one JSON object.
//!
//! What is deeper than [`LINES`] levels, as the steps of a trail are, is written on one line: there may be millions.

use super::Report;
use super::printable::write_json;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io;

/// Levels of objects and arrays that have a line for each of their parts.
const LINES: usize = 6;

/// Writes the report, with a newline at the end.
pub fn render(out: &mut impl io::Write, report: &Report) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, Layout::default());
    report.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// A document as text, with a newline at the end.
pub fn document(value: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, Layout::default());
    // Writing to memory cannot fail, and neither can values of ours.
    let _ = value.serialize(&mut serializer);
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}

/// A document on one line.
pub fn one_line(value: &impl Serialize) -> String {
    let mut out = Vec::new();
    let layout = Layout {
        depth: LINES,
        ..Layout::default()
    };
    let _ = value.serialize(&mut Serializer::with_formatter(&mut out, layout));
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}

/// [`PrettyFormatter`] down to [`LINES`] levels, [`CompactFormatter`] below.
#[derive(Default)]
struct Layout {
    pretty: PrettyFormatter<'static>,
    depth: usize,
}

/// A method of [`Formatter`], by the depth of what is open.
macro_rules! by_depth {
    ($($name:ident($($argument:ident: $type:ty)?) $(opens $open:literal)? $(closes $close:literal)?;)*) => { $(
        fn $name<W: ?Sized + io::Write>(&mut self, out: &mut W $(, $argument: $type)?) -> io::Result<()> {
            $(self.depth += $open;)?
            match self.depth <= LINES {
                true => self.pretty.$name(out $(, $argument)?)?,
                false => CompactFormatter.$name(out $(, $argument)?)?,
            }
            $(self.depth -= $close;)?
            Ok(())
        }
    )* };
}

impl Formatter for Layout {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_json(out, text)
    }

    by_depth! {
        begin_array() opens 1;
        end_array() closes 1;
        begin_array_value(first: bool);
        end_array_value();
        begin_object() opens 1;
        end_object() closes 1;
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn text(value: &Value) -> String {
        let mut out = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut out, Layout::default());
        value.serialize(&mut serializer).expect("written");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn only_what_is_deep_shares_a_line() {
        let steps =
            json!([{ "step": 1, "values": [{ "name": "x" }] }, { "step": 2, "values": [] }]);
        let report =
            json!({ "results": [{ "violations": [{ "trail": steps, "line": 3 }], "states": 4 }] });
        let text = text(&report);
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), report);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert!(
            lines.contains(&r#"{"step":1,"values":[{"name":"x"}]},"#),
            "{text}"
        );
        assert!(lines.contains(&r#""line": 3,"#), "{text}");
        let shallow = json!({ "a": [1, { "b": [] }], "c": "d" });
        let pretty = serde_json::to_string_pretty(&shallow).expect("written");
        assert_eq!(self::text(&shallow), pretty);
    }
}

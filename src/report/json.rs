//! The report as one JSON object.

use super::Report;

/// The text, with a newline at the end.
pub fn render(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

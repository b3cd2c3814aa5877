//! A run as a message sequence chart: a lifeline for each process, a row for each step.

use super::markup::text;
use super::record::Record;
use std::fmt::Write;

const ROW: usize = 24;
const TOP: usize = 48;
const LEFT: usize = 56;
/// Width of a character.
const CHARACTER: usize = 7;

const STYLE: &str = "svg{font:12px ui-monospace,monospace;background:#fff}text{fill:#1d2430}\
.life{stroke:#9aa7b8}.head{fill:#f5f7fa;stroke:#5b6b82}.number{fill:#7a8699;text-anchor:end}.dot{fill:#2f6fde}\
.message{stroke:#2f6fde;fill:none}.tip{fill:#2f6fde}.start{stroke:#2e9e5b;stroke-dasharray:3 3}\
.end{stroke:#5b6b82;stroke-width:2}\
.label{paint-order:stroke;stroke:#fff;stroke-width:4px;font-size:11px}.loop{fill:#e69f001a;stroke:#b87400;stroke-dasharray:6 4}\
.bad{fill:#c0392b}";

/// The chart as an SVG document. `cycle` is the number of steps before a cycle; `message` says what is wrong in the end.
pub(crate) fn svg(title: &str, record: &Record, cycle: Option<usize>, message: &str) -> String {
    let lane_width = |name: &str| (name.chars().count() + 3) * CHARACTER;
    let widest = record
        .lanes
        .iter()
        .map(|l| lane_width(&l.name))
        .max()
        .unwrap_or(0)
        .max(150);
    let x = |lane: usize| middle(lane, widest);
    let y = |step: usize| TOP + 12 + step * ROW;
    let steps = record.steps.len();
    let written = |step: &super::record::Step| {
        step.executed
            .clone()
            .unwrap_or_else(|| record.sites[step.site].text.clone())
    };
    let longest = record
        .steps
        .iter()
        .map(|s| written(s).chars().count())
        .max()
        .unwrap_or(0);
    let width = LEFT + record.lanes.len().max(1) * widest + longest.min(80) * CHARACTER;
    let height = y(steps) + 2 * ROW;
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\"><title>{}</title><style>{STYLE}</style>",
        text(title)
    );
    if let Some(start) = cycle.filter(|start| *start < steps) {
        let (top, bottom) = (y(start + 1) - ROW / 2, y(steps) + ROW / 2);
        let _ = write!(
            out,
            "<g class=\"cycle\"><rect class=\"loop\" x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">forever</text></g>",
            LEFT - 12,
            width - LEFT,
            bottom - top,
            width - 20,
            top + 14
        );
    }
    for (number, lane) in record.lanes.iter().enumerate() {
        let (x, from, to) = (x(number), y(lane.from), y(lane.to.unwrap_or(steps)));
        let name = text(&lane.name);
        let half = lane_width(&lane.name) / 2;
        let _ = write!(
            out,
            "<line class=\"life\" x1=\"{x}\" y1=\"{from}\" x2=\"{x}\" y2=\"{to}\"/>\
             <rect class=\"head\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\" rx=\"4\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{name}</text>",
            x - half,
            from.saturating_sub(32),
            2 * half,
            from.saturating_sub(18)
        );
        if let (Some(parent), true) = (lane.parent, lane.from > 0) {
            let _ = write!(
                out,
                "<line class=\"start\" x1=\"{}\" y1=\"{from}\" x2=\"{x}\" y2=\"{from}\"/>",
                middle(parent, widest)
            );
        }
        if lane.to.is_some() {
            let _ = write!(
                out,
                "<path class=\"end\" d=\"M{} {}l10 10m0 -10l-10 10\"/>",
                x - 5,
                to - 5
            );
        }
    }
    for (index, step) in record.steps.iter().enumerate() {
        let (x, y) = (x(step.lane), y(index + 1));
        let _ = write!(
            out,
            "<text class=\"number\" x=\"{}\" y=\"{}\">{}</text><circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>\
             <text class=\"label\" x=\"{}\" y=\"{}\">{}</text>",
            LEFT - 20,
            y + 4,
            index + 1,
            x + 8,
            y - 3,
            text(&written(step))
        );
    }
    for (from, sender, to, receiver, label) in &record.arrows {
        let (x1, y1, x2, y2) = (x(*sender), y(*from), x(*receiver), y(*to));
        let tip = if x2 >= x1 { -7i64 } else { 7 };
        let _ = write!(
            out,
            "<g><title>{}</title><path class=\"message\" d=\"M{x1} {y1}L{x2} {y2}\"/>\
             <path class=\"tip\" d=\"M{x2} {y2}l{tip} -4l0 8Z\"/></g>",
            text(label)
        );
    }
    let _ = write!(
        out,
        "<text class=\"bad\" x=\"{LEFT}\" y=\"{}\">{}</text></svg>",
        y(steps) + ROW,
        text(message)
    );
    out
}

fn middle(lane: usize, widest: usize) -> usize {
    LEFT + lane * widest + widest / 2
}

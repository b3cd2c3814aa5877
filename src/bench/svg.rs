//! The figures as a picture: for each model the states of the full and of the reduced search, as bars on a logarithmic
//! scale, so that the difference of two lengths is a ratio.
//!
//! The picture needs nothing but a viewer: no script, no font of its own, a background of its own.

use super::table::ratio;
use super::{Figures, Report, Row};
use crate::report::text::grouped;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 78.0;
const BAR: f64 = 14.0;
const GAP: f64 = 16.0;
const BOTTOM: f64 = 44.0;

/// What a bar stands for, and its colour.
const SERIES: [(&str, &str); 4] = [
    ("ample, full", "#b6c2cf"),
    ("ample, reduced", "#1f6fb2"),
    ("SPIN, full", "#e6d3b3"),
    ("SPIN, reduced", "#d9822b"),
];

/// The picture.
pub(crate) fn render(report: &Report) -> String {
    let rows: Vec<(&Row, Vec<(usize, Figures)>)> =
        report.rows.iter().map(|row| (row, bars(row))).collect();
    let most = rows.iter().flat_map(|(_, bars)| bars);
    let most = most.map(|(_, f)| f.states).max().unwrap_or(1);
    let decades = (most.max(10) as f64).log10().ceil();
    let scale = Scale { decades };
    let height = |bars: &[(usize, Figures)]| bars.len() as f64 * BAR + GAP;
    let bottom = TOP + rows.iter().map(|(_, bars)| height(bars)).sum::<f64>();
    let mut out = String::new();
    head(&mut out, bottom + BOTTOM);
    legend(&mut out, report.rows.iter().any(|r| r.spin.is_some()));
    scale.draw(&mut out, bottom);
    let mut y = TOP + GAP / 2.0;
    for (row, bars) in &rows {
        group(&mut out, scale, row, bars, y);
        y += height(bars);
    }
    out.push_str("</svg>\n");
    out
}

fn bars(row: &Row) -> Vec<(usize, Figures)> {
    let pairs = [Some(&row.ours), row.spin.as_ref()];
    let figures = pairs.into_iter().flatten();
    figures
        .flat_map(|pair| [pair.full, pair.reduced])
        .enumerate()
        .collect()
}

/// From numbers to places.
#[derive(Copy, Clone)]
struct Scale {
    decades: f64,
}

impl Scale {
    fn x(self, states: u64) -> f64 {
        let share = (states.max(1) as f64).log10() / self.decades;
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    /// A line for every power of ten.
    fn draw(self, out: &mut String, bottom: f64) {
        for exponent in 0..=self.decades as u32 {
            let power = 10u64.pow(exponent);
            let x = self.x(power);
            element(
                out,
                format_args!(
                    r##"<line x1="{x:.1}" y1="{TOP}" x2="{x:.1}" y2="{bottom:.1}" stroke="#e3e6ea"/>"##
                ),
            );
            let y = bottom + 16.0;
            element(
                out,
                format_args!(
                    r##"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" fill="#57606a">{}</text>"##,
                    grouped(power)
                ),
            );
        }
        let (x, y) = (LEFT + (WIDTH - LEFT - RIGHT) / 2.0, bottom + 34.0);
        element(
            out,
            format_args!(
                r##"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" fill="#57606a">states (logarithmic scale)</text>"##
            ),
        );
    }
}

fn element(out: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{args}");
}

fn head(out: &mut String, height: f64) {
    element(
        out,
        format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0}" viewBox="0 0 {WIDTH} {height:.0}" font-family="system-ui, sans-serif" font-size="12" role="img">"#
        ),
    );
    element(
        out,
        format_args!("<title>States of the full and the reduced search</title>"),
    );
    element(
        out,
        format_args!(r##"<rect width="{WIDTH}" height="{height:.0}" fill="#ffffff"/>"##),
    );
    element(
        out,
        format_args!(
            r##"<text x="{LEFT}" y="28" font-size="16" font-weight="600" fill="#1f2328">What the reduction saves</text>"##
        ),
    );
}

fn legend(out: &mut String, spin: bool) {
    let count = if spin { 4 } else { 2 };
    for (index, (name, colour)) in SERIES.iter().take(count).enumerate() {
        let x = LEFT + index as f64 * 130.0;
        element(
            out,
            format_args!(r#"<rect x="{x}" y="44" width="12" height="12" fill="{colour}"/>"#),
        );
        let x = x + 18.0;
        element(
            out,
            format_args!(r##"<text x="{x}" y="54" fill="#1f2328">{name}</text>"##),
        );
    }
}

fn group(out: &mut String, scale: Scale, row: &Row, bars: &[(usize, Figures)], top: f64) {
    let middle = top + bars.len() as f64 * BAR / 2.0;
    let x = LEFT - 10.0;
    let (name, parameters) = (escaped(&row.model), escaped(&row.parameters));
    element(
        out,
        format_args!(
            r##"<text x="{x}" y="{:.1}" text-anchor="end" font-weight="600" fill="#1f2328">{name}</text>"##,
            middle - 1.0
        ),
    );
    element(
        out,
        format_args!(
            r##"<text x="{x}" y="{:.1}" text-anchor="end" font-size="10" fill="#57606a">{parameters}</text>"##,
            middle + 11.0
        ),
    );
    for &(series, figures) in bars {
        let y = top + series as f64 * BAR;
        let width = scale.x(figures.states) - LEFT;
        let (_, colour) = SERIES[series];
        element(
            out,
            format_args!(
                r#"<rect x="{LEFT}" y="{y:.1}" width="{width:.1}" height="{:.1}" fill="{colour}"/>"#,
                BAR - 2.0
            ),
        );
        let (x, y) = (LEFT + width + 6.0, y + BAR - 4.0);
        let (sign, states) = (
            if figures.complete { "" } else { "&gt; " },
            grouped(figures.states),
        );
        element(
            out,
            format_args!(
                r##"<text x="{x:.1}" y="{y:.1}" font-size="11" fill="#1f2328">{sign}{states}{}</text>"##,
                times(row, series)
            ),
        );
    }
}

/// Behind the bar of a reduced search: how many times as long the full one is.
fn times(row: &Row, series: usize) -> String {
    let pair = match series {
        1 => Some(&row.ours),
        3 => row.spin.as_ref(),
        _ => None,
    };
    let saved = pair.and_then(|p| Some((p, p.ratio_of_states()?)));
    saved.map_or(String::new(), |(pair, saved)| {
        let sign = if pair.full.complete { "" } else { "&gt; " };
        format!("  ({sign}{}×)", ratio(Some(saved)))
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

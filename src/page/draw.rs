//! Graphs as SVG, in layers: automata, control flow, small state spaces.
//!
//! A node's layer is its distance from the roots. Within a layer, nodes are sorted by the mean position of those that lead to
//! them, twice from above. Edges to the next layer are straight curves; others bow out to the right. No more is done: these
//! are pictures of tens of nodes, not of thousands.

use super::markup::text;
use std::collections::VecDeque;
use std::fmt::Write;

/// A node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// Lines of text in it.
    pub(crate) lines: Vec<String>,
    /// Classes for the style sheet: letters, digits and blanks.
    pub(crate) class: &'static str,
}

/// An edge.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Where it starts.
    pub(crate) from: usize,
    /// Where it leads.
    pub(crate) to: usize,
    /// Text beside it.
    pub(crate) label: String,
    /// Classes for the style sheet.
    pub(crate) class: &'static str,
}

/// A graph with a title; `roots` are on top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    /// What it shows.
    pub(crate) title: String,
    /// Its nodes.
    pub(crate) nodes: Vec<Node>,
    /// Its edges.
    pub(crate) edges: Vec<Edge>,
    /// Nodes without anything above them.
    pub(crate) roots: Vec<usize>,
}

/// Width of a character, and height of a line.
const CHARACTER: f64 = 7.0;
const LINE: f64 = 16.0;
/// Between nodes of a layer, and between layers.
const GAP: f64 = 36.0;
const LAYER: f64 = 64.0;
const MARGIN: f64 = 24.0;

struct Placed {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The style of a picture that stands alone.
pub(crate) const STYLE: &str = "svg{font:12px ui-monospace,monospace;background:#fff;color:#1d2430}\
.node rect{fill:#f5f7fa;stroke:#5b6b82;stroke-width:1.2}.node text,.edge text,.title{fill:currentColor}\
.accepting rect.outer{fill:none;stroke:#5b6b82}.initial rect{stroke-width:2.4}.edge path{fill:none;stroke:#5b6b82}\
.edge text{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:4px}.edge .head{fill:#5b6b82;stroke:none}\
.pruned{opacity:.35}.pruned path{stroke-dasharray:4 3}.bad rect{stroke:#c0392b;fill:#fdecea}.title{font-weight:600}";

impl Drawing {
    /// As an `svg` element, with a style of its own if it is to stand alone.
    pub(crate) fn svg(&self, alone: bool) -> String {
        let (placed, width, height) = self.layout();
        let mut out = String::new();
        let xmlns = "xmlns=\"http://www.w3.org/2000/svg\"";
        let _ = write!(
            out,
            "<svg {xmlns} role=\"img\" aria-label=\"{title}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\"><title>{title}</title>",
            title = text(&self.title)
        );
        if alone {
            let _ = write!(out, "<style>{STYLE}</style>");
        }
        for (index, edge) in self.edges.iter().enumerate() {
            let parallel = self.edges[..index].iter();
            let same = parallel
                .filter(|e| (e.from, e.to) == (edge.from, edge.to))
                .count();
            self.edge(&mut out, &placed, edge, same as f64);
        }
        for (index, (node, at)) in self.nodes.iter().zip(&placed).enumerate() {
            let class = node.class;
            let _ = write!(out, "<g class=\"node {class}\" data-node=\"{index}\">");
            let (x, y) = (at.x - at.width / 2.0, at.y);
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
                at.width, at.height
            );
            if class.contains("accepting") {
                let _ = write!(
                    out,
                    "<rect class=\"outer\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"11\"/>",
                    x - 3.0,
                    y - 3.0,
                    at.width + 6.0,
                    at.height + 6.0
                );
            }
            for (line, shown) in node.lines.iter().enumerate() {
                let _ = write!(
                    out,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    at.x,
                    y + 17.0 + LINE * line as f64,
                    text(shown)
                );
            }
            out.push_str("</g>");
        }
        out.push_str("</svg>");
        out
    }

    /// Places all nodes, and says how large the picture is.
    fn layout(&self) -> (Vec<Placed>, f64, f64) {
        let count = self.nodes.len();
        let mut layer = vec![usize::MAX; count];
        let mut queue: VecDeque<usize> =
            self.roots.iter().copied().filter(|r| *r < count).collect();
        queue.iter().for_each(|&r| layer[r] = 0);
        let mut successors = vec![Vec::new(); count];
        let mut predecessors = vec![Vec::new(); count];
        for edge in &self.edges {
            successors[edge.from].push(edge.to);
            predecessors[edge.to].push(edge.from);
        }
        let mut next_root = 0;
        loop {
            while let Some(node) = queue.pop_front() {
                for &to in &successors[node] {
                    if layer[to] == usize::MAX {
                        layer[to] = layer[node] + 1;
                        queue.push_back(to);
                    }
                }
            }
            // What no root reaches begins again on top.
            match (next_root..count).find(|&n| layer[n] == usize::MAX) {
                Some(node) => {
                    layer[node] = 0;
                    queue.push_back(node);
                    next_root = node;
                }
                None => break,
            }
        }
        let layers = layer.iter().max().map_or(0, |l| l + 1);
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layers];
        (0..count).for_each(|n| rows[layer[n]].push(n));
        let mut rank = vec![0.0; count];
        for _ in 0..2 {
            for row in &mut rows {
                let mean = |n: usize| {
                    let above = predecessors[n].iter().filter(|p| layer[**p] < layer[n]);
                    let ranks: Vec<f64> = above.map(|&p| rank[p]).collect();
                    match ranks.len() {
                        0 => rank[n],
                        many => ranks.iter().sum::<f64>() / many as f64,
                    }
                };
                let keys: Vec<(f64, usize)> = row.iter().map(|&n| (mean(n), n)).collect();
                let mut sorted = keys;
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                *row = sorted.into_iter().map(|(_, n)| n).collect();
                let length = row.len() as f64;
                for (index, &n) in row.iter().enumerate() {
                    rank[n] = index as f64 - (length - 1.0) / 2.0;
                }
            }
        }
        self.place(&rows)
    }

    fn place(&self, rows: &[Vec<usize>]) -> (Vec<Placed>, f64, f64) {
        let size = |n: usize| {
            let longest = self.nodes[n].lines.iter().map(|l| l.chars().count()).max();
            let width = longest.unwrap_or(0).max(2) as f64 * CHARACTER + 18.0;
            (width, self.nodes[n].lines.len().max(1) as f64 * LINE + 10.0)
        };
        // Labels of edges that leave a row need room between nodes.
        let label = self.edges.iter().map(|e| e.label.chars().count()).max();
        let gap = GAP + label.unwrap_or(0).min(24) as f64 * CHARACTER * 0.6;
        let width_of = |row: &Vec<usize>| {
            let nodes: f64 = row.iter().map(|&n| size(n).0).sum();
            nodes + gap * row.len().saturating_sub(1) as f64
        };
        let widest = rows.iter().map(width_of).fold(0.0, f64::max);
        // Labels are as wide on the left of a curve as on the right.
        let left = MARGIN + label.unwrap_or(0) as f64 * CHARACTER / 2.0 - CHARACTER;
        let bows = label.unwrap_or(0) as f64 * CHARACTER + 90.0;
        let mut placed: Vec<Placed> = Vec::new();
        placed.resize_with(self.nodes.len(), || Placed {
            x: 0.0,
            y: 0.0,
            width: 0.0,
            height: 0.0,
        });
        let mut y = MARGIN;
        for row in rows {
            let mut x = left + (widest - width_of(row)) / 2.0;
            let mut tallest = 0.0f64;
            for &n in row {
                let (width, height) = size(n);
                placed[n] = Placed {
                    x: x + width / 2.0,
                    y,
                    width,
                    height,
                };
                x += width + gap;
                tallest = tallest.max(height);
            }
            y += tallest + LAYER;
        }
        (
            placed,
            left + widest + MARGIN + bows,
            y - LAYER + MARGIN + 8.0,
        )
    }

    fn edge(&self, out: &mut String, placed: &[Placed], edge: &Edge, same: f64) {
        let (a, b) = (&placed[edge.from], &placed[edge.to]);
        let _ = write!(
            out,
            "<g class=\"edge {}\" data-from=\"{}\" data-to=\"{}\">",
            edge.class, edge.from, edge.to
        );
        // The curve, where its label is, and the head's point and direction.
        let (curve, label, anchor, head) = if edge.from == edge.to {
            let (x, y) = (a.x + a.width / 2.0, a.y + a.height / 2.0);
            let out = 34.0 + 14.0 * same;
            (
                format!(
                    "M{x:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {x:.1} {:.1}",
                    y - 7.0,
                    x + out,
                    y - 24.0,
                    x + out,
                    y + 24.0,
                    y + 7.0
                ),
                (x + out * 0.8, y + 4.0 + 12.0 * same),
                "start",
                (x, y + 7.0, -1.0, -0.5),
            )
        } else if b.y > a.y {
            let (x1, y1, x2, y2) = (a.x, a.y + a.height, b.x, b.y);
            let bow = 30.0 * same;
            let middle = (y1 + y2) / 2.0;
            (
                format!(
                    "M{x1:.1} {y1:.1}C{:.1} {middle:.1} {:.1} {middle:.1} {x2:.1} {y2:.1}",
                    x1 + bow,
                    x2 + bow
                ),
                ((x1 + x2) / 2.0 + bow, middle + 4.0 + 12.0 * same),
                "middle",
                (x2, y2, 0.0, 1.0),
            )
        } else {
            let (x1, y1) = (a.x + a.width / 2.0, a.y + a.height / 2.0);
            let (x2, y2) = (b.x + b.width / 2.0, b.y + b.height / 2.0);
            let bow = 40.0 + 0.12 * (y1 - y2) + 16.0 * same;
            let far = x1.max(x2) + bow;
            (
                format!("M{x1:.1} {y1:.1}C{far:.1} {y1:.1} {far:.1} {y2:.1} {x2:.1} {y2:.1}"),
                (x1.max(x2) + bow * 0.7, (y1 + y2) / 2.0 + 12.0 * same),
                "start",
                (x2, y2, -1.0, 0.0),
            )
        };
        let (x, y, dx, dy) = head;
        let (left, right) = (
            (x - 7.0 * dx - 4.0 * dy, y - 7.0 * dy + 4.0 * dx),
            (x - 7.0 * dx + 4.0 * dy, y - 7.0 * dy - 4.0 * dx),
        );
        let _ = write!(
            out,
            "<path d=\"{curve}\"/><path class=\"head\" d=\"M{x:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
            left.0, left.1, right.0, right.1
        );
        if !edge.label.is_empty() {
            let _ = write!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                label.0,
                label.1,
                text(&edge.label)
            );
        }
        out.push_str("</g>");
    }
}

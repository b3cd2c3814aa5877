//! The compiled model as text.

use super::labels::Labels;
use super::{cones, graphs, place, touched};
use crate::reduce::Label;
use promela_lite::code::Scalar;
use promela_lite::opt::{Cone, Kept};
use promela_lite::program::{Action, Frame, Graph, Loc, ProctypeId, Program};
use promela_lite::source::{SourceMap, Span};
use std::fmt::Write;

/// Renders everything.
pub fn render(program: &Program, sources: &SourceMap) -> String {
    let mut out = String::new();
    let labels = Labels::new(program);
    if let Some(reason) = labels.obstacle() {
        let _ = writeln!(out, "no reduction: {reason}");
    }
    frame(&mut out, "globals", &program.globals);
    frame(&mut out, "hidden", &program.hidden);
    channels(&mut out, program);
    slices(&mut out, program, sources);
    let empty = Frame::default();
    for (index, (kind, name, graph)) in graphs(program).into_iter().enumerate() {
        let own = program.proctypes.get(index);
        let active = program
            .active
            .iter()
            .filter(|id| id.index() == index)
            .count();
        let heading = match (kind, active) {
            ("proctype", 0) => format!("proctype {name}"),
            ("proctype", 1) => format!("active proctype {name}"),
            ("proctype", n) => format!("active [{n}] proctype {name}"),
            (kind, _) => format!("{kind} {}", if kind == "init" { "" } else { name })
                .trim_end()
                .to_string(),
        };
        let _ = writeln!(out, "{heading}");
        if let Some(proctype) = own {
            frame(&mut out, "  locals", &proctype.frame);
        }
        let own_frame = own.map_or(&empty, |p| &p.frame);
        let labels = own.map(|_| (&labels, ProctypeId(index as u16)));
        edges(&mut out, program, own_frame, graph, labels, sources);
        out.push('\n');
    }
    for property in &program.ltl {
        let _ = writeln!(
            out,
            "ltl {} at {}",
            property.name,
            place(sources, property.span)
        );
    }
    for atom in &program.atoms {
        let _ = writeln!(out, "  atom {}", atom.text);
    }
    out
}

fn frame(out: &mut String, title: &str, frame: &Frame) {
    if frame.vars.is_empty() {
        return;
    }
    let bytes = if frame.size == 1 {
        "1 byte".to_string()
    } else {
        format!("{} bytes", frame.size)
    };
    let _ = writeln!(out, "{title} ({bytes})");
    let indent = " ".repeat(title.len() - title.trim_start().len() + 2);
    for var in &frame.vars {
        let ty = var
            .cells
            .first()
            .map_or("empty".to_string(), |c| type_name(c.ty));
        let count = if var.cells.len() == 1 {
            String::new()
        } else {
            format!(" × {}", var.cells.len())
        };
        let _ = writeln!(
            out,
            "{indent}{}{} at {}: {ty}{count}",
            var.name, var.scope, var.offset
        );
    }
}

fn type_name(ty: Scalar) -> String {
    match ty {
        Scalar::Unsigned(n) => format!("unsigned:{n}"),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn channels(out: &mut String, program: &Program) {
    if program.templates.is_empty() {
        return;
    }
    out.push_str("channels\n");
    for template in &program.templates {
        let fields: Vec<String> = template.fields.iter().map(|&f| type_name(f)).collect();
        let _ = writeln!(
            out,
            "  {} [{}] of {{ {} }}",
            template.name,
            template.capacity,
            fields.join(", ")
        );
    }
}

/// What slicing leaves out for each goal, and why it keeps the rest.
fn slices(out: &mut String, program: &Program, sources: &SourceMap) {
    for (goal, cone) in cones(program) {
        let Some(Cone { left_out, kept }) = cone else {
            let _ = writeln!(
                out,
                "slice for {goal}: leaves out nothing, a channel may come from anywhere"
            );
            continue;
        };
        if left_out.is_empty() && kept.is_empty() {
            continue;
        }
        let without = match left_out.is_empty() {
            true => "leaves out nothing".to_owned(),
            false => format!("leaves out {}", left_out.join(", ")),
        };
        let _ = writeln!(out, "slice for {goal}: {without}");
        for Kept { name, into, by, at } in kept {
            let into = into.map_or("decides".to_owned(), |into| format!("goes into {into}"));
            let at = match at == Span::NONE {
                true => String::new(),
                false => format!(" ({})", place(sources, at)),
            };
            let _ = writeln!(out, "  {name} {into}: {by}{at}");
        }
    }
}

/// Whether a process may leave a place before all others.
fn label(out: &mut String, labels: &Labels<'_>, id: ProctypeId, loc: Loc) {
    let label = labels.label(id, loc);
    let _ = write!(out, "    {}", label.name());
    let details = label.details().join("; ");
    match label {
        Label::Safe => {}
        Label::Maybe(_) => {
            let _ = write!(out, " if {details}");
        }
        Label::NotSafe(_) => {
            let _ = write!(out, ": {details}");
        }
    }
    let seen_by = labels.seen_by(id, loc);
    if !seen_by.is_empty() {
        let _ = write!(out, " (seen by {})", seen_by.join(", "));
    }
    out.push('\n');
}

/// `labels` are those of a proctype; a claim has none.
fn edges(
    out: &mut String,
    program: &Program,
    own: &Frame,
    graph: &Graph,
    labels: Option<(&Labels<'_>, ProctypeId)>,
    sources: &SourceMap,
) {
    for (index, location) in graph.locations.iter().enumerate() {
        let start = if graph.start.index() == index {
            ", start"
        } else {
            ""
        };
        let marks: String = [
            (location.end, ", end"),
            (location.accept, ", accept"),
            (location.progress, ", progress"),
        ]
        .iter()
        .filter(|(set, _)| *set)
        .map(|(_, mark)| *mark)
        .collect();
        let names: String = location.labels.iter().map(|l| format!(" {l}:")).collect();
        let _ = writeln!(out, "  state {}{names}{start}{marks}", location.number);
        if let Some((labels, id)) = labels {
            label(out, labels, id, Loc(index as u32));
        }
        for edge in &graph.edges[location.edges()] {
            let to = match edge.action {
                Action::End => "gone".to_string(),
                _ => graph.locations[edge.to.index()].number.to_string(),
            };
            let atomic = if edge.atomic { " atomic" } else { "" };
            let level = if edge.level > 0 {
                format!(" unless-level {}", edge.level)
            } else {
                String::new()
            };
            let at = place(sources, edge.span);
            let _ = writeln!(out, "    -> {to}{atomic}{level}  {}  ({at})", edge.text);
            let touched = touched(program, own, &edge.footprint);
            let parts = [
                ("reads", touched.reads),
                ("writes", touched.writes),
                ("channels", touched.channels),
                (
                    "also",
                    touched
                        .specials
                        .iter()
                        .map(|s| s.trim_end_matches('_').to_string())
                        .collect(),
                ),
            ];
            let shown: Vec<String> = parts
                .into_iter()
                .filter(|(_, names)| !names.is_empty())
                .map(|(what, names)| format!("{what} {}", names.join(", ")))
                .collect();
            if !shown.is_empty() {
                let _ = writeln!(out, "         {}", shown.join("; "));
            }
        }
    }
}

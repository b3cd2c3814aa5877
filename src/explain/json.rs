//! The compiled model as JSON. Field names are stable.

use super::labels::Labels;
use super::{cones, graphs, touched};
use crate::report::SCHEMA_VERSION;
use promela_lite::opt::Cone;
use promela_lite::program::{Action, Frame, Graph, Loc, ProctypeId, Program};
use promela_lite::source::{SourceMap, Span};
use serde_json::{Value, json};

/// Renders everything.
pub fn render(program: &Program, sources: &SourceMap) -> Value {
    let empty = Frame::default();
    let labels = Labels::new(program);
    let all = graphs(program)
        .into_iter()
        .enumerate()
        .map(|(index, (kind, name, graph))| {
            let own = program.proctypes.get(index);
            json!({
                "kind": kind,
                "name": name,
                "active": program.active.iter().filter(|id| id.index() == index).count(),
                "locals": variables(own.map_or(&empty, |p| &p.frame), sources),
                "start": graph.start.0,
                "states": states(graph, own.map(|_| (&labels, ProctypeId(index as u16))), sources),
                "edges": edges(program, own.map_or(&empty, |p| &p.frame), graph, sources),
            })
        });
    json!({
        "schema_version": SCHEMA_VERSION,
        "globals": variables(&program.globals, sources),
        "hidden": variables(&program.hidden, sources),
        "channels": program.templates.iter().map(|t| json!({
            "name": t.name,
            "capacity": t.capacity,
            "fields": t.fields.iter().map(|f| format!("{f:?}").to_lowercase()).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "graphs": all.collect::<Vec<_>>(),
        "ltl": program.ltl.iter().map(|p| json!({ "name": p.name, "at": at(sources, p.span) })).collect::<Vec<_>>(),
        "slices": cones(program).into_iter().map(|(goal, cone)| slice(goal, cone, sources)).collect::<Vec<_>>(),
        "no_reduction": labels.obstacle(),
        "atoms": program.atoms.iter().map(|a| a.text.clone()).collect::<Vec<_>>(),
    })
}

fn slice(goal: &str, cone: Option<Cone>, sources: &SourceMap) -> Value {
    let cone = cone.unwrap_or_default();
    let kept = cone.kept.iter().map(|kept| {
        json!({ "name": kept.name, "into": kept.into, "by": kept.by, "at": at(sources, kept.at) })
    });
    json!({ "goal": goal, "left_out": cone.left_out, "kept": kept.collect::<Vec<_>>() })
}

fn at(sources: &SourceMap, span: Span) -> Value {
    let at = sources.locate(sources.root(span));
    json!({ "file": at.file, "line": at.line, "column": at.column })
}

fn variables(frame: &Frame, sources: &SourceMap) -> Vec<Value> {
    let variable = |var: &promela_lite::program::Var| {
        json!({
            "name": var.name,
            "scope": var.scope,
            "offset": var.offset,
            "bytes": var.size,
            "values": var.cells.len(),
            "at": at(sources, var.span),
        })
    };
    frame.vars.iter().map(variable).collect()
}

/// `labels` are those of a proctype; a claim has none.
fn states(
    graph: &Graph,
    labels: Option<(&Labels<'_>, ProctypeId)>,
    sources: &SourceMap,
) -> Vec<Value> {
    let label = |loc: Loc| {
        labels.map(|(labels, id)| {
            let label = labels.label(id, loc);
            json!({
                "kind": label.name(),
                "details": label.details(),
                "seen_by": labels.seen_by(id, loc),
            })
        })
    };
    let state = |(index, location): (usize, &promela_lite::program::Location)| {
        json!({
            "reduction": label(Loc(index as u32)),
            "number": location.number,
            "labels": location.labels,
            "end": location.end,
            "accept": location.accept,
            "progress": location.progress,
            "at": at(sources, location.span),
        })
    };
    graph.locations.iter().enumerate().map(state).collect()
}

fn edges(program: &Program, own: &Frame, graph: &Graph, sources: &SourceMap) -> Vec<Value> {
    let edge = |edge: &promela_lite::program::Edge| {
        let touched = touched(program, own, &edge.footprint);
        json!({
            "from": edge.from.0,
            "to": if edge.action == Action::End { Value::Null } else { json!(edge.to.0) },
            "step": edge.step,
            "statement": edge.text,
            "atomic": edge.atomic,
            "level": edge.level,
            "at": at(sources, edge.span),
            "reads": touched.reads,
            "writes": touched.writes,
            "channels": touched.channels,
            "also": touched.specials,
        })
    };
    graph.edges.iter().map(edge).collect()
}

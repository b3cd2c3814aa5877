//! What slicing leaves out, and why it keeps the rest: for people.

use super::places::Site;
use super::slice::Analysis;
use crate::code::{Code, Region};
use crate::program::*;
use crate::source::Span;

/// What becomes of the variables and the fields of messages of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cone {
    /// What influences nothing.
    pub left_out: Vec<String>,
    /// What does, and what for.
    pub kept: Vec<Kept>,
}

/// Something that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The variable or field, or a part of it.
    pub name: String,
    /// Where its value goes first on the shortest way to where it matters; none where it decides itself.
    pub into: Option<String>,
    /// The statement or condition in which that happens, as text.
    pub by: String,
    /// Where that stands.
    pub at: Span,
}

impl Cone {
    /// For a property that reads these conditions; none where nothing is left out, whatever it is: see [`Analysis::of`].
    pub fn of(program: &Program, conditions: &[(Code, &str, Span)]) -> Option<Cone> {
        let codes: Vec<Code> = conditions.iter().map(|condition| condition.0).collect();
        let mut analysis = Analysis::of(program, &codes, None)?;
        let parts = parts(program, &analysis);
        let mut names = vec![String::new(); analysis.places.count()];
        for part in &parts {
            let place = analysis.places.find(part.node) as usize;
            if names[place].is_empty() {
                names[place].clone_from(&part.name);
            }
        }
        let mut cone = Cone::default();
        for group in parts.chunk_by(|a, b| a.whole == b.whole) {
            let is = |part: &Part| analysis.relevant.is(part.node);
            let whole = group.iter().all(is) || !group.iter().any(is);
            let shown = if whole { &group[..1] } else { group };
            for part in shown {
                let name = match whole {
                    true => part.whole.clone(),
                    false => part.name.clone(),
                };
                match analysis.relevant.because(part.node) {
                    Some((to, site)) => {
                        let into =
                            (to != analysis.places.control).then(|| names[to as usize].clone());
                        let (by, at) = describe(program, conditions, site);
                        cone.kept.push(Kept { name, into, by, at });
                    }
                    None => cone.left_out.push(name),
                }
            }
        }
        Some(cone)
    }
}

/// A scalar of a variable, or a field.
struct Part {
    whole: String,
    name: String,
    node: u32,
}

fn parts(program: &Program, analysis: &Analysis) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut frame = |prefix: String, frame: &Frame, region, own| {
        let first = analysis.places.byte(region, own, 0);
        for var in &frame.vars {
            let whole = format!("{prefix}{}{}", var.name, var.scope);
            parts.extend(var.cells.iter().map(|cell| Part {
                name: format!("{whole}{}", cell.path),
                whole: whole.clone(),
                node: first + cell.offset,
            }));
        }
    };
    frame(String::new(), &program.globals, Region::Global, None);
    frame(String::new(), &program.hidden, Region::Hidden, None);
    for (index, proctype) in program.proctypes.iter().enumerate() {
        let id = ProctypeId(index as u16);
        let prefix = format!("{}:", proctype.name.trim_matches(':'));
        frame(prefix, &proctype.frame, Region::Local, Some(id));
    }
    for (index, template) in program.templates.iter().enumerate() {
        for field in 0..template.fields.len() as u32 {
            let name = format!("field {} of {}", field + 1, template.name);
            parts.push(Part {
                whole: name.clone(),
                name,
                node: analysis.places.field_of(index, field),
            });
        }
    }
    parts
}

/// The text of a piece of code, and where it stands.
fn describe(program: &Program, conditions: &[(Code, &str, Span)], site: Site) -> (String, Span) {
    let proctype = |id: ProctypeId| &program.proctypes[id.index()];
    match site {
        Site::Edge(id, edge) => {
            let edge = &proctype(id).graph.edges[edge.index()];
            (edge.text.clone(), edge.span)
        }
        Site::Init(id) => ("initial values".to_owned(), proctype(id).span),
        Site::Provided(id) => ("provided".to_owned(), proctype(id).span),
        Site::Condition(index) => {
            let (_, text, span) = conditions[index as usize];
            (text.to_owned(), span)
        }
        Site::Globals => ("its declaration".to_owned(), Span::NONE),
        Site::Trace => {
            let span = program
                .trace
                .as_ref()
                .map_or(Span::NONE, |trace| trace.span);
            ("trace".to_owned(), span)
        }
    }
}

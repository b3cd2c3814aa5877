//! `ample explain`: the compiled model, for people and for tools.
//!
//! Three views of the same thing: [`text`] to read, [`dot`] to draw, [`json`] to process.

pub mod dot;
pub mod json;
mod labels;
pub mod text;

use promela_lite::program::{Footprint, Frame, Graph, Place, Program};
use promela_lite::source::{SourceMap, Span};

/// The graphs of a program with their names: proctypes, claims, the trace.
pub(crate) fn graphs(program: &Program) -> Vec<(&'static str, &str, &Graph)> {
    let mut all = Vec::new();
    all.extend(program.proctypes.iter().map(|p| {
        let kind = if p.name == ":init:" {
            "init"
        } else {
            "proctype"
        };
        (kind, p.name.as_str(), &p.graph)
    }));
    all.extend(
        program
            .claims
            .iter()
            .map(|c| ("never", c.name.as_str(), &c.graph)),
    );
    all.extend(
        program
            .trace
            .iter()
            .map(|t| (if t.negated { "notrace" } else { "trace" }, "", &t.graph)),
    );
    all
}

/// `file:line` of a span, where an expansion was written.
pub(crate) fn place(sources: &SourceMap, span: Span) -> String {
    let at = sources.locate(sources.root(span));
    format!("{}:{}", at.file, at.line)
}

/// The names of what a footprint touches: reads, writes, channels, specials.
pub(crate) struct Touched {
    pub(crate) reads: Vec<String>,
    pub(crate) writes: Vec<String>,
    pub(crate) channels: Vec<String>,
    pub(crate) specials: Vec<&'static str>,
}

/// Translates a footprint of a process with that frame into names.
pub(crate) fn touched(program: &Program, own: &Frame, footprint: &Footprint) -> Touched {
    let name = |access: &promela_lite::program::Access| {
        let (prefix, frame) = match access.place {
            Place::Global => (String::new(), &program.globals),
            Place::Hidden => (String::new(), &program.hidden),
            Place::Own => (String::new(), own),
            Place::Remote(id) => {
                let proctype = &program.proctypes[id.index()];
                (format!("{}:", proctype.name), &proctype.frame)
            }
        };
        let var = frame
            .vars
            .iter()
            .find(|v| v.offset <= access.lo && access.hi <= v.offset + v.size);
        let Some(var) = var else {
            return format!("{prefix}?");
        };
        let cell = var
            .cells
            .iter()
            .find(|c| c.offset == access.lo && c.offset + c.ty.size() == access.hi);
        match cell {
            Some(cell) => format!("{prefix}{}{}", var.name, cell.path),
            None => format!("{prefix}{}[…]", var.name),
        }
    };
    Touched {
        reads: footprint.reads.iter().map(name).collect(),
        writes: footprint.writes.iter().map(name).collect(),
        channels: footprint
            .chans
            .iter()
            .map(|c| format!("{} {}", format!("{:?}", c.how).to_lowercase(), name(&c.via)))
            .collect(),
        specials: footprint.specials.names(),
    }
}

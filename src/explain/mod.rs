//! `ample explain`: the compiled model, for people and for tools.
//!
//! Views of the same thing: [`text`] to read, [`dot`] and SVG to draw, [`json`] to process.

pub mod dot;
pub mod json;
mod labels;
#[cfg(feature = "cli")]
pub(crate) mod svg;
pub mod text;

use promela_lite::opt::Cone;
use promela_lite::program::{Action, AtomId, Footprint, Formula, Frame, Graph, Place, Program};
use promela_lite::source::{SourceMap, Span};

/// For each goal that the program states, what slicing leaves out and what it keeps.
pub(crate) fn cones(program: &Program) -> Vec<(&str, Option<Cone>)> {
    let mut cones = vec![("safety", Cone::of(program, &[]))];
    for property in &program.ltl {
        let mut atoms = Vec::new();
        atoms_of(&property.formula, &mut atoms);
        let conditions = atoms.into_iter().map(|id: AtomId| {
            let atom = &program.atoms[id.index()];
            (atom.code, atom.text.as_str(), atom.span)
        });
        let conditions: Vec<_> = conditions.collect();
        cones.push((&property.name, Cone::of(program, &conditions)));
    }
    for claim in &program.claims {
        let conditions = claim
            .graph
            .edges
            .iter()
            .filter_map(|edge| match edge.action {
                Action::Guard(code) => Some((code, edge.text.as_str(), edge.span)),
                _ => None,
            });
        let conditions: Vec<_> = conditions.collect();
        cones.push((&claim.name, Cone::of(program, &conditions)));
    }
    cones
}

fn atoms_of(formula: &Formula, atoms: &mut Vec<AtomId>) {
    use Formula as F;
    match formula {
        F::True | F::False => {}
        F::Atom(id) => atoms.push(*id),
        F::Not(a) | F::Next(a) | F::Always(a) | F::Eventually(a) => atoms_of(a, atoms),
        F::And(a, b)
        | F::Or(a, b)
        | F::Implies(a, b)
        | F::Equiv(a, b)
        | F::Until(a, b)
        | F::WeakUntil(a, b)
        | F::Release(a, b) => {
            atoms_of(a, atoms);
            atoms_of(b, atoms);
        }
    }
}

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
            // Of a frame, what belongs to no variable is the results and the sites of calls.
            return match access.place {
                Place::Own => "call stack".to_owned(),
                _ => format!("{prefix}?"),
            };
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

//! What the reduction makes of each place: its label, and which properties can see it being left.

use crate::property::Property;
use crate::reduce::{Ample, Label, Visible, obstacle};
use promela_lite::program::{EdgeId, Loc, ProctypeId, Program};

/// The labels of a program.
pub(super) struct Labels<'p> {
    program: &'p Program,
    ample: Ample,
    properties: Vec<(&'p str, Visible)>,
}

impl<'p> Labels<'p> {
    /// Works them out.
    pub(super) fn new(program: &'p Program) -> Labels<'p> {
        let formulas = program.ltl.iter();
        let formulas = formulas.map(|l| (l.name.as_str(), Property::ltl(program, l)));
        let claims = program.claims.iter();
        let claims = claims.map(|c| (c.name.as_str(), Property::claim(program, c)));
        Labels {
            program,
            ample: Ample::new(program, Visible::nothing(program)),
            // A property that cannot be checked sees nothing; checking it says so.
            properties: formulas
                .chain(claims)
                .filter_map(|(name, property)| Some((name, property.ok()?.visible(program))))
                .collect(),
        }
    }

    /// Why the reduction is off for the whole model.
    pub(super) fn obstacle(&self) -> Option<&'static str> {
        obstacle(self.program)
    }

    /// The label of a place of a proctype.
    pub(super) fn label(&self, proctype: ProctypeId, loc: Loc) -> Label {
        self.ample.label(self.program, proctype, loc)
    }

    /// The properties that can tell when a place is left.
    pub(super) fn seen_by(&self, proctype: ProctypeId, loc: Loc) -> Vec<&'p str> {
        let graph = &self.program.proctypes[proctype.index()].graph;
        let edges = graph.locations[loc.index()].edges();
        let seen = |visible: &Visible| {
            let mut edges = edges.clone();
            edges.any(|e| visible.is_visible(proctype, EdgeId(e as u32)))
        };
        let seers = self.properties.iter().filter(|(_, visible)| seen(visible));
        seers.map(|(name, _)| *name).collect()
    }
}

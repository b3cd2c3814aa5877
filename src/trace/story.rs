//! A trail told step by step: who did what, where in the source, and what changed.

use super::replay::{Ending, Lost, Moment, replay};
use super::values::{NamedValue, changes, values};
use crate::machine::{Machine, Move, Pid};
use crate::report::place;
use promela_lite::Location;
use promela_lite::program::{Edge, EdgeId, ProctypeId, Program};
use promela_lite::source::SourceMap;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::sync::Arc;

/// A move, told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// Number, from 1.
    pub step: usize,
    /// Who moves.
    #[serde(flatten)]
    pub actor: Actor,
    /// The receiver of a rendezvous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<Actor>,
    /// Whether the process keeps control.
    pub atomic: bool,
    /// Names and values: those that changed, or all.
    pub values: Vec<NamedValue>,
}

/// One process' part in a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Actor {
    /// Its pid.
    pub pid: u16,
    /// What it executes. Shared: a long trail passes the same statements over and over.
    #[serde(flatten)]
    pub site: Arc<Site>,
}

/// A statement and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Site {
    /// Name of the proctype.
    pub proctype: String,
    /// File.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// The statement.
    pub statement: String,
    /// SPIN's number of the statement.
    #[serde(skip)]
    pub number: u32,
}

impl Site {
    fn new(proctype: &str, at: Location, edge: Option<&Edge>) -> Site {
        Site {
            proctype: proctype.to_owned(),
            file: at.file,
            line: at.line,
            column: at.column,
            statement: edge.map(|e| e.text.clone()).unwrap_or_default(),
            number: edge.map_or(0, |e| e.step),
        }
    }
}

/// Which values a story shows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Those that changed.
    #[default]
    Changes,
    /// All.
    Everything,
}

/// Collects what a replay shows.
pub struct Teller<'a> {
    machine: Machine,
    program: &'a Program,
    sources: &'a SourceMap,
    show: Show,
    /// The last state.
    state: Vec<u8>,
    /// The statements met so far.
    sites: FxHashMap<(ProctypeId, EdgeId), Arc<Site>>,
    /// What has been told.
    pub told: Vec<Told>,
}

impl<'a> Teller<'a> {
    /// Nothing told yet.
    pub fn new(program: &'a Arc<Program>, sources: &'a SourceMap, show: Show) -> Teller<'a> {
        let mut machine = Machine::new(Arc::clone(program));
        let mut state = Vec::new();
        // A model without an initial state has nothing to tell; whoever executes it sees the fault.
        let _ = machine.initial(&mut state);
        Teller {
            machine,
            program,
            sources,
            show,
            state,
            sites: FxHashMap::default(),
            told: Vec::new(),
        }
    }

    fn actor(&mut self, state: &[u8], pid: Pid, edge: EdgeId) -> Option<Actor> {
        let id = self.machine.proctype_of(state, pid)?;
        let proctype = &self.program.proctypes[id.index()];
        let step = proctype.graph.edges.get(edge.index())?;
        let site = self.sites.entry((id, edge)).or_insert_with(|| {
            let at = place(self.sources, step.span);
            Arc::new(Site::new(&proctype.name, at, Some(step)))
        });
        Some(Actor {
            pid: pid.0,
            site: Arc::clone(site),
        })
    }

    /// Tells one move.
    pub fn see(&mut self, moment: &Moment<'_>) {
        let Some(actor) = self.actor(moment.before, moment.mv.pid, moment.mv.edge) else {
            return;
        };
        let partner = moment
            .mv
            .partner
            .and_then(|(p, e)| self.actor(moment.before, p, e));
        let shown = match (self.show, moment.after) {
            (Show::Changes, Some(after)) => changes(&self.machine, moment.before, after),
            (Show::Changes, None) => Vec::new(),
            (Show::Everything, after) => values(&self.machine, after.unwrap_or(moment.before)),
        };
        if let Some(after) = moment.after {
            self.state.clear();
            self.state.extend_from_slice(after);
        }
        self.told.push(Told {
            step: moment.index + 1,
            actor,
            partner,
            atomic: moment.control.is_some(),
            values: shown,
        });
    }
}

impl Teller<'_> {
    /// The processes that should not rest where they are, each with the statement it cannot execute.
    pub fn stuck(&self) -> Vec<Actor> {
        let view = self.machine.view(&self.state);
        let stuck = view.processes().filter(|p| !p.location().end);
        let actor = |p: crate::machine::ProcessView<'_>| {
            let edge = p
                .location()
                .edges()
                .next()
                .map(|e| &p.proctype().graph.edges[e]);
            let at = place(self.sources, p.location().span);
            Actor {
                pid: p.pid.0,
                site: Arc::new(Site::new(&p.proctype().name, at, edge)),
            }
        };
        stuck.map(actor).collect()
    }
}

/// Replays `choices` on a fresh plain machine and tells them.
pub fn tell<'a>(
    program: &'a Arc<Program>,
    sources: &'a SourceMap,
    choices: &[Move],
    show: Show,
) -> Result<(Teller<'a>, Ending), Lost> {
    let mut teller = Teller::new(program, sources, show);
    let ending = replay(program, choices, &mut |moment| teller.see(moment))?;
    Ok((teller, ending))
}

/// The steps of a story as SPIN numbers them.
pub fn spin_steps(told: &[Told]) -> Vec<(Pid, u32)> {
    let step = |a: &Actor| (Pid(a.pid), a.site.number);
    told.iter()
        .flat_map(|t| std::iter::once(&t.actor).chain(&t.partner).map(step))
        .collect()
}

//! A trail told step by step: who did what, where in the source, and what changed.

use super::message::messages;
use super::replay::{Ending, Lost, Moment, replay};
use super::values::{NamedValue, changes, values};
use crate::explanation::assigned;
use crate::machine::{CallFrame, Machine, Move, Pid, ProcessView};
use crate::report::place;
use promela_lite::program::{Action, Edge, EdgeId, ProctypeId, Program};
use promela_lite::source::{SourceMap, Span};
use promela_lite::{ExpansionKind, Location};
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
    /// The statement with its values put in, where that says more: `q[1]!3` for `q[i]!x`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<String>,
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
    /// The procedures that it is executing, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
}

/// A procedure that is being executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Its name.
    pub procedure: String,
    /// File of the call.
    pub file: String,
    /// Line of the call.
    pub line: u32,
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
    /// The macros and inlines that it comes from, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expansions: Vec<Via>,
    /// SPIN's number of the statement.
    #[serde(skip)]
    pub number: u32,
}

/// A macro or inline that a statement comes from. The statement itself is shown in the body of an inline and at the use of a
/// macro ([`place`]); this is the other end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Via {
    /// `macro` or `inline`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// File: of the body of a macro, of the call of an inline.
    pub file: String,
    /// Line.
    pub line: u32,
}

/// The macros and inlines that a piece of text comes from, innermost first.
fn expansions(sources: &SourceMap, mut span: Span) -> Vec<Via> {
    let mut all = Vec::new();
    while let Some(expansion) = sources.expansion(span.expn) {
        let call = expansion.call_site;
        let written = sources.snippet(call).chars();
        let (kind, other) = match expansion.kind {
            ExpansionKind::Macro => (
                "macro",
                Span {
                    expn: call.expn,
                    ..span
                },
            ),
            ExpansionKind::Inline => ("inline", call),
        };
        let at = sources.locate(other);
        all.push(Via {
            kind,
            name: written
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect(),
            file: at.file,
            line: at.line,
        });
        span = call;
    }
    all
}

impl Site {
    fn new(proctype: &str, at: Location, edge: Option<&Edge>) -> Site {
        Site {
            proctype: proctype.to_owned(),
            file: at.file,
            line: at.line,
            column: at.column,
            statement: edge.map(|e| e.text.clone()).unwrap_or_default(),
            expansions: Vec::new(),
            number: edge.map_or(0, |e| e.step),
        }
    }
}

/// The call stack of a process.
fn calls(process: &ProcessView<'_>, sources: &SourceMap) -> Vec<Call> {
    let call = |frame: CallFrame<'_>| {
        let at = place(sources, frame.call);
        Call {
            procedure: frame.activation.procedure.clone(),
            file: at.file,
            line: at.line,
        }
    };
    process.stack().into_iter().map(call).collect()
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
            Arc::new(Site {
                expansions: expansions(self.sources, step.span),
                ..Site::new(&proctype.name, at, Some(step))
            })
        });
        let site = Arc::clone(site);
        let calls = match proctype.activations.is_empty() {
            true => Vec::new(),
            false => self.calls(state, pid),
        };
        Some(Actor {
            pid: pid.0,
            site,
            calls,
        })
    }

    fn calls(&self, state: &[u8], pid: Pid) -> Vec<Call> {
        let view = self.machine.view(state);
        let process = view.processes().find(|process| process.pid == pid);
        process.map_or(Vec::new(), |process| calls(&process, self.sources))
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
        let executed = self.executed(moment, &actor.site.statement, &shown);
        if let Some(after) = moment.after {
            self.state.clear();
            self.state.extend_from_slice(after);
        }
        self.told.push(Told {
            step: moment.index + 1,
            actor,
            partner,
            executed,
            atomic: moment.control.is_some(),
            values: shown,
        });
    }
}

impl Teller<'_> {
    /// The statement of a move with its values put in, if that says more than the statement and the values shown.
    fn executed(
        &mut self,
        moment: &Moment<'_>,
        statement: &str,
        shown: &[NamedValue],
    ) -> Option<String> {
        let Moment { mv, before, .. } = *moment;
        let id = self.machine.proctype_of(before, mv.pid)?;
        let proctype = &self.program.proctypes[id.index()];
        let edge = &proctype.graph.edges[mv.edge.index()];
        let stays = proctype.activation(edge.from) == proctype.activation(edge.to);
        let text = match edge.action {
            Action::Send(_) | Action::Recv(_) => {
                messages(&mut self.machine, before, mv).first()?.executed()
            }
            Action::Guard(_) if edge.footprint.specials.run => {
                let view = self.machine.view(moment.after?);
                let process = view.processes().nth(self.machine.nr_processes(before))?;
                let given = process.locals().filter(|v| v.var.parameter);
                let given: Vec<String> = given.map(|v| v.to_string()).collect();
                format!("run {}({})", process.proctype().name, given.join(","))
            }
            // A call or a return stores what no assignment of the model does.
            Action::Effect(code) if shown.is_empty() && stays => {
                let set = assigned(&mut self.machine, before, mv.pid, code)?;
                format!("{} = {}", set.name, set.value)
            }
            _ => return None,
        };
        let squeezed = |text: &str| -> String {
            let kept = |c: &char| !c.is_whitespace() && !"()".contains(*c);
            text.chars().filter(kept).collect()
        };
        (squeezed(&text) != squeezed(statement)).then_some(text)
    }

    /// The processes that should not rest where they are, each with the statement it cannot execute.
    pub fn stuck(&self) -> Vec<Actor> {
        let view = self.machine.view(&self.state);
        let stuck = view.processes().filter(|p| !p.location().end);
        let actor = |p: ProcessView<'_>| {
            let edge = p
                .location()
                .edges()
                .next()
                .map(|e| &p.proctype().graph.edges[e]);
            let at = place(self.sources, p.location().span);
            Actor {
                pid: p.pid.0,
                site: Arc::new(Site::new(&p.proctype().name, at, edge)),
                calls: calls(&p, self.sources),
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

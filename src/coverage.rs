//! What a search executed, and what it never did.
//!
//! One bit per edge, set whenever a move along it succeeds. From these bits follow the statements that were
//! never reached, listed the way SPIN lists them (a control state is reached when a step into or out of it was
//! taken), and the guards that were tested but never true. Both mean something only when the search was
//! complete.

use crate::report::place;
use promela_lite::code::{Code, Instr};
use promela_lite::program::{
    Action, Edge, EdgeId, Graph, Location, Procedure, ProctypeId, Program,
};
use promela_lite::source::{SourceMap, Span};
use rustc_hash::FxHashSet;
use serde::Serialize;

/// Which edges of which proctype have been executed.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    executed: Vec<Vec<bool>>,
}

impl Coverage {
    /// Nothing executed yet.
    pub fn new(program: &Program) -> Coverage {
        let edges = |p: &promela_lite::program::Proctype| vec![false; p.graph.edges.len()];
        Coverage {
            executed: program.proctypes.iter().map(edges).collect(),
        }
    }

    /// A step was made.
    #[inline]
    pub fn mark(&mut self, proctype: ProctypeId, edge: EdgeId) {
        self.executed[proctype.index()][edge.index()] = true;
    }

    /// What was executed elsewhere was executed.
    pub fn take_over(&mut self, other: &Coverage) {
        let own = self.executed.iter_mut().flatten();
        for (own, other) in own.zip(other.executed.iter().flatten()) {
            *own |= other;
        }
    }

    /// What was executed, edge by edge.
    pub fn findings(&self) -> Vec<u64> {
        let all = self.executed.iter().flatten();
        all.map(|executed| u64::from(*executed)).collect()
    }

    /// What [`Coverage::findings`] says to have been executed was executed.
    pub fn restore(&mut self, findings: &[u64]) {
        let own = self.executed.iter_mut().flatten();
        for (own, other) in own.zip(findings) {
            *own |= *other != 0;
        }
    }

    /// The same for the program as written: an edge that stands for several has executed them all.
    pub fn of_plain(&self, searched: &Program) -> Coverage {
        let mut plain = self.clone();
        for (index, proctype) in searched.proctypes.iter().enumerate() {
            let executed = self.executed[index].iter().zip(&proctype.graph.edges);
            for (_, edge) in executed.filter(|(executed, _)| **executed) {
                for &step in &edge.plain {
                    plain.mark(ProctypeId(index as u16), step);
                }
            }
        }
        plain
    }

    fn reached(&self, program: &Program, proctype: ProctypeId) -> Vec<bool> {
        let graph = &program.proctypes[proctype.index()].graph;
        let mut reached = vec![false; graph.locations.len()];
        if self.was_started(program, proctype) {
            reached[graph.start.index()] = true;
        }
        for edge in self.executed(program, proctype) {
            reached[edge.from.index()] = true;
            if edge.action != Action::End {
                reached[edge.to.index()] = true;
            }
        }
        reached
    }

    fn executed<'p>(
        &'p self,
        program: &'p Program,
        proctype: ProctypeId,
    ) -> impl Iterator<Item = &'p Edge> {
        let edges = program.proctypes[proctype.index()].graph.edges.iter();
        let executed = edges.zip(&self.executed[proctype.index()]);
        executed.filter(|e| *e.1).map(|e| e.0)
    }

    /// Whether there was ever a process of that type.
    fn was_started(&self, program: &Program, proctype: ProctypeId) -> bool {
        let starts = |code: Code| {
            let runs = |i: &Instr| matches!(i, Instr::Run { proctype: p, .. } if *p == proctype);
            program.instrs[code.range()].iter().any(runs)
        };
        let all = (0..program.proctypes.len()).map(|p| ProctypeId(p as u16));
        program.active.contains(&proctype)
            || all.flat_map(|p| self.executed(program, p)).any(|edge| {
                let code = match edge.action {
                    Action::Guard(code) | Action::Effect(code) | Action::DStep(code) => code,
                    _ => Code::EMPTY,
                };
                starts(code) || starts(edge.then)
            })
    }

    /// The summary for every proctype, in order of declaration.
    pub fn summarise(&self, program: &Program, sources: &SourceMap) -> Vec<ProctypeCoverage> {
        let ids = (0..program.proctypes.len()).map(|index| ProctypeId(index as u16));
        ids.map(|id| self.summary(program, id, sources)).collect()
    }

    fn summary(&self, program: &Program, id: ProctypeId, sources: &SourceMap) -> ProctypeCoverage {
        let proctype = &program.proctypes[id.index()];
        let graph = &proctype.graph;
        // Procedures have summaries of their own.
        let own = proctype.activations.first();
        let own = own.map_or(graph.locations.len(), |a| a.first.index());
        let known = ProctypeCoverage {
            proctype: proctype.name.clone(),
            started: self.was_started(program, id),
            ..ProctypeCoverage::default()
        };
        let mut places = self.reached(program, id);
        places.truncate(own);
        covered(graph, &places, &self.executed[id.index()], sources, known)
    }

    /// The summary for every procedure of the program before its calls were expanded: what was executed in some place of
    /// `program` that stands for it was executed.
    pub fn summarise_procedures(
        &self,
        program: &Program,
        recursive: &Program,
        sources: &SourceMap,
    ) -> Vec<ProctypeCoverage> {
        let procedures = recursive.procedures.iter();
        let summary = |procedure: &Procedure| {
            let graph = &procedure.graph;
            let mut executed = vec![false; graph.edges.len()];
            let mut places = vec![false; graph.locations.len()];
            for (index, proctype) in program.proctypes.iter().enumerate() {
                let done = &self.executed[index];
                let reached = self.reached(program, ProctypeId(index as u16));
                let copies = proctype.activations.iter();
                for copy in copies.filter(|a| a.procedure == procedure.name) {
                    let first = copy.first.index();
                    for (at, place) in places.iter_mut().enumerate() {
                        *place |= reached[first + at];
                        let mut copied = proctype.graph.locations[first + at].edges();
                        for edge in graph.locations[at].edges() {
                            // A return has an edge to each place it may lead to.
                            let many = match graph.edges[edge].action {
                                Action::Return(_) => copy.sites.len(),
                                _ => 1,
                            };
                            for copy in copied.by_ref().take(many) {
                                executed[edge] |= done[copy];
                            }
                        }
                    }
                }
            }
            let known = ProctypeCoverage {
                proctype: procedure.name.clone(),
                procedure: true,
                started: places[graph.start.index()],
                ..ProctypeCoverage::default()
            };
            covered(graph, &places, &executed, sources, known)
        };
        procedures.map(summary).collect()
    }
}

/// Says which places and edges of a graph were not covered.
fn covered(
    graph: &Graph,
    places: &[bool],
    executed: &[bool],
    sources: &SourceMap,
    known: ProctypeCoverage,
) -> ProctypeCoverage {
    let statement = |span: Span, state: u32, text: &String| {
        let location = place(sources, span);
        Statement {
            file: location.file,
            line: location.line,
            state,
            text: text.clone(),
        }
    };
    // In a procedure the closing brace is a place like any other, if control can come to it at all.
    let brace = graph.listing.iter().find(|l| l.statements == [END]);
    let comes = |number: u32| graph.locations.iter().any(|l| l.number == number);
    let endless = match known.procedure {
        true => !brace.is_some_and(|brace| comes(brace.number)),
        false => graph.edges.iter().all(|edge| edge.action != Action::End),
    };
    let mut summary = ProctypeCoverage {
        states: graph.states,
        endless,
        ..known
    };
    let numbers: FxHashSet<u32> = reached_only(graph, places).map(|l| l.number).collect();
    for listed in &graph.listing {
        let reached = [Some(listed.number), listed.behind].into_iter().flatten();
        if reached.into_iter().any(|number| numbers.contains(&number)) {
            continue;
        }
        summary.unreached_states += u32::from(listed.counted);
        let statements = listed.statements.iter();
        let told = statements.map(|text| statement(listed.span, listed.number, text));
        summary.unreached.extend(told);
    }
    let mut tested: Vec<&Location> = reached_only(graph, places).collect();
    tested.sort_by_key(|l| l.number);
    for location in tested {
        // SPIN gives a choice the line of its first option.
        let span = graph.edges[location.first.index()].span;
        for e in location.edges() {
            let edge = &graph.edges[e];
            if matches!(edge.action, Action::Guard(_)) && !executed[e] {
                let never = statement(span, location.number, &edge.text);
                summary.never_true.push(never);
            }
        }
    }
    summary
}

fn reached_only<'g>(graph: &'g Graph, reached: &'g [bool]) -> impl Iterator<Item = &'g Location> {
    let pairs = graph.locations.iter().zip(reached);
    pairs.filter(|(_, reached)| **reached).map(|(l, _)| l)
}

/// A statement, for listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// File.
    pub file: String,
    /// Line.
    pub line: u32,
    /// SPIN's number of the control state it starts from.
    pub state: u32,
    /// Text.
    pub text: String,
}

/// What was not covered of a proctype.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProctypeCoverage {
    /// Name.
    pub proctype: String,
    /// Whether it is a procedure and no proctype.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub procedure: bool,
    /// Number of control states, counted as SPIN does.
    pub states: u32,
    /// Number of control states that were never reached.
    pub unreached_states: u32,
    /// Whether there was ever a process of that type.
    pub started: bool,
    /// Whether its control-flow graph has no way to its closing brace.
    pub endless: bool,
    /// The statements that start there.
    pub unreached: Vec<Statement>,
    /// Conditions that were tested but never true.
    pub never_true: Vec<Statement>,
}

/// The text of the closing brace of a proctype.
const END: &str = "-end-";

impl ProctypeCoverage {
    /// The unreached statements, without the closing brace of a process that cannot end.
    pub fn notable(&self) -> impl Iterator<Item = &Statement> {
        let kept = |s: &&Statement| !(self.endless && s.text == END);
        self.unreached.iter().filter(kept)
    }
}

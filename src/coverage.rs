//! What a search executed, and what it never did.
//!
//! One bit an edge, set whenever a move along it succeeds. From these bits follow the statements that were
//! never reached, listed the way SPIN lists them (a control state is reached when a step into or out of it was
//! taken), and the guards that were tested but never true. Both mean something only when the search was
//! complete.

use crate::report::place;
use promela_lite::code::{Code, Instr};
use promela_lite::program::{Action, Edge, EdgeId, ProctypeId, Program};
use promela_lite::source::{SourceMap, Span};
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
        let line = |span: Span| {
            let location = place(sources, span);
            (location.file, location.line)
        };
        let mut all = Vec::new();
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            let graph = &proctype.graph;
            let reached = self.reached(program, id);
            let mut summary = ProctypeCoverage {
                proctype: proctype.name.clone(),
                states: graph.locations.iter().map(|l| l.number).max().unwrap_or(0),
                ..ProctypeCoverage::default()
            };
            let mut order: Vec<usize> = (0..graph.locations.len()).collect();
            order.sort_by_key(|&l| graph.locations[l].number);
            for l in order {
                let location = &graph.locations[l];
                // SPIN gives a choice the line of its first option.
                let first = location.first.index();
                let statement = |e: usize| {
                    let (file, line) = line(graph.edges[first].span);
                    let text = graph.edges[e].text.clone();
                    Statement {
                        file,
                        line,
                        state: location.number,
                        text,
                    }
                };
                if !reached[l] {
                    summary.unreached_states += 1;
                    summary.unreached.extend(location.edges().map(statement));
                    continue;
                }
                let never = |e: &usize| {
                    !self.executed[index][*e] && matches!(graph.edges[*e].action, Action::Guard(_))
                };
                summary
                    .never_true
                    .extend(location.edges().filter(never).map(statement));
            }
            all.push(summary);
        }
        all
    }
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
    /// Number of control states, counted as SPIN does.
    pub states: u32,
    /// Number of control states that were never reached.
    pub unreached_states: u32,
    /// The statements that start there.
    pub unreached: Vec<Statement>,
    /// Conditions that were tested but never true.
    pub never_true: Vec<Statement>,
}

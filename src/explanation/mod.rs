//! Explanations: what was required, and why a run breaks it.
//!
//! An [`Explanation`] is data; [`crate::report`] puts it into words, and `docs/schema` describes it. What it says of a run is
//! found on the run, by the definitions:
//!
//! - a property that no continuation can save any more is *hopeless* from some step on, which the automaton for the formula
//!   decides ([`ltl::prefix`]): the run is then explained, and shown, up to there;
//! - otherwise it is the cycle that never does what is due, and the chain of facts from the formula down to conditions
//!   on states ([`witness`]) ends in the condition that is never true; executing what could have happened instead tells who could
//!   have met it ([`met`]);
//! - in a deadlock, each process waits for something ([`mod@blocked`]).

mod blocked;
mod formula;
mod met;
mod reads;
#[cfg(test)]
mod tests;
mod walk;
mod witness;

pub use blocked::{Blocked, Wait, blocked, circle};
pub use met::Able;
pub use reads::{assigned, reads};
pub use witness::{Extent, Fact, is_condition, why};

use crate::check::{Goal, Model, word_of};
use crate::machine::{Fault, FaultKind, Move, Pid};
use crate::property::Property;
use crate::report::place;
use crate::search::Event;
use crate::trace::{NamedValue, values};
use crate::verdict::describe;
pub(crate) use formula::bare;
use formula::{Telling, automaton_run, decided_at, with_connectives};
use promela_lite::code::{Code, Instr};
use promela_lite::program::{Action, EdgeId, Program};
use promela_lite::source::{SourceMap, Span};
use serde::Serialize;
use std::sync::Arc;
use walk::{Stop, walk};

/// What was required, and why a run breaks it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// What was required.
    pub required: Required,
    /// Why the run breaks it.
    pub why: Why,
    /// The values before the first step.
    pub initial: Vec<NamedValue>,
    /// The values where the explanation ends.
    #[serde(rename = "final")]
    pub last: Vec<NamedValue>,
    /// Where the processes are there.
    pub processes: Vec<Place>,
    /// How many steps of the run are enough to see why: all, or fewer where it is hopeless earlier.
    pub steps: usize,
    /// The automaton of violations beside the run, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<AutomatonRun>,
}

/// What was required.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Required {
    /// As the user wrote it, or in words.
    pub text: String,
    /// File; empty if it is not in the model.
    pub file: String,
    /// Line, 0 if there is none.
    pub line: u32,
}

/// A process at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Number of the process.
    pub pid: u16,
    /// Its type.
    pub proctype: String,
    /// File.
    pub file: String,
    /// Line.
    pub line: u32,
    /// A statement there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub statement: String,
}

impl Place {
    fn new(sources: &SourceMap, pid: Pid, proctype: &str, span: Span, statement: &str) -> Place {
        let at = place(sources, span);
        Place {
            pid: pid.0,
            proctype: proctype.to_owned(),
            file: at.file,
            line: at.line,
            statement: statement.to_owned(),
        }
    }
}

/// Why a run breaks what was required.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Why {
    /// A statement fails: an assertion, or something without meaning.
    Fails {
        /// The step that fails, from 1; 0 for the initial state.
        step: usize,
        /// In words.
        message: String,
        /// What the statement reads.
        reads: Vec<NamedValue>,
    },
    /// Nothing can happen any more.
    Deadlock {
        /// Every process.
        blocked: Vec<Blocked>,
        /// Processes of which each waits for the next one, and the last for the first.
        circle: Vec<u16>,
    },
    /// After some step no continuation has the property.
    Hopeless {
        /// That step.
        after: usize,
        /// Why: from the formula down to conditions on states.
        because: Vec<Because>,
    },
    /// What is due never happens.
    NeverMet {
        /// Why: from the formula down to conditions on states.
        because: Vec<Because>,
        /// The condition that never becomes true.
        #[serde(skip_serializing_if = "Option::is_none")]
        obligation: Option<String>,
        /// Who could have made it true.
        able: Vec<Able>,
    },
    /// An automaton of violations accepts the run.
    Accepted {
        /// If no continuation can help: the step after which this is so.
        #[serde(skip_serializing_if = "Option::is_none")]
        after: Option<usize>,
    },
    /// A cycle passes accept labels.
    AcceptLabels {
        /// Where.
        passes: Vec<Passed>,
    },
    /// A cycle passes no progress label.
    NoProgress {
        /// The processes that move in it.
        moving: Vec<u16>,
    },
}

/// A label that is passed in a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Passed {
    /// The step after which it is.
    pub after: usize,
    /// The label.
    pub label: String,
    /// Who is there.
    #[serde(flatten)]
    pub at: Place,
}

/// A fact about a run, as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Because {
    /// The subformula.
    pub formula: String,
    /// Whether it holds.
    pub holds: bool,
    /// After that step.
    pub after: usize,
    /// For how long.
    pub extent: How,
    /// For a condition on one state: what it reads there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<NamedValue>,
}

/// For how long a fact is one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// There.
    Here,
    /// Until the point that the next fact is about.
    Until,
    /// From there on, forever.
    Forever,
}

/// The automaton of violations along a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AutomatonRun {
    /// Its states.
    pub states: Vec<AutomatonState>,
    /// The states it may be in after each step, on a run on which it accepts: first before any step.
    pub at: Vec<Vec<u32>>,
}

impl Explanation {
    /// The number of steps after which the violation is certain, whatever follows, if it is one of an endless run.
    pub fn decided(&self) -> Option<usize> {
        match self.why {
            Why::Hopeless { .. } | Why::Accepted { after: Some(_) } => Some(self.steps),
            _ => None,
        }
    }
}

/// A state of an automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AutomatonState {
    /// Whether it is accepting.
    pub accepting: bool,
    /// Whether it is initial.
    pub initial: bool,
    /// Label and target of each edge.
    pub edges: Vec<(String, u32)>,
}

/// A violation to be explained.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The model.
    pub model: &'a Model,
    /// What it was checked for; none if that is not known.
    pub goal: Option<&'a Goal>,
    /// The property, where there is one.
    pub property: Option<&'a Property>,
    /// What happens in the end.
    pub event: &'a Event,
    /// The moves, of the model as written.
    pub path: &'a [Move],
    /// Whether the automaton is wanted.
    pub with_automaton: bool,
}

impl Case<'_> {
    /// Explains it; none if the run is none of the model, or nothing is known of what it violates.
    pub fn explain(&self) -> Option<Explanation> {
        let (why, steps, automaton) = match self.event {
            Event::Fault(fault) => (self.fails(fault), self.path.len(), None),
            Event::InvalidEnd => (self.deadlock()?, self.path.len(), None),
            &Event::Cycle { start } => self.cycle(start)?,
        };
        let (initial, (last, processes)) = self.ends(steps);
        Some(Explanation {
            required: self.required(),
            why,
            initial,
            last,
            processes,
            steps,
            automaton,
        })
    }

    fn program(&self) -> &Arc<Program> {
        &self.model.program
    }

    /// The moves that lead to states. One that fails is not made again: it may take long to fail.
    fn made(&self) -> &[Move] {
        match (self.event, self.path.split_last()) {
            (Event::Fault(fault), Some((_, made))) if !fault.kind.leaves_successor() => made,
            _ => self.path,
        }
    }

    /// The values before the first step and after that many, and where the processes are then.
    fn ends(&self, steps: usize) -> (Vec<NamedValue>, (Vec<NamedValue>, Vec<Place>)) {
        let (mut initial, mut last) = (Vec::new(), (Vec::new(), Vec::new()));
        walk(self.program(), self.made(), &mut |stop: Stop<'_>| {
            if stop.made == 0 {
                initial = values(stop.machine, stop.state);
            }
            if stop.made == steps || stop.is_last {
                let view = stop.machine.view(stop.state);
                let at = view.processes().map(|p| {
                    let (name, span) = (&p.proctype().name, p.location().span);
                    Place::new(&self.model.sources, p.pid, name, span, "")
                });
                last = (values(stop.machine, stop.state), at.collect());
            }
            stop.made < steps
        });
        (initial, last)
    }

    /// What was required, as it is written.
    fn required(&self) -> Required {
        let (program, sources) = (self.program(), &self.model.sources);
        let written = |text: String, span: Span| {
            let at = place(sources, span);
            Required {
                text,
                file: at.file,
                line: at.line,
            }
        };
        let words = |text: &str| Required {
            text: text.to_owned(),
            file: String::new(),
            line: 0,
        };
        match (self.event, self.goal) {
            (Event::Fault(fault), _) => match (&fault.kind, self.last_edge()) {
                (FaultKind::Assertion, Some((_, edge))) => {
                    written(self.text_of(edge), edge_span(program, edge, fault))
                }
                (FaultKind::Trace, _) => match &program.trace {
                    Some(trace) => written("the trace automaton".to_owned(), trace.span),
                    None => words("the trace automaton"),
                },
                _ => words("every statement has a meaning: no error of the model"),
            },
            (Event::InvalidEnd, _) => words(
                "when nothing can happen any more, every process is at its end or at an `end` label",
            ),
            (Event::Cycle { .. }, Some(Goal::Formula(name))) => {
                let formula = program.ltl.iter().find(|l| l.name == *name);
                match formula {
                    Some(ltl) => written(self.formula_text(ltl.span), ltl.span),
                    None => words(name),
                }
            }
            (Event::Cycle { .. }, Some(Goal::Claim(name))) => {
                let claim = program.claims.iter().find(|c| c.name == *name);
                let text = format!("no run matches the never claim {name}");
                match claim {
                    Some(claim) => written(text, claim.span),
                    None => words(&text),
                }
            }
            (Event::Cycle { .. }, Some(Goal::Acceptance)) => {
                words("no cycle passes an `accept` label")
            }
            (Event::Cycle { .. }, Some(Goal::NonProgress)) => {
                words("every cycle passes a `progress` label")
            }
            (Event::Cycle { .. }, Some(Goal::Automaton)) => {
                words("no run is accepted by the automaton of violations")
            }
            (Event::Cycle { .. }, _) => words("a property"),
        }
    }

    /// A formula as it is written: without the block around it.
    fn formula_text(&self, span: Span) -> String {
        let sources = &self.model.sources;
        let block = sources.snippet(sources.root(span));
        let inside = match (block.starts_with("ltl"), block.find('{'), block.rfind('}')) {
            (true, Some(open), Some(close)) if open < close => &block[open + 1..close],
            _ => block,
        };
        let words: Vec<&str> = inside.split_whitespace().collect();
        words.join(" ").trim_end_matches(';').trim().to_owned()
    }

    /// The last move's process and edge.
    fn last_edge(&self) -> Option<(Pid, LastEdge)> {
        let last = self.path.last()?;
        let mut found = None;
        walk(self.program(), self.made(), &mut |stop: Stop<'_>| {
            if stop.made + 1 == self.path.len() {
                found = stop.machine.proctype_of(stop.state, last.pid);
            }
            true
        });
        Some((last.pid, LastEdge(found?.index(), last.edge)))
    }

    fn text_of(&self, LastEdge(proctype, edge): LastEdge) -> String {
        let graph = &self.program().proctypes[proctype].graph;
        let edge = &graph.edges[edge.index()];
        let written = self.model.sources.snippet(edge.span);
        let words: Vec<&str> = written.split_whitespace().collect();
        match edge.span.expn == Span::NONE.expn && written.starts_with("assert") {
            true => words.join(" "),
            false => edge.text.clone(),
        }
    }

    /// Why a statement fails: what it reads.
    fn fails(&self, fault: &Fault) -> Why {
        let mut values = Vec::new();
        if let (Some((pid, LastEdge(proctype, edge))), Some(last)) =
            (self.last_edge(), self.path.len().checked_sub(1))
        {
            let program = Arc::clone(self.program());
            let edge = &program.proctypes[proctype].graph.edges[edge.index()];
            walk(&program, self.made(), &mut |stop: Stop<'_>| {
                if stop.made == last {
                    let codes = codes(&program, &edge.action, edge.then);
                    let told = codes
                        .into_iter()
                        .flat_map(|code| reads(stop.machine, stop.state, Some(pid), code));
                    values = told.collect();
                }
                stop.made < last
            });
        }
        Why::Fails {
            step: self.path.len(),
            message: describe(&Event::Fault(fault.clone())),
            reads: values,
        }
    }

    fn deadlock(&self) -> Option<Why> {
        let mut all = None;
        walk(self.program(), self.path, &mut |stop: Stop<'_>| {
            if stop.is_last {
                let sources = &self.model.sources;
                all = Some(blocked(stop.machine, sources, stop.state));
            }
            true
        });
        let blocked = all?;
        Some(Why::Deadlock {
            circle: circle(&blocked),
            blocked,
        })
    }

    /// Why a cycle, or a run that ends, is a violation; how many steps are enough to see it; the automaton if it is wanted.
    fn cycle(&self, start: usize) -> Option<(Why, usize, Option<AutomatonRun>)> {
        let all = self.path.len();
        match (self.goal?, self.property) {
            (Goal::Acceptance, _) => Some((self.accept_labels(start), all, None)),
            (_, None) => None,
            (goal, Some(property)) => {
                let (word, lasso) = word_of(self.program(), property, self.path, start).ok()?;
                let automaton = self
                    .with_automaton
                    .then(|| automaton_run(property, &word, &lasso, all));
                let (why, steps) = match (&property.formula, goal) {
                    (_, Goal::NonProgress) => (self.no_progress(start), all),
                    (None, _) => {
                        let decided = decided_at(property, &lasso);
                        let after = decided.map(|position| word.after[position]);
                        (Why::Accepted { after }, after.unwrap_or(all))
                    }
                    (Some(f), _) => {
                        let mut formulas = f.formulas.clone();
                        let or = self.required().text.contains("||");
                        let formula = with_connectives(&mut formulas, f.formula, or);
                        let telling = Telling {
                            case: self,
                            property,
                            formulas: &formulas,
                            word: &word,
                            lasso: &lasso,
                            start,
                        };
                        telling.tell(formula, f.violation)
                    }
                };
                Some((why, steps, automaton))
            }
        }
    }

    fn accept_labels(&self, start: usize) -> Why {
        let mut passes: Vec<Passed> = Vec::new();
        walk(self.program(), self.path, &mut |stop: Stop<'_>| {
            if stop.made > start && stop.control.is_none() {
                let view = stop.machine.view(stop.state);
                for p in view.processes().filter(|p| p.location().accept) {
                    let (name, location) = (&p.proctype().name, p.location());
                    let at = Place::new(&self.model.sources, p.pid, name, location.span, "");
                    let labels = location.labels.iter().find(|l| l.starts_with("accept"));
                    if !passes.iter().any(|known| known.at == at) {
                        passes.push(Passed {
                            after: stop.made,
                            label: labels.cloned().unwrap_or_default(),
                            at,
                        });
                    }
                }
            }
            true
        });
        Why::AcceptLabels { passes }
    }

    fn no_progress(&self, start: usize) -> Why {
        let movers = self.path[start..].iter();
        let movers = movers.flat_map(|mv| [Some(mv.pid), mv.partner.map(|p| p.0)]);
        let mut moving: Vec<u16> = movers.flatten().map(|pid| pid.0).collect();
        moving.sort_unstable();
        moving.dedup();
        Why::NoProgress { moving }
    }
}

/// Number of a proctype, and an edge of it.
#[derive(Copy, Clone)]
struct LastEdge(usize, EdgeId);

fn edge_span(program: &Program, LastEdge(proctype, edge): LastEdge, fault: &Fault) -> Span {
    match fault.span == Span::NONE {
        true => program.proctypes[proctype].graph.edges[edge.index()].span,
        false => fault.span,
    }
}

/// The pieces of code of a statement that are followed one after the other: what a failed one reads is in one of them.
fn codes(program: &Program, action: &Action, then: Code) -> Vec<Code> {
    match action {
        // A return that has to find out where to, and then evaluates its result, is a guard with code behind it.
        Action::Guard(code) => vec![*code, then],
        Action::Effect(code) | Action::Return(code) => vec![*code],
        // Only the first statement can be followed from the state before.
        Action::DStep(code) => vec![first_statement(program, *code)],
        Action::Send(id) => {
            let op = &program.sends[id.index()];
            let mut codes = vec![op.chan];
            codes.extend(&op.args);
            codes
        }
        Action::Recv(id) => vec![program.recvs[id.index()].chan],
        Action::Skip | Action::Else | Action::End | Action::Call(_) => vec![then],
    }
}

fn first_statement(program: &Program, code: Code) -> Code {
    let stores = |i: &Instr| matches!(i, Instr::Store(_) | Instr::StoreAt(..) | Instr::Assert(_));
    let length = program.instrs[code.range()].iter().position(stores);
    Code {
        end: length.map_or(code.end, |n| code.start + n as u32 + 1),
        ..code
    }
}

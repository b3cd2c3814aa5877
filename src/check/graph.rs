//! The state graph of a small model, full and reduced, to be looked at.
//!
//! The full graph is explored first, within a bound on states. Then the search that `ample check` would make is made, past
//! violations and by one worker, and notes which moves of each state it makes ([`Recorded`]). What of the full graph these moves
//! reach is the reduced graph. That it has as many states and steps as the search counted is checked every time.

use super::{Failed, Model, Plan, Target};
use crate::limits::{Cancellation, Limits, Monitor, Progress, Stop};
use crate::machine::{Machine, Move, Pid};
use crate::report::place;
use crate::search::{
    Event, Graph, GraphStep, NoGraph, Outcome, Settings, Strategy, graph, search, search_cycles,
};
use crate::space::{
    Accepting, AmpleSets, Decisions, Labels, Product, ProductMove, Recorded, System, split,
};
use crate::trace::{NamedValue, values};
use crate::verdict::{describe, is_limit};
use promela_lite::program::{EdgeId, ProctypeId};
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;

/// A state graph.
#[derive(Clone, Debug, Serialize)]
pub struct StateGraph {
    /// `safety`, or the name of a property.
    pub property: String,
    /// Size of the full graph.
    pub full: GraphSize,
    /// Size of the reduced one; none where nothing is reduced.
    pub reduced: Option<GraphSize>,
    /// What was switched off or adapted, and why.
    pub notes: Vec<String>,
    /// The states; the first is the initial one.
    pub states: Vec<StateNode>,
    /// The steps, by the state they start from.
    pub steps: Vec<StepEdge>,
}

/// How large a graph is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphSize {
    /// States.
    pub states: usize,
    /// Steps that lead to a state.
    pub steps: usize,
}

/// A state.
#[derive(Clone, Debug, Serialize)]
pub struct StateNode {
    /// The processes, by their numbers.
    pub processes: Vec<ProcessPlace>,
    /// Variables and channels.
    pub values: Vec<NamedValue>,
    /// How the automaton of violations stands.
    pub automaton: Option<String>,
    /// Whether it is accepting.
    pub accepting: bool,
    /// Whether nothing can happen.
    pub end: bool,
    /// Why it is a violation, if it is.
    pub violation: Option<String>,
    /// Whether the reduced graph has it.
    pub reduced: bool,
}

/// Where a process is.
#[derive(Clone, Debug, Serialize)]
pub struct ProcessPlace {
    /// Its number.
    pub pid: u16,
    /// Its type.
    pub proctype: String,
    /// SPIN's number of the control state.
    pub state: u32,
    /// The file of the statement there.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// A step.
#[derive(Clone, Debug, Serialize)]
pub struct StepEdge {
    /// Where it starts.
    pub from: usize,
    /// Where it leads; nowhere if it is an error.
    pub to: Option<usize>,
    /// Its statements, with the processes that execute them; none if only the automaton moves.
    pub statements: Vec<String>,
    /// What goes wrong on it.
    pub violation: Option<String>,
    /// Whether the reduced graph has it.
    pub reduced: bool,
}

/// Why no graph is shown.
#[derive(Clone, Debug)]
pub enum NotDrawn {
    /// There are more states, or far more steps, than allowed.
    TooLarge(usize),
    /// The initial state is an error.
    Initial(String),
    /// Some variables are hidden.
    Hidden,
    /// It cannot be checked.
    Unsupported(String),
    /// A limit was reached.
    Stopped(Stop),
    /// The search and the graph differ: an error in this library.
    Contradiction(Failed),
}

impl fmt::Display for NotDrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotDrawn::TooLarge(most) => write!(
                f,
                "the graph has more than {most} states, or far more steps than that: too many to look at; make the model \
                 smaller, or raise --states"
            ),
            NotDrawn::Initial(what) => write!(f, "there is no graph: {what} in the initial state"),
            NotDrawn::Hidden => f.write_str(
                "`hidden` variables do not tell states apart, so the graph depends on the order of the search; declare them \
                 without `hidden`",
            ),
            NotDrawn::Unsupported(what) => write!(f, "{what} is not supported"),
            NotDrawn::Stopped(stop) => write!(f, "there is no graph: {stop}"),
            NotDrawn::Contradiction(failed) => failed.fmt(f),
        }
    }
}

impl std::error::Error for NotDrawn {}

impl Plan {
    /// The graph of what would be searched, if it has at most so many states.
    pub fn graph(&self, model: &Model, most: usize) -> Result<StateGraph, NotDrawn> {
        let (program, _) = self.prepare(model);
        let give_up = &self.cancellation;
        match &self.target {
            Target::Unsupported(what) => Err(NotDrawn::Unsupported(what.clone())),
            Target::Untranslated(stop) => Err(NotDrawn::Stopped(*stop)),
            Target::Safety => {
                let mut space = System::new(program).with_cancellation(give_up);
                if self.reduction {
                    space = space.reduce(give_up);
                }
                if self.stubborn {
                    space = space.with_stubborn();
                }
                self.draw(model, space, most)
            }
            Target::Acceptance => {
                let mut space = Labels::new(program, false).with_cancellation(give_up);
                if self.reduction {
                    space = space.reduce(give_up);
                }
                if self.stubborn {
                    space = space.with_stubborn();
                }
                self.draw(model, space, most)
            }
            Target::Property(property, stepping) => {
                let mut space =
                    Product::new(&program, property, *stepping, false).with_cancellation(give_up);
                if self.reduction {
                    space = space.reduce(property, give_up);
                }
                if self.stubborn {
                    space = space.with_stubborn();
                }
                self.draw(model, space, most)
            }
        }
    }

    fn draw<P: Drawable>(
        &self,
        model: &Model,
        mut space: P,
        most: usize,
    ) -> Result<StateGraph, NotDrawn> {
        let full = graph(&mut space, most, &self.cancellation).map_err(|why| match why {
            NoGraph::Initial(fault) => NotDrawn::Initial(describe(&Event::Fault(fault))),
            NoGraph::TooMany => NotDrawn::TooLarge(most),
            NoGraph::Stopped(stop) => NotDrawn::Stopped(stop),
            NoGraph::Hidden => NotDrawn::Hidden,
        })?;
        let kept = match space.reduces() {
            true => Some(self.kept(model, &mut space, &full)?),
            false => None,
        };
        Ok(self.described(model, &mut space, &full, kept.as_ref()))
    }

    /// What of a graph the reduced search visits.
    fn kept<P: Drawable>(
        &self,
        model: &Model,
        space: &mut P,
        full: &Graph<P::Move>,
    ) -> Result<Kept, NotDrawn> {
        let settings = Settings {
            all_errors: true,
            workers: 1,
            limits: Limits::default(),
            ..self.settings()
        };
        let mut recorded = Recorded::new(space);
        let mut monitor = Polling(&self.cancellation);
        let outcome = P::search(&mut recorded, &settings, &mut monitor);
        let decisions = recorded.into_decisions();
        if let Some(stop) = self.cancellation.poll() {
            return Err(NotDrawn::Stopped(stop));
        }
        let kept = Kept::by(space, full, &decisions);
        let stats = outcome.stats;
        // A path that was not followed again may end earlier in one of them.
        let same = kept.size(full).states as u64 == stats.stored
            && kept.size(full).steps as u64 + 1 == stats.transitions()
            && decisions.len() as u64 == stats.stored;
        match same || stats.atomic_repeats > 0 {
            true => Ok(kept),
            false => Err(NotDrawn::Contradiction(Failed::Contradiction(format!(
                "{}: the reduced search visited {} states and {} steps, its graph has {} and {}",
                self.goal.name(model),
                stats.stored,
                stats.transitions().saturating_sub(1),
                kept.size(full).states,
                kept.size(full).steps
            )))),
        }
    }

    fn described<P: Drawable>(
        &self,
        model: &Model,
        space: &mut P,
        full: &Graph<P::Move>,
        kept: Option<&Kept>,
    ) -> StateGraph {
        let bad = match matches!(self.target, Target::Safety) {
            true => vec![false; full.states.len()],
            false => on_accepting_cycles(space, full),
        };
        let mut nodes = Vec::new();
        for (number, state) in full.states.iter().enumerate() {
            let bytes = state.bytes.as_slice();
            let accepting = space.is_marked(bytes);
            let machine = space.machine();
            let view = machine.view(bytes);
            let processes = view.processes().map(|process| {
                let location = process.location();
                let at = place(&model.sources, location.span);
                ProcessPlace {
                    pid: process.pid.0,
                    proctype: process.proctype().name.clone(),
                    state: location.number,
                    file: at.file,
                    line: at.line,
                }
            });
            let stuck = state.end == Some(false) && self.end_states;
            nodes.push(StateNode {
                processes: processes.collect(),
                values: values(machine, bytes),
                automaton: space.automaton(bytes),
                accepting,
                end: state.end.is_some(),
                violation: match (stuck, bad[number]) {
                    (true, _) => Some(describe(&Event::InvalidEnd)),
                    (false, true) => Some("on a cycle that is a violation".to_owned()),
                    (false, false) => None,
                },
                reduced: kept.is_none_or(|k| k.states[number]),
            });
        }
        let mut machine = space.machine().clone();
        let steps = full.steps.iter().enumerate().map(|(number, step)| {
            let path: Vec<Move> = step.path.iter().filter_map(|mv| P::program(*mv)).collect();
            let event = step.fault.clone().map(Event::Fault);
            StepEdge {
                from: step.from,
                to: step.to,
                statements: statements(&mut machine, &full.states[step.from].bytes, &path),
                violation: event.map(|event| match is_limit(&event) {
                    true => format!("not followed: {}", describe(&event)),
                    false => describe(&event),
                }),
                reduced: kept.is_none_or(|k| k.steps[number]),
            }
        });
        let everything = Kept {
            states: vec![true; full.states.len()],
            steps: vec![true; full.steps.len()],
        };
        StateGraph {
            property: self.goal.name(model).to_owned(),
            full: everything.size(full),
            reduced: kept.map(|k| k.size(full)),
            notes: self.notes.clone(),
            steps: steps.collect(),
            states: nodes,
        }
    }
}

/// A space whose graph can be shown.
trait Drawable: AmpleSets + Sized {
    /// The search that is made of it.
    fn search(
        recorded: &mut Recorded<'_, Self>,
        settings: &Settings,
        monitor: &mut dyn Monitor,
    ) -> Outcome<Self::Move>;
    fn machine(&self) -> &Machine;
    fn is_marked(&mut self, state: &[u8]) -> bool;
    fn automaton(&self, state: &[u8]) -> Option<String>;
    fn program(mv: Self::Move) -> Option<Move>;
}

impl Drawable for System {
    fn search(
        recorded: &mut Recorded<'_, System>,
        settings: &Settings,
        monitor: &mut dyn Monitor,
    ) -> Outcome<Move> {
        search(Strategy::Dfs, recorded, settings, monitor)
    }

    fn machine(&self) -> &Machine {
        System::machine(self)
    }

    fn is_marked(&mut self, _: &[u8]) -> bool {
        false
    }

    fn automaton(&self, _: &[u8]) -> Option<String> {
        None
    }

    fn program(mv: Move) -> Option<Move> {
        Some(mv)
    }
}

impl Drawable for Labels {
    fn search(
        recorded: &mut Recorded<'_, Labels>,
        settings: &Settings,
        monitor: &mut dyn Monitor,
    ) -> Outcome<Move> {
        search_cycles(recorded, settings, monitor)
    }

    fn machine(&self) -> &Machine {
        self.system().machine()
    }

    fn is_marked(&mut self, state: &[u8]) -> bool {
        self.is_accepting(state)
    }

    fn automaton(&self, _: &[u8]) -> Option<String> {
        None
    }

    fn program(mv: Move) -> Option<Move> {
        Some(mv)
    }
}

impl Drawable for Product {
    fn search(
        recorded: &mut Recorded<'_, Product>,
        settings: &Settings,
        monitor: &mut dyn Monitor,
    ) -> Outcome<ProductMove> {
        search_cycles(recorded, settings, monitor)
    }

    fn machine(&self) -> &Machine {
        Product::machine(self)
    }

    fn is_marked(&mut self, state: &[u8]) -> bool {
        self.is_accepting(state)
    }

    fn automaton(&self, state: &[u8]) -> Option<String> {
        Some(Product::standing(state))
    }

    fn program(mv: ProductMove) -> Option<Move> {
        mv.program
    }
}

/// Ends a search when its result is not wanted any more.
struct Polling<'c>(&'c Cancellation);

impl Monitor for Polling<'_> {
    fn tick(&mut self, _: &Progress) -> Option<Stop> {
        self.0.poll()
    }
}

/// The part of a graph that a reduced search visits.
struct Kept {
    states: Vec<bool>,
    steps: Vec<bool>,
}

impl Kept {
    fn by<P: AmpleSets>(space: &mut P, full: &Graph<P::Move>, decisions: &Decisions) -> Kept {
        let mut kept = Kept {
            states: vec![false; full.states.len()],
            steps: vec![false; full.steps.len()],
        };
        let starts = first_steps(full);
        let mut queue = VecDeque::from([0]);
        kept.states[0] = true;
        let mut moves = Vec::new();
        while let Some(from) = queue.pop_front() {
            let state = &full.states[from].bytes;
            let decided = decisions.get(split(space, state).0);
            let made = decided.copied().flatten().and_then(|index| {
                moves.clear();
                space.moves(state, None, &mut moves).ok()?;
                let count = space.ample(state, &mut moves, index as usize)?;
                Some(count)
            });
            for number in starts[from]..starts[from + 1] {
                let step = &full.steps[number];
                let first = step.path.first();
                let is_made = |count: usize| first.is_some_and(|mv| moves[..count].contains(mv));
                if !made.is_none_or(is_made) {
                    continue;
                }
                kept.steps[number] = true;
                if let Some(to) = step.to.filter(|&to| !kept.states[to]) {
                    kept.states[to] = true;
                    queue.push_back(to);
                }
            }
        }
        kept
    }

    fn size<M>(&self, full: &Graph<M>) -> GraphSize {
        let steps = full.steps.iter().zip(&self.steps);
        GraphSize {
            states: self.states.iter().filter(|kept| **kept).count(),
            steps: steps.filter(|(s, kept)| **kept && s.to.is_some()).count(),
        }
    }
}

/// Where the steps of each state begin, and where the last ones end.
fn first_steps<M>(full: &Graph<M>) -> Vec<usize> {
    (0..=full.states.len())
        .map(|state| full.steps.partition_point(|step| step.from < state))
        .collect()
}

/// Which states lie on a cycle with an accepting state: those of the components with one (Tarjan's algorithm, without recursion).
fn on_accepting_cycles<P: Drawable>(space: &mut P, full: &Graph<P::Move>) -> Vec<bool> {
    const NONE: usize = usize::MAX;
    let count = full.states.len();
    let starts = first_steps(full);
    let (mut index, mut low) = (vec![NONE; count], vec![0; count]);
    let mut on_stack = vec![false; count];
    let (mut stack, mut bad) = (Vec::new(), vec![false; count]);
    let mut next = 0;
    let mut path = vec![(0, starts[0])];
    while let Some((state, step)) = path.last_mut() {
        let state = *state;
        if index[state] == NONE {
            (index[state], low[state]) = (next, next);
            next += 1;
            stack.push(state);
            on_stack[state] = true;
        }
        if *step < starts[state + 1] {
            let to = full.steps[*step].to;
            *step += 1;
            match to {
                Some(to) if index[to] == NONE => path.push((to, starts[to])),
                Some(to) if on_stack[to] => low[state] = low[state].min(index[to]),
                _ => {}
            }
            continue;
        }
        path.pop();
        if let Some(&(above, _)) = path.last() {
            low[above] = low[above].min(low[state]);
        }
        if low[state] == index[state] {
            let from = stack.iter().rposition(|&s| s == state).unwrap_or(0);
            let component = stack.split_off(from);
            component.iter().for_each(|&s| on_stack[s] = false);
            let loops = |s: &GraphStep<P::Move>| s.to == Some(state);
            let cyclic = component.len() > 1
                || full.steps[starts[state]..starts[state + 1]]
                    .iter()
                    .any(loops);
            let mut accepting = component.iter().map(|&s| &full.states[s].bytes);
            if cyclic && accepting.any(|bytes| space.is_marked(bytes)) {
                component.iter().for_each(|&s| bad[s] = true);
            }
        }
    }
    bad
}

/// What a path of moves executes, with the processes that do.
fn statements(machine: &mut Machine, from: &[u8], path: &[Move]) -> Vec<String> {
    let mut all = Vec::new();
    let (mut state, mut next) = (from.to_vec(), Vec::new());
    let mut control = None;
    let mut listed = Vec::new();
    for &mv in path {
        let mut text = statement(machine, &state, mv.pid, mv.edge);
        if let Some((pid, edge)) = mv.partner {
            text.push_str(" -> ");
            text.push_str(&statement(machine, &state, pid, edge));
        }
        all.push(text);
        listed.clear();
        let info = machine.moves(&state, control, &mut listed);
        let timeout = info.is_ok_and(|info| info.timeout);
        let made = machine.apply(&state, mv, timeout, &mut next);
        if made.is_err_and(|fault| !fault.kind.leaves_successor()) {
            break;
        }
        control = machine.last_step().control;
        std::mem::swap(&mut state, &mut next);
    }
    all
}

/// A statement with the process that executes it.
fn statement(machine: &Machine, state: &[u8], pid: Pid, edge: EdgeId) -> String {
    let view = machine.view(state);
    let proctype: Option<ProctypeId> = view
        .processes()
        .nth(usize::from(pid.0))
        .map(|process| process.proctype_id());
    let Some(id) = proctype else {
        return format!("process {}", pid.0);
    };
    let proctype = &machine.shared_program().proctypes[id.index()];
    let edge = proctype.graph.edges.get(edge.index());
    format!(
        "{}({}): {}",
        proctype.name,
        pid.0,
        edge.map_or("", |edge| edge.text.as_str())
    )
}

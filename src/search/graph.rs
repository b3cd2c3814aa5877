//! The graph of a small space: every state with every step, kept, to be drawn.
//!
//! States and steps are those of the searches: a step is one move or a whole `atomic` sequence ([`super::steps`]), and long
//! sequences are cut where searches cut them ([`super::chain`]). States are numbered breadth first, the initial one being 0.

use super::chain::Chains;
use super::steps::{Stepper, Visitor, Way};
use crate::limits::{Cancellation, Stop};
use crate::machine::{Fault, Pid};
use crate::space::{Space, split};
use rustc_hash::FxHashMap;

/// More steps than this many times the states are too many to draw, too.
const STEPS_PER_STATE: usize = 64;

/// All states and steps of a space.
#[derive(Clone, Debug)]
pub struct Graph<M> {
    /// The states; the first is the initial one.
    pub states: Vec<GraphState>,
    /// The steps, by the state they start from.
    pub steps: Vec<GraphStep<M>>,
}

/// A state.
#[derive(Clone, Debug, Default)]
pub struct GraphState {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Nothing can happen here; whether that is a valid end.
    pub end: Option<bool>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct GraphStep<M> {
    /// Where it starts.
    pub from: usize,
    /// Where it leads; nowhere if its last move fails and has no successor.
    pub to: Option<usize>,
    /// Its moves.
    pub path: Vec<M>,
    /// What goes wrong on it.
    pub fault: Option<Fault>,
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGraph {
    /// The initial state is an error.
    Initial(Fault),
    /// There are more states, or far more steps, than allowed.
    TooMany,
    /// A limit was reached.
    Stopped(Stop),
    /// States have parts that do not tell them apart, so the graph depends on the order of the search.
    Hidden,
}

/// The graph of a space with at most so many states.
pub fn graph<P: Space>(
    space: &mut P,
    most: usize,
    cancellation: &Cancellation,
) -> Result<Graph<P::Move>, NoGraph> {
    let mut first = Vec::new();
    space.initial(&mut first).map_err(NoGraph::Initial)?;
    let mut found = Found {
        graph: Graph {
            states: Vec::new(),
            steps: Vec::new(),
        },
        numbers: FxHashMap::default(),
        chains: Chains::default(),
        from: 0,
        failed: 0,
        attached: Vec::new(),
        most,
        moved: 0,
        cancellation,
        over: None,
    };
    found.number(space, &first);
    let mut stepper = Stepper::default();
    let mut moves = Vec::new();
    while found.from < found.graph.states.len() {
        let from = found.from;
        let state = found.graph.states[from].bytes.clone();
        found.chains.left(0);
        found.chains.progress();
        found.failed = found.graph.steps.len();
        moves.clear();
        let timeout = match space.moves(&state, None, &mut moves) {
            Ok(info) => {
                if moves.is_empty() {
                    found.graph.states[from].end = Some(space.stuck_at(&state).is_none());
                }
                info.timeout
            }
            Err((mv, fault)) => {
                found.step(None, vec![mv], Some(fault));
                false
            }
        };
        for &mv in &moves {
            stepper.make(space, (&state, timeout), mv, &mut found);
        }
        // What was said of a step with a successor is no step of its own.
        found.attached.sort_unstable();
        found.attached.dedup();
        while let Some(index) = found.attached.pop() {
            found.graph.steps.remove(index);
        }
        found.tick();
        match found.over {
            None => found.from += 1,
            Some(why) => return Err(why),
        }
    }
    Ok(found.graph)
}

/// The graph as far as it is known.
struct Found<'c, M> {
    graph: Graph<M>,
    numbers: FxHashMap<Box<[u8]>, usize>,
    chains: Chains,
    /// The state being expanded.
    from: usize,
    /// The first step of that state.
    failed: usize,
    /// Failures of that state that are told with the steps on which they occur.
    attached: Vec<usize>,
    most: usize,
    /// Moves inside atomic sequences.
    moved: u64,
    cancellation: &'c Cancellation,
    over: Option<NoGraph>,
}

impl<M: Copy + PartialEq> Found<'_, M> {
    fn number<P: Space>(&mut self, space: &P, state: &[u8]) -> usize {
        let (key, along) = split(space, state);
        if !along.is_empty() {
            self.over = Some(NoGraph::Hidden);
        }
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let number = self.graph.states.len();
        self.numbers.insert(key.into(), number);
        self.graph.states.push(GraphState {
            bytes: state.to_vec(),
            end: None,
        });
        if number >= self.most {
            self.over.get_or_insert(NoGraph::TooMany);
        }
        number
    }

    fn step(&mut self, to: Option<usize>, path: Vec<M>, fault: Option<Fault>) {
        let from = self.from;
        self.graph.steps.push(GraphStep {
            from,
            to,
            path,
            fault,
        });
        if self.graph.steps.len() > self.most.saturating_mul(STEPS_PER_STATE) {
            self.over.get_or_insert(NoGraph::TooMany);
        }
    }

    fn tick(&mut self) {
        if let Some(stop) = self.cancellation.poll() {
            self.over.get_or_insert(NoGraph::Stopped(stop));
        }
    }
}

impl<P: Space> Visitor<P> for Found<'_, P::Move> {
    type Mark = ();

    fn mark(&mut self, _: Option<()>, _: P::Move) {}

    fn control_kept(&mut self, _: impl FnOnce() -> u64) {
        self.moved += 1;
        if self.moved.is_multiple_of(1024) {
            self.tick();
        }
    }

    fn follow(&mut self, state: &[u8], pid: Pid, way: &Way<'_, P::Move>) -> bool {
        let depth = way.inner_states() as u32 + 1;
        self.chains.follow(0, depth, state, pid)
    }

    fn arrive(&mut self, space: &mut P, state: &mut Vec<u8>, way: &Way<'_, P::Move>, (): ()) {
        match space.settle(state) {
            Ok(true) => {}
            Ok(false) => return,
            Err(fault) => return self.fault(space, fault, way),
        }
        let path: Vec<P::Move> = way.moves().collect();
        let to = self.number(space, state);
        // A failed assertion has a successor: the step that fails is the one that leads there.
        let mut fault = None;
        for (index, step) in self.graph.steps.iter().enumerate().skip(self.failed) {
            let leads_on = |f: &Fault| f.kind.leaves_successor();
            if step.to.is_none()
                && step.fault.as_ref().is_some_and(leads_on)
                && path.starts_with(&step.path)
            {
                self.attached.push(index);
                fault = fault.or_else(|| step.fault.clone());
            }
        }
        self.step(Some(to), path, fault);
    }

    fn fault(&mut self, _: &mut P, fault: Fault, way: &Way<'_, P::Move>) {
        self.step(None, way.moves().collect(), Some(fault));
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn stopped(&self) -> bool {
        self.over.is_some()
    }
}

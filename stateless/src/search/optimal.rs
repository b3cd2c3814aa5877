//! Optimal dynamic partial-order reduction: one execution per Mazurkiewicz trace.
//!
//! Abdulla, Aronsson, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL 2014
//! (journal version: "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM
//! 2017). At the end of each execution every race is reversed: the sequence that does so is
//! inserted into the wakeup tree of the state before the race, unless a sleeping step is a weak
//! initial of it, which means that it was explored already. When a state is returned to, the first
//! branch of its tree is executed to its leaf, and from there on threads are chosen freely.
//!
//! Choices of data: a step that can be executed in several ways is one step per way. When it is
//! executed first, the other ways are inserted as sequences of one step, under the same conditions
//! as any sequence. What a step depends on must not depend on the way it is executed.
//!
//! At a leaf the sleep set is empty, so no execution is blocked by it; the explorer counts those
//! that are, and tests require none. The memory is that of the wakeup trees along one execution.
//!
//! Several workers ([`team`](super::team)) share the states at the beginning of their executions.
//! What one worker explores after the other is there explored at the same time, and yet every trace
//! is executed once:
//! - A step that was taken from a shared state sleeps there from then on, and not only when it was
//!   explored, so that branches are taken in the same order, with the same sleep sets, as one
//!   worker would take them.
//! - A sequence that comes from the exploration of a step is inserted into the state as one worker
//!   would do it: it is left out if a step that was taken *earlier* is a weak initial of it; if one
//!   that was taken *later* is, then one worker would not have taken that yet, and the sequence
//!   goes down this branch, even if it is being explored by somebody else or is finished. It may
//!   not be left out there: what sleeps in the branch relies on it. (Exploring `b` while `a`
//!   sleeps leaves out what begins with `a`; an order in which something wakes `a` may be known
//!   only from the exploration of `a`.)
//! - At the leaf of a branch nothing sleeps, so what is explored from there relies on nobody. States
//!   beyond a leaf belong to one worker until it hands them over; states on the way to a leaf that
//!   begins in a shared state are shared.

use super::team::{Offer, Shared, Team};
use super::wakeup::{self, Branch};
use super::{
    Asleep, Departure, Enabled, Strategy, awake, explored, is_asleep, pass_on, prefer_last,
};
use crate::execution::{Execution, Position};
use crate::fault::Fault;
use crate::races::{self, Place, Predicted, Sequence};
use crate::system::{Pending, System, Thread};
use std::sync::Arc;

/// A state along the current execution.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// What slept when the state was reached, and then what was taken from it.
    sleep: Vec<Asleep>,
    tree: Vec<Branch>,
    /// How many of `sleep` slept when the state was reached.
    inherited: usize,
    /// Of a shared state, the shared states that taken steps lead to, by their index in `sleep`.
    inner: Vec<(usize, Arc<Shared>)>,
}

/// A state along the beginning of the next execution, for the next sitting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved {
    pub(crate) inherited: usize,
    pub(crate) sleep: Vec<Asleep>,
    pub(crate) tree: Vec<Branch>,
}

/// What became of a sequence at a node.
enum Settled {
    /// It is or will be explored anyway.
    Covered,
    /// It was inserted.
    Inserted,
    /// Its rest belongs to the state after this taken step.
    Below(usize, Arc<Shared>),
}

impl Node {
    fn new(sleep: Vec<Asleep>, tree: Vec<Branch>) -> Self {
        Node {
            inherited: sleep.len(),
            sleep,
            tree,
            inner: Vec::new(),
        }
    }

    fn insert(&mut self, x: &Execution, sequence: Sequence, most: Option<usize>) {
        let redundant = |s: &Asleep| {
            sequence.place(x, s.thread, Some(s.choice), &s.operation) != Place::Conflict
        };
        if self.sleep.iter().any(redundant) {
            return;
        }
        match most {
            Some(most) => wakeup::insert_bounded(x, &mut self.tree, sequence, most),
            None => drop(wakeup::insert(
                x,
                &mut self.tree,
                sequence,
                wakeup::Path::new(),
            )),
        }
    }

    /// The same for a shared state. The sequence comes from the exploration of the step with index
    /// `from`, or from outside.
    fn settle(
        &mut self,
        x: &Execution,
        sequence: &mut Sequence,
        path: &wakeup::Path,
        from: Option<usize>,
    ) -> Settled {
        for (index, s) in self.sleep.iter().enumerate() {
            if !wakeup::follow(x, sequence, path, (s.thread, Some(s.choice)), &s.operation) {
                continue;
            }
            let is_later = index >= self.inherited && from.is_none_or(|from| index > from);
            let inner = self.inner.iter().find(|(of, _)| *of == index);
            return match inner {
                Some((_, inner)) if is_later && x.fault != Some(Fault::DropLate) => {
                    Settled::Below(index, inner.clone())
                }
                _ => Settled::Covered,
            };
        }
        match wakeup::insert(x, &mut self.tree, sequence.clone(), path.clone()) {
            true => Settled::Inserted,
            false => Settled::Covered,
        }
    }

    /// The first branch of the wakeup tree.
    pub(crate) fn take(&mut self) -> Option<Branch> {
        (!self.tree.is_empty()).then(|| self.tree.remove(0))
    }

    /// The last step of `x` was taken from here; it leads to a shared state or to one that belongs
    /// to a worker. Its index.
    fn took(&mut self, x: &Execution, position: Position, inner: Option<Arc<Shared>>) -> usize {
        let index = self.sleep.len();
        if x.fault != Some(Fault::ForgetTaken) {
            self.sleep.push(explored(x, position));
        }
        self.inner.extend(inner.map(|inner| (index, inner)));
        index
    }

    /// One over the number of branches, the one that is being explored included.
    fn weight(&self, is_shared: bool) -> f64 {
        let taken = self.sleep.len() - self.inherited + usize::from(!is_shared);
        1.0 / (taken + self.tree.len()).max(1) as f64
    }
}

/// A shared state on the way of a worker.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    state: Arc<Shared>,
    /// The index of the step that the worker has taken from it.
    step: usize,
}

/// The strategy.
pub(crate) struct Optimal {
    /// Positions without a node of its own: those of `shared`, or a beginning that stays as it is.
    base: Position,
    shared: Vec<Known>,
    /// One per position from `base` on.
    nodes: Vec<Node>,
    /// What remains of the branch that is being executed.
    rest: Vec<Branch>,
    /// The branch taken from the last shared state, until its first step was made.
    reserved: Option<Branch>,
    is_reserved: bool,
    team: Option<Arc<Team>>,
    /// About how many branches a wakeup tree may have.
    most: Option<usize>,
    /// Whether nothing sleeps in the branch that is being taken.
    is_awake: bool,
}

impl Optimal {
    pub(crate) fn new() -> Self {
        Optimal::from(0)
    }

    /// Explores what begins with so many steps, which it does not change.
    pub(crate) fn from(base: Position) -> Self {
        Optimal {
            base,
            shared: Vec::new(),
            nodes: vec![Node::default()],
            rest: Vec::new(),
            reserved: None,
            is_reserved: false,
            team: None,
            most: None,
            is_awake: false,
        }
    }

    /// With wakeup trees of about this size at most.
    pub(crate) fn bounded(mut self, most: Option<usize>) -> Self {
        self.most = most;
        self
    }

    /// Goes on where another one was saved.
    pub(crate) fn resumed(saved: Vec<Saved>) -> Self {
        let node = |saved: Saved| Node {
            inherited: saved.inherited,
            sleep: saved.sleep,
            tree: saved.tree,
            inner: Vec::new(),
        };
        let mut optimal = Optimal::new();
        optimal.nodes = saved.into_iter().map(node).collect();
        optimal
    }

    /// A member of a team. The first one begins; the others wait for something to do.
    pub(crate) fn member(team: Arc<Team>, is_first: bool) -> Self {
        let mut member = Optimal::new();
        if !is_first {
            member.nodes.clear();
        }
        member.team = Some(team);
        member
    }

    /// Inserts a sequence into the tree of the state that it departs from.
    fn insert(&mut self, x: &Execution, sequence: Sequence) {
        let position = sequence.position;
        if position >= self.base {
            self.nodes[position - self.base].insert(x, sequence, self.most);
        } else if position < self.shared.len() {
            self.insert_shared(x, sequence);
        }
    }

    /// The same for a shared state. A sequence that goes down a branch which was taken already is
    /// offered to the team: nobody may come back there by itself.
    fn insert_shared(&self, x: &Execution, mut sequence: Sequence) {
        let position = sequence.position;
        let mut states = self.shared[..=position].to_vec();
        let mut from = Some(states[position].step);
        let mut path = wakeup::Path::new();
        let steps = x.events()[..position].iter();
        let mut prefix: Vec<(Thread, u32)> = steps.map(|e| (e.thread, e.choice)).collect();
        loop {
            let last = states.last_mut().expect("there is the first one");
            let settled = last.state.with(|node| {
                let settled = node.settle(x, &mut sequence, &path, from);
                if let Settled::Below(index, _) = &settled {
                    let step = &node.sleep[*index];
                    path.push((step.thread, step.operation.clone()));
                    prefix.push((step.thread, step.choice));
                }
                settled
            });
            match settled {
                Settled::Covered => return,
                Settled::Inserted => break,
                Settled::Below(index, inner) => {
                    last.step = index;
                    from = None;
                    states.push(Known {
                        state: inner,
                        step: 0,
                    });
                }
            }
        }
        if let Some(team) = self.team.as_ref().filter(|_| from.is_none()) {
            team.offer(Offer { prefix, states });
        }
    }

    /// Inserts the other ways to execute a step.
    fn other_ways<S: System>(&mut self, system: &S, x: &Execution, step: Enabled, choice: u32) {
        let Pending::Operation { operation, .. } = system.pending(step.thread) else {
            return;
        };
        let resolved = operation.resolve(|object| system.value(object));
        let operation = resolved.expect("the operation is enabled");
        let asleep = |node: &mut Node| {
            let others = (0..step.choices).filter(|&c| c != choice);
            others
                .filter(|&c| !is_asleep(&node.sleep, step.thread, c))
                .collect::<Vec<_>>()
        };
        let others = match self.nodes.last_mut() {
            Some(node) => asleep(node),
            None => self
                .shared
                .last()
                .map_or(Vec::new(), |last| last.state.reserved(asleep)),
        };
        for other in others {
            let last = Predicted {
                thread: step.thread,
                local: x.local_count(step.thread, x.len()),
                choice: Some(other),
                operation: operation.clone(),
            };
            let sequence = Sequence {
                position: x.len(),
                events: Vec::new(),
                last: Some(last),
            };
            match self.nodes.last_mut() {
                Some(node) => node.insert(x, sequence, self.most),
                None => {
                    if let Some(last) = self.shared.last() {
                        last.state.reserved(|node| node.insert(x, sequence, None));
                    }
                }
            }
        }
    }

    /// Gives the states up to the first one with something left to do to the team, if somebody has
    /// nothing to do. All states have a step that is being explored.
    fn hand_over(&mut self, x: &Execution) {
        let Some(team) = self.team.as_ref().filter(|team| team.wants_work()) else {
            return;
        };
        let left: usize = self.nodes.iter().map(|node| node.tree.len()).sum();
        let Some(first) = self.nodes.iter().position(|node| !node.tree.is_empty()) else {
            return;
        };
        if left < 2 {
            return;
        }
        for mut node in self.nodes.drain(..=first) {
            let step = node.took(x, self.base, None);
            self.shared.push(Known {
                state: Arc::new(Shared::new(node)),
                step,
            });
            self.base += 1;
        }
        let prefix = x.events()[..self.base - 1].iter();
        let offer = Offer {
            prefix: prefix.map(|e| (e.thread, e.choice)).collect(),
            states: self.shared.clone(),
        };
        if x.fault == Some(Fault::LoseHandover) {
            if let Some(last) = self.shared.last() {
                last.state.with(|node| drop(node.take()));
            }
            return;
        }
        team.offer(offer);
    }

    /// Takes a branch of the last shared state that has one.
    fn reserve(&mut self) -> Option<Position> {
        while let Some(last) = self.shared.last() {
            self.reserved = last.state.reserve();
            if self.reserved.is_some() {
                self.is_reserved = true;
                return Some(self.base - 1);
            }
            self.shared.pop();
            self.base -= 1;
        }
        None
    }
}

impl<S: System> Strategy<S> for Optimal {
    fn pick(&mut self, system: &S, x: &Execution, enabled: &[Enabled]) -> Option<(Thread, u32)> {
        // A wakeup sequence is executable, unless the system is not deterministic.
        let find = |branch: &Branch| enabled.iter().find(|e| e.thread == branch.thread).copied();
        let impossible = |branch: &Branch| Some((branch.thread, branch.choice.unwrap_or(0)));
        let (step, choice) = match self.nodes.last_mut() {
            Some(node) => match node.take() {
                None => {
                    let step = prefer_last(x, enabled, |e| awake(&node.sleep, e).is_some())?;
                    (step, awake(&node.sleep, step)?)
                }
                Some(branch) => {
                    let Some(step) = find(&branch) else {
                        return impossible(&branch);
                    };
                    self.rest = branch.children;
                    self.is_awake = branch.is_awake;
                    (step, branch.choice.or_else(|| awake(&node.sleep, step))?)
                }
            },
            None => {
                let branch = self.reserved.take()?;
                let Some(step) = find(&branch) else {
                    return impossible(&branch);
                };
                self.rest = branch.children;
                let awake = |node: &mut Node| awake(&node.sleep, step);
                let first = || self.shared.last()?.state.reserved(awake);
                (step, branch.choice.or_else(first)?)
            }
        };
        if step.choices > 1 && x.fault != Some(Fault::DropChoice) {
            self.other_ways(system, x, step, choice);
        }
        Some((step.thread, choice))
    }

    fn stepped(&mut self, x: &Execution) {
        let mut rest = std::mem::take(&mut self.rest);
        let sleep = match (self.nodes.last(), self.shared.last_mut()) {
            (Some(_), _) if std::mem::take(&mut self.is_awake) => Vec::new(),
            (Some(node), _) => pass_on(&node.sleep, x),
            (None, Some(last)) => {
                self.is_reserved = false;
                // On the way to a leaf, the next state is shared as well.
                self.reserved = (!rest.is_empty()).then(|| rest.remove(0));
                let mut inner = None;
                let sleep = last.state.release(|node| {
                    let sleep = pass_on(&node.sleep, x);
                    if self.reserved.is_some() {
                        let next = Node::new(sleep.clone(), std::mem::take(&mut rest));
                        inner = Some(Arc::new(Shared::reserved_by_its_maker(next)));
                    }
                    last.step = node.took(x, x.len() - 1, inner.clone());
                    sleep
                });
                if let Some(state) = inner {
                    self.is_reserved = true;
                    self.shared.push(Known { state, step: 0 });
                    self.base += 1;
                    return;
                }
                sleep
            }
            (None, None) => Vec::new(),
        };
        self.nodes.push(Node::new(sleep, rest));
    }

    fn ended(&mut self, system: &S, x: &Execution) {
        races::for_each(x, system, |sequence| self.insert(x, sequence));
    }

    fn next(&mut self, x: &Execution) -> Option<Departure> {
        self.nodes.pop();
        self.hand_over(x);
        while !self.nodes.is_empty() {
            let last = self.nodes.len() - 1;
            let (position, node) = (self.base + last, &mut self.nodes[last]);
            if !node.tree.is_empty() {
                node.sleep.push(explored(x, position));
                return Some(Departure::from(position));
            }
            self.nodes.pop();
        }
        if let Some(position) = self.reserve() {
            return Some(Departure::from(position));
        }
        let team = self.team.clone()?;
        while let Some(offer) = team.wait() {
            self.base = offer.states.len();
            self.shared = offer.states;
            if let Some(position) = self.reserve() {
                let mut prefix = offer.prefix;
                prefix.truncate(position);
                return Some(Departure { shared: 0, prefix });
            }
        }
        None
    }

    fn save(&self) -> Option<Vec<Saved>> {
        let saved = |node: &Node| Saved {
            inherited: node.inherited,
            sleep: node.sleep.clone(),
            tree: node.tree.clone(),
        };
        let is_alone = self.base == 0 && self.team.is_none();
        is_alone.then(|| self.nodes.iter().map(saved).collect())
    }

    fn weight(&self) -> f64 {
        let shared = self
            .shared
            .iter()
            .map(|known| known.state.with(|node| node.weight(true)));
        shared
            .chain(self.nodes.iter().map(|node| node.weight(false)))
            .product()
    }
}

impl Drop for Optimal {
    fn drop(&mut self) {
        if let Some(last) = self.shared.last().filter(|_| self.is_reserved) {
            last.state.release(|_| ());
        }
    }
}

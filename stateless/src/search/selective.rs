//! The depth-first search of VeriSoft (Algorithm 2 of Godefroid's paper): in each state some of the
//! enabled threads are selected and executed one after the other; sleep sets prune what earlier
//! siblings have covered.
//!
//! A [`Policy`] says which threads are selected. With all enabled threads and no sleep sets it is
//! plain enumeration.

use super::{Asleep, Departure, Enabled, Strategy, awake, explored, pass_on, prefer_last};
use crate::execution::Execution;
use crate::report::Bound;
use crate::system::{System, Thread};

/// Which threads are explored from a state.
pub(crate) trait Policy<S: System> {
    /// Whether steps sleep.
    const SLEEP: bool;

    /// The threads to explore from a state, when it is first reached. `first` is the preferred one.
    fn select(
        &mut self,
        system: &S,
        x: &Execution,
        enabled: &[Enabled],
        first: Thread,
    ) -> Vec<Thread>;

    /// The execution is at its end: threads may be added to the states along it.
    fn ended(&mut self, system: &S, x: &Execution, nodes: &mut [Node]) {
        let _ = (system, x, nodes);
    }

    /// The bound because of which it left out steps.
    fn bound(&self) -> Option<Bound> {
        None
    }
}

/// A state along the current execution.
pub(crate) struct Node {
    pub(crate) sleep: Vec<Asleep>,
    /// What was executed from here. Without sleep sets it is all that is kept of it.
    done: Vec<(Thread, u32)>,
    enabled: Vec<Enabled>,
    pub(crate) selected: Vec<Thread>,
}

impl Node {
    fn new(sleep: Vec<Asleep>) -> Self {
        Node {
            sleep,
            done: Vec::new(),
            enabled: Vec::new(),
            selected: Vec::new(),
        }
    }

    /// The next step to be made from here.
    fn next(&self) -> Option<(Thread, u32)> {
        let enabled = |thread| {
            self.enabled
                .iter()
                .find(move |e: &&Enabled| e.thread == thread)
        };
        (self.selected.iter())
            .filter_map(|&thread| enabled(thread))
            .flat_map(|e| (0..e.choices).map(|choice| (e.thread, choice)))
            .find(|step| {
                let asleep = |s: &Asleep| (s.thread, s.choice) == *step;
                !self.done.contains(step) && !self.sleep.iter().any(asleep)
            })
    }
}

/// The search with a policy.
pub(crate) struct Selective<P> {
    nodes: Vec<Node>,
    policy: P,
}

impl<P> Selective<P> {
    pub(crate) fn new(policy: P) -> Self {
        Selective {
            nodes: vec![Node::new(Vec::new())],
            policy,
        }
    }
}

impl<S: System, P: Policy<S>> Strategy<S> for Selective<P> {
    fn pick(&mut self, system: &S, x: &Execution, enabled: &[Enabled]) -> Option<(Thread, u32)> {
        let node = self.nodes.last_mut()?;
        if node.enabled.is_empty() {
            let first = prefer_last(x, enabled, |e| awake(&node.sleep, e).is_some())?;
            node.enabled = enabled.to_vec();
            node.selected = self.policy.select(system, x, enabled, first.thread);
        }
        node.next()
    }

    fn stepped(&mut self, x: &Execution) {
        let sleep = match self.nodes.last() {
            Some(node) if P::SLEEP => pass_on(&node.sleep, x),
            _ => Vec::new(),
        };
        self.nodes.push(Node::new(sleep));
    }

    fn ended(&mut self, system: &S, x: &Execution) {
        self.policy.ended(system, x, &mut self.nodes);
    }

    fn next(&mut self, x: &Execution) -> Option<Departure> {
        loop {
            self.nodes.pop()?;
            let position = self.nodes.len().checked_sub(1)?;
            let node = &mut self.nodes[position];
            let step = explored(x, position);
            node.done.push((step.thread, step.choice));
            if P::SLEEP {
                node.sleep.push(step);
            }
            if node.next().is_some() {
                return Some(Departure::from(position));
            }
        }
    }

    fn bound(&self) -> Option<Bound> {
        self.policy.bound()
    }
}

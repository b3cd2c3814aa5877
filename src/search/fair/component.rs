//! Fair cycles of a strongly connected component.
//!
//! The component as a whole is tried first: a cycle through all of it visits every state and makes every move there is.
//!
//! - It must have an accepting state.
//! - To a process that is weakly fair it is fair if the process moves in it, or cannot move in some state of it. If
//!   neither, no part of the component is any better.
//! - To a process that is strongly fair it is fair if the process moves in it or cannot move in any state of it. If
//!   neither, a fair cycle must avoid the states in which the process can move: they are taken out, and what remains is
//!   tried, component by component (Emerson and Lei; Streett's acceptance).
//!
//! Of a fair component a short cycle is made: from one thing that has to happen to the next, each by a shortest way.

use crate::fairness::{Demands, ProcessSet};
use std::collections::VecDeque;

/// A state of the component.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    pub(super) accepting: bool,
    /// Those that can move; `None` where that cannot be seen because the automaton chooses first.
    pub(super) enabled: Option<ProcessSet>,
    pub(super) demands: Demands,
}

/// A step within the component: where to, and by whom.
#[derive(Copy, Clone, Debug)]
pub(super) struct Arc {
    pub(super) to: u32,
    pub(super) by: ProcessSet,
}

/// A component, or any graph.
#[derive(Debug, Default)]
pub(super) struct Component {
    pub(super) nodes: Vec<Node>,
    pub(super) arcs: Vec<Vec<Arc>>,
}

/// A step of a cycle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Those who are to move.
    pub(super) by: ProcessSet,
}

/// Something that has to happen on the cycle.
enum Goal {
    Visit(u32),
    Move(ProcessSet),
}

impl Component {
    /// A fair accepting cycle, if there is one.
    pub(super) fn fair_cycle(&self) -> Option<Vec<Leg>> {
        let all: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut work = self.split(&all);
        while let Some(part) = work.pop() {
            let inside = self.membership(&part);
            let moved = self.moved(&part, &inside);
            let Some(moved) = moved else { continue };
            let nodes = || part.iter().map(|&n| &self.nodes[n as usize]);
            let Some(accepting) = part.iter().find(|&&n| self.nodes[n as usize].accepting) else {
                continue;
            };
            let union = |f: &dyn Fn(&Node) -> ProcessSet| {
                nodes().fold(ProcessSet::default(), |all, n| all.and(f(n)))
            };
            let can_move = union(&|n| n.enabled.unwrap_or_default());
            let mut goals = vec![Goal::Visit(*accepting)];
            let weak = union(&|n| n.demands.weak).without(moved);
            let resting: Vec<Option<u32>> =
                weak.each().map(|p| self.resting_place(&part, p)).collect();
            if resting.iter().any(Option::is_none) {
                continue;
            }
            goals.extend(resting.into_iter().flatten().map(Goal::Visit));
            let strong = union(&|n| n.demands.strong);
            let starved = strong.within(can_move).without(moved);
            if !starved.is_empty() {
                let keeps = |n: &&u32| {
                    let enabled = self.nodes[**n as usize].enabled.unwrap_or_default();
                    enabled.within(starved).is_empty()
                };
                let rest: Vec<u32> = part.iter().filter(keeps).copied().collect();
                work.extend(self.split(&rest));
                continue;
            }
            let movers = union(&|n| n.demands.weak).and(strong).within(moved);
            goals.extend(movers.each().map(Goal::Move));
            return self.tour(&inside, *accepting, &goals);
        }
        None
    }

    /// A state in which a process cannot move.
    fn resting_place(&self, part: &[u32], process: ProcessSet) -> Option<u32> {
        let rests = |n: &&u32| {
            let enabled = self.nodes[**n as usize].enabled;
            enabled.is_some_and(|e| e.within(process).is_empty())
        };
        part.iter().find(rests).copied()
    }

    fn membership(&self, part: &[u32]) -> Vec<bool> {
        let mut inside = vec![false; self.nodes.len()];
        part.iter().for_each(|&n| inside[n as usize] = true);
        inside
    }

    /// Those who move within a part; `None` when nothing happens there.
    fn moved(&self, part: &[u32], inside: &[bool]) -> Option<ProcessSet> {
        let arcs = part.iter().flat_map(|&n| &self.arcs[n as usize]);
        let within = arcs.filter(|a| inside[a.to as usize]);
        within.map(|a| a.by).reduce(ProcessSet::and)
    }

    /// A closed walk from `start` that meets all goals.
    fn tour(&self, inside: &[bool], start: u32, goals: &[Goal]) -> Option<Vec<Leg>> {
        let mut legs: Vec<Leg> = Vec::new();
        for goal in goals {
            let at = legs.last().map_or(start, |l| l.to);
            let met = match *goal {
                Goal::Visit(n) => n == at || legs.iter().any(|l| l.from == n),
                Goal::Move(p) => legs.iter().any(|l| !l.by.within(p).is_empty()),
            };
            if !met {
                legs.extend(self.way(inside, at, goal)?);
            }
        }
        let at = legs.last().map_or(start, |l| l.to);
        if at != start || legs.is_empty() {
            legs.extend(self.way(inside, at, &Goal::Visit(start))?);
        }
        Some(legs)
    }

    /// A shortest way, of at least one step, that ends in what is wanted.
    fn way(&self, inside: &[bool], from: u32, goal: &Goal) -> Option<Vec<Leg>> {
        let mut before: Vec<Option<Leg>> = vec![None; self.nodes.len()];
        let mut queue = VecDeque::from([from]);
        let mut seen = vec![false; self.nodes.len()];
        seen[from as usize] = true;
        while let Some(at) = queue.pop_front() {
            for arc in &self.arcs[at as usize] {
                if !inside[arc.to as usize] {
                    continue;
                }
                let (reached, by) = match *goal {
                    Goal::Visit(n) => (arc.to == n, ProcessSet::default()),
                    Goal::Move(p) => (!arc.by.within(p).is_empty(), arc.by.within(p)),
                };
                let leg = Leg {
                    from: at,
                    to: arc.to,
                    by,
                };
                if reached {
                    let mut legs = vec![leg];
                    let mut node = at;
                    while node != from {
                        let step = before[node as usize]?;
                        legs.push(step);
                        node = step.from;
                    }
                    legs.reverse();
                    return Some(legs);
                }
                if !seen[arc.to as usize] {
                    seen[arc.to as usize] = true;
                    before[arc.to as usize] = Some(leg);
                    queue.push_back(arc.to);
                }
            }
        }
        None
    }

    /// The way from a state to another one, if it is not there already.
    pub(super) fn path(&self, from: u32, to: u32) -> Option<Vec<Leg>> {
        if from == to {
            return Some(Vec::new());
        }
        let inside = vec![true; self.nodes.len()];
        self.way(&inside, from, &Goal::Visit(to))
    }

    /// The strongly connected components of a part (Tarjan, without recursion).
    fn split(&self, part: &[u32]) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let inside = self.membership(part);
        let n = self.nodes.len();
        let (mut index, mut low) = (vec![NEW; n], vec![0u32; n]);
        let mut done = vec![false; n];
        let (mut next, mut found) = (0, Vec::new());
        let mut stack = Vec::new();
        for &root in part {
            if index[root as usize] != NEW {
                continue;
            }
            let mut work = vec![(root, 0usize)];
            while let Some(&mut (at, ref mut arc)) = work.last_mut() {
                let node = at as usize;
                if *arc == 0 && index[node] == NEW {
                    (index[node], low[node]) = (next, next);
                    next += 1;
                    stack.push(at);
                }
                if let Some(step) = self.arcs[node].get(*arc) {
                    *arc += 1;
                    let to = step.to as usize;
                    if !inside[to] || done[to] {
                        continue;
                    }
                    if index[to] == NEW {
                        work.push((step.to, 0));
                    } else {
                        low[node] = low[node].min(index[to]);
                    }
                    continue;
                }
                work.pop();
                if let Some(&(above, _)) = work.last() {
                    low[above as usize] = low[above as usize].min(low[node]);
                }
                if low[node] == index[node] {
                    let mut component = Vec::new();
                    while let Some(member) = stack.pop() {
                        done[member as usize] = true;
                        component.push(member);
                        if member == at {
                            break;
                        }
                    }
                    found.push(component);
                }
            }
        }
        found
    }
}

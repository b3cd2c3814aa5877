//! Fair cycles of a strongly connected component.
//!
//! The component as a whole is tried first: a cycle through all of it visits every state and makes every move there is.
//!
//! - It must have an accepting state.
//! - A weak fairness constraint must be satisfied by some step of it, or not be enabled in some state of it. If neither, the
//!   same is true of every part of the component.
//! - A strong fairness constraint must be satisfied by some step of it, or not be enabled in any state of it. If neither, a
//!   fair cycle must avoid the states in which it is enabled: they are removed, and what remains is tried, component by
//!   component (Emerson and Lei; Streett acceptance).
//!
//! A constraint is the number of a process, and satisfied by the steps in which the process moves. Under condition F every
//! operation that is enabled somewhere in the component is a strong constraint, satisfied by the operations that depend on
//! it.
//!
//! Of a fair component a short cycle is made: from one thing that has to happen to the next, each by a shortest way.

use crate::fairness::NumberSet;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A set, by its number in [`Sets`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct SetId(u32);

/// The sets that occur in a component, each once: there are few.
#[derive(Debug, Default)]
pub(super) struct Sets {
    sets: Vec<NumberSet>,
    known: FxHashMap<NumberSet, SetId>,
}

impl Sets {
    pub(super) fn number(&mut self, set: &NumberSet) -> SetId {
        if let Some(&id) = self.known.get(set) {
            return id;
        }
        let id = SetId(self.sets.len() as u32);
        self.sets.push(set.clone());
        self.known.insert(set.clone(), id);
        id
    }

    fn get(&self, id: SetId) -> &NumberSet {
        &self.sets[id.0 as usize]
    }

    /// All that is in any of these sets.
    fn union(&self, ids: impl Iterator<Item = SetId>) -> NumberSet {
        let mut used = vec![false; self.sets.len()];
        ids.for_each(|id| used[id.0 as usize] = true);
        let mut all = NumberSet::default();
        for (set, _) in self.sets.iter().zip(used).filter(|(_, used)| *used) {
            all.absorb(set);
        }
        all
    }
}

/// A state of the component.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    pub(super) accepting: bool,
    /// The constraints that are enabled; `None` where that is not known because the automaton chooses first.
    pub(super) enabled: Option<SetId>,
    pub(super) weak: SetId,
    pub(super) strong: SetId,
}

/// A step within the component: where to, and the actions.
#[derive(Copy, Clone, Debug)]
pub(super) struct Arc {
    pub(super) to: u32,
    pub(super) actions: SetId,
}

/// A component.
#[derive(Debug, Default)]
pub(super) struct Component {
    pub(super) sets: Sets,
    nodes: Vec<Node>,
    /// The arcs of node *n* are those from `first[n]` up to the next one's.
    first: Vec<u32>,
    arcs: Vec<Arc>,
    /// The constraints that the actions of a set satisfy, by number of the set; `None` for sets that are not actions.
    satisfies: Vec<Option<NumberSet>>,
}

/// A step of a cycle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Which of the arcs of `from` it is.
    pub(super) arc: u32,
}

/// Something that has to happen on the cycle.
#[derive(Copy, Clone)]
enum Obligation {
    Visit(u32),
    Satisfy(usize),
}

impl Component {
    /// Adds a node, whose arcs follow.
    pub(super) fn push(&mut self, node: Node, arcs: impl Iterator<Item = Arc>) {
        self.nodes.push(node);
        self.first.push(self.arcs.len() as u32);
        self.arcs.extend(arcs);
    }

    fn arcs(&self, node: u32) -> &[Arc] {
        let end = self.first.get(node as usize + 1);
        let end = end.map_or(self.arcs.len(), |e| *e as usize);
        &self.arcs[self.first[node as usize] as usize..end]
    }

    /// A fair accepting cycle, if there is one. `satisfied` says which constraints some actions satisfy.
    pub(super) fn fair_cycle(
        &mut self,
        satisfied: impl Fn(&NumberSet, &NumberSet) -> NumberSet,
    ) -> Option<Vec<Leg>> {
        let constrained = self.nodes.iter().flat_map(|n| [n.weak, n.strong]);
        let constraints = self.sets.union(constrained);
        self.satisfies = vec![None; self.sets.sets.len()];
        for arc in &self.arcs {
            let satisfies = &mut self.satisfies[arc.actions.0 as usize];
            satisfies.get_or_insert_with(|| satisfied(self.sets.get(arc.actions), &constraints));
        }
        let mut work = vec![(0..self.nodes.len() as u32).collect::<Vec<_>>()];
        while let Some(part) = work.pop() {
            let inside = self.membership(&part);
            let Some(satisfied) = self.satisfied_within(&part, &inside) else {
                continue;
            };
            let nodes = || part.iter().map(|&n| &self.nodes[n as usize]);
            let Some(accepting) = part.iter().find(|&&n| self.nodes[n as usize].accepting) else {
                continue;
            };
            let enabled = self.sets.union(nodes().filter_map(|n| n.enabled));
            let weak = self.sets.union(nodes().map(|n| n.weak));
            let strong = self.sets.union(nodes().map(|n| n.strong));
            let mut obligations = vec![Obligation::Visit(*accepting)];
            let resting: Option<Vec<u32>> = weak
                .without(&satisfied)
                .iter()
                .map(|constraint| self.resting_place(&part, constraint))
                .collect();
            let Some(resting) = resting else { continue };
            obligations.extend(resting.into_iter().map(Obligation::Visit));
            let starved = strong.within(&enabled).without(&satisfied);
            if !starved.is_empty() {
                let keeps = |n: &&u32| {
                    let enabled = self.nodes[**n as usize].enabled;
                    !enabled.is_some_and(|enabled| self.sets.get(enabled).meets(&starved))
                };
                let rest: Vec<u32> = part.iter().filter(keeps).copied().collect();
                work.extend(self.split(&rest));
                continue;
            }
            let mut constraints = weak;
            constraints.absorb(&strong);
            obligations.extend(
                constraints
                    .within(&satisfied)
                    .iter()
                    .map(Obligation::Satisfy),
            );
            return self.tour(&inside, *accepting, &obligations);
        }
        None
    }

    /// A state in which a constraint is not enabled.
    fn resting_place(&self, part: &[u32], constraint: usize) -> Option<u32> {
        let rests = |n: &&u32| {
            let enabled = self.nodes[**n as usize].enabled;
            enabled.is_some_and(|enabled| !self.sets.get(enabled).contains(constraint))
        };
        part.iter().find(rests).copied()
    }

    fn membership(&self, part: &[u32]) -> Vec<bool> {
        let mut inside = vec![false; self.nodes.len()];
        part.iter().for_each(|&n| inside[n as usize] = true);
        inside
    }

    /// The constraints that are satisfied within a part; `None` when it has no step.
    fn satisfied_within(&self, part: &[u32], inside: &[bool]) -> Option<NumberSet> {
        let mut used = vec![false; self.satisfies.len()];
        let arcs = part.iter().flat_map(|&n| self.arcs(n));
        let within = arcs.filter(|a| inside[a.to as usize]);
        within.for_each(|a| used[a.actions.0 as usize] = true);
        let mut satisfied = None;
        for (satisfies, _) in self.satisfies.iter().zip(used).filter(|(_, used)| *used) {
            let all = satisfied.get_or_insert_with(NumberSet::default);
            satisfies.iter().for_each(|set| all.absorb(set));
        }
        satisfied
    }

    fn satisfies(&self, arc: &Arc, constraint: usize) -> bool {
        let satisfies = self.satisfies.get(arc.actions.0 as usize);
        satisfies.is_some_and(|set| set.as_ref().is_some_and(|set| set.contains(constraint)))
    }

    /// A closed walk from `start` that meets all obligations.
    fn tour(&self, inside: &[bool], start: u32, obligations: &[Obligation]) -> Option<Vec<Leg>> {
        let mut legs: Vec<Leg> = Vec::new();
        for obligation in obligations {
            let at = legs.last().map_or(start, |l| l.to);
            let met = match *obligation {
                Obligation::Visit(n) => n == at || legs.iter().any(|l| l.from == n),
                Obligation::Satisfy(constraint) => {
                    let arc = |l: &Leg| &self.arcs(l.from)[l.arc as usize];
                    legs.iter().any(|l| self.satisfies(arc(l), constraint))
                }
            };
            if !met {
                legs.extend(self.way(inside, at, *obligation)?);
            }
        }
        let at = legs.last().map_or(start, |l| l.to);
        if at != start || legs.is_empty() {
            legs.extend(self.way(inside, at, Obligation::Visit(start))?);
        }
        Some(legs)
    }

    /// A shortest way, of at least one step, that ends in what is wanted.
    fn way(&self, inside: &[bool], from: u32, obligation: Obligation) -> Option<Vec<Leg>> {
        let mut before: Vec<Option<Leg>> = vec![None; self.nodes.len()];
        let mut queue = VecDeque::from([from]);
        let mut seen = vec![false; self.nodes.len()];
        seen[from as usize] = true;
        while let Some(at) = queue.pop_front() {
            for (number, arc) in (0..).zip(self.arcs(at)) {
                if !inside[arc.to as usize] {
                    continue;
                }
                let leg = Leg {
                    from: at,
                    to: arc.to,
                    arc: number,
                };
                let reached = match obligation {
                    Obligation::Visit(n) => arc.to == n,
                    Obligation::Satisfy(constraint) => self.satisfies(arc, constraint),
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
        self.way(&inside, from, Obligation::Visit(to))
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
                if let Some(step) = self.arcs(at).get(*arc) {
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

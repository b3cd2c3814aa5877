//! The graph of a small model, written down, with its operations; and condition F decided on it the slow way.
//!
//! The product is the classic one, the automaton reading every state; components are found by reachability of each state
//! from each, and a component that is not fair is cut down and tried again. Nothing of this is shared with the search.

use ample::internals::machine::{Machine, Pid};
use ample::internals::property::Property;
use ample::internals::reduce::{OperationId, Operations};
use promela_lite::program::Program;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// All that can happen, `atomic` sequences being steps.
pub(crate) struct Graph {
    pub(crate) operations: Operations,
    /// For each state, the operations that can happen and where they lead.
    pub(crate) steps: Vec<BTreeMap<usize, BTreeSet<u32>>>,
    /// For each state, the letter that a property reads.
    letters: Vec<u64>,
    ids: Vec<OperationId>,
}

impl Graph {
    /// `None` when the model has more states, or an error.
    pub(crate) fn new(program: &Arc<Program>, property: &Property, most: usize) -> Option<Graph> {
        let mut machine = Machine::new(Arc::clone(program));
        let mut first = Vec::new();
        machine.initial(&mut first).ok()?;
        let mut graph = Graph {
            operations: Operations::new(program),
            steps: Vec::new(),
            letters: Vec::new(),
            ids: Vec::new(),
        };
        let mut known: HashMap<Vec<u8>, u32> = HashMap::from([(first.clone(), 0)]);
        let mut states = vec![first];
        while let Some(state) = states.get(graph.steps.len()).cloned() {
            if states.len() > most {
                return None;
            }
            graph.letters.push(letter(&mut machine, property, &state)?);
            let mut moves = Vec::new();
            let info = machine.moves(&state, None, &mut moves).ok()?;
            let mut steps: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
            for mv in moves {
                let id = graph.operations.number(&machine.look(&state), mv);
                if id.index() >= graph.ids.len() {
                    graph.ids.push(id);
                }
                let mut next = Vec::new();
                let step = machine.apply(&state, mv, info.timeout, &mut next).ok()?;
                let targets = steps.entry(id.index()).or_default();
                for end in ends(&mut machine, next, step.control)? {
                    let fresh = known.len() as u32;
                    let number = *known.entry(end.clone()).or_insert_with(|| {
                        states.push(end);
                        fresh
                    });
                    targets.insert(number);
                }
            }
            graph.steps.push(steps);
        }
        Some(graph)
    }

    /// Whether two operations, by number, depend on each other.
    pub(crate) fn depend(&self, a: usize, b: usize) -> bool {
        self.operations.depend(self.ids[a], self.ids[b])
    }

    /// Whether an F-fair run violates the property.
    pub(crate) fn has_fair_violation(&self, property: &Property) -> bool {
        // Nodes are a state and where the automaton is; an arc reads the letter, and is labelled with the operation.
        let automaton = &property.automaton;
        let mut known: HashMap<(u32, u32), usize> = HashMap::new();
        let mut nodes: Vec<(u32, ltl::StateId)> = Vec::new();
        let mut arcs: Vec<Vec<(Option<usize>, usize)>> = Vec::new();
        let mut add = |nodes: &mut Vec<(u32, ltl::StateId)>, x: u32, s: ltl::StateId| {
            *known.entry((x, s.0)).or_insert_with(|| {
                nodes.push((x, s));
                nodes.len() - 1
            })
        };
        for &start in automaton.initial() {
            add(&mut nodes, 0, start);
        }
        while let Some(&(x, s)) = nodes.get(arcs.len()) {
            let mut out = Vec::new();
            let next: Vec<_> = automaton.successors(s, self.letters[x as usize]).collect();
            for t in next {
                let steps = &self.steps[x as usize];
                if steps.is_empty() && property.finite_runs {
                    out.push((None, add(&mut nodes, x, t)));
                }
                for (&operation, targets) in steps {
                    for &to in targets {
                        out.push((Some(operation), add(&mut nodes, to, t)));
                    }
                }
            }
            arcs.push(out);
        }
        let mut work = vec![vec![true; nodes.len()]];
        while let Some(inside) = work.pop() {
            for component in components(&arcs, &inside) {
                let within = |n: &usize| component.contains(n);
                let internal: Vec<Option<usize>> = component
                    .iter()
                    .flat_map(|&n| &arcs[n])
                    .filter(|(_, to)| within(to))
                    .map(|(operation, _)| *operation)
                    .collect();
                let accepts = |n: &usize| automaton.is_accepting(nodes[*n].1);
                if internal.is_empty() || !component.iter().any(accepts) {
                    continue;
                }
                let served = |able: usize| {
                    let depends = |other: usize| self.depend(able, other);
                    internal.iter().flatten().any(|&other| depends(other))
                };
                let able = |n: &usize| self.steps[nodes[*n].0 as usize].keys().copied();
                let starved: BTreeSet<usize> = component
                    .iter()
                    .flat_map(able)
                    .filter(|&operation| !served(operation))
                    .collect();
                if starved.is_empty() {
                    return true;
                }
                let mut rest = vec![false; nodes.len()];
                for &n in &component {
                    rest[n] = !able(&n).any(|operation| starved.contains(&operation));
                }
                work.push(rest);
            }
        }
        false
    }
}

fn letter(machine: &mut Machine, property: &Property, state: &[u8]) -> Option<u64> {
    let mut letter = 0;
    for (index, atom) in property.atoms.iter().enumerate() {
        letter |= u64::from(machine.eval(state, atom.code).ok()? != 0) << index;
    }
    Some(letter)
}

/// The states in which a step may end that a process has control in the middle of.
fn ends(machine: &mut Machine, state: Vec<u8>, control: Option<Pid>) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut work = vec![(state, control)];
    while let Some((state, control)) = work.pop() {
        let mut moves = Vec::new();
        let Some(pid) = control else {
            found.push(state);
            continue;
        };
        if !seen.insert((state.clone(), pid.0)) {
            continue;
        }
        let info = machine.moves(&state, control, &mut moves).ok()?;
        if info.control_lost || moves.is_empty() {
            found.push(state);
            continue;
        }
        for mv in moves {
            let mut next = Vec::new();
            let step = machine.apply(&state, mv, info.timeout, &mut next).ok()?;
            work.push((next, step.control));
        }
    }
    Some(found)
}

/// Kosaraju's algorithm, without recursion.
fn components(arcs: &[Vec<(Option<usize>, usize)>], inside: &[bool]) -> Vec<BTreeSet<usize>> {
    let mut order = Vec::new();
    let mut seen = vec![false; arcs.len()];
    for root in (0..arcs.len()).filter(|&n| inside[n]) {
        let mut work = vec![(root, false)];
        while let Some((n, done)) = work.pop() {
            if done {
                order.push(n);
            } else if !seen[n] {
                seen[n] = true;
                work.push((n, true));
                let next = arcs[n].iter().map(|a| a.1).filter(|&to| inside[to]);
                work.extend(next.map(|to| (to, false)));
            }
        }
    }
    let mut back = vec![Vec::new(); arcs.len()];
    for (n, out) in arcs.iter().enumerate().filter(|(n, _)| inside[*n]) {
        out.iter().for_each(|&(_, to)| back[to].push(n));
    }
    let mut found = Vec::new();
    let mut taken = vec![false; arcs.len()];
    for root in order.into_iter().rev() {
        let mut component = BTreeSet::new();
        let mut work = vec![root];
        while let Some(n) = work.pop() {
            if !taken[n] && inside[n] {
                taken[n] = true;
                component.insert(n);
                work.extend(&back[n]);
            }
        }
        if !component.is_empty() {
            found.push(component);
        }
    }
    found
}

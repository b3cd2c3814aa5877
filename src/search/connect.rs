//! Which moves lead from one stored state to the next.
//!
//! A breadth-first search knows the states on the way to a violation, not the moves between them. Two
//! neighbours are connected by one move, or by an `atomic` sequence whose inner states are not stored; this
//! looks for it, depth first, remembering the inner states it has been to.

use super::Space;
use super::step_label::StepLabel;
use crate::fairness::NumberSet;
use crate::machine::Pid;
use std::collections::HashSet;

struct Node<M> {
    state: Vec<u8>,
    moves: Vec<M>,
    timeout: bool,
}

fn node<P: Space>(space: &mut P, state: Vec<u8>, control: Option<Pid>) -> Option<Node<P::Move>> {
    let mut moves = Vec::new();
    // Where one move cannot even be listed, the others are there nevertheless.
    let info = space.moves(&state, control, &mut moves).unwrap_or_default();
    if control.is_some() && (info.control_lost || moves.is_empty()) {
        return None;
    }
    moves.reverse();
    Some(Node {
        state,
        moves,
        timeout: info.timeout,
    })
}

/// The moves from the stored state `from` to the stored state `to`, which is a successor of it; none if it is
/// not.
pub(super) fn connect<P: Space>(space: &mut P, from: &[u8], to: &[u8]) -> Vec<P::Move> {
    connect_by(space, from, to, None)
}

/// The same, to be made in that way.
pub(super) fn connect_by<P: Space>(
    space: &mut P,
    from: &[u8],
    to: &[u8],
    by: Option<&StepLabel<P::Move>>,
) -> Vec<P::Move> {
    let mut path: Vec<P::Move> = Vec::new();
    let mut seen = HashSet::new();
    let mut stack: Vec<Node<P::Move>> = node(space, from.to_vec(), None).into_iter().collect();
    let nobody = NumberSet::default();
    let wanted = by.map_or(&nobody, |label| &label.movers);
    if let (Some(root), Some(label)) = (stack.last_mut(), by) {
        root.moves.retain(|mv| *mv == label.first);
    }
    let mut next = Vec::new();
    while let Some(top) = stack.last_mut() {
        let Some(mv) = top.moves.pop() else {
            stack.pop();
            path.pop();
            continue;
        };
        let timeout = top.timeout;
        let control = match space.apply(&top.state, mv, timeout, &mut next) {
            Ok(step) => step.control,
            Err(failure) => match failure.step {
                Some(step) => step.control,
                None => continue,
            },
        };
        let mut moved = NumberSet::default();
        path.iter()
            .chain([&mv])
            .for_each(|&m| space.movers(m, &mut moved));
        let missing = wanted.without(&moved);
        let inner = match control {
            Some(pid) if seen.insert((next.clone(), pid, missing.clone())) => {
                node(space, next.clone(), control)
            }
            Some(_) => continue,
            None => None,
        };
        match inner {
            Some(inner) => {
                path.push(mv);
                stack.push(inner);
            }
            None if missing.is_empty()
                && space.settle(&mut next).unwrap_or(false)
                && next == to =>
            {
                path.push(mv);
                return path;
            }
            None => {}
        }
    }
    path
}

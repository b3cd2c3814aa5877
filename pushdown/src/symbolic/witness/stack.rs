//! Concrete stacks of a view.

use super::super::network::{Frame, Label, Network, Top};
use super::super::saturation::{Fault, Summaries, edges};
use super::super::space::{Bits, Copy, Result};
use super::super::view::{Node, View};
use super::lost;

/// Globals and locals at the entry of a procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) globals: Bits,
    pub(super) locals: Bits,
}

/// A frame together with the state of the automaton that it leads to.
#[derive(Clone, Debug)]
pub(super) struct Linked {
    pub(super) label: Label,
    pub(super) locals: Bits,
    pub(super) node: Node,
    pub(super) entry: Entry,
}

/// A stack of the view with these globals whose top satisfies the condition.
pub(super) fn choose(
    network: &Network,
    s: &Summaries,
    view: &View,
    globals: &Bits,
    top: &Top,
    seen: &Bits,
) -> Result<Vec<Linked>> {
    let space = &network.space;
    let now = space.globals_are(Copy::Now, globals)?;
    if matches!(top, Top::Any | Top::Empty) && !space.is_none(&space.and(&view.empty, &now)?) {
        return Ok(Vec::new());
    }
    for ((label, node), set) in &view.heads {
        let condition = match top {
            Top::Empty => break,
            Top::Any => space.all(),
            Top::At(wanted, condition) if wanted == label => {
                let after = space.globals_are(Copy::Now, seen)?;
                space.and_exists(condition, &after, &network.names.globals)?
            }
            Top::At(..) => continue,
        };
        let set = space.and(&space.and(set, &now)?, &condition)?;
        if let Some(picked) = space.pick(&set) {
            let entry = Entry {
                globals: space.picked_globals(&picked, Copy::B),
                locals: space.picked_locals(&picked, Copy::B),
            };
            let locals = space.picked_locals(&picked, Copy::Now);
            let first = Linked {
                label: *label,
                locals,
                node: *node,
                entry,
            };
            return below(network, s, view, first);
        }
    }
    lost("a stack")
}

/// A stack that starts with a frame: shortest first, so that it ends.
pub(super) fn below(
    network: &Network,
    s: &Summaries,
    view: &View,
    first: Linked,
) -> Result<Vec<Linked>> {
    let space = &network.space;
    let mut queue = vec![vec![first]];
    let mut seen: Vec<(Node, Bits, Bits)> = Vec::new();
    let mut next = 0;
    while next < queue.len() {
        let stack = queue[next].clone();
        next += 1;
        let last = &stack[stack.len() - 1];
        if last.node == Node::Bottom {
            return Ok(stack);
        }
        let key = (
            last.node,
            last.entry.globals.clone(),
            last.entry.locals.clone(),
        );
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let globals = space.globals_are(Copy::A, &last.entry.globals)?;
        let here = space.and(&globals, &space.locals_are(Copy::A, &last.entry.locals)?)?;
        for (label, node, edge) in edges(network, s, view, last.node, Fault::None)? {
            // One frame for each entry that it may lead to.
            let mut set = space.and(&edge, &here)?;
            while let Some(picked) = space.pick(&set) {
                let entry = Entry {
                    globals: space.picked_globals(&picked, Copy::B),
                    locals: space.picked_locals(&picked, Copy::B),
                };
                let locals = space.picked_locals(&picked, Copy::Now);
                let target = space.and(
                    &space.globals_are(Copy::B, &entry.globals)?,
                    &space.locals_are(Copy::B, &entry.locals)?,
                )?;
                let mut longer = stack.clone();
                longer.push(Linked {
                    label,
                    locals,
                    node,
                    entry,
                });
                queue.push(longer);
                if node == Node::Bottom {
                    break;
                }
                set = space.minus(&set, &target)?;
            }
        }
    }
    lost("the rest of a stack")
}

pub(super) fn plain(stack: &[Linked]) -> Vec<Frame> {
    stack
        .iter()
        .map(|f| Frame {
            label: f.label,
            locals: f.locals.clone(),
        })
        .collect()
}

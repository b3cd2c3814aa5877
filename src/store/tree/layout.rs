//! The shape of the trees of states of one length, and the kinds of trees.
//!
//! A layout gives every byte of a state some bits in some leaf, as a [`Split`] says. The leaves and the groups of leaves are
//! the nodes of the tree. The halves are the first two, and what is below a node comes after it, side by side.

use super::pack::{Step, pack_narrowed};
use super::split::{Field, Group, Split};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What is below a node.
#[derive(Copy, Clone, Debug)]
pub(in crate::store) enum Below {
    /// The leaf with that number.
    Leaf(u32),
    /// So many nodes from that one on.
    Nodes(u32, u32),
}

/// A leaf.
#[derive(Debug)]
pub(in crate::store) struct Leaf {
    /// How it is packed.
    pub(in crate::store) steps: Vec<Step>,
    /// Its bytes.
    pub(in crate::store) bytes: Vec<u32>,
}

/// The shape of the trees of states of one length.
#[derive(Debug)]
pub(in crate::store) struct TreeLayout {
    pub(in crate::store) length: usize,
    /// See [`TreeLayouts`].
    pub(in crate::store) kind: u32,
    pub(in crate::store) leaves: Vec<Leaf>,
    pub(in crate::store) nodes: Vec<Below>,
}

impl TreeLayout {
    fn new(split: &Split, kind: u32) -> TreeLayout {
        let (mut leaves, mut nodes) = (Vec::new(), Vec::new());
        let mut queue: VecDeque<&Group> = split.halves.iter().collect();
        while let Some(group) = queue.pop_front() {
            nodes.push(match group {
                Group::Leaf(fields) => {
                    leaves.push(Leaf {
                        steps: pack_narrowed(fields),
                        bytes: fields.iter().map(|field: &Field| field.byte).collect(),
                    });
                    Below::Leaf(leaves.len() as u32 - 1)
                }
                Group::Groups(groups) => {
                    let first = nodes.len() + 1 + queue.len();
                    queue.extend(groups);
                    Below::Nodes(first as u32, groups.len() as u32)
                }
            });
        }
        TreeLayout {
            length: split.length,
            kind,
            leaves,
            nodes,
        }
    }
}

/// Kinds of states that have a number; 0 is for all others.
pub(in crate::store) const KINDS: usize = 7;

/// The layouts for all lengths.
///
/// The first few lengths have a kind each. A state of kind 0 has to tell its length itself: see
/// [`Image::root`](crate::store::image::Image::root).
#[derive(Debug)]
pub(in crate::store) struct TreeLayouts {
    /// Those that a sample has given.
    splits: Vec<Split>,
    layouts: Mutex<Vec<Arc<TreeLayout>>>,
}

impl TreeLayouts {
    /// Looks for good layouts for states like these.
    pub(in crate::store) fn new<'s>(states: impl Iterator<Item = &'s [u8]>) -> TreeLayouts {
        let mut states: Vec<&[u8]> = states.collect();
        states.sort_by_key(|state| state.len());
        let of_length = states.chunk_by(|one, two| one.len() == two.len());
        TreeLayouts {
            splits: of_length
                .map(|states| Split::of_sample(states, states[0].len()))
                .collect(),
            layouts: Mutex::default(),
        }
    }

    /// The layout for a length.
    pub(in crate::store) fn of(&self, length: usize) -> Arc<TreeLayout> {
        let mut layouts = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = layouts.iter().find(|layout| layout.length == length) {
            return layout.clone();
        }
        let kind = if layouts.len() + 1 < KINDS {
            layouts.len() + 1
        } else {
            0
        };
        let layout = Arc::new(TreeLayout::new(&self.split(length), kind as u32));
        layouts.push(layout.clone());
        layout
    }

    /// The lengths that have a layout, in the order in which they got theirs.
    pub(in crate::store) fn lengths(&self) -> Vec<usize> {
        let layouts = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        layouts.iter().map(|layout| layout.length).collect()
    }

    /// The length of states of a kind other than 0 that has been given out.
    pub(in crate::store) fn length(&self, kind: u32) -> usize {
        let layouts = self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        layouts[kind as usize - 1].length
    }

    /// The split for a length; if the sample had no such states, like that for the next length.
    fn split(&self, length: usize) -> Split {
        let next = self.splits.iter().find(|split| split.length >= length);
        match next.or(self.splits.last()) {
            Some(split) if split.length == length => split.clone(),
            Some(split) => split.adapt(length),
            None => Split::in_order(length),
        }
    }
}

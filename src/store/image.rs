//! A state as a tree of numbers, and the tree of a neighbour found by changing few of them.
//!
//! The bytes of a state are packed into *leaves* of sixteen bytes (see [`split`](super::tree::split)); each leaf has its
//! number (see [`Interner`]); up to four numbers side by side are sixteen bytes again, which have their number; and so on
//! until there is one number for each half of the state. The two are its *root*. States have most of their leaves in common,
//! and groups of leaves, and halves, so all but the root are shared by many states: a state costs the eight bytes of its root
//! and little more (Blom, Lisser, van de Pol, Weber, *A database approach to distributed state space generation*; Laarman,
//! van de Pol, Weber, *Parallel recursive state compression for free*, SPIN 2011).
//!
//! A search asks for the successors of a state that it has just loaded. They share most parts with it, and only the
//! numbers of the others have to be found anew: all others are those of the tree that loading left behind. In the same way
//! loading a state only looks at the parts in which it differs from the one loaded before.
//!
//! There can be so many different halves of states that finding the number of one means waiting for memory. That is put off
//! until all successors are known.

use super::interner::{BITS, Interner, Text};
use super::room::Room;
use super::tree::escape::{ESCAPE, escape, unescape};
use super::tree::layout::{Below, Leaf, TreeLayout, TreeLayouts};
use super::tree::pack::WORDS;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Entries of the table of numbers found lately.
const RECENT_BITS: u32 = 12;

/// A root has a kind in its upper bits (see [`TreeLayouts`]), and two numbers. The uppermost bit is free.
pub(super) const KIND_SHIFT: u32 = 2 * BITS;
const NUMBER: u64 = (1 << BITS) - 1;

/// The halves of a state, as far as they are known: see [`Image::halves`].
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Halves {
    /// 0 for one that has to be looked for.
    pub(super) numbers: [u32; 2],
    /// What such a number stands for.
    texts: [Text; 2],
    length: u32,
    kind: u32,
}

impl Halves {
    /// What has to be looked for.
    pub(super) fn unknown(&self) -> impl Iterator<Item = Text> {
        let halves = self.numbers.iter().zip(self.texts);
        halves.filter_map(|(&number, text)| (number == 0).then_some(text))
    }
}

/// Numbers that were looked for lately.
#[derive(Clone, Debug)]
struct Recent(Box<[(Text, u32)]>);

impl Recent {
    #[inline(always)]
    fn entry(&mut self, hash: u64) -> &mut (Text, u32) {
        &mut self.0[(hash >> (64 - RECENT_BITS)) as usize]
    }

    /// The number of a text, or 0 if it is not known here.
    #[inline(always)]
    fn known(&mut self, text: Text) -> u32 {
        let (known, number) = *self.entry(text.hash());
        if known == text { number } else { 0 }
    }

    #[inline(always)]
    fn number(&mut self, text: Text, shared: Shared<'_>) -> Option<u32> {
        match self.known(text) {
            0 => self.look_for(text, shared),
            number => Some(number),
        }
    }

    #[inline(never)]
    fn look_for(&mut self, text: Text, shared: Shared<'_>) -> Option<u32> {
        let hash = text.hash();
        let number = shared.interner.number(text, hash, shared.room)?;
        *self.entry(hash) = (text, number);
        Some(number)
    }
}

/// What all threads share.
#[derive(Copy, Clone)]
pub(super) struct Shared<'s> {
    pub(super) interner: &'s Interner,
    pub(super) layouts: &'s TreeLayouts,
    pub(super) room: &'s Room,
}

/// The tree of a state.
#[derive(Clone, Debug)]
struct Tree {
    layout: Arc<TreeLayout>,
    /// One for each node; 0 if it is not known.
    numbers: Vec<u32>,
    /// For each leaf what its number stands for, unless it escapes.
    texts: Vec<Text>,
}

impl Tree {
    fn new(layout: Arc<TreeLayout>) -> Tree {
        Tree {
            numbers: vec![0; layout.nodes.len()],
            texts: vec![Text::default(); layout.leaves.len()],
            layout,
        }
    }
}

impl Tree {
    /// Takes the numbers of the state that has those halves. `before` is for what they were.
    #[inline]
    fn load(&mut self, halves: [u32; 2], interner: &Interner, before: &mut Vec<u32>) {
        before.clone_from(&self.numbers);
        self.numbers[..2].copy_from_slice(&halves);
        for (node, &before) in before.iter().enumerate() {
            let number = self.numbers[node];
            if number == before {
                // So are those below, if it has any.
                continue;
            }
            match self.layout.nodes[node] {
                Below::Leaf(leaf) if number & ESCAPE == 0 => {
                    self.texts[leaf as usize] = interner.text(number);
                }
                Below::Leaf(_) => {}
                Below::Nodes(first, count) => {
                    let below = &mut self.numbers[first as usize..][..count as usize];
                    below.copy_from_slice(&interner.text(number).numbers()[..count as usize]);
                }
            }
        }
    }

    /// Appends the state.
    #[inline]
    fn write(&self, interner: &Interner, out: &mut Vec<u8>) {
        let begin = out.len();
        let length = self.layout.length;
        out.resize(begin + length.next_multiple_of(8), 0);
        let (words, _) = out[begin..].as_chunks_mut::<8>();
        let mut escapes = false;
        for (node, below) in self.layout.nodes.iter().enumerate() {
            let &Below::Leaf(leaf) = below else {
                continue;
            };
            escapes |= self.numbers[node] & ESCAPE != 0;
            let Text(low, high) = self.texts[leaf as usize];
            for step in &self.layout.leaves[leaf as usize].steps {
                let word = &mut words[step.from as usize];
                let bits = step.unpack([low, high][step.to as usize % WORDS]);
                *word = (u64::from_le_bytes(*word) ^ bits).to_le_bytes();
            }
        }
        out.truncate(begin + length);
        if escapes {
            self.write_escaped(interner, &mut out[begin..]);
        }
    }

    /// Puts right the leaves that escape.
    #[cold]
    fn write_escaped(&self, interner: &Interner, state: &mut [u8]) {
        for (below, &number) in self.layout.nodes.iter().zip(&self.numbers) {
            if let &Below::Leaf(leaf) = below
                && number & ESCAPE != 0
            {
                let bytes = &self.layout.leaves[leaf as usize].bytes;
                let values = unescape(number, bytes.len(), |number| interner.text(number));
                for (&byte, value) in bytes.iter().zip(values) {
                    state[byte as usize] = value;
                }
            }
        }
    }
}

/// The words of a state; the last may be a part of one.
struct StateWords<'s> {
    whole: &'s [[u8; 8]],
    last: u64,
}

impl<'s> StateWords<'s> {
    #[inline(always)]
    fn new(state: &'s [u8]) -> StateWords<'s> {
        let (whole, rest) = state.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        StateWords {
            whole,
            last: u64::from_le_bytes(last),
        }
    }

    #[inline(always)]
    fn get(&self, at: u32) -> u64 {
        match self.whole.get(at as usize) {
            Some(word) => u64::from_le_bytes(*word),
            None => self.last,
        }
    }

    /// A leaf of the state; `None` if it escapes.
    #[inline(always)]
    fn leaf(&self, leaf: &Leaf) -> Option<Text> {
        let mut words = [0; WORDS];
        let mut misfits = 0;
        for step in &leaf.steps {
            let (word, misfit) = step.pack(self.get(step.from));
            words[step.to as usize % WORDS] |= word;
            misfits |= misfit;
        }
        (misfits == 0).then_some(Text(words[0], words[1]))
    }
}

/// The halves of a state that is perhaps like the one whose tree is given; `None` when there is no room for its parts.
#[inline(always)]
fn neighbour(
    tree: &Tree,
    state: &[u8],
    numbers: &mut Vec<u32>,
    recent: &mut Recent,
    shared: Shared<'_>,
) -> Option<Halves> {
    let TreeLayout { leaves, nodes, .. } = &*tree.layout;
    let words = StateWords::new(state);
    let mut halves = Halves {
        length: state.len() as u32,
        kind: tree.layout.kind,
        ..Halves::default()
    };
    numbers.clone_from(&tree.numbers);
    // Those below others come before them.
    for node in (0..nodes.len()).rev() {
        let known = tree.numbers[node];
        let text = match nodes[node] {
            Below::Leaf(leaf) => {
                let leaf = leaf as usize;
                let Some(text) = words.leaf(&leaves[leaf]) else {
                    let bytes = &leaves[leaf].bytes;
                    numbers[node] = escaped(bytes, state, recent, shared)?;
                    continue;
                };
                if text == tree.texts[leaf] && known != 0 && known & ESCAPE == 0 {
                    continue;
                }
                text
            }
            Below::Nodes(first, count) => {
                let below = first as usize..(first + count) as usize;
                if numbers[below.clone()] == tree.numbers[below.clone()] && known != 0 {
                    continue;
                }
                Text::of_numbers(&numbers[below])
            }
        };
        if node >= 2 {
            numbers[node] = recent.number(text, shared)?;
        } else {
            numbers[node] = recent.known(text);
            halves.texts[node] = text;
        }
    }
    halves.numbers = [numbers[0], numbers[1]];
    Some(halves)
}

/// The number of a leaf that escapes.
#[cold]
fn escaped(bytes: &[u32], state: &[u8], recent: &mut Recent, shared: Shared<'_>) -> Option<u32> {
    let bytes: Vec<u8> = bytes.iter().map(|&byte| state[byte as usize]).collect();
    escape(&bytes, |text| recent.number(text, shared))
}

/// The state loaded last, and what finding roots needs besides.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// For each length, the tree of the state loaded last.
    trees: Vec<Tree>,
    by_length: FxHashMap<usize, usize>,
    /// The one used last.
    at: usize,
    /// The numbers of the state at hand.
    numbers: Vec<u32>,
    recent: Recent,
}

impl Image {
    pub(super) fn new() -> Image {
        Image {
            trees: Vec::new(),
            by_length: FxHashMap::default(),
            at: 0,
            numbers: Vec::new(),
            recent: Recent(vec![(Text::default(), 0); 1 << RECENT_BITS].into()),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.recent.0) as u64
    }

    /// Turns to the tree for states of that length.
    #[cold]
    fn turn_to(&mut self, length: usize, shared: Shared<'_>) {
        let trees = &mut self.trees;
        self.at = *self.by_length.entry(length).or_insert_with(|| {
            trees.push(Tree::new(shared.layouts.of(length)));
            trees.len() - 1
        });
    }

    /// The halves of a state; `None` when there is no room for its parts.
    pub(super) fn halves(&mut self, state: &[u8], shared: Shared<'_>) -> Option<Halves> {
        let tree = self.trees.get(self.at);
        if tree.is_none_or(|tree| tree.layout.length != state.len()) {
            self.turn_to(state.len(), shared);
        }
        let tree = &self.trees[self.at];
        neighbour(tree, state, &mut self.numbers, &mut self.recent, shared)
    }

    /// The root of a state that has those halves; `None` when there is no room for its parts. A state of kind 0 has for its
    /// first number that of a text made of its length and the number proper.
    #[inline]
    pub(super) fn root(&mut self, halves: &Halves, shared: Shared<'_>) -> Option<u64> {
        let [mut left, mut right] = halves.numbers;
        if left == 0 {
            left = self.recent.number(halves.texts[0], shared)?;
        }
        if right == 0 {
            right = self.recent.number(halves.texts[1], shared)?;
        }
        if halves.kind == 0 {
            let text = Text::of_numbers(&[halves.length, left]);
            left = self.recent.number(text, shared)?;
        }
        Some(u64::from(halves.kind) << KIND_SHIFT | u64::from(left) << BITS | u64::from(right))
    }

    /// Appends the state with that root to `out`.
    pub(super) fn load(&mut self, root: u64, shared: Shared<'_>, out: &mut Vec<u8>) {
        let interner = shared.interner;
        let kind = (root >> KIND_SHIFT) as u32;
        let mut left = (root >> BITS & NUMBER) as u32;
        let right = (root & NUMBER) as u32;
        let tree = self.trees.get(self.at);
        if kind == 0 || tree.is_none_or(|tree| tree.layout.kind != kind) {
            let length = if kind == 0 {
                let [length, number, ..] = interner.text(left).numbers();
                left = number;
                length as usize
            } else {
                shared.layouts.length(kind)
            };
            self.turn_to(length, shared);
        }
        let tree = &mut self.trees[self.at];
        tree.load([left, right], interner, &mut self.numbers);
        tree.write(interner, out);
    }
}

//! A state as a tree of numbers, and the tree of a neighbour found by changing few of them.
//!
//! The bytes of a state are spread over *leaves* of sixteen at most (see [`split`](super::tree::split)); each leaf has its
//! number (see [`Interner`]); up to four numbers side by side are sixteen bytes again, which have their number; and so on
//! until there is one number for each half of the state. The two are its *root*. States have most of their leaves in common,
//! and groups of leaves, and halves, so all but the root are shared by many states: a state costs the eight bytes of its root
//! and little more (Blom, Lisser, van de Pol, Weber, *A database approach to distributed state space generation*; Laarman,
//! van de Pol, Weber, *Parallel recursive state compression for free*, SPIN 2011).
//!
//! A search asks for the successors of a state that it has just loaded. They differ from it in a few bytes, and only the
//! numbers above those have to be found anew: all others are those of the image that loading left behind. In the same way
//! loading a state only looks at the parts in which it differs from the one loaded before.
//!
//! There can be many more different halves of states than smaller parts, and finding the number of such a half means waiting
//! for memory. It is put off until all successors are known: see [`Half`].

use super::interner::{BITS, Hashed, Interner, Text};
use super::room::Room;
use super::tree::plan::{Below, Plan, Plans};
use super::tree::split::LEAF;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Entries of the table of numbers found lately.
const RECENT_BITS: u32 = 12;

/// A root has a kind in its upper bits (see [`Plans`]), and two numbers. The uppermost bit is free.
pub(super) const KIND_SHIFT: u32 = 2 * BITS;
const NUMBER: u64 = (1 << BITS) - 1;

/// Half of a state: its number, or what the number stands for as long as it is not known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Known(u32),
    Unknown(Hashed),
}

/// The two halves of a state, and what kind of state it is.
#[derive(Copy, Clone, Debug)]
pub(super) struct Halves {
    pub(super) left: Half,
    pub(super) right: Half,
    pub(super) length: u32,
    kind: u32,
}

/// Numbers that were looked for lately.
#[derive(Clone, Debug)]
struct Recent(Box<[(Text, u32)]>);

impl Recent {
    #[inline(always)]
    fn entry(&mut self, hash: u64) -> &mut (Text, u32) {
        &mut self.0[(hash >> (64 - RECENT_BITS)) as usize]
    }

    #[inline(always)]
    fn half(&mut self, text: Text) -> Half {
        let hash = text.hash();
        let (known, number) = *self.entry(hash);
        if known == text && number != 0 {
            Half::Known(number)
        } else {
            Half::Unknown(Hashed { text, hash })
        }
    }

    #[inline(always)]
    fn number(&mut self, half: Half, shared: Shared<'_>) -> Option<u32> {
        match half {
            Half::Known(number) => Some(number),
            Half::Unknown(hashed) => self.look_for(hashed, shared),
        }
    }

    #[inline(never)]
    fn look_for(&mut self, hashed: Hashed, shared: Shared<'_>) -> Option<u32> {
        let number = shared.interner.number(hashed, shared.room)?;
        *self.entry(hashed.hash) = (hashed.text, number);
        Some(number)
    }
}

/// What all threads share.
#[derive(Copy, Clone)]
pub(super) struct Shared<'s> {
    pub(super) interner: &'s Interner,
    pub(super) plans: &'s Plans,
    pub(super) room: &'s Room,
}

/// The tree of some state.
#[derive(Clone, Debug)]
struct Tree {
    plan: Arc<Plan>,
    state: Vec<u8>,
    /// The bytes of the state where the plan wants them.
    leaves: Vec<[u8; LEAF]>,
    /// One for each node; all are 0 when they are not known.
    numbers: Vec<u32>,
    /// Nodes whose numbers, or what is below them, have to be looked at; a bit each.
    marks: Vec<u64>,
}

impl Tree {
    fn new(plan: Arc<Plan>) -> Tree {
        let nodes = plan.below.len();
        Tree {
            state: vec![0; plan.length],
            leaves: vec![[0; LEAF]; plan.node_of.len()],
            numbers: vec![0; nodes],
            marks: vec![0; nodes.div_ceil(64)],
            plan,
        }
    }

    #[inline(always)]
    fn mark(&mut self, node: u32) {
        self.marks[node as usize / 64] |= 1 << (node % 64);
    }

    /// Forgets the numbers.
    fn forget(&mut self) {
        self.numbers.fill(0);
        self.marks.fill(0);
    }

    fn known(&self) -> bool {
        self.numbers[0] != 0
    }

    /// Changes one byte in the leaves, and marks the leaf; gives what was there.
    #[inline(always)]
    fn change(&mut self, byte: usize, value: u8) -> u8 {
        let place = self.plan.place_of[byte] as usize;
        self.mark(self.plan.node_of[place / LEAF]);
        std::mem::replace(&mut self.leaves[place / LEAF][place % LEAF], value)
    }

    /// What the number of a node stands for.
    #[inline(always)]
    fn text_of(&self, node: usize) -> Text {
        match self.plan.below[node] {
            Below::Leaf(leaf) => Text::of_bytes(self.leaves[leaf as usize]),
            Below::Nodes(first, count) => {
                Text::of_numbers(&self.numbers[first as usize..][..count as usize])
            }
        }
    }

    /// A leaf gets new bytes.
    fn set_leaf(&mut self, leaf: usize, text: Text) {
        let bytes = text.bytes();
        let known = std::mem::replace(&mut self.leaves[leaf], bytes);
        let Text(low, high) = Text::of_bytes(known);
        let byte_at = &self.plan.byte_at[leaf * LEAF..][..LEAF];
        for (start, mut difference) in [(0, low ^ text.0), (8, high ^ text.1)] {
            while difference != 0 {
                let at = difference.trailing_zeros() as usize / 8;
                self.state[byte_at[start + at] as usize] = bytes[start + at];
                difference &= !(0xff << (8 * at));
            }
        }
    }
}

/// The places where two states of the same length differ.
#[inline(always)]
fn differences(one: &[u8], two: &[u8], mut tell: impl FnMut(usize)) {
    let (ones, one_rest) = one.as_chunks::<8>();
    let (twos, two_rest) = two.as_chunks::<8>();
    for (chunk, (one, two)) in ones.iter().zip(twos).enumerate() {
        let mut difference = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*two);
        while difference != 0 {
            let at = difference.trailing_zeros() as usize / 8;
            tell(chunk * 8 + at);
            difference &= !(0xff << (8 * at));
        }
    }
    let start = one.len() - one_rest.len();
    for (at, (one, two)) in one_rest.iter().zip(two_rest).enumerate() {
        if one != two {
            tell(start + at);
        }
    }
}

/// The state loaded last, and what finding roots needs besides.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// A state of each length: the one loaded last, or of another length, the one seen last.
    trees: Vec<Tree>,
    /// Which of them has which length.
    by_length: FxHashMap<usize, usize>,
    loaded: Option<usize>,
    /// The bytes that were changed, with what was there, and the numbers.
    changed: Vec<(u32, u8)>,
    undo: Vec<(u32, u32)>,
    recent: Recent,
}

impl Image {
    pub(super) fn new() -> Image {
        Image {
            trees: Vec::new(),
            by_length: FxHashMap::default(),
            loaded: None,
            changed: Vec::new(),
            undo: Vec::new(),
            recent: Recent(vec![(Text::default(), 0); 1 << RECENT_BITS].into()),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.recent.0) as u64
    }

    /// The tree for states of that length.
    #[inline]
    fn tree_for(&mut self, length: usize, shared: Shared<'_>) -> usize {
        match self.loaded {
            Some(loaded) if self.trees[loaded].state.len() == length => loaded,
            _ => self.other_tree_for(length, shared),
        }
    }

    fn other_tree_for(&mut self, length: usize, shared: Shared<'_>) -> usize {
        let trees = &mut self.trees;
        *self.by_length.entry(length).or_insert_with(|| {
            trees.push(Tree::new(shared.plans.of(length)));
            trees.len() - 1
        })
    }

    /// The halves of a state; `None` when there is no room for its parts.
    pub(super) fn halves(&mut self, state: &[u8], shared: Shared<'_>) -> Option<Halves> {
        let at = self.tree_for(state.len(), shared);
        let neighbour = self.loaded == Some(at) && self.trees[at].known();
        let halves = if neighbour {
            self.neighbour(at, state, shared)
        } else {
            self.whole(at, state, shared)
        };
        let [left, right] = halves?;
        Some(Halves {
            left,
            right,
            length: state.len() as u32,
            kind: self.trees[at].plan.kind,
        })
    }

    /// The halves of a state that is like the loaded one, which stays loaded.
    fn neighbour(&mut self, at: usize, state: &[u8], shared: Shared<'_>) -> Option<[Half; 2]> {
        let Image {
            trees,
            changed,
            undo,
            recent,
            ..
        } = self;
        let tree = &mut trees[at];
        changed.clear();
        undo.clear();
        let known = std::mem::take(&mut tree.state);
        differences(&known, state, |byte| {
            let before = tree.change(byte, state[byte]);
            changed.push((byte as u32, before));
        });
        tree.state = known;
        let mut halves = [Half::Known(tree.numbers[0]), Half::Known(tree.numbers[1])];
        let mut full = false;
        for word in (0..tree.marks.len()).rev() {
            while tree.marks[word] != 0 {
                let bit = tree.marks[word].ilog2();
                tree.marks[word] &= !(1 << bit);
                let node = word * 64 + bit as usize;
                let half = recent.half(tree.text_of(node));
                if node < 2 {
                    halves[node] = half;
                } else if let Some(number) = recent.number(half, shared) {
                    undo.push((node as u32, tree.numbers[node]));
                    tree.numbers[node] = number;
                    tree.mark(tree.plan.above[node]);
                } else {
                    full = true;
                    tree.marks.fill(0);
                }
            }
        }
        for &(byte, before) in changed.iter() {
            let place = tree.plan.place_of[byte as usize] as usize;
            tree.leaves[place / LEAF][place % LEAF] = before;
        }
        for &(node, number) in undo.iter() {
            tree.numbers[node as usize] = number;
        }
        (!full).then_some(halves)
    }

    /// The halves of any other state, which takes the place of the one seen before.
    fn whole(&mut self, at: usize, state: &[u8], shared: Shared<'_>) -> Option<[Half; 2]> {
        let tree = &mut self.trees[at];
        let mut known = std::mem::take(&mut tree.state);
        differences(&known, state, |byte| {
            tree.change(byte, state[byte]);
        });
        known.copy_from_slice(state);
        tree.state = known;
        if !tree.known() {
            for node in 0..tree.numbers.len() {
                tree.mark(node as u32);
            }
        }
        for word in (0..tree.marks.len()).rev() {
            while tree.marks[word] != 0 {
                let bit = tree.marks[word].ilog2();
                tree.marks[word] &= !(1 << bit);
                let node = word * 64 + bit as usize;
                let half = self.recent.half(tree.text_of(node));
                let Some(number) = self.recent.number(half, shared) else {
                    tree.forget();
                    return None;
                };
                tree.numbers[node] = number;
                if node >= 2 {
                    tree.mark(tree.plan.above[node]);
                }
            }
        }
        Some([Half::Known(tree.numbers[0]), Half::Known(tree.numbers[1])])
    }

    /// The root of a state that has those halves; `None` when there is no room for its parts. A state of kind 0 has for its
    /// first number that of a text made of its length and the number proper.
    #[inline]
    pub(super) fn root(&mut self, halves: &Halves, shared: Shared<'_>) -> Option<u64> {
        let mut left = self.recent.number(halves.left, shared)?;
        let right = self.recent.number(halves.right, shared)?;
        if halves.kind == 0 {
            let half = self.recent.half(Text::of_numbers(&[halves.length, left]));
            left = self.recent.number(half, shared)?;
        }
        Some(u64::from(halves.kind) << KIND_SHIFT | u64::from(left) << BITS | u64::from(right))
    }

    /// Appends the state with that root to `out`.
    pub(super) fn load(&mut self, root: u64, shared: Shared<'_>, out: &mut Vec<u8>) {
        let interner = shared.interner;
        let kind = (root >> KIND_SHIFT) as u32;
        let mut left = (root >> BITS & NUMBER) as u32;
        let right = (root & NUMBER) as u32;
        let at = match self.loaded {
            Some(loaded) if kind != 0 && self.trees[loaded].plan.kind == kind => loaded,
            _ => {
                let length = if kind == 0 {
                    let [length, number, ..] = interner.text(left).numbers();
                    left = number;
                    length as usize
                } else {
                    shared.plans.length(kind)
                };
                self.other_tree_for(length, shared)
            }
        };
        let tree = &mut self.trees[at];
        for (node, number) in [(0, left), (1, right)] {
            if tree.numbers[node] != number {
                tree.numbers[node] = number;
                tree.mark(node as u32);
            }
        }
        for word in 0..tree.marks.len() {
            while tree.marks[word] != 0 {
                let bit = tree.marks[word].trailing_zeros();
                tree.marks[word] &= !(1 << bit);
                let node = word * 64 + bit as usize;
                let text = interner.text(tree.numbers[node]);
                match tree.plan.below[node] {
                    Below::Leaf(leaf) => tree.set_leaf(leaf as usize, text),
                    Below::Nodes(first, count) => {
                        let numbers = text.numbers().into_iter().take(count as usize);
                        for (node, number) in (first..).zip(numbers) {
                            if tree.numbers[node as usize] != number {
                                tree.numbers[node as usize] = number;
                                tree.mark(node);
                            }
                        }
                    }
                }
            }
        }
        out.extend_from_slice(&tree.state);
        self.loaded = Some(at);
    }
}

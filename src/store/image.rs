//! A state as a tree of numbers, and the tree of a neighbour found by changing few of them.
//!
//! The words of a state are cut into *leaves* of one or two; each leaf has its number (see [`Interner`]); up to four
//! numbers side by side are sixteen bytes again, which have their number; and so on until there is one number for each half
//! of the state. The two are its *root*. States have most of their leaves in common, and groups of leaves, so all but the
//! root are shared by many states: a state costs the eight bytes of its root and little more (Blom, Lisser, van de Pol,
//! Weber, *A database approach to distributed state space generation*; Laarman, van de Pol, Weber, *Parallel recursive state
//! compression for free*, SPIN 2011).
//!
//! A search asks for the successors of a state that it has just loaded. They differ from it in a few leaves, and only the
//! numbers above those have to be found anew: all others are those of the image that loading left behind.
//!
//! There are far more different halves of states than smaller parts, so finding the number of a half mostly means waiting
//! for memory. It is put off until all successors are known: see [`Half`].

use super::interner::{BITS, Hashed, Interner, Text};
use super::room::Room;
use std::sync::{Mutex, PoisonError};

/// Entries of the table of numbers found lately.
const RECENT_BITS: u32 = 12;

/// A root has a shape in its upper bits, and two numbers. The uppermost bit is free.
const SHAPE_BITS: u32 = 3;
const SHAPES: usize = 1 << SHAPE_BITS;
const NUMBER: u64 = (1 << BITS) - 1;

/// The lengths of states. The first few have a number each; shape 0 is for all others: there, the first number of the root
/// is that of a word made of the length and the number proper.
#[derive(Debug, Default)]
pub(super) struct Shapes(Mutex<Vec<usize>>);

impl Shapes {
    fn get(&self) -> Vec<usize> {
        let lengths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lengths.clone()
    }

    /// The shape of a length.
    fn of(&self, length: usize) -> u32 {
        let mut lengths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lengths.iter().position(|&l| l == length);
        let shape = known.unwrap_or(lengths.len()) + 1;
        if known.is_none() && shape < SHAPES {
            lengths.push(length);
        }
        if shape < SHAPES { shape as u32 } else { 0 }
    }
}

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
    pub(super) shapes: &'s Shapes,
    pub(super) room: &'s Room,
}

/// How the numbers of states of one length hang together.
///
/// First come the leaves, then the numbers above them, level by level, at last those of the halves. Both halves have the
/// same number of leaves.
#[derive(Clone, Debug, Default)]
struct Shape {
    length: usize,
    /// See [`Shapes`].
    kind: u32,
    leaves: usize,
    /// For each word, its leaf; for each leaf, its first word, and one entry more.
    leaf_of: Vec<u32>,
    first_word: Vec<u32>,
    /// For each number but those of the halves, the one above it.
    above: Vec<u32>,
    /// For each number that is not a leaf, where those begin over which it stands, and how many they are.
    below: Vec<(u32, u32)>,
}

/// Numbers that one number stands over at most.
const FAMILY: usize = 4;

impl Shape {
    fn new(length: usize, kind: u32) -> Shape {
        let words = length.div_ceil(8);
        let leaves = 2 * words.div_ceil(4).max(1);
        let first_word = (0..=leaves).map(|leaf| (leaf * words).div_ceil(leaves) as u32);
        let mut shape = Shape {
            length,
            kind,
            leaves,
            leaf_of: (0..words).map(|w| (w * leaves / words) as u32).collect(),
            first_word: first_word.collect(),
            above: Vec::new(),
            below: Vec::new(),
        };
        let (mut start, mut count) = (0, leaves / 2);
        while count > 1 {
            let up = count.div_ceil(FAMILY);
            let next = start + 2 * count;
            for half in 0..2 {
                for index in 0..count {
                    let above = next + half * up + index * up / count;
                    shape.above.push(above as u32);
                }
                for index in 0..up {
                    let first = (index * count).div_ceil(up);
                    let last = ((index + 1) * count).div_ceil(up);
                    let place = start + half * count + first;
                    shape.below.push((place as u32, (last - first) as u32));
                }
            }
            (start, count) = (next, up);
        }
        shape
    }

    /// How many numbers there are.
    fn numbers(&self) -> usize {
        self.leaves + self.below.len()
    }
}

/// The tree of one state.
#[derive(Clone, Debug, Default)]
struct Tree {
    shape: Shape,
    words: Vec<u64>,
    numbers: Vec<u32>,
    known: bool,
}

impl Tree {
    /// Makes room for a state of that length.
    fn reshape(&mut self, length: usize, kind: u32) {
        self.known = true;
        if self.shape.length == length && !self.numbers.is_empty() {
            return;
        }
        self.shape = Shape::new(length, kind);
        self.words.clear();
        self.words.resize(length.div_ceil(8), 0);
        self.numbers.clear();
        self.numbers.resize(self.shape.numbers(), 0);
    }

    /// Whether this is the tree of some state of that length.
    #[inline]
    fn fits(&self, length: usize) -> bool {
        self.shape.length == length && self.known
    }

    /// What stands over the numbers below a number.
    #[inline(always)]
    fn text_of(&self, number: usize) -> Text {
        let (start, count) = self.shape.below[number - self.shape.leaves];
        Text::of_numbers(&self.numbers[start as usize..][..count as usize])
    }
}

/// The state loaded last, and what finding roots needs besides.
#[derive(Clone, Debug)]
pub(super) struct Image {
    loaded: Tree,
    /// A state of another length.
    other: Tree,
    /// What the numbers were before they were changed.
    undo: Vec<(u32, u32)>,
    queue: Vec<u32>,
    recent: Recent,
    /// What is known of [`Shapes`].
    lengths: Vec<usize>,
}

impl Image {
    pub(super) fn new() -> Image {
        Image {
            loaded: Tree::default(),
            other: Tree::default(),
            undo: Vec::new(),
            queue: Vec::new(),
            recent: Recent(vec![(Text::default(), 0); 1 << RECENT_BITS].into()),
            lengths: Vec::new(),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.recent.0) as u64
    }

    /// The halves of a state; `None` when there is no room for its parts.
    pub(super) fn halves(&mut self, state: &[u8], shared: Shared<'_>) -> Option<Halves> {
        let Image {
            loaded,
            other,
            undo,
            queue,
            recent,
            ..
        } = self;
        let tree = if loaded.fits(state.len()) {
            loaded
        } else {
            other
        };
        let whole = !tree.fits(state.len());
        if whole {
            tree.reshape(state.len(), shared.shapes.of(state.len()));
        }
        // Numbers that something below has changed for, in ascending order: children come before their parents.
        queue.clear();
        let (chunks, rest) = state.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let last = u64::from_le_bytes(last);
        let word = |at: usize| match chunks.get(at) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => last,
        };
        if whole {
            for (at, known) in tree.words.iter_mut().enumerate() {
                *known = word(at);
            }
            queue.extend(0..tree.shape.leaves as u32);
        } else {
            for (at, &known) in tree.words.iter().enumerate() {
                if word(at) != known && queue.last() != Some(&tree.shape.leaf_of[at]) {
                    queue.push(tree.shape.leaf_of[at]);
                }
            }
        }
        undo.clear();
        let first_half = tree.numbers.len() - 2;
        let mut both = [
            Half::Known(tree.numbers[first_half]),
            Half::Known(tree.numbers[first_half + 1]),
        ];
        let mut next = 0;
        while next < queue.len() {
            let at = queue[next] as usize;
            next += 1;
            let text = match at < tree.shape.leaves {
                true => {
                    let (first, end) = (tree.shape.first_word[at], tree.shape.first_word[at + 1]);
                    let one = |at: u32| if at < end { word(at as usize) } else { 0 };
                    Text(one(first), one(first + 1))
                }
                false => tree.text_of(at),
            };
            let half = recent.half(text);
            if at >= first_half && !whole {
                both[at - first_half] = half;
                continue;
            }
            let Some(number) = recent.number(half, shared) else {
                tree.known = false;
                return None;
            };
            undo.push((at as u32, tree.numbers[at]));
            tree.numbers[at] = number;
            if at >= first_half {
                both[at - first_half] = Half::Known(number);
            } else if queue.last() != Some(&tree.shape.above[at]) {
                queue.push(tree.shape.above[at]);
            }
        }
        if !whole {
            for &(at, number) in undo.iter() {
                tree.numbers[at as usize] = number;
            }
        }
        let [left, right] = both;
        Some(Halves {
            left,
            right,
            length: state.len() as u32,
            kind: tree.shape.kind,
        })
    }

    /// The root of a state that has those halves; `None` when there is no room for its parts.
    #[inline]
    pub(super) fn root(&mut self, halves: &Halves, shared: Shared<'_>) -> Option<u64> {
        let mut left = self.recent.number(halves.left, shared)?;
        let right = self.recent.number(halves.right, shared)?;
        if halves.kind == 0 {
            let half = self.recent.half(Text::of_numbers(&[halves.length, left]));
            left = self.recent.number(half, shared)?;
        }
        Some(u64::from(halves.kind) << (2 * BITS) | u64::from(left) << BITS | u64::from(right))
    }

    /// Appends the state with that root to `out`.
    pub(super) fn load(&mut self, root: u64, shared: Shared<'_>, out: &mut Vec<u8>) {
        let interner = shared.interner;
        let kind = (root >> (2 * BITS)) as usize;
        let mut left = (root >> BITS & NUMBER) as u32;
        let right = (root & NUMBER) as u32;
        let length = if kind == 0 {
            let [length, number, ..] = interner.text(left).numbers();
            left = number;
            length as usize
        } else {
            if self.lengths.len() < kind {
                self.lengths = shared.shapes.get();
            }
            self.lengths[kind - 1]
        };
        let tree = &mut self.loaded;
        tree.reshape(length, kind as u32);
        let count = tree.numbers.len();
        tree.numbers[count - 2] = left;
        tree.numbers[count - 1] = right;
        let leaves = tree.shape.leaves;
        for at in (leaves..count).rev() {
            let (start, family) = tree.shape.below[at - leaves];
            let numbers = interner.text(tree.numbers[at]).numbers();
            let children = &mut tree.numbers[start as usize..][..family as usize];
            for (child, number) in children.iter_mut().zip(numbers) {
                *child = number;
            }
        }
        for (leaf, ends) in tree.shape.first_word.windows(2).enumerate() {
            let Text(one, two) = interner.text(tree.numbers[leaf]);
            let words = &mut tree.words[ends[0] as usize..ends[1] as usize];
            for (word, text) in words.iter_mut().zip([one, two]) {
                *word = text;
            }
        }
        let begin = out.len();
        out.resize(begin + length, 0);
        let (chunks, rest) = out[begin..].as_chunks_mut::<8>();
        for (chunk, word) in chunks.iter_mut().zip(&tree.words) {
            *chunk = word.to_le_bytes();
        }
        if let Some(last) = tree.words.last() {
            rest.copy_from_slice(&last.to_le_bytes()[..rest.len()]);
        }
    }
}

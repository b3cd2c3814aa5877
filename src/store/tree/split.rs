//! Which bytes of a state belong together: chosen by looking at states.
//!
//! A tree of shared parts is small when its parts have few values. That depends on which bytes are in which part: two bytes
//! that change together take as many values as one if they are in the same part, and spoil two parts if they are not. The
//! order of the bytes in a state says little about it, since a process and the channel that it reads from lie far apart. So
//! the bytes are divided by what a sample of states says: the best division into two is the one for which the numbers of
//! *different* left and right parts in the sample have the least sum. It is looked for by going from one division to
//! another, moving a byte at a time to the other side as long as that helps.
//!
//! A byte rarely needs eight bits. It gets as many as its values in the sample need, and then what is free, so that mostly
//! half a state fits into one leaf; what does not is divided again in the same way.
//!
//! The states of the sample need not be typical. A bad division makes nothing wrong, only parts numerous, and a value for
//! which a byte has too few bits only makes the leaf take the long way (see [`super::escape`]). Bytes that are the same in all
//! of the sample stay with the byte before them, so that what is found out about half of a process serves all of it.

use super::pack::{LEAF, pack};
use crate::store::mix;
use std::ops::Range;

/// Groups in a group at most.
pub(in crate::store) const FAMILY: usize = 4;
/// Times that every byte is tried on the other side at most.
const ROUNDS: usize = 8;

/// Some bits for a byte of a state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Field {
    pub(in crate::store) byte: u32,
    /// The value that is kept as 0; others are kept as what differs from it.
    pub(in crate::store) base: u8,
    pub(in crate::store) width: u32,
}

impl Field {
    fn whole(byte: u32) -> Field {
        Field {
            byte,
            base: 0,
            width: 8,
        }
    }
}

/// Gives the free bits of a leaf to its fields, in turn.
fn widen(fields: &mut [Field]) {
    let mut wider = true;
    while wider {
        wider = false;
        for at in 0..fields.len() {
            if fields[at].width < 8 {
                fields[at].width += 1;
                if pack(fields).is_some() {
                    wider = true;
                } else {
                    fields[at].width -= 1;
                }
            }
        }
    }
}

/// Bytes of a state that are kept together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) enum Group {
    /// Fields that fit into a leaf.
    Leaf(Vec<Field>),
    /// At most [`FAMILY`] groups.
    Groups(Vec<Group>),
}

impl Group {
    /// Whole bytes in the order in which they are given.
    fn in_order(bytes: &[u32]) -> Group {
        if bytes.len() <= LEAF {
            return Group::Leaf(bytes.iter().copied().map(Field::whole).collect());
        }
        let leaves = bytes.len().div_ceil(LEAF);
        let part = leaves.div_ceil(FAMILY) * LEAF;
        Group::Groups(bytes.chunks(part).map(Group::in_order).collect())
    }

    /// The group without the bytes from `length` on.
    fn cut(&self, length: u32) -> Group {
        match self {
            Group::Leaf(fields) => {
                let fields = fields.iter().copied();
                Group::Leaf(fields.filter(|field| field.byte < length).collect())
            }
            Group::Groups(groups) => Group::Groups(groups.iter().map(|g| g.cut(length)).collect()),
        }
    }
}

/// The two groups of all bytes of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Split {
    pub(in crate::store) length: usize,
    pub(in crate::store) halves: [Group; 2],
}

impl Split {
    /// In the middle.
    pub(in crate::store) fn in_order(length: usize) -> Split {
        let bytes = numbers(0..length);
        let (left, right) = bytes.split_at(length.div_ceil(2));
        Split {
            length,
            halves: [Group::in_order(left), Group::in_order(right)],
        }
    }

    /// The best that is found for a sample of states, all of that length.
    pub(in crate::store) fn of_sample(states: &[&[u8]], length: usize) -> Split {
        let sample = Sample::new(states, length);
        if sample.columns.len() < 2 {
            return Split::in_order(length);
        }
        let sides = sample.sides();
        let mut constant = [Vec::new(), Vec::new()];
        let mut columns = sample.columns.iter().zip(&sides).peekable();
        let mut side = sides[0];
        for byte in 0..length as u32 {
            match columns.next_if(|(column, _)| column.byte == byte) {
                Some((_, &its_side)) => side = its_side,
                None => constant[usize::from(side)].push(Field {
                    byte,
                    base: states[0][byte as usize],
                    width: 0,
                }),
            }
        }
        let [left, right] = constant;
        Split {
            length,
            halves: [
                sample.part(&sides, false).group(left),
                sample.part(&sides, true).group(right),
            ],
        }
    }

    /// The same for another length, on the ground that processes come and go at the end.
    pub(in crate::store) fn adapt(&self, length: usize) -> Split {
        let [left, right] = &self.halves;
        let halves = if length <= self.length {
            [left.cut(length as u32), right.cut(length as u32)]
        } else {
            let rest = Group::in_order(&numbers(self.length..length));
            [left.clone(), Group::Groups(vec![right.clone(), rest])]
        };
        Split { length, halves }
    }
}

fn numbers(range: Range<usize>) -> Vec<u32> {
    range.map(|byte| byte as u32).collect()
}

/// The values of a byte in all states of a sample.
#[derive(Clone, Debug)]
struct Column {
    byte: u32,
    values: Vec<u8>,
}

impl Column {
    /// What the values need.
    fn field(&self) -> Field {
        let all = self.values.iter().fold(0, |all, value| all | value);
        Field {
            byte: self.byte,
            base: 0,
            width: u8::BITS - all.leading_zeros(),
        }
    }

    /// For each value of the byte, what it adds to the hash of a part.
    fn weights(&self) -> [u64; 256] {
        std::array::from_fn(|value| mix(u64::from(self.byte) << 8 | value as u64 | 1 << 40))
    }

    fn changes(&self, hashes: &mut [u64], change: impl Fn(u64, u64) -> u64) {
        let weights = self.weights();
        for (hash, &value) in hashes.iter_mut().zip(&self.values) {
            *hash = change(*hash, weights[usize::from(value)]);
        }
    }
}

/// The bytes that vary in some states.
#[derive(Clone, Debug)]
struct Sample {
    states: usize,
    columns: Vec<Column>,
}

impl Sample {
    fn new(states: &[&[u8]], length: usize) -> Sample {
        let values = |byte: usize| states.iter().map(|state| state[byte]).collect();
        let columns = (0..length).map(|byte| Column {
            byte: byte as u32,
            values: values(byte),
        });
        Sample {
            states: states.len(),
            columns: columns
                .filter(|column| column.values.iter().any(|&v| v != column.values[0]))
                .collect(),
        }
    }

    /// One side of the columns, with each of their different states once.
    fn part(&self, sides: &[bool], side: bool) -> Sample {
        let columns = self.columns.iter().zip(sides);
        let columns = columns.filter_map(|(column, &s)| (s == side).then_some(column));
        let hashes = self.hashes(sides, side);
        let mut seen = Seen::new(self.states);
        let new: Vec<bool> = hashes.iter().map(|&hash| seen.add(hash)).collect();
        let keep = |values: &[u8]| {
            let values = values.iter().zip(&new);
            values.filter_map(|(&v, &new)| new.then_some(v)).collect()
        };
        Sample {
            states: seen.count,
            columns: columns
                .map(|column| Column {
                    byte: column.byte,
                    values: keep(&column.values),
                })
                .collect(),
        }
    }

    /// The states of one side as hashes: a sum over the columns, so that columns can be moved from one side to the other.
    fn hashes(&self, sides: &[bool], side: bool) -> Vec<u64> {
        let mut hashes = vec![0; self.states];
        for (column, &s) in self.columns.iter().zip(sides) {
            if s == side {
                column.changes(&mut hashes, u64::wrapping_add);
            }
        }
        hashes
    }

    /// For each column, whether it is on the right. Each side has a quarter of them at least.
    fn sides(&self) -> Vec<bool> {
        let count = self.columns.len();
        let mut seen = Seen::new(self.states);
        let cut_at = |cut: usize| (0..count).map(|at| at >= cut).collect::<Vec<bool>>();
        let cuts = (2..=6).map(|eighths| (count * eighths / 8).clamp(1, count - 1));
        let best = cuts
            .map(|cut| {
                let sides = cut_at(cut);
                let sum: usize = [false, true]
                    .iter()
                    .map(|&side| seen.different(&self.hashes(&sides, side), usize::MAX))
                    .sum();
                (sum, cut)
            })
            .min();
        let (mut least, cut) = best.unwrap_or((usize::MAX, count / 2));
        let mut sides = cut_at(cut);
        let mut hashes = [self.hashes(&sides, false), self.hashes(&sides, true)];
        let mut sizes = [cut, count - cut];
        let smallest = (count / 4).max(1);
        let mut moved = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            let before = least;
            for (column, side) in self.columns.iter().zip(&mut sides) {
                let (from, to) = (usize::from(*side), usize::from(!*side));
                if sizes[from] <= smallest {
                    continue;
                }
                moved.clone_from(&hashes);
                column.changes(&mut moved[from], u64::wrapping_sub);
                column.changes(&mut moved[to], u64::wrapping_add);
                let mut sum = seen.different(&moved[to], least);
                if sum < least {
                    sum += seen.different(&moved[from], least - sum);
                }
                if sum < least {
                    least = sum;
                    *side = !*side;
                    sizes[from] -= 1;
                    sizes[to] += 1;
                    std::mem::swap(&mut hashes, &mut moved);
                }
            }
            if least == before {
                break;
            }
        }
        sides
    }

    fn fields(&self) -> Vec<Field> {
        self.columns.iter().map(Column::field).collect()
    }

    /// All columns, and some bytes that do not vary.
    fn group(self, constant: Vec<Field>) -> Group {
        let fits = |part: &Sample| pack(&part.fields()).is_some();
        let mut parts = vec![self];
        while parts.len() < FAMILY {
            let too_large = (0..parts.len()).filter(|&at| !fits(&parts[at]));
            let Some(at) = too_large.max_by_key(|&at| parts[at].columns.len()) else {
                break;
            };
            let sides = parts[at].sides();
            let halves = [parts[at].part(&sides, false), parts[at].part(&sides, true)];
            parts.splice(at..=at, halves);
        }
        // Bytes that do not vary need no bits: they are spread over the parts for what free bits these can give them.
        let mut constant = constant.chunks(constant.len().div_ceil(parts.len()).max(1));
        let mut groups: Vec<Group> = Vec::new();
        for part in parts {
            let constant = constant.next().unwrap_or(&[]).to_vec();
            groups.push(if fits(&part) {
                let mut fields = part.fields();
                fields.extend(constant);
                widen(&mut fields);
                Group::Leaf(fields)
            } else {
                part.group(constant)
            });
        }
        match groups.pop() {
            Some(only) if groups.is_empty() => only,
            last => Group::Groups(groups.into_iter().chain(last).collect()),
        }
    }
}

/// Hashes that have been seen.
#[derive(Debug)]
struct Seen {
    slots: Vec<u64>,
    count: usize,
}

impl Seen {
    /// For so many hashes.
    fn new(hashes: usize) -> Seen {
        Seen {
            slots: vec![0; (2 * hashes + 2).next_power_of_two()],
            count: 0,
        }
    }

    /// Whether the hash is new.
    #[inline]
    fn add(&mut self, hash: u64) -> bool {
        let hash = hash | 1;
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            match self.slots[at] {
                0 => break,
                known if known == hash => return false,
                _ => at = (at + 1) & mask,
            }
        }
        self.slots[at] = hash;
        self.count += 1;
        true
    }

    /// How many of the hashes are different; counted until they are so many.
    fn different(&mut self, hashes: &[u64], most: usize) -> usize {
        self.slots.fill(0);
        self.count = 0;
        for &hash in hashes {
            if self.add(hash) && self.count >= most {
                break;
            }
        }
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(group: &Group, out: &mut Vec<u32>) {
        match group {
            Group::Leaf(fields) => {
                assert!(pack(fields).is_some());
                out.extend(fields.iter().map(|field| field.byte));
            }
            Group::Groups(groups) => {
                assert!(groups.len() <= FAMILY);
                groups.iter().for_each(|group| bytes_of(group, out));
            }
        }
    }

    fn assert_whole(split: &Split) {
        let mut bytes = Vec::new();
        split.halves.iter().for_each(|g| bytes_of(g, &mut bytes));
        bytes.sort_unstable();
        assert_eq!(bytes, numbers(0..split.length));
    }

    #[test]
    fn every_byte_has_one_place() {
        for length in [0, 1, 2, 15, 16, 17, 40, 64, 65, 300, 2000] {
            assert_whole(&Split::in_order(length));
            let states: Vec<Vec<u8>> = (0..50u64)
                .map(|i| {
                    (0..length as u64)
                        .map(|at| {
                            if at % 3 == 0 {
                                7
                            } else {
                                (mix(i + at) % 3) as u8
                            }
                        })
                        .collect()
                })
                .collect();
            let states: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
            let split = Split::of_sample(&states, length);
            assert_whole(&split);
            for other in [0, 1, length / 2, length + 1, length + 100] {
                assert_whole(&split.adapt(other));
            }
        }
    }

    /// Two counters, whose digits lie in the state like the teeth of a zip.
    #[test]
    fn bytes_that_change_together_stay_together() {
        let digit = |count: u32, at: u32| (count >> (2 * at) & 3) as u8;
        let states: Vec<Vec<u8>> = (0..4096)
            .map(|i| {
                let (one, two) = (i % 64, i / 64);
                let digits = (0..3).flat_map(|at| [digit(one, at), digit(two, at)]);
                digits
                    .chain([digit(one, 0) ^ 1, digit(two, 0) ^ 1])
                    .collect()
            })
            .collect();
        let states: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
        let Split { halves, .. } = Split::of_sample(&states, 8);
        for half in halves {
            let mut bytes = Vec::new();
            bytes_of(&half, &mut bytes);
            assert!(bytes.contains(&0) == bytes.contains(&6), "{bytes:?}");
            assert!(bytes.contains(&1) == bytes.contains(&7), "{bytes:?}");
        }
    }
}

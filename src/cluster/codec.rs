//! Batches of states as bytes: what is said again is left out.
//!
//! A batch is a sequence of states, each with the number of the state it was reached from. Neighbours in a batch are mostly
//! successors of the same state or of states that were found one after the other, so the number is written as the difference to
//! the one before, and of the vector only the bytes that differ from the vector before are written:
//!
//! ```text
//! state := varint(zigzag(parent − parent before) · 2 + asks)  [varint(ticket) if asks]  varint(length)  run*
//! run   := varint(bytes as before)  varint(n)  n bytes          until the length is reached
//! ```
//!
//! Reading never panics and never takes more memory than a state of [`LONGEST`] bytes: whatever does not follow the rules above
//! is `None`, and ends the run.

/// The longest state vector that is read.
pub(super) const LONGEST: usize = 1 << 30;

/// Equal bytes for which it pays to begin a new run.
const GAP: usize = 3;

/// Appends a number, seven bits to a byte, lowest first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front.
pub(super) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return None;
        }
        number |= part << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Numbers of parents stay below this: there is room for a sign and a flag beside a difference.
pub(super) const PARENTS: u64 = 1 << 46;

/// A batch being written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: Vec<u8>,
    before: Vec<u8>,
    parent: u64,
}

impl Writer {
    /// Appends a state, its key and what goes along with it, that was reached from the one with the number `parent`. With a
    /// ticket, the sender wants to be told what the owner knows about it.
    pub(super) fn push_parts(
        &mut self,
        parent: u64,
        ticket: Option<u64>,
        key: &[u8],
        along: &[u8],
    ) {
        if along.is_empty() {
            return self.push(parent, ticket, key);
        }
        self.push(parent, ticket, &[key, along].concat());
    }

    /// The same for a vector as a whole.
    pub(super) fn push(&mut self, parent: u64, ticket: Option<u64>, state: &[u8]) {
        let difference = parent.wrapping_sub(self.parent) as i64;
        self.parent = parent;
        let asks = u64::from(ticket.is_some());
        put_varint(&mut self.out, zigzag(difference) << 1 | asks);
        if let Some(ticket) = ticket {
            put_varint(&mut self.out, ticket);
        }
        put_varint(&mut self.out, state.len() as u64);
        let mut at = 0;
        while at < state.len() {
            let same = equal_bytes(&state[at..], self.before.get(at..).unwrap_or_default());
            let start = at + same;
            let mut end = start;
            let mut equal = 0;
            while end < state.len() && equal < GAP {
                let is_equal = self.before.get(end) == Some(&state[end]);
                equal = if is_equal { equal + 1 } else { 0 };
                end += 1;
            }
            end -= equal;
            put_varint(&mut self.out, same as u64);
            put_varint(&mut self.out, (end - start) as u64);
            self.out.extend_from_slice(&state[start..end]);
            at = end;
        }
        self.before.clear();
        self.before.extend_from_slice(state);
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// The batch; what follows begins another one.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.before.clear();
        self.parent = 0;
        let room = self.out.len();
        std::mem::replace(&mut self.out, Vec::with_capacity(room))
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.out.capacity() + self.before.capacity()) as u64
    }
}

/// How many bytes two vectors have in common at the front.
fn equal_bytes(a: &[u8], b: &[u8]) -> usize {
    let most = a.len().min(b.len());
    let mut at = 0;
    while let (Some(x), Some(y)) = (
        a[at..most].first_chunk::<8>(),
        b[at..most].first_chunk::<8>(),
    ) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + differ.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..most]
        .iter()
        .zip(&b[at..most])
        .take_while(|(x, y)| x == y)
        .count()
}

/// A batch being read.
#[derive(Debug)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    state: Vec<u8>,
    parent: u64,
}

/// What is said of a state in a batch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// The number of the state it was reached from.
    pub(super) parent: u64,
    /// What an answer is to name, if one is wanted.
    pub(super) ticket: Option<u64>,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader {
            bytes,
            state: Vec::new(),
            parent: 0,
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next state; `None` if these bytes are no batch.
    pub(super) fn next(&mut self) -> Option<(Sent, &[u8])> {
        let first = take_varint(&mut self.bytes)?;
        let parent = self.parent.wrapping_add(unzigzag(first >> 1) as u64);
        if parent >= PARENTS {
            return None;
        }
        self.parent = parent;
        let ticket = match first & 1 {
            0 => None,
            _ => Some(take_varint(&mut self.bytes)?),
        };
        let len = usize::try_from(take_varint(&mut self.bytes)?).ok()?;
        if len > LONGEST {
            return None;
        }
        let mut at = 0;
        while at < len {
            let same = usize::try_from(take_varint(&mut self.bytes)?).ok()?;
            let start = at.checked_add(same)?;
            if start > self.state.len().min(len) {
                return None;
            }
            let new = usize::try_from(take_varint(&mut self.bytes)?).ok()?;
            if same + new == 0 || new > len - start {
                return None;
            }
            let (literal, rest) = self.bytes.split_at_checked(new)?;
            self.bytes = rest;
            let end = start + new;
            if self.state.len() < end {
                self.state.resize(end, 0);
            }
            self.state[start..end].copy_from_slice(literal);
            at = end;
        }
        self.state.truncate(len);
        Some((Sent { parent, ticket }, &self.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ltl::random::Rng;

    #[test]
    fn batches_come_back() {
        let mut rng = Rng::seeded(1);
        for _ in 0..500 {
            let mut sent: Vec<(u64, Option<u64>, Vec<u8>)> = Vec::new();
            let mut writer = Writer::default();
            let mut state = vec![0u8; rng.below(40)];
            for _ in 0..rng.below(30) {
                for _ in 0..rng.below(4) {
                    match rng.below(6) {
                        0 => state.push(rng.below(256) as u8),
                        1 => drop(state.pop()),
                        _ if state.is_empty() => {}
                        _ => {
                            let at = rng.below(state.len());
                            state[at] = rng.below(256) as u8;
                        }
                    }
                }
                let parent = match rng.below(3) {
                    0 => PARENTS - 1 - rng.below(9) as u64,
                    _ => rng.below(1000) as u64,
                };
                let ticket = (rng.below(2) == 0).then(|| rng.next_u64() >> 32);
                writer.push(parent, ticket, &state);
                sent.push((parent, ticket, state.clone()));
            }
            let bytes = writer.take();
            let mut reader = Reader::new(&bytes);
            for (parent, ticket, state) in sent {
                let (told, bytes) = reader.next().expect("a state");
                assert_eq!(
                    (told.parent, told.ticket, bytes),
                    (parent, ticket, &state[..])
                );
            }
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn neighbours_take_few_bytes() {
        let mut writer = Writer::default();
        let mut state = vec![7u8; 200];
        writer.push(1000, None, &state);
        let first = writer.len();
        state[100] = 8;
        writer.push(1000, None, &state);
        assert!(writer.len() - first <= 9, "{}", writer.len() - first);
    }

    /// Random bytes, and batches with random bytes in them, are read to some end without a panic.
    #[test]
    fn any_bytes_can_be_read() {
        let mut rng = Rng::seeded(2);
        let mut refused = 0;
        for round in 0..100_000u32 {
            let mut bytes: Vec<u8> = (0..rng.below(40)).map(|_| rng.below(256) as u8).collect();
            if round % 2 == 0 {
                let mut writer = Writer::default();
                writer.push(3, Some(1), &bytes);
                writer.push(4, None, &bytes);
                bytes = writer.take();
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
            }
            let mut reader = Reader::new(&bytes);
            while !reader.is_empty() {
                if reader.next().is_none() {
                    refused += 1;
                    break;
                }
            }
        }
        assert!(refused > 1000, "{refused}");
    }
}

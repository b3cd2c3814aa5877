//! Packing the bytes of a leaf into two words, and getting them back.
//!
//! The bytes that a leaf has of one word of the state stay where they are in relation to each other: the word is masked,
//! turned by some bits, and laid over what is there already, such that no two fields come to lie upon each other. So few
//! instructions pack eight bytes, none of them a branch, and the same instructions the other way round unpack them. How far
//! to turn each word is found by trying, the word with the most bits first.

use super::split::Field;

/// Words of a leaf.
pub(in crate::store) const WORDS: usize = 2;
/// Bytes of a leaf.
pub(in crate::store) const LEAF: usize = 8 * WORDS;

/// What a word of the state adds to a leaf.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Step {
    /// The bytes of the word that belong to the leaf.
    reach: u64,
    /// Their values that are kept as 0.
    base: u64,
    /// The bits that are kept.
    mask: u64,
    turn: u32,
    /// The word of the state, and that of the leaf.
    pub(in crate::store) from: u32,
    pub(in crate::store) to: u32,
}

impl Step {
    /// What a word of the state adds to the word of the leaf, and bits for which there is no place there.
    #[inline(always)]
    pub(in crate::store) fn pack(&self, word: u64) -> (u64, u64) {
        let bits = (word ^ self.base) & self.reach;
        ((bits & self.mask).rotate_left(self.turn), bits & !self.mask)
    }

    /// What a word of the leaf adds to the word of the state.
    #[inline(always)]
    pub(in crate::store) fn unpack(&self, word: u64) -> u64 {
        word.rotate_right(self.turn) & self.mask ^ self.base
    }
}

/// The steps that pack the fields of a leaf; `None` if no place was found for some.
pub(in crate::store) fn pack(fields: &[Field]) -> Option<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    for field in fields {
        let from = field.byte / 8;
        let at = steps.iter().position(|step| step.from == from);
        let at = at.unwrap_or(steps.len());
        if at == steps.len() {
            steps.push(Step {
                from,
                ..Step::default()
            });
        }
        let shift = 8 * (field.byte % 8);
        steps[at].reach |= 0xff << shift;
        steps[at].base |= u64::from(field.base) << shift;
        steps[at].mask |= ((1 << field.width) - 1) << shift;
    }
    steps.sort_by_key(|step| (std::cmp::Reverse(step.mask.count_ones()), step.from));
    let mut used = [0; WORDS];
    for step in &mut steps {
        let places = (0..WORDS).flat_map(|to| (0..u64::BITS).map(move |turn| (to, turn)));
        let is_free = |&(to, turn): &(usize, u32)| used[to] & step.mask.rotate_left(turn) == 0;
        let (to, turn) = places.into_iter().find(is_free)?;
        used[to] |= step.mask.rotate_left(turn);
        step.to = to as u32;
        step.turn = turn;
    }
    steps.sort_by_key(|step| step.from);
    Some(steps)
}

/// The same for fields that do not fit, or are not found to: a leaf that has lost some fields may need another order than the
/// whole. The widest lose bits until they fit; whatever has no bit takes the long way, so nothing is lost.
pub(in crate::store) fn pack_narrowed(fields: &[Field]) -> Vec<Step> {
    let mut fields = fields.to_vec();
    loop {
        if let Some(steps) = pack(&fields) {
            return steps;
        }
        let widest = fields.iter().map(|field| field.width).max().unwrap_or(0);
        for field in &mut fields {
            field.width = field.width.min(widest.saturating_sub(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::mix;

    #[test]
    fn what_is_packed_is_unpacked() {
        for seed in 0..200 {
            let fields: Vec<Field> = (0..mix(seed) % 60)
                .map(|byte| {
                    let random = mix(seed << 8 | byte);
                    Field {
                        byte: byte as u32,
                        base: random as u8,
                        width: (random >> 8) as u32 % 4,
                    }
                })
                .collect();
            let Some(steps) = pack(&fields) else {
                continue;
            };
            let mut state = [0; 8];
            for (at, field) in fields.iter().enumerate() {
                let value = mix(seed ^ (at as u64) << 32) & ((1 << field.width) - 1);
                let value = u64::from(field.base) ^ value;
                state[at / 8] |= value << (8 * (at % 8));
            }
            let mut leaf = [0; WORDS];
            for step in &steps {
                let (word, misfits) = step.pack(state[step.from as usize]);
                assert_eq!(misfits, 0);
                assert_eq!(leaf[step.to as usize] & word, 0);
                leaf[step.to as usize] |= word;
            }
            let mut unpacked = [0; 8];
            for step in &steps {
                unpacked[step.from as usize] ^= step.unpack(leaf[step.to as usize]);
            }
            assert_eq!(unpacked, state);
        }
    }

    #[test]
    fn sixteen_whole_bytes_fit() {
        let whole = |byte| Field {
            byte,
            base: 0,
            width: 8,
        };
        let fields: Vec<Field> = (3..19).map(whole).collect();
        assert!(pack(&fields).is_some());
        let fields: Vec<Field> = (0..16).map(|at| whole(at * 5)).collect();
        assert!(pack(&fields).is_some());
    }

    /// Whatever the fields are, what is packed is unpacked, unless it is said that it does not fit.
    #[test]
    fn nothing_is_lost_when_fields_do_not_fit() {
        let (mut narrowed, mut fitted, mut misfitted) = (0, 0, 0);
        for seed in 0..3000u64 {
            let fields: Vec<Field> = (0..64)
                .filter(|byte| !mix(seed << 8 | byte).is_multiple_of(3))
                .map(|byte| Field {
                    byte: byte as u32,
                    base: mix(seed ^ byte << 40) as u8,
                    width: mix(seed << 16 | byte) as u32 % 9,
                })
                .collect();
            narrowed += u32::from(pack(&fields).is_none());
            let steps = pack_narrowed(&fields);
            let mut state = [0u64; 8];
            for field in &fields {
                let bits = mix(seed << 24 | u64::from(field.byte)) % 100;
                let other = if bits < seed % 4 { 1 } else { 0 };
                let value = u64::from(field.base ^ other);
                state[field.byte as usize / 8] |= value << (8 * (field.byte % 8));
            }
            let (mut leaf, mut misfits) = ([0; WORDS], 0);
            for step in &steps {
                let (word, misfit) = step.pack(state[step.from as usize]);
                leaf[step.to as usize] |= word;
                misfits |= misfit;
            }
            if misfits != 0 {
                misfitted += 1;
                continue;
            }
            fitted += 1;
            let mut unpacked = [0; 8];
            for step in &steps {
                unpacked[step.from as usize] ^= step.unpack(leaf[step.to as usize]);
            }
            assert_eq!(unpacked, state, "seed {seed}");
        }
        assert!(
            narrowed > 100 && fitted > 100 && misfitted > 10,
            "{narrowed} {fitted} {misfitted}"
        );
    }
}

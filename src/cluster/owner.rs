//! Which worker a state belongs to: a hash that is specified, so that it is the same on every platform and in every version.
//!
//! The hash of a state is rapidhash V3 of its key (the bytes that make states equal) with the seed [`SEED`]; of W workers the one
//! with the number ⌊hash · W / 2⁶⁴⌋ owns it. Stores hash the same bytes with another seed, so that the states of one worker are
//! spread over its whole table. The tests have vectors; whoever changes this file changes the protocol
//! ([`super::agree::PROTOCOL`]).

use rapidhash::v3::{RapidSecrets, rapidhash_v3_inline};

/// The ASCII codes of `ampleown`.
const SEED: u64 = 0x616d_706c_656f_776e;
const SECRETS: RapidSecrets = RapidSecrets::seed_cpp(SEED);

/// The hash that says where a state belongs.
#[inline]
fn hash(key: &[u8]) -> u64 {
    rapidhash_v3_inline::<true, false, false>(key, &SECRETS)
}

/// The worker that owns the state with that key.
#[inline]
pub(super) fn owner(key: &[u8], workers: usize) -> usize {
    if workers == 1 {
        return 0;
    }
    ((u128::from(hash(key)) * workers as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_as_specified() {
        let bytes: Vec<u8> = (0..=255).collect();
        let hashes = [0, 1, 3, 8, 17, 64, 256].map(|len| hash(&bytes[..len]));
        // Computed by a program written after the specification, in another language.
        let specified = [
            0xe7f9_520d_74de_f475,
            0xd075_00d0_b948_55b6,
            0xd213_1aec_5f64_d7e3,
            0xa903_1609_5d91_d50d,
            0x2dd9_0b5f_8128_6bc1,
            0x6a12_0157_a4d5_3b3f,
            0xc1de_3059_0eb8_54d6,
        ];
        assert_eq!(hashes, specified, "{hashes:#018x?}");
    }

    #[test]
    fn owners_share_evenly() {
        for workers in [1, 2, 3, 7, 64] {
            let mut states = vec![0u32; workers];
            for number in 0..64_000u32 {
                states[owner(&number.to_le_bytes(), workers)] += 1;
            }
            let fair = 64_000 / workers as u32;
            let most = fair / 8 + 100;
            assert!(
                states.iter().all(|&n| n.abs_diff(fair) < most),
                "{states:?}"
            );
        }
    }
}

//! How many different states several searches have visited, without keeping the states: HyperLogLog (Flajolet, Fusy,
//! Gandouet, Meunier, 2007), exact for small numbers by linear counting, and within about one per cent for large ones.

use super::lossy::Fingerprint;
use super::mix;

const BITS: u32 = 14;

/// A summary of a set of fingerprints; two can be joined.
#[derive(Clone, Debug)]
pub struct Sketch(Box<[u8]>);

impl Default for Sketch {
    fn default() -> Sketch {
        Sketch(vec![0; 1 << BITS].into())
    }
}

impl Sketch {
    /// Adds a state.
    #[inline]
    pub fn add(&mut self, fingerprint: Fingerprint) {
        let hash = mix(fingerprint.raw());
        let rank = ((hash << BITS).leading_zeros() + 1).min(64 - BITS) as u8;
        let register = &mut self.0[(hash >> (64 - BITS)) as usize];
        *register = rank.max(*register);
    }

    /// Adds all states of another one.
    pub fn join(&mut self, other: &Sketch) {
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = theirs.max(*mine);
        }
    }

    /// The number of states, about.
    pub fn count(&self) -> u64 {
        let registers = self.0.len() as f64;
        let sum: f64 = self.0.iter().map(|&r| 2f64.powi(-i32::from(r))).sum();
        let estimate = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        let empty = self.0.iter().filter(|&&r| r == 0).count() as f64;
        if estimate <= 2.5 * registers && empty > 0.0 {
            (registers * (registers / empty).ln()).round() as u64
        } else {
            estimate.round() as u64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_is_in_either() {
        for n in [10u64, 1_000, 30_000, 1_000_000] {
            let (mut even, mut all) = (Sketch::default(), Sketch::default());
            for i in 0..n {
                let fingerprint = Fingerprint::of(&i.to_le_bytes());
                match i % 2 {
                    0 => even.add(fingerprint),
                    _ => all.add(fingerprint),
                }
            }
            all.join(&even);
            all.join(&even);
            let off = all.count() as f64 / n as f64 - 1.0;
            assert!(off.abs() < 0.03, "{n}: {}", all.count());
        }
    }
}

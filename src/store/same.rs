//! Whether two short byte strings are equal, without a call.

/// Whether they are. State vectors are compared all the time and are mostly short: eight bytes are compared at a time, and the
/// last eight overlap those before them, so that nothing is left over.
#[inline(always)]
pub(crate) fn is_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let words = |s: &[u8; 8]| u64::from_ne_bytes(*s);
    let halves = |s: &[u8; 4]| u32::from_ne_bytes(*s);
    if let (Some(a_last), Some(b_last)) = (a.last_chunk(), b.last_chunk()) {
        let (a, b) = (a.as_chunks().0, b.as_chunks().0);
        words(a_last) == words(b_last) && a.iter().zip(b).all(|(a, b)| words(a) == words(b))
    } else if let (Some(a_first), Some(b_first)) = (a.first_chunk(), b.first_chunk())
        && let (Some(a_last), Some(b_last)) = (a.last_chunk(), b.last_chunk())
    {
        halves(a_first) == halves(b_first) && halves(a_last) == halves(b_last)
    } else {
        a.iter().zip(b).all(|(a, b)| a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::is_equal;

    /// Of all lengths around the sizes of words, with a difference at each place.
    #[test]
    fn every_difference_is_seen() {
        for len in 0..40 {
            let a: Vec<u8> = (0..len).collect();
            assert!(is_equal(&a, &a.clone()));
            for at in 0..a.len() {
                let mut b = a.clone();
                b[at] ^= 0x80;
                assert!(!is_equal(&a, &b), "{len} bytes, place {at}");
                assert!(!is_equal(&a, &a[..at]));
            }
        }
    }
}

//! The long way for leaves with a value for which there are too few bits.
//!
//! The bytes of such a leaf are taken as they are: sixteen have a number, four numbers side by side have one, and so on until
//! one is left. It is marked as an escape, so it is never taken for that of a leaf whose values fit; and since it depends on
//! the values alone which way a leaf goes, equal leaves have equal numbers.

use crate::store::interner::Text;

/// Set in a number that stands for an escaped leaf.
pub(in crate::store) const ESCAPE: u32 = 1 << 29;

/// Bytes that have one number.
const CHUNK: usize = 16;
/// Numbers that have one number.
const FAMILY: usize = 4;

/// The number of a leaf, given a way to find that of a text.
pub(in crate::store) fn escape(
    bytes: &[u8],
    mut number: impl FnMut(Text) -> Option<u32>,
) -> Option<u32> {
    let texts = bytes.chunks(CHUNK).map(|chunk| {
        let mut text = [0; CHUNK];
        text[..chunk.len()].copy_from_slice(chunk);
        Text::of_bytes(text)
    });
    let mut numbers: Vec<u32> = texts.map(&mut number).collect::<Option<_>>()?;
    while numbers.len() > 1 {
        let families = numbers.chunks(FAMILY).map(Text::of_numbers);
        numbers = families.map(&mut number).collect::<Option<_>>()?;
    }
    Some(numbers[0] | ESCAPE)
}

/// The bytes of a leaf that has so many, given the text of a number.
pub(in crate::store) fn unescape(number: u32, count: usize, text: impl Fn(u32) -> Text) -> Vec<u8> {
    let mut sizes = vec![count.div_ceil(CHUNK)];
    while sizes[sizes.len() - 1] > 1 {
        sizes.push(sizes[sizes.len() - 1].div_ceil(FAMILY));
    }
    let mut numbers = vec![number & !ESCAPE];
    for &size in sizes.iter().rev().skip(1) {
        let below = numbers.iter().flat_map(|&number| text(number).numbers());
        numbers = below.take(size).collect();
    }
    let bytes = numbers.iter().flat_map(|&number| text(number).bytes());
    bytes.take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_escapes_comes_back() {
        for count in [1, 15, 16, 17, 64, 65, 300, 2000] {
            let bytes: Vec<u8> = (0..count).map(|at| (at * at / 7) as u8).collect();
            let mut texts = Vec::new();
            let number = escape(&bytes, |text| {
                texts.push(text);
                Some(texts.len() as u32 - 1)
            });
            let number = number.unwrap();
            assert_eq!(unescape(number, count, |n| texts[n as usize]), bytes);
        }
    }
}

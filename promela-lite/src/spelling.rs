//! "Did you mean …?": the known word that is nearest to one that is not known.

/// Longer words are not compared: that takes the square of their length.
const LONGEST: usize = 200;

/// The name nearest to `text`, if one is near enough to be a slip of the pen.
pub(crate) fn closest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let word: Vec<char> = text.chars().collect();
    let limit = 1 + word.len() / 4;
    let mut distances = Distances::default();
    names
        .filter(|name| name.len().abs_diff(text.len()) <= limit)
        .filter_map(|name| Some((distances.within(&word, name, limit)?, name)))
        // Something must be left of the word.
        .filter(|(d, _)| *d < word.len())
        .min()
        .map(|(_, name)| name.to_string())
}

/// The rows of the table of distances, kept from one word to the next: there may be many words.
#[derive(Default)]
struct Distances {
    other: Vec<char>,
    rows: [Vec<usize>; 3],
}

impl Distances {
    /// Edits (insert, delete, replace, swap neighbours) from one word to another, unless they are more than `limit`.
    fn within(&mut self, a: &[char], b: &str, limit: usize) -> Option<usize> {
        self.other.clear();
        self.other.extend(b.chars());
        let b = &self.other;
        let [before, row, next] = &mut self.rows;
        row.clear();
        row.extend(0..=b.len());
        for i in 1..=a.len() {
            next.clear();
            next.push(i);
            for j in 1..=b.len() {
                let replace = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replace.min(row[j] + 1).min(next[j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(before[j - 2] + 1);
                }
                next.push(best);
            }
            // A swap looks back two rows, so both must be out of reach.
            if next.iter().chain(&*row).all(|&d| d > limit) {
                return None;
            }
            std::mem::swap(before, row);
            std::mem::swap(row, next);
        }
        Some(row[b.len()]).filter(|&d| d <= limit)
    }
}

//! "Did you mean …?": the known word that is nearest to one that is not known.

/// The name nearest to `text`, if one is near enough to be a slip of the pen.
pub(crate) fn closest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = 1 + text.chars().count() / 4;
    names
        .filter(|name| name.len().abs_diff(text.len()) <= limit)
        .map(|name| (distance(text, name), name))
        // Something must be left of the word.
        .filter(|(d, _)| *d <= limit && *d < text.chars().count())
        .min()
        .map(|(_, name)| name.to_string())
}

/// Edits (insert, delete, replace, swap neighbours) from one word to another.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let replace = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

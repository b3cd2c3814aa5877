//! Which steps of a long run are shown: what is repeated is told once.
//!
//! Two kinds of stretches say nothing new: the beginning, when `init` alone starts the others, and rounds in which the same
//! processes execute the same statements in the same order. Values may differ from round to round; whoever wants them asks for
//! the run in full. Folding is about what is shown: numbers of steps stay, and every step is shown or counted.

use crate::trace::{Actor, Told};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The longest round that is looked for.
const LONGEST_ROUND: usize = 48;

/// A stretch of `init` alone is folded if it has more steps than this; so many are shown at either end.
const START: usize = 10;
const START_SHOWN: usize = 2;

/// Rounds are folded if there are at least as many.
const ROUNDS: usize = 3;

/// Fewer steps than these are not worth a fold.
const SAVED: usize = 6;

/// A part of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Steps that are shown, by index.
    Shown(Range<usize>),
    /// Steps in which `init` alone moves.
    Start(Range<usize>),
    /// The same steps again as before: those, and how often.
    Rounds(Range<usize>, usize),
    /// Steps left out because there are too many.
    Middle(Range<usize>),
}

/// Folds the steps of a range of a run.
pub(super) fn fold(told: &[Told], range: Range<usize>) -> Vec<Piece> {
    let keys = keys(&told[range.clone()]);
    let offset = range.start;
    let mut pieces = Vec::new();
    let mut shown = 0;
    let mut at = 0;
    let show = |pieces: &mut Vec<Piece>, shown: &mut usize, end: usize| {
        if *shown < end {
            pieces.push(Piece::Shown(offset + *shown..offset + end));
        }
        *shown = end;
    };
    if offset == 0 {
        let is_init = |t: &&Told| t.actor.site.proctype == ":init:" && t.partner.is_none();
        let alone = told[range.clone()].iter().take_while(is_init).count();
        if alone > START {
            show(&mut pieces, &mut shown, START_SHOWN);
            let end = alone - START_SHOWN;
            pieces.push(Piece::Start(START_SHOWN..end));
            (shown, at) = (end, alone);
        }
    }
    while at < keys.len() {
        match rounds(&keys[at..]) {
            Some((length, mut times)) => {
                // What the run leads to is shown: not the last round, if it is the end.
                if at + length * times == keys.len() {
                    times -= 1;
                }
                show(&mut pieces, &mut shown, at + length);
                at += length * times;
                pieces.push(Piece::Rounds(offset + shown..offset + at, times - 1));
                shown = at;
            }
            None => at += 1,
        }
    }
    show(&mut pieces, &mut shown, keys.len());
    pieces
}

/// The rounds that a run begins with: length and number, those that save most.
fn rounds(keys: &[u32]) -> Option<(usize, usize)> {
    let mut best = None;
    let mut saved = 0;
    for length in 1..=LONGEST_ROUND.min(keys.len() / ROUNDS) {
        // As many keys as agree with those one round later.
        let pairs = keys.iter().zip(&keys[length..]);
        let same = pairs.take_while(|(a, b)| a == b).count();
        let times = same / length + 1;
        let saves = length * times.saturating_sub(2);
        if times >= ROUNDS && saves >= SAVED && saves > saved {
            saved = saves;
            best = Some((length, times));
        }
    }
    best
}

/// Numbers that are the same for the same processes and statements.
fn keys(told: &[Told]) -> Vec<u32> {
    let mut numbers: FxHashMap<(Part<'_>, Option<Part<'_>>), u32> = FxHashMap::default();
    let mut keys = Vec::with_capacity(told.len());
    for step in told {
        let key = (part(&step.actor), step.partner.as_ref().map(part));
        let next = numbers.len() as u32;
        keys.push(*numbers.entry(key).or_insert(next));
    }
    keys
}

/// Who executes what: pid, depth of calls, file, line, column, statement.
type Part<'t> = (u16, usize, &'t str, u32, u32, &'t str);

fn part(actor: &Actor) -> Part<'_> {
    let site = &actor.site;
    (
        actor.pid,
        actor.calls.len(),
        &site.file,
        site.line,
        site.column,
        &site.statement,
    )
}

/// Leaves out the middle if more steps would be shown than `head` and `tail`.
pub(super) fn without_middle(pieces: Vec<Piece>, head: usize, tail: usize) -> Vec<Piece> {
    let count = |piece: &Piece| match piece {
        Piece::Shown(range) => range.len(),
        _ => 1,
    };
    let all: usize = pieces.iter().map(count).sum();
    if all <= head + tail {
        return pieces;
    }
    let mut kept = Vec::new();
    // How many lines come before the piece.
    let mut before = 0;
    let mut left_out: Option<Range<usize>> = None;
    for piece in pieces {
        let lines = count(&piece);
        let (first, last) = (before, before + lines);
        before = last;
        let steps = match &piece {
            Piece::Shown(range) | Piece::Start(range) => range.clone(),
            Piece::Rounds(range, _) | Piece::Middle(range) => range.clone(),
        };
        let front = head.saturating_sub(first).min(lines);
        let back = (last + tail).saturating_sub(all).min(lines - front);
        match piece {
            Piece::Shown(range) => {
                let cut = range.start + front..range.end - back;
                if front > 0 {
                    kept.push(Piece::Shown(range.start..cut.start));
                }
                if !cut.is_empty() {
                    let start = left_out.take().map_or(cut.start, |r| r.start);
                    left_out = Some(start..cut.end);
                }
                if back > 0 {
                    kept.extend(left_out.take().map(Piece::Middle));
                    kept.push(Piece::Shown(cut.end..range.end));
                }
            }
            folded if front + back > 0 => {
                kept.extend(left_out.take().map(Piece::Middle));
                kept.push(folded);
            }
            _ => {
                let start = left_out.take().map_or(steps.start, |r| r.start);
                left_out = Some(start..steps.end);
            }
        }
    }
    kept.extend(left_out.map(Piece::Middle));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Site;
    use std::sync::Arc;

    /// A run of one letter per step: upper case for `init`.
    fn run(letters: &str) -> Vec<Told> {
        let step = |(index, c): (usize, char)| Told {
            step: index + 1,
            actor: Actor {
                pid: 0,
                site: Arc::new(Site {
                    proctype: if c.is_uppercase() { ":init:" } else { "P" }.to_owned(),
                    statement: c.to_string(),
                    ..Site::default()
                }),
                calls: Vec::new(),
            },
            partner: None,
            executed: None,
            atomic: false,
            values: Vec::new(),
        };
        letters.chars().enumerate().map(step).collect()
    }

    #[test]
    fn rounds_and_starts_are_folded_and_every_step_is_accounted_for() {
        use Piece::{Rounds, Shown, Start};
        for (letters, expected) in [
            ("abc", vec![Shown(0..3)]),
            (
                "xabababababy",
                vec![Shown(0..3), Rounds(3..11, 4), Shown(11..12)],
            ),
            (
                "xababababab",
                vec![Shown(0..3), Rounds(3..9, 3), Shown(9..11)],
            ),
            ("aabababy", vec![Shown(0..8)]),
            ("xaaaaaaaa", vec![Shown(0..2), Rounds(2..8, 6), Shown(8..9)]),
            (
                "ABCDEFGHIJKLx",
                vec![Shown(0..2), Start(2..10), Shown(10..13)],
            ),
            ("ABCx", vec![Shown(0..4)]),
        ] {
            let told = run(letters);
            assert_eq!(fold(&told, 0..told.len()), expected, "{letters}");
        }
    }

    #[test]
    fn whatever_is_left_out_nothing_is_lost() {
        let mut rng = ltl::random::Rng::seeded(3);
        for _ in 0..500 {
            let letter = |_| ['a', 'b', 'c', 'A'][rng.below(4)];
            let letters: String = (0..200).map(letter).collect();
            let told = run(&letters);
            let pieces = without_middle(fold(&told, 0..200), 5, 7);
            let mut next = 0;
            let mut lines = 0;
            for piece in &pieces {
                let (Piece::Shown(range) | Piece::Start(range)) = piece else {
                    let (Piece::Rounds(range, _) | Piece::Middle(range)) = piece else {
                        unreachable!("all kinds are named");
                    };
                    assert_eq!(range.start, next, "{letters} {pieces:?}");
                    next = range.end;
                    lines += 1;
                    continue;
                };
                assert_eq!(range.start, next, "{letters} {pieces:?}");
                next = range.end;
                lines += range.len();
            }
            assert_eq!(next, 200);
            assert!(lines <= 13, "{lines} {pieces:?}");
        }
    }
}

//! Small models among many processes that do nothing.
//!
//! A few processes race as in [`crate::races()`], [`crate::starts`] or [`crate::traces`]; before, between and behind them are so
//! many others that pids lie on both sides of 64 or 128. These wait for ever, so that there are no more states than without
//! them, but what stands behind the place where they wait may touch what the others share.

use crate::{RandomModel, Rng, races, starts, traces};

/// The model that belongs to a seed.
pub fn crowd(seed: u64) -> RandomModel {
    let mut rng = Rng::seeded(seed ^ 0xc20d_0000_0000_0000);
    let mut model = match rng.below(4) {
        0 => starts(seed),
        1 => traces(seed),
        _ => races(seed),
    };
    // Pids follow the order of the text: those before the others move them up.
    let before = match rng.below(4) {
        0 => rng.within(1, 60),
        1 => rng.within(61, 66),
        2 => rng.within(125, 130),
        _ => rng.within(67, 100),
    };
    let behind = match rng.chance(50) {
        true => rng.within(1, 40),
        false => 0,
    } + 66usize.saturating_sub(before);
    let (declarations, processes) = split(&model.text);
    let (front, back) = (
        waiting(&mut rng, "W", before),
        waiting(&mut rng, "V", behind),
    );
    model.text = format!("{declarations}{front}{processes}{back}");
    model
}

/// Some processes that wait for ever.
fn waiting(rng: &mut Rng, name: &str, count: usize) -> String {
    let then = match rng.below(4) {
        0 => "; g0 = 1",
        1 => "; (g0 == 2)",
        _ => "",
    };
    match count {
        0 => String::new(),
        // `end` labels keep it from being an error that they wait.
        _ => format!("active [{count}] proctype {name}() {{ end: (false){then} }}\n"),
    }
}

/// The declarations of a model, and the rest of it from the first process on.
fn split(text: &str) -> (&str, &str) {
    let starts = ["active", "proctype", "init"];
    let line = text.match_indices('\n').map(|(at, _)| at + 1);
    let at = line
        .into_iter()
        .find(|&at| starts.iter().any(|s| text[at..].starts_with(s)));
    text.split_at(at.unwrap_or(0))
}

//! Which globals may stay together: the confluence relation and a safe partition (Algorithm 2 of the paper).
//!
//! Two values `x`, `y` of the globals at the start of a context are confluent if the context can lead from both to the same
//! globals. View tuples are exact for a part of the configurations iff no two values of the part are confluent (Theorem 1):
//! a configuration composed of the view of one thread from `x` and of another thread from `y` has the same final
//! globals, so `x` and `y` are equal or confluent. [`safe`] returns parts without confluent pairs that cover all
//! values at the start.
//!
//! **Beyond the paper**: values with which the threads that do not move have the same stacks need not be kept apart,
//! even if they are confluent. Take a configuration composed from a part: the stack of each thread that did not move
//! is from some value of the part, the stack of the thread that moved from a value `b`, all with the same final
//! globals. So all these values are equal to or confluent with `b`. As they are in one part, every thread that did not
//! move has the same stacks with them as with `b`; so the configuration is reached from `b`. "The same stacks" is
//! decided by equality of all heads, which is sufficient.
//!
//! Each part is maximal: after the clique of Algorithm 2 is found, values that are not confluent with any of it are added,
//! by the same algorithm, until none is left.

use super::network::Network;
use super::space::{Bdd, Bit, Bits, Copy, Result, Space};
use super::view::View;

/// The parts, over `start`, of the globals at the start in `ends` (over `start` and the globals now).
///
/// `others` are the views of the threads that do not move.
pub(crate) fn safe(network: &Network, ends: &Bdd, others: &[&View]) -> Result<Vec<Bdd>> {
    let (space, names) = (&network.space, &network.names);
    // x is `start`, y is the global part of `A`.
    let second = space.rename(ends, &names.start_to_a)?;
    let equal = space.equal(space.global_bits(), Copy::Start, Copy::A)?;
    let meet = space.and_exists(ends, &second, &names.globals)?;
    let confluent = space.minus(&meet, &equal)?;
    let confluent = distinguished(network, confluent, others)?;
    let mut left = space.exists(ends, &names.globals)?;
    if space.is_none(&confluent) {
        return Ok(if space.is_none(&left) {
            Vec::new()
        } else {
            vec![left]
        });
    }
    let smaller = smaller(space)?;
    // Pairs of which the first gives way: confluent, and smaller than the second.
    let gives_way = space.and(&confluent, &smaller)?;
    let mut parts = Vec::new();
    while !space.is_none(&left) {
        let mut part = space.none();
        let mut candidates = left.clone();
        while !space.is_none(&candidates) {
            // Values that are not confluent with a chosen one; then those that give way to another leave.
            let chosen = minterm(space, &candidates)?;
            let not_with = conflicting(network, &confluent, &chosen)?;
            let mut clique = space.minus(&candidates, &not_with)?;
            loop {
                let leaving = space.and(&clique, &conflicting(network, &gives_way, &clique)?)?;
                if space.is_none(&leaving) {
                    break;
                }
                clique = space.minus(&clique, &leaving)?;
            }
            part = space.or(&part, &clique)?;
            let taken = space.or(&part, &conflicting(network, &confluent, &part)?)?;
            candidates = space.minus(&candidates, &taken)?;
        }
        left = space.minus(&left, &part)?;
        parts.push(part);
    }
    Ok(parts)
}

/// The pairs for which the views of some thread that does not move differ.
fn distinguished(network: &Network, pairs: Bdd, others: &[&View]) -> Result<Bdd> {
    let (space, names) = (&network.space, &network.names);
    let mut same = pairs;
    let mut different = space.none();
    for view in others {
        for set in view.heads.values().chain([&view.empty]) {
            if space.is_none(&same) {
                return Ok(different);
            }
            let x = space.rename(set, &names.now_to_start)?;
            let y = space.rename(&x, &names.start_to_a)?;
            let differ = space.exists(&space.xor(&x, &y)?, &names.locals_b)?;
            let found = space.and(&same, &differ)?;
            different = space.or(&different, &found)?;
            same = space.minus(&same, &found)?;
        }
    }
    Ok(different)
}

/// The values `x` for which `pairs` has `(x, y)` with `y` in `set`.
fn conflicting(network: &Network, pairs: &Bdd, set: &Bdd) -> Result<Bdd> {
    let (space, names) = (&network.space, &network.names);
    space.and_exists(pairs, &space.rename(set, &names.start_to_a)?, &names.a)
}

/// The set with one value of `start` from `set`.
fn minterm(space: &Space, set: &Bdd) -> Result<Bdd> {
    match space.pick(set) {
        Some(values) => space.globals_are(Copy::Start, &space.picked_globals(&values, Copy::Start)),
        None => Ok(space.none()),
    }
}

/// A total order of globals: `start` is before the globals of `A`.
fn smaller(space: &Space) -> Result<Bdd> {
    let mut order = space.none();
    for bit in space.global_bits() {
        let (x, y) = (
            space.variable(bit, Copy::Start),
            space.variable(bit, Copy::A),
        );
        let differ = space.xor(x, y)?;
        order = space.choose(&differ, y, &order)?;
    }
    Ok(order)
}

/// The values of the globals now in `set`, each alone.
pub(crate) fn values(space: &Space, set: &Bdd) -> Result<Vec<(Bits, Bdd)>> {
    let mut left = set.clone();
    let mut found = Vec::new();
    let bits: Vec<Bit> = space.global_bits().collect();
    while let Some(picked) = space.pick(&left) {
        let globals = space.picked_globals(&picked, Copy::Now);
        let value = space.values(bits.iter().copied(), Copy::Now, &globals)?;
        left = space.minus(&left, &value)?;
        found.push((globals, value));
    }
    Ok(found)
}

//! Choosing between one exact search, a lossy one, and a swarm of them; and what is said about what they may have missed.

use super::monitor::Watch;
use crate::config::{Check, StoreChoice};
use crate::limits::{Monitor, Stop};
use crate::report::{LossReport, SearchReport};
use crate::search::{End, Flight, Left, Lossy, Order, Outcome, Settings, Space};
use crate::store::{Loss, LossyKind};
use crate::verdict::Verdict;

/// A search with a lossy store.
pub(super) type Search<'s, P> = &'s (
        dyn Fn(&mut P, &Settings, &Lossy, &mut dyn Monitor) -> (Outcome<<P as Space>::Move>, Left)
            + Sync
    );

/// What a search may have missed.
pub(super) struct Missed {
    loss: Loss,
    store: String,
    notes: Vec<String>,
    threads: u32,
}

/// Searches as the command line says: `exact`, or with a lossy store `space`, or as many spaces as `make` has to make.
pub(super) fn explore<P: Space>(
    config: &Check,
    asked: &Settings,
    space: &mut P,
    watch: &mut Watch,
    exact: impl FnOnce(&mut P, &Settings, &mut Watch) -> Outcome<P::Move>,
    search: Search<'_, P>,
    make: &(dyn Fn() -> P + Sync),
) -> (Outcome<P::Move>, Option<Missed>)
where
    P::Move: Send,
{
    match &config.store {
        StoreChoice::Exact(_) => (exact(space, asked, watch), None),
        StoreChoice::Lossy(store) => {
            let lossy = Lossy {
                store: *store,
                order: Order::Listed,
            };
            let (outcome, left) = search(space, asked, &lossy, watch);
            let missed = Missed {
                loss: left.loss,
                store: name(*store),
                notes: vec![about(*store, &left.loss)],
                threads: asked.workers as u32,
            };
            (outcome, Some(missed))
        }
        StoreChoice::Swarm(swarm) => {
            let watch = &*watch;
            let monitors = || -> Box<dyn Monitor> { Box::new(watch.beside()) };
            let flight = swarm.fly(asked, &monitors, &|member, monitor| {
                search(&mut make(), &member.settings, &member.lossy, monitor)
            });
            let missed = Missed {
                loss: flight.left.loss,
                store: name(swarm.member(0, asked).lossy.store),
                notes: told(&flight, swarm.members),
                threads: swarm.threads,
            };
            (flight.outcome, Some(missed))
        }
    }
}

impl Missed {
    /// Says it in a report.
    pub(super) fn report(&self, search: &mut SearchReport) {
        search.store.clone_from(&self.store);
        search.workers = self.threads;
        search.notes.extend(self.notes.iter().cloned());
        search.loss = self.loss.omissions.is_finite().then(|| LossReport {
            omission_probability: self.loss.probability(),
            coverage: self.loss.coverage(),
            hash_factor: self.loss.hash_factor,
        });
    }
}

/// What may be claimed after a lossy search, and why in words.
pub(super) fn accepted(
    config: &Check,
    verdict: Verdict,
    missed: Option<&Missed>,
) -> (Verdict, Option<String>) {
    let verdict = match config.accept_probabilistic {
        true => verdict.accept_probabilistic(),
        false => verdict,
    };
    let told = missed.filter(|_| matches!(verdict, Verdict::ProbablyHolds));
    let reason = told.map(|missed| {
        format!(
            "with probability {} no state was left out; {} states visited, no violation among them; this is no proof",
            likely(missed.loss.probability()),
            missed.loss.states
        )
    });
    (verdict, reason)
}

fn name(store: LossyKind) -> String {
    match store {
        LossyKind::Compact => "hash-compact",
        LossyKind::Bits { .. } => "bitstate",
    }
    .to_owned()
}

/// The loss in words.
fn about(store: LossyKind, loss: &Loss) -> String {
    let probability = loss.probability();
    match (store, loss.hash_factor) {
        (LossyKind::Bits { hashes, .. }, Some(factor)) => format!(
            "{hashes} bits a state, hash factor {factor:.1} (best above 100); expected coverage {:.4} % of the states met; \
             probability that some state was left out: {probability:.3e}",
            100.0 * loss.coverage()
        ),
        _ => {
            format!("64 bits a state; probability that some state was left out: {probability:.3e}")
        }
    }
}

/// A probability close to one: 1 minus a small number says more than its decimals.
fn likely(omission: f64) -> String {
    match omission {
        p if p < 1e-3 => format!("1 - {p:.1e}"),
        p => format!("{:.3}", 1.0 - p),
    }
}

/// What became of a swarm.
fn told<M>(flight: &Flight<M>, members: u32) -> Vec<String> {
    let mut notes = vec![format!(
        "{} of {members} searches; about {} different states visited in all; figures are sums",
        flight.members,
        flight.left.visited.count()
    )];
    if let Some(winner) = &flight.winner {
        let order = match winner.lossy.order {
            Order::Listed => "in the order in which moves are listed",
            Order::Reversed => "in reversed order",
            Order::Rotated(_) => "beginning with another process",
            Order::Shuffled(_) => "in random order",
        };
        notes.push(format!(
            "search {} found the violation, {order}",
            winner.number
        ));
    } else if matches!(flight.outcome.end, End::Stopped(Stop::Lossy)) {
        notes.extend(alone(&flight.left.loss));
    }
    notes
}

/// The best that a member alone can say.
fn alone(loss: &Loss) -> Option<String> {
    loss.hash_factor.map(|factor| {
        format!(
            "the best of them: hash factor {factor:.1} (best above 100); probability that some state was left out: {:.3e}",
            loss.probability()
        )
    })
}

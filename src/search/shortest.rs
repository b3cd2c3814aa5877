//! Shortening a counterexample: the fewest steps to an accepting state and around a cycle through it, breadth first.
//!
//! The outer search goes through the states by their distance. From each accepting one an inner search looks for the
//! shortest way back, no further than would improve on the best found so far; when the distance alone is no improvement,
//! the best is the shortest there is among cycles taken from an accepting state. The result is then turned back along
//! its own cycle as far as the way to it and the cycle agree. Where that takes too many states, the best so far is given.

use super::bfs::ancestors;
use super::connect::connect;
use super::expand::{Decision, Expander, Extent, Tail};
use super::{Event, Found, Settings};
use crate::limits::{Cancellation, Limits, Monitor, Progress, Stop, unhurried};
use crate::space::{Accepting, Rooted, Space};
use crate::store::{Insert, StateId};

/// One inner search may use up one part in this many of the budget.
const SHARES: u64 = 16;

/// A way to a cycle and the cycle, as states; the cycle ends where it starts, which is where the way ends.
struct Lasso {
    way: Vec<Vec<u8>>,
    cycle: Vec<Vec<u8>>,
}

impl Lasso {
    fn steps(&self) -> usize {
        self.way.len() + self.cycle.len()
    }

    /// As long as the way and the cycle come by the same state, the cycle may begin there.
    fn turn_back(&mut self) {
        while let [.., before, _] = &self.way[..]
            && *before == self.cycle[self.cycle.len() - 2]
        {
            self.way.pop();
            self.cycle.pop();
            let first = self.cycle[self.cycle.len() - 1].clone();
            self.cycle.insert(0, first);
        }
    }

    fn found<P: Space>(&self, space: &mut P) -> Found<P::Move> {
        let mut moves = |states: &[Vec<u8>]| -> Vec<P::Move> {
            let pairs = states.windows(2);
            pairs.flat_map(|p| connect(space, &p[0], &p[1])).collect()
        };
        let mut path = moves(&self.way);
        let start = path.len();
        path.extend(moves(&self.cycle));
        Found {
            event: Event::Cycle { start },
            path,
        }
    }
}

/// A short run into a cycle through an accepting state, if there is one of at most `most` steps. Meant for a space that
/// is known to have one: that none is found means nothing. The outer search, and all inner searches together, visit at
/// most `budget` states.
pub fn shortest_cycle<P: Accepting>(
    space: &mut P,
    most: usize,
    budget: u64,
    monitor: &mut dyn Monitor,
) -> Option<Found<P::Move>> {
    let mut best: Option<Lasso> = None;
    let mut left = budget;
    let mut within = Within(monitor.cancellation());
    {
        let settings = bounded(budget);
        let (mut outer, first) = Expander::start(space, &settings, monitor, Tail::Parent);
        let mut level: Vec<StateId> = first.into_iter().collect();
        let mut further = Vec::new();
        let mut depth = 0;
        let bound = |best: &Option<Lasso>| best.as_ref().map_or(most + 2, Lasso::steps);
        while !level.is_empty() && !outer.ledger.stopped() {
            for &id in &level {
                outer.expand(id, &|_| Vec::new(), Extent::As(Decision::All), true);
                let new = outer.answers().iter().filter_map(|answer| match answer {
                    Insert::New(id) => Some(*id),
                    Insert::Seen(_) | Insert::Full => None,
                });
                further.extend(new);
                // The way has a state more than steps, the cycle too.
                let room = bound(&best).saturating_sub(depth + 3);
                if outer.is_accepting() && left > 0 && room > 0 {
                    let (space, root) = outer.here();
                    if let Some(cycle) =
                        around(space, root, room, (budget / SHARES, &mut left), &mut within)
                    {
                        let way = ancestors(&outer.store, id).into_iter().map(|id| {
                            let mut state = Vec::new();
                            outer.store.load(id, &mut state);
                            state
                        });
                        let way = way.collect();
                        best = Some(Lasso { way, cycle });
                    }
                }
                if outer.ledger.due() {
                    let bytes = outer.bytes();
                    outer.ledger.tick(&mut outer.store, bytes, depth as u64);
                }
                if outer.ledger.stopped() {
                    break;
                }
            }
            depth += 1;
            if depth + 3 > bound(&best) || left == 0 {
                break;
            }
            std::mem::swap(&mut level, &mut further);
            further.clear();
        }
    }
    let mut best = best?;
    best.turn_back();
    Some(unhurried(|| best.found(space)))
}

fn bounded(states: u64) -> Settings {
    Settings {
        all_errors: true,
        end_states: false,
        limits: Limits {
            states,
            ..Limits::default()
        },
        ..Settings::default()
    }
}

/// The shortest cycle from `root` back to it, of at most `most` steps: its states, `root` first and last.
fn around<P: Accepting>(
    space: &mut P,
    root: Vec<u8>,
    most: usize,
    (share, left): (u64, &mut u64),
    within: &mut Within,
) -> Option<Vec<Vec<u8>>> {
    let mut rooted = Rooted { space, root };
    let settings = bounded(share.min(*left));
    let (mut inner, first) = Expander::start(&mut rooted, &settings, within, Tail::Parent);
    let first = first?;
    let mut level = vec![first];
    let mut further = Vec::new();
    let mut found = None;
    for _ in 0..most {
        for &id in &level {
            inner.expand(id, &|_| Vec::new(), Extent::As(Decision::All), true);
            if inner.answers().contains(&Insert::Seen(first)) {
                found = Some(id);
                break;
            }
            let new = inner.answers().iter().filter_map(|answer| match answer {
                Insert::New(id) => Some(*id),
                Insert::Seen(_) | Insert::Full => None,
            });
            further.extend(new);
            if inner.ledger.due() {
                let bytes = inner.bytes();
                inner.ledger.tick(&mut inner.store, bytes, 0);
            }
            if inner.ledger.stopped() {
                break;
            }
        }
        if found.is_some() || further.is_empty() || inner.ledger.stopped() {
            break;
        }
        std::mem::swap(&mut level, &mut further);
        further.clear();
    }
    *left = left.saturating_sub(inner.ledger.stats.stored);
    let ids = ancestors(&inner.store, found?).into_iter();
    let states = ids.chain([first]).map(|id| {
        let mut state = Vec::new();
        inner.store.load(id, &mut state);
        state
    });
    Some(states.collect())
}

/// Watches an inner search: it has the time of the outer one.
struct Within(Cancellation);

impl Monitor for Within {
    fn tick(&mut self, _: &Progress) -> Option<Stop> {
        self.0.poll()
    }

    fn cancellation(&self) -> Cancellation {
        self.0.clone()
    }
}

//! Swarm: many bitstate searches that differ, instead of one (Holzmann, Joshi, Groce, *Swarm verification techniques*, IEEE
//! TSE 37, 2011).
//!
//! When there are far more states than memory or time for them, a single search spends all of it in one corner. The members
//! of a swarm visit successors in different orders, hash with different functions, and some of them turn back early; each
//! has its own array, and they run on all cores.
//!
//! The result does not depend on how threads are scheduled: every member is determined by its number and the seed, and of
//! several that find something the one with the lowest number is reported. A member that has found something stops only
//! those behind it. (Limits of time do depend on the machine.)

use super::{End, Estimate, Lossy, MoveOrder, Outcome, Settings};
use crate::faults::Active;
use crate::limits::{Cancellation, Limits, Monitor, Progress, Stop};
use crate::stats::Stats;
use crate::store::{LossyKind, Sketch, mix};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a swarm is made of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Swarm {
    /// Number of members.
    pub members: u32,
    /// How many run at once.
    pub threads: u32,
    /// Decides how members differ.
    pub seed: u64,
    /// Bytes of the array of each member.
    pub bytes: u64,
    /// Bits a state.
    pub hashes: u32,
}

/// One member, ready to run.
#[derive(Clone, Debug)]
pub struct SwarmMember {
    /// Its number.
    pub number: u32,
    /// How it searches.
    pub lossy: Lossy,
    /// What is asked of it.
    pub settings: Settings,
}

/// Makes the search of one member.
type Run<'r, M> = &'r (dyn Fn(&SwarmMember, &mut dyn Monitor) -> (Outcome<M>, Estimate) + Sync);

/// What a swarm leaves behind.
#[derive(Debug)]
pub struct SwarmOutcome<M> {
    /// The violations of one member, and the figures of all that count.
    pub outcome: Outcome<M>,
    /// What the best member may have left out, and the states that any of them visited.
    pub estimate: Estimate,
    /// How many count: those up to the one that found something.
    pub members: u32,
    /// The one that found something.
    pub winner: Option<SwarmMember>,
}

impl Swarm {
    /// The member of that number.
    pub fn member(&self, number: u32, settings: &Settings) -> SwarmMember {
        let seed = mix(self.seed ^ mix(u64::from(number) + 1));
        let order = match number {
            0 => MoveOrder::Listed,
            1 => MoveOrder::Reversed,
            n if n % 4 == 2 => MoveOrder::Rotated(seed >> 1),
            _ => MoveOrder::Shuffled(seed),
        };
        // Every fourth turns back early: where paths are long, what goes wrong soon is found soon.
        let depth = match number % 8 {
            3 => 1_000,
            7 => 20_000,
            _ => u64::MAX,
        };
        let limits = Limits {
            depth: settings.limits.depth.min(depth),
            memory: settings.limits.memory / u64::from(self.threads.max(1)),
            ..settings.limits
        };
        SwarmMember {
            number,
            lossy: Lossy {
                store: LossyKind::Bits {
                    bytes: self.bytes,
                    hashes: self.hashes,
                    seed,
                },
                order,
            },
            settings: Settings {
                limits,
                workers: 1,
                ..settings.clone()
            },
        }
    }

    /// Lets all members search. `run` makes one search, `monitors` makes what watches one.
    pub fn fly<M: Send>(
        &self,
        settings: &Settings,
        monitors: &(dyn Fn() -> Box<dyn Monitor> + Sync),
        run: Run<'_, M>,
    ) -> SwarmOutcome<M> {
        let (next, first) = (AtomicU32::new(0), AtomicU32::new(u32::MAX));
        let results = Mutex::new(Vec::new());
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let mut watched = Watched {
                    number,
                    first: &first,
                    monitor: monitors(),
                };
                let enough = number >= self.members.max(1);
                // The first one always runs, so that there is something to report.
                if enough || number > 0 && watched.tick(&Progress::default()).is_some() {
                    return;
                }
                let (outcome, estimate) = run(&self.member(number, settings), &mut watched);
                if !outcome.found.is_empty() {
                    first.fetch_min(number, Ordering::Relaxed);
                }
                if let Ok(mut results) = results.lock() {
                    results.push((number, outcome, estimate));
                }
            }
        };
        let faults = Active::here();
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(self.members) {
                // Where no thread can be had, the others do its part.
                let thread = std::thread::Builder::new();
                let _ = thread.spawn_scoped(scope, || faults.during(work));
            }
            work();
        });
        let mut results = results.into_inner().unwrap_or_default();
        results.sort_by_key(|(number, ..)| *number);
        self.gather(settings, results)
    }

    fn gather<M>(
        &self,
        settings: &Settings,
        results: Vec<(u32, Outcome<M>, Estimate)>,
    ) -> SwarmOutcome<M> {
        let winner = results
            .iter()
            .find(|(_, outcome, _)| !outcome.found.is_empty());
        let winner = winner.map(|(number, ..)| *number);
        let mut swarm_outcome = SwarmOutcome {
            outcome: Outcome {
                found: Vec::new(),
                end: End::Stopped(Stop::Lossy),
                stats: Stats::default(),
            },
            estimate: Estimate::default(),
            members: 0,
            winner: winner.map(|number| self.member(number, settings)),
        };
        let mut best = None;
        let mut stopped = None;
        for (number, outcome, estimate) in results {
            if winner.is_some_and(|winner| number > winner) {
                continue;
            }
            swarm_outcome.members += 1;
            swarm_outcome.outcome.stats.add(&outcome.stats);
            swarm_outcome.estimate.visited.join(&estimate.visited);
            if winner == Some(number) {
                swarm_outcome.outcome.found = outcome.found;
            }
            match outcome.end {
                End::Stopped(Stop::Lossy) => {
                    let better = best.is_none_or(|b: f64| estimate.loss.omissions < b);
                    if better {
                        best = Some(estimate.loss.omissions);
                        swarm_outcome.estimate.loss = estimate.loss;
                    }
                }
                End::Stopped(stop) => stopped = stopped.or(Some(stop)),
                End::AtViolation | End::Complete(_) => {}
            }
        }
        // One member that came to its end is as good as that search alone; else it is said what kept them from it.
        swarm_outcome.outcome.end = match (winner, best, stopped) {
            (Some(_), ..) => End::AtViolation,
            (None, None, Some(stop)) => End::Stopped(stop),
            _ => End::Stopped(Stop::Lossy),
        };
        let each = swarm_outcome.outcome.stats.store_bytes;
        swarm_outcome.outcome.stats.store_bytes = each * u64::from(self.threads.min(self.members));
        swarm_outcome
    }
}

/// Stops a member when one before it has found something.
struct Watched<'a> {
    number: u32,
    first: &'a AtomicU32,
    monitor: Box<dyn Monitor>,
}

impl Monitor for Watched<'_> {
    fn tick(&mut self, progress: &Progress) -> Option<Stop> {
        if self.first.load(Ordering::Relaxed) < self.number {
            return Some(Stop::Interrupted);
        }
        self.monitor.tick(progress)
    }

    fn cancellation(&self) -> Cancellation {
        self.monitor.cancellation()
    }
}

impl Default for Estimate {
    fn default() -> Estimate {
        Estimate {
            loss: crate::store::Loss {
                states: 0,
                omissions: f64::INFINITY,
                hash_factor: None,
            },
            visited: Sketch::default(),
        }
    }
}

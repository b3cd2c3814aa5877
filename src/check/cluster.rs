//! A goal of which the search is made by several hosts.
//!
//! Every host decides the same plan and makes its part. Host 0 gets what was found, and goes on as after any other search:
//! everything is confirmed on the plain machine, and the verdict is concluded from how the search ended.

use super::checked::Unjudged;
use super::search::{HostFigures, Job, Monitors, Searched, copies};
use super::{Checked, Failed, Model, Plan, Role, Target};
use crate::cluster::{Lost, Session, decoded, initial};
use crate::limits::Stop;
use crate::machine::FaultKind;
use crate::search::{End, Event, Exhaustive, Found};
use crate::space::System;
use crate::stats::Stats;
use std::sync::Arc;

/// What a host knows when its part of a goal is done.
#[derive(Debug)]
pub enum Part {
    /// Host 0: what came of it.
    Decided(Box<Checked>),
    /// Another host: host 0 knows.
    Done,
}

impl Plan {
    /// Makes this host's part of the search; host 0 confirms what was found, and says what that means.
    pub fn check_on(
        self,
        session: &mut Session,
        model: &Model,
        monitors: Monitors<'_>,
    ) -> Result<Part, Failed> {
        let (job, passes) = self.job(model, monitors);
        let searched = match &self.target {
            Target::Safety => job.safety_on(session),
            Target::Untranslated(stop) => {
                Some(Searched::stopped(*stop, Some("translating the formula")))
            }
            Target::Acceptance | Target::Property(..) | Target::Unsupported(_) => {
                Some(Searched::stopped(Stop::Unsupported, None))
            }
        };
        let Some(searched) = searched.filter(|_| session.leads()) else {
            return Ok(Part::Done);
        };
        match self.judge(model, Searched { passes, ..searched }) {
            Ok(checked) => Ok(Part::Decided(Box::new(checked))),
            Err(Unjudged::Failed(failed)) => Err(failed),
            Err(Unjudged::Again(plan)) => Err(Failed::Contradiction(format!(
                "{}: a violation of safety depends on what was sliced away",
                plan.goal.name(model)
            ))),
        }
    }
}

impl Job<'_> {
    /// The search of this host; `None` where host 0 knows what came of it.
    fn safety_on(&self, session: &mut Session) -> Option<Searched> {
        let program = Arc::clone(&self.program);
        let mut system = System::new(program).with_cancellation(&self.cancellation);
        if self.plan.reduction {
            system = system.reduce(&self.cancellation);
        }
        // A host that has no time left says so in the first round: the others wait for it.
        let (state, along) = match initial(&mut system) {
            Ok(initial) => initial,
            Err(fault) => return Some(self.at_once(fault)),
        };
        let make = copies(&system);
        let settings = self.plan.settings();
        let mut monitor = self.monitor(Role::Search);
        let start = (state.as_slice(), along);
        let result = session.search(&make, start, &settings, &self.cancellation, &mut monitor);
        let seconds = self.start.elapsed().as_secs_f64();
        let gathered = match result {
            Ok(gathered) => gathered?,
            Err(lost) => {
                return Some(Searched {
                    seconds,
                    ..of_lost(lost)
                });
            }
        };
        let ended = gathered.ended;
        let threads = session.threads();
        let mut stats = Stats::default();
        for work in &gathered.work {
            let matched = stats.matched.wrapping_add(work.stats.matched);
            let bytes = stats.store_bytes + work.stats.store_bytes;
            let besides = stats.stack_bytes + work.stats.stack_bytes;
            let part = Stats {
                matched: 0,
                ..work.stats
            };
            stats.add(&part);
            (stats.matched, stats.store_bytes, stats.stack_bytes) = (matched, bytes, besides);
            stats.workers += 1;
        }
        stats.depth = ended.levels;
        let hosts = session.names().iter().zip(gathered.work.chunks(threads));
        let hosts = hosts.map(|(name, work)| HostFigures {
            name: name.clone(),
            workers: threads,
            states: work.iter().map(|w| w.stats.stored).sum(),
            transitions: {
                let arrivals = work
                    .iter()
                    .map(|w| w.stats.stored.wrapping_add(w.stats.matched));
                arrivals.fold(0, u64::wrapping_add)
            },
            store_bytes: work.iter().map(|w| w.stats.store_bytes).sum(),
            other_bytes: work.iter().map(|w| w.stats.stack_bytes).sum(),
            sent_bytes: work.iter().map(|w| w.sent_bytes).sum(),
            in_flight_bytes: work.iter().map(|w| w.most_under_way).max().unwrap_or(0),
        });
        let hosts: Vec<HostFigures> = hosts.collect();
        let (end, ended_by) = match ended.stop {
            _ if ended.violated => (End::AtViolation, None),
            Some((code, figure, worker)) => {
                let stop = match decoded(code, figure) {
                    // The workers of a host share its memory.
                    Stop::Memory(share) => Stop::Memory(share * threads as u64),
                    other => other,
                };
                let host = session.names().get(worker as usize / threads);
                (End::Stopped(stop), host.and_then(|host| whose(&stop, host)))
            }
            None if ended.too_deep => (End::Stopped(Stop::Depth(settings.limits.depth)), None),
            None => match gathered.cut {
                Some(cut) => (End::Stopped(cut), None),
                None => (End::Complete(Exhaustive::nothing_to_expand()), None),
            },
        };
        Some(Searched {
            found: gathered
                .found
                .into_iter()
                .map(|found| self.as_written(found))
                .collect(),
            end,
            stats,
            seconds,
            contradiction: gathered.contradiction,
            hosts,
            ended_by,
            ..Searched::stopped(Stop::Interrupted, None)
        })
    }

    /// The initial state has a fault, as every host finds out by itself.
    fn at_once(&self, fault: crate::machine::Fault) -> Searched {
        let at = fault.span;
        match fault.kind {
            FaultKind::Stopped(stop) => return Searched::stopped(stop, None),
            FaultKind::CallTooDeep { depth } => {
                return Searched::stopped(Stop::Calls { depth, at }, None);
            }
            _ => {}
        }
        let found = Found {
            event: Event::Fault(fault),
            path: Vec::new(),
        };
        Searched {
            found: vec![self.as_written(found)],
            end: End::AtViolation,
            ..Searched::stopped(Stop::Interrupted, None)
        }
    }
}

/// A host was lost: what was known.
fn of_lost(lost: Lost) -> Searched {
    let states = lost.progress.iter().map(|host| host.states).sum();
    let transitions: u64 = lost.progress.iter().map(|host| host.transitions).sum();
    let depth = lost
        .progress
        .iter()
        .map(|host| host.level)
        .max()
        .unwrap_or(0);
    Searched {
        stats: Stats {
            stored: states,
            matched: transitions.saturating_sub(states),
            depth,
            ..Stats::default()
        },
        ended_by: Some(format!("{}, at level {depth}", lost.why)),
        ..Searched::stopped(Stop::Host, None)
    }
}

/// The reason of a host, in words, where it matters whose reason it is.
fn whose(stop: &Stop, host: &str) -> Option<String> {
    match stop {
        Stop::Memory(_) | Stop::OutOfMemory | Stop::Interrupted | Stop::Representation => {
            Some(format!("{host}: {stop}"))
        }
        _ => None,
    }
}

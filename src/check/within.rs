//! Executing a plan with a bound on contexts.

use super::options::Engine;
use super::plan::{Order, Within};
use super::search::{Explored, Job, Searched, copies};
use super::{Role, Splitting};
use crate::contexts::{self, Ended, explore};
use crate::limits::{ContextProgress, Monitor, Stop};
use crate::search::{End, Exhaustive, Outcome, Strategy, search, search_together};
use crate::space::Contexts;
use crate::stats::Stats;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{panic, thread};

/// What the exploration says.
enum Told {
    /// Figures after a context, and the bits of the shared state and of frames.
    Finished(contexts::Statistics, (usize, usize)),
    /// The end.
    Done(contexts::Explored),
}

/// Bytes of the stack of the exploration: operations on BDDs are recursive in the number of variables.
const STACK: usize = 256 << 20;
/// How often limits are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long the exploration may take to end by itself after a limit.
const GRACE: Duration = Duration::from_millis(500);

impl Job<'_> {
    /// Looks for failed assertions and errors of the model within a bound on contexts.
    pub(super) fn within(&self, within: Within) -> Searched {
        match within.engine {
            Engine::Symbolic => self.symbolically(within),
            Engine::Explicit => self.state_by_state(within),
        }
    }

    fn state_by_state(&self, within: Within) -> Searched {
        let program = Arc::clone(&self.program);
        let mut space = Contexts::new(program, within.bound).with_cancellation(&self.cancellation);
        let settings = self.plan.settings();
        let monitor = &mut self.monitor(Role::Search);
        let make = copies(&space);
        let strategy = match self.plan.order {
            Order::States(strategy) => strategy,
            Order::Nested | Order::Components | Order::Executions => Strategy::Dfs,
        };
        let Outcome { found, end, stats } = match settings.workers {
            1 => search(strategy, &mut space, &settings, monitor),
            _ => search_together(&mut space, &make, &settings, monitor),
        };
        let end = match end {
            End::Complete(_) if space.cut() => End::Stopped(Stop::Contexts(within.bound)),
            other => other,
        };
        let found = found.into_iter().map(|found| self.as_written(found));
        Searched {
            found: found.collect(),
            end,
            stats,
            seconds: self.start.elapsed().as_secs_f64(),
            ..self.nothing()
        }
    }

    fn symbolically(&self, within: Within) -> Searched {
        let settings = contexts::Settings {
            bound: within.bound,
            bits: within.bits,
            splitting: within.splitting,
            memory: self.plan.limits.memory,
        };
        let done = self.watched(settings);
        let (figures, converged) = (done.statistics, matches!(done.ended, Ended::Holds));
        let mut searched = Searched {
            seconds: self.start.elapsed().as_secs_f64(),
            explored: Some(Explored {
                contexts: figures.contexts,
                tuples: figures.expanded,
                posts: figures.posts,
                nodes: figures.nodes,
                globals: done.bits.0,
                locals: done.bits.1,
            }),
            ..self.nothing()
        };
        searched.end = match done.ended {
            Ended::Violated(found) => {
                searched.found.push(found);
                End::AtViolation
            }
            Ended::Holds => End::Complete(Exhaustive::converged()),
            Ended::Bounded if done.converged => End::Stopped(match done.lost {
                true => Stop::Bits(within.bits),
                false => Stop::Contexts(within.bound),
            }),
            Ended::Bounded => End::Stopped(Stop::Contexts(within.bound)),
            Ended::Stopped(stop) => End::Stopped(stop),
            Ended::Deeper(depth) => {
                searched.deeper = Some(depth);
                End::Stopped(Stop::Unsupported)
            }
            Ended::Unsupported(what) => {
                searched.unsupported = Some(what);
                End::Stopped(Stop::Unsupported)
            }
            Ended::Unconfirmed(why) => {
                searched.contradiction = Some(why);
                End::Stopped(Stop::Unsupported)
            }
        };
        if done.lost && !converged {
            let note = format!(
                "runs in which a value needs more than {} bits were left out",
                within.bits
            );
            searched.notes.push(note);
        }
        if done.open {
            searched.notes.push(
                "how many processes are started is not known: those beyond the bound on contexts were left out"
                    .to_owned(),
            );
        }
        if within.splitting == Splitting::Eager {
            searched
                .notes
                .push("view tuples are split by every value of the globals".to_owned());
        }
        searched
    }

    /// Explores in a thread of its own. An operation on BDDs can take long and cannot be told to stop: when a limit is
    /// reached in one, the thread is left behind, to end after that operation, and what it had finished is the result.
    fn watched(&self, settings: contexts::Settings) -> contexts::Explored {
        let (recursive, program) = (Arc::clone(&self.model.recursive), Arc::clone(&self.program));
        let sources = Arc::clone(&self.model.sources);
        let cancellation = self.cancellation.clone();
        let (sender, receiver) = mpsc::channel();
        let work = move || {
            let told = &mut |figures: &contexts::Statistics, bits| {
                // Nobody may listen any more.
                let _ = sender.send(Told::Finished(*figures, bits));
            };
            let done = explore(
                &recursive,
                &program,
                &sources,
                settings,
                &cancellation,
                told,
            );
            let _ = sender.send(Told::Done(done));
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(work);
        let (mut figures, mut bits) = (contexts::Statistics::default(), (0, 0));
        let stopped = |stop, figures, bits| {
            contexts::Explored::unfinished(Ended::Stopped(stop), figures, bits)
        };
        let Ok(thread) = thread else {
            return stopped(Stop::OutOfMemory, figures, bits);
        };
        let mut monitor = self.monitor(Role::Search);
        let mut over: Option<Instant> = None;
        loop {
            match receiver.recv_timeout(INTERVAL) {
                Ok(Told::Done(done)) => return done,
                Ok(Told::Finished(latest, of)) => {
                    (figures, bits) = (latest, of);
                    if figures.contexts > 0 {
                        monitor.context(&ContextProgress {
                            contexts: figures.contexts,
                            tuples: figures.expanded,
                            nodes: figures.nodes,
                        });
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let Some(stop) = self.cancellation.poll() else {
                        continue;
                    };
                    if over.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                        return stopped(stop, figures, bits);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panicked) => panic::resume_unwind(panicked),
                    Ok(()) => return stopped(Stop::Interrupted, figures, bits),
                },
            }
        }
    }

    fn nothing(&self) -> Searched {
        Searched {
            stats: Stats::default(),
            ..Searched::stopped(Stop::Unsupported, None)
        }
    }
}

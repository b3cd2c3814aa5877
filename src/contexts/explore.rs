//! Exploring a program, one context more at a time.

use super::execute::Untranslated;
use super::moves::{NoRun, execute};
use super::translate::{self, Translation};
use crate::limits::{Cancellation, Stop};
use crate::machine::{Machine, Move};
use crate::report::place;
use crate::search::{Event, Found};
use ample_pushdown::symbolic::contexts::{Options, Outcome, check};
pub use ample_pushdown::symbolic::contexts::{Splitting, Statistics};
use ample_pushdown::symbolic::network::Target;
use ample_pushdown::symbolic::space::Error;
use promela_lite::program::Program;
use promela_lite::source::SourceMap;
use std::sync::Arc;

/// How to explore.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The largest number of contexts.
    pub bound: usize,
    /// The bits of `int` and `short`.
    pub bits: usize,
    /// How view tuples are split.
    pub splitting: Splitting,
    /// Bytes.
    pub memory: u64,
}

/// How it ended.
#[derive(Debug)]
pub enum Ended {
    /// Something goes wrong; the moves are those of the program that was explored.
    Violated(Found<Move>),
    /// Nothing goes wrong with any number of contexts.
    Holds,
    /// Nothing goes wrong with as many contexts as the figures say.
    Bounded,
    /// A limit was reached.
    Stopped(Stop),
    /// The program has something that is not supported.
    Unsupported(String),
    /// Something goes wrong in a run whose calls are nested that deep, deeper than they are expanded.
    Deeper(u32),
    /// A run could not be executed: an error in this library.
    Unconfirmed(String),
}

/// What came of it.
#[derive(Debug)]
pub struct Explored {
    /// How it ended.
    pub ended: Ended,
    /// Figures.
    pub statistics: Statistics,
    /// Bits of the shared state and of frames.
    pub bits: (usize, usize),
    /// Whether runs were left out in which a value needs more bits.
    pub lost: bool,
    /// Whether processes were left out that were started and not scheduled.
    pub open: bool,
    /// Whether one more context reaches nothing new.
    pub converged: bool,
}

impl Explored {
    /// What is known when an exploration does not come to its end.
    pub(crate) fn unfinished(
        ended: Ended,
        statistics: Statistics,
        bits: (usize, usize),
    ) -> Explored {
        Explored {
            ended,
            statistics,
            bits,
            lost: statistics.watched,
            open: false,
            converged: false,
        }
    }
}

/// Bytes for each BDD node, with what belongs to it.
const NODE: u64 = 48;
/// More nodes are not asked for.
const MOST_NODES: u64 = 1 << 26;
/// The most view tuples.
const MOST_TUPLES: usize = 1_000_000;

/// Explores a program; `expanded` is the same program, or where it has procedures its expansion, in which violations are
/// executed. `told` hears the numbers of bits when they are known, and every number of contexts that is finished.
pub fn explore(
    program: &Program,
    expanded: &Arc<Program>,
    sources: &SourceMap,
    settings: Settings,
    cancellation: &Cancellation,
    told: &mut dyn FnMut(&Statistics, (usize, usize)),
) -> Explored {
    let ended = |ended| Explored::unfinished(ended, Statistics::default(), (0, 0));
    if let Err(fault) = Machine::new(Arc::clone(expanded)).initial(&mut Vec::new()) {
        let (event, path) = (Event::Fault(fault), Vec::new());
        return ended(Ended::Violated(Found { event, path }));
    }
    let stopped = |error: Error| match (cancellation.poll(), error) {
        (Some(stop), _) => Ended::Stopped(stop),
        (None, Error::Nodes(_) | Error::Tuples(_)) => Ended::Stopped(Stop::Memory(settings.memory)),
        (None, other) => Ended::Unconfirmed(other.to_string()),
    };
    let nodes = (settings.memory / NODE).clamp(1 << 12, MOST_NODES) as usize;
    let how = translate::Settings {
        bound: settings.bound,
        bits: settings.bits,
        nodes,
    };
    let translation = match Translation::new(program, how, cancellation) {
        Ok(translation) => translation,
        Err(Untranslated::Limit(error)) => return ended(stopped(error)),
        Err(Untranslated::Refused(refused)) => {
            let at = place(sources, refused.span);
            let text = match at.line {
                0 => refused.what,
                line => format!("{} ({}:{line}:{})", refused.what, at.file, at.column),
            };
            return ended(Ended::Unsupported(text));
        }
    };
    told(&Statistics::default(), translation.bits);
    let stop = || cancellation.poll().is_some();
    let options = Options {
        splitting: settings.splitting,
        tuples: MOST_TUPLES,
        watched: Some(translation.lost),
        stop: &stop,
        ..Options::new(settings.bound)
    };
    let everywhere = translation.network.space.all();
    let targets = [Target::SomeThread(translation.error, everywhere)];
    let (outcome, statistics) = check(&translation.network, &targets, options, |s| {
        told(s, translation.bits);
    });
    let converged = matches!(outcome, Outcome::Holds { .. });
    let sure = !translation.open && !statistics.watched;
    let ended = match outcome {
        Outcome::Violated { run, .. } => {
            let (moves, depth) = translation.moves(program, &run);
            match execute(program, expanded, &moves) {
                Ok(found) => Ended::Violated(found),
                Err(NoRun::TooDeep) => Ended::Deeper(depth),
                Err(NoRun::Impossible(why)) => Ended::Unconfirmed(why),
            }
        }
        Outcome::Holds { .. } if sure => Ended::Holds,
        Outcome::Holds { .. } | Outcome::Bounded { .. } => Ended::Bounded,
        Outcome::Stopped { reason, .. } => stopped(reason),
    };
    Explored {
        ended,
        statistics,
        bits: translation.bits,
        lost: statistics.watched,
        open: translation.open,
        converged,
    }
}

//! Who decides what happens next, and the loop that lets it happen.

use super::{Choices, Happened, Simulator};
use crate::limits;
use crate::machine::{Fault, FaultKind, Move, Pid};
use crate::trace::{Ending, Lost};
use ltl::random::Rng;

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Make this move.
    Move(Move),
    /// Run into this fault of a guard.
    Fault(Fault),
    /// This should be made, but is not possible.
    Lost(Move),
    /// Stop here.
    Done,
}

/// Decides what happens next.
pub trait Guide {
    /// One of the choices.
    fn pick(&mut self, choices: &Choices) -> Pick;

    /// Whether the run goes on behind a violation.
    fn goes_on(&self) -> bool;
}

/// Chance: first a process, then one of its moves, all equally likely. A process with many moves is as likely as
/// one with few, as in SPIN.
#[derive(Clone, Debug)]
pub struct Random(Rng);

impl Random {
    /// The run that belongs to a seed.
    pub fn seeded(seed: u64) -> Random {
        Random(Rng::seeded(seed))
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        self.0.pick(all).copied()
    }
}

impl Guide for Random {
    fn pick(&mut self, choices: &Choices) -> Pick {
        if let Some((_, fault)) = &choices.fault {
            return Pick::Fault(fault.clone());
        }
        let mut pids: Vec<Pid> = choices.moves.iter().map(|m| m.pid).collect();
        pids.dedup();
        let Some(pid) = self.one_of(&pids) else {
            return Pick::Done;
        };
        let its = choices.moves.iter().copied().filter(|m| m.pid == pid);
        let its: Vec<Move> = its.collect();
        self.one_of(&its).map_or(Pick::Done, Pick::Move)
    }

    fn goes_on(&self) -> bool {
        false
    }
}

/// A trail.
#[derive(Clone, Debug)]
pub struct Script(std::vec::IntoIter<Move>);

impl Script {
    /// Follows `choices`, then stops.
    pub fn new(choices: Vec<Move>) -> Script {
        Script(choices.into_iter())
    }
}

impl Guide for Script {
    fn pick(&mut self, choices: &Choices) -> Pick {
        match (self.0.next(), &choices.fault) {
            (None, _) => Pick::Done,
            (Some(mv), _) if choices.moves.contains(&mv) => Pick::Move(mv),
            (Some(mv), Some((at, fault))) if *at == mv => Pick::Fault(fault.clone()),
            (Some(mv), _) => Pick::Lost(mv),
        }
    }

    fn goes_on(&self) -> bool {
        !self.0.as_slice().is_empty()
    }
}

/// Why a run stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It came to this.
    At(Ending),
    /// It made all the moves it may make.
    Limit,
    /// The trail does not fit the model.
    Lost(Lost),
    /// It was given up for the sake of a limit.
    GivenUp(limits::Stop),
}

/// Lets `guide` decide until it stops, a fault occurs, or `limit` moves were made. `see` is told each move before
/// the next decision.
pub fn run<E>(
    simulator: &mut Simulator,
    guide: &mut dyn Guide,
    limit: usize,
    see: &mut dyn FnMut(&mut Simulator, &Happened) -> Result<(), E>,
) -> Result<Stop, E> {
    loop {
        if let Some(stop) = simulator.is_given_up() {
            return Ok(Stop::GivenUp(stop));
        }
        let choices = simulator.choices();
        if simulator.now().moves >= limit && !choices.moves.is_empty() {
            return Ok(Stop::Limit);
        }
        let mv = match guide.pick(&choices) {
            Pick::Move(mv) => mv,
            Pick::Fault(fault) => return Ok(Stop::At(Ending::of(fault))),
            Pick::Lost(mv) => {
                let index = simulator.now().moves;
                return Ok(Stop::Lost(Lost { index, mv }));
            }
            Pick::Done => return Ok(Stop::At(simulator.ending())),
        };
        let happened = simulator.make(mv, choices.timeout);
        see(simulator, &happened)?;
        match happened.fault {
            Some(Fault {
                kind: FaultKind::Stopped(stop),
                ..
            }) => return Ok(Stop::GivenUp(stop)),
            Some(fault) if !happened.moved || !guide.goes_on() => {
                return Ok(Stop::At(Ending::of(fault)));
            }
            _ => {}
        }
    }
}

//! The verdict of a search: holds, violated, or inconclusive.
//!
//! [`Verdict::Holds`] carries the evidence that nothing was left out ([`Exhaustive`]), which only a completed
//! search hands out, and [`conclude`] is the only place that puts the two together. A search that was cut short
//! therefore cannot end in "holds", whatever else goes wrong.

use crate::limits::Stop;
use crate::machine::FaultKind;
use crate::search::{End, Event, Exhaustive};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The result of one run.
#[derive(Debug)]
pub enum Verdict {
    /// Every reachable state was visited, and no violation was found.
    Holds(Exhaustive),
    /// There is a violation.
    Violated,
    /// No violation was found, and only the lossy store may have omitted states; the user accepts that.
    ProbablyHolds,
    /// No violation was found, but not everything was visited.
    Inconclusive(Stop),
}

/// The verdict of a search that found that many violations and ended in `end`.
pub fn conclude(violations: usize, end: End) -> Verdict {
    match end {
        _ if violations > 0 => Verdict::Violated,
        End::Complete(evidence) => Verdict::Holds(evidence),
        End::Stopped(stop) => Verdict::Inconclusive(stop),
        End::AtViolation => Verdict::Violated,
    }
}

impl Verdict {
    /// Accepts a search that visited everything but what its lossy store may have omitted.
    pub fn accept_probabilistic(self) -> Verdict {
        match self {
            Verdict::Inconclusive(Stop::Lossy) => Verdict::ProbablyHolds,
            other => other,
        }
    }
}

/// A verdict without its evidence, for reports: ordered from good to bad.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// [`Verdict::Holds`]
    Holds,
    /// [`Verdict::ProbablyHolds`]
    ProbablyHolds,
    /// [`Verdict::Inconclusive`]
    Inconclusive,
    /// [`Verdict::Violated`]
    Violated,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Word::Holds => "holds",
            Word::ProbablyHolds => "probably holds",
            Word::Inconclusive => "inconclusive",
            Word::Violated => "violated",
        })
    }
}

impl Verdict {
    /// The word for it.
    pub fn word(&self) -> Word {
        match self {
            Verdict::Holds(_) => Word::Holds,
            Verdict::Violated => Word::Violated,
            Verdict::ProbablyHolds => Word::ProbablyHolds,
            Verdict::Inconclusive(_) => Word::Inconclusive,
        }
    }
}

/// Kinds of violation, as reports name them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationKind {
    /// A failed `assert`.
    Assertion,
    /// Nothing can happen, and some process is not at its end or at an `end` label.
    EndState,
    /// A cycle through an accepting state.
    AcceptanceCycle,
    /// A cycle without a progress state.
    NonProgressCycle,
    /// The model does something undefined, such as a division by zero.
    ModelError,
    /// A `never` claim or a `trace` automaton is violated.
    Claim,
}

impl ViolationKind {
    /// Its name in reports.
    pub fn code(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::EndState => "end-state",
            ViolationKind::AcceptanceCycle => "acceptance-cycle",
            ViolationKind::NonProgressCycle => "non-progress-cycle",
            ViolationKind::ModelError => "model-error",
            ViolationKind::Claim => "claim",
        }
    }

    /// The kind of something found.
    pub fn of(event: &Event) -> ViolationKind {
        match event {
            Event::InvalidEnd => ViolationKind::EndState,
            Event::Cycle { .. } => ViolationKind::AcceptanceCycle,
            Event::Fault(fault) => match fault.kind {
                FaultKind::Assertion => ViolationKind::Assertion,
                FaultKind::Trace => ViolationKind::Claim,
                _ => ViolationKind::ModelError,
            },
        }
    }
}

/// Whether something found is no violation, but more than the checker can represent.
pub fn is_limit(event: &Event) -> bool {
    let Event::Fault(fault) = event else {
        return false;
    };
    matches!(
        fault.kind,
        FaultKind::TooManyProcesses | FaultKind::TooManyChannels | FaultKind::VectorTooLarge
    )
}

/// What went wrong, in words, without the place.
pub fn describe(event: &Event) -> String {
    let fault = match event {
        Event::InvalidEnd => return "invalid end state".to_owned(),
        Event::Cycle { .. } => return "acceptance cycle".to_owned(),
        Event::Fault(fault) => fault,
    };
    match &fault.kind {
        FaultKind::Assertion => "assertion violated".to_owned(),
        FaultKind::IndexOutOfRange { index, len } => {
            format!("index {index} is out of range for an array of {len}")
        }
        FaultKind::DivisionByZero => "division by zero".to_owned(),
        FaultKind::ShiftOutOfRange { distance } => format!("shift by {distance} bits"),
        FaultKind::UninitialisedChannel => "the channel is not initialised".to_owned(),
        FaultKind::BadChannel { id } => format!("{id} is no channel"),
        FaultKind::MessageShape { expected, found } => {
            format!("the channel's messages have {expected} fields, not {found}")
        }
        FaultKind::PolledRendezvous => "a rendezvous channel cannot be polled".to_owned(),
        FaultKind::RendezvousInDStep => "a rendezvous inside a d_step".to_owned(),
        FaultKind::BadPriority { priority } => format!("{priority} is no priority (1 to 255)"),
        FaultKind::TooManyProcesses => "more than 65535 processes".to_owned(),
        FaultKind::TooManyChannels => "more than 65535 channels".to_owned(),
        FaultKind::VectorTooLarge => "a state vector of more than 1 GiB".to_owned(),
        FaultKind::BlockedInDStep => "a d_step blocks after its first statement".to_owned(),
        FaultKind::EndlessDStep { violated } => {
            let before = match violated {
                true => "; before that an assertion was violated in it",
                false => "",
            };
            format!("a d_step never ends: it comes back to this place in the same state{before}")
        }
        FaultKind::CallTooDeep { depth } => {
            format!("a call nested deeper than {depth}, where the expansion of calls ends")
        }
        FaultKind::Stopped(stop) => stop.to_string(),
        FaultKind::BadPid { pid } => format!("there is no such process with pid {pid}"),
        FaultKind::Nondeterminism => {
            "more than one statement of a D_proctype is executable".to_owned()
        }
        FaultKind::Trace => "the trace automaton is violated".to_owned(),
        FaultKind::NotExclusive { recv: true } => {
            "another process has declared `xr`: only it receives from this channel".to_owned()
        }
        FaultKind::NotExclusive { recv: false } => {
            "another process has declared `xs`: only it sends to this channel".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_search_that_stopped_never_holds() {
        for stop in [
            Stop::Memory(1),
            Stop::OutOfMemory,
            Stop::DiskFull,
            Stop::Time(Duration::ZERO),
            Stop::Depth(1),
            Stop::States(1),
            Stop::Contexts(1),
            Stop::Bits(8),
            Stop::Lossy,
            Stop::Interrupted,
            Stop::Host,
            Stop::Representation,
        ] {
            assert_eq!(conclude(0, End::Stopped(stop)).word(), Word::Inconclusive);
            let accepted = conclude(0, End::Stopped(stop)).accept_probabilistic();
            assert_eq!(accepted.word() == Word::ProbablyHolds, stop == Stop::Lossy);
            assert_eq!(conclude(1, End::Stopped(stop)).word(), Word::Violated);
        }
        assert_eq!(conclude(0, End::AtViolation).word(), Word::Violated);
    }

    #[test]
    fn the_worst_word_is_the_greatest() {
        let good_to_bad = [
            Word::Holds,
            Word::ProbablyHolds,
            Word::Inconclusive,
            Word::Violated,
        ];
        assert!(good_to_bad.is_sorted());
    }
}

//! Reasons to stop, on the wire.
//!
//! A worker that stops says why by a code and a figure. What cannot be said so (a place in the model) never travels: the first
//! worker finds it out again ([`super::path`]).

use crate::limits::Stop;
use crate::store::Shortage;
use std::time::Duration;

/// Code, figure and worker.
pub(super) fn coded(stop: &Stop, worker: usize) -> (u8, u64, u32) {
    let (code, figure) = match stop {
        Stop::Memory(bytes) => (0, *bytes),
        Stop::OutOfMemory => (1, 0),
        Stop::Time(time) => (2, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
        Stop::States(states) => (3, *states),
        Stop::Representation => (4, 0),
        _ => (5, 0),
    };
    (code, figure, worker as u32)
}

/// What a code means.
pub(crate) fn decoded(code: u8, figure: u64) -> Stop {
    match code {
        0 => Stop::Memory(figure),
        1 => Stop::OutOfMemory,
        2 => Stop::Time(Duration::from_nanos(figure)),
        3 => Stop::States(figure),
        4 => Stop::Representation,
        _ => Stop::Interrupted,
    }
}

/// Why a store is full.
pub(super) fn shortage(of: Shortage, limit: u64) -> Stop {
    match of {
        Shortage::Limit => Stop::Memory(limit),
        Shortage::System => Stop::OutOfMemory,
        Shortage::Disk => Stop::DiskFull,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_come_back() {
        for stop in [
            Stop::Memory(7),
            Stop::OutOfMemory,
            Stop::Time(Duration::from_millis(1500)),
            Stop::States(9),
            Stop::Representation,
            Stop::Interrupted,
        ] {
            let (code, figure, worker) = coded(&stop, 3);
            assert_eq!((decoded(code, figure), worker), (stop, 3));
        }
    }
}

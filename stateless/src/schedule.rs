//! Schedules: the steps of an execution as a short text.
//!
//! Steps are separated by blanks. A step is the number of a thread; `3:1` is a step of thread 3 in
//! its way 1; `3*4` are four steps of thread 3 in a row. `VeriSoft` would call the text a scenario.

use crate::system::Thread;
use std::fmt;
use std::str::FromStr;

/// The order of steps of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Thread and choice of each step.
    pub steps: Vec<(Thread, u32)>,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.steps.chunk_by(|a, b| a == b);
        for (index, run) in runs.enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            let (thread, choice) = run[0];
            write!(f, "{}", thread.0)?;
            if choice != 0 {
                write!(f, ":{choice}")?;
            }
            if run.len() > 1 {
                write!(f, "*{}", run.len())?;
            }
        }
        Ok(())
    }
}

/// A text that is no schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSchedule {
    /// The step that cannot be read.
    pub step: String,
}

impl fmt::Display for BadSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = &self.step;
        write!(
            f,
            "`{step}` is no step of a schedule: expected a thread such as `3`, `3:1` or `3*4`"
        )
    }
}

impl std::error::Error for BadSchedule {}

/// More steps than this in one run cannot be meant.
const LONGEST_RUN: usize = 100_000_000;

impl FromStr for Schedule {
    type Err = BadSchedule;

    fn from_str(text: &str) -> Result<Self, BadSchedule> {
        let mut steps = Vec::new();
        for step in text.split_whitespace() {
            let bad = || BadSchedule {
                step: step.to_owned(),
            };
            let (rest, times) = match step.split_once('*') {
                Some((rest, times)) => (rest, times.parse::<usize>().map_err(|_| bad())?),
                None => (step, 1),
            };
            let (thread, choice) = match rest.split_once(':') {
                Some((thread, choice)) => (thread, choice.parse::<u32>().map_err(|_| bad())?),
                None => (rest, 0),
            };
            let thread = thread.parse::<u32>().map_err(|_| bad())?;
            if times > LONGEST_RUN {
                return Err(bad());
            }
            steps.extend(std::iter::repeat_n((Thread(thread), choice), times));
        }
        Ok(Schedule { steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_can_be_read_back() {
        for text in ["", "0", "0*3 1 2:1 0:2*2 10"] {
            let schedule: Schedule = text.parse().unwrap();
            assert_eq!(schedule.to_string(), text);
        }
        for text in ["a", "1:", "1*x", "1*999999999999", "-1"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}

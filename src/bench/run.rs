//! Measuring: the same model full and reduced, in turn.
//!
//! The two searches alternate, so that other load on the machine affects both alike, and of several repetitions the
//! fastest counts: noise only adds. Where the system says how long a thread has been running, that is taken and not
//! the time on the wall, so that neighbours do not matter.

use super::{Figures, Pair};
use crate::check::{Goal, Model, Monitors, Options, Plan, Refusal, Searched, Target};
use crate::search::End;
use crate::verdict::Word;
use promela_lite::opt::Passes;
use std::time::{Duration, Instant};

/// Why a model cannot be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// There is no property of that name, only these.
    NoProperty(Vec<String>),
    /// The property cannot be checked.
    Unsupported(String),
    /// The options do not go together.
    Refused(Refusal),
    /// The searches contradict each other. This must never happen.
    Contradiction {
        /// What the full search found.
        full: Word,
        /// What the reduced one found.
        reduced: Word,
    },
}

/// What a model states under that name: `safety`, or an `ltl` block.
pub(crate) fn goal(model: &Model, name: &str) -> Result<Goal, Trouble> {
    let is_measured = |goal: &Goal| matches!(goal, Goal::Safety | Goal::Formula(_));
    model.goal(name).filter(is_measured).ok_or_else(|| {
        let names = model.program.ltl.iter().map(|l| l.name.clone());
        Trouble::NoProperty(names.collect())
    })
}

/// The property that the paper's figures are about where the model has it, else safety.
pub(crate) fn usual(model: &Model) -> &'static str {
    match model.goal(PROGRESS) {
        Some(Goal::Formula(_)) => PROGRESS,
        _ => SAFETY,
    }
}

/// The name of the search for failed assertions and invalid end states.
pub(crate) const SAFETY: &str = "safety";
const PROGRESS: &str = "progress";

/// Which of the two searches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// Without reduction.
    Full,
    /// With it.
    Reduced,
}

impl Which {
    /// Both, in the order in which they take turns.
    pub(crate) const BOTH: [Which; 2] = [Which::Full, Which::Reduced];

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Which::Full => "full",
            Which::Reduced => "reduced",
        }
    }
}

/// Which searches see the program after the passes rather than as it is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// Neither: what the reduction does by itself, as in the paper.
    None,
    /// Both: what the reduction does besides the passes.
    Both,
    /// The reduced one: what all of it does together.
    Reduced,
}

impl Passed {
    /// The passes that go before one of the searches.
    pub(crate) fn passes(self, which: Which) -> Passes {
        let on = match (self, which) {
            (Passed::None, _) | (Passed::Reduced, Which::Full) => false,
            (Passed::Both, _) | (Passed::Reduced, Which::Reduced) => true,
        };
        Passes {
            slice: on,
            merge: on,
            dead_variables: on,
        }
    }
}

/// How to measure.
#[derive(Clone, Debug)]
pub(crate) struct Measurement {
    /// Where there are passes.
    pub(crate) passed: Passed,
    /// How often each search is made.
    pub(crate) repeat: usize,
    /// Bounds of each search.
    pub(crate) options: Options,
}

impl Measurement {
    /// What is asked of one of the two searches: that it visits everything, alone.
    fn options(&self, which: Which) -> Options {
        Options {
            all_errors: true,
            workers: Some(1),
            reduction: (which == Which::Full).then_some(false),
            passes: self.passed.passes(which),
            ..self.options.clone()
        }
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// The figures.
    pub(crate) pair: Pair,
    /// What both searches came to.
    pub(crate) verdict: Word,
    /// What there is to say about the reduction.
    pub(crate) notes: Vec<String>,
}

/// Measures both searches. `announce` is told which one is about to begin.
pub(crate) fn measure(
    model: &Model,
    goal: &Goal,
    measurement: &Measurement,
    mut announce: impl FnMut(Which),
    monitors: Monitors<'_>,
) -> Result<Measured, Trouble> {
    let plan = |which| {
        let plan = Plan::decide(model, goal, &measurement.options(which));
        match plan.map_err(Trouble::Refused)? {
            Plan {
                target: Target::Unsupported(what),
                ..
            } => Err(Trouble::Unsupported(what)),
            plan => Ok(plan),
        }
    };
    let plans = [plan(Which::Full)?, plan(Which::Reduced)?];
    let mut once = |which: Which| {
        announce(which);
        let clock = Clock::start();
        let searched = plans[which as usize].search(model, monitors);
        One::new(searched, clock.seconds())
    };
    let mut best = Which::BOTH.map(&mut once);
    for _ in 1..measurement.repeat {
        for which in Which::BOTH {
            let old = &mut best[which as usize];
            // Being stopped once is enough.
            if old.figures.complete {
                let new = once(which);
                if new.figures.seconds < old.figures.seconds {
                    *old = new;
                }
            }
        }
    }
    let [full, reduced] = best;
    let verdict = agree(&full, &reduced)?;
    let [_, Plan { notes, .. }] = plans;
    Ok(Measured {
        pair: Pair {
            full: full.figures,
            reduced: reduced.figures,
        },
        verdict,
        notes,
    })
}

/// The system looks at its clock only so often: what is shorter than this is not told well enough.
const TICKS: Duration = Duration::from_millis(20);

/// Measures time.
struct Clock {
    start: Instant,
    running: Option<u64>,
}

impl Clock {
    fn start() -> Clock {
        Clock {
            start: Instant::now(),
            running: nanoseconds_running(),
        }
    }

    fn seconds(&self) -> f64 {
        let elapsed = self.start.elapsed();
        match (self.running, nanoseconds_running()) {
            (Some(before), Some(now)) if elapsed >= TICKS => (now - before) as f64 / 1e9,
            _ => elapsed.as_secs_f64(),
        }
    }
}

/// How long this thread has been running on a processor; Linux tells.
fn nanoseconds_running() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// What one search came to.
#[derive(Copy, Clone, Debug)]
struct One {
    figures: Figures,
    violated: bool,
}

impl One {
    fn new(searched: Searched, seconds: f64) -> One {
        let stats = &searched.stats;
        One {
            figures: Figures {
                states: stats.stored,
                transitions: stats.transitions(),
                memory_bytes: stats.total_bytes(),
                seconds,
                complete: matches!(searched.end, End::Complete(_)),
            },
            violated: !searched.found.is_empty(),
        }
    }
}

/// The verdict of both; a violation found by one must be found by the other, if that has been everywhere.
fn agree(full: &One, reduced: &One) -> Result<Word, Trouble> {
    let word = |m: &One| match (m.violated, m.figures.complete) {
        (true, _) => Word::Violated,
        (false, true) => Word::Holds,
        (false, false) => Word::Inconclusive,
    };
    match (word(full), word(reduced)) {
        (full, reduced) if full == reduced => Ok(full),
        (Word::Inconclusive, other) | (other, Word::Inconclusive) => Ok(other),
        (full, reduced) => Err(Trouble::Contradiction { full, reduced }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Subject;
    use crate::check::Role;
    use crate::limits::{Monitor, Unwatched};

    fn of(subject: &str, name: &str, passed: Passed, states: u64) -> Result<Measured, Trouble> {
        let model = Subject::parse(subject).read().model.unwrap();
        let goal = goal(&model, name)?;
        let measurement = Measurement {
            passed,
            repeat: 2,
            options: Options {
                states: Some(states),
                ..Options::default()
            },
        };
        let unwatched = |_: Role| -> Box<dyn Monitor> { Box::new(Unwatched) };
        measure(&model, &goal, &measurement, |_| (), &unwatched)
    }

    #[test]
    fn both_searches_go_to_the_end_and_agree() {
        for (subject, goal, verdict) in [
            ("sieve:N=4", "progress", Word::Holds),
            ("sieve:N=4", "safety", Word::Holds),
            ("abp:B=1", "progress", Word::Violated),
            ("dtp:K=2,B=2", "progress", Word::Violated),
        ] {
            let measured = of(subject, goal, Passed::None, u64::MAX).unwrap();
            let pair = measured.pair;
            assert_eq!(measured.verdict, verdict, "{subject} {goal}");
            assert!(pair.full.complete && pair.reduced.complete, "{subject}");
            assert!(pair.reduced.states < pair.full.states, "{subject}");
        }
    }

    #[test]
    fn a_violation_does_not_end_the_search() {
        // The product has every state of the program at least once.
        let [program, product] = ["safety", "progress"]
            .map(|goal| of("abp:B=1", goal, Passed::None, u64::MAX).unwrap().pair);
        assert!(product.full.states >= program.full.states);
    }

    #[test]
    fn passes_go_before_the_searches_they_are_meant_for() {
        let [none, both, reduced] = [Passed::None, Passed::Both, Passed::Reduced]
            .map(|passed| of("urp:W=1", "safety", passed, u64::MAX).unwrap().pair);
        assert!(both.full.states < none.full.states);
        assert!(both.reduced.states < none.reduced.states);
        assert_eq!(reduced.full.states, none.full.states);
        assert_eq!(reduced.reduced.states, both.reduced.states);
    }

    #[test]
    fn a_search_that_was_stopped_says_so() {
        let Measured { pair, verdict, .. } = of("sieve:N=4", "progress", Passed::None, 50).unwrap();
        assert_eq!(verdict, Word::Inconclusive);
        assert!(!pair.full.complete && !pair.reduced.complete);
        assert_eq!(pair.ratio_of_states(), None);
    }

    #[test]
    fn what_is_not_there_cannot_be_measured() {
        let found = of("abp:B=1", "nothing", Passed::None, 1);
        let names = ["progress", "reliable"].map(str::to_owned).to_vec();
        assert_eq!(found, Err(Trouble::NoProperty(names)));
    }
}

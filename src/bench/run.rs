//! Measuring: the same model full and reduced, in turn.
//!
//! The two searches take turns, so that whatever else the machine does meets both alike, and of several repetitions the
//! fastest counts: noise only ever adds. Where the system says how long a thread has been running, that is taken and not
//! the time on the wall, so that neighbours do not matter.

use super::{Figures, Pair};
use crate::limits::{Limits, Monitor};
use crate::product::{Product, Stepping};
use crate::property::{Property, Unsupported};
use crate::reduce::{Ample, Visible, obstacle};
use crate::search::{
    End, Outcome, Settings, Strategy, System, search as search_states, search_cycles,
};
use crate::verdict::Word;
use promela_lite::opt::Passes;
use promela_lite::program::Program;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is looked for.
#[derive(Debug)]
pub enum Goal {
    /// Failed assertions and invalid end states.
    Safety,
    /// A run that violates a property.
    Property(Box<Property>),
}

/// Why a model cannot be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// There is no property of that name, only these.
    NoProperty(Vec<String>),
    /// The property cannot be checked.
    Unsupported(String),
    /// The searches contradict each other. This must never happen.
    Contradiction {
        /// What the full search found.
        full: Word,
        /// What the reduced one found.
        reduced: Word,
    },
}

impl Goal {
    /// By name: `safety`, or an `ltl` block.
    pub fn named(program: &Program, name: &str) -> Result<Goal, Trouble> {
        if name == SAFETY {
            return Ok(Goal::Safety);
        }
        let Some(property) = program.ltl.iter().find(|l| l.name == name) else {
            let names = program.ltl.iter().map(|l| l.name.clone());
            return Err(Trouble::NoProperty(names.collect()));
        };
        match Property::ltl(program, property) {
            Ok(property) => Ok(Goal::Property(Box::new(property))),
            Err(Unsupported(what)) => Err(Trouble::Unsupported(what)),
        }
    }

    /// The property that the paper's figures are about where the model has it, else safety.
    pub fn usual(program: &Program) -> &'static str {
        if program.ltl.iter().any(|l| l.name == PROGRESS) {
            PROGRESS
        } else {
            SAFETY
        }
    }

    /// Why the reduction cannot be used for this goal, if it cannot.
    pub fn obstacle(&self, program: &Program) -> Option<&'static str> {
        match self {
            Goal::Property(property) if !property.stutter_invariant => {
                Some("the property can tell repeated states apart")
            }
            _ => obstacle(program),
        }
    }
}

/// The name of the search for failed assertions and invalid end states.
pub const SAFETY: &str = "safety";
const PROGRESS: &str = "progress";

/// Which of the two searches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Without reduction.
    Full,
    /// With it.
    Reduced,
}

impl Which {
    /// Both, in the order in which they take turns.
    pub const BOTH: [Which; 2] = [Which::Full, Which::Reduced];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Which::Full => "full",
            Which::Reduced => "reduced",
        }
    }
}

/// Which searches see the program after the passes rather than as it is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// Neither: what the reduction does by itself, as in the paper.
    None,
    /// Both: what the reduction does besides the passes.
    Both,
    /// The reduced one: what all of it does together.
    Reduced,
}

impl Passed {
    /// The passes that go before one of the searches.
    pub fn passes(self, which: Which) -> Passes {
        let on = match (self, which) {
            (Passed::None, _) | (Passed::Reduced, Which::Full) => false,
            (Passed::Both, _) | (Passed::Reduced, Which::Reduced) => true,
        };
        Passes {
            merge: on,
            dead_variables: on,
        }
    }
}

/// How to measure.
#[derive(Copy, Clone, Debug)]
pub struct Plan {
    /// Where there are passes.
    pub passed: Passed,
    /// How often each search is made.
    pub repeat: usize,
    /// Bounds.
    pub limits: Limits,
}

/// Measures both searches. `watch` is told which one is about to begin, and gives what watches it.
pub fn measure<M: Monitor>(
    program: &Program,
    goal: &Goal,
    plan: &Plan,
    mut watch: impl FnMut(Which) -> M,
) -> Result<(Pair, Word), Trouble> {
    let programs = Which::BOTH.map(|which| passed(program, goal, plan.passed.passes(which)));
    let mut once = |which: Which| {
        let program = &programs[which as usize];
        search(program, goal, which, plan.limits, &mut watch(which))
    };
    let mut best = Which::BOTH.map(&mut once);
    for _ in 1..plan.repeat {
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
    let pair = Pair {
        full: full.figures,
        reduced: reduced.figures,
    };
    Ok((pair, agree(&full, &reduced)?))
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
struct Measured {
    figures: Figures,
    violated: bool,
}

/// The verdict of both; a violation found by one must be found by the other, if that has been everywhere.
fn agree(full: &Measured, reduced: &Measured) -> Result<Word, Trouble> {
    let word = |m: &Measured| match (m.violated, m.figures.complete) {
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

/// The program that is searched.
fn passed(program: &Program, goal: &Goal, passes: Passes) -> Arc<Program> {
    // Merging leaves out states that such a property would have to read.
    let reads_every_state = matches!(goal, Goal::Property(p) if !p.stutter_invariant);
    let passes = Passes {
        merge: passes.merge && !reads_every_state,
        ..passes
    };
    let mut program = program.clone();
    passes.apply(&mut program);
    Arc::new(program)
}

fn search(
    program: &Arc<Program>,
    goal: &Goal,
    which: Which,
    limits: Limits,
    monitor: &mut dyn Monitor,
) -> Measured {
    let reduces = which == Which::Reduced && goal.obstacle(program).is_none();
    let settings = Settings {
        all_errors: true,
        end_states: true,
        limits,
        ..Settings::default()
    };
    match goal {
        Goal::Safety => {
            let clock = Clock::start();
            let mut system = if reduces {
                let ample = Ample::new(program, Visible::nothing(program));
                System::reduced(Arc::clone(program), ample)
            } else {
                System::new(Arc::clone(program))
            };
            let outcome = search_states(Strategy::Dfs, &mut system, &settings, monitor);
            measured(outcome, &clock)
        }
        Goal::Property(property) => {
            let clock = Clock::start();
            let stepping = if property.stutter_invariant {
                Stepping::Changes
            } else {
                Stepping::EveryState
            };
            let ample = reduces.then(|| Ample::new(program, property.visible(program)));
            let mut product = Product::new(program, property, stepping, ample);
            measured(search_cycles(&mut product, &settings, monitor), &clock)
        }
    }
}

fn measured<M>(outcome: Outcome<M>, clock: &Clock) -> Measured {
    let seconds = clock.seconds();
    let Outcome { found, end, stats } = outcome;
    Measured {
        figures: Figures {
            states: stats.stored,
            transitions: stats.transitions(),
            memory_bytes: stats.total_bytes(),
            seconds,
            complete: matches!(end, End::Complete(_)),
        },
        violated: !found.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Subject;
    use crate::limits::Unwatched;

    fn of(subject: &str, goal: &str, passed: Passed, states: u64) -> Result<(Pair, Word), Trouble> {
        let program = Subject::parse(subject).compile().program.unwrap();
        let goal = Goal::named(&program, goal)?;
        let plan = Plan {
            passed,
            repeat: 2,
            limits: Limits {
                states,
                ..Limits::default()
            },
        };
        measure(&program, &goal, &plan, |_| Unwatched)
    }

    #[test]
    fn both_searches_go_to_the_end_and_agree() {
        for (subject, goal, verdict) in [
            ("sieve:N=4", "progress", Word::Holds),
            ("sieve:N=4", "safety", Word::Holds),
            ("abp:B=1", "progress", Word::Violated),
            ("dtp:K=2,B=2", "progress", Word::Violated),
        ] {
            let (pair, word) = of(subject, goal, Passed::None, u64::MAX).unwrap();
            assert_eq!(word, verdict, "{subject} {goal}");
            assert!(pair.full.complete && pair.reduced.complete, "{subject}");
            assert!(pair.reduced.states < pair.full.states, "{subject}");
        }
    }

    #[test]
    fn a_violation_does_not_end_the_search() {
        // The product has every state of the program at least once.
        let program = of("abp:B=1", "safety", Passed::None, u64::MAX).unwrap().0;
        let product = of("abp:B=1", "progress", Passed::None, u64::MAX).unwrap().0;
        assert!(product.full.states >= program.full.states);
    }

    #[test]
    fn passes_go_before_the_searches_they_are_meant_for() {
        let [none, both, reduced] = [Passed::None, Passed::Both, Passed::Reduced]
            .map(|passed| of("urp:W=1", "safety", passed, u64::MAX).unwrap().0);
        assert!(both.full.states < none.full.states);
        assert!(both.reduced.states < none.reduced.states);
        assert_eq!(reduced.full.states, none.full.states);
        assert_eq!(reduced.reduced.states, both.reduced.states);
    }

    #[test]
    fn a_search_that_was_stopped_says_so() {
        let (pair, word) = of("sieve:N=4", "progress", Passed::None, 50).unwrap();
        assert_eq!(word, Word::Inconclusive);
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

//! Checking a goal: plan, search, confirmation, verdict.

use super::loss::Loss;
use super::search::{Monitors, Searched, WhyNot};
use super::{
    Confirmed, Denied, Goal, Model, Options, Plan, Refusal, Refuted, Role, Target, Treated, confirm,
};
use crate::coverage::Coverage;
use crate::limits::{Monitor, Stop, Unwatched};
use crate::machine::{Move, Run};
use crate::property::suspicions;
use crate::report::place;
use crate::search::{End, Event, Found};
use crate::stats::Stats;
use crate::trace::{Lost, Show, Told, tell};
use crate::verdict::{Verdict, ViolationKind, conclude, describe, is_limit};
use std::fmt;

/// What came of checking a goal.
#[derive(Debug)]
pub struct Checked {
    /// What was done.
    pub plan: Plan,
    /// What it means.
    pub verdict: Verdict,
    /// What the checker cannot represent of the model, and where that is met.
    pub limit: Option<String>,
    /// Violations, each confirmed.
    pub findings: Vec<Finding>,
    /// Figures.
    pub statistics: Stats,
    /// Seconds of the search.
    pub seconds: f64,
    /// The passes that changed the program.
    pub passes: Vec<&'static str>,
    /// What there is to know besides.
    pub notes: Vec<String>,
    /// What a lossy store may have left out.
    pub loss: Option<Loss>,
    /// What was executed; only after a complete search, and not where an automaton goes along.
    pub coverage: Option<Coverage>,
    /// Why states were not reduced, if that was asked.
    pub why_not: Option<WhyNot>,
    /// What was being done when a limit was reached before the search began.
    pub during: Option<&'static str>,
}

/// A violation that has been confirmed.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind.
    pub kind: ViolationKind,
    /// In words.
    pub message: String,
    /// What happens in the end.
    pub event: Event,
    /// The moves that lead there, of the model as written.
    pub path: Vec<Move>,
    /// Under fairness, what becomes of each process in the cycle.
    pub treated: Vec<Treated>,
}

impl Finding {
    /// For a cycle, the number of moves before it.
    pub fn cycle(&self) -> Option<usize> {
        match self.event {
            Event::Cycle { start } => Some(start),
            _ => None,
        }
    }

    /// Its steps: who did what, where in the text, and what changed.
    pub fn steps(&self, model: &Model) -> Result<Vec<Told>, Lost> {
        let (teller, _) = tell(&model.program, &model.sources, &self.path, Show::Changes)?;
        Ok(teller.told)
    }
}

/// Why a check came to nothing.
#[derive(Clone, Debug)]
pub enum Failed {
    /// Something was asked for that cannot be done.
    Refused(Refusal),
    /// What was found could not be confirmed: an error in this library.
    Contradiction(String),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Refused(refusal) => refusal.fmt(f),
            Failed::Contradiction(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Failed {}

impl Model {
    /// Checks one goal.
    pub fn check(&self, goal: &Goal, options: &Options) -> Result<Checked, Failed> {
        let plan = Plan::decide(self, goal, options).map_err(Failed::Refused)?;
        let unwatched = |_: Role| -> Box<dyn Monitor> { Box::new(Unwatched) };
        plan.check(self, &unwatched)
    }
}

impl Plan {
    /// Makes the search, confirms what it finds, and says what that means.
    pub fn check(self, model: &Model, monitors: Monitors<'_>) -> Result<Checked, Failed> {
        let Searched {
            found,
            end,
            stats,
            seconds,
            passes,
            loss,
            coverage,
            why_not,
            constants,
            notes,
            during,
        } = self.search(model, monitors);
        let findings: Result<Vec<Finding>, Failed> = found
            .into_iter()
            .map(|found| self.confirmed(model, found))
            .collect();
        let (limits, findings): (Vec<Finding>, Vec<Finding>) = findings?
            .into_iter()
            .partition(|finding| is_limit(&finding.event));
        let complete = matches!(end, End::Complete(_)) && limits.is_empty();
        let limit = limits.first().map(|finding| limit(model, finding));
        // Behind a limit nothing was visited, and a limit is no violation.
        let end = match limits.is_empty() {
            true => end,
            false => End::Stopped(Stop::Representation),
        };
        let verdict = match self.accept_probabilistic {
            true => conclude(findings.len(), end).accept_probabilistic(),
            false => conclude(findings.len(), end),
        };
        let mut notes = [self.notes.clone(), notes].concat();
        if stats.atomic_repeats > 0 {
            notes.push(format!(
                "long atomic sequences: {} moves to inner states already seen were not followed again",
                stats.atomic_repeats
            ));
        }
        if let (Verdict::Holds(_), Some(property)) = (&verdict, self.target.property()) {
            notes.extend(suspicions(property, &constants));
        }
        notes.extend(loss.iter().flat_map(|loss| loss.notes.iter().cloned()));
        Ok(Checked {
            plan: self,
            verdict,
            limit,
            findings,
            statistics: stats,
            seconds,
            passes,
            notes,
            loss,
            coverage: coverage.filter(|_| complete),
            why_not,
            during,
        })
    }

    fn confirmed(&self, model: &Model, found: Found<Move>) -> Result<Finding, Failed> {
        let refuted = match &self.target {
            Target::Safety | Target::Unsupported(_) | Target::Untranslated(_) => Refuted::Safety,
            Target::Acceptance => Refuted::Acceptance,
            Target::Property(property, _) => Refuted::Property(property),
        };
        let what = describe(&found.event);
        match confirm(&model.program, refuted, &self.fairness, found) {
            Ok(Confirmed { found, treated }) => {
                let (kind, message) = match (ViolationKind::of(&found.event), &self.goal) {
                    (ViolationKind::AcceptanceCycle, Goal::NonProgress) => (
                        ViolationKind::NonProgressCycle,
                        "non-progress cycle".to_owned(),
                    ),
                    (kind, _) => (kind, describe(&found.event)),
                };
                Ok(Finding {
                    kind,
                    message,
                    event: found.event,
                    path: found.path,
                    treated,
                })
            }
            Err(Denied(why)) => {
                let name = self.goal.name(model);
                let text = format!("{name}: {what}: what was found is no counterexample: {why}");
                Err(Failed::Contradiction(text))
            }
        }
    }
}

/// What cannot be represented, and where that is met.
fn limit(model: &Model, finding: &Finding) -> String {
    let Event::Fault(fault) = &finding.event else {
        return finding.message.clone();
    };
    let at = place(&model.sources, fault.span);
    match at.line {
        // The initial state is there, so it is a product that has no room.
        0 if Run::start(&model.program).is_ok() => {
            "the property has more valuations of its atoms than can be numbered".to_owned()
        }
        0 => format!("{} in the initial state", finding.message),
        line => format!("{} at {}:{line}:{}", finding.message, at.file, at.column),
    }
}

impl Checked {
    /// The verdict's reason, in words.
    pub fn reason(&self) -> String {
        let states = self.statistics.stored;
        match (&self.verdict, &self.plan.target) {
            (_, Target::Unsupported(what)) => format!("not checked: {what} is not supported"),
            (Verdict::Holds(_), target) => {
                let of = match target {
                    Target::Property(..) => "states of the product with the property",
                    _ => "states",
                };
                let ample = self.plan.reduction.then_some("ample sets");
                let passes = self.passes.iter().map(|&pass| match pass {
                    "merge" => "statement merging",
                    "dead-variables" => "dead-variable reset",
                    other => other,
                });
                let left_out: Vec<&str> = ample.into_iter().chain(passes).collect();
                match left_out.is_empty() {
                    true => format!("no violation: all {states} reachable {of} visited"),
                    false => format!(
                        "no violation: {states} {of} visited, those left out by {} cannot change the verdict",
                        left_out.join(" and ")
                    ),
                }
            }
            (Verdict::Violated, _) => match self.findings.as_slice() {
                [only] => only.message.clone(),
                all => format!("{} violations", all.len()),
            },
            (Verdict::ProbablyHolds, _) => match &self.loss {
                Some(loss) => loss.reason(),
                None => format!("{states} states visited, no violation among them"),
            },
            (Verdict::Inconclusive(stop), _) => {
                let stop = self.limit.clone().unwrap_or_else(|| stop.to_string());
                match self.during {
                    Some(during) => format!("{stop} while {during}; nothing was searched"),
                    None => format!("{stop}; {states} states visited, no violation among them"),
                }
            }
        }
    }

    /// What to do next, if there is anything.
    pub fn advice(&self) -> &'static str {
        match &self.verdict {
            Verdict::Inconclusive(stop) => stop.advice(),
            _ => "",
        }
    }
}

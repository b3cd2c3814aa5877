//! Checking a goal: plan, search, confirmation, verdict.

use super::loss::Loss;
use super::search::{Explored, HostFigures, Monitors, Searched, WhyNot};
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
    /// What the symbolic engine did.
    pub explored: Option<Explored>,
    /// Executions, where these were searched and not states.
    pub executions: Option<u64>,
    /// There is a violation whose calls are nested that deep; it can be shown when they are expanded so deep.
    pub deeper: Option<u32>,
    /// What is not supported within a bound on contexts.
    pub unsupported: Option<String>,
    /// Of a search by several hosts: what each did.
    pub hosts: Vec<HostFigures>,
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

/// Why there is no verdict yet.
pub(super) enum Unjudged {
    /// There will be none.
    Failed(Failed),
    /// Another search is needed.
    Again(Box<Plan>),
}

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
        let searched = self.search(model, monitors);
        match self.judge(model, searched) {
            Ok(checked) => Ok(checked),
            Err(Unjudged::Failed(failed)) => Err(failed),
            Err(Unjudged::Again(plan)) => plan.check(model, monitors),
        }
    }

    /// Confirms what a search has found, and says what that means.
    pub(super) fn judge(self, model: &Model, searched: Searched) -> Result<Checked, Unjudged> {
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
            explored,
            executions,
            deeper,
            unsupported,
            contradiction,
            hosts,
            ended_by,
        } = searched;
        if let Some(why) = contradiction {
            return Err(Unjudged::Failed(Failed::Contradiction(format!(
                "{}: a run that was found cannot be made: {why}",
                self.goal.name(model)
            ))));
        }
        let confirmed = found.into_iter().map(|found| {
            let what = describe(&found.event);
            let finding = self.confirmed(model, found);
            finding.map_err(|denied| (what, denied))
        });
        let findings: Vec<Finding> = match confirmed.collect() {
            Ok(findings) => findings,
            Err((_, denied)) if denied.is_open() && self.passes.slice => {
                return Err(Unjudged::Again(Box::new(self.without_slicing())));
            }
            Err((what, Denied(why))) => {
                let name = self.goal.name(model);
                let text = format!("{name}: {what}: what was found is no counterexample: {why}");
                return Err(Unjudged::Failed(Failed::Contradiction(text)));
            }
        };
        let (limits, findings): (Vec<Finding>, Vec<Finding>) = findings
            .into_iter()
            .partition(|finding| is_limit(&finding.event));
        let complete = matches!(end, End::Complete(_)) && limits.is_empty();
        let limit = match (limits.first(), &end) {
            (Some(finding), _) => Some(limit(model, finding)),
            (None, End::Stopped(stop @ Stop::Calls { at, .. })) => {
                let at = place(&model.sources, *at);
                Some(format!(
                    "{stop}: the first at {}:{}:{}",
                    at.file, at.line, at.column
                ))
            }
            _ => ended_by,
        };
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
            explored,
            executions,
            deeper,
            unsupported,
            hosts,
        })
    }

    fn confirmed(&self, model: &Model, found: Found<Move>) -> Result<Finding, Denied> {
        let refuted = match &self.target {
            Target::Safety | Target::Unsupported(_) | Target::Untranslated(_) => Refuted::Safety,
            Target::Acceptance => Refuted::Acceptance,
            Target::Property(property, _) => Refuted::Property(property),
        };
        let Confirmed { found, treated } = confirm(&model.program, refuted, &self.fairness, found)?;
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

    /// For a cycle that does not close in the model as written within the rounds that are made.
    fn without_slicing(mut self) -> Plan {
        self.passes.slice = false;
        let note = "slicing is off: a cycle was found of which it could not be shown that it goes on for ever";
        self.notes.push(note.to_owned());
        self
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
    /// The verdict's reason as a name that stays the same: `complete` if it holds, the kind of the first violation, or what left
    /// it open.
    pub fn reason_code(&self) -> &'static str {
        match &self.verdict {
            _ if self.unsupported.is_some() => Stop::Unsupported.code(),
            Verdict::Holds(_) => "complete",
            Verdict::ProbablyHolds => Stop::Lossy.code(),
            Verdict::Violated => self
                .findings
                .first()
                .map_or("violated", |finding| finding.kind.code()),
            Verdict::Inconclusive(stop) => stop.code(),
        }
    }

    /// The verdict's reason, in words.
    pub fn reason(&self) -> String {
        let states = self.statistics.stored;
        match (&self.verdict, &self.plan.target) {
            _ if self.unsupported.is_some() => {
                let what = self.unsupported.as_deref().unwrap_or_default();
                format!("not checked: {what} is not supported within a bound on contexts")
            }
            _ if self.deeper.is_some() => {
                let depth = self.deeper.unwrap_or_default();
                format!("there is a violation, with calls nested {depth} deep")
            }
            (verdict, _) if self.plan.contexts.is_some() => self.within(verdict),
            (Verdict::Holds(_), _) if self.executions.is_some() => format!(
                "no violation: {}{}",
                self.executed(),
                match self.plan.reduction {
                    true => ", the others differ in the order of independent steps only",
                    false => "",
                }
            ),
            (Verdict::Inconclusive(stop), _) if self.executions.is_some() => {
                let stop = self.limit.clone().unwrap_or_else(|| stop.to_string());
                format!("{stop}; {}, no violation among them", self.executed())
            }
            (_, Target::Unsupported(what)) => format!("not checked: {what} is not supported"),
            (Verdict::Holds(_), target) => {
                let of = match target {
                    Target::Property(..) => "states of the product with the property",
                    _ => "states",
                };
                let sets = match self.plan.stubborn {
                    true => "stubborn sets",
                    false => "ample sets",
                };
                let ample = self.plan.reduction.then_some(sets);
                let passes = self.passes.iter().map(|&pass| match pass {
                    "slice" => "slicing",
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

    /// How many executions were made.
    fn executed(&self) -> String {
        match self.executions {
            Some(1) => "1 execution explored".to_owned(),
            n => format!("{} executions explored", n.unwrap_or(0)),
        }
    }

    /// The reason, where contexts are bounded.
    fn within(&self, verdict: &Verdict) -> String {
        let bound = self.plan.contexts.map_or(0, |within| within.bound);
        let finished = self.explored.map_or(bound, |explored| explored.contexts);
        let number = |n: usize| match n {
            1 => "1 context".to_owned(),
            n => format!("{n} contexts"),
        };
        match verdict {
            Verdict::Violated => match (self.findings.as_slice(), self.explored) {
                ([only], Some(_)) => format!("{}, with {}", only.message, number(finished + 1)),
                ([only], None) => only.message.clone(),
                (all, _) => format!("{} violations", all.len()),
            },
            Verdict::Holds(_) => match self.explored {
                Some(_) => format!(
                    "nothing goes wrong with any number of contexts: after {} nothing new is reached",
                    number(finished)
                ),
                None => "nothing goes wrong: no run has more contexts".to_owned(),
            },
            Verdict::ProbablyHolds | Verdict::Inconclusive(Stop::Contexts(_)) => {
                format!(
                    "nothing goes wrong within {}; nothing is known about more",
                    number(finished)
                )
            }
            Verdict::Inconclusive(stop) => {
                let stop = self.limit.clone().unwrap_or_else(|| stop.to_string());
                match self.explored {
                    Some(_) => format!("{stop}; nothing goes wrong within {}", number(finished)),
                    None => format!(
                        "{stop}; {} states visited, no violation among them",
                        self.statistics.stored
                    ),
                }
            }
        }
    }

    /// What to do next, if there is anything.
    pub fn advice(&self) -> &'static str {
        match &self.verdict {
            Verdict::Inconclusive(_) if self.deeper.is_some() => {
                "follow deeper calls with --call-depth to see it"
            }
            Verdict::Inconclusive(stop) => stop.advice(),
            _ => "",
        }
    }
}

//! What a check came to, as data for a report.

use super::{
    ContextsReport, FairTo, HostReport, LossReport, Memory, RefusalReport, RunReport, SearchReport,
    ViolationReport, WhyNotReport, place,
};
use crate::check::{
    Checked, Engine, Failed, Finding, HostFigures, Loss, Model, Order, Plan, Splitting, Treated,
    Treatment, WhyNot,
};
use crate::explanation::{Case, Why};
use crate::search::Event;
use crate::trace::{Actor, Show, Teller, tell};
use crate::verdict::ViolationKind;

/// What a report tells of a run besides its steps.
#[derive(Copy, Clone, Debug, Default)]
pub struct Telling {
    /// The values at each step.
    pub show: Show,
    /// Whether the automaton of the property goes along.
    pub automaton: bool,
}

/// Puts a report together.
pub fn run(model: &Model, checked: &Checked, telling: Telling) -> Result<RunReport, Failed> {
    let violations: Result<Vec<ViolationReport>, Failed> = checked
        .findings
        .iter()
        .map(|finding| violation(model, &checked.plan, finding, telling))
        .collect();
    let stats = &checked.statistics;
    let coverage = checked.coverage.as_ref();
    Ok(RunReport {
        property: checked.plan.goal.name(model).to_owned(),
        verdict: checked.verdict.word(),
        reason: checked.reason(),
        reason_code: checked.reason_code(),
        advice: checked.advice().to_owned(),
        violations: violations?,
        search: search(model, checked),
        states: stats.stored,
        transitions: stats.transitions(),
        matched: stats.matched,
        atomic_steps: stats.atomic_steps,
        reduced_states: stats.reduced,
        errors: stats.errors,
        depth: stats.depth,
        vector_bytes: stats.vector_bytes,
        memory_bytes: Memory {
            store: stats.store_bytes,
            stack: stats.stack_bytes,
            total: stats.total_bytes(),
        },
        seconds: checked.seconds,
        coverage: coverage.map(|c| {
            let (program, sources) = (&model.program, &model.sources);
            let mut all = c.summarise(program, sources);
            all.extend(c.summarise_procedures(program, &model.recursive, sources));
            all
        }),
        executions: checked.executions,
        contexts: contexts(checked),
        hosts: checked.hosts.iter().map(host).collect(),
    })
}

fn host(figures: &HostFigures) -> HostReport {
    HostReport {
        name: figures.name.clone(),
        workers: figures.workers,
        states: figures.states,
        transitions: figures.transitions,
        memory_bytes: Memory {
            store: figures.store_bytes,
            stack: figures.other_bytes,
            total: figures.store_bytes + figures.other_bytes,
        },
        sent_bytes: figures.sent_bytes,
        in_flight_bytes: figures.in_flight_bytes,
    }
}

/// What the symbolic engine did.
fn contexts(checked: &Checked) -> Option<ContextsReport> {
    let (within, explored) = (checked.plan.contexts?, checked.explored?);
    Some(ContextsReport {
        bound: within.bound,
        finished: explored.contexts,
        splitting: match within.splitting {
            Splitting::Lazy => "lazy",
            Splitting::Eager => "eager",
        },
        int_bits: within.bits,
        view_tuples: explored.tuples,
        computed: explored.posts,
        bdd_nodes: explored.nodes,
        global_bits: explored.globals,
        local_bits: explored.locals,
    })
}

/// How it would be searched.
pub(super) fn planned(plan: &Plan, passes: &[&str]) -> SearchReport {
    SearchReport {
        strategy: match plan.contexts.map(|within| within.engine) {
            Some(Engine::Symbolic) => "contexts".to_owned(),
            _ => plan.order.name().to_owned(),
        },
        reduction: match (plan.reduction, plan.order) {
            (false, _) => "none",
            (true, Order::Executions) => "optimal",
            (true, _) if plan.stubborn => "stubborn",
            (true, _) => "ample",
        }
        .to_owned(),
        fairness: plan.fairness.name().to_owned(),
        store: match plan.contexts.map(|within| within.engine) {
            Some(Engine::Symbolic) => "bdd".to_owned(),
            _ => plan.store.name().to_owned(),
        },
        workers: plan.workers as u32,
        passes: passes.iter().map(|&pass| pass.to_owned()).collect(),
        notes: plan.notes.clone(),
        loss: None,
        why_not: None,
    }
}

/// How it was searched.
fn search(model: &Model, checked: &Checked) -> SearchReport {
    let finite = |loss: &&Loss| loss.figures.omissions.is_finite();
    SearchReport {
        workers: checked.statistics.workers,
        notes: checked.notes.clone(),
        loss: checked.loss.as_ref().filter(finite).map(|loss| LossReport {
            omission_probability: loss.figures.probability(),
            coverage: loss.figures.coverage(),
            hash_factor: loss.figures.hash_factor,
        }),
        why_not: checked
            .why_not
            .as_ref()
            .map(|account| why_not(model, account)),
        ..planned(&checked.plan, &checked.passes)
    }
}

fn why_not(model: &Model, account: &WhyNot) -> WhyNotReport {
    let refusals = account.refusals.iter().map(|refusal| {
        let at = place(&model.sources, refusal.span);
        RefusalReport {
            condition: refusal.condition.to_owned(),
            times: refusal.times,
            proctype: refusal.proctype.clone(),
            file: at.file,
            line: at.line,
            column: at.column,
            statement: refusal.statement.clone(),
            reason: refusal.reason.clone(),
        }
    });
    WhyNotReport {
        states: account.states,
        refusals: refusals.collect(),
    }
}

fn violation(
    model: &Model,
    plan: &Plan,
    finding: &Finding,
    telling: Telling,
) -> Result<ViolationReport, Failed> {
    let case = Case {
        model,
        goal: Some(&plan.goal),
        property: plan.target.property(),
        event: &finding.event,
        path: &finding.path,
        with_automaton: telling.automaton,
    };
    let explanation = case.explain();
    let (teller, _) = tell(&model.program, &model.sources, &finding.path, telling.show)
        .map_err(|lost| Failed::Contradiction(format!("a trail cannot be executed: {lost}")))?;
    let (mut message, file, line, column) = about(model, finding, &teller);
    // What was found is a cycle; what is shown ends where no cycle is needed any more.
    if let Some(Why::Hopeless { after, .. }) = explanation.as_ref().map(|e| &e.why) {
        message = match after {
            0 => "violated at the start, whatever follows".to_owned(),
            after => format!("violated after step {after}, whatever follows"),
        };
    }
    Ok(ViolationReport {
        kind: finding.kind,
        message,
        file,
        line,
        column,
        trail: teller.told,
        loop_start: finding.cycle(),
        fair_to: finding.treated.iter().map(fair_to).collect(),
        explanation,
        trail_file: None,
    })
}

/// The message in full, and where to look.
fn about(model: &Model, finding: &Finding, teller: &Teller<'_>) -> (String, String, u32, u32) {
    let mut message = finding.message.clone();
    let last = teller.told.last().map(|t| &t.actor.site);
    let site = match &finding.event {
        Event::Fault(fault) => {
            if let (ViolationKind::Assertion, Some(last)) = (finding.kind, last) {
                message = format!("{message}: {}", last.statement);
            }
            let at = place(&model.sources, fault.span);
            return (message, at.file, at.line, at.column);
        }
        Event::Cycle { start } => {
            if *start == finding.path.len() {
                message = "the run ends, and violates the property".to_owned();
            }
            last.cloned()
        }
        Event::InvalidEnd => {
            let stuck = teller.stuck();
            let waits = |Actor { pid, site, .. }: &Actor| {
                format!("{}({pid}) at {}:{}", site.proctype, site.file, site.line)
            };
            let all: Vec<String> = stuck.iter().map(waits).collect();
            message = format!("{message}: {}", all.join(", "));
            stuck.into_iter().next().map(|a| a.site)
        }
    };
    match site {
        Some(site) => (message, site.file.clone(), site.line, site.column),
        None => (message, String::new(), 0, 0),
    }
}

/// What becomes of a process, in words.
fn fair_to(treated: &Treated) -> FairTo {
    FairTo {
        pid: treated.pid.0,
        proctype: treated.proctype.clone(),
        because: match &treated.how {
            Treatment::Moves(step) => format!("moves in the cycle, first with step {step}"),
            Treatment::CannotMove(step) => format!("cannot move before step {step}"),
            Treatment::NeverCan => "cannot move in the cycle".to_owned(),
            Treatment::Waits {
                statement,
                before,
                step,
            } => format!("could do {statement} before step {before}; step {step} depends on that"),
            Treatment::Ignored => {
                "could move but does not; fairness to it is not asked for".to_owned()
            }
        },
    }
}

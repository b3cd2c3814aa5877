//! The report for people: the verdict first, then one line per goal, then the violations, then what else there is to know. What
//! was counted comes last, and only if it is asked for.

use super::coverage::{render_coverage, short_coverage};
use super::explanation::{self, HOPELESS};
use super::fold::{Piece, fold, without_middle};
use super::run::planned;
use super::{Report, RunReport, SearchReport, ViolationReport, WhyNotReport};
use crate::check::{Model, Plan, Target};
use crate::explanation::{Explanation, Why};
use crate::trace::{Actor, Call, NamedValue, Told};
use crate::verdict::Word;
use std::fmt::Write;
use std::ops::Range;

/// Steps of a trail that are shown at its beginning and at its end when it is too long to be shown whole.
const HEAD: usize = 10;
const TAIL: usize = 40;

/// How much is told.
#[derive(Copy, Clone, Debug, Default)]
pub struct Detail {
    /// The statistics of each search, and the coverage in full.
    pub statistics: bool,
    /// Every step of a counterexample, and all of its explanation.
    pub full: bool,
}

/// The text.
pub fn render(report: &Report, detail: Detail) -> String {
    let mut out = String::new();
    let runs = &report.results;
    line(&mut out, format_args!("{}", headline(report)));
    line(&mut out, format_args!(""));
    table(&mut out, runs);
    for run in runs {
        for violation in &run.violations {
            line(&mut out, format_args!(""));
            render_violation(
                &mut out,
                &report.model,
                &run.property,
                violation,
                detail.full,
            );
        }
    }
    remarks(&mut out, runs);
    for run in runs {
        if let Some(why_not) = &run.search.why_not {
            line(&mut out, format_args!(""));
            render_why_not(&mut out, &run.property, why_not);
        }
    }
    if detail.statistics {
        if let Some(configuration) = &report.configuration {
            line(&mut out, format_args!("\nconfiguration: {configuration}"));
        }
        for run in runs.iter().filter(|run| run.transitions > 0) {
            line(&mut out, format_args!("\n{}: {}", run.property, run.reason));
            figures(&mut out, run);
            for proctype in run.coverage.iter().flatten() {
                render_coverage(&mut out, proctype);
            }
        }
        let (compile, total) = (report.seconds.compile, report.seconds.total);
        let (compile, total) = (seconds(compile), seconds(total));
        line(
            &mut out,
            format_args!("\ntime: {compile} to compile, {total} in all"),
        );
    } else {
        // Coverage is that of the search for safety: the others have none.
        let coverage = runs.iter().find_map(|run| run.coverage.as_ref());
        short_coverage(&mut out, coverage.map_or(&[], Vec::as_slice));
    }
    out
}

pub(super) fn line(out: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{args}");
}

/// The verdict on the model in one line, and how many goals are the reason for it.
pub fn headline(report: &Report) -> String {
    let all = report.results.len();
    let goals = if all == 1 { "goal" } else { "goals" };
    let counted = |what: Word, text: &str| {
        let n = report.results.iter().filter(|r| r.verdict == what).count();
        (n > 0).then(|| (n, text.to_owned()))
    };
    let counts = [
        counted(Word::Violated, "violated"),
        counted(Word::Inconclusive, "inconclusive"),
        counted(Word::ProbablyHolds, "only probable"),
    ];
    let mut counts = counts.into_iter().flatten();
    let mut text = match counts.next() {
        None if all == 1 => "1 goal holds".to_owned(),
        None => format!("all {all} goals hold"),
        Some((n, what)) => format!("{n} of {all} {goals} {what}"),
    };
    for (n, what) in counts {
        let _ = write!(text, ", {n} {what}");
    }
    let verdict = word(report.verdict).to_uppercase();
    format!("{verdict}  {}: {text}", report.model)
}

fn word(word: Word) -> &'static str {
    match word {
        Word::Holds => "holds",
        Word::Violated => "VIOLATED",
        Word::ProbablyHolds => "probably holds",
        Word::Inconclusive => "inconclusive",
    }
}

/// The longest name of a goal that others are aligned with.
const NAME: usize = 32;

/// One line per goal: name, verdict, states, time, what was done, and the reason if the goal does not hold.
fn table(out: &mut String, runs: &[RunReport]) {
    let widest = |of: &dyn Fn(&RunReport) -> String| {
        let widths = runs.iter().map(|run| of(run).chars().count());
        widths.max().unwrap_or(0)
    };
    // Where nothing was searched there is nothing to tell of a search.
    let states = |run: &RunReport| match (run.states, run.executions) {
        (_, Some(1)) => "1 execution ".to_owned(),
        (_, Some(n)) => format!("{} executions", grouped(n)),
        (0, _) => String::new(),
        (1, _) => "1 state ".to_owned(),
        (n, _) => format!("{} states", grouped(n)),
    };
    let is_searched = |run: &RunReport| run.states > 0 || run.executions.is_some();
    let name = widest(&|run| run.property.clone()).min(NAME);
    let verdict = widest(&|run| word(run.verdict).to_owned());
    let time = |run: &RunReport| match is_searched(run) {
        false => String::new(),
        true => seconds(run.seconds),
    };
    let (count, clock) = (widest(&states), widest(&time));
    for run in runs {
        let mut done = match is_searched(run) {
            false => Vec::new(),
            true => done(&run.search),
        };
        if run.verdict != Word::Holds {
            done.push(run.reason.clone());
        }
        let text = format!(
            "  {:<name$}  {:<verdict$}  {:>count$}  {:>clock$}  {}",
            run.property,
            word(run.verdict),
            states(run),
            time(run),
            done.join("; "),
        );
        line(out, format_args!("{}", text.trim_end()));
    }
}

/// What was done besides a depth-first search of all states of an exact store by one worker.
fn done(search: &SearchReport) -> Vec<String> {
    let mut done = Vec::new();
    match search.reduction.as_str() {
        "none" => {}
        "stubborn" => done.push("reduced by stubborn sets".to_owned()),
        _ => done.push("reduced".to_owned()),
    }
    if search.fairness != "none" {
        done.push(format!("fairness: {}", search.fairness));
    }
    if ["bfs", "strict-dfs", "stateless"].contains(&search.strategy.as_str()) {
        done.push(search.strategy.clone());
    }
    if search.store != "exact" {
        done.push(format!("{} store", search.store));
    }
    if search.workers > 1 {
        done.push(format!("{} workers", search.workers));
    }
    done
}

/// What there is to know about goals, and what to do next: each once, with the goals that it is about.
fn remarks(out: &mut String, runs: &[RunReport]) {
    let mut remarks: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for run in runs {
        let notes = run.search.notes.iter().map(|note| ("note", note.as_str()));
        let advice = Some(("next", run.advice.as_str())).filter(|(_, text)| !text.is_empty());
        for (kind, text) in notes.chain(advice) {
            match remarks.iter_mut().find(|r| (r.0, r.1) == (kind, text)) {
                Some((_, _, goals)) => goals.push(&run.property),
                None => remarks.push((kind, text, vec![&run.property])),
            }
        }
    }
    if !remarks.is_empty() {
        line(out, format_args!(""));
    }
    remarks.sort_by_key(|(kind, ..)| *kind == "next");
    for (kind, text, goals) in remarks {
        let whose = match goals.as_slice() {
            all if all.len() == runs.len() => String::new(),
            [some @ .., _, _] if some.len() > 2 => {
                format!(" ({} and {} more)", goals[..2].join(", "), goals.len() - 2)
            }
            all => format!(" ({})", all.join(", ")),
        };
        line(out, format_args!("{kind}: {text}{whose}"));
    }
}

/// How something is searched, in a line.
fn how(search: &SearchReport) -> String {
    format!(
        "  {} search{}, {} store, fairness: {}, reduction: {}, passes: {}",
        search.strategy,
        match search.workers {
            0 | 1 => String::new(),
            workers => format!(" by {workers} workers"),
        },
        search.store,
        search.fairness,
        search.reduction,
        match search.passes.is_empty() {
            true => "none".to_owned(),
            false => search.passes.join(", "),
        },
    )
}

/// What would be done, for each goal.
pub fn plans(model: &Model, plans: &[Plan]) -> String {
    let mut out = String::new();
    for plan in plans {
        line(&mut out, format_args!("{}", plan.goal.name(model)));
        if let Target::Unsupported(what) = &plan.target {
            line(
                &mut out,
                format_args!("  not checked: {what} is not supported"),
            );
            continue;
        }
        let (_, passes) = plan.prepare(model);
        let search = planned(plan, &passes);
        line(&mut out, format_args!("{}", how(&search)));
        for note in &search.notes {
            line(&mut out, format_args!("  {note}"));
        }
    }
    out
}

fn figures(out: &mut String, run: &RunReport) {
    let search = &run.search;
    line(out, format_args!("{}", how(search)));
    line(out, format_args!("  {:>12} states, stored", run.states));
    line(out, format_args!("  {:>12} states, matched", run.matched));
    line(
        out,
        format_args!("  {:>12} transitions (= stored + matched)", run.transitions),
    );
    line(out, format_args!("  {:>12} atomic steps", run.atomic_steps));
    line(
        out,
        format_args!("  {:>12} longest path, in steps", run.depth),
    );
    line(
        out,
        format_args!(
            "  {:>12} bytes in the longest state vector",
            run.vector_bytes
        ),
    );
    let memory = &run.memory_bytes;
    line(
        out,
        format_args!(
            "  {:>12} memory (states {}, stack {})",
            bytes(memory.total),
            bytes(memory.store),
            bytes(memory.stack)
        ),
    );
    let rate = if run.seconds > 0.0 {
        run.states as f64 / run.seconds
    } else {
        0.0
    };
    line(
        out,
        format_args!("  {:>12} search, {rate:.0} states/s", seconds(run.seconds)),
    );
    for host in &run.hosts {
        line(
            out,
            format_args!(
                "  {:>12} states on {}: memory {}, sent {}, at most {} in flight",
                host.states,
                host.name,
                bytes(host.memory_bytes.total),
                bytes(host.sent_bytes),
                bytes(host.in_flight_bytes)
            ),
        );
    }
}

/// Lines of the account of [`WhyNotReport`] that are shown.
const REFUSALS: usize = 20;

fn render_why_not(out: &mut String, goal: &str, why_not: &WhyNotReport) {
    let states = why_not.states;
    line(
        out,
        format_args!("why not reduced: {goal}: {states} states expanded fully"),
    );
    let refusals = &why_not.refusals;
    for r in refusals.iter().take(REFUSALS) {
        line(
            out,
            format_args!(
                "  {:>12} {:<3}  {}:{}  {}  {}: {}",
                r.times, r.condition, r.file, r.line, r.proctype, r.statement, r.reason
            ),
        );
    }
    if refusals.len() > REFUSALS {
        let more = refusals.len() - REFUSALS;
        line(
            out,
            format_args!("  {more} more (all of them with --format json)"),
        );
    }
}

pub(super) fn render_violation(
    out: &mut String,
    model: &str,
    goal: &str,
    violation: &ViolationReport,
    full: bool,
) {
    let ViolationReport {
        message,
        file,
        line: at,
        column,
        trail,
        ..
    } = violation;
    line(out, format_args!("{goal}: {message}"));
    if *at > 0 {
        line(out, format_args!("    at {file}:{at}:{column}"));
    }
    if let Some(written) = &violation.trail_file {
        line(
            out,
            format_args!("    next: ample replay {model} {written}"),
        );
    }
    let run = Shown {
        trail,
        cycle: violation.loop_start,
        explanation: violation.explanation.as_ref(),
        folding: if full { Folding::None } else { Folding::Short },
    };
    render_run(out, &run);
    for fair in &violation.fair_to {
        line(
            out,
            format_args!("    {}({}): {}", fair.proctype, fair.pid, fair.because),
        );
    }
}

/// What stands before the first step of a cycle.
pub const CYCLE: &str = "<<< the cycle: from here on, forever >>>";
/// What stands at the end of a run that ends.
pub const ENDS: &str = "<<< the run ends: nothing more can happen >>>";

/// How much of a run is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Folding {
    /// Every step.
    None,
    /// What is repeated is told once.
    Repeated,
    /// The same, and of what is still long only the beginning and the end.
    Short,
}

/// A run as it is shown.
#[derive(Copy, Clone, Debug)]
pub struct Shown<'r> {
    /// Its steps.
    pub trail: &'r [Told],
    /// For a cycle: the number of steps before it.
    pub cycle: Option<usize>,
    /// What was required, and why the run breaks it.
    pub explanation: Option<&'r Explanation>,
    /// How much of it is shown.
    pub folding: Folding,
}

/// Writes a run: the explanation, the steps as far as they matter, and where they lead.
pub fn render_run(out: &mut String, run: &Shown<'_>) {
    let full = run.folding == Folding::None;
    if let Some(explanation) = run.explanation {
        explanation::write(out, &explanation::before_steps(explanation, full));
    }
    let all = run.trail.len();
    let enough = run.explanation.map_or(all, |e| e.steps.min(all));
    let hopeless = run.explanation.is_some_and(|e| {
        matches!(
            e.why,
            Why::Hopeless { .. } | Why::Accepted { after: Some(_) }
        )
    });
    let cycle = run.cycle.filter(|&start| start <= all);
    // Behind the step that decides, nothing matters.
    let end = if full || !hopeless { all } else { enough };
    let cycle = cycle.filter(|&start| full || !hopeless || start < end);
    let mut marks: Vec<(usize, &str)> = Vec::new();
    if hopeless {
        marks.push((enough, HOPELESS));
    }
    marks.extend(cycle.map(|start| (start, if start == all { ENDS } else { CYCLE })));
    marks.sort_by_key(|(at, _)| *at);
    let width = run
        .trail
        .iter()
        .map(|t| width_of(&t.actor))
        .max()
        .unwrap_or(0);
    let automaton = run.explanation.and_then(|e| e.automaton.as_ref());
    if let Some(first) = automaton.and_then(|a| a.at.first()) {
        line(
            out,
            format_args!("    automaton of violations: {}", states(first)),
        );
    }
    let mut from = 0;
    for (at, mark) in marks {
        render_part(out, run, from..at.min(end), width);
        line(out, format_args!("    {mark}"));
        from = at;
    }
    render_part(out, run, from..end, width);
    if let Some(explanation) = run.explanation {
        explanation::write(out, &explanation::behind_steps(explanation, full));
    }
}

fn states(states: &[u32]) -> String {
    let states: Vec<String> = states.iter().map(u32::to_string).collect();
    format!("{{{}}}", states.join(","))
}

/// Writes some steps, folded.
fn render_part(out: &mut String, run: &Shown<'_>, range: Range<usize>, width: usize) {
    if range.is_empty() {
        return;
    }
    let pieces = match run.folding {
        Folding::None => vec![Piece::Shown(range)],
        Folding::Repeated => fold(run.trail, range),
        Folding::Short => without_middle(fold(run.trail, range), HEAD, TAIL),
    };
    let automaton = run.explanation.and_then(|e| e.automaton.as_ref());
    for piece in pieces {
        match piece {
            Piece::Shown(range) => {
                for index in range {
                    let beside = automaton.and_then(|a| a.at.get(index + 1));
                    let beside = beside.map(|at| states(at)).unwrap_or_default();
                    render_step_beside(out, &run.trail[index], width, &beside);
                }
            }
            Piece::Start(range) => {
                let (first, last) = (range.start + 1, range.end);
                line(
                    out,
                    format_args!("    … steps {first} to {last}: init goes on …"),
                );
            }
            Piece::Rounds(range, times) => {
                let (first, last) = (range.start + 1, range.end);
                let length = range.len() / times;
                let steps = if length == 1 { "step" } else { "steps" };
                let times = match times {
                    1 => "once".to_owned(),
                    times => format!("{times} times"),
                };
                line(
                    out,
                    format_args!(
                        "    … steps {first} to {last}: the last {length} {steps}, {times} more …"
                    ),
                );
            }
            Piece::Middle(range) => {
                line(out, format_args!("    … {} steps …", range.len()));
            }
        }
    }
}

fn who(actor: &Actor) -> String {
    format!("{}({})", actor.site.proctype, actor.pid)
}

/// Of [`who`].
fn width_of(actor: &Actor) -> usize {
    let digits = actor.pid.checked_ilog10().unwrap_or(0) as usize + 1;
    actor.site.proctype.len() + digits + 2
}

/// A call stack, outermost procedure first, each with the line of its call; what is repeated many times is left out.
pub(crate) fn call_stack(calls: &[Call]) -> String {
    const SHOWN: usize = 3;
    let told = |call: &Call| format!("{} (from line {})", call.procedure, call.line);
    let mut shown: Vec<String> = calls.iter().map(told).collect();
    if shown.len() > 2 * SHOWN {
        let left_out = shown.len() - 2 * SHOWN;
        shown.splice(SHOWN..SHOWN + left_out, [format!("… {left_out} calls …")]);
    }
    shown.join(" > ")
}

/// Writes one step of a trail.
pub fn render_step(out: &mut String, told: &Told, width: usize) {
    render_step_beside(out, told, width, "");
}

/// The same, with the state of an automaton beside it.
fn render_step_beside(out: &mut String, told: &Told, width: usize, beside: &str) {
    let actor = &told.actor;
    let mut text = format!(
        "{:>5}  {:width$}  {}:{}  {}",
        told.step,
        who(actor),
        actor.site.file,
        actor.site.line,
        actor.site.statement
    );
    if let Some(executed) = &told.executed {
        let _ = write!(text, " → {executed}");
    }
    if !actor.calls.is_empty() {
        let _ = write!(text, "  in {}", call_stack(&actor.calls));
    }
    if let Some(partner) = &told.partner {
        let _ = write!(
            text,
            "  with {}  {}:{}",
            who(partner),
            partner.site.file,
            partner.site.line
        );
        let _ = write!(text, "  {}", partner.site.statement);
    }
    if !told.values.is_empty() {
        let shown = |v: &NamedValue| format!("{} = {}", v.name, v.value);
        let values: Vec<String> = told.values.iter().map(shown).collect();
        let _ = write!(text, "    [{}]", values.join(", "));
    }
    for via in &actor.site.expansions {
        let at = if via.kind == "inline" {
            "called at"
        } else {
            "defined at"
        };
        let _ = write!(
            text,
            "  ({} {}, {at} {}:{})",
            via.kind, via.name, via.file, via.line
        );
    }
    if !beside.is_empty() {
        let _ = write!(text, "  {beside}");
    }
    line(out, format_args!("{text}"));
}

/// A number of bytes for people.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{n} B")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// 1234567 as 1,234,567.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time for people.
pub fn seconds(s: f64) -> String {
    if s < 0.1 {
        format!("{:.1} ms", s * 1e3)
    } else {
        format!("{s:.2} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Site;
    use std::sync::Arc;

    #[test]
    fn numbers_of_bytes() {
        for (n, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1536, "1.5 KiB"),
            (3 << 30, "3.0 GiB"),
        ] {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn long_trails_lose_their_middle() {
        let actor = Actor {
            pid: 1,
            site: Arc::new(Site {
                proctype: "P".to_owned(),
                file: "m.pml".to_owned(),
                line: 3,
                column: 1,
                statement: "skip".to_owned(),
                expansions: Vec::new(),
                number: 0,
            }),
            calls: Vec::new(),
        };
        assert_eq!(width_of(&actor), who(&actor).len());
        let told = |step| Told {
            step,
            actor: Actor {
                pid: step as u16,
                ..actor.clone()
            },
            partner: None,
            executed: None,
            atomic: false,
            values: Vec::new(),
        };
        for (n, lines) in [(3, 3), (HEAD + TAIL, HEAD + TAIL), (1000, HEAD + TAIL + 1)] {
            let trail: Vec<Told> = (1..=n).map(told).collect();
            let mut out = String::new();
            let run = Shown {
                trail: &trail,
                cycle: None,
                explanation: None,
                folding: Folding::Short,
            };
            render_run(&mut out, &run);
            assert_eq!(out.lines().count(), lines);
        }
    }
}

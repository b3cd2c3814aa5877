//! The report for people: verdict, reason and next step first, then how to get there, then the figures.

use super::run::planned;
use super::{Report, RunReport, SearchReport, ViolationReport, WhyNotReport};
use crate::check::{Model, Plan, Target};
use crate::coverage::{ProctypeCoverage, Statement};
use crate::trace::{Actor, NamedValue, Told};
use crate::verdict::Word;
use std::fmt::Write;

/// Steps of a trail that are shown at its beginning and at its end when it is too long to be shown whole.
const HEAD: usize = 10;
const TAIL: usize = 40;

/// The text.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    for (index, run) in report.results.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        render_run(&mut out, &report.model, run);
    }
    if report.results.len() > 1 {
        line(
            &mut out,
            format_args!("\n{}: {}", report.model, word(report.verdict)),
        );
    }
    let Seconds { compile, total } = report.seconds.into();
    line(
        &mut out,
        format_args!("time: {compile} to compile, {total} in all"),
    );
    out
}

struct Seconds {
    compile: String,
    total: String,
}

impl From<super::Seconds> for Seconds {
    fn from(s: super::Seconds) -> Seconds {
        Seconds {
            compile: seconds(s.compile),
            total: seconds(s.total),
        }
    }
}

fn line(out: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{args}");
}

fn word(word: Word) -> &'static str {
    match word {
        Word::Holds => "holds",
        Word::Violated => "VIOLATED",
        Word::ProbablyHolds => "HOLDS ONLY PROBABLY",
        Word::Inconclusive => "inconclusive",
    }
}

fn render_run(out: &mut String, model: &str, run: &RunReport) {
    line(
        out,
        format_args!("{}: {} ({})", run.property, word(run.verdict), run.reason),
    );
    for violation in &run.violations {
        render_violation(out, model, violation);
    }
    if !run.advice.is_empty() {
        line(out, format_args!("  next: {}", run.advice));
    }
    if run.transitions == 0 {
        return;
    }
    line(out, format_args!(""));
    figures(out, run);
    for note in &run.search.notes {
        line(out, format_args!("  note: {note}"));
    }
    if let Some(why_not) = &run.search.why_not {
        render_why_not(out, why_not);
    }
    if let Some(coverage) = &run.coverage {
        for proctype in coverage {
            render_coverage(out, proctype);
        }
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
}

/// Lines of the account of [`WhyNotReport`] that are shown.
const REFUSALS: usize = 20;

fn render_why_not(out: &mut String, why_not: &WhyNotReport) {
    line(
        out,
        format_args!("why not reduced: {} states expanded fully", why_not.states),
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

fn render_violation(out: &mut String, model: &str, violation: &ViolationReport) {
    let ViolationReport {
        message,
        file,
        line: at,
        column,
        trail,
        ..
    } = violation;
    line(out, format_args!("  {message}"));
    if *at > 0 {
        line(out, format_args!("    at {file}:{at}:{column}"));
    }
    if let Some(written) = &violation.written {
        line(
            out,
            format_args!("    next: ample replay {model} {written}"),
        );
    }
    render_trail(out, trail, violation.loop_start);
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

/// Writes the steps of a trail: up to its cycle, and those of the cycle.
pub fn render_trail(out: &mut String, trail: &[Told], cycle: Option<usize>) {
    let width = trail.iter().map(|t| width_of(&t.actor)).max().unwrap_or(0);
    let Some(start) = cycle.filter(|&start| start <= trail.len()) else {
        return render_part(out, trail, width);
    };
    render_part(out, &trail[..start], width);
    let mark = if start == trail.len() { ENDS } else { CYCLE };
    line(out, format_args!("    {mark}"));
    render_part(out, &trail[start..], width);
}

/// Those in the middle are left out when there are many.
fn render_part(out: &mut String, trail: &[Told], width: usize) {
    let all = trail.len() <= HEAD + TAIL;
    for (index, told) in trail.iter().enumerate() {
        if all || index < HEAD || index + TAIL >= trail.len() {
            render_step(out, told, width);
        } else if index == HEAD {
            let left_out = trail.len() - HEAD - TAIL;
            line(out, format_args!("    … {left_out} steps …"));
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

/// Writes one step of a trail.
pub fn render_step(out: &mut String, told: &Told, width: usize) {
    let actor = &told.actor;
    let mut text = format!(
        "{:>5}  {:width$}  {}:{}  {}",
        told.step,
        who(actor),
        actor.site.file,
        actor.site.line,
        actor.site.statement
    );
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
    line(out, format_args!("{text}"));
}

fn render_coverage(out: &mut String, proctype: &ProctypeCoverage) {
    match proctype.proctype.as_str() {
        ":init:" => line(out, format_args!("unreached in init")),
        name => line(out, format_args!("unreached in proctype {name}")),
    }
    let statement = |out: &mut String, s: &Statement| {
        line(
            out,
            format_args!("\t{}:{}, state {}, \"{}\"", s.file, s.line, s.state, s.text),
        );
    };
    for s in &proctype.unreached {
        statement(out, s);
    }
    line(
        out,
        format_args!(
            "\t({} of {} states)",
            proctype.unreached_states, proctype.states
        ),
    );
    if !proctype.never_true.is_empty() {
        line(out, format_args!("never true in {}", proctype.proctype));
        for s in &proctype.never_true {
            statement(out, s);
        }
    }
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

fn seconds(s: f64) -> String {
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
                number: 0,
            }),
        };
        assert_eq!(width_of(&actor), who(&actor).len());
        let told = |step| Told {
            step,
            actor: actor.clone(),
            partner: None,
            atomic: false,
            values: Vec::new(),
        };
        for (n, lines) in [(3, 3), (HEAD + TAIL, HEAD + TAIL), (1000, HEAD + TAIL + 1)] {
            let trail: Vec<Told> = (1..=n).map(told).collect();
            let mut out = String::new();
            render_trail(&mut out, &trail, None);
            assert_eq!(out.lines().count(), lines);
        }
    }
}

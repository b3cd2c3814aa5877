//! `ample explore`: C programs as they are.

use super::explore_args::{Explore, Output};
use super::files::{read, write};
use super::monitor::Interrupt;
use super::pages::refuse_other_page;
use super::{Exit, print};
use crate::page::{Text, program_html};
use ample_preload::{Command, Error, HEADER};
use ample_stateless::{Bound, End, Options, Report, Schedule, Verdict};
use anyhow::bail;
use std::fmt::Write;
use std::path::Path;

pub(super) fn run(explore: Explore) -> anyhow::Result<Exit> {
    match explore {
        Explore::Header => {
            print(HEADER)?;
            Ok(Exit::Holds)
        }
        Explore::Replay(command, schedule) => replay(command, &schedule),
        Explore::Search(command, options, output) => search(command, &options, &output),
        Explore::Show(path, output) => show(&path, &output),
    }
}

/// A path that the system takes for a path and not for a command to be looked up.
fn located(mut command: Command) -> Command {
    if command.program.components().count() == 1 {
        command.program = std::path::Path::new(".").join(&command.program);
    }
    command
}

fn search(command: Command, options: &Options, output: &Output) -> anyhow::Result<Exit> {
    refuse_other_page(output.page.as_deref())?;
    let interrupt = Interrupt::install();
    let mut command = located(command);
    command.stop = interrupt.flag();
    let explored = ample_preload::explore(&command, options, |_, _| {})?;
    if let Some(what) = explored.escape {
        return Err(Error::Escape(what).into());
    }
    let report = explored.report;
    let name = command.program.display().to_string();
    draw(&name, &report, output)?;
    if output.json {
        print(&format!("{}\n", report.to_json()))?;
        return Ok(exit_of(&report));
    }
    let mut text = String::new();
    for finding in &report.findings {
        let _ = writeln!(text, "VIOLATED  {name}: {finding}");
        let schedule = &finding.schedule;
        let args = command
            .args
            .iter()
            .map(|a| a.to_string_lossy().into_owned());
        let words: Vec<String> = std::iter::once(name.clone()).chain(args).collect();
        let words = words.join(" ");
        let _ = writeln!(
            text,
            "replay: ample explore --replay '{schedule}' {words}\n"
        );
    }
    match report.verdict() {
        Verdict::Violated => {}
        Verdict::Holds => {
            let _ = writeln!(
                text,
                "HOLDS  {name}: no failure in any order of its steps\n"
            );
        }
        Verdict::Inconclusive(_) => {
            let _ = writeln!(
                text,
                "INCONCLUSIVE  {name}: nothing was found, but not everything was explored\n"
            );
        }
    }
    numbers(&report, options, &mut text);
    print(&text)?;
    Ok(exit_of(&report))
}

fn exit_of(report: &Report) -> Exit {
    match report.verdict() {
        Verdict::Violated => Exit::Violated,
        Verdict::Holds => Exit::Holds,
        Verdict::Inconclusive(_) => Exit::Inconclusive,
    }
}

/// A report that was made before.
fn show(path: &Path, output: &Output) -> anyhow::Result<Exit> {
    refuse_other_page(output.page.as_deref())?;
    let text = read(path)?;
    let Some(report) = Report::from_json(&text) else {
        bail!("{}: this is no report of an exploration", path.display());
    };
    draw(&path.display().to_string(), &report, output)?;
    match output.json {
        true => print(&format!("{}\n", report.to_json()))?,
        false => print(&format!("{report}\n"))?,
    }
    Ok(exit_of(&report))
}

/// Writes the page, if it is asked for.
fn draw(name: &str, report: &Report, output: &Output) -> anyhow::Result<()> {
    let Some(path) = &output.page else {
        return Ok(());
    };
    let source = |file: &str| {
        read(Path::new(file))
            .ok()
            .map(|text| Text::new(file, &text))
    };
    write(path, &program_html(name, report, &source))
}

/// What was done.
fn numbers(report: &Report, options: &Options, text: &mut String) {
    let seconds = report.time.as_secs_f64();
    let rate = (report.executions + report.blocked + report.cut) as f64 / seconds.max(1e-3);
    let _ = write!(
        text,
        "  {} executions, {} steps",
        report.executions, report.transitions
    );
    if report.blocked > 0 {
        let _ = write!(text, ", {} more begun in vain", report.blocked);
    }
    if report.cut > 0 {
        let _ = write!(
            text,
            ", {} cut off after {} steps",
            report.cut,
            options.depth.unwrap_or(0)
        );
    }
    let _ = writeln!(text, ", {seconds:.2} s ({rate:.0} executions per second)");
    if let Some(error) = &report.unsaved {
        let _ = writeln!(text, "  no checkpoint was written: {error}");
    }
    let left_out = report.bounds.iter().map(Bound::to_string);
    let left_out: Vec<String> = left_out.collect();
    if !left_out.is_empty() {
        let _ = writeln!(
            text,
            "  not everything was explored because of {}",
            left_out.join(" and ")
        );
    }
}

fn replay(command: Command, schedule: &Schedule) -> anyhow::Result<Exit> {
    let command = located(command);
    let name = command.program.display().to_string();
    let replay = ample_preload::replay(&command, schedule)?;
    let mut text = String::new();
    let width = replay.steps.iter().map(|s| s.thread.chars().count()).max();
    let width = width.unwrap_or(0);
    for (index, step) in replay.steps.iter().enumerate() {
        let number = index + 1;
        let _ = writeln!(
            text,
            "{number:>5}  {:width$}  {}{}",
            step.thread,
            step.operation,
            (step.place.as_ref()).map_or(String::new(), |place| format!(" ({place})"))
        );
    }
    if let Some(problem) = replay.problem {
        print(&text)?;
        bail!("the schedule does not belong to this program: {problem}");
    }
    let failures = replay.failures.into_iter();
    let mut wrong: Vec<String> = failures.map(|failure| failure.message).collect();
    if replay.end == Some(End::Deadlock) {
        wrong.push(replay.message);
    }
    for message in &wrong {
        let _ = writeln!(text, "\nVIOLATED  {name}: {message}");
    }
    let exit = match (wrong.is_empty(), replay.end) {
        (false, _) => Exit::Violated,
        (true, Some(End::Finished)) => {
            let _ = writeln!(text, "\nHOLDS  {name}: nothing fails in this execution");
            Exit::Holds
        }
        _ => {
            let _ = writeln!(text, "\nINCONCLUSIVE  {name}: the execution could go on");
            Exit::Inconclusive
        }
    };
    print(&text)?;
    Ok(exit)
}

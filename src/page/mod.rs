//! One HTML file that shows what a check came to: a run that one can step through, or what was covered.
//!
//! The file needs nothing but itself: style, script, data. Data are JSON in an element of their own, differences from step to
//! step ([`mod@record`]), and the script draws only the rows that are in view, so that a run of ten thousand steps opens at once.
//! Everything that comes from the model passes [`markup`]; besides, the page forbids any script but its own, by its hash.

pub(crate) mod chart;
pub(crate) mod draw;
pub(crate) mod markup;
mod program;
mod record;
mod sources;

pub(crate) use program::program_html;
pub(crate) use record::{Record, record};
pub(crate) use sources::{Files, Text};

use crate::check::Model;
use crate::explanation::{AutomatonRun, Explanation, Why};
use crate::machine::Move;
use crate::report::explanation::{Said, before_steps, behind_steps};
use crate::report::text::{bytes, grouped, seconds};
use crate::report::{Report, RunReport};
use crate::verdict::Word;
use draw::{Drawing, Edge, Node};
use markup::{base64, json, text};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Automata with more states are not drawn.
const DRAWN: usize = 40;

/// A counterexample to be shown.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    /// What is violated.
    pub(crate) property: &'a str,
    /// What is wrong.
    pub(crate) message: &'a str,
    /// What was required, and why the run breaks it.
    pub(crate) explanation: Option<&'a Explanation>,
    /// The moves.
    pub(crate) path: &'a [Move],
    /// For a cycle, the number of moves before it.
    pub(crate) cycle: Option<usize>,
}

impl Shown<'_> {
    /// The message, without what the explanation tells better.
    fn short(&self) -> &str {
        match self.explanation.map(|e| &e.why) {
            Some(Why::Deadlock { .. }) => self.message.split(": ").next().unwrap_or(self.message),
            _ => self.message,
        }
    }
}

/// What a page says at its top.
#[derive(Debug)]
pub(crate) struct Heading<'a> {
    /// The model's file.
    pub(crate) model: &'a str,
    /// In a word.
    pub(crate) verdict: &'a str,
    /// `holds`, `violated` or `inconclusive`: decides the colour.
    pub(crate) class: &'static str,
    /// The report of a check; a replay has none.
    pub(crate) report: Option<&'a Report>,
}

/// What the script is given.
#[derive(Serialize)]
struct Data {
    sources: Vec<Text>,
    runs: Vec<Run>,
    /// Lines that were never reached: file, line, what.
    unreached: Vec<(usize, u32, String)>,
}

/// A counterexample.
#[derive(Serialize)]
struct Run {
    property: String,
    message: String,
    cycle: Option<usize>,
    /// The steps after which it is decided, whatever follows; none for a violation by a cycle.
    decided: Option<usize>,
    #[serde(flatten)]
    record: Record,
    /// The states of the automaton after each step.
    automaton: Vec<Vec<u32>>,
}

/// The page.
pub(crate) fn html(model: &Model, heading: &Heading<'_>, shown: &[Shown<'_>]) -> String {
    let mut files = Files::default();
    // All of the model's text is there, executed or not.
    for proctype in &model.program.proctypes {
        files.place(&model.sources, proctype.span);
    }
    let run = |shown: &Shown<'_>| {
        let automaton = shown.explanation.and_then(|e| e.automaton.as_ref());
        Run {
            property: shown.property.to_owned(),
            message: shown.short().to_owned(),
            cycle: shown.cycle,
            decided: shown.explanation.and_then(Explanation::decided),
            record: record(&model.program, &model.sources, &mut files, shown.path),
            automaton: automaton.map(|a| a.at.clone()).unwrap_or_default(),
        }
    };
    let runs: Vec<Run> = shown.iter().map(run).collect();
    let texts = files.texts(&model.sources);
    let data = Data {
        unreached: unreached(heading, &texts),
        sources: texts,
        runs,
    };
    let mut out = String::new();
    head(&mut out, heading);
    results(&mut out, heading);
    for (index, shown) in shown.iter().enumerate() {
        explanation(&mut out, index, shown);
    }
    if !shown.is_empty() {
        out.push_str(include_str!("stage.html"));
    }
    out.push_str(include_str!("source.html"));
    statistics(&mut out, heading);
    let _ = writeln!(
        out,
        "</main><noscript><p>The run itself is drawn by a script.</p></noscript>\
         <script type=\"application/json\" id=\"data\">{}</script><script>{SCRIPT}</script></body></html>",
        json(&data)
    );
    out
}

fn head(out: &mut String, heading: &Heading<'_>) {
    let hash = base64(&Sha256::digest(SCRIPT));
    let title = format!("{} · {}", heading.verdict, heading.model);
    let _ = write!(
        out,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{hash}'\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style></head><body class=\"{class}\"><header>\
         <span class=\"verdict\">{verdict}</span><h1>{model}</h1></header><main>",
        title = text(&title),
        class = heading.class,
        verdict = text(heading.verdict),
        model = text(heading.model)
    );
}

/// One row per goal.
fn results(out: &mut String, heading: &Heading<'_>) {
    let Some(report) = heading.report else {
        return;
    };
    out.push_str(
        "<section class=\"goals\"><h2>What was checked</h2><div class=\"wide\"><table><thead><tr><th>goal<th>verdict\
         <th class=\"n\">states<th class=\"n\">time<th>how, and why</tr></thead><tbody>",
    );
    for run in &report.results {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}<td><span class=\"mark {}\">{}</span><td class=\"n\">{}<td class=\"n\">{}<td>{}: {}",
            text(&run.property),
            class(run.verdict),
            run.verdict,
            grouped(run.states),
            seconds(run.seconds),
            text(&how(run)),
            text(&run.reason)
        );
        for note in &run.search.notes {
            let _ = write!(out, "<br><small>{}</small>", text(note));
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div></section>");
}

/// How a goal was searched, in a few words.
fn how(run: &RunReport) -> String {
    let search = &run.search;
    let reduction = match search.reduction.as_str() {
        "none" => "not reduced",
        _ => "reduced",
    };
    let mut parts = vec![search.strategy.clone(), reduction.to_owned()];
    if search.fairness != "none" {
        parts.push(format!("fairness {}", search.fairness));
    }
    if search.store != "exact" {
        parts.push(format!("{} store", search.store));
    }
    parts.join(", ")
}

/// The class of a verdict in the style sheet.
pub(crate) fn class(verdict: Word) -> &'static str {
    match verdict {
        Word::Holds | Word::ProbablyHolds => "holds",
        Word::Violated => "violated",
        Word::Inconclusive => "inconclusive",
    }
}

fn explanation(out: &mut String, index: usize, shown: &Shown<'_>) {
    let (property, message) = (text(shown.property), text(shown.short()));
    let _ = write!(
        out,
        "<section class=\"why\" data-run=\"{index}\"><h2>{property}: {message}</h2>"
    );
    if let Some(explanation) = shown.explanation {
        let lines = [
            before_steps(explanation, false),
            behind_steps(explanation, false),
        ];
        said(out, &lines.concat());
        if let Some(automaton) = &explanation.automaton {
            picture(out, automaton);
        }
    }
    out.push_str("</section>");
}

fn said(out: &mut String, lines: &[Said]) {
    out.push_str("<dl>");
    let mut open = false;
    for (about, line) in lines {
        let line = text(line);
        if !about.is_empty() {
            if open {
                out.push_str("</dd>");
            }
            let _ = write!(out, "<dt class=\"{about}\">{about}</dt><dd><p>{line}</p>");
            open = true;
        } else {
            let _ = write!(out, "<p class=\"fact\">{line}</p>");
        }
    }
    out.push_str(if open { "</dd></dl>" } else { "</dl>" });
}

fn picture(out: &mut String, automaton: &AutomatonRun) {
    let count = automaton.states.len();
    if count > DRAWN {
        let _ = write!(
            out,
            "<p>The automaton of violations has {count} states and is not drawn.</p>"
        );
        return;
    }
    let _ = write!(
        out,
        "<details class=\"automaton\" open><summary>automaton of violations</summary><div class=\"wide\">{}</div></details>",
        drawing(automaton).svg(false)
    );
}

/// The automaton as a graph.
pub(crate) fn drawing(automaton: &AutomatonRun) -> Drawing {
    let states = automaton.states.iter().enumerate();
    let node = |(number, state): (usize, &crate::explanation::AutomatonState)| Node {
        lines: vec![number.to_string()],
        class: match (state.initial, state.accepting) {
            (true, true) => "initial accepting",
            (true, false) => "initial",
            (false, true) => "accepting",
            (false, false) => "",
        },
    };
    let edges = states.clone().flat_map(|(from, state)| {
        state.edges.iter().map(move |(label, to)| Edge {
            from,
            to: *to as usize,
            label: label.clone(),
            class: "",
        })
    });
    Drawing {
        title: "automaton of violations".to_owned(),
        nodes: states.clone().map(node).collect(),
        edges: edges.collect(),
        roots: states.filter(|(_, s)| s.initial).map(|(n, _)| n).collect(),
    }
}

/// The lines that no search reached, if coverage is known.
fn unreached(heading: &Heading<'_>, texts: &[Text]) -> Vec<(usize, u32, String)> {
    let runs = heading.report.into_iter().flat_map(|r| &r.results);
    let coverage = runs.flat_map(|run| run.coverage.iter().flatten());
    let mut lines = Vec::new();
    for proctype in coverage {
        for statement in proctype.notable() {
            if let Some(file) = texts.iter().position(|t| t.name == statement.file) {
                let what = format!("never reached: {}", statement.text);
                lines.push((file, statement.line, what));
            }
        }
    }
    lines
}

fn statistics(out: &mut String, heading: &Heading<'_>) {
    let Some(report) = heading.report else {
        return;
    };
    out.push_str(
        "<section class=\"statistics\"><h2>Statistics</h2><div class=\"wide\"><table><thead><tr><th>goal<th class=\"n\">stored\
         <th class=\"n\">matched<th class=\"n\">transitions<th class=\"n\">reduced<th class=\"n\">depth<th class=\"n\">memory\
         <th class=\"n\">workers</tr></thead><tbody>",
    );
    for run in report.results.iter().filter(|run| run.transitions > 0) {
        let _ = write!(out, "<tr><th scope=\"row\">{}", text(&run.property));
        for figure in [
            run.states,
            run.matched,
            run.transitions,
            run.reduced_states,
            run.depth,
        ] {
            let _ = write!(out, "<td class=\"n\">{}", grouped(figure));
        }
        let _ = write!(
            out,
            "<td class=\"n\">{}<td class=\"n\">{}</tr>",
            bytes(run.memory_bytes.total),
            run.search.workers
        );
    }
    let _ = write!(
        out,
        "</tbody></table></div><p><small>ample {}, {} in all</small></p></section>",
        text(&report.version),
        seconds(report.seconds.total)
    );
}

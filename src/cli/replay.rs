//! `ample replay`: replay a counterexample of ample or of SPIN.

use super::{Exit, files, model, pages, print, say};
use crate::check::{Goal, Model, Source};
use crate::config::{Replay, ReplayFormat};
use crate::explanation::{Case, Explanation};
use crate::limits::Cancellation;
use crate::machine::{Machine, Move};
use crate::page;
use crate::report::json::document;
use crate::report::text::{Folding, Shown, render_run};
use crate::report::{SCHEMA_VERSION, place};
use crate::search::Event;
use crate::trace::{
    Ending, Followed, ItfHead, Moment, Rest, Teller, Trail, follow, from_json, inert, itf, parse,
    replay,
};
use crate::verdict::{ViolationKind, describe, is_limit};
use anyhow::{Context, bail};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

pub(super) fn run(config: &Replay) -> anyhow::Result<Exit> {
    pages::refuse_others(&config.pictures)?;
    let file = TrailFile::read(&config.trail)?;
    let mut input = config.model.clone();
    file.add_goal(&mut input.source);
    let Some(model) = model::read(&input)? else {
        return Ok(Exit::Usage);
    };
    let mut teller = Teller::new(&model.program, &model.sources, config.telling.show);
    let (followed, outcome) = execute(&model, &file, &mut |m| teller.see(m))?;
    let cycle = followed.cycle;
    let goal = file.goal(&model);
    let mut explanation = explain(&model, goal.as_ref(), &followed, config);
    let Outcome { text, kind, exit } = outcome;
    let property = file.property();
    let (verdict, class) = match exit {
        Exit::Violated => ("violated", "violated"),
        Exit::Inconclusive => ("inconclusive", "inconclusive"),
        _ => ("no violation", "holds"),
    };
    let shown = page::Shown {
        property: property.unwrap_or("replay"),
        message: &text,
        explanation: explanation.as_ref(),
        path: &followed.choices,
        cycle,
    };
    let heading = page::Heading {
        model: &model.name,
        verdict,
        class,
        report: None,
    };
    pages::draw(&config.pictures, &model, &heading, &[shown])?;
    if let Some(explanation) = explanation.as_mut().filter(|_| !config.telling.automaton) {
        explanation.automaton = None;
    }
    match config.format {
        ReplayFormat::Text => {
            let mut out = String::new();
            let verdict = verdict.to_uppercase();
            let property = property.map(|p| format!("{p}: ")).unwrap_or_default();
            let _ = writeln!(out, "{verdict}  {}: {property}{text}\n", model.name);
            let folding = match config.full {
                true => Folding::None,
                false => Folding::Repeated,
            };
            let shown = Shown {
                trail: &teller.told,
                cycle,
                explanation: explanation.as_ref(),
                folding,
            };
            render_run(&mut out, &shown);
            print(&out)?;
            say(&format!("{text}\n"));
        }
        ReplayFormat::Itf => {
            let head = ItfHead {
                model: &model.name,
                digest: &model.digest,
                property,
                message: &text,
                violation: exit == Exit::Violated,
            };
            let run = (followed.choices.as_slice(), cycle);
            print(&document(&itf(&model.program, &model.sources, run, &head)))?;
        }
        ReplayFormat::Json => {
            let object = json!({ "schema_version": SCHEMA_VERSION, "model": model.name, "property": property,
                "ending": text, "kind": kind, "explanation": explanation, "loop_start": cycle, "steps": teller.told });
            print(&document(&object))?;
        }
    }
    Ok(exit)
}

/// Why the run is a violation, if it is one and it is known of what.
fn explain(
    model: &Model,
    goal: Option<&Goal>,
    followed: &Followed,
    config: &Replay,
) -> Option<Explanation> {
    let event = match followed.cycle {
        Some(start) => Event::Cycle { start },
        None => event(&followed.ending)?,
    };
    let property = goal.and_then(|g| g.property(model, &Cancellation::default()).ok());
    let property = property.flatten();
    let case = Case {
        model,
        goal,
        property: property.as_ref(),
        event: &event,
        path: &followed.choices,
        with_automaton: config.telling.automaton || config.pictures.page.is_some(),
    };
    case.explain()
}

/// A file with a trail, read.
struct TrailFile<'f> {
    path: &'f Path,
    text: String,
    /// If it is ours.
    ours: Option<Trail>,
}

impl<'f> TrailFile<'f> {
    fn read(path: &'f Path) -> anyhow::Result<TrailFile<'f>> {
        let text = files::read(path)?;
        let ours = match text.trim_start().starts_with('{') {
            true => Some(from_json(&text).with_context(|| path.display().to_string())?),
            false => None,
        };
        Ok(TrailFile { path, text, ours })
    }

    /// Adds what was checked to a model, if it is not part of it, and how deep calls were expanded then.
    fn add_goal(&self, source: &mut Source) {
        let Some(trail) = &self.ours else {
            return;
        };
        source.call_depth = source.call_depth.or(trail.call_depth);
        source.variant = source.variant.or(trail.variant);
        if let Some(formula) = &trail.formula {
            let named = (trail.property.clone(), formula.clone());
            source.formulas.push(named);
        }
        source.non_progress |= trail.kind == ViolationKind::NonProgressCycle;
    }

    fn property(&self) -> Option<&str> {
        self.ours.as_ref().map(|t| t.property.as_str())
    }

    fn goal(&self, model: &Model) -> Option<Goal> {
        model.goal(self.property()?)
    }
}

/// The result for a run that is said to end in a violation of a property, if it ends.
fn ends(ending: &Ending) -> Option<String> {
    let ends = matches!(ending.rest, Rest::ValidEnd | Rest::InvalidEnd);
    let text = "the run ends; it was found to violate a property, its last state repeating forever";
    (ends && ending.fault.is_none()).then(|| text.to_owned())
}

/// What is to be said of a cycle, if it leads back to where it starts.
fn closes(model: &Model, choices: &[Move], start: usize) -> Option<String> {
    let (mut first, mut last) = (Vec::new(), Vec::new());
    replay(&model.program, choices, &mut |moment| {
        if moment.index == start {
            first = moment.before.to_vec();
        }
        last = moment.after.unwrap_or_default().to_vec();
    })
    .ok()?;
    let machine = Machine::new(Arc::clone(&model.program));
    let stored = |state: &[u8]| state[..machine.stored_len(state)].to_vec();
    if first.is_empty() || last.is_empty() {
        return None;
    }
    let closes = "the cycle closes: the last step leads back to where it starts";
    if stored(&first) == stored(&last) {
        return Some(closes.to_owned());
    }
    let names = inert(&machine, &first, &last, [])?.join(", ");
    Some(format!(
        "{closes}, but for what no step depends on: {names}"
    ))
}

/// What a trail comes to.
struct Outcome {
    text: String,
    kind: Option<ViolationKind>,
    exit: Exit,
}

/// Executes a trail: the choices it stands for, and what they come to. A trail that does not come to what it says is an error.
fn execute(
    model: &Model,
    file: &TrailFile<'_>,
    see: &mut dyn FnMut(&Moment<'_>),
) -> anyhow::Result<(Followed, Outcome)> {
    let name = file.path.display();
    let (followed, said) = if let Some(trail) = &file.ours {
        if trail.digest != model.digest {
            bail!(
                "{name} is a trail of another version of {}: check the model again",
                trail.model
            );
        }
        let ending =
            replay(&model.program, &trail.choices, see).with_context(|| format!("{name}"))?;
        let followed = Followed {
            choices: trail.choices.clone(),
            ending,
            cycle: trail.cycle,
        };
        (followed, Said::Kind(trail.kind))
    } else {
        let spins = parse(&file.text).with_context(|| format!("{name}"))?;
        let followed = follow(&model.program, &spins, see).with_context(|| format!("{name}"))?;
        match spins.lines.is_empty() {
            true => (followed, Said::Violation),
            false => (followed, Said::Nothing),
        }
    };
    let outcome = outcome(model, &followed)
        .filter(|outcome| said.is(outcome.kind))
        .with_context(|| {
            format!("{name} does not end in what it is said to be: it is damaged, or made by hand")
        })?;
    Ok((followed, outcome))
}

/// What a trail says about the run's end.
enum Said {
    /// Nothing: SPIN's format has no place for it.
    Nothing,
    /// Without a step there must be something wrong with the initial state.
    Violation,
    Kind(ViolationKind),
}

impl Said {
    fn is(&self, found: Option<ViolationKind>) -> bool {
        use ViolationKind::{AcceptanceCycle, NonProgressCycle};
        match self {
            Said::Nothing => true,
            Said::Violation => found.is_some(),
            // Both are cycles; labels are not looked at.
            Said::Kind(NonProgressCycle) => found == Some(AcceptanceCycle),
            Said::Kind(kind) => found == Some(*kind),
        }
    }
}

/// What choices come to; none if they are said to end in a cycle, and do not.
fn outcome(model: &Model, followed: &Followed) -> Option<Outcome> {
    let ending = &followed.ending;
    let lasso = match followed.cycle {
        None => {
            let (text, exit) = conclusion(model, ending);
            let kind = kind(ending);
            return Some(Outcome { text, kind, exit });
        }
        Some(start) if start == followed.choices.len() => ends(ending),
        Some(start) => closes(model, &followed.choices, start),
    };
    lasso.map(|text| Outcome {
        text,
        kind: Some(ViolationKind::AcceptanceCycle),
        exit: Exit::Violated,
    })
}

/// The choices that a trail, ours or SPIN's, stands for.
pub(super) fn choices(model: &Model, path: &Path) -> anyhow::Result<Vec<Move>> {
    let file = TrailFile::read(path)?;
    execute(model, &file, &mut |_| {}).map(|(followed, _)| followed.choices)
}

fn event(ending: &Ending) -> Option<Event> {
    match ending {
        Ending {
            fault: Some(fault), ..
        } => Some(Event::Fault(fault.clone())),
        Ending {
            rest: Rest::InvalidEnd,
            ..
        } => Some(Event::InvalidEnd),
        _ => None,
    }
}

fn kind(ending: &Ending) -> Option<ViolationKind> {
    event(ending).map(|e| ViolationKind::of(&e))
}

/// The result of the replay and the exit code: 1 for a violation, 0 for none.
pub(super) fn conclusion(model: &Model, ending: &Ending) -> (String, Exit) {
    match (event(ending), &ending.fault) {
        (Some(event), Some(fault)) => {
            let at = place(&model.sources, fault.span);
            let text = describe(&event);
            let exit = match is_limit(&event) {
                true => Exit::Inconclusive,
                false => Exit::Violated,
            };
            match at.line {
                0 => (text, exit),
                line => (format!("{}:{line}:{}: {text}", at.file, at.column), exit),
            }
        }
        (Some(event), _) => (describe(&event), Exit::Violated),
        (None, _) if ending.rest == Rest::ValidEnd => ("valid end state".to_owned(), Exit::Holds),
        (None, _) => (
            "the trail ends; the model could go on".to_owned(),
            Exit::Holds,
        ),
    }
}

//! `ample replay`: replay a counterexample of ample or of SPIN.

use super::{Exit, files, model, print, say};
use crate::check::Model;
use crate::config::{Format, Replay};
use crate::machine::{Machine, Move};
use crate::report::json::document;
use crate::report::text::{CYCLE, ENDS, render_step};
use crate::report::{SCHEMA_VERSION, place};
use crate::search::Event;
use crate::trace::{
    Ending, Followed, Moment, Rest, Teller, Told, follow, from_json, parse, replay,
};
use crate::verdict::{ViolationKind, describe, is_limit};
use anyhow::{Context, bail};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

pub(super) fn run(config: &Replay) -> anyhow::Result<Exit> {
    let Some(model) = model::read(&config.model)? else {
        return Ok(Exit::Usage);
    };
    let mut teller = Teller::new(&model.program, &model.sources, config.show);
    let (followed, outcome) = execute(&model, &config.trail, &mut |m| teller.see(m))?;
    let cycle = followed.cycle;
    let Outcome { text, kind, exit } = outcome;
    match config.format {
        Format::Text => {
            print(&story(&teller.told, cycle))?;
            say(&format!("{text}\n"));
        }
        Format::Json => {
            let object = json!({ "schema_version": SCHEMA_VERSION, "model": model.name, "ending": text, "kind": kind,
                "loop_start": cycle, "steps": teller.told });
            print(&document(&object))?;
        }
    }
    Ok(exit)
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
    let same = !first.is_empty() && !last.is_empty() && stored(&first) == stored(&last);
    same.then(|| "the cycle closes: the last step leads back to where it starts".to_owned())
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
    path: &Path,
    see: &mut dyn FnMut(&Moment<'_>),
) -> anyhow::Result<(Followed, Outcome)> {
    let name = path.display();
    let text = files::read(path)?;
    let (followed, said) = if text.trim_start().starts_with('{') {
        let trail = from_json(&text).with_context(|| format!("{name}"))?;
        if trail.digest != model.digest {
            bail!(
                "{name} is a trail of another version of {}: check the model again",
                trail.model
            );
        }
        let ending =
            replay(&model.program, &trail.choices, see).with_context(|| format!("{name}"))?;
        let followed = Followed {
            choices: trail.choices,
            ending,
            cycle: trail.cycle,
        };
        (followed, Said::Kind(trail.kind))
    } else {
        let spins = parse(&text).with_context(|| format!("{name}"))?;
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
    execute(model, path, &mut |_| {}).map(|(followed, _)| followed.choices)
}

fn story(told: &[Told], cycle: Option<usize>) -> String {
    let mut out = String::new();
    let width = |t: &Told| t.actor.site.proctype.len() + 7;
    let width = told.iter().map(width).max().unwrap_or(0);
    for (index, step) in told.iter().enumerate() {
        if cycle == Some(index) {
            out.push_str(&format!("    {CYCLE}\n"));
        }
        render_step(&mut out, step, width);
    }
    if cycle == Some(told.len()) {
        out.push_str(&format!("    {ENDS}\n"));
    }
    out
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

//! `ample replay`: replay a counterexample of ample or of SPIN.

use super::model;
use super::{Exit, print, say};
use crate::check::Model;
use crate::config::{Format, Replay};
use crate::machine::{Machine, Move};
use crate::report::text::{CYCLE, ENDS, render_step};
use crate::report::{SCHEMA_VERSION, place};
use crate::search::Event;
use crate::trace::{
    Ending, Followed, Moment, Rest, Teller, Told, follow, from_json, parse, replay,
};
use crate::verdict::{ViolationKind, describe};
use anyhow::{Context, bail};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

pub(super) fn run(config: &Replay) -> anyhow::Result<Exit> {
    let Some(model) = model::read(&config.model)? else {
        return Ok(Exit::Usage);
    };
    let mut teller = Teller::new(&model.program, &model.sources, config.show);
    let Followed {
        choices,
        ending,
        cycle,
    } = execute(&model, &config.trail, &mut |m| teller.see(m))?;
    let lasso = match cycle {
        Some(start) if start == choices.len() => ends(&ending),
        Some(start) => closes(&model, &choices, start),
        None => None,
    };
    let (text, kind, exit) = match lasso {
        Some(text) => (text, Some(ViolationKind::AcceptanceCycle), Exit::Violated),
        None => {
            let (text, exit) = conclusion(&model, &ending);
            (text, kind(&ending), exit)
        }
    };
    match config.format {
        Format::Text => {
            print(&story(&teller.told, cycle));
            say(&format!("{text}\n"));
        }
        Format::Json => {
            let object = json!({ "schema_version": SCHEMA_VERSION, "model": model.name, "ending": text, "kind": kind,
                "loop_start": cycle, "steps": teller.told });
            print(&format!("{object:#}\n"));
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

/// Executes a trail: the choices it stands for, what they end in, and where they begin to repeat.
fn execute(
    model: &Model,
    path: &Path,
    see: &mut dyn FnMut(&Moment<'_>),
) -> anyhow::Result<Followed> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    if text.trim_start().starts_with('{') {
        let trail = from_json(&text).with_context(|| format!("{name}"))?;
        if trail.digest != model.digest {
            bail!(
                "{name} is a trail of another version of {}: check the model again",
                trail.model
            );
        }
        let ending = replay(&model.program, &trail.choices, see)?;
        Ok(Followed {
            choices: trail.choices,
            ending,
            cycle: trail.cycle,
        })
    } else {
        let spins = parse(&text).with_context(|| format!("{name}"))?;
        Ok(follow(&model.program, &spins, see)?)
    }
}

/// The choices that a trail, ours or SPIN's, stands for.
pub(super) fn choices(model: &Model, path: &Path) -> anyhow::Result<Vec<Move>> {
    execute(model, path, &mut |_| {}).map(|followed| followed.choices)
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
            (
                format!(
                    "{}:{}:{}: {}",
                    at.file,
                    at.line,
                    at.column,
                    describe(&event)
                ),
                Exit::Violated,
            )
        }
        (Some(event), _) => (describe(&event), Exit::Violated),
        (None, _) if ending.rest == Rest::ValidEnd => ("valid end state".to_owned(), Exit::Holds),
        (None, _) => (
            "the trail ends; the model could go on".to_owned(),
            Exit::Holds,
        ),
    }
}

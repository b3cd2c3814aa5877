//! `ample simulate`: one run, chosen at random, by a trail or by the user.
//!
//! The run goes to standard output in SPIN's layout; the seed and the result of the run go to standard error.

use super::model;
use super::output::output;
use super::replay::{choices, conclusion};
use super::{Exit, files, say, written};
use crate::check::Model;
use crate::config::{Simulate, Steered, What};
use crate::limits::Cancellation;
use crate::machine::Fault;
use crate::report::printable::Printable;
use crate::simulate::interactive::Session;
use crate::simulate::{
    Guide, Happened, Narrator, Random, Script, Shown, Simulator, Stop, run as execute,
};
use crate::trace::{Ending, Rest};
use anyhow::bail;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub(super) fn run(config: &Simulate) -> anyhow::Result<Exit> {
    if config.steered == Steered::Hand && config.model.source.path == Path::new(files::STDIN) {
        bail!("--interactive reads standard input, so the model cannot come from there");
    }
    let start = Instant::now();
    let cancellation = Cancellation::default().after(start, config.time);
    let input = match &config.steered {
        Steered::Trail(path) => model::of_trail(&config.model, path),
        _ => config.model.clone(),
    };
    let model = match model::read_within(&input, &What::All, &cancellation)? {
        Ok(Some(model)) => model,
        Ok(None) => return Ok(Exit::Usage),
        Err(stop) => {
            say(&format!("{stop} while reading the model\n"));
            return Ok(Exit::Inconclusive);
        }
    };
    let mut simulator = match Simulator::start(Arc::clone(&model.program)) {
        Ok(simulator) => simulator.with_cancellation(&cancellation),
        Err(fault) => return Ok(conclude(&model, &Ending::of(fault))),
    };
    let shown = Shown {
        moves: config.moves || config.steered == Steered::Hand,
        messages: config.messages,
        timeouts: !matches!(config.steered, Steered::Trail(_)),
    };
    let mut narrator = Narrator::new(&model.program, &model.sources, shown);
    let result = match &config.steered {
        Steered::Hand => by_hand(config, &model, &mut simulator, &mut narrator),
        Steered::Chance => {
            let mut random = Random::seeded(seed(config));
            guided(config, &model, &mut simulator, &mut narrator, &mut random)
        }
        Steered::Trail(path) => {
            let mut script = script(&model, path)?;
            guided(config, &model, &mut simulator, &mut narrator, &mut script)
        }
    };
    let mut exit = Exit::Holds;
    written(result.map(|end| exit = end))?;
    Ok(exit)
}

/// The seed that was given, or a random one; printed either way.
fn seed(config: &Simulate) -> u64 {
    let fresh = || RandomState::new().hash_one(0) & u64::from(u32::MAX);
    let seed = config.seed.unwrap_or_else(fresh);
    say(&format!("seed {seed}\n"));
    seed
}

fn script(model: &Model, path: &Path) -> anyhow::Result<Script> {
    choices(model, path).map(Script::new)
}

fn guided(
    config: &Simulate,
    model: &Model,
    simulator: &mut Simulator,
    narrator: &mut Narrator<'_>,
    guide: &mut dyn Guide,
) -> io::Result<Exit> {
    let mut out = output();
    let mut see = |simulator: &mut Simulator, happened: &Happened| {
        out.write_all(narrator.tell(simulator, happened).as_bytes())
    };
    let stop = execute(simulator, guide, config.steps, &mut see)?;
    let exit = match &stop {
        Stop::At(ending) => {
            out.write_all(narrator.stopped(simulator, ending).as_bytes())?;
            out.flush()?;
            conclude(model, ending)
        }
        Stop::Limit => {
            out.flush()?;
            say(&format!("stopped after {} moves (--steps)\n", config.steps));
            Exit::Holds
        }
        Stop::GivenUp(stop) => {
            out.flush()?;
            say(&format!("the run was given up: {stop}\n"));
            Exit::Inconclusive
        }
        Stop::Lost(lost) => {
            out.flush()?;
            say(&format!(
                "error: the trail does not fit the model: {lost}\n"
            ));
            Exit::Usage
        }
    };
    out.write_all(narrator.summary(simulator).as_bytes())?;
    out.flush()?;
    Ok(exit)
}

fn by_hand(
    config: &Simulate,
    model: &Model,
    simulator: &mut Simulator,
    narrator: &mut Narrator<'_>,
) -> io::Result<Exit> {
    let random = Random::seeded(seed(config));
    let mut out = Printable(io::stdout().lock());
    let explain = |fault: &Fault| conclusion(model, &Ending::of(fault.clone())).0;
    let session = Session::new(simulator, narrator, random);
    let ending = session.run(&mut io::stdin().lock(), &mut out, &explain)?;
    out.write_all(narrator.summary(simulator).as_bytes())?;
    Ok(match ending {
        Ending {
            fault: None,
            rest: Rest::Open,
        } => Exit::Holds,
        ending => conclude(model, &ending),
    })
}

/// Prints the result of the run, as `ample replay` does.
fn conclude(model: &Model, ending: &Ending) -> Exit {
    let (text, exit) = conclusion(model, ending);
    say(&format!("{text}\n"));
    exit
}

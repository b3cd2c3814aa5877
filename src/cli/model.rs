//! From a file to a model.

use super::patience::within;
use super::say;
use crate::check::{Model, Read};
use crate::config::{self, What};
use crate::limits::{Cancellation, Stop};
use crate::report::diagnostics as report;
use anyhow::{Context, bail};
use promela_lite::{Diagnostic, Diagnostics, FsLoader, Loader, Severity, SourceMap};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Reads each file once, so that what is named by the digest is what is compiled.
#[derive(Default)]
struct Files {
    read: HashMap<PathBuf, Vec<u8>>,
}

impl Loader for Files {
    fn load(&mut self, path: &Path) -> std::io::Result<Vec<u8>> {
        if let Some(bytes) = self.read.get(path) {
            return Ok(bytes.clone());
        }
        let bytes = FsLoader.load(path)?;
        self.read.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }
}

/// Writes what the compiler has to say, sorted by place.
pub(super) fn complain(messages: config::Messages, diagnostics: &Diagnostics, sources: &SourceMap) {
    let color = std::io::stderr().is_terminal();
    let wanted = |d: &&Diagnostic| messages.warnings || d.severity == Severity::Error;
    for diagnostic in diagnostics.sorted().into_iter().filter(wanted) {
        say(&match messages.format {
            config::Format::Text => report::render(diagnostic, sources, color),
            config::Format::Json => format!("{}\n", report::to_json(diagnostic, sources)),
        });
    }
}

/// Reads a model. Complaints are printed; none is returned if it cannot be used.
pub(super) fn read(config: &config::ModelInput) -> anyhow::Result<Option<Model>> {
    let read = read_within(config, &What::All, &Cancellation::default())?;
    // Nobody gives it up.
    Ok(read.unwrap_or(None))
}

/// The same for a part of what a model states, unless it is given up: a wrong `ltl` block that is not asked for is complained
/// about, but does not keep the rest from being used.
pub(super) fn read_within(
    config: &config::ModelInput,
    what: &What,
    cancellation: &Cancellation,
) -> anyhow::Result<Result<Option<Model>, Stop>> {
    let path = &config.source.path;
    std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut source = config.source.clone();
    source.without_bad_formulas = matches!(what, What::Safety | What::Claim(_));
    let read = match within(cancellation, move || source.read(&mut Files::default())) {
        Ok(read) => read,
        Err(stop) => return Ok(Err(stop)),
    };
    let Read {
        model,
        bad_formulas,
        bad_proposition,
        diagnostics,
        sources,
    } = read;
    complain(config.messages, &diagnostics, &sources);
    if let Some(name) = bad_proposition {
        bail!("{name}: not supported in an automaton");
    }
    let asks_for_bad = matches!(what, What::Claim(name) if bad_formulas.contains(name));
    Ok(Ok(model.filter(|_| !asks_for_bad)))
}

//! From a file to a model.

use super::files::{self, STDIN};
use super::from_spin;
use super::output::{colored, say_styled};
use super::patience::within;
use super::say;
use super::watch::FilesRead;
use crate::check::{Model, Read, Source};
use crate::config::{self, What};
use crate::limits::{Cancellation, Stop};
use crate::report::diagnostics as report;
use crate::report::json::one_line;
use crate::report::place;
use crate::trace::from_json;
use anyhow::{Context, bail};
use promela_lite::loader::{LONGEST, read_all};
use promela_lite::{Diagnostic, Diagnostics, FsLoader, Loader, Severity, SourceMap};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// Reads each file once, so that what is named by the digest is what is compiled.
struct Files {
    read: HashMap<PathBuf, Vec<u8>>,
    source: Source,
    /// The folder that included files are confined to, without links.
    root: Option<PathBuf>,
    /// Who wants to know which files are read.
    seen: Option<FilesRead>,
}

impl Files {
    fn new(config: &config::ModelInput) -> anyhow::Result<Files> {
        let canonical = |root: &PathBuf| {
            let root = std::fs::canonicalize(root);
            root.context("--include-root")
        };
        Ok(Files {
            read: HashMap::new(),
            source: config.source.clone(),
            seen: config.files.clone(),
            root: config.include_root.as_ref().map(canonical).transpose()?,
        })
    }

    /// Reads a file: any that the command line names, and what may be included.
    fn fresh(&self, path: &Path) -> io::Result<Vec<u8>> {
        let named = path == self.source.path || Some(path) == self.source.never.as_deref();
        if named && path == Path::new(STDIN) {
            return read_all(io::stdin().lock(), LONGEST);
        }
        let Some(root) = self.root.as_ref().filter(|_| !named) else {
            return FsLoader.load(path);
        };
        let canonical = std::fs::canonicalize(path)?;
        match canonical.starts_with(root) {
            true => FsLoader.load(&canonical),
            false => Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it is outside of the folder given with --include-root",
            )),
        }
    }
}

impl Loader for Files {
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        if let Some(bytes) = self.read.get(path) {
            return Ok(bytes.clone());
        }
        let bytes = self.fresh(path);
        if let Some(seen) = &self.seen {
            seen.note(path, bytes.as_deref().ok());
        }
        let bytes = bytes?;
        self.read.insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }
}

/// Writes what the compiler has to say, sorted by place.
pub(super) fn complain(messages: config::Messages, diagnostics: &Diagnostics, sources: &SourceMap) {
    let wanted = |d: &&Diagnostic| messages.warnings || d.severity == Severity::Error;
    for diagnostic in diagnostics.sorted().into_iter().filter(wanted) {
        match messages.format {
            config::Format::Text => say_styled(&report::render(diagnostic, sources, colored())),
            config::Format::Json => say(&one_line(&report::to_json(diagnostic, sources))),
        }
    }
}

/// How the model of a trail is read: calls are expanded as deep as they were when the trail was found, and what meant something
/// else than usual then does so now.
pub(super) fn of_trail(config: &config::ModelInput, trail: &Path) -> config::ModelInput {
    let mut config = config.clone();
    let text = files::read(trail).unwrap_or_default();
    if let Ok(trail) = from_json(&text) {
        config.source.call_depth = config.source.call_depth.or(trail.call_depth);
        config.source.variant = config.source.variant.or(trail.variant);
    }
    config
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
    if path != Path::new(STDIN) {
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    let mut source = config.source.clone();
    source.without_bad_formulas = matches!(what, What::Safety | What::Claim(_));
    let source_depth = source.call_depth;
    let mut files = Files::new(config)?;
    let read = within(cancellation, move || {
        let read = source.read(&mut files);
        (read, files.read)
    });
    let (read, texts) = match read {
        Ok(read) => read,
        Err(stop) => return Ok(Err(stop)),
    };
    if config.messages.warnings && config.messages.format == config::Format::Text {
        say(&from_spin::directives(&config.source.defines, &texts));
    }
    let Read {
        model,
        bad_formulas,
        bad_proposition,
        too_large,
        diagnostics,
        sources,
    } = read;
    complain(config.messages, &diagnostics, &sources);
    if let Some(name) = bad_proposition {
        bail!("{name}: not supported in an automaton");
    }
    if let Some(large) = too_large {
        let at = place(&sources, large.span);
        bail!("{}:{}: {large}; lower --call-depth", at.file, at.line);
    }
    let unbounded = |model: &Model| model.call_depth.is_none();
    if source_depth.is_some() && model.as_ref().is_some_and(unbounded) {
        bail!("--call-depth has no effect: the model has no recursive procedure");
    }
    let asks_for_bad = matches!(what, What::Claim(name) if bad_formulas.contains(name));
    Ok(Ok(model.filter(|_| !asks_for_bad)))
}

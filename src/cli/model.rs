//! From a file to a program.

use super::say;
use crate::config::{self, What};
use crate::report::diagnostics as report;
use crate::trace::digest;
use anyhow::{Context, bail};
use promela_lite::opt::Passes;
use promela_lite::program::{Formula, Program};
use promela_lite::{Diagnostic, Diagnostics, Extra, Input, Loader, Options, Severity, SourceMap};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model that can be executed.
pub(super) struct Model {
    pub(super) name: String,
    pub(super) digest: String,
    pub(super) program: Arc<Program>,
    pub(super) sources: SourceMap,
    /// An automaton of violations from outside.
    pub(super) automaton: Option<Automaton>,
}

/// An automaton, and what its propositions mean in the model.
pub(super) struct Automaton {
    pub(super) name: String,
    pub(super) buchi: ltl::Buchi,
    pub(super) propositions: Vec<Formula>,
}

/// The program that is searched in place of the model's.
pub(super) struct Searched {
    pub(super) program: Arc<Program>,
    /// The passes that made it.
    pub(super) passes: Vec<String>,
}

impl Model {
    /// What is searched: the model after some passes.
    pub(super) fn searched(&self, passes: Passes) -> Searched {
        let mut program = Program::clone(&self.program);
        let done = passes.apply(&mut program);
        Searched {
            program: if done.is_empty() {
                Arc::clone(&self.program)
            } else {
                Arc::new(program)
            },
            passes: done.into_iter().map(str::to_owned).collect(),
        }
    }
}

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
        let bytes = std::fs::read(path)?;
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

/// Compiles a model. Complaints are printed; none is returned if it cannot be used.
pub(super) fn compile(config: &config::Model) -> anyhow::Result<Option<Model>> {
    compile_for(config, &What::All)
}

/// The same for a part of what a model states: a wrong `ltl` block that is not asked for is complained about, but does not
/// keep the rest from being used.
pub(super) fn compile_for(config: &config::Model, what: &What) -> anyhow::Result<Option<Model>> {
    let name = config.path.display().to_string();
    std::fs::metadata(&config.path).with_context(|| format!("cannot read {name}"))?;
    let options = Options {
        defines: config.defines.clone(),
    };
    let mut files = Files::default();
    let text = promela_lite::preprocessed(&config.path, &options, &mut files);
    let mut formulas = config.formulas.clone();
    // Propositions are compiled as formulas are; the comparison makes one condition of each.
    let propositions = config.automaton.iter().flat_map(|a| &a.propositions);
    formulas.extend(propositions.map(|p| (format!("proposition {p}"), format!("({p}) != 0"))));
    let extra: Vec<Extra> = config.never.iter().cloned().map(Extra::File).collect();
    let input = Input {
        options,
        extra: &extra,
        formulas: &formulas,
        without_bad_formulas: matches!(what, What::Safety | What::Claim(_)),
    };
    let compiled = promela_lite::compile(&config.path, &input, &mut files);
    complain(config.messages, &compiled.diagnostics, &compiled.sources);
    if matches!(what, What::Claim(name) if compiled.bad_formulas.contains(name)) {
        return Ok(None);
    }
    let Some(mut program) = compiled.program else {
        return Ok(None);
    };
    // A proposition is no property that could be passed over: its automaton would mean something else.
    let propositions = config
        .automaton
        .as_ref()
        .map_or(0, |a| a.propositions.len());
    let first = program.ltl.len() - propositions;
    if let Some(bad) = program.ltl[first..].iter().find(|p| p.refused.is_some()) {
        bail!("{}: not supported in an automaton", bad.name);
    }
    let automaton = config.automaton.as_ref().map(|a| Automaton {
        name: a.name.clone(),
        buchi: a.buchi.clone(),
        propositions: program.ltl.drain(first..).map(|p| p.formula).collect(),
    });
    Ok(Some(Model {
        name,
        digest: digest(text.as_bytes()),
        program: Arc::new(program),
        sources: compiled.sources,
        automaton,
    }))
}

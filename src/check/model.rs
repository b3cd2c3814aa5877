//! From a text to a model that can be checked.

use super::goal::{Automaton, Goal, NON_PROGRESS, NON_PROGRESS_FORMULA};
use crate::report::place;
use crate::trace::digest;
use promela_lite::expand_calls::{DEFAULT_DEPTH, TooLarge, expand, has_recursion};
use promela_lite::program::Program;
use promela_lite::variant::{ignore_assertions, lose_messages};
use promela_lite::{
    Diagnostics, Extra, FsLoader, Input, Loader, MemoryLoader, Options as Macros, Severity,
    SourceMap, compile, preprocessed,
};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model that can be checked.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name, for messages.
    pub name: String,
    /// Names its preprocessed text: see [`digest`].
    pub digest: String,
    /// The program, calls of procedures expanded.
    pub program: Arc<Program>,
    /// The program with its procedures; the same where there are none.
    pub recursive: Arc<Program>,
    /// How deep calls are expanded, if there are recursive procedures.
    pub call_depth: Option<u32>,
    /// What means something else than usual.
    pub variant: Variant,
    /// Where its parts are in the text.
    pub sources: Arc<SourceMap>,
    /// An automaton of violations from outside.
    pub automaton: Option<Automaton>,
}

/// Where a model comes from, and what is added to it.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Macros.
    pub defines: Vec<(String, Option<String>)>,
    /// Formulas besides those of the model, with their names.
    pub formulas: Vec<(String, String)>,
    /// Whether progress labels are a goal.
    pub non_progress: bool,
    /// A file with a `never` claim.
    pub never: Option<PathBuf>,
    /// An automaton of violations.
    pub automaton: Option<ForeignAutomaton>,
    /// Whether `ltl` blocks that are wrong are left out, if nothing else is wrong.
    pub without_bad_formulas: bool,
    /// How deep calls of recursive procedures are followed; [`DEFAULT_DEPTH`] if not said.
    pub call_depth: Option<u32>,
    /// What is to mean something else than usual.
    pub variant: Variant,
}

/// What of a model means something else than usual: see [`promela_lite::variant`].
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Sends to full channels lose the message.
    pub lossy_sends: bool,
    /// Assertions do not count.
    pub ignore_assertions: bool,
}

impl Variant {
    /// Either of two.
    pub fn or(self, other: Variant) -> Variant {
        Variant {
            lossy_sends: self.lossy_sends || other.lossy_sends,
            ignore_assertions: self.ignore_assertions || other.ignore_assertions,
        }
    }

    /// What there is to say of it in a report.
    pub fn notes(self) -> Vec<String> {
        let lossy = self
            .lossy_sends
            .then_some("sends to full channels lose the message");
        let ignored = self
            .ignore_assertions
            .then_some("assertions of processes are ignored");
        let notes = lossy.into_iter().chain(ignored);
        notes.map(str::to_owned).collect()
    }
}

/// An automaton, not yet about a model.
#[derive(Clone, Debug)]
pub struct ForeignAutomaton {
    /// What it is called.
    pub name: String,
    /// Accepts the words of violating runs; atom *i* is the *i*-th proposition.
    pub buchi: ltl::Buchi,
    /// Promela expressions.
    pub propositions: Vec<String>,
}

/// What reading a model gives: what there is to say about it, and the model if it can be used.
#[derive(Debug)]
pub struct Read {
    /// The model.
    pub model: Option<Model>,
    /// The `ltl` blocks that were left out.
    pub bad_formulas: Vec<String>,
    /// What cannot be used of an automaton from outside.
    pub bad_proposition: Option<String>,
    /// Why calls cannot be expanded that deep.
    pub too_large: Option<TooLarge>,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// What they are about.
    pub sources: Arc<SourceMap>,
}

impl Model {
    /// The same model, calls being expanded to another depth.
    pub fn expanded(&self, depth: u32) -> Result<Model, TooLarge> {
        Ok(Model {
            name: self.name.clone(),
            digest: self.digest.clone(),
            program: Arc::new(expand(&self.recursive, depth)?),
            recursive: Arc::clone(&self.recursive),
            call_depth: self.call_depth.map(|_| depth),
            variant: self.variant,
            sources: Arc::clone(&self.sources),
            automaton: self.automaton.clone(),
        })
    }
}

impl Source {
    /// The model in a file.
    pub fn file(path: impl Into<PathBuf>) -> Source {
        Source {
            path: path.into(),
            ..Source::default()
        }
    }

    /// Reads it with the files that `loader` gives.
    pub fn read(&self, loader: &mut dyn Loader) -> Read {
        let options = Macros {
            defines: self.defines.clone(),
        };
        let text = preprocessed(&self.path, &options, loader);
        let mut formulas = self.formulas.clone();
        if self.non_progress {
            formulas.push((NON_PROGRESS.to_owned(), NON_PROGRESS_FORMULA.to_owned()));
        }
        // Propositions are compiled as formulas are; the comparison makes one condition of each.
        let propositions = self.automaton.iter().flat_map(|a| &a.propositions);
        formulas.extend(propositions.map(|p| (format!("proposition {p}"), format!("({p}) != 0"))));
        let extra: Vec<Extra> = self.never.iter().cloned().map(Extra::Claim).collect();
        let input = Input {
            options,
            extra: &extra,
            formulas: &formulas,
            without_bad_formulas: self.without_bad_formulas,
        };
        let compiled = compile(&self.path, &input, loader);
        let sources = Arc::new(compiled.sources);
        let (mut bad_proposition, mut too_large) = (None, None);
        let model = compiled.program.and_then(|mut program| {
            let automaton = self.automaton.as_ref().map(|a| {
                let first = program.ltl.len() - a.propositions.len();
                let propositions: Vec<_> = program.ltl.drain(first..).collect();
                // A proposition is no property that could be passed over: its automaton would mean something else.
                let bad = propositions.iter().find(|p| p.refused.is_some());
                bad_proposition = bad.map(|p| p.name.clone());
                Automaton {
                    name: a.name.clone(),
                    buchi: a.buchi.clone(),
                    propositions: propositions.into_iter().map(|p| p.formula).collect(),
                }
            });
            if bad_proposition.is_some() {
                return None;
            }
            if self.variant.lossy_sends {
                lose_messages(&mut program);
            }
            if self.variant.ignore_assertions {
                ignore_assertions(&mut program);
            }
            debug_assert_eq!(promela_lite::verify::verify(&program), []);
            let recursive = Arc::new(program);
            let depth = self.call_depth.unwrap_or(DEFAULT_DEPTH);
            let program = match recursive.procedures.is_empty() {
                true => Ok(Arc::clone(&recursive)),
                false => expand(&recursive, depth).map(Arc::new),
            };
            Some(Model {
                name: self.path.display().to_string(),
                digest: digest(text.as_bytes()),
                program: program.map_err(|large| too_large = Some(large)).ok()?,
                call_depth: has_recursion(&recursive).then_some(depth),
                variant: self.variant,
                recursive,
                sources: Arc::clone(&sources),
                automaton,
            })
        });
        Read {
            model,
            bad_formulas: compiled.bad_formulas,
            bad_proposition,
            too_large,
            diagnostics: compiled.diagnostics,
            sources,
        }
    }
}

/// Why a text is no model: the errors, each with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAModel(pub Vec<String>);

impl fmt::Display for NotAModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for NotAModel {}

impl Read {
    /// The model, or its errors.
    pub fn into_model(self) -> Result<Model, NotAModel> {
        let Read {
            model,
            bad_proposition,
            too_large,
            diagnostics,
            sources,
            ..
        } = self;
        model.ok_or_else(|| {
            let sorted = diagnostics.sorted();
            let errors = sorted.iter().filter(|d| d.severity == Severity::Error);
            let errors = errors.map(|d| {
                let at = place(&sources, d.primary.span);
                format!("{}:{}:{}: {}", at.file, at.line, at.column, d.message)
            });
            let bad = bad_proposition.map(|name| format!("{name}: not supported in an automaton"));
            let large = too_large.map(|large| {
                let at = place(&sources, large.span);
                format!("{}:{}:{}: {large}", at.file, at.line, at.column)
            });
            NotAModel(errors.chain(bad).chain(large).collect())
        })
    }
}

impl Model {
    /// The model of a Promela text.
    pub fn from_source(text: &str) -> Result<Model, NotAModel> {
        const NAME: &str = "model.pml";
        let mut loader = MemoryLoader::default().with(NAME, text);
        Source::file(NAME).read(&mut loader).into_model()
    }

    /// The model in a file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Model, NotAModel> {
        Source::file(path.as_ref()).read(&mut FsLoader).into_model()
    }

    /// Everything that the model states, safety first.
    pub fn goals(&self) -> Vec<Goal> {
        Goal::all(self)
    }

    /// What it states under that name.
    pub fn goal(&self, name: &str) -> Option<Goal> {
        self.goals().into_iter().find(|g| g.name(self) == name)
    }
}

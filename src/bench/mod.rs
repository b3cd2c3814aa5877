//! Benchmarks of the reduction: full and reduced searches of the same models side by side.
//!
//! The table is Figure 8 of D. Peled, "Combining partial order reductions with on-the-fly model checking" (Formal Methods
//! in System Design 8, 1996): states, transitions, memory and time of both searches. The paper's figures are those of
//! searches that visit everything there is, checking that some label is passed infinitely often; so are these. Where the
//! property is violated the search goes on past the violation to the end, or the figures would depend on where the
//! violation is found.
//!
//! Both searches must come to the same verdict: a benchmark of a reduction that changes it would be worthless, so this is
//! compared every time.
//!
//! [`run`] makes the measurements, [`spin`] those of SPIN, [`table`] and [`svg`] show them. Nothing here prints.

pub(crate) mod run;
pub(crate) mod spin;
pub(crate) mod svg;
pub(crate) mod table;

use crate::check::{Read, Source};
use promela_lite::{FsLoader, MemoryLoader};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A model that the program carries with it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct BuiltIn {
    /// Its name.
    pub(crate) name: &'static str,
    text: &'static str,
    /// Parameters that make it large enough to be measured.
    parameters: &'static str,
    /// In the paper: states in full and reduced.
    pub(crate) paper: Option<(u64, u64)>,
}

macro_rules! built_in {
    ($directory:literal, $name:literal, $parameters:literal, $paper:expr) => {
        BuiltIn {
            name: $name,
            text: include_str!(concat!("../../", $directory, "/", $name, ".pml")),
            parameters: $parameters,
            paper: $paper,
        }
    };
}

/// The paper's seven protocols, with parameters that give at least the sizes it has.
pub(crate) const SEVEN: [BuiltIn; 7] = [
    built_in!("examples", "sieve", "N=10", Some((670_399, 995))),
    built_in!("examples", "urp", "W=3,LOSSES=3,B=4", Some((2_165, 575))),
    built_in!("examples", "abp", "B=2", Some((378, 378))),
    built_in!("examples", "snoopy", "VALUES=6", Some((367_867, 131_702))),
    built_in!("examples", "pftp", "PARTS=3", Some((893_575, 210_919))),
    built_in!("examples", "dtp", "K=12,B=12", Some((754_225, 233_191))),
    built_in!("examples", "accounting", "N=4", Some((71_053, 10_634))),
];

/// Models in which there is nothing to reduce.
pub(crate) const IRREDUCIBLE: [BuiltIn; 2] = [
    built_in!("benches/overhead", "counter", "LIMIT=240", None),
    built_in!("benches/overhead", "mailbox", "B=5", None),
];

/// Where a model comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program itself.
    BuiltIn(BuiltIn),
    /// A file.
    File(PathBuf),
}

/// A model with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// Macros.
    pub(crate) defines: Vec<(String, Option<String>)>,
}

impl Subject {
    /// Reads `MODEL[:NAME[=VALUE],…]`, where MODEL is a file or the name of a model that the program carries.
    pub(crate) fn parse(text: &str) -> Subject {
        let (model, parameters) = match text.rsplit_once(':') {
            Some((model, parameters)) if !Path::new(text).exists() => (model, Some(parameters)),
            _ => (text, None),
        };
        let carried = SEVEN.iter().chain(&IRREDUCIBLE).find(|b| b.name == model);
        match carried.filter(|_| !Path::new(model).exists()) {
            Some(&built_in) => Subject {
                defines: defines(parameters.unwrap_or(built_in.parameters)),
                origin: Origin::BuiltIn(built_in),
            },
            None => Subject {
                origin: Origin::File(PathBuf::from(model)),
                defines: defines(parameters.unwrap_or_default()),
            },
        }
    }

    /// A model that the program carries, at the size at which it is measured.
    pub(crate) fn built_in(built_in: BuiltIn) -> Subject {
        Subject {
            origin: Origin::BuiltIn(built_in),
            defines: defines(built_in.parameters),
        }
    }

    /// The model's name.
    pub(crate) fn name(&self) -> String {
        match &self.origin {
            Origin::BuiltIn(built_in) => built_in.name.to_owned(),
            Origin::File(path) => match path.file_stem() {
                Some(stem) => stem.to_string_lossy().into_owned(),
                None => path.display().to_string(),
            },
        }
    }

    /// The parameters as they were given.
    pub(crate) fn parameters(&self) -> String {
        let one = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        self.defines.iter().map(one).collect::<Vec<_>>().join(",")
    }

    /// Reads it.
    pub(crate) fn read(&self) -> Read {
        let source = |path: PathBuf| Source {
            defines: self.defines.clone(),
            ..Source::file(path)
        };
        match &self.origin {
            Origin::File(path) => source(path.clone()).read(&mut FsLoader),
            Origin::BuiltIn(built_in) => {
                let path = PathBuf::from(format!("{}.pml", built_in.name));
                let mut memory = MemoryLoader::default().with(&path, built_in.text);
                source(path).read(&mut memory)
            }
        }
    }
}

fn defines(text: &str) -> Vec<(String, Option<String>)> {
    let one = |part: &str| match part.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (part.to_owned(), None),
    };
    text.split(',').filter(|p| !p.is_empty()).map(one).collect()
}

/// What one search took.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Figures {
    /// States stored.
    pub(crate) states: u64,
    /// Transitions, as SPIN counts them.
    pub(crate) transitions: u64,
    /// Memory for states and stack; of SPIN, for states alone.
    pub(crate) memory_bytes: u64,
    /// Time of the search alone, the least of all repetitions: processor time where that is known; of SPIN, what it says.
    pub(crate) seconds: f64,
    /// Whether everything was visited; else all of this is a lower bound.
    pub(crate) complete: bool,
}

/// Two searches of the same model that differ in nothing but the reduction.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Pair {
    /// Without reduction.
    pub(crate) full: Figures,
    /// With it.
    pub(crate) reduced: Figures,
}

impl Pair {
    /// How many times as many states the full search has; none where that is not known.
    pub(crate) fn ratio_of_states(&self) -> Option<f64> {
        self.ratio(|f| f.states as f64)
    }

    /// The same of something else. What is incomplete in full is at least that; what is incomplete reduced says nothing.
    pub(crate) fn ratio(&self, of: impl Fn(&Figures) -> f64) -> Option<f64> {
        let (full, reduced) = (of(&self.full), of(&self.reduced));
        (self.reduced.complete && reduced > 0.0).then(|| full / reduced)
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Row {
    /// The model.
    pub(crate) model: String,
    /// Its parameters.
    pub(crate) parameters: String,
    /// `safety`, or the name of the property.
    pub(crate) property: String,
    /// What both searches found.
    pub(crate) verdict: crate::verdict::Word,
    /// Why there was no reduction, if there was none.
    pub(crate) note: Option<String>,
    /// Our figures.
    #[serde(flatten)]
    pub(crate) ours: Pair,
    /// SPIN's, where they were asked for.
    pub(crate) spin: Option<Pair>,
    /// States in full and reduced that the paper has for a program of that name.
    pub(crate) paper: Option<(u64, u64)>,
}

/// All that was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    /// Where there were passes.
    pub(crate) passed: run::Passed,
    /// How often each search was made.
    pub(crate) repeat: usize,
    /// The lines.
    pub(crate) rows: Vec<Row>,
}

impl Report {
    /// What the figures are figures of, in words.
    pub(crate) fn caption(&self) -> String {
        let program = match self.passed {
            run::Passed::None => {
                "Both searches are of the model as written: the difference is the reduction alone."
            }
            run::Passed::Both => {
                "Both searches merge statements and reset dead variables: the difference is the reduction alone."
            }
            run::Passed::Reduced => {
                "The full search is of the model as written; the reduced one merges statements and resets dead variables too."
            }
        };
        let times = match self.repeat {
            0 | 1 => String::new(),
            n => format!(" Times are the best of {n}."),
        };
        format!(
            "{program} Every search visits all there is, past violations; with a property, states are those of the product.{times}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_subjects() {
        for (text, name, parameters, carried) in [
            ("sieve", "sieve", "N=10", true),
            ("sieve:N=3", "sieve", "N=3", true),
            ("sieve:", "sieve", "", true),
            ("urp:W=1,B=2", "urp", "W=1,B=2", true),
            ("dir/some.pml:FAST,N=2", "some", "FAST,N=2", false),
            ("dir/some.pml", "some", "", false),
        ] {
            let subject = Subject::parse(text);
            assert_eq!(subject.name(), name, "{text}");
            assert_eq!(subject.parameters(), parameters, "{text}");
            let is_carried = matches!(subject.origin, Origin::BuiltIn(_));
            assert_eq!(is_carried, carried, "{text}");
        }
    }

    #[test]
    fn all_models_that_are_carried_compile_and_state_progress() {
        for built_in in SEVEN.iter().chain(&IRREDUCIBLE) {
            let model = Subject::built_in(*built_in).read().model;
            let model = model.expect("it compiles");
            assert!(model.goal("progress").is_some());
        }
    }
}

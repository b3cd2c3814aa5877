//! `ample.toml`: what a project says about how its models are checked.
//!
//! ```toml
//! [model]                       # every command that reads a model
//! define = ["N=3", "FAST"]
//! [check]                       # `ample check`, by the long names of its options
//! time = "10m"
//! no-end-check = true
//! [test]                        # `ample test`
//! paths = ["models"]
//! jobs = 2
//! [models."models/ring.pml"]    # one model: options of [model] and [check]
//! define = ["N=5"]
//! ```
//!
//! The file is searched for upwards from the model, then from the current folder. It becomes words in front of those of the
//! command line, which are then parsed together: so its values are read by the same code, and every option means the same in
//! both. An option on the command line takes the place of the same one in the file, and of those that conflict with it. Every
//! key of the file is checked, whichever command runs.

use super::args::{Args, ModelArgs};
use super::files::{self, STDIN};
use anyhow::{Context, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, CommandFactory};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The name of the file.
const NAME: &str = "ample.toml";

/// Sections named after the command whose options they have.
const COMMANDS: [&str; 4] = ["check", "graph", "simulate", "test"];

/// Commands that read a model, and so use the file.
const READERS: [&str; 5] = ["check", "explain", "graph", "replay", "simulate"];

/// The key for macros, which have no long option.
const DEFINE: &str = "define";
/// The key for the models of `ample test`.
const PATHS: &str = "paths";

/// Options that are about one run, or name files that are written.
const NOT_FOR_FILES: [&str; 16] = [
    "checkpoint",
    "dry-run",
    "help",
    "help-all",
    "interactive",
    "itf",
    "msc",
    "no-config",
    "quiet",
    "report",
    "resume",
    "spill",
    "syntax-only",
    "trail",
    "version",
    "watch",
];

/// Options whose values are files, relative to the folder of `ample.toml`.
const FILES: [&str; 4] = ["hoa", "include-root", "ltl-file", "never"];

/// A key of the file: its values, and where it stands.
#[derive(Clone, Debug)]
struct Entry {
    values: Vec<String>,
    line: usize,
}

/// Keys with their values.
type Section = BTreeMap<String, Entry>;

/// The file, read.
#[derive(Debug)]
pub(super) struct Project {
    path: PathBuf,
    sections: BTreeMap<String, Section>,
    models: BTreeMap<String, Section>,
    /// What it adds to the command line.
    words: Vec<(usize, OsString)>,
}

impl Project {
    /// The project that a command line is about, if there is one and it is wanted.
    pub(super) fn of(matches: &ArgMatches) -> anyhow::Result<Option<Project>> {
        let Some((name, given)) = matches.subcommand() else {
            return Ok(None);
        };
        let reads = READERS.contains(&name);
        if !(reads || name == "test") || given.get_flag("no_config") {
            return Ok(None);
        }
        let model = match reads {
            true => given.get_one::<PathBuf>("model"),
            false => None,
        };
        let is_network = |path: &&PathBuf| path.extension().is_some_and(|e| e == "pds");
        if model.as_ref().is_some_and(is_network) {
            return Ok(None);
        }
        let Some(path) = find(model.map(PathBuf::as_path)) else {
            return Ok(None);
        };
        let mut project = Project::read(&path)?;
        project.words = project.words_for(name, given, model);
        Ok(Some(project))
    }

    fn read(path: &Path) -> anyhow::Result<Project> {
        let text = files::read(path)?;
        let name = path.display();
        let table = DeTable::parse(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            anyhow::anyhow!("{name}:{}: {}", line(&text, at), error.message())
        })?;
        let mut project = Project {
            path: path.to_owned(),
            sections: BTreeMap::new(),
            models: BTreeMap::new(),
            words: Vec::new(),
        };
        for (key, value) in table.get_ref() {
            let at = line(&text, key.span().start);
            let key = key.get_ref().as_ref();
            let known = key == "model" || key == "models" || COMMANDS.contains(&key);
            let Some(section) = value.get_ref().as_table().filter(|_| known) else {
                bail!(
                    "{name}:{at}: unknown section `{key}`; there are [model], [check], [graph], [simulate], [test] and \
                     [models.\"PATH\"]"
                );
            };
            if key != "models" {
                let section = read_section(path, &text, key, section)?;
                project.sections.insert(key.to_owned(), section);
                continue;
            }
            for (model, value) in section {
                let at = line(&text, model.span().start);
                let model = model.get_ref().as_ref();
                let Some(section) = value.get_ref().as_table() else {
                    bail!("{name}:{at}: [models.\"{model}\"] is a table of options");
                };
                let section = read_section(path, &text, key, section)?;
                project.models.insert(model.to_owned(), section);
            }
        }
        Ok(project)
    }

    /// Whether the file says anything about an option of checks.
    pub(super) fn sets(&self, option: &str) -> bool {
        let sections = ["model", "check"];
        let sections = sections.iter().filter_map(|name| self.sections.get(*name));
        let mut all = sections.chain(self.models.values());
        all.any(|section| section.contains_key(option))
    }

    /// What is added to the command line of a command.
    fn words_for(
        &self,
        name: &str,
        given: &ArgMatches,
        model: Option<&PathBuf>,
    ) -> Vec<(usize, OsString)> {
        let mut command = Args::command();
        command.build();
        let Some(command) = command.find_subcommand(name) else {
            return Vec::new();
        };
        let mut merged = Section::new();
        let general = self.sections.get("model").filter(|_| model.is_some());
        let own = self.sections.get(name);
        let of_model = model.and_then(|model| self.section_of(model));
        for section in [general, own, of_model].into_iter().flatten() {
            for (key, entry) in section {
                match merged.get_mut(key) {
                    // Macros are one by one.
                    Some(old) if key == DEFINE => old.values.extend(entry.values.clone()),
                    _ => _ = merged.insert(key.clone(), entry.clone()),
                }
            }
        }
        let mut words = Vec::new();
        for (key, entry) in merged {
            let Some(arg) = argument(command, &key) else {
                continue;
            };
            let typed = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
            let conflicts = command.get_arg_conflicts_with(arg);
            let contradicts = |other: &&Arg| {
                let back = command.get_arg_conflicts_with(other);
                conflicts.contains(other) || back.contains(&arg)
            };
            let others = command
                .get_arguments()
                .filter(|other| typed(other.get_id().as_str()));
            let is_list = key == DEFINE;
            if !is_list && typed(arg.get_id().as_str())
                || others.filter(|o| *o != arg).any(|o| contradicts(&o))
            {
                continue;
            }
            let values = match is_list {
                true => macros(entry.values, given),
                false => entry.values,
            };
            for value in values {
                let word = match (key.as_str(), arg.get_action()) {
                    (DEFINE, _) => format!("-D{value}"),
                    (PATHS, _) => self.folder().join(value).display().to_string(),
                    (_, ArgAction::SetTrue) if value == "true" => format!("--{key}"),
                    (_, ArgAction::SetTrue) => continue,
                    _ if FILES.contains(&key.as_str()) => {
                        format!("--{key}={}", self.folder().join(value).display())
                    }
                    _ => format!("--{key}={value}"),
                };
                words.push((entry.line, OsString::from(word)));
            }
        }
        words
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// What is said about one model.
    fn section_of(&self, model: &Path) -> Option<&Section> {
        let model = std::fs::canonicalize(model).ok()?;
        let named = |name: &str| std::fs::canonicalize(self.folder().join(name)).ok();
        let mut models = self.models.iter();
        let found = models.find(|(name, _)| named(name).as_ref() == Some(&model));
        found.map(|(_, section)| section)
    }

    /// The command line with what the file adds to it.
    pub(super) fn extend(&self, mut line: Vec<OsString>) -> Vec<OsString> {
        let behind = line.len().min(2);
        let words = self.words.iter().map(|(_, word)| word.clone());
        line.splice(behind..behind, words);
        line
    }

    /// Which file it is, and what is taken from it.
    pub(super) fn described(&self) -> String {
        let words = self.words.iter().map(|(_, word)| word.to_string_lossy());
        let words: Vec<_> = words.collect();
        match words.is_empty() {
            true => format!("{}: nothing for this", self.path.display()),
            false => format!("{}: {}", self.path.display(), words.join(" ")),
        }
    }

    /// The place of the option that an error of the command line is about, if the file has it.
    pub(super) fn place(&self, error: &str) -> Option<String> {
        let about = |word: &str| {
            let option = word.split('=').next().unwrap_or(word);
            error.contains(option) || error.contains(word)
        };
        let mut words = self.words.iter();
        let (line, _) = words.find(|(_, word)| about(&word.to_string_lossy()))?;
        Some(format!("{}:{line}", self.path.display()))
    }
}

/// Where a file for a model could be, up to the first that is there.
pub(super) fn candidates(model: &Path) -> impl Iterator<Item = PathBuf> {
    let path = std::fs::canonicalize(model).unwrap_or_default();
    let folders: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_owned).collect();
    let mut found = false;
    let files = folders.into_iter().map(|folder| folder.join(NAME));
    files.take_while(move |file| !std::mem::replace(&mut found, file.is_file()))
}

/// Searches upwards from a model, then from the current folder.
fn find(model: Option<&Path>) -> Option<PathBuf> {
    let of_model = model.filter(|model| *model != Path::new(STDIN));
    let of_model = of_model.and_then(|model| std::fs::canonicalize(model).ok());
    let of_model = of_model.and_then(|model| model.parent().map(Path::to_owned));
    let starts = of_model.into_iter().chain(std::env::current_dir().ok());
    let folders: Vec<PathBuf> = starts.collect();
    let mut files = folders
        .iter()
        .flat_map(|folder| folder.ancestors())
        .map(|folder| folder.join(NAME));
    files.find(|file| file.is_file())
}

/// The line of a place in a text, from 1.
fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

/// The argument of a command that a key stands for.
fn argument<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    if NOT_FOR_FILES.contains(&key) {
        return None;
    }
    let mut all = command.get_arguments();
    all.find(|arg| match key {
        DEFINE => arg.get_id() == "defines",
        PATHS => arg.get_id() == "paths",
        key => arg.get_long() == Some(key),
    })
}

/// Macros of which none is defined again further on, nor on the command line.
fn macros(values: Vec<String>, given: &ArgMatches) -> Vec<String> {
    let name = |text: &str| text.split('=').next().unwrap_or(text).to_owned();
    let typed = given.get_many::<String>("defines");
    let mut names: Vec<String> = typed.into_iter().flatten().map(|text| name(text)).collect();
    let mut kept = Vec::new();
    for value in values.into_iter().rev() {
        if !names.contains(&name(&value)) {
            names.push(name(&value));
            kept.push(value);
        }
    }
    kept.reverse();
    kept
}

/// Reads a section, whose keys must be options of a command.
fn read_section(
    path: &Path,
    text: &str,
    name: &str,
    table: &DeTable<'_>,
) -> anyhow::Result<Section> {
    let command = match name {
        "model" => ModelArgs::augment_args(Command::new("model")),
        name => {
            let all = Args::command();
            let name = if name == "models" { "check" } else { name };
            let found = all.find_subcommand(name);
            found.context("a section is a command")?.clone()
        }
    };
    let mut section = Section::new();
    for (key, value) in table {
        let line = line(text, key.span().start);
        let key = key.get_ref().as_ref();
        let place = format!("{}:{line}", path.display());
        let Some(arg) = argument(&command, key) else {
            bail!(
                "{place}: unknown option `{key}` in [{name}]{}",
                meant(&command, key)
            );
        };
        let values = values(value.get_ref(), arg).with_context(|| format!("{place}: `{key}`"))?;
        section.insert(key.to_owned(), Entry { values, line });
    }
    Ok(section)
}

/// A hint on a key that is no option.
fn meant(command: &Command, key: &str) -> String {
    if NOT_FOR_FILES.contains(&key) {
        return ": it is for the command line only".to_owned();
    }
    let names = command.get_arguments().filter_map(Arg::get_long);
    let names = names.filter(|name| !NOT_FOR_FILES.contains(name));
    let common = |name: &str| {
        let same = name.bytes().zip(key.bytes()).take_while(|(a, b)| a == b);
        same.count()
    };
    match names.max_by_key(|name| common(name)) {
        Some(name) if common(name) >= 3 => format!("; is `{name}` meant?"),
        _ => "; keys are the long names of options, and `define`".to_owned(),
    }
}

/// The values of a key as they would be on the command line.
fn values(value: &DeValue<'_>, arg: &Arg) -> anyhow::Result<Vec<String>> {
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let many = matches!(arg.get_action(), ArgAction::Append) || arg.get_value_delimiter().is_some();
    let one = |value: &DeValue<'_>| match value {
        DeValue::String(text) if !is_flag => Ok(text.as_ref().to_owned()),
        DeValue::Integer(number) if !is_flag && number.radix() == 10 => {
            Ok(number.as_str().trim_start_matches('+').to_owned())
        }
        DeValue::Boolean(flag) if is_flag => Ok(flag.to_string()),
        _ if is_flag => bail!("it is true or false"),
        _ => bail!("it is a string or a number"),
    };
    match value {
        DeValue::Array(list) if many => list.iter().map(|value| one(value.get_ref())).collect(),
        DeValue::Array(_) => bail!("it has one value"),
        value => Ok(vec![one(value)?]),
    }
}

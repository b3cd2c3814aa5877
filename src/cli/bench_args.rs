//! Options of `ample bench`.

use super::output::obeys;
use super::units;
use crate::bench::run::Passed;
use crate::bench::table::{Form, Layout};
use crate::bench::{IRREDUCIBLE, SEVEN, Subject};
use crate::check::Options;
use crate::config;
use anyhow::bail;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, ClapArgs)]
pub(super) struct BenchArgs {
    /// Models with parameters: files, or names of built-in models [default: the seven protocols of Peled's paper: sieve, urp,
    /// abp, snoopy, pftp, dtp, accounting]
    #[arg(value_name = "MODEL[:NAME=VALUE,...]")]
    models: Vec<String>,
    /// Property to check: safety, or the name of an ltl block [default: progress if the model has it, else safety]
    #[arg(long, value_name = "NAME")]
    property: Option<String>,
    /// Which searches use statement merging and dead-variable reset
    #[arg(long, value_enum, default_value_t = PassesArg::None)]
    passes: PassesArg,
    /// Run each search N times, alternating, and report the best time [default: 1; 5 with --overhead]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    repeat: Option<u16>,
    /// Measure the overhead of the reduction where nothing can be reduced [default models: counter, mailbox]
    #[arg(long)]
    overhead: bool,
    /// Measure context-bounded reachability with lazy and eager splitting instead: the tables of Suwimonteerabuth, Esparza and
    /// Schwoon, for models of their programs
    #[arg(long, conflicts_with_all = ["models", "property", "passes", "overhead", "spin", "svg"])]
    contexts: bool,
    /// Measure SPIN too; needs spin and gcc
    #[arg(long)]
    spin: bool,
    /// Output format of the table
    #[arg(long, value_enum, default_value_t = FormArg::Text)]
    format: FormArg,
    /// Write a bar chart of the numbers of states to FILE
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Memory limit per search, such as 512M or 4G [default: nine tenths of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory: Option<u64>,
    /// Time limit per search, such as 90s or 10m
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
}

/// Bytes for each BDD node, with what belongs to it.
const NODE: u64 = 48;
/// Nodes, if no limit on memory is given.
const NODES: u64 = 1 << 22;

impl BenchArgs {
    /// The configuration, if contexts are to be measured.
    pub(super) fn contexts(&self) -> anyhow::Result<Option<config::BenchContexts>> {
        if !self.contexts {
            return Ok(None);
        }
        if matches!(self.format, FormArg::Markdown | FormArg::Csv) {
            bail!("--format: the tables of --contexts are text or json");
        }
        let nodes = self
            .memory
            .map_or(NODES, |bytes| (bytes / NODE).min(1 << 26));
        Ok(Some(config::BenchContexts {
            repeat: usize::from(self.repeat.unwrap_or(1)),
            nodes: nodes as usize,
            time: self.time,
            json: matches!(self.format, FormArg::Json),
        }))
    }

    pub(super) fn ready(self) -> config::Bench {
        let carried = if self.overhead {
            &IRREDUCIBLE[..]
        } else {
            &SEVEN[..]
        };
        let subjects = if self.models.is_empty() {
            carried.iter().copied().map(Subject::built_in).collect()
        } else {
            self.models.iter().map(|m| Subject::parse(m)).collect()
        };
        let usual = if self.overhead { 5 } else { 1 };
        config::Bench {
            subjects,
            property: self.property,
            passed: match self.passes {
                PassesArg::None => Passed::None,
                PassesArg::Both => Passed::Both,
                PassesArg::Reduced => Passed::Reduced,
            },
            repeat: usize::from(self.repeat.unwrap_or(usual)),
            layout: if self.overhead {
                Layout::Overhead
            } else {
                Layout::Savings
            },
            spin: self.spin,
            form: match self.format {
                FormArg::Text => Form::Text,
                FormArg::Markdown => Form::Markdown,
                FormArg::Json => Form::Json,
                FormArg::Csv => Form::Csv,
            },
            svg: self.svg,
            options: Options {
                memory: self.memory,
                time: self.time,
                ..Options::default()
            },
            progress: obeys(),
        }
    }
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum PassesArg {
    /// Neither search: measures the reduction alone, as in the paper
    None,
    /// Both searches: measures the reduction in addition to the passes
    Both,
    /// The reduced search only: measures reduction and passes together
    Reduced,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum FormArg {
    /// Human-readable text
    Text,
    /// Markdown
    Markdown,
    /// A JSON object
    Json,
    /// Comma-separated values
    Csv,
}

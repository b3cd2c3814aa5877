//! The options of `ample test`.

use super::units;
use crate::check::free_memory;
use crate::config;
use anyhow::bail;
use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, ClapArgs)]
pub(super) struct TestArgs {
    /// Folders with models, or single models [default: `paths` of the project's ample.toml]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Models checked at the same time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    jobs: Option<u32>,
    /// Time limit for each goal of a model, such as 90s
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// Memory limit for each model, such as 512M [default: nine tenths of the free memory, shared by those checked at a time]
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory: Option<u64>,
    /// Output format; junit is XML for systems that collect test results
    #[arg(long, value_enum, default_value_t = SuiteFormatArg::Text)]
    format: SuiteFormatArg,
    /// List the models that pass and those without expectations, too
    #[arg(short, long)]
    verbose: bool,
    /// Do not use the project's ample.toml, neither here nor for the models
    #[arg(long)]
    no_config: bool,
}

impl TestArgs {
    /// `said` tells which options of checks the project's file gives: none is made up for them.
    pub(super) fn ready(self, said: &dyn Fn(&str) -> bool) -> anyhow::Result<config::SuiteTest> {
        if self.paths.is_empty() {
            bail!(
                "no PATH: name folders or models, or give them as `paths` in [test] of ample.toml"
            );
        }
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let jobs = self.jobs.map_or_else(cores, |n| n as usize);
        let share = || Some(free_memory()? / jobs as u64);
        let memory = self
            .memory
            .or_else(|| (!said("memory")).then(share).flatten());
        let workers = (jobs > 1 && !said("workers")).then(|| "1".to_owned());
        let options = [
            ("--workers", workers),
            (
                "--time",
                self.time.map(|time| format!("{}ms", time.as_millis())),
            ),
            ("--memory", memory.map(|bytes| bytes.to_string())),
            ("--no-config", self.no_config.then(String::new)),
        ];
        let options = options
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        Ok(config::SuiteTest {
            paths: self.paths,
            jobs,
            options: options.collect(),
            format: match self.format {
                SuiteFormatArg::Text => config::SuiteFormat::Text,
                SuiteFormatArg::Json => config::SuiteFormat::Json,
                SuiteFormatArg::Junit => config::SuiteFormat::Junit,
            },
            verbose: self.verbose,
        })
    }
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum SuiteFormatArg {
    Text,
    Json,
    Junit,
}

//! The command line of `ample cluster check`.

use super::args::CheckArgs;
use super::units;
use crate::config::{ClusterCheck, Place, TrailFiles};
use anyhow::bail;
use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, ClapArgs)]
pub(super) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
enum ClusterCommand {
    /// Check a model for violations of safety: states are shared among all hosts
    ///
    /// Each host stores and expands the states it owns. Host 0 reports; the others end with the same exit code.
    /// Exit codes: 0 holds, 1 violated, 2 wrong usage or model, or hosts that differ, 3 inconclusive, 4 internal error.
    Check(Box<ClusterCheckArgs>),
}

#[derive(Debug, ClapArgs)]
struct ClusterCheckArgs {
    #[command(flatten)]
    check: CheckArgs,
    /// Start N processes on this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Hosts")]
    #[arg(required_unless_present = "hosts", conflicts_with_all = ["hosts", "process", "secret"])]
    local: Option<u32>,
    /// A file with the address of each host, one HOST:PORT per line; # begins a comment
    #[arg(long, value_name = "FILE", requires_all = ["process", "secret"], help_heading = "Hosts")]
    hosts: Option<PathBuf>,
    /// Which line of --hosts is this host, counted from 0
    #[arg(long, value_name = "I", requires = "hosts", help_heading = "Hosts")]
    process: Option<u32>,
    /// A file with a secret of at least 16 bytes that all hosts share
    #[arg(long, value_name = "FILE", requires = "hosts", help_heading = "Hosts")]
    secret: Option<PathBuf>,
    /// Threads of each host
    #[arg(long, value_name = "T", default_value_t = 1, help_heading = "Hosts")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=128))]
    threads: u32,
    /// How long hosts wait for each other to begin, such as 90s or 10m
    #[arg(long, value_name = "DURATION", value_parser = units::duration, default_value = "60s", help_heading = "Hosts")]
    patience: Duration,
    /// This process was started by another one, with this number
    #[arg(long, value_name = "I", hide = true, requires = "local")]
    started: Option<u32>,
}

impl ClusterArgs {
    pub(super) fn ready(self) -> anyhow::Result<ClusterCheck> {
        let ClusterCommand::Check(args) = self.command;
        args.ready()
    }
}

impl ClusterCheckArgs {
    fn ready(self) -> anyhow::Result<ClusterCheck> {
        let mut check = self.check.ready()?;
        if check.options.workers.is_some() {
            bail!("--workers: hosts have --threads; use that");
        }
        let place = match (
            self.local,
            self.started,
            self.hosts,
            self.process,
            self.secret,
        ) {
            (Some(all), None, ..) => Place::First(all as usize),
            (Some(_), Some(number), ..) => Place::Started(number as usize),
            (None, _, Some(hosts), Some(process), Some(secret)) => Place::Listed {
                hosts,
                process: process as usize,
                secret,
            },
            _ => bail!("give --local N, or --hosts FILE --process I --secret FILE"),
        };
        check.options.workers = Some(self.threads as usize);
        // Host 0 has said what there is to say about the model, and writes trails.
        if !matches!(place, Place::First(_) | Place::Listed { process: 0, .. }) {
            check.trail = TrailFiles::None;
            check.pictures = Default::default();
            check.progress = false;
        }
        if matches!(place, Place::Started(_)) {
            check.model.messages.warnings = false;
        }
        Ok(ClusterCheck {
            check,
            threads: self.threads as usize,
            place,
            patience: self.patience,
        })
    }
}

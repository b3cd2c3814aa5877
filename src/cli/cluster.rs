//! `ample cluster check`: verify a model with the memory and the processors of several hosts.
//!
//! Every host reads the model and decides the same plans; then it meets the others and takes part in the searches. All else is as
//! for `ample check`, on host 0.

use super::Exit;
use super::check::{Searcher, Watches, run_by};
use super::cluster_local::{Children, Meeting, start, started};
use super::files;
use super::monitor::{Interrupt, Watch};
use super::output::{obeys, say, status};
use crate::check::{Checked, Failed, Model, Monitors, Part, Plan, free_memory};
use crate::cluster::{Agreement, HostProgress, Observer, SHORTEST, Secret, Session, Setup};
use crate::config::{Check, ClusterCheck, Place};
use crate::limits::{Cancellation, Monitor, Progress, Stop};
use crate::report::text::bytes;
use anyhow::{Context, anyhow, bail};
use std::net::{TcpListener, ToSocketAddrs};
use std::path::Path;
use std::time::{Duration, Instant};

const REFRESH: Duration = Duration::from_secs(1);

pub(super) fn run(config: &ClusterCheck) -> anyhow::Result<Exit> {
    let mut check = config.check.clone();
    let place = match &config.place {
        Place::Listed {
            hosts,
            process,
            secret,
        } => {
            let listed = listed(hosts, *process, secret)?;
            check.options.hosts = Some(listed.hosts.len());
            Joining::Listed(*process, listed)
        }
        Place::First(all) => {
            if check.model.source.path == Path::new(files::STDIN) {
                bail!("--local: every process reads the model; give a file");
            }
            share_memory(&mut check, *all);
            check.options.hosts = Some(*all);
            Joining::First(*all)
        }
        Place::Started(number) => {
            let meeting = started()?;
            share_memory(&mut check, meeting.hosts.len());
            check.options.hosts = Some(meeting.hosts.len());
            Joining::Listed(*number, meeting)
        }
    };
    let mut member = Member {
        config,
        joining: Some(place),
        session: None,
        children: Children::default(),
    };
    run_by(&check, &mut member)
}

/// Processes on one machine share what is free.
fn share_memory(check: &mut Check, all: usize) {
    let memory = &mut check.options.memory;
    *memory = memory.or_else(|| Some(free_memory()? / all as u64));
}

/// How this process meets the others.
enum Joining {
    First(usize),
    Listed(usize, Meeting),
}

/// Reads who the hosts are, and begins to listen where this one is to be found.
fn listed(hosts: &Path, process: usize, secret: &Path) -> anyhow::Result<Meeting> {
    let text = files::read(hosts)?;
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    let names: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    let Some(own) = names.get(process) else {
        bail!(
            "--process {process}: {} has {} hosts, counted from 0",
            hosts.display(),
            names.len()
        );
    };
    if let Some(twice) = names
        .iter()
        .find(|name| names.iter().filter(|n| n == name).count() > 1)
    {
        bail!("{}: {twice} is there twice", hosts.display());
    }
    let at = own
        .to_socket_addrs()
        .with_context(|| format!("{own}: no address such as 10.0.0.2:7000"))?;
    let at: Vec<_> = at.collect();
    if at.iter().any(|address| address.ip().is_unspecified()) {
        bail!("{own}: name the address on which to listen, not all of them");
    }
    let listener =
        TcpListener::bind(at.as_slice()).with_context(|| format!("cannot listen on {own}"))?;
    let Some(secret) = Secret::new(files::read(secret)?.as_bytes()) else {
        bail!(
            "{}: a secret has at least {SHORTEST} bytes",
            secret.display()
        );
    };
    Ok(Meeting {
        hosts: names,
        listener,
        secret,
    })
}

/// What hosts must have in common, besides the model.
fn options(check: &Check, plans: &[Plan]) -> Vec<(String, String)> {
    let mut options = check.options.clone();
    // Each host has memory of its own, and is interrupted by itself.
    options.memory = None;
    options.cancellation = Cancellation::default();
    let source = &check.model.source;
    let mut named = vec![
        ("check".to_owned(), format!("{:?}", check.what)),
        ("formulas".to_owned(), format!("{:?}", source.formulas)),
        ("never".to_owned(), format!("{:?}", source.never)),
        ("call-depth".to_owned(), format!("{:?}", source.call_depth)),
    ];
    // All fields of the options, whatever they are.
    let text = format!("{options:#?}");
    let fields = text.lines().filter_map(|line| line.split_once(": "));
    named.extend(fields.map(|(name, value)| {
        let value = value.trim_end_matches(',');
        (name.trim().to_owned(), value.to_owned())
    }));
    // What became of them comes last: it is told if nothing else differs.
    let reductions: Vec<bool> = plans.iter().map(|plan| plan.reduction).collect();
    named.push(("reduction".to_owned(), format!("{reductions:?}")));
    named
}

/// This process as a host.
struct Member<'c> {
    config: &'c ClusterCheck,
    joining: Option<Joining>,
    session: Option<Session>,
    /// Ends after the session: processes that were started are waited for.
    children: Children,
}

impl Member<'_> {
    fn session(&mut self) -> Result<&mut Session, Failed> {
        let missing = || Failed::Contradiction("the hosts have not met".to_owned());
        self.session.as_mut().ok_or_else(missing)
    }
}

impl Searcher for Member<'_> {
    fn begin(&mut self, model: &Model, plans: &[Plan]) -> anyhow::Result<Watches> {
        let (me, meeting) = match self.joining.take() {
            Some(Joining::First(all)) => {
                let (meeting, children) = start(all)?;
                self.children = children;
                (0, meeting)
            }
            Some(Joining::Listed(me, meeting)) => (me, meeting),
            None => bail!("the hosts have met already"),
        };
        let threads = self.config.threads;
        let options = options(&self.config.check, plans);
        let session = Session::start(Setup {
            agreement: Agreement::new(meeting.hosts.len(), threads, &model.digest, options),
            hosts: meeting.hosts,
            me,
            threads,
            secret: meeting.secret,
            listener: meeting.listener,
            patience: self.config.patience,
        });
        let session = session.map_err(|why| anyhow!("{why}"))?;
        let observer = session.observer();
        self.session = Some(session);
        Ok(Box::new(move |interrupt: &Interrupt, shown: bool| {
            Box::new(HostsWatch {
                inner: Watch::new(interrupt, false),
                observer: observer.clone(),
                start: Instant::now(),
                refresh: shown.then(|| Instant::now() + REFRESH),
                terminal: obeys(),
                shown: false,
            })
        }))
    }

    fn check(
        &mut self,
        plan: Plan,
        model: &Model,
        monitors: Monitors<'_>,
    ) -> Result<Option<Checked>, Failed> {
        let session = self.session()?;
        if session.is_over() {
            return Ok(None);
        }
        match plan.check_on(session, model, monitors)? {
            Part::Decided(checked) => Ok(Some(*checked)),
            Part::Done => Ok(None),
        }
    }

    fn end(&mut self, exit: Exit) -> anyhow::Result<Exit> {
        let Some(session) = &self.session else {
            return Ok(exit);
        };
        if session.leads() {
            session.end(exit.code());
            if session.refused() > 0 {
                say(&format!(
                    "{} connections were refused: they did not know the secret\n",
                    session.refused()
                ));
            }
            return Ok(exit);
        }
        match session.wait_for_end() {
            Ok(code) => Ok(Exit::from_code(code)),
            Err(why) => {
                // Of processes on one machine the first one says it.
                if !matches!(self.config.place, Place::Started(_)) {
                    say(&format!("INCONCLUSIVE  the run was given up: {why}\n"));
                }
                Ok(Exit::Inconclusive)
            }
        }
    }
}

/// Watches the search of this host, and shows how far all are.
struct HostsWatch {
    inner: Watch,
    observer: Observer,
    start: Instant,
    refresh: Option<Instant>,
    terminal: bool,
    shown: bool,
}

/// One line about all hosts.
fn line(seconds: f64, progress: &Progress, hosts: &[HostProgress]) -> String {
    let frontier: u64 = hosts.iter().map(|host| host.frontier).sum();
    let memory: Vec<String> = hosts.iter().map(|host| bytes(host.bytes)).collect();
    let most = hosts.iter().map(|host| host.states).max().unwrap_or(0);
    let fair = progress.states as f64 / hosts.len().max(1) as f64;
    format!(
        "{seconds:6.1} s  level {}  {} states  {:.0}/s  frontier {frontier}  memory {}  balance {:.2}",
        progress.depth,
        progress.states,
        progress.states as f64 / seconds.max(1e-3),
        memory.join(" + "),
        if most == 0 { 1.0 } else { fair / most as f64 },
    )
}

impl Monitor for HostsWatch {
    fn tick(&mut self, progress: &Progress) -> Option<Stop> {
        let now = Instant::now();
        if self.refresh.is_some_and(|at| now >= at) {
            self.refresh = Some(now + REFRESH);
            let seconds = self.start.elapsed().as_secs_f64();
            let text = line(seconds, progress, &self.observer.progress());
            match self.terminal {
                true => status(&text),
                false => say(&format!("{text}\n")),
            }
            self.shown = true;
        }
        self.inner.tick(progress)
    }

    fn held(&mut self, own: u64) -> u64 {
        own
    }
}

impl Drop for HostsWatch {
    fn drop(&mut self) {
        if self.shown && self.terminal {
            status("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_of_all_hosts() {
        let host = |states| HostProgress {
            states,
            frontier: 5,
            bytes: 1 << 20,
            ..HostProgress::default()
        };
        let progress = Progress {
            states: 300,
            depth: 7,
            ..Progress::default()
        };
        let text = line(2.0, &progress, &[host(100), host(200)]);
        for part in [
            "level 7",
            "300 states",
            "150/s",
            "frontier 10",
            "1.0 MiB + 1.0 MiB",
            "balance 0.75",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}

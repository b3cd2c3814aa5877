//! Processes on this machine as the hosts of a cluster: `--local N`.
//!
//! The process that the user starts is host 0. It starts the others with its own command line and one more option. Each listens
//! on a port of the loopback interface that the system chooses, and writes the port to its standard output; then it is told, on
//! its standard input, who all hosts are and what the secret of the run is. So the secret is in no command line and in no file,
//! and no port is chosen twice.

use crate::cluster::Secret;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a process is told.
#[derive(Serialize, Deserialize)]
struct Told {
    hosts: Vec<String>,
    secret: String,
}

/// The longest text that a process is told.
const LONGEST: u64 = 1 << 20;
/// How long processes may take to end when all is over.
const FAREWELL: Duration = Duration::from_secs(3);

/// The processes that were started.
#[derive(Debug, Default)]
pub(super) struct Children(Vec<Child>);

/// Who the hosts are, where this one listens, and what they all know.
pub(super) struct Meeting {
    pub(super) hosts: Vec<String>,
    pub(super) listener: TcpListener,
    pub(super) secret: Secret,
}

fn listen() -> anyhow::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on 127.0.0.1")?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Starts all other processes.
pub(super) fn start(all: usize) -> anyhow::Result<(Meeting, Children)> {
    let (listener, port) = listen()?;
    let secret = Secret::random().context("cannot make a secret")?;
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let mut children = Children::default();
    for number in 1..all {
        let child = Command::new(&program)
            .args(std::env::args_os().skip(1))
            .arg(format!("--started={number}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        children.0.push(child.context("cannot start a process")?);
    }
    let mut hosts = vec![format!("127.0.0.1:{port}")];
    for child in &mut children.0 {
        let mut line = String::new();
        if let Some(out) = child.stdout.as_mut() {
            BufReader::new(out.take(64)).read_line(&mut line)?;
        }
        match line.trim().parse::<u16>() {
            Ok(port) => hosts.push(format!("127.0.0.1:{port}")),
            Err(_) => bail!("a process of this run has ended before the beginning"),
        }
    }
    let told = serde_json::to_vec(&Told {
        hosts: hosts.clone(),
        secret: secret.reveal(),
    })?;
    for child in &mut children.0 {
        if let Some(mut input) = child.stdin.take() {
            input
                .write_all(&told)
                .context("cannot talk to a process of this run")?;
        }
    }
    let meeting = Meeting {
        hosts,
        listener,
        secret,
    };
    Ok((meeting, children))
}

/// What a process that was started is told.
pub(super) fn started() -> anyhow::Result<Meeting> {
    let (listener, port) = listen()?;
    super::print(&format!("{port}\n"))?;
    let mut text = Vec::new();
    std::io::stdin()
        .lock()
        .take(LONGEST)
        .read_to_end(&mut text)?;
    let told: Told = serde_json::from_slice(&text)
        .context("was not started by `ample cluster check --local`")?;
    let Some(secret) = Secret::new(told.secret.as_bytes()) else {
        bail!("was told no secret");
    };
    Ok(Meeting {
        hosts: told.hosts,
        listener,
        secret,
    })
}

impl Drop for Children {
    /// They end by themselves when all is over; whoever does not is ended.
    fn drop(&mut self) {
        let until = Instant::now() + FAREWELL;
        for child in &mut self.0 {
            while Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

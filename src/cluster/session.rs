//! A run on several hosts, from the first connection to the last word.
//!
//! Host 0 waits for all others, compares what they are about to do with its own, and lets them begin; whoever differs is refused
//! by name. Then all go through the goals in the same order. Each goal has connections of its own for states, one per pair of
//! hosts, so that nothing is left over from the goal before. Host 0 confirms what is found, decides the verdict, and ends the run
//! with an exit code for all.

use super::agree::Agreement;
use super::auth::{Call, Secret, introduce};
use super::control::{Control, HostProgress, STALL, Said, hear, say};
use super::door::Door;
use super::fate::Fate;
use super::mail::Broken;
use super::part::MOST_WORKERS;
use super::path::Gathered;
use super::run::{Task, run};
use super::wire::Wire;
use crate::limits::{Cancellation, Monitor, Progress};
use crate::search::Settings;
use crate::space::AmpleSets;
use std::io;
use std::mem::ManuallyDrop;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};
use timely_communication::Hooks;
use timely_communication::allocator::ProcessBuilder;
use timely_communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;

/// The purpose of a connection for control; those for states have the number of their goal, from 1.
const CONTROL: u32 = 0;
const NAP: Duration = Duration::from_millis(20);
/// Hosts may be so many times their patience apart when a goal begins: each analyses the model for itself. Those that are lost are
/// noticed before.
const APART: u32 = 10;

/// What is needed to take part in a run.
#[derive(Debug)]
pub struct Setup {
    /// Addresses of all hosts, in the same order on each.
    pub hosts: Vec<String>,
    /// Which of them this is.
    pub me: usize,
    /// Workers of each host.
    pub threads: usize,
    /// What all hosts know.
    pub secret: Secret,
    /// Where this host listens.
    pub listener: TcpListener,
    /// What is to be done.
    pub agreement: Agreement,
    /// How long hosts wait for each other in the beginning.
    pub patience: Duration,
}

/// Taking part in a run.
pub struct Session {
    me: usize,
    hosts: Vec<String>,
    names: Vec<String>,
    threads: usize,
    secret: Secret,
    door: Door,
    control: Arc<Control>,
    fate: Arc<Fate>,
    patience: Duration,
    goals: u32,
}

/// Tells how far all hosts are.
#[derive(Clone)]
pub struct Observer(Arc<Control>);

impl Observer {
    /// How far each host is; complete on host 0 only.
    pub fn progress(&self) -> Vec<HostProgress> {
        self.0.progress()
    }
}

/// Why a run did not come to its end.
#[derive(Clone, Debug)]
pub struct Lost {
    /// In words, with the name of the host.
    pub why: String,
    /// How far the hosts were.
    pub progress: Vec<HostProgress>,
}

/// What hosts are called in messages.
fn names(hosts: &[String]) -> Vec<String> {
    let named = hosts.iter().enumerate();
    named
        .map(|(index, at)| format!("host {index} ({at})"))
        .collect()
}

impl Session {
    /// Meets all other hosts. The error says who did not come, or who differs.
    pub fn start(setup: Setup) -> Result<Session, String> {
        let Setup {
            hosts,
            me,
            threads,
            secret,
            listener,
            agreement,
            patience,
        } = setup;
        if hosts.len().saturating_mul(threads) > MOST_WORKERS {
            return Err(format!("more than {MOST_WORKERS} workers"));
        }
        let names = names(&hosts);
        let fate = Arc::new(Fate::default());
        let door =
            Door::open(listener, me as u32, &secret).map_err(|e| format!("cannot listen: {e}"))?;
        let until = Instant::now() + patience;
        let streams = match me {
            0 => receive_all(&door, &names, &agreement, until, &fate)?,
            _ => {
                let mut streams: Vec<Option<TcpStream>> = hosts.iter().map(|_| None).collect();
                streams[0] = Some(join(&hosts[0], &names[0], me, &secret, agreement, until)?);
                streams
            }
        };
        let control = Control::start(me, names.clone(), streams, &fate);
        Ok(Session {
            me,
            hosts,
            names,
            threads,
            secret,
            door,
            control: control.map_err(|e| format!("cannot begin: {e}"))?,
            fate,
            patience,
            goals: 0,
        })
    }

    /// Whether this is host 0, which decides and reports.
    pub fn leads(&self) -> bool {
        self.me == 0
    }

    /// What hosts are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Workers of each host.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Tells how far all hosts are, while this is busy.
    pub fn observer(&self) -> Observer {
        Observer(Arc::clone(&self.control))
    }

    /// Callers that were shut out here.
    pub fn refused(&self) -> u64 {
        self.door.refused()
    }

    /// Ends the run, with an exit code for all hosts.
    pub fn end(&self, code: u8) {
        self.control.end(code);
    }

    /// Waits until host 0 has ended the run: its exit code, or why there is none. It takes the time that host 0 takes to confirm and
    /// report what was found; should host 0 be lost meanwhile, that is noticed.
    pub fn wait_for_end(&self) -> Result<u8, String> {
        loop {
            if let Some(end) = self.fate.wait(Duration::from_secs(3600)) {
                return end;
            }
        }
    }

    /// Whether nothing more is to be done: host 0 has ended the run, or it was given up.
    pub fn is_over(&self) -> bool {
        self.fate.is_over()
    }

    /// Searches for violations of safety together with all other hosts. Host 0 gets what was found.
    pub(crate) fn search<P: AmpleSets>(
        &mut self,
        make: &(dyn Fn() -> P + Sync),
        initial: (&[u8], usize),
        settings: &Settings,
        cancellation: &Cancellation,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<Gathered<P::Move>>, Lost>
    where
        P::Move: Send,
    {
        self.goals += 1;
        let sockets = self.connect(self.goals).map_err(|why| self.lost(&why))?;
        let hooks = Hooks::default();
        let process = ProcessBuilder::new_typed_vector(self.threads, hooks.refill.clone(), None);
        let started =
            initialize_networking_from_sockets(process, sockets, self.me, self.threads, hooks);
        let (builders, guard) = started
            .map_err(|e| self.lost(&format!("{} cannot begin: {e}", self.names[self.me])))?;
        let share = |progress: HostProgress| {
            self.control.show(progress);
            sum(&self.control.progress())
        };
        // If a worker panics, timely's threads do too; their panics are not to hide the first one.
        let guard = ManuallyDrop::new(guard);
        let task = Task {
            settings,
            cancellation,
            given_up: self.fate.given_up(),
            share: &share,
        };
        match run(make, initial, builders, &task, monitor) {
            Ok(gathered) => {
                // Timely's threads end when the last letters have left and all others have said the same. That is waited for
                // elsewhere: a host may be lost even now.
                std::thread::spawn(move || drop(ManuallyDrop::into_inner(guard)));
                Ok(gathered)
            }
            Err(broken) => {
                // Timely's threads may wait for a host that is lost: they end with the process.
                match broken {
                    Broken::Nonsense { from } => {
                        let host = self
                            .names
                            .get(from / self.threads)
                            .map_or("a host", String::as_str);
                        self.control
                            .lose(&format!("{host} has sent something that makes no sense"));
                    }
                    Broken::Unaccounted => {
                        self.control
                            .lose("states were sent and did not arrive: this is a bug in ample");
                    }
                    Broken::GivenUp => {}
                }
                Err(self.lost("the run was given up"))
            }
        }
    }

    /// Why the run is lost, where nothing more telling is known than `otherwise`.
    fn lost(&self, otherwise: &str) -> Lost {
        self.control.lose(otherwise);
        Lost {
            why: self.fate.lost().unwrap_or_else(|| otherwise.to_owned()),
            progress: self.control.progress(),
        }
    }

    /// Connections with all other hosts, for the states of one goal.
    fn connect(&self, goal: u32) -> Result<Vec<Option<Wire>>, String> {
        let until = Instant::now() + self.patience * APART;
        let first = (self.me * self.threads) as u64;
        let here = first..first + self.threads as u64;
        let mut wires = Vec::new();
        for host in 0..self.hosts.len() {
            let stream = match host {
                _ if host == self.me => {
                    wires.push(None);
                    continue;
                }
                _ if host < self.me => {
                    let call = Call {
                        from: self.me as u32,
                        to: host as u32,
                        purpose: goal,
                    };
                    let over = || self.fate.is_over();
                    call_host(&self.hosts[host], &self.secret, call, until, &over)
                        .map_err(|why| format!("{} {why}", self.names[host]))?
                }
                _ => {
                    let came = self.door.take(goal, host as u32, until, &self.fate);
                    came.ok_or_else(|| {
                        format!("{} has not come for goal {goal}", self.names[host])
                    })?
                }
            };
            prepare(&stream)
                .map_err(|e| format!("{} cannot be talked to: {e}", self.names[host]))?;
            wires.push(Some(Wire::new(stream, host, here.clone(), &self.fate)));
        }
        Ok(wires)
    }
}

impl Drop for Session {
    /// A host that leaves without a word is lost to the others.
    fn drop(&mut self) {
        if self.leads() && !self.fate.is_over() {
            self.control
                .lose(&format!("{} has given up", self.names[0]));
        }
    }
}

/// All hosts together.
fn sum(hosts: &[HostProgress]) -> Progress {
    Progress {
        states: hosts.iter().map(|host| host.states).sum(),
        transitions: hosts.iter().map(|host| host.transitions).sum(),
        depth: hosts.iter().map(|host| host.level).max().unwrap_or(0),
        bytes: hosts.iter().map(|host| host.bytes).sum(),
    }
}

/// States may take any time, and what is sent and not received for long is a lost connection.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    let most = 2 * STALL.as_millis() as u32;
    rustix::net::sockopt::set_tcp_user_timeout(stream, most)?;
    Ok(())
}

/// Host 0 waits for all others, and compares.
fn receive_all(
    door: &Door,
    names: &[String],
    agreement: &Agreement,
    until: Instant,
    fate: &Fate,
) -> Result<Vec<Option<TcpStream>>, String> {
    let mut streams = vec![None];
    let mut refusals = Vec::new();
    for (index, name) in names.iter().enumerate().skip(1) {
        let came = door.take(CONTROL, index as u32, until, fate);
        let mut stream = came.ok_or_else(|| match door.refused() {
            0 => format!("{name} has not come"),
            n => format!("{name} has not come; {n} callers did not know the secret"),
        })?;
        let said = stream
            .set_read_timeout(Some(STALL))
            .and_then(|()| hear(&mut stream));
        match said {
            Ok(Said::Agreement(theirs)) => {
                if let Some(difference) = agreement.difference(&theirs) {
                    refusals.push(format!("{name} {difference}"));
                }
            }
            Ok(_) => return Err(format!("{name} has said something that makes no sense")),
            Err(error) => return Err(format!("{name} {}", super::control::silence(&error))),
        }
        streams.push(Some(stream));
    }
    let word = match refusals.first() {
        None => Said::Start,
        Some(refusal) => Said::Refused(refusal.clone()),
    };
    for (stream, name) in streams.iter_mut().zip(names) {
        if let Some(stream) = stream {
            say(stream, &word).map_err(|e| format!("{name} cannot be told to begin: {e}"))?;
        }
    }
    match refusals.is_empty() {
        true => Ok(streams),
        false => Err(refusals.join("; ")),
    }
}

/// Another host calls host 0, and is told whether all agree.
fn join(
    at: &str,
    name: &str,
    me: usize,
    secret: &Secret,
    agreement: Agreement,
    until: Instant,
) -> Result<TcpStream, String> {
    let call = Call {
        from: me as u32,
        to: 0,
        purpose: CONTROL,
    };
    let mut stream =
        call_host(at, secret, call, until, &|| false).map_err(|why| format!("{name} {why}"))?;
    let left = until.saturating_duration_since(Instant::now()) + STALL;
    let agreed = say(&mut stream, &Said::Agreement(agreement))
        .and_then(|()| stream.set_read_timeout(Some(left)))
        .and_then(|()| hear(&mut stream));
    match agreed {
        Ok(Said::Start) => Ok(stream),
        Ok(Said::Refused(why)) => Err(why),
        Ok(_) => Err(format!("{name} has said something that makes no sense")),
        Err(error) => Err(format!("{name} {}", super::control::silence(&error))),
    }
}

/// Calls a host until it answers.
fn call_host(
    at: &str,
    secret: &Secret,
    call: Call,
    until: Instant,
    over: &dyn Fn() -> bool,
) -> Result<TcpStream, String> {
    loop {
        let tried =
            reach(at).and_then(|mut stream| introduce(&mut stream, secret, call).map(|()| stream));
        match tried {
            Ok(stream) => return Ok(stream),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(format!("does not let this host in: {error}"));
            }
            Err(error) if Instant::now() >= until => {
                return Err(format!("does not answer: {error}"));
            }
            Err(_) if over() => return Err("has ended the run".to_owned()),
            Err(_) => std::thread::sleep(NAP),
        }
    }
}

fn reach(at: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in at.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, STALL) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

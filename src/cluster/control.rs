//! What hosts tell each other besides states: that they agree, that they live, how far they are, and how it ends.
//!
//! Every host has a connection to host 0, on which both sides say something every [`BEAT`]. A side that hears nothing for
//! [`STALL`], or whose connection is closed, takes the other for lost. Host 0 then tells all others who was lost, and the run
//! ends on every host with that host's name; a host that loses host 0 ends by itself. When a connection for states breaks, the
//! host waits a moment ([`GRACE`]) for the reason before the connection itself is named.
//!
//! What is said is JSON behind its length. Nothing is read beyond [`LONGEST`] bytes, and what makes no sense is a lost host.

use super::agree::Agreement;
use super::fate::{Fate, lock};
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) const BEAT: Duration = Duration::from_millis(250);
pub(super) const STALL: Duration = Duration::from_secs(5);
const GRACE: Duration = Duration::from_millis(800);
const LONGEST: usize = 1 << 20;

/// How far a host is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostProgress {
    /// States it stores.
    pub states: u64,
    /// Arrivals at its states.
    pub transitions: u64,
    /// States of the level at hand that it has not expanded.
    pub frontier: u64,
    /// Bytes of memory for states.
    pub bytes: u64,
    /// The level at hand.
    pub level: u64,
}

/// What is said on a connection to host 0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Said {
    Agreement(Agreement),
    Start,
    Refused(String),
    Beat(HostProgress),
    Broken { with: usize },
    GiveUp(String),
    Over(u8),
}

/// Writes what is said.
pub(super) fn say(stream: &mut TcpStream, said: &Said) -> io::Result<()> {
    let text = serde_json::to_vec(said)?;
    let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&text);
    stream.write_all(&bytes)
}

/// Reads what is said.
pub(super) fn hear(stream: &mut TcpStream) -> io::Result<Said> {
    let mut len = [0; 4];
    stream.read_exact(&mut len)?;
    let len = u32::from_le_bytes(len) as usize;
    if len > LONGEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; len];
    stream.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// Why nothing was heard, in words.
pub(super) fn silence(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("has said nothing for {} s", STALL.as_secs())
        }
        ErrorKind::InvalidData => "has said something that makes no sense".to_owned(),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "has closed its connection: its process has ended".to_owned()
        }
        _ => format!("cannot be heard: {error}"),
    }
}

/// The connections of a host for control.
pub(super) struct Control {
    me: usize,
    /// What hosts are called in messages.
    names: Vec<String>,
    fate: Arc<Fate>,
    /// To each other host: on host 0 all, elsewhere only to host 0.
    to: Vec<Option<Mutex<TcpStream>>>,
    progress: Vec<Mutex<HostProgress>>,
    closing: AtomicBool,
}

impl Control {
    /// Begins to listen and to say that this host lives.
    pub(super) fn start(
        me: usize,
        names: Vec<String>,
        streams: Vec<Option<TcpStream>>,
        fate: &Arc<Fate>,
    ) -> io::Result<Arc<Control>> {
        let mut ears = Vec::new();
        for (index, stream) in streams.iter().enumerate() {
            if let Some(stream) = stream {
                stream.set_read_timeout(Some(STALL))?;
                stream.set_write_timeout(Some(STALL))?;
                ears.push((index, stream.try_clone()?));
            }
        }
        let control = Arc::new(Control {
            me,
            progress: names.iter().map(|_| Mutex::default()).collect(),
            names,
            fate: Arc::clone(fate),
            to: streams
                .into_iter()
                .map(|stream| stream.map(Mutex::new))
                .collect(),
            closing: AtomicBool::new(false),
        });
        for (index, stream) in ears {
            let control = Arc::clone(&control);
            let thread = std::thread::Builder::new().name("ample:ear".to_owned());
            thread.spawn(move || control.listen(index, stream))?;
        }
        let beating = Arc::clone(&control);
        let thread = std::thread::Builder::new().name("ample:beat".to_owned());
        thread.spawn(move || beating.beat())?;
        Ok(control)
    }

    /// How far this host is.
    pub(super) fn show(&self, progress: HostProgress) {
        *lock(&self.progress[self.me]) = progress;
    }

    /// How far all hosts are, as far as is known here.
    pub(super) fn progress(&self) -> Vec<HostProgress> {
        self.progress
            .iter()
            .map(|progress| *lock(progress))
            .collect()
    }

    /// Host 0 ends the run, with a code for all.
    pub(super) fn end(&self, code: u8) {
        self.closing.store(true, Ordering::Relaxed);
        self.fate.end(code);
        self.say_to_all(&Said::Over(code));
    }

    /// The run cannot go on.
    pub(super) fn lose(&self, why: &str) {
        if self.fate.lose(why) && self.me == 0 {
            self.say_to_all(&Said::GiveUp(why.to_owned()));
        }
    }

    fn say_to_all(&self, said: &Said) {
        for stream in self.to.iter().flatten() {
            // Whoever cannot be told will notice.
            let _ = say(&mut lock(stream), said);
        }
    }

    fn beat(&self) {
        loop {
            std::thread::sleep(BEAT);
            if self.closing.load(Ordering::Relaxed) || self.fate.is_over() {
                return;
            }
            let progress = *lock(&self.progress[self.me]);
            self.say_to_all(&Said::Beat(progress));
            for with in self.fate.take_broken() {
                match self.me {
                    0 => self.suspect(0, with),
                    _ => self.say_to_all(&Said::Broken { with }),
                }
            }
        }
    }

    /// A connection for states has broken: mostly one of the two hosts is lost, and that will be known in a moment.
    fn suspect(&self, one: usize, other: usize) {
        std::thread::sleep(GRACE);
        let name = |host: usize| self.names.get(host).map_or("a host", String::as_str);
        self.lose(&format!(
            "the connection between {} and {} has broken",
            name(one),
            name(other)
        ));
    }

    fn listen(&self, from: usize, mut stream: TcpStream) {
        loop {
            let said = match hear(&mut stream) {
                Ok(said) => said,
                Err(_) if self.closing.load(Ordering::Relaxed) => return,
                Err(error) => {
                    self.lose(&format!("{} {}", self.names[from], silence(&error)));
                    return;
                }
            };
            match (said, self.me) {
                (Said::Beat(progress), _) => *lock(&self.progress[from]) = progress,
                (Said::Broken { with }, 0) => self.suspect(from, with),
                (Said::GiveUp(why), 1..) => {
                    self.lose(&why);
                    return;
                }
                (Said::Over(code), 1..) => {
                    self.closing.store(true, Ordering::Relaxed);
                    self.fate.end(code);
                    return;
                }
                _ => {
                    self.lose(&format!(
                        "{} has said something that makes no sense",
                        self.names[from]
                    ));
                    return;
                }
            }
        }
    }
}

//! The workers of one host, for one goal.

use super::control::HostProgress;
use super::fate::lock;
use super::mail::{Broken, Mail};
use super::path::Gathered;
use super::safety::Worker;
use crate::faults::Active;
use crate::limits::{Cancellation, Monitor, Progress, Stop};
use crate::machine::Fault;
use crate::search::Settings;
use crate::space::{AmpleSets, Space};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use timely_communication::Allocator;
use timely_communication::allocator::zero_copy::allocator::TcpBuilder;

/// How often it is looked how far the workers are.
const LOOK: Duration = Duration::from_millis(50);

/// A figure that one thread writes and others read.
#[derive(Debug, Default)]
pub(super) struct Figure(AtomicU64);

impl Figure {
    pub(super) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far one worker is.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    states: Figure,
    matched: Figure,
    left: Figure,
    bytes: Figure,
    pub(super) level: Figure,
}

impl Gauge {
    pub(super) fn show(&self, (states, matched): (u64, u64), left: u64, bytes: u64) {
        self.states.set(states);
        self.matched.set(matched);
        self.left.set(left);
        self.bytes.set(bytes);
    }
}

/// What the workers of a host look at, and what is seen of them.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) cancellation: Cancellation,
    gauges: Vec<Gauge>,
    stop: Mutex<Option<Stop>>,
}

impl Watched {
    fn new(threads: usize, cancellation: &Cancellation) -> Watched {
        Watched {
            cancellation: cancellation.clone(),
            gauges: (0..threads).map(|_| Gauge::default()).collect(),
            stop: Mutex::default(),
        }
    }

    /// States on this host.
    pub(super) fn states(&self) -> u64 {
        self.gauges.iter().map(|gauge| gauge.states.get()).sum()
    }

    /// Why to stop, if there is a reason.
    pub(super) fn poll(&self) -> Option<Stop> {
        lock(&self.stop).or_else(|| self.cancellation.poll())
    }

    fn progress(&self) -> HostProgress {
        let sum = |figure: fn(&Gauge) -> &Figure| {
            let figures = self.gauges.iter().map(|gauge| figure(gauge).get());
            figures.fold(0, u64::wrapping_add)
        };
        let states = sum(|gauge| &gauge.states);
        HostProgress {
            states,
            // Arrivals that are taken back may be counted on another host.
            transitions: states.saturating_add_signed(sum(|gauge| &gauge.matched).cast_signed()),
            frontier: sum(|gauge| &gauge.left),
            bytes: sum(|gauge| &gauge.bytes),
            level: self
                .gauges
                .iter()
                .map(|gauge| gauge.level.get())
                .max()
                .unwrap_or(0),
        }
    }
}

/// What a search needs besides its space.
pub(super) struct Task<'t> {
    pub(super) settings: &'t Settings,
    pub(super) cancellation: &'t Cancellation,
    pub(super) given_up: Arc<AtomicBool>,
    /// Is told how far this host is, now and then, and says how far all are.
    pub(super) share: &'t dyn Fn(HostProgress) -> Progress,
}

/// Says that a worker has ended, however it does. For one that panics nobody is to wait.
struct Ending {
    tell: Sender<()>,
    given_up: Arc<AtomicBool>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.given_up.store(true, Ordering::Relaxed);
        }
        let _ = self.tell.send(());
    }
}

/// Searches with the workers of this host, from a state. The first worker of all gives what is known in the end.
pub(super) fn run<P: AmpleSets>(
    make: &(dyn Fn() -> P + Sync),
    (initial, along): (&[u8], usize),
    builders: Vec<TcpBuilder>,
    task: &Task<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Option<Gathered<P::Move>>, Broken>
where
    P::Move: Send,
{
    let threads = builders.len();
    let watched = Watched::new(threads, task.cancellation);
    let mut settings = task.settings.clone();
    settings.limits.memory /= threads as u64;
    let mut result = Ok(None);
    let active = Active::here();
    std::thread::scope(|scope| {
        let (tell, told) = channel();
        let mut handles = Vec::new();
        for (builder, gauge) in builders.into_iter().zip(&watched.gauges) {
            let ending = Ending {
                tell: tell.clone(),
                given_up: Arc::clone(&task.given_up),
            };
            let (watched, settings) = (&watched, &settings);
            handles.push(scope.spawn(move || {
                let mail = Mail::new(Allocator::Tcp(builder.build()), threads, &ending.given_up);
                let mut worker = Worker::new(make(), mail, settings, (watched, gauge), along);
                active.during(|| work(&mut worker, initial, settings))
            }));
        }
        drop(tell);
        watch(&watched, handles.len(), task, monitor, &told);
        for handle in handles {
            match handle.join() {
                Ok(Ok(None)) => {}
                Ok(Ok(gathered)) if result.is_ok() => result = Ok(gathered),
                Ok(Ok(_)) => {}
                Ok(Err(broken)) => result = Err(broken),
                Err(panic) => resume_unwind(panic),
            }
        }
    });
    result
}

/// What one worker does from the beginning to the end.
fn work<P: AmpleSets>(
    worker: &mut Worker<'_, P>,
    initial: &[u8],
    settings: &Settings,
) -> Result<Option<Gathered<P::Move>>, Broken> {
    let ended = worker.search(initial)?;
    match worker.mail.me() {
        0 => worker.gather(ended, settings).map(Some),
        _ => worker.serve().map(|()| None),
    }
}

/// Looks after the workers until all have ended.
fn watch(
    watched: &Watched,
    mut working: usize,
    task: &Task<'_>,
    monitor: &mut dyn Monitor,
    told: &Receiver<()>,
) {
    while working > 0 {
        match told.recv_timeout(LOOK) {
            Ok(()) => working -= 1,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let progress = (task.share)(watched.progress());
        if let Some(stop) = monitor.tick(&progress) {
            lock(&watched.stop).get_or_insert(stop);
        }
    }
    (task.share)(watched.progress());
}

/// The initial state, and how many bytes of it go along; or what is wrong with it, which every host finds out by itself.
pub(crate) fn initial<P: Space>(space: &mut P) -> Result<(Vec<u8>, usize), Fault> {
    let mut state = Vec::new();
    space.initial(&mut state)?;
    let along = state.len() - space.stored_len(&state);
    Ok((state, along))
}

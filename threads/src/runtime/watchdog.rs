//! A thread that goes on without visible operations cannot be stopped from outside: it shares its
//! thread of the system with the explorer. So the process is ended, with the schedule that led
//! there, if [`Builder::divergence`](crate::Builder::divergence) asks for it.

use ample_stateless::{Schedule, Thread};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Steps of an execution that are remembered.
const TRAIL: usize = 1 << 12;

/// Set in an entry that is the creation of a thread.
const CREATED: u64 = 1 << 63;

/// What a runtime tells the watchdog. Without one it tells nothing.
#[derive(Debug, Default)]
pub(crate) struct Beat {
    is_watched: bool,
    has_ended: AtomicBool,
    /// Counts beginnings and ends of steps: odd inside one.
    count: AtomicU64,
    length: AtomicUsize,
    trail: Vec<AtomicU64>,
}

impl Beat {
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn restart(&self) {
        self.length.store(0, Ordering::Relaxed);
    }

    fn note(&self, entry: u64) {
        let length = self.length.load(Ordering::Relaxed);
        if let Some(place) = self.trail.get(length) {
            place.store(entry, Ordering::Relaxed);
        }
        self.length.store(length + 1, Ordering::Relaxed);
    }

    pub(super) fn created(&self, thread: Thread) {
        if self.is_watched {
            self.note(CREATED | u64::from(thread.0));
        }
    }

    /// A step begins.
    pub(super) fn step(&self, thread: Thread, choice: u32) {
        if self.is_watched {
            self.note(u64::from(thread.0) << 32 | u64::from(choice));
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A step has ended, or an execution begins, which is like a step.
    pub(super) fn turn(&self) {
        if self.is_watched {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The steps so far, by the numbers that schedules use.
    fn schedule(&self) -> Schedule {
        let length = self.length.load(Ordering::Relaxed).min(self.trail.len());
        let mut created = Vec::new();
        let mut schedule = Schedule::default();
        for entry in self.trail[..length]
            .iter()
            .map(|e| e.load(Ordering::Relaxed))
        {
            if entry & CREATED != 0 {
                created.push((entry & !CREATED) as u32);
                continue;
            }
            let (thread, choice) = ((entry >> 32) as u32, entry as u32);
            let alias = created.iter().position(|&t| t == thread).unwrap_or(0);
            schedule.steps.push((Thread(alias as u32), choice));
        }
        schedule
    }
}

/// A beat that is watched, if there is a limit.
pub(super) fn watch(silence: Option<Duration>) -> Arc<Beat> {
    let Some(silence) = silence else {
        return Arc::default();
    };
    let beat = Arc::new(Beat {
        is_watched: true,
        trail: (0..TRAIL).map(|_| AtomicU64::new(0)).collect(),
        ..Beat::default()
    });
    let watched = beat.clone();
    std::thread::spawn(move || {
        let mut last = 0;
        loop {
            std::thread::sleep(silence);
            if watched.has_ended.load(Ordering::Relaxed) {
                return;
            }
            let count = watched.count.load(Ordering::Relaxed);
            if !count.is_multiple_of(2) && count == last {
                give_up(&watched, silence);
            }
            last = count;
        }
    });
    beat
}

/// Ends the process.
fn give_up(beat: &Beat, silence: Duration) -> ! {
    let schedule = beat.schedule();
    let last = schedule.steps.last().map_or(0, |(thread, _)| thread.0);
    let text = format!(
        "divergence: thread {last} (0 is main) has executed no visible operation for {} s\nschedule: {schedule}\n\
         the process is ended, because such a thread cannot be stopped\n",
        silence.as_secs_f64(),
    );
    // Tests do not capture what is written this way, and nobody would print it later.
    let _ = std::io::stderr().write_all(text.as_bytes());
    std::process::abort();
}

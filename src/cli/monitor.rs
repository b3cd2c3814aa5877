//! Signals that end a running search, and its progress line.

use super::say;
use crate::limits::{Monitor, Progress, Stop};
use crate::report::text::bytes;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const REFRESH: Duration = Duration::from_millis(500);

/// Set by the first Ctrl-C, SIGTERM or SIGHUP; the second one ends the process at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches these signals from now on.
    pub(super) fn install() -> Interrupt {
        let interrupt = Interrupt::default();
        let flag = Arc::clone(&interrupt.0);
        // Without a handler they still end the process, but there is no report.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        interrupt
    }

    /// Whether a signal came.
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Watches one search.
pub(super) struct Watch {
    interrupt: Interrupt,
    start: Instant,
    /// When progress is next shown.
    refresh: Option<Instant>,
    terminal: bool,
    shown: bool,
}

impl Watch {
    pub(super) fn new(interrupt: &Interrupt, progress: bool) -> Watch {
        let start = Instant::now();
        Watch {
            interrupt: interrupt.clone(),
            start,
            refresh: progress.then(|| start + REFRESH),
            terminal: std::io::stderr().is_terminal(),
            shown: false,
        }
    }

    fn show(&mut self, progress: &Progress, elapsed: Duration) {
        let rate = progress.states as f64 / elapsed.as_secs_f64();
        let text = format!(
            "{:6.1} s  {} states  {rate:.0}/s  {} transitions  depth {}  {}",
            elapsed.as_secs_f64(),
            progress.states,
            progress.transitions,
            progress.depth,
            bytes(progress.bytes),
        );
        if self.terminal {
            say(&format!("\r\x1b[K{text}"));
        } else {
            say(&format!("{text}\n"));
        }
        self.shown = true;
    }
}

impl Monitor for Watch {
    fn tick(&mut self, progress: &Progress) -> Option<Stop> {
        if self.interrupt.is_set() {
            return Some(Stop::Interrupted);
        }
        if self.refresh.is_some_and(|at| Instant::now() >= at) {
            self.show(progress, self.start.elapsed());
            self.refresh = Some(Instant::now() + REFRESH);
        }
        None
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.shown && self.terminal {
            say("\r\x1b[K");
        }
    }
}

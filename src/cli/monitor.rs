//! Signals that end a running search, and its progress line.

use super::output::{obeys, status};
use super::{memory, say};
use crate::limits::{Cancellation, ContextProgress, Monitor, Progress, Stop};
use crate::report::text::bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const REFRESH: Duration = Duration::from_millis(500);
/// How often it is tried whether there is memory.
const TRY_MEMORY: Duration = Duration::from_millis(20);

/// Set by the first Ctrl-C, SIGTERM or SIGHUP; the second one ends the process at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches these signals from now on; there is one for the whole process.
    pub(super) fn install() -> Interrupt {
        static INSTALLED: OnceLock<Interrupt> = OnceLock::new();
        let install = || {
            let interrupt = Interrupt::default();
            let flag = Arc::clone(&interrupt.0);
            // Without a handler they still end the process, but there is no report.
            let _ = ctrlc::set_handler(move || {
                if flag.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            });
            interrupt
        };
        INSTALLED.get_or_init(install).clone()
    }

    /// Gives up work when it is set.
    pub(super) fn cancellation(&self) -> Cancellation {
        Cancellation::on(&self.0)
    }

    /// What is set when a signal comes.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
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
    /// When it is next tried whether there is memory.
    try_memory: Instant,
    /// When progress is next shown.
    refresh: Option<Instant>,
    terminal: bool,
    shown: bool,
}

impl Watch {
    pub(super) fn new(interrupt: &Interrupt, progress: bool) -> Watch {
        memory::hold_reserve();
        let start = Instant::now();
        Watch {
            interrupt: interrupt.clone(),
            start,
            try_memory: start,
            refresh: progress.then(|| start + REFRESH),
            terminal: obeys(),
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
            status(&text);
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
        let now = Instant::now();
        if now >= self.try_memory {
            if memory::is_short() {
                return Some(Stop::OutOfMemory);
            }
            self.try_memory = now + TRY_MEMORY;
        }
        if self.refresh.is_some_and(|at| now >= at) {
            self.show(progress, self.start.elapsed());
            self.refresh = Some(now + REFRESH);
        }
        None
    }

    fn context(&mut self, progress: &ContextProgress) {
        let ContextProgress {
            contexts,
            tuples,
            nodes,
        } = progress;
        let (what, seconds) = (
            if *contexts == 1 {
                "context"
            } else {
                "contexts"
            },
            self.start.elapsed().as_secs_f64(),
        );
        say(&format!(
            "{contexts} {what} explored: {tuples} view tuples, {nodes} BDD nodes, {seconds:.3} s\n"
        ));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.shown && self.terminal {
            status("");
        }
    }
}

//! Work that cannot be looked into, done within a limit: reading a model, and commands that only print what they have worked out.
//!
//! Nothing is known before it is complete, so nothing is lost when it is left behind.

use super::{Exit, say};
use crate::limits::{Cancellation, Stop};
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long to wait before the limit is looked at again.
const NAP: Duration = Duration::from_millis(20);

/// Does `work` on a thread of its own, unless it is given up before it is done: then the thread ends with the process.
pub(super) fn within<T: Send + 'static>(
    cancellation: &Cancellation,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    let (tell, told) = channel();
    let work = Arc::new(Mutex::new(Some(work)));
    let own = Arc::clone(&work);
    let thread = std::thread::Builder::new().spawn(move || {
        if let Some(work) = taken(&own) {
            // Nobody listens any more when it has been given up.
            let _ = tell.send(work());
        }
    });
    let Ok(thread) = thread else {
        // The system refuses a thread: nothing can end the work but its own end.
        return taken(&work).map(|work| work()).ok_or(Stop::OutOfMemory);
    };
    loop {
        match told.recv_timeout(NAP) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(stop) = cancellation.poll() {
                    return Err(stop);
                }
            }
            // It has panicked, and its panic is ours.
            Err(RecvTimeoutError::Disconnected) => {
                if let Err(panic) = thread.join() {
                    resume_unwind(panic);
                }
                return Err(Stop::Interrupted);
            }
        }
    }
}

fn taken<W>(work: &Mutex<Option<W>>) -> Option<W> {
    work.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Runs a command that prints at its end, within `--time` if that is given.
pub(super) fn limited(
    time: Option<Duration>,
    command: impl FnOnce() -> anyhow::Result<Exit> + Send + 'static,
) -> anyhow::Result<Exit> {
    if time.is_none() {
        return command();
    }
    let limit = Cancellation::default().after(Instant::now(), time);
    within(&limit, command).unwrap_or_else(|stop| {
        say(&format!("the command was given up: {stop}\n"));
        Ok(Exit::Inconclusive)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_or_given_up() {
        let never = Cancellation::default();
        assert_eq!(within(&never, || 7), Ok(7));
        let time = Duration::from_millis(50);
        let soon = Cancellation::default().after(Instant::now(), Some(time));
        let slow = || std::thread::sleep(Duration::from_secs(3600));
        assert_eq!(within(&soon, slow), Err(Stop::Time(time)));
    }
}

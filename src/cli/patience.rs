//! Work that cannot be looked into, done within a limit: reading a model.
//!
//! Nothing is known before it is complete, so nothing is lost when it is left behind.

use crate::limits::{Cancellation, Stop};
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long to wait before the limit is looked at again.
const NAP: Duration = Duration::from_millis(20);

/// Does `work` on a thread of its own, unless it is given up before it is done: then the thread ends with the process.
pub(super) fn within<T: Send + 'static>(
    cancellation: &Cancellation,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    let (tell, told) = channel();
    let thread = std::thread::spawn(move || {
        // Nobody listens any more when it has been given up.
        let _ = tell.send(work());
    });
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

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

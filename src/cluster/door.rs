//! The address on which a host listens: authenticated callers wait here until they are asked for, all others are shut out.
//!
//! Each caller is heard by a thread of its own for a bounded time ([`super::auth`]), and only so many at a time, so that silent
//! or noisy strangers keep nobody out for long. Nothing a stranger sends reaches the search.

use super::auth::{Secret, admit};
use super::fate::{Fate, lock};
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Callers that are heard at a time.
const HEARD: usize = 64;
const NAP: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
struct Hall {
    /// Callers, by purpose and number.
    waiting: Mutex<HashMap<(u32, u32), TcpStream>>,
    came: Condvar,
    heard: AtomicUsize,
    refused: AtomicU64,
    closed: AtomicBool,
}

/// Where callers come.
#[derive(Debug)]
pub(super) struct Door {
    hall: Arc<Hall>,
}

impl Door {
    /// Begins to hear callers of the host with that number.
    pub(super) fn open(listener: TcpListener, me: u32, secret: &Secret) -> io::Result<Door> {
        listener.set_nonblocking(true)?;
        let hall = Arc::new(Hall::default());
        let (inside, secret) = (Arc::clone(&hall), secret.clone());
        std::thread::Builder::new()
            .name("ample:door".to_owned())
            .spawn(move || hear(&listener, me, &secret, &inside))?;
        Ok(Door { hall })
    }

    /// A caller with a purpose, when it has come.
    pub(super) fn take(
        &self,
        purpose: u32,
        from: u32,
        until: Instant,
        fate: &Fate,
    ) -> Option<TcpStream> {
        let mut waiting = lock(&self.hall.waiting);
        loop {
            if let Some(stream) = waiting.remove(&(purpose, from)) {
                return Some(stream);
            }
            if Instant::now() >= until || fate.is_over() {
                return None;
            }
            let waited = self.hall.came.wait_timeout(waiting, 10 * NAP);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Callers that were shut out.
    pub(super) fn refused(&self) -> u64 {
        self.hall.refused.load(Ordering::Relaxed)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.hall.closed.store(true, Ordering::Relaxed);
    }
}

fn hear(listener: &TcpListener, me: u32, secret: &Secret, hall: &Arc<Hall>) {
    while !hall.closed.load(Ordering::Relaxed) {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // Nobody is there, or the caller has gone, or there is no room for one more: later there may be.
            Err(_) => {
                std::thread::sleep(NAP);
                continue;
            }
        };
        if hall.heard.fetch_add(1, Ordering::Relaxed) >= HEARD {
            hall.heard.fetch_sub(1, Ordering::Relaxed);
            hall.refused.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let (inside, secret) = (Arc::clone(hall), secret.clone());
        let heard = std::thread::Builder::new().name("ample:caller".to_owned());
        let heard = heard.spawn(move || {
            greet(stream, me, &secret, &inside);
            inside.heard.fetch_sub(1, Ordering::Relaxed);
        });
        if heard.is_err() {
            hall.heard.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn greet(mut stream: TcpStream, me: u32, secret: &Secret, hall: &Hall) {
    match admit(&mut stream, secret) {
        Ok(call) if call.to == me => {
            let mut waiting = lock(&hall.waiting);
            waiting.entry((call.purpose, call.from)).or_insert(stream);
            hall.came.notify_all();
        }
        Ok(_) | Err(_) => _ = hall.refused.fetch_add(1, Ordering::Relaxed),
    }
}

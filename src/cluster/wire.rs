//! The connections that timely sends letters over, and what becomes of one that breaks.
//!
//! Timely's own threads read and write these. They take every error for a reason to panic, so no error is given to them: a
//! connection that breaks is reported to [`Fate`], whatever is still to be written is dropped, and the thread that would read
//! waits until the process has ended. To tell a connection that has broken from one that has been closed after the last letter,
//! the headers of timely's messages are followed: the last one says that its message is empty. A header that makes no sense is
//! taken for a broken connection too.

use super::fate::Fate;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use timely_communication::allocator::zero_copy::stream::Stream;

/// Bytes of a header: six numbers of eight bytes, most significant first. The fifth is the number of bytes that follow.
const HEADER: usize = 48;
const LENGTH: Range<usize> = 32..40;
/// The longest message: a batch with one state of the longest kind.
const LONGEST: u64 = 1 << 31;

/// How far the messages on a connection have been followed.
#[derive(Debug)]
struct Messages {
    header: Vec<u8>,
    /// Bytes of the message that have not come.
    left: u64,
    /// Whether the last message has come.
    closed: bool,
    /// The workers here: no message is for anybody else.
    here: Range<u64>,
}

impl Messages {
    fn new(here: Range<u64>) -> Messages {
        Messages {
            header: Vec::with_capacity(HEADER),
            left: 0,
            closed: false,
            here,
        }
    }

    /// Follows some bytes; says whether they make sense.
    fn follow(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            if self.closed {
                return false;
            }
            if self.left > 0 {
                let some = self.left.min(bytes.len() as u64);
                bytes = &bytes[some as usize..];
                self.left -= some;
                continue;
            }
            let some = (HEADER - self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..some]);
            bytes = &bytes[some..];
            if self.header.len() == HEADER {
                if !self.understand() {
                    return false;
                }
                self.header.clear();
            }
        }
        true
    }

    fn understand(&mut self) -> bool {
        let word = |at: usize| {
            self.header[at..at + 8]
                .iter()
                .fold(0, |word, byte| word << 8 | u64::from(*byte))
        };
        let (channel, first, end) = (word(0), word(16), word(24));
        self.left = word(LENGTH.start);
        self.closed = self.left == 0;
        let for_us = self.here.contains(&first) && end == first + 1;
        self.left <= LONGEST && channel == 0 && (self.closed || for_us)
    }
}

/// One end of a connection to another host.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    with: usize,
    fate: Arc<Fate>,
    messages: Messages,
}

impl Wire {
    /// The connection with a host; `here` are the numbers of this host's workers.
    pub(super) fn new(stream: TcpStream, with: usize, here: Range<u64>, fate: &Arc<Fate>) -> Wire {
        Wire {
            stream,
            with,
            fate: Arc::clone(fate),
            messages: Messages::new(here),
        }
    }

    /// The thread of this connection has nothing to do any more.
    fn broken(&self) -> ! {
        self.fate.broke(self.with);
        loop {
            std::thread::park_timeout(Duration::from_secs(3600));
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) if self.messages.closed => return Ok(0),
                Ok(0) => self.broken(),
                Ok(read) if self.messages.follow(&buffer[..read]) => return Ok(read),
                Ok(_) => self.broken(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) if self.messages.closed => return Ok(0),
                Err(_) => self.broken(),
            }
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Ok(written) if written > 0 => Ok(written),
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            _ => {
                self.fate.broke(self.with);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Wire> {
        Ok(Wire {
            stream: self.stream.try_clone()?,
            with: self.with,
            fate: Arc::clone(&self.fate),
            messages: Messages::new(self.messages.here.clone()),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may be gone already.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ltl::random::Rng;

    fn header(target: u64, length: u64) -> Vec<u8> {
        [0, 0, target, target + 1, length, 0]
            .iter()
            .flat_map(|word: &u64| word.to_be_bytes())
            .collect()
    }

    #[test]
    fn messages_are_followed_in_any_pieces() {
        let mut rng = Rng::seeded(1);
        for _ in 0..200 {
            let mut bytes = Vec::new();
            for _ in 0..rng.below(5) {
                let length = 1 + rng.below(100);
                bytes.extend(header(2 + rng.below(2) as u64, length as u64));
                bytes.extend(vec![0; length]);
            }
            bytes.extend([0; HEADER]);
            let mut messages = Messages::new(2..4);
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                assert!(!messages.closed);
                let (some, others) = rest.split_at(1 + rng.below(rest.len()));
                assert!(messages.follow(some));
                rest = others;
            }
            assert!(messages.closed && !messages.follow(&[0]));
        }
    }

    #[test]
    fn nonsense_is_noticed() {
        let follow = |bytes: &[u8]| Messages::new(2..4).follow(bytes);
        assert!(follow(&header(3, 9)));
        assert!(!follow(&header(4, 9)) && !follow(&header(1, 9)));
        assert!(!follow(&header(2, LONGEST + 1)));
        let mut rng = Rng::seeded(2);
        for _ in 0..10_000 {
            let bytes: Vec<u8> = (0..200).map(|_| rng.below(256) as u8).collect();
            assert!(!follow(&bytes));
        }
    }
}

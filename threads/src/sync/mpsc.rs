//! `std::sync::mpsc`: channels. Sends and receives of different messages are independent of each
//! other.

use crate::runtime::{self, Id};
use crate::sync::of_this_execution;
use ample_stateless::{Access, Kind, Object, Operation};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// Units of the object that counts senders: each has one, and the channel is closed when all are
/// back.
const SENDERS: u32 = 1 << 30;

struct Channel<T> {
    queue: Id,
    senders: Id,
    /// 1 while the receiver exists.
    receiver: Id,
    /// Messages that the receiver of a channel without buffer has taken.
    taken: Id,
    capacity: u32,
    is_rendezvous: bool,
    /// How many senders there were when the channel was first used.
    count: Cell<u32>,
    messages: RefCell<VecDeque<T>>,
}

// SAFETY: all threads of an exploration run on one thread of the system, and every method reaches
// the runtime of the exploration before the cells; elsewhere it panics.
unsafe impl<T: Send> Send for Channel<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Channel<T> {}

impl<T> Channel<T> {
    fn new(capacity: u32, is_rendezvous: bool) -> Arc<Self> {
        Arc::new(Channel {
            queue: Id::new(),
            senders: Id::new(),
            receiver: Id::new(),
            taken: Id::new(),
            capacity,
            is_rendezvous,
            count: Cell::new(1),
            messages: RefCell::default(),
        })
    }

    fn queue(&self) -> Object {
        of_this_execution(&self.queue, "channel", 0)
    }

    fn senders(&self) -> Object {
        let used = SENDERS - self.count.get();
        of_this_execution(&self.senders, "channel", u64::from(used))
    }

    fn receiver(&self) -> Object {
        of_this_execution(&self.receiver, "channel", 1)
    }

    fn taken(&self) -> Object {
        of_this_execution(&self.taken, "channel", 0)
    }

    /// Sends, or says why not. The receiver's end makes a send possible that fails.
    #[track_caller]
    fn send(&self, what: &'static str, message: T, waits: bool) -> Result<(), TrySendError<T>> {
        let queue = self.queue();
        // A send looks at the receiver first: 0 if it is gone.
        let gone = Access::new(self.receiver(), Kind::Compare(0));
        let send = Access::new(queue, Kind::Send(self.capacity));
        let mut operation = Operation::all([gone, send]);
        if !waits {
            operation.accesses.push(Access::new(queue, Kind::Nothing));
        }
        operation.alternatives = operation.accesses.len() as u8;
        runtime::release(queue);
        let Some(performed) = runtime::visible(what, operation, |_| 0) else {
            return Err(TrySendError::Disconnected(message));
        };
        if performed.accesses[0].kind != Kind::Read {
            return Err(TrySendError::Disconnected(message));
        }
        if performed.accesses[1].kind == Kind::Read {
            return Err(TrySendError::Full(message));
        }
        self.messages.borrow_mut().push_back(message);
        if self.is_rendezvous {
            let number = (performed.accesses[1].before >> 32) as u32 + 1;
            let taken = Operation::one(self.taken(), Kind::Await(number));
            runtime::visible("the hand-over of a message", taken, |_| 0);
        }
        Ok(())
    }

    #[track_caller]
    fn receive(&self, what: &'static str, waits: bool) -> Result<T, TryRecvError> {
        let queue = self.queue();
        let receive = Access::new(queue, Kind::Receive);
        let closed = Access::new(self.senders(), Kind::Await(SENDERS));
        let mut operation = Operation::all([receive, closed]);
        if !waits {
            operation.accesses.push(Access::new(queue, Kind::Nothing));
        }
        operation.alternatives = operation.accesses.len() as u8;
        let Some(performed) = runtime::visible(what, operation, |_| 0) else {
            return Err(TryRecvError::Disconnected);
        };
        if performed.accesses[0].kind == Kind::Receive {
            runtime::acquire(queue);
            if self.is_rendezvous {
                let give = Operation::one(self.taken(), Kind::Give(1));
                runtime::visible("the receipt of a message", give, |_| 0);
            }
            let message = self.messages.borrow_mut().pop_front();
            return message.ok_or(TryRecvError::Disconnected);
        }
        if performed.accesses[1].kind == Kind::Read {
            return Err(TryRecvError::Empty);
        }
        runtime::acquire(queue);
        Err(TryRecvError::Disconnected)
    }

    fn add_sender(&self) {
        match self.senders.known() {
            Some(object) => {
                let share = Operation::one(object, Kind::Share);
                runtime::visible("Sender::clone", share, |_| 0);
            }
            // Nobody has seen the channel yet.
            None => self.count.set(self.count.get() + 1),
        }
    }

    fn remove_sender(&self) {
        if runtime::is_usable() {
            let queue = self.queue();
            runtime::release(queue);
            let unshare = Operation::one(self.senders(), Kind::Unshare);
            runtime::visible("the drop of a Sender", unshare, |_| 0);
        }
    }
}

macro_rules! sender {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        pub struct $name<T>(Arc<Channel<T>>);

        impl<T> $name<T> {
            /// Sends a message, as soon as there is room.
            ///
            /// # Errors
            /// If the receiver is gone.
            #[track_caller]
            pub fn send(&self, message: T) -> Result<(), SendError<T>> {
                let sent = self
                    .0
                    .send(concat!(stringify!($name), "::send"), message, true);
                sent.map_err(|error| match error {
                    TrySendError::Full(message) | TrySendError::Disconnected(message) => {
                        SendError(message)
                    }
                })
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                self.0.add_sender();
                $name(self.0.clone())
            }
        }

        impl<T> Drop for $name<T> {
            fn drop(&mut self) {
                self.0.remove_sender();
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

sender!(Sender, "Sends to a channel without bound.");
sender!(SyncSender, "Sends to a channel with a bound.");

impl<T> SyncSender<T> {
    /// Sends a message if there is room.
    ///
    /// # Errors
    /// If there is none, or the receiver is gone.
    ///
    /// # Panics
    /// On a channel of capacity 0: whether a receiver waits is not a property of the execution's
    /// past.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        assert!(
            !self.0.is_rendezvous,
            "try_send on a channel of capacity 0 is not supported"
        );
        self.0.send("SyncSender::try_send", message, false)
    }
}

/// Receives from a channel.
pub struct Receiver<T>(Arc<Channel<T>>);

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// # Errors
    /// If there is none and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.0
            .receive("Receiver::recv", true)
            .map_err(|_| RecvError)
    }

    /// Takes a message if there is one.
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.0.receive("Receiver::try_recv", false)
    }

    /// Takes a message, or gives up at any time before there is one.
    ///
    /// # Errors
    /// If it gave up, or all senders are gone.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let received = self.0.receive("Receiver::recv_timeout", false);
        received.map_err(|error| match error {
            TryRecvError::Empty => {
                runtime::pass(timeout);
                RecvTimeoutError::Timeout
            }
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// Messages until all senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// The messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(self)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if runtime::is_usable() {
            let write = Operation::one(self.0.receiver(), Kind::Write);
            runtime::visible("the drop of a Receiver", write, |_| 0);
        }
        let messages = self.0.messages.take();
        drop(messages);
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

/// Messages of a receiver.
#[derive(Debug)]
pub struct Iter<'r, T>(&'r Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

/// Messages of a receiver that are there.
#[derive(Debug)]
pub struct TryIter<'r, T>(&'r Receiver<T>);

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

/// Messages of a receiver that it owns.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

impl<'r, T> IntoIterator for &'r Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'r, T>;

    fn into_iter(self) -> Iter<'r, T> {
        self.iter()
    }
}

/// A channel without bound.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Channel::new(u32::MAX, false);
    (Sender(channel.clone()), Receiver(channel))
}

/// A channel with a bound; with 0, a send waits until its message is received.
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let capacity = u32::try_from(bound.max(1)).unwrap_or(u32::MAX);
    let channel = Channel::new(capacity, bound == 0);
    (SyncSender(channel.clone()), Receiver(channel))
}

//! How workers talk: letters on timely's channels, in rounds, with a bound on what is under way.
//!
//! A worker has one channel to every other one (`timely_communication` moves letters between threads as they are, and between
//! processes through one connection per pair). A channel keeps the order of letters. Two things are built on that.
//!
//! **Rounds.** All workers are in the same round or in neighbouring ones. A worker that has nothing more to send in a round says
//! so to all others, with a [`Tally`] of what it did; it leaves the round when all others have said so. What it says and what
//! others sent before that is then with it, since channels keep the order: a round ends when every letter of it has been read.
//! A letter that comes from the next round (from a worker that has heard from everybody, while this one has not) waits. No letter
//! can be two rounds ahead: its sender would have left a round that this worker has not ended. All workers add up the same
//! tallies, so they decide the same.
//!
//! **Back-pressure.** Letters with states count by their bytes. A worker has at most [`IN_FLIGHT`] bytes, divided by the number of workers, under way to another
//! one; the receiver says how many it has dealt with whenever these are a quarter of that. A worker that must wait reads its own
//! letters meanwhile, and reading never waits for anything, so somebody always goes on. Hence the queues of a worker hold at most
//! [`IN_FLIGHT`] bytes, or [`LEAST_WINDOW`] for each other worker if these are very many.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use timely_bytes::arc::Bytes;
use timely_communication::{Allocator, Bytesable, Pull, Push};

/// Bytes that may be under way to one worker, from all others.
const IN_FLIGHT: u64 = 8 << 20;
const LEAST_WINDOW: u64 = 64 << 10;

/// How long to wait for letters before looking whether the run has been given up.
const NAP: Duration = Duration::from_millis(50);

/// What a letter is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A batch of states, for their owner.
    States,
    /// What the owner knows of states that were asked about.
    Answers,
    /// So many bytes of states have been dealt with.
    Credit,
    /// The sender sends nothing more in this round.
    Done,
    /// The round is to end early.
    Hurry,
    /// A request of the first worker, after the last round.
    Request,
    /// What was requested.
    Reply,
}

impl Kind {
    fn from_code(code: u8) -> Option<Kind> {
        const ALL: [Kind; 7] = [
            Kind::States,
            Kind::Answers,
            Kind::Credit,
            Kind::Done,
            Kind::Hurry,
            Kind::Request,
            Kind::Reply,
        ];
        ALL.into_iter().find(|kind| *kind as u8 == code)
    }
}

/// What one worker tells another.
#[derive(Debug)]
pub(super) struct Letter {
    /// None if the bytes were no letter.
    pub(super) kind: Option<Kind>,
    pub(super) from: u32,
    round: u32,
    pub(super) body: Vec<u8>,
}

const HEAD: usize = 9;
/// Bytes that timely puts before a letter for another host.
const TIMELY_HEAD: usize = 48;

impl Bytesable for Letter {
    fn from_bytes(bytes: Bytes) -> Letter {
        let word = |at: usize| {
            bytes
                .get(at..)?
                .first_chunk()
                .map(|word| u32::from_le_bytes(*word))
        };
        Letter {
            kind: bytes
                .first()
                .and_then(|code| Kind::from_code(*code))
                .filter(|_| bytes.len() >= HEAD),
            from: word(1).unwrap_or(u32::MAX),
            round: word(5).unwrap_or(0),
            body: bytes.get(HEAD..).unwrap_or_default().to_vec(),
        }
    }

    fn length_in_bytes(&self) -> usize {
        HEAD + self.body.len()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let kind = self.kind.map_or(u8::MAX, |kind| kind as u8);
        let parts: [&[u8]; 4] = [
            &[kind],
            &self.from.to_le_bytes(),
            &self.round.to_le_bytes(),
            &self.body,
        ];
        for part in parts {
            // The writer is memory of the right size.
            let _ = writer.write_all(part);
        }
    }
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// It has been given up by the process: [`super::control`] knows why.
    GivenUp,
    /// A worker sent something that makes no sense.
    Nonsense {
        /// Which worker.
        from: usize,
    },
    /// States were sent and did not arrive.
    Unaccounted,
}

/// Figures that are added up over all workers at the end of a round.
pub(super) const FIGURES: usize = 6;

/// What a worker did in a round, and reasons to end the search.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) sums: [u64; FIGURES],
    /// Why a worker stopped, if it did: a code, a figure, and the worker. Of several the first worker's counts.
    pub(super) stop: Option<(u8, u64, u32)>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum = sum.saturating_add(more);
        }
        let earlier =
            |stop: &(u8, u64, u32)| self.stop.is_none_or(|(_, _, worker)| stop.2 < worker);
        if let Some(stop) = other.stop.filter(earlier) {
            self.stop = Some(stop);
        }
    }

    fn write(&self) -> Vec<u8> {
        let (code, figure, worker) = self.stop.unwrap_or((u8::MAX, 0, 0));
        let mut out = vec![code];
        out.extend_from_slice(&worker.to_le_bytes());
        for word in self.sums.iter().chain([&figure]) {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out
    }

    fn read(bytes: &[u8]) -> Option<Tally> {
        let (&code, bytes) = bytes.split_first()?;
        let (worker, bytes) = bytes.split_first_chunk::<4>()?;
        let (words, rest) = bytes.as_chunks::<8>();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let mut sums = [0; FIGURES];
        for sum in &mut sums {
            *sum = words.next()?;
        }
        let figure = words.next()?;
        if words.next().is_some() || !rest.is_empty() {
            return None;
        }
        let stop = (code != u8::MAX).then_some((code, figure, u32::from_le_bytes(*worker)));
        Some(Tally { sums, stop })
    }
}

/// The letters of one worker.
pub(super) struct Mail {
    allocator: Allocator,
    pushers: Vec<Box<dyn Push<Letter>>>,
    puller: Box<dyn Pull<Letter>>,
    me: usize,
    given_up: Arc<AtomicBool>,
    round: u32,
    /// Letters of the next round.
    early: VecDeque<Letter>,
    /// How many others have nothing more to send in this round, and what all did.
    done: usize,
    totals: Tally,
    hurry: bool,
    /// Bytes sent to each worker that it has not dealt with.
    under_way: Vec<u64>,
    /// Bytes of each worker that were dealt with, which it does not know.
    owed: Vec<u64>,
    window: u64,
    /// The most bytes that were under way to all others together.
    pub(super) most_under_way: u64,
    /// Bytes sent to workers of other hosts.
    pub(super) sent_bytes: u64,
    /// Workers of a host.
    threads: usize,
}

impl Mail {
    /// The letters of the worker that has the allocator; each host has so many workers.
    pub(super) fn new(
        mut allocator: Allocator,
        threads: usize,
        given_up: &Arc<AtomicBool>,
    ) -> Mail {
        let (pushers, puller) = allocator.allocate::<Letter>(0);
        let (me, peers) = (allocator.index(), allocator.peers());
        Mail {
            allocator,
            pushers,
            puller,
            me,
            given_up: Arc::clone(given_up),
            round: 0,
            early: VecDeque::new(),
            done: 0,
            totals: Tally::default(),
            hurry: false,
            under_way: vec![0; peers],
            owed: vec![0; peers],
            window: (IN_FLIGHT / peers as u64).max(LEAST_WINDOW),
            most_under_way: 0,
            sent_bytes: 0,
            threads,
        }
    }

    /// The number of this worker.
    pub(super) fn me(&self) -> usize {
        self.me
    }

    /// How many workers there are.
    pub(super) fn peers(&self) -> usize {
        self.pushers.len()
    }

    /// Whether the round is to end early.
    pub(super) fn hurries(&self) -> bool {
        self.hurry
    }

    /// Sends a letter.
    pub(super) fn send(&mut self, to: usize, kind: Kind, body: Vec<u8>) {
        if kind == Kind::States {
            self.under_way[to] += body.len() as u64;
            self.most_under_way = self.most_under_way.max(self.under_way.iter().sum());
        }
        let letter = Letter {
            kind: Some(kind),
            from: self.me as u32,
            round: self.round,
            body,
        };
        if to / self.threads != self.me / self.threads {
            self.sent_bytes += (TIMELY_HEAD + letter.length_in_bytes()) as u64;
        }
        let pusher = &mut self.pushers[to];
        pusher.send(letter);
        pusher.done();
        self.allocator.release();
    }

    /// The same to all others.
    pub(super) fn send_to_all(&mut self, kind: Kind, body: &[u8]) {
        let me = self.me;
        for to in (0..self.peers()).filter(|&to| to != me) {
            self.send(to, kind, body.to_vec());
        }
    }

    /// Whether so many bytes of states can be sent to a worker now.
    pub(super) fn has_room(&self, to: usize, bytes: u64) -> bool {
        let under_way = self.under_way[to];
        under_way == 0 || under_way + bytes <= self.window
    }

    /// Ends the round early, for all workers.
    pub(super) fn hurry(&mut self) {
        if !self.hurry {
            self.hurry = true;
            self.send_to_all(Kind::Hurry, &[]);
        }
    }

    /// Says to all others that nothing more is sent in this round.
    pub(super) fn finish(&mut self, tally: &Tally) {
        self.send_to_all(Kind::Done, &tally.write());
        self.totals.add(tally);
    }

    /// The sum of all tallies, once this worker has finished the round and everybody else has: the next round begins.
    pub(super) fn next_round(&mut self) -> Option<Tally> {
        if self.done + 1 < self.peers() {
            return None;
        }
        self.round += 1;
        self.done = 0;
        self.hurry = false;
        Some(std::mem::take(&mut self.totals))
    }

    /// The next letter of this round that the search has to deal with.
    pub(super) fn receive(&mut self) -> Result<Option<Letter>, Broken> {
        if self.given_up.load(Ordering::Relaxed) {
            return Err(Broken::GivenUp);
        }
        // Those that waited come first: what their senders have sent since then must not overtake them.
        while self
            .early
            .front()
            .is_some_and(|letter| letter.round == self.round)
        {
            if let Some(letter) = self.early.pop_front()
                && let Some(letter) = self.open(letter)?
            {
                return Ok(Some(letter));
            }
        }
        self.allocator.receive();
        self.allocator.events().borrow_mut().clear();
        while let Some(letter) = self.puller.recv() {
            let from = letter.from as usize;
            let ahead = letter.round.wrapping_sub(self.round);
            if from >= self.peers() || letter.kind.is_none() {
                return Err(Broken::Nonsense { from });
            }
            match (letter.kind, ahead) {
                (Some(Kind::Credit), _) | (_, 0) => {
                    if let Some(letter) = self.open(letter)? {
                        return Ok(Some(letter));
                    }
                }
                (_, 1) => self.early.push_back(letter),
                // Of a round that ended early: nobody waits for them any more.
                (Some(Kind::Answers), u32::MAX) => {}
                _ => return Err(Broken::Nonsense { from }),
            }
        }
        Ok(None)
    }

    /// Deals with letters about letters; others are for the search.
    fn open(&mut self, letter: Letter) -> Result<Option<Letter>, Broken> {
        let from = letter.from as usize;
        let nonsense = Broken::Nonsense { from };
        match letter.kind {
            Some(Kind::Credit) => {
                let bytes = letter.body.first_chunk().ok_or(nonsense.clone())?;
                let rest = self.under_way[from].checked_sub(u64::from_le_bytes(*bytes));
                self.under_way[from] = rest.ok_or(nonsense)?;
                Ok(None)
            }
            Some(Kind::Done) => {
                self.totals.add(&Tally::read(&letter.body).ok_or(nonsense)?);
                self.done += 1;
                Ok(None)
            }
            Some(Kind::Hurry) => {
                self.hurry = true;
                Ok(None)
            }
            _ => Ok(Some(letter)),
        }
    }

    /// A batch of so many bytes has been dealt with.
    pub(super) fn dealt_with(&mut self, from: usize, bytes: usize) {
        self.owed[from] += bytes as u64;
        if self.owed[from] >= self.window / 4 {
            let owed = std::mem::take(&mut self.owed[from]);
            self.send(from, Kind::Credit, owed.to_le_bytes().to_vec());
        }
    }

    /// Bytes of letters that wait here, or are under way from here.
    pub(super) fn bytes(&self) -> u64 {
        let waiting = self.early.iter().map(|letter| letter.body.len() as u64);
        waiting.chain(self.under_way.iter().copied()).sum()
    }

    /// Waits for letters, not for long.
    pub(super) fn wait(&self) {
        if self
            .early
            .front()
            .is_none_or(|letter| letter.round != self.round)
        {
            self.allocator.await_events(Some(NAP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ltl::random::Rng;

    #[test]
    fn tallies_come_back() {
        let tally = Tally {
            sums: [1, 2, u64::MAX, 4, 5, 6],
            stop: Some((3, 77, 2)),
        };
        assert_eq!(Tally::read(&tally.write()), Some(tally));
        assert_eq!(
            Tally::read(&Tally::default().write()),
            Some(Tally::default())
        );
        let mut rng = Rng::seeded(1);
        for _ in 0..10_000 {
            let bytes: Vec<u8> = (0..rng.below(80)).map(|_| rng.below(256) as u8).collect();
            assert_eq!(
                Tally::read(&bytes).is_some(),
                bytes.len() == 5 + 8 * (FIGURES + 1)
            );
        }
    }

    #[test]
    fn the_first_workers_reason_counts() {
        let stopped = |worker| Tally {
            stop: Some((1, 0, worker)),
            ..Tally::default()
        };
        let mut sum = stopped(2);
        sum.add(&stopped(3));
        assert_eq!(sum.stop, Some((1, 0, 2)));
        sum.add(&stopped(0));
        assert_eq!(sum.stop, Some((1, 0, 0)));
    }
}

//! Breadth-first search by all workers of a cluster: the part of one of them.
//!
//! Every state has an owner ([`super::owner`]), which alone stores and expands it. In round L the owners expand their states of
//! level L (those at distance L from the initial state) and send the successors to their owners. A round ends when all letters of
//! it have been read ([`super::mail`]), so what is new then are the states of level L + 1. The search is over after a round in
//! which nobody had a state to expand. A state is stored in the round of its distance, so a violation that is found first has as
//! few steps as any, and a state is expanded once: states and transitions are those of a search on one machine. That nothing is
//! lost on the way is not only argued for: in each round all workers together compare how many states were sent and received
//! in the rounds before, and a difference ends the run without a verdict.
//!
//! # Reduction
//!
//! In a state an ample set of moves suffices if it satisfies the conditions C0 to C2 (see [`crate::reduce`]) and the moves that are
//! left out are not put off forever. For safety it is enough that **one ample successor is expanded later** than the state: at a
//! higher level.
//!
//! *No move is put off forever.* Suppose a move is enabled in a state s of level L and left out there. By C1 it is independent of
//! the ample moves, so it is still enabled after each of them, also in the successor that has level L + 1; there the same
//! argument applies. Levels are finite in number, so after finitely many steps there is a state that is expanded fully, and there
//! the move is made. From here the proof is that of all searches with such a proviso (Holzmann and Peled's for depth-first search;
//! Bošnački and Holzmann's for breadth-first search): each violation of the full graph has one in the reduced graph.
//!
//! *The decision is the same whenever it is made.* A successor is expanded later if it is not among the states of the levels up to
//! L. That set does not change in round L, in which only states of level L + 1 are stored. So it does not matter which worker
//! asks first, and the reduced graph is the same for every number of hosts and threads. The owner tells the two apart by the note of
//! the state ([`super::part`]). A mutant that takes every known state for one that is expanded later is
//! [`Fault::LeadingBackAllowed`], and the tests notice it.
//!
//! *Asking.* The successors of an ample set go to their owners like others, some with a ticket. If one of the worker's own is
//! expanded later, nothing is asked. If all answers are no, then all these states were stored before, so sending them has added
//! nothing but arrivals, which are taken back; then the next ample set is tried, and in the end all moves are made.

use super::codec::{PARENTS, Reader, Writer, put_varint, take_varint};
use super::expand::Expansion;
use super::mail::{Broken, Kind, Letter, Mail, Tally};
use super::owner::owner;
use super::part::{Address, Part};
use super::run::{Gauge, Watched};
use super::stops::{coded, shortage};
use crate::faults::{Fault, is_active};
use crate::limits::Stop;
use crate::search::Settings;
use crate::search::ledger::Signature;
use crate::space::{AmpleSets, split};
use crate::stats::Stats;
use std::collections::HashSet;

/// Bytes after which a batch is sent.
const BATCH: usize = 32 << 10;
/// States that are inserted together.
const TOGETHER: usize = 64;
/// Expansions between two looks at letters.
const READ_EVERY: u32 = 16;
/// Expansions between two looks at the limits.
const LOOK_EVERY: u32 = 256;
/// States that may wait for answers.
const WAITING: usize = 4096;

/// A state of which an ample set was tried, and owners have been asked whether that suffices.
#[derive(Copy, Clone, Debug)]
struct Waiting {
    number: u64,
    /// The ample set.
    set: usize,
    /// Answers that have not come.
    answers: u32,
    /// Whether one was yes.
    suffices: bool,
    /// How many states were sent, moves made inside `atomic` sequences (and not followed), and violations met.
    sent: u64,
    atomic: (u64, u64),
    errors: u64,
}

/// Who wants to know what became of a state that has been collected.
#[derive(Copy, Clone, Debug)]
enum Asker {
    Nobody,
    /// This worker, in the midst of an expansion.
    Here,
    /// Another worker, with its ticket.
    There(u64),
}

/// What the worker has found wrong: states in which something is, each kind of thing once.
#[derive(Debug, Default)]
pub(super) struct Wrong {
    /// Levels and numbers.
    pub(super) states: Vec<(u64, u64)>,
    known: HashSet<Signature>,
}

/// One worker.
pub(super) struct Worker<'a, P: AmpleSets> {
    pub(super) space: P,
    pub(super) mail: Mail,
    pub(super) part: Part,
    settings: &'a Settings,
    watched: &'a Watched,
    gauge: &'a Gauge,
    expansion: Expansion<P>,
    /// Batches for others.
    batches: Vec<Writer>,
    /// One for each state that has been collected.
    askers: Vec<Asker>,
    /// Answers for the worker whose letter is being read.
    answers: Vec<u8>,
    waiting: Vec<Waiting>,
    free: Vec<usize>,
    /// Waiting states of which all answers have come and were no.
    refused: Vec<(u64, usize)>,
    pub(super) stats: Stats,
    /// Arrivals that do not count, though their owners have counted them.
    pub(super) taken_back: u64,
    /// States sent to others, and received from them.
    sent: u64,
    received: u64,
    pub(super) wrong: Wrong,
    /// A state in which something was left out.
    pub(super) cut: Option<u64>,
    stop: Option<Stop>,
    /// Violations of kinds that are new, in this round.
    violations: u64,
    level: u64,
}

/// How the search ended, as all workers know.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) levels: u64,
    /// The reason of the first worker that stopped.
    pub(crate) stop: Option<(u8, u64, u32)>,
    pub(crate) violated: bool,
    pub(crate) too_deep: bool,
}

impl<'a, P: AmpleSets> Worker<'a, P> {
    pub(super) fn new(
        space: P,
        mail: Mail,
        settings: &'a Settings,
        (watched, gauge): (&'a Watched, &'a Gauge),
        along: usize,
    ) -> Worker<'a, P> {
        let peers = mail.peers();
        Worker {
            space,
            mail,
            part: Part::new(settings, along),
            settings,
            watched,
            gauge,
            expansion: Expansion::new(
                settings.all_errors,
                settings.end_states,
                &watched.cancellation,
            ),
            batches: (0..peers).map(|_| Writer::default()).collect(),
            askers: Vec::new(),
            answers: Vec::new(),
            waiting: Vec::new(),
            free: Vec::new(),
            refused: Vec::new(),
            stats: Stats {
                workers: 1,
                ..Stats::default()
            },
            taken_back: 0,
            sent: 0,
            received: 0,
            wrong: Wrong::default(),
            cut: None,
            stop: None,
            violations: 0,
            level: 0,
        }
    }

    /// Searches from a state, together with all others.
    pub(super) fn search(&mut self, initial: &[u8]) -> Result<Ended, Broken> {
        let (key, along) = split(&self.space, initial);
        if owner(key, self.mail.peers()) == self.mail.me() {
            self.part.collect(Address::code(None), key, along);
            self.askers.push(Asker::Nobody);
            self.insert();
        }
        let mut level = 0;
        loop {
            let states = self.part.next_level();
            let too_deep = level > self.settings.limits.depth;
            let totals = self.round(states, too_deep)?;
            let [states, violations, stored, sent, received, _] = totals.sums;
            if sent != received {
                return Err(Broken::Unaccounted);
            }
            let violated = violations > 0 && !self.settings.all_errors;
            let full = (stored >= self.settings.limits.states)
                .then(|| coded(&Stop::States(self.settings.limits.states), 0));
            let stop = totals.stop.or(full);
            if states == 0 || too_deep || violated || stop.is_some() {
                return Ok(Ended {
                    levels: level.saturating_sub(u64::from(states == 0 || too_deep)),
                    stop,
                    violated,
                    too_deep: too_deep && states > 0,
                });
            }
            level += 1;
            self.level = level;
            self.gauge.level.set(level);
        }
    }

    /// One level. With `skip` nothing is expanded.
    fn round(&mut self, states: u64, skip: bool) -> Result<Tally, Broken> {
        self.violations = 0;
        let (sent, received) = (self.sent, self.received);
        let mut until_read = 1;
        let mut until_look = 1;
        while !skip && self.goes_on() {
            until_read -= 1;
            if until_read == 0 {
                until_read = READ_EVERY;
                self.read()?;
                self.try_next_sets()?;
            }
            until_look -= 1;
            if until_look == 0 {
                until_look = LOOK_EVERY;
                self.look();
            }
            if self.waiting.len() - self.free.len() >= WAITING {
                self.flush()?;
                self.pause()?;
            } else if self.part.left() > 0 {
                self.expand_next()?;
            } else if self.waiting.len() > self.free.len() {
                self.flush()?;
                self.pause()?;
            } else if self.refused.is_empty() {
                break;
            } else {
                self.try_next_sets()?;
            }
        }
        self.flush()?;
        self.look();
        let tally = Tally {
            sums: [states, self.violations, self.part.len(), sent, received, 0],
            stop: self.stop.map(|stop| coded(&stop, self.mail.me())),
        };
        self.mail.finish(&tally);
        loop {
            self.read()?;
            if let Some(totals) = self.mail.next_round() {
                return Ok(totals);
            }
            self.mail.wait();
        }
    }

    /// Whether to go on with the round.
    fn goes_on(&mut self) -> bool {
        let ends = self.stop.is_some() || (self.violations > 0 && !self.settings.all_errors);
        if ends {
            self.mail.hurry();
        }
        !self.mail.hurries()
    }

    fn expand_next(&mut self) -> Result<(), Broken> {
        let reduces = self.space.reduces();
        let Some(number) = self.part.next(reduces, &mut self.expansion.state) else {
            return Ok(());
        };
        self.expansion.list(&mut self.space);
        match self.expansion.is_reducible() {
            true => self.try_set(number, 0),
            false => {
                self.expansion.make_all(&mut self.space);
                self.send_all(number)
            }
        }
    }

    /// Tries the ample sets of the state at hand, from one on.
    fn try_set(&mut self, number: u64, mut set: usize) -> Result<(), Broken> {
        while self.expansion.make_ample(&mut self.space, set) {
            if self.expansion.found.len() > 0 && self.try_made(number, set)? {
                return Ok(());
            }
            set += 1;
        }
        self.expansion.make_all_instead(&mut self.space);
        self.send_all(number)
    }

    /// Sends the successors that an ample set has. Says whether it suffices, or answers will tell.
    fn try_made(&mut self, number: u64, set: usize) -> Result<bool, Broken> {
        let (me, peers) = (self.mail.me(), self.mail.peers());
        let parent = self.parent(number);
        for (key, along) in self.expansion.found.iter() {
            if owner(key, peers) == me {
                self.part.collect(parent, key, along);
                self.askers.push(Asker::Here);
            }
        }
        let own = self
            .askers
            .iter()
            .filter(|a| matches!(a, Asker::Here))
            .count();
        let mut suffices = self.insert();
        suffices |= is_active(Fault::LeadingBackAllowed);
        let others = self.expansion.found.len() - own;
        if !suffices && others == 0 {
            self.taken_back += own as u64;
            return Ok(false);
        }
        let ticket = (!suffices).then(|| {
            self.wait_for(Waiting {
                number,
                set,
                answers: others as u32,
                suffices,
                sent: self.expansion.found.len() as u64,
                atomic: (
                    self.expansion.found.atomic_steps,
                    self.expansion.found.atomic_repeats,
                ),
                errors: self.expansion.found.met.len() as u64,
            })
        });
        for (key, along) in self.expansion.found.iter() {
            let to = owner(key, peers);
            if to != me {
                self.batches[to].push_parts(number, ticket, key, along);
                self.sent += 1;
            }
        }
        if suffices {
            self.stats.reduced += 1;
        }
        self.account(number);
        self.send_full_batches()?;
        Ok(true)
    }

    fn wait_for(&mut self, waiting: Waiting) -> u64 {
        let at = match self.free.pop() {
            Some(at) => {
                self.waiting[at] = waiting;
                at
            }
            None => {
                self.waiting.push(waiting);
                self.waiting.len() - 1
            }
        };
        at as u64
    }

    /// Goes on with states of which no answer was yes.
    fn try_next_sets(&mut self) -> Result<(), Broken> {
        while let Some((number, set)) = self.refused.pop() {
            if self
                .part
                .look_up(number, &mut self.expansion.state)
                .is_some()
            {
                self.expansion.list(&mut self.space);
                self.try_set(number, set + 1)?;
            }
        }
        Ok(())
    }

    /// Sends all successors of the state at hand.
    fn send_all(&mut self, number: u64) -> Result<(), Broken> {
        let (me, peers) = (self.mail.me(), self.mail.peers());
        let parent = self.parent(number);
        for (key, along) in self.expansion.found.iter() {
            let to = owner(key, peers);
            match to == me {
                true => {
                    self.part.collect(parent, key, along);
                    self.askers.push(Asker::Nobody);
                }
                false => {
                    self.batches[to].push_parts(number, None, key, along);
                    self.sent += 1;
                }
            }
        }
        if self.part.collected() >= TOGETHER {
            self.insert();
        }
        self.account(number);
        self.send_full_batches()
    }

    /// Accounts for what went wrong in the expansion at hand, and for its inner moves.
    fn account(&mut self, number: u64) {
        let found = &mut self.expansion.found;
        self.stats.atomic_steps += found.atomic_steps;
        self.stats.atomic_repeats += found.atomic_repeats;
        self.stop = self.stop.or(found.stop);
        if found.cut.is_some() {
            self.cut.get_or_insert(number);
        }
        for met in found.met.drain(..) {
            self.stats.errors += 1;
            if self.wrong.known.insert(met.signature) {
                self.violations += 1;
                let state = (self.level, number);
                if self.wrong.states.last() != Some(&state) {
                    self.wrong.states.push(state);
                }
            }
        }
    }

    fn parent(&self, number: u64) -> u64 {
        Address::code(Some(Address {
            owner: self.mail.me() as u32,
            number,
        }))
    }

    /// Inserts what has been collected. Says whether one of the states that an expansion here asks for is expanded later.
    fn insert(&mut self) -> bool {
        let mut suffices = false;
        let mut askers = self.askers.iter();
        let (stats, answers) = (&mut self.stats, &mut self.answers);
        let fits = self.part.insert(|arrival| {
            if arrival.is_new {
                stats.stored += 1;
                stats.vector_bytes = stats.vector_bytes.max(arrival.bytes as u64);
            } else {
                stats.matched += 1;
            }
            match askers.next() {
                Some(Asker::Here) => suffices |= arrival.is_later,
                Some(Asker::There(ticket)) => {
                    put_varint(answers, ticket << 1 | u64::from(arrival.is_later))
                }
                Some(Asker::Nobody) | None => {}
            }
        });
        self.askers.clear();
        if !fits {
            self.stop = self.stop.or(Some(shortage(
                self.part.shortage(),
                self.settings.limits.memory,
            )));
        }
        suffices
    }

    /// Deals with all letters that are there.
    fn read(&mut self) -> Result<(), Broken> {
        while let Some(letter) = self.mail.receive()? {
            let from = letter.from as usize;
            self.open(letter).ok_or(Broken::Nonsense { from })?;
        }
        Ok(())
    }

    /// `None` if the letter makes no sense.
    fn open(&mut self, letter: Letter) -> Option<()> {
        match letter.kind? {
            Kind::States => self.take_in(&letter),
            Kind::Answers => self.take_answers(&letter.body),
            _ => None,
        }
    }

    fn take_in(&mut self, letter: &Letter) -> Option<()> {
        self.insert();
        let mut reader = Reader::new(&letter.body);
        while !reader.is_empty() {
            let (sent, state) = reader.next()?;
            let len = self.space.stored_len(state);
            let (key, along) = state.split_at_checked(len)?;
            self.received += 1;
            let parent = Address::code(Some(Address {
                owner: letter.from,
                number: sent.parent,
            }));
            self.part.collect(parent, key, along);
            self.askers.push(match sent.ticket {
                Some(ticket) if ticket <= u64::MAX >> 1 => Asker::There(ticket),
                Some(_) => return None,
                None => Asker::Nobody,
            });
            if self.part.collected() >= TOGETHER {
                self.insert();
            }
        }
        self.insert();
        let from = letter.from as usize;
        if !self.answers.is_empty() {
            let answers = std::mem::take(&mut self.answers);
            self.mail.send(from, Kind::Answers, answers);
        }
        self.mail.dealt_with(from, letter.body.len());
        Some(())
    }

    fn take_answers(&mut self, mut body: &[u8]) -> Option<()> {
        while !body.is_empty() {
            let answer = take_varint(&mut body)?;
            let at = usize::try_from(answer >> 1).ok()?;
            let waiting = self.waiting.get_mut(at)?;
            waiting.suffices |= answer & 1 == 1;
            waiting.answers = waiting.answers.checked_sub(1)?;
            if waiting.answers > 0 {
                continue;
            }
            let waiting = *waiting;
            self.free.push(at);
            if waiting.suffices {
                self.stats.reduced += 1;
            } else {
                self.taken_back += waiting.sent;
                self.stats.atomic_steps -= waiting.atomic.0;
                self.stats.atomic_repeats -= waiting.atomic.1;
                self.stats.errors -= waiting.errors;
                self.refused.push((waiting.number, waiting.set));
            }
        }
        Some(())
    }

    fn send_full_batches(&mut self) -> Result<(), Broken> {
        for to in 0..self.batches.len() {
            if self.batches[to].len() >= BATCH {
                self.send_batch(to)?;
            }
        }
        Ok(())
    }

    /// Sends the batch for a worker, when there is room for it under way.
    fn send_batch(&mut self, to: usize) -> Result<(), Broken> {
        while !self.mail.has_room(to, self.batches[to].len() as u64) {
            self.pause()?;
        }
        let batch = self.batches[to].take();
        self.mail.send(to, Kind::States, batch);
        Ok(())
    }

    /// Sends and inserts all there is.
    fn flush(&mut self) -> Result<(), Broken> {
        self.insert();
        for to in 0..self.batches.len() {
            if self.batches[to].len() > 0 {
                self.send_batch(to)?;
            }
        }
        Ok(())
    }

    /// Waits until there may be letters, and deals with them.
    fn pause(&mut self) -> Result<(), Broken> {
        self.mail.wait();
        self.look();
        self.read()
    }

    /// Looks at the limits, and shows how far the worker is.
    fn look(&mut self) {
        let batches: u64 = self.batches.iter().map(Writer::bytes).sum();
        let waiting = (self.waiting.capacity() * size_of::<Waiting>()) as u64;
        let besides =
            self.part.log_bytes() + batches + waiting + self.expansion.bytes() + self.mail.bytes();
        let bytes = self.part.store_bytes() + besides;
        self.stats.stack_bytes = self.stats.stack_bytes.max(besides);
        self.part
            .set_limit(self.settings.limits.memory.saturating_sub(besides));
        let matched = self.stats.matched.wrapping_sub(self.taken_back);
        self.gauge
            .show((self.stats.stored, matched), self.part.left(), bytes);
        let limits = &self.settings.limits;
        let full = (bytes > limits.memory).then_some(Stop::Memory(limits.memory));
        let many = self.watched.states() >= limits.states;
        let many = many.then_some(Stop::States(limits.states));
        let numbers = self.part.len() >= PARENTS - 1;
        let numbers = numbers.then_some(Stop::Representation);
        self.stop = self
            .stop
            .or(full)
            .or(many)
            .or(numbers)
            .or_else(|| self.watched.poll());
    }
}

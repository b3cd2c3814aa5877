//! After the last round: figures of all workers come to the first one, and counterexamples are put together there.
//!
//! A worker has named the states of its own in which something is wrong. The first worker asks the owner of such a state for its
//! bytes and its parent, then the parent's owner, and so on up to the initial state. The moves from each state to the next are
//! found by trying ([`crate::search::connect`]), and the last state is expanded once more to see what is wrong in it. Nothing that
//! another host says is believed: what comes out is executed on the plain machine like any other counterexample
//! ([`crate::check::confirm`]).

use super::expand::Expansion;
use super::mail::{Broken, Kind, Tally};
use super::part::Address;
use super::safety::{Ended, Worker};
use crate::limits::{Cancellation, Stop, unhurried};
use crate::search::connect::connect;
use crate::search::ledger::Signature;
use crate::search::{Found, Settings};
use crate::space::AmpleSets;
use crate::stats::Stats;
use std::collections::HashSet;

/// What one worker has done, for reports.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Work {
    pub(crate) stats: Stats,
    /// Bytes of the letters it sent, and the most bytes of states that were under way at a time.
    pub(crate) sent_bytes: u64,
    pub(crate) most_under_way: u64,
}

const WORDS: usize = 11;

impl Work {
    fn words(&self) -> [u64; WORDS] {
        let stats = &self.stats;
        [
            stats.stored,
            stats.matched,
            stats.atomic_steps,
            stats.atomic_repeats,
            stats.reduced,
            stats.errors,
            stats.vector_bytes,
            stats.store_bytes,
            stats.stack_bytes,
            self.sent_bytes,
            self.most_under_way,
        ]
    }

    fn of_words(words: [u64; WORDS]) -> Work {
        let [
            stored,
            matched,
            atomic_steps,
            atomic_repeats,
            reduced,
            errors,
            rest @ ..,
        ] = words;
        let [
            vector_bytes,
            store_bytes,
            stack_bytes,
            sent_bytes,
            most_under_way,
        ] = rest;
        Work {
            stats: Stats {
                stored,
                matched,
                atomic_steps,
                atomic_repeats,
                reduced,
                errors,
                vector_bytes,
                store_bytes,
                stack_bytes,
                workers: 1,
                ..Stats::default()
            },
            sent_bytes,
            most_under_way,
        }
    }
}

/// What the first worker knows in the end.
pub(crate) struct Gathered<M> {
    pub(crate) ended: Ended,
    /// The work of each worker.
    pub(crate) work: Vec<Work>,
    pub(crate) found: Vec<Found<M>>,
    /// Calls that were not followed.
    pub(crate) cut: Option<Stop>,
    /// A state in which nothing is wrong, though its owner says so.
    pub(crate) contradiction: Option<String>,
}

/// What a worker hands in: its work, states in which something is wrong, and a state in which something was left out.
struct HandedIn {
    work: Work,
    /// Levels and numbers.
    wrong: Vec<(u64, u64)>,
    cut: Option<u64>,
}

impl HandedIn {
    fn write(&self) -> Vec<u8> {
        let cut = self.cut.map_or(0, |number| number + 1);
        let words = self.work.words().into_iter().chain([cut]).chain(
            self.wrong
                .iter()
                .flat_map(|(level, number)| [*level, *number]),
        );
        words.flat_map(u64::to_le_bytes).collect()
    }

    fn read(bytes: &[u8]) -> Option<HandedIn> {
        let (words, rest) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let (work, others) = words.split_first_chunk::<WORDS>()?;
        let (cut, wrong) = others.split_first()?;
        let (wrong, odd) = wrong.as_chunks::<2>();
        (rest.is_empty() && odd.is_empty()).then(|| HandedIn {
            work: Work::of_words(*work),
            wrong: wrong
                .iter()
                .map(|[level, number]| (*level, *number))
                .collect(),
            cut: cut.checked_sub(1),
        })
    }
}

impl<P: AmpleSets> Worker<'_, P> {
    fn hand_in(&mut self) -> HandedIn {
        let mut stats = self.stats;
        stats.store_bytes = self.part.store_bytes();
        // Negative, perhaps: only the sum over all workers means something.
        stats.matched = stats.matched.wrapping_sub(self.taken_back);
        HandedIn {
            work: Work {
                stats,
                sent_bytes: self.mail.sent_bytes,
                most_under_way: self.mail.most_under_way,
            },
            wrong: std::mem::take(&mut self.wrong.states),
            cut: self.cut,
        }
    }

    /// The end for all workers but the first: hands in what it knows, and answers until nothing more is asked.
    pub(super) fn serve(&mut self) -> Result<(), Broken> {
        let own = self.hand_in();
        self.mail.send(0, Kind::Reply, own.write());
        self.mail.finish(&Tally::default());
        loop {
            while let Some(letter) = self.mail.receive()? {
                let from = letter.from as usize;
                let answer = match (letter.kind, letter.body.as_slice().try_into()) {
                    (Some(Kind::Request), Ok(number)) => self.told(u64::from_le_bytes(number)),
                    // Of a round that ended early.
                    (Some(Kind::States | Kind::Answers), _) => continue,
                    _ => None,
                };
                let answer = answer.ok_or(Broken::Nonsense { from })?;
                self.mail.send(from, Kind::Reply, answer);
            }
            if self.mail.next_round().is_some() {
                return Ok(());
            }
            self.mail.wait();
        }
    }

    /// A state of this worker, behind the code of its parent.
    fn told(&mut self, number: u64) -> Option<Vec<u8>> {
        let mut state = Vec::new();
        let parent = self.part.look_up(number, &mut state)?;
        let mut answer = Address::code(parent).to_le_bytes().to_vec();
        answer.extend_from_slice(&state);
        Some(answer)
    }

    /// The end for the first worker: gathers what all know.
    pub(super) fn gather(
        &mut self,
        ended: Ended,
        settings: &Settings,
    ) -> Result<Gathered<P::Move>, Broken> {
        let peers = self.mail.peers();
        let mut handed: Vec<Option<HandedIn>> = (0..peers).map(|_| None).collect();
        handed[0] = Some(self.hand_in());
        while handed.iter().any(Option::is_none) {
            let (from, body) = self.next_reply()?;
            let told = HandedIn::read(&body).ok_or(Broken::Nonsense { from })?;
            handed[from] = Some(told);
        }
        let handed: Vec<HandedIn> = handed.into_iter().flatten().collect();
        let mut gathered = Gathered {
            ended,
            work: handed.iter().map(|told| told.work).collect(),
            found: Vec::new(),
            cut: None,
            contradiction: None,
        };
        let mut known = HashSet::new();
        // Of violations of the same kind, the one that is reached first is reported.
        let named = handed.iter().enumerate();
        let named =
            named.flat_map(|(owner, told)| told.wrong.iter().map(move |wrong| (wrong, owner)));
        let mut wrong: Vec<(&(u64, u64), usize)> = named.collect();
        wrong.sort_unstable();
        for (&(_, number), owner) in wrong {
            if settings.all_errors || gathered.found.is_empty() {
                self.add_wrong(owner, number, settings, &mut known, &mut gathered)?;
            }
        }
        let cut = handed
            .iter()
            .enumerate()
            .find_map(|(owner, told)| Some((owner, told.cut?)));
        if let Some((owner, number)) = cut {
            let states = self.states_to(owner, number)?;
            gathered.cut = self.expanded(states.last(), settings).found.cut;
        }
        self.mail.finish(&Tally::default());
        while self.mail.next_round().is_none() {
            self.mail.wait();
            while self.mail.receive()?.is_some() {}
        }
        Ok(gathered)
    }

    /// Adds the run to a state in which something is wrong, with what is wrong.
    fn add_wrong(
        &mut self,
        owner: usize,
        number: u64,
        settings: &Settings,
        known: &mut HashSet<Signature>,
        gathered: &mut Gathered<P::Move>,
    ) -> Result<(), Broken> {
        let states = self.states_to(owner, number)?;
        let path = unhurried(|| {
            let steps = states
                .windows(2)
                .map(|pair| connect(&mut self.space, &pair[0], &pair[1]));
            let steps: Vec<Vec<P::Move>> = steps.collect();
            steps
        });
        let expansion = self.expanded(states.last(), settings);
        if path.iter().any(Vec::is_empty) || expansion.found.met.is_empty() {
            let text =
                "a state that another worker names is not reached, or nothing is wrong in it";
            gathered.contradiction = Some(text.to_owned());
            return Ok(());
        }
        let path = path.concat();
        for met in &expansion.found.met {
            if known.insert(met.signature.clone()) {
                gathered.found.push(Found {
                    event: met.event.clone(),
                    path: path.iter().chain(&met.step).copied().collect(),
                });
            }
        }
        Ok(())
    }

    /// A state, expanded with all its moves.
    fn expanded(&mut self, state: Option<&Vec<u8>>, settings: &Settings) -> Expansion<P> {
        let never = Cancellation::default();
        let mut expansion = Expansion::new(settings.all_errors, settings.end_states, &never);
        expansion.state = state.cloned().unwrap_or_default();
        unhurried(|| {
            expansion.list(&mut self.space);
            expansion.make_all(&mut self.space);
        });
        expansion
    }

    /// The states from the initial one to one of some worker, along the parents.
    fn states_to(&mut self, owner: usize, number: u64) -> Result<Vec<Vec<u8>>, Broken> {
        let mut states = Vec::new();
        let mut at = Some(Address {
            owner: owner as u32,
            number,
        });
        while let Some(address) = at {
            let from = address.owner as usize;
            let nonsense = Broken::Nonsense { from };
            let told = match from == self.mail.me() {
                true => self.told(address.number).ok_or(nonsense.clone())?,
                false if from < self.mail.peers() => {
                    let request = address.number.to_le_bytes().to_vec();
                    self.mail.send(from, Kind::Request, request);
                    self.next_reply()?.1
                }
                false => return Err(nonsense),
            };
            let (parent, state) = told.split_first_chunk().ok_or(nonsense)?;
            at = Address::from_code(u64::from_le_bytes(*parent));
            states.push(state.to_vec());
        }
        states.reverse();
        Ok(states)
    }

    fn next_reply(&mut self) -> Result<(usize, Vec<u8>), Broken> {
        loop {
            match self.mail.receive()? {
                Some(letter) if letter.kind == Some(Kind::Reply) => {
                    return Ok((letter.from as usize, letter.body));
                }
                // Of a round that ended early.
                Some(letter) if matches!(letter.kind, Some(Kind::States | Kind::Answers)) => {}
                Some(letter) => {
                    let from = letter.from as usize;
                    return Err(Broken::Nonsense { from });
                }
                None => self.mail.wait(),
            }
        }
    }
}

//! The closed sets of processes of a state: see [`super::ample`] for what they are and why their moves suffice.
//!
//! Everything here is about the state at hand, which [`ClosedSets::survey`] looks at. It is written for any kind of
//! [`ProcessSet`], and the kind never shows in the answer.

use super::ample::Rules;
use super::facts::{Future, FutureId, Now, PlaceId};
use super::operations::channels;
use super::process_set::ProcessSet;
use super::stubborn::Scratch;
use crate::faults::{Fault, is_active};
use crate::machine::{Look, Move, Pid};
use promela_lite::program::ProctypeId;
use std::cell::{Cell, OnceCell};

/// So many pairs of channel operations are compared one by one.
const FEW_PAIRS: usize = 2;

/// So many sets of a state are offered: searches note the number of a set in a byte, beside two other answers. A state that
/// has more is expanded fully if none of these is good enough.
const MOST_SETS: usize = u8::MAX as usize - 1;

/// A process of the state at hand.
#[derive(Copy, Clone, Debug)]
pub(super) struct Live {
    pub(super) place: PlaceId,
    pub(super) future: FutureId,
    pub(super) proctype: ProctypeId,
    /// Its enabled moves.
    pub(super) moves: u32,
}

/// A closed set of processes all of whose moves are invisible.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate<S> {
    set: S,
    /// Enabled moves of its processes.
    moves: u32,
}

/// The processes of the state at hand, and what has been found out about them.
#[derive(Clone, Debug, Default)]
pub(super) struct ClosedSets<S> {
    pub(super) live: Vec<Live>,
    /// The futures of the processes, each once, and whose each is.
    present: Vec<FutureId>,
    having: Vec<S>,
    /// The processes that can move.
    movers: S,
    /// The channels of each process' future, as bits, computed on demand; whether there is any.
    later: Vec<Cell<Option<u64>>>,
    any_later: Cell<bool>,
    /// The processes that interfere with each, and of which that has been found out.
    interferers: Vec<S>,
    known: S,
    /// All sets of the state below, best first.
    sets: Vec<Candidate<S>>,
    sets_of: Vec<u8>,
    rest: Vec<Move>,
    stubborn: Scratch,
}

impl<S: ProcessSet> ClosedSets<S> {
    /// For programs with that many futures.
    pub(super) fn new(futures: usize) -> ClosedSets<S> {
        ClosedSets {
            having: vec![S::default(); futures],
            ..ClosedSets::default()
        }
    }

    /// Does what [`super::Ample::choose`] says.
    pub(super) fn choose(
        &mut self,
        rules: &Rules,
        look: &Look<'_>,
        state: &[u8],
        moves: &mut Vec<Move>,
        index: usize,
    ) -> Option<usize> {
        if index == 0 {
            self.survey(rules, look, moves);
            let best = self.best(rules, look, moves)?;
            return Some(partition(&best.set, &mut self.rest, moves));
        }
        if self.sets_of != state {
            self.list(rules, look, state, moves);
        }
        let chosen = self.sets.get(index)?;
        Some(partition(&chosen.set, &mut self.rest, moves))
    }

    /// Does what [`super::Ample::index_with`] says.
    pub(super) fn index_with(
        &mut self,
        rules: &Rules,
        look: &Look<'_>,
        state: &[u8],
        moves: &[Move],
        pid: Pid,
    ) -> Option<usize> {
        self.list(rules, look, state, moves);
        let least = self.sets.first()?.moves;
        let mut sets = self.sets.iter();
        sets.position(|c| c.set.contains(usize::from(pid.0)) && c.moves == least)
    }

    /// Looks at all processes and what they can do.
    pub(super) fn survey(&mut self, rules: &Rules, look: &Look<'_>, moves: &[Move]) {
        for future in self.present.drain(..) {
            self.having[future.0 as usize] = S::default();
        }
        self.live.clear();
        let facts = &*rules.facts;
        let (live, present, having) = (&mut self.live, &mut self.present, &mut self.having);
        look.places().for_each(|(proctype, loc)| {
            let place = facts.place(proctype, loc);
            let future = facts.future_of(place);
            let having = &mut having[future.0 as usize];
            if having.is_empty() {
                present.push(future);
            }
            having.insert(live.len());
            live.push(Live {
                place,
                future,
                proctype,
                moves: 0,
            });
        });
        if rules.steps.is_some() {
            self.stubborn.look_at(moves);
        }
        self.movers = S::default();
        for mv in moves {
            self.live[usize::from(mv.pid.0)].moves += 1;
            self.movers.insert(usize::from(mv.pid.0));
        }
        if self.any_later.take() {
            self.later.clear();
        }
        if self.later.len() < self.live.len() {
            self.later.resize(self.live.len(), Cell::new(None));
        }
        self.known = S::default();
        if self.interferers.len() < self.live.len() {
            self.interferers.resize(self.live.len(), S::default());
        }
    }

    /// The set with the fewest moves, if one has fewer than all; of equals, that of the youngest process.
    fn best(&mut self, rules: &Rules, look: &Look<'_>, moves: &[Move]) -> Option<Candidate<S>> {
        let mut best: Option<Candidate<S>> = None;
        let mut hopeless = S::default();
        for pid in (0..self.live.len()).rev() {
            let least = best.as_ref().map_or(moves.len() as u32, |b| b.moves);
            // A closed set has at least the moves of the process it was made for.
            if self.live[pid].moves >= least {
                continue;
            }
            if let Some(found) = self.candidate(rules, look, pid, moves, &mut hopeless)
                && found.moves < least
            {
                best = Some(found);
            }
        }
        best
    }

    /// Looks for all sets, in the order that puts the one that [`ClosedSets::best`] finds first.
    fn list(&mut self, rules: &Rules, look: &Look<'_>, state: &[u8], moves: &[Move]) {
        self.survey(rules, look, moves);
        self.sets.clear();
        let mut hopeless = S::default();
        for pid in (0..self.live.len()).rev() {
            if let Some(found) = self.candidate(rules, look, pid, moves, &mut hopeless)
                && !self.sets.contains(&found)
            {
                self.sets.push(found);
            }
        }
        self.sets.sort_by_key(|c| c.moves);
        self.sets.truncate(MOST_SETS);
        self.sets_of.clear();
        self.sets_of.extend_from_slice(state);
    }

    /// The set that a process is in. `hopeless` are processes of this state that are in none; more may be added.
    pub(super) fn candidate(
        &mut self,
        rules: &Rules,
        look: &Look<'_>,
        pid: usize,
        moves: &[Move],
        hopeless: &mut S,
    ) -> Option<Candidate<S>> {
        if self.live[pid].moves == 0 {
            return None;
        }
        let Some(set) = self.closure(rules, look, pid, hopeless) else {
            hopeless.insert(pid);
            return None;
        };
        let count = set.common(&self.movers).map(|p| self.live[p].moves).sum();
        self.is_invisible(rules, &set, moves)
            .then_some(Candidate { set, moves: count })
    }

    fn is_invisible(&self, rules: &Rules, set: &S, moves: &[Move]) -> bool {
        if is_active(Fault::VisibilityIgnored) {
            return true;
        }
        let meets_later = |p: usize| rules.facts.now(self.live[p].place).meets_later;
        let is_visible_place =
            |p: usize| rules.visible_places.contains(self.live[p].place.0 as usize);
        if set.members().any(meets_later) && set.members().any(is_visible_place) {
            return false;
        }
        let mut members = moves.iter().filter(|m| set.contains(usize::from(m.pid.0)));
        members.all(|m| {
            let sees = |pid: Pid, edge| {
                let proctype = self.live[usize::from(pid.0)].proctype;
                rules.visible.is_visible(proctype, edge)
            };
            !sees(m.pid, m.edge) && m.partner.is_none_or(|(pid, edge)| !sees(pid, edge))
        })
    }

    /// The smallest closed set with that process; `None` when the process must not go first, or all moves are in the set.
    fn closure(&mut self, rules: &Rules, look: &Look<'_>, seed: usize, hopeless: &S) -> Option<S> {
        if let Some(steps) = rules.steps.as_deref() {
            let sets = (&self.movers, hopeless);
            let rules = (rules, steps);
            return self.stubborn.closure(rules, look, &self.live, sets, seed);
        }
        let mut set = S::default();
        set.insert(seed);
        let mut done = S::default();
        while let Some(next) = set.first_besides(&done) {
            done.insert(next);
            if !self.known.contains(next) {
                self.known.insert(next);
                self.interferers[next] = self.find_interferers(rules, look, next);
            }
            set.absorb(&self.interferers[next]);
            if self.movers.is_within(&set) || set.meets(hopeless) {
                return None;
            }
        }
        Some(set)
    }

    /// The processes that interfere with what process `pid` may do next, perhaps itself among them.
    fn find_interferers(&self, rules: &Rules, look: &Look<'_>, pid: usize) -> S {
        let Live { place, .. } = self.live[pid];
        let now = rules.facts.now(place);
        let from = |first| S::range(first, self.live.len());
        // These depend on everything at once.
        let asks = rules.mutual.is_some() && now.specials.timeout;
        if now.timeout_inside || now.looks_at_others || asks {
            return from(0);
        }
        let used = OnceCell::new();
        // Only the youngest process can end: a younger one must end first.
        let mut found = if now.end { from(pid) } else { S::default() };
        let here = rules.interference.of(place);
        for &future in &self.present {
            let having = &self.having[future.0 as usize];
            if here.certainly(future) {
                found.absorb(having);
            } else if here.perhaps(future) {
                found.absorb_where(having, |other| {
                    other != pid && self.through_channels(rules, look, pid, (now, &used), other)
                });
            }
        }
        self.add_makers(rules, look, pid, now, &mut found);
        found
    }

    /// Does what [`makers_of`] says.
    pub(super) fn add_makers(
        &self,
        rules: &Rules,
        look: &Look<'_>,
        pid: usize,
        now: &Now,
        found: &mut S,
    ) {
        makers_of(rules, look, &self.live, (pid, now), found);
    }

    /// Whether a process uses a channel now that another may use later and minds. `used` is for [`used_now`].
    fn through_channels(
        &self,
        rules: &Rules,
        look: &Look<'_>,
        pid: usize,
        (now, used): (&Now, &OnceCell<u64>),
        other: usize,
    ) -> bool {
        let future = rules.facts.future(self.live[other].future);
        // Where there are many pairs, a look at all channels at once mostly shows that they have none in common. Events of a
        // trace may depend on each other nevertheless.
        if rules.traced.is_empty() && now.chans.len() * future.chans.len() > FEW_PAIRS {
            let ours = *used.get_or_init(|| used_now(look, pid, now));
            if ours & self.used_later(look, other, future) == 0 {
                return false;
            }
        }
        now.chans
            .iter()
            .any(|used| rules.use_minds(look, pid, used, other, future))
    }

    /// The channels that a process may use later, as bits.
    fn used_later(&self, look: &Look<'_>, other: usize, future: &Future) -> u64 {
        let later = &self.later[other];
        let bits = later.get().unwrap_or_else(|| {
            let vias = future.chans.iter().map(|used| used.via);
            vias.flat_map(|via| channels(look, Pid(other as u16), via))
                .fold(0, |bits, channel| bits | bit(channel))
        });
        later.set(Some(bits));
        self.any_later.set(true);
        bits
    }
}

/// Adds the younger processes that may end and take along a channel which process `pid` may use next: an error then.
pub(super) fn makers_of<S: ProcessSet>(
    rules: &Rules,
    look: &Look<'_>,
    live: &[Live],
    (pid, now): (usize, &Now),
    found: &mut S,
) {
    if !rules.facts.drops_channels {
        return;
    }
    let drops = |&other: &usize| {
        let future = rules.facts.future(live[other].future);
        other > pid && future.drops_channels && !is_active(Fault::MakersIgnored)
    };
    for used in now.chans.iter().filter(|used| !used.arrives) {
        let Some(via) = used.via else {
            let younger = (pid + 1..live.len()).filter(drops);
            younger.for_each(|other| found.insert(other));
            continue;
        };
        let makers = channels(look, Pid(pid as u16), via).filter_map(|c| look.maker(c));
        let makers = makers.map(|maker| usize::from(maker.0)).filter(drops);
        makers.for_each(|other| found.insert(other));
    }
}

/// Moves those of a set of processes to the front, and says how many they are.
fn partition<S: ProcessSet>(set: &S, rest: &mut Vec<Move>, moves: &mut Vec<Move>) -> usize {
    rest.clear();
    moves.retain(|&mv| {
        let kept = set.contains(usize::from(mv.pid.0));
        if !kept {
            rest.push(mv);
        }
        kept
    });
    let count = moves.len();
    moves.extend_from_slice(rest);
    count
}

/// The channels with that identity, as a bit. Several may share one: then there seem to be channels in common where there
/// are none, and one looks more closely.
fn bit(channel: u16) -> u64 {
    1 << (channel % 64)
}

/// The channels that a process may use next, as bits; all where that cannot be told.
fn used_now(look: &Look<'_>, pid: usize, now: &Now) -> u64 {
    let used = now.chans.iter().map(|used| match used.via {
        None => u64::MAX,
        Some(via) => channels(look, Pid(pid as u16), via)
            .map(|channel| match look.channel(channel) {
                Some(_) => bit(channel),
                None => u64::MAX,
            })
            .fold(0, |bits, bit| bits | bit),
    });
    used.fold(0, |bits, more| bits | more)
}

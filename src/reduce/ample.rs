//! Choosing an ample set: some processes whose moves suffice in a state.
//!
//! A set S of processes is *closed* in a state when no process outside of S can ever, from where it is, do anything that
//! depends on a step that leaves the place of a member of S (disabled steps included). Then whatever the others do before
//! S moves neither enables, disables nor changes the moves of S, and commutes with them: condition C1 holds for the set of
//! all enabled moves of S. The closure of one process is found by adding, again and again, every process that interferes
//! with a member. C0 asks for at least one enabled move in S, C3' that all of them are invisible; the search sees to C2'
//! and C4.
//!
//! Interference through memory and system-wide effects is the same in all states, so it is worked out once, as a matrix
//! of places and futures ([`super::interference`]). Interference through channels in general depends on which channels
//! are meant and on how full they are: a receive from a channel that is not empty is independent of a send, since only
//! members of S receive; a send to a channel that is not full is independent of a receive. A rendezvous depends on
//! every use of the channel. Where it does not depend on anything (two receivers of one global channel), it goes into
//! the matrix too; and another matrix says where one has to look at the state.
//!
//! Where nothing can be reduced, all this is in vain, so it has to be decided quickly: a process whose closure has all moves
//! is *hopeless*, and so is every process that it interferes with. Mostly the matrix alone shows that they all are.
//!
//! Under condition F, C3 takes the place of C3': visible moves may be in S, but what one part of the property sees interferes
//! with what the same part sees. Then whatever depends in the sense of F must interfere in every state, and a member must not
//! ask for `timeout`.
//!
//! `timeout` does no harm, neither in the future of others nor as a guard of a member: while some member of S can move there
//! is no timeout, and no process outside of S can disable it. Inside a step (`atomic`, `d_step`) it depends on all processes.

use super::bits::Bits;
use super::facts::{Facts, Future, FutureId, Now, PlaceId};
use super::interference::Interference;
use super::mutual::Mutual;
use super::obstacles::obstacle;
use super::operations::channels;
use super::pids::are_hidden;
use super::reason::{Minds, minds, minds_under_f};
use super::traced::Traced;
use super::uses::{NowUse, Via};
use super::visible::Visible;
use super::why_not::WhyNot;
use crate::faults::{Fault, is_active};
use crate::limits::Cancellation;
use crate::machine::{Look, Machine, Move, Pid};
use promela_lite::program::{EdgeId, ProctypeId, Program};
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

/// Sets of processes are words: models with more processes at once are searched without reduction in such states.
const MAX_PROCESSES: usize = 64;

/// So many pairs of channel operations are compared one by one.
const FEW_PAIRS: usize = 2;

/// A process of the state at hand.
#[derive(Copy, Clone, Debug)]
pub(super) struct Live {
    pub(super) place: PlaceId,
    pub(super) future: FutureId,
    pub(super) proctype: ProctypeId,
    /// Its enabled moves.
    pub(super) moves: u32,
}

/// Finds ample sets. A clone shares what was worked out about the program.
#[derive(Clone, Debug)]
pub struct Ample {
    pub(super) facts: Arc<Facts>,
    pub(super) visible: Visible,
    interference: Arc<Interference>,
    /// For each place the futures that certainly interfere, as the bits of a word, where there are so few futures.
    words: Option<Arc<[u64]>>,
    /// Under condition F: which places and futures the same part of the property sees.
    pub(super) mutual: Option<Arc<Mutual>>,
    /// Places that a visible step leaves.
    visible_places: Bits,
    /// Some `!!` exists: the head of a channel may change while it is not empty.
    pub(super) sorted: bool,
    traced: Traced,
    pub(super) live: Vec<Live>,
    /// The futures of the processes, each once, and whose each is.
    present: Vec<FutureId>,
    having: Vec<u64>,
    /// The processes that can move.
    movers: u64,
    /// The channels of each process' future, as bits, computed on demand.
    later: Vec<Cell<Option<u64>>>,
    /// The processes that interfere with each, computed on demand.
    interferers: Vec<Cell<Option<u64>>>,
    /// All sets of the state below, best first.
    sets: Vec<Candidate>,
    sets_of: Vec<u8>,
    rest: Vec<Move>,
    pub(super) account: Option<WhyNot>,
}

/// A closed set of processes all of whose moves are invisible.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    set: u64,
    /// Enabled moves of its processes.
    moves: u32,
}

impl Ample {
    /// Prepares for a program and what is looked at.
    pub fn new(program: &Program, visible: Visible) -> Ample {
        let never = Cancellation::default();
        Ample::within(program, visible, &never).expect("nobody gives it up")
    }

    /// The same, unless that is given up.
    fn within(program: &Program, visible: Visible, cancellation: &Cancellation) -> Option<Ample> {
        let mut facts = Facts::new(program, true, cancellation)?;
        // Under F it stays as it is: its definition has starts and ends depend on each other.
        if are_hidden(program) {
            facts.hide_pids();
        }
        Ample::build(program, facts, visible, None, cancellation)
    }

    /// The sets for what is visible; none if reducing the program is not known to be sound, or finding out how is given up.
    pub fn sound(
        program: &Program,
        visible: impl FnOnce() -> Visible,
        cancellation: &Cancellation,
    ) -> Option<Ample> {
        match obstacle(program) {
            Some(_) => None,
            None => Ample::within(program, visible(), cancellation),
        }
    }

    /// Prepares for condition F and a property that has parts which see that.
    pub fn under_f(program: &Program, parts: &[Visible]) -> Ample {
        let never = Cancellation::default();
        Ample::under_f_within(program, parts, &never).expect("nobody gives it up")
    }

    /// The same, unless that is given up.
    pub fn under_f_within(
        program: &Program,
        parts: &[Visible],
        cancellation: &Cancellation,
    ) -> Option<Ample> {
        // What parts of the property see in a future does not show in the future itself.
        let facts = Facts::new(program, false, cancellation)?;
        let mutual = Mutual::new(program, &facts, parts);
        let visible = Visible::nothing(program);
        Ample::build(program, facts, visible, Some(mutual), cancellation)
    }

    fn build(
        program: &Program,
        facts: Facts,
        visible: Visible,
        mutual: Option<Mutual>,
        cancellation: &Cancellation,
    ) -> Option<Ample> {
        let sorted = program.sends.iter().any(|s| s.sorted);
        let traced = Traced::new(program);
        let (facts, mutual) = (Arc::new(facts), mutual.map(Arc::new));
        let watched = !traced.is_empty();
        let interference =
            Interference::new(program, &facts, mutual.as_ref(), watched, cancellation)?;
        let columns = facts.futures.len();
        let mut visible_places = Bits::default();
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            for (edge, step) in proctype.graph.edges.iter().enumerate() {
                if visible.is_visible(id, EdgeId(edge as u32)) {
                    visible_places.insert(facts.place(id, step.from).0 as usize);
                }
            }
        }
        Some(Ample {
            facts,
            visible,
            visible_places,
            words: interference.words(),
            interference: Arc::new(interference),
            mutual,
            sorted,
            traced,
            live: Vec::new(),
            present: Vec::new(),
            having: vec![0; columns],
            movers: 0,
            later: Vec::new(),
            interferers: Vec::new(),
            sets: Vec::new(),
            sets_of: Vec::new(),
            rest: Vec::new(),
            account: None,
        })
    }

    /// What can be seen of the program.
    pub fn visible(&self) -> &Visible {
        &self.visible
    }

    /// Moves those of an ample set to the front of `moves`, which are all that `machine` lists for `state`, and says how
    /// many they are. `index` counts the sets, best first; `None` when there are no more. The answer depends on nothing
    /// but the state and the index.
    pub fn choose(
        &mut self,
        machine: &mut Machine,
        state: &[u8],
        moves: &mut Vec<Move>,
        index: usize,
    ) -> Option<usize> {
        let first = moves.first().map(|m| m.pid);
        if moves
            .iter()
            .all(|m| Some(m.pid) == first && m.partner.is_none())
        {
            return None;
        }
        let chosen = if index == 0 {
            let look = machine.look(state);
            if self.is_hopeless(&look, moves) {
                return None;
            }
            self.survey(&look, moves)?;
            self.best(&look, moves)?
        } else {
            if self.sets_of != state {
                let look = machine.look(state);
                self.survey(&look, moves)?;
                self.list(&look, moves);
                self.sets_of.clear();
                self.sets_of.extend_from_slice(state);
            }
            *self.sets.get(index)?
        };
        Some(self.partition(chosen.set, moves))
    }

    /// The index of a set that a process is in, if no other one is better.
    pub fn index_with(
        &mut self,
        machine: &mut Machine,
        state: &[u8],
        moves: &[Move],
        pid: Pid,
    ) -> Option<usize> {
        let look = machine.look(state);
        if usize::from(pid.0) >= look.processes() {
            return None;
        }
        self.survey(&look, moves)?;
        self.list(&look, moves);
        self.sets_of.clear();
        self.sets_of.extend_from_slice(state);
        let least = self.sets.first()?.moves;
        let mut sets = self.sets.iter();
        sets.position(|c| c.set >> pid.0 & 1 == 1 && c.moves == least)
    }

    /// Whether a glance shows that there is no ample set: the futures of all that can move interfere with each of them, so that
    /// every closure has all the moves. When this is false nothing is known.
    fn is_hopeless(&self, look: &Look<'_>, moves: &[Move]) -> bool {
        let Some(words) = self.words.as_deref() else {
            return false;
        };
        let facts = &*self.facts;
        let mut futures = 0u64;
        let mut common = u64::MAX;
        for mv in moves {
            let (proctype, loc) = look.process(mv.pid);
            let place = facts.place(proctype, loc);
            futures |= 1 << facts.future_of(place).0;
            common &= words[place.0 as usize];
        }
        futures & !common == 0
    }

    /// Looks at all processes and what they can do; `None` when there are too many.
    pub(super) fn survey(&mut self, look: &Look<'_>, moves: &[Move]) -> Option<()> {
        if look.processes() > MAX_PROCESSES {
            return None;
        }
        for future in self.present.drain(..) {
            self.having[future.0 as usize] = 0;
        }
        self.live.clear();
        let facts = &*self.facts;
        for (pid, (proctype, loc)) in look.places().enumerate() {
            let place = facts.place(proctype, loc);
            let future = facts.future_of(place);
            let having = &mut self.having[future.0 as usize];
            if *having == 0 {
                self.present.push(future);
            }
            *having |= 1 << pid;
            self.live.push(Live {
                place,
                future,
                proctype,
                moves: 0,
            });
        }
        self.movers = 0;
        for mv in moves {
            self.live[usize::from(mv.pid.0)].moves += 1;
            self.movers |= 1 << mv.pid.0;
        }
        for known in [&mut self.later, &mut self.interferers] {
            known.clear();
            known.resize(self.live.len(), Cell::new(None));
        }
        Some(())
    }

    /// The set with the fewest moves, if one has fewer than all; of equals, that of the youngest process.
    fn best(&self, look: &Look<'_>, moves: &[Move]) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        let mut hopeless = 0;
        for pid in (0..self.live.len()).rev() {
            let least = best.map_or(moves.len() as u32, |b| b.moves);
            // A closed set has at least the moves of the process it was made for.
            if self.live[pid].moves >= least {
                continue;
            }
            if let Some(found) = self.candidate(look, pid, moves, &mut hopeless)
                && found.moves < least
            {
                best = Some(found);
            }
        }
        best
    }

    /// All of them, in the order that puts the one that [`Ample::best`] finds first.
    fn list(&mut self, look: &Look<'_>, moves: &[Move]) {
        self.sets.clear();
        let mut hopeless = 0;
        for pid in (0..self.live.len()).rev() {
            if let Some(found) = self.candidate(look, pid, moves, &mut hopeless)
                && !self.sets.contains(&found)
            {
                self.sets.push(found);
            }
        }
        self.sets.sort_by_key(|c| c.moves);
    }

    /// The set that a process is in. `hopeless` are processes of this state that are in none; more may be added.
    pub(super) fn candidate(
        &self,
        look: &Look<'_>,
        pid: usize,
        moves: &[Move],
        hopeless: &mut u64,
    ) -> Option<Candidate> {
        if self.live[pid].moves == 0 {
            return None;
        }
        let Some(set) = self.closure(look, pid, *hopeless) else {
            *hopeless |= 1 << pid;
            return None;
        };
        let moving = members(set & self.movers);
        let count = moving.map(|p| self.live[p].moves).sum();
        self.is_invisible(set, moves)
            .then_some(Candidate { set, moves: count })
    }

    pub(super) fn is_invisible(&self, set: u64, moves: &[Move]) -> bool {
        if is_active(Fault::VisibilityIgnored) {
            return true;
        }
        let meets_later = |p: usize| self.facts.now(self.live[p].place).meets_later;
        if members(set).any(meets_later)
            && members(set).any(|p| self.visible_places.contains(self.live[p].place.0 as usize))
        {
            return false;
        }
        let members = moves.iter().filter(|m| set >> m.pid.0 & 1 == 1);
        members.into_iter().all(|m| {
            let sees = |pid: Pid, edge| {
                self.visible
                    .is_visible(self.live[usize::from(pid.0)].proctype, edge)
            };
            !sees(m.pid, m.edge) && m.partner.is_none_or(|(pid, edge)| !sees(pid, edge))
        })
    }

    /// The smallest closed set with that process; `None` when the process must not go first, or all moves are in the set.
    fn closure(&self, look: &Look<'_>, seed: usize, hopeless: u64) -> Option<u64> {
        let everyone = u64::MAX >> (64 - self.live.len());
        let mut set = 1u64 << seed;
        let mut done = 0u64;
        while set != done {
            let next = (set & !done).trailing_zeros() as usize;
            done |= 1 << next;
            set |= everyone & self.interferers(look, next);
            if self.movers & !set == 0 || set & hopeless != 0 {
                return None;
            }
        }
        Some(set)
    }

    /// The processes that interfere with what process `pid` may do next, perhaps itself among them.
    fn interferers(&self, look: &Look<'_>, pid: usize) -> u64 {
        let known = &self.interferers[pid];
        let found = known
            .get()
            .unwrap_or_else(|| self.find_interferers(look, pid));
        known.set(Some(found));
        found
    }

    fn find_interferers(&self, look: &Look<'_>, pid: usize) -> u64 {
        let Live { place, .. } = self.live[pid];
        let now = self.facts.now(place);
        // These depend on everything at once.
        let asks = self.mutual.is_some() && now.specials.timeout;
        if now.timeout_inside || now.looks_at_others || asks {
            return u64::MAX;
        }
        let used = OnceCell::new();
        // Only the youngest process can end: a younger one must end first.
        let mut found = if now.end { u64::MAX << pid } else { 0 };
        let here = self.interference.of(place);
        for &future in &self.present {
            let having = self.having[future.0 as usize];
            if here.certainly(future) {
                found |= having;
            } else if here.perhaps(future) {
                let minded = members(having & !found & !(1 << pid))
                    .filter(|&other| self.through_channels(look, pid, (now, &used), other));
                found |= minded.fold(0, |set, other| set | 1 << other);
            }
        }
        found
    }

    /// Whether a process uses a channel now that another may use later and minds. `used` is for [`used_now`].
    fn through_channels(
        &self,
        look: &Look<'_>,
        pid: usize,
        (now, used): (&Now, &OnceCell<u64>),
        other: usize,
    ) -> bool {
        let future = self.facts.future(self.live[other].future);
        // Where there are many pairs, a look at all channels at once mostly shows that they have none in common. Events of a
        // trace may depend on each other nevertheless.
        if self.traced.is_empty() && now.chans.len() * future.chans.len() > FEW_PAIRS {
            let ours = *used.get_or_init(|| used_now(look, pid, now));
            if ours & self.used_later(look, other, future) == 0 {
                return false;
            }
        }
        now.chans
            .iter()
            .any(|used| self.use_minds(look, pid, used, other, future))
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
        bits
    }

    pub(super) fn use_minds(
        &self,
        look: &Look<'_>,
        pid: usize,
        used: &NowUse,
        other: usize,
        future: &Future,
    ) -> bool {
        let Some(via) = used.via else {
            return !future.chans.is_empty();
        };
        let of = |pid: usize, via: Via| channels(look, Pid(pid as u16), via);
        if !self.traced.is_empty() && !used.release {
            let is_event =
                |pid: usize, how, via| of(pid, via).any(|c| self.traced.watches(look, how, c));
            let mut later = future.chans.iter().filter(|theirs| !theirs.release);
            if is_event(pid, used.how, via) && later.any(|t| is_event(other, t.how, t.via)) {
                return true;
            }
        }
        of(pid, via).any(|channel| {
            future.chans.iter().any(|theirs| {
                let Some(fill) = look.channel(channel) else {
                    return true;
                };
                let same = of(other, theirs.via).any(|c| c == channel);
                let minds = match self.mutual {
                    Some(_) => minds_under_f,
                    None => minds,
                };
                let depends = || match minds(used, theirs, self.sorted) {
                    Minds::No => false,
                    Minds::Without(_) | Minds::WithoutRoom(_)
                        if is_active(Fault::DisabledOptionsIgnored) =>
                    {
                        false
                    }
                    Minds::Without(messages) => fill.len < messages,
                    Minds::WithoutRoom(room) => fill.len + room > fill.capacity,
                    Minds::Always => true,
                };
                let meets = fill.capacity == 0 && !used.release && !theirs.release;
                same && (meets || depends())
            })
        })
    }

    fn partition(&mut self, set: u64, moves: &mut Vec<Move>) -> usize {
        self.rest.clear();
        moves.retain(|&mv| {
            let kept = set >> mv.pid.0 & 1 == 1;
            if !kept {
                self.rest.push(mv);
            }
            kept
        });
        let count = moves.len();
        moves.extend_from_slice(&self.rest);
        count
    }
}

/// The channels with that identity, as a bit.
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

/// The numbers in a set, least first.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let least = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(least)
    })
}

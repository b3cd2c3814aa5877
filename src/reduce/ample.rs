//! Choosing an ample set: some processes whose moves suffice in a state.
//!
//! A set S of processes is *closed* in a state when no process outside of S can ever, from where it is, do anything that
//! depends on a step that leaves the place of a member of S (disabled steps included). Then whatever the others do before
//! S moves neither enables, disables nor changes the moves of S, and commutes with them: condition C1 holds for the set of
//! all enabled moves of S. The closure of one process is found by adding, again and again, every process that interferes
//! with a member. C0 asks for at least one enabled move in S, C3' that all of them are invisible; the search sees to C2'
//! and C4.
//!
//! Interference through memory and system-wide effects is the same in all states, so it is worked out once, as a matrix of
//! places and futures. Interference through channels depends on which channels are meant and on how full they are:
//! a receive from a channel that is not empty does not mind a send, since only members of S receive; a send to a channel
//! that is not full does not mind a receive. A rendezvous minds everyone who uses the channel.
//!
//! `timeout` does no harm, neither in the future of others nor as a guard of a member: while some member of S can move there
//! is no timeout, and nobody outside of S can stop it. In the middle of a step (`atomic`, `d_step`) it depends on everyone.

use super::bits::Bits;
use super::facts::{Facts, Future, FutureId, Now, PlaceId};
use super::reason::{Minds, minds, through_memory};
use super::uses::{NowUse, Via};
use super::visible::Visible;
use super::why_not::WhyNot;
use crate::faults::{Fault, is_active};
use crate::machine::{Look, Machine, Move, Pid};
use promela_lite::program::{EdgeId, ProctypeId, Program};

/// Sets of processes are words: models with more processes at once are searched without reduction in such states.
const MAX_PROCESSES: usize = 64;

/// A process of the state at hand.
#[derive(Copy, Clone, Debug)]
pub(super) struct Live {
    pub(super) place: PlaceId,
    pub(super) future: FutureId,
    pub(super) proctype: ProctypeId,
    /// Its enabled moves.
    pub(super) moves: u32,
}

/// Finds ample sets.
#[derive(Debug)]
pub struct Ample {
    pub(super) facts: Facts,
    pub(super) visible: Visible,
    /// `interferes[place]` has the futures that interfere through memory or the system.
    interferes: Vec<Bits>,
    /// Places that a visible step leaves.
    visible_places: Bits,
    /// Some `!!` exists: the head of a channel may change while it is not empty.
    pub(super) sorted: bool,
    pub(super) live: Vec<Live>,
    /// All sets of the state below, best first.
    sets: Vec<Candidate>,
    sets_of: Vec<u8>,
    kept: Vec<Move>,
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
        let facts = Facts::new(program);
        let interferes = (0..facts.now.len())
            .map(|index| {
                let place = PlaceId(index as u32);
                let mut row = Bits::default();
                for (future_index, future) in facts.futures.iter().enumerate() {
                    let own = facts.proctype[index];
                    if through_memory(facts.now(place), own, future, own).is_some() {
                        row.insert(future_index);
                    }
                }
                row
            })
            .collect();
        let mut visible_places = Bits::default();
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            for (edge, step) in proctype.graph.edges.iter().enumerate() {
                if visible.is_visible(id, EdgeId(edge as u32)) {
                    visible_places.insert(facts.place(id, step.from).0 as usize);
                }
            }
        }
        Ample {
            facts,
            visible,
            visible_places,
            interferes,
            sorted: program.sends.iter().any(|s| s.sorted),
            live: Vec::new(),
            sets: Vec::new(),
            sets_of: Vec::new(),
            kept: Vec::new(),
            rest: Vec::new(),
            account: None,
        }
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

    /// Looks at all processes; `None` when there are too many.
    pub(super) fn survey(&mut self, look: &Look<'_>, moves: &[Move]) -> Option<()> {
        if look.processes() > MAX_PROCESSES {
            return None;
        }
        self.live.clear();
        for pid in 0..look.processes() {
            let (proctype, loc) = look.process(Pid(pid as u16));
            let place = self.facts.place(proctype, loc);
            self.live.push(Live {
                place,
                future: self.facts.future_of(place),
                proctype,
                moves: 0,
            });
        }
        for mv in moves {
            self.live[usize::from(mv.pid.0)].moves += 1;
        }
        Some(())
    }

    /// The set with the fewest moves, if one has fewer than all; of equals, that of the youngest process.
    fn best(&self, look: &Look<'_>, moves: &[Move]) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for pid in (0..self.live.len()).rev() {
            let least = best.map_or(moves.len() as u32, |b| b.moves);
            // A closed set has at least the moves of the process it was made for.
            if self.live[pid].moves >= least {
                continue;
            }
            if let Some(found) = self.candidate(look, pid, moves)
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
        for pid in (0..self.live.len()).rev() {
            if let Some(found) = self.candidate(look, pid, moves)
                && !self.sets.contains(&found)
            {
                self.sets.push(found);
            }
        }
        self.sets.sort_by_key(|c| c.moves);
    }

    /// The set that a process is in.
    pub(super) fn candidate(
        &self,
        look: &Look<'_>,
        pid: usize,
        moves: &[Move],
    ) -> Option<Candidate> {
        if self.live[pid].moves == 0 {
            return None;
        }
        let set = self.closure(look, pid)?;
        let members = (0..self.live.len()).filter(|p| set >> p & 1 == 1);
        let count: u32 = members.map(|p| self.live[p].moves).sum();
        let proper = (count as usize) < moves.len();
        (proper && self.is_invisible(set, moves)).then_some(Candidate { set, moves: count })
    }

    pub(super) fn is_invisible(&self, set: u64, moves: &[Move]) -> bool {
        if is_active(Fault::VisibilityIgnored) {
            return true;
        }
        let meets_later = |p: usize| self.facts.now(self.live[p].place).meets_later;
        let members = (0..self.live.len()).filter(|p| set >> p & 1 == 1);
        if members.clone().any(meets_later)
            && members
                .into_iter()
                .any(|p| self.visible_places.contains(self.live[p].place.0 as usize))
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

    /// The smallest closed set with that process; `None` when the process must not go first.
    pub(super) fn closure(&self, look: &Look<'_>, seed: usize) -> Option<u64> {
        let everyone = u64::MAX >> (64 - self.live.len());
        let mut set = 1u64 << seed;
        let mut done = 0u64;
        while set != done {
            let next = (set & !done).trailing_zeros() as usize;
            done |= 1 << next;
            set |= self.interferers(look, next, everyone & !set)?;
            if set == everyone {
                return None;
            }
        }
        Some(set)
    }

    /// Which of `others` interfere with what process `pid` may do next.
    fn interferers(&self, look: &Look<'_>, pid: usize, others: u64) -> Option<u64> {
        let Live { place, .. } = self.live[pid];
        let now = self.facts.now(place);
        // These depend on everything at once.
        if now.timeout_inside || now.looks_at_others {
            return None;
        }
        let mut found = 0u64;
        let mut rest = others;
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let through_memory =
                self.interferes[place.0 as usize].contains(self.live[other].future.0 as usize);
            // Only the youngest process can end: a younger one must end first.
            let holds_back = now.end && other > pid;
            if through_memory || holds_back || self.through_channels(look, pid, now, other) {
                found |= 1 << other;
            }
        }
        Some(found)
    }

    fn through_channels(&self, look: &Look<'_>, pid: usize, now: &Now, other: usize) -> bool {
        if now.chans.is_empty() {
            return false;
        }
        let future = self.facts.future(self.live[other].future);
        if future.any_chan {
            return true;
        }
        now.chans
            .iter()
            .any(|used| self.use_minds(look, pid, used, other, future))
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
        channels(look, pid, via).any(|channel| {
            future.chans.iter().any(|theirs| {
                let Some(fill) = look.channel(channel) else {
                    return true;
                };
                let same = channels(look, other, theirs.via).any(|c| c == channel);
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
                same && (fill.capacity == 0 || depends())
            })
        })
    }

    fn partition(&mut self, set: u64, moves: &mut Vec<Move>) -> usize {
        self.kept.clear();
        self.rest.clear();
        for &mv in moves.iter() {
            if set >> mv.pid.0 & 1 == 1 {
                self.kept.push(mv)
            } else {
                self.rest.push(mv)
            }
        }
        moves.clear();
        moves.extend(self.kept.iter().chain(&self.rest));
        self.kept.len()
    }
}

/// The channels that a variable of a process names in the state at hand.
fn channels(look: &Look<'_>, pid: usize, via: Via) -> impl Iterator<Item = u16> {
    via.cells().map(move |offset| match via.own {
        true => look.own_channel(Pid(pid as u16), offset),
        false => look.global_channel(offset),
    })
}

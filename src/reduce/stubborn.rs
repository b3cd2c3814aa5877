//! Stubborn sets: ample sets that are found step by step instead of process by process.
//!
//! A set of steps is *stubborn* in a state (A. Valmari, *Stubborn sets for reduced state space generation*, 1990; from guards:
//! A. Laarman, E. Pater, J. van de Pol, H. Hansen, *Guard-based partial-order reduction*, STTT 2016) if
//! - for each of its steps that is possible: every step that does not accord with it is in the set,
//! - for each that is not: some set of steps is within it without which it never becomes possible, a *necessary enabling set*,
//! - some step is possible.
//!
//! As long as only others are made, then, its possible steps stay possible and commute with them, and its other steps stay
//! impossible: what can be made of it satisfies condition C1. C3', C2' and C4 are asked for as of any ample set, so the
//! rest of [`super::ample`] stays as it is; only the closure is another one.
//!
//! A step is an edge of a certain process, and a rendezvous the two edges of its processes: it is in the set if one of them
//! is. Whether two steps accord is what the relation of places and futures says of them ([`super::steps`]); besides, steps
//! that leave the place of one process never accord. So if one of them is in the set and possible, all are, and the process is
//! in the set of processes whose moves are made. A process that some step of the set waits for, but that can do nothing for it
//! at the moment, is not: there the closure of processes is larger, which takes in all that may ever touch the same things.
//!
//! Why a step is not possible, and what has to happen first:
//! - its process is elsewhere: then one of those edges that leave the place where it is and from which the step can be come to.
//!   That is so whether the process is alone or met; in which case what is known of the edge of its partner does not matter.
//! - its process is there: then whatever writes what its condition reads, in the process itself or in another one; or a step
//!   at its channels that can make it possible: a receive for a full channel, a send for an empty one, any for one whose
//!   messages do not match, the other half of a rendezvous. A step that may be started is one of who starts it.
//! - it ends a process: then the youngest one has to end.
//! - it asks for `timeout`: then nothing, since some step of the set stays possible.
//!
//! A step that looks at other processes, or asks for `timeout` in its middle, is in no set but that of all.

use super::ample::Rules;
use super::closed_sets::{Live, makers_of};
use super::facts::{Future, FutureId, Now};
use super::operations::channels;
use super::process_set::ProcessSet;
use super::steps::Steps;
use super::uses::NowUse;
use crate::faults::{Fault, is_active};
use crate::machine::{Look, Move, Pid};
use promela_lite::program::{ChanAccess, Loc};

/// What is remembered while sets are looked for in a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// The edges of processes that are part of a move.
    enabled: Vec<(u16, u32)>,
    /// For each edge of each process the number of the closure that it was required for.
    required: Vec<u32>,
    closure: u32,
    /// Processes all of whose steps are in the set, and steps that are not possible, of which the consequences are not yet drawn.
    whole: Vec<usize>,
    waiting: Vec<(usize, u32)>,
}

impl Scratch {
    /// Begins with a state.
    pub(super) fn look_at(&mut self, moves: &[Move]) {
        self.enabled.clear();
        for mv in moves {
            self.enabled.push((mv.pid.0, mv.edge.0));
            let partner = mv.partner.map(|(pid, edge)| (pid.0, edge.0));
            self.enabled.extend(partner);
        }
    }

    fn is_enabled(&self, pid: usize, edge: u32) -> bool {
        self.enabled.contains(&(pid as u16, edge))
    }

    /// The smallest set with all steps of a process, as the processes that have possible steps in it; `None` if these are all
    /// moves, or one of the processes is hopeless.
    pub(super) fn closure<S: ProcessSet>(
        &mut self,
        (rules, steps): (&Rules, &Steps),
        look: &Look<'_>,
        live: &[Live],
        (movers, hopeless): (&S, &S),
        seed: usize,
    ) -> Option<S> {
        let most = steps.most;
        if self.required.len() < live.len() * most || self.closure == u32::MAX {
            self.required.clear();
            self.required.resize(live.len() * most, 0);
            self.closure = 0;
        }
        self.closure += 1;
        self.whole.clear();
        self.waiting.clear();
        let mut work = Work {
            rules,
            steps,
            look,
            live,
            scratch: self,
            set: S::default(),
        };
        work.take(seed);
        loop {
            if movers.is_within(&work.set) || work.set.meets(hopeless) {
                return None;
            }
            if let Some(pid) = work.scratch.whole.pop() {
                work.after_whole(pid)?;
            } else if let Some((pid, edge)) = work.scratch.waiting.pop() {
                work.after_waiting(pid, edge)?;
            } else {
                return Some(work.set);
            }
        }
    }
}

struct Work<'a, S> {
    rules: &'a Rules,
    steps: &'a Steps,
    look: &'a Look<'a>,
    live: &'a [Live],
    scratch: &'a mut Scratch,
    set: S,
}

impl<'a, S: ProcessSet> Work<'a, S> {
    fn place(&self, pid: usize) -> Loc {
        self.rules.facts.at(self.live[pid].place).1
    }

    fn now(&self, pid: usize, edge: u32) -> &'a Now {
        let steps = self.steps;
        steps.facts.now(steps.id(self.live[pid].proctype, edge))
    }

    /// The edges that leave the place of a process.
    fn leaving(&self, pid: usize) -> &'a [u32] {
        let shape = &self.steps.shapes[self.live[pid].proctype.index()];
        &shape.leaving[self.place(pid).index()]
    }

    /// The edges that a process may still take.
    fn reachable(&self, pid: usize) -> &'a [u32] {
        let shape = &self.steps.shapes[self.live[pid].proctype.index()];
        &shape.reachable[self.place(pid).index()]
    }

    /// All steps that leave the place of a process are in the set.
    fn take(&mut self, pid: usize) {
        if !self.set.contains(pid) {
            self.set.insert(pid);
            self.scratch.whole.push(pid);
        }
    }

    /// A step is in the set.
    fn require(&mut self, pid: usize, edge: u32) {
        let known = &mut self.scratch.required[pid * self.steps.most + edge as usize];
        if std::mem::replace(known, self.scratch.closure) == self.scratch.closure {
            return;
        }
        let leaving = self.leaving(pid);
        if leaving.contains(&edge) {
            match self.scratch.is_enabled(pid, edge) {
                true => self.take(pid),
                false => self.scratch.waiting.push((pid, edge)),
            }
            return;
        }
        if is_active(Fault::WayForgotten) {
            return;
        }
        let shape = &self.steps.shapes[self.live[pid].proctype.index()];
        for &first in leaving.iter().filter(|&&first| shape.leads(first, edge)) {
            self.require(pid, first);
        }
    }

    /// Adds what does not accord with the possible steps of a process, and its other ones.
    fn after_whole(&mut self, pid: usize) -> Option<()> {
        let mut makers = S::default();
        let place = self.rules.facts.now(self.live[pid].place);
        makers_of(self.rules, self.look, self.live, (pid, place), &mut makers);
        makers.members().for_each(|maker| self.take(maker));
        for &edge in self.leaving(pid) {
            if !self.scratch.is_enabled(pid, edge) {
                self.require(pid, edge);
                continue;
            }
            let now = self.now(pid, edge);
            if now.timeout_inside || now.looks_at_others {
                return None;
            }
            if now.end {
                (pid + 1..self.live.len()).for_each(|younger| self.take(younger));
            }
            if !is_active(Fault::AccordanceForgotten) {
                self.require_all_that_depends(pid, edge, now);
            }
        }
        Some(())
    }

    fn require_all_that_depends(&mut self, pid: usize, edge: u32, now: &Now) {
        let steps = self.steps;
        let here = steps
            .interference
            .of(steps.id(self.live[pid].proctype, edge));
        for other in (0..self.live.len()).filter(|&other| other != pid) {
            for &theirs in self.reachable(other) {
                let id = FutureId(steps.id(self.live[other].proctype, theirs).0);
                let depends = here.certainly(id)
                    || here.perhaps(id) && {
                        let future = steps.facts.future(id);
                        let mut used = now.chans.iter();
                        used.any(|used| self.rules.use_minds(self.look, pid, used, other, future))
                    };
                if depends {
                    self.require(other, theirs);
                }
            }
        }
    }

    /// Adds what has to happen before a step becomes possible whose process is where it begins.
    fn after_waiting(&mut self, pid: usize, edge: u32) -> Option<()> {
        let now = self.now(pid, edge);
        if now.looks_at_others || now.timeout_inside {
            return None;
        }
        let mut makers = S::default();
        makers_of(self.rules, self.look, self.live, (pid, now), &mut makers);
        makers.members().for_each(|maker| self.take(maker));
        if is_active(Fault::EnablersForgotten) {
            return Some(());
        }
        let steps = self.steps;
        let own = self.live[pid].proctype;
        if now.end {
            let youngest = self.live.len() - 1;
            for &theirs in self.reachable(youngest) {
                if self.now(youngest, theirs).end {
                    self.require(youngest, theirs);
                }
            }
            return Some(());
        }
        for other in 0..self.live.len() {
            for &theirs in self.reachable(other) {
                let id = steps.id(self.live[other].proctype, theirs);
                let enables = steps.through_memory(steps.id(own, edge), id)
                    || (other == pid && steps.shapes[own.index()].is_decided_by(edge, theirs))
                    || self.lets_go_on(pid, now, other, steps.facts.future(FutureId(id.0)));
                if enables {
                    self.require(other, theirs);
                }
            }
        }
        Some(())
    }

    /// Whether a step that is not possible now may become so by what another one does to a channel.
    fn lets_go_on(&self, pid: usize, now: &Now, other: usize, future: &Future) -> bool {
        let operations = now.chans.iter().filter(|used| !used.arrives);
        let mut operations = operations.peekable();
        if operations.peek().is_none() {
            return false;
        }
        future.any_chan || operations.any(|used| self.use_lets_go_on(pid, used, other, future))
    }

    fn use_lets_go_on(&self, pid: usize, used: &NowUse, other: usize, future: &Future) -> bool {
        use ChanAccess::*;
        let of = |pid: usize, via| channels(self.look, Pid(pid as u16), via);
        let Some(via) = used.via else {
            return !future.chans.is_empty();
        };
        of(pid, via).any(|channel| {
            let fill = self.look.channel(channel);
            let how = |how: ChanAccess| match (used.how, fill) {
                // Whether it is possible decides about another step.
                _ if used.tested || used.inside => matches!(how, Send | Recv),
                (Send, Some(fill)) if fill.capacity == 0 => matches!(how, Recv | Peek),
                (Recv | Peek, Some(fill)) if fill.len == 0 => how == Send,
                (Send, Some(_)) => how == Recv,
                _ => matches!(how, Send | Recv),
            };
            future
                .chans
                .iter()
                .any(|theirs| how(theirs.how) && of(other, theirs.via).any(|c| c == channel))
        })
    }
}

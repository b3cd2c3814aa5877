//! Why states were not reduced: for every state that was fully expanded although several processes were enabled, what
//! kept each of them from being an ample set, counted by place.
//!
//! This is computed only on request, after the decision, so that it costs an ordinary search nothing.

use super::ample::{Ample, Rules};
use super::closed_sets::ClosedSets;
use super::facts::PlaceId;
use super::process_set::ProcessSet;
use super::reason::{Reason, through_memory, through_memory_under_f};
use crate::machine::{Look, Machine, Move};
use promela_lite::program::Program;
use promela_lite::source::Span;
use rustc_hash::FxHashMap;

/// What has been counted so far.
#[derive(Clone, Debug, Default)]
pub struct WhyNot {
    counts: FxHashMap<(PlaceId, Reason), u64>,
    /// States fully expanded for which a smaller set might have sufficed.
    pub states: u64,
}

/// Why a place was rejected as an ample set by itself, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The condition on ample sets: `C1`, `C2'`, `C3'`.
    pub condition: &'static str,
    /// In how many states.
    pub times: u64,
    /// The proctype.
    pub proctype: String,
    /// The statement.
    pub span: Span,
    /// Its text.
    pub statement: String,
    /// What kept it.
    pub reason: String,
}

impl WhyNot {
    /// The reasons, most frequent first.
    pub fn refusals(&self, program: &Program, ample: &Ample) -> Vec<Rejection> {
        let mut rows: Vec<_> = self.counts.iter().map(|(&k, &n)| (n, k)).collect();
        rows.sort_by_key(|&(n, key)| (std::cmp::Reverse(n), key));
        rows.into_iter()
            .map(|(times, (place, reason))| {
                let (own, loc) = ample.rules.facts.at(place);
                let proctype = &program.proctypes[own.index()];
                let graph = &proctype.graph;
                let edge = match reason {
                    Reason::Visible(edge) => Some(&graph.edges[edge.index()]),
                    _ => graph.edges[graph.locations[loc.index()].edges()].first(),
                };
                Rejection {
                    condition: reason.condition().name(),
                    times,
                    proctype: proctype.name.clone(),
                    span: edge.map_or(Span::NONE, |e| e.span),
                    statement: edge.map_or(String::new(), |e| e.text.clone()),
                    reason: reason.text(program, own),
                }
            })
            .collect()
    }
}

impl Ample {
    /// Keep account of why states are not reduced.
    pub fn with_account(mut self) -> Ample {
        self.account = Some(WhyNot::default());
        self
    }

    /// The account, if one is kept.
    pub fn account(&self) -> Option<&WhyNot> {
        self.account.as_ref()
    }

    /// `state` is expanded fully; `moves` are all that can happen.
    #[inline]
    pub fn refused(&mut self, machine: &mut Machine, state: &[u8], moves: &[Move]) {
        if let Some(mut account) = self.account.take() {
            self.explain(&machine.look(state), moves, &mut account);
            self.account = Some(account);
        }
    }
}

impl<S: ProcessSet> ClosedSets<S> {
    /// Does what [`Ample::explain`] says.
    pub(super) fn explain(
        &mut self,
        rules: &Rules,
        look: &Look<'_>,
        moves: &[Move],
        account: &mut WhyNot,
    ) {
        self.survey(rules, look, moves);
        let movers = self.live.iter().filter(|l| l.moves > 0).count();
        if movers < 2 {
            return;
        }
        account.states += 1;
        for pid in 0..self.live.len() {
            if self.live[pid].moves == 0 {
                continue;
            }
            let place = self.live[pid].place;
            for reason in self.reasons(rules, look, pid, moves) {
                *account.counts.entry((place, reason)).or_default() += 1;
            }
        }
    }

    fn reasons(
        &mut self,
        rules: &Rules,
        look: &Look<'_>,
        pid: usize,
        moves: &[Move],
    ) -> Vec<Reason> {
        let mut hopeless = S::default();
        if self
            .candidate(rules, look, pid, moves, &mut hopeless)
            .is_some()
        {
            return vec![Reason::LeadsBack];
        }
        let own = self.live[pid];
        let now = rules.facts.now(own.place);
        if now.timeout_inside || (rules.mutual.is_some() && now.specials.timeout) {
            return vec![Reason::Timeout];
        }
        if now.looks_at_others {
            return vec![Reason::LooksAtOthers];
        }
        let own_moves = moves.iter().filter(|m| usize::from(m.pid.0) == pid);
        let seen = own_moves.filter(|m| rules.visible.is_visible(own.proctype, m.edge));
        let mut reasons: Vec<Reason> = seen.map(|m| Reason::Visible(m.edge)).collect();
        let mut makers = S::default();
        self.add_makers(rules, look, pid, now, &mut makers);
        for other in (0..self.live.len()).filter(|&o| o != pid) {
            let their = self.live[other];
            let future = rules.facts.future(their.future);
            let memory = match &rules.mutual {
                Some(mutual) if mutual.same_part(own.place, their.future) => {
                    Some(Reason::SamePart(their.proctype))
                }
                Some(_) => through_memory_under_f(now, own.proctype, future, their.proctype),
                None => through_memory(now, own.proctype, future, their.proctype),
            };
            let holds_back = (now.end && other > pid).then_some(Reason::HoldsBack(their.proctype));
            let channel = || {
                let minded = now.chans.iter().find(|used| {
                    future.any_chan || rules.use_minds(look, pid, used, other, future)
                })?;
                Some(Reason::Channel(minded.via, minded.how, their.proctype))
            };
            let maker = makers.contains(other);
            let maker = maker.then_some(Reason::UsesChannelOf(their.proctype));
            let reason = memory.or(holds_back).or(maker).or_else(channel);
            reasons.extend(reason.filter(|r| !reasons.contains(r)));
        }
        // What another member of the set does may be visible, or need everyone.
        if reasons.is_empty() {
            let partner = moves.iter().find(|m| usize::from(m.pid.0) == pid);
            let edge = partner.and_then(|m| m.partner).map(|(_, edge)| edge);
            reasons.extend(edge.map(Reason::Visible));
        }
        reasons
    }
}

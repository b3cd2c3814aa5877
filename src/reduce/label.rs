//! The labels of the paper: whether a process at a place is an ample set by itself, as far as that is known before the search.
//!
//! *safe*: always. *not_safe*: never. *maybe(C)*: in the states where all conditions of C hold; they are of a few kinds (a
//! channel is not empty, or not full; no other process uses it in the same direction; no process can use a variable any
//! more), and cheap to check in a state. The search goes further than the labels: it also lets several processes go first
//! together.

use super::ample::Ample;
use super::facts::PlaceId;
use super::reason::{Minds, Reason, minds, through_memory, who};
use super::uses::{LaterUse, Via};
use promela_lite::program::{ChanAccess, Loc, ProctypeId, Program};

/// Whether a process may go first alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// Always.
    Safe,
    /// If all of these hold.
    Maybe(Vec<String>),
    /// Never, because of these.
    NotSafe(Vec<String>),
}

impl Label {
    /// The name of the kind.
    pub fn name(&self) -> &'static str {
        match self {
            Label::Safe => "safe",
            Label::Maybe(_) => "maybe",
            Label::NotSafe(_) => "not_safe",
        }
    }

    /// The conditions or the reasons.
    pub fn details(&self) -> &[String] {
        match self {
            Label::Safe => &[],
            Label::Maybe(details) | Label::NotSafe(details) => details,
        }
    }
}

impl Ample {
    /// The label of a place.
    pub fn label(&self, program: &Program, proctype: ProctypeId, loc: Loc) -> Label {
        let place = self.rules.facts.place(proctype, loc);
        let now = self.rules.facts.now(place);
        let mut never: Vec<Reason> = Vec::new();
        let mut conditions: Vec<String> = Vec::new();
        if now.timeout_inside {
            never.push(Reason::Timeout);
        }
        if now.looks_at_others {
            never.push(Reason::LooksAtOthers);
        }
        if now.end {
            add(&mut conditions, "it is the youngest process".to_owned());
        }
        let edges = program.proctypes[proctype.index()].graph.locations[loc.index()].edges();
        for edge in edges.map(|e| promela_lite::program::EdgeId(e as u32)) {
            if self.rules.visible.is_visible(proctype, edge) {
                never.push(Reason::Visible(edge));
            }
        }
        for (index, other) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            if id == proctype && !self.may_have_company(program, id) {
                continue;
            }
            let places = (0..other.graph.locations.len()).map(|l| Loc(l as u32));
            let mut reasons = places.map(|l| self.against(place, proctype, id, l));
            let Some(first) = reasons.clone().flatten().next() else {
                self.channels(program, place, proctype, id, &mut conditions);
                continue;
            };
            if reasons.all(|r| r.is_some()) {
                never.push(first);
            } else {
                add(
                    &mut conditions,
                    format!("no longer: {}", first.text(program, proctype)),
                );
            }
            self.channels(program, place, proctype, id, &mut conditions);
        }
        if !never.is_empty() {
            let mut reasons = Vec::new();
            for reason in never {
                add(&mut reasons, reason.text(program, proctype));
            }
            Label::NotSafe(reasons)
        } else if conditions.is_empty() {
            Label::Safe
        } else {
            Label::Maybe(conditions)
        }
    }

    /// Why a process at `place` cannot go before one of another type that is at `loc`.
    fn against(
        &self,
        place: PlaceId,
        own: ProctypeId,
        other: ProctypeId,
        loc: Loc,
    ) -> Option<Reason> {
        let future = self
            .rules
            .facts
            .future_of(self.rules.facts.place(other, loc));
        through_memory(
            self.rules.facts.now(place),
            own,
            self.rules.facts.future(future),
            other,
        )
    }

    /// Adds what must hold of channels for processes of type `other` not to matter.
    fn channels(
        &self,
        program: &Program,
        place: PlaceId,
        own: ProctypeId,
        other: ProctypeId,
        conditions: &mut Vec<String>,
    ) {
        let start = program.proctypes[other.index()].graph.start;
        let future = self.rules.facts.future(
            self.rules
                .facts
                .future_of(self.rules.facts.place(other, start)),
        );
        let uses = self.rules.facts.now(place).chans.iter();
        for used in uses.filter(|used| !used.arrives) {
            let name = used
                .via
                .map_or("the channel".to_owned(), |v| v.name(program, own));
            if future.any_chan {
                add(
                    conditions,
                    format!("{} does not use {name}", who(program, own, other)),
                );
            }
            let mut against = |theirs: &LaterUse| match minds(used, theirs, self.rules.sorted) {
                Minds::No => {}
                Minds::Without(1) => add(conditions, format!("{name} is not empty")),
                Minds::Without(n) => add(conditions, format!("{name} holds {n} messages")),
                Minds::WithoutRoom(1) => add(conditions, format!("{name} is not full")),
                Minds::WithoutRoom(n) => add(conditions, format!("{name} has room for {n}")),
                Minds::Always => add(
                    conditions,
                    format!("nobody else {}", does(theirs.how, &name)),
                ),
            };
            for theirs in &future.chans {
                // Two global variables that keep their channels name different ones.
                let via = theirs.via;
                let apart = |v: &Via| !v.own && !via.own && (v.hi <= via.lo || via.hi <= v.lo);
                if !used.via.as_ref().is_some_and(apart) {
                    against(theirs);
                }
            }
        }
    }

    /// Whether there may be two processes of a type at once.
    fn may_have_company(&self, program: &Program, id: ProctypeId) -> bool {
        let active = program.active.iter().filter(|a| **a == id).count();
        let starters = self.rules.facts.starters(program, id);
        active + starters > 1
    }
}

fn add(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

fn does(how: ChanAccess, channel: &str) -> String {
    match how {
        ChanAccess::Send => format!("sends to {channel}"),
        ChanAccess::Recv | ChanAccess::Peek => format!("receives from {channel}"),
        _ => format!("tests {channel}"),
    }
}

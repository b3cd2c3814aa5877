//! Why a process alone is no ample set: how a step of one place depends on what another process may do later.

use super::facts::{Future, Now};
use super::objects;
use super::operations::at_buffer;
use super::uses::{LaterUse, NowUse, Via};
use crate::faults::{Fault, is_active};
use promela_lite::program::{ChanAccess, EdgeId, ProctypeId, Program};

/// One reason.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Reason {
    /// In its middle the step asks whether nothing else is possible.
    Timeout,
    /// A process of that type may ask for `timeout` in the middle of a step.
    Timeouts(ProctypeId),
    /// The step looks at another process.
    LooksAtOthers,
    /// The step writes what a process of that type may still read or write.
    Writes(u32, ProctypeId),
    /// The step reads what a process of that type may still write.
    Reads(u32, ProctypeId),
    /// A process of that type may still look at where this one is.
    IsWatched(ProctypeId),
    /// Both start or end processes, or look at how many there are.
    Processes(ProctypeId),
    /// Ending destroys channels that a process of that type may still use.
    DropsChannels(ProctypeId),
    /// A younger process of that type may end and take along a channel that is used.
    UsesChannelOf(ProctypeId),
    /// A younger process of that type must end first.
    HoldsBack(ProctypeId),
    /// Both use a channel, which this process reaches through that variable, in ways that depend on each other.
    Channel(Option<Via>, ChanAccess, ProctypeId),
    /// The step changes what the property looks at.
    Visible(EdgeId),
    /// The step and what a process of that type may do change what the same part of the property looks at.
    SamePart(ProctypeId),
    /// All was well, but the moves lead back to where the search comes from.
    LeadsBack,
}

/// The condition on ample sets that a reason is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Condition {
    C1,
    C2,
    C3,
    /// C3 as it is under condition F.
    C3Parts,
}

impl Condition {
    pub(super) fn name(self) -> &'static str {
        match self {
            Condition::C1 => "C1",
            Condition::C2 => "C2'",
            Condition::C3 => "C3'",
            Condition::C3Parts => "C3",
        }
    }
}

impl Reason {
    pub(super) fn condition(self) -> Condition {
        match self {
            Reason::Visible(_) => Condition::C3,
            Reason::SamePart(_) => Condition::C3Parts,
            Reason::LeadsBack => Condition::C2,
            _ => Condition::C1,
        }
    }

    /// In words; `own` is the type of the process that cannot go first.
    pub(super) fn text(self, program: &Program, own: ProctypeId) -> String {
        let who = |id: ProctypeId| who(program, own, id);
        let object = |o: u32| objects::name(program, o as usize);
        match self {
            Reason::Timeout => "asks for a timeout in the middle of a step".to_owned(),
            Reason::Timeouts(other) => {
                format!(
                    "{} may ask for a timeout in the middle of a step",
                    who(other)
                )
            }
            Reason::LooksAtOthers => "looks at another process".to_owned(),
            Reason::Writes(o, other) => {
                format!("writes {}, which {} may use", object(o), who(other))
            }
            Reason::Reads(o, other) => {
                format!("reads {}, which {} may write", object(o), who(other))
            }
            Reason::IsWatched(other) => format!("{} may look at where it is", who(other)),
            Reason::Processes(other) => {
                format!("starts, ends or counts processes, as {} may", who(other))
            }
            Reason::DropsChannels(other) => {
                format!("takes its channels along, and {} may use one", who(other))
            }
            Reason::UsesChannelOf(other) => {
                format!("may use a channel that {} takes along", who(other))
            }
            Reason::HoldsBack(other) => format!("can end only after {}", who(other)),
            Reason::Channel(via, how, other) => {
                let channel =
                    via.map_or("a channel that varies".to_owned(), |v| v.name(program, own));
                let does = format!("{how:?}").to_lowercase();
                format!("{does} on {channel}, which {} may use", who(other))
            }
            Reason::Visible(_) => "changes what the property looks at".to_owned(),
            Reason::SamePart(other) => format!(
                "changes what the property looks at in one part with what {} may change",
                who(other)
            ),
            Reason::LeadsBack => "leads back to the path of the search".to_owned(),
        }
    }
}

/// A process of a type, as one of type `own` speaks of it.
pub(super) fn who(program: &Program, own: ProctypeId, id: ProctypeId) -> String {
    let name = &program.proctypes[id.index()].name;
    match name.as_str() {
        ":init:" => "init".to_owned(),
        _ if id == own => format!("another {name}"),
        _ => name.clone(),
    }
}

impl Via {
    /// The variable's name, for messages.
    pub(super) fn name(self, program: &Program, own: ProctypeId) -> String {
        let frame = if self.own {
            &program.proctypes[own.index()].frame
        } else {
            &program.globals
        };
        objects::name_of(frame, self.lo, self.hi)
    }
}

fn through_variables(now: &Now, future: &Future, other: ProctypeId) -> Option<Reason> {
    if is_active(Fault::SharedVariablesIgnored) {
        return None;
    }
    let written = now.writes.first_common(&future.reads);
    if let Some(object) = written.or_else(|| now.writes.first_common(&future.writes)) {
        return Some(Reason::Writes(object as u32, other));
    }
    let object = now.reads.first_common(&future.writes)?;
    Some(Reason::Reads(object as u32, other))
}

/// Why a step depends on what lies in the future of a process of type `other`, through memory or the system.
pub(super) fn through_memory(
    now: &Now,
    own: ProctypeId,
    future: &Future,
    other: ProctypeId,
) -> Option<Reason> {
    // How far such a step gets depends on whether another process is enabled.
    if future.timeout_inside {
        return Some(Reason::Timeouts(other));
    }
    if let Some(reason) = through_variables(now, future, other) {
        return Some(reason);
    }
    // Every step changes the place of its process.
    if future.looks_at.contains(own.index()) {
        return Some(Reason::IsWatched(other));
    }
    let (mine, theirs) = (now.specials, future.specials);
    let processes = (mine.run && (theirs.run || theirs.end || theirs.nr_pr))
        || (now.end && (theirs.run || theirs.nr_pr))
        || (mine.nr_pr && (theirs.run || theirs.end));
    if processes {
        return Some(Reason::Processes(other));
    }
    let channels = future.any_chan || !future.chans.is_empty();
    let mine_used = now.chans.iter().any(|u| !u.release);
    if (now.starts_exclusive && channels) || (future.starts_exclusive && mine_used) {
        return Some(Reason::Processes(other));
    }
    (now.drops_channels && channels).then_some(Reason::DropsChannels(other))
}

/// How an operation on a buffered channel depends on another one that some other process may do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Minds {
    No,
    /// Unless the channel holds that many messages.
    Without(u32),
    /// Unless the channel has room for that many.
    WithoutRoom(u32),
    Always,
}

/// Whether an operation depends on another one. `sorted`: some `!!` exists, so that the head of a channel may change while
/// it is not empty.
///
/// An operation that makes another one possible, without ever taking that back, does not depend on it: before, the other
/// one cannot happen, and afterwards it happens in the same way. That is so for what a step begins with. In the middle of
/// an `atomic` step it is not: the step would go further.
pub(super) fn minds(used: &NowUse, theirs: &LaterUse, sorted: bool) -> Minds {
    use ChanAccess::*;
    // Who comes to wait for a rendezvous makes a difference to those who ask whether anybody does.
    if used.arrives {
        let matters = theirs.asks && !is_active(Fault::PartnersIgnored);
        return if matters { Minds::Always } else { Minds::No };
    }
    // The end of an exclusivity assertion matters to those who do what it excludes.
    if used.release || theirs.release {
        let breach = used.release != theirs.release && used.how == theirs.how;
        return if breach { Minds::Always } else { Minds::No };
    }
    let stops_matter = !is_active(Fault::StopsInsideIgnored);
    if theirs.inside && matches!(used.how, Send | Recv) && stops_matter {
        return Minds::Always;
    }
    if is_active(Fault::ExclusivenessTrusted) && used.how == theirs.how {
        return Minds::No;
    }
    if theirs.favourable {
        match (used.how, theirs.how) {
            (Send, Nempty | Full) | (Recv, Empty | Nfull) => return Minds::No,
            (Send, Poll) if !sorted => return Minds::No,
            _ => {}
        }
    }
    let theirs = theirs.how;
    // Where it cannot be told how full the channel is by then, anything matters.
    let Some(nth) = used.nth else {
        return match (used.how, theirs) {
            (Peek, Peek) => Minds::No,
            _ => Minds::Always,
        };
    };
    let head_may_change = sorted || used.random;
    match (used.how, theirs) {
        (Send, Recv | Peek) if !sorted => Minds::WithoutRoom(nth),
        (Send, _) => Minds::Always,
        (Recv | Peek | Poll | Empty | Nempty, Send) if !head_may_change => Minds::Without(nth),
        (Recv, _) => Minds::Always,
        (Peek, Recv | Send) => Minds::Always,
        (Peek, _) => Minds::No,
        (Full | Nfull, Recv) => Minds::WithoutRoom(nth),
        (Poll | Empty | Nempty | Full | Nfull | Len, Send | Recv) => Minds::Always,
        (Poll | Empty | Nempty | Full | Nfull | Len, _) => Minds::No,
    }
}

/// The same under condition F, where whatever depends in the sense of [`super::Operations`] must count, in every state.
pub(super) fn minds_under_f(used: &NowUse, theirs: &LaterUse, sorted: bool) -> Minds {
    let inside = used.inside || used.tested || theirs.inside;
    let operations = !used.release && !theirs.release;
    if operations && at_buffer(used.how, theirs.how, inside, sorted) {
        return Minds::Always;
    }
    minds(used, theirs, sorted)
}

/// The same for what goes through memory or the system.
pub(super) fn through_memory_under_f(
    now: &Now,
    own: ProctypeId,
    future: &Future,
    other: ProctypeId,
) -> Option<Reason> {
    let uses = now.chans.iter().any(|u| !u.release);
    if future.drops_channels && uses {
        return Some(Reason::DropsChannels(other));
    }
    if now.specials.run && !future.looks_at.is_empty() {
        return Some(Reason::Processes(other));
    }
    through_memory(now, own, future, other)
}

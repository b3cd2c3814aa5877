//! Faults put into the reduction and the passes on purpose, to see that the tests notice them.
//!
//! Only with the feature `faults`; without it nothing of this is compiled in, and [`is_active`] is constantly false.

use promela_lite::opt::Sabotage;

/// A condition on ample sets, or of a pass, that is broken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// C1 for what cannot happen yet: an option that another process may make possible is not waited for.
    DisabledOptionsIgnored,
    /// C1 inside `atomic` steps of others: where they may be stopped is not looked at.
    StopsInsideIgnored,
    /// C1 through variables.
    SharedVariablesIgnored,
    /// C2': moves that lead back to the path are accepted.
    LeadingBackAllowed,
    /// C2': a fully expanded state between is enough for a move that leads back, whatever other ways there are.
    TiesIgnored,
    /// C3': visible moves are accepted.
    VisibilityIgnored,
    /// C4: the inner search judges by its own path.
    InnerSearchDecides,
    /// Channels have one sender and one receiver, as if they were all declared `xs` and `xr`.
    ExclusivenessTrusted,
    /// Of sets of more than 64 processes only the first word is looked at.
    WideSetsCut,
    /// C1 for the use of a channel that its maker may take along.
    MakersIgnored,
    /// Nobody is held to tell the numbers of processes.
    PidsHidden,
    /// Channels are taken along when nobody knows them any more.
    ChannelsEscape,
    /// Nobody can tell the numbers of channels.
    ChannelNumbersIgnored,
    /// The channels that a process will hand to another one are not followed.
    ArgumentsIgnored,
    /// Who comes to wait for a rendezvous makes no difference to who asks whether anybody does.
    PartnersIgnored,
    /// Nobody is held to ask who moved last.
    LastIgnored,
    /// Stubborn sets: what a step depends on that its process cannot make at once is forgotten.
    WayForgotten,
    /// Stubborn sets: steps that do not accord with a possible one are forgotten.
    AccordanceForgotten,
    /// Stubborn sets: what makes a step possible is forgotten.
    EnablersForgotten,
    /// Slicing: only what decides about control directly is kept.
    FlowsForgotten,
    /// Slicing: indices and divisors decide about nothing.
    IndicesForgotten,
    /// Slicing: fields that receives compare are taken for unread.
    MatchesForgotten,
    /// Slicing: messages that are sent in order are not ordered by all their fields.
    OrderForgotten,
    /// Slicing: what the property reads is not looked at.
    ConditionsForgotten,
    /// Merging: steps are merged under fairness as they are without.
    FairnessForgotten,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 25] = [
        Fault::DisabledOptionsIgnored,
        Fault::StopsInsideIgnored,
        Fault::SharedVariablesIgnored,
        Fault::LeadingBackAllowed,
        Fault::TiesIgnored,
        Fault::VisibilityIgnored,
        Fault::InnerSearchDecides,
        Fault::ExclusivenessTrusted,
        Fault::WideSetsCut,
        Fault::MakersIgnored,
        Fault::PidsHidden,
        Fault::ChannelsEscape,
        Fault::ChannelNumbersIgnored,
        Fault::ArgumentsIgnored,
        Fault::PartnersIgnored,
        Fault::LastIgnored,
        Fault::WayForgotten,
        Fault::AccordanceForgotten,
        Fault::EnablersForgotten,
        Fault::FlowsForgotten,
        Fault::IndicesForgotten,
        Fault::MatchesForgotten,
        Fault::OrderForgotten,
        Fault::ConditionsForgotten,
        Fault::FairnessForgotten,
    ];

    /// Those of stubborn sets.
    pub const OF_STUBBORN_SETS: [Fault; 3] = [
        Fault::WayForgotten,
        Fault::AccordanceForgotten,
        Fault::EnablersForgotten,
    ];

    /// Those of slicing.
    pub const OF_SLICING: [Fault; 5] = [
        Fault::FlowsForgotten,
        Fault::IndicesForgotten,
        Fault::MatchesForgotten,
        Fault::OrderForgotten,
        Fault::ConditionsForgotten,
    ];
}

#[cfg(feature = "faults")]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

/// Does something while a fault is active in this thread, and in those that search on its behalf.
#[cfg(feature = "faults")]
pub fn with<R>(fault: Fault, work: impl FnOnce() -> R) -> R {
    Active(Some(fault)).during(work)
}

/// The fault that is active, to be carried over to another thread.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Active(#[cfg(feature = "faults")] Option<Fault>);

impl Active {
    /// What is active in this thread.
    pub(crate) fn here() -> Active {
        Active(
            #[cfg(feature = "faults")]
            ACTIVE.get(),
        )
    }

    /// Does something while it is active in this thread.
    pub(crate) fn during<R>(self, work: impl FnOnce() -> R) -> R {
        #[cfg(feature = "faults")]
        let before = ACTIVE.replace(self.0);
        let result = work();
        #[cfg(feature = "faults")]
        ACTIVE.set(before);
        result
    }
}

/// Whether a fault is active.
#[inline]
pub(crate) fn is_active(fault: Fault) -> bool {
    #[cfg(feature = "faults")]
    return ACTIVE.get() == Some(fault);
    #[cfg(not(feature = "faults"))]
    {
        let _ = fault;
        false
    }
}

/// The fault of slicing that is active.
pub(crate) fn of_slicing() -> Option<Sabotage> {
    let faults = [
        (Fault::FlowsForgotten, Sabotage::FlowsForgotten),
        (Fault::IndicesForgotten, Sabotage::FaultsForgotten),
        (Fault::MatchesForgotten, Sabotage::MatchesForgotten),
        (Fault::OrderForgotten, Sabotage::OrderForgotten),
    ];
    let active = faults.into_iter().find(|(fault, _)| is_active(*fault));
    active.map(|(_, sabotage)| sabotage)
}

/// What the system refuses on purpose: only with the feature `faults`, and only if an environment variable says so.
#[cfg(feature = "faults")]
mod refusals {
    use std::env::var;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// The number that a variable gives.
    fn number(name: &str, once: &OnceLock<Option<u64>>) -> Option<u64> {
        *once.get_or_init(|| var(name).ok()?.parse().ok())
    }

    /// Whether the thread of a worker is refused: from the number in `AMPLE_FAULT_THREAD` on.
    pub(crate) fn refuses_thread(number_of_worker: usize) -> bool {
        static FIRST: OnceLock<Option<u64>> = OnceLock::new();
        number("AMPLE_FAULT_THREAD", &FIRST).is_some_and(|first| number_of_worker as u64 >= first)
    }

    /// Whether memory for a table is refused: from the piece on that `AMPLE_FAULT_TABLE` counts.
    pub(crate) fn refuses_table() -> bool {
        static FIRST: OnceLock<Option<u64>> = OnceLock::new();
        static ASKED: AtomicU64 = AtomicU64::new(0);
        let first = number("AMPLE_FAULT_TABLE", &FIRST);
        first.is_some_and(|first| ASKED.fetch_add(1, Ordering::Relaxed) + 1 >= first)
    }
}

/// What the system refuses on purpose: nothing.
#[cfg(not(feature = "faults"))]
mod refusals {
    #[inline(always)]
    pub(crate) fn refuses_thread(_: usize) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn refuses_table() -> bool {
        false
    }
}

pub(crate) use refusals::{refuses_table, refuses_thread};

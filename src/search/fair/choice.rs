//! Which moves of each state of the program are made under condition F, decided before the property is looked at.
//!
//! The paper's off-line reduction (algorithm A1 with C1, C2 and C3): one depth-first search of the program alone. The ample
//! sets it is given observe C1 for a dependency that contains that of condition F and makes the operations that one
//! part of the property sees depend on each other (C3); this search sees to C2: if a proper subset of the moves is made,
//! none of them leads back to the path. What was decided for a state is kept, and the search for fair cycles of the product
//! follows it whatever state the automaton is in.
//!
//! A move back to a state of the path all of whose moves are made does no harm: what the proof needs is that every cycle of
//! the reduced graph has such a state, so that nothing is put off for ever, and every cycle has a move to a state that is on
//! the path at the time. (It would not be enough that such a state lies on the path somewhere between: a later way back to
//! that move may lead past it.)
//!
//! Where the sets leave a choice, the process that moved last goes on; and if the set that is chosen leads back, all moves are
//! made instead of trying another set. So processes that have nothing to do with each other go round one after the other,
//! and not one again and again for every state of the others.
//!
//! Why two searches: visible operations of different parts of the property are independent here, but in the product of
//! program and automaton they are not, since both may change the state of the automaton. So the argument that lets the
//! other reductions work on the product itself (see [`crate::space`]) fails, and choosing ample sets there, as the
//! paper's on-the-fly algorithm does, would make them depend on what the automaton guesses. The reduced graph of the program
//! alone has, for every F-fair run, an equivalent one (Theorem 3.3), that is F-fair as well and satisfies the property if
//! and only if the other one does (Theorem 3.6, applied to each part); and then every automaton that accepts the violations
//! will do.

use super::super::expand::{Decision, Expander, Extent, Tail};
use super::super::note::choice::Note;
use super::super::{Outcome, Settings};
use crate::faults::{Fault, is_active};
use crate::limits::Monitor;
use crate::machine::Pid;
use crate::space::AmpleSets;
use crate::stats::Stats;
use crate::store::{ExactStore, Insert, StateId};

/// What was decided for every state of the reduced graph.
#[derive(Clone, Debug)]
pub struct AmpleChoice {
    store: ExactStore,
    found: Vec<Option<StateId>>,
    /// Figures of the search that made it.
    pub stats: Stats,
}

impl AmpleChoice {
    /// The number of the ample set of a state (its key alone), if it is one.
    pub fn decision(&mut self, key: &[u8]) -> Option<u32> {
        self.store.drop_collected();
        self.store.collect(key, &[]);
        self.store.find_collected(&mut self.found);
        let id = self.found.first().copied().flatten()?;
        match Note::of(&self.store, id) {
            Note::Decided(Decision::Ample(index)) => Some(index),
            _ => None,
        }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> u64 {
        self.store.bytes()
    }
}

struct Frame {
    id: StateId,
    base: usize,
    next: usize,
    decision: Decision,
}

/// Chooses an ample set for every state; `None` if the outcome says that something was left out.
pub(in super::super) fn make<P: AmpleSets>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> (Option<AmpleChoice>, Outcome<P::Move>) {
    let (mut expander, first) = Expander::start(space, settings, monitor, Tail::Note(0));
    let mut path: Vec<Frame> = Vec::new();
    let mut successors: Vec<(StateId, Pid)> = Vec::new();
    let mut entering = first.map(|id| (id, None));
    expander.keep_step_labels(true);
    loop {
        if expander.ledger.stopped() {
            break;
        }
        if let Some((id, by)) = entering.take() {
            enter(&mut expander, &mut path, &mut successors, id, by);
        }
        let Some(top) = path.last_mut() else { break };
        if top.next == successors.len() {
            Note::Decided(top.decision).put(&mut expander.store, top.id);
            successors.truncate(top.base);
            path.pop();
            continue;
        }
        let (to, by) = successors[top.next];
        top.next += 1;
        let unknown = Note::of(&expander.store, to) == Note::Unknown;
        entering = unknown.then_some((to, Some(by)));
    }
    let bytes = expander.bytes();
    let Expander { ledger, store, .. } = expander;
    let outcome = ledger.close(&store, bytes);
    let complete = matches!(outcome.end, super::super::End::Complete(_));
    let choice = complete.then(|| AmpleChoice {
        store,
        found: Vec::new(),
        stats: outcome.stats,
    });
    (choice, outcome)
}

fn enter<P: AmpleSets>(
    expander: &mut Expander<'_, P>,
    path: &mut Vec<Frame>,
    successors: &mut Vec<(StateId, Pid)>,
    id: StateId,
    by: Option<Pid>,
) {
    let depth = path.len() as u64;
    if depth > expander.ledger.settings.limits.depth {
        expander.ledger.cut();
        Note::Decided(Decision::All).put(&mut expander.store, id);
        return;
    }
    expander.ledger.stats.depth = expander.ledger.stats.depth.max(depth);
    Note::Open.put(&mut expander.store, id);
    let lineage = |_: &ExactStore| Vec::new();
    let leads_forward = |store: &ExactStore, targets: &[Option<StateId>], _: &[bool]| {
        let on_path = |id: &StateId| Note::of(store, *id) == Note::Open;
        is_active(Fault::LeadingBackAllowed) || !targets.iter().flatten().any(on_path)
    };
    let decision = expander.expand(id, &lineage, Extent::Once(by, &leads_forward), true);
    if decision == Decision::All {
        Note::Full.put(&mut expander.store, id);
    }
    let base = successors.len();
    for (answer, label) in expander.answers().iter().zip(expander.step_labels()) {
        let by = label.movers.iter().next().unwrap_or(0);
        if let Insert::New(to) | Insert::Seen(to) = answer {
            successors.push((*to, Pid(by as u16)));
        }
    }
    path.push(Frame {
        id,
        base,
        next: base,
        decision,
    });
    if expander.ledger.due() {
        let frames = path.capacity() * size_of::<Frame>();
        let bytes = (frames + successors.capacity() * size_of::<(StateId, Pid)>()) as u64;
        let bytes = bytes + expander.bytes();
        let Expander { ledger, store, .. } = expander;
        ledger.tick(store, bytes, depth);
    }
}

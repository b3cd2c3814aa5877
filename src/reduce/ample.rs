//! Choosing an ample set: some processes whose moves suffice in a state.
//!
//! A set S of processes is *closed* in a state when no process outside of S can ever, from where it is, do anything that
//! depends on a step that leaves the place of a member of S (disabled steps included). Then whatever the others do before
//! S moves neither enables, disables nor changes the moves of S, and commutes with them: condition C1 holds for the set of
//! all enabled moves of S. The closure of one process is found by adding, again and again, every process that interferes
//! with a member ([`super::closed_sets`]). C0 asks for at least one enabled move in S, C3' that all of them are invisible;
//! the search sees to C2' and C4.
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
//! A channel that its maker takes along when it ends is gone for all: a step that uses it depends on that end, if the maker is
//! younger than the user. (An older one cannot be removed before the user has made its step and ended.)
//!
//! Where nobody can tell the numbers of processes and channels from a state on, other rules hold ([`super::pids`]); and where
//! `_last` may still be asked for, nothing is reduced.
//!
//! With stubborn sets ([`super::stubborn`]) the closure is found step by step; all else is the same.
//!
//! `timeout` does no harm, neither in the future of others nor as a guard of a member: while some member of S can move there
//! is no timeout, and no process outside of S can disable it. Inside a step (`atomic`, `d_step`) it depends on all processes.

use super::bits::Bits;
use super::channel_flow::Flow;
use super::closed_sets::ClosedSets;
use super::facts::{Facts, Future, PlaceId};
use super::interference::Interference;
use super::mutual::Mutual;
use super::obstacles::obstacle;
use super::operations::channels;
use super::pids::Hidden;
use super::process_set::{WORD, WideSet};
use super::reason::{Minds, minds, minds_under_f};
use super::steps::Steps;
use super::traced::Traced;
use super::uses::{NowUse, Via};
use super::visible::Visible;
use super::why_not::WhyNot;
use crate::faults::{Fault, is_active};
use crate::limits::Cancellation;
use crate::machine::{Look, Machine, Move, Pid};
use promela_lite::program::{EdgeId, ProctypeId, Program};
use std::sync::Arc;

/// Finds ample sets. A clone shares what was worked out about the program.
#[derive(Clone, Debug)]
pub struct Ample {
    pub(super) rules: Rules,
    /// What holds instead in states from which on nobody can tell the numbers of processes and channels.
    unnumbered: Option<Box<Unnumbered>>,
    /// For states with at most [`WORD`] processes.
    few: ClosedSets<u64>,
    /// For all others.
    many: ClosedSets<WideSet>,
    pub(super) account: Option<WhyNot>,
}

/// Rules for some states only.
#[derive(Clone, Debug)]
struct Unnumbered {
    hidden: Hidden,
    rules: Rules,
}

/// What interferes with what: all that is the same in all states.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) facts: Arc<Facts>,
    pub(super) visible: Visible,
    pub(super) interference: Arc<Interference>,
    /// For each place the futures that certainly interfere, as the bits of a word, where there are so few futures.
    words: Option<Arc<[u64]>>,
    /// Under condition F: which places and futures the same part of the property sees.
    pub(super) mutual: Option<Arc<Mutual>>,
    /// Places that a visible step leaves.
    pub(super) visible_places: Bits,
    /// Some `!!` exists: the head of a channel may change while it is not empty.
    pub(super) sorted: bool,
    pub(super) traced: Traced,
    /// For stubborn sets.
    pub(super) steps: Option<Arc<Steps>>,
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
        let flow = Flow::new(program, cancellation)?;
        if !flow.forged && !flow.escapes {
            facts.keep_channels();
        }
        // Under F it stays as it is: its definition has starts and ends depend on each other.
        let hidden = Hidden::new(program, &flow);
        let unnumbered = match hidden {
            Hidden::Never => None,
            Hidden::Always => {
                facts.hide_pids();
                None
            }
            Hidden::Where(_) => {
                let mut facts = facts.clone();
                facts.hide_pids();
                let rules = Rules::new(program, facts, visible.clone(), None, cancellation)?;
                Some(Box::new(Unnumbered { hidden, rules }))
            }
        };
        let mut ample = Ample::build(program, facts, visible, None, cancellation)?;
        ample.unnumbered = unnumbered;
        Some(ample)
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
        let columns = facts.futures.len();
        Some(Ample {
            rules: Rules::new(program, facts, visible, mutual, cancellation)?,
            unnumbered: None,
            few: ClosedSets::new(columns),
            many: ClosedSets::new(columns),
            account: None,
        })
    }

    /// The same, by way of stubborn sets ([`super::stubborn`]), where these are used at all.
    pub fn with_stubborn(mut self, program: &Program) -> Ample {
        let others = self.unnumbered.iter_mut().map(|other| &mut other.rules);
        for rules in others.chain([&mut self.rules]) {
            rules.steps = Steps::new(program, &rules.facts).map(Arc::new);
        }
        self
    }

    /// What can be seen of the program.
    pub fn visible(&self) -> &Visible {
        &self.rules.visible
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
        let look = machine.look(state);
        let Ample {
            rules,
            unnumbered,
            few,
            many,
            ..
        } = self;
        let rules = rules_for(rules, unnumbered, &look);
        if rules.remembers_last(&look) || (index == 0 && rules.is_hopeless(&look, moves)) {
            return None;
        }
        match look.processes() <= WORD {
            true => few.choose(rules, &look, state, moves, index),
            false => many.choose(rules, &look, state, moves, index),
        }
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
        if usize::from(pid.0) >= look.processes() || self.rules.remembers_last(&look) {
            return None;
        }
        let Ample {
            rules,
            unnumbered,
            few,
            many,
            ..
        } = self;
        let rules = rules_for(rules, unnumbered, &look);
        match look.processes() <= WORD {
            true => few.index_with(rules, &look, state, moves, pid),
            false => many.index_with(rules, &look, state, moves, pid),
        }
    }

    /// Adds to an account why `state` is not reduced; `moves` are all that can happen.
    pub(super) fn explain(&mut self, look: &Look<'_>, moves: &[Move], account: &mut WhyNot) {
        let Ample {
            rules,
            unnumbered,
            few,
            many,
            ..
        } = self;
        let rules = rules_for(rules, unnumbered, look);
        match look.processes() <= WORD {
            true => few.explain(rules, look, moves, account),
            false => many.explain(rules, look, moves, account),
        }
    }
}

/// The rules for a state.
#[inline]
fn rules_for<'a>(
    rules: &'a Rules,
    unnumbered: &'a Option<Box<Unnumbered>>,
    look: &Look<'_>,
) -> &'a Rules {
    match unnumbered {
        Some(other) if other.hidden.holds(look) => &other.rules,
        _ => rules,
    }
}

impl Rules {
    fn new(
        program: &Program,
        facts: Facts,
        visible: Visible,
        mutual: Option<Mutual>,
        cancellation: &Cancellation,
    ) -> Option<Rules> {
        let sorted = program.sends.iter().any(|s| s.sorted);
        let traced = Traced::new(program);
        let (facts, mutual) = (Arc::new(facts), mutual.map(Arc::new));
        let watched = !traced.is_empty();
        let interference =
            Interference::new(program, &facts, mutual.as_ref(), watched, cancellation)?;
        let mut visible_places = Bits::default();
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            for (edge, step) in proctype.graph.edges.iter().enumerate() {
                if visible.is_visible(id, EdgeId(edge as u32)) {
                    visible_places.insert(facts.place(id, step.from).0 as usize);
                }
            }
        }
        Some(Rules {
            facts,
            visible,
            visible_places,
            words: interference.words(),
            interference: Arc::new(interference),
            mutual,
            sorted,
            traced,
            steps: None,
        })
    }

    /// Whether some process may still ask who moved last: then every order of steps can be told from every other. Where nobody
    /// can, states that differ in that alone do the same.
    #[inline]
    fn remembers_last(&self, look: &Look<'_>) -> bool {
        let facts = &*self.facts;
        let asks = |(id, loc)| {
            let future = facts.future_of(facts.place(id, loc));
            facts.future(future).specials.last && !is_active(Fault::LastIgnored)
        };
        facts.asks_last && look.places().any(asks)
    }

    /// Whether a glance shows that there is no ample set: the futures of all that can move interfere with each of them, so that
    /// every closure has all the moves. When this is false nothing is known.
    fn is_hopeless(&self, look: &Look<'_>, moves: &[Move]) -> bool {
        if self.steps.is_some() {
            return false;
        }
        if let Some(words) = self.words.as_deref() {
            let word = |place: PlaceId| words[place.0 as usize];
            return self.is_hopeless_within(look, moves, word, |future| 1 << future);
        }
        let count = self.interference.words_per_place();
        count > 0
            && (0..count).all(|index| {
                let word = |place| self.interference.word(place, index);
                self.is_hopeless_within(look, moves, word, |future| {
                    u64::from(future / WORD == index) << (future % WORD)
                })
            })
    }

    /// The same for the futures of a word, which each place has; `bit` is that of a future there, if it has one.
    #[inline]
    fn is_hopeless_within(
        &self,
        look: &Look<'_>,
        moves: &[Move],
        word: impl Fn(PlaceId) -> u64,
        bit: impl Fn(usize) -> u64,
    ) -> bool {
        let facts = &*self.facts;
        let mut futures = 0u64;
        let mut common = u64::MAX;
        for mv in moves {
            let (proctype, loc) = look.process(mv.pid);
            let place = facts.place(proctype, loc);
            futures |= bit(facts.future_of(place).0 as usize);
            common &= word(place);
        }
        futures & !common == 0
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
            let mut later = future.chans.iter();
            return later.any(|theirs| !used.arrives || theirs.asks);
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
                match used.arrives {
                    true => same && fill.capacity == 0 && depends(),
                    false => same && (meets || depends()),
                }
            })
        })
    }
}

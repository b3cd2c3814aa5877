//! Fair accepting cycles: one depth-first search that finds the strongly connected components (Tarjan), and a look into
//! each that has an accepting state.
//!
//! Fairness is a condition on the whole cycle, so it is decided where all cycles are at hand, instead of being built into
//! the states: nothing is copied, whatever the number of processes. The moves within a component are listed once more when
//! it is complete, and only then it is asked who could move. See [`component`] for what is fair.
//!
//! A component may be complete only after millions of states, while its first few hold a fair cycle. So now and then what is
//! known of components that are not complete is looked into: a fair cycle of a part of the graph is one of the graph. Such
//! a look is taken when the search has entered [`PATIENCE`] times as many states as the last one had to list, so that all of
//! them together list few of the states that the search enters.
//!
//! Such a cycle closes early only if the search lets everyone move by turns. So the steps of a state at depth *d* are taken
//! from the *d*th on, and then round: as the steps of a state stand in the order of the processes, that is nearly round robin.
//! In a fixed order the search would first exhaust all that the last process can do, then the last two, and so on.
//!
//! Under condition F the search may be reduced: [`choice`] decides beforehand which moves of each state of the program are
//! made, whatever the automaton does.

mod choice;
mod component;

pub use choice::AmpleChoice;
pub(super) use choice::make as make_choice;

use super::expand::{Begun, Expander, Extent, Tail};
use super::note::component::{MOST, Note};
use super::step_label::{Expanded, Link};
use super::{Outcome, Settings};
use crate::checkpoint::{In, Persist, persist};
use crate::fairness::NumberSet;
use crate::limits::Monitor;
use crate::space::{Fair, Transition};
use crate::store::{ExactStore, Insert, StateId};
use component::{Arc, Component, Leg, Node};

/// See the head of this file.
const PATIENCE: u32 = 8;

/// The states that are entered before the first look into what is not complete.
const FIRST_LOOK: u32 = 1 << 6;

/// A state on the path.
struct Frame {
    id: StateId,
    number: u32,
    /// The lowest number of an unfinished component that can be reached.
    low: u32,
    base: usize,
    next: usize,
    /// Where its component begins on the stack of members.
    members: usize,
}

/// A state of a component that is not complete.
struct ComponentMember {
    id: StateId,
    number: u32,
    accepting: bool,
}

persist!(struct Frame { id, number, low, base, next, members });
persist!(struct ComponentMember { id, number, accepting });

struct Search<'a, P: Fair> {
    expander: Expander<'a, P>,
    path: Vec<Frame>,
    successors: Vec<StateId>,
    members: Vec<ComponentMember>,
    entered: u32,
    /// When that many states have been entered, what is not complete is looked into.
    next_look: u32,
}

pub(super) fn search<P: Fair>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let rest = |input: &mut In| {
        let path = <(Vec<Frame>, Vec<StateId>)>::load(input)?;
        let members = Vec::load(input)?;
        Ok((path, members, <(u32, u32)>::load(input)?))
    };
    let (expander, begun) = Expander::begin(space, settings, monitor, Tail::Note(0), rest);
    // Where all errors are wanted, each component is looked into once, when it is complete.
    let next_look = match settings.all_errors {
        true => u32::MAX,
        false => FIRST_LOOK,
    };
    let mut search = Search {
        expander,
        path: Vec::new(),
        successors: Vec::new(),
        members: Vec::new(),
        entered: 0,
        next_look,
    };
    match begun {
        Begun::First(first) => first.into_iter().for_each(|first| search.enter(first)),
        Begun::Resumed((path, members, counts)) => {
            (search.path, search.successors) = path;
            search.members = members;
            (search.entered, search.next_look) = counts;
        }
    }
    search.run();
    let bytes = search.bytes();
    let Search { expander, .. } = search;
    expander.ledger.close(&expander.store, bytes)
}

impl<P: Fair> Search<'_, P> {
    fn bytes(&self) -> u64 {
        let frames = self.path.capacity() * size_of::<Frame>();
        let ids = self.successors.capacity() * size_of::<StateId>();
        let members = self.members.capacity() * size_of::<ComponentMember>();
        (frames + ids + members) as u64 + self.expander.bytes()
    }

    fn run(&mut self) {
        while let Some(top) = self.path.last_mut() {
            if self.expander.ledger.stopped() {
                return;
            }
            if top.next == self.successors.len() {
                self.leave();
                continue;
            }
            let to = self.successors[top.next];
            top.next += 1;
            match Note::of(&self.expander.store, to) {
                Note::Unknown => self.enter(to),
                Note::Entered(number) => top.low = top.low.min(number),
                Note::Left | Note::LookedAt(_) => {}
            }
        }
    }

    fn enter(&mut self, id: StateId) {
        let depth = self.path.len() as u64;
        if depth > self.expander.ledger.settings.limits.depth || self.entered == MOST {
            self.expander.ledger.cut();
            Note::Left.put(&mut self.expander.store, id);
            return;
        }
        self.entered += 1;
        let number = self.entered;
        Note::Entered(number).put(&mut self.expander.store, id);
        self.expander.ledger.stats.depth = self.expander.ledger.stats.depth.max(depth);
        let Search { expander, path, .. } = self;
        let lineage = |_: &ExactStore| path.iter().map(|f| f.id).chain([id]).collect::<Vec<_>>();
        expander.expand(id, &lineage, Extent::Planned, true);
        let accepting = expander.is_accepting();
        let base = self.successors.len();
        self.successors.extend(targets(expander.answers()));
        let new = &mut self.successors[base..];
        if !new.is_empty() {
            new.rotate_left(depth as usize % new.len());
        }
        self.path.push(Frame {
            id,
            number,
            low: number,
            base,
            next: base,
            members: self.members.len(),
        });
        self.members.push(ComponentMember {
            id,
            number,
            accepting,
        });
        if self.entered == self.next_look {
            self.look_early();
        }
        if self.expander.ledger.due() {
            let bytes = self.bytes();
            let Expander { ledger, store, .. } = &mut self.expander;
            ledger.tick(store, bytes, depth);
            let Search {
                expander,
                path,
                successors,
                members,
                entered,
                next_look,
            } = self;
            if expander.ledger.is_pausing() {
                expander.checkpoint(|out| {
                    path.save(out)?;
                    successors.save(out)?;
                    members.save(out)?;
                    (*entered, *next_look).save(out)
                });
            }
        }
    }

    /// All successors of the topmost state have been visited.
    fn leave(&mut self) {
        let Some(top) = self.path.pop() else { return };
        let goes_round = self.successors[top.base..].contains(&top.id);
        self.successors.truncate(top.base);
        if top.low < top.number {
            if let Some(above) = self.path.last_mut() {
                above.low = above.low.min(top.low);
            }
            return;
        }
        let component = self.members.split_off(top.members);
        let has_cycle = component.len() > 1 || goes_round;
        if has_cycle && component.iter().any(|m| m.accepting) {
            self.look_into(&component, self.path.len());
        }
        for member in &component {
            Note::Left.put(&mut self.expander.store, member.id);
        }
    }

    /// Looks for a fair cycle in what is known of the components that are not complete.
    ///
    /// The path says which states are known to be in one component: from a state of the path on up to the next one below
    /// which nothing leads back, the states that have been entered and not left can all be reached from each other.
    fn look_early(&mut self) {
        let members = std::mem::take(&mut self.members);
        let (mut end, mut low) = (members.len(), u32::MAX);
        let mut listed = 0;
        for index in (0..self.path.len()).rev() {
            let Frame {
                number,
                low: own,
                members: start,
                ..
            } = self.path[index];
            low = low.min(own);
            if low < number {
                continue;
            }
            let known = &members[start..end];
            if known.len() > 1 && known.iter().any(|m| m.accepting) {
                self.look_into(known, index);
                listed += known.len() as u32;
                for member in known {
                    Note::Entered(member.number).put(&mut self.expander.store, member.id);
                }
                if self.expander.ledger.stopped() {
                    break;
                }
            }
            (end, low) = (start, u32::MAX);
        }
        let wait = listed.saturating_mul(PATIENCE).max(self.entered / 2);
        self.next_look = self.entered.saturating_add(wait.max(FIRST_LOOK));
        self.members = members;
    }

    /// Looks for a fair cycle among states of one component. The path comes to the first of them after `depth` steps.
    fn look_into(&mut self, members: &[ComponentMember], depth: usize) {
        for (place, member) in (0..).zip(members) {
            Note::LookedAt(place).put(&mut self.expander.store, member.id);
        }
        let component = &mut Component::default();
        self.expander.keep_step_labels(true);
        for member in members {
            self.list(component, member);
        }
        self.expander.keep_step_labels(false);
        let space = self.expander.expanded().space;
        let Some(cycle) = component.fair_cycle(|actions, all| space.satisfied(actions, all)) else {
            return;
        };
        let first = cycle.first().map_or(0, |leg| leg.from);
        let way = component.path(0, first).unwrap_or_default();
        let above = self.path[..depth].iter().map(|f| f.id);
        let to_component: Vec<StateId> = above.chain([members[0].id]).collect();
        let pairs = to_component.windows(2);
        let mut prefix: Vec<Link<P::Move>> = pairs.map(|p| (p[0], p[1], None)).collect();
        self.expander.keep_step_labels(true);
        prefix.extend(way.iter().map(|leg| self.link(members, leg)));
        let cycle: Vec<_> = cycle.iter().map(|leg| self.link(members, leg)).collect();
        self.expander.keep_step_labels(false);
        self.expander.cycle_by(&prefix, &cycle);
    }

    /// Adds a member, with its steps within the component.
    fn list(&mut self, component: &mut Component, member: &ComponentMember) {
        let nowhere = |_: &ExactStore| Vec::new();
        self.expander
            .expand(member.id, &nowhere, Extent::Planned, false);
        let Expanded {
            space,
            store,
            state,
            enabled,
            answers,
            step_labels,
        } = self.expander.expanded();
        let (mut set, mut movers) = (NumberSet::default(), NumberSet::default());
        let mut arcs = Vec::new();
        for (answer, label) in answers.iter().zip(step_labels) {
            if let Some(to) = place(store, answer) {
                set.clear();
                space.actions(state, label.first, &label.movers, &mut set);
                let actions = component.sets.number(&set);
                arcs.push(Arc { to, actions });
            }
        }
        set.clear();
        for &mv in enabled {
            movers.clear();
            mv.add_movers(&mut movers);
            space.actions(state, mv, &movers, &mut set);
        }
        let shown = space.shows_enabledness(state);
        let constraints = space.constraints(state, &set);
        let node = Node {
            accepting: member.accepting,
            enabled: shown.then(|| component.sets.number(&set)),
            weak: component.sets.number(&constraints.weak),
            strong: component.sets.number(&constraints.strong),
        };
        component.push(node, arcs.into_iter());
    }

    /// A step of a cycle, to be made as it was found.
    fn link(&mut self, members: &[ComponentMember], leg: &Leg) -> Link<P::Move> {
        let nowhere = |_: &ExactStore| Vec::new();
        let from = members[leg.from as usize].id;
        self.expander.expand(from, &nowhere, Extent::Planned, false);
        let here = self.expander.expanded();
        let made = here.answers.iter().zip(here.step_labels);
        let mut within = made.filter(|(answer, _)| place(here.store, answer).is_some());
        let label = within.nth(leg.arc as usize).map(|(_, label)| label.clone());
        (from, members[leg.to as usize].id, label)
    }
}

/// The place in a component of what a step led to.
fn place(store: &ExactStore, answer: &Insert) -> Option<u32> {
    match Note::of(store, target(answer)?) {
        Note::LookedAt(place) => Some(place),
        Note::Unknown | Note::Entered(_) | Note::Left => None,
    }
}

fn target(answer: &Insert) -> Option<StateId> {
    match answer {
        Insert::New(to) | Insert::Seen(to) => Some(*to),
        Insert::Full => None,
    }
}

fn targets(answers: &[Insert]) -> impl Iterator<Item = StateId> {
    answers.iter().filter_map(target)
}

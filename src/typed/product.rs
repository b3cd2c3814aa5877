//! The product of a system and the automaton of the runs that violate a formula.
//!
//! The automaton reads every state: a node (q, x) says that the system is in x and the automaton, which has read all states
//! before x, in q. A move of the node reads x and goes on to a successor of x; a run that ends goes on by repeating its last
//! state. Hence the infinite paths from the root are the runs of the system paired with runs of the automaton on their words,
//! and a reachable cycle through an accepting node is a violating run.
//!
//! A node that cannot be reached from an accepting cycle of the automaton is transient, and components of the product are no
//! larger than those of the automaton: so it is weak if that is.
//!
//! This product is for any formula and is never reduced; see `changes` for the one that is.

use super::TransitionSystem;
use super::formula::Property;
use super::space::{Move, Shared, UNFAITHFUL, violation};
use super::successors::Successors;
use crate::checkpoint::persist;
use crate::fairness::NumberSet;
use crate::machine::{Fault, Pid, Step};
use crate::space::{Accepting, AmpleSets, Failure, MoveInfo, Parallel, Space, Transition};
use ltl::StateId;

/// Stands for the state of the automaton in the root; automata are smaller (see [`ltl::translate::MAX_STATES`]).
const ROOT: u16 = u16::MAX;

const _: () = assert!(ltl::translate::MAX_STATES < ROOT as usize);

/// A step of the product.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct ProductMove {
    /// What the system does.
    pub(super) step: Move,
    /// Where the automaton goes: by its number, or that of the choice.
    pub(super) target: u16,
}

persist!(struct ProductMove { step, target });

impl Transition for ProductMove {
    fn add_movers(self, into: &mut NumberSet) {
        self.step.add_movers(into);
    }
}

/// The product as a space to search.
pub(super) struct Product<'c, S: TransitionSystem> {
    initial: &'c [Vec<u8>],
    property: &'c Property<'c, S::State>,
    successors: Successors<'c, S>,
    targets: Vec<u16>,
}

impl<'c, S: TransitionSystem> Product<'c, S> {
    pub(super) fn new(
        shared: Shared<'c, S>,
        property: &'c Property<'c, S::State>,
    ) -> Product<'c, S> {
        Product {
            initial: shared.initial,
            property,
            successors: Successors::new(shared),
            targets: Vec::new(),
        }
    }
}

/// The state of the automaton, and the bytes of the state of the system.
fn split(node: &[u8]) -> (u16, &[u8]) {
    match node {
        [a, b, state @ ..] => (u16::from_le_bytes([*a, *b]), state),
        _ => (ROOT, &[]),
    }
}

impl<S: TransitionSystem> Space for Product<'_, S> {
    type Move = ProductMove;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.extend_from_slice(&ROOT.to_le_bytes());
        Ok(())
    }

    fn moves(
        &mut self,
        node: &[u8],
        _: Option<Pid>,
        out: &mut Vec<ProductMove>,
    ) -> Result<MoveInfo, (ProductMove, Fault)> {
        let Product {
            initial,
            property,
            successors,
            targets,
        } = self;
        let (from, state) = split(node);
        if from == ROOT {
            for &StateId(target) in property.automaton.initial() {
                let target = target as u16;
                out.extend((0..initial.len() as u32).map(|index| ProductMove {
                    step: Move::Start(index),
                    target,
                }));
            }
            return Ok(MoveInfo::default());
        }
        targets.clear();
        let listed = successors.list(
            state,
            |state| {
                let letter = property.letter(state);
                let next = property
                    .automaton
                    .successors(StateId(u32::from(from)), letter);
                targets.extend(next.map(|target| target.0 as u16));
                targets.sort_unstable();
                targets.dedup();
                // A run that the automaton does not follow is of no interest.
                (!targets.is_empty()).then_some(())
            },
            |_, _| (),
        );
        if listed.is_none() {
            return Ok(MoveInfo::default());
        }
        for &target in targets.iter() {
            let before = out.len();
            out.extend(successors.actions().map(|action| ProductMove {
                step: Move::Action(action),
                target,
            }));
            if out.len() == before {
                out.push(ProductMove {
                    step: Move::Stay,
                    target,
                });
            }
        }
        Ok(MoveInfo::default())
    }

    fn apply(
        &mut self,
        node: &[u8],
        mv: ProductMove,
        _: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let (_, state) = split(node);
        let after = match mv.step {
            Move::Start(index) => self.initial.get(index as usize).map(Vec::as_slice),
            Move::Action(action) => self.successors.after(state, action).map(|(next, _)| next),
            Move::Stay => Some(state),
            Move::Violated(_) => None,
        };
        let after = after.ok_or_else(|| violation(UNFAITHFUL))?;
        next.clear();
        next.extend_from_slice(&mv.target.to_le_bytes());
        next.extend_from_slice(after);
        Ok(Step { control: None })
    }

    fn settle(&mut self, _: &mut Vec<u8>) -> Result<bool, Fault> {
        Ok(true)
    }

    fn stored_len(&self, node: &[u8]) -> usize {
        node.len()
    }

    fn stuck_at(&self, _: &[u8]) -> Option<Vec<u32>> {
        None
    }
}

impl<S: TransitionSystem> AmpleSets for Product<'_, S> {
    fn reduces(&self) -> bool {
        false
    }

    fn ample(&mut self, _: &[u8], _: &mut Vec<Self::Move>, _: usize) -> Option<usize> {
        None
    }

    fn ample_with(&mut self, _: &[u8], _: &[Self::Move], _: Pid) -> Option<usize> {
        None
    }

    fn planned(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn refused(&mut self, _: &[u8], _: &[Self::Move]) {}

    /// Nothing that matters to a search.
    fn findings(&self) -> Vec<u64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u64]) {}
}

impl<S: TransitionSystem> Parallel for Product<'_, S> {
    fn take_over(&mut self, _: Self) {}
}

impl<S: TransitionSystem> Accepting for Product<'_, S> {
    fn is_accepting(&mut self, node: &[u8]) -> bool {
        let (at, _) = split(node);
        at != ROOT && self.property.automaton.is_accepting(StateId(u32::from(at)))
    }

    fn is_weak(&self) -> bool {
        self.property.weak
    }

    fn is_transient(&self, node: &[u8]) -> bool {
        let (at, _) = split(node);
        at == ROOT || self.property.transient[usize::from(at)]
    }
}

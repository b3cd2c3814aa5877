//! The product for reduced searches: the automaton moves only when a condition changes.
//!
//! Reducing the product in which the automaton reads every state is not sound, for which actions are left out would depend on
//! its guesses. Here it runs on the word of a run without its repetitions, which is the same to a formula that does not see
//! them; an action that changes no condition leaves the automaton where it is, in any state. This is the product of
//! [`crate::space`], and its [letters](crate::space::letters); see there. A node is the state of the automaton, which has
//! read the letter of the system's state, a mode, and the state of the system.

use super::TransitionSystem;
use super::formula::Property;
use super::product::ProductMove;
use super::space::{Move, Shared, UNFAITHFUL, violation};
use super::successors::Successors;
use crate::machine::{Fault, Pid, Step};
use crate::space::letters::{Choice, Letters};
use crate::space::{Accepting, AmpleSets, Failure, MoveInfo, Parallel, Space};
use ltl::StateId;

/// Stands for the state of the automaton in the root.
const ROOT: u16 = u16::MAX;

// A state is added for automata with several initial ones.
const _: () = assert!(ltl::translate::MAX_STATES + 1 < ROOT as usize);

/// Stands for the choice of the automaton where it does not move.
const SAME: u16 = u16::MAX;

/// It moves when the letter changes.
const MOVING: u8 = 0;
/// The same, and it has just come to an accepting state.
const MARKED: u8 = 1;
/// It has promised that the letter does not change any more, and accepts that.
const STAYING: u8 = 2;
/// It is in an accepting state that it need not leave while the letter stays.
const RESTING: u8 = 3;

/// Where the automaton is.
#[derive(Copy, Clone)]
struct Head {
    state: u16,
    mode: u8,
}

/// What a node consists of.
fn split(node: &[u8]) -> (Head, &[u8]) {
    match node {
        &[a, b, mode, ref state @ ..] => {
            let at = u16::from_le_bytes([a, b]);
            (Head { state: at, mode }, state)
        }
        _ => {
            let root = Head {
                state: ROOT,
                mode: MOVING,
            };
            (root, &[])
        }
    }
}

/// The product as a space to search.
pub(super) struct Changes<'c, S: TransitionSystem> {
    initial: &'c [Vec<u8>],
    property: &'c Property<'c, S::State>,
    letters: Letters,
    transient: Vec<bool>,
    weak: bool,
    successors: Successors<'c, S>,
}

impl<'c, S: TransitionSystem> Changes<'c, S> {
    /// The property must be stutter-invariant, and its letters have the same numbers everywhere
    /// ([`Letters::are_universal`]).
    pub(super) fn new(
        shared: Shared<'c, S>,
        property: &'c Property<'c, S::State>,
    ) -> Changes<'c, S> {
        let letters = Letters::new(property.automaton.clone());
        Changes {
            initial: shared.initial,
            property,
            transient: letters.automaton().before_accepting(),
            weak: letters.automaton().is_weak() && letters.always_rests(),
            letters,
            successors: Successors::new(shared).with_letters(property),
        }
    }

    fn start(&self) -> StateId {
        let starts = self.letters.automaton().initial();
        starts.first().copied().unwrap_or(StateId(0))
    }

    /// The letter of an initial state.
    fn first_letter(&self, index: u32) -> Option<u64> {
        let state = self.initial.get(index as usize)?;
        let property = self.property;
        self.successors.look(state, |state| property.letter(state))
    }

    /// The ways of the automaton to go on from a state with another letter.
    fn choices(&mut self, from: StateId, letter: u64) -> &[Choice] {
        match self.letters.number(letter) {
            Some(letter) => self.letters.enter(from, letter),
            None => &[],
        }
    }

    fn chosen(&mut self, from: StateId, letter: u64, choice: u16) -> Option<Head> {
        let choice = *self.choices(from, letter).get(usize::from(choice))?;
        Some(match choice {
            Choice::Moves(state) => Head {
                state: state.0 as u16,
                mode: match self.letters.automaton().is_accepting(state) {
                    true => MARKED,
                    false => MOVING,
                },
            },
            Choice::Rests(state) => Head {
                state: state.0 as u16,
                mode: RESTING,
            },
            Choice::Stays => Head {
                state: 0,
                mode: STAYING,
            },
        })
    }

    /// Where a move leads.
    fn target(&mut self, node: &[u8], mv: ProductMove, next: &mut Vec<u8>) -> Option<Head> {
        let (from, state) = split(node);
        let letter = match mv.step {
            Move::Start(index) => {
                let bytes = self.initial.get(index as usize)?;
                next.extend_from_slice(bytes);
                self.first_letter(index)?
            }
            Move::Action(action) => {
                let (bytes, letter) = self.successors.after(state, action)?;
                next.extend_from_slice(bytes);
                letter
            }
            Move::Stay => {
                next.extend_from_slice(state);
                return Some(from);
            }
            Move::Violated(_) => return None,
        };
        if mv.target == SAME {
            let mode = match from.mode {
                MARKED => MOVING,
                mode => mode,
            };
            return Some(Head { mode, ..from });
        }
        let at = match from.state {
            ROOT => self.start(),
            state => StateId(u32::from(state)),
        };
        self.chosen(at, letter, mv.target)
    }
}

impl<S: TransitionSystem> Space for Changes<'_, S> {
    type Move = ProductMove;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        out.clear();
        out.extend_from_slice(&ROOT.to_le_bytes());
        out.push(MOVING);
        Ok(())
    }

    fn moves(
        &mut self,
        node: &[u8],
        _: Option<Pid>,
        out: &mut Vec<ProductMove>,
    ) -> Result<MoveInfo, (ProductMove, Fault)> {
        let (from, state) = split(node);
        if from.state == ROOT {
            let start = self.start();
            for index in 0..self.initial.len() as u32 {
                let Some(letter) = self.first_letter(index) else {
                    continue;
                };
                let choices = self.choices(start, letter).len() as u16;
                out.extend((0..choices).map(|target| ProductMove {
                    step: Move::Start(index),
                    target,
                }));
            }
            return Ok(MoveInfo::default());
        }
        let property = self.property;
        let letter = |state: &S::State| Some(property.letter(state));
        let Some(here) = self.successors.list(state, letter, |_, _| ()) else {
            return Ok(MoveInfo::default());
        };
        let after: Vec<(u32, u64)> = self.successors.letters().collect();
        for &(action, letter) in &after {
            let choices = match letter == here {
                true => SAME..=SAME,
                false if from.mode == STAYING => continue,
                false => {
                    let at = StateId(u32::from(from.state));
                    match self.choices(at, letter).len() as u16 {
                        0 => continue,
                        count => 0..=count - 1,
                    }
                }
            };
            out.extend(choices.map(|target| ProductMove {
                step: Move::Action(action),
                target,
            }));
        }
        if after.is_empty() && matches!(from.mode, STAYING | RESTING) {
            out.push(ProductMove {
                step: Move::Stay,
                target: SAME,
            });
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
        next.clear();
        next.extend_from_slice(&[0; 3]);
        let head = self.target(node, mv, next);
        let Head { state, mode } = head.ok_or_else(|| violation(UNFAITHFUL))?;
        next[..2].copy_from_slice(&state.to_le_bytes());
        next[2] = mode;
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

impl<S: TransitionSystem> AmpleSets for Changes<'_, S> {
    fn reduces(&self) -> bool {
        self.successors.reduces()
    }

    fn ample(&mut self, node: &[u8], moves: &mut Vec<ProductMove>, index: usize) -> Option<usize> {
        let (head, state) = split(node);
        if head.state == ROOT {
            return None;
        }
        let count = self.successors.ample(state, moves, |mv| mv.step, index)?;
        // That none of them changes a condition has been declared.
        let unchanged = count > 0 && moves[..count].iter().all(|mv| mv.target == SAME);
        if !unchanged {
            self.successors.deny(state, index);
            return None;
        }
        Some(count)
    }

    fn ample_with(&mut self, _: &[u8], _: &[ProductMove], _: Pid) -> Option<usize> {
        None
    }

    fn planned(&mut self, _: &[u8]) -> Option<u32> {
        None
    }

    fn refused(&mut self, _: &[u8], _: &[ProductMove]) {}

    /// Nothing that matters to a search.
    fn findings(&self) -> Vec<u64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u64]) {}
}

impl<S: TransitionSystem> Parallel for Changes<'_, S> {
    fn take_over(&mut self, _: Self) {}
}

impl<S: TransitionSystem> Accepting for Changes<'_, S> {
    fn is_accepting(&mut self, node: &[u8]) -> bool {
        let (Head { state, mode }, _) = split(node);
        state != ROOT && matches!(mode, MARKED | STAYING | RESTING)
    }

    fn is_weak(&self) -> bool {
        self.weak
    }

    fn is_transient(&self, node: &[u8]) -> bool {
        let (Head { state, mode }, _) = split(node);
        state == ROOT || mode != STAYING && self.transient[usize::from(state)]
    }
}

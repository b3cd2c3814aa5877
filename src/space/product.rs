//! The product of a program and an automaton: runs of the program that the automaton accepts are violations.
//!
//! There are two products with one interface. In the *classic* (synchronous) one the automaton reads the letter of every
//! state: it is for any property, and the reference in tests. The one that steps on *changes* is for stutter-invariant
//! properties: the automaton runs on the word without its repetitions, and moves only when the letter changes. A node is
//! (x, s, m), the automaton having read the letter of x and being in s:
//!
//! - *moving*: when the letter changes it makes a step; a node entered by a step into an accepting state is marked;
//! - *resting*: the same in an accepting state that the automaton need not leave while the letter stays: marked throughout;
//! - *staying*: it has promised that the letter never changes again, having checked that it accepts that; every node is
//!   marked, and a change of the letter ends the run;
//! - *choosing*: the letter has just changed, and there is more than one way to read it: the next step is the choice.
//!
//! An invisible step changes neither s nor m, in any state. So the product is itself a program, whose visible steps are
//! those of the program paired with choices of the automaton, and a reduction that is sound for the program's own runs is
//! sound for it: nothing depends on which choices the automaton makes between two changes.
//!
//! A run that ends is continued by repeating its last state (where the property minds such runs). States inside an `atomic`
//! sequence are not seen.

use super::fairness::ProgramFairness;
use super::letters::{Choice, LetterId, Letters};
use super::{Accepting, AmpleSets, Failure, Fair, MoveInfo, Parallel, Space, Transition};
use crate::checkpoint::persist;
use crate::fairness::{Constraints, Fairness, NumberSet};
use crate::limits::Cancellation;
use crate::machine::{Fault, FaultKind, Machine, Move, Pid, Step};
use crate::property::{Constant, Property, StateCondition};
use crate::reduce::{Ample, Visible};
use crate::search::AmpleChoice;
use ltl::StateId;
use promela_lite::program::Program;
use promela_lite::source::Span;
use std::sync::Arc;

/// Bytes in front of the machine's state: automaton state, mode, letter.
const HEAD: usize = 5;

/// How a node stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Mode {
    Moving,
    Marked,
    Staying,
    Choosing,
    Resting,
}

impl Mode {
    /// What a byte stands for, whatever flags are set in it.
    fn of(byte: u8) -> Mode {
        match byte & !(UNSETTLED | CHANGED) {
            0 => Mode::Moving,
            1 => Mode::Marked,
            2 => Mode::Staying,
            3 => Mode::Choosing,
            _ => Mode::Resting,
        }
    }
}

/// Set in the mode's byte while the automaton has not followed a step of the program yet.
const UNSETTLED: u8 = 0x80;
/// Set as well when the step may have changed the letter.
const CHANGED: u8 = 0x40;

/// What stands in front of the machine's state.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Head {
    state: StateId,
    mode: Mode,
    letter: LetterId,
}

impl Head {
    fn read(node: &[u8]) -> Head {
        let &[s0, s1, mode, l0, l1, ..] = node else {
            unreachable!("a node begins with its head")
        };
        Head {
            state: StateId(u32::from(u16::from_le_bytes([s0, s1]))),
            mode: Mode::of(mode),
            letter: LetterId(u16::from_le_bytes([l0, l1])),
        }
    }

    fn write(self, flags: u8, out: &mut [u8]) {
        out[..2].copy_from_slice(&(self.state.0 as u16).to_le_bytes());
        out[2] = self.mode as u8 | flags;
        out[3..5].copy_from_slice(&self.letter.0.to_le_bytes());
    }
}

/// A step of the product.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProductMove {
    /// What the program does; `None` when only the automaton moves, or the run has ended and repeats its last state.
    pub program: Option<Move>,
    /// Which of the automaton's choices is taken.
    choice: u16,
}

/// Which product.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stepping {
    /// The automaton reads every state.
    EveryState,
    /// The automaton reads changes of the letter.
    Changes,
}

/// The product as a space to search.
#[derive(Clone, Debug)]
pub struct Product {
    machine: Machine,
    letters: Letters,
    atoms: Vec<StateCondition>,
    stepping: Stepping,
    finite_runs: bool,
    weak: bool,
    /// Which states of the automaton cannot be reached from an accepting cycle.
    transient: Vec<bool>,
    visible: Visible,
    ample: Option<Ample>,
    fairness: ProgramFairness,
    choice: Option<AmpleChoice>,
    listed: Vec<Move>,
}

impl Product {
    /// The product of a program and what refutes a property; reduced for that property if so wanted, the automaton steps on
    /// changes, and it is sound.
    pub fn new(
        program: &Arc<Program>,
        property: &Property,
        stepping: Stepping,
        reduced: bool,
    ) -> Product {
        // Stepping on changes is sound only for stutter-invariant properties, and reducing only when
        // stepping on changes: what is asked for beyond that is not done.
        let stepping = match property.stutter_invariant {
            true => stepping,
            false => Stepping::EveryState,
        };
        let letters = Letters::new(property.automaton.clone());
        let weak = letters.automaton().is_weak();
        let product = Product {
            weak: weak && (stepping == Stepping::EveryState || letters.always_rests()),
            machine: Machine::behind(Arc::clone(program), HEAD),
            transient: letters.automaton().before_accepting(),
            letters,
            atoms: property.atoms.clone(),
            stepping,
            finite_runs: property.finite_runs,
            visible: property.visible(program),
            ample: None,
            fairness: ProgramFairness::default(),
            choice: None,
            listed: Vec::new(),
        };
        match reduced {
            true => product.reduce(property, &Cancellation::default()),
            false => product,
        }
    }

    /// The same, reduced for the property it was made for if that is sound, unless finding out how is given up.
    pub fn reduce(mut self, property: &Property, cancellation: &Cancellation) -> Product {
        if self.stepping == Stepping::Changes {
            let program = self.machine.program();
            self.ample = Ample::sound(program, || property.visible(program), cancellation);
        }
        self
    }

    /// The same, whose ample sets are found by way of stubborn sets.
    pub fn with_stubborn(mut self) -> Product {
        let program = self.machine.program();
        self.ample = self.ample.map(|ample| ample.with_stubborn(program));
        self
    }

    /// Atoms that the automaton looks at and that had the same value in every state visited.
    pub fn constant_atoms(&self) -> Vec<Constant> {
        let (ones, zeros) = self.letters.seen();
        let support = self.letters.automaton().support();
        (0..64u32)
            .filter(|bit| support & !(ones & zeros) & 1 << bit != 0)
            .map(|bit| (bit, ones >> bit & 1 == 1))
            .collect()
    }

    /// The same, where only fair runs count.
    pub fn with_fairness(mut self, fairness: &Fairness) -> Product {
        self.fairness = ProgramFairness::new(self.machine.program(), fairness);
        self
    }

    /// The same, whose steps can be given up.
    pub fn with_cancellation(mut self, cancellation: &Cancellation) -> Product {
        self.machine.set_cancellation(cancellation);
        self
    }

    /// Keeps account of states that are not reduced.
    pub fn with_account(mut self) -> Product {
        self.ample = self.ample.map(Ample::with_account);
        self
    }

    /// The same, with the moves of each state of the program decided beforehand, by these ample sets.
    pub fn with_ample_choice(mut self, choice: AmpleChoice, ample: Ample) -> Product {
        self.choice = Some(choice);
        self.ample = Some(ample);
        self
    }

    /// Whether several products with a property can search together: states look the same to all of them.
    pub fn is_shareable(property: &Property) -> bool {
        Letters::are_universal(&property.automaton)
    }

    /// The ample sets, if the search is reduced.
    pub fn ample(&self) -> Option<&Ample> {
        self.ample.as_ref()
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// How the automaton stands in a node, in words.
    pub fn standing(node: &[u8]) -> String {
        let head = Head::read(node);
        match head.mode {
            Mode::Moving | Mode::Marked => format!("automaton in {}", head.state.0),
            Mode::Resting => format!("automaton rests in {}", head.state.0),
            Mode::Staying => "automaton stays: no change any more".to_owned(),
            Mode::Choosing => format!("automaton chooses, from {}", head.state.0),
        }
    }

    fn letter(&mut self, state: &[u8]) -> Result<LetterId, Fault> {
        let mut value = 0u64;
        // An atom that the automaton does not look at makes no letter: else it would seem to change where it does not.
        let support = self.letters.automaton().support();
        for (index, atom) in self
            .atoms
            .iter()
            .enumerate()
            .filter(|(i, _)| support >> i & 1 == 1)
        {
            let (holds, _) = atom.read(&mut self.machine, state)?;
            value |= u64::from(holds) << index;
        }
        let full = Fault {
            kind: FaultKind::VectorTooLarge,
            span: Span::NONE,
        };
        self.letters.number(value).ok_or(full)
    }

    /// The head of the state that a step leads to. `None` when the automaton has no way to go there.
    fn head_after(&mut self, from: Head, state: &[u8]) -> Result<Option<Head>, Fault> {
        let letter = self.letter(state)?;
        if letter == from.letter {
            let mode = stutter(from.mode);
            return Ok(Some(Head { mode, ..from }));
        }
        if from.mode == Mode::Staying {
            return Ok(None);
        }
        Ok(match self.letters.enter(from.state, letter) {
            [] => None,
            &[only] => Some(self.head_of(only, letter)),
            _ => Some(Head {
                mode: Mode::Choosing,
                letter,
                ..from
            }),
        })
    }

    fn head_of(&self, choice: Choice, letter: LetterId) -> Head {
        match choice {
            Choice::Moves(state) => {
                let accepting = self.letters.automaton().is_accepting(state);
                Head {
                    state,
                    mode: if accepting {
                        Mode::Marked
                    } else {
                        Mode::Moving
                    },
                    letter,
                }
            }
            Choice::Rests(state) => Head {
                state,
                mode: Mode::Resting,
                letter,
            },
            Choice::Stays => Head {
                state: StateId(0),
                mode: Mode::Staying,
                letter,
            },
        }
    }

    /// Lists the moves of the program.
    fn program_moves(
        &mut self,
        state: &[u8],
        control: Option<Pid>,
    ) -> Result<MoveInfo, (Move, Fault)> {
        self.listed.clear();
        let info = self.machine.moves(state, control, &mut self.listed)?;
        Ok(info)
    }

    /// Whether the move that was applied last may have changed the letter.
    fn is_visible(&self, mv: Move) -> bool {
        let sees = |pid: Pid, edge| self.visible.is_visible(self.machine.mover(pid), edge);
        sees(mv.pid, mv.edge) || mv.partner.is_some_and(|(pid, edge)| sees(pid, edge))
    }

    /// Only the automaton moves, or the run has ended and repeats its last state.
    #[inline(never)]
    fn apply_choice(&mut self, node: &[u8], choice: u16, next: &mut Vec<u8>) {
        next.clear();
        next.extend_from_slice(node);
        let head = Head::read(node);
        let head = match (head.mode, self.stepping) {
            (Mode::Choosing, _) => {
                let choice = self.letters.enter(head.state, head.letter)[usize::from(choice)];
                self.head_of(choice, head.letter)
            }
            (_, Stepping::EveryState) => self.automaton_step(head, choice),
            (_, Stepping::Changes) => head,
        };
        head.write(0, next);
    }

    /// Completes a node whose letter may have changed; says whether the automaton can go there.
    #[inline(never)]
    fn settle_change(&mut self, node: &mut [u8]) -> Result<bool, Fault> {
        let head = Head::read(node);
        let head = match self.stepping {
            Stepping::EveryState => {
                let letter = self.letter(node)?;
                Some(Head { letter, ..head })
            }
            Stepping::Changes => self.head_after(head, node)?,
        };
        if let Some(head) = head {
            head.write(0, node);
        }
        Ok(head.is_some())
    }

    /// The automaton reads the letter of the state it leaves.
    fn automaton_step(&self, head: Head, choice: u16) -> Head {
        let letter = self.letters.value(head.letter);
        let mut successors = self.letters.automaton().successors(head.state, letter);
        let state = successors.nth(usize::from(choice)).unwrap_or(head.state);
        let accepting = self.letters.automaton().is_accepting(state);
        Head {
            state,
            mode: if accepting {
                Mode::Marked
            } else {
                Mode::Moving
            },
            letter: head.letter,
        }
    }
}

/// Marks the choice of a step inside an `atomic` sequence: the automaton does not move.
const NO_CHOICE: u16 = u16::MAX;

persist!(struct ProductMove { program, choice });

impl Transition for ProductMove {
    fn add_movers(self, into: &mut NumberSet) {
        self.program.iter().for_each(|&m| m.add_movers(into));
    }
}

impl Space for Product {
    type Move = ProductMove;

    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.machine.initial(out)?;
        let letter = self.letter(out)?;
        let start = self
            .letters
            .automaton()
            .initial()
            .first()
            .copied()
            .unwrap_or(StateId(0));
        // The automaton has read nothing yet. Stepping on every state, that is where a node stands anyway.
        let mode = if self.stepping == Stepping::Changes {
            Mode::Choosing
        } else {
            Mode::Moving
        };
        Head {
            state: start,
            mode,
            letter,
        }
        .write(0, out);
        Ok(())
    }

    fn moves(
        &mut self,
        node: &[u8],
        control: Option<Pid>,
        out: &mut Vec<ProductMove>,
    ) -> Result<MoveInfo, (ProductMove, Fault)> {
        let head = Head::read(node);
        if head.mode == Mode::Choosing {
            let choices = self.letters.enter(head.state, head.letter).len();
            out.extend((0..choices).map(|c| ProductMove {
                program: None,
                choice: c as u16,
            }));
            return Ok(MoveInfo::default());
        }
        let info = match self.program_moves(node, control) {
            Ok(info) => info,
            Err((mv, fault)) => {
                let failed = ProductMove {
                    program: Some(mv),
                    choice: NO_CHOICE,
                };
                let others = self.listed.iter().map(|&m| ProductMove {
                    program: Some(m),
                    choice: NO_CHOICE,
                });
                out.extend(others);
                return Err((failed, fault));
            }
        };
        let inside = control.is_some() && !info.control_lost;
        match self.stepping {
            Stepping::Changes => {
                out.extend(self.listed.iter().map(|&m| ProductMove {
                    program: Some(m),
                    choice: NO_CHOICE,
                }));
                let accepts = matches!(head.mode, Mode::Staying | Mode::Resting);
                if out.is_empty() && accepts && self.finite_runs {
                    out.push(ProductMove {
                        program: None,
                        choice: 0,
                    });
                }
            }
            Stepping::EveryState if inside => {
                out.extend(self.listed.iter().map(|&m| ProductMove {
                    program: Some(m),
                    choice: NO_CHOICE,
                }));
            }
            Stepping::EveryState => {
                let letter = self.letters.value(head.letter);
                let choices = self
                    .letters
                    .automaton()
                    .successors(head.state, letter)
                    .count() as u16;
                for choice in 0..choices {
                    out.extend(self.listed.iter().map(|&m| ProductMove {
                        program: Some(m),
                        choice,
                    }));
                    if self.listed.is_empty() && self.finite_runs {
                        out.push(ProductMove {
                            program: None,
                            choice,
                        });
                    }
                }
            }
        }
        Ok(info)
    }

    fn apply(
        &mut self,
        node: &[u8],
        mv: ProductMove,
        timeout: bool,
        next: &mut Vec<u8>,
    ) -> Result<Step, Failure> {
        let Some(program) = mv.program else {
            self.apply_choice(node, mv.choice, next);
            return Ok(Step { control: None });
        };
        let step = match self.machine.apply(node, program, timeout, next) {
            Ok(step) => step,
            // Assertions are checked by the search for safety violations: the run continues after one that fails.
            Err(fault) if fault.kind.leaves_successor() => self.machine.last_step(),
            Err(fault) => return Err(Failure { fault, step: None }),
        };
        let inside = step.control.is_some();
        let changed = inside || node[2] & CHANGED != 0 || self.is_visible(program);
        let flags = UNSETTLED | if changed { CHANGED } else { 0 };
        match mv.choice {
            // The head has gone along.
            NO_CHOICE => next[2] |= flags,
            choice => {
                let head = Head::read(node);
                self.automaton_step(head, choice).write(flags, next);
            }
        }
        Ok(step)
    }

    fn settle(&mut self, node: &mut Vec<u8>) -> Result<bool, Fault> {
        let flags = node[2] & (UNSETTLED | CHANGED);
        if flags == 0 {
            return Ok(true);
        }
        if flags & CHANGED != 0 {
            return self.settle_change(node);
        }
        let mode = Mode::of(node[2]);
        let mode = match self.stepping {
            Stepping::EveryState => mode,
            Stepping::Changes => stutter(mode),
        };
        node[2] = mode as u8;
        Ok(true)
    }

    fn stored_len(&self, node: &[u8]) -> usize {
        self.machine.stored_len(node)
    }

    fn stuck_at(&self, _: &[u8]) -> Option<Vec<u32>> {
        None
    }
}

impl AmpleSets for Product {
    fn reduces(&self) -> bool {
        self.ample.is_some()
    }

    fn ample(&mut self, node: &[u8], moves: &mut Vec<ProductMove>, index: usize) -> Option<usize> {
        let ample = self.ample.as_mut()?;
        self.listed.clear();
        self.listed.extend(moves.iter().filter_map(|m| m.program));
        // Where only the automaton moves there is nothing to choose from.
        if self.listed.len() < moves.len() {
            return None;
        }
        let count = ample.choose(&mut self.machine, node, &mut self.listed, index)?;
        for (mv, &program) in moves.iter_mut().zip(&self.listed) {
            mv.program = Some(program);
        }
        Some(count)
    }

    /// The ample set was chosen for the program alone.
    fn ample_with(&mut self, _: &[u8], _: &[ProductMove], _: Pid) -> Option<usize> {
        None
    }

    fn planned(&mut self, node: &[u8]) -> Option<u32> {
        let key = &node[HEAD..self.stored_len(node)];
        self.choice.as_mut()?.decision(key)
    }

    fn refused(&mut self, node: &[u8], moves: &[ProductMove]) {
        if let Some(ample) = &mut self.ample
            && ample.account().is_some()
        {
            self.listed.clear();
            self.listed.extend(moves.iter().filter_map(|m| m.program));
            ample.refused(&mut self.machine, node, &self.listed);
        }
    }

    fn findings(&self) -> Vec<u64> {
        self.letters.findings()
    }

    fn restore(&mut self, findings: &[u64]) {
        self.letters.restore(findings);
    }
}

impl Parallel for Product {
    fn take_over(&mut self, other: Product) {
        self.letters.take_over(&other.letters);
    }
}

/// After a step that does not change the letter.
fn stutter(mode: Mode) -> Mode {
    match mode {
        Mode::Staying | Mode::Resting => mode,
        _ => Mode::Moving,
    }
}

impl Fair for Product {
    fn shows_enabledness(&self, node: &[u8]) -> bool {
        Head::read(node).mode != Mode::Choosing
    }

    fn actions(
        &mut self,
        node: &[u8],
        first: ProductMove,
        movers: &NumberSet,
        into: &mut NumberSet,
    ) {
        if let Some(first) = first.program {
            let look = self.machine.look(node);
            self.fairness.actions(&look, first, movers, into);
        }
    }

    fn constraints(&mut self, node: &[u8], enabled: &NumberSet) -> Constraints {
        self.fairness.constraints(&self.machine.look(node), enabled)
    }

    fn satisfied(&self, actions: &NumberSet, constraints: &NumberSet) -> NumberSet {
        self.fairness.satisfied(actions, constraints)
    }
}

impl Accepting for Product {
    fn is_accepting(&mut self, node: &[u8]) -> bool {
        let mode = Head::read(node).mode;
        matches!(mode, Mode::Marked | Mode::Staying | Mode::Resting)
    }

    fn is_weak(&self) -> bool {
        self.weak
    }

    /// A node where the automaton has not come to a component with accepting cycles yet.
    fn is_transient(&self, node: &[u8]) -> bool {
        let head = Head::read(node);
        head.mode != Mode::Staying && self.transient[head.state.0 as usize]
    }
}

//! Passes that make a program cheaper to search without changing what can be found out about it.
//!
//! Three passes, each with a switch. [`mod@slice`] leaves out what influences nothing that is checked. [`merge`] lets a
//! process make steps that are not observed together with the step before them. [`dead`] sets variables that are not going to
//! be read again to zero, so that states which differ in nothing else become one. None adds or removes locations or edges: an
//! edge of the result has the identity of the edge it starts with, and [`crate::program::Edge::plain`] lists what it stands
//! for, so that a run of the result can be told as a run of the program as written.
//!
//! Slicing and zeroing dead variables keep every branching of the program and so suit any property; slicing has to know what
//! the property reads. Merging leaves out states; it suits properties that do not mind repeated states, like a partial-order
//! reduction.

mod cone;
mod dead;
mod merge;
mod operands;
mod places;
mod ranges;
mod relevant;
mod slice;

pub use cone::{Cone, Kept};

use crate::code::{Code, Instr, Region};
use crate::program::{ProctypeId, Program};

/// Which passes are made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Passes {
    /// Slicing.
    pub slice: bool,
    /// Statement merging.
    pub merge: bool,
    /// Dead-variable reset.
    pub dead_variables: bool,
}

impl Passes {
    /// The program as written.
    pub const NONE: Passes = Passes {
        slice: false,
        merge: false,
        dead_variables: false,
    };

    /// Every pass.
    pub const ALL: Passes = Passes {
        slice: true,
        merge: true,
        dead_variables: true,
    };

    /// Makes the passes for a property that reads these conditions, on all runs; says by name which of them found something
    /// to do.
    pub fn apply(self, program: &mut Program, conditions: &[Code]) -> Vec<&'static str> {
        let purpose = Purpose {
            conditions,
            ..Purpose::default()
        };
        self.apply_for(program, purpose)
    }

    /// The same for any purpose.
    pub fn apply_for(self, program: &mut Program, purpose: Purpose<'_>) -> Vec<&'static str> {
        let Purpose {
            conditions,
            fair,
            sabotage,
        } = purpose;
        let mut done = Vec::new();
        if self.slice && slice::slice(program, conditions, sabotage) {
            done.push("slice");
        }
        // Of a merged edge one cannot tell what it reads before it writes it.
        let live = self.dead_variables.then(|| dead::Liveness::of(program));
        if self.merge && merge::merge(program, conditions, fair) {
            done.push("merge");
        }
        if live.is_some_and(|live| live.reset(program)) {
            done.push("dead-variables");
        }
        done
    }
}

/// What a program is going to be searched for.
#[derive(Copy, Clone, Debug, Default)]
pub struct Purpose<'a> {
    /// The conditions that the property reads.
    pub conditions: &'a [Code],
    /// Whether only runs count that are fair to processes.
    pub fair: bool,
    /// A fault that is put in.
    #[doc(hidden)]
    pub sabotage: Option<Sabotage>,
}

/// A fault of a pass, to see that the tests notice it.
#[doc(hidden)]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Slicing: only what decides about control directly is kept.
    FlowsForgotten,
    /// Slicing: indices and divisors decide about nothing.
    FaultsForgotten,
    /// Slicing: fields that receives compare are taken for unread.
    MatchesForgotten,
    /// Slicing: messages that are sent in order are not ordered by all their fields.
    OrderForgotten,
}

/// Whether code touches nothing but the locals of its own process, and does nothing else either: no channel, no other
/// process, no output, no assertion.
pub fn is_local(program: &Program, code: Code) -> bool {
    program.instrs[code.range()]
        .iter()
        .all(|instr| match *instr {
            Instr::Load(cell) | Instr::Store(cell) => cell.region == Region::Local,
            Instr::LoadAt(region, _) | Instr::StoreAt(region, _) => region == Region::Local,
            Instr::Const(_)
            | Instr::Index { .. }
            | Instr::Unary(_)
            | Instr::Binary(..)
            | Instr::AndThen(_)
            | Instr::OrElse(_)
            | Instr::Jump(_)
            | Instr::JumpIfZero(_)
            | Instr::JumpBack(..)
            | Instr::SelfPid
            | Instr::Return => true,
            _ => false,
        })
}

/// Bytes of the frames of a proctype that others look into.
fn watched(program: &Program, id: ProctypeId) -> Vec<(u32, u32)> {
    let everything = (0, program.proctypes[id.index()].frame.size);
    let range = |instr: &Instr| match *instr {
        Instr::RemoteLoad {
            proctype,
            offset,
            ty,
            ..
        } if proctype == id => Some((offset, offset + ty.size())),
        Instr::RemoteLoadAt { proctype, .. } if proctype == id => Some(everything),
        _ => None,
    };
    program.instrs.iter().filter_map(range).collect()
}

/// Puts pieces of code one behind the other, at the end of the arena.
pub(crate) fn concatenate(instrs: &mut Vec<Instr>, pieces: &[Code]) -> Code {
    let start = instrs.len() as u32;
    for piece in pieces {
        let moved = instrs.len() as u32;
        let end = moved + (piece.end - piece.start);
        for at in piece.range() {
            let mut instr = instrs[at];
            if let Some(target) = instr.target_mut() {
                *target = *target - piece.start + moved;
            }
            if instr == Instr::Return {
                instr = Instr::Jump(end);
            }
            instrs.push(instr);
        }
    }
    Code {
        start,
        end: instrs.len() as u32,
    }
}

//! Conditions that have no value in some states: an index out of range, a division by zero, the length of a channel that
//! does not exist yet.
//!
//! Such a condition is two atoms of the property: its value, which is false where there is none, and whether it is
//! defined. Letters are then defined everywhere, and the automaton of violations says what an undefined condition means:
//!
//! - of a formula, a run violates it also if evaluating it from left to right meets an undefined condition
//!   ([`ltl::partial`]);
//! - a `never` claim fails in a state in which one of the options that it tries is undefined, and an automaton in a
//!   state in which the label of an edge depends on an undefined proposition.
//!
//! A condition that is not evaluated is therefore no error, and the letter, the reduction and the search need not know of
//! any of this. [`may_be_undefined`] must answer yes for every code whose evaluation can fail: a condition held for
//! total whose evaluation fails is reported as an error of the model in whatever state it fails.

use promela_lite::code::{BinOp, Cell, Code, Instr, Region, Scalar};
use promela_lite::program::{Access, Place, Program};

/// Whether evaluating the condition fails in some state, as far as can be told from its code.
pub(super) fn may_be_undefined(program: &Program, code: Code) -> bool {
    let instrs = &program.instrs[code.range()];
    let is_target = |at: usize| {
        let at = code.start + at as u32;
        instrs.iter().any(|i| i.target() == Some(at))
    };
    instrs.iter().enumerate().any(|(at, instr)| {
        // The operand on top, where one instruction and no other makes it.
        let operand = match at.checked_sub(1) {
            Some(before) if !is_target(at) => Some(&instrs[before]),
            _ => None,
        };
        match (instr, operand) {
            (Instr::Index { len, .. }, Some(operand)) => !is_below(operand, *len),
            (Instr::Binary(BinOp::Div | BinOp::Rem, _), Some(Instr::Const(by))) => *by == 0,
            (Instr::Binary(BinOp::Shl | BinOp::Shr, _), Some(Instr::Const(by))) => {
                !(0..32).contains(by)
            }
            (Instr::Binary(op, _), _) => {
                matches!(op, BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr)
            }
            (Instr::Query(..), Some(Instr::Load(cell))) => !always_a_channel(program, *cell),
            // Some process of that type, or none, which reads as 0.
            (Instr::RemoteLoad { .. }, Some(Instr::PidOf(_))) => false,
            (
                Instr::Index { .. }
                | Instr::Query(..)
                | Instr::Poll(_)
                | Instr::RemoteLoad { .. }
                | Instr::RemoteLoadAt { .. }
                | Instr::Enabled,
                _,
            ) => true,
            _ => false,
        }
    })
}

/// Whether an operand is an index of an array of that length.
fn is_below(operand: &Instr, len: u32) -> bool {
    match operand {
        Instr::Const(index) => u32::try_from(*index).is_ok_and(|i| i < len),
        Instr::Load(cell) => match cell.ty {
            Scalar::Bit => len >= 2,
            Scalar::Byte | Scalar::Pid | Scalar::Mtype => len >= 256,
            Scalar::Unsigned(bits) => bits < 32 && len >= 1 << bits,
            Scalar::Short | Scalar::Int | Scalar::Chan => false,
        },
        _ => false,
    }
}

/// Whether a global variable holds a channel from the start and is never assigned to.
fn always_a_channel(program: &Program, cell: Cell) -> bool {
    if cell.region != Region::Global {
        return false;
    }
    let init = &program.instrs[program.init.range()];
    let is_made = init
        .windows(2)
        .any(|pair| matches!(pair, [Instr::NewChan(_), Instr::Store(to)] if *to == cell));
    let stores = init
        .iter()
        .filter(|i| matches!(i, Instr::Store(to) if *to == cell));
    let hit = |access: &Access| {
        access.place == Place::Global
            && access.lo < cell.offset + cell.ty.size()
            && cell.offset < access.hi
    };
    let edges = program.proctypes.iter().flat_map(|p| &p.graph.edges);
    is_made && stores.count() == 1 && !edges.flat_map(|e| &e.footprint.writes).any(hit)
}

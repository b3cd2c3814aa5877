//! Between which bounds variables stay, and which instructions can therefore not fail.
//!
//! A variable holds 0, what it is stored, cut to its type, and what messages bring; over the whole program, whatever the
//! order. The bounds of an expression follow from those of its operands (interval analysis; Cousot and Cousot, POPL 1977).
//! Bounds that still grow after some rounds become those of the type, so there is a fixed number of rounds. An index
//! between the bounds of its array, and a divisor that cannot be 0, cannot fail.

use super::operands::{Range, Seen, walk};
use super::places::{NONE, Op, Pieces, Places};
use crate::code::{BinOp, Code, Instr, Region, Scalar};
use crate::program::*;

/// Rounds before what still grows is given up.
const ROUNDS: u32 = 3;

/// What is known of the values of a program.
pub(super) struct Ranges {
    of: Vec<Range>,
    pids: Range,
    /// How many instructions before each one may fail, or do something else than make a value of others.
    solid: Vec<u32>,
    may_fail: Vec<bool>,
}

impl Ranges {
    pub(super) fn of(program: &Program, pieces: &Pieces, places: &mut Places) -> Ranges {
        let runs = program
            .instrs
            .iter()
            .any(|i| matches!(i, Instr::Run { .. }));
        let pids = match (runs, program.active.len()) {
            (false, count @ 1..) => Range {
                lo: 0,
                hi: count as i64 - 1,
            },
            _ => Range::of(Scalar::Chan),
        };
        let mut ranges = Ranges {
            of: vec![Range::just(0); places.count()],
            pids,
            solid: Vec::new(),
            may_fail: vec![true; program.instrs.len()],
        };
        ranges.of_messages(program, pieces, places);
        let mut round = 0;
        while ranges.grow(program, pieces, places, round >= ROUNDS) {
            round += 1;
        }
        ranges.judge(program, pieces, places);
        ranges
    }

    fn of_messages(&mut self, program: &Program, pieces: &Pieces, places: &mut Places) {
        for operation in &pieces.operations {
            let Op::Recv(id) = operation.op else {
                continue;
            };
            for arg in &program.recvs[id.index()].args {
                let (node, ty) = match *arg {
                    RecvArg::Bind(cell) => {
                        let byte = places.byte(cell.region, operation.own, cell.offset);
                        (places.find(byte), cell.ty)
                    }
                    RecvArg::BindAt(code, _, ty) => (places.touched(code.range().end - 1), ty),
                    RecvArg::Ignore | RecvArg::Match(_) => continue,
                };
                self.of[node as usize] = self.of[node as usize].hull(Range::of(ty));
            }
        }
    }

    fn walk(&self, program: &Program, places: &[u32], code: Code, see: &mut dyn FnMut(Seen<'_>)) {
        let loaded = |at: usize, ty: Scalar| match (places[at], program.instrs[at]) {
            (_, Instr::SelfPid) => self.pids,
            (NONE, _) => Range::of(ty),
            (node, _) => self.of[node as usize],
        };
        walk(&program.instrs, code, &loaded, see);
    }

    /// One round; says whether something became wider.
    fn grow(
        &mut self,
        program: &Program,
        pieces: &Pieces,
        places: &mut Places,
        give_up: bool,
    ) -> bool {
        let touched = places.all_touched();
        let mut changed = false;
        for piece in &pieces.pieces {
            let mut stored: Vec<(u32, Range, Scalar)> = Vec::new();
            self.walk(
                program,
                &touched,
                piece.code,
                &mut |seen| match seen.instr {
                    Instr::Store(cell) => {
                        stored.push((touched[seen.at], seen.operands[0].range, cell.ty));
                    }
                    Instr::StoreAt(_, ty) => {
                        stored.push((touched[seen.at], seen.operands[1].range, ty));
                    }
                    Instr::Run { proctype, .. } => {
                        let parameters = &program.proctypes[proctype.index()].parameters;
                        for (value, cell) in seen.operands.iter().zip(parameters) {
                            let byte = places.byte(Region::Local, Some(proctype), cell.offset);
                            stored.push((places.find(byte), value.range, cell.ty));
                        }
                    }
                    _ => {}
                },
            );
            for (node, range, ty) in stored {
                let known = self.of[node as usize];
                let mut after = known.hull(range.stored_as(ty));
                if after != known {
                    if give_up {
                        after = known.hull(Range::of(ty));
                    }
                    self.of[node as usize] = after;
                    changed = true;
                }
            }
        }
        changed
    }

    fn judge(&mut self, program: &Program, pieces: &Pieces, places: &mut Places) {
        let touched = places.all_touched();
        let mut safe: Vec<usize> = Vec::new();
        for piece in &pieces.pieces {
            self.walk(program, &touched, piece.code, &mut |seen| {
                let last = seen.operands.last().map_or(Range::ALL, |value| value.range);
                let fails = match seen.instr {
                    Instr::Index { len, .. } => !last.within(Range {
                        lo: 0,
                        hi: i64::from(len) - 1,
                    }),
                    Instr::Binary(BinOp::Div | BinOp::Rem, _) => last.lo <= 0 && last.hi >= 0,
                    Instr::Binary(BinOp::Shl | BinOp::Shr, _) => {
                        !last.within(Range { lo: 0, hi: 31 })
                    }
                    Instr::Const(_)
                    | Instr::Load(_)
                    | Instr::LoadAt(..)
                    | Instr::Unary(_)
                    | Instr::Binary(..)
                    | Instr::AndThen(_)
                    | Instr::OrElse(_)
                    | Instr::Jump(_)
                    | Instr::JumpIfZero(_)
                    | Instr::SelfPid
                    | Instr::NrProcesses => false,
                    _ => true,
                };
                if !fails {
                    safe.push(seen.at);
                }
            });
        }
        safe.into_iter().for_each(|at| self.may_fail[at] = false);
        // An alternative of an expression ends with a jump, which is not shown.
        for (at, instr) in program.instrs.iter().enumerate() {
            self.may_fail[at] &= !matches!(instr, Instr::Jump(_));
        }
        self.solid = Vec::with_capacity(program.instrs.len() + 1);
        self.solid.push(0);
        let mut count = 0;
        for &fails in &self.may_fail {
            count += u32::from(fails);
            self.solid.push(count);
        }
    }

    /// Whether evaluating an expression does nothing but make a value.
    pub(super) fn is_total(&self, code: Code) -> bool {
        self.solid[code.range().start] == self.solid[code.range().end]
    }

    /// Whether an instruction may fail, or does more than make a value of others.
    pub(super) fn may_fail(&self, at: usize) -> bool {
        self.may_fail[at]
    }
}

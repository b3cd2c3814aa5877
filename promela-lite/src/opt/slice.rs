//! Slicing: what influences nothing that is checked is not computed.
//!
//! Assignments to places that are not [relevant](super::relevant) are left out, so such variables keep their first value in
//! every state; fields of messages that are not relevant are 0, and so are parameters. Locations and edges stay. Whatever of
//! a statement may fail is still evaluated, and its value dropped: an index out of range remains an error.
//!
//! Why that keeps every verdict: let two states be alike if they agree on locations, the numbers of messages in channels,
//! and all relevant places. By induction over the steps, the sliced program and the one as written go through states that are
//! alike. In such states the same moves are possible, since guards, channels, compared fields and polls read relevant places
//! only; a move fails in both or in neither, at the same instruction, since what decides about that is relevant; and it leads
//! to states that are alike again, since what flows into relevant places comes from relevant places. This is a bisimulation,
//! step by step, that also agrees on the conditions of the property, on end states, `timeout`, enabledness and the control
//! inside `atomic`: it suits every property that speaks of these conditions, stutter-invariant or not, and weak and strong
//! fairness. It does not suit condition F, whose dependency between operations is that of the program as written.
//!
//! A cycle of the sliced program stands for an infinite run of the program as written: the same moves are possible round after
//! round. Its states need not repeat in the first rounds, as a counter may count on; [`crate::program::Edge::plain`] and the
//! expansion of traces take care of that.
//!
//! What would break this: something that reads a place without being in [`Pieces`]; an instruction that decides about control
//! and is taken for one that only makes a value (see [`Ranges`]); two names of one byte that are not one place.
//!
//! (M. Weiser, *Program slicing*, ICSE 1981; for Promela: L. Millett and T. Teitelbaum, *Slicing Promela and its applications
//! to model checking, simulation, and protocol understanding*, SPIN 1998. Theirs leaves out statements; this one only their
//! effects, so that nothing has to be shown about what statements control.)

use super::dead::zero;
use super::operands::{self, Seen, walk};
use super::places::{NONE, Op, Operation, Pieces, Places};
use super::ranges::Ranges;
use super::relevant::Relevant;
use super::{Sabotage, concatenate};
use crate::code::{BinOp, Code, Instr, Region};
use crate::program::*;

/// What is known about a program for one goal.
pub(super) struct Analysis {
    pub(super) pieces: Pieces,
    pub(super) places: Places,
    pub(super) ranges: Ranges,
    pub(super) relevant: Relevant,
}

impl Analysis {
    /// `None` where a channel may come from anywhere, or calls are not expanded.
    pub(super) fn of(
        program: &Program,
        conditions: &[Code],
        sabotage: Option<Sabotage>,
    ) -> Option<Analysis> {
        if !program.procedures.is_empty() {
            return None;
        }
        let pieces = Pieces::of(program, conditions);
        let mut places = Places::of(program, &pieces);
        if places.unknown {
            return None;
        }
        let ranges = Ranges::of(program, &pieces, &mut places);
        let relevant = Relevant::of(program, &pieces, &mut places, &ranges, sabotage);
        Some(Analysis {
            pieces,
            places,
            ranges,
            relevant,
        })
    }

    /// Whether no index, divisor or shift in a piece of code can fail.
    pub(super) fn cannot_fail(&self, program: &Program, code: Code) -> bool {
        let checked = |at: &usize| {
            matches!(
                program.instrs[*at],
                Instr::Index { .. }
                    | Instr::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, _)
            )
        };
        !code
            .range()
            .filter(checked)
            .any(|at| self.ranges.may_fail(at))
    }
}

/// Slices a program for a property that reads these conditions; says whether there was anything to leave out.
pub(super) fn slice(
    program: &mut Program,
    conditions: &[Code],
    sabotage: Option<Sabotage>,
) -> bool {
    let Some(mut analysis) = Analysis::of(program, conditions, sabotage) else {
        return false;
    };
    let touched = analysis.places.all_touched();
    let mut slicer = Slicer {
        relevant: &analysis.relevant,
        ranges: &analysis.ranges,
        touched: &touched,
        any: false,
    };
    for operation in &analysis.pieces.operations {
        slicer.operation(program, &mut analysis.places, operation);
    }
    for index in 0..program.proctypes.len() {
        let id = ProctypeId(index as u16);
        let mut edges = std::mem::take(&mut program.proctypes[index].graph.edges);
        for edge in &mut edges {
            slicer.edge(program, &analysis.places, id, edge);
        }
        program.proctypes[index].graph.edges = edges;
        slicer.init(program, &analysis.places, id);
    }
    slicer.any
}

struct Slicer<'a> {
    relevant: &'a Relevant,
    ranges: &'a Ranges,
    touched: &'a [u32],
    any: bool,
}

impl Slicer<'_> {
    /// Fields that are not relevant are sent as 0, and not stored.
    fn operation(&mut self, program: &mut Program, places: &mut Places, operation: &Operation) {
        match operation.op {
            Op::Send(id) => {
                for field in 0..program.sends[id.index()].args.len() {
                    let place = places.field(program, operation, field as u32);
                    let code = program.sends[id.index()].args[field];
                    // An operation may occur in several copies of a statement.
                    let is_done = code.range().start >= self.touched.len();
                    let is_zero = matches!(program.instrs[code.range()], [Instr::Const(0)]);
                    if is_done || is_zero || place.is_none_or(|place| self.relevant.is(place)) {
                        continue;
                    }
                    let instrs = &mut program.instrs;
                    let pieces: &[Code] = match self.ranges.is_total(code) {
                        true => &[],
                        false => &[code],
                    };
                    let start = concatenate(instrs, pieces).start;
                    if !pieces.is_empty() {
                        let next = instrs.len() as u32 + 1;
                        instrs.push(drop_value(next));
                    }
                    instrs.push(Instr::Const(0));
                    program.sends[id.index()].args[field] = Code {
                        start,
                        end: instrs.len() as u32,
                    };
                    self.any = true;
                }
            }
            Op::Recv(id) => {
                for arg in &mut program.recvs[id.index()].args {
                    let node = match *arg {
                        RecvArg::Bind(cell) => places.byte(cell.region, operation.own, cell.offset),
                        RecvArg::BindAt(code, ..) => self.touched[code.range().end - 1],
                        RecvArg::Ignore | RecvArg::Match(_) => continue,
                    };
                    if !self.relevant.is(node) {
                        *arg = RecvArg::Ignore;
                        self.any = true;
                    }
                }
            }
        }
    }

    fn edge(&mut self, program: &mut Program, places: &Places, id: ProctypeId, edge: &mut Edge) {
        let mut emptied = false;
        if let Action::Effect(code) | Action::DStep(code) = &mut edge.action {
            emptied = self.cut(&mut program.instrs, code);
        }
        self.cut(&mut program.instrs, &mut edge.then);
        if emptied {
            edge.action = Action::Skip;
            if edge.then.is_empty() {
                edge.footprint = Footprint::default();
            }
        }
        let matters = |access: &Access| {
            let (region, own) = match access.place {
                Place::Global => (Region::Global, None),
                Place::Hidden => (Region::Hidden, None),
                Place::Own => (Region::Local, Some(id)),
                Place::Remote(other) => (Region::Local, Some(other)),
            };
            let first = places.byte(region, own, 0);
            self.relevant.any(first + access.lo, first + access.hi)
        };
        edge.footprint.reads.retain(|access| matters(access));
        edge.footprint.writes.retain(|access| matters(access));
    }

    /// A parameter that does not matter is 0 whatever is passed.
    fn init(&mut self, program: &mut Program, places: &Places, id: ProctypeId) {
        let Program {
            instrs, proctypes, ..
        } = program;
        let proctype = &mut proctypes[id.index()];
        self.cut(instrs, &mut proctype.init);
        let first = places.byte(Region::Local, Some(id), 0);
        let parameters = proctype.parameters.iter().copied();
        let unused: Vec<_> = parameters
            .filter(|cell| !self.relevant.is(first + cell.offset))
            .collect();
        self.any |= !unused.is_empty();
        zero(instrs, &mut proctype.init, &unused);
    }

    /// Takes out of a piece of code what does not matter; says whether nothing is left of it.
    fn cut(&mut self, instrs: &mut Vec<Instr>, code: &mut Code) -> bool {
        // How many instructions each one becomes: itself, or so many that drop a value.
        let mut drops: Vec<(usize, u32)> = Vec::new();
        let mut left_out: Vec<Code> = Vec::new();
        walk(
            instrs,
            *code,
            &|_, ty| operands::Range::of(ty),
            &mut |seen| {
                if !self.is_idle(&seen) {
                    return;
                }
                let stays = |v: &&operands::Value| !self.ranges.is_total(v.code);
                let staying = seen.operands.iter().filter(stays).count() as u32;
                let is_print = matches!(seen.instr, Instr::Print { .. } | Instr::PrintMtype(_));
                if is_print && staying > 0 {
                    return;
                }
                let total = seen.operands.iter().filter(|v| !stays(v));
                left_out.extend(total.map(|v| v.code));
                drops.push((seen.at, staying));
            },
        );
        if drops.is_empty() {
            return false;
        }
        self.any = true;
        let range = code.range();
        let mut becomes: Vec<u32> = vec![1; range.len()];
        for gone in left_out.iter().flat_map(|code| code.range()) {
            becomes[gone - range.start] = 0;
        }
        let mut is_drop = vec![false; range.len()];
        for (at, count) in drops {
            becomes[at - range.start] = count;
            is_drop[at - range.start] = true;
        }
        let start = instrs.len() as u32;
        let mut moved = vec![start];
        for count in &becomes {
            moved.push(moved[moved.len() - 1] + count);
        }
        for (index, &count) in becomes.iter().enumerate() {
            let mut instr = instrs[range.start + index];
            if let Some(target) = instr.target_mut() {
                *target = moved[*target as usize - range.start];
            }
            for _ in 0..count {
                if is_drop[index] {
                    instr = drop_value(instrs.len() as u32 + 1);
                }
                instrs.push(instr);
            }
        }
        let end = instrs.len() as u32;
        let idle = |instr: &Instr| matches!(instr, Instr::Jump(_));
        *code = match instrs[start as usize..].iter().all(idle) {
            true => Code::EMPTY,
            false => Code { start, end },
        };
        code.is_empty()
    }

    /// Whether an instruction stores to a place that does not matter, or prints.
    fn is_idle(&self, seen: &Seen<'_>) -> bool {
        match seen.instr {
            Instr::Store(_) | Instr::StoreAt(..) => {
                let place = self.touched[seen.at];
                place != NONE && !self.relevant.is(place)
            }
            Instr::Print { .. } | Instr::PrintMtype(_) => true,
            _ => false,
        }
    }
}

/// Takes a value from the stack, whatever it is, and goes on at `next`.
fn drop_value(next: u32) -> Instr {
    Instr::JumpIfZero(next)
}

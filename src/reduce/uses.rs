//! Channel operations: through which variable, how, and at which point of a step.
//!
//! Channels are told apart by the variable they are reached through. A variable that is never assigned after its
//! initialisation (a global channel, a parameter) names the same channel for good, so its value in the state at hand says
//! which channel the future is about; anything else may be any channel.

use promela_lite::code::{Code, Instr, Scalar, UnOp};
use promela_lite::program::*;
use rustc_hash::FxHashMap;

/// The variable that a channel is reached through.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Via {
    /// In the process' own frame, else global.
    pub(super) own: bool,
    /// The first byte of the first cell, and the one behind the last cell.
    pub(super) lo: u32,
    pub(super) hi: u32,
    /// Bytes from one cell to the next. In an array of structures it need not be even.
    step: u32,
}

impl Via {
    /// What an access of a process of type `id` names; `None` for what is no variable of type chan that can be looked at.
    pub(super) fn of(program: &Program, id: ProctypeId, access: &Access) -> Option<Via> {
        let own = match access.place {
            Place::Global => false,
            Place::Own => true,
            Place::Hidden | Place::Remote(_) => return None,
        };
        let size = Scalar::Chan.size();
        let mut via = Via {
            own,
            lo: access.lo,
            hi: access.hi,
            step: size,
        };
        if access.hi - access.lo == size {
            return Some(via);
        }
        let frame = match own {
            true => &program.proctypes[id.index()].frame,
            false => &program.globals,
        };
        let first = frame
            .vars
            .partition_point(|v| v.offset + v.size <= access.lo);
        let vars = frame.vars[first..].iter();
        let cells = vars
            .take_while(|v| v.offset < access.hi)
            .flat_map(|v| &v.cells);
        let inside = |offset: u32| access.lo <= offset && offset + size <= access.hi;
        let mut cells = cells.filter(|c| c.ty == Scalar::Chan && inside(c.offset));
        via.lo = cells.next()?.offset;
        via.hi = via.lo + size;
        let mut step = 0;
        for cell in cells {
            step = common_divisor(step, cell.offset - via.lo);
            via.hi = cell.offset + size;
        }
        via.step = step.max(1);
        Some(via)
    }

    /// Whether it may mean the variable at that offset.
    pub(super) fn has(self, cell: u32) -> bool {
        (self.lo..=self.last()).contains(&cell) && (cell - self.lo).is_multiple_of(self.step)
    }

    /// Offsets of the channel variables it may mean. Where these do not lie at equal distances there are others among them,
    /// which name anything.
    pub(super) fn cells(self) -> impl Iterator<Item = u32> {
        (self.lo..=self.last()).step_by(self.step as usize)
    }

    fn last(self) -> u32 {
        self.hi - Scalar::Chan.size()
    }
}

fn common_divisor(a: u32, b: u32) -> u32 {
    match b {
        0 => a,
        _ => common_divisor(b, a % b),
    }
}

/// A channel operation of the place at hand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NowUse {
    /// `None`: it may be any channel.
    pub(super) via: Option<Via>,
    pub(super) how: ChanAccess,
    /// The step has made at most that many operations of its direction when it comes to this one, which is included;
    /// `None` when that cannot be told.
    pub(super) nth: Option<u32>,
    /// Takes the first message that matches, not just the oldest.
    pub(super) random: bool,
    /// No operation, but the end of an assertion (`xr`, `xs`) that no other process does it.
    pub(super) release: bool,
    /// It does not begin the step.
    pub(super) inside: bool,
    /// Whether it is possible decides about other steps of the place.
    pub(super) tested: bool,
    /// No operation of the step, but one that the process waits for afterwards: by a rendezvous it may become a partner.
    pub(super) arrives: bool,
}

/// A channel operation that a process may do later.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct LaterUse {
    pub(super) via: Via,
    pub(super) how: ChanAccess,
    /// In the middle of a step: whether it is possible decides how far the step goes.
    pub(super) inside: bool,
    /// It is asked for as a condition that only helps a step to be possible: once true, more of the same does no harm.
    pub(super) favourable: bool,
    /// No operation, but the end of an exclusivity assertion.
    pub(super) release: bool,
    /// A send of which it matters whether there is a partner even where it is not made: in the middle of a step, or beside
    /// `else` or an escape.
    pub(super) asks: bool,
}

/// Channel variables that keep their initial value.
pub(super) struct Constants {
    written_globals: Ranges,
    written_locals: Vec<Ranges>,
}

/// Bytes, as ranges that do not touch each other, in order.
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn new(mut ranges: Vec<(u32, u32)>) -> Ranges {
        ranges.retain(|(lo, hi)| lo < hi);
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (lo, hi) in ranges {
            match joined.last_mut() {
                Some(last) if lo <= last.1 => last.1 = last.1.max(hi),
                _ => joined.push((lo, hi)),
            }
        }
        Ranges(joined)
    }

    /// Whether some of the bytes lie in that range.
    fn meet(&self, lo: u32, hi: u32) -> bool {
        let first = self.0.partition_point(|range| range.1 <= lo);
        lo < hi && self.0.get(first).is_some_and(|range| range.0 < hi)
    }
}

impl Constants {
    pub(super) fn new(program: &Program) -> Constants {
        let written = |graph: &Graph, place: Place| -> Vec<(u32, u32)> {
            let writes = graph.edges.iter().flat_map(|e| &e.footprint.writes);
            writes
                .filter(|a| a.place == place)
                .map(|a| (a.lo, a.hi))
                .collect()
        };
        let graphs = program
            .proctypes
            .iter()
            .map(|p| &p.graph)
            .chain(program.claims.iter().map(|c| &c.graph));
        Constants {
            written_globals: Ranges::new(graphs.flat_map(|g| written(g, Place::Global)).collect()),
            written_locals: program
                .proctypes
                .iter()
                .map(|p| Ranges::new(written(&p.graph, Place::Own)))
                .collect(),
        }
    }

    pub(super) fn holds(&self, proctype: ProctypeId, via: Via) -> bool {
        let written = if via.own {
            &self.written_locals[proctype.index()]
        } else {
            &self.written_globals
        };
        !written.meet(via.lo, via.hi)
    }
}

/// The exclusivity assertions that end with an edge: which variable, and what no other process does.
pub(super) fn exclusive_that_end<'p>(
    program: &'p Program,
    id: ProctypeId,
    edge: &Edge,
) -> impl Iterator<Item = (&'p Access, ChanAccess)> {
    let ends = edge.action == Action::End;
    let own = program.exclusive.iter();
    own.filter(move |c| ends && c.proctype == id).map(|c| {
        let how = match c.recv {
            true => ChanAccess::Recv,
            false => ChanAccess::Send,
        };
        (&c.via, how)
    })
}

/// Numbers of channel operations, by direction.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Operations {
    pub(super) sends: u32,
    pub(super) recvs: u32,
}

/// More than that are as good as any number.
pub(super) const MANY: u32 = 16;

impl Operations {
    /// Any number.
    pub(super) const ANY: Operations = Operations {
        sends: MANY,
        recvs: MANY,
    };

    fn and(self, edge: &Edge) -> Operations {
        let send = matches!(edge.action, Action::Send(_));
        let recv = matches!(edge.action, Action::Recv(_));
        // What a `d_step` does is not counted.
        let d_step = matches!(edge.action, Action::DStep(_)) && !edge.footprint.chans.is_empty();
        let add =
            |n: u32, more: bool| (n + u32::from(more) + if d_step { MANY } else { 0 }).min(MANY);
        Operations {
            sends: add(self.sends, send),
            recvs: add(self.recvs, recv),
        }
    }

    fn max(self, other: Operations) -> Operations {
        Operations {
            sends: self.sends.max(other.sends),
            recvs: self.recvs.max(other.recvs),
        }
    }
}

/// For each place inside an `atomic` step that begins with `edge`, how many operations the step may have made when it comes
/// there.
pub(super) fn operations_before(graph: &Graph, edge: &Edge) -> FxHashMap<Loc, Operations> {
    let mut before: FxHashMap<Loc, Operations> = FxHashMap::default();
    if !edge.atomic {
        return before;
    }
    let first = Operations::default().and(edge);
    before.insert(edge.to, first);
    let mut work = vec![edge.to];
    while let Some(place) = work.pop() {
        let here = before[&place];
        for next in &graph.edges[graph.locations[place.index()].edges()] {
            if !next.atomic {
                continue;
            }
            let arriving = here.and(next);
            let known = before.get(&next.to).copied();
            let most = known.map_or(arriving, |k| k.max(arriving));
            if known != Some(most) {
                before.insert(next.to, most);
                work.push(next.to);
            }
        }
    }
    before
}

/// Whether a guard is a conjunction in which every question to a channel is a part of its own: the more of them are true,
/// the more is the guard.
pub(super) fn asks_favourably(program: &Program, code: Code) -> bool {
    let instrs = &program.instrs[code.range()];
    let first = code.range().start;
    // What becomes of a value that lies on top before this instruction.
    let joins = |mut at: usize| {
        while matches!(instrs.get(at), Some(Instr::Unary(UnOp::Bool))) {
            at += 1;
        }
        matches!(
            instrs.get(at),
            None | Some(Instr::AndThen(_) | Instr::Return)
        )
    };
    instrs.iter().enumerate().all(|(at, instr)| match *instr {
        Instr::OrElse(_) | Instr::Jump(_) | Instr::JumpIfZero(_) => false,
        Instr::AndThen(target) => joins((target as usize).wrapping_sub(first)),
        Instr::Query(..) | Instr::Poll(_) => joins(at + 1),
        _ => true,
    })
}

//! Dead-variable reset: a local variable that is not going to be read before it is written again is set to zero.
//!
//! A cell of a process' frame is *live* at a place if some path from there reads it before it is certainly written; else
//! it is dead, and its value there cannot matter to anyone. This is the usual backward analysis (Aho et al., *Compilers*,
//! section 9.2.5), over what each edge may read and must write. Every edge then zeroes what is dead where it leads and
//! may be something else, and so does the start of the process. As a result a dead cell is zero in *every* state, and the
//! states of the new program are those of the old one with the dead cells blanked: never more of them, and the same moves
//! in each. (Bozga, Fernandez, Ghirvu, *State space reduction based on live variables analysis*, SAS 1999.)
//!
//! Left alone: what other processes or properties look into, everything in a process with a `provided` clause (it is read
//! at every place), large arrays, and channel variables that nothing assigns: the reduction relies on those.

use super::{concatenate, watched};
use crate::code::{Cell, Code, Instr, Region, Scalar};
use crate::program::*;

/// Variables with more scalars than this are left alone: zeroing them would cost more than it gains.
const MAX_CELLS: usize = 64;

/// Cells times edges: where there are more, nothing is reset.
const MAX_SIZE: usize = 1 << 22;

/// Which cells are live where, for each proctype.
pub(super) struct Liveness {
    proctypes: Vec<Option<Frames>>,
}

/// The cells of one proctype that may be reset, and where they are live.
struct Frames {
    cells: Vec<Cell>,
    /// By location.
    live: Vec<Cells>,
}

/// A set of cells, as indices into [`Frames::cells`].
#[derive(Clone, PartialEq, Eq)]
struct Cells(Vec<bool>);

impl Cells {
    fn none(count: usize) -> Cells {
        Cells(vec![false; count])
    }

    fn absorb(&mut self, other: &Cells) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn keep(&mut self, other: &Cells) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    fn remove(&mut self, other: &Cells) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }
}

impl Liveness {
    /// Analyses a program as written.
    pub(super) fn of(program: &Program) -> Liveness {
        let ids = (0..program.proctypes.len()).map(|index| ProctypeId(index as u16));
        Liveness {
            proctypes: ids.map(|id| Frames::of(program, id)).collect(),
        }
    }

    /// Adds the resets to a program that has the same locations; says whether there were any.
    pub(super) fn reset(self, program: &mut Program) -> bool {
        let mut any = false;
        for (index, frames) in self.proctypes.into_iter().enumerate() {
            if let Some(frames) = frames {
                let Program {
                    instrs, proctypes, ..
                } = program;
                any |= frames.reset(instrs, &mut proctypes[index]);
            }
        }
        any
    }
}

impl Frames {
    /// `None` where nothing may be reset.
    fn of(program: &Program, id: ProctypeId) -> Option<Frames> {
        let proctype = &program.proctypes[id.index()];
        if proctype.provided.is_some() {
            return None;
        }
        let cells = candidates(program, id);
        let graph = &proctype.graph;
        let size = cells.len().saturating_mul(graph.edges.len());
        if cells.is_empty() || size > MAX_SIZE {
            return None;
        }
        let none = Cells::none(cells.len());
        let mut frames = Frames {
            cells,
            live: vec![none; graph.locations.len()],
        };
        let effects: Vec<(Cells, Cells)> = graph
            .edges
            .iter()
            .map(|edge| (frames.read_by(edge), frames.written_by(program, edge)))
            .collect();
        loop {
            let mut changed = false;
            // Most edges lead forward, so the last come first.
            for (edge, (reads, writes)) in graph.edges.iter().zip(&effects).rev() {
                let mut live = frames.live[edge.from.index()].clone();
                if edge.action != Action::End {
                    let mut after = frames.live[edge.to.index()].clone();
                    after.remove(writes);
                    live.absorb(&after);
                }
                live.absorb(reads);
                if live != frames.live[edge.from.index()] {
                    frames.live[edge.from.index()] = live;
                    changed = true;
                }
            }
            if !changed {
                return Some(frames);
            }
        }
    }

    fn touched_by<'a>(&self, accesses: impl Iterator<Item = &'a Access> + Clone) -> Cells {
        let touched = |cell: &Cell| {
            let (lo, hi) = (cell.offset, cell.offset + cell.ty.size());
            accesses
                .clone()
                .any(|a| a.place == Place::Own && a.lo < hi && lo < a.hi)
        };
        Cells(self.cells.iter().map(touched).collect())
    }

    fn read_by(&self, edge: &Edge) -> Cells {
        let Footprint { reads, chans, .. } = &edge.footprint;
        self.touched_by(reads.iter().chain(chans.iter().map(|used| &used.via)))
    }

    /// What an edge certainly writes.
    fn written_by(&self, program: &Program, edge: &Edge) -> Cells {
        let mut written = Vec::new();
        match edge.action {
            Action::Effect(code) | Action::DStep(code) => stores(program, code, &mut written),
            Action::Recv(id) => {
                let args = program.recvs[id.index()].args.iter();
                written.extend(args.filter_map(|arg| match arg {
                    RecvArg::Bind(cell) => Some(*cell),
                    _ => None,
                }));
            }
            _ => {}
        }
        stores(program, edge.then, &mut written);
        Cells(self.cells.iter().map(|c| written.contains(c)).collect())
    }

    /// Zeroes what is dead and may not be zero, everywhere.
    fn reset(&self, instrs: &mut Vec<Instr>, proctype: &mut Proctype) -> bool {
        let start = proctype.graph.start;
        let initial = self.set_at_start(instrs, proctype);
        let dead = self.dead(&initial, start);
        let mut any = !dead.is_empty();
        zero(instrs, &mut proctype.init, &dead);
        let set = self.may_be_set(&proctype.graph, initial);
        for edge in &mut proctype.graph.edges {
            if edge.action == Action::End {
                continue;
            }
            let mut after = set[edge.from.index()].clone();
            after.absorb(&self.touched_by(edge.footprint.writes.iter()));
            let dead = self.dead(&after, edge.to);
            any |= !dead.is_empty();
            zero(instrs, &mut edge.then, &dead);
            edge.footprint.writes.extend(dead.iter().map(|cell| Access {
                place: Place::Own,
                lo: cell.offset,
                hi: cell.offset + cell.ty.size(),
            }));
        }
        any
    }

    /// Those of `cells` that are dead at a place.
    fn dead(&self, cells: &Cells, at: Loc) -> Vec<Cell> {
        let mut dead = cells.clone();
        dead.remove(&self.live[at.index()]);
        let all = self.cells.iter().zip(dead.0);
        all.filter_map(|(&cell, dead)| dead.then_some(cell))
            .collect()
    }

    /// What arguments and initial values make other than zero.
    fn set_at_start(&self, instrs: &[Instr], proctype: &Proctype) -> Cells {
        let init = &instrs[proctype.init.range()];
        let anywhere = init.iter().any(|i| matches!(i, Instr::StoreAt(..)));
        let set = |cell: &Cell| {
            anywhere || proctype.parameters.contains(cell) || init.contains(&Instr::Store(*cell))
        };
        Cells(self.cells.iter().map(set).collect())
    }

    /// For each location, what may be other than zero there, the dead being zeroed.
    fn may_be_set(&self, graph: &Graph, initial: Cells) -> Vec<Cells> {
        let start = graph.start.index();
        let mut set = vec![Cells::none(self.cells.len()); graph.locations.len()];
        set[start] = initial;
        set[start].keep(&self.live[start]);
        let mut reached = vec![false; graph.locations.len()];
        reached[start] = true;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for edge in &graph.edges[graph.locations[at].edges()] {
                let to = edge.to.index();
                let mut after = set[at].clone();
                after.absorb(&self.touched_by(edge.footprint.writes.iter()));
                after.keep(&self.live[to]);
                after.absorb(&set[to]);
                if !reached[to] || after != set[to] {
                    reached[to] = true;
                    set[to] = after;
                    open.push(to);
                }
            }
        }
        set
    }
}

/// The cells of a frame that may be reset.
fn candidates(program: &Program, id: ProctypeId) -> Vec<Cell> {
    let proctype = &program.proctypes[id.index()];
    let watched = watched(program, id);
    let writes = || {
        proctype
            .graph
            .edges
            .iter()
            .flat_map(|e| &e.footprint.writes)
    };
    let overlaps =
        |cell: &Cell, lo: u32, hi: u32| cell.offset < hi && lo < cell.offset + cell.ty.size();
    let may = |cell: &Cell| {
        let looked_at = watched.iter().any(|&(lo, hi)| overlaps(cell, lo, hi));
        let assigned = || writes().any(|w| w.place == Place::Own && overlaps(cell, w.lo, w.hi));
        let declared = program.exclusive.iter().any(|e| {
            e.proctype == id && e.via.place == Place::Own && overlaps(cell, e.via.lo, e.via.hi)
        });
        !looked_at && !declared && (cell.ty != Scalar::Chan || assigned())
    };
    let small = proctype
        .frame
        .vars
        .iter()
        .filter(|v| v.cells.len() <= MAX_CELLS);
    let cells = small.flat_map(|v| &v.cells).map(|c| Cell {
        region: Region::Local,
        offset: c.offset,
        ty: c.ty,
    });
    cells.filter(may).collect()
}

/// Adds the cells that a piece of code stores to on every way through it.
fn stores(program: &Program, code: Code, out: &mut Vec<Cell>) {
    let mut skipped_to = code.start;
    for at in code.range() {
        let instr = program.instrs[at];
        match instr {
            Instr::Store(cell) if skipped_to as usize <= at => out.push(cell),
            Instr::Return => return,
            _ => {}
        }
        skipped_to = skipped_to.max(instr.target().unwrap_or(0));
    }
}

/// Sets cells to zero at the end of a piece of code.
pub(super) fn zero(instrs: &mut Vec<Instr>, code: &mut Code, cells: &[Cell]) {
    if cells.is_empty() {
        return;
    }
    let start = concatenate(instrs, &[*code]).start;
    for &cell in cells {
        instrs.extend([Instr::Const(0), Instr::Store(cell)]);
    }
    *code = Code {
        start,
        end: instrs.len() as u32,
    };
}

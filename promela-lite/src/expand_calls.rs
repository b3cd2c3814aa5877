//! Calls of procedures, and their expansion to a depth.
//!
//! # What a call means
//!
//! A process has a stack of frames, one for each procedure that it is executing; the body of its proctype has the lowest.
//! Code in a procedure sees the globals and the topmost frame ([`Region::Local`], [`Place::Own`]). Three kinds of step
//! deal with the stack, and all three are always executable:
//!
//! - [`Action::Call`] evaluates the arguments in the caller's frame, pushes a frame of zeros, stores the arguments to its
//!   parameters, executes [`Procedure::init`], and goes to the start of the procedure's graph. All of this is one step. The
//!   edge leads to where the caller goes on after the return.
//! - [`Action::Return`] evaluates the result, cuts it to [`Procedure::result`], pops the frame, and goes to where the call
//!   leads.
//! - If [`CallOp::result`] holds, the next step of the caller takes the result: its code has [`Instr::Result`] once. It is a
//!   step of its own, before which other processes can move unless the call stands in an `atomic`. Every call is followed by
//!   the step that takes its result, or has nobody who takes it: so one value for each process is enough.
//!
//! Control (`atomic`): with [`CallOp::atomic`] the call, every step of the procedure and of what it calls keep control; after
//! the return control is kept if the [`Edge::atomic`] of the call says so, or an outer call stands in an `atomic`. Without
//! it, the call and the return give up control, and the steps of the procedure keep it where the procedure says so.
//!
//! A translator to a pushdown system reads just this: locations of proctypes and procedures, with values of their frames, are
//! stack symbols; call edges push, return edges pop; the result is one more global for each process.
//!
//! # What the expansion does
//!
//! [`expand`] makes an ordinary program, in which every proctype has a copy ([`Activation`]) of each procedure for each
//! depth of calls at which it can be executed, and one more for calls inside of `atomic`. Copies at the same depth share
//! their variables; they lie in the frame of the proctype. Where several calls lead to a copy, the call leaves the number of
//! its site in a variable, which the steps that return look at. A frame that is not in use is all zero, as is the result
//! that has been taken: so two states that differ have different stacks or different values in them.
//!
//! A procedure that can call itself, directly or through others, is copied up to the depth that is asked for. A call beyond
//! it becomes [`Instr::CallTooDeep`]: the run ends there, and who searches must not say that nothing was left out. Up to that
//! depth runs of both forms correspond step by step. Procedures that cannot recur are copied whatever the depth.

use crate::code::{BinOp, Cell, Code, Instr, Region, Scalar};
use crate::program::*;
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::smallvec;
use std::fmt;
use std::mem::take;

/// Calls are expanded to this depth if nothing else is said.
pub const DEFAULT_DEPTH: u32 = 8;

/// Bounds on what a proctype may become.
const MAX_LOCATIONS: usize = 1 << 20;
const MAX_INSTRS: usize = 1 << 25;
const MAX_FRAME: u32 = 1 << 20;

/// The expansion of a proctype is larger than any search could use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// Which one.
    pub proctype: String,
    /// Where it is declared.
    pub span: Span,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the calls of `{}` cannot be expanded to this depth: its control-flow graph or its variables become too large",
            self.proctype
        )
    }
}

impl std::error::Error for TooLarge {}

/// The program with all calls expanded, those of recursive procedures up to that depth.
pub fn expand(program: &Program, depth: u32) -> Result<Program, TooLarge> {
    let mut out = program.clone();
    if program.procedures.is_empty() {
        return Ok(out);
    }
    let recursive = recursive(program);
    for proctype in &mut out.proctypes {
        let plan = Plan::new(program, proctype, &recursive, depth)?;
        let mut copier = Copier {
            program,
            plan,
            instrs: take(&mut out.instrs),
            sends: take(&mut out.sends),
            recvs: take(&mut out.recvs),
        };
        copier.expand(proctype);
        (out.instrs, out.sends, out.recvs) = (copier.instrs, copier.sends, copier.recvs);
        if out.instrs.len() > MAX_INSTRS {
            return Err(TooLarge::of(proctype));
        }
    }
    out.procedures.clear();
    out.calls.clear();
    Ok(out)
}

/// Whether some procedure can call itself, so that the depth of calls matters.
pub fn has_recursion(program: &Program) -> bool {
    recursive(program).contains(&true)
}

impl TooLarge {
    fn of(proctype: &Proctype) -> TooLarge {
        TooLarge {
            proctype: proctype.name.clone(),
            span: proctype.span,
        }
    }
}

fn calls(graph: &Graph) -> impl Iterator<Item = (&Edge, CallId)> {
    graph.edges.iter().filter_map(|edge| match edge.action {
        Action::Call(id) => Some((edge, id)),
        _ => None,
    })
}

/// Which procedures can be executed in a stack without bound: those from which control can come to one that is called by
/// itself. The others are removed one after the other, once all they call is.
fn recursive(program: &Program) -> Vec<bool> {
    let count = program.procedures.len();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut open = vec![0_usize; count];
    for (index, procedure) in program.procedures.iter().enumerate() {
        for (_, call) in calls(&procedure.graph) {
            callers[program.calls[call.index()].procedure.index()].push(index);
            open[index] += 1;
        }
    }
    let mut recursive = vec![true; count];
    let mut ready: Vec<usize> = (0..count).filter(|&p| open[p] == 0).collect();
    while let Some(procedure) = ready.pop() {
        recursive[procedure] = false;
        for &caller in &callers[procedure] {
            open[caller] -= 1;
            if open[caller] == 0 {
                ready.push(caller);
            }
        }
    }
    recursive
}

/// One copy of a procedure.
struct Instance {
    procedure: ProcedureId,
    depth: u32,
    /// Every step keeps control.
    atomic: bool,
    /// Where its frame begins in the frame of the proctype.
    base: u32,
    first: Loc,
    /// What is added to SPIN's numbers of its control states.
    number: u32,
    sites: Vec<Site>,
    site: Option<Cell>,
}

/// Where the frame of a copy begins; none for the body of the proctype.
type Base = Option<u32>;

/// A call that leads to a copy.
struct Site {
    /// Instance of the caller.
    caller: Option<usize>,
    call: CallId,
    back: Loc,
    /// Control is kept after the return.
    keeps: bool,
}

/// The copies that a proctype needs.
#[derive(Default)]
struct Plan {
    instances: Vec<Instance>,
    /// Which site of which copy a call in a copy leads to; none if it is too deep.
    sites: FxHashMap<(Option<usize>, CallId), (usize, usize)>,
    /// Where results are left.
    result: Option<Cell>,
    frame: Frame,
    /// How deep calls are expanded.
    most: u32,
}

impl Plan {
    fn new(
        program: &Program,
        proctype: &mut Proctype,
        recursive: &[bool],
        most: u32,
    ) -> Result<Plan, TooLarge> {
        let mut plan = Plan {
            frame: take(&mut proctype.frame),
            most,
            ..Plan::default()
        };
        let mut known: FxHashMap<(ProcedureId, u32, bool), usize> = FxHashMap::default();
        let mut bases: FxHashMap<(ProcedureId, u32), u32> = FxHashMap::default();
        let mut locations = proctype.graph.locations.len();
        let mut number = proctype.graph.states;
        let mut next = None;
        loop {
            let caller = next.map(|index: usize| &plan.instances[index]);
            let (depth, within, first) = caller.map_or((0, false, 0), |caller| {
                (caller.depth, caller.atomic, caller.first.0)
            });
            let graph = match caller {
                Some(caller) => &program.procedures[caller.procedure.index()].graph,
                None => &proctype.graph,
            };
            for (edge, id) in calls(graph) {
                let call = &program.calls[id.index()];
                let deep = depth >= most && recursive[call.procedure.index()];
                if deep || plan.sites.contains_key(&(next, id)) {
                    continue;
                }
                let atomic = within || call.atomic;
                let key = (call.procedure, depth + 1, atomic);
                let callee = &program.procedures[call.procedure.index()];
                let index = *known.entry(key).or_insert_with(|| {
                    let base = bases.entry((call.procedure, depth + 1));
                    let base = *base.or_insert_with(|| plan.frame.append(callee, depth + 1));
                    plan.instances.push(Instance {
                        procedure: call.procedure,
                        depth: depth + 1,
                        atomic,
                        base,
                        first: Loc(locations as u32),
                        number,
                        sites: Vec::new(),
                        site: None,
                    });
                    locations += callee.graph.locations.len();
                    number += callee.graph.states;
                    plan.instances.len() - 1
                });
                let sites = &mut plan.instances[index].sites;
                plan.sites.insert((next, id), (index, sites.len()));
                sites.push(Site {
                    caller: next,
                    call: id,
                    back: Loc(first + edge.to.0),
                    keeps: within || edge.atomic,
                });
                if callee.result.is_some() && plan.result.is_none() {
                    plan.result = Some(plan.frame.reserve(Scalar::Int));
                }
            }
            if locations > MAX_LOCATIONS || plan.frame.size > MAX_FRAME {
                return Err(TooLarge::of(proctype));
            }
            let done = next.map_or(0, |index| index + 1);
            if done == plan.instances.len() {
                break;
            }
            next = Some(done);
        }
        for instance in &mut plan.instances {
            instance.site = match instance.sites.len() {
                0 | 1 => None,
                2..=256 => Some(plan.frame.reserve(Scalar::Byte)),
                _ => Some(plan.frame.reserve(Scalar::Int)),
            };
        }
        Ok(plan)
    }
}

impl Frame {
    /// Gives the variables of a procedure a place at the end; says where.
    fn append(&mut self, procedure: &Procedure, depth: u32) -> u32 {
        let base = self.size;
        for var in &procedure.frame.vars {
            let mut var = var.clone();
            var.name = format!("{}[{depth}].{}", procedure.name, var.name);
            var.offset += base;
            var.parameter = false;
            for cell in &mut var.cells {
                cell.offset += base;
            }
            self.vars.push(var);
        }
        self.size = self.size.saturating_add(procedure.frame.size);
        base
    }

    /// A place at the end that belongs to no variable.
    fn reserve(&mut self, ty: Scalar) -> Cell {
        let offset = self.size;
        self.size = self.size.saturating_add(ty.size());
        Cell {
            region: Region::Local,
            offset,
            ty,
        }
    }
}

/// Writes the graph of one proctype.
struct Copier<'p> {
    program: &'p Program,
    plan: Plan,
    instrs: Vec<Instr>,
    sends: Vec<SendOp>,
    recvs: Vec<RecvOp>,
}

impl Copier<'_> {
    fn expand(&mut self, proctype: &mut Proctype) {
        let program = self.program;
        let Graph {
            locations,
            edges,
            start,
            states,
            listing,
        } = take(&mut proctype.graph);
        let plain = Graph {
            locations,
            edges,
            ..Graph::default()
        };
        let mut out = Graph {
            start,
            states,
            listing,
            ..Graph::default()
        };
        self.copy(&plain, None, &mut out);
        for index in 0..self.plan.instances.len() {
            let procedure = self.plan.instances[index].procedure;
            let graph = &program.procedures[procedure.index()].graph;
            let before = out.edges.len();
            self.copy(graph, Some(index), &mut out);
            for edge in &mut out.edges[before..] {
                edge.footprint.absorb(&proctype.provided_footprint);
            }
        }
        for (index, edge) in out.edges.iter_mut().enumerate() {
            edge.plain = smallvec![EdgeId(index as u32)];
        }
        proctype.graph = out;
        proctype.activations = self.activations();
        proctype.frame = take(&mut self.plan.frame);
    }

    fn activations(&self) -> Vec<Activation> {
        let instances = self.plan.instances.iter();
        let site = |site: &Site| CallSite {
            caller: site.caller.map(|index| ActivationId(index as u32)),
            span: self.program.calls[site.call.index()].span,
            back: site.back,
        };
        let procedure = |instance: &Instance| &self.program.procedures[instance.procedure.index()];
        instances
            .map(|instance| Activation {
                procedure: procedure(instance).name.clone(),
                frame: instance.base..instance.base + procedure(instance).frame.size,
                depth: instance.depth,
                first: instance.first,
                sites: instance.sites.iter().map(site).collect(),
                site: instance.site,
            })
            .collect()
    }

    /// Appends the locations and edges of a body.
    fn copy(&mut self, graph: &Graph, instance: Option<usize>, out: &mut Graph) {
        let of = instance.map(|index| &self.plan.instances[index]);
        let (first, number) = of.map_or((0, 0), |i| (i.first.0, i.number));
        debug_assert_eq!(first as usize, out.locations.len());
        for location in &graph.locations {
            let from = out.edges.len();
            for edge in &graph.edges[location.edges()] {
                self.edges(edge, instance, &mut out.edges);
            }
            out.locations.push(Location {
                number: number + location.number,
                first: EdgeId(from as u32),
                count: (out.edges.len() - from) as u32,
                ..location.clone()
            });
        }
    }

    /// What becomes of an edge: one, or one for each place it may return to.
    fn edges(&mut self, edge: &Edge, instance: Option<usize>, out: &mut Vec<Edge>) {
        let of = instance.map(|index| &self.plan.instances[index]);
        let base = of.map(|instance| instance.base);
        let (first, atomic) = of.map_or((0, false), |i| (i.first.0, i.atomic));
        let mut copy = edge.clone();
        copy.from.0 += first;
        copy.to.0 += first;
        copy.atomic |= atomic;
        copy.footprint.shift(base.unwrap_or(0));
        match edge.action {
            Action::Call(id) => {
                self.call(id, instance, &mut copy);
                out.push(copy);
            }
            Action::Return(value) => {
                if let Some(instance) = instance {
                    let sites = 0..self.plan.instances[instance].sites.len();
                    out.extend(sites.map(|site| self.return_(value, instance, site, copy.clone())));
                }
            }
            _ => {
                self.ordinary(&mut copy, base);
                out.push(copy);
            }
        }
    }

    fn ordinary(&mut self, edge: &mut Edge, base: Base) {
        edge.then = self.code(edge.then, base);
        edge.action = match edge.action {
            Action::Guard(code) => Action::Guard(self.code(code, base)),
            Action::DStep(code) => Action::DStep(self.code(code, base)),
            Action::Send(id) => Action::Send(self.send(id, base)),
            Action::Recv(id) => Action::Recv(self.recv(id, base)),
            Action::Effect(code) => {
                let takes = self.program.instrs[code.range()].contains(&Instr::Result);
                let mut code = self.code(code, base);
                if let Some(result) = self.plan.result.filter(|_| takes) {
                    edge.footprint.read(access(result));
                    edge.footprint.write(access(result));
                    code = self.write(&[code], &[Instr::Const(0), Instr::Store(result)]);
                }
                Action::Effect(code)
            }
            ref other => other.clone(),
        };
    }

    fn call(&mut self, id: CallId, caller: Option<usize>, edge: &mut Edge) {
        let program = self.program;
        let call = &program.calls[id.index()];
        let Some(&(callee, site)) = self.plan.sites.get(&(caller, id)) else {
            let stop = Instr::CallTooDeep {
                depth: self.plan.most,
                span: call.span,
            };
            let code = self.write(&[], &[stop]);
            edge.action = Action::Effect(code);
            edge.to = edge.from;
            edge.footprint.specials.can_fail = true;
            return;
        };
        let base = caller.map(|index| self.plan.instances[index].base);
        let instance = &self.plan.instances[callee];
        let (below, to, atomic, tell) = (
            Some(instance.base),
            instance.first,
            instance.atomic,
            instance.site,
        );
        let procedure = &program.procedures[instance.procedure.index()];
        edge.to = Loc(to.0 + procedure.graph.start.0);
        edge.atomic = atomic;
        let mut enter = Vec::new();
        for &cell in procedure.parameters.iter().rev() {
            let cell = moved(cell, below);
            edge.footprint.write(access(cell));
            enter.push(Instr::Store(cell));
        }
        if let Some(cell) = tell {
            edge.footprint.write(access(cell));
            enter.extend([Instr::Const(site as i32), Instr::Store(cell)]);
        }
        let mut init = procedure.init_footprint.clone();
        init.shift(below.unwrap_or(0));
        edge.footprint.absorb(&init);
        let args = self.code(call.args, base);
        let init = self.code(procedure.init, below);
        let enter = self.write(&[], &enter);
        let code = self.write(&[args, enter, init], &[]);
        edge.action = match code.is_empty() {
            true => Action::Skip,
            false => Action::Effect(code),
        };
    }

    /// The step from a copy back to one of its sites.
    fn return_(&mut self, value: Code, instance: usize, site: usize, mut edge: Edge) -> Edge {
        let program = self.program;
        let from = &self.plan.instances[instance];
        let (base, tell) = (Some(from.base), from.site);
        let Site {
            call, back, keeps, ..
        } = from.sites[site];
        let takes = program.calls[call.index()].result;
        let procedure = &program.procedures[from.procedure.index()];
        (edge.to, edge.atomic) = (back, keeps);
        let mut leave = Vec::new();
        let mut pieces = Vec::new();
        if let (Some(register), Some(ty)) = (self.plan.result, procedure.result)
            // A value that nobody takes matters where it may be an error.
            && (takes || edge.footprint.specials.can_fail)
        {
            let cut = Cell { ty, ..register };
            pieces.push(self.code(value, base));
            leave.extend([Instr::Store(cut), Instr::Load(cut), Instr::Store(register)]);
            if !takes {
                leave.extend([Instr::Const(0), Instr::Store(register)]);
            }
            edge.footprint.write(access(register));
        }
        let cells = procedure.frame.vars.iter().flat_map(|var| &var.cells);
        let cell = |cell: &NamedCell| Cell {
            region: Region::Local,
            offset: cell.offset,
            ty: cell.ty,
        };
        let cells = cells.map(|named| moved(cell(named), base));
        for cell in cells.chain(tell) {
            leave.extend([Instr::Const(0), Instr::Store(cell)]);
            edge.footprint.write(access(cell));
        }
        let leave = self.write(&[], &leave);
        pieces.push(leave);
        let code = self.write(&pieces, &[]);
        match tell {
            Some(cell) => {
                edge.footprint.read(access(cell));
                let equal = Instr::Binary(BinOp::Eq, edge.span);
                let here = [Instr::Load(cell), Instr::Const(site as i32), equal];
                edge.action = Action::Guard(self.write(&[], &here));
                edge.then = code;
            }
            None if code.is_empty() => edge.action = Action::Skip,
            None => edge.action = Action::Effect(code),
        }
        edge
    }

    /// New code: pieces one behind the other, and what comes behind them.
    fn write(&mut self, pieces: &[Code], tail: &[Instr]) -> Code {
        let start = self.instrs.len() as u32;
        crate::opt::concatenate(&mut self.instrs, pieces);
        self.instrs.extend(tail);
        let end = self.instrs.len() as u32;
        match start == end {
            true => Code::EMPTY,
            false => Code { start, end },
        }
    }

    /// Code of a body whose frame begins at `base`.
    fn code(&mut self, code: Code, base: Base) -> Code {
        let stays = |instr: &Instr| base.is_none() && *instr != Instr::Result;
        if self.program.instrs[code.range()].iter().all(stays) {
            return code;
        }
        let mut moved_code = Vec::with_capacity(code.range().len());
        for at in code.range() {
            let instr = self.program.instrs[at];
            moved_code.push(self.instr(instr, base));
        }
        let start = self.instrs.len() as u32;
        for mut instr in moved_code {
            if let Some(target) = instr.target_mut() {
                *target = *target - code.start + start;
            }
            self.instrs.push(instr);
        }
        Code {
            start,
            end: self.instrs.len() as u32,
        }
    }

    fn instr(&mut self, instr: Instr, base: Base) -> Instr {
        match instr {
            Instr::Load(cell) => Instr::Load(moved(cell, base)),
            Instr::Store(cell) => Instr::Store(moved(cell, base)),
            Instr::Address(offset) => Instr::Const((offset + base.unwrap_or(0)) as i32),
            Instr::Result => self.plan.result.map_or(Instr::Const(0), Instr::Load),
            Instr::Poll(id) => Instr::Poll(self.recv(id, base)),
            Instr::SendOr(id, target) => Instr::SendOr(self.send(id, base), target),
            Instr::RecvOr(id, target) => Instr::RecvOr(self.recv(id, base), target),
            other => other,
        }
    }

    fn send(&mut self, id: SendId, base: Base) -> SendId {
        if base.is_none() {
            return id;
        }
        let send = self.program.sends[id.index()].clone();
        let send = SendOp {
            chan: self.code(send.chan, base),
            args: send.args.iter().map(|&arg| self.code(arg, base)).collect(),
            ..send
        };
        self.sends.push(send);
        SendId(self.sends.len() as u32 - 1)
    }

    fn recv(&mut self, id: RecvId, base: Base) -> RecvId {
        if base.is_none() {
            return id;
        }
        let recv = self.program.recvs[id.index()].clone();
        let arg = |arg: &RecvArg| match *arg {
            RecvArg::Ignore => RecvArg::Ignore,
            RecvArg::Match(code) => RecvArg::Match(self.code(code, base)),
            RecvArg::Bind(cell) => RecvArg::Bind(moved(cell, base)),
            RecvArg::BindAt(code, region, ty) => RecvArg::BindAt(self.code(code, base), region, ty),
        };
        let args = recv.args.iter().map(arg).collect();
        let recv = RecvOp {
            chan: self.code(recv.chan, base),
            args,
            ..recv
        };
        self.recvs.push(recv);
        RecvId(self.recvs.len() as u32 - 1)
    }
}

fn moved(cell: Cell, base: Base) -> Cell {
    match cell.region {
        Region::Local => Cell {
            offset: cell.offset + base.unwrap_or(0),
            ..cell
        },
        _ => cell,
    }
}

fn access(cell: Cell) -> Access {
    Access {
        place: Place::Own,
        lo: cell.offset,
        hi: cell.offset + cell.ty.size(),
    }
}

impl Footprint {
    /// The same for a frame that begins that many bytes later.
    fn shift(&mut self, base: u32) {
        let accesses = self.reads.iter_mut().chain(&mut self.writes);
        let through = self.chans.iter_mut().map(|used| &mut used.via);
        for access in accesses.chain(through) {
            if access.place == Place::Own {
                access.lo += base;
                access.hi += base;
            }
        }
    }
}

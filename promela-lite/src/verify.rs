//! The verifier: checks that a [`Program`] keeps its own rules, so that a fault of the compiler is found here and not in a
//! search. Run by tests and debug builds on everything that is compiled.
//!
//! For code: every path has the same number of values on the stack at each instruction, enough for what it takes, the
//! right number at the end; jumps stay inside; addresses lie inside their frames; indices exist. For graphs: edges of a
//! location lie together, sorted by level, and lead to locations. What belongs to calls stands only in programs with
//! procedures, and what belongs to procedures only in them.

use crate::code::{Cell, Code, Instr, Region};
use crate::program::*;

/// Something that should not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw(pub String);

/// All flaws of a program; none, one hopes.
pub fn verify(program: &Program) -> Vec<Flaw> {
    let mut verifier = Verifier {
        program,
        frame: 0,
        procedure: None,
        flaws: Vec::new(),
    };
    verifier.program();
    verifier.flaws
}

struct Verifier<'p> {
    program: &'p Program,
    /// Bytes of the local frame that code may touch.
    frame: u32,
    /// The procedure whose code is looked at.
    procedure: Option<&'p Procedure>,
    flaws: Vec<Flaw>,
}

impl<'p> Verifier<'p> {
    fn flaw(&mut self, text: impl Into<String>) {
        self.flaws.push(Flaw(text.into()));
    }

    fn expect(&mut self, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            let text = text();
            self.flaw(text);
        }
    }

    fn program(&mut self) {
        let program = self.program;
        self.code(program.init, 0);
        for atom in &program.atoms {
            self.code(atom.code, 1);
        }
        for id in &program.active {
            self.expect(id.index() < program.proctypes.len(), || {
                "an unknown process is active".into()
            });
        }
        for proctype in &program.proctypes {
            self.frame = proctype.frame.size;
            self.code(proctype.init, 0);
            if let Some(code) = proctype.provided {
                self.code(code, 1);
            }
            for &cell in &proctype.parameters {
                self.cell(cell);
            }
            self.graph(&proctype.name, &proctype.graph);
        }
        for procedure in &program.procedures {
            self.frame = procedure.frame.size;
            self.procedure = Some(procedure);
            self.code(procedure.init, 0);
            for &cell in &procedure.parameters {
                self.cell(cell);
            }
            self.graph(&procedure.name, &procedure.graph);
            self.frame_layout(&procedure.frame);
        }
        self.procedure = None;
        self.frame = 0;
        for claim in &program.claims {
            self.graph(&claim.name, &claim.graph);
        }
        if let Some(trace) = &program.trace {
            self.graph("trace", &trace.graph);
        }
        for frame in [&program.globals, &program.hidden] {
            self.frame_layout(frame);
        }
        for proctype in &program.proctypes {
            self.frame_layout(&proctype.frame);
        }
    }

    fn frame_layout(&mut self, frame: &Frame) {
        let mut end = 0;
        for var in &frame.vars {
            self.expect(var.offset >= end, || {
                format!("`{}` overlaps another variable", var.name)
            });
            end = var.offset + var.size;
            for cell in &var.cells {
                let inside = cell.offset >= var.offset && cell.offset + cell.ty.size() <= end;
                self.expect(inside, || {
                    format!("a part of `{}` lies outside of it", var.name)
                });
            }
        }
        self.expect(end <= frame.size, || {
            "a variable lies outside of its frame".into()
        });
    }

    fn graph(&mut self, name: &str, graph: &Graph) {
        let places = graph.locations.len();
        self.expect(graph.start.index() < places, || {
            format!("{name} starts nowhere")
        });
        let mut covered = 0;
        for (index, location) in graph.locations.iter().enumerate() {
            let range = location.edges();
            self.expect(range.end <= graph.edges.len(), || {
                format!("{name}: edges outside of the graph")
            });
            covered += range.len();
            let edges = graph.edges.get(range).unwrap_or_default();
            self.expect(edges.iter().all(|e| e.from.index() == index), || {
                format!("{name}: a foreign edge")
            });
            self.expect(edges.is_sorted_by_key(|e| e.level), || {
                format!("{name}: edges are not sorted by level")
            });
        }
        self.expect(covered == graph.edges.len(), || {
            format!("{name}: an edge without a location")
        });
        for edge in &graph.edges {
            self.expect(edge.to.index() < places, || {
                format!("{name}: an edge leads nowhere")
            });
            self.action(&edge.action);
            self.code(edge.then, 0);
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Guard(code) => self.code(*code, 1),
            Action::Effect(code) | Action::DStep(code) => self.code(*code, 0),
            Action::Send(id) => self.send(*id),
            Action::Recv(id) => self.recv(*id),
            Action::Call(id) => self.call(*id),
            Action::Return(code) => match self.procedure {
                Some(procedure) => {
                    let values = procedure.result.is_some();
                    self.code(*code, i32::from(values));
                }
                None => self.flaw("a return outside of a procedure"),
            },
        }
        if self.procedure.is_some() && *action == Action::End {
            self.flaw("the end of a process in a procedure");
        }
    }

    fn call(&mut self, id: CallId) {
        let program = self.program;
        let call = program.calls.get(id.index());
        let callee = call.and_then(|call| program.procedures.get(call.procedure.index()));
        let (Some(call), Some(callee)) = (call, callee) else {
            return self.flaw("an unknown call");
        };
        self.code(call.args, callee.parameters.len() as i32);
        self.expect(!call.result || callee.result.is_some(), || {
            format!("`{}` has no result", callee.name)
        });
    }

    fn send(&mut self, id: SendId) {
        let Some(send) = self.program.sends.get(id.index()) else {
            return self.flaw("an unknown send");
        };
        self.code(send.chan, 1);
        for &arg in &send.args {
            self.code(arg, 1);
        }
    }

    fn recv(&mut self, id: RecvId) {
        let Some(recv) = self.program.recvs.get(id.index()) else {
            return self.flaw("an unknown receive");
        };
        self.code(recv.chan, 1);
        for arg in &recv.args {
            match arg {
                RecvArg::Ignore => {}
                RecvArg::Match(code) | RecvArg::BindAt(code, ..) => self.code(*code, 1),
                RecvArg::Bind(cell) => self.cell(*cell),
            }
        }
    }

    fn cell(&mut self, cell: Cell) {
        let size = match cell.region {
            Region::Global => self.program.globals.size,
            Region::Hidden => self.program.hidden.size,
            Region::Local => self.frame,
        };
        self.expect(cell.offset + cell.ty.size() <= size, || {
            format!("{cell:?} lies outside of its frame")
        });
    }

    /// Follows all paths through a piece of code.
    fn code(&mut self, code: Code, result: i32) {
        let range = code.range();
        if range.end > self.program.instrs.len() {
            return self.flaw("code outside of the arena");
        }
        let mut depths: Vec<Option<i32>> = vec![None; range.len() + 1];
        let mut open = vec![(0usize, 0i32)];
        while let Some((at, depth)) = open.pop() {
            match depths[at] {
                Some(known) => {
                    self.expect(known == depth, || {
                        format!("stack depth {known} and {depth} at {at}")
                    });
                    continue;
                }
                None => depths[at] = Some(depth),
            }
            if at == range.len() {
                self.expect(depth == result, || {
                    format!("code leaves {depth} values, not {result}")
                });
                continue;
            }
            let instr = self.program.instrs[range.start + at];
            let (taken, left) = effect(&instr);
            self.expect(depth >= taken, || format!("{instr:?} finds {depth} values"));
            self.operands(&instr);
            let after = depth - taken + left;
            if let Some(target) = instr.target() {
                let target = target as usize;
                if target < range.start || target > range.end {
                    self.flaw(format!("{instr:?} jumps out of its code"));
                    continue;
                }
                let back = matches!(instr, Instr::JumpBack(..));
                if back != (target <= range.start + at) {
                    self.flaw(format!("{instr:?} jumps in the wrong direction"));
                }
                // `&&` and `||` leave their value when they jump.
                let jumped = matches!(instr, Instr::AndThen(_) | Instr::OrElse(_));
                open.push((target - range.start, after + i32::from(jumped)));
            }
            let stops = matches!(
                instr,
                Instr::Jump(_)
                    | Instr::JumpBack(..)
                    | Instr::NotExecutable
                    | Instr::Blocked(_)
                    | Instr::Return
            );
            if !stops {
                open.push((at + 1, after));
            }
        }
    }

    fn operands(&mut self, instr: &Instr) {
        let program = self.program;
        match *instr {
            Instr::Load(cell) | Instr::Store(cell) => self.cell(cell),
            Instr::Address(offset) => {
                let inside = self.procedure.is_some() && offset < self.frame;
                self.expect(inside, || "an address outside of its procedure".into());
            }
            Instr::Result => self.expect(!program.procedures.is_empty(), || {
                "the result of no procedure".into()
            }),
            Instr::Index { len, .. } => self.expect(len > 0, || "an array without elements".into()),
            Instr::Run { proctype, args, .. } => {
                let wanted = program
                    .proctypes
                    .get(proctype.index())
                    .map(|p| p.parameters.len());
                self.expect(wanted == Some(args as usize), || {
                    "a wrong number of arguments".into()
                });
            }
            Instr::NewChan(id) => self.expect(id.index() < program.templates.len(), || {
                "an unknown channel".into()
            }),
            Instr::Poll(id) | Instr::RecvOr(id, _) => self.recv(id),
            Instr::SendOr(id, _) => self.send(id),
            Instr::RemoteAt { set, .. } => {
                self.expect((set as usize) < program.label_sets.len(), || {
                    "an unknown set of labels".into()
                });
            }
            Instr::AnywhereAt(set) => {
                self.expect((set as usize) < program.anywhere_sets.len(), || {
                    "an unknown set of places".into()
                });
            }
            Instr::RemoteLoad {
                proctype,
                offset,
                ty,
                ..
            } => {
                let size = program
                    .proctypes
                    .get(proctype.index())
                    .map_or(0, |p| p.frame.size);
                self.expect(offset + ty.size() <= size, || {
                    "a remote variable outside of its frame".into()
                });
            }
            Instr::Print { format, .. } => {
                self.expect((format as usize) < program.formats.len(), || {
                    "an unknown format".into()
                });
            }
            Instr::PrintMtype(set) => {
                self.expect((set as usize) < program.mtypes.len(), || {
                    "an unknown mtype".into()
                });
            }
            _ => {}
        }
    }
}

/// How many values an instruction takes from the stack and leaves there, when it does not jump.
pub(crate) fn effect(instr: &Instr) -> (i32, i32) {
    match instr {
        Instr::Const(_)
        | Instr::Address(_)
        | Instr::Result
        | Instr::Load(_)
        | Instr::SelfPid
        | Instr::NrProcesses
        | Instr::Last
        | Instr::Timeout
        | Instr::NonProgress
        | Instr::OwnPriority
        | Instr::NewChan(_)
        | Instr::Poll(_)
        | Instr::AnywhereAt(_)
        | Instr::PidOf(_) => (0, 1),
        Instr::Store(_)
        | Instr::AndThen(_)
        | Instr::OrElse(_)
        | Instr::JumpIfZero(_)
        | Instr::Assert(_)
        | Instr::PrintMtype(_) => (1, 0),
        Instr::LoadAt(..)
        | Instr::Unary(_)
        | Instr::Enabled
        | Instr::PcValue(_)
        | Instr::GetPriority(_)
        | Instr::Query(..)
        | Instr::RemoteAt { .. }
        | Instr::RemoteLoad { .. } => (1, 1),
        Instr::Index { .. } | Instr::Binary(..) | Instr::RemoteLoadAt { .. } => (2, 1),
        Instr::StoreAt(..) | Instr::SetPriority(_) => (2, 0),
        Instr::Run { args, .. } => (i32::from(*args), 1),
        Instr::Print { args, .. } => (i32::from(*args), 0),
        Instr::Jump(_)
        | Instr::JumpBack(..)
        | Instr::SendOr(..)
        | Instr::RecvOr(..)
        | Instr::CallTooDeep { .. }
        | Instr::NotExecutable
        | Instr::Blocked(_)
        | Instr::Return => (0, 0),
    }
}

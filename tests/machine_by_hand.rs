//! The machine on programs built by hand: independent of the front end, one small program for each rule.

mod support;

use ample::internals::machine::{FaultKind, Machine};
use promela_lite::code::{BinOp, Cell, Code, Instr, Region, Scalar};
use promela_lite::program::{
    Action, ChanTemplate, Edge, EdgeId, Footprint, Frame, Graph, Loc, Location, Proctype,
    ProctypeId, Program, RecvArg, RecvId, RecvOp, SendId, SendOp, TemplateId,
};
use promela_lite::source::Span;
use std::sync::Arc;
use support::machine::explore;

#[derive(Default)]
struct Build {
    program: Program,
    init: Vec<Instr>,
}

impl Build {
    fn code(&mut self, instrs: &[Instr]) -> Code {
        let start = self.program.instrs.len() as u32;
        self.program.instrs.extend_from_slice(instrs);
        Code {
            start,
            end: self.program.instrs.len() as u32,
        }
    }

    fn global(&mut self, ty: Scalar) -> Cell {
        let offset = self.program.globals.size;
        self.program.globals.size += ty.size();
        Cell {
            region: Region::Global,
            offset,
            ty,
        }
    }

    fn chan(&mut self, capacity: u32, fields: &[Scalar]) -> Cell {
        let template = TemplateId(self.program.templates.len() as u32);
        self.program.templates.push(ChanTemplate {
            capacity,
            fields: fields.to_vec(),
            mtypes: vec![None; fields.len()],
            name: "c".into(),
            span: Span::NONE,
        });
        let cell = self.global(Scalar::Chan);
        self.init
            .extend([Instr::NewChan(template), Instr::Store(cell)]);
        cell
    }

    fn send(&mut self, chan: Cell, args: &[i32]) -> Action {
        let chan = self.code(&[Instr::Load(chan)]);
        let args = args
            .iter()
            .map(|&v| self.code(&[Instr::Const(v)]))
            .collect();
        self.program.sends.push(SendOp {
            chan,
            args,
            sorted: false,
            span: Span::NONE,
            chan_text: String::new(),
        });
        Action::Send(SendId(self.program.sends.len() as u32 - 1))
    }

    fn recv(&mut self, chan: Cell, args: Vec<RecvArg>) -> Action {
        let chan = self.code(&[Instr::Load(chan)]);
        self.program.recvs.push(RecvOp {
            chan,
            args,
            random: false,
            peek: false,
            poll: false,
            span: Span::NONE,
            chan_text: String::new(),
        });
        Action::Recv(RecvId(self.program.recvs.len() as u32 - 1))
    }

    /// Adds an active process with these edges (from, to, action, atomic, level) in order; the last location has
    /// the end of the process.
    fn process(&mut self, mut edges: Vec<(u32, u32, Action, bool, u8)>) -> ProctypeId {
        let last = edges.iter().map(|e| e.1).max().unwrap_or(0);
        edges.push((last, last, Action::End, false, 0));
        edges.sort_by_key(|e| e.0);
        let locations = (0..=last)
            .map(|loc| Location {
                number: loc,
                first: EdgeId(edges.iter().take_while(|e| e.0 < loc).count() as u32),
                count: edges.iter().filter(|e| e.0 == loc).count() as u32,
                labels: Vec::new(),
                end: loc == last,
                accept: false,
                progress: false,
                span: Span::NONE,
            })
            .collect();
        let edges = edges
            .into_iter()
            .enumerate()
            .map(|(i, (from, to, action, atomic, level))| Edge {
                from: Loc(from),
                to: Loc(to),
                action,
                then: Code::EMPTY,
                atomic,
                d_step: false,
                level,
                step: i as u32,
                span: Span::NONE,
                text: String::new(),
                footprint: Footprint::default(),
                plain: vec![EdgeId(i as u32)].into(),
            })
            .collect();
        let id = ProctypeId(self.program.proctypes.len() as u16);
        self.program.proctypes.push(Proctype {
            name: format!("P{}", id.0),
            span: Span::NONE,
            frame: Frame::default(),
            parameters: Vec::new(),
            init: Code::EMPTY,
            channels: 0,
            graph: Graph {
                locations,
                edges,
                start: Loc(0),
                ..Graph::default()
            },
            provided: None,
            provided_footprint: Footprint::default(),
            priority: 1,
            deterministic: false,
            activations: Vec::new(),
        });
        id
    }

    fn active(&mut self, edges: Vec<(u32, u32, Action, bool, u8)>) {
        let id = self.process(edges);
        self.program.active.push(id);
    }

    fn finish(mut self) -> Program {
        let init = std::mem::take(&mut self.init);
        self.program.init = self.code(&init);
        self.program
    }
}

fn add(x: Cell, n: i32) -> [Instr; 4] {
    [
        Instr::Load(x),
        Instr::Const(n),
        Instr::Binary(BinOp::Add, Span::NONE),
        Instr::Store(x),
    ]
}

fn compare(x: Cell, op: BinOp, n: i32) -> [Instr; 3] {
    [
        Instr::Load(x),
        Instr::Const(n),
        Instr::Binary(op, Span::NONE),
    ]
}

#[test]
fn two_counters_interleave() {
    let mut b = Build::default();
    let x = b.global(Scalar::Byte);
    let inc = b.code(&add(x, 1));
    for _ in 0..2 {
        b.active(vec![(0, 1, Action::Effect(inc), false, 0)]);
    }
    // Nobody moved; one did, either of them; both did; the younger is gone before the older moves, or after; all
    // are gone.
    let counts = explore(b.finish());
    assert_eq!((counts.stored, counts.matched), (7, 2));
    assert_eq!(counts.deadlocks, 0);
}

#[test]
fn a_bit_wraps_and_a_short_keeps_its_sign() {
    let mut b = Build::default();
    let bit = b.global(Scalar::Bit);
    let short = b.global(Scalar::Short);
    let set = b.code(&[
        Instr::Const(2),
        Instr::Store(bit),
        Instr::Const(0x1_8000),
        Instr::Store(short),
        Instr::Load(bit),
        Instr::Const(0),
        Instr::Binary(BinOp::Eq, Span::NONE),
        Instr::Assert(Span::NONE),
        Instr::Load(short),
        Instr::Const(-0x8000),
        Instr::Binary(BinOp::Eq, Span::NONE),
        Instr::Assert(Span::NONE),
    ]);
    b.active(vec![(0, 1, Action::Effect(set), false, 0)]);
    assert_eq!(explore(b.finish()).faults, []);
}

#[test]
fn atomic_chains_are_not_stored_until_they_block() {
    let mut b = Build::default();
    let x = b.global(Scalar::Byte);
    let inc = b.code(&add(x, 1));
    let wait = b.code(&compare(x, BinOp::Eq, 9));
    b.active(vec![
        (0, 1, Action::Effect(inc), true, 0),
        (1, 2, Action::Guard(wait), true, 0),
        (2, 3, Action::Effect(inc), false, 0),
    ]);
    let counts = explore(b.finish());
    assert_eq!((counts.stored, counts.atomic, counts.deadlocks), (2, 1, 1));
}

#[test]
fn a_rendezvous_hands_control_to_the_receiver() {
    let mut b = Build::default();
    let c = b.chan(0, &[Scalar::Byte]);
    let x = b.global(Scalar::Byte);
    let y = b.global(Scalar::Byte);
    let (inc_x, inc_y) = (b.code(&add(x, 1)), b.code(&add(y, 1)));
    let send = b.send(c, &[7]);
    let recv = b.recv(c, vec![RecvArg::Bind(x)]);
    let miss = b.code(&[Instr::Const(8)]);
    let never = b.recv(c, vec![RecvArg::Match(miss)]);
    b.active(vec![
        (0, 1, send, true, 0),
        (1, 2, Action::Effect(inc_x), false, 0),
    ]);
    b.active(vec![
        (0, 1, never, true, 0),
        (0, 1, recv, true, 0),
        (1, 2, Action::Effect(inc_y), false, 0),
    ]);
    let counts = explore(b.finish());
    // initial; [handshake, y = 1]; then P0's x and P1's end in either order; P0's end last.
    assert_eq!((counts.stored, counts.matched, counts.atomic), (6, 1, 1));
    assert_eq!(counts.deadlocks, 0);
}

#[test]
fn an_escape_outranks_what_it_covers() {
    let mut b = Build::default();
    let x = b.global(Scalar::Byte);
    let stop = b.code(&compare(x, BinOp::Eq, 2));
    let inc = b.code(&add(x, 1));
    b.active(vec![
        (0, 1, Action::Guard(stop), false, 0),
        (0, 0, Action::Effect(inc), false, 1),
    ]);
    let counts = explore(b.finish());
    assert_eq!((counts.stored, counts.deadlocks), (5, 0));
}

#[test]
fn else_and_timeout_wait_for_their_turn() {
    let mut b = Build::default();
    let x = b.global(Scalar::Byte);
    let one = b.code(&compare(x, BinOp::Eq, 1));
    let zero = b.code(&compare(x, BinOp::Eq, 0));
    let timeout = b.code(&[Instr::Timeout]);
    let inc = b.code(&add(x, 1));
    b.program.features.timeout = true;
    b.active(vec![
        (0, 1, Action::Guard(one), false, 0),
        (0, 1, Action::Else, false, 0),
        (1, 2, Action::Guard(timeout), false, 0),
        (2, 3, Action::Effect(inc), false, 0),
    ]);
    b.active(vec![(0, 1, Action::Guard(zero), false, 0)]);
    let counts = explore(b.finish());
    assert_eq!((counts.stored, counts.deadlocks), (9, 0));
}

#[test]
fn processes_and_their_channels_come_and_go() {
    let mut b = Build::default();
    b.program.templates.push(ChanTemplate {
        capacity: 1,
        fields: vec![Scalar::Byte],
        mtypes: vec![None],
        name: "own".into(),
        span: Span::NONE,
    });
    let own = Cell {
        region: Region::Local,
        offset: 1,
        ty: Scalar::Chan,
    };
    let parameter = Cell {
        region: Region::Local,
        offset: 0,
        ty: Scalar::Byte,
    };
    let g = b.global(Scalar::Byte);
    let send = b.send(own, &[5]);
    let recv = b.recv(own, vec![RecvArg::Bind(g)]);
    let check = b.code(&[
        Instr::Load(g),
        Instr::Const(5),
        Instr::Binary(BinOp::Eq, Span::NONE),
        Instr::Assert(Span::NONE),
        Instr::Load(parameter),
        Instr::Const(4),
        Instr::Binary(BinOp::Eq, Span::NONE),
        Instr::Assert(Span::NONE),
    ]);
    let child = b.process(vec![
        (0, 1, send, false, 0),
        (1, 2, recv, false, 0),
        (2, 3, Action::Effect(check), false, 0),
    ]);
    let make = b.code(&[Instr::NewChan(TemplateId(0)), Instr::Store(own)]);
    b.program.proctypes[child.index()].init = make;
    b.program.proctypes[child.index()].frame.size = 3;
    b.program.proctypes[child.index()].parameters = vec![parameter];
    let run = b.code(&[
        Instr::Const(0x104),
        Instr::Run {
            proctype: child,
            args: 1,
            priority: 0,
            span: Span::NONE,
        },
    ]);
    b.active(vec![
        (0, 1, Action::Guard(run), false, 0),
        (1, 0, Action::Skip, false, 0),
    ]);
    // The parent would start children for ever: stop at the second.
    let two = b.code(&[
        Instr::NrProcesses,
        Instr::Const(2),
        Instr::Binary(BinOp::Le, Span::NONE),
    ]);
    let parent = b.program.active[0];
    let edge = b.program.proctypes[parent.index()].graph.locations[1]
        .first
        .index();
    b.program.proctypes[parent.index()].graph.edges[edge].action = Action::Guard(two);
    let counts = explore(b.finish());
    assert_eq!(counts.faults, []);
    assert!(counts.stored > 20);
}

#[test]
fn a_d_step_is_executable_when_its_first_statement_is() {
    let mut b = Build::default();
    let x = b.global(Scalar::Byte);
    let start = b.program.instrs.len() as u32;
    let code = b.code(&[
        Instr::Load(x),
        Instr::Const(1),
        Instr::Binary(BinOp::Eq, Span::NONE),
        Instr::JumpIfZero(start + 9),
        Instr::Load(x),
        Instr::Const(4),
        Instr::Binary(BinOp::Add, Span::NONE),
        Instr::Store(x),
        Instr::Return,
        Instr::NotExecutable,
    ]);
    let inc = b.code(&add(x, 1));
    b.active(vec![(0, 1, Action::DStep(code), false, 0)]);
    b.active(vec![(0, 1, Action::Effect(inc), false, 0)]);
    let counts = explore(b.finish());
    assert_eq!((counts.stored, counts.deadlocks), (6, 0));
}

#[test]
fn a_failing_guard_names_its_step_and_the_rest_goes_on() {
    let mut b = Build::default();
    let x = b.global(Scalar::Byte);
    let bad = b.code(&[
        Instr::Const(1),
        Instr::Load(x),
        Instr::Binary(BinOp::Div, Span::NONE),
    ]);
    b.active(vec![
        (0, 1, Action::Guard(bad), false, 0),
        (0, 1, Action::Skip, false, 0),
    ]);
    let mut machine = Machine::new(Arc::new(b.finish()));
    let (mut state, mut moves) = (Vec::new(), Vec::new());
    machine.initial(&mut state).unwrap();
    let (mv, fault) = machine.moves(&state, None, &mut moves).unwrap_err();
    assert_eq!(
        (mv.edge, fault.kind),
        (EdgeId(0), FaultKind::DivisionByZero)
    );
    assert_eq!(moves.len(), 1);
}

//! The ways an expression can be evaluated agree: as code, in its quick form, and by its definition.

use super::compiled::{CompiledModel, Form};
use super::interpret::{eval, quick};
use super::scratch::{Scratch, Who};
use super::tables::Tables;
use super::tree::Source;
use super::{FaultKind, Pid};
use promela_lite::code::{BinOp, Cell, Code, Instr, Region, Scalar, UnOp};
use promela_lite::program::Program;
use promela_lite::source::Span;
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Expr {
    Const(i32),
    /// One of the variables.
    Var(usize),
    /// An element of the array.
    Element(Box<Expr>),
    Pid,
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

const TYPES: [Scalar; 5] = [
    Scalar::Byte,
    Scalar::Bit,
    Scalar::Short,
    Scalar::Int,
    Scalar::Unsigned(5),
];
/// Elements of the array, which lies behind the variables.
const LEN: u32 = 3;
const PID: Pid = Pid(2);

fn variable(index: usize) -> Cell {
    let offset = TYPES[..index].iter().map(|ty| ty.size()).sum();
    Cell {
        region: Region::Global,
        offset,
        ty: TYPES[index],
    }
}

fn array() -> u32 {
    TYPES.iter().map(|ty| ty.size()).sum()
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (-2..4i32).prop_map(Expr::Const),
        (0..TYPES.len()).prop_map(Expr::Var),
        Just(Expr::Pid),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let two = || (inner.clone(), inner.clone());
        let binary = prop::sample::select(vec![
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::Div,
            BinOp::Rem,
            BinOp::Shl,
            BinOp::Shr,
            BinOp::BitAnd,
            BinOp::BitOr,
            BinOp::BitXor,
            BinOp::Eq,
            BinOp::Ne,
            BinOp::Lt,
            BinOp::Le,
            BinOp::Gt,
            BinOp::Ge,
        ]);
        let unary = prop::sample::select(vec![UnOp::Neg, UnOp::BitNot, UnOp::Not]);
        prop_oneof![
            inner.clone().prop_map(|e| Expr::Element(e.into())),
            (unary, inner.clone()).prop_map(|(op, e)| Expr::Unary(op, e.into())),
            (binary, two()).prop_map(|(op, (a, b))| Expr::Binary(op, a.into(), b.into())),
            two().prop_map(|(a, b)| Expr::And(a.into(), b.into())),
            two().prop_map(|(a, b)| Expr::Or(a.into(), b.into())),
            (inner.clone(), two()).prop_map(|(c, (a, b))| Expr::If(c.into(), a.into(), b.into())),
        ]
    })
}

/// Compiles as the front end does.
fn compile(e: &Expr, out: &mut Vec<Instr>) {
    match e {
        Expr::Const(v) => out.push(Instr::Const(*v)),
        Expr::Var(index) => out.push(Instr::Load(variable(*index))),
        Expr::Pid => out.push(Instr::SelfPid),
        Expr::Element(index) => {
            out.push(Instr::Const(array() as i32));
            compile(index, out);
            out.push(Instr::Index {
                len: LEN,
                stride: 2,
                span: Span::NONE,
            });
            out.push(Instr::LoadAt(Region::Global, Scalar::Short));
        }
        Expr::Unary(op, a) => {
            compile(a, out);
            out.push(Instr::Unary(*op));
        }
        Expr::Binary(op, a, b) => {
            compile(a, out);
            compile(b, out);
            out.push(Instr::Binary(*op, Span::NONE));
        }
        Expr::And(a, b) => short_circuit(Instr::AndThen, a, b, out),
        Expr::Or(a, b) => short_circuit(Instr::OrElse, a, b, out),
        Expr::If(c, a, b) => {
            compile(c, out);
            let other = hole(out);
            compile(a, out);
            let end = hole(out);
            out[other] = Instr::JumpIfZero(out.len() as u32);
            compile(b, out);
            out[end] = Instr::Jump(out.len() as u32);
        }
    }
}

fn hole(out: &mut Vec<Instr>) -> usize {
    out.push(Instr::Return);
    out.len() - 1
}

fn short_circuit(jump: fn(u32) -> Instr, a: &Expr, b: &Expr, out: &mut Vec<Instr>) {
    compile(a, out);
    let end = hole(out);
    compile(b, out);
    out.push(Instr::Unary(UnOp::Bool));
    out[end] = jump(out.len() as u32);
}

/// The value by definition.
fn define(e: &Expr, vars: &[i32], elements: &[i32]) -> Result<i32, FaultKind> {
    let value = |e: &Expr| define(e, vars, elements);
    Ok(match e {
        Expr::Const(v) => *v,
        Expr::Var(index) => TYPES[*index].truncate(vars[*index]),
        Expr::Pid => i32::from(PID.0),
        Expr::Element(index) => {
            let index = value(index)?;
            let element = usize::try_from(index).ok().and_then(|i| elements.get(i));
            let fault = FaultKind::IndexOutOfRange { index, len: LEN };
            i32::from(*element.ok_or(fault)? as i16)
        }
        Expr::Unary(op, a) => {
            let a = value(a)?;
            op.of(a)
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            match op {
                BinOp::Div | BinOp::Rem if b == 0 => return Err(FaultKind::DivisionByZero),
                BinOp::Shl | BinOp::Shr if !(0..=31).contains(&b) => {
                    return Err(FaultKind::ShiftOutOfRange { distance: b });
                }
                _ => op.of(a, b),
            }
        }
        Expr::And(a, b) => i32::from(value(a)? != 0 && value(b)? != 0),
        Expr::Or(a, b) => i32::from(value(a)? != 0 || value(b)? != 0),
        Expr::If(c, a, b) => match value(c)? {
            0 => value(b)?,
            _ => value(a)?,
        },
    })
}

proptest! {
    #[test]
    fn all_ways_agree(
        e in expression(),
        vars in prop::collection::vec(-3..70_000i32, TYPES.len()),
        elements in prop::collection::vec(-3..40_000i32, LEN as usize),
    ) {
        let mut program = Program::default();
        compile(&e, &mut program.instrs);
        program.globals.size = array() + 2 * LEN;
        let code = Code { start: 0, end: program.instrs.len() as u32 };
        let mut model = CompiledModel::new(Arc::new(program), Form::Quick, 0);
        let mut scratch = Scratch::new(Tables::new(&model.layout));
        let mut state = Vec::new();
        scratch.tables.begin(&model.layout, &mut state).unwrap();
        for (index, value) in vars.iter().enumerate() {
            let cell = variable(index);
            let at = model.layout.globals + cell.offset as usize;
            let value = cell.ty.truncate(*value).to_le_bytes();
            state[at..][..cell.ty.size() as usize].copy_from_slice(&value[..cell.ty.size() as usize]);
        }
        for (index, value) in elements.iter().enumerate() {
            let at = model.layout.globals + array() as usize + 2 * index;
            state[at..][..2].copy_from_slice(&value.to_le_bytes()[..2]);
        }
        let expected = define(&e, &vars, &elements);
        let who = Who { pid: PID, locals: 0 };
        let as_code = eval(&model, &mut scratch, &state, who, code).map_err(|f| f.kind);
        prop_assert_eq!(&as_code, &expected);
        let source = Source { instrs: &model.program.instrs, ops: &model.code, layout: &model.layout };
        let short = model.trees.quick(source, code);
        let as_quick = quick(&model, &mut scratch, &state, who, &short).map_err(|f| f.kind);
        prop_assert_eq!(&as_quick, &expected);
    }
}

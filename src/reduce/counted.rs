//! How many processes may be started from a place on.
//!
//! A `run` that lies on no cycle is made once. One that lies on a cycle is bounded if every way round counts: a local variable
//! is compared with a bound (`i < 3`, `i <= n - 1`), and is only ever increased on the cycle, which cannot be done again and
//! again without the comparison. Then the cycle is gone round at most as often as there are values below the bound. What
//! lies within, cycles that do not count included, is judged in the same way once the increases are left out. A bound is made
//! of constants and of parameters that are assigned nothing but constants (0 when they are not read any more), and are else as they
//! are given at the `run`s: only the greatest value matters that it ever has.
//! Counting down (`n > 0 -> n--`) is counting up with all signs changed.
//!
//! The argument, for a component C of the graph, a variable v that is written in C by increases only, the comparisons G with
//! a constant K, and no cycle of C without G that has an increase: between two increases of which neither is the first on
//! its way from G there is a step of G, where v <= K. So while control stays in C there are at most K - m + 1 + n increases,
//! with m the least value that v is ever given and n the number of steps that increase it. Between two of them control
//! moves in C without increases. After a step of G each of the n steps is made once at most before the next one, so v never
//! exceeds K + n: that has to be a value of its type, or it would begin again at 0.

use super::channel_values::{Event, Value, follow};
use super::facts::{components_of, run_targets};
use promela_lite::code::{BinOp, Cell, Code, Instr, Region, Scalar, UnOp};
use promela_lite::program::*;
use rustc_hash::FxHashSet;

/// More processes than can be told.
pub(super) const UNBOUNDED: u64 = u64::MAX;

/// How deeply cycles may be nested to be looked at.
const MAX_DEPTH: usize = 8;

/// Between which values the parameters of each proctype are when a process starts.
pub(super) struct Parameters(Vec<Vec<(i64, i64)>>);

impl Parameters {
    pub(super) fn new(program: &Program) -> Parameters {
        // Those of a process that is there from the beginning are 0.
        let none = |p: &Proctype| vec![(0, 0); p.parameters.len()];
        let mut ranges: Vec<Vec<(i64, i64)>> = program.proctypes.iter().map(none).collect();
        let mut note = |event| {
            if let Event::Started(id, index, value) = event
                && let Some(cell) = program.proctypes[id.index()].parameters.get(index)
            {
                let all = range_of(cell.ty);
                let (lo, hi) = match value {
                    Value::Const(value) => {
                        let value = i64::from(cell.ty.truncate(value));
                        (value, value)
                    }
                    _ => all,
                };
                let known = &mut ranges[id.index()][index];
                *known = (known.0.min(lo), known.1.max(hi));
            }
        };
        for edge in program.proctypes.iter().flat_map(|p| &p.graph.edges) {
            if run_targets(program, edge).next().is_none() {
                continue;
            }
            let code = match edge.action {
                Action::Guard(code) | Action::Effect(code) | Action::DStep(code) => code,
                _ => Code::EMPTY,
            };
            follow(program, code, &mut note);
            follow(program, edge.then, &mut note);
        }
        Parameters(ranges)
    }
}

/// What a variable of that type can hold.
fn range_of(ty: Scalar) -> (i64, i64) {
    match ty {
        Scalar::Bit => (0, 1),
        Scalar::Byte | Scalar::Pid | Scalar::Mtype => (0, 0xff),
        Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Scalar::Chan => (0, 0xffff),
        Scalar::Unsigned(bits) if bits < 32 => (0, (1 << bits) - 1),
        Scalar::Int | Scalar::Unsigned(_) => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}

/// For each location of a proctype how many processes may come to be from there on, those that the started ones start
/// included: `brood` says how many come of one that is started. From where one of the edges `endless` may be taken, that
/// cannot be told.
pub(super) fn started_from(
    program: &Program,
    parameters: &Parameters,
    id: ProctypeId,
    endless: &[bool],
    brood: impl Fn(ProctypeId) -> u64,
) -> Vec<u64> {
    let proctype = &program.proctypes[id.index()];
    let graph = &proctype.graph;
    let cost = |edge: &Edge| {
        let targets = run_targets(program, edge).map(&brood);
        targets.fold(0, u64::saturating_add)
    };
    let costs = graph.edges.iter().zip(endless);
    let costs: Vec<u64> = costs
        .map(|(edge, &endless)| if endless { UNBOUNDED } else { cost(edge) })
        .collect();
    if costs.iter().all(|&cost| cost == 0) {
        return vec![0; graph.locations.len()];
    }
    let mut loops = Loops {
        program,
        proctype,
        costs: &costs,
        known: Vec::new(),
    };
    let ranges = proctype.parameters.iter().zip(&parameters.0[id.index()]);
    loops.known = ranges
        .filter_map(|(&cell, &range)| Some((cell, loops.values_of(cell, range)?)))
        .collect();
    let component = components_of(graph, |_| true);
    let count = component.iter().map(|&c| c as usize + 1).max().unwrap_or(0);
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, edge) in graph.edges.iter().enumerate() {
        let from = component[edge.from.index()] as usize;
        match edge.action != Action::End && component[edge.to.index()] as usize == from {
            true => inside[from].push(number),
            false => leaving[from].push(number),
        }
    }
    // Components are numbered successors first.
    let mut from_here: Vec<u64> = Vec::with_capacity(count);
    for number in 0..count {
        let behind = leaving[number].iter().map(|&edge| {
            let next = component[graph.edges[edge].to.index()] as usize;
            let then = match graph.edges[edge].action {
                Action::End => 0,
                _ => from_here[next],
            };
            costs[edge].saturating_add(then)
        });
        let behind = behind.max().unwrap_or(0);
        from_here.push(behind.saturating_add(loops.cost(&inside[number], MAX_DEPTH)));
    }
    component.iter().map(|&c| from_here[c as usize]).collect()
}

struct Loops<'p> {
    program: &'p Program,
    proctype: &'p Proctype,
    costs: &'p [u64],
    /// Parameters that are assigned nothing but constants, and between which values they are.
    known: Vec<(Cell, (i64, i64))>,
}

/// A variable that is compared, and what a step is possible with.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Counter {
    cell: Cell,
    /// With values that do not exceed the limit; else with those that are not below.
    up: bool,
    /// The limit, with the sign changed where one counts down.
    most: i64,
}

impl Counter {
    /// Whether the other one compares the same variable, with a limit that lets nothing else pass.
    fn includes(&self, other: Counter) -> bool {
        (self.cell, self.up) == (other.cell, other.up) && other.most <= self.most
    }

    /// A value, with the sign changed where one counts down.
    fn signed(&self, value: i64) -> i64 {
        if self.up { value } else { -value }
    }
}

impl Loops<'_> {
    fn graph(&self) -> &Graph {
        &self.proctype.graph
    }

    /// Between which values a parameter is that is given one of these; `None` if it is assigned anything but constants, as it
    /// is when it is not read any more.
    fn values_of(&self, cell: Cell, given: (i64, i64)) -> Option<(i64, i64)> {
        if cell.ty == Scalar::Chan || self.stores(self.proctype.init, cell) != Writes::Nothing {
            return None;
        }
        let (mut lo, mut hi) = given;
        for edge in &self.graph().edges {
            match self.writes(edge, cell) {
                Writes::Nothing => {}
                Writes::Sets(value) => (lo, hi) = (lo.min(value), hi.max(value)),
                Writes::Adds(_) | Writes::Anything => return None,
            }
        }
        Some((lo, hi))
    }

    /// How many processes may be started while control moves along these edges, all of one component.
    fn cost(&self, edges: &[usize], depth: usize) -> u64 {
        if edges.iter().all(|&edge| self.costs[edge] == 0) {
            return 0;
        }
        if depth == 0 {
            return UNBOUNDED;
        }
        let mut tried = FxHashSet::default();
        let counters = edges.iter().filter_map(|&edge| self.compares(edge));
        for counter in counters.filter(|c| tried.insert((c.cell.offset, c.up))) {
            let Some((rounds, rest)) = self.rounds(edges, counter) else {
                continue;
            };
            let graph = self.graph();
            let kept: FxHashSet<usize> = rest.iter().copied().collect();
            let component = components_of(graph, |edge| kept.contains(&edge));
            // What lies on no cycle any more, and each component that is left.
            let mut once = 0u64;
            let mut cycles: Vec<(u32, usize)> = Vec::new();
            for &edge in edges {
                let number = component[graph.edges[edge].from.index()];
                match kept.contains(&edge) && number == component[graph.edges[edge].to.index()] {
                    true => cycles.push((number, edge)),
                    false => once = once.saturating_add(self.costs[edge]),
                }
            }
            cycles.sort_unstable();
            for cycle in cycles.chunk_by(|a, b| a.0 == b.0) {
                let edges: Vec<usize> = cycle.iter().map(|&(_, edge)| edge).collect();
                once = once.saturating_add(self.cost(&edges, depth - 1));
            }
            let all = once.saturating_mul(rounds.saturating_add(1));
            if all < UNBOUNDED {
                return all;
            }
        }
        UNBOUNDED
    }

    /// The local variable that a step compares with a bound.
    fn compares(&self, edge: usize) -> Option<Counter> {
        let Action::Guard(code) = self.graph().edges[edge].action else {
            return None;
        };
        if !is_conjunction(self.program, code) {
            return None;
        }
        let [Instr::Load(cell), ref bound @ ..] = self.program.instrs[code.range()] else {
            return None;
        };
        let (op, (lo, hi), rest) = self.bound(bound)?;
        let ends = matches!(rest, [] | [Instr::Return, ..] | [Instr::AndThen(_), ..]);
        if cell.region != Region::Local || !ends {
            return None;
        }
        let natural = range_of(cell.ty).0 == 0;
        let (up, limit) = match op {
            BinOp::Lt => (true, hi - 1),
            BinOp::Le => (true, hi),
            BinOp::Gt => (false, lo + 1),
            BinOp::Ge => (false, lo),
            BinOp::Ne if natural && (lo, hi) == (0, 0) => (false, 1),
            _ => return None,
        };
        let most = if up { limit } else { -limit };
        Some(Counter { cell, up, most })
    }

    /// Between which values an expression of constants and known parameters is, what it is compared by, and what follows.
    fn bound<'i>(&self, instrs: &'i [Instr]) -> Option<(BinOp, (i64, i64), &'i [Instr])> {
        let mut stack: Vec<(i64, i64)> = Vec::new();
        for (at, instr) in instrs.iter().enumerate() {
            match *instr {
                Instr::Const(value) => stack.push((i64::from(value), i64::from(value))),
                Instr::Load(cell) => {
                    let mut known = self.known.iter();
                    stack.push(known.find(|(known, _)| *known == cell)?.1);
                }
                Instr::Binary(op @ (BinOp::Add | BinOp::Sub), _) if stack.len() > 1 => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    let (lo, hi) = match op {
                        BinOp::Add => (a.0 + b.0, a.1 + b.1),
                        _ => (a.0 - b.1, a.1 - b.0),
                    };
                    let all = range_of(Scalar::Int);
                    if lo < all.0 || hi > all.1 {
                        return None;
                    }
                    stack.push((lo, hi));
                }
                Instr::Binary(op, _) if stack.len() == 1 => {
                    return Some((op, stack[0], &instrs[at + 1..]));
                }
                _ => return None,
            }
        }
        None
    }

    /// How often that variable may be increased along the edges, if it is never anything but increased, and never without a
    /// comparison; and the edges that do not increase it.
    fn rounds(&self, edges: &[usize], counter: Counter) -> Option<(u64, Vec<usize>)> {
        let graph = self.graph();
        let mut increases = Vec::new();
        let mut rest = Vec::new();
        for &edge in edges {
            match self.writes(&graph.edges[edge], counter.cell) {
                Writes::Nothing => rest.push(edge),
                Writes::Adds(one) if counter.signed(one) == 1 => increases.push(edge),
                Writes::Adds(_) | Writes::Sets(_) | Writes::Anything => return None,
            }
        }
        let least = self.least(counter)?;
        let compares = |edge: usize| self.compares(edge).is_some_and(|c| counter.includes(c));
        let unchecked: FxHashSet<usize> = edges.iter().copied().filter(|&e| !compares(e)).collect();
        let component = components_of(graph, |edge| unchecked.contains(&edge));
        let circles = |&number: &usize| {
            let edge = &graph.edges[number];
            let same = component[edge.from.index()] == component[edge.to.index()];
            same && unchecked.contains(&number)
        };
        let greatest = counter.signed(counter.most.saturating_add(increases.len() as i64));
        let (lo, hi) = range_of(counter.cell.ty);
        if increases.is_empty() || !(lo..=hi).contains(&greatest) || increases.iter().any(circles) {
            return None;
        }
        let values = u64::try_from(counter.most - least + 1).unwrap_or(0);
        Some((values.saturating_add(increases.len() as u64), rest))
    }

    /// The least value that a variable ever has; `None` if that is not known. One with a sign must be far from its greatest
    /// value whenever it is increased, lest it become negative: no way round increases it without a comparison.
    fn least(&self, counter: Counter) -> Option<i64> {
        let cell = counter.cell;
        let far = match cell.ty {
            Scalar::Short => 1 << 14,
            Scalar::Int => 1 << 30,
            Scalar::Unsigned(32) => return None,
            _ if counter.up => return Some(0),
            _ => return Some(-range_of(cell.ty).1),
        };
        let mut parameters = self.proctype.parameters.iter();
        if parameters.any(|p| p.offset == cell.offset) {
            return None;
        }
        let graph = self.graph();
        if graph.edges.len() >= 1 << 14 {
            return None;
        }
        let compares = |edge: usize| {
            let same = self.compares(edge);
            same.is_some_and(|c| (c.cell, c.up) == (cell, counter.up) && c.most < far)
        };
        let unchecked: Vec<bool> = (0..graph.edges.len()).map(|e| !compares(e)).collect();
        let component = components_of(graph, |edge| unchecked[edge]);
        let mut least = match self.stores(self.proctype.init, cell) {
            Writes::Nothing => 0,
            Writes::Sets(value) if counter.signed(value) < far => counter.signed(value).min(0),
            _ => return None,
        };
        for (number, edge) in graph.edges.iter().enumerate() {
            let same = component[edge.from.index()] == component[edge.to.index()];
            match self.writes(edge, cell) {
                Writes::Nothing => {}
                Writes::Adds(one) if counter.signed(one) == 1 && !(same && unchecked[number]) => {}
                Writes::Sets(value) if counter.signed(value) < far => {
                    least = least.min(counter.signed(value));
                }
                _ => return None,
            }
        }
        Some(least)
    }

    fn writes(&self, edge: &Edge, cell: Cell) -> Writes {
        let (lo, hi) = (cell.offset, cell.offset + cell.ty.size());
        let touches = |w: &&Access| w.place == Place::Own && w.lo < hi && lo < w.hi;
        let mut writes = edge.footprint.writes.iter().filter(touches);
        let exact = |w: &Access| w.lo == lo && w.hi == hi;
        if edge.footprint.writes.iter().filter(touches).count() == 0 {
            return Writes::Nothing;
        }
        let action = match edge.action {
            Action::Guard(code) | Action::Effect(code) => self.stores(code, cell),
            Action::Skip | Action::Else => Writes::Nothing,
            _ => Writes::Anything,
        };
        match (writes.all(exact), action, self.stores(edge.then, cell)) {
            (true, Writes::Nothing, other) | (true, other, Writes::Nothing) => other,
            _ => Writes::Anything,
        }
    }

    /// What a code does to a variable, if it does it once.
    fn stores(&self, code: Code, cell: Cell) -> Writes {
        let instrs = &self.program.instrs[code.range()];
        if instrs.iter().any(|i| {
            matches!(
                i,
                Instr::StoreAt(Region::Local, _) | Instr::RecvOr(..) | Instr::JumpBack(..)
            )
        }) {
            return Writes::Anything;
        }
        let is_store = |i: &Instr| matches!(i, Instr::Store(to) if to.region == Region::Local && to.offset == cell.offset);
        let mut stores = (0..instrs.len()).filter(|&at| is_store(&instrs[at]));
        let (first, second) = (stores.next(), stores.next());
        let Some(at) = first else {
            return Writes::Nothing;
        };
        match (second, &instrs[..at]) {
            (
                None,
                [
                    ..,
                    Instr::Load(from),
                    Instr::Const(by @ (1 | -1)),
                    Instr::Binary(op @ (BinOp::Add | BinOp::Sub), _),
                ],
            ) if *from == cell => Writes::Adds(match op {
                BinOp::Add => i64::from(*by),
                _ => -i64::from(*by),
            }),
            (None, [.., Instr::Const(value)]) if self.is_alone(code, at) => {
                Writes::Sets(i64::from(cell.ty.truncate(*value)))
            }
            _ => Writes::Anything,
        }
    }

    /// Whether the value before a store is all that may be stored: nothing jumps between the two.
    fn is_alone(&self, code: Code, store: usize) -> bool {
        let target = code.start + store as u32;
        let mut instrs = self.program.instrs[code.range()].iter();
        !instrs.any(|i| i.target() == Some(target))
    }
}

/// Whether a code is true only if the first of its conditions is.
fn is_conjunction(program: &Program, code: Code) -> bool {
    let instrs = &program.instrs[code.range()];
    let ends_well = |target: u32| {
        let behind = instrs
            .get((target - code.start) as usize..)
            .unwrap_or_default();
        let mut rest = behind
            .iter()
            .skip_while(|i| **i == Instr::Unary(UnOp::Bool));
        matches!(rest.next(), None | Some(Instr::Return | Instr::AndThen(_)))
    };
    instrs.iter().all(|instr| match (instr, instr.target()) {
        (Instr::AndThen(_), Some(target)) => ends_well(target),
        (_, target) => target.is_none(),
    })
}

/// What is done to a variable.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Writes {
    Nothing,
    /// This is added to it: 1 or -1.
    Adds(i64),
    Sets(i64),
    Anything,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Model;

    /// How many processes may be started by a process with that body, each of which starts none.
    fn started(body: &str) -> u64 {
        let text = format!(
            "proctype C() {{ skip }}
             proctype P(byte k; byte any; int most) {{ byte b; int i; short s; byte n = 3; byte d = 9; {body} }}
             init {{ byte x; run P(2, x, 5); run P(4, x + 1, 3) }}"
        );
        let program = Model::from_source(&text).unwrap().program;
        let p = ProctypeId(1);
        let edges = program.proctypes[1].graph.edges.len();
        let parameters = Parameters::new(&program);
        let places = started_from(&program, &parameters, p, &vec![false; edges], |_| 1);
        places[program.proctypes[1].graph.start.index()]
    }

    #[test]
    fn loops_that_count_are_bounded() {
        for (body, least, most) in [
            ("run C(); run C()", 2, 2),
            ("if :: run C() :: run C(); run C() fi", 2, 2),
            ("for (i : 1 .. 3) { run C() }", 3, 10),
            ("for (b : 1 .. 3) { run C() }", 3, 10),
            ("do :: b < 3 -> run C(); b++ :: else -> break od", 3, 10),
            (
                "do :: b < 3 && n > 1 -> b++; run C() :: else -> break od",
                3,
                10,
            ),
            ("for (i : 1 .. 3) { for (b : 1 .. 2) { run C() } }", 6, 60),
            (
                "for (i : 1 .. 3) { skip } for (i : 1 .. 3) { run C() }",
                3,
                10,
            ),
            (
                "do :: b < 3 -> b++; run C() :: s < 2 -> s++; run C() :: else -> break od",
                5,
                100,
            ),
            (
                "do :: b < 254 -> b++; b++; run C() :: else -> break od",
                127,
                300,
            ),
            ("do :: b < k -> run C(); b++ :: else -> break od", 4, 10),
            (
                "do :: b < k -> run C(); b++; k = 6 :: else -> break od",
                6,
                12,
            ),
            ("for (i : 0 .. k - 1) { run C() }", 4, 10),
            ("for (i : 1 .. most) { run C() }", 5, 12),
            (
                "do :: b < any -> run C(); b++ :: else -> break od",
                255,
                300,
            ),
            ("do :: d > 0 -> run C(); d-- :: else -> break od", 9, 300),
            (
                "do :: d != 0 -> d = d - 1; run C() :: else -> break od",
                9,
                300,
            ),
            (
                "i = 4; do :: i >= 1 -> run C(); i-- :: else -> break od",
                4,
                10,
            ),
        ] {
            let count = started(body);
            assert!((least..=most).contains(&count), "{body}: {count}");
        }
    }

    #[test]
    fn loops_that_may_go_on_are_not() {
        for body in [
            "do :: run C() od",
            "do :: b < 3 -> run C() :: else -> break od",
            "do :: b < 3 -> b++ :: run C() od",
            "do :: b < 3 -> run C(); b++; b = 0 :: else -> break od",
            "do :: b < 3 -> run C(); b++; b-- :: else -> break od",
            "do :: b < 3 -> b++ :: b++; run C() od",
            "do :: b <= 255 -> b++; run C() :: else -> break od",
            "do :: b < 255 -> b++; b++; run C() :: else -> break od",
            "do :: b <= any -> b++; run C() :: else -> break od",
            "do :: d >= 0 -> d--; run C() :: else -> break od",
            "do :: d > 0 -> d--; d--; run C() :: else -> break od",
            "do :: d > 0 -> d--; run C(); d++ :: else -> break od",
            "do :: d != 1 -> d--; run C() :: else -> break od",
            "do :: b < k -> b++; k++; run C() :: else -> break od",
            "do :: b < k -> b++; k = n; run C() :: else -> break od",
            "do :: i > 0 -> i--; run C() :: i++ od",
            "do :: b < 255 -> if :: b++ :: skip fi; b++; run C() :: else -> break od",
            "do :: !(b < 3 && n > 1) -> b++; run C() :: else -> break od",
            "do :: b < 3 || n > 1 -> b++; run C() :: else -> break od",
            "do :: b < n -> b++; n++; run C() :: else -> break od",
            "do :: i++ :: break od; do :: i < 3 -> i++; run C() :: else -> break od",
            "again: run C(); if :: goto again :: skip fi",
        ] {
            assert_eq!(started(body), UNBOUNDED, "{body}");
        }
    }
}

//! From boolean programs to symbolic networks.
//!
//! Labels are places in procedures; a frame has the bits of the procedure's locals. Locals of different procedures share
//! bits: the widest local of each procedure has the first bits, and so on.
//!
//! **Results without a shared register.** A register for results would have to be protected from other threads between the
//! return and the assignment. Instead the caller guesses the result: the call puts the guess into its own variable and into
//! a hidden local of the callee, and the callee's return waits until the result is the guess. Runs with a wrong guess
//! never return, and up to there they do what runs with the right guess do, so the same places are reached with the same
//! values.
//!
//! **Variable order.** Bits of equal significance are next to each other, whatever variable they are of: then equality,
//! order and sums of variables have small BDDs.
//!
//! [`Compiled::confirm`] executes a run by evaluation of the expressions, without BDDs.

use super::expression::{Expression, Layout, Variable};
use super::program::{ProcedureId, Program, Statement};
use crate::symbolic::creation::{self, Slots};
use crate::symbolic::network::{Action, Configuration, Frame, Label, Network, Run, Target};
use crate::symbolic::space::{Bdd, Bit, Bits, Copy, Error, Result, Space};
use std::rc::Rc;

/// Where the locals of a procedure are.
#[derive(Clone, Debug)]
struct Place {
    /// The first bit of each local, the hidden result last if there is one.
    locals: Vec<(usize, usize)>,
}

/// What a rule does, in terms of the program.
#[derive(Clone, Debug)]
struct Effect {
    procedure: ProcedureId,
    guard: Expression,
    /// Assignments to globals and to locals of the old frame; `None` is any value.
    assigned: Vec<(Variable, Option<Expression>)>,
    /// For calls and spawns: the procedure and the arguments.
    arguments: Option<(ProcedureId, Vec<Expression>)>,
    /// For calls: whether the callee's hidden local is the value assigned to a local of the caller, and to which.
    guessed: Option<Option<Variable>>,
}

/// A compiled program.
#[derive(Debug)]
pub struct Compiled {
    /// The network, in which threads may be created.
    pub network: Network,
    /// For programs that create threads: the reduced network.
    pub slots: Option<Slots>,
    /// An assertion is violated.
    pub error: Target,
    /// Names of labels.
    pub names: Vec<String>,
    effects: Vec<Effect>,
    globals: Vec<(usize, usize)>,
    places: Vec<Place>,
    program: Program,
}

/// The bits of the variables of one procedure.
struct Frames<'f> {
    globals: &'f [(usize, usize)],
    place: &'f Place,
}

impl Layout for Frames<'_> {
    fn bits(&self, variable: Variable) -> Vec<Bit> {
        match variable {
            Variable::Global(number) => {
                let (first, width) = self.globals[number];
                (first..first + width).map(Bit::Global).collect()
            }
            Variable::Local(number) => {
                let (first, width) = self.place.locals[number];
                (first..first + width).map(Bit::Local).collect()
            }
        }
    }
}

/// The rules before they are relations.
struct Rules<'p> {
    program: &'p Program,
    entries: Vec<Label>,
    /// The procedure whose rules are made.
    procedure: ProcedureId,
    rules: Vec<(Label, Action, Effect)>,
    names: Vec<String>,
}

const ERROR: Label = 0;

impl Rules<'_> {
    fn label(&mut self, name: String) -> Label {
        self.names.push(name);
        self.names.len() as u32 - 1
    }

    /// A label inside the procedure.
    fn inner_label(&mut self) -> Label {
        let name = &self.program.procedures[self.procedure].name;
        self.label(format!("{name}:{}", self.names.len()))
    }

    fn rule(&mut self, from: Label, action: Action, effect: Effect) {
        self.rules.push((from, action, effect));
    }

    /// Puts the statements between two labels.
    fn block(&mut self, body: &[Statement], from: Label, to: Label) {
        let mut at = from;
        for (index, statement) in body.iter().enumerate() {
            let next = match index + 1 == body.len() {
                true => to,
                false => self.inner_label(),
            };
            self.statement(statement, at, next);
            at = next;
        }
        if body.is_empty() && from != to {
            self.rule(
                from,
                Action::Internal(to),
                plain(self.procedure, Expression::Number(1)),
            );
        }
    }

    /// A block that starts with a rule of its own.
    fn guarded(&mut self, guard: Expression, body: &[Statement], from: Label, to: Label) {
        if body.is_empty() {
            self.rule(from, Action::Internal(to), plain(self.procedure, guard));
            return;
        }
        let inside = self.inner_label();
        self.rule(from, Action::Internal(inside), plain(self.procedure, guard));
        self.block(body, inside, to);
    }

    fn statement(&mut self, statement: &Statement, from: Label, to: Label) {
        match statement {
            Statement::Step(guard, assigned) => {
                let effect = Effect {
                    assigned: assigned.clone(),
                    ..plain(self.procedure, guard.clone())
                };
                self.rule(from, Action::Internal(to), effect);
            }
            Statement::Assert(condition) => {
                self.rule(
                    from,
                    Action::Internal(to),
                    plain(self.procedure, condition.clone()),
                );
                let violated = Expression::Not(Box::new(condition.clone()));
                self.rule(
                    from,
                    Action::Internal(ERROR),
                    plain(self.procedure, violated),
                );
            }
            Statement::If(condition, then, otherwise) => {
                self.guarded(condition.clone(), then, from, to);
                let not = Expression::Not(Box::new(condition.clone()));
                self.guarded(not, otherwise, from, to);
            }
            Statement::While(condition, body) => {
                self.guarded(condition.clone(), body, from, from);
                let not = Expression::Not(Box::new(condition.clone()));
                self.rule(from, Action::Internal(to), plain(self.procedure, not));
            }
            Statement::Choose(blocks) => {
                for block in blocks {
                    self.guarded(Expression::Number(1), block, from, to);
                }
            }
            Statement::Call(callee, arguments, result) => {
                let assigned = result.iter().map(|variable| (*variable, None)).collect();
                let guessed = (self.program.procedures[*callee].result > 0).then_some(*result);
                let arguments = Some((*callee, arguments.clone()));
                let effect = Effect {
                    assigned,
                    arguments,
                    guessed,
                    ..plain(self.procedure, Expression::Number(1))
                };
                self.rule(
                    from,
                    Action::Push {
                        callee: self.entries[*callee],
                        ret: to,
                    },
                    effect,
                );
            }
            Statement::Return(value) => {
                let guard = match self.program.procedures[self.procedure].result {
                    0 => Expression::Number(1),
                    _ => {
                        let hidden =
                            Variable::Local(self.program.procedures[self.procedure].locals.len());
                        super::expression::equal(Expression::Read(hidden), value.clone())
                    }
                };
                self.rule(from, Action::Pop, plain(self.procedure, guard));
            }
            Statement::Spawn(callee, arguments) => {
                let arguments = Some((*callee, arguments.clone()));
                let effect = Effect {
                    arguments,
                    ..plain(self.procedure, Expression::Number(1))
                };
                self.rule(
                    from,
                    Action::Spawn {
                        next: to,
                        entry: self.entries[*callee],
                    },
                    effect,
                );
            }
        }
    }
}

fn plain(procedure: ProcedureId, guard: Expression) -> Effect {
    Effect {
        procedure,
        guard,
        assigned: Vec::new(),
        arguments: None,
        guessed: None,
    }
}

impl Compiled {
    /// Compiles a program for at most `bound` contexts (which matters for thread creation alone) and `nodes` BDD nodes.
    pub fn new(program: &Program, bound: usize, nodes: usize) -> Result<Compiled> {
        let mut rules = Rules {
            program,
            entries: Vec::new(),
            procedure: 0,
            rules: Vec::new(),
            names: vec!["error".to_owned()],
        };
        for procedure in &program.procedures {
            let entry = rules.label(procedure.name.clone());
            rules.entries.push(entry);
        }
        for (p, procedure) in program.procedures.iter().enumerate() {
            rules.procedure = p;
            let end = rules.label(format!("{} ends", procedure.name));
            rules.block(&procedure.body, rules.entries[p], end);
            rules.statement(&Statement::Return(Expression::Number(0)), end, end);
        }
        let entries = rules.entries.clone();
        let (places, local_widths) = places(program);
        let mut globals = Vec::new();
        let mut count = 0;
        for global in &program.globals {
            globals.push((count, global.width));
            count += global.width;
        }
        let locals: usize = local_widths.iter().sum();
        let mut spawned: Vec<Label> = Vec::new();
        for (_, action, _) in &rules.rules {
            if let Action::Spawn { entry, .. } = action {
                spawned.push(*entry);
            }
        }
        spawned.sort_unstable();
        spawned.dedup();
        let is_spawned = |p: &ProcedureId| spawned.contains(&entries[*p]);
        let mut kept: Vec<usize> = Vec::new();
        for p in (0..program.procedures.len()).filter(is_spawned) {
            kept.extend(
                places[p]
                    .locals
                    .iter()
                    .flat_map(|(first, width)| *first..first + width),
            );
        }
        kept.sort_unstable();
        kept.dedup();
        let extra = creation::bits(spawned.len(), kept.len(), bound);
        let order = order(&globals, &local_widths);
        let order = creation::order(&order, count, spawned.len(), &kept, bound);
        let space = Rc::new(Space::new(count + extra, locals, &order, nodes)?);
        let mut network = Network::new(Rc::clone(&space), rules.names.len() as u32)?;
        for (from, action, effect) in &rules.rules {
            let frames = Frames {
                globals: &globals,
                place: &places[effect.procedure],
            };
            let (relation, changed) = relation(&space, program, &frames, &places, action, effect)?;
            network.add(*from, *action, relation, changed)?;
        }
        for (global, (first, width)) in program.globals.iter().zip(&globals) {
            if let Some(value) = global.initial {
                let bits = (*first..first + width).map(Bit::Global);
                let is = space.values(bits, Copy::Now, &bits_of(value, *width))?;
                network.globals = space.and(&network.globals, &is)?;
            }
        }
        for bit in count..count + extra {
            let zero = space.values([Bit::Global(bit)], Copy::Now, &[false])?;
            network.globals = space.and(&network.globals, &zero)?;
        }
        for (p, arguments) in &program.threads {
            let arguments: Vec<Expression> =
                arguments.iter().map(|a| Expression::Number(*a)).collect();
            let frame = frame(&space, program, &places, *p, &arguments, None, Copy::Now)?;
            network.threads.push(vec![(entries[*p], frame)]);
        }
        let slots = network
            .spawns()
            .then(|| Slots::new(&network, count, &kept, bound))
            .transpose()?;
        let error = Target::SomeThread(ERROR, space.all());
        let effects = rules
            .rules
            .into_iter()
            .map(|(_, _, effect)| effect)
            .collect();
        let (names, program) = (rules.names, program.clone());
        Ok(Compiled {
            network,
            slots,
            error,
            names,
            effects,
            globals,
            places,
            program,
        })
    }

    /// The network to explore: without thread creation.
    pub fn explored(&self) -> &Network {
        self.slots
            .as_ref()
            .map_or(&self.network, |slots| &slots.network)
    }

    /// The run of the program that a run of the explored network stands for.
    pub fn run(&self, run: &Run) -> std::result::Result<Run, String> {
        match &self.slots {
            None => Ok(run.clone()),
            Some(slots) => slots.translate(&self.network, run),
        }
    }

    /// Executes a run of the program by evaluation of its expressions: all configurations on the way.
    pub fn confirm(&self, run: &Run) -> std::result::Result<Vec<Configuration>, String> {
        let path = self.network.execute(run)?;
        for (pair, step) in path.windows(2).zip(&run.steps) {
            self.confirm_step(&pair[0], &pair[1], step.thread, step.rule)?;
        }
        Ok(path)
    }

    fn confirm_step(
        &self,
        before: &Configuration,
        after: &Configuration,
        thread: usize,
        rule: usize,
    ) -> std::result::Result<(), String> {
        let effect = &self.effects[rule];
        let frames = Frames {
            globals: &self.globals,
            place: &self.places[effect.procedure],
        };
        let of = |globals: &Bits, frame: &Frame, variable: Variable| {
            let bits = frames.bits(variable).into_iter().map(|bit| match bit {
                Bit::Global(bit) => globals[bit],
                Bit::Local(bit) => frame.locals[bit],
            });
            bits.enumerate()
                .map(|(bit, set)| u64::from(set) << bit)
                .sum::<u64>()
        };
        let top = &before.stacks[thread][0];
        let now = |variable: Variable| of(&before.globals, top, variable);
        let wrong = |what: &str| Err(format!("rule {rule}: {what}"));
        if !effect.guard.holds(&frames, &now) {
            return wrong("the guard does not hold");
        }
        // The frame of the procedure after the step, if there still is one.
        let (kept, created) = match self.network.rules[rule].action {
            Action::Pop => (None, None),
            Action::Internal(_) => (after.stacks[thread].first(), None),
            Action::Push { .. } => (after.stacks[thread].get(1), after.stacks[thread].first()),
            Action::Spawn { .. } => (
                after.stacks[thread].first(),
                after.stacks.last().and_then(|stack| stack.first()),
            ),
        };
        let locals = self.program.procedures[effect.procedure].locals.len();
        let globals = (0..self.program.globals.len()).map(Variable::Global);
        let all = globals.chain((0..if kept.is_some() { locals } else { 0 }).map(Variable::Local));
        for variable in all {
            let value = of(&after.globals, kept.unwrap_or(top), variable);
            let width = frames.bits(variable).len();
            let expected = match effect.assigned.iter().find(|(v, _)| *v == variable) {
                None => now(variable),
                Some((_, None)) => value,
                Some((_, Some(expression))) => expression.value(&frames, width, &now),
            };
            if value != expected {
                return wrong("a variable has another value");
            }
        }
        if let (Some((callee, arguments)), Some(created)) = (&effect.arguments, created) {
            let place = &self.places[*callee];
            let read = |(first, width): (usize, usize)| {
                let bits = created.locals[first..first + width].iter().enumerate();
                bits.map(|(bit, set)| u64::from(*set) << bit).sum::<u64>()
            };
            for (argument, at) in arguments.iter().zip(&place.locals) {
                if read(*at) != argument.value(&frames, at.1, &now) {
                    return wrong("an argument has another value");
                }
            }
            if let (Some(Some(variable)), Some(kept)) = (&effect.guessed, kept) {
                let hidden = read(place.locals[place.locals.len() - 1]);
                if hidden != of(&after.globals, kept, *variable) {
                    return wrong("the result is not the one that was guessed");
                }
            }
        }
        Ok(())
    }

    /// The values of a configuration, for people.
    pub fn describe(&self, configuration: &Configuration) -> String {
        let mut text = Vec::new();
        for (global, (first, width)) in self.program.globals.iter().zip(&self.globals) {
            let bits = configuration.globals[*first..first + width]
                .iter()
                .enumerate();
            let value: u64 = bits.map(|(bit, set)| u64::from(*set) << bit).sum();
            text.push(format!("{}={value}", global.name));
        }
        text.join(" ")
    }
}

fn bits_of(value: u64, width: usize) -> Bits {
    (0..width)
        .map(|bit| bit < 64 && value >> bit & 1 == 1)
        .collect()
}

/// Where the locals of each procedure are, and the widths of the places that they share.
fn places(program: &Program) -> (Vec<Place>, Vec<usize>) {
    let mut shared: Vec<usize> = Vec::new();
    let mut ranks = Vec::new();
    for procedure in &program.procedures {
        let mut widths: Vec<usize> = procedure.locals.iter().map(|local| local.width).collect();
        if procedure.result > 0 {
            widths.push(procedure.result);
        }
        let mut order: Vec<usize> = (0..widths.len()).collect();
        order.sort_by_key(|local| std::cmp::Reverse(widths[*local]));
        let mut rank = vec![0; widths.len()];
        for (place, local) in order.into_iter().enumerate() {
            rank[local] = place;
            if place == shared.len() {
                shared.push(0);
            }
            shared[place] = shared[place].max(widths[local]);
        }
        ranks.push((rank, widths));
    }
    let first = |place: usize| shared[..place].iter().sum::<usize>();
    let made = ranks.into_iter().map(|(rank, widths)| {
        let locals = rank
            .iter()
            .zip(widths)
            .map(|(place, width)| (first(*place), width));
        Place {
            locals: locals.collect(),
        }
    });
    (made.collect(), shared)
}

/// Bits of equal significance next to each other.
fn order(globals: &[(usize, usize)], locals: &[usize]) -> Vec<Bit> {
    let mut order = Vec::new();
    let widest = globals
        .iter()
        .map(|(_, width)| *width)
        .chain(locals.iter().copied())
        .max()
        .unwrap_or(0);
    for significance in 0..widest {
        let wide = globals.iter().filter(|(_, width)| significance < *width);
        order.extend(wide.map(|(first, _)| Bit::Global(first + significance)));
        let mut first = 0;
        for width in locals {
            if significance < *width {
                order.push(Bit::Local(first + significance));
            }
            first += width;
        }
    }
    order
}

/// The locals of a new frame of procedure `p`, in the bits of `copy`; arguments are read in `caller`.
fn frame(
    space: &Space,
    program: &Program,
    places: &[Place],
    p: ProcedureId,
    arguments: &[Expression],
    caller: Option<&Frames<'_>>,
    copy: Copy,
) -> Result<Bdd> {
    let procedure = &program.procedures[p];
    if arguments.len() != procedure.parameters {
        return Err(Error::Network(format!(
            "{} has {} parameters",
            procedure.name, procedure.parameters
        )));
    }
    let place = &places[p];
    let own = Frames {
        globals: &[],
        place,
    };
    let mut set = space.all();
    let mut used = vec![false; space.locals()];
    for (number, local) in procedure.locals.iter().enumerate() {
        let (first, width) = place.locals[number];
        used[first..first + width].fill(true);
        let initial = local.initial.map(Expression::Number);
        let value = arguments.get(number).or(initial.as_ref());
        if let Some(value) = value {
            let bits = value.bits(space, caller.unwrap_or(&own), width)?;
            for (bit, value) in bits.iter().enumerate() {
                let same = space.same(space.variable(Bit::Local(first + bit), copy), value)?;
                set = space.and(&set, &same)?;
            }
        }
    }
    if procedure.result > 0 {
        let (first, width) = place.locals[place.locals.len() - 1];
        used[first..first + width].fill(true);
    }
    for (bit, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        set = space.and(&set, &space.values([Bit::Local(bit)], copy, &[false])?)?;
    }
    Ok(set)
}

/// The relation of a rule and the bits that it changes.
fn relation(
    space: &Space,
    program: &Program,
    frames: &Frames<'_>,
    places: &[Place],
    action: &Action,
    effect: &Effect,
) -> Result<(Bdd, Vec<Bit>)> {
    let mut set = effect.guard.condition(space, frames)?;
    let mut changed = Vec::new();
    let old_frame = match action {
        Action::Push { .. } => Copy::Other,
        _ => Copy::Next,
    };
    for (variable, value) in &effect.assigned {
        let bits = frames.bits(*variable);
        if let Some(value) = value {
            for (bit, value) in bits.iter().zip(value.bits(space, frames, bits.len())?) {
                let copy = if matches!(bit, Bit::Local(_)) {
                    old_frame
                } else {
                    Copy::Next
                };
                set = space.and(&set, &space.same(space.variable(*bit, copy), &value)?)?;
            }
        }
        changed.extend(bits);
    }
    if let Some((callee, arguments)) = &effect.arguments {
        let new_frame = match action {
            Action::Push { .. } => Copy::Next,
            _ => Copy::Other,
        };
        let made = frame(
            space,
            program,
            places,
            *callee,
            arguments,
            Some(frames),
            new_frame,
        )?;
        set = space.and(&set, &made)?;
        if let Some(result) = &effect.guessed
            && let Some(variable) = result
        {
            let place = &places[*callee];
            let (first, width) = place.locals[place.locals.len() - 1];
            let bits = frames.bits(*variable);
            if bits.len() != width || matches!(variable, Variable::Global(_)) {
                return Err(Error::Network(
                    "a result is assigned to a local of the same width".to_owned(),
                ));
            }
            for (bit, hidden) in bits.iter().zip(first..) {
                let (mine, theirs) = (
                    space.variable(*bit, Copy::Other),
                    space.variable(Bit::Local(hidden), Copy::Next),
                );
                set = space.and(&set, &space.same(mine, theirs)?)?;
            }
        }
    }
    Ok((set, changed))
}

//! What a piece of code reads in a state, and with which values: exactly what is read there, not what may be.
//!
//! The instructions are followed one by one. What is special is asked of the machine, by itself (so not what the machine may run
//! together with the instructions behind it), and the others combine values as `UnOp::of` and `BinOp::checked` define it; what is
//! left here is the bookkeeping: which way `&&`, `||` and conditional expressions go, and which element an index picks.
//! Where something fails or has an effect, the account ends.

use crate::machine::{ChannelView, Machine, Pid, ProcessView, StateView, Value};
use crate::trace::NamedValue;
use promela_lite::code::{Code, Instr, Region, Scalar};
use promela_lite::program::{ProctypeId, Program};
use std::sync::Arc;

/// Values that are told of one piece of code; more tell a person nothing.
const MOST: usize = 24;

/// The variables and channels that code reads in a state, in the order in which it does; `pid` is the process whose code it
/// is, if it is a process'.
pub fn reads(machine: &mut Machine, state: &[u8], pid: Option<Pid>, code: Code) -> Vec<NamedValue> {
    follow(machine, state, pid, code).values
}

/// What the assignment at the end of the code assigns, as `a[2] = 7`, if it ends in one.
pub fn assigned(machine: &mut Machine, state: &[u8], pid: Pid, code: Code) -> Option<NamedValue> {
    follow(machine, state, Some(pid), code).assigned
}

fn follow(machine: &mut Machine, state: &[u8], pid: Option<Pid>, code: Code) -> Reader {
    let mut reader = Reader {
        program: Arc::clone(machine.shared_program()),
        pid,
        stack: Vec::new(),
        values: Vec::new(),
        assigned: None,
    };
    let mut at = code.start;
    while at < code.end {
        let instr = reader.program.instrs[at as usize];
        match reader.step(machine, state, at, instr) {
            Some(next) => at = next,
            None => break,
        }
    }
    reader
}

struct Reader {
    program: Arc<Program>,
    pid: Option<Pid>,
    stack: Vec<i32>,
    values: Vec<NamedValue>,
    assigned: Option<NamedValue>,
}

impl Reader {
    /// Follows one instruction: where the next one is, if there is one that can be followed.
    fn step(&mut self, machine: &mut Machine, state: &[u8], at: u32, instr: Instr) -> Option<u32> {
        let mut next = at + 1;
        match instr {
            Instr::Const(value) => self.stack.push(value),
            Instr::SelfPid => self.stack.push(i32::from(self.pid?.0)),
            Instr::Load(cell) => {
                let value = self.note_cell(&machine.view(state), cell.region, cell.offset)?;
                self.stack.push(value);
            }
            Instr::NrProcesses | Instr::Last | Instr::NonProgress | Instr::OwnPriority => {
                let value = self.evaluate(machine, state, at)?;
                let name = match instr {
                    Instr::NrProcesses => "_nr_pr",
                    Instr::Last => "_last",
                    Instr::NonProgress => "np_",
                    _ => "_priority",
                };
                self.note(name.to_owned(), value.to_string(), "int");
            }
            Instr::Timeout | Instr::PidOf(_) | Instr::AnywhereAt(_) => {
                self.evaluate(machine, state, at)?;
            }
            Instr::Poll(id) => {
                let code = self.program.recvs[id.index()].chan;
                let channel = match self.pid {
                    Some(pid) => machine.eval_for(state, pid, code),
                    None => machine.eval(state, code),
                };
                self.note_channel(&machine.view(state), channel.ok()?);
                self.evaluate(machine, state, at)?;
            }
            Instr::Index { len, stride, .. } => {
                let index = u32::try_from(self.stack.pop()?).ok().filter(|i| *i < len)?;
                let base = self.stack.pop()?;
                self.stack.push(base.wrapping_add((index * stride) as i32));
            }
            Instr::LoadAt(region, _) => {
                let offset = self.stack.pop()? as u32;
                let value = self.note_cell(&machine.view(state), region, offset)?;
                self.stack.push(value);
            }
            Instr::Unary(op) => {
                let value = self.stack.pop()?;
                self.stack.push(op.of(value));
            }
            Instr::Binary(op, _) => {
                let right = self.stack.pop()?;
                let left = self.stack.pop()?;
                self.stack.push(op.checked(left, right)?);
            }
            Instr::AndThen(target) | Instr::OrElse(target) => {
                let decides = matches!(instr, Instr::OrElse(_));
                if (self.stack.pop()? != 0) == decides {
                    self.stack.push(i32::from(decides));
                    next = target;
                }
            }
            Instr::Jump(target) => next = target,
            Instr::JumpIfZero(target) => {
                if self.stack.pop()? == 0 {
                    next = target;
                }
            }
            Instr::Query(query, _) => {
                let id = self.stack.pop()?;
                let view = machine.view(state);
                self.note_channel(&view, id);
                let channel = channel(&view, id)?;
                self.stack.push(answer(query, &channel));
            }
            Instr::RemoteLoad {
                proctype, offset, ..
            } => {
                let pid = self.stack.pop()?;
                self.remote(&machine.view(state), pid, proctype, offset)?;
            }
            Instr::RemoteLoadAt { proctype, .. } => {
                let offset = self.stack.pop()? as u32;
                let pid = self.stack.pop()?;
                self.remote(&machine.view(state), pid, proctype, offset)?;
            }
            Instr::RemoteAt { proctype, set, .. } => {
                let pid = self.stack.pop()?;
                self.remote_label(&machine.view(state), pid, proctype, set);
            }
            Instr::Store(cell) => {
                let value = cell.ty.truncate(self.stack.pop()?);
                self.assign(&machine.view(state), cell.region, cell.offset, value);
                return None;
            }
            Instr::StoreAt(region, ty) => {
                let value = ty.truncate(self.stack.pop()?);
                let offset = self.stack.pop()? as u32;
                self.assign(&machine.view(state), region, offset, value);
                return None;
            }
            _ => return None,
        }
        (next > at).then_some(next)
    }

    /// Leaves the value of an instruction that needs no operand.
    fn evaluate(&mut self, machine: &mut Machine, state: &[u8], at: u32) -> Option<i32> {
        let code = Code {
            start: at,
            end: at + 1,
        };
        let value = match self.pid {
            Some(pid) => machine.eval_for(state, pid, code),
            None => machine.eval(state, code),
        };
        let value = value.ok()?;
        self.stack.push(value);
        Some(value)
    }

    fn note(&mut self, name: String, value: String, ty: &'static str) {
        let known = self.values.iter().any(|v| v.name == name);
        if !known && self.values.len() < MOST {
            self.values.push(NamedValue { name, value, ty });
        }
    }

    fn note_cell(&mut self, view: &StateView<'_>, region: Region, offset: u32) -> Option<i32> {
        let cell = self.cell(view, region, offset)?;
        self.note_value(view, cell.name(), &cell);
        Some(cell.value)
    }

    /// A channel variable is told of by what is in the channel.
    fn note_value(&mut self, view: &StateView<'_>, name: String, value: &Value<'_>) {
        let channel = (value.cell.ty == Scalar::Chan)
            .then(|| channel(view, value.value))
            .flatten();
        match channel {
            Some(channel) => self.note_channel(view, i32::from(channel.id())),
            None => self.note(name, value.to_string(), value.type_name()),
        }
    }

    fn note_channel(&mut self, view: &StateView<'_>, id: i32) {
        if let Some(channel) = channel(view, id)
            && channel.template().capacity > 0
        {
            self.note(view.channel_name(&channel), contents(&channel), "chan");
        }
    }

    fn cell<'v>(&self, view: &'v StateView<'_>, region: Region, offset: u32) -> Option<Value<'v>> {
        let globals: usize = self
            .program
            .globals
            .vars
            .iter()
            .map(|v| v.cells.len())
            .sum();
        let at = |v: &Value<'_>| v.cell.offset == offset;
        match region {
            Region::Global => view.globals().take(globals).find(at),
            Region::Hidden => view.globals().skip(globals).find(at),
            Region::Local => process(view, self.pid?)?.locals().find(at),
        }
    }

    fn assign(&mut self, view: &StateView<'_>, region: Region, offset: u32, value: i32) {
        self.assigned = self.cell(view, region, offset).map(|mut cell| {
            cell.value = value;
            NamedValue {
                name: cell.name(),
                value: cell.to_string(),
                ty: cell.type_name(),
            }
        });
    }

    fn remote(
        &mut self,
        view: &StateView<'_>,
        pid: i32,
        proctype: ProctypeId,
        offset: u32,
    ) -> Option<()> {
        let process = process(view, Pid(u16::try_from(pid).ok()?))?;
        if process.proctype_id() != proctype {
            return None;
        }
        let value = process.locals().find(|v| v.cell.offset == offset)?;
        let name = format!("{}[{pid}]:{}", process.proctype().name, value.name());
        self.note_value(view, name, &value);
        self.stack.push(value.value);
        Some(())
    }

    fn remote_label(&mut self, view: &StateView<'_>, pid: i32, proctype: ProctypeId, set: u32) {
        let there = u16::try_from(pid)
            .ok()
            .and_then(|pid| process(view, Pid(pid)));
        let set = &self.program.label_sets[set as usize];
        let is_there = there.is_some_and(|p| p.proctype_id() == proctype && set.contains(&p.loc()));
        let proctype = &self.program.proctypes[proctype.index()];
        let labels = set
            .first()
            .map(|l| &proctype.graph.locations[l.index()].labels);
        let label = labels.and_then(|l| l.first()).cloned().unwrap_or_default();
        self.note(
            format!("{}[{pid}]@{label}", proctype.name),
            i32::from(is_there).to_string(),
            "bit",
        );
        self.stack.push(i32::from(is_there));
    }
}

fn process<'v>(view: &'v StateView<'_>, pid: Pid) -> Option<ProcessView<'v>> {
    view.processes().nth(usize::from(pid.0))
}

fn channel<'v>(view: &'v StateView<'_>, id: i32) -> Option<ChannelView<'v>> {
    view.channels().find(|c| i32::from(c.id()) == id)
}

/// What is in a channel, as text.
pub(super) fn contents(channel: &ChannelView<'_>) -> String {
    match channel.is_empty() {
        true => "[]".to_owned(),
        false => channel.to_string(),
    }
}

fn answer(query: promela_lite::code::ChanQuery, channel: &ChannelView<'_>) -> i32 {
    use promela_lite::code::ChanQuery::{Empty, Full, Len, Nempty, Nfull};
    let (len, capacity) = (channel.len(), channel.template().capacity as usize);
    match query {
        Len => len as i32,
        Empty => i32::from(len == 0),
        Nempty => i32::from(len > 0),
        Full => i32::from(len == capacity),
        Nfull => i32::from(len < capacity),
    }
}

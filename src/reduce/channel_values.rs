//! What becomes of the numbers of channels in a piece of code, without executing it.
//!
//! Every value on the operand stack is followed from where it is loaded: as a number, as a channel with the variable that it
//! comes from, or as an address. Code only jumps forward, but for loops of a `d_step`, at whose beginning the stack is
//! empty; so one pass in the order of the text sees every instruction with all that may be on the stack there.

use promela_lite::code::{BinOp, Code, Instr, Region, Scalar, UnOp};
use promela_lite::program::*;

/// What is known of a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// No channel.
    Number,
    /// A constant; 0 is also the channel variable that holds none.
    Const(i32),
    /// An address within that range.
    Address(u32, u32),
    /// The content of a variable of type chan.
    Variable(Access),
    /// A channel that has just been made.
    New(TemplateId),
    /// A channel, but not known from where.
    Channel,
    /// A channel or a number.
    Mixed,
}

impl Value {
    pub(super) fn is_channel(self) -> bool {
        matches!(self, Value::Variable(_) | Value::New(_) | Value::Channel)
    }

    /// Whether renaming channels leaves it as it is.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Value::Number | Value::Const(_) | Value::Address(..))
    }

    fn join(self, other: Value) -> Value {
        let none = |v: Value| v == Value::Const(0);
        match (
            self.is_channel() || none(self),
            other.is_channel() || none(other),
        ) {
            _ if self == other => self,
            _ if self.is_number() && other.is_number() => Value::Number,
            (true, true) => Value::Channel,
            _ => Value::Mixed,
        }
    }
}

/// What happens to channels.
#[derive(Copy, Clone, Debug)]
pub(super) enum Event {
    /// The number of a channel decides about something.
    Told,
    /// A number becomes a channel.
    Forged,
    /// A variable of type chan is assigned.
    Stored(Access, Value),
    /// A process is started; an argument of it, by its position.
    Started(ProctypeId, usize, Value),
}

/// Follows the values of a piece of code; its result, if it leaves one.
pub(super) fn follow(program: &Program, code: Code, tell: &mut dyn FnMut(Event)) -> Value {
    let range = code.range();
    let mut at: Vec<Option<Vec<Value>>> = vec![None; range.len() + 1];
    at[0] = Some(Vec::new());
    let mut result = None;
    for pc in range.clone() {
        let Some(stack) = at[pc - range.start].take() else {
            continue;
        };
        let instr = program.instrs[pc];
        let mut frame = Stack { stack, tell };
        let stops = frame.execute(program, &instr);
        let stack = frame.stack;
        if matches!(instr, Instr::Return) {
            result = joined(result, stack.last().copied());
        }
        if let Some(target) = instr.target() {
            let mut jumped = stack.clone();
            if matches!(instr, Instr::AndThen(_) | Instr::OrElse(_)) {
                jumped.push(Value::Number);
            }
            if target as usize > pc {
                arrive(&mut at[target as usize - range.start], jumped);
            }
        }
        if !stops {
            arrive(&mut at[pc + 1 - range.start], stack);
        }
    }
    let last = at[range.len()].as_ref().and_then(|stack| stack.last());
    joined(result, last.copied()).unwrap_or(Value::Number)
}

fn joined(a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (a, b) => a.or(b),
    }
}

fn arrive(known: &mut Option<Vec<Value>>, stack: Vec<Value>) {
    match known {
        Some(known) => known
            .iter_mut()
            .zip(stack)
            .for_each(|(a, b)| *a = a.join(b)),
        None => *known = Some(stack),
    }
}

struct Stack<'t> {
    stack: Vec<Value>,
    tell: &'t mut dyn FnMut(Event),
}

impl Stack<'_> {
    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Mixed)
    }

    /// Takes a value of which the number matters.
    fn pop_number(&mut self) -> Value {
        let value = self.pop();
        if !value.is_number() {
            (self.tell)(Event::Told);
        }
        value
    }

    fn drop(&mut self, count: usize) {
        self.stack.truncate(self.stack.len().saturating_sub(count));
    }

    fn load(&mut self, region: Region, (lo, hi): (u32, u32), ty: Scalar) {
        self.stack.push(match ty {
            Scalar::Chan => Value::Variable(access(region, (lo, hi))),
            _ => Value::Number,
        });
    }

    fn store(&mut self, region: Region, range: (u32, u32), ty: Scalar) {
        let value = self.pop();
        match ty {
            Scalar::Chan => (self.tell)(store(access(region, range), value)),
            _ if value.is_number() => {}
            _ => (self.tell)(Event::Told),
        }
    }

    fn pop_address(&mut self, ty: Scalar) -> (u32, u32) {
        match self.pop_number() {
            Value::Address(lo, hi) => (lo, hi),
            Value::Const(at) => (at as u32, at as u32 + ty.size()),
            _ => (0, u32::MAX),
        }
    }

    /// Executes an instruction; says whether it never goes on with the next one.
    fn execute(&mut self, program: &Program, instr: &Instr) -> bool {
        use Instr::*;
        match *instr {
            Const(value) => self.stack.push(Value::Const(value)),
            Address(_) => self.stack.push(Value::Address(0, u32::MAX)),
            Result => self.stack.push(Value::Mixed),
            Load(cell) => {
                let range = (cell.offset, cell.offset + cell.ty.size());
                self.load(cell.region, range, cell.ty);
            }
            Store(cell) => {
                let range = (cell.offset, cell.offset + cell.ty.size());
                self.store(cell.region, range, cell.ty);
            }
            Index { len, stride, .. } => {
                self.pop_number();
                let array = len.saturating_mul(stride);
                let address = match self.pop_number() {
                    Value::Const(at) => {
                        Value::Address(at as u32, (at as u32).saturating_add(array))
                    }
                    Value::Address(lo, hi) => Value::Address(lo, hi.saturating_add(array)),
                    _ => Value::Number,
                };
                self.stack.push(address);
            }
            LoadAt(region, ty) => {
                let range = self.pop_address(ty);
                self.load(region, range, ty);
            }
            StoreAt(region, ty) => {
                let value = self.pop();
                let range = self.pop_address(ty);
                self.stack.push(value);
                self.store(region, range, ty);
            }
            // Whether a variable holds a channel at all is no number.
            Unary(UnOp::Not | UnOp::Bool) => {
                self.pop();
                self.stack.push(Value::Number);
            }
            Unary(_) | Enabled | PcValue(_) | GetPriority(_) | RemoteAt { .. } => {
                self.pop_number();
                self.stack.push(Value::Number);
            }
            Binary(op, _) => {
                let (b, a) = (self.pop(), self.pop());
                let same = matches!(op, BinOp::Eq | BinOp::Ne);
                let comparable = |v: Value| v.is_channel() || v == Value::Const(0);
                let alike =
                    (a.is_number() && b.is_number()) || (comparable(a) && comparable(b) && same);
                if !alike {
                    (self.tell)(Event::Told);
                }
                self.stack.push(Value::Number);
            }
            AndThen(_) | OrElse(_) | JumpIfZero(_) | Assert(_) | PrintMtype(_) => self.drop(1),
            SetPriority(_) => self.drop(2),
            SelfPid | NrProcesses | Last | Timeout | NonProgress | OwnPriority | PidOf(_)
            | AnywhereAt(_) | Poll(_) => self.stack.push(Value::Number),
            RemoteLoad { ty, .. } => {
                self.drop(1);
                self.remote(ty);
            }
            RemoteLoadAt { ty, .. } => {
                self.drop(2);
                self.remote(ty);
            }
            Run { proctype, args, .. } => {
                let first = self.stack.len().saturating_sub(usize::from(args));
                let parameters = &program.proctypes[proctype.index()].parameters;
                for (index, value) in self.stack.drain(first..).enumerate() {
                    let takes_channel = parameters.get(index).is_some_and(|c| c.ty == Scalar::Chan);
                    match takes_channel {
                        true if !value.is_channel() && value != Value::Const(0) => {
                            (self.tell)(Event::Forged);
                        }
                        false if !value.is_number() => (self.tell)(Event::Told),
                        _ => {}
                    }
                    (self.tell)(Event::Started(proctype, index, value));
                }
                self.stack.push(Value::Number);
            }
            NewChan(template) => self.stack.push(Value::New(template)),
            Query(..) => {
                if !self.pop().is_channel() {
                    (self.tell)(Event::Forged);
                }
                self.stack.push(Value::Number);
            }
            Print { args, .. } => self.drop(usize::from(args)),
            SendOr(..) | RecvOr(..) => {}
            Jump(_) | JumpBack(..) | NotExecutable | Blocked(_) | Return | CallTooDeep { .. } => {
                return true;
            }
        }
        false
    }

    /// A variable of another process, of which nobody knows which one it is.
    fn remote(&mut self, ty: Scalar) {
        if ty == Scalar::Chan {
            (self.tell)(Event::Forged);
        }
        self.stack.push(match ty {
            Scalar::Chan => Value::Channel,
            _ => Value::Number,
        });
    }
}

fn access(region: Region, (lo, hi): (u32, u32)) -> Access {
    let place = match region {
        Region::Global => Place::Global,
        Region::Hidden => Place::Hidden,
        Region::Local => Place::Own,
    };
    Access { place, lo, hi }
}

fn store(to: Access, value: Value) -> Event {
    match value.is_channel() || value == Value::Const(0) {
        true => Event::Stored(to, value),
        false => Event::Forged,
    }
}

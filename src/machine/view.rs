//! A human-readable view of a state: names, types and values of all its parts.

use super::Pid;
use super::channel;
use super::compiled::CompiledModel;
use super::memory::{Width, read};
use super::output::mtype_name;
use super::tables::{Channel, Process, Tables};
use promela_lite::code::Scalar;
use promela_lite::program::{
    Activation, ChanTemplate, Frame, Loc, Location, NamedCell, Proctype, ProctypeId, Program, Var,
};
use promela_lite::source::Span;
use std::fmt;

/// A state with the names of its parts.
#[derive(Clone, Debug)]
pub struct StateView<'a> {
    model: &'a CompiledModel,
    state: &'a [u8],
    tables: Tables,
}

impl<'a> StateView<'a> {
    pub(super) fn new(model: &'a CompiledModel, state: &'a [u8]) -> StateView<'a> {
        let mut tables = Tables::new(&model.layout);
        tables.follow(&model.layout, state);
        StateView {
            model,
            state,
            tables,
        }
    }

    /// Global variables, hidden ones last.
    pub fn globals(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let StateView { model, state, .. } = *self;
        let hidden = state.len() - model.layout.hidden;
        let globals = values(model, state, &model.program.globals, model.layout.globals);
        globals.chain(values(model, state, &model.program.hidden, hidden))
    }

    /// Processes in order of their pids.
    pub fn processes(&self) -> impl Iterator<Item = ProcessView<'a>> + '_ {
        let StateView { model, state, .. } = *self;
        let live = self.tables.live().iter().enumerate();
        live.map(move |(pid, &process)| ProcessView {
            model,
            state,
            pid: Pid(pid as u16),
            process,
        })
    }

    /// What a channel is called: the global variable that holds it, if one does, as in `q[1]`, or the variable it was made for.
    pub fn channel_name(&self, channel: &ChannelView<'_>) -> String {
        let made_for = &channel.template().name;
        let id = i32::from(channel.id());
        let holds = |v: &Value<'_>| v.cell.ty == Scalar::Chan && v.value == id;
        let holders = || self.globals().filter(holds);
        let own = holders().find(|v| v.var.name == *made_for || v.name() == *made_for);
        let holder = own.or_else(|| holders().next());
        holder.map_or_else(|| made_for.clone(), |v| v.name())
    }

    /// Channels in order of their identities.
    pub fn channels(&self) -> impl Iterator<Item = ChannelView<'a>> + '_ {
        let StateView { model, state, .. } = *self;
        let channels = self.tables.channels().iter();
        channels.map(move |&channel| ChannelView {
            model,
            state,
            channel,
        })
    }
}

fn values<'a>(
    model: &'a CompiledModel,
    state: &'a [u8],
    frame: &'a Frame,
    base: usize,
) -> impl Iterator<Item = Value<'a>> + use<'a> {
    let cells = frame
        .vars
        .iter()
        .flat_map(|var| var.cells.iter().map(move |cell| (var, cell)));
    cells.map(move |(var, cell)| Value {
        program: &model.program,
        var,
        cell,
        value: read(state, base + cell.offset as usize, Width::of(cell.ty)),
    })
}

/// One scalar of a variable. It displays as its value: the name of an mtype constant, or a number.
#[derive(Copy, Clone, Debug)]
pub struct Value<'a> {
    program: &'a Program,
    /// The variable it belongs to.
    pub var: &'a Var,
    /// Which scalar of it.
    pub cell: &'a NamedCell,
    /// Its value.
    pub value: i32,
}

impl Value<'_> {
    /// The variable's name with the path to this scalar, as in `a[2].f`.
    pub fn name(&self) -> String {
        format!("{}{}", self.var.name, self.cell.path)
    }

    /// The name of its type; `bool` is `bit`.
    pub fn type_name(&self) -> &'static str {
        match self.cell.ty {
            Scalar::Bit => "bit",
            Scalar::Byte => "byte",
            Scalar::Pid => "pid",
            Scalar::Mtype => "mtype",
            Scalar::Short => "short",
            Scalar::Int => "int",
            Scalar::Unsigned(_) => "unsigned",
            Scalar::Chan => "chan",
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scalar(f, self.program, self.cell.ty, self.cell.mtype, self.value)
    }
}

fn scalar(
    f: &mut fmt::Formatter<'_>,
    program: &Program,
    ty: Scalar,
    mtype: Option<u32>,
    value: i32,
) -> fmt::Result {
    let name = mtype.and_then(|set| mtype_name(program, set as usize, value));
    match name {
        Some(name) => f.write_str(name),
        None if matches!(ty, Scalar::Unsigned(_)) => write!(f, "{}", value as u32),
        None => write!(f, "{value}"),
    }
}

/// A process.
#[derive(Copy, Clone, Debug)]
pub struct ProcessView<'a> {
    model: &'a CompiledModel,
    state: &'a [u8],
    process: Process,
    /// Its `_pid`.
    pub pid: Pid,
}

impl<'a> ProcessView<'a> {
    /// What it is an instance of.
    pub fn proctype_id(&self) -> ProctypeId {
        self.process.proctype
    }

    /// What it is an instance of.
    pub fn proctype(&self) -> &'a Proctype {
        &self.model.program.proctypes[self.process.proctype.index()]
    }

    /// Where it is.
    pub fn loc(&self) -> Loc {
        self.model.layout.location(self.state, self.process)
    }

    /// Where it is.
    pub fn location(&self) -> &'a Location {
        &self.proctype().graph.locations[self.loc().index()]
    }

    /// Its priority; 1 where priorities are not used.
    pub fn priority(&self) -> u8 {
        self.model.layout.priority(self.state, self.process)
    }

    /// Parameters and local variables, those of procedures that are being executed included.
    pub fn locals(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let proctype = self.proctype();
        let stack = self.stack();
        let all = values(self.model, self.state, &proctype.frame, self.process.locals);
        // Variables of procedures lie behind those of the proctype.
        let own = proctype
            .activations
            .first()
            .map_or(u32::MAX, |a| a.frame.start);
        all.filter(move |value| {
            let at = value.cell.offset;
            at < own
                || stack
                    .iter()
                    .any(|frame| frame.activation.frame.contains(&at))
        })
    }

    /// The procedures that are being executed, outermost first.
    pub fn stack(&self) -> Vec<CallFrame<'a>> {
        let proctype = self.proctype();
        let mut stack = Vec::new();
        let mut at = proctype.activation(self.loc());
        while let Some(id) = at {
            let activation = &proctype.activations[id.index()];
            let site = activation.site.map_or(0, |cell| {
                let at = self.process.locals + cell.offset as usize;
                read(self.state, at, Width::of(cell.ty)) as usize
            });
            let Some(site) = activation.sites.get(site) else {
                break;
            };
            stack.push(CallFrame {
                activation,
                call: site.span,
            });
            at = site.caller;
        }
        stack.reverse();
        stack
    }
}

/// A procedure that is being executed.
#[derive(Copy, Clone, Debug)]
pub struct CallFrame<'a> {
    /// Which one, at which depth.
    pub activation: &'a Activation,
    /// The call that led to it.
    pub call: Span,
}

/// A channel. It displays as its contents, `[a,1][b,2]`.
#[derive(Copy, Clone, Debug)]
pub struct ChannelView<'a> {
    model: &'a CompiledModel,
    state: &'a [u8],
    channel: Channel,
}

impl<'a> ChannelView<'a> {
    /// Its identity, as in variables that name it.
    pub fn id(&self) -> u16 {
        self.channel.id
    }

    /// What kind of channel it is; the name is there too.
    pub fn template(&self) -> &'a ChanTemplate {
        &self.model.program.templates[self.channel.template as usize]
    }

    /// Number of messages in it.
    pub fn len(&self) -> usize {
        channel::len(self.state, self.channel) as usize
    }

    /// Whether there is no message in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The fields of a message, the oldest being number 0.
    pub fn message(&self, slot: usize) -> impl Iterator<Item = i32> + use<'a> {
        let ChannelView {
            model,
            state,
            channel,
        } = *self;
        (0..self.template().fields.len())
            .map(move |index| channel::field(&model.layout, state, channel, slot as u32, index))
    }

    /// Whether both show the same messages, be it of two states.
    pub fn same(&self, other: &ChannelView<'_>) -> bool {
        self.channel.template == other.channel.template
            && self.len() == other.len()
            && (0..self.len()).all(|slot| self.message(slot).eq(other.message(slot)))
    }

    /// A field of a message: a number, or the name of an `mtype` constant.
    pub fn typed(&self, index: usize, value: i32) -> serde_json::Value {
        let template = self.template();
        let mtype = template.mtypes.get(index).copied().flatten();
        let name = mtype.and_then(|set| mtype_name(&self.model.program, set as usize, value));
        match (name, template.fields[index]) {
            (Some(name), _) => serde_json::Value::from(name),
            (None, Scalar::Unsigned(_)) => serde_json::Value::from(value as u32),
            (None, _) => serde_json::Value::from(value),
        }
    }

    /// The fields of a message of this channel as text, `a,1`.
    pub fn fields(&self, values: impl Iterator<Item = i32>) -> String {
        let template = self.template();
        let field = |(index, value): (usize, i32)| {
            let mtype = template.mtypes.get(index).copied().flatten();
            let ty = template.fields[index];
            let program = &self.model.program;
            fmt::from_fn(move |f| scalar(f, program, ty, mtype, value)).to_string()
        };
        let fields: Vec<String> = values.enumerate().map(field).collect();
        fields.join(",")
    }
}

impl fmt::Display for ChannelView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for slot in 0..self.len() {
            write!(f, "[{}]", self.fields(self.message(slot)))?;
        }
        Ok(())
    }
}

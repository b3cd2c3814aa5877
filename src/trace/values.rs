//! Names and values of a state, and what changed between two.

use crate::machine::{ChannelView, Machine, StateView, Value};
use promela_lite::code::Scalar;
use serde::Serialize;
use std::collections::HashMap;

/// A name with its value, both as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedValue {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Its type: `bit`, `byte`, `pid`, `mtype`, `short`, `int`, `unsigned`, `chan`.
    #[serde(rename = "type")]
    pub ty: &'static str,
}

/// The type of channels.
const CHANNEL: &str = "chan";

/// A part of a state that has a name. Texts are made only of what is shown: a long trail has many parts that do not change.
struct Part<'a> {
    name: Name<'a>,
    content: Content<'a>,
}

/// Parts of two states with the same name are the same part.
#[derive(Clone, PartialEq, Eq)]
enum Name<'a> {
    /// The global variable with this number among all scalars.
    Global(usize),
    /// A channel that no global variable names.
    Channel(String),
    /// A local variable: pid, name of the proctype, number among its scalars.
    Local(u16, &'a str, usize),
}

enum Content<'a> {
    Scalar(Value<'a>),
    /// A global variable may name the channel.
    Channel(Option<Value<'a>>, ChannelView<'a>),
}

impl Part<'_> {
    fn named(&self) -> NamedValue {
        let variable = match &self.content {
            Content::Scalar(value) | Content::Channel(Some(value), _) => value.name(),
            Content::Channel(None, _) => String::new(),
        };
        let name = match &self.name {
            Name::Global(_) => variable,
            Name::Channel(name) => name.clone(),
            Name::Local(pid, proctype, _) => format!("{proctype}({pid}):{variable}"),
        };
        NamedValue {
            name,
            value: self.content.text(),
            ty: match &self.content {
                Content::Scalar(value) => value.type_name(),
                Content::Channel(..) => CHANNEL,
            },
        }
    }
}

impl Content<'_> {
    fn text(&self) -> String {
        match self {
            Content::Scalar(value) => value.to_string(),
            Content::Channel(_, channel) if channel.is_empty() => "[]".to_owned(),
            Content::Channel(_, channel) => channel.to_string(),
        }
    }

    /// Whether both have the same text.
    fn same(&self, other: &Content<'_>) -> bool {
        match (self, other) {
            (Content::Scalar(a), Content::Scalar(b)) => a.value == b.value,
            (Content::Channel(_, a), Content::Channel(_, b)) => a.same(b),
            _ => self.text() == other.text(),
        }
    }
}

/// Everything in a state: globals, channels that are in use, and the variables of every process as
/// `name(pid):variable`. A global channel variable shows what is in the channel.
pub fn values(machine: &Machine, state: &[u8]) -> Vec<NamedValue> {
    parts(&machine.view(state))
        .iter()
        .map(Part::named)
        .collect()
}

/// What is in `after` and was not so in `before`.
pub fn changes(machine: &Machine, before: &[u8], after: &[u8]) -> Vec<NamedValue> {
    let (before, after) = (machine.view(before), machine.view(after));
    let (before, after) = (parts(&before), parts(&after));
    let changed = |(index, part): &(usize, &Part<'_>)| {
        // Nearly always the part is where it was.
        let there = before.get(*index).filter(|old| old.name == part.name);
        let old = there.or_else(|| before.iter().find(|old| old.name == part.name));
        old.is_none_or(|old| !old.content.same(&part.content))
    };
    let after = after.iter().enumerate();
    after
        .filter(changed)
        .map(|(_, part)| part.named())
        .collect()
}

fn parts<'a>(view: &'a StateView<'a>) -> Vec<Part<'a>> {
    let mut all = Vec::new();
    let mut named = Vec::new();
    for (index, value) in view.globals().enumerate() {
        let channel = (value.cell.ty == Scalar::Chan)
            .then(|| view.channels().find(|c| i32::from(c.id()) == value.value))
            .flatten();
        let content = match channel {
            None => Content::Scalar(value),
            Some(channel) => {
                named.push(channel.id());
                if channel.template().capacity == 0 {
                    continue;
                }
                Content::Channel(Some(value), channel)
            }
        };
        let name = Name::Global(index);
        all.push(Part { name, content });
    }
    let others = || {
        let buffered = view.channels().filter(|c| c.template().capacity > 0);
        buffered.filter(|c| !named.contains(&c.id()))
    };
    let mut count: HashMap<&str, u32> = HashMap::new();
    for channel in others() {
        *count.entry(&channel.template().name).or_default() += 1;
    }
    for channel in others() {
        // Channels of several instances of a proctype share a name.
        let name = &channel.template().name;
        let name = match count.get(name.as_str()) {
            Some(2..) => format!("{name}#{}", channel.id()),
            _ => name.clone(),
        };
        all.push(Part {
            name: Name::Channel(name),
            content: Content::Channel(None, channel),
        });
    }
    for process in view.processes() {
        let proctype = &process.proctype().name;
        all.extend(process.locals().enumerate().map(|(index, value)| Part {
            name: Name::Local(process.pid.0, proctype, index),
            content: Content::Scalar(value),
        }));
    }
    all
}

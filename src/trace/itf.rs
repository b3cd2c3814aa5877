//! Runs in the Informal Trace Format (ITF), which tools around TLA+ and Quint read.
//!
//! Every state is an object with the same variables: the globals, with arrays as lists, structures as records, and a channel as
//! the list of the messages in it, each a tuple; `$channels`, a map from the numbers of channels that no global names to their
//! messages; and `$processes`, a map from process numbers to records with the place and the variables of a process. Numbers are
//! numbers, `mtype` constants are strings. What led to a state is in its `#meta`. A cycle is closed by `loop`, the number of the
//! state that follows the last one.

use super::{Moment, Show, Teller, Told, replay};
use crate::machine::{ChannelView, Machine, Move, Run, StateView, Value as Cell};
use promela_lite::code::Scalar;
use promela_lite::program::Program;
use promela_lite::source::SourceMap;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is said of a run in its `#meta`.
#[derive(Clone, Debug)]
pub struct ItfHead<'a> {
    /// The model's file.
    pub model: &'a str,
    /// Its digest.
    pub digest: &'a str,
    /// What is violated.
    pub property: Option<&'a str>,
    /// What the run comes to, in words.
    pub message: &'a str,
    /// Whether that is a violation.
    pub violation: bool,
}

/// A run as a document.
pub fn itf(
    program: &Arc<Program>,
    sources: &SourceMap,
    (path, cycle): (&[Move], Option<usize>),
    head: &ItfHead<'_>,
) -> Value {
    let mut writer = Writer {
        machine: Machine::new(Arc::clone(program)),
        sources,
        states: Vec::new(),
    };
    let mut teller = Teller::new(program, sources, Show::Changes);
    if let Ok(run) = Run::start(program) {
        writer.push(run.state(), json!({ "index": 0 }));
    }
    // The run has been confirmed; if it is none all the same, what there is of it is written.
    let _ = replay(program, path, &mut |moment| {
        teller.see(moment);
        writer.see(moment, teller.told.last());
    });
    let Writer { mut states, .. } = writer;
    let mut meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "description": format!("Created by ample {}", env!("CARGO_PKG_VERSION")),
        "source": head.model,
        "source-digest": head.digest,
        "status": if head.violation { "violation" } else { "ok" },
        "message": head.message,
        "variables-description": "$processes: number of a process to its place and variables; $channels: number of a channel \
                                  that no global names to its messages",
    });
    if let Some(property) = head.property {
        meta["property"] = json!(property);
    }
    let start = cycle.filter(|&start| start < states.len());
    if let Some(start) = start.filter(|&start| start + 1 < states.len()) {
        // The last state is where the cycle begins.
        let variables = |state: &Value| {
            let mut state = state.clone();
            if let Some(object) = state.as_object_mut() {
                object.remove("#meta");
            }
            state
        };
        let last = states.pop();
        if last.as_ref().map(variables) != states.get(start).map(variables) {
            meta["loop-description"] =
                json!("the cycle closes, but for values on which no step depends");
        }
        if let Some(closing) = last.and_then(|last| last.get("#meta").cloned()) {
            meta["loop-step"] = closing;
        }
    }
    let names = states.first().and_then(Value::as_object);
    let names: Vec<&String> = names
        .into_iter()
        .flat_map(Map::keys)
        .filter(|name| *name != "#meta")
        .collect();
    let mut document = json!({ "#meta": meta, "params": [], "vars": names, "states": states });
    if let Some(start) = start {
        document["loop"] = json!(start);
    }
    document
}

struct Writer<'a> {
    machine: Machine,
    sources: &'a SourceMap,
    states: Vec<Value>,
}

impl Writer<'_> {
    fn push(&mut self, state: &[u8], meta: Value) {
        let view = self.machine.view(state);
        let mut object = variables(&view, self.sources);
        object.insert("#meta".to_owned(), meta);
        self.states.push(Value::Object(object));
    }

    fn see(&mut self, moment: &Moment<'_>, told: Option<&Told>) {
        let Some(after) = moment.after else {
            return;
        };
        let mut meta = json!({ "index": self.states.len() });
        if let Some(told) = told {
            let site = &told.actor.site;
            meta["process"] = json!(told.actor.pid);
            meta["proctype"] = json!(site.proctype);
            meta["action"] = json!(site.statement);
            meta["file"] = json!(site.file);
            meta["line"] = json!(site.line);
            if let Some(partner) = &told.partner {
                meta["partner"] = json!(partner.pid);
            }
            if told.atomic {
                meta["atomic"] = json!(true);
            }
        }
        self.push(after, meta);
    }
}

/// The variables of a state.
fn variables(view: &StateView<'_>, sources: &SourceMap) -> Map<String, Value> {
    let mut named = Vec::new();
    let mut all = Map::new();
    for cell in view.globals() {
        let channel = (cell.cell.ty == Scalar::Chan)
            .then(|| view.channels().find(|c| i32::from(c.id()) == cell.value))
            .flatten();
        let value = match &channel {
            Some(channel) => {
                named.push(channel.id());
                messages(channel)
            }
            None => scalar(&cell),
        };
        place(&mut all, &cell, value);
    }
    let others = view.channels().filter(|c| !named.contains(&c.id()));
    let others =
        others.map(|c| json!([c.id(), { "name": c.template().name, "messages": messages(&c) }]));
    all.insert(
        "$channels".to_owned(),
        json!({ "#map": others.collect::<Vec<_>>() }),
    );
    let processes = view.processes().map(|process| {
        let mut locals = Map::new();
        for cell in process.locals() {
            place(&mut locals, &cell, scalar(&cell));
        }
        let at = crate::report::place(sources, process.location().span);
        json!([process.pid.0, {
            "proctype": process.proctype().name,
            "state": process.location().number,
            "file": at.file,
            "line": at.line,
            "locals": locals,
        }])
    });
    all.insert(
        "$processes".to_owned(),
        json!({ "#map": processes.collect::<Vec<_>>() }),
    );
    all
}

fn messages(channel: &ChannelView<'_>) -> Value {
    let message = |slot: usize| {
        let fields = channel.message(slot).enumerate();
        let fields: Vec<Value> = fields.map(|(index, v)| channel.typed(index, v)).collect();
        json!({ "#tup": fields })
    };
    Value::Array((0..channel.len()).map(message).collect())
}

/// A number, or the name of an `mtype` constant.
fn scalar(cell: &Cell<'_>) -> Value {
    match cell.to_string().parse::<i64>() {
        Ok(number) => json!(number),
        Err(_) => json!(cell.to_string()),
    }
}

/// Puts the value of a scalar where it belongs in its variable: `a[2].f` is the field `f` of element 2 of the list `a`.
fn place(all: &mut Map<String, Value>, cell: &Cell<'_>, value: Value) {
    let mut at = all.entry(cell.var.name.clone()).or_insert(Value::Null);
    let path = cell.cell.path.as_str();
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest[1..].find(['.', '[']).map_or(rest.len(), |end| end + 1);
        let (part, more) = rest.split_at(end);
        rest = more;
        match part.strip_prefix('.') {
            Some(field) => {
                if !at.is_object() {
                    *at = json!({});
                }
                at = &mut at[field];
            }
            None => {
                let index = part.trim_matches(['[', ']']).parse().unwrap_or(0usize);
                if !at.is_array() {
                    *at = json!([]);
                }
                if let Value::Array(list) = &mut *at
                    && list.len() <= index
                {
                    list.resize(index + 1, Value::Null);
                }
                at = &mut at[index];
            }
        }
    }
    *at = value;
}

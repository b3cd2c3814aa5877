//! A state in which nothing can happen: what each process waits for, and who could provide it.
//!
//! A process provides what another waits for if, from where it is, its control flow leads to a statement that may do so: a
//! send or a receive on that very channel, or a write to something that the guard reads. Whether it will ever get there is not
//! asked; in a deadlock it will not. Channel variables are taken as they are now.

use super::Place;
use super::formula::bare;
use super::reads::{contents, reads};
use crate::machine::{Machine, Pid};
use crate::report::place;
use crate::trace::NamedValue;
use promela_lite::code::Code;
use promela_lite::program::{
    Access, Action, ChanAccess, Edge, Graph, Loc, Place as Memory, Proctype, Program,
};
use promela_lite::source::SourceMap;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;

/// A process that cannot move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Blocked {
    /// The process, and where it is.
    #[serde(flatten)]
    pub at: Place,
    /// Whether it may rest there.
    pub may_rest: bool,
    /// What it could do, if it were possible.
    pub options: Vec<Wait>,
}

/// A statement that is not executable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// The statement.
    pub statement: String,
    /// Line.
    pub line: u32,
    /// What its guard reads.
    pub reads: Vec<NamedValue>,
    /// What it waits for, in words.
    pub needs: String,
    /// Who could provide that: for each process, the nearest statement that may.
    pub providers: Vec<Place>,
}

/// What every process waits for in a state.
pub fn blocked(machine: &mut Machine, sources: &SourceMap, state: &[u8]) -> Vec<Blocked> {
    let program = Arc::clone(machine.shared_program());
    let mut all: Vec<(Pid, &Proctype, Loc)> = Vec::new();
    for process in machine.view(state).processes() {
        let proctype = &program.proctypes[process.proctype_id().index()];
        all.push((process.pid, proctype, process.loc()));
    }
    let mut inquiry = Inquiry {
        machine,
        program: &program,
        sources,
        state,
        all: &all,
    };
    let of = |&(pid, proctype, loc): &(Pid, &Proctype, Loc)| inquiry.process(pid, proctype, loc);
    all.iter().map(of).collect()
}

/// The processes of a shortest circle: each waits for something that the next one could provide. Empty if there is none.
pub fn circle(blocked: &[Blocked]) -> Vec<u16> {
    let providers = |pid: u16| {
        let process = blocked.iter().find(|b| b.at.pid == pid);
        let options = process.into_iter().flat_map(|b| &b.options);
        options.flat_map(|wait| &wait.providers).map(|p| p.pid)
    };
    let from = |start: u16| {
        let mut came: Vec<(u16, Option<usize>)> = vec![(start, None)];
        let mut next = 0;
        while next < came.len() {
            for pid in providers(came[next].0) {
                if pid == start {
                    let mut path = Vec::new();
                    let mut at = Some(next);
                    while let Some(index) = at {
                        path.push(came[index].0);
                        at = came[index].1;
                    }
                    path.reverse();
                    return Some(path);
                }
                if !came.iter().any(|(known, _)| *known == pid) {
                    came.push((pid, Some(next)));
                }
            }
            next += 1;
        }
        None
    };
    let stuck = blocked.iter().filter(|b| !b.may_rest);
    let circles = stuck.filter_map(|b| from(b.at.pid));
    circles.min_by_key(Vec::len).unwrap_or_default()
}

/// What a wait is about.
enum Wanted {
    /// Somebody who sends to the channel.
    Sender(i32),
    /// Somebody who receives from it.
    Receiver(i32),
    /// Somebody who changes what a guard reads.
    Change(Vec<Access>, Vec<i32>),
    /// The end of processes with higher numbers.
    End,
    /// Nothing that anybody could do.
    Nothing,
}

struct Inquiry<'a> {
    machine: &'a mut Machine,
    program: &'a Program,
    sources: &'a SourceMap,
    state: &'a [u8],
    all: &'a [(Pid, &'a Proctype, Loc)],
}

impl Inquiry<'_> {
    fn process(&mut self, pid: Pid, proctype: &Proctype, loc: Loc) -> Blocked {
        let location = &proctype.graph.locations[loc.index()];
        let edges = location.edges().map(|e| &proctype.graph.edges[e]);
        let mut options: Vec<Wait> = edges
            .filter(|e| e.action != Action::Else)
            .map(|edge| self.wait(pid, edge))
            .collect();
        if let Some(code) = proctype.provided
            && self.machine.eval_for(self.state, pid, code) == Ok(0)
        {
            let reads = reads(self.machine, self.state, Some(pid), code);
            options = vec![Wait {
                statement: "provided".to_owned(),
                line: place(self.sources, proctype.span).line,
                reads,
                needs: "its `provided` clause to become true".to_owned(),
                providers: Vec::new(),
            }];
        }
        Blocked {
            at: Place::new(self.sources, pid, &proctype.name, location.span, ""),
            may_rest: location.end,
            options,
        }
    }

    fn wait(&mut self, pid: Pid, edge: &Edge) -> Wait {
        let (needs, code, wanted) = self.needs(pid, edge);
        Wait {
            statement: edge.text.clone(),
            line: place(self.sources, edge.span).line,
            reads: match code {
                Some(code) => reads(self.machine, self.state, Some(pid), code),
                None => Vec::new(),
            },
            needs,
            providers: self.providers(pid, &wanted),
        }
    }

    /// What a statement needs, in words, the code that reads what it depends on, and what would provide it.
    fn needs(&mut self, pid: Pid, edge: &Edge) -> (String, Option<Code>, Wanted) {
        let program = self.program;
        match edge.action {
            Action::Send(id) => {
                let code = program.sends[id.index()].chan;
                let text = &program.sends[id.index()].chan_text;
                match self.channel(pid, code) {
                    None => unusable(text),
                    Some((id, name, 0, _)) => {
                        (format!("a receiver on {name}"), None, Wanted::Receiver(id))
                    }
                    Some((id, name, capacity, held)) => {
                        let needs = format!("room in {name}, which is full ({capacity}): {held}");
                        (needs, None, Wanted::Receiver(id))
                    }
                }
            }
            Action::Recv(id) => {
                let op = &program.recvs[id.index()];
                match self.channel(pid, op.chan) {
                    None => unusable(&op.chan_text),
                    Some((id, name, 0, _)) => {
                        (format!("a sender on {name}"), None, Wanted::Sender(id))
                    }
                    Some((id, name, _, held)) if held == "[]" => {
                        let needs = format!("a message in {name}, which is empty");
                        (needs, None, Wanted::Sender(id))
                    }
                    Some((id, name, _, held)) => {
                        let needs = format!("a message in {name} that fits: {held} does not");
                        (needs, None, Wanted::Sender(id))
                    }
                }
            }
            Action::End => (
                "the end of all processes that were started later".to_owned(),
                None,
                Wanted::End,
            ),
            Action::Guard(code) | Action::DStep(code) => {
                let places = edge.footprint.reads.to_vec();
                let channels = edge.footprint.chans.iter().map(|c| c.via);
                let channels = channels.filter_map(|via| self.channel_at(pid, &via));
                let wanted = Wanted::Change(places, channels.collect());
                (
                    format!("{} to become true", bare(&edge.text)),
                    Some(code),
                    wanted,
                )
            }
            _ => ("to be let".to_owned(), None, Wanted::Nothing),
        }
    }

    /// A channel by the code that names it: identity, name, capacity, contents.
    fn channel(&mut self, pid: Pid, code: Code) -> Option<(i32, String, u32, String)> {
        let id = self.machine.eval_for(self.state, pid, code).ok()?;
        let view = self.machine.view(self.state);
        let channel = view.channels().find(|c| i32::from(c.id()) == id)?;
        let name = view.channel_name(&channel);
        Some((id, name, channel.template().capacity, contents(&channel)))
    }

    /// The channel that a variable holds, if it is a scalar.
    fn channel_at(&self, pid: Pid, via: &Access) -> Option<i32> {
        let view = self.machine.view(self.state);
        let at = |v: &crate::machine::Value<'_>| {
            v.cell.offset == via.lo && v.cell.offset + v.cell.ty.size() == via.hi
        };
        let value = match via.place {
            Memory::Global => view.globals().find(at),
            Memory::Own => view.processes().nth(usize::from(pid.0))?.locals().find(at),
            Memory::Hidden | Memory::Remote(_) => None,
        };
        value.map(|v| v.value)
    }

    fn providers(&mut self, waiting: Pid, wanted: &Wanted) -> Vec<Place> {
        let mut found = Vec::new();
        for &(pid, proctype, loc) in self.all {
            if pid == waiting || matches!(wanted, Wanted::End) && pid < waiting {
                continue;
            }
            let provides = |this: &mut Self, edge: &Edge| this.provides(pid, edge, wanted);
            if let Some(edge) = nearest(&proctype.graph, loc, |edge| provides(self, edge)) {
                let text = &edge.text;
                found.push(Place::new(
                    self.sources,
                    pid,
                    &proctype.name,
                    edge.span,
                    text,
                ));
            }
        }
        found
    }

    /// Whether a step of a process may do what is wanted.
    fn provides(&mut self, pid: Pid, edge: &Edge, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::Nothing => false,
            Wanted::End => edge.action == Action::End,
            Wanted::Sender(id) => self.uses(pid, edge, *id, &[ChanAccess::Send]),
            Wanted::Receiver(id) => self.uses(pid, edge, *id, &[ChanAccess::Recv]),
            Wanted::Change(places, channels) => {
                let writes = edge.footprint.writes.iter();
                let mut changes = writes.filter(|w| matches!(w.place, Memory::Global));
                changes.any(|w| places.iter().any(|p| overlap(p, w)))
                    || channels
                        .iter()
                        .any(|id| self.uses(pid, edge, *id, &[ChanAccess::Send, ChanAccess::Recv]))
            }
        }
    }

    /// Whether a step of a process uses a channel in one of those ways.
    fn uses(&mut self, pid: Pid, edge: &Edge, id: i32, ways: &[ChanAccess]) -> bool {
        let named = match edge.action {
            Action::Send(op) if ways.contains(&ChanAccess::Send) => {
                Some(self.program.sends[op.index()].chan)
            }
            Action::Recv(op) if ways.contains(&ChanAccess::Recv) => {
                Some(self.program.recvs[op.index()].chan)
            }
            _ => None,
        };
        if let Some(code) = named {
            return self.machine.eval_for(self.state, pid, code) == Ok(id);
        }
        let in_one_step = matches!(edge.action, Action::DStep(_));
        in_one_step
            && edge.footprint.chans.iter().any(|c| {
                ways.contains(&c.how) && self.channel_at(pid, &c.via).is_none_or(|it| it == id)
            })
    }
}

fn unusable(text: &str) -> (String, Option<Code>, Wanted) {
    let needs = format!("{text} to be a channel");
    (needs, None, Wanted::Nothing)
}

fn overlap(a: &Access, b: &Access) -> bool {
    a.place == b.place && a.lo < b.hi && b.lo < a.hi
}

/// The step that satisfies a condition and lies nearest to a location, along the control flow.
fn nearest(graph: &Graph, from: Loc, mut wanted: impl FnMut(&Edge) -> bool) -> Option<&Edge> {
    let mut seen = vec![false; graph.locations.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(loc) = queue.pop_front() {
        if std::mem::replace(&mut seen[loc.index()], true) {
            continue;
        }
        for edge in &graph.edges[graph.locations[loc.index()].edges()] {
            if wanted(edge) {
                return Some(edge);
            }
            if edge.action != Action::End {
                queue.push_back(edge.to);
            }
        }
    }
    None
}

//! A run as a page and a chart need it: who takes part, what each step changes, and which message goes from where to where.
//!
//! Only differences are kept, so that ten thousand steps stay small: names, statements and places are numbered once. The same
//! record is drawn as a picture ([`super::chart`]) and embedded as JSON in a page.

use super::sources::Files;
use crate::machine::{Machine, Move, Pid};
use crate::report::text::call_stack;
use crate::trace::{
    Direction, Moment, NamedValue, Show, Site, Teller, Told, changes, messages, replay, values,
};
use promela_lite::program::{Action, Program, RecvOp};
use promela_lite::source::SourceMap;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A run, in differences.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Record {
    /// The processes that take part, in the order in which they start.
    pub(crate) lanes: Vec<Lane>,
    /// Statements.
    pub(crate) sites: Vec<Statement>,
    /// Names of variables and channels.
    pub(crate) names: Vec<String>,
    /// Values before the first step: number of the name, value.
    pub(crate) initial: Vec<(usize, String)>,
    /// Where the processes are before the first step: lane, file, line.
    pub(crate) places: Vec<(usize, usize, u32)>,
    /// The steps.
    pub(crate) steps: Vec<Step>,
    /// Messages from one step to another: step and lane of the sender, step and lane of the receiver, text.
    pub(crate) arrows: Vec<(usize, usize, usize, usize, String)>,
}

/// A process.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Lane {
    /// Number and type, `P(1)`.
    pub(crate) name: String,
    /// The step that starts it; 0 if it is there at the start.
    pub(crate) from: usize,
    /// The lane of the process that starts it.
    pub(crate) parent: Option<usize>,
    /// The step with which it ends.
    pub(crate) to: Option<usize>,
}

/// A statement.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Statement {
    /// As text.
    pub(crate) text: String,
    /// Where it is: `file:line`.
    pub(crate) at: String,
    /// The macros and inlines that it comes from.
    pub(crate) via: String,
}

/// A step.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Step {
    /// Lane.
    pub(crate) lane: usize,
    /// Statement.
    pub(crate) site: usize,
    /// Lane and statement of the receiver of a rendezvous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) partner: Option<(usize, usize)>,
    /// The statement with its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) executed: Option<String>,
    /// The procedures that the process is executing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) calls: String,
    /// Whether the process keeps control.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) atomic: bool,
    /// Names and their new values.
    pub(crate) set: Vec<(usize, String)>,
    /// Names that are no longer there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) gone: Vec<usize>,
    /// Processes that are somewhere else now: lane, file, line.
    pub(crate) places: Vec<(usize, usize, u32)>,
}

/// Executes a run and records it.
pub(crate) fn record(
    program: &Arc<Program>,
    sources: &SourceMap,
    files: &mut Files,
    path: &[Move],
) -> Record {
    let mut recorder = Recorder::new(program, sources, files);
    // The run has been confirmed; if it is none all the same, what there is of it is shown.
    let _ = replay(program, path, &mut |moment| recorder.see(moment));
    recorder.record
}

struct Recorder<'a> {
    program: &'a Arc<Program>,
    files: &'a mut Files,
    sources: &'a SourceMap,
    machine: Machine,
    teller: Teller<'a>,
    record: Record,
    /// The lane of each process that is there.
    alive: Vec<usize>,
    /// Where each process is.
    places: BTreeMap<usize, (usize, u32)>,
    names: FxHashMap<String, usize>,
    sites: FxHashMap<*const Site, usize>,
    /// Keeps what `sites` points to.
    kept: Vec<Arc<Site>>,
    /// Messages in channels: step, lane and fields, by the identity of the channel.
    sent: FxHashMap<u16, VecDeque<(usize, usize, String)>>,
}

impl<'a> Recorder<'a> {
    fn new(
        program: &'a Arc<Program>,
        sources: &'a SourceMap,
        files: &'a mut Files,
    ) -> Recorder<'a> {
        let mut recorder = Recorder {
            program,
            files,
            sources,
            machine: Machine::new(Arc::clone(program)),
            teller: Teller::new(program, sources, Show::Changes),
            record: Record::default(),
            alive: Vec::new(),
            places: BTreeMap::new(),
            names: FxHashMap::default(),
            sites: FxHashMap::default(),
            kept: Vec::new(),
            sent: FxHashMap::default(),
        };
        let mut state = Vec::new();
        if recorder.machine.initial(&mut state).is_ok() {
            let all = values(&recorder.machine, &state);
            recorder.record.initial = recorder.numbered(all);
            recorder.living(&state, 0, None);
            recorder.record.places = recorder.moved(&state);
        }
        recorder
    }

    fn numbered(&mut self, values: Vec<NamedValue>) -> Vec<(usize, String)> {
        let number = |v: NamedValue| (self.name(v.name), v.value);
        values.into_iter().map(number).collect()
    }

    fn name(&mut self, name: String) -> usize {
        let next = self.record.names.len();
        let number = *self.names.entry(name.clone()).or_insert(next);
        if number == next {
            self.record.names.push(name);
        }
        number
    }

    fn site(&mut self, site: &Arc<Site>) -> usize {
        if let Some(&number) = self.sites.get(&Arc::as_ptr(site)) {
            return number;
        }
        let via = site.expansions.iter();
        let via = via.map(|v| format!("{} {} ({}:{})", v.kind, v.name, v.file, v.line));
        let number = self.record.sites.len();
        self.record.sites.push(Statement {
            text: site.statement.clone(),
            at: format!("{}:{}", site.file, site.line),
            via: via.collect::<Vec<_>>().join(", "),
        });
        self.kept.push(Arc::clone(site));
        self.sites.insert(Arc::as_ptr(site), number);
        number
    }

    /// Notes which processes have started or ended with a step.
    fn living(&mut self, state: &[u8], step: usize, parent: Option<usize>) {
        let count = self.machine.nr_processes(state);
        for lane in self.alive.drain(count.min(self.alive.len())..) {
            self.record.lanes[lane].to = Some(step);
            self.places.remove(&lane);
        }
        let view = self.machine.view(state);
        for process in view.processes().skip(self.alive.len()) {
            self.alive.push(self.record.lanes.len());
            self.record.lanes.push(Lane {
                name: format!("{}({})", process.proctype().name, process.pid.0),
                from: step,
                parent,
                to: None,
            });
        }
    }

    /// The processes that are somewhere else than before.
    fn moved(&mut self, state: &[u8]) -> Vec<(usize, usize, u32)> {
        let mut moved = Vec::new();
        let view = self.machine.view(state);
        for process in view.processes() {
            let lane = self.alive[usize::from(process.pid.0)];
            let at = self.files.place(self.sources, process.location().span);
            if self.places.insert(lane, at) != Some(at) {
                moved.push((lane, at.0, at.1));
            }
        }
        moved
    }

    /// How many procedures a process is executing.
    fn depth(&self, state: &[u8], pid: Pid) -> usize {
        let view = self.machine.view(state);
        let process = view.processes().find(|process| process.pid == pid);
        process.map_or(0, |process| process.stack().len())
    }

    fn lane(&self, pid: Pid) -> usize {
        self.alive.get(usize::from(pid.0)).copied().unwrap_or(0)
    }

    fn see(&mut self, moment: &Moment<'_>) {
        self.teller.see(moment);
        let Some(told) = self.teller.told.pop() else {
            return;
        };
        let Told {
            actor,
            partner,
            executed,
            atomic,
            ..
        } = told;
        let number = moment.index + 1;
        let lane = self.lane(moment.mv.pid);
        let mut step = Step {
            lane,
            site: self.site(&actor.site),
            executed,
            calls: call_stack(&actor.calls),
            atomic,
            ..Step::default()
        };
        if let (Some(partner), Some((pid, _))) = (&partner, moment.mv.partner) {
            step.partner = Some((self.lane(pid), self.site(&partner.site)));
        }
        self.messages(moment, number, &step);
        if let Some(after) = moment.after {
            let changed = changes(&self.machine, moment.before, after);
            step.set = self.numbered(changed);
            let fewer = self.machine.nr_processes(after) < self.machine.nr_processes(moment.before);
            if fewer || self.depth(after, moment.mv.pid) < actor.calls.len() {
                let rest = values(&self.machine, after);
                let gone = values(&self.machine, moment.before);
                let gone = gone
                    .into_iter()
                    .filter(|v| rest.iter().all(|r| r.name != v.name));
                step.gone = gone.map(|v| self.name(v.name)).collect();
            }
            self.living(after, number, Some(lane));
            step.places = self.moved(after);
        }
        self.record.steps.push(step);
    }

    /// Follows messages from where they are sent to where they are received.
    fn messages(&mut self, moment: &Moment<'_>, step: usize, told: &Step) {
        let all = messages(&mut self.machine, moment.before, moment.mv);
        if let ([first, ..], Some((to, _))) = (all.as_slice(), told.partner) {
            let arrow = (step, told.lane, step, to, first.executed());
            return self.record.arrows.push(arrow);
        }
        let stays = self.stays(moment);
        for message in all {
            let queue = self.sent.entry(message.channel).or_default();
            if message.direction == Direction::Send {
                if moment.after.is_some() {
                    queue.push_back((step, told.lane, message.fields));
                }
                continue;
            }
            let Some(at) = queue
                .iter()
                .position(|(.., fields)| *fields == message.fields)
            else {
                continue;
            };
            let (from, lane, fields) = match stays {
                true => queue[at].clone(),
                false => queue.remove(at).unwrap_or_default(),
            };
            let label = format!("{}: {fields}", message.name);
            self.record
                .arrows
                .push((from, lane, step, told.lane, label));
        }
    }

    /// Whether a receive leaves the message in the channel.
    fn stays(&self, moment: &Moment<'_>) -> bool {
        let id = self.machine.proctype_of(moment.before, moment.mv.pid);
        let edges = id.map(|id| &self.program.proctypes[id.index()].graph.edges);
        let edge = edges.and_then(|edges| edges.get(moment.mv.edge.index()));
        let recv = edge.and_then(|edge| match edge.action {
            Action::Recv(id) => Some(&self.program.recvs[id.index()]),
            _ => None,
        });
        recv.is_some_and(|recv: &RecvOp| recv.peek)
    }
}

//! A simulation in words, laid out as `spin` lays out its own.
//!
//! What the model prints is indented by its process, four columns each, at the start of each `printf`. Messages are
//! drawn in one column per process. The final state lists the global variables and channels, then the processes, the
//! youngest first.

use super::{Happened, Message, Simulator};
use crate::explain::place;
use crate::machine::{Move, Pid, StateView};
use crate::report::text::render_step;
use crate::trace::{Ending, Moment, Rest, Show, Teller};
use promela_lite::code::Scalar;
use promela_lite::program::{EdgeId, Program};
use promela_lite::source::SourceMap;
use std::fmt::Write;
use std::sync::Arc;

/// What is shown besides the model's own output.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Every move, with what it changed.
    pub moves: bool,
    /// Messages, as a chart.
    pub messages: bool,
    /// Timeouts.
    pub timeouts: bool,
}

/// Puts moves into words.
pub struct Narrator<'a> {
    program: &'a Arc<Program>,
    sources: &'a SourceMap,
    shown: Shown,
    teller: Option<Teller<'a>>,
    /// How many columns the chart has.
    columns: usize,
}

impl<'a> Narrator<'a> {
    /// Nothing said yet.
    pub fn new(program: &'a Arc<Program>, sources: &'a SourceMap, shown: Shown) -> Narrator<'a> {
        Narrator {
            program,
            sources,
            shown,
            teller: None,
            columns: 0,
        }
    }

    /// Forgets what the last move was: the simulation was put elsewhere.
    pub fn jump(&mut self) {
        self.teller = None;
    }

    /// A move that was just made.
    pub fn tell(&mut self, simulator: &mut Simulator, happened: &Happened) -> String {
        let mut out = String::new();
        if happened.timeout && self.shown.timeouts {
            out.push_str(TIMEOUT);
        }
        let margin = 6 + 4 * usize::from(happened.mv.pid.0);
        for piece in &happened.printed {
            let _ = write!(out, "{:margin$}{piece}", "");
        }
        if self.shown.messages {
            let messages = simulator.messages(happened.mv);
            self.chart(&mut out, simulator, &messages);
        }
        if self.shown.moves {
            self.story(&mut out, simulator, happened);
        }
        out
    }

    fn chart(&mut self, out: &mut String, simulator: &Simulator, messages: &[Message]) {
        let nr = |state: &[u8]| simulator.machine().nr_processes(state);
        let columns = nr(simulator.before()).max(nr(&simulator.now().state));
        if !messages.is_empty() && columns > self.columns {
            self.columns = columns;
            out.push_str("q\\p");
            for pid in 0..columns {
                let _ = write!(out, "{pid:>4}");
            }
            out.push('\n');
        }
        for message in messages {
            let skipped = "   .".repeat(usize::from(message.pid.0));
            let _ = writeln!(out, "{:>3}{skipped}   {}", message.channel, message.text);
        }
    }

    fn story(&mut self, out: &mut String, simulator: &Simulator, happened: &Happened) {
        let (program, sources) = (self.program, self.sources);
        let teller = self
            .teller
            .get_or_insert_with(|| Teller::new(program, sources, Show::Changes));
        let now = simulator.now();
        teller.see(&Moment {
            index: now.moves - usize::from(happened.moved),
            mv: happened.mv,
            before: simulator.before(),
            after: happened.moved.then_some(now.state.as_slice()),
            control: now.control,
        });
        if let Some(told) = teller.told.pop() {
            end_line(out);
            render_step(out, &told, 0);
        }
    }

    /// A move that could be made: who, where, what.
    pub fn offer(&self, simulator: &Simulator, mv: Move) -> String {
        let part = |pid: Pid, edge: EdgeId| {
            let proctype = simulator
                .machine()
                .proctype_of(&simulator.now().state, pid)?;
            let proctype = &self.program.proctypes[proctype.index()];
            let edge = proctype.graph.edges.get(edge.index())?;
            let at = place(self.sources, edge.span);
            Some(format!("{}({})  {at}  {}", proctype.name, pid.0, edge.text))
        };
        let mut text = part(mv.pid, mv.edge).unwrap_or_default();
        if let Some((pid, edge)) = mv.partner {
            let _ = write!(text, "  with {}", part(pid, edge).unwrap_or_default());
        }
        text
    }

    /// A run that goes no further: SPIN calls that a timeout too, if processes are left.
    pub fn stopped(&self, simulator: &Simulator, ending: &Ending) -> String {
        let blocked = matches!(ending.rest, Rest::InvalidEnd | Rest::ValidEnd);
        let left = simulator.machine().nr_processes(&simulator.now().state) > 0;
        match blocked && left && self.shown.timeouts {
            true => TIMEOUT.to_owned(),
            false => String::new(),
        }
    }

    /// Where the processes are.
    pub fn places(&self, simulator: &Simulator) -> String {
        let mut out = String::new();
        let now = simulator.now();
        let view = simulator.machine().view(&now.state);
        self.processes(&mut out, &view, now.moves, false);
        out
    }

    /// The state that a run came to.
    pub fn summary(&self, simulator: &Simulator) -> String {
        let mut out = String::new();
        let now = simulator.now();
        let view = simulator.machine().view(&now.state);
        let count = view.processes().count();
        if count > 0 {
            let _ = writeln!(out, "#processes: {count}");
            globals(&mut out, &view);
            self.processes(&mut out, &view, now.moves, self.shown.moves);
        }
        let es = if now.created == 1 { "" } else { "es" };
        let _ = writeln!(out, "{} process{es} created", now.created);
        out
    }

    fn processes(&self, out: &mut String, view: &StateView<'_>, moves: usize, locals: bool) {
        let mut processes: Vec<_> = view.processes().collect();
        processes.reverse();
        for process in processes {
            let location = process.location();
            let end = if location.end {
                " <valid end state>"
            } else {
                ""
            };
            let name = &process.proctype().name;
            let _ = writeln!(
                out,
                "{moves:>3}:\tproc {:>2} ({name}:{}) {} (state {}){end}",
                process.pid.0,
                process.priority(),
                place(self.sources, location.span),
                location.number,
            );
            if locals {
                for value in process.locals() {
                    let _ = writeln!(
                        out,
                        "\t\t{name}({}):{} = {value}",
                        process.pid.0,
                        value.name()
                    );
                }
            }
        }
    }
}

/// What SPIN says when nothing else can happen.
const TIMEOUT: &str = "      timeout\n";

/// The model may have left a line unfinished.
fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

fn globals(out: &mut String, view: &StateView<'_>) {
    for value in view.globals() {
        if value.cell.ty != Scalar::Chan {
            let _ = writeln!(out, "\t\t{} = {value}", value.name());
            continue;
        }
        let id = value.value;
        let channel = view.channels().find(|c| i32::from(c.id()) == id);
        if let Some(channel) = channel
            && channel.template().capacity > 0
        {
            let _ = writeln!(out, "\t\tqueue {id} ({}): {channel}", value.name());
        }
    }
}

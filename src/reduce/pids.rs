//! Whether it matters in which order processes start and end: not if nobody can tell their numbers.
//!
//! Two `run`s in the two orders give the processes different pids, and their channels different numbers; and a process that
//! ends before a `run` leaves its pid to the new one, while afterwards it has to wait, terminated, until the new one has
//! ended. In general these are different states and the steps depend on each other. But think of the program without
//! numbers: a process and its channels have identities that are never used again, and the process is gone when it has come
//! to its end. If from a state on no process can tell numbers, this program and the real one do the same from there on, step
//! for step, up to a renaming of processes and channels, but for the removal of terminated processes, which changes nothing
//! that anybody can see. There `run` is independent of `run`, and ends are no steps at all. An ample set of
//! that program is found in the real state; the search of the real program then follows one order of pids of each run of the
//! other one. Which of them does not matter to the argument for C1, in which the rest of a run is any run of the program
//! without numbers, nor to C2', which is about the states that are really stored. Processes that exist keep the numbers that
//! they have, in both programs, so that only what may still be started, and who may still look, matters: the question is
//! asked for each state, of the places where its processes are.
//!
//! Who could tell, by a step that it may still make:
//! - whoever starts a process that reads its `_pid`, reads `_nr_pr`, looks at another process, or keeps the value of a `run`;
//! - whoever does something that depends on the number of a channel ([`super::channel_flow`]);
//! - whoever starts a process that ends at an accept label: it is seen there for as long as it is not removed;
//! - whoever may reach the limit on the number of processes, terminated ones included, or on channels or bytes: the number
//!   of processes that may still be started, and those that exist, must be bounded ([`super::counted`]), far below it.
//!
//! For the whole program: a number that may become a channel, for it may mean one that does not exist yet; a channel that an
//! older process may know when its maker ends, for then it is taken away, and later its number given to another one; and
//! `xr` and `xs`, which a terminated process still holds. A process that only its descendants can have a channel of outlives
//! them all, so that nobody is left who knows it when it is taken along.
//!
//! A property that looks at processes makes `run` and the end of a process visible, so that they are in no
//! ample set anyway. Condition F is about what depends on what, so pids always count there.

use super::channel_flow::Flow;
use super::counted::{Parameters, UNBOUNDED, started_from};
use super::facts::{looks_at_all, run_targets};
use crate::faults::{Fault, is_active};
use crate::machine::Look;
use promela_lite::code::{Code, Instr};
use promela_lite::program::*;

/// More processes than this in all, more bytes, or more channels are too near to what a machine allows.
const MOST_PROCESSES: u64 = 1 << 15;
const MOST_BYTES: u64 = 1 << 28;
const MOST_CHANNELS: u64 = 1 << 15;

/// In which states nobody can tell numbers from then on.
#[derive(Clone, Debug)]
pub(super) enum Hidden {
    Never,
    Always,
    Where(Bounded),
}

/// In states in which few enough processes may still be started.
#[derive(Clone, Debug)]
pub(super) struct Bounded {
    /// How many from each location of each proctype.
    started: Vec<Vec<u64>>,
    /// How many there may be in all.
    most: u64,
}

impl Hidden {
    pub(super) fn new(program: &Program, flow: &Flow) -> Hidden {
        let runs = |i: &Instr| matches!(i, Instr::Run { .. });
        let counts = |footprint: &Footprint| footprint.specials.nr_pr || footprint.specials.pid;
        let claims = program.claims.iter().flat_map(|c| &c.graph.edges);
        let counted = program.atoms.iter().any(|a| counts(&a.footprint))
            || claims.into_iter().any(|e| counts(&e.footprint));
        let told = flow.forged || flow.escapes || counted || !program.exclusive.is_empty();
        if told || !program.instrs.iter().any(runs) {
            return Hidden::Never;
        }
        let most = most_processes(program);
        let parameters = Parameters::new(program);
        let tells = edges_that_tell(program, flow);
        let mut brood = vec![UNBOUNDED; program.proctypes.len()];
        loop {
            let places: Vec<Vec<u64>> = (0..program.proctypes.len())
                .map(|index| {
                    let id = ProctypeId(index as u16);
                    let brood = |id: ProctypeId| brood[id.index()];
                    started_from(program, &parameters, id, &tells[index], brood)
                })
                .collect();
            let started = program.proctypes.iter().zip(&places);
            let now = started.map(|(p, places)| places[p.graph.start.index()].saturating_add(1));
            let now: Vec<u64> = now.collect();
            if now != brood {
                brood = now;
                continue;
            }
            let all = program.active.iter().map(|id| brood[id.index()]);
            let all = all.fold(0, u64::saturating_add);
            return match all <= most || is_active(Fault::PidsHidden) {
                true => Hidden::Always,
                false => Hidden::Where(Bounded {
                    started: places,
                    most,
                }),
            };
        }
    }

    /// Whether nobody can tell from that state on.
    #[inline]
    pub(super) fn holds(&self, look: &Look<'_>) -> bool {
        match self {
            Hidden::Never => false,
            Hidden::Always => true,
            Hidden::Where(Bounded { started, most }) => {
                let live = look.places();
                let started = live.map(|(id, loc)| started[id.index()][loc.index()]);
                started.fold(look.processes() as u64, u64::saturating_add) <= *most
            }
        }
    }
}

/// How many processes a machine certainly has room for, with all that they take.
fn most_processes(program: &Program) -> u64 {
    let size = |template: &ChanTemplate| {
        let fields = template.fields.iter().map(|f| u64::from(f.size()));
        u64::from(template.capacity)
            .saturating_mul(fields.sum())
            .saturating_add(4)
    };
    let of = |proctype: &Proctype| {
        let made = program.instrs[proctype.init.range()].iter();
        let made = made.filter_map(|i| match i {
            Instr::NewChan(template) => Some(size(&program.templates[template.index()])),
            _ => None,
        });
        made.fold(u64::from(proctype.frame.size) + 8, u64::saturating_add)
    };
    let bytes = program.proctypes.iter().map(of).max().unwrap_or(0);
    let channels = program.proctypes.iter().map(|p| u64::from(p.channels));
    let channels = channels.max().unwrap_or(0);
    let of_bytes = MOST_BYTES / bytes.max(1);
    MOST_PROCESSES
        .min(of_bytes)
        .min(MOST_CHANNELS / channels.max(1))
}

/// For each proctype, which of its edges tell numbers.
fn edges_that_tell(program: &Program, flow: &Flow) -> Vec<Vec<bool>> {
    let has = |code: Code, what: fn(&Instr) -> bool| program.instrs[code.range()].iter().any(what);
    let known: Vec<bool> = program
        .proctypes
        .iter()
        .map(|proctype| {
            let edges = &proctype.graph.edges;
            let own = |i: &Instr| matches!(i, Instr::SelfPid);
            let others = |i: &Instr| {
                use Instr::*;
                matches!(
                    i,
                    NrProcesses
                        | Last
                        | NonProgress
                        | Enabled
                        | PcValue(_)
                        | PidOf(_)
                        | RemoteAt { .. }
                        | RemoteLoad { .. }
                        | RemoteLoadAt { .. }
                        | AnywhereAt(_)
                )
            };
            let seen = |e: &&Edge| {
                e.action == Action::End && proctype.graph.locations[e.from.index()].accept
            };
            edges.iter().any(|e| e.footprint.specials.pid)
                || has(proctype.init, own)
                || has(proctype.init, others)
                || proctype
                    .provided
                    .is_some_and(|code| has(code, own) || has(code, others))
                || edges.iter().any(|e| seen(&e))
        })
        .collect();
    let tells = |index: usize, number: usize, edge: &Edge| {
        let uses = edge.footprint.chans.iter().map(|c| &c.via);
        let mut touched = edge.footprint.reads.iter().chain(uses);
        let specials = edge.footprint.specials;
        specials.nr_pr
            || looks_at_all(specials)
            || touched.any(|a| matches!(a.place, Place::Remote(_)))
            || (flow.told[index][number] && !is_active(Fault::ChannelNumbersIgnored))
            || !keeps_no_pid(program, edge)
            || run_targets(program, edge).any(|p| known[p.index()])
    };
    let proctypes = program.proctypes.iter().enumerate();
    proctypes
        .map(|(index, proctype)| {
            let edges = proctype.graph.edges.iter().enumerate();
            edges
                .map(|(number, edge)| tells(index, number, edge))
                .collect()
        })
        .collect()
}

/// Whether the edge starts nothing, or one process as a statement of its own.
fn keeps_no_pid(program: &Program, edge: &Edge) -> bool {
    let runs = |i: &Instr| matches!(i, Instr::Run { .. });
    match edge.action {
        _ if program.instrs[edge.then.range()].iter().any(runs) => false,
        Action::Guard(code) => {
            let instrs = &program.instrs[code.range()];
            let mut rest = instrs.iter().skip_while(|i| !runs(i)).skip(1);
            rest.all(|i| *i == Instr::Return)
        }
        Action::Effect(code) | Action::DStep(code) => {
            !program.instrs[code.range()].iter().any(runs)
        }
        _ => true,
    }
}

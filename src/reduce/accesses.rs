//! What the steps that leave a place access, for the stateless search: the union over all of them, disabled ones
//! included, `atomic` sequences as far as they can go.
//!
//! So two processes whose next steps are independent neither enable nor disable nor change each other's. Objects are
//! the scalars of global variables, each channel, and the list of processes, which is changed where one is started or
//! ends. A channel is used as a whole: whoever sends or receives changes it.
//!
//! Models in which a step looks at more than that are refused ([`obstacle_to_accesses`]).

use super::facts::chain;
use super::objects::Objects;
use super::operations::channels;
use super::uses::{Constants, Via};
use crate::machine::{Look, Pid};
use promela_lite::program::*;

/// The list of processes.
const PROCESSES: u32 = 0;

/// Why the steps of a model are not told apart by what they access.
pub fn obstacle_to_accesses(program: &Program) -> Option<&'static str> {
    let features = program.features;
    let edges = || program.proctypes.iter().flat_map(|p| &p.graph.edges);
    let looks_at_others = |e: &Edge| {
        let via = e.footprint.chans.iter().map(|c| &c.via);
        let mut all = e.footprint.reads.iter().chain(via);
        e.footprint.specials.remote_location || all.any(|a| matches!(a.place, Place::Remote(_)))
    };
    let constants = Constants::new(program);
    let changes_channels = program
        .proctypes
        .iter()
        .enumerate()
        .any(|(index, proctype)| {
            let id = ProctypeId(index as u16);
            let uses = proctype.graph.edges.iter().flat_map(|e| &e.footprint.chans);
            uses.into_iter().any(|used| {
                Via::of(program, id, &used.via).is_none_or(|via| !constants.holds(id, via))
            })
        });
    let takes_channels = |p: &Proctype| p.channels > 0;
    let table = [
        (
            features.priorities,
            "priorities let the enabledness of one process decide about another",
        ),
        (
            features.provided,
            "`provided` clauses decide about all steps of a process",
        ),
        (
            features.timeout,
            "`timeout` depends on what every process could do",
        ),
        (
            features.enabled,
            "`enabled()` looks at what every process could do",
        ),
        (features.last, "`_last` looks at who moved last"),
        (
            features.pc_value || edges().any(looks_at_others),
            "processes look at the places or variables of others",
        ),
        (
            edges().any(|e| e.footprint.specials.non_progress),
            "`np_` looks at the places of all processes",
        ),
        (
            program.trace.is_some(),
            "a `trace` looks at the order of its events",
        ),
        (
            program.proctypes.iter().any(|p| p.deterministic),
            "a `D_proctype` must be deterministic in every state",
        ),
        (
            !program.exclusive.is_empty(),
            "`xr` and `xs` are about who else uses a channel",
        ),
        (
            program.templates.iter().any(|t| t.capacity == 0),
            "a rendezvous is a step of two processes",
        ),
        (
            program.proctypes.iter().any(takes_channels),
            "channels that processes make end with them",
        ),
        (
            changes_channels,
            "which channel is meant depends on variables that change",
        ),
    ];
    table
        .iter()
        .find(|(applies, _)| *applies)
        .map(|&(_, why)| why)
}

/// What the steps that leave a place access.
#[derive(Clone, Debug, Default)]
struct AtPlace {
    /// Objects that are only read, and those that may be written.
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// Channels, and whether they may be changed.
    channels: Vec<(Via, bool)>,
}

/// The same for all places of a program.
#[derive(Clone, Debug)]
pub struct Accesses {
    places: Vec<Vec<AtPlace>>,
    /// The number of the first channel.
    first_channel: u32,
}

impl Accesses {
    /// Those of a program without an obstacle.
    pub fn new(program: &Program) -> Accesses {
        let objects = Objects::new(program);
        let places = program
            .proctypes
            .iter()
            .enumerate()
            .map(|(index, proctype)| {
                let id = ProctypeId(index as u16);
                let graph = &proctype.graph;
                let at = |location| at_place(program, &objects, id, graph, location);
                graph.locations.iter().map(at).collect()
            });
        Accesses {
            places: places.collect(),
            first_channel: 1 + objects.count(),
        }
    }

    /// Adds what a process accesses in its next step: objects, and whether they may be changed.
    pub fn add(&self, look: &Look<'_>, pid: Pid, out: &mut Vec<(u32, bool)>) {
        let (proctype, loc) = look.process(pid);
        let at = &self.places[proctype.index()][loc.index()];
        out.extend(at.reads.iter().map(|&object| (object, false)));
        out.extend(at.writes.iter().map(|&object| (object, true)));
        for &(via, changes) in &at.channels {
            let named = channels(look, pid, via).map(|id| self.first_channel + u32::from(id));
            for object in named {
                match out.iter_mut().find(|(o, _)| *o == object) {
                    Some((_, changed)) => *changed |= changes,
                    None => out.push((object, changes)),
                }
            }
        }
    }
}

fn at_place(
    program: &Program,
    objects: &Objects,
    id: ProctypeId,
    graph: &Graph,
    location: &Location,
) -> AtPlace {
    use super::bits::Bits;
    let (mut reads, mut writes, mut at) = (Bits::default(), Bits::default(), AtPlace::default());
    let (mut counts, mut starts) = (false, false);
    let first = &graph.edges[location.edges()];
    let further = first
        .iter()
        .flat_map(|edge| chain(graph, edge))
        .map(|e| &graph.edges[e]);
    for edge in first.iter().chain(further) {
        let Footprint {
            reads: r,
            writes: w,
            chans,
            specials,
        } = &edge.footprint;
        r.iter().for_each(|a| objects.add(a, &mut reads));
        w.iter().for_each(|a| objects.add(a, &mut writes));
        counts |= specials.nr_pr;
        starts |= specials.run || specials.end || edge.action == Action::End;
        for used in chans {
            let changes = matches!(used.how, ChanAccess::Send | ChanAccess::Recv);
            at.channels
                .extend(Via::of(program, id, &used.via).map(|via| (via, changes)));
        }
    }
    let object = |index: u32| 1 + index;
    let all = 0..objects.count();
    at.writes.extend(
        all.clone()
            .filter(|&o| writes.contains(o as usize))
            .map(object),
    );
    let only_read = |o: &u32| reads.contains(*o as usize) && !writes.contains(*o as usize);
    at.reads.extend(all.filter(only_read).map(object));
    match (starts, counts) {
        (true, _) => at.writes.push(PROCESSES),
        (false, true) => at.reads.push(PROCESSES),
        (false, false) => {}
    }
    at
}

//! Operations and which of them depend on each other, for condition F.
//!
//! An operation is a step of a certain process (both processes, for a rendezvous) with the channels it means. An `atomic`
//! sequence is one operation, named by its first step, that touches what any of its steps may. Two operations *depend* on
//! each other if
//!
//! - a process takes part in both; or
//! - both touch a common object (a scalar of a global variable, or a large array as a whole) and one of them writes it; what
//!   an `else` or a statement covered by an escape touches includes what the alternatives read that must not be possible; or
//! - both use the same channel, one of them sends or receives, and they are not just a send and a receive (or `?<…>`) that
//!   begin their steps, at a buffered channel of a model without `!!`; or
//! - one looks at the place or the variables of a process, and the other one is a step of a process of that type, or starts
//!   processes; or
//! - both start processes, end one or count them (two ends aside: only the youngest process can end); or one ends a process
//!   that takes channels along, and the other one uses channels; or
//! - both ask for `timeout`, or one asks for it in the middle of a step; or
//! - one asks for something that every step may change (`enabled`, `_last`, priorities, `pc_value`, `np_`).
//!
//! This is a dependency in the sense of the paper (Definition 2.1, relaxed: two independent operations that are both
//! possible remain possible after each other, and commute), so F is robust: if one of two equivalent runs is F-fair, so is
//! the other. Tests check the definition state by state. Every pair of it is one that [`super::Ample`], made for F, takes
//! for dependent as well.

use super::bits::Bits;
use super::facts::chain;
use super::objects::Objects;
use super::uses::{Constants, Via};
use crate::fairness::NumberSet;
use crate::machine::{Look, Move, Pid};
use promela_lite::opt::is_local;
use promela_lite::program::*;
use rustc_hash::FxHashMap;

/// An operation that has been met.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct OperationId(u32);

impl OperationId {
    /// As a number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a step touches, whichever process makes it.
#[derive(Clone, Debug, Default)]
struct Touch {
    reads: Bits,
    writes: Bits,
    uses: Vec<TouchUse>,
    looks_at: Bits,
    run: bool,
    end: bool,
    nr_pr: bool,
    drops_channels: bool,
    timeout: bool,
    everything: bool,
}

#[derive(Copy, Clone, Debug)]
struct TouchUse {
    /// `None`: it may be any channel.
    via: Option<Via>,
    how: ChanAccess,
    /// It does not begin the step.
    inside: bool,
}

/// A channel operation with the channel it means.
#[derive(Copy, Clone, Debug)]
struct Used {
    channel: Option<u16>,
    buffered: bool,
    how: ChanAccess,
    inside: bool,
}

/// What one process does in an operation.
#[derive(Clone, Debug)]
struct Part {
    pid: Pid,
    proctype: ProctypeId,
    edge: EdgeId,
    used: Vec<Used>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    mv: Move,
    proctype: ProctypeId,
    partner: Option<ProctypeId>,
    channels: Vec<u16>,
}

/// The operations of a program, numbered as they are met.
#[derive(Clone, Debug)]
pub struct Operations {
    touches: Vec<Vec<Touch>>,
    sorted: bool,
    known: FxHashMap<Key, OperationId>,
    operations: Vec<Vec<Part>>,
}

impl Operations {
    /// Those of a program.
    pub fn new(program: &Program) -> Operations {
        let objects = Objects::new(program);
        let constants = Constants::new(program);
        let touches = (0..program.proctypes.len()).map(|index| {
            let id = ProctypeId(index as u16);
            let edges = program.proctypes[index].graph.edges.iter();
            edges
                .map(|edge| touch(program, &objects, &constants, id, edge))
                .collect()
        });
        Operations {
            touches: touches.collect(),
            sorted: program.sends.iter().any(|s| s.sorted),
            known: FxHashMap::default(),
            operations: Vec::new(),
        }
    }

    /// The operation that a move of a state is.
    pub fn number(&mut self, look: &Look<'_>, mv: Move) -> OperationId {
        let partner = mv.partner.map(|(pid, _)| look.process(pid).0);
        let mut key = Key {
            mv,
            proctype: look.process(mv.pid).0,
            partner,
            channels: Vec::new(),
        };
        self.add_channels(look, mv.pid, key.proctype, mv.edge, &mut key.channels);
        if let (Some((pid, edge)), Some(proctype)) = (mv.partner, partner) {
            self.add_channels(look, pid, proctype, edge, &mut key.channels);
        }
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut parts = vec![self.part(look, mv.pid, key.proctype, mv.edge)];
        if let (Some((pid, edge)), Some(proctype)) = (mv.partner, partner) {
            parts.push(self.part(look, pid, proctype, edge));
        }
        let id = OperationId(self.operations.len() as u32);
        self.operations.push(parts);
        self.known.insert(key, id);
        id
    }

    fn add_channels(
        &self,
        look: &Look<'_>,
        pid: Pid,
        proctype: ProctypeId,
        edge: EdgeId,
        out: &mut Vec<u16>,
    ) {
        let uses = &self.touches[proctype.index()][edge.index()].uses;
        for via in uses.iter().filter_map(|u| u.via) {
            out.extend(channels(look, pid, via));
        }
    }

    fn part(&self, look: &Look<'_>, pid: Pid, proctype: ProctypeId, edge: EdgeId) -> Part {
        let mut used = Vec::new();
        for touch in &self.touches[proctype.index()][edge.index()].uses {
            let of = |channel: Option<u16>| Used {
                channel,
                buffered: channel
                    .and_then(|c| look.channel(c))
                    .is_some_and(|fill| fill.capacity > 0),
                how: touch.how,
                inside: touch.inside,
            };
            match touch.via {
                Some(via) => used.extend(channels(look, pid, via).map(|c| of(Some(c)))),
                None => used.push(of(None)),
            }
        }
        Part {
            pid,
            proctype,
            edge,
            used,
        }
    }

    /// Whether two operations depend on each other.
    pub fn depend(&self, a: OperationId, b: OperationId) -> bool {
        let (a, b) = (&self.operations[a.index()], &self.operations[b.index()]);
        a.iter().any(|a| b.iter().any(|b| self.parts_depend(a, b)))
    }

    /// Those of `all` that depend on one of `some`.
    pub fn dependent(&self, some: &NumberSet, all: &NumberSet) -> NumberSet {
        let id = |number: usize| OperationId(number as u32);
        let depends = |one: &usize| some.iter().any(|other| self.depend(id(*one), id(other)));
        all.iter().filter(depends).collect()
    }

    /// Who takes part in an operation, first who makes it.
    pub fn parts(&self, id: OperationId) -> impl Iterator<Item = (Pid, ProctypeId, EdgeId)> {
        let parts = self.operations[id.index()].iter();
        parts.map(|p| (p.pid, p.proctype, p.edge))
    }

    fn parts_depend(&self, a: &Part, b: &Part) -> bool {
        a.pid == b.pid || self.depends_on(a, b) || self.depends_on(b, a)
    }

    /// One half of a symmetric relation.
    fn depends_on(&self, a: &Part, b: &Part) -> bool {
        let of = |part: &Part| &self.touches[part.proctype.index()][part.edge.index()];
        let (x, y) = (of(a), of(b));
        x.everything
            || (x.timeout && y.timeout)
            || x.writes.meets(&y.reads)
            || x.writes.meets(&y.writes)
            || x.looks_at.contains(b.proctype.index())
            || (!x.looks_at.is_empty() && y.run)
            || (x.run && (y.run || y.end || y.nr_pr))
            || (x.end && y.nr_pr)
            || (x.drops_channels && !y.uses.is_empty())
            || a.used
                .iter()
                .any(|u| b.used.iter().any(|v| self.uses_depend(u, v)))
    }

    fn uses_depend(&self, a: &Used, b: &Used) -> bool {
        if !changes(a.how) && !changes(b.how) {
            return false;
        }
        match (a.channel, b.channel) {
            (Some(x), Some(y)) if x != y => false,
            (Some(_), Some(_)) if a.buffered => {
                at_buffer(a.how, b.how, a.inside || b.inside, self.sorted)
            }
            _ => true,
        }
    }
}

/// Whether an operation changes the channel.
fn changes(how: ChanAccess) -> bool {
    matches!(how, ChanAccess::Send | ChanAccess::Recv)
}

/// Whether two operations at the same buffered channel depend on each other. `inside`: one of them does not begin its step,
/// so that the other one may decide how far the step goes.
pub(super) fn at_buffer(a: ChanAccess, b: ChanAccess, inside: bool, sorted: bool) -> bool {
    use ChanAccess::*;
    match (a, b) {
        _ if !changes(a) && !changes(b) => false,
        (Send, Recv | Peek) | (Recv | Peek, Send) => inside || sorted,
        _ => true,
    }
}

/// The channels that a variable of a process names in the state at hand.
pub(super) fn channels(look: &Look<'_>, pid: Pid, via: Via) -> impl Iterator<Item = u16> {
    via.cells().map(move |offset| match via.own {
        true => look.own_channel(pid, offset),
        false => look.global_channel(offset),
    })
}

fn touch(
    program: &Program,
    objects: &Objects,
    constants: &Constants,
    id: ProctypeId,
    edge: &Edge,
) -> Touch {
    let proctype = &program.proctypes[id.index()];
    let graph = &proctype.graph;
    let mut touch = Touch::default();
    let d_step = matches!(edge.action, Action::DStep(_));
    let simple = !d_step && is_local(program, edge.then);
    add(program, objects, edge, d_step, &mut touch);
    add_uses((program, id), edge, d_step, &mut touch, |via| {
        simple || constants.holds(id, via)
    });
    for chained in chain(graph, edge) {
        let next = &graph.edges[chained];
        add(program, objects, next, true, &mut touch);
        add_uses((program, id), next, true, &mut touch, |via| {
            constants.holds(id, via)
        });
    }
    let is_else = edge.action == Action::Else || edge.footprint.specials.else_;
    let beside = &graph.edges[graph.locations[edge.from.index()].edges()];
    let before = |other: &&Edge| {
        let instead = is_else && other.level == edge.level && !std::ptr::eq(*other, edge);
        other.level < edge.level || instead
    };
    for other in beside.iter().filter(before) {
        for read in &other.footprint.reads {
            objects.add(read, &mut touch.reads);
        }
        add_looks(program, other, &mut touch);
        touch.timeout |= other.footprint.specials.timeout;
        touch.nr_pr |= other.footprint.specials.nr_pr;
        for used in &other.footprint.chans {
            use ChanAccess::*;
            touch.uses.push(TouchUse {
                via: Via::of(program, id, &used.via),
                how: match used.how {
                    Send => Full,
                    Recv | Peek => Poll,
                    question => question,
                },
                inside: false,
            });
        }
    }
    touch.drops_channels = edge.action == Action::End && proctype.channels > 0;
    touch
}

/// Adds what an edge does, but for channels.
fn add(program: &Program, objects: &Objects, edge: &Edge, inside: bool, touch: &mut Touch) {
    let Footprint {
        reads,
        writes,
        specials,
        ..
    } = &edge.footprint;
    reads.iter().for_each(|a| objects.add(a, &mut touch.reads));
    writes
        .iter()
        .for_each(|a| objects.add(a, &mut touch.writes));
    add_looks(program, edge, touch);
    touch.run |= specials.run;
    touch.end |= specials.end;
    touch.nr_pr |= specials.nr_pr;
    touch.timeout |= specials.timeout;
    let first_asks = matches!(edge.action, Action::Guard(_)) && !inside;
    touch.everything |= (specials.timeout && !first_asks)
        || specials.enabled
        || specials.pc_value
        || specials.last
        || specials.non_progress
        || specials.reads_priority
        || specials.writes_priority;
}

/// Adds the proctypes whose places or variables an edge looks at.
fn add_looks(program: &Program, edge: &Edge, touch: &mut Touch) {
    let via = edge.footprint.chans.iter().map(|c| &c.via);
    for access in edge.footprint.reads.iter().chain(via) {
        if let Place::Remote(other) = access.place {
            touch.looks_at.insert(other.index());
        }
    }
    if edge.footprint.specials.remote_location {
        (0..program.proctypes.len()).for_each(|p| touch.looks_at.insert(p));
    }
}

fn add_uses(
    (program, id): (&Program, ProctypeId),
    edge: &Edge,
    inside: bool,
    touch: &mut Touch,
    stays: impl Fn(Via) -> bool,
) {
    let uses = edge.footprint.chans.iter().map(|used| TouchUse {
        via: Via::of(program, id, &used.via).filter(|&via| stays(via)),
        how: used.how,
        inside,
    });
    touch.uses.extend(uses);
}

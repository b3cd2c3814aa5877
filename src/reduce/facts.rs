//! What is known of a program before it runs: what each place touches now, and what may still come.
//!
//! For every location (a [`PlaceId`], over all proctypes) there are two summaries. [`Now`]: what the steps that leave it
//! touch, disabled ones included, an `atomic` sequence counting as one step as far as it can go. [`Future`]: what the
//! process may touch from there on, processes that it may start included; locations on a common cycle share theirs.

use super::bits::Bits;
use super::objects::Objects;
use super::uses::*;
use promela_lite::code::{Code, Instr};
use promela_lite::opt::is_local;
use promela_lite::program::*;

/// A location of some proctype.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PlaceId(pub(super) u32);

/// Index into [`Facts::futures`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FutureId(pub(super) u32);

/// What the steps that leave a place touch.
#[derive(Clone, Debug, Default)]
pub(super) struct Now {
    pub(super) reads: Bits,
    pub(super) writes: Bits,
    pub(super) chans: Vec<NowUse>,
    pub(super) specials: Specials,
    /// Remote references: other processes' places and variables.
    pub(super) looks_at_others: bool,
    /// `timeout` is asked for in the middle of a step.
    pub(super) timeout_inside: bool,
    /// The process ends here.
    pub(super) end: bool,
    /// Whether ending destroys channels.
    pub(super) drops_channels: bool,
    /// Starts a process that has exclusive channels.
    pub(super) starts_exclusive: bool,
    /// An `atomic` step may go on to meet another process in a rendezvous, whose step is then part of this one.
    pub(super) meets_later: bool,
}

/// What a process may still do.
#[derive(Clone, Debug, Default)]
pub(super) struct Future {
    pub(super) reads: Bits,
    pub(super) writes: Bits,
    pub(super) chans: Vec<LaterUse>,
    /// Channels that cannot be told.
    pub(super) any_chan: bool,
    pub(super) specials: Specials,
    /// `timeout` is asked for in the middle of a step.
    pub(super) timeout_inside: bool,
    /// May start a process that has exclusive channels.
    pub(super) starts_exclusive: bool,
    /// Proctypes whose places or variables it may look at.
    pub(super) looks_at: Bits,
    /// May end a process and take its channels along.
    pub(super) drops_channels: bool,
    /// Proctypes it may start.
    starts: Bits,
}

/// Everything, by place.
#[derive(Debug)]
pub(super) struct Facts {
    first: Vec<u32>,
    pub(super) now: Vec<Now>,
    pub(super) proctype: Vec<ProctypeId>,
    future: Vec<FutureId>,
    pub(super) futures: Vec<Future>,
}

impl Facts {
    pub(super) fn new(program: &Program) -> Facts {
        let objects = Objects::new(program);
        let constant = Constants::new(program);
        let mut facts = Facts {
            first: Vec::new(),
            now: Vec::new(),
            proctype: Vec::new(),
            future: Vec::new(),
            futures: Vec::new(),
        };
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            facts.first.push(facts.now.len() as u32);
            for location in &proctype.graph.locations {
                facts
                    .now
                    .push(now(program, &objects, &constant, id, location));
                facts.proctype.push(id);
            }
            facts.add_futures(program, &objects, &constant, id);
        }
        facts.follow_starts(program);
        facts
    }

    /// Nobody can tell in which order processes start and end.
    pub(super) fn hide_pids(&mut self) {
        let now = self.now.iter_mut().map(|now| &mut now.specials);
        let later = self.futures.iter_mut().map(|future| &mut future.specials);
        now.chain(later).for_each(|specials| specials.run = false);
    }

    #[inline]
    pub(super) fn place(&self, proctype: ProctypeId, loc: Loc) -> PlaceId {
        PlaceId(self.first[proctype.index()] + loc.0)
    }

    /// The proctype and location of a place.
    pub(super) fn at(&self, place: PlaceId) -> (ProctypeId, Loc) {
        let proctype = self.proctype[place.0 as usize];
        (proctype, Loc(place.0 - self.first[proctype.index()]))
    }

    /// How many processes of a type may be started by `run`: 2 stands for "more than one".
    pub(super) fn starters(&self, program: &Program, id: ProctypeId) -> usize {
        let mut count = 0;
        for (index, starter) in program.proctypes.iter().enumerate() {
            let components = components(&starter.graph);
            let runs = |edge: &&Edge| run_targets(program, edge).any(|target| target == id);
            for edge in starter.graph.edges.iter().filter(runs) {
                // Again and again on a cycle, or once for each process that starts it.
                let once = components[edge.from.index()] != components[edge.to.index()]
                    && program.active.iter().filter(|a| a.index() == index).count() == 1
                    && !program
                        .proctypes
                        .iter()
                        .flat_map(|p| &p.graph.edges)
                        .any(|e| run_targets(program, e).any(|t| t.index() == index));
                count += if once { 1 } else { 2 };
            }
        }
        count.min(2)
    }

    #[inline]
    pub(super) fn now(&self, place: PlaceId) -> &Now {
        &self.now[place.0 as usize]
    }

    #[inline]
    pub(super) fn future_of(&self, place: PlaceId) -> FutureId {
        self.future[place.0 as usize]
    }

    pub(super) fn future(&self, id: FutureId) -> &Future {
        &self.futures[id.0 as usize]
    }

    /// One future per strongly connected component of the graph, successors first.
    fn add_futures(
        &mut self,
        program: &Program,
        objects: &Objects,
        constant: &Constants,
        id: ProctypeId,
    ) {
        let graph = &program.proctypes[id.index()].graph;
        let components = components(graph);
        let base = self.futures.len() as u32;
        let count = components.iter().map(|&c| c + 1).max().unwrap_or(0);
        let mut futures = vec![Future::default(); count as usize];
        let mut inside = vec![false; graph.locations.len()];
        for edge in graph.edges.iter().filter(|e| e.atomic) {
            inside[edge.to.index()] = true;
        }
        // Components are numbered successors first, so those that are led to are complete.
        let mut order: Vec<usize> = (0..graph.locations.len()).collect();
        order.sort_by_key(|&l| components[l]);
        for loc in order {
            let component = components[loc] as usize;
            let location = &graph.locations[loc];
            let inside = inside[loc];
            let tests = tests_siblings(graph, location);
            for edge in &graph.edges[location.edges()] {
                let future = &mut futures[component];
                touch_future(program, objects, edge, future);
                future.drops_channels |=
                    edge.action == Action::End && program.proctypes[id.index()].channels > 0;
                future.timeout_inside |= edge.footprint.specials.timeout
                    && (inside || !matches!(edge.action, Action::Guard(_)));
                for (via, how) in exclusive_that_end(program, id, edge) {
                    let used = (via, how, true);
                    add_use(constant, id, used, (false, false), future);
                }
                for used in &edge.footprint.chans {
                    let favourable = !inside && !tests && is_favourable(program, edge);
                    let inside = inside || matches!(edge.action, Action::DStep(_));
                    add_use(
                        constant,
                        id,
                        (&used.via, used.how, false),
                        (inside, favourable),
                        future,
                    );
                    // Where it is asked whether the operation is possible, that is as good as asking for emptiness or
                    // fullness.
                    let test = match used.how {
                        ChanAccess::Send => ChanAccess::Full,
                        ChanAccess::Recv | ChanAccess::Peek => ChanAccess::Poll,
                        _ => continue,
                    };
                    if tests {
                        add_use(
                            constant,
                            id,
                            (&used.via, test, false),
                            (inside, false),
                            future,
                        );
                    }
                }
                let next = components[edge.to.index()] as usize;
                if next != component && edge.action != Action::End {
                    let later = futures[next].clone();
                    absorb(&mut futures[component], &later);
                }
            }
        }
        self.future
            .extend(components.iter().map(|&c| FutureId(base + c)));
        self.futures.extend(futures);
    }

    /// Adds to every future what the processes that it may start may do.
    fn follow_starts(&mut self, program: &Program) {
        loop {
            let mut changed = false;
            for index in 0..self.futures.len() {
                for started in 0..program.proctypes.len() {
                    if !self.futures[index].starts.contains(started) {
                        continue;
                    }
                    let start = program.proctypes[started].graph.start;
                    let child = self.future_of(self.place(ProctypeId(started as u16), start));
                    let mut child = self.futures[child.0 as usize].clone();
                    // The parameters of a process that does not exist yet are not known.
                    child.any_chan |= child.chans.iter().any(|used| used.via.own);
                    child.chans.retain(|used| !used.via.own);
                    let before = self.futures[index].clone();
                    absorb(&mut self.futures[index], &child);
                    changed |= differs(&before, &self.futures[index]);
                }
            }
            if !changed {
                return;
            }
        }
    }
}

fn differs(a: &Future, b: &Future) -> bool {
    a.reads != b.reads
        || a.writes != b.writes
        || a.chans.len() != b.chans.len()
        || a.any_chan != b.any_chan
        || a.specials != b.specials
        || a.timeout_inside != b.timeout_inside
        || a.starts_exclusive != b.starts_exclusive
        || a.looks_at != b.looks_at
        || a.drops_channels != b.drops_channels
        || a.starts != b.starts
}

fn absorb(into: &mut Future, other: &Future) {
    into.reads.absorb(&other.reads);
    into.writes.absorb(&other.writes);
    for used in &other.chans {
        if !into.chans.contains(used) {
            into.chans.push(*used);
        }
    }
    into.any_chan |= other.any_chan;
    into.specials.absorb(other.specials);
    into.timeout_inside |= other.timeout_inside;
    into.starts_exclusive |= other.starts_exclusive;
    into.looks_at.absorb(&other.looks_at);
    into.drops_channels |= other.drops_channels;
    into.starts.absorb(&other.starts);
}

/// Adds what one edge does to a future.
fn touch_future(program: &Program, objects: &Objects, edge: &Edge, future: &mut Future) {
    let footprint = &edge.footprint;
    footprint
        .reads
        .iter()
        .for_each(|a| objects.add(a, &mut future.reads));
    footprint
        .writes
        .iter()
        .for_each(|a| objects.add(a, &mut future.writes));
    for access in footprint
        .reads
        .iter()
        .chain(footprint.chans.iter().map(|c| &c.via))
    {
        if let Place::Remote(other) = access.place {
            future.looks_at.insert(other.index());
        }
    }
    if footprint.specials.remote_location {
        (0..program.proctypes.len()).for_each(|p| future.looks_at.insert(p));
    }
    future.specials.absorb(footprint.specials);
    for started in run_targets(program, edge) {
        future.starts.insert(started.index());
        future.starts_exclusive |= has_exclusive(program, started);
    }
}

fn is_favourable(program: &Program, edge: &Edge) -> bool {
    matches!(edge.action, Action::Guard(code) if asks_favourably(program, code))
        && is_local(program, edge.then)
}

fn add_use(
    constant: &Constants,
    id: ProctypeId,
    (access, how, release): (&Access, ChanAccess, bool),
    (inside, favourable): (bool, bool),
    future: &mut Future,
) {
    let Some(via) = Via::of(access).filter(|&via| constant.holds(id, via)) else {
        future.any_chan = true;
        return;
    };
    let used = LaterUse {
        via,
        how,
        inside,
        favourable,
        release,
    };
    if !future.chans.contains(&used) {
        future.chans.push(used);
    }
}

fn has_exclusive(program: &Program, id: ProctypeId) -> bool {
    program.exclusive.iter().any(|c| c.proctype == id)
}

/// The proctypes that an edge may start a process of.
pub(super) fn run_targets<'p>(
    program: &'p Program,
    edge: &Edge,
) -> impl Iterator<Item = ProctypeId> + 'p {
    let codes = [edge.then].into_iter().chain(match edge.action {
        Action::Guard(code) | Action::Effect(code) | Action::DStep(code) => Some(code),
        _ => None,
    });
    codes
        .flat_map(|code| &program.instrs[code.range()])
        .filter_map(|instr| match instr {
            Instr::Run { proctype, .. } => Some(*proctype),
            _ => None,
        })
}

/// Whether some edge of a location is possible only if others are not.
pub(super) fn tests_siblings(graph: &Graph, location: &Location) -> bool {
    let edges = &graph.edges[location.edges()];
    edges
        .iter()
        .any(|e| e.action == Action::Else || e.footprint.specials.else_)
        || edges.first().map(|e| e.level) != edges.last().map(|e| e.level)
}

fn now(
    program: &Program,
    objects: &Objects,
    constant: &Constants,
    id: ProctypeId,
    location: &Location,
) -> Now {
    let proctype = &program.proctypes[id.index()];
    let graph = &proctype.graph;
    let mut now = Now::default();
    let tested = tests_siblings(graph, location);
    for edge_index in location.edges() {
        let edge = &graph.edges[edge_index];
        touch_now(program, objects, constant, id, edge, None, &mut now);
        if edge.action == Action::End {
            now.end = true;
            now.drops_channels = proctype.channels > 0;
        }
        let before = operations_before(graph, edge);
        for chained in chain(graph, edge) {
            let edge = &graph.edges[chained];
            now.meets_later |= matches!(edge.action, Action::Send(_) | Action::Recv(_));
            let before = before.get(&edge.from).copied();
            touch_now(program, objects, constant, id, edge, before, &mut now);
        }
    }
    now.chans.iter_mut().for_each(|used| used.tested = tested);
    now.meets_later &= program.templates.iter().any(|t| t.capacity == 0);
    now
}

/// The edges that an `atomic` step may be followed by without giving up control.
pub(super) fn chain(graph: &Graph, edge: &Edge) -> Vec<usize> {
    let mut places = Vec::new();
    let mut edges = Vec::new();
    if edge.atomic {
        places.push(edge.to);
    }
    let mut done = 0;
    while let Some(&place) = places.get(done) {
        done += 1;
        for next in graph.locations[place.index()].edges() {
            edges.push(next);
            let edge = &graph.edges[next];
            if edge.atomic && !places.contains(&edge.to) {
                places.push(edge.to);
            }
        }
    }
    edges
}

/// `inside`: the edge is part of an `atomic` step, which has made so many operations before it.
fn touch_now(
    program: &Program,
    objects: &Objects,
    constant: &Constants,
    id: ProctypeId,
    edge: &Edge,
    inside: Option<Operations>,
    now: &mut Now,
) {
    let footprint = &edge.footprint;
    footprint
        .reads
        .iter()
        .for_each(|a| objects.add(a, &mut now.reads));
    footprint
        .writes
        .iter()
        .for_each(|a| objects.add(a, &mut now.writes));
    now.looks_at_others |= footprint.specials.remote_location
        || footprint
            .reads
            .iter()
            .chain(footprint.chans.iter().map(|c| &c.via))
            .any(|a| matches!(a.place, Place::Remote(_)));
    now.timeout_inside |= footprint.specials.timeout
        && (inside.is_some() || !matches!(edge.action, Action::Guard(_)));
    now.specials.absorb(footprint.specials);
    let polls_any = |code: Code| {
        let instrs = &program.instrs[code.range()];
        instrs
            .iter()
            .any(|i| matches!(i, Instr::Poll(id) if program.recvs[id.index()].random))
    };
    // What comes behind it in the same step has a channel to do with only in a `d_step`.
    let simple = is_local(program, edge.then);
    let (simple, random) = match edge.action {
        Action::Send(_) => (simple, false),
        Action::Recv(id) => (simple, program.recvs[id.index()].random),
        Action::Guard(code) | Action::Effect(code) => (simple, polls_any(code)),
        _ => (false, false),
    };
    let before = inside.unwrap_or_default();
    now.starts_exclusive |= run_targets(program, edge).any(|p| has_exclusive(program, p));
    for (via, how) in exclusive_that_end(program, id, edge) {
        now.chans.push(NowUse {
            via: Via::of(via),
            how,
            nth: None,
            random: false,
            release: true,
            inside: inside.is_some(),
            tested: false,
        });
    }
    for used in &footprint.chans {
        use ChanAccess::*;
        let earlier = match used.how {
            Send | Full | Nfull => before.sends,
            Recv | Peek | Poll | Empty | Nempty => before.recvs,
            Len => MANY,
        };
        let nth = (simple && earlier < MANY).then_some(earlier + 1);
        // Later in a step, a variable may hold another channel than it does now.
        let stays = |via: &Via| (inside.is_none() && simple) || constant.holds(id, *via);
        now.chans.push(NowUse {
            via: Via::of(&used.via).filter(stays),
            how: used.how,
            nth,
            random,
            release: false,
            inside: inside.is_some() || matches!(edge.action, Action::DStep(_)),
            tested: false,
        });
    }
}

/// For each location the number of its strongly connected component; a component has a lower number than those that lead
/// to it (Tarjan, without recursion).
pub(super) fn components(graph: &Graph) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let n = graph.locations.len();
    let (mut index, mut low, mut component) = (vec![NEW; n], vec![0u32; n], vec![NEW; n]);
    let (mut next, mut found) = (0u32, 0u32);
    let mut stack = Vec::new();
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        let mut work = vec![(root, graph.locations[root].edges())];
        index[root] = next;
        low[root] = next;
        next += 1;
        stack.push(root);
        while let Some((at, edges)) = work.last_mut() {
            let at = *at;
            match edges.next() {
                Some(edge) => {
                    let to = graph.edges[edge].to.index();
                    if index[to] == NEW {
                        index[to] = next;
                        low[to] = next;
                        next += 1;
                        stack.push(to);
                        work.push((to, graph.locations[to].edges()));
                    } else if component[to] == NEW {
                        low[at] = low[at].min(index[to]);
                    }
                }
                None => {
                    work.pop();
                    if let Some((above, _)) = work.last() {
                        low[*above] = low[*above].min(low[at]);
                    }
                    if low[at] == index[at] {
                        while let Some(member) = stack.pop() {
                            component[member] = found;
                            if member == at {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    component
}

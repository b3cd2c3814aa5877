//! What is known of a program before it runs: what each place touches now, and what may still come.
//!
//! For every location (a [`PlaceId`], over all proctypes) there are two summaries. [`Now`]: what the steps that leave it
//! touch, disabled ones included, an `atomic` sequence counting as one step as far as it can go. [`Future`]: what the
//! process may touch from there on, processes that it may start included; locations on a common cycle share theirs, and so
//! does a location with one behind it where nothing is added between the two.
//!
//! Both are worked out in one pass backwards, successors first, in time that grows with the number of statements. Only the
//! channel operations of `atomic` sequences are counted from each place anew, as long as that does not take too much
//! ([`MAX_WALKED`]); beyond, any number of them may have been made, which is always safe to say.

use super::bits::Bits;
use super::objects::Objects;
use super::obstacles::decides_by_partners;
use super::starts::Start;
use super::starts::starts_of;
use super::uses::*;
use crate::limits::Cancellation;
use promela_lite::code::{Code, Instr};
use promela_lite::opt::is_local;
use promela_lite::program::*;
use rustc_hash::FxHashSet;

/// A location of some proctype.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PlaceId(pub(super) u32);

/// Index into [`Facts::futures`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FutureId(pub(super) u32);

/// What the steps that leave a place touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
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
    /// Processes it may start.
    pub(super) starts: Vec<Start>,
}

/// Locations between two looks at the limits.
const POLL: usize = 1024;

/// Everything, by place.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    first: Vec<u32>,
    pub(super) now: Vec<Now>,
    pub(super) proctype: Vec<ProctypeId>,
    future: Vec<FutureId>,
    pub(super) futures: Vec<Future>,
    /// Whether a process may take channels along that another one still knows.
    pub(super) drops_channels: bool,
    /// Whether some process asks who moved last.
    pub(super) asks_last: bool,
    /// What was taken back by [`Facts::keep_channels`] and [`Facts::hide_pids`].
    keeps_channels: bool,
    hides_pids: bool,
}

impl Facts {
    /// Works them out, unless that is given up. With `shared`, places whose futures are equal share one.
    pub(super) fn new(
        program: &Program,
        shared: bool,
        cancellation: &Cancellation,
    ) -> Option<Facts> {
        let objects = Objects::new(program);
        let constant = Constants::new(program);
        let mut facts = Facts {
            first: Vec::new(),
            now: Vec::new(),
            proctype: Vec::new(),
            future: Vec::new(),
            futures: Vec::new(),
            drops_channels: false,
            asks_last: program.features.last,
            keeps_channels: false,
            hides_pids: false,
        };
        let partners = shared && decides_by_partners(program);
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            facts.first.push(facts.now.len() as u32);
            let mut reader = Reader::new(program, &objects, &constant, id, partners);
            for (number, location) in proctype.graph.locations.iter().enumerate() {
                if number % POLL == 0 && cancellation.poll().is_some() {
                    return None;
                }
                facts.now.push(reader.now(location));
                facts.proctype.push(id);
            }
            facts.add_futures(program, &objects, &constant, (id, shared), cancellation)?;
        }
        facts.follow_starts(program, shared);
        facts.drops_channels = facts.futures.iter().any(|f| f.drops_channels);
        Some(facts)
    }

    /// Nobody can still know the channels of a process when it takes them along.
    pub(super) fn keep_channels(&mut self) {
        self.drops_channels = false;
        self.keeps_channels = true;
        for now in &mut self.now {
            now.drops_channels = false;
        }
        for future in &mut self.futures {
            future.drops_channels = false;
        }
    }

    /// Nobody can tell in which order processes start and end.
    pub(super) fn hide_pids(&mut self) {
        self.hides_pids = true;
        let now = self.now.iter_mut().map(|now| &mut now.specials);
        let later = self.futures.iter_mut().map(|future| &mut future.specials);
        now.chain(later).for_each(|specials| specials.run = false);
    }

    /// The same, edge by edge: the place of these facts that has the number of an edge is about that edge alone, and so is the
    /// future of that number, with what the processes may do that the edge starts. These are the facts of the places.
    pub(super) fn by_edge(&self, program: &Program) -> Facts {
        let objects = Objects::new(program);
        let constant = Constants::new(program);
        let partners = decides_by_partners(program);
        let mut facts = Facts {
            first: Vec::new(),
            now: Vec::new(),
            proctype: Vec::new(),
            future: Vec::new(),
            futures: Vec::new(),
            ..self.clone()
        };
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let (id, graph) = (ProctypeId(index as u16), &proctype.graph);
            facts.first.push(facts.now.len() as u32);
            let mut reader = Reader::new(program, &objects, &constant, id, partners);
            let inside = places_inside(graph);
            for (number, edge) in graph.edges.iter().enumerate() {
                let location = &graph.locations[edge.from.index()];
                let tests = tests_siblings(graph, location);
                let edges = match tests {
                    true => location.edges(),
                    false => number..number + 1,
                };
                facts.now.push(reader.now_of(location, edges.clone()));
                facts.proctype.push(id);
                let mut future = Future::default();
                for edge in &graph.edges[edges] {
                    let how = (inside[edge.from.index()], tests);
                    add_edge((program, &objects, &constant, id), edge, how, &mut future);
                }
                for start in std::mem::take(&mut future.starts) {
                    absorb(&mut future, &self.child(program, &start, true));
                }
                facts.future.push(FutureId(facts.futures.len() as u32));
                facts.futures.push(future);
            }
        }
        if self.keeps_channels {
            facts.keep_channels();
        }
        if self.hides_pids {
            facts.hide_pids();
        }
        facts
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
            let components = components(&starter.graph, |_| true);
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

    /// One future per strongly connected component of the graph, successors first; `None` if that is given up.
    fn add_futures(
        &mut self,
        program: &Program,
        objects: &Objects,
        constant: &Constants,
        (id, shared): (ProctypeId, bool),
        cancellation: &Cancellation,
    ) -> Option<()> {
        let graph = &program.proctypes[id.index()].graph;
        let components = components(graph, |_| true);
        let count = components.iter().map(|&c| c + 1).max().unwrap_or(0);
        let inside = places_inside(graph);
        // Components are numbered successors first, so those that are led to are complete.
        let mut order: Vec<usize> = (0..graph.locations.len()).collect();
        order.sort_by_key(|&l| components[l]);
        // The future of each component.
        let mut ids: Vec<FutureId> = Vec::with_capacity(count as usize);
        for (number, locations) in order
            .chunk_by(|&a, &b| components[a] == components[b])
            .enumerate()
        {
            if number % POLL == 0 && cancellation.poll().is_some() {
                return None;
            }
            let mut future = Future::default();
            let mut led_to = Vec::new();
            for &loc in locations {
                let location = &graph.locations[loc];
                let inside = inside[loc];
                let tests = tests_siblings(graph, location);
                for edge in &graph.edges[location.edges()] {
                    let of = (program, objects, constant, id);
                    add_edge(of, edge, (inside, tests), &mut future);
                    let next = components[edge.to.index()] as usize;
                    if next != number && edge.action != Action::End {
                        absorb(&mut future, &self.futures[ids[next].0 as usize]);
                        led_to.push(ids[next]);
                    }
                }
            }
            // Where the process starts the order of operations is that of the text, for messages.
            let first = locations.contains(&graph.start.index());
            if first && future.chans.len() > 1 {
                let start = number as u32;
                future.chans = uses_in_order((&components, &order), start, graph, |edge, found| {
                    let location = &graph.locations[edge.from.index()];
                    let how = (inside[edge.from.index()], tests_siblings(graph, location));
                    add_edge((program, objects, constant, id), edge, how, found);
                });
            }
            let same = |known: &&FutureId| !differs(&self.futures[known.0 as usize], &future);
            let known = led_to.iter().find(same).filter(|_| shared && !first);
            ids.push(match known {
                Some(known) => *known,
                None => {
                    self.futures.push(future);
                    FutureId(self.futures.len() as u32 - 1)
                }
            });
        }
        self.future
            .extend(components.iter().map(|&c| ids[c as usize]));
        Some(())
    }
}

/// Which locations an `atomic` step may come to.
fn places_inside(graph: &Graph) -> Vec<bool> {
    let mut inside = vec![false; graph.locations.len()];
    for edge in graph.edges.iter().filter(|e| e.atomic) {
        inside[edge.to.index()] = true;
    }
    inside
}

pub(super) fn differs(a: &Future, b: &Future) -> bool {
    a.reads != b.reads
        || a.writes != b.writes
        || a.chans.len() != b.chans.len()
        || a.any_chan != b.any_chan
        || a.specials != b.specials
        || a.timeout_inside != b.timeout_inside
        || a.starts_exclusive != b.starts_exclusive
        || a.looks_at != b.looks_at
        || a.drops_channels != b.drops_channels
        || a.starts.len() != b.starts.len()
}

pub(super) fn absorb(into: &mut Future, other: &Future) {
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
    for start in &other.starts {
        if !into.starts.contains(start) {
            into.starts.push(start.clone());
        }
    }
}

/// The channel operations that a process may make from a component on, in the order in which a depth-first search meets them.
/// `order` are the locations by component; `add` adds what an edge does.
fn uses_in_order(
    (components, order): (&[u32], &[usize]),
    start: u32,
    graph: &Graph,
    add: impl Fn(&Edge, &mut Future),
) -> Vec<LaterUse> {
    let edges_of = |component: u32| {
        let first = order.partition_point(|&l| components[l] < component);
        let locations = order[first..].iter();
        let locations = locations.take_while(move |&&l| components[l] == component);
        locations.flat_map(|&l| &graph.edges[graph.locations[l].edges()])
    };
    let mut found = Future::default();
    let mut seen = vec![false; graph.locations.len()];
    seen[start as usize] = true;
    let mut path = vec![(start, edges_of(start))];
    while let Some((component, edges)) = path.last_mut() {
        let Some(edge) = edges.next() else {
            path.pop();
            continue;
        };
        add(edge, &mut found);
        let next = components[edge.to.index()];
        let leaves = next != *component && edge.action != Action::End;
        if leaves && !std::mem::replace(&mut seen[next as usize], true) {
            path.push((next, edges_of(next)));
        }
    }
    found.chans
}

/// Adds what one edge does to a future, channel operations included.
fn add_edge(
    (program, objects, constant, id): (&Program, &Objects, &Constants, ProctypeId),
    edge: &Edge,
    (inside, tests): (bool, bool),
    future: &mut Future,
) {
    touch_future(program, objects, edge, future);
    for start in starts_of(program, constant, id, edge) {
        if !future.starts.contains(&start) {
            future.starts.push(start);
        }
    }
    future.drops_channels |=
        edge.action == Action::End && program.proctypes[id.index()].channels > 0;
    future.timeout_inside |=
        edge.footprint.specials.timeout && (inside || !matches!(edge.action, Action::Guard(_)));
    for (via, how) in exclusive_that_end(program, id, edge) {
        let used = (via, how, true);
        let how = (false, false, false);
        add_use((program, constant, id), used, how, future);
    }
    for used in &edge.footprint.chans {
        let favourable = !inside && !tests && is_favourable(program, edge);
        let inside = inside || matches!(edge.action, Action::DStep(_));
        let begins = (&used.via, used.how, false);
        let asks = used.how == ChanAccess::Send && (inside || tests);
        let how = (inside, favourable, asks);
        add_use((program, constant, id), begins, how, future);
        // Where it is asked whether the operation is possible, that is as good as asking for emptiness or fullness.
        let test = match used.how {
            ChanAccess::Send => ChanAccess::Full,
            ChanAccess::Recv | ChanAccess::Peek => ChanAccess::Poll,
            _ => continue,
        };
        if tests {
            let asks = (&used.via, test, false);
            let how = (inside, false, false);
            add_use((program, constant, id), asks, how, future);
        }
    }
}

/// Whether it is asked where other processes are, or what they could do.
pub(super) fn looks_at_all(specials: Specials) -> bool {
    specials.remote_location || specials.enabled || specials.pc_value || specials.non_progress
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
    if looks_at_all(footprint.specials) {
        (0..program.proctypes.len()).for_each(|p| future.looks_at.insert(p));
    }
    future.specials.absorb(footprint.specials);
    for started in run_targets(program, edge) {
        future.starts_exclusive |= has_exclusive(program, started);
    }
}

fn is_favourable(program: &Program, edge: &Edge) -> bool {
    matches!(edge.action, Action::Guard(code) if asks_favourably(program, code))
        && is_local(program, edge.then)
}

fn add_use(
    (program, constant, id): (&Program, &Constants, ProctypeId),
    (access, how, release): (&Access, ChanAccess, bool),
    (inside, favourable, asks): (bool, bool, bool),
    future: &mut Future,
) {
    let Some(via) = Via::of(program, id, access).filter(|&via| constant.holds(id, via)) else {
        future.any_chan = true;
        return;
    };
    let used = LaterUse {
        via,
        how,
        inside,
        favourable,
        release,
        asks,
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

/// Edges of `atomic` sequences that are walked along, for one proctype, to count channel operations.
const MAX_WALKED: usize = 1 << 19;

/// Finds out what the steps of the places of a proctype touch.
struct Reader<'p> {
    program: &'p Program,
    objects: &'p Objects,
    constant: &'p Constants,
    id: ProctypeId,
    /// For each location what an `atomic` step may touch that has come there, as an index into `insides`.
    inside: Vec<usize>,
    insides: Vec<Now>,
    /// Edges that may still be walked along.
    left: usize,
    meets: bool,
    /// Whether some step is decided by whether a partner for a rendezvous is there.
    partners: bool,
}

impl<'p> Reader<'p> {
    fn new(
        program: &'p Program,
        objects: &'p Objects,
        constant: &'p Constants,
        id: ProctypeId,
        partners: bool,
    ) -> Reader<'p> {
        let graph = &program.proctypes[id.index()].graph;
        let mut reader = Reader {
            program,
            objects,
            constant,
            id,
            inside: Vec::new(),
            insides: vec![Now::default()],
            left: MAX_WALKED,
            meets: program.templates.iter().any(|t| t.capacity == 0),
            partners,
        };
        if graph.edges.iter().any(|e| e.atomic) {
            reader.read_insides(graph);
        }
        reader
    }

    /// Works out what an `atomic` step may touch from each location on, successors first, with any number of operations made
    /// before.
    fn read_insides(&mut self, graph: &Graph) {
        let components = components(graph, |e| e.atomic);
        let mut order: Vec<usize> = (0..graph.locations.len()).collect();
        order.sort_by_key(|&l| components[l]);
        let mut of_component: Vec<usize> = Vec::new();
        for (number, locations) in order
            .chunk_by(|&a, &b| components[a] == components[b])
            .enumerate()
        {
            let mut now = Now::default();
            let mut led_to = Vec::new();
            for &loc in locations {
                for edge in &graph.edges[graph.locations[loc].edges()] {
                    now.meets_later |= matches!(edge.action, Action::Send(_) | Action::Recv(_));
                    self.touch(edge, Some(Operations::ANY), &mut now);
                    let next = components[edge.to.index()] as usize;
                    if edge.atomic && next != number {
                        now.absorb(&self.insides[of_component[next]]);
                        led_to.push(of_component[next]);
                    }
                }
            }
            let known = led_to.into_iter().find(|&known| {
                let known = &self.insides[known];
                let chans = known.chans.len() == now.chans.len();
                let rest = |now: &Now| Now {
                    chans: Vec::new(),
                    ..now.clone()
                };
                chans && rest(known) == rest(&now)
            });
            of_component.push(known.unwrap_or(self.insides.len()));
            if known.is_none() {
                self.insides.push(now);
            }
        }
        self.inside = components
            .iter()
            .map(|&c| of_component[c as usize])
            .collect();
    }

    fn now(&mut self, location: &Location) -> Now {
        self.now_of(location, location.edges())
    }

    /// The same for some of the edges that leave a location.
    fn now_of(&mut self, location: &Location, edges: std::ops::Range<usize>) -> Now {
        let proctype = &self.program.proctypes[self.id.index()];
        let graph = &proctype.graph;
        let mut now = Now::default();
        let tested = tests_siblings(graph, location);
        for edge in &graph.edges[edges] {
            self.touch(edge, None, &mut now);
            if edge.action == Action::End {
                now.end = true;
                now.drops_channels = proctype.channels > 0;
            }
            if !edge.atomic {
                continue;
            }
            let inside = self.inside[edge.to.index()];
            let walked = match self.insides[inside].chans.is_empty() {
                true => None,
                false => chain_within(graph, edge, self.left),
            };
            let Some(walked) = walked else {
                // Trying in vain is work as well.
                if !self.insides[inside].chans.is_empty() {
                    self.left /= 2;
                }
                now.absorb(&self.insides[inside]);
                continue;
            };
            self.left -= walked.len();
            let before = operations_before(graph, edge);
            for chained in walked {
                let edge = &graph.edges[chained];
                now.meets_later |= matches!(edge.action, Action::Send(_) | Action::Recv(_));
                let before = before.get(&edge.from).copied();
                self.touch(edge, before, &mut now);
            }
        }
        now.chans.iter_mut().for_each(|used| used.tested = tested);
        now.meets_later &= self.meets;
        now
    }

    fn touch(&self, edge: &Edge, inside: Option<Operations>, now: &mut Now) {
        let Reader {
            program,
            objects,
            constant,
            id,
            ..
        } = *self;
        touch_now(program, objects, constant, id, edge, inside, now);
        if self.partners {
            self.arrive(edge, now);
        }
    }

    /// Adds the receives that a step makes processes wait for.
    fn arrive(&self, edge: &Edge, now: &mut Now) {
        let next = (edge.action != Action::End).then_some((self.id, edge.to));
        let started = run_targets(self.program, edge);
        let started = started.map(|p| (p, self.program.proctypes[p.index()].graph.start));
        for (number, (id, place)) in next.into_iter().chain(started).enumerate() {
            let itself = number == 0 && edge.action != Action::End;
            let graph = &self.program.proctypes[id.index()].graph;
            let edges = graph.edges[graph.locations[place.index()].edges()].iter();
            let uses = edges.flat_map(|e| &e.footprint.chans);
            for used in uses.filter(|c| c.how == ChanAccess::Recv) {
                let stays = |via: &Via| self.constant.holds(id, *via);
                let known = |via: &Via| itself || !via.own;
                let via = Via::of(self.program, id, &used.via);
                now.uses(NowUse {
                    via: via.filter(|via| stays(via) && known(via)),
                    how: used.how,
                    nth: None,
                    random: false,
                    release: false,
                    inside: false,
                    tested: false,
                    arrives: true,
                });
            }
        }
    }
}

impl Now {
    /// Adds a channel operation, once.
    fn uses(&mut self, used: NowUse) {
        if !self.chans.contains(&used) {
            self.chans.push(used);
        }
    }

    /// Adds what an `atomic` step touches later on.
    fn absorb(&mut self, later: &Now) {
        self.reads.absorb(&later.reads);
        self.writes.absorb(&later.writes);
        later.chans.iter().for_each(|&used| self.uses(used));
        self.specials.absorb(later.specials);
        self.looks_at_others |= later.looks_at_others;
        self.timeout_inside |= later.timeout_inside;
        self.starts_exclusive |= later.starts_exclusive;
        self.meets_later |= later.meets_later;
    }
}

/// The edges that an `atomic` step may be followed by without giving up control.
pub(super) fn chain(graph: &Graph, edge: &Edge) -> Vec<usize> {
    chain_within(graph, edge, usize::MAX).unwrap_or_default()
}

/// The same; `None` if there are more than so many.
fn chain_within(graph: &Graph, edge: &Edge, most: usize) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    let mut known = FxHashSet::default();
    let mut edges = Vec::new();
    if edge.atomic {
        places.push(edge.to);
        known.insert(edge.to);
    }
    let mut done = 0;
    while let Some(&place) = places.get(done) {
        done += 1;
        for next in graph.locations[place.index()].edges() {
            edges.push(next);
            let edge = &graph.edges[next];
            if edge.atomic && known.insert(edge.to) {
                places.push(edge.to);
            }
        }
        if edges.len() > most {
            return None;
        }
    }
    Some(edges)
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
    now.looks_at_others |= looks_at_all(footprint.specials)
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
        now.uses(NowUse {
            via: Via::of(program, id, via),
            how,
            nth: None,
            random: false,
            release: true,
            inside: inside.is_some(),
            tested: false,
            arrives: false,
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
        now.uses(NowUse {
            via: Via::of(program, id, &used.via).filter(stays),
            how: used.how,
            nth,
            random,
            release: false,
            inside: inside.is_some() || matches!(edge.action, Action::DStep(_)),
            tested: false,
            arrives: false,
        });
    }
}

/// For each location the number of its strongly connected component by the edges that are followed; a component has a lower
/// number than those that lead to it (Tarjan, without recursion).
pub(super) fn components(graph: &Graph, follows: impl Fn(&Edge) -> bool) -> Vec<u32> {
    components_of(graph, |edge| follows(&graph.edges[edge]))
}

/// The same, the edges being told by their numbers.
pub(super) fn components_of(graph: &Graph, follows: impl Fn(usize) -> bool) -> Vec<u32> {
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
                    if !follows(edge) {
                        continue;
                    }
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

//! From a program to a pushdown network: one thread for each process, one rule for each step.
//!
//! A label is a control location of a proctype, once for a process without control and once for one that has it; local variables
//! are the bits of the frame. A rule is what one edge does, computed by [`super::execute`].
//!
//! **Control.** While a process has control inside `atomic`, the global bit `locked` is set. Rules of processes without control
//! need it to be clear, and contexts do not end while it is set ([`Network::resting`]): no switch happens inside. A
//! process with control that cannot go on gives it up by a rule of its own, which needs that no edge is executable; no
//! other process has to see its local variables for that. Such a process has made the last step, so no context is added.
//!
//! **Rendezvous.** The sender puts the message into the globals, names the channel there (`offer`), and waits; nobody but a
//! receiver of that channel can move then; the receiver takes the message and goes on. So a rendezvous is a step of
//! the sender and a step of the receiver, in two contexts. An offer that nobody takes leads nowhere. Whether a sender can
//! move depends on the others' places, so it is refused where that matters: beside `else`, under `unless`, with control.
//!
//! **Ends.** A process at its end goes to a label without rules and forgets its variables. That a process can only be
//! removed when it is the youngest one cannot be seen unless pids are; then the end is a rule with that condition.
//!
//! **What goes wrong** leads to the label [`Place::Error`]; the rule says what and where. A value that does not fit because
//! `int`s are narrowed leads to [`Place::Lost`]: such runs are left out, and it is reported if there are any.
//!
//! What would break it: an edge whose executability is not that of the machine. Every run that is found is executed on the plain
//! machine, and `tests/contexts.rs` compares which bound finds an error with the explicit search.

use super::body::Body;
use super::cells::Cells;
use super::execute::{Executor, Failure, Path, Started, Translated, Trouble, Untranslated};
use super::processes::Pools;
use super::unsupported::{first, refuse};
use super::word::{self, Word};
use crate::limits::Cancellation;
use ample_pushdown::symbolic::network::{Action as Stack, Label, Network};
use ample_pushdown::symbolic::space::{Bdd, Bit, Copy, Error, Space};
use promela_lite::code::BinOp;
use promela_lite::program::{Action, Edge, EdgeId, Loc, ProctypeId, Program};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A label.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Something went wrong.
    Error,
    /// A value did not fit.
    Lost,
    /// The process has ended.
    Gone,
    /// At a location, without control.
    Free(Body, Loc),
    /// At a location, with control.
    Held(Body, Loc),
    /// At a location, but the receiver of a rendezvous has to move first.
    Sent(Body, Loc),
    /// Not yet started; its number among those of its type.
    Waiting(ProctypeId, usize),
}

/// What a rule does in terms of the program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A step, and which of the processes that it starts are never scheduled (as bits).
    Step(EdgeId, u32),
    /// The first half of a rendezvous.
    Offer(EdgeId),
    /// The second half.
    Answer(EdgeId),
    /// A step that fails.
    Failure(EdgeId),
    /// No step of the program.
    Nothing,
}

/// A thread of the network.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thread {
    /// A process that exists from the start.
    Active,
    /// One that is started: its type and its number among those.
    Started(ProctypeId, usize),
}

/// A program as a network.
#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) network: Network,
    pub(crate) error: Label,
    pub(crate) lost: Label,
    /// For each rule, what it does.
    pub(crate) origins: Vec<Origin>,
    /// For each edge that starts processes, their types.
    pub(crate) starts: FxHashMap<(Body, EdgeId), Vec<ProctypeId>>,
    pub(crate) threads: Vec<Thread>,
    /// Whether processes may be started that have no thread.
    pub(crate) open: bool,
    /// Bits of the shared state and of frames.
    pub(crate) bits: (usize, usize),
    /// The proctype of each label that is a location.
    pub(crate) places: Vec<Place>,
}

/// How a program is translated.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Settings {
    /// The largest number of contexts.
    pub(crate) bound: usize,
    /// The bits of `int` and `short`.
    pub(crate) bits: usize,
    /// The most BDD nodes.
    pub(crate) nodes: usize,
}

/// More bits make no network.
const MOST_BITS: usize = 20_000;

impl Translation {
    /// Translates a program.
    pub(crate) fn new(
        program: &Program,
        settings: Settings,
        cancellation: &Cancellation,
    ) -> Result<Translation, Untranslated> {
        if let Some(refused) = first(program) {
            return Err(refused.into());
        }
        let pools = Pools::new(program, settings.bound);
        let cells = Cells::new(program, &pools, settings.bits);
        if cells.globals + cells.locals > MOST_BITS {
            let what = format!("a state of {} bits", cells.globals + cells.locals);
            return refuse(&what, promela_lite::source::Span::NONE);
        }
        let order = cells.order(program);
        let space = Rc::new(Space::new(
            cells.globals,
            cells.locals,
            &order,
            settings.nodes,
        )?);
        let limits = cancellation.clone();
        space.stop_when(move || limits.poll().is_some());
        let translator = Translator {
            program,
            space: Rc::clone(&space),
            cells,
            pools,
            cancellation,
            labels: FxHashMap::default(),
            work: Vec::new(),
            places: Vec::new(),
            rules: Vec::new(),
            starts: FxHashMap::default(),
        };
        translator.all()
    }
}

struct Rule {
    from: Label,
    action: Stack,
    relation: Bdd,
    changed: Vec<Bit>,
    origin: Origin,
}

pub(super) struct Translator<'t> {
    pub(super) program: &'t Program,
    pub(super) space: Rc<Space>,
    pub(super) cells: Cells,
    pub(super) pools: Pools,
    cancellation: &'t Cancellation,
    labels: FxHashMap<Place, Label>,
    /// Places whose rules are not yet made.
    work: Vec<Place>,
    places: Vec<Place>,
    rules: Vec<Rule>,
    starts: FxHashMap<(Body, EdgeId), Vec<ProctypeId>>,
}

/// An edge at a place: when it is executable, and what goes wrong when that is asked.
struct Listed {
    ready: Bdd,
    failures: Vec<Failure>,
    lost: Bdd,
}

impl Translator<'_> {
    pub(super) fn label(&mut self, place: Place) -> Label {
        if let Some(label) = self.labels.get(&place) {
            return *label;
        }
        let label = self.places.len() as Label;
        self.places.push(place);
        self.labels.insert(place, label);
        self.work.push(place);
        label
    }

    fn all(mut self) -> Translated<Translation> {
        let (error, lost) = (self.label(Place::Error), self.label(Place::Lost));
        let (globals, mut threads) = self.initial()?;
        let mut kinds = vec![Thread::Active; threads.len()];
        for p in 0..self.program.proctypes.len() {
            let proctype = ProctypeId(p as u16);
            let count = self.cells.pools[p]
                .as_ref()
                .map_or(0, |pool| pool.mailboxes.len());
            for number in 0..count {
                let label = self.label(Place::Waiting(proctype, number));
                let locals = self
                    .space
                    .locals_are(Copy::Now, &vec![false; self.cells.locals])?;
                threads.push(vec![(label, locals)]);
                kinds.push(Thread::Started(proctype, number));
            }
        }
        while let Some(place) = self.work.pop() {
            if self.cancellation.poll().is_some() {
                return Err(Error::Stopped.into());
            }
            match place {
                Place::Error | Place::Lost | Place::Gone => {}
                Place::Free(body, loc) => self.location(body, loc, false)?,
                Place::Held(body, loc) => self.location(body, loc, true)?,
                Place::Sent(body, loc) => {
                    let condition = self.may_move(false)?;
                    let path = self.executor(Some(body)).begin(condition);
                    let to = self.place(body, loc, false);
                    self.rule(place, to, &path, Origin::Nothing)?;
                }
                Place::Waiting(proctype, number) => self.begins(proctype, number)?,
            }
        }
        let mut network = Network::new(Rc::clone(&self.space), self.places.len() as u32)?;
        network.globals = globals;
        network.threads = threads;
        let locked = self
            .cells
            .load(&self.space, self.cells.locked)
            .is_true(&self.space)?;
        network.resting = self.space.not(&locked)?;
        let mut origins = Vec::new();
        for rule in self.rules {
            network.add(rule.from, rule.action, rule.relation, rule.changed)?;
            origins.push(rule.origin);
        }
        Ok(Translation {
            network,
            error,
            lost,
            origins,
            starts: self.starts,
            threads: kinds,
            open: self.pools.open.contains(&true),
            bits: (self.cells.globals, self.cells.locals),
            places: self.places,
        })
    }

    /// The place of a process at a location: those that have ended are all at one place.
    pub(super) fn place(&self, body: Body, loc: Loc, held: bool) -> Place {
        let graph = body.graph(self.program);
        let mut edges = graph.edges[graph.locations[loc.index()].edges()].iter();
        match held {
            true => Place::Held(body, loc),
            false if !self.pools.ends_matter && edges.all(|e| e.action == Action::End) => {
                Place::Gone
            }
            false => Place::Free(body, loc),
        }
    }

    pub(super) fn executor(&self, body: Option<Body>) -> Executor<'_> {
        let frame = body.map(|body| body.index(self.program));
        let cancellation = self.cancellation;
        Executor::new(self.program, &self.space, &self.cells, frame, cancellation)
    }

    /// That a process can move at all, as far as the others are concerned.
    pub(super) fn may_move(&self, held: bool) -> Translated<Bdd> {
        let space = &self.space;
        if held {
            return Ok(space.all());
        }
        let mut blocked = self.cells.load(space, self.cells.locked).is_true(space)?;
        if let Some(offer) = &self.cells.offer {
            let offered = self.cells.load(space, offer.channel).is_true(space)?;
            blocked = space.or(&blocked, &offered)?;
        }
        Ok(space.not(&blocked)?)
    }

    /// That the `provided` clause of a process lets it move. A clause that may fail is refused: it would be asked of processes
    /// that can do nothing else, too.
    pub(super) fn provided(&self, body: Body) -> Translated<Bdd> {
        let space = &self.space;
        let Body::Process(proctype) = body else {
            return Ok(space.all());
        };
        let declared = &self.program.proctypes[proctype.index()];
        let Some(code) = declared.provided else {
            return Ok(space.all());
        };
        let mut executor = self.executor(Some(body));
        let mut path = executor.begin(space.all());
        let holds = executor.value(&mut path, code)?.is_true(space)?;
        let trouble = executor.trouble;
        if !trouble.failures.is_empty() || !space.is_none(&trouble.lost) {
            return refuse("a provided clause that may fail", declared.span);
        }
        Ok(space.and(&path.condition, &holds)?)
    }

    /// A rule that leads from a place to another one along a path; what it assigns to are the cells in its memory.
    pub(super) fn rule(
        &mut self,
        from: Place,
        to: Place,
        path: &Path,
        origin: Origin,
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        if space.is_none(&path.condition) {
            return Ok(());
        }
        let mut memory = path.memory.clone();
        if to == Place::Gone {
            // Whatever the process was, nobody can tell any more.
            memory.retain(|id, _| !self.cells.is_local(*id));
        }
        let mut relation = path.condition.clone();
        let mut changed = Vec::new();
        if to == Place::Gone {
            changed.extend(space.local_bits());
            let none = space.locals_are(Copy::Next, &vec![false; self.cells.locals])?;
            relation = space.and(&relation, &none)?;
        }
        for (id, word) in &memory {
            if *word == self.cells.load(&space, *id) {
                continue;
            }
            for (index, bit) in self.cells.storage(*id).bits.iter().enumerate() {
                let same = space.same(space.variable(*bit, Copy::Next), word.bit(index))?;
                relation = space.and(&relation, &same)?;
                changed.push(*bit);
            }
        }
        let action = Stack::Internal(self.label(to));
        self.add(from, action, (relation, changed), origin);
        Ok(())
    }

    /// A rule.
    pub(super) fn add(
        &mut self,
        from: Place,
        action: Stack,
        (relation, changed): (Bdd, Vec<Bit>),
        origin: Origin,
    ) {
        let from = self.label(from);
        self.rules.push(Rule {
            from,
            action,
            relation,
            changed,
            origin,
        });
    }

    /// The rules for what goes wrong.
    pub(super) fn trouble(
        &mut self,
        from: Place,
        edge: EdgeId,
        trouble: Trouble,
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let lost = (trouble.lost, Place::Lost, Origin::Nothing);
        let failed = trouble.failures.into_iter();
        let failed = failed.map(|f| (f.condition, Place::Error, Origin::Failure(edge)));
        for (condition, to, origin) in failed.chain([lost]) {
            let mut path = self.executor(None).begin(condition);
            // The context may end here, so that it is seen.
            path.memory
                .insert(self.cells.locked, Word::constant(&space, 0));
            self.rule(from, to, &path, origin)?;
        }
        Ok(())
    }

    /// The rules of one place.
    fn location(&mut self, body: Body, loc: Loc, held: bool) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let graph = body.graph(self.program);
        let range = graph.locations[loc.index()].edges();
        let edges = &graph.edges[range.clone()];
        let free = self.may_move(held)?;
        let may = space.and(&free, &self.provided(body)?)?;
        let here = match held {
            true => Place::Held(body, loc),
            false => Place::Free(body, loc),
        };
        self.check_rendezvous(body, edges, held)?;
        // States in which an edge was executable: before this level, and at it or before.
        let (mut above, mut any) = (space.none(), space.none());
        let mut level = 0;
        for (number, edge) in range.zip(edges) {
            let id = EdgeId(number as u32);
            if edge.level != level {
                (above, level) = (any.clone(), edge.level);
            }
            let open = match edge.action {
                Action::Else => space.minus(&may, &any)?,
                _ => space.minus(&may, &above)?,
            };
            let listed = self.listed(body, edge, &open)?;
            any = space.or(&any, &listed.ready)?;
            let trouble = Trouble {
                failures: listed.failures,
                not_executable: space.none(),
                lost: listed.lost,
            };
            self.trouble(here, id, trouble)?;
            self.step(body, (id, edge), here, &listed.ready)?;
            self.offers(body, (id, edge), here, &open)?;
        }
        if held {
            let stuck = space.minus(&free, &any)?;
            let mut path = self.executor(Some(body)).begin(stuck);
            path.memory
                .insert(self.cells.locked, Word::constant(&space, 0));
            let to = self.place(body, loc, false);
            self.rule(here, to, &path, Origin::Nothing)?;
        }
        Ok(())
    }

    /// When an edge is executable, its rendezvous left out.
    fn listed(&self, body: Body, edge: &Edge, open: &Bdd) -> Translated<Listed> {
        let space = &self.space;
        let mut executor = self.executor(Some(body));
        let mut path = executor.begin(open.clone());
        let program = self.program;
        let ready = match edge.action {
            Action::Skip
            | Action::Effect(_)
            | Action::Else
            | Action::Call(_)
            | Action::Return(_) => path.condition,
            Action::Guard(code) => {
                let value = executor.value(&mut path, code)?;
                space.and(&path.condition, &value.is_true(space)?)?
            }
            Action::DStep(code) => {
                executor.run(&mut path, code)?;
                // What goes wrong then belongs to the step.
                let not = executor.trouble.not_executable.clone();
                let ready = space.minus(open, &not)?;
                executor.trouble.failures.clear();
                executor.trouble.lost = space.none();
                ready
            }
            Action::Send(send) => {
                let op = &program.sends[send.index()];
                let named = executor.named(&mut path, op.chan)?;
                let (rendezvous, named) = executor.split(named);
                let room = executor.some_room(&path, &named)?;
                let ready = space.and(&path.condition, &room)?;
                if edge.d_step {
                    for (when, _) in rendezvous {
                        executor.fail(&mut path, &when)?;
                    }
                }
                ready
            }
            Action::Recv(recv) => {
                let op = &program.recvs[recv.index()];
                let named = executor.named(&mut path, op.chan)?;
                let (rendezvous, named) = executor.split(named);
                if op.peek {
                    for (when, _) in rendezvous {
                        executor.fail(&mut path, &when)?;
                    }
                }
                let takes = executor.find(&mut path, recv, &named)?;
                space.and(&path.condition, &executor.any(&takes)?)?
            }
            Action::End => match (self.pools.ends_matter, self.cells.pids) {
                (true, Some((own, nr))) => {
                    let one = Word::constant(space, 1);
                    let next = executor.load(&path, own).binary(space, BinOp::Add, &one)?;
                    let youngest = word::equal(space, &next, &executor.load(&path, nr))?;
                    space.and(&path.condition, &youngest)?
                }
                _ => space.none(),
            },
        };
        Ok(Listed {
            ready,
            failures: executor.trouble.failures,
            lost: executor.trouble.lost,
        })
    }

    /// What an edge does where it is executable.
    fn step(
        &mut self,
        body: Body,
        (id, edge): (EdgeId, &Edge),
        here: Place,
        ready: &Bdd,
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        if space.is_none(ready) {
            return Ok(());
        }
        let program = self.program;
        let mut executor = self.executor(Some(body));
        let mut path = executor.begin(ready.clone());
        match edge.action {
            Action::Skip | Action::Else => {}
            Action::Call(call) => {
                return self.call(body, (id, edge), here, (path, call));
            }
            Action::Return(code) => return self.leave(body, (id, code), here, path),
            Action::Effect(code) | Action::DStep(code) => executor.run(&mut path, code)?,
            Action::Guard(code) => {
                // It may start a process.
                let value = executor.value(&mut path, code)?;
                path.condition = space.and(&path.condition, &value.is_true(&space)?)?;
            }
            Action::Send(send) => {
                let op = &program.sends[send.index()];
                let named = executor.named(&mut path, op.chan)?;
                let (_, named) = executor.split(named);
                executor.send(&mut path, send, &named)?;
            }
            Action::Recv(recv) => {
                let op = &program.recvs[recv.index()];
                let named = executor.named(&mut path, op.chan)?;
                let (_, named) = executor.split(named);
                let takes = executor.find(&mut path, recv, &named)?;
                executor.receive(&mut path, recv, &takes)?;
            }
            Action::End => {
                if let Some((own, nr)) = self.cells.pids {
                    let fewer = executor.load(&path, own);
                    executor.store(&mut path, &space.all(), nr, &fewer)?;
                }
                let path = path;
                return self.rule(here, Place::Gone, &path, Origin::Step(id, 0));
            }
        }
        path.stack.clear();
        executor.run(&mut path, edge.then)?;
        let trouble = executor.trouble;
        self.trouble(here, id, trouble)?;
        self.arrive(body, (id, edge), here, path, Origin::Step(id, 0))
    }

    /// Rules to where an edge leads, in every way in which the processes that are started may get threads.
    pub(super) fn arrive(
        &mut self,
        body: Body,
        (id, edge): (EdgeId, &Edge),
        here: Place,
        mut path: Path,
        origin: Origin,
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let atomic = edge.atomic || body.is_atomic();
        let control = Word::constant(&space, i32::from(atomic));
        path.memory.insert(self.cells.locked, control);
        let to = self.place(body, edge.to, atomic);
        let started = std::mem::take(&mut path.started);
        if started.is_empty() {
            return self.rule(here, to, &path, origin);
        }
        if started.len() > 8 {
            return refuse("a step that starts more than eight processes", edge.span);
        }
        let types = started.iter().map(|s| s.proctype).collect();
        self.starts.insert((body, id), types);
        for dropped in 0_u32..1 << started.len() {
            let is_dropped = |index: usize| dropped >> index & 1 == 1;
            let closed = |(index, s): (usize, &Started)| {
                is_dropped(index) && !self.pools.open[s.proctype.index()]
            };
            if started.iter().enumerate().any(closed) {
                continue;
            }
            let mut path = path.clone();
            for (index, started) in started.iter().enumerate() {
                if !is_dropped(index) {
                    self.enrol(&mut path, started, (here, id))?;
                }
            }
            self.rule(here, to, &path, Origin::Step(id, dropped))?;
        }
        Ok(())
    }
}

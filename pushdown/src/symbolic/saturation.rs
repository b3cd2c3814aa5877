//! One context of one thread: symbolic `post*`, with procedure summaries that all contexts share.
//!
//! The automaton of `post*` of a view has the states of the view and, for each procedure entry `e` with globals and locals
//! `B`, a fresh state. Its edges, with the BDD variables of each:
//!
//! - `top[γ, q]`: heads into states `q` of the view: `(start, g, l, B)`. `start` are the globals at the start of the
//!   context (the doubled globals of the paper, section 3.2).
//! - `path[e, γ]`: heads into the fresh state of `e`: `(g, l, B)`: called with `B`, the procedure can be at `γ` with
//!   `g, l`.
//! - `calls[e][γ, f]`: from the fresh state of `e` to that of `f`: `(A, l, B)`: called with `B`, `f` calls `e` with
//!   `A`, and the frame of `f` waits at `γ` with `l`.
//! - `returns[e][γ, q]`: from the fresh state of `e` to `q`: `(start, A, l, B)`.
//! - `exits[e]`: `(A, g)`: called with `A`, the procedure returns with globals `g`.
//!
//! `path`, `calls` and `exits` do not mention `start`: what a procedure does depends on the globals and parameters of the
//! call alone. So they are facts about the network, computed once for each entry and kept in [`Summaries`] for all contexts
//! and all view tuples. This loses nothing. Every accepting path has exactly one edge that mentions `start`: the head,
//! if it leads into a state of the view, or else the edge of `returns` with which it enters the view's states. For a fixed
//! value of `start`, a path through fresh states is in the set iff the entry of its `returns` edge is called in a
//! context that starts with that value, and from there on the summaries say what happens.
//!
//! **At least one step.** The configurations at the start are not in `top`, unless a step leads back to them: they are
//! in the tuple before the context already. The paper has them in; then a value of the globals that the thread can
//! change into another one is always confluent with that one, and lazy splitting splits more.
//!
//! Entries in the summaries that other contexts called do not matter for this one: `Context::reached` says which are
//! called here, and every head and call is restricted to them when a view is made.

use super::network::{Action, Label, Network};
use super::space::{Bdd, Error, Result};
use super::view::{Generation, Node, View};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is left out on purpose, to test the tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// All values of globals are in one part, confluent or not.
    UnsafePartition,
    /// Returns into frames of earlier contexts are forgotten.
    NoOldReturn,
    /// A summary that exists when a procedure is called again is not used.
    NoReuse,
    /// Calls of all contexts count in every generation.
    NotRestricted,
    /// The last thread is never switched to from the first.
    NoSwitch,
    /// Globals of threads that do not move are not updated.
    StaleGlobals,
    /// Threads are exchanged even where a target tells them apart.
    ExchangeAlways,
    /// A run may start a context with globals that the view tuple does not have.
    AnyStart,
}

/// A set that grows.
#[derive(Debug)]
pub(crate) struct Relation {
    /// All of it.
    pub(crate) all: Bdd,
    /// What was not yet looked at.
    todo: Bdd,
    /// What was added when, if that is recorded.
    pub(crate) rings: Vec<(u32, Bdd)>,
}

/// What is to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Path(Label, Label),
    Top(Label, Node),
}

/// Facts about procedures.
#[derive(Debug, Default)]
pub(crate) struct Summaries {
    pub(crate) path: BTreeMap<(Label, Label), Relation>,
    pub(crate) calls: BTreeMap<Label, BTreeMap<(Label, Label), Relation>>,
    pub(crate) exits: BTreeMap<Label, Relation>,
    /// Counts additions.
    clock: u32,
    /// Whether to record what was added when.
    recording: bool,
}

impl Summaries {
    /// No facts yet; what is added when will be recorded.
    pub(crate) fn recording() -> Self {
        Summaries {
            recording: true,
            ..Summaries::default()
        }
    }
}

/// What a thread can do in one context.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) top: BTreeMap<(Label, Node), Relation>,
    pub(crate) returns: BTreeMap<Label, BTreeMap<(Label, Node), Relation>>,
    /// Globals at start and end with which the stack is empty at the end: `(start, g)`.
    pub(crate) empty: Bdd,
    /// The entries that are called in this context: `(start, B)`.
    pub(crate) reached: BTreeMap<Label, Bdd>,
    /// Globals at start and end: `(start, g)`.
    pub(crate) ends: Bdd,
    /// Whether the thread can move at all.
    pub(crate) moves: bool,
    /// Heads at the start that were not yet looked at.
    given: BTreeMap<(Label, Node), Bdd>,
    work: BTreeSet<Item>,
}

/// Which part of a context's configurations a view is for.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// The globals at the start are in this set, over `start`.
    Start(Bdd),
    /// The globals at the end are these.
    End(Bdd),
}

/// Adds `set` to the relation at `key`; what is new, if anything.
fn add<K: Ord>(
    network: &Network,
    recorder: (&mut u32, bool),
    relations: &mut BTreeMap<K, Relation>,
    key: K,
    set: Bdd,
) -> Result<Option<Bdd>> {
    let space = &network.space;
    if space.is_none(&set) {
        return Ok(None);
    }
    let empty = || Relation {
        all: space.none(),
        todo: space.none(),
        rings: Vec::new(),
    };
    let relation = relations.entry(key).or_insert_with(empty);
    let fresh = space.minus(&set, &relation.all)?;
    if space.is_none(&fresh) {
        return Ok(None);
    }
    relation.all = space.or(&relation.all, &fresh)?;
    relation.todo = space.or(&relation.todo, &fresh)?;
    let (clock, recording) = recorder;
    *clock += 1;
    if recording {
        relation.rings.push((*clock, fresh.clone()));
    }
    Ok(Some(fresh))
}

impl Context {
    /// Computes what the thread of `view` can do. With `doubled`, the globals at the start are kept.
    pub(crate) fn new(
        network: &Network,
        summaries: &mut Summaries,
        view: &View,
        doubled: bool,
        fault: Fault,
        stop: &dyn Fn() -> bool,
    ) -> Result<Context> {
        Self::saturate(network, summaries, None, view, doubled, fault, stop)
    }

    /// The same with new summaries that record what is added when; `shared` has the calls of earlier contexts.
    pub(crate) fn recorded(
        network: &Network,
        summaries: &mut Summaries,
        shared: &Summaries,
        view: &View,
        stop: &dyn Fn() -> bool,
    ) -> Result<Context> {
        Self::saturate(
            network,
            summaries,
            Some(shared),
            view,
            true,
            Fault::None,
            stop,
        )
    }

    fn saturate(
        network: &Network,
        summaries: &mut Summaries,
        shared: Option<&Summaries>,
        view: &View,
        doubled: bool,
        fault: Fault,
        stop: &dyn Fn() -> bool,
    ) -> Result<Context> {
        let space = &network.space;
        let begin = |set: &Bdd| match doubled {
            true => space.and(set, &network.names.at_start),
            false => Ok(set.clone()),
        };
        let mut context = Context {
            top: BTreeMap::new(),
            returns: BTreeMap::new(),
            empty: space.none(),
            reached: BTreeMap::new(),
            ends: space.none(),
            moves: false,
            given: BTreeMap::new(),
            work: BTreeSet::new(),
        };
        for ((label, node), set) in &view.heads {
            context.given.insert((*label, *node), begin(set)?);
            context.work.insert(Item::Top(*label, *node));
        }
        while let Some(item) = context.work.pop_first() {
            if stop() {
                return Err(Error::Stopped);
            }
            match item {
                Item::Top(label, node) => {
                    context.step_top(network, summaries, (view, shared), label, node, fault)?
                }
                Item::Path(entry, label) => {
                    context.step_path(network, summaries, entry, label, fault)?
                }
            }
        }
        space.note_peak();
        context.find_reached(network, summaries)?;
        context.find_ends(network, summaries)?;
        space.note_peak();
        Ok(context)
    }

    fn add_top(
        &mut self,
        network: &Network,
        s: &mut Summaries,
        label: Label,
        node: Node,
        set: Bdd,
    ) -> Result<()> {
        let recorder = (&mut s.clock, s.recording);
        if add(network, recorder, &mut self.top, (label, node), set)?.is_some() {
            self.work.insert(Item::Top(label, node));
        }
        Ok(())
    }

    fn add_path(
        &mut self,
        network: &Network,
        s: &mut Summaries,
        entry: Label,
        label: Label,
        set: Bdd,
    ) -> Result<()> {
        let recorder = (&mut s.clock, s.recording);
        if add(network, recorder, &mut s.path, (entry, label), set)?.is_some() {
            self.work.insert(Item::Path(entry, label));
        }
        Ok(())
    }

    /// A procedure is called with the values `A` of `call`.
    fn enter(
        &mut self,
        network: &Network,
        s: &mut Summaries,
        entry: Label,
        call: &Bdd,
    ) -> Result<()> {
        let (space, names) = (&network.space, &network.names);
        let values = space.exists(call, &names.start_locals_b)?;
        let values = space.rename(&values, &names.a_to_b)?;
        let heads = space.and(&values, &names.at_entry)?;
        self.add_path(network, s, entry, entry, heads)
    }

    fn step_top(
        &mut self,
        network: &Network,
        s: &mut Summaries,
        (view, shared): (&View, Option<&Summaries>),
        label: Label,
        node: Node,
        fault: Fault,
    ) -> Result<()> {
        let (space, names) = (&network.space, &network.names);
        let mut heads = self
            .given
            .remove(&(label, node))
            .unwrap_or_else(|| space.none());
        if let Some(relation) = self.top.get_mut(&(label, node)) {
            heads = space.or(&heads, &relation.todo)?;
            relation.todo = space.none();
        }
        for &rule in network.rules_from(label) {
            let image = network.image(rule, &heads)?;
            if space.is_none(&image) {
                continue;
            }
            self.moves = true;
            match network.rules[rule].action {
                Action::Internal(next) | Action::Spawn { next, .. } => {
                    self.add_top(network, s, next, node, image)?;
                }
                Action::Push { callee, ret } => {
                    let edges = self.returns.entry(callee).or_default();
                    let recorder = (&mut s.clock, s.recording);
                    let Some(fresh) = add(network, recorder, edges, (ret, node), image)? else {
                        continue;
                    };
                    self.enter(network, s, callee, &fresh)?;
                    if let Some(exit) = s.exits.get(&callee)
                        && fault != Fault::NoReuse
                    {
                        let after = space.and_exists(&fresh, &exit.all, &names.a)?;
                        self.add_top(network, s, ret, node, after)?;
                    }
                }
                Action::Pop if node == Node::Bottom => {
                    self.empty = space.or(&self.empty, &image)?;
                }
                Action::Pop if fault == Fault::NoOldReturn => {}
                Action::Pop => {
                    let image = space.rename(&image, &names.b_to_a)?;
                    for (ret, below, edge) in
                        edges(network, shared.unwrap_or(s), view, node, fault)?
                    {
                        let after = space.and_exists(&image, &edge, &names.a)?;
                        self.add_top(network, s, ret, below, after)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn step_path(
        &mut self,
        network: &Network,
        s: &mut Summaries,
        entry: Label,
        label: Label,
        fault: Fault,
    ) -> Result<()> {
        let (space, names) = (&network.space, &network.names);
        let Some(relation) = s.path.get_mut(&(entry, label)) else {
            return Ok(());
        };
        let heads = std::mem::replace(&mut relation.todo, space.none());
        for &rule in network.rules_from(label) {
            let image = network.image(rule, &heads)?;
            if space.is_none(&image) {
                continue;
            }
            match network.rules[rule].action {
                Action::Internal(next) | Action::Spawn { next, .. } => {
                    self.add_path(network, s, entry, next, image)?;
                }
                Action::Push { callee, ret } => {
                    let edges = s.calls.entry(callee).or_default();
                    let recorder = (&mut s.clock, s.recording);
                    let Some(fresh) = add(network, recorder, edges, (ret, entry), image)? else {
                        continue;
                    };
                    self.enter(network, s, callee, &fresh)?;
                    if let Some(exit) = s.exits.get(&callee)
                        && fault != Fault::NoReuse
                    {
                        let after = space.and_exists(&fresh, &exit.all, &names.a)?;
                        self.add_path(network, s, entry, ret, after)?;
                    }
                }
                Action::Pop => {
                    let image = space.rename(&image, &names.b_to_a)?;
                    let recorder = (&mut s.clock, s.recording);
                    let Some(fresh) = add(network, recorder, &mut s.exits, entry, image)? else {
                        continue;
                    };
                    let callers = s.calls.get(&entry).into_iter().flatten();
                    let callers: Vec<_> = callers
                        .map(|(key, relation)| (*key, relation.all.clone()))
                        .collect();
                    for ((ret, caller), call) in callers {
                        let after = space.and_exists(&fresh, &call, &names.a)?;
                        self.add_path(network, s, caller, ret, after)?;
                    }
                    let callers = self.returns.get(&entry).into_iter().flatten();
                    let callers: Vec<_> = callers
                        .map(|(key, relation)| (*key, relation.all.clone()))
                        .collect();
                    for ((ret, node), call) in callers {
                        let after = space.and_exists(&fresh, &call, &names.a)?;
                        self.add_top(network, s, ret, node, after)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Which entries are called in this context: those of `returns`, and those called from such.
    fn find_reached(&mut self, network: &Network, s: &Summaries) -> Result<()> {
        let (space, names) = (&network.space, &network.names);
        let mut work = BTreeSet::new();
        for (entry, edges) in &self.returns {
            let mut values = space.none();
            for relation in edges.values() {
                values = space.or(&values, &space.exists(&relation.all, &names.locals_b)?)?;
            }
            self.reached
                .insert(*entry, space.rename(&values, &names.a_to_b)?);
            work.insert(*entry);
        }
        while let Some(caller) = work.pop_first() {
            let from = self.reached[&caller].clone();
            for (callee, edges) in &s.calls {
                for ((_, _), relation) in edges.iter().filter(|((_, f), _)| *f == caller) {
                    let values = space.and_exists(&relation.all, &from, &names.locals_b)?;
                    let values = space.rename(&values, &names.a_to_b)?;
                    let old = self
                        .reached
                        .get(callee)
                        .cloned()
                        .unwrap_or_else(|| space.none());
                    let new = space.or(&old, &values)?;
                    if new != old {
                        self.reached.insert(*callee, new);
                        work.insert(*callee);
                    }
                }
            }
        }
        Ok(())
    }

    /// The heads into fresh states, for entries called in this context: `(start, g, l, B)`.
    pub(crate) fn fresh_heads(
        &self,
        network: &Network,
        s: &Summaries,
    ) -> Result<Vec<(Label, Label, Bdd)>> {
        let mut heads = Vec::new();
        for ((entry, label), relation) in &s.path {
            if let Some(reached) = self.reached.get(entry) {
                let set = network.space.and(&relation.all, reached)?;
                if !network.space.is_none(&set) {
                    heads.push((*entry, *label, set));
                }
            }
        }
        Ok(heads)
    }

    fn find_ends(&mut self, network: &Network, s: &Summaries) -> Result<()> {
        let (space, names) = (&network.space, &network.names);
        let mut ends = self.empty.clone();
        for relation in self.top.values() {
            ends = space.or(&ends, &space.exists(&relation.all, &names.locals_b)?)?;
        }
        for ((entry, _), relation) in &s.path {
            if let Some(reached) = self.reached.get(entry) {
                ends = space.or(
                    &ends,
                    &space.and_exists(&relation.all, reached, &names.locals_b)?,
                )?;
            }
        }
        // Where a context may not end, it goes on.
        self.ends = space.and(&ends, &network.resting)?;
        Ok(())
    }

    /// Whether some configuration of the context has this label on top.
    pub(crate) fn reaches(&self, s: &Summaries, label: Label) -> bool {
        let called = |entry: &Label| self.reached.contains_key(entry);
        let mut path = s.path.keys();
        self.top.keys().any(|(at, _)| *at == label)
            || path.any(|(entry, at)| *at == label && called(entry))
    }

    /// The view of the thread that moved, for a part of the configurations (equation 2 of the paper).
    pub(crate) fn moved(
        &self,
        network: &Network,
        s: &Summaries,
        old: &View,
        part: &Part,
        number: u32,
    ) -> Result<View> {
        let (space, names) = (&network.space, &network.names);
        let within = |set: &Bdd, has_globals: bool| match part {
            Part::Start(start) if has_globals => {
                space.and_exists(&space.and(set, &network.resting)?, start, &names.start)
            }
            Part::Start(start) => space.and_exists(set, start, &names.start),
            Part::End(end) if has_globals => space.and(set, end),
            Part::End(_) => Ok(set.clone()),
        };
        let mut heads = BTreeMap::new();
        let mut insert = |key, set: Bdd| {
            if !space.is_none(&set) {
                heads.insert(key, set);
            }
        };
        for (key, relation) in &self.top {
            insert(*key, within(&relation.all, true)?);
        }
        let mut reached = BTreeMap::new();
        for (entry, set) in &self.reached {
            reached.insert(*entry, within(set, false)?);
        }
        for ((entry, label), relation) in &s.path {
            if let Some(reached) = reached.get(entry) {
                let mut set = space.and(&relation.all, reached)?;
                set = space.and(&set, &network.resting)?;
                if let Part::End(end) = part {
                    set = space.and(&set, end)?;
                }
                insert(
                    (
                        *label,
                        Node::Frame {
                            context: number,
                            entry: *entry,
                        },
                    ),
                    set,
                );
            }
        }
        let mut returns: BTreeMap<Label, BTreeMap<(Label, Node), Bdd>> = BTreeMap::new();
        for (entry, edges) in &self.returns {
            let kept = returns.entry(*entry).or_default();
            for (key, relation) in edges {
                let set = within(&relation.all, false)?;
                if !space.is_none(&set) {
                    kept.insert(*key, set);
                }
            }
        }
        let mut generations = old.generations.clone();
        generations.insert(number, Rc::new(Generation { returns, reached }));
        let mut view = View {
            heads,
            empty: within(&self.empty, true)?,
            generations,
        };
        view.drop_unused();
        Ok(view)
    }

    /// The view of a thread that did not move, for the same part (equation 1 of the paper).
    pub(crate) fn stayed(
        &self,
        network: &Network,
        old: &View,
        part: &Part,
        fault: Fault,
    ) -> Result<View> {
        let (space, names) = (&network.space, &network.names);
        if fault == Fault::StaleGlobals {
            return Ok(old.clone());
        }
        let change = match part {
            Part::Start(start) => space.and(&self.ends, start)?,
            Part::End(end) => end.clone(),
        };
        let changed = |set: &Bdd| match part {
            Part::Start(_) => space.and_exists(
                &space.rename(set, &names.now_to_start)?,
                &change,
                &names.start,
            ),
            Part::End(_) => space.and(&space.exists(set, &names.globals)?, &change),
        };
        let mut heads = BTreeMap::new();
        for (key, set) in &old.heads {
            let set = changed(set)?;
            if !space.is_none(&set) {
                heads.insert(*key, set);
            }
        }
        let mut view = View {
            heads,
            empty: changed(&old.empty)?,
            generations: old.generations.clone(),
        };
        view.drop_unused();
        Ok(view)
    }
}

/// The edges that leave a state of a view: label, state, `(A, l, B)`.
pub(crate) fn edges(
    network: &Network,
    s: &Summaries,
    view: &View,
    node: Node,
    fault: Fault,
) -> Result<Vec<(Label, Node, Bdd)>> {
    let Node::Frame { context, entry } = node else {
        return Ok(Vec::new());
    };
    let generation = &view.generations[&context];
    let returns = generation.returns.get(&entry).into_iter().flatten();
    let mut found: Vec<(Label, Node, Bdd)> = returns
        .map(|((label, node), set)| (*label, *node, set.clone()))
        .collect();
    // Generation 0 has no calls: its entries are depths of the initial stack, not labels.
    if context == 0 {
        return Ok(found);
    }
    for ((label, caller), relation) in s.calls.get(&entry).into_iter().flatten() {
        let set = match generation.reached.get(caller) {
            Some(reached) if fault != Fault::NotRestricted => {
                network.space.and(&relation.all, reached)?
            }
            None if fault != Fault::NotRestricted => continue,
            _ => relation.all.clone(),
        };
        if !network.space.is_none(&set) {
            found.push((
                *label,
                Node::Frame {
                    context,
                    entry: *caller,
                },
                set,
            ));
        }
    }
    Ok(found)
}

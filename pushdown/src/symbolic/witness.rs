//! From a view tuple that has a target to a concrete run.
//!
//! The run is found backwards, context by context. For each context on the way, `post*` is computed again with a fresh
//! set of summaries, and with a record of what was added when. Every fact that was added at some time has a derivation
//! from facts that were added earlier, so following derivations backwards ends; each names a rule and the values before it.
//!
//! The globals at the start of a context come out of the derivation. Threads that did not move in the context have, in the
//! tuple before, the same stack with those globals: for a safe partition that is shown in [`super::partition`], and
//! for eager splitting the tuple before has one value of the globals only. The finished run is executed by
//! [`Network::confirm`](super::network::Network::confirm), which knows nothing of all this.

use super::contexts::Exploration;
use super::network::{Action, Configuration, Frame, Label, Network, Run, Step, Target, Top};
use super::saturation::{Context, Fault, Part, Relation, Summaries, edges};
use super::space::{Bdd, Bit, Bits, Copy, Error, Result};
use super::view::{Node, View};

/// Globals and locals at the entry of a procedure.
#[derive(Clone, Debug, Default)]
struct Entry {
    globals: Bits,
    locals: Bits,
}

/// A frame together with the state of the automaton that it leads to.
#[derive(Clone, Debug)]
struct Linked {
    label: Label,
    locals: Bits,
    node: Node,
    entry: Entry,
}

fn lost<T>(what: &str) -> Result<T> {
    Err(Error::Unconfirmed(format!("no derivation of {what}")))
}

/// What heads lead into: a state of the view before the context, or the fresh state of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    View(Node),
    Procedure(Label),
}

/// A head: what it leads into, its label, its globals and locals, and the time before which it was added.
#[derive(Clone, Debug)]
struct Head {
    base: Base,
    label: Label,
    globals: Bits,
    locals: Bits,
    entry: Entry,
    before: u32,
}

/// What is still to be derived, last step first.
#[derive(Debug)]
enum Task {
    /// How the thread got to a head.
    Head(Head),
    /// How a frame was left below a call: what the caller's heads lead into, callee, label and locals of the frame.
    Call {
        base: Base,
        callee: Label,
        at: Entry,
        label: Label,
        locals: Bits,
        entry: Entry,
        before: u32,
    },
}

/// The derivation of one context.
struct Derivation<'d> {
    network: &'d Network,
    view: &'d View,
    context: &'d Context,
    /// Recorded for this context alone.
    summaries: &'d Summaries,
    /// Of the exploration: complete for the generations of the view.
    shared: &'d Summaries,
    start: Bits,
    thread: usize,
    /// Last step first.
    steps: Vec<Step>,
}

/// The relation that holds the heads of `base` at `label`.
fn heads<'r>(
    context: &'r Context,
    summaries: &'r Summaries,
    base: Base,
    label: Label,
) -> Option<&'r Relation> {
    match base {
        Base::View(node) => context.top.get(&(label, node)),
        Base::Procedure(entry) => summaries.path.get(&(entry, label)),
    }
}

impl Derivation<'_> {
    /// Values of `B`, and of the start of the context where they matter.
    fn fixed(&self, base: Base, entry: &Entry) -> Result<Bdd> {
        let space = &self.network.space;
        match base {
            Base::View(node) => {
                let start = space.globals_are(Copy::Start, &self.start)?;
                // Below the bottom there is no entry.
                let below = match node {
                    Node::Bottom => space.all(),
                    Node::Frame { .. } => self.at(Copy::B, entry)?,
                };
                space.and(&start, &below)
            }
            Base::Procedure(_) => self.at(Copy::B, entry),
        }
    }

    fn at(&self, copy: Copy, entry: &Entry) -> Result<Bdd> {
        let space = &self.network.space;
        space.and(
            &space.globals_are(copy, &entry.globals)?,
            &space.locals_are(copy, &entry.locals)?,
        )
    }

    /// Finds in the earliest part of `relation` that was added before `before` values that satisfy `condition`.
    fn earliest(
        &self,
        relation: Option<&Relation>,
        before: u32,
        condition: &Bdd,
    ) -> Result<Option<(u32, Bdd)>> {
        for (time, ring) in relation.map_or(&[][..], |r| &r.rings) {
            if *time >= before {
                break;
            }
            let set = self.network.space.and(ring, condition)?;
            if !self.network.space.is_none(&set) {
                return Ok(Some((*time, set)));
            }
        }
        Ok(None)
    }

    /// The condition on values before a rule, given those after it.
    fn before_rule(
        &self,
        rule: usize,
        globals: &Bits,
        frame: Option<&Bits>,
        other: Option<&Bits>,
    ) -> Result<Bdd> {
        let space = &self.network.space;
        let rule = &self.network.rules[rule];
        let mut condition = rule.relation.clone();
        let mut require = |bits: Vec<Bit>, copy: Copy, values: &Bits, all: bool| -> Result<()> {
            for (bit, value) in bits.into_iter().zip(values) {
                // A bit that is not changed has its value already now.
                let copy = if all || rule.changed.contains(&bit) {
                    copy
                } else {
                    Copy::Now
                };
                let set = space.values([bit], copy, &[*value])?;
                condition = space.and(&condition, &set)?;
            }
            Ok(())
        };
        require(space.global_bits().collect(), Copy::Next, globals, false)?;
        let is_push = matches!(rule.action, Action::Push { .. });
        if let Some(values) = frame {
            require(space.local_bits().collect(), Copy::Next, values, is_push)?;
        }
        if let Some(values) = other {
            require(space.local_bits().collect(), Copy::Other, values, false)?;
        }
        Ok(condition)
    }

    /// The head before a rule, in one of the relations of `base`.
    fn premise(
        &mut self,
        base: Base,
        entry: &Entry,
        before: u32,
        rule: usize,
        condition: &Bdd,
    ) -> Result<Option<Head>> {
        let space = &self.network.space;
        let label = self.network.rules[rule].from;
        let condition = space.and(condition, &self.fixed(base, entry)?)?;
        let found = self.earliest_head(base, label, before, &condition)?;
        Ok(found.and_then(|(before, set)| {
            space.pick(&set).map(|picked| Head {
                base,
                label,
                globals: space.picked_globals(&picked, Copy::Now),
                locals: space.picked_locals(&picked, Copy::Now),
                entry: entry.clone(),
                before,
            })
        }))
    }

    /// The earliest heads that satisfy `condition`, with a time before which they were added: those with which the context
    /// starts, or those of the first ring.
    fn earliest_head(
        &self,
        base: Base,
        label: Label,
        before: u32,
        condition: &Bdd,
    ) -> Result<Option<(u32, Bdd)>> {
        let space = &self.network.space;
        if let Base::View(node) = base
            && let Some(given) = self.view.heads.get(&(label, node))
        {
            let given = space.and(given, &self.network.names.at_start)?;
            let set = space.and(&given, condition)?;
            if !space.is_none(&set) {
                return Ok(Some((0, set)));
            }
        }
        let relation = heads(self.context, self.summaries, base, label);
        let found = self.earliest(relation, before, condition)?;
        // The heads are in the ring at `time`, so what they are derived from was added before.
        Ok(found.map(|(time, set)| (time + 1, set)))
    }

    fn emit(&mut self, rule: usize, globals: &Bits, locals: &Bits, other: &Bits) {
        let (globals, locals, other) = (globals.clone(), locals.clone(), other.clone());
        self.steps.push(Step {
            thread: self.thread,
            rule,
            globals,
            locals,
            other,
        });
    }

    /// The time at which a head was added.
    fn time(&self, head: &Head) -> Result<u32> {
        let space = &self.network.space;
        let frame = Entry {
            globals: head.globals.clone(),
            locals: head.locals.clone(),
        };
        let condition = space.and(
            &self.at(Copy::Now, &frame)?,
            &self.fixed(head.base, &head.entry)?,
        )?;
        let relation = heads(self.context, self.summaries, head.base, head.label);
        match self.earliest(relation, head.before, &condition)? {
            Some((time, _)) => Ok(time),
            None => lost("a head"),
        }
    }

    /// Derives all tasks; the head in the view with which the context starts, and the frames below it.
    fn derive(&mut self, mut tasks: Vec<Task>, mut rest: Vec<Linked>) -> Result<Vec<Linked>> {
        let network = self.network;
        while let Some(task) = tasks.pop() {
            match task {
                Task::Call {
                    base,
                    callee,
                    at,
                    label,
                    locals,
                    entry,
                    before,
                } => {
                    let mut found = None;
                    for (number, rule) in network.rules.iter().enumerate() {
                        if rule.action == (Action::Push { callee, ret: label }) && found.is_none() {
                            let condition = self.before_rule(
                                number,
                                &at.globals,
                                Some(&at.locals),
                                Some(&locals),
                            )?;
                            found = self
                                .premise(base, &entry, before, number, &condition)?
                                .map(|h| (number, h));
                        }
                    }
                    let Some((rule, head)) = found else {
                        return lost("a call");
                    };
                    self.emit(rule, &at.globals, &at.locals, &locals);
                    tasks.push(Task::Head(head));
                }
                Task::Head(head) => {
                    let frame = Linked {
                        label: head.label,
                        locals: head.locals.clone(),
                        node: Node::Bottom,
                        entry: head.entry.clone(),
                    };
                    match head.base {
                        Base::Procedure(entry)
                            if entry == head.label
                                && head.globals == head.entry.globals
                                && head.locals == head.entry.locals =>
                        {
                            continue;
                        }
                        Base::View(node)
                            if head.globals == self.start && self.is_given(node, &head)? =>
                        {
                            rest.insert(0, Linked { node, ..frame });
                            continue;
                        }
                        _ => {}
                    }
                    let before = self.time(&head)?;
                    self.step_back(head, before, &mut tasks, &mut rest)?;
                }
            }
        }
        Ok(rest)
    }

    /// Whether a head is one of the view with which the context starts.
    fn is_given(&self, node: Node, head: &Head) -> Result<bool> {
        let space = &self.network.space;
        let Some(set) = self.view.heads.get(&(head.label, node)) else {
            return Ok(false);
        };
        let frame = Entry {
            globals: head.globals.clone(),
            locals: head.locals.clone(),
        };
        let condition = space.and(
            &self.at(Copy::Now, &frame)?,
            &self.fixed(head.base, &head.entry)?,
        )?;
        Ok(!space.is_none(&space.and(set, &condition)?))
    }

    /// Finds the last step to a head that was added at `before`.
    fn step_back(
        &mut self,
        head: Head,
        before: u32,
        tasks: &mut Vec<Task>,
        rest: &mut Vec<Linked>,
    ) -> Result<()> {
        let (network, space) = (self.network, &self.network.space);
        for (number, rule) in network.rules.iter().enumerate() {
            let (Action::Internal(next) | Action::Spawn { next, .. }) = rule.action else {
                continue;
            };
            if next != head.label {
                continue;
            }
            let condition = self.before_rule(number, &head.globals, Some(&head.locals), None)?;
            if let Some(premise) =
                self.premise(head.base, &head.entry, before, number, &condition)?
            {
                let other = self.other(number, &premise, &head)?;
                self.emit(number, &head.globals, &head.locals, &other);
                tasks.push(Task::Head(premise));
                return Ok(());
            }
        }
        let (context, summaries) = (self.context, self.summaries);
        // A return from a call in this context.
        let at_end = space.globals_are(Copy::Now, &head.globals)?;
        for (callee, exits) in &summaries.exits {
            let relation = match head.base {
                Base::View(node) => context
                    .returns
                    .get(callee)
                    .and_then(|r| r.get(&(head.label, node))),
                Base::Procedure(entry) => summaries
                    .calls
                    .get(callee)
                    .and_then(|r| r.get(&(head.label, entry))),
            };
            let Some(relation) = relation else { continue };
            let frame = space.locals_are(Copy::Now, &head.locals)?;
            let fixed = space.and(&self.fixed(head.base, &head.entry)?, &frame)?;
            for (call_time, ring) in relation.rings.iter().filter(|(time, _)| *time < before) {
                let calls = space.and(ring, &fixed)?;
                if space.is_none(&calls) {
                    continue;
                }
                let condition = space.and(&calls, &at_end)?;
                let Some((exit_time, set)) = self.earliest(Some(exits), before, &condition)? else {
                    continue;
                };
                let picked = space
                    .pick(&set)
                    .unwrap_or_else(|| unreachable!("the set is not empty"));
                let at = Entry {
                    globals: space.picked_globals(&picked, Copy::A),
                    locals: space.picked_locals(&picked, Copy::A),
                };
                let premise = self.exit(*callee, &at, &head.globals, exit_time)?;
                tasks.push(Task::Call {
                    base: head.base,
                    callee: *callee,
                    at,
                    label: head.label,
                    locals: head.locals.clone(),
                    entry: head.entry.clone(),
                    before: call_time + 1,
                });
                tasks.push(Task::Head(premise));
                return Ok(());
            }
        }
        // A return into a frame of an earlier context.
        if let Base::View(node) = head.base {
            return self.old_return(node, head, before, tasks, rest);
        }
        lost("a head")
    }

    /// Locals of the thread that a rule creates.
    fn other(&self, rule: usize, before: &Head, after: &Head) -> Result<Bits> {
        let space = &self.network.space;
        if !matches!(self.network.rules[rule].action, Action::Spawn { .. }) {
            return Ok(vec![false; space.locals()]);
        }
        let frame = Entry {
            globals: before.globals.clone(),
            locals: before.locals.clone(),
        };
        let condition = self.before_rule(rule, &after.globals, Some(&after.locals), None)?;
        let set = space.and(&condition, &self.at(Copy::Now, &frame)?)?;
        match space.pick(&set) {
            Some(picked) => Ok(space.picked_locals(&picked, Copy::Other)),
            None => lost("a created thread"),
        }
    }

    /// The pop with which a call that was made with `at` returned with `globals`; emits it.
    fn exit(&mut self, callee: Label, at: &Entry, globals: &Bits, before: u32) -> Result<Head> {
        let network = self.network;
        for (number, rule) in network.rules.iter().enumerate() {
            if rule.action == Action::Pop {
                let condition = self.before_rule(number, globals, None, None)?;
                let base = Base::Procedure(callee);
                if let Some(premise) = self.premise(base, at, before, number, &condition)? {
                    let none = vec![false; network.space.locals()];
                    self.emit(number, globals, &none, &none);
                    return Ok(premise);
                }
            }
        }
        lost("a return")
    }

    fn old_return(
        &mut self,
        node: Node,
        head: Head,
        before: u32,
        tasks: &mut Vec<Task>,
        rest: &mut Vec<Linked>,
    ) -> Result<()> {
        let (network, space) = (self.network, &self.network.space);
        let context = self.context;
        let mut keys: Vec<(Label, Node)> = context.top.keys().copied().collect();
        keys.extend(self.view.heads.keys().copied());
        for (label, above) in &keys {
            for &rule in network.rules_from(*label) {
                if network.rules[rule].action != Action::Pop || *above == Node::Bottom {
                    continue;
                }
                for (frame_label, below, edge) in
                    edges(network, self.shared, self.view, *above, Fault::None)?
                {
                    if (frame_label, below) != (head.label, node) {
                        continue;
                    }
                    let frame = space.locals_are(Copy::Now, &head.locals)?;
                    let mut edge = space.and_exists(&edge, &frame, &network.names.locals)?;
                    if node != Node::Bottom {
                        edge = space.and(&edge, &self.at(Copy::B, &head.entry)?)?;
                    }
                    let b = space.cube(
                        space.copies(space.global_bits().chain(space.local_bits()), Copy::B),
                    )?;
                    let entries = space.rename(&space.exists(&edge, &b)?, &network.names.a_to_b)?;
                    let start = space.globals_are(Copy::Start, &self.start)?;
                    let condition = self.before_rule(rule, &head.globals, None, None)?;
                    let condition = space.and(&space.and(&condition, &start)?, &entries)?;
                    let base = Base::View(*above);
                    let Some((before, set)) =
                        self.earliest_head(base, *label, before, &condition)?
                    else {
                        continue;
                    };
                    let picked = space
                        .pick(&set)
                        .unwrap_or_else(|| unreachable!("the set is not empty"));
                    let entry = Entry {
                        globals: space.picked_globals(&picked, Copy::B),
                        locals: space.picked_locals(&picked, Copy::B),
                    };
                    let premise = Head {
                        base,
                        label: *label,
                        globals: space.picked_globals(&picked, Copy::Now),
                        locals: space.picked_locals(&picked, Copy::Now),
                        entry,
                        before,
                    };
                    let none = vec![false; space.locals()];
                    self.emit(rule, &head.globals, &none, &none);
                    let Head {
                        label,
                        locals,
                        entry,
                        ..
                    } = head;
                    rest.insert(
                        0,
                        Linked {
                            label,
                            locals,
                            node,
                            entry,
                        },
                    );
                    tasks.push(Task::Head(premise));
                    return Ok(());
                }
            }
        }
        lost("a head in the view")
    }
}

/// A stack of the view with these globals whose top satisfies the condition.
fn choose(
    network: &Network,
    s: &Summaries,
    view: &View,
    globals: &Bits,
    top: &Top,
    seen: &Bits,
) -> Result<Vec<Linked>> {
    let space = &network.space;
    let now = space.globals_are(Copy::Now, globals)?;
    if matches!(top, Top::Any | Top::Empty) && !space.is_none(&space.and(&view.empty, &now)?) {
        return Ok(Vec::new());
    }
    for ((label, node), set) in &view.heads {
        let condition = match top {
            Top::Empty => break,
            Top::Any => space.all(),
            Top::At(wanted, condition) if wanted == label => {
                let after = space.globals_are(Copy::Now, seen)?;
                space.and_exists(condition, &after, &network.names.globals)?
            }
            Top::At(..) => continue,
        };
        let set = space.and(&space.and(set, &now)?, &condition)?;
        if let Some(picked) = space.pick(&set) {
            let entry = Entry {
                globals: space.picked_globals(&picked, Copy::B),
                locals: space.picked_locals(&picked, Copy::B),
            };
            let locals = space.picked_locals(&picked, Copy::Now);
            let first = Linked {
                label: *label,
                locals,
                node: *node,
                entry,
            };
            return below(network, s, view, first);
        }
    }
    lost("a stack")
}

/// A stack that starts with a frame: shortest first, so that it ends.
fn below(network: &Network, s: &Summaries, view: &View, first: Linked) -> Result<Vec<Linked>> {
    let space = &network.space;
    let mut queue = vec![vec![first]];
    let mut seen: Vec<(Node, Bits, Bits)> = Vec::new();
    let mut next = 0;
    while next < queue.len() {
        let stack = queue[next].clone();
        next += 1;
        let last = &stack[stack.len() - 1];
        if last.node == Node::Bottom {
            return Ok(stack);
        }
        let key = (
            last.node,
            last.entry.globals.clone(),
            last.entry.locals.clone(),
        );
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let globals = space.globals_are(Copy::A, &last.entry.globals)?;
        let here = space.and(&globals, &space.locals_are(Copy::A, &last.entry.locals)?)?;
        for (label, node, edge) in edges(network, s, view, last.node, Fault::None)? {
            // One frame for each entry that it may lead to.
            let mut set = space.and(&edge, &here)?;
            while let Some(picked) = space.pick(&set) {
                let entry = Entry {
                    globals: space.picked_globals(&picked, Copy::B),
                    locals: space.picked_locals(&picked, Copy::B),
                };
                let locals = space.picked_locals(&picked, Copy::Now);
                let target = space.and(
                    &space.globals_are(Copy::B, &entry.globals)?,
                    &space.locals_are(Copy::B, &entry.locals)?,
                )?;
                let mut longer = stack.clone();
                longer.push(Linked {
                    label,
                    locals,
                    node,
                    entry,
                });
                queue.push(longer);
                if node == Node::Bottom {
                    break;
                }
                set = space.minus(&set, &target)?;
            }
        }
    }
    lost("the rest of a stack")
}

fn plain(stack: &[Linked]) -> Vec<Frame> {
    stack
        .iter()
        .map(|f| Frame {
            label: f.label,
            locals: f.locals.clone(),
        })
        .collect()
}

/// A run without steps: `found` are the initial globals in the target, over `start` and now.
pub(crate) fn initial(
    exploration: &Exploration<'_>,
    index: usize,
    target: &Target,
    found: &Bdd,
) -> Result<Run> {
    let network = exploration.network;
    let Some(picked) = network.space.pick(found) else {
        return lost("an initial target");
    };
    let globals = network.space.picked_globals(&picked, Copy::Now);
    let Target::Visible { tops, .. } = target else {
        return lost("an initial target");
    };
    let mut stacks = Vec::new();
    for (thread, view) in exploration.tuples[index].views.iter().enumerate() {
        let top = tops.get(thread).unwrap_or(&Top::Any);
        stacks.push(plain(&choose(
            network,
            &exploration.summaries,
            view,
            &globals,
            top,
            &globals,
        )?));
    }
    Ok(Run {
        start: Configuration { globals, stacks },
        steps: Vec::new(),
    })
}

/// A run to a configuration in `target` after a context of `thread` from tuple `index`; `found` are the globals at the
/// start and the end of that context.
pub(crate) fn reconstruct(
    exploration: &Exploration<'_>,
    index: usize,
    thread: usize,
    target: &Target,
    found: &Bdd,
) -> Result<Run> {
    let (network, space) = (exploration.network, &exploration.network.space);
    let shared = &exploration.summaries;
    let Target::Visible { tops, .. } = target else {
        return lost("a target");
    };
    let tuples = &exploration.tuples;
    let Some(picked) = space.pick(found) else {
        return lost("a target");
    };
    let mut globals = space.picked_globals(&picked, Copy::Now);
    let start = space.picked_globals(&picked, Copy::Start);
    // Stacks of the threads that do not move in the last context.
    let mut stacks: Vec<Vec<Linked>> = Vec::new();
    for (other, view) in tuples[index].views.iter().enumerate() {
        let top = tops.get(other).unwrap_or(&Top::Any);
        stacks.push(match other == thread {
            true => Vec::new(),
            false => choose(network, shared, view, &start, top, &globals)?,
        });
    }
    let mut steps: Vec<Step> = Vec::new();
    let (mut index, mut thread) = (index, thread);
    let mut part = Part::Start(space.globals_are(Copy::Start, &start)?);
    let mut chosen = false;
    loop {
        let number = tuples[index].contexts + 1;
        let view = &tuples[index].views[thread];
        let mut summaries = Summaries::recording();
        let stop = exploration.options.stop;
        let context = Context::recorded(network, &mut summaries, shared, view, stop)?;
        if !chosen {
            let after = context.moved(network, &summaries, view, &part, number)?;
            let top = tops.get(thread).unwrap_or(&Top::Any);
            stacks[thread] = choose(network, shared, &after, &globals, top, &globals)?;
            chosen = true;
        }
        let (start, more, stack) = one_context(
            network,
            view,
            &context,
            (&summaries, shared),
            &part,
            (thread, number),
            &globals,
            &stacks[thread],
        )?;
        steps.extend(more);
        stacks[thread] = stack;
        globals = start;
        let Some((before, moved, how)) = &tuples[index].origin else {
            break;
        };
        (index, thread, part) = (*before, *moved, how.clone());
    }
    steps.reverse();
    let stacks = stacks.iter().map(|stack| plain(stack)).collect();
    Ok(Run {
        start: Configuration { globals, stacks },
        steps,
    })
}

/// Derives one context backwards: the globals at its start, its steps (last first), and the stack at its start.
#[allow(clippy::too_many_arguments)]
fn one_context(
    network: &Network,
    view: &View,
    context: &Context,
    (summaries, shared): (&Summaries, &Summaries),
    part: &Part,
    (thread, number): (usize, u32),
    globals: &Bits,
    stack: &[Linked],
) -> Result<(Bits, Vec<Step>, Vec<Linked>)> {
    let space = &network.space;
    let now = space.globals_are(Copy::Now, globals)?;
    let within = match part {
        Part::Start(start) => start.clone(),
        Part::End(_) => space.all(),
    };
    let at = |copy: Copy, entry: &Entry| -> Result<Bdd> {
        space.and(
            &space.globals_are(copy, &entry.globals)?,
            &space.locals_are(copy, &entry.locals)?,
        )
    };
    let below = |frame: &Linked| match frame.node {
        Node::Bottom => Ok(space.all()),
        Node::Frame { .. } => at(Copy::B, &frame.entry),
    };
    let is_fresh =
        |frame: &Linked| matches!(frame.node, Node::Frame { context, .. } if context == number);
    let entry_label = |frame: &Linked| match frame.node {
        Node::Frame { entry, .. } => entry,
        Node::Bottom => 0,
    };
    let crossing = stack.iter().position(|frame| !is_fresh(frame));
    // The globals at the start, from the one edge of the path that knows them.
    let set = match crossing {
        None if stack.is_empty() => space.and(&context.empty, &now)?,
        None => return lost("the end of a stack"),
        Some(0) => {
            let first = &stack[0];
            let Some(relation) = context.top.get(&(first.label, first.node)) else {
                return lost("a head");
            };
            let frame = space.and(&now, &space.locals_are(Copy::Now, &first.locals)?)?;
            space.and(&space.and(&relation.all, &frame)?, &below(first)?)?
        }
        Some(crossing) => {
            let (frame, above) = (&stack[crossing], &stack[crossing - 1]);
            let edges = context.returns.get(&entry_label(above));
            let Some(relation) = edges.and_then(|e| e.get(&(frame.label, frame.node))) else {
                return lost("a frame");
            };
            let locals = space.and(
                &space.locals_are(Copy::Now, &frame.locals)?,
                &at(Copy::A, &above.entry)?,
            )?;
            space.and(&space.and(&relation.all, &locals)?, &below(frame)?)?
        }
    };
    let Some(picked) = space.pick(&space.and(&set, &within)?) else {
        return lost("the globals at the start of a context");
    };
    let start = space.picked_globals(&picked, Copy::Start);
    let steps = Vec::new();
    let mut derivation = Derivation {
        network,
        view,
        context,
        summaries,
        shared,
        start: start.clone(),
        thread,
        steps,
    };
    let never = u32::MAX;
    let mut tasks = Vec::new();
    let mut rest = Vec::new();
    match crossing {
        None => {
            // The stack is empty: it was before, or a pop of the last frame made it so.
            let before = space.and(&view.empty, &now)?;
            if start == *globals && !space.is_none(&before) {
                return Ok((start, Vec::new(), Vec::new()));
            }
            let base = Base::View(Node::Bottom);
            let mut found = None;
            for (rule, _) in network
                .rules
                .iter()
                .enumerate()
                .filter(|(_, r)| r.action == Action::Pop)
            {
                let condition = derivation.before_rule(rule, globals, None, None)?;
                if let Some(head) =
                    derivation.premise(base, &Entry::default(), never, rule, &condition)?
                {
                    found = Some((rule, head));
                    break;
                }
            }
            let Some((rule, head)) = found else {
                return lost("the last pop");
            };
            let none = vec![false; space.locals()];
            derivation.emit(rule, globals, &none, &none);
            tasks.push(Task::Head(head));
        }
        Some(crossing) => {
            rest.extend(stack[crossing + 1..].iter().cloned());
            for depth in (1..=crossing).rev() {
                let (frame, above) = (&stack[depth], &stack[depth - 1]);
                let base = match depth == crossing {
                    true => Base::View(frame.node),
                    false => Base::Procedure(entry_label(frame)),
                };
                tasks.push(Task::Call {
                    base,
                    callee: entry_label(above),
                    at: above.entry.clone(),
                    label: frame.label,
                    locals: frame.locals.clone(),
                    entry: frame.entry.clone(),
                    before: never,
                });
            }
            let first = &stack[0];
            let base = match crossing {
                0 => Base::View(first.node),
                _ => Base::Procedure(entry_label(first)),
            };
            tasks.push(Task::Head(Head {
                base,
                label: first.label,
                globals: globals.clone(),
                locals: first.locals.clone(),
                entry: first.entry.clone(),
                before: never,
            }));
        }
    }
    let stack = derivation.derive(tasks, rest)?;
    Ok((start, derivation.steps, stack))
}

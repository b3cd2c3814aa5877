//! One context backwards: each fact has a derivation from facts that were added earlier.

use super::super::network::{Action, Label, Network, Step};
use super::super::saturation::{Context, Fault, Relation, Summaries, edges};
use super::super::space::{Bdd, Bit, Bits, Copy, Result};
use super::super::view::{Node, View};
use super::lost;
use super::stack::{Entry, Linked};

/// What heads lead into: a state of the view before the context, or the fresh state of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    View(Node),
    Procedure(Label),
}

/// A head: what it leads into, its label, its globals and locals, and the time before which it was added.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) base: Base,
    pub(super) label: Label,
    pub(super) globals: Bits,
    pub(super) locals: Bits,
    pub(super) entry: Entry,
    pub(super) before: u32,
}

/// What is still to be derived, last step first.
#[derive(Debug)]
pub(super) enum Task {
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
pub(super) struct Derivation<'d> {
    pub(super) network: &'d Network,
    pub(super) view: &'d View,
    pub(super) context: &'d Context,
    /// Recorded for this context alone.
    pub(super) summaries: &'d Summaries,
    /// Of the exploration: complete for the generations of the view.
    pub(super) shared: &'d Summaries,
    pub(super) start: Bits,
    pub(super) thread: usize,
    /// Last step first.
    pub(super) steps: Vec<Step>,
}

/// The relation that holds the heads of `base` at `label`.
pub(super) fn heads<'r>(
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
    pub(super) fn before_rule(
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
    pub(super) fn premise(
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

    pub(super) fn emit(&mut self, rule: usize, globals: &Bits, locals: &Bits, other: &Bits) {
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
    pub(super) fn derive(
        &mut self,
        mut tasks: Vec<Task>,
        mut rest: Vec<Linked>,
    ) -> Result<Vec<Linked>> {
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

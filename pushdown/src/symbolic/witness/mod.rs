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

mod derivation;
mod stack;

use super::contexts::Exploration;
use super::network::{Action, Configuration, Network, Run, Step, Target, Top};
use super::saturation::{Context, Part, Summaries};
use super::space::{Bdd, Bits, Copy, Error, Result};
use super::view::{Node, View};
use derivation::{Base, Derivation, Head, Task};
use stack::{Entry, Linked, choose, plain};

fn lost<T>(what: &str) -> Result<T> {
    Err(Error::Unconfirmed(format!("no derivation of {what}")))
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

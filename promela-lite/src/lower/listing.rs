//! Which control states SPIN lists when a search reached nothing there.
//!
//! SPIN counts every element of a process, but tells of few: nothing is said of jumps, joins, `else` and `skip`, of
//! the first statements of options, blocks and escapes (their heads stand for them), nor of what lies inside a
//! `d_step`. A selection or block that nothing led to is passed over, too, when the place behind its last option was
//! reached or is one of which nothing is said. Unreachable statements are elements like all others, which is why this is
//! made from the skeleton and not
//! from the graph: the graph has only what can be reached.

use super::graph::Build;
use super::skeleton::{Jump, NodeId, NodeKind, SeqId};
use crate::program::{Action, Listed};
use rustc_hash::FxHashSet;
use smallvec::smallvec;

impl Build<'_> {
    /// The control states of the body `seq` that are told of when they are not reached, in order of their numbers.
    pub(super) fn listing(&mut self, seq: SeqId) -> Vec<Listed> {
        let mut walk = Walk::default();
        self.walk(seq, &mut walk);
        let mut listing: Vec<Listed> = Vec::new();
        for &node in &walk.met {
            if !self.is_quiet(node, &walk) {
                listing.extend(self.listed(node, &walk));
            }
        }
        listing.sort_by_key(|l| l.number);
        listing
    }

    /// Whether nothing is said of an element even when it is not reached.
    fn is_quiet(&self, node: NodeId, walk: &Walk) -> bool {
        use NodeKind::{Else, Exit, Goto, Join, Unless};
        let element = self.skeleton.node(node);
        matches!(element.kind, Else | Goto(_) | Join | Exit | Unless(..))
            || element.text == "(1)"
            || walk.passed.contains(&node)
    }

    fn walk(&mut self, seq: SeqId, walk: &mut Walk) {
        let (mut at, last) = (self.skeleton.seq(seq).first, self.skeleton.seq(seq).last);
        while let Some(id) = at {
            if walk.seen.insert(id) {
                walk.met.push(id);
                self.walk_inside(id, walk);
            }
            if Some(id) == last {
                break;
            }
            at = self.skeleton.node(id).next;
        }
    }

    fn walk_inside(&mut self, id: NodeId, walk: &mut Walk) {
        let node = self.skeleton.node(id);
        let (atomic, join) = (node.atomic, matches!(node.kind, NodeKind::Join));
        let inside = match &node.kind {
            NodeKind::If(options) | NodeKind::Do(options) => options.clone(),
            NodeKind::Atomic(body) | NodeKind::Block(body) => vec![*body],
            _ => Vec::new(),
        };
        let main = match node.kind {
            NodeKind::Unless(main, _) => Some(main),
            _ => None,
        };
        let escapes = node.escapes.clone();
        for &seq in &inside {
            walk.passed.extend(self.skeleton.seq(seq).first);
        }
        if !inside.is_empty() {
            walk.passed
                .extend(self.first_steps(id).into_iter().map(|(node, _)| node));
        }
        for seq in inside.into_iter().chain(main) {
            self.walk(seq, walk);
        }
        if join {
            return;
        }
        for escape in escapes {
            if let Some(first) = self.skeleton.seq(escape).first {
                let start = self.settle(first, atomic);
                walk.passed.insert(start);
            }
            self.walk(escape, walk);
        }
    }

    /// `None` when there is nothing to tell of it.
    fn listed(&mut self, id: NodeId, walk: &Walk) -> Option<Listed> {
        let mut options = self.first_steps(id);
        // SPIN does not even try an option that starts with a constant 0.
        options.retain(|&mut (node, _)| node == id || self.skeleton.node(node).text != "(0)");
        let (first, last) = (options.first()?.0, options.last()?.0);
        let head = first != id;
        let behind = self.behind(last).filter(|_| head);
        if behind.is_some_and(|node| self.is_quiet(node, walk)) {
            return None;
        }
        let mut levels = smallvec![options];
        self.add_escapes(&mut levels);
        let steps = levels.iter().flatten();
        let mut statements = Vec::new();
        let mut counted = true;
        for &(step, _) in steps {
            let step = self.skeleton.node(step);
            // What follows an option that is only a way out is not told.
            if matches!(
                step.kind,
                NodeKind::Join | NodeKind::Exit | NodeKind::Goto(Jump::Break(_))
            ) {
                counted = false;
                break;
            }
            statements.push(step.text.clone().into_owned());
        }
        let line_of = if head { first } else { id };
        Some(Listed {
            number: self.skeleton.node(id).number,
            span: self.skeleton.node(line_of).span,
            statements,
            counted,
            behind: behind.map(|node| self.skeleton.node(node).number),
        })
    }

    /// Where the step of an element leads.
    fn behind(&mut self, id: NodeId) -> Option<NodeId> {
        let next = match self.skeleton.node(id).kind {
            NodeKind::Goto(jump) => self.skeleton.destination(jump),
            NodeKind::Plain(Action::Return(_)) => None,
            _ => self.skeleton.node(id).next,
        };
        let atomic = self.skeleton.node(id).atomic;
        Some(self.settle(next?, atomic))
    }
}

/// What a walk over the elements of a body has met.
#[derive(Default)]
struct Walk {
    seen: FxHashSet<NodeId>,
    met: Vec<NodeId>,
    /// Elements whose selection, block or covered statement stands for them.
    passed: FxHashSet<NodeId>,
}

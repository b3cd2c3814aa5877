//! The warning about statements that no path of control leads to.
//!
//! Reachability is that of the skeleton, elements linked in the order of control; conditions are taken to be open. Of an
//! unreachable stretch only the first basic statement in the order of the text is reported: it is where the author
//! wonders. (A block as a whole is not: a jump may lead into it.) Implicit elements, such as the closing brace or
//! the increment of a `for`, are passed over, and so is `skip`, which does no harm where it stands.

use super::Lower;
use super::skeleton::{NodeId, NodeKind, SeqId, Skeleton};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::Action;
use crate::source::Span;

/// A search through a skeleton.
struct Search<'s> {
    skeleton: &'s Skeleton,
    /// By element: reached from the start of the body, or from a statement that is reported.
    reached: Vec<bool>,
    /// The outermost unreached statement around what is looked at.
    around: Option<NodeId>,
    /// The statements to report.
    found: Vec<Span>,
}

impl Lower<'_> {
    /// Warns of the unreachable statements of a body.
    pub(super) fn warn_unreached(&mut self, skeleton: &Skeleton, body: SeqId) {
        let mut search = Search {
            skeleton,
            reached: vec![false; skeleton.nodes.len()],
            around: None,
            found: Vec::new(),
        };
        search.flood(skeleton.seq(body).first);
        search.look(body);
        for span in search.found {
            let message = "this statement cannot be reached";
            self.report(
                Diagnostic::warning(Code::UnreachableStatement, span, message)
                    .label("no path of control leads here"),
            );
        }
    }
}

impl Search<'_> {
    /// Marks an element and all that control can come to from there.
    fn flood(&mut self, from: Option<NodeId>) {
        let mut stack: Vec<NodeId> = from.into_iter().collect();
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut self.reached[id.0 as usize], true) {
                continue;
            }
            let node = self.skeleton.node(id);
            let first = |seq: &SeqId| self.skeleton.seq(*seq).first;
            stack.extend(node.escapes.iter().filter_map(first));
            match &node.kind {
                NodeKind::Goto(jump) => stack.extend(self.skeleton.destination(*jump)),
                NodeKind::If(options) | NodeKind::Do(options) => {
                    stack.extend(options.iter().filter_map(first));
                }
                NodeKind::Unless(seq, _)
                | NodeKind::Atomic(seq)
                | NodeKind::DStep(seq)
                | NodeKind::Block(seq) => stack.extend(first(seq)),
                NodeKind::Plain(Action::Return(_)) => {}
                NodeKind::Plain(_)
                | NodeKind::Else
                | NodeKind::End
                | NodeKind::Join
                | NodeKind::Exit => stack.extend(node.next),
            }
        }
    }

    /// Goes through a sequence in the order of the text.
    fn look(&mut self, seq: SeqId) {
        let seq = self.skeleton.seq(seq);
        let mut at = seq.first;
        while let Some(id) = at {
            let node = self.skeleton.node(id);
            let lost = !self.reached[id.0 as usize];
            let skip = matches!(node.kind, NodeKind::Plain(Action::Skip));
            if lost && node.written && !skip {
                self.found.push(node.span);
                self.flood(self.around);
                self.flood(at);
            }
            let around = self.around;
            if lost {
                self.around = around.or(at);
            }
            match &node.kind {
                NodeKind::If(options) | NodeKind::Do(options) => {
                    options.iter().for_each(|&option| self.look(option));
                }
                NodeKind::Unless(main, escape) => {
                    self.look(*main);
                    self.look(*escape);
                }
                NodeKind::Atomic(body) | NodeKind::DStep(body) | NodeKind::Block(body) => {
                    self.look(*body);
                }
                _ => {}
            }
            self.around = around;
            at = node.next.filter(|_| seq.extent != Some(id));
        }
    }
}

//! `d_step`: a whole sequence as one step.
//!
//! The first basic statement decides whether the step can be taken; it becomes the action of the edge. All that follows
//! becomes code that runs with it: choices take the first executable option, and a statement that blocks there is an
//! error of the model. Where a selection or loop comes first, the step is one piece of code that finds out whether any
//! option can be taken.

use super::Lower;
use super::emit::{Emit, Pending};
use super::graph::DStepCode;
use super::skeleton::{NodeId, NodeKind, SeqId, Skeleton};
use crate::code::{Code as Instrs, Instr};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::Action;
use rustc_hash::FxHashMap;

/// What happens when a statement is not executable.
#[derive(Copy, Clone)]
enum Fail {
    NotExecutable,
    Blocked,
    /// The options that come later are tried: collected to be aimed.
    Later,
}

struct DStep<'s, 'l, 'a> {
    lower: &'l mut Lower<'a>,
    skeleton: &'s Skeleton,
    emit: Emit,
    emitted: FxHashMap<NodeId, u32>,
    /// Which d_step this is.
    id: Option<u32>,
    /// Jumps to the next option.
    later: Vec<Pending>,
    /// Jumps to the end.
    ends: Vec<Pending>,
}

impl<'a> Lower<'a> {
    /// Compiles the `d_step` with that body.
    pub(super) fn d_step_code(&mut self, skeleton: &Skeleton, body: SeqId) -> Option<DStepCode> {
        let first = skeleton.seq(body).first?;
        let id = skeleton.node(first).d_step;
        let mut d_step = DStep {
            lower: self,
            skeleton,
            emit: Emit::default(),
            emitted: FxHashMap::default(),
            id,
            later: Vec::new(),
            ends: Vec::new(),
        };
        let head = d_step.pass(first);
        let basic =
            head.filter(|&n| matches!(skeleton.node(n).kind, NodeKind::Plain(_) | NodeKind::Else));
        let action = match basic {
            Some(head) => {
                let node = skeleton.node(head);
                d_step.emit.footprint.absorb(&node.footprint);
                let action = match &node.kind {
                    NodeKind::Plain(action) => action.clone(),
                    _ => {
                        d_step.emit.footprint.specials.else_ = true;
                        Action::Else
                    }
                };
                if let Some(next) = node.next {
                    d_step.chain(next, Fail::Blocked);
                }
                Some(action)
            }
            None => {
                d_step.chain(first, Fail::NotExecutable);
                None
            }
        };
        let DStep { mut emit, ends, .. } = d_step;
        ends.into_iter().for_each(|pending| emit.land(pending));
        let (code, footprint) = emit.finish(&mut self.program);
        Some(match action {
            Some(action) => DStepCode {
                action,
                then: code,
                footprint,
            },
            None => DStepCode {
                action: Action::DStep(code),
                then: Instrs::EMPTY,
                footprint,
            },
        })
    }
}

impl DStep<'_, '_, '_> {
    /// Passes joins, jumps and blocks up to the next statement or choice; `None` when that is the end of the `d_step`.
    fn pass(&mut self, mut node: NodeId) -> Option<NodeId> {
        for _ in 0..=self.skeleton.nodes.len() {
            let at = self.skeleton.node(node);
            if at.d_step != self.id {
                return None;
            }
            node = match at.kind {
                NodeKind::Join | NodeKind::Exit => at.next?,
                NodeKind::Block(body) | NodeKind::Atomic(body) => self.skeleton.seq(body).first?,
                NodeKind::Unless(main, _) => self.skeleton.seq(main).first?,
                NodeKind::Goto(jump) => match self.skeleton.destination(jump) {
                    Some(to) if self.skeleton.node(to).d_step == self.id => to,
                    Some(_) => {
                        let span = at.span;
                        self.lower.report(
                            Diagnostic::error(
                                Code::JumpOutOfDStep,
                                span,
                                "this jump leaves the d_step",
                            )
                            .help("a d_step can only be left at its end; use `atomic` instead"),
                        );
                        return None;
                    }
                    None => return None,
                },
                _ => return Some(node),
            };
        }
        let span = self.skeleton.node(node).span;
        self.lower.report(Diagnostic::error(
            Code::CircularJumps,
            span,
            "these jumps run in a circle",
        ));
        None
    }

    /// Emits from `node` on to the end of the `d_step` or to code that is there already.
    fn chain(&mut self, node: NodeId, mut fail: Fail) {
        let mut at = Some(node);
        loop {
            at = match at {
                Some(node) => self.pass(node),
                None => None,
            };
            let Some(node) = at else {
                let end = self.emit.jump(Instr::Jump);
                self.ends.push(end);
                return;
            };
            // Only code that fails in the common way can be shared: an entry has its own copy.
            if let (Fail::Blocked, Some(&position)) = (fail, self.emitted.get(&node)) {
                let span = self.skeleton.node(node).span;
                self.emit.push(Instr::JumpBack(position, span));
                return;
            }
            if matches!(fail, Fail::Blocked) {
                self.emitted.insert(node, self.emit.here());
            }
            let kind = &self.skeleton.node(node).kind;
            match kind {
                NodeKind::If(options) | NodeKind::Do(options) => {
                    return self.choice(node, options, fail);
                }
                NodeKind::DStep(body) => {
                    // Flattened before; kept total for safety.
                    at = self.skeleton.seq(*body).first;
                    continue;
                }
                NodeKind::Plain(action) => self.statement(node, &action.clone(), fail),
                NodeKind::Else => {}
                _ => {
                    let end = self.emit.jump(Instr::Jump);
                    self.ends.push(end);
                    return;
                }
            }
            fail = Fail::Blocked;
            at = self.skeleton.node(node).next;
        }
    }

    fn choice(&mut self, node: NodeId, options: &[SeqId], fail: Fail) {
        let outer = std::mem::take(&mut self.later);
        for &option in options {
            for pending in std::mem::take(&mut self.later) {
                self.emit.land(pending);
            }
            if let Some(first) = self.skeleton.seq(option).first {
                self.chain(first, Fail::Later);
            }
        }
        for pending in std::mem::replace(&mut self.later, outer) {
            self.emit.land(pending);
        }
        self.fail(node, fail);
    }

    /// Emits what happens when nothing can be executed here.
    fn fail(&mut self, node: NodeId, fail: Fail) {
        match fail {
            Fail::NotExecutable => self.emit.push(Instr::NotExecutable),
            Fail::Blocked => self
                .emit
                .push(Instr::Blocked(self.skeleton.node(node).span)),
            Fail::Later => {
                let next = self.emit.jump(Instr::Jump);
                self.later.push(next);
            }
        }
    }

    fn statement(&mut self, id: NodeId, action: &Action, fail: Fail) {
        let node = self.skeleton.node(id);
        self.emit.footprint.absorb(&node.footprint);
        let failed = match action {
            // Calls and returns are refused.
            Action::Skip
            | Action::Else
            | Action::End
            | Action::DStep(_)
            | Action::Call(_)
            | Action::Return(_) => None,
            Action::Effect(code) => {
                self.copy(*code);
                None
            }
            Action::Guard(code) => {
                self.copy(*code);
                Some(self.emit.jump(Instr::JumpIfZero))
            }
            Action::Send(send) => Some(self.emit.jump(|target| Instr::SendOr(*send, target))),
            Action::Recv(recv) => Some(self.emit.jump(|target| Instr::RecvOr(*recv, target))),
        };
        let Some(failed) = failed else { return };
        match fail {
            Fail::Later => self.later.push(failed),
            Fail::NotExecutable | Fail::Blocked => {
                let over = self.emit.jump(Instr::Jump);
                self.emit.land(failed);
                self.fail(id, fail);
                self.emit.land(over);
            }
        }
    }

    fn copy(&mut self, code: Instrs) {
        let here = self.emit.here();
        for at in code.range() {
            let mut instr = self.lower.program.instrs[at];
            if let Some(target) = instr.target_mut() {
                *target = *target - code.start + here;
            }
            self.emit.push(instr);
        }
    }
}

//! Rendezvous as two steps: the sender offers its message, a receiver takes it.

use super::body::Body;
use super::execute::{Path, Translated};
use super::translate::{Origin, Place, Translator};
use super::unsupported::refuse;
use super::word::{self, Word};
use ample_pushdown::symbolic::space::Bdd;
use promela_lite::program::{Action, Edge, EdgeId, RecvArg, RecvId};
use std::rc::Rc;

impl Translator<'_> {
    /// Refuses a rendezvous send whose executability matters for something else.
    pub(super) fn check_rendezvous(
        &self,
        body: Body,
        edges: &[Edge],
        held: bool,
    ) -> Translated<()> {
        if self.cells.offer.is_none() {
            return Ok(());
        }
        let beside = edges
            .iter()
            .any(|e| e.action == Action::Else || e.level > 0);
        for edge in edges {
            let (code, span, sends) = match edge.action {
                Action::Send(send) => {
                    let op = &self.program.sends[send.index()];
                    (op.chan, op.span, true)
                }
                Action::Recv(recv) => {
                    let op = &self.program.recvs[recv.index()];
                    (op.chan, op.span, false)
                }
                _ => continue,
            };
            let mut executor = self.executor(Some(body));
            let mut path = executor.begin(self.space.all());
            let named = executor.named(&mut path, code)?;
            if executor.split(named).0.is_empty() {
                continue;
            }
            if body.is_atomic() {
                return refuse(
                    "a rendezvous in a procedure that is called inside of atomic",
                    span,
                );
            }
            if held && sends {
                return refuse(
                    "a rendezvous send that is not the first statement of an atomic",
                    span,
                );
            }
            if beside {
                return refuse("a rendezvous beside else or under unless", span);
            }
        }
        Ok(())
    }

    /// Both halves of a rendezvous along an edge.
    pub(super) fn offers(
        &mut self,
        body: Body,
        (id, edge): (EdgeId, &Edge),
        here: Place,
        open: &Bdd,
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let Some(offer) = self.cells.offer.clone() else {
            return Ok(());
        };
        let program = self.program;
        let mut executor = self.executor(Some(body));
        match edge.action {
            Action::Send(send) if !edge.d_step => {
                let op = &program.sends[send.index()];
                let mut path = executor.begin(open.clone());
                let named = executor.named(&mut path, op.chan)?;
                let (rendezvous, _) = executor.split(named);
                let mut some = space.none();
                for (when, _) in &rendezvous {
                    some = space.or(&some, when)?;
                }
                path.condition = space.and(&path.condition, &some)?;
                if space.is_none(&path.condition) {
                    return Ok(());
                }
                executor.trouble.failures.clear();
                let message = executor.compose(&mut path, send, &rendezvous)?;
                for (when, channel) in &rendezvous {
                    let number = Word::constant(&space, *channel as i32 + 1);
                    executor.store(&mut path, when, offer.channel, &number)?;
                    let template = self.cells.channels[*channel].template;
                    let types = program.templates[template].fields.iter();
                    for (index, (ty, value)) in types.zip(&message).enumerate() {
                        if let Some(field) = offer.field(index, *ty) {
                            executor.store(&mut path, when, field, value)?;
                        }
                    }
                }
                executor.run(&mut path, edge.then)?;
                let trouble = executor.trouble;
                self.trouble(here, id, trouble)?;
                self.rule(here, Place::Sent(body, edge.to), &path, Origin::Offer(id))
            }
            Action::Recv(recv) if !matches!(here, Place::Held(..)) => {
                let op = &program.recvs[recv.index()];
                // The sender's half changes nothing that the clause could read: the message is not yet received.
                let mut path = executor.begin(self.provided(body)?);
                let named = executor.named(&mut path, op.chan)?;
                let (rendezvous, _) = executor.split(named);
                let offered = executor.load(&path, offer.channel);
                for (when, channel) in rendezvous {
                    let asked = offered.is(&space, channel as i32 + 1)?;
                    let mut taking = path.clone();
                    taking.condition = space.and(&space.and(&path.condition, &when)?, &asked)?;
                    self.answer(body, (id, edge), here, (taking, channel, recv))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn answer(
        &mut self,
        body: Body,
        (id, edge): (EdgeId, &Edge),
        here: Place,
        (mut path, channel, recv): (Path, usize, RecvId),
    ) -> Translated<()> {
        let space = Rc::clone(&self.space);
        let op = &self.program.recvs[recv.index()];
        let mut executor = self.executor(Some(body));
        let template = self.cells.channels[channel].template;
        let count = self.program.templates[template].fields.len();
        for (index, arg) in op.args.iter().enumerate() {
            if let RecvArg::Match(code) = arg {
                let want = executor.value(&mut path, *code)?;
                if index < count {
                    let field = executor.offered(&path, channel, index)?;
                    let equal = word::equal(&space, &field, &want)?;
                    path.condition = space.and(&path.condition, &equal)?;
                }
            }
        }
        if !executor.trouble.failures.is_empty() || op.args.len() != count {
            return refuse("a rendezvous receive that may fail", op.span);
        }
        let mut fields = Vec::new();
        for index in 0..count {
            fields.push(executor.offered(&path, channel, index)?);
        }
        executor.bind(&mut path, recv, &fields)?;
        if let Some(offer) = &self.cells.offer {
            let fields = offer.fields.iter().map(|(_, _, id)| *id);
            for cell in fields.chain([offer.channel]) {
                path.memory.insert(cell, Word::constant(&space, 0));
            }
        }
        executor.run(&mut path, edge.then)?;
        let trouble = executor.trouble;
        self.trouble(here, id, trouble)?;
        self.arrive(body, (id, edge), here, path, Origin::Answer(id))
    }
}

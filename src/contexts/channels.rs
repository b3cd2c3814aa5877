//! Sends and receives executed on all states at once.
//!
//! What is done for a channel is done for each that the channel expression may name, under the condition that it names it. The
//! order in which things are evaluated, and may fail, is that of the machine's own `channel`.

use super::cells::CellId;
use super::execute::{Executor, Operand, Path, Translated};
use super::unsupported::refuse;
use super::word::{self, Word};
use ample_pushdown::symbolic::space::Bdd;
use promela_lite::code::{BinOp, ChanQuery, Code};
use promela_lite::program::{RecvArg, RecvId, SendId};
use promela_lite::source::Span;
use std::cmp::Ordering;

/// The channels that an expression may name, and when it does.
pub(super) type Named = Vec<(Bdd, usize)>;

/// The messages that a receive may take: when, from which channel, from which slot.
pub(super) type Takes = Vec<(Bdd, usize, usize)>;

impl Executor<'_> {
    /// The channels that `code` may name.
    pub(super) fn named(&mut self, path: &mut Path, code: Code) -> Translated<Named> {
        let id = self.value(path, code)?;
        self.with_id(path, &id)
    }

    fn with_id(&mut self, path: &mut Path, id: &Word) -> Translated<Named> {
        let space = self.space;
        let none = id.is(space, 0)?;
        self.fail(path, &none)?;
        let mut named = Vec::new();
        let mut known = space.none();
        for channel in 0..self.cells.channels.len() {
            let is = id.is(space, channel as i32 + 1)?;
            known = space.or(&known, &is)?;
            if !space.is_none(&space.and(&is, &path.condition)?) {
                named.push((is, channel));
            }
        }
        self.fail(path, &space.not(&known)?)?;
        Ok(named)
    }

    /// Those of the channels that are rendezvous channels, and the others.
    pub(super) fn split(&self, named: Named) -> (Named, Named) {
        let is_rendezvous =
            |(_, channel): &(Bdd, usize)| self.cells.channels[*channel].capacity == 0;
        named.into_iter().partition(is_rendezvous)
    }

    /// That a channel has room for a message.
    fn room(&self, path: &Path, channel: usize) -> Translated<Bdd> {
        let channel = &self.cells.channels[channel];
        let capacity = Word::constant(self.space, channel.capacity as i32);
        match channel.len {
            Some(len) => Ok(word::less(self.space, &self.load(path, len), &capacity)?),
            None => Ok(self.space.none()),
        }
    }

    /// That some of the channels has room.
    pub(super) fn some_room(&self, path: &Path, named: &Named) -> Translated<Bdd> {
        let space = self.space;
        let mut any = space.none();
        for (when, channel) in named {
            let room = space.and(when, &self.room(path, *channel)?)?;
            any = space.or(&any, &room)?;
        }
        Ok(any)
    }

    /// The values of a message, which must fit the channels.
    pub(super) fn compose(
        &mut self,
        path: &mut Path,
        send: SendId,
        named: &Named,
    ) -> Translated<Vec<Word>> {
        let op = &self.program.sends[send.index()];
        for (when, channel) in named {
            let template = self.cells.channels[*channel].template;
            let expected = self.program.templates[template].fields.len();
            if expected != op.args.len() {
                self.fail(path, when)?;
            }
        }
        op.args.iter().map(|arg| self.value(path, *arg)).collect()
    }

    /// Sends a message to channels that have room.
    pub(super) fn send(&mut self, path: &mut Path, send: SendId, named: &Named) -> Translated<()> {
        let message = self.compose(path, send, named)?;
        let sorted = self.program.sends[send.index()].sorted;
        for (when, channel) in named {
            let shape = &self.cells.channels[*channel];
            let template = &self.program.templates[shape.template];
            if template.fields.len() == message.len() {
                self.put(path, when, *channel, &message, sorted)?;
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        path: &mut Path,
        when: &Bdd,
        channel: usize,
        message: &[Word],
        sorted: bool,
    ) -> Translated<()> {
        let (space, cells) = (self.space, self.cells);
        let channel = &cells.channels[channel];
        let Some(len) = channel.len else {
            return Ok(());
        };
        let count = self.load(path, len);
        // What arrives has been cut to the types of the fields.
        let mut arriving = Vec::new();
        for (index, value) in message.iter().enumerate() {
            let Some(first) = channel.slots.first() else {
                return Ok(());
            };
            arriving.push(cells.fit(space, first[index], value)?.0);
        }
        let words = |slot: &Vec<CellId>| slot.iter().map(|id| self.load(path, *id)).collect();
        let old: Vec<Vec<Word>> = channel.slots.iter().map(words).collect();
        // Whether the message goes before the one in a slot or an earlier one.
        let mut before = space.none();
        for (slot, ids) in channel.slots.iter().enumerate() {
            let earlier = before.clone();
            if sorted {
                let used = word::less(space, &Word::constant(space, slot as i32), &count)?;
                let smaller = self.smaller(&arriving, &old[slot])?;
                before = space.or(&before, &space.and(&used, &smaller)?)?;
            }
            let at_end = count.is(space, slot as i32)?;
            let own = space.minus(&space.or(&before, &at_end)?, &earlier)?;
            for (field, id) in ids.iter().enumerate() {
                let mut value = Word::choose(space, &own, &message[field], &old[slot][field])?;
                if slot > 0 {
                    value = Word::choose(space, &earlier, &old[slot - 1][field], &value)?;
                }
                self.store(path, when, *id, &value)?;
            }
        }
        let one = Word::constant(space, 1);
        let more = count.binary(space, BinOp::Add, &one)?;
        self.store(path, when, len, &more)
    }

    /// That a message is less than another one, field by field.
    fn smaller(&self, a: &[Word], b: &[Word]) -> Translated<Bdd> {
        let space = self.space;
        let mut less = space.none();
        for (a, b) in a.iter().zip(b).rev() {
            let equal = word::equal(space, a, b)?;
            less = space.choose(&equal, &less, &word::less(space, a, b)?)?;
        }
        Ok(less)
    }

    /// A send inside a `d_step`: where the message was sent, and where there is no room.
    pub(super) fn send_inside(&mut self, mut path: Path, send: SendId) -> Translated<(Path, Path)> {
        let space = self.space;
        let op = &self.program.sends[send.index()];
        let named = self.named(&mut path, op.chan)?;
        let (rendezvous, named) = self.split(named);
        for (when, _) in rendezvous {
            self.fail(&mut path, &when)?;
        }
        let room = self.some_room(&path, &named)?;
        let mut full = path.clone();
        full.condition = space.minus(&path.condition, &room)?;
        path.condition = space.and(&path.condition, &room)?;
        self.send(&mut path, send, &named)?;
        Ok((path, full))
    }

    /// A receive inside a `d_step`: where a message was received, and where there is none.
    pub(super) fn receive_inside(
        &mut self,
        mut path: Path,
        recv: RecvId,
    ) -> Translated<(Path, Path)> {
        let space = self.space;
        let op = &self.program.recvs[recv.index()];
        let named = self.named(&mut path, op.chan)?;
        let (rendezvous, named) = self.split(named);
        if !rendezvous.is_empty() {
            return refuse("a rendezvous receive inside a d_step", op.span);
        }
        let takes = self.find(&mut path, recv, &named)?;
        let found = self.any(&takes)?;
        let mut other = path.clone();
        other.condition = space.minus(&path.condition, &found)?;
        path.condition = space.and(&path.condition, &found)?;
        self.receive(&mut path, recv, &takes)?;
        Ok((path, other))
    }

    /// That there is a message to take.
    pub(super) fn any(&self, takes: &Takes) -> Translated<Bdd> {
        let mut found = self.space.none();
        for (when, _, _) in takes {
            found = self.space.or(&found, when)?;
        }
        Ok(found)
    }

    /// The messages that a receive would take from buffered channels.
    pub(super) fn find(
        &mut self,
        path: &mut Path,
        recv: RecvId,
        named: &Named,
    ) -> Translated<Takes> {
        let space = self.space;
        let op = &self.program.recvs[recv.index()];
        let wanted = op.args.iter().enumerate();
        let wanted = wanted.filter_map(|(index, arg)| match arg {
            RecvArg::Match(code) => Some((index, *code)),
            _ => None,
        });
        let mut takes: Takes = Vec::new();
        for (when, channel) in named {
            let Some(len) = self.cells.channels[*channel].len else {
                continue;
            };
            let count = self.load(path, len);
            let slots = self.cells.channels[*channel].capacity as usize;
            for slot in 0..if op.random { slots } else { 1 } {
                let used = word::less(space, &Word::constant(space, slot as i32), &count)?;
                let when = space.and(&space.and(when, &used)?, &path.condition)?;
                takes.push((when, *channel, slot));
            }
        }
        // A receive that looks at all messages evaluates everything before it looks at any, a poll even where there is none.
        let mut first = match op.poll {
            true => path.condition.clone(),
            false => self.any(&takes)?,
        };
        for (index, code) in wanted {
            let mut asking = path.clone();
            asking.condition = match op.random {
                true => first.clone(),
                false => self.any(&takes)?,
            };
            let asked = asking.condition.clone();
            let want = self.value(&mut asking, code)?;
            let failed = space.minus(&asked, &asking.condition)?;
            path.condition = space.minus(&path.condition, &failed)?;
            first = space.minus(&first, &failed)?;
            for (when, channel, slot) in &mut takes {
                let ids = &self.cells.channels[*channel].slots[*slot];
                let Some(id) = ids.get(index) else {
                    self.fail(path, when)?;
                    *when = space.none();
                    continue;
                };
                let equal = word::equal(space, &self.load(path, *id), &want)?;
                *when = space.and(&space.minus(when, &failed)?, &equal)?;
            }
        }
        // The first one that fits.
        for (when, channel) in named {
            let mut earlier = space.none();
            for (found, _, _) in takes.iter_mut().filter(|(_, c, _)| c == channel) {
                *found = space.minus(&space.and(found, when)?, &earlier)?;
                earlier = space.or(&earlier, found)?;
            }
        }
        for (when, channel, _) in &takes {
            let expected = self.program.templates[self.cells.channels[*channel].template]
                .fields
                .len();
            let fits = match op.args.len().cmp(&expected) {
                Ordering::Equal => true,
                Ordering::Less => op.poll || op.peek,
                Ordering::Greater => op.poll,
            };
            if !fits {
                self.fail(path, when)?;
            }
        }
        Ok(takes)
    }

    /// Receives a message from buffered channels.
    pub(super) fn receive(
        &mut self,
        path: &mut Path,
        recv: RecvId,
        takes: &Takes,
    ) -> Translated<()> {
        let (space, cells) = (self.space, self.cells);
        let op = &self.program.recvs[recv.index()];
        let mut fields = Vec::new();
        for index in 0..op.args.len() {
            let mut value = Word::constant(space, 0);
            for (when, channel, slot) in takes {
                if let Some(id) = cells.channels[*channel].slots[*slot].get(index) {
                    value = Word::choose(space, when, &self.load(path, *id), &value)?;
                }
            }
            fields.push(value);
        }
        self.bind(path, recv, &fields)?;
        if op.peek {
            return Ok(());
        }
        let mut channels: Vec<usize> = takes.iter().map(|(_, channel, _)| *channel).collect();
        channels.dedup();
        for number in channels {
            let channel = &cells.channels[number];
            // Whether the message taken was in this slot or an earlier one.
            let mut gone = space.none();
            for (slot, ids) in channel.slots.iter().enumerate() {
                let mut here = takes.iter().filter(|(_, c, s)| (*c, *s) == (number, slot));
                if let Some((when, _, _)) = here.next() {
                    gone = space.or(&gone, when)?;
                }
                for (field, id) in ids.iter().enumerate() {
                    let next = match channel.slots.get(slot + 1) {
                        Some(next) => self.load(path, next[field]),
                        None => Word::constant(space, 0),
                    };
                    let when = gone.clone();
                    self.store(path, &when, *id, &next)?;
                }
            }
            if let Some(len) = channel.len {
                let one = Word::constant(space, 1);
                let fewer = self.load(path, len).binary(space, BinOp::Sub, &one)?;
                self.store(path, &gone, len, &fewer)?;
            }
        }
        Ok(())
    }

    /// Stores the fields of a message as a receive says, from left to right.
    pub(super) fn bind(
        &mut self,
        path: &mut Path,
        recv: RecvId,
        fields: &[Word],
    ) -> Translated<()> {
        let space = self.space;
        for (arg, value) in self.program.recvs[recv.index()].args.iter().zip(fields) {
            match *arg {
                RecvArg::Ignore | RecvArg::Match(_) => {}
                RecvArg::Bind(cell) => {
                    let id = self.cell(cell.region, cell.offset)?;
                    self.assign(path, &space.all(), id, value, cell.ty)?;
                }
                RecvArg::BindAt(code, region, ty) => {
                    self.run(path, code)?;
                    for (when, id) in self.address(path, region)? {
                        self.assign(path, &when, id, value, ty)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A question about a channel.
    pub(super) fn query(&mut self, path: &mut Path, query: ChanQuery) -> Translated<()> {
        let space = self.space;
        let id = self.pop(path)?;
        let named = self.with_id(path, &id)?;
        let mut answer = Word::constant(space, 0);
        for (when, channel) in named {
            let channel = &self.cells.channels[channel];
            let count = match channel.len {
                Some(len) => self.load(path, len),
                None => Word::constant(space, 0),
            };
            let empty = count.is(space, 0)?;
            let full = count.is(space, channel.capacity.max(1) as i32)?;
            let own = match query {
                ChanQuery::Len => count,
                ChanQuery::Empty => Word::truth(space, empty),
                ChanQuery::Nempty => Word::truth(space, space.not(&empty)?),
                ChanQuery::Full => Word::truth(space, full),
                ChanQuery::Nfull => Word::truth(space, space.not(&full)?),
            };
            answer = Word::choose(space, &when, &own, &answer)?;
        }
        path.stack.push(Operand::Number(answer));
        Ok(())
    }

    /// Whether a receive could happen now.
    pub(super) fn poll(&mut self, path: &mut Path, recv: RecvId) -> Translated<()> {
        let op = &self.program.recvs[recv.index()];
        let named = self.named(path, op.chan)?;
        let (rendezvous, named) = self.split(named);
        for (when, _) in rendezvous {
            self.fail(path, &when)?;
        }
        let takes = self.find(path, recv, &named)?;
        let found = self.any(&takes)?;
        path.stack
            .push(Operand::Number(Word::truth(self.space, found)));
        Ok(())
    }

    /// The message of a rendezvous in progress: the value of a field of a channel.
    pub(super) fn offered(&self, path: &Path, channel: usize, index: usize) -> Translated<Word> {
        let template = self.cells.channels[channel].template;
        let ty = self.program.templates[template].fields[index];
        let field = self
            .cells
            .offer
            .as_ref()
            .and_then(|offer| offer.field(index, ty));
        match field {
            Some(id) => Ok(self.load(path, id)),
            None => refuse("a message of another kind of channel", Span::NONE),
        }
    }
}

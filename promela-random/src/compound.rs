//! Random statements that contain others: selections, loops, blocks, escapes.

use crate::Construct;
use crate::body::Body;
use crate::partial::LATE;
use crate::stmt::{Mode, natural};
use crate::world::{Channel, World};

impl World<'_> {
    pub(super) fn selection(&mut self, body: &mut Body, mode: Mode, looping: bool) {
        let (open, close) = if looping {
            ("do", "od;")
        } else {
            ("if", "fi;")
        };
        let otherwise = mode.flow || (!mode.lead && self.draws(Construct::Else, 40));
        let io = !otherwise || self.draws(Construct::ElseBesideIo, 30);
        body.push(open, mode.labelled());
        let inside = Mode {
            in_loop: mode.in_loop || looping,
            flow: mode.flow,
            lead: true,
            ..mode.inner()
        };
        for _ in 0..self.rng.within(1, 3) {
            self.option(body, inside, io, otherwise);
        }
        if otherwise {
            body.option();
            body.open();
            body.push("else ->", false);
            body.close();
            self.ending(body, inside.next());
        } else if looping && self.draws(Construct::Break, 60) {
            let condition = self.condition(body, 1, true);
            body.option();
            body.open();
            body.push(format!("{condition} -> break;"), false);
            body.close();
        }
        body.push(close, false);
    }

    /// One option: its first statement decides whether it can be taken.
    fn option(&mut self, body: &mut Body, mode: Mode, io: bool, otherwise: bool) {
        body.option();
        body.open();
        let channels = self.usable_channel(body);
        match self.rng.below(8) {
            0 | 1
                if io
                    && !mode.flow
                    && channels
                        .as_ref()
                        .is_some_and(|c| c.capacity > 0 || !otherwise) =>
            {
                // The same channel again is likely but not certain; with `else` only buffered ones are wanted.
                self.io(body, mode, otherwise);
            }
            2 if !otherwise
                && !mode.flow
                && self.config.has(Construct::Nested)
                && mode.depth > 0 =>
            {
                self.statement(body, mode);
            }
            3 if !mode.flow => self.assign(body, mode),
            4 if !otherwise && self.config.has(Construct::Goto) && !body.in_d_step => {
                body.jump();
                return body.close();
            }
            _ => {
                let condition = self.condition(body, 1, !otherwise || io);
                body.push(format!("{condition} ->"), false);
            }
        }
        body.close();
        self.ending(body, mode.next());
    }

    fn io(&mut self, body: &mut Body, mode: Mode, buffered: bool) {
        if buffered
            && self
                .channels
                .iter()
                .chain(&body.channels)
                .any(|c| c.capacity == 0)
        {
            let condition = self.condition(body, 1, false);
            return body.push(format!("{condition} ->"), false);
        }
        if self.rng.chance(50) {
            self.send(body, mode);
        } else {
            self.receive(body, mode);
        }
    }

    /// The rest of an option: statements, and sometimes a way out.
    fn ending(&mut self, body: &mut Body, mode: Mode) {
        let mode = Mode {
            first: false,
            lead: false,
            ..mode
        };
        self.inner(body, mode);
        body.open();
        if mode.in_loop && self.draws(Construct::Break, 25) {
            body.push("break;", false);
        } else if !body.in_d_step && self.draws(Construct::Goto, 15) {
            body.jump();
        }
        body.close();
    }

    pub(super) fn atomic(&mut self, body: &mut Body, mode: Mode) {
        body.push("atomic {", mode.labelled());
        let outer = std::mem::replace(&mut body.in_atomic, true);
        self.inner(body, mode.inner());
        body.in_atomic = outer;
        body.push("};", false);
    }

    pub(super) fn d_step(&mut self, body: &mut Body, mode: Mode) {
        // SPIN lets no jump lead to a d_step, not even the `break` of a loop in front of it.
        if !mode.lead {
            body.push("skip;", mode.labelled());
        }
        body.push("d_step {", false);
        body.in_d_step = true;
        body.open();
        let first = Mode {
            in_loop: false,
            ..mode.inner()
        };
        match self.rng.below(4) {
            0 => self.guard(body, first),
            1 if !self.channels.is_empty() => self.io(body, first, true),
            2 if first.depth > 0 => self.selection(
                body,
                Mode {
                    lead: true,
                    ..first
                },
                false,
            ),
            _ => self.assign(body, first),
        }
        body.close();
        let rest = Mode {
            flow: true,
            ..first.next()
        };
        self.inner(body, rest);
        body.in_d_step = false;
        body.push("};", false);
    }

    pub(super) fn unless(&mut self, body: &mut Body, mode: Mode) {
        let inside = Mode {
            lead: mode.lead,
            ..mode.inner()
        };
        body.push("{", mode.labelled());
        self.inner(body, inside);
        body.push("} unless {", false);
        body.open();
        if self.rng.chance(30) && (!self.channels.is_empty() || !body.channels.is_empty()) {
            self.receive(
                body,
                Mode {
                    lead: true,
                    ..inside
                },
            );
        } else {
            self.guard(
                body,
                Mode {
                    lead: true,
                    ..inside
                },
            );
        }
        body.close();
        self.inner(body, inside.next());
        body.push("};", false);
    }

    pub(super) fn for_loop(&mut self, body: &mut Body, mode: Mode) {
        let counter = body.fresh("i");
        body.declare(format!("byte {counter};"));
        let arrays: Vec<String> = self
            .globals
            .iter()
            .filter(|v| v.elements.is_some() && !v.name.contains('.'))
            .map(|v| v.name.clone())
            .collect();
        let over_array = self.rng.chance(40);
        let range = match self.rng.pick(&arrays) {
            Some(array) if over_array => format!("{counter} in {array}"),
            _ => {
                let low = self.rng.below(2);
                format!("{counter} : {low} .. {}", low + self.rng.below(2))
            }
        };
        body.push(format!("for ({range}) {{"), false);
        body.counters.push(natural(counter));
        let inside = Mode {
            in_loop: true,
            lead: false,
            ..mode.inner()
        };
        self.inner(body, inside);
        body.counters.pop();
        body.push("};", false);
    }

    pub(super) fn for_messages(&mut self, body: &mut Body, mode: Mode) {
        let channels: Vec<Channel> = self
            .channels
            .iter()
            .filter(|c| c.structure.is_some() && c.name != LATE)
            .cloned()
            .collect();
        let Some(channel) = self.rng.pick(&channels) else {
            return body.push("skip;", mode.labelled());
        };
        let variable = channel.structure.as_deref().unwrap_or("w");
        body.push(format!("for ({variable} in {}) {{", channel.name), false);
        let inside = Mode {
            in_loop: true,
            lead: false,
            ..mode.inner()
        };
        self.inner(body, inside);
        body.push("};", false);
    }

    pub(super) fn block(&mut self, body: &mut Body, mode: Mode) {
        body.push("{", mode.labelled());
        let inside = mode.inner();
        let locals = body.locals.len();
        if !mode.lead && self.rng.chance(60) {
            body.open();
            self.declare(body);
            body.close();
        }
        self.inner(body, inside);
        body.locals.truncate(locals);
        body.push("};", false);
    }
}

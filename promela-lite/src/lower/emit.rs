//! A piece of code under construction, with the footprint of what it does.
//!
//! Targets of jumps count from the start of the piece until [`Emit::finish`] moves it into the program's arena.

use crate::code::{Code, Instr};
use crate::program::{Access, ChanAccess, ChanUse, Footprint, Program};
use rustc_hash::FxHashSet;
use smallvec::{Array, SmallVec};
use std::hash::Hash;

/// Code being written.
#[derive(Default)]
pub(super) struct Emit {
    /// With room for a common statement.
    instrs: SmallVec<[Instr; 8]>,
    pub(super) footprint: Footprint,
}

/// A jump whose target is not known yet.
#[must_use]
pub(super) struct Pending(usize);

impl Emit {
    pub(super) fn push(&mut self, instr: Instr) {
        self.instrs.push(instr);
    }

    /// The position of the next instruction.
    pub(super) fn here(&self) -> u32 {
        self.instrs.len() as u32
    }

    /// Emits a jump whose target comes later.
    pub(super) fn jump(&mut self, make: impl FnOnce(u32) -> Instr) -> Pending {
        self.instrs.push(make(u32::MAX));
        Pending(self.instrs.len() - 1)
    }

    /// Lets a jump lead to the next instruction.
    pub(super) fn land(&mut self, pending: Pending) {
        let here = self.here();
        self.aim(pending, here);
    }

    /// Lets a jump lead to a known place.
    pub(super) fn aim(&mut self, pending: Pending, target: u32) {
        if let Some(slot) = self.instrs[pending.0].target_mut() {
            *slot = target;
        }
    }

    /// Takes back the last `count` constants in favour of one.
    pub(super) fn replace_constants(&mut self, count: usize, value: i32) {
        self.instrs.truncate(self.instrs.len() - count);
        self.instrs.push(Instr::Const(value));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.instrs.is_empty()
    }

    /// Moves the code into the program.
    pub(super) fn finish(mut self, program: &mut Program) -> (Code, Footprint) {
        self.footprint.settle();
        let start = program.instrs.len() as u32;
        program
            .instrs
            .extend(self.instrs.into_iter().map(|mut instr| {
                if let Some(target) = instr.target_mut() {
                    *target += start;
                }
                instr
            }));
        let code = Code {
            start,
            end: program.instrs.len() as u32,
        };
        (code, self.footprint)
    }
}

/// How far back a repetition is looked for while a footprint grows; a long list is rid of the others at its end.
const RECENT: usize = 16;

fn note<A: Array<Item: PartialEq>>(list: &mut SmallVec<A>, item: A::Item) {
    let recent = &list[list.len().saturating_sub(RECENT)..];
    if !recent.contains(&item) {
        list.push(item);
    }
}

fn once<A: Array<Item: Clone + Eq + Hash>>(list: &mut SmallVec<A>) {
    if list.len() > RECENT {
        let mut seen = FxHashSet::default();
        list.retain(|item| seen.insert(item.clone()));
    }
}

impl Footprint {
    pub(crate) fn read(&mut self, access: Access) {
        note(&mut self.reads, access);
    }

    pub(crate) fn write(&mut self, access: Access) {
        note(&mut self.writes, access);
    }

    pub(crate) fn channel(&mut self, via: Access, how: ChanAccess) {
        note(&mut self.chans, ChanUse { via, how });
    }

    /// Removes what is noted twice.
    fn settle(&mut self) {
        once(&mut self.reads);
        once(&mut self.writes);
        once(&mut self.chans);
    }

    /// Adds all that `other` touches.
    pub(crate) fn absorb(&mut self, other: &Footprint) {
        other.reads.iter().for_each(|&a| self.read(a));
        other.writes.iter().for_each(|&a| self.write(a));
        other.chans.iter().for_each(|c| self.channel(c.via, c.how));
        self.specials.absorb(other.specials);
    }
}

//! Thread creation within a bound, symbolically: the slots of [`crate::explicit::creation`] as global bits.
//!
//! For `k - 1` slots there are additional global bits: the number of slots used, and for each slot the entry (0 for none)
//! and the locals of the thread that waits to take them. They are the last global bits of the space; [`bits`] says how
//! many, and [`order`] where they should be in the variable order: a slot's copy of a local next to the local.
//! Only locals that a created thread can start with are copied; the others must be 0, which is checked.

use super::network::{Action, Configuration, Label, Network, Run, Step};
use super::space::{Bdd, Bit, Bits, Copy, Error, Result};
use std::rc::Rc;

/// The number of bits for values below `count`.
pub(crate) fn width(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

/// The number of global bits for thread creation within `bound` contexts: so many entries, and so many locals that are not
/// always 0 there.
pub fn bits(entries: usize, kept: usize, bound: usize) -> usize {
    let slots = bound.saturating_sub(1);
    if entries == 0 || slots == 0 {
        return 0;
    }
    width(slots + 1) + slots * (width(entries + 1) + kept)
}

/// Puts the additional bits into a variable order: `base` is the number of the first, `kept` are the locals that are
/// copied.
pub fn order(order: &[Bit], base: usize, entries: usize, kept: &[usize], bound: usize) -> Vec<Bit> {
    let slots = bound.saturating_sub(1);
    if entries == 0 || slots == 0 {
        return order.to_vec();
    }
    let first = |slot: usize| base + width(slots + 1) + slot * (width(entries + 1) + kept.len());
    let mut all: Vec<Bit> = (base..base + width(slots + 1)).map(Bit::Global).collect();
    for slot in 0..slots {
        all.extend((first(slot)..first(slot) + width(entries + 1)).map(Bit::Global));
    }
    for bit in order {
        all.push(*bit);
        if let Bit::Local(local) = bit
            && let Some(index) = kept.iter().position(|k| k == local)
        {
            all.extend(
                (0..slots).map(|slot| Bit::Global(first(slot) + width(entries + 1) + index)),
            );
        }
    }
    all
}

/// What a rule of the reduced network stands for.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Rule(usize),
    Dropped(usize),
    Filled(usize, usize),
    Taken,
}

/// A network without thread creation that has the same runs within the bound, up to threads that never move.
#[derive(Debug)]
pub struct Slots {
    /// The reduced network.
    pub network: Network,
    origins: Vec<Origin>,
    initial_threads: usize,
    slots: usize,
    base: usize,
    /// How slots keep the locals of their threads: the first global bit for each slot, and which locals.
    first_local: Vec<usize>,
    kept: Vec<usize>,
}

impl Slots {
    /// Reduces `original`, whose global bits from `base` on are those of [`bits`]; `kept_locals` may be other than 0
    /// in a new thread.
    pub fn new(
        original: &Network,
        base: usize,
        kept_locals: &[usize],
        bound: usize,
    ) -> Result<Slots> {
        let space = &original.space;
        let mut entries: Vec<Label> = Vec::new();
        for rule in &original.rules {
            if let Action::Spawn { entry, .. } = rule.action {
                entries.push(entry);
            }
        }
        entries.sort_unstable();
        entries.dedup();
        if base + bits(entries.len(), kept_locals.len(), bound) != space.globals() {
            return Err(Error::Network(
                "the space does not have the bits for created threads".to_owned(),
            ));
        }
        let slots = if entries.is_empty() {
            0
        } else {
            bound.saturating_sub(1)
        };
        let globals = |from: usize, count: usize| -> Vec<Bit> {
            (from..from + count).map(Bit::Global).collect()
        };
        let counter = globals(base, if slots == 0 { 0 } else { width(slots + 1) });
        let code_width = width(entries.len() + 1);
        let slot_start =
            |slot: usize| base + counter.len() + slot * (code_width + kept_locals.len());
        let code = |slot: usize| globals(slot_start(slot), code_width);
        let kept = |slot: usize| globals(slot_start(slot) + code_width, kept_locals.len());
        let copied: Vec<Bit> = kept_locals.iter().map(|local| Bit::Local(*local)).collect();
        let zero: Vec<Bit> = space
            .local_bits()
            .filter(|bit| !copied.contains(bit))
            .collect();
        let number = |bits: &[Bit], copy: Copy, value: usize| -> Result<Bdd> {
            let values: Vec<bool> = (0..bits.len()).map(|bit| value >> bit & 1 == 1).collect();
            space.values(bits.iter().copied(), copy, &values)
        };
        let mut network = Network::new(Rc::clone(space), original.labels + slots as u32)?;
        network.globals = original.globals.clone();
        for bit in base..space.globals() {
            network.globals = space.and(
                &network.globals,
                &number(&[Bit::Global(bit)], Copy::Now, 0)?,
            )?;
        }
        let mut origins = Vec::new();
        for (index, rule) in original.rules.iter().enumerate() {
            let Action::Spawn { next, entry } = rule.action else {
                network.add(
                    rule.from,
                    rule.action,
                    rule.relation.clone(),
                    rule.changed.clone(),
                )?;
                origins.push(Origin::Rule(index));
                continue;
            };
            let all_zero = number(&zero, Copy::Other, 0)?;
            if !space.is_subset(&rule.relation, &all_zero)? {
                return Err(Error::Network(
                    "a new thread has locals that are not copied".to_owned(),
                ));
            }
            let other = space.cube(space.copies(space.local_bits(), Copy::Other))?;
            let other_zero = space.cube(space.copies(zero.iter().copied(), Copy::Other))?;
            let dropped = space.exists(&rule.relation, &other)?;
            network.add(
                rule.from,
                Action::Internal(next),
                dropped,
                rule.changed.clone(),
            )?;
            origins.push(Origin::Dropped(index));
            for slot in 0..slots {
                let moved = space.copies(copied.iter().copied(), Copy::Other);
                let moved = moved.into_iter().zip(space.copies(kept(slot), Copy::Next));
                let mut relation = space.exists(&rule.relation, &other_zero)?;
                relation = space.rename(&relation, &space.renaming(moved))?;
                let position = 1 + entries.iter().position(|e| *e == entry).unwrap_or(0);
                for condition in [
                    number(&counter, Copy::Now, slot)?,
                    number(&counter, Copy::Next, slot + 1)?,
                    number(&code(slot), Copy::Next, position)?,
                ] {
                    relation = space.and(&relation, &condition)?;
                }
                let changed = [
                    rule.changed.clone(),
                    counter.clone(),
                    code(slot),
                    kept(slot),
                ]
                .concat();
                network.add(rule.from, Action::Internal(next), relation, changed)?;
                origins.push(Origin::Filled(index, slot));
            }
        }
        for slot in 0..slots {
            let waiting = original.labels + slot as u32;
            for (position, entry) in entries.iter().enumerate() {
                let mut relation = number(&code(slot), Copy::Now, position + 1)?;
                for condition in [
                    number(&code(slot), Copy::Next, 0)?,
                    number(&kept(slot), Copy::Next, 0)?,
                ] {
                    relation = space.and(&relation, &condition)?;
                }
                relation = space.and(&relation, &number(&zero, Copy::Next, 0)?)?;
                for (local, note) in copied.iter().copied().zip(kept(slot)) {
                    let (after, noted) = (
                        space.variable(local, Copy::Next),
                        space.variable(note, Copy::Now),
                    );
                    relation = space.and(&relation, &space.same(after, noted)?)?;
                }
                let changed = [code(slot), kept(slot), space.local_bits().collect()].concat();
                network.add(waiting, Action::Internal(*entry), relation, changed)?;
                origins.push(Origin::Taken);
            }
        }
        network.threads = original.threads.clone();
        let no_locals = space.locals_are(Copy::Now, &vec![false; space.locals()])?;
        network.threads.extend(
            (0..slots).map(|slot| vec![(original.labels + slot as u32, no_locals.clone())]),
        );
        let first_local = (0..slots)
            .map(|slot| slot_start(slot) + code_width)
            .collect();
        let initial_threads = original.threads.len();
        Ok(Slots {
            network,
            origins,
            initial_threads,
            slots,
            base,
            first_local,
            kept: kept_locals.to_vec(),
        })
    }

    /// The run of the original network that a run of the reduced network stands for, executed there.
    pub fn translate(&self, original: &Network, run: &Run) -> std::result::Result<Run, String> {
        let cut = |globals: &Vec<bool>| {
            let mut globals = globals.clone();
            globals[self.base..].fill(false);
            globals
        };
        let stacks = run.start.stacks[..self.initial_threads].to_vec();
        let start = Configuration {
            globals: cut(&run.start.globals),
            stacks,
        };
        let mut now = start.clone();
        let mut thread_of_slot = vec![0; self.slots];
        let mut steps = Vec::new();
        for step in &run.steps {
            let thread = match step.thread.checked_sub(self.initial_threads) {
                None => step.thread,
                Some(slot) => thread_of_slot[slot],
            };
            let mut translated = Step {
                thread,
                globals: cut(&step.globals),
                ..step.clone()
            };
            match self.origins[step.rule] {
                Origin::Taken => continue,
                Origin::Rule(rule) => translated.rule = rule,
                Origin::Dropped(rule) => {
                    translated.rule = rule;
                    translated.other = created_locals(original, &now, &translated)?;
                }
                Origin::Filled(rule, slot) => {
                    translated.rule = rule;
                    let first = self.first_local[slot];
                    translated.other = vec![false; step.locals.len()];
                    for (index, local) in self.kept.iter().enumerate() {
                        translated.other[*local] = step.globals[first + index];
                    }
                    thread_of_slot[slot] = now.stacks.len();
                }
            }
            now = original.step(&now, &translated)?;
            steps.push(translated);
        }
        Ok(Run { start, steps })
    }
}

/// Locals of a created thread that the relation of a spawning rule admits, given everything else.
fn created_locals(
    network: &Network,
    now: &Configuration,
    step: &Step,
) -> std::result::Result<Bits, String> {
    let space = &network.space;
    let rule = &network.rules[step.rule];
    let find = || -> Result<Option<Bits>> {
        let locals = now
            .stacks
            .get(step.thread)
            .and_then(|s| s.first())
            .map_or(&[][..], |f| &f.locals);
        let mut set = rule.relation.clone();
        for condition in [
            space.globals_are(Copy::Now, &now.globals)?,
            space.locals_are(Copy::Now, locals)?,
            space.globals_are(Copy::Next, &step.globals)?,
            space.locals_are(Copy::Next, &step.locals)?,
        ] {
            set = space.and(&set, &condition)?;
        }
        Ok(space
            .pick(&set)
            .map(|picked| space.picked_locals(&picked, Copy::Other)))
    };
    match find() {
        Ok(Some(locals)) => Ok(locals),
        Ok(None) => Err("a created thread has no locals".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

//! Thread creation within a bound: networks that create threads, as networks with a fixed number of threads.
//!
//! With at most `k` contexts at most `k` threads move, and the first of them is an initial one. So at most `k - 1` created
//! threads move; the others do not matter. The reduced network has `k - 1` slots, each a thread that waits. A spawning rule
//! either drops the new thread, or notes its entry in the shared state for the next unused slot; the waiting thread of that
//! slot takes the entry from there with its first step, which clears the note.
//!
//! The two have the same runs up to dropped threads. From a run of the network: created threads that are scheduled get
//! slots in the order of their creation, the others are dropped. From a run of the reduced network: [`Slots::translate`].
//! The first step of a slot is not a step of the network; a created thread counts as scheduled from it on.

use super::network::{Action, Configuration, Network, Rule, Shared, Step, Symbol, Target, Top};
use rustc_hash::FxHashMap;

/// For each slot the entry that is noted for it.
type Notes = Vec<Option<Symbol>>;

/// A shared state of the reduced network: the shared state, the number of slots used, and the entries not yet taken.
type Noted = (Shared, usize, Notes);

/// What a rule of the reduced network stands for.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// A rule of the network.
    Rule(usize),
    /// A spawning rule whose thread is dropped: it exists, but never moves.
    Dropped(usize),
    /// A spawning rule whose thread gets this slot.
    Filled(usize, usize),
    /// A slot takes its entry.
    Taken,
}

/// The reduced network.
#[derive(Debug)]
pub struct Slots {
    network: Network,
    origins: Vec<Origin>,
    initial_threads: usize,
    slots: usize,
    states: Vec<Noted>,
    first_waiting: Symbol,
}

/// The largest reduced network that is built.
const MOST_STATES: usize = 100_000;

impl Slots {
    /// The reduced network for at most `bound` contexts.
    pub fn new(original: &Network, bound: usize) -> Result<Slots, String> {
        let slots = bound.saturating_sub(1);
        let mut entries: Vec<Symbol> = Vec::new();
        for rule in &original.rules {
            if let Action::Spawn { entry, .. } = rule.action {
                entries.push(entry);
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let notes = notes(&entries, slots, original.shared)?;
        let mut states: Vec<Noted> = Vec::new();
        for (used, noted) in notes {
            states.extend((0..original.shared).map(|shared| (shared, used, noted.clone())));
        }
        let number: FxHashMap<Noted, u32> = states.iter().cloned().zip(0..).collect();
        let waiting = |slot: usize| original.symbols + slot as u32;
        let mut rules = Vec::new();
        let mut origins = Vec::new();
        for ((shared, used, noted), from) in states.iter().zip(0..) {
            let mut add = |symbol: Symbol, to: Noted, action: Action, origin: Origin| {
                rules.push(Rule {
                    from: (from, symbol),
                    to: number[&to],
                    action,
                });
                origins.push(origin);
            };
            for (index, rule) in original
                .rules
                .iter()
                .enumerate()
                .filter(|(_, r)| r.from.0 == *shared)
            {
                let to = (rule.to, *used, noted.clone());
                let Action::Spawn { next, entry } = rule.action else {
                    add(rule.from.1, to, rule.action, Origin::Rule(index));
                    continue;
                };
                add(
                    rule.from.1,
                    to.clone(),
                    Action::Internal(next),
                    Origin::Dropped(index),
                );
                if *used < slots {
                    let mut noted = noted.clone();
                    noted[*used] = Some(entry);
                    let to = (rule.to, used + 1, noted);
                    let filled = Origin::Filled(index, *used);
                    add(rule.from.1, to, Action::Internal(next), filled);
                }
            }
            for (slot, entry) in noted.iter().enumerate() {
                if let Some(entry) = entry {
                    let mut cleared = noted.clone();
                    cleared[slot] = None;
                    let to = (*shared, *used, cleared);
                    add(waiting(slot), to, Action::Internal(*entry), Origin::Taken);
                }
            }
        }
        let mut stacks = original.initial.stacks.clone();
        stacks.extend((0..slots).map(|slot| vec![waiting(slot)]));
        let start = (original.initial.shared, 0, vec![None; slots]);
        let network = Network {
            shared: states.len() as u32,
            symbols: original.symbols + slots as u32,
            rules,
            initial: Configuration {
                shared: number[&start],
                stacks,
            },
        };
        let initial_threads = original.initial.stacks.len();
        Ok(Slots {
            network,
            origins,
            initial_threads,
            slots,
            states,
            first_waiting: original.symbols,
        })
    }

    /// The reduced network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The shared state of the network that a shared state of the reduced network stands for.
    pub fn shared(&self, reduced: Shared) -> Shared {
        self.states[reduced as usize].0
    }

    /// Whether a symbol of the reduced network says that a slot waits.
    pub fn waits(&self, symbol: Symbol) -> bool {
        symbol >= self.first_waiting
    }

    /// The target of the reduced network. A condition on the shared state would need one target per note and is refused.
    pub(crate) fn target(&self, target: &Target) -> Result<Target, String> {
        match target {
            Target::Visible { shared: None, tops } => {
                let mut tops = tops.clone();
                tops.resize(self.initial_threads + self.slots, Top::Any);
                Ok(Target::Visible { shared: None, tops })
            }
            Target::SomeThread { shared: None, .. } => Ok(target.clone()),
            _ => {
                Err("targets of networks that create threads cannot name a shared state".to_owned())
            }
        }
    }

    /// The run of the network that a run of the reduced network stands for.
    pub fn translate(&self, run: &[Step]) -> Vec<Step> {
        let mut created = 0;
        let mut thread_of_slot = vec![0; self.slots];
        let mut translated = Vec::new();
        for step in run {
            let thread = match step.thread.checked_sub(self.initial_threads) {
                None => step.thread,
                Some(slot) => self.initial_threads + thread_of_slot[slot],
            };
            match self.origins[step.rule] {
                Origin::Taken => {}
                Origin::Rule(rule) => translated.push(Step { thread, rule }),
                Origin::Dropped(rule) => {
                    translated.push(Step { thread, rule });
                    created += 1;
                }
                Origin::Filled(rule, slot) => {
                    translated.push(Step { thread, rule });
                    thread_of_slot[slot] = created;
                    created += 1;
                }
            }
        }
        translated
    }
}

/// All pairs of a number of used slots and entries that are noted in them.
fn notes(entries: &[Symbol], slots: usize, shared: u32) -> Result<Vec<(usize, Notes)>, String> {
    let mut all = Vec::new();
    for used in 0..=slots {
        let mut layer = vec![vec![None; slots]];
        for slot in 0..used {
            let with = |note: &Notes| {
                let mut more = vec![note.clone()];
                for entry in entries {
                    let mut noted = note.clone();
                    noted[slot] = Some(*entry);
                    more.push(noted);
                }
                more
            };
            layer = layer.iter().flat_map(with).collect();
            if (layer.len() + all.len()) * shared as usize > MOST_STATES {
                return Err(format!(
                    "{slots} created threads need more than {MOST_STATES} shared states"
                ));
            }
        }
        all.extend(layer.into_iter().map(|noted| (used, noted)));
    }
    Ok(all)
}

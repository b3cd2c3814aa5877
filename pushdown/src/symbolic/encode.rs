//! Explicit networks as symbolic ones: shared states and parts of symbols as bits.

use super::contexts::Splitting;
use super::creation;
use super::network::{Action, Label, Network, Run, Target, Top};
use super::space::{Bdd, Bit, Bits, Copy, Error, Result, Space};
use crate::explicit::network as explicit;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A symbolic network that stands for an explicit one. A symbol is a label and, in its lowest bits, the local bits.
#[derive(Debug)]
pub struct Encoded {
    /// The symbolic network.
    pub network: Network,
    local_bits: usize,
    /// The number of global bits for the shared state; those for created threads follow.
    pub base: usize,
}

/// How a number is written in bits.
fn bits_of(value: u32, width: usize) -> Bits {
    (0..width).map(|bit| value >> bit & 1 == 1).collect()
}

/// And back.
fn value_of(bits: &[bool]) -> u32 {
    bits.iter()
        .enumerate()
        .map(|(bit, set)| u32::from(*set) << bit)
        .sum()
}

impl Encoded {
    /// Encodes `original` with `local_bits` bits of each symbol as locals, for at most `bound` contexts (which matters for
    /// thread creation alone) and at most `nodes` BDD nodes.
    pub fn new(
        original: &explicit::Network,
        local_bits: usize,
        bound: usize,
        nodes: usize,
    ) -> Result<Encoded> {
        original.validate().map_err(Error::Network)?;
        let base = creation::width(original.shared as usize);
        let mut entries: Vec<Label> = Vec::new();
        for rule in &original.rules {
            if let explicit::Action::Spawn { entry, .. } = rule.action {
                entries.push(entry >> local_bits);
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let globals = base + creation::bits(entries.len(), local_bits, bound);
        let own = (0..base)
            .map(Bit::Global)
            .chain((0..local_bits).map(Bit::Local));
        let own: Vec<Bit> = own.collect();
        let kept: Vec<usize> = (0..local_bits).collect();
        let order = creation::order(&own, base, entries.len(), &kept, bound);
        let space = Rc::new(Space::new(globals, local_bits, &order, nodes)?);
        let mut network = Network::new(Rc::clone(&space), (original.symbols >> local_bits) + 1)?;
        let shared: Vec<Bit> = (0..base).map(Bit::Global).collect();
        let is_shared =
            |copy, value| space.values(shared.iter().copied(), copy, &bits_of(value, base));
        let locals = |copy, symbol: u32| space.locals_are(copy, &bits_of(symbol, local_bits));
        let label = |symbol: u32| symbol >> local_bits;
        // One rule for all explicit rules between the same labels.
        let mut relations: BTreeMap<(Label, Action), Bdd> = BTreeMap::new();
        for rule in &original.rules {
            let (action, next, other) = match rule.action {
                explicit::Action::Pop => (Action::Pop, None, None),
                explicit::Action::Internal(next) => {
                    (Action::Internal(label(next)), Some(next), None)
                }
                explicit::Action::Push { callee, ret } => (
                    Action::Push {
                        callee: label(callee),
                        ret: label(ret),
                    },
                    Some(callee),
                    Some(ret),
                ),
                explicit::Action::Spawn { next, entry } => (
                    Action::Spawn {
                        next: label(next),
                        entry: label(entry),
                    },
                    Some(next),
                    Some(entry),
                ),
            };
            let mut one = space.and(
                &is_shared(Copy::Now, rule.from.0)?,
                &is_shared(Copy::Next, rule.to)?,
            )?;
            one = space.and(&one, &locals(Copy::Now, rule.from.1)?)?;
            for (copy, symbol) in [(Copy::Next, next), (Copy::Other, other)] {
                if let Some(symbol) = symbol {
                    one = space.and(&one, &locals(copy, symbol)?)?;
                }
            }
            let relation = relations
                .entry((label(rule.from.1), action))
                .or_insert_with(|| space.none());
            *relation = space.or(relation, &one)?;
        }
        let changed: Vec<Bit> = shared.iter().copied().chain(space.local_bits()).collect();
        for ((from, action), relation) in relations {
            network.add(from, action, relation, changed.clone())?;
        }
        network.globals = is_shared(Copy::Now, original.initial.shared)?;
        for bit in base..globals {
            let zero = space.values([Bit::Global(bit)], Copy::Now, &[false])?;
            network.globals = space.and(&network.globals, &zero)?;
        }
        for stack in &original.initial.stacks {
            let frame = |symbol: &u32| Ok((label(*symbol), locals(Copy::Now, *symbol)?));
            network
                .threads
                .push(stack.iter().map(frame).collect::<Result<_>>()?);
        }
        Ok(Encoded {
            network,
            local_bits,
            base,
        })
    }

    /// The reduced network for networks that create threads.
    pub fn slots(&self, bound: usize) -> Result<creation::Slots> {
        let kept: Vec<usize> = (0..self.local_bits).collect();
        creation::Slots::new(&self.network, self.base, &kept, bound)
    }

    /// A target of the explicit network.
    pub fn target(&self, target: &explicit::Target) -> Result<Target> {
        let space = &self.network.space;
        let is_shared = |shared: &Option<u32>| match shared {
            None => Ok(space.all()),
            Some(value) => {
                let bits = (0..self.base).map(Bit::Global);
                space.values(bits, Copy::Now, &bits_of(*value, self.base))
            }
        };
        let locals = |symbol: u32| space.locals_are(Copy::Now, &bits_of(symbol, self.local_bits));
        match target {
            explicit::Target::SomeThread { shared, top } => {
                let condition = space.and(&is_shared(shared)?, &locals(*top)?)?;
                Ok(Target::SomeThread(top >> self.local_bits, condition))
            }
            explicit::Target::Visible { shared, tops } => {
                let top = |top: &explicit::Top| match top {
                    explicit::Top::Any => Ok(Top::Any),
                    explicit::Top::Empty => Ok(Top::Empty),
                    explicit::Top::Is(symbol) => {
                        Ok(Top::At(symbol >> self.local_bits, locals(*symbol)?))
                    }
                };
                let tops = tops.iter().map(top).collect::<Result<_>>()?;
                Ok(Target::Visible {
                    shared: is_shared(shared)?,
                    tops,
                })
            }
        }
    }

    /// A configuration of the symbolic network as one of the explicit network.
    pub fn configuration(
        &self,
        configuration: &super::network::Configuration,
    ) -> explicit::Configuration {
        let symbol = |frame: &super::network::Frame| {
            frame.label << self.local_bits | value_of(&frame.locals)
        };
        let stack = |stack: &Vec<super::network::Frame>| stack.iter().map(symbol).collect();
        explicit::Configuration {
            shared: value_of(&configuration.globals[..self.base]),
            stacks: configuration.stacks.iter().map(stack).collect(),
        }
    }

    /// A run of the symbolic network as one of the explicit network, executed there.
    pub fn run(
        &self,
        original: &explicit::Network,
        run: &Run,
    ) -> std::result::Result<Vec<explicit::Step>, String> {
        let path = self.network.execute(run)?;
        let path: Vec<explicit::Configuration> =
            path.iter().map(|c| self.configuration(c)).collect();
        if path[0] != original.initial {
            return Err("the run does not start with the initial configuration".to_owned());
        }
        let mut steps = Vec::new();
        for (pair, step) in path.windows(2).zip(&run.steps) {
            let leads = |rule: &usize| {
                let step = explicit::Step {
                    thread: step.thread,
                    rule: *rule,
                };
                original
                    .step(&pair[0], step)
                    .is_ok_and(|after| after == pair[1])
            };
            let rule = (0..original.rules.len())
                .find(leads)
                .ok_or("a step is no step of the explicit network")?;
            steps.push(explicit::Step {
                thread: step.thread,
                rule,
            });
        }
        Ok(steps)
    }
}

/// The name of a way to split, for messages.
impl std::fmt::Display for Splitting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Splitting::Eager => "eager",
            Splitting::Lazy => "lazy",
        })
    }
}

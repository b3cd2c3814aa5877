//! Random models, reproducible from a seed.
//!
//! Every model that comes out is *valid* (SPIN and we accept it), *closed* (it needs no input) and *finite*: values stay
//! below a small bound because every assignment and every message takes its value modulo [`Config::values`], counters
//! are guarded, and processes are created only while there are few. Control can loop for ever only through places where
//! a process rests: inside `atomic` and `d_step`, which have no states in between, loops count and jumps lead outwards.
//! So a search that stores states ends.
//!
//! Run-time errors other than failed assertions do not occur: indices are in range, divisors are constants, a `d_step`
//! blocks only at its start. Two checkers can therefore be compared by their numbers of states alone. The exception are
//! models with partial expressions ([`Config::partial`], [`partial()`]), where it is the question whether they do.
//!
//! Models are more telling when each lacks most of the language (Groce et al., *Swarm testing*, ISSTA 2012):
//! [`Config::swarm`] draws a set of constructs along with everything else.

mod blocks;
mod body;
mod compound;
mod crowd;
mod expr;
mod formula;
mod mutate;
mod partial;
mod procedures;
mod races;
mod relays;
mod statistics;
mod stmt;
mod world;

pub use blocks::{Blocks, LETTERS};
pub use crowd::crowd;
pub use ltl::random::Rng;
pub use mutate::{mutant, mutated};
pub use procedures::{DEEPEST, Recursive, recursive};
pub use races::{makers, races, starts, traces};
pub use relays::relays;
pub use statistics::statistics;

use world::World;

macro_rules! constructs {
    ($($name:ident $summary:literal;)*) => {
        /// A part of the language that a model may use.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub enum Construct {
            $(#[doc = $summary] $name,)*
        }

        impl Construct {
            /// Every construct.
            pub const ALL: &[Construct] = &[$(Construct::$name,)*];
        }
    };
}

constructs! {
    Atomic "`atomic { … }`";
    DStep "`d_step { … }`";
    Unless "`… unless …`";
    Timeout "`timeout` as a guard";
    Else "`else` options";
    Run "processes that are started by others";
    Goto "`goto` and plain labels";
    Marks "labels that begin with `end`, `progress` or `accept`";
    For "`for` over ranges and arrays";
    ForMessages "`for` over the messages of a channel";
    Select "`select`";
    Arrays "array variables";
    Typedefs "structures, also as messages";
    Mtypes "symbolic constants";
    Inlines "`inline` definitions and calls";
    Rendezvous "channels of capacity 0";
    Sorted "sorted sends and random receives";
    Peeks "receives that leave the message in the channel";
    Polls "`c?[…]` in conditions";
    Probes "`len`, `empty`, `full` and their opposites";
    Provided "`provided` clauses";
    Printf "`printf`";
    Assert "`assert`, which may fail";
    Nested "selections and loops within each other";
    Break "loops that can be left";
    Pids "`_pid` and `_nr_pr`";
    Blocks "blocks with variables of their own, and declarations between statements";
    ChanParameters "channels as parameters of processes";
    LocalChannels "channels that a process makes for itself";
    Instances "several processes of one proctype";
    ElseBesideIo "`else` beside a send or receive on a buffered channel";
}

/// A set of constructs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Constructs(u32);

impl Constructs {
    /// None of them: assignments, guards, selections and loops remain.
    pub const NONE: Constructs = Constructs(0);
    /// All of them.
    pub const ALL: Constructs = Constructs((1 << Construct::ALL.len()) - 1);

    /// This set with `construct`.
    pub fn with(self, construct: Construct) -> Constructs {
        Constructs(self.0 | 1 << construct as u32)
    }

    /// This set without `construct`.
    pub fn without(self, construct: Construct) -> Constructs {
        Constructs(self.0 & !(1 << construct as u32))
    }

    /// Whether `construct` is in the set.
    pub fn has(self, construct: Construct) -> bool {
        self.0 & 1 << construct as u32 != 0
    }
}

/// What models look like.
#[derive(Clone, Debug)]
pub struct Config {
    /// Proctypes, at most; from 1.
    pub processes: usize,
    /// Statements of one body, about.
    pub statements: usize,
    /// Global variables beside arrays and structures, at most.
    pub globals: usize,
    /// Global channels, at most.
    pub channels: usize,
    /// Slots of a channel, at most.
    pub capacity: usize,
    /// Values are taken modulo this; from 2.
    pub values: usize,
    /// How deeply statements nest, at most.
    pub depth: usize,
    /// How many formulas come along.
    pub formulas: usize,
    /// How often, in percent, an expression is one that does not always have a value; at 0 there is none.
    pub partial: usize,
    /// What may occur.
    pub constructs: Constructs,
}

impl Default for Config {
    /// Everything, small.
    fn default() -> Config {
        Config {
            processes: 3,
            statements: 7,
            globals: 3,
            channels: 2,
            capacity: 2,
            values: 3,
            depth: 3,
            formulas: 2,
            partial: 0,
            constructs: Constructs::ALL,
        }
    }
}

impl Config {
    /// The default with a random choice of constructs and sizes.
    pub fn swarm(rng: &mut Rng) -> Config {
        let mut constructs = Constructs::NONE;
        let share = rng.within(15, 85);
        for &construct in Construct::ALL {
            if rng.chance(share) {
                constructs = constructs.with(construct);
            }
        }
        Config {
            processes: rng.within(1, 3),
            statements: rng.within(2, 9),
            globals: rng.within(1, 4),
            channels: rng.within(0, 3),
            capacity: rng.within(1, 2),
            values: rng.within(2, 3),
            depth: rng.within(1, 3),
            formulas: rng.within(0, 3),
            partial: 0,
            constructs,
        }
    }

    fn has(&self, construct: Construct) -> bool {
        self.constructs.has(construct)
    }
}

/// A model and properties over it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RandomModel {
    /// The text, without formulas.
    pub text: String,
    /// LTL formulas over its variables, channels and labels.
    pub formulas: Vec<String>,
}

impl RandomModel {
    /// The text with each formula as an `ltl` block, named `p0`, `p1` and so on.
    pub fn with_ltl(&self) -> String {
        let mut text = self.text.clone();
        for (index, formula) in self.formulas.iter().enumerate() {
            text.push_str(&format!("\nltl p{index} {{ {formula} }}\n"));
        }
        text
    }
}

/// The model that belongs to a seed.
pub fn model(seed: u64, config: &Config) -> RandomModel {
    World::new(Rng::seeded(seed), config).model()
}

/// The model that belongs to a seed, of a shape that belongs to it too.
pub fn swarm(seed: u64) -> RandomModel {
    let mut rng = Rng::seeded(seed);
    let config = Config::swarm(&mut rng);
    World::new(rng, &config).model()
}

/// The model that belongs to a seed, with expressions that do not always have a value, and neither assertions nor formulas:
/// what can go wrong in it is that one of them is evaluated where it has none, or that it ends where it should not.
pub fn partial(seed: u64) -> RandomModel {
    // Not the numbers of the other kinds of model.
    let mut rng = Rng::seeded(seed ^ 0x9a27_0000_0000_0000);
    let swarm = Config::swarm(&mut rng);
    let config = Config {
        partial: rng.within(4, 16),
        formulas: 0,
        constructs: swarm
            .constructs
            .with(Construct::Arrays)
            .without(Construct::Assert),
        ..swarm
    };
    World::new(rng, &config).model()
}

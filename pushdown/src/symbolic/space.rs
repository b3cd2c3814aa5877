//! The BDD variables of a network, and the operations on BDDs with a limit on nodes.
//!
//! Every global bit has five copies, next to each other in the variable order: its value now, its value after a step, its
//! value when the context started ([`Copy::Start`]), and its values at two calls (`A`, the callee's; `B`, the caller's).
//! Every local bit has five too; where a global has `Start`, a local has the value in the other frame that a rule makes
//! ([`Copy::Other`]): the frame below for a push, the new thread's for a spawn.
//!
//! A BDD operation fails when the nodes are used up. Then garbage is collected and the operation tried once more; if it
//! fails again, [`Error::Nodes`] is the result of the whole computation. Nothing panics. One operation runs to its end or to the
//! limit on nodes; who has to stop earlier asks between operations ([`Space::stop_when`]).

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::util::num::F64;
use oxidd::util::{AllocResult, OptBool, SatCountCache};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager,
    ManagerRef, Subst,
};
use rustc_hash::FxHasher;
use std::cell::{Cell, OnceCell};
use std::fmt;

/// A set or relation as a BDD.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd(BCDDFunction);

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a BDD with {} nodes", self.0.node_count())
    }
}

/// Why a computation did not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// More BDD nodes were needed than allowed.
    Nodes(usize),
    /// The caller asked to stop.
    Stopped,
    /// More view tuples were needed than allowed.
    Tuples(usize),
    /// The network is not well formed.
    Network(String),
    /// A result did not pass its own check: a fault of this program.
    Unconfirmed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Nodes(limit) => write!(f, "the limit of {limit} BDD nodes was reached"),
            Error::Stopped => write!(f, "stopped"),
            Error::Tuples(limit) => write!(f, "the limit of {limit} view tuples was reached"),
            Error::Network(what) => write!(f, "{what}"),
            Error::Unconfirmed(what) => write!(f, "a result could not be confirmed: {what}"),
        }
    }
}

impl std::error::Error for Error {}

/// The result of a computation with BDDs.
pub type Result<T> = std::result::Result<T, Error>;

/// A bit of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bit {
    /// A bit of the shared state.
    Global(usize),
    /// A bit of a stack frame.
    Local(usize),
}

/// Which copy of a bit a BDD variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Copy {
    /// Globals: the value at the start of the context.
    Start = 0,
    /// The value before a step.
    Now = 1,
    /// The value after a step, of the topmost frame.
    Next = 2,
    /// The value at the entry of the callee.
    A = 3,
    /// The value at the entry of the caller.
    B = 4,
}

#[allow(non_upper_case_globals)]
impl Copy {
    /// Locals: the value in the other frame that a rule makes.
    pub const Other: Copy = Copy::Start;
}

const COPIES: usize = 5;

/// Values of all bits of one kind.
pub type Bits = Vec<bool>;

/// The BDD variables of a network.
pub struct Space {
    manager: BCDDManagerRef,
    globals: usize,
    locals: usize,
    /// For each bit its position in the variable order.
    global_position: Vec<usize>,
    local_position: Vec<usize>,
    variables: Vec<Bdd>,
    truth: Bdd,
    falsehood: Bdd,
    limit: usize,
    peak: Cell<usize>,
    /// Asked before every operation.
    stop: OnceCell<Box<dyn Fn() -> bool>>,
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} global and {} local bits", self.globals, self.locals)
    }
}

impl fmt::Debug for Rename {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rename")
    }
}

/// A replacement of variables by others.
pub struct Rename(Subst<BCDDFunction>);

impl Space {
    /// Variables for so many global and local bits, in `order`, with at most `limit` BDD nodes.
    pub fn new(globals: usize, locals: usize, order: &[Bit], limit: usize) -> Result<Space> {
        let mut global_position = vec![usize::MAX; globals];
        let mut local_position = vec![usize::MAX; locals];
        for (position, bit) in order.iter().enumerate() {
            let slot = match bit {
                Bit::Global(bit) => global_position.get_mut(*bit),
                Bit::Local(bit) => local_position.get_mut(*bit),
            };
            let slot = slot.ok_or_else(|| Error::Network(format!("{bit:?} is out of range")))?;
            *slot = position;
        }
        let mut positions = global_position.iter().chain(&local_position);
        if order.len() != globals + locals || positions.any(|p| *p == usize::MAX) {
            return Err(Error::Network(
                "the order does not have every bit once".to_owned(),
            ));
        }
        let count = order.len() * COPIES;
        // The variables themselves and the terminals are nodes too.
        let capacity = limit.max(count + 64);
        let manager = oxidd::bcdd::new_manager(capacity, (limit / 4).clamp(1 << 10, 1 << 20), 1);
        let made = manager.with_manager_exclusive(|m| -> AllocResult<_> {
            m.add_vars(count as u32);
            let variables: AllocResult<Vec<Bdd>> = (0..count)
                .map(|v| BCDDFunction::var(m, v as u32).map(Bdd))
                .collect();
            Ok((variables?, Bdd(BCDDFunction::t(m)), Bdd(BCDDFunction::f(m))))
        });
        let (variables, truth, falsehood) = made.map_err(|_| Error::Nodes(limit))?;
        let peak = Cell::new(0);
        Ok(Space {
            manager,
            globals,
            locals,
            global_position,
            local_position,
            variables,
            truth,
            falsehood,
            limit,
            peak,
            stop: OnceCell::new(),
        })
    }

    /// Before every operation from now on `stop` is asked whether to give up. Only the first call counts.
    pub fn stop_when(&self, stop: impl Fn() -> bool + 'static) {
        let _ = self.stop.set(Box::new(stop));
    }

    /// The number of global bits.
    pub fn globals(&self) -> usize {
        self.globals
    }

    /// The number of local bits.
    pub fn locals(&self) -> usize {
        self.locals
    }

    /// The number of the variable for a copy of a bit.
    pub(crate) fn number(&self, bit: Bit, copy: Copy) -> usize {
        let position = match bit {
            Bit::Global(bit) => self.global_position[bit],
            Bit::Local(bit) => self.local_position[bit],
        };
        position * COPIES + copy as usize
    }

    /// The variable for a copy of a bit.
    pub fn variable(&self, bit: Bit, copy: Copy) -> &Bdd {
        &self.variables[self.number(bit, copy)]
    }

    /// The set of everything.
    pub fn all(&self) -> Bdd {
        self.truth.clone()
    }

    /// The empty set.
    pub fn none(&self) -> Bdd {
        self.falsehood.clone()
    }

    /// Whether a set is empty.
    pub fn is_none(&self, set: &Bdd) -> bool {
        *set == self.falsehood
    }

    fn run(&self, operation: impl Fn() -> AllocResult<BCDDFunction>) -> Result<Bdd> {
        if self.stop.get().is_some_and(|stop| stop()) {
            return Err(Error::Stopped);
        }
        let result = operation().or_else(|_| {
            self.peak.set(self.limit);
            self.manager.with_manager_shared(|m| m.gc());
            operation().map_err(|_| Error::Nodes(self.limit))
        });
        result.map(Bdd)
    }

    /// Both.
    pub fn and(&self, a: &Bdd, b: &Bdd) -> Result<Bdd> {
        self.run(|| a.0.and(&b.0))
    }

    /// Either.
    pub fn or(&self, a: &Bdd, b: &Bdd) -> Result<Bdd> {
        self.run(|| a.0.or(&b.0))
    }

    /// The complement.
    pub fn not(&self, a: &Bdd) -> Result<Bdd> {
        self.run(|| a.0.not())
    }

    /// In the first, not in the second.
    pub fn minus(&self, a: &Bdd, b: &Bdd) -> Result<Bdd> {
        self.run(|| b.0.imp_strict(&a.0))
    }

    /// Exactly one of both.
    pub fn xor(&self, a: &Bdd, b: &Bdd) -> Result<Bdd> {
        self.run(|| a.0.xor(&b.0))
    }

    /// Both or none.
    pub fn same(&self, a: &Bdd, b: &Bdd) -> Result<Bdd> {
        self.run(|| a.0.equiv(&b.0))
    }

    /// The second where the first holds, the third elsewhere.
    pub fn choose(&self, condition: &Bdd, then: &Bdd, otherwise: &Bdd) -> Result<Bdd> {
        self.run(|| condition.0.ite(&then.0, &otherwise.0))
    }

    /// Whether the first is a subset of the second.
    pub fn is_subset(&self, a: &Bdd, b: &Bdd) -> Result<bool> {
        Ok(a == b || self.is_none(&self.minus(a, b)?))
    }

    /// Without the variables of `cube`.
    pub fn exists(&self, set: &Bdd, cube: &Bdd) -> Result<Bdd> {
        self.run(|| set.0.exists(&cube.0))
    }

    /// Both, without the variables of `cube`.
    pub fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> Result<Bdd> {
        self.run(|| a.0.apply_exists(BooleanOperator::And, &b.0, &cube.0))
    }

    /// With variables replaced.
    pub fn rename(&self, set: &Bdd, rename: &Rename) -> Result<Bdd> {
        self.run(|| set.0.substitute(&rename.0))
    }

    /// A replacement of each first variable by the second.
    pub fn renaming(&self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Rename {
        let (from, to): (Vec<u32>, Vec<BCDDFunction>) = pairs
            .into_iter()
            .map(|(a, b)| (a as u32, self.variables[b].0.clone()))
            .unzip();
        Rename(Subst::new(from, to))
    }

    /// The conjunction of variables, for quantification.
    pub fn cube(&self, variables: impl IntoIterator<Item = usize>) -> Result<Bdd> {
        let mut numbers: Vec<usize> = variables.into_iter().collect();
        numbers.sort_unstable();
        let from_below = numbers.iter().rev();
        from_below
            .map(|v| &self.variables[*v])
            .try_fold(self.all(), |cube, v| self.and(v, &cube))
    }

    /// The global bits.
    pub fn global_bits(&self) -> impl Iterator<Item = Bit> + use<> {
        (0..self.globals).map(Bit::Global)
    }

    /// The local bits.
    pub fn local_bits(&self) -> impl Iterator<Item = Bit> + use<> {
        (0..self.locals).map(Bit::Local)
    }

    /// The variables of one copy of some bits.
    pub fn copies(&self, bits: impl IntoIterator<Item = Bit>, copy: Copy) -> Vec<usize> {
        bits.into_iter().map(|bit| self.number(bit, copy)).collect()
    }

    /// That two copies of some bits are equal.
    pub fn equal(&self, bits: impl IntoIterator<Item = Bit>, a: Copy, b: Copy) -> Result<Bdd> {
        let mut bits: Vec<usize> = bits
            .into_iter()
            .map(|bit| self.number(bit, Copy::Start))
            .collect();
        bits.sort_unstable();
        let mut all = self.all();
        for base in bits.into_iter().rev() {
            let same = self.same(
                &self.variables[base + a as usize],
                &self.variables[base + b as usize],
            )?;
            all = self.and(&same, &all)?;
        }
        Ok(all)
    }

    /// That a copy of some bits has these values.
    pub fn values(
        &self,
        bits: impl IntoIterator<Item = Bit>,
        copy: Copy,
        values: &[bool],
    ) -> Result<Bdd> {
        let mut literals: Vec<(usize, bool)> = bits
            .into_iter()
            .map(|bit| self.number(bit, copy))
            .zip(values.iter().copied())
            .collect();
        literals.sort_unstable();
        let mut all = self.all();
        for (variable, value) in literals.into_iter().rev() {
            let variable = &self.variables[variable];
            all = match value {
                true => self.and(variable, &all)?,
                false => self.minus(&all, variable)?,
            };
        }
        Ok(all)
    }

    /// That the globals have these values.
    pub fn globals_are(&self, copy: Copy, values: &[bool]) -> Result<Bdd> {
        self.values(self.global_bits(), copy, values)
    }

    /// That the locals have these values.
    pub fn locals_are(&self, copy: Copy, values: &[bool]) -> Result<Bdd> {
        self.values(self.local_bits(), copy, values)
    }

    /// How many assignments satisfy `set`, as a fraction of all: to compare sizes.
    pub(crate) fn share(&self, set: &Bdd) -> f64 {
        let mut cache = SatCountCache::<F64, std::hash::BuildHasherDefault<FxHasher>>::default();
        let count = set.0.sat_count(self.variables.len() as u32, &mut cache).0;
        count / (self.variables.len() as f64).exp2()
    }

    /// Values of all variables that satisfy `set`; those that do not matter are false.
    pub(crate) fn pick(&self, set: &Bdd) -> Option<Assignment> {
        let cube = set.0.pick_cube(|_, _, _| false)?;
        Some(Assignment(
            cube.into_iter()
                .map(|value| value == OptBool::True)
                .collect(),
        ))
    }

    /// The values of the globals in an assignment.
    pub(crate) fn picked_globals(&self, assignment: &Assignment, copy: Copy) -> Bits {
        self.global_bits()
            .map(|bit| assignment.0[self.number(bit, copy)])
            .collect()
    }

    /// The values of the locals in an assignment.
    pub(crate) fn picked_locals(&self, assignment: &Assignment, copy: Copy) -> Bits {
        self.local_bits()
            .map(|bit| assignment.0[self.number(bit, copy)])
            .collect()
    }

    /// Whether `set` holds under values of some variables; the others are false.
    pub(crate) fn holds(&self, set: &Bdd, values: impl IntoIterator<Item = (usize, bool)>) -> bool {
        let mut all = vec![false; self.variables.len()];
        for (variable, value) in values {
            all[variable] = value;
        }
        set.0.eval(
            all.into_iter()
                .zip(0..)
                .map(|(value, variable)| (variable, value)),
        )
    }

    /// Notes how many nodes there are now.
    pub(crate) fn note_peak(&self) {
        let now = self.manager.with_manager_shared(|m| m.num_inner_nodes());
        self.peak.set(self.peak.get().max(now));
    }

    /// The most nodes that there were at one of the places where they are counted.
    pub fn peak(&self) -> usize {
        self.peak.get()
    }
}

/// Values of all BDD variables.
#[derive(Debug)]
pub(crate) struct Assignment(Vec<bool>);

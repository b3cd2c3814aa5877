//! A small package of reduced ordered binary decision diagrams (Bryant 1986).
//!
//! Inside the translator the label of an edge is a diagram, because equality and implication of
//! labels are then exact and cheap, and because the tableau of [`crate::translate`] *is* a diagram
//! over atoms and obligations. Variables below [`ATOMS`] are the atoms and stand above all
//! others in every diagram; [`Bdds::split_atoms`] relies on that.
//!
//! Nothing is ever freed: a manager lives as long as one translation. Diagrams and sums of cubes can
//! be exponentially large, so there is a bound; beyond it the manager is *exhausted*, answers
//! anything, quickly, and the caller must look at [`Bdds::is_exhausted`] before using a result.

use crate::formula::Formulas;
use crate::label::{Cube, Label};
use crate::watch::Watch;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The number of variables that are atoms: variable i is atom i.
pub(crate) const ATOMS: u32 = 64;

/// A diagram of some [`Bdds`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bdd(u32);

impl Bdd {
    pub(crate) const FALSE: Bdd = Bdd(0);
    pub(crate) const TRUE: Bdd = Bdd(1);
}

#[derive(Copy, Clone)]
struct Branch {
    var: u32,
    low: Bdd,
    high: Bdd,
}

/// A product of literals of atoms and of other variables, the latter positive.
#[derive(Clone, Default)]
pub(crate) struct Product {
    pub(crate) cube: Cube,
    pub(crate) others: Vec<u32>,
}

impl Product {
    fn with(mut self, var: u32, value: bool) -> Self {
        if var < ATOMS {
            self.cube = self.cube.with(var, value);
        } else {
            // Never negated: the function is monotone in what is not an atom.
            self.others.push(var);
        }
        self
    }
}

/// The manager: unique table and cache of results.
pub(crate) struct Bdds {
    nodes: Vec<Branch>,
    unique: FxHashMap<(u32, Bdd, Bdd), Bdd>,
    ite: FxHashMap<(Bdd, Bdd, Bdd), Bdd>,
    exhausted: bool,
    watch: Watch,
    /// Whether the manager is exhausted because nobody wants a result any more.
    stopped: bool,
    /// Units of work until the watch is asked again.
    until_asked: usize,
}

/// Units of work between two questions whether to give up; each takes a few dozen nanoseconds.
const ASKED_EVERY: usize = 1 << 14;

/// The largest number of nodes of a manager.
const MAX_NODES: usize = 1 << 19;

/// The largest number of products in a sum.
const MAX_PRODUCTS: usize = 1 << 13;

impl Bdds {
    pub(crate) fn new() -> Self {
        let leaf = |b| Branch {
            var: u32::MAX,
            low: b,
            high: b,
        };
        Bdds {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            unique: FxHashMap::default(),
            ite: FxHashMap::default(),
            exhausted: false,
            watch: Watch::default(),
            stopped: false,
            until_asked: ASKED_EVERY,
        }
    }

    /// A manager that is exhausted when translating these formulas is to be given up.
    pub(crate) fn of(formulas: &Formulas) -> Self {
        Bdds {
            watch: formulas.watch.clone(),
            ..Bdds::new()
        }
    }

    /// Whether the manager is exhausted because it was told to give up.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Accounts for work.
    fn work(&mut self, units: usize) {
        match self.until_asked.checked_sub(units) {
            Some(left) => self.until_asked = left,
            None => {
                self.until_asked = ASKED_EVERY;
                self.stopped |= self.watch.says_stop();
                self.exhausted |= self.stopped;
            }
        }
    }

    /// Whether results since the bound was hit are worthless.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    fn branch(&self, b: Bdd) -> Branch {
        self.nodes[b.0 as usize]
    }

    fn make(&mut self, var: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        if let Some(&known) = self.unique.get(&(var, low, high)) {
            return known;
        }
        self.exhausted |= self.nodes.len() >= MAX_NODES;
        if self.exhausted {
            return Bdd::FALSE;
        }
        let made = Bdd(self.nodes.len() as u32);
        self.nodes.push(Branch { var, low, high });
        self.unique.insert((var, low, high), made);
        made
    }

    pub(crate) fn var(&mut self, var: u32) -> Bdd {
        self.make(var, Bdd::FALSE, Bdd::TRUE)
    }

    /// `if c then t else e`.
    pub(crate) fn ite(&mut self, c: Bdd, t: Bdd, e: Bdd) -> Bdd {
        if c == Bdd::TRUE || t == e {
            return t;
        }
        if c == Bdd::FALSE {
            return e;
        }
        if t == Bdd::TRUE && e == Bdd::FALSE {
            return c;
        }
        if let Some(&known) = self.ite.get(&(c, t, e)) {
            return known;
        }
        self.work(1);
        if self.exhausted {
            return Bdd::FALSE;
        }
        let var = [c, t, e].map(|b| self.branch(b).var).into_iter().min();
        let var = var.expect("three diagrams");
        let [c0, t0, e0] = [c, t, e].map(|b| self.cofactor(b, var, false));
        let [c1, t1, e1] = [c, t, e].map(|b| self.cofactor(b, var, true));
        let low = self.ite(c0, t0, e0);
        let high = self.ite(c1, t1, e1);
        let made = self.make(var, low, high);
        self.ite.insert((c, t, e), made);
        made
    }

    /// The cofactor by a variable that is not below the root.
    fn cofactor(&self, b: Bdd, var: u32, value: bool) -> Bdd {
        let branch = self.branch(b);
        match (branch.var == var, value) {
            (false, _) => b,
            (true, false) => branch.low,
            (true, true) => branch.high,
        }
    }

    pub(crate) fn not(&mut self, b: Bdd) -> Bdd {
        self.ite(b, Bdd::FALSE, Bdd::TRUE)
    }

    pub(crate) fn and(&mut self, b: Bdd, c: Bdd) -> Bdd {
        let (b, c) = (b.min(c), b.max(c));
        self.ite(b, c, Bdd::FALSE)
    }

    pub(crate) fn or(&mut self, b: Bdd, c: Bdd) -> Bdd {
        let (b, c) = (b.min(c), b.max(c));
        self.ite(b, Bdd::TRUE, c)
    }

    /// `b` without `c`.
    pub(crate) fn minus(&mut self, b: Bdd, c: Bdd) -> Bdd {
        self.ite(c, Bdd::FALSE, b)
    }

    /// `b` where variable `var` has that value.
    pub(crate) fn with(&mut self, b: Bdd, var: u32, value: bool) -> Bdd {
        self.restrict(b, (var, value), &mut FxHashMap::default())
    }

    fn restrict(&mut self, b: Bdd, to: (u32, bool), done: &mut FxHashMap<Bdd, Bdd>) -> Bdd {
        if b == Bdd::FALSE || b == Bdd::TRUE {
            return b;
        }
        let Branch { var, low, high } = self.nodes[b.0 as usize];
        if var >= to.0 {
            return match to {
                (it, true) if it == var => high,
                (it, false) if it == var => low,
                _ => b,
            };
        }
        if let Some(&known) = done.get(&b) {
            return known;
        }
        let (low, high) = (self.restrict(low, to, done), self.restrict(high, to, done));
        let top = self.var(var);
        let result = self.ite(top, high, low);
        done.insert(b, result);
        result
    }

    pub(crate) fn implies(&mut self, b: Bdd, c: Bdd) -> bool {
        self.ite(b, c, Bdd::TRUE) == Bdd::TRUE
    }

    /// Splits a diagram at the boundary between atoms and other variables: pairs of a diagram
    /// without atoms and the condition on atoms under which `b` is that diagram. The conditions
    /// partition the valuations. `None` if there are more than `limit` parts.
    pub(crate) fn split_atoms(&mut self, b: Bdd, limit: usize) -> Option<Vec<(Bdd, Bdd)>> {
        // The condition of each node on the way down, variable by variable.
        let mut pending = BTreeMap::from([((self.branch(b).var, b), Bdd::TRUE)]);
        let mut parts = Vec::new();
        while let Some(((var, b), condition)) = pending.pop_first() {
            if parts.len() + pending.len() >= limit {
                return None;
            }
            if var >= ATOMS {
                parts.push((b, condition));
                continue;
            }
            let Branch { low, high, .. } = self.branch(b);
            let here = self.var(var);
            for (side, condition) in [
                (low, self.minus(condition, here)),
                (high, self.and(condition, here)),
            ] {
                let key = (self.branch(side).var, side);
                let known = *pending.get(&key).unwrap_or(&Bdd::FALSE);
                let sum = self.or(known, condition);
                pending.insert(key, sum);
            }
        }
        Some(parts)
    }

    /// The prime implicants of a diagram in which every variable occurs positively only, each as
    /// an ascending list of variables. They are unique, and together they are the function.
    pub(crate) fn monotone_primes(&mut self, b: Bdd) -> Vec<Vec<u32>> {
        let mut memo = FxHashMap::default();
        self.primes(b, &mut memo)
    }

    fn primes(&mut self, b: Bdd, memo: &mut FxHashMap<Bdd, Vec<Vec<u32>>>) -> Vec<Vec<u32>> {
        if b == Bdd::FALSE || self.exhausted {
            return Vec::new();
        }
        if b == Bdd::TRUE {
            return vec![Vec::new()];
        }
        if let Some(known) = memo.get(&b) {
            return known.clone();
        }
        let Branch { var, low, high } = self.branch(b);
        let mut primes = self.primes(low, memo);
        let without = primes.len();
        for prime in self.primes(high, memo) {
            self.work(1 + without);
            let absorbed = |p: &Vec<u32>| p.iter().all(|v| prime.contains(v));
            if !primes[..without].iter().any(absorbed) {
                primes.push([vec![var], prime].concat());
            }
            if self.exhausted {
                break;
            }
        }
        self.exhausted |= primes.len() > MAX_PRODUCTS;
        memo.insert(b, primes.clone());
        primes
    }

    /// The diagram of a label.
    pub(crate) fn label(&mut self, label: &Label) -> Bdd {
        let mut sum = Bdd::FALSE;
        for cube in label.cubes() {
            let cube = self.cube(*cube);
            sum = self.or(sum, cube);
        }
        sum
    }

    /// The diagram of a cube.
    pub(crate) fn cube(&mut self, cube: Cube) -> Bdd {
        let mut product = Bdd::TRUE;
        for var in (0..ATOMS).rev() {
            let bit = 1 << var;
            if cube.positive() & bit != 0 {
                product = self.make(var, Bdd::FALSE, product);
            }
            if cube.negative() & bit != 0 {
                product = self.make(var, product, Bdd::FALSE);
            }
        }
        product
    }

    /// An irredundant sum of prime cubes equal to a diagram over atoms only.
    pub(crate) fn cubes(&mut self, b: Bdd) -> Label {
        let products = self.isop(b, b).0;
        Label::from_cubes(products.into_iter().map(|p| p.cube).collect())
    }

    /// An irredundant sum of prime products equal to a diagram that is monotone in the variables
    /// that are not atoms.
    pub(crate) fn products(&mut self, b: Bdd) -> Vec<Product> {
        self.isop(b, b).0
    }

    /// A sum of products between `lower` and `upper`, and its diagram (Minato 1993).
    fn isop(&mut self, lower: Bdd, upper: Bdd) -> (Vec<Product>, Bdd) {
        if lower == Bdd::FALSE || self.exhausted {
            return (Vec::new(), Bdd::FALSE);
        }
        if upper == Bdd::TRUE {
            return (vec![Product::default()], Bdd::TRUE);
        }
        self.work(1);
        let var = self.branch(lower).var.min(self.branch(upper).var);
        let [l0, u0] = [lower, upper].map(|b| self.cofactor(b, var, false));
        let [l1, u1] = [lower, upper].map(|b| self.cofactor(b, var, true));
        let only0 = self.minus(l0, u1);
        let (products0, sum0) = self.isop(only0, u0);
        let only1 = self.minus(l1, u0);
        let (products1, sum1) = self.isop(only1, u1);
        let rest0 = self.minus(l0, sum0);
        let rest1 = self.minus(l1, sum1);
        let rest = self.or(rest0, rest1);
        let both = self.and(u0, u1);
        let (mut products, common) = self.isop(rest, both);
        products.extend(products0.into_iter().map(|p| p.with(var, false)));
        products.extend(products1.into_iter().map(|p| p.with(var, true)));
        self.exhausted |= products.len() > MAX_PRODUCTS;
        let literal = self.make(var, sum0, sum1);
        (products, self.or(common, literal))
    }

    /// One valuation of the atoms in the support of a satisfiable diagram over atoms, as a diagram:
    /// a product of literals that implies it.
    pub(crate) fn one_letter(&mut self, b: Bdd) -> Bdd {
        let Branch { var, low, high } = self.branch(b);
        if b == Bdd::TRUE || b == Bdd::FALSE {
            b
        } else if low == Bdd::FALSE {
            let rest = self.one_letter(high);
            self.make(var, Bdd::FALSE, rest)
        } else {
            let rest = self.one_letter(low);
            self.make(var, rest, Bdd::FALSE)
        }
    }

    /// Splits `parts`, a partition of some set of valuations, so that `b` is constant on each.
    pub(crate) fn refine(&mut self, parts: &mut Vec<Bdd>, b: Bdd) {
        for i in 0..parts.len() {
            let inside = self.and(parts[i], b);
            if inside != Bdd::FALSE && inside != parts[i] {
                let outside = self.minus(parts[i], b);
                parts[i] = inside;
                parts.push(outside);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label() -> impl Strategy<Value = Label> {
        let cube = (0..16u64, 0..16u64).prop_map(|(p, n)| Cube::new(p & !n, n));
        prop::collection::vec(cube, 0..6).prop_map(Label::from_cubes)
    }

    proptest! {
        #[test]
        fn labels_survive_the_round_trip(label in label()) {
            let mut bdds = Bdds::new();
            let b = bdds.label(&label);
            let back = bdds.cubes(b);
            for letter in 0..16 {
                prop_assert_eq!(back.eval(letter), label.eval(letter));
            }
            prop_assert_eq!(bdds.label(&back), b);
            let letter = bdds.one_letter(b);
            prop_assert!(bdds.implies(letter, b) && (letter == Bdd::FALSE) == (b == Bdd::FALSE));
            prop_assert!(bdds.cubes(letter).cubes().len() <= 1);
        }

        #[test]
        fn operations_agree_with_evaluation(f in label(), g in label()) {
            let mut bdds = Bdds::new();
            let (b, c) = (bdds.label(&f), bdds.label(&g));
            let (and, or, minus) = (bdds.and(b, c), bdds.or(b, c), bdds.minus(b, c));
            let [and, or, minus] = [and, or, minus].map(|d| bdds.cubes(d));
            let mut implied = true;
            for v in 0..16 {
                prop_assert_eq!(and.eval(v), f.eval(v) && g.eval(v));
                prop_assert_eq!(or.eval(v), f.eval(v) || g.eval(v));
                prop_assert_eq!(minus.eval(v), f.eval(v) && !g.eval(v));
                implied &= !f.eval(v) || g.eval(v);
            }
            prop_assert_eq!(bdds.implies(b, c), implied);
        }
    }
}

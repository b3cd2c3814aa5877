//! From a formula to a transition-based generalised Büchi automaton (Couvreur 1999).
//!
//! A state is a formula in negation normal form that the rest of the word must satisfy. Its
//! one-step unfolding is a decision diagram over three kinds of variables: atoms (the letter read
//! now), `Next[g]` (obligations on the rest), and `Promise[g]` (an eventuality g that was put off):
//!
//! ```text
//! f U g   =  g  or  f and Promise[g] and Next[f U g]          f R g  =  g and (f or Next[f R g])
//! f W g   =  g  or  f and Next[f W g]                         f M g  =  g and (f or Promise[f] and Next[f M g])
//! [] f    =  f and Next[[] f]                                 <> g   =  g or Promise[g] and Next[<> g]
//! ```
//!
//! Atoms stand above the other variables in the diagram, so for each letter the remaining diagram
//! is at hand; it is monotone, and each of its prime implicants is one edge. An edge carries the
//! mark of g unless it promises g; a run that keeps putting g off never sees the mark again.
//!
//! Obligations are not rewritten on the way: an eventuality that is rewritten at every other step
//! would be promised under two names in turn, and neither mark would ever be missed.
//!
//! Two states with the same unfolding are one state: the diagram is canonical. Under `[]`, an
//! eventuality in a conjunction needs no Next of its own, since the `[]` repeats it.

use crate::bdd::{ATOMS, Bdd, Bdds};
use crate::formula::{Atom, Formula, Formulas, Node};
use crate::tgba::{Edge, Marks, Tgba};
use crate::translate::{Error, MAX_STATES, check};
use rustc_hash::FxHashMap;

/// The largest number of edges that the tableau will build.
const MAX_EDGES: usize = 100_000;

/// States that leave more different obligations, depending on the letter, are split coarsely.
const MAX_PARTS: usize = 512;

/// A variable of the unfolding that is not an atom.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Obligation {
    Next(Formula),
    Promise(Formula),
}

/// How the unfolding of a state becomes edges.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Letter by letter, which avoids needless choice between obligations; as long as that is
    /// feasible.
    Letters,
    /// As a sum of products, which has fewer edges and leaves more choice. Now and then this is the
    /// better start for simulation.
    Products,
}

/// The automaton of `f`, which must be in negation normal form.
pub(crate) fn build(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    f: Formula,
    style: Style,
) -> Result<Tgba, Error> {
    let mut tableau = Tableau {
        style,
        formulas,
        bdds,
        obligations: Vec::new(),
        variables: FxHashMap::default(),
        unfoldings: FxHashMap::default(),
        promises: 0,
        states: FxHashMap::default(),
        todo: Vec::new(),
    };
    tableau.state(f)?;
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    let mut count = 0;
    while edges.len() < tableau.todo.len() {
        let unfolding = tableau.todo[edges.len()];
        let out = tableau.edges(unfolding)?;
        count += out.len();
        edges.push(out);
        let large = tableau.todo.len() > MAX_STATES || count > MAX_EDGES;
        check(tableau.bdds)?;
        if large {
            return Err(Error::TooLarge);
        }
    }
    // Edges were built with the promises they make; they carry the marks of all others.
    let all = Marks::MAX.checked_shr(64 - tableau.promises).unwrap_or(0);
    for edge in edges.iter_mut().flatten() {
        edge.marks = all & !edge.marks;
    }
    let initial = vec![0];
    Ok(Tgba {
        all,
        initial,
        edges,
    })
}

struct Tableau<'a> {
    style: Style,
    formulas: &'a mut Formulas,
    bdds: &'a mut Bdds,
    /// What each variable from [`ATOMS`] up stands for, and for promises which mark.
    obligations: Vec<(Obligation, u32)>,
    variables: FxHashMap<Obligation, Bdd>,
    unfoldings: FxHashMap<Formula, Bdd>,
    promises: u32,
    states: FxHashMap<Bdd, usize>,
    /// The unfolding of each state.
    todo: Vec<Bdd>,
}

impl Tableau<'_> {
    fn variable(&mut self, obligation: Obligation) -> Result<Bdd, Error> {
        if let Some(&known) = self.variables.get(&obligation) {
            return Ok(known);
        }
        let number = match obligation {
            Obligation::Next(_) => 0,
            Obligation::Promise(_) if self.promises == 64 => {
                return Err(Error::TooManyEventualities);
            }
            Obligation::Promise(_) => {
                self.promises += 1;
                self.promises - 1
            }
        };
        let var = self.bdds.var(ATOMS + self.obligations.len() as u32);
        self.obligations.push((obligation, number));
        self.variables.insert(obligation, var);
        Ok(var)
    }

    /// The unfolding of `f`.
    fn unfold(&mut self, f: Formula) -> Result<Bdd, Error> {
        if let Some(&known) = self.unfoldings.get(&f) {
            return Ok(known);
        }
        let again = Obligation::Next(f);
        let unfolding = match self.formulas.node(f).clone() {
            Node::Next(g) => self.variable(Obligation::Next(g))?,
            Node::Always(g) => {
                let now = self.unfold_repeated(g)?;
                let again = self.variable(again)?;
                self.bdds.and(now, again)
            }
            Node::Eventually(g) => {
                let now = self.unfold(g)?;
                let later = self.put_off(g, again)?;
                self.bdds.or(now, later)
            }
            Node::Until(g, h) => {
                let (hold, now) = (self.unfold(g)?, self.unfold(h)?);
                let later = self.put_off(h, again)?;
                let later = self.bdds.and(hold, later);
                self.bdds.or(now, later)
            }
            Node::WeakUntil(g, h) => {
                let (hold, now) = (self.unfold(g)?, self.unfold(h)?);
                let later = self.variable(again)?;
                let later = self.bdds.and(hold, later);
                self.bdds.or(now, later)
            }
            Node::Release(g, h) => {
                let (release, hold) = (self.unfold(g)?, self.unfold(h)?);
                let later = self.variable(again)?;
                let either = self.bdds.or(release, later);
                self.bdds.and(hold, either)
            }
            Node::StrongRelease(g, h) => {
                let (release, hold) = (self.unfold(g)?, self.unfold(h)?);
                let later = self.put_off(g, again)?;
                let either = self.bdds.or(release, later);
                self.bdds.and(hold, either)
            }
            other => self.unfold_boolean(&other)?,
        };
        self.unfoldings.insert(f, unfolding);
        Ok(unfolding)
    }

    fn unfold_boolean(&mut self, node: &Node) -> Result<Bdd, Error> {
        match node {
            Node::False => Ok(Bdd::FALSE),
            Node::Atom(Atom(a)) if *a < ATOMS => Ok(self.bdds.var(*a)),
            Node::Atom(_) => Err(Error::TooManyAtoms),
            Node::Not(g) => {
                let positive = self.unfold(*g)?;
                Ok(self.bdds.not(positive))
            }
            Node::And(gs) => {
                let mut product = Bdd::TRUE;
                for &g in gs {
                    let unfolding = self.unfold(g)?;
                    product = self.bdds.and(product, unfolding);
                }
                Ok(product)
            }
            Node::Or(gs) => {
                let mut sum = Bdd::FALSE;
                for &g in gs {
                    let unfolding = self.unfold(g)?;
                    sum = self.bdds.or(sum, unfolding);
                }
                Ok(sum)
            }
            _ => {
                debug_assert_eq!(*node, Node::True, "negation normal form");
                Ok(Bdd::TRUE)
            }
        }
    }

    fn put_off(&mut self, eventuality: Formula, again: Obligation) -> Result<Bdd, Error> {
        let promise = self.variable(Obligation::Promise(eventuality))?;
        let again = self.variable(again)?;
        Ok(self.bdds.and(promise, again))
    }

    /// The unfolding of `f` where `f` is demanded again at the next step anyway.
    fn unfold_repeated(&mut self, f: Formula) -> Result<Bdd, Error> {
        match self.formulas.node(f).clone() {
            Node::And(gs) => {
                let mut product = Bdd::TRUE;
                for &g in &gs {
                    let unfolding = self.unfold_repeated(g)?;
                    product = self.bdds.and(product, unfolding);
                }
                Ok(product)
            }
            Node::Eventually(g) => {
                let now = self.unfold(g)?;
                let promise = self.variable(Obligation::Promise(g))?;
                Ok(self.bdds.or(now, promise))
            }
            Node::Until(g, h) => {
                let (hold, now) = (self.unfold(g)?, self.unfold(h)?);
                let promise = self.variable(Obligation::Promise(h))?;
                let later = self.bdds.and(hold, promise);
                Ok(self.bdds.or(now, later))
            }
            Node::StrongRelease(g, h) => {
                let (release, hold) = (self.unfold(g)?, self.unfold(h)?);
                let promise = self.variable(Obligation::Promise(g))?;
                let either = self.bdds.or(release, promise);
                Ok(self.bdds.and(hold, either))
            }
            _ => self.unfold(f),
        }
    }

    fn state(&mut self, f: Formula) -> Result<usize, Error> {
        let unfolding = self.unfold(f)?;
        let fresh = self.todo.len();
        let state = *self.states.entry(unfolding).or_insert(fresh);
        if state == fresh {
            self.todo.push(unfolding);
        }
        Ok(state)
    }

    /// The edges of the state with that unfolding; their marks are, for now, the promises made.
    fn edges(&mut self, unfolding: Bdd) -> Result<Vec<Edge>, Error> {
        let mut edges: Vec<Edge> = Vec::new();
        let mut places: FxHashMap<(usize, Marks), usize> = FxHashMap::default();
        for (label, obligations) in self.choices(unfolding) {
            let (mut promises, mut nexts) = (0, Vec::new());
            for var in obligations {
                match self.obligations[(var - ATOMS) as usize] {
                    (Obligation::Next(g), _) => nexts.push(g),
                    (Obligation::Promise(_), number) => promises |= 1 << number,
                }
            }
            let conjunction = crate::nnf::flat_and(self.formulas, nexts);
            let target = self.state(conjunction)?;
            let place = *places.entry((target, promises)).or_insert(edges.len());
            match edges.get_mut(place) {
                Some(edge) => edge.label = self.bdds.or(edge.label, label),
                None => edges.push(Edge {
                    label,
                    marks: promises,
                    target,
                }),
            }
        }
        Ok(edges)
    }

    /// The ways to satisfy an unfolding: some letters, and the obligations they leave.
    fn choices(&mut self, unfolding: Bdd) -> Vec<(Bdd, Vec<u32>)> {
        let parts = match self.style {
            Style::Letters => self.bdds.split_atoms(unfolding, MAX_PARTS),
            Style::Products => None,
        };
        match parts {
            Some(parts) => {
                let mut choices = Vec::new();
                for (rest, label) in parts {
                    let primes = self.bdds.monotone_primes(rest).into_iter();
                    choices.extend(primes.map(|prime| (label, prime)));
                }
                choices
            }
            None => {
                let products = self.bdds.products(unfolding).into_iter();
                products
                    .map(|p| (self.bdds.cube(p.cube), p.others))
                    .collect()
            }
        }
    }
}

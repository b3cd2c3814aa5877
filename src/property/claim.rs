//! `never` claims as automata.
//!
//! Locations are the states, the conditions of edges the atoms, `accept` labels the acceptance. A claim makes one step
//! before every step of the program, and a whole `atomic` sequence counts as one step: its conditions are read in the same
//! state, and a sequence that cannot be finished there is not begun. The closing brace is reached by a finite match, which
//! no continuation can take back, so there it accepts everything; an assertion that fails is such a match too (that is how
//! SPIN's translator writes the claims of safety formulas).

use super::{Conditions, MAX_ATOMS, Property, Unsupported, defined, within_bounds};
use ltl::{Buchi, Cube, Label, StateId, buchi, stutter};
use promela_lite::code::{Code, Instr};
use promela_lite::program::{Action, Claim, Edge, Graph, Loc, Program};

/// Steps of one `atomic` sequence of a claim, at most.
const MAX_CHAIN: usize = 64;

impl Property {
    /// A `never` claim.
    pub fn claim(program: &Program, claim: &Claim) -> Result<Property, Unsupported> {
        let mut conditions = Conditions::new(program);
        for edge in &claim.graph.edges {
            if let Some(code) = condition(program, edge)? {
                conditions.atom(&edge.text, code, &edge.footprint);
            }
        }
        if conditions.atoms.len() > MAX_ATOMS {
            return Err(Unsupported(format!(
                "a claim with more than {MAX_ATOMS} conditions (those that may be undefined count twice)"
            )));
        }
        let reader = Reader {
            graph: &claim.graph,
            conditions: &conditions,
        };
        let automaton = within_bounds(reader.automaton()?)?;
        let stutter_invariant = match stutter::automaton_is_invariant(&automaton) {
            stutter::Invariance::Invariant => true,
            stutter::Invariance::Sensitive | stutter::Invariance::Unknown => false,
        };
        Ok(Property {
            name: claim.name.clone(),
            automaton,
            undefined: Some(reader.undefined()),
            atoms: conditions.atoms,
            stutter_invariant,
            finite_runs: true,
            formula: None,
        })
    }
}

/// What an edge asks of a state: a guard, or an assertion.
fn condition(program: &Program, edge: &Edge) -> Result<Option<Code>, Unsupported> {
    let instrs = |code: Code| &program.instrs[code.range()];
    match edge.action {
        Action::Guard(code) if instrs(code).iter().any(|i| matches!(i, Instr::Timeout)) => {
            Err(Unsupported("a claim that asks for `timeout`".to_owned()))
        }
        Action::Guard(code) => Ok(Some(code)),
        Action::Skip | Action::Else | Action::End => Ok(None),
        Action::Effect(code) if edge.footprint.writes.is_empty() => match instrs(code) {
            [.., Instr::Assert(_)] => Ok(Some(Code {
                end: code.end - 1,
                ..code
            })),
            _ if edge.footprint.specials.asserts => Err(side_effects()),
            _ => Ok(None),
        },
        _ => Err(side_effects()),
    }
}

fn side_effects() -> Unsupported {
    Unsupported("a claim with side effects".to_owned())
}

struct Reader<'c> {
    graph: &'c Graph,
    conditions: &'c Conditions<'c>,
}

impl Reader<'_> {
    fn automaton(&self) -> Result<Buchi, Unsupported> {
        let mut states = Vec::new();
        for (index, location) in self.graph.locations.iter().enumerate() {
            let mut out = Vec::new();
            self.read(Loc(index as u32), Cube::TRUE, 0, &mut out)?;
            let ended = self
                .edges(Loc(index as u32))
                .any(|e| e.action == Action::End);
            states.push((location.accept || ended, out));
        }
        for sink in [self.failed(), self.undefined()] {
            states.push(accepts_everything(sink));
        }
        Buchi::new(vec![StateId(self.graph.start.0)], states)
            .ok_or_else(|| Unsupported("an empty claim".to_owned()))
    }

    /// Where an assertion has failed.
    fn failed(&self) -> StateId {
        StateId(self.graph.locations.len() as u32)
    }

    /// Where a condition was undefined.
    fn undefined(&self) -> StateId {
        StateId(self.failed().0 + 1)
    }

    fn edges(&self, at: Loc) -> impl Iterator<Item = &Edge> {
        self.graph.edges[self.graph.locations[at.index()].edges()].iter()
    }

    fn bit(&self, edge: &Edge) -> u64 {
        let atom = self.conditions.find(&edge.text);
        atom.map_or(0, |a| 1 << a.0)
    }

    /// The atom that says whether the condition of an edge is defined, if it may not be.
    fn defined_bit(&self, edge: &Edge) -> u64 {
        let atom = self.conditions.find(&edge.text);
        let defined = atom.and_then(|a| defined(&self.conditions.atoms, a));
        defined.map_or(0, |a| 1 << a.0)
    }

    /// The steps out of a location in states that satisfy `under`.
    fn read(
        &self,
        at: Loc,
        under: Cube,
        depth: usize,
        out: &mut Vec<buchi::Edge>,
    ) -> Result<(), Unsupported> {
        if depth > MAX_CHAIN {
            return Err(Unsupported(format!(
                "a claim with a loop, or more than {MAX_CHAIN} steps, inside `atomic`"
            )));
        }
        let guards = self
            .edges(at)
            .filter(|e| matches!(e.action, Action::Guard(_)));
        let any = guards.map(|e| self.bit(e)).fold(0, |all, b| all | b);
        let unconditional = self
            .edges(at)
            .any(|e| matches!(e.action, Action::Skip | Action::Effect(_)));
        for edge in self.edges(at) {
            let bit = self.bit(edge);
            // All options are tried: it is enough that one is undefined.
            let defined = self.defined_bit(edge);
            let not_defined = Cube::new(0, defined);
            push(out, under, not_defined, self.undefined(), defined != 0);
            let cube = match edge.action {
                Action::Guard(_) => Cube::new(bit, 0),
                Action::Effect(_) => {
                    push(out, under, Cube::new(0, bit), self.failed(), bit != 0);
                    Cube::new(bit, 0)
                }
                // Taken when nothing else can be.
                Action::Else if unconditional => continue,
                Action::Else => Cube::new(0, any),
                _ => Cube::TRUE,
            };
            if !under.meets(cube) {
                continue;
            }
            if edge.action == Action::End {
                push(out, under, cube, StateId(at.0), true);
            } else if edge.atomic {
                self.read(edge.to, both(under, cube), depth + 1, out)?;
            } else {
                push(out, under, cube, StateId(edge.to.0), true);
            }
        }
        Ok(())
    }
}

/// A state in which every continuation is accepted.
pub(super) fn accepts_everything(state: StateId) -> (bool, Vec<buchi::Edge>) {
    let everything = buchi::Edge {
        label: Label::always(),
        target: state,
    };
    (true, vec![everything])
}

fn both(a: Cube, b: Cube) -> Cube {
    Cube::new(a.positive() | b.positive(), a.negative() | b.negative())
}

fn push(out: &mut Vec<buchi::Edge>, under: Cube, cube: Cube, target: StateId, wanted: bool) {
    if wanted && under.meets(cube) {
        let label = Label::from_cubes(vec![both(under, cube)]);
        out.push(buchi::Edge { label, target });
    }
}

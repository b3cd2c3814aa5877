//! Visibility: which steps can change what a property looks at.
//!
//! A step is invisible when in no state it can change the value of any atom. That is decided per edge, before the search,
//! and errs on the side of visible. An atom looks at bytes of variables, at channels, at places of processes, at their
//! number; whatever else it looks at (enabledness, priorities, `_last`) makes everything visible.

use promela_lite::code::Instr;
use promela_lite::program::*;

/// For each proctype, which of its edges are visible.
#[derive(Clone, Debug)]
pub struct Visible {
    edges: Vec<Vec<bool>>,
}

impl Visible {
    /// Nothing is looked at: a search for failed assertions and end states.
    ///
    /// A call that was not expanded is visible all the same. The search goes on past it, but not behind it: if it were
    /// the only move that is made in a state, what other processes can do there would be lost.
    pub fn nothing(program: &Program) -> Visible {
        let mut visible = Visible {
            edges: program
                .proctypes
                .iter()
                .map(|p| vec![false; p.graph.edges.len()])
                .collect(),
        };
        let too_deep = |instr: &Instr| matches!(instr, Instr::CallTooDeep { .. });
        if program.instrs.iter().any(too_deep) {
            visible.mark(program, |_, edge| match edge.action {
                Action::Effect(code) => program.instrs[code.range()].iter().any(too_deep),
                _ => false,
            });
            visible.through_atomics(program);
        }
        visible
    }

    /// What these conditions look at.
    pub fn conditions<'a>(
        program: &Program,
        conditions: impl IntoIterator<Item = (&'a Footprint, promela_lite::code::Code)>,
    ) -> Visible {
        let mut visible = Visible::nothing(program);
        for (footprint, code) in conditions {
            visible.look(program, footprint, code);
        }
        visible.through_atomics(program);
        visible
    }

    /// Moves into and out of `accept` labels are looked at.
    pub fn acceptance(program: &Program) -> Visible {
        let mut visible = Visible::nothing(program);
        visible.mark_labels(program, false);
        visible.through_atomics(program);
        visible
    }

    fn mark_labels(&mut self, program: &Program, progress: bool) {
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let graph = &proctype.graph;
            let marked = |loc: Loc| {
                let location = &graph.locations[loc.index()];
                if progress {
                    location.progress
                } else {
                    location.accept
                }
            };
            for (edge_index, edge) in graph.edges.iter().enumerate() {
                self.edges[index][edge_index] |= marked(edge.from) || marked(edge.to);
            }
        }
    }

    /// A step that keeps control is as visible as what may follow it.
    fn through_atomics(&mut self, program: &Program) {
        for (index, proctype) in program.proctypes.iter().enumerate() {
            let graph = &proctype.graph;
            let edges = &mut self.edges[index];
            // Edges that keep control, by where they lead; and locations from which something visible may follow.
            let mut keeping = vec![Vec::new(); graph.locations.len()];
            for (number, edge) in graph.edges.iter().enumerate().filter(|(_, e)| e.atomic) {
                keeping[edge.to.index()].push(number);
            }
            let mut seen = vec![false; graph.locations.len()];
            let visible = graph.edges.iter().zip(&*edges).filter(|(_, v)| **v);
            let mut work: Vec<Loc> = visible.map(|(edge, _)| edge.from).collect();
            while let Some(loc) = work.pop() {
                if std::mem::replace(&mut seen[loc.index()], true) {
                    continue;
                }
                for &number in &keeping[loc.index()] {
                    edges[number] = true;
                    work.push(graph.edges[number].from);
                }
            }
        }
    }

    /// Whether a step can change an atom.
    pub fn is_visible(&self, proctype: ProctypeId, edge: EdgeId) -> bool {
        self.edges[proctype.index()][edge.index()]
    }

    /// Whether no step can: then the property does not depend on the run.
    pub fn is_nothing(&self) -> bool {
        self.edges.iter().flatten().all(|visible| !visible)
    }

    fn everything(&mut self) {
        self.edges
            .iter_mut()
            .flatten()
            .for_each(|visible| *visible = true);
    }

    fn mark(&mut self, program: &Program, visible: impl Fn(ProctypeId, &Edge) -> bool) {
        for (index, proctype) in program.proctypes.iter().enumerate() {
            for (edge_index, edge) in proctype.graph.edges.iter().enumerate() {
                self.edges[index][edge_index] |= visible(ProctypeId(index as u16), edge);
            }
        }
    }

    fn look(&mut self, program: &Program, footprint: &Footprint, code: promela_lite::code::Code) {
        let specials = footprint.specials;
        if specials.enabled
            || specials.pc_value
            || specials.last
            || specials.timeout
            || specials.reads_priority
            || specials.run
        {
            return self.everything();
        }
        if specials.non_progress {
            self.mark_labels(program, true);
            self.mark(program, |_, edge| {
                edge.footprint.specials.run || edge.footprint.specials.end
            });
        }
        for read in &footprint.reads {
            self.mark(program, |id, edge| {
                edge.footprint.writes.iter().any(|w| writes(id, w, read))
            });
        }
        // Whether a process exists at all matters to every reference to one.
        let by_process = specials.remote_location
            || footprint
                .reads
                .iter()
                .any(|r| matches!(r.place, Place::Remote(_)));
        if specials.nr_pr || by_process {
            self.mark(program, |_, edge| {
                edge.footprint.specials.run || edge.footprint.specials.end
            });
        }
        if !footprint.chans.is_empty() {
            self.mark(program, |_, edge| {
                let changes = |c: &ChanUse| matches!(c.how, ChanAccess::Send | ChanAccess::Recv);
                let uses = edge.footprint.chans.iter().filter(|c| changes(c));
                uses.into_iter().any(|c| {
                    footprint
                        .chans
                        .iter()
                        .any(|look| may_be_same(program, &c.via, &look.via))
                }) || edge.footprint.specials.end
            });
        }
        self.look_at_places(program, code);
    }

    fn look_at_places(&mut self, program: &Program, code: promela_lite::code::Code) {
        for instr in &program.instrs[code.range()] {
            match *instr {
                Instr::RemoteAt { proctype, set, .. } => {
                    let places = &program.label_sets[set as usize];
                    self.mark(program, |id, edge| {
                        id == proctype && (places.contains(&edge.from) || places.contains(&edge.to))
                    });
                }
                Instr::AnywhereAt(set) => {
                    let places = &program.anywhere_sets[set as usize];
                    self.mark(program, |id, edge| {
                        places.contains(&(id, edge.from)) || places.contains(&(id, edge.to))
                    });
                }
                _ => {}
            }
        }
    }
}

/// Whether a write by a process of type `id` may change what is read.
fn writes(id: ProctypeId, write: &Access, read: &Access) -> bool {
    let overlap = write.lo < read.hi && read.lo < write.hi;
    let same = match (write.place, read.place) {
        (Place::Own, Place::Remote(owner)) => id == owner,
        (Place::Own, _) | (_, Place::Own | Place::Remote(_)) => false,
        (a, b) => a == b,
    };
    same && overlap
}

/// Whether two variables may name the same channel: two global ones that are never assigned do not.
fn may_be_same(program: &Program, a: &Access, b: &Access) -> bool {
    let fixed = |access: &Access| {
        access.place == Place::Global
            && !program
                .proctypes
                .iter()
                .flat_map(|p| &p.graph.edges)
                .flat_map(|e| &e.footprint.writes)
                .any(|w| w.place == Place::Global && w.lo < access.hi && access.lo < w.hi)
            && made_here(program, access)
    };
    let overlap = a.place == b.place && a.lo < b.hi && b.lo < a.hi;
    overlap || !(fixed(a) && fixed(b))
}

/// Whether every channel in this range of globals is made by the variable's own initialiser.
fn made_here(program: &Program, access: &Access) -> bool {
    let init = &program.instrs[program.init.range()];
    let made: Vec<u32> = init
        .windows(2)
        .filter_map(|pair| match pair {
            [Instr::NewChan(_), Instr::Store(cell)] => Some(cell.offset),
            _ => None,
        })
        .collect();
    let size = promela_lite::code::Scalar::Chan.size() as usize;
    (access.lo..access.hi)
        .step_by(size)
        .all(|offset| made.contains(&offset))
}

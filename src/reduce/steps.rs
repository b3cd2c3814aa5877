//! What is known of each single step of a program, for stubborn sets: as [`super::facts`] for places, but edge by edge.
//!
//! *Now* is what a step touches when it is made, an `atomic` sequence as far as it can go; *later* what the edge does by itself,
//! with all that the processes may do which it starts. Of a place where one step is possible only if others are not (`else`, an
//! escape), every edge touches what all of them touch. The pairs are compared by the same relation as places and futures are
//! ([`super::reason`]), so that what is independent there is independent here.

use super::bits::{Bits, Matrix};
use super::facts::{Facts, PlaceId, tests_siblings};
use super::interference::Interference;
use super::reason::through_memory;
use crate::limits::Cancellation;
use promela_lite::program::*;
use std::sync::Arc;

/// Pairs of edges are compared beforehand, so there must not be too many.
const MAX_EDGES: usize = 2048;

/// Why stubborn sets are not used for a model; `None` if they are.
pub fn stubborn_obstacle(program: &Program) -> Option<&'static str> {
    let edges = program.proctypes.iter().map(|p| p.graph.edges.len());
    let table = [
        (
            edges.sum::<usize>() > MAX_EDGES,
            "the model has too many steps for stubborn sets",
        ),
        (
            program.trace.is_some(),
            "stubborn sets do not know the events of a `trace`",
        ),
        (
            !program.exclusive.is_empty(),
            "stubborn sets do not know `xr` and `xs`",
        ),
    ];
    let mut present = table.iter().filter(|(present, _)| *present);
    present.next().map(|&(_, reason)| reason)
}

/// All steps.
#[derive(Debug)]
pub(super) struct Steps {
    /// The places of these facts are edges.
    pub(super) facts: Arc<Facts>,
    pub(super) interference: Interference,
    /// Which edges each one depends on through memory or the system.
    memory: Matrix,
    pub(super) shapes: Vec<Shape>,
    /// The greatest number of edges of a proctype.
    pub(super) most: usize,
}

/// The graph of a proctype; edges have their numbers in it.
#[derive(Debug)]
pub(super) struct Shape {
    /// The edges that leave each location.
    pub(super) leaving: Vec<Vec<u32>>,
    /// The edges that may be taken from each location on, sooner or later.
    pub(super) reachable: Vec<Vec<u32>>,
    /// For each edge those that may come to be taken when it is taken, itself among them.
    leads: Matrix,
    /// For each edge those that write a variable of the process which decides whether it is possible.
    decided_by: Matrix,
}

impl Shape {
    fn new(graph: &Graph) -> Option<Shape> {
        let count = graph.edges.len();
        let leaving: Vec<Vec<u32>> = graph
            .locations
            .iter()
            .map(|l| l.edges().map(|e| e as u32).collect())
            .collect();
        let reachable: Vec<Bits> = (0..graph.locations.len())
            .map(|start| reachable_from(graph, start))
            .collect();
        let leads = |edge: usize, other: usize| {
            let step = &graph.edges[edge];
            edge == other
                || step.action != Action::End && reachable[step.to.index()].contains(other)
        };
        let read = |edge: usize| {
            let location = &graph.locations[graph.edges[edge].from.index()];
            let siblings = match tests_siblings(graph, location) {
                true => location.edges(),
                false => edge..edge + 1,
            };
            let footprints = graph.edges[siblings].iter().map(|e| &e.footprint);
            footprints.flat_map(|f| f.reads.iter().chain(f.chans.iter().map(|c| &c.via)))
        };
        let decides = |edge: usize, other: usize| {
            let mut writes = graph.edges[other].footprint.writes.iter();
            writes.any(|w| {
                let meets = |r: &Access| r.place == Place::Own && w.lo < r.hi && r.lo < w.hi;
                w.place == Place::Own && read(edge).any(meets)
            })
        };
        let listed = |bits: &Bits| -> Vec<u32> {
            let edges = (0..count).filter(|&e| bits.contains(e));
            edges.map(|e| e as u32).collect()
        };
        Some(Shape {
            leads: Matrix::new(count, count, leads, || true)?,
            decided_by: Matrix::new(count, count, decides, || true)?,
            reachable: reachable.iter().map(listed).collect(),
            leaving,
        })
    }

    /// Whether `other` may be taken when `edge` is, at once or later.
    pub(super) fn leads(&self, edge: u32, other: u32) -> bool {
        self.leads.row(edge as usize).contains(other as usize)
    }

    /// Whether `other` writes a variable of the process that decides whether `edge` is possible.
    pub(super) fn is_decided_by(&self, edge: u32, other: u32) -> bool {
        self.decided_by.row(edge as usize).contains(other as usize)
    }
}

/// The edges that may be taken from a location on.
fn reachable_from(graph: &Graph, start: usize) -> Bits {
    let mut edges = Bits::default();
    let mut seen = vec![false; graph.locations.len()];
    let mut work = vec![start];
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for edge in graph.locations[at].edges() {
            edges.insert(edge);
            if graph.edges[edge].action != Action::End {
                work.push(graph.edges[edge].to.index());
            }
        }
    }
    edges
}

impl Steps {
    /// Works them out, `places` being what is known of the places of the program; `None` where stubborn sets are not used.
    pub(super) fn new(program: &Program, places: &Facts) -> Option<Steps> {
        if stubborn_obstacle(program).is_some() {
            return None;
        }
        let facts = Arc::new(places.by_edge(program));
        let count = facts.now.len();
        let never = Cancellation::default();
        let interference = Interference::new(program, &facts, None, false, &never)?;
        let depends = |edge: usize, other: usize| {
            let own = facts.proctype[edge];
            through_memory(&facts.now[edge], own, &facts.futures[other], own).is_some()
        };
        let memory = Matrix::new(count, count, depends, || true)?;
        let shapes = program.proctypes.iter().map(|p| Shape::new(&p.graph));
        let edges = program.proctypes.iter().map(|p| p.graph.edges.len());
        Some(Steps {
            shapes: shapes.collect::<Option<_>>()?,
            most: edges.max().unwrap_or(0),
            facts,
            interference,
            memory,
        })
    }

    /// The place that stands for an edge, in [`Steps::facts`].
    pub(super) fn id(&self, proctype: ProctypeId, edge: u32) -> PlaceId {
        self.facts.place(proctype, Loc(edge))
    }

    /// Whether a step depends on another one through memory or the system.
    pub(super) fn through_memory(&self, edge: PlaceId, other: PlaceId) -> bool {
        self.memory.row(edge.0 as usize).contains(other.0 as usize)
    }
}

//! The last part of lowering: skeletons become graphs, remote references get their locations, unused names are reported.

use super::graph::{Build, DStepCode, Places, Trouble};
use super::skeleton::{NodeId, NodeKind, Skeleton};
use super::{Body, Lower, Owner};
use crate::ast::Name;
use crate::code::{Instr, Region};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::program::{Action, Frame, Loc, Place, ProctypeId, Program, VarId};
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

impl<'a> Lower<'a> {
    /// Turns everything into a program.
    pub(super) fn finish(mut self) -> Program {
        let mut bodies = std::mem::take(&mut self.bodies);
        self.pin_remote_labels(&mut bodies);
        let mut places: FxHashMap<ProctypeId, Places> = FxHashMap::default();
        for body in &mut bodies {
            let d_steps = self.d_steps(&body.skeleton);
            let build = Build::new(&mut body.skeleton, &self.session.symbols, &d_steps);
            let (graph, found, trouble) = build.run(body.seq);
            self.report_trouble(trouble);
            match body.owner {
                Owner::Proctype(id) => {
                    self.program.proctypes[id.index()].graph = graph;
                    places.insert(id, found);
                }
                Owner::Claim(index) => self.program.claims[index].graph = graph,
                Owner::Trace => {
                    if let Some(trace) = &mut self.program.trace {
                        trace.graph = graph;
                    }
                }
            }
        }
        self.resolve_labels(&bodies, &places);
        self.note_atomic_calls(&bodies);
        self.cover_by_provided();
        self.cover_by_initialisers();
        self.check_whole();
        // What is wrong may be the very use, or the very jump.
        if !self.session.diagnostics.has_errors() {
            self.warn_unused();
            for body in &bodies {
                self.warn_unreached(&body.skeleton, body.seq);
            }
        }
        self.part_procedures();
        self.program
    }

    /// A label on a jump that is referred to from outside needs a place to rest: the jump gets a `skip` in front.
    fn pin_remote_labels(&mut self, bodies: &mut [Body]) {
        let remote = self.remote_labels.iter();
        let named = remote
            .map(|(id, name)| (Some(*id), name.symbol))
            .chain(self.anywhere.iter().map(|name| (None, name.symbol)));
        let mut seen = FxHashSet::default();
        let mut names: FxHashMap<Option<ProctypeId>, Vec<Symbol>> = FxHashMap::default();
        for (owner, name) in named.filter(|&pair| seen.insert(pair)) {
            names.entry(owner).or_default().push(name);
        }
        for body in bodies {
            let Owner::Proctype(id) = body.owner else {
                continue;
            };
            let here = [Some(id), None].into_iter().filter_map(|o| names.get(&o));
            let labels = &body.skeleton.labels;
            let nodes: Vec<NodeId> = here
                .flatten()
                .flat_map(|&name| labels.named(name))
                .map(|l| l.node)
                .collect();
            for node in nodes {
                pin(&mut body.skeleton, node);
            }
        }
    }

    /// As above, for a process that is lowered already: SPIN numbers the new element at the place of the reference.
    pub(super) fn pin_now(&mut self, proctype: ProctypeId, label: Name) {
        let Some(&index) = self.body_of.get(&proctype) else {
            return;
        };
        let body = &mut self.bodies[index];
        let Some(node) = body
            .skeleton
            .labels
            .named(label.symbol)
            .next()
            .map(|l| l.node)
        else {
            return;
        };
        let end = std::mem::replace(&mut body.skeleton.next_step, self.skeleton.next_step);
        pin(&mut body.skeleton, node);
        self.skeleton.next_step = std::mem::replace(&mut body.skeleton.next_step, end);
    }

    fn d_steps(&mut self, skeleton: &Skeleton) -> FxHashMap<NodeId, DStepCode> {
        let mut codes = FxHashMap::default();
        for (index, node) in skeleton.nodes.iter().enumerate() {
            if let NodeKind::DStep(body) = node.kind
                && let Some(code) = self.d_step_code(skeleton, body)
            {
                codes.insert(NodeId(index as u32), code);
            }
        }
        codes
    }

    fn report_trouble(&mut self, trouble: Vec<Trouble>) {
        for trouble in trouble {
            let diagnostic = match trouble {
                // Reported where the jump was lowered.
                Trouble::UnknownLabel => continue,
                Trouble::JumpIntoDStep(span) => Diagnostic::error(
                    Code::JumpIntoDStep,
                    span,
                    "this jump leads into the middle of a d_step",
                )
                .help("a d_step can only be entered at its start"),
                Trouble::TooManyEdges(span) => {
                    Diagnostic::error(Code::TooMany, span, "this process has too many steps").help(
                        "every statement under an `unless` can take every first step of its escape",
                    )
                }
                Trouble::Circle(span) => {
                    Diagnostic::error(Code::CircularJumps, span, "these jumps run in a circle")
                        .label("or there are thousands in a row")
                        .help("there is no statement for the process to rest at")
                }
            };
            self.report(diagnostic);
        }
    }

    fn resolve_labels(&mut self, bodies: &[Body], places: &FxHashMap<ProctypeId, Places>) {
        let body_of = std::mem::take(&mut self.body_of);
        let located = |id: ProctypeId, name: Symbol| -> Vec<Loc> {
            let body = body_of.get(&id).map(|&index| &bodies[index]);
            let labels = body.into_iter().flat_map(|b| b.skeleton.labels.named(name));
            labels
                .filter_map(|l| places.get(&id)?[l.node.0 as usize])
                .collect()
        };
        for (set, (id, label)) in std::mem::take(&mut self.remote_labels)
            .into_iter()
            .enumerate()
        {
            let body = body_of.get(&id).map(|&index| &bodies[index]);
            let known =
                body.is_some_and(|b| b.skeleton.labels.named(label.symbol).next().is_some());
            if !known {
                let owner = self.program.proctypes[id.index()].name.clone();
                let text = self.text(label.symbol).to_string();
                let labels = body.into_iter().flat_map(|b| b.skeleton.labels.names());
                let names = labels.map(|name| self.session.symbols.text(name));
                let guess = self.guess(&text, names);
                let message = format!("`{owner}` has no label `{text}`");
                let mut error = Diagnostic::error(Code::UnknownLabel, label.span, message);
                if let Some(guess) = guess {
                    error = error.help(format!("did you mean `{guess}`?"));
                }
                self.report(error);
            }
            // As SPIN: of several labels of that name, the first.
            self.program.label_sets[set] = located(id, label.symbol).into_iter().take(1).collect();
        }
        for (set, label) in std::mem::take(&mut self.anywhere).into_iter().enumerate() {
            let mut all = Vec::new();
            for index in 0..self.program.proctypes.len() {
                let id = ProctypeId(index as u16);
                let here = located(id, label.symbol);
                if !here.is_empty() && index >= self.first_procedure {
                    self.report(
                        Diagnostic::error(
                            Code::ForbiddenInProcedure,
                            label.span,
                            "this label stands in a procedure",
                        )
                        .help("name a label of a proctype, or set a global variable there"),
                    );
                }
                all.extend(here.into_iter().map(|loc| (id, loc)));
            }
            if all.is_empty() {
                let message = format!("no process has a label `{}`", self.text(label.symbol));
                self.report(Diagnostic::error(Code::UnknownLabel, label.span, message));
            }
            self.program.anywhere_sets[set] = all;
        }
    }

    /// Every step of a process reads what its `provided` clause reads.
    fn cover_by_provided(&mut self) {
        for proctype in &mut self.program.proctypes {
            for edge in &mut proctype.graph.edges {
                edge.footprint.absorb(&proctype.provided_footprint);
            }
        }
    }

    /// A step that starts a process reads what the initialisers of its local variables read.
    fn cover_by_initialisers(&mut self) {
        let mut reads = FxHashMap::default();
        for (id, mut footprint) in std::mem::take(&mut self.initialiser_reads) {
            // The variables of the new process are its own, but a channel among them may be any channel.
            footprint.reads.retain(|read| read.place != Place::Own);
            footprint.writes.clear();
            for used in &mut footprint.chans {
                if used.via.place == Place::Own {
                    used.via.place = Place::Remote(id);
                }
            }
            reads.insert(id, footprint);
        }
        let Program {
            proctypes, instrs, ..
        } = &mut self.program;
        let edges = proctypes.iter_mut().flat_map(|p| &mut p.graph.edges);
        for edge in edges.filter(|e| e.footprint.specials.run) {
            let action = match edge.action {
                Action::Guard(code) | Action::Effect(code) | Action::DStep(code) => Some(code),
                _ => None,
            };
            let code = action.into_iter().chain([edge.then]);
            for instr in code.flat_map(|code| &instrs[code.range()]) {
                if let Instr::Run { proctype, .. } = instr
                    && let Some(footprint) = reads.get(proctype)
                {
                    edge.footprint.absorb(footprint);
                }
            }
        }
    }

    fn warn_unused(&mut self) {
        let mut warnings = Vec::new();
        let mut look = |region: Region, owner: Option<ProctypeId>, frame: &Frame| {
            for (index, var) in frame.vars.iter().enumerate() {
                let key = (region, owner, VarId(index as u32));
                if !self.used.contains(&key) && !var.name.starts_with('_') {
                    let message = format!("`{}` is never used", var.name);
                    warnings.push(Diagnostic::warning(Code::UnusedVariable, var.span, message));
                }
            }
        };
        look(Region::Global, None, &self.program.globals);
        look(Region::Hidden, None, &self.program.hidden);
        for (index, proctype) in self.program.proctypes.iter().enumerate() {
            look(
                Region::Local,
                Some(ProctypeId(index as u16)),
                &proctype.frame,
            );
        }
        warnings.into_iter().for_each(|w| self.report(w));
    }
}

/// Puts a `skip` where a jump stands, the jump behind it.
fn pin(skeleton: &mut Skeleton, node: NodeId) {
    let NodeKind::Goto(jump) = skeleton.node(node).kind else {
        return;
    };
    let (span, text, next) = {
        let node = skeleton.node(node);
        (node.span, node.text.clone(), node.next)
    };
    let moved = skeleton.make(NodeKind::Goto(jump), span, text);
    let original = skeleton.node_mut(node);
    let (atomic, last, d_step) = (original.atomic, original.last_atomic, original.d_step);
    original.kind = NodeKind::Plain(Action::Skip);
    original.text = "(1)".into();
    original.next = Some(moved);
    let copy = skeleton.node_mut(moved);
    copy.next = next;
    (copy.atomic, copy.last_atomic, copy.d_step) = (atomic, last, d_step);
}

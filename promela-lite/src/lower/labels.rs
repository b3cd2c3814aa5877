//! The labels of one process body, found by name, by element and by block; and where a label may stand.
//!
//! A body may have as many labels as statements, so every question is answered from an index.

use super::Lower;
use super::scope::Entity;
use super::skeleton::NodeId;
use super::stmt::Brace;
use crate::ast::Name;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{ExpansionKind, Span};
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A nesting of blocks in which labels and jumps stand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

/// A label and the element it names.
pub(super) struct Label {
    pub(super) name: Symbol,
    pub(super) span: Span,
    pub(super) node: NodeId,
    /// The inline that it was written in, if any.
    pub(super) inline: Option<Symbol>,
}

/// All labels of a body, in the order of the text.
#[derive(Default)]
pub(super) struct Labels {
    all: Vec<Label>,
    by_node: FxHashMap<NodeId, SmallVec<[u32; 4]>>,
    by_name: FxHashMap<Symbol, SmallVec<[u32; 4]>>,
    /// The labels of each name by the scope that the name belongs to: that of the first label or jump that mentions it
    /// where it can be seen. There can be several if inlines declare them.
    homes: FxHashMap<(Symbol, ScopeId), SmallVec<[u32; 1]>>,
    /// The paths of block numbers, outermost first.
    scopes: Vec<Vec<u32>>,
    scope_ids: FxHashMap<Vec<u32>, ScopeId>,
}

impl Labels {
    /// The scope with that path of block numbers.
    pub(super) fn scope(&mut self, path: &[u32]) -> ScopeId {
        if let Some(&id) = self.scope_ids.get(path) {
            return id;
        }
        let id = ScopeId(self.scopes.len() as u32);
        self.scopes.push(path.to_vec());
        self.scope_ids.insert(path.to_vec(), id);
        id
    }

    /// Notes that a name is mentioned in a scope, and tells the scope that it belongs to.
    pub(super) fn mention(&mut self, name: Symbol, scope: ScopeId) -> ScopeId {
        let path = &self.scopes[scope.0 as usize];
        let around = (0..=path.len())
            .rev()
            .filter_map(|length| self.scope_ids.get(&path[..length]));
        let known = around
            .copied()
            .find(|&outer| self.homes.contains_key(&(name, outer)));
        let home = known.unwrap_or(scope);
        self.homes.entry((name, home)).or_default();
        home
    }

    /// Adds a label, unless its name means another one already: then tells where that is. As in SPIN, a label of another
    /// inline, or of the caller, does not stand in the way: then tells which label is taken over.
    pub(super) fn add(&mut self, label: Label, scope: ScopeId) -> Result<Option<Span>, Span> {
        let index = self.all.len() as u32;
        let home = self.mention(label.name, scope);
        let here = self.homes.entry((label.name, home)).or_default();
        let earlier = |&index: &u32| &self.all[index as usize];
        // A refused label leaves no trace: the first one stays the one that later ones repeat.
        if let Some(same) = here.iter().map(earlier).find(|l| l.inline == label.inline) {
            return Err(same.span);
        }
        let taken_over = here.last().map(|index| earlier(index).span);
        here.push(index);
        self.by_name.entry(label.name).or_default().push(index);
        self.by_node.entry(label.node).or_default().push(index);
        self.all.push(label);
        Ok(taken_over)
    }

    /// The labels of an element.
    pub(super) fn at(&self, node: NodeId) -> impl Iterator<Item = &Label> {
        let indices = self.by_node.get(&node).into_iter().flatten();
        indices.map(|&index| &self.all[index as usize])
    }

    /// The labels of that name.
    pub(super) fn named(&self, name: Symbol) -> impl Iterator<Item = &Label> {
        let indices = self.by_name.get(&name).into_iter().flatten();
        indices.map(|&index| &self.all[index as usize])
    }

    /// Every name of a label.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> {
        self.by_name.keys().copied()
    }

    /// The label that a jump means: the last one that shares its home, else the first whose home is around that, else
    /// the last anywhere.
    pub(super) fn find(&self, name: Symbol, home: ScopeId) -> Option<NodeId> {
        let all = self.by_name.get(&name)?;
        let index = match all[..] {
            [only] => only,
            _ => self
                .homes
                .get(&(name, home))
                .and_then(|here| here.last().copied())
                .or_else(|| self.first_around(name, home))
                .or(all.last().copied())?,
        };
        Some(self.all[index as usize].node)
    }

    fn first_around(&self, name: Symbol, home: ScopeId) -> Option<u32> {
        let path = &self.scopes[home.0 as usize];
        (0..path.len())
            .filter_map(|length| self.scope_ids.get(&path[..length]))
            .filter_map(|&outer| self.homes.get(&(name, outer))?.first().copied())
            .min()
    }
}

impl Lower<'_> {
    pub(super) fn set_label(&mut self, label: Name, node: NodeId) {
        if let Some(entity) = self.lookup(label.symbol) {
            let span = match entity {
                Entity::Var(var) => var.span,
                Entity::Constant { .. } => self.scopes.globals[&label.symbol].span,
            };
            return self.duplicate(label, span);
        }
        let scope = self.label_scope();
        let new = Label {
            name: label.symbol,
            span: label.span,
            node,
            inline: self.inline_of(label.span),
        };
        match self.skeleton.labels.add(new, scope) {
            Ok(None) => {}
            Ok(Some(earlier)) => {
                let message = format!(
                    "the label `{}` is declared again by an inline",
                    self.text(label.symbol)
                );
                self.report(
                    Diagnostic::warning(Code::LabelTakenOver, label.span, message)
                        .label("jumps to this name lead here, also those of the caller")
                        .secondary(earlier, "first declared here"),
                );
            }
            Err(earlier) => self.duplicate(label, earlier),
        }
    }

    /// The inline whose body a place belongs to.
    fn inline_of(&self, span: Span) -> Option<Symbol> {
        let mut at = span;
        while let Some(expansion) = self.session.sources.expansion(at.expn) {
            if expansion.kind == ExpansionKind::Inline {
                return Some(expansion.name);
            }
            at = expansion.call_site;
        }
        None
    }

    /// The current nesting of blocks, noted for labels and jumps.
    pub(super) fn label_scope(&mut self) -> ScopeId {
        self.skeleton.labels.scope(self.scopes.path())
    }

    /// A label on the first statement of a sequence: a process never rests there.
    pub(super) fn check_first_label(&mut self, brace: Brace) {
        let Some(first) = self.skeleton.first_of_open() else {
            return;
        };
        let Some(label) = self.skeleton.labels.at(first).next() else {
            return;
        };
        let (name, span) = (self.text(label.name).to_string(), label.span);
        let (what, instead) = match brace {
            Brace::Body => return,
            Brace::Atomic => ("an atomic sequence", "atomic { … }"),
            Brace::DStep => ("a d_step", "d_step { … }"),
            Brace::Block => ("a block", "{ … }"),
            Brace::Unless => ("a part of `unless`", "{ … unless … }"),
            Brace::Option => {
                return self.report(
                    Diagnostic::warning(
                        Code::LabelOnOption,
                        span,
                        format!("the label `{name}` stands on the first statement of an option"),
                    )
                    .label("a process never rests here")
                    .help("put the label before the `if` or `do`, or insert `true ->` before the labelled statement"),
                );
            }
        };
        self.report(
            Diagnostic::error(
                Code::MisplacedLabel,
                span,
                format!("the label `{name}` stands first inside {what}"),
            )
            .label("a process never rests here")
            .help(format!("put it in front of the whole: `{name}: {instead}`")),
        );
    }
}

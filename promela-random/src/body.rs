//! The body of a random process: lines of text, and the places where labels and jumps go.
//!
//! Labels are placed last, when all places are known. A jump from inside an `atomic` leads out of it only, so that no
//! circle of jumps stays inside; a label is never the first thing in a block, where a process cannot rest, nor in front
//! of another jump.

use crate::world::{Channel, Class, Variable};
use crate::{Config, Construct, Rng};
use std::collections::BTreeSet;

/// Whether a line can have a label.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Slot {
    No,
    Outside,
    InAtomic,
}

struct Line {
    indent: usize,
    prefix: &'static str,
    label: Option<String>,
    text: String,
    slot: Slot,
    /// A jump that still lacks its label.
    jump: bool,
    in_atomic: bool,
}

/// A body under construction.
#[derive(Default)]
pub(super) struct Body {
    /// Variables that can be used here.
    pub(super) locals: Vec<Variable>,
    /// Variables of loops: only read.
    pub(super) counters: Vec<Variable>,
    pub(super) channels: Vec<Channel>,
    /// Not a process: `_pid` has no meaning.
    pub(super) observer: bool,
    /// Text that is repeated: nothing can be declared at its start.
    pub(super) inline: bool,
    declarations: Vec<String>,
    declared: usize,
    lines: Vec<Line>,
    indent: usize,
    prefix: &'static str,
    pub(super) in_atomic: bool,
    pub(super) in_d_step: bool,
}

impl Body {
    /// The body of an inline.
    pub(super) fn inline(parameters: &[&str]) -> Body {
        let parameter = |name: &&str| Variable {
            name: name.to_string(),
            elements: None,
            class: Class::Natural,
        };
        let (last, read) = parameters.split_last().expect("at least one parameter");
        Body {
            locals: vec![parameter(last)],
            counters: read.iter().map(parameter).collect(),
            inline: true,
            ..Body::default()
        }
    }

    /// What formulas and other outside places see: nothing local.
    pub(super) fn observer() -> Body {
        Body {
            observer: true,
            ..Body::default()
        }
    }

    /// A name for something local that no other local has.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.declared += 1;
        format!("{stem}{}", self.declared)
    }

    /// Adds a declaration to the start of the body.
    pub(super) fn declare(&mut self, declaration: String) {
        self.declarations.push(declaration);
    }

    /// The next line starts an option.
    pub(super) fn option(&mut self) {
        self.prefix = ":: ";
    }

    /// Adds a line; `labelled` when a label may stand there.
    pub(super) fn push(&mut self, text: impl Into<String>, labelled: bool) {
        let slot = match (labelled, self.in_d_step, self.in_atomic) {
            (false, ..) | (_, true, _) => Slot::No,
            (_, _, false) => Slot::Outside,
            (_, _, true) => Slot::InAtomic,
        };
        self.line(text.into(), slot, false);
    }

    /// Adds a jump to a label that is chosen later.
    pub(super) fn jump(&mut self) {
        self.line("goto ".to_string(), Slot::No, true);
    }

    fn line(&mut self, text: String, slot: Slot, jump: bool) {
        self.lines.push(Line {
            indent: self.indent - usize::from(!self.prefix.is_empty()),
            prefix: std::mem::take(&mut self.prefix),
            label: None,
            text,
            slot,
            jump,
            in_atomic: self.in_atomic,
        });
    }

    /// Opens a level of indentation.
    pub(super) fn open(&mut self) {
        self.indent += 1;
    }

    /// Closes it.
    pub(super) fn close(&mut self) {
        self.indent -= 1;
    }

    /// Chooses labels, aims the jumps, and returns the labels that a process can rest at.
    pub(super) fn place_labels(&mut self, rng: &mut Rng, config: &Config) -> Vec<String> {
        let wanted = rng.within(0, 3);
        let slots: Vec<usize> = (0..self.lines.len())
            .filter(|&i| self.lines[i].slot != Slot::No)
            .collect();
        let chosen: BTreeSet<usize> = (0..wanted)
            .filter_map(|_| rng.pick(&slots).copied())
            .collect();
        let (mut outside, mut all) = (Vec::new(), Vec::new());
        for line in chosen {
            let stem = match rng.below(6) {
                0 if config.has(Construct::Marks) => "end",
                1 if config.has(Construct::Marks) => "progress",
                2 if config.has(Construct::Marks) => "accept",
                _ if config.has(Construct::Goto) => "L",
                _ => continue,
            };
            let label = format!("{stem}{}", all.len());
            if self.lines[line].slot == Slot::Outside {
                outside.push(label.clone());
            }
            all.push(label.clone());
            self.lines[line].label = Some(label);
        }
        for line in self.lines.iter_mut().filter(|l| l.jump) {
            let labels = if line.in_atomic { &outside } else { &all };
            match rng.pick(labels) {
                Some(label) => line.text = format!("goto {label};"),
                None => line.text = "skip;".to_string(),
            }
        }
        outside
    }

    /// Appends the lines to a text.
    pub(super) fn write(&self, text: &mut String) {
        for declaration in &self.declarations {
            text.push_str(&format!("    {declaration}\n"));
        }
        for line in &self.lines {
            let indent = " ".repeat(4 * (line.indent + 1));
            let label = line
                .label
                .as_ref()
                .map_or(String::new(), |l| format!("{l}: "));
            text.push_str(&format!("{indent}{}{label}{}\n", line.prefix, line.text));
        }
    }
}

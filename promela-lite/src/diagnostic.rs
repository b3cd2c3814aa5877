//! Diagnostics as data: a code, a place, a message, labels and help. Rendering is elsewhere.
//!
//! A broken model can produce any number of errors, most of them consequences of the first. The collection therefore
//! drops exact repetitions at one place and keeps a bounded number.

use crate::codes::Code;
use crate::source::Span;
use rustc_hash::FxHashMap;

/// How bad it is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used, but something in it looks like a mistake.
    Warning,
}

/// A place with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark, possibly empty.
    pub text: String,
}

/// An error or a warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning; that of the code.
    pub severity: Severity,
    /// The stable code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// Where it is wrong.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message.into())
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: Code, span: Span, message: String) -> Diagnostic {
        debug_assert_eq!(severity, code.severity(), "severity of {}", code.name());
        let primary = Label {
            span,
            text: String::new(),
        };
        Diagnostic {
            severity,
            code,
            message,
            primary,
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Adds a remark at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
}

/// The diagnostics of a session.
#[derive(Default, Debug)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    /// Diagnostics by position, as indices into `kept`, so that an inline that is expanded a hundred times is reported once.
    seen: FxHashMap<(Code, u32, u32), Vec<usize>>,
    /// How many errors and warnings are kept.
    kept_by_severity: [usize; 2],
    dropped: usize,
}

impl Diagnostics {
    /// How many errors, and how many warnings, are kept; the rest is only counted.
    pub const LIMIT: usize = 100;

    /// Adds a diagnostic, unless there is the same one at the same place.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let Span { lo, hi, .. } = diagnostic.primary.span;
        let key = (diagnostic.code, lo, hi);
        let mut here = self.seen.get(&key).into_iter().flatten();
        if here.any(|&index| self.kept[index].message == diagnostic.message) {
            return;
        }
        if self.is_full(diagnostic.severity) {
            self.dropped += 1;
            return;
        }
        self.seen.entry(key).or_default().push(self.kept.len());
        self.kept_by_severity[diagnostic.severity as usize] += 1;
        self.kept.push(diagnostic);
    }

    /// Whether more diagnostics of that severity are only counted.
    pub fn is_full(&self, severity: Severity) -> bool {
        self.kept_by_severity[severity as usize] >= Diagnostics::LIMIT
    }

    /// Whether any error was reported.
    pub fn has_errors(&self) -> bool {
        self.kept_by_severity[Severity::Error as usize] > 0
    }

    /// Whether the text is damaged, or cut short by a limit, so that its syntax is not worth a look.
    pub(crate) fn text_is_damaged(&self) -> bool {
        use Code::*;
        let damage = [
            CannotRead,
            MacroArguments,
            UnterminatedMacroCall,
            UnbalancedConditional,
            BadCondition,
            UnterminatedComment,
            UnterminatedString,
            ExpansionLimit,
            IncludeDepth,
            TextTooLarge,
            MacroNesting,
            InlineLimit,
        ];
        self.kept.iter().any(|d| damage.contains(&d.code))
    }

    /// Whether an error was reported at just this place.
    pub(crate) fn has_error_at(&self, span: Span) -> bool {
        self.kept
            .iter()
            .any(|d| d.severity == Severity::Error && d.primary.span == span)
    }

    /// The number of diagnostics beyond the limit, for "too many errors".
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The kept diagnostics in the order of their places.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut all: Vec<_> = self.kept.iter().collect();
        all.sort_by_key(|d| (d.primary.span.lo, d.primary.span.hi, d.severity));
        all
    }
}

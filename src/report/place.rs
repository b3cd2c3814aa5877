//! Source positions as reports show them.
//!
//! What a macro produced is shown where the macro is used; what an `inline` produced is shown where it is
//! written, in the body of the `inline`. This is what SPIN does too, so that lines can be compared.
use promela_lite::{ExpansionKind, Location, SourceMap, Span};

/// File, line and column of a span.
pub fn place(sources: &SourceMap, span: Span) -> Location {
    sources.locate(shown(sources, span))
}

/// The span in whose place something is shown.
pub fn shown(sources: &SourceMap, mut span: Span) -> Span {
    while let Some(expansion) = sources.expansion(span.expn) {
        match expansion.kind {
            ExpansionKind::Macro => span = expansion.call_site,
            ExpansionKind::Inline => break,
        }
    }
    span
}

//! Diagnostics as text and as JSON.
//!
//! [`render`] draws a diagnostic with rustc's renderer: the message, the lines it is about with their labels, the chain
//! of macro and inline expansions that led there, and help. [`to_json`] gives the same facts as data.
//!
//! Labels that stand near each other share one excerpt. What lies far apart, in another file, or on the other side of
//! a line marker gets an excerpt of its own, and so does each label of a very long line, which the renderer then cuts to a
//! window around it.

use super::SCHEMA_VERSION;
use super::printable::{self, printable};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use promela_lite::{Diagnostic, ExpansionKind, Location, Severity, SourceMap, Span};
use serde_json::{Value, json};
use std::ops::Range;

/// Labels at most this many lines apart share an excerpt.
const NEAR: u32 = 6;

/// A span longer than this is shown by its first line.
const LONGEST_SPAN: u32 = 8;

/// Labels share no excerpt with a line longer than this many bytes.
const LONGEST_LINE: usize = 300;

/// How many expansions are shown; the rest is counted.
const SHOWN_EXPANSIONS: usize = 4;

/// The diagnostic as text for a terminal, with a final newline.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let (chain, hidden) = expansions(diagnostic.primary.span, sources);
    let mut labels = vec![Shown::new(
        diagnostic.primary.span,
        &diagnostic.primary.text,
        true,
    )];
    labels.extend(
        diagnostic
            .secondary
            .iter()
            .map(|label| Shown::new(label.span, &label.text, false)),
    );
    labels.extend(
        chain
            .iter()
            .map(|step| Shown::new(step.span, &step.text, false)),
    );
    labels.retain(|label| sources.file_of(label.span).is_some());

    let mut group = level
        .primary_title(printable(&diagnostic.message))
        .id(diagnostic.code.name())
        .elements(Vec::<Snippet<'_, Annotation<'_>>>::new());
    for chunk in chunks(labels, sources) {
        group = excerpt(group, &chunk, sources);
    }
    if hidden > 0 {
        group =
            group.element(Level::NOTE.message(format!("{hidden} more expansions are not shown")));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// The diagnostic as data.
pub fn to_json(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = |span: Span| {
        let Location { file, line, column } = sources.locate(span);
        json!({ "file": file, "line": line, "column": column, "text": sources.snippet(span).chars().take(200).collect::<String>() })
    };
    let labelled = |span: Span, text: &str| {
        let mut value = place(span);
        value["label"] = json!(text);
        value
    };
    let (chain, hidden) = expansions(diagnostic.primary.span, sources);
    json!({
        "schema_version": SCHEMA_VERSION,
        "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "code": diagnostic.code.name(),
        "message": diagnostic.message,
        "primary": labelled(diagnostic.primary.span, &diagnostic.primary.text),
        "secondary": diagnostic.secondary.iter().map(|label| labelled(label.span, &label.text)).collect::<Vec<_>>(),
        "expansions": chain.iter().map(|step| labelled(step.span, &step.text)).collect::<Vec<_>>(),
        "hidden_expansions": hidden,
        "help": diagnostic.help,
        "explanation": diagnostic.code.explanation(),
    })
}

/// A label as it will be drawn.
struct Shown<'a> {
    span: Span,
    text: &'a str,
    primary: bool,
}

impl<'a> Shown<'a> {
    fn new(span: Span, text: &'a str, primary: bool) -> Shown<'a> {
        Shown {
            span,
            text,
            primary,
        }
    }
}

/// One step outwards from a token to the text of the file.
struct Step {
    span: Span,
    text: String,
}

/// The expansions around `span`, innermost first, and how many more there are.
fn expansions(mut span: Span, sources: &SourceMap) -> (Vec<Step>, usize) {
    let (mut steps, mut hidden) = (Vec::new(), 0);
    while let Some(expansion) = sources.expansion(span.expn) {
        let call = expansion.call_site;
        let written = sources.snippet(call);
        let end = written
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(written.len());
        let kind = match expansion.kind {
            ExpansionKind::Macro => "macro",
            ExpansionKind::Inline => "inline",
        };
        // An argument is written inside the call; then the interesting place is where the body uses it.
        let is_argument = call.lo <= span.lo && span.hi <= call.hi;
        let step = if is_argument {
            Step {
                span: expansion.definition,
                text: format!("used here in {kind} `{}`", &written[..end]),
            }
        } else {
            Step {
                span: call,
                text: format!("in this expansion of {kind} `{}`", &written[..end]),
            }
        };
        if steps.len() < SHOWN_EXPANSIONS {
            steps.push(step);
        } else {
            hidden += 1;
        }
        span = call;
    }
    (steps, hidden)
}

/// Labels that share an excerpt.
struct Chunk<'a> {
    labels: Vec<Shown<'a>>,
    /// The positions of the first and the last label's first bytes.
    first: Span,
    last: Span,
    primary: bool,
}

/// Distributes labels over excerpts; the one with the primary label comes first.
fn chunks<'a>(mut labels: Vec<Shown<'a>>, sources: &SourceMap) -> Vec<Chunk<'a>> {
    labels.sort_by_key(|label| (label.span.lo, label.span.hi));
    let mut chunks: Vec<Chunk<'a>> = Vec::new();
    for label in labels {
        let span = label.span;
        match chunks
            .last_mut()
            .filter(|chunk| near(chunk.last, span, sources))
        {
            Some(chunk) => {
                chunk.last = span;
                chunk.primary |= label.primary;
                chunk.labels.push(label);
            }
            None => chunks.push(Chunk {
                first: span,
                last: span,
                primary: label.primary,
                labels: vec![label],
            }),
        }
    }
    chunks.sort_by_key(|chunk| !chunk.primary);
    chunks
}

fn near(a: Span, b: Span, sources: &SourceMap) -> bool {
    let (line_a, start_a) = sources.line_text(a);
    let (line_b, start_b) = sources.line_text(b);
    if sources.file_of(a) != sources.file_of(b) || line_a.len().max(line_b.len()) > LONGEST_LINE {
        return false;
    }
    let (from, to) = (sources.locate(a), sources.locate(b));
    let between = sources.snippet(Span {
        lo: start_a,
        hi: start_b.max(start_a),
        ..a
    });
    // A line marker between the two breaks the numbering.
    let written = between.bytes().filter(|&byte| byte == b'\n').count() as u32;
    from.file == to.file
        && to.line.checked_sub(from.line) == Some(written)
        && written <= NEAR
        && between.split('\n').all(|line| line.len() <= LONGEST_LINE)
}

/// Draws one excerpt.
fn excerpt<'a>(group: Group<'a>, chunk: &Chunk<'a>, sources: &'a SourceMap) -> Group<'a> {
    let place = sources.locate(chunk.first);
    let (_, start) = sources.line_text(chunk.first);
    let end = chunk
        .labels
        .iter()
        .map(|label| visible_end(label.span, sources))
        .max()
        .unwrap_or(start);
    let (last_line, last_start) = sources.line_text(Span {
        lo: end.max(start),
        hi: end,
        ..chunk.first
    });
    let length = (last_start - start) as usize + last_line.len();
    let text = sources.snippet(Span {
        lo: start,
        hi: start + length as u32,
        ..chunk.first
    });
    let annotations = chunk.labels.iter().map(|label| {
        let range =
            (label.span.lo - start) as usize..(visible_end(label.span, sources) - start) as usize;
        annotation(label, range)
    });
    let snippet = Snippet::source(printable::excerpt(text))
        .line_start(place.line as usize)
        .path(printable(&place.file).into_owned());
    group.element(snippet.annotations(annotations))
}

fn annotation<'a>(label: &Shown<'a>, range: Range<usize>) -> Annotation<'a> {
    let kind = if label.primary {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    };
    let annotation = kind.span(range);
    if label.text.is_empty() {
        annotation
    } else {
        annotation.label(printable(label.text))
    }
}

/// The end of the part of `span` that is drawn: all of it, or the beginning of its first line if it goes on for long.
fn visible_end(span: Span, sources: &SourceMap) -> u32 {
    let text = sources.snippet(span);
    let lines = text.bytes().filter(|&byte| byte == b'\n').count() as u32;
    if lines <= LONGEST_SPAN && text.lines().all(|line| line.len() <= LONGEST_LINE) {
        return span.lo + text.len() as u32;
    }
    let first = text.lines().next().unwrap_or("");
    span.lo + first.floor_char_boundary(LONGEST_LINE / 4) as u32
}

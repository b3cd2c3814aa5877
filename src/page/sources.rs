//! The texts of a model, and where in them something is: by physical lines, whatever `#line` says.

use crate::report::shown;
use promela_lite::source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Bytes of one file that a page shows.
const LONGEST: usize = 1 << 20;

/// The files that places have been asked in.
#[derive(Debug, Default)]
pub(crate) struct Files {
    files: Vec<Opened>,
    numbers: FxHashMap<FileId, usize>,
    places: FxHashMap<Span, (usize, u32)>,
}

#[derive(Debug)]
struct Opened {
    id: FileId,
    base: u32,
    starts: Vec<u32>,
}

/// A file as a page shows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Text {
    /// Its name.
    pub(crate) name: String,
    /// Its text, or the beginning of it.
    pub(crate) text: String,
    /// Whether only the beginning is there.
    pub(crate) cut: bool,
}

impl Text {
    /// A file whose text is this one.
    pub(crate) fn new(name: &str, text: &str) -> Text {
        let end = text.floor_char_boundary(LONGEST.min(text.len()));
        Text {
            name: name.to_owned(),
            text: text[..end].to_owned(),
            cut: end < text.len(),
        }
    }
}

impl Files {
    /// Number of the file and line of a span.
    pub(crate) fn place(&mut self, sources: &SourceMap, span: Span) -> (usize, u32) {
        let key = span;
        if let Some(&known) = self.places.get(&key) {
            return known;
        }
        let span = shown(sources, span);
        let Some(id) = sources.file_of(span) else {
            return (0, 0);
        };
        let next = self.files.len();
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            let (text, base) = sources.text(id);
            let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            let starts = breaks.map(|(at, _)| at as u32 + 1);
            self.files.push(Opened {
                id,
                base,
                starts: std::iter::once(0).chain(starts).collect(),
            });
        }
        let file = &self.files[number];
        let offset = span.lo.saturating_sub(file.base);
        let place = (number, file.starts.partition_point(|s| *s <= offset) as u32);
        self.places.insert(key, place);
        place
    }

    /// The texts.
    pub(crate) fn texts(&self, sources: &SourceMap) -> Vec<Text> {
        let text = |file: &Opened| {
            let (text, _) = sources.text(file.id);
            let end = text.floor_char_boundary(LONGEST.min(text.len()));
            Text {
                name: sources.name(file.id).to_owned(),
                text: text[..end].to_owned(),
                cut: end < text.len(),
            }
        };
        self.files.iter().map(text).collect()
    }
}

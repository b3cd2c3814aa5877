//! `ample check --watch`: checks again whenever a file changes that was read.
//!
//! Files are looked at a few times a second: that works on every file system, and a check takes longer. What is compared is their
//! content with what was read, so that a change while a check is running is not missed.

use super::Exit;
use super::monitor::Interrupt;
use super::output::say;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(200);

fn digest(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// The files that a check has read, with a digest of what was in each; nothing for one that could not be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilesRead(Arc<Mutex<BTreeMap<PathBuf, Option<u64>>>>);

impl FilesRead {
    /// A file was read.
    pub(super) fn note(&self, path: &Path, content: Option<&[u8]>) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.to_owned(), content.map(digest));
    }

    /// A file is read by somebody else, about now.
    pub(super) fn note_now(&self, path: &Path) {
        self.note(path, std::fs::read(path).ok().as_deref());
    }

    /// The same files as they are now, where a check has come to an end before it read any.
    fn or_those_of(self, before: &FilesRead) -> FilesRead {
        let none = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty();
        if none {
            let before = before.0.lock().unwrap_or_else(PoisonError::into_inner);
            before.keys().for_each(|path| self.note_now(path));
        }
        self
    }

    /// A file that is not what it was when it was read.
    fn changed(&self) -> Option<PathBuf> {
        let files = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let now = |path: &Path| std::fs::read(path).ok().map(|bytes| digest(&bytes));
        let mut files = files.into_iter();
        files.find_map(|(path, digest)| (now(&path) != digest).then_some(path))
    }
}

/// Checks, and checks again whenever a file changes; `check` reads its command line anew each time and notes the files. Ends when
/// a signal comes, with what the last check came to.
pub(super) fn watch(interrupt: &Interrupt, mut check: impl FnMut(&FilesRead) -> Exit) -> Exit {
    let mut before = FilesRead::default();
    loop {
        let files = FilesRead::default();
        let exit = check(&files);
        let files = files.or_those_of(&before);
        if interrupt.is_set() {
            return exit;
        }
        say("watching; Ctrl-C ends it\n");
        let changed = loop {
            std::thread::sleep(PAUSE);
            if interrupt.is_set() {
                return exit;
            }
            if let Some(path) = files.changed() {
                break path;
            }
        };
        say(&format!("\n{} has changed\n", changed.display()));
        before = files;
    }
}

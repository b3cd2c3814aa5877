//! How the front end reads files: through a [`Loader`], and in no other way.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// The front end's access to files.
pub trait Loader {
    /// The contents of the file at `path`.
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>>;
}

/// Reads the file system.
#[derive(Copy, Clone, Debug, Default)]
pub struct FsLoader;

impl Loader for FsLoader {
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

/// Files in memory, for tests and editors.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: HashMap<PathBuf, Vec<u8>>,
}

impl MemoryLoader {
    /// Adds a file.
    pub fn with(mut self, path: impl Into<PathBuf>, text: impl Into<Vec<u8>>) -> MemoryLoader {
        self.files.insert(path.into(), text.into());
        self
    }
}

impl Loader for MemoryLoader {
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        self.files
            .get(path)
            .cloned()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    }
}

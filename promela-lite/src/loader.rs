//! How the front end reads files: through a [`Loader`], and in no other way.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The front end's access to files.
pub trait Loader {
    /// The contents of the file at `path`.
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>>;
}

/// Bytes that a file of a model may have.
pub const LONGEST: u64 = 64 << 20;

/// The contents of a regular file of at most `longest` bytes. Others are refused: a device may never end, and a pipe may never
/// begin.
pub fn read_file(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let regular = |there: std::fs::Metadata| match there.is_file() {
        true => Ok(()),
        false if there.is_dir() => Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a directory",
        )),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file; the name - reads standard input",
        )),
    };
    // Opening a pipe may wait for ever, so the first look is at the name.
    regular(std::fs::metadata(path)?)?;
    let file = std::fs::File::open(path)?;
    regular(file.metadata()?)?;
    read_all(file, longest)
}

/// All that a source gives, if it is at most `longest` bytes.
pub fn read_all(source: impl Read, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(longest + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > longest {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {} MiB", longest >> 20),
        )),
        false => Ok(bytes),
    }
}

/// Reads the file system.
#[derive(Copy, Clone, Debug, Default)]
pub struct FsLoader;

impl Loader for FsLoader {
    fn load(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        read_file(path, LONGEST)
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

//! The one place that reads and writes files for the command, the model's own text apart ([`super::model`]).
//!
//! What is written appears under its name at once and as a whole: it is written under a temporary
//! name in the same folder and renamed. Symbolic links are not followed.

use anyhow::{Context, bail};
use promela_lite::loader::{read_all, read_file};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// Bytes of a trail, an automaton or a formula that are read.
pub(super) const LONGEST: u64 = 1 << 30;

/// Stands for standard input.
pub(super) const STDIN: &str = "-";

/// The text of a file, or of standard input.
pub(super) fn read(path: &Path) -> anyhow::Result<String> {
    let bytes = match path == Path::new(STDIN) {
        true => read_all(std::io::stdin().lock(), LONGEST),
        false => read_file(path, LONGEST),
    };
    let cannot = || format!("cannot read {}", path.display());
    String::from_utf8(bytes.with_context(cannot)?).with_context(cannot)
}

/// Writes a file that is new, or takes the place of a regular file.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".ample-");
    #[cfg(unix)]
    {
        // As for any file: the user's mask says what others may do.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).with_context(cannot)?;
    file.write_all(text.as_bytes()).with_context(cannot)?;
    match std::fs::symlink_metadata(path) {
        Ok(there) if there.is_file() => file.persist(path).map(drop).with_context(cannot),
        Ok(_) => bail!("{}: it is no regular file", cannot()),
        Err(_) => file.persist_noclobber(path).map(drop).with_context(cannot),
    }
}

/// What stands under a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing.
    Free,
    /// A regular file with that text.
    File(String),
    /// Something else, or a file that cannot be read as text.
    Other,
}

/// Looks what stands under a name, without following links.
pub(super) fn standing(path: &Path) -> Standing {
    match std::fs::symlink_metadata(path) {
        Err(_) => Standing::Free,
        Ok(there) if there.is_file() => match read(path) {
            Ok(text) => Standing::File(text),
            Err(_) => Standing::Other,
        },
        Ok(_) => Standing::Other,
    }
}

/// A path with something behind its name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

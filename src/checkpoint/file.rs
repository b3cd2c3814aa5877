//! The file of a checkpoint: a line of JSON that says of what it is ([`Header`]), the parts of the search as bytes, their number,
//! and a checksum (SHA-256) of all that.
//!
//! It is written beside its place, as `FILE.part`, synced, and renamed: under its own name there is always a complete one.
//! Whoever writes holds a lock, so that two searches cannot write the same. A file is read twice: once to see whether it is
//! complete and undamaged, and only then for what it says.

use super::{Header, MAGIC};
use crate::limits::Cancellation;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::any::Any;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes behind the parts: how many bytes there are before, and the checksum.
const SEAL: u64 = 8 + 32;
/// Bytes between two looks at whether to give up.
const PATIENCE: usize = 1 << 20;
const BUFFER: usize = 1 << 18;
/// A header is never as long as this.
const LONGEST_HEADER: u64 = 1 << 20;

/// A checkpoint that is being written.
#[derive(Debug)]
pub struct Out {
    file: BufWriter<File>,
    part: PathBuf,
    hash: Sha256,
    length: u64,
    cancellation: Cancellation,
    until_look: usize,
    /// Numbers of what has been written once for all that refer to it, by address.
    known: FxHashMap<usize, u64>,
}

/// Where a checkpoint is written before it is complete.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Whether a file is a checkpoint, or the beginning of one; also if there is none.
pub(super) fn is_ours(path: &Path) -> io::Result<bool> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        found => found?,
    };
    if !found.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path)?
        .take(MAGIC.len() as u64)
        .read_to_end(&mut start)?;
    Ok(MAGIC.as_bytes().starts_with(&start))
}

/// Removes what a process has left that was killed while it wrote, unless another one is writing.
pub(super) fn clear(path: &Path) {
    let part = part_of(path);
    if is_ours(&part).is_ok_and(|ours| ours)
        && let Ok(file) = File::open(&part)
        && file.try_lock().is_ok()
    {
        // What cannot be removed is written over.
        let _ = fs::remove_file(&part);
    }
}

impl Out {
    /// Begins one that is to be called `path`.
    pub(super) fn create(path: &Path, header: &Header, stop: &Cancellation) -> io::Result<Out> {
        let part = part_of(path);
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(&part)?;
        if file.try_lock().is_err() {
            return Err(io::Error::other("another search writes it"));
        }
        file.set_len(0)?;
        let mut out = Out {
            file: BufWriter::with_capacity(BUFFER, file),
            part,
            hash: Sha256::new(),
            length: 0,
            cancellation: stop.clone(),
            until_look: PATIENCE,
            known: FxHashMap::default(),
        };
        let mut line = serde_json::to_vec(header)?;
        line.push(b'\n');
        out.write(&line)?;
        Ok(out)
    }

    /// Adds bytes.
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        self.file.write_all(bytes)?;
        self.until_look = self.until_look.saturating_sub(bytes.len());
        match self.until_look {
            0 => self.look(),
            _ => Ok(()),
        }
    }

    /// Gives up if the search is to end: the checkpoint before stays.
    #[cold]
    fn look(&mut self) -> io::Result<()> {
        self.until_look = PATIENCE;
        match self.cancellation.poll() {
            Some(_) => Err(io::ErrorKind::Interrupted.into()),
            None => Ok(()),
        }
    }

    /// The number of something that has been written before, or else the one that it has from now on.
    pub(crate) fn number_of(&mut self, address: usize) -> Result<u64, u64> {
        if let Some(&number) = self.known.get(&address) {
            return Ok(number);
        }
        let next = self.known.len() as u64;
        self.known.insert(address, next);
        Err(next)
    }

    /// Completes it, so that it is there also after the power was lost if it is to be `synced`.
    pub(super) fn finish(mut self, path: &Path, synced: bool) -> io::Result<()> {
        let length = self.length;
        self.file.write_all(&length.to_le_bytes())?;
        let sum = self.hash.finalize_reset();
        self.file.write_all(sum.as_slice())?;
        self.file.flush()?;
        if synced {
            self.file.get_ref().sync_all()?;
        }
        if !is_ours(path)? {
            return Err(io::Error::other("another file has taken its place"));
        }
        fs::rename(&self.part, path)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if synced {
            // Where folders cannot be synced, the name may be lost with the power, but not a file.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        self.part = PathBuf::new();
        Ok(())
    }
}

impl Drop for Out {
    /// One that was not completed leaves nothing.
    fn drop(&mut self) {
        if !self.part.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// A checkpoint that is being read.
pub struct In {
    file: io::Take<BufReader<File>>,
    /// What has been read once for all that refer to it, by number.
    known: FxHashMap<u64, Arc<dyn Any + Send + Sync>>,
}

/// Why a file is of no use as a checkpoint.
fn not_one(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

impl In {
    /// Opens a checkpoint that is complete and undamaged, and says of what it is.
    pub(super) fn open(path: &Path) -> io::Result<(Header, In)> {
        if !fs::metadata(path)?.is_file() {
            return Err(not_one("it is no regular file".to_owned()));
        }
        let mut file = BufReader::with_capacity(BUFFER, File::open(path)?);
        let size = file.get_ref().metadata()?.len();
        let mut line = Vec::new();
        (&mut file)
            .take(LONGEST_HEADER)
            .read_until(b'\n', &mut line)?;
        if !line.starts_with(MAGIC.as_bytes()) {
            return Err(not_one("it is no checkpoint".to_owned()));
        }
        let torn = || not_one(format!("it is torn: {size} bytes are not all of it"));
        let length = size.checked_sub(SEAL).ok_or_else(torn)?;
        file.seek(SeekFrom::Start(0))?;
        let mut hash = Sha256::new();
        let mut body = (&mut file).take(length);
        let mut buffer = vec![0; BUFFER];
        loop {
            match body.read(&mut buffer)? {
                0 => break,
                count => hash.update(&buffer[..count]),
            }
        }
        let (mut said, mut sum) = ([0; 8], [0; 32]);
        file.read_exact(&mut said)?;
        file.read_exact(&mut sum)?;
        if u64::from_le_bytes(said) != length {
            return Err(torn());
        }
        if hash.finalize().as_slice() != sum {
            return Err(not_one(
                "it is damaged: its checksum does not fit".to_owned(),
            ));
        }
        let header = serde_json::from_slice(&line)
            .map_err(|error| not_one(format!("its first line cannot be read: {error}")))?;
        file.seek(SeekFrom::Start(line.len() as u64))?;
        let rest = length - line.len() as u64;
        let input = In {
            file: file.take(rest),
            known: FxHashMap::default(),
        };
        Ok((header, input))
    }

    /// Fills `bytes`.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact(bytes)
    }

    /// Keeps something for all that refer to it.
    pub(crate) fn keep(&mut self, number: u64, item: Arc<dyn Any + Send + Sync>) {
        self.known.insert(number, item);
    }

    /// What was kept under a number.
    pub(crate) fn kept<T: Any + Send + Sync>(&self, number: u64) -> Option<Arc<T>> {
        let item = self.known.get(&number)?;
        Arc::clone(item).downcast().ok()
    }

    /// Whether all has been read.
    pub(crate) fn is_done(&self) -> bool {
        self.file.limit() == 0
    }
}

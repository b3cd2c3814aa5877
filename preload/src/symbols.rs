//! Names of places: functions and lines for code, variables for data.
//!
//! Symbols are read from the program's own table. Lines come from `addr2line` if that is installed, as
//! it is with every C compiler.

use crate::host::Error;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let mut value = [0; 8];
    value[..size].copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
    Some(u64::from_le_bytes(value))
}

/// Says why a file cannot be explored; otherwise the version of the sanitizer's library that it needs.
pub(crate) fn check(path: &Path) -> Result<Option<u8>, Error> {
    let name = path.display();
    let unsuitable = |why: &str| Err(Error::Unsuitable(format!("{name} {why}")));
    let bytes = std::fs::read(path);
    let bytes = bytes.map_err(|e| Error::System(format!("cannot read {name}"), e))?;
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return unsuitable("is no program for this machine (an ELF file)");
    }
    if number(&bytes, 18, 2) != Some(62) {
        return unsuitable("is a program for another processor than x86-64");
    }
    let headers = number(&bytes, 32, 8).unwrap_or(0) as usize;
    let size = number(&bytes, 54, 2).unwrap_or(0) as usize;
    let count = number(&bytes, 56, 2).unwrap_or(0) as usize;
    const INTERPRETER: u64 = 3;
    let kinds = (0..count).map(|index| number(&bytes, headers + index * size, 4));
    if !kinds.into_iter().any(|kind| kind == Some(INTERPRETER)) {
        return unsuitable(
            "is linked statically: no library can be loaded into it; link it without -static",
        );
    }
    const SANITIZER: &[u8] = b"libtsan.so.";
    let at = bytes.windows(SANITIZER.len()).position(|w| w == SANITIZER);
    Ok(at.and_then(|at| bytes.get(at + SANITIZER.len()).copied()))
}

struct Symbol {
    start: u64,
    end: u64,
    name: String,
}

/// A running `addr2line`.
struct Lines {
    process: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// The symbols of the program and where it was loaded.
pub(crate) struct Symbols {
    path: PathBuf,
    /// The first and last address of the program's image, and what is added to the addresses of its file.
    image: (u64, u64),
    base: u64,
    symbols: Vec<Symbol>,
    lines: RefCell<Option<Lines>>,
    known: RefCell<HashMap<u64, String>>,
    /// Pieces of memory that exist when an execution begins, but for the heap.
    stable: Vec<(u64, u64)>,
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Symbols")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// The stack of the main thread grows downwards, at most so far.
const STACK: u64 = 8 << 20;

impl Symbols {
    pub(crate) fn read(path: &Path, pid: u32) -> Symbols {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut image = (u64::MAX, 0);
        let mut stable = Vec::new();
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let Some((start, end)) = words.next().and_then(|range| range.split_once('-')) else {
                continue;
            };
            let parse = |text| u64::from_str_radix(text, 16).unwrap_or(0);
            let (mut start, end) = (parse(start), parse(end));
            let name = words.nth(4).unwrap_or("");
            if Path::new(name) == real {
                image = (image.0.min(start), image.1.max(end));
            }
            if name == "[heap]" {
                continue;
            }
            if name == "[stack]" {
                start -= STACK;
            }
            stable.push((start, end));
        }
        let bytes = std::fs::read(path).unwrap_or_default();
        const SHARED: u64 = 3;
        let base = match number(&bytes, 16, 2) {
            Some(SHARED) => image.0,
            _ => 0,
        };
        let mut symbols = table(&bytes).unwrap_or_default();
        symbols.sort_by_key(|symbol| symbol.start);
        Symbols {
            path: path.to_owned(),
            image,
            base,
            symbols,
            lines: RefCell::new(None),
            known: RefCell::default(),
            stable,
        }
    }

    /// Whether what is at an address is there in every execution.
    pub(crate) fn is_stable(&self, address: u64, heap: u64) -> bool {
        let within = |&(start, end): &(u64, u64)| (start..end).contains(&address);
        self.stable.iter().any(within) || (self.image.1..heap).contains(&address)
    }

    fn symbol(&self, address: u64) -> Option<(&str, u64)> {
        let address = address.checked_sub(self.base)?;
        let index = self
            .symbols
            .partition_point(|symbol| symbol.start <= address);
        let symbol = self.symbols[..index]
            .iter()
            .rev()
            .take(4)
            .find(|s| address < s.end)?;
        Some((&symbol.name, address - symbol.start))
    }

    /// A variable, or an address.
    pub(crate) fn data(&self, address: u64) -> String {
        match self.symbol(address) {
            Some((name, 0)) => name.to_owned(),
            Some((name, offset)) => format!("{name}+{offset}"),
            None => format!("{address:#x}"),
        }
    }

    /// Where a call returns to: function and line, as far as they are known.
    pub(crate) fn code(&self, address: u64) -> Option<String> {
        if address == 0 || !(self.image.0..self.image.1).contains(&address) {
            return None;
        }
        // The call itself comes before.
        let address = address - 1;
        if let Some(known) = self.known.borrow().get(&address) {
            return Some(known.clone());
        }
        let function = self.symbol(address).map(|(name, _)| name.to_owned());
        let line = self.line(address - self.base);
        let text = match (function, line) {
            (Some(function), Some(line)) => format!("{function}, {line}"),
            (Some(function), None) => function,
            (None, Some(line)) => line,
            (None, None) => format!("{:#x}", address - self.base),
        };
        self.known.borrow_mut().insert(address, text.clone());
        Some(text)
    }

    fn line(&self, address: u64) -> Option<String> {
        let mut lines = self.lines.borrow_mut();
        if lines.is_none() {
            let mut process = Command::new("addr2line")
                .arg("-e")
                .arg(&self.path)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .ok()?;
            let ask = process.stdin.take()?;
            let answers = BufReader::new(process.stdout.take()?);
            *lines = Some(Lines {
                process,
                ask,
                answers,
            });
        }
        let lines = lines.as_mut()?;
        writeln!(lines.ask, "{address:#x}").ok()?;
        lines.ask.flush().ok()?;
        let mut answer = String::new();
        lines.answers.read_line(&mut answer).ok()?;
        let answer = answer.split(" (").next()?.trim();
        let name = answer.rsplit('/').next()?;
        (!name.starts_with('?') && !name.is_empty()).then(|| name.to_owned())
    }
}

impl Drop for Symbols {
    fn drop(&mut self) {
        if let Some(mut lines) = self.lines.borrow_mut().take() {
            let _ = lines.process.kill();
            let _ = lines.process.wait();
        }
    }
}

/// Functions and variables of an ELF file.
fn table(bytes: &[u8]) -> Option<Vec<Symbol>> {
    let sections = number(bytes, 40, 8)? as usize;
    let size = number(bytes, 58, 2)? as usize;
    let count = number(bytes, 60, 2)? as usize;
    let field = |index: usize, offset: usize, bytes_of: usize| {
        let at = index.checked_mul(size)?.checked_add(sections)?;
        number(bytes, at.checked_add(offset)?, bytes_of)
    };
    const SYMBOLS: u64 = 2;
    const DYNAMIC: u64 = 11;
    let find = |kind| (0..count).find(|&index| field(index, 4, 4) == Some(kind));
    let index = find(SYMBOLS).or_else(|| find(DYNAMIC))?;
    let (start, length) = (field(index, 24, 8)? as usize, field(index, 32, 8)? as usize);
    let names = field(field(index, 40, 4)? as usize, 24, 8)? as usize;
    let mut symbols = Vec::new();
    const ENTRY: usize = 24;
    for entry in 0..length / ENTRY {
        let at = start.checked_add(entry * ENTRY)?;
        let kind = number(bytes, at + 4, 1)? & 15;
        let value = number(bytes, at + 8, 8)?;
        let length = number(bytes, at + 16, 8)?;
        // Variables and functions.
        if !matches!(kind, 1 | 2) || value == 0 {
            continue;
        }
        let name = names.checked_add(number(bytes, at, 4)? as usize)?;
        let name: Vec<u8> = bytes
            .get(name..)?
            .iter()
            .copied()
            .take_while(|&b| b != 0)
            .collect();
        symbols.push(Symbol {
            start: value,
            end: value.saturating_add(length.max(1)),
            name: String::from_utf8_lossy(&name).into_owned(),
        });
    }
    Some(symbols)
}

//! The program as a process: starting its fork server, beginning and ending executions, letting a thread
//! run and waiting until it hands over.
//!
//! The library and the memory that is shared are files without a name that only the program inherits.

use crate::LIBRARY;
use crate::fault::Fault;
use crate::protocol::{ABSENT, EXPLORER, MAGIC, PROGRAM, RUNNING, STOP, Shared, Slot};
use crate::symbols;
use std::ffi::{CStr, OsString};
use std::fmt;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long to sleep before looking whether something died.
const NAP: Duration = Duration::from_millis(50);

/// On a busy machine a thread may wait for a processor for so many times as long as it may run.
const MOST_STARVED: u32 = 10;

/// How long a program may take to reach `main`.
const START: Duration = Duration::from_secs(60);

/// Which program to explore, and how to run it.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// A thread that runs so long without a visible operation diverges.
    pub divergence: Duration,
    /// Whether what the program prints is shown.
    pub shows_output: bool,
    /// Set to give up.
    pub stop: Arc<AtomicBool>,
    /// Whether memory is at the same addresses whenever it is started: another sitting needs that.
    pub has_fixed_addresses: bool,
    #[doc(hidden)]
    pub fault: Option<Fault>,
}

impl Command {
    /// A program without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Command {
            program: program.into(),
            args: Vec::new(),
            divergence: Duration::from_secs(5),
            shows_output: false,
            stop: Arc::default(),
            has_fixed_addresses: false,
            fault: None,
        }
    }
}

/// Why a program cannot be explored.
#[derive(Debug)]
pub enum Error {
    /// It is not a program that the library can be loaded into.
    Unsuitable(String),
    /// The system refused something.
    System(String, std::io::Error),
    /// It left the explorer's control.
    Escape(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsuitable(what) => f.write_str(what),
            Error::System(what, error) => write!(f, "{what}: {error}"),
            Error::Escape(what) => write!(f, "the program leaves the explorer's control: {what}"),
        }
    }
}

impl std::error::Error for Error {}

/// Why nobody handed over.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The time is over.
    Divergence,
    /// A process ended without a word: how.
    Died(String),
    /// Somebody wants to stop.
    Stopped,
    /// The fork server is gone.
    Server,
}

/// A started program.
#[derive(Debug)]
pub(crate) struct Host {
    server: Child,
    memory: NonNull<Shared>,
    execution: u32,
    divergence: Duration,
    stop: Arc<AtomicBool>,
    affinity: Option<Affinity>,
}

fn system(what: &str) -> Error {
    Error::System(what.to_owned(), std::io::Error::last_os_error())
}

/// A file without a name.
fn nameless(name: &CStr) -> Result<OwnedFd, Error> {
    // SAFETY: the name ends with a zero.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(system("cannot make a file in memory"));
    }
    // SAFETY: the descriptor is new and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The library as a file. Its name for the linker is that of the sanitizer's library that the program
/// needs, so that this one is loaded instead.
fn library(needs: Option<u8>) -> Result<OwnedFd, Error> {
    use std::io::Write;
    const NAME: &[u8] = b"libtsan.so.2\0";
    let mut bytes = LIBRARY.to_vec();
    if let Some(version) = needs
        && let Some(at) = bytes.windows(NAME.len()).position(|w| w == NAME)
    {
        bytes[at + NAME.len() - 2] = version;
    }
    let mut file = std::fs::File::from(nameless(c"ample-library")?);
    let written = file.write_all(&bytes);
    written.map_err(|e| Error::System("cannot write a file in memory".to_owned(), e))?;
    Ok(file.into())
}

fn map(fd: RawFd) -> Result<NonNull<Shared>, Error> {
    let size = size_of::<Shared>();
    // SAFETY: the file is ours; a new mapping at an address of the kernel's choice overwrites nothing.
    let address = unsafe {
        if libc::ftruncate(fd, size as libc::off_t) != 0 {
            return Err(system("cannot allocate shared memory"));
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(
            std::ptr::null_mut(),
            size,
            protection,
            libc::MAP_SHARED,
            fd,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(system("cannot map shared memory"));
    }
    NonNull::new(address.cast()).ok_or_else(|| system("cannot map shared memory"))
}

/// Waits, at most for a nap, as long as a word has a value.
fn futex_wait(word: &AtomicU32, value: u32) {
    let nap = libc::timespec {
        tv_sec: 0,
        tv_nsec: i64::from(NAP.subsec_nanos()),
    };
    // SAFETY: both addresses are valid during the call.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            value,
            &raw const nap,
        );
    }
}

fn futex_wake(word: &AtomicU32) {
    // SAFETY: the address is valid.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
    }
}

/// What the kernel says of a process or thread, from its state on; empty if there is none.
fn stat(directory: &Path) -> String {
    let text = std::fs::read_to_string(directory.join("stat")).unwrap_or_default();
    text.rsplit_once(") ")
        .map_or(String::new(), |(_, rest)| rest.to_owned())
}

fn directory(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

/// Whether a process has ended, even if nobody waited for it.
fn is_dead(pid: u32) -> bool {
    let stat = stat(&directory(pid));
    stat.is_empty() || stat.starts_with(['Z', 'X'])
}

/// The processor time that a process has used.
fn processor_time(pid: u32) -> Duration {
    let stat = stat(&directory(pid));
    // The state comes first; in user mode, and in the kernel.
    let ticks = stat.split(' ').skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|t| t.parse::<u64>().ok()).sum();
    // SAFETY: no memory is involved.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Duration::from_secs_f64(ticks as f64 / per_second.max(1) as f64)
}

/// Whether a thread of a process is running, or waits for a processor.
fn wants_to_run(pid: u32) -> bool {
    let threads = std::fs::read_dir(directory(pid).join("task"));
    let mut threads = threads.into_iter().flatten().flatten();
    threads.any(|thread| stat(&thread.path()).starts_with('R'))
}

/// Where the thread that explores may run otherwise.
///
/// Only one of explorer and program runs at a time. On one processor they hand over by a context
/// switch; between processors a sleeping one would have to be woken each time, which takes three
/// times as long.
#[derive(Clone, Copy)]
struct Affinity(libc::cpu_set_t);

impl fmt::Debug for Affinity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Affinity")
    }
}

impl Affinity {
    /// Keeps this thread, and what it starts, on the processor where it is.
    fn pin() -> Option<Affinity> {
        // SAFETY: the sets are plain data of the size that is passed.
        unsafe {
            let mut before: libc::cpu_set_t = std::mem::zeroed();
            let here = usize::try_from(libc::sched_getcpu()).ok()?;
            if libc::sched_getaffinity(0, size_of_val(&before), &raw mut before) != 0 {
                return None;
            }
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(here, &mut one);
            let pinned = libc::sched_setaffinity(0, size_of_val(&one), &raw const one) == 0;
            pinned.then_some(Affinity(before))
        }
    }

    fn restore(self) {
        // SAFETY: the set is plain data of the size that is passed.
        unsafe { libc::sched_setaffinity(0, size_of_val(&self.0), &raw const self.0) };
    }
}

impl Host {
    /// Starts the program and lets it run to its `main`.
    pub(crate) fn start(command: &Command) -> Result<Host, Error> {
        if LIBRARY.is_empty() {
            let what = "C programs can be explored on Linux with x86-64 only";
            return Err(Error::Unsuitable(what.to_owned()));
        }
        let needs = symbols::check(&command.program)?;
        let library = library(needs)?;
        let file = nameless(c"ample-shared")?;
        let memory = map(file.as_raw_fd())?;
        let inherited = [library.as_raw_fd(), file.as_raw_fd()];
        let parent = std::process::id();
        let mut process = std::process::Command::new(&command.program);
        process
            .args(&command.args)
            .env("LD_PRELOAD", format!("/proc/self/fd/{}", inherited[0]))
            .env("AMPLE_LIBRARY", inherited[0].to_string())
            .env("AMPLE_SHARED", inherited[1].to_string())
            // Lazy binding would look up functions with the loader's lock held.
            .env("LD_BIND_NOW", "1")
            .stdin(Stdio::null())
            .process_group(0);
        if !command.shows_output {
            process.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let is_fixed = command.has_fixed_addresses;
        // SAFETY: only system calls are made between fork and exec.
        unsafe {
            process.pre_exec(move || {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() as u32 != parent {
                    libc::_exit(1);
                }
                if is_fixed && libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) == -1 {
                    return Err(std::io::Error::last_os_error());
                }
                for fd in inherited {
                    libc::fcntl(fd, libc::F_SETFD, 0);
                }
                Ok(())
            });
        }
        let affinity = Affinity::pin();
        let shared = Host::shared_at(&memory);
        shared.magic.store(MAGIC, Ordering::Relaxed);
        shared.turn.store(PROGRAM, Ordering::Relaxed);
        let name = command.program.display();
        let server = process.spawn();
        let server = server.map_err(|e| Error::System(format!("cannot start {name}"), e))?;
        let mut host = Host {
            server,
            memory,
            execution: 0,
            divergence: START,
            stop: command.stop.clone(),
            affinity,
        };
        let ready = host.wait();
        host.divergence = command.divergence;
        match ready {
            Ok(()) => Ok(host),
            Err(Lost::Stopped) => Ok(host),
            Err(_) => Err(Error::Unsuitable(format!(
                "{name} does not reach its main function under control: it ended, or does not load the library"
            ))),
        }
    }

    fn shared_at(memory: &NonNull<Shared>) -> &Shared {
        // SAFETY: the mapping has the size of the structure, which consists of atomic numbers, and
        // exists as long as the host.
        unsafe { memory.as_ref() }
    }

    pub(crate) fn shared(&self) -> &Shared {
        Host::shared_at(&self.memory)
    }

    pub(crate) fn slot(&self, index: u32) -> &Slot {
        &self.shared().slots[index as usize]
    }

    /// The process that has everything mapped as all executions begin with it.
    pub(crate) fn pid(&self) -> u32 {
        self.server.id()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the current execution and begins another one, up to where its first thread hands over.
    pub(crate) fn restart(&mut self) -> Result<(), Lost> {
        self.end_execution()?;
        let shared = self.shared();
        let used = shared.used.load(Ordering::Relaxed);
        for slot in &shared.slots[..used.min(crate::protocol::SLOTS as u32) as usize] {
            slot.state.store(ABSENT, Ordering::Relaxed);
        }
        let first = self.slot(0);
        for word in [
            &first.go,
            &first.fresh,
            &first.process,
            &first.children,
            &first.wrote,
            // Until the new process has said its own: the old one is dead.
            &first.pid,
        ] {
            word.store(0, Ordering::Relaxed);
        }
        first.state.store(RUNNING, Ordering::Relaxed);
        shared.used.store(1, Ordering::Relaxed);
        shared.died.store(0, Ordering::Relaxed);
        shared.group.store(0, Ordering::Relaxed);
        shared.turn.store(PROGRAM, Ordering::Relaxed);
        self.execution += 1;
        let shared = self.shared();
        shared.command.store(self.execution, Ordering::Release);
        futex_wake(&shared.command);
        self.wait()
    }

    /// Kills what is left of the current execution and waits until it is gone.
    fn end_execution(&mut self) -> Result<(), Lost> {
        let reaped = |host: &Host| host.shared().reaped.load(Ordering::Acquire);
        let mut waited = Duration::ZERO;
        while reaped(self) != self.execution {
            let shared = self.shared();
            let group = shared.group.load(Ordering::Acquire) as i32;
            if group > 0 {
                // SAFETY: no memory is involved.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            futex_wait(&shared.reaped, self.execution.wrapping_sub(1));
            waited += NAP;
            if waited > START || matches!(self.server.try_wait(), Ok(Some(_)) | Err(_)) {
                return Err(Lost::Server);
            }
        }
        Ok(())
    }

    /// Answers a thread. It runs, if it has something left to do.
    pub(crate) fn answer(&self, index: u32, result: i64, more: u64) {
        let slot = self.slot(index);
        slot.result.store(result as u64, Ordering::Relaxed);
        slot.more.store(more, Ordering::Relaxed);
        slot.state.store(RUNNING, Ordering::Relaxed);
        slot.go.store(1, Ordering::Release);
        futex_wake(&slot.go);
    }

    /// Answers a thread and waits until somebody hands over.
    pub(crate) fn run(&mut self, index: u32, result: i64, more: u64) -> Result<(), Lost> {
        self.shared().turn.store(PROGRAM, Ordering::Relaxed);
        self.answer(index, result, more);
        self.wait()
    }

    fn wait(&mut self) -> Result<(), Lost> {
        let begin = Instant::now();
        let mut used_before = None;
        loop {
            if self.shared().turn.load(Ordering::Acquire) == EXPLORER {
                return Ok(());
            }
            futex_wait(&self.shared().turn, PROGRAM);
            if self.shared().turn.load(Ordering::Acquire) == EXPLORER {
                return Ok(());
            }
            if let Some(how) = self.death() {
                // What it said last may be on its way.
                if self.shared().turn.load(Ordering::Acquire) == EXPLORER {
                    return Ok(());
                }
                return Err(Lost::Died(how));
            }
            if self.is_stopped() {
                return Err(Lost::Stopped);
            }
            if matches!(self.server.try_wait(), Ok(Some(_)) | Err(_)) {
                return Err(Lost::Server);
            }
            let used = used_before.get_or_insert_with(|| self.processor_time());
            if begin.elapsed() >= self.divergence && !self.is_starved(*used, begin) {
                return Err(Lost::Divergence);
            }
        }
    }

    /// Whether the program would go on if other programs let it: it wants to run, and got little of
    /// the time since it was answered.
    fn is_starved(&self, used_before: Duration, begin: Instant) -> bool {
        let used = self.processor_time().saturating_sub(used_before);
        used < self.divergence / 4
            && begin.elapsed() < self.divergence * MOST_STARVED
            && self.processes().any(wants_to_run)
    }

    /// What the processes of the execution have used.
    fn processor_time(&self) -> Duration {
        self.processes().map(processor_time).sum()
    }

    fn processes(&self) -> impl Iterator<Item = u32> {
        let used = self.shared().used.load(Ordering::Relaxed);
        let slots = (0..used.min(crate::protocol::SLOTS as u32)).map(|index| self.slot(index));
        let mut all: Vec<u32> = slots.map(|slot| slot.pid.load(Ordering::Relaxed)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().filter(|&pid| pid != 0)
    }

    /// How a process of the execution died although it had not said so.
    fn death(&self) -> Option<String> {
        let shared = self.shared();
        let died = shared.died.load(Ordering::Acquire);
        let status = shared.died_status.load(Ordering::Relaxed) as i32;
        if died != 0 && libc::WIFSIGNALED(status) {
            return Some(format!("killed by signal {}", libc::WTERMSIG(status)));
        }
        let used = shared.used.load(Ordering::Relaxed);
        let dead = (0..used).map(|index| self.slot(index)).any(|slot| {
            let pid = slot.pid.load(Ordering::Relaxed);
            pid != 0 && slot.state.load(Ordering::Relaxed) == RUNNING && is_dead(pid)
        });
        dead.then(|| "ended without calling exit".to_owned())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let ended = self.end_execution();
        let shared = self.shared();
        shared.command.store(STOP, Ordering::Release);
        futex_wake(&shared.command);
        if ended.is_err() {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
        if let Some(affinity) = self.affinity {
            affinity.restore();
        }
        // SAFETY: the mapping was made by `map`, and no reference to it is left.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), size_of::<Shared>()) };
    }
}

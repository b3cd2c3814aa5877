//! The faults, and how each is brought about.

use crate::cases::Case;
use crate::judge::{Account, Folder, ample, limited, shell, signalled};
use promela_random::Rng;
use rustix::process::Signal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const CHECKPOINT: &str = "search.checkpoint";

/// Where all this happens, with a small disk if one can be mounted.
pub(crate) struct Place {
    path: PathBuf,
    disk: Option<PathBuf>,
}

impl Place {
    pub(crate) fn new() -> Place {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults");
        let disk = path.join("disk");
        let unmount = || Command::new("umount").arg(&disk).output();
        if disk.exists() {
            let _ = unmount();
        }
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&disk).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(&disk)
            .output();
        let mounted = mount.is_ok_and(|output| output.status.success());
        if !mounted {
            println!("no small disk can be mounted here: full disks are passed over");
        }
        Place {
            path,
            disk: mounted.then_some(disk),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(disk) = &self.disk {
            let _ = Command::new("umount").arg(disk).output();
        }
    }
}

/// Something that goes wrong.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The n-th piece of memory and all later ones are refused.
    Piece(u64),
    /// The n-th table and all later ones are refused.
    Table(u64),
    /// The thread of the n-th worker is refused, and all later ones.
    Thread(u64),
    /// So many KiB of address space.
    AddressSpace(u64),
    /// No file may have more bytes.
    FileSize(u64),
    /// The disk with the checkpoint is full.
    Disk(Option<PathBuf>),
    /// A signal comes.
    Signal(Signal),
    /// The process is killed so often.
    Kills(u32),
}

impl Fault {
    /// One of those of a kind.
    pub(crate) fn of_kind(kind: usize, place: &Place, rng: &mut Rng) -> Fault {
        // Small numbers as often as large ones.
        let mut spread = |bits: u32| 1 + (rng.next_u64() >> (64 - 1 - rng.below32(bits)));
        match kind % 9 {
            0 => Fault::Piece(spread(10)),
            1 => Fault::Table(spread(6)),
            2 => Fault::Thread(spread(2)),
            3 => Fault::AddressSpace(60_000 + rng.next_u64() % 250_000),
            4 => Fault::FileSize(spread(17)),
            5 => Fault::Disk(place.disk.clone()),
            6 => {
                let signals = [Signal::TERM, Signal::INT, Signal::HUP];
                Fault::Signal(signals[rng.below32(3) as usize])
            }
            _ => Fault::Kills(1 + rng.below32(5)),
        }
    }

    /// Whether it can be brought about.
    pub(crate) fn meets(&self, case: &Case) -> bool {
        let injected = cfg!(feature = "faults");
        match self {
            Fault::Piece(_) | Fault::Table(_) => injected,
            Fault::Thread(_) => injected && case.way.contains("--workers 3"),
            Fault::AddressSpace(_) | Fault::Signal(_) => true,
            Fault::FileSize(_) | Fault::Kills(_) => case.keeps,
            Fault::Disk(disk) => disk.is_some() && case.keeps,
        }
    }

    /// Brings it about, and judges what comes of it.
    pub(crate) fn inject(
        &self,
        case: &Case,
        folder: &Folder,
        rng: &mut Rng,
        about: &str,
        account: &mut Account,
    ) {
        let path = folder.path.as_path();
        let keeping = ["--checkpoint", CHECKPOINT, "--every", "1ms"];
        let mut soon = || Duration::from_millis(u64::from(rng.below32(400)));
        let with = |name: &'static str, number: u64| [(name, number.to_string())];
        let mut refused = |name, number, kind, unreported| {
            account.count(kind);
            let run = ample(path, &case.args(&[]), &with(name, number));
            account.judge(&run, case, unreported, about);
        };
        match self {
            Fault::Piece(number) => refused("AMPLE_FAULT_ALLOC", *number, "piece", true),
            Fault::Table(number) => refused("AMPLE_FAULT_TABLE", *number, "table", false),
            Fault::Thread(number) => refused("AMPLE_FAULT_THREAD", *number, "thread", false),
            Fault::AddressSpace(kib) => {
                account.count("address space");
                let run = limited(path, &format!("-v {kib}"), &case.args(&[]));
                account.judge(&run, case, true, about);
            }
            Fault::FileSize(bytes) => {
                account.count("file size");
                let ample = env!("CARGO_BIN_EXE_ample");
                let args = case.args(&keeping).join(" ");
                let run = shell(
                    path,
                    &format!("exec prlimit --fsize={bytes} '{ample}' {args}"),
                );
                account.judge(&run, case, false, about);
            }
            Fault::Disk(disk) => {
                account.count("disk");
                let disk = disk.as_deref().unwrap_or(path);
                let file = disk.join(CHECKPOINT).display().to_string();
                let spill = disk.display().to_string();
                let mut args = vec!["--checkpoint", &file, "--every", "1ms"];
                if case.way.contains("compressed") {
                    args.extend(["--memory", "2M", "--spill", &spill]);
                }
                let run = ample(path, &case.args(&args), &[]);
                account.judge(&run, case, false, about);
                for entry in std::fs::read_dir(disk).unwrap().flatten() {
                    let name = entry.file_name();
                    if name != CHECKPOINT {
                        account.leave(format!("{about}: {name:?} is left on the disk"));
                    }
                    let _ = std::fs::remove_file(entry.path());
                }
            }
            Fault::Signal(signal) => {
                account.count("signal");
                let args = match case.keeps {
                    true => case.args(&keeping),
                    false => case.args(&[]),
                };
                let run = signalled(path, &args, soon(), *signal);
                // Before the handler is there it ends the process.
                match run.code {
                    -1 if run.out.is_empty() => account.judge_killed(&run, case, about),
                    _ => account.judge(&run, case, false, about),
                }
            }
            Fault::Kills(times) => {
                let always = ["--no-trail", "--format", "json"];
                let resume = ["--resume", CHECKPOINT];
                let there = || path.join(CHECKPOINT).exists();
                for _ in 0..*times {
                    account.count("kill");
                    let resume = if there() { &resume[..] } else { &[] };
                    let args = case.args(&[&always[..], &keeping, resume].concat());
                    let run = signalled(path, &args, soon(), Signal::KILL);
                    account.judge_killed(&run, case, about);
                    if run.code != -1 {
                        break;
                    }
                }
                let resume = if there() { &resume[..] } else { &[] };
                let args = case.args(&[&always[..], &keeping, resume].concat());
                let run = ample(path, &args, &[]);
                account.judge_resumed(&run, case, about);
            }
        }
    }
}

//! SPIN as an oracle: whether it accepts a model, and the graphs it makes of one.
//!
//! Where SPIN (or, for graphs, a C compiler) is not installed, tests say so loudly and pass; with the environment
//! variable `AMPLE_REQUIRE_SPIN=1`, as in continuous integration, they fail instead.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether the programs are there; if not, says that the test is skipped, or fails where they are required.
pub(crate) fn available(programs: &[&str]) -> bool {
    let missing: Vec<&&str> = programs
        .iter()
        .filter(|p| Command::new(p).arg("--version").output().is_err())
        .collect();
    if missing.is_empty() {
        return true;
    }
    let note = format!("{missing:?} not installed: NOTHING WAS COMPARED WITH SPIN");
    assert!(
        std::env::var_os("AMPLE_REQUIRE_SPIN").is_none(),
        "AMPLE_REQUIRE_SPIN is set, but {note}"
    );
    eprintln!("note: {note}");
    false
}

/// The models that come with Debian's package, where they lie.
#[allow(
    dead_code,
    reason = "not every test that includes this file looks at the examples"
)]
pub(crate) fn examples() -> Vec<PathBuf> {
    let listed = Command::new("dpkg").args(["-L", "spin"]).output();
    let text = listed.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let mut models: Vec<PathBuf> = text
        .unwrap_or_default()
        .lines()
        .filter(|line| line.ends_with(".pml"))
        .map(PathBuf::from)
        .filter(|path| path.is_file())
        .collect();
    models.sort();
    if models.is_empty() {
        let note = "SPIN's examples are not installed: NOTHING WAS COMPARED WITH THEM";
        assert!(
            std::env::var_os("AMPLE_REQUIRE_SPIN").is_none(),
            "AMPLE_REQUIRE_SPIN is set, but {note}"
        );
        eprintln!("note: {note}");
    }
    models
}

/// Applies `f` to all items on a few threads; results come in the order of the items.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, |n| n.get().min(4));
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let work = || {
            let mut mine = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(index) else {
                    return mine;
                };
                mine.push((index, f(item)));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .flat_map(|h| h.join().expect("a worker"))
            .collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A folder of its own that is removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("spin-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    #[allow(dead_code, reason = "some tests only read what lies elsewhere")]
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn run(&self, program: &str, args: &[&str]) -> Output {
        let output = Command::new(program)
            .args(args)
            .current_dir(&self.0)
            .output();
        output.unwrap_or_else(|e| panic!("{program}: {e}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `spin -a` with these options. Gives back all that it said, as an error when it refused the model.
pub(crate) fn generate(folder: &Folder, model: &Path, options: &[&str]) -> Result<String, String> {
    let file = model.to_string_lossy();
    let args: Vec<&str> = options.iter().copied().chain(["-a", &file]).collect();
    let output = folder.run("spin", &args);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if output.status.success() && folder.0.join("pan.c").exists() {
        Ok(said)
    } else {
        Err(said)
    }
}

/// One transition: from, to, SPIN's step, and the flags that SPIN prints (atomic, accept, end, progress).
pub(crate) type Transition = (u32, u32, u32, String);

/// The graphs of a model by the name of their process or claim.
pub(crate) type Graphs = BTreeMap<String, BTreeSet<Transition>>;

/// The graphs that SPIN makes of a model, without its optimisations; an error if it refuses the model.
#[allow(
    dead_code,
    reason = "not every test that includes this file looks at graphs"
)]
pub(crate) fn graphs(model: &Path) -> Result<Graphs, String> {
    let folder = Folder::new();
    generate(&folder, model, &["-o1", "-o2", "-o3"])?;
    let built = folder.run("gcc", &["-w", "-O0", "-DNOREDUCE", "-o", "pan", "pan.c"]);
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr).into_owned();
        return Err(format!("gcc: {said}"));
    }
    let pan = folder.0.join("pan");
    let shown = folder.run(&pan.to_string_lossy(), &["-d"]);
    Ok(parse(&String::from_utf8_lossy(&shown.stdout)))
}

/// Reads lines such as `state 6 -(tr 3)-> state 4 [id 0 tp 2] [A---G] m.pml:4 => x = 1` below a heading.
fn parse(text: &str) -> Graphs {
    let mut graphs = Graphs::new();
    let mut current = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["state", from, "-(tr", _, "state", to, "[id", step, ..] => {
                // A flag that is empty is a minus; the last one is about the reduction and not ours.
                let rest = line.split("] [").nth(1).unwrap_or("");
                let flags = rest.get(..4).unwrap_or("").to_string();
                let number = |word: &str| word.parse().expect("a number");
                let transition = (number(from), number(to), number(step), flags);
                graphs
                    .entry(current.clone())
                    .or_default()
                    .insert(transition);
            }
            ["proctype" | "claim", name, ..] => current = name.to_string(),
            ["init", ..] => current = ":init:".to_string(),
            ["trace" | "notrace", ..] => current = "trace".to_string(),
            _ => {}
        }
    }
    graphs
}

//! `ample.toml` and `--watch`: what a project says about its models, and checks that follow changes.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use support::cli::Dir;

/// Holds for N up to 3.
const MODEL: &str =
    "#ifndef N\n#define N 1\n#endif\nbyte x; active proctype P() { x = N; assert(x < 4) }";

fn project(name: &str, file: &str) -> Dir {
    let dir = Dir::new(name);
    std::fs::create_dir_all(dir.path().join("models/deep")).expect("folders");
    dir.put("models/deep/m.pml", MODEL);
    dir.put("ample.toml", file);
    dir
}

const M: &str = "models/deep/m.pml";

#[test]
fn options_come_from_the_file_above() {
    let dir = project(
        "project_found",
        "[model]\ndefine = [\"N=7\"]\n[check]\nno-trail = true\n",
    );
    dir.ample(&["check", M]).exits(1);
    // The command line wins; without the file everything is as usual.
    dir.ample(&["check", M, "-DN=2"]).exits(0);
    dir.ample(&["check", M, "--no-config"]).exits(0);
    // The folder of the model counts, not that of the caller.
    let elsewhere = Dir::new("project_elsewhere");
    let path = dir.path().join(M);
    let path = path.to_str().expect("UTF-8");
    elsewhere.ample(&["check", path]).exits(1);
    // Every command that reads a model sees the same one.
    let text = dir.ample(&["explain", M]).exits(0).out;
    assert!(text.contains("x = 7"), "{text}");
    dir.ample(&["simulate", M]).exits(1);
    let graph = dir.ample(&["graph", M]).exits(0).out;
    assert!(graph.contains("x = 7"), "{graph}");
    assert!(!dir.path().join("m.pml.trail").exists());
    // Standard input has no folder: the current one counts.
    dir.ample_reading(&["check", "-"], MODEL).exits(1);
}

#[test]
fn the_report_says_what_was_used() {
    let dir = project(
        "project_told",
        "[check]\nno-trail = true\nno-merge = true\nstates = 500\n[models.\"models/deep/m.pml\"]\ndefine = [\"N=2\"]\nno-merge = false\n",
    );
    let run = dir.ample(&["check", M, "-v"]).exits(0);
    let line = run
        .out
        .lines()
        .find(|line| line.starts_with("configuration: "));
    let line = line.unwrap_or_else(|| panic!("{run:?}"));
    assert!(
        line.ends_with("ample.toml: -DN=2 --no-trail --states=500"),
        "{line}"
    );
    assert!(!dir.ample(&["check", M]).out.contains("configuration"));
    let json = dir.ample(&["check", M, "--format", "json"]).exits(0).json();
    assert!(
        json["configuration"]
            .as_str()
            .is_some_and(|text| text.contains("--states=500"))
    );
    let json = dir
        .ample(&["check", M, "--no-config", "--no-trail", "--format", "json"])
        .json();
    assert!(json.get("configuration").is_none());
}

#[test]
fn what_conflicts_with_the_command_line_gives_way() {
    let dir = project(
        "project_wins",
        "[check]\nno-trail = true\ncheck = \"safety\"\nstates = 1\n",
    );
    dir.ample(&["check", M]).exits(3);
    dir.ample(&["check", M, "--states", "100"]).exits(0);
    // `--claim` conflicts with `--check`, and `--trail` with `--no-trail`.
    let run = dir
        .ample(&["check", M, "--claim", "p", "--states", "100"])
        .exits(2);
    assert!(run.err.contains("states no property p"), "{run:?}");
    dir.ample(&["check", M, "-DN=9", "--states", "100", "--trail", "t.trail"])
        .exits(1);
    assert!(dir.path().join("t.trail").exists());
}

#[test]
fn wrong_files_are_refused_with_their_place() {
    for (index, (file, words)) in [
        (
            "[check]\ntime = \"1m\"\nmemroy = \"1G\"\n",
            "ample.toml:3: unknown option `memroy` in [check]; is `memory` meant?",
        ),
        (
            "[checks]\ntime = \"1m\"\n",
            "ample.toml:1: unknown section `checks`",
        ),
        ("time = \"1m\"\n", "ample.toml:1: unknown section `time`"),
        (
            "[check]\n\nno-trail = 3\n",
            "ample.toml:3: `no-trail`: it is true or false",
        ),
        (
            "[check]\nstates = [1, 2]\n",
            "ample.toml:2: `states`: it has one value",
        ),
        (
            "[check]\nstates = true\n",
            "ample.toml:2: `states`: it is a string or a number",
        ),
        (
            "[check]\nstates = \"many\"\n",
            "ample.toml:2: error: invalid value 'many'",
        ),
        (
            "[check]\nreport = \"x.html\"\n",
            "ample.toml:2: unknown option `report` in [check]: it is for the command line only",
        ),
        (
            "[model]\nstates = 3\n",
            "ample.toml:2: unknown option `states` in [model]",
        ),
        (
            "[models.\"m.pml\"]\nnothing = 1\n",
            "ample.toml:2: unknown option `nothing` in [models]",
        ),
        (
            "[models]\n\"m.pml\" = 1\n",
            "ample.toml:2: [models.\"m.pml\"] is a table of options",
        ),
        ("[check\n", "ample.toml:1: "),
        // A section of another command is checked too.
        (
            "[test]\njobs = 2\nfolder = \"x\"\n",
            "ample.toml:3: unknown option `folder` in [test]",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = project(&format!("project_wrong_{index}"), file);
        let run = dir.ample(&["check", M]).exits(2);
        assert!(
            run.err.contains(words) && run.out.is_empty(),
            "{file}: {run:?}"
        );
        dir.ample(&["check", M, "--no-config", "--no-trail"])
            .exits(0);
    }
}

#[test]
fn suites_use_the_file() {
    let dir = project(
        "project_suite",
        "[model]\ndefine = [\"N=7\"]\n[test]\npaths = [\"models\"]\njobs = 1\nverbose = true\n",
    );
    let model = format!("/*\n * expect: safety violated, assertion\n */\n{MODEL}");
    dir.put(M, &model);
    let run = dir.ample(&["test"]).exits(0);
    assert!(
        run.out.contains("passed") && run.out.contains("m.pml"),
        "{run:?}"
    );
    let run = dir.ample(&["test", "--no-config", "models"]).exits(1);
    assert!(run.out.contains("expected violated, but holds"), "{run:?}");
    let run = dir.ample(&["test", "--no-config"]).exits(2);
    assert!(run.err.contains("no PATH"), "{run:?}");
    // A limit of the file is not replaced by the share of memory that each model gets.
    dir.put("ample.toml", "[check]\nmemory = \"1K\"\n");
    let counter = "/* expect: safety holds */ int x; active proctype P() { do :: x < 9000 -> x++ :: else -> break od }";
    dir.put(M, counter);
    let run = dir.ample(&["test", "models"]).exits(3);
    assert!(
        run.out.contains("memory limit of 1.0 KiB reached") || run.out.contains("memory limit"),
        "{run:?}"
    );
}

/// A running `ample check --watch`, and the lines that it prints.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(dir: &Dir, args: &[&str]) -> Watching {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ample"))
            .args(args)
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ample runs");
        let (send, lines) = channel();
        let out = BufReader::new(child.stdout.take().expect("output"));
        let err = BufReader::new(child.stderr.take().expect("messages"));
        let other = send.clone();
        std::thread::spawn(move || {
            out.lines()
                .map_while(Result::ok)
                .try_for_each(|l| send.send(l))
        });
        std::thread::spawn(move || {
            err.lines()
                .map_while(Result::ok)
                .try_for_each(|l| other.send(l))
        });
        Watching { child, lines }
    }

    /// Waits for a line that contains a text, and for the next pause.
    fn says(&self, text: &str) {
        let mut seen = Vec::new();
        let (mut found, mut waits) = (false, false);
        while !(found && waits) {
            match self.lines.recv_timeout(Duration::from_secs(60)) {
                Ok(line) => {
                    found |= line.contains(text);
                    waits |= line.contains("watching");
                    seen.push(line);
                }
                Err(error) => panic!("no `{text}`: {error}: {seen:?}"),
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_is_checked_again() {
    let dir = Dir::new("project_watch");
    dir.put(
        "m.pml",
        "#include \"inc.h\"\nbyte x; active proctype P() { x = N; assert(x < 4) }",
    );
    dir.put("inc.h", "#define N 1\n");
    let mut watching = Watching::start(&dir, &["check", "--watch", "-q", "--no-trail", "m.pml"]);
    watching.says("HOLDS  m.pml");
    dir.put("inc.h", "#define N 9\n");
    watching.says("VIOLATED  m.pml");
    // An error ends nothing.
    dir.put("inc.h", "#define N )\n");
    watching.says("error");
    dir.put("inc.h", "#define N 2\n");
    watching.says("HOLDS  m.pml");
    // A file of the project that is written later counts, and so does what is wrong with it.
    dir.put("ample.toml", "[model\n");
    watching.says("ample.toml:1: ");
    dir.put("ample.toml", "[model]\ndefine = [\"M=1\"]\n");
    dir.put(
        "m.pml",
        "#include \"inc.h\"\nbyte x; active proctype P() { x = N + 7 * M; assert(x < 4) }",
    );
    watching.says("VIOLATED  m.pml");
    let pid = watching.child.id().to_string();
    let killed = Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .expect("kill");
    assert!(killed.success());
    let status = watching.child.wait().expect("an end");
    assert_eq!(status.code(), Some(1), "what the last check came to");
    let run = dir
        .ample_reading(&["check", "--watch", "-"], MODEL)
        .exits(2);
    assert!(
        run.err
            .contains("--watch: standard input cannot be read again"),
        "{run:?}"
    );
}

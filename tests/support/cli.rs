//! Running the command as its users do: the one launcher of `ample`, and of any other program.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What a run of a program gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    fn new(output: Output) -> Run {
        Run {
            // None for a program that crashed: no code that anybody expects.
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Everything that was printed.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Asserts the exit code, showing everything if it is another.
    pub(crate) fn exits(self, code: i32) -> Run {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// What a program gives that runs in a folder and reads that; none if it is not installed.
pub(crate) fn start(folder: &Path, program: &str, args: &[&str], input: &str) -> Option<Output> {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    // A command that does not read may be gone already.
    let _ = child.stdin.take()?.write_all(input.as_bytes());
    child.wait_with_output().ok()
}

/// What `ample` gives in a folder.
pub(crate) fn ample(folder: &Path, args: &[&str], input: &str) -> Output {
    start(folder, env!("CARGO_BIN_EXE_ample"), args, input).expect("ample runs")
}

/// A run of `ample check` on a model somewhere, with a report in JSON and no trail.
pub(crate) fn check(model: &Path, options: &[&str]) -> Run {
    let model = model.to_str().expect("UTF-8");
    let always = ["check", "--no-trail", "--no-warnings", "--format", "json"];
    let args = [&always, options, &[model]].concat();
    Run::new(ample(Path::new("."), &args, ""))
}

/// What a report says first, beside what the command line asked for.
pub(crate) fn result(model: &Path, options: &[&str]) -> Value {
    check(model, options).json()["results"][0].clone()
}

/// A directory of files for one test.
pub(crate) struct Dir(PathBuf, Option<TempDir>);

impl Dir {
    /// An empty one; `name` is the test's.
    pub(crate) fn new(name: &str) -> Dir {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Dir(path, None)
    }

    /// The same, with a model `m.pml`.
    pub(crate) fn with_model(name: &str, model: &str) -> Dir {
        let dir = Dir::new(name);
        dir.put("m.pml", model);
        dir
    }

    /// One with all that lies beside a model, until it is dropped.
    pub(crate) fn copy_of(model: &Path) -> Dir {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let folder = model.parent().expect("a folder");
        for entry in std::fs::read_dir(folder).expect("readable").flatten() {
            if entry.path().is_file() {
                let copy = temporary.path().join(entry.file_name());
                std::fs::copy(entry.path(), copy).expect("copied");
            }
        }
        Dir(temporary.path().to_owned(), Some(temporary))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and says where it is.
    pub(crate) fn put(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.0.join(name), text).unwrap();
        self.0.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Runs `ample` there.
    pub(crate) fn ample(&self, args: &[&str]) -> Run {
        self.ample_reading(args, "")
    }

    /// Runs `ample` there with that on its standard input.
    pub(crate) fn ample_reading(&self, args: &[&str], input: &str) -> Run {
        Run::new(ample(&self.0, args, input))
    }

    /// Runs another program there; none if it is not installed.
    pub(crate) fn other(&self, program: &str, args: &[&str]) -> Option<Run> {
        start(&self.0, program, args, "").map(Run::new)
    }

    /// Runs a script there.
    pub(crate) fn shell(&self, script: &str) -> Run {
        self.other("sh", &["-c", script]).expect("a shell")
    }
}

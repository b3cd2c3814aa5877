//! Running the command as its users do.
#![allow(dead_code, reason = "not every test needs everything")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run of the command gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    fn new(output: Output) -> Run {
        Run {
            code: output.status.code().expect("an exit code"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Asserts the exit code, showing everything if it is another.
    pub(crate) fn exits(self, code: i32) -> Run {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// A directory of files for one test.
pub(crate) struct Dir(PathBuf);

impl Dir {
    /// An empty one; `name` is the test's.
    pub(crate) fn new(name: &str) -> Dir {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    /// The same, with a model `m.pml`.
    pub(crate) fn with_model(name: &str, model: &str) -> Dir {
        let dir = Dir::new(name);
        dir.put("m.pml", model);
        dir
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
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
        let mut child = Command::new(env!("CARGO_BIN_EXE_ample"))
            .args(args)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Run::new(child.wait_with_output().unwrap())
    }

    /// Runs another program there; none if it is not installed.
    pub(crate) fn other(&self, program: &str, args: &[&str]) -> Option<Run> {
        let output = Command::new(program)
            .args(args)
            .current_dir(&self.0)
            .output();
        output.ok().map(Run::new)
    }

    /// Whether SPIN and a C compiler are there. With `AMPLE_REQUIRE_SPIN=1` they must be.
    pub(crate) fn has_spin(&self) -> bool {
        let found =
            self.other("spin", &["-V"]).is_some() && self.other("gcc", &["--version"]).is_some();
        let required = std::env::var("AMPLE_REQUIRE_SPIN").is_ok_and(|v| v == "1");
        assert!(found || !required, "SPIN or gcc is not installed");
        if !found {
            eprintln!("skipped: SPIN or gcc is not installed");
        }
        found
    }
}

//! From a file to a program.

use super::say;
use crate::config;
use crate::report::diagnostics;
use crate::trace::digest;
use anyhow::Context;
use promela_lite::program::Program;
use promela_lite::{Input, Loader, Options, SourceMap};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

/// A model that can be executed.
pub(super) struct Model {
    pub(super) name: String,
    pub(super) digest: String,
    pub(super) program: Arc<Program>,
    pub(super) sources: SourceMap,
}

/// Reads files, and remembers what it read for the digest.
#[derive(Default)]
struct Files {
    read: Vec<u8>,
}

impl Loader for Files {
    fn load(&mut self, path: &Path) -> std::io::Result<Vec<u8>> {
        let text = std::fs::read(path)?;
        self.read.extend_from_slice(&text);
        self.read.push(0);
        Ok(text)
    }
}

/// Compiles a model. Complaints are printed; none is returned if it cannot be used.
pub(super) fn compile(config: &config::Model) -> anyhow::Result<Option<Model>> {
    let name = config.path.display().to_string();
    std::fs::metadata(&config.path).with_context(|| format!("cannot read {name}"))?;
    let options = Options {
        defines: config.defines.clone(),
        ..Options::default()
    };
    let input = Input {
        options,
        ..Input::default()
    };
    let mut files = Files::default();
    let compiled = promela_lite::compile(&config.path, &input, &mut files);
    let color = std::io::stderr().is_terminal();
    for diagnostic in compiled.diagnostics.sorted() {
        say(&diagnostics::render(diagnostic, &compiled.sources, color));
    }
    let Some(program) = compiled.program else {
        return Ok(None);
    };
    for (name, value) in &config.defines {
        files
            .read
            .extend_from_slice(format!("-D{name}={value:?}\0").as_bytes());
    }
    Ok(Some(Model {
        name,
        digest: digest(&files.read),
        program: Arc::new(program),
        sources: compiled.sources,
    }))
}

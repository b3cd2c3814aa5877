//! Every construct of the language: a minimal model each, and what is made of it.
//!
//! A case is a file `constructs/NAME.pml`; the compiled program stands beside it in `constructs/NAME.snap`. To add a
//! case, add a model and run `cargo insta test --accept` (or set `INSTA_UPDATE=always`), then read what came out.

#[path = "support/dump.rs"]
mod dump;

use promela_lite::{FsLoader, Input, Severity, compile, verify};
use std::path::{Path, PathBuf};

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/constructs");
    let mut models: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect();
    models.sort();
    models
}

/// The complaints about a model, one per line, then its program.
fn compiled(path: &Path) -> String {
    let compiled = compile(path, &Input::default(), &mut FsLoader);
    let mut text = String::new();
    for d in compiled.diagnostics.sorted() {
        assert_eq!(
            d.severity,
            Severity::Warning,
            "{}: {}",
            path.display(),
            d.message
        );
        text += &format!("{}: {}\n", d.code.name(), d.message);
    }
    let program = compiled.program.expect("no errors, so a program");
    let complaints = verify::verify(&program);
    assert!(complaints.is_empty(), "{}: {complaints:?}", path.display());
    text + &dump::dump(&program)
}

#[test]
fn every_construct_compiles_to_this() {
    let models = models();
    assert!(models.len() >= 75, "cases are missing: {}", models.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("constructs");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for model in models {
            let name = model.file_stem().unwrap_or_default().to_string_lossy();
            insta::assert_snapshot!(name.as_ref(), compiled(&model));
        }
    });
}

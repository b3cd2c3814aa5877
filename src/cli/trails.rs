//! Where counterexamples are written.
//!
//! Each violation has a trail of its own in the current folder, named after the model and the
//! property: `m.pml.trail` for safety, as SPIN calls it, and `m.pml.p.trail` for a property `p`,
//! each in SPIN's format and beside it, with `.json` behind the name, in ours. A number is added,
//! as in `m.pml2.trail`, if the name is taken: by another violation, by a trail of another model,
//! or by anything else. Only a trail of the same model is written over: of the same file, or of the
//! same program. `--trail FILE` names the first one, which is refused if something other than a
//! trail is there.

use super::files::{self, STDIN, Standing, standing, with_suffix};
use super::say;
use crate::check::{Checked, Finding, Model, Source};
use crate::config::TrailFiles;
use crate::report::{RunReport, ViolationReport};
use crate::trace::{Trail, from_json, parse, render, spin_steps, to_json};
use anyhow::{Context, bail};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Names that are tried for a trail.
const TRIED: usize = 10_000;

/// Writes the trails of a run.
pub(super) struct Trails<'a> {
    model: &'a Model,
    /// The model's file.
    path: &'a Path,
    /// Formulas that are not part of it, with their names.
    formulas: &'a [(String, String)],
    files: &'a TrailFiles,
    written: HashSet<PathBuf>,
}

impl<'a> Trails<'a> {
    /// Refuses a file that cannot become a trail.
    pub(super) fn new(
        model: &'a Model,
        source: &'a Source,
        files: &'a TrailFiles,
    ) -> anyhow::Result<Trails<'a>> {
        if let TrailFiles::First(file) = files {
            let is_trail = |text: &str| text.is_empty() || parse(text).is_ok();
            refuse_other(file, is_trail)?;
            refuse_other(&with_suffix(file, ".json"), |text| from_json(text).is_ok())?;
        }
        Ok(Trails {
            model,
            path: &source.path,
            formulas: &source.formulas,
            files,
            written: HashSet::new(),
        })
    }

    /// Writes the trails of a goal, and says in the report where. The verdict does not depend on
    /// files: a trail that cannot be written is a warning.
    pub(super) fn write(&mut self, checked: &Checked, report: &mut RunReport) {
        if *self.files == TrailFiles::None {
            return;
        }
        let both = checked.findings.iter().zip(&mut report.violations);
        for (finding, violation) in both {
            match self.write_one(&report.property, finding, violation) {
                Ok(file) => violation.trail_file = Some(file),
                Err(error) => say(&format!("warning: the trail is lost: {error:#}\n")),
            }
        }
    }

    /// Writes a trail in SPIN's format and in ours, and says where ours is.
    fn write_one(
        &mut self,
        property: &str,
        finding: &Finding,
        violation: &ViolationReport,
    ) -> anyhow::Result<String> {
        let cycle = finding.cycle();
        let trail = Trail {
            model: self.model.name.clone(),
            digest: self.model.digest.clone(),
            call_depth: self.model.call_depth,
            variant: self.model.variant,
            property: property.to_owned(),
            formula: self.foreign(property),
            kind: violation.kind,
            message: violation.message.clone(),
            choices: finding.path.clone(),
            cycle,
        };
        let path = self.name(property)?;
        let ours = with_suffix(&path, ".json");
        // A rendezvous is two lines.
        let before = cycle.map(|start| spin_steps(&violation.trail[..start]).len());
        files::write(&path, &render(&spin_steps(&violation.trail), before))?;
        files::write(&ours, &to_json(&trail))?;
        self.written.insert(path);
        Ok(ours.display().to_string())
    }

    /// The text of a formula that is not part of the model.
    fn foreign(&self, property: &str) -> Option<String> {
        let formula = self.formulas.iter().find(|(name, _)| name == property);
        formula.map(|(_, text)| text.clone())
    }

    /// The name for the next trail of a property.
    fn name(&self, property: &str) -> anyhow::Result<PathBuf> {
        let base = match self.files {
            TrailFiles::First(file) if self.written.is_empty() => return Ok(file.clone()),
            TrailFiles::First(file) => file.clone(),
            _ if self.path == Path::new(STDIN) => PathBuf::from("stdin"),
            _ => PathBuf::from(self.path.file_name().unwrap_or_default()),
        };
        let tried = (1..=TRIED).map(|number| named(&base, property, number));
        let mut free = tried.filter(|path| !self.written.contains(path) && self.may_write(path));
        free.next().with_context(|| {
            format!(
                "all names like {} are taken",
                named(&base, property, 1).display()
            )
        })
    }

    /// Whether there is nothing, or a trail of this model.
    fn may_write(&self, path: &Path) -> bool {
        match (standing(path), standing(&with_suffix(path, ".json"))) {
            (Standing::Free, Standing::Free) => true,
            (Standing::Free, Standing::File(ours)) => self.is_of_model(&ours),
            (Standing::File(spins), Standing::File(ours)) => {
                parse(&spins).is_ok() && self.is_of_model(&ours)
            }
            _ => false,
        }
    }

    fn is_of_model(&self, text: &str) -> bool {
        let Ok(trail) = from_json(text) else {
            return false;
        };
        let file = |path: &Path| match path == Path::new(STDIN) {
            true => None,
            false => std::fs::canonicalize(path).ok(),
        };
        let same_file =
            || file(Path::new(&trail.model)).is_some_and(|it| file(self.path) == Some(it));
        trail.digest == self.model.digest || same_file()
    }
}

/// The nth name for a trail of a property: with SPIN's numbers, `m.pml.trail`, `m.pml2.trail`, …
fn named(base: &Path, property: &str, number: usize) -> PathBuf {
    let name = base.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".trail").unwrap_or(&name);
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '_'
        }
    };
    let property: String = match property {
        "safety" => String::new(),
        // A formula from a file is called by the file.
        other => format!(".{}", other.chars().map(kept).take(80).collect::<String>()),
    };
    let number = match number {
        1 => String::new(),
        n => n.to_string(),
    };
    base.with_file_name(format!("{stem}{property}{number}.trail"))
}

fn refuse_other(file: &Path, is_trail: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    match standing(file) {
        Standing::Free => Ok(()),
        Standing::File(text) if is_trail(&text) => Ok(()),
        _ => bail!(
            "--trail: {} exists and is no trail: it is not written over (--no-trail writes none)",
            file.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trails_are_named_after_model_and_property() {
        for (base, property, number, name) in [
            ("m.pml", "safety", 1, "m.pml.trail"),
            ("m.pml", "safety", 2, "m.pml2.trail"),
            ("dir/other.trail", "p", 3, "dir/other.p3.trail"),
            ("m.pml", "dir/f.ltl", 1, "m.pml.dir_f_ltl.trail"),
        ] {
            assert_eq!(named(Path::new(base), property, number), Path::new(name));
        }
    }
}

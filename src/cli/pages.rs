//! What the command writes beside its report: a page (`--report`), a chart (`--msc`), the states of the run (`--itf`).

use super::files::{Standing, standing, write};
use crate::check::Model;
use crate::config::Pictures;
use crate::page::{Files, Heading, Shown, chart, html, record};
use crate::report::json::document;
use crate::trace::{ItfHead, itf};
use anyhow::bail;
use serde_json::Value;
use std::path::Path;

/// How pages and charts begin.
const PAGE: &str = "<!doctype html>";
const CHART: &str = "<svg ";
const ITF: &str = "{\n  \"#meta\"";

/// The same as [`refuse_others`] for a page alone.
pub(super) fn refuse_other_page(path: Option<&Path>) -> anyhow::Result<()> {
    refuse_others(&Pictures {
        page: path.map(Path::to_path_buf),
        chart: None,
        itf: None,
    })
}

/// Refuses files that hold something else: a slip must not cost a model.
pub(super) fn refuse_others(pictures: &Pictures) -> anyhow::Result<()> {
    let wanted = [
        ("--report", &pictures.page, PAGE),
        ("--msc", &pictures.chart, CHART),
        ("--itf", &pictures.itf, ITF),
    ];
    for (option, path, begins) in wanted {
        let Some(path) = path else {
            continue;
        };
        let ours = match standing(path) {
            Standing::Free => true,
            Standing::File(text) => text.is_empty() || text.starts_with(begins),
            Standing::Other => false,
        };
        if !ours {
            bail!(
                "{option}: {} exists and was not written by this option: it is not written over",
                path.display()
            );
        }
    }
    Ok(())
}

/// Writes what was asked for.
pub(super) fn draw(
    pictures: &Pictures,
    model: &Model,
    heading: &Heading<'_>,
    shown: &[Shown<'_>],
) -> anyhow::Result<()> {
    if let Some(path) = &pictures.page {
        write(path, &html(model, heading, shown))?;
    }
    let wanted = [(&pictures.chart, false), (&pictures.itf, true)];
    for (path, is_itf) in wanted {
        let Some(path) = path else {
            continue;
        };
        match shown.first() {
            Some(first) if is_itf => write(path, &document(&states(model, heading, first)))?,
            Some(first) => write(path, &picture(model, first))?,
            None => super::say(&format!(
                "warning: there is no counterexample: {} is not written\n",
                path.display()
            )),
        }
    }
    Ok(())
}

/// A run in the Informal Trace Format.
fn states(model: &Model, heading: &Heading<'_>, shown: &Shown<'_>) -> Value {
    let head = ItfHead {
        model: &model.name,
        digest: &model.digest,
        property: Some(shown.property),
        message: shown.message,
        violation: heading.class == "violated",
    };
    let run = (shown.path, shown.cycle);
    itf(&model.program, &model.sources, run, &head)
}

fn picture(model: &Model, shown: &Shown<'_>) -> String {
    // As many steps as are enough to see why; all of them where a cycle is what is wrong.
    let enough = shown.explanation.map_or(shown.path.len(), |e| e.steps);
    let cycle = shown.cycle.filter(|&start| start < enough);
    let files = &mut Files::default();
    let path = &shown.path[..enough.min(shown.path.len())];
    let record = record(&model.program, &model.sources, files, path);
    let name = Path::new(&model.name).display();
    let title = format!("{name}: {}", shown.property);
    chart::svg(&title, &record, cycle, shown.message)
}

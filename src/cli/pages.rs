//! Pages and charts that the command writes beside its report: `--report` and `--msc`.

use super::files::{Standing, standing, write};
use crate::check::Model;
use crate::config::Pictures;
use crate::page::{Files, Heading, Shown, chart, html, record};
use anyhow::bail;
use std::path::Path;

/// How pages and charts begin.
const PAGE: &str = "<!doctype html>";
const CHART: &str = "<svg ";

/// The same as [`refuse_others`] for a page alone.
pub(super) fn refuse_other_page(path: Option<&Path>) -> anyhow::Result<()> {
    refuse_others(&Pictures {
        page: path.map(Path::to_path_buf),
        chart: None,
    })
}

/// Refuses files that hold something else: a slip must not cost a model.
pub(super) fn refuse_others(pictures: &Pictures) -> anyhow::Result<()> {
    let wanted = [
        ("--report", &pictures.page, PAGE),
        ("--msc", &pictures.chart, CHART),
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
    match (&pictures.chart, shown.first()) {
        (Some(path), Some(first)) => write(path, &picture(model, first)),
        (Some(path), None) => {
            super::say(&format!(
                "warning: there is no counterexample: {} is not written\n",
                path.display()
            ));
            Ok(())
        }
        (None, _) => Ok(()),
    }
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

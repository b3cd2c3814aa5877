//! `ample explain`: show the compiled model.

use super::{Exit, model, print};
use crate::config::{Explain, View};
use crate::explain::{dot, json, svg, text};
use crate::report::json::document;

pub(super) fn run(config: &Explain) -> anyhow::Result<Exit> {
    let Some(model) = model::read(&config.model)? else {
        return Ok(Exit::Usage);
    };
    print(&match config.view {
        View::Svg => svg::render(&model.program, &model.sources),
        View::Text => text::render(&model.program, &model.sources),
        View::Dot => dot::render(&model.program, &model.sources),
        View::Json => document(&json::render(&model.program, &model.sources)),
    })?;
    Ok(Exit::Holds)
}

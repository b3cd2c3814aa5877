//! `ample graph`: the state graph of a small model, full and reduced.

use super::check::BUG;
use super::monitor::Interrupt;
use super::{Exit, model, print, say};
use crate::check::{NotDrawn, Options, Plan};
use crate::config::{Graph, GraphView, What};
use crate::graph::{Part, dot, html, json, svg, text};
use crate::report::json::document;
use anyhow::bail;

pub(super) fn run(config: &Graph) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::install();
    let what = config.goal.clone().map_or(What::Safety, What::Claim);
    let reading = model::read_within(&config.model, &what, &interrupt.cancellation())?;
    let Ok(Some(model)) = reading else {
        return Ok(Exit::Usage);
    };
    let name = config.goal.as_deref().unwrap_or("safety");
    let Some(goal) = model.goal(name) else {
        let goals = model.goals();
        let names: Vec<&str> = goals.iter().map(|g| g.name(&model)).collect();
        bail!(
            "{} states no property {name}; it has: {}",
            model.name,
            names.join(", ")
        );
    };
    let options = Options {
        cancellation: interrupt.cancellation(),
        ..config.options.clone()
    };
    let plan = Plan::decide(&model, &goal, &options)?;
    let graph = match plan.graph(&model, config.states) {
        Ok(graph) => graph,
        Err(NotDrawn::Contradiction(failed)) => {
            say(&format!("internal error: {failed}\n{BUG}\n"));
            return Ok(Exit::Internal);
        }
        Err(NotDrawn::Stopped(stop)) => {
            say(&format!("INCONCLUSIVE  {}: {stop}\n", model.name));
            return Ok(Exit::Inconclusive);
        }
        Err(why) => bail!("{}: {why}", model.name),
    };
    if config.part == Part::Reduced && graph.reduced.is_none() {
        let why = graph.notes.join("; ");
        bail!(
            "--show reduced: there is no reduced graph of {}: {why}",
            model.name
        );
    }
    print(&match config.view {
        GraphView::Text => text::render(&model.name, &graph),
        GraphView::Dot => dot::render(&model.name, &graph, config.part),
        GraphView::Svg => svg::render(&model.name, &graph, config.part),
        GraphView::Html => html::render(&model.name, &graph),
        GraphView::Json => document(&json(&model.name, &graph)),
    })?;
    Ok(Exit::Holds)
}

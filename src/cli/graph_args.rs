//! The options of `ample graph`.

use super::args::ModelArgs;
use crate::check::Options;
use crate::config;
use crate::graph::Part;
use clap::{Args as ClapArgs, ValueEnum};
use promela_lite::opt::Passes;

#[derive(Debug, ClapArgs)]
pub(super) struct GraphArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Show the product with the automaton of this property's violations [default: the states of the model]
    #[arg(long, value_name = "NAME", conflicts_with = "ltl")]
    claim: Option<String>,
    /// Show the product with the automaton of an LTL formula's violations
    #[arg(long, value_name = "FORMULA")]
    ltl: Option<String>,
    /// Refuse graphs with more states
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    states: u32,
    /// What pictures show
    #[arg(long, value_enum, default_value_t = PartArg::Both)]
    show: PartArg,
    /// Do not reduce
    #[arg(long, conflicts_with = "show")]
    no_reduction: bool,
    /// Show the graph that `ample check` searches, after its passes over the model (slicing, merging, dead variables)
    #[arg(long)]
    optimized: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = ViewArg::Text)]
    format: ViewArg,
}

impl GraphArgs {
    pub(super) fn ready(self) -> config::Graph {
        const FORMULA: &str = "formula";
        let mut model = self.model.ready();
        let added = self.ltl.map(|text| (FORMULA.to_owned(), text));
        let goal = self
            .claim
            .or_else(|| added.as_ref().map(|(name, _)| name.clone()));
        model.source.formulas.extend(added);
        config::Graph {
            model,
            goal,
            options: Options {
                all_errors: true,
                workers: Some(1),
                reduction: self.no_reduction.then_some(false),
                passes: match self.optimized {
                    true => Options::default().passes,
                    false => Passes::NONE,
                },
                ..Options::default()
            },
            states: self.states as usize,
            part: match self.show {
                PartArg::Both => Part::Both,
                PartArg::Full => Part::Full,
                PartArg::Reduced => Part::Reduced,
            },
            view: match self.format {
                ViewArg::Text => config::GraphView::Text,
                ViewArg::Dot => config::GraphView::Dot,
                ViewArg::Svg => config::GraphView::Svg,
                ViewArg::Html => config::GraphView::Html,
                ViewArg::Json => config::GraphView::Json,
            },
        }
    }
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum PartArg {
    /// The full graph, with what the reduction leaves out in grey
    Both,
    /// The full graph
    Full,
    /// The reduced graph
    Reduced,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum ViewArg {
    /// Human-readable text
    Text,
    /// Graphviz DOT
    Dot,
    /// A picture
    Svg,
    /// A page without scripts: the full graph beside the reduced one, and a table
    Html,
    /// A JSON object
    Json,
}

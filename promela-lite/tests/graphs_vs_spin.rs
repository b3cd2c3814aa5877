//! Our control-flow graphs are SPIN's: the same states, transitions, step numbers and labels as `pan -d` prints for a
//! verifier generated without optimisations. Needs `spin` and `gcc`; see `support/spin.rs` for what happens without.
//!
//! By default the models named in [`CHOSEN`] are compared, which takes less than a minute; `AMPLE_SPIN_ALL=1` takes all
//! construct models and all of SPIN's examples. Automata of `ltl` formulas are left out: they are ours to build.

#[path = "support/spin.rs"]
mod spin;

use promela_lite::program::{Action, Graph};
use promela_lite::{FsLoader, Input, compile};
use spin::{Graphs, Transition};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is compared by default: constructs that have to do with control flow, and a few of SPIN's examples.
const CHOSEN: &[&str] = &[
    "atomic",
    "atomic_nested",
    "atomic_options",
    "d_step",
    "d_step_goto",
    "d_step_guard",
    "declarations_in_the_middle",
    "do",
    "do_nested",
    "else_alone",
    "for_array",
    "for_channel",
    "for_range",
    "goto",
    "if",
    "inline",
    "inline_result",
    "labels",
    "labels_scoped",
    "never",
    "np_",
    "provided",
    "remote_label",
    "run",
    "scopes",
    "select",
    "separators",
    "skip",
    "trace",
    "unless",
    "unless_nested", // and of the examples:
    "cambridge",
    "leader",
    "mobile1",
    "pathfinder",
    "priorities",
    "snoopy",
];

/// A graph in SPIN's terms.
fn shown(graph: &Graph) -> BTreeSet<Transition> {
    let mut all = BTreeSet::new();
    for location in &graph.locations {
        for edge in &graph.edges[location.edges()] {
            let to = match edge.action {
                Action::End => 0,
                _ => graph.locations[edge.to.index()].number,
            };
            let d_step = edge.text == "D_STEP";
            let control = if d_step {
                'D'
            } else if edge.atomic {
                'A'
            } else {
                '-'
            };
            let mark = |set: bool, flag: char| if set { flag } else { '-' };
            let flags = [
                control,
                mark(location.accept, 'a'),
                mark(location.end, 'e'),
                mark(location.progress, 'p'),
            ];
            all.insert((location.number, to, edge.step, flags.iter().collect()));
        }
    }
    all
}

fn ours(model: &Path) -> Option<Graphs> {
    let program = compile(model, &Input::default(), &mut FsLoader).program?;
    let mut graphs = Graphs::new();
    for p in &program.proctypes {
        graphs.insert(p.name.clone(), shown(&p.graph));
    }
    for c in &program.claims {
        graphs.insert(c.name.clone(), shown(&c.graph));
    }
    if let Some(trace) = &program.trace {
        graphs.insert("trace".to_string(), shown(&trace.graph));
    }
    Some(graphs)
}

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/constructs");
    let constructs = std::fs::read_dir(folder).expect("the folder of cases");
    let models = constructs
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .chain(spin::examples());
    let all = std::env::var_os("AMPLE_SPIN_ALL").is_some();
    let mut models: Vec<PathBuf> = models
        .filter(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            all || CHOSEN.contains(&name.as_ref())
        })
        .collect();
    models.sort();
    models
}

/// What differs between the two sides, if anything.
fn difference(theirs: &Graphs, ours: &Graphs) -> Option<String> {
    let mut text = String::new();
    for (name, ours) in ours {
        let none = BTreeSet::new();
        let theirs = theirs.get(name).unwrap_or(&none);
        for (who, extra) in [
            ("SPIN", theirs.difference(ours)),
            ("we", ours.difference(theirs)),
        ] {
            extra.for_each(|t| text += &format!("  {name}: only {who} have {t:?}\n"));
        }
    }
    (!text.is_empty()).then_some(text)
}

#[test]
fn graphs_are_those_of_spin() {
    if !spin::available(&["spin", "gcc"]) {
        return;
    }
    let models = models();
    let results = spin::in_parallel(&models, |model| (spin::graphs(model), ours(model)));
    let (mut equal, mut skipped, mut wrong) = (0, 0, Vec::new());
    for (model, result) in models.iter().zip(results) {
        match result {
            (Ok(theirs), Some(ours)) => match difference(&theirs, &ours) {
                None => equal += 1,
                Some(text) => wrong.push(format!("{}:\n{text}", model.display())),
            },
            // Where only one of us accepts the model is for other tests to say.
            _ => skipped += 1,
        }
    }
    println!("graphs: {equal} models equal, {skipped} that one of us refuses");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

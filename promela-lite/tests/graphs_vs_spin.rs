//! Our control-flow graphs are SPIN's: the same states, transitions, step numbers and labels as `pan -d` prints for a
//! verifier generated without optimisations. Needs `spin` and `gcc`; see `support/spin.rs` for what happens without.
//!
//! By default the construct models and a choice of SPIN's examples are compared; `AMPLE_SPIN_ALL=1` takes all of them.
//! Automata of `ltl` formulas are left out: they are ours to build.

#[path = "support/spin.rs"]
mod spin;

use promela_lite::program::{Action, Graph};
use promela_lite::{FsLoader, Input, compile};
use spin::{Graphs, Transition};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The examples that are compared by default: each has something that the others do not.
const CHOSEN: &[&str] = &[
    "abp.pml",
    "cambridge.pml",
    "erathostenes.pml",
    "leader.pml",
    "loops.pml",
    "mobile1.pml",
    "pathfinder.pml",
    "peterson.pml",
    "petersonN.pml",
    "pftp.pml",
    "priorities.pml",
    "snoopy.pml",
    "sort.pml",
];

/// Step number and whether control is kept are not compared here, and why.
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
    let mut models: Vec<PathBuf> = constructs
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect();
    let all = std::env::var_os("AMPLE_SPIN_ALL").is_some();
    models.extend(spin::examples().into_iter().filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        all || CHOSEN.contains(&name.as_ref())
    }));
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

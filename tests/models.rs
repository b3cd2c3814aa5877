//! Every model in `tests/models` is what its first comment says, in every way to search, and SPIN says so too.
//!
//! `support::models` tells what the comment may say. A model goes through the library with reduction and without, by one worker
//! and by two, depth first and breadth first, in each store: the verdict is the same, and what is found first is.
//!
//! `AMPLE_ALL=1` asks SPIN for the figures of every construct, not only of a few.

mod support;

use ample::check::{Failed, FairnessOptions, Model, Options, Store};
use ample::internals::fairness::FairnessKind;
use ample::internals::reduce::obstacle;
use ample::internals::search::Strategy;
use ample::internals::verdict::Word;
use promela_lite::opt::Passes;
use support::cli::Dir;
use support::machine::explore;
use support::models::{Case, Expected, facts, models};
use support::search::word;
use support::spin::{first_error_of_spin, spin_is_there, spins};

/// The ways to search, the plainest first.
fn ways() -> Vec<(&'static str, Options)> {
    let plain = Options {
        workers: Some(1),
        ..Options::plain()
    };
    let passes = Options {
        workers: Some(1),
        reduction: Some(false),
        ..Options::default()
    };
    let reduced = Options {
        reduction: None,
        ..passes.clone()
    };
    let unpassed = Options {
        passes: Passes::NONE,
        ..reduced.clone()
    };
    let together = |options: &Options| Options {
        workers: Some(2),
        join_after: Some(0),
        ..options.clone()
    };
    let ordered = |options: &Options, strategy| Options {
        strategy: Some(strategy),
        ..options.clone()
    };
    let stored = |options: &Options, store| Options {
        store: Some(store),
        accept_probabilistic: store == Store::Compact,
        ..options.clone()
    };
    let classic = Options {
        classic_product: true,
        ..plain.clone()
    };
    let shortest = Options {
        shortest: true,
        ..reduced.clone()
    };
    vec![
        ("plain", plain.clone()),
        ("plain, together", together(&plain)),
        ("plain, breadth first", ordered(&plain, Strategy::Bfs)),
        ("plain, strictly", ordered(&plain, Strategy::StrictDfs)),
        ("plain, classic product", classic),
        ("after passes", passes.clone()),
        ("after passes, together", together(&passes)),
        (
            "after passes, breadth first",
            ordered(&passes, Strategy::Bfs),
        ),
        (
            "after passes, strictly",
            ordered(&passes, Strategy::StrictDfs),
        ),
        ("reduced", reduced.clone()),
        ("reduced, together", together(&reduced)),
        ("reduced, breadth first", ordered(&reduced, Strategy::Bfs)),
        ("reduced, compressed", stored(&reduced, Store::Compressed)),
        (
            "reduced, compressed, together",
            together(&stored(&reduced, Store::Compressed)),
        ),
        ("reduced, compact", stored(&reduced, Store::Compact)),
        ("reduced, as written", unpassed.clone()),
        ("reduced, as written, together", together(&unpassed)),
        ("shortest", shortest),
    ]
}

/// Holds what is due for one goal against every way to search.
fn check_goal(case: &Case, model: &Model, due: &Expected, wrong: &mut Vec<String>) {
    let Some(goal) = model.goal(&due.goal) else {
        wrong.push(format!("{}: states no {}", case.name, due.goal));
        return;
    };
    for (way, options) in ways() {
        let options = Options {
            end_states: !case.facts.may_wait,
            fairness: FairnessOptions {
                f: due.fairness == "f",
                all: match due.fairness {
                    "weak" => FairnessKind::Weak,
                    "strong" => FairnessKind::Strong,
                    _ => FairnessKind::None,
                },
                ..FairnessOptions::default()
            },
            memory: Some(1 << 28),
            ..options
        };
        let mut complain = |what: String| {
            let Case { name, .. } = case;
            let Expected { goal, fairness, .. } = due;
            wrong.push(format!(
                "{name}, {goal}, fairness {fairness}, {way}: {what}"
            ));
        };
        let checked = match model.check(&goal, &options) {
            Ok(checked) => checked,
            // Not every way is there for every goal; the plainest is.
            Err(Failed::Refused(_)) if way != "plain" => continue,
            Err(failed) => {
                complain(failed.to_string());
                continue;
            }
        };
        let violated = match checked.verdict.word() {
            Word::Holds | Word::ProbablyHolds => false,
            Word::Violated => true,
            Word::Inconclusive => {
                complain(checked.reason());
                continue;
            }
        };
        let first = checked.findings.first();
        if violated != due.violated {
            complain(format!("violated: {violated}, {first:?}"));
        }
        if let (Some(finding), Some(due)) = (first, &due.word)
            && word(&finding.event) != due
        {
            complain(format!("{}, not {due}", word(&finding.event)));
        }
        if let Some(says) = &case.facts.says
            && let Some(finding) = checked.findings.iter().find(|f| !f.message.contains(says))
        {
            complain(format!("says {}", finding.message));
        }
        let stored = checked.statistics.stored;
        if way == "plain" && due.states.is_some_and(|due| due != stored) {
            complain(format!("{stored} states"));
        }
    }
}

/// Holds the figures of a full search against the plainest search there is.
fn check_graph(case: &Case, model: &Model, wrong: &mut Vec<String>) {
    let Case { name, facts, .. } = case;
    if facts.graph.is_empty() && facts.finds.is_none() {
        return;
    }
    let counts = explore(model.program.clone());
    let errors = counts.deadlocks + counts.faults.len();
    let figures = [counts.stored, counts.matched, counts.atomic, errors].map(|n| n as u64);
    if !figures.starts_with(&facts.graph) {
        wrong.push(format!("{name}: {figures:?}, not {:?}", facts.graph));
    }
    let faults = counts.faults.iter().map(|f| format!("{:?}", f.kind));
    let ends = (counts.deadlocks > 0).then(|| "deadlock".to_owned());
    let mut found: Vec<String> = faults.chain(ends).collect();
    found.dedup();
    if facts.finds.as_ref().is_some_and(|due| *due != found) {
        wrong.push(format!("{name}: finds {found:?}"));
    }
}

#[test]
fn every_model_is_what_it_says() {
    let mut wrong = Vec::new();
    for case in models("") {
        let Case { name, text, facts } = &case;
        let model = match Model::from_source(text) {
            Ok(model) => model,
            Err(_) if facts.refused => continue,
            Err(errors) => {
                wrong.push(format!("{name}: {errors}"));
                continue;
            }
        };
        if facts.refused {
            wrong.push(format!("{name}: is not refused"));
        }
        let off = obstacle(&model.program).is_some();
        if facts.reduced.is_some_and(|on| on == off) {
            wrong.push(format!("{name}: reduction off: {off}"));
        }
        for due in &facts.expected {
            check_goal(&case, &model, due, &mut wrong);
        }
        check_graph(&case, &model, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In `partial`, a case that holds says how many states there are, and each that does not has one beside it that does.
#[test]
fn every_partial_expression_has_its_mirror() {
    let cases = models("partial");
    let due = |case: &Case| case.facts.expected[0].clone();
    for case in &cases {
        let Expected {
            violated, states, ..
        } = due(case);
        assert_ne!(violated, states.is_some(), "{}", case.name);
        assert!(case.facts.spin.is_some(), "{}: is SPIN asked?", case.name);
    }
    let (count, faults) = (
        cases.len(),
        cases.iter().filter(|c| due(c).violated).count(),
    );
    assert!(
        count > 150 && faults * 3 > count && faults * 3 < count * 2,
        "{faults} of {count}"
    );
}

/// A full search by SPIN stops at the same, or at what the model says it stops at.
#[test]
fn spin_says_the_same() {
    if !spin_is_there() {
        return;
    }
    let dir = Dir::new("models-spin");
    let mut wrong = Vec::new();
    for Case { name, text, facts } in models("") {
        let (Some(spin), Some(due)) = (facts.spin, facts.expected.first()) else {
            continue;
        };
        let theirs = first_error_of_spin(&dir.put("m.pml", &text));
        let ours = due.word.as_deref().unwrap_or("holds");
        let word = if spin == "same" { ours } else { &spin };
        let counted = due.states.is_some() && word == "holds";
        let as_many = ours != "holds" || !counted || theirs.states == due.states;
        let agrees = match due.violated && due.word.is_none() && spin == "same" {
            true => theirs.word != "holds",
            false => theirs.word == word,
        };
        if !agrees || !as_many {
            wrong.push(format!("{name}: {theirs:?}, not {word}, {:?}", due.states));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The graphs of `constructs` are on record from SPIN's full search: it still says so.
#[test]
fn spin_has_the_same_graphs() {
    if !spin_is_there() {
        return;
    }
    let dir = Dir::new("models-graphs");
    let step = if support::all() { 1 } else { 30 };
    for case in models("constructs").iter().step_by(step) {
        let theirs = spins(&dir.put("m.pml", &case.text)).expect("SPIN completes");
        let (stored, matched, atomic) = theirs.figures;
        assert_eq!(
            case.facts.graph[..3],
            [stored, matched, atomic],
            "{}",
            case.name
        );
    }
}

#[test]
fn headers_that_say_nothing_known_are_refused() {
    let header =
        |facts: &str| format!("/*\n * About.\n *\n{facts} */\nactive proctype P() {{ skip }}\n");
    assert!(facts(&header(" * expect: safety holds, 2 states\n")).is_ok());
    for bad in [
        "",
        " * expect: safety\n",
        " * expect: safety perhaps\n",
        " * expect: safety holds, many states\n",
        " * expects: safety holds\n",
        " * spin: index\n * expect: safety holds\n",
        " * graph: 3 state\n * expect: safety holds\n",
        " * reduction: maybe\n * expect: safety holds\n",
        " * options: fast\n * expect: safety holds\n",
        " * expect: model refused\n * expect: safety holds\n",
    ] {
        assert!(facts(&header(bad)).is_err(), "{bad}");
    }
    assert!(facts("active proctype P() { skip }\n").is_err());
}

//! The whole product of options: whatever is not refused is done as asked, and what is reported is what the search counted.
//!
//! The model is small and has something of everything: a violation or none, a formula that minds no repeated states and one
//! that does, accept labels, and steps that an ample set leaves out.

use ample::check::{
    Checked, FairnessOptions, Goal, Model, Options, Order, Plan, Role, Store, StorePlan,
    SwarmOptions, Target,
};
use ample::internals::fairness::FairnessKind;
use ample::internals::limits::{Monitor, Unwatched};
use ample::internals::search::Strategy;
use ample::internals::space::Stepping;
use ample::internals::verdict::Word;
use std::collections::{BTreeMap, BTreeSet};

const HOLDS: &str = "
    byte x, y; bit r;
    active proctype P() { byte a; a = 1; accept: a = 2; x = 1; do :: r = 1 - r od }
    active proctype Q() { byte b; b = 1; b = 2; y = 1 }
    ltl often { [] (x == 1 -> [] (x == 1)) }
    ltl next  { [] (x == 1 -> X (x == 1)) }";

const VIOLATED: &str = "
    byte x, y; bit r;
    active proctype P() { byte a; a = 1; a = 2; x = 1; accept: do :: r = 1 - r od }
    active proctype Q() { byte b; b = 1; b = 2; y = 1; assert(x == 1) }
    ltl often { [] (x == 0) }
    ltl next  { [] (x == 0 -> X (x == 0)) }";

/// Every combination. A combination is a number: each option takes its digit.
fn options(mut number: usize) -> Option<Options> {
    let mut digit = |base: usize| {
        let digit = number % base;
        number /= base;
        digit
    };
    let reduction = digit(4);
    let options = Options {
        strategy: [
            None,
            Some(Strategy::Dfs),
            Some(Strategy::StrictDfs),
            Some(Strategy::Bfs),
        ][digit(4)],
        shortest: digit(2) == 1,
        store: [
            None,
            Some(Store::Exact),
            Some(Store::Compressed),
            Some(Store::Compact),
            Some(Store::Bitstate),
        ][digit(5)],
        swarm: [
            None,
            Some(SwarmOptions {
                members: 2,
                seed: 1,
            }),
        ][digit(2)],
        hash_functions: [None, Some(2)][digit(2)],
        accept_probabilistic: digit(2) == 1,
        reduction: [None, Some(true), Some(true), Some(false)][reduction],
        stubborn: reduction == 2,
        plain: digit(2) == 1,
        why_not: digit(2) == 1,
        classic_product: digit(2) == 1,
        workers: [Some(1), Some(3)][digit(2)],
        fairness: [
            FairnessOptions::default(),
            FairnessOptions {
                all: FairnessKind::Weak,
                ..FairnessOptions::default()
            },
            FairnessOptions {
                all: FairnessKind::Strong,
                ..FairnessOptions::default()
            },
            FairnessOptions {
                f: true,
                ..FairnessOptions::default()
            },
            FairnessOptions {
                strong: vec!["Q".to_owned()],
                ..FairnessOptions::default()
            },
        ][digit(5)]
        .clone(),
        join_after: Some(1),
        memory: Some(1 << 22),
        ..Options::default()
    };
    (number == 0).then_some(options)
}

/// What was asked for is what is planned.
fn is_as_asked(options: &Options, goal: &Goal, plan: &Plan) {
    let about = || format!("{goal:?}, {options:?}:\n{plan:?}");
    if let Some(strategy) = options.strategy {
        assert_eq!(plan.order, Order::States(strategy), "{}", about());
    }
    if let Some(store) = options.store {
        let name = match store {
            Store::Exact => "exact",
            Store::Compressed => "exact, compressed",
            Store::Compact => "hash-compact",
            Store::Bitstate => "bitstate",
        };
        assert_eq!(plan.store.name(), name, "{}", about());
    }
    assert_eq!(
        matches!(plan.store, StorePlan::Swarm(_)),
        options.swarm.is_some(),
        "{}",
        about()
    );
    if let Some(reduction) = options.reduction {
        assert_eq!(plan.reduction, reduction, "{}", about());
    }
    assert_eq!(options.stubborn, plan.stubborn, "{}", about());
    assert!(!(options.plain && plan.reduction), "{}", about());
    assert_eq!(plan.why_not, options.why_not, "{}", about());
    assert_eq!(plan.shortest, options.shortest, "{}", about());
    assert_eq!(
        plan.accept_probabilistic,
        options.accept_probabilistic,
        "{}",
        about()
    );
    assert_eq!(
        plan.fairness.is_none(),
        options.fairness.is_none(),
        "{}",
        about()
    );
    assert_eq!(Some(plan.workers), options.workers, "{}", about());
    if options.classic_product {
        let every = matches!(plan.target, Target::Property(_, Stepping::EveryState));
        assert!(every, "{}", about());
    }
}

/// What the search counted is what is reported.
fn is_as_planned(full: u64, checked: &Checked) {
    let Checked {
        plan, statistics, ..
    } = checked;
    let about = || format!("{checked:?}");
    match plan.store {
        StorePlan::Swarm(swarm) => assert_eq!(statistics.workers, swarm.threads, "{}", about()),
        // A reduced search that is small is done before others join.
        _ if plan.reduction => assert!(
            [1, plan.workers].contains(&(statistics.workers as usize)),
            "{}",
            about()
        ),
        _ => assert_eq!(statistics.workers as usize, plan.workers, "{}", about()),
    }
    assert_eq!(statistics.reduced > 0, plan.reduction, "{}", about());
    if checked.verdict.word() == Word::Holds {
        match plan.reduction {
            true => assert!(statistics.stored <= full, "{}", about()),
            false => assert!(
                statistics.stored == full || !checked.passes.is_empty(),
                "{}",
                about()
            ),
        }
    }
    assert_eq!(checked.why_not.is_some(), plan.why_not, "{}", about());
    assert_eq!(checked.loss.is_some(), plan.store.is_lossy(), "{}", about());
}

#[test]
fn what_is_not_refused_is_done_as_asked() {
    let unwatched = |_: Role| -> Box<dyn Monitor> { Box::new(Unwatched) };
    let (mut done, mut refused) = (0, BTreeMap::new());
    let mut shapes = BTreeSet::new();
    for (text, due) in [(HOLDS, Word::Holds), (VIOLATED, Word::Violated)] {
        let model = Model::from_source(text).expect("a model");
        for goal in model.goals() {
            let full = |classic_product: bool| {
                let options = Options {
                    workers: Some(1),
                    classic_product,
                    ..Options::plain()
                };
                let checked = model.check(&goal, &options).ok();
                checked.map_or(0, |checked| checked.statistics.stored)
            };
            let full = [full(false), full(true)];
            for number in 0.. {
                let Some(options) = options(number) else {
                    break;
                };
                let plan = match Plan::decide(&model, &goal, &options) {
                    Ok(plan) => plan,
                    Err(refusal) => {
                        assert!(!refusal.because.is_empty() && !refusal.instead.is_empty());
                        *refused.entry(refusal.option).or_insert(0) += 1;
                        continue;
                    }
                };
                is_as_asked(&options, &goal, &plan);
                let about = format!("{goal:?}, {options:?}");
                let shape = format!(
                    "{:?} {} {} {}",
                    plan.order,
                    plan.reduction,
                    plan.store.name(),
                    plan.workers
                );
                shapes.insert(shape);
                let checked = plan.check(&model, &unwatched).expect(&about);
                is_as_planned(full[usize::from(options.classic_product)], &checked);
                let lossy = checked.plan.store.is_lossy();
                let word = match due {
                    Word::Holds if options.accept_probabilistic => Word::ProbablyHolds,
                    Word::Holds if lossy => Word::Inconclusive,
                    other => other,
                };
                assert_eq!(checked.verdict.word(), word, "{about}");
                done += 1;
            }
        }
    }
    println!(
        "{done} done, in {} ways; refused: {refused:?}",
        shapes.len()
    );
    assert!(done > 1000 && refused.len() > 9);
}

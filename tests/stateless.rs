//! The search execution by execution (`--strategy stateless`) finds what the search of all states finds.
//!
//! `AMPLE_MODELS=N` makes it N models of each kind, `AMPLE_SEED=S` begins at another seed.

use ample::check::{Checked, Goal, Model, Options};
use ample::internals::search::Event;
use ample::internals::verdict::Word;
use std::collections::BTreeSet;
use std::time::Duration;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

fn check(model: &Model, options: Options) -> Checked {
    model.check(&Goal::Safety, &options).expect("a verdict")
}

fn stateless(reduction: Option<bool>) -> Options {
    Options {
        stateless: true,
        reduction,
        all_errors: true,
        ..Options::default()
    }
}

/// What goes wrong, and where.
fn wrong(checked: &Checked) -> BTreeSet<String> {
    let name = |event: &Event| match event {
        Event::Fault(fault) => format!("{:?} at {:?}", fault.kind, fault.span),
        other => format!("{other:?}"),
    };
    checked.findings.iter().map(|f| name(&f.event)).collect()
}

/// Philosophers who take the fork on the left and then the one on the right, each once (Godefroid, "Software Model
/// Checking: The VeriSoft Approach", Figure 1).
fn philosophers(n: usize) -> Model {
    let forks: Vec<String> = (0..n).map(|i| format!("f{i}")).collect();
    let mut text = format!("bit {};\n", forks.join(", "));
    for i in 0..n {
        let (left, right) = (&forks[i], &forks[(i + 1) % n]);
        text += &format!(
            "active proctype P{i}() {{
                 atomic {{ !{left} -> {left} = 1 }}; atomic {{ !{right} -> {right} = 1 }};
                 {left} = 0; {right} = 0; end: false
             }}\n"
        );
    }
    Model::from_source(&text).expect("a model")
}

#[test]
fn the_philosophers_of_the_verisoft_paper() {
    // The last one without reduction takes long where nothing is optimised.
    let sizes: &[_] = match cfg!(debug_assertions) {
        true => &[(2, 3, 18, 18), (3, 7, 1_680, 123)],
        false => &[(2, 3, 18, 18), (3, 7, 1_680, 123), (4, 15, 386_816, 708)],
    };
    for &(n, traces, plain, classical) in sizes {
        let model = philosophers(n);
        let optimal = check(&model, stateless(None));
        assert_eq!(optimal.executions, Some(traces), "{n}");
        assert!(optimal.statistics.transitions() < classical, "{n}");
        let options = Options {
            plain: true,
            ..stateless(None)
        };
        let enumerated = check(&model, options);
        assert_eq!(enumerated.statistics.transitions(), plain, "{n}");
        let states = check(
            &model,
            Options {
                all_errors: true,
                workers: Some(1),
                ..Options::plain()
            },
        );
        // There the start counts as a transition.
        assert_eq!(states.statistics.transitions(), classical + 1, "{n}");
        for checked in [&optimal, &enumerated, &states] {
            assert_eq!(checked.verdict.word(), Word::Violated, "{n}");
            assert_eq!(wrong(checked), BTreeSet::from(["InvalidEnd".to_owned()]));
        }
    }
}

#[test]
fn it_finds_what_the_search_of_states_finds() {
    let (first, models) = (variable("AMPLE_SEED", 0), variable("AMPLE_MODELS", 250));
    let (mut complete, mut violated, mut reduced, mut fewer) = (0_u64, 0_u64, 0_u64, 0_u64);
    for seed in first..first + models {
        let texts = [
            promela_random::races(seed).text,
            promela_random::starts(seed).text,
            promela_random::swarm(seed).text,
        ];
        for text in texts {
            let model = Model::from_source(&text).expect("a model");
            let states = Options {
                all_errors: true,
                states: Some(20_000),
                workers: Some(1),
                ..Options::default()
            };
            let states = check(&model, states);
            if states.verdict.word() == Word::Inconclusive {
                continue;
            }
            let bounded = |reduction| Options {
                depth: Some(60),
                time: Some(Duration::from_millis(150)),
                ..stateless(reduction)
            };
            let optimal = check(&model, bounded(None));
            let about = format!("seed {seed}\n{text}");
            let in_vain = |note: &String| note.contains("in vain");
            assert!(!optimal.notes.iter().any(in_vain), "{about}");
            // What is found is there, whatever was cut off.
            assert!(wrong(&optimal).is_subset(&wrong(&states)), "{about}");
            if optimal.coverage.is_none() {
                continue;
            }
            complete += 1;
            assert_eq!(wrong(&optimal), wrong(&states), "{about}");
            violated += u64::from(optimal.verdict.word() == Word::Violated);
            reduced += u64::from(optimal.plan.reduction);
            let all = check(&model, bounded(Some(false)));
            if optimal.plan.reduction && all.coverage.is_some() {
                assert_eq!(wrong(&all), wrong(&states), "{about}");
                assert!(optimal.executions <= all.executions, "{about}");
                fewer += u64::from(optimal.executions < all.executions);
            }
        }
    }
    println!(
        "{complete} explored completely: {violated} violated, {reduced} reduced, {fewer} in fewer executions"
    );
    assert!(
        complete > models / 4 && violated > models / 20,
        "{complete} {violated}"
    );
    assert!(
        reduced > models / 10 && fewer > models / 20,
        "{reduced} {fewer}"
    );
}

#[test]
fn a_run_without_an_end_is_cut_off() {
    let model = Model::from_source("bit x; active proctype P() { do :: x = 1 - x od }").unwrap();
    let checked = check(&model, stateless(None));
    assert_eq!(checked.verdict.word(), Word::Inconclusive);
    assert_eq!(checked.executions, Some(0));
    assert!(
        checked.reason().contains("longer than 10000 steps"),
        "{}",
        checked.reason()
    );
}

#[test]
fn what_needs_states_is_refused() {
    use ample::check::{Store, SwarmOptions};
    type Set = fn(&mut Options);
    let model = Model::from_source("bit x; active proctype P() { x = 1 } ltl p { <> x }").unwrap();
    let swarm = SwarmOptions {
        members: 2,
        seed: 1,
    };
    let refused: [(&str, Set); 7] = [
        ("--shortest", |o| o.shortest = true),
        ("--store", |o| o.store = Some(Store::Compressed)),
        ("--store", |o| o.store = Some(Store::Bitstate)),
        ("--states", |o| o.states = Some(7)),
        ("--why-not", |o| o.why_not = true),
        ("--workers", |o| o.workers = Some(3)),
        ("--strategy stateless", |o| o.contexts = Some(3)),
    ];
    for (option, set) in refused {
        let mut options = stateless(None);
        set(&mut options);
        let refusal = model.check(&Goal::Safety, &options).expect_err(option);
        assert!(refusal.to_string().starts_with(option), "{refusal}");
    }
    let swarm = Options {
        swarm: Some(swarm),
        ..stateless(None)
    };
    assert!(model.check(&Goal::Safety, &swarm).is_err());
    let property = model.goals().into_iter().find(|g| *g != Goal::Safety);
    let refusal = model
        .check(&property.unwrap(), &stateless(None))
        .unwrap_err();
    assert!(
        refusal.to_string().starts_with("--strategy stateless"),
        "{refusal}"
    );
}

/// Models whose steps look at more than what they access are enumerated, and the report says why.
#[test]
fn obstacles_are_told() {
    for (text, why) in [
        (
            "chan c = [0] of { bit }; active proctype P() { c!1 } active proctype Q() { c?1 }",
            "rendezvous",
        ),
        ("active proctype P() { timeout }", "timeout"),
        (
            "byte x; active proctype P() provided (x == 0) { skip }",
            "provided",
        ),
    ] {
        let model = Model::from_source(text).unwrap();
        let checked = check(&model, stateless(None));
        assert_eq!(checked.verdict.word(), Word::Holds, "{text}");
        assert!(!checked.plan.reduction, "{text}");
        assert!(
            checked.notes.iter().any(|note| note.contains(why)),
            "{:?}",
            checked.notes
        );
    }
}

//! Explanations of random violations, held against the reference semantics of formulas and against plain execution.

use super::*;
use crate::check::Options;
use crate::machine::Run;
use ltl::word::{Lasso, holds};
use ltl::{Formula, Formulas};
use promela_random as random;

/// The part of a word that begins at a position.
fn suffix(lasso: &Lasso, position: usize) -> Lasso {
    let all: Vec<u64> = (0..lasso.positions()).map(|i| lasso.letter(i)).collect();
    let start = lasso.prefix().len();
    let (prefix, cycle) = match position < start {
        true => (all[position..start].to_vec(), all[start..].to_vec()),
        false => {
            let mut cycle = all[start..].to_vec();
            cycle.rotate_left(position - start);
            (Vec::new(), cycle)
        }
    };
    Lasso::new(prefix, cycle).expect("a cycle")
}

/// The positions that a fact is about.
fn points(fact: &Fact, lasso: &Lasso) -> Vec<usize> {
    match fact.extent {
        Extent::Here => vec![fact.position],
        Extent::Before(end) => (fact.position..end).collect(),
        Extent::Forever => {
            let mut at = fact.position;
            let mut all = Vec::new();
            for _ in 0..2 * lasso.positions() {
                all.push(at);
                at = lasso.successor(at);
            }
            all
        }
    }
}

/// Every fact is true by the definition, evaluated on the rest of the word from each point; and some are about conditions on
/// states.
fn facts_are_true(formulas: &Formulas, formula: Formula, lasso: &Lasso, about: &str) {
    let facts = why(formulas, formula, lasso);
    for fact in &facts {
        for point in points(fact, lasso) {
            let value = holds(formulas, fact.formula, &suffix(lasso, point));
            assert_eq!(value, fact.holds, "{about}: {fact:?} at {point}");
        }
    }
    if !is_condition(formulas, formula) {
        let mut facts = facts.iter();
        let condition = facts.any(|fact| is_condition(formulas, fact.formula));
        assert!(condition, "{about}: no fact about a state");
    }
}

#[test]
fn chains_of_facts_about_random_words_are_true() {
    let mut rng = ltl::random::Rng::seeded(11);
    let mut told = 0;
    for number in 0..3_000 {
        let mut formulas = Formulas::new();
        let shape = ltl::random::Shape::default();
        let f = shape.formula(&mut formulas, &mut rng);
        let lasso = Lasso::random(&mut rng, 3, 4, 4);
        if !holds(&formulas, f, &lasso) {
            told += 1;
            facts_are_true(&formulas, f, &lasso, &format!("formula {number}"));
        }
    }
    assert!(told > 500, "{told}");
}

/// Continuations of a word: short ones over the letters that the atoms allow.
fn continuations(atoms: u32) -> Vec<Lasso> {
    let letters = 1u64 << atoms.min(3);
    let mut all = Vec::new();
    for a in 0..letters {
        for b in 0..letters {
            all.extend(Lasso::new(vec![], vec![a, b]));
            all.extend(Lasso::new(vec![a], vec![b]));
        }
    }
    all
}

/// What an explanation says of a run, executed and evaluated.
fn check_explanation(
    model: &Model,
    property: &Property,
    case: &Case<'_>,
    about: &str,
) -> &'static str {
    let &Event::Cycle { start } = case.event else {
        return "fault";
    };
    let explanation = case
        .explain()
        .unwrap_or_else(|| panic!("{about}: not explained"));
    let (word, lasso) = word_of(&model.program, property, case.path, start).expect("a word");
    let formula = property.formula.as_ref().expect("a formula");
    facts_are_true(&formula.formulas, formula.formula, &lasso, about);
    assert!(explanation.steps <= case.path.len(), "{about}");
    let automaton = explanation.automaton.as_ref().expect("asked for");
    assert_eq!(automaton.at.len(), case.path.len() + 1, "{about}");
    assert!(automaton.at.iter().all(|at| !at.is_empty()), "{about}");
    match &explanation.why {
        Why::Hopeless { after, .. } => {
            let position = word.after.iter().position(|made| made == after);
            let position = position.expect("a letter there");
            let letters: Vec<u64> = (0..=position).map(|i| lasso.letter(i)).collect();
            for more in continuations(property.atoms.len() as u32) {
                let prefix = [letters.as_slice(), more.prefix()].concat();
                let word = Lasso::new(prefix, more.cycle().to_vec()).expect("a cycle");
                let defined = |a| crate::property::defined(&property.atoms, a);
                let value =
                    ltl::word::evaluate(&formula.formulas, formula.formula, &word, &defined);
                assert!(
                    value != ltl::word::Value::True,
                    "{about}: saved by {more:?}"
                );
            }
            "hopeless"
        }
        Why::NeverMet { able, .. } => {
            for able in able.iter().filter(|able| able.before.is_some()) {
                let before = able.before.expect("a step");
                let mut run = Run::start(&model.program).expect("a run");
                for &mv in &case.path[..before - 1] {
                    let _ = run.list();
                    run.make(mv);
                }
                let _ = run.list();
                let can = run.moves().iter().any(|mv| mv.pid.0 == able.at.pid);
                assert!(can, "{about}: {able:?}");
            }
            "never met"
        }
        other => panic!("{about}: {other:?}"),
    }
}

/// Asked for, the shortest run that is without hope is no longer than this one.
fn shortest_is_shorter(model: &Model, goal: &Goal, case: &Case<'_>, about: &str) {
    let options = Options {
        states: Some(5_000),
        workers: Some(1),
        shortest: true,
        ..Options::default()
    };
    let checked = model.check(goal, &options).expect("it goes together");
    let Some(finding) = checked.findings.first() else {
        return;
    };
    let shortest = Case {
        event: &finding.event,
        path: &finding.path,
        ..case.clone()
    };
    let steps = |case: &Case<'_>| case.explain().map_or(0, |e| e.steps);
    // A step of the search is a whole atomic sequence.
    let has_atomic = text_has_atomic(model);
    assert!(has_atomic || steps(&shortest) <= steps(case), "{about}");
}

fn text_has_atomic(model: &Model) -> bool {
    let edges = model.program.proctypes.iter().flat_map(|p| &p.graph.edges);
    edges.into_iter().any(|e| e.atomic)
}

#[test]
fn explanations_of_random_models_are_true() {
    let (mut hopeless, mut never, mut blocked) = (0, 0, 0);
    for seed in 0..400 {
        let text = random::swarm(seed).with_ltl();
        let Ok(model) = Model::from_source(&text) else {
            continue;
        };
        for goal in model.goals() {
            let options = Options {
                states: Some(5_000),
                workers: Some(1),
                ..Options::default()
            };
            let Ok(checked) = model.check(&goal, &options) else {
                continue;
            };
            for finding in &checked.findings {
                let about = format!("seed {seed}, {}", goal.name(&model));
                let case = Case {
                    model: &model,
                    goal: Some(&goal),
                    property: checked.plan.target.property(),
                    event: &finding.event,
                    path: &finding.path,
                    with_automaton: true,
                };
                if let Some(property) = checked.plan.target.property() {
                    match check_explanation(&model, property, &case, &about) {
                        "hopeless" => {
                            hopeless += 1;
                            shortest_is_shorter(&model, &goal, &case, &about);
                        }
                        "never met" => never += 1,
                        _ => {}
                    }
                    continue;
                }
                let explanation = case.explain().unwrap_or_else(|| panic!("{about}"));
                if let Why::Deadlock {
                    blocked: all,
                    circle,
                } = &explanation.why
                {
                    blocked += 1;
                    assert!(all.iter().any(|b| !b.may_rest), "{about}");
                    let pairs = circle.iter().zip(circle.iter().cycle().skip(1));
                    for (pid, next) in pairs {
                        let process = all.iter().find(|b| b.at.pid == *pid).expect("there");
                        let mut waits = process.options.iter().flat_map(|w| &w.providers);
                        assert!(waits.any(|p| p.pid == *next), "{about}: {circle:?}");
                    }
                }
            }
        }
    }
    assert!(
        hopeless > 10 && never > 10 && blocked > 10,
        "{hopeless} {never} {blocked}"
    );
}

#[test]
fn connectives_as_they_are_written_change_nothing() {
    let mut rng = ltl::random::Rng::seeded(3);
    let mut changed = 0;
    for round in 0..400 {
        let mut formulas = Formulas::new();
        let any = ltl::random::Shape::default();
        let (f, g) = (
            any.formula(&mut formulas, &mut rng),
            any.formula(&mut formulas, &mut rng),
        );
        let f = match round % 3 {
            0 => formulas.and_then(f, g),
            1 => formulas.or_else(f, g),
            _ => formulas.until(f, g),
        };
        let f = formulas.always(f);
        let disjunctions = rng.chance(70);
        let written = formula::with_connectives(&mut formulas, f, disjunctions);
        changed += usize::from(written != f);
        for _ in 0..10 {
            let mut letters = |n: usize| (0..n).map(|_| rng.next_u64()).collect();
            let word = Lasso::new(letters(3), letters(2)).expect("a cycle");
            assert_eq!(
                holds(&formulas, f, &word),
                holds(&formulas, written, &word),
                "round {round}"
            );
        }
    }
    assert!(changed > 150, "{changed}");
}

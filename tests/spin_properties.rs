//! Properties: the same verdicts as SPIN's, by every product we have.
//!
//! Every `ltl` block, `never` claim, `accept` and `progress` label in the examples of Debian's package whose full search SPIN
//! completes (`-DNOREDUCE`, no other optimisation), and formulas over random models. Each is decided by the classic product,
//! by the one that steps on changes, and by that one reduced.
//!
//! The examples' verdicts are on record; SPIN is asked about a few here and about all with `AMPLE_ALL=1`. Random formulas: a
//! few here, many with `AMPLE_SPIN_FORMULAS=300 AMPLE_SEED=70000 cargo test --release --test spin_properties`. Left out where
//! SPIN has other ideas: `_nr_pr` (it counts the claim as a process), assertions of the model (they end a search), and formulas
//! where a process has `accept` labels (it mixes them up with the formula's).

mod support;

use promela_random::{self as random, Config, Construct, Rng};
use std::path::Path;
use support::cli::{Dir, check};
use support::number;
use support::spin::{Question, Verifier, examples, spin_is_there};
use support::{all, rows};

/// How we decide.
const WAYS: &[&[&str]] = &[&["--plain", "--classic-product"], &["--plain"], &[]];

/// A model of SPIN's, what is asked, whether it is violated, and whether finding out is quick.
fn recorded() -> Vec<(&'static str, Question<'static>, bool, bool)> {
    let row = |cells: Vec<&'static str>| {
        let question = match cells[1] {
            "never" => Question::Never,
            "accept" => Question::Accept,
            "progress" => Question::Progress,
            formula => Question::Ltl(formula.strip_prefix("ltl:").expect("a question")),
        };
        let is = |index: usize, yes: &str, no: &str| {
            assert!(cells[index] == yes || cells[index] == no, "{cells:?}");
            cells[index] == yes
        };
        (
            cells[0],
            question,
            is(2, "violated", "holds"),
            is(3, "quick", "slow"),
        )
    };
    let lines = rows(include_str!("records/properties.txt"));
    lines.into_iter().map(row).collect()
}

/// How many of the quick ones SPIN is asked about in the small run.
const LIVE: usize = 4;

/// Whether the property is violated; `None` when we cannot tell.
fn ours(model: &Path, question: Question<'_>, way: &[&str]) -> Option<bool> {
    let mut options: Vec<&str> = vec!["--claim"];
    options.push(match question {
        Question::Ltl(name) | Question::Fairly(name) => name,
        Question::Never => "never_0",
        Question::Accept => "acceptance",
        Question::Progress => "progress labels",
    });
    if question == Question::Progress {
        options.push("--non-progress");
    }
    // Accept labels have no automaton.
    let is_classic = |option: &&str| *option == "--classic-product";
    let way: Vec<&str> = match question {
        Question::Accept => way.iter().copied().filter(|o| !is_classic(o)).collect(),
        _ => way.to_vec(),
    };
    options.extend(way);
    let run = check(model, &[&["--states", "20000000"], &options[..]].concat());
    // A label where no process can rest, inside a d_step, is none.
    if run.err.contains("states no property acceptance") {
        return None;
    }
    let report = run.json();
    let result = &report["results"][0];
    let kind = result["violations"][0]["kind"].as_str().unwrap_or_default();
    match result["verdict"].as_str() {
        Some("holds") => Some(false),
        Some("violated") if kind != "model-error" => Some(true),
        _ => None,
    }
}

#[test]
fn verdicts_on_spins_examples() {
    let Some(folder) = examples() else { return };
    for &(name, question, violated, _) in recorded().iter().filter(|r| all() || r.3) {
        for way in WAYS {
            let mine = ours(&folder.join(name), question, way);
            assert_eq!(mine, Some(violated), "{name}, {question:?}, {way:?}");
        }
    }
}

/// SPIN as Debian builds it does not know `X`, so formulas with it are left out; so is the part that is not compiled.
#[test]
fn every_pattern_of_spins_examples() {
    let Some(examples) = examples() else { return };
    let text = std::fs::read_to_string(examples.join("LTL/patterns.pml")).expect("readable");
    let lines = text
        .lines()
        .filter(|l| !l.contains("X(") && !l.contains("X<"));
    let lines: Vec<&str> = lines.collect();
    let model = Dir::new("spin-patterns").put("m.pml", &lines.join("\n"));
    let verifier = Verifier::build(&model, &[]).expect("SPIN builds it");
    let name = |line: &&str| {
        Some(
            line.split_once("ltl ")?
                .1
                .split_whitespace()
                .next()?
                .to_owned(),
        )
    };
    let mut compared = 0;
    for name in lines
        .iter()
        .filter_map(name)
        .filter(|n| !n.starts_with("be"))
    {
        let question = Question::Ltl(&name);
        let Some(theirs) = verifier.ask(question) else {
            continue;
        };
        compared += 1;
        for way in WAYS {
            assert_eq!(ours(&model, question, way), Some(theirs), "{name}, {way:?}");
        }
    }
    println!("{compared} patterns compared");
    assert!(compared > 20);
}

#[test]
fn the_record_is_what_spin_says() {
    let Some(folder) = examples() else { return };
    let quick: Vec<_> = recorded().into_iter().filter(|r| all() || r.3).collect();
    let live = if all() { quick.len() } else { LIVE };
    for &(name, question, violated, _) in quick.iter().step_by(quick.len() / live) {
        let model = folder.join(name);
        let verifier = Verifier::build(&model, question.flags()).expect("SPIN builds it");
        assert_eq!(
            verifier.ask(question),
            Some(violated),
            "{name}, {question:?}"
        );
    }
}

#[test]
fn random_formulas_over_random_models() {
    if !spin_is_there() {
        return;
    }
    let wanted = number("AMPLE_SPIN_FORMULAS", 8);
    let dir = Dir::new("spin-properties");
    let (mut compared, mut violated, mut passed_over) = (0, 0, 0);
    for seed in number("AMPLE_SEED", 0).. {
        if compared >= wanted {
            break;
        }
        assert!(passed_over < 50 + wanted, "hardly anything is compared");
        let mut config = Config::swarm(&mut Rng::seeded(seed));
        config.formulas = 3;
        let left_out = [Construct::Assert, Construct::Pids];
        config.constructs = left_out
            .iter()
            .fold(config.constructs, |c, &l| c.without(l));
        let text = random::model(seed, &config).with_ltl();
        // SPIN counts the claim among the processes.
        if text.contains("_nr_pr") {
            continue;
        }
        let model = dir.put("m.pml", &text);
        let mut questions: Vec<Question<'_>> = vec![Question::Progress];
        if text.contains("accept") {
            questions.push(Question::Accept);
        } else {
            questions.extend(["p0", "p1", "p2"].map(Question::Ltl));
        }
        let mut verifier: Option<(&[&str], Verifier)> = None;
        for question in questions {
            let flags = question.flags();
            if verifier.as_ref().is_none_or(|(f, _)| *f != flags) {
                verifier = Verifier::build(&model, flags).map(|v| (flags, v));
            }
            let theirs = verifier.as_ref().and_then(|(_, v)| v.ask(question));
            let mine = WAYS.iter().map(|way| ours(&model, question, way));
            let mine: Option<Vec<bool>> = mine.collect();
            let (Some(theirs), Some(mine)) = (theirs, mine) else {
                passed_over += 1;
                continue;
            };
            assert_eq!(mine, [theirs; 3], "seed {seed}, {question:?}\n{text}");
            compared += 1;
            violated += u64::from(theirs);
        }
    }
    println!("{compared} properties compared, {violated} violated; {passed_over} passed over");
    assert!(0 < violated && violated < compared);
}

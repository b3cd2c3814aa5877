//! Never claims that we write: our own front end reads the same language back, and SPIN comes to the same verdicts.
//!
//! `AMPLE_CLAIMS=2000 cargo test --release --test never_claims` for more formulas, `AMPLE_SPIN_CLAIMS=100` for more with SPIN.

mod support;

use ample::internals::limits::Unwatched;
use ample::internals::property::Property;
use ample::internals::search::{End, Settings, search_cycles};
use ample::internals::space::{Product, Stepping};
use ltl::random::{Rng, Shape};
use ltl::word::{self, Lasso};
use ltl::{Atoms, Formula, Formulas, never, translate};
use support::cli::{Dir, check};
use support::number;
use support::search::program;
use support::spin::{Question, Verifier, spin_is_there};

const NAMES: [&str; 3] = ["a", "b", "c"];

struct Sample {
    formulas: Formulas,
    formula: Formula,
    text: String,
    claim: String,
}

/// The formula that belongs to a seed, and the claim that accepts where it holds.
fn sample(seed: u64) -> Option<Sample> {
    let mut formulas = Formulas::new();
    let mut rng = Rng::seeded(seed);
    let shape = Shape {
        atoms: NAMES.len() as u32,
        ..Shape::default()
    };
    let formula = shape.formula(&mut formulas, &mut rng);
    let mut atoms = Atoms::new();
    for name in NAMES {
        atoms.intern(name);
    }
    let text = formulas.to_spin(formula, &atoms);
    let automaton = translate::buchi(&mut formulas, formula).ok()?;
    let claim = never::never(&automaton, &text, |atom| atoms.name(atom));
    Some(Sample {
        formulas,
        formula,
        text,
        claim,
    })
}

/// A model whose only run is that word.
fn model(word: &Lasso) -> String {
    let bits = |letter: u64| (0..NAMES.len()).map(move |i| letter >> i & 1);
    let step = |letter: &u64| {
        let sets = NAMES
            .iter()
            .zip(bits(*letter))
            .map(|(n, b)| format!("{n} = {b}"));
        format!("d_step {{ {} }};\n", sets.collect::<Vec<_>>().join("; "))
    };
    let cycle = word.cycle();
    let way: Vec<u64> = word.prefix().iter().chain(&cycle[..1]).copied().collect();
    let declared = NAMES
        .iter()
        .zip(bits(way[0]))
        .map(|(n, b)| format!("bit {n} = {b};\n"));
    let around = cycle[1..].iter().chain(&cycle[..1]);
    format!(
        "{}active proctype W() {{\n{}do ::\n{}od }}\n",
        declared.collect::<String>(),
        way[1..].iter().map(step).collect::<String>(),
        around.map(step).collect::<String>()
    )
}

#[test]
fn our_own_front_end_reads_the_same_language() {
    let count = number("AMPLE_CLAIMS", 150);
    let (mut accepted, mut judged) = (0, 0);
    for seed in number("AMPLE_SEED", 0)..number("AMPLE_SEED", 0) + count {
        let Some(sample) = sample(seed) else { continue };
        let mut rng = Rng::seeded(seed ^ 0x5eed);
        for _ in 0..4 {
            let word = Lasso::random(&mut rng, NAMES.len() as u32, 3, 3);
            let text = format!("{}{}", model(&word), sample.claim);
            let program = program(&text);
            let property = Property::claim(&program, &program.claims[0]).expect("a claim");
            let due = word::holds(&sample.formulas, sample.formula, &word);
            let ways = [Stepping::EveryState, Stepping::Changes];
            let possible = if property.stutter_invariant { 2 } else { 1 };
            for &stepping in &ways[..possible] {
                let mut product = Product::new(&program, &property, stepping, false);
                let outcome = search_cycles(&mut product, &Settings::default(), &mut Unwatched);
                assert!(!matches!(outcome.end, End::Stopped(_)));
                let found = !outcome.found.is_empty();
                assert_eq!(
                    found, due,
                    "{stepping:?}, seed {seed}: {}\n{text}",
                    sample.text
                );
            }
            judged += 1;
            accepted += u32::from(due);
        }
    }
    println!("{judged} words judged, {accepted} accepted");
    assert!(0 < accepted && accepted < judged);
}

/// Two processes that take turns as they like.
const MODEL: &str = "bit a, b, c;
active proctype P() { do :: a = 1 - a :: !a -> b = 1; c = b :: a && c -> break od }
active proctype Q() { do :: b -> b = 0 :: c -> c = 0; a = 1 :: else -> skip od }
";

#[test]
fn spin_comes_to_the_same_verdicts() {
    if !spin_is_there() {
        return;
    }
    let dir = Dir::new("never-claims");
    let path = dir.put("m.pml", MODEL);
    let (mut compared, mut violated) = (0, 0);
    for seed in 0..number("AMPLE_SPIN_CLAIMS", 8) {
        let Some(sample) = sample(1000 + seed) else {
            continue;
        };
        let claim = dir.put("claim", &sample.claim);
        let claim = claim.to_str().expect("UTF-8");
        let ours = check(&path, &["--claim", "never_0", "--never", claim]).code;
        let verifier = Verifier::build_with(&path, "-N claim", &[]).expect("SPIN reads the claim");
        let theirs = verifier.ask(Question::Never).expect("SPIN completes");
        let context = format!("seed {seed}: {}\n{}", sample.text, sample.claim);
        assert_eq!(ours, i32::from(theirs), "{context}");
        compared += 1;
        violated += u32::from(theirs);
    }
    println!("{compared} claims compared, {violated} violated");
    assert!(0 < violated && violated < compared);
}

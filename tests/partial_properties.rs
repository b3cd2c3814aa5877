//! Properties over conditions that have no value in some states: indices out of range, divisions by zero, lengths of
//! channels that are not there yet, variables of processes of another type.
//!
//! What counts is whether evaluating the property from left to right meets such a condition (SEMANTICS.md). Random
//! formulas over random models are decided in every way there is, and compared with the definition: every short lasso of
//! the model is evaluated by `ltl::word`, so a violation that is missed is noticed, and every violation that is found is
//! confirmed, so an invented one is noticed too. The same formulas are then given to SPIN.
//!
//! `AMPLE_MODELS=2000 AMPLE_SPIN_MODELS=500 AMPLE_SEED=1000 cargo test --release --test partial_properties` for more.

mod support;

use ample::internals::machine::{Machine, Move, Pid};
use ample::internals::property::{Property, Reading};
use ltl::Atom;
use ltl::word::{self, Lasso, Value};
use promela_lite::program::Program;
use promela_random::Rng;
use std::sync::Arc;
use support::cli::{Dir, result};
use support::number;
use support::search::{Way, program, violated};
use support::spin::{Verifier, spin_is_there};

/// Declarations and a process that makes `i` and `d` leave their good values and come back, and `late` a channel.
const WORLD: &str =
    "byte a[2]; byte i; byte d; byte n = 6; bool up; chan late; chan q = [1] of { byte };
active proctype P() { i = 1; d = 1; late = q; up = 1; late!3; up = 0; i = 2; d = 0 }
";

/// How the command line decides a property: `None` if it holds, `Some(true)` if it is undefined.
fn decided(text: &str, options: &[&str]) -> Option<bool> {
    violation(text, options).map(|violation| violation["kind"] == "model-error")
}

/// What the command line finds wrong with a property, if anything.
fn violation(text: &str, options: &[&str]) -> Option<serde_json::Value> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = folder.path().join("m.pml");
    std::fs::write(&model, text).expect("written");
    let result = result(&model, options);
    match result["verdict"].as_str() {
        Some("holds") => None,
        Some("violated") => Some(result["violations"][0].clone()),
        other => panic!("{other:?}: {options:?}\n{text}"),
    }
}

const MODES: &[&[&str]] = &[
    &[],
    &["--plain", "--workers", "1"],
    &["--reduction", "none"],
    &["--classic-product"],
    &["--shortest"],
    &["--store", "compressed", "--workers", "2"],
];

/// A claim tries all options where it is, and nothing elsewhere.
#[test]
fn claims_fail_only_where_they_evaluate() {
    for (claim, expected) in [
        ("T0: do :: d != 0 && n / d < 6 -> break :: true od", None),
        ("T0: do :: n / d < 6 -> break :: true od", Some(true)),
        (
            "T0: do :: d != 0 -> break :: true od; accept: do :: n / d > 9 od",
            Some(true),
        ),
        ("T0: do :: up -> break :: true od; n / d < 6", None),
        (
            "T0: do :: up -> break :: !up od; do :: a[i] == 1 -> break :: i < 2 od",
            Some(true),
        ),
        (
            "T0: do :: atomic { i < 2 -> assert(a[i] == 0) } :: true od",
            None,
        ),
        (
            "T0: do :: atomic { true -> assert(a[i] == 0) } :: true od",
            Some(true),
        ),
    ] {
        let text = format!("{WORLD}never {{ {claim} }}");
        for mode in MODES {
            let options = [&["--claim", "never_0"], *mode].concat();
            assert_eq!(decided(&text, &options), expected, "{claim}, {mode:?}");
        }
    }
}

/// The label of an edge is undefined where its value depends on a proposition that is.
#[test]
fn automata_fail_only_where_a_label_is_undefined() {
    for (label, expected) in [
        ("0 & 1", None),
        ("1 & 0", None),
        ("!0 | 1", Some(false)),
        ("1", Some(true)),
        ("0 & 1 | !0 & !0 & 0", None),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("v.hoa");
        let hoa = format!(
            "HOA: v1\nStates: 2\nStart: 0\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nAP: 2 \"i < 2\" \"a[i] == 1\"\n\
             --BODY--\nState: 0\n[t] 0\n[{label}] 1\nState: 1 {{0}}\n[t] 1\n--END--\n"
        );
        std::fs::write(&file, hoa).expect("written");
        let file = file.display().to_string();
        for mode in MODES {
            let options = [&["--check", "properties", "--hoa", &file], *mode].concat();
            assert_eq!(decided(WORLD, &options), expected, "{label}, {mode:?}");
        }
    }
}

/// A condition that is not evaluated says nothing about a property that holds, and is no reason for suspicion.
#[test]
fn definedness_is_not_mentioned_in_notes() {
    let text =
        format!("{WORLD}ltl p {{ [] ((i < 2) -> (a[i] == 0)) }} ltl q {{ [] (a[i % 2] < 3) }}");
    let dir = Dir::with_model("partial-notes", &text);
    let run = dir.ample(&["check", "--no-trail", "m.pml"]).exits(0);
    assert!(!run.text().contains("defined("), "{run:?}");
}

/// A random closed model in which `i`, `d`, `j`, `up` and `late` wander, and processes come and go.
fn random_model(rng: &mut Rng) -> String {
    let statement = |rng: &mut Rng| -> String {
        match rng.below(8) {
            0 | 1 => format!("i = {}", rng.below(4)),
            2 | 3 => format!("d = {}", rng.below(3)),
            4 => format!("a[{}] = {}", rng.below(2), rng.below(2)),
            5 => rng
                .word([
                    "late = q; up = 1",
                    "up = 1 - up",
                    "atomic { late = q; up = 1 }",
                ])
                .to_owned(),
            6 => "if :: nfull(q) -> q!1 :: nempty(q) -> q?_ fi".to_owned(),
            _ => "if :: _nr_pr < 4 -> run W(d) :: else fi".to_owned(),
        }
    };
    let mut text = String::from(
        "byte a[2]; byte i; byte d = 1; byte n = 6; bool up; chan late; chan q = [1] of { byte };
proctype W(byte w) { byte x; x = w; here: x = 0 }
",
    );
    for process in 0..rng.within(1, 2) {
        let count = rng.within(1, 3);
        let statements: Vec<String> = (0..count).map(|_| statement(rng)).collect();
        let body = statements.join("; ");
        let body = match rng.below(3) {
            0 => format!("do :: {body} od"),
            1 => format!("do :: {body} :: break od"),
            _ => body,
        };
        text.push_str(&format!("active proctype P{process}() {{ {body} }}\n"));
    }
    text
}

/// A random formula without next; about half of its conditions are partial.
fn random_formula(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.chance(15) {
        let atom = rng.word([
            "i < 2",
            "d != 0",
            "up",
            "i == 1",
            "d == 2",
            "len(q) == 0",
            "a[i] == 0",
            "n / d >= 6",
            "len(late) == 0",
            "n % d == 0",
            "a[i] == 1",
            "a[d - 1] == 0",
            "(1 << (d - 1)) == 1",
            "a[i % 2] == 0",
        ]);
        return format!("({atom})");
    }
    let left = random_formula(rng, depth - 1);
    match rng.below(12) {
        0 => format!("(!{left})"),
        1 | 2 => format!("([] {left})"),
        3 => format!("(<> {left})"),
        _ => {
            let operator = rng.word(["&&", "||", "->", "->", "<->", "U", "V", "W", "&&", "||"]);
            format!("({left} {operator} {})", random_formula(rng, depth - 1))
        }
    }
}

/// The states of a model: what can be reached, and the moves between states that are seen; `None` when they are many.
struct Graph {
    /// The letter of each state.
    letters: Vec<u64>,
    successors: Vec<Vec<usize>>,
}

impl Graph {
    fn new(program: &Arc<Program>, property: &Property, most: usize) -> Option<Graph> {
        let mut machine = Machine::new(Arc::clone(program));
        let mut initial = Vec::new();
        machine.initial(&mut initial).ok()?;
        let mut states: Vec<Vec<u8>> = vec![initial];
        let mut graph = Graph {
            letters: Vec::new(),
            successors: Vec::new(),
        };
        let mut at = 0;
        while at < states.len() {
            if states.len() > most {
                return None;
            }
            let state = states[at].clone();
            let mut letter = 0;
            for (bit, atom) in property.atoms.iter().enumerate() {
                let value = machine.eval(&state, atom.code);
                let holds = match atom.reading {
                    Reading::Defined => value.is_ok(),
                    _ => value.is_ok_and(|v| v != 0),
                };
                letter |= u64::from(holds) << bit;
            }
            let mut successors = Vec::new();
            follow(&mut machine, &state, None, 0, &mut |next| {
                let known = states.iter().position(|s| *s == next);
                let index = known.unwrap_or_else(|| {
                    states.push(next);
                    states.len() - 1
                });
                successors.push(index);
            })?;
            graph.letters.push(letter);
            graph.successors.push(successors);
            at += 1;
        }
        Some(graph)
    }

    /// The value of the property on each lasso with at most that many states; `seen` is told each.
    fn lassos(&self, path: &mut Vec<usize>, most: usize, seen: &mut dyn FnMut(&[usize], usize)) {
        let last = path[path.len() - 1];
        if self.successors[last].is_empty() {
            seen(path, path.len() - 1);
            return;
        }
        for &next in &self.successors[last] {
            if let Some(start) = path.iter().position(|s| *s == next) {
                seen(path, start);
            }
            if path.len() < most {
                path.push(next);
                self.lassos(path, most, seen);
                path.pop();
            }
        }
    }
}

/// Makes all moves of a state, and those of the process that keeps control, and tells the states that are seen.
fn follow(
    machine: &mut Machine,
    state: &[u8],
    control: Option<Pid>,
    depth: usize,
    tell: &mut dyn FnMut(Vec<u8>),
) -> Option<()> {
    let mut moves: Vec<Move> = Vec::new();
    let info = machine.moves(state, control, &mut moves).ok()?;
    if control.is_some() && info.control_lost || depth > 20 {
        return None;
    }
    for mv in moves {
        let mut next = Vec::new();
        let step = machine.apply(state, mv, info.timeout, &mut next).ok()?;
        match step.control {
            None => tell(next),
            Some(pid) => follow(machine, &next, Some(pid), depth + 1, tell)?,
        }
    }
    Some(())
}

/// Whether some short run does not satisfy the property, by definition; and whether some is undefined.
fn by_definition(graph: &Graph, property: &Property) -> (bool, bool) {
    let formula = property.formula.as_ref().expect("a formula");
    let defined = |a: Atom| match property.atoms[a.0 as usize].reading {
        Reading::Partial { defined } => Some(defined),
        _ => None,
    };
    let (mut fails, mut undefined) = (false, false);
    let mut budget = 3_000;
    graph.lassos(&mut vec![0], 9, &mut |path, start| {
        if budget > 0 {
            budget -= 1;
            let letters = |states: &[usize]| states.iter().map(|s| graph.letters[*s]).collect();
            let lasso =
                Lasso::new(letters(&path[..start]), letters(&path[start..])).expect("a cycle");
            match word::evaluate(&formula.formulas, formula.formula, &lasso, &defined) {
                Value::True => {}
                Value::False => fails = true,
                Value::Undefined { .. } => undefined = true,
            }
        }
    });
    (fails, undefined)
}

#[test]
fn random_partial_properties_are_decided_by_their_definition() {
    let first = number("AMPLE_SEED", 0);
    let count = number(
        "AMPLE_MODELS",
        if cfg!(debug_assertions) { 60 } else { 2_000 },
    );
    let (mut properties, mut partial, mut fails, mut undefined, mut holds) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::seeded(seed);
        let mut text = random_model(&mut rng);
        for index in 0..4 {
            let formula = random_formula(&mut rng, 3);
            text.push_str(&format!("ltl p{index} {{ {formula} }}\n"));
        }
        let program = program(&text);
        for property in &program.ltl {
            let name = &property.name;
            let property = Property::ltl(&program, property).expect("it can be checked");
            let Some((plain, _)) = violated(&program, name, Way::Plain) else {
                continue;
            };
            for way in Way::OTHERS {
                let answer = violated(&program, name, way);
                let agrees = answer.is_none_or(|(v, _)| v == plain);
                assert!(agrees, "seed {seed}, {name}, {way:?}\n{text}");
            }
            let is_partial = property.atoms.iter().any(|a| a.reading == Reading::Defined);
            properties += 1;
            partial += u32::from(is_partial);
            holds += u32::from(is_partial && !plain);
            if let Some(graph) = Graph::new(&program, &property, 300) {
                let (does_not_hold, is_undefined) = by_definition(&graph, &property);
                assert!(
                    plain || !does_not_hold && !is_undefined,
                    "seed {seed}, {name}: missed\n{text}"
                );
                fails += u32::from(is_partial && does_not_hold);
                undefined += u32::from(is_undefined);
            }
        }
    }
    println!(
        "{properties} properties, {partial} partial: {holds} hold, {fails} fail, {undefined} are undefined"
    );
    assert!(partial * 2 > properties && holds > 0 && fails > 0 && undefined > 0);
}

/// What SPIN says about a formula: whether it reports an error, and whether that is one of evaluating a condition.
fn spins(verifier: &Verifier, name: &str) -> Option<(bool, bool)> {
    let text = verifier.pan(&format!("-m100000 -n -a -N {name}"));
    if text.contains("max search depth too small") {
        return None;
    }
    // A division by zero ends the verifier.
    if !text.contains("errors:") {
        return Some((true, true));
    }
    let error = text.lines().find(|l| l.starts_with("pan:1:"));
    let evaluating = error.is_some_and(|e| {
        e.contains("invalid array index") || e.contains("uninitialized") || e.contains("bad rcv")
    });
    Some((error.is_some(), evaluating))
}

/// SPIN evaluates the conditions of its claim in the order in which its translator wrote them, which need not be that of
/// the formula, and before it is known whether the run will be accepted. So one of us may meet an expression without a value
/// that the other does not evaluate; then SPIN's own claim, checked by our rules, must come to what SPIN says.
#[test]
fn random_partial_properties_beside_spin() {
    if !spin_is_there() {
        return;
    }
    let first = number("AMPLE_SEED", 0);
    let count = number("AMPLE_SPIN_MODELS", 4);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut compared, mut errors, mut otherwise, mut shifted) = (0, 0, 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::seeded(seed);
        let model = random_model(&mut rng);
        let formulas: Vec<String> = (0..4).map(|_| random_formula(&mut rng, 2)).collect();
        let blocks: Vec<String> = formulas
            .iter()
            .enumerate()
            .map(|(index, formula)| format!("ltl p{index} {{ {formula} }}\n"))
            .collect();
        let text = format!("{model}{}", blocks.concat());
        let path = folder.path().join("m.pml");
        std::fs::write(&path, &text).expect("written");
        let Some(verifier) = Verifier::build(&path, &[]) else {
            continue;
        };
        for index in 0..formulas.len() {
            let name = format!("p{index}");
            let Some((theirs, evaluating)) = spins(&verifier, &name) else {
                continue;
            };
            let found = violation(&text, &["--claim", &name]);
            let ours = found.is_some();
            // In SPIN the C compiler decides what a shift by a negative number is.
            let shifts = |v: &serde_json::Value| {
                v["message"]
                    .as_str()
                    .is_some_and(|m| m.starts_with("shift"))
            };
            if !theirs && found.as_ref().is_some_and(shifts) {
                shifted += 1;
                continue;
            }
            compared += 1;
            errors += u32::from(theirs);
            if ours == theirs {
                continue;
            }
            // One of them met an expression without a value where the other did not evaluate it.
            let undefined = found.is_some_and(|v| v["kind"] == "model-error");
            assert!(
                if theirs { evaluating } else { undefined },
                "seed {seed}, {name}: ours {ours}, SPIN {theirs}\n{text}"
            );
            otherwise += 1;
            let claims = verifier.file("_spin_nvr.tmp");
            let claim = claims
                .split_inclusive("\n}\n")
                .find(|c| c.contains(&format!("never {name} ")))
                .unwrap_or_else(|| panic!("no claim {name} in {claims}"));
            let with_claim = format!("{model}{claim}");
            assert_eq!(
                decided(&with_claim, &["--claim", &name]).is_some(),
                theirs,
                "seed {seed}, {name}: SPIN's own claim\n{with_claim}"
            );
        }
    }
    println!(
        "{compared} compared, {errors} with errors; in {otherwise} SPIN's claim evaluates in another order; \
         {shifted} left out for shifts that C does not define"
    );
    assert!(compared > 0 && otherwise * 3 < compared);
}

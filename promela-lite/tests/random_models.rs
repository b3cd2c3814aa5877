//! Random models: valid ones are accepted, by us and by SPIN; broken ones never make the front end panic.

use promela_lite::program::Program;
use promela_lite::{Code, Input, MemoryLoader, compile};
use promela_random as random;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What comes of a text: the program, or the codes of its errors.
fn read(text: impl Into<Vec<u8>>) -> Result<Program, Vec<Code>> {
    let mut loader = MemoryLoader::default().with("m", text);
    let compiled = compile(Path::new("m"), &Input::default(), &mut loader);
    let codes = compiled.diagnostics.sorted().into_iter().map(|d| d.code);
    compiled.program.ok_or_else(|| codes.collect())
}

#[test]
fn valid_models_are_accepted() {
    for seed in 0..3_000 {
        for text in [
            random::swarm(seed).with_ltl(),
            random::partial(seed).with_ltl(),
        ] {
            if let Err(codes) = read(text.as_str()) {
                panic!("seed {seed}: {codes:?}\n{text}");
            }
        }
    }
}

#[test]
fn a_seed_means_the_same_model_for_ever() {
    let text = random::model(1, &random::Config::default()).text;
    assert_eq!(text, random::model(1, &random::Config::default()).text);
    let mut sum = 0_u64;
    for seed in 0..100 {
        for byte in random::swarm(seed).with_ltl().bytes() {
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(byte));
        }
    }
    // Changes with the generator, and with nothing else.
    assert_eq!(sum, SUM_OF_THE_FIRST_HUNDRED);
}

const SUM_OF_THE_FIRST_HUNDRED: u64 = 14_470_049_601_636_557_591;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("random-models-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn spin_accepts_valid_models() {
    if Command::new("spin").arg("-V").output().is_err() {
        println!("skipped: spin is not installed");
        return;
    }
    let folder = Folder::new();
    for seed in 0..150 {
        let text = match seed % 3 {
            0 => random::partial(seed).with_ltl(),
            _ => random::swarm(seed).with_ltl(),
        };
        std::fs::write(folder.0.join("m.pml"), &text).expect("a model");
        let _ = std::fs::remove_file(folder.0.join("pan.c"));
        let run = Command::new("spin")
            .args(["-a", "m.pml"])
            .current_dir(&folder.0)
            .output()
            .expect("spin runs");
        let said = String::from_utf8_lossy(&run.stdout);
        let accepted = run.status.success() && folder.0.join("pan.c").exists();
        assert!(accepted, "seed {seed}: {said}\n{text}");
    }
}

#[test]
fn broken_models_do_no_harm() {
    let begin = Instant::now();
    let (mut valid, mut slowest) = (0, Duration::ZERO);
    for seed in 0..20_000 {
        let begin = Instant::now();
        valid += u32::from(read(random::mutant(seed)).is_ok());
        slowest = slowest.max(begin.elapsed());
    }
    println!(
        "{valid} are valid, slowest {slowest:?}, all {:?}",
        begin.elapsed()
    );
    assert!(valid > 0, "mutants should not all be refused early");
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
}

/// What random models showed: texts that SPIN refuses, and the code that we give.
#[test]
fn refused_as_in_spin() {
    let cases = [
        (
            "chan c = [1] of { byte, byte }; byte x; init { c?x,x }",
            Code::FieldsOverlap,
        ),
        (
            "chan c = [1] of { byte, byte }; byte x; init { c?<x,x> }",
            Code::FieldsOverlap,
        ),
        (
            "typedef T { byte f } T t; init { select (t.f : 0 .. 1) }",
            Code::BadCounter,
        ),
        (
            "byte a[2]; init { for (a[0] : 0 .. 1) { skip } }",
            Code::BadCounter,
        ),
    ];
    let thrice = ("init { L: skip; L: skip; L: skip }", Code::DuplicateName);
    for (text, code) in cases.into_iter().chain([thrice]) {
        let codes = read(text).err().unwrap_or_default();
        assert!(codes.contains(&code), "{text}: {codes:?}");
    }
    for accepted in [
        "chan c = [1] of { byte, byte }; byte x; init { c?x,eval(x) }",
        "chan c = [1] of { byte, byte }; byte a[2]; init { c?a[0],a[0] }",
        "chan c = [1] of { byte, byte }; init { c?_,_ }",
        "chan c = [1] of { byte, byte }; byte x; init { c?[x,x] }",
    ] {
        assert!(read(accepted).is_ok(), "{accepted}");
    }
}

/// The end of a selection that ends an `atomic` is a step of its own; SPIN has no escape from there.
#[test]
fn nothing_escapes_from_the_end_of_a_selection() {
    let text = "byte x; init { { atomic { if :: x == 0 -> x = 1 :: else fi } } unless { x == 2 } }";
    let program = read(text).expect("a valid model");
    let graph = &program.proctypes[0].graph;
    let ends: Vec<_> = graph.edges.iter().filter(|e| e.text == ".(goto)").collect();
    assert!(!ends.is_empty());
    for end in ends {
        assert_eq!(graph.locations[end.from.index()].count, 1);
    }
}

/// SPIN drops repeated `skip`s in options, but `(0 != 2)` is not a `skip` to it although its value is 1.
#[test]
fn only_what_is_written_as_one_is_a_skip() {
    let locations = |guard: &str| {
        let text = format!("byte x; init {{ if :: {guard} -> skip; x = 1 :: x = 2 fi }}");
        let program = read(text).expect("a valid model");
        program.proctypes[0].graph.locations.len()
    };
    assert_eq!(locations("skip"), locations("1"));
    assert_eq!(locations("skip"), locations("true"));
    assert_eq!(locations("skip") + 1, locations("(0 != 2)"));
}

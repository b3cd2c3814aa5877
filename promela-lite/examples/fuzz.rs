//! Feeds broken models to the front end: it must neither panic nor take long.
//!
//! `cargo run --release -p promela-lite --example fuzz -- --count 1000000 --seed 0`
//!
//! Input number i is the mutant of seed S + i, so a failure is repeated by `--seed <its seed> --count 1`. Every input
//! that makes the front end panic is printed, with its seed; the exit code is 1 if there was one, or if one took longer
//! than two seconds.

use promela_lite::{Input, MemoryLoader, compile, random};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, otherwise: u64| {
        let at = arguments.iter().position(|a| a == name);
        at.and_then(|at| arguments.get(at + 1)?.parse().ok())
            .unwrap_or(otherwise)
    };
    let (seed, count) = (option("--seed", 0), option("--count", 100_000));
    let (mut accepted, mut failures) = (0, 0);
    let mut slowest = (Duration::ZERO, seed);
    for seed in seed..seed.saturating_add(count) {
        let bytes = random::mutant(seed);
        let loader = MemoryLoader::default().with("m", bytes.clone());
        let begin = Instant::now();
        let outcome = std::panic::catch_unwind(|| {
            let compiled = compile(Path::new("m"), &Input::default(), &mut loader.clone());
            compiled.program.is_some()
        });
        slowest = slowest.max((begin.elapsed(), seed));
        match outcome {
            Ok(valid) => accepted += u64::from(valid),
            Err(_) => {
                failures += 1;
                println!(
                    "--- seed {seed} panics\n{}",
                    String::from_utf8_lossy(&bytes)
                );
            }
        }
    }
    println!("{count} inputs, {accepted} valid, {failures} panics");
    println!("slowest: seed {} in {:?}", slowest.1, slowest.0);
    if failures > 0 || slowest.0 > Duration::from_secs(2) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

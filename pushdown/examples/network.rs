//! Checks a network in the text format: `cargo run --release -p ample-pushdown --example network -- NET.pds [CONTEXTS]`.
//!
//! `NET.init` and `NET.spec` are read from beside `NET.pds`.

use ample_pushdown::explicit::contexts::{Outcome, check};
use ample_pushdown::text::parse;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("expected the path of a .pds file");
        return ExitCode::from(2);
    };
    let bound: usize = arguments
        .next()
        .map_or(20, |bound| bound.parse().expect("a number of contexts"));
    let read = |ending: &str| std::fs::read_to_string(Path::new(&path).with_extension(ending));
    let (Ok(pds), Ok(init)) = (read("pds"), read("init")) else {
        eprintln!("{path}: there must be a .pds and a .init file");
        return ExitCode::from(2);
    };
    let text = match parse(&pds, &init, read("spec").ok().as_deref()) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let told = |contexts, tuples| {
        println!(
            "{contexts} contexts: {tuples} view tuples, {:.1?}",
            start.elapsed()
        )
    };
    match check(
        &text.network,
        &text.targets,
        bound,
        200_000,
        &|| false,
        told,
    ) {
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
        Ok(Outcome::Holds { contexts, reason }) => {
            println!("holds, converged after {contexts} contexts: {reason}");
            ExitCode::SUCCESS
        }
        Ok(Outcome::Bounded { contexts, reason }) => {
            println!("no violation within {contexts} contexts; {reason}");
            ExitCode::from(3)
        }
        Ok(Outcome::Violated { contexts, run }) => {
            println!("violated with {contexts} contexts:");
            let path = text.network.execute(&run).unwrap_or_default();
            for (step, after) in run.iter().zip(path.iter().skip(1)) {
                println!(
                    "  thread {} line {}: {}",
                    step.thread,
                    text.lines[step.rule],
                    text.show(after)
                );
            }
            ExitCode::from(1)
        }
    }
}

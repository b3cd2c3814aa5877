//! Prints the tables of the paper for our models: time, BDD nodes, view tuples, contexts.
//!
//! `cargo run --release -p ample-pushdown --example tables [-- BITS]`: `BITS` is the largest size of `x` for eager splitting
//! in Table 1 (6 unless said; lazy splitting always goes to 16; with 0, Table 1 is left out).

use ample_pushdown::boolean::compile::Compiled;
use ample_pushdown::boolean::program::Program;
use ample_pushdown::models::{bluetooth, tree, vector};
use ample_pushdown::symbolic::contexts::{Options, Outcome, Splitting, Statistics, check};
use std::time::{Duration, Instant};

const NODES: usize = 1 << 22;

struct Row {
    time: Duration,
    outcome: Outcome,
    figures: Statistics,
}

fn measure(program: &Program, bound: usize, splitting: Splitting) -> Row {
    let start = Instant::now();
    let compiled = Compiled::new(program, bound, NODES).expect("a program that can be compiled");
    let options = Options {
        splitting,
        may_converge: false,
        ..Options::new(bound)
    };
    let targets = [compiled.error.clone()];
    let (outcome, figures) = check(compiled.explored(), &targets, options, |_| {});
    if let Outcome::Violated { run, .. } = &outcome {
        let run = compiled.run(run).expect("a run of the program");
        compiled.confirm(&run).expect("a run that executes");
    }
    Row {
        time: start.elapsed(),
        outcome,
        figures,
    }
}

fn verdict(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Violated { contexts, .. } => format!("violated with {contexts}"),
        Outcome::Holds { contexts } => format!("holds, all after {contexts}"),
        Outcome::Bounded { contexts } => format!("none within {contexts}"),
        Outcome::Stopped { contexts, reason } => format!("stopped after {contexts}: {reason}"),
    }
}

fn print(name: &str, splitting: Splitting, row: &Row) {
    let Row {
        time,
        outcome,
        figures,
    } = row;
    println!(
        "{name:<24} {splitting:<6} {:>9.1} ms {:>9} {:>7} {:>7} {:>7}  {}",
        time.as_secs_f64() * 1000.0,
        figures.nodes,
        figures.expanded,
        figures.kept,
        figures.posts,
        verdict(outcome)
    );
}

fn header(title: &str) {
    println!("\n{title}");
    let titles = ["time", "nodes", "tuples", "kept", "posts"];
    let [time, nodes, tuples, kept, posts] = titles;
    println!(
        "{:<24} {:<6} {time:>12} {nodes:>9} {tuples:>7} {kept:>7} {posts:>7}  contexts",
        "", ""
    );
}

fn main() {
    let asked = std::env::args().nth(1);
    let eager_bits: usize = asked.map_or(6, |bits| bits.parse().expect("a number of bits"));
    if eager_bits > 0 {
        table1(eager_bits);
    }
    table2();
    table3();
}

fn table1(eager_bits: usize) {
    header("Table 1: vector, 3 contexts");
    for racy in [true, false] {
        for bits in 1..=16 {
            let program = vector::test(bits, racy);
            let name = format!(
                "{}, x of {bits} bits",
                if racy { "racy" } else { "repaired" }
            );
            if bits <= eager_bits {
                print(
                    &name,
                    Splitting::Eager,
                    &measure(&program, 3, Splitting::Eager),
                );
            }
            print(
                &name,
                Splitting::Lazy,
                &measure(&program, 3, Splitting::Lazy),
            );
        }
    }
}

fn table2() {
    header("Table 2: Bluetooth drivers (adders+stoppers, contexts)");
    for (version, adders, stoppers, bound) in [
        (1, 1, 1, 3),
        (2, 1, 1, 6),
        (2, 2, 1, 5),
        (3, 2, 1, 6),
        (3, 1, 2, 4),
    ] {
        for splitting in [Splitting::Eager, Splitting::Lazy] {
            let program = bluetooth::driver(version, adders, stoppers);
            let name = format!("version {version}, {adders}+{stoppers}, {bound}");
            print(&name, splitting, &measure(&program, bound, splitting));
        }
    }
}

fn table3() {
    header("Table 3: binary search tree (inserters+searchers, contexts)");
    for (inserters, searchers, bound) in [
        (1, 1, 3),
        (1, 1, 4),
        (2, 1, 4),
        (2, 1, 5),
        (2, 1, 6),
        (2, 2, 5),
        (2, 2, 6),
    ] {
        let program = tree::tree(inserters, searchers, false);
        let name = format!("{inserters}+{searchers}, {bound}");
        print(
            &name,
            Splitting::Lazy,
            &measure(&program, bound, Splitting::Lazy),
        );
    }
    let program = tree::tree(2, 0, true);
    print(
        "racy, 2+0, 5",
        Splitting::Lazy,
        &measure(&program, 5, Splitting::Lazy),
    );
}

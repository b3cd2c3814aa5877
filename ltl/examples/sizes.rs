//! Sizes of the automata of well-known formula sets, beside those of SPIN.
//!
//! `cargo run --release -p ltl --example sizes [-- --negate] [-- SET]`
//!
//! With SPIN installed (or named by the variable `SPIN`), each formula is also given to `spin -f`,
//! in SPIN's own syntax and fully parenthesised, and the states of its never claim are counted: one
//! for each labelled block, the initial one and a final `accept_all` included. Ours are counted the
//! same way: one for each state, which is one block of our never claim. SPIN reads formulas with the
//! next operator only if it was compiled with `-DNXT`; formulas it rejects, or does not finish
//! within ten seconds, are left out of both totals that are compared.

use ltl::patterns::{self, SETS};
use ltl::{Atoms, Formula, Formulas, translate};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let negate = args.iter().any(|a| a == "--negate");
    let wanted = |name: &str| args.iter().all(|a| a.starts_with("--") || a == name);
    let spin = std::env::var("SPIN").unwrap_or_else(|_| "spin".to_owned());
    let mut total = Totals::default();
    println!("formula   states edges det weak   SPIN states edges");
    for set in SETS.iter().filter(|s| wanted(s.name)) {
        for (i, text) in set.formulas.iter().enumerate() {
            let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
            let mut f = patterns::read(&mut formulas, &mut atoms, text);
            if negate {
                f = formulas.not(f);
            }
            let start = Instant::now();
            let buchi = translate::buchi(&mut formulas, f).expect("the sets are small");
            total.time += start.elapsed();
            let (states, edges) = (buchi.len(), buchi.edge_count());
            total.all.0 += states;
            total.all.1 += edges;
            let theirs = spin_size(&spin, &formulas, f, &atoms);
            let flag = |yes, text: &'static str| if yes { text } else { "" };
            print!(
                "{:<4} {i:>3}  {states:>6} {edges:>5} {:>3} {:>4}",
                set.name,
                flag(buchi.is_deterministic(), "det"),
                flag(buchi.is_weak(), "weak"),
                i = i + 1,
            );
            match theirs {
                Some((their_states, their_edges)) => {
                    total.compared += 1;
                    total.ours.0 += states;
                    total.ours.1 += edges;
                    total.spin.0 += their_states;
                    total.spin.1 += their_edges;
                    let larger = states > their_states;
                    total.larger += usize::from(larger);
                    println!(
                        "   {their_states:>11} {their_edges:>5}{}",
                        flag(larger, "  LARGER")
                    );
                }
                None => println!("             -     -"),
            }
        }
    }
    println!(
        "all: {} states, {} edges, in {:?}",
        total.all.0, total.all.1, total.time
    );
    println!(
        "{} formulas compared: ours {} states, {} edges; SPIN {} states, {} edges; {} larger than SPIN's",
        total.compared, total.ours.0, total.ours.1, total.spin.0, total.spin.1, total.larger
    );
}

#[derive(Default)]
struct Totals {
    all: (usize, usize),
    compared: usize,
    ours: (usize, usize),
    spin: (usize, usize),
    larger: usize,
    time: Duration,
}

/// States and edges of SPIN's never claim.
fn spin_size(spin: &str, formulas: &Formulas, f: Formula, atoms: &Atoms) -> Option<(usize, usize)> {
    let mut child = Command::new(spin)
        .arg("-f")
        .arg(formulas.to_spin(f, atoms))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let deadline = Instant::now() + Duration::from_secs(10);
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > deadline {
            child.kill().ok()?;
            child.wait().ok()?;
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let text = reader.join().ok()?.ok()?;
    if !text.starts_with("never") {
        return None;
    }
    let lines = || text.lines().map(str::trim);
    let block = |l: &&str| matches!(*l, "do" | "if" | "skip") || l.starts_with("false");
    let states = lines().filter(block).count();
    let edges = lines()
        .filter(|l| l.starts_with("::") || *l == "skip")
        .count();
    Some((states, edges))
}

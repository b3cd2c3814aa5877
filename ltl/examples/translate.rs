//! Translates one formula: `cargo run --release -p ltl --example translate -- 'G(p -> F q)' [hoa|dot]`

use ltl::{Atoms, Formulas, classify, dot, hoa, never, parse, stutter, translate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let text = args.next().ok_or("a formula is expected")?;
    let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
    let f = parse::formula(&mut formulas, &mut atoms, &text)?;
    let buchi = translate::buchi(&mut formulas, f)?;
    match args.next().as_deref() {
        Some("hoa") => print!("{}", hoa::write(&buchi, &text, &atoms)),
        Some("dot") => print!("{}", dot::dot(&buchi, &atoms)),
        _ => print!("{}", never::never(&buchi, &text, |a| atoms.name(a))),
    }
    let class = classify::semantic(&mut formulas, f)?;
    let invariant = stutter::formula_is_invariant(&mut formulas, f)?;
    eprintln!(
        "{} states, {}, stutter-invariant: {invariant}",
        buchi.len(),
        class.name()
    );
    Ok(())
}

//! Small models of processes that go round for ever and mostly have little to do with each other: where condition F matters,
//! and where steps that different parts of a property see can be swapped.

use ltl::random::Rng;

/// A model, and formulas about it.
pub(crate) fn model(seed: u64) -> (String, Vec<String>) {
    let mut rng = Rng::seeded(seed ^ 0x1007_0000_0000_0000);
    let processes = 2 + rng.below(2);
    let mut text = String::from("bit s;\nchan c = [1] of { bit };\n");
    for p in 0..processes {
        text.push_str(&format!("byte v{p};\n"));
    }
    for p in 0..processes {
        let mut body = String::new();
        for _ in 0..rng.below32(2) {
            body.push_str(&format!("  {};\n", statement(&mut rng, p, processes, 2)));
        }
        if rng.below32(8) > 0 {
            let options = 1 + rng.below32(2);
            body.push_str("  do\n");
            for _ in 0..options {
                let length = 1 + rng.below32(3);
                let one = |_| statement(&mut rng, p, processes, 1);
                let statements: Vec<String> = (0..length).map(one).collect();
                body.push_str(&format!("  :: {}\n", statements.join("; ")));
            }
            body.push_str("  od\n");
        }
        text.push_str(&format!(
            "active proctype P{p}() {{\n  bit x;\n  skip;\n{body}}}\n"
        ));
    }
    let formulas = (0..3).map(|_| formula(&mut rng, processes, 3)).collect();
    (text, formulas)
}

fn statement(rng: &mut Rng, p: usize, processes: usize, depth: u32) -> String {
    let q = rng.below32(processes as u32);
    let k = rng.below32(2);
    match rng.below32(if depth == 0 { 9 } else { 13 }) {
        0..3 => format!("v{p} = 1 - v{p}"),
        3 => format!("v{p} = {k}"),
        4 => format!("(v{q} == {k})"),
        5 => format!("s = {k}"),
        6 => format!("(s == {k})"),
        7 => "x = 1 - x".to_owned(),
        8 => match rng.below32(2) {
            0 => format!("c!{k}"),
            _ => "c?x".to_owned(),
        },
        9 | 10 => {
            let mut one = || statement(rng, p, processes, depth - 1);
            format!("if :: {} :: {} fi", one(), one())
        }
        11 => {
            let mut one = || statement(rng, p, processes, depth - 1);
            format!("if :: {} :: else -> {} fi", guard(p, q, k), one())
        }
        _ => {
            let mut one = || statement(rng, p, processes, depth - 1);
            format!("atomic {{ {}; {} }}", one(), one())
        }
    }
}

fn guard(p: usize, q: u32, k: u32) -> String {
    match p % 3 {
        0 => format!("(v{q} == {k})"),
        1 => format!("(s == {k})"),
        _ => "c?x".to_owned(),
    }
}

fn formula(rng: &mut Rng, processes: usize, depth: u32) -> String {
    let p = rng.below32(processes as u32);
    if depth == 0 {
        return match rng.below32(4) {
            0 => "(s == 1)".to_owned(),
            _ => format!("(v{p} == 1)"),
        };
    }
    let mut part = || formula(rng, processes, depth - 1);
    let (a, b) = (part(), part());
    match rng.below32(11) {
        0 => format!("[] {a}"),
        1 => format!("<> {a}"),
        2 | 3 => format!("[]<> {a}"),
        4 => format!("<>[] {a}"),
        5 | 6 => format!("({a} && {b})"),
        7 => format!("({a} || {b})"),
        8 => format!("({a} -> {b})"),
        9 => format!("!({a})"),
        _ => format!("({a} U {b})"),
    }
}

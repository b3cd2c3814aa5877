//! Models in which an error takes several contexts.
//!
//! In most models of [`crate::swarm`] an error shows with one context, or with none. Here processes wait for each other: steps of
//! a `turn` are dealt out to two or three of them, and an assertion behind the last step fails, or fails for some values only.
//! The number of contexts that the error needs is about the number of times that the turn changes hands.

use crate::{RandomModel, Rng};

/// The model that belongs to a seed.
pub fn relays(seed: u64) -> RandomModel {
    let mut rng = Rng::seeded(seed ^ 0x4e1a_0000_0000_0000);
    let processes = rng.within(2, 3);
    let steps = rng.within(1, 6);
    let mut bodies = vec![String::new(); processes];
    for step in 0..steps {
        let body = &mut bodies[rng.below(processes)];
        // A process may go on without waiting for its turn.
        let guard = match rng.below(4) {
            0 => "",
            1 => "turn == STEP && x < 3 -> ",
            _ => "turn == STEP -> ",
        };
        let effect = match rng.below(5) {
            0 => "x = 1 - x",
            1 => "if :: y = 1 :: x = y fi",
            2 => "y = x",
            3 => "b ! x",
            _ => "if :: nempty(b) -> b ? y :: x = 1 :: else fi",
        };
        let pass = match rng.below(6) {
            0 => "",
            1 => "atomic { turn == STEP -> turn = NEXT };",
            _ => "turn = NEXT;",
        };
        let text = format!("{guard}{effect}; {pass}\n")
            .replace("STEP", &step.to_string())
            .replace("NEXT", &(step + 1).to_string());
        body.push_str(&text);
    }
    let last = match rng.below(4) {
        0 => "assert(false)",
        1 => "assert(x == y)",
        2 => "assert(!x || !y)",
        _ => "assert(x)",
    };
    bodies[rng.below(processes)].push_str(&format!("turn == {steps} -> {last}\n"));
    let mut text = "byte turn; bit x, y; chan b = [1] of { bit };\n".to_owned();
    for (index, body) in bodies.iter().enumerate() {
        text.push_str(&format!(
            "active proctype P{index}() {{\n{body}end: skip\n}}\n"
        ));
    }
    let formulas = Vec::new();
    RandomModel { text, formulas }
}

//! Random formulas over a random model: without `next`, so that every reduction may be used on them, and small, since
//! SPIN's translator takes exponential time. Questions such as `full(c)` do not occur: SPIN refuses them in formulas.

use crate::world::World;

impl World<'_> {
    /// A formula of linear temporal logic.
    pub(super) fn formula(&mut self) -> String {
        self.temporal(2)
    }

    fn temporal(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(20) {
            return self.proposition();
        }
        let operand = self.temporal(depth - 1);
        match self.rng.below(10) {
            0 | 1 => format!("[] {operand}"),
            2 | 3 => format!("<> {operand}"),
            4 => format!("(! {operand})"),
            _ => {
                let operator = self.rng.word(["U", "W", "V", "&&", "||", "->", "U"]);
                // SPIN is slowest on nested `W`.
                let inner = if operator == "W" { 0 } else { depth - 1 };
                format!("({operand} {operator} {})", self.temporal(inner))
            }
        }
    }

    fn proposition(&mut self) -> String {
        if self.rng.chance(20) {
            let place = self.rng.pick(&self.places).cloned();
            if let Some(place) = place {
                let pid = place.pid.map_or(String::new(), |pid| format!("[{pid}]"));
                return format!("({}{pid}@{})", place.proctype, place.label);
            }
        }
        self.global_condition()
    }
}

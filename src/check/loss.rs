//! What a lossy search may have omitted, in figures and in words.

use crate::limits::Stop;
use crate::search::{End, MoveOrder, SwarmOutcome};
use crate::store::{self, LossyKind};

/// What a lossy search may have left out.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The figures.
    pub figures: store::Loss,
    /// In words.
    pub notes: Vec<String>,
}

impl Loss {
    /// Why the property probably holds.
    pub(super) fn reason(&self) -> String {
        let likely = match self.figures.probability() {
            // 1 minus a small number says more than its decimals.
            p if p < 1e-3 => format!("1 - {p:.1e}"),
            p => format!("{:.3}", 1.0 - p),
        };
        format!(
            "with probability {likely} no state was left out; {} states visited, no violation among them; this is no proof",
            self.figures.states
        )
    }
}

/// Of one search.
pub(super) fn of_one(store: LossyKind, figures: store::Loss) -> Loss {
    let probability = figures.probability();
    let note = match (store, figures.hash_factor) {
        (LossyKind::Bits { hashes, .. }, Some(factor)) => format!(
            "{hashes} bits per state, hash factor {factor:.1} (best above 100); expected coverage {:.4} % of the states met; \
             probability that some state was left out: {probability:.3e}",
            100.0 * figures.coverage()
        ),
        _ => format!(
            "64 bits per state; probability that some state was left out: {probability:.3e}"
        ),
    };
    Loss {
        figures,
        notes: vec![note],
    }
}

/// Of a swarm of that many members.
pub(super) fn of_swarm<M>(swarm_outcome: &SwarmOutcome<M>, members: u32) -> Loss {
    let figures = swarm_outcome.estimate.loss;
    let mut notes = vec![format!(
        "{} of {members} searches; about {} different states visited in all; figures are sums",
        swarm_outcome.members,
        swarm_outcome.estimate.visited.count()
    )];
    if let Some(winner) = &swarm_outcome.winner {
        let order = match winner.lossy.order {
            MoveOrder::Listed => "in the order in which moves are listed",
            MoveOrder::Reversed => "in reversed order",
            MoveOrder::Rotated(_) => "beginning with another process",
            MoveOrder::Shuffled(_) => "in random order",
        };
        notes.push(format!(
            "search {} found the violation, {order}",
            winner.number
        ));
    } else if matches!(swarm_outcome.outcome.end, End::Stopped(Stop::Lossy)) {
        // The best that a member alone can say.
        notes.extend(figures.hash_factor.map(|factor| {
            format!(
                "the best of them: hash factor {factor:.1} (best above 100); probability that some state was left out: {:.3e}",
                figures.probability()
            )
        }));
    }
    Loss { figures, notes }
}

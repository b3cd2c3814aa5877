//! The examples say what they promise to.

#[path = "../../examples/rust/gossip.rs"]
#[allow(unreachable_pub)]
mod gossip;
#[path = "../../examples/rust/lock_free_queue.rs"]
#[allow(unreachable_pub)]
mod lock_free_queue;
#[path = "../../examples/rust/two_phase_commit.rs"]
#[allow(unreachable_pub)]
mod two_phase_commit;

use super::{by, must_be_a_run};
use ample::Word;

#[test]
fn two_phase_commit_is_consistent_unless_hasty() {
    for (hasty, expected) in [(false, Word::Holds), (true, Word::Violated)] {
        let system = two_phase_commit::TwoPhaseCommit {
            resources: 3,
            hasty,
        };
        let report = two_phase_commit::check(&system, &by(2, 0)).unwrap();
        assert_eq!(report.verdict("consistent"), Some(expected), "{report}");
        if !hasty {
            assert_eq!(report.verdict("final"), Some(Word::Holds), "{report}");
        }
    }
}

#[test]
fn a_node_is_owned_twice_without_tags() {
    for (tagged, expected) in [(false, Word::Violated), (true, Word::Holds)] {
        let queue = lock_free_queue::Queue { threads: 2, tagged };
        let report = lock_free_queue::check(&queue, &by(2, 0)).unwrap();
        assert_eq!(report.verdict("owned once"), Some(expected), "{report}");
        if let Some(run) = report.counterexample("owned once") {
            must_be_a_run(&queue, run);
        }
    }
}

#[test]
fn rumours_spread_unless_one_is_silent() {
    for (silent, expected) in [(None, Word::Holds), (Some(0), Word::Violated)] {
        let gossip = gossip::Gossip { nodes: 4, silent };
        let report = gossip::check(&gossip, &by(2, 0)).unwrap();
        assert_eq!(
            report.verdict("own rumour known"),
            Some(Word::Holds),
            "{report}"
        );
        assert_eq!(report.verdict("spreads"), Some(expected), "{report}");
    }
}

//! A lock-free queue whose nodes come from a free list that is a Treiber stack, and what goes wrong with that: ABA.
//!
//! Taking a node from the free list reads the head, then the head's successor, and then swings the head from the one to the
//! other if it is still the same. Between the second and the third step the head may have been taken, its successor too, and
//! the head put back: the swing succeeds, and the free list points at a node that is in use. Then a node is owned twice. A tag
//! beside the head that counts the swings cures this.

#![allow(missing_docs)]

use ample::typed::{Check, Error, Report, TransitionSystem};
use ample::{Options, code_enum, code_struct};

const NODES: u8 = 3;

/// The head is swung so many times at most: this bounds the tags, and with them the states.
const SWINGS: u8 = 6;

/// Where a thread is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum At {
    Idle,
    /// It has read the head and the tag.
    ReadHead(u8, u8),
    /// And the successor of that node.
    ReadNext(u8, u8, Option<u8>),
}
code_enum!(At { Idle, ReadHead(head, tag), ReadNext(head, tag, next) });

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub head: Option<u8>,
    pub tag: u8,
    /// The successor of each node in the list.
    pub next: [Option<u8>; NODES as usize],
    pub threads: Vec<At>,
    /// The nodes that each thread has enqueued, as bits.
    pub owned: Vec<u8>,
}
code_struct!(State {
    head,
    tag,
    next,
    threads,
    owned
});

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    ReadHead,
    ReadNext,
    Swing,
    /// Puts a node back, which is one atomic step here.
    Free(u8),
}

pub struct Queue {
    pub threads: usize,
    /// Whether the swing compares the tag as well.
    pub tagged: bool,
}

impl TransitionSystem for Queue {
    type State = State;
    type Action = (usize, Step);

    fn initial(&self) -> Vec<State> {
        vec![State {
            head: Some(0),
            tag: 0,
            next: std::array::from_fn(|node| Some(node as u8 + 1).filter(|&n| n < NODES)),
            threads: vec![At::Idle; self.threads],
            owned: vec![0; self.threads],
        }]
    }

    fn actions(&self, _: &State, out: &mut Vec<(usize, Step)>) {
        for thread in 0..self.threads {
            out.extend([Step::ReadHead, Step::ReadNext, Step::Swing].map(|step| (thread, step)));
            out.extend((0..NODES).map(|node| (thread, Step::Free(node))));
        }
    }

    fn next(&self, state: &State, (thread, step): &(usize, Step)) -> Option<State> {
        let mut next = state.clone();
        let at = &mut next.threads[*thread];
        match (step, *at) {
            (Step::ReadHead, At::Idle) => *at = At::ReadHead(state.head?, state.tag),
            (Step::ReadNext, At::ReadHead(head, tag)) => {
                *at = At::ReadNext(head, tag, state.next[usize::from(head)]);
            }
            (Step::Swing, At::ReadNext(head, tag, successor)) if state.tag < SWINGS => {
                *at = At::Idle;
                if state.head == Some(head) && (state.tag == tag || !self.tagged) {
                    next.head = successor;
                    next.tag = state.tag + 1;
                    next.owned[*thread] |= 1 << head;
                }
            }
            (Step::Free(node), At::Idle)
                if state.tag < SWINGS && state.owned[*thread] >> node & 1 == 1 =>
            {
                next.owned[*thread] &= !(1 << node);
                next.next[usize::from(*node)] = state.head;
                next.head = Some(*node);
                next.tag = state.tag + 1;
            }
            _ => return None,
        }
        Some(next)
    }
}

/// No node has two owners.
fn is_owned_once(state: &State) -> bool {
    let mut all = 0;
    state.owned.iter().all(|&set| {
        let twice = all & set != 0;
        all |= set;
        !twice
    })
}

/// Checks that no node is owned twice.
pub fn check(queue: &Queue, options: &Options) -> Result<Report<State, (usize, Step)>, Error> {
    Check::new(queue)
        .invariant("owned once", is_owned_once)
        .check(options)
}

#[allow(dead_code)]
fn main() -> Result<(), Error> {
    let options = Options {
        shortest: true,
        ..Options::default()
    };
    for tagged in [false, true] {
        println!(
            "tagged: {tagged}\n{}",
            check(&Queue { threads: 2, tagged }, &options)?
        );
    }
    Ok(())
}

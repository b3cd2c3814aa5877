//! Depth first: the search for what is wrong with single states, by one worker or several.
//!
//! It is a [sweep](super::sweep) through all states.

use super::expand::{Begun, Expander, Tail};
use super::note::mark::{MOST_WORKERS, Mark};
use super::stack::Stack;
use super::sweep::{Proviso, Sweep};
use super::team::{Board, Member, Team, Worker, work};
use super::{Outcome, Settings};
use crate::checkpoint::{In, Persist};
use crate::limits::Monitor;
use crate::space::{AmpleSets, Parallel};
use std::io;

pub(super) fn search<P: AmpleSets>(
    space: &mut P,
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move> {
    let rest = |input: &mut In| Ok((Stack::load(input)?, bool::load(input)?));
    let (mut sweep, begun) = begin(space, settings, monitor, rest);
    if let Begun::Resumed((stack, marks)) = begun {
        sweep.resume(stack, marks);
    }
    loop {
        while sweep.step() {}
        if !sweep.is_pausing() {
            break;
        }
        sweep.checkpoint();
    }
    let bytes = sweep.bytes();
    sweep.expander.close_with(Vec::new(), bytes)
}

/// The same with several threads: the lead searches alone for a while, then the others join it.
pub(super) fn search_together<P: AmpleSets + Parallel>(
    space: &mut P,
    make: &(dyn Fn() -> P + Sync),
    settings: &Settings,
    monitor: &mut dyn Monitor,
) -> Outcome<P::Move>
where
    P::Move: Send,
{
    let team = Team::new(settings, MOST_WORKERS, monitor);
    let board = Board::of(&team);
    let mut member = Member::new(&team, 0, Some(monitor));
    let (mut lead, begun) = begin(space, settings, &mut member, Team::load);
    match begun {
        Begun::First(_) => {
            while lead.expander.ledger.stats.stored < settings.alone && lead.step() {}
            if lead.stack.top().is_none() || lead.expander.ledger.stopped() {
                let bytes = lead.bytes();
                return lead.expander.close_with(Vec::new(), bytes);
            }
        }
        Begun::Resumed((work, others)) => {
            others
                .into_iter()
                .for_each(|other| lead.expander.restore(other));
            board.give(work);
        }
    }
    lead.keep_marks();
    let store = lead.expander.store.clone();
    let help = |number: usize| {
        let mut space = make();
        let mut member = Member::new(&team, number, None);
        let tail = tail(&space);
        let expander = Expander::join(&mut space, store.clone(), settings, &mut member, tail);
        let mut sweep = Sweep::new(expander, number, Proviso::One);
        sweep.keep_marks();
        team.ready();
        work(&mut sweep, &team, &board);
        let bytes = sweep.bytes();
        (sweep.expander.ledger.hand_in(bytes), space)
    };
    let (lead, helpers) = team.work(help, || {
        team.ready();
        work(&mut lead, &team, &board);
        lead
    });
    let (tallies, spaces): (Vec<_>, Vec<_>) = helpers.into_iter().unzip();
    let bytes = lead.bytes();
    let outcome = lead.expander.close_with(tallies, bytes);
    spaces.into_iter().for_each(|other| space.take_over(other));
    outcome
}

/// What is noted with a state.
fn tail<P: AmpleSets>(space: &P) -> Tail {
    match space.reduces() {
        true => Tail::Mark(Mark::Closed.byte()),
        false => Tail::Nothing,
    }
}

/// A sweep from the initial state, or with what a checkpoint has.
fn begin<'a, P: AmpleSets, R>(
    space: &'a mut P,
    settings: &Settings,
    monitor: &'a mut dyn Monitor,
    rest: impl FnOnce(&mut In) -> io::Result<R>,
) -> (Sweep<'a, P>, Begun<R>) {
    let tail = tail(space);
    let (expander, begun) = Expander::begin(space, settings, monitor, tail, rest);
    let mut sweep = Sweep::new(expander, 0, Proviso::One);
    if let Begun::First(Some(first)) = begun {
        sweep.start(first);
    }
    (sweep, begun)
}

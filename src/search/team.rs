//! Several workers on one search: what they tell each other.
//!
//! One of them is the *lead*, which begins alone and talks to whoever watches the search; the others join it when the search
//! turns out to be worth it, each with a space of its own and a view of the store they share. A [`Member`] is what a worker's
//! ledger takes for its monitor: it adds up figures, and passes on that all are to stop. On a [`Board`] those who
//! have work left put some of it for those who have none.

use super::Settings;
use super::expand::Expander;
use super::ledger::Tally;
use crate::checkpoint::{In, Out, Persist};
use crate::faults::{self, Active};
use crate::limits::{Cancellation, Monitor, Progress, Stop};
use crate::space::{AmpleSets, Transition};
use memmap2::MmapMut;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// What a worker takes to start: a stack, and some memory for its space.
const PER_WORKER: usize = 4 << 20;

/// How long a worker without work sleeps before it checks the limits.
const NAP: Duration = Duration::from_millis(20);

/// What one worker has done.
#[derive(Debug, Default)]
struct Figures {
    states: AtomicU64,
    transitions: AtomicU64,
    held: AtomicU64,
}

/// All workers of a search.
#[derive(Debug)]
pub(super) struct Team {
    members: Box<[Figures]>,
    most_states: u64,
    stop: OnceLock<Stop>,
    /// Every worker asks by itself whether time is over: one that waits for a processor must not keep the others from ending.
    cancellation: Cancellation,
    meeting: Meeting,
    /// How many workers there are: fewer than members if the system refuses a thread.
    size: Arc<AtomicUsize>,
    /// Opened when it is known how many there are.
    gate: (Mutex<bool>, Condvar),
}

impl Team {
    /// As many workers as are asked for, but at most that many, and no more than there is address space for.
    pub(super) fn new(settings: &Settings, most: usize, monitor: &dyn Monitor) -> Team {
        let mut size = settings.workers.clamp(1, most);
        while size > 1 && MmapMut::map_anon(size * PER_WORKER).is_err() {
            size -= 1;
        }
        Team {
            members: (0..size).map(|_| Figures::default()).collect(),
            most_states: settings.limits.states,
            stop: OnceLock::new(),
            cancellation: monitor.cancellation(),
            meeting: Meeting::default(),
            size: Arc::new(AtomicUsize::new(size)),
            gate: Default::default(),
        }
    }

    /// Waits until all are ready to start.
    pub(super) fn ready(&self) {
        self.meet();
    }

    /// Waits until it is known how many there are.
    fn wait_at_gate(&self) {
        let (open, news) = &self.gate;
        let open = open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(news.wait_while(open, |open| !*open));
    }

    fn open_gate(&self, size: usize) {
        self.size.store(size, Ordering::Relaxed);
        let (open, news) = &self.gate;
        *open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        news.notify_all();
    }

    /// Lets all but the lead `help`, each by its number, on threads of their own, while the lead does its part here. Gives
    /// what they all return. Where the system refuses a thread, those that there are do its part.
    pub(super) fn work<L, H: Send>(
        &self,
        help: impl Fn(usize) -> H + Sync,
        lead: impl FnOnce() -> L,
    ) -> (L, Vec<H>) {
        let faults = Active::here();
        let help = |number| {
            let _shift = Shift(self);
            self.wait_at_gate();
            faults.during(|| help(number))
        };
        std::thread::scope(|scope| {
            let help = &help;
            let start = |number| {
                if faults::refuses_thread(number) {
                    return None;
                }
                let thread = std::thread::Builder::new();
                thread.spawn_scoped(scope, move || help(number)).ok()
            };
            let threads: Vec<_> = (1..self.size()).map_while(start).collect();
            self.open_gate(threads.len() + 1);
            let lead = lead();
            // Their panic is ours.
            let join = |thread: ScopedJoinHandle<'_, H>| {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            (lead, threads.into_iter().map(join).collect())
        })
    }

    /// How many workers there are.
    pub(super) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// All are to stop for that reason. What one of them has found counts for more than any reason.
    pub(super) fn halt(&self, stop: Stop) {
        let _ = self.stop.set(stop);
    }

    /// Why all are to stop, if they are.
    pub(super) fn halted(&self) -> Option<Stop> {
        self.stop.get().copied()
    }

    fn sum(&self, of: impl Fn(&Figures) -> &AtomicU64) -> u64 {
        let figures = self.members.iter().map(of);
        figures.map(|f| f.load(Ordering::Relaxed)).sum()
    }
}

/// Work, and what workers have found out about the model and found wrong with it.
pub(super) type Resumed<M, W> = (Vec<W>, Vec<(Vec<u64>, Tally<M>)>);

/// Where all workers meet to write a checkpoint.
#[derive(Debug, Default)]
struct Meeting {
    state: Mutex<Gathering>,
    news: Condvar,
    /// What is being written, and whether all of it could be.
    out: Mutex<Option<(Out, io::Result<()>)>>,
}

/// Who is there, and how often all have been.
#[derive(Debug, Default)]
struct Gathering {
    present: usize,
    times: u64,
}

/// Checkpoints: each worker comes between two steps of its own, and while all are there nothing changes. Whoever has come first
/// waits; when one of them has ended for the sake of a limit, the others do not wait for it but end as well.
impl Team {
    /// Waits until all workers are there; false if all are to stop.
    fn meet(&self) -> bool {
        let Meeting { state, news, .. } = &self.meeting;
        let mut gathering = state.lock().unwrap_or_else(PoisonError::into_inner);
        let times = gathering.times;
        gathering.present += 1;
        if gathering.present == self.size() {
            gathering.present = 0;
            gathering.times += 1;
            news.notify_all();
            return true;
        }
        loop {
            let nap = news.wait_timeout(gathering, NAP);
            gathering = nap.unwrap_or_else(PoisonError::into_inner).0;
            if gathering.times != times {
                return true;
            }
            if self.halted().is_some() {
                gathering.present -= 1;
                return false;
            }
        }
    }

    /// Reads what [`Team::rest`] has written behind the store and the lead's findings: all work, and what the others had found.
    pub(super) fn load<M: Transition, W: Persist>(input: &mut In) -> io::Result<Resumed<M, W>> {
        let mut work = Vec::<W>::load(input)?;
        work.extend(Vec::<W>::load(input)?);
        let mut others = Vec::new();
        for _ in 0..usize::load(input)? {
            others.push((Vec::load(input)?, Tally::load(input)?));
            work.extend(Vec::<W>::load(input)?);
        }
        Ok((work, others))
    }

    /// Takes part in writing a checkpoint: the lead begins it, with the store and the board, then everyone adds its own part.
    #[cold]
    pub(super) fn rest<P: AmpleSets, W: Persist>(
        &self,
        expander: &mut Expander<'_, P>,
        board: &Board<W>,
        part: impl FnOnce(&mut Out) -> io::Result<()>,
    ) {
        let checkpoints = expander.ledger.settings.checkpoints.clone();
        let Some(checkpoints) = checkpoints.filter(|_| self.meet()) else {
            return expander.ledger.go_on();
        };
        let states = expander.store.len();
        let leads = expander.ledger.leads();
        let out = || {
            let out = self.meeting.out.lock();
            out.unwrap_or_else(PoisonError::into_inner)
        };
        if leads && let Some(mut begun) = checkpoints.begin(states) {
            let written = expander.save(&mut begun);
            let written = written.and_then(|()| board.save(&mut begun));
            let written = written.and_then(|()| part(&mut begun));
            let written = written.and_then(|()| (self.size() - 1).save(&mut begun));
            *out() = Some((begun, written));
            self.meet();
        } else {
            self.meet();
            if !leads && let Some((out, written @ Ok(()))) = &mut *out() {
                *written = expander.save_findings(out).and_then(|()| part(out));
            }
        }
        self.meet();
        if leads && let Some((out, written)) = out().take() {
            checkpoints.end(out, states, written);
        }
        expander.ledger.go_on();
    }
}

/// A helper at work: when it ends in a panic, all are stopped.
struct Shift<'t>(&'t Team);

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt(Stop::Interrupted);
        }
    }
}

/// One worker, as monitor of its own part of the search. The lead reports to the caller's monitor.
pub(super) struct Member<'t> {
    team: &'t Team,
    number: usize,
    monitor: Option<&'t mut dyn Monitor>,
}

impl<'t> Member<'t> {
    /// The worker of that number: 0 is the lead, whose monitor is told of all.
    pub(super) fn new(
        team: &'t Team,
        number: usize,
        monitor: Option<&'t mut dyn Monitor>,
    ) -> Member<'t> {
        Member {
            team,
            number,
            monitor,
        }
    }
}

impl Monitor for Member<'_> {
    fn tick(&mut self, own: &Progress) -> Option<Stop> {
        let Member { team, number, .. } = *self;
        let figures = &team.members[number];
        figures.states.store(own.states, Ordering::Relaxed);
        figures
            .transitions
            .store(own.transitions, Ordering::Relaxed);
        if let Some(stop) = team.halted() {
            return Some(stop);
        }
        let all = Progress {
            states: team.sum(|f| &f.states),
            transitions: team.sum(|f| &f.transitions),
            ..*own
        };
        let enough = all.states >= team.most_states;
        let stop = enough.then_some(Stop::States(team.most_states));
        let stop = stop.or_else(|| team.cancellation.poll());
        let stop = stop.or_else(|| self.monitor.as_mut()?.tick(&all))?;
        team.halt(stop);
        Some(stop)
    }

    fn held(&mut self, own: u64) -> u64 {
        self.team.members[self.number]
            .held
            .store(own, Ordering::Relaxed);
        self.team.sum(|f| &f.held)
    }

    fn leads(&self) -> bool {
        self.number == 0
    }

    fn cancellation(&self) -> Cancellation {
        self.team.cancellation.clone()
    }
}

/// Where work is handed over.
#[derive(Debug)]
pub(super) struct Board<W> {
    state: Mutex<State<W>>,
    news: Condvar,
    /// How many more wait for work than there is work for.
    hungry: AtomicUsize,
    workers: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct State<W> {
    work: Vec<W>,
    idle: usize,
}

impl<W> Board<W> {
    /// A board for all workers of a team.
    pub(super) fn of(team: &Team) -> Board<W> {
        Board::new(Arc::clone(&team.size))
    }

    fn new(workers: Arc<AtomicUsize>) -> Board<W> {
        Board {
            state: Mutex::new(State {
                work: Vec::new(),
                idle: 0,
            }),
            news: Condvar::new(),
            hungry: AtomicUsize::new(0),
            workers,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, state: &State<W>) {
        let hungry = state.idle.saturating_sub(state.work.len());
        self.hungry.store(hungry, Ordering::Relaxed);
    }

    /// Whether some worker waits for work.
    #[inline]
    pub(super) fn is_wanted(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Hands over some work.
    pub(super) fn give(&self, work: Vec<W>) {
        let mut state = self.lock();
        state.work.extend(work);
        self.note(&state);
        self.news.notify_all();
    }

    /// Writes what nobody has taken yet.
    fn save(&self, out: &mut Out) -> io::Result<()>
    where
        W: Persist,
    {
        self.lock().work.save(out)
    }

    /// Wakes all waiting workers: all are to stop.
    pub(super) fn wake(&self) {
        self.news.notify_all();
    }

    /// Waits for work; nothing is left when no worker has any, or when all are to stop, for which `look` is polled.
    pub(super) fn take(&self, mut look: impl FnMut() -> Look) -> Taken<W> {
        let mut state = self.lock();
        state.idle += 1;
        loop {
            if let Some(work) = state.work.pop() {
                state.idle -= 1;
                self.note(&state);
                return Taken::Work(work);
            }
            self.note(&state);
            let workers = self.workers.load(Ordering::Relaxed);
            if state.idle == workers {
                self.news.notify_all();
                return Taken::Nothing;
            }
            let nap = self.news.wait_timeout(state, NAP);
            state = nap.unwrap_or_else(PoisonError::into_inner).0;
            if state.work.is_empty() && state.idle < workers {
                match look() {
                    Look::GoOn => {}
                    Look::Rest => {
                        state.idle -= 1;
                        self.note(&state);
                        return Taken::Rest;
                    }
                    // Still idle: the others may go on or end as if all work were done.
                    Look::Stop => return Taken::Nothing,
                }
            }
        }
    }
}

/// What a worker without work is to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Wait.
    GoOn,
    /// Come for a checkpoint.
    Rest,
    /// End.
    Stop,
}

/// What a worker gets that asks for work.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken<W> {
    Work(W),
    /// Nothing yet: a checkpoint is due.
    Rest,
    /// Nothing any more.
    Nothing,
}

/// A worker whose work can be divided.
pub(super) trait Worker {
    /// Work that is handed to another worker.
    type Gift;

    /// Does a little; false if there is nothing to do, a checkpoint is due, or the search is to end.
    fn step(&mut self) -> bool;

    /// Whether a checkpoint is due.
    fn is_pausing(&self) -> bool;

    /// Takes part in writing it.
    fn rest(&mut self, team: &Team, board: &Board<Self::Gift>);

    /// Whether there is something to give away.
    fn can_share(&self) -> bool;

    /// Gives away work, about half of it at most.
    fn share(&mut self) -> Vec<Self::Gift>;

    /// Goes on with what another one gave away.
    fn adopt(&mut self, gift: Self::Gift);

    /// Looks at the limits.
    fn look(&mut self) -> Look;

    /// Why the other workers should stop too, if this one has stopped.
    fn reason_to_stop(&self) -> Option<Stop>;
}

/// How often a worker gives work away: ever less often while it is asked again at once, since then what it gives away is
/// small, and sharing costs more than it saves.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Steps since it last did.
    since: u32,
    /// Steps that it waits at least.
    pause: u32,
}

/// Steps within which a worker is asked again at once, and the most that it waits.
const SOON: u32 = 64;
const LONGEST_PAUSE: u32 = 1 << 12;

impl Pace {
    /// Counts a step; says whether work may be given away.
    #[inline]
    pub(super) fn step(&mut self) -> bool {
        self.since = self.since.saturating_add(1);
        self.since > self.pause
    }

    /// Work has been given away.
    pub(super) fn gave(&mut self) {
        let at_once = self.since <= self.pause + SOON;
        self.pause = match at_once {
            true => (2 * self.pause + 1).min(LONGEST_PAUSE),
            false => self.pause / 2,
        };
        self.since = 0;
    }
}

/// Works until no worker has work.
pub(super) fn work<W: Worker>(worker: &mut W, team: &Team, board: &Board<W::Gift>) {
    let mut pace = Pace::default();
    loop {
        while worker.step() {
            if pace.step() && board.is_wanted() && worker.can_share() {
                board.give(worker.share());
                pace.gave();
            }
        }
        if worker.is_pausing() {
            worker.rest(team, board);
            continue;
        }
        if let Some(stop) = worker.reason_to_stop() {
            team.halt(stop);
            board.wake();
            return;
        }
        match board.take(|| worker.look()) {
            Taken::Work(gift) => worker.adopt(gift),
            Taken::Rest => worker.rest(team, board),
            Taken::Nothing => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Unwatched;

    /// Work that makes more work is all done, however it is handed over, and all workers end.
    #[test]
    fn all_work_is_done() {
        for workers in 1..5 {
            let board = Board::new(Arc::new(AtomicUsize::new(workers)));
            let done = AtomicUsize::new(0);
            board.give(vec![10u32]);
            std::thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|| {
                        let mut own = Vec::new();
                        loop {
                            let work = match own.pop() {
                                Some(work) => work,
                                None => match board.take(|| Look::GoOn) {
                                    Taken::Work(work) => work,
                                    _ => return,
                                },
                            };
                            done.fetch_add(1, Ordering::Relaxed);
                            own.extend((0..work).filter(|n| n % 2 == 0));
                            if board.is_wanted() && own.len() > 1 {
                                board.give(vec![own.remove(0)]);
                            }
                        }
                    });
                }
            });
            // 10 makes 8, 6, 4, 2, 0, and so on: two to the power of five.
            assert_eq!(done.into_inner(), 32, "{workers} workers");
        }
    }

    #[test]
    fn one_stops_all() {
        let settings = Settings {
            workers: 2,
            ..Settings::default()
        };
        let team = Team::new(&settings, 9, &Unwatched);
        let mut members = [0, 1].map(|number| Member::new(&team, number, None));
        assert_eq!(members[1].tick(&Progress::default()), None);
        team.halt(Stop::Interrupted);
        assert_eq!(
            members[1].tick(&Progress::default()),
            Some(Stop::Interrupted)
        );
        assert_eq!(members[0].held(5) + members[1].held(7), 5 + 12);
    }
}

//! Executes a system once: from the beginning, along what is given, and on as the strategy chooses.
//!
//! While an execution follows the beginning that it shares with the one before, everything that the
//! system announces is compared with what it announced then. A difference is nondeterminism.

use crate::execution::{Execution, NewEvent, Position};
use crate::livelock::{Patience, Waiting};
use crate::report::{Critical, Finding, FindingKind, Report};
use crate::schedule::Schedule;
use crate::search::{Departure, Enabled, Strategy};
use crate::system::{Failure, Pending, Performed, System, Thread};

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All threads have ended.
    Finished,
    /// Some threads have not ended, and none can go on.
    Deadlock,
    /// Everything enabled was asleep: the execution is redundant.
    Blocked,
    /// Cut off by the bound on steps.
    Cut,
    /// It would go on forever: cut off where that was noticed.
    Livelock,
    /// The system could not go on.
    Crashed,
}

/// Executes a system.
pub(crate) struct Runner {
    pub(crate) x: Execution,
    performed: Performed,
    enabled: Vec<Enabled>,
    /// What went wrong in the last execution, and after how many steps.
    pub(crate) failures: Vec<(Failure, Position)>,
    depth: Option<usize>,
    waiting: Waiting,
}

impl Runner {
    pub(crate) fn new(x: Execution, depth: Option<usize>, patience: Patience) -> Self {
        Runner {
            x,
            performed: Performed::default(),
            enabled: Vec::new(),
            failures: Vec::new(),
            depth,
            waiting: Waiting::new(patience),
        }
    }

    /// One execution. It shares its first steps with the one before.
    pub(crate) fn run<S: System>(
        &mut self,
        system: &mut S,
        strategy: &mut dyn Strategy<S>,
        departure: &Departure,
        report: &mut Report,
    ) -> Result<End, Finding> {
        self.x.truncate(departure.shared);
        self.failures.clear();
        self.performed.clear();
        self.waiting.clear();
        system.restart(&mut self.performed);
        self.note(0);
        for position in 0..departure.shared {
            self.follow(system, position)?;
        }
        for &step in &departure.prefix {
            self.x.mark(system.objects());
            self.look(system);
            self.require(system, step)?;
            self.advance(system, step);
        }
        self.x.share();
        let end = loop {
            if self.performed.is_over {
                break End::Crashed;
            }
            self.x.mark(system.objects());
            let left = self.look(system);
            if self.enabled.is_empty() {
                if left && !system.may_rest() {
                    break End::Deadlock;
                }
                system.leftovers(&mut self.performed.failures);
                self.note(self.x.len());
                break End::Finished;
            }
            let enabled = self.enabled.iter().map(|e| e.thread);
            if let Some(message) = self.waiting.complaint(system, enabled) {
                let failure = Failure::new(FindingKind::Livelock, message);
                self.failures.push((failure, self.x.len()));
                break End::Livelock;
            }
            if self.depth.is_some_and(|depth| self.x.len() >= depth) {
                break End::Cut;
            }
            let Some(step) = strategy.pick(system, &self.x, &self.enabled) else {
                break End::Blocked;
            };
            self.require(system, step)?;
            self.advance(system, step);
            report.transitions += 1;
            strategy.stepped(&self.x);
        };
        report.longest = report.longest.max(self.x.len());
        self.x.finish(system);
        Ok(end)
    }

    /// Lists what is enabled: whether any thread has not ended.
    fn look<S: System>(&mut self, system: &S) -> bool {
        self.enabled.clear();
        let mut left = false;
        for thread in (0..system.threads() as u32).map(Thread) {
            if let Pending::Operation {
                enabled, choices, ..
            } = system.pending(thread)
            {
                left = true;
                self.waiting.saw(thread, enabled);
                if enabled {
                    self.enabled.push(Enabled { thread, choices });
                }
            }
        }
        left
    }

    /// Keeps what went wrong in the last step.
    #[inline]
    fn note(&mut self, position: Position) {
        if self.performed.failures.is_empty() {
            return;
        }
        let failures = self.performed.failures.drain(..);
        self.failures.extend(failures.map(|f| (f, position)));
    }

    /// A new step.
    fn advance<S: System>(&mut self, system: &mut S, (thread, choice): (Thread, u32)) {
        let Pending::Operation {
            operation, choices, ..
        } = system.pending(thread)
        else {
            unreachable!("the thread is enabled");
        };
        let announced = operation.clone();
        let last = self.x.events().last();
        let preempted = last.is_some_and(|last| {
            last.thread != thread && self.enabled.iter().any(|e| e.thread == last.thread)
        });
        let preemptions = last.map_or(0, |last| last.preemptions) + u32::from(preempted);
        self.performed.clear();
        system.step(thread, choice, &mut self.performed);
        debug_assert!(
            (self.performed.operation.accesses.len()) >= announced.accesses.len(),
            "a step performs all that was announced"
        );
        self.waiting.stepped(thread, &self.performed);
        self.x.push(NewEvent {
            thread,
            choice,
            choices,
            announced,
            performed: &self.performed.operation,
            created: &self.performed.created,
            preemptions,
            yielded: self.performed.yielded,
        });
        self.note(self.x.len());
    }

    /// A step that was executed before: the system must announce and do the same.
    fn follow<S: System>(&mut self, system: &mut S, position: Position) -> Result<(), Finding> {
        if self.waiting.looks_at_every_state() {
            self.look(system);
        }
        let event = self.x.event(position);
        let (thread, choice) = (event.thread, event.choice);
        let found = match system.pending(thread) {
            Pending::Operation {
                operation,
                enabled: true,
                choices,
            } => {
                if *operation == event.announced && choices == event.choices {
                    None
                } else {
                    Some(describe(system, thread))
                }
            }
            Pending::Operation { .. } => Some("a blocked operation".to_owned()),
            Pending::None => Some("nothing".to_owned()),
        };
        if let Some(found) = found {
            return Err(self.divergence(system, position, &found));
        }
        self.performed.clear();
        system.step(thread, choice, &mut self.performed);
        self.waiting.stepped(thread, &self.performed);
        if self.performed.operation != self.x.event(position).performed {
            let found = format!("{:?}", self.performed.operation);
            return Err(self.divergence(system, position, &found));
        }
        self.note(position + 1);
        Ok(())
    }

    fn divergence<S: System>(&self, system: &S, position: Position, found: &str) -> Finding {
        let event = self.x.event(position);
        let what = format!(
            "{} was about to execute {:?} in one execution and {found} in another",
            system.name(event.thread),
            event.announced,
        );
        self.nondeterminism(system, position, &what)
    }

    /// A step that follows from other executions: the thread must be able to make it.
    fn require<S: System>(
        &self,
        system: &S,
        (thread, choice): (Thread, u32),
    ) -> Result<(), Finding> {
        let is_it = |e: &Enabled| e.thread == thread && choice < e.choices;
        if self.enabled.iter().any(is_it) {
            return Ok(());
        }
        let what = format!(
            "{} could go on in one execution and not in another",
            system.name(thread)
        );
        Err(self.nondeterminism(system, self.x.len(), &what))
    }

    fn nondeterminism<S: System>(&self, system: &S, position: Position, what: &str) -> Finding {
        let mut schedule = schedule(system, &self.x);
        schedule.steps.truncate(position + 1);
        Finding {
            kind: FindingKind::Nondeterminism,
            message: format!(
                "not deterministic: after the same {position} steps, {what}; the program depends on something outside the \
                 explorer's control, such as the clock, random numbers, addresses, or state that outlives an execution",
            ),
            schedule,
            steps: Vec::new(),
            preemptions: 0,
            is_minimal: false,
            critical: Critical::Unknown,
        }
    }
}

/// The steps of an execution.
pub(crate) fn schedule<S: System>(system: &S, x: &Execution) -> Schedule {
    let step = |event: &crate::execution::Event| (Thread(system.alias(event.thread)), event.choice);
    Schedule {
        steps: x.events().iter().map(step).collect(),
    }
}

/// What a thread is about to do, and where.
pub fn describe<S: System>(system: &S, thread: Thread) -> String {
    match system.place(thread) {
        Some(place) => format!("{} ({place})", system.describe(thread)),
        None => system.describe(thread),
    }
}

//! Random programs: every algorithm finds what plain enumeration finds, and the optimal search
//! executes every trace once.
//!
//! `AMPLE_PROGRAMS=N` makes it N programs, `AMPLE_SEED=S` begins at another seed.

use ample_stateless::program::{Code, Program, Running, Snapshot, random};
use ample_stateless::{
    Algorithm, End, Fault, FindingKind, Object, Operation, Options, Pending, Performed, Report,
    System, Thread, explore, explore_in_parallel,
};
use std::collections::{BTreeSet, HashSet};
use std::sync::Mutex;

/// What an exploration saw.
struct Seen {
    states: BTreeSet<(bool, Snapshot)>,
    findings: BTreeSet<(FindingKind, String)>,
    traces: HashSet<Vec<u32>>,
    report: Report,
}

/// More interleavings than this take too long to enumerate.
const TOO_MANY: u64 = 4_000;

fn see(seed: u64, size: usize, algorithm: Algorithm, fault: Option<Fault>) -> Option<Seen> {
    let mut states = BTreeSet::new();
    let mut traces = HashSet::new();
    let options = Options {
        algorithm,
        findings: usize::MAX,
        executions: Some(TOO_MANY),
        fault,
        explain: false,
        ..Options::default()
    };
    let mut running = Running::new(random::program(seed, size));
    let report = explore(&mut running, &options, |system, trace| {
        if trace.end != End::Blocked {
            states.insert((trace.end == End::Deadlock, system.state()));
            traces.insert(trace.canonical());
        }
    });
    let findings = report.findings.iter().map(|f| (f.kind, f.message.clone()));
    let findings = findings.collect();
    (report.executions < TOO_MANY).then_some(Seen {
        states,
        findings,
        traces,
        report,
    })
}

fn variable(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => default,
    }
}

fn size_of(seed: u64) -> usize {
    5 + (seed % 4) as usize
}

/// What is wrong with an algorithm on a program, compared with plain enumeration.
fn complaint(
    seed: u64,
    plain: &Seen,
    algorithm: Algorithm,
    fault: Option<Fault>,
) -> Option<String> {
    let Some(seen) = see(seed, size_of(seed), algorithm, fault) else {
        return Some("too many executions".to_owned());
    };
    if seen.states != plain.states {
        return Some(format!(
            "{} of {} states",
            seen.states.len(),
            plain.states.len()
        ));
    }
    if seen.findings != plain.findings {
        return Some(format!(
            "{:?} instead of {:?}",
            seen.findings, plain.findings
        ));
    }
    if seen.traces != plain.traces {
        return Some(format!(
            "{} of {} traces",
            seen.traces.len(),
            plain.traces.len()
        ));
    }
    if algorithm == Algorithm::Optimal {
        let (executions, traces) = (seen.report.executions, plain.traces.len() as u64);
        if executions != traces {
            return Some(format!("{executions} executions of {traces} traces"));
        }
        if seen.report.blocked != 0 {
            return Some(format!("{} blocked", seen.report.blocked));
        }
    }
    None
}

#[test]
fn every_algorithm_agrees_with_enumeration() {
    let first = variable("AMPLE_SEED", 0);
    let programs = variable("AMPLE_PROGRAMS", 700);
    let (mut compared, mut traces, mut deadlocks, mut failures) = (0_u64, 0, 0_u64, 0_u64);
    for seed in first..first + programs {
        let Some(plain) = see(seed, size_of(seed), Algorithm::Enumerate, None) else {
            continue;
        };
        compared += 1;
        traces += plain.traces.len();
        deadlocks += u64::from(plain.states.iter().any(|(deadlock, _)| *deadlock));
        failures += u64::from(
            plain
                .findings
                .iter()
                .any(|(k, _)| *k == FindingKind::Failure),
        );
        for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Persistent] {
            if let Some(complaint) = complaint(seed, &plain, algorithm, None) {
                let program = random::program(seed, size_of(seed));
                panic!(
                    "seed {seed}, {algorithm:?}: {complaint}\n{:#?}",
                    program.threads
                );
            }
        }
    }
    println!(
        "{compared} of {programs} programs, {traces} traces, {deadlocks} with deadlocks, {failures} with failures"
    );
    assert!(compared * 20 >= programs * 17);
    assert!(deadlocks * 10 > compared && failures * 20 > compared);
}

/// Wakeup trees that may not grow: every trace is still executed, some of them again.
#[test]
fn bounded_wakeup_trees_leave_out_nothing() {
    let first = variable("AMPLE_SEED", 0);
    let programs = variable("AMPLE_PROGRAMS", 700);
    let (mut traces, mut executions) = (0, [0; 3]);
    for seed in first..first + programs {
        let Some(plain) = see(seed, size_of(seed), Algorithm::Enumerate, None) else {
            continue;
        };
        traces += plain.traces.len() as u64;
        for (most, executions) in [0, 4, 1_000_000].into_iter().zip(&mut executions) {
            let algorithm = Algorithm::Bounded(most);
            assert_eq!(complaint(seed, &plain, algorithm, None), None, "{seed}");
            let seen = see(seed, size_of(seed), algorithm, None).expect("not too many");
            assert_eq!(seen.report.blocked, 0, "{seed}");
            *executions += seen.report.executions;
        }
    }
    println!("{traces} traces; executions with at most 0, 4 and many branches: {executions:?}");
    assert!(
        executions[0] > traces && executions[2] == traces,
        "{executions:?}"
    );
}

#[test]
fn a_sequence_that_finds_no_room_is_missed_if_nobody_is_roused() {
    let noticed = (0..3_000).find(|&seed| {
        let plain = see(seed, size_of(seed), Algorithm::Enumerate, None);
        plain.is_some_and(|plain| {
            let fault = Some(Fault::LeaveAsleep);
            complaint(seed, &plain, Algorithm::Bounded(0), fault).is_some()
        })
    });
    println!("noticed with seed {noticed:?}");
    assert!(noticed.is_some());
}

/// What several workers see together, and in how many executions.
fn see_in_parallel(seed: u64, workers: usize, fault: Option<Fault>) -> (Seen, u64) {
    let program = random::program(seed, size_of(seed));
    let options = Options {
        findings: usize::MAX,
        explain: false,
        hands_over_always: true,
        executions: Some(TOO_MANY),
        fault,
        ..Options::default()
    };
    let seen = Mutex::new((BTreeSet::new(), HashSet::new(), 0));
    let system = || Box::new(Running::new(program.clone()));
    let report = explore_in_parallel(workers, system, &options, |system, trace| {
        let mut seen = seen.lock().unwrap();
        if trace.end != End::Blocked {
            seen.0.insert((trace.end == End::Deadlock, system.state()));
            seen.1.insert(trace.canonical());
        }
        seen.2 += 1;
    });
    let (states, traces, observed) = seen.into_inner().unwrap();
    let findings = report.findings.iter().map(|f| (f.kind, f.message.clone()));
    let findings = findings.collect();
    let seen = Seen {
        states,
        findings,
        traces,
        report,
    };
    (seen, observed)
}

#[test]
fn several_workers_execute_every_trace_once() {
    let first = variable("AMPLE_SEED", 0);
    let programs = variable("AMPLE_PROGRAMS", 1_000);
    let (mut compared, mut executions) = (0, 0);
    for seed in first..first + programs {
        let Some(plain) = see(seed, size_of(seed), Algorithm::Optimal, None) else {
            continue;
        };
        let (seen, observed) = see_in_parallel(seed, 2 + (seed % 3) as usize, None);
        assert_eq!(seen.states, plain.states, "{seed}");
        assert_eq!(seen.findings, plain.findings, "{seed}");
        assert_eq!(seen.traces, plain.traces, "{seed}");
        assert_eq!(seen.report.executions, plain.report.executions, "{seed}");
        assert_eq!(
            (seen.report.blocked, observed),
            (0, seen.report.executions),
            "{seed}"
        );
        assert!(seen.report.complete, "{seed}");
        compared += 1;
        executions += observed;
    }
    println!("{compared} of {programs} programs, {executions} executions");
}

#[test]
fn faults_of_teams_are_noticed() {
    for fault in [Fault::LoseHandover, Fault::ForgetTaken, Fault::DropLate] {
        let noticed = (0..2_000).find(|&seed| {
            let plain = see(seed, size_of(seed), Algorithm::Optimal, None);
            plain.is_some_and(|plain| {
                let (seen, _) = see_in_parallel(seed, 3, Some(fault));
                seen.traces != plain.traces || seen.report.executions != plain.report.executions
            })
        });
        println!("{fault:?}: {noticed:?}");
        assert!(noticed.is_some(), "{fault:?}");
    }
}

/// Programs that once went wrong: what a blocked operation does in another order may be independent
/// of what it waits for; and the numbers of objects in another execution are not those of this one.
#[test]
fn programs_that_went_wrong() {
    for seed in [13_242, 34_993] {
        let plain = see(seed, size_of(seed), Algorithm::Enumerate, None).unwrap();
        for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Persistent] {
            assert_eq!(complaint(seed, &plain, algorithm, None), None, "{seed}");
        }
    }
}

#[test]
fn every_fault_is_noticed() {
    let faults = [
        Fault::DropReversal,
        Fault::DropBlocked,
        Fault::DropWakeup,
        Fault::TruncateWakeup,
        Fault::WrongIndependence,
        Fault::ShortSequence,
        Fault::DeepSleep,
        Fault::DropChoice,
        Fault::ForgetOthers,
    ];
    for fault in faults {
        let noticed = (0..20_000).find(|&seed| {
            see(seed, size_of(seed), Algorithm::Enumerate, None).is_some_and(|plain| {
                complaint(seed, &plain, Algorithm::Optimal, Some(fault)).is_some()
            })
        });
        println!("{fault:?}: {noticed:?}");
        assert!(noticed.is_some(), "{fault:?}");
    }
}

/// Two readers that meet while both have the lock, and a writer: it can be first only if both
/// readers are overtaken at once.
#[test]
fn a_writer_overtakes_readers_that_wait_for_each_other() {
    let explore_with = |algorithm, fault| {
        let mut program = Program::new();
        let lock = program.shared_lock();
        let (p, q) = (program.semaphore(0), program.semaphore(0));
        for (mine, other) in [(p, q), (q, p)] {
            program.thread([
                Code::ReadLock(lock),
                Code::Signal(other),
                Code::Wait(mine),
                Code::ReadUnlock(lock),
            ]);
        }
        program.thread([Code::WriteLock(lock), Code::WriteUnlock(lock)]);
        let options = Options {
            algorithm,
            fault,
            findings: usize::MAX,
            ..Options::default()
        };
        let mut traces = HashSet::new();
        let report = explore(&mut Running::new(program), &options, |_, trace| {
            if trace.end != End::Blocked {
                traces.insert(trace.canonical());
            }
        });
        (traces.len(), report.executions)
    };
    let (traces, _) = explore_with(Algorithm::Enumerate, None);
    assert_eq!(
        explore_with(Algorithm::Optimal, None),
        (traces, traces as u64)
    );
    assert_eq!(explore_with(Algorithm::Source, None).0, traces);
    let broken = explore_with(Algorithm::Optimal, Some(Fault::KeepHolders));
    assert!(broken.0 < traces, "{broken:?} of {traces}");
}

/// Random programs in which a writer comes after one of the readers, with too many interleavings to
/// enumerate them. With source sets no sequence is inserted, only its first thread.
#[test]
fn large_programs_that_went_wrong() {
    for seed in [200_385, 209_123, 222_178] {
        let plain = see(seed, size_of(seed), Algorithm::Persistent, None).unwrap();
        assert_eq!(complaint(seed, &plain, Algorithm::Source, None), None);
        assert_eq!(complaint(seed, &plain, Algorithm::Optimal, None), None);
        let (seen, observed) = see_in_parallel(seed, 3, None);
        assert_eq!(seen.traces, plain.traces, "{seed}");
        assert_eq!(observed, plain.traces.len() as u64, "{seed}");
    }
}

/// A reader that lets a writer begin, and goes on only when another reader has begun: the writer
/// comes after the first reader, so it cannot be before the other one while the first one holds the
/// lock.
fn a_writer_comes_after_a_reader_that_waits(other_signal: bool) -> Program {
    let mut program = Program::new();
    let lock = program.shared_lock();
    let (p, q) = (program.semaphore(0), program.semaphore(0));
    program.thread([
        Code::ReadLock(lock),
        Code::Signal(q),
        Code::ReadUnlock(lock),
    ]);
    program.thread([
        Code::ReadLock(lock),
        Code::Signal(p),
        Code::Wait(q),
        Code::ReadUnlock(lock),
    ]);
    program.thread([
        Code::Wait(p),
        Code::WriteLock(lock),
        Code::WriteUnlock(lock),
    ]);
    if other_signal {
        program.thread([Code::Signal(q)]);
    }
    program
}

#[test]
fn a_writer_does_not_overtake_a_reader_that_it_comes_after() {
    for other_signal in [false, true] {
        let traces_of = |algorithm, fault| {
            let program = a_writer_comes_after_a_reader_that_waits(other_signal);
            let options = Options {
                algorithm,
                fault,
                findings: usize::MAX,
                ..Options::default()
            };
            let mut traces = HashSet::new();
            let report = explore(&mut Running::new(program), &options, |_, trace| {
                if trace.end != End::Blocked {
                    traces.insert(trace.canonical());
                }
            });
            (traces, report)
        };
        let (plain, _) = traces_of(Algorithm::Enumerate, None);
        let (traces, report) = traces_of(Algorithm::Optimal, None);
        assert_eq!(traces, plain);
        assert_eq!(report.executions, plain.len() as u64);
        assert!(report.complete && report.blocked == 0 && report.findings.is_empty());
        assert_eq!(traces_of(Algorithm::Source, None).0, plain);
        let (_, broken) = traces_of(Algorithm::Optimal, Some(Fault::RemovePast));
        assert!(
            (broken.findings.iter()).any(|f| f.kind == FindingKind::Nondeterminism),
            "{broken:?}"
        );
        let options = Options {
            hands_over_always: true,
            ..Options::default()
        };
        let program = a_writer_comes_after_a_reader_that_waits(other_signal);
        let system = || Box::new(Running::new(program.clone()));
        let shared = explore_in_parallel(3, system, &options, |_, _| ());
        assert!(shared.complete && shared.blocked == 0);
        assert_eq!(shared.executions, report.executions);
    }
}

/// A program whose objects get their numbers in the order in which they are announced, as those of
/// real programs do. Those of threads keep theirs.
struct Renumbered {
    inner: Running,
    /// The number of each shared object, once it has one.
    numbers: Vec<Option<u32>>,
    next: u32,
    announced: Vec<Operation>,
}

/// Random programs have so many shared objects.
const SHARED: u32 = 8;

impl Renumbered {
    fn new(inner: Running) -> Self {
        Renumbered {
            inner,
            numbers: Vec::new(),
            next: 0,
            announced: Vec::new(),
        }
    }

    fn translate(&mut self, operation: &mut Operation) {
        for access in &mut operation.accesses {
            let old = access.object.0;
            access.object = Object(if old < SHARED {
                let number = self.numbers[old as usize].unwrap_or(self.next);
                self.numbers[old as usize] = Some(number);
                self.next = self.next.max(number + 1);
                2 * number
            } else {
                2 * (old - SHARED) + 1
            });
        }
    }

    fn announce(&mut self) {
        for thread in 0..self.inner.threads() {
            let mut operation = match self.inner.pending(Thread(thread as u32)) {
                Pending::Operation { operation, .. } => operation.clone(),
                Pending::None => Operation::local(),
            };
            self.translate(&mut operation);
            self.announced[thread] = operation;
        }
    }
}

impl System for Renumbered {
    fn restart(&mut self, performed: &mut Performed) {
        self.inner.restart(performed);
        self.numbers = vec![None; SHARED as usize];
        self.next = 0;
        self.announced = vec![Operation::local(); self.inner.threads()];
        self.announce();
    }

    fn threads(&self) -> usize {
        self.inner.threads()
    }

    fn pending(&self, thread: Thread) -> Pending<'_> {
        match self.inner.pending(thread) {
            Pending::Operation {
                enabled, choices, ..
            } => Pending::Operation {
                operation: &self.announced[thread.0 as usize],
                enabled,
                choices,
            },
            Pending::None => Pending::None,
        }
    }

    fn value(&self, object: Object) -> u64 {
        if object.0 % 2 == 1 {
            return self.inner.value(Object(object.0 / 2 + SHARED));
        }
        let has = |number: &Option<u32>| *number == Some(object.0 / 2);
        let old = self.numbers.iter().position(has).unwrap();
        self.inner.value(Object(old as u32))
    }

    fn step(&mut self, thread: Thread, choice: u32, performed: &mut Performed) {
        self.inner.step(thread, choice, performed);
        self.translate(&mut performed.operation);
        self.announce();
    }

    fn numbered(object: Object) -> u32 {
        if object.0 % 2 == 1 {
            0
        } else {
            object.0 / 2 + 1
        }
    }

    fn objects(&self) -> u32 {
        self.next
    }
}

#[test]
fn numbers_of_objects_do_not_matter() {
    let first = variable("AMPLE_SEED", 0);
    let programs = variable("AMPLE_PROGRAMS", 700);
    let (mut executions, mut again, mut blocked) = (0, 0, 0);
    for seed in first..first + programs {
        let Some(plain) = see(seed, size_of(seed), Algorithm::Enumerate, None) else {
            continue;
        };
        for algorithm in [Algorithm::Optimal, Algorithm::Source] {
            let mut states = BTreeSet::new();
            let mut traces = HashSet::new();
            let options = Options {
                algorithm,
                findings: usize::MAX,
                ..Options::default()
            };
            let mut system = Renumbered::new(Running::new(random::program(seed, size_of(seed))));
            let report = explore(&mut system, &options, |system, trace| {
                if trace.end != End::Blocked {
                    states.insert((trace.end == End::Deadlock, system.inner.state()));
                    traces.insert(trace.canonical());
                }
            });
            assert_eq!(states, plain.states, "seed {seed}, {algorithm:?}");
            assert_eq!(traces, plain.traces, "seed {seed}, {algorithm:?}");
            if algorithm == Algorithm::Optimal {
                again += report.executions - traces.len() as u64;
                executions += report.executions;
                blocked += report.blocked;
            }
        }
    }
    println!("{executions} executions, {again} of a known trace, {blocked} blocked");
    assert!((blocked + again) * 50 < executions);
}

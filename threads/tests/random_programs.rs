//! Random programs written with this library do what they do in the explorer's own language: as
//! many traces, the same results and the same deadlocks as plain enumeration finds there.
//! `AMPLE_PROGRAMS=N` makes it N programs.

use ample_stateless::program::{Code, Program, Running, Value, random};
use ample_stateless::{Algorithm, End, Options};
use ample_threads::sync::atomic::{AtomicU64, Ordering::SeqCst};
use ample_threads::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, Semaphore};
use ample_threads::{Builder, FindingKind, thread, toss};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::time::Duration;

/// The objects of a random program, by number.
struct Objects {
    variables: [AtomicU64; 2],
    locks: [Mutex<()>; 2],
    shared: RwLock<()>,
    semaphore: Semaphore,
    condition: Condvar,
}

const FIRST_LOCK: u32 = 2;
const SEMAPHORE: u32 = 5;

fn is_supported(program: &Program) -> bool {
    let mut code = program.threads.iter().flatten();
    !code.any(|code| {
        matches!(
            code,
            // Receivers are not shared; starts and joins are those of the test.
            Code::Send(..)
                | Code::Receive(..)
                | Code::TryReceive(..)
                | Code::Start(_)
                | Code::Join(_)
        )
    })
}

/// Executes the code of a thread and returns its registers.
fn run(objects: &Objects, code: &[Code]) -> Vec<u64> {
    let mut registers = vec![0; 8];
    let mut guards: [Option<MutexGuard<'_, ()>>; 2] = [None, None];
    let mut readers = Vec::new();
    let mut writers = Vec::new();
    let mut at = 0;
    while let Some(&code) = code.get(at) {
        at += 1;
        let variable = |object: ample_stateless::Object| &objects.variables[object.0 as usize];
        let lock = |object: ample_stateless::Object| (object.0 - FIRST_LOCK) as usize;
        match code {
            Code::Read(x, r) => registers[r] = variable(x).load(SeqCst),
            Code::Write(x, value) => {
                let value = match value {
                    Value::Is(value) => value,
                    Value::Of(r, plus) => registers[r].wrapping_add(plus),
                };
                variable(x).store(value, SeqCst);
            }
            Code::Add(x, n, r) => registers[r] = variable(x).fetch_add(n, SeqCst),
            Code::Cas(x, from, to, r) => {
                let result = variable(x).compare_exchange(from, to, SeqCst, SeqCst);
                registers[r] = u64::from(result.is_ok());
            }
            Code::Lock(l) => {
                let guard = objects.locks[lock(l)].lock().unwrap();
                // A guard that is there means that this thread waits for itself.
                std::mem::forget(guards[lock(l)].replace(guard));
            }
            Code::TryLock(l, r) => {
                let guard = objects.locks[lock(l)].try_lock().ok();
                registers[r] = u64::from(guard.is_some());
                if guard.is_some() {
                    guards[lock(l)] = guard;
                }
            }
            Code::Unlock(l) => drop(guards[lock(l)].take()),
            Code::ReadLock(_) => readers.push(objects.shared.read().unwrap()),
            Code::ReadUnlock(_) => drop(readers.pop()),
            Code::WriteLock(_) => writers.push(objects.shared.write().unwrap()),
            Code::WriteUnlock(_) => drop(writers.pop()),
            Code::Wait(_) => objects.semaphore.wait(),
            Code::Signal(_) => objects.semaphore.signal(),
            Code::WaitFor(_, l) => {
                let guard = guards[lock(l)].take().unwrap();
                guards[lock(l)] = Some(objects.condition.wait(guard).unwrap());
            }
            Code::WaitTimeout(_, l, r) => {
                let guard = guards[lock(l)].take().unwrap();
                let woken = objects.condition.wait_timeout(guard, Duration::ZERO);
                let (guard, result) = woken.unwrap();
                guards[lock(l)] = Some(guard);
                registers[r] = u64::from(!result.timed_out());
            }
            Code::NotifyOne(_) => objects.condition.notify_one(),
            Code::NotifyAll(_) => objects.condition.notify_all(),
            Code::Toss(n, r) => registers[r] = u64::from(toss(n)),
            Code::Assert(r, value) if registers[r] != value => break,
            Code::SkipIf(r, value, skip) if registers[r] == value => at += skip,
            Code::Assert(..) | Code::SkipIf(..) => {}
            _ => unreachable!("{code:?}"),
        }
    }
    // What the program does not give back stays taken.
    std::mem::forget((guards, readers, writers));
    registers
}

#[test]
fn random_programs_do_what_they_do_in_memory() {
    let programs = std::env::var("AMPLE_PROGRAMS").ok();
    let programs = programs.map_or(800, |text| text.parse().expect("a number"));
    let (mut compared, mut deadlocks) = (0, 0);
    let (mut executions, mut again, mut blocked) = (0, 0, 0);
    for seed in 0..programs {
        let program = random::program(seed, 5 + (seed % 4) as usize);
        if !is_supported(&program) {
            continue;
        }
        let mut results = BTreeSet::new();
        let mut traces = HashSet::new();
        let mut stuck = false;
        let options = Options {
            algorithm: Algorithm::Enumerate,
            findings: usize::MAX,
            executions: Some(4_000),
            ..Options::default()
        };
        let mut plain = Running::new(program.clone());
        let report = ample_stateless::explore(&mut plain, &options, |system, trace| {
            traces.insert(trace.canonical());
            match trace.end {
                End::Finished => drop(results.insert(system.registers())),
                _ => stuck = true,
            }
        });
        if !report.complete {
            continue;
        }
        let seen = Rc::new(RefCell::new(BTreeSet::new()));
        let into = seen.clone();
        let report = Builder::new().findings(usize::MAX).explore(move || {
            let units = program.initial(ample_stateless::Object(SEMAPHORE)) as u32;
            let objects = Arc::new(Objects {
                variables: [AtomicU64::new(0), AtomicU64::new(0)],
                locks: [Mutex::new(()), Mutex::new(())],
                shared: RwLock::new(()),
                semaphore: Semaphore::new(units),
                condition: Condvar::new(),
            });
            let start = |code: &Vec<Code>| {
                let (objects, code) = (objects.clone(), code.clone());
                thread::spawn(move || run(&objects, &code))
            };
            let handles: Vec<_> = program.threads.iter().map(start).collect();
            let join = |handle: thread::JoinHandle<Vec<u64>>| handle.join().unwrap();
            let registers: Vec<Vec<u64>> = handles.into_iter().map(join).collect();
            into.borrow_mut().insert(registers);
        });
        assert!(report.complete, "seed {seed}: {report}");
        let is_deadlock = |f: &ample_threads::Finding| f.kind == FindingKind::Deadlock;
        assert!(
            report.findings.iter().all(is_deadlock),
            "seed {seed}: {report}"
        );
        assert_eq!(!report.findings.is_empty(), stuck, "seed {seed}");
        assert_eq!(seen.take(), results, "seed {seed}");
        assert!(report.executions >= traces.len() as u64, "seed {seed}");
        again += report.executions - traces.len() as u64;
        compared += 1;
        executions += report.executions;
        blocked += report.blocked;
        deadlocks += u64::from(stuck);
    }
    println!(
        "{compared} programs, {deadlocks} with deadlocks, {executions} executions, {again} of a known trace, {blocked} blocked"
    );
    assert!(compared * 3 > programs && deadlocks * 10 > compared);
    assert!((blocked + again) * 50 < executions);
}

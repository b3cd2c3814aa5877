//! Random programs, executed by the explorer in memory and as C programs under its control: the numbers of
//! executions and deadlocks and the final states must be the same.

use ample_preload::{Command, explore};
use ample_stateless::program::{Code, Program, Running, Value, random};
use ample_stateless::{Algorithm, End, Object, Options, System};
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

/// Programs that are compared.
const PROGRAMS: usize = 600;
/// Programs with more executions are left out.
const MOST: u64 = 200;

/// Registers of each thread, who failed, variables, and how the execution ended.
type State = (Vec<Vec<u64>>, Vec<bool>, Vec<u64>, End);

/// What an exploration gave: each final state, and how often.
type Seen = BTreeMap<String, u64>;

/// An instruction as five numbers; nothing if the interpreter has none for it.
fn numbers(code: Code) -> Option<[i64; 5]> {
    let variable = |o: Object| i64::from(o.0);
    let lock = |o: Object| i64::from(o.0) - 2;
    let n = |value: u64| value as i64;
    let r = |register: usize| register as i64;
    Some(match code {
        Code::Read(x, to) => [0, variable(x), r(to), 0, 0],
        Code::Write(x, Value::Is(value)) => [1, variable(x), -1, n(value), 0],
        Code::Write(x, Value::Of(from, plus)) => [1, variable(x), r(from), n(plus), 0],
        Code::Add(x, amount, to) => [2, variable(x), n(amount), r(to), 0],
        Code::Cas(x, from, new, to) => [3, variable(x), n(from), n(new), r(to)],
        Code::Lock(l) => [4, lock(l), 0, 0, 0],
        Code::TryLock(l, to) => [5, lock(l), r(to), 0, 0],
        Code::Unlock(l) => [6, lock(l), 0, 0, 0],
        Code::ReadLock(_) => [7, 0, 0, 0, 0],
        Code::ReadUnlock(_) => [8, 0, 0, 0, 0],
        Code::WriteLock(_) => [9, 0, 0, 0, 0],
        Code::WriteUnlock(_) => [10, 0, 0, 0, 0],
        Code::Wait(_) => [11, 0, 0, 0, 0],
        Code::Signal(_) => [12, 0, 0, 0, 0],
        Code::WaitFor(_, l) => [13, 0, lock(l), 0, 0],
        Code::WaitTimeout(_, l, to) => [14, 0, lock(l), r(to), 0],
        Code::NotifyOne(_) => [15, 0, 0, 0, 0],
        Code::NotifyAll(_) => [16, 0, 0, 0, 0],
        Code::Toss(ways, to) => [17, i64::from(ways), r(to), 0, 0],
        Code::Start(thread) => [18, thread as i64, 0, 0, 0],
        Code::Join(thread) => [19, thread as i64, 0, 0, 0],
        Code::Assert(from, value) => [20, r(from), n(value), 0, 0],
        Code::SkipIf(from, value, skip) => [21, r(from), n(value), skip as i64, 0],
        Code::Stop => [22, 0, 0, 0, 0],
        Code::Send(..) | Code::Receive(..) | Code::TryReceive(..) | Code::Yield | Code::Back(_) => {
            return None;
        }
    })
}

/// A program as arguments of the interpreter.
fn arguments(program: &Program) -> Option<Vec<String>> {
    let has = |wanted: Code| program.threads.iter().flatten().any(|&code| code == wanted);
    // The semaphore comes after two variables, two locks and the lock that can be shared.
    let units = program.initial(Object(5));
    let mut text = vec![units.to_string(), program.threads.len().to_string()];
    for (index, thread) in program.threads.iter().enumerate() {
        text.push(thread.len().to_string());
        text.push(u8::from(has(Code::Start(index))).to_string());
        text.push(u8::from(has(Code::Join(index))).to_string());
        for &code in thread {
            text.extend(numbers(code)?.map(|n| n.to_string()));
        }
    }
    Some(text)
}

const REGISTERS: usize = 8;

fn note(seen: &mut Seen, state: &State) {
    *seen.entry(format!("{state:?}")).or_default() += 1;
}

fn options(algorithm: Algorithm) -> Options {
    Options {
        findings: usize::MAX,
        explain: false,
        algorithm,
        ..Options::default()
    }
}

/// In memory; nothing if there are too many executions.
fn in_memory(program: &Program, algorithm: Algorithm) -> Option<(u64, Seen)> {
    let mut seen = Seen::new();
    let mut options = options(algorithm);
    options.executions = Some(MOST);
    let report = ample_stateless::explore(
        &mut Running::new(program.clone()),
        &options,
        |running, trace| {
            if trace.end == End::Blocked {
                return;
            }
            let failed = running.failed();
            let variables = [0, 1].map(|x| running.value(Object(x))).to_vec();
            note(
                &mut seen,
                &(running.registers(), failed, variables, trace.end),
            );
        },
    );
    report.complete.then_some((report.executions, seen))
}

/// As a C program.
fn in_c(
    folder: &TempDir,
    program: &Program,
    arguments: &[String],
    algorithm: Algorithm,
) -> (u64, Seen) {
    let state = folder.path().join("state");
    std::fs::write(&state, vec![0; 4096]).expect("a file");
    let mut command = Command::new(folder.path().join("interpreter"));
    command.args.push(state.clone().into());
    command.args.extend(arguments.iter().map(Into::into));
    let threads = program.threads.len();
    let mut seen = Seen::new();
    let explored = explore(&command, &options(algorithm), |_, trace| {
        if trace.end == End::Blocked {
            return;
        }
        let bytes = std::fs::read(&state).expect("the state");
        let words = bytes
            .chunks_exact(8)
            .map(|w| u64::from_le_bytes(w.try_into().expect("eight")));
        let words: Vec<u64> = words.collect();
        let (variables, rest) = words.split_at(2);
        let registers = rest
            .chunks_exact(REGISTERS)
            .take(threads)
            .map(<[u64]>::to_vec);
        let failed = rest[8 * REGISTERS..][..threads].iter().map(|&f| f != 0);
        note(
            &mut seen,
            &(
                registers.collect(),
                failed.collect(),
                variables.to_vec(),
                trace.end,
            ),
        );
    });
    let explored = explored.expect("the interpreter runs");
    assert_eq!(explored.escape, None);
    (explored.report.executions, seen)
}

/// The interpreter, if there is a C compiler.
fn interpreter() -> Option<TempDir> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let gcc = std::process::Command::new("gcc")
        .args(["-g", "-O1", "-Wall", "-Wextra", "-fsanitize=thread", "-I"])
        .arg(root.join("include"))
        .arg(root.join("tests/interpreter.c"))
        .arg("-o")
        .arg(folder.path().join("interpreter"))
        .status();
    match gcc {
        Ok(status) => {
            assert!(status.success());
            Some(folder)
        }
        Err(_) => {
            let required = std::env::var_os("AMPLE_REQUIRE_SPIN").is_some();
            assert!(!required, "gcc is required, but not installed");
            None
        }
    }
}

#[test]
fn c_programs_behave_as_programs_in_memory() {
    let Some(folder) = interpreter() else {
        return;
    };
    let (mut compared, mut executions, mut deadlocks) = (0, 0, 0);
    for seed in 0.. {
        let program = random::program(seed, 4 + seed as usize % 7);
        let Some(arguments) = arguments(&program) else {
            continue;
        };
        let Some(expected) = in_memory(&program, Algorithm::Optimal) else {
            continue;
        };
        let found = in_c(&folder, &program, &arguments, Algorithm::Optimal);
        assert_eq!(found, expected, "seed {seed}: {:?}", program.threads);
        compared += 1;
        executions += expected.0;
        deadlocks += (expected.1.iter())
            .filter(|(state, _)| state.ends_with("Deadlock)"))
            .map(|(_, &count)| count)
            .sum::<u64>();
        if compared == PROGRAMS {
            break;
        }
    }
    println!("{compared} programs, {executions} executions, {deadlocks} deadlocks");
    assert!(
        executions > 1000 && deadlocks > 100,
        "{executions}, {deadlocks}"
    );
}

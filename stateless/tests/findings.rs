//! Findings beyond deadlocks and failures, their critical steps, and schedules with few preemptions.

use ample_stateless::program::{Code, Program, Running, Value, known};
use ample_stateless::{
    Algorithm, Bound, Critical, Failure, Finding, FindingKind, Options, Patience, Report, explore,
    replay, replay_patiently,
};

fn run(program: &Program, options: &Options) -> Report {
    explore(&mut Running::new(program.clone()), options, |_, _| {})
}

fn first(program: &Program, algorithm: Algorithm) -> Finding {
    let options = Options {
        algorithm,
        ..Options::default()
    };
    run(program, &options).findings.remove(0)
}

/// Waits until a variable is not 0.
fn spin(program: &mut Program, variable: ample_stateless::Object) {
    program.thread([
        Code::Read(variable, 0),
        Code::SkipIf(0, 1, 2),
        Code::Yield,
        Code::Back(3),
    ]);
}

#[test]
fn threads_that_wait_for_each_other_by_spinning_are_a_livelock() {
    let mut program = Program::new();
    let (x, y) = (program.variable(), program.variable());
    spin(&mut program, x);
    spin(&mut program, y);
    let patience = Patience {
        yields: Some(20),
        ..Patience::default()
    };
    let mut options = Options {
        patience,
        depth: Some(1000),
        ..Options::default()
    };
    let report = run(&program, &options);
    let finding = &report.findings[0];
    assert_eq!(finding.kind, FindingKind::Livelock, "{report}");
    assert!(
        finding
            .message
            .contains("yields each of thread 0, thread 1"),
        "{report}"
    );
    let mut system = Running::new(program.clone());
    let again = replay_patiently(&mut system, &finding.schedule, patience);
    assert_eq!(again.message, finding.message);
    assert!(finding.steps.len() < 200 && report.bounds.contains(&Bound::Livelock));

    // Somebody who sets both: the search comes to fair executions by itself.
    program.thread([Code::Write(x, Value::Is(1)), Code::Write(y, Value::Is(1))]);
    options.findings = usize::MAX;
    options.depth = Some(60);
    options.executions = Some(2_000);
    let report = run(&program, &options);
    assert!(report.findings.is_empty(), "{report}");
    assert!(report.executions > 10);
}

#[test]
fn a_thread_that_is_kept_waiting_is_a_livelock() {
    let mut program = Program::new();
    let (lock, x) = (program.lock(), program.variable());
    program.thread([
        Code::Lock(lock),
        Code::Add(x, 1, 0),
        Code::Add(x, 1, 0),
        Code::Add(x, 1, 0),
        Code::Unlock(lock),
    ]);
    program.thread([Code::Lock(lock), Code::Unlock(lock)]);
    let patient = |most| {
        let options = Options {
            patience: Patience {
                blocked: Some(most),
                ..Patience::default()
            },
            ..Options::default()
        };
        run(&program, &options).findings
    };
    assert_eq!(patient(4), []);
    let findings = patient(3);
    assert_eq!(findings[0].kind, FindingKind::Livelock);
    assert_eq!(
        findings[0].message,
        "livelock: thread 1 is blocked in more than 3 states in a row"
    );
}

#[test]
fn the_critical_step_is_the_last_chance() {
    // After both philosophers have a fork the deadlock is there; one step before it is not.
    let finding = first(&known::philosophers(2), Algorithm::Optimal);
    assert_eq!(finding.critical, Critical::Step(2));
    // What the first thread reads decides; the rest only follows from it.
    let mut program = Program::new();
    let (x, y) = (program.variable(), program.variable());
    program.thread([
        Code::Read(x, 0),
        Code::Write(y, Value::Is(1)),
        Code::Write(y, Value::Is(2)),
        Code::Assert(0, 0),
    ]);
    program.thread([Code::Write(x, Value::Is(1))]);
    let finding = first(&program, Algorithm::Optimal);
    assert_eq!(finding.schedule.to_string(), "1 0*3");
    assert_eq!(finding.critical, Critical::Step(1));
    let text = finding.to_string();
    assert!(
        text.contains("    1! thread 1") && text.contains("step 1 (!) is critical"),
        "{text}"
    );
    // Every execution fails.
    let mut program = Program::new();
    let x = program.variable();
    program.thread([Code::Read(x, 0), Code::Assert(0, 1)]);
    let finding = first(&program, Algorithm::Optimal);
    assert_eq!(finding.critical, Critical::Always);
}

#[test]
fn schedules_have_as_few_preemptions_as_possible() {
    // An update is lost: one preemption is needed, and random walks find more.
    let mut program = known::torn_increments(3);
    let x = ample_stateless::Object(0);
    program.thread([
        Code::Join(0),
        Code::Join(1),
        Code::Join(2),
        Code::Read(x, 0),
        Code::Assert(0, 3),
    ]);
    for algorithm in [
        Algorithm::Optimal,
        Algorithm::Random(5),
        Algorithm::FairRandom(5),
        Algorithm::Pct(5, 3),
        Algorithm::Source,
    ] {
        let finding = first(&program, algorithm);
        assert_eq!(finding.kind, FindingKind::Failure);
        assert_eq!(
            (finding.preemptions, finding.is_minimal),
            (1, true),
            "{finding}"
        );
        let again = replay(&mut Running::new(program.clone()), &finding.schedule);
        let failure = Failure::new(finding.kind, &finding.message);
        assert_eq!(again.failures, [failure]);
    }
}

#[test]
fn what_does_not_matter_is_left_out() {
    // The fifth thread sees what any of the others did last.
    let mut program = Program::new();
    let shared = program.variable();
    for _ in 0..4 {
        let own = program.variable();
        let code = (0..6).map(|_| Code::Add(own, 1, 0));
        program.thread(code.chain([Code::Write(shared, Value::Is(1))]));
    }
    program.thread([
        Code::Read(shared, 0),
        Code::SkipIf(0, 0, 1),
        Code::Assert(0, 0),
    ]);
    let options = Options {
        algorithm: Algorithm::Random(3),
        explain: false,
        ..Options::default()
    };
    let plain = run(&program, &options).findings.remove(0);
    let explained = first(&program, Algorithm::Random(3));
    assert!(plain.preemptions > 5 && !plain.is_minimal, "{plain}");
    assert_eq!((explained.preemptions, explained.is_minimal), (0, true));
    // More than can be enumerated without preemptions: an equivalent order is taken.
    let mut large = program.clone();
    let reader = large.threads.pop().unwrap();
    for _ in 0..12 {
        let own = large.variable();
        large.thread((0..6).map(|_| Code::Add(own, 1, 0)));
    }
    large.thread(reader);
    let plain = run(&large, &options).findings.remove(0);
    let explained = first(&large, Algorithm::Random(3));
    assert!(
        explained.preemptions < plain.preemptions,
        "{plain}\n{explained}"
    );
    assert!(explained.steps.len() < plain.steps.len());
}

#[test]
fn the_estimate_comes_near_to_the_number_of_executions() {
    use std::sync::{Arc, Mutex};
    for (program, executions) in [
        (known::readers(12), 4096.0),
        (known::torn_increments(4), 576.0),
    ] {
        let told = Arc::new(Mutex::new(Vec::new()));
        let into = told.clone();
        let options = Options {
            progress: Some(ample_stateless::Progress::new(move |status| {
                into.lock().unwrap().push(*status);
            })),
            ..Options::default()
        };
        let report = run(&program, &options);
        assert_eq!(report.executions as f64, executions);
        let told = told.lock().unwrap();
        assert!(!told.is_empty());
        let last = told[told.len() - 1];
        assert!(last.estimate >= last.executions as f64);
        assert!(told[0].estimate < 4.0 * executions, "{told:?}");
    }
}

#[test]
fn bounds_on_context_switches_are_honest() {
    let run = |switches| {
        let options = Options {
            switches: Some(switches),
            ..Options::default()
        };
        run(&known::torn_increments(2), &options)
    };
    let report = run(1);
    assert_eq!((report.executions, report.complete), (2, false));
    assert_eq!(report.bounds, [Bound::Switches]);
    let report = run(3);
    assert_eq!((report.executions, report.complete), (6, true));
}

//! Bounds, random strategies, replay and nondeterminism: what is reported is what was done.

use ample_stateless::program::{Code, Program, Running, Value, known};
use ample_stateless::{
    Access, Algorithm, Bound, End, Failure, FindingKind, Kind, Object, Operation, Options, Pending,
    Performed, Schedule, System, Thread, Verdict, explore, replay,
};

fn run(program: Program, options: &Options) -> ample_stateless::Report {
    explore(&mut Running::new(program), options, |_, _| {})
}

#[test]
fn a_bound_that_is_hit_makes_the_verdict_inconclusive() {
    let program = || known::torn_increments(3);
    let free = run(program(), &Options::default());
    assert_eq!(free.verdict(), Verdict::Holds);
    for (options, bound) in [
        (
            Options {
                depth: Some(5),
                ..Options::default()
            },
            Bound::Depth,
        ),
        (
            Options {
                executions: Some(35),
                ..Options::default()
            },
            Bound::Executions,
        ),
        (
            Options {
                preemptions: Some(1),
                ..Options::default()
            },
            Bound::Preemptions,
        ),
        (
            Options {
                time: Some(std::time::Duration::ZERO),
                ..Options::default()
            },
            Bound::Time,
        ),
        (
            Options {
                algorithm: Algorithm::Random(1),
                ..Options::default()
            },
            Bound::Random,
        ),
        (
            Options {
                algorithm: Algorithm::Pct(1, 3),
                ..Options::default()
            },
            Bound::Random,
        ),
    ] {
        let report = run(program(), &options);
        assert_eq!(report.verdict(), Verdict::Inconclusive(bound), "{report}");
        assert!(!report.complete);
    }
    for options in [
        Options {
            depth: Some(6),
            ..Options::default()
        },
        Options {
            executions: Some(36),
            ..Options::default()
        },
        Options {
            preemptions: Some(6),
            ..Options::default()
        },
    ] {
        let report = run(program(), &options);
        assert_eq!(report.verdict(), Verdict::Holds, "{report}");
    }
}

/// An assertion that fails only if both other threads run between two reads.
fn narrow() -> Program {
    let mut program = Program::new();
    let (x, y) = (program.variable(), program.variable());
    program.thread([
        Code::Read(x, 0),
        Code::Read(y, 1),
        Code::SkipIf(0, 1, 1),
        Code::Assert(1, 0),
    ]);
    program.thread([Code::Write(x, Value::Is(1)), Code::Write(y, Value::Is(1))]);
    program
}

#[test]
fn findings_can_be_replayed() {
    for algorithm in [
        Algorithm::Optimal,
        Algorithm::Enumerate,
        Algorithm::Random(7),
        Algorithm::Pct(7, 2),
    ] {
        let options = Options {
            algorithm,
            ..Options::default()
        };
        let report = run(narrow(), &options);
        assert_eq!(report.verdict(), Verdict::Violated);
        let finding = &report.findings[0];
        assert_eq!(finding.kind, FindingKind::Failure);
        assert_eq!(finding.steps.len(), finding.schedule.steps.len());
        let schedule: Schedule = finding.schedule.to_string().parse().unwrap();
        let again = replay(&mut Running::new(narrow()), &schedule);
        assert_eq!(
            again.failures,
            [Failure::new(finding.kind, &finding.message)]
        );
        assert_eq!(again.problem, None);
    }
}

#[test]
fn a_schedule_that_does_not_fit_is_explained() {
    let replay = |text: &str| {
        let schedule = text.parse().unwrap();
        replay(&mut Running::new(known::philosophers(2)), &schedule)
    };
    assert_eq!(replay("0*4 1*4").end, Some(End::Finished));
    assert_eq!(replay("0 1").end, Some(End::Deadlock));
    assert_eq!(replay("0").end, None);
    let problem = |text| replay(text).problem.unwrap_or_default();
    assert!(problem("0*2 1").contains("step 3: thread 1 is blocked"));
    assert!(problem("0*5").contains("does not exist or has ended"));
    assert!(problem("0:1").contains("has no such choice"));
}

/// A system of two threads whose first operations depend on how often it was started.
struct Fickle {
    starts: u32,
    at: [usize; 2],
    operations: [Operation; 2],
    /// From the second start on, the second thread cannot begin before the end of the first one.
    waits: bool,
}

impl System for Fickle {
    fn restart(&mut self, _: &mut Performed) {
        self.starts += 1;
        self.at = [0; 2];
    }

    fn threads(&self) -> usize {
        2
    }

    fn pending(&self, thread: Thread) -> Pending<'_> {
        let at = self.at[thread.0 as usize];
        if at == 2 {
            return Pending::None;
        }
        Pending::Operation {
            operation: &self.operations[usize::from(self.starts > 1 && at == 0)],
            enabled: !(self.waits && self.starts > 1 && thread.0 == 1 && self.at[0] < 2),
            choices: 1,
        }
    }

    fn value(&self, _: Object) -> u64 {
        0
    }

    fn step(&mut self, thread: Thread, _: u32, performed: &mut Performed) {
        if let Pending::Operation { operation, .. } = self.pending(thread) {
            performed.operation = operation.clone();
        }
        self.at[thread.0 as usize] += 1;
    }
}

#[test]
fn nondeterminism_is_named() {
    let write = |object| Operation::all([Access::new(Object(object), Kind::Write)]);
    for waits in [false, true] {
        let mut system = Fickle {
            starts: 0,
            at: [0; 2],
            operations: [write(0), write(u32::from(!waits))],
            waits,
        };
        let report = explore(&mut system, &Options::default(), |_, _| {});
        let finding = &report.findings[0];
        assert_eq!(finding.kind, FindingKind::Nondeterminism);
        let beginning = "not deterministic: after the same";
        assert!(finding.message.starts_with(beginning));
        let impossible = finding.message.contains("could go on in one execution");
        assert_eq!(impossible, waits, "{}", finding.message);
        assert!(!report.complete);
    }
}

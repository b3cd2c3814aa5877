//! The programs of the paper's experiments: verdicts, smallest numbers of contexts, view tuples, and runs that execute.

use ample_pushdown::boolean::compile::Compiled;
use ample_pushdown::boolean::expression::{Variable, add, equal, less, number, read, subtract};
use ample_pushdown::boolean::program::{Program, Statement, any, assign};
use ample_pushdown::models::{bluetooth, tree, vector};
use ample_pushdown::symbolic::contexts::{Options, Outcome, Splitting, Statistics, check};

/// The smallest number of contexts with a violation, if there is one within the bound.
fn smallest(program: &Program, bound: usize, splitting: Splitting) -> (Option<usize>, Statistics) {
    let compiled = Compiled::new(program, bound, 1 << 20).expect("a program that can be compiled");
    let options = Options {
        splitting,
        may_converge: false,
        ..Options::new(bound)
    };
    let targets = [compiled.error.clone()];
    let (outcome, figures) = check(compiled.explored(), &targets, options, |_| {});
    let contexts = match outcome {
        Outcome::Violated { contexts, run, .. } => {
            let run = compiled.run(&run).expect("a run of the program");
            let path = compiled.confirm(&run).expect("a run that executes");
            assert!(
                compiled
                    .network
                    .is_target(&path[path.len() - 1], &compiled.error)
            );
            assert!(run.contexts() <= contexts);
            Some(contexts)
        }
        Outcome::Bounded { .. } => None,
        other => panic!("{other:?}"),
    };
    (contexts, figures)
}

#[test]
fn bluetooth_needs_as_many_contexts_as_in_the_paper() {
    for (version, adders, stoppers, bound, expected) in [
        (1, 1, 1, 4, Some(3)),
        (2, 1, 1, 6, None),
        (2, 2, 1, 5, Some(5)),
        (3, 2, 1, 5, None),
        (3, 1, 2, 5, Some(4)),
    ] {
        let program = bluetooth::driver(version, adders, stoppers);
        for splitting in [Splitting::Lazy, Splitting::Eager] {
            let (contexts, _) = smallest(&program, bound, splitting);
            assert_eq!(
                contexts, expected,
                "version {version}, {adders}+{stoppers}, {splitting}"
            );
        }
    }
}

#[test]
fn lazy_splitting_needs_no_more_view_tuples_than_the_paper() {
    for (version, adders, stoppers, bound, most) in
        [(1, 1, 1, 3, 4), (2, 2, 1, 5, 154), (3, 1, 2, 4, 16)]
    {
        let program = bluetooth::driver(version, adders, stoppers);
        let (contexts, figures) = smallest(&program, bound, Splitting::Lazy);
        assert_eq!(contexts, Some(bound));
        assert!(figures.expanded <= most, "version {version}: {figures:?}");
    }
}

#[test]
fn lazy_splitting_does_not_split_the_vector() {
    for (racy, expected) in [(true, Some(3)), (false, None)] {
        for bits in [1, 4, 16] {
            let (contexts, figures) = smallest(&vector::test(bits, racy), 3, Splitting::Lazy);
            assert_eq!((contexts, figures.expanded), (expected, 3), "{bits} bits");
        }
        let tuples = |bits| {
            smallest(&vector::test(bits, racy), 3, Splitting::Eager)
                .1
                .expanded
        };
        assert!(tuples(3) > 3 * tuples(1));
    }
}

#[test]
fn convergence_proves_a_program_for_all_contexts() {
    // Version 2 with one adder and one stopper has no recursion and few configurations.
    let program = bluetooth::driver(2, 1, 1);
    let compiled = Compiled::new(&program, 20, 1 << 20).expect("a program");
    let targets = [compiled.error.clone()];
    let (outcome, _) = check(compiled.explored(), &targets, Options::new(20), |_| {});
    assert!(matches!(outcome, Outcome::Holds { .. }), "{outcome:?}");
}

#[test]
fn insertions_into_the_tree_are_lost_only_without_atomic_steps() {
    assert_eq!(
        smallest(&tree::tree(1, 1, false), 4, Splitting::Lazy).0,
        None
    );
    assert_eq!(
        smallest(&tree::tree(2, 1, false), 3, Splitting::Lazy).0,
        None
    );
    // Both see no root; one sets it and is overwritten before it searches.
    assert_eq!(
        smallest(&tree::tree(2, 0, true), 5, Splitting::Lazy).0,
        Some(4)
    );
}

/// `sum(n)` is `n + sum(n - 1)`, computed by recursion for any `n`; another thread changes a variable meanwhile.
fn sum(wrong: bool) -> Program {
    let mut program = Program::default();
    let noise = program.global("noise", 1, Some(0));
    let total = program.global("total", 4, Some(0));
    let sum = program.procedure("sum", &[("n", 4)], 4);
    let n = Variable::Local(0);
    let rest = program.local(sum, "rest", 4);
    program.body(
        sum,
        vec![
            Statement::If(
                equal(read(n), number(0)),
                vec![Statement::Return(number(0))],
                vec![],
            ),
            Statement::Call(sum, vec![subtract(read(n), number(1))], Some(rest)),
            Statement::Return(add(read(rest), read(n))),
        ],
    );
    let main = program.procedure("main", &[], 0);
    let chosen = program.local(main, "chosen", 4);
    let result = program.local(main, "result", 4);
    let expected = if wrong { 9 } else { 10 };
    program.body(
        main,
        vec![
            any(chosen),
            Statement::Step(less(read(chosen), number(5)), vec![]),
            Statement::Call(sum, vec![read(chosen)], Some(result)),
            assign(total, read(result)),
            Statement::If(
                equal(read(chosen), number(4)),
                vec![Statement::Assert(equal(read(total), number(expected)))],
                vec![Statement::Assert(less(read(total), number(10)))],
            ),
        ],
    );
    let other = program.procedure("other", &[], 0);
    program.body(
        other,
        vec![Statement::While(
            number(1),
            vec![assign(noise, equal(read(noise), number(0)))],
        )],
    );
    program.thread(main, &[]);
    program.thread(other, &[]);
    program
}

#[test]
fn results_of_recursive_calls_are_right() {
    for splitting in [Splitting::Lazy, Splitting::Eager] {
        assert_eq!(smallest(&sum(false), 4, splitting).0, None);
        assert_eq!(smallest(&sum(true), 4, splitting).0, Some(1));
    }
}

/// A procedure calls itself without end, chosen freely; the depth is not bounded by anything.
#[test]
fn recursion_without_end_is_decided() {
    let mut program = Program::default();
    let flag = program.global("flag", 1, Some(0));
    let seen = program.global("seen", 1, Some(0));
    let deep = program.procedure("deep", &[], 0);
    program.body(
        deep,
        vec![
            Statement::Choose(vec![vec![Statement::Call(deep, vec![], None)], vec![]]),
            Statement::Step(read(flag), vec![(seen, Some(number(1)))]),
        ],
    );
    let setter = program.procedure("setter", &[], 0);
    program.body(
        setter,
        vec![
            assign(flag, number(1)),
            Statement::Step(read(seen), vec![]),
            Statement::Assert(number(0)),
        ],
    );
    program.thread(deep, &[]);
    program.thread(setter, &[]);
    assert_eq!(smallest(&program, 5, Splitting::Lazy).0, Some(3));
}

//! Where SPIN's verifier cannot be the judge: models that assert what must be so, and the outcome.
//!
//! SPIN 6.5.2 loses track of these when it backtracks, masks part of the state, or stops at the first error.

mod support;

use support::machine::explore;
use support::search::program;

/// A model, the number of its states (0 where it does not matter) and what goes wrong in it.
type Case = (&'static str, &'static str, usize, &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "an index further right sees what is received further left",
        "chan c = [2] of { byte, byte }; byte a[3];
         active proctype S() { c!1,7; c!2,8; c!0,9 }
         active proctype R() { byte i; c?i,a[i]; assert(a[1] == 7); c?i,a[i]; assert(a[2] == 8); c?i,a[i]; assert(a[0] == 9) }",
        0,
        &[],
    ),
    (
        "a message keeps its value when it is received into a narrower variable",
        "chan c = [2] of { int }; byte n;
         active proctype S() { c!300; c!-1 }
         active proctype R() { bit b; byte y; c?<b>; assert(b == 0); c?y; assert(y == 44); c?b; assert(b == 1) }
         active proctype N() { n = 1; n = 2 }",
        0,
        &[],
    ),
    (
        "a rendezvous message is cut to the type of the field, then to that of the variable",
        "chan c = [0] of { byte };
         active proctype S() { c!300 }
         active proctype R() { int x; c?x; assert(x == 44) }",
        0,
        &[],
    ),
    (
        "priorities belong to the state of a process without locals",
        "active proctype A() { set_priority(1, 5); set_priority(1, 1) } active proctype B() { skip }",
        8,
        &[],
    ),
    (
        "a d_step that blocks behind its first statement is an error",
        "byte x; active proctype A() { d_step { x = 1; x == 2; x = 3 } }",
        1,
        &["BlockedInDStep"],
    ),
    (
        "a rendezvous cannot be offered inside a d_step",
        "chan c = [0] of { bit }; byte x;
         active proctype A() { d_step { x = 1; c!1 } } active proctype B() { c?1 }",
        0,
        &["RendezvousInDStep"],
    ),
    (
        "not even as its first statement",
        "chan c = [0] of { bit }; byte x;
         active proctype A() { d_step { c!1 }; x = 1 } active proctype B() { c?1 }",
        1,
        &["RendezvousInDStep", "deadlock"],
    ),
    (
        "an index is checked in a guard",
        "byte a[2], i = 2; active proctype A() { a[i] == 1 }",
        1,
        &["IndexOutOfRange { index: 2, len: 2 }", "deadlock"],
    ),
    (
        "an index is checked in an assignment",
        "byte a[2]; short i = -1; active proctype A() { a[i] = 1 }",
        1,
        &["IndexOutOfRange { index: -1, len: 2 }"],
    ),
    (
        "division by zero",
        "byte i; active proctype A() { i = 1 / i }",
        1,
        &["DivisionByZero"],
    ),
    (
        "the smallest number divided by minus one wraps",
        "int i = 1; active proctype A() { i = i << 31; i = i / -1; assert(i < 0); i = i % -1; assert(i == 0) }",
        0,
        &[],
    ),
    (
        "a shift is checked",
        "byte i = 32; active proctype A() { i = 1 << i }",
        1,
        &["ShiftOutOfRange { distance: 32 }"],
    ),
    (
        "a channel must exist",
        "chan d = [1] of { byte }; chan c; active proctype A() { c!1 }",
        1,
        &["UninitialisedChannel", "deadlock"],
    ),
    (
        "a channel dies with its process",
        "chan c; proctype P() { chan own = [1] of { byte }; c = own }
         init { run P(); (_nr_pr == 1); c!1 }",
        0,
        &["BadChannel { id: 1 }", "deadlock"],
    ),
    (
        "a message must fit the channel that is named at run time",
        "chan a = [1] of { byte, byte }; active proctype P() { chan c; c = a; c!1 }",
        0,
        &["MessageShape { expected: 2, found: 1 }"],
    ),
    (
        "a D_proctype has one step at a time",
        "byte x; active D_proctype A() { if :: x == 0 -> x = 1 :: x < 5 -> x = 2 fi }",
        0,
        &["Nondeterminism"],
    ),
    (
        "a trace names what may happen",
        "chan c = [1] of { byte }; active proctype A() { c!1; c!2 } active proctype B() { c?_; c?_ }
         trace { c!1; c!1 }",
        0,
        &["Trace"],
    ),
    (
        "a trace must be complete in the end",
        "chan c = [2] of { byte }; active proctype A() { c!1; (false) } trace { c!1; c!2 }",
        0,
        &["deadlock"],
    ),
    (
        "a notrace must not be complete",
        "chan c = [3] of { byte }; active proctype A() { c!1; c!2; c!3 } notrace { c!1; c!2 }",
        0,
        &["Trace"],
    ),
    (
        "a trace looks at the message a sorted send put in front",
        "chan c = [2] of { byte }; active proctype A() { c!!5; c!!3 } trace { c!5; c!3 }",
        0,
        &[],
    ),
    (
        "what follows a conditional expression is not part of its last branch",
        "byte a, b, n; active proctype A() { ((a == 1) -> a : b) <= n; n = (a == 0 -> b : n) + n; assert(n == 0) }",
        5,
        &[],
    ),
    (
        "the youngest process dies first",
        "byte n; active proctype A() { n++ } active proctype B() { n++; (n == 2 && _nr_pr == 2) -> assert(_nr_pr == 2) }",
        0,
        &[],
    ),
    (
        "an else beside a rendezvous that finds no partner is taken, one that does is not",
        "chan c = [0] of { bit }; byte x;
         active proctype A() { if :: c!1 :: else -> x = 1 fi }
         active proctype B() { atomic { x == 0 -> if :: c?1 :: else -> x = 2 fi } }",
        0,
        &["deadlock"],
    ),
];

#[test]
fn what_goes_wrong_is_what_should() {
    let mut wrong = Vec::new();
    for &(name, source, states, expected) in CASES {
        let counts = explore(program(source));
        let mut found: Vec<String> = counts
            .faults
            .iter()
            .map(|fault| format!("{:?}", fault.kind))
            .collect();
        if counts.deadlocks > 0 {
            found.push("deadlock".into());
        }
        found.dedup();
        if found != expected || (states != 0 && states != counts.stored) {
            wrong.push(format!(
                "{name}: found {found:?}, expected {expected:?}; {} states",
                counts.stored
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_may_be_more_than_255_processes() {
    let source = "byte n; proctype P(byte k) { chan own = [1] of { byte }; (false); own!k }
         init { short i; do :: i < 600 -> run P(i); i++ :: else -> break od; (_nr_pr == 601) -> (false) }";
    let counts = explore(program(source));
    assert_eq!(counts.deadlocks, 1);
    assert!(counts.faults.is_empty());
    assert_eq!(counts.stored, 3 * 600 + 3);
}

#[test]
fn large_vectors_work() {
    let source = "chan c = [60000] of { int }; int a[30000];
         active proctype P() { byte l; c!7; a[29999] = 9; c?l; assert(l == 7); l = a[29999]; assert(l == 9) }";
    let counts = explore(program(source));
    assert_eq!((counts.stored, counts.faults.len()), (8, 0));
}

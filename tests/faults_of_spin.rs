//! Cases in which SPIN 6.5.2 answers wrongly: ours must be right, in every mode. Each is a name, a model, the options, and
//! the exit code that is due (0 holds, 1 violated, 2 refused).

mod support;

use support::cli::Dir;

struct Case {
    name: &'static str,
    model: &'static str,
    options: &'static [&'static str],
    exit: i32,
}

/// A claim whose language is stutter-invariant though it guesses the length of a block: SPIN's reduction loses the cycle.
const GUESSING_CLAIM: &str = "
    byte g;
    active proctype Q() { g = 1 }
    active proctype P() { bit a; do :: a = 0 od }
    never {
    y0: if :: (g == 0) -> goto e1 :: (g == 0) -> goto e0 fi;
    e1: if :: (g == 0) -> goto e0 fi;
    e0: if :: (g == 0) -> goto e1 :: !(g == 0) -> goto accept fi;
    accept: if :: !(g == 0) -> goto accept fi
    }";

/// The same automaton where nothing ever leaves the first block: there is no violation.
const GUESSING_CLAIM_MIRROR: &str = "
    byte g;
    active proctype Q() { g = 0 }
    active proctype P() { bit a; do :: a = 0 od }
    never {
    y0: if :: (g == 0) -> goto e1 :: (g == 0) -> goto e0 fi;
    e1: if :: (g == 0) -> goto e0 fi;
    e0: if :: (g == 0) -> goto e1 :: !(g == 0) -> goto accept fi;
    accept: if :: !(g == 0) -> goto accept fi
    }";

const CASES: &[Case] = &[
    Case {
        name: "a violation deeper than SPIN's default bound",
        model: "int n; init { do :: n < 30000 -> n++ :: else -> break od; assert(false) }",
        options: &["--check", "safety"],
        exit: 1,
    },
    Case {
        name: "the mirror: deep, and nothing wrong",
        model: "int n; init { do :: n < 30000 -> n++ :: else -> break od; assert(n == 30000) }",
        options: &["--check", "safety"],
        exit: 0,
    },
    Case {
        name: "a pid that depends on the order of run and end",
        model: "init { run f() } active proctype f() { assert(_pid == 1) }",
        options: &["--check", "safety"],
        exit: 1,
    },
    Case {
        name: "a run that ends and violates a liveness property",
        model: "byte n; active proctype A() { n = 1 } active proctype B() { n = 2 } ltl p { <>[] (n == 1) }",
        options: &["--claim", "p"],
        exit: 1,
    },
    Case {
        name: "the mirror: every run ends with the last writer's value",
        model: "byte n; active proctype A() { n = 1 } active proctype B() { (n == 1); n = 2 } ltl p { <>[] (n == 2) }",
        options: &["--claim", "p"],
        exit: 0,
    },
    Case {
        name: "an invalid end state behind a rendezvous, breadth first",
        model: "chan c = [0] of { bit }; active proctype S() { c!1; c!1 } active proctype R() { bit b; c?b }",
        options: &["--check", "safety", "--strategy", "bfs"],
        exit: 1,
    },
    Case {
        name: "a formula that reads a local variable",
        model: "active proctype P() { byte x; x = 1; x = 2 } active proctype Q() { byte y; y = 1; y = 2 }
                ltl p { [] (P:x != 1) }",
        options: &["--claim", "p"],
        exit: 1,
    },
    Case {
        name: "the mirror: the local variable never has that value",
        model: "active proctype P() { byte x; x = 1; x = 2 } active proctype Q() { byte y; y = 1; y = 2 }
                ltl p { [] (P:x != 3) }",
        options: &["--claim", "p"],
        exit: 0,
    },
    Case { name: "a claim that guesses", model: GUESSING_CLAIM, options: &["--claim", "never_0"], exit: 1 },
    Case {
        name: "the mirror: a claim that guesses in vain",
        model: GUESSING_CLAIM_MIRROR,
        options: &["--claim", "never_0"],
        exit: 0,
    },
    Case {
        name: "a receive that moves the index it stores to: nothing is wrong on the other branch",
        model: "byte a[2], i; chan c = [1] of { byte, byte };
                active proctype P() { c!7,1; if :: c?a[i],i :: skip; assert(a[0] == 0) fi }",
        options: &["--check", "safety"],
        exit: 0,
    },
    Case {
        name: "the mirror: the receive stores where the index was",
        model: "byte a[2], i; chan c = [1] of { byte, byte };
                active proctype P() { c!7,1; if :: c?a[i],i; assert(a[0] == 0) :: skip fi }",
        options: &["--check", "safety"],
        exit: 1,
    },
    Case {
        name: "a d_step whose only possible option starts with printf",
        model: "byte x; active proctype P() { d_step { if :: x == 1 -> x = 2 :: printf(\"a\") -> x = 3 fi }; assert(x == 3) }",
        options: &["--check", "safety"],
        exit: 0,
    },
    Case {
        name: "the mirror: what follows the printf is done",
        model: "byte x; active proctype P() { d_step { if :: x == 1 -> x = 2 :: printf(\"a\") -> x = 3 fi }; assert(x == 0) }",
        options: &["--check", "safety"],
        exit: 1,
    },
    Case {
        name: "a process that waits for the other of its kind",
        model: "byte i = 1; active [2] proctype p() { (i > 0) -> i-- }",
        options: &["--check", "safety"],
        exit: 1,
    },
    Case {
        name: "a temporal operator that is compared: SPIN compares the number of its token",
        model: "byte x; ltl p { [] x == 0 } active proctype P() { x = 0 }",
        options: &["--claim", "p"],
        exit: 2,
    },
    Case {
        name: "the mirror: the comparison in parentheses holds",
        model: "byte x; ltl p { [] (x == 0) } active proctype P() { x = 0 }",
        options: &["--claim", "p"],
        exit: 0,
    },
    Case {
        name: "the mirror: the comparison in parentheses is violated",
        model: "byte x; ltl p { [] (x == 0) } active proctype P() { x = 1 }",
        options: &["--claim", "p"],
        exit: 1,
    },
    Case {
        name: "a receive into _pid: SPIN overwrites it",
        model: "chan c = [1] of { byte }; active proctype P() { c!5; c?_pid; assert(_pid == 0) }",
        options: &["--check", "safety"],
        exit: 2,
    },
    Case {
        name: "the mirror: a receive of the value of _pid",
        model: "chan c = [1] of { byte }; active proctype P() { c!0; c?eval(_pid); assert(_pid == 0) }",
        options: &["--check", "safety"],
        exit: 0,
    },
    Case {
        name: "a formula that counts processes: SPIN counts the claim",
        model: "active proctype P() { end: false } ltl p { [] (_nr_pr == 1) }",
        options: &["--claim", "p"],
        exit: 0,
    },
    Case {
        name: "the mirror: a second process is counted",
        model: "active proctype P() { run Q(); end: false } proctype Q() { skip } ltl p { [] (_nr_pr == 1) }",
        options: &["--claim", "p"],
        exit: 1,
    },
];

fn check(case: &Case, extra: &[&str]) {
    let dir = Dir::with_model("faults-of-spin", case.model);
    let args = [&["check", "--no-trail", "m.pml"], case.options, extra].concat();
    let run = dir.ample(&args);
    assert_eq!(run.code, case.exit, "{} with {extra:?}: {run:?}", case.name);
}

#[test]
fn ours_are_right_in_every_mode() {
    for case in CASES {
        for extra in [
            &[][..],
            &["--plain"],
            &["--reduction", "none"],
            &["--no-merge"],
            &["--classic-product"],
        ] {
            // Safety has no automaton.
            if extra == ["--classic-product"] && !case.options.contains(&"--claim") {
                continue;
            }
            check(case, extra);
        }
    }
}

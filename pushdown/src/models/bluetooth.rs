//! The Bluetooth driver in three versions (Figure 2 of the paper): adders perform I/O, stoppers stop the driver.
//!
//! `pending` counts the threads in the driver and one for the driver itself; who decrements it to 0 fires the event on
//! which stoppers wait. The property: no adder performs I/O after the driver was stopped.
//!
//! - Version 1 looks at the flag before it increments the counter: a race with one adder and one stopper.
//! - Version 2 increments first, but gives the count back twice if the flag is set: two adders can fire the event.
//! - Version 3 gives it back once: but two stoppers can.

use crate::boolean::expression::{Expression, Variable, equal, not, number, read, subtract};
use crate::boolean::program::{Program, Statement, assign, wait};

/// The driver in version 1, 2 or 3 with so many adders and stoppers.
pub fn driver(version: u32, adders: usize, stoppers: usize) -> Program {
    let mut program = Program::default();
    let pending = program.global("pending", 3, Some(1));
    let flag = program.global("flag", 1, Some(0));
    let event = program.global("event", 1, Some(0));
    let stopped = program.global("stopped", 1, Some(0));

    let decrement = program.procedure("decrement", &[], 0);
    let count = program.local(decrement, "count", 3);
    let less = || subtract(read(pending), number(1));
    program.body(
        decrement,
        vec![
            // Synchronised: one step.
            Statement::Step(
                number(1),
                vec![(pending, Some(less())), (count, Some(less()))],
            ),
            Statement::If(
                equal(read(count), number(0)),
                vec![assign(event, number(1))],
                vec![],
            ),
        ],
    );

    // The result is 1 if the adder may go on.
    let increment = program.procedure("increment", &[], 1);
    let more = assign(
        pending,
        crate::boolean::expression::add(read(pending), number(1)),
    );
    let body = match version {
        1 => vec![
            Statement::If(read(flag), vec![Statement::Return(number(0))], vec![]),
            more,
            Statement::Return(number(1)),
        ],
        _ => vec![
            more,
            Statement::If(
                read(flag),
                vec![call(decrement), Statement::Return(number(0))],
                vec![Statement::Return(number(1))],
            ),
        ],
    };
    program.body(increment, body);

    let add = program.procedure("add", &[], 0);
    let status = program.local(add, "status", 1);
    let mut io = vec![Statement::Assert(not(read(stopped)))];
    let mut after = Vec::new();
    match version {
        3 => io.push(call(decrement)),
        _ => after.push(call(decrement)),
    }
    let mut body = vec![
        Statement::Call(increment, vec![], Some(status)),
        Statement::If(read(status), io, vec![]),
    ];
    body.extend(after);
    program.body(add, body);

    let stop = program.procedure("stop", &[], 0);
    program.body(
        stop,
        vec![
            assign(flag, number(1)),
            call(decrement),
            wait(read(event)),
            assign(stopped, number(1)),
        ],
    );
    for _ in 0..adders {
        program.thread(add, &[]);
    }
    for _ in 0..stoppers {
        program.thread(stop, &[]);
    }
    program
}

fn call(procedure: usize) -> Statement {
    Statement::Call(procedure, Vec::<Expression>::new(), None::<Variable>)
}

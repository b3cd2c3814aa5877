//! Programs whose numbers of traces are known, mostly from the literature on partial-order
//! reduction.

use super::{Code, Program, Value};

/// The dining philosophers of VeriSoft's paper (Figure 1): left fork, right fork, and both back in
/// the same order.
pub fn philosophers(n: usize) -> Program {
    let mut program = Program::new();
    let forks: Vec<_> = (0..n).map(|_| program.lock()).collect();
    for i in 0..n {
        let (left, right) = (forks[i], forks[(i + 1) % n]);
        program.thread([
            Code::Lock(left),
            Code::Lock(right),
            Code::Unlock(left),
            Code::Unlock(right),
        ]);
    }
    program
}

/// One writer and `n` readers of a variable: 2^n traces.
pub fn readers(n: usize) -> Program {
    let mut program = Program::new();
    let x = program.variable();
    program.thread([Code::Write(x, Value::Is(1))]);
    for _ in 0..n {
        program.thread([Code::Read(x, 0)]);
    }
    program
}

/// `n` threads fill an array from the left, each from its neighbour, while one looks for the last
/// zero from the right: (n+3)·2^(n-2) traces.
pub fn last_zero(n: usize) -> Program {
    let mut program = Program::new();
    let cells: Vec<_> = (0..=n).map(|_| program.variable()).collect();
    let search = cells
        .iter()
        .rev()
        .flat_map(|&cell| [Code::Read(cell, 0), Code::SkipIf(0, 0, 1000)]);
    program.thread(search);
    for i in 1..=n {
        program.thread([
            Code::Read(cells[i - 1], 0),
            Code::Write(cells[i], Value::Of(0, 1)),
        ]);
    }
    program
}

/// `n` threads insert four messages each into a hash table of 128 cells (Flanagan and Godefroid,
/// POPL 2005).
pub fn indexer(n: usize) -> Program {
    let mut program = Program::new();
    let table: Vec<_> = (0..128).map(|_| program.variable()).collect();
    for tid in 0..n {
        let mut code = Vec::new();
        for message in 1..=4_usize {
            let word = message * 11 + tid;
            let hash = word * 7 % table.len();
            let tries = 8;
            for probe in 0..tries {
                let cell = table[(hash + probe) % table.len()];
                code.push(Code::Cas(cell, 0, word as u64, 0));
                code.push(Code::SkipIf(0, 1, 2 * (tries - 1 - probe)));
            }
        }
        program.thread(code);
    }
    program
}

/// `n` atomic increments: n! traces.
pub fn increments(n: usize) -> Program {
    let mut program = Program::new();
    let x = program.variable();
    for _ in 0..n {
        program.thread([Code::Add(x, 1, 0)]);
    }
    program
}

/// `n` increments under a lock: n! traces.
pub fn locked_increments(n: usize) -> Program {
    let mut program = Program::new();
    let (lock, x) = (program.lock(), program.variable());
    for _ in 0..n {
        program.thread([
            Code::Lock(lock),
            Code::Read(x, 0),
            Code::Write(x, Value::Of(0, 1)),
            Code::Unlock(lock),
        ]);
    }
    program
}

/// `n` increments that read and then write: (n!)² traces.
pub fn torn_increments(n: usize) -> Program {
    let mut program = Program::new();
    let x = program.variable();
    for _ in 0..n {
        program.thread([Code::Read(x, 0), Code::Write(x, Value::Of(0, 1))]);
    }
    program
}

/// Thread `i` of `n` replaces `i` by `i + 1`: 2, 5, 14, 43, 144, 523, 2048 traces from `n = 2`.
pub fn cas_rotation(n: usize) -> Program {
    let mut program = Program::new();
    let x = program.variable();
    for i in 0..n as u64 {
        program.thread([Code::Cas(x, i, i + 1, 0)]);
    }
    program
}

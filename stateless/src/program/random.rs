//! Random small programs: a few threads, a few operations each, over few objects, so that they
//! often meet.

use super::{Code, Program, Value};
use ltl::random::Rng;

/// A program that belongs to a seed, with at most `size` operations.
pub fn program(seed: u64, size: usize) -> Program {
    let mut rng = Rng::seeded(seed);
    let mut program = Program::new();
    let variables = [program.variable(), program.variable()];
    let locks = [program.lock(), program.lock()];
    let shared = program.shared_lock();
    let semaphore = program.semaphore(rng.below32(2));
    let queue = program.queue();
    let condition = program.condition();
    let capacity = 1 + rng.below32(2);
    let threads = rng.within(2, 4);
    // Each program has a flavour, so that its operations concern each other.
    let flavour = rng.below(8);
    let mut left = size;
    for thread in 0..threads {
        let mut code = Vec::new();
        let share = (left / (threads - thread)).max(1);
        let mut budget = rng.within(1, share);
        left = left.saturating_sub(budget);
        while budget > 0 {
            let x = variables[rng.below(2)];
            let l = locks[rng.below(2)];
            let r = rng.below(3);
            let wild = rng.chance(25);
            let pick = rng.below(5);
            let kind = if wild { rng.below(8) } else { flavour };
            let snippet: Vec<Code> = match (kind, pick) {
                (0, 0) => vec![Code::Read(x, r)],
                (0, 1) => vec![Code::Write(x, Value::Is(rng.next_u64() % 3))],
                (0, 2) => vec![Code::Read(x, r), Code::Write(x, Value::Of(r, 1))],
                (0, 3) => vec![Code::Add(x, 1, r)],
                (0, _) => vec![Code::Read(x, r), Code::SkipIf(r, 0, 1), Code::Add(x, 2, r)],
                (1, 0 | 1) => {
                    let from = rng.next_u64() % 3;
                    vec![Code::Cas(x, from, rng.next_u64() % 3, r)]
                }
                (1, 2) => {
                    let from = rng.next_u64() % 2;
                    vec![
                        Code::Cas(x, from, from + 1, r),
                        Code::SkipIf(r, 1, 1),
                        Code::Read(x, r),
                    ]
                }
                (1, 3) => vec![Code::Add(x, 1, r)],
                (1, _) => vec![Code::Read(x, r), Code::Assert(r, rng.next_u64() % 2)],
                (2, 0) => vec![Code::Lock(l), Code::Unlock(l)],
                (2, 1) => vec![Code::Lock(l), Code::Add(x, 1, r), Code::Unlock(l)],
                (2, 2) => {
                    let other = locks[usize::from(l == locks[0])];
                    vec![
                        Code::Lock(l),
                        Code::Lock(other),
                        Code::Unlock(other),
                        Code::Unlock(l),
                    ]
                }
                (2, 3) => vec![
                    Code::TryLock(l, r),
                    Code::SkipIf(r, 0, 2),
                    Code::Write(x, Value::Is(7)),
                    Code::Unlock(l),
                ],
                (2, _) => vec![Code::Lock(l)],
                (3, 0) => vec![
                    Code::ReadLock(shared),
                    Code::Read(x, r),
                    Code::ReadUnlock(shared),
                ],
                (3, 1) => vec![Code::WriteLock(shared), Code::WriteUnlock(shared)],
                (3, 2) => vec![Code::ReadLock(shared), Code::ReadUnlock(shared)],
                (3, 3) => vec![
                    Code::ReadLock(shared),
                    Code::Signal(semaphore),
                    Code::Wait(semaphore),
                    Code::ReadUnlock(shared),
                ],
                (3, _) => vec![
                    Code::WriteLock(shared),
                    Code::Add(x, 1, r),
                    Code::WriteUnlock(shared),
                ],
                (4, 0 | 1) => vec![Code::Signal(semaphore)],
                (4, 2 | 3) => vec![Code::Wait(semaphore)],
                (4, _) => vec![
                    Code::Wait(semaphore),
                    Code::Add(x, 1, r),
                    Code::Signal(semaphore),
                ],
                (5, 0 | 1) => vec![Code::Send(queue, capacity, Value::Is(rng.next_u64() % 3))],
                (5, 2) => vec![Code::Receive(queue, r)],
                (5, 3) => vec![Code::TryReceive(queue, r)],
                (5, _) => vec![Code::Receive(queue, r), Code::Write(x, Value::Of(r, 0))],
                (6, 0) => vec![
                    Code::Lock(locks[0]),
                    Code::WaitFor(condition, locks[0]),
                    Code::Unlock(locks[0]),
                ],
                (6, 1) => vec![
                    Code::Lock(locks[0]),
                    Code::WaitTimeout(condition, locks[0], r),
                    Code::Unlock(locks[0]),
                ],
                (6, 2) => vec![Code::NotifyOne(condition)],
                (6, 3) => vec![Code::NotifyAll(condition)],
                (6, _) => vec![
                    Code::Lock(locks[0]),
                    Code::NotifyOne(condition),
                    Code::Unlock(locks[0]),
                ],
                (_, 0 | 1) => vec![Code::Toss(2 + rng.below32(2), r)],
                (_, 2) => vec![Code::Toss(2, r), Code::Write(x, Value::Of(r, 0))],
                (_, 3) => vec![Code::Toss(2, r), Code::SkipIf(r, 0, 1), Code::Add(x, 1, r)],
                (_, _) => vec![Code::Toss(3, r), Code::Assert(r, rng.next_u64() % 3)],
            };
            budget = budget.saturating_sub(snippet.len());
            code.extend(snippet);
        }
        program.thread(code);
    }
    if rng.chance(30) {
        let last = program.threads.len() - 1;
        let child = rng.below(last);
        let join = Code::Join(child);
        let at = rng.below(2);
        let parent = &mut program.threads[last];
        if rng.chance(50) {
            parent.insert(0, Code::Start(child));
        }
        // Not between a jump and its target.
        if at == 0 {
            parent.push(join);
        } else {
            parent.insert(parent.len().min(1), join);
        }
    }
    program
}

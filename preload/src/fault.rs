//! Faults on purpose: what `announce` and `program` rely on, left out. `tests/faults.rs` notices each.

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operations of threads that the end of their process cut off.
    ForgetCancelled,
    /// The ends of processes as steps of their own, where somebody waits for any child.
    ForgetZombies,
    /// That a failed attempt on a lock looks at it.
    ForgetAttempts,
    /// That plain accesses to memory are visible.
    ForgetMemory,
}

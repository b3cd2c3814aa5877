//! `std::hint` for code that waits by spinning.

/// Lets other threads run. A loop that spins until something changes has executions of any length:
/// give [`Builder::depth`](crate::Builder::depth), or wait with a condition.
#[track_caller]
pub fn spin_loop() {
    crate::thread::yield_now();
}

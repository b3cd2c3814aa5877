//! The library that is loaded into C programs (`LD_PRELOAD`). It defines the functions of the C
//! library by which threads and processes communicate, tells the explorer what is about to be
//! called, and waits for permission.
//!
//! Nothing here decides what is possible: locks, conditions and semaphores have no state in the
//! program, only an address; the explorer knows whether they can be taken.

#[path = "../src/protocol.rs"]
#[allow(dead_code, unreachable_pub, missing_docs)]
mod protocol;

mod clock;
mod control;
mod crash;
mod ipc;
mod pipe;
mod refused;
mod region;
mod server;
mod sync;
mod sys;
mod thread;
mod tsan;
mod verisoft;

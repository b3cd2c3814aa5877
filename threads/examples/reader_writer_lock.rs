//! A reader-writer lock in one atomic. The broken one tests and then sets; the repaired one does
//! both in one step. Run: `cargo run -p ample-threads --example reader_writer_lock`.

use ample_threads::cell::UnsafeCell;
use ample_threads::sync::Arc;
use ample_threads::sync::atomic::{AtomicU32, Ordering};
use ample_threads::{Report, explore, thread};

const WRITER: u32 = 1 << 31;

/// Readers, or `WRITER`. Nobody waits: an attempt fails.
struct Lock {
    state: AtomicU32,
    data: UnsafeCell<u32>,
    is_broken: bool,
}

// SAFETY: access to the data goes through the lock, and the checked cell reports where the lock is
// wrong.
unsafe impl Sync for Lock {}

impl Lock {
    fn try_change(&self, may: impl Fn(u32) -> bool, to: impl Fn(u32) -> u32) -> bool {
        let state = self.state.load(Ordering::Acquire);
        if !may(state) {
            return false;
        }
        if self.is_broken {
            self.state.store(to(state), Ordering::Release);
            return true;
        }
        let exchange =
            self.state
                .compare_exchange(state, to(state), Ordering::AcqRel, Ordering::Relaxed);
        exchange.is_ok()
    }

    fn write(&self, value: u32) {
        if self.try_change(|state| state == 0, |_| WRITER) {
            // SAFETY: the pointer is valid; the lock is held.
            self.data.with_mut(|data| unsafe { *data = value });
            self.state.fetch_and(!WRITER, Ordering::Release);
        }
    }

    fn read(&self) -> Option<u32> {
        self.try_change(|state| state & WRITER == 0, |state| state + 1)
            .then(|| {
                // SAFETY: the pointer is valid; the lock is held.
                let value = self.data.with(|data| unsafe { *data });
                self.state.fetch_sub(1, Ordering::Release);
                value
            })
    }
}

fn run(is_broken: bool) -> Report {
    explore(move || {
        let lock = Arc::new(Lock {
            state: AtomicU32::new(0),
            data: UnsafeCell::new(0),
            is_broken,
        });
        let writer = lock.clone();
        let reader = lock.clone();
        let threads = [
            thread::spawn(move || writer.write(1)),
            thread::spawn(move || {
                reader.read();
            }),
        ];
        lock.read();
        for thread in threads {
            thread.join().unwrap();
        }
    })
}

fn main() {
    let broken = run(true);
    println!("broken:\n{broken}\n");
    assert!(broken.findings[0].message.starts_with("data race"));
    let repaired = run(false);
    println!("repaired:\n{repaired}");
    assert!(repaired.complete && repaired.findings.is_empty());
}

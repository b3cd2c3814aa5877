//! A work-stealing deque: its owner pushes and pops at one end, thieves steal at the other. When one
//! item is left, owner and thief want the same. The broken one takes it without asking; the
//! repaired one lets a compare-and-exchange decide. Run: `cargo run -p ample-threads --example
//! work_stealing`.

use ample_threads::sync::Arc;
use ample_threads::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use ample_threads::{Critical, FindingKind, Report, explore, thread};

/// Items are numbers above 0.
struct Deque {
    /// The next item to steal.
    top: AtomicUsize,
    /// The place after the last item; only the owner changes it.
    bottom: AtomicUsize,
    items: [AtomicUsize; 4],
    is_broken: bool,
}

impl Deque {
    fn new(is_broken: bool) -> Self {
        Deque {
            top: AtomicUsize::new(0),
            bottom: AtomicUsize::new(0),
            items: Default::default(),
            is_broken,
        }
    }

    fn item(&self, index: usize) -> &AtomicUsize {
        &self.items[index % self.items.len()]
    }

    /// By the owner.
    fn push(&self, item: usize) {
        let bottom = self.bottom.load(SeqCst);
        self.item(bottom).store(item, SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    /// By the owner.
    fn pop(&self) -> Option<usize> {
        let bottom = self.bottom.load(SeqCst).checked_sub(1)?;
        // From here on thieves see one item less.
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if top > bottom {
            self.bottom.store(top, SeqCst);
            return None;
        }
        let item = self.item(bottom).load(SeqCst);
        if top < bottom {
            return Some(item);
        }
        // The last one: a thief may be about to take it.
        let mine = if self.is_broken {
            self.top.store(top + 1, SeqCst);
            true
        } else {
            self.takes(top)
        };
        self.bottom.store(top + 1, SeqCst);
        mine.then_some(item)
    }

    /// By anybody.
    fn steal(&self) -> Option<usize> {
        let top = self.top.load(SeqCst);
        if top >= self.bottom.load(SeqCst) {
            return None;
        }
        let item = self.item(top).load(SeqCst);
        self.takes(top).then_some(item)
    }

    /// Whether this thread is the one that takes the item at the top.
    fn takes(&self, top: usize) -> bool {
        (self.top)
            .compare_exchange(top, top + 1, SeqCst, SeqCst)
            .is_ok()
    }
}

fn run(is_broken: bool) -> Report {
    explore(move || {
        let deque = Arc::new(Deque::new(is_broken));
        deque.push(1);
        deque.push(2);
        let thieves = [0, 1].map(|_| {
            let deque = deque.clone();
            thread::spawn(move || deque.steal())
        });
        let mut taken: Vec<usize> = [deque.pop(), deque.pop()].into_iter().flatten().collect();
        for thief in thieves {
            taken.extend(thief.join().unwrap());
        }
        taken.sort_unstable();
        assert!(
            taken.windows(2).all(|two| two[0] != two[1]),
            "taken twice: {taken:?}"
        );
    })
}

fn main() {
    let broken = run(true);
    println!("broken:\n{broken}\n");
    assert_eq!(broken.findings[0].kind, FindingKind::Failure);
    assert!(matches!(broken.findings[0].critical, Critical::Step(_)));
    let repaired = run(false);
    println!("repaired:\n{repaired}");
    assert!(repaired.complete && repaired.findings.is_empty());
}

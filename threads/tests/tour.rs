//! The tour of `docs/testing-real-code.md`: its Rust code is compiled here as it stands there.

/// The code under test takes its types from the library.
mod counter {
    use ample_threads::sync::atomic::{AtomicU32, Ordering::SeqCst};

    #[derive(Default)]
    pub(crate) struct Counter(AtomicU32);

    impl Counter {
        pub(crate) fn increment(&self) {
            self.0.store(self.0.load(SeqCst) + 1, SeqCst);
        }

        pub(crate) fn get(&self) -> u32 {
            self.0.load(SeqCst)
        }
    }
}

use ample_threads::sync::Arc;
use ample_threads::thread;
use counter::Counter;

fn test() {
    let counter = Arc::new(Counter::default());
    let other = counter.clone();
    let handle = thread::spawn(move || other.increment());
    counter.increment();
    handle.join().unwrap();
    assert_eq!(counter.get(), 2);
}

/// The blocks of the page between fences that begin like this.
fn blocks<'p>(page: &'p str, fence: &str) -> Vec<&'p str> {
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(fence)).collect()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_says_what_happens() {
    let page = include_str!("../../docs/testing-real-code.md");
    let source = words(include_str!("tour.rs"));
    let rust = blocks(page, "rust");
    // The test and the counter are those of this file.
    for block in &rust[1..3] {
        assert!(source.contains(&words(block)), "{block}");
    }
    let report = ample_threads::explore(test);
    let shown = blocks(page, "text")[0].trim();
    let steps = |text: &str| {
        let lines = text.lines().map(str::trim);
        let steps = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        // Without the places, which move.
        steps
            .map(|line| words(line.split(" (").next().unwrap_or(line)))
            .collect::<Vec<_>>()
    };
    let printed = report.findings[0].to_string();
    assert_eq!(steps(shown), steps(&printed), "{printed}");
    let schedule = format!("schedule: {}", report.findings[0].schedule);
    assert!(shown.contains(&schedule), "{printed}");
    assert!(page.contains(&format!("AMPLE_REPLAY='{}'", report.findings[0].schedule)));
}

//! The kernel: full searches of shipped models, in states per second.
//!
//! `cargo bench --bench kernel`. For the comparison with SPIN see `benches/vs_spin`.

use ample::internals::limits::Unwatched;
use ample::internals::search::{Settings, Strategy, search};
use ample::internals::space::System;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use promela_lite::{FsLoader, Input, compile};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

fn kernel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("full search");
    group.sample_size(10);
    for name in ["token_ring", "peterson_n", "snoopy"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.pml"));
        let compiled = compile(&path, &Input::default(), &mut FsLoader);
        let program = Arc::new(compiled.program.expect("the examples compile"));
        let run = || {
            let mut system = System::new(Arc::clone(&program));
            search(
                Strategy::Dfs,
                &mut system,
                &Settings::default(),
                &mut Unwatched,
            )
            .stats
            .stored
        };
        group.throughput(Throughput::Elements(run()));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(run())));
    }
}

criterion_group!(benches, kernel);
criterion_main!(benches);

//! Prints random models: `random SEED` to the terminal, `random FIRST COUNT DIRECTORY` to files.
//!
//! `cargo run --release -p promela-lite --example random -- 0 200 models`

use promela_lite::random;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> u64 {
        let argument = arguments.get(index);
        argument.and_then(|a| a.parse().ok()).unwrap_or(0)
    };
    let Some(directory) = arguments.get(2) else {
        print!("{}", random::swarm(number(0)).with_ltl());
        return Ok(());
    };
    std::fs::create_dir_all(directory)?;
    for seed in number(0)..number(0) + number(1) {
        let path = Path::new(directory).join(format!("m{seed}.pml"));
        std::fs::write(path, random::swarm(seed).with_ltl())?;
    }
    Ok(())
}

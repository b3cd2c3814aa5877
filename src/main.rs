//! The `ample` command.

/// Ends a search with a report when the system refuses memory.
#[global_allocator]
static ALLOCATOR: ample::cli::Allocator = ample::cli::Allocator;

fn main() -> std::process::ExitCode {
    ample::cli::run().into()
}

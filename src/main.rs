//! The `ample` command.

fn main() -> std::process::ExitCode {
    ample::cli::run().into()
}

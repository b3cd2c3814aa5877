//! What is generated from the description of the command line: completions for shells, and manual pages.

use super::output::print_with;
use super::{Exit, command};
use anyhow::Context;
use clap::Args as ClapArgs;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ManArgs {
    /// The folder, which is made if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// `ample completions`.
pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "ample", &mut script);
    print_with(|out| std::io::Write::write_all(out, &script))?;
    Ok(Exit::Holds)
}

/// `ample man`: `ample.1`, and `ample-COMMAND.1` for each command.
pub(super) fn manual(args: &ManArgs) -> anyhow::Result<Exit> {
    let folder = &args.folder;
    let wrong = || format!("cannot write to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(wrong)?;
    let mut ample = command();
    // Names the pages of subcommands after both words.
    ample.build();
    let mut pages = vec![&ample];
    while let Some(described) = pages.pop() {
        pages.extend(described.get_subcommands());
        let name = described.get_display_name().unwrap_or("ample");
        let mut text = Vec::new();
        clap_mangen::Man::new(described.clone()).render(&mut text)?;
        std::fs::write(folder.join(format!("{name}.1")), text).with_context(wrong)?;
    }
    Ok(Exit::Holds)
}

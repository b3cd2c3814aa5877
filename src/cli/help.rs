//! `ample help`: topics and commands; and printing what `--help` asks for.

use super::output::print;
use super::{Exit, command, topics, written};
use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;

#[derive(Debug, ClapArgs)]
pub(super) struct HelpArgs {
    /// A topic or a command; without it both are listed
    #[arg(value_name = "TOPIC", value_parser = PossibleValuesParser::new(words()), hide_possible_values = true)]
    word: Option<String>,
}

/// Every word that `ample help` knows: commands and topics.
fn words() -> Vec<&'static str> {
    let topics = topics::TOPICS.iter().map(|topic| topic.name);
    COMMANDS.iter().copied().chain(topics).collect()
}

/// The commands; a test compares with those that are parsed, which cannot be asked while they are being built.
const COMMANDS: &[&str] = &[
    "bench",
    "check",
    "completions",
    "explain",
    "explore",
    "help",
    "ltl",
    "man",
    "replay",
    "simulate",
    "test",
];

pub(super) fn run(args: &HelpArgs) -> anyhow::Result<Exit> {
    let Some(word) = &args.word else {
        print(&overview())?;
        return Ok(Exit::Holds);
    };
    if let Some(topic) = topics::TOPICS.iter().find(|topic| topic.name == word) {
        print(&topic.text())?;
        return Ok(Exit::Holds);
    }
    match command().try_get_matches_from(["ample", word, "--help"]) {
        Err(help) => print_help(&help),
        Ok(_) => unreachable!("--help is never a command line to be executed"),
    }
}

/// Prints what `--help` or `--version` asks for.
pub(super) fn print_help(help: &clap::Error) -> anyhow::Result<Exit> {
    written(help.print())?;
    Ok(Exit::Holds)
}

/// The commands and the topics.
fn overview() -> String {
    let mut out = command().render_help().to_string();
    out.push_str("\nTopics:\n");
    let width = topics::TOPICS.iter().map(|t| t.name.len()).max();
    let width = width.unwrap_or_default();
    for topic in topics::TOPICS {
        out.push_str(&format!("  {:width$}  {}\n", topic.name, topic.title()));
    }
    out.push_str("\n`ample help TOPIC` explains one of them, `ample help COMMAND` is `ample COMMAND --help`.\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_knows_every_command() {
        let command = command();
        let parsed = command.get_subcommands().map(|c| c.get_name());
        let parsed: Vec<&str> = parsed.collect();
        assert_eq!(parsed, COMMANDS);
        for topic in topics::TOPICS {
            assert!(!parsed.contains(&topic.name), "{}", topic.name);
        }
    }
}

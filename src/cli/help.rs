//! `ample help`: topics and commands; and printing what `--help` asks for.

use super::output::print;
use super::{Exit, command, topics, written};
use clap::builder::{PossibleValuesParser, Str};
use clap::{Args as ClapArgs, Command};

#[derive(Debug, ClapArgs)]
pub(super) struct HelpArgs {
    /// A topic or a command; without it both are listed
    #[arg(value_name = "TOPIC", id = WORD)]
    word: Option<String>,
}

const WORD: &str = "word";

/// Lets `ample help` take the names of commands and topics, and no others.
pub(super) fn with_words(command: Command) -> Command {
    let commands = command.get_subcommands().map(|c| c.get_name().to_owned());
    let topics = topics::TOPICS.iter().map(|topic| topic.name.to_owned());
    let mut words: Vec<Str> = commands.chain(topics).map(Str::from).collect();
    words.sort();
    command.mut_subcommand("help", |help| {
        let parser = PossibleValuesParser::new(words);
        help.mut_arg(WORD, |arg| {
            arg.value_parser(parser).hide_possible_values(true)
        })
    })
}

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
    fn topics_are_no_commands() {
        let command = command();
        for topic in topics::TOPICS {
            assert!(
                command.find_subcommand(topic.name).is_none(),
                "{}",
                topic.name
            );
        }
    }
}

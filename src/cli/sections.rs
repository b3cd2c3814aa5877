//! The sections of `ample check --help`.
//!
//! One table says under which heading an option is shown and whether it is common. `-h` and `--help` show the common ones, which
//! fit on a screen; `--help-all` shows all of them with everything there is to say. The order within a section is that of the
//! declaration in [`super::args`]. Manual pages and shell completions read the same command.

use clap::{Arg, ArgAction, Command};

/// A heading, the common options below it, and the others.
type Section = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const SECTIONS: &[Section] = &[
    (
        "Model",
        &["defines"],
        &[
            "message_format",
            "no_warnings",
            "include_root",
            "call_depth",
            "lossy_sends",
            "ignore_assertions",
            "no_config",
            "syntax_only",
        ],
    ),
    (
        "What to check",
        &["check", "claim", "ltl", "all_errors", "no_end_check"],
        &["dry_run", "ltl_file", "never", "hoa", "non_progress"],
    ),
    ("Fairness", &["fairness"], &["weak", "strong"]),
    (
        "Reduction and passes",
        &["reduction", "why_not", "plain"],
        &[
            "classic_product",
            "no_slice",
            "no_merge",
            "no_dead_variables",
        ],
    ),
    (
        "Search and storage",
        &["store", "shortest", "workers"],
        &[
            "strategy",
            "hash_functions",
            "accept_probabilistic",
            "swarm",
            "seed",
            "spill",
        ],
    ),
    (
        "Limits",
        &["memory", "time"],
        &["depth", "states", "checkpoint", "every", "resume"],
    ),
    (
        "Report",
        &["format", "verbose", "full", "no_trail", "report"],
        &[
            "full_states",
            "automaton",
            "progress",
            "trail",
            "msc",
            "itf",
            "quiet",
            "watch",
        ],
    ),
    (
        "Bounded contexts",
        &[],
        &["contexts", "engine", "bits", "splitting"],
    ),
];

const AFTER: &str = "`ample help` lists topics that are explained.
Exit codes: 0 holds, 1 violated, 2 wrong usage or model, 3 inconclusive, 4 internal error.";

/// Puts the options of `check`, and of `cluster check`, into their sections.
pub(super) fn with_sections(command: Command) -> Command {
    command
        .mut_subcommand("check", sectioned)
        .mut_subcommand("cluster", |cluster| {
            cluster.mut_subcommand("check", sectioned)
        })
}

fn sectioned(check: Command) -> Command {
    check
        .mut_args(|argument| match place(argument.get_id().as_str()) {
            _ if argument.is_positional() => argument,
            Some((heading, common)) => argument.help_heading(heading).hide_short_help(!common),
            None if argument.get_help_heading().is_some() => argument,
            None => argument.help_heading("More").hide_short_help(true),
        })
        .disable_help_flag(true)
        .arg(help("help", ArgAction::HelpShort, "Show the common options").short('h'))
        .arg(help("help-all", ArgAction::HelpLong, "Show all options"))
        .after_help(AFTER)
}

/// The heading of an option, and whether it is common.
fn place(id: &str) -> Option<(&'static str, bool)> {
    SECTIONS.iter().find_map(|(heading, common, others)| {
        let common = common.contains(&id);
        (common || others.contains(&id)).then_some((*heading, common))
    })
}

fn help(name: &'static str, action: ArgAction, about: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(action)
        .help(about)
        .help_heading("Help")
}

#[cfg(test)]
mod tests {
    use super::super::args::Args;
    use super::*;
    use clap::CommandFactory;

    /// Lines of a terminal of usual size, without the prompt.
    const SCREEN: usize = 50;

    #[test]
    fn every_option_is_in_one_section() {
        let plain = Args::command();
        let check = plain.find_subcommand("check").expect("check");
        for argument in check.get_arguments().filter(|a| !a.is_positional()) {
            let id = argument.get_id().as_str();
            let all = SECTIONS.iter().flat_map(|(_, a, b)| a.iter().chain(*b));
            assert_eq!(all.filter(|i| **i == id).count(), 1, "{id}");
        }
    }

    #[test]
    fn common_options_fit_on_a_screen() {
        let mut command = with_sections(Args::command());
        command.build();
        let check = command.find_subcommand_mut("check").expect("check");
        let short = check.render_help().to_string();
        assert!(short.lines().count() <= SCREEN, "{short}");
        let long = check.render_long_help().to_string();
        for (heading, common, others) in SECTIONS {
            assert!(long.contains(&format!("\n{heading}:\n")), "{heading}");
            for id in common.iter().chain(*others) {
                let option = match *id {
                    "defines" => "-D <".to_owned(),
                    id => format!("--{} ", id.replace('_', "-")),
                };
                let shown = |text: &str| text.lines().any(|l| format!("{l} ").contains(&option));
                assert_eq!(shown(&short), common.contains(id), "{option} in {short}");
                assert!(shown(&long), "{option} in {long}");
            }
        }
    }
}

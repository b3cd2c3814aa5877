//! Help and errors of the command line, as people see them.
//!
//! `INSTA_UPDATE=always cargo test --test cli_help` writes the snapshots; read them.

mod support;

use support::cli::{Dir, Run};

const MODEL: &str =
    "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\nltl p { <> (x == 1) }\n";

/// What `ample` says on a terminal of a hundred columns.
fn ample(dir: &Dir, line: &str) -> Run {
    let ample = env!("CARGO_BIN_EXE_ample");
    dir.shell(&format!("COLUMNS=100 {ample} {line}"))
}

/// The commands that `ample help` lists.
fn commands(dir: &Dir) -> Vec<String> {
    let overview = ample(dir, "help").exits(0).out;
    let (_, list) = overview.split_once("Commands:\n").expect("a list");
    let (list, _) = list.split_once("\n\n").expect("an end");
    let names = list.lines().filter(|l| !l.starts_with("   "));
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    names.filter_map(first).collect()
}

#[test]
fn every_command_has_help() {
    let dir = Dir::new("cli_help");
    let names = commands(&dir);
    assert!(names.len() >= 11, "{names:?}");
    for name in &names {
        let help = ample(&dir, &format!("{name} --help")).exits(0);
        assert_eq!(help.err, "");
        insta::assert_snapshot!(format!("help_{name}"), help.out);
        if name != "help" {
            assert_eq!(ample(&dir, &format!("help {name}")).exits(0), help);
        }
        ample(&dir, &format!("{name} -h")).exits(0);
    }
    insta::assert_snapshot!("help_of_all", ample(&dir, "help").exits(0).out);
    insta::assert_snapshot!(
        "help_check_all",
        ample(&dir, "check --help-all").exits(0).out
    );
    insta::assert_snapshot!("help_topic", ample(&dir, "help exit-codes").exits(0).out);
}

#[test]
fn common_options_are_a_screen_and_all_options_more() {
    let dir = Dir::new("cli_help_screen");
    let short = ample(&dir, "check --help").exits(0).out;
    assert_eq!(ample(&dir, "check -h").exits(0).out, short);
    assert!(short.lines().count() <= 50, "{short}");
    let long = ample(&dir, "check --help-all").exits(0).out;
    for rare in ["--hoa", "--splitting", "--hash-functions"] {
        assert!(!short.contains(rare) && long.contains(rare), "{rare}");
    }
}

#[test]
fn every_topic_is_explained() {
    let dir = Dir::new("cli_help_topics");
    let overview = ample(&dir, "help").exits(0).out;
    let (_, list) = overview.split_once("Topics:\n").expect("a list");
    let (list, _) = list.split_once("\n\n").expect("an end");
    let names: Vec<&str> = list
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    assert!(names.len() >= 15, "{names:?}");
    for name in names {
        let text = ample(&dir, &format!("help {name}")).exits(0).out;
        assert!(text.contains(&format!("docs/{name}.md")), "{text}");
    }
}

#[test]
fn errors_say_where_and_what_instead() {
    let dir = Dir::with_model("cli_errors", MODEL);
    dir.put("bad.hoa", "HOA: v1\nStates: x\n");
    dir.put("other.trail", "not a trail\n");
    for (name, line, code) in [
        ("no_command", "", 2),
        ("unknown_command", "chekc m.pml", 2),
        ("unknown_option", "check m.pml --claims p", 2),
        ("unknown_value", "check m.pml --store flat", 2),
        ("unknown_topic", "help reductoin", 2),
        ("unknown_claim", "check m.pml --claim q", 2),
        ("no_file", "check none.pml", 2),
        ("no_size", "check m.pml --memory lots", 2),
        ("cannot_be_combined", "check m.pml --swarm 3 --shortest", 2),
        ("flags_of_spin", "check -a -m10000 m.pml", 2),
        (
            "directive_of_pan",
            "check -DSAFETY m.pml --no-trail --check properties",
            0,
        ),
        ("formula", "check m.pml --ltl '[] (x == '", 2),
        (
            "unknown_name_in_formula",
            "check m.pml --ltl '[] (y == 1)'",
            2,
        ),
        ("automaton", "check m.pml --hoa bad.hoa", 2),
        ("trail", "replay m.pml other.trail", 2),
        ("nothing_to_test", "test m.pml", 2),
        ("no_shell", "completions tcsh", 2),
    ] {
        let run = ample(&dir, line).exits(code);
        assert!(!run.text().contains("panicked"), "{run:?}");
        insta::assert_snapshot!(format!("error_{name}"), run.err);
    }
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let dir = Dir::new("cli_generated");
    let names = commands(&dir);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = ample(&dir, &format!("completions {shell}")).exits(0).out;
        for word in names
            .iter()
            .map(String::as_str)
            .chain(["--fairness", "--hoa"])
        {
            let word = if shell == "fish" {
                word.trim_start_matches('-')
            } else {
                word
            };
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    ample(&dir, "man pages/man1").exits(0);
    let overview = dir.read("pages/man1/ample.1");
    for name in &names {
        assert!(overview.contains(name.as_str()), "{name}");
        let page = dir.read(&format!("pages/man1/ample-{name}.1"));
        assert!(page.contains(".TH"), "{name}");
    }
    let check = dir.read("pages/man1/ample-check.1");
    for part in ["SEARCH AND STORAGE", "hash\\-functions", "fairness"] {
        assert!(
            check.to_uppercase().contains(&part.to_uppercase()),
            "{part}: {check}"
        );
    }
    dir.put("file", "");
    let run = ample(&dir, "man file").exits(2);
    assert!(run.err.contains("cannot write to file"), "{run:?}");
}

#[test]
fn completions_are_scripts_that_bash_reads() {
    let dir = Dir::new("cli_completions");
    dir.put("script", &ample(&dir, "completions bash").exits(0).out);
    let Some(run) = dir.other("bash", &["-n", "script"]) else {
        return;
    };
    assert_eq!(run.exits(0).text(), "");
    // The words that are offered behind `ample check --st`.
    let ask = "source ./script; COMP_WORDS=(ample check --st); COMP_CWORD=2; _ample ample --st check; echo ${COMPREPLY[@]}";
    let run = dir.other("bash", &["-c", ask]).expect("bash");
    assert_eq!(run.exits(0).out, "--strong --strategy --store --states\n");
}

//! What reaches a terminal: no control character of a model or of any other file, colours only
//! where they are wanted, lines within the width.

mod support;

use support::cli::{Dir, Run};

/// Whether a terminal would do anything but draw this.
fn is_clean(text: &str) -> bool {
    let clean = |c: char| {
        matches!(c, '\n' | '\t') || !(c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c))
    };
    text.chars().all(clean)
}

fn assert_clean(run: &Run) {
    assert!(is_clean(&run.out) && is_clean(&run.err), "{run:?}");
}

const EVIL: &str = "\x1b[2J\u{9b}31m\u{202e}\r\x07";

#[test]
fn what_models_print_is_made_visible() {
    let model = format!("active proctype P() {{ printf(\"a\\tb\\n{EVIL}\\n\"); assert(false) }}");
    let dir = Dir::with_model("terminal-printf", &model);
    let run = dir.ample(&["simulate", "m.pml", "--seed", "1", "--moves"]);
    assert_clean(&run);
    assert!(run.out.contains("a\tb\n"), "{run:?}");
    assert!(run.out.contains("\\x1b[2J\\x9b31m\\u{202e}"), "{run:?}");
    assert_clean(&dir.ample_reading(&["simulate", "m.pml", "--interactive"], "1\n1\nq\n"));
    for words in [
        &["check", "m.pml"][..],
        &["check", "-v", "m.pml"],
        &["replay", "m.pml", "m.pml.trail"],
        &["explain", "m.pml"],
        &["explain", "m.pml", "--format", "dot"],
        &["explain", "m.pml", "--format", "json"],
        &["check", "--format", "json", "m.pml"],
    ] {
        let run = dir.ample(words);
        assert_clean(&run);
        if words.contains(&"json") {
            let report = run.json().to_string();
            assert!(
                report.contains("\u{9b}31m\u{202e}"),
                "JSON keeps it: {report}"
            );
        }
    }
}

#[test]
fn names_and_markers_are_made_visible() {
    let dir = Dir::new("terminal-names");
    let name = "evil\x1b[31m\u{9b}.pml";
    dir.put(name, "active proctype P() { assert(false) }");
    assert_clean(&dir.ample(&["check", name]).exits(1));
    dir.put(
        "marker.pml",
        &format!("# 7 \"{EVIL}\"\nactive proctype P() {{ assert(false) }}"),
    );
    assert_clean(&dir.ample(&["check", "marker.pml"]).exits(1));
    assert_clean(
        &dir.ample(&["check", "marker.pml", "--format", "json"])
            .exits(1),
    );
    // Errors of every part.
    dir.put(
        "bad.pml",
        &format!(
            "# 7 \"{EVIL}\"\n/* {EVIL} */ active proctype P() {{ x = 1 }} {EVIL}\n#error {EVIL}"
        ),
    );
    dir.put("evil.trail", &format!("{EVIL}:0:0\n"));
    dir.put("evil.json", &format!("{{ \"format\": \"{EVIL}\" }}"));
    dir.put("evil.hoa", &format!("HOA: v1\nname: \"{EVIL}\"\n{EVIL}"));
    dir.put("ok.pml", "byte x; active proctype P() { x = 1 }");
    let formula = format!("[] ({EVIL} x");
    for words in [
        &["check", "bad.pml"][..],
        &["check", "bad.pml", "--message-format", "json"],
        &["check", EVIL],
        &["check", "ok.pml", EVIL],
        &["check", "ok.pml", "--ltl", &formula],
        &["check", "ok.pml", "--hoa", "evil.hoa"],
        &["check", "ok.pml", "--never", EVIL],
        &["check", "ok.pml", "--claim", EVIL],
        &["check", "ok.pml", "--memory", EVIL],
        &["replay", "ok.pml", "evil.trail"],
        &["replay", "ok.pml", "evil.json"],
        &["ltl", &formula],
        &["bench", EVIL],
    ] {
        assert_clean(&dir.ample(words).exits(2));
    }
}

#[test]
fn colours_are_as_the_environment_says() {
    let dir = Dir::with_model(
        "terminal-colours",
        &format!("active proctype P() {{ x = 1 }} /* {EVIL} */ y"),
    );
    let ample = env!("CARGO_BIN_EXE_ample");
    let colored = |environment: &str| {
        let run = dir.shell(&format!(
            "env -u NO_COLOR -u CLICOLOR {environment} '{ample}' check m.pml"
        ));
        let without_style: String =
            run.err
                .split("\x1b[")
                .enumerate()
                .fold(String::new(), |text, (index, part)| {
                    text + if index == 0 {
                        part
                    } else {
                        part.split_once('m').map_or(part, |(_, rest)| rest)
                    }
                });
        assert!(is_clean(&without_style), "{run:?}");
        run.exits(2).err.contains("\x1b[")
    };
    assert!(!colored("TERM=xterm"));
    assert!(colored("TERM=dumb CLICOLOR_FORCE=1"));
    assert!(!colored("CLICOLOR_FORCE=0"));
    assert!(!colored("CLICOLOR_FORCE=1 NO_COLOR=1"));
}

/// On a terminal, made by util-linux' `script`: steps aside where there is none.
#[test]
fn progress_fits_narrow_terminals() {
    let model = "int x, y; active proctype P() { do :: x++; x != -7 od } active proctype Q() { do :: y++; y != -7 od }";
    let dir = Dir::with_model("terminal-narrow", model);
    if dir.other("script", &["--version"]).is_none() {
        println!("skipped: script is not installed");
        return;
    }
    let ample = env!("CARGO_BIN_EXE_ample");
    let run = |environment: &str, options: &str| {
        let command = format!(
            "stty cols 30 rows 10; {environment} {ample} check --check safety --time 2s --memory 400M {options} m.pml >/dev/null"
        );
        dir.shell(&format!("script -qec '{command}' /dev/null")).out
    };
    let shown = run("TERM=xterm", "");
    let lines: Vec<&str> = shown.split("\r\x1b[K").collect();
    assert!(
        lines.len() > 2 && lines.iter().any(|line| line.contains("states")),
        "{shown:?}"
    );
    assert!(
        lines
            .iter()
            .all(|line| line.trim_end().chars().count() < 30),
        "{lines:?}"
    );
    assert!(!run("TERM=dumb", "").contains('\x1b'));
    assert!(run("TERM=dumb", "--progress").contains("states"));
}

#[test]
fn sizes_have_a_unit_that_fits() {
    let model = "int x, y; active proctype P() { do :: x++; x != -7 od } active proctype Q() { do :: y++; y != -7 od }";
    let dir = Dir::with_model("terminal-sizes", model);
    for (size, shown) in [("100K", "100.0 KiB"), ("3M", "3.0 MiB")] {
        let run = dir
            .ample(&["check", "--check", "safety", "--memory", size, "m.pml"])
            .exits(3);
        assert!(
            run.out
                .contains(&format!("memory limit of {shown} reached")),
            "{run:?}"
        );
    }
}

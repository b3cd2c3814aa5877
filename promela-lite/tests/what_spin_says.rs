//! What SPIN says about small programs, most of them wrong, and what we say.
//!
//! The table `what_spin_says.txt` is the record: what SPIN refuses we refuse, what it warns about we warn about, and
//! each exception has its reason there. The second test asks SPIN itself whether the record is true.

#[path = "support/spin.rs"]
mod spin;

use promela_lite::{Input, MemoryLoader, Severity, compile};
use std::collections::BTreeSet;
use std::path::Path;

struct Row<'t> {
    name: &'t str,
    spin: &'t str,
    codes: &'t str,
    program: &'t str,
    why: Option<&'t str>,
}

fn table() -> Vec<Row<'static>> {
    let mut rows: Vec<Row<'static>> = Vec::new();
    let mut lines = include_str!("what_spin_says.txt").lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            continue;
        }
        if let Some(why) = line.strip_prefix("    why: ") {
            rows.last_mut().expect("a row before its reason").why = Some(why);
            continue;
        }
        let (name, verdicts) = line.split_once(": ").expect("NAME: VERDICT CODES");
        let (spin, codes) = verdicts.split_once(' ').expect("VERDICT CODES");
        let program = lines.next().expect("a program").trim_start();
        rows.push(Row {
            name,
            spin,
            codes,
            program,
            why: None,
        });
    }
    rows
}

/// The codes of all that we say about a program, or `-`.
fn our_codes(program: &str) -> String {
    let mut loader = MemoryLoader::default().with("m.pml", format!("{program}\n"));
    let compiled = compile(Path::new("m.pml"), &Input::default(), &mut loader);
    let all = compiled.diagnostics.sorted();
    let refused = all.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(refused, compiled.program.is_none(), "{program}");
    let codes: BTreeSet<&str> = all.iter().map(|d| d.code.name()).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    if codes.is_empty() {
        "-".to_string()
    } else {
        codes.join(",")
    }
}

fn verdict(codes: &str) -> &'static str {
    match codes {
        "-" => "accepted",
        _ if codes.contains('E') => "refused",
        _ => "warned",
    }
}

#[test]
fn we_say_what_the_table_says() {
    let rows = table();
    let mut wrong = Vec::new();
    for row in &rows {
        let codes = our_codes(row.program);
        if codes != row.codes {
            wrong.push(format!(
                "{}: {codes} instead of {}\n    {}",
                row.name, row.codes, row.program
            ));
        }
    }
    println!("{} programs", rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_difference_has_a_reason() {
    let mut differences = 0;
    for row in table() {
        let ours = verdict(row.codes);
        let differs = match row.spin {
            "refused" => ours != "refused",
            "warned" => ours != "warned",
            "accepted" => ours == "refused",
            other => panic!("{}: {other} is no verdict", row.name),
        };
        assert_eq!(differs, row.why.is_some(), "{}", row.name);
        differences += usize::from(differs);
    }
    println!("{differences} deliberate differences");
}

#[test]
fn spin_says_what_the_table_says() {
    if !spin::available(&["spin"]) {
        return;
    }
    let rows = table();
    let verdicts = spin::in_parallel(&rows, |row| {
        let folder = spin::Folder::new();
        let file = folder.path().join("m.pml");
        std::fs::write(&file, format!("{}\n", row.program)).expect("a file");
        match spin::generate(&folder, Path::new("m.pml"), &[]) {
            Err(_) => "refused",
            Ok(said) if said.lines().any(complains) => "warned",
            Ok(_) => "accepted",
        }
    });
    let wrong: Vec<String> = rows
        .iter()
        .zip(verdicts)
        .filter(|(row, verdict)| row.spin != *verdict)
        .map(|(row, verdict)| format!("{}: SPIN {verdict}, not {}", row.name, row.spin))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a line that SPIN prints is more than an echo of a formula or a hint about several claims.
fn complains(line: &str) -> bool {
    let line = line.trim_start();
    let chatter = [
        "ltl ",
        "the model contains",
        "only one claim",
        "choose which",
        "or use e.g.",
    ];
    !line.is_empty() && !chatter.iter().any(|start| line.starts_with(start))
}

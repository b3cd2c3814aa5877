//! The command `bench`, from words on the command line to table and picture.

mod support;

use serde_json::Value;
use support::cli::{Dir, Run};
use support::spin::spin_is_there;

/// Small sizes of models that the command carries.
const SMALL: [&str; 3] = ["sieve:N=3", "abp:B=1,ITEMS=2", "dtp:K=2,B=2"];

/// A model of its own, without properties, where no reduction is possible.
const WATCHED: &str = "byte x; active [2] proctype P() { x++; x-- } active proctype Q() priority 3 { (x == 0) -> skip }";

fn bench(name: &str, args: &[&str]) -> Run {
    Dir::with_model(name, WATCHED).ample(&[&["bench"], args].concat())
}

/// Puts `_` for what differs from run to run, or changes whenever the reduction becomes better: every number but the states
/// and transitions of the full search, and what the paper has.
fn blanked(table: &str) -> String {
    let line = |line: &str| {
        let mut cells: Vec<&str> = line.split(" | ").collect();
        let last = cells.len() - 1;
        if last > 5 && cells[3].starts_with(|c: char| c.is_ascii_digit()) {
            cells[5..last].fill("_");
        }
        cells.join(" | ")
    };
    table.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_table_of_small_models() {
    let args = [&SMALL[..], &["--format", "markdown"]].concat();
    let run = bench("bench_table", &args).exits(0);
    insta::assert_snapshot!(blanked(&run.out));
    assert_eq!(run.err, "", "progress is for terminals");
}

#[test]
fn a_model_of_ones_own_is_measured_for_safety() {
    let run = bench("bench_own", &["m.pml", "--format", "json"]).exits(0);
    let row = &run.json()["rows"][0];
    assert_eq!(
        (&row["model"], &row["property"]),
        (&"m".into(), &"safety".into())
    );
    assert_eq!(row["full"]["states"], row["reduced"]["states"]);
    let note = row["note"].as_str().unwrap();
    assert!(
        note.starts_with("the reduction is off: priorities"),
        "{note}"
    );
}

#[test]
fn all_forms_have_the_same_figures() {
    let form = |form: &str| {
        bench("bench_forms", &[SMALL[0], "--format", form])
            .exits(0)
            .out
    };
    let object: Value = serde_json::from_str(&form("json")).unwrap();
    let row = &object["rows"][0];
    let states = [&row["full"]["states"], &row["reduced"]["states"]].map(|n| n.as_u64().unwrap());
    let csv = form("csv");
    let mut lines = csv.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let (head, cells) = (lines.next().unwrap(), lines.next().unwrap());
    assert_eq!(head.len(), cells.len());
    let cell = |name: &str| cells[head.iter().position(|h| *h == name).unwrap()];
    for (name, states) in ["full_states", "reduced_states"].iter().zip(states) {
        assert_eq!(cell(name), states.to_string());
        assert!(form("text").contains(&format!(" {states} ")), "{name}");
    }
}

#[test]
fn the_cost_where_there_is_nothing_to_reduce() {
    let models = ["counter:N=2,LIMIT=5", "mailbox:N=2,B=2"];
    for property in ["progress", "safety"] {
        let options = [
            "--overhead",
            "--repeat",
            "2",
            "--format",
            "json",
            "--property",
            property,
        ];
        let run = bench("bench_overhead", &[&models[..], &options].concat()).exits(0);
        for row in run.json()["rows"].as_array().unwrap() {
            assert_eq!(row["full"]["states"], row["reduced"]["states"], "{row}");
            assert_eq!(
                row["full"]["transitions"], row["reduced"]["transitions"],
                "{row}"
            );
        }
    }
    let run = bench(
        "bench_overhead",
        &[models[0], "--overhead", "--repeat", "1"],
    )
    .exits(0);
    assert!(run.out.contains(" %"), "{}", run.out);
}

#[test]
fn exit_codes() {
    for (args, code, said) in [
        (&["sieve:N=5", "--memory", "100K"][..], 3, ""),
        (&["nowhere.pml"], 2, "cannot read nowhere.pml"),
        (
            &["sieve:N=3", "--property", "nothing"],
            2,
            "sieve states no property nothing; it has: progress",
        ),
        (
            &["m.pml", "--property", "nothing"],
            2,
            "only safety can be measured",
        ),
        (&["sieve:N=x"], 2, "error["),
        (&["sieve", "--repeat", "0"], 2, "--repeat"),
    ] {
        let run = bench("bench_exits", args).exits(code);
        assert!(run.err.contains(said), "{run:?}");
    }
}

#[test]
fn what_was_stopped_is_marked() {
    let run = bench("bench_stopped", &["sieve:N=5", "--memory", "100K"]).exits(3);
    assert!(run.out.contains("> "), "{}", run.out);
}

#[test]
fn the_picture_is_well_formed() {
    let dir = Dir::new("bench_svg");
    let args = [&["bench"][..], &SMALL, &["--svg", "bars.svg"]].concat();
    dir.ample(&args).exits(0);
    let picture = dir.read("bars.svg");
    let bars = well_formed(&picture, "rect");
    // The background, two in the legend, two per model.
    assert_eq!(bars, 1 + 2 + 2 * SMALL.len());
    for text in ["sieve", "abp", "dtp", "logarithmic", "×)"] {
        assert!(picture.contains(text), "{text}");
    }
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
}

/// Checks that elements are closed in the order in which they are opened and that attributes are quoted; counts the
/// elements of that name.
fn well_formed(text: &str, name: &str) -> usize {
    let (mut open, mut count) = (Vec::new(), 0);
    for part in text.split('<').skip(1) {
        let (tag, content) = part.split_once('>').expect("a tag ends");
        assert!(!content.contains('>'), "{part}");
        for entity in content.split('&').skip(1) {
            assert!(entity.contains(';'), "{part}");
        }
        let element = tag
            .split([' ', '/'])
            .find(|w| !w.is_empty())
            .expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(element), "{part}");
            continue;
        }
        assert_eq!(
            tag.matches('"').count(),
            2 * tag.matches('=').count(),
            "{tag}"
        );
        count += usize::from(element == name);
        if !tag.ends_with('/') {
            open.push(element);
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    count
}

#[test]
fn spins_figures_stand_beside_ours() {
    let dir = Dir::new("bench_spin");
    if !spin_is_there() {
        return;
    }
    for property in ["safety", "progress"] {
        let args = [
            "bench",
            "sieve:N=3",
            "--spin",
            "--format",
            "json",
            "--property",
            property,
        ];
        let run = dir.ample(&args).exits(0);
        let spin = &run.json()["rows"][0]["spin"];
        let states = |which: &str| spin[which]["states"].as_u64().unwrap();
        assert!(states("full") > states("reduced"), "{spin}");
        if property == "safety" {
            let ours = run.json()["rows"][0]["full"]["states"].as_u64();
            assert_eq!(ours, Some(states("full")));
        }
    }
}

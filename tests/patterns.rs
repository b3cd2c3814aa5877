//! The pictures of `docs/properties.md`: of each formula a run that satisfies it and one that violates it.
//!
//! A picture is made a model with that run and no other, and `ample check` is asked, with its passes and without.

mod support;

use std::path::Path;
use support::cli::Dir;

/// A condition of a picture, and where it is true.
type Row = (String, Vec<bool>);

/// One run of a picture: its conditions, and the column at which what repeats begins.
#[derive(Debug)]
struct Run {
    holds: bool,
    rows: Vec<Row>,
    repeats: usize,
}

impl Run {
    /// A model that does this and nothing else.
    fn model(&self) -> String {
        let columns = self.rows[0].1.len();
        let mut text: String = self
            .rows
            .iter()
            .map(|(name, values)| format!("bit {name} = {};\n", u8::from(values[0])))
            .collect();
        let step = |to: usize| {
            let set = self
                .rows
                .iter()
                .map(|(name, values)| format!("{name} = {}", u8::from(values[to])));
            format!("  d_step {{ {} }};\n", set.collect::<Vec<_>>().join("; "))
        };
        text.push_str("active proctype Run() {\n");
        text.extend((1..=self.repeats).map(step));
        text.push_str("  do ::\n");
        text.extend((self.repeats + 1..columns).map(step));
        text.push_str(&step(self.repeats));
        text + "  od\n}\n"
    }
}

/// The formulas of the page, each with the runs of its picture.
fn pictures(page: &str) -> Vec<(String, Vec<Run>)> {
    let mut pictures = Vec::new();
    for section in page.split("\n### ").skip(1) {
        let mut formula = String::new();
        let mut runs: Vec<Run> = Vec::new();
        for line in section.lines().skip(1) {
            if line.starts_with("## ") {
                break;
            }
            let is_code = line.len() > 2 && line.starts_with('`') && line.ends_with('`');
            if is_code && !line.starts_with("```") && formula.is_empty() {
                formula = line.trim_matches('`').to_owned();
            }
            if !line.contains(['■', '□']) {
                continue;
            }
            let (before, repeated) = line.split_once('|').expect("what repeats");
            let truth = |text: &str| -> Vec<bool> {
                let cells = text.chars().filter(|c| "■□".contains(*c));
                cells.map(|c| c == '■').collect()
            };
            let mut values = truth(before);
            let repeats = values.len();
            values.extend(truth(repeated));
            let mut words = before.split_whitespace();
            let mut name = words.next().expect("a name");
            if ["holds", "violated"].contains(&name) {
                runs.push(Run {
                    holds: name == "holds",
                    rows: Vec::new(),
                    repeats,
                });
                name = words.next().expect("a condition");
            }
            let run = runs.last_mut().expect("a first row");
            assert_eq!(run.repeats, repeats, "{section}");
            run.rows.push((name.to_owned(), values));
        }
        if !runs.is_empty() {
            pictures.push((formula, runs));
        }
    }
    pictures
}

#[test]
fn pictures_are_right() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/properties.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let pictures = pictures(&page);
    assert!(pictures.len() >= 18, "{}", pictures.len());
    let dir = Dir::new("patterns");
    for (formula, runs) in pictures {
        let kinds: Vec<bool> = runs.iter().map(|run| run.holds).collect();
        assert_eq!(kinds, [true, false], "{formula}");
        for run in runs {
            let model = run.model();
            dir.put("m.pml", &model);
            for option in ["--plain", "--no-warnings"] {
                let args = ["check", "m.pml", "--no-trail", "--ltl", &formula, option];
                let checked = dir.ample(&args);
                let code = if run.holds { 0 } else { 1 };
                assert_eq!(checked.code, code, "{formula} on\n{model}{checked:?}");
            }
        }
    }
}

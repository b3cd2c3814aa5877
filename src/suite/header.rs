//! What a model says about itself in its first comment.
//!
//! ```text
//! /*
//!  * Any prose.
//!  *
//!  * expect: safety holds, 1520 states
//!  * expect: mutex violated, assertion
//!  * expect-weak: served holds
//!  * options: --no-end-check -D N=3
//!  */
//! ```
//!
//! - `expect: GOAL VERDICT`: a goal by the name that reports give it, or `model` for the verdict of the whole check (unless
//!   a goal has that name); the verdict is `holds`, `violated` or `inconclusive`. `N states` behind it is the number of
//!   states of a plain search by one worker; any other text must occur in the kind or the message of the first violation.
//! - `expect-weak:`, `expect-strong:`, `expect-f:`: the same under that fairness.
//! - `expect: model refused`: the model has an error.
//! - `options: …`: further options, as on the command line of `ample check`.
//!
//! Everything else is prose. A line that begins with `expect` and cannot be read is an error, so that no misspelt expectation is
//! passed over.

/// The runs that count for an expectation.
pub(crate) const FAIRNESS: [(&str, &str); 4] = [
    ("expect", "none"),
    ("expect-weak", "weak"),
    ("expect-strong", "strong"),
    ("expect-f", "f"),
];

/// The name that stands for the whole check.
pub(crate) const WHOLE: &str = "model";

/// One expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The goal by its name, or [`WHOLE`].
    pub(crate) goal: String,
    /// What `--fairness` is to be.
    pub(crate) fairness: &'static str,
    /// The verdict, in the word of the JSON report.
    pub(crate) verdict: String,
    /// States of a plain search by one worker.
    pub(crate) states: Option<u64>,
    /// Part of the kind or the message of the first violation.
    pub(crate) detail: Option<String>,
}

/// Everything that a model says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// What is expected of goals.
    pub(crate) expected: Vec<Expected>,
    /// Whether the model has an error.
    pub(crate) refused: bool,
    /// Further options of the check.
    pub(crate) options: Vec<String>,
}

impl Header {
    /// Whether nothing is expected.
    pub(crate) fn is_empty(&self) -> bool {
        self.expected.is_empty() && !self.refused
    }
}

/// Reads the first comment of a model; an error names the line that cannot be read.
pub(crate) fn read(text: &str) -> Result<Header, String> {
    let mut header = Header::default();
    for line in first_comment(text) {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        let fairness = FAIRNESS.iter().find(|(name, _)| *name == key);
        match (key, fairness) {
            ("options", _) => header.options.extend(options(value)?),
            ("expect", _) if value == "model refused" => header.refused = true,
            (_, Some((_, fairness))) => header.expected.push(expected(value, fairness)?),
            _ if key.starts_with("expect") && !key.contains(' ') => {
                return Err(format!("`{key}:` is none of {}", names()));
            }
            _ => {}
        }
    }
    match header.refused && !header.expected.is_empty() {
        true => Err("a model that is refused has no verdicts".to_owned()),
        false => Ok(header),
    }
}

fn names() -> String {
    FAIRNESS.map(|(name, _)| format!("`{name}:`")).join(", ")
}

/// The lines of the comment that the text begins with, without what marks it as one.
fn first_comment(text: &str) -> Vec<&str> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(rest) = text.strip_prefix("/*") {
        let end = rest.find("*/").unwrap_or(rest.len());
        let lines = rest[..end].lines();
        return lines
            .map(|l| l.trim().trim_start_matches('*').trim())
            .collect();
    }
    let lines = text.lines().map(|line| line.trim().strip_prefix("//"));
    lines.map_while(|line| line.map(str::trim)).collect()
}

fn options(value: &str) -> Result<Vec<String>, String> {
    match value.starts_with('-') {
        true => Ok(value.split_whitespace().map(str::to_owned).collect()),
        false => Err(format!("`options: {value}`: options begin with a dash")),
    }
}

fn expected(value: &str, fairness: &'static str) -> Result<Expected, String> {
    let wrong = || format!("`{value}` is not of the form GOAL holds|violated|inconclusive[, …]");
    let mut details = value.split(", ");
    let first = details.next().unwrap_or_default();
    let (goal, verdict) = first.rsplit_once(' ').ok_or_else(wrong)?;
    if !["holds", "violated", "inconclusive"].contains(&verdict) {
        return Err(wrong());
    }
    let mut expected = Expected {
        goal: goal.trim().to_owned(),
        fairness,
        verdict: verdict.to_owned(),
        states: None,
        detail: None,
    };
    for detail in details {
        match detail.strip_suffix(" states") {
            Some(number) => {
                let digits = number.replace(',', "");
                expected.states = Some(digits.parse().map_err(|_| wrong())?);
            }
            None => expected.detail = Some(detail.to_owned()),
        }
    }
    Ok(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(goal: &str, fairness: &'static str, verdict: &str) -> Expected {
        Expected {
            goal: goal.to_owned(),
            fairness,
            verdict: verdict.to_owned(),
            states: None,
            detail: None,
        }
    }

    #[test]
    fn both_kinds_of_comment_are_read() {
        let block = "/*\n * Prose: expectations below.\n *\n * expect: safety holds, 12 states\n * expect-weak: p holds\n\
             * options: -D N=3 --plain\n */\nbyte x;";
        let line = "// Prose.\n// expect: safety holds, 12 states\n// expect-weak: p holds\n\
            // options: -D N=3 --plain\nbyte x; // expect: p violated\n";
        let due = Header {
            expected: vec![
                Expected {
                    states: Some(12),
                    ..one("safety", "none", "holds")
                },
                one("p", "weak", "holds"),
            ],
            refused: false,
            options: ["-D", "N=3", "--plain"].map(str::to_owned).to_vec(),
        };
        assert_eq!(read(block), Ok(due.clone()));
        assert_eq!(read(line), Ok(due));
        assert_eq!(read("byte x; /* expect: p holds */"), Ok(Header::default()));
        assert!(read("/* expect: model refused */").unwrap().refused);
        let detail = read("/* expect: safety violated, division by zero */").unwrap();
        assert_eq!(
            detail.expected[0].detail.as_deref(),
            Some("division by zero")
        );
    }

    #[test]
    fn nothing_misspelt_is_passed_over() {
        for text in [
            "/* expect: safety hold */",
            "/* expect: holds */",
            "/* expect: */",
            "/* expects: safety holds */",
            "/* expect-fair: p holds */",
            "/* expect: p holds, many states */",
            "/* options: no reduction */",
            "/* expect: model refused\n expect: p holds */",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

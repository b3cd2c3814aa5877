//! Asking SPIN about a property.

use crate::support::cli::Dir;
use std::path::Path;

const TOO_DEEP: &str = "max search depth too small";

/// What is asked about a model.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question<'q> {
    /// An `ltl` block.
    Ltl(&'q str),
    /// An `ltl` block under weak fairness.
    Fairly(&'q str),
    /// Its only `never` claim.
    Never,
    /// Its `accept` labels.
    Accept,
    /// Its `progress` labels.
    Progress,
}

impl Question<'_> {
    /// What the verifier must be compiled with.
    pub(crate) fn flags(self) -> &'static [&'static str] {
        match self {
            Question::Ltl(_) | Question::Fairly(_) | Question::Never => &[],
            Question::Accept => &["-DNOCLAIM"],
            Question::Progress => &["-DNP"],
        }
    }
}

/// A verifier made by SPIN, without reduction or any other optimisation.
pub(crate) struct Verifier {
    folder: Dir,
}

impl Verifier {
    /// `None` when SPIN does not make one within 20 seconds.
    pub(crate) fn build(model: &Path, flags: &[&str]) -> Option<Verifier> {
        Verifier::build_with(model, "", flags)
    }

    /// The same with options for SPIN.
    pub(crate) fn build_with(model: &Path, options: &str, flags: &[&str]) -> Option<Verifier> {
        let verifier = Verifier {
            folder: Dir::copy_of(model),
        };
        let script = format!(
            "timeout 20 spin -o1 -o2 -o3 {options} -a {} >/dev/null && gcc -w -O1 -DNOREDUCE -DVECTORSZ=4096 {} -o pan pan.c",
            model.file_name()?.to_string_lossy(),
            flags.join(" ")
        );
        verifier.run(&script).map(|_| verifier)
    }

    /// What a command prints; `None` if it fails.
    fn run(&self, script: &str) -> Option<String> {
        let run = self.folder.shell(script);
        (run.code == 0).then_some(run.out)
    }

    /// What the verifier prints, even if it does not end well.
    pub(crate) fn pan(&self, options: &str) -> String {
        let script = format!("timeout 120 ./pan {options}; true");
        self.run(&script).unwrap_or_default()
    }

    /// A file that SPIN left beside the verifier.
    pub(crate) fn file(&self, name: &str) -> String {
        self.folder.read(name)
    }

    /// Whether the property is violated; `None` when the search is not completed, or a model error comes first.
    pub(crate) fn ask(&self, question: Question<'_>) -> Option<bool> {
        let mode = match question {
            Question::Ltl(name) => format!("-a -N {name}"),
            Question::Fairly(name) => format!("-a -f -N {name}"),
            Question::Never | Question::Accept => "-a".to_owned(),
            Question::Progress => "-l".to_owned(),
        };
        let search = |depth| self.run(&format!("timeout 120 ./pan -m{depth} -n {mode}"));
        let mut text = search(20_000)?;
        if text.contains(TOO_DEEP) {
            text = search(3_000_000)?;
        }
        if let Some(error) = text.lines().find(|l| l.starts_with("pan:1:")) {
            let expected = match question {
                // The claims of safety formulas are assertions.
                Question::Ltl(_) | Question::Fairly(_) => {
                    ["acceptance cycle", "assertion violated  !("]
                }
                Question::Never => ["end state in claim reached", "assertion violated"],
                Question::Accept => ["acceptance cycle"; 2],
                Question::Progress => ["non-progress cycle"; 2],
            };
            let cycle = question == Question::Never && error.contains("acceptance cycle");
            return (cycle || expected.iter().any(|e| error.contains(e))).then_some(true);
        }
        let complete = text.contains("errors: 0") && !text.contains(TOO_DEEP);
        complete.then_some(false)
    }
}

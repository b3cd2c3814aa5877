//! For hands that know SPIN: what its flags are called here, or why they are not needed.
//!
//! Two tables: flags of `spin` and `pan`, which are explained when a command line with one of them is not understood; and
//! directives that are compiled into `pan`, which look like macros of the model and are remarked upon when the model has no such
//! macro. `docs/from-spin.md` has the same tables in full.

use std::collections::HashMap;
use std::path::PathBuf;

/// A flag as SPIN knows it, and what to do here. A flag that takes a number or a name directly behind it ends in `N`.
const FLAGS: &[(&str, &str)] = &[
    (
        "-a",
        "not needed: `ample check` always checks accept labels and properties, and generates no code",
    ),
    ("-search", "`ample check MODEL` does all of it at once"),
    ("-run", "`ample check MODEL` does all of it at once"),
    ("-replay", "`ample replay MODEL TRAIL`"),
    ("-t", "`ample replay MODEL TRAIL`"),
    (
        "-k",
        "`ample replay MODEL TRAIL` (spin -k FILE); `--hash-functions N` with `--store bitstate` (pan -kN)",
    ),
    ("-p", "`ample simulate MODEL --moves`"),
    (
        "-g",
        "`ample simulate MODEL --moves` shows values that change; `--full-states` of `replay` all of them",
    ),
    (
        "-l",
        "`--non-progress` (pan -l); `ample simulate MODEL --moves` shows local variables (spin -l)",
    ),
    ("-s", "`ample simulate MODEL --msc`"),
    ("-r", "`ample simulate MODEL --msc`"),
    (
        "-c",
        "`ample simulate MODEL --msc` (spin -c); `--all-errors` (pan -cN)",
    ),
    (
        "-M",
        "`--msc FILE` of `check` and `replay` draws a chart as SVG",
    ),
    (
        "-i",
        "`ample simulate MODEL --interactive` (spin -i); `--shortest` (pan -i)",
    ),
    ("-I", "`--shortest`"),
    (
        "-nN",
        "`ample simulate MODEL --seed N` (spin -nN); not needed (pan -n)",
    ),
    ("-uN", "`ample simulate MODEL --steps N`"),
    (
        "-m",
        "`--depth N` limits paths (pan -mN), without it there is no limit; `--lossy-sends` (spin -m)",
    ),
    ("-mN", "`--depth N`; without it there is no limit"),
    (
        "-w",
        "not needed: the store grows as it has to; `--memory SIZE` limits it",
    ),
    (
        "-wN",
        "not needed: the store grows as it has to; `--memory SIZE` limits it",
    ),
    (
        "-N",
        "`--claim NAME` (pan -N NAME); `--never FILE` (spin -N FILE)",
    ),
    (
        "-A",
        "`--ignore-assertions`; `--check properties` leaves out the whole search for safety violations",
    ),
    ("-E", "`--no-end-check`"),
    ("-e", "`--all-errors`"),
    (
        "-f",
        "`--fairness weak` (pan -f); `ample ltl FORMULA` (spin -f FORMULA)",
    ),
    ("-F", "`--ltl-file FILE`"),
    (
        "-b",
        "not needed: a search that was cut is inconclusive, never \"no errors\"",
    ),
    ("-d", "`ample explain MODEL`"),
    ("-o1", "`--no-dead-variables`"),
    (
        "-o2",
        "not needed: no variable is left out of the state for being written only",
    ),
    ("-o3", "`--no-merge`"),
    ("-bfs", "`--strategy bfs`"),
    (
        "-bfspar",
        "several workers take part by themselves; `--workers N`",
    ),
    ("-bitstate", "`--store bitstate`"),
    ("-hc", "`--store compact`"),
    ("-collapse", "`--store compressed`"),
    ("-ltl", "`--claim NAME`"),
    ("-noreduce", "`--reduction none`"),
    ("-swarm", "`--swarm`"),
];

/// A directive of `pan`, and what to do here.
const DIRECTIVES: &[(&str, &str)] = &[
    ("SAFETY", "`--check safety`"),
    ("BITSTATE", "`--store bitstate`"),
    ("HC", "`--store compact`"),
    ("HC4", "`--store compact`"),
    ("COLLAPSE", "`--store compressed`"),
    ("MA", "`--store compressed`"),
    (
        "VECTORSZ",
        "not needed: states have whatever size they need",
    ),
    ("MEMLIM", "`--memory SIZE`"),
    ("NOREDUCE", "`--reduction none`"),
    ("NP", "`--non-progress`"),
    (
        "NOFAIR",
        "not needed: fairness is only used with `--fairness`",
    ),
    (
        "NFAIR",
        "not needed: any number of processes can be treated fairly",
    ),
    ("BFS", "`--strategy bfs`"),
    ("BFS_PAR", "`--strategy bfs`"),
    ("NCORE", "`--workers N`"),
    ("NOCLAIM", "`--check safety`"),
    ("REACH", "`--shortest`"),
    (
        "XUSAFE",
        "not needed: `xr` and `xs` are checked, and violations reported",
    ),
    ("NOBOUNDCHECK", "not possible: indices are always checked"),
    ("NOCOMP", "not needed"),
    ("PRINTF", "`ample simulate` shows what a model prints"),
    ("SPACE", "not needed"),
    ("CHECK", "`--verbose`"),
];

/// What there is to say of words that are SPIN's flags, one line for each.
pub(super) fn hints(words: impl IntoIterator<Item = String>) -> String {
    let mut out = String::new();
    for word in words {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let known = |flag: &&(&str, &str)| {
            flag.0 == word || digits.len() < word.len() && flag.0.strip_suffix('N') == Some(digits)
        };
        if let Some((_, instead)) = FLAGS.iter().find(known) {
            out.push_str(&format!("hint: SPIN's {word}: {instead}\n"));
        }
    }
    out
}

/// The same for macros that are directives of `pan` and that no text of the model mentions.
pub(super) fn directives(
    defines: &[(String, Option<String>)],
    texts: &HashMap<PathBuf, Vec<u8>>,
) -> String {
    let mut out = String::new();
    for (name, _) in defines {
        let Some((_, instead)) = DIRECTIVES.iter().find(|(n, _)| n == name) else {
            continue;
        };
        if !texts.values().any(|text| mentions(text, name.as_bytes())) {
            out.push_str(&format!(
                "hint: -D{name} is a directive for pan, and the model has no such macro: {instead}\n"
            ));
        }
    }
    out
}

/// Whether a text has that word.
fn mentions(text: &[u8], word: &[u8]) -> bool {
    let part = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    text.windows(word.len()).enumerate().any(|(at, window)| {
        let before = at.checked_sub(1).and_then(|i| text.get(i));
        window == word && !part(before) && !part(text.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_spin_are_explained() {
        for (word, expected) in [
            ("-a", "not needed"),
            ("-t", "ample replay"),
            ("-m10000", "--depth"),
            ("-w28", "the store grows"),
            ("-n123", "--seed"),
            ("-search", "ample check"),
        ] {
            let hint = hints([word.to_owned()]);
            assert!(hint.contains(expected), "{word}: {hint}");
        }
        assert_eq!(
            hints(["--time".to_owned(), "m.pml".to_owned(), "-".to_owned()]),
            ""
        );
    }

    #[test]
    fn a_directive_that_the_model_uses_is_a_macro() {
        let defines = [("SAFETY".to_owned(), None), ("N".to_owned(), None)];
        let texts = |text: &str| HashMap::from([(PathBuf::new(), text.as_bytes().to_vec())]);
        assert!(directives(&defines, &texts("byte SAFETY2;")).contains("--check safety"));
        assert_eq!(directives(&defines, &texts("#ifdef SAFETY\n#endif")), "");
    }
}

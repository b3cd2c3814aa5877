//! The documentation is true: its commands print what it says, its links lead somewhere, its options exist.
//!
//! `AMPLE_UPDATE_DOCS=1 cargo test --test docs` writes what commands print into the pages; read what has changed. Blocks in which
//! `…` leaves something out are then to be cut again.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use support::cli::Dir;
use support::console::{self, Part, agrees, parts};
use support::models::files_below;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The pages whose commands are executed: those of the book, and the first page of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages = files_below(&root().join("docs"), &[".md"]);
    pages.push(root().join("README.md"));
    // Its commands need a C compiler: `tests/explore.rs` executes them.
    pages.retain(|page| !page.ends_with("testing-real-code.md"));
    pages
}

fn name(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// A folder in which the commands of a page run: the examples are there, as in the repository, and a model and a folder of models
/// for commands that only show how to begin.
fn folder(page: &Path, test: &str) -> Dir {
    let dir = Dir::new(&format!(
        "docs_{test}_{}",
        name(page).replace(['/', '.'], "_")
    ));
    for (from, ends) in [("examples", ".pml"), ("pushdown/examples/networks", "")] {
        let copy = dir.path().join(from);
        std::fs::create_dir_all(&copy).expect("a folder");
        for file in files_below(&root().join(from), &[ends]) {
            let name = file.file_name().expect("a name");
            std::fs::copy(&file, copy.join(name)).expect("copied");
        }
    }
    let model =
        "/*\n * Counts.\n *\n * expect: safety holds\n */\nbyte x;\nactive proctype P() { x++ }\n";
    dir.put("model.pml", model);
    std::fs::create_dir(dir.path().join("models")).expect("a folder");
    dir.put("models/one.pml", model);
    dir
}

#[test]
fn commands_print_what_the_pages_say() {
    let update = std::env::var_os("AMPLE_UPDATE_DOCS").is_some();
    let only = std::env::var("AMPLE_PAGE").unwrap_or_default();
    let mut wrong = Vec::new();
    let mut commands = 0;
    for path in pages() {
        if !name(&path).contains(&only) {
            continue;
        }
        let text = read(&path);
        let is_command = |part: &&Part| matches!(part, Part::Command(..));
        commands += parts(&text).iter().filter(is_command).count();
        let mut page = text.clone();
        let dir = folder(&path, "console");
        wrong.extend(console::run(&name(&path), &mut page, dir.path(), update));
        if update && page != text {
            std::fs::write(&path, page).expect("written");
        }
    }
    assert!(
        commands > 40 || !only.is_empty(),
        "only {commands} commands"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commands that are shown without what they print: `cargo run --release -- …` of the first page, and `ample …` elsewhere. Not
/// tried are those that need other programs or hosts, or have a place for a name.
#[test]
fn commands_without_output_work() {
    let mut tried = 0;
    for path in pages() {
        let text = read(&path);
        let dir = folder(&path, "sh");
        for part in parts(&text) {
            if let Part::File(name, text) = part {
                dir.put(&name, &text);
            }
        }
        for line in shell_lines(&text) {
            let command = line.split(" #").next().unwrap_or_default().trim();
            let words = command.strip_prefix("cargo run --release -- ");
            let Some(words) = words.or_else(|| command.strip_prefix("ample ")) else {
                continue;
            };
            if ["| ", "--hosts", "NAME"]
                .iter()
                .any(|not| words.contains(not))
            {
                continue;
            }
            tried += 1;
            let ample = env!("CARGO_BIN_EXE_ample");
            let run = dir.shell(&format!("{ample} {words}"));
            assert!(
                matches!(run.code, 0 | 1 | 3),
                "{}: {command}: {run:?}",
                name(&path)
            );
        }
    }
    assert!(tried > 5, "only {tried} commands");
}

/// The lines of all blocks of the kind `sh`.
fn shell_lines(page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in page.lines().map(str::trim) {
        if line.starts_with("```") {
            inside = !inside && line == "```sh";
        } else if inside {
            lines.push(line.to_owned());
        }
    }
    lines
}

#[test]
fn the_summary_lists_every_page() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let listed: BTreeSet<String> = links(&summary).into_iter().map(|(to, _)| to).collect();
    let pages = files_below(&docs, &[".md"]);
    let pages = pages.iter().map(|p| name(p).replacen("docs/", "", 1));
    let pages: BTreeSet<String> = pages.filter(|p| p != "SUMMARY.md").collect();
    assert_eq!(listed, pages);
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    let mut followed = 0;
    for path in files_below(root(), &[".md"]) {
        let text = read(&path);
        for (to, line) in links(&text) {
            if to.contains("://") || to.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            let (file, anchor) = to.split_once('#').unwrap_or((&to, ""));
            let target = match file.is_empty() {
                true => path.clone(),
                false => path.parent().expect("a folder").join(file),
            };
            let place = format!("{}:{line}: {to}", name(&path));
            if !target.exists() {
                wrong.push(format!("{place}: no such file"));
            } else if !anchor.is_empty() && !anchors(&read(&target)).contains(anchor) {
                wrong.push(format!("{place}: no such heading"));
            }
        }
    }
    assert!(followed > 100, "only {followed} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where the links of a page lead, each with its line; not those in blocks and in code.
fn links(page: &str) -> Vec<(String, usize)> {
    let mut links = Vec::new();
    for (index, line) in prose(page) {
        let without_code: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut rest = without_code.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let (to, after) = after.split_once(')').unwrap_or((after, ""));
            links.push((to.to_owned(), index + 1));
            rest = after;
        }
    }
    links
}

/// The lines outside of blocks.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    page.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The anchors of the headings of a page, as GitHub and mdBook make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).filter(|(_, line)| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(|(_, line)| anchor(line)).collect()
}

/// Options of other programs that pages mention.
const OF_OTHERS: &[&str] = &[
    "--all-targets",
    "--bench",
    "--cpus-per-task",
    "--document-private-items",
    "--example",
    "--features",
    "--help",
    "--ignored",
    "--lib",
    "--locked",
    "--manifest-path",
    "--mem",
    "--no-deps",
    "--no-verify",
    "--nocapture",
    "--nodes",
    "--ntasks-per-node",
    "--open",
    "--package",
    "--path",
    "--quick",
    "--release",
    "--static",
    "--root",
    "--target",
    "--test",
    "--version",
    "--workspace",
];

#[test]
fn options_that_pages_mention_exist() {
    let dir = Dir::new("docs_options");
    let mut known = dir.ample(&["check", "--help-all"]).exits(0).out;
    let cluster = dir.ample(&["cluster", "check", "--help-all"]).exits(0);
    known.push_str(&cluster.out);
    let overview = dir.ample(&["help"]).exits(0).out;
    let commands = overview.split("Commands:").nth(1).expect("commands");
    for line in commands
        .lines()
        .take_while(|line| !line.contains("Options:"))
    {
        let begins = line.starts_with("  ") && !line.starts_with("   ");
        if let Some(command) = line.split_whitespace().next().filter(|_| begins) {
            known.push_str(&dir.ample(&["help", command]).exits(0).out);
        }
    }
    let known: BTreeSet<&str> = options(&known).collect();
    assert!(known.len() > 60, "{known:?}");
    for path in pages() {
        let text = read(&path);
        for option in options(&text) {
            let fine = known.contains(option) || OF_OTHERS.contains(&option);
            assert!(fine, "{}: {option}", name(&path));
        }
    }
}

/// The words that begin like options.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|w| {
        let name = w.strip_prefix("--").unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains("--")
    })
}

#[test]
fn pages_are_read_and_compared_rightly() {
    let page = "The file `m.pml`:\n\n```promela\nbyte x;\n```\n\n```console\n$ one \\\n  two\na\nb\n$ three\n```\n";
    let expected = [
        Part::File("m.pml".to_owned(), "byte x;\n".to_owned()),
        Part::Command(
            "one   two".to_owned(),
            vec!["a".to_owned(), "b".to_owned()],
            9..11,
        ),
        Part::Command("three".to_owned(), vec![], 12..12),
    ];
    assert_eq!(parts(page), expected);
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    for (page, printed, same) in [
        ("a\n…\nd", "a\nb\nc\nd", true),
        ("a\n…\nd", "a\nb\nc", false),
        ("it took 0.2 ms, 7 states", "it took 13.5 s, 7 states", true),
        (
            "it took 0.2 ms, 7 states",
            "it took 0.2 ms, 8 states",
            false,
        ),
        ("x … z", "x y z", true),
        ("x … z", "x y w", false),
        ("x …", "x y z", true),
        ("x … y … z", "x 1 y 2 y 3 z", true),
        ("x … y … z", "x 1 y 2 y 3", false),
        ("  a", "a", false),
        ("", "a", false),
    ] {
        assert_eq!(
            agrees(&lines(page), &lines(printed)),
            same,
            "{page:?} {printed:?}"
        );
    }
}

#[test]
fn tests_that_the_first_page_names_exist() {
    let page = read(&root().join("README.md"));
    let words: Vec<&str> = page
        .split_whitespace()
        .map(|w| w.trim_matches(['`', ',', ';', '|']))
        .collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == "--test");
    let names: BTreeSet<&str> = pairs.map(|pair| pair[1]).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(root().join(format!("tests/{name}.rs")).exists(), "{name}");
    }
}

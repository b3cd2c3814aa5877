//! Pages that show commands with what they print, and files that the commands read.
//!
//! A block of the kind `console` has commands behind `$ `, which go on in the next line after a backslash, and below each what it
//! prints, standard error included. `…` stands for any text, and for any lines if it is alone in its line. Durations are not
//! compared. A block right below a line that ends with a file's name in backticks and a colon is that file.

use std::path::Path;

/// What a page has for its commands, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A file: name and text.
    File(String, String),
    /// A command, what it prints as the page says, and the lines that say so.
    Command(String, Vec<String>, std::ops::Range<usize>),
}

/// The files and commands of a page.
pub(crate) fn parts(page: &str) -> Vec<Part> {
    let lines: Vec<&str> = page.lines().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    let mut above = "";
    while at < lines.len() {
        let line = lines[at].trim_start();
        let Some(kind) = line.strip_prefix("```") else {
            if !line.is_empty() {
                above = line;
            }
            at += 1;
            continue;
        };
        let indent = lines[at].len() - line.len();
        let is_end = |line: &&str| line.trim() == "```";
        let length = lines[at + 1..].iter().position(is_end).expect("an end");
        let body = at + 1..at + 1 + length;
        let inside = |i: usize| lines[i].get(indent..).unwrap_or_default();
        if kind == "console" {
            commands(body.clone(), inside, &mut parts);
        } else if let Some(name) = file_name(above) {
            let text = body.clone().map(|i| format!("{}\n", inside(i)));
            parts.push(Part::File(name, text.collect()));
        }
        above = "";
        at = body.end + 1;
    }
    parts
}

/// The name of a file, if a line ends with it, in backticks, and a colon.
fn file_name(line: &str) -> Option<String> {
    let name = line.strip_suffix("`:")?.rsplit('`').next()?;
    let is_file = name.contains('.') && !name.contains(' ') && !name.contains('/');
    is_file.then(|| name.to_owned())
}

fn commands<'a>(
    body: std::ops::Range<usize>,
    line: impl Fn(usize) -> &'a str,
    parts: &mut Vec<Part>,
) {
    let mut at = body.start;
    while at < body.end {
        let first = line(at).strip_prefix("$ ");
        let mut command = first
            .unwrap_or_else(|| panic!("no command: {}", line(at)))
            .to_owned();
        at += 1;
        while let Some(open) = command.strip_suffix('\\') {
            command = format!("{open}{}", line(at));
            at += 1;
        }
        let output = at..(at..body.end)
            .find(|&i| line(i).starts_with("$ "))
            .unwrap_or(body.end);
        let printed = output.clone().map(|i| line(i).to_owned()).collect();
        at = output.end;
        parts.push(Part::Command(command, printed, output));
    }
}

/// Whether something printed is what a page says.
pub(crate) fn agrees(page: &[String], printed: &[String]) -> bool {
    match page.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..]))
        }
        Some((line, rest)) => {
            let same = |other: &String| same_line(&timeless(line), &timeless(other));
            printed.first().is_some_and(same) && agrees(rest, &printed[1..])
        }
    }
}

/// The same texts, where `…` is any.
fn same_line(page: &str, printed: &str) -> bool {
    let pieces: Vec<&str> = page.split('…').collect();
    let [first, middle @ .., last] = pieces.as_slice() else {
        return page == printed;
    };
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    for piece in middle {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// A line without its durations, and without blanks that align what stands beside them.
fn timeless(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let units = ["s", "ms", "µs", "ns"];
    let number = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
    let mut out: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words
            .get(at + 1)
            .map(|w| w.trim_end_matches([',', ')', ';']));
        match next {
            Some(next) if number(word) && units.contains(&next) => out.push("<time>"),
            _ => out.push(word),
        }
    }
    for word in &mut out {
        if units.contains(&word.trim_end_matches([',', ')', ';'])) {
            *word = "<unit>";
        }
    }
    let indent = line.len() - line.trim_start().len();
    format!("{}{}", " ".repeat(indent), out.join(" "))
}

/// Runs the commands of a page in a folder, and says where it is not true; what is printed instead is put into `page` if
/// `update`.
pub(crate) fn run(name: &str, page: &mut String, folder: &Path, update: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut code = 0;
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let mut moved = 0_isize;
    for part in parts(page) {
        let (command, expected, at) = match part {
            Part::File(file, text) => {
                std::fs::write(folder.join(file), text).expect("written");
                continue;
            }
            Part::Command(command, expected, at) => (command, expected, at),
        };
        let (now, printed) = in_shell(&command, code, folder);
        code = now;
        let printed: Vec<String> = printed.lines().map(|l| l.trim_end().to_owned()).collect();
        if agrees(&expected, &printed) {
            continue;
        }
        wrong.push(format!(
            "{name}:{}: $ {command}\nprints\n{}\n",
            at.start,
            printed.join("\n")
        ));
        if update {
            let from = at.start.strict_add_signed(moved);
            let to = at.end.strict_add_signed(moved);
            moved += printed.len() as isize - expected.len() as isize;
            lines.splice(from..to, printed);
        }
    }
    *page = lines.join("\n") + "\n";
    wrong
}

/// What a shell makes of a command after one that gave that exit code.
fn in_shell(command: &str, code: i32, folder: &Path) -> (i32, String) {
    let ample = Path::new(env!("CARGO_BIN_EXE_ample"));
    let path = std::env::var("PATH").unwrap_or_default();
    let here = ample.parent().expect("a folder").display();
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n(exit {code})\n{command}")])
        .current_dir(folder)
        .env("PATH", format!("{here}:{path}"))
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("a shell");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().unwrap_or(-1), printed)
}

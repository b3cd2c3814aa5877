//! What `ample help TOPIC` says: the beginning of a page of the documentation, up to its first section.
//!
//! The pages are Markdown; [`plain`] turns the little of it that beginnings of pages use into text for a terminal: paragraphs
//! are filled, tables aligned, examples indented, and of links the words remain.

/// Columns of the text.
const WIDTH: usize = 100;

/// A page of the documentation that is a topic.
pub(super) struct Topic {
    /// As on the command line; the file is `docs/NAME.md`.
    pub(super) name: &'static str,
    page: &'static str,
}

macro_rules! topics {
    ($($name:literal)*) => {
        &[$(Topic { name: $name, page: include_str!(concat!("../../docs/", $name, ".md")) }),*]
    };
}

/// All topics, in the order of the documentation.
pub(super) const TOPICS: &[Topic] = topics![
    "install"
    "tour"
    "promela"
    "state-graphs"
    "properties"
    "finite-runs"
    "fairness"
    "counterexamples"
    "trails"
    "exit-codes"
    "for-machines"
    "reduction"
    "stores"
    "cluster"
    "procedures"
    "contexts"
    "testing-models"
    "testing-real-code"
    "json"
    "limits"
    "from-spin"
    "pitfalls"
    "comparison"
];

impl Topic {
    /// The heading of the page.
    pub(super) fn title(&self) -> &'static str {
        let line = self.page.lines().next().unwrap_or_default();
        line.trim_start_matches("# ")
    }

    /// What is printed.
    pub(super) fn text(&self) -> String {
        let body = self.page.split_once('\n').map_or("", |(_, body)| body);
        let end = body.find("\n## ").map_or(body.len(), |at| at + 1);
        let mut out = format!("{}\n\n{}", self.title(), plain(&body[..end]));
        let sections = body.lines().filter_map(|line| line.strip_prefix("## "));
        let sections: Vec<String> = sections.map(words).collect();
        let more = match sections.is_empty() {
            true => String::new(),
            false => format!(": {}", sections.join("; ")),
        };
        let more = format!("The page is docs/{}.md{more}.", self.name);
        out.push_str(&format!("\n{}", filled(&more, "")));
        out
    }
}

/// Markdown as text.
fn plain(markdown: &str) -> String {
    let mut out = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        let begins = |line: &str| line.starts_with(['|', '-']) || line.is_empty();
        if line.starts_with("<!--") {
            continue;
        } else if line.is_empty() {
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
        } else if line.starts_with("```") {
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                out.push_str(format!("    {line}").trim_end());
                out.push('\n');
            }
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            out.push_str(&aligned(&rows));
        } else {
            let mut paragraph = line.to_owned();
            while let Some(line) = lines.next_if(|l| !begins(l) && !l.starts_with("```")) {
                paragraph.push(' ');
                paragraph.push_str(line.trim());
            }
            let indent = if line.starts_with("- ") { "  " } else { "" };
            out.push_str(&filled(&words(&paragraph), indent));
        }
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out + "\n"
}

/// A line without its marks: of a link the words, of bold type the words.
fn words(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('[') {
        let link = rest[start..].find("](").map(|middle| start + middle);
        let end = link.and_then(|middle| Some(middle + rest[middle..].find(')')?));
        let (Some(middle), Some(end)) = (link, end) else {
            break;
        };
        out.push_str(&rest[..start]);
        out.push_str(&rest[start + 1..middle]);
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out.replace("**", "")
}

/// A paragraph in lines of at most [`WIDTH`] columns.
fn filled(paragraph: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out + "\n"
}

/// A table whose columns are as wide as they have to be, without its frame. The last column is filled.
fn aligned(rows: &[&str]) -> String {
    let cells = |row: &&str| -> Vec<String> {
        let row = row.trim().trim_matches('|').replace("\\|", "\u{0}");
        let cells = row
            .split('|')
            .map(|c| words(c.trim()).replace('\u{0}', "|"));
        cells.collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let is_rule = |row: &Vec<String>| row.iter().all(|c| c.chars().all(|c| "-: ".contains(c)));
    let rows: Vec<_> = rows.into_iter().filter(|row| !is_rule(row)).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let indent = 2 + widths[..columns.saturating_sub(1)]
        .iter()
        .map(|w| w + 2)
        .sum::<usize>();
    let mut out = String::new();
    for row in rows {
        let mut line = "  ".to_owned();
        for (cell, &width) in row.iter().zip(&widths).take(columns - 1) {
            line.push_str(&format!("{cell:width$}  "));
        }
        let last = row.get(columns - 1).map_or("", String::as_str);
        let room = WIDTH.saturating_sub(indent).max(20);
        let mut column = 0;
        for word in last.split(' ') {
            if column > 0 && column + word.chars().count() > room {
                line.push('\n');
                line.push_str(&" ".repeat(indent));
                column = 0;
            }
            line.push_str(word);
            line.push(' ');
            column += word.chars().count() + 1;
        }
        for line in line.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_pages_become_text() {
        let page = "\nSee [the\nwords](there.md#x) and **this**.\n\n```sh\nample check m\n```\n- one\n  more\n- two\n\n| a | b |\n| --- | --- |\n| long | x \\| y |\n";
        let text = "See the words and this.\n\n    ample check m\n- one more\n- two\n\n  a     b\n  long  x | y\n";
        assert_eq!(plain(page), text);
    }

    #[test]
    fn topics_are_short() {
        for topic in TOPICS {
            let text = topic.text();
            let lines = text.lines().count();
            assert!((3..=45).contains(&lines), "{}: {lines} lines", topic.name);
            for mark in ["](", "```", "<!--", "**", "\n#"] {
                assert!(!text.contains(mark), "{}: {mark:?} in {text}", topic.name);
            }
            let long = text.lines().find(|l| l.chars().count() > WIDTH + 20);
            assert_eq!(long, None, "{}", topic.name);
        }
    }
}

//! Whether a text is well-formed XML, as far as our pictures go: elements, attributes in double quotes, the five entities.

/// What is wrong with a document, if anything is.
pub(crate) fn complaint(text: &str) -> Option<String> {
    let bad = |c: char| (c < ' ' && !"\t\n\r".contains(c)) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if text.contains(bad) {
        return Some("a character that XML does not have".to_owned());
    }
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.trim_end();
    let mut roots = 0;
    while !rest.is_empty() {
        let Some(at) = rest.find('<') else {
            return Some(format!("text behind the end: {rest:?}"));
        };
        let between = &rest[..at];
        if let Some(wrong) = reference(between) {
            return Some(wrong);
        }
        if open.is_empty() && !between.trim().is_empty() {
            return Some(format!("text outside: {between:?}"));
        }
        let Some(end) = end_of_tag(&rest[at..]) else {
            return Some("a tag that does not end".to_owned());
        };
        let tag = &rest[at + 1..at + end];
        rest = &rest[at + end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name.trim()) {
                return Some(format!("</{name}> closes nothing"));
            }
            continue;
        }
        let (tag, closed) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let name = tag.split_whitespace().next().unwrap_or_default();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Some(format!("<{tag}> has no name"));
        }
        if let Some(wrong) = attributes(&tag[name.len()..]) {
            return Some(format!("<{tag}>: {wrong}"));
        }
        roots += usize::from(open.is_empty());
        if !closed {
            open.push(name);
        }
    }
    match (open.last(), roots) {
        (Some(name), _) => Some(format!("<{name}> is not closed")),
        (None, 1) => None,
        (None, roots) => Some(format!("{roots} elements outermost")),
    }
}

/// Where a tag ends: the first `>` outside of quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == '>' && !quoted).then_some(at)
    })
}

fn attributes(mut rest: &str) -> Option<String> {
    let mut names = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let (name, more) = rest.split_once("=\"")?;
        let Some((value, after)) = more.split_once('"') else {
            return Some("an attribute that does not end".to_owned());
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || "-:".contains(c);
        if !name.chars().all(fits) || names.contains(&name) {
            return Some(format!("attribute {name:?}"));
        }
        if value.contains('<') {
            return Some(format!("value {value:?}"));
        }
        if let Some(wrong) = reference(value) {
            return Some(wrong);
        }
        names.push(name);
        rest = after;
    }
}

/// A `&` that begins no entity.
fn reference(text: &str) -> Option<String> {
    let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#9;", "&#10;"];
    let mut at = text.match_indices('&').map(|(at, _)| &text[at..]);
    let wrong = at.find(|rest| !known.iter().any(|k| rest.starts_with(k)));
    wrong.map(|rest| format!("a bare &: {:?}", rest.chars().take(12).collect::<String>()))
}

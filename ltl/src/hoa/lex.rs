//! Tokens of the Hanoi format.

use super::HoaError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word followed by a colon: the name of a header item, or `State:`.
    Item(String),
    Word(String),
    Alias(String),
    Number(u32),
    Text(String),
    /// One of `[ ] { } ( ) ! & |`.
    Sign(char),
    Body,
    End,
    Abort,
}

/// The tokens of `text` with their byte offsets.
pub(super) fn lex(text: &str) -> Result<Vec<(usize, Token)>, HoaError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let error = |message| HoaError { at, message };
        let (token, length) = match c {
            c if c.is_whitespace() => (None, c.len_utf8()),
            '/' if rest.starts_with("/*") => {
                let length = comment(rest).ok_or(error("this comment is never closed"))?;
                (None, length)
            }
            '-' => {
                let marks = [
                    ("--BODY--", Token::Body),
                    ("--END--", Token::End),
                    ("--ABORT--", Token::Abort),
                ];
                let mark = marks.into_iter().find(|(m, _)| rest.starts_with(m));
                let (mark, token) = mark.ok_or(error("no token begins like this"))?;
                (Some(token), mark.len())
            }
            '"' => {
                let (string, length) = string(rest).ok_or(error("this string is never closed"))?;
                (Some(Token::Text(string)), length)
            }
            '0'..='9' => {
                let end = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                let number = rest[..end]
                    .parse()
                    .map_err(|_| error("this number is too large"))?;
                (Some(Token::Number(number)), end)
            }
            '@' => {
                let end = word_end(&rest[1..]) + 1;
                (Some(Token::Alias(rest[1..end].to_owned())), end)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = word_end(rest);
                match rest[end..].starts_with(':') {
                    true => (Some(Token::Item(rest[..end].to_owned())), end + 1),
                    false => (Some(Token::Word(rest[..end].to_owned())), end),
                }
            }
            '[' | ']' | '{' | '}' | '(' | ')' | '!' | '&' | '|' => (Some(Token::Sign(c)), 1),
            _ => return Err(error("no token begins like this")),
        };
        tokens.extend(token.map(|t| (at, t)));
        at += length;
    }
    Ok(tokens)
}

fn word_end(text: &str) -> usize {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    text.find(|c| !inside(c)).unwrap_or(text.len())
}

/// The length of the comment, which may contain others, at the start of `text`.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += rest.chars().next()?.len_utf8();
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

fn string(text: &str) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut chars = text.char_indices().skip(1);
    loop {
        match chars.next()? {
            (end, '"') => return Some((content, end + 1)),
            (_, '\\') => content.push(chars.next()?.1),
            (_, c) => content.push(c),
        }
    }
}

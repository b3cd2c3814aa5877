//! Broken texts: random models, and texts of other formats, with a few random changes, for tests
//! that nothing makes a reader panic or hang.
//!
//! Most changes are to whole tokens, since random bytes seldom get past the lexer: tokens are
//! deleted, doubled, swapped, replaced, repeated, inserted from a vocabulary that has what the
//! generator of valid models avoids; two models are spliced. One input in ten is damaged at the
//! level of bytes as well.

use crate::{Rng, swarm};

/// What can be inserted: words that open or close something, names the generator uses, numbers at the edges.
const VOCABULARY: &[&str] = &[
    "active",
    "proctype",
    "D_proctype",
    "init",
    "never",
    "trace",
    "notrace",
    "ltl",
    "inline",
    "typedef",
    "mtype",
    "mtype:k",
    "bit",
    "bool",
    "byte",
    "short",
    "int",
    "unsigned",
    "pid",
    "chan",
    "hidden",
    "show",
    "local",
    "of",
    "if",
    "fi",
    "do",
    "od",
    "::",
    "else",
    "break",
    "goto",
    "atomic",
    "d_step",
    "unless",
    "timeout",
    "for",
    "in",
    "..",
    "select",
    "skip",
    "assert",
    "printf",
    "printm",
    "run",
    "provided",
    "priority",
    "set_priority",
    "get_priority",
    "eval",
    "xr",
    "xs",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "enabled",
    "pc_value",
    "np_",
    "_",
    "_pid",
    "_nr_pr",
    "_last",
    "_priority",
    "true",
    "false",
    "return",
    "always",
    "eventually",
    "until",
    "weakuntil",
    "release",
    "implies",
    "equivalent",
    "next",
    "U",
    "W",
    "V",
    "X",
    "[]",
    "<>",
    "<->",
    "->",
    ";",
    ",",
    ":",
    ".",
    "@",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "!",
    "!!",
    "?",
    "??",
    "?<",
    "?[",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "<<",
    ">>",
    "+",
    "++",
    "-",
    "--",
    "*",
    "/",
    "%",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "~",
    "#",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\n#define A(x) x A(x)\n",
    "\n#define B\n",
    "\n#undef B\n",
    "\n#if 1\n",
    "\n#ifdef B\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"m\"\n",
    "A(",
    "0",
    "1",
    "2",
    "255",
    "256",
    "32768",
    "65536",
    "2147483647",
    "4294967295",
    "99999999999",
    "g0",
    "g1",
    "t",
    "t.f",
    "n.inner",
    "s0",
    "m0",
    "c0",
    "q",
    "w",
    "f0",
    "f1(g0)",
    "P0",
    "P1",
    "L0",
    "end0",
    "p",
    "l0",
    "T",
    "M",
    "x",
    "y",
    "c_code",
    "c_expr {",
    "P0[0]@L0",
    "P0:l0",
    "\"%d\\n\"",
    "L0:",
    "goto L0",
    "byte z[3] = {1,2}",
    "chan z = [1] of {T}",
];

/// The broken model that belongs to a seed.
pub fn mutant(seed: u64) -> Vec<u8> {
    let mut rng = Rng::seeded(seed ^ 0x6d75_7461_6e74);
    let text = swarm(rng.next_u64()).with_ltl();
    let other = swarm(rng.next_u64()).with_ltl();
    mutated(&text, &other, VOCABULARY, &mut rng)
}

/// A text in any language with a few changes, for which another text and a vocabulary supply material.
pub fn mutated(text: &str, other: &str, vocabulary: &[&str], rng: &mut Rng) -> Vec<u8> {
    let mut tokens = cut(text);
    let donor = cut(other);
    for _ in 0..rng.within(1, 6) {
        change(&mut tokens, &donor, vocabulary, rng);
    }
    let mut bytes = tokens.concat().into_bytes();
    if rng.chance(10) {
        damage(&mut bytes, rng);
    }
    bytes
}

/// Words, numbers, runs of spaces, and single other characters.
fn cut(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match class(first) {
            2 => first.len_utf8(),
            kind => rest.find(|c| class(c) != kind).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn change<'t>(tokens: &mut Vec<&'t str>, donor: &[&'t str], words: &[&'t str], rng: &mut Rng) {
    let at = rng.below(tokens.len() + 1);
    let length = rng.below(6).min(tokens.len() - at);
    let word = rng.pick(words).copied().unwrap_or(";");
    match rng.below(9) {
        0 => drop(tokens.drain(at..at + length)),
        1 => {
            let copy = tokens[at..at + length].to_vec();
            let to = rng.below(tokens.len() + 1);
            tokens.splice(to..to, copy);
        }
        2 if !tokens.is_empty() => {
            let (a, b) = (rng.below(tokens.len()), rng.below(tokens.len()));
            tokens.swap(a, b);
        }
        3 | 4 => {
            tokens.splice(at..at, [" ", word, " "]);
        }
        5 if at < tokens.len() => tokens[at] = word,
        6 if at < tokens.len() => tokens[at] = rng.pick(donor).copied().unwrap_or(""),
        7 => {
            let from = rng.below(donor.len() + 1);
            tokens.truncate(at);
            tokens.extend_from_slice(&donor[from..]);
        }
        _ => {
            let piece = [" ", word, " "];
            let times = rng.within(1, 40);
            let many = std::iter::repeat_n(piece, times).flatten();
            tokens.splice(at..at, many);
        }
    }
}

fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.within(1, 5) {
        let at = rng.below(bytes.len() + 1);
        let byte = rng.next_u64() as u8;
        match rng.below(3) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => bytes[at] = byte,
            _ => bytes.truncate(at.max(bytes.len() / 2)),
        }
    }
}

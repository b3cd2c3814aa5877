//! The plain-text format of the CUBA tool: `.pds` files with `.init` and `.spec` beside them.
//!
//! ```text
//! 4                  # shared states 0..3
//! PDA 1 2            # a thread; its symbols are 1..2
//! 0 1 -> 1 2         # overwrites the topmost symbol
//! 3 2 -> 0 -         # pops
//! 2 1 -> 3 2 1       # pushes: 2 is the new topmost symbol, 1 is below
//! ```
//!
//! `.init` is one configuration, `shared|stack,stack,…`; a stack is `-` (empty) or symbols with dots between them, the
//! topmost one last. `.spec` has one visible state per line, `shared|top,top,…`, that must not be reached; `-` is the
//! empty stack. `#` starts a comment.
//!
//! Threads have separate symbols, even if they use the same numbers; threads with the same rules share them. Published
//! files use symbols outside the range after `PDA`: the range is read and otherwise ignored. Rules for the empty stack
//! are refused.

use crate::explicit::network::{Action, Configuration, Network, Rule, Target, Top};
use std::collections::BTreeMap;
use std::fmt;

/// Which of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// The rules.
    Pds,
    /// The initial configuration.
    Init,
    /// The targets.
    Spec,
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            File::Pds => ".pds",
            File::Init => ".init",
            File::Spec => ".spec",
        })
    }
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Which file.
    pub file: File,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}",
            self.file, self.line, self.column, self.message
        )
    }
}

impl std::error::Error for ParseError {}

/// A network that was read.
#[derive(Clone, Debug)]
pub struct Text {
    /// The network.
    pub network: Network,
    /// What must not be reached.
    pub targets: Vec<Target>,
    /// The line of each rule in the `.pds` file, for the first thread that has it.
    pub lines: Vec<usize>,
    /// The number in the file of each symbol.
    names: Vec<u32>,
}

/// A word of a line with its place.
#[derive(Clone, Copy, Debug)]
struct Word<'t> {
    text: &'t str,
    line: usize,
    column: usize,
}

/// A symbol before threads are told apart: `None` is the empty stack.
type Raw = Option<u32>;

/// A rule before threads are told apart: shared state and symbol, shared state and at most two symbols.
type RawRule = (u32, u32, u32, Vec<u32>);

struct Reader {
    file: File,
}

impl Reader {
    fn error<T>(&self, word: Word<'_>, message: impl Into<String>) -> Result<T, ParseError> {
        let (file, message) = (self.file, message.into());
        Err(ParseError {
            file,
            line: word.line,
            column: word.column,
            message,
        })
    }

    fn number(&self, word: Word<'_>, what: &str) -> Result<u32, ParseError> {
        match word.text.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.error(
                word,
                format!("expected {what}, a number, not `{}`", word.text),
            ),
        }
    }

    fn shared(&self, word: Word<'_>, count: u32) -> Result<u32, ParseError> {
        let state = self.number(word, "a shared state")?;
        match state < count {
            true => Ok(state),
            false => self.error(
                word,
                format!("shared state {state} is not below {count}, the number of shared states"),
            ),
        }
    }

    fn symbol(&self, word: Word<'_>) -> Result<Raw, ParseError> {
        match word.text {
            "-" => Ok(None),
            _ => self.number(word, "a symbol").map(Some),
        }
    }
}

/// The words of a line without its comment.
fn words(line: &str, number: usize) -> Vec<Word<'_>> {
    let code = line.split('#').next().unwrap_or("");
    let words = code.split_whitespace();
    let place = |text: &str| {
        code[..text.as_ptr() as usize - code.as_ptr() as usize]
            .chars()
            .count()
            + 1
    };
    words
        .map(|text| Word {
            text,
            line: number,
            column: place(text),
        })
        .collect()
}

/// Reads a network. The texts are those of the three files; without `.spec` nothing must be avoided.
pub fn parse(pds: &str, init: &str, spec: Option<&str>) -> Result<Text, ParseError> {
    let (shared, threads) = parse_rules(pds)?;
    let (init_word, initial_shared, initial) = single(File::Init, init, shared)?;
    let reader = Reader { file: File::Init };
    if initial.len() != threads.len() {
        let message = format!("{} stacks for {} threads", initial.len(), threads.len());
        return reader.error(init_word, message);
    }
    // Threads with the same rules share symbols.
    let mut classes: Vec<&Vec<(RawRule, usize)>> = Vec::new();
    let mut class_of = Vec::new();
    let same = |a: &Vec<(RawRule, usize)>, b: &Vec<(RawRule, usize)>| {
        a.iter().map(|r| &r.0).eq(b.iter().map(|r| &r.0))
    };
    for thread in &threads {
        let class = classes.iter().position(|class| same(class, thread));
        class_of.push(class.unwrap_or(classes.len()));
        if class.is_none() {
            classes.push(thread);
        }
    }
    let mut numbers: BTreeMap<(usize, u32), u32> = BTreeMap::new();
    let mut names = Vec::new();
    let mut symbol = |class: usize, name: u32| {
        *numbers.entry((class, name)).or_insert_with(|| {
            names.push(name);
            names.len() as u32 - 1
        })
    };
    let (mut rules, mut lines) = (Vec::new(), Vec::new());
    for (class, thread) in classes.iter().enumerate() {
        for ((from, top, to, stack), line) in thread.iter() {
            let action = match stack[..] {
                [] => Action::Pop,
                [next] => Action::Internal(symbol(class, next)),
                [callee, ret, ..] => Action::Push {
                    callee: symbol(class, callee),
                    ret: symbol(class, ret),
                },
            };
            rules.push(Rule {
                from: (*from, symbol(class, *top)),
                to: *to,
                action,
            });
            lines.push(*line);
        }
    }
    let stacks = initial.iter().zip(&class_of).map(|(stack, class)| {
        stack
            .iter()
            .rev()
            .map(|name| symbol(*class, *name))
            .collect()
    });
    let initial = Configuration {
        shared: initial_shared,
        stacks: stacks.collect(),
    };
    let mut targets = Vec::new();
    let reader = Reader { file: File::Spec };
    for (number, line) in spec.unwrap_or("").lines().enumerate() {
        if let Some(first) = words(line, number + 1).first() {
            let (state, stacks) = configuration(&reader, line, number + 1, shared)?;
            if stacks.len() != threads.len() {
                let message = format!(
                    "{} topmost symbols for {} threads",
                    stacks.len(),
                    threads.len()
                );
                return reader.error(*first, message);
            }
            let mut tops = Vec::new();
            for (stack, class) in stacks.iter().zip(&class_of) {
                tops.push(match stack[..] {
                    [] => Top::Empty,
                    [name] => Top::Is(symbol(*class, name)),
                    _ => return reader.error(*first, "a target has at most one symbol per thread"),
                });
            }
            targets.push(Target::Visible {
                shared: Some(state),
                tops,
            });
        }
    }
    let network = Network {
        shared,
        symbols: names.len() as u32,
        rules,
        initial,
    };
    Ok(Text {
        network,
        targets,
        lines,
        names,
    })
}

/// Automata have a state for each shared state.
const MOST_SHARED: u32 = 1 << 20;

/// The number of shared states, and for each thread its rules with their lines.
#[allow(clippy::type_complexity)]
fn parse_rules(pds: &str) -> Result<(u32, Vec<Vec<(RawRule, usize)>>), ParseError> {
    let reader = Reader { file: File::Pds };
    let mut count = None;
    let mut threads: Vec<Vec<(RawRule, usize)>> = Vec::new();
    let mut last = Word {
        text: "",
        line: 1,
        column: 1,
    };
    for (number, line) in pds.lines().enumerate() {
        let words = words(line, number + 1);
        let Some(first) = words.first().copied() else {
            continue;
        };
        last = first;
        let Some(shared) = count else {
            let shared = reader.number(first, "the number of shared states")?;
            if shared == 0 {
                return reader.error(first, "there must be a shared state");
            }
            if shared > MOST_SHARED {
                let message = format!("more than {MOST_SHARED} shared states are not supported");
                return reader.error(first, message);
            }
            if let Some(extra) = words.get(1) {
                return reader.error(
                    *extra,
                    "expected the end of the line after the number of shared states",
                );
            }
            count = Some(shared);
            continue;
        };
        if first.text == "PDA" {
            if words.len() != 3 {
                return reader.error(
                    first,
                    "expected `PDA` with the first and the last symbol of the thread",
                );
            }
            reader.number(words[1], "the first symbol")?;
            reader.number(words[2], "the last symbol")?;
            threads.push(Vec::new());
            continue;
        }
        let Some(thread) = threads.last_mut() else {
            return reader.error(first, "expected `PDA` before the first rule");
        };
        if !(5..=6).contains(&words.len()) {
            return reader.error(
                first,
                "expected a rule, `shared symbol -> shared symbol [symbol]`",
            );
        }
        let from = reader.shared(first, shared)?;
        let Some(top) = reader.symbol(words[1])? else {
            return reader.error(words[1], "rules for the empty stack are not supported");
        };
        if words[2].text != "->" {
            return reader.error(words[2], format!("expected `->`, not `{}`", words[2].text));
        }
        let to = reader.shared(words[3], shared)?;
        let mut stack = Vec::new();
        for word in &words[4..] {
            stack.extend(reader.symbol(*word)?);
        }
        if stack.len() + 4 != words.len() && words.len() == 6 {
            return reader.error(words[4], "a push needs two symbols");
        }
        thread.push(((from, top, to, stack), number + 1));
    }
    let Some(shared) = count else {
        return reader.error(last, "expected the number of shared states");
    };
    if threads.is_empty() {
        return reader.error(last, "there are no threads: expected `PDA`");
    }
    Ok((shared, threads))
}

/// The one configuration of a file.
#[allow(clippy::type_complexity)]
fn single(
    file: File,
    text: &str,
    shared: u32,
) -> Result<(Word<'_>, u32, Vec<Vec<u32>>), ParseError> {
    let reader = Reader { file };
    let mut found = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(first) = words(line, number + 1).first() {
            if found.is_some() {
                return reader.error(*first, "expected one configuration only");
            }
            let (state, stacks) = configuration(&reader, line, number + 1, shared)?;
            found = Some((*first, state, stacks));
        }
    }
    let nothing = Word {
        text: "",
        line: 1,
        column: 1,
    };
    found.map_or_else(
        || reader.error(nothing, "expected a configuration, `shared|stack,stack,…`"),
        Ok,
    )
}

/// `shared|stack,stack,…`: stacks as written.
fn configuration(
    reader: &Reader,
    line: &str,
    number: usize,
    count: u32,
) -> Result<(u32, Vec<Vec<u32>>), ParseError> {
    let code = line.split('#').next().unwrap_or("");
    let word = |text: &'_ str| {
        let skipped = text.len() - text.trim_start().len();
        let start = text.as_ptr() as usize - code.as_ptr() as usize + skipped;
        (start, text.trim().to_owned())
    };
    let place = |start: usize| code[..start].chars().count() + 1;
    let Some((state, rest)) = code.split_once('|') else {
        let first = Word {
            text: "",
            line: number,
            column: 1,
        };
        return reader.error(first, "expected `shared|stack,stack,…`");
    };
    let (start, text) = word(state);
    let shared = reader.shared(
        Word {
            text: &text,
            line: number,
            column: place(start),
        },
        count,
    )?;
    let mut stacks = Vec::new();
    for stack in rest.split(',') {
        let mut symbols = Vec::new();
        for symbol in stack.split('.') {
            let (start, text) = word(symbol);
            symbols.extend(reader.symbol(Word {
                text: &text,
                line: number,
                column: place(start),
            })?);
        }
        stacks.push(symbols);
    }
    Ok((shared, stacks))
}

impl Text {
    /// A configuration in the notation of the files, topmost symbols last.
    pub fn show(&self, configuration: &Configuration) -> String {
        let stack = |stack: &Vec<u32>| match stack.is_empty() {
            true => "-".to_owned(),
            false => {
                let names: Vec<String> = stack
                    .iter()
                    .rev()
                    .map(|s| self.names[*s as usize].to_string())
                    .collect();
                names.join(".")
            }
        };
        let stacks: Vec<String> = configuration.stacks.iter().map(stack).collect();
        format!("{}|{}", configuration.shared, stacks.join(","))
    }
}

//! Explanations in words: above the steps what was required and why the run breaks it, below them where it ends.

use super::text::line;
use crate::explanation::{Able, Because, Blocked, Explanation, How, Place, Why, bare};
use crate::trace::NamedValue;

/// Values that are shown on a line, unless all are wanted.
const VALUES: usize = 16;

/// Processes of a deadlock that are told of, unless all are wanted.
const PROCESSES: usize = 12;

/// What stands behind the step after which no continuation has the property.
pub const HOPELESS: &str = "<<< whatever happens from here on, the property is violated >>>";

/// A line of an explanation: what it is about, which is empty if that is what the line above is about; and the text.
pub type Said = (&'static str, String);

/// What is said before the steps.
pub fn before_steps(explanation: &Explanation, full: bool) -> Vec<Said> {
    let required = &explanation.required;
    let at = match required.line {
        0 => String::new(),
        line => format!("    ({}:{line})", required.file),
    };
    let mut out = vec![("required", format!("{}{at}", required.text))];
    why(&mut out, &explanation.why, full);
    if !explanation.initial.is_empty() {
        out.push(("initially", listed(&explanation.initial, full)));
    }
    out
}

/// What is said behind the steps.
pub fn behind_steps(explanation: &Explanation, full: bool) -> Vec<Said> {
    let mut out = Vec::new();
    if !explanation.last.is_empty() {
        out.push(("finally", listed(&explanation.last, full)));
    }
    let told = matches!(explanation.why, Why::Deadlock { .. });
    if !explanation.processes.is_empty() && !told {
        let most = if full { usize::MAX } else { VALUES };
        let places: Vec<String> = explanation.processes.iter().map(who).collect();
        out.push(("processes", some(&places, most)));
    }
    out
}

/// Lines of an explanation as text.
pub fn write(out: &mut String, said: &[Said]) {
    for (about, text) in said {
        match *about {
            "" => line(out, format_args!("      {text}")),
            about => {
                let about = format!("{about}:");
                line(out, format_args!("    {about:<10} {text}"));
            }
        }
    }
}

fn why(out: &mut Vec<Said>, why: &Why, full: bool) {
    let broken = |out: &mut Vec<Said>, text: String| out.push(("broken", text));
    match why {
        Why::Fails {
            step,
            message,
            reads,
        } => {
            let with = match reads.is_empty() {
                true => String::new(),
                false => format!(", with {}", listed(reads, full)),
            };
            broken(out, format!("{}: {message}{with}", after_or(*step)));
        }
        Why::Deadlock { blocked, circle } => {
            let text = "nothing can happen any more, and a process waits where it may not end";
            broken(out, text.to_owned());
            deadlock(out, blocked, circle, full);
        }
        Why::Hopeless { after, because } => {
            let text = format!("{}, no continuation satisfies it", after_step(*after));
            broken(out, text);
            facts(out, because, full);
        }
        Why::NeverMet {
            because,
            obligation,
            able,
        } => {
            match obligation {
                Some(due) => broken(out, format!("what is due never happens: {due}")),
                None => broken(out, "what happens forever violates it".to_owned()),
            }
            facts(out, because, full);
            able.iter().for_each(|able| could(out, able));
        }
        Why::Accepted { after: Some(after) } => {
            let text = format!(
                "{}, the automaton accepts whatever follows",
                after_step(*after)
            );
            broken(out, text);
        }
        Why::Accepted { after: None } => {
            let text = "the automaton passes an accepting state again and again in the cycle";
            broken(out, text.to_owned());
        }
        Why::AcceptLabels { passes } => {
            for passed in passes {
                let (label, at) = (&passed.label, who(&passed.at));
                let when = after_step(passed.after);
                broken(out, format!("the cycle passes {label}: {at}, {when}"));
            }
        }
        Why::NoProgress { moving } => {
            let pids: Vec<String> = moving.iter().map(u16::to_string).collect();
            let text = match pids.as_slice() {
                [one] => {
                    format!("process {one} moves in the cycle, and no process is at such a label")
                }
                all => format!(
                    "processes {} move in the cycle, and no process is ever at such a label",
                    all.join(", ")
                ),
            };
            broken(out, text);
        }
    }
}

fn deadlock(out: &mut Vec<Said>, blocked: &[Blocked], circle: &[u16], full: bool) {
    let most = if full { usize::MAX } else { PROCESSES };
    // Those that may not rest come first.
    let mut all: Vec<&Blocked> = blocked.iter().collect();
    all.sort_by_key(|b| b.may_rest);
    for process in all.iter().take(most) {
        let at = who(&process.at);
        if process.may_rest {
            out.push(("", format!("{at} may end there")));
            continue;
        }
        if process.options.is_empty() {
            out.push(("", format!("{at} has no statement left")));
        }
        let options = process.options.iter().enumerate();
        for (index, wait) in options.take(if full { usize::MAX } else { 4 }) {
            let waits = if index == 0 { "waits for" } else { "or for" };
            let values = match wait.reads.is_empty() {
                true => String::new(),
                false => format!(" [{}]", listed(&wait.reads, full)),
            };
            let providers: Vec<String> = wait.providers.iter().map(provider).collect();
            let from = match providers.is_empty() {
                true => "; nobody is left to provide it".to_owned(),
                false => format!(
                    "; from {}",
                    some(&providers, if full { usize::MAX } else { 4 })
                ),
            };
            let (needs, statement) = (&wait.needs, &wait.statement);
            let text = match needs.contains(bare(statement)) {
                true => String::new(),
                false => format!(" ({statement})"),
            };
            out.push(("", format!("{at} {waits} {needs}{text}{values}{from}")));
        }
    }
    if all.len() > most {
        out.push(("", format!("… {} more processes", all.len() - most)));
    }
    if let [first, ..] = circle {
        let name = |pid: &u16| match blocked.iter().find(|b| b.at.pid == *pid) {
            Some(b) => format!("{}({pid})", b.at.proctype),
            None => pid.to_string(),
        };
        let mut names: Vec<String> = circle.iter().map(name).collect();
        names.push(name(first));
        let names = names.join(" → ");
        out.push(("circle", format!("{names}, each waits for the next")));
    }
}

fn facts(out: &mut Vec<Said>, because: &[Because], full: bool) {
    for fact in because {
        let (formula, after) = (&fact.formula, after_step(fact.after));
        let text = match (fact.extent, fact.holds) {
            (How::Here, true) => format!("{formula} holds {after}"),
            (How::Here, false) => format!("{formula} is false {after}"),
            (How::Until, true) => format!("{formula} holds from {} until then", point(fact.after)),
            (How::Until, false) => {
                format!("{formula} is false from {} until then", point(fact.after))
            }
            (How::Forever, true) => format!("{formula} holds from {} on", point(fact.after)),
            (How::Forever, false) => {
                format!("{formula} is never true from {} on", point(fact.after))
            }
        };
        let values = match fact.reads.is_empty() {
            true => String::new(),
            false => format!(" [{}]", listed(&fact.reads, full)),
        };
        out.push(("", format!("{text}{values}")));
    }
}

fn could(out: &mut Vec<Said>, able: &Able) {
    let Place {
        pid,
        proctype,
        file,
        line: at,
        statement,
    } = &able.at;
    let who = format!("{proctype}({pid})");
    let text = match able.before {
        Some(step) => {
            format!("{who} could have made it true before step {step}: {statement} at {file}:{at}")
        }
        None => {
            let but = match (able.moves, able.enabled) {
                (true, _) => ", and moves in the cycle, but never makes it true",
                (false, true) => ", and could move, but never does",
                (false, false) => ", but is never able to move",
            };
            format!("{who} has a statement that changes it: {statement} at {file}:{at}{but}")
        }
    };
    out.push(("", text));
}

fn who(at: &Place) -> String {
    format!("{}({}) at {}:{}", at.proctype, at.pid, at.file, at.line)
}

fn provider(at: &Place) -> String {
    let Place {
        pid,
        proctype,
        line,
        statement,
        ..
    } = at;
    format!("{proctype}({pid}) by {statement} in line {line}")
}

fn after_or(step: usize) -> String {
    match step {
        0 => "the initial state".to_owned(),
        step => format!("step {step}"),
    }
}

fn after_step(step: usize) -> String {
    match step {
        0 => "at the start".to_owned(),
        step => format!("after step {step}"),
    }
}

fn point(step: usize) -> String {
    match step {
        0 => "the start".to_owned(),
        step => format!("step {step}"),
    }
}

/// Names and values on one line; equal neighbours of an array are told together.
fn listed(values: &[NamedValue], full: bool) -> String {
    let texts: Vec<String> = match full {
        true => values
            .iter()
            .map(|v| format!("{} = {}", v.name, v.value))
            .collect(),
        false => condensed(values),
    };
    some(&texts, if full { usize::MAX } else { VALUES })
}

fn some(texts: &[String], most: usize) -> String {
    match texts.len() > most {
        true => format!(
            "{}, … {} more",
            texts[..most].join(", "),
            texts.len() - most
        ),
        false => texts.join(", "),
    }
}

/// `a[0] = 1`, `a[1] = 1` becomes `a[0..1] = 1`.
fn condensed(values: &[NamedValue]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut at = 0;
    while at < values.len() {
        let first = &values[at];
        let same = |next: &&NamedValue, offset: usize| {
            let (a, b) = (element(&first.name), element(&next.name));
            let neighbours =
                matches!((a, b), (Some(a), Some(b)) if a.0 == b.0 && a.1 + offset == b.1);
            neighbours && next.value == first.value
        };
        let rest = values[at + 1..].iter().enumerate();
        let more = rest
            .take_while(|(index, next)| same(next, index + 1))
            .count();
        texts.push(match (more, element(&first.name)) {
            (1.., Some((name, index))) => {
                format!("{name}[{index}..{}] = {}", index + more, first.value)
            }
            _ => format!("{} = {}", first.name, first.value),
        });
        at += more + 1;
    }
    texts
}

/// Name and index of an element of an array.
fn element(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_equal_value_are_told_together() {
        let value = |text: &str| {
            let (name, value) = text.split_once('=').expect("a value");
            NamedValue {
                name: name.to_owned(),
                value: value.to_owned(),
                ty: "byte",
            }
        };
        let values: Vec<NamedValue> = ["x=1", "a[0]=2", "a[1]=2", "a[2]=3", "b[3]=3", "q[0]=[]"]
            .map(value)
            .into();
        assert_eq!(
            condensed(&values).join("; "),
            "x = 1; a[0..1] = 2; a[2] = 3; b[3] = 3; q[0] = []"
        );
    }
}
